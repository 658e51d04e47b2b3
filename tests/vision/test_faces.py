"""Rectified tiles, turns and probabilities, with a net that looks for a mark at the top of the crop."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vision.faces import CLASSES, OUTPUTS, SIZE, FaceReading, balance, combine, face_quad, read_faces, rectify, square
from vision.inks import settle
from vision.reader import Reader, Settings, is_tile


def tile_picture(turn: int, wide: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """A white tile with a dark bar at its own top, turned clockwise by quarter turns; its quad from the top left of the
    picture."""
    tile = np.full((70, 50, 3), 240, np.uint8)
    tile[6:22, 10:40] = 20
    tile = np.rot90(tile, -turn)
    picture = np.full((140, 140, 3), 90, np.uint8)
    h, w = tile.shape[:2]
    picture[30 : 30 + h, 30 : 30 + w] = tile
    return picture, np.array([[[30, 30], [30 + w, 30], [30 + w, 30 + h], [30, 30 + h]]], np.float32) - 0.5


def bar_net(crops: np.ndarray) -> np.ndarray:
    """A six where the upper middle is dark and the lower is light; else not upright."""
    top, bottom = crops[:, :, 10:22, 20:44].mean((1, 2, 3)), crops[:, :, 40:56, 20:44].mean((1, 2, 3))
    logits = np.zeros((len(crops), OUTPUTS), np.float32)
    upright = top < bottom - 0.2
    logits[:, 5] = np.where(upright, 8, -8)
    logits[:, CLASSES] = np.where(upright, -8, 8)
    logits[:, CLASSES + 3] = 5
    return logits


@pytest.mark.parametrize("turn", range(4))
def test_the_turn_is_found_and_the_reading_stays(turn):
    picture, quads = tile_picture(turn)
    reading = read_faces(picture, quads, bar_net)[0]
    # The tile was turned clockwise: its own top left is now that many corners on.
    assert reading.turn == turn
    assert np.abs(reading.quad - np.roll(quads[0], -turn, axis=0)).max() < 0.6
    assert reading.classes.argmax() == 5 and reading.classes[5] > 0.99 and reading.nothing < 0.01
    assert reading.inks.argmax() == 2


def test_nothing_where_no_turn_is_upright():
    picture = np.full((100, 100, 3), 200, np.uint8)
    quads = np.array([[[20, 20], [60, 20], [60, 76], [20, 76]]], np.float32)
    assert read_faces(picture, quads, bar_net)[0].nothing > 0.95
    assert read_faces(picture, quads[:0], bar_net) == []


@given(st.integers(0, 2**31 - 1))
def test_probabilities_add_up(seed):
    logits = np.random.default_rng(seed).normal(0, 4, (5, 4, OUTPUTS)).astype(np.float32)
    faces, nothing, inks = combine(logits)
    assert np.allclose(faces.sum((1, 2)) + nothing, 1, atol=1e-6)
    assert np.allclose(inks.sum(1), 1, atol=1e-6)


def test_turning_the_logits_turns_the_reading():
    logits = np.random.default_rng(3).normal(0, 4, (6, 4, OUTPUTS)).astype(np.float32)
    plain, turned = combine(logits), combine(np.roll(logits, 1, axis=1))
    assert np.allclose(np.roll(plain[0], 1, axis=1), turned[0])


@pytest.mark.parametrize("turn", range(4))
def test_the_faces_corners_come_back_to_the_picture(turn):
    """A slanted face inside its frame: offsets as the net would give them for the turned crop."""
    quad = np.array([[40, 30], [100, 36], [96, 110], [34, 104]], np.float32)
    face = np.array([[48, 33], [95, 42], [90, 100], [40, 101]], np.float32)
    to_crop = cv2.getPerspectiveTransform(quad, square())
    corners = cv2.perspectiveTransform(face[None], to_crop)[0]
    own = np.roll(corners, -turn, axis=0)  # the tile's own top left is that many corners on
    for _ in range(turn):  # counterclockwise, as the crop is turned
        own = np.stack([own[:, 1], SIZE - 1 - own[:, 0]], 1)
    found = face_quad(quad, turn, ((own - square()) / SIZE).reshape(8))
    assert np.abs(found - np.roll(face, -turn, axis=0)).max() < 0.05


def test_corners_that_make_no_face_are_not_believed():
    quad = np.array([[0, 0], [50, 0], [50, 70], [0, 70]], np.float32)
    wild = np.array([0.9, 0.9, -0.9, 0, -0.9, -0.9, 0.9, 0.0])
    assert np.array_equal(face_quad(quad, 1, wild), np.roll(quad, -1, axis=0))


def test_rectify_takes_the_quad_to_the_middle():
    picture = np.zeros((200, 200, 3), np.uint8)
    picture[50:120, 60:110] = 255
    crop = rectify(picture, np.array([[[60, 50], [110, 50], [110, 120], [60, 120]]], np.float32) - 0.5)[0]
    edge = round(SIZE * 0.1 / 1.2)
    assert crop[edge + 2 : -edge - 2, edge + 2 : -edge - 2].min() > 250
    assert crop[: edge - 2].max() < 5


def test_large_tiles_are_not_sampled_coarsely():
    rng = np.random.default_rng(0)
    picture = np.where(rng.random((800, 800, 1)) < 0.5, 0, 255).astype(np.uint8).repeat(3, 2)
    crop = rectify(picture, np.array([[[100, 100], [600, 100], [600, 700], [100, 700]]], np.float32))[0]
    assert crop.std() < 40, "a fine pattern blurs to grey"


@pytest.mark.parametrize("gain", [(1, 1, 1), (0.5, 0.8, 1.0), (1.0, 0.9, 0.6)])
def test_balance_takes_the_lamp_out(gain):
    crop = np.full((1, SIZE, SIZE, 3), 230, np.uint8)
    crop[0, 15:30, 20:40] = (30, 30, 200)
    plain, lit = balance(crop), balance((crop * np.array(gain)).astype(np.uint8))
    assert plain.shape == (1, 3, SIZE, SIZE) and plain.dtype == np.float32
    assert np.abs(plain - lit).max() < 0.02


def test_a_table_settles_a_doubtful_ink():
    rng = np.random.default_rng(0)
    middles = np.array([[0, 0, -2.5], [-1.2, 0, -1.2], [1.4, -0.6, -1.0], [1.9, 0.1, -0.6]])
    truth = np.repeat(np.arange(4), 6)
    colours = middles[truth] + rng.normal(0, 0.05, (24, 3))
    chances = np.full((24, 4), 0.02)
    chances[np.arange(24), truth] = 0.94
    chances[-1] = [0.01, 0.01, 0.55, 0.43]  # an orange that the net calls red
    settled = settle(chances, colours)
    assert (settled.argmax(1) == truth).all()
    assert np.allclose(settled.sum(1), 1)


def test_a_table_of_one_ink_is_left_alone():
    chances = np.tile([0.03, 0.03, 0.9, 0.04], (8, 1))
    settled = settle(chances, np.random.default_rng(1).normal(0, 0.05, (8, 3)))
    assert (settled.argmax(1) == 2).all()


@pytest.mark.parametrize("first, second, kept", [(0.17, 0.8, 0.8), (0.8, 0.9, 0.8)])
def test_an_outline_hardly_believed_in_does_not_stand_in_the_way_of_a_later_look(first, second, kept):
    """A blurred tile behind a rack: its face was read in an outline that the finder gave up, then it was found."""
    picture, quads = tile_picture(0)
    reader = Reader(lambda blob: np.zeros((6, 0), np.float32), bar_net)
    seen = read_faces(picture, quads, bar_net)
    _, scores = reader._again(picture, seen, np.array([first]), quads + 1, np.array([second]))
    assert scores.tolist() == [kept]


@pytest.mark.parametrize(
    "nothing, score, kept", [(0.6, 0.92, True), (0.6, 0.6, False), (0.95, 0.92, False), (0.2, 0.7, True)]
)
def test_what_the_finder_is_sure_of_is_kept_though_the_face_is_doubtful(nothing, score, kept):
    """An 11 that looks the same upside down is a tile, whichever way it stands; a bare box is none."""
    faces = np.zeros((4, 14))
    faces[0, 10] = faces[2, 10] = (1 - nothing) / 2
    quad = np.array([[20, 20], [60, 20], [60, 76], [20, 76]], np.float32)
    assert is_tile(FaceReading(faces, nothing, np.full(4, 0.25), quad), score, (400, 400), Settings()) == kept


def test_an_outline_given_up_does_not_yield_to_one_that_is_read_worse():
    """Bare cloth that a look at a slanted row takes for a tile, hardly read: the first look was right to give it up."""

    def doubting(crops: np.ndarray) -> np.ndarray:
        return bar_net(crops) * 0.15

    picture, quads = tile_picture(0)
    seen = read_faces(picture, quads, doubting)
    worse = read_faces(picture, quads, lambda crops: bar_net(crops) * 0.1)
    assert worse[0].classes.max() < seen[0].classes.max() < 0.5
    reader = Reader(lambda blob: np.zeros((6, 0), np.float32), lambda crops: bar_net(crops) * 0.1)
    _, scores = reader._again(picture, seen, np.array([0.2]), quads + 1, np.array([0.9]))
    assert scores.tolist() == [0.2]
