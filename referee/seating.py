"""Before the tiles lie: who plays, who sits where, the opening draw with its redraws, the deal.

RULES.md, "Profiles", rows "players / tiles", "tiles dealt", "who starts" and "direction".
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from referee.events import Deal, Event, OpeningDraw, Players, Seats
from referee.layout import Layout
from referee.results import ScoreError
from referee.scores import read_players
from referee.sheets import DrawJoker, Sheet
from referee.state import Draws, MatchError, MatchState, Phase, check_copies
from referee.tiles import Tile

DRAWN_JOKER = 30
"""What a joker counts in an opening draw where it does not redraw (003)."""


def need_phase(state: MatchState, *phases: Phase) -> None:
    """Refuses what does not belong here. Raises `MatchError`."""
    if state.phase not in phases:
        words = {
            Phase.EMPTY: "nobody plays yet",
            Phase.SEATED: "no game is being played",
            Phase.READY: "no turn is being played",
            Phase.TURN: "a turn is being played",
            Phase.COUNTING: "the game is over and the racks are being counted",
            Phase.FINISHED: "the match is finished",
        }
        raise MatchError("wrong-phase", f"not now: {words[state.phase]}")


def need_player(state: MatchState, name: str) -> None:
    """Refuses a stranger. Raises `MatchError`."""
    if name not in state.players:
        raise MatchError("no-such-player", f"{name!r:.60} does not play (there are {', '.join(state.players)})")


def players(state: MatchState, fact: Players, event: Event) -> MatchState:
    """A match begins."""
    need_phase(state, Phase.EMPTY)
    try:
        names = read_players(fact.sheet, fact.names)
    except ScoreError as error:
        raise MatchError("players", str(error)) from None
    return replace(
        state,
        phase=Phase.SEATED,
        sheet=fact.sheet,
        players=names,
        seats=names,
        direction=fact.sheet.direction,
    )


def seats(state: MatchState, fact: Seats, event: Event) -> MatchState:
    """Seats may change between the games."""
    need_phase(state, Phase.SEATED)
    if sorted(fact.names) != sorted(state.players):
        raise MatchError("seats", f"the seats are those of {', '.join(state.players)}, each once")
    return replace(state, seats=fact.names, direction=fact.direction or state.direction)


def opening_draw(state: MatchState, fact: OpeningDraw, event: Event) -> MatchState:
    """One tile of the opening draw; when all lie open, somebody starts or some draw again."""
    need_phase(state, Phase.SEATED)
    need_player(state, fact.player)
    draws = state.draws or Draws(state.players, state.players)
    if fact.player not in draws.pending:
        raise MatchError("not-to-draw", f"{fact.player} has nothing to draw now")
    check_copies(state.rules, Counter([fact.tile, *(t for _, t in draws.drawn)]), "opening draw")
    draws = replace(
        draws,
        pending=tuple(n for n in draws.pending if n != fact.player),
        drawn=(*draws.drawn, (fact.player, fact.tile)),
    )
    if draws.pending:
        return replace(state, draws=draws, first=None)
    return _opened(state, draws)


def _opened(state: MatchState, draws: Draws) -> MatchState:
    sheet = state.rules
    worth = {name: _worth(sheet, t) for name, t in draws.drawn if name in draws.rivals}
    jokers = tuple(n for n in draws.rivals if worth[n] is None)
    if jokers:
        return replace(state, draws=_again(draws, draws.rivals, jokers))
    highest = max(value for value in worth.values() if value is not None)
    tied = tuple(n for n in draws.rivals if worth[n] == highest)
    if len(tied) > 1 and sheet.draw_tie_redraws:
        return replace(state, draws=_again(draws, tied, tied))
    # Without a redraw the first of those tied, as they drew, starts.
    return replace(state, draws=draws, first=next(n for n, _ in draws.drawn if n in tied))


def _again(draws: Draws, rivals: tuple[str, ...], pending: tuple[str, ...]) -> Draws:
    return Draws(rivals, pending, tuple((n, t) for n, t in draws.drawn if n not in pending))


def _worth(sheet: Sheet, tile: Tile) -> int | None:
    """The number, or None for a joker that has to draw again."""
    if not tile.is_joker:
        return tile.number
    return DRAWN_JOKER if sheet.draw_joker is DrawJoker.COUNTS else None


def deal(state: MatchState, fact: Deal, event: Event) -> MatchState:
    """The racks are filled; who starts comes from the opening draw, or is said where there was none."""
    need_phase(state, Phase.SEATED)
    sheet, first = state.rules, fact.first or state.first
    if state.draws is not None and state.draws.pending:
        raise MatchError("draw-unfinished", f"first {', '.join(state.draws.pending)} draw for the start")
    if first is None:
        raise MatchError("no-first-player", "who starts? make the opening draw, or say who is first")
    need_player(state, first)
    if state.draws is not None and first != state.first:
        raise MatchError("not-first", f"by the opening draw {state.first} starts, not {first}")
    pool = sheet.tiles - sheet.tiles_dealt * len(state.players)
    if pool < 0:
        raise MatchError("box-too-small", f"the box has no {sheet.tiles_dealt} tiles for everybody")
    return replace(
        state,
        phase=Phase.READY,
        draws=None,
        first=first,
        racks=tuple((name, sheet.tiles_dealt) for name in state.players),
        opened=(),
        pool=pool,
        table=Layout(),
        next=first,
        last=None,
        passes=0,
    )
