"""Where playing areas are kept: one small file a camera in the user's data folder, with the picture it was set in."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import cv2
import platformdirs

from vision.pictures import PictureError, load
from vision.place import Place


class Areas(Protocol):
    """What keeps playing areas by the camera's name."""

    def load(self, camera: str) -> Place:
        """The place as it was kept; an undecided one where none is, or it cannot be used."""

    def keep(self, camera: str, place: Place) -> None:
        """Raises `OSError` where it cannot be kept."""


class MemoryAreas:
    """Forgets all when the program ends."""

    def __init__(self) -> None:
        self._kept: dict[str, Place] = {}

    def load(self, camera: str) -> Place:
        return self._kept.get(camera, Place())

    def keep(self, camera: str, place: Place) -> None:
        self._kept[camera] = place


class FileAreas:
    """In a folder: ``NAME.json`` (camera, source, size, corners) and ``NAME.png``, the small picture of that moment.

    The picture tells at the next start whether the camera still stands as it did.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder or areas_folder()

    def load(self, camera: str) -> Place:
        try:
            place = Place.from_json(json.loads(self._file(camera, "json").read_text("utf-8")))
        except (OSError, ValueError):
            return Place()
        try:
            small = load(self._file(camera, "png"))
        except PictureError:
            return place
        return replace(place, newest=small, anchor=small)

    def keep(self, camera: str, place: Place) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        picture = self._file(camera, "png")
        # The picture goes first: corners with a picture of another moment would be moved wrongly.
        self._file(camera, "json").unlink(missing_ok=True)
        if place.newest is None:
            picture.unlink(missing_ok=True)
        else:
            good, data = cv2.imencode(".png", place.newest)
            if not good:
                raise OSError("the picture cannot be written")
            _replace(picture, bytes(data))
        document = {"camera": camera, **place.to_json()}
        _replace(self._file(camera, "json"), json.dumps(document, ensure_ascii=False).encode())

    def _file(self, camera: str, kind: str) -> Path:
        plain = re.sub(r"[^a-z0-9]+", "-", camera.casefold()).strip("-")[:40]
        return self.folder / f"{plain}-{hashlib.sha256(camera.encode()).hexdigest()[:8]}.{kind}"


def areas_folder() -> Path:
    """The folder in the user's data folder."""
    return platformdirs.user_data_path("tilekeeper", appauthor=False) / "places"


def _replace(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    part = path.with_suffix(path.suffix + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
