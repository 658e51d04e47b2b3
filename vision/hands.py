"""A hand over the table, told from light: by what has changed since the table lay at rest, on a small picture.

Light multiplies what lies beneath it: the ratio of the two pictures is smooth, and the table's grain and the edges of
the tiles stay where they were. A hand replaces what lies beneath it: the ratio has a sharp edge all round it, however
dark the hand and the table are, and what was drawn there is gone. And a hand comes from somewhere: it reaches in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Picture

Small = NDArray[np.float32]
Mask = NDArray[np.uint8]
Bools = NDArray[np.bool_]

WIDTH = 192
MEDIUM = 384
"""Width of the picture on which a nudged camera is told from a hand."""
SURROUNDINGS = 25
FLOOR = 16.0
"""Grey levels that count as contrast where there is none, so that noise in plain areas is not blown up."""
DARK = 16.0
"""Grey levels added before ratios are taken, so that noise in dark areas is not blown up."""
NEAR = 9
"""Cells within which a ratio's edge is sharp: the penumbra of a soft shadow is wider."""
FINE = 5
"""Cells within which a table's grain is seen."""
STEP, NOISE = 0.035, 6.0
"""A ratio that changes by so much within `NEAR` (natural logarithm), or so many times the noise, has an edge there."""
BEYOND = 1.3
"""Times such a step by which a thing differs from what surrounds it."""
GAP = 9
RING, NEAR_RING = 17, 5
"""Width of what surrounds a thing, and of what is too near to its blurred rim, both ways and the middle."""
AT_BORDER = 5
"""Cells of the border that a thing takes up at least, to come from there."""
LEAST, MOST = 0.008, 0.6
"""Shares of the picture: a hand's fingers at least, and more than somebody who bends over the table."""
SHARP = 0.33
"""Share of a thing's rim that is a sharp edge; where it lies on its own colour there is none."""
THICK = 4.0
"""Cells from the rim to the middle of a hand; a shadow's edge is thinner."""
LEAST_CORE = 30
"""Cells of a thing that lie within sharp edges at least."""
GRAIN, SAME_GRAIN, GRAIN_NEAR = 0.012, 0.75, 7
"""Contrast of a table's grain, the correlation with which it is still seen, and the width of what is compared."""
GHOST = 1.4
"""How many times more a hand was seen at rest than now, if it has left: where unsure, it is waited for."""
STRIP = 30
"""How far from the border an arm is told from its ghost: further in, tiles may have been laid meanwhile."""
SKIN, SKIN_TABLE = 0.006, 0.25
"""Shares of the picture: what a bare hand takes up at least, and more skin than that is a table of wood."""


@dataclass(frozen=True, eq=False)
class Look:
    """A small picture: ``blind`` (h, w) to light; ``small`` (h, w, 3) as it is, uint8 BGR; ``medium`` twice as wide."""

    blind: Small
    small: Picture
    medium: Picture

    @cached_property
    def logs(self) -> Small:
        """Logarithms of B, G and R: where light differs, they differ by the same everywhere."""
        smooth = cv2.GaussianBlur(self.small.astype(np.float32), (3, 3), 0)
        return np.asarray(cv2.log(smooth + DARK), np.float32)

    @cached_property
    def grain(self) -> Small:
        """What is drawn on the table and the tiles, whatever the light (h, w)."""
        grey = cv2.transform(self.logs, np.full((1, 3), 1 / 3))
        return np.asarray(grey - cv2.blur(grey, (FINE, FINE)), np.float32)


def look(picture: Picture) -> Look:
    """The small pictures that motion and hands are seen on."""
    height, width = picture.shape[:2]
    high = max(8, round(WIDTH * height / width))
    medium = cv2.resize(picture, (MEDIUM, MEDIUM // WIDTH * high), interpolation=cv2.INTER_AREA)
    small = cv2.resize(medium, (WIDTH, high), interpolation=cv2.INTER_AREA)
    return Look(blind_to_light(small), np.asarray(small, np.uint8), np.asarray(medium, np.uint8))


def blind_to_light(small: NDArray[Any]) -> Small:
    """A grey picture, each pixel against its surroundings: about −2 to 2, whatever the lamp."""
    grey = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32), (3, 3), 0)
    window = (SURROUNDINGS, SURROUNDINGS)
    mean = cv2.blur(grey, window)
    spread = np.sqrt(np.maximum(cv2.blur(grey * grey, window) - mean * mean, 0.0))
    gain = np.maximum(mean, 24.0) / 128.0
    return np.asarray((grey - mean) / (spread + FLOOR * gain), np.float32)


def hand_in(now: Look, at_rest: Look, unknown: Mask | None = None, ghosts: bool = True) -> Mask | None:
    """Where something as large as a hand reaches in from the border that was not there at rest, if anything does.

    ``unknown`` (of the small picture's size) is where nothing is known of the table at rest. Where a hand may have
    lain there at rest (``ghosts``), one that was seen then and is seen no more is the ghost of a hand that has left.
    """
    ratio = now.logs - at_rest.logs
    step = _step(ratio)
    edges = _edges(ratio, step)
    if unknown is not None:
        edges[unknown != 0] = 0
    if not edges.any():
        return None
    border = _border(edges.shape, unknown)
    same = _grain_is_seen(now, at_rest)
    for own, ring in _regions(edges):
        base = np.median(ratio[ring], axis=0)
        differs = (np.abs(ratio - base) > BEYOND * step).any(axis=2).astype(np.uint8)
        # A dark hand on a table with dark patches does not differ everywhere.
        differs |= _closed(_opened(differs)) & own
        differs[same != 0] = 0
        if unknown is not None:
            differs[unknown != 0] = 0
        # Plain cloth in nearly the table's colour has no sharp edge, but is one with what has; where a shadow falls
        # too, that is one with it as well, and what lies within the edges has to do.
        within = differs & cv2.dilate(own.astype(np.uint8), np.ones((NEAR_RING, NEAR_RING), np.uint8))
        for thing in (*_things(differs, own, border), *_things(np.asarray(within, np.uint8), own, border)):
            if not _is_thin(thing) and not _is_soft(thing, edges) and not (ghosts and _is_ghost(thing, now, at_rest)):
                return thing.astype(np.uint8)
    return None


def moves(now: Look, before: Look) -> float:
    """The share of two pictures in which there are sharp edges in one that are not in the other: however dark."""
    ratio = now.logs - before.logs
    return float(_edges(ratio, _step(ratio)).mean())


def _step(ratio: Small) -> Small:
    """By how much each channel's ratio changes at an edge (3,): more than by the camera's noise."""
    noise = 1.5 * np.median(cv2.absdiff(ratio, cv2.blur(ratio, (3, 3)))[::2, ::2], axis=(0, 1))
    return np.asarray(np.maximum(STEP, NOISE * noise), np.float32)


def _edges(ratio: Small, step: Small) -> Mask:
    """Where it changes sharply: a mask of 0 and 1."""
    sharp = (cv2.absdiff(ratio, cv2.blur(ratio, (NEAR, NEAR))) > step).any(axis=2).astype(np.uint8)
    return _opened(np.asarray(sharp))


def _opened(mask: Mask, width: int = 3) -> Mask:
    """Without specks and threads, less than so many cells wide."""
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((width, width), np.uint8)), np.uint8)


def _border(shape: tuple[int, ...], unknown: Mask | None) -> Mask:
    """The outermost cells of what is known."""
    outside = np.zeros(shape, np.uint8) if unknown is None else (unknown != 0).astype(np.uint8)
    wide = cv2.copyMakeBorder(outside, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=1)
    near = cv2.dilate(wide, np.ones((3, 3), np.uint8))[1:-1, 1:-1]
    return np.asarray(near & (1 - outside), np.uint8)


def _regions(edges: Mask) -> Iterator[tuple[Bools, Bools]]:
    """What the edges enclose, where it is large enough, each with the ring around it: masks."""
    for contour in cv2.findContours(_closed(edges), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        if cv2.contourArea(cv2.convexHull(contour)) < LEAST / 2 * edges.size:
            continue
        own: NDArray[Any] = np.zeros_like(edges)
        cv2.drawContours(own, [contour], -1, 1, cv2.FILLED)
        wide, close_by = (cv2.dilate(own, np.ones((k, k), np.uint8)) for k in (RING, NEAR_RING))
        ring = (wide != 0) & (close_by == 0) & (edges == 0)
        if ring.any():
            yield own != 0, ring


def _closed(mask: Mask) -> Mask:
    """With gaps up to ``GAP`` cells filled, but not those to the border: what lies near it does not come from there."""
    wide = cv2.copyMakeBorder(mask, GAP, GAP, GAP, GAP, cv2.BORDER_CONSTANT, value=0)
    closed = cv2.morphologyEx(wide, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8))
    return np.ascontiguousarray(closed[GAP:-GAP, GAP:-GAP], np.uint8)


def _things(differs: Mask, own: Bools, border: Mask) -> Iterator[Bools]:
    """The connected things of a hand's size that reach into a region from the border: masks, bool."""
    count, labels, stats, _ = cv2.connectedComponentsWithStats(_opened(differs, AT_BORDER))
    there, at_border = (np.bincount(labels[m], minlength=count) for m in (own, border != 0))
    for k in range(1, count):
        size = stats[k, cv2.CC_STAT_AREA] / differs.size
        if LEAST <= size <= MOST and at_border[k] >= AT_BORDER and there[k] >= LEAST_CORE:
            yield labels == k


def _grain_is_seen(now: Look, at_rest: Look) -> Mask:
    """Where the table's grain, or what lies on it, is seen as it was, whatever the light there: a mask of 0 and 1."""
    a, b = at_rest.grain, now.grain
    aa, bb, ab = (cv2.blur(product, (GRAIN_NEAR, GRAIN_NEAR)) for product in (a * a, b * b, a * b))
    return ((aa > GRAIN * GRAIN) & (ab > SAME_GRAIN * np.sqrt(aa * bb))).astype(np.uint8)


def _is_soft(thing: Bools, edges: Mask) -> bool:
    """Whether its rim is that of a shadow or of a lamp's light."""
    rim = thing & (cv2.erode(thing.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0)
    return float(cv2.dilate(edges, np.ones((3, 3), np.uint8))[rim].mean()) < SHARP


def _is_thin(thing: Bools) -> bool:
    """Whether it is the edge of a shadow and nothing more."""
    wide = cv2.copyMakeBorder(thing.astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_REPLICATE)
    return float(cv2.distanceTransform(wide, cv2.DIST_L2, 3).max()) < THICK


def _is_ghost(thing: Bools, now: Look, at_rest: Look) -> bool:
    """Whether it was there at rest, and has left: that picture changes more across its rim than this one does."""
    whole, three = thing.astype(np.uint8), np.ones((3, 3), np.uint8)
    rim = cv2.dilate(whole, three) != cv2.erode(whole, three)
    rim[STRIP:-STRIP, STRIP:-STRIP] = False
    return _across(at_rest, thing, rim) > GHOST * _across(now, thing, rim)


def _across(seen: Look, thing: Bools, rim: Bools) -> float:
    """How far a thing differs from what is next to it, along its rim; the table's grain is evened out."""
    sides = []
    for side in (thing, ~thing):
        weight = side.astype(np.float32)
        share = np.maximum(cv2.blur(weight, (NEAR, NEAR)), 1e-3)[..., None]
        sides.append(cv2.blur(seen.logs * weight[..., None], (NEAR, NEAR)) / share)
    return float(np.abs(sides[0] - sides[1]).max(axis=2)[rim].mean())


def shows_hand(now: Look) -> bool:
    """Whether a picture alone shows what may be a hand over the table: something of a hand's size and in the colours
    of skin, dark or fair, that reaches into the middle. A table in such colours shows none.

    It is asked only as long as nothing is known of the table, and believed for `RestRules.hand_patience` at most.
    """
    height, width = now.blind.shape
    # The box in red and blue difference that skin of all kinds falls into: Chai and Ngan (1999).
    skin = cv2.inRange(cv2.cvtColor(now.small, cv2.COLOR_BGR2YCrCb), (30, 133, 77), (255, 173, 127))
    skin = cv2.morphologyEx(skin, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    if skin.mean() > 255 * SKIN_TABLE:
        return False
    count, labels, stats, _ = cv2.connectedComponentsWithStats(skin)
    middle = labels[height // 5 : height - height // 5, width // 5 : width - width // 5]
    return any(stats[k, cv2.CC_STAT_AREA] > SKIN * skin.size and (middle == k).any() for k in range(1, count))
