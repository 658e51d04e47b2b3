"""Digits and words as masks: our own stroked digits, and any TrueType face that is installed.

Our own digits need no file, so a seed gives the same bytes everywhere; typefaces in given folders add variety for
training and are named in the recipe.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

Mask = np.ndarray
"""float32 (h, w), 0 paper to 1 ink."""


@dataclass(frozen=True)
class Strokes:
    """How our own digits are drawn; lengths in digit heights."""

    weight: float = 0.16
    width: float = 0.6
    slant: float = 0.0
    squareness: float = 0.0
    flag: bool = True
    foot: bool = False
    bar: bool = False
    open_four: bool = False
    flat_three: bool = False
    straight_tail: bool = False


@dataclass(frozen=True)
class Typeface:
    """A font file, drawn bolder by ``embolden`` (pixels per 100 px of height) and ``condense``d in width."""

    path: str
    embolden: float = 0.0
    condense: float = 1.0


Face = Strokes | Typeface


def _arc(
    cx: float, cy: float, rx: float, ry: float, start: float, end: float, square: float
) -> list[tuple[float, float]]:
    """Points of an elliptic arc in degrees (0 right, 90 down); ``square`` swells it to a superellipse."""
    t = np.radians(np.linspace(start, end, 25))
    c, s = np.cos(t), np.sin(t)
    power = 1.0 - 0.45 * square
    return list(zip(cx + rx * np.sign(c) * np.abs(c) ** power, cy + ry * np.sign(s) * np.abs(s) ** power, strict=True))


def _digit_paths(digit: str, s: Strokes) -> list[list[tuple[float, float]]]:
    """Centre lines of one digit in a box of width 1 and height 1."""
    q = s.squareness
    match digit:
        case "0":
            return [_arc(0.5, 0.5, 0.5, 0.5, 0, 360, q)]
        case "1":
            lines = [[(0.55, 0.0), (0.55, 1.0)]]
            if s.flag:
                lines.append([(0.55, 0.0), (0.15, 0.22)])
            if s.foot:
                lines.append([(0.15, 1.0), (0.95, 1.0)])
            return lines
        case "2":
            return [[*_arc(0.5, 0.29, 0.48, 0.29, 190, 375, q), (0.02, 1.0), (1.0, 1.0)]]
        case "3":
            if s.flat_three:
                return [[(0.05, 0.0), (0.95, 0.0), (0.45, 0.42), *_arc(0.5, 0.7, 0.48, 0.3, 270, 520, q)]]
            return [[*_arc(0.5, 0.25, 0.43, 0.25, 195, 450, q), *_arc(0.5, 0.74, 0.5, 0.26, 270, 525, q)]]
        case "4":
            top = 0.35 if s.open_four else 0.75
            return [
                [(top, 0.0), (0.0, 0.72), (1.0, 0.72)],
                [(0.75, 0.35 if s.open_four else 0.0), (0.75, 1.0)],
            ]
        case "5":
            return [[(0.92, 0.0), (0.16, 0.0), (0.08, 0.46), *_arc(0.48, 0.68, 0.5, 0.32, 215, 515, q)]]
        case "6":
            if s.straight_tail:
                return [_arc(0.5, 0.68, 0.48, 0.32, 0, 360, q), [(0.7, 0.0), (0.1, 0.52)]]
            return [_arc(0.5, 0.68, 0.48, 0.32, 0, 360, q), _arc(0.58, 0.62, 0.57, 0.62, 180, 300, q)]
        case "7":
            lines = [[(0.0, 0.0), (1.0, 0.0), (0.35, 1.0)]]
            if s.bar:
                lines.append([(0.25, 0.5), (0.9, 0.5)])
            return lines
        case "8":
            return [_arc(0.5, 0.25, 0.42, 0.25, 0, 360, q), _arc(0.5, 0.74, 0.5, 0.26, 0, 360, q)]
        case _:
            six = _digit_paths("6", s)
            return [[(1 - x, 1 - y) for x, y in path] for path in six]


def _stroked(text: str, s: Strokes, height: int) -> Mask:
    scale = 2
    h = height * scale
    weight = max(2, round(s.weight * h))
    body = h - weight
    advance = round(s.width * h + weight * 1.25)
    widths = [round(advance * (0.72 if c == "1" and not s.foot else 1.0)) for c in text]
    skew = abs(s.slant) * h
    canvas = np.zeros((h, int(sum(widths) + skew) + 2), np.uint8)
    x = skew if s.slant < 0 else 0.0
    for c, w in zip(text, widths, strict=True):
        for path in _digit_paths(c, s):
            points = np.array(path, np.float32)
            py = points[:, 1] * body + weight / 2
            px = x + weight * 0.6 + points[:, 0] * (w - weight * 1.25) + s.slant * (h - py)
            line = np.round(np.stack([px, py], 1) * 16).astype(np.int32)
            cv2.polylines(canvas, [line], False, 255, weight, cv2.LINE_AA, 4)
        x += w
    return _trim(cv2.resize(canvas, None, fx=1 / scale, fy=1 / scale, interpolation=cv2.INTER_AREA))


@lru_cache(maxsize=512)
def _font(path: str, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size)


def _typeset(text: str, face: Typeface, height: int) -> Mask:
    font = _font(face.path, round(height * 1.45))
    left, top, right, bottom = font.getbbox(text)
    pad = 4
    image = Image.new("L", (int(right - left) + 2 * pad, int(bottom - top) + 2 * pad))
    ImageDraw.Draw(image).text((pad - left, pad - top), text, fill=255, font=font)
    mask = np.asarray(image)
    grow = round(face.embolden * height / 100)
    if grow > 0:
        mask = cv2.dilate(mask, cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * grow + 1, 2 * grow + 1)))
    mask = _trim(mask)
    width = max(1, round(mask.shape[1] * face.condense * height / mask.shape[0]))
    return cv2.resize(mask, (width, height), interpolation=cv2.INTER_AREA)


def _trim(mask: np.ndarray) -> Mask:
    ys, xs = np.flatnonzero(mask.max(1) > 20), np.flatnonzero(mask.max(0) > 20)
    if not len(ys):
        return np.zeros((4, 4), np.float32)
    return mask[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1].astype(np.float32) / 255


def word(text: str, face: Face, height: int) -> Mask:
    """``text`` (digits only for `Strokes`) as a mask about ``height`` px high, cut to its ink."""
    return _stroked(text, face, height) if isinstance(face, Strokes) else _typeset(text, face, height)


def random_strokes(rng: np.random.Generator) -> Strokes:
    return Strokes(
        weight=float(rng.uniform(0.09, 0.24)),
        width=float(rng.uniform(0.42, 0.72)),
        slant=float(rng.choice([0.0, 0.0, rng.uniform(-0.02, 0.2)])),
        squareness=float(rng.choice([0.0, rng.uniform(0, 1)])),
        flag=bool(rng.random() < 0.8),
        foot=bool(rng.random() < 0.2),
        bar=bool(rng.random() < 0.08),
        open_four=bool(rng.random() < 0.15),
        flat_three=bool(rng.random() < 0.2),
        straight_tail=bool(rng.random() < 0.2),
    )


@lru_cache(maxsize=8)
def typefaces(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Font files below ``folders`` whose ten digits can be drawn and differ, sorted by name."""
    good = []
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix.lower() in {".ttf", ".otf"} and _has_digits(str(path)):
                good.append(str(path))
    return tuple(good)


_UNWANTED = (
    "italic",
    "oblique",
    "thin",
    "hairline",
    "extralight",
    "emoji",
    "symbol",
    "dingbat",
    "math",
    "icon",
    "swash",
    "chancery",
    "d050000l",
    "initials",
    "smallcap",
    "sketch",
    "-sc",
    "caps",
)


def _has_digits(path: str) -> bool:
    name = Path(path).name.lower()
    if any(word in name for word in _UNWANTED) or name.startswith("s0"):
        return False
    try:
        font = ImageFont.truetype(path, 40)
        boxes = [font.getbbox(d) for d in "0123456789"]
        heights = [b[3] - b[1] for b in boxes]
        drawn = {bytes(font.getmask(d)) for d in "0123456789"}
    except (OSError, ValueError):
        return False
    # Old-style figures stand at different heights: no tile maker uses them.
    return len(drawn) == 10 and min(heights) > 15 and max(heights) - min(heights) <= 4


def random_face(rng: np.random.Generator, files: tuple[str, ...], own: float = 0.3) -> Face:
    """A face for an edition: one of ``files``, or our own strokes with probability ``own`` or where there are none."""
    if not files or rng.random() < own:
        return random_strokes(rng)
    path = files[int(rng.integers(len(files)))]
    return Typeface(path, float(rng.choice([0.0, rng.uniform(0, 3.5)])), float(rng.uniform(0.72, 1.1)))
