"""Looking at a picture at rest: where the table lies in it, and what lies on the table. It takes longer than a page
may wait, so it has a thread of its own.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from vision.camera import Frame, Picture
from vision.health import picture_trouble
from vision.place import Place, Source, quads_of, read_in, within
from vision.reading import Reading, TableReader
from vision.shift import Shift, ShiftKind

LEAST_TILES, SAME_PLACE, MOST_LIE = 3, 0.3, 0.5
"""The camera has not moved where at least so many tiles were known, and this share of them lies where it lay, within
so many of a tile's widths."""


class Aim(StrEnum):
    """What a picture is looked at for."""

    READ = "read"
    PROPOSE = "propose"
    """Also looks for the table's edges, whatever was known."""
    PUT_RIGHT = "put-right"
    """The camera was moved, and somebody says that it stays where it is now."""


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A picture to be looked at, the rest of the table in which it was taken, and what was known before.

    ``tiles`` (n, 4, 2) are the outlines of the tiles known, in pixels of the picture before; ``free`` says that no
    game depends on the place, so that what was proposed may be proposed anew.
    """

    frame: Frame
    scene: int
    place: Place
    tiles: np.ndarray
    aim: Aim = Aim.READ
    free: bool = False

    @property
    def film(self) -> bool:
        """Whether the picture is one of a film, and not a photo of any table."""
        return self.frame.path is None


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What came of it: the place now, how the camera was shifted (None: not known), and the reading.

    The reading is the error where it failed, and None where the camera was moved.
    """

    place: Place
    shift: Shift | None
    reading: Reading | Exception | None

    @property
    def homography(self) -> np.ndarray | None:
        """How the tiles known before have moved in the picture (3, 3), where they have."""
        known = self.shift is not None and self.shift.kind is not ShiftKind.NONE
        return self.shift.homography if known and self.shift is not None else None


def look_at(reader: TableReader, task: Task) -> Seen:
    """Looks at one picture. Whatever the reader raises is the result."""
    picture, path = task.frame.picture, str(task.frame.path) if task.frame.path else None
    place, shift = task.place, None
    if task.aim is Aim.READ and (task.film or place.source is Source.GIVEN):
        if picture_trouble(picture) is None:  # what is blurred or dazzled tells nothing of the camera's place
            place, shift = place.seen(picture, task.tiles)
    elif task.aim is Aim.READ:  # one photo has nothing to do with the next
        place, shift = replace(place, newest=None).seen(picture, task.tiles)
    # Before a game people move the camera about; what they set by hand is not given up unasked.
    stale = task.free and place.moved is not None and place.source in (Source.PROPOSED, Source.NONE)
    if place.moved is not None and task.aim is Aim.READ and not stale:
        return _moved_or_not(reader, task, Seen(place, shift, None))
    try:
        if task.aim is Aim.READ and not stale and not (place.undecided and task.film):
            return Seen(place, shift, read_in(reader, place, picture, path))
        whole = reader.read(picture, path)
        tiles = quads_of(whole.tiles)
        if task.aim is Aim.PUT_RIGHT:
            place, shift = place.put_right(picture, tiles)
        else:
            place = place.proposed(picture, tiles)
        return Seen(place, shift, whole if place.view is None else within(whole, place.view))
    except Exception as error:  # whatever it meets is shown on the page; the companion goes on
        return Seen(place, shift, error)


def _moved_or_not(reader: TableReader, task: Task, seen: Seen) -> Seen:
    """A shadow on a plain table leaves nothing to tell a shift by; where the tiles lie as they lay, nothing moved.

    Nor does it matter where hardly a tile lay and all of the picture counts.
    """
    few = len(task.tiles) < LEAST_TILES
    if (few and task.place.view is not None) or seen.shift is None or seen.shift.homography is not None:
        return seen
    if task.place.size != task.frame.size:
        return seen
    path = str(task.frame.path) if task.frame.path else None
    try:
        reading = read_in(reader, task.place, task.frame.picture, path)
    except Exception:  # the shift is what there is to be said
        return seen
    if few:
        return Seen(task.place.unmoved(task.frame.picture), None, reading)
    there, before = quads_of(reading.tiles).mean(1), task.tiles.mean(1)
    if not len(there):
        return seen
    near = np.linalg.norm(task.tiles[:, 0] - task.tiles[:, 1], axis=1) * SAME_PLACE
    lie = np.linalg.norm(before[:, None] - there[None], axis=2).min(1) < near
    if lie.mean() < MOST_LIE:
        return seen
    return Seen(task.place.unmoved(task.frame.picture), None, reading)


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A photo that is not of the table, such as one of a rack; `done` is called in the thread that reads."""

    picture: Picture
    done: Callable[[Reading | Exception], None]


class ReadingRoom:
    """The thread that looks. It has at most one picture before it; `done` is called in it."""

    def __init__(self, reader: TableReader, done: Callable[[Task, Seen], None]) -> None:
        self._reader, self._done = reader, done
        self._tasks: queue.SimpleQueue[Task | Photo | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)
        self._thread.start()

    def ask(self, task: Task | Photo) -> None:
        self._tasks.put(task)

    def close(self) -> None:
        self._tasks.put(None)
        self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            if isinstance(task, Photo):
                task.done(read_photo(self._reader, task.picture))
                continue
            try:
                seen = look_at(self._reader, task)
            except Exception as error:
                seen = Seen(task.place, None, error)
            self._done(task, seen)


def read_photo(reader: TableReader, picture: Picture) -> Reading | Exception:
    """The whole of a picture as the reader reads it. Whatever the reader raises is the result."""
    try:
        return reader.read(picture)
    except Exception as error:
        return error
