"""A reading drawn on its picture: what was read where, which tiles form a set, what is not sure."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from vision.reading import Reading, TileReading

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]

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
    taken = [_box(np.array(t.quad) * scale) for t in reading.tiles]
    for k, row in enumerate(reading.sets):
        verdict = verdicts[k] if verdicts else None
        colour = SET if verdict is None or verdict.ok is None else RIGHT if verdict.ok else WRONG
        hull = _around([reading[n] for n in row], scale, size * 0.16)
        _outline(shown, hull, colour, 2 * line)
        if verdict is not None and verdict.text:
            label = _Label(verdict.text, (0, 0), size * 0.36, LIGHT, colour)
            remarks.append(_beside(hull, label, taken, shown.shape[1::-1]))
            taken.append(remarks[-1].plate_box())
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

    def _text_box(self) -> Box:
        return _font(max(9, round(self.height))).getbbox(self.text, anchor="mm")

    def plate_box(self) -> Box:
        """The plate's corners: left, top, right, bottom."""
        left, top, right, bottom = self._text_box()
        half = ((right - left) / 2 + self.height * 0.22, (bottom - top) / 2 + self.height * 0.22)
        return self.at[0] - half[0], self.at[1] - half[1], self.at[0] + half[0], self.at[1] + half[1]

    def inside(self, size: tuple[int, int]) -> _Label:
        """The same, moved so that it lies wholly in a picture of this width and height."""
        left, top, right, bottom = self.plate_box()
        half = ((right - left) / 2, (bottom - top) / 2)
        x, y = (min(max(a, h), s - h) for a, h, s in zip(self.at, half, size, strict=True))
        return replace(self, at=(x, y))

    def write(self, pen: ImageDraw.ImageDraw) -> None:
        """Plate and text."""
        left, top, right, bottom = self._text_box()
        pad = self.height * 0.22
        pen.rounded_rectangle(self.plate_box(), radius=pad, fill=self.plate[::-1], outline=DARK)
        middle = (self.at[0] - (left + right) / 2, self.at[1] - (top + bottom) / 2)
        font = _font(max(9, round(self.height)))
        pen.text(middle, self.text, font=font, fill=self.ink[::-1], anchor="mm")


def _tile_label(tile: TileReading, scale: float) -> _Label:
    """The reading, over the tile's foot, so that the print above it can still be compared."""
    tl, tr, br, bl = np.array(tile.quad) * scale
    foot = (br + bl) / 2 * 0.8 + (tl + tr) / 2 * 0.2
    width = max(float(np.hypot(*(tr - tl) + (br - bl)) / 2), 8.0)
    ink = JOKER if tile.tile.is_joker else INKS.get(tile.tile.colour, UNREAD)
    plate = PALE_WARNING if tile.unsure else LIGHT
    return _Label(tile.word, (float(foot[0]), float(foot[1])), width * 0.42, ink, plate)


def _box(points: np.ndarray) -> Box:
    return (*map(float, points.min(axis=0)), *map(float, points.max(axis=0)))  # type: ignore[return-value]


def _beside(hull: np.ndarray, label: _Label, taken: Sequence[Box], size: tuple[int, int]) -> _Label:
    """The label at that side of a set (above, below, left, right) where it covers least of tiles and labels."""
    left, top, right, bottom = _box(hull)
    x0, y0, x1, y1 = label.plate_box()
    w, h = x1 - x0, y1 - y0
    middle = ((left + right) / 2, (top + bottom) / 2)
    sides = [(middle[0], top), (middle[0], bottom), (left - w / 2, middle[1]), (right + w / 2, middle[1])]
    places = [replace(label, at=at).inside(size) for at in sides]

    def covered(placed: _Label) -> float:
        a0, b0, a1, b1 = placed.plate_box()
        wide = (max(0.0, min(a1, c1) - max(a0, c0)) for c0, _, c1, _ in taken)
        high = (max(0.0, min(b1, d1) - max(b0, d0)) for _, d0, _, d1 in taken)
        away = abs(placed.at[0] - middle[0]) + abs(placed.at[1] - middle[1])
        return sum(x * y for x, y in zip(wide, high, strict=True)) + 0.05 * h * away

    return min(places, key=covered)


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
        label.inside(image.size).write(pen)
    return cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR)


def write_line(picture: np.ndarray, text: str, size: int) -> np.ndarray:
    """One line of dark text in the middle of a picture, BGR uint8; what does not fit is cut off."""
    image = Image.fromarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB))
    middle = (image.width / 2, image.height / 2)
    ImageDraw.Draw(image).text(middle, text, font=_font(size), fill=DARK, anchor="mm")
    return cv2.cvtColor(np.asarray(image), cv2.COLOR_RGB2BGR)

