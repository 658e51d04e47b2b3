"""Rendered tables: the same seed gives the same bytes, and the labels say what was drawn."""

from __future__ import annotations

import json

import cv2
import numpy as np
import pytest

from referee.tiles import COLOURS, Tile
from vision.render.dataset import rectangle, render_tables
from vision.render.editions import face_texture, random_edition
from vision.render.glyphs import random_strokes, word
from vision.render.lens import Light, View, defocus
from vision.render.random_scenes import FAR, SCENES, SLANT, random_scene
from vision.render.scene import Hand, Piece, Scene, draw


def simple(pieces: tuple[Piece, ...], **changes: object) -> Scene:
    edition = random_edition(np.random.default_rng(4))
    view = View(480, 360, 12.0, 0.0, 0.0, 0.0, 1.0)
    light = Light(noise=0, jpeg=95, shadow=0.2)
    return Scene(edition, view, light, pieces, "plain", **changes)  # type: ignore[arg-type]


def test_one_seed_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        assert list(render_tables(tmp_path / name, 4, seed=9, size=160))[-1] == 4
    for file in sorted((tmp_path / "a").iterdir()):
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes(), file.name


def test_more_workers_give_the_same_bytes(tmp_path):
    list(render_tables(tmp_path / "a", 3, seed=2, size=128))
    list(render_tables(tmp_path / "b", 3, seed=2, size=128, workers=2))
    assert (tmp_path / "a" / "00002.jpg").read_bytes() == (tmp_path / "b" / "00002.jpg").read_bytes()
    assert json.loads((tmp_path / "a" / "labels.json").read_text()) == json.loads(
        (tmp_path / "b" / "labels.json").read_text()
    )


@pytest.mark.parametrize("kind", [*SCENES, SLANT, FAR])
def test_every_kind_of_scene_can_be_drawn(kind):
    for seed in range(4):
        drawn = draw(random_scene(np.random.default_rng(seed), 256, 192, kind))
        assert drawn.picture.shape == (192, 256, 3) and drawn.picture.dtype == np.uint8
        if kind == "empty":
            assert not drawn.labels
        for label in drawn.labels:
            assert np.isfinite(label.quad).all() and 0 <= label.visible <= 1 and 0 <= label.legible <= 1


@pytest.mark.parametrize("angle", [0, 30, 90, 180, 245])
def test_the_quad_begins_at_the_tiles_own_top_left(angle):
    piece = Piece.flat(Tile.parse("k7"), 0, 0, np.radians(angle))
    label = draw(simple((piece,))).labels[0]
    right, down = label.quad[1] - label.quad[0], label.quad[3] - label.quad[0]
    # Counterclockwise on the table is counterclockwise in the picture, whose y points down.
    assert np.degrees(np.arctan2(-right[1], right[0])) % 360 == pytest.approx(angle % 360, abs=1)
    assert right[0] * down[1] - right[1] * down[0] > 0, "clockwise"
    box = rectangle(label)
    assert np.abs(box - label.quad).max() < 3, "seen from above the rectangle is the quad"


def test_the_print_stands_in_the_upper_half():
    rng = np.random.default_rng(0)
    for seed in range(12):
        edition = random_edition(np.random.default_rng(seed))
        _, _, ink = face_texture(edition, Tile.parse("k6"), 90, 1.0, rng)
        rows = np.flatnonzero(ink.max(1) > 0.5)
        assert rows.mean() < ink.shape[0] / 2


def test_a_hand_hides_what_is_under_it():
    row = tuple(Piece.flat(Tile(COLOURS[k % 4], k + 1), (k - 2.5) * 1.05, 0, 0, 0, 0) for k in range(6))
    free = {str(x.tile): x for x in draw(simple(row)).labels}
    assert len(free) == 6 and all(x.visible > 0.97 and x.legible > 0.97 for x in free.values())
    hand = Hand((240, 170), np.pi / 2, 160)
    covered = {str(x.tile): x for x in draw(simple(row, hands=(hand,))).labels}
    assert min(x.visible for x in covered.values()) < 0.5 or len(covered) < 6
    assert covered["k1"].visible > 0.9, "the ends of the row lie free"


def test_a_tile_half_outside_the_picture_is_labelled_so():
    label = draw(simple((Piece.flat(Tile.parse("r3"), 6.0, 0, 0),))).labels[0]
    assert 0.3 < label.visible < 0.7


def test_tiles_that_touch_are_each_labelled_once():
    pieces = tuple(
        Piece.flat(Tile(c, n + 1), (n - 6) * 0.78, y * 1.2, 0) for y, c in enumerate(COLOURS) for n in range(0, 13, 2)
    )
    labels = draw(simple(pieces)).labels
    assert len({str(x.tile) for x in labels}) == len(labels)


def test_distortion_moves_labels_with_the_picture():
    view = View(400, 300, 12.0, 0.3, 0.2, 0.1, 1.0, distortion=0.15)
    points = np.array([[20.0, 30.0], [200, 150], [390, 280]])
    bent = view.bend(points)
    u = (bent - [200, 150]) / 200
    back = u * (1 + 0.15 * (u**2).sum(1, keepdims=True)) * 200 + [200, 150]
    assert np.abs(back - points).max() < 0.1


def test_own_digits_differ_from_each_other():
    for seed in range(20):
        face = random_strokes(np.random.default_rng(seed))
        masks = [cv2.resize(word(str(d), face, 40), (24, 40)) for d in range(10)]
        for i in range(10):
            for j in range(i):
                assert np.abs(masks[i] - masks[j]).mean() > 0.04, (i, j, face)


def test_what_is_farther_than_the_focus_is_blurred_more():
    view = View(480, 360, 12.0, 0.9, 0.0, 0.0, 1.0)
    depth = view.depth_of_table()
    assert depth[180, 240] == pytest.approx(12.0, rel=0.01)
    assert (np.diff(depth[:, 240]) <= 0).all(), "the far end of the table is at the top"
    for x, y in ((0.0, 0.0), (2.0, 3.0), (-3.0, -1.0)):
        px, py = np.round(view.project(np.array([[x, y, 0.0]]))[0]).astype(int)
        forward = (np.array([x, y, 0.0]) @ view._axes()[2]) + 12.0
        assert depth[py, px] == pytest.approx(forward, rel=0.02)


def test_blur_is_as_wide_as_asked_at_every_place():
    spots = np.zeros((64, 160, 3), np.float32)
    for x in (20, 80, 140):
        spots[32, x] = 1000
    sigma = np.full((64, 160), 0.0, np.float32)
    sigma[:, 50:110], sigma[:, 110:] = 2.0, 3.0
    out = defocus(spots, sigma)
    assert out[32, 20, 0] == pytest.approx(1000)
    peaks = [1000 / (2 * np.pi * s**2) for s in (2.0, 3.0)]
    assert out[32, 80, 0] == pytest.approx(peaks[0], rel=0.05)
    assert 0.5 * peaks[1] < out[32, 140, 0] < peaks[0]
