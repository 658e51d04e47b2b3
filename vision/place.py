"""The table's place over time: the playing area as it lies in the newest picture, and whether the camera was moved.

`Place` is a frozen value; each picture at rest gives the next one. Pictures are compared from rest to rest, so that
only one turn's changes lie between them, and tiles are left out: they move, the table does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import cv2
import numpy as np

from vision import shift
from vision.cover import Cover
from vision.proposal import Basis, propose
from vision.reading import Quad, Reading, TableReader, TileReading, table_warnings
from vision.shift import Shift, ShiftKind, follow
from vision.table import TableError, TableView, checked, whole

CONFIDENT_AREA = 0.4
"""Least share of the picture that a table has that is proposed by itself: what is smaller may be a rack or a tray."""
TRIES = 3
"""Pictures at rest in which the table's edges are looked for."""
CREEP_EVERY = 5
"""After so many rests a picture is compared with an old one too: shifts too small to be seen add up."""
CREEP = 12.0
"""Pixels of a picture 1280 wide by which a camera may have crept meanwhile."""
LIKELY = 0.5
"""Share of the picture that must agree on a creeping camera."""
VISIBLE = 0.6
"""Share of an area that must still be in the picture to be kept after the camera was moved."""
PROPORTION = 0.01


class PlaceError(ValueError):
    """Corners that cannot be taken, or a kept place that cannot be used; one line."""


class Source(StrEnum):
    """Where an area comes from."""

    NONE = "none"
    """Nobody said anything, and nothing was plain enough to be proposed."""
    PROPOSED = "proposed"
    HAND = "hand"
    GIVEN = "given"
    """By a recorded game."""


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where people play, in the pixels of a picture of ``size`` (width, height).

    ``view`` is None where the whole picture counts. ``moved`` is the large shift that somebody has to put right.
    ``newest`` and ``anchor`` are small pictures: of the last rest, and of one some rests ago. ``tries`` counts the
    pictures in which edges were looked for.
    """

    view: TableView | None = None
    source: Source = Source.NONE
    size: tuple[int, int] | None = None
    moved: Shift | None = None
    newest: np.ndarray | None = None
    anchor: np.ndarray | None = None
    rests: int = 0
    tries: int = 0

    @classmethod
    def at(
        cls, corners: Sequence[Sequence[float]] | None, size: tuple[int, int], source: Source = Source.HAND
    ) -> Place:
        """An area by its corners in a picture of ``size``, None for all of it. Raises `vision.table.TableError`."""
        quad = whole(*size) if corners is None else checked(corners)
        return cls(None if _is_whole(quad, size) else TableView.of(quad, *size), source, size)

    @property
    def corners(self) -> Quad | None:
        """The corners in pixels; None where the whole picture counts."""
        return self.view.corners if self.view else None

    @property
    def undecided(self) -> bool:
        """Whether the table's edges are still to be looked for."""
        return self.source is Source.NONE and self.tries < TRIES

    def seen(self, picture: np.ndarray, tiles: np.ndarray) -> tuple[Place, Shift]:
        """The place in the next picture at rest, and how the camera was shifted since the last one.

        Args:
            picture: uint8 (h, w, 3).
            tiles: (n, 4, 2) outlines of the tiles known before, in the pixels of the last picture.

        A small shift is followed: the homography leads from pixels of the last picture to pixels of this one. A
        large one makes the place ``moved``, until it is put right or the camera is back where it was. So does a
        picture of other proportions; one of another size in the same proportions is scaled.
        """
        size, small = (picture.shape[1], picture.shape[0]), _small(picture)
        if self.newest is None or self.size is None:
            return self._noted(small, size), _none()
        if not _alike(size, self.size):
            large = Shift(ShiftKind.LARGE, None, support=0.0)
            return replace(self, moved=large), large
        if size == self.size:
            return self._compared(small, tiles)
        factor = size[0] / self.size[0]
        there, step = self._scaled(size, small)._compared(small, factor * np.asarray(tiles, float))
        if there.moved is not None or step.homography is None:
            return replace(self, moved=step), step
        return there, replace(step, kind=ShiftKind.SMALL, homography=step.homography @ np.diag([factor, factor, 1.0]))

    def unmoved(self, picture: np.ndarray) -> Place:
        """The place where the next picture at rest looks quite different, and yet the camera stands where it stood."""
        small = _small(picture)
        return replace(self, newest=small, anchor=small, rests=0, moved=None)

    def put_right(self, picture: np.ndarray, tiles: np.ndarray) -> tuple[Place, Shift | None]:
        """The place after a large shift, and the shift if it is known.

        An area that was set by hand goes along where it can; else the table's edges are looked for.

        Args:
            picture: uint8 (h, w, 3), as the camera stands now.
            tiles: (n, 4, 2) outlines of the tiles found in it, in its pixels.
        """
        known = self.moved if self.moved is not None and self.moved.homography is not None else None
        size = picture.shape[1], picture.shape[0]
        if self.view is None and self.source is not Source.NONE:
            return Place(None, self.source)._noted(_small(picture), size), known
        if self.view is not None and known is not None and self.source is not Source.PROPOSED:
            try:
                view = self.view.moved(np.asarray(known.homography))
                if _share(view.corners, size) >= VISIBLE:
                    return Place(view, self.source, size)._noted(_small(picture), size), known
            except TableError:
                pass
        return self.proposed(picture, tiles), known

    def proposed(self, picture: np.ndarray, tiles: np.ndarray) -> Place:
        """With the table's own edges as area where they are plain to see, else with the whole picture.

        Args:
            tiles: (n, 4, 2) outlines of all tiles found in the picture; they are inside the area.
        """
        size, small = (picture.shape[1], picture.shape[0]), _small(picture)
        found = confident(picture, tiles)
        if found is None:
            return Place(None, Source.NONE, size, newest=small, anchor=small, tries=self.tries + 1)
        return Place(TableView.of(found, *size), Source.PROPOSED, size, newest=small, anchor=small)

    def to_json(self) -> dict[str, Any]:
        """What is kept of it: the area, and the picture's size for which it holds."""
        return {
            "source": self.source.value,
            "size": list(self.size or (0, 0)),
            "corners": [[round(x, 2), round(y, 2)] for x, y in self.corners] if self.corners else None,
        }

    @classmethod
    def from_json(cls, document: Any) -> Place:
        """Reads what `to_json` writes. Raises `PlaceError`."""
        try:
            width, height = (int(v) for v in document["size"])
            if min(width, height) < 1:
                raise ValueError("a picture has a size")
            return cls.at(document["corners"], (width, height), Source(document["source"]))
        except (TableError, KeyError, TypeError, ValueError) as error:
            raise PlaceError(f"no playing area: {error}") from None

    def _noted(self, small: np.ndarray, size: tuple[int, int]) -> Place:
        """The first picture that is seen of it: an area for pictures of another size is scaled, or given up."""
        there = self
        if self.size is not None and self.size != size:
            there = self._scaled(size, small) if _alike(self.size, size) else Place()
        return replace(there, size=size, newest=small, anchor=small, rests=0, moved=None)

    def _scaled(self, size: tuple[int, int], small: np.ndarray) -> Place:
        """The same in pictures of another size: ``small`` is one of them, made small."""
        view = self.view
        if view is not None and self.size is not None:
            factor = np.array(size) / self.size
            view = TableView.of((np.array(view.corners) * factor).tolist(), *size)
        newest, anchor = _resized(self.newest, small), _resized(self.anchor, small)
        return replace(self, view=view, size=size, newest=newest, anchor=anchor)

    def _compared(self, small: np.ndarray, tiles: np.ndarray) -> tuple[Place, Shift]:
        assert self.newest is not None and self.size is not None
        over = _over(tiles, self.size)
        step = follow(self.newest, small, over)
        if step.kind is ShiftKind.LARGE:
            step = _enlarged(step, self.size, small)
            return replace(self, moved=step), step
        renewed = step.kind is ShiftKind.SMALL
        if not renewed and self.anchor is not None and self.rests + 1 >= CREEP_EVERY:
            renewed = True
            crept = follow(self.anchor, small, over)
            if (
                crept.kind is ShiftKind.SMALL
                and crept.pixels <= CREEP * small.shape[1] / 1280
                and crept.support > LIKELY
            ):
                step = crept
        step = _enlarged(step, self.size, small)
        there = replace(self, newest=small, rests=self.rests + 1, moved=None)
        if renewed:
            there = replace(there, anchor=small, rests=0)
        if self.view is not None and step.homography is not None and step.kind is ShiftKind.SMALL:
            there = replace(there, view=self.view.moved(step.homography))
        return there, step


def confident(picture: np.ndarray, tiles: np.ndarray) -> Quad | None:
    """The table's own edges (pixels) where they are plain to see; None where the whole picture should count.

    Args:
        tiles: (n, 4, 2) outlines of all tiles found in the picture; without them a rack looks like a table.
    """
    size = picture.shape[1], picture.shape[0]
    found = propose(picture, tiles)
    if found.basis is not Basis.EDGES or _is_whole(found.corners, size):
        return None
    return found.corners if _share(found.corners, size, of_picture=True) >= CONFIDENT_AREA else None


def read_in(reader: TableReader, place: Place, picture: np.ndarray, path: str | None = None) -> Reading:
    """Reads the playing area of a picture: only the part that holds it is looked at, tiles outside are left out.

    Quads are in pixels of the whole picture.
    """
    if place.view is None:
        return reader.read(picture, path)
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = place.view.bounds(width, height)
    reading = reader.read(np.ascontiguousarray(picture[y0:y1, x0:x1]), path)
    # A stored reading speaks of the whole picture, whatever part of it was handed over.
    offset = (x0, y0) if (reading.width, reading.height) == (x1 - x0, y1 - y0) else (0, 0)
    return within(replace(reading, width=width, height=height), place.view, offset)


def within(reading: Reading, view: TableView, offset: tuple[float, float] = (0, 0)) -> Reading:
    """The reading with its tiles moved by ``offset`` pixels and those outside the area left out."""
    dx, dy = offset
    tiles = [replace(t, quad=tuple((x + dx, y + dy) for x, y in t.quad)) for t in reading.tiles]  # type: ignore[arg-type]
    inside = view.inside(quads_of(tiles))
    kept = tuple(t for t, is_in in zip(tiles, inside, strict=True) if is_in)
    if len(kept) == len(tiles):
        return replace(reading, tiles=tuple(tiles))
    ids = {t.id for t in kept}
    rows = [tuple(n for n in row if n in ids) for row in reading.sets]
    loose = [*(n for n in reading.loose if n in ids), *(row[0] for row in rows if len(row) == 1)]
    sets = tuple(row for row in rows if len(row) > 1)
    return replace(reading, tiles=kept, sets=sets, loose=tuple(loose), warnings=table_warnings(kept))


def quads_of(tiles: Sequence[TileReading]) -> np.ndarray:
    """The outlines (n, 4, 2) of tiles."""
    return np.array([t.quad for t in tiles], float).reshape(-1, 4, 2)


def _small(picture: np.ndarray) -> np.ndarray:
    scale = min(1.0, shift.WIDTH / picture.shape[1])
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture


def _resized(picture: np.ndarray | None, like: np.ndarray) -> np.ndarray | None:
    return None if picture is None else cv2.resize(picture, like.shape[1::-1], interpolation=cv2.INTER_AREA)


def _over(tiles: np.ndarray, size: tuple[int, int]) -> Cover:
    """The places of tiles, with their shadows: what is drawn there says nothing of the camera."""
    quads = np.asarray(tiles, float).reshape(-1, 4, 2)
    middle = quads.mean(1, keepdims=True)
    return Cover.of_polygons(middle + 1.3 * (quads - middle), *size) if len(quads) else Cover.nothing()


def _enlarged(step: Shift, size: tuple[int, int], small: np.ndarray) -> Shift:
    """A shift between small pictures as one between pictures of ``size``."""
    if step.homography is None:
        return step
    scale = np.diag([small.shape[1] / size[0], small.shape[0] / size[1], 1.0])
    return replace(step, homography=np.linalg.inv(scale) @ step.homography @ scale)


def _none() -> Shift:
    return Shift(ShiftKind.NONE, np.eye(3))


def _alike(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return abs(a[0] / a[1] / (b[0] / b[1]) - 1) < PROPORTION


def _share(corners: Quad, size: tuple[int, int], of_picture: bool = False) -> float:
    """The share of an area that lies in the picture, or the share of the picture that it covers."""
    area = np.array(corners, np.float32)
    seen = float(cv2.intersectConvexConvex(area, np.array(whole(*size), np.float32))[0])
    return seen / (size[0] * size[1] if of_picture else max(1.0, abs(float(cv2.contourArea(area)))))


def _is_whole(corners: Quad, size: tuple[int, int]) -> bool:
    off = np.abs(np.array(corners) - np.array(whole(*size))).max()
    return bool(off <= 0.004 * max(size))
