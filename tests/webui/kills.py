"""A player that plays whatever is lawful until it is killed, forked from one process that has imported everything.

Started as a program it reads lines ``ADDRESS SEED OFFSET IDLE`` (JSON), and forks a player for each. The player writes
one line when it has gone on with the match, one before its clock jumps, one after each thing that was kept, and one
now and then while the clock runs.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import webui.engines
from referee.clock import ClockPhase
from referee.layout import Layout
from referee.match import Phase, Stage, possible
from referee.results import Rack, value_bounds
from referee.sheets import load
from webui.matches import DatabaseMatches, FileMatches, Matches
from webui.play import Play, PlayError, Table

TABLES = ("", "r10 r11 r12", "r10 r11 r12 | k11 b11 o11", "r10 r11 r12 r13 | k11 b11 o11", "r10 r11", "k1 k2 k4 k5")
"""Legal and not, in an order in which each may follow the one before."""


def open_matches(address: str, folder: Path) -> Matches:
    return DatabaseMatches(address, folder) if address else FileMatches(folder)


def say(kind: str, play: Play | None = None, **more: Any) -> None:
    """One line, at once and whole: what is written to a pipe before the kill is read after it."""
    if play is not None:
        clock = play.clock.phase
        more |= {"events": len(play.events), "last": play.events[-1].id if play.events else "", "clock": clock.value}
        more |= {"left": play.clock.left, "at": time.monotonic()}
    os.write(1, (json.dumps({"said": kind, **more}) + "\n").encode())


def press_something(play: Play, dice: random.Random) -> None:
    """One lawful or unlawful press; what is refused changes nothing."""
    state, turn = play.state, play.state.turn
    table = Table(Layout.parse(dice.choice(TABLES)))
    presses: list[Any] = []
    if state.phase is Phase.SEATED:
        presses = [lambda: play.deal(dice.choice(state.players))] * 6
    elif state.phase is Phase.FINISHED:
        presses = [play.undo]
    elif state.phase is Phase.COUNTING:
        for name in (n for n in state.players if n != state.winner and n not in dict(state.counted)):
            least, most = value_bounds(state.rules, state.rack(name))
            presses += [partial(play.count, name, Rack(dice.randint(least, most)))] * 3
    elif turn is not None and turn.stage is Stage.OUT:
        presses = [play.out]
    elif turn is not None:
        presses = [lambda: play.end(table), lambda: play.draw(None if turn.time_over else table), play.penalty] * 2
        presses += [play.pause, play.resume, play.resume, lambda: play.abandon("dice")]
    if "rack-corrected" in possible(state):
        presses.append(lambda: play.correct_rack(dice.choice(state.players), dice.randint(1, 14)))
    if dice.random() < 0.1:
        presses = [play.undo, play.redo]
    dice.choice(presses)()


def play_until_killed(address: str, folder: Path, seed: int, offset: int, idle: bool) -> None:
    dice, shift = random.Random(seed), offset
    matches = open_matches(address, folder)
    play = Play(
        matches.latest() or matches.new(),
        lambda: time.monotonic() + shift,
        lambda: time.time_ns() // 1_000_000 + 1000 * shift,
    )
    say("resumed", play)
    if play.state.phase is Phase.EMPTY:
        play.start(["Anna", "Ben", "Cleo"], load("classic"), "Ben")
        say("kept", play)
    if idle and play.clock.phase is ClockPhase.PAUSED:
        play.resume()
        say("kept", play)
    while True:
        if idle and play.clock.phase is ClockPhase.RUNNING:
            play.tick()
            say("beat", play)
            time.sleep(0.02)
            continue
        try:
            if dice.random() < 0.05:
                shift += 61
                say("jump", offset=shift)
            if play.tick():
                say("kept", play)
                play.time_over(Table(Layout.parse(dice.choice(TABLES))))
            press_something(play, dice)
        except PlayError:
            continue
        say("kept", play)
        if dice.random() < 0.2:
            time.sleep(0.05)  # else nearly every kill comes while something is being written


def main() -> None:
    webui.engines.PATIENCE_S = 10.0
    for line in sys.stdin:
        address, folder, seed, offset, idle = json.loads(line)
        pid = os.fork()
        if not pid:
            try:
                play_until_killed(address, Path(folder), seed, offset, idle)
            except BaseException as error:
                say("failed", error=f"{type(error).__name__}: {error}")
            finally:
                os._exit(1)
        say("forked", pid=pid)
        os.waitpid(pid, 0)
        say("dead")


if __name__ == "__main__":
    main()
