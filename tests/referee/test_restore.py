"""Putting a table back: against a search through all move sequences, and what a person sees on the table."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.layout import Layout
from referee.restore import Restoration, Spot, order_matters, restore
from referee.snapshot import Placed, Snapshot, SnapshotError
from referee.tiles import ALL_TILES, Tile

# --- the twin: written from the definition of "same" and "move", without matchings -------------------------


def meaning(row: tuple[str, ...]) -> tuple[str, ...]:
    """One value for all rows that are the same set."""
    numbers = sorted(int(t[1:]) for t in row if t != "j")
    colours = {t[0] for t in row if t != "j"}
    if "j" in row and len(colours) == 1 and len(set(numbers)) == len(numbers):
        stretches = [
            low for low in range(1, 15 - len(row)) if all(low <= n < low + len(row) for n in numbers)
        ]
        if len(stretches) > 1:
            return min(row, row[::-1])
    return tuple(sorted(row))


def fewest_moves(before: list[list[str]], now: list[list[str]]) -> int:
    """Breadth first through all tables, a move at a time; tiles that were not there vanish at no cost."""
    goal = tuple(sorted(meaning(tuple(row)) for row in before))
    wanted = Counter(t for row in before for t in row)
    start = tuple(sorted(tuple(row) for row in now if row))
    frontier, seen, moves = {start}, {start}, 0
    while frontier:
        # At no cost: any tile of a kind of which too many lie there goes to the rack.
        queue = list(frontier)
        while queue:
            table = queue.pop()
            lying = Counter(t for row in table for t in row)
            for i, row in enumerate(table):
                for j, tile in enumerate(row):
                    if lying[tile] > wanted[tile]:
                        rest = (*table[:i], row[:j] + row[j + 1 :], *table[i + 1 :])
                        after = tuple(sorted(r for r in rest if r))
                        if after not in seen:
                            seen.add(after)
                            frontier.add(after)
                            queue.append(after)
        if any(tuple(sorted(meaning(row) for row in table)) == goal for table in frontier):
            return moves
        moves += 1
        following = set()
        for table in frontier:
            for i, row in enumerate(table):
                for j, tile in enumerate(row):
                    rest = [*table[:i], row[:j] + row[j + 1 :], *table[i + 1 :]]
                    rest = [r for r in rest if r]
                    options = [[*rest, (tile,)]]
                    for k, other in enumerate(rest):
                        options += [
                            [*rest[:k], (*other[:at], tile, *other[at:]), *rest[k + 1 :]]
                            for at in range(len(other) + 1)
                        ]
                    for option in options:
                        after = tuple(sorted(option))
                        if after not in seen:
                            seen.add(after)
                            following.add(after)
        frontier = following
    raise AssertionError("the search ended without the table")


def scattered(rng: random.Random, rows: list[list[str]]) -> list[list[str]]:
    """The same tiles in other rows: some rows kept, some cut, some tiles lifted and laid elsewhere."""
    now = [row[:] for row in rows]
    for _ in range(rng.randint(0, 4)):
        source = rng.choice([row for row in now if row])
        tile = source.pop(rng.randrange(len(source)))
        target = rng.choice([*now, []])
        if target == []:
            now.append([tile])
        else:
            target.insert(rng.randint(0, len(target)), tile)
    rng.shuffle(now)
    return [row[::-1] if rng.random() < 0.3 else row for row in now if row]


TABLES = [
    "r3 r4 r5 | r5 b5 k5",
    "r3 r4 j",
    "j r3 r4 | r4",
    "r9 j j | r9",
    "r3 j r5 | b3",
    "b6 b7 b8 | b7",
    "r9 k9 o9 | r9 k9",
    "r12 r13 j | k1",
    "r1 r1 | r1",
    "k1 k2 k3 j | j",
    "j j | r2",
]


@pytest.mark.parametrize("text", TABLES)
def test_as_few_moves_as_an_exhaustive_search(text: str) -> None:
    rng = random.Random(text)
    before = [row.split() for row in text.split(" | ")]
    for _ in range(12):
        now = scattered(rng, before)
        if rng.random() < 0.4:
            rng.choice(now).insert(0, rng.choice(["r5", "o9", "j"]))
        way = restore(Layout.of(before), Layout.of(now))
        assert len(way.steps) == fewest_moves(before, now), (before, now)
        check_done(before, now, way)


def check_done(before: list[list[str]], now: list[list[str]], way: Restoration) -> None:
    """Doing the steps one by one gives the snapshot, and no step waits for a later one."""
    for step in way.steps:
        assert now[step.source.set][step.source.index] == str(step.tile)
        assert before[step.target.set][step.target.index] == str(step.tile)
    lifted = {step.source for step in way.steps}
    assert len(lifted) == len(way.steps) and not lifted & set(way.rack_spots)
    leaving = lifted | set(way.rack_spots)
    stays: dict[int, list[str]] = {
        i: [t for j, t in enumerate(row) if Spot(i, j) not in leaving] for i, row in enumerate(now)
    }
    built: dict[int, list[str]] = {}
    laid: set[Spot] = set()
    for step in way.steps:
        target = step.target.set
        if target not in built:
            built[target] = list(stays.pop(step.onto)) if step.onto is not None else []
        # The neighbour that the step names lies there already: it stayed or was laid before.
        if step.beside is None:
            assert not built[target]
        else:
            assert step.beside.set == target
            assert step.beside in laid or before[target][step.beside.index] in built[target]
        built[target].append(str(step.tile))
        laid.add(step.target)
    lying = sorted(sorted(row) for row in [*built.values(), *stays.values()] if row)
    missing = Counter(map(str, way.missing))
    if not missing:
        assert lying == sorted(sorted(row) for row in before)
    assert Counter(t for row in lying for t in row) + missing == Counter(t for row in before for t in row)


ROWS = st.lists(st.lists(st.sampled_from(ALL_TILES), min_size=1, max_size=6), max_size=8)


@settings(max_examples=200, deadline=None)
@given(ROWS, ROWS)
def test_copies_never_appear_or_vanish(before: list[list[Tile]], now: list[list[Tile]]) -> None:
    wanted, lying = Layout(tuple(map(tuple, before))), Layout(tuple(map(tuple, now)))
    way = restore(wanted, lying)
    assert Counter(way.to_rack) == lying.tiles - wanted.tiles
    assert Counter(way.missing) == wanted.tiles - lying.tiles
    check_done(wanted.lists(), lying.lists(), way)


@settings(max_examples=100, deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_restore_then_compare_is_empty(before: list[list[Tile]], rng: random.Random) -> None:
    moved = [row[::-1] if rng.random() < 0.5 else row for row in before]
    rng.shuffle(moved)
    way = restore(Layout(tuple(map(tuple, before))), Layout(tuple(map(tuple, moved))))
    assert way == Restoration(True, (), (), (), (), ())


@pytest.mark.parametrize(
    ("before", "now", "restored", "steps", "to_rack", "missing"),
    [
        ("b6 b7 b8 | r9 k9 o9", "o9 r9 k9 | b8 b7 b6", True, 0, "", ""),
        ("", "", True, 0, "", ""),
        ("", "r5", False, 0, "r5", ""),
        ("r5 b5 k5", "", False, 0, "", "r5 b5 k5"),
        ("r5 b5 k5", "r5 b5", False, 0, "", "k5"),
        ("r5 b5 k5 | r6", "r5 b5 | r6 r7", False, 0, "r7", "k5"),
        ("r3 r4 r5 r6 r7 r8", "r3 r4 r5 | r6 r7 r8", False, 3, "", ""),
        ("r3 r4 r5 | r6 r7 r8", "r3 r4 r5 r6 r7 r8", False, 3, "", ""),
        ("b6 j b8", "b6 b7 b8 | j r10 r11", False, 1, "b7 r10 r11", ""),
        ("r3 r4 j", "j r4 r3", True, 0, "", ""),
        ("r3 r4 j", "j r3 r4", False, 1, "", ""),
        ("r12 r13 j", "j r12 r13", True, 0, "", ""),
        ("r5 b5 k5", "r5 b5 k5 r5", False, 0, "r5", ""),
        ("r5 b5 k5 | b1 b2 b3", "r5 b5 k5 b1 b2 b3", False, 3, "", ""),
    ],
)
def test_cases(before: str, now: str, restored: bool, steps: int, to_rack: str, missing: str) -> None:
    way = restore(Layout.parse(before), Layout.parse(now))
    assert (way.restored, len(way.steps)) == (restored, steps)
    assert (" ".join(map(str, way.to_rack)), " ".join(map(str, way.missing))) == (to_rack, missing)


@pytest.mark.parametrize(
    ("row", "matters"),
    [
        ("r3 r4 r5", False),
        ("r3 r4 j", True),
        ("r3 j r5", False),
        ("r12 r13 j", False),
        ("r9 k9 j", False),
        ("r9 j j", True),
        ("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 j", False),
        ("j j j", False),
        ("r9 r9 j", False),
    ],
)
def test_when_a_jokers_place_matters(row: str, matters: bool) -> None:
    assert order_matters(Layout.parse(row).sets[0]) is matters


def quad(x: float, y: float) -> list[list[float]]:
    return [[x - 20, y - 30], [x + 20, y - 30], [x + 20, y + 30], [x - 20, y + 30]]


Places = dict[str, tuple[float, float]]


def reading(rows: Places, loose: Places | None = None) -> dict[str, object]:
    """A reading with each row laid to the right from its place, 40 pixels a tile."""
    tiles, sets = [], []
    for row, (x, y) in rows.items():
        ids = []
        for i, tile in enumerate(row.split()):
            ids.append(len(tiles))
            tiles.append({"id": len(tiles), "tile": tile, "quad": quad(x + 40 * i, y)})
        sets.append(ids)
    lone = []
    for tile, place in (loose or {}).items():
        lone.append(len(tiles))
        tiles.append({"id": len(tiles), "tile": tile, "quad": quad(*place)})
    return {"tiles": tiles, "sets": sets, "loose": lone}


def test_equal_tiles_go_the_shorter_way() -> None:
    before = Snapshot.of(reading({"r5 b5 k5": (0, 0), "r5 r6 r7": (1000, 1000)}))
    now = Snapshot.of(reading({"b5 k5": (40, 0), "r6 r7": (1040, 1000), "r5": (900, 900), " r5": (90, 90)}))
    way = restore(before, now)
    assert [(s.source.set, s.target.set) for s in way.steps] == [(3, 0), (2, 1)]


def test_equal_rows_are_rebuilt_where_they_lay() -> None:
    before = Snapshot.of(reading({"r5 b5 k5": (0, 0), "k5 b5 r5": (0, 900)}))
    now = Snapshot.of(reading({"k5 b5 ": (0, 890), "r5 b5": (3, 0), "r5": (400, 880), "k5": (300, 20)}))
    way = restore(before, now)
    assert {(s.onto, s.source.set, s.target.set) for s in way.steps} == {(1, 3, 0), (0, 2, 1)}


def test_stable_under_small_displacements() -> None:
    rng = random.Random(5)
    rows = {"r3 r4 r5": (0, 0), "r5 b5 k5": (300, 0), "o1 o2 o3 o4": (0, 300), "k5 b5 o5": (400, 300)}
    before = Snapshot.of(reading(rows))
    moved = {"r3 r4": (0, 0), "r5 b5 k5 r5": (300, 0), "o1 o2 o4": (0, 300), "k5 b5 o5 o3": (400, 300)}
    first = restore(before, Snapshot.of(reading(moved)))
    assert len(first.steps) == 2
    for _ in range(50):
        nudge = {row: (x + rng.uniform(-4, 4), y + rng.uniform(-4, 4)) for row, (x, y) in moved.items()}
        assert restore(before, Snapshot.of(reading(nudge))) == first
        whole = {row: (x + rng.uniform(-9, 9), y + rng.uniform(-9, 9)) for row, (x, y) in rows.items()}
        assert restore(before, Snapshot.of(reading(whole))).restored


def test_each_step_done_leaves_one_fewer() -> None:
    rng = random.Random(8)
    before = [["r3", "r4", "r5"], ["r5", "b5", "k5"], ["k1", "k2", "k3", "j"]]
    for _ in range(30):
        now = scattered(rng, before)
        way = restore(Layout.of(before), Layout.of(now))
        while way.steps:
            step = way.steps[0]
            tile = now[step.source.set].pop(step.source.index)
            # In these sets the order has no meaning, so the end of the row will do.
            if step.onto is None:
                now.append([tile])
            else:
                now[step.onto].append(tile)
            now = [row for row in now if row]
            fewer = restore(Layout.of(before), Layout.of(now))
            assert len(fewer.steps) == len(way.steps) - 1
            way = fewer


def test_what_cannot_be_read_is_never_called_restored() -> None:
    way = restore(Layout.parse("r5 b5 k5"), Layout.parse("r5 b5 ?5"))
    assert not way.restored and way.unread == (Spot(0, 2),)
    assert (way.missing, way.to_rack) == ((Tile.parse("k5"),), ())
    assert way.document()["unread"] == [{"set": 0, "index": 2}]
    assert not restore(Layout.parse("r5 b5 ?"), Layout.parse("r5 b5 ?")).restored


def test_as_json() -> None:
    way = restore(Layout.parse("b6 b7 b8"), Layout.parse("b6 b8 | r5 b7"))
    assert way.document() == {
        "restored": False,
        "to_rack": ["r5"],
        "steps": [
            {
                "tile": "b7",
                "from": {"set": 1, "index": 1},
                "to": {"set": 0, "index": 1},
                "onto": 0,
                "beside": {"set": 0, "index": 0},
            }
        ],
        "missing": [],
        "rack_from": [{"set": 1, "index": 0}],
    }


def test_loose_tiles_are_sets_of_one_after_the_sets() -> None:
    now = Snapshot.of(reading({"b6 b8": (0, 0)}, {"b7": (5, 90)}))
    way = restore(Snapshot.of([["b6", "b7", "b8"]]), now)
    assert [step.source for step in way.steps] == [Spot(1, 0)]
    assert now.rows[1][0].tile == Tile.parse("b7") and now.tiles.total() == 3


# --- snapshots ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "document",
    [
        [["b6", "j", "b8"], ["r9", "k9", "o9"]],
        [],
        reading({"b6 j b8": (0, 0), "r9 k9 o9": (300, 0)}, {"k1": (90, 90)}),
        {"tiles": [{"id": 7, "tile": "r5"}, {"id": 3, "tile": "?"}], "sets": [[7]], "loose": [3]},
    ],
)
def test_snapshot_round_trip(document: object) -> None:
    snapshot = Snapshot.of(document)
    assert snapshot.document() == document
    assert Snapshot.of(snapshot.document()) == snapshot


def test_a_tile_that_a_reading_puts_nowhere_still_lies_there() -> None:
    snapshot = Snapshot.of({"tiles": [{"id": 0, "tile": "r5"}], "sets": []})
    assert snapshot.loose == (Placed(Tile.parse("r5"), None, 0),)


def test_snapshot_numbers_tiles_without_ids() -> None:
    snapshot = Snapshot(loose=(Placed(Tile.parse("r5")),))
    assert snapshot.document() == {"tiles": [{"id": 0, "tile": "r5"}], "sets": [], "loose": [0]}


ONE = {"id": 0, "tile": "r5"}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (5, "before: must be a list of sets"),
        ([5], r"before\[0\]: must be a list of tiles"),
        ([["r5", "r0"]], r"before\[0\]\[1\]: no such tile"),
        ([["r5", 7]], r"before\[0\]\[1\]: a tile is a text"),
        ({"tiles": []}, "a reading needs 'sets'"),
        ({"tiles": 4, "sets": []}, "before.tiles: must be a list of tiles"),
        ({"tiles": [5], "sets": []}, r"before.tiles\[0\]: must be an object"),
        ({"tiles": [{"tile": "r5"}], "sets": []}, r"before.tiles\[0\].id: must be a whole number"),
        ({"tiles": [ONE, ONE], "sets": []}, r"before.tiles\[1\].id: 0 is there twice"),
        ({"tiles": [ONE], "sets": [[1]]}, r"before.sets\[0\]\[0\]: no tile has the id 1"),
        ({"tiles": [ONE], "sets": [[0], [0]]}, r"before.sets\[1\]\[0\]: tile 0 lies in two places"),
        ({"tiles": [{**ONE, "quad": 5}], "sets": []}, r"before.tiles\[0\].quad: must be four points"),
        ({"tiles": [{**ONE, "quad": [[0, 1]]}], "sets": []}, "four points .* not 1"),
        ({"tiles": [{**ONE, "quad": [[0, float("nan")]] * 4}], "sets": []}, "of finite numbers"),
        ({"tiles": [{**ONE, "quad": [[0, 10**400]] * 4}], "sets": []}, "of finite numbers"),
        ({"tiles": [{**ONE, "quad": [5] * 4}], "sets": []}, "of finite numbers"),
        ([["r5"] * 401], "before: 401 tiles"),
    ],
)
def test_bad_documents_are_named(document: object, message: str) -> None:
    with pytest.raises(SnapshotError, match=message):
        Snapshot.of(document, "before")
