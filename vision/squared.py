"""A second look at tiles that stand askew to the camera: their row is squared up first, then looked at again.

In a rack seen from the side the far tiles are narrow and sheared, and a finder of upright rectangles frames two of them
at once or none. The tiles that were found tell how their plane lies: in a row each tile is one width from the next. The
picture is warped by that homography, so that all tiles of the row stand upright and equally wide, and the finder looks
at the row and on beyond its ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np

from vision.finder import BEST, Found, look, overlap
from vision.rows import ASPECT, ROW, Frames, beside, chains

LEAST = 3
"""Tiles in a row that tell how their plane lies."""
ASKEW = 0.2
"""Cosine between a tile's sides from which on it stands askew."""
SQUASHED = (1.0, 1.9)
"""Height by width of a tile outside of which it is seen at a slant."""
BEYOND = (7.0, 1.7)
"""How far beyond the row is looked: tile widths along it, tile heights above and below."""
STRIP = (4.0, 0.8)
"""The same for a tile that lies alone."""
NARROW = 9.0
"""Tiles narrower than this many pixels are not looked for."""
APART = 0.4
"""Outlines that share less than this part of the smaller are of two tiles."""
UNREAD = 0.5
"""A face that is read less surely than this is as good as none."""
WIDTHS = (BEST, 0.7 * BEST)
"""How wide in pixels the tiles are made, look by look: two tiles that are one in the large picture, blurred as they are
there, are two in the smaller, and what is small in that shows in the large."""
MOST = 3
"""Planes that are looked at in one picture."""
MOST_STRIPS = 6
LARGEST = 960
"""Longest side of the squared picture in pixels."""


@dataclass(frozen=True)
class Plane:
    """How the plane of a row lies: ``homography`` (3, 3) from tile widths along and down the row to pixels, and the
    part of it to be looked at, ``box`` as left, top, right, bottom in tile widths."""

    homography: np.ndarray
    box: tuple[float, float, float, float]

    def to_picture(self, points: np.ndarray) -> np.ndarray:
        """(..., 2) tile widths to pixels."""
        flat = np.asarray(points, np.float64).reshape(1, -1, 2)
        return cv2.perspectiveTransform(flat, self.homography).reshape(np.shape(points)).astype(np.float32)

    def shows(self, quads: np.ndarray) -> bool:
        """Whether the squared picture holds all these tiles (n, 4, 2), upright and about one width wide."""
        back = np.linalg.inv(self.homography)
        flat = cv2.perspectiveTransform(np.asarray(quads, np.float64).reshape(1, -1, 2), back).reshape(-1, 4, 2)
        left, top, right, bottom = self.box
        x, y = flat.mean(1).T
        wide = np.hypot(*Frames.of(flat).across.T)
        inside = (x > left + 0.5) & (x < right - 0.5) & (y > top + 0.5) & (y < bottom - 0.5)
        return bool((inside & (np.abs(np.log(wide)) < np.log(1.4)) & ~askew(flat)).all())


def askew(quads: np.ndarray) -> np.ndarray:
    """Which tiles (n, 4, 2), clockwise from their own top left, are seen at a slant: bool (n,)."""
    frames = Frames.of(np.asarray(quads, float))
    wide, high = np.hypot(*frames.across.T), np.hypot(*frames.along.T)
    lean = np.abs((frames.across * frames.along).sum(1)) / np.maximum(wide * high, 1e-6)
    ratio = high / np.maximum(wide, 1e-6)
    return (lean > ASKEW) | (ratio < SQUASHED[0]) | (ratio > SQUASHED[1])


def planes(quads: np.ndarray, shape: tuple[int, int]) -> list[Plane]:
    """The planes of rows of which a part is seen at a slant; quads (n, 4, 2) of tiles whose face was read, in a picture
    of ``shape`` (height, width)."""
    quads = np.asarray(quads, float).reshape(-1, 4, 2)
    if not len(quads):
        return []
    slanted = askew(quads)
    if not slanted.any():
        return []
    frames = Frames.of(quads)
    pairs = beside(frames, ROW)
    found: list[Plane] = []
    for chain in sorted(chains(pairs), key=len, reverse=True):
        if len(chain) < LEAST or not slanted[chain].any() or any(p.shows(quads[chain]) for p in found):
            continue
        if frames.across[chain[0]] @ (frames.centre[chain[-1]] - frames.centre[chain[0]]) < 0:
            chain = chain[::-1]
        plane = _plane(quads, chain, pairs.gap, shape)
        if plane is not None:
            found.append(plane)
        if len(found) == MOST:
            break
    return found + _strips(quads, slanted, chains(pairs), found, shape)


def _strips(
    quads: np.ndarray, slanted: np.ndarray, rows: list[list[int]], found: list[Plane], shape: tuple[int, int]
) -> list[Plane]:
    """Planes of slanted tiles that lie alone or with one other, by their own outline: a short strip on both sides."""
    in_rows = {k for row in rows if len(row) >= LEAST for k in row}
    strips: list[Plane] = []
    for k in np.flatnonzero(slanted):
        if k in in_rows or any(p.shows(quads[k : k + 1]) for p in [*found, *strips]):
            continue
        frame = Frames.of(quads[k : k + 1])
        corner = frame.centre[0] - (frame.across[0] + frame.along[0]) / 2
        affine = np.stack([frame.across[0], frame.along[0] / ASPECT, corner], 1)
        box = _reach(np.vstack([affine, [0, 0, 1]]), 1.0, shape, STRIP)
        if box is not None:
            strips.append(Plane(np.vstack([affine, [0, 0, 1]]), box))
        if len(strips) == MOST_STRIPS:
            break
    return strips


def _plane(quads: np.ndarray, chain: list[int], gap: np.ndarray, shape: tuple[int, int]) -> Plane | None:
    at = np.concatenate([[0.0], np.cumsum([1 + max(0.0, gap[a, b]) for a, b in pairwise(chain)])])
    unit = np.array([[0, 0], [1, 0], [1, ASPECT], [0, ASPECT]])
    flat = np.concatenate([unit + np.array([x, 0]) for x in at])
    seen = np.concatenate([quads[k] for k in chain])
    wide = float(np.median(np.hypot(*(Frames.of(quads[chain]).across).T)))
    homography, good = cv2.findHomography(flat, seen, cv2.RANSAC, 0.15 * wide)
    if homography is None or good is None or good.mean() < 0.6:
        return None
    box = _reach(homography, float(at[-1]) + 1, shape)
    return None if box is None else Plane(homography, box)


def _reach(
    homography: np.ndarray, end: float, shape: tuple[int, int], beyond: tuple[float, float] = BEYOND
) -> tuple[float, float, float, float] | None:
    """The part of the plane round a row (0 to ``end``) that is in the picture and near enough to show tiles."""
    along, across = beyond
    xs = np.arange(-along, end + along + 0.5, 0.5)
    ys = np.arange(-across * ASPECT, (1 + across) * ASPECT + 0.35, 0.35)
    grid = np.stack(np.meshgrid(xs, ys), -1)
    depth = grid @ homography[2, :2] + homography[2, 2]
    middle = homography[2] @ np.array([end / 2, ASPECT / 2, 1.0])
    before = depth * np.sign(middle) > 0.15 * abs(middle)
    here = cv2.perspectiveTransform(grid.reshape(1, -1, 2), homography).reshape(grid.shape)
    right = cv2.perspectiveTransform((grid + np.array([0.5, 0])).reshape(1, -1, 2), homography).reshape(grid.shape)
    h, w = shape
    inside = (here[..., 0] > 0) & (here[..., 0] < w) & (here[..., 1] > 0) & (here[..., 1] < h)
    usable = before & inside & (2 * np.linalg.norm(right - here, axis=-1) > NARROW)
    if not usable.any():
        return None
    columns, rows = np.flatnonzero(usable.any(0)), np.flatnonzero(usable.any(1))
    return (
        float(xs[columns[0]]) - 0.5,
        float(ys[rows[0]]) - 0.35,
        float(xs[columns[-1]]) + 0.5,
        float(ys[rows[-1]]) + 0.35,
    )


def look_squared(
    picture: np.ndarray, plane: Plane, net: Callable[[np.ndarray], np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Tiles found in the squared picture of a plane, looked at in each of `WIDTHS`; a tile may be there twice.

    Returns:
        quads float32 (n, 4, 2) in the picture's pixels, clockwise from the squared picture's top left, and scores (n,).
    """
    looks = [_look_once(picture, plane, net, width) for width in WIDTHS]
    return np.concatenate([quads for quads, _ in looks]), np.concatenate([scores for _, scores in looks])


def _look_once(
    picture: np.ndarray, plane: Plane, net: Callable[[np.ndarray], np.ndarray], width: float
) -> tuple[np.ndarray, np.ndarray]:
    left, top, right, bottom = plane.box
    scale = min(width, LARGEST / max(right - left, bottom - top))
    size = max(32, round((right - left) * scale)), max(32, round((bottom - top) * scale))
    units = np.array([[1 / scale, 0, left], [0, 1 / scale, top], [0, 0, 1]])
    warp = plane.homography @ units  # from the squared picture to the picture
    squared = cv2.warpPerspective(
        picture,
        warp,
        size,
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=(114, 114, 114),
    )
    found: Found = look(squared, 1.0, net)
    sides = np.sort(found.boxes[:, 2:4] / scale, 1)
    area = sides.prod(1) / ASPECT
    found = found.only((sides[:, 0] > 0.6) & (sides[:, 1] < 2.2) & (area > 0.5) & (area < 1.7))
    quads = found.quads
    if not len(quads):
        return quads, found.scores
    moved = cv2.perspectiveTransform(quads.reshape(1, -1, 2).astype(np.float64), warp)
    return moved.reshape(-1, 4, 2).astype(np.float32), found.scores


def better(
    quads: np.ndarray, belief: np.ndarray, again: np.ndarray, belief_again: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which outlines of the first look are kept, bool (n,), and which of the second are added, bool (m,).

    What shows a face to the first look stays, what shows none yields to an outline in which a face is read more surely.
    An outline in which the second look sees two or more tiles yields to them, where they are read as surely.

    Args:
        quads, belief: (n, 4, 2) pixels of the first look, and how surely a face is read in each, (n,) 0-1.
        again, belief_again: the same of the second look, (m, 4, 2) and (m,).
    """
    keep, add = np.ones(len(quads), bool), np.zeros(len(again), bool)
    area = np.array([abs(cv2.contourArea(q)) for q in quads])
    area_again = np.array([abs(cv2.contourArea(q)) for q in again])
    chosen: list[int] = []
    for j in np.argsort(-belief_again):
        if all(overlap(again[j], again[k]) < APART for k in chosen):
            chosen.append(int(j))
    shared = np.array([[overlap(a, b) for b in quads] for a in again]).reshape(len(again), len(quads))
    for k in range(len(quads)):
        within = [j for j in chosen if shared[j, k] > 0.6 and area_again[j] < 0.75 * area[k]]
        if len(within) >= 2 and area_again[within].sum() > 0.45 * area[k]:
            keep[k] = belief_again[within].mean() < 0.8 * belief[k]
    for j in chosen:
        rivals = [k for k in np.flatnonzero(keep) if shared[j, k] > APART]
        if all(belief[k] < min(UNREAD, belief_again[j]) for k in rivals):
            keep[rivals] = False
            add[j] = True
    return keep, add
