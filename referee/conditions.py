"""Conditions on where equal tiles came from, and the search for an account that meets the most of them.

A condition lists its ways to be met, each as `Claims` that hold what was claimed before and more. A tile that
no other condition mentions is claimed at once, without trying another: it is in nobody's way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from referee.faults import Fault
from referee.sources import RACK, Claims, Tables
from referee.tiles import COLOURS, Tile

Way = tuple[Claims, tuple[Fault, ...]]
"""Claims, and the faults that come with them."""


@dataclass(frozen=True, slots=True)
class Share:
    """A row before and a row after hold one and the same tile."""

    tables: Tables
    origin: int
    row: int

    def kinds(self) -> set[Tile]:
        return self.tables.plain_before[self.origin].keys() & self.tables.plain_after[self.row].keys()

    def ways(self, claims: Claims, contested: set[Tile]) -> Iterator[Way]:
        for tile in sorted(self.kinds(), key=lambda t: (t in contested, t)):
            held = claims.need(tile, self.row, self.origin)
            if held:
                yield held, ()
                if tile not in contested:
                    return


@dataclass(frozen=True, slots=True)
class Unshared:
    """A row before and a row after hold no tile in common."""

    tables: Tables
    origin: int
    row: int

    def kinds(self) -> set[Tile]:
        return self.tables.plain_before[self.origin].keys() & self.tables.plain_after[self.row].keys()

    def ways(self, claims: Claims, contested: set[Tile]) -> Iterator[Way]:
        held = claims.bar_all(sorted(self.kinds()), self.row, self.origin)
        if held:
            yield held, ()


@dataclass(frozen=True, slots=True)
class Together:
    """The tiles of a row before, and those that replaced its jokers, lie in one of some rows after."""

    tables: Tables
    origin: int
    rows: tuple[int, ...]
    replaced: tuple[Tile, ...]
    fault: Fault

    def kinds(self) -> set[Tile]:
        return self.tables.plain_before[self.origin].keys() | set(self.replaced)

    def ways(self, claims: Claims, contested: set[Tile]) -> Iterator[Way]:
        plain = self.tables.plain_before[self.origin]
        for row in self.rows:
            held = claims.need_all(plain, row, self.origin)
            held = held.need_all(Counter(self.replaced), row, RACK) if held else None
            if held:
                yield held, ()
        yield claims, (self.fault,)


@dataclass(frozen=True, slots=True)
class FullGroup:
    """The tiles of a group before lie in a group of four colours now, without a joker."""

    tables: Tables
    origin: int
    number: int
    fault: Fault

    def kinds(self) -> set[Tile]:
        return set(self.tables.plain_before[self.origin])

    def ways(self, claims: Claims, contested: set[Tile]) -> Iterator[Way]:
        full = Counter(Tile(c, self.number) for c in COLOURS)
        for row, tiles in enumerate(self.tables.after):
            if len(tiles) == len(full) and self.tables.plain_after[row] == full:
                held = claims.need_all(self.tables.plain_before[self.origin], row, self.origin)
                if held:
                    yield held, ()
        yield claims, (self.fault,)


@dataclass(frozen=True, slots=True)
class Replay:
    """A freed joker lies in a new set (``rivals`` are rows before it may contain), with some rack tiles.

    ``fit`` are the tiles of the row that the rack has, in order; ``least`` is 1 if there is no lawful way.

    A new set is one that does not contain all the non-joker tiles of a set that was on the table before; a
    set of jokers alone has none, and makes nothing old.
    """

    tables: Tables
    row: int
    rack_tiles: int
    fit: tuple[Tile, ...]
    rivals: tuple[int, ...]
    old: Fault
    few: Fault
    least: int = 0

    def kinds(self) -> set[Tile]:
        return set(self.tables.plain_after[self.row])

    def ways(self, claims: Claims, contested: set[Tile]) -> Iterator[Way]:
        for held in self._racked(claims, contested):
            for new in self._new(held, self.rivals, contested):
                yield new, ()
        if self.rack_tiles > 0:
            for new in self._new(claims, self.rivals, contested):
                yield new, (self.few,)
        yield claims, (self.old,)

    def _racked(self, claims: Claims, contested: set[Tile]) -> Iterator[Claims]:
        if self.rack_tiles <= 0:
            yield claims
            return
        free = [t for t in self.fit if t not in contested][: self.rack_tiles]
        held = claims.need_all(Counter(free), self.row, RACK)
        if not held:
            return
        lacking = self.rack_tiles - len(free)
        for chosen in sorted(set(combinations([t for t in self.fit if t in contested], lacking))):
            more = held.need_all(Counter(chosen), self.row, RACK)
            if more:
                yield more

    def _new(self, claims: Claims, rivals: tuple[int, ...], contested: set[Tile]) -> Iterator[Claims]:
        if not rivals:
            yield claims
            return
        rival, rest = rivals[0], rivals[1:]
        plain = self.tables.plain_before[rival]
        mine = self.tables.plain_after[self.row]
        if any(mine[t] - claims.from_rack(t, self.row) < n for t, n in plain.items()):
            yield from self._new(claims, rest, contested)
            return
        # A tile of two rivals may be barred from one of them only.
        several = contested.union(*(self.tables.plain_before[other] for other in rest))
        for tile in sorted(plain, key=lambda t: (t in several, t)):
            held = claims.bar(tile, self.row, rival)
            if held:
                yield from self._new(held, rest, contested)
                if tile not in several:
                    return


Condition = Share | Unshared | Together | FullGroup | Replay


def solve(conditions: tuple[Condition, ...], claims: Claims, below: int) -> tuple[Fault, ...] | None:
    """The fewest faults, under ``below``, with which an account meets the conditions and the claims; None if none."""
    mentions = Counter(claims.needs.keys())
    mentions.update(tile for condition in conditions for tile in condition.kinds())
    contested = {tile for tile, count in mentions.items() if count > 1}
    least = sum(c.least for c in conditions if isinstance(c, Replay))
    return _solve(conditions, claims, below, least, contested)


def _solve(
    conditions: tuple[Condition, ...], claims: Claims, below: int, least: int, contested: set[Tile]
) -> tuple[Fault, ...] | None:
    """``least`` is how many faults the conditions have whatever is claimed."""
    if below <= least:
        return None
    if not conditions:
        return ()
    first, *others = conditions
    later = least - (first.least if isinstance(first, Replay) else 0)
    best: tuple[Fault, ...] | None = None
    for held, faults in first.ways(claims, contested):
        rest = _solve(tuple(others), held, below - len(faults), later, contested)
        if rest is not None:
            best = (*faults, *rest)
            below = len(best)
            if below <= least:
                break
    return best
