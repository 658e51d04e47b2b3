"""A turn as `referee.table_jokers` sees it: tiles as kinds, and the rows of the programme they are counted in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.layout import TileSet
from referee.sheets import JokerSets, Sheet

MOST_JOKERS = 4
"""No box holds more (the 160 tiles of 000)."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What the columns are made from, tiles as kinds.

    Rows of the programme: ``table_row`` counts table jokers, which all lie somewhere; ``rack_row`` the jokers
    that stand in for tiles; ``keep_rows`` each set of the table kept whole. ``laid`` are the columns of the rack
    tiles laid, ``spent`` rows that say how many of each free a joker.
    """

    sheet: Sheet
    before: tuple[TileSet, ...]
    table: Sequence[int]
    rack: Sequence[int]
    table_jokers: int
    rack_jokers: int
    table_row: int
    rack_row: int
    keep_rows: tuple[int, ...]
    laid: Mapping[int, int]
    spent: Mapping[int, int]

    @property
    def free(self) -> bool:
        """Whether the sheet asks nothing of the set in which a freed joker lies."""
        return not (self.sheet.freed_new_set or self.sheet.freed_rack_tiles)

    @property
    def complete(self) -> bool:
        """Whether every lawful turn is in the programme; not with more jokers than any box holds.

        Nor with a set of jokers alone, of which those that stay could lie in any long run for the rack tiles' sake.
        """
        alone = any(all(t.is_joker for t in row) for row in self.before)
        return self.table_jokers <= MOST_JOKERS and not (alone and self.sheet.freed_rack_tiles)

    @property
    def joined(self) -> bool:
        """Whether a freed joker may join a set that only grows and keeps its own, if rack tiles come along."""
        grow = self.sheet.joker_sets is JokerSets.GROW
        return grow and self.sheet.freed_rack_tiles > 0 and not self.sheet.freed_new_set
