"""Sets from tile outlines: which tiles lie side by side, and in which order they are read.

Every tile is a frame of its own: a right vector (its width) and a down vector (its height). A neighbour is
looked at in that frame, so angle, perspective and scale drop out: beside means one width to the right or
left, level within half a height, and turned by little (or by about 180°, laid by the player opposite). Each
long edge has at most one neighbour, the nearest; chains of neighbours are rows. Tiles that are left single
but lie neatly one below the other make a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

ASPECT = 1.4
"""Height of a tile by its width, over the editions."""

# A gap parts two sets where it is so many tile widths, and so many times the widest other gap, wide.
WIDE, WIDE_AT_PAIRS, WIDER = 0.17, 0.24, 1.6

# Neighbours differ in height by less than this factor's logarithm; a tile cut off by the border is shorter.
MOST_GROWTH = 0.7

Sets = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """How far two neighbours may differ, each alone; together they share one budget.

    ``gap`` and ``overlap`` are in tile widths between the edges, ``shift`` is a part of the shared edge,
    ``turn`` is in degrees.
    """

    gap: float
    overlap: float
    shift: float
    turn: float


ROW = Reach(gap=0.68, overlap=0.45, shift=0.5, turn=24.0)
COLUMN = Reach(gap=0.4, overlap=0.3, shift=0.35, turn=15.0)
NEAR = Reach(gap=1.0, overlap=0.45, shift=0.5, turn=24.0)
"""Too far apart to be taken for one row, and near enough to be meant as one."""


@dataclass(frozen=True, slots=True)
class Frames:
    """Tiles as frames: ``centre``, ``across`` (left to right), ``along`` (top to bottom), (n, 2) in pixels.

    ``across`` leads over the edge that neighbours share, ``along`` beside it; ``ratio`` is the length of
    ``along`` by that of ``across`` on the real tile.
    """

    centre: np.ndarray
    across: np.ndarray
    along: np.ndarray
    ratio: float

    @classmethod
    def of(cls, quads: np.ndarray) -> Frames:
        """Frames of quads (n, 4, 2), clockwise from the tile's own top left."""
        tl, tr, br, bl = (quads[:, k] for k in range(4))
        return cls(quads.mean(axis=1), (tr - tl + br - bl) / 2, (bl - tl + br - tr) / 2, ASPECT)

    def sideways(self) -> Frames:
        """The same tiles with the directions exchanged: a column, read downwards, looks like a row then."""
        return Frames(self.centre, self.along, -self.across, 1 / self.ratio)

    def __getitem__(self, chosen: np.ndarray) -> Frames:
        return Frames(self.centre[chosen], self.across[chosen], self.along[chosen], self.ratio)

    def seen_from_each(self, vectors: np.ndarray) -> np.ndarray:
        """Vectors (n, n, 2) in pixels, row i in the units of tile i: (widths, heights)."""
        a, b = self.across, self.along
        area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        area = np.where(np.abs(area) < 1e-9, 1e-9, area)[:, None]
        x, y = vectors[..., 0], vectors[..., 1]
        right = (x * b[:, None, 1] - y * b[:, None, 0]) / area
        down = (y * a[:, None, 0] - x * a[:, None, 1]) / area
        return np.stack([right, down], axis=-1)


@dataclass(frozen=True, slots=True)
class Pairs:
    """How each tile lies beside each other one, (n, n) each: ``cost`` 0-1 for neighbours, else infinite.

    ``gap`` in widths; ``side`` says at which side of tile i tile j lies (1 right, 0 left).
    """

    cost: np.ndarray
    gap: np.ndarray
    side: np.ndarray


def beside(frames: Frames, reach: Reach) -> Pairs:
    """Look at every tile from every other one."""
    place = frames.seen_from_each(frames.centre[None, :] - frames.centre[:, None])
    across = frames.seen_from_each(np.broadcast_to(frames.across, place.shape))
    along = frames.seen_from_each(np.broadcast_to(frames.along, place.shape))
    same_way = np.where(across[..., 0] < 0, -1.0, 1.0)  # -1: the other tile lies upside down to this one

    # Each pair is seen from both ends. Their mean is fair in perspective, and in a bent row the two ends
    # disagree on who is shifted, so that the bend drops out of the shift.
    distance = (np.abs(place[..., 0]) + np.abs(place[..., 0]).T) / 2
    width = (1 + (np.abs(across[..., 0]) + np.abs(across[..., 0]).T) / 2) / 2
    gap = distance - width
    shift = np.abs(place[..., 1] - same_way * place[..., 1].T) / 2

    turn_across = np.arctan2(across[..., 1] * frames.ratio * same_way, across[..., 0] * same_way)
    turn_along = np.arctan2(-along[..., 0] * same_way, along[..., 1] * frames.ratio * same_way)
    turn = np.degrees(np.abs(turn_across + turn_along) / 2)
    turn = (turn + turn.T) / 2
    with np.errstate(divide="ignore"):
        growth = np.abs(np.log(np.hypot(along[..., 0] / frames.ratio, along[..., 1])))

    gap_part = np.where(gap > 0, gap / reach.gap, gap / reach.overlap)
    cost = gap_part**2 + (shift / reach.shift) ** 2 + (turn / reach.turn) ** 2
    opposite = (place[..., 0] > 0) ^ (place[..., 0].T > 0) ^ (same_way < 0)
    cost = np.where(opposite & (np.maximum(growth, growth.T) < MOST_GROWTH), cost, np.inf)
    cost = np.maximum(cost, cost.T)
    cost[np.diag_indices_from(cost)] = np.inf
    return Pairs(np.where(cost <= 1, cost, np.inf), gap, (place[..., 0] > 0).astype(int))


def chains(pairs: Pairs) -> list[list[int]]:
    """Rows of at least two tiles, each in the order of its chain; nearest pairs are joined first."""
    n = len(pairs.cost)
    neighbour: list[list[int | None]] = [[None, None] for _ in range(n)]
    row_of = list(range(n))

    def row(k: int) -> int:
        while row_of[k] != k:
            row_of[k] = row_of[row_of[k]]
            k = row_of[k]
        return k

    near = np.argwhere(np.isfinite(pairs.cost))
    for _, i, j in sorted((float(pairs.cost[i, j]), int(i), int(j)) for i, j in near if i < j):
        side_i, side_j = int(pairs.side[i, j]), int(pairs.side[j, i])
        if neighbour[i][side_i] is None and neighbour[j][side_j] is None and row(i) != row(j):
            neighbour[i][side_i], neighbour[j][side_j] = j, i
            row_of[row(i)] = row(j)

    rows, seen = [], set()
    for start in range(n):
        ends = [k for k in neighbour[start] if k is not None]
        if start in seen or len(ends) != 1:
            continue
        chain, before, now = [start], start, ends[0]
        while True:
            chain.append(now)
            onward = [k for k in neighbour[now] if k is not None and k != before]
            if not onward:
                break
            before, now = now, onward[0]
        seen.update(chain)
        rows.append(chain)
    return rows


def part(chain: list[int], gap: np.ndarray) -> list[list[int]]:
    """Cut a chain where gaps stand out: sets that lie in line, not one.

    The eye does the same: tiles laid loosely all along are one set, a few wide gaps among tight ones part
    them. Every part keeps two tiles at least; one tile laid a little off belongs to its row.
    """
    gaps = [max(float(gap[i, j]), 0.0) for i, j in pairwise(chain)]
    for few in range(len(gaps) // 3, 0, -1):
        widest_tight = sorted(gaps)[-few - 1]
        wide = [k for k, g in enumerate(gaps) if g > widest_tight and 0 < k < len(gaps) - 1]
        stops = [0, *(k + 1 for k in wide), len(chain)]
        sizes = [b - a for a, b in pairwise(stops)]
        room = WIDE if min(sizes) > 2 else WIDE_AT_PAIRS
        if wide and min(sizes) > 1 and min(gaps[k] for k in wide) > room + WIDER * widest_tight:
            return [chain[a:b] for a, b in pairwise(stops)]
    return [chain]


def straighten(quads: np.ndarray, ups_known: np.ndarray) -> np.ndarray:
    """Quads whose up is not known, turned by 90° where the nearest tile with a known up asks for it.

    Seen flat across the table a tile looks wider than high; which edge is the long one a neighbour tells.
    """
    frames = Frames.of(quads)
    known = np.flatnonzero(ups_known)
    turned = quads.copy()
    for k in np.flatnonzero(~ups_known):
        if not len(known):
            break
        near = known[np.argmin(np.hypot(*(frames.centre[known] - frames.centre[k]).T))]
        scale = np.linalg.pinv(np.stack([frames.across[near], frames.along[near] / ASPECT], axis=1))
        wide, high = (np.hypot(*(scale @ side)) for side in (frames.across[k], frames.along[k]))
        if high < 0.95 * wide:
            turned[k] = np.roll(quads[k], 1, axis=0)
    return turned


def in_reading_order(chain: list[int], frames: Frames, ups_known: np.ndarray) -> list[int]:
    """The chain as its owner reads it: from left to right by the up of most tiles.

    Where no up is known, or as many tiles lie one way as the other, from left to right in the picture (from
    top to bottom where the row stands upright in it).
    """
    way = frames.centre[chain[-1]] - frames.centre[chain[0]]
    across = frames.across[[k for k in chain if ups_known[k]]]
    votes = int(np.sign(across @ way).sum()) if len(across) else 0
    if votes == 0:
        votes = int(np.sign(way[0] if abs(way[0]) >= abs(way[1]) else way[1])) or 1
    return chain if votes > 0 else chain[::-1]


def group(quads: np.ndarray, ups_known: np.ndarray) -> tuple[Sets, tuple[int, ...]]:
    """Tiles to sets and loose tiles, as indices into ``quads``.

    Args:
        quads: (n, 4, 2) outlines in pixels, clockwise from the tile's own top left.
        ups_known: (n,) whether that top is certain; where not, the quad may be turned by half a turn.

    Returns:
        The sets, each in reading order, from the top of the picture down, and the loose tiles from the top
        down. Every index is in exactly one of them.
    """
    quads = np.asarray(quads, dtype=float).reshape(-1, 4, 2)
    ups_known = np.asarray(ups_known, dtype=bool).reshape(-1)
    if len(quads) != len(ups_known):
        raise ValueError(f"expected an up for each of {len(quads)} quads, got {len(ups_known)}")
    if not len(quads):
        return (), ()
    frames = Frames.of(straighten(quads, ups_known))
    pairs = beside(frames, ROW)
    sets = [in_reading_order(row, frames, ups_known) for c in chains(pairs) for row in part(c, pairs.gap)]

    in_rows = {k for row in sets for k in row}
    single = np.array([k for k in range(len(quads)) if k not in in_rows], dtype=int)
    downward = frames.sideways()
    columns = chains(beside(downward[single], COLUMN))
    sets += [in_reading_order([int(single[k]) for k in c], downward, ups_known) for c in columns]

    in_sets = {k for row in sets for k in row}
    place = [(float(y), float(x)) for x, y in frames.centre]
    sets.sort(key=lambda row: min(place[k] for k in row))
    loose = sorted((k for k in range(len(quads)) if k not in in_sets), key=lambda k: place[k])
    return tuple(tuple(row) for row in sets), tuple(loose)


def facing(quads: np.ndarray, ups_known: np.ndarray, rows: Sequence[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    """Where two rows lie in one line with less than a tile's width between them: the tiles that face each other.

    Args:
        quads, ups_known: as `group` takes them.
        rows: indices in the order of each row, a loose tile as a row of one.

    Returns:
        Pairs of indices, each of tiles at the ends of different rows; every end is in one pair at most.
    """
    quads = np.asarray(quads, dtype=float).reshape(-1, 4, 2)
    if not len(quads):
        return ()
    pairs = beside(Frames.of(straighten(quads, np.asarray(ups_known, dtype=bool))), NEAR)
    row_of = {k: n for n, row in enumerate(rows) for k in row}
    free: dict[int, set[int]] = {}
    for row in rows:
        if len(row) == 1:
            free[row[0]] = {0, 1}
            continue
        for end, inner in ((row[0], row[1]), (row[-1], row[-2])):
            if np.isfinite(pairs.cost[end, inner]):  # a column has no ends at its sides
                free[end] = {1 - int(pairs.side[end, inner])}
    near = [(float(pairs.cost[i, j]), i, j) for i in free for j in free if i < j and np.isfinite(pairs.cost[i, j])]
    found = []
    for _, i, j in sorted(near):
        at_i, at_j = int(pairs.side[i, j]), int(pairs.side[j, i])
        if row_of[i] != row_of[j] and at_i in free[i] and at_j in free[j]:
            free[i].discard(at_i)
            free[j].discard(at_j)
            found.append((i, j))
    return tuple(found)
