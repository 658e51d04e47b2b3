"""The score sheet as the pages draw it: rows, running totals, places, and what was put right with its history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from referee import events
from referee.events import Event
from referee.export import places
from referee.match import MatchState
from referee.results import GameEnd
from referee.scores import games_in_match
from webui.words import Words, words


def sheet_view(state: MatchState) -> dict[str, Any]:
    """The sheet of a match with players. Lists of points, racks and places are in the players' order."""
    scores, number, rows = state.scores, 0, []
    for row, running, game in zip(scores.rows, scores.running, state.games, strict=True):
        counts = row.end is not GameEnd.ABANDONED
        number += counts
        racks = dict(game.racks)
        rows.append(
            {
                "number": number if counts else None,
                "end": row.end.value,
                "points": list(row.points),
                "running": list(running),
                "winners": list(row.winners),
                "racks": [racks[n].value(state.rules) if n in racks else None for n in state.players],
            }
        )
    first = scores.ranking[0]
    return {
        "rows": rows,
        "totals": list(scores.totals),
        "wins": list(scores.wins),
        "places": list(places(scores)),
        "ranking": [list(place) for place in scores.ranking],
        "leads": list(first) if number and len(first) < len(state.players) else [],
        "length": games_in_match(state.rules, len(state.players)),
        "finished": scores.finished,
        "scored": state.rules.scored,
        "corrections": [{"at": event.at, **said.to_json()} for event, said in corrections(state)],
    }


def corrections(state: MatchState) -> tuple[tuple[Event, Words], ...]:
    """What was put right in this match and still counts, oldest first, each in one sentence."""
    found = [(event, said) for event, before, after in _line(state) for said in _said(event, before, after)]
    return tuple(found)[::-1]


def _line(state: MatchState) -> Iterator[tuple[Event, MatchState, MatchState]]:
    """The events that were not undone with the states before and after, newest first."""
    at = state
    while at.log.event is not None and at.log.before is not None:
        yield at.log.event, at.log.before, at
        at = at.log.before


def _said(event: Event, before: MatchState, after: MatchState) -> Iterator[Words]:
    match event.fact:
        case events.RackCorrected(player=name, tiles=tiles):
            yield words("corrected.rack", name=name, before=before.rack(name), after=tiles)
        case events.OpeningCorrected(player=name, opened=opened):
            yield words("corrected.opened" if opened else "corrected.not-opened", name=name)
        case events.TableCorrected():
            yield words("corrected.table")
        case events.Correction():
            changed = list(_changed_games(before, after))
            yield from changed or [words("corrected.turn")]


def _changed_games(before: MatchState, after: MatchState) -> Iterator[Words]:
    number = 0
    for old, new in zip(before.games, after.games, strict=False):
        number += new.end is not GameEnd.ABANDONED
        was = dict(old.racks)
        for name, rack in new.racks:
            if name in was and rack != was[name]:
                values = was[name].value(before.rules), rack.value(after.rules)
                yield words("corrected.game", game=number, name=name, before=values[0], after=values[1])
