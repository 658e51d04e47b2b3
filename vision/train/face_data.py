"""Crops for the face net, cut once and kept: from rendered folders and real photos.

A crop is kept 96 px wide with the tile in its middle 64 px, upright; jitter, turns and light are added while training.
Real photos do not say which end is up: `settle_turns` asks a net trained on rendered crops, knowing the face.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from referee.tiles import COLOURS, Tile
from vision.faces import CLASSES, rectify, square
from vision.train.pictures import Sample, open_picture

KEPT, INNER = 96, 64
FAINT = 0.2
"""Least contrast of a face that teaches: below it nobody can read the print, for blur or light."""
FIELDS = ("pictures", "faces", "inks", "settled", "real", "corners")


@dataclass
class Crops:
    """``pictures`` uint8 (n, 96, 96, 3); ``faces`` (n,) 0-12 numbers 1-13, 13 joker, 14 none; ``inks`` (n,) 0-3 or -1;
    ``settled`` (n,) bool: upright as stored; ``real`` (n,) bool; ``corners`` float32 (n, 4, 2): the face's own corners
    in the kept crop, NaN where they are not known."""

    pictures: np.ndarray
    faces: np.ndarray
    inks: np.ndarray
    settled: np.ndarray
    real: np.ndarray
    corners: np.ndarray

    def __len__(self) -> int:
        return len(self.faces)

    @classmethod
    def join(cls, parts: Iterable[Crops]) -> Crops:
        parts = list(parts)
        return cls(*(np.concatenate([getattr(p, f) for p in parts]) for f in FIELDS))

    def only(self, keep: np.ndarray) -> Crops:
        return Crops(*(getattr(self, f)[keep] for f in FIELDS))


def codes(tile: str | None) -> tuple[int, int]:
    """Face and ink of a tile as the net counts them."""
    if tile is None:
        return CLASSES, -1
    parsed = Tile.parse(tile)
    if parsed.is_joker:
        return 13, -1
    return parsed.number - 1, COLOURS.index(parsed.colour)


def contrast(picture: np.ndarray) -> float:
    """How far the print of a kept crop (96, 96, 3) stands out from its body, 0-1, in the channel where most."""
    rim = (KEPT - INNER) // 2 + 6
    middle = cv2.GaussianBlur(picture, (0, 0), 1.2)[rim:-rim, rim:-rim].reshape(-1, 3).astype(np.float32)
    dark, bright = np.percentile(middle, [4, 90], axis=0)
    return float(((bright - dark) / np.maximum(bright, 20)).max())


def _decoys(
    picture: np.ndarray, rectangles: list[np.ndarray], rng: np.random.Generator, count: int
) -> list[np.ndarray]:
    """Rectangles that frame no tile: empty table, halves of two neighbours, or both of them."""
    h, w = picture.shape[:2]
    out: list[np.ndarray] = []
    centres = np.array([r.mean(0) for r in rectangles]) if rectangles else np.zeros((0, 2))
    for _ in range(count * 6):
        if len(out) >= count:
            break
        if len(rectangles) and rng.random() < 0.6:
            r = rectangles[int(rng.integers(len(rectangles)))]
            both = _with_neighbour(r, centres) if rng.random() < 0.5 else None
            if both is not None:
                out.append(both)
                continue
            side = (r[1] - r[0]) if rng.random() < 0.6 else (r[3] - r[0])  # a tile's frame moved by half a tile
            out.append((r + side * rng.choice([-1, 1]) * rng.uniform(0.42, 0.6)).astype(np.float32))
            continue
        size = float(np.exp(rng.uniform(np.log(16), np.log(max(h, w) / 3))))
        c = rng.uniform(0, 1, 2) * [w, h]
        if len(centres) and np.min(np.linalg.norm(centres - c, axis=1)) < size:
            continue
        box = cv2.boxPoints(
            (
                (float(c[0]), float(c[1])),
                (size, size * float(rng.uniform(1.2, 1.5))),
                float(rng.uniform(0, 360)),
            )
        )
        out.append(box.astype(np.float32))
    return out


def _with_neighbour(rectangle: np.ndarray, centres: np.ndarray) -> np.ndarray | None:
    """One frame round a tile and the one to its right, as a finder frames a blurred row; None where none lies there."""
    side = rectangle[1] - rectangle[0]
    off = np.linalg.norm(centres - (rectangle.mean(0) + side), axis=1)
    if off.min() > 0.3 * np.linalg.norm(side):
        return None
    other = centres[off.argmin()] - rectangle.mean(0)
    return (rectangle + np.array([[0, 0], other, other, [0, 0]])).astype(np.float32)


def cut(samples: Iterable[Sample], seed: int = 0, smallest: float = 14, decoys: int = 3, real: bool = False) -> Crops:
    """Crops of every tile at least ``smallest`` px wide, and some of no tile."""
    rng = np.random.default_rng(seed)
    pictures, faces, inks, settled, corners = [], [], [], [], []
    margin = (KEPT / INNER - 1) / 2
    for sample in samples:
        picture = open_picture(sample.path)
        rectangles, labels, quads = [], [], []
        for t in sample.targets:
            a, b = (
                np.linalg.norm(t.rectangle[0] - t.rectangle[1]),
                np.linalg.norm(t.rectangle[1] - t.rectangle[2]),
            )
            # A tile half hidden may still be legible to a person: it teaches neither way.
            if min(a, b) < smallest or (t.tile is None and 0.15 < t.legible < 0.62):
                continue
            rectangle = t.rectangle
            if not t.up_known and a > b:
                rectangle = np.roll(rectangle, -1, axis=0)
            rectangles.append(rectangle)
            labels.append((*codes(t.tile), t.up_known))
            quads.append(None if t.tile is None else t.quad)
        extra = _decoys(picture, [t.rectangle for t in sample.targets], rng, decoys)
        rectangles += extra
        labels += [(CLASSES, -1, True)] * len(extra)
        quads += [None] * len(extra)
        if rectangles:
            pictures.append(rectify(picture, np.stack(rectangles), KEPT, margin))
            corners += [_in_crop(q, r, margin) for q, r in zip(quads, rectangles, strict=True)]
            faces += [x[0] for x in labels]
            inks += [x[1] for x in labels]
            settled += [x[2] for x in labels]
    crops = Crops(
        np.concatenate(pictures),
        np.array(faces),
        np.array(inks),
        np.array(settled),
        np.full(len(faces), real),
        np.stack(corners).astype(np.float32),
    )
    teaches = [f == CLASSES or contrast(p) > FAINT for f, p in zip(crops.faces, crops.pictures, strict=True)]
    return crops.only(np.array(teaches))


def _in_crop(quad: np.ndarray | None, rectangle: np.ndarray, margin: float) -> np.ndarray:
    if quad is None:
        return np.full((4, 2), np.nan, np.float32)
    m = cv2.getPerspectiveTransform(rectangle.astype(np.float32), square(KEPT, margin))
    return cv2.perspectiveTransform(quad.reshape(1, 4, 2), m)[0]


def settle_turns(crops: Crops, logits: Callable[[np.ndarray], np.ndarray], margin: float = 1.5) -> Crops:
    """Turn each unsettled crop upright by the net's own word, given its face; drops those where two turns are close.

    Args:
        logits: uint8 (n, 96, 96, 3) to log probabilities (n, 15).
        margin: least difference of log odds between best and second turn.
    """
    loose = np.flatnonzero(~crops.settled)
    if not len(loose):
        return crops
    rows = []
    for t in range(4):
        log = logits(np.rot90(crops.pictures[loose], t, (1, 2)))
        rows.append(log[np.arange(len(loose)), crops.faces[loose]] - log[:, CLASSES])
    odds = np.stack(rows, 1)
    order = np.sort(odds, 1)
    # A picture of a joker may be near symmetric; numbers 1, 8, 10, 11 rely on where the print sits.
    good = order[:, -1] - order[:, -2] > margin
    pictures, settled = crops.pictures.copy(), crops.settled.copy()
    for i, turn, fine in zip(loose, odds.argmax(1), good, strict=True):
        if fine:
            pictures[i] = np.rot90(pictures[i], turn)
            settled[i] = True
    return Crops(pictures, crops.faces, crops.inks, settled, crops.real, crops.corners).only(settled)


def save(crops: Crops, path: Path) -> None:
    np.savez(path, **vars(crops))


def load(path: Path) -> Crops:
    with np.load(path) as data:
        return Crops(*(data[f] for f in FIELDS))
