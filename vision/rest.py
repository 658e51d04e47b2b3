"""At rest or not: motion and hands, noticed cheaply on a small picture.

Nothing is judged while something moves. The picture is shrunk and made blind to light (each pixel against its
surroundings), so that a lamp, a soft shadow, exposure or focus hunting is no motion; what is left is compared
with the picture before (does something move?) and with the table as it lay at rest (does a hand reach in?).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Picture
from vision.cover import Cover
from vision.shift import ShiftKind, follow

Small = NDArray[np.float32]

WIDTH = 192
MEDIUM = 384
"""Width of the picture on which a nudged camera is told from a hand."""
SURROUNDINGS = 25
AT_BORDER = 2
OTHER_COLOUR = 5.0
"""Difference in L*a*b* by which a dark sleeve on a dark table is still followed to the border."""
GAP = 9
STRIP = 30
"""How far from the border an arm is told from its ghost: further in, tiles may have been laid meanwhile."""
NEAR = 7
"""Cells of the small picture round something that moved that count as touched: fingers are blurred."""
CHANGED_ALL_OVER = 0.15
"""Share of the small picture that is different when the camera looks elsewhere; a hand is less."""
SKIN, SKIN_TABLE = 0.006, 0.25
"""Shares of the picture: what a bare hand takes up at least, and more skin than that is a table of wood."""
FLOOR = 16.0
"""Grey levels that count as contrast where there is none, so that noise in plain areas is not blown up."""


class Motion(StrEnum):
    """What the table is doing."""

    MOVING = "moving"
    HAND = "hand"
    SETTLING = "settling"
    REST = "rest"


@dataclass(frozen=True, slots=True)
class RestRules:
    """Shares are of the small picture's area, times in seconds."""

    different: float = 0.45
    moving: float = 0.0012
    hand: float = 0.015
    another_scene: float = 0.40
    settle: float = 0.6
    hand_patience: float = 4.0
    """A hand that lies quite still for so long is an arm of a chair, a mug or a rack."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """A small picture: ``blind`` (h, w) to light, ``colours`` (h, w, 3) as they are, L*a*b*; ``medium`` is uint8 BGR,
    twice as wide.
    """

    blind: Small
    colours: Small
    medium: Picture


def look(picture: Picture) -> Look:
    """The small pictures that motion and hands are seen on."""
    height, width = picture.shape[:2]
    high = max(8, round(WIDTH * height / width))
    medium = cv2.resize(picture, (MEDIUM, MEDIUM // WIDTH * high), interpolation=cv2.INTER_AREA)
    small = cv2.resize(medium, (WIDTH, high), interpolation=cv2.INTER_AREA)
    colours = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.float32)
    return Look(blind_to_light(small), colours, np.asarray(medium, np.uint8))


def blind_to_light(small: NDArray[Any]) -> Small:
    """A grey picture, each pixel against its surroundings: about −2 to 2, whatever the lamp."""
    grey = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32), (3, 3), 0)
    window = (SURROUNDINGS, SURROUNDINGS)
    mean = cv2.blur(grey, window)
    spread = np.sqrt(np.maximum(cv2.blur(grey * grey, window) - mean * mean, 0.0))
    gain = np.maximum(mean, 24.0) / 128.0
    return np.asarray((grey - mean) / (spread + FLOOR * gain), np.float32)


def changed(a: Small, b: Small, rules: RestRules) -> NDArray[np.uint8]:
    """Where two such pictures differ, single pixels left out: a mask of 0 and 1."""
    mask = (cv2.absdiff(a, b) > rules.different).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)


def reaches_in(now: Look, at_rest: Look, mask: NDArray[np.uint8], rules: RestRules, ghosts: bool = True) -> bool:
    """Whether something as large as a hand reaches in from the border: a hand comes from somewhere.

    ``mask`` is where the two pictures differ. Where a hand may have lain there at rest (``ghosts``) and the border's
    part of the mask stood out from the table more then than it does now, it is the ghost of a hand that has left.
    """
    joined = _closed(mask)
    faint = _faintly_changed(now, at_rest)
    for contour in cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        # Plain skin or cloth differs at its edges only, so it is the hull around them that is measured; of a dark hand
        # on a dark table not even all edges, so what is faintly changed next to it counts with it.
        hull = cv2.contourArea(cv2.convexHull(contour)) / mask.size
        if hull < rules.hand / 2:
            continue
        own: NDArray[Any] = np.zeros_like(mask)
        cv2.drawContours(own, [contour], -1, 1, cv2.FILLED)
        whole = _joined(own, faint)
        if not _at_border(whole) or max(hull, float(whole.mean())) < rules.hand:
            continue
        if not ghosts:
            return True
        own[STRIP:-STRIP, STRIP:-STRIP] = 0
        wide_ring: NDArray[Any] = cv2.dilate(own, np.ones((15, 15), np.uint8))
        close_by: NDArray[Any] = cv2.dilate(own, np.ones((5, 5), np.uint8))
        ring = wide_ring & (1 - close_by) & (1 - mask)
        if not ring.any() or _stands_out(now.colours, own, ring) >= _stands_out(at_rest.colours, own, ring):
            return True
    return False


def _faintly_changed(now: Look, at_rest: Look) -> NDArray[Any]:
    """Where the colours differ at all, but for what differs all over the picture: a mask of 0 and 1."""
    difference = now.colours - at_rest.colours
    difference -= np.median(difference, axis=(0, 1))
    return (np.abs(difference).max(axis=2) > OTHER_COLOUR).astype(np.uint8)


def _closed(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """With gaps up to ``GAP`` cells filled, but not those to the border: what lies near it does not come from there."""
    wide = cv2.copyMakeBorder(mask, GAP, GAP, GAP, GAP, cv2.BORDER_CONSTANT, value=0)
    closed = cv2.morphologyEx(wide, cv2.MORPH_CLOSE, np.ones((GAP, GAP), np.uint8))
    return np.ascontiguousarray(closed[GAP:-GAP, GAP:-GAP], np.uint8)


def _joined(own: NDArray[Any], faint: NDArray[Any]) -> NDArray[np.bool_]:
    """A region with what is faintly changed next to it."""
    _, labels = cv2.connectedComponents(own | faint)
    return np.isin(labels, np.unique(labels[own != 0])) & (labels != 0)


def _at_border(region: NDArray[np.bool_]) -> bool:
    """Whether it comes to the border."""
    inner = region.copy()
    inner[:AT_BORDER] = inner[-AT_BORDER:] = inner[:, :AT_BORDER] = inner[:, -AT_BORDER:] = False
    return bool((region & ~inner).any())


def _stands_out(colours: Small, region: NDArray[np.uint8], ring: NDArray[np.uint8]) -> float:
    """How far a region's colours are from those around it, in times their spread there."""
    inside, around = colours[region != 0], colours[ring != 0]
    middle = np.median(around, axis=0)
    spread = np.abs(around - middle).mean() + 4.0
    return float(np.abs(inside - middle).mean() / spread)


def shows_hand(now: Look) -> bool:
    """Whether a picture alone shows what may be a hand over the table: something of a hand's size and in the colours
    of skin, dark or fair, that reaches into the middle. A table in such colours shows none.

    It is asked only as long as nothing is known of the table, and believed for `RestRules.hand_patience` at most.
    """
    height, width = now.blind.shape
    small = cv2.resize(now.medium, (width, height), interpolation=cv2.INTER_AREA)
    # The box in red and blue difference that skin of all kinds falls into: Chai and Ngan (1999).
    skin = cv2.inRange(cv2.cvtColor(small, cv2.COLOR_BGR2YCrCb), (30, 133, 77), (255, 173, 127))
    skin = cv2.morphologyEx(skin, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    if skin.mean() > 255 * SKIN_TABLE:
        return False
    count, labels, stats, _ = cv2.connectedComponentsWithStats(skin)
    middle = labels[height // 5 : height - height // 5, width // 5 : width - width // 5]
    return any(stats[k, cv2.CC_STAT_AREA] > SKIN * skin.size and (middle == k).any() for k in range(1, count))


def is_camera(now: Look, at_rest: Look, rules: RestRules) -> bool:
    """Whether it was the camera that moved, and not a hand that reaches in: what is left when the nudge is undone."""
    shift = follow(at_rest.medium, now.medium)
    if shift.kind is ShiftKind.NONE:
        return False
    if shift.homography is None:
        # Nothing fits: on a plain table for want of anything to go by, so it takes a picture changed all over.
        return float(changed(now.blind, at_rest.blind, rules).mean()) > CHANGED_ALL_OVER
    height, width = at_rest.medium.shape[:2]
    there = cv2.warpPerspective(at_rest.medium, shift.homography, (width, height), borderMode=cv2.BORDER_REPLICATE)
    known = cv2.warpPerspective(np.ones((height, width), np.uint8), shift.homography, (width, height))
    before = look(np.asarray(there, np.uint8))
    mask = changed(now.blind, before.blind, rules)
    # What came into the picture with the nudge is no hand.
    outside: NDArray[Any] = cv2.dilate(1 - known[::2, ::2], np.ones((SURROUNDINGS // 2, SURROUNDINGS // 2), np.uint8))
    mask[outside[: mask.shape[0], : mask.shape[1]] > 0] = 0
    return not reaches_in(now, before, mask, rules)


class RestWatch:
    """Follows one camera, picture by picture."""

    def __init__(self, rules: RestRules | None = None) -> None:
        self._rules = rules or RestRules()
        self._before: Look | None = None
        self._at_rest: Look | None = None
        self._moved_at = float("-inf")
        self._asked_at, self._camera = float("-inf"), False
        self._stirred: NDArray[np.uint8] | None = None
        self._ghosts = True
        """Whether a hand may lie in the picture at rest: in the first one, or where one lay still for long."""
        self._size = (1, 1)
        self.state = Motion.SETTLING
        self.times_at_rest = 0
        """How often the table came to rest: another number is another table, perhaps."""

    def observe(self, picture: Picture, at: float, still: bool = False) -> Motion:
        """Takes one picture, seen `at` (monotonic seconds), and says what the table is doing.

        `still`: a single picture and not the next of a film, so another table however alike it looks.
        """
        rules, now = self._rules, look(picture)
        self._size = picture.shape[1], picture.shape[0]
        before, self._before = self._before, now
        if before is None or before.blind.shape != now.blind.shape:
            self._at_rest, self._stirred, self._moved_at = None, None, at
            return self._become(Motion.SETTLING)
        moved = changed(now.blind, before.blind, rules)
        if self._stirred is None or self._stirred.shape != moved.shape:
            self._stirred = np.ones_like(moved)
        self._stirred |= np.ones_like(moved) if still else moved
        share = float(moved.mean())
        drifted = self.state is Motion.REST and self._differs(now)
        if share >= rules.moving or drifted or still:
            self._moved_at = at
        if share >= rules.another_scene:
            self._at_rest = None
            return self._become(Motion.SETTLING)
        since = at - self._moved_at
        stirring = self.state is not Motion.REST or since == 0.0
        if self._at_rest is not None and stirring and since < rules.hand_patience:
            mask = changed(now.blind, self._at_rest.blind, rules)
            hand = mask.mean() < rules.another_scene and reaches_in(now, self._at_rest, mask, rules, self._ghosts)
            if hand and (since < rules.settle or not self._is_camera(now)):
                return self._become(Motion.HAND)
        unknown = self.times_at_rest == 0 and not still and since < rules.hand_patience
        if unknown and shows_hand(now):
            return self._become(Motion.HAND)
        if since == 0.0:
            return self._become(Motion.MOVING)
        if since < rules.settle:
            return self._become(Motion.SETTLING)
        return self._come_to_rest(now)

    def stirred(self) -> Cover:
        """Where something moved since this was asked last, with what lies close by; everywhere at first."""
        mask, self._stirred = self._stirred, None
        if mask is None:
            return Cover.everywhere()
        self._stirred = np.zeros_like(mask)
        wide = cv2.dilate(mask, np.ones((NEAR, NEAR), np.uint8))
        return Cover.of_mask(wide, *self._size)

    def repeat(self, at: float) -> Motion:
        """The same picture is still shown at time `at`; nothing to compare."""
        if self._before is None or self.state is Motion.REST:
            return self.state
        since = at - self._moved_at
        waits = self.state is Motion.HAND and since < self._rules.hand_patience
        if waits and (since < self._rules.settle or not self._is_camera(self._before)):
            return self.state
        if since < self._rules.settle:
            return self._become(Motion.SETTLING)
        return self._come_to_rest(self._before)

    def _is_camera(self, now: Look) -> bool:
        """Asked once for each time that all lies still."""
        if self._asked_at != self._moved_at and self._at_rest is not None:
            self._asked_at, self._camera = self._moved_at, is_camera(now, self._at_rest, self._rules)
        return self._camera

    def _differs(self, now: Look) -> bool:
        """Whether the table is not as it came to rest, though nothing was seen to move: something crept."""
        if self._at_rest is None:
            return False
        return float(changed(now.blind, self._at_rest.blind, self._rules).mean()) >= self._rules.moving

    def _come_to_rest(self, now: Look) -> Motion:
        if self.state is not Motion.REST:
            self.times_at_rest += 1
            self._ghosts = self._at_rest is None or self.state is Motion.HAND
            self._at_rest = now
        return self._become(Motion.REST)

    def _become(self, state: Motion) -> Motion:
        self.state = state
        return state
