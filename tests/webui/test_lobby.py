"""The server under bad manners: stalled and dripping clients, odd heads, plain HTTP where TLS is spoken, many streams.

Times are bounds far from what is normal: a stalled client used to hold up others for ten seconds.
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.lan import OnLan, trusting
from vision.camera import Feed
from vision.reading import StoredReader
from vision.sources import FolderSource
from webui import lobby
from webui.lobby import HEAD_MOST, WAITING_MOST_EACH, improper
from webui.streams import MOST, Places

PROMPT_S = 4.0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OnLan]:
    from tests.conftest import draw_table

    folder = tmp_path_factory.mktemp("tables")
    import cv2

    picture, _ = draw_table("r3 r4 r5")
    cv2.imwrite(str(folder / "frame-0.jpg"), picture)
    running = OnLan(Feed(FolderSource(folder, 600)), StoredReader(folder), tmp_path_factory.mktemp("keys"))
    yield running
    running.stop()


def prompt(served: OnLan, tls: bool = True) -> None:
    """A player is answered soon."""
    began = time.monotonic()
    answer, body = served.get("/now.json", tls, timeout=PROMPT_S + 2)
    assert answer.status == 200 and b"ms" in body
    assert time.monotonic() - began < PROMPT_S


def said(line: socket.socket, data: bytes) -> bytes:
    """What comes back until the server closes."""
    got = b""
    with contextlib.suppress(OSError):
        line.sendall(data)
    with contextlib.suppress(OSError):
        while more := line.recv(65536):
            got += more
    line.close()
    return got


@pytest.fixture
def many() -> Iterator[Callable[[Callable[[], socket.socket], int, bytes], list[socket.socket]]]:
    """Opens so many connections, has each say the same, and lets none go until the test is over."""
    lines: list[socket.socket] = []

    def open_all(connect: Callable[[], socket.socket], count: int, says: bytes) -> list[socket.socket]:
        for _ in range(count):
            line = connect()
            lines.append(line)
            with contextlib.suppress(OSError):
                line.sendall(says)
        return lines

    yield open_all
    for line in lines:
        line.close()


HELLO_HALF = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
GET = b"GET /now.json HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.mark.parametrize(
    "says",
    [b"", HELLO_HALF, b"G", GET, GET + b"X: y\r\n"],
    ids=["nothing", "half a TLS hello", "a letter", "half a head", "another header"],
)
def test_a_crowd_that_stalls_holds_up_nobody(
    served: OnLan, many: Callable[[Callable[[], socket.socket], int, bytes], list[socket.socket]], says: bytes
) -> None:
    many(served.raw, 100, says)
    for tls in (True, False):
        prompt(served, tls)


def test_who_shook_hands_and_says_no_more_holds_up_nobody(
    served: OnLan, many: Callable[[Callable[[], socket.socket], int, bytes], list[socket.socket]]
) -> None:
    many(lambda: served.raw(tls=True), 30, b"")
    prompt(served)


def test_a_stranger_who_promises_a_body_holds_no_worker(
    served: OnLan, many: Callable[[Callable[[], socket.socket], int, bytes], list[socket.socket]]
) -> None:
    """More of them than the server has workers; each says that a thousand bytes follow, and sends none."""
    post = (
        b"POST /press/end HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
    )
    many(served.raw, 100, post)
    prompt(served)


def test_one_device_does_not_fill_the_lobby(
    served: OnLan, many: Callable[[Callable[[], socket.socket], int, bytes], list[socket.socket]]
) -> None:
    lines = many(served.raw, WAITING_MOST_EACH + 10, GET)
    end = time.monotonic() + 10
    shut = 0
    while shut < 10 and time.monotonic() < end:
        shut = sum(closed(line) for line in lines)
    assert 10 <= shut < 20


def closed(line: socket.socket) -> bool:
    line.settimeout(0.02)
    try:
        return line.recv(1, socket.MSG_PEEK) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


def test_who_drips_is_shut_out_in_time(served: OnLan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "HEAD_S", 1.0)
    line = served.raw()
    with pytest.raises(OSError):  # long before all of it is said
        for letter in GET * 10:
            line.sendall(bytes([letter]))
            time.sleep(0.05)
    line.close()


def test_a_body_that_drips_is_cut_off(served: OnLan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "BODY_S", 1.0)
    cookie = served.cookie["Cookie"].encode()
    line = served.raw()
    head = b"POST /press/end HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    line.sendall(head + b"Cookie: " + cookie + b"\r\nContent-Length: 1000\r\n\r\n")
    with pytest.raises(OSError):  # long before all of it is there
        for _ in range(1000):
            line.sendall(b" ")
            time.sleep(0.05)
    line.close()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (GET + b"X: " + b"a" * (HEAD_MOST + 5000) + b"\r\n\r\n", 431),
        (b"GET /" + b"a" * (HEAD_MOST + 5000), 431),
        (GET + b"X: y\r\n" * 200 + b"\r\n", 400),
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (GET + b"Host: evil.example\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n{}{}", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: xchunked\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -4\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: +4\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0x4\r\n\r\n", 400),
        (b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length : 4\r\n\r\n", 400),
        (GET + b" folded: yes\r\n\r\n", 400),
        (GET + b"X: a\nY: b\r\n\r\n", 400),
        (GET + b"X: a\0b\r\n\r\n", 400),
        (GET + b"no header\r\n\r\n", 400),
        (b"get / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHost: 127.0.0.1\r\n\r\n", 400),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"\x05\x01\x00 SOCKS? \r\n\r\n", 400),
        (b"CONNECT evil.example:80 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n", 405),
    ],
)
def test_odd_heads_are_refused_and_the_connection_ends(served: OnLan, head: bytes, status: int) -> None:
    for tls in (False, True):
        answer = said(served.raw(tls, timeout=5), head)
        assert answer.startswith(b"HTTP/1.1 %d " % status), answer[:200]
        assert answer.count(b"HTTP/1.1 ") == 1


def test_plain_heads_are_proper() -> None:
    assert improper(GET[:-2]) == ""
    assert improper(b"POST /join HTTP/1.1\r\nHost: [::1]:8106\r\nContent-Length: 4\r\nA-b: c: d") == ""
    assert improper(b"POST /join HTTP/1.0\r\nHost: a.local\r\nTransfer-Encoding: chunked\r\nEmpty:") == ""


def test_requests_on_one_connection_one_after_the_other_and_all_at_once(served: OnLan) -> None:
    cookie = f"Cookie: {served.cookie['Cookie']}\r\n".encode()
    client = served.connect()
    for _ in range(5):
        client.request("GET", "/now.json", headers=served.cookie)
        assert b"ms" in client.getresponse().read()
    client.close()
    for tls in (False, True):
        answer = said(served.raw(tls), (GET + cookie + b"\r\n") * 4 + GET + cookie + b"Connection: close\r\n\r\n")
        assert answer.count(b"HTTP/1.1 200 ") == 5


def test_a_second_request_is_looked_at_as_closely_as_the_first(served: OnLan) -> None:
    cookie = f"Cookie: {served.cookie['Cookie']}\r\n".encode()
    answer = said(served.raw(), GET + cookie + b"\r\n" + GET + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n")
    assert answer.count(b"HTTP/1.1 200 ") == 1 and answer.count(b"HTTP/1.1 400 ") == 1


def test_rubbish_instead_of_tls_ends(served: OnLan) -> None:
    assert b"HTTP/1.1 2" not in said(served.raw(timeout=5), b"\x16" + b"\xff" * 600)
    prompt(served)


def test_plain_http_from_another_machine_is_sent_to_https(served: OnLan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "_is_here", lambda address: False)
    answer = said(served.raw(), b"GET /camera?code=A HTTP/1.1\r\nHost: 192.168.1.7:8106\r\n\r\n").decode()
    assert answer.startswith("HTTP/1.1 307 ") and "Location: https://192.168.1.7:8106/camera?code=A\r\n" in answer
    post = b"POST /join HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"
    assert said(served.raw(), post).startswith(b"HTTP/1.1 400 ")
    cookie = f"Cookie: {served.cookie['Cookie']}\r\n".encode()
    assert b" 200 " not in said(served.raw(), GET + cookie + b"\r\n")
    prompt(served)


def test_this_machine_may_use_both(served: OnLan) -> None:
    assert served.get("/now.json", tls=False)[0].status == served.get("/now.json")[0].status == 200
    assert "Secure" not in served.get(f"/?code={served.door.codes.play}", tls=False)[0].headers["Set-Cookie"]
    assert "Secure" in served.get(f"/?code={served.door.codes.play}")[0].headers["Set-Cookie"]


def test_old_tls_is_refused(served: OnLan) -> None:
    import ssl

    context = trusting()
    with pytest.warns(DeprecationWarning):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with (
        contextlib.closing(served.raw()) as line,
        pytest.raises(OSError, match=r"(?i)protocol|alert|eof|no ciphers|reset"),
    ):
        context.wrap_socket(line)


class TestStreams:
    def listen(self, served: OnLan) -> HTTPConnection:
        client = served.connect(tls=False)
        client.request("GET", "/events", headers=served.cookie)
        return client

    def first(self, client: HTTPConnection) -> bytes:
        answer = client.getresponse()
        text = b""
        while b"data:" not in text and (more := answer.read1(200)):
            text += more
        return text

    def test_twenty_pages_and_more_and_what_happens_at_the_limit(self, served: OnLan) -> None:
        pages = [self.listen(served) for _ in range(MOST)]
        try:
            assert all(b"event: you" in self.first(page) for page in pages)
            prompt(served)
            late = self.listen(served)
            assert b"event: full" in self.first(late)
            late.close()
        finally:
            for page in pages:
                page.sock.shutdown(socket.SHUT_RDWR)
                page.close()
        end = time.monotonic() + 15
        while True:
            page = self.listen(served)
            got = self.first(page)
            page.sock.shutdown(socket.SHUT_RDWR)
            page.close()
            if b"event: you" in got:
                break
            assert time.monotonic() < end, "no place was given back"
            time.sleep(0.3)

    def test_asking_for_the_head_only_takes_no_place(self, served: OnLan) -> None:
        places: Places = served.app.extensions["places"]
        free = places._free._value
        client = served.connect()
        client.request("HEAD", "/events", headers=served.cookie)
        assert client.getresponse().status == 200
        client.close()
        end = time.monotonic() + 10
        while places._free._value < free and time.monotonic() < end:
            time.sleep(0.05)
        assert places._free._value >= free


@pytest.mark.parametrize("tls", [True, False])
def test_a_page_that_is_closed_is_nothing_to_write_home_about(
    served: OnLan, caplog: pytest.LogCaptureFixture, tls: bool
) -> None:
    pages = []
    for _ in range(3):
        page = served.raw(tls)
        page.sendall(GET.replace(b"/now.json", b"/events") + f"Cookie: {served.cookie['Cookie']}\r\n\r\n".encode())
        assert page.recv(100)
        pages.append(page)
    places: Places = served.app.extensions["places"]
    taken = places._free._value
    for page in pages:
        page.close()
    end = time.monotonic() + 15
    while places._free._value < taken + 3 and time.monotonic() < end:
        time.sleep(0.1)
    assert places._free._value >= taken + 3
    assert [record.getMessage() for record in caplog.records if record.levelname != "DEBUG"] == []


def test_the_server_ends_with_clients_of_every_kind(tmp_path: Path, tables: Callable[..., Path]) -> None:
    folder = tables("r3 r4 r5")
    running = OnLan(Feed(FolderSource(folder, 600)), StoredReader(folder), tmp_path / "keys")
    lines = [running.raw(), running.raw(tls=True)]
    lines[0].sendall(GET)
    stream = running.connect()
    stream.request("GET", "/events", headers=running.cookie)
    stream.getresponse().read1(10)
    began = time.monotonic()
    running.stop()
    assert time.monotonic() - began < 12
    for line in lines:
        line.close()
    stream.close()
