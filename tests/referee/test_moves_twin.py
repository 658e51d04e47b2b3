"""The best play against two twins: every table there can be, shown to the judge, and a search number by number.

`MOVES_POSITIONS` sets how many random small positions a sheet are compared, `MOVES_SEED` where they start.
"""

from __future__ import annotations

import itertools
import os
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import highspy
import pytest

from referee.judge import Turn, judge
from referee.layout import Layout, TileSet
from referee.moves import Objective, Position, any_play, best_play
from referee.results import rack_value
from referee.sets import readings
from referee.sheets import Sheet, from_mapping, load
from referee.tiles import COLOURS, Tile

POSITIONS = int(os.environ.get("MOVES_POSITIONS", "8"))
SEED = int(os.environ.get("MOVES_SEED", "1"))
MOST_TILES = 11
JOKER = Tile.JOKER

SHEETS = {
    "classic": load("classic"),
    "sabra-1985": load("sabra-1985"),
    "casino-sabra": load("casino-sabra"),
    "six-player": load("six-player"),
    "tournament": from_mapping({"name": "tournament", "base": "sabra-1985", "freed_group_both": True}),
    "both": from_mapping({"name": "both", "freed_group_both": True}),
    "loose": from_mapping({"name": "loose", "freed_new_set": False}),
    "by-rack": from_mapping({"name": "by-rack", "freed_by": "tile-from-rack", "freed_new_set": False}),
    "grow": from_mapping({"name": "grow", "joker_sets": "grow", "freed_rack_tiles": 1}),
    "grow-loose": from_mapping({"name": "grow-loose", "joker_sets": "grow", "freed_new_set": False}),
    "joined": from_mapping({"name": "joined", "joker_sets": "grow", "freed_new_set": False, "freed_rack_tiles": 1}),
    "joined-by-rack": from_mapping(
        {"name": "joined-by-rack", "base": "sabra-1985", "freed_new_set": False, "freed_rack_tiles": 1}
    ),
    "low": from_mapping({"name": "low", "initial_meld": 9, "opening_table": "after-meld", "joker_meld": "nothing"}),
}


# --- every table there can be


def rows_with(tile: Tile, have: Counter[Tile]) -> set[TileSet]:
    """Every row that is a set, holds a tile that is no joker and takes no more than there is."""
    jokers = have[JOKER]
    rows: set[TileSet] = set()
    others = [Tile(c, tile.number) for c in COLOURS if c != tile.colour]
    for size in range(4):
        for chosen in itertools.combinations(others, size):
            if all(have[t] for t in chosen):
                for held in range(jokers + 1):
                    if 3 <= 1 + size + held <= 4:
                        rows.add((tile, *chosen, *[JOKER] * held))
    for low in range(1, tile.number + 1):
        for high in range(max(low + 2, tile.number), 14):
            run = [Tile(tile.colour, n) for n in range(low, high + 1)]
            lacking = {i for i, t in enumerate(run) if not have[t]}
            there = [i for i, t in enumerate(run) if have[t] and t != tile]
            for more in range(jokers - len(lacking) + 1):
                for extra in itertools.combinations(there, more):
                    rows.add(tuple(JOKER if i in lacking or i in extra else t for i, t in enumerate(run)))
    return rows


def tables(have: Counter[Tile]) -> Iterator[tuple[TileSet, ...]]:
    """Every way to lay all of some tiles as sets."""
    first = min((t for t in have if have[t] and t != JOKER), default=None)
    if first is None:
        if have[JOKER] in (0, 3, 4):
            yield ((JOKER,) * have[JOKER],) if have[JOKER] else ()
        return
    for row in sorted(rows_with(first, have)):
        for rest in tables(have - Counter(row)):
            yield (row, *rest)


def keeps(row: TileSet, old: TileSet) -> bool:
    """Whether a row holds all of a set, its jokers for what they stood for."""
    if Counter(old) - Counter(row):
        return False
    return JOKER not in old or any(
        a.kind == b.kind
        and (
            a.stands_for[0].number == b.stands_for[0].number
            if a.kind == "group"
            else not Counter(b.jokers) - Counter(a.jokers)
        )
        for a in readings(row)
        for b in readings(old)
    )


def kept(rows: tuple[Counter[Tile], ...], whole: tuple[TileSet, ...], before: tuple[TileSet, ...]) -> int:
    """How many of the sets before lie whole in rows after, each tile for one of them."""
    if not before:
        return 0
    old, rest = before[0], before[1:]
    most = kept(rows, whole, rest)
    for i, row in enumerate(rows):
        if keeps(whole[i], old) and not Counter(old) - row:
            left = (*rows[:i], row - Counter(old), *rows[i + 1 :])
            most = max(most, 1 + kept(left, whole, rest))
    return most


def every_play(position: Position) -> tuple[int, int, int]:
    """The most tiles, the fewest sets disturbed with them, and the most points, by trying everything."""
    rack = Counter(position.rack)
    best, whole, points = 0, 0, 0
    seen: set[tuple[TileSet, ...]] = set()
    for counts in itertools.product(*(range(n + 1) for n in rack.values())):
        laid = Counter(dict(zip(rack, counts, strict=True)))
        worth = rack_value(position.sheet, laid.elements())
        if not laid.total() or (laid.total() < best and worth <= points):
            continue
        for rows in tables(position.table.tiles + laid):
            key = tuple(sorted(rows))
            if key in seen:
                continue
            seen.add(key)
            turn = Turn(position.table, Layout(rows), (), position.opened, position.rack)
            if judge(turn, position.sheet).legal:
                stay = kept(tuple(map(Counter, rows)), rows, position.table.sets)
                points = max(points, worth)
                best, whole = max((best, whole), (laid.total(), stay))
    return best, len(position.table) - whole if best else 0, points


def small_position(rng: random.Random, sheet: Sheet) -> Position:
    """A table of up to three sets, jokers likely, and a rack that fits; few numbers, so that much can be done."""
    low = rng.randint(1, 10)
    numbers = range(low, low + rng.randint(3, 4))
    colours = rng.sample(COLOURS, rng.randint(2, 4))
    have = Counter([Tile(c, n) for c in colours for n in numbers] * sheet.copies + [JOKER] * min(2, sheet.jokers))
    table: list[TileSet] = []
    for _ in range(rng.randint(0, 3)):
        first = rng.choice(sorted(t for t in have if have[t] and t != JOKER))
        rows = sorted(r for r in rows_with(first, have) if len(r) <= 5)
        with_joker = [r for r in rows if JOKER in r]
        rows = with_joker if with_joker and rng.random() < 0.6 else rows
        if rows:
            row = rng.choice(rows)
            have -= Counter(row)
            table.append(row if rng.random() < 0.8 else row[::-1])
    rest = sorted(have.elements())
    rng.shuffle(rest)
    held = rng.randint(1, max(1, min(6, MOST_TILES - sum(map(len, table)))))
    return Position(Layout(tuple(table)), tuple(rest[:held]), sheet, rng.random() < 0.75)


def joker_position(rng: random.Random, sheet: Sheet) -> Position:
    """Two sets with jokers, and a rack with tiles that the jokers stand for."""
    low = rng.randint(1, 9)
    colours = rng.sample(COLOURS, rng.randint(2, 3))
    jokers = min(sheet.jokers, 3)
    have = Counter([Tile(c, n) for c in colours for n in range(low, low + 4)] * 2 + [JOKER] * jokers)
    table: list[TileSet] = []
    for _ in range(2):
        tiles = [t for t in sorted(have) if have[t] and t != JOKER]
        rows = sorted(r for t in tiles for r in rows_with(t, have) if JOKER in r and len(r) <= 4)
        if rows:
            table.append(rng.choice(rows))
            have -= Counter(table[-1])
    wanted = [t for row in table for way in readings(row) for t in way.jokers]
    rng.shuffle(wanted)
    rack: list[Tile] = []
    for tile in wanted[:3]:
        if have[tile]:
            rack.append(tile)
            have[tile] -= 1
    rest = sorted(t for t in have.elements() if t != JOKER)
    rng.shuffle(rest)
    rack += rest[: max(0, MOST_TILES - sum(map(len, table)) - len(rack))]
    return Position(Layout(tuple(table)), tuple(rack), sheet)


def compare(position: Position, shown: str) -> None:
    most, disturbed, points = every_play(position)
    best, dearest, some = best_play(position), best_play(position, Objective.POINTS), any_play(position)
    shown = f"{shown}: {position.table} / {' '.join(map(str, position.rack))} {position.opened}"
    assert (len(best.played), dearest.points) == (most, points), shown
    assert (len(best.disturbed), best.optimal, dearest.optimal) == (disturbed, True, True), shown
    assert (some.playable, some.optimal) == (most > 0, True), shown


@pytest.mark.parametrize("name", SHEETS)
def test_as_good_as_trying_everything(name: str) -> None:
    compared = 0
    for at in itertools.count():
        position = small_position(random.Random(f"{name} {SEED} {at}"), SHEETS[name])
        if position.table.tiles.total() + len(position.rack) > MOST_TILES:
            continue
        compare(position, f"{name} {SEED} {at}")
        compared += 1
        if compared == POSITIONS:
            break


@pytest.mark.parametrize("name", SHEETS)
def test_as_good_as_trying_everything_with_two_sets_of_jokers(name: str) -> None:
    for at in range(-(-POSITIONS // 4)):
        compare(joker_position(random.Random(f"{name} {SEED} {at}"), SHEETS[name]), f"{name} {SEED} {at}")


@pytest.mark.parametrize(
    ("name", "table", "rack", "opened"),
    [
        # jokers alone are a set, and make nothing old
        ("six-player", "j j j", "r4 r5 b8 b9", True),
        ("six-player", "j j j | r3 r4 r5", "r6 k1", True),
        # the joker of a group of three, by both missing colours
        ("both", "r5 b5 j", "k5 o5 r10 r11", True),
        ("both", "r5 b5 j", "k5 r10 r11", True),
        ("both", "r5 b5 j | k5 k6 k7 k8", "o5 r10 r11", True),
        ("tournament", "r5 b5 j", "k5 o5 r10 r11", True),
        ("tournament", "r5 b5 j", "k5 r10 r11", True),
        # a joker in the initial meld, and one that is freed in the same turn
        ("sabra-1985", "r3 r4 r5", "j r13 k13 o13 r6 b6", False),
        ("sabra-1985", "r3 j r5", "r13 k13 o13 b13 r4 b6 b7", False),
        ("low", "r3 j r5", "j r4 b4 k4 o4", False),
        # a freed joker joins a set that keeps its own and only grows
        ("joined", "r3 j r5 | b8 k8 j", "o8 r2 b1", True),
        ("joined-by-rack", "r3 j r5 | b8 k8 j", "o8 r2 b1", True),
        ("joined-by-rack", "r3 j r5 | b8 k8 j", "o8 r7 r8", True),
        ("joined-by-rack", "r3 j j | b3 k3 r3", "r4 r6 r8", True),
        ("joined", "r3 j r5 r6", "r1 b6", True),
        # one of two jokers leaves such a set, and nothing takes its place
        ("grow", "b6 b5 j j | b4 b5 b6", "o6 o6 o4", True),
        ("grow", "r5 j j", "r4 b9 b8", True),
        ("grow-loose", "b6 b5 j j | k4 k5 k6", "o6 o4", True),
        # … of the same set, which holds two
        ("joined", "r3 j j", "r4 r7 b1", True),
        ("joined-by-rack", "j r3 j", "r4 r5 b4", True),
    ],
)
def test_cases_tried_out_in_full(name: str, table: str, rack: str, opened: bool) -> None:
    held = tuple(map(Tile.parse, rack.split()))
    compare(Position(Layout.parse(table), held, SHEETS[name], opened), name)


# --- number by number


@cache
def group_takes(most: int) -> tuple[tuple[int, ...], ...]:
    """How many tiles of each colour up to so many groups of one number take."""
    groups = [g for g in itertools.product((0, 1), repeat=4) if sum(g) >= 3]
    found = {(0, 0, 0, 0)}
    for _ in range(most):
        found |= {tuple(a + b for a, b in zip(f, g, strict=True)) for f in found for g in groups}
    return tuple(sorted(found))


@cache
def run_steps(open_runs: tuple[int, ...], tiles: int) -> frozenset[tuple[int, ...]]:
    """Open runs of one colour (lengths, 3 for three or more) after so many tiles of the next number."""
    found = set()
    for going in set(itertools.combinations(range(len(open_runs)), min(tiles, len(open_runs)))) if tiles else {()}:
        for count in range(len(going) + 1):
            for chosen in itertools.combinations(going, count):
                if all(n == 3 for i, n in enumerate(open_runs) if i not in chosen):
                    grown = [min(3, open_runs[i] + 1) for i in chosen]
                    found.add(tuple(sorted(grown + [1] * (tiles - count))))
    return frozenset(found)


def most_by_numbers(table: Counter[Tile], rack: Counter[Tile]) -> int:
    """The most rack tiles that can be laid with all of the table, jokers anywhere: number after number."""
    jokers = table[JOKER] + rack[JOKER]
    states: dict[tuple[tuple[tuple[int, ...], ...], int], int] = {(((),) * 4, 0): 0}
    for number in range(1, 14):
        following: dict[tuple[tuple[tuple[int, ...], ...], int], int] = {}
        for (runs, used), laid in states.items():
            for takes in group_takes(3):
                partial: dict[tuple[tuple[tuple[int, ...], ...], int], int] = {((), used): laid}
                for c, colour in enumerate(COLOURS):
                    tile = Tile(colour, number)
                    grown: dict[tuple[tuple[tuple[int, ...], ...], int], int] = {}
                    for (done, spent), count in partial.items():
                        for more in range(rack[tile] + 1):
                            for stand_ins in range(jokers - spent + 1):
                                rest = table[tile] + more + stand_ins - takes[c]
                                if rest < 0:
                                    continue
                                for after in run_steps(runs[c], rest):
                                    key = ((*done, after), spent + stand_ins)
                                    grown[key] = max(grown.get(key, -1), count + more)
                    partial = grown
                for key, count in partial.items():
                    following[key] = max(following.get(key, -1), count)
        states = following
    found = [
        laid + used - table[JOKER]
        for (runs, used), laid in states.items()
        if used >= table[JOKER] and all(n == 3 for lengths in runs for n in lengths)
    ]
    return max(found, default=0)


# --- all sets as columns


def most_by_sets(table: Counter[Tile], rack: Counter[Tile]) -> int:
    """The most rack tiles that can be laid with all of the table, jokers anywhere: a column for each set.

    Runs of six and more are two shorter ones. Left to HiGHS' own search; -1 if even the table cannot be laid.
    """
    have = table + rack
    kinds = sorted(have)
    row_of = {t: i for i, t in enumerate(kinds)}
    rows = {
        tuple(sorted(Counter(r).items()))
        for t in kinds
        if t != JOKER
        for r in rows_with(t, have)
        if len(r) <= 5 and not Counter(r) - have
    }
    sets = sorted(rows)
    highs = Silent()
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("presolve", "off")
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(sets), len(kinds)
    lp.col_cost_ = [-float(sum(n for _, n in row)) for row in sets]
    lp.col_lower_, lp.col_upper_ = [0.0] * len(sets), [3.0] * len(sets)
    lp.row_lower_ = [float(table[t]) for t in kinds]
    lp.row_upper_ = [float(have[t]) for t in kinds]
    lp.integrality_ = [highspy.HighsVarType.kInteger] * len(sets)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = [0, *itertools.accumulate(map(len, sets))]
    lp.a_matrix_.index_ = [row_of[t] for row in sets for t, _ in row]
    lp.a_matrix_.value_ = [float(n) for row in sets for _, n in row]
    highs.passModel(lp)
    highs.run()
    if highs.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return -1
    return round(-highs.getInfo().objective_function_value) - table.total()


class Silent(highspy.Highs):
    """HiGHS without its banner."""

    def enableCallbacks(self) -> None:  # noqa: N802 (the base class's name)
        self.setOptionValue("output_flag", False)


def full_position(rng: random.Random, sets: int, rack: int, jokers: int = 2) -> Position:
    """A table of so many sets taken at random from the box, and a rack from what is left."""
    have = Counter({Tile(c, n): 2 for c in COLOURS for n in range(1, 14)} | {JOKER: jokers})
    table: list[TileSet] = []
    for _ in range(1000):
        first = rng.choice(sorted(t for t in have if have[t] and t != JOKER))
        rows = sorted(r for r in rows_with(first, have) if len(r) <= 6)
        if rows:
            table.append(rng.choice(rows))
            have -= Counter(table[-1])
        if len(table) == sets:
            break
    return Position(Layout(tuple(table)), tuple(rng.sample(sorted(have.elements()), rack)), load("classic"))


@pytest.mark.parametrize("seed", range(12))
def test_as_good_as_all_sets_as_columns_on_full_tables(seed: int) -> None:
    rng = random.Random(seed)
    position = full_position(rng, rng.randint(9, 18), rng.choice((6, 14, 20)), rng.choice((0, 2)))
    play = best_play(position)
    # There the jokers may lie anywhere; in these positions the sheet takes nothing away.
    most = most_by_sets(position.table.tiles, Counter(position.rack))
    assert (len(play.played), play.optimal) == (most, True)
    assert any_play(position).playable is (most > 0)


@pytest.mark.parametrize("name", ["casino-sabra", "sabra-1985", "tournament"])
def test_both_jokers_freed_on_a_full_table(name: str) -> None:
    """Whatever lists are made for two freed jokers, the play is lawful and no worse than with one that stays."""
    rows = "o3 o4 o5 j o7 o8 | b2 b3 j | b3 b4 b5 b6 b7 | r1 r2 r3 r4 r5 r6 | o1 o2 o3 o4 o5 | k5 k6 k7 k8 k9 k10"
    rows += " | k1 k2 k3 k4 | o8 o9 o10 | r10 k10 b10 | k7 b7 o7 | o13 k13 b13 r13 | b8 b9 b10 b11"
    rack = Layout.parse("k6 b1 o11 o10 o6 r5 b6 r3 b4 r8 r11 k2 k11 o11").sets[0]
    position = Position(Layout.parse(rows), rack, SHEETS[name])
    play = best_play(position)
    assert play.optimal
    assert judge(Turn(position.table, play.table, (), True, rack), position.sheet).legal
    assert any_play(position).playable
    without = Counter(rack) - Counter(Layout.parse("b1 b4 o6").sets[0])
    fewer = best_play(Position(position.table, tuple(without.elements()), position.sheet))
    assert len(fewer.played) <= len(play.played) <= most_by_sets(position.table.tiles, Counter(rack))


@pytest.mark.parametrize(("seed", "sets", "rack", "jokers"), [(1, 3, 8, 1), (2, 6, 10, 0), (3, 8, 12, 0)])
def test_as_good_as_number_by_number(seed: int, sets: int, rack: int, jokers: int) -> None:
    position = full_position(random.Random(seed), sets, rack, jokers)
    most = most_by_numbers(position.table.tiles, Counter(position.rack))
    assert len(best_play(position).played) == most
    assert most_by_sets(position.table.tiles, Counter(position.rack)) == most
