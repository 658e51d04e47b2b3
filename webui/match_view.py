"""What the pages show of a match: players, turn, clock, the referee's word, the buttons that do something now."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from referee.clock import ClockPhase
from referee.faults import Fault
from referee.match import MatchState, Phase, Stage
from referee.match import possible as possible_events
from referee.state import Draws, Turn, TurnDone, TurnEnd
from webui.play import Play
from webui.sheet_view import sheet_view
from webui.words import Listed, Words, known, words


def match_document(
    play: Play,
    restore: dict[str, Any] | None,
    counting: dict[str, Any] | None,
    waiting: str,
    notice: str,
    doubts: int,
    lines: int = 0,
) -> dict[str, Any]:
    """The whole match.

    ``restore`` is the way back (`webui.restoring`), ``counting`` the racks (`webui.racks`); ``waiting`` is the button
    that waits for the table to be read, ``doubts`` how many tiles it waits for and ``lines`` how many lines of tiles,
    and ``notice`` why the last button did nothing.
    """
    state = play.state
    if state.phase is Phase.EMPTY:
        return {"phase": state.phase.value}
    scores, said = state.scores, sentence(state, waiting, doubts, lines)
    return {
        "phase": state.phase.value,
        "rules": state.rules.name,
        "options": list(state.rules.options),
        "game": state.game,
        "players": [
            {
                "name": n,
                "tiles": dict(state.racks).get(n),
                "opened": n in state.opened,
                "total": scores.totals[k],
                "wins": scores.wins[k],
            }
            for k, n in enumerate(state.players)
        ],
        "seats": list(state.seats),
        "draws": _draws(play),
        "pool": state.pool,
        "turn": _turn(state),
        "next": state.next,
        "clock": _clock(play),
        "buttons": buttons(state, waiting),
        "waiting": waiting,
        "say": said.text if said else "",
        "said": said.to_json() if said else None,
        "notice": notice,
        "restore": restore,
        "counting": counting,
        "sheet": sheet_view(state),
    }


def _turn(state: MatchState) -> dict[str, Any] | None:
    turn = state.turn
    if turn is None:
        return None
    return {
        "number": turn.number,
        "player": turn.player,
        "stage": turn.stage.value,
        "time_over": turn.time_over,
        "faults": [
            {"code": f.code, "set": f.set, "tiles": [str(t) for t in f.tiles], **_said(plain(f))} for f in turn.faults
        ],
        "owes": state.owes,
        "draws": _draws_now(state, turn),
    }


def _draws_now(state: MatchState, turn: Turn) -> int:
    """How many tiles "Draw" would mean; a table that was refused has to be put back for it, and costs no more then."""
    if turn.stage is Stage.BROKEN and not turn.time_over:
        state = replace(state, turn=replace(turn, stage=Stage.PLAYING))
    return state.owes


def _draws(play: Play) -> dict[str, Any] | None:
    """Between two games: who draws for the start, what lies open, and who starts by it."""
    state = play.state
    if state.phase is not Phase.SEATED:
        return None
    draws = state.draws or Draws(state.players, state.players)
    return {
        "rivals": list(draws.rivals),
        "pending": list(draws.pending),
        "drawn": [{"name": n, "tile": str(t)} for n, t in draws.drawn],
        "first": state.first if state.draws else None,
        "begun": state.draws is not None,
        "times": {name: play.draws_of(name) for name in state.players},
    }


def _said(sentence: Words) -> dict[str, Any]:
    return {"text": sentence.text, "said": sentence.to_json()}


def _clock(play: Play) -> dict[str, Any]:
    """With the deadline in the server's own monotonic milliseconds, so that pages only have to draw it."""
    now = play.clock.state(0)
    running = now.phase is ClockPhase.RUNNING
    return {
        "phase": now.phase.value,
        "limit": now.limit,
        **({"deadline": play.deadline} if running else {"left": now.left}),
    }


def buttons(state: MatchState, waiting: str) -> list[str]:
    """The buttons that do something now, the main one first."""
    kinds = possible_events(state)
    turn, found = state.turn, []
    if turn is not None and waiting:
        # That the time is over cannot be taken back: what lies there has to be judged.
        found += [] if turn.time_over else ["wait-no-more"]
    elif turn is not None:
        if "out" in kinds:
            found.append("out")
        if "table-judged" in kinds and not turn.time_over:
            found.append("end")
        if "penalty" in kinds:
            found.append("penalty")
        # A table that was refused may be put back: whether it was is seen when the button is pressed.
        undone = turn.stage is Stage.BROKEN and not turn.time_over
        if "draw" in kinds or (undone and state.pool):
            found.append("draw")
        if "pass" in kinds or (undone and not state.pool):
            found.append("pass")
        if "clock-resumed" in kinds:
            found.insert(0, "resume")
        if "clock-paused" in kinds:
            found.append("pause")
    found += [k for k in ("blocked",) if k in kinds and state.blocked]
    if state.phase is Phase.FINISHED:
        found.append("new")
    return found + [k for k in ("undo", "redo") if k in kinds]


def plain(fault: Fault) -> Words:
    """A fault of a turn in the words of the page, which shows the tiles beside them."""
    if fault.code == "opening-too-low":
        worth, needed = map(int, re.findall(r"\d+", fault.message))
        return words("fault.opening-too-low", worth=worth, needed=needed)
    if known(f"fault.{fault.code}"):
        return words(f"fault.{fault.code}")
    return words("fault.set", why=words(f"why.{fault.code}"))


def sentence(state: MatchState, waiting: str, doubts: int = 0, lines: int = 0) -> Words | None:
    """One line that says where the game stands, if there is something to be said."""
    turn = state.turn
    if state.phase is Phase.FINISHED:
        first = state.scores.ranking[0]
        return words("say.match-over", count=len(first), names=Listed(first))
    if state.phase is Phase.SEATED:
        return words("say.who-starts", game=state.game)
    if state.phase is Phase.COUNTING:
        if state.winner:
            return words("say.is-out", name=state.winner, game=state.game)
        return words("say.blocked")
    if turn is None:
        return words("say.all-passed") if state.blocked else None
    if waiting:
        if not doubts and lines:
            return words("say.lines")
        return words("say.doubts", count=doubts) if doubts else words("say.looking")
    if turn.stage is Stage.OUT:
        return words("say.rack-empty", name=turn.player)
    if turn.stage is Stage.MUST_DRAW:
        return words("say.time-over", name=turn.player, tiles=words("tiles", count=state.owes))
    if turn.stage is Stage.BROKEN and turn.time_over:
        return words("say.time-over-broken", name=turn.player, tiles=words("tiles", count=state.owes))
    if turn.stage is Stage.BROKEN:
        return words("say.not-yet")
    if turn.faults:
        return plain(turn.faults[0])
    if turn.time_over:
        return words("say.time-over-nothing", name=turn.player, tiles=words("tiles", count=state.owes))
    return _last(state.last)


def _last(last: TurnDone | None) -> Words | None:
    if last is None:
        return None
    name, laid, drawn = last.player, words("tiles", count=last.laid), words("tiles", count=last.drawn)
    match last.how:
        case TurnEnd.PLAYED:
            return words("last.laid", name=name, tiles=laid)
        case TurnEnd.DREW:
            return words("last.drew", name=name, tiles=drawn)
        case TurnEnd.TIME_OVER:
            return words("last.time-over", name=name, tiles=drawn)
        case TurnEnd.PENALTY:
            return words("last.penalty", name=name, tiles=drawn)
        case TurnEnd.PASSED:
            return words("last.passed", name=name)
    return words("last.out", name=name)
