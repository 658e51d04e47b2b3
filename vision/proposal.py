"""The playing area proposed from a picture: the table's own edges, else the tiles with room, else all of it.

An edge of the table is a long straight line with the table's colours on the inner side and others beyond. Lines in
the wood, stripes of a cloth and rows of tiles have the table's colours on both sides, or have tiles beyond them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Quad
from vision.table import OUTSIDE, TableError, around_tiles, checked, ordered, whole

WIDTH = 400
LIGHTNESS = 0.4
"""Weight of lightness against colour: half a table may lie in the shade."""
STEP = 4.0
"""Pixels of the small picture from a line at which its two sides are looked at."""
OTHER = 11.0
"""Distance in Lab colour from which on a place does not have the table's colours."""
WITHIN, BEYOND = 0.7, 0.65
"""Shares of an edge that must have the table's colours within and others beyond."""
STEEP, DRAWN, BEYOND_DRAWN = 7.0, 0.8, 0.35
"""Where the colours change by so much along so great a share of it, fewer need be other: floors have many."""
LEAST_AREA = 0.25
MOST_LINES = 4
"""Lines looked at for each side of the table."""


class Basis(StrEnum):
    """What a proposed area follows."""

    EDGES = "edges"
    TILES = "tiles"
    PICTURE = "picture"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Corners (pixels, clockwise from the top left), and what they follow."""

    corners: Quad
    basis: Basis


def propose(picture: np.ndarray, quads: np.ndarray | None = None) -> Proposal:
    """A playing area for a picture (h, w, 3) uint8 BGR.

    Args:
        quads: (n, 4, 2) outlines of the tiles found in it, if they are known.

    The table's edges are taken where at least two that meet are seen; the other sides are the picture's border.
    """
    h, w = picture.shape[:2]
    tiles = np.zeros((0, 4, 2)) if quads is None else np.asarray(quads, float).reshape(-1, 4, 2)
    edges = _edges(picture, tiles)
    if edges is not None:
        return Proposal(edges, Basis.EDGES)
    around = around_tiles(tiles, w, h)
    return Proposal(around, Basis.TILES) if around else Proposal(whole(w, h), Basis.PICTURE)


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """``normal`` · point = ``offset``, the normal pointing outwards; ``worth`` is 0 for the picture's border."""

    normal: NDArray[np.float64]
    offset: float
    worth: float


def _edges(picture: np.ndarray, tiles: np.ndarray) -> Quad | None:
    scale = min(1.0, WIDTH / picture.shape[1])
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    h, w = small.shape[:2]
    if min(h, w) < 40:
        return None
    lab = cv2.cvtColor(cv2.GaussianBlur(small, (0, 0), 1.2), cv2.COLOR_BGR2LAB).astype(np.float32)
    occupied = np.zeros((h, w), np.uint8)
    for quad in tiles * scale:
        middle = quad.mean(0)
        cv2.fillConvexPoly(occupied, np.round(middle + 1.25 * (quad - middle)).astype(np.int32), 1)
    foreign = _foreign(lab, occupied, tiles * scale)
    looks = np.dstack([lab, foreign])
    hull = tiles.reshape(-1, 2) * scale
    middle = hull.mean(0) if len(hull) else np.array([w / 2, h / 2])
    lines = list(_lines(lab, occupied, foreign, middle, hull))
    best: tuple[float, Quad | None] = (0.0, None)
    for sides in product(*_by_side(lines, w, h)):
        if sum(line.worth > 0 for line in sides) < 2 or not any(
            sides[k].worth > 0 and sides[(k + 1) % 4].worth > 0 for k in range(4)
        ):
            continue
        corners = _corners(sides, w, h)
        if corners is None or not _holds(corners, hull):
            continue
        worth = _worth(corners, looks, occupied)
        if worth > best[0]:
            best = worth, ordered(np.array(corners) / scale)
    return best[1]


def _foreign(lab: np.ndarray, occupied: np.ndarray, tiles: np.ndarray) -> NDArray[np.float32]:
    """How far (h, w) each pixel is from the colours of the table, which are those round the tiles, or in the middle."""
    h, w = occupied.shape
    near = np.zeros((h, w), np.uint8)
    if len(tiles):
        for quad in tiles:
            middle = quad.mean(0)
            cv2.fillConvexPoly(near, np.round(middle + 2.4 * (quad - middle)).astype(np.int32), 1)
    else:
        cv2.ellipse(near, (w // 2, h // 2), (w // 5, h // 5), 0, 0, 360, 1, -1)
    ys, xs = np.nonzero(near & (1 - occupied))
    if len(ys) < 30:
        return np.zeros((h, w), np.float32)
    weights = np.array([LIGHTNESS, 1, 1], np.float32)
    every = max(1, len(ys) // 240)
    palette = lab[ys[::every], xs[::every]] * weights
    # A colour seen once beside a tile may be a shadow or a sleeve; one of the table's comes again.
    apart = np.linalg.norm(palette[:, None] - palette[None], axis=2)
    often = (apart < OTHER / 2).sum(1) > 0.04 * len(palette)
    chosen: list[int] = []
    for k in np.flatnonzero(often):
        if not chosen or apart[k, chosen].min() > OTHER / 4:
            chosen.append(int(k))
    palette = palette[chosen]
    if not len(palette):
        return np.zeros((h, w), np.float32)
    pixels = (lab * weights).reshape(-1, 3)
    least = np.full(len(pixels), np.inf, np.float32)
    for colour in palette:
        np.minimum(least, np.linalg.norm(pixels - colour, axis=1), out=least)
    return np.asarray(least.reshape(h, w), np.float32)


def _lines(
    lab: np.ndarray, occupied: np.ndarray, foreign: np.ndarray, middle: np.ndarray, hull: np.ndarray
) -> Iterator[_Line]:
    """Straight lines with other colours beyond, long ones first, each once, with all tiles on the inner side."""
    w = occupied.shape[1]
    # The border of the table's colours is a line even where two surfaces are equally light.
    planes = [lab[..., 0], np.clip(foreign * 8, 0, 255)]
    found = [cv2.createLineSegmentDetector().detect(np.ascontiguousarray(p.astype(np.uint8)))[0] for p in planes]
    segments = np.concatenate([f.reshape(-1, 4) for f in found if f is not None] or [np.zeros((0, 4))]).astype(float)
    length = np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1])
    order = [int(k) for k in np.argsort(-length) if length[k] > 0.07 * w]
    known: list[_Line] = []
    for k in order[:120]:
        a, b = segments[k, :2], segments[k, 2:]
        way = (b - a) / length[k]
        normal = np.array([-way[1], way[0]])
        if normal @ (a - middle) < 0:
            normal = -normal
        line = _Line(normal, float(normal @ (a + b) / 2), float(length[k]))
        if len(hull) and (hull @ normal).max() > line.offset + 2:
            continue
        if any(o.normal @ normal > 0.999 and abs(o.offset - line.offset) < 3 for o in known):
            continue
        along = a + np.linspace(0.05, 0.95, 24)[:, None] * (b - a)
        beyond, within = (_sample(foreign, along + side * normal) for side in (STEP, -STEP))
        if np.median(beyond) > max(OTHER, 1.6 * float(np.median(within))):
            known.append(line)
            yield line


def _by_side(lines: list[_Line], w: int, h: int) -> list[list[_Line]]:
    """For the right, lower, left and upper side: the lines that may be it, and the picture's border."""
    border = [((1, 0), w - 1), ((0, 1), h - 1), ((-1, 0), 0), ((0, -1), 0)]
    sides = []
    for outward, offset in border:
        mine = [line for line in lines if line.normal @ np.array(outward) > 0.6]
        sides.append([*mine[:MOST_LINES], _Line(np.array(outward, float), float(offset), 0.0)])
    return sides


def _corners(sides: tuple[_Line, ...], w: int, h: int) -> Quad | None:
    """Where neighbouring sides meet, if that encloses an area in the picture."""
    points = []
    for k in range(4):
        a, b = sides[k], sides[(k + 1) % 4]
        matrix = np.array([a.normal, b.normal])
        if abs(np.linalg.det(matrix)) < 0.3:
            return None
        points.append(np.linalg.solve(matrix, [a.offset, b.offset]))
    corners = np.array(points)
    size = np.array([w, h])
    if (corners < -OUTSIDE * size).any() or (corners > (1 + OUTSIDE) * size).any():
        return None
    try:
        quad = checked(ordered(corners))
    except TableError:
        return None
    return quad if cv2.contourArea(np.array(quad, np.float32)) > LEAST_AREA * w * h else None


def _holds(corners: Quad, hull: np.ndarray) -> bool:
    area = np.array(corners, np.float32)
    return all(cv2.pointPolygonTest(area, (float(x), float(y)), True) > -3 for x, y in hull)


def _worth(corners: Quad, looks: np.ndarray, occupied: np.ndarray) -> float:
    """How well the quad's sides part the table's colours from others; 0 where one side does not.

    Sides along the picture's border count nothing; the more of the others, and the longer, the better. ``looks``
    (h, w, 4) is Lab and how foreign that is to the table.
    """
    h, w = occupied.shape
    points = np.array(corners)
    total, seen = 0.0, 0
    for a, b in zip(points, np.roll(points, -1, axis=0), strict=True):
        way = (b - a) / np.hypot(*(b - a))
        outward = np.array([way[1], -way[0]])
        along = a + np.linspace(0.04, 0.96, 60)[:, None] * (b - a)
        beyond, within = along + STEP * outward, along - STEP * outward
        inside = ((beyond >= 0) & (beyond < [w, h]) & (within >= 0) & (within < [w, h])).all(1)
        if inside.sum() < 12:  # along the border, or outside the picture
            continue
        free = inside & (_sample(occupied.astype(np.float32), within) < 0.5)
        if free.sum() < 8:
            return 0.0
        out, home = _sample(looks, beyond[free]), _sample(looks, within[free])
        other, own = out[:, 3] > OTHER, home[:, 3] < OTHER
        drawn = np.linalg.norm(out[:, :3] - home[:, :3], axis=1) > STEEP
        if other.mean() < (BEYOND_DRAWN if drawn.mean() > DRAWN else BEYOND) or own.mean() < WITHIN:
            return 0.0
        total += float(other.mean() * own.mean()) * inside.sum() / 60
        seen += 1
    return total if seen >= 2 else 0.0


def _sample(plane: np.ndarray, points: np.ndarray) -> NDArray[np.float32]:
    h, w = plane.shape[:2]
    x = np.clip(np.round(points[:, 0]).astype(int), 0, w - 1)
    y = np.clip(np.round(points[:, 1]).astype(int), 0, h - 1)
    return np.asarray(plane[y, x], np.float32)
