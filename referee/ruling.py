"""What joins the judge and the match: a table is judged with what the match knows of the turn."""

from __future__ import annotations

from referee.events import TableJudged
from referee.judge import Turn, Verdict, judge
from referee.layout import Layout, TileSet
from referee.state import MatchError, MatchState


def judge_table(state: MatchState, layout: Layout, loose: TileSet = ()) -> tuple[TableJudged, Verdict]:
    """The judge's verdict on the table as it lies now, and the fact to append for it.

    The snapshot, the rack's count and who has opened come from the match. Raises `MatchError` outside a turn.
    """
    turn = state.turn
    if turn is None:
        raise MatchError("wrong-phase", "not now: no turn is being played")
    asked = Turn(turn.before, layout, loose, turn.player in state.opened, state.rack(turn.player))
    verdict = judge(asked, state.rules)
    return TableJudged(turn.number, layout, verdict.faults, loose), verdict
