"""Pictures of the turns of a match, beside it: a small JPEG of the table at the end of each, a bounded number of them.

They are for looking back only. One that cannot be kept is missing there, and nothing else.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import cv2

from vision.camera import Picture
from webui.desk import Desk

LARGEST = 200_000
"""Bytes of a picture."""
WIDEST = 1280
MOST = 400
"""Pictures of a match."""
MOST_MATCHES = 30
"""Matches with pictures."""
SUFFIX = ".pictures"
"""How the folder of a match's pictures ends."""
QUALITIES = (82, 74, 64, 50, 35)
_NAME = re.compile(r"[0-9a-zA-Z_-]{1,100}")


class Album:
    """Writes pictures at a desk, and finds them."""

    def __init__(self, desk: Desk, most: int = MOST, most_matches: int = MOST_MATCHES) -> None:
        self._desk, self._most, self._most_matches = desk, most, most_matches
        self.trouble = ""
        """Why the last picture could not be kept, if it could not."""

    def keep(self, folder: Path, event: str, picture: Picture) -> None:
        """The table as it lay when the event with that id ended a turn. Nobody waits."""
        if _NAME.fullmatch(event) and not self._desk.busy:
            self._desk.put(lambda: self._try(folder, event, picture))

    @staticmethod
    def find(folder: Path, event: str) -> bytes | None:
        """The JPEG of an event, if there is one. The id is one of the match's own events."""
        if not _NAME.fullmatch(event):
            return None
        try:
            return (folder / f"{event}.jpg").read_bytes()
        except OSError:
            return None

    @staticmethod
    def there(folder: Path) -> frozenset[str]:
        """The ids of all events of which there is a picture."""
        try:
            return frozenset(path.stem for path in folder.glob("*.jpg"))
        except OSError:
            return frozenset()

    def _try(self, folder: Path, event: str, picture: Picture) -> None:
        try:
            self._write(folder, event, picture)
            self.trouble = ""
        except OSError as error:
            self.trouble = (error.strerror or str(error)).lower()

    def _write(self, folder: Path, event: str, picture: Picture) -> None:
        if not folder.exists():
            self._make(folder)
        write_whole(folder / f"{event}.jpg", jpeg_within(picture))
        pictures = sorted(folder.glob("*.jpg"), key=lambda path: path.stat().st_mtime)
        for old in pictures[: -self._most]:
            old.unlink(missing_ok=True)

    def _make(self, folder: Path) -> None:
        """A folder for another match; the pictures of those long past go."""
        folder.mkdir(parents=True)
        others = sorted(folder.parent.glob(f"*{SUFFIX}"), key=lambda path: path.stat().st_mtime)
        for old in others[: -self._most_matches]:
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)


def write_whole(path: Path, data: bytes) -> None:
    """A file that is there whole or not at all. Raises `OSError`."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def jpeg_within(picture: Picture, most: int = LARGEST, widest: int = WIDEST) -> bytes:
    """A picture (height, width, 3; BGR) as JPEG of at most `most` bytes, made smaller as far as it takes."""
    data = b""
    while True:
        scale = min(1.0, widest / picture.shape[1])
        shrunk = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
        for quality in QUALITIES:
            good, encoded = cv2.imencode(".jpg", shrunk, [cv2.IMWRITE_JPEG_QUALITY, quality])
            if not good:
                raise ValueError("the picture cannot be encoded")
            data = bytes(encoded)
            if len(data) <= most:
                return data
        widest = shrunk.shape[1] * 3 // 4
