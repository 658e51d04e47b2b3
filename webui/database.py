"""A match in a database: events in a table that only grows, on the disk before `append` returns.

Two forms with the same tables but for one column: a `MatchFile` is one SQLite file, a `DatabaseMatch` one of many
matches in whatever database SQLAlchemy reaches. One companion at a time writes to a match.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    insert,
    select,
    text,
    true,
    update,
)
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql import ColumnElement

from referee.documents import DocumentError, one_line
from referee.events import LONGEST_ID, Event
from webui.engines import DRIVER_ERRORS, OneWriter, TakenError, file_engine, is_broken, reason, soon
from webui.store import StoreAheadError, StoreError

VERSION = 1
LONGEST_NAME = 100
MOST_TWINS = 100
ANOTHER = "another Tilekeeper plays this match: stop it first, or begin another match there"

_FILE, _MANY = MetaData(), MetaData()
FILE_EVENTS = Table(
    "events",
    _FILE,
    Column("number", Integer, primary_key=True),
    Column("id", Text, nullable=False, unique=True),
    Column("document", Text, nullable=False),
)
FILE_ALIVE = Table(
    "alive",
    _FILE,
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
)
ABOUT = Table("tilekeeper", _MANY, Column("version", Integer, primary_key=True, autoincrement=False))
MATCHES = Table(
    "matches",
    _MANY,
    Column("number", Integer, primary_key=True),
    Column("name", String(LONGEST_NAME), nullable=False, unique=True),
)
EVENTS = Table(
    "events",
    _MANY,
    Column("match", Integer, ForeignKey(MATCHES.c.number), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("id", String(LONGEST_ID), nullable=False),
    Column("document", Text, nullable=False),
    UniqueConstraint("match", "id"),
)
ALIVE = Table(
    "alive",
    _MANY,
    Column("match", Integer, ForeignKey(MATCHES.c.number), primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
)
_STAYS = "an event is never changed", "an event is never taken out"
TRIGGERS = {
    "sqlite": (
        f"CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, '{_STAYS[0]}'); END",
        f"CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, '{_STAYS[1]}'); END",
    ),
    "postgresql": (
        "CREATE FUNCTION events_stay() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'an event is never changed or taken out'; END $$",
        "CREATE TRIGGER events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON events "
        "FOR EACH STATEMENT EXECUTE FUNCTION events_stay()",
    ),
}
"""What makes the table only grow, where the kind of database is known."""


class SqlStore(ABC):
    """What both forms share: a `webui.store.Store` on one connection."""

    _events: Table
    _alive: Table

    def __init__(self, engine: Engine, name: str) -> None:
        self.name = name
        self._engine = engine
        self._connection: Connection | None = None
        self._kept: list[Event] = []
        self._failed: tuple[Event, ...] = ()
        """What could not be kept last: where the connection broke, the disk may have it all the same."""
        self._pulse = True

    @property
    @abstractmethod
    def place(self) -> str:
        """Where the match is kept, as a message says it."""

    @abstractmethod
    def _own(self) -> dict[str, Any]:
        """The columns that say which match a row belongs to."""

    @abstractmethod
    def _open(self) -> Connection:
        """A connection that nobody else writes this match by; makes what is not there yet."""

    def append(self, *events: Event) -> None:
        if not events:
            return
        try:
            self._write(events)
        except StoreError:
            raise
        except DRIVER_ERRORS as error:
            self._failed = events
            if not is_broken(error):
                raise self._cannot(error) from None
            # Perhaps it is on the disk, perhaps it is not: the second try looks first.
            self._drop()
            try:
                self._write(events)
            except StoreError:
                raise
            except DRIVER_ERRORS as again:
                self._drop()
                raise self._cannot(again) from None

    def _write(self, events: tuple[Event, ...]) -> None:
        if self._connection is None:
            self._connection = self._open()
        if self._failed:
            failed = self._caught_up(self._connection)
            if failed == events:
                return
            if failed:
                raise StoreAheadError(failed)
        rows = [
            {**self._own(), "number": number, "id": e.id, "document": json.dumps(e.json(), ensure_ascii=False)}
            for number, e in enumerate(events, len(self._kept) + 1)
        ]
        with self._connection.begin():
            self._connection.execute(insert(self._events), rows)
        self._kept += events

    def _caught_up(self, connection: Connection) -> tuple[Event, ...]:
        """What could not be said to be kept, if it was. Raises `StoreError` where anything else was."""
        with connection.begin():
            ids = self._tail(connection)
        if ids and ids != [e.id for e in self._failed]:
            raise StoreError(f"{self.place}: {ANOTHER}")
        kept, self._failed = self._failed if ids else (), ()
        self._kept += kept
        return kept

    def _tail(self, connection: Connection) -> list[str]:
        """The ids of the events there that this store does not know."""
        unknown = self._mine() & (self._events.c.number > len(self._kept))
        return list(
            connection.execute(select(self._events.c.id).where(unknown).order_by(self._events.c.number)).scalars()
        )

    def events(self) -> tuple[Event, ...]:
        return tuple(self._kept)

    def sign_of_life(self, at: int) -> None:
        if self._connection is None or not self._pulse:
            return
        own = self._own() or {"one": 1}
        try:
            with soon(self._connection):
                here = [column == own[column.name] for column in self._alive.primary_key.columns]
                done = self._connection.execute(update(self._alive).where(*here).values(at=at))
                if not done.rowcount:
                    self._connection.execute(insert(self._alive).values(**own, at=at))
        except DRIVER_ERRORS as error:
            # The next event says whether anything can be kept; until then nobody waits for a sign of life.
            self._pulse = not is_broken(error)

    def alive(self) -> int | None:
        last = max((e.at for e in self._kept), default=None)
        if self._connection is None:
            return last
        try:
            with self._connection.begin():
                said = self._connection.execute(select(self._alive.c.at).where(self._mine(self._alive))).scalar()
        except DRIVER_ERRORS:
            said = None
        return max((at for at in (said, last) if at is not None), default=None)

    def close(self) -> None:
        self._drop()
        self._engine.dispose()

    def _mine(self, table: Table | None = None) -> ColumnElement[bool]:
        table = self._events if table is None else table
        where: ColumnElement[bool] = true()
        for column, value in self._own().items():
            where = where & (table.c[column] == value)
        return where

    def _read(self, connection: Connection) -> None:
        with connection.begin():
            rows = connection.execute(
                select(self._events.c.number, self._events.c.document)
                .where(self._mine())
                .order_by(self._events.c.number)
            ).all()
        self._kept = parsed(((number, document) for number, document in rows), self.place)

    def _drop(self) -> None:
        connection, self._connection, self._pulse = self._connection, None, True
        if connection is not None:
            try:
                connection.close()
            except DRIVER_ERRORS:
                connection.invalidate()

    def _cannot(self, error: Exception) -> StoreError:
        if isinstance(error, IntegrityError):
            return StoreError(f"{self.place}: {ANOTHER}")
        return StoreError(f"the match cannot be kept in {self.place}: {reason(error)}")


class MatchFile(SqlStore):
    """A match as one SQLite file, made with the first event."""

    _events, _alive = FILE_EVENTS, FILE_ALIVE

    def __init__(self, path: Path) -> None:
        """Opens the file, where there is one. Raises `StoreError`: damaged, newer, no permission, in use."""
        super().__init__(file_engine(path), path.stem)
        self.path = path
        self._lock = OneWriter(path)
        if not path.exists():
            return
        try:
            self._connection = self._open()
            self._read(self._connection)
        except DRIVER_ERRORS as error:
            self.close()
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"{self.path} cannot be used as a match: {reason(error)}") from None
        except StoreError:
            self.close()
            raise

    @property
    def place(self) -> str:
        return str(self.path)

    def _own(self) -> dict[str, Any]:
        return {}

    def _open(self) -> Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._lock.take()
        except TakenError:
            raise StoreError(f"{self.path}: {ANOTHER}") from None
        connection = self._engine.connect()
        try:
            raw = connection.connection.driver_connection
            assert raw is not None
            version = raw.execute("PRAGMA user_version").fetchone()[0]
            if version > VERSION:
                raise StoreError(f"{self.path} was written by a newer Tilekeeper: update this one")
            raw.execute("PRAGMA journal_mode = WAL")
            raw.execute("PRAGMA synchronous = FULL")
            if version == 0:
                with connection.begin():
                    _FILE.create_all(connection, checkfirst=False)
                    for statement in TRIGGERS["sqlite"]:
                        connection.exec_driver_sql(statement)
                    connection.exec_driver_sql(f"PRAGMA user_version = {VERSION}")
            return connection
        except BaseException:
            connection.close()
            raise

    def _drop(self) -> None:
        super()._drop()
        self._lock.release()


class DatabaseMatch(SqlStore):
    """One of many matches in a database whose tables are there (`prepare`)."""

    _events, _alive = EVENTS, ALIVE

    def __init__(self, engine: Engine, place: str, name: str, number: int | None = None) -> None:
        """Match `number`, or another one, which is made with its first event. Raises `StoreError`."""
        super().__init__(engine, name)
        self._place, self._number = place, number
        self._lock = OneWriter.of_engine(engine)
        if number is None:
            return
        try:
            self._connection = self._open()
            self._read(self._connection)
        except StoreError:
            self.close()
            raise
        except DRIVER_ERRORS as error:
            self.close()
            raise StoreError(f"{place}: the match {name} cannot be read: {reason(error)}") from None

    @property
    def place(self) -> str:
        return f"{self._place} ({self.name})"

    def _own(self) -> dict[str, Any]:
        return {"match": self._number}

    def _open(self) -> Connection:
        connection = self._engine.connect()
        try:
            if self._number is None:
                self._number = self._make(connection)
            self._lock.take(connection, self._number)
            return connection
        except TakenError:
            connection.close()
            raise StoreError(f"{self.place}: {ANOTHER}") from None
        except BaseException:
            connection.close()
            raise

    def _make(self, connection: Connection) -> int:
        """The row of another match, named anew where another companion has taken the name meanwhile."""
        wanted = self.name
        for twin in range(2, MOST_TWINS):
            try:
                with connection.begin():
                    made = connection.execute(insert(MATCHES).values(name=self.name)).inserted_primary_key
                assert made is not None
                return int(made[0])
            except IntegrityError:
                self.name = f"{wanted} ({twin})"
        raise StoreError(f"{self._place}: there are too many matches named {wanted}")

    def _drop(self) -> None:
        super()._drop()
        self._lock.release()


def prepare(engine: Engine, place: str) -> None:
    """Makes the tables where there are none. Raises `StoreError`: out of reach, newer, no permission."""
    try:
        with engine.begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(8106)"))  # two that begin at the same time
            known = set(engine.dialect.get_table_names(connection))
            if ABOUT.name not in known:
                if strange := known & set(_MANY.tables):
                    raise StoreError(f"{place} holds other tables named {', '.join(sorted(strange))}: give another one")
                _MANY.create_all(connection)
                for statement in TRIGGERS.get(engine.dialect.name, ()):
                    connection.exec_driver_sql(statement)
                connection.execute(insert(ABOUT).values(version=VERSION))
            version = connection.execute(select(ABOUT.c.version)).scalar() or 0
        if version > VERSION:
            raise StoreError(f"{place} was written by a newer Tilekeeper: update this one")
    except DRIVER_ERRORS as error:
        raise StoreError(f"no matches can be kept in {place}: {reason(error)}") from None


def parsed(rows: Iterable[tuple[int, str]], place: str) -> list[Event]:
    """The events of rows of number and document, in order. Raises `StoreError` where one is missing or no event."""
    found: list[Event] = []
    for number, document in rows:
        if number != len(found) + 1:
            raise StoreError(f"{place} is damaged: event {len(found) + 1} is missing")
        try:
            found.append(Event.parse(json.loads(document)))
        except (DocumentError, ValueError, TypeError, RecursionError) as error:
            raise StoreError(one_line(f"{place} is damaged: event {number}: {error}"[:300])) from None
    return found
