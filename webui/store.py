"""Where the events of a match are kept, before anybody sees them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from referee.events import Event


class Store(Protocol):
    """Keeps the events of one match in order; nothing is ever changed or taken out."""

    def append(self, event: Event) -> None:
        """Returns when the event is kept for good. Raises `OSError` where it cannot be."""

    def events(self) -> tuple[Event, ...]:
        """All that was kept, oldest first."""


class MemoryStore:
    """The twin that forgets: for tests and the demo."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events = list(events)

    def append(self, event: Event) -> None:
        self._events.append(event)

    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)
