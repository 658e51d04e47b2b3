"""Where each tile of the table came from: a set of the table before, or the rack.

Equal tiles cannot be told apart, so a turn has many such accounts; the judge asks whether one exists that
meets a list of claims ("this 5 is from the rack", "that 6 is from set 2"). Kinds of tile do not depend on
one another, so a claim is checked against the other claims on the same kind alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain

from referee.layout import TileSet
from referee.tiles import COLOURS, Tile

RACK = -1
"""The source of a tile that was on no set of the table before."""

Place = tuple[int, int]
"""A row of the table now, and a source: a row of the table before, or `RACK`."""


class PlainRows(dict[int, Counter[Tile]]):
    """The tiles of rows that are no jokers, counted when first asked for: most rows of a table never are."""

    def __init__(self, rows: tuple[TileSet, ...]) -> None:
        self.rows = rows

    def __missing__(self, place: int) -> Counter[Tile]:
        plain = self[place] = Counter([t for t in self.rows[place] if t.colour])
        return plain


@dataclass(frozen=True)
class Tables:
    """The rows before and after a turn. A loose tile is a row of one at the end of ``after``."""

    before: tuple[TileSet, ...]
    after: tuple[TileSet, ...]
    sets: int
    """How many of the rows after are sets; the others are loose tiles."""

    @cached_property
    def plain_before(self) -> PlainRows:
        """The tiles of each row before that are no jokers."""
        return PlainRows(self.before)

    @cached_property
    def plain_after(self) -> PlainRows:
        """The tiles of each row after that are no jokers."""
        return PlainRows(self.after)

    @cached_property
    def count_before(self) -> Counter[Tile]:
        """How many of each tile lay on the table."""
        return Counter(chain.from_iterable(self.before))

    @cached_property
    def count_after(self) -> Counter[Tile]:
        """How many of each tile lie on the table."""
        return Counter(chain.from_iterable(self.after))

    @cached_property
    def played(self) -> Counter[Tile]:
        """The tiles that only a rack can have brought."""
        return _more(self.count_after, self.count_before)

    @cached_property
    def left(self) -> Counter[Tile]:
        """The tiles that are no longer on the table."""
        return _more(self.count_before, self.count_after)

    @cached_property
    def jokers_before(self) -> dict[int, int]:
        """Rows before that hold jokers, and how many."""
        return _jokers(self.before)

    @cached_property
    def jokers_after(self) -> dict[int, int]:
        """Rows after that hold jokers, and how many."""
        return _jokers(self.after)

    def whole_in(self, origin: int) -> tuple[int, ...]:
        """The rows after that hold tiles like all of a row before, jokers aside."""
        plain = self.plain_before[origin]
        rows = self.demand(next(iter(plain))) if plain else range(len(self.after))
        return tuple(row for row in rows if _within(plain, self.plain_after[row]))

    def rivals(self, row: int) -> tuple[int, ...]:
        """The rows before that a row after holds tiles like all of; a row of jokers alone is none."""
        plain = self.plain_after[row]
        near = sorted({origin for tile in plain for origin in self.supply(tile) if origin != RACK})
        return tuple(origin for origin in near if _within(self.plain_before[origin], plain))

    def from_rack(self, row: int) -> tuple[Tile, ...]:
        """The tiles of a row after that may be from the rack, jokers aside, in order."""
        plain = self.plain_after[row]
        return tuple(sorted(t for tile, n in plain.items() for t in (tile,) * min(n, self.played[tile])))

    @cached_property
    def _supply(self) -> dict[Tile, dict[int, int]]:
        supply = _where(self.before)
        for tile, count in self.played.items():
            if tile.colour:
                supply.setdefault(tile, {})[RACK] = count
        return supply

    @cached_property
    def _demand(self) -> dict[Tile, dict[int, int]]:
        return _where(self.after)

    def supply(self, tile: Tile) -> dict[int, int]:
        """How many of a tile each source has."""
        return self._supply.get(tile, {})

    def demand(self, tile: Tile) -> dict[int, int]:
        """How many of a tile each row after holds."""
        return self._demand.get(tile, {})


@dataclass(frozen=True, slots=True)
class Claims:
    """Claims that some account of the tiles meets together. Never changed: a claim makes new `Claims`.

    ``needs[tile]`` says how many of a row's tiles are from a source at least, ``bars[tile]`` which pairs of
    row and source are ruled out.
    """

    tables: Tables
    needs: Mapping[Tile, Mapping[Place, int]] = field(default_factory=dict)
    bars: Mapping[Tile, frozenset[Place]] = field(default_factory=dict)

    def need(self, tile: Tile, row: int, source: int, count: int = 1) -> Claims | None:
        """Also claim that ``count`` of the row's tiles are from the source; None if no account meets it."""
        held = self.needs.get(tile, {})
        if held.get((row, source), 0) >= count:
            return self
        held = {**held, (row, source): count}
        if not _feasible(self.tables, tile, held, self.bars.get(tile, frozenset())):
            return None
        return Claims(self.tables, {**self.needs, tile: held}, self.bars)

    def need_all(self, tiles: Mapping[Tile, int], row: int, source: int) -> Claims | None:
        """Claim several tiles of a row for one source."""
        claims: Claims | None = self
        for tile, count in tiles.items():
            claims = claims.need(tile, row, source, count) if claims else None
        return claims

    def bar(self, tile: Tile, row: int, source: int) -> Claims | None:
        """Also claim that none of the row's tiles is from the source; None if no account meets it."""
        barred = self.bars.get(tile, frozenset())
        if (row, source) in barred:
            return self
        barred = barred | {(row, source)}
        if not _feasible(self.tables, tile, self.needs.get(tile, {}), barred):
            return None
        return Claims(self.tables, self.needs, {**self.bars, tile: barred})

    def bar_all(self, tiles: Iterable[Tile], row: int, source: int) -> Claims | None:
        """Rule out several tiles of a row for one source."""
        claims: Claims | None = self
        for tile in tiles:
            claims = claims.bar(tile, row, source) if claims else None
        return claims

    def from_rack(self, tile: Tile, row: int) -> int:
        """How many of the row's tiles it is already claimed are from the rack."""
        return self.needs.get(tile, {}).get((row, RACK), 0)


def _more(one: Counter[Tile], other: Counter[Tile]) -> Counter[Tile]:
    """One count less another, as ``-`` says it, but where most are equal much quicker."""
    found = Counter[Tile]()
    for tile, count in one.items():
        more = count - other.get(tile, 0)
        if more > 0:
            found[tile] = more
    return found


def content(row: TileSet) -> Hashable:
    """The same for rows of the same tiles, in whatever order."""
    return tuple(sorted([_PLACES[t.colour] + t.number for t in row]))


_PLACES = {colour: 20 * place for place, colour in enumerate(("", "?", *COLOURS))}


def _jokers(rows: tuple[TileSet, ...]) -> dict[int, int]:
    return {i: n for i, row in enumerate(rows) if (n := len([t for t in row if not t.colour]))}


def _where(rows: tuple[TileSet, ...]) -> dict[Tile, dict[int, int]]:
    """For each tile that is no joker the rows that hold it, and how often."""
    found: dict[Tile, dict[int, int]] = {}
    for i, row in enumerate(rows):
        for tile in row:
            if tile.colour:
                held = found.setdefault(tile, {})
                held[i] = held.get(i, 0) + 1
    return found


def _within(part: Mapping[Tile, int], whole: Counter[Tile]) -> bool:
    return all(whole[tile] >= count for tile, count in part.items())


def _feasible(tables: Tables, tile: Tile, needs: Mapping[Place, int], bars: frozenset[Place]) -> bool:
    supply, demand = dict(tables.supply(tile)), dict(tables.demand(tile))
    for (row, source), count in needs.items():
        if (row, source) in bars:
            return False
        supply[source] = supply.get(source, 0) - count
        demand[row] = demand.get(row, 0) - count
        if supply[source] < 0 or demand[row] < 0:
            return False
    if not bars:
        return True  # whatever source is left serves whatever row is left
    slots = [source for source, count in supply.items() for _ in range(count)]
    units = [row for row, count in demand.items() for _ in range(count)]
    taken: list[int | None] = [None] * len(slots)

    def place(unit: int, tried: set[int]) -> bool:
        for slot, source in enumerate(slots):
            if slot in tried or (units[unit], source) in bars:
                continue
            tried.add(slot)
            holder = taken[slot]
            if holder is None or place(holder, tried):
                taken[slot] = unit
                return True
        return False

    return all(place(unit, set()) for unit in range(len(units)))
