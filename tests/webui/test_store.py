"""A match that is kept, each way: before it is seen, through restarts, and refused in one line where it cannot be."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.dialects import mysql
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateTable

from referee.events import ClockPaused, Deal, Event, Players, TurnStarted
from referee.layout import Layout
from referee.match import Phase, replay
from referee.sheets import load
from webui.database import EVENTS, MATCHES, DatabaseMatch, MatchFile
from webui.matches import DatabaseMatches, FileMatches, Matches
from webui.play import Play, PlayError, Table
from webui.store import Store, StoreError

NOW = datetime(2026, 5, 1, 20, 15, 0)
Open = Callable[[], Matches]

V1 = """
CREATE TABLE events (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, document TEXT NOT NULL);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
CREATE TRIGGER events_last BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'an event is never taken out'); END;
CREATE TABLE alive (one INTEGER PRIMARY KEY CHECK (one = 1), at INTEGER NOT NULL);
"""
"""A file as the first version made it."""


def events(count: int = 2) -> list[Event]:
    first = Event("a", 1000, Players(("Anna", "Ben"), load("classic")))
    return [first, Event("b", 2000, Deal("Anna")), Event("c", 3000, TurnStarted(1, "Anna"))][:count]


def refused(act: Callable[[], object]) -> str:
    """One line, without a password in it."""
    with pytest.raises(StoreError) as error:
        act()
    said = str(error.value)
    assert said and "\n" not in said and "secret" not in said
    return said


@pytest.fixture
def kept(open_matches: Open) -> Iterator[Store]:
    """A match that has begun, still open."""
    store = open_matches().new(NOW)
    store.append(*events())
    yield store
    store.close()


class TestEachWay:
    def test_what_was_kept_comes_back(self, kept: Store, open_matches: Open) -> None:
        kept.close()
        again = open_matches().latest()
        assert again is not None and again.events() == tuple(events()) and again.name == kept.name
        assert replay(again.events()).phase is Phase.READY
        again.append(events(3)[2])
        again.close()
        assert open_matches().events(kept.name) == tuple(events(3))

    def test_nothing_before_the_first_event(self, open_matches: Open) -> None:
        store = open_matches().new(NOW)
        assert store.events() == () and store.alive() is None
        store.sign_of_life(5)
        store.append()
        assert open_matches().names() == () and open_matches().latest() is None
        store.close()

    def test_names_by_time_and_never_twice(self, open_matches: Open) -> None:
        stores = []
        for _ in range(3):
            store = open_matches().new(NOW)
            store.append(events()[0])
            store.close()
            stores.append(store.name)
        assert stores == ["2026-05-01 20-15-00", "2026-05-01 20-15-00 (2)", "2026-05-01 20-15-00 (3)"]
        latest = open_matches().latest()
        assert latest is not None and latest.name == stores[-1]
        latest.close()
        assert list(open_matches().names()) == stores[::-1]

    def test_two_that_begin_in_the_same_second(self, open_matches: Open) -> None:
        first, second = open_matches().new(NOW), open_matches().new(NOW)
        first.append(*events())
        try:
            second.append(*events())
        except StoreError as error:
            assert "another Tilekeeper" in str(error)  # a file has one name; a database finds another
        assert open_matches().events(first.name) == tuple(events())
        first.close()
        second.close()

    def test_all_of_a_press_or_nothing(self, kept: Store, open_matches: Open) -> None:
        """The second of two events cannot be kept: the first must not be either."""
        new = Event("new", 3000, ClockPaused(1))
        refused(lambda: kept.append(new, events()[0]))
        assert kept.events() == tuple(events()) == open_matches().events(kept.name)

    def test_an_event_is_kept_once(self, kept: Store, open_matches: Open) -> None:
        refused(lambda: kept.append(events()[0]))
        assert open_matches().events(kept.name) == tuple(events())
        kept.append(events(3)[2])
        assert open_matches().events(kept.name) == tuple(events(3))

    @pytest.mark.parametrize("statement", ["UPDATE events SET document = '{}'", "DELETE FROM events"])
    def test_nothing_is_changed_or_taken_out(self, kept: Store, open_matches: Open, statement: str) -> None:
        connection = kept._connection  # type: ignore[attr-defined]
        with pytest.raises(SQLAlchemyError, match="never"), connection.begin():
            connection.execute(text(statement))
        assert open_matches().events(kept.name) == tuple(events())

    def test_signs_of_life(self, kept: Store, open_matches: Open) -> None:
        assert kept.alive() == 2000
        kept.sign_of_life(7000)
        kept.sign_of_life(8000)
        kept.close()
        again = open_matches().latest()
        assert again is not None and again.alive() == 8000
        again.append(Event("late", 9000, ClockPaused(1)))
        assert again.alive() == 9000
        again.close()

    def test_a_second_companion_is_refused(self, kept: Store, open_matches: Open) -> None:
        assert "another Tilekeeper" in refused(open_matches().latest)
        kept.append(events(3)[2])
        kept.close()
        again = open_matches().latest()
        assert again is not None and len(again.events()) == 3
        again.close()

    def test_others_may_look_while_it_is_played(self, kept: Store, open_matches: Open) -> None:
        assert open_matches().events(kept.name) == tuple(events())
        assert "no match" in refused(lambda: open_matches().events("../../etc/passwd"))

    def test_an_event_that_is_missing_in_the_middle(self, kept: Store, open_matches: Open) -> None:
        """Rows that somebody wrote past the events: the record is not taken for a shorter one."""
        own = kept._own()  # type: ignore[attr-defined]
        columns = ", ".join([*own, "number", "id", "document"])
        values = ", ".join(f":{c}" for c in [*own, "number", "id", "document"])
        connection = kept._connection  # type: ignore[attr-defined]
        with connection.begin():
            row = {**own, "number": 9, "id": "x", "document": json.dumps(events(3)[2].json())}
            connection.execute(text(f"INSERT INTO events ({columns}) VALUES ({values})"), row)
        kept.close()
        assert "event 3 is missing" in refused(open_matches().latest)

    def test_somebody_else_has_written(self, kept: Store) -> None:
        """The lock is one guard, the number of the event another: no event of two companions gets the same place."""
        own = kept._own()  # type: ignore[attr-defined]
        connection = kept._connection  # type: ignore[attr-defined]
        row = {**own, "number": 3, "id": "x", "document": json.dumps(events(3)[2].json())}
        with connection.begin():
            connection.execute(kept._events.insert(), row)  # type: ignore[attr-defined]
        for _ in range(2):
            assert "another Tilekeeper" in refused(lambda: kept.append(events(3)[2]))
        assert kept.events() == tuple(events())


class TestAFile:
    def test_a_file_of_the_first_version_goes_on(self, tmp_path: Path) -> None:
        path = tmp_path / "2025-12-24 18-00-00.match"
        connection = sqlite3.connect(path)
        connection.executescript(f"PRAGMA journal_mode = WAL; BEGIN; {V1} PRAGMA user_version = 1; COMMIT;")
        for event in events():
            connection.execute("INSERT INTO events (id, document) VALUES (?, ?)", (event.id, json.dumps(event.json())))
        connection.execute("INSERT INTO alive VALUES (1, 5000)")
        connection.commit()
        connection.close()
        play = Play(MatchFile(path))
        assert play.state.turn is not None and play.state.turn.player == "Anna"
        play.resume()
        play.draw(Table(Layout()))
        play.close()
        assert len(FileMatches(tmp_path).events(path.stem)) == len(play.events) > 4

    def test_it_is_one_sqlite_file_that_syncs(self, tmp_path: Path) -> None:
        store = FileMatches(tmp_path / "deep" / "folder").new(NOW)
        store.append(*events())
        raw = store._connection.connection.driver_connection  # type: ignore[union-attr]
        for _ in range(2):
            assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert raw.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL, also after a sign of life
            store.sign_of_life(5)
        store.close()
        names = {p.name for p in store.path.parent.iterdir()}
        assert names == {"2026-05-01 20-15-00.match", "2026-05-01 20-15-00.match.lock"}
        with sqlite3.connect(store.path) as plain:
            assert plain.execute("SELECT count(*) FROM events").fetchone() == (2,)
        plain.close()

    @pytest.mark.parametrize("content", [b"no database at all, but a text", b"SQLite format 3\x00" + b"\xff" * 600])
    def test_a_file_that_is_no_match(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "odd.match"
        path.write_bytes(content)
        assert "damaged or no match" in refused(lambda: MatchFile(path))
        refused(lambda: FileMatches(tmp_path).events("odd"))
        assert path.read_bytes() == content

    def test_an_empty_file(self, tmp_path: Path) -> None:
        (tmp_path / "odd.match").write_bytes(b"")
        assert FileMatches(tmp_path).events("odd") == ()  # killed while it was being made
        store = MatchFile(tmp_path / "odd.match")
        assert store.events() == ()
        store.append(*events())
        store.close()

    def test_pages_overwritten_in_the_middle(self, tmp_path: Path) -> None:
        store = FileMatches(tmp_path).new(NOW)
        store.append(*events())
        for n in range(400):
            store.append(Event(f"e{n}", 3000 + n, ClockPaused(1, "x" * 50)))
        store.close()
        whole = store.path.read_bytes()
        assert len(whole) > 5 * 4096
        store.path.write_bytes(whole[:4096] + b"\xaa" * 8192 + whole[4096 + 8192 :])
        assert "damaged" in refused(lambda: MatchFile(store.path))

    @pytest.mark.parametrize("document", ["{", "[]", '{"id": "c", "at": 1, "kind": "nothing"}', "[" * 5000])
    def test_a_row_that_is_no_event(self, tmp_path: Path, document: str) -> None:
        store = FileMatches(tmp_path).new(NOW)
        store.append(*events())
        store.close()
        connection = sqlite3.connect(store.path)
        connection.execute("INSERT INTO events (id, document) VALUES ('c', ?)", (document,))
        connection.commit()
        connection.close()
        assert "damaged: event 3" in refused(lambda: MatchFile(store.path))

    def test_events_that_cannot_follow_one_another(self, tmp_path: Path) -> None:
        store = FileMatches(tmp_path).new(NOW)
        store.append(events()[1])
        assert "damaged" in refused(lambda: Play(store))

    def test_a_newer_file_is_refused_and_left_alone(self, tmp_path: Path) -> None:
        store = FileMatches(tmp_path).new(NOW)
        store.append(events()[0])
        store.close()
        connection = sqlite3.connect(store.path)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA user_version = 99")
        connection.close()
        before = store.path.read_bytes()
        assert "newer" in refused(lambda: MatchFile(store.path))
        assert store.path.read_bytes() == before

    def test_a_folder_that_is_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        refused(lambda: FileMatches(tmp_path / "file" / "matches").new(NOW).append(events()[0]))

    def test_a_folder_that_may_not_be_written(self, tmp_path: Path) -> None:
        if os.name != "posix":
            pytest.skip("rights work another way here")
        if os.geteuid() == 0:
            with mounted(tmp_path, "ro,size=256k") as folder:
                said = refused(lambda: FileMatches(folder).new(NOW).append(events()[0]))
        else:
            tmp_path.chmod(0o500)
            said = refused(lambda: FileMatches(tmp_path).new(NOW).append(events()[0]))
            tmp_path.chmod(0o700)
        assert "cannot be kept" in said

    def test_another_program_has_locked_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("webui.engines.PATIENCE_S", 0.1)
        store = FileMatches(tmp_path).new(NOW)
        store.append(*events())
        other = sqlite3.connect(store.path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        assert "another program uses it" in refused(lambda: store.append(events(3)[2]))
        other.execute("ROLLBACK")
        other.close()
        store.append(events(3)[2])
        store.close()
        assert len(MatchFile(store.path).events()) == 3


class mounted:  # noqa: N801
    """A file system of its own, with what `mount -o` says, for as long as the block lasts."""

    def __init__(self, at: Path, options: str) -> None:
        self.at, self.options = at / "mounted", options

    def __enter__(self) -> Path:
        self.at.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", self.options, "tmpfs", str(self.at)]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
            pytest.skip("no file system can be mounted here")
        return self.at

    def __exit__(self, *error: object) -> None:
        subprocess.run(["umount", "-l", str(self.at)], check=True)


class TestAFullDisk:
    def play_until_full(self, play: Play) -> None:
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        for _ in range(2000):
            play.pause()
            play.resume()
        pytest.fail("the disk never became full")

    def check(self, play: Play, path: Path) -> None:
        """The game in memory is what is on the disk, and goes on when there is room."""
        with pytest.raises(StoreError, match="disk") as error:
            self.play_until_full(play)
        assert "\n" not in str(error.value)
        turn, clock = play.state.turn, play.clock.phase
        again = FileMatches(path.parent).events(path.stem)
        assert again == play.events and replay(again) == play.state
        with pytest.raises(StoreError):
            play.draw(Table(Layout()))
        assert play.state.turn == turn and play.clock.phase == clock

    def test_the_database_is_full(self, tmp_path: Path) -> None:
        store = FileMatches(tmp_path).new(NOW)
        play = Play(store)
        play.start(["X", "Y"], load("classic"), "X")
        play.close()
        store = MatchFile(store.path)
        raw = store._connection.connection.driver_connection  # type: ignore[union-attr]
        raw.execute("PRAGMA max_page_count = 12")
        play = Play(store)
        play.resume()
        with pytest.raises(StoreError, match="the disk is full"):
            for _ in range(2000):
                play.pause()
                play.resume()
        kept = FileMatches(tmp_path).events(store.name)
        assert kept == play.events and replay(kept) == play.state
        raw.execute("PRAGMA max_page_count = 1000")
        player = play.state.turn.player if play.state.turn else ""
        play.draw(Table(Layout()))
        assert play.state.turn is not None and play.state.turn.player != player
        play.close()

    def test_the_file_system_is_full(self, tmp_path: Path) -> None:
        if os.name != "posix" or os.geteuid() != 0:
            pytest.skip("only root may mount a small file system")
        with mounted(tmp_path, "size=300k") as folder:
            play = Play(FileMatches(folder).new(NOW))
            path = folder / f"{play.name}.match"
            (folder / "ballast").write_bytes(b"x" * 60_000)
            self.check(play, path)
            (folder / "ballast").unlink()
            play.draw(Table(Layout()))
            events_now = play.events
            play.close()
            assert FileMatches(folder).events(path.stem) == events_now


class TestADatabase:
    def test_many_matches_side_by_side(self, tmp_path: Path, postgres: str) -> None:
        for address in (postgres, f"sqlite:///{tmp_path / 'many.db'}"):
            matches = DatabaseMatches(address, tmp_path)
            one, two = matches.new(NOW), matches.new(NOW)
            one.append(*events())
            two.append(*events())  # the same ids in another match
            one.append(events(3)[2])
            assert len(matches.events(one.name)) == 3 and len(matches.events(two.name)) == 2
            one.close()
            two.close()

    def test_truncate_is_refused_too(self, postgres: str, tmp_path: Path) -> None:
        store = DatabaseMatches(postgres, tmp_path).new(NOW)
        store.append(*events())
        connection = store._connection
        assert connection is not None
        with pytest.raises(SQLAlchemyError, match="never"), connection.begin():
            connection.execute(text("TRUNCATE events"))
        store.close()

    def test_a_newer_database(self, address: str, open_matches: Open) -> None:
        if not address:
            pytest.skip("a file has its own test")
        matches = open_matches()
        matches.new(NOW).close()
        with matches._engine.begin() as connection:  # type: ignore[attr-defined]
            connection.execute(text("UPDATE tilekeeper SET version = 99"))
        assert "newer" in refused(open_matches)

    def test_tables_of_somebody_else(self, address: str, open_matches: Open) -> None:
        if not address:
            pytest.skip("a file has its own test")
        url = address.replace("postgresql:", "postgresql+psycopg:")
        engine = create_engine(url)
        with engine.begin() as connection:
            connection.execute(text("CREATE TABLE events (what TEXT)"))
        engine.dispose()
        assert "other tables" in refused(open_matches)

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ("nonsense", "no database address"),
            ("", "no database address"),
            ("teapot://x/y", "no such kind"),
            ("sqlite://", "keeps nothing"),
            ("sqlite:////nowhere/at/all.db", "cannot be opened"),
            ("postgresql://anna:secret@127.0.0.1:1/x", "refused"),
            ("postgresql://anna:secret@127.0.0.1:notaport/x", ""),
            ("mysql+nodriver://x/y", "no such kind"),
            ("mysql+pymysql://x/y", "the driver pymysql is not installed: install it, or name another one"),
        ],
    )
    def test_addresses_that_cannot_be(self, wrong: str, said: str, tmp_path: Path) -> None:
        assert said in refused(lambda: DatabaseMatches(wrong, tmp_path))

    def test_the_driver_of_postgresql_comes_with_an_extra(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        said = refused(lambda: DatabaseMatches("postgresql://anna@127.0.0.1/x", tmp_path))
        assert "driver psycopg is not installed" in said and "tilekeeper[postgres]" in said

    def test_the_tables_suit_other_databases(self) -> None:
        for table in (MATCHES, EVENTS):
            assert "CREATE TABLE" in str(CreateTable(table).compile(dialect=mysql.dialect()))


class TestALostConnection:
    """The connection breaks while an event is being kept: was it, or was it not?"""

    def store(self, postgres: str, tmp_path: Path) -> DatabaseMatch:
        store = DatabaseMatches(postgres, tmp_path).new(NOW)
        store.append(*events())
        return store

    def cut(self, postgres: str, store: DatabaseMatch) -> None:
        import psycopg

        with psycopg.connect(postgres, autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    def test_between_two_events_it_connects_again(self, postgres: str, tmp_path: Path) -> None:
        store = self.store(postgres, tmp_path)
        self.cut(postgres, store)
        store.append(events(3)[2])
        assert DatabaseMatches(postgres, tmp_path).events(store.name) == tuple(events(3))
        assert "another" in refused(DatabaseMatches(postgres, tmp_path).latest)  # the lock was taken again
        store.close()

    def test_after_it_was_kept_nothing_is_doubled(self, postgres: str, tmp_path: Path) -> None:
        store = self.store(postgres, tmp_path)
        write, cuts = store._write, iter([True, False])

        def write_and_lose(new: tuple[Event, ...]) -> None:
            kept = list(store._kept)
            write(new)
            if next(cuts):
                store._kept = kept  # as if the answer to COMMIT had never come
                self.cut(postgres, store)
                assert store._connection is not None
                store._connection.execute(text("SELECT 1"))

        store._write = write_and_lose  # type: ignore[method-assign]
        store.append(events(3)[2])
        assert store.events() == tuple(events(3)) == DatabaseMatches(postgres, tmp_path).events(store.name)
        store.close()

    def test_a_server_that_is_gone(self, postgres_server: object, tmp_path: Path) -> None:
        """Nothing is ahead of the database; once it is there again, the game goes on."""
        matches = DatabaseMatches(postgres_server.address, tmp_path)  # type: ignore[attr-defined]
        play = Play(matches.new(NOW))
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        postgres_server.stop()  # type: ignore[attr-defined]
        try:
            before = play.state
            refused(lambda: play.draw(Table(Layout())))
            assert play.state == before and play.clock.left
            play.tick()
        finally:
            postgres_server.start()  # type: ignore[attr-defined]
        play.draw(Table(Layout()))
        assert matches.events(play.name) == play.events
        play.close()

    def test_what_was_kept_after_all_is_in_the_game(self, tmp_path: Path) -> None:
        """Refused, and on the disk all the same: the next button finds it, and does not play on beside it."""
        store = FileMatches(tmp_path).new(NOW)
        play = Play(store)
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        write = store._write

        def write_but_say_no(new: tuple[Event, ...]) -> None:
            kept = list(store._kept)
            write(new)
            store._kept = kept
            raise sqlite3.OperationalError("disk I/O error")

        store._write = write_but_say_no  # type: ignore[method-assign]
        refused(lambda: play.draw(Table(Layout())))
        assert play.state.turn is not None and play.state.turn.player == "Anna"
        store._write = write  # type: ignore[method-assign]
        with pytest.raises(PlayError) as late:
            play.draw(Table(Layout()))
        assert late.value.reason == "stale-turn"
        assert play.state.turn.player == "Ben" and play.clock.left
        play.pause()
        play.close()
        assert FileMatches(tmp_path).events(play.name) == play.events
