"""Sets: the tables of RULES.md as cases, and properties of every reading."""

from __future__ import annotations

import copy
import pickle
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.layout import Layout, TileSet
from referee.sets import OUT_OF_ORDER, best, is_set, readings
from referee.tiles import ALL_TILES, COLOURS, Tile, TileError


def row(text: str) -> TileSet:
    return Layout.parse(text).sets[0]


def shown(text: str) -> list[str]:
    """Every reading of a row as ``kind value: tiles``."""
    return [f"{r.kind} {r.value}: {' '.join(map(str, r.stands_for))}" for r in readings(row(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # one reading
        ("b4 b5 b6", ["run 15: b4 b5 b6"]),
        ("b6 b5 b4", ["run 15: b6 b5 b4"]),
        ("r5 k5 o5", ["group 15: r5 k5 o5"]),
        ("b6 j b8", ["run 21: b6 b7 b8"]),
        ("b8 j b6", ["run 21: b8 b7 b6"]),
        ("j r10 r11", ["run 30: r9 r10 r11"]),
        ("r10 r11 j", ["run 33: r10 r11 r12"]),
        ("r13 r12 j", ["run 36: r13 r12 r11"]),
        ("r5 b5 j j", ["group 20: r5 b5 k5 o5"]),
        # either missing colour
        ("r5 b5 j", ["group 15: r5 b5 k5", "group 15: r5 b5 o5"]),
        # a group or a run, from either side
        (
            "r9 j j",
            [
                "group 27: r9 k9 b9",
                "group 27: r9 k9 o9",
                "group 27: r9 b9 o9",
                "run 30: r9 r10 r11",
                "run 24: r9 r8 r7",
            ],
        ),
        # only as a group in order; as a run out of order
        (
            "j r1 j",
            ["group 3: k1 r1 b1", "group 3: k1 r1 o1", "group 3: b1 r1 o1", "run 6: r2 r1 r3"],
        ),
        # more jokers than numbers
        ("j k1 j j", ["group 4: b1 k1 r1 o1", "run 10: k2 k1 k3 k4"]),
        ("r12 j j j", ["group 48: r12 k12 b12 o12", "run 42: r12 r11 r10 r9"]),
        ("r4 r5 r3 j", ["run 14: r4 r5 r3 r2", "run 18: r4 r5 r3 r6"]),
        # none
        ("r5 b5 o5 k5 j", []),
        ("r12 r13 r1", []),
        ("r3 r4 r6", []),
        ("r3 r4 r4", []),
        ("r5 k5 r5", []),
        ("r3 r4 b5", []),
        ("r3 r4", []),
        ("j", []),
        ("r3 ? r5", []),
        ("r3 r4 r?", []),
    ],
)
def test_readings(text: str, expected: list[str]) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("r12 r13 j", 36),
        ("j r1 r2", 6),
        ("r5 r3 r4", 12),
        ("r4 r6 j", 15),
        ("r3 r4 r5 r7 j", 25),
    ],
)
def test_out_of_order(text: str, value: int) -> None:
    reading = best(row(text))
    assert reading is not None
    assert (reading.kind, reading.value, reading.notes) == ("run", value, (OUT_OF_ORDER,))


def test_no_joker_is_a_14_or_a_0() -> None:
    for text in ("r12 r13 j", "j r13 r12", "j r1 r2", "r2 r1 j"):
        assert {t.number for r in readings(row(text)) for t in r.stands_for} <= set(range(1, 14))


def test_whole_run_and_one_tile_more() -> None:
    whole = " ".join(f"r{n}" for n in range(1, 14))
    assert shown(whole) == [f"run 91: {whole}"]
    assert not is_set(row(f"{whole} j"))
    assert not is_set(row(f"j {whole}"))


def test_jokers_alone() -> None:
    of_three = readings(row("j j j"))
    assert best(row("j j j")).value == 39  # type: ignore[union-attr]
    assert Counter(r.kind for r in of_three) == {"group": 13 * 4, "run": 11 * 4}
    assert Counter(r.kind for r in readings(row("j j j j"))) == {"group": 13, "run": 10 * 4}


rows = st.lists(st.sampled_from([*ALL_TILES, *(Tile.JOKER,) * 30]), min_size=1, max_size=15).map(tuple)
near_runs = st.builds(
    lambda colour, start, length, jokers: tuple(
        Tile.JOKER if i in jokers else Tile(colour, start + i) for i in range(min(length, 14 - start))
    ),
    st.sampled_from(COLOURS),
    st.integers(1, 11),
    st.integers(3, 13),
    st.sets(st.integers(0, 12), max_size=4),
)


@given(st.one_of(rows, near_runs, near_runs.flatmap(lambda r: st.permutations(r).map(tuple))))
def test_every_reading_is_a_set_of_its_tiles(tiles: TileSet) -> None:
    found = readings(tiles)
    assert len(set(found)) == len(found)
    for reading in found:
        assert len(reading.stands_for) == len(tiles)
        for tile, stood in zip(tiles, reading.stands_for, strict=True):
            assert tile in (stood, Tile.JOKER)
        numbers = sorted(t.number for t in reading.stands_for)
        colours = {t.colour for t in reading.stands_for}
        if reading.kind == "group":
            assert len(colours) == len(tiles) in (3, 4) and len(set(numbers)) == 1
        else:
            assert len(colours) == 1 and numbers == list(range(numbers[0], numbers[0] + len(tiles)))
        assert reading.value == sum(numbers)
        assert reading.jokers == tuple(s for t, s in zip(tiles, reading.stands_for, strict=True) if t.is_joker)
    assert best(tiles) is None or best(tiles) in found


@given(st.one_of(rows, near_runs))
def test_a_set_reads_the_same_from_the_other_side(tiles: TileSet) -> None:
    def contents(row: TileSet) -> Counter[tuple[Tile, ...]]:
        return Counter(tuple(sorted(r.stands_for)) for r in readings(row))

    if any(not t.is_joker for t in tiles):
        assert contents(tiles) == contents(tiles[::-1])
    assert is_set(tiles) == is_set(tiles[::-1])


@given(near_runs)
def test_a_run_in_any_order_is_a_set(tiles: TileSet) -> None:
    if len(tiles) >= 3:
        assert is_set(tiles)
        assert is_set(tuple(sorted(tiles)))


def test_there_is_one_object_of_each_kind_of_tile() -> None:
    for tile in (*ALL_TILES, Tile.UNREAD, Tile.parse("?6"), Tile.parse("r?")):
        again = (Tile(tile.colour, tile.number), Tile.parse(str(tile)), eval(repr(tile), {"Tile": Tile}))
        copies = (copy.copy(tile), copy.deepcopy(tile), pickle.loads(pickle.dumps(tile)))
        assert all(other is tile for other in (*again, *copies))


@pytest.mark.parametrize(
    ("colour", "number"), [("x", 5), ("r", 14), ("r", -1), ("", 5), ("r", None), ([], 5), ("R", 5)]
)
def test_no_other_tile_can_be_made(colour: str, number: int) -> None:
    with pytest.raises(TileError, match="no such tile"):
        Tile(colour, number)
