"""Finding tiles: a picture to rotated rectangles of tiles that show a face, each tile once.

The whole picture is looked at in a few sizes, so that close-ups and whole tables both come near the size of tile that
the net knows best; where the tiles are small even in the largest, it is looked at again in overlapping windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

INPUT = 640
"""Longest side in pixels that one look of the net covers."""
STRIDE = 32
SMALL, BEST = 24.0, 40.0
"""Tiles narrower than ``SMALL`` px in the net's picture are looked at again, magnified to ``BEST``."""
LOOKS = ((640, 0.0, 110.0), (384, 20.0, 1e9))
"""Looks at the whole picture: longest side in pixels, and the widths of tiles in it that are believed."""
SCORE = 0.25


@dataclass(frozen=True)
class Found:
    """Rotated rectangles.

    ``boxes`` float32 (n, 5): cx, cy, w, h (pixels), angle (radians, x axis to w, clockwise); ``scores`` (n,) 0-1.
    """

    boxes: np.ndarray
    scores: np.ndarray

    @classmethod
    def none(cls) -> Found:
        return cls(np.zeros((0, 5), np.float32), np.zeros(0, np.float32))

    @property
    def quads(self) -> np.ndarray:
        """(n, 4, 2) pixels, clockwise in the picture."""
        return corners(self.boxes)

    def only(self, keep: np.ndarray) -> Found:
        return Found(self.boxes[keep], self.scores[keep])


class FinderNet(Protocol):
    """The net behind `find`: float32 (1, 3, h, w) RGB 0-1 to (6, n): cx, cy, w, h, score, angle."""

    def __call__(self, blob: np.ndarray) -> np.ndarray: ...


class OnnxFinderNet:
    """`finder.onnx` by ONNX Runtime."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        from vision.onnx import session

        self._session = session(path, threads)
        self._input = self._session.get_inputs()[0].name

    def __call__(self, blob: np.ndarray) -> np.ndarray:
        return self._session.run(None, {self._input: blob})[0][0]


def corners(boxes: np.ndarray) -> np.ndarray:
    """Boxes (n, 5) to corners (n, 4, 2), clockwise in the picture."""
    boxes = np.asarray(boxes, np.float32).reshape(-1, 5)
    c, s = np.cos(boxes[:, 4]), np.sin(boxes[:, 4])
    u = np.stack([c, s], 1) * boxes[:, 2:3] / 2
    v = np.stack([-s, c], 1) * boxes[:, 3:4] / 2
    m = boxes[:, :2]
    return np.stack([m - u - v, m + u - v, m + u + v, m - u + v], 1)


def look(picture: np.ndarray, scale: float, net: Callable[[np.ndarray], np.ndarray]) -> Found:
    """One look at ``picture`` resized by ``scale``; boxes in the picture's own pixels."""
    h, w = picture.shape[:2]
    nh, nw = max(1, round(h * scale)), max(1, round(w * scale))
    if (nh, nw) != (h, w):
        picture = cv2.resize(picture, (nw, nh), interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR)
    ph, pw = -(-nh // STRIDE) * STRIDE, -(-nw // STRIDE) * STRIDE
    canvas = np.full((ph, pw, 3), 114, np.uint8)
    canvas[:nh, :nw] = picture
    blob = np.ascontiguousarray(canvas[..., ::-1].transpose(2, 0, 1)[None], dtype=np.float32) / 255
    raw = net(blob)
    raw = raw[:, raw[4] > SCORE]
    boxes = np.stack([raw[0] / scale, raw[1] / scale, raw[2] / scale, raw[3] / scale, raw[5]], 1)
    return Found(boxes.astype(np.float32), raw[4].astype(np.float32))


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Shared area of two quads as a share of the smaller."""
    area, _ = cv2.intersectConvexConvex(a, b)
    return float(area) / max(1e-6, min(abs(cv2.contourArea(a)), abs(cv2.contourArea(b))))


def once(found: Found) -> Found:
    """Each tile once: of boxes on one another the surest stays, moved to the mean of those that agree with it."""
    order = np.argsort(-found.scores)
    boxes, scores = found.boxes[order], found.scores[order]
    alive = np.ones(len(boxes), bool)
    kept_boxes, kept_scores = [], []
    for i in range(len(boxes)):
        if not alive[i]:
            continue
        short = min(boxes[i, 2], boxes[i, 3])
        size = boxes[:, 2] * boxes[:, 3] / (boxes[i, 2] * boxes[i, 3])
        near = alive & (np.hypot(*(boxes[:, :2] - boxes[i, :2]).T) < 0.45 * short) & (size > 0.55) & (size < 1.8)
        alive &= ~near
        kept_boxes.append(_mean_box(boxes[i], boxes[near], scores[near]))
        kept_scores.append(scores[i])
    result = Found(np.array(kept_boxes, np.float32).reshape(-1, 5), np.array(kept_scores, np.float32))
    result = result.only(~_round_several(result))
    quads = result.quads
    keep = np.ones(len(quads), bool)
    for i in range(len(quads)):
        if keep[i]:
            reach = np.hypot(*result.boxes[i, 2:4])
            for j in (
                np.flatnonzero(keep[i + 1 :] & (np.hypot(*(result.boxes[i + 1 :, :2] - result.boxes[i, :2]).T) < reach))
                + i
                + 1
            ):
                if overlap(quads[i], quads[j]) > 0.5:
                    keep[j] = False
    return result.only(keep)


def _round_several(found: Found) -> np.ndarray:
    """Which boxes (n,) bool frame two or more tiles that were found one by one: tiles do not lie in each other."""
    quads, scores = found.quads, found.scores
    areas = found.boxes[:, 2] * found.boxes[:, 3]
    several = np.zeros(len(quads), bool)
    for i in np.argsort(-areas):
        reach = np.hypot(*found.boxes[i, 2:4]) / 2
        near = np.hypot(*(found.boxes[:, :2] - found.boxes[i, :2]).T) < reach
        inside: list[int] = []
        part = (areas < 0.7 * areas[i]) & (areas > 0.12 * areas[i]) & (scores > 0.35 * scores[i])
        for j in np.flatnonzero(near & part):
            if overlap(quads[i], quads[j]) > 0.7 and all(overlap(quads[j], quads[k]) < 0.5 for k in inside):
                inside.append(int(j))
        several[i] = len(inside) >= 2 and areas[inside].sum() > 0.45 * areas[i]
    return several


def _mean_box(best: np.ndarray, boxes: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Score-weighted mean of boxes that agree with ``best`` in size, each turned to the same quarter."""
    out, weights = [], []
    for box, score in zip(boxes, scores, strict=True):
        w, h = box[2], box[3]
        d = (box[4] - best[4] + np.pi / 4) % np.pi - np.pi / 4
        if d > np.pi / 4:
            w, h, d = h, w, d - np.pi / 2
        if 0.85 < w / best[2] < 1.18 and 0.85 < h / best[3] < 1.18 and abs(d) < 0.2:
            out.append([box[0], box[1], w, h, best[4] + d])
            weights.append(score**2)
    return np.average(np.array(out), axis=0, weights=weights) if out else best


def _windows(h: int, w: int, side: int, lap: int) -> Iterator[tuple[int, int, int, int]]:
    """Windows x0, y0, x1, y1 that cover (h, w) with at least ``lap`` px shared by neighbours."""

    def starts(length: int) -> list[int]:
        if length <= side:
            return [0]
        count = int(np.ceil((length - lap) / max(1, side - lap)))
        return [round(k * (length - side) / (count - 1)) for k in range(count)]

    for y in starts(h):
        for x in starts(w):
            yield x, y, min(x + side, w), min(y + side, h)


def _cut_off(found: Found, window: tuple[int, int, int, int], h: int, w: int, rim: float) -> np.ndarray:
    """Which boxes touch an edge of the window that is no edge of the picture: another window has them whole."""
    x0, y0, x1, y1 = window
    q = found.quads
    low, high = q.min(1), q.max(1)
    cut = np.zeros(len(q), bool)
    if x0 > 0:
        cut |= low[:, 0] < rim
    if y0 > 0:
        cut |= low[:, 1] < rim
    if x1 < w:
        cut |= high[:, 0] > x1 - x0 - rim
    if y1 < h:
        cut |= high[:, 1] > y1 - y0 - rim
    return cut


def _width(found: Found) -> float:
    return float(np.median(np.minimum(found.boxes[:, 2], found.boxes[:, 3]))) if len(found.scores) else 0.0


def _pyramid(picture: np.ndarray, net: Callable[[np.ndarray], np.ndarray]) -> Found:
    """The whole picture at each of `LOOKS`, tiles of the sizes that the net knows best at each, every tile once."""
    h, w = picture.shape[:2]
    parts = []
    for side, least, most in LOOKS:
        scale = min(side / max(h, w), 4.0)
        found = look(picture, scale, net)
        short = np.minimum(found.boxes[:, 2], found.boxes[:, 3]) * scale
        parts.append(found.only((short >= least) & (short < most)))
    return once(_joined(parts))


def _joined(parts: list[Found]) -> Found:
    return Found(np.concatenate([p.boxes for p in parts]), np.concatenate([p.scores for p in parts]))


def find(picture: np.ndarray, net: Callable[[np.ndarray], np.ndarray]) -> Found:
    """Tiles in a picture.

    Args:
        picture: uint8 (h, w, 3) BGR.
        net: see `FinderNet`.
    """
    h, w = picture.shape[:2]
    scale = min(INPUT / max(h, w), 4.0)
    first = _pyramid(picture, net)
    small = np.minimum(first.boxes[:, 2], first.boxes[:, 3]) * scale < SMALL
    if len(small) and not small.any():
        return first
    if small.any():
        finer = min(scale * BEST / (_width(first.only(small)) * scale), 1.5)
    else:  # nothing seen: the tiles may be too small in so small a picture; half size is enough for a tile of 20 px
        finer = max(scale, min(1.0, 2 * INPUT / max(h, w)))
    if finer < scale * 1.25:
        return first
    side = round(INPUT / finer)
    lap = round(min(side / 3, 2.2 * max(_width(first.only(small)), BEST / finer)))
    # What was seen too small yields to the closer look, and stays where that sees nothing.
    parts = [Found(first.boxes, np.where(small, first.scores * 0.5, first.scores).astype(np.float32))]
    for window in _windows(h, w, side, lap):
        x0, y0, x1, y1 = window
        if small.any() and not _touches(first.only(small), window):
            continue
        found = look(picture[y0:y1, x0:x1], finer, net)
        found = found.only(~_cut_off(found, window, h, w, 2 / finer))
        parts.append(Found(found.boxes + np.array([x0, y0, 0, 0, 0], np.float32), found.scores))
    joined = once(_joined(parts))
    return joined.only(joined.scores > SCORE / 2)


def _touches(found: Found, window: tuple[int, int, int, int]) -> bool:
    """Whether any found tile, with two tiles' room around it, reaches into the window."""
    x0, y0, x1, y1 = window
    room = 3 * np.maximum(found.boxes[:, 2], found.boxes[:, 3])
    x, y = found.boxes[:, 0], found.boxes[:, 1]
    return bool(((x > x0 - room) & (x < x1 + room) & (y > y0 - room) & (y < y1 + room)).any())
