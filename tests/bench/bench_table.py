"""What watching a table costs while nothing moves: a whole companion, five pictures a second for a minute.

    python tests/bench/bench_table.py [seconds]

Each picture is a 1080p JPEG, as a camera sends it, unpacked when it comes; the minute is simulated, so what is
measured is processor time (all threads), not waiting. A page that is open asks for a picture every 0.6 s.
"""

from __future__ import annotations

import statistics
import sys
import time

import cv2
import numpy as np
from machine import machine

from vision.camera import Frame, Link, Tuning
from vision.health import HealthWatch
from vision.place import Place
from vision.reading import Reading, TileReading
from vision.rest import RestWatch
from webui.companion import TICK_S, Companion
from webui.play import Play
from webui.shown import Shown
from webui.umpire import Umpire

RATE = 5.0
PAGE_S = 0.6
BOUND = 0.15


def drawn() -> tuple[list[bytes], np.ndarray]:
    """Three 1080p pictures of one table with 60 tiles, each with its own grain, as JPEG; the tiles' outlines."""
    rng = np.random.default_rng(0)
    table = np.full((1080, 1920, 3), (80, 110, 130), np.uint8)
    quads = []
    for n in range(60):
        x, y = 60 + (n % 15) * 120, 120 + (n // 15) * 220
        cv2.rectangle(table, (x, y), (x + 70, y + 100), (225, 240, 245), -1)
        cv2.putText(table, str(n % 13 + 1), (x + 10, y + 55), 0, 1.4, (40, 30, 180), 4)
        quads.append([[x, y], [x + 70, y], [x + 70, y + 100], [x, y + 100]])
    grain = [rng.integers(0, 7, table.shape, np.uint8) for _ in range(3)]
    jpegs = [bytes(cv2.imencode(".jpg", cv2.add(table, g), [cv2.IMWRITE_JPEG_QUALITY, 85])[1]) for g in grain]
    return jpegs, np.array(quads, float)


class Lens:
    """A camera whose next picture is there whenever its time has come."""

    name, live, link, trouble, tuning = "bench", True, Link.OPEN, "", Tuning()

    def __init__(self, jpegs: list[bytes]) -> None:
        self.jpegs, self.now, self.number, self.due = jpegs, 0.0, 0, 0.0

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        if self.now < self.due:
            return None
        self.due, self.number = self.now + 1 / RATE, self.number + 1
        picture = cv2.imdecode(np.frombuffer(self.jpegs[self.number % 3], np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        return Frame(np.asarray(picture, np.uint8), self.number, self.now)

    def rest(self, resting: bool) -> None: ...

    def close(self) -> None: ...


class Known:
    """A reader that finds 60 tiles, at once."""

    def __init__(self, quads: np.ndarray) -> None:
        self.quads, self.asked = quads, 0

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        from referee.tiles import ALL_TILES

        self.asked += 1
        tiles = tuple(
            TileReading(n, ALL_TILES[n % 52], 0.99, False, tuple(map(tuple, quad)))  # type: ignore[arg-type]
            for n, quad in enumerate(self.quads.tolist())
        )
        return Reading(1920, 1080, None, tiles, (), tuple(range(60)))


def watch(seconds: float) -> tuple[float, float, int]:
    """Share of one core with a page open and without one, and how often the reader was asked meanwhile."""
    jpegs, quads = drawn()
    lens, reader, shown = Lens(jpegs), Known(quads), Shown()
    companion = Companion(lens, reader, Umpire(Play(source=lambda: lens.now)), lambda: lens.now)

    def run(length: float) -> None:
        for _ in range(round(length / TICK_S)):
            lens.now += TICK_S
            companion.step()
            while companion.busy:
                time.sleep(0.001)
                companion.step()

    run(5.0)  # the table comes to rest and is read
    before, start = reader.asked, time.process_time()
    run(seconds)
    alone = (time.process_time() - start) / seconds
    asked = reader.asked - before
    assert companion.frame is not None
    start = time.process_time()
    for n in range(round(seconds / PAGE_S / 4)):
        frame = Frame(companion.frame.picture.copy(), n, lens.now)
        shown.jpeg(frame, 1280)
    page = (time.process_time() - start) / (seconds / 4)
    companion.close()
    return alone, alone + page, asked


def parts() -> None:
    """The dearest steps one by one."""
    jpegs, quads = drawn()
    pictures = [cv2.imdecode(np.frombuffer(j, np.uint8), cv2.IMREAD_COLOR) for j in jpegs]
    rest, health = RestWatch(), HealthWatch()
    place = Place().seen(pictures[0], quads)[0]
    moment = iter(range(1_000_000))

    def frame() -> Frame:
        n = next(moment)
        return Frame(np.asarray(pictures[n % 3], np.uint8), n, n / RATE)

    def observe() -> None:
        seen = frame()
        rest.observe(seen.picture, seen.at)

    steps = {
        "unpacking a picture": (lambda: cv2.imdecode(np.frombuffer(jpegs[0], np.uint8), cv2.IMREAD_COLOR), RATE),
        "motion and hands": (observe, RATE),
        "health": (lambda: health.observe(frame(), True), RATE),
        "was the camera moved": (lambda: place.seen(pictures[1], quads), 0.0),
    }
    for name, (act, rate) in steps.items():
        spent = []
        for _ in range(30):
            start = time.process_time()
            act()
            spent.append(time.process_time() - start)
        often = f"{statistics.fmean(spent) * rate:6.1%} of a core" if rate else "once a move"
        print(f"  {name:24} {statistics.median(spent) * 1000:6.1f} ms   {often}")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    cv2.setNumThreads(1)
    print(f"watching 1920×1080 at rest, {RATE:g} pictures a second, {machine()}")
    parts()
    alone, with_page, asked = watch(seconds)
    print(f"  companion alone          {alone:6.1%} of a core, {asked} readings in {seconds:g} s at rest")
    print(f"  with one page open       {with_page:6.1%} of a core (bound {BOUND:.0%})")


if __name__ == "__main__":
    main()
