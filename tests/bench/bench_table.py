"""What watching a table costs while nothing moves: processor time a picture, and the share of one core at 5 a second.

    python tests/bench/bench_table.py
"""

from __future__ import annotations

import statistics
import time

import cv2
import numpy as np
from machine import machine

from vision.camera import Frame
from vision.health import HealthWatch
from vision.rest import RestWatch
from webui.shown import Shown

FRAMES = 60
RATE = 5.0


def main() -> None:
    cv2.setNumThreads(1)
    rng = np.random.default_rng(0)
    table = np.full((1080, 1920, 3), (80, 110, 130), np.uint8)
    for n in range(60):
        x, y = 60 + (n % 15) * 120, 120 + (n // 15) * 220
        cv2.rectangle(table, (x, y), (x + 70, y + 100), (225, 240, 245), -1)
        cv2.putText(table, str(n % 13 + 1), (x + 10, y + 55), 0, 1.4, (40, 30, 180), 4)
    noise = [rng.integers(0, 7, table.shape, np.uint8) for _ in range(3)]
    frames = [cv2.add(table, n) for n in noise]
    rest, health, shown = RestWatch(), HealthWatch(), Shown()
    spent: dict[str, list[float]] = {"motion and hands": [], "health": [], "picture for the pages": []}
    for n in range(FRAMES):
        frame = Frame(frames[n % 3], n, n / RATE)
        for name, act in (
            ("motion and hands", lambda frame=frame: rest.observe(frame.picture, frame.at)),
            ("health", lambda frame=frame: health.observe(frame, True)),
            ("picture for the pages", lambda frame=frame: shown.jpeg(frame, 1280)),
        ):
            start = time.thread_time()
            act()
            spent[name].append(time.thread_time() - start)
    print(f"watching 1920×1080, {machine()}")
    total = 0.0
    for name, times in spent.items():
        # A page asks for a picture every 0.6 s while nothing moves.
        per_second = statistics.fmean(times) * (1 / 0.6 if name.startswith("picture") else RATE)
        total += per_second
        print(f"  {name:24} {statistics.median(times) * 1000:6.1f} ms a picture  {per_second:6.1%} of a core")
    print(f"  {'all':24} {'':18} {total:6.1%} of a core at {RATE:g} pictures a second, one page open")


if __name__ == "__main__":
    main()
