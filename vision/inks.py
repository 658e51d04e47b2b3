"""The four inks of one table told apart together.

The net names each tile's ink by itself; editions differ in what they call red or blue, and a lamp moves all of them
the same way. Here the tiles of one table vote: where the inks of this table lie is estimated from the tiles that the
net is sure of, and each tile is then judged by both.
"""

from __future__ import annotations

import numpy as np

COUNT = 4


def ink_colours(balanced: np.ndarray) -> np.ndarray:
    """The colour of each tile's print against its body.

    Args:
        balanced: float32 (n, 3, s, s) as `vision.faces.balance` gives it.

    Returns:
        float64 (n, 3): red-blue and green-magenta balance and lightness of the print, as log ratios to the body.
    """
    n, _, s, _ = balanced.shape
    a = round(s * 0.16)
    pixels = balanced[:, :, a : s - a, a : s - a].reshape(n, 3, -1).astype(np.float64)
    log = np.log(np.clip(pixels, 0.02, 1.3) / 0.8)
    # Print is what differs most from the body in any channel.
    depth = -log.min(1)
    count = max(8, pixels.shape[2] // 25)
    chosen = np.argpartition(-depth, count, axis=1)[:, :count]
    b, g, r = (np.take_along_axis(log[:, k], chosen, 1) for k in range(3))
    return np.stack([np.median(r - b, 1), np.median(g - (r + b) / 2, 1), np.median((r + g + b) / 3, 1)], 1)


def settle(probabilities: np.ndarray, colours: np.ndarray, rounds: int = 4, strength: float = 0.6) -> np.ndarray:
    """Ink probabilities of a table's tiles, sharpened by each other.

    Expectation-maximisation for four Gaussians of shared spread, started from the net's word and held to it: the
    net's log probability and the table's are added, the table's weighted by ``strength``.

    Args:
        probabilities: (n, 4) of the net.
        colours: (n, 3) of `ink_colours`.
    """
    n = len(probabilities)
    if n < 4:
        return probabilities
    own = np.log(np.clip(probabilities, 1e-6, 1))
    current = probabilities.copy()
    for _ in range(rounds):
        weight = current**2
        mass = weight.sum(0)
        present = mass > 0.8
        if present.sum() < 2:
            return probabilities
        means = (weight.T @ colours) / np.maximum(mass, 1e-6)[:, None]
        offset = colours[:, None] - means[None]
        spread = (weight[..., None] * offset**2).sum((0, 1)) / max(mass.sum(), 1e-6) + 0.06**2
        distance = (offset**2 / spread).sum(2)
        table = np.where(present, -0.5 * np.minimum(distance, 30), -0.5 * 12.0)
        mixed = own + strength * table
        mixed -= mixed.max(1, keepdims=True)
        current = np.exp(mixed)
        current /= current.sum(1, keepdims=True)
    return current
