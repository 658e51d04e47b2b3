"""Results: how a game ended and what was left on the racks, before anybody counts points.

A joker left on a rack counts what the sheet says, 30 on every bundled one (RULES.md, "joker left on a rack").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from typing import Any

from referee.documents import DocumentError, shown
from referee.layout import TileSet
from referee.sheets import Sheet
from referee.tiles import NUMBERS, Tile, TileError

MOST = 10_000
"""No rack is worth more, whatever box a sheet of one's own describes."""


class ScoreError(DocumentError):
    """Racks or results that cannot be; the text names the place in the document and what is wrong there."""


class GameEnd(StrEnum):
    """How a game ended. An abandoned one has no winner and no points and is played again (001)."""

    OUT = "out"
    BLOCKED = "blocked"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Rack:
    """What was left on a rack: its ``faces`` where known, else its ``points`` and, if known, ``count``."""

    points: int | None = None
    count: int | None = None
    faces: TileSet | None = None

    @classmethod
    def of(cls, faces: Iterable[Tile]) -> Rack:
        """A rack of known tiles."""
        row = tuple(faces)
        return cls(None, len(row), row)

    @classmethod
    def parse(cls, document: Any) -> Rack:
        """A list of tiles, a number of points, or ``{"points": 12, "tiles": 3}``. Raises `ScoreError`."""
        if isinstance(document, list | tuple):
            faces = [_tile(text, f"[{at}]") for at, text in enumerate(document)]
            return cls.of(faces)
        if isinstance(document, Mapping):
            if set(document) != {"points", "tiles"}:
                raise ScoreError("", 'a rack is a list of tiles, a number, or {"points": 12, "tiles": 3}')
            return cls(whole(document["points"], "points"), whole(document["tiles"], "tiles"))
        return cls(whole(document, ""))

    def value(self, sheet: Sheet) -> int:
        """Its points; a joker counts what the sheet says (30 on every bundled one). Raises `ScoreError`."""
        return rack_value(sheet, self.faces) if self.faces is not None else (self.points or 0)

    @property
    def empty(self) -> bool:
        return not self.count if self.points is None else not (self.points or self.count)

    def json(self) -> int | list[str] | dict[str, int] | None:
        """As `Rack.parse` reads it."""
        if self.faces is not None:
            return [str(t) for t in self.faces]
        return self.points if self.count is None else {"points": self.points or 0, "tiles": self.count}


@dataclass(frozen=True, slots=True)
class GameResult:
    """One finished game: how it ended, who went out (only then), and the racks in the players' order."""

    end: GameEnd
    winner: str | None = None
    racks: tuple[tuple[str, Rack], ...] = ()

    def json(self) -> dict[str, Any]:
        """As CONTRACT.md's `score` takes it."""
        winner = {} if self.winner is None else {"winner": self.winner}
        racks = {"racks": {name: rack.json() for name, rack in self.racks}} if self.racks else {}
        return {"end": self.end.value, **winner, **racks}


def rack_value(sheet: Sheet, tiles: Iterable[Tile]) -> int:
    """What tiles on a rack are worth: their numbers, a joker what the sheet says. Raises `ScoreError`.

    >>> from referee.sheets import load
    >>> rack_value(load("classic"), map(Tile.parse, ("k5", "j")))
    35
    """
    value = 0
    for t in tiles:
        if not t.readable:
            raise ScoreError("", f"{t} is not read; say what it is before it is counted")
        value += sheet.joker_on_rack if t.is_joker else t.number
    return value


def value_bounds(sheet: Sheet, tiles: int) -> tuple[int, int]:
    """The least and the most that so many tiles of the box can be worth on racks. Raises `ScoreError`."""
    if not 0 <= tiles <= sheet.tiles:
        raise ScoreError("", f"{tiles} tiles, where the box holds {sheet.tiles}")
    sums = _sums(sheet.copies, sheet.jokers, sheet.joker_on_rack)
    return sums[tiles], sums[-1] - sums[sheet.tiles - tiles]


@lru_cache(maxsize=32)
def _sums(copies: int, jokers: int, joker: int) -> tuple[int, ...]:
    """What the cheapest 0, 1, 2 ... tiles of a box are worth together."""
    worths = sorted([n for n in NUMBERS for _ in range(4 * copies)] + [joker] * jokers)
    return tuple(accumulate(worths, initial=0))


def read_result(game: Any) -> GameResult:
    """One game of a `score` document. Raises `ScoreError`."""
    if not isinstance(game, Mapping):
        raise ScoreError("", f"a game is an object with its end, not {shown(game)}")
    end = required(game, "end")
    if end not in tuple(GameEnd):
        raise ScoreError("end", f"one of {', '.join(GameEnd)}, not {shown(end)}")
    winner = game.get("winner")
    if winner is not None and not isinstance(winner, str):
        raise ScoreError("winner", f"a player's name, not {shown(winner)}")
    if end == GameEnd.ABANDONED:
        if winner is not None:
            raise ScoreError("winner", "an abandoned game has none")
        return GameResult(GameEnd.ABANDONED)
    if end == GameEnd.OUT and winner is None:
        raise ScoreError("winner", "who went out is missing")
    racks = required(game, "racks")
    if not isinstance(racks, Mapping):
        raise ScoreError("racks", f"an object of racks by player, not {shown(racks)}")
    return GameResult(GameEnd(end), winner, tuple((name, _rack(name, rack)) for name, rack in racks.items()))


def _rack(name: str, document: Any) -> Rack:
    try:
        return Rack.parse(document)
    except ScoreError as error:
        raise error.within(f"racks.{name:.40}") from None


def _tile(text: Any, place: str) -> Tile:
    try:
        return Tile.parse(text)
    except TileError as error:
        raise ScoreError(place, str(error)) from None


def whole(value: Any, place: str) -> int:
    """Points or a number of tiles. Raises `ScoreError`."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        raise ScoreError(place, f"a whole number from 0 to {MOST}, not {shown(value)}")
    return value


def required(document: Mapping[str, Any], key: str) -> Any:
    """The value of a key that has to be there. Raises `ScoreError`."""
    if key not in document:
        raise ScoreError(key, "missing")
    return document[key]
