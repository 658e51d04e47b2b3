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
from vision.hands import SURROUNDINGS, Look, Small, hand_in, look, moves, shows_hand
from vision.shift import ShiftKind, follow

NEAR = 7
"""Cells of the small picture round something that moved that count as touched: fingers are blurred."""
CHANGED_ALL_OVER = 0.15
"""Share of the small picture that is different when the camera looks elsewhere; a hand is less."""


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
    another_scene: float = 0.40
    settle: float = 0.6
    hand_patience: float = 4.0
    """A hand that lies quite still for so long is an arm of a chair, a mug or a rack."""


def changed(a: Small, b: Small, rules: RestRules) -> NDArray[np.uint8]:
    """Where two such pictures differ, single pixels left out: a mask of 0 and 1."""
    mask = (cv2.absdiff(a, b) > rules.different).astype(np.uint8)
    return np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)


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
    # What came into the picture with the nudge is no hand.
    outside: NDArray[Any] = cv2.dilate(1 - known[::2, ::2], np.ones((SURROUNDINGS // 2, SURROUNDINGS // 2), np.uint8))
    return hand_in(now, look(np.asarray(there, np.uint8)), np.asarray(outside, np.uint8)) is None


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
        hand = self._hand(now, at, still or share >= rules.moving)
        drifted = self.state is Motion.REST and (hand is not None or self._differs(now))
        if self.state is Motion.HAND and hand is not None:  # a dark one moves unseen
            drifted = moves(now, before) >= rules.moving
        if share >= rules.moving or drifted or still:
            self._moved_at = at
        if share >= rules.another_scene:
            self._at_rest = None
            return self._become(Motion.SETTLING)
        since = at - self._moved_at
        if hand is not None and since < rules.hand_patience and (since < rules.settle or not self._is_camera(now)):
            self._stirred |= hand
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

    def _hand(self, now: Look, at: float, moved: bool) -> NDArray[np.uint8] | None:
        """Where a hand is that was not there at rest; one that lies still for long is none."""
        rules, lain = self._rules, self.state is not Motion.REST and at - self._moved_at >= self._rules.hand_patience
        if self._at_rest is None or (lain and not moved):
            return None
        hand = hand_in(now, self._at_rest, None, self._ghosts)
        another = hand is not None and changed(now.blind, self._at_rest.blind, rules).mean() >= rules.another_scene
        return None if another else hand

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
