"""Choosing the camera while the companion runs: what is listed, going over, what cannot be opened, the next start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import numpy as np
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from tests.waiting import until
from vision.camera import Camera, CameraError, Feed, Frame, Link, NoCamera, Tuning
from vision.phone import PhoneCamera
from vision.reading import Reading
from vision.sources import FolderSource, LensSource
from webui import choice as choices
from webui import chooser as choosing
from webui.app import create_app
from webui.bounded import within
from webui.choice import Choice, ChoiceError, FileKept, Kind, MemoryKept, given, is_here, stream
from webui.chooser import Chooser
from webui.commands.serve import serve
from webui.companion import Companion
from webui.phone import BURST

Tables = Callable[..., Path]
SECRET = "rtsp://anna:Secret1@192.168.1.9/live?channel=2&token=Secret2"
DESK, LID = Choice(Kind.DEVICE, "0", "Desk camera"), Choice(Kind.DEVICE, "2", "Lid")


class Bare:
    """A reader of empty tables."""

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        return Reading(picture.shape[1], picture.shape[0])


class Lens:
    """A camera that delivers pictures of its own, as long as it is not closed."""

    live, trouble, tuning = False, "", Tuning((1920, 1080), "auto")

    def __init__(self, name: str, delivers: bool = True) -> None:
        self.name, self.link, self.closed = name, Link.OPEN, False
        self.delivers = delivers

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        if not self.delivers:
            return None
        if after >= 1.0:
            threading.Event().wait(timeout)
            return None
        return Frame(np.full((90, 120, 3), 90, np.uint8), 1, 1.0)

    def rest(self, resting: bool) -> None: ...

    def close(self) -> None:
        self.closed = True


class Shop:
    """Cameras to be opened: as each name says, a lens, a failure, or one that is waited for."""

    def __init__(self) -> None:
        self.there: list[Choice] = [DESK, LID]
        self.broken: set[str] = set()
        self.doors: dict[str, threading.Event] = {}
        self.sold: list[Any] = []
        self.looked = 0

    def opens(self, choice: Choice) -> Camera:
        if choice.id in self.doors:
            self.doors[choice.id].wait(60)
        if choice.kind is Kind.PHONE:
            self.sold.append(PhoneCamera())
        elif choice.id in self.broken:
            raise CameraError(f"no {choice.source}")
        else:
            self.sold.append(Lens(choice.name, delivers="silent" not in choice.name))
        return self.sold[-1]  # type: ignore[no-any-return]

    def finds(self) -> tuple[Choice, ...]:
        self.looked += 1
        return tuple(self.there)


class Watched:
    """A companion without a camera, and its chooser."""

    def __init__(self, shop: Shop, camera: Camera | None = None, **how: Any) -> None:
        self.companion = Companion(camera or NoCamera(), Bare())
        self.chooser = Chooser(self.companion, opens=shop.opens, finds=shop.finds, **how)
        self.companion.start()
        self.chooser.begin()

    def client(self, address: str = "127.0.0.1") -> FlaskClient:
        made = create_app(self.companion, chooser=self.chooser).test_client()
        made.environ_base["REMOTE_ADDR"] = address
        return made

    @property
    def told(self) -> dict[str, Any]:
        return self.companion.hub.state()["cameras"]  # type: ignore[no-any-return]

    @property
    def live(self) -> dict[str, Any]:
        return self.companion.hub.state()["live"]  # type: ignore[no-any-return]

    def settled(self) -> dict[str, Any]:
        """What the pages are told when nothing is looked for or opened any more."""
        until(lambda: not self.told["looking"] and self.told["opening"] is None, said=lambda: self.told)
        return self.told

    def close(self) -> None:
        self.chooser.close()
        self.companion.close()


Watch = Callable[..., Watched]


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def watch(shop: Shop) -> Iterator[Watch]:
    running: list[Watched] = []

    def start(**how: Any) -> Watched:
        running.append(Watched(shop, **how))
        return running[-1]

    yield start
    for door in shop.doors.values():
        door.set()
    for one in running:
        one.close()


def ids(told: dict[str, Any]) -> list[str]:
    return [entry["id"] for entry in told["list"]]


class TestWithoutOne:
    def test_it_starts_asks_and_lists_what_there_is(self, watch: Watch) -> None:
        watched = watch()
        told = watched.settled()
        assert ids(told) == ["device-0", "device-2", "phone"] and told["now"] is None and told["trouble"] is None
        assert [entry["name"] for entry in told["list"]][:2] == ["Desk camera", "Lid"]
        assert watched.live["phase"] == "choosing" and watched.live["picture"] is None
        assert watched.client().get("/").status_code == 200

    def test_the_game_can_begin_without_one(self, watch: Watch) -> None:
        watched = watch()
        watched.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"}, timeout=30)
        assert watched.companion.hub.state()["match"]["phase"] == "turn"

    def test_devices_that_come_later_are_found_by_looking_again(self, watch: Watch, shop: Shop) -> None:
        watched = watch()
        watched.settled()
        shop.there.append(Choice(Kind.DEVICE, "4", "New one"))
        assert watched.client().post("/cameras/look", json={}).status_code == 200
        until(lambda: "device-4" in ids(watched.told))

    def test_a_system_that_does_not_answer_is_waited_for_no_longer(
        self, watch: Watch, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(choosing, "LOOK_S", 0.05)
        never = threading.Event()
        watched = watch()
        watched.settled()
        monkeypatch.setattr(watched.chooser, "_finds", lambda: never.wait(60) and ())
        watched.chooser.look()
        until(lambda: watched.told["late"])
        never.set()
        assert ids(watched.settled()) == ["device-0", "device-2", "phone"], "what was known stays"


class TestGoingOver:
    def test_one_tap_and_its_picture_is_there(self, watch: Watch) -> None:
        watched = watch()
        watched.settled()
        assert watched.client().post("/cameras/choose", json={"id": "device-2"}).status_code == 200
        told = watched.settled()
        assert told["now"] == "device-2" and told["trouble"] is None
        until(lambda: watched.live["picture"] is not None)
        camera = watched.live["camera"]
        assert (camera["name"], camera["asked"], camera["focus"]) == ("Lid", [1920, 1080], "auto")
        assert (watched.live["picture"]["width"], watched.live["picture"]["height"]) == (120, 90)

    def test_the_one_before_is_closed_and_no_picture_has_a_number_twice(
        self, watch: Watch, shop: Shop
    ) -> None:
        watched = watch()
        watched.settled()
        numbers = []
        for device in ("device-0", "device-2", "device-0"):
            watched.chooser.choose(device)
            assert watched.settled()["now"] == device
            until(lambda: watched.live["picture"] is not None)
            numbers.append((watched.live["camera"]["number"], watched.live["picture"]["number"]))
        assert numbers == [(1, 1), (2, 2), (3, 3)]
        until(lambda: [lens.closed for lens in shop.sold] == [True, True, False])

    def test_what_cannot_be_opened_is_said_and_the_one_before_goes_on(
        self, watch: Watch, shop: Shop
    ) -> None:
        watched = watch()
        watched.settled()
        watched.chooser.choose("device-0")
        watched.settled()
        shop.broken.add("device-2")
        watched.chooser.choose("device-2")
        told = watched.settled()
        assert told["now"] == "device-0" and told["trouble"]["key"] == "cameras.trouble.device"
        assert told["trouble"]["text"].startswith("Lid gives no picture")
        assert watched.companion.camera is shop.sold[0] and not shop.sold[0].closed

    def test_one_that_opens_and_delivers_nothing_is_none(
        self, watch: Watch, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(choosing, "PICTURE_S", 0.05)
        shop.there = [Choice(Kind.DEVICE, "1", "silent")]
        watched = watch()
        watched.settled()
        watched.chooser.choose("device-1")
        told = watched.settled()
        assert told["now"] is None and told["trouble"]["key"] == "cameras.trouble.device"
        assert shop.sold[0].closed

    def test_one_that_hangs_is_given_up_and_closed_when_it_comes(
        self, watch: Watch, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(choosing, "OPEN_S", 0.05)
        watched = watch()
        watched.settled()
        shop.doors["device-0"] = threading.Event()
        watched.chooser.choose("device-0")
        assert watched.settled()["trouble"]["key"] == "cameras.trouble.device"
        shop.doors["device-0"].set()
        until(lambda: shop.sold and shop.sold[0].closed)
        assert watched.told["now"] is None

    def test_who_changes_his_mind_gets_what_he_chose_last(self, watch: Watch, shop: Shop) -> None:
        watched = watch()
        watched.settled()
        shop.doors["device-0"] = threading.Event()
        watched.chooser.choose("device-0")
        assert watched.told["opening"]["id"] == "device-0"
        watched.chooser.choose("device-2")
        assert watched.settled()["now"] == "device-2"
        shop.doors["device-0"].set()
        until(lambda: any(lens.name == "Desk camera" and lens.closed for lens in shop.sold))
        assert watched.told["now"] == "device-2" and watched.live["camera"]["name"] == "Lid"

    def test_so_many_at_once_and_no_more(self, watch: Watch, shop: Shop) -> None:
        shop.there = [Choice(Kind.DEVICE, str(n), f"camera {n}") for n in range(6)]
        watched = watch()
        watched.settled()
        shop.doors = {f"device-{n}": threading.Event() for n in range(6)}
        for n in range(choosing.MOST_AT_ONCE):
            watched.chooser.choose(f"device-{n}")
        with pytest.raises(ChoiceError, match="wait a little"):
            watched.chooser.choose("device-5")

    def test_the_one_that_is_there_already_is_not_opened_again(
        self, watch: Watch, shop: Shop
    ) -> None:
        watched = watch()
        watched.settled()
        for _ in range(2):
            watched.chooser.choose("device-0")
            assert watched.settled()["now"] == "device-0"
        assert len(shop.sold) == 1
        shop.sold[0].link = Link.LOST
        watched.chooser.choose("device-0")
        watched.settled()
        assert len(shop.sold) == 2, "one that is lost is"

    def test_the_match_and_its_clock_go_on(self, watch: Watch) -> None:
        watched = watch()
        watched.settled()
        watched.chooser.choose("device-0")
        watched.settled()
        watched.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"}, timeout=30)
        before = watched.companion.hub.state()["match"]
        watched.chooser.choose("device-2")
        watched.settled()
        after = watched.companion.hub.state()["match"]
        assert after["turn"] == before["turn"] and after["clock"] == before["clock"]


class TestPhone:
    def test_it_takes_over_and_its_pictures_come_in(self, watch: Watch, jpeg: bytes) -> None:
        watched = watch(lan=True)
        client = watched.client("192.168.1.20")
        headers = {"Content-Type": "image/jpeg", "X-Phone": "p1"}
        assert client.post("/camera/picture", data=jpeg, headers=headers).status_code == 409
        assert client.post("/cameras/choose", json={"id": "phone"}).status_code == 200
        assert watched.settled()["now"] == "phone"
        assert client.post("/camera/picture", data=jpeg, headers=headers).status_code == 200
        until(lambda: watched.live["picture"] is not None)

    def test_without_lan_it_is_said_why_not(self, watch: Watch) -> None:
        watched = watch()
        answer = watched.client().post("/cameras/choose", json={"id": "phone"})
        assert answer.status_code == 409 and answer.get_json()["reason"] == "no-lan"

    @pytest.fixture
    def jpeg(self, tables: Tables) -> bytes:
        return (tables("r3 r4 r5") / "frame-0.jpg").read_bytes()


class TestAddresses:
    @pytest.mark.parametrize(
        "address",
        ["rtsp://10.0.0.4/live", "rtsps://cam/1", "http://cam.local:8080/video?ch=1", "https://a_b/", "http://[fe80::1]/"],
    )
    def test_good_ones(self, address: str) -> None:
        assert stream(f" {address} ").source == address

    @pytest.mark.parametrize(
        "address",
        [
            "", "cam", "/etc/passwd", "file:///etc/passwd", "FILE:///etc/passwd", "concat:/etc/passwd|x", "udp://@:1234",
            "pipe:0", "http:///etc/passwd", "http://", "http://cam:0/", "http://cam:99999/", "http://ca m/", "http://cam/\nx",
            "rtsp:/cam", "data:image/png;base64,xx", "http://cam\\@evil/", "http://cäm/", "http://" + "a" * 2000, "0",
            "subfile,,start,0,end,9,,:http://cam/", "http://a b@cam/", "http://%2Fetc/", "ftp://cam/", "phone",
        ],
    )  # fmt: skip
    def test_bad_ones(self, watch: Watch, address: str) -> None:
        watched = watch()
        answer = watched.client().post("/cameras/choose", json={"address": address})
        assert answer.status_code == 409 and answer.get_json()["reason"] == "camera-address"
        assert watched.told["opening"] is None

    def test_nobody_sees_its_password_on_any_page_or_in_any_line(
        self,
        watch: Watch,
        shop: Shop,
        caplog: pytest.LogCaptureFixture,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        watched = watch()
        client = watched.client()
        answers = [client.post("/cameras/choose", json={"address": SECRET}).text]
        assert watched.settled()["now"] == "stream"
        shop.broken.add("stream")
        shop.sold[0].link = Link.LOST
        answers.append(client.post("/cameras/choose", json={"id": "stream"}).text)
        assert watched.settled()["trouble"]["key"] == "cameras.trouble.stream"
        answers += [client.get("/state.json").text, client.get("/").text, caplog.text, *capfd.readouterr()]
        assert "192.168.1.9/live?channel=2" in "".join(answers)
        assert "Secret" not in "".join(answers) and "anna" not in "".join(answers)
        assert "Secret" not in repr(stream(SECRET))

    def test_a_lens_names_itself_without_it(self) -> None:
        with pytest.raises(CameraError) as said:
            Feed(LensSource("rtsp://anna:Secret1@127.0.0.1:9/x", stream("rtsp://anna:Secret1@127.0.0.1:9/x").name))
        assert "Secret" not in str(said.value)

    @pytest.mark.parametrize(
        ("host", "here"),
        [
            ("127.0.0.1", True), ("localhost", True), ("0.0.0.0", True), ("2130706433", True), ("::1", True),
            ("::ffff:127.0.0.1", True), ("169.254.169.254", True), ("192.168.1.9", False), ("10.1.2.3", False),
        ],
    )  # fmt: skip
    def test_addresses_of_this_machine(self, host: str, here: bool) -> None:
        assert is_here(host) is here

    def test_other_devices_cannot_send_it_to_what_listens_here_only(self, watch: Watch, shop: Shop) -> None:
        watched = watch()
        data = {"address": "rtsp://127.0.0.1:631/printers"}
        assert watched.client("192.168.1.20").post("/cameras/choose", json=data).status_code == 200
        assert watched.settled()["trouble"]["key"] == "cameras.trouble.here" and not shop.sold
        assert watched.client().post("/cameras/choose", json=data).status_code == 200
        assert watched.settled()["now"] == "stream"


    def test_other_devices_give_no_web_address(self, watch: Watch, shop: Shop) -> None:
        """Its server could lead on to what listens here only."""
        watched = watch()
        data = {"address": "HTTP://192.168.1.9/live"}
        answer = watched.client("192.168.1.20").post("/cameras/choose", json=data)
        assert answer.status_code == 409 and answer.get_json()["reason"] == "camera-far" and not shop.sold
        assert watched.client().post("/cameras/choose", json=data).status_code == 200


class TestRequests:
    @pytest.mark.parametrize(
        "data",
        ["x", [], {}, {"id": 1}, {"id": "device-0", "address": "http://cam/"}, {"path": "/etc"}, {"address": None}],
    )
    def test_nonsense(self, watch: Watch, data: object) -> None:
        assert watch().client().post("/cameras/choose", json=data).status_code == 400

    @pytest.mark.parametrize("name", ["given", "device-9", "stream", "../../etc", "/dev/video0", "0", ""])
    def test_only_what_is_listed_can_be_chosen(self, watch: Watch, shop: Shop, name: str) -> None:
        answer = watch().client().post("/cameras/choose", json={"id": name})
        assert answer.status_code == 409 and answer.get_json()["reason"] == "no-such-camera" and not shop.sold

    def test_so_often_and_no_more(self, watch: Watch) -> None:
        client = watch().client()
        codes = [client.post("/cameras/look", json={}).status_code for _ in range(int(BURST) + 3)]
        assert codes[: int(BURST)] == [200] * int(BURST) and codes[-1] == 429

    def test_only_by_post_and_only_from_our_page(self, watch: Watch) -> None:
        client = watch().client()
        for path in ("/cameras/look", "/cameras/choose"):
            assert client.get(path).status_code == 405
            assert client.post(path, json={}, headers={"Origin": "http://evil.example"}).status_code == 403
            assert client.post(path, data="id=device-0").status_code == 403

    def test_a_recorded_game_has_its_own_pictures(self) -> None:
        companion = Companion(NoCamera(), Bare())
        client = create_app(companion).test_client()
        for path in ("/cameras/look", "/cameras/choose"):
            assert client.post(path, json={"id": "device-0"}).status_code == 409
        companion.close()


class TestTheNextStart:
    def test_it_goes_on_with_the_same(self, watch: Watch, shop: Shop, tmp_path: Path) -> None:
        watched = watch(kept=FileKept(tmp_path))
        watched.settled()
        watched.chooser.choose("device-2")
        watched.settled()
        until(lambda: FileKept(tmp_path).load() == LID)
        again = watch(kept=FileKept(tmp_path))
        assert again.settled()["now"] == "device-2"

    def test_the_same_device_under_another_number(self, watch: Watch, shop: Shop) -> None:
        shop.there = [Choice(Kind.DEVICE, "0", "Lid"), Choice(Kind.DEVICE, "2", "Desk camera")]
        assert watch(kept=MemoryKept(LID)).settled()["now"] == "device-0"

    def test_one_that_is_missing_is_named_and_asked_for(self, watch: Watch, shop: Shop) -> None:
        shop.there = [DESK]
        watched = watch(kept=MemoryKept(LID))
        told = watched.settled()
        assert told["now"] is None and told["trouble"]["text"].startswith("Lid, the camera of last time, is not here")
        assert watched.live["phase"] == "choosing" and ids(told) == ["device-0", "phone"]

    def test_a_stream_that_is_off_stays_in_the_list(self, watch: Watch, shop: Shop) -> None:
        shop.broken.add("stream")
        told = watch(kept=MemoryKept(stream(SECRET))).settled()
        assert told["now"] is None and told["trouble"]["key"] == "cameras.trouble.stream" and "stream" in ids(told)

    def test_a_phone_opens_no_network_by_itself(self, watch: Watch) -> None:
        assert watch(kept=MemoryKept(choices.A_PHONE)).settled()["trouble"]["key"] == "cameras.trouble.no-lan"
        assert watch(kept=MemoryKept(choices.A_PHONE), lan=True).settled()["now"] == "phone"

    def test_what_is_given_counts_and_the_kept_one_stays_kept(
        self, watch: Watch, tables: Tables
    ) -> None:
        folder, kept = tables("r3 r4 r5"), MemoryKept(LID)
        camera = Feed(FolderSource(folder, 600))
        watched = watch(camera=camera, now=given(str(folder), camera), kept=kept)
        told = watched.settled()
        assert told["now"] == "given" and ids(told)[0] == "given" and told["list"][0]["name"] == "tables"
        assert str(folder) not in json.dumps(told), "a page sees no path"
        watched.chooser.choose("device-0")
        assert watched.settled()["now"] == "device-0" and ids(watched.told)[0] == "given"
        until(lambda: kept.choice == DESK)

    def test_a_disk_that_keeps_nothing_is_said(self, watch: Watch, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        watched = watch(kept=FileKept(tmp_path / "file"))
        watched.settled()
        watched.chooser.choose("device-0")
        told = watched.settled()
        assert told["now"] == "device-0" and told["trouble"]["key"] == "cameras.trouble.not-kept"


class TestKept:
    @pytest.mark.parametrize("choice", [DESK, stream(SECRET), choices.A_PHONE, Choice(Kind.GIVEN, "/a/b.mp4", "b.mp4")])
    def test_as_it_was(self, tmp_path: Path, choice: Choice) -> None:
        FileKept(tmp_path).keep(choice)
        assert FileKept(tmp_path).load() == choice
        if os.name == "posix":
            assert (tmp_path / choices.FILE).stat().st_mode & 0o077 == 0, "it may hold a password"

    @pytest.mark.parametrize(
        "text",
        ["", "[]", "{}", '{"kind": "x"}', '{"kind": "device", "source": "/etc", "name": "x"}', '{"kind": "phone"}',
         '{"kind": "stream", "source": "file:///etc/passwd", "name": "x"}',
         '{"kind": "device", "source": 0, "name": "x"}'],
    )  # fmt: skip
    def test_a_damaged_one_is_none(self, tmp_path: Path, text: str) -> None:
        (tmp_path / choices.FILE).write_text(text)
        assert FileKept(tmp_path).load() is None

    def test_what_was_given(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "game.mp4").write_bytes(b"")
        assert given("0", Lens("camera 0")) == Choice(Kind.DEVICE, "0", "camera 0")
        assert given(" phone ", Lens("phone")) == choices.A_PHONE
        assert given("game.mp4", Lens("game.mp4")).source == str(tmp_path / "game.mp4")
        assert given("udp://@:1", Lens("udp")).source == "udp://@:1"

    def test_equal_devices_are_told_apart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(choices, "list_devices", lambda: [(0, "Cam"), (2, "Cam"), (4, "Lid")])
        assert [choice.name for choice in choices.devices()] == ["Cam (0)", "Cam (2)", "Lid"]

    @pytest.mark.parametrize(("platform", "count"), [("linux", 0), ("darwin", choices.UNNAMED)])
    def test_a_system_that_names_none(self, monkeypatch: pytest.MonkeyPatch, platform: str, count: int) -> None:
        monkeypatch.setattr(choices, "list_devices", list)
        monkeypatch.setattr(choices.sys, "platform", platform)
        assert len(choices.devices()) == count


class TestTheCommand:
    """`tilekeeper serve` without ``--camera``."""

    @pytest.fixture
    def serve(self, tables: Tables, tmp_path: Path) -> Iterator[Callable[[], tuple[str, str]]]:
        """Starts it; the line that it says first and the address of its page."""
        environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
        folder = tables("r3 r4 r5")
        command = [sys.executable, "-m", "webui.cli", "serve", "--port", "0", "--readings", str(folder)]
        running: list[subprocess.Popen[str]] = []

        def start() -> tuple[str, str]:
            running.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment))
            assert running[-1].stderr is not None
            said, _, address = running[-1].stderr.readline().strip().partition(" Open ")
            return said, address

        yield start
        for process in running:
            process.kill()
            process.communicate()

    def test_it_comes_up_and_asks(self, serve: Callable[[], tuple[str, str]]) -> None:
        said, address = serve()
        assert said == "Tilekeeper has no camera yet: choose one on the page."
        state = json.loads(urlopen(f"{address}state.json", timeout=60).read())
        assert state["live"]["phase"] == "choosing" and state["cameras"]["now"] is None

    @pytest.mark.skipif(sys.platform != "linux", reason="user data folders are named by XDG_DATA_HOME on Linux only")
    def test_it_goes_on_with_what_was_chosen(self, serve: Callable[[], tuple[str, str]], tmp_path: Path) -> None:
        FileKept(tmp_path / "data/tilekeeper").keep(Choice(Kind.GIVEN, str(tmp_path / "tables"), "tables"))
        said, address = serve()
        assert said == "Tilekeeper looks for tables, the camera of last time."

        def state() -> Any:
            return json.loads(urlopen(f"{address}state.json", timeout=60).read())

        until(lambda: state()["live"]["phase"] == "read", said=state)
        assert state()["cameras"]["now"] == "given"


class TestWithin:
    def test_what_comes_in_time(self) -> None:
        assert within(60, lambda: 3) == 3
        with pytest.raises(TimeoutError, match="its own"):
            within(60, self.fails)

    def test_what_comes_late(self) -> None:
        door, late = threading.Event(), []
        with pytest.raises(TimeoutError):
            within(0.01, lambda: door.wait(60), late.append)  # type: ignore[arg-type]
        door.set()
        until(lambda: late == [True])

    @staticmethod
    def fails() -> None:
        raise TimeoutError("its own")


@pytest.mark.parametrize("every", ["nan", "0", "inf", "soon"])
def test_how_long_a_picture_is_shown_is_a_number(every: str) -> None:
    result = CliRunner().invoke(serve, ["--every", every])
    assert result.exit_code == 2 and "--every" in result.stderr
