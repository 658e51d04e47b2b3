"""Shared by the tests: simple pictures of tables whose readings are known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.layout import Layout
from referee.tiles import Tile
from vision.reading import Reading, TileReading, table_warnings

WIDE, HIGH = 56, 76
INKS = {"k": (30, 30, 30), "b": (190, 90, 20), "r": (40, 30, 200), "o": (20, 120, 235), "": (30, 30, 30)}


def draw_table(text: str, unsure: dict[str, str] | None = None) -> tuple[np.ndarray, Reading]:
    """A picture 1280×960 of the sets in `text` and its reading; `unsure` maps a tile to another it may be."""
    picture = np.full((960, 1280, 3), (92, 120, 96), np.uint8)
    noise = np.random.default_rng(0).integers(0, 24, picture.shape[:2], np.uint8)
    picture = cv2.add(picture, cv2.merge([noise] * 3))
    tiles: list[TileReading] = []
    rows: list[tuple[int, ...]] = []
    loose: list[int] = []
    for n, row in enumerate(Layout.parse(text).sets):
        x0, y0 = 70 + (n % 2) * 620, 70 + (n // 2) * 150
        ids = []
        for k, tile in enumerate(row):
            x, y = x0 + k * (WIDE + 3), y0 + (n * 7) % 20
            cv2.rectangle(picture, (x, y), (x + WIDE, y + HIGH), (225, 240, 246), -1)
            cv2.rectangle(picture, (x, y), (x + WIDE, y + HIGH), (120, 140, 150), 2)
            if tile.readable:
                mark = "J" if tile.is_joker else str(tile.number)
                cv2.putText(picture, mark, (x + 8, y + 40), 0, 1.1, INKS[tile.colour], 3, cv2.LINE_AA)
            other = (unsure or {}).get(str(tile))
            alternatives = ((Tile.parse(other), 0.4),) if other else ()
            quad = ((x, y), (x + WIDE, y), (x + WIDE, y + HIGH), (x, y + HIGH))
            doubted = other is not None or not tile.readable
            tiles.append(
                TileReading(len(tiles), tile, 0.55 if doubted else 0.99, doubted, quad, alternatives)
            )
            ids.append(tiles[-1].id)
        if len(ids) == 1:
            loose += ids
        else:
            rows.append(tuple(ids))
    reading = Reading(1280, 960, None, tuple(tiles), tuple(rows), tuple(loose), table_warnings(tiles))
    return picture, reading


@pytest.fixture
def tables(tmp_path: Path) -> Callable[..., Path]:
    """Writes pictures and their readings into one folder: ``tables("r3 r4 r5", ("?", {}))``."""

    def write(*texts: str | tuple[str, dict[str, str]], folder: str = "tables") -> Path:
        where = tmp_path / folder
        where.mkdir()
        for n, entry in enumerate(texts):
            text, unsure = entry if isinstance(entry, tuple) else (entry, {})
            picture, reading = draw_table(text, unsure)
            cv2.imwrite(str(where / f"frame-{n}.jpg"), picture)
            (where / f"frame-{n}.json").write_text(json.dumps(reading.to_json()), encoding="utf-8")
        return where

    return write
