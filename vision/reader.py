"""The reader: a picture to a `Reading`, by finder, faces, inks and rows, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from referee.tiles import COLOURS, Tile
from vision.closer import look_closer, windows
from vision.faces import CLASSES, FaceReading, OnnxFaceNet, balance, read_faces, rectify
from vision.finder import Found, OnnxFinderNet, find
from vision.inks import ink_colours, settle
from vision.onnx import models_folder
from vision.reading import Reading, TileReading, table_warnings
from vision.rows import group
from vision.squared import UNREAD, Plane, better, look_squared, planes
from vision.uprights import share_direction

BARELY = UNREAD - 0.01
"""How surely a face counts as read in an outline that the finder gave up."""
SOUND = 0.3
"""A tile is sound where the chance that it shows no face is below this."""


@dataclass(frozen=True)
class Settings:
    """Thresholds, all set on held-out training series and rendered tables."""

    temperature: float = 1.0
    sure: float = 0.9
    """Least confidence of a reading that is not marked unsure."""
    guess: float = 0.15
    """A tile whose likeliest reading is less likely than this is unread."""
    tile: float = 0.5
    """A rectangle is kept where the finder's score times the chance that it shows a face is at least this."""


class Reader:
    """Reads one table after the other; holds the two nets and nothing else."""

    def __init__(
        self,
        finder: Callable[[np.ndarray], np.ndarray],
        faces: Callable[[np.ndarray], np.ndarray],
        settings: Settings | None = None,
    ) -> None:
        self._finder, self._faces = finder, faces
        self.settings = settings or Settings()

    @classmethod
    def load(cls, models: Path | None = None, threads: int = 2) -> Reader:
        """With the weights that ship, or those in the folder ``models``. Raises `vision.onnx.WeightsError`."""
        folder = models or models_folder()
        return cls(OnnxFinderNet(folder / "finder.onnx", threads), OnnxFaceNet(folder / "faces.onnx", threads))

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        """The layout of one picture, uint8 (h, w, 3) BGR."""
        found = find(picture, self._finder)
        seen = self._faces_at(picture, found.quads)
        scores = found.scores
        shape = picture.shape[:2]
        for window in windows(_outlines(seen), _beliefs(seen), (shape[0], shape[1])):
            seen, scores = self._again(picture, seen, scores, *look_closer(picture, window, self._finder))
        for plane in self._planes(picture, seen, scores):
            quads, chances = look_squared(picture, plane, self._finder)
            # What lies in line with tiles that were read needs less to be believed.
            seen, scores = self._again(picture, seen, scores, quads, np.sqrt(chances))
        return self._layout(picture, seen, scores, path)

    def read_found(self, picture: np.ndarray, found: Found, path: str | None = None) -> Reading:
        """The same where the tiles' places are known."""
        return self._layout(picture, self._faces_at(picture, found.quads), found.scores, path)

    def _faces_at(self, picture: np.ndarray, quads: np.ndarray) -> list[FaceReading]:
        return read_faces(picture, quads, self._faces, self.settings.temperature)

    def _again(
        self, picture: np.ndarray, seen: list[FaceReading], scores: np.ndarray, quads: np.ndarray, chances: np.ndarray
    ) -> tuple[list[FaceReading], np.ndarray]:
        """What is known after another look that found tiles at ``quads``."""
        again = self._faces_at(picture, quads)
        tiles = self._tiles(again, chances, picture.shape[:2])
        again, chances = [again[k] for k in tiles], chances[tiles]
        # An outline that the finder gave up must not stand in the way of one that is read as well or better.
        given_up = ~np.isin(np.arange(len(seen)), self._tiles(seen, scores, picture.shape[:2]))
        beliefs = np.where(given_up, np.minimum(_beliefs(seen), BARELY), _beliefs(seen))
        keep, add = better(_outlines(seen), beliefs, _outlines(again), _beliefs(again))
        merged = [seen[k] for k in np.flatnonzero(keep)] + [again[k] for k in np.flatnonzero(add)]
        return merged, np.concatenate([scores[keep], chances[add]])

    def _tiles(self, seen: list[FaceReading], scores: np.ndarray, shape: tuple[int, int]) -> list[int]:
        return [k for k, f in enumerate(seen) if is_tile(f, float(scores[k]), shape, self.settings)]

    def _planes(self, picture: np.ndarray, seen: list[FaceReading], scores: np.ndarray) -> list[Plane]:
        sound = [f.quad for f, score in zip(seen, scores, strict=True) if f.nothing < SOUND and score > 0.4]
        high, wide = picture.shape[:2]
        return planes(np.array(sound, np.float32), (high, wide))

    def _layout(self, picture: np.ndarray, seen: list[FaceReading], scores: np.ndarray, path: str | None) -> Reading:
        keep = self._tiles(seen, scores, picture.shape[:2])
        faces, doubted = share_direction([seen[k] for k in keep])
        quads = np.array([f.quad for f in faces], np.float32).reshape(-1, 4, 2)
        inks = np.array([f.inks for f in faces]).reshape(-1, len(COLOURS))
        if len(faces):
            coloured = np.array([f.classes[:13].sum() > 0.5 for f in faces])
            if coloured.any():
                colours = ink_colours(balance(rectify(picture, quads[coloured])))
                inks[coloured] = settle(inks[coloured], colours)
        tiles = tuple(
            _tile(k, face, ink, bool(doubt), self.settings)
            for k, (face, ink, doubt) in enumerate(zip(faces, inks, doubted, strict=True))
        )
        known = np.array([not f.tile.is_joker and f.confidence > 0.5 for f in tiles], bool)
        sets, loose = group(quads, known) if len(quads) else ((), ())
        height, width = picture.shape[:2]
        return Reading(
            width,
            height,
            path,
            tiles,
            tuple(tuple(int(i) for i in s) for s in sets),
            tuple(int(i) for i in loose),
            tuple(table_warnings(tiles)),
        )


def _outlines(seen: list[FaceReading]) -> np.ndarray:
    return np.array([f.quad for f in seen], np.float32).reshape(-1, 4, 2)


def _beliefs(seen: list[FaceReading]) -> np.ndarray:
    """How surely a face is read in each tile, (n,) 0-1."""
    return np.array([f.classes.max() for f in seen], float)


def is_tile(face: FaceReading, score: float, picture: tuple[int, int], settings: Settings) -> bool:
    """Whether a rectangle is kept: finder and face together believe in it, and it is no tile cut off by the border of
    the ``picture`` (height, width) whose face cannot be read."""
    if face.nothing > 0.5:
        high, wide = picture
        x, y = face.quad[:, 0], face.quad[:, 1]
        if x.min() < 0 or y.min() < 0 or x.max() > wide - 1 or y.max() > high - 1:
            return False
    return score * (1 - _nothing(face, score)) >= settings.tile


def _nothing(face: FaceReading, score: float) -> float:
    """The chance that there is no face, given how sure the finder is: the face net asks with even odds, but what the
    finder is sure of seldom is no face (an 11 that looks the same upside down makes the face net doubt both ways)."""
    seldom = min(1.0, 2 * (1 - score)) * face.nothing
    return seldom / (seldom + 1 - face.nothing)


def _tile(number: int, face: FaceReading, inks: np.ndarray, doubted: bool, settings: Settings) -> TileReading:
    chances: list[tuple[Tile, float]] = [(Tile.JOKER, float(face.classes[13]))]
    for n in range(CLASSES - 1):
        chances += [(Tile(c, n + 1), float(face.classes[n] * inks[k])) for k, c in enumerate(COLOURS)]
    chances.sort(key=lambda c: -c[1])
    tile, confidence = chances[0]
    others = tuple((t, p) for t, p in chances[1:6] if p > 0.003)
    # A likely guess is worth showing, with its doubt; a joker never is, since all that is unclear looks like one.
    if confidence < settings.guess or (tile.is_joker and face.nothing > 0.5):
        tile, confidence, others = Tile.UNREAD, 0.0, tuple((t, p) for t, p in chances[:5] if p > 0.003)
    unsure = doubted or confidence < settings.sure or not tile.readable
    a, b, c, d = ((float(x), float(y)) for x, y in face.quad)
    return TileReading(number, tile, min(1.0, confidence), unsure, (a, b, c, d), others)
