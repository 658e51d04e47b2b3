"""Photos of real tables served as a folder camera are read as by `tilekeeper read`."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from vision.camera import Feed
from vision.pictures import load
from vision.reader import Reader
from vision.reading import Reading
from vision.sources import FolderSource
from webui.companion import Companion

EVAL = Path(__file__).resolve().parents[3] / "shared" / "photos" / "eval"
PHOTOS = ("boards-27.jpg", "boards-58.jpg", "demo-demo-board-1.jpg", "demo-demo-rack-1.jpg")
PATIENCE_S = 300


class Noted:
    """The reader, which is asked by the companion once; what it answered is what `read` prints."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.answers: list[Reading] = []

    def read(self, picture: object, path: str | None = None) -> Reading:
        self.answers.append(self.reader.read(picture, path))  # type: ignore[arg-type]
        return self.answers[-1]


def rows(reading: Reading) -> list[tuple[str, ...]]:
    """The sets in reading order and the loose tiles, with a ``?`` where one is unsure."""
    sets = [tuple(reading[n].word for n in row) for row in (*reading.sets, *((n,) for n in reading.loose))]
    return sorted(sets)


@pytest.mark.parametrize("name", PHOTOS)
def test_served_as_read(name: str, tmp_path: Path) -> None:
    if not (EVAL / name).is_file():
        pytest.skip("the photos of real tables are not beside this checkout")
    (tmp_path / name).symlink_to(EVAL / name)
    reader = Noted(Reader.load())
    companion = Companion(Feed(FolderSource(tmp_path, every=3600)), reader)
    companion.start()
    try:
        end = time.monotonic() + PATIENCE_S
        while companion.hub.state()["live"]["phase"] not in ("read", "failed"):
            assert time.monotonic() < end, "it was not read"
            time.sleep(0.1)
        served = Reading.from_json(companion.hub.state()["table"]["reading"])
    finally:
        companion.close()
    by_command = reader.reader.read(load(tmp_path / name), str(tmp_path / name))
    assert len(served.tiles) == len(by_command.tiles) > 8
    assert rows(served) == rows(by_command)
    assert len(reader.answers) == 1, "a photo that stays is read once"
