"""What the pages show of a match: players, turn, clock, the referee's word, the buttons that do something now."""

from __future__ import annotations

from typing import Any

from referee.clock import ClockPhase
from referee.faults import Fault
from referee.match import MatchState, Phase, Stage
from referee.match import possible as possible_events
from referee.snapshot import Snapshot
from referee.state import TurnDone, TurnEnd
from vision.reading import Reading
from webui.guide import restore_view
from webui.play import Play
from webui.racks import counting_view
from webui.verdicts import WHY, listed

PLAIN = {
    **{code: f"{text[0].upper()}{text[1:]}." for code, text in WHY.items()},
    "run-gap": "The numbers do not follow one another.",
    "group-colour-twice": "A colour is in the group more than once.",
    "opening-touched-table": "In the turn of the opening the sets on the table are not to be touched.",
    "nothing-played": "No tile was laid from the rack: draw one.",
    "tile-left-table": "This lay on the table before and must stay on it.",
    "too-many-copies": "There are more of these than the box holds.",
    "joker-before-opening": "No joker may be freed before the opening.",
    "joker-not-replayed": "A freed joker must be played again in a new set in the same turn.",
    "more-than-rack": "More tiles were laid than the rack held.",
}
"""Faults of a turn in the words of the page, which shows the tiles beside them; others as the referee says them."""


def match_document(
    play: Play, reading: Reading | None, snapshot: Snapshot | None, waiting: str, notice: str, doubts: int
) -> dict[str, Any]:
    """The whole match.

    ``reading`` is the table at rest as it lies now, ``snapshot`` as it lay when the turn began; ``waiting`` is the
    button that waits for the table to be read, ``doubts`` how many tiles it waits for, and ``notice`` why the last
    button did nothing.
    """
    state = play.state
    if state.phase is Phase.EMPTY:
        return {"phase": state.phase.value}
    scores = state.scores
    return {
        "phase": state.phase.value,
        "rules": state.rules.name,
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
        "pool": state.pool,
        "turn": _turn(state),
        "next": state.next,
        "clock": _clock(play),
        "buttons": buttons(state, waiting),
        "waiting": waiting,
        "say": sentence(state, waiting, doubts),
        "notice": notice,
        "restore": restore_view(state, reading, snapshot),
        "counting": counting_view(state, reading),
        "sheet": {
            "rows": [
                {"end": row.end.value, "points": list(row.points), "winners": list(row.winners)} for row in scores.rows
            ],
            "totals": list(scores.totals),
            "wins": list(scores.wins),
            "ranking": [list(place) for place in scores.ranking],
            "finished": scores.finished,
        },
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
            {"code": f.code, "set": f.set, "tiles": [str(t) for t in f.tiles], "text": plain(f)} for f in turn.faults
        ],
        "owes": state.owes,
    }


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
        found.append("wait-no-more")
    elif turn is not None:
        if "out" in kinds:
            found.append("out")
        if "table-judged" in kinds and not turn.time_over:
            found.append("end")
        if "penalty" in kinds:
            found.append("penalty")
        if "draw" in kinds:
            found.append("draw")
        if "pass" in kinds:
            found.append("pass")
        if "clock-resumed" in kinds:
            found.insert(0, "resume")
        if "clock-paused" in kinds:
            found.append("pause")
    found += [k for k in ("blocked",) if k in kinds and state.blocked]
    if state.phase is Phase.FINISHED:
        found.append("new")
    return found + [k for k in ("undo", "redo") if k in kinds]


def plain(fault: Fault) -> str:
    """A fault of a turn in plain words."""
    return PLAIN.get(fault.code, fault.message)


def sentence(state: MatchState, waiting: str, doubts: int = 0) -> str:
    """One line that says where the game stands."""
    turn = state.turn
    if state.phase is Phase.FINISHED:
        return f"The match is over: {_winners(state)}"
    if state.phase is Phase.SEATED:
        return f"Game {state.game}: who starts?"
    if state.phase is Phase.COUNTING:
        if state.winner:
            return f"{state.winner} is out and wins game {state.game}"
        return "Nobody can play: the racks are counted"
    if turn is None:
        return "All have passed" if state.blocked else ""
    if waiting:
        asked = "One tile has" if doubts == 1 else f"{doubts} tiles have"
        return f"{asked} to be named first" if doubts else "Looking at the table …"
    if turn.stage is Stage.OUT:
        return f"{turn.player} has no tile left: is the rack empty?"
    if turn.stage is Stage.MUST_DRAW:
        return f"Time is over. What was laid stays; {turn.player} draws {_tiles(state.owes)}."
    if turn.stage is Stage.BROKEN and turn.time_over:
        return f"Time is over and the table is not right. Put it back; {turn.player} draws {_tiles(state.owes)}."
    if turn.stage is Stage.BROKEN:
        return "Not yet: put it right while the clock runs"
    if turn.faults:
        return plain(turn.faults[0])
    return _last(state.last)


def _last(last: TurnDone | None) -> str:
    if last is None:
        return ""
    said = {
        TurnEnd.PLAYED: f"{last.player} laid {_tiles(last.laid)}",
        TurnEnd.DREW: f"{last.player} drew {_tiles(last.drawn)}",
        TurnEnd.TIME_OVER: f"{last.player}'s time was over; drew {_tiles(last.drawn)}",
        TurnEnd.PENALTY: f"{last.player} put the table back and drew {_tiles(last.drawn)}",
        TurnEnd.PASSED: f"{last.player} passed",
        TurnEnd.OUT: f"{last.player} went out",
    }
    return said[last.how]


def _tiles(count: int) -> str:
    return "1 tile" if count == 1 else f"{count} tiles"


def _winners(state: MatchState) -> str:
    first = state.scores.ranking[0]
    return f"{listed(list(first))} {'wins' if len(first) == 1 else 'share the win'}"
