"""The score sheet to take away: as CSV for a spreadsheet, as JSON that `tilekeeper score` reads again."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from referee.results import GameResult
from referee.scores import ScoreSheet, score_match
from referee.sheets import NAMES, Sheet, load, with_options


def score_csv(sheet: Sheet, players: Sequence[str], games: Sequence[GameResult]) -> str:
    """One row a game with its points and the totals after it, then totals, wins and places. Raises
    `ScoreError`.

    A name that a spreadsheet would take for a formula gets an apostrophe before it.
    """
    board = score_match(sheet, players, games)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    names = [_text(name) for name in board.players]
    table.writerow(["game", "end", "winners", *names, *(_text(f"{name} total") for name in board.players)])
    number = 0
    for row, totals in zip(board.rows, board.running, strict=True):
        number += row.end.value != "abandoned"
        # An abandoned game has no number of its own: it is played again.
        label = number if row.end.value != "abandoned" else ""
        table.writerow([label, row.end.value, _text("; ".join(row.winners)), *row.points, *totals])
    blank = [""] * len(names)
    for title, values in (("total", board.totals), ("wins", board.wins), ("place", places(board))):
        table.writerow([title, "", "", *values, *blank])
    return out.getvalue()


def places(board: ScoreSheet) -> tuple[int, ...]:
    """Each player's place, in the players' order; two who share the first are followed by the third."""
    place: dict[str, int] = {}
    for names in board.ranking:
        first = len(place) + 1
        place.update(dict.fromkeys(names, first))
    return tuple(place[name] for name in board.players)


def score_json(sheet: Sheet, players: Sequence[str], games: Sequence[GameResult]) -> dict[str, Any]:
    """The `score` document of CONTRACT.md with its answer under ``score``. Raises `ScoreError`."""
    board = score_match(sheet, players, games)
    return {
        **rules_json(sheet),
        "players": list(board.players),
        "games": [game.json() for game in games],
        "score": board.json(),
    }


def rules_json(sheet: Sheet) -> dict[str, Any]:
    """``rules`` and ``options``: a bundled sheet by its name, any other as a profile object."""
    if sheet.name in NAMES and with_options(load(sheet.name), sheet.options) == sheet:
        return {"rules": sheet.name, "options": list(sheet.options)}
    return {"rules": sheet.mapping(), "options": []}


def _text(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text
