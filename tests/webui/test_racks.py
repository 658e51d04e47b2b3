"""Racks at the end of a game, without a page: read, put right, entered; what lay on the table is not counted."""

from __future__ import annotations

import io
import itertools
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from referee.layout import Layout
from referee.match import Phase
from referee.moves import MovesError
from referee.results import GameEnd
from referee.tiles import Tile
from vision.reading import Quad, Reading, TileReading
from webui.app import create_app
from webui.blocked import Answer, BlockedCheck, Question, search
from webui.ends import MOST_BYTES, decode
from webui.play import Play, PlayError
from webui.racks import Racks
from webui.umpire import Umpire

RUN = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11"
TABLE = f"{RUN} | k4 k5 k6"
RACK = "b5 r13 j o1 o2 b8 k10 o7 b12 k2 r9 b1 o11 k13"
"""Fourteen tiles worth 124."""


Row = tuple[str, float, float]


def reading(*rows: Row, doubted: tuple[str, ...] = (), size: tuple[int, int] = (1280, 960)) -> Reading:
    """Rows of tiles 30 wide and 42 high, each with the place of its first tile; those ``doubted`` are unsure."""
    tiles: list[TileReading] = []
    sets: list[tuple[int, ...]] = []
    loose: list[int] = []
    for text, x0, y in rows:
        ids = []
        for k, name in enumerate(text.split()):
            x, tile = x0 + 32 * k, Tile.parse(name)
            quad: Quad = (x, y), (x + 30, y), (x + 30, y + 42), (x, y + 42)
            unsure = name in doubted or not tile.readable
            others = ((Tile.parse("o9"), 0.3),) if unsure else ()
            confidence = 0.0 if not tile.readable else 0.6 if unsure else 1.0
            tiles.append(TileReading(len(tiles), tile, confidence, unsure, quad, others))
            ids.append(tiles[-1].id)
        if len(ids) > 1:
            sets.append(tuple(ids))
        else:
            loose += ids
    return Reading(*size, None, tuple(tiles), tuple(sets), tuple(loose))


LAID = (RUN, 50.0, 50.0), ("k4 k5 k6", 50.0, 120.0)


class Room:
    """An umpire whose table is read as a test says."""

    def __init__(self, check: BlockedCheck | None = None) -> None:
        self.umpire = Umpire(Play(source=lambda: 100.0))
        self.umpire.racks = Racks(check)
        self._scenes = itertools.count(1)
        self.see()
        self.press("start", players=["Anna", "Ben"], rules="classic", options=["no-clock"], first="Anna")
        if check is not None:
            self.umpire.racks = Racks(check)

    def see(self, *rows: tuple[str, float, float], doubted: tuple[str, ...] = ()) -> None:
        self.umpire.see(reading(*rows, doubted=doubted), next(self._scenes))

    def press(self, button: str, **data: Any) -> None:
        turn = self.umpire.play.state.turn
        self.umpire.press(button, {"turn": turn.number if turn else 0, **data})

    def refused(self, button: str, **data: Any) -> str:
        with pytest.raises(PlayError) as caught:
            self.press(button, **data)
        return caught.value.reason

    @property
    def counting(self) -> dict[str, Any]:
        document = self.umpire.document()["counting"]
        assert isinstance(document, dict)
        return document

    def draft(self, name: str = "Ben") -> dict[str, Any]:
        draft = next(r for r in self.counting["racks"] if r["name"] == name)["draft"]
        assert isinstance(draft, dict)
        return draft

    def tiles(self, name: str = "Ben") -> list[str]:
        return [t["tile"] for t in self.draft(name)["tiles"]]

    def enter(self, name: str = "Ben") -> None:
        self.press("rack-enter", player=name, tiles=self.tiles(name))


@pytest.fixture
def room() -> Room:
    """Anna has laid all fourteen of her tiles at once and is out; Ben holds fourteen."""
    room = Room()
    room.see(*LAID)
    room.press("end")
    room.press("out")
    assert room.umpire.play.state.phase is Phase.COUNTING
    return room


def photo(room: Room, result: Reading | Exception, player: str = "Ben") -> None:
    number = room.umpire.expect_photo(player)
    assert room.draft(player)["waits"]
    room.umpire.take_photo(player, number, result, b"jpeg")


HALVES = " ".join(RACK.split()[:7]), " ".join(RACK.split()[7:])


class TestReading:
    def test_a_rack_before_the_camera_without_the_table(self, room: Room) -> None:
        room.see(*LAID, (HALVES[0], 50, 400), (HALVES[1], 50, 500))
        assert room.counting["seen"] == {"count": 14, "doubts": 0}
        room.press("rack-look", player="Ben")
        assert room.tiles() == RACK.split()
        draft = room.draft()
        assert draft["value"] == 124 and draft["sure"] and not draft["differs"] and draft["left_out"] == 14
        room.enter()
        assert room.umpire.play.state.scores.totals == (124, -124)

    def test_a_tile_like_one_on_the_table_is_the_racks(self, room: Room) -> None:
        room.see(*LAID, ("r5 k4 b1", 50, 400))
        room.press("rack-look", player="Ben")
        assert sorted(room.tiles()) == ["b1", "k4", "r5"]

    def test_the_racks_alone_with_the_table_out_of_the_picture(self, room: Room) -> None:
        room.see((HALVES[0], 50, 400), (HALVES[1], 50, 500))
        room.press("rack-look", player="Ben")
        assert room.tiles() == RACK.split()

    def test_a_camera_that_was_turned_still_leaves_the_table_out(self, room: Room) -> None:
        room.see((RUN, 500, 700), ("k4 k5 k6", 500, 800), ("b5 r13 j o1", 50, 100))
        room.press("rack-look", player="Ben")
        assert room.tiles() == ["b5", "r13", "j", "o1"]

    def test_nothing_but_the_table(self, room: Room) -> None:
        assert room.refused("rack-look", player="Ben") == "no-tiles"
        room.umpire.lose_sight()
        assert room.refused("rack-look", player="Ben") == "not-at-rest"

    def test_many_tiles_of_a_rack_are_no_more_than_the_winner_held(self, room: Room) -> None:
        """The tracker's rule of a turn, no more new tiles than the player's rack holds, ends with the turn."""
        room.see(*LAID, (HALVES[0], 50, 400), (HALVES[1], 50, 500))
        assert room.counting["seen"]["doubts"] == 0


class TestPhotos:
    def test_a_photo_of_the_rack(self, room: Room) -> None:
        photo(room, reading((HALVES[0], 50, 50), (HALVES[1], 50, 150)))
        draft = room.draft()
        assert room.tiles() == RACK.split() and draft["left_out"] == 0 and draft["source"] == "photo"
        assert room.umpire.racks.picture(draft["photo"]) == b"jpeg"

    def test_the_table_in_it_is_not_counted(self, room: Room) -> None:
        photo(room, reading(*LAID, (HALVES[0], 50, 400), (HALVES[1], 50, 500)))
        assert room.tiles() == RACK.split() and room.draft()["left_out"] == 14

    def test_a_rack_with_a_row_like_one_on_the_table_is_a_rack(self, room: Room) -> None:
        other = "k4 k5 k6 b5 r13 j o1 o2 b8 k10 o7 b12 k2 r9"
        photo(room, reading((other[:8], 50, 50), (other[9:], 50, 150)))
        assert room.tiles() == other.split()

    @pytest.mark.parametrize(
        ("result", "trouble"), [(ValueError("no idea"), "failed"), (reading(), "no-tiles")], ids=["error", "empty"]
    )
    def test_trouble_is_said_and_what_was_there_stays(self, room: Room, result: Any, trouble: str) -> None:
        room.press("rack-tile", player="Ben", id=None, tile="k3")
        photo(room, result)
        assert room.draft()["trouble"] == trouble and room.tiles() == ["k3"]

    def test_a_photo_that_nobody_waits_for_is_left(self, room: Room) -> None:
        number = room.umpire.expect_photo("Ben")
        room.press("rack-drop", player="Ben")
        room.umpire.take_photo("Ben", number, reading(("k1", 0, 0)), b"")
        assert room.counting["racks"][0]["draft"] is None

    def test_a_photo_that_comes_after_the_end_changes_nothing(self, room: Room) -> None:
        number = room.umpire.expect_photo("Ben")
        room.press("count", player="Ben", rack=45)
        room.umpire.take_photo("Ben", number, reading(("k1", 0, 0)), b"")
        assert room.umpire.play.state.phase is Phase.SEATED

    def test_who_has_no_rack_needs_no_photo(self, room: Room) -> None:
        for name in ("Anna", "Zoe", ""):
            with pytest.raises(PlayError):
                room.umpire.expect_photo(name)


class TestPuttingRight:
    def test_unsure_tiles_are_marked_and_have_to_be_named(self, room: Room) -> None:
        photo(room, reading(("b5 r9 ?", 50, 50), doubted=("r9",)))
        marks = [(t["tile"], t["unsure"]) for t in room.draft()["tiles"]]
        assert marks == [("b5", False), ("r9", True), ("?", True)]
        assert room.draft()["value"] is None
        assert room.refused("rack-enter", player="Ben", tiles=["b5", "r9", "?"]) == "racks"
        ids = [t["id"] for t in room.draft()["tiles"]]
        room.press("rack-tile", player="Ben", id=ids[1], tile="r6")
        room.press("rack-tile", player="Ben", id=ids[2], tile="j")
        assert room.tiles() == ["b5", "r6", "j"] and room.draft()["sure"] and room.draft()["value"] == 41

    def test_the_likely_readings_go_along(self, room: Room) -> None:
        photo(room, reading(("b5 r9 b1", 50, 50), doubted=("r9",)))
        assert room.draft()["tiles"][1]["alternatives"] == [{"tile": "o9"}]

    def test_added_and_taken_away(self, room: Room) -> None:
        room.press("rack-tile", player="Ben", id=None, tile="B5")
        room.press("rack-tile", player="Ben", id=None, tile="j")
        assert room.tiles() == ["b5", "j"] and room.draft()["source"] == "hand"
        first = room.draft()["tiles"][0]["id"]
        room.press("rack-tile", player="Ben", id=first, tile=None)
        assert room.tiles() == ["j"]
        assert room.refused("rack-tile", player="Ben", id=first, tile="k1") == "stale-rack"

    @pytest.mark.parametrize("tile", ["q5", "?", "r14", "", "r5 r6"])
    def test_what_is_no_tile(self, room: Room, tile: str) -> None:
        assert room.refused("rack-tile", player="Ben", id=None, tile=tile) == "no-such-tile"

    @pytest.mark.parametrize("data", [{}, {"player": 7}, {"player": "Zoe"}, {"player": "Anna"}, {"player": ["Ben"]}])
    def test_no_such_rack(self, room: Room, data: dict[str, Any]) -> None:
        for button in ("rack-look", "rack-tile", "rack-drop", "rack-enter"):
            assert room.refused(button, tile="k1", id=None, **data) in ("bad-request", "no-such-player")

    def test_more_than_the_box_holds_is_marked(self, room: Room) -> None:
        photo(room, reading(("r5 r5 b1", 50, 50)))  # and one lies on the table
        assert [t["many"] for t in room.draft()["tiles"]] == [True, True, False]
        assert room.refused("rack-enter", player="Ben", tiles=["r5", "r5", "b1"]) == "too-many-copies"


class TestTheSheet:
    def test_what_is_entered_is_what_was_seen(self, room: Room) -> None:
        photo(room, reading((HALVES[0], 50, 50), (HALVES[1], 50, 150)))
        seen = room.tiles()
        room.press("rack-tile", player="Ben", id=room.draft()["tiles"][0]["id"], tile="b6")
        assert room.refused("rack-enter", player="Ben", tiles=seen) == "stale-rack"

    def test_another_number_of_tiles_is_said_and_not_refused(self, room: Room) -> None:
        photo(room, reading(("b5 k10 j", 50, 50)))
        assert room.draft()["differs"]
        room.enter()
        (game,) = room.umpire.play.state.games
        assert dict(game.racks)["Ben"].count == 3 and room.umpire.play.state.scores.totals == (45, -45)

    def test_and_it_is_undone_as_one(self, room: Room) -> None:
        photo(room, reading(("b5 k10 j", 50, 50)))
        room.enter()
        room.press("undo")
        assert room.umpire.play.state.phase is Phase.COUNTING

    def test_more_tiles_than_the_pool_can_have_lost_count_by_their_points(self, room: Room) -> None:
        play = room.umpire.play
        play.state = replace(play.state, pool=0)
        photo(room, reading((HALVES[0], 50, 50), (HALVES[1] + " k9", 50, 150)))
        assert room.draft()["differs"]
        room.enter()
        assert play.state.scores.totals == (133, -133)

    def test_points_are_typed(self, room: Room) -> None:
        room.press("count", player="Ben", rack=45)
        assert room.umpire.play.state.scores.totals == (45, -45)

    def test_a_joker_counts_what_the_sheet_says(self, room: Room) -> None:
        room.press("rack-tile", player="Ben", id=None, tile="j")
        assert room.draft()["value"] == 30

    def test_racks_are_secret_as_long_as_the_game_goes_on(self) -> None:
        room = Room()
        for button in ("rack-look", "rack-tile", "racks-check", "racks-show", "rack-enter"):
            assert room.refused(button, player="Ben", tile="k1", id=None) == "wrong-phase"
        with pytest.raises(PlayError):
            room.umpire.expect_photo("Ben")

    def test_the_next_game_begins_with_empty_drafts(self, room: Room) -> None:
        photo(room, reading((HALVES[0], 50, 50), (HALVES[1], 50, 150)))
        room.enter()
        assert room.umpire.document()["counting"] is None
        assert room.umpire.racks.picture(1) is None


def question(table: str, opened: tuple[str, ...] = ("A", "B"), **racks: str) -> Question:
    from referee.sheets import load

    rows = tuple((name, tuple(Tile.parse(t) for t in rack.split())) for name, rack in racks.items())
    return Question(Layout.parse(table), rows, load("classic"), opened)


class TestBlocked:
    @pytest.mark.parametrize(
        ("table", "racks", "opened", "playable"),
        [
            ("b6 b7 b8", {"A": "b9", "B": "k1"}, ("A", "B"), [True, False]),
            ("b6 b7 b8", {"A": "k9", "B": "k1"}, ("A", "B"), [False, False]),
            ("b6 j b8", {"A": "b7", "B": "b7 r10 r11"}, ("A", "B"), [False, True]),
            ("r7 b7 k7 | r8 b8 k8 | r9 b9 k9 o9", {"A": "o9", "B": "j"}, ("A", "B"), [False, True]),
            # Who has not opened needs thirty from the rack alone.
            ("b6 b7 b8", {"A": "b9", "B": "k1"}, ("B",), [False, False]),
            ("b6 b7 b8", {"A": "r10 k10 o10", "B": "k1"}, (), [True, False]),
        ],
    )
    def test_who_could_have_played(self, table: str, racks: Any, opened: Any, playable: list[bool]) -> None:
        answers = search(question(table, opened, **racks), lambda: False)
        assert [a.playable for a in answers] == playable

    def test_the_play_that_is_shown_moves_the_least(self) -> None:
        answer, _ = search(question(f"{RUN} | k4 k5 k6", A="r12 o5", B="k1"), lambda: False)
        assert answer.played == (Tile.parse("r12"),)
        assert [" ".join(map(str, row)) for row in answer.sets] == [f"{RUN} r12"]

    def test_racks_that_cannot_be(self) -> None:
        with pytest.raises(MovesError, match="number 3"):
            search(question("b6 b7 b8", A="b6", B="b6"), lambda: False)

    def test_given_up(self) -> None:
        assert [a.playable for a in search(question("b6 b7 b8", A="k9", B="k1"), lambda: True)] == [None, None]


def settle(check: BlockedCheck) -> None:
    end = time.monotonic() + 10
    while not check.tick():
        assert time.monotonic() < end, "no answer"
        time.sleep(0.01)


class TestTheCheck:
    def test_it_waits_no_longer_than_its_time(self) -> None:
        now, go_on = [0.0], threading.Event()

        def slow(asked: Question, give_up: Callable[[], bool]) -> tuple[Answer, ...]:
            go_on.wait(10)
            return (Answer("A", True), Answer("B", True))

        check = BlockedCheck(slow, limit_s=30, clock=lambda: now[0])
        check.ask(question("b6 b7 b8", A="k9", B="k1"))
        assert not check.tick() and check.state == "running"
        now[0] = 32.0
        assert check.tick() and check.state == "late" and check.blocked is None
        go_on.set()
        time.sleep(0.05)
        assert not check.tick() and check.answers == (), "what comes too late is not shown"

    def test_one_answer_not_found_in_time_proves_nothing(self) -> None:
        check = BlockedCheck(lambda q, g: (Answer("A", False), Answer("B", None)))
        check.ask(question("b6 b7 b8", A="k9", B="k1"))
        settle(check)
        assert check.blocked is None

    def test_a_second_question_forgets_the_first(self) -> None:
        first = threading.Event()

        def answers(asked: Question, give_up: Callable[[], bool]) -> tuple[Answer, ...]:
            if asked.racks[0][1] == (Tile.parse("k9"),):
                first.wait(10)
            return (Answer(str(asked.racks[0][1][0]), False),)

        check = BlockedCheck(answers)
        check.ask(question("b6 b7 b8", A="k9", B="k1"))
        check.ask(question("b6 b7 b8", A="k8", B="k1"))
        settle(check)
        first.set()
        time.sleep(0.05)
        check.tick()
        assert [a.name for a in check.answers] == ["k8"]


def last_round(room: Room, anna: int, ben: int) -> None:
    """The pool is empty and both have opened."""
    play = room.umpire.play
    turn = play.state.turn
    assert turn is not None
    table = Layout.parse(TABLE)
    play.state = replace(
        play.state,
        pool=0,
        racks=(("Anna", anna), ("Ben", ben)),
        opened=("Anna", "Ben"),
        table=table,
        turn=replace(turn, before=table),
    )


@pytest.fixture
def late() -> Room:
    """Anna's turn at the end of a game; the table lies, two tiles on each rack."""
    room = Room(BlockedCheck())
    room.see(*LAID)
    last_round(room, 2, 2)
    return room


def type_racks(room: Room, **racks: str) -> None:
    for name, tiles in racks.items():
        for tile in tiles.split():
            room.press("rack-tile", player=name, id=None, tile=tile)


class TestBeforeTheEnd:
    def test_it_is_offered_only_with_an_empty_pool(self, late: Room) -> None:
        assert late.counting["mode"] == "offer"
        assert Room().umpire.document()["counting"] is None

    def test_somebody_could_have_played(self, late: Room) -> None:
        late.press("racks-show")
        assert late.counting["mode"] == "check"
        type_racks(late, Anna="b1 o9")
        assert late.refused("racks-check") == "racks" and late.counting["check"]["may"] is False
        type_racks(late, Ben="r12 o5")
        late.press("racks-check")
        settle_racks(late)
        check = late.counting["check"]
        assert check["blocked"] is False
        assert [(a["name"], a["playable"]) for a in check["answers"]] == [("Anna", False), ("Ben", True)]
        assert late.refused("blocked") == "not-blocked"
        late.press("racks-hide")
        assert late.counting["mode"] == "offer" and late.umpire.play.state.phase is Phase.TURN

    def test_nobody_can_and_the_game_ends(self, late: Room) -> None:
        late.press("racks-show")
        type_racks(late, Anna="b1 o9", Ben="k1 o5")
        late.press("racks-check")
        settle_racks(late)
        assert late.counting["check"]["blocked"] is True
        late.press("blocked")
        state = late.umpire.play.state
        assert state.phase is Phase.COUNTING and state.ended is GameEnd.BLOCKED
        assert late.tiles("Anna") == ["b1", "o9"], "the racks need not be read again"
        late.enter("Anna")
        late.enter("Ben")
        assert late.umpire.play.state.scores.totals == (-4, 4)
        assert late.counting["mode"] == "after" and late.counting["check"]["blocked"] is True

    def test_an_answer_for_other_racks_proves_nothing(self, late: Room) -> None:
        late.press("racks-show")
        type_racks(late, Anna="b1 o9", Ben="k1 o5")
        late.press("racks-check")
        settle_racks(late)
        type_racks(late, Ben="r12")
        assert late.counting["check"]["state"] == ""
        assert late.refused("blocked") == "not-blocked"

    def test_the_turn_that_follows_hides_the_racks(self, late: Room) -> None:
        late.press("racks-show")
        type_racks(late, Anna="b1 o9", Ben="k1 o5")
        late.press("pass")
        assert late.umpire.play.state.turn is not None and late.umpire.play.state.turn.player == "Ben"
        assert late.counting["mode"] == "offer"

    def test_after_all_have_passed_the_end_can_be_looked_at(self, late: Room) -> None:
        late.press("pass")
        late.press("pass")
        assert late.umpire.play.state.blocked
        late.press("blocked")
        type_racks(late, Anna="b1 o9", Ben="r12 o5")
        late.press("racks-check")
        settle_racks(late)
        assert late.counting["check"]["blocked"] is False
        late.enter("Anna")
        late.enter("Ben")
        assert late.counting["mode"] == "after"
        late.press("deal", first="Anna")
        assert late.umpire.document()["counting"] is None

    def test_showing_the_racks_stops_the_clock(self) -> None:
        room = Room()
        room.press("new", anyway=True)
        room.press("start", players=["Anna", "Ben"], rules="classic", options=[], first="Anna")
        room.see(*LAID)
        last_round(room, 2, 2)
        room.press("racks-show")
        assert room.umpire.play.clock.phase == "paused"


def settle_racks(room: Room) -> None:
    end = time.monotonic() + 10
    while room.counting["check"]["state"] == "running":
        assert time.monotonic() < end
        room.umpire.tick()
        time.sleep(0.01)


def encoded(width: int, height: int, kind: str = "JPEG") -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), (90, 120, 90)).save(file, kind)
    return file.getvalue()


class TestUploads:
    @pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
    def test_any_kind_of_picture_is_made_as_large_as_is_read(self, kind: str) -> None:
        assert decode(encoded(4000, 3000, kind)).shape == (1920, 2560, 3)
        assert decode(encoded(800, 600, kind)).shape == (600, 800, 3)

    def test_what_is_sent(self, tables: Any) -> None:
        """Through the application: a picture is read, what is none is refused, and nothing else changes."""
        from vision.camera import Feed
        from vision.reading import StoredReader
        from vision.sources import FolderSource
        from webui.companion import Companion

        folder = tables("")

        class Knows:
            def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
                rack = reading(("b5 k10 j", 50, 50), size=(picture.shape[1], picture.shape[0]))
                return StoredReader(folder).read(picture, path) if path else rack

        companion = Companion(Feed(FolderSource(folder, every=600)), Knows())
        umpire = companion.umpire
        umpire.see(reading(*LAID), 1)
        umpire.press("start", {"players": ["Anna", "Ben"], "first": "Anna", "options": ["no-clock"]})
        umpire.press("end", {"turn": 1})
        umpire.press("out", {"turn": 1})
        companion.start()
        client = create_app(companion).test_client()

        def send(data: bytes, player: str = "Ben", kind: str = "image/jpeg") -> tuple[int, str]:
            answer = client.post("/racks/photo", query_string={"player": player}, data=data, content_type=kind)
            return answer.status_code, (answer.get_json(silent=True) or {}).get("reason", "")

        try:
            assert send(encoded(300, 200)) == (202, "")
            end = time.monotonic() + 10
            rack: dict[str, Any] = {"draft": None}
            while not rack["draft"] or rack["draft"]["waits"]:
                assert time.monotonic() < end
                time.sleep(0.02)
                (rack,) = companion.hub.state()["match"]["counting"]["racks"]
            assert [t["tile"] for t in rack["draft"]["tiles"]] == ["b5", "k10", "j"]
            shown = client.get(f"/racks/photo/{rack['draft']['photo']}.jpg")
            assert cv2.imdecode(np.frombuffer(shown.data, np.uint8), 1).shape == (200, 300, 3)
            assert client.get("/racks/photo/9999.jpg").status_code == 404
            assert client.get("/snapshot/77.jpg").status_code == 404
            assert send(b"no picture") == (400, "no-photo")
            assert send(encoded(300, 200)[:200]) == (400, "no-photo")
            assert send(b"") == (411, "bad-request")
            assert send(encoded(7000, 6000)) == (400, "no-photo")
            assert send(b"\xff\xd8\xff" + bytes(MOST_BYTES)) == (413, "photo-too-large")
            assert send(encoded(300, 200), "Anna") == (409, "no-such-player")
            assert send(encoded(300, 200), "<script>") == (409, "no-such-player")
            assert send(encoded(300, 200), kind="text/plain")[0] == 403
            foreign = {"Origin": "http://elsewhere.example"}
            png = encoded(99, 99, "PNG")
            answer = client.post("/racks/photo?player=Ben", data=png, headers=foreign, content_type="image/png")
            assert answer.status_code == 403
        finally:
            companion.close()
