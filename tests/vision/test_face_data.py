"""Crops for the face net: frames that hold no single tile."""

from __future__ import annotations

import numpy as np
import pytest

from vision.train.face_data import FAINT, KEPT, _decoys, _with_neighbour, contrast

TILE = np.array([[0, 0], [20, 0], [20, 28], [0, 28]], np.float32)


@pytest.mark.parametrize("away, found", [(20, True), (22, True), (-20, False), (40, False)])
def test_a_frame_round_a_tile_and_the_one_to_its_right(away, found):
    centres = np.array([TILE.mean(0), TILE.mean(0) + np.array([away, 0])])
    both = _with_neighbour(TILE, centres)
    assert (both is not None) == found
    if both is not None:
        assert both.tolist() == [[0, 0], [20 + away, 0], [20 + away, 28], [0, 28]]


def test_no_decoy_is_a_tile_of_the_picture():
    row = [TILE + np.array([100 + 20 * k, 100], np.float32) for k in range(5)]
    picture = np.zeros((300, 400, 3), np.uint8)
    decoys = _decoys(picture, row, np.random.default_rng(4), 60)
    assert len(decoys) == 60
    for decoy in decoys:
        for tile in row:
            same_place = np.linalg.norm(decoy.mean(0) - tile.mean(0)) < 5
            same_size = abs(np.linalg.norm(decoy[1] - decoy[0]) - 20) < 5
            assert not (same_place and same_size)


@pytest.mark.parametrize(
    "print_, body, seen", [(20, 230, True), (150, 230, True), (215, 230, False), (255, 255, False), (6, 40, True)]
)
def test_print_that_nobody_can_see_teaches_nothing(print_, body, seen):
    crop = np.full((KEPT, KEPT, 3), body, np.uint8)
    crop[30:56, 40:52] = print_
    assert (contrast(crop) > FAINT) == seen
