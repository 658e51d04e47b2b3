"""Bundled games by name, drawn when they are first needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from webui import bundled
from webui.bundled import game_folder
from webui.recorded import RecordedError, load_recorded

SCRIPT = 'players = ["Anna", "Ben"]\nhands = false\n[[turns]]\nplayer = "Anna"\ntable = "r10 r11 r12"\n'


@pytest.fixture
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bundled"
    (folder / "tiny").mkdir(parents=True)
    (folder / "tiny" / "script.toml").write_text(SCRIPT)
    monkeypatch.setattr(bundled, "games_folder", lambda: folder)
    monkeypatch.setenv("TILEKEEPER_CACHE", str(tmp_path / "cache"))
    return folder


def test_a_script_is_drawn_once(games: Path) -> None:
    told: list[str] = []
    folder = game_folder("tiny", told.append)
    assert load_recorded(folder).rows[0].verdict == "legal"
    assert game_folder("tiny", told.append) == folder and len(told) == 1 and "\n" not in told[0]
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]


def test_another_script_is_another_game(games: Path) -> None:
    before = game_folder("tiny")
    (games / "tiny" / "script.toml").write_text(SCRIPT.replace("r12", "r12 r13"))
    after = game_folder("tiny")
    assert after != before and len(load_recorded(after).rows[0].table.sets[0]) == 4


def test_a_game_with_its_pictures_is_where_it_is(games: Path) -> None:
    (games / "tiny" / "turns.csv").write_text("")
    assert game_folder("tiny") == games / "tiny"


def test_a_folder_of_ones_own_goes_before(games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiny").mkdir()
    monkeypatch.chdir(tmp_path)
    assert game_folder("tiny") == Path("tiny")


@pytest.mark.parametrize(
    ("script", "cache", "said"), [("players = [", "", "no TOML"), (SCRIPT, "taken/below", "cannot draw tiny")]
)
def test_what_cannot_be_drawn_is_one_line(
    games: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, cache: str, said: str
) -> None:
    (games / "tiny" / "script.toml").write_text(script)
    (tmp_path / "taken").write_text("")
    if cache:
        monkeypatch.setenv("TILEKEEPER_CACHE", str(tmp_path / cache))
    with pytest.raises(RecordedError) as refused:
        game_folder("tiny")
    assert said in str(refused.value) and "\n" not in str(refused.value)
    left = tmp_path / "cache" / "games"
    assert not left.exists() or not list(left.iterdir())


def test_of_a_name_that_is_none_those_that_there_are_are_said(games: Path) -> None:
    for name in ("nope", "nope/deeper"):
        with pytest.raises(RecordedError, match=f"no recorded game '{name}': .* a name: tiny$"):
            game_folder(name)


def test_the_commands_say_so_in_one_line() -> None:
    for arguments in (["demo", "--game", "nope"], ["replay", "nope"]):
        done = subprocess.run(
            [sys.executable, "-m", "webui.cli", *arguments], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and "evening, first" in done.stderr


def test_the_names_are_those_of_the_scripts() -> None:
    assert {"evening", "window", "quarter", "opposite", "webcam", "long"} <= set(bundled.bundled())
