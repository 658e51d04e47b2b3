"""How fast a picture is read: median of 20, on rendered tables of the sizes that matter.

python tests/bench/bench_read.py
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from dataclasses import replace

import cv2
import numpy as np
from machine import machine

from referee.tiles import COLOURS, Tile
from vision.reader import Reader
from vision.render.editions import random_edition
from vision.render.lens import Light, View
from vision.render.scene import Piece, Scene, draw

ROUNDS = 20


def table(count: int, width: int, height: int, seed: int = 5) -> np.ndarray:
    """``count`` tiles in rows on a plain table that fills the picture."""
    edition = replace(random_edition(np.random.default_rng(seed)), thickness=0.2)
    pieces = []
    across = 13
    for k in range(count):
        x, y = (k % across - across / 2 + 0.5) * 1.03, (4 - k // across) * (edition.aspect + 0.35)
        pieces.append(Piece.flat(Tile(COLOURS[(k // 13) % 4], k % 13 + 1), x, y, 0.0))
    view = View(width, height, 20.0, 0.3, 0.1, 0.0, 1.1)
    return draw(Scene(edition, view, Light(noise=2), tuple(pieces), "wood", 3, seed=seed)).picture


def main() -> None:
    print(machine())
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "from vision.reader import Reader; Reader.load()"], check=True)
    print(f"start (import and load the weights): {time.perf_counter() - began:.2f} s")
    reader = Reader.load()
    print(f"{'picture':>12} {'tiles':>6} {'read':>5} {'median ms':>10} {'worst ms':>9} {'ms a tile':>10}")
    big = table(40, 2000, 1500)
    for count, w, h, picture in [
        *((n, 1280, 960, None) for n in (10, 20, 40, 80, 106)),
        (40, 4000, 3000, cv2.resize(big, (4000, 3000), interpolation=cv2.INTER_CUBIC)),
    ]:
        picture = table(count, w, h) if picture is None else picture
        reader.read(picture)
        times = []
        for _ in range(ROUNDS):
            t = time.perf_counter()
            reading = reader.read(picture)
            times.append((time.perf_counter() - t) * 1000)
        median = statistics.median(times)
        print(
            f"{w:>7}x{h:<4} {count:>6} {len(reading.tiles):>5} {median:>10.0f} {max(times):>9.0f} "
            f"{median / count:>10.1f}"
        )
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
