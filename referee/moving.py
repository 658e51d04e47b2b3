"""The documents of `tilekeeper moves` (CONTRACT.md, "JSON"): a position in, the best play out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.documents import DocumentError
from referee.judging import MOST_TILES, check_keys, read_layout, read_sheet, read_tile
from referee.moves import Objective, Play, Position, best_play
from referee.sheets import Sheet

KEYS = ("rules", "options", "table", "rack", "opened", "objective")


def moves_document(document: Any, sheet: Sheet | None = None) -> dict[str, Any]:
    """A position's document to that of its best play. Raises `DocumentError` that names the place.

    ``table``, ``rack`` and ``opened`` have to be there; ``objective`` is ``tiles`` (the default) or ``points``.
    ``sheet`` is taken instead of the document's ``rules``; its ``options`` come on top either way.
    """
    position, objective = read_position(document, sheet)
    return play_document(best_play(position, objective))


def read_position(document: Any, sheet: Sheet | None = None) -> tuple[Position, Objective]:
    """The position of a document, and what the play is to have most of. Raises `DocumentError`."""
    if not isinstance(document, Mapping):
        raise DocumentError("", "a position is an object with table, rack and opened")
    check_keys(document, KEYS, ("table", "rack", "opened"))
    rules = read_sheet(document, sheet)
    table = read_layout(document["table"], "table")
    rack = document["rack"]
    if not isinstance(rack, list | tuple):
        raise DocumentError("rack", f"a list of tiles, not {rack!r:.40}")
    if len(rack) > MOST_TILES:
        raise DocumentError("rack", f"{len(rack)} tiles; {MOST_TILES} is the most")
    opened = document["opened"]
    if not isinstance(opened, bool):
        raise DocumentError("opened", f"true or false, not {opened!r:.40}")
    objective = document.get("objective", Objective.TILES.value)
    if not isinstance(objective, str) or objective not in tuple(Objective):
        raise DocumentError("objective", f"one of {', '.join(Objective)}, not {objective!r:.40}")
    tiles = tuple(read_tile(t, f"rack[{i}]") for i, t in enumerate(rack))
    return Position(table, tiles, rules, opened), Objective(objective)


def play_document(play: Play) -> dict[str, Any]:
    """As CONTRACT.md's `moves` gives it; also the points laid, the sets disturbed and an opening's worth."""
    return {
        "playable": play.playable,
        "played": [str(t) for t in play.played],
        "table": play.table.lists(),
        "objective": play.objective.value,
        "optimal": play.optimal,
        "points": play.points,
        "disturbed": list(play.disturbed),
        "meld": play.meld,
    }
