"""Looking back: the turns as they were played, what could have been played, and nothing that a player may not see."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flask.testing import FlaskClient

from referee.results import Rack
from referee.sheets import chosen
from referee.tiles import Tile
from tests.waiting import until
from tests.webui.games import lies
from vision.camera import Feed
from vision.reading import StoredReader
from vision.sources import FolderSource
from webui.album import Album, jpeg_within
from webui.app import create_app
from webui.companion import Companion
from webui.desk import Desk
from webui.history import NOW
from webui.keeper import Keeper
from webui.lookback import match_document, past_turns
from webui.matches import FileMatches
from webui.play import Play
from webui.store import MemoryStore
from webui.umpire import Umpire

OPENING = "r10 r11 r12"


class Time:
    """Seconds set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> int:
        return int(self.now * 1000)


def new_play(store: Any = None, options: tuple[str, ...] = (), time: Time | None = None) -> Play:
    time = time or Time()
    play = Play(store if store is not None else MemoryStore(), time, time.wall)
    play.start(["Anna", "Ben"], chosen("classic", options), "Anna")
    return play


def play_short_game(play: Play) -> None:
    play.end(lies(OPENING))
    play.correct_rack("Ben", 5)
    play.end(lies(OPENING + " | k11 b11 o11"))
    play.correct_rack("Anna", 1)
    play.end(lies(OPENING + " r13 | k11 b11 o11"))
    play.out()
    play.count("Ben", Rack.of([Tile.parse("k1"), Tile.parse("j")]))


class TestTurns:
    def test_every_way_a_turn_ends(self) -> None:
        time = Time()
        play = new_play(time=time)
        time.now += 20
        play.end(lies("r10 r11", "r12"))
        time.now += 5
        play.end(lies(OPENING))
        time.now += 7
        play.draw(lies(OPENING))
        play.pause()
        time.now += 500
        play.resume()
        time.now += 61
        play.tick()
        play.time_over(lies(OPENING + " | k1 k2"))
        play.penalty()
        turns = match_document(play.state)["turns"]
        assert [(t["player"], t["how"], t["laid"], t["drawn"], t["used"]) for t in turns] == [
            ("Anna", "played", ["r10", "r11", "r12"], 0, 25_000),
            ("Ben", "drew", [], 1, 7_000),
            ("Anna", "penalty", [], 3, 60_000),
        ]
        first = turns[0]
        assert first["before"] == [] and first["after"] == [["r10", "r11", "r12"]] and not first["opened"]
        assert [word["legal"] for word in first["judged"]] == [False, True]
        assert {f["code"] for f in first["judged"][0]["faults"]} >= {"set-too-short"}
        assert first["judged"][0]["faults"][0]["said"]["text"] and first["judged"][0]["loose"] == ["r12"]
        assert turns[2]["opened"] and turns[2]["after"] == [["r10", "r11", "r12"]]

    def test_without_a_clock_the_time_is_counted_too(self) -> None:
        time = Time()
        play = new_play(options=("no-clock",), time=time)
        time.now += 90
        play.draw(lies(""))
        (turn,) = match_document(play.state)["turns"]
        assert turn["limit"] is None and turn["used"] == 90_000

    def test_what_was_undone_does_not_count(self) -> None:
        play = new_play()
        play.end(lies(OPENING))
        play.undo()
        play.draw(lies(""))
        assert [t["how"] for t in match_document(play.state)["turns"]] == ["drew"]

    def test_games_with_their_points(self) -> None:
        play = new_play()
        play.end(lies(OPENING))
        play.abandon("again")
        play.deal("Ben")
        play.correct_rack("Ben", 3)
        play.end(lies(OPENING))
        play.out()
        play.count("Anna", Rack(50))
        play.deal("Anna")
        document = match_document(play.state)
        assert [(g["number"], g["end"], g["points"]) for g in document["games"]] == [
            (1, "abandoned", {"Anna": 0, "Ben": 0}),
            (1, "out", {"Anna": -50, "Ben": 50}),
            (2, None, None),
        ]
        assert [t["game"] for t in document["turns"]] == [0, 1]


class TestKnownRacks:
    def test_the_winner_held_what_was_laid_from_the_last_draw_on(self) -> None:
        play = new_play()
        play.draw(lies(""))
        play.draw(lies(""))
        play.correct_rack("Anna", 4)
        play.end(lies(OPENING))
        play.draw(lies(OPENING))
        play.end(lies(OPENING + " r13"))
        play.out()
        assert [t["rack"] for t in match_document(play.state)["turns"]] == [None] * 5  # the game is not over yet
        play.count("Ben", Rack(60))
        racks = [(t["player"], t["rack"]) for t in match_document(play.state)["turns"]]
        assert racks == [
            ("Anna", None),  # a tile was drawn in it, and nobody saw which
            ("Ben", None),
            ("Anna", ["r10", "r11", "r12", "r13"]),
            ("Ben", None),
            ("Anna", ["r13"]),
        ]

    def test_a_rack_that_was_read_at_the_end(self) -> None:
        play = new_play()
        play_short_game(play)
        turns = match_document(play.state)["turns"]
        assert [(t["player"], t["rack"]) for t in turns] == [
            ("Anna", None),  # fourteen tiles by count, of which four are known
            ("Ben", ["j", "b11", "k1", "k11", "o11"]),
            ("Anna", ["r13"]),
        ]


class TestPictures:
    def test_at_most_200_kb_whatever_it_shows(self) -> None:
        noise = np.random.default_rng(0).integers(0, 256, (1080, 1920, 3), np.uint8)
        assert len(jpeg_within(noise)) <= 200_000

    def test_a_bounded_number(self, tmp_path: Path) -> None:
        desk = Desk(most=1000)
        album = Album(desk, most=5)
        for n in range(12):
            album.keep(tmp_path / "m", f"e{n}", np.zeros((40, 60, 3), np.uint8))
            desk.ask(lambda: None).result(timeout=10)
        assert len(album.there(tmp_path / "m")) == 5 and album.find(tmp_path / "m", "e11")
        desk.close()

    def test_a_bounded_number_of_matches(self, tmp_path: Path) -> None:
        desk = Desk(most=1000)
        album = Album(desk, most_matches=3)
        for n in range(6):
            album.keep(tmp_path / f"{n}.pictures", "e", np.zeros((40, 60, 3), np.uint8))
            desk.ask(lambda: time.sleep(0.01)).result(timeout=10)
        (tmp_path / "5.match").write_bytes(b"is no picture")
        assert sorted(p.name for p in tmp_path.iterdir()) == ["3.pictures", "4.pictures", "5.match", "5.pictures"]
        desk.close()

    @pytest.mark.parametrize("name", ["../x", "a/b", "", "x" * 101, "a.b", "/etc/passwd"])
    def test_no_name_is_a_way_out_of_the_folder(self, tmp_path: Path, name: str) -> None:
        desk = Desk()
        (tmp_path / "x.jpg").write_bytes(b"secret")
        album = Album(desk)
        album.keep(tmp_path / "m", name, np.zeros((40, 60, 3), np.uint8))
        desk.close()
        assert album.find(tmp_path / "m", name) is None and not (tmp_path / "m").exists()

    def test_a_desk_tells_what_went_wrong_and_goes_on(self) -> None:
        desk = Desk()

        def fail() -> None:
            raise OSError(28, "No space left on device")

        desk.put(fail)
        assert desk.ask(lambda: 7).result(timeout=10) == 7
        assert desk.trouble == "no space left on device"
        desk.close()


@pytest.fixture
def kept(tmp_path: Path) -> FileMatches:
    """A finished match of the past."""
    matches = FileMatches(tmp_path / "matches")
    play = new_play(matches.new(), ("one-game",))
    play_short_game(play)
    play.close()
    return matches


@pytest.fixture
def companion(tables: Callable[..., Path], kept: FileMatches) -> Iterator[Companion]:
    folder = tables("r3 r4 r5")
    play = Play(kept.new())
    running = Companion(
        Feed(FolderSource(folder, every=60)), StoredReader(folder), Umpire(play), keeper=Keeper(kept, kept.folder)
    )
    running.start()
    yield running
    running.close()


@pytest.fixture
def client(companion: Companion) -> FlaskClient:
    return create_app(companion).test_client()


def draw_before(companion: Companion) -> str:
    """The player on turn draws, in the thread that owns the match; the event."""
    play, done = companion.umpire.play, threading.Event()
    companion.tell(lambda: (play.draw(lies("")), done.set()))  # type: ignore[func-returns-value]
    assert done.wait(20)
    return past_turns(play.state)[-1].event.id


def post(client: FlaskClient, address: str, **data: Any) -> Any:
    return client.post(address, json=data)


class TestPages:
    def test_kept_matches_and_the_one_being_played(self, client: FlaskClient, companion: Companion) -> None:
        (past,) = client.get("/history.json").json["matches"]
        assert past["players"] == ["Anna", "Ben"] and not past["running"]
        companion.press("start", {"players": ["X", "Y"], "first": "X"})
        now, again = client.get("/history.json").json["matches"]
        assert now["key"] == NOW and now["players"] == ["X", "Y"] and again == past
        assert client.get("/history/now.json").json["players"] == ["X", "Y"]
        turns = client.get(f"/history/{past['key']}.json").json["turns"]
        assert [t["player"] for t in turns] == ["Anna", "Ben", "Anna"]

    @pytest.mark.parametrize("key", ["nothing", "..%2F..%2Fetc%2Fpasswd", "2026", "%00", "x" * 5000])
    def test_no_such_match(self, client: FlaskClient, key: str) -> None:
        assert client.get(f"/history/{key}.json").status_code == 404

    def test_a_damaged_match_is_named_and_the_others_are_there(self, client: FlaskClient, kept: FileMatches) -> None:
        (kept.folder / "2020-01-01 00-00-00.match").write_bytes(b"no match at all" * 100)
        entries = client.get("/history.json").json["matches"]
        assert len(entries) == 2 and "damaged" in entries[1]["trouble"]
        answer = client.get("/history/2020-01-01 00-00-00.json")
        assert answer.status_code == 500 and answer.text.count("\n") <= 1

    def test_what_could_have_been_played(self, client: FlaskClient) -> None:
        key = client.get("/history.json").json["matches"][0]["key"]
        turn = client.get(f"/history/{key}.json").json["turns"][1]
        assert turn["moves"] and turn["rack"] == ["j", "b11", "k1", "k11", "o11"]
        best = post(client, f"/history/{key}/{turn['event']}/moves", rack=turn["rack"]).json
        assert best["playable"] and best["optimal"] and sorted(best["played"]) == ["b11", "j", "k11", "o11"]
        none = post(client, f"/history/{key}/{turn['event']}/moves", rack=["k1", "b4"]).json
        assert not none["playable"]

    @pytest.mark.parametrize(
        ("rack", "status"),
        [
            (None, 400),
            ([], 400),
            ("k1", 400),
            (["k99"], 400),
            ([5], 400),
            (["?"], 409),
            (["k1"] * 61, 400),
            (["k1"] * 5, 409),
        ],
    )
    def test_a_rack_that_cannot_be(self, client: FlaskClient, rack: Any, status: int) -> None:
        key = client.get("/history.json").json["matches"][0]["key"]
        turn = client.get(f"/history/{key}.json").json["turns"][1]
        answer = post(client, f"/history/{key}/{turn['event']}/moves", rack=rack)
        assert answer.status_code == status and answer.json["message"] and "\n" not in answer.json["message"]

    def test_not_while_the_game_is_being_played(self, client: FlaskClient, companion: Companion) -> None:
        companion.press("start", {"players": ["X", "Y"], "first": "X"})
        event = draw_before(companion)
        turn = client.get("/history/now.json").json["turns"][0]
        assert not turn["moves"] and turn["rack"] is None
        assert post(client, f"/history/now/{event}/moves", rack=["k1"]).status_code == 409

    def test_with_open_racks_it_is_no_secret(self, client: FlaskClient, companion: Companion) -> None:
        companion.press("start", {"players": ["X", "Y"], "first": "X", "options": ["open-rack"]})
        event = draw_before(companion)
        assert post(client, f"/history/now/{event}/moves", rack=["k10", "k11", "k12"]).json["playable"]

    def test_it_takes_no_longer_than_it_may(self, client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("webui.history.MOVES_S", 0.05)
        key = client.get("/history.json").json["matches"][0]["key"]
        turn = client.get(f"/history/{key}.json").json["turns"][1]
        begun = time.monotonic()
        assert post(client, f"/history/{key}/{turn['event']}/moves", rack=["k1"]).status_code == 504
        assert time.monotonic() - begun < 5

    def test_pictures_of_turns(self, client: FlaskClient, companion: Companion, kept: FileMatches) -> None:
        key = client.get("/history.json").json["matches"][0]["key"]
        turn = client.get(f"/history/{key}.json").json["turns"][1]
        assert not turn["picture"] and client.get(f"/history/{key}/{turn['event']}.jpg").status_code == 404
        companion.keeper.album.keep(kept.beside(key), turn["event"], np.zeros((40, 60, 3), np.uint8))
        companion.keeper.desk.ask(lambda: None).result(timeout=10)
        assert client.get(f"/history/{key}.json").json["turns"][1]["picture"]
        assert client.get(f"/history/{key}/{turn['event']}.jpg").mimetype == "image/jpeg"
        assert client.get(f"/history/{key}/..%2F{turn['event']}.jpg").status_code == 404

    def test_saving_the_game(self, client: FlaskClient, companion: Companion, kept: FileMatches) -> None:
        assert post(client, "/history/save").status_code == 409  # nothing has been played yet
        companion.press("start", {"players": ["X", "Y"], "first": "X"})
        until(lambda: companion.hub.state()["live"]["phase"] == "read")
        companion.press("pause", {"turn": 1})
        saved = post(client, "/history/save").json
        assert Path(saved["folder"]).parent == kept.folder / "games" and (Path(saved["folder"]) / "turns.csv").exists()
        assert post(client, "/history/save", id="nothing").status_code == 409

    def test_a_disk_that_is_full(
        self, client: FlaskClient, companion: Companion, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.test_saving_the_game(client, companion, companion.keeper.matches)  # type: ignore[arg-type]

        def full(*arguments: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("webui.journal._write_table", full)
        answer = post(client, "/history/save")
        assert answer.status_code == 507 and "no space left on device" in answer.json["message"]

    def test_changes_by_post_only(self, client: FlaskClient) -> None:
        assert client.get("/history/save").status_code in (404, 405)
        assert client.get("/history/now/x/moves").status_code in (404, 405)
