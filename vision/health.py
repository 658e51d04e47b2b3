"""Is the camera well? Lost, asleep, ended, frozen, black, overexposed or blurred: each named within three seconds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.camera import Camera, Frame, Link, Picture

LOST_S = 2.5
FROZEN_S = 2.5
LASTING_S = 1.0
LOOK_EVERY_S = 0.4
BLACK = 20
WHITE = 250
WHITE_SHARE = 0.5
BLUR = 0.64
LEAST_EDGES = 0.005
"""Share of a picture that edges take up at least, for its blur to be known."""


class Trouble(StrEnum):
    """What is wrong with a camera; the worst comes first."""

    LOST = "lost"
    ASLEEP = "asleep"
    ENDED = "ended"
    FROZEN = "frozen"
    MOVED = "moved"
    """Known by comparing the table with what it was: see `vision.place`."""
    BLACK = "black"
    OVEREXPOSED = "overexposed"
    BLURRED = "blurred"

    @property
    def stops(self) -> bool:
        """Whether what the camera shows is not the table as it is now."""
        return self in (Trouble.LOST, Trouble.ASLEEP, Trouble.FROZEN, Trouble.MOVED, Trouble.BLACK)


SAID = {
    Trouble.LOST: "The camera has stopped. Check its cable; it comes back by itself.",
    Trouble.ASLEEP: "The phone sends no pictures. Wake it and open its camera page; it comes back by itself.",
    Trouble.ENDED: "The video has ended. This is its last picture.",
    Trouble.FROZEN: "The camera keeps sending the same picture. Unplug it and plug it in again.",
    Trouble.MOVED: "The camera has moved. Put it right, or move it back.",
    Trouble.BLACK: "The picture is black. Is the lens covered, or the light off?",
    Trouble.OVEREXPOSED: "The picture is too bright. Turn the camera away from the lamp.",
    Trouble.BLURRED: "The picture is blurred. Clean the lens, or let the camera focus.",
}


@dataclass(frozen=True, slots=True)
class Health:
    """How the camera is: `trouble` is None when it is well, `age` the newest picture's, in seconds if any."""

    trouble: Trouble | None
    age: float | None

    @property
    def message(self) -> str:
        return SAID[self.trouble] if self.trouble else ""


def blur_of(picture: Picture) -> float:
    """How blurred a picture is, 0 (sharp) to 1: how little its edges lose when it is blurred once more.

    After Crété, Dolmiere, Ladret and Nicolas, "The blur effect: perception and estimation with a new
    no-reference perceptual blur metric" (2007), on the grey picture at 640 pixels' width; but of edges that stand
    out from the sensor's grain only, which is sharp however blurred the picture is. 0 where there are hardly any.
    """
    scale = min(1.0, 640 / picture.shape[1])
    small = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    grey = cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)
    figures = []
    for axis, kernel in ((0, (1, 9)), (1, (9, 1))):
        sharp = np.abs(np.diff(grey, axis=axis))
        again = np.abs(np.diff(cv2.blur(grey, kernel), axis=axis))
        grain = 0.6 + 1.8 * float(np.minimum(sharp, 4.0).mean())
        edges = again > grain
        if edges.mean() < LEAST_EDGES:
            continue
        total = float(sharp[edges].sum())
        lost = float(np.maximum(0.0, sharp[edges] - again[edges]).sum())
        figures.append((total - lost) / total if total > 0 else 0.0)
    return max(figures, default=0.0)


def light_trouble(picture: Picture) -> Trouble | None:
    """Black or overexposed, or neither."""
    grey = cv2.cvtColor(np.ascontiguousarray(picture[::8, ::8]), cv2.COLOR_BGR2GRAY)
    if np.percentile(grey, 99) <= BLACK:
        return Trouble.BLACK
    if float((grey >= WHITE).mean()) > WHITE_SHARE:
        return Trouble.OVEREXPOSED
    return None


def picture_trouble(picture: Picture) -> Trouble | None:
    """What one picture alone tells: black, overexposed or blurred."""
    light = light_trouble(picture)
    if light is None and blur_of(picture) > BLUR:
        return Trouble.BLURRED
    return light


class HealthWatch:
    """Follows one camera. A trouble that a picture shows counts after it has lasted for a second."""

    def __init__(self) -> None:
        self._sample: NDArray[np.uint8] | None = None
        self._changed_at = float("-inf")
        self._looked_at = float("-inf")
        self._seen: Trouble | None = None
        self._seen_since = 0.0
        self._newest: Frame | None = None

    def observe(self, frame: Frame, live: bool) -> None:
        """Takes one frame; `live` as in `Camera`."""
        self._newest = frame
        sample = frame.picture[::16, ::16]
        if not live or self._sample is None or not np.array_equal(sample, self._sample):
            self._sample, self._changed_at = sample.copy(), frame.at
        if frame.at - self._looked_at < LOOK_EVERY_S:
            return
        self._looked_at = frame.at
        seen = picture_trouble(frame.picture)
        if seen is not self._seen:
            self._seen, self._seen_since = seen, frame.at

    def health(self, camera: Camera, now: float) -> Health:
        """The worst that is known of the camera at time `now`."""
        frame = self._newest
        age = None if frame is None else max(0.0, now - frame.at)
        if camera.link is Link.ENDED:
            return Health(Trouble.ENDED, age)
        if camera.link is Link.ASLEEP:
            return Health(Trouble.ASLEEP, age)
        if camera.link is Link.LOST or (age is not None and age > LOST_S):
            return Health(Trouble.LOST, age)
        if frame is None:
            return Health(None, None)
        if frame.at - self._changed_at > FROZEN_S:
            return Health(Trouble.FROZEN, age)
        if self._seen is not None and now - self._seen_since >= LASTING_S:
            return Health(self._seen, age)
        return Health(None, age)
