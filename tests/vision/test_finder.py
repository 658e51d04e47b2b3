"""The finder's own steps, with a net that knows where the tiles are."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.finder import INPUT, Found, _windows, corners, find, once


class KnowingNet:
    """Sees every white patch of what it is shown, twice as nets do; patches narrower than ``least`` px it misses."""

    def __init__(self, least: float = 0) -> None:
        self.least, self.looks = least, 0

    def __call__(self, blob: np.ndarray) -> np.ndarray:
        self.looks += 1
        _, _, patches, _ = cv2.connectedComponentsWithStats((blob[0, 1] > 0.6).astype(np.uint8), connectivity=4)
        rows = []
        for x, y, w, h, _ in patches[1:]:
            if w >= self.least:
                for shift in (0, 0.6):
                    rows.append([x + w / 2 + shift, y + h / 2, w, h, 0.9 - shift / 10, 0.0])
        return np.array(rows, np.float32).reshape(-1, 6).T


def table(h: int, w: int, tiles: list[tuple[int, int]], size: int) -> np.ndarray:
    picture = np.zeros((h, w, 3), np.uint8)
    for x, y in tiles:
        picture[y : y + round(size * 1.4), x : x + size] = 255
    return picture


def test_corners_run_clockwise_from_the_top_left():
    quad = corners(np.array([[10, 20, 4, 6, 0.0]]))[0]
    assert quad.tolist() == [[8, 17], [12, 17], [12, 23], [8, 23]]
    turned = corners(np.array([[0, 0, 4, 6, np.pi / 2]]))[0]
    assert np.allclose(turned, [[3, -2], [3, 2], [-3, 2], [-3, -2]], atol=1e-5)


@pytest.mark.parametrize("size", [(480, 640), (960, 1280), (3000, 4000), (64, 900)])
def test_each_tile_once_whatever_the_size(size):
    h, w = size
    tile = max(20, w // 25)
    places = [(x, y) for y in range(5, h - 2 * tile, 2 * tile) for x in range(5, w - tile, 2 * tile)][:40]
    found = find(table(h, w, places, tile), KnowingNet())
    assert len(found.scores) == len(places)
    centres = np.array([(x + tile / 2, y + tile * 0.7) for x, y in places])
    for centre in centres:
        assert np.hypot(*(found.boxes[:, :2] - centre).T).min() < tile * 0.12


def test_small_tiles_in_a_large_picture_are_looked_at_again():
    places = [(400 + 130 * k, 900) for k in range(12)]
    net = KnowingNet(least=6)
    found = find(table(3000, 4000, places, 60), net)
    assert len(found.scores) == 12 and net.looks > 1
    assert net.looks < 14, "windows without tiles are not looked at"


def test_tiles_too_small_for_the_first_look_are_found():
    places = [(400 + 400 * k, 900 + 100 * k) for k in range(8)]
    found = find(table(3000, 4000, places, 40), KnowingNet(least=9))
    assert len(found.scores) == 8


def test_tiles_cut_by_a_window_are_whole_in_its_neighbour():
    places = [(x, y) for y in range(40, 2900, 260) for x in range(30, 3900, 330)]
    found = find(table(3000, 4000, places[:100], 70), KnowingNet(least=5))
    assert len(found.scores) == min(100, len(places))
    assert np.abs(found.boxes[:, 2] - 70).max() < 6


def test_windows_cover_and_overlap():
    for h, w in [(100, 100), (1000, 700), (3000, 4000)]:
        seen = np.zeros((h, w), int)
        for x0, y0, x1, y1 in _windows(h, w, 640, 120):
            assert x1 - x0 <= 640 and y1 - y0 <= 640
            seen[y0:y1, x0:x1] += 1
        assert seen.min() >= 1


def test_once_keeps_neighbours_and_drops_doubles():
    boxes = np.array(
        [
            [0, 0, 20, 28, 0],
            [1, 1, 20, 28, 0.02],
            [20.5, 0, 20, 28, 0],
            [0, 28.5, 20, 28, 0],
            [0, 0, 28, 20, np.pi / 2],
        ],
        np.float32,
    )
    kept = once(Found(boxes, np.array([0.9, 0.8, 0.85, 0.7, 0.6], np.float32)))
    assert len(kept.scores) == 3


def test_a_box_round_two_tiles_gives_way_to_them():
    boxes = np.array([[0, 0, 20, 28, 0], [21, 0, 20, 28, 0], [10, 0, 41, 28, 0]], np.float32)
    kept = once(Found(boxes, np.array([0.9, 0.85, 0.5], np.float32)))
    assert len(kept.scores) == 2


def test_a_surer_box_round_three_tiles_still_gives_way():
    boxes = np.array([[0, 0, 20, 60, 0], [21, 0, 20, 60, 0], [42, 0, 20, 60, 0], [21, 0, 62, 60, 0]], np.float32)
    kept = once(Found(boxes, np.array([0.5, 0.45, 0.5, 0.9], np.float32)))
    assert len(kept.scores) == 3 and kept.boxes[:, 2].max() < 30


def test_an_empty_table():
    found = find(np.zeros((480, 640, 3), np.uint8), KnowingNet())
    assert found.boxes.shape == (0, 5) and found.quads.shape == (0, 4, 2)
    assert INPUT % 32 == 0
