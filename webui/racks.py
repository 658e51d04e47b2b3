"""What is left on the racks at the end of a game: whose are in, and what lies before the camera."""

from __future__ import annotations

from collections import Counter
from typing import Any

from referee.match import MatchState, Phase
from referee.results import Rack
from referee.sheets import Sheet
from referee.tiles import Tile
from vision.reading import Reading


def counting_view(state: MatchState, reading: Reading | None) -> dict[str, Any] | None:
    """At the end of a game: whose racks are in, whose are not, and what lies before the camera besides the table."""
    if state.phase is not Phase.COUNTING:
        return None
    counted = dict(state.counted)
    losers = [n for n in state.players if n != state.winner]
    return {
        "racks": [
            {
                "name": n,
                "tiles": dict(state.racks)[n],
                "value": counted[n].value(state.rules) if n in counted else None,
            }
            for n in losers
        ],
        "seen": _seen(state, reading, state.rules),
    }


def _seen(state: MatchState, reading: Reading | None, sheet: Sheet) -> dict[str, Any] | None:
    if reading is None:
        return None
    tiles: Counter[Tile] = Counter(t.tile for t in reading.tiles)
    extra = sorted((tiles - state.table.tiles).elements())
    doubts = sum(t.unsure or not t.tile.readable for t in reading.tiles)
    readable = all(t.readable for t in extra)
    value = Rack.of(extra).value(sheet) if extra and readable else None
    return {"tiles": [str(t) for t in extra], "value": value, "doubts": doubts}
