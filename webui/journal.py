"""The folder of a game while it is being recorded: a journal and pictures, each line and file whole or not there.

When it is saved it becomes a recorded game (`webui.recorded`).
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2

from vision.camera import Frame
from vision.pictures import SUFFIXES
from vision.reading import Reading
from webui.album import write_whole

QUALITY = 92
JOURNAL = "journal.jsonl"
GAME = "game.json"
SAVED = "saved.json"
"""In the folder of a game: which copy was saved without being asked, and how many rows it has."""
ROW_COLUMNS = ("player", "button", "table", "verdict", "clock", "points", "frame", "left", "state", "data", "event")
FRAME_COLUMNS = ("frame", "seconds", "state", "table")


@dataclass(slots=True)
class Game:
    """A game in its folder. Only the desk's thread writes there; the companion's thread counts what it sent."""

    folder: Path
    about: dict[str, Any]
    rows: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    broken: str = ""
    """Why nothing more was recorded from here on; what came before is whole."""

    @property
    def name(self) -> str:
        return self.folder.name

    def open(self) -> None:
        """Makes the folder. Raises `OSError`."""
        (self.folder / "frames").mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / GAME, json.dumps(self.about, ensure_ascii=False, indent=1).encode())

    def note(self, kind: str, entry: dict[str, Any]) -> None:
        """One line more in the journal. Raises `OSError`."""
        line = (json.dumps({kind: entry}, ensure_ascii=False) + "\n").encode()
        with (self.folder / JOURNAL).open("ab") as journal:
            journal.write(line)
        (self.rows if kind == "row" else self.frames).append(entry)

    def add_frame(self, entry: dict[str, Any], frame: Frame, reading: Reading, most: int) -> None:
        """A picture, its reading, and its line. Raises `OSError`."""
        data = _picture_file(frame)
        name = entry["frame"]
        write_whole(self.folder / "frames" / name, data)
        said = replace(reading, path=name).to_json()
        write_whole(self.folder / "frames" / f"{Path(name).stem}.json", json.dumps(said).encode())
        self.sizes[name] = len(data)
        self.note("frame", entry)
        self._thin(most)

    def _thin(self, most: int) -> None:
        needed = {row["frame"] for row in self.rows} | {self.frames[-1]["frame"]}
        for entry in [f for f in self.frames if f["frame"] not in needed]:
            if sum(self.sizes.values()) <= most:
                return
            self.drop(entry)
        if sum(self.sizes.values()) > most:
            raise OSError(f"its pictures take more than {most // 1_000_000} MB")

    def drop(self, entry: dict[str, Any]) -> None:
        """A picture that no row needs."""
        self.frames.remove(entry)
        self.sizes.pop(entry["frame"], None)
        for name in (entry["frame"], f"{Path(entry['frame']).stem}.json"):
            (self.folder / "frames" / name).unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path) -> Game | None:
        """A game as it was left; a last line that was not written to its end is left out. None for no such folder."""
        try:
            about = json.loads((folder / GAME).read_text("utf-8"))
            there = {path.name: path.stat().st_size for path in (folder / "frames").iterdir()}
            lines = (folder / JOURNAL).read_bytes().splitlines() if (folder / JOURNAL).exists() else []
        except (OSError, ValueError):
            return None
        game = cls(folder, about)
        for line in lines:
            try:
                note = json.loads(line)
            except ValueError:
                continue
            if frame := note.get("frame"):
                if frame["frame"] in there and frame["frame"] not in game.sizes:
                    game.frames.append(frame)
                    game.sizes[frame["frame"]] = there[frame["frame"]]
            elif row := note.get("row"):
                game.rows.append(row)
        return game

    def save(self, where: Path) -> Path:
        """A copy as a recorded game in `where`, under a name that is free; whole or not at all. Raises `OSError`."""
        if not self.rows:
            raise OSError("nothing has been played yet")
        where.mkdir(parents=True, exist_ok=True)
        target = _free(where, self.about)
        self._copy_to(target)
        return target

    def keep_saved(self, where: Path) -> None:
        """The same without being asked: a game that goes on after that takes its old copy's place. Raises `OSError`.

        A copy that somebody has taken away stays away, as long as nothing was played since.
        """
        if not self.rows:
            return
        mark = self.folder / SAVED
        try:
            before = json.loads(mark.read_text("utf-8"))
        except (OSError, ValueError):
            before = {"name": "", "rows": 0}
        if before["rows"] == len(self.rows):
            return
        target = where / before["name"] if before["name"] else None
        if target is not None and target.is_dir():
            self._copy_to(target)
        else:
            target = self.save(where)
        write_whole(mark, json.dumps({"name": target.name, "rows": len(self.rows)}).encode())

    def _copy_to(self, target: Path) -> None:
        part, old = (target.with_name(f".{target.name}.{kind}") for kind in ("part", "old"))
        try:
            shutil.rmtree(part, ignore_errors=True)
            (part / "frames").mkdir(parents=True)
            for entry in self.frames:
                for name in (entry["frame"], f"{Path(entry['frame']).stem}.json"):
                    _link(self.folder / "frames" / name, part / "frames" / name)
            (part / GAME).write_text(json.dumps(self.about, ensure_ascii=False, indent=1) + "\n", "utf-8")
            _write_table(part / "turns.csv", ROW_COLUMNS, self.rows)
            _write_table(part / "frames.csv", FRAME_COLUMNS, self.frames)
            if target.exists():
                shutil.rmtree(old, ignore_errors=True)
                target.rename(old)
            part.rename(target)
            shutil.rmtree(old, ignore_errors=True)
        except OSError:
            shutil.rmtree(part, ignore_errors=True)
            raise


def frame_name(number: int, frame: Frame) -> str:
    """What a picture is called in its game: a file's own kind, else JPEG."""
    suffix = frame.path.suffix.lower() if frame.path else ""
    return f"{number:04d}{suffix if suffix in SUFFIXES else '.jpg'}"


def _picture_file(frame: Frame) -> bytes:
    """A picture as a file: one that came as a file is kept as it was, so that it is read as it was."""
    if frame.path is not None and frame.path.suffix.lower() in SUFFIXES:
        return frame.path.read_bytes()
    good, data = cv2.imencode(".jpg", frame.picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise OSError("the picture cannot be encoded")
    return bytes(data)


def _free(where: Path, about: Mapping[str, Any]) -> Path:
    """A name by time and players that nothing has yet."""
    words = re.sub(r"[^\w -]+", "", f"{about['begun']} {' '.join(about['players'])}").strip()[:80]
    target, number = where / words, 2
    while target.exists():
        target, number = where / f"{words} ({number})", number + 1
    return target


def _link(source: Path, target: Path) -> None:
    """The same file once more, without room where the file system can do that."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write_table(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
