"""A nudged camera: whether two pictures of one table are shifted against each other, and by how much.

Points of the first picture are looked for in the second; the motion that most of the picture shares is the
camera's, what else moves (tiles, a hand) is outvoted. Votes are counted by area, so that a well-drawn row of
tiles that somebody moved does not outvote a plain table. A small shift is followed; a larger one is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cover import Cover

WIDTH = 640
SURROUNDINGS = 31
NOISE = 12.0
"""Contrast, in times the picture's noise, that counts as little: else the grain of a plain table has points."""
POINTS = 500
CELLS = 16
"""Votes are counted in so many cells across the picture."""
AGREE = 1.6
"""Pixels of the small picture within which a point agrees with a motion."""
LEAST_POINTS = 10
LEAST_SUPPORT = 0.2
"""Share of the picture's votes without which no motion is believed."""
LEAST_SPREAD = 0.07
"""How far the points that share a motion lie apart both ways, in widths of the picture (the whole of it: 0.2). Points
in one spot are a row of tiles that somebody pushed, or a mug: on a plain table nobody can tell that from a nudge."""
STEADY_SUPPORT = 0.5
MOST_COUNTED = 60
PERSPECTIVE, SHEAR = 0.012, 0.006
"""How much a nudge bends the picture, as standard deviations: a pan by 30 px of 1280 has a perspective of 0.012."""
DIFFERENT, DIFFERENT_SHARE = 0.6, 0.4
"""Where nothing can be followed, so much of the picture must differ: many tiles may be laid on a plain table."""


class ShiftKind(StrEnum):
    NONE = "none"
    SMALL = "small"
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class ShiftRules:
    """Up to where a shift is followed: pixels of a picture 1280 wide, degrees, and change of size as a share.

    A little more than the 30 px and 3° that must be followed, since both are measured with some error.
    """

    still: float = 1.5
    most: float = 45.0
    turn: float = 4.0
    growth: float = 0.06


@dataclass(frozen=True, slots=True, eq=False)
class Shift:
    """How the camera moved between two pictures.

    ``homography`` (3, 3) leads from pixels of the first to pixels of the second: the identity where nothing
    moved, None where the pictures have too little in common to say. ``pixels`` is how far the picture's middle
    went, ``turn`` in degrees clockwise as it is seen, ``support`` the share of the picture that agrees.
    """

    kind: ShiftKind
    homography: NDArray[np.float64] | None
    pixels: float = 0.0
    turn: float = 0.0
    support: float = 1.0

    @property
    def message(self) -> str:
        """What a person is told; empty where there is nothing to do."""
        if self.kind is not ShiftKind.LARGE:
            return ""
        return "The camera or the table was moved. Check the corners of the playing area."


def follow(before: np.ndarray, after: np.ndarray, hands: Cover | None = None, rules: ShiftRules | None = None) -> Shift:
    """Compares two pictures of one table.

    Compare with the picture in which the corners were set last, not with the frame before: many shifts too small
    to be seen would add up.

    Args:
        before, after: uint8 (h, w, 3), of the same size; else the shift is large and nothing is known of it.
        hands: where hands are in either picture, if that is known; they are outvoted otherwise.
        rules: up to where a shift is followed.
    """
    rules = rules or ShiftRules()
    if before.shape != after.shape:
        return Shift(ShiftKind.LARGE, None, support=0.0)
    scale = min(1.0, WIDTH / before.shape[1])
    first, second = _plain(before, scale), _plain(after, scale)
    mask = _allowed(first.shape, hands)
    start = cv2.goodFeaturesToTrack(first, POINTS, 0.02, 7, mask=mask)
    points = np.zeros((0, 2), np.float32) if start is None else start.reshape(-1, 2)
    weight = _votes(points, first.shape)
    if len(points) < LEAST_POINTS or _spread(points, weight) < LEAST_SPREAD:
        return _without_points(first, second, mask)
    found, ok = _tracked(first, second, points)
    still = ok & (np.hypot(*(found - points).T) < AGREE / 2)
    steady = float(weight[still].sum())
    candidates = [(still, np.eye(3))]
    if steady < STEADY_SUPPORT:
        candidates.append(_common(points, found, ok))
        candidates.append(_matched(first, second, mask, points))
    spread = [c for c in candidates if _spread(points[c[0]], weight[c[0]]) >= LEAST_SPREAD]
    support, small = max(((float(weight[a].sum()), m) for a, m in spread), key=lambda c: c[0], default=(0.0, np.eye(3)))
    if support < LEAST_SUPPORT:
        return Shift(ShiftKind.LARGE, None, support=support)
    if steady < STEADY_SUPPORT and support > steady:
        small = _refined(first, second, points, small)
    size = np.diag([scale, scale, 1.0])
    return _measured(np.linalg.inv(size) @ small @ size, before.shape, support, rules)


def _plain(picture: np.ndarray, scale: float) -> NDArray[np.uint8]:
    """Grey, small, each pixel against its surroundings: a lamp or a soft shadow changes little."""
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = small if small.ndim == 2 else cv2.cvtColor(small, cv2.COLOR_BGR2GRAY)
    grey = cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.0)
    noise = 1.5 * float(np.median(np.abs(grey - cv2.GaussianBlur(grey, (0, 0), 1.5))))
    window = (SURROUNDINGS, SURROUNDINGS)
    mean = cv2.blur(grey, window)
    spread = np.sqrt(np.maximum(cv2.blur(grey * grey, window) - mean * mean, 0))
    floor = 2 + 0.06 * mean + NOISE * noise
    return np.asarray(np.clip(128 + 48 * (grey - mean) / (spread + floor), 0, 255), np.uint8)


def _allowed(shape: tuple[int, ...], hands: Cover | None) -> NDArray[np.uint8]:
    free = np.full(shape[:2], 255, np.uint8)
    if hands is not None and not hands.is_empty:
        under = cv2.resize(hands.mask.astype(np.uint8), (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST)
        free[cv2.dilate(under, np.ones((15, 15), np.uint8)) > 0] = 0
    return free


def _votes(points: np.ndarray, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Each point's share of the vote: the square root of a cell's points each counts, sum 1 over the picture."""
    if not len(points):
        return np.zeros(0)
    cells = (points // (shape[1] / CELLS)).astype(int) @ [1, 1000]
    _, cell, count = np.unique(cells, return_inverse=True, return_counts=True)
    weight = 1 / np.sqrt(count[cell])
    return np.asarray(weight / weight.sum(), np.float64)


def _spread(points: np.ndarray, weight: np.ndarray) -> float:
    """How far points (n, 2) lie apart across the way in which they spread most: standard deviation, picture widths."""
    if len(points) < 3:
        return 0.0
    weight = weight / weight.sum()
    apart = (points - weight @ points) / WIDTH
    return float(np.sqrt(max(0.0, np.linalg.eigvalsh((apart * weight[:, None]).T @ apart)[0])))


def _tracked(first: np.ndarray, second: np.ndarray, points: np.ndarray) -> tuple[np.ndarray, NDArray[np.bool_]]:
    """Where the points are in the second picture (Lucas and Kanade, in a pyramid), and which came back when
    looked for from there.
    """
    start = points.reshape(-1, 1, 2)
    there, seen, _ = cv2.calcOpticalFlowPyrLK(first, second, start, start.copy(), winSize=(21, 21), maxLevel=4)
    back, again, _ = cv2.calcOpticalFlowPyrLK(second, first, there, there.copy(), winSize=(21, 21), maxLevel=4)
    found = there.reshape(-1, 2)
    error = np.hypot(*(back.reshape(-1, 2) - points).T)
    return found, (seen.ravel() > 0) & (again.ravel() > 0) & (error < 0.8)


def _common(points: np.ndarray, found: np.ndarray, ok: np.ndarray) -> tuple[NDArray[np.bool_], np.ndarray]:
    """The turn, shift and growth that most points share, with the points that do."""
    none = np.zeros(len(points), bool), np.eye(3)
    if ok.sum() < LEAST_POINTS:
        return none
    matrix, _ = cv2.estimateAffinePartial2D(
        points[ok], found[ok], method=cv2.RANSAC, ransacReprojThreshold=AGREE, maxIters=4000, confidence=0.999
    )
    if matrix is None:
        return none
    motion = np.vstack([matrix, [0, 0, 1]])
    return ok & (np.hypot(*(_moved(points, motion) - found).T) < 2 * AGREE), motion


def _matched(
    first: np.ndarray, second: np.ndarray, mask: np.ndarray, points: np.ndarray
) -> tuple[NDArray[np.bool_], np.ndarray]:
    """The same for a motion too large to be tracked: ORB features (Rublee and others, 2011), matched by looks."""
    none = np.zeros(len(points), bool), np.eye(3)
    orb = cv2.ORB.create(nfeatures=1200, fastThreshold=8)
    (a, da), (b, db) = orb.detectAndCompute(first, mask), orb.detectAndCompute(second, None)
    if da is None or db is None or min(len(a), len(b)) < LEAST_POINTS:
        return none
    pairs = cv2.BFMatcher(cv2.NORM_HAMMING, crossCheck=True).match(da, db)
    if len(pairs) < LEAST_POINTS:
        return none
    p = np.array([a[m.queryIdx].pt for m in pairs], np.float32)
    q = np.array([b[m.trainIdx].pt for m in pairs], np.float32)
    _, motion = _common(p, q, np.ones(len(p), bool))
    if abs(np.log(max(1e-6, np.hypot(motion[0, 0], motion[1, 0])))) > 0.7:
        return none
    again, ok = _tracked(_warped(first, motion), second, _moved(points, motion).astype(np.float32))
    return ok & (np.hypot(*(again - _moved(points, motion)).T) < 2 * AGREE), motion


def _refined(first: np.ndarray, second: np.ndarray, points: np.ndarray, motion: np.ndarray) -> np.ndarray:
    """Tracked once more from where the motion puts the points, now with perspective where it can be seen."""
    start = _moved(points, motion).astype(np.float32)
    found, ok = _tracked(_warped(first, motion), second, start)
    h, w = first.shape
    ok &= ((start >= 0) & (start < [w, h])).all(1) & (np.hypot(*(found - start).T) < 4 * AGREE)
    if ok.sum() < LEAST_POINTS:
        return motion
    half = np.array([[2 / w, 0, -1.0], [0, 2 / w, -h / w], [0, 0, 1]])
    bend = _fitted(_moved(start[ok], half), _moved(found[ok], half), AGREE / w)
    return np.asarray(np.linalg.inv(half) @ bend @ half @ motion, np.float64)


def _fitted(start: np.ndarray, goal: np.ndarray, spread: float) -> np.ndarray:
    """The homography near the identity that leads from ``start`` to ``goal`` (n, 2), coordinates about -1 to 1.

    A nudged camera turns and shifts; perspective and shear come with that, but little. They are held near 0 by
    as much, so that points on one side of the picture do not bend the other. Gauss and Newton's method, points
    that do not fit weighted down (Cauchy's weights, ``spread`` wide).
    """
    n = len(start)
    x, y = start.T
    zero, one = np.zeros(n), np.ones(n)
    # Columns: growth, turn, shift (2), shear (2), perspective (2).
    across = np.stack([x, -y, one, zero, x, y, -x * x, -x * y], 1)
    down = np.stack([y, x, zero, one, -y, x, -x * y, -y * y], 1)
    # Neighbouring points err alike: their number counts to a cap.
    trust = min(1.0, MOST_COUNTED / n) / spread**2
    hold = np.diag([0, 0, 0, 0, SHEAR**-2, SHEAR**-2, PERSPECTIVE**-2, PERSPECTIVE**-2])
    change = np.zeros(8)
    for _ in range(6):
        a, b, tx, ty, c, d, p, q = change
        matrix = np.array([[1 + a + c, -b + d, tx], [b + d, 1 + a - c, ty], [p, q, 1]])
        rest = goal - _moved(start, matrix)
        weight = trust / (1 + (rest**2).sum(1) / spread**2)
        normal = across.T @ (across * weight[:, None]) + down.T @ (down * weight[:, None]) + hold
        pull = across.T @ (weight * rest[:, 0]) + down.T @ (weight * rest[:, 1]) - hold @ change
        change = change + np.linalg.solve(normal, pull)
    a, b, tx, ty, c, d, p, q = change
    return np.array([[1 + a + c, -b + d, tx], [b + d, 1 + a - c, ty], [p, q, 1]])


def _moved(points: np.ndarray, motion: np.ndarray) -> np.ndarray:
    return cv2.perspectiveTransform(np.asarray(points, np.float64).reshape(-1, 1, 2), motion).reshape(-1, 2)


def _warped(picture: np.ndarray, motion: np.ndarray) -> np.ndarray:
    return cv2.warpPerspective(picture, motion, picture.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)


def _without_points(first: np.ndarray, second: np.ndarray, mask: np.ndarray) -> Shift:
    """Nothing to follow by: as long as the pictures are alike, nothing moved."""
    different = np.abs(first.astype(np.float32) - second) > DIFFERENT * 48
    share = float(different[mask > 0].mean()) if mask.any() else 1.0
    if share < DIFFERENT_SHARE:
        return Shift(ShiftKind.NONE, np.eye(3), support=1 - share)
    return Shift(ShiftKind.LARGE, None, support=0.0)


def _measured(motion: np.ndarray, shape: tuple[int, ...], support: float, rules: ShiftRules) -> Shift:
    h, w = shape[:2]
    middle = np.array([[w / 2, h / 2], [w / 2 + 1, h / 2], [w / 2, h / 2 + 1]])
    there = _moved(middle, motion)
    across, down = there[1] - there[0], there[2] - there[0]
    pixels = float(np.hypot(*(there[0] - middle[0])))
    turn = float(np.degrees(np.arctan2(across[1] - down[0], across[0] + down[1])))
    growth = abs(float(np.log(max(1e-6, abs(across[0] * down[1] - across[1] * down[0])))) / 2)
    border = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
    farthest = float(np.hypot(*(_moved(border, motion) - border).T).max())
    unit = w / 1280
    if farthest < rules.still * unit:
        return Shift(ShiftKind.NONE, np.eye(3), pixels, turn, support)
    small = pixels <= rules.most * unit and abs(turn) <= rules.turn and growth <= rules.growth
    return Shift(ShiftKind.SMALL if small else ShiftKind.LARGE, motion, pixels, turn, support)
