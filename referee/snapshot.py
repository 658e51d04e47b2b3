"""Snapshots: the table as it lies at one moment, sets with places, as a value that can be kept and compared.

A snapshot comes from a plain layout (no places) or from a reading of a picture (each tile with its quad).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.documents import DocumentError
from referee.layout import Layout
from referee.tiles import Tile, TileError

MOST_TILES = 400
"""More than any box holds (160), with room for a picture misread."""

LARGEST_PIXEL = 1_000_000
"""No picture is larger, and distances within it stay numbers."""

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]


class SnapshotError(DocumentError):
    """A document that is neither a layout nor a reading; the text names the place in it."""


@dataclass(frozen=True, slots=True)
class Placed:
    """One tile as it lies: its outline in the picture's pixels (clockwise from its own top left) and its
    id, if known.
    """

    tile: Tile
    quad: Quad | None = None
    id: int | None = None

    @property
    def centre(self) -> Point | None:
        """The middle of the quad, in pixels."""
        if self.quad is None:
            return None
        return sum(x for x, _ in self.quad) / 4, sum(y for _, y in self.quad) / 4


Row = tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Sets in the order they were read, and the tiles that lie in no set.

    >>> Snapshot.of([["b6", "j", "b8"], ["r9"]]).layout.lists()
    [['b6', 'j', 'b8'], ['r9']]
    """

    sets: tuple[Row, ...] = ()
    loose: Row = ()

    @classmethod
    def of(cls, document: Any, where: str = "layout") -> Snapshot:
        """From JSON: a layout (list of lists of tile texts) or a reading (``tiles``, ``sets``, ``loose``).

        Args:
            document: what the JSON parser returned.
            where: how messages call this document.

        Raises:
            SnapshotError: in one line, with the place in the document.
        """
        if isinstance(document, Mapping):
            return _bounded(_from_reading(document, where), where)
        rows = _listed(document, where, "a list of sets, or a reading with tiles and sets")
        snapshot = cls(
            tuple(
                tuple(
                    Placed(_tile(text, f"{where}[{i}][{j}]"))
                    for j, text in enumerate(_listed(row, f"{where}[{i}]", "a list of tiles"))
                )
                for i, row in enumerate(rows)
            )
        )
        return _bounded(snapshot, where)

    @classmethod
    def of_layout(cls, layout: Layout) -> Snapshot:
        """From a layout: no places, nothing loose."""
        return cls(tuple(tuple(Placed(t) for t in row) for row in layout.sets))

    @property
    def rows(self) -> tuple[Row, ...]:
        """All that lies there: the sets, then each loose tile as a row of its own."""
        return self.sets + tuple((placed,) for placed in self.loose)

    @property
    def layout(self) -> Layout:
        """The sets as a layout, without the loose tiles."""
        return Layout(tuple(tuple(p.tile for p in row) for row in self.sets))

    @property
    def tiles(self) -> Counter[Tile]:
        """How many of each tile lie there, loose ones included."""
        return Counter(p.tile for row in self.rows for p in row)

    def document(self) -> Any:
        """As JSON holds it: a layout if nothing has a place, an id or is loose, else a reading; `of` reads
        both.
        """
        placed = [p for row in self.rows for p in row]
        if not self.loose and all(p.quad is None and p.id is None for p in placed):
            return self.layout.lists()
        ids = iter(range(len(placed)))
        known = [p.id for p in placed if p.id is not None]
        keep = len(known) == len(placed)
        tiles: list[dict[str, Any]] = []

        def add(p: Placed) -> int:
            number = next(ids)
            ident = p.id if keep and p.id is not None else number
            entry: dict[str, Any] = {"id": ident, "tile": str(p.tile)}
            if p.quad is not None:
                entry["quad"] = [list(point) for point in p.quad]
            tiles.append(entry)
            return ident

        sets = [[add(p) for p in row] for row in self.sets]
        return {"tiles": tiles, "sets": sets, "loose": [add(p) for p in self.loose]}


def _from_reading(document: Mapping[str, Any], where: str) -> Snapshot:
    for key in ("tiles", "sets"):
        if key not in document:
            raise SnapshotError(where, f"a reading needs {key!r}")
    placed: dict[int, Placed] = {}
    for i, entry in enumerate(_listed(document["tiles"], f"{where}.tiles", "a list of tiles")):
        at = f"{where}.tiles[{i}]"
        if not isinstance(entry, Mapping):
            raise SnapshotError(at, "must be an object with id and tile")
        ident = entry.get("id")
        if isinstance(ident, bool) or not isinstance(ident, int):
            raise SnapshotError(f"{at}.id", "must be a whole number")
        if ident in placed:
            raise SnapshotError(f"{at}.id", f"{ident} is there twice")
        quad = entry.get("quad")
        placed[ident] = Placed(
            _tile(entry.get("tile"), f"{at}.tile"), None if quad is None else _quad(quad, f"{at}.quad"), ident
        )
    used: set[int] = set()

    def take(ident: Any, at: str) -> Placed:
        if isinstance(ident, bool) or not isinstance(ident, int) or ident not in placed:
            raise SnapshotError(at, f"no tile has the id {ident!r:.40}")
        if ident in used:
            raise SnapshotError(at, f"tile {ident} lies in two places")
        used.add(ident)
        return placed[ident]

    sets = tuple(
        tuple(
            take(ident, f"{where}.sets[{i}][{j}]")
            for j, ident in enumerate(_listed(row, f"{where}.sets[{i}]", "a list of ids"))
        )
        for i, row in enumerate(_listed(document["sets"], f"{where}.sets", "a list of lists of ids"))
    )
    listed = _listed(document.get("loose", []), f"{where}.loose", "a list of ids")
    loose = [take(ident, f"{where}.loose[{i}]") for i, ident in enumerate(listed)]
    # A tile that the reading puts nowhere still lies on the table: it must not vanish.
    loose += [p for ident, p in placed.items() if ident not in used]
    return Snapshot(sets, tuple(loose))


def _bounded(snapshot: Snapshot, where: str) -> Snapshot:
    count = sum(map(len, snapshot.rows))
    if count > MOST_TILES or len(snapshot.rows) > MOST_TILES:
        raise SnapshotError(where, f"{count} tiles; {MOST_TILES} is the most")
    return snapshot


def _listed(value: Any, where: str, what: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise SnapshotError(where, f"must be {what}")
    return value


def _tile(text: Any, where: str) -> Tile:
    try:
        return Tile.parse(text)
    except TileError as error:
        raise SnapshotError(where, str(error)) from None


def _quad(value: Any, where: str) -> Quad:
    points: list[Point] = []
    for point in _listed(value, where, "four points [x, y]"):
        xy = list(point) if isinstance(point, list | tuple) else []
        if len(xy) != 2 or not all(_in_picture(v) for v in xy):
            raise SnapshotError(where, f"must be four points [x, y] of finite numbers up to {LARGEST_PIXEL}")
        points.append((float(xy[0]), float(xy[1])))
    if len(points) != 4:
        raise SnapshotError(where, f"must be four points [x, y], not {len(points)}")
    return points[0], points[1], points[2], points[3]


def _in_picture(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST_PIXEL
