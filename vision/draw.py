"""A reading drawn on its picture: what was read where, which tiles form a set, what is not sure."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.reading import Reading, TileReading

Colour = tuple[int, int, int]

# BGR. The inks are those of the tiles; the others are far from any ink.
INKS: dict[str, Colour] = {"k": (30, 30, 30), "b": (200, 90, 0), "r": (40, 30, 210), "o": (0, 125, 240)}
JOKER: Colour = (140, 30, 120)
UNREAD: Colour = (90, 90, 90)
SURE: Colour = (245, 245, 245)
UNSURE: Colour = (0, 220, 255)
SET: Colour = (235, 190, 40)
RIGHT: Colour = (70, 170, 30)
WRONG: Colour = (60, 40, 220)
DARK: Colour = (25, 25, 25)
LIGHT: Colour = (255, 255, 255)
PALE_WARNING: Colour = (170, 245, 255)

SMALLEST_TILE = 52.0
"""Pixels of a tile's width in the drawn picture; below, the drawing is enlarged so that it can be read."""
LARGEST_SIDE = 4000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What to write at a set: a short text, and whether the set is right (None: only a remark)."""

    text: str
    ok: bool | None = None


def draw(
    picture: np.ndarray, reading: Reading, verdicts: Sequence[Verdict | None] | None = None
) -> np.ndarray:
    """The picture with the reading drawn on it.

    Sure tiles have a thin line and a white label, unsure ones a dashed yellow line and a label with ``?``;
    each set is wrapped in a wide line. Lines and letters follow the size of the tiles; where tiles are tiny
    the drawing is larger than the picture.

    Args:
        picture: (h, w, 3) BGR uint8; it is left as it is.
        reading: what was read in it.
        verdicts: one a set, or None where there is nothing to say.

    Returns:
        A new picture, BGR uint8.
    """
    if verdicts is not None and len(verdicts) != len(reading.sets):
        raise ValueError(f"expected a verdict for each of {len(reading.sets)} sets, got {len(verdicts)}")
    scale = _enlarge(picture, reading)
    shown = picture.copy()
    if scale > 1:
        shown = cv2.resize(shown, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC)
    if not reading.tiles:
        return _write(shown, [_headline(shown, "no tiles found")])
    size = _tile_width(reading.tiles) * scale
    line = max(1, round(size / 30))
    labels: list[_Label] = []
    remarks: list[_Label] = []
    for k, row in enumerate(reading.sets):
        verdict = verdicts[k] if verdicts else None
        colour = SET if verdict is None or verdict.ok is None else RIGHT if verdict.ok else WRONG
        hull = _around([reading[n] for n in row], scale, size * 0.16)
        _outline(shown, hull, colour, 2 * line)
        if verdict is not None and verdict.text:
            remarks.append(_verdict_label(hull, verdict.text, colour, size))
    for tile in reading.tiles:
        corners = np.array(tile.quad) * scale
        if tile.unsure:
            _dashed(shown, corners, UNSURE, 2 * line, size / 5)
        else:
            _outline(shown, corners, SURE, line)
        labels.append(_tile_label(tile, scale))
    return _write(shown, labels + remarks)


def _tile_width(tiles: Sequence[TileReading]) -> float:
    """The usual width of a tile in pixels: the median over the tiles of their upper and lower edge."""
    quads = np.array([t.quad for t in tiles])
    edges = np.hypot(*(quads[:, [1, 2]] - quads[:, [0, 3]]).transpose(2, 0, 1))
    return max(float(np.median(edges)), 4.0)


def _enlarge(picture: np.ndarray, reading: Reading) -> float:
    if not reading.tiles:
        return 1.0
    wanted = SMALLEST_TILE / _tile_width(reading.tiles)
    return float(max(1.0, min(wanted, LARGEST_SIDE / max(picture.shape[:2]))))


def _around(tiles: Sequence[TileReading], scale: float, margin: float) -> np.ndarray:
    """The hull of some tiles, grown outwards by ``margin`` pixels, (n, 2)."""
    points = np.concatenate([np.array(t.quad) * scale for t in tiles])
    ring = margin * np.array([[np.cos(a), np.sin(a)] for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)])
    grown = (points[:, None] + ring[None]).reshape(-1, 2).astype(np.float32)
    return cv2.convexHull(grown).reshape(-1, 2)


def _outline(picture: np.ndarray, corners: np.ndarray, colour: Colour, width: int) -> None:
    """A closed line with a dark rim, so that it shows on light and dark ground."""
    points = [np.round(corners).astype(np.int32)]
    cv2.polylines(picture, points, True, DARK, width + max(2, width // 2), cv2.LINE_AA)
    cv2.polylines(picture, points, True, colour, width, cv2.LINE_AA)


def _dashed(picture: np.ndarray, corners: np.ndarray, colour: Colour, width: int, dash: float) -> None:
    rim = width + max(2, width // 2)
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        parts = max(3, round(float(np.hypot(*(b - a))) / dash) | 1)
        stops = [tuple(int(v) for v in np.round(a + (b - a) * k / parts)) for k in range(parts + 1)]
        for k in range(0, parts, 2):
            cv2.line(picture, stops[k], stops[k + 1], DARK, rim, cv2.LINE_AA)
            cv2.line(picture, stops[k], stops[k + 1], colour, width, cv2.LINE_AA)


@dataclass(frozen=True, slots=True)
class _Label:
    """A text on a plate, by its middle in pixels."""

    text: str
    at: tuple[float, float]
    height: float
    ink: Colour
    plate: Colour


def _tile_label(tile: TileReading, scale: float) -> _Label:
    """The reading, over the tile's foot, so that the print above it can still be compared."""
    tl, tr, br, bl = np.array(tile.quad) * scale
    foot = (br + bl) / 2 * 0.8 + (tl + tr) / 2 * 0.2
    width = max(float(np.hypot(*(tr - tl) + (br - bl)) / 2), 8.0)
    text = str(tile.tile) + ("?" if tile.unsure and "?" not in str(tile.tile) else "")
    ink = JOKER if tile.tile.is_joker else INKS.get(tile.tile.colour, UNREAD)
    plate = PALE_WARNING if tile.unsure else LIGHT
    return _Label(text, (float(foot[0]), float(foot[1])), width * 0.42, ink, plate)


def _verdict_label(hull: np.ndarray, text: str, colour: Colour, size: float) -> _Label:
    middle = (float(hull[:, 0].min()) + float(hull[:, 0].max())) / 2
    return _Label(text, (middle, float(hull[:, 1].min()) - size * 0.12), size * 0.36, LIGHT, colour)


def _headline(picture: np.ndarray, text: str) -> _Label:
    height, width = picture.shape[:2]
    letters = max(10.0, min(height, width) / 14)
    return _Label(text, (width / 2, height / 2), letters, DARK, PALE_WARNING)


@functools.lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _write(picture: np.ndarray, labels: Sequence[_Label]) -> np.ndarray:
    """Put all labels on the picture, each wholly inside it."""
    image = Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    pen = ImageDraw.Draw(image)
    for label in labels:
        font = _font(max(9, round(label.height)))
        box = pen.textbbox((0, 0), label.text, font=font, anchor="mm")
        pad = label.height * 0.22
        half_w, half_h = (box[2] - box[0]) / 2 + pad, (box[3] - box[1]) / 2 + pad
        x = min(max(label.at[0], half_w), image.width - half_w)
        y = min(max(label.at[1], half_h), image.height - half_h)
        plate = (x - half_w, y - half_h, x + half_w, y + half_h)
        pen.rounded_rectangle(plate, radius=pad, fill=label.plate[::-1], outline=DARK)
        middle = (x - (box[0] + box[2]) / 2, y - (box[1] + box[3]) / 2)
        pen.text(middle, label.text, font=font, fill=label.ink[::-1], anchor="mm")
    return cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR)


def write_line(picture: np.ndarray, text: str, size: int) -> np.ndarray:
    """One line of dark text in the middle of a picture, BGR uint8; what does not fit is cut off."""
    image = Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    middle = (image.width / 2, image.height / 2)
    ImageDraw.Draw(image).text(middle, text, font=_font(size), fill=DARK, anchor="mm")
    return cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR)

