"""Where connections wait until they have said what they want.

A worker of the server is precious: every open page holds one. So TLS is agreed on, and the head of a request read,
by one thread that waits for all of them at once; a device that stalls, or means ill, holds up nobody. The lobby also
tells TLS from plain HTTP on the same port, and turns away heads that two programs may read in two ways.
"""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import queue
import re
import selectors
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable
from enum import Enum
from typing import Any

from cheroot.makefile import MakeFile
from cheroot.server import HTTPConnection, HTTPRequest

HEAD_MOST = 16 * 1024
HEADERS_MOST = 100
HEAD_S = 10.0
"""How long a device may take to agree on TLS and to say what it wants."""
BODY_S = 30.0
"""How long the rest of a request may take altogether."""
DEAD_S = 20.0
"""A device that acknowledges nothing for so long is gone."""
WAITING_MOST = 128
WAITING_MOST_EACH = 48
END = b"\r\n\r\n"
HANDSHAKE = 0x16
REFUSALS = frozenset({400, 401, 403, 408, 413, 429, 431})
"""Answers after which the connection is closed: nobody waits for the rest of what was refused."""

_NAME = re.compile(rb"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_HOST = re.compile(rb"(?:\[[0-9A-Fa-f:]+\]|[A-Za-z0-9.-]+)(?::\d{1,5})?")
_REQUEST = re.compile(rb"[A-Z]+ [!-~]+ HTTP/1\.[01]")


class Line:
    """What a connection is read from: what the lobby has read already, then the socket until a deadline."""

    def __init__(self, sock: socket.socket, patience: float) -> None:
        self.sock, self.head, self.until, self._patience = sock, b"", float("inf"), patience

    def recv_into(self, buffer: Any) -> int:
        if self.head:
            many = min(len(buffer), len(self.head))
            buffer[:many], self.head = self.head[:many], self.head[many:]
            return many
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError("timed out")
        self.sock.settimeout(min(self._patience, left))
        try:
            return self.sock.recv_into(buffer)
        finally:
            self.sock.settimeout(self._patience)

    def fileno(self) -> int:
        return self.sock.fileno()

    def _decref_socketios(self) -> None:
        """Asked for by `socket.SocketIO`; the connection closes the socket itself."""


class Request(HTTPRequest):  # type: ignore[misc]
    """A request of a connection that may or may not be TLS."""

    def __init__(self, server: Any, conn: Connection) -> None:
        super().__init__(server, conn)
        if conn.ssl_env:
            self.scheme = b"https"

    def send_headers(self) -> None:
        if int(self.status[:3]) in REFUSALS:
            self.close_connection = True
            # What has come already is taken, so that the answer is not lost with the connection.
            self.conn.line.until = time.monotonic() + 0.2
            remaining = getattr(self.rfile, "remaining", 0)
            with contextlib.suppress(OSError):
                self.rfile.read(min(remaining, 64 * 1024))
        super().send_headers()


class Stage(Enum):
    """How far a connection has come."""

    HELLO = 1
    TLS = 2
    HEAD = 3


class Connection(HTTPConnection):  # type: ignore[misc]
    """A connection that begins in the lobby."""

    RequestHandlerClass = Request
    remote_addr: str

    def __init__(self, server: Any, sock: socket.socket, makefile: Any = MakeFile) -> None:
        self.line = Line(sock, server.timeout)
        self.stage = Stage.HELLO
        self.heard = bytearray()
        self.deadline = 0.0
        self.elsewhere = False
        """Whether it speaks plain HTTP although it comes from another machine."""
        _give_up_dead(sock)
        super().__init__(server, sock, lambda s, mode, size: MakeFile(self.line if "r" in mode else s, mode, size))

    def secured(self, sock: ssl.SSLSocket) -> None:
        """Goes on over TLS; the handshake is still to come."""
        self.socket = self.line.sock = sock
        self.wfile = MakeFile(sock, "wb", self.wbufsize)
        self.ssl_env = {"wsgi.url_scheme": "https", "HTTPS": "on"}


class Lobby:
    """One thread that reads the heads of all connections and hands each to `work` when its head is whole."""

    def __init__(self, work: Callable[[Connection], None], patience: float, tls: ssl.SSLContext | None = None) -> None:
        """With `tls`, other machines have to speak TLS and this one may."""
        self._work, self._patience, self._tls = work, patience, tls
        self._arrived: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._selector = selectors.DefaultSelector()
        self._ear, self._bell = socket.socketpair()
        self._ear.setblocking(False)
        self._bell.setblocking(False)
        self._selector.register(self._ear, selectors.EVENT_READ, None)
        self._here: set[Connection] = set()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lobby", daemon=True)
        self._thread.start()

    def enter(self, connection: Connection) -> None:
        """A connection that is new, or has something to say again."""
        if connection.rfile.has_data():
            connection.heard += connection.rfile.read1()
        connection.heard += connection.line.head
        connection.line.head = b""
        self._arrived.put(connection)
        self._ring()
        if self._stop.is_set() and not self._thread.is_alive():
            self._turn_away_arrived()

    def close(self) -> None:
        self._stop.set()
        self._ring()
        self._thread.join(timeout=5.0)

    def _ring(self) -> None:
        with contextlib.suppress(OSError):
            self._bell.send(b"!")  # where it is full, the ear hears anyway

    def _run(self) -> None:
        swept = time.monotonic()
        while not self._stop.is_set():
            for key, _ in self._selector.select(1.0):
                if key.data is None:
                    with contextlib.suppress(OSError):
                        self._ear.recv(4096)
                else:
                    self._go_on(key.data)
            while not self._arrived.empty():
                self._begin(self._arrived.get())
            now = time.monotonic()
            if now - swept > 0.5:
                swept = now
                for connection in [c for c in self._here if c.deadline < now]:
                    self._drop(connection)
        for connection in list(self._here):
            self._drop(connection)
        self._turn_away_arrived()
        self._selector.close()
        self._ear.close()
        self._bell.close()

    def _turn_away_arrived(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                _close(self._arrived.get_nowait())

    def _begin(self, connection: Connection) -> None:
        whose = Counter(c.remote_addr for c in self._here)
        crowd = connection.remote_addr if whose[connection.remote_addr] >= WAITING_MOST_EACH else ""
        if not crowd and len(self._here) >= WAITING_MOST:
            crowd = whose.most_common(1)[0][0]
        if crowd:
            # Who means it has soon said what it wants: of a device with many, the one that waits longest goes.
            self._drop(min((c for c in self._here if c.remote_addr == crowd), key=lambda c: c.deadline))
        connection.deadline = time.monotonic() + HEAD_S
        try:
            connection.socket.setblocking(False)
            self._selector.register(connection.socket, selectors.EVENT_READ, connection)
        except (OSError, ValueError):
            _close(connection)
            return
        self._here.add(connection)
        self._go_on(connection)

    def _go_on(self, connection: Connection) -> None:
        """As far as it goes without waiting."""
        try:
            if connection.stage is Stage.HELLO and not self._hello(connection):
                return
            if connection.stage is Stage.TLS:
                connection.socket.do_handshake()
                self._listen(connection, selectors.EVENT_READ)
                connection.stage = Stage.HEAD
            self._head(connection)
        except (ssl.SSLWantReadError, BlockingIOError):
            self._listen(connection, selectors.EVENT_READ)
        except ssl.SSLWantWriteError:
            self._listen(connection, selectors.EVENT_WRITE)
        except (OSError, ValueError):
            self._drop(connection)
        except Exception:  # whatever one connection brings, the others go on
            logging.getLogger("tilekeeper.server").exception("a connection from %s", connection.remote_addr)
            self._drop(connection)

    def _listen(self, connection: Connection, to: int) -> None:
        if self._selector.get_key(connection.socket).events != to:
            self._selector.modify(connection.socket, to, connection)

    def _hello(self, connection: Connection) -> bool:
        """Whether it speaks TLS or plain HTTP: the first byte tells. False where it went away."""
        if connection.heard:
            connection.stage = Stage.HEAD
            return True
        first = connection.socket.recv(1, socket.MSG_PEEK)
        if not first:
            self._drop(connection)
            return False
        if first[0] == HANDSHAKE and self._tls is not None:
            self._selector.unregister(connection.socket)
            wrapped = self._tls.wrap_socket(connection.socket, server_side=True, do_handshake_on_connect=False)
            connection.secured(wrapped)
            self._selector.register(wrapped, selectors.EVENT_READ, connection)
            connection.stage = Stage.TLS
            return True
        connection.elsewhere = self._tls is not None and not _is_here(connection.remote_addr)
        connection.stage = Stage.HEAD
        return True

    def _head(self, connection: Connection) -> None:
        heard = connection.heard
        while END not in heard:
            if len(heard) > HEAD_MOST:
                self._answer(connection, "431 Request Header Fields Too Large", "The head of the request is too large.")
                return
            more = connection.socket.recv(4096)
            if not more:
                self._drop(connection)
                return
            heard += more
        head = bytes(heard[: heard.index(END)])
        if wrong := improper(head):
            self._answer(connection, "400 Bad Request", wrong)
        elif connection.elsewhere:
            self._to_https(connection, head)
        else:
            self._leave(connection)
            connection.socket.settimeout(self._patience)
            connection.line.head, connection.heard = bytes(heard), bytearray()
            connection.line.until = time.monotonic() + BODY_S
            self._work(connection)

    def _to_https(self, connection: Connection, head: bytes) -> None:
        """Somebody typed the address without https."""
        method, path, _ = head.split(b"\r\n", 1)[0].split(b" ", 2)
        host = next(v for name, v in _headers(head) if name == b"host")
        if method not in (b"GET", b"HEAD") or not path.startswith(b"/"):
            self._answer(connection, "400 Bad Request", "This companion speaks https to other machines.")
            return
        where = f"https://{host.decode('ascii')}{path.decode('ascii')}"
        self._answer(connection, "307 Temporary Redirect", "Use https.", f"Location: {where}\r\n")

    def _answer(self, connection: Connection, status: str, text: str, more: str = "") -> None:
        """A short answer without a worker, and the end of the connection."""
        body = f"{text}\n".encode()
        head = (
            f"HTTP/1.1 {status}\r\n{more}Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
            "X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        )
        with contextlib.suppress(OSError):
            connection.socket.send(head.encode("ascii") + body)
        self._drop(connection)

    def _leave(self, connection: Connection) -> None:
        self._here.discard(connection)
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(connection.socket)

    def _drop(self, connection: Connection) -> None:
        self._leave(connection)
        _close(connection)


def improper(head: bytes) -> str:
    """What is wrong with a request's head (without its last empty line), in a sentence; empty if nothing is.

    Refused is what two programs may read in two ways: lengths said twice or otherwise than in digits, a length beside
    chunks, folded or nameless headers, line ends and zeros inside them, and more or fewer than one host.

    >>> improper(b"GET / HTTP/1.1\\r\\nHost: a")
    ''
    """
    lines = head.split(b"\r\n")
    if not _REQUEST.fullmatch(lines[0]):
        return "The first line is no request."
    if len(lines) > HEADERS_MOST:
        return "The request has too many headers."
    if any(b"\n" in line or b"\r" in line or b"\0" in line for line in lines):
        return "A line of the head ends in another way than it should."
    if not all(b":" in line and _NAME.fullmatch(line.split(b":", 1)[0]) for line in lines[1:]):
        return "A header has no proper name."
    headers = _headers(head)
    many = Counter(name for name, _ in headers)
    lengths = [value for name, value in headers if name == b"content-length"]
    codings = [value for name, value in headers if name == b"transfer-encoding"]
    if any(not re.fullmatch(rb"\d{1,12}", length) for length in lengths) or many[b"content-length"] > 1:
        return "The length of the request is not clear."
    if codings and (codings != [b"chunked"] or lengths):
        return "The length of the request is not clear."
    hosts = [value for name, value in headers if name == b"host"]
    if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
        return "The request does not say which host it means."
    return ""


def _headers(head: bytes) -> list[tuple[bytes, bytes]]:
    pairs = (line.split(b":", 1) for line in head.split(b"\r\n")[1:])
    return [(name.lower(), value.strip(b" \t")) for name, value in pairs]


def _is_here(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


def _close(connection: Connection) -> None:
    with contextlib.suppress(OSError, ValueError):
        connection.close()


def _give_up_dead(sock: socket.socket) -> None:
    """A phone that left the room takes its stream with it soon, not after a quarter of an hour."""
    option = getattr(socket, "TCP_USER_TIMEOUT", None)
    if option is not None:
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, option, int(DEAD_S * 1000))
