"""The way back in a match: when it is shown, what it costs, what it is shown from, also after an undo or a nudge."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest

from referee import events
from referee.layout import Layout
from referee.match import Phase, Stage
from referee.tiles import Tile
from vision.reading import Quad, Reading, TileReading
from webui.play import Play, PlayError
from webui.umpire import Umpire

Row = tuple[str, float, float]
HOME: tuple[Row, ...] = (("r10 r11 r12 r13", 50, 50), ("k9 b9 o9", 50, 150))
HALVES: tuple[Row, ...] = (("r10 r11 r12", 50, 50), ("k9 b9", 50, 150))
BROKEN: tuple[Row, ...] = (*HALVES, ("r13", 600, 300), ("o9", 700, 400), ("k1", 800, 500))


def reading(*rows: Row, shift: tuple[float, float] = (0, 0)) -> Reading:
    """Rows of tiles 30 wide and 42 high, each with the place of its first tile."""
    tiles: list[TileReading] = []
    sets: list[tuple[int, ...]] = []
    loose: list[int] = []
    for text, x0, y0 in rows:
        ids = []
        for k, name in enumerate(text.split()):
            x, y = x0 + 32 * k + shift[0], y0 + shift[1]
            quad: Quad = (x, y), (x + 30, y), (x + 30, y + 42), (x, y + 42)
            tiles.append(TileReading(len(tiles), Tile.parse(name), 1.0, False, quad))
            ids.append(tiles[-1].id)
        if len(ids) > 1:
            sets.append(tuple(ids))
        else:
            loose += ids
    return Reading(1280, 960, None, tuple(tiles), tuple(sets), tuple(loose))


class Room:
    """An umpire whose table is read as a test says, with a clock that is set by hand."""

    def __init__(self, *options: str) -> None:
        self.now = 100.0
        self.umpire = Umpire(Play(source=lambda: self.now))
        self._scenes = itertools.count(1)
        self.see()
        self.press("start", players=["Anna", "Ben"], rules="classic", options=list(options), first="Anna")

    def see(self, *rows: Row, **more: Any) -> None:
        scene = next(self._scenes)
        self.umpire.picture = np.full((960, 1280, 3), scene * 20 % 256, np.uint8)
        self.umpire.see(reading(*rows, **more), scene)

    def press(self, button: str, **data: Any) -> None:
        turn = self.umpire.play.state.turn
        self.umpire.press(button, {"turn": turn.number if turn else 0, **data})

    def time_over(self) -> None:
        self.now += 1000
        self.umpire.tick()

    @property
    def way(self) -> dict[str, Any]:
        way = self.umpire.document()["restore"]
        assert isinstance(way, dict)
        return way

    def lines(self) -> list[str]:
        return [f"{i['tile']}{' ✓' if i['done'] else ''}" for i in self.way["items"]]


@pytest.fixture
def room() -> Room:
    """Anna has laid seven tiles; it is Ben's turn."""
    room = Room()
    room.see(*HOME)
    room.press("end")
    return room


class TestTimeOver:
    def test_it_is_led_back_and_the_tiles_are_counted(self, room: Room) -> None:
        room.see(*BROKEN)
        room.time_over()
        assert sorted(room.lines()) == ["k1", "o9", "r13"]
        assert room.way["penalty"] == {"owed": 3, "asked": 3, "pool": 78}
        room.see(*HOME)
        assert room.way["restored"] and all(line.endswith("✓") for line in room.lines())
        room.press("penalty")
        assert room.umpire.play.state.rack("Ben") == 17 and room.umpire.document()["restore"] is None

    def test_a_pool_of_two_gives_two(self, room: Room) -> None:
        room.umpire.play.state = replace(room.umpire.play.state, pool=2)
        room.see(*BROKEN)
        room.time_over()
        assert room.way["penalty"] == {"owed": 2, "asked": 3, "pool": 2}

    def test_the_list_stays_while_hands_are_over_the_table(self, room: Room) -> None:
        room.see(*BROKEN)
        room.time_over()
        before = room.lines()
        room.umpire.lose_sight()
        assert room.lines() == before and not room.way["still"] and room.way["read"]

    def test_before_it_was_read_nothing_is_said(self, room: Room) -> None:
        room.umpire.lose_sight()
        room.time_over()
        assert room.umpire.document()["restore"] is None
        room.see(*BROKEN)
        assert room.way["read"]

    def test_a_legal_table_is_not_put_back(self, room: Room) -> None:
        room.see(*HOME, ("b10 b11 b12", 50, 250))
        room.time_over()
        turn = room.umpire.play.state.turn
        assert turn is not None and turn.stage is Stage.MUST_DRAW
        assert room.umpire.document()["restore"] is None

    def test_nobody_can_put_it_back(self, room: Room) -> None:
        room.see(*[row for row in BROKEN if row[0] != "r13"])
        room.time_over()
        assert room.way["missing"] == ["r13"] and not room.way["restored"]
        room.press("abandon")
        state = room.umpire.play.state
        assert state.phase is Phase.SEATED and state.game == 1 and state.games[-1].end == "abandoned"

    def test_tiles_in_doubt_are_asked_about(self, room: Room) -> None:
        room.see(*BROKEN)
        room.time_over()
        home = reading(*HOME)
        tiles = tuple(
            replace(t, tile=Tile.UNREAD, unsure=True, confidence=0.0) if str(t.tile) == "r13" else t for t in home.tiles
        )
        room.umpire.see(replace(home, tiles=tiles), 99)
        document = room.umpire.document()
        way = document["restore"]
        assert not way["restored"] and len(way["doubts"]) == 1 and way["missing"] == []
        assert [q["id"] for q in document["questions"]] == way["doubts"]
        room.press("answer", scene=99, id=way["doubts"][0], tile="r13")
        assert room.way["restored"]


class TestShowHowItWas:
    def test_it_is_offered_when_something_was_moved(self, room: Room) -> None:
        assert room.umpire.document()["restore"] is None
        room.see(*BROKEN)
        assert room.way == {"offer": True}
        room.umpire.lose_sight()
        assert room.way == {"offer": True}, "it does not come and go with every hand"

    def test_it_costs_nothing_and_the_clock_runs_on(self, room: Room) -> None:
        room.see(*BROKEN)
        room.press("how-it-was", show=True)
        assert sorted(room.lines()) == ["k1", "o9", "r13"] and room.way["penalty"] is None
        assert room.umpire.play.clock.phase == "running"
        room.see(*HOME)
        assert room.way["restored"]
        room.press("how-it-was", show=False)
        assert room.way == {"offer": True}
        assert room.umpire.play.state.rack("Ben") == 14

    def test_also_after_the_referee_has_said_no(self, room: Room) -> None:
        room.see(*BROKEN)
        room.press("end")
        room.press("how-it-was", show=True)
        assert sorted(room.lines()) == ["k1", "o9", "r13"]

    def test_time_over_makes_it_the_rule(self, room: Room) -> None:
        room.see(*BROKEN)
        room.press("how-it-was", show=True)
        room.see(*[row for row in BROKEN if row[0] != "k1"])
        room.time_over()
        assert room.way["penalty"] is not None and "k1 ✓" in room.lines(), "what was done is still listed"

    def test_it_ends_with_the_turn(self, room: Room) -> None:
        room.see(*BROKEN)
        room.press("how-it-was", show=True)
        room.see(*HOME)
        room.press("draw")
        assert room.umpire.document()["restore"] is None

    def test_nothing_to_show_between_games(self, room: Room) -> None:
        room.see(*BROKEN)
        with pytest.raises(PlayError):
            room.umpire.press("how-it-was", {"turn": 1, "show": True})
        room.time_over()
        with pytest.raises(PlayError) as refused:
            room.press("how-it-was", show=True)
        assert refused.value.reason == "wrong-phase"


class TestTheSnapshot:
    def test_its_picture_is_the_one_in_which_it_was_read(self, room: Room) -> None:
        room.see(*BROKEN)
        room.press("how-it-was", show=True)
        snapshot = room.way["snapshot"]
        assert snapshot["turn"] == 2 and (snapshot["width"], snapshot["height"]) == (1280, 960)
        jpeg = room.umpire.restoring.jpeg(2)
        assert jpeg is not None
        assert abs(int(cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1)[5, 5, 0]) - 40) < 4
        assert room.umpire.restoring.jpeg(7) is None

    def test_a_turn_taken_back_has_its_own_again(self, room: Room) -> None:
        room.see(*HOME, ("k1 k2 k3", 50, 250))
        room.see(*HOME)
        room.press("draw")
        room.see(*BROKEN)
        room.press("undo")
        room.press("how-it-was", show=True)
        assert room.way["snapshot"]["turn"] == 2
        assert sorted(room.lines()) == ["k1", "o9", "r13"]

    def test_places_are_of_the_picture_now_and_of_the_picture_then(self, room: Room) -> None:
        room.see(*BROKEN)
        room.press("how-it-was", show=True)
        nudge = np.array([[1, 0, 12], [0, 1, -8], [0, 0, 1]], float)
        before = room.lines()
        room.umpire.shift(nudge)
        room.see(*BROKEN, shift=(12, -8))
        assert room.lines() == before
        item = next(i for i in room.way["items"] if i["tile"] == "r13")
        assert item["was"][0] == [146.0, 50.0]
        assert np.allclose(item["belongs"][0], [158, 42], atol=1.5)

    def test_a_corrected_table_is_what_is_restored(self, room: Room) -> None:
        play = room.umpire.play
        play._add(events.TableCorrected(Layout.parse("r10 r11 r12 r13 | k9 b9 o9 r9"), "Anna"))
        room.see(*HOME, ("r9", 600, 300))
        room.press("how-it-was", show=True)
        assert room.lines() == ["r9"] and room.way["snapshot"] is None
