"""How long the best play takes, beside the library `rummikub-solver`. ``python tests/bench/bench_moves.py``.

Times are of the processor, not of the clock, the shortest of ``--repeat`` tries: others may be at work on the
machine. The library is asked for the most tiles, its own aim; it knows nothing of what a sheet says of jokers.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from machine import machine
from positions import stored

from referee.formulation import KIND
from referee.moves import Position, any_play, best_play
from referee.sheets import load
from referee.tiles import Tile

BOUNDS = {60: (50.0, 300.0), 80: (None, 1000.0)}
"""Median and worst in ms for the best play, by tiles on the table."""

ANYBODY = 100.0
FASTER = 2.5
WIDTHS = (40, 18, 5, 8, 8, 8, 7)


def timed(ask: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """The shortest processor time in ms, and the answer."""
    shortest, answer = float("inf"), None
    for _ in range(repeat):
        start = time.process_time()
        answer = ask()
        shortest = min(shortest, 1000 * (time.process_time() - start))
    return shortest, answer


def library() -> Callable[[Position], int] | None:
    """How many tiles the public library lays, None if it is not installed."""
    try:
        from rummikub_solver import RuleSet, SolverMode
    except ImportError:
        return None
    rules = RuleSet()

    def number(tile: Tile) -> int:
        return 53 if tile.is_joker else 1 + KIND[tile]

    def solve(position: Position) -> int:
        state = rules.new_game()
        state.initial = False
        state.add_table(*(number(t) for row in position.table.sets for t in row))
        state.add_rack(*map(number, position.rack))
        found = rules.solve(state, SolverMode.TILE_COUNT)
        return len(found.tiles) if found else 0

    return solve


def line(*cells: object) -> None:
    sized = enumerate(zip(cells, WIDTHS, strict=True))
    print("".join(str(c).ljust(w) if i < 2 else str(c).rjust(w) for i, (c, w) in sized))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=100, help="at most so many of each family")
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--library", type=int, default=25, help="positions of each family for the library; 0: none")
    parser.add_argument("--sheets", default="classic", help="sheets to play by, with commas between")
    asked = parser.parse_args()
    print(machine())
    line("positions", "asked", "n", "median", "p95", "worst", "tiles")
    missed: list[str] = []
    solve = library() if asked.library else None
    for sheet in asked.sheets.split(","):
        for name, found in stored().items():
            family = [replace(p, sheet=load(sheet)) for p in found[: asked.positions]]
            missed += measure(name if sheet == "classic" else f"{name}, {sheet}", family, asked, solve)
    print("bounds held" if not missed else f"MISSED: {'; '.join(missed)}")
    return 1 if missed else 0


def measure(
    name: str, family: list[Position], asked: argparse.Namespace, solve: Callable[[Position], int] | None
) -> list[str]:
    """Time one family, print its lines, and say which bounds were missed."""
    missed = []
    times: dict[str, list[float]] = {}
    tiles: dict[str, list[int]] = {}
    unproven = 0
    for title, ask in (
        ("best play", lambda p: best_play(p)),
        ("any play", lambda p: any_play(p)),
    ):
        runs = [timed(lambda ask=ask, p=p: ask(p), asked.repeat) for p in family]  # type: ignore[misc]
        times[title] = [t for t, _ in runs]
        tiles[title] = [len(play.played) for _, play in runs]
        unproven += sum(not play.optimal for _, play in runs)
        report(name, title, times[title], tiles[title])
    size = family[0].table.tiles.total()
    median, worst = BOUNDS.get(size, (None, None))
    if median and statistics.median(times["best play"]) > median:
        missed.append(f"{name}: median over {median:.0f} ms")
    if worst and max(times["best play"]) > worst:
        missed.append(f"{name}: worst over {worst:.0f} ms")
    if max(times["any play"]) > ANYBODY:
        missed.append(f"{name}: any play over {ANYBODY:.0f} ms")
    if unproven:
        missed.append(f"{name}: {unproven} not proven")
    if solve is not None:
        some = family[: asked.library]
        solve(some[0])  # it builds its model in the first call
        runs = [timed(lambda p=p: solve(p), 1) for p in some]  # type: ignore[misc]
        report(name, "rummikub-solver", [t for t, _ in runs], [n for _, n in runs])
        factor = statistics.median(t for t, _ in runs) / statistics.median(times["best play"][: len(some)])
        ahead = sum(a > b for a, (_, b) in zip(tiles["best play"], runs, strict=False))
        behind = sum(a < b for a, (_, b) in zip(tiles["best play"], runs, strict=False))
        print(f"   {factor:.1f} times as fast at the median; more tiles in {ahead}, fewer in {behind} of {len(some)}")
        if factor < FASTER:
            missed.append(f"{name}: only {factor:.1f} times as fast as the library")
    return missed


def report(name: str, title: str, times: list[float], tiles: list[int]) -> None:
    ordered = sorted(times)
    middle, high = statistics.median(ordered), ordered[int(0.95 * (len(ordered) - 1))]
    cells = (f"{t:.1f}" for t in (middle, high, ordered[-1]))
    line(name, title, len(times), *cells, f"{statistics.mean(tiles):.1f}")


if __name__ == "__main__":
    sys.exit(main())
