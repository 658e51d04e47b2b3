"""The scripts of the bundled games: written by the referee's own moves, with every way in them that a turn can end."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from referee.layout import Layout
from referee.tiles import Tile
from vision.render.scripts import Script, parse_script
from webui.commands.serve import load_reader
from webui.recorded import load_recorded
from webui.replay import Replay

DATASETS = Path(__file__).parents[2] / "datasets"
SCRIPTS = {p.parent.name: p for p in sorted((DATASETS / "games").glob("*/script.toml"))}


def author() -> ModuleType:
    spec = importlib.util.spec_from_file_location("author", DATASETS / "author.py")
    assert spec is not None and spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


AUTHOR = author()


def script(name: str) -> Script:
    return parse_script(SCRIPTS[name].read_text("utf-8"), name)


@pytest.mark.parametrize("name", AUTHOR.PLANS)
def test_a_script_is_what_the_referee_plays_from_its_seed(name: str) -> None:
    """Every verdict, state, clock and point in it is the referee's."""
    text = SCRIPTS[name].read_text("utf-8")
    seed = int(re.search(r"from seed (\d+)", text).group(1))  # type: ignore[union-attr]
    assert AUTHOR.Author(AUTHOR.PLANS[name], seed).write() == text


def ways() -> dict[str, bool]:
    """Each way that a turn or a game can end, and whether it is in one of the scripts."""
    found: dict[str, bool] = {}
    for name in AUTHOR.PLANS:
        turns = script(name).turns
        for before, turn, after in zip((None, *turns), turns, (*turns[1:], None), strict=False):
            opened = f"{turn.player}:" in turn.state and f"{turn.player}:" in (before.state if before else "")
            had = re.search(rf"{turn.player}:\d+(\*?)", before.state if before else "")
            has = re.search(rf"{turn.player}:\d+(\*?)", turn.state)
            ended = turn.button == "end" and turn.verdict == "legal"
            broken = turn.button == "time-over" and turn.verdict != "legal"
            pool = re.search(r"pool (\d+)", before.state if before else "pool 60")
            left = int(pool.group(1)) if pool else 60
            restored = bool(broken and after and after.button == "penalty")
            for way, there in (
                ("played", ended),
                ("opening", bool(ended and had and has and has.group(1) and not had.group(1) and opened)),
                ("opening too low refused", turn.verdict == "opening-too-low"),
                ("illegal, put right while the clock runs", bool(
                    turn.button == "end" and turn.verdict not in ("legal", "nothing-played", "opening-too-low")
                    and after and after.button == "end" and after.verdict == "legal" and after.table != turn.table
                )),
                ("tiles taken back, then drawn", bool(
                    before and before.button == "end" and before.verdict != "legal" and "broken" in before.state
                    and ended and after and after.button == "draw" and after.table == turn.table
                )),
                ("drew", turn.button == "draw" and "must-draw" not in (before.state if before else "")),
                ("passed with an empty pool", turn.button == "pass"),
                ("time over on a legal table", turn.button == "time-over" and turn.verdict == "legal"),
                ("time over on a broken one, restored", restored),
                ("restored with the pool nearly empty", restored and left < 3),
                ("nobody can rebuild it", turn.button == "abandon"),
                ("ruling", turn.button == "pause" and bool(after and after.button == "resume")),
                ("undo of the last turn", turn.button == "undo"),
                ("correction by hand", turn.button == "rack"),
                ("joker freed and replayed", bool(ended and before and freed(before.table, turn.table))),
                ("out", turn.button == "out"),
                ("blocked", turn.button == "blocked"),
                ("racks counted", turn.button == "count" and bool(turn.points)),
            ):  # fmt: skip
                found[way] = found.get(way, False) or there
    return found


def freed(before: Layout, after: Layout) -> bool:
    return bool(AUTHOR.frees_joker(before, after)) and Tile.JOKER in after.tiles


@pytest.mark.parametrize(("way", "there"), ways().items())
def test_every_way_that_a_turn_can_end_is_in_one_of_the_games(way: str, there: bool) -> None:
    assert there, way


@pytest.mark.parametrize("name", AUTHOR.PLANS)
def test_a_game_is_long_enough_and_differs_in_look(name: str) -> None:
    game = script(name)
    assert sum(t.button in ("end", "draw", "pass", "penalty") for t in game.turns) >= 12
    others = [script(n).look for n in AUTHOR.PLANS if n != name]
    for other in others:
        assert game.look.box != other.box and game.look.surface != other.surface
        assert (game.look.turn, game.look.tilt) != (other.turn, other.tilt)
    assert any(t.early for t in game.turns), "no button is pressed with a hand over the table"


@pytest.mark.parametrize("name", [n for n, p in SCRIPTS.items() if (p.parent / "turns.csv").exists()])
def test_games_with_pictures_are_replayed_as_recorded_by_the_real_reader(name: str) -> None:
    """Every verdict right, every layout at rest right or in doubt, none while a hand is over the table."""
    run = Replay(load_recorded(SCRIPTS[name].parent), load_reader())
    assert [(r.number, r.differences) for r in run.rows() if not r.same] == []
    assert run.looks.wrong == 0


def test_light_camera_and_hands_change_during_the_games() -> None:
    turns = [t for name in AUTHOR.PLANS for t in script(name).turns]
    changed = {key for t in turns for key, _ in t.changes}
    assert {"kelvin", "exposure", "gamma", "glare"} <= changed
    assert any(t.nudge for t in turns) and any(t.twist for t in turns)
    assert any(t.passing for t in turns) and any(t.hands > 1 for t in turns)
