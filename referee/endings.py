"""The end of a game, the racks, and putting right what was counted or read wrong.

RULES.md, rows "pool empty" and "blocked game", and the house procedure of 001 for a table that nobody can
rebuild.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from referee.clock import ClockState
from referee.events import (
    Abandoned,
    Blocked,
    Event,
    OpeningCorrected,
    RackCorrected,
    RacksCounted,
    TableCorrected,
)
from referee.layout import Layout
from referee.results import GameEnd, GameResult, Rack, ScoreError, value_bounds
from referee.scores import games_in_match, score_game
from referee.seating import need_phase, need_player
from referee.state import MatchError, MatchState, Phase, Stage, check_copies
from referee.turns import end_as_played


def blocked(state: MatchState, fact: Blocked, event: Event) -> MatchState:
    """Nobody can play, or by the sheet an empty pool is enough."""
    need_phase(state, Phase.READY, Phase.TURN)
    if state.turn is not None and state.turn.stage is not Stage.PLAYING:
        raise MatchError("turn-unfinished", f"{state.turn.player}'s turn has to end first")
    if state.pool:
        raise MatchError("pool-not-empty", f"the pool still holds {state.pool}")
    if not state.blocked and not fact.proved:
        raise MatchError(
            "not-blocked",
            f"{state.passes} passed in a row, where all {len(state.players)} have to, or it is proved",
        )
    return replace(state, phase=Phase.COUNTING, turn=None, next=None, clock=ClockState(), ended=GameEnd.BLOCKED)


def abandoned(state: MatchState, fact: Abandoned, event: Event) -> MatchState:
    """No wins, no points, and the same game is played again."""
    need_phase(state, Phase.READY, Phase.TURN, Phase.COUNTING)
    return _over(state, GameResult(GameEnd.ABANDONED), state.first)


def racks_counted(state: MatchState, fact: RacksCounted, event: Event) -> MatchState:
    """Racks as they are read or told; with the last of them the game is on the sheet."""
    need_phase(state, Phase.COUNTING)
    counted = dict(state.counted)
    for name, rack in fact.racks:
        need_player(state, name)
        if name in counted:
            raise MatchError("counted-before", f"{name}'s rack is in already: correct or undo that")
        counted[name] = _agreed(state, name, rack)
    faces = Counter(t for rack in counted.values() for t in rack.faces or ())
    check_copies(state.rules, faces + state.table.tiles, "racks and table")
    missing = [n for n in state.players if n not in counted and n != state.winner]
    in_order = tuple((n, counted[n]) for n in state.players if n in counted)
    if missing:
        return replace(state, counted=in_order)
    assert state.ended is not None
    result = GameResult(state.ended, state.winner, tuple((n, r) for n, r in in_order if n != state.winner))
    try:
        score_game(state.rules, state.players, result)
    except ScoreError as error:
        raise MatchError("racks", str(error)) from None
    return _over(state, result, None)


def _agreed(state: MatchState, name: str, rack: Rack) -> Rack:
    """The rack with its number of tiles, which has to be the one that was kept count of."""
    held = state.rack(name)
    if rack.count is not None and rack.count != held:
        raise MatchError("rack-count", f"{rack.count} tiles on {name}'s rack, where the count is {held}")
    rack = replace(rack, count=held)
    try:
        value = rack.value(state.rules)
    except ScoreError as error:
        raise MatchError("unread-tile", f"{name}'s rack: {error}") from None
    least, most = value_bounds(state.rules, held)
    if not least <= value <= most:
        raise MatchError("rack-value", f"{held} tiles on {name}'s rack cannot be worth {value}")
    return rack


def _over(state: MatchState, result: GameResult, first: str | None) -> MatchState:
    games = (*state.games, result)
    length = games_in_match(state.rules, len(state.players))
    ended = sum(game.end is not GameEnd.ABANDONED for game in games)
    return replace(
        state,
        phase=Phase.SEATED if length is None or ended < length else Phase.FINISHED,
        first=first,
        racks=(),
        opened=(),
        pool=0,
        table=Layout(),
        turn=None,
        next=None,
        passes=0,
        clock=ClockState(),
        ended=None,
        winner=None,
        counted=(),
        games=games,
    )


# Putting right


def table_corrected(state: MatchState, fact: TableCorrected, event: Event) -> MatchState:
    """A misread table: what really lies there counts from now on."""
    need_phase(state, Phase.READY, Phase.TURN)
    check_copies(state.rules, fact.layout.tiles, "table")
    more = sum(fact.layout.tiles.values()) - sum(state.table.tiles.values())
    racks = state.racks
    if more:
        if fact.player is None:
            raise MatchError("whose-tiles", f"{abs(more)} tiles {'more' if more > 0 else 'fewer'}: whose are they?")
        need_player(state, fact.player)
        racks = _rack(state, fact.player, state.rack(fact.player) - more)
    turn = state.turn
    if turn is not None and turn.stage in (Stage.PLAYING, Stage.BROKEN):
        turn = replace(turn, before=fact.layout, stage=Stage.PLAYING, faults=())
    elif turn is not None and fact.player == turn.player:
        turn = replace(turn, laid=turn.laid + more)
    state = replace(state, table=fact.layout, racks=racks, turn=turn)
    if turn is not None and turn.stage is Stage.OUT and state.rack(turn.player):
        return end_as_played(state, event)
    return state


def rack_corrected(state: MatchState, fact: RackCorrected, event: Event) -> MatchState:
    """A miscounted rack: the difference is the pool's."""
    need_phase(state, Phase.READY, Phase.TURN, Phase.COUNTING)
    need_player(state, fact.player)
    if fact.player == state.winner or fact.player in dict(state.counted):
        raise MatchError("counted-before", f"{fact.player}'s rack is settled already")
    pool = state.pool + state.rack(fact.player) - fact.tiles
    if pool < 0:
        raise MatchError("pool-too-small", f"the pool holds {state.pool}, too few for that")
    out = state.turn is not None and state.turn.stage is Stage.OUT and state.turn.player == fact.player
    state = replace(state, racks=_rack(state, fact.player, fact.tiles), pool=pool)
    return end_as_played(state, event) if out else state


def _rack(state: MatchState, player: str, tiles: int) -> tuple[tuple[str, int], ...]:
    if tiles < 1:
        raise MatchError("rack-too-small", f"{player} would hold {tiles}: a rack is emptied by laying its last tile")
    return state.with_rack(player, tiles)


def opening_corrected(state: MatchState, fact: OpeningCorrected, event: Event) -> MatchState:
    """Whether somebody has opened was taken down wrong."""
    need_phase(state, Phase.READY, Phase.TURN)
    need_player(state, fact.player)
    if (fact.player in state.opened) == fact.opened:
        raise MatchError("no-change", f"{fact.player} has {'' if fact.opened else 'not '}opened already")
    opened = {*state.opened, fact.player} if fact.opened else set(state.opened) - {fact.player}
    return replace(state, opened=tuple(n for n in state.players if n in opened))
