"""How well readings agree with labelled photos: the figures, and every pair of labelled and read tile.

Labels map a photo's file name to its size and tiles. A photo has a ``scene`` (``table``, ``loose``,
``rack``) with ``tiles`` or ``sets`` of ``{"tile", "at"}``, ``at`` lying on the printed face and missing in
some; or it has tiles with a ``polygon``, of which the centre is taken (scene ``tiles``). ``complete`` says
that every tile in the picture is labelled; a label ``?6`` leaves the colour open.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from referee.tiles import Tile, TileError
from vision.reading import Reading, TileReading

SLACK = 1.15
"""A label's point counts as covered by a quad that is grown so much about its centre."""


class LabelsError(ValueError):
    """Labels that cannot be used; the text names the photo."""


@dataclass(frozen=True, slots=True)
class Label:
    """A tile that lies in the picture: the tile (``?6``: any colour) and a point on its face, in pixels."""

    tile: Tile
    at: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class LabelledPhoto:
    """What lies in one photo. ``series`` is one table in one light; ``sets`` only where scored."""

    name: str
    scene: str
    series: str
    tiles: tuple[Label, ...]
    sets: tuple[tuple[Tile, ...], ...] = ()
    complete: bool = False

    @property
    def placed(self) -> bool:
        """Whether every label says where its tile lies."""
        return all(label.at is not None for label in self.tiles)


@dataclass(frozen=True, slots=True)
class Pair:
    """A labelled tile and what was read there (None: nothing)."""

    photo: str
    label: Label
    read: TileReading | None

    @property
    def number_right(self) -> bool:
        return self.read is not None and same_number(self.label.tile, self.read.tile)

    @property
    def right(self) -> bool:
        return self.read is not None and same_tile(self.label.tile, self.read.tile)


@dataclass(frozen=True, slots=True)
class Figures:
    """Counts over one photo or several; they add up."""

    photos: int = 0
    tiles: int = 0
    found: int = 0
    extra: int = 0
    right: int = 0
    number: int = 0
    sets: int = 0
    sets_right: int = 0
    exact: int = 0
    sure_wrong: int = 0
    unsure: int = 0

    def __add__(self, other: Figures) -> Figures:
        return Figures(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    def to_json(self) -> dict[str, int]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Scored:
    """One photo's figures, its pairs, and the read tiles that cover no label."""

    photo: LabelledPhoto
    figures: Figures
    pairs: tuple[Pair, ...]
    extra: tuple[TileReading, ...] = ()


def parse_labels(document: Any) -> tuple[LabelledPhoto, ...]:
    """Labelled photos by name; photos without any tile are left out. Raises `LabelsError`."""
    if not isinstance(document, Mapping):
        raise LabelsError("labels are an object of photos by their file names")
    photos = []
    for name, entry in sorted(document.items()):
        try:
            photo = _photo(str(name), entry)
        except (TileError, KeyError, TypeError, ValueError, AttributeError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            raise LabelsError(f"the labels of {name} cannot be used: {what}") from None
        if photo.tiles:
            photos.append(photo)
    return tuple(photos)


def _photo(name: str, entry: Mapping[str, Any]) -> LabelledPhoto:
    sets = tuple(tuple(_label(t) for t in row) for row in entry.get("sets") or ())
    tiles = tuple(_label(t) for t in entry.get("tiles") or ()) or tuple(t for row in sets for t in row)
    scene = str(entry.get("scene", "tiles"))
    scored = tuple(tuple(label.tile for label in row) for row in sets) if scene == "table" else ()
    complete = bool(entry.get("complete", False))
    return LabelledPhoto(name, scene, str(entry.get("series", "")), tiles, scored, complete)


def _label(entry: Mapping[str, Any]) -> Label:
    tile = Tile.parse(entry["tile"])
    if "at" in entry:
        x, y = entry["at"]
        return Label(tile, (float(x), float(y)))
    if "polygon" in entry:
        return Label(tile, _centroid(np.array(entry["polygon"], dtype=float)))
    return Label(tile)


def _centroid(polygon: np.ndarray) -> tuple[float, float]:
    """The centre of a polygon's area, (n, 2); the mean of its corners would lean to where they are many."""
    x, y = polygon[:, 0] - polygon[0, 0], polygon[:, 1] - polygon[0, 1]
    cross = x * np.roll(y, -1) - np.roll(x, -1) * y
    area = cross.sum() / 2
    if abs(area) < 1e-9:
        return float(polygon[:, 0].mean()), float(polygon[:, 1].mean())
    cx = float(((x + np.roll(x, -1)) * cross).sum() / (6 * area) + polygon[0, 0])
    cy = float(((y + np.roll(y, -1)) * cross).sum() / (6 * area) + polygon[0, 1])
    return cx, cy


def same_number(label: Tile, read: Tile) -> bool:
    """Whether the read tile has the label's number; half a reading agrees with none."""
    if label.is_joker or read.is_joker:
        return label.is_joker and read.is_joker
    return read.readable and label.number == read.number


def same_tile(label: Tile, read: Tile) -> bool:
    """Whether number and colour agree; a label without a colour asks for the number only."""
    return same_number(label, read) and (label.colour in ("?", read.colour))


def covers(quads: np.ndarray, points: np.ndarray, slack: float = SLACK) -> np.ndarray:
    """Which points (n, 2) lie in which convex quads (m, 4, 2), grown ``slack`` times: bool (n, m)."""
    middle = quads.mean(axis=1, keepdims=True)
    corners = middle + (quads - middle) * slack
    edges = np.roll(corners, -1, axis=1) - corners
    to_point = points[:, None, None] - corners[None]
    turns = edges[..., 0] * to_point[..., 1] - edges[..., 1] * to_point[..., 0]
    return np.asarray((turns >= 0).all(axis=-1) | (turns <= 0).all(axis=-1))


def pair_up(photo: LabelledPhoto, tiles: Sequence[TileReading]) -> list[tuple[int, int]]:
    """Pairs (label, tile), each label and each tile once.

    By place where every label has one: a label goes to a quad that covers it, the nearest centres first.
    Else by name: tiles that agree first, then those whose number agrees, then whatever is left.
    """
    return _by_place(photo.tiles, tiles) if photo.placed else _by_name(photo.tiles, tiles)


def _by_place(labels: Sequence[Label], tiles: Sequence[TileReading]) -> list[tuple[int, int]]:
    if not labels or not tiles:
        return []
    quads = np.array([tile.quad for tile in tiles])
    points = np.array([label.at for label in labels])
    away = ((quads.mean(axis=1)[None] - points[:, None]) ** 2).sum(axis=-1)
    near = [(float(away[i, k]), int(i), int(k)) for i, k in np.argwhere(covers(quads, points))]
    pairs: list[tuple[int, int]] = []
    labels_left, tiles_left = set(range(len(labels))), set(range(len(tiles)))
    for _, i, k in sorted(near):
        if i in labels_left and k in tiles_left:
            pairs.append((i, k))
            labels_left.discard(i)
            tiles_left.discard(k)
    return pairs


def _by_name(labels: Sequence[Label], tiles: Sequence[TileReading]) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    tiles_left = list(range(len(tiles)))

    def take(i: int, agrees: Callable[[Tile], bool]) -> bool:
        k = next((k for k in tiles_left if agrees(tiles[k].tile)), None)
        if k is None:
            return False
        tiles_left.remove(k)
        pairs.append((i, k))
        return True

    # A label takes by number or whatever is left in its turn, once every equal pair is made.
    rest = [i for i, label in enumerate(labels) if not take(i, partial(same_tile, label.tile))]
    for i in rest:
        if not take(i, partial(same_number, labels[i].tile)):
            take(i, lambda _: True)
    return pairs


def score(photo: LabelledPhoto, reading: Reading) -> Scored:
    """The figures of one photo.

    ``found`` labels that a read tile covers; ``extra`` read tiles that cover none (complete photos only);
    ``right`` and ``number`` as `same_tile` and `same_number`; ``sets_right`` labelled sets read as exactly
    the same tiles; ``exact`` 1 where nothing is missing, extra or wrong and every set is right;
    ``sure_wrong`` wrong tiles that are not marked unsure; ``unsure`` found tiles that are.
    """
    matched = dict(pair_up(photo, reading.tiles))
    pairs = tuple(
        Pair(photo.name, label, reading.tiles[matched[i]] if i in matched else None)
        for i, label in enumerate(photo.tiles)
    )
    used = set(matched.values())
    extra = tuple(t for k, t in enumerate(reading.tiles) if k not in used) if photo.complete else ()
    found = [(pair, pair.read) for pair in pairs if pair.read is not None]
    read_sets = Counter(tuple(sorted(row)) for row in reading.layout().sets)
    wanted_sets = Counter(tuple(sorted(row)) for row in photo.sets)
    sets_right = sum((read_sets & wanted_sets).values())
    right = sum(pair.right for pair in pairs)
    return Scored(
        photo,
        Figures(
            photos=1,
            tiles=len(pairs),
            found=len(found),
            extra=len(extra),
            right=right,
            number=sum(pair.number_right for pair in pairs),
            sets=len(photo.sets),
            sets_right=sets_right,
            exact=int(right == len(pairs) and not extra and sets_right == len(photo.sets)),
            sure_wrong=sum(not pair.right and not read.unsure for pair, read in found),
            unsure=sum(read.unsure for _, read in found),
        ),
        pairs,
        extra,
    )


def sums(scored: Iterable[Scored]) -> dict[str, Figures]:
    """The figures of each scene, and of all photos under ``all``."""
    total: dict[str, Figures] = {}
    for one in scored:
        for key in (one.photo.scene, "all"):
            total[key] = total.get(key, Figures()) + one.figures
    return total
