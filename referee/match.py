"""A match: a value derived from events that are only ever appended.

`apply` takes a state and an event and gives the next state, or refuses the event with a named reason; nothing
else changes a match. Undo, redo and correction are events too: an undone event stays in the record, a
corrected one is replaced by what it should have said and all that followed is derived anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from referee import endings, events, seating, turns
from referee.clock import ClockPhase
from referee.events import Correction, Event, Fact, Redo, Undo
from referee.sheets import PoolEmpty
from referee.state import Log, MatchError, MatchState, Phase, Stage, Turn, TurnDone, check

__all__ = [
    "START",
    "MatchError",
    "MatchState",
    "Phase",
    "Stage",
    "apply",
    "check",
    "counting_events",
    "last_turn",
    "possible",
    "replay",
    "stop_after_restart",
    "turns_done",
]

START = MatchState()
"""The match before its first event."""

Step = Callable[[MatchState, Any, Event], MatchState]

STEPS: dict[type[Fact], Step] = {
    events.Players: seating.players,
    events.Seats: seating.seats,
    events.OpeningDraw: seating.opening_draw,
    events.Deal: seating.deal,
    events.TurnStarted: turns.turn_started,
    events.ClockPaused: turns.clock_paused,
    events.ClockResumed: turns.clock_resumed,
    events.TimeOver: turns.time_over,
    events.TableJudged: turns.table_judged,
    events.Draw: turns.draw,
    events.Penalty: turns.penalty,
    events.Pass: turns.passed,
    events.Out: turns.out,
    events.Blocked: endings.blocked,
    events.Abandoned: endings.abandoned,
    events.RacksCounted: endings.racks_counted,
    events.TableCorrected: endings.table_corrected,
    events.RackCorrected: endings.rack_corrected,
    events.OpeningCorrected: endings.opening_corrected,
}
"""What each kind of event does to a match; undo, redo and correction are `apply`'s own."""


def apply(state: MatchState, event: Event) -> MatchState:
    """The state after an event. Raises `MatchError` with a named reason; the state given is never changed."""
    if event.id in state.log.ids:
        raise MatchError("seen-before", f"event {event.id!r:.60} is in already")
    ids = state.log.ids | {event.id}
    match event.fact:
        case Undo(event=back_to):
            return _undo(state, event, back_to, ids)
        case Redo():
            if state.log.undone is None:
                raise MatchError("nothing-to-redo", "nothing was undone")
            return _redo(state.log.undone, event.at - state.log.undone_at, ids)
        case Correction():
            return _correct(state, event, event.fact, ids)
    return _step(state, event, ids)


def replay(record: Iterable[Event], state: MatchState = START) -> MatchState:
    """The state after many events. Raises `MatchError` that names the event which cannot be."""
    for event in record:
        try:
            state = apply(state, event)
        except MatchError as error:
            raise MatchError(error.reason, f"event {event.id:.60} ({event.fact.kind}): {error}") from None
    return state


def _step(state: MatchState, event: Event, ids: frozenset[str]) -> MatchState:
    after = STEPS[type(event.fact)](state, event.fact, event)
    return replace(after, log=Log(event, state, event, state, ids=ids))


def _undo(state: MatchState, event: Event, back_to: str | None, ids: frozenset[str]) -> MatchState:
    at, undone = state, state.log.event
    while undone is not None and back_to is not None and undone.id != back_to:
        assert at.log.before is not None
        at = at.log.before
        undone = at.log.event
    if undone is None or at.log.before is None:
        if back_to is None:
            raise MatchError("nothing-to-undo", "nothing has happened yet")
        raise MatchError("no-such-event", f"no event {back_to!r:.60} that counts")
    before = at.log.before
    anew = before
    if before.turn is not None and before.clock.phase is ClockPhase.RUNNING:
        # Time went by since: nobody gains or loses by it, the clock stands at what it showed then.
        stop = Event(event.id, undone.at, events.ClockPaused(before.turn.number, "undo"), undone.left)
        anew = _step(before, stop, ids)
    log = replace(before.log, step=anew.log.step, prior=anew.log.prior, undone=state, undone_at=event.at, ids=ids)
    return replace(anew, log=log)


def _redo(again: MatchState, gone_by: int, ids: frozenset[str]) -> MatchState:
    clock = again.clock
    if clock.phase is ClockPhase.RUNNING:
        # The time between undo and redo is nobody's.
        clock = replace(clock, since=clock.since + max(0, gone_by))
    return replace(again, clock=clock, log=replace(again.log, ids=ids))


def _correct(state: MatchState, event: Event, fact: Correction, ids: frozenset[str]) -> MatchState:
    later: list[Event] = []
    at: MatchState | None = state
    while at is not None and at.log.step is not None and at.log.step.id != fact.event:
        later.append(at.log.step)
        at = at.log.prior
    if at is None or at.log.step is None or at.log.prior is None:
        raise MatchError("no-such-event", f"no event {fact.event!r:.60} that counts")
    wrong = at.log.step
    if type(fact.fact) is not type(wrong.fact):
        raise MatchError("other-kind", f"event {fact.event:.60} is {wrong.fact.kind}, not {fact.fact.kind}")
    anew = at.log.prior
    for step in (replace(wrong, fact=fact.fact), *reversed(later)):
        try:
            anew = _step(anew, step, ids)
        except MatchError as error:
            text = f"with that, event {step.id:.60} ({step.fact.kind}) cannot be: {error}"
            raise MatchError(error.reason, text) from None
    if _same_turn(anew, state):
        anew = replace(anew, clock=state.clock)
    return replace(anew, log=replace(anew.log, event=event, before=state, ids=ids))


def _same_turn(anew: MatchState, state: MatchState) -> bool:
    """Whether a correction left the turn being played as it was, and so its clock too."""
    if anew.turn is None or state.turn is None or anew.clock.limit != state.clock.limit:
        return False
    return (anew.turn.number, anew.turn.time_over) == (state.turn.number, state.turn.time_over)


def possible(state: MatchState) -> frozenset[str]:
    """The kinds of event that may come now, for the buttons of a page; any other kind would be refused."""
    kinds = {f.kind for f in _possible(state)}
    if state.log.event is not None:
        kinds |= {Undo.kind, Correction.kind}
    return frozenset(kinds | {Redo.kind} if state.log.undone is not None else kinds)


def _possible(state: MatchState) -> Iterator[type[Fact]]:
    turn, draws = state.turn, state.draws
    if state.phase is Phase.EMPTY:
        yield events.Players
    elif state.phase is Phase.SEATED:
        yield events.Seats
        if draws is None or draws.pending:
            yield events.OpeningDraw
        if draws is None or not draws.pending:
            yield events.Deal
    elif state.phase is Phase.COUNTING:
        yield from (events.RacksCounted, events.RackCorrected, events.Abandoned)
    elif state.phase in (Phase.READY, Phase.TURN):
        yield from (events.TableCorrected, events.RackCorrected, events.OpeningCorrected, events.Abandoned)
        if state.pool == 0 and (turn is None or turn.stage is Stage.PLAYING):
            yield events.Blocked
        if turn is None and (state.pool or state.rules.pool_empty is not PoolEmpty.ENDS):
            yield events.TurnStarted
    if turn is not None:
        yield from _in_turn(state, turn)


def _in_turn(state: MatchState, turn: Turn) -> Iterator[type[Fact]]:
    if state.clock.phase is ClockPhase.RUNNING:
        yield from (events.ClockPaused, events.TimeOver)
    if state.clock.phase is ClockPhase.PAUSED:
        yield events.ClockResumed
    if turn.stage in (Stage.PLAYING, Stage.BROKEN):
        yield events.TableJudged
    if turn.stage is Stage.BROKEN and (turn.time_over or state.clock.phase is ClockPhase.OFF):
        yield events.Penalty
    if turn.stage is Stage.MUST_DRAW or (turn.stage is Stage.PLAYING and state.pool):
        yield events.Draw
    if turn.stage is Stage.PLAYING and not state.pool:
        yield events.Pass
    if turn.stage is Stage.OUT:
        yield events.Out


def last_turn(state: MatchState) -> str | None:
    """The event that ended the last turn, by id: undoing back to it opens that turn again."""
    at = state
    while at.log.event is not None and at.log.before is not None:
        if at.log.before.turn is not None and (at.turn is None or at.turn.number != at.log.before.turn.number):
            return at.log.event.id
        at = at.log.before
    return None


def turns_done(state: MatchState) -> tuple[tuple[Event, TurnDone], ...]:
    """Every finished turn that counts, oldest first, with the event that ended it: for looking back."""
    line = state.line()
    befores = (START, *(after for _, after in line))
    return tuple(
        (event, after.last)
        for before, (event, after) in zip(befores, line, strict=False)
        if after.last is not None and after.last != before.last
    )


def counting_events(state: MatchState) -> tuple[tuple[Event, ...], ...]:
    """For each game on the sheet the events that counted its racks: what a correction of its row replaces."""
    found: list[tuple[Event, ...]] = []
    open_game: list[Event] = []
    for event, after in state.line():
        if isinstance(event.fact, events.RacksCounted):
            open_game.append(event)
        if len(after.games) > len(found):
            found.append(tuple(open_game))
            open_game = []
    return tuple(found)


def stop_after_restart(state: MatchState, event_id: str, alive: int) -> Event | None:
    """The event that stops a clock which ran when the machine went down; None where none did.

    ``alive`` is the wall time (ms) until which the clock is known to have run: of the last event or sign of life.
    """
    if state.turn is None or state.clock.phase is not ClockPhase.RUNNING:
        return None
    left = state.clock.left_at(alive)
    return Event(event_id, alive, events.ClockPaused(state.turn.number, "restart"), left)
