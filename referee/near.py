"""Which rows of a table matter to its jokers: where nobody touched one, no account of them is asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from referee.sets import readings
from referee.sources import Tables
from referee.tiles import Tile


def still_there(tables: Tables) -> bool:
    """Whether every row that held a joker lies there as it lay: then nobody touched a joker."""
    lying = [tables.after[row] for row in tables.jokers_after]
    for origin in tables.jokers_before:
        row = tables.before[origin]
        if row not in lying:
            return False
        lying.remove(row)
    return True


@dataclass(frozen=True, slots=True)
class Near:
    """What matters to a joker of the rows after: ``rows`` hold one, or a tile like one of a row that does.

    ``special`` are those in which it matters which row it is: with a joker, or with all that a joker lay with.
    Of the others only the tiles do that are like a joker's neighbours, ``kinds``.
    """

    tables: Tables
    rows: frozenset[int]
    special: frozenset[int]
    kinds: frozenset[Tile]

    def effect(self, rows: frozenset[int]) -> Hashable:
        """The same for choices of rows from the rack that leave the same accounts of the jokers."""
        after = self.tables.after
        claimed = Counter(t for i in (rows & self.rows) - self.special for t in after[i] if t in self.kinds)
        return rows & self.special, frozenset(claimed.items())


def joker_rows(tables: Tables) -> Near:
    """The rows after that matter to a joker.

    A tile of which every one is from the rack, or none is, is from nowhere else in any account.
    """
    kinds = {t for row in tables.jokers_after for t in tables.after[row]}
    special = {*tables.jokers_after}
    for origin in tables.jokers_before:
        kinds.update(tables.before[origin])
        kinds.update(t for reading in readings(tables.before[origin]) for t in reading.stands_for)
        # Here the tiles that the joker lay with may have to be (`Together`, `FullGroup`).
        special.update(tables.whole_in(origin))
    free = frozenset(t for t in kinds if t.is_joker or 0 < tables.played[t] < tables.count_after[t])
    rows = frozenset(i for i, row in enumerate(tables.after) if not free.isdisjoint(row))
    return Near(tables, rows, rows & special, free)
