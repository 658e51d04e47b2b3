"""What people say of the table as it was read: a tile's name, a tile that is not seen, which sets a line of tiles is.

Each raises `PlayError` where it makes no sense.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from referee.tiles import Tile, TileError
from vision.reading import Reading
from vision.tracked import Question
from vision.tracking import Tracker, TrackingError
from webui.added import quad_at
from webui.asked import text_in, whole_in
from webui.lines import Lines, Parts
from webui.play import PlayError


def answer(tracker: Tracker, lines: Lines, known: Reading, data: Mapping[str, Any]) -> None:
    """A tile is what somebody says it is; with no tile, nothing lies there."""
    try:
        tile = None if data.get("tile", "") is None else Tile.parse(text_in(data, "tile"))
        tracker.answer(whole_in(data, "id"), tile)
    except (TileError, TrackingError) as error:
        raise PlayError("no-such-tile", str(error)) from None


def add(tracker: Tracker, lines: Lines, known: Reading, data: Mapping[str, Any]) -> None:
    """A tile that the camera does not see lies where somebody tapped on the picture."""
    at = data.get("at")
    if not (isinstance(at, list) and len(at) == 2 and all(type(v) in (int, float) for v in at)):
        raise PlayError("bad-request", "at is missing")
    if not (0 <= at[0] < known.width and 0 <= at[1] < known.height):
        raise PlayError("no-such-place", "that place is not in the picture")
    try:
        tracker.add(np.array(quad_at(known, at[0], at[1])), Tile.parse(text_in(data, "tile")))
    except (TileError, TrackingError) as error:
        raise PlayError("no-such-tile", str(error)) from None


def part(tracker: Tracker, lines: Lines, known: Reading, data: Mapping[str, Any]) -> None:
    """The tiles of a line (``ids``) are these sets (``parts``); with None, nothing is said of them any more."""
    try:
        lines.say(_ids(data.get("ids")), None if data.get("parts", ()) is None else _parts(data.get("parts")))
    except LookupError:
        raise PlayError("stale-table", "that is not asked any more: look again") from None


TOLD: dict[str, Callable[[Tracker, Lines, Reading, Mapping[str, Any]], None]] = {
    "answer": answer,
    "add": add,
    "part": part,
}
"""By their buttons."""


def _ids(value: Any) -> tuple[int, ...]:
    if not isinstance(value, list) or not value or not all(type(n) is int for n in value):
        raise PlayError("bad-request", "the tiles of the line are missing")
    return tuple(value)


def _parts(value: Any) -> Parts:
    if not isinstance(value, list) or not value:
        raise PlayError("bad-request", "the parts of the line are missing")
    return tuple(map(_ids, value))


def question_json(question: Question) -> dict[str, Any]:
    """What is asked of a tile, for the pages."""
    return {
        "id": question.id,
        "text": question.text,
        "choices": [str(tile) for tile, _ in question.choices],
        "missing": question.missing,
    }
