"""Cameras: whatever delivers pictures of the table, behind one protocol.

A `Camera` keeps the newest frame only, and its age is known: a picture that waits in a queue is a picture of
the past. `Feed` makes a camera of any `Source` (vision.sources) with one thread, and reopens a lost one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
"""Height × width × 3, blue-green-red, 8 bits; nobody writes into one that a camera delivered."""

RETRY_S = 1.0
LIVELIEST, CALMEST = 12.0, 5.0
"""Pictures a second that are kept at most, while something moves and at rest; more tell nothing new about a table
and cost decoding."""


class CameraError(ValueError):
    """A source that cannot be used: one line that says what is wrong and what to do."""


class Link(StrEnum):
    """What binds a camera to its source."""

    NONE = "none"
    """No camera is chosen."""
    OPENING = "opening"
    OPEN = "open"
    LOST = "lost"
    ASLEEP = "asleep"
    """A phone that has sent nothing for a while."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a camera was asked for and says that it does; what it really delivers, its frames tell.

    ``asked`` is width and height in pixels, None where nothing can be asked for (a file).
    """

    asked: tuple[int, int] | None = None
    focus: str = ""
    """``auto``, ``fixed`` or nothing where that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: `number` counts the different pictures, `at` is when it was last seen (monotonic seconds).

    A folder shows one picture for some seconds: the number stays, the time goes on.
    """

    picture: Picture
    number: int
    at: float
    path: Path | None = None

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        return self.picture.shape[1], self.picture.shape[0]


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """What a source delivers: a picture, and whether it is another one than before."""

    picture: Picture
    fresh: bool = True
    path: Path | None = None


class Source(Protocol):
    """Where pictures come from. Only the thread of its `Feed` calls it."""

    name: str
    live: bool
    """Whether the same picture twice is suspicious: true for a lens, not for a folder."""

    def open(self) -> Tuning | None:
        """What it was asked for, None where there was nothing to ask. Raises `CameraError`."""

    def read(self, wanted: bool) -> Shot | None:
        """The next picture, waiting for it if need be; None when it is not wanted (too early for another).

        Raises `CameraError` when the source is lost and `EOFError` when it is over.
        """

    def close(self) -> None: ...


class Camera(Protocol):
    """What the companion knows of a camera."""

    name: str
    live: bool

    @property
    def link(self) -> Link: ...

    @property
    def trouble(self) -> str:
        """The last line that the source said about being lost, or an empty text."""

    @property
    def tuning(self) -> Tuning:
        """What it was asked for."""

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        """The newest frame if it was seen later than `after`, waiting up to `timeout` seconds; else None."""

    def rest(self, resting: bool) -> None:
        """Tells it whether the table is at rest, so that fewer pictures are enough."""

    def close(self) -> None: ...


class NoCamera:
    """The `Camera` of a table for which none is chosen yet: it never delivers a picture."""

    name, live, link, trouble, tuning = "", False, Link.NONE, "", Tuning()

    def __init__(self) -> None:
        self._closed = threading.Event()

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        self._closed.wait(timeout)
        return None

    def rest(self, resting: bool) -> None: ...

    def close(self) -> None:
        self._closed.set()


class Feed:
    """A `Camera` from a `Source`: one thread reads, one slot holds the newest frame.

    >>> from vision.sources import open_source
    >>> with Feed(open_source("photos")) as camera:        # doctest: +SKIP
    ...     camera.newest(timeout=5).size
    """

    def __init__(
        self, source: Source, clock: Callable[[], float] = time.monotonic, retry: float = RETRY_S
    ) -> None:
        """Opens the source at once, so that one that is not there raises `CameraError` here."""
        self.name, self.live = source.name, source.live
        self._source, self._clock, self._retry = source, clock, retry
        self._came = threading.Condition()
        self._stop = threading.Event()
        self._frame: Frame | None = None
        self._link, self._trouble = Link.OPENING, ""
        self._resting = False
        self._tuning = source.open() or Tuning()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    @property
    def link(self) -> Link:
        return self._link

    @property
    def trouble(self) -> str:
        return self._trouble

    @property
    def tuning(self) -> Tuning:
        return self._tuning

    def rest(self, resting: bool) -> None:
        self._resting = resting

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        with self._came:
            self._came.wait_for(lambda: self._stop.is_set() or self._is_later(after), timeout)
            return self._frame if self._is_later(after) else None

    def close(self) -> None:
        self._stop.set()
        with self._came:
            self._came.notify_all()
        self._thread.join(timeout=2.0)

    def __enter__(self) -> Feed:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _is_later(self, after: float) -> bool:
        return self._frame is not None and self._frame.at > after

    def _run(self) -> None:
        is_open = True
        while not self._stop.is_set():
            try:
                if not is_open:
                    self._tuning = self._source.open() or Tuning()
                    is_open = True
                self._follow()
            except CameraError as error:
                self._link, self._trouble = Link.LOST, str(error)
            except EOFError as over:
                self._link, self._trouble = Link.ENDED, str(over)
                break
            except Exception as error:  # a driver may raise anything; the camera must come back
                self._link, self._trouble = Link.LOST, f"{self.name}: {error}"
            if is_open:
                self._source.close()
                is_open = False
            self._stop.wait(self._retry)
        if is_open:
            self._source.close()

    def _follow(self) -> None:
        """Takes pictures until the source is lost, over, or nobody wants more."""
        kept = float("-inf")
        while not self._stop.is_set():
            rate = CALMEST if self._resting else LIVELIEST
            shot = self._source.read(wanted=self._clock() - kept >= 1.0 / rate)
            if shot is None:
                continue
            kept = self._clock()
            self._keep(shot, kept)

    def _keep(self, shot: Shot, at: float) -> None:
        with self._came:
            last = self._frame
            if last is not None and not shot.fresh:
                self._frame = replace(last, at=at)
            else:
                self._frame = Frame(shot.picture, last.number + 1 if last else 1, at, shot.path)
            self._link, self._trouble = Link.OPEN, ""
            self._came.notify_all()
