"""Looking back at a match: its games, and each turn that counts with its snapshots, its verdicts and its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from referee import events as facts
from referee.clock import ClockPhase
from referee.events import Event
from referee.layout import Layout
from referee.match import START, MatchState, Phase
from referee.results import GameEnd, GameResult
from referee.state import TurnDone, TurnEnd
from referee.tiles import Tile
from webui.match_view import plain


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A finished turn: the event that ended it, the table before and after, and each word of the referee in it.

    ``opened`` is whether the player had when it began, ``held`` how many tiles were on the rack then, by count.
    ``game`` counts the deals from 0, ``used`` is the player's time (ms), ``limit`` how much there was, if a clock ran.
    """

    event: Event
    done: TurnDone
    game: int
    before: Layout
    after: Layout
    opened: bool
    held: int
    judged: tuple[facts.TableJudged, ...]
    used: int
    limit: int | None

    @property
    def laid(self) -> tuple[Tile, ...]:
        """The tiles that came from the rack and stayed."""
        return tuple(sorted((self.after.tiles - self.before.tiles).elements()))


@dataclass(slots=True)
class _Open:
    """A turn while its events are gone through."""

    since: int
    opened: tuple[str, ...]
    judged: list[facts.TableJudged]
    paused: int | None = None
    stood: int = 0

    def used(self, until: int) -> int:
        if self.paused is not None:
            self.stood += max(0, until - self.paused)
        return max(0, until - self.since - self.stood)


def past_turns(state: MatchState) -> tuple[PastTurn, ...]:
    """Every finished turn that counts, oldest first."""
    return tuple(_turns(state.line()))


def _turns(line: Sequence[tuple[Event, MatchState]]) -> Iterator[PastTurn]:
    before, game, now = START, -1, _Open(0, (), [])
    for event, after in line:
        match event.fact:
            case facts.Deal():
                game += 1
            case facts.TurnStarted():
                now = _Open(event.at, after.opened, [])
            case facts.TableJudged() as judged:
                now.judged.append(judged)
            case facts.ClockPaused():
                now.paused = event.at
            case facts.ClockResumed() if now.paused is not None:
                now.stood, now.paused = now.stood + max(0, event.at - now.paused), None
        turn, done = before.turn, after.last
        if turn is not None and done is not None and done != before.last:
            clocked = before.clock.phase is not ClockPhase.OFF
            limit = before.clock.limit if clocked else None
            held = after.rack(done.player) + done.laid - done.drawn
            used = before.clock.limit - done.left if clocked else now.used(event.at)
            yield PastTurn(
                event,
                done,
                game,
                turn.before,
                after.table,
                turn.player in now.opened,
                held,
                tuple(now.judged),
                used,
                limit,
            )
        before = after


def known_rack(turns: Sequence[PastTurn], at: PastTurn, result: GameResult | None) -> tuple[Tile, ...] | None:
    """What a player held when a turn of a finished game began, where it can be known for sure.

    It can where nothing was drawn from then on: what was laid later and what was left at the end.
    """
    player = at.done.player
    later = [t for t in turns if t.game == at.game and t.done.player == player and t.done.number >= at.done.number]
    if result is None or any(t.done.drawn or len(t.laid) != t.done.laid for t in later):
        return None
    left: tuple[Tile, ...] | None = () if result.end is GameEnd.OUT and result.winner == player else None
    if left is None:
        counted = dict(result.racks).get(player)
        left = counted.faces if counted is not None else None
    if left is None:
        return None
    rack = tuple(sorted((*left, *(tile for t in later for tile in t.laid))))
    return rack if len(rack) == at.held else None


def result_of(state: MatchState, game: int) -> GameResult | None:
    """How a game ended, by its deal counted from 0; None while it is being played."""
    return state.games[game] if 0 <= game < len(state.games) else None


def may_see_moves(state: MatchState, turn: PastTurn) -> bool:
    """Whether it may be shown what could have been played: after the game, or where all racks are seen."""
    return result_of(state, turn.game) is not None or state.rules.racks_seen


def turn_document(state: MatchState, turns: Sequence[PastTurn], turn: PastTurn) -> dict[str, Any]:
    """One turn as the pages draw it; layouts are lists of lists of tile texts."""
    done, rack = turn.done, None
    if may_see_moves(state, turn):
        rack = known_rack(turns, turn, result_of(state, turn.game))
    return {
        "event": turn.event.id,
        "number": done.number,
        "game": turn.game,
        "player": done.player,
        "how": done.how.value,
        "laid": [str(t) for t in turn.laid] if done.how is not TurnEnd.PENALTY else [],
        "drawn": done.drawn,
        "used": turn.used,
        "limit": turn.limit,
        "opened": turn.opened,
        "before": turn.before.lists(),
        "after": turn.after.lists(),
        "judged": [_judged(word) for word in turn.judged],
        "moves": may_see_moves(state, turn),
        "rack": None if rack is None else [str(t) for t in rack],
    }


def _judged(word: facts.TableJudged) -> dict[str, Any]:
    return {
        "table": word.layout.lists(),
        "loose": [str(t) for t in word.loose],
        "legal": not word.faults,
        "faults": [
            {"code": f.code, "set": f.set, "tiles": [str(t) for t in f.tiles], "said": plain(f).to_json()}
            for f in word.faults
        ],
    }


def match_document(state: MatchState) -> dict[str, Any]:
    """A match to look back at: its games with their rows of the sheet, and all turns in order."""
    if state.phase is Phase.EMPTY:
        return {"players": [], "games": [], "turns": []}
    turns = past_turns(state)
    number, games = 0, []
    for row, game in zip(state.scores.rows, state.games, strict=True):
        number += game.end is not GameEnd.ABANDONED
        games.append(
            {
                "number": number if game.end is not GameEnd.ABANDONED else number + 1,
                "end": game.end.value,
                "winner": game.winner,
                "points": dict(zip(state.players, row.points, strict=True)),
            }
        )
    if state.phase in (Phase.READY, Phase.TURN, Phase.COUNTING):
        games.append({"number": state.game, "end": None, "winner": state.winner, "points": None})
    return {
        "players": list(state.players),
        "rules": state.rules.name,
        "games": games,
        "turns": [turn_document(state, turns, turn) for turn in turns],
    }
