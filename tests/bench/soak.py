"""Does memory stay flat? A table is watched and played on, in recorded time; resident memory is printed on the way.

    python tests/bench/soak.py [--minutes 2] [--hours 2] [--reader]

``--minutes`` is how long it may run, ``--hours`` how much of a game evening it covers: the pictures of that time, five
a second, each looked at for motion and health, a turn every half minute. ``--reader`` reads with the nets (slower),
else the readings are told.
"""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import time
from pathlib import Path

import numpy as np
from live_table import ROWS, Film, picture
from machine import machine

from referee.layout import Layout
from vision.place import Place, Source
from vision.reading import Reading, TileReading
from webui.companion import Companion
from webui.play import Play
from webui.umpire import Umpire

RATE, TURN_S = 5.0, 30.0
SIZE = (960, 540)


class Told:
    """A reader that knows what lies there."""

    def __init__(self) -> None:
        self.text = ""

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        tiles, sets = [], []
        for n, row in enumerate(Layout.parse(self.text).sets):
            ids = []
            for k, tile in enumerate(row):
                x, y = 40.0 + (n % 3) * 300 + k * 42, 40.0 + (n // 3) * 90
                quad = ((x, y), (x + 40, y), (x + 40, y + 56), (x, y + 56))
                ids.append(len(tiles))
                tiles.append(TileReading(len(tiles), tile, 0.99, False, quad))
            sets.append(tuple(ids))
        return Reading(SIZE[0], SIZE[1], None, tuple(tiles), tuple(sets))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--hours", type=float, default=2.0)
    parser.add_argument("--reader", action="store_true")
    asked = parser.parse_args()
    now = [1000.0]
    melds = [*ROWS[8:12], *ROWS[:4]]
    texts = [" | ".join(melds[: n + 1]) for n in range(8)]
    pictures = [picture(text, size=SIZE) for text in texts]
    hand = picture(texts[0], hand=True, size=SIZE)
    film = Film(pictures[0], RATE, lambda: now[0])
    told = Told()
    told.text = texts[0]
    reader: object = told
    if asked.reader:
        from vision.reader import Reader

        reader = Reader.load()
    play = Play(source=lambda: now[0], wall=lambda: int(now[0] * 1000))
    companion = Companion(film, reader, Umpire(play), lambda: now[0], place=Place.at(None, SIZE, Source.GIVEN))  # type: ignore[arg-type]
    print(f"{asked.hours:g} h of pictures at {RATE:g} a second in at most {asked.minutes:g} min, {machine()}")
    began, figures, turns = time.monotonic(), [], 0
    end, steps = began + asked.minutes * 60, int(asked.hours * 3600 * RATE)
    start = {"players": ["Anna", "Ben"], "first": "Anna", "rules": "classic", "options": ["no-clock"]}
    companion.umpire.press("start", start)
    for step in range(steps):
        in_turn = step % int(TURN_S * RATE)
        if in_turn == 0:
            turns += 1
            film.show(hand)
        elif in_turn == int(2 * RATE):
            film.show(pictures[(turns - 1) % len(pictures)])
            told.text = texts[(turns - 1) % len(texts)]
        elif in_turn == int(6 * RATE):
            turn = companion.umpire.play.state.turn
            if turn is not None and not companion.umpire.document().get("waiting"):
                companion.umpire.press("end", {"turn": turn.number})
        elif in_turn == int(10 * RATE) and turns % len(texts) == 0:
            companion.umpire.press("new", {"anyway": True})
            companion.umpire.press("start", start)
        now[0] += 1 / RATE
        companion.step()
        while companion.busy:
            companion.step(0.001)
        if step % (steps // 12) == 0:
            gc.collect()
            figures.append(resident())
            hours = step / RATE / 3600
            took = time.monotonic() - began
            print(f"  {hours:5.2f} h  {figures[-1]:7.1f} MB  {turns:4} turns  {took:6.0f} s", flush=True)
        if time.monotonic() > end:
            print(f"  stopped after {asked.minutes:g} min at {step / RATE / 3600:.2f} h")
            break
    companion.close()
    legal = sum(e.fact.kind == "turn-started" for e in companion.umpire.play.events)
    print(f"turns begun in the last match: {legal}")
    print(f"largest: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB; from the second figure to the "
          f"last: {figures[-1] - figures[min(1, len(figures) - 1)]:+.1f} MB")  # fmt: skip
    return 0


def resident() -> float:
    """Resident memory in MB (Linux); elsewhere the largest so far."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1 << 20)


if __name__ == "__main__":
    sys.exit(main())
