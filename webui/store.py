"""Where the events of a match are kept, before anybody sees them: what every store promises.

`webui.database` keeps them in a file or a database, `webui.matches` knows which matches there are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from referee.events import Event


class StoreError(OSError):
    """A match that cannot be kept or read; one line that says why."""


class StoreAheadError(StoreError):
    """What could not be said to be kept was kept after all: ``events`` are on the disk and not yet in the game."""

    def __init__(self, events: tuple[Event, ...]) -> None:
        super().__init__("what was pressed before was kept after all")
        self.events = events


class Store(Protocol):
    """Keeps the events of one match in order; nothing is ever changed or taken out. One thread at a time."""

    @property
    def name(self) -> str:
        """What the match is called among the matches; an empty text for one that is not kept."""

    def append(self, *events: Event) -> None:
        """Returns when all of them are kept for good; else none is. Raises `OSError` where they cannot be."""

    def events(self) -> tuple[Event, ...]:
        """All that was kept, oldest first."""

    def sign_of_life(self, at: int) -> None:
        """The companion still ran at this wall time (ms). Cheap, and lost at worst."""

    def alive(self) -> int | None:
        """The last wall time (ms) at which the companion is known to have run."""

    def close(self) -> None: ...


class MemoryStore:
    """The twin that forgets: for tests and the demo."""

    name = ""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._events = list(events)
        self._alive: int | None = None

    def append(self, *events: Event) -> None:
        self._events += events

    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def sign_of_life(self, at: int) -> None:
        self._alive = at

    def alive(self) -> int | None:
        return max((e.at for e in self._events), default=None) if self._alive is None else self._alive

    def close(self) -> None: ...
