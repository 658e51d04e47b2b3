"""A companion served on the local network as `--lan` does it, reached by 127.0.0.1: for the tests of who is let in."""

from __future__ import annotations

import socket
import ssl
import threading
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any

from vision.camera import Camera
from webui.app import create_app
from webui.certificate import own_certificate
from webui.companion import Companion
from webui.invite import Door
from webui.network import Network
from webui.server import listening


class OnLan:
    """`door` lets in; without `tls` it is plain HTTP as on one machine, but with the codes."""

    def __init__(self, camera: Camera, reader: Any, folder: Path, tls: bool = True) -> None:
        network = Network(look=lambda: ("127.0.0.1",), names=lambda: ("laptop", "laptop.local"))
        self.companion, self.door = Companion(camera, reader), Door(folder=folder)
        context = own_certificate(folder, (*network.addresses, *network.names)).context() if tls else None
        self.app = create_app(self.companion, network.is_ours, self.door, network)
        self.server = listening(self.app, "127.0.0.1", 0, context)
        self.port = int(self.server.bind_addr[1])
        self.address = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.serve, daemon=True)
        self._thread.start()
        self.companion.start()

    def stop(self) -> None:
        self.companion.close()
        self.server.stop()
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()

    def connect(self, tls: bool = True, timeout: float = 10.0) -> HTTPConnection:
        """A client that keeps its connection; it takes any certificate."""
        if not tls:
            return HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        return HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=trusting())

    def raw(self, tls: bool = False, timeout: float = 10.0) -> socket.socket:
        """A bare connection."""
        line = socket.create_connection(("127.0.0.1", self.port), timeout=timeout)
        return trusting().wrap_socket(line) if tls else line

    @property
    def cookie(self) -> dict[str, str]:
        """The header by which a player's browser is known."""
        from webui.guard import COOKIE
        from webui.invite import Role

        return {"Cookie": f"{COOKIE}={self.door.codes.token(Role.PLAY)}"}

    def get(self, path: str, tls: bool = True, timeout: float = 10.0, **headers: str) -> tuple[HTTPResponse, bytes]:
        """One request of a player."""
        client = self.connect(tls, timeout)
        try:
            client.request("GET", path, headers={**self.cookie, **headers})
            answer = client.getresponse()
            return answer, answer.read()
        finally:
            client.close()


def trusting() -> ssl.SSLContext:
    """For a client that takes the certificate as it comes."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
