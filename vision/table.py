"""The playing area: four corners in the picture, proposed, dragged by hand, and the top view that follows from them.

What lies outside the area (racks, the pool, laps) is not read. Everything here is a value in and a value out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.reading import Point, Quad

LONGEST = 1200
"""Pixels of the top view's longer side."""
LEAST_SIDE = 8.0
LEAST_SHARE = 0.03
"""Share of the picture that a playing area covers at least."""
FEWEST = 9
"""Tiles, three sets, from which on they show where people play."""
OUTSIDE = 0.12
"""Share of the picture's width or height by which a corner may lie outside it: tables are cut off by the border."""


class TableError(ValueError):
    """Corners that enclose no playing area: one line that says what is wrong and what to do."""


def whole(width: float, height: float) -> Quad:
    """The corners of the whole picture."""
    return (0.0, 0.0), (float(width), 0.0), (float(width), float(height)), (0.0, float(height))


def ordered(points: np.ndarray) -> Quad:
    """Four points as corners: clockwise in the picture, the one nearest its top left first."""
    points = np.asarray(points, float).reshape(-1, 2)
    if len(points) != 4:
        raise TableError(f"a playing area has four corners, not {len(points)}")
    middle = points.mean(0)
    points = points[np.argsort(np.arctan2(*(points - middle).T[::-1]), kind="stable")]
    first = int((points - points.min(0)).sum(1).argmin())
    a, b, c, d = ((float(x), float(y)) for x, y in np.roll(points, -first, axis=0))
    return a, b, c, d


def checked(corners: Sequence[Sequence[float]]) -> Quad:
    """The corners as a quad, if they enclose an area: clockwise and convex. Raises `TableError`."""
    try:
        points = np.array([[float(x), float(y)] for x, y in corners])
    except (TypeError, ValueError):
        raise TableError(f"a corner is two numbers, x and y in pixels, not {corners!r:.60}") from None
    if points.shape != (4, 2) or not np.isfinite(points).all():
        raise TableError(f"a playing area has four corners, x and y in pixels, not {corners!r:.60}")
    sides = np.roll(points, -1, axis=0) - points
    if np.hypot(*sides.T).min() < LEAST_SIDE:
        raise TableError(f"two corners of the playing area lie on each other: {points.tolist()}")
    after = np.roll(sides, -1, axis=0)
    turns = (sides[:, 0] * after[:, 1] - sides[:, 1] * after[:, 0]) / np.hypot(*sides.T) / np.hypot(*after.T)
    if turns.min() < 0.02:
        raise TableError("the corners of the playing area must go clockwise and not fold: drag them apart")
    a, b, c, d = ((float(x), float(y)) for x, y in points)
    return a, b, c, d


def bounded(corners: Sequence[Sequence[float]], width: float, height: float) -> Quad:
    """The corners, each in the picture or a little outside it. Raises `TableError` where no area of it is enclosed."""
    far = np.array([width, height]) * OUTSIDE
    points = np.clip(np.array(checked(corners)), -far, np.array([width, height]) + far)
    quad = checked(points.tolist())
    seen = cv2.intersectConvexConvex(np.array(quad, np.float32), np.array(whole(width, height), np.float32))[0]
    if seen < LEAST_SHARE * width * height:
        raise TableError("the playing area is hardly in the picture: drag its corners apart")
    return quad


def drag(corners: Quad, corner: int, to: Point, width: float, height: float) -> Quad:
    """The corners after one of them (0-3) was dragged; it stays in the picture, or a little outside it.

    Raises `TableError` where the area would fold; the caller keeps the corners as they were.
    """
    if not 0 <= corner < 4:
        raise TableError(f"a playing area has corners 0 to 3, not {corner}")
    if not np.isfinite(to).all():
        raise TableError(f"a corner is two numbers, x and y in pixels, not {to!r:.60}")
    x, y = (
        float(np.clip(value, -OUTSIDE * size, (1 + OUTSIDE) * size))
        for value, size in zip(to, (width, height), strict=True)
    )
    return checked([(x, y) if k == corner else point for k, point in enumerate(corners)])


@dataclass(frozen=True, slots=True)
class TableView:
    """The playing area of a picture and its top view.

    ``corners``: in the picture's pixels, clockwise, from the top view's top left; ``size``: width and height of
    the top view in pixels. Raises `TableError`.

    >>> view = TableView(((100, 50), (500, 50), (600, 350), (0, 350)), (400, 300))
    >>> view.to_table([(100, 50), (600, 350)]).round(6).tolist()
    [[0.0, 0.0], [400.0, 300.0]]
    """

    corners: Quad
    size: tuple[int, int] = (LONGEST, LONGEST * 3 // 4)

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", checked(self.corners))
        if min(self.size) < 1:
            raise TableError(f"a top view has a width and a height of 1 pixel or more, not {self.size}")

    @classmethod
    def of(cls, corners: Sequence[Sequence[float]], width: float, height: float, longest: int = LONGEST) -> TableView:
        """With the proportions that the area has in the world, seen by a camera of ``width`` × ``height`` pixels."""
        ratio = proportion(np.array(checked(corners)), width, height)
        short = max(1, round(longest * min(ratio, 1 / ratio)))
        return cls(checked(corners), (longest, short) if ratio >= 1 else (short, longest))

    @property
    def matrix(self) -> NDArray[np.float64]:
        """Homography (3, 3) from the picture to the top view."""
        w, h = self.size
        goal = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
        return np.asarray(cv2.getPerspectiveTransform(np.array(self.corners, np.float32), goal), np.float64)

    def to_table(self, points: Any) -> NDArray[np.float64]:
        """Points (…, 2) of the picture, as pixels of the top view."""
        return _through(points, self.matrix)

    def to_picture(self, points: Any) -> NDArray[np.float64]:
        """Points (…, 2) of the top view, as pixels of the picture."""
        return _through(points, np.linalg.inv(self.matrix))

    def top_view(self, picture: np.ndarray) -> np.ndarray:
        """The playing area (height, width, 3) seen from straight above."""
        # Pixels are squares with their middle at whole numbers, corners lie between them.
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
        matrix = np.linalg.inv(half) @ self.matrix @ half
        return cv2.warpPerspective(picture, matrix, self.size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT)

    def inside(self, quads: np.ndarray, share: float = 0.5) -> NDArray[np.bool_]:
        """Which of the quads (n, 4, 2) lie in the area by more than ``share`` of their own; the others are not read."""
        area = np.array(self.corners, np.float32)
        inside = []
        for quad in np.asarray(quads, np.float32).reshape(-1, 4, 2):
            own = max(1e-6, abs(float(cv2.contourArea(quad))))
            inside.append(cv2.intersectConvexConvex(area, quad)[0] > share * own)
        return np.array(inside, bool)

    def bounds(self, width: int, height: int) -> tuple[int, int, int, int]:
        """The part of the picture that holds the area: x0, y0, x1, y1, whole pixels, the last ones not included."""
        points = np.array(self.corners)
        (x0, y0), (x1, y1) = np.floor(points.min(0)), np.ceil(points.max(0))
        x0, x1 = (int(np.clip(v, 0, width)) for v in (x0, x1))
        y0, y1 = (int(np.clip(v, 0, height)) for v in (y0, y1))
        return x0, y0, x1, y1

    def moved(self, homography: np.ndarray) -> TableView:
        """The same area after the camera was nudged: pixels before to pixels now by this (3, 3) homography."""
        return TableView(checked(_through(self.corners, homography).tolist()), self.size)

    def to_json(self) -> dict[str, Any]:
        return {"corners": [[round(x, 2), round(y, 2)] for x, y in self.corners], "size": list(self.size)}

    @classmethod
    def from_json(cls, document: Any) -> TableView:
        """Reads what `to_json` writes. Raises `TableError`."""
        try:
            corners, (w, h) = document["corners"], document.get("size", (LONGEST, LONGEST * 3 // 4))
            size = int(w), int(h)
        except (KeyError, TypeError, ValueError, AttributeError):
            raise TableError(f"a playing area is an object with four corners, not {document!r:.60}") from None
        return cls(checked(corners), size)


def _through(points: Any, matrix: np.ndarray) -> NDArray[np.float64]:
    points = np.asarray(points, np.float64)
    if points.shape[-1:] != (2,):
        raise ValueError(f"expected points (…, 2), got the shape {points.shape}")
    if not points.size:
        return points
    moved = cv2.perspectiveTransform(points.reshape(-1, 1, 2), np.asarray(matrix, np.float64))
    return np.asarray(moved, np.float64).reshape(points.shape)


def moved_quad(quad: Quad, homography: np.ndarray) -> Quad:
    """A quad through a homography (3, 3)."""
    a, b, c, d = ((float(x), float(y)) for x, y in _through(quad, homography))
    return a, b, c, d


def proportion(corners: np.ndarray, width: float, height: float) -> float:
    """Width by height of the rectangle whose picture the corners (4, 2) are.

    After Zhang and He, "Whiteboard scanning and image enhancement" (2007), section 3: with the optical axis through
    the picture's middle, a rectangle's four corners give the focal length and with it the rectangle's proportions.
    Where they do not (two sides lie parallel in the picture) a focal length of one picture width is taken.
    """
    longest = max(width, height)
    points = np.column_stack([(corners - [width / 2, height / 2]) / longest, np.ones(4)])
    m1, m2, m4, m3 = points
    k2 = np.dot(np.cross(m1, m4), m3) / np.dot(np.cross(m2, m4), m3)
    k3 = np.dot(np.cross(m1, m4), m2) / np.dot(np.cross(m3, m4), m2)
    across, down = k2 * m2 - m1, k3 * m3 - m1
    steepness = across[2] * down[2]
    square = -float(across[:2] @ down[:2]) / steepness if abs(steepness) > 1e-3 else 1.0
    focal = float(np.clip(np.sqrt(square), 0.5, 3.0)) if square > 0 else 1.0
    lens = np.array([1 / focal, 1 / focal, 1.0])
    ratio = float(np.linalg.norm(across * lens) / np.linalg.norm(down * lens))
    return float(np.clip(ratio, 0.2, 5.0))


def around_tiles(quads: np.ndarray, width: float, height: float) -> Quad | None:
    """The area round the tiles (n, 4, 2) with room for more, or None where that is (nearly) the whole picture.

    None as well where there are too few of them to say where people play.
    """
    quads = np.asarray(quads, float).reshape(-1, 4, 2)
    if len(quads) < FEWEST:
        return None
    sides = np.hypot(*np.moveaxis(quads - np.roll(quads, -1, axis=1), 2, 0))
    points = quads.reshape(-1, 2)
    extent = np.ptp(points, axis=0)
    room = np.maximum(4 * float(np.median(sides.max(1))), 0.3 * extent)
    low = np.maximum(points.min(0) - room, 0)
    high = np.minimum(points.max(0) + room, [width, height])
    if np.prod(high - low) > 0.8 * width * height:
        return None
    (x0, y0), (x1, y1) = low, high
    return ordered(np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))


def lengths(corners: Quad) -> tuple[float, ...]:
    """The four sides' lengths in pixels, from the top side on, clockwise."""
    return tuple(float(np.hypot(b[0] - a[0], b[1] - a[1])) for a, b in pairwise((*corners, corners[0])))
