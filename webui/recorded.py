"""Recorded games: a folder with ``game.json``, ``turns.csv``, ``frames/`` and, where there is one, ``frames.csv``."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.layout import Layout
from referee.tiles import TileError


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


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """What happened, row by row; ``frames`` are all pictures in order, also those between the rows."""

    folder: Path
    players: tuple[str, ...]
    first: str
    rules: Any
    options: tuple[str, ...]
    rows: tuple[Pressed, ...]
    frames: tuple[str, ...]

    def path(self, frame: str) -> Path:
        """Where a frame lies."""
        return self.folder / "frames" / frame


def load_recorded(folder: Path) -> RecordedGame:
    """Reads a recorded game. Raises `RecordedError`."""
    try:
        game = json.loads((folder / "game.json").read_text("utf-8"))
        players = tuple(str(p) for p in game["players"])
        first = str(game.get("first", players[0]))
        options = tuple(str(o) for o in game.get("options", ()))
        rows = tuple(_row(entry, number) for number, entry in _csv(folder / "turns.csv"))
        frames = _frames(folder)
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
    missing = [r.frame for r in rows if r.frame not in frames]
    if missing:
        raise RecordedError(f"{folder}: turns.csv names the frame {missing[0]!r:.60}, which is not in frames/")
    return RecordedGame(folder, players, first, game.get("rules", "classic"), options, rows, frames)


def _csv(path: Path) -> list[tuple[int, dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(enumerate(csv.DictReader(stream), 2))


def _row(entry: dict[str, str], line: int) -> Pressed:
    try:
        return Pressed(
            player=entry["player"],
            button=entry["button"],
            table=Layout.parse(entry["table"] or ""),
            verdict=entry["verdict"] or "",
            clock=float(entry["clock"] or 0),
            points=entry.get("points") or "",
            frame=entry["frame"],
        )
    except (TileError, ValueError) as error:
        raise RecordedError(f"turns.csv, line {line}: {error}") from None


def _frames(folder: Path) -> tuple[str, ...]:
    there = {p.name for p in (folder / "frames").iterdir()}
    listing = folder / "frames.csv"
    named = [entry["frame"] for _, entry in _csv(listing)] if listing.exists() else sorted(there)
    return tuple(n for n in named if n in there)
