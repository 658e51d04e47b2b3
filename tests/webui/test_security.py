"""Who may do what, for every route that there is: strangers, those who watch, those who play, pages from elsewhere."""

from __future__ import annotations

import gzip
import io
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from flask import Flask
from flask.testing import FlaskClient
from markupsafe import escape
from PIL import Image
from werkzeug.routing import Rule

from tests.conftest import draw_table
from tests.waiting import until
from vision.camera import Feed
from vision.phone import MOST_BYTES, PhoneCamera
from vision.reading import StoredReader
from vision.sources import FolderSource
from webui.app import create_app
from webui.companion import Companion
from webui.guard import COOKIE, HEADERS, OPEN, PHOTOS, PICTURES, PLAYERS_ONLY
from webui.invite import Codes, Door, Role
from webui.network import Network
from webui.phone import BURST, Pace
from webui.words import language, languages

CODES = Codes("ABCD-EFGH", "JKMN-PQRS", "x" * 64)
NAMES = ["Zenobia", "<script>alert(1)</script>"]
SECRETS = ("Zenobia", "ABCD-EFGH", "ABCDEFGH", "JKMN-PQRS", "r3", "verdict", "alert(1)")
ARGUMENTS: dict[str, list[Any]] = {
    "button": ["end"],
    "number": [1],
    "filename": ["page.css"],
    "kind": ["play"],
    "w": [1],
    "wish": ["again"],
}


@pytest.fixture
def companion(tables: Callable[..., Path]) -> Iterator[Companion]:
    folder = tables("r3 r4 r5 | k9 b9 ?")
    running = Companion(Feed(FolderSource(folder, every=600)), StoredReader(folder))
    running.start()
    until(lambda: running.hub.state()["live"]["phase"] == "read")
    running.press("start", {"players": NAMES, "first": "Zenobia", "rules": "classic"})
    yield running
    running.close()


@pytest.fixture
def app(companion: Companion) -> Flask:
    network = Network(look=lambda: ("192.168.1.7",), names=lambda: ("laptop.local",))
    return create_app(companion, network.is_ours, Door(CODES), network)


def client(app: Flask, role: Role | None = None, address: str = "192.168.1.20") -> FlaskClient:
    made = app.test_client()
    made.environ_base["REMOTE_ADDR"] = address
    if role is not None:
        made.set_cookie(COOKIE, CODES.token(role), domain="localhost")
    return made


def routes(app: Flask, *methods: str) -> list[tuple[str, str]]:
    """Every (endpoint, path) that takes one of the methods, with arguments that make sense."""
    found = []
    for rule in app.url_map.iter_rules():
        if rule.methods and rule.methods & set(methods):
            found.append((rule.endpoint, path_of(app, rule)))
    return found


def path_of(app: Flask, rule: Rule) -> str:
    values = {name: ARGUMENTS[name][0] if name in ARGUMENTS else "1" for name in rule.arguments}
    return str(app.url_map.bind("localhost").build(rule.endpoint, values, force_external=False))


def first_bytes(answer: Any) -> str:
    """The beginning of what comes, also of a stream that does not end."""
    got = b""
    for chunk in answer.response:
        got += chunk if isinstance(chunk, bytes) else chunk.encode()
        if len(got) > 200_000 or answer.mimetype == "text/event-stream":
            break
    answer.close()
    return got.decode("utf-8", "replace")


class TestStrangers:
    def test_every_route_is_closed_to_them(self, app: Flask) -> None:
        seen = routes(app, "GET", "POST", "PUT", "DELETE", "PATCH")
        assert len(seen) >= 10
        for endpoint, path in seen:
            for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
                answer = client(app).open(path, method=method, json={} if method == "POST" else None)
                text = first_bytes(answer)
                if endpoint in OPEN:
                    assert answer.status_code in (200, 400, 403, 405), (method, path)
                else:
                    assert answer.status_code in (403, 405), (method, path, answer.status_code)
                assert not any(secret in text for secret in SECRETS), (method, path)

    def test_what_is_not_there_tells_them_nothing_either(self, app: Flask) -> None:
        for path in ("/nothing", "/static/js/nothing.js", "/static/../app.py", "/invite/evil.svg", "/picture/x.jpg"):
            assert client(app).get(path).status_code == 403

    def test_the_door_is_a_page_without_script(self, app: Flask) -> None:
        answer = client(app).get("/", headers={"Accept": "text/html"})
        assert answer.status_code == 403 and "<form" in answer.text and "<script" not in answer.text

    @pytest.mark.parametrize("code", languages())
    def test_the_door_speaks_the_language_of_the_browser(self, app: Flask, code: str) -> None:
        texts, asks = language(code), {"Accept": "text/html", "Accept-Language": f"xx, {code}-XX;q=0.9, en;q=0.1"}
        answer = client(app).get("/", headers=asks)
        assert answer.headers["Content-Language"] == code and answer.headers["Vary"] == "Accept-Language"
        assert f'<html lang="{code}" dir="{"rtl" if code == "he" else "ltr"}">' in answer.text
        assert texts["door.code"] in answer.text and texts["door.come-in"] in answer.text
        wrong = client(app).get("/?code=ABCD-EFGJ", headers=asks).text
        assert f'<p role="alert">{escape(texts["refused.wrong-code"])}</p>' in wrong
        assert client(app).get("/", headers={"Accept-Language": code}).text == f"{texts['door.link']}\n"

    @pytest.mark.parametrize("asks", ["", "xx", "*", "garbage;;q=,,", "de" * 2000])
    def test_a_browser_that_names_no_language_of_ours_reads_english(self, app: Flask, asks: str) -> None:
        answer = client(app).get("/", headers={"Accept": "text/html", "Accept-Language": asks})
        assert answer.status_code == 403 and language("en")["door.come-in"] in answer.text

    @pytest.mark.parametrize("path", ["/?code=ABCD-EFGJ", "/?view=wrong", "/camera?code=", "/?code=%00%ff", "/?code="])
    def test_a_wrong_code_opens_nothing(self, app: Flask, path: str) -> None:
        answer = client(app).get(path)
        assert answer.status_code == 403 and "Set-Cookie" not in answer.headers

    @pytest.mark.parametrize(
        ("path", "to", "role"),
        [
            ("/?code=ABCD-EFGH", "/", Role.PLAY),
            ("/?code=abcdefgh", "/", Role.PLAY),
            ("/?code=JKMN-PQRS", "/", Role.VIEW),
            ("/?view=JKMN-PQRS", "/", Role.VIEW),
            ("/camera?code=ABCD-EFGH", "/camera", Role.PLAY),
        ],
    )
    def test_a_code_opens_and_leaves_the_address(self, app: Flask, path: str, to: str, role: Role) -> None:
        visitor = client(app)
        answer = visitor.get(path)
        assert answer.status_code == 302 and answer.location == to
        cookie = answer.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie and "ABCD" not in cookie
        assert f'data-may="{"play" if role is Role.PLAY else "watch"}"' in visitor.get("/").text

    def test_guesses_are_limited_for_each_address(self, app: Flask) -> None:
        guesser = client(app)
        for n in range(10):
            path, data = ("/?code=AAAA-AAAA", None) if n % 2 else ("/join", {"code": "AAAA-AAAA"})
            answer = guesser.post(path, json=data) if data else guesser.get(path)
            assert answer.status_code == 403
        for answer in (guesser.get("/?code=ABCD-EFGH"), guesser.post("/join", json={"code": "ABCD-EFGH"})):
            assert answer.status_code == 429 and "Set-Cookie" not in answer.headers
            assert 0 < int(answer.headers["Retry-After"]) <= 60
        assert client(app, address="192.168.1.21").get("/?code=ABCD-EFGH").status_code == 302
        assert client(app, Role.PLAY).get("/state.json").status_code == 200  # who is in stays in

    def test_a_made_up_cookie_opens_nothing(self, app: Flask) -> None:
        for token in ("", "ABCD-EFGH", "0" * 64, "ü"):
            visitor = client(app)
            visitor.set_cookie(COOKIE, token, domain="localhost")
            assert visitor.get("/state.json").status_code == 403


class TestWatching:
    def test_they_see_the_table_and_change_nothing(self, app: Flask, companion: Companion) -> None:
        watcher = client(app, Role.VIEW)
        before = companion.hub.state()["match"]
        for endpoint, path in routes(app, "GET"):
            answer = watcher.get(path)
            text = first_bytes(answer)
            assert "ABCD-EFGH" not in text, path
            allowed = 403 if endpoint in PLAYERS_ONLY else answer.status_code
            assert answer.status_code == allowed and answer.status_code in (200, 302, 400, 403, 404, 409), path
        for endpoint, path in routes(app, "POST", "PUT", "DELETE", "PATCH"):
            if endpoint not in OPEN:
                answer = watcher.post(path, json={"turn": 1})
                assert answer.status_code == 403 and answer.get_json()["reason"] == "viewer", path
        assert companion.hub.state()["match"] == before

    def test_they_join_with_the_code(self, app: Flask) -> None:
        watcher = client(app, Role.VIEW)
        assert watcher.post("/press/pause", json={"turn": 1}).status_code == 403
        assert watcher.post("/join", json={"code": "JKMN-PQRS"}).get_json() == {"role": "view"}
        assert watcher.post("/join", json={"code": "abcd efgh"}).get_json() == {"role": "play"}
        assert watcher.post("/press/pause", json={"turn": 1}).status_code == 200

    @pytest.mark.parametrize("data", [[], {}, "ABCD-EFGH", {"code": 1}, {"code": None}, {"code": ["ABCD-EFGH"]}])
    def test_joining_with_no_code(self, app: Flask, data: object) -> None:
        assert client(app, Role.VIEW).post("/join", json=data).status_code == 400

    def test_a_player_who_opens_the_watching_link_goes_on_playing(self, app: Flask) -> None:
        player = client(app, Role.PLAY)
        player.get("/?view=JKMN-PQRS")
        assert player.get("/invite.json").status_code == 200


class TestNewCodes:
    def test_everybody_else_is_outside_and_their_streams_end(self, app: Flask) -> None:
        player, other, watcher = client(app, Role.PLAY), client(app, Role.PLAY), client(app, Role.VIEW)
        stream = iter(other.get("/events").response)
        assert b"retry" in next(stream)
        assert player.post("/invite/renew", json={}).status_code == 200
        assert player.get("/invite.json").get_json()["code"] != "ABCD-EFGH"
        assert other.get("/state.json").status_code == watcher.get("/state.json").status_code == 403
        rest = b"".join(stream)
        assert b"event: table" not in rest and b"event: match" not in rest

    def test_only_players_make_them(self, app: Flask) -> None:
        assert client(app, Role.VIEW).post("/invite/renew", json={}).status_code == 403
        assert client(app).post("/invite/renew", json={}).status_code == 403


class TestWithoutLan:
    def test_there_is_no_invitation(self, companion: Companion) -> None:
        alone = create_app(companion).test_client()
        assert alone.get("/invite.json").status_code == alone.get("/invite/play.svg").status_code == 404
        assert alone.post("/invite/renew", json={}).status_code == 404


class TestFromElsewhere:
    @pytest.mark.parametrize(
        "headers",
        [
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},
            {"Sec-Fetch-Site": "none"},
            {"Origin": "http://evil.example"},
            {"Origin": "https://localhost"},
            {"Origin": "http://localhost:81"},
            {"Origin": "null"},
            {"Content-Type": "text/plain"},
            {"Content-Type": "application/x-www-form-urlencoded"},
            {"Content-Type": "multipart/form-data; boundary=x"},
            {"Content-Type": ""},
        ],
    )
    def test_no_page_from_elsewhere_changes_anything(
        self, app: Flask, companion: Companion, headers: dict[str, str]
    ) -> None:
        before = companion.hub.state()["match"]
        for _, path in routes(app, "POST", "PUT", "DELETE", "PATCH"):
            own = {"Content-Type": "application/json"} | headers
            answer = client(app, Role.PLAY).post(path, data=json.dumps({"turn": 1, "code": "x"}), headers=own)
            assert answer.status_code == 403, path
        assert companion.hub.state()["match"] == before

    def test_a_picture_is_no_way_in(self, app: Flask) -> None:
        for endpoint, path in routes(app, "POST"):
            if endpoint not in PICTURES | PHOTOS:
                answer = client(app, Role.PLAY).post(path, data=b"{}", headers={"Content-Type": "image/jpeg"})
                assert answer.status_code == 403, path

    def test_our_own_page_may(self, app: Flask) -> None:
        headers = {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}
        answer = client(app, Role.PLAY).post("/press/pause", json={"turn": 1}, headers=headers)
        assert answer.status_code == 200

    def test_nothing_of_ours_is_a_part_of_their_page(self, app: Flask) -> None:
        for _, path in routes(app, "GET"):
            for part in ({"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, {"Sec-Fetch-Mode": "cors"}):
                answer = client(app, Role.PLAY).get(path, headers={"Sec-Fetch-Site": "cross-site", **part})
                assert answer.status_code == 403, path
        frame = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
        assert client(app, Role.PLAY).get("/", headers=frame).status_code == 403
        followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
        assert client(app, Role.PLAY).get("/", headers=followed).status_code == 200

    @pytest.mark.parametrize(
        "host",
        ["evil.example", "evil.example:8106", "127.0.0.1.evil.example", "192.168.1.8", "", "localhost@evil", "[::2]"],
    )
    def test_another_host_name_is_refused_everywhere(self, app: Flask, host: str) -> None:
        """A foreign page whose name is pointed at this machine (DNS rebinding)."""
        for _, path in routes(app, "GET"):
            assert client(app, Role.PLAY).get(path, headers={"Host": host}).status_code == 400

    @pytest.mark.parametrize(
        "host", ["127.0.0.1:8106", "localhost", "[::1]:1", "192.168.1.7:8106", "LAPTOP.local:8106"]
    )
    def test_this_machines_names_are_known(self, app: Flask, host: str) -> None:
        assert client(app).get("/", headers={"Host": host}).status_code == 403  # only the code is missing


class TestMethods:
    def test_reading_changes_nothing(self, app: Flask, companion: Companion) -> None:
        before = companion.hub.state()["match"], companion.umpire.play.events
        for _, path in routes(app, "GET"):
            for method in ("GET", "HEAD"):
                client(app, Role.PLAY).open(path, method=method).close()
        assert (companion.hub.state()["match"], companion.umpire.play.events) == before

    def test_what_changes_is_asked_for_by_post_alone(self, app: Flask) -> None:
        for rule in app.url_map.iter_rules():
            changing = (rule.methods or set()) - {"GET", "HEAD", "OPTIONS"}
            assert changing <= {"POST"}, rule
            assert not changing or "GET" not in (rule.methods or set()) or rule.endpoint == "invite.join", rule

    @pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND"])
    def test_other_methods_get_nowhere(self, app: Flask, method: str) -> None:
        for _, path in routes(app, "GET", "POST"):
            assert client(app, Role.PLAY).open(path, method=method).status_code in (403, 405)

    def test_a_head_is_as_long_as_nothing(self, app: Flask) -> None:
        for _, path in routes(app, "GET"):
            answer = client(app, Role.PLAY).head(path)
            assert answer.data == b"", path
            answer.close()


class TestHeaders:
    def test_they_are_on_every_answer(self, app: Flask) -> None:
        paths = [path for _, path in routes(app, "GET")] + ["/nothing", "/?code=wrong"]
        for role in (None, Role.VIEW, Role.PLAY):
            for path in paths:
                answer = client(app, role).get(path)
                for name, value in HEADERS.items():
                    assert answer.headers[name] == value, (role, path)
                assert "Cache-Control" in answer.headers
                assert "Access-Control-Allow-Origin" not in answer.headers
                answer.close()

    def test_the_policy_allows_nothing_inline_and_nothing_from_elsewhere(self) -> None:
        policy = dict(part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";"))
        assert policy["default-src"] == "'none'" and policy["frame-ancestors"] == "'none'"
        assert all(set(value.split()) <= {"'self'", "'none'"} for value in policy.values())

    @pytest.mark.parametrize(
        ("path", "role"), [("/", Role.PLAY), ("/camera", Role.PLAY), ("/", None), ("/join", Role.VIEW)]
    )
    def test_the_pages_keep_to_it(self, app: Flask, path: str, role: Role | None) -> None:
        page = client(app, role).get(path, headers={"Accept": "text/html"}).text
        assert "<html" in page
        assert not re.search(r"<script(?! type=\"application/json\")(?![^>]*\bsrc=)", page) and "<style" not in page
        assert not re.search(r"\s(style|on[a-z]+)=", page) and "javascript:" not in page
        assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", page)

    def test_the_server_does_not_say_what_it_is_made_of(self, app: Flask) -> None:
        assert "Werkzeug" not in str(client(app).get("/").headers)


class TestErrors:
    def test_no_debug_mode_and_no_insides(
        self, app: Flask, companion: Companion, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert not app.debug and not app.testing

        def fails(*_: object) -> None:
            raise RuntimeError("inside-information")

        monkeypatch.setattr(companion, "press", fails)
        answer = client(app, Role.PLAY).post("/press/end", json={"turn": 1})
        assert answer.status_code == 500
        assert "inside-information" not in answer.text and "Traceback" not in answer.text and "webui" not in answer.text
        assert client(app, Role.PLAY).get("/?__debugger__=yes&cmd=resource&f=style.css").mimetype == "text/html"

    def test_nothing_of_the_request_comes_back(self, app: Flask) -> None:
        evil = "<script>alert(7)</script>"
        player = client(app, Role.PLAY)
        for path in (
            f"/{evil}",
            f"/press/{evil}",
            f"/picture/{evil}.jpg",
            f"/?x={evil}",
            f"/?code={evil}",
            f"/static/{evil}",
        ):
            for answer in (player.get(path), player.post(path, json={}), client(app).get(path)):
                assert "<script>alert(7)" not in answer.text or answer.mimetype == "application/json"
                answer.close()

    def test_names_are_text_in_the_page(self, app: Flask) -> None:
        assert "<script>alert(1)" not in client(app, Role.PLAY).get("/").text

    def test_the_cameras_name_is_text_in_the_page(self) -> None:
        camera = PhoneCamera(name='"><script>alert(1)</script>')
        running = Companion(camera, StoredReader(Path()))
        try:
            for path in ("/", "/camera"):
                assert "<script>alert(1)" not in create_app(running).test_client().get(path).text
        finally:
            running.close()


class TestFiles:
    @pytest.mark.parametrize(
        "path",
        [
            "/static/../app.py",
            "/static/..%2fapp.py",
            "/static/%2e%2e/app.py",
            "/static/..\\app.py",
            "/static//etc/passwd",
            "/static/js/../../app.py",
            "/static/%00",
            "/static/",
            "/static/js",
            "/picture/../../etc/passwd",
            "/picture/1.jpg/../../app.py",
            "/camera/../app.py",
            "/invite/../../app.py",
            "/door.css/../app.py",
        ],
    )
    def test_no_path_leads_out(self, app: Flask, path: str) -> None:
        answer = client(app, Role.PLAY).get(path)
        assert answer.status_code in (308, 400, 404) and "import" not in answer.text


class TestSizes:
    @pytest.mark.parametrize("path", ["/press/start", "/join", "/invite/renew"])
    def test_a_large_body_is_refused(self, app: Flask, path: str) -> None:
        answer = client(app, Role.PLAY).post(path, json={"players": ["A" * 100_000], "code": "A" * 100_000})
        assert answer.status_code in (400, 413) or path == "/invite/renew"

    def test_a_deep_document_is_refused(self, app: Flask) -> None:
        deep = "[" * 30_000 + "]" * 30_000
        headers = {"Content-Type": "application/json"}
        assert client(app, Role.PLAY).post("/press/start", data=deep, headers=headers).status_code == 400

    @pytest.mark.parametrize("width", ["0", "-1", "999999999", "nan", "1e9", "x", "9" * 400])
    def test_any_width_is_a_picture_of_a_known_size(self, app: Flask, width: str) -> None:
        answer = client(app, Role.PLAY).get(f"/picture/1.jpg?w={width}")
        assert answer.status_code == 200 and len(answer.data) < 2_000_000

    def test_a_name_of_ten_thousand_letters(self, app: Flask) -> None:
        player = client(app, Role.PLAY)
        player.post("/press/new", json={"anyway": True})
        answer = player.post("/press/start", json={"players": ["A" * 10_000, "B"], "first": "B"})
        assert answer.status_code == 409 and len(answer.get_json()["message"]) < 200


class TestPictures:
    @pytest.fixture
    def camera(self) -> PhoneCamera:
        return PhoneCamera()

    @pytest.fixture
    def phone(self, camera: PhoneCamera) -> Iterator[FlaskClient]:
        running = Companion(camera, StoredReader(Path()))
        app = create_app(running, door=Door(CODES))
        yield client(app, Role.PLAY)
        running.close()

    def send(self, phone: FlaskClient, data: bytes, who: str = "one", **headers: str) -> Any:
        return phone.post(
            "/camera/picture", data=data, headers={"Content-Type": "image/jpeg", "X-Phone": who, **headers}
        )

    @pytest.fixture
    def jpeg(self) -> bytes:
        return bytes(cv2.imencode(".jpg", draw_table("r3 r4 r5")[0])[1])

    def test_one_arrives_and_the_answer_says_what_is_wanted(
        self, phone: FlaskClient, camera: PhoneCamera, jpeg: bytes
    ) -> None:
        answer = self.send(phone, jpeg)
        assert answer.status_code == 200 and answer.get_json()["rate"] > 0 and answer.get_json()["longest"] > 600
        frame = camera.newest()
        assert frame is not None and frame.size == (1280, 960)

    @pytest.mark.parametrize(
        ("data", "status"),
        [
            (b"", 422),
            (b"no picture", 422),
            (b"\xff\xd8\xff", 422),
            (b"<svg onload=alert(1)>", 422),
            (b"\0" * (MOST_BYTES + 1), 413),
        ],
        ids=["nothing", "text", "half", "svg", "too large"],
    )
    def test_what_is_no_picture(self, phone: FlaskClient, camera: PhoneCamera, data: bytes, status: int) -> None:
        answer = self.send(phone, data)
        assert answer.status_code == status and answer.get_json()["message"]
        assert camera.newest() is None

    def test_a_picture_of_another_kind(self, phone: FlaskClient) -> None:
        out = io.BytesIO()
        Image.new("RGB", (50, 50)).save(out, "PNG")
        assert self.send(phone, out.getvalue()).status_code == 422

    def test_a_small_file_that_unpacks_to_a_huge_picture(self, phone: FlaskClient) -> None:
        bomb = bytearray(bytes(cv2.imencode(".jpg", np.zeros((64, 64, 3), np.uint8))[1]))
        at = bomb.index(b"\xff\xc0")
        bomb[at + 5 : at + 9] = b"\xff\xff\xff\xff"  # it says that it has 65,535 by 65,535 pixels
        began = time.monotonic()
        assert self.send(phone, bytes(bomb)).status_code in (413, 422)
        assert time.monotonic() - began < 2

    @pytest.mark.parametrize("who", ["", "a b", "../x", "ü", "a" * 65, "<b>"])
    def test_a_phone_has_a_plain_name(self, phone: FlaskClient, jpeg: bytes, who: str) -> None:
        headers = {"Content-Type": "image/jpeg", "X-Phone": who.encode().decode("latin-1")}
        assert phone.post("/camera/picture", data=jpeg, headers=headers).status_code == 400

    def test_too_many_a_second_are_refused_without_being_read(self, phone: FlaskClient, jpeg: bytes) -> None:
        pace = Pace(clock=lambda: 0.0)
        phone.application.extensions["pace"] = pace
        answers = [self.send(phone, jpeg) for _ in range(int(BURST) + 3)]
        assert [a.status_code for a in answers] == [200] * int(BURST) + [429] * 3
        assert answers[-1].headers["Retry-After"] == "1"

    def test_the_pace(self) -> None:
        now = [0.0]
        pace = Pace(15.0, lambda: now[0])
        taken = 0
        for _ in range(1000):  # a hundred a second, for ten seconds
            taken += pace.take("phone")
            now[0] += 0.01
        assert 145 <= taken <= 160
        assert all(pace.take(f"phone-{n}") for n in range(500)) and len(pace._left) <= 64

    def test_who_watches_sends_none(self, phone: FlaskClient, jpeg: bytes) -> None:
        phone.set_cookie(COOKIE, CODES.token(Role.VIEW), domain="localhost")
        assert self.send(phone, jpeg).status_code == 403

    def test_another_phone_takes_over_and_the_first_is_told(self, phone: FlaskClient, jpeg: bytes) -> None:
        assert self.send(phone, jpeg, "one").status_code == 200
        assert self.send(phone, jpeg, "two").status_code == 200
        answer = self.send(phone, jpeg, "one")
        assert answer.status_code == 409 and answer.get_json()["reason"] == "other-phone"

    def test_where_there_is_another_camera(self, app: Flask, jpeg: bytes) -> None:
        answer = self.send(client(app, Role.PLAY), jpeg)
        assert answer.status_code == 409 and answer.get_json()["reason"] == "other-camera"


class TestPacked:
    def test_static_texts_go_packed_and_nothing_else_does(self, app: Flask) -> None:
        player = client(app, Role.PLAY)
        plain, packed = (
            player.get("/static/page.css"),
            player.get("/static/page.css", headers={"Accept-Encoding": "gzip"}),
        )
        assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.data) == plain.data and len(packed.data) < len(plain.data) / 2
        assert int(packed.headers["Content-Length"]) == len(packed.data)
        etag = packed.headers["ETag"]
        again = player.get("/static/page.css", headers={"Accept-Encoding": "gzip", "If-None-Match": etag})
        assert again.status_code == 304 and again.data == b""
        again.close()
        plain.close()
        for path in ("/", "/state.json", "/invite.json", "/picture/1.jpg", "/invite/play.svg"):
            assert "Content-Encoding" not in player.get(path, headers={"Accept-Encoding": "gzip"}).headers, path
