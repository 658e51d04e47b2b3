"""A PostgreSQL server for the tests: the one named by TILEKEEPER_TEST_POSTGRES, or one started here for the session."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

NAMED = "TILEKEEPER_TEST_POSTGRES"
USER = "postgres"


def server_programs() -> Path | None:
    """The folder of initdb and pg_ctl: in the path, or where Debian puts them."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))[::-1]
    return next((f for f in folders if (f / "initdb").exists() and (f / "pg_ctl").exists()), None)


class Server:
    """A server of one's own in a folder of its own; the programs refuse to run as root."""

    def __init__(self, programs: Path) -> None:
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="tilekeeper-postgres-"))
        self._as = {"user": USER, "group": USER} if os.name == "posix" and os.geteuid() == 0 else {}
        if self._as:
            shutil.chown(self._folder, USER, USER)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._run("initdb", "--auth=trust", f"--username={USER}", "--no-sync", "--encoding=UTF8", "--no-locale")
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._run("pg_ctl", "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def address(self) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._programs / program), "-D", str(self._folder / "data"), *arguments]
        subprocess.run(command, check=True, timeout=60, cwd="/", stdout=subprocess.DEVNULL, **self._as)  # type: ignore[call-overload]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A server that a test may stop and start; skipped where none can be started here."""
    programs = server_programs()
    if programs is None:
        pytest.skip("no PostgreSQL found here (apt-get install postgresql)")
    server = Server(programs)
    yield server
    server.close()


@pytest.fixture(scope="session")
def _postgres(request: pytest.FixtureRequest) -> str:
    pytest.importorskip("psycopg", reason="the driver psycopg is not installed (extra: postgres)")
    named = os.environ.get(NAMED)
    if named:
        return named
    if server_programs() is None:
        pytest.skip(f"no PostgreSQL: set {NAMED} to an address, or install one (apt-get install postgresql)")
    server: Server = request.getfixturevalue("postgres_server")
    return server.address


@pytest.fixture
def postgres(_postgres: str) -> Iterator[str]:
    """The address of an empty database on the server, gone after the test."""
    import psycopg

    name = f"tilekeeper_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(_postgres, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
    yield f"{_postgres.rsplit('/', 1)[0]}/{name}"
    with psycopg.connect(_postgres, autocommit=True) as server:
        server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(params=["file", "sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where matches are kept, each way: a folder of files (an empty text), one SQLite database, PostgreSQL."""
    if request.param == "file":
        return ""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'many.db'}"
    found: str = request.getfixturevalue("postgres")
    return found


@pytest.fixture
def open_matches(address: str, tmp_path: Path) -> Callable[[], object]:
    """Opens the matches at `address`, as another companion would."""
    from webui.matches import DatabaseMatches, FileMatches

    folder = tmp_path / "matches"
    return lambda: DatabaseMatches(address, folder) if address else FileMatches(folder)
