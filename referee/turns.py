"""The turn, with every way it can end (RULES.md, rows "clock" to "pool holds fewer" and "pool empty").

Played; drew; time over on a legal table (what was laid stays, draw 1); time over on a broken one (restore,
take back, draw 3); pass with an empty pool; out. An illegal table costs nothing while the clock runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Protocol

from referee.clock import ClockPhase, ClockState
from referee.events import (
    ClockPaused,
    ClockResumed,
    Draw,
    Event,
    Out,
    Pass,
    Penalty,
    TableJudged,
    TimeOver,
    TurnStarted,
)
from referee.layout import Layout
from referee.results import GameEnd
from referee.seating import need_phase
from referee.sheets import PoolEmpty
from referee.state import MatchError, MatchState, Phase, Stage, Turn, TurnDone, TurnEnd, check_copies

NOTHING_PLAYED = "nothing-played"


class _InTurn(Protocol):
    @property
    def turn(self) -> int: ...


def turn_started(state: MatchState, fact: TurnStarted, event: Event) -> MatchState:
    """The next player's clock runs; the table is the snapshot."""
    need_phase(state, Phase.READY)
    if fact.turn != state.turns + 1:
        raise MatchError("stale-turn", f"turn {fact.turn} does not follow turn {state.turns}")
    if fact.player != state.next:
        raise MatchError("not-next", f"it is {state.next}'s turn, not {fact.player!r:.60}'s")
    sheet = state.rules
    if state.pool == 0 and sheet.pool_empty is PoolEmpty.ENDS:
        raise MatchError("pool-empty", f"the pool is empty, and by {sheet.name} that ends the game")
    seconds = sheet.clock_seconds
    return replace(
        state,
        phase=Phase.TURN,
        turns=fact.turn,
        turn=Turn(fact.turn, fact.player, state.table),
        next=None,
        clock=ClockState.started(None if seconds is None else seconds * 1000, event.at),
    )


def clock_paused(state: MatchState, fact: ClockPaused, event: Event) -> MatchState:
    """A ruling: the clock stands at what it shows."""
    _turn(state, fact)
    if state.clock.phase is not ClockPhase.RUNNING:
        raise MatchError("clock-stands", f"the clock cannot stop: it is {state.clock.phase}")
    return replace(state, clock=state.clock.paused(_left(state, event), event.at))


def clock_resumed(state: MatchState, fact: ClockResumed, event: Event) -> MatchState:
    """The ruling is over: the clock goes on from where it stood."""
    _turn(state, fact)
    if state.clock.phase is not ClockPhase.PAUSED:
        raise MatchError("clock-runs", f"the clock cannot go on: it is {state.clock.phase}")
    return replace(state, clock=state.clock.resumed(event.at))


def time_over(state: MatchState, fact: TimeOver, event: Event) -> MatchState:
    """The time has run out. What that means is for the table to say."""
    turn = _turn(state, fact)
    if state.clock.phase is not ClockPhase.RUNNING:
        raise MatchError("clock-stands", f"time cannot be over: the clock is {state.clock.phase}")
    left = _left(state, event)
    if left:
        raise MatchError("time-left", f"time is not over: {left} ms are left")
    return replace(state, turn=replace(turn, time_over=True), clock=state.clock.expired(event.at))


def table_judged(state: MatchState, fact: TableJudged, event: Event) -> MatchState:
    """The referee's word, when a player ends the turn or the time is over."""
    turn = _turn(state, fact)
    if turn.stage in (Stage.MUST_DRAW, Stage.OUT):
        raise MatchError("already-judged", f"the table was found legal already; {turn.player} is done laying")
    same = not fact.loose and fact.layout.tiles == turn.before.tiles
    if same and all(fault.code == NOTHING_PLAYED for fault in fact.faults):
        # Nothing laid: the table stands, also with its sets moved; the player may still play, draw or pass.
        turn = replace(turn, stage=Stage.PLAYING, faults=fact.faults)
        return replace(state, turn=turn, table=fact.layout)
    if not fact.faults:
        return _laid(state, turn, fact.layout, _played(state, turn, fact), event)
    return replace(state, turn=replace(turn, stage=Stage.BROKEN, faults=fact.faults), table=turn.before)


def _played(state: MatchState, turn: Turn, fact: TableJudged) -> int:
    """How many rack tiles a table said to be legal has; refuses one that cannot be."""
    before, after = turn.before.tiles, Counter(fact.layout.tiles)
    if fact.loose:
        raise MatchError("loose-tiles", "a table with loose tiles is not legal")
    after.subtract(before)
    gone = [t for t, count in after.items() if count < 0]
    if gone:
        raise MatchError("tile-left-table", f"{', '.join(map(str, sorted(gone)))} lay on the table before")
    laid = sum(after.values())
    held = state.rack(turn.player)
    if laid > held:
        raise MatchError("more-than-rack", f"{laid} tiles laid, where {turn.player} held {held}")
    check_copies(state.rules, fact.layout.tiles, "table")
    return laid


def _laid(state: MatchState, turn: Turn, layout: Layout, laid: int, event: Event) -> MatchState:
    held = state.rack(turn.player) - laid
    opened = tuple(n for n in state.players if n in state.opened or n == turn.player)
    state = replace(state, table=layout, racks=state.with_rack(turn.player, held), opened=opened, passes=0)
    if held == 0:
        # Also when time was over: the table is legal and the rack is empty.
        return replace(state, turn=replace(turn, stage=Stage.OUT, faults=(), laid=laid))
    if turn.time_over:
        return replace(state, turn=replace(turn, stage=Stage.MUST_DRAW, faults=(), laid=laid))
    return _end(state, turn, TurnEnd.PLAYED, event, laid=laid)


def draw(state: MatchState, fact: Draw, event: Event) -> MatchState:
    """No play, or time over on a legal table: draw what the sheet asks, or what the pool holds."""
    turn = _turn(state, fact)
    if turn.stage is Stage.BROKEN:
        raise MatchError("table-broken", "the table is not legal: put it right first")
    _need_not_out(turn)
    if turn.stage is Stage.PLAYING and state.pool == 0:
        raise MatchError("pool-empty", f"the pool is empty: {turn.player} passes")
    how = TurnEnd.TIME_OVER if turn.time_over else TurnEnd.DREW
    return _drawn(state, turn, fact.tiles, how, event)


def penalty(state: MatchState, fact: Penalty, event: Event) -> MatchState:
    """Time over on a broken table: it is restored, the player takes back own tiles and draws."""
    turn = _turn(state, fact)
    if turn.stage is not Stage.BROKEN:
        raise MatchError("table-legal", "the table has not been found broken")
    if not turn.time_over and state.clock.phase is not ClockPhase.OFF:
        raise MatchError("time-left", "an illegal table costs nothing before time is over")
    return _drawn(state, turn, fact.tiles, TurnEnd.PENALTY, event)


def _drawn(state: MatchState, turn: Turn, said: int | None, how: TurnEnd, event: Event) -> MatchState:
    tiles = state.owes
    if said is not None and said != tiles:
        raise MatchError("wrong-draw", f"{turn.player} draws {tiles}, not {said} (the pool holds {state.pool})")
    racks = state.with_rack(turn.player, state.rack(turn.player) + tiles)
    state = replace(state, racks=racks, pool=state.pool - tiles, passes=0)
    return _end(state, turn, how, event, laid=turn.laid, drawn=tiles)


def passed(state: MatchState, fact: Pass, event: Event) -> MatchState:
    """Nothing to play and an empty pool."""
    turn = _turn(state, fact)
    if turn.stage is Stage.BROKEN:
        raise MatchError("table-broken", "the table is not legal: put it right first")
    _need_not_out(turn)
    if turn.stage is Stage.MUST_DRAW:
        raise MatchError("must-draw", f"{turn.player} has laid tiles: time was over, and the turn ends by drawing")
    if state.pool:
        raise MatchError("pool-not-empty", f"the pool holds {state.pool}: {turn.player} draws")
    return _end(replace(state, passes=state.passes + 1), turn, TurnEnd.PASSED, event)


def out(state: MatchState, fact: Out, event: Event) -> MatchState:
    """The player on turn has gone out."""
    turn = _turn(state, fact)
    if turn.stage is not Stage.OUT:
        held = state.rack(turn.player)
        raise MatchError("not-out", f"by count {turn.player} holds {held}; a legal table and an empty rack win")
    state = _end(state, turn, TurnEnd.OUT, event, laid=turn.laid)
    return replace(state, phase=Phase.COUNTING, next=None, ended=GameEnd.OUT, winner=turn.player)


def end_as_played(state: MatchState, event: Event) -> MatchState:
    """The turn of somebody thought to be out, and by a corrected count is not."""
    turn = state.turn
    assert turn is not None
    if turn.time_over:
        return replace(state, turn=replace(turn, stage=Stage.MUST_DRAW))
    return _end(state, turn, TurnEnd.PLAYED, event, laid=turn.laid)


def _end(state: MatchState, turn: Turn, how: TurnEnd, event: Event, laid: int = 0, drawn: int = 0) -> MatchState:
    return replace(
        state,
        phase=Phase.READY,
        turn=None,
        next=state.after(turn.player),
        last=TurnDone(turn.number, turn.player, how, laid, drawn, _left(state, event)),
        clock=ClockState(),
    )


def _turn(state: MatchState, fact: _InTurn) -> Turn:
    """The turn that an event means. Raises `MatchError` where it is over or has not begun."""
    need_phase(state, Phase.TURN)
    assert state.turn is not None
    if fact.turn != state.turn.number:
        raise MatchError("stale-turn", f"turn {fact.turn} is not being played: turn {state.turn.number} is")
    return state.turn


def _need_not_out(turn: Turn) -> None:
    if turn.stage is Stage.OUT:
        raise MatchError("is-out", f"by count {turn.player} has no tile left and is out")


def _left(state: MatchState, event: Event) -> int:
    """What the clock showed: as measured, else by wall time; never more than it had."""
    by_wall = state.clock.left_at(event.at)
    if event.left is None or state.clock.phase is not ClockPhase.RUNNING:
        return by_wall
    return min(event.left, state.clock.left)
