"""Neighbours say which way up a doubtful tile is; they never make it sure."""

from __future__ import annotations

import numpy as np

from vision.faces import FaceReading
from vision.uprights import share_direction, ups


def reading(
    x: float, number: int, chance: float = 0.99, turn: int = 0, other: tuple[int, int, float] | None = None
) -> FaceReading:
    """A tile at ``x``, upright in the picture when ``turn`` is 0; ``other`` is (turn, number, chance)."""
    faces = np.full((4, 14), 1e-4)
    faces[turn, number - 1] = chance
    if other:
        faces[other[0], other[1] - 1] = other[2]
    quad = np.array([[x, 0], [x + 50, 0], [x + 50, 70], [x, 70]], np.float32)
    return FaceReading(faces, 0.001, np.full(4, 0.25), np.roll(quad, -turn, axis=0))


def test_ups_follow_the_turn():
    upright, flipped = reading(0, 4), reading(0, 4, turn=2)
    assert np.allclose(ups(upright)[0], [0, -1]) and np.allclose(ups(upright)[2], [0, 1])
    assert np.allclose(ups(flipped)[2], [0, 1]), "its own top points down"
    assert np.allclose(ups(flipped)[0], [0, -1])


def test_a_six_among_upright_tiles_is_no_nine_and_is_not_sure():
    row = [reading(0, 4), reading(55, 5), reading(110, 9, 0.6, 2, (0, 6, 0.35)), reading(165, 7)]
    settled, changed = share_direction(row)
    assert settled[2].classes.argmax() == 5 and changed.tolist() == [False, False, True, False]
    assert np.allclose(settled[2].quad[0], [110, 0]), "its quad turns with it"


def test_a_clear_tile_lying_upside_down_stays_so():
    row = [reading(0, 4), reading(55, 5, 0.998, 2), reading(110, 3)]
    settled, changed = share_direction(row)
    assert not changed.any() and settled[1].turn == 2


def test_far_tiles_and_single_tiles_say_nothing():
    lone = [reading(0, 9, 0.6, 2, (0, 6, 0.35))]
    assert share_direction(lone)[0][0].turn == 2
    apart = [reading(0, 9, 0.6, 2, (0, 6, 0.35)), reading(900, 4)]
    settled, changed = share_direction(apart)
    assert settled[0].turn == 2 and not changed.any()
    assert share_direction([])[0] == []


def test_probabilities_are_kept():
    row = [reading(55.0 * k, 3 + k, 0.9, 2 * (k % 2)) for k in range(5)]
    for before, after in zip(row, share_direction(row)[0], strict=True):
        assert abs(before.faces.sum() - after.faces.sum()) < 1e-9 and before.nothing == after.nothing
