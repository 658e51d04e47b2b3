"""Rendered games: what the script says is what the frames show, and the bundled ones are as the referee judges them."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import cv2
import pytest

from referee.judge import Turn, judge
from referee.layout import Layout
from referee.sheets import load
from vision.render.games import MOST_BYTES, ScriptError, exact_reading, game_frames, parse_script, render_game

GAMES = sorted((Path(__file__).parents[2] / "datasets" / "games").glob("*/script.toml"))
SHORT = """
players = ["Anna", "Ben"]
seed = 3
[[turns]]
player = "Anna"
table = "r10 r11 r12"
clock = 12
[[turns]]
player = "Ben"
button = "draw"
table = "r10 r11 r12"
[[turns]]
player = "Anna"
table = "r10 r11 r12 | k5 j o5"
nudge = 10
kelvin = 3400
"""


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("short")
    for _ in render_game(parse_script(SHORT, "short"), folder, readings=True):
        pass
    return folder


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_recorded_game_is_complete(short: Path) -> None:
    assert json.loads((short / "game.json").read_text())["players"] == ["Anna", "Ben"]
    turns = rows(short / "turns.csv")
    assert [t["button"] for t in turns] == ["end", "draw", "end"]
    assert list(turns[0])[:6] == ["player", "button", "table", "verdict", "clock", "points"]
    frames = rows(short / "frames.csv")
    assert [f["state"] for f in frames] == ["hand", "rest", "rest", "hand", "rest"]
    for frame in frames:
        path = short / "frames" / frame["frame"]
        picture = cv2.imread(str(path))
        assert picture is not None and picture.shape == (960, 1280, 3)
        assert path.stat().st_size <= MOST_BYTES


def test_a_perfect_reader_reads_what_the_script_says() -> None:
    script = parse_script(SHORT, "short")
    for frame in game_frames(script):
        reading = exact_reading(frame.drawn)
        if frame.pressed:
            seen = {frozenset(map(str, row)) for row in reading.layout().sets}
            assert seen == {frozenset(map(str, row)) for row in script.turns[frame.turn].table.sets}
            assert [sorted(map(str, r)) for r in reading.layout().sets] == [
                sorted(map(str, r)) for r in script.turns[frame.turn].table.sets
            ]


def test_tiles_that_are_not_moved_stay_where_they_lie() -> None:
    script = parse_script(SHORT.replace("nudge = 10\n", ""), "short")
    places = [{str(t.tile): t.centre for t in exact_reading(f.drawn).tiles} for f in game_frames(script) if f.pressed]
    for tile in ("r10", "r11", "r12"):
        for axis in (0, 1):
            assert places[0][tile][axis] == pytest.approx(places[2][tile][axis], abs=0.01)


def test_the_same_script_gives_the_same_bytes(short: Path, tmp_path: Path) -> None:
    for _ in render_game(parse_script(SHORT, "short"), tmp_path, readings=True):
        pass

    def digest(folder: Path) -> dict[str, str]:
        files = (p for p in folder.rglob("*") if p.is_file())
        return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}

    assert digest(tmp_path) == digest(short)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("players = [", "no TOML"),
        ("players = []", "needs players"),
        ('players = ["A"]', "needs players"),
        ('players = ["A"]\n[[turns]]\nplayer = "B"', "none of the players"),
        ('players = ["A"]\n[[turns]]\nplayer = "A"\nbutton = "jump"', "no such button"),
        ('players = ["A"]\n[[turns]]\nplayer = "A"\ntable = "r14"', "turn 1"),
        ('players = ["A"]\n[[turns]]\nplayer = "A"\ntabel = ""', "tabel"),
        ('players = ["A"]\nsurface = "lava"\n[[turns]]\nplayer = "A"', "lava"),
    ],
)
def test_a_script_that_cannot_be_drawn_is_one_line(text: str, said: str) -> None:
    with pytest.raises(ScriptError) as refused:
        parse_script(text, "mine")
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_a_table_that_is_too_full() -> None:
    table = " | ".join(["r1 r2 r3"] * 13)
    script = parse_script(f'players = ["A"]\n[[turns]]\nplayer = "A"\ntable = "{table}"', "full")
    with pytest.raises(ScriptError, match="do not fit"):
        list(game_frames(script))


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.parent.name)
def test_bundled_games_are_as_the_referee_judges_them(path: Path) -> None:
    """The verdicts in the script, the files beside it and the referee agree."""
    script = parse_script(path.read_text("utf-8"), path.parent.name)
    sheet = load(script.rules)
    before, opened = Layout(), dict.fromkeys(script.players, False)
    for turn in script.turns:
        if turn.button != "end":
            assert turn.table == before
            continue
        verdict = judge(Turn(before, turn.table, opened=opened[turn.player]), sheet)
        assert "+".join(sorted(verdict.codes)) == ("" if turn.verdict == "legal" else turn.verdict), turn
        if verdict.legal:
            before, opened[turn.player] = turn.table, verdict.opened
    recorded = rows(path.parent / "turns.csv")
    assert [(r["player"], r["table"], r["verdict"]) for r in recorded] == [
        (t.player, str(t.table), t.verdict) for t in script.turns
    ]
    for row in rows(path.parent / "frames.csv"):
        assert (path.parent / "frames" / row["frame"]).stat().st_size <= MOST_BYTES
