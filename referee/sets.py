"""Sets: every way a row of tiles can be read as a group or a run (RULES.md, "The tiles and the sets").

A run reads the same from either end. A row out of order whose tiles make a run is a run, with a note; a joker
in it stands for any number that completes it. In order, a joker stands for the number of its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Literal

from referee.layout import TileSet
from referee.tiles import COLOURS, NUMBERS, Tile

Kind = Literal["group", "run"]
OUT_OF_ORDER = "out-of-order"
LEAST = 3
LONGEST_GROUP = 4
LONGEST_RUN = 13


@dataclass(frozen=True, slots=True)
class SetReading:
    """One way to read a set: ``stands_for[i]`` is what ``tiles[i]`` stands for, itself unless a joker.

    ``value`` is the sum of the numbers stood for; ``notes`` may hold `OUT_OF_ORDER`. A joker in a group of
    three may be either missing colour: each choice is a reading of its own.
    """

    kind: Kind
    tiles: TileSet
    stands_for: TileSet
    value: int
    notes: tuple[str, ...] = ()

    @property
    def jokers(self) -> tuple[Tile, ...]:
        """The tiles that the set's jokers stand for, in the order they lie."""
        return tuple(s for t, s in zip(self.tiles, self.stands_for, strict=True) if t.is_joker)


@lru_cache(maxsize=1 << 14)
def readings(tiles: TileSet) -> tuple[SetReading, ...]:
    """Every legal reading of a row: groups, then runs in order or else out of order; none if illegal.

    >>> [(r.kind, r.value) for r in readings(tuple(map(Tile.parse, ("r9", "j", "j"))))][-2:]
    [('run', 30), ('run', 24)]
    """
    if len(tiles) < LEAST or len(tiles) > LONGEST_RUN or not all(t.readable for t in tiles):
        return ()
    plain = [t for t in tiles if t.number]
    numbers, colours = {t.number for t in plain}, {t.colour for t in plain}
    groups: tuple[SetReading, ...] = ()
    runs: tuple[SetReading, ...] = ()
    if len(numbers) <= 1 and len(colours) == len(plain) and len(tiles) <= LONGEST_GROUP:
        groups = tuple(_groups(tiles, numbers, colours))
    if len(colours) <= 1 and len(numbers) == len(plain):
        runs = tuple(_runs_in_order(tiles, colours)) or tuple(_runs_out_of_order(tiles, numbers, colours))
    return (*groups, *runs)


def best(tiles: TileSet) -> SetReading | None:
    """The reading worth most, in order before out of order; None if the row is no set.

    >>> best(tuple(map(Tile.parse, ("j", "r10", "r11")))).value
    30
    """
    return best_of(readings(tiles))


def best_of(found: Iterable[SetReading]) -> SetReading | None:
    """Of some readings the one worth most, in order before out of order; None of none."""
    return max(found, key=lambda r: (r.value, not r.notes), default=None)


def is_set(tiles: TileSet) -> bool:
    """Whether a row is a legal set."""
    return bool(readings(tiles))


def _reading(kind: Kind, tiles: TileSet, stands_for: TileSet, notes: tuple[str, ...] = ()) -> SetReading:
    return SetReading(kind, tiles, stands_for, sum(t.number for t in stands_for), notes)


def _groups(tiles: TileSet, numbers: set[int], colours: set[str]) -> Iterator[SetReading]:
    missing = [c for c in COLOURS if c not in colours]
    for number in numbers or NUMBERS:
        for chosen in combinations(missing, len(tiles) - len(colours)):
            rest = iter(chosen)
            yield _reading("group", tiles, tuple(t if t.number else Tile(next(rest), number) for t in tiles))


def _runs_in_order(tiles: TileSet, colours: set[str]) -> Iterator[SetReading]:
    known = [(i, t.number) for i, t in enumerate(tiles) if t.number]
    for step in (1, -1) if known else (1,):
        starts = {number - step * i for i, number in known} if known else set(NUMBERS)
        for start in sorted(starts) if len(starts) == 1 or not known else ():
            end = start + step * (len(tiles) - 1)
            if not (1 <= start <= LONGEST_RUN and 1 <= end <= LONGEST_RUN):
                continue
            for colour in colours or COLOURS:
                solid = (t if t.number else Tile(colour, start + step * i) for i, t in enumerate(tiles))
                yield _reading("run", tiles, tuple(solid))


def _runs_out_of_order(tiles: TileSet, numbers: set[int], colours: set[str]) -> Iterator[SetReading]:
    for colour in colours:
        for start in range(1, LONGEST_RUN - len(tiles) + 2):
            window = range(start, start + len(tiles))
            if all(n in window for n in numbers):
                rest = (Tile(colour, n) for n in window if n not in numbers)
                solid = tuple(t if t.number else next(rest) for t in tiles)
                yield _reading("run", tiles, solid, (OUT_OF_ORDER,))
