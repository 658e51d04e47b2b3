"""A closer look where something was found that cannot be read: often one outline round two tiles, small and blurred."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vision.finder import BEST, INPUT, Found, look

MOST = 2
"""Windows that are looked at in one picture."""
ROOM = 1.3
"""How far a window goes beyond the outlines in it, in their own lengths."""
TWO = 2.0
"""An outline that cannot be read is thought to be as wide as so many tiles."""
NEARER = 1.3
"""A window is looked at only if it is magnified at least so much against the look at the whole picture."""


@dataclass(frozen=True)
class Window:
    """A part of a picture in pixels (left, top, right, bottom), and by how much it is to be magnified."""

    box: tuple[int, int, int, int]
    scale: float


def windows(quads: np.ndarray, belief: np.ndarray, shape: tuple[int, int]) -> list[Window]:
    """Where to look closer.

    Args:
        quads: (n, 4, 2) pixels, outlines in which a face was looked for.
        belief: (n,) how surely one was read; below one half it was not.
        shape: height and width of the picture.
    """
    h, w = shape
    parts = [q for q, b in zip(quads, belief, strict=True) if b < 0.5]
    groups: list[tuple[np.ndarray, list[float]]] = []
    for quad in parts:
        sides = np.linalg.norm(quad - np.roll(quad, 1, axis=0), axis=1)
        short, long = sorted(((sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2))
        box = np.concatenate([quad.min(0) - ROOM * long, quad.max(0) + ROOM * long])
        shorts = [float(short)]
        while True:
            touching = [g for g in groups if _meet(g[0], box)]
            if not touching:
                break
            groups = [g for g in groups if not _meet(g[0], box)]
            for other, widths in touching:
                box = np.concatenate([np.minimum(box[:2], other[:2]), np.maximum(box[2:], other[2:])])
                shorts += widths
        groups.append((box, shorts))
    found = []
    for box, shorts in sorted(groups, key=lambda g: -len(g[1])):
        left, top = (int(v) for v in np.maximum(np.floor(box[:2]), 0))
        right, bottom = (int(v) for v in np.minimum(np.ceil(box[2:]), [w, h]))
        if right - left < 8 or bottom - top < 8:
            continue
        scale = min(TWO * BEST / max(float(np.median(shorts)), 1.0), INPUT / max(right - left, bottom - top), 2.0)
        if scale > NEARER * min(INPUT / max(h, w), 4.0):
            found.append(Window((left, top, right, bottom), scale))
    return found[:MOST]


def _meet(a: np.ndarray, b: np.ndarray) -> bool:
    return bool((np.minimum(a[2:], b[2:]) > np.maximum(a[:2], b[:2])).all())


def look_closer(
    picture: np.ndarray, window: Window, net: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Tiles found in a window: quads float32 (n, 4, 2) in the picture's pixels and scores (n,); what the window's own
    edge cuts off is left out."""
    left, top, right, bottom = window.box
    found: Found = look(picture[top:bottom, left:right], window.scale, net)
    quads = found.quads + np.array([left, top], np.float32)
    h, w = picture.shape[:2]
    low, high = quads.min(1), quads.max(1)
    rim = 2 / window.scale
    cut = np.zeros(len(quads), bool)
    for k, edge, border in ((0, left, 0), (1, top, 0)):
        cut |= (low[:, k] < edge + rim) & (edge > border)
    for k, edge, border in ((0, right, w), (1, bottom, h)):
        cut |= (high[:, k] > edge - rim) & (edge < border)
    return quads[~cut].astype(np.float32), found.scores[~cut]
