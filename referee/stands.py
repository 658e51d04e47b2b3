"""What the jokers of a row can stand for, some of them given (RULES.md, "The tiles and the sets")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

from referee.layout import TileSet
from referee.sets import SetReading, readings
from referee.tiles import COLOURS, Tile

Stand = Tile | int | None
"""What a joker that stays stands for: a tile, any tile of a group's number, or None where nobody can say."""


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
            for kept in {tuple(sorted(p[loose:])) for p in permutations(remaining)}:
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
