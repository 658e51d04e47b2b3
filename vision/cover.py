"""Cover: which parts of a picture a hand hides, or was over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

GRID = 240
"""Width in cells of the masks that are made here; a tile is some cells wide, which is as fine as hands are known."""
SAMPLES = 6


@dataclass(frozen=True, slots=True, eq=False)
class Cover:
    """Parts of a picture of ``width`` × ``height`` pixels, as a mask of cells (rows, columns), bool.

    The mask may be coarser than the picture: the small mask of a motion watch is good enough.
    """

    mask: NDArray[np.bool_]
    width: float
    height: float

    def __post_init__(self) -> None:
        if self.mask.ndim != 2 or not self.mask.size:
            raise ValueError(f"a cover's mask has rows and columns, not the shape {self.mask.shape}")
        if not (0 < self.width < np.inf and 0 < self.height < np.inf):
            raise ValueError(f"a cover needs its picture's size, not {self.width} × {self.height}")

    @classmethod
    def nothing(cls) -> Cover:
        """No part of any picture."""
        return cls(np.zeros((1, 1), bool), 1, 1)

    @classmethod
    def everywhere(cls) -> Cover:
        """The whole of any picture: something moved, and it is not known where."""
        return cls(np.ones((1, 1), bool), 1, 1)

    @classmethod
    def of_mask(cls, mask: np.ndarray, width: float, height: float) -> Cover:
        """From a mask (rows, columns) of any size over a picture of ``width`` × ``height``; other than 0 is covered."""
        return cls(np.asarray(mask) != 0, width, height)

    @classmethod
    def of_polygons(cls, polygons: Iterable[np.ndarray], width: float, height: float) -> Cover:
        """From outlines (m, 2) in the picture's pixels, m at least 3, of any shape."""
        scale = GRID / width
        mask = np.zeros((max(1, round(height * scale)), GRID), np.uint8)
        for polygon in polygons:
            points = np.asarray(polygon, float).reshape(-1, 2)
            if len(points) < 3 or not np.isfinite(points).all():
                raise ValueError(f"a covered part is an outline of at least three points, not {points.tolist()!r:.60}")
            inside = np.clip((points + 0.5) * scale - 0.5, -4 * GRID, 5 * GRID)
            cv2.fillPoly(mask, [np.round(inside * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
        return cls(mask.astype(bool), width, height)

    @property
    def is_empty(self) -> bool:
        return not self.mask.any()

    def share(self, quads: np.ndarray) -> NDArray[np.float64]:
        """The covered share (n,) of each of the quads (n, 4, 2), 0-1; what is outside the picture is not covered."""
        quads = np.asarray(quads, float).reshape(-1, 4, 2)
        rows, columns = self.mask.shape
        if not len(quads) or self.is_empty:
            return np.zeros(len(quads))
        if self.mask.size == 1:  # any picture's whole, whatever its size
            return np.full(len(quads), float(self.mask[0, 0]))
        steps = (np.arange(SAMPLES) + 0.5) / SAMPLES
        s, t = (g.reshape(1, -1, 1) for g in np.meshgrid(steps, steps))
        a, b, c, d = (quads[:, None, k] for k in range(4))
        points = (a * (1 - s) + b * s) * (1 - t) + (d * (1 - s) + c * s) * t
        cells = np.floor((points + 0.5) * [columns / self.width, rows / self.height]).astype(int)
        within = ((cells >= 0) & (cells < [columns, rows])).all(2)
        x, y = (np.where(within, cells[..., k], 0) for k in range(2))
        return np.asarray((self.mask[y, x] & within).mean(1), np.float64)

    def __or__(self, other: Cover) -> Cover:
        """Both together, on the finer of the two grids."""
        fine, coarse = (self, other) if self.mask.size >= other.mask.size else (other, self)
        if coarse.is_empty or fine.mask.all():
            return fine
        if coarse.mask.all() or fine.is_empty:
            return coarse
        rows, columns = fine.mask.shape
        # Nearest cell, so that a hand of one cell is not averaged away.
        grown = cv2.resize(coarse.mask.astype(np.uint8), (columns, rows), interpolation=cv2.INTER_NEAREST)
        return Cover(fine.mask | grown.astype(bool), fine.width, fine.height)
