"""How long a whole match takes to derive from its events. ``python tests/bench/bench_match.py``."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from machine import machine

from referee.events import (
    ClockPaused,
    ClockResumed,
    Correction,
    Deal,
    Draw,
    Event,
    Fact,
    OpeningDraw,
    Out,
    Pass,
    Penalty,
    Players,
    RacksCounted,
    Redo,
    TableJudged,
    TimeOver,
    TurnStarted,
    Undo,
)
from referee.faults import Fault
from referee.layout import Layout
from referee.match import START, MatchState, Phase, apply, replay
from referee.results import Rack, value_bounds
from referee.sheets import load
from referee.tiles import Tile

BOUND_MS = 50.0
NAMES = ("Anna", "Ben", "Carl", "Dora")
FAULT = (Fault("set-too-short", (Tile("r", 9), Tile("k", 9)), "r9 k9: two tiles are no set"),)


class Recorder:
    """Plays a match of four on paper and keeps its events."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.state: MatchState = START
        self.events: list[Event] = []
        self.at = 1_700_000_000_000

    def add(self, fact: Fact, wait: int = 900) -> None:
        self.at += wait
        event = Event(f"event-{len(self.events):05}", self.at, fact)
        self.state = apply(self.state, event)
        self.events.append(event)

    def game(self, turns: int) -> None:
        """One game: groups are laid now and then, each turn ends in one of the ways there are."""
        if self.state.first is None and not self.state.games:
            for name, tile in zip(NAMES, ("r3", "k9", "b2", "o7"), strict=True):
                self.add(OpeningDraw(name, Tile.parse(tile)))
        self.add(Deal(None if self.state.first else self.rng.choice(NAMES)))
        groups = [[Tile(c, n) for c in "kbro"] for n in range(1, 14) for _ in range(2)]
        self.rng.shuffle(groups)
        table: list[list[Tile]] = []
        for number in range(turns):
            self.turn(number, table, groups, last=number == turns - 1)
            if self.state.phase is Phase.COUNTING:
                break
        racks = []
        for name, tiles in self.state.racks:
            if name != self.state.winner:
                racks.append((name, Rack(value_bounds(self.state.rules, tiles)[0] + tiles)))
        self.add(RacksCounted(tuple(racks)))

    def turn(self, number: int, table: list[list[Tile]], groups: list[list[Tile]], last: bool) -> None:
        assert self.state.next is not None
        player, rng = self.state.next, self.rng
        self.add(TurnStarted(self.state.turns + 1, player))
        at = self.state.turns
        if number % 17 == 5:
            self.add(ClockPaused(at, "ruling"))
            self.add(ClockResumed(at))
        held = self.state.rack(player)
        if last:
            # The end: the rack is emptied, in fours as far as they go; the match takes the referee's word.
            while held:
                group = groups.pop()[:held]
                table.append(group)
                held -= len(group)
            self.add(TableJudged(at, Layout(tuple(map(tuple, table)))))
            self.add(Out(at))
        elif number % 23 == 7:
            self.add(TimeOver(at), wait=60_000)
            self.add(TableJudged(at, Layout(tuple(map(tuple, table))), FAULT))
            self.add(Penalty(at))
        elif groups and held > 12 and rng.random() < 0.6:
            if rng.random() < 0.2:
                self.add(TableJudged(at, Layout((*map(tuple, table), tuple(groups[-1][:2]))), FAULT))
            table.append(groups.pop())
            self.add(TableJudged(at, Layout(tuple(map(tuple, table)))))
        else:
            self.add(Draw(at) if self.state.pool else Pass(at))
            if rng.random() < 0.05:
                self.add(Undo())
                self.add(Redo())


def record(seed: int, turns: int) -> list[Event]:
    """A match of four games with its turns, rulings, penalties, undos and a correction of every game."""
    recorder = Recorder(seed)
    recorder.add(Players(NAMES, load("classic")))
    for _ in range(4):
        recorder.game(turns)
        counted = recorder.events[-1]
        assert isinstance(counted.fact, RacksCounted)
        recorder.add(Correction(counted.id, counted.fact))
    assert recorder.state.phase is Phase.FINISHED
    return recorder.events


def best_of(times: int, act: Callable[[], object]) -> float:
    """Process milliseconds of the quickest of several goes."""
    found = []
    for _ in range(times):
        start = time.process_time()
        act()
        found.append((time.process_time() - start) * 1000)
    return min(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20)
    args = parser.parse_args()
    events = record(args.seed, turns=41)
    judged = [e.fact for e in events if isinstance(e.fact, TableJudged)]
    documents = [event.json() for event in events]
    replayed = best_of(args.rounds, lambda: replay(events))
    parsed = best_of(args.rounds, lambda: replay(map(Event.parse, documents)))
    state = replay(events)
    one = best_of(args.rounds, lambda: apply(state, Event("x", 0, Undo())))
    print(machine())
    largest = max(sum(len(row) for row in fact.layout.sets) for fact in judged)
    print(f"a match of 4 games, {len(events)} events, {len(judged)} tables of up to {largest} tiles")
    print(f"replay              {replayed:7.1f} ms (best of {args.rounds}, bound {BOUND_MS:.0f} ms)")
    print(f"parse and replay    {parsed:7.1f} ms")
    print(f"undo of one event   {one:7.3f} ms")
    return 0 if replayed <= BOUND_MS else 1


if __name__ == "__main__":
    sys.exit(main())
