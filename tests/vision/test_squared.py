"""Rows seen at a slant: their plane, the squared picture, and which outlines of the two looks stay."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.rows import ASPECT
from vision.squared import askew, better, look_squared, planes

CORNERS = np.array([[0, 0], [1, 0], [1, ASPECT], [0, ASPECT]])


def slanted(count: int, far: float = 0.45, wide: float = 120.0) -> np.ndarray:
    """Quads of a row in perspective: the last tile is ``far`` as wide as the first would be."""
    flat = np.array([[0, 0], [count, 0], [count, ASPECT], [0, ASPECT]], np.float32)
    end = wide * count * (1 + far) / 2
    high = wide * ASPECT
    seen = np.array([[200, 300], [200 + end, 380], [170 + end, 380 + high * far], [170, 300 + high]], np.float32)
    m = cv2.getPerspectiveTransform(flat, seen)
    at = np.concatenate([CORNERS + np.array([k, 0]) for k in range(count)])
    return cv2.perspectiveTransform(at[None].astype(np.float64), m)[0].reshape(count, 4, 2)


def boxes_on(found: np.ndarray):
    """A net that finds what it is told, whatever the picture; boxes cx, cy, w, h, score, angle."""

    def net(blob: np.ndarray) -> np.ndarray:
        return found.T.astype(np.float32)

    return net


def test_tiles_seen_from_above_are_not_askew():
    upright = (CORNERS * 50)[None]
    turned = upright @ np.array([[0.6, 0.8], [-0.8, 0.6]])
    assert not askew(np.concatenate([upright, turned])).any()
    assert planes(np.concatenate([upright + np.array([52 * k, 0]) for k in range(5)]), (400, 400)) == []


@pytest.mark.parametrize("shear, is_askew", [(0.0, False), (0.1, False), (0.35, True)])
def test_a_sheared_tile_is_askew(shear, is_askew):
    quad = (CORNERS * 50 @ np.array([[1, 0], [shear, 1]]))[None]
    assert askew(quad)[0] == is_askew


def test_a_tile_squashed_by_the_view_is_askew():
    assert askew((CORNERS * [20, 50])[None])[0] and askew((CORNERS * [50, 20])[None])[0]


@pytest.mark.parametrize("known", [(0, 1, 2), (0, 1, 2, 3, 4), (3, 2, 1, 0)])
def test_the_plane_of_a_row_tells_where_its_far_tiles_lie(known):
    row = slanted(9)
    (plane,) = planes(row[list(known)], (1081, 1920))
    first = min(known)
    for k in range(9):
        expected = plane.to_picture(CORNERS + np.array([k - first, 0]))
        width = np.linalg.norm(row[k][1] - row[k][0])
        assert np.abs(expected - row[k]).max() < 0.12 * width, k
        left, top, right, bottom = plane.box
        assert left <= k - first and k - first + 1 <= right and top <= 0 and bottom >= ASPECT


def test_what_is_found_in_the_squared_picture_lies_right_in_the_picture():
    row = slanted(6)
    (plane,) = planes(row[:4], (1081, 1920))
    left, top, right, bottom = plane.box
    scale = min(40.0, 1280 / max(right - left, bottom - top))
    wanted = [4, 5]
    found = np.array(
        [[(k + 0.5 - left) * scale, (ASPECT / 2 - top) * scale, scale, ASPECT * scale, 0.9, 0] for k in wanted]
    )
    quads, scores = look_squared(np.zeros((1081, 1920, 3), np.uint8), plane, boxes_on(found))
    assert scores == pytest.approx([0.9, 0.9])
    for quad, k in zip(quads, wanted, strict=True):
        assert np.abs(quad - row[k]).max() < 6


def test_things_of_another_size_in_the_squared_picture_are_no_tiles():
    (plane,) = planes(slanted(5), (1081, 1920))
    found = np.array([[200, 100, 150, 160, 0.9, 0], [300, 100, 8, 12, 0.9, 0]])
    assert not len(look_squared(np.zeros((1081, 1920, 3), np.uint8), plane, boxes_on(found))[0])


def square_at(x: float, y: float, w: float = 10, h: float = 14) -> np.ndarray:
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


@pytest.mark.parametrize(
    "old, belief, new, belief_again, keep, add",
    [
        ([(0, 0)], [0.9], [(10, 0)], [0.9], [1], [1]),  # another tile
        ([(0, 0)], [0.9], [(1, 0)], [0.99], [1], [0]),  # what was read stays
        ([(0, 0)], [0.2], [(1, 0)], [0.9], [0], [1]),  # what was not, yields
        ([(0, 0)], [0.4], [(1, 0)], [0.3], [1], [0]),  # but not to worse
        ([(0, 0, 20, 14)], [0.4], [(0, 0), (10, 0)], [0.9, 0.8], [0], [1, 1]),  # one round two tiles
        ([(0, 0), (10, 0)], [0.9, 0.2], [(5, 0)], [0.95], [1, 1], [0]),  # one across a good one
        ([(0, 0)], [0.2], [(1, 0), (0, 1)], [0.6, 0.9], [0], [0, 1]),  # found twice
        ([], [], [(0, 0)], [0.9], [], [1]),
        ([(0, 0)], [0.9], [], [], [1], []),
    ],
)
def test_which_outlines_stay(old, belief, new, belief_again, keep, add):
    quads = np.array([square_at(*q) for q in old], np.float32).reshape(-1, 4, 2)
    again = np.array([square_at(*q) for q in new], np.float32).reshape(-1, 4, 2)
    kept, added = better(quads, np.array(belief), again, np.array(belief_again))
    assert kept.astype(int).tolist() == keep and added.astype(int).tolist() == add


def test_the_neighbours_of_a_slanted_tile_that_lies_alone_are_looked_for():
    row = np.stack([(CORNERS + np.array([k, 0])) * 80 @ np.array([[1, 0.2], [0.4, 1]]) + 200 for k in range(4)])
    (strip,) = planes(row[1:2], (1081, 1920))
    for k in (0, 2):
        expected = strip.to_picture(CORNERS + np.array([k - 1, 0]))
        assert np.abs(expected - row[k]).max() < 0.2 * np.linalg.norm(row[1][1] - row[1][0])


def test_no_more_planes_than_are_worth_their_time():
    many = np.concatenate([slanted(4) * 0.2 + np.array([300 * i, 200 * j]) for i in range(5) for j in range(5)])
    assert len(planes(many, (1200, 1920))) <= 3
    alone = np.stack([slanted(1)[0] * 0.2 + np.array([180 * i, 150 * j]) for i in range(5) for j in range(5)])
    assert len(planes(alone, (1200, 1920))) <= 6
