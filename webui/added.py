"""Where a tile lies that somebody adds by a tap on the picture: as large and as turned as its nearest neighbour."""

from __future__ import annotations

import math

import numpy as np

from vision.reading import Quad, Reading

ALONE = 1 / 22
"""Width of a tile by that of the picture, where no other tile says it."""
ASPECT = 1.4
LEVEL = 0.5
"""A tap that is no further above or below a neighbour, in its heights, means a place in its row."""
ROW = 3.0
"""How far from a neighbour its row still goes on, in widths of a tile."""


def quad_at(reading: Reading, x: float, y: float) -> Quad:
    """The outline (pixels, clockwise from its own top left) of a tile whose middle was tapped at (x, y)."""
    if not reading.tiles:
        half, down = reading.width * ALONE / 2, reading.width * ALONE * ASPECT / 2
        return (x - half, y - down), (x + half, y - down), (x + half, y + down), (x - half, y + down)
    nearest = min(reading.tiles, key=lambda t: math.dist(t.centre, (x, y)))
    quad = np.array(nearest.quad, float)
    across, along = (quad[1] - quad[0] + quad[2] - quad[3]) / 2, (quad[3] - quad[0] + quad[2] - quad[1]) / 2
    right, down = np.linalg.solve(np.column_stack((across, along)), np.array((x, y)) - quad.mean(0))
    if abs(down) < LEVEL and abs(right) < ROW:
        down = 0.0
    a, b, c, d = ((float(px), float(py)) for px, py in quad + right * across + down * along)
    return a, b, c, d
