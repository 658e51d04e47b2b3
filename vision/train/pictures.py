"""Labelled pictures for training: rendered folders and real photos, read into one form, split by series.

A sample is a picture file with the rotated rectangle of every tile that shows its face. Rendered folders are
described in `vision.render.dataset`; photo folders hold ``labels.json`` with ``series`` and outlined tiles.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

MIN_VISIBLE, MIN_LEGIBLE = 0.4, 0.62


@dataclass(frozen=True)
class Target:
    """A tile in a picture: ``tile`` as written, or None where no face can be read; ``rectangle`` float32 (4, 2) in
    pixels; ``up_known`` says that its first corner is the tile's own top left. ``quad`` float32 (4, 2) is the whole
    face, also where a part of it is hidden; None where that is not known."""

    tile: str | None
    rectangle: np.ndarray
    up_known: bool
    legible: float = 1.0
    quad: np.ndarray | None = None


@dataclass(frozen=True)
class Sample:
    path: Path
    series: str
    targets: tuple[Target, ...]


def open_picture(path: Path) -> np.ndarray:
    """uint8 (h, w, 3) BGR. Raises ``OSError``."""
    picture = cv2.imread(str(path))
    if picture is None:
        raise OSError(f"cannot read the picture {path}")
    return picture


def _rectangle(points: list[list[float]]) -> np.ndarray:
    box = cv2.boxPoints(cv2.minAreaRect(np.array(points, np.float32)))
    return box if cv2.contourArea(box, oriented=True) > 0 else box[::-1].copy()


def framing(face: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """The rectangle a finder is to put round a tile seen at a slant: float32 (4, 2), clockwise from its own top left.

    It lies along the tile's own sides, is as wide as the tile and has the area of what can be seen of it, so that
    neighbours' rectangles hardly overlap; the smallest rectangle round a slanted face would lie across them.

    Args:
        face: (4, 2) the whole face, clockwise from its own top left.
        seen: (4, 2) a rectangle round what can be seen of it.
    """
    area, part = cv2.intersectConvexConvex(face.astype(np.float32), _rectangle(seen.tolist()).astype(np.float32))
    points = face if part is None or area < 1 else part.reshape(-1, 2)
    area = abs(cv2.contourArea(points.astype(np.float32)))
    left, right, top, bottom = face[3] - face[0], face[2] - face[1], face[1] - face[0], face[2] - face[3]
    down, across = left + right, top + bottom
    # Along the longer sides the rectangle keeps its width; along the shorter a slant would widen it.
    along_down = np.linalg.norm(down) >= np.linalg.norm(across)
    v = (down if along_down else across) / (np.linalg.norm(down if along_down else across) + 1e-6)
    n = np.array([-v[1], v[0]])
    width = float(np.ptp(points @ n))
    length = area / max(width, 1e-6)
    moments = cv2.moments(points.astype(np.float32))
    centre = np.array([moments["m10"], moments["m01"]]) / max(moments["m00"], 1e-6) if area > 1 else points.mean(0)
    if along_down:
        head, side = -v * length / 2, (n if n @ across > 0 else -n) * width / 2
    else:
        head, side = (n if n @ -down > 0 else -n) * width / 2, v * length / 2
    corners = [centre + head - side, centre + head + side, centre - head + side, centre - head - side]
    return np.array(corners, np.float32)


def load_samples(folder: Path) -> list[Sample]:
    """All samples of a folder with ``labels.json``. Raises ``OSError`` or ``ValueError`` where it cannot be used."""
    try:
        labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{folder / 'labels.json'} is not JSON: {error}") from None
    samples = []
    for name, entry in sorted(labels.items()):
        targets = []
        for tile in entry.get("tiles", []):
            if "seen" in tile:
                good = tile["tile"] is not None and tile["visible"] >= MIN_VISIBLE and tile["legible"] >= MIN_LEGIBLE
                targets.append(
                    Target(
                        tile["tile"] if good else None,
                        framing(np.array(tile["polygon"], np.float32), np.array(tile["seen"], np.float32)),
                        True,
                        tile["legible"],
                        np.array(tile["polygon"], np.float32),
                    )
                )
            elif "polygon" in tile:
                targets.append(Target(tile["tile"], _rectangle(tile["polygon"]), False))
        samples.append(Sample(folder / name, entry.get("series", folder.name), tuple(targets)))
    return samples


def varied(
    picture: np.ndarray, targets: Iterable[Target], rng: np.random.Generator, size: int
) -> tuple[np.ndarray, list[Target]]:
    """A photo turned, zoomed, cut and tinted at random: square picture (size, size, 3) and the targets still in it."""
    h, w = picture.shape[:2]
    targets = list(targets)
    widths = [
        min(np.linalg.norm(t.rectangle[0] - t.rectangle[1]), np.linalg.norm(t.rectangle[1] - t.rectangle[2]))
        for t in targets
    ]
    if widths and rng.random() < 0.75:
        goal = float(np.exp(rng.uniform(np.log(size / 30), np.log(size * 0.36))))
        zoom = goal / float(np.median(widths))
        middle = targets[int(rng.integers(len(targets)))].rectangle.mean(0)
    else:
        zoom, middle = size / max(h, w) * rng.uniform(0.7, 1.5), np.array([w / 2, h / 2])
    zoom = float(np.clip(zoom, 0.25, 5))
    angle = float(rng.choice([0, 90, 180, 270]) + rng.normal(0, 12))
    m = cv2.getRotationMatrix2D((float(middle[0]), float(middle[1])), angle, zoom)
    m[:, 2] += np.array([size / 2, size / 2]) - middle + rng.uniform(-0.3, 0.3, 2) * size
    inter = cv2.INTER_AREA if zoom < 0.7 else cv2.INTER_LINEAR
    out = cv2.warpAffine(
        picture,
        m,
        (size, size),
        flags=inter,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=tuple(float(v) for v in rng.integers(0, 256, 3)),
    )
    gain = rng.uniform(0.72, 1.2) * (1 + rng.normal(0, 0.07, 3))
    out = np.clip(255 * (np.clip(out * gain / 255, 0, 1) ** rng.uniform(0.75, 1.35)), 0, 255).astype(np.uint8)
    kept = []
    for t in targets:
        moved = (t.rectangle @ m[:, :2].T + m[:, 2]).astype(np.float32)
        area, part = cv2.intersectConvexConvex(
            moved, np.array([[0, 0], [size, 0], [size, size], [0, size]], np.float32)
        )
        share = area / max(1.0, abs(cv2.contourArea(moved)))
        if share > 0.97:
            kept.append(Target(t.tile, moved, t.up_known))
        elif share > 0.3 and part is not None:
            cut = _rectangle(part.reshape(-1, 2).tolist())
            kept.append(Target(t.tile if share > 0.66 else None, cut, False, share))
    return out, kept
