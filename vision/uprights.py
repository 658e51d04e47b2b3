"""Which way up: tiles that lie together mostly share a direction.

Where a tile's own print leaves its turn open (6 or 9 on a rack, where the foot of the tile is hidden), its neighbours
say which turn is likelier. This is a fact of how tiles are laid, not of which sets are legal. A tile whose reading its
neighbours change is never sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.faces import FaceReading

WEIGHT = 4.0
"""Log odds of a turn that agrees with all neighbours against one across them; twice that against upside down."""
REACH = 2.6
"""How far a neighbour may be, in tile heights."""
DOUBTFUL = (0, 5, 7, 8, 9, 10, 13)
"""Faces that look much alike upside down (1, 6, 8, 9, 10, 11, joker): they say little about their direction."""


def ups(reading: FaceReading) -> np.ndarray:
    """The unit vector (4, 2) from foot to head of the tile in the picture, for each turn."""
    q = reading.quad
    head = (q[0] + q[1] - q[2] - q[3]) / 2
    side = (q[1] + q[2] - q[3] - q[0]) / 2
    own = [head, side, -head, -side]
    rows = [own[(turn - reading.turn) % 4] for turn in range(4)]
    return np.array([v / (np.linalg.norm(v) + 1e-9) for v in rows])


def share_direction(readings: Sequence[FaceReading]) -> tuple[list[FaceReading], np.ndarray]:
    """Readings with their neighbours' direction weighed in, and which of them (n,) bool it changed."""
    n = len(readings)
    changed = np.zeros(n, bool)
    if n < 2:
        return list(readings), changed
    heads = np.stack([ups(r) for r in readings])
    turns = np.stack([r.faces.sum(1) for r in readings])
    clear = np.array([1.0 - 0.75 * r.faces[:, DOUBTFUL].sum() for r in readings])
    arrows = (turns[..., None] * heads).sum(1) * clear[:, None]
    centres = np.array([r.quad.mean(0) for r in readings])
    sizes = np.array(
        [max(np.linalg.norm(r.quad[0] - r.quad[3]), np.linalg.norm(r.quad[0] - r.quad[1])) for r in readings]
    )
    distance = np.linalg.norm(centres[:, None] - centres[None], axis=2)
    near = np.exp(-0.5 * (distance / (1.2 * sizes[:, None])) ** 2) * (distance < REACH * sizes[:, None])
    np.fill_diagonal(near, 0)
    votes = near @ arrows / np.maximum(near @ clear, 0.5)[:, None]
    out = []
    for k, reading in enumerate(readings):
        odds = np.exp(WEIGHT * heads[k] @ votes[k])
        faces = reading.faces * odds[:, None]
        faces *= reading.faces.sum() / max(float(faces.sum()), 1e-12)
        turn = int(faces.max(1).argmax())
        changed[k] = faces.sum(0).argmax() != reading.classes.argmax()
        out.append(replace(reading, faces=faces, quad=np.roll(reading.quad, -((turn - reading.turn) % 4), axis=0)))
    return out, changed
