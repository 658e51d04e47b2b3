"""One set or two? What is asked of lines of tiles, how long an answer holds, and what the referee does meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.sets import is_set
from referee.tiles import ALL_TILES, Tile
from vision.cover import Cover
from vision.reading import Quad, Reading, TileReading
from vision.rows import group
from webui.lines import Lay, Said, look
from webui.play import Play, PlayError
from webui.umpire import Umpire

TILE = 30.0
OPENING = ("r10 r11 r12", 0)


def laid(*rows: tuple[str, float], unsure: str = "") -> Reading:
    """Rows of tiles, each with its height in the picture. In a row ``_`` is a gap of half a tile, ``=`` of 0.8, ``|``
    of more than one tile; other tiles touch. Sets are those that the eye sees (`vision.rows`)."""
    tiles: list[TileReading] = []
    for text, y in rows:
        x = 100.0
        for word in text.split():
            if word in "_=|":
                x += TILE * {"_": 0.5, "=": 0.8, "|": 1.4}[word]
                continue
            quad: Quad = (x, y), (x + TILE, y), (x + TILE, y + 42), (x, y + 42)
            doubted = word == unsure
            tiles.append(TileReading(len(tiles), Tile.parse(word), 0.5 if doubted else 0.99, doubted, quad))
            x += TILE + 1
    quads = np.array([t.quad for t in tiles], float).reshape(-1, 4, 2)
    sets, loose = group(quads, np.array([not t.tile.is_joker and t.tile.readable for t in tiles], bool))
    return Reading(1280, 960, None, tuple(tiles), sets, loose)


def named(reading: Reading, parts: Any) -> str:
    return " | ".join(" ".join(str(reading[n].tile) for n in part) for part in parts)


def asked(lay: Lay) -> list[list[str]]:
    """Every question by its answers."""
    return [[named(lay.reading, parts) for parts in line.answers] for line in lay.asked]


@pytest.mark.parametrize(
    ("row", "answers"),
    [
        # Sets that touch.
        ("r5 r6 r7 k1 k2 k3", [["r5 r6 r7 | k1 k2 k3", "r5 r6 r7 k1 k2 k3"]]),
        ("r3 r4 r5 j k3 k4 k5", [["r3 r4 r5 | j k3 k4 k5", "r3 r4 r5 j | k3 k4 k5", "r3 r4 r5 j k3 k4 k5"]]),
        # A set with a gap in it.
        ("r5 r6 _ r7 r8", [["r5 r6 r7 r8", "r5 r6 | r7 r8"]]),
        ("r5 r6 = r7", [["r5 r6 r7", "r5 r6 | r7"]]),
        ("r5 = r6 = r7 = r8", [["r5 r6 r7 r8", "r5 | r6 | r7 | r8"]]),
        ("r5 r6 r7 = r8", [["r5 r6 r7 r8", "r5 r6 r7 | r8"]]),
        # Both at once.
        ("r5 r6 _ r7 k1 k2 k3", [["r5 r6 r7 | k1 k2 k3", "r5 r6 | r7 k1 k2 k3"]]),
        # Right as it lies.
        ("r5 r6 r7", []),
        ("r5 r6 r7 | k1 k2 k3", []),
        ("r5 r6 r7 r8 r9 r10", []),
        ("r5 r6 r7 = k1 k2 k3", []),
        # Wrong, whatever people meant.
        ("r5 r6 r8", []),
        ("r5 r6 r7 k1 k2", []),
        ("r5 r6 = k7", []),
        # A gap as wide as a tile is no gap in a set.
        ("r5 r6 | r7", []),
        ("r5 r6 | r7 r8", []),
        # What is a set is not taken apart for its neighbour.
        ("r5 r6 r7 r8 = b8 k8", []),
        # But it may have got the first tile of the row beside it.
        ("r5 r6 r7 r8 = r9 k1 k2 k3", [["r5 r6 r7 r8 r9 | k1 k2 k3", "r5 r6 r7 r8 | r9 k1 k2 k3"]]),
        ("r5 r6 r7 k1 = k2 k3 k4", [["r5 r6 r7 | k1 k2 k3 k4", "r5 r6 r7 k1 | k2 k3 k4"]]),
    ],
)
def test_what_is_asked(row: str, answers: list[list[str]]) -> None:
    assert asked(look(laid((row, 300)))) == answers


def test_a_tile_in_doubt_is_asked_about_first() -> None:
    assert asked(look(laid(("r5 r6 r7 k1 k2 k3", 300), unsure="k2"))) == []


def test_rows_above_one_another_are_no_line() -> None:
    assert asked(look(laid(("r5 r6", 300), ("r7 r8", 350)))) == []


def test_seen_from_the_other_side_of_the_table() -> None:
    reading = laid(("r5 r6 r7 k1 k2 k3", 300), ("r10 r11 = r12", 400))

    def turned(t: TileReading) -> TileReading:
        a, b, c, d = ((1280 - x, 960 - y) for x, y in t.quad)
        return replace(t, quad=(a, b, c, d))

    tiles = tuple(map(turned, reading.tiles))
    found = look(replace(reading, tiles=tiles))
    assert asked(found) == [
        ["r5 r6 r7 | k1 k2 k3", "r5 r6 r7 k1 k2 k3"], ["r10 r11 r12", "r10 r11 | r12"],
    ]  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(ALL_TILES), st.sampled_from(["", "", "_", "=", "|"])), min_size=1, max_size=14
    ),
    st.booleans(),
)
def test_what_holds_of_every_line(row: list[tuple[Tile, str]], run: bool) -> None:
    """Each way is a partition, in order, of the line into sets; no set is asked about alone; an answer is done."""
    tiles = [Tile("r", n % 13 + 1) if run else t for n, (t, _) in enumerate(row)]
    reading = laid((" ".join(f"{t} {gap}" for t, (_, gap) in zip(tiles, row, strict=True)), 300))
    lay = look(reading)
    everything = sorted(n for row in (*lay.reading.sets, lay.reading.loose) for n in row)
    assert everything == list(range(len(tiles))) and lay.reading == reading
    for line in lay.asked:
        faces = [tuple(reading[n].tile for n in part) for part in line.as_seen]
        assert not all(map(is_set, faces))
        for way in line.ways:
            assert tuple(n for part in way for n in part) == line.ids
            assert all(is_set(tuple(reading[n].tile for n in part)) for part in way)
        for parts in line.answers:
            after = look(reading, [Said(parts, parts == line.as_seen)])
            assert [found.ids for found in after.said] == [line.ids]
            assert line.ids not in [other.ids for other in after.asked]
            rows = {frozenset(row) for row in (*after.reading.sets, *((n,) for n in after.reading.loose))}
            assert {frozenset(part) for part in parts} <= rows


class Room:
    """An umpire whose table is read as a test says; nobody plays until `start`."""

    def __init__(self) -> None:
        self.now = 100.0
        self.umpire = Umpire(Play(source=lambda: self.now))
        self._scenes = itertools.count(1)
        self.scene = 0

    def see(self, *rows: tuple[str, float], stirred: Cover | None = None) -> None:
        self.scene = next(self._scenes)
        self.umpire.see(laid(*rows), self.scene, stirred)

    def start(self) -> None:
        self.press("start", players=["Anna", "Ben"], rules="classic", options=[], first="Anna")

    def press(self, button: str, **data: Any) -> None:
        turn = self.umpire.play.state.turn
        self.umpire.press(button, {"turn": turn.number if turn else 0, **data})

    def say(self, answer: int | None) -> None:
        """The first open question is answered, or (None) what was said is taken back."""
        lay = self.umpire.lay
        assert lay is not None
        ids = (lay.said if answer is None else lay.asked)[0].ids
        parts = None if answer is None else [list(part) for part in lay.asked[0].answers[answer]]
        self.press("part", scene=self.scene, ids=list(ids), parts=parts)

    @property
    def table(self) -> dict[str, Any]:
        table = self.umpire.table(1)
        assert table is not None
        return table

    def rows(self) -> str:
        assert self.umpire.reading is not None
        reading = self.umpire.reading
        return named(reading, (*reading.sets, *((n,) for n in reading.loose)))

    def states(self) -> list[str]:
        return [v["state"] for v in self.table["verdicts"]]

    @property
    def player(self) -> str:
        turn = self.umpire.play.state.turn
        assert turn is not None
        return turn.player


TOUCHING = ("r10 r11 r12 k1 k2 k3", 300.0)


@pytest.fixture
def room() -> Room:
    return Room()


class TestWatching:
    """Nobody plays: the page says what it sees."""

    def test_it_asks_instead_of_saying_wrong(self, room: Room) -> None:
        room.see(TOUCHING)
        assert room.states() == ["unsure"] and room.table["headline"]["state"] == "unsure"
        assert room.table["verdicts"][0]["title"] == "One set or two?"
        assert [line["said"] for line in room.table["lines"]] == [None]

    def test_two(self, room: Room) -> None:
        room.see(TOUCHING)
        room.say(0)
        assert room.rows() == "r10 r11 r12 | k1 k2 k3" and room.states() == ["right", "right"]
        assert [len(line["said"]) for line in room.table["lines"]] == [2]

    def test_one(self, room: Room) -> None:
        room.see(TOUCHING)
        room.say(1)
        assert room.states() == ["wrong"] and [line["said"] is not None for line in room.table["lines"]] == [True]

    @pytest.mark.parametrize("answer", [0, 1])
    def test_what_was_said_is_taken_back_by_one_tap(self, room: Room, answer: int) -> None:
        room.see(TOUCHING)
        room.say(answer)
        room.say(None)
        assert room.states() == ["unsure"]
        room.say(1 - answer)
        assert room.states() == (["wrong"] if answer == 0 else ["right", "right"])

    def test_three_sets_in_a_row(self, room: Room) -> None:
        room.see(("r10 r11 r12 k1 k2 k3 b9 k9 o9", 300))
        assert room.table["verdicts"][0]["title"] == "One set or several?"
        room.say(0)
        assert room.states() == ["right"] * 3

    def test_a_set_with_a_gap(self, room: Room) -> None:
        room.see(("r5 r6 = r7", 300))
        assert room.states() == ["unsure", "unsure"]
        room.say(0)
        assert room.rows() == "r5 r6 r7" and room.states() == ["right"]
        room.say(None)
        room.say(1)
        assert room.states() == ["wrong", "wrong"]


class TestHowLongItHolds:
    def test_while_the_tiles_lie_there(self, room: Room) -> None:
        room.start()
        room.see(TOUCHING)
        room.say(0)
        room.see(TOUCHING, ("b5", 500))
        assert room.rows() == "r10 r11 r12 | k1 k2 k3 | b5"

    def test_more_tiles_at_its_ends_go_to_the_sets_there(self, room: Room) -> None:
        room.start()
        room.see(TOUCHING)
        room.say(0)
        room.see(("r10 r11 r12 k1 k2 k3 k4", 300))
        assert room.rows() == "r10 r11 r12 | k1 k2 k3 k4" and room.states() == ["right", "right"]

    def test_it_ends_when_one_is_taken_away(self, room: Room) -> None:
        room.start()
        room.see(("r10 r11 r12 r13 k1 k2 k3", 300))
        room.say(0)
        room.see(("r11 r12 r13 k1 k2 k3", 331))
        assert room.states() == ["unsure"]

    def test_a_tile_of_a_group_that_was_two_sets(self, room: Room) -> None:
        """r6 and r5 go elsewhere: what is left is a legal group, and not a tile beside a group."""
        room.start()
        room.see(("r5 r6 r7 k7 b7 o7", 300))
        room.say(next(k for k, a in enumerate(asked(room.umpire.lay)[0]) if a == "r5 r6 r7 | k7 b7 o7"))
        assert room.states() == ["right", "right"]
        room.see(("r7 k7 b7 o7", 300), ("r5 r6", 500))
        assert room.states()[0] == "right"

    def test_not_for_a_tile_laid_between(self, room: Room) -> None:
        room.start()
        room.see(TOUCHING)
        room.say(0)
        room.see(("r10 r11 r12 r13 k1 k2 k3", 300))
        assert room.states() == ["unsure"]

    def test_one_set_is_asked_about_again_when_it_has_grown(self, room: Room) -> None:
        room.start()
        room.see(TOUCHING)
        room.say(1)
        room.see(("r10 r11 r12 k1 k2 k3 k4", 300))
        assert room.states() == ["unsure"]

    def test_a_joined_set_that_grows(self, room: Room) -> None:
        room.start()
        room.see(("r5 r6 = r7", 300))
        room.say(0)
        room.see(("r5 r6 = r7 r8", 300))
        assert room.rows() == "r5 r6 r7 r8" and room.states() == ["right"]

    def test_when_the_camera_is_nudged(self, room: Room) -> None:
        room.start()
        room.see(TOUCHING)
        room.say(0)
        room.umpire.shift(np.array([[1, 0, 12], [0, 1, -8], [0, 0, 1]], float))
        assert room.rows() == "r10 r11 r12 | k1 k2 k3"

    def test_not_in_another_match(self, room: Room) -> None:
        room.start()
        room.see(TOUCHING)
        room.say(0)
        room.press("new", anyway=True)
        room.start()
        assert room.states() == ["unsure"]


class TestEndingTheTurn:
    @pytest.fixture
    def turn(self, room: Room) -> Room:
        room.start()
        room.see(TOUCHING)
        return room

    def test_the_referee_waits_for_the_answer(self, turn: Room) -> None:
        turn.press("end")
        document = turn.umpire.document()
        assert document["waiting"] == "end" and document["turn"]["faults"] == []
        assert document["lines"] == [turn.table["lines"][0]["ids"]] and document["questions"] == []
        assert document["say"] == "One set or two? Say it first"
        turn.say(0)
        assert turn.player == "Ben" and turn.umpire.document()["lines"] == []

    def test_it_is_one_set_and_the_fault_is_named(self, turn: Room) -> None:
        turn.press("end")
        turn.say(1)
        document = turn.umpire.document()
        assert turn.player == "Anna" and [f["code"] for f in document["turn"]["faults"]] != []
        assert document["waiting"] == ""

    def test_said_before_the_button(self, turn: Room) -> None:
        turn.say(0)
        turn.press("end")
        assert turn.player == "Ben"

    def test_nothing_is_asked_before_it_is_needed(self, turn: Room) -> None:
        assert turn.umpire.document()["lines"] == []

    def test_the_button_can_be_left(self, turn: Room) -> None:
        turn.press("end")
        turn.press("wait-no-more")
        assert turn.umpire.document()["waiting"] == "" and turn.player == "Anna"

    def test_time_over_waits_too(self, turn: Room) -> None:
        turn.now += 1000
        turn.umpire.tick()
        assert turn.umpire.document()["waiting"] == "time-over"
        turn.say(0)
        stage = turn.umpire.play.state.turn
        assert stage is not None and stage.stage == "must-draw"

    def test_time_over_cannot_be_taken_back(self, turn: Room) -> None:
        """Else what was laid would be the next player's."""
        turn.now += 1000
        turn.umpire.tick()
        assert "wait-no-more" not in turn.umpire.document()["buttons"]
        turn.press("wait-no-more")
        with pytest.raises(PlayError, match="judged first"):
            turn.press("draw")
        assert turn.umpire.document()["waiting"] == "time-over" and turn.player == "Anna"

    def test_time_over_is_judged_after_a_restart(self, turn: Room) -> None:
        turn.now += 1000
        turn.umpire.tick()
        again = Umpire(turn.umpire.play)
        assert again.document()["waiting"] == "time-over"

    def test_what_waited_in_a_game_that_was_given_up_is_not_done_in_the_next(self, turn: Room) -> None:
        turn.press("end")
        turn.press("abandon")
        turn.press("deal", first="Ben")
        assert turn.umpire.document()["waiting"] == ""
        turn.say(0)
        assert turn.player == "Ben" and turn.umpire.play.state.turn is not None
        assert turn.umpire.play.state.turn.number == 2 and not turn.umpire.play.state.turn.faults

    def test_who_ended_in_time_loses_none_by_the_question(self, turn: Room) -> None:
        turn.press("end")
        turn.now += 1000
        turn.umpire.tick()
        assert turn.umpire.document()["waiting"] == "end"
        turn.say(0)
        assert turn.player == "Ben"

    def test_time_is_over_when_the_answer_is_that_it_is_wrong(self, turn: Room) -> None:
        turn.press("end")
        turn.now += 1000
        turn.umpire.tick()
        turn.say(1)
        turn.umpire.tick()
        now = turn.umpire.play.state.turn
        assert now is not None and now.time_over and turn.player == "Anna"

    def test_the_next_turns_go_on_with_two_sets(self, turn: Room) -> None:
        turn.say(0)
        turn.press("end")
        turn.see(TOUCHING, ("o10 o11 o12 o13", 500))
        turn.press("end")
        assert turn.player == "Anna"
        assert str(turn.umpire.play.state.table) == "r10 r11 r12 | k1 k2 k3 | o10 o11 o12 o13"

    def test_the_way_back_is_to_two_sets(self, turn: Room) -> None:
        turn.say(0)
        turn.press("end")
        turn.see(("r10 r11 r12", 300), ("k1 k2 k3", 600))
        turn.press("how-it-was", show=True)
        assert turn.umpire.document()["restore"]["restored"], "the sets are the same, wherever they lie"

    def test_taken_back_at_another_place_and_pushed_together(self, turn: Room) -> None:
        turn.say(0)
        turn.press("end")
        turn.see(("r10 r11", 300), ("k1 k2 k3 r12", 600))
        turn.press("how-it-was", show=True)
        assert not turn.umpire.document()["restore"]["restored"]
        turn.see(("k1 k2 k3 r10 r11 r12", 700))
        document = turn.umpire.document()
        assert not document["restore"]["restored"] and len(document["lines"]) == 1
        turn.say(0)
        assert turn.umpire.document()["restore"]["restored"]


class TestBadInput:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            ({}, "bad-request"),
            ({"scene": 99}, "stale-table"),
            ({"scene": 1, "ids": "x"}, "bad-request"),
            ({"scene": 1, "ids": []}, "bad-request"),
            ({"scene": 1, "ids": [0, "1"]}, "bad-request"),
            ({"scene": 1, "ids": [0, 1, 2, 3, 4, 5]}, "bad-request"),
            ({"scene": 1, "ids": [0, 1, 2, 3, 4, 5], "parts": [[0, 1], [2, 3, 4, 5]]}, "stale-table"),
            ({"scene": 1, "ids": [0, 1, 2, 3, 4, 5], "parts": [0, 1]}, "bad-request"),
            ({"scene": 1, "ids": [0, 1, 2], "parts": [[0, 1, 2]]}, "stale-table"),
            ({"scene": 1, "ids": [0, 1, 2], "parts": None}, "stale-table"),
        ],
    )
    def test_it_is_refused_and_nothing_changes(self, room: Room, data: dict[str, Any], reason: str) -> None:
        room.see(TOUCHING)
        with pytest.raises(PlayError) as error:
            room.press("part", **data)
        assert error.value.reason == reason and room.states() == ["unsure"]

    def test_the_second_of_two_people_changes_nothing(self, room: Room) -> None:
        room.see(TOUCHING)
        line = room.table["lines"][0]
        press: Callable[..., None] = room.press
        press("part", scene=1, ids=line["ids"], parts=line["answers"][0])
        with pytest.raises(PlayError):
            press("part", scene=1, ids=line["ids"], parts=line["answers"][1])
        assert room.states() == ["right", "right"]
