"""Properties of a match under any order of events, likely and unlikely ones."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee import events as e
from referee.events import FACTS, Event, Fact
from referee.faults import Fault
from referee.layout import Layout
from referee.match import START, MatchError, MatchState, Phase, Stage, apply, check, possible, replay
from referee.results import Rack, value_bounds
from referee.sheets import NAMES, from_mapping
from referee.tiles import ALL_TILES, Tile

ABOUT = ("undo", "redo", "correction")
RARE = ("undo", "redo", "correction", "abandoned", "clock-paused")
FAULT = Fault("set-too-short", (Tile.parse("r5"),), "r5: one tile is no set", 1)


class Walk:
    """Draws facts that may or may not be possible now, leaning to those that are."""

    def __init__(self, rng: random.Random, rules: str, without: tuple[str, ...]) -> None:
        self.rng = rng
        self.without = without
        small: dict[str, Any] = {"base": rules, "players_least": 2, "players_most": 6}
        self.names = tuple("ABC"[: rng.choice([2, 2, 3])])
        if rng.random() < 0.7:  # small boxes reach the ends of games and matches
            small |= {
                "copies": 1,
                "jokers": rng.choice([0, 0, 1, 2]),
                "tiles_dealt": rng.choice([3, 5, 52 // len(self.names)]),
            }
        self.sheet = from_mapping(small)
        self.ids: list[str] = []

    def fact(self, state: MatchState) -> Fact:
        likely = possible(state) if self.rng.random() < 0.9 else FACTS
        kinds = sorted(set(likely) - set(self.without)) or sorted(set(FACTS) - set(self.without))
        weights = [0.2 if k in RARE else 1.0 for k in kinds]
        return self.of(self.rng.choices(kinds, weights)[0], state)

    def of(self, kind: str, state: MatchState) -> Fact:
        rng = self.rng
        anybody = rng.choice([*self.names, "Z"]) if rng.random() < 0.1 else rng.choice(self.names)
        turn = state.turns + (rng.random() < 0.03)
        held = dict(state.racks).get(anybody, 0)
        makers: dict[str, Callable[[], Fact]] = {
            "players": lambda: e.Players(self.names, self.sheet),
            "seats": lambda: e.Seats(tuple(rng.sample(self.names, len(self.names)))),
            "opening-draw": lambda: e.OpeningDraw(anybody, rng.choice(ALL_TILES)),
            "deal": lambda: e.Deal(None if state.first else anybody),
            "turn-started": lambda: e.TurnStarted(turn + 1, state.next or anybody),
            "clock-paused": lambda: e.ClockPaused(turn),
            "clock-resumed": lambda: e.ClockResumed(turn),
            "time-over": lambda: e.TimeOver(turn),
            "table-judged": lambda: self.table(state, turn),
            "draw": lambda: e.Draw(turn, rng.choice([None, None, 1])),
            "penalty": lambda: e.Penalty(turn),
            "pass": lambda: e.Pass(turn),
            "out": lambda: e.Out(turn),
            "blocked": lambda: e.Blocked(rng.random() < 0.5),
            "abandoned": lambda: e.Abandoned(),
            "racks-counted": lambda: e.RacksCounted(tuple(self.racks(state))),
            "table-corrected": lambda: e.TableCorrected(self.more(state.table, rng.randrange(2)), anybody),
            "rack-corrected": lambda: e.RackCorrected(anybody, abs(held + rng.choice([0, 0, -1, 1]))),
            "opening-corrected": lambda: e.OpeningCorrected(anybody, rng.random() < 0.5),
            "correction": lambda: self.correction(state),
            "undo": lambda: e.Undo(rng.choice([None, None, *self.ids[-3:]])),
            "redo": e.Redo,
        }
        return makers[kind]()

    def more(self, layout: Layout, tiles: int) -> Layout:
        """The same table with tiles more on it, in a set of their own."""
        box = [t for t in ALL_TILES for _ in range(self.sheet.jokers if t.is_joker else self.sheet.copies)]
        for t in layout.tiles.elements():
            if t in box:
                box.remove(t)
        row = tuple(self.rng.sample(box, min(tiles, len(box))))
        return Layout((*layout.sets, row)) if row else layout

    def table(self, state: MatchState, turn: int) -> Fact:
        before = state.turn.before if state.turn else state.table
        held = state.rack(state.turn.player) if state.turn else 3
        chance = self.rng.random()
        if chance < 0.2:
            return e.TableJudged(turn, self.more(before, 2), (FAULT,))
        if chance < 0.3:
            return e.TableJudged(turn, before, (replace(FAULT, code="nothing-played"),))
        return e.TableJudged(turn, self.more(before, self.rng.choice([3, held, held, 4])))

    def racks(self, state: MatchState) -> Iterator[tuple[str, Rack]]:
        for name, tiles in state.racks:
            if name != state.winner and name not in dict(state.counted) and self.rng.random() < 0.8:
                yield name, Rack(sum(value_bounds(self.sheet, tiles)) // 2)

    def correction(self, state: MatchState) -> Fact:
        past = [event for event in state.history() if event.fact.kind not in ("players",)]
        if not past:
            return e.Correction("nothing", e.Blocked())
        event = self.rng.choice(past)
        return e.Correction(event.id, self.of(event.fact.kind, state) if self.rng.random() < 0.5 else event.fact)


def walk(
    seed: int, rules: str, steps: int, without: tuple[str, ...] = ()
) -> Iterator[tuple[MatchState, Event, MatchState | None]]:
    """States, events tried on them, and what they led to; None where the event was refused."""
    rng = random.Random(seed)
    draws, state, at = Walk(rng, rules, without), START, 1_000_000
    for number in range(steps):
        at += rng.choice([0, 500, 70_000, -50])
        event = Event(f"e{number}", at, draws.fact(state), rng.choice([None, None, 0]))
        try:
            after = apply(state, event)
        except MatchError as error:
            assert error.reason and "\n" not in str(error)
            yield state, event, None
            continue
        yield state, event, after
        state = after
        draws.ids.append(event.id)


walks = given(st.integers(0, 2**32), st.sampled_from(NAMES))


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@walks
def test_any_order_of_events_is_refused_or_leaves_a_valid_state(seed: int, rules: str) -> None:
    for before, event, after in walk(seed, rules, 120):
        if after is None:
            continue
        assert check(after) == [], event
        assert event.fact.kind in possible(before)
        if after.phase in (Phase.READY, Phase.TURN, Phase.COUNTING):
            on_racks = sum(tiles for _, tiles in after.racks)
            assert after.pool + on_racks + sum(after.table.tiles.values()) == after.rules.tiles
        assert sum(after.scores.totals) == 0 if after.sheet else after == START


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@walks
def test_the_record_alone_gives_the_same_match(seed: int, rules: str) -> None:
    record = [(event, after) for _, event, after in walk(seed, rules, 120) if after is not None]
    documents = json.loads(json.dumps([event.json() for event, _ in record]))
    state = replay(map(Event.parse, documents))
    assert state == (record[-1][1] if record else START)
    # what counts, replayed by itself, leads to the same facts; only the clock remembers that it was stopped
    again = replay(state.history())
    assert replace(again, clock=START.clock) == replace(state, clock=START.clock)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@walks
def test_undo_then_redo_is_the_same_state_and_undo_the_one_before(seed: int, rules: str) -> None:
    for before, event, after in walk(seed, rules, 60):
        if after is None or isinstance(event.fact, e.Undo | e.Redo):
            continue
        undone = apply(after, Event("u", event.at, e.Undo()))
        assert replace(undone, clock=before.clock) == before and check(undone) == []
        assert undone.clock.left <= max(before.clock.left, before.clock.limit)
        again = apply(undone, Event("r", event.at, e.Redo()))
        assert again == after and again.history() == after.history()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@walks
def test_states_survive_json(seed: int, rules: str) -> None:
    for _, _, after in walk(seed, rules, 40):
        if after is not None:
            assert MatchState.parse(json.loads(json.dumps(after.json()))) == after


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@walks
def test_a_correction_is_as_if_it_had_been_right_at_once(seed: int, rules: str) -> None:
    for before, event, after in walk(seed, rules, 80):
        if after is None or not isinstance(event.fact, e.Correction):
            continue
        fact = event.fact
        right = [replace(old, fact=fact.fact) if old.id == fact.event else old for old in before.history()]
        assert list(after.history()) == right
        assert replace(replay(right), clock=START.clock) == replace(after, clock=START.clock)


def test_the_walks_reach_every_kind_phase_and_stage() -> None:
    kinds, phases, stages = set(), set(), set()
    for seed in range(60):
        for _, event, after in walk(seed, NAMES[seed % 4], 120):
            if after is not None:
                kinds.add(event.fact.kind)
                phases.add(after.phase)
                stages.add(after.turn.stage if after.turn else Stage.PLAYING)
    assert kinds == set(FACTS) and phases == set(Phase) and stages == set(Stage)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@walks
def test_a_rack_is_what_was_dealt_plus_drawn_minus_laid(seed: int, rules: str) -> None:
    racks: dict[str, int] = {}
    drawn = laid = 0
    for before, event, after in walk(seed, rules, 80, without=("table-corrected", "rack-corrected", *ABOUT)):
        if after is None:
            continue
        if isinstance(event.fact, e.Deal):
            racks, drawn, laid = dict.fromkeys(after.players, after.rules.tiles_dealt), 0, 0
        done = after.last
        if done is not None and done != before.last:
            racks[done.player] += done.drawn - done.laid
            drawn, laid = drawn + done.drawn, laid + done.laid
        if after.phase is Phase.READY:
            dealt = after.rules.tiles_dealt * len(racks)
            assert dict(after.racks) == racks and after.pool == after.rules.tiles - dealt - drawn
            assert sum(after.table.tiles.values()) == laid
