"""What people said about tiles that were read wrong or not for sure: an answer holds while that tile lies there."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from referee.tiles import Tile
from vision.reading import Quad, Reading, TileReading, table_warnings

NEAR = 0.45
"""How far a tile may have shifted since the answer, in its own width, and still be the same."""


@dataclass(frozen=True, slots=True)
class Answer:
    """At this place lies this tile; ``read`` is what the reader had taken it for."""

    x: float
    y: float
    width: float
    tile: Tile
    read: Tile

    def meant(self, tile: TileReading) -> bool:
        """Whether it is about this tile: it lies there, and is read as before or as what was answered."""
        x, y = tile.centre
        likely = (tile.tile, *(other for other, _ in tile.alternatives))
        near = math.hypot(x - self.x, y - self.y) < NEAR * self.width
        return near and (self.read in likely or self.tile in likely or not tile.tile.readable)


def answer_for(reading: Reading, tile_id: int, tile: Tile) -> Answer:
    """The answer that a tile of a reading is another. Raises `KeyError` for a tile that is not in it."""
    asked = reading[tile_id]
    x, y = asked.centre
    return Answer(x, y, quad_width(asked.quad), tile, asked.tile)


def quad_width(quad: Quad) -> float:
    """The shorter side of a quad, in pixels."""
    return min(math.dist(quad[0], quad[1]), math.dist(quad[0], quad[3]))


def with_answers(reading: Reading, answers: tuple[Answer, ...]) -> tuple[Reading, tuple[Answer, ...]]:
    """The reading as corrected, and the answers that still hold: one whose tile is gone is forgotten."""
    if not answers:
        return reading, answers
    tiles, held = [], []
    for tile in reading.tiles:
        answer = next((a for a in answers if a.meant(tile)), None)
        if answer is not None:
            held.append(answer)
            tile = replace(tile, tile=answer.tile, confidence=1.0, unsure=False, alternatives=())
        tiles.append(tile)
    warnings = (*table_warnings(tiles), *(w for w in reading.warnings if w.code not in ("too-many-copies", "no-tiles")))
    return replace(reading, tiles=tuple(tiles), warnings=warnings), tuple(held)
