"""Which matches there are: a folder with a file each, or a database that holds many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

import platformdirs
from sqlalchemy import select

from referee.events import Event, Players
from webui.database import EVENTS, FILE_EVENTS, MATCHES, DatabaseMatch, MatchFile, parsed, prepare
from webui.engines import DRIVER_ERRORS, database_engine, file_engine, reason
from webui.store import Store, StoreError

SUFFIX = ".match"
PICTURES = ".pictures"


class Matches(Protocol):
    """The matches that a person keeps. Any thread may ask; a name is taken from `names`, never made into a path."""

    def new(self, now: datetime | None = None) -> Store:
        """Another match, named by the time it began; nothing is written before its first event."""

    def latest(self) -> Store | None:
        """The match that was begun last, to go on with. Raises `StoreError`."""

    def names(self) -> tuple[str, ...]:
        """All matches, the last first. Raises `StoreError`."""

    def events(self, name: str) -> tuple[Event, ...]:
        """The record of one of `names`, read only. Raises `StoreError`, also for a name that is not there."""

    def players(self, name: str) -> tuple[str, ...]:
        """Who plays one of `names`, by its first event alone; nobody where it has none. Raises `StoreError`."""

    def beside(self, name: str) -> Path:
        """Where the pictures of a match lie; the folder need not be there."""


class FileMatches:
    """A folder with one SQLite file a match."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def new(self, now: datetime | None = None) -> MatchFile:
        return MatchFile(self._path(free_name(lambda name: self._path(name).exists(), now)))

    def latest(self) -> MatchFile | None:
        names = self.names()
        return MatchFile(self._path(names[0])) if names else None

    def names(self) -> tuple[str, ...]:
        try:
            return tuple(sorted((path.stem for path in self.folder.glob(f"*{SUFFIX}")), reverse=True))
        except OSError as error:
            raise StoreError(f"cannot look into {self.folder}: {(error.strerror or 'unreadable').lower()}") from None

    def events(self, name: str) -> tuple[Event, ...]:
        if name not in self.names():
            raise StoreError(f"there is no match {name!r:.60}")
        return self._read(name)

    def players(self, name: str) -> tuple[str, ...]:
        return players_in(self._read(name, most=1))

    def _read(self, name: str, most: int | None = None) -> tuple[Event, ...]:
        path = self._path(name)
        engine = file_engine(path, read_only=True)
        asked = select(FILE_EVENTS.c.number, FILE_EVENTS.c.document).order_by(FILE_EVENTS.c.number).limit(most)
        try:
            with engine.connect() as connection, connection.begin():
                if not connection.exec_driver_sql("PRAGMA user_version").scalar():
                    return ()  # it went down before the first event was kept
                rows = connection.execute(asked).all()
        except DRIVER_ERRORS as error:
            raise StoreError(f"{path} cannot be read: {reason(error)}") from None
        finally:
            engine.dispose()
        return tuple(parsed(((number, document) for number, document in rows), str(path)))

    def beside(self, name: str) -> Path:
        return self.folder / f"{name}{PICTURES}"

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}{SUFFIX}"


class DatabaseMatches:
    """Many matches in one database; what is no event lies in a folder of this machine."""

    def __init__(self, address: str, folder: Path) -> None:
        """Reaches the database and makes its tables where there are none. Raises `StoreError`."""
        self.folder = folder
        self._engine, self.place = database_engine(address)
        prepare(self._engine, self.place)

    def new(self, now: datetime | None = None) -> DatabaseMatch:
        return DatabaseMatch(self._engine, self.place, free_name(set(self.names()).__contains__, now))

    def latest(self) -> DatabaseMatch | None:
        rows = self._rows()
        return DatabaseMatch(self._engine, self.place, rows[0][1], rows[0][0]) if rows else None

    def names(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._rows())

    def events(self, name: str) -> tuple[Event, ...]:
        numbers = {known: number for number, known in self._rows()}
        if name not in numbers:
            raise StoreError(f"there is no match {name!r:.60}")
        return self._read(name)

    def players(self, name: str) -> tuple[str, ...]:
        return players_in(self._read(name, most=1))

    def _read(self, name: str, most: int | None = None) -> tuple[Event, ...]:
        mine = EVENTS.c.match == select(MATCHES.c.number).where(MATCHES.c.name == name).scalar_subquery()
        asked = select(EVENTS.c.number, EVENTS.c.document).where(mine).order_by(EVENTS.c.number).limit(most)
        try:
            with self._engine.connect() as connection:
                rows = connection.execute(asked).all()
        except DRIVER_ERRORS as error:
            raise StoreError(f"{self.place}: {reason(error)}") from None
        return tuple(parsed(((number, document) for number, document in rows), f"{self.place} ({name})"))

    def beside(self, name: str) -> Path:
        return self.folder / f"{name}{PICTURES}"

    def _rows(self) -> list[tuple[int, str]]:
        """Number and name of every match that has an event, the last first."""
        begun = select(EVENTS.c.match).where(EVENTS.c.number == 1)
        asked = select(MATCHES.c.number, MATCHES.c.name).where(MATCHES.c.number.in_(begun))
        try:
            with self._engine.connect() as connection:
                return [(n, name) for n, name in connection.execute(asked.order_by(MATCHES.c.number.desc()))]
        except DRIVER_ERRORS as error:
            raise StoreError(f"{self.place}: {reason(error)}") from None


def players_in(events: Sequence[Event]) -> tuple[str, ...]:
    """Who plays, by the first event of a match."""
    first = events[0].fact if events else None
    return first.names if isinstance(first, Players) else ()


def data_folder() -> Path:
    """The user's data folder."""
    return Path(platformdirs.user_data_dir("tilekeeper", appauthor=False))


def matches_folder() -> Path:
    """Where a person's matches are kept."""
    return data_folder() / "matches"


def free_name(taken: Callable[[str], bool], now: datetime | None = None) -> str:
    """A name by the time, that no other match has."""
    stamp = (now or datetime.now()).strftime("%Y-%m-%d %H-%M-%S")
    name, number = stamp, 2
    while taken(name):
        name, number = f"{stamp} ({number})", number + 1
    return name
