"""The playing area on drawn and rendered tables: corners proposed, dragged, seen from above, followed when nudged."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vision.cover import Cover
from vision.proposal import Basis, propose
from vision.render.lens import View
from vision.render.random_scenes import random_scene
from vision.render.scene import Drawn, Hand, Scene, draw
from vision.shift import ShiftKind, follow
from vision.table import TableError, TableView, around_tiles, checked, drag, ordered, whole

CORNERS = ((120.0, 60.0), (520.0, 80.0), (610.0, 430.0), (40.0, 400.0))


# Corners


@pytest.mark.parametrize("start", range(4))
@pytest.mark.parametrize("backwards", [False, True])
def test_corners_in_order_whatever_order_they_come_in(start: int, backwards: bool) -> None:
    points = np.roll(np.array(CORNERS), start, axis=0)
    assert ordered(points[::-1] if backwards else points) == CORNERS


BAD = {
    "not four": [(0, 0), (100, 0), (100, 100)],
    "no numbers": [("a", 0), (100, 0), (100, 100), (0, 100)],
    "nothing": None,
    "not finite": [(0, 0), (float("nan"), 0), (100, 100), (0, 100)],
    "counterclockwise": [(0, 0), (0, 100), (100, 100), (100, 0)],
    "crossed": [(0, 0), (100, 100), (100, 0), (0, 100)],
    "a dent": [(0, 0), (100, 0), (20, 20), (0, 100)],
    "a triangle": [(0, 0), (50, 0), (100, 0), (0, 100)],
    "two on each other": [(0, 0), (100, 0), (100, 2), (0, 100)],
}


@pytest.mark.parametrize("what", BAD)
def test_corners_that_enclose_nothing(what: str) -> None:
    with pytest.raises(TableError) as error:
        checked(BAD[what])  # type: ignore[arg-type]
    assert "\n" not in str(error.value)
    with pytest.raises(TableError):
        TableView(BAD[what])  # type: ignore[arg-type]


def test_a_corner_is_dragged() -> None:
    assert drag(CORNERS, 2, (600.0, 470.0), 640, 480) == (*CORNERS[:2], (600.0, 470.0), CORNERS[3])
    far = drag(CORNERS, 2, (5000.0, 900.0), 640, 480)
    assert 640 <= far[2][0] <= 1.2 * 640 and 480 <= far[2][1] <= 1.2 * 480, "not far out of the picture"
    for corner, to in ((0, (590.0, 420.0)), (4, (1.0, 1.0)), (1, (float("inf"), 0.0))):
        with pytest.raises(TableError):
            drag(CORNERS, corner, to, 640, 480)


# The top view


def test_corners_go_to_corners_and_back() -> None:
    view = TableView(CORNERS, (300, 200))
    assert view.to_table(CORNERS) == pytest.approx(np.array([[0, 0], [300, 0], [300, 200], [0, 200]]), abs=1e-3)
    quads = np.random.default_rng(0).uniform(0, 400, (5, 4, 2))
    assert view.to_picture(view.to_table(quads)) == pytest.approx(quads, abs=1e-2)
    assert view.to_table(np.zeros((0, 2))).shape == (0, 2)
    with pytest.raises(ValueError, match=r"expected points \(…, 2\)"):
        view.to_table(np.zeros((3, 3)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000))
def test_there_and_back_on_any_area(seed: int) -> None:
    luck = np.random.default_rng(seed)
    corners = np.array(whole(640, 480)) * 0.5 + [160, 120] + luck.uniform(-70, 70, (4, 2))
    view = TableView.of(corners.tolist(), 640, 480)
    points = luck.uniform(0, 1, (20, 2)) * view.size
    assert view.to_table(view.to_picture(points)) == pytest.approx(points, abs=0.05)
    assert max(view.size) == 1200 and TableView.from_json(json.loads(json.dumps(view.to_json()))).size == view.size


@pytest.mark.parametrize(("wide", "high"), [(12.0, 8.0), (9.0, 9.0), (7.0, 12.0)])
@pytest.mark.parametrize(("tilt", "turn", "roll"), [(0, 0, 0), (0.5, 0.3, 0.1), (0.8, 0.0, 0.0), (0.7, -0.6, -0.1)])
def test_the_top_view_has_the_tables_proportions(
    wide: float, high: float, tilt: float, turn: float, roll: float
) -> None:
    camera = View(1280, 960, 24.0, tilt, turn, roll, 1.0)
    corners = [[-wide, high, 0], [wide, high, 0], [wide, -high, 0], [-wide, -high, 0]]
    view = TableView.of(camera.project(np.array(corners)).tolist(), 1280, 960)
    assert view.size[0] / view.size[1] == pytest.approx(wide / high, rel=0.03)
    if (wide, high) == (12.0, 8.0):
        square = np.array([[1, 1, 0], [3, 1, 0], [3, -1, 0], [1, -1, 0]], float)
        sides = np.hypot(*np.diff(view.to_table(camera.project(square)), axis=0).T)
        assert sides.max() / sides.min() < 1.04, "a square tile is square from above"


def test_the_top_view_shows_what_lies_there() -> None:
    picture = np.zeros((480, 640, 3), np.uint8)
    view = TableView(CORNERS, (400, 300))
    spot = view.to_picture([[100, 200]])[0]
    cv2.circle(picture, tuple(round(float(v)) for v in spot), 6, (255, 255, 255), -1)
    above = view.top_view(picture)
    assert above.shape == (300, 400, 3)
    y, x = np.argwhere(above[..., 0] > 128).mean(0)
    assert (x, y) == pytest.approx((100, 200), abs=2)
    assert (TableView(whole(640, 480), (640, 480)).top_view(picture) == picture).all(), "the whole picture is itself"


def test_what_lies_outside_is_not_read() -> None:
    view = TableView(((100, 100), (500, 100), (500, 400), (100, 400)))
    tile = np.array([[0, 0], [40, 0], [40, 56], [0, 56]], float)
    places = {(200, 200): True, (110, 340): True, (85, 200): True, (70, 200): False, (20, 20): False, (560, 200): False}
    quads = np.array([tile + place for place in places])
    assert view.inside(quads).tolist() == list(places.values())
    assert view.inside(quads[:, ::-1]).tolist() == list(places.values()), "whichever way round they are given"
    assert view.inside(np.zeros((0, 4, 2))).tolist() == []
    assert view.bounds(640, 480) == (100, 100, 500, 400)
    assert TableView(((-50, -20), (500, 100), (700, 400), (100, 400))).bounds(640, 480) == (0, 0, 640, 400)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"corners": 5},
        {"corners": [[0, 0]] * 4},
        {"corners": CORNERS, "size": "x"},
        {"corners": CORNERS, "size": [0, 5]},
    ],
)
def test_documents_that_are_no_area(document: object) -> None:
    with pytest.raises(TableError):
        TableView.from_json(document)


# The area proposed


def test_round_the_tiles_with_room_or_the_whole_picture() -> None:
    tile = np.array([[0, 0], [20, 0], [20, 28], [0, 28]], float)
    few = np.array([tile + np.array([290 + 22 * k, 200 + 30 * r]) for k in range(3) for r in range(3)])
    area = around_tiles(few, 640, 480)
    assert area is not None and TableView(area).inside(few).all()
    (x0, y0), _, (x1, y1), _ = area
    assert x0 <= 290 - 60 and y0 <= 200 - 60 and x1 >= 354 + 60 and y1 >= 288 + 60, "room for more"
    assert around_tiles(few[:8], 640, 480) is None, "so few tiles say little of the table"
    spread = np.array([tile + np.array([x, y]) for x in (10, 300, 600) for y in (10, 230, 440)])
    assert around_tiles(spread, 640, 480) is None
    plain = np.full((480, 640, 3), 90, np.uint8)
    assert propose(plain, few).basis is Basis.TILES and propose(plain, few).corners == area
    assert propose(plain, spread) == propose(plain) and propose(plain).corners == whole(640, 480)
    assert propose(np.zeros((1, 1, 3), np.uint8)).basis is Basis.PICTURE


@lru_cache
def on_a_floor(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A rendered table on a floor: picture, tiles' quads, the table's true corners, and the same without edges."""
    luck = np.random.default_rng(seed)
    scene = random_scene(luck, 480, 360, "rows", span=(14, 20))
    camera = replace(scene.view, tilt=float(luck.uniform(0, 0.7)), turn=0.0, roll=float(luck.normal(0, 0.1)),
                     distance=26.0, focal=0.9, centre=(0, 0), distortion=0.0)  # fmt: skip
    half = np.array([luck.uniform(9, 11), luck.uniform(6, 8)])
    pieces = tuple(p for p in scene.pieces if (np.abs(p.centre[:2]) < half - 1.2).all())
    scene = replace(scene, view=camera, pieces=pieces, hands=(), mugs=(), flat=(), panels=())
    with_tiles = draw(scene)
    floor = draw(replace(scene, pieces=(), table="wood", table_seed=seed + 77)).picture
    corners = camera.project(np.array([[-half[0], half[1], 0], [*half, 0], [half[0], -half[1], 0], [*-half, 0]]))
    mask = np.zeros((360, 480), np.uint8)
    cv2.fillConvexPoly(mask, np.round(corners * 8).astype(int), 255, cv2.LINE_AA, 3)
    picture = np.where(mask[..., None] > 127, with_tiles.picture, floor)
    quads = np.array([label.quad for label in with_tiles.labels]).reshape(-1, 4, 2)
    return picture, quads, corners, with_tiles.picture


@pytest.mark.parametrize("seed", EDGES := (3, 10, 14))
def test_the_tables_own_edges_are_proposed(seed: int) -> None:
    picture, quads, corners, without = on_a_floor(seed)
    proposal = propose(picture, quads)
    assert proposal.basis is Basis.EDGES
    assert np.abs(np.array(proposal.corners) - ordered(corners)).max() < 6
    assert propose(without, quads).basis is not Basis.EDGES, "a table that fills the picture shows no edge"


@pytest.mark.parametrize("seed", EDGES)
def test_what_is_proposed_is_an_area_that_holds_the_tiles(seed: int) -> None:
    picture, quads, _, without = on_a_floor(seed)
    for shown in (picture, without):
        view = TableView(propose(shown, quads).corners)
        assert view.inside(quads).all()


PHOTOS = Path(__file__).resolve().parents[2].parent / "shared" / "photos" / "train"
EVAL = PHOTOS.parent / "eval"


@pytest.mark.parametrize("name", ["rummy-1.jpg", "rummy4-1.jpg"])
def test_photos_in_which_the_table_has_no_edge(name: str) -> None:
    if not PHOTOS.is_dir():
        pytest.skip("the labelled photos are not beside this checkout")
    entry = json.loads((PHOTOS / "labels.json").read_text())[name]
    quads = [cv2.boxPoints(cv2.minAreaRect(np.array(t["polygon"], np.float32))) for t in entry["tiles"]]
    proposal = propose(cv2.imread(str(PHOTOS / name)), np.array(quads))
    assert proposal.basis is not Basis.EDGES and TableView(proposal.corners).inside(np.array(quads), 0.4).all()


# A nudged camera


def nudge(width: int, height: int, x: float, y: float, turn: float, focal: float = 0.0) -> np.ndarray:
    """Shift in pixels and turn in degrees about the middle; with a focal length (widths) the shift is a pan."""
    middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1.0]])
    t = np.radians(turn)
    motion = np.array([[np.cos(t), -np.sin(t), x], [np.sin(t), np.cos(t), y], [0, 0, 1.0]])
    if focal:
        motion[2, :2] = np.array([x, y]) / (focal * width) ** 2
    return np.linalg.inv(middle) @ motion @ middle


def taken(picture: np.ndarray, motion: np.ndarray, seed: int = 0, gain: float = 1.0) -> np.ndarray:
    """The picture that the nudged camera takes, with its own grain."""
    size = picture.shape[1::-1]
    moved = cv2.warpPerspective(picture, motion, size, borderMode=cv2.BORDER_REFLECT)
    grain = np.random.default_rng(seed).normal(0, 2, picture.shape)
    return np.clip(moved * gain + grain, 0, 255).astype(np.uint8)


def worst(found: np.ndarray | None, motion: np.ndarray, shape: tuple[int, ...]) -> float:
    """How far the found motion is off, at the corners of an area of three quarters of the picture."""
    assert found is not None
    area = np.array(whole(*shape[1::-1])) * 0.75 + np.array(shape[1::-1]) * 0.125
    there = [cv2.perspectiveTransform(area.reshape(-1, 1, 2), m) for m in (found, motion)]
    return float(np.abs(there[0] - there[1]).max())


@lru_cache
def game(seed: int, width: int = 640, height: int = 480) -> tuple[Scene, Drawn]:
    scene = random_scene(np.random.default_rng(seed), width, height, "rows", span=(22, 40))
    scene = replace(scene, hands=())
    return scene, draw(scene)


@lru_cache
def played_on(seed: int) -> np.ndarray:
    """The same table a little later: a quarter of the tiles moved, a hand over it, another lamp."""
    scene, _ = game(seed)
    luck = np.random.default_rng(seed)
    width, height = scene.view.width, scene.view.height
    pieces = []
    for piece in scene.pieces:
        x, y, z = piece.centre
        if luck.random() < 0.25:
            x, y = x + luck.normal(0, 3), y + luck.normal(0, 3)
        pieces.append(replace(piece, centre=(float(x), float(y), z)))
    hand = Hand((0.6 * width, 0.55 * height), float(luck.uniform(0, 6)), 0.22 * width, 3)
    light = replace(scene.light, exposure=scene.light.exposure * 1.15, kelvin=scene.light.kelvin * 0.9)
    return draw(replace(scene, pieces=tuple(pieces), hands=(hand,), light=light, seed=seed + 100)).picture


SEEDS = (1, 4)
SMALL = {
    "a shift": (15, -6, 0.0, 0.0),
    "a turn": (0, 0, 3.0, 0.0),
    "both as large as they may be": (13, 7.5, -3.0, 0.0),
    "a pan": (-14, 4, 1.0, 1.0),
    "hardly anything": (2, 1, 0.0, 0.0),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("how", SMALL)
def test_a_small_nudge_is_followed_while_people_play(seed: int, how: str) -> None:
    _, first = game(seed)
    motion = nudge(640, 480, *SMALL[how])
    shift = follow(first.picture, taken(played_on(seed), motion))
    assert shift.kind is ShiftKind.SMALL and shift.message == ""
    assert worst(shift.homography, motion, first.picture.shape) < 2.5
    assert shift.turn == pytest.approx(SMALL[how][2], abs=0.4)
    assert shift.pixels == pytest.approx(np.hypot(*SMALL[how][:2]), abs=1.5)


@pytest.mark.parametrize("seed", SEEDS)
def test_playing_is_no_nudge(seed: int) -> None:
    _, first = game(seed)
    for later in (first.picture, played_on(seed), taken(first.picture, np.eye(3), gain=0.7)):
        shift = follow(first.picture, later)
        assert shift.kind is ShiftKind.NONE and (shift.homography == np.eye(3)).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("x", "y", "turn"), [(60, -20, 0), (0, 0, 9), (150, 60, 14)])
def test_a_large_move_is_said(seed: int, x: float, y: float, turn: float) -> None:
    _, first = game(seed)
    motion = nudge(640, 480, x, y, turn)
    shift = follow(first.picture, taken(first.picture, motion))
    assert shift.kind is ShiftKind.LARGE and "moved" in shift.message
    assert shift.homography is None or worst(shift.homography, motion, first.picture.shape) < 4


def test_another_picture_is_a_large_move() -> None:
    (_, one), (_, two) = game(SEEDS[0]), game(SEEDS[1])
    shift = follow(one.picture, two.picture)
    assert shift.kind is ShiftKind.LARGE and shift.homography is None
    assert follow(one.picture, one.picture[:400]).kind is ShiftKind.LARGE, "the camera sends another size"


def test_pictures_with_nothing_in_them() -> None:
    plain = np.full((480, 640, 3), 90, np.uint8)
    assert follow(plain, taken(plain, np.eye(3), seed=1)).kind is ShiftKind.NONE
    tiny = np.zeros((1, 1, 3), np.uint8)
    assert follow(tiny, tiny).kind is ShiftKind.NONE


def drawn_tiles(rows: dict[tuple[int, int], int], width: int = 640, height: int = 480) -> np.ndarray:
    """A table of faint grain with plain rows of tiles: place of the first tile, number of tiles."""
    luck = np.random.default_rng(5)
    ground = cv2.resize(luck.normal(110, 14, (height // 6, width // 6)).astype(np.float32), (width, height))
    picture = np.clip(cv2.merge([ground * 0.8, ground, ground * 0.9]), 0, 255).astype(np.uint8)
    for (x, y), count in rows.items():
        for k in range(count):
            left = x + 26 * k
            cv2.rectangle(picture, (left, y), (left + 24, y + 34), (225, 235, 240), -1)
            cv2.putText(picture, str((3 * k + y) % 13 + 1), (left + 4, y + 18), 0, 0.5, (40, 30, 160), 2)
    return picture


def test_a_pushed_row_is_no_nudged_camera() -> None:
    rows = {(60, 60): 5, (300, 80): 6, (80, 250): 9, (380, 300): 7}
    pushed = {(60, 60): 5, (300, 80): 6, (92, 256): 9, (392, 306): 7}
    assert follow(drawn_tiles(rows), drawn_tiles(pushed)).kind is ShiftKind.NONE


def test_hands_that_are_known_are_left_out() -> None:
    picture = drawn_tiles({(60, 60): 5, (300, 80): 6, (80, 250): 9, (380, 300): 7})
    motion = nudge(640, 480, 9, -5, 1.0)
    later = taken(picture, motion)
    hand = np.array([[200, 480], [260, 120], [520, 120], [640, 480]])
    patch = drawn_tiles({(210 + 5 * k, 130 + 50 * k): 8 for k in range(6)})
    cv2.copyTo(patch, cv2.fillPoly(np.zeros((480, 640), np.uint8), [hand], 255), later)
    shift = follow(picture, later, hands=Cover.of_polygons([hand], 640, 480))
    assert shift.kind is ShiftKind.SMALL and worst(shift.homography, motion, picture.shape) < 3


@pytest.mark.parametrize("name", ["boards-58.jpg", "home-t16.jpg"])
def test_photos_of_real_tables_nudged(name: str) -> None:
    if not EVAL.is_dir():
        pytest.skip("the photos are not beside this checkout")
    picture = cv2.imread(str(EVAL / name))
    height, width = picture.shape[:2]
    unit = width / 1280
    motion = nudge(width, height, 27 * unit, -13 * unit, 3.0, 1.0)
    shift = follow(picture, taken(picture, motion, gain=0.85))
    assert shift.kind is ShiftKind.SMALL and worst(shift.homography, motion, picture.shape) < 1.5
    assert follow(picture, taken(picture, np.eye(3), gain=0.7)).kind is ShiftKind.NONE
    assert follow(picture, taken(picture, nudge(width, height, 90 * unit, 0, 6))).kind is ShiftKind.LARGE


def test_corners_move_with_the_camera() -> None:
    picture = drawn_tiles({(60, 60): 5, (300, 80): 6, (80, 250): 9, (380, 300): 7})
    view = TableView(((30, 30), (600, 40), (610, 440), (40, 430)), (400, 300))
    motion = nudge(640, 480, 12, 6, 2.0)
    shift = follow(picture, taken(picture, motion))
    assert shift.homography is not None
    moved = view.moved(shift.homography)
    there = cv2.perspectiveTransform(np.array(view.corners).reshape(-1, 1, 2), motion).reshape(-1, 2)
    assert np.array(moved.corners) == pytest.approx(there, abs=2) and moved.size == view.size


@settings(max_examples=10, deadline=None)
@given(x=st.floats(-12, 12), y=st.floats(-12, 12), turn=st.floats(-3, 3), gain=st.floats(0.7, 1.3))
def test_any_small_nudge_in_any_light(x: float, y: float, turn: float, gain: float) -> None:
    picture = drawn_tiles({(60, 60): 5, (300, 80): 6, (80, 250): 9, (380, 300): 7})
    motion = nudge(640, 480, x, y, turn)
    shift = follow(picture, taken(picture, motion, gain=gain))
    assert shift.kind is not ShiftKind.LARGE
    assert worst(shift.homography, motion, picture.shape) < 2.5
