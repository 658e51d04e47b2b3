"""Serving the application: a real WSGI server on this machine, or with TLS on the local network when asked."""

from __future__ import annotations

import errno
import http.client
import logging
import socket
import ssl
import sys

from cheroot.wsgi import Server as WsgiServer
from flask import Flask

from webui.lobby import HEAD_MOST, Connection, Lobby

PORT = 8106
TRIES = 20
THREADS = 64
"""Every open page holds one for its event stream; `webui.streams.MOST` leaves some for everything else."""
BODY_MOST = 8 * 1024 * 1024 + 64 * 1024
NAME = "Tilekeeper"
PROBE_S = 1.0


class ServingError(OSError):
    """No port can be had; the line says why."""


class Server(WsgiServer):  # type: ignore[misc]
    """Answers `app`; with `tls`, other machines have to use https, and this one may still use http."""

    ConnectionClass = Connection
    keep_alive_conn_limit = 128
    max_request_header_size = HEAD_MOST + 8192
    max_request_body_size = BODY_MOST

    def __init__(self, address: tuple[str, int], app: Flask, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(
            address, app, numthreads=THREADS, max=THREADS, server_name=NAME, request_queue_size=128, shutdown_timeout=1
        )
        self._tls = tls
        self.software = NAME

    def prepare(self) -> None:
        """Raises `OSError`."""
        super().prepare()
        self.lobby = Lobby(self.requests.put, self.timeout, self._tls)

    def process_conn(self, conn: Connection) -> None:
        self.lobby.enter(conn)

    def put_conn(self, conn: Connection) -> None:
        if self.ready and isinstance(conn.socket, ssl.SSLSocket) and conn.socket.pending():
            self.lobby.enter(conn)  # it has said more already, and nothing else will ring
        else:
            super().put_conn(conn)

    def stop(self) -> None:
        if self.ready:
            self.lobby.close()
        super().stop()

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        error = sys.exc_info()[1]
        if isinstance(error, ConnectionError | TimeoutError | ssl.SSLError):
            level, traceback = logging.DEBUG, False  # somebody closed a page or left the room
        logging.getLogger("tilekeeper.server").log(level, msg, exc_info=traceback and error is not None)


def listening(app: Flask, host: str, port: int, tls: ssl.SSLContext | None = None) -> Server:
    """A server that listens on `port`, or on the next free one after it (0: any). Raises `ServingError`.

    Its `serve()` answers until `stop()`; `bind_addr` tells the port it got.
    """
    for wanted in range(port, min(port + TRIES, 65535) + 1) if port else (0,):
        try:
            _probe(host, wanted)
            server = Server((host, wanted), app, tls)
            server.prepare()
            return server
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EPERM) and 0 < wanted < 1024:
                raise ServingError(
                    f"cannot serve on port {wanted}: ports below 1024 belong to the system; try --port {PORT}"
                ) from None
            if error.errno != errno.EADDRINUSE:
                reason = (error.strerror or str(error)).lower()
                raise ServingError(f"cannot serve on port {wanted}: {reason}; try --port 0") from None
    raise ServingError(f"the ports {port} to {min(port + TRIES, 65535)} are all taken; try --port 0")


def _probe(host: str, port: int) -> None:
    """Raises the `OSError` that says why a port cannot be had; the server's own error has lost its number."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if sys.platform != "win32":  # there it would let two programs share a port
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))


def taken_by(port: int, timeout: float = PROBE_S) -> str:
    """Who answers on a port of this machine, as far as it says so: ``another Tilekeeper``, ``nginx``; else empty."""
    asking = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        asking.request("HEAD", "/")
        name = (asking.getresponse().getheader("Server") or "").strip()
    except (OSError, http.client.HTTPException, ValueError):
        return ""
    finally:
        asking.close()
    if name == NAME:
        return f"another {NAME}"
    return "".join(c for c in name if c.isprintable())[:40]
