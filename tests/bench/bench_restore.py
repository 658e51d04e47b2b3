"""How long `restore` takes for 106 scattered tiles. ``python tests/bench/bench_restore.py``."""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from machine import machine

from referee.restore import restore
from referee.snapshot import Placed, Quad, Snapshot
from referee.tiles import ALL_TILES, Tile

BOUND_MS = 100.0


def quad(x: float, y: float) -> Quad:
    return (x - 20, y - 30), (x + 20, y - 30), (x + 20, y + 30), (x - 20, y + 30)


def whole_box() -> list[list[Tile]]:
    """All 106 tiles in legal sets: thirteen groups, three runs a colour, two of them with a joker."""
    rows = [[Tile(c, n) for c in "kbro"] for n in range(1, 14)]
    for colour in "kbro":
        run = [Tile(colour, n) for n in range(1, 14)]
        rows += [run[:4], run[4:8], run[8:]]
    rows[13].append(Tile.JOKER)
    rows[-1].insert(0, Tile.JOKER)
    return rows


def placed(rng: random.Random, rows: list[list[Tile]]) -> Snapshot:
    sets = []
    for row in rows:
        x, y = rng.uniform(0, 3000), rng.uniform(0, 2000)
        sets.append(tuple(Placed(t, quad(x + 40 * i, y)) for i, t in enumerate(row)))
    return Snapshot(tuple(sets))


def scattered(rng: random.Random, snapshot: Snapshot, size: int) -> Snapshot:
    """The same tiles in random rows of ``size``, anywhere on the table; of 1, all loose."""
    tiles = [p.tile for row in snapshot.rows for p in row]
    rng.shuffle(tiles)
    rows = [tiles[i : i + size] for i in range(0, len(tiles), size)]
    table = placed(rng, rows)
    return table if size > 1 else Snapshot((), tuple(row[0] for row in table.sets))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=30)
    tables = parser.parse_args().tables
    rng = random.Random(106)
    print(machine())
    print(f"restore of 106 tiles, {tables} tables each, processor time")
    print(f"{'table now':<28}{'steps':>8}{'median ms':>12}{'worst ms':>12}")
    rows = whole_box()
    assert sum(map(len, rows)) == 2 * len(ALL_TILES)
    worst = 0.0
    for name, size in (("all tiles loose", 1), ("rows of 2", 2), ("rows of 4", 4), ("one row", 106)):
        times, steps = [], []
        for _ in range(tables):
            before = placed(rng, rows)
            now = scattered(rng, before, size)
            start = time.process_time()
            way = restore(before, now)
            times.append(1000 * (time.process_time() - start))
            steps.append(len(way.steps))
        worst = max(worst, *times)
        print(f"{name:<28}{statistics.median(steps):>8.0f}{statistics.median(times):>12.1f}{max(times):>12.1f}")
    print(f"worst {worst:.1f} ms, bound {BOUND_MS:.0f} ms: {'held' if worst <= BOUND_MS else 'MISSED'}")
    return 0 if worst <= BOUND_MS else 1


if __name__ == "__main__":
    sys.exit(main())
