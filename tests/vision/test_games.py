"""Rendered games: what the script says is what the frames show, and the bundled ones are as the referee judges them."""

from __future__ import annotations

import csv
import hashlib
import json
import math
from dataclasses import replace
from pathlib import Path

import cv2
import pytest

from vision.render.games import MOST_BYTES, exact_reading, game_frames, render_game
from vision.render.scripts import ScriptError, parse_script

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
    assert [f["state"] for f in frames] == ["rest", "hand", "rest", "hand", "rest"]
    assert [t["frame"] for t in turns] == ["002.jpg", "002.jpg", "004.jpg"]  # nothing changed when Ben drew
    seconds = [float(f["seconds"]) for f in frames]
    assert seconds == sorted(seconds) and seconds[-1] < 12 + 20 + 20
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
            assert places[0][tile][axis] == pytest.approx(places[1][tile][axis], abs=0.01)


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
        ('players = ["A"]\nlamp = 3\n[[turns]]\nplayer = "A"', "lamp"),
        ('players = ["A"]\nkelvin = "warm"\n[[turns]]\nplayer = "A"', "kelvin"),
        ('players = ["A"]\nkelvin = 90\n[[turns]]\nplayer = "A"', "2000 to 12000"),
        ('players = ["A"]\ncolumns = 1.5\n[[turns]]\nplayer = "A"', "whole number"),
        ('players = ["A"]\nseed = -1\n[[turns]]\nplayer = "A"', "seed"),
        ('players = ["A"]\njoker = "cat"\n[[turns]]\nplayer = "A"', "cat"),
        ('players = ["A"]\n[[turns]]\nplayer = "A"\nclock = -4', "clock"),
        ('players = ["A"]\n[[turns]]\nplayer = "A"\nnudge = "much"', "nudge"),
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


HANDS = """
players = ["Anna"]
seed = 5
[[turns]]
player = "Anna"
table = "r10 r11 r12"
hands = 2
clock = 20
[[turns]]
player = "Anna"
table = "r10 r11 r12 | k5 j o5"
early = true
passing = true
clock = 20
[[turns]]
player = "Anna"
button = "pause"
table = "r10 r11 r12 | k5 j o5"
clock = 9
"""


def test_hands_shadows_and_a_button_pressed_early(tmp_path: Path) -> None:
    for _ in render_game(parse_script(HANDS, "hands"), tmp_path):
        pass
    frames, turns = rows(tmp_path / "frames.csv"), rows(tmp_path / "turns.csv")
    assert [f["state"] for f in frames] == ["rest", "hand", "hand", "rest", "hand", "shadow", "rest"]
    # The button is pressed while the hand is there; the ruling comes when the table is at rest.
    assert [t["frame"] for t in turns] == ["003.jpg", "004.jpg", "006.jpg"]
    assert float(frames[4]["seconds"]) == 40.0 and float(frames[6]["seconds"]) == 41.5


@pytest.mark.parametrize("turn", [0, 90, 180, 37])
@pytest.mark.parametrize("tilt", [0.0, 0.8])
def test_everything_fits_into_the_picture_from_wherever_the_camera_stands(turn: int, tilt: float) -> None:
    table = " | ".join(["r1 r2 r3 r4 r5"] * 15)
    look = f"columns = 3\nrows = 5\nturn = {turn}\ntilt = {tilt}"
    script = parse_script(f'players = ["A"]\nhands = false\n{look}\n[[turns]]\nplayer = "A"\ntable = "{table}"', "x")
    (frame,) = game_frames(script)
    quads = [label.quad for label in frame.drawn.labels]
    assert len(quads) == 75
    for quad in quads:
        assert (quad > 0).all() and (quad < [1280, 960]).all()
        assert min(math.dist(quad[k], quad[(k + 1) % 4]) for k in (0, 2)) >= 20


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.parent.name)
def test_tiles_of_the_bundled_games_are_as_wide_as_a_webcam_shows_them(path: Path) -> None:
    script = parse_script(path.read_text("utf-8"), path.parent.name)
    fullest = max(script.turns, key=lambda t: len(t.table))
    longest = max(script.turns, key=lambda t: max((len(r) for r in t.table.sets), default=0))
    turns = tuple(replace(t, hands=0, passing=False) for t in (longest, fullest))
    *_, frame = game_frames(replace(script, turns=turns))
    widths = [math.dist(q.quad[0], q.quad[1]) for q in frame.drawn.labels]
    assert min(widths) >= 24 and max(widths) <= 90


@pytest.mark.parametrize("path", GAMES, ids=lambda p: p.parent.name)
def test_bundled_games_are_drawn_from_their_scripts(path: Path) -> None:
    """What lies beside a script is what it says; the pictures are small."""
    if not (path.parent / "turns.csv").exists():
        pytest.skip("drawn when it is needed")
    script = parse_script(path.read_text("utf-8"), path.parent.name)
    recorded = rows(path.parent / "turns.csv")
    assert [(r["player"], r["button"], r["table"], r["verdict"], r.get("state", "")) for r in recorded] == [
        (t.player, t.button, str(t.table), t.verdict, t.state) for t in script.turns
    ]
    sizes = [(path.parent / "frames" / row["frame"]).stat().st_size for row in rows(path.parent / "frames.csv")]
    assert max(sizes) <= MOST_BYTES and sum(sizes) <= 2_500_000
