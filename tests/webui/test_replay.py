"""Recorded games through the whole pipeline, with a perfect reader: every row as recorded, differences named."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

import pytest

from tests.webui.games import TIMED, drawn_game
from vision.reading import StoredReader
from webui.recorded import RecordedError, load_recorded
from webui.replay import replay_game


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn_game(TIMED, tmp_path_factory.mktemp("game")).folder


@pytest.fixture
def copy(recorded: Path, tmp_path: Path) -> Path:
    shutil.copytree(recorded, tmp_path / "copy")
    return tmp_path / "copy"


def test_every_row_is_as_recorded(recorded: Path) -> None:
    results = list(replay_game(load_recorded(recorded), StoredReader(recorded / "frames")))
    assert [r.differences for r in results] == [()] * 8


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("end,r10 r11 r12,legal", "end,r10 r11 r13,legal", "table: "),
        ("end,r10 r11 r12,legal", "end,r10 r11 r12,run-gap", "verdict: legal, recorded run-gap"),
        ("Anna,end", "Ben,end", "turn: it is Anna's"),
        ("legal,12,,000.jpg,,", "legal,12,,000.jpg,40,", "clock: 48.0 s left, 40 recorded"),
        ("legal,12,,000.jpg,,", "legal,12,,000.jpg,,over", "state: turn Ben playing | Anna:11* Ben:14"),
        ("legal,12,,000.jpg", "legal,12,Anna:5 Ben:-5,000.jpg", "points: none, recorded Anna:5 Ben:-5"),
        (
            "time-over,r10 r11 r12 | k5 b5,opening-too-low+set-too-short,30",
            "time-over,r10 r11 r12 | k5 b5,,25",
            "button: ",
        ),
    ],
)
def test_what_differs_is_named(copy: Path, before: str, after: str, said: str) -> None:
    path = copy / "turns.csv"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    results = replay_game(load_recorded(copy), StoredReader(copy / "frames"))
    assert any(line.startswith(said) for r in results for line in r.differences)


def doubted(folder: Path, tile: str = "", sure: bool = False) -> None:
    """Makes the reader doubt the first tile of the first picture at rest, or take it for another."""
    path = folder / "frames" / "000.json"
    reading = json.loads(path.read_text())
    reading["tiles"][0]["unsure"] = not sure
    reading["tiles"][0]["tile"] = tile or reading["tiles"][0]["tile"]
    path.write_text(json.dumps(reading))


@pytest.mark.parametrize("tile", ["", "o10", "?"])
def test_a_tile_that_is_in_doubt_is_asked_for_and_named_as_recorded(copy: Path, tile: str) -> None:
    doubted(copy, tile)
    first, *rest = replay_game(load_recorded(copy), StoredReader(copy / "frames"))
    assert (first.asked, first.said, first.differences) == (1, "legal", ())
    assert all(r.same for r in rest)


def test_a_wrong_reading_without_a_doubt_is_named(copy: Path) -> None:
    doubted(copy, "r13", sure=True)
    first = next(replay_game(load_recorded(copy), StoredReader(copy / "frames")))
    assert first.asked == 0 and any(line.startswith("table: ") for line in first.differences)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("game.json", "{"),
        ("game.json", "{}"),
        ("game.json", '{"players": []}'),
        ("turns.csv", "player,button,table,verdict,clock,points,frame\nAnna,end,r99,legal,1,,000.jpg\n"),
        ("turns.csv", "player,button,table,verdict,clock,points,frame\nAnna,end,,legal,1,,999.jpg\n"),
        ("turns.csv", "who,what\nAnna,end\n"),
    ],
)
def test_a_folder_that_is_no_recorded_game_is_one_line(copy: Path, file: str, text: str) -> None:
    (copy / file).write_text(text)
    with pytest.raises(RecordedError) as refused:
        load_recorded(copy)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("frames.csv", "000.jpg,9", "000.jpg,soon", "frames.csv, line 2"),
        ("frames.csv", "000.jpg,9", "000.jpg,9999", "frames.csv, line 3"),
        ("frames.csv", "000.jpg", "999.jpg", "frames.csv, line 2"),
        ("turns.csv", "legal,12", "legal,inf", "turns.csv, line 2"),
        ("turns.csv", "legal,12,,000.jpg", "legal,12,,002.jpg", "turns.csv, line 3"),
        ("game.json", '"first": "Anna"', '"first": "Zoe"', "game.json"),
        ("game.json", '"classic"', '"chess"', "game.json"),
        ("game.json", '"corners": [', '"corners": [1, ', "corners"),
    ],
)
def test_what_is_wrong_in_a_folder_is_named_with_its_place(
    copy: Path, file: str, old: str, new: str, said: str
) -> None:
    text = (copy / file).read_text()
    assert old in text
    (copy / file).write_text(text.replace(old, new, 1))
    with pytest.raises(RecordedError) as refused:
        next(replay_game(load_recorded(copy), StoredReader(copy / "frames")))
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_game_without_times_of_its_pictures(copy: Path) -> None:
    (copy / "frames.csv").unlink()
    assert all(r.same for r in replay_game(load_recorded(copy), StoredReader(copy / "frames")))


def test_at_speed(copy: Path) -> None:
    """Ninety seconds of a game at thirty times their speed take about three."""
    game = load_recorded(copy)
    began = time.monotonic()
    rows = list(islice(replay_game(game, StoredReader(copy / "frames"), speed=30), 4))
    assert all(r.same for r in rows)
    assert time.monotonic() - began > 0.95 * sum(r.row.clock for r in rows) / 30


def test_the_command(recorded: Path, copy: Path) -> None:
    command = [sys.executable, "-m", "webui.cli", "replay", str(recorded), "--readings", str(recorded / "frames")]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout)["different"] == 0
    done = subprocess.run([*command[:4], "nowhere", *command[5:]], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
