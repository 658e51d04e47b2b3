"""The clock of a turn: one monotonic deadline, an injected time source, and what the events know of it.

RULES.md, "Profiles", row "clock", and the house procedures of 001: it stops while a ruling is discussed and
goes on from where it stood. `Clock` is the live one, `ClockState` the value that the match derives from its
events.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

TimeSource = Callable[[], float]
"""Seconds from anywhere that never run backwards, such as `time.monotonic`."""


class ClockError(ValueError):
    """What this clock cannot do now; the text says why."""


class ClockPhase(StrEnum):
    """``off`` no clock in this turn, ``paused`` it stands, ``expired`` its end was called out."""

    OFF = "off"
    RUNNING = "running"
    PAUSED = "paused"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True)
class ClockState:
    """A clock as an event left it: ``left`` of ``limit`` ms at the wall time ``since`` (ms of the epoch)."""

    phase: ClockPhase = ClockPhase.OFF
    limit: int = 0
    left: int = 0
    since: int = 0

    @classmethod
    def started(cls, limit: int | None, at: int) -> ClockState:
        """A full clock of ``limit`` ms that runs from ``at``; None is no clock."""
        return cls() if limit is None else cls(ClockPhase.RUNNING, limit, limit, at)

    def left_at(self, at: int) -> int:
        """Milliseconds left at a wall time; a wall clock set back gives no time."""
        if self.phase is not ClockPhase.RUNNING:
            return self.left
        return max(0, self.left - max(0, at - self.since))

    def paused(self, left: int, at: int) -> ClockState:
        """Standing at ``left`` ms; off and expired stay what they are."""
        if self.phase in (ClockPhase.OFF, ClockPhase.EXPIRED):
            return self
        return ClockState(ClockPhase.PAUSED, self.limit, left, at)

    def resumed(self, at: int) -> ClockState:
        """Running on from where it stood."""
        if self.phase is not ClockPhase.PAUSED:
            return self
        return ClockState(ClockPhase.RUNNING, self.limit, self.left, at)

    def expired(self, at: int) -> ClockState:
        """At its end."""
        return ClockState(ClockPhase.EXPIRED, self.limit, 0, at)

    def json(self) -> dict[str, Any]:
        """As JSON holds it; `ClockState.parse` reads it back."""
        return {"phase": self.phase.value, "limit": self.limit, "left": self.left, "since": self.since}

    @classmethod
    def parse(cls, document: dict[str, Any]) -> ClockState:
        """From `ClockState.json`. Raises `ClockError`."""
        try:
            numbers = [document[key] for key in ("limit", "left", "since")]
            if any(type(n) is not int or n < 0 for n in numbers):
                raise ClockError("a clock's limit, left and since are whole milliseconds from 0 up")
            return cls(ClockPhase(document["phase"]), *numbers)
        except (KeyError, TypeError, ValueError) as error:
            raise ClockError(f"no clock: {error}") from None


class Clock:
    """The live clock of a table: any thread may ask and act, and its end comes exactly once a turn.

    Pages and the referee only read it; whoever polls it calls `expire`, and the one caller that gets True
    says so to the match. It counts whole milliseconds.
    """

    def __init__(self, source: TimeSource = time.monotonic) -> None:
        self._source = source
        self._lock = threading.Lock()
        self._latest = 0
        self._phase = ClockPhase.OFF
        self._limit = 0
        self._left = 0  # while it does not run
        self._deadline = 0  # while it runs

    def start(self, limit: int | None) -> None:
        """A new turn of ``limit`` milliseconds, whatever went before; None is a turn without a clock."""
        if limit is not None and limit < 0:
            raise ClockError(f"a turn of {limit} ms")
        with self._lock:
            self._limit = self._left = limit or 0
            self._phase = ClockPhase.OFF if limit is None else ClockPhase.RUNNING
            self._deadline = self._now() + self._left

    def pause(self) -> int:
        """Stop it and give what is left. Raises `ClockError` unless it runs and has time left."""
        with self._lock:
            if self._phase is not ClockPhase.RUNNING:
                raise ClockError(f"the clock cannot stop: it is {self._phase}")
            left = self._remaining()
            if left == 0:
                raise ClockError("the clock cannot stop: time is over")
            self._phase, self._left = ClockPhase.PAUSED, left
            return left

    def resume(self) -> int:
        """Go on from where it stood and give what is left. Raises `ClockError` unless it stands."""
        with self._lock:
            if self._phase is not ClockPhase.PAUSED:
                raise ClockError(f"the clock cannot go on: it is {self._phase}")
            self._phase, self._deadline = ClockPhase.RUNNING, self._now() + self._left
            return self._left

    def stop(self) -> int:
        """The turn is over: no clock until the next start. Gives what was left, 0 without a clock."""
        with self._lock:
            left = self._remaining()
            self._phase, self._left = ClockPhase.OFF, 0
            return left

    def expire(self) -> bool:
        """True for exactly one caller once the deadline has passed, however many ask."""
        with self._lock:
            if self._phase is not ClockPhase.RUNNING or self._remaining() > 0:
                return False
            self._phase, self._left = ClockPhase.EXPIRED, 0
            return True

    def restore(self, state: ClockState, at: int) -> int:
        """After a restart, from its events: paused at what was left, and that is given.

        ``at`` is the wall time (ms) until which the clock is known to have run: the time of the last event or
        of the last sign of life. The time the machine was off costs nobody anything.
        """
        with self._lock:
            self._limit, self._left = state.limit, state.left_at(at)
            self._phase = ClockPhase.PAUSED if state.phase is ClockPhase.RUNNING else state.phase
            return self._left

    @property
    def phase(self) -> ClockPhase:
        """Running until its end was called out, also when the deadline has just passed."""
        with self._lock:
            return self._phase

    @property
    def left(self) -> int | None:
        """Milliseconds left, 0 once the deadline has passed; None without a clock."""
        with self._lock:
            return None if self._phase is ClockPhase.OFF else self._remaining()

    def state(self, at: int) -> ClockState:
        """What it shows now, stamped with the wall time ``at`` (ms) for pages that draw it."""
        with self._lock:
            if self._phase is ClockPhase.OFF:
                return ClockState()
            return ClockState(self._phase, self._limit, self._remaining(), at)

    def _remaining(self) -> int:
        if self._phase is not ClockPhase.RUNNING:
            return self._left
        return max(0, self._deadline - self._now())

    def _now(self) -> int:
        # A source that steps back must not give time back.
        self._latest = max(self._latest, int(self._source() * 1000))
        return self._latest


class ListedTimes:
    """A time source for tests and recorded games: the given seconds one by one, then the last for ever."""

    def __init__(self, seconds: Iterable[float]) -> None:
        self._seconds = list(seconds)
        self._at = 0
        if not self._seconds:
            raise ClockError("a list of times needs at least one")

    def __call__(self) -> float:
        now = self._seconds[min(self._at, len(self._seconds) - 1)]
        self._at += 1
        return now
