"""Serving the application: a real WSGI server on this machine, or on the local network when asked."""

from __future__ import annotations

import errno
import socket

from cheroot.wsgi import Server
from flask import Flask

PORT = 8106
TRIES = 20
THREADS = 64
"""Every open page holds one for its event stream."""


class ServingError(OSError):
    """No port can be had; the line says why."""


def listening(app: Flask, host: str, port: int) -> Server:
    """A server that listens on `port`, or on the next free one after it (0: any). Raises `ServingError`.

    Its `serve()` answers until `stop()`; `bind_addr` tells the port it got.
    """
    for wanted in range(port, min(port + TRIES, 65535) + 1) if port else (0,):
        try:
            _probe(host, wanted)
            server = Server((host, wanted), app, numthreads=THREADS, request_queue_size=64, shutdown_timeout=1)
            server.prepare()
            return server
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                reason = (error.strerror or str(error)).lower()
                raise ServingError(f"cannot serve on port {wanted}: {reason}; try --port 0") from None
    raise ServingError(f"the ports {port} to {port + TRIES} are all taken; try --port 0")


def _probe(host: str, port: int) -> None:
    """Raises the `OSError` that says why a port cannot be had; the server's own error has lost its number."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))


def own_address() -> str:
    """This machine's address on the local network, as others reach it; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # connecting a datagram socket sends nothing
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
