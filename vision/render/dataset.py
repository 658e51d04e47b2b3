"""Folders of rendered pictures with exact labels: ``NNNNN.jpg`` and one ``labels.json``.

`labels.json` maps a file name to ``{"width", "height", "kind", "tiles": [{"tile", "polygon", "seen", "visible",
"legible", "set"}]}``: ``polygon`` the top face clockwise from its own top left, ``seen`` the rotated rectangle round
what can be seen of it; ``tile`` is null for the back of a tile.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.render.glyphs import typefaces
from vision.render.random_scenes import random_scene
from vision.render.scene import Drawn, Label, draw


def rectangle(label: Label) -> np.ndarray:
    """The smallest rotated rectangle round what is seen of a tile, float32 (4, 2), clockwise from its own top left."""
    points = label.quad if label.visible > 0.95 else label.seen
    box = cv2.boxPoints(cv2.minAreaRect(points.astype(np.float32)))
    if cv2.contourArea(box, oriented=True) < 0:
        box = box[::-1]
    up = (label.quad[0] + label.quad[1] - label.quad[2] - label.quad[3]) / 2
    up = up / (np.linalg.norm(up) + 1e-6)
    # The side whose outward normal is nearest to the tile's own up is its top.
    best = max(
        range(4),
        key=lambda k: float(
            ((box[k] + box[(k + 1) % 4]) / 2 - box.mean(0))
            @ up
            / (np.linalg.norm((box[k] + box[(k + 1) % 4]) / 2 - box.mean(0)) + 1e-6)
        ),
    )
    return np.roll(box, -best, axis=0).astype(np.float32)


def _points(points: np.ndarray) -> list[list[float]]:
    return [[round(float(x), 1), round(float(y), 1)] for x, y in points]


def label_document(drawn: Drawn, kind: str = "") -> dict[str, Any]:
    """The entry of one picture in `labels.json`."""
    h, w = drawn.picture.shape[:2]
    tiles = [
        {
            "tile": None if label.tile is None else str(label.tile),
            "polygon": _points(label.quad),
            "seen": _points(rectangle(label)),
            "visible": round(label.visible, 3),
            "legible": round(label.legible, 3),
            "set": label.set_index,
        }
        for label in drawn.labels
    ]
    return {"width": w, "height": h, "kind": kind, "tiles": tiles}


def _one(
    index: int, out: str, seed: int, size: int, kind: str | None, fonts: tuple[str, ...]
) -> tuple[str, dict[str, Any]]:
    cv2.setNumThreads(1)
    rng = np.random.default_rng([seed, index])
    shape = [(size, size), (size, size * 3 // 4), (size * 3 // 4, size)][int(rng.integers(3))]
    scene = random_scene(rng, *shape, kind=kind, files=typefaces(fonts), span=(size / 32, size * 0.38))
    drawn = draw(scene)
    name = f"{index:05d}.jpg"
    if not cv2.imwrite(str(Path(out) / name), drawn.picture, [cv2.IMWRITE_JPEG_QUALITY, 92]):
        raise OSError(f"cannot write {Path(out) / name}")
    return name, label_document(drawn, kind or "")


def render_tables(
    out: Path,
    count: int,
    seed: int = 0,
    size: int = 576,
    kind: str | None = None,
    fonts: tuple[str, ...] = (),
    workers: int = 1,
) -> Iterator[int]:
    """Draw ``count`` random tables into ``out``; yields how many are done. The same arguments give the same bytes."""
    out.mkdir(parents=True, exist_ok=True)
    labels: dict[str, Any] = {}
    make = partial(_one, out=str(out), seed=seed, size=size, kind=kind, fonts=fonts)
    if workers <= 1:
        for index in range(count):
            name, entry = make(index)
            labels[name] = entry
            yield index + 1
    else:
        with ProcessPoolExecutor(workers) as pool:
            for index, (name, entry) in enumerate(pool.map(make, range(count), chunksize=16)):
                labels[name] = entry
                yield index + 1
    (out / "labels.json").write_text(json.dumps(labels, separators=(",", ":")), encoding="utf-8")
