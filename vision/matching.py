"""Matching: which tile of before is which tile of now, by place and face together.

A tile that lies still is found by its place. Where a hand was, places deceive: a row pushed on by one tile puts
every tile where its neighbour lay, and a tile laid for a joker lies where the joker was. So pairs are scored by
both, as log odds against "the old one is gone, the new one is new", and the best sum over all tiles is taken.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

STILL = 0.3
"""Tile widths by which the middle of a tile that lies still may be off."""

# Log odds. The place of a tile that lies still; the share of it that is left at the worst face where nobody
# touched it and where somebody did; a tile put elsewhere; the same where, as far as is known, nobody was.
AT_PLACE = 6.0
UNTOUCHED_FACE, TOUCHED_TOTAL = -4.0, 0.5
PUT_ELSEWHERE, FROM_A_HAND, BACK_AT_ITS_PLACE = -1.0, -0.5, 2.0
UNSEEN_HAND, NO_HAND, UNDER_THE_HAND = -3.0, -6.0, -5.0
FAR, FARTHEST = 0.02, 25.0
NUDGED, NUDGE = 3.0, 0.5
MOST_GROWTH = 1.45


def assign(costs: np.ndarray) -> list[int]:
    """A column for each row, each used once at most, so that the sum of the costs is the least.

    Args:
        costs: (rows, columns) finite, at least as many columns as rows.

    Returns:
        The column of each row.

    Successive shortest paths with potentials (Kuhn, Munkres; Jonker and Volgenant): O(rows² · columns).
    """
    costs = np.asarray(costs, float)
    rows, columns = costs.shape
    if rows > columns:
        raise ValueError(f"expected at least as many columns as rows, got {rows} rows and {columns} columns")
    row_price, price = np.zeros(rows), np.zeros(columns)
    owner = np.full(columns, -1)
    for row in range(rows):
        least = np.full(columns, np.inf)
        came_from = np.full(columns, -1)
        done = np.zeros(columns, bool)
        i, last, reach = row, -1, 0.0
        while True:
            through = reach + costs[i] - row_price[i] - price
            better = ~done & (through < least)
            least[better], came_from[better] = through[better], last
            last = int(np.where(done, np.inf, least).argmin())
            reach = float(least[last])
            done[last] = True
            if owner[last] < 0:
                break
            i = int(owner[last])
        used = done.copy()
        used[last] = False
        row_price[row] += reach
        row_price[owner[used]] += reach - least[used]
        price[used] -= reach - least[used]
        while last >= 0:
            before = int(came_from[last])
            owner[last] = row if before < 0 else owner[before]
            last = before
    taken = [0] * rows
    for column in np.flatnonzero(owner >= 0):
        taken[int(owner[column])] = int(column)
    return taken


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Tiles of before or of now.

    ``quads`` (n, 4, 2) pixels; ``chances`` (n, 53) of their faces; ``touched`` (n,) whether a hand was at the
    place since; of the tiles of before ``covered`` whether one is there now, ``gone`` whether the tile was
    taken already, so that its place says little.
    """

    quads: np.ndarray
    chances: np.ndarray
    touched: np.ndarray
    covered: np.ndarray
    gone: np.ndarray


def widths(quads: np.ndarray) -> np.ndarray:
    """The shorter side of each quad (n, 4, 2) in pixels, at least 1."""
    quads = np.asarray(quads, float).reshape(-1, 4, 2)
    sides = np.hypot(*np.moveaxis(quads - np.roll(quads, -1, axis=1), 2, 0))
    return np.maximum(1.0, np.minimum(sides[:, 0] + sides[:, 2], sides[:, 1] + sides[:, 3]) / 2)


def distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """From the middle of each quad of ``a`` (n, 4, 2) to that of each of ``b`` (m, 4, 2), in widths of ``a``'s."""
    a, b = (np.asarray(q, float).reshape(-1, 4, 2) for q in (a, b))
    offset = a.mean(1)[:, None] - b.mean(1)[None]
    return np.asarray(np.hypot(offset[..., 0], offset[..., 1]) / widths(a)[:, None])


def scores(old: Side, new: Side) -> np.ndarray:
    """Log odds (n, m) that the old tile is the new one, against one gone and one new."""
    if not len(old.quads) or not len(new.quads):
        return np.zeros((len(old.quads), len(new.quads)))
    face = np.log(np.maximum(old.chances.shape[1] * old.chances @ new.chances.T, 1e-12))
    d = distances(old.quads, new.quads)
    growth = np.abs(np.log(widths(new.quads)[None] / widths(old.quads)[:, None]))
    touched, gone = old.touched[:, None] | old.covered[:, None], old.gone[:, None]
    near = (d < STILL) & ~gone & (growth < np.log(MOST_GROWTH))

    lying = AT_PLACE - (d / STILL) ** 2 + np.where(touched, face, np.maximum(face, UNTOUCHED_FACE))
    lying = np.where(near, np.maximum(lying, TOUCHED_TOTAL), -np.inf)
    nudged = np.where(gone, -np.inf, NUDGED - (d / NUDGE) ** 2 + np.where(touched, face, np.maximum(face, -2.0)))
    apart = np.where(touched, PUT_ELSEWHERE, np.where(new.touched[None], NO_HAND, UNSEEN_HAND))
    apart = np.where(old.covered[:, None], UNDER_THE_HAND, apart)
    apart = np.where(gone, FROM_A_HAND + np.where(d < STILL, BACK_AT_ITS_PLACE, 0.0), apart)
    put = apart + face - FAR * np.minimum(d, FARTHEST)
    return np.asarray(np.maximum(np.maximum(lying, nudged), put))


def match(old: Side, new: Side) -> list[tuple[int, int]]:
    """Pairs (old, new) with the greatest sum of `scores`; a pair that is worth nothing is not made.

    Pairs that nobody disputes (each the other's only neighbour, and the same face) are made first: they are
    nearly all, and what is left is small.
    """
    n, m = len(old.quads), len(new.quads)
    if not n or not m:
        return []
    d = np.where(old.gone[:, None], np.inf, distances(old.quads, new.quads))
    near = d < 2 * STILL
    alone = near & (near.sum(1, keepdims=True) == 1) & (near.sum(0, keepdims=True) == 1) & (d < STILL)
    same = old.chances.argmax(1)[:, None] == new.chances.argmax(1)[None]
    pairs = [(int(i), int(j)) for i, j in np.argwhere(alone & same)]
    rest_old = np.setdiff1d(np.arange(n), [i for i, _ in pairs])
    rest_new = np.setdiff1d(np.arange(m), [j for _, j in pairs])
    if len(rest_old) and len(rest_new):
        worth = scores(old, new)[np.ix_(rest_old, rest_new)]
        padded = np.hstack([-np.maximum(worth, 0.0), np.zeros((len(rest_old), len(rest_old)))])
        for i, j in enumerate(assign(padded)):
            if j < len(rest_new) and worth[i, j] > 0:
                pairs.append((int(rest_old[i]), int(rest_new[j])))
    return sorted(pairs)
