"""What the jokers of a row can stand for, some of them given (RULES.md, "The tiles and the sets")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, permutations

from referee.layout import TileSet
from referee.sets import SetReading, readings
from referee.tiles import COLOURS, Tile

Stand = Tile | int | None
"""What a joker that stays stands for: a tile, any tile of a group's number, or None where nobody can say."""


ORDERED = 4
"""Of more jokers freed from one row it is not asked which stood for which; no bundled box has more."""


@dataclass(frozen=True, slots=True)
class Freeing:
    """How a sheet lets jokers be freed: by a tile from the rack, both missing colours; whether order matters.

    The order in which a row's freed jokers stood for their tiles matters where a joker that stays binds its set.
    """

    by_rack: bool
    both: bool
    ordered: bool


@dataclass(frozen=True, slots=True)
class Replacement:
    """What the freed jokers of one row stood for, in order, and the rack tiles that their freeing takes.

    ``full_group`` is the number of a group of three whose both missing colours must lie with it.
    """

    stood_for: tuple[Tile | None, ...]
    takes: tuple[Tile, ...] = ()
    lawful: bool = True
    full_group: int | None = None


def leftovers(row: TileSet, stands: tuple[Stand, ...]) -> Iterator[tuple[SetReading, TileSet]]:
    """The readings of a row whose jokers stand for all of ``stands``, each with what its other jokers are."""
    tiles = [s for s in stands if isinstance(s, Tile)]
    numbers = {s for s in stands if isinstance(s, int)}
    loose = len(stands) - len(tiles)
    for reading in readings(row):
        if numbers and (reading.kind != "group" or numbers != {reading.stands_for[0].number}):
            continue
        rest = Counter(reading.jokers)
        rest.subtract(tiles)
        if min(rest.values(), default=0) < 0:
            continue
        remaining = tuple(rest.elements())
        if loose == 0:
            yield reading, remaining
        elif loose == len(remaining):
            yield reading, ()
        else:
            for kept in set(combinations(sorted(remaining), len(remaining) - loose)):
                yield reading, kept


def common_stands(before: TileSet, after: TileSet) -> tuple[Stand, ...]:
    """What a joker may stand for in both of two rows, in some reading of each."""
    ways_before, ways_after = readings(before), readings(after)
    if not ways_before or not ways_after or all(t.is_joker for t in (*before, *after)):
        return (None,)
    found: dict[Stand, None] = {}
    for b in ways_before:
        for a in ways_after:
            if a.kind == b.kind == "group":
                if a.stands_for[0].number == b.stands_for[0].number:
                    found[a.stands_for[0].number] = None
            else:
                found.update(dict.fromkeys(t for t in b.jokers if t in a.jokers))
    return tuple(found)


def missing_colours(reading: SetReading) -> TileSet:
    """The colours a group's jokers may be, where that is more than it has jokers; else nothing."""
    if reading.kind != "group":
        return ()
    plain = {t.colour for t in reading.tiles if not t.is_joker}
    missing = [Tile(c, reading.stands_for[0].number) for c in COLOURS if c not in plain]
    return tuple(missing) if len(missing) > len(reading.jokers) else ()


@lru_cache(maxsize=256)
def replacements(row: TileSet, stands: tuple[Stand, ...], freed: int, freeing: Freeing) -> tuple[Replacement, ...]:
    """What so many freed jokers of a row may have stood for, where others stay and stand for ``stands``."""
    if not readings(row):
        return (Replacement((None,) * freed),)
    found: dict[Replacement, None] = {}
    for reading, rest in leftovers(row, stands):
        missing = missing_colours(reading) if freeing.both and freed else ()
        ordered = freeing.ordered and len(rest) <= ORDERED
        for order in sorted(set(permutations(rest))) if ordered else [rest]:
            if freeing.by_rack:
                replacement = Replacement(order, missing or tuple(sorted(rest)))
            else:
                number = reading.stands_for[0].number if missing else None
                replacement = Replacement(order if freeing.ordered else (None,) * freed, full_group=number)
            found[replacement] = None
    return tuple(found)
