"""Layouts: what lies on the table, legal or not. Legality is a question one asks of a layout.

A set is a list of tiles in the order they lie, a layout a list of sets. In text: ``b6 j b8 | r9 k9 o9``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from referee.tiles import Tile

TileSet = tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """Sets in the order they were read, each a tuple of tiles in the order they lie.

    >>> str(Layout.parse("b6 j b8 | r9 k9 o9"))
    'b6 j b8 | r9 k9 o9'
    """

    sets: tuple[TileSet, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Layout:
        """Read a layout from text; empty sets are dropped. Raises `referee.tiles.TileError`."""
        rows = (row.split() for row in text.split("|"))
        return cls(tuple(tuple(Tile.parse(t) for t in row) for row in rows if row))

    @classmethod
    def of(cls, sets: Iterable[Iterable[str]]) -> Layout:
        """From lists of tile texts, as JSON holds them."""
        return cls(tuple(tuple(Tile.parse(t) for t in row) for row in sets))

    def lists(self) -> list[list[str]]:
        """As JSON holds it."""
        return [[str(t) for t in row] for row in self.sets]

    @property
    def tiles(self) -> Counter[Tile]:
        """How many of each tile lie on the table."""
        return Counter(t for row in self.sets for t in row)

    def __str__(self) -> str:
        return " | ".join(" ".join(map(str, row)) for row in self.sets)

    def __len__(self) -> int:
        return len(self.sets)
