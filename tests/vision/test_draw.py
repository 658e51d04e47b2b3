"""Drawn readings: what is drawn where, at every size; how it looks is for the eye."""

from __future__ import annotations

import numpy as np
import pytest

from referee.tiles import Tile
from vision.draw import RIGHT, SET, UNSURE, WRONG, Colour, Verdict, draw
from vision.reading import Reading, TileReading

GROUND = 96


def reading(words: str, width: float, at: tuple[float, float], sets: bool = True) -> Reading:
    """Tiles side by side, ``width`` wide, the first one's corner ``at``; ``!`` marks an unsure one."""
    x0, y0 = at
    found = tuple(
        TileReading(
            k, Tile.parse(w.rstrip("!")), 0.9, w.endswith("!"),
            ((x0 + k * width, y0), (x0 + (k + 1) * width, y0),
             (x0 + (k + 1) * width, y0 + 1.4 * width), (x0 + k * width, y0 + 1.4 * width)),
        )
        for k, w in enumerate(words.split())
    )
    ids = tuple(range(len(found)))
    return Reading(640, 480, None, found, (ids,) if sets else (), () if sets else ids)


def plain(width: int = 640, height: int = 480) -> np.ndarray:
    return np.full((height, width, 3), GROUND, np.uint8)


def shows(picture: np.ndarray, colour: Colour) -> int:
    """How many pixels are near a colour."""
    return int((np.abs(picture.astype(int) - colour).max(axis=-1) < 12).sum())


@pytest.mark.parametrize("width", [20, 60, 150])
def test_the_picture_is_kept_and_enlarged_for_tiny_tiles(width: int) -> None:
    before = plain()
    drawn = draw(before, reading("r5 r6 r7", width, (30, 40)))
    assert (before == GROUND).all()
    scale = drawn.shape[1] / 640
    assert scale == pytest.approx(52 / 20, abs=0.01) if width == 20 else scale == 1
    assert drawn.dtype == np.uint8
    far = drawn[int(300 * scale) :, int(550 * scale) :]
    assert (far == GROUND).all()


def test_unsure_tiles_in_another_style() -> None:
    sure = draw(plain(), reading("r5 r6 r7", 60, (50, 50)))
    unsure = draw(plain(), reading("r5 r6! r7", 60, (50, 50)))
    assert shows(sure, UNSURE) == 0 and shows(unsure, UNSURE) > 100
    rim = (np.abs(unsure[:, 109:112].astype(int) - UNSURE).max(axis=-1) < 12).any(axis=1)[60:125]
    assert rim.any() and not rim.all()  # dashes, not a line


def test_sets_are_wrapped_and_loose_tiles_are_not() -> None:
    assert shows(draw(plain(), reading("r5 r6 r7", 60, (50, 50))), SET) > 300
    assert shows(draw(plain(), reading("r5 r6 r7", 60, (50, 50), sets=False)), SET) == 0


@pytest.mark.parametrize(("ok", "colour"), [(True, RIGHT), (False, WRONG), (None, SET)])
def test_verdicts_colour_the_set(ok: bool | None, colour: Colour) -> None:
    drawn = draw(plain(), reading("r5 r6 r7", 60, (50, 50)), [Verdict("run: a gap after 6", ok)])
    others = {RIGHT, WRONG, SET} - {colour}
    assert shows(drawn, colour) > 300 and all(shows(drawn, other) < 30 for other in others)


def test_a_verdict_for_each_set() -> None:
    with pytest.raises(ValueError, match="each of 1 sets, got 2"):
        draw(plain(), reading("r5 r6 r7", 60, (50, 50)), [None, None])


def test_no_tiles_is_written_on_the_picture() -> None:
    drawn = draw(plain(), Reading(640, 480))
    assert (drawn[:100] == GROUND).all() and (drawn[220:260] != GROUND).any()


@pytest.mark.parametrize("at", [(-40, -60), (600, 440), (600, -30)])
def test_tiles_over_the_border(at: tuple[float, float]) -> None:
    drawn = draw(plain(), reading("r5! k6 ?", 60, at), [Verdict("mixed set", False)])
    assert drawn.shape == (480, 640, 3) and (drawn != GROUND).any()


@pytest.mark.parametrize("size", [(16, 16), (4000, 3000), (3000, 200)])
def test_every_size(size: tuple[int, int]) -> None:
    width, height = size
    drawn = draw(plain(width, height), reading("r5 j! ?", min(size) / 5, (min(size) / 10, min(size) / 10)))
    assert max(drawn.shape) <= max(4000, *size)
