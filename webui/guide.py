"""The way back to the snapshot as it is drawn on the picture: from where each tile lies to where it belongs."""

from __future__ import annotations

from typing import Any

from referee.match import MatchState, Stage
from referee.restore import Restoration, Spot, restore
from referee.snapshot import Placed, Row, Snapshot
from vision.reading import Reading

Shift = tuple[float, float]


def restore_view(state: MatchState, reading: Reading | None, snapshot: Snapshot | None) -> dict[str, Any] | None:
    """How to put the table back, when it has to be."""
    turn = state.turn
    if turn is None or turn.stage is not Stage.BROKEN or not turn.time_over:
        return None
    if reading is None:
        return {"restored": False, "steps": [], "to_rack": [], "missing": [], "read": False}
    now = Snapshot.of(reading.to_json())
    before = snapshot if snapshot is not None else Snapshot.of_layout(turn.before)
    return {**restore_document(before, now), "read": True}


def restore_document(before: Snapshot, now: Snapshot) -> dict[str, Any]:
    """CONTRACT.md's `restore`, and with each step the quads (pixels) ``lies`` and ``belongs``, where they are known."""
    way = restore(before, now)
    document = way.document()
    for step, entry in zip(way.steps, document["steps"], strict=True):
        entry["lies"] = _quad(_at(now, step.source), (0.0, 0.0))
        entry["belongs"] = _quad(_at(before, step.target), _moved(before, now, step.target.set, step.onto))
    document["rack_lies"] = [_quad(_at(now, spot), (0.0, 0.0)) for spot in way.rack_spots]
    document["missing_belong"] = _missing_quads(before, way)
    return document


def _rows(snapshot: Snapshot) -> tuple[Row, ...]:
    return (*snapshot.sets, *((tile,) for tile in snapshot.loose))


def _at(snapshot: Snapshot, spot: Spot) -> Placed | None:
    rows = _rows(snapshot)
    if spot.set >= len(rows) or spot.index >= len(rows[spot.set]):
        return None
    return rows[spot.set][spot.index]


def _moved(before: Snapshot, now: Snapshot, wanted: int, onto: int | None) -> Shift:
    """How far the row on which a set is rebuilt lies from where the set lay."""
    if onto is None:
        return 0.0, 0.0
    rows = _rows(now)
    if onto >= len(rows):
        return 0.0, 0.0
    for tile in _rows(before)[wanted]:
        for lying in rows[onto]:
            if tile.tile == lying.tile and tile.centre is not None and lying.centre is not None:
                return lying.centre[0] - tile.centre[0], lying.centre[1] - tile.centre[1]
    return 0.0, 0.0


def _quad(tile: Placed | None, by: Shift) -> list[list[float]] | None:
    if tile is None or tile.quad is None:
        return None
    return [[round(x + by[0], 1), round(y + by[1], 1)] for x, y in tile.quad]


def _missing_quads(before: Snapshot, way: Restoration) -> list[list[list[float]]]:
    """Where tiles lay that are nowhere now, as far as it is known."""
    wanted = list(way.missing)
    found = []
    for row in _rows(before):
        for tile in row:
            if tile.tile in wanted and (quad := _quad(tile, (0.0, 0.0))) is not None:
                wanted.remove(tile.tile)
                found.append(quad)
    return found
