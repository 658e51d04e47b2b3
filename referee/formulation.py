"""Sets as columns of a whole-number programme: every way to lay a supply of tiles, in few columns.

Groups are columns; runs are not: a run is a start (three tiles at once) and any number of tiles laid on, so a
colour has 21 columns where listing its runs takes 33 without jokers and hundreds with them. No tile can be laid
on but on a run of three or more that ends just before it. A joker is a column for each tile that it may stand
for. A set of the table that stays whole is a column as well (`Kept`), so that those disturbed can be counted.

Inside a programme a tile is its place in `KINDS`: lists of 52 are quicker than dictionaries of tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from referee.layout import TileSet
from referee.sets import LEAST, LONGEST_GROUP, Kind, SetReading
from referee.solver import Programme
from referee.tiles import COLOURS, NUMBERS, Tile

KINDS = tuple(Tile(colour, number) for colour in COLOURS for number in NUMBERS)
"""All tiles but the joker, colour by colour."""

KIND = {tile: kind for kind, tile in enumerate(KINDS)}
LENGTH = len(NUMBERS)
RUNS = tuple(range(LENGTH * i, LENGTH * (i + 1)) for i in range(len(COLOURS)))
"""The kinds of each colour in order."""

SAME = tuple(tuple(range(at, len(KINDS), LENGTH)) for at in range(LENGTH))
"""The kinds of each number in the order of the colours."""

GROUPS = tuple(
    group for same in SAME for size in range(LEAST, LONGEST_GROUP + 1) for group in combinations(same, size)
)
Entries = list[tuple[int, int]]
"""Pairs of a row and a coefficient."""


@dataclass(slots=True)
class Laid:
    """One set of a solution: the kinds its places stand for, in order, and which of them hold jokers.

    ``origins`` are the sets of the table that it keeps whole; ``settled`` the places whose tile is not open.
    """

    kind: Kind
    places: list[int]
    jokers: set[int] = field(default_factory=set)
    origins: tuple[int, ...] = ()
    settled: frozenset[int] = frozenset()

    @property
    def tiles(self) -> TileSet:
        """The tiles as they are laid."""
        return tuple(Tile.JOKER if i in self.jokers else KINDS[k] for i, k in enumerate(self.places))

    def open_place(self, kind: int) -> int | None:
        """The place that stands for a tile and may still take a joker for it."""
        taken = self.settled | self.jokers
        return next((i for i, k in enumerate(self.places) if k == kind and i not in taken), None)


@dataclass(frozen=True, slots=True)
class Kept:
    """A set of the table that stays whole and may grow: its column, and the columns of what is laid on.

    ``places`` are the kinds it stands for, a run's in ascending order, ``jokers`` the places that hold them. A
    run grows ahead by one or two tiles (``ahead``, the nearer first; three would be a run of their own) and
    behind as any run does; a group by colours it lacks (``colours``: kind and column).
    """

    column: int
    origin: int | None
    kind: Kind
    places: tuple[int, ...]
    jokers: frozenset[int]
    ahead: tuple[int, ...] = ()
    colours: tuple[tuple[int, int], ...] = ()


class Plain:
    """The sets that one supply of tiles can be laid as, with jokers anywhere. Adds its rows and columns.

    ``balance[k]`` is the row of a kind: what sets take of it, less what supplies it, is 0. Whoever owns the
    supply sets the row's bounds or adds columns to it. -1 where there is no such row: no tile, and no joker.

    Args:
        programme: what to add to.
        supply: how many there are of each kind, at most; 52 numbers.
        jokers: how many jokers there are, at most.
        joker_row: takes each joker used with 1.
        worth_row: takes each joker used with the number that it stands for.
        everywhere: give every kind its row, as others have jokers for it.
    """

    def __init__(
        self,
        programme: Programme,
        supply: Sequence[int],
        jokers: int,
        joker_row: int,
        worth_row: int | None = None,
        everywhere: bool = False,
    ) -> None:
        self.programme = programme
        self.supply = supply
        self.jokers = jokers
        self.balance = [programme.row(0, 0) if n or jokers or everywhere else -1 for n in supply]
        self.stand_in: list[tuple[int, int]] = []
        self.groups: list[tuple[tuple[int, ...], int]] = []
        self.starts = [-1] * len(KINDS)
        self.more = [-1] * len(KINDS)
        self.kept: list[Kept] = []
        self._ends = [-1] * len(KINDS)
        if jokers:
            for kind, row in enumerate(self.balance):
                worth = [] if worth_row is None else [(worth_row, KINDS[kind].number)]
                column = programme.column(jokers, [(row, -1), (joker_row, 1), *worth])
                self.stand_in.append((kind, column))
        balance = self.balance
        for group in GROUPS:
            most = self._most(group)
            if most:
                self.groups.append((group, programme.column(most, [(balance[k], 1) for k in group])))
        for run in RUNS:
            self._add_runs(run)

    def _most(self, kinds: Sequence[int]) -> int:
        """How often a set of these kinds can be laid, at most."""
        counts = [self.supply[k] for k in kinds]
        least = min(counts)
        if not self.jokers:
            return least
        while sum([least + 1 - c for c in counts if c <= least]) <= self.jokers:
            least += 1
        return least

    def _add_runs(self, run: range) -> None:
        balance, ends, programme = self.balance, self._ends, self.programme
        for kind in run[LEAST:]:
            if balance[kind] >= 0:
                # The runs of three or more that end just before it, less those laid on, are never below 0.
                ends[kind] = programme.row(0, None)
        for kind in run:
            if ends[kind] >= 0 and self.supply[kind] + self.jokers:
                entries = [(balance[kind], 1), (ends[kind], -1), *self._end(run, kind)]
                self.more[kind] = programme.column(self.supply[kind] + self.jokers, entries)
            if kind + LEAST <= run.stop:
                most = self._most(range(kind, kind + LEAST))
                if most:
                    entries = [(balance[k], 1) for k in range(kind, kind + LEAST)]
                    entries += self._end(run, kind + LEAST - 1)
                    self.starts[kind] = programme.column(most, entries)

    def _end(self, run: range, last: int) -> Entries:
        """The entry of a column that leaves a run ending at ``last``."""
        following = self._ends[last + 1] if last + 1 < run.stop else -1
        return [(following, 1)] if following >= 0 else []

    def keep(self, origin: int | None, reading: SetReading, rows: Iterable[tuple[int, int]], cost: int) -> None:
        """Add a column for a set of the table that stays whole; ``rows`` are further entries.

        No ``origin`` is for one that does not count as whole: some of its jokers were replaced.
        """
        pairs = [(KIND[s], t.is_joker) for t, s in zip(reading.tiles, reading.stands_for, strict=True)]
        if reading.kind == "run":
            pairs.sort()
        places = tuple(kind for kind, _ in pairs)
        jokers = frozenset(i for i, (_, joker) in enumerate(pairs) if joker)
        taken = [*((self.balance[k], 1) for i, k in enumerate(places) if i not in jokers), *rows]
        if reading.kind == "run":
            self._keep_run(origin, places, jokers, taken, cost)
        else:
            self._keep_group(origin, places, jokers, taken, cost)

    def _keep_run(
        self, origin: int | None, places: tuple[int, ...], jokers: frozenset[int], taken: Entries, cost: int
    ) -> None:
        programme = self.programme
        run = RUNS[places[0] // LENGTH]
        column = programme.column(1, [*taken, *self._end(run, places[-1])], cost)
        ahead: list[int] = []
        for kind in (places[0] - 1, places[0] - 2):
            if kind < run.start or self.balance[kind] < 0:
                break
            room = programme.row(0, None)
            programme.entries[ahead[-1] if ahead else column].append((room, 1))
            ahead.append(programme.column(1, [(self.balance[kind], 1), (room, -1)]))
        self.kept.append(Kept(column, origin, "run", places, jokers, ahead=tuple(ahead)))

    def _keep_group(
        self, origin: int | None, places: tuple[int, ...], jokers: frozenset[int], taken: Entries, cost: int
    ) -> None:
        programme = self.programme
        plain = {k for i, k in enumerate(places) if i not in jokers}
        free = LONGEST_GROUP - len(places)
        lacking = [k for k in SAME[places[0] % LENGTH] if k not in plain and self.balance[k] >= 0] if free else []
        column = programme.column(1, taken, cost)
        grown: list[tuple[int, int]] = []
        if lacking:
            room = programme.row(0, None)
            programme.entries[column].append((room, free))
            grown = [(k, programme.column(1, [(self.balance[k], 1), (room, -1)])) for k in lacking]
        self.kept.append(Kept(column, origin, "group", places, jokers, colours=tuple(grown)))

    def lay(self, columns: Sequence[int], others: Iterable[Laid] = ()) -> list[Laid]:
        """The sets that a solution lays, then ``others`` of the same supply; `stand_ins` says for what jokers
        stand in in some of them, `placed` in which.
        """
        sets = [_lay_kept(kept, columns) for kept in self.kept if columns[kept.column]]
        for group, column in self.groups:
            sets += [Laid("group", [*group]) for _ in range(columns[column])]
        for run in RUNS:
            sets += self._lay_runs(run, columns, [s for s in sets if s.kind == "run" and s.places[0] in run])
        return [*sets, *others]

    def stand_ins(self, columns: Sequence[int]) -> list[int]:
        """The kinds that jokers of this supply stand in for, one by one."""
        return [kind for kind, column in self.stand_in for _ in range(columns[column])]

    def _lay_runs(self, run: range, columns: Sequence[int], kept: Sequence[Laid]) -> list[Laid]:
        made: list[Laid] = []
        for kind in run:
            more = columns[self.more[kind]] if self.more[kind] >= 0 else 0
            if more:
                # What is laid on goes to the sets kept first: they grow rather than a new one.
                for laid in [s for s in (*kept, *made) if s.places[-1] == kind - 1][:more]:
                    laid.places.append(kind)
            for _ in range(columns[self.starts[kind]] if self.starts[kind] >= 0 else 0):
                made.append(Laid("run", [kind, kind + 1, kind + 2]))
        return made


def _lay_kept(kept: Kept, columns: Sequence[int]) -> Laid:
    ahead = [kept.places[0] - 1 - i for i, column in enumerate(kept.ahead) if columns[column]]
    grown = [kind for kind, column in kept.colours if columns[column]]
    places = [*reversed(ahead), *kept.places, *grown]
    settled = frozenset(range(len(ahead), len(ahead) + len(kept.places)))
    origins = () if kept.origin is None else (kept.origin,)
    return Laid(kept.kind, places, {i + len(ahead) for i in kept.jokers}, origins, settled)


def placed(sets: Sequence[Laid], stand_ins: Sequence[int]) -> Iterator[list[Laid]]:
    """Every way to put jokers into the sets for the kinds they stand in for, likely lawful ones first.

    A joker offends least in a set that is no old one, and a short one (RULES.md, "the freed joker").
    """
    if not stand_ins:
        yield [*sets]
        return
    kind, rest = stand_ins[0], stand_ins[1:]
    holders = [(i, place) for i, s in enumerate(sets) if (place := s.open_place(kind)) is not None]
    for i, place in sorted(holders, key=lambda h: (len(sets[h[0]].origins), len(sets[h[0]].places))):
        held = replace(sets[i], jokers=sets[i].jokers | {place})
        yield from placed([*sets[:i], held, *sets[i + 1 :]], rest)


def different(ways: Iterable[SetReading]) -> list[SetReading]:
    """Of some readings those that differ in more than which missing colour a group's joker is."""
    kinds = {(w.kind, w.stands_for[0].number if w.kind == "group" else w.stands_for): w for w in ways}
    return [*kinds.values()]
