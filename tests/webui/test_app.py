"""The application without a browser: pages, pictures, events, who is let in, and the command that serves."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import Request, urlopen

import pytest
from flask.testing import FlaskClient

from tests.waiting import until
from vision.camera import Feed
from vision.reading import Reading, StoredReader
from vision.sources import FolderSource
from webui.app import create_app
from webui.companion import Companion
from webui.push import Hub, stream
from webui.server import PORT, ServingError, listening, taken_by
from webui.words import FOLDER

Tables = Callable[..., Path]
UNPACKED_MOST = 240_000
"""Bytes of text that a device has to take in for the page: it tells when a library comes in through the back door."""
SERVE = [sys.executable, "-m", "webui.cli", "serve"]


@pytest.fixture
def companion(tables: Tables) -> Iterator[Companion]:
    folder = tables("r3 r4 r5 | k9 b9 ?")
    running = Companion(Feed(FolderSource(folder, every=60)), StoredReader(folder))
    running.start()
    yield running
    running.close()


@pytest.fixture
def client(companion: Companion) -> FlaskClient:
    return create_app(companion).test_client()


def phase(companion: Companion) -> str:
    return companion.hub.state()["live"]["phase"]


class TestHub:
    def test_a_new_page_gets_the_whole_state(self) -> None:
        hub = Hub()
        hub.publish("live", {"phase": "read"})
        hub.publish("table", {"sets": 1})
        assert [e.part for e in hub.since(0)] == ["live", "table"]

    def test_only_the_newest_is_kept(self) -> None:
        hub = Hub()
        for n in range(100):
            hub.publish("live", {"n": n})
        assert [e.data for e in hub.since(0)] == ['{"n":99}']

    def test_the_same_again_wakes_nobody(self) -> None:
        hub = Hub()
        hub.publish("live", {"n": 1})
        seen = hub.since(0)[-1].id
        hub.publish("live", {"n": 1})
        assert hub.since(seen) == []

    def test_a_stream_ends_when_the_hub_closes(self) -> None:
        hub = Hub()
        hub.publish("live", {"n": 1})
        lines = stream(hub, beat=0.01)
        assert next(lines).startswith("retry:")
        assert next(lines).startswith("event: now\ndata: ")
        assert next(lines) == 'id: 1\nevent: live\ndata: {"n":1}\n\n'
        assert next(lines).startswith("event: now")
        hub.close()
        assert list(lines) == []


class TestCompanion:
    def test_reads_a_table_once_it_is_at_rest(self, companion: Companion) -> None:
        until(lambda: phase(companion) == "read")
        table = companion.hub.state()["table"]
        assert [v["state"] for v in table["verdicts"]] == ["right", "unsure"]
        assert (table["headline"]["state"], table["headline"]["text"]) == ("unsure", "1 set is not sure")
        assert table["scene"] == companion.hub.state()["live"]["scene"]

    def test_a_reader_that_fails_is_named_and_the_companion_goes_on(self, tables: Tables) -> None:
        class Fails:
            def read(self, picture: object, path: str | None = None) -> Reading:
                if str(path).endswith("frame-0.jpg"):
                    raise ValueError("no idea")
                return StoredReader(folder).read(picture, path)  # type: ignore[arg-type]

        folder = tables("r3 r4 r5", "k1 k2 k3 | b5 r5 o5 | r7 r8 r9 r10")
        running = Companion(Feed(FolderSource(folder, every=1.5)), Fails())
        running.start()
        try:
            until(lambda: phase(running) == "failed")
            assert "no idea" in running.hub.state()["live"]["message"]
            until(lambda: phase(running) == "read")
        finally:
            running.close()

    def test_an_empty_table_is_said(self, tables: Tables) -> None:
        folder = tables("")
        running = Companion(Feed(FolderSource(folder, every=60)), StoredReader(folder))
        running.start()
        try:
            until(lambda: phase(running) == "empty")
            assert "No tiles found" in running.hub.state()["live"]["message"]
        finally:
            running.close()

    def test_commands_run_in_order(self, companion: Companion) -> None:
        seen: list[int] = []
        for n in range(50):
            companion.tell(lambda n=n: seen.append(n))
        until(lambda: len(seen) == 50)
        assert seen == list(range(50))


class TestPages:
    def test_the_page(self, client: FlaskClient) -> None:
        answer = client.get("/")
        assert answer.status_code == 200
        assert "<h1" in answer.text
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"]
        assert "unsafe-inline" not in answer.headers["Content-Security-Policy"]

    def test_no_inline_script_or_style_and_nothing_from_elsewhere(self, client: FlaskClient) -> None:
        page = client.get("/").text
        assert "<style" not in page and " style=" not in page and " on" + "click" not in page
        assert "<script>" not in page
        assert "http://" not in page.replace("http://www.w3.org", "") and "https://" not in page

    def test_the_picture_in_the_width_that_is_asked_for(self, companion: Companion, client: FlaskClient) -> None:
        until(lambda: companion.frame is not None)
        small = client.get("/picture/1.jpg?w=390")
        large = client.get("/picture/1.jpg?w=1280")
        assert small.mimetype == large.mimetype == "image/jpeg"
        assert small.data[:2] == b"\xff\xd8"
        assert len(small.data) < len(large.data)
        assert client.get("/picture/1.jpg?w=nonsense").status_code == 200

    @pytest.mark.parametrize("language", sorted(path.stem for path in FOLDER.glob("*.json")))
    def test_the_whole_page_is_small(self, client: FlaskClient, language: str) -> None:
        """Everything that a browser loads for it in one language, scripts that scripts load too, but no picture."""
        todo, sizes, texts = ["/", f"/static/lang/{language}.json"], dict[str, int](), dict[str, str]()
        while todo:
            path = todo.pop()
            answer = client.get(path, headers={"Accept-Encoding": "gzip"})
            assert answer.status_code == 200, path
            sizes[path] = len(answer.data)
            text = (gzip.decompress(answer.data) if answer.content_encoding == "gzip" else answer.data).decode()
            texts[path] = text
            answer.close()
            found = re.findall(r'(?:href|src)="(/static/[^"#]+)"', text) if path == "/" else []
            found += [f"/static/js/{name}" for name in re.findall(r'(?:from|import) ?\(?"\./([^"]+)"', text)]
            todo += [f for f in found if f not in sizes and f not in todo]
        assert len(sizes) > 15
        assert sum(sizes.values()) < 200_000, "over the line"
        assert sum(len(text.encode()) for text in texts.values()) < UNPACKED_MOST, "unpacked"

    def test_state_as_one_document(self, companion: Companion, client: FlaskClient) -> None:
        until(lambda: phase(companion) == "read")
        assert client.get("/state.json").get_json()["table"]["reading"]["sets"] == [[0, 1, 2], [3, 4, 5]]

    def test_the_stream_begins_with_the_full_state(self, companion: Companion, client: FlaskClient) -> None:
        until(lambda: phase(companion) == "read")
        answer = client.get("/events")
        lines = iter(answer.response)  # type: ignore[arg-type]
        first = b"".join(next(lines) for _ in range(7)).decode()
        answer.close()
        parts = {r[7:] for r in first.splitlines() if r.startswith("event: ")}
        assert parts == {"you", "now", "live", "match", "record", "table"}
        assert all(json.loads(row[6:]) for row in first.splitlines() if row.startswith("data: "))

    @pytest.mark.parametrize("path", ["/nothing", "/picture/../../etc/passwd", "/static/../app.py", "/picture/x.jpg"])
    def test_what_is_not_there(self, client: FlaskClient, path: str) -> None:
        assert client.get(path).status_code == 404

    def test_only_buttons_change_anything(self, companion: Companion) -> None:
        rules = create_app(companion).url_map.iter_rules()
        changing = {r.rule for r in rules if r.methods and r.methods - {"GET", "HEAD", "OPTIONS"}}
        photos = {"/camera/picture", "/racks/photo"}
        kept = {"/history/<key>/<event>/moves", "/history/save"}
        cameras, demo = {"/cameras/look", "/cameras/choose"}, {"/demo/<any('go-on', again):wish>"}
        pages = {"/press/<button>", "/place", "/join", "/invite/renew"}
        assert changing == {*pages, *photos, *kept, *cameras, *demo}


class TestButtons:
    def start(self, client: FlaskClient) -> None:
        data = {"players": ["Anna", "Ben"], "rules": "classic", "first": "Anna"}
        assert client.post("/press/start", json=data).status_code == 200

    def test_a_match_starts_once(self, companion: Companion, client: FlaskClient) -> None:
        self.start(client)
        match = companion.hub.state()["match"]
        assert match["turn"]["player"] == "Anna" and match["clock"]["phase"] == "running"
        again = client.post("/press/start", json={"players": ["X", "Y"], "first": "X"})
        assert again.status_code == 409 and again.get_json()["reason"] == "wrong-phase"

    def test_the_table_is_judged_when_it_has_been_read(self, tables: Tables) -> None:
        folder = tables("r10 r11 r12", "r10 r11 r12")
        running = Companion(Feed(FolderSource(folder, every=600)), StoredReader(folder))
        client = create_app(running).test_client()
        running.start()
        try:
            self.start(client)
            assert client.post("/press/end", json={"turn": 1}).status_code == 200
            until(lambda: running.hub.state()["match"]["turn"]["player"] == "Ben")
            assert client.post("/press/end", json={"turn": 1}).get_json()["reason"] == "stale-turn"
            match = running.hub.state()["match"]
            assert [p["tiles"] for p in match["players"]] == [11, 14] and match["say"] == "Anna laid 3 tiles"
        finally:
            running.close()

    def test_a_doubt_is_asked_about_and_one_answer_settles_it(self, companion: Companion, client: FlaskClient) -> None:
        until(lambda: phase(companion) == "read")
        self.start(client)
        until(lambda: phase(companion) == "read")
        client.post("/press/end", json={"turn": 1})
        match = companion.hub.state()["match"]
        assert match["waiting"] == "end" and len(match["questions"]) == 1
        asked = {"scene": companion.hub.state()["table"]["scene"], "id": match["questions"][0]["id"]}
        assert client.post("/press/answer", json=asked | {"tile": "?6"}).status_code == 409
        assert client.post("/press/answer", json=asked | {"tile": "o9"}).status_code == 200
        state = companion.hub.state()
        assert state["match"]["turn"]["player"] == "Ben" and state["match"]["players"][0]["opened"]
        assert [v["state"] for v in state["table"]["verdicts"]] == ["right", "right"]

    @pytest.mark.parametrize(
        ("button", "data", "status"),
        [
            ("end", {"turn": 1}, 409),
            ("undo", {}, 409),
            ("nonsense", {}, 400),
            ("answer", {"scene": 99, "id": 0, "tile": "r5"}, 409),
            ("answer", {"id": 0}, 400),
            ("start", {"players": "Anna", "first": "Anna"}, 409),
            ("start", {"players": ["Anna", "Ben"], "first": "Anna", "rules": "mine"}, 409),
            ("start", {"players": ["Anna", "B" * 10_000], "first": "Anna"}, 409),
            ("start", {"first": "Anna"}, 409),
            ("start", {"players": ["Anna", "Ben"], "first": 1}, 400),
        ],
    )
    def test_what_makes_no_sense_is_said_and_changes_nothing(
        self, companion: Companion, client: FlaskClient, button: str, data: dict[str, object], status: int
    ) -> None:
        until(lambda: phase(companion) == "read")
        before = companion.hub.state()["match"]
        answer = client.post(f"/press/{button}", json=data)
        assert answer.status_code == status and answer.get_json()["message"]
        assert companion.hub.state()["match"] == before

    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site"},
            {"Origin": "http://evil.example"},
            {"Content-Type": "text/plain"},
        ],
    )
    def test_a_page_from_elsewhere_can_press_nothing(
        self, companion: Companion, client: FlaskClient, headers: dict[str, str]
    ) -> None:
        data = json.dumps({"players": ["Anna", "Ben"], "first": "Anna"})
        headers = {"Content-Type": "application/json"} | headers
        before = companion.hub.state()["match"]
        assert client.post("/press/start", data=data, headers=headers).status_code == 403
        assert companion.hub.state()["match"] == before and before["phase"] == "empty"

    def test_the_score_as_a_file(self, client: FlaskClient) -> None:
        assert client.get("/score.csv").status_code == 404
        self.start(client)
        answer = client.get("/score.csv")
        assert (
            answer.status_code == 200
            and "Anna" in answer.text
            and "attachment" in answer.headers["Content-Disposition"]
        )

    def test_another_match_is_begun_only_if_that_is_said(self, companion: Companion, client: FlaskClient) -> None:
        self.start(client)
        assert client.post("/press/new", json={}).get_json()["reason"] == "match-running"
        assert client.post("/press/new", json={"anyway": True}).status_code == 200
        assert companion.hub.state()["match"]["phase"] == "empty"

    def test_a_request_that_is_too_large(self, client: FlaskClient) -> None:
        data = {"players": ["A" * 100_000, "B"], "first": "B"}
        assert client.post("/press/start", json=data).status_code in (400, 413)


class TestWhoIsLetIn:
    def test_a_foreign_host_name_is_refused(self, client: FlaskClient) -> None:
        assert client.get("/", headers={"Host": "evil.example"}).status_code == 400
        assert client.get("/", headers={"Host": "127.0.0.1:8106"}).status_code == 200


class TestTwoAtOnce:
    """Over real sockets, as two people with two devices."""

    @pytest.fixture
    def served(self, tables: Tables) -> Iterator[tuple[Companion, int]]:
        folder = tables("r10 r11 r12")
        running = Companion(Feed(FolderSource(folder, every=600)), StoredReader(folder))
        server = listening(create_app(running), "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        running.start()
        yield running, server.bind_addr[1]
        running.close()
        server.stop()
        thread.join(timeout=10)

    def press(self, port: int, button: str, data: dict[str, object]) -> int:
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        client.request("POST", f"/press/{button}", json.dumps(data), {"Content-Type": "application/json"})
        status = client.getresponse().status
        client.close()
        return status

    @pytest.mark.parametrize("apart_ms", [0, 5, 20, 50])
    @pytest.mark.parametrize("button", ["end", "draw"])
    def test_end_turn_pressed_twice_makes_one_event(
        self, served: tuple[Companion, int], apart_ms: int, button: str
    ) -> None:
        running, port = served
        until(lambda: phase(running) == "read")
        if button == "draw":  # a table with nothing new on it
            running.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
            running.press("end", {"turn": 1})
            until(lambda: running.hub.state()["match"]["turn"]["number"] == 2)
        else:
            running.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
        number = running.umpire.play.state.turn.number  # type: ignore[union-attr]
        before, start, answers = len(running.umpire.play.events), threading.Barrier(2), []

        def person(wait_ms: int) -> None:
            start.wait()
            time.sleep(wait_ms / 1000)
            answers.append(self.press(port, button, {"turn": number}))

        people = [threading.Thread(target=person, args=(wait,)) for wait in (0, apart_ms)]
        for one in people:
            one.start()
        for one in people:
            one.join()
        until(lambda: running.umpire.play.state.turn.number == number + 1)  # type: ignore[union-attr]
        time.sleep(0.3)
        kinds = [type(e.fact).__name__ for e in running.umpire.play.events[before:]]
        assert kinds == (["TableJudged", "TurnStarted"] if button == "end" else ["Draw", "TurnStarted"])
        assert running.umpire.play.state.turn.number == number + 1  # type: ignore[union-attr]
        assert sorted(answers) == [200, 409]


class TestTheCommand:
    def test_cameras_are_listed(self) -> None:
        command = [sys.executable, "-m", "webui.cli", "cameras", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0
        assert all(set(camera) == {"number", "name"} for camera in json.loads(done.stdout))

    @pytest.fixture(autouse=True)
    def data(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*SERVE, *arguments], capture_output=True, text=True, timeout=60)

    @pytest.mark.parametrize(
        ("source", "said"),
        [
            ("nowhere", "no camera, file or folder 'nowhere'"),
            ("99", "no camera at camera 99"),
            ("http://127.0.0.1:9/x", "no picture from http://127.0.0.1:9/x"),
            ("{empty}", "no pictures in"),
            ("{text}", "is no video"),
        ],
    )
    def test_a_camera_that_is_not_there_is_one_line(self, tmp_path: Path, source: str, said: str) -> None:
        (tmp_path / "empty").mkdir()
        (tmp_path / "text.mp4").write_text("no video")
        source = source.format(empty=tmp_path / "empty", text=tmp_path / "text.mp4")
        done = self.run("--camera", source, "--readings", str(tmp_path))
        assert done.returncode == 2
        assert said in done.stderr and done.stderr.count("\n") == 1 and not done.stdout

    def test_a_match_is_kept_over_a_restart(self, tables: Tables, tmp_path: Path) -> None:
        folder, matches = tables("r10 r11 r12"), tmp_path / "matches"
        command = [*SERVE, "--camera", str(folder), "--readings", str(folder), "--port", "0", "--matches", str(matches)]
        for run in range(2):
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
                assert running.stderr is not None
                if run:
                    assert "Going on with the match of Anna, Ben." in running.stderr.readline()
                address = running.stderr.readline().split("Open ")[1].strip()
                state = json.loads(urlopen(f"{address}state.json", timeout=20).read())
                if run:
                    assert state["match"]["turn"]["player"] == "Anna" and state["match"]["clock"]["phase"] == "paused"
                else:
                    data = json.dumps({"players": ["Anna", "Ben"], "first": "Anna"}).encode()
                    headers = {"Content-Type": "application/json"}
                    urlopen(Request(f"{address}press/start", data, headers), timeout=20).close()
                running.kill()

    def test_a_damaged_match_is_one_line(self, tables: Tables, tmp_path: Path) -> None:
        (tmp_path / "matches").mkdir()
        (tmp_path / "matches" / "2026.match").write_bytes(b"no match at all, but some other text" * 50)
        folder = str(tables("r3 r4 r5"))
        done = self.run("--camera", folder, "--readings", folder, "--matches", str(tmp_path / "matches"))
        assert done.returncode == 2 and done.stderr.count("\n") == 1

    @pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
    def test_a_taken_port_and_a_clean_end(self, tables: Tables, stop: signal.Signals) -> None:
        folder = tables("r3 r4 r5")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            command = [*SERVE, "--camera", str(folder), "--readings", str(folder), "--port", str(port)]
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
                assert running.stderr is not None
                assert running.stderr.readline().startswith(f"Port {port} is taken; using ")
                assert "Open http://127.0.0.1:" in running.stderr.readline()
                running.stderr.readline()
                time.sleep(0.5)
                running.send_signal(stop)
                rest = running.stderr.read()
                assert (running.wait(timeout=15), rest) == (0, "Stopped.\n")

    @pytest.mark.parametrize(("arguments", "status"), [(["--version"], 0), (["nonsense"], 2)])
    def test_a_thread_that_hangs_in_native_code_does_not_abort_the_end(self, arguments: list[str], status: int) -> None:
        code = """
        import sys, threading
        import cv2, numpy
        from webui.cli import program

        def hang():
            picture = numpy.zeros((2000, 2000), numpy.uint8)
            while True:
                begun.set()
                cv2.GaussianBlur(picture, (0, 0), 3)

        begun = threading.Event()
        threading.Thread(target=hang, daemon=True).start()
        begun.wait()
        sys.argv = ["tilekeeper", *sys.argv[1:]]
        program()
        """
        command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode == status, done.stderr
        assert (done.stdout if status == 0 else done.stderr).count("\n") == 1

    def test_another_companion_on_the_port_is_named(self, companion: Companion) -> None:
        server = listening(create_app(companion), "127.0.0.1", 0)
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        assert taken_by(server.bind_addr[1]) == "another Tilekeeper"
        server.stop()
        thread.join(timeout=10)

    def test_who_is_silent_or_speaks_otherwise_is_not_named(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            began = time.monotonic()
            assert taken_by(silent.getsockname()[1], timeout=0.3) == ""
            assert time.monotonic() - began < 5
        assert taken_by(1, timeout=0.3) == ""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (("--port", "abc"), "'--port': 'abc' is not a valid"),
            (("--port", "99999"), "'--port': 99999 is not in the range"),
            (("--port", "-1"), "-1"),
            (("--nonsense",), "--nonsense"),
            (("--matches", "{file}/x"), "cannot keep matches in"),
            (("--database", ""), "--database is empty"),
            (("--database", " "), "--database is empty"),
            (("--camera", "phone", "--port", "0", "--readings", "{folder}"), "no other device can be let in"),
        ],
    )
    def test_arguments_that_make_no_sense_are_one_line(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], said: str
    ) -> None:
        (tmp_path / "file").write_text("no folder")
        if arguments[0] == "--camera":  # the matches go elsewhere, and the data folder cannot be written
            monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "file"))
            arguments = (*arguments, "--matches", str(tmp_path / "matches"))
        done = self.run(*(a.format(file=tmp_path / "file", folder=tmp_path) for a in arguments))
        assert done.returncode == 2 and said in done.stderr
        assert done.stderr.count("\n") == 1 and not done.stdout

    @pytest.mark.parametrize(
        ("error", "port", "said"),
        [
            (PermissionError(13, "Permission denied"), 80, f"ports below 1024 belong to the system; try --port {PORT}"),
            (PermissionError(13, "Permission denied"), 8106, "cannot serve on port 8106: permission denied"),
            (OSError(99, "Cannot assign requested address"), 8106, "cannot assign requested address"),
        ],
    )
    def test_a_port_that_cannot_be_had(
        self, companion: Companion, monkeypatch: pytest.MonkeyPatch, error: OSError, port: int, said: str
    ) -> None:
        def refuses(*_: object) -> None:
            raise error

        monkeypatch.setattr("webui.server._probe", refuses)
        with pytest.raises(ServingError, match=re.escape(said)):
            listening(create_app(companion), "127.0.0.1", port)

    def test_on_the_local_network_links_and_codes_are_printed_and_kept(self, tables: Tables, tmp_path: Path) -> None:
        folder = tables("r3 r4 r5")
        command = [*SERVE, "--camera", str(folder), "--readings", str(folder), "--port", "0", "--lan"]
        codes = []
        for more in ([], [], ["--new-codes"]):
            with subprocess.Popen([*command, *more], stderr=subprocess.PIPE, text=True, encoding="utf-8") as running:
                assert running.stderr is not None
                lines = []
                while "Stop it" not in (line := running.stderr.readline()):
                    assert line
                    lines.append(line)
                said = "".join(lines)
                running.send_signal(signal.SIGINT)
                assert "Traceback" not in running.stderr.read()
                assert running.wait(timeout=15) == 0
            codes.append(re.findall(r"http://127\.0\.0\.1:\d+/\?code=(\S+)", said) or re.findall(r"code=(\S+)", said))
            if "on no network" not in said:
                assert "Open https://" in said and "?view=" in said and "/camera?code=" in said
                assert "fingerprint" in said and said.count("█") > 100
        assert codes[0] == codes[1] != codes[2]
        kept = tmp_path / "data" / "tilekeeper" / "certificate.pem"
        assert kept.stat().st_mode & 0o077 == 0
