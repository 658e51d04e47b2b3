"""Where the events of a match are kept, before anybody sees them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Protocol

import platformdirs

from referee.documents import DocumentError
from referee.events import Event

VERSION = 1
SUFFIX = ".match"

SCHEMA = """
CREATE TABLE events (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'an event is never taken out'); END;
CREATE TABLE alive (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL);
"""


class StoreError(OSError):
    """A match that cannot be kept or read; one line that says why."""


class Store(Protocol):
    """Keeps the events of one match in order; nothing is ever changed or taken out."""

    def append(self, event: Event) -> None:
        """Returns when the event is kept for good. Raises `OSError` where it cannot be."""

    def events(self) -> tuple[Event, ...]:
        """All that was kept, oldest first."""

    def sign_of_life(self, at: int) -> None:
        """The companion still ran at this wall time (ms). Cheap, and lost at worst."""

    def alive(self) -> int | None:
        """The last wall time (ms) at which the companion is known to have run."""

    def close(self) -> None: ...


class MemoryStore:
    """The twin that forgets: for tests and the demo."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events = list(events)
        self._alive: int | None = None

    def append(self, event: Event) -> None:
        self._events.append(event)

    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def sign_of_life(self, at: int) -> None:
        self._alive = at

    def alive(self) -> int | None:
        return max((e.at for e in self._events), default=None) if self._alive is None else self._alive

    def close(self) -> None: ...


class MatchFile:
    """A match as one SQLite file. An event is on the disk before `append` returns."""

    def __init__(self, path: Path) -> None:
        """Opens the file, or makes it with the first event. Raises `StoreError`."""
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._kept: list[Event] = []
        if path.exists():
            self._connection = self._open()
            self._kept = self._read()

    def append(self, event: Event) -> None:
        document = json.dumps(event.json(), ensure_ascii=False)
        try:
            if self._connection is None:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = self._open()
            with self._connection as writing:
                writing.execute("INSERT INTO events (id, document) VALUES (?, ?)", (event.id, document))
        except sqlite3.Error as error:
            raise StoreError(f"the match cannot be kept in {self.path}: {error}") from None
        self._kept.append(event)

    def events(self) -> tuple[Event, ...]:
        return tuple(self._kept)

    def sign_of_life(self, at: int) -> None:
        if self._connection is None:
            return
        try:
            self._connection.execute("PRAGMA synchronous = OFF")
            with self._connection as writing:
                writing.execute(
                    "INSERT INTO alive VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET at = excluded.at", (at,)
                )
            self._connection.execute("PRAGMA synchronous = FULL")
        except sqlite3.Error:
            return  # the next event says whether anything can be kept

    def alive(self) -> int | None:
        if self._connection is None:
            return None
        row = self._connection.execute("SELECT at FROM alive").fetchone()
        last = max((e.at for e in self._kept), default=None)
        return max((at for at in (row[0] if row else None, last) if at is not None), default=None)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(self.path, check_same_thread=False, timeout=2.0)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                connection.close()
                raise StoreError(f"{self.path} was written by a newer Tilekeeper: update this one")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if version == 0:
                connection.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT;")
            return connection
        except sqlite3.Error as error:
            raise StoreError(f"{self.path} cannot be used as a match: {error}") from None

    def _read(self) -> list[Event]:
        assert self._connection is not None
        try:
            with closing(self._connection.execute("SELECT document FROM events ORDER BY number")) as rows:
                return [Event.parse(json.loads(document)) for (document,) in rows]
        except (sqlite3.Error, DocumentError, json.JSONDecodeError) as error:
            raise StoreError(f"{self.path} is damaged: {error}") from None


def matches_folder() -> Path:
    """Where a person's matches are kept."""
    return Path(platformdirs.user_data_dir("tilekeeper", appauthor=False)) / "matches"


def new_match(folder: Path, now: datetime | None = None) -> MatchFile:
    """A file for another match, named by the time it began; it is made with the first event."""
    stamp = (now or datetime.now()).strftime("%Y-%m-%d %H-%M-%S")
    path = folder / f"{stamp}{SUFFIX}"
    number = 2
    while path.exists():
        path = folder / f"{stamp} ({number}){SUFFIX}"
        number += 1
    return MatchFile(path)


def latest_match(folder: Path) -> MatchFile | None:
    """The match that was begun last, if there is one. Raises `StoreError`."""
    try:
        files = sorted(folder.glob(f"*{SUFFIX}"))
    except OSError as error:
        raise StoreError(f"cannot look into {folder}: {(error.strerror or 'unreadable').lower()}") from None
    return MatchFile(files[-1]) if files else None
