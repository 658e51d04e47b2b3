"""Where a tile of the snapshot belongs in the live picture: beside what lies there already, where nothing else lies.

Places are outlines in pixels, float64 (4, 2), clockwise from the tile's own top left. A set that stays is followed
where it was pushed, turned or nearer to the camera; so is a camera that was nudged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from referee.restore import Restoration, Spot
from referee.snapshot import Placed, Quad, Snapshot

NEAR_SHIFT = 2.0
"""Tiles that moved less than so many of their widths tell how the camera was nudged."""
LEAST_SCALE, MOST_SCALE = 0.8, 1.25
"""A set that lies elsewhere is drawn no smaller and no larger than that; a gap that was closed is no scale."""
APART = 0.8
"""Two tiles whose middles are nearer than so much of a tile, across and along, lie on one another."""
RINGS, SPOKES = 14, 16
"""How far, and in how many directions, a free place is looked for, in steps of half a tile."""


class Fit:
    """A shift, turn and scale of the plane, as ``z -> turn * z + shift`` of complex numbers.

    >>> Fit.of([((0, 0), (5, 5)), ((10, 0), (15, 5))])(np.array([[0.0, 4.0]])).tolist()
    [[5.0, 9.0]]
    """

    def __init__(self, turn: complex = 1 + 0j, shift: complex = 0j) -> None:
        self._turn, self._shift = turn, shift

    @classmethod
    def of(cls, pairs: Sequence[tuple[Sequence[float], Sequence[float]]]) -> Fit:
        """The one nearest to some pairs of points, from and to; of one pair only the shift is known."""
        if not pairs:
            return cls()
        points = np.array(pairs, float) @ np.array([1, 1j])
        here, there = points[:, 0], points[:, 1]
        middle, aim = here.mean(), there.mean()
        spread = float(np.abs(here - middle).max())
        if spread < 1:
            return cls(1 + 0j, complex(aim - middle))
        turn = complex(np.vdot(here - middle, there - aim) / np.vdot(here - middle, here - middle))
        scale = abs(turn)
        if not LEAST_SCALE <= scale <= MOST_SCALE:
            turn = turn / scale if scale > 0 else 1 + 0j
        return cls(turn, complex(aim - turn * middle))

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Points (n, 2) as they lie now."""
        moved = self._turn * (points @ np.array([1, 1j])) + self._shift
        return np.stack([moved.real, moved.imag], axis=1)


def fit_tiles(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> Fit:
    """How some tiles moved, from their outlines before and now; the turn of a single one by its corners."""
    if len(pairs) == 1:
        return Fit.of(list(zip(pairs[0][0], pairs[0][1], strict=True)))
    return Fit.of([(before.mean(0), now.mean(0)) for before, now in pairs])


def nudge(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> Fit:
    """How the whole picture moved, by the tiles that moved a little: they were not lifted, the camera was nudged."""
    shifts = [now.mean(0) - before.mean(0) for before, now in pairs]
    little = [s for s, (before, _) in zip(shifts, pairs, strict=True) if np.hypot(*s) < NEAR_SHIFT * width(before)]
    if not little:
        return Fit()
    x, y = np.median(np.array(little), axis=0)
    return Fit(1 + 0j, complex(x, y))


def width(quad: np.ndarray) -> float:
    """The shorter side of a tile, in pixels."""
    return float(min(np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[3] - quad[0])))) or 1.0


def on_one_another(quad: np.ndarray, others: Sequence[np.ndarray]) -> bool:
    """Whether a tile would lie on another, tiles being about as large and turned alike."""
    if not others:
        return False
    far = np.array([o.mean(0) for o in others]) - quad.mean(0)
    sides = quad[1] - quad[0], quad[3] - quad[0]
    lengths = [float(np.hypot(*side)) or 1.0 for side in sides]
    along = [np.abs(far @ side) / length for side, length in zip(sides, lengths, strict=True)]
    return bool(((along[0] < APART * lengths[0]) & (along[1] < APART * lengths[1])).any())


def free_place(
    quads: Sequence[np.ndarray], taken: Sequence[np.ndarray], size: tuple[int, int]
) -> tuple[float, float] | None:
    """The least shift that brings some tiles to where nothing lies, inside the picture; None if there is none near."""
    for x, y in _rings(width(quads[0])):
        moved = [q + np.array([x, y]) for q in quads]
        everything = np.concatenate(moved)
        inside = everything.min() >= 0 and everything[:, 0].max() < size[0] and everything[:, 1].max() < size[1]
        if (inside or (x, y) == (0.0, 0.0)) and not any(on_one_another(q, taken) for q in moved):
            return x, y
    return None


def _rings(unit: float) -> Iterator[tuple[float, float]]:
    yield 0.0, 0.0
    for ring in range(1, RINGS + 1):
        for spoke in range(SPOKES):
            angle = 2 * np.pi * spoke / SPOKES
            yield float(ring * unit / 2 * np.cos(angle)), float(ring * unit / 2 * np.sin(angle))


def places(
    before: Snapshot, way: Restoration, now: Snapshot, size: tuple[int, int], earlier: Snapshot | None = None
) -> Snapshot:
    """The snapshot with every tile where it belongs in the picture as it is now.

    Tiles that stay are where they lie, the others of a set beside them; a set of which none lies is built where it
    was, or near it if something lies there for good. ``size`` is the picture's (width, height); ``earlier`` are the
    places of the last time: they do not change without need.
    """
    lies = {target: _outline(now, source) for target, source in way.stays}
    known = [(_outline(before, t), quad) for t, quad in lies.items()]
    all_pairs = [(b, n) for b, n in known if b is not None and n is not None]
    picture = nudge(all_pairs)
    taken = [n for _, n in all_pairs]
    rows: list[list[Placed]] = []
    for w, row in enumerate(before.rows):
        spots = [Spot(w, k) for k in range(len(row))]
        staying = [s for s in spots if s in lies]
        fit = _fit_set(before, staying, lies)
        outlines: dict[Spot, np.ndarray | None] = {s: lies[s] for s in staying}
        open_spots = [s for s in spots if s not in lies]
        if fit is None and not staying:
            outlines |= _new_place(before, earlier, open_spots, picture, taken, size)
        else:
            for s in open_spots:
                quad = _outline(before, s)
                outlines[s] = None if quad is None or fit is None else fit(quad)
        taken += [q for s in open_spots if (q := outlines[s]) is not None]
        rows.append([Placed(p.tile, _quad(outlines[s]), p.id) for s, p in zip(spots, row, strict=True)])
    sets, loose = rows[: len(before.sets)], rows[len(before.sets) :]
    return Snapshot(tuple(map(tuple, sets)), tuple(p for row in loose for p in row))


def _fit_set(before: Snapshot, staying: Sequence[Spot], lies: dict[Spot, np.ndarray | None]) -> Fit | None:
    pairs = [(s, b, n) for s in staying if (b := _outline(before, s)) is not None and (n := lies[s]) is not None]
    if not pairs:
        return None
    if len(pairs) == 1 and before.rows[pairs[0][0].set][pairs[0][0].index].tile.is_joker:
        # A joker's print does not tell its up for certain.
        return Fit.of([(pairs[0][1].mean(0), pairs[0][2].mean(0))])
    return fit_tiles([(b, n) for _, b, n in pairs])


def _new_place(
    before: Snapshot,
    earlier: Snapshot | None,
    spots: Sequence[Spot],
    picture: Fit,
    taken: Sequence[np.ndarray],
    size: tuple[int, int],
) -> dict[Spot, np.ndarray | None]:
    there = {s: q for s in spots if (q := _outline(before, s)) is not None}
    if not there:
        return dict.fromkeys(spots)
    last = {s: _outline(earlier, s) for s in there} if earlier is not None else {}
    kept = [q for q in last.values() if q is not None]
    if len(kept) == len(there) and not any(on_one_another(q, taken) for q in kept):
        return {s: last.get(s) for s in spots}
    moved = {s: picture(q) for s, q in there.items()}
    x, y = free_place(list(moved.values()), taken, size) or (0.0, 0.0)
    return {s: moved[s] + np.array([x, y]) if s in moved else None for s in spots}


def _outline(snapshot: Snapshot, spot: Spot) -> np.ndarray | None:
    quad = snapshot.rows[spot.set][spot.index].quad
    return None if quad is None else np.array(quad, float)


def _quad(outline: np.ndarray | None) -> Quad | None:
    if outline is None:
        return None
    a, b, c, d = ((float(x), float(y)) for x, y in outline)
    return a, b, c, d
