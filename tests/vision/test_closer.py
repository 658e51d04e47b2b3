"""Where a closer look is taken: round what could not be read, magnified, never cut off."""

from __future__ import annotations

import numpy as np
import pytest

from vision.closer import look_closer, windows

SHAPE = (1081, 1920)


def outline(x: float, y: float, w: float = 60, h: float = 80) -> np.ndarray:
    return np.array([[x, y], [x + w, y], [x + w, y + h], [x, y + h]], np.float32)


def test_what_was_read_is_not_looked_at_again():
    assert windows(np.stack([outline(100, 100), outline(900, 500)]), np.array([0.9, 0.5]), SHAPE) == []
    assert windows(np.zeros((0, 4, 2), np.float32), np.zeros(0), SHAPE) == []


def test_the_window_holds_the_outline_and_room_round_it_and_stays_in_the_picture():
    (window,) = windows(outline(5, 1000)[None], np.array([0.1]), SHAPE)
    left, top, right, bottom = window.box
    assert left == 0 and top < 1000 - 80 and right > 65 + 80 and bottom == 1081
    assert window.scale == pytest.approx(80 / 60)


def test_outlines_near_each_other_share_a_window_and_the_fullest_come_first():
    quads = np.stack([outline(1500, 900), outline(100, 100), outline(200, 120), outline(900, 500), outline(160, 220)])
    found = windows(quads, np.full(5, 0.2), SHAPE)
    assert len(found) == 2
    left, top, right, bottom = found[0].box
    assert left <= 100 and top <= 100 and right >= 260 and bottom >= 300


def test_a_large_outline_needs_no_closer_look():
    assert windows(outline(300, 300, 400, 560)[None], np.array([0.1]), SHAPE) == []


def test_tiles_in_a_window_lie_right_in_the_picture_and_those_cut_off_are_left_out():
    (window,) = windows(outline(500, 500)[None], np.array([0.1]), SHAPE)
    left, top, right, bottom = window.box
    scale = window.scale

    def net(blob: np.ndarray) -> np.ndarray:
        assert blob.shape[2] >= (bottom - top) * scale - 1 and blob.shape[3] >= (right - left) * scale - 1
        middle = np.array([(530 - left) * scale, (540 - top) * scale, 60 * scale, 80 * scale, 0.8, 0])
        at_the_edge = np.array([10, 60, 30, 40, 0.9, 0])
        return np.stack([middle, at_the_edge], 1).astype(np.float32)

    quads, scores = look_closer(np.zeros((*SHAPE, 3), np.uint8), window, net)
    assert scores == pytest.approx([0.8])
    assert np.abs(quads[0] - outline(500, 500)).max() < 1
