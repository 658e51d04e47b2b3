"""At rest or not: motion and hands, noticed cheaply on a small picture.

Nothing is judged while something moves. The picture is shrunk and made blind to light (each pixel against its
surroundings), so that a lamp, a soft shadow, exposure or focus hunting is no motion; what is left is compared
with the picture before (does something move?) and with the table as it lay at rest (does a hand reach in?).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Picture
from vision.cover import Cover

Small = NDArray[np.float32]

WIDTH = 192
SURROUNDINGS = 25
NEAR = 7
"""Cells of the small picture round something that moved that count as touched: fingers are blurred."""
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
    hand_patience: float = 6.0


def blind_to_light(picture: Picture) -> Small:
    """A small grey picture, each pixel against its surroundings: about −2 to 2, whatever the lamp."""
    height, width = picture.shape[:2]
    small = cv2.resize(picture, (WIDTH, max(8, round(WIDTH * height / width))), interpolation=cv2.INTER_AREA)
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


def reaches_in(mask: NDArray[np.uint8], rules: RestRules) -> bool:
    """Whether a changed region as large as a hand touches the border: a hand comes from somewhere."""
    joined = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((9, 9), np.uint8))
    height, width = mask.shape
    # Plain skin or cloth differs at its edges only, so it is the hull around them that is measured.
    for contour in cv2.findContours(joined, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]:
        left, top, wide, high = cv2.boundingRect(contour)
        at_border = left <= 1 or top <= 1 or left + wide >= width - 1 or top + high >= height - 1
        if at_border and cv2.contourArea(cv2.convexHull(contour)) >= rules.hand * mask.size:
            return True
    return False


class RestWatch:
    """Follows one camera, picture by picture."""

    def __init__(self, rules: RestRules | None = None) -> None:
        self._rules = rules or RestRules()
        self._before: Small | None = None
        self._at_rest: Small | None = None
        self._moved_at = float("-inf")
        self._stirred: NDArray[np.uint8] | None = None
        self._size = (1, 1)
        self.state = Motion.SETTLING
        self.times_at_rest = 0
        """How often the table came to rest: another number is another table, perhaps."""

    def observe(self, picture: Picture, at: float, still: bool = False) -> Motion:
        """Takes one picture, seen `at` (monotonic seconds), and says what the table is doing.

        `still`: a single picture and not the next of a film, so another table however alike it looks.
        """
        rules, now = self._rules, blind_to_light(picture)
        self._size = picture.shape[1], picture.shape[0]
        before, self._before = self._before, now
        if before is None or before.shape != now.shape:
            self._at_rest, self._stirred, self._moved_at = None, None, at
            return self._become(Motion.SETTLING)
        moved = changed(now, before, rules)
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
        if self._at_rest is not None and self.state is not Motion.REST and since < rules.hand_patience:
            mask = changed(now, self._at_rest, rules)
            if mask.mean() < rules.another_scene and reaches_in(mask, rules):
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
        if self.state is Motion.HAND and since < self._rules.hand_patience:
            return self.state
        if since < self._rules.settle:
            return self._become(Motion.SETTLING)
        return self._come_to_rest(self._before)

    def _differs(self, now: Small) -> bool:
        """Whether the table is not as it came to rest, though nothing was seen to move: something crept."""
        if self._at_rest is None:
            return False
        return float(changed(now, self._at_rest, self._rules).mean()) >= self._rules.moving

    def _come_to_rest(self, now: Small) -> Motion:
        if self.state is not Motion.REST:
            self.times_at_rest += 1
            self._at_rest = now
        return self._become(Motion.REST)

    def _become(self, state: Motion) -> Motion:
        self.state = state
        return state
