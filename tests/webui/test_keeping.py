"""Keeping a match from end to end: each kind of database by the command, and a disk that fills while time runs out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from referee.clock import ClockPhase
from referee.events import Event
from referee.match import Stage
from referee.sheets import load
from tests.conftest import draw_table
from webui.play import Play, PlayError
from webui.store import MemoryStore
from webui.umpire import Umpire

SERVE = [sys.executable, "-m", "webui.cli", "serve", "--port", "0"]
Tables = Callable[..., Path]


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> int:
        return int(self.now * 1000)


class Disk(MemoryStore):
    """A store whose disk is full when somebody says so."""

    full = False
    tries = 0

    def append(self, *events: Event) -> None:
        self.tries += 1
        if self.full:
            raise OSError(28, "No space left on device")
        super().append(*events)


class TestATurnOnAFullDisk:
    def sit(self) -> tuple[Umpire, Disk, Time]:
        time, disk = Time(), Disk()
        umpire = Umpire(Play(disk, time, time.wall))
        umpire.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
        return umpire, disk, time

    def see(self, umpire: Umpire, text: str) -> None:
        umpire.see(draw_table(text)[1], umpire.scene + 1, still=True)

    def said(self, umpire: Umpire) -> str:
        return (umpire.document().get("noticed") or {}).get("message", "")

    def test_time_over_is_said_as_soon_as_it_can_be_kept(self) -> None:
        umpire, disk, time = self.sit()
        self.see(umpire, "r10 r11")
        time.now += 61
        disk.full = True
        before = disk.tries
        for _ in range(20):
            umpire.tick()
            time.now += 0.05
        assert "no space left" in self.said(umpire).lower() and disk.tries - before == 1  # once a second
        assert umpire.play.state.turn is not None and not umpire.play.state.turn.time_over
        disk.full = False
        time.now += 1
        umpire.tick()
        turn = umpire.play.state.turn
        assert turn is not None and turn.time_over and turn.stage is Stage.BROKEN
        assert [e.fact.kind for e in umpire.play.events].count("time-over") == 1

    def test_the_word_after_time_over_waits_for_the_disk(self) -> None:
        umpire, disk, time = self.sit()
        time.now += 61
        umpire.tick()
        disk.full = True
        self.see(umpire, "r10 r11")
        assert "no space left" in self.said(umpire).lower()
        assert umpire.play.state.turn is not None and umpire.play.state.turn.stage is Stage.PLAYING
        disk.full = False
        time.now += 2
        umpire.tick()
        assert umpire.play.state.turn.stage is Stage.BROKEN

    def test_an_end_of_a_turn_is_pressed_again(self) -> None:
        umpire, disk, _ = self.sit()
        disk.full = True
        umpire.press("end", {"turn": 1})
        self.see(umpire, "r10 r11 r12")
        assert umpire.play.state.turn is not None and umpire.play.state.turn.player == "Anna"
        assert umpire.play.clock.phase is ClockPhase.RUNNING and "no space left" in self.said(umpire).lower()
        disk.full = False
        umpire.press("end", {"turn": 1})
        assert umpire.play.state.turn.player == "Ben" and not self.said(umpire)

    def test_a_start_is_whole_or_not_at_all(self) -> None:
        disk = Disk()
        disk.full = True
        umpire = Umpire(Play(disk))
        with pytest.raises(OSError):
            umpire.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
        assert umpire.document() == {**umpire.document(), "phase": "empty"} and disk.events() == ()


class TestPlay:
    def test_a_press_is_one_write(self) -> None:
        """A kill between two events of one press would leave a table at which nobody's turn runs."""
        disk = Disk()
        play = Play(disk)
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        assert disk.tries == 1 and len(play.events) == 3
        play.draw()
        assert disk.tries == 2 and len(play.events) == 5

    def test_the_clock_shows_what_was_kept(self) -> None:
        """The disk takes its time: the pause counts from the press, not from when it was written."""
        time, disk = Time(), Disk()
        play = Play(disk, time, time.wall)
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        time.now += 59.9
        append = disk.append

        def slowly(*events: Event) -> None:
            append(*events)
            time.now += 5

        disk.append = slowly  # type: ignore[method-assign]
        play.pause()
        assert play.clock.phase is ClockPhase.PAUSED and play.clock.left == play.state.clock.left == 100

    def test_a_rack_on_the_sheet_is_put_right(self) -> None:
        from referee.results import Rack

        play = Play()
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        play.abandon("x")
        play.deal("Anna")
        umpire = Umpire(play)
        umpire.press("rack", {"player": "Anna", "tiles": 3})
        self_see(umpire, "r10 r11 r12")
        umpire.press("end", {"turn": 2})
        umpire.press("out", {"turn": 2})
        umpire.press("count", {"player": "Ben", "rack": 45})
        assert play.state.scores.totals == (45, -45)
        umpire.press("recount", {"game": 2, "player": "Ben", "rack": 54})
        assert play.state.scores.totals == (54, -54)
        counted, said = umpire.document()["sheet"]["corrections"]
        assert "45" in said["text"] and "54" in said["text"] and "Anna" in counted["text"]
        play.undo()
        assert play.state.scores.totals == (45, -45) and umpire.document()["sheet"]["corrections"] == [counted]
        for game, player, reason in (
            (1, "Ben", "no-such-rack"),
            (9, "Ben", "no-such-game"),
            (2, "Anna", "no-such-rack"),
        ):
            with pytest.raises(PlayError) as refused:
                play.correct_game(game, player, Rack(1))
            assert refused.value.reason == reason


def self_see(umpire: Umpire, text: str) -> None:
    umpire.see(draw_table(text)[1], umpire.scene + 1, still=True)


class TestTheCommand:
    def command(self, tables: Tables, *more: str) -> list[str]:
        folder = str(tables("r10 r11 r12", folder=f"t{len(more)}{os.urandom(3).hex()}"))
        return [*SERVE, "--camera", folder, "--readings", folder, *more]

    def running(self, command: list[str], env: dict[str, str] | None = None) -> Any:
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})})

    def address(self, process: Any) -> str:
        for line in process.stderr:
            if "Open " in line:
                return str(line.split("Open ")[1].split()[0])
        raise AssertionError("it did not start")

    def refused(self, command: list[str], env: dict[str, str] | None = None) -> str:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **(env or {})})
        assert done.returncode == 2 and not done.stdout
        assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr, done.stderr
        return done.stderr

    def test_kept_over_a_kill_in_each_kind_of_database(self, tables: Tables, tmp_path: Path, address: str) -> None:
        where = {"TILEKEEPER_DATABASE": address} if address else {}
        command = self.command(tables, "--matches", str(tmp_path / "matches"))
        for run in range(2):
            with self.running(command, where) as process:
                page = self.address(process)
                if run:
                    match = json.loads(urlopen(f"{page}state.json", timeout=60).read())["match"]
                    assert match["turn"]["player"] == "Anna" and match["clock"]["phase"] == "paused"
                else:
                    data = json.dumps({"players": ["Anna", "Ben"], "first": "Anna"}).encode()
                    headers = {"Content-Type": "application/json"}
                    urlopen(Request(f"{page}press/start", data, headers), timeout=60).close()
                    assert "another Tilekeeper" in self.refused(command, where)
                process.kill()

    @pytest.mark.parametrize(
        ("database", "said"),
        [
            ("postgresql://anna:secret@127.0.0.1:1/x", "refused"),
            ("nonsense", "no database address"),
            ("sqlite:////nowhere/at/all.db", "cannot be opened"),
        ],
    )
    def test_a_database_that_cannot_be_had(self, tables: Tables, tmp_path: Path, database: str, said: str) -> None:
        line = self.refused(self.command(tables, "--matches", str(tmp_path), "--database", database))
        assert said in line and "secret" not in line
