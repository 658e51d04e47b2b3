"""Moves: the best play from a table and a rack, and whether there is any; exact, and lawful by the judge.

A turn is a whole-number programme (`referee.formulation`), solved with its proof (`referee.solver`), in up to
three stages (`Stage`). The first lets a joker of the table lie anywhere, so nothing is better than its optimum;
mostly the sets with jokers stay as they lie, and then the judge takes it. If he does not, the second leaves
every such set whole: quickly solved, and what reaches the bound of the first is the best. The third lists every
set that may hold a joker of the table with what became of the joker (`referee.table_jokers`); each of its solutions
is shown to the judge and, if refused, excluded. It loses no lawful turn, so the best that the judge takes is the
best there is.

Why this way, measured on mid-game positions (``python tests/bench/bench_moves.py``): with all sets as columns and
the search left to HiGHS it takes 10-18 ms at the median and 300 ms at worst, where this takes 6 and 55; a dynamic
programme over the numbers is as fast on played-out tables but a thousand times slower on full ones, and knows
nothing of a joker's set. Both are twins in the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, StrEnum
from itertools import islice

from referee.documents import DocumentError
from referee.faults import set_faults
from referee.formulation import KIND, KINDS, Laid, Plain, different, placed
from referee.judge import Turn, Verdict, judge
from referee.layout import Layout, TileSet
from referee.results import rack_value
from referee.sets import readings
from referee.sheets import JokerMeld, OpeningTable, Sheet
from referee.situation import Situation
from referee.solver import Programme, maximise
from referee.table_jokers import TableJokers
from referee.tiles import Tile

JOKER = Tile.JOKER
FEW_PLACINGS, ALL_PLACINGS = 4, 1000
"""How many ways to put the jokers into the sets of one solution are shown to the judge: where another
programme follows, and where none does.
"""


class MovesError(DocumentError):
    """A position that cannot be; the text names the place in it and what is wrong there."""


class Objective(StrEnum):
    """What the best play has most of: tiles laid, or what they would cost if left on the rack."""

    TILES = "tiles"
    POINTS = "points"


@dataclass(frozen=True, slots=True)
class Position:
    """A player's turn before it is played: a legal table, the tiles held, the sheet, whether he has opened."""

    table: Layout
    rack: TileSet
    sheet: Sheet
    opened: bool = True


@dataclass(frozen=True, slots=True)
class Play:
    """The best play. If there is none, ``played`` is empty and ``table`` the table as it lay.

    ``disturbed`` are the places of the table's sets that did not stay whole; ``points`` what the tiles laid
    would have cost on the rack; ``meld`` the worth of an opening; ``optimal`` whether it is proven that nothing
    is better (and, with nothing played, that nothing can be); ``programmes`` how many linear ones that took.
    """

    played: TileSet
    table: Layout
    objective: Objective
    optimal: bool
    points: int
    disturbed: tuple[int, ...]
    meld: int | None
    programmes: int

    @property
    def playable(self) -> bool:
        """Whether any tile can be laid."""
        return bool(self.played)


def best_play(position: Position, objective: Objective = Objective.TILES, most_nodes: int = 20_000) -> Play:
    """The play with the most tiles, or points; of those, one that disturbs the fewest sets.

    A set is disturbed if it does not stay whole, its jokers where they are; it may grow. A player who has not
    opened makes the initial meld, from the rack alone (RULES.md, "initial meld"), and goes on as the sheet allows.

    Raises:
        MovesError: if the position cannot be (an illegal table, an unread tile, more copies than the box holds).

    >>> from referee.sheets import load
    >>> now = Position(Layout.parse("b6 j b8"), Layout.parse("b7 r10 r11").sets[0], load("classic"))
    >>> str(best_play(now).table)
    'b6 b7 b8 | j r10 r11'
    """
    check(position)
    return _search(position, objective, None, most_nodes)


def any_play(position: Position, most_nodes: int = 20_000) -> Play:
    """Some lawful play, or none with the proof that there is none (``optimal``); faster than the best.

    Raises:
        MovesError: as `best_play`.
    """
    check(position)
    return _search(position, Objective.TILES, 1, most_nodes)


def who_can_play(
    table: Layout, racks: Mapping[str, TileSet], sheet: Sheet, opened: Collection[str]
) -> dict[str, Play]:
    """Some lawful play of every player, by name: is anybody really blocked?

    All are blocked, and the game is over (RULES.md, "pool empty"), if no play is ``playable`` and every one is
    ``optimal``. ``opened`` names the players who have made the initial meld.

    Raises:
        MovesError: as `best_play`, with the player before the place, or if all racks and the table together
            hold more copies than the box.

    >>> from referee.sheets import load
    >>> racks = {"A": Layout.parse("b9").sets[0], "B": Layout.parse("k1").sets[0]}
    >>> plays = who_can_play(Layout.parse("b6 b7 b8"), racks, load("classic"), racks)
    >>> {name: play.playable for name, play in plays.items()}
    {'A': True, 'B': False}
    """
    there = table.tiles
    for name, rack in racks.items():
        for i, tile in enumerate(rack):
            there[tile] += 1
            most = sheet.jokers if tile.is_joker else sheet.copies
            if tile.readable and there[tile] > most:
                raise MovesError(f"{name}.rack[{i}]", f"{tile} number {there[tile]}; the box holds {most}")
    plays = {}
    for name, rack in racks.items():
        try:
            plays[name] = any_play(Position(table, rack, sheet, name in opened))
        except MovesError as error:
            raise error.within(name) if error.place.startswith("rack") else error from None
    return plays


def check(position: Position) -> None:
    """Refuse a position that cannot be. Raises `MovesError` that names the place."""
    sheet = position.sheet
    seen: Counter[Tile] = Counter()
    places = [(f"table[{i}][{j}]", t) for i, row in enumerate(position.table.sets) for j, t in enumerate(row)]
    for place, tile in [*places, *((f"rack[{i}]", t) for i, t in enumerate(position.rack))]:
        if not tile.readable:
            raise MovesError(place, f"{tile} is not read; say what it is")
        seen[tile] += 1
        most = sheet.jokers if tile.is_joker else sheet.copies
        if seen[tile] > most:
            raise MovesError(place, f"{tile} number {seen[tile]}; the box holds {most}")
    for i, row in enumerate(position.table.sets):
        for fault in set_faults(row):
            raise MovesError(f"table[{i}]", f"the table is not legal: {fault.message}")


def _search(position: Position, objective: Objective, tiles_enough: int | None, most_nodes: int) -> Play:
    best = Play((), position.table, objective, True, 0, (), None, 0)
    nodes, reached, proven = 0, -1, True
    enough: int | None = None
    for stage in Stage:
        # Where any play will do, nobody asks which sets it disturbs.
        model = _Model(position, objective, tiles_enough is None, stage)
        if tiles_enough is not None:
            enough = tiles_enough * model.unit
        found = maximise(
            model.programme,
            accept=(lambda columns: True) if stage is Stage.LOOSE else model.lawful,
            enough=enough,
            above=reached,
            most_nodes=max(1, most_nodes - nodes),
            decisive=model.decisive,
        )
        nodes += found.nodes
        proven = found.proven and model.complete
        play = None
        if found.columns is not None and model.played(found.columns):
            play = model.play(found.columns, True, nodes)
        if stage is Stage.LOOSE:
            if found.columns is None or not model.played(found.columns) or play is not None:
                best = play or best
                break
            # No lawful turn is better than this, so one as good is the best.
            enough = found.objective if proven else None
        elif play is not None:
            best, reached, proven = play, found.objective, proven and stage is Stage.LISTED
            if enough is not None and reached >= enough:
                proven = True
                break
    return replace(best, optimal=proven, programmes=nodes)


class Stage(Enum):
    """Where the jokers of the table may lie in a programme: anywhere (no lawful turn is lost, but others come
    in), in their sets only (some are lost), where the sheet lets them.
    """

    LOOSE = 1
    KEPT = 2
    LISTED = 3


class _Model:
    """One turn as a programme."""

    def __init__(self, position: Position, objective: Objective, gentle: bool, stage: Stage) -> None:
        ruled = stage is not Stage.LOOSE
        self.position, self.objective = position, objective
        self.placings = ALL_PLACINGS if ruled else FEW_PLACINGS
        sheet, self.before = position.sheet, position.table.sets
        self.apart = not position.opened and sheet.opening_table is OpeningTable.UNTOUCHED
        rows = () if self.apart else self.before
        on_table, table = _counts(t for row in rows for t in row)
        on_rack, rack = _counts(position.rack)
        # A set kept whole counts 1; one tile, or point, more outweighs them all. Those with a joker always
        # count, as the judge asks nothing of a set that stays as it lies.
        kept_cost = [int(gentle or JOKER in row) for row in rows]
        self.unit = 1 + sum(kept_cost)
        self.programme = programme = Programme()
        table_row = programme.row(on_table, on_table)
        rack_row = programme.row(0, 0) if ruled else table_row
        keep_rows = tuple(programme.row(0, 1) for _ in rows)
        worth_row = None if position.opened else programme.row(sheet.initial_meld, None)
        joker_worth_row = None if sheet.joker_meld is JokerMeld.NOTHING else worth_row
        free = ruled and not (sheet.freed_new_set or sheet.freed_rack_tiles)
        loose = on_rack + (on_table if free or not ruled else 0)
        supply = [a + b for a, b in zip(table, rack, strict=True)]
        worth = joker_worth_row if self.apart else None
        plain = Plain(programme, supply, loose, rack_row, worth, everywhere=ruled and on_table > 1)
        for row, count in zip(plain.balance, table, strict=True):
            if count:
                programme.row_lower[row] = programme.row_upper[row] = count
        by_points = objective is Objective.POINTS
        # What is laid is summed up in one column. Branching on it first keeps what is kept whole out of the
        # proof that no more can be laid.
        sum_row = programme.row(0, 0)
        self.laid = {
            k: programme.column(n, [(plain.balance[k], -1), (sum_row, KINDS[k].number if by_points else 1)])
            for k, n in enumerate(rack)
            if n
        }
        self.laid_jokers: int | None = None
        if on_rack:
            worth = sheet.joker_on_rack if by_points else 1
            self.laid_jokers = programme.column(on_rack, [(rack_row, -1), (sum_row, worth)])
        most = rack_value(sheet, position.rack) if by_points else len(position.rack)
        programme.first.append([programme.column(most, [(sum_row, -1)], self.unit)])
        self.plain = plain
        self.meld: Plain | None = None
        if worth_row is not None:
            meld = self.laid if self.apart else self._add_meld(rack, on_rack, plain, rack_row, joker_worth_row)
            for kind, column in meld.items():
                programme.entries[column].append((worth_row, KINDS[kind].number))
        for i, tiles in enumerate(rows):
            if JOKER not in tiles and kept_cost[i]:
                plain.keep(i, readings(tiles)[0], [(keep_rows[i], 1)], 1)
        self.jokers: TableJokers | None = None
        self.complete = True
        if ruled and not self.apart:
            spent = {k: programme.row(0, None) for k in self.laid}
            for kind, row in spent.items():
                programme.entries[self.laid[kind]].append((row, 1))
            now = Situation(
                sheet, rows, table, rack, on_table, on_rack, table_row, rack_row, keep_rows, self.laid, spent
            )
            self.jokers = TableJokers(programme, plain, now, 1, listed=stage is Stage.LISTED)
            self.complete = now.complete
            programme.first.append(self.jokers.columns)
        elif on_table:
            for i, tiles in enumerate(rows):
                for reading in different(readings(tiles)) if JOKER in tiles else ():
                    plain.keep(i, reading, [(rack_row, tiles.count(JOKER)), (keep_rows[i], 1)], 1)

    def _add_meld(
        self, rack: Sequence[int], jokers: int, plain: Plain, rack_row: int, worth_row: int | None
    ) -> dict[int, int]:
        """The sets of the initial meld where the table may be used in the same turn: from the rack alone."""
        programme = self.programme
        meld_row = programme.row(0, 0)
        meld = Plain(programme, rack, jokers, meld_row, worth_row)
        self.meld = meld

        def column(count: int, laid: int, mine: int, others: int) -> int:
            # What lies in the meld is laid, and is not there for the other sets.
            room = programme.row(0, None)
            programme.entries[laid].append((room, 1))
            return programme.column(count, [(mine, -1), (others, 1), (room, -1)])

        if self.laid_jokers is not None:
            column(jokers, self.laid_jokers, meld_row, rack_row)
        return {k: column(rack[k], c, meld.balance[k], plain.balance[k]) for k, c in self.laid.items()}

    def decisive(self, columns: Sequence[int]) -> Sequence[int]:
        """The columns on which the judge's word on a solution can depend: where jokers lie, and what is laid."""
        if self.jokers is None or self.meld is not None:
            return range(len(columns))
        laid = [] if self.laid_jokers is None else [self.laid_jokers]
        stand_in = (c for _, c in self.plain.stand_in if columns[c])
        return [*self.jokers.decisive(columns), *laid, *stand_in, *self.laid.values()]

    def played(self, columns: Sequence[int]) -> TileSet:
        """The rack tiles that a solution lays."""
        jokers = 0 if self.laid_jokers is None else columns[self.laid_jokers]
        return (*[JOKER] * jokers, *(KINDS[k] for k, c in self.laid.items() for _ in range(columns[c])))

    def lawful(self, columns: Sequence[int]) -> bool:
        """Whether the judge takes a solution; laying nothing is no play, and no fault either."""
        return not self.played(columns) or self.play(columns, True, 0) is not None

    def play(self, columns: Sequence[int], proven: bool, nodes: int) -> Play | None:
        """A solution as the judge takes it, None if he does not, wherever its jokers are put."""
        others = () if self.jokers is None else self.jokers.lay(columns)
        sets, kinds = self.plain.lay(columns, others), self.plain.stand_ins(columns)
        for main in islice(placed(sets, kinds), self.placings):
            # The jokers of a meld are from the rack, like all of it; where in it they lie is no matter.
            meld = [] if self.meld is None else self.meld.lay(columns)
            whole = [*main, *next(placed(meld, [] if self.meld is None else self.meld.stand_ins(columns)))]
            after = Layout(self._layout(whole))
            turn = Turn(self.position.table, after, (), self.position.opened, self.position.rack)
            verdict = judge(turn, self.position.sheet)
            if verdict.legal:
                return self._play(columns, whole, verdict, proven, nodes)
        return None

    def _play(
        self, columns: Sequence[int], sets: Sequence[Laid], verdict: Verdict, proven: bool, nodes: int
    ) -> Play:
        kept = {origin for laid in sets for origin in laid.origins}
        disturbed = () if self.apart else tuple(i for i in range(len(self.before)) if i not in kept)
        played = self.played(columns)
        points = rack_value(self.position.sheet, played)
        return Play(played, verdict.after, self.objective, proven, points, disturbed, verdict.meld, nodes)

    def _layout(self, sets: Iterable[Laid]) -> tuple[TileSet, ...]:
        """The sets as rows: those kept whole first, where they lay and as they lay, then the new ones."""
        rows: dict[int, list[TileSet]] = {i: [row] for i, row in enumerate(self.before if self.apart else ())}
        new: list[TileSet] = []
        for laid in sorted(sets, key=lambda s: (s.kind, s.places)):
            if not laid.origins:
                new.append(laid.tiles)
                continue
            first = min(laid.origins)
            old = self.before[first]
            tiles = old if sorted(old) == sorted(laid.tiles) else laid.tiles
            plain = [t.number for t in old if not t.is_joker]
            backwards = laid.kind == "run" and tiles is not old and plain[:1] > plain[-1:]
            rows.setdefault(first, []).append(tiles[::-1] if backwards else tiles)
        return (*(row for i in sorted(rows) for row in rows[i]), *new)


def _counts(tiles: Iterable[Tile]) -> tuple[int, list[int]]:
    """How many jokers some tiles have, and how many of each kind."""
    jokers, counts = 0, [0] * len(KINDS)
    for tile in tiles:
        if tile.is_joker:
            jokers += 1
        else:
            counts[KIND[tile]] += 1
    return jokers, counts
