"""What keeps a page up to date: its event stream, and the server's time when it asks for it."""

from __future__ import annotations

import threading
import time

from flask import Blueprint, Response, current_app, g, jsonify

from webui.guard import the_door
from webui.invite import Role
from webui.push import Hub, stream
from webui.server import THREADS

streams = Blueprint("streams", __name__)
MOST = THREADS - 16
"""Pages that are kept up to date at once: each holds a thread of the server, and some are needed for the rest."""


class Places:
    """Counts the pages that listen."""

    def __init__(self, most: int = MOST) -> None:
        self._free = threading.BoundedSemaphore(most)

    def take(self) -> bool:
        """Whether there is one more place; then it has to be given back."""
        return self._free.acquire(blocking=False)

    def give_back(self) -> None:
        self._free.release()


@streams.get("/events")
def events() -> Response:
    """The state from now on. Where too many pages listen, one event ``full``; the page tries again later."""
    hub: Hub = current_app.extensions["tilekeeper"].hub
    places: Places = current_app.extensions["places"]
    headers = {"X-Accel-Buffering": "no"}
    if not places.take():
        return Response("retry: 10000\nevent: full\ndata: {}\n\n", mimetype="text/event-stream", headers=headers)
    role: Role = g.role
    door = the_door()
    codes = door.codes if door is not None else None

    def welcome() -> bool:
        """With new codes, whoever came in by the old ones sees no more."""
        return door is None or door.codes is codes

    lines = stream(hub, welcome=welcome, you={"role": role.value})
    answer = Response((line.encode() for line in lines), mimetype="text/event-stream", headers=headers)
    answer.call_on_close(places.give_back)
    return answer


@streams.get("/now.json")
def now() -> Response:
    """The server's monotonic milliseconds, as the events ``now`` tell them."""
    return jsonify({"ms": time.monotonic() * 1000})
