"""A filmed table for the benches: drawn once at 1080p with 60 tiles, and a sensor's grain on every picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np

from referee.layout import Layout
from vision.camera import Frame, Link, Tuning
from vision.render.editions import random_edition
from vision.render.lens import Light, View
from vision.render.scene import Hand, Piece, Scene, draw

SIZE = (1920, 1080)
ROWS = [
    "k1 k2 k3 k4 k5", "b1 b2 b3 b4 b5", "r1 r2 r3 r4 r5", "o1 o2 o3 o4 o5",
    "k6 k7 k8 k9 k10", "b6 b7 b8 b9 b10", "r6 r7 r8 r9 r10", "o6 o7 o8 o9 o10",
    "k11 k12 k13", "b11 b12 b13", "r11 r12 r13", "o11 o12 o13", "k1 b1 r1 o1", "k2 b2 r2 o2",
]  # fmt: skip
LAID = "k3 b3 r3"


def picture(text: str, hand: bool = False, size: tuple[int, int] = SIZE) -> np.ndarray:
    """The table with the sets of ``text`` in three columns."""
    edition = replace(random_edition(np.random.default_rng(21)), thickness=0.2, joker="face", digit_height=0.4)
    pieces = []
    for n, row in enumerate(Layout.parse(text).sets):
        x, y = (n % 3 - 1) * 7.0, (2 - n // 3) * 2.1
        pieces += [Piece.flat(t, x + (k - (len(row) - 1) / 2) * 1.04, y, 0.0, 0.0, n) for k, t in enumerate(row)]
    hands = (Hand((size[0] * 0.45, size[1] * 0.6), np.pi / 2, size[0] / 6, 4),) if hand else ()
    view = View(*size, 24.0, 0.25, 0.0, 0.0, 1.0)
    return draw(Scene(edition, view, Light(noise=1.0), tuple(pieces), "wood", 5, hands=hands, seed=3)).picture


class Film:
    """A live camera: the picture that `show` said, with another grain each time; ``rate`` pictures a second."""

    name, live, trouble, tuning, link = "film", True, "", Tuning(), Link.OPEN

    def __init__(self, first: np.ndarray, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._every = clock, 1 / rate
        self._grain = [np.random.default_rng(n).integers(0, 5, first.shape, np.uint8) for n in range(3)]
        self._shown: list[np.ndarray] = []
        self.taken = 0
        self._at = float("-inf")
        self.show(first)

    def show(self, picture: np.ndarray) -> None:
        self._shown = [cv2.add(picture, grain) for grain in self._grain]

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        due = self._at + self._every
        if self._clock() < due:
            time.sleep(max(0.0, min(timeout, due - self._clock())))
        if self._clock() < due:
            return None
        self.taken, self._at = self.taken + 1, self._clock()
        return Frame(self._shown[self.taken % len(self._shown)], self.taken, self._at)

    def rest(self, resting: bool) -> None: ...

    def close(self) -> None: ...
