"""Readings: what was seen in one picture — tiles with their outlines, sets, doubts.

A reading is a frozen value that says what was seen and how sure that is; whether it is legal is a question
for the referee. It prints and parses itself as the command ``read`` does.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from referee.layout import Layout
from referee.tiles import Tile, TileError

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]

NO_TILES = "no-tiles"
TOO_MANY_COPIES = "too-many-copies"


class ReadingError(ValueError):
    """A document that is no reading."""


@dataclass(frozen=True, slots=True)
class TileReading:
    """One tile in the picture.

    ``quad`` is its outline in pixels, clockwise from the tile's own top left, as its owner reads it.
    ``confidence`` is the calibrated probability (0-1) that ``tile`` is right; ``alternatives`` are other
    readings with theirs, best first.
    """

    id: int
    tile: Tile
    confidence: float
    unsure: bool
    quad: Quad
    alternatives: tuple[tuple[Tile, float], ...] = ()

    def __post_init__(self) -> None:
        if len(self.quad) != 4 or not all(math.isfinite(v) for point in self.quad for v in point):
            raise ReadingError(f"tile {self.id}: a quad is four points, not {self.quad!r:.60}")
        if not 0 <= self.confidence <= 1:
            raise ReadingError(f"tile {self.id}: a confidence lies between 0 and 1, not {self.confidence!r}")

    @property
    def centre(self) -> Point:
        """The middle of the outline, in pixels."""
        return sum(p[0] for p in self.quad) / 4, sum(p[1] for p in self.quad) / 4

    @property
    def word(self) -> str:
        """The tile as a person is shown it: a ``?`` behind it where it is unsure."""
        name = str(self.tile)
        return f"{name}?" if self.unsure and "?" not in name else name


@dataclass(frozen=True, slots=True)
class ReadingWarning:
    """Something a person should look at: a stable ``code``, one plain sentence, the tiles it concerns."""

    code: str
    message: str
    tiles: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"code": self.code, "message": self.message, "tiles": list(self.tiles)}

    @classmethod
    def from_json(cls, entry: Any) -> ReadingWarning:
        return cls(str(entry["code"]), str(entry["message"]), tuple(int(n) for n in entry.get("tiles", [])))


@dataclass(frozen=True, slots=True)
class Reading:
    """The tiles of one picture of ``width`` × ``height`` pixels.

    ``sets`` hold tile ids in reading order; a tile in no set is in ``loose``. Every tile is in
    exactly one of them. Raises `ReadingError` where ids repeat, are unknown or are used twice.
    """

    width: int
    height: int
    path: str | None = None
    tiles: tuple[TileReading, ...] = ()
    sets: tuple[tuple[int, ...], ...] = ()
    loose: tuple[int, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()
    _by_id: dict[int, TileReading] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_id = {t.id: t for t in self.tiles}
        placed = [*(n for row in self.sets for n in row), *self.loose]
        if len(by_id) != len(self.tiles):
            raise ReadingError("two tiles of a reading have the same id")
        if sorted(placed) != sorted(by_id):
            raise ReadingError("every tile of a reading lies in one set or is loose, once")
        object.__setattr__(self, "_by_id", by_id)

    def __getitem__(self, tile_id: int) -> TileReading:
        """The tile with this id. Raises `KeyError`."""
        return self._by_id[tile_id]

    def layout(self) -> Layout:
        """The sets as the referee knows them, unread tiles as ``?``; loose tiles are in `loose_tiles`."""
        return Layout(tuple(tuple(self._by_id[n].tile for n in row) for row in self.sets))

    def loose_tiles(self) -> tuple[Tile, ...]:
        """The tiles that lie in no set."""
        return tuple(self._by_id[n].tile for n in self.loose)

    def for_box(self, copies: int = 2, jokers: int = 2) -> Reading:
        """The same reading with its warnings for a box of so many copies of each tile and so many jokers."""
        kept = tuple(w for w in self.warnings if w.code not in (TOO_MANY_COPIES, NO_TILES))
        return replace(self, warnings=(*table_warnings(self.tiles, copies, jokers), *kept))

    def to_json(self) -> dict[str, Any]:
        """As ``read --json`` prints it: pixels to a hundredth, confidences to four places."""
        return {
            "image": {"width": self.width, "height": self.height, "path": self.path},
            "tiles": [
                {
                    "id": t.id,
                    "tile": str(t.tile),
                    "confidence": round(t.confidence, 4),
                    "unsure": t.unsure,
                    "quad": [[round(x, 2), round(y, 2)] for x, y in t.quad],
                    "alternatives": [{"tile": str(a), "confidence": round(c, 4)} for a, c in t.alternatives],
                }
                for t in self.tiles
            ],
            "sets": [list(row) for row in self.sets],
            "loose": list(self.loose),
            "warnings": [w.to_json() for w in self.warnings],
        }

    @classmethod
    def from_json(cls, document: Any) -> Reading:
        """Read what `to_json` writes; keys that are not known are left alone. Raises `ReadingError`."""
        try:
            image = document["image"]
            return cls(
                width=int(image["width"]),
                height=int(image["height"]),
                path=image.get("path"),
                tiles=tuple(_tile_from_json(t) for t in document["tiles"]),
                sets=tuple(tuple(int(n) for n in row) for row in document.get("sets", [])),
                loose=tuple(int(n) for n in document.get("loose", [])),
                warnings=tuple(ReadingWarning.from_json(w) for w in document.get("warnings", [])),
            )
        except (ReadingError, TileError) as error:
            raise ReadingError(f"not a reading: {error}") from None
        except KeyError as error:
            raise ReadingError(f"not a reading: {error.args[0]!r} is missing") from None
        except (TypeError, ValueError, AttributeError) as error:
            raise ReadingError(f"not a reading as `tilekeeper read --json` prints it: {error}") from None


def _tile_from_json(entry: Any) -> TileReading:
    a, b, c, d = ((float(x), float(y)) for x, y in entry["quad"])
    others = entry.get("alternatives", [])
    return TileReading(
        id=int(entry["id"]),
        tile=Tile.parse(entry["tile"]),
        confidence=float(entry["confidence"]),
        unsure=bool(entry["unsure"]),
        quad=(a, b, c, d),
        alternatives=tuple((Tile.parse(e["tile"]), float(e["confidence"])) for e in others),
    )


def too_many_copies(
    tiles: Iterable[TileReading], copies: int = 2, jokers: int = 2
) -> tuple[ReadingWarning, ...]:
    """A warning for every tile that was read more often than the box holds it (``copies``, ``jokers``).

    Nothing is changed or dropped: one of the readings is wrong, and a person says which. Unread tiles
    count for none.
    """
    found: dict[Tile, list[TileReading]] = defaultdict(list)
    for t in tiles:
        if t.tile.readable:
            found[t.tile].append(t)
    warnings = []
    for tile, same in sorted(found.items()):
        held = jokers if tile.is_joker else copies
        if len(same) <= held:
            continue
        others = sorted({str(a) for t in same for a, _ in t.alternatives if a != tile})
        name = "jokers" if tile.is_joker else f"tiles {tile}"
        message = f"{len(same)} {name} were read, the box holds {held}: one of them is another tile"
        message += f" (perhaps {' or '.join(others)})" if others else ""
        warnings.append(ReadingWarning(TOO_MANY_COPIES, message, tuple(t.id for t in same)))
    return tuple(warnings)


def table_warnings(
    tiles: Iterable[TileReading], copies: int = 2, jokers: int = 2
) -> tuple[ReadingWarning, ...]:
    """All warnings that follow from the tiles alone: none found, or more of one than the box holds."""
    tiles = tuple(tiles)
    if not tiles:
        return (ReadingWarning(NO_TILES, "no tiles found in the picture"),)
    return too_many_copies(tiles, copies, jokers)


class TableReader(Protocol):
    """What reads a picture: `vision.reader.Reader` by its nets, `StoredReader` from files."""

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        """The reading of a picture (h, w, 3) in BGR, uint8; ``path`` is only handed on."""
        ...


@dataclass(frozen=True)
class StoredReader:
    """The file-backed twin: the reading of ``<name>.jpg`` lies in ``folder`` as ``<name>.json``."""

    folder: Path

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        """The stored reading for this path, an empty one where none is stored. Raises `ReadingError`."""
        height, width = picture.shape[:2]
        stored = self.folder / f"{Path(path or 'picture').stem}.json"
        if not stored.exists():
            return Reading(width, height, path, warnings=table_warnings(()))
        try:
            document = json.loads(stored.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ReadingError(f"{stored} is not JSON: {error}") from None
        return replace(Reading.from_json(document), path=path)
