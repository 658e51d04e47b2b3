"""Sets as columns of a whole-number programme: every way to lay a supply of tiles, in few columns.

Groups are columns; runs are not: a run is a start (three tiles at once) and any number of tiles laid on, so a
colour has 21 columns where listing its runs takes 33 without jokers and hundreds with them. No tile can be
laid on but on a run of three or more that ends just before it. A joker is a column for each tile that it may
stand for. A set of the table that stays whole is a column as well (`Kept`), so that those disturbed can be
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from referee.layout import TileSet
from referee.sets import LEAST, LONGEST_GROUP, Kind, SetReading
from referee.solver import Programme
from referee.tiles import COLOURS, NUMBERS, Tile

GROUPS = tuple(colours for size in range(LEAST, LONGEST_GROUP + 1) for colours in combinations(COLOURS, size))
RUNS = {colour: tuple(Tile(colour, n) for n in NUMBERS) for colour in COLOURS}

Entries = list[tuple[int, int]]
"""Pairs of a row and a coefficient."""


@dataclass(slots=True)
class Laid:
    """One set of a solution: what its places stand for, in order, and which of them hold jokers.

    ``origins`` are the sets of the table that it keeps whole; ``settled`` the places whose tile is not open.
    """

    kind: Kind
    places: list[Tile]
    jokers: set[int] = field(default_factory=set)
    origins: tuple[int, ...] = ()
    settled: frozenset[int] = frozenset()

    @property
    def tiles(self) -> TileSet:
        """The tiles as they are laid."""
        return tuple(Tile.JOKER if i in self.jokers else t for i, t in enumerate(self.places))

    def open_place(self, tile: Tile) -> int | None:
        """The place that stands for a tile and may still take a joker for it."""
        taken = self.settled | self.jokers
        return next((i for i, t in enumerate(self.places) if t == tile and i not in taken), None)


@dataclass(frozen=True, slots=True)
class Kept:
    """A set of the table that stays whole and may grow: its column, and the columns of what is laid on.

    ``reading`` says what its jokers stand for. A run grows ahead by one or two tiles (``ahead``, the nearer
    first; three would be a run of their own) and behind as any run does; a group by colours it lacks.
    """

    column: int
    origin: int
    reading: SetReading
    ahead: tuple[int, ...] = ()
    colours: tuple[tuple[Tile, int], ...] = ()


class Plain:
    """The sets that one supply of tiles can be laid as, with jokers anywhere. Adds its rows and columns.

    ``balance[t]`` is the row of a tile: what sets take of it, less what supplies it, is 0. Whoever owns the
    supply sets the row's bounds or adds columns to it.

    Args:
        programme: what to add to.
        supply: how many of each tile there are, at most.
        jokers: how many jokers there are, at most.
        joker_row: takes each joker used with 1.
        worth_row: takes each joker used with the number that it stands for.
    """

    def __init__(
        self,
        programme: Programme,
        supply: Mapping[Tile, int],
        jokers: int,
        joker_row: int,
        worth_row: int | None = None,
    ) -> None:
        self.programme = programme
        self.supply = supply
        self.jokers = jokers
        self.balance: dict[Tile, int] = {}
        self.stand_in: dict[Tile, int] = {}
        self.groups: dict[TileSet, int] = {}
        self.starts: dict[Tile, int] = {}
        self.more: dict[Tile, int] = {}
        self.kept: list[Kept] = []
        self._ends: dict[Tile, int] = {}
        for run in RUNS.values():
            for tile in run:
                if supply.get(tile, 0) or jokers:
                    self.balance[tile] = programme.row(0, 0)
        if jokers:
            for tile, row in self.balance.items():
                worth = [] if worth_row is None else [(worth_row, tile.number)]
                self.stand_in[tile] = programme.column(jokers, [(row, -1), (joker_row, 1), *worth])
        for number in NUMBERS:
            for colours in GROUPS:
                tiles = tuple(RUNS[c][number - 1] for c in colours)
                most = self._most(tiles)
                if most:
                    self.groups[tiles] = programme.column(most, [(self.balance[t], 1) for t in tiles])
        for run in RUNS.values():
            self._add_runs(run)

    def _most(self, tiles: Sequence[Tile]) -> int:
        """How often a set of these tiles can be laid, at most."""
        counts = [self.supply.get(t, 0) for t in tiles]
        most = 0
        while sum(max(0, most + 1 - c) for c in counts) <= self.jokers:
            most += 1
        return most

    def _add_runs(self, run: TileSet) -> None:
        for tile in run[LEAST:]:
            if tile in self.balance:
                # The runs of three or more that end just before it, less those laid on, are never below 0.
                self._ends[tile] = self.programme.row(0, None)
        for i, tile in enumerate(run):
            if tile in self._ends:
                entries = [(self.balance[tile], 1), (self._ends[tile], -1), *self._end(run, i)]
                self.more[tile] = self.programme.column(self.supply.get(tile, 0) + self.jokers, entries)
            first = run[i : i + LEAST]
            most = self._most(first) if len(first) == LEAST else 0
            if most:
                entries = [*((self.balance[t], 1) for t in first), *self._end(run, i + LEAST - 1)]
                self.starts[tile] = self.programme.column(most, entries)

    def _end(self, run: TileSet, last: int) -> Entries:
        """The entry of a column that leaves a run ending at ``last``."""
        following = self._ends.get(run[last + 1]) if last + 1 < len(run) else None
        return [] if following is None else [(following, 1)]

    def keep(self, origin: int, reading: SetReading, rows: Iterable[tuple[int, int]], cost: int) -> None:
        """Add a column for a set of the table that stays whole; ``rows`` are further entries."""
        tiles = zip(reading.tiles, reading.stands_for, strict=True)
        plain = {s for t, s in tiles if not t.is_joker}
        taken = [*((self.balance[t], 1) for t in plain), *rows]
        if reading.kind == "group":
            self._keep_group(origin, reading, plain, taken, cost)
            return
        ordered = sorted(reading.stands_for)
        run, first, last = RUNS[ordered[0].colour], ordered[0].number - 1, ordered[-1].number - 1
        column = self.programme.column(1, [*taken, *self._end(run, last)], cost)
        ahead: list[int] = []
        for at in (first - 1, first - 2):
            if at < 0 or run[at] not in self.balance:
                break
            room = self.programme.row(0, None)
            self.programme.entries[ahead[-1] if ahead else column].append((room, 1))
            ahead.append(self.programme.column(1, [(self.balance[run[at]], 1), (room, -1)]))
        self.kept.append(Kept(column, origin, reading, ahead=tuple(ahead)))

    def _keep_group(
        self, origin: int, reading: SetReading, plain: set[Tile], taken: Entries, cost: int
    ) -> None:
        number = reading.stands_for[0].number
        lacking = [t for t in (RUNS[c][number - 1] for c in COLOURS) if t not in plain and t in self.balance]
        free = LONGEST_GROUP - len(reading.tiles)
        if not free or not lacking:
            self.kept.append(Kept(self.programme.column(1, taken, cost), origin, reading))
            return
        room = self.programme.row(0, None)
        column = self.programme.column(1, [*taken, (room, free)], cost)
        grown = tuple((t, self.programme.column(1, [(self.balance[t], 1), (room, -1)])) for t in lacking)
        self.kept.append(Kept(column, origin, reading, colours=grown))

    def lay(self, columns: Sequence[int]) -> list[Laid]:
        """The sets that a solution lays, jokers not yet placed but in the sets that are kept."""
        sets = [self._lay_kept(kept, columns) for kept in self.kept if columns[kept.column]]
        for tiles, column in self.groups.items():
            sets += [Laid("group", list(tiles)) for _ in range(columns[column])]
        for run in RUNS.values():
            kept_runs = [s for s in sets if s.kind == "run" and s.places[0].colour == run[0].colour]
            sets += self._lay_runs(run, columns, kept_runs)
        self._place_jokers(sets, columns)
        return sets

    def _lay_kept(self, kept: Kept, columns: Sequence[int]) -> Laid:
        reading = kept.reading
        if reading.kind == "group":
            places = [*reading.stands_for, *(t for t, c in kept.colours if columns[c])]
            jokers = {i for i, t in enumerate(reading.tiles) if t.is_joker}
            return Laid("group", places, jokers, (kept.origin,), frozenset(range(len(reading.tiles))))
        ordered = sorted(zip(reading.stands_for, reading.tiles, strict=True), key=lambda pair: pair[0].number)
        first = ordered[0][0]
        ahead = [RUNS[first.colour][first.number - 2 - i] for i, c in enumerate(kept.ahead) if columns[c]]
        places = [*reversed(ahead), *(s for s, _ in ordered)]
        jokers = {i for i, (_, t) in enumerate(ordered, len(ahead)) if t.is_joker}
        settled = frozenset(range(len(ahead), len(places)))
        return Laid("run", places, jokers, (kept.origin,), settled)

    def _lay_runs(self, run: TileSet, columns: Sequence[int], kept: Sequence[Laid]) -> list[Laid]:
        made: list[Laid] = []
        for i, tile in enumerate(run):
            more = columns[self.more[tile]] if tile in self.more else 0
            # What is laid on goes to the sets kept first: they grow rather than a new one.
            ready = [s for s in (*kept, *made) if len(s.places) >= LEAST and s.places[-1] == run[i - 1]]
            for laid in ready[:more] if i else ():
                laid.places.append(tile)
            for _ in range(columns[self.starts[tile]] if tile in self.starts else 0):
                made.append(Laid("run", list(run[i : i + LEAST])))
        return made

    def _place_jokers(self, sets: Sequence[Laid], columns: Sequence[int]) -> None:
        for tile, column in self.stand_in.items():
            for _ in range(columns[column]):
                holders = [s for s in sets if s.open_place(tile) is not None]
                # A joker offends least in a set that is no old one (RULES.md, "the freed joker").
                holder = min(holders, key=lambda s: (len(s.origins), len(s.places)))
                place = holder.open_place(tile)
                assert place is not None
                holder.jokers.add(place)


def different(ways: Iterable[SetReading]) -> list[SetReading]:
    """Of some readings those that differ in more than which missing colour a group's joker is."""
    kinds = {(w.kind, w.stands_for[0].number if w.kind == "group" else w.stands_for): w for w in ways}
    return [*kinds.values()]
