"""How long a button waits for the disk, what a match takes there, and what a restart costs.

``python tests/bench/bench_keep.py [ADDRESS]``: a file in a folder of the working directory's disk; with an
SQLAlchemy address also a database.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from machine import machine

from referee.layout import Layout
from referee.sheets import chosen
from webui.lookback import match_document
from webui.matches import DatabaseMatches, FileMatches, Matches
from webui.play import Play, Table

TURNS = 240
"""Four games of sixty turns: a long match of four."""


def measure(name: str, matches: Matches) -> None:
    store = matches.new()
    play = Play(store)
    play.start(["Anna", "Ben", "Cleo", "Dan"], chosen("classic", []), "Anna")
    took = []
    for turn in range(TURNS):
        if play.state.pool < 2:
            play.abandon("again")
            play.deal("Anna")
        begun = time.perf_counter()
        play.pause() if turn % 4 == 0 else play.draw(Table(Layout()))
        took.append(1000 * (time.perf_counter() - begun))
        if turn % 4 == 0:
            play.resume()
    signs = []
    for n in range(50):
        begun = time.perf_counter()
        store.sign_of_life(n)
        signs.append(1000 * (time.perf_counter() - begun))
    count = len(play.events)
    play.close()
    begun = time.perf_counter()
    again = Play(matches.latest())
    restart = 1000 * (time.perf_counter() - begun)
    begun = time.perf_counter()
    match_document(again.state)
    back = 1000 * (time.perf_counter() - begun)
    again.close()
    late = sorted(took)[int(0.95 * len(took))]
    print(f"{name}: a press {statistics.median(took):.1f} ms at the median, {late:.1f} at the 95th percentile")
    print(f"  a sign of life {statistics.median(signs):.1f} ms")
    print(f"  {count} events open again in {restart:.0f} ms, and are looked back at in {back:.0f}")


if __name__ == "__main__":
    print(machine())
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-keep-") as folder:
        measure("SQLite file", FileMatches(Path(folder)))
        size = sum(path.stat().st_size for path in Path(folder).glob("*.match"))
        print(f"the file: {size / 1000:.0f} kB")
        if len(sys.argv) > 1:
            measure(sys.argv[1].partition(":")[0], DatabaseMatches(sys.argv[1], Path(folder)))
