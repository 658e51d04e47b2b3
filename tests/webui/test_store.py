"""A match on the disk: kept before it is seen, through kills and restarts, and refused where it cannot be kept."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path

import pytest

from referee.events import Deal, Event, Players
from referee.match import Phase, check, replay
from referee.sheets import load
from webui.play import Play
from webui.store import MatchFile, StoreError, latest_match, new_match

NOW = datetime(2026, 5, 1, 20, 15, 0)


def events(count: int = 2) -> list[Event]:
    first = Event("a", 1000, Players(("Anna", "Ben"), load("classic")))
    return [first, Event("b", 2000, Deal("Anna"))][:count]


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    store = new_match(tmp_path / "deep" / "folder", NOW)
    for event in events():
        store.append(event)
    store.close()
    again = MatchFile(store.path)
    assert again.events() == tuple(events())
    assert replay(again.events()).phase is Phase.READY


def test_no_file_before_the_first_event(tmp_path: Path) -> None:
    store = new_match(tmp_path, NOW)
    assert list(tmp_path.iterdir()) == [] and store.events() == () and store.alive() is None
    store.sign_of_life(5)


def test_names_by_time_and_never_twice(tmp_path: Path) -> None:
    first = new_match(tmp_path, NOW)
    first.append(events()[0])
    second = new_match(tmp_path, NOW)
    second.append(events()[0])
    assert first.path.name == "2026-05-01 20-15-00.match" and second.path != first.path
    latest = latest_match(tmp_path)
    assert latest is not None and latest.path in (first.path, second.path)
    assert latest_match(tmp_path / "nowhere") is None


def test_an_event_is_kept_once(tmp_path: Path) -> None:
    store = new_match(tmp_path, NOW)
    store.append(events()[0])
    with pytest.raises(StoreError):
        store.append(events()[0])
    assert len(store.events()) == 1


def test_nothing_is_changed_or_taken_out(tmp_path: Path) -> None:
    store = new_match(tmp_path, NOW)
    store.append(events()[0])
    store.close()
    connection = sqlite3.connect(store.path)
    for statement in ("UPDATE events SET document = '{}'", "DELETE FROM events"):
        with pytest.raises(sqlite3.DatabaseError, match="never"):
            connection.execute(statement)
    connection.close()


def test_signs_of_life(tmp_path: Path) -> None:
    store = new_match(tmp_path, NOW)
    for event in events():
        store.append(event)
    assert store.alive() == 2000
    store.sign_of_life(7000)
    store.sign_of_life(8000)
    store.close()
    assert MatchFile(store.path).alive() == 8000


@pytest.mark.parametrize("content", [b"", b"not a database at all, but a text", b"SQLite format 3\x00" + b"\xff" * 600])
def test_a_file_that_is_no_match(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "odd.match"
    path.write_bytes(content)
    if content:
        with pytest.raises(StoreError) as refused:
            MatchFile(path)
        assert "\n" not in str(refused.value)
    else:
        assert MatchFile(path).events() == ()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    store = new_match(tmp_path, NOW)
    store.append(events()[0])
    store.close()
    connection = sqlite3.connect(store.path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="newer"):
        MatchFile(store.path)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OSError):
        new_match(tmp_path / "file" / "matches", NOW).append(events()[0])


PLAYS = """
import itertools, sys
from pathlib import Path
from referee.layout import Layout
from referee.match import Phase
from referee.sheets import chosen
from webui.play import Play, Table
from webui.store import MatchFile
play = Play(MatchFile(Path(sys.argv[1])))
if not play.events:
    play.start(["Anna", "Ben"], chosen("classic", ["no-clock"]), "Anna")
if play.state.phase is Phase.SEATED:
    play.deal("Anna")
while True:
    if play.state.pool == 0:
        play.abandon("again")
        play.deal("Anna")
    play.draw(Table(Layout()))
    print(len(play.events), flush=True)
"""


def test_killed_at_any_moment_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    path, dice, seen = tmp_path / "kept.match", random.Random(5), 0
    for _ in range(6):
        with subprocess.Popen([sys.executable, "-c", PLAYS, str(path)], stdout=subprocess.PIPE, text=True) as playing:
            assert playing.stdout is not None
            line = playing.stdout.readline()
            time.sleep(dice.uniform(0.0, 0.25))
            os.kill(playing.pid, signal.SIGKILL)
            said = [int(n) for n in (line + playing.stdout.read()).split("\n") if n.strip()]
        store = MatchFile(path)
        kept = len(store.events())
        store.close()
        # What was shown is kept; at most the turn being written when the kill came is there besides.
        assert said and seen < said[-1] <= kept <= said[-1] + 5
        seen = kept
    state = Play(MatchFile(path)).state
    assert check(state) == []
