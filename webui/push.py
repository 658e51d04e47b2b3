"""Pushing the state to the pages: server-sent events with ids, the full state on every connection.

A `Hub` keeps the newest document of each part of the state and nothing older, so a slow page skips what is
past and never holds anybody up, and a page that connects again gets the whole state first.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

BEAT_S = 2.0
"""A page that has heard nothing for some of these knows that its connection is dead."""


@dataclass(frozen=True, slots=True)
class Event:
    """The newest document of one part of the state, as JSON text."""

    id: int
    part: str
    data: str

    def __str__(self) -> str:
        return f"id: {self.id}\nevent: {self.part}\ndata: {self.data}\n\n"


class Hub:
    """What all pages see. Any thread may publish and any may wait.

    >>> hub = Hub()
    >>> hub.publish("table", {"sets": []})
    >>> hub.since(0)
    [Event(id=1, part='table', data='{"sets":[]}')]
    """

    def __init__(self) -> None:
        self._newest: dict[str, Event] = {}
        self._last_id = 0
        self._closed = False
        self._news = threading.Condition()

    @property
    def closed(self) -> bool:
        return self._closed

    def publish(self, part: str, document: dict[str, Any]) -> None:
        """Makes `document` the newest of its part; one that says the same as before wakes nobody."""
        data = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        with self._news:
            old = self._newest.get(part)
            if old is not None and old.data == data:
                return
            self._last_id += 1
            self._newest[part] = Event(self._last_id, part, data)
            self._news.notify_all()

    def since(self, seen: int, timeout: float = 0.0) -> list[Event]:
        """The newest event of every part that changed after the id `seen`, oldest first.

        Waits up to `timeout` seconds for one.
        """
        with self._news:
            self._news.wait_for(lambda: self._closed or self._last_id > seen, timeout)
            return sorted((e for e in self._newest.values() if e.id > seen), key=lambda e: e.id)

    def state(self) -> dict[str, Any]:
        """The whole state, a document a part."""
        return {event.part: json.loads(event.data) for event in self.since(0)}

    def close(self) -> None:
        """Lets every stream end."""
        with self._news:
            self._closed = True
            self._news.notify_all()


def stream(
    hub: Hub,
    beat: float = BEAT_S,
    clock: Callable[[], float] = time.monotonic,
    welcome: Callable[[], bool] = lambda: True,
    you: dict[str, Any] | None = None,
) -> Iterator[str]:
    """The lines of one page's event stream, from the full state on, until the hub is closed.

    With `you` the first event tells the page what it may do; the stream ends when it is no longer `welcome`.

    Every `beat` seconds comes an event ``now`` with the server's monotonic milliseconds, by which pages set their
    clocks and know that the connection is alive.
    """
    yield "retry: 1000\n\n"
    if you is not None:
        yield f"event: you\ndata: {json.dumps(you)}\n\n"
    seen, due = 0, clock()
    while not hub.closed and welcome():
        if clock() >= due:
            due = clock() + beat
            yield f'event: now\ndata: {{"ms":{clock() * 1000:.1f}}}\n\n'
        for event in hub.since(seen, timeout=max(0.0, due - clock())):
            seen = event.id
            yield str(event)
