"""The live table at 1080p with 60 tiles: from "end turn" to the verdict, and the load while nothing moves.

python tests/bench/bench_live.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import time

from live_table import LAID, ROWS, SIZE, Film, picture
from machine import machine

from vision.place import Place, Source
from vision.reader import Reader
from webui.companion import Companion
from webui.play import Play
from webui.umpire import Umpire

RATE = 5.0
IDLE_S = 20.0


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    before = " | ".join(ROWS)
    with_set = f"{before} | {LAID}"
    tables = {name: picture(text) for name, text in (("before", before), ("laid", with_set))}
    hand = picture(before, hand=True)
    film = Film(tables["before"], RATE)
    play = Play()
    companion = Companion(film, Reader.load(), Umpire(play), place=Place.at(None, SIZE, Source.GIVEN))
    companion.start()
    tiles = sum(len(row.split()) for row in ROWS)
    print(f"{SIZE[0]}×{SIZE[1]}, {tiles} tiles, {RATE:g} pictures a second, {machine()}")
    try:
        names = {"players": ["Anna", "Ben"], "first": "Anna", "rules": "classic", "options": ["no-clock"]}
        until(companion, lambda: phase(companion) == "read")
        companion.press("start", names)
        settled, lying, early = [], [], []
        for _ in range(rounds):
            for with_hand, figures in ((False, settled), (True, early)):
                film.show(tables["before"])
                until(companion, lambda: phase(companion) == "read" and companion.umpire.settled)
                film.show(hand)
                until(companion, lambda: phase(companion) == "hand")
                film.show(tables["laid"])
                began = time.perf_counter()
                if not with_hand:  # the table has come to rest and is known when the button is pressed
                    until(companion, lambda: phase(companion) == "read")
                    lying.append(time.perf_counter() - began)
                    began = time.perf_counter()
                figures.append(verdict(companion, began))
        print(f"{'from':44} {'median':>8} {'95 %':>8} {'worst':>8}")
        for what, times in (
            ('"end turn", table at rest, to the verdict', settled),
            ("the hand leaves to the table read", lying),
            ("the hand leaves, pressed before, to the verdict", early),
        ):
            ranked = sorted(times)
            figures = statistics.median(ranked), ranked[min(len(ranked) - 1, int(0.95 * len(ranked)))], ranked[-1]
            print(f"{what:48} " + " ".join(f"{f:6.2f} s" for f in figures))
        until(companion, lambda: companion.umpire.settled and not companion.busy)
        time.sleep(2)
        cpu, wall = time.process_time(), time.perf_counter()
        time.sleep(IDLE_S)
        share = (time.process_time() - cpu) / (time.perf_counter() - wall)
        print(f"with nothing moving: {share:.1%} of one core (the pages apart: bench_table.py)")
    finally:
        companion.close()


def verdict(companion: Companion, began: float) -> float:
    """Presses "end turn" and waits for the word; then the turn is taken back."""
    events = len(companion.umpire.play.events)
    turn = companion.umpire.play.state.turn
    assert turn is not None
    companion.press("end", {"turn": turn.number}, timeout=60)
    until(companion, lambda: judged(companion, events))
    took = time.perf_counter() - began
    while companion.umpire.play.state.log.event is not None and len(companion.umpire.play.state.table.sets):
        companion.press("undo", {}, timeout=60)
    return took


def judged(companion: Companion, since: int) -> bool:
    return any(e.fact.kind == "table-judged" for e in companion.umpire.play.events[since:])


def phase(companion: Companion) -> str:
    return str(companion.hub.state()["live"]["phase"])


def until(companion: Companion, true: object, patience: float = 120.0) -> None:
    end = time.monotonic() + patience
    while not true():  # type: ignore[operator]
        if time.monotonic() > end:
            raise SystemExit(f"gave up: {companion.hub.state()['live']['message']}")
        time.sleep(0.005)


if __name__ == "__main__":
    main()
