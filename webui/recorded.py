"""Recorded games: a folder with ``game.json``, ``turns.csv``, ``frames/`` and, where there is one, ``frames.csv``.

``turns.csv`` has a row a button: ``player``, ``button``, ``table``, ``verdict``, ``clock`` (seconds since the row
before), ``points``, ``frame``; and, where they are known, ``left`` (seconds on the clock when it was pressed),
``state`` (the match after it, as `state_line` says it) and ``data`` (what went with the button, JSON).
``frames.csv`` has a row a picture: ``frame``, ``seconds`` since the game began, ``state`` (``rest``, ``hand``, …) and
``table``, the layout that lies there.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.layout import Layout
from referee.match import MatchState, Phase
from referee.tiles import TileError
from vision.place import Place, Source
from vision.table import TableError

HAND = "hand"
"""The state of a picture in which a hand is over the table."""
BEFORE_S = 3.0
"""How long before its button a picture was taken, where that is not said."""


class RecordedError(ValueError):
    """A folder that is no recorded game; one line that names the place."""


@dataclass(frozen=True, slots=True)
class Pressed:
    """One row of ``turns.csv``: a button, the table as it lay, what was said, seconds since the row before."""

    player: str
    button: str
    table: Layout
    verdict: str
    clock: float
    points: str
    frame: str
    left: float | None = None
    state: str = ""
    data: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedFrame:
    """One picture: when it was taken (seconds), what it shows, and the layout if it is known."""

    name: str
    seconds: float
    state: str = ""
    table: Layout | None = None

    @property
    def hand(self) -> bool:
        """Whether a hand is over the table, so that nothing may be judged."""
        return self.state == HAND


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """What happened, row by row; ``frames`` are all pictures in order, also those between the rows."""

    folder: Path
    players: tuple[str, ...]
    first: str
    rules: Any
    options: tuple[str, ...]
    rows: tuple[Pressed, ...]
    frames: tuple[RecordedFrame, ...]
    place: Place | None = None
    """Where people played, as the camera saw it; None where that is not known."""

    def path(self, frame: str) -> Path:
        """Where a frame lies."""
        return self.folder / "frames" / frame


def state_line(state: MatchState) -> str:
    """A match in one line: whose turn, what everybody holds (``*``: has opened), the pool, the table's tiles.

    >>> state_line(MatchState())
    'empty'
    """
    if state.phase is Phase.EMPTY:
        return state.phase.value
    turn = state.turn
    who = f"{turn.player} {turn.stage.value}" if turn else (state.next or state.winner or "")
    if not state.racks:
        return f"{state.phase.value} {who}".strip()
    racks = " ".join(f"{n}:{count}{'*' if n in state.opened else ''}" for n, count in state.racks)
    return f"{state.phase.value} {who} | {racks} | pool {state.pool} | table {sum(state.table.tiles.values())}"


def load_recorded(folder: Path) -> RecordedGame:
    """Reads a recorded game. Raises `RecordedError`."""
    try:
        game = json.loads((folder / "game.json").read_text("utf-8"))
        players = tuple(str(p) for p in game["players"])
        first = str(game.get("first", players[0]))
        options = tuple(str(o) for o in game.get("options", ()))
        rows = tuple(_row(entry, number) for number, entry in _csv(folder / "turns.csv"))
        frames = _frames(folder, rows)
        place = _place(game)
    except RecordedError as error:
        raise RecordedError(f"{folder}: {error}") from None
    except OSError as error:
        name = Path(error.filename or folder).name
        raise RecordedError(
            f"{folder} is no recorded game: {name}: {(error.strerror or 'unreadable').lower()}"
        ) from None
    except (
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        json.JSONDecodeError,
        csv.Error,
        UnicodeDecodeError,
    ) as error:
        raise RecordedError(f"{folder}: game.json or turns.csv cannot be used: {error}") from None
    if not rows:
        raise RecordedError(f"{folder}: turns.csv has no rows")
    order = {f.name: n for n, f in enumerate(frames)}
    for number, row in enumerate(rows):
        if row.frame not in order:
            raise RecordedError(f"{folder}: turns.csv names the frame {row.frame!r:.60}, which is not in frames/")
        if number and order[row.frame] < order[rows[number - 1].frame]:
            where = f"{folder}: turns.csv, line {number + 2}"
            raise RecordedError(f"{where}: {row.frame} is before the frame of the row above")
    return RecordedGame(folder, players, first, game.get("rules", "classic"), options, rows, frames, place)


def _place(game: Mapping[str, Any]) -> Place | None:
    corners, camera = game.get("corners"), game.get("camera") or {}
    if corners is None or not {"width", "height"} <= set(camera):
        return None
    try:
        return Place.at(corners, (int(camera["width"]), int(camera["height"])), Source.GIVEN)
    except (TableError, ValueError) as error:
        raise RecordedError(f"game.json: corners: {error}") from None


def _csv(path: Path) -> list[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(enumerate(csv.DictReader(stream), 2))


def _row(entry: Mapping[str, str], line: int) -> Pressed:
    try:
        left = entry.get("left") or ""
        data = json.loads(entry.get("data") or "{}")
        if not isinstance(data, dict):
            raise ValueError("data is no JSON object")
        return Pressed(
            player=entry["player"],
            button=entry["button"],
            table=Layout.parse(entry["table"] or ""),
            verdict=entry["verdict"] or "",
            clock=_seconds(entry["clock"] or "0"),
            points=entry.get("points") or "",
            frame=entry["frame"],
            left=_seconds(left) if left else None,
            state=entry.get("state") or "",
            data=tuple(data.items()),
        )
    except (TileError, ValueError) as error:
        raise RecordedError(f"turns.csv, line {line}: {error}") from None


def _seconds(text: str) -> float:
    seconds = float(text)
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"{text:.20} is no number of seconds")
    return seconds


def _frames(folder: Path, rows: tuple[Pressed, ...]) -> tuple[RecordedFrame, ...]:
    there = {p.name for p in (folder / "frames").iterdir()}
    listing = folder / "frames.csv"
    if not listing.exists():
        return _undated(sorted(n for n in there if not n.endswith(".json")), rows)
    frames: list[RecordedFrame] = []
    for line, entry in _csv(listing):
        try:
            table = Layout.parse(entry["table"] or "") if entry.get("table") is not None else None
            frame = RecordedFrame(entry["frame"], _seconds(entry["seconds"]), entry.get("state") or "", table)
        except (TileError, ValueError) as error:
            raise RecordedError(f"frames.csv, line {line}: {error}") from None
        if frame.name not in there:
            raise RecordedError(f"frames.csv, line {line}: {frame.name!r:.60} is not in frames/")
        if frames and frame.seconds < frames[-1].seconds:
            raise RecordedError(f"frames.csv, line {line}: {frame.name:.60} was taken before the one above")
        frames.append(frame)
    return tuple(frames)


def _undated(names: list[str], rows: tuple[Pressed, ...]) -> tuple[RecordedFrame, ...]:
    """Pictures of which nobody wrote when they were taken: each shortly before the next row's button."""
    pressed: dict[str, float] = {}
    seconds = 0.0
    for row in rows:
        seconds += row.clock
        pressed.setdefault(row.frame, seconds)
    later, dated = math.inf, []
    for name in reversed(names):
        at = min(later, pressed.get(name, math.inf))
        later = max(0.0, at - BEFORE_S) if math.isfinite(at) else seconds
        dated.append(RecordedFrame(name, later))
    return tuple(reversed(dated))
