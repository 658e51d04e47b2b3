"""Two sets that were pushed together, in front of a camera: asked about, answered, played on, recorded and replayed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import draw_table
from tests.waiting import until
from vision.camera import Feed
from vision.reading import StoredReader
from webui.companion import Companion
from webui.demo import ShownFrames
from webui.keeper import Keeper
from webui.play import Play
from webui.recorded import load_recorded
from webui.replay import replay_game
from webui.umpire import Umpire

sys.path.insert(0, str(Path(__file__).parent))
from filmed import Filmed, World

TOUCHING = "r10 r11 r12 k1 k2 k3"


@pytest.fixture
def filmed() -> Iterator[Filmed]:
    """A match before a table on which two sets were pushed together."""
    world = World()
    watched = Filmed(world)
    watched.run(2)
    watched.start()
    world.lay(TOUCHING, (250, 300))
    watched.run(3)
    yield watched
    watched.close()


def player(filmed: Filmed) -> str:
    name: str = filmed.match["turn"]["player"]
    return name


def answer(filmed: Filmed, which: int) -> None:
    table = filmed.companion.hub.state()["table"]
    line = next(line for line in table["lines"] if line["said"] is None)
    filmed.press("part", scene=table["scene"], ids=line["ids"], parts=line["answers"][which])


def test_it_is_asked_once_and_the_game_goes_on_with_two_sets(filmed: Filmed) -> None:
    filmed.press("end")
    filmed.run(1)
    assert player(filmed) == "Anna" and filmed.match["waiting"] == "end" and not filmed.match["turn"]["faults"]
    answer(filmed, 0)
    assert player(filmed) == "Ben"
    filmed.world.reach = 250  # a hand passes over all of it
    filmed.run(1)
    filmed.world.reach = 0
    filmed.world.lay("b10 b11 b12", (250, 500))
    filmed.run(3)
    filmed.press("end")
    filmed.run(1)
    assert player(filmed) == "Anna", "nothing is asked again"
    assert str(filmed.companion.umpire.play.state.table) == "r10 r11 r12 | k1 k2 k3 | b10 b11 b12"


def test_a_tile_more_at_the_end_is_the_second_sets(filmed: Filmed) -> None:
    answer(filmed, 0)
    filmed.press("end")
    filmed.run(1)
    filmed.world.lay("b10 b11 b12", (250, 500))
    filmed.run(3)
    filmed.press("end")
    filmed.world.lay("k4", (250 + 6 * 36, 300))
    filmed.run(3)
    filmed.press("end")
    filmed.run(1)
    assert player(filmed) == "Ben"
    assert "k1 k2 k3 k4" in str(filmed.companion.umpire.play.state.table)


def test_pulled_apart_it_is_nothing_to_ask_about(filmed: Filmed) -> None:
    filmed.press("end")
    filmed.run(1)
    assert filmed.match["waiting"] == "end"
    filmed.world.take(*filmed.world.tiles[3:])
    filmed.world.lay("k1 k2 k3", (600, 300))
    filmed.run(3)
    assert player(filmed) == "Ben"


@pytest.fixture
def recorded(tables: Callable[..., Path], tmp_path: Path) -> Iterator[tuple[Companion, ShownFrames, Path]]:
    folder = tables(TOUCHING, f"{TOUCHING} | b10 b11 b12")
    source = ShownFrames("pictures", folder / "frame-0.jpg")
    keeper = Keeper(None, tmp_path / "matches")
    companion = Companion(Feed(source), StoredReader(folder), Umpire(Play()), keeper=keeper)
    companion.start()
    yield companion, source, folder
    companion.close()


def test_what_was_said_is_in_the_record_and_the_replay_is_answered_by_it(
    recorded: tuple[Companion, ShownFrames, Path],
) -> None:
    companion, source, folder = recorded

    def part(name: str) -> dict[str, Any]:
        return companion.hub.state().get(name, {})

    companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
    until(lambda: part("live")["phase"] == "read")
    companion.press("end", {"turn": 1})
    until(lambda: part("match").get("lines"))
    (line,) = part("table")["lines"]
    companion.press("part", {"scene": part("table")["scene"], "ids": line["ids"], "parts": line["answers"][0]})
    until(lambda: part("match")["turn"]["player"] == "Ben")
    source.show(folder / "frame-1.jpg")
    until(lambda: part("live")["phase"] == "read" and len(part("table")["verdicts"]) == 3)
    companion.press("end", {"turn": 2})
    until(lambda: part("match")["turn"]["player"] == "Anna")
    assert companion.keeper.recorder is not None
    saved = companion.keeper.recorder.save().result(timeout=60)
    game = load_recorded(saved)
    assert str(game.rows[0].table) == "r10 r11 r12 | k1 k2 k3"
    results = list(replay_game(game, StoredReader(saved / "frames")))
    assert [r.differences for r in results] == [(), ()] and [r.asked for r in results] == [1, 0]


def test_the_second_look_at_a_picture_of_nobodys_game() -> None:
    """A folder of photos: each is another table, and what was said of one says nothing of the next."""
    umpire = Umpire()
    for scene in (1, 2):
        umpire.see(draw_table(TOUCHING)[1], scene, still=True)
        (line,) = umpire.asked
        umpire.press("part", {"scene": scene, "ids": list(line.ids), "parts": [list(p) for p in line.answers[0]]})
        assert umpire.asked == ()
