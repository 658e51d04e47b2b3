"""Undo, redo, looking back, a restart, and the record that gives the same match."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee.clock import ClockPhase, ClockState
from referee.events import (
    Abandoned,
    ClockResumed,
    Correction,
    Deal,
    Draw,
    Event,
    Out,
    Players,
    RackCorrected,
    RacksCounted,
    Redo,
    TableJudged,
    TurnStarted,
    Undo,
)
from referee.layout import Layout
from referee.match import (
    START,
    MatchError,
    Phase,
    apply,
    counting_events,
    last_turn,
    possible,
    replay,
    stop_after_restart,
    turns_done,
)
from referee.results import Rack
from referee.sheets import load, with_options
from referee.state import TurnDone, TurnEnd

sys.path.insert(0, str(Path(__file__).parent))
from matchplay import NAMES, SHORT, Match, dealt, seated, won

# Undo and redo


def test_undo_of_the_last_turn_gives_it_back_with_the_clock_where_it_was() -> None:
    match = dealt().start()
    match(TableJudged(1, Layout.parse("r10 r11 r12")), wait=20_000).start()
    ended = last_turn(match.state)
    assert ended == match.ids[-2]
    match(Undo(ended), wait=300_000)
    assert match.state.turn is not None and match.state.turn.player == "A" and match.state.rack("A") == 14
    assert match.state.clock == ClockState(ClockPhase.PAUSED, 60_000, 40_000, 1_000_000 + 3_000 + 20_000)
    match(ClockResumed(1)).draws()
    assert match.state.rack("A") == 15


def test_undo_takes_the_live_clock_at_its_word() -> None:
    match = dealt().start()(TableJudged(1, Layout.parse("r10 r11 r12")), left=12_345)(Undo())
    assert match.state.clock.left == 12_345


def test_undo_and_redo() -> None:
    match = dealt().start().judged("r10 r11 r12").start()
    states = [match.state]
    for _ in range(3):
        match(Undo(), wait=0)
        states.append(match.state)
    for state in reversed(states[:-1]):
        match(Redo(), wait=0)
        assert match.state == state
    match.refuses("nothing-to-redo", Redo())
    match(Undo(), Undo(), Draw(1))
    match.refuses("nothing-to-redo", Redo())


def test_redo_later_gives_the_time_that_was_left() -> None:
    match = dealt().start().draws().start()
    left = match.state.clock.left_at(match.at + 1_000)
    match(Undo())(Redo(), wait=900_000)
    assert match.state.clock.phase is ClockPhase.RUNNING and match.state.clock.left_at(match.at) == left


def test_corrections_know_that_an_undo_stopped_the_clock() -> None:
    match = dealt().start().draws().start()
    first = match.ids[2]
    match(TableJudged(2, Layout.parse("r1 r2"), (SHORT,)), wait=10_000)(Undo())(ClockResumed(2), wait=60_000)
    assert match.state.clock.left_at(match.at + 5_000) == 45_000
    match(Correction(first, TurnStarted(1, "A")))
    assert match.state.clock.left_at(match.at + 4_000) == 45_000
    match(Undo(match.ids[4]))(Redo(), wait=500_000)(Correction(first, TurnStarted(1, "A")))
    assert match.state.clock.phase is ClockPhase.RUNNING and match.state.clock.left_at(match.at) == 47_000


def test_a_correction_of_the_clock_itself_starts_it_anew() -> None:
    match = dealt().start()
    match(Correction(match.ids[0], Players(NAMES, with_options(load("classic"), ["clock=90"]))))
    assert match.state.clock == ClockState(ClockPhase.RUNNING, 90_000, 90_000, match.at - 1_000)


def test_undo_back_to_an_event_and_what_is_not_there() -> None:
    match = Match().refuses("nothing-to-undo", Undo()).refuses("no-such-event", Undo("e0"))
    match(Players(NAMES, load("classic")), Deal("A")).start().draws()
    match.refuses("no-such-event", Undo("e99"))(Undo("e1"))
    assert match.state.phase is Phase.SEATED
    match.refuses("no-such-event", Undo("e1"))(Redo())
    assert match.state.phase is Phase.READY and match.state.rack("A") == 15
    match(Undo("e0"))
    assert match.state == START


def test_last_turn() -> None:
    match = dealt()
    assert last_turn(match.state) is None
    match.start()
    assert last_turn(match.state) is None
    match.draws()(RackCorrected("C", 13))
    assert last_turn(match.state) == match.ids[-2]
    match.start().judged("r1 r2", SHORT)
    assert last_turn(match.state) == match.ids[-4]


def test_looking_back() -> None:
    match = dealt().start().judged("r10 r11 r12").start().draws().start().judged("r1 r2", SHORT)
    assert [done for _, done in turns_done(match.state)] == [
        TurnDone(1, "A", TurnEnd.PLAYED, laid=3, left=59_000),
        TurnDone(2, "B", TurnEnd.DREW, drawn=1, left=59_000),
    ]
    assert [event.id for event, _ in turns_done(match.state)] == [match.ids[3], match.ids[5]]
    assert match.state.line()[3][1].table == Layout.parse("r10 r11 r12") and turns_done(START) == ()


def test_the_events_that_counted_each_game() -> None:
    match = won(seated(tiles_dealt=3), B=10, C=20)(Deal("A"), Abandoned(), Deal("A")).start()
    match.judged("r10 r11 r12")(Out(match.t))
    match(RacksCounted((("B", Rack(5)),)), RacksCounted((("C", Rack(6)),)))
    ids = [[event.id for event in events] for events in counting_events(match.state)]
    assert ids == [[match.ids[5]], [], match.ids[-2:]]
    match(Correction(ids[2][0], RacksCounted((("B", Rack(50)),))))
    assert match.state.scores.totals == (30 + 56, -60, -26)


def test_a_restart_stops_the_clock_at_what_was_left() -> None:
    match = dealt()
    assert stop_after_restart(match.state, "x", match.at) is None
    match.start()
    state = replay(match.record)
    event = stop_after_restart(state, "restart", match.at + 13_000)
    assert event is not None and event.left == 47_000
    stopped = apply(state, event)
    assert stopped.clock == ClockState(ClockPhase.PAUSED, 60_000, 47_000, match.at + 13_000)
    assert stop_after_restart(stopped, "y", match.at) is None
    resumed = apply(stopped, Event("on", match.at + 10**8, ClockResumed(1)))
    assert resumed.clock.left_at(match.at + 10**8 + 7_000) == 40_000


def test_the_record_replays_to_the_same_state_and_names_what_cannot_be() -> None:
    match = won(seated(tiles_dealt=3), B=10, C=20)(Undo(), Redo())
    assert replay(match.record) == match.state
    assert [e.id for e in match.state.history()] == match.ids[:6]
    with pytest.raises(MatchError, match=r"^event e1 \(deal\): not now: nobody plays yet"):
        replay(match.record[1:])


def test_possible() -> None:
    assert possible(START) == {"players"}
    match = seated()
    assert {"seats", "opening-draw", "deal", "undo"} <= possible(match.state)
    match = dealt().start()
    assert {"clock-paused", "time-over", "table-judged", "draw"} <= possible(match.state)
    assert not {"pass", "penalty", "out", "clock-resumed", "redo"} & possible(match.state)
    assert "redo" in possible(match(Undo()).state)
