"""The clock: one deadline, races, restarts, and a source that misbehaves."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.clock import Clock, ClockError, ClockPhase, ClockState, ListedTimes

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Hand:
    """A time source that the test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_it_runs_down_and_ends_once(hand: Hand) -> None:
    clock = Clock(hand)
    assert clock.left is None and clock.phase is ClockPhase.OFF and not clock.expire()
    clock.start(60_000)
    hand.now = 59.999
    assert clock.left == 1 and not clock.expire()
    hand.now = 60.0
    assert clock.left == 0 and clock.phase is ClockPhase.RUNNING
    assert [clock.expire() for _ in range(3)] == [True, False, False]
    assert clock.left == 0 and clock.phase is ClockPhase.EXPIRED


def test_a_ruling_stops_it_and_it_goes_on_from_where_it_stood(hand: Hand) -> None:
    clock = Clock(hand)
    clock.start(60_000)
    hand.now = 20.0
    assert clock.pause() == 40_000
    hand.now = 500.0
    assert clock.left == 40_000 and not clock.expire()
    assert clock.resume() == 40_000
    hand.now = 539.0
    assert clock.left == 1_000 and not clock.expire()
    hand.now = 540.0
    assert clock.expire()


def test_an_hour_of_small_pauses_loses_nothing(hand: Hand) -> None:
    clock = Clock(hand)
    clock.start(3_600_000)
    for second in range(1, 3_600):
        hand.now = second
        clock.pause()
        clock.resume()
    assert clock.left == 1_000


def test_what_it_refuses(hand: Hand) -> None:
    clock = Clock(hand)
    for act in (clock.pause, clock.resume):
        with pytest.raises(ClockError, match="it is off"):
            act()
    clock.start(1_000)
    with pytest.raises(ClockError, match="it is running"):
        clock.resume()
    hand.now = 1.0
    with pytest.raises(ClockError, match="time is over"):
        clock.pause()
    assert clock.expire()
    with pytest.raises(ClockError, match="it is expired"):
        clock.pause()
    with pytest.raises(ClockError, match="a turn of -1 ms"):
        clock.start(-1)


def test_a_turn_without_a_clock(hand: Hand) -> None:
    clock = Clock(hand)
    clock.start(None)
    hand.now = 1e6
    assert clock.left is None and not clock.expire() and clock.stop() == 0
    assert clock.state(5) == ClockState()


def test_the_next_turn_has_its_own_end(hand: Hand) -> None:
    clock = Clock(hand)
    clock.start(1_000)
    hand.now = 5.0
    clock.start(1_000)
    assert not clock.expire()
    hand.now = 6.0
    assert clock.expire()
    clock.start(2_000)
    hand.now = 6.5
    assert clock.stop() == 1_500
    hand.now = 99.0
    assert not clock.expire()


def test_a_source_that_steps_back_gives_no_time(hand: Hand) -> None:
    clock = Clock(hand)
    hand.now = 100.0
    clock.start(10_000)
    hand.now = 104.0
    assert clock.left == 6_000
    hand.now = 50.0
    assert clock.left == 6_000


@pytest.mark.parametrize("round_", range(20))
def test_threads_race_and_one_of_them_calls_time(round_: int) -> None:
    hand = Hand()
    clock = Clock(hand)
    clock.start(1_000)
    start, got = threading.Barrier(8), []

    def poll() -> None:
        start.wait()
        for step in range(200):
            hand.now = max(hand.now, 0.9 + step / 1000)
            if clock.expire():
                got.append(step)

    threads = [threading.Thread(target=poll) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 1


def test_pausing_and_the_end_race_and_only_one_of_them_happens() -> None:
    for _ in range(50):
        times = ListedTimes([0.0] + [0.999] * 3 + [1.0])
        clock = Clock(times)
        clock.start(1_000)
        start, happened = threading.Barrier(6), []

        def stop(start: threading.Barrier = start, clock: Clock = clock, happened: list[str] = happened) -> None:
            start.wait()
            try:
                clock.pause()
                happened.append("paused")
            except ClockError:
                pass

        def end(start: threading.Barrier = start, clock: Clock = clock, happened: list[str] = happened) -> None:
            start.wait()
            for _ in range(5):
                if clock.expire():
                    happened.append("expired")

        threads = [threading.Thread(target=act) for act in (stop, end) * 3]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(happened) == 1 and clock.phase == happened[0]


def test_it_survives_a_restart_paused_at_what_was_left() -> None:
    running = ClockState.started(60_000, at=1_000_000)
    clock = Clock(Hand())
    assert clock.restore(running, at=1_015_000) == 45_000
    assert clock.phase is ClockPhase.PAUSED and clock.left == 45_000
    assert clock.resume() == 45_000
    for state in (ClockState(), running.expired(1_060_000), running.paused(7, 1_059_993)):
        assert clock.restore(state, at=9_999_999) == state.left and clock.phase is state.phase


def test_a_restart_after_the_end_that_nobody_called() -> None:
    clock = Clock(Hand())
    assert clock.restore(ClockState.started(60_000, at=0), at=60_000) == 0
    assert clock.resume() == 0 and clock.expire() and not clock.expire()


def test_the_state_of_a_live_clock(hand: Hand) -> None:
    clock = Clock(hand)
    clock.start(60_000)
    hand.now = 12.5
    state = clock.state(at=777)
    assert state == ClockState(ClockPhase.RUNNING, 60_000, 47_500, 777)
    assert state.left_at(1_777) == 46_500 and state.left_at(0) == 47_500 and state.left_at(10**9) == 0


def test_a_state_changes_only_where_it_can() -> None:
    off, run = ClockState(), ClockState.started(100, at=0)
    assert ClockState.started(None, at=5) == off.paused(3, 4) == off.resumed(4) == off
    assert run.resumed(9) == run
    assert run.paused(40, 60).resumed(90) == ClockState(ClockPhase.RUNNING, 100, 40, 90)
    over = run.expired(100)
    assert over.paused(5, 101) == over.resumed(101) == over and over.left_at(500) == 0


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"phase": "running"},
        {"phase": "stopped", "limit": 1, "left": 1, "since": 1},
        {"phase": "running", "limit": -1, "left": 1, "since": 1},
        {"phase": "running", "limit": 1.5, "left": 1, "since": 1},
        {"phase": "running", "limit": True, "left": 1, "since": 1},
        [],
    ],
)
def test_a_clock_that_cannot_be(document: Any) -> None:
    with pytest.raises(ClockError):
        ClockState.parse(document)


@patient
@given(st.sampled_from(ClockPhase), st.integers(0, 10**7), st.integers(0, 10**7), st.integers(0, 10**13))
def test_states_survive_json(phase: ClockPhase, limit: int, left: int, since: int) -> None:
    state = ClockState(phase, limit, left, since)
    assert ClockState.parse(json.loads(json.dumps(state.json()))) == state


@patient
@given(st.lists(st.tuples(st.sampled_from(["wait", "pause", "resume", "expire"]), st.integers(0, 700)), max_size=40))
def test_time_passes_only_while_it_runs(steps: list[tuple[str, int]]) -> None:
    hand, clock, ends = Hand(), None, 0
    clock = Clock(hand)
    clock.start(2_000)
    used, millis, running = 0, 0, True
    for what, wait in steps:
        millis += wait
        hand.now = millis / 1000 + 1e-6
        used = min(2_000, used + wait) if running else used
        try:
            if what == "pause":
                clock.pause()
                running = False
            elif what == "resume":
                clock.resume()
                running = True
            elif what == "expire" and clock.expire():
                ends += 1
                running = False
        except ClockError:
            pass
        assert clock.left == 2_000 - used
    assert ends <= 1 and (not ends or used == 2_000)


def test_listed_times() -> None:
    times = ListedTimes([1, 2.5])
    assert [times() for _ in range(4)] == [1, 2.5, 2.5, 2.5]
    with pytest.raises(ClockError, match="at least one"):
        ListedTimes([])
