"""Database engines by SQLAlchemy: how they are opened, what their errors mean, and that one writer has a match."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout
from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from webui.store import StoreError

DRIVER_ERRORS = (SQLAlchemyError, OSError, sqlite3.Error)
"""What a database and its file may raise; `webui.store.StoreError` is among them."""
PATIENCE_S = 2.0
"""How long a locked database, and a lock whose holder was killed just now, are waited for."""
POSTGRES = {
    "connect_timeout": 3,
    "tcp_user_timeout": 4000,
    "options": "-c statement_timeout=4000 -c lock_timeout=2000 -c synchronous_commit=on",
}
"""A press of a button waits 5 s for its answer: a server out of reach has to be known before that."""
SQLITE_WHY = {
    "SQLITE_FULL": "the disk is full",
    "SQLITE_BUSY": "another program uses it",
    "SQLITE_LOCKED": "another program uses it",
    "SQLITE_READONLY": "no permission to write there",
    "SQLITE_PERM": "no permission to write there",
    "SQLITE_CANTOPEN": "it cannot be opened: is the folder there, and may it be written?",
    "SQLITE_NOTADB": "it is damaged or no match",
    "SQLITE_CORRUPT": "it is damaged",
    "SQLITE_IOERR": "the disk does not work, or is full",
}
POSTGRES_WHY = {
    "53100": "the server's disk is full",
    "42501": "no permission",
    "25006": "it is read-only",
    "28P01": "wrong password",
    "3D000": "there is no such database",
    "55P03": "another program uses it",
    "57014": "the server took too long",
}


class TakenError(Exception):
    """Somebody else writes this match."""


def file_engine(path: Path, read_only: bool = False) -> Engine:
    """An engine of one SQLite file; every connection is opened anew and `BEGIN` is said when a transaction begins.

    Read-only, it makes no file and waits for no writer.
    """
    if read_only:
        url = URL.create("sqlite", database=f"file:{_quoted(path)}", query={"mode": "ro", "uri": "true"})
    else:
        url = URL.create("sqlite", database=str(path))
    return _sqlite(url, "BEGIN" if read_only else "BEGIN IMMEDIATE")


def _quoted(path: Path) -> str:
    return path.resolve().as_uri().removeprefix("file://")


def _sqlite(url: URL, begin: str) -> Engine:
    arguments = {"timeout": PATIENCE_S, "check_same_thread": False}
    engine = create_engine(url, poolclass=NullPool, connect_args=arguments)

    @event.listens_for(engine, "connect")
    def by_hand(connection: sqlite3.Connection, record: object) -> None:
        connection.isolation_level = None  # the module's own BEGIN comes too late, and not for CREATE

    @event.listens_for(engine, "begin")
    def really_begin(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def database_engine(address: str) -> tuple[Engine, str]:
    """The engine of an SQLAlchemy address, and how messages call it (without a password). Raises `StoreError`."""
    try:
        url = make_url(address)
        if url.drivername in ("postgresql", "postgres"):
            url = url.set(drivername="postgresql+psycopg")
        place = url.render_as_string(hide_password=True)
        kind = url.get_backend_name()
        if kind == "sqlite":
            if url.database in (None, "", ":memory:"):
                raise StoreError(f"{place} keeps nothing: name a file, as in sqlite:////home/anna/matches.db")
            engine = _sqlite(url, "BEGIN IMMEDIATE")
            event.listen(engine, "connect", _durable)
        else:
            options = POSTGRES if url.drivername == "postgresql+psycopg" else {}
            engine = create_engine(url, connect_args=options, poolclass=NullPool)
        return engine, place
    except NoSuchModuleError:
        raise StoreError(f"no such kind of database: {address.partition(':')[0]}") from None
    except (ArgumentError, ValueError):
        raise StoreError(
            "that is no database address: give one as in postgresql://name:password@host/database"
        ) from None
    except ModuleNotFoundError as error:
        hint = (
            "pip install 'tilekeeper[postgres]'"
            if kind == "postgresql"
            else f"install it, or name another one in the address, as in {kind}+DRIVER://…"
        )
        raise StoreError(f"{place}: the driver {error.name} is not installed: {hint}") from None


def _durable(connection: sqlite3.Connection, record: object) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def is_broken(error: Exception) -> bool:
    """Whether the connection is lost, so that it is not known what the database has kept."""
    return isinstance(error, DBAPIError) and error.connection_invalidated


def reason(error: Exception) -> str:
    """What a database's error means, in a few words and one line."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    name = getattr(cause, "sqlite_errorname", None) or ""
    for known, why in SQLITE_WHY.items():
        if name.startswith(known):
            return why
    state = getattr(cause, "sqlstate", None) or ""
    if state in POSTGRES_WHY:
        return POSTGRES_WHY[state]
    if isinstance(cause, OSError) and cause.strerror:
        return cause.strerror.lower()
    lines = str(cause).strip().splitlines() or [type(cause).__name__]
    return lines[0][:200]


@contextmanager
def soon(connection: Connection) -> Iterator[None]:
    """A transaction that need not be on the disk when it ends; those before and after it still are."""
    kind = connection.dialect.name
    raw = connection.connection.driver_connection if kind == "sqlite" else None
    if raw is not None:
        # Not OFF: a checkpoint then would not be synced either, and with it what was kept before.
        raw.execute("PRAGMA synchronous = NORMAL")
    try:
        with connection.begin():
            if kind == "postgresql":
                connection.execute(text("SET LOCAL synchronous_commit = off"))
            yield
    finally:
        if raw is not None:
            raw.execute("PRAGMA synchronous = FULL")


class OneWriter:
    """The right to write one match; it ends with the process, however that ends."""

    def __init__(self, path: Path | None) -> None:
        """By a lock file beside `path`; None where the database itself has to see to it."""
        self._path = path
        self._lock: FileLock | None = None

    @classmethod
    def of_engine(cls, engine: Engine) -> OneWriter:
        """For one of many matches in a database."""
        database = engine.url.database
        return cls(Path(database) if engine.dialect.name == "sqlite" and database else None)

    def take(self, connection: Connection | None = None, number: int | None = None) -> None:
        """For match `number` on that connection. Raises `TakenError`."""
        if self._path is not None:
            which = "" if number is None else f".{number}"
            lock = FileLock(f"{self._path}{which}.lock", timeout=0, thread_local=False)
            try:
                lock.acquire()
            except Timeout:
                raise TakenError from None
            self._lock = lock
        elif connection is not None and connection.dialect.name == "postgresql":
            end = time.monotonic() + PATIENCE_S
            while not _advised(connection, number or 0):
                if time.monotonic() > end:
                    raise TakenError
                time.sleep(0.05)

    def release(self) -> None:
        """Gives a lock file back; a server's lock ends with its connection."""
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.release()


def _advised(connection: Connection, number: int) -> bool:
    with connection.begin():
        return bool(connection.execute(text("SELECT pg_try_advisory_lock(8106, :match)"), {"match": number}).scalar())
