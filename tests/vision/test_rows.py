"""Sets from outlines: tables laid by arithmetic, looked at through a pinhole camera, and grouped again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.layout import Layout
from referee.tiles import Tile
from vision.rows import group

HEIGHT = 1.4  # of a tile, by its width


def tile(centre: np.ndarray, angle: float) -> np.ndarray:
    """A quad (4, 2) in tile widths, turned clockwise by so many degrees."""
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * [1, HEIGHT]
    return corners @ turning(angle).T + centre


def turning(angle: float) -> np.ndarray:
    t = np.radians(angle)
    return np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])


def row(
    n: int,
    at: tuple[float, float] = (0, 0),
    angle: float = 0,
    gap: float | Sequence[float] = 0.03,
    shift: Sequence[float] = (0,),
    bend: float = 0,
    flipped: Sequence[int] = (),
) -> np.ndarray:
    """A set of n tiles, first tile first, (n, 4, 2).

    ``gap`` after each tile in widths; ``shift`` of each tile along its height in heights, repeated; ``bend``
    degrees from tile to tile; ``flipped`` tiles lie upside down.
    """
    quads, place = [], np.array(at, dtype=float)
    gaps = np.broadcast_to(gap, n)
    for k in range(n):
        right, down = turning(angle + k * bend).T
        turned = angle + k * bend + 180 * (k in flipped)
        quads.append(tile(place + down * HEIGHT * shift[k % len(shift)], turned))
        place = place + right * (1 + gaps[k] + HEIGHT / 2 * abs(np.sin(np.radians(bend))))
    return np.array(quads)


def seen(quads: np.ndarray, pitch: float = 0, spin: float = 0, distance: float = 25) -> np.ndarray:
    """Quads in pixels through a camera ``pitch`` degrees from straight down, over the middle of the tiles."""
    flat = (quads - quads.mean(axis=(0, 1))).reshape(-1, 2) @ turning(spin).T
    t = np.radians(pitch)
    x, y, z = flat[:, 0], flat[:, 1] * np.cos(t), distance + flat[:, 1] * np.sin(t)
    return np.stack([1200 * x / z + 960, 1200 * y / z + 720], axis=-1).reshape(-1, 4, 2)


def shaken(quads: np.ndarray, part: float, seed: int = 0) -> np.ndarray:
    """Every corner off by ``part`` of the tile's width (standard deviation)."""
    width = np.hypot(*(quads[:, 1] - quads[:, 0]).T)[:, None, None]
    return quads + np.random.default_rng(seed).normal(0, part, quads.shape) * width


def table(*rows: np.ndarray) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """All tiles of some rows, and the rows as ids."""
    stops = np.cumsum([0, *map(len, rows)])
    return np.concatenate(rows), tuple(tuple(range(a, b)) for a, b in pairwise(stops))


def all_known(quads: np.ndarray) -> np.ndarray:
    return np.ones(len(quads), bool)


ONE_SET = {
    "tight": row(5),
    "two tiles": row(2),
    "thirteen": row(13),
    "touching and overlapping a little": row(4, gap=-0.1),
    "gaps of half a width": row(5, gap=0.5),
    "one tile laid a little off": row(4, gap=(0.02, 0.02, 0.4, 0)),
    "staggered by a third to and fro": row(6, shift=(0, 1 / 3)),
    "a staircase of thirds": row(5, shift=(0, 1 / 3, 2 / 3, 1, 4 / 3)),
    "staggered and loose": row(5, gap=0.25, shift=(0, 0.3)),
    "bent": row(7, bend=7),
    "bent the other way": row(7, bend=-10),
    "some upside down": row(6, flipped=(1, 4)),
}


@pytest.mark.parametrize("pitch", [0, 35, 55])
@pytest.mark.parametrize("quads", ONE_SET.values(), ids=ONE_SET)
def test_one_set_from_every_side(quads: np.ndarray, pitch: float) -> None:
    for spin in range(0, 360, 15):
        view = shaken(seen(quads, pitch, spin), 0.03, seed=spin)
        assert group(view, all_known(view)) == ((tuple(range(len(quads))),), ())


SEVERAL = {
    "rows that touch along their heights": [row(5, (0, 1.42 * k)) for k in range(4)],
    "touching rows, half a tile out of step": [row(5, (0.5 * (k % 2), 1.42 * k)) for k in range(4)],
    "touching rows of staggered tiles": [row(6, (0, 1.42 * k), shift=(0, 0.3)) for k in range(3)],
    "columns side by side": [row(4, (1.45 * k, 0), angle=90) for k in range(4)],
    "columns side by side, every other read upwards": [
        row(4, (1.45 * k, 0 if k % 2 else 3.09), angle=90 if k % 2 else -90) for k in range(4)
    ],
    "in line, a third of a width apart": [row(3), row(4, (3.4, 0)), row(3, (7.9, 0.1))],
    "a pair in line with a row": [row(2), row(3, (2.4, 0))],
    "one row ends at the side of a column": [row(4), row(3, (4.8, -1), angle=90)],
    "a row under the end of another": [row(4), row(4, (3.1, 1.45))],
    "close rows at an angle": [row(4), row(4, (0.5, 1.9), angle=20)],
    "in line, half a height out of step": [row(3, (0, 0)), row(4, (3.45, 0.68))],
}


@pytest.mark.parametrize("pitch", [0, 35, 55])
@pytest.mark.parametrize("rows", SEVERAL.values(), ids=SEVERAL)
def test_sets_that_lie_close(rows: list[np.ndarray], pitch: float) -> None:
    quads, wanted = table(*rows)
    for spin in range(0, 360, 30):
        view = shaken(seen(quads, pitch, spin), 0.02, seed=spin)
        sets, loose = group(view, all_known(view))
        assert set(sets) == set(wanted) and loose == ()


LOOSE = {
    "one tile": [(0, 0, 0)],
    "apart": [(0, 0, 0), (1.8, 0, 0), (0, 2.2, 0), (1.8, 2.2, 0)],
    "side by side but crosswise": [(0, 0, 0), (1.25, 0, 90)],
    "at odd angles, touching": [(0, 0, 0), (1.2, 0.2, 40), (0.1, 1.6, 65), (-1.3, 0.1, -35)],
    "half a height out of step": [(0, 0, 0), (1.05, 0.8, 0)],
    "one below the other, out of step": [(0, 0, 0), (0.7, 1.5, 0)],
}


@pytest.mark.parametrize("tiles", LOOSE.values(), ids=LOOSE)
def test_tiles_that_are_no_set(tiles: list[tuple[float, float, float]]) -> None:
    quads = np.array([tile(np.array([x, y]), angle) for x, y, angle in tiles])
    for spin in range(0, 360, 30):
        view = seen(quads, 30, spin)
        sets, loose = group(view, all_known(view))
        assert sets == () and sorted(loose) == list(range(len(tiles)))


def test_upright_tiles_one_below_the_other_are_a_column() -> None:
    quads = np.array([tile(np.array([0.05 * k, 1.45 * k]), 3) for k in range(4)])
    for spin in range(0, 360, 45):
        view = seen(quads, 40, spin)
        assert group(view, all_known(view)) == (((0, 1, 2, 3),), ())


def test_a_grid_is_rows_not_columns() -> None:
    quads, wanted = table(*[row(4, (0, 1.42 * k), gap=0.1) for k in range(4)])
    assert set(group(quads, all_known(quads))[0]) == set(wanted)


def test_read_by_the_up_of_most_tiles() -> None:
    quads = row(5, flipped=(0, 1, 2))
    assert group(quads, all_known(quads))[0] == ((4, 3, 2, 1, 0),)
    known = np.array([False, False, False, True, False])
    assert group(quads, known)[0] == ((0, 1, 2, 3, 4),)


@pytest.mark.parametrize(
    ("angle", "flipped", "first"), [(0, (), 0), (180, (), 3), (100, (), 0), (-80, (), 3), (0, (0, 1), 0)]
)
def test_without_an_up_as_it_lies_in_the_picture(angle: float, flipped: tuple[int, ...], first: int) -> None:
    quads = row(4, angle=angle, flipped=flipped)
    known = np.full(4, bool(flipped))
    assert group(quads, known)[0][0][0] == first


def test_an_unknown_up_may_be_a_quarter_turn_off() -> None:
    quads = row(5)
    view = seen(quads, 60, 0)
    assert np.ptp(view[2, :, 0]) > np.ptp(view[2, :, 1])  # wider than high, as it looks
    view[2] = np.roll(view[2], 1, axis=0)
    known = np.array([True, True, False, True, True])
    assert group(view, known) == (((0, 1, 2, 3, 4),), ())


def test_nothing_and_a_wrong_call() -> None:
    assert group(np.zeros((0, 4, 2)), np.zeros(0, bool)) == ((), ())
    with pytest.raises(ValueError, match="expected an up for each of 2 quads, got 1"):
        group(row(2), np.ones(1, bool))


def test_outlines_without_area_are_loose() -> None:
    quads = np.concatenate([row(3), np.zeros((2, 4, 2)) + 50.0])
    assert group(quads, all_known(quads)) == (((0, 1, 2),), (3, 4))


def test_all_tiles_of_a_box() -> None:
    rows = [row(13, (0, 2 * k), gap=0.05, shift=(0, 0.1, 0.05)) for k in range(8)] + [row(2, (3, 16))]
    quads, wanted = table(*rows)
    view = shaken(seen(quads, 45, 20, distance=45), 0.02)
    assert len(view) == 106 and group(view, all_known(view)) == (wanted, ())


PHOTOS = Path(__file__).resolve().parents[2].parent / "shared" / "photos" / "train"
LAID = {  # as the eye reads these photos; tiles are outlined, which end is up is not said
    "rummy-1.jpg": "o4 b4 k4 | r7 r8 r9 | b1 b2 b3 | o1 o2 o3 | r3 r4 r5 | k13 o13 b13",
    "rummy-2.jpg": " | ".join([" ".join(f"{c}{n}" for n in range(1, 14)) for c in "brok"] + ["j j"]),
    "rummy-14.jpg": "r2 r3 r4 r5 | k2 k3 k4 | o9 o10 o11 o12 | r10 r11 r12 | b3 b4 b5",
    "rummy-25.jpg": "o13 r13 k13 b13 | o10 o11 o12 | b7 b8 b9 | b2 b3 b4",
    "rummy4-1.jpg": "k9 k10 k11 | k2 k3 k4 k5 | j r6 r7 | o4 o5 o6 o7 o8 | k5 k6 k7 | o1 o2 o3 | "
                    "o5 o6 o7 o8 | r4 r5 | o9 o10 o11",
    "rummy2-30.jpg": "r3 o3 b7 k9 | r1 b1 r13 b13 o9",
}


@pytest.mark.parametrize("name", LAID)
def test_photos_of_real_tables(name: str) -> None:
    if not PHOTOS.is_dir():
        pytest.skip("the labelled photos are not beside this checkout")
    entry = json.loads((PHOTOS / "labels.json").read_text())[name]
    quads = []
    for outline in entry["tiles"]:
        corners = cv2.boxPoints(cv2.minAreaRect(np.array(outline["polygon"], np.float32)))  # clockwise
        wide, high = np.hypot(*(corners[1] - corners[0])), np.hypot(*(corners[2] - corners[1]))
        quads.append(np.roll(corners, 1, axis=0) if wide > high else corners)
    sets, _ = group(np.array(quads), np.zeros(len(quads), bool))
    assert str(Layout(tuple(tuple(Tile.parse(entry["tiles"][k]["tile"]) for k in s) for s in sets))) == LAID[name]


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, tuple[tuple[int, ...], ...]]:
    """Rows below each other with a lane between them, each laid in its own way."""
    rows, y = [], 0.0
    for _ in range(draw(st.integers(1, 5))):
        n = draw(st.integers(2, 7))
        angle = draw(st.floats(-8, 8)) + draw(st.sampled_from([0, 180]))
        start = (draw(st.floats(-3, 3)) + (n if abs(angle) > 90 else 0), y)
        gap = draw(st.floats(0, 0.2))
        shift = draw(st.lists(st.floats(-0.16, 0.16), min_size=n, max_size=n))
        rows.append(row(n, start, angle, gap, shift, draw(st.floats(-3, 3))))
        y += 5.5
    return table(*rows)


@settings(max_examples=60, deadline=None)
@given(laid=tables(), pitch=st.floats(0, 55), spin=st.floats(0, 360), seed=st.integers(0, 99))
def test_a_table_reads_alike_from_everywhere(
    laid: tuple[np.ndarray, tuple[tuple[int, ...], ...]], pitch: float, spin: float, seed: int
) -> None:
    quads, wanted = laid
    view = shaken(seen(quads, pitch, spin, distance=60), 0.02, seed)
    sets, loose = group(view, all_known(view))
    assert set(sets) == set(wanted) and loose == ()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_scattered_tiles_each_once_and_in_any_order(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 30))
    luck = np.random.default_rng(data.draw(st.integers(0, 10_000)))
    quads = np.array([tile(luck.uniform(0, 8, 2), luck.uniform(0, 360)) for _ in range(n)])
    known = luck.random(n) < 0.5
    sets, loose = group(quads, known)
    assert sorted([k for s in sets for k in s] + list(loose)) == list(range(n))
    assert all(len(s) > 1 for s in sets)

    order = luck.permutation(n)
    again, _ = group(quads[order], known[order])
    named = {tuple(int(order[k]) for k in s) for s in again}
    assert named == set(sets)
