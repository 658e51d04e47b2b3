"""Where a row may be cut into legal sets: tables of cases, and what is true of every row."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.layout import Layout, TileSet
from referee.sets import is_set
from referee.tiles import ALL_TILES, Tile
from webui.cuts import MOST, cuts, parts_of


def cut(text: str) -> list[str]:
    row = Layout.parse(text).sets[0]
    places = tuple(range(len(row)))
    return [str(Layout(tuple(tuple(row[n] for n in part) for part in parts_of(places, way)))) for way in cuts(row)]


@pytest.mark.parametrize(
    ("row", "ways"),
    [
        ("r5 r6 r7 k1 k2 k3", ["r5 r6 r7 | k1 k2 k3"]),
        ("r7 r6 r5 k3 k2 k1", ["r7 r6 r5 | k3 k2 k1"]),
        ("r9 k9 o9 r10 k10 o10", ["r9 k9 o9 | r10 k10 o10"]),
        ("k1 k2 k3 k1 k2 k3", ["k1 k2 k3 | k1 k2 k3"]),
        ("r5 r6 r7 k1 k2 k3 b9 k9 o9", ["r5 r6 r7 | k1 k2 k3 | b9 k9 o9"]),
        ("r11 r12 r13 r1 r2 r3", ["r11 r12 r13 | r1 r2 r3"]),
        # Where a tile fits both, both are offered.
        ("r3 r4 r5 j k3 k4 k5", ["r3 r4 r5 | j k3 k4 k5", "r3 r4 r5 j | k3 k4 k5"]),
        ("k7 b7 o7 r7 r8 r9 r10", ["k7 b7 o7 | r7 r8 r9 r10", "k7 b7 o7 r7 | r8 r9 r10"]),
        # A part that is a set is not cut any further.
        ("r5 r6 r7 r8 r9 r10 k1 k2 k3", ["r5 r6 r7 r8 r9 r10 | k1 k2 k3"]),
        # Legal as it lies: nothing to ask.
        ("r5 r6 r7", []),
        ("r5 r6 r7 r8 r9 r10", []),
        ("j j r3", []),
        ("r3 r5 r4", []),
        # No cut makes it right: it is wrong.
        ("r5 r6 r8", []),
        ("r5 r6 r7 k1 k2", []),
        ("r12 r13 r1 r2 r3", []),
        ("r5 r6 r7 k1 ? k3", []),
        ("r5", []),
    ],
)
def test_cases(row: str, ways: list[str]) -> None:
    assert cut(row) == ways


def test_no_more_than_four_and_the_fewest_parts_first() -> None:
    found = cuts(Layout.parse("k7 b7 o7 r7 r8 r9 r10 k3 b3 o3 r3 r4 r5 r6 k9 b9 o9 r9 r10 r11 r12").sets[0])
    assert len(found) == MOST and [len(way) for way in found] == [6] * MOST


def parted(row: TileSet) -> bool:
    """Whether there is any way at all, found by trying all of them."""

    @cache
    def on(start: int) -> bool:
        return start == len(row) or any(
            is_set(row[start:end]) and on(end) for end in range(start + 3, len(row) + 1)
        )

    return on(0)


TILES = st.sampled_from(ALL_TILES)
RUN = st.builds(
    lambda colour, first, many: tuple(Tile(colour, n) for n in range(first, min(first + many, 14))),
    st.sampled_from("kbro"), st.integers(1, 11), st.integers(3, 6),
)  # fmt: skip
GROUP = st.builds(
    lambda number, colours: tuple(Tile(c, number) for c in colours[:3]), st.integers(1, 13), st.permutations("kbro")
)
ROWS = st.one_of(
    st.lists(TILES, min_size=1, max_size=12).map(tuple),
    st.lists(RUN | GROUP, min_size=1, max_size=5).map(lambda sets: tuple(t for row in sets for t in row)),
)


@settings(deadline=None)
@given(ROWS, st.lists(st.integers(0, 40), max_size=2))
def test_every_cut_is_the_row_parted_into_sets_and_no_set_is_cut(row: TileSet, jokers: list[int]) -> None:
    row = tuple(Tile.JOKER if n in jokers else t for n, t in enumerate(row))
    found = cuts(row)
    if is_set(row):
        assert found == ()
        return
    assert bool(found) == parted(row)
    assert len(found) <= MOST and len(set(found)) == len(found)
    for way in found:
        parts = parts_of(tuple(range(len(row))), way)
        assert [n for part in parts for n in part] == list(range(len(row))) and len(parts) > 1
        assert all(is_set(tuple(row[n] for n in part)) for part in parts)
