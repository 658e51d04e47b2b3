"""The companion: one thread owns what is known of the table, takes frames and commands, publishes states.

A page never waits for the camera and the camera never waits for a page. Reading a picture takes longer than a
page may wait, so a second thread reads and hands the reading back as a command like any other.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import Any

import numpy as np

from referee.match import Phase as MatchPhase
from vision.camera import Camera, Frame, Link, Picture
from vision.cover import Cover
from vision.health import Health, HealthWatch, Trouble
from vision.place import Place, Source, quads_of
from vision.reading import Reading, TableReader
from vision.rest import Motion, RestWatch
from vision.table import TableError, bounded
from webui.areas import Areas, MemoryAreas
from webui.keeper import Keeper
from webui.looking import Aim, Photo, ReadingRoom, Seen, Task
from webui.play import PlayError
from webui.push import Hub
from webui.restoring import encode
from webui.umpire import Umpire

TICK_S = 0.05
AGE_STEP_S = 0.5
MOST_LOOKS = 6
"""How often a table at rest is read, as long as another look may tell more."""


class Phase(StrEnum):
    """What the companion is doing."""

    CHOOSING = "choosing"
    """No camera is chosen."""
    WAITING = "waiting"
    MOVING = "moving"
    HAND = "hand"
    SETTLING = "settling"
    READING = "reading"
    READ = "read"
    EMPTY = "empty"
    FAILED = "failed"
    STOPPED = "stopped"


SAID = {
    Phase.CHOOSING: "No camera is chosen yet",
    Phase.WAITING: "Waiting for the first picture",
    Phase.MOVING: "Something moves: waiting until it lies still",
    Phase.HAND: "A hand is over the table: waiting",
    Phase.SETTLING: "Settling",
    Phase.READING: "Reading the tiles",
    Phase.READ: "Read",
    Phase.EMPTY: "No tiles found: is the table in the picture?",
    Phase.FAILED: "This picture could not be read",
    Phase.STOPPED: "The camera has stopped",
}

Command = Callable[[], None]


class Companion:
    """Joins camera, reader and pages: `hub` holds the state, `frame` the newest picture."""

    def __init__(
        self,
        camera: Camera,
        reader: TableReader,
        umpire: Umpire | None = None,
        clock: Callable[[], float] = time.monotonic,
        areas: Areas | None = None,
        place: Place | None = None,
        keeper: Keeper | None = None,
    ) -> None:
        """With the playing area that `areas` keep for this camera, or the one that `place` says, which is not kept."""
        self.camera, self.hub, self.umpire = camera, Hub(), umpire or Umpire()
        self.frame: Frame | None = None
        self.keeper = keeper or Keeper()
        self.guests = 0
        """How many buttons people have pressed."""
        self._clock = clock
        self._areas = areas if areas is not None and place is None else MemoryAreas()
        self.place = place or self._areas.load(camera.name)
        self._aim = Aim.READ
        self._commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._room = ReadingRoom(reader, self._hand_back)
        self._health, self._rest = HealthWatch(), RestWatch()
        self._read_scene = self._read_frame = self._looks = 0
        self._cameras = self._frames_before = self._scenes_before = 0
        """Cameras, and their pictures and scenes, before this one: no number ever means two of them."""
        self._reading_now = self._anew = False
        self._published = -1
        self._result: Reading | Exception | None = None
        self._elsewhere = False
        """Whether what is known of the tiles' places is from another camera."""
        self._blind = False
        """Whether the camera does not show the table: what it shows next is another table, perhaps."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="companion", daemon=True)
        self._publish()

    @property
    def busy(self) -> bool:
        """Whether a picture is being read: what comes of it is taken by a later `step`."""
        return self._reading_now

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Ends its threads, the camera's and every page's stream."""
        self._stop.set()
        self.hub.close()
        if self._thread.is_alive():
            self._thread.join(timeout=10.0)  # what it is about to keep is kept first
        self._room.close()
        self.camera.close()
        self.keeper.close()
        self.umpire.play.close()

    def tell(self, command: Command) -> None:
        """Puts a command in the queue; it runs in the companion's own thread, after those before it."""
        self._commands.put(command)

    def press(self, button: str, data: Mapping[str, Any], timeout: float = 5.0, guest: bool = True) -> None:
        """A button on a page: waits until the companion has taken it. `guest`: it is a person who presses it.

        Raises `PlayError` where it does nothing now, `TimeoutError` where the companion does not answer.
        """

        def command() -> None:
            self.guests += guest
            self.umpire.press(button, data)

        self._ask(command, timeout)

    def set_area(self, corners: Sequence[Sequence[float]] | None, size: tuple[int, int], timeout: float = 5.0) -> None:
        """Somebody says where people play: corners in pixels of a picture of ``size``, None for the whole picture.

        Raises `vision.table.TableError` for corners that enclose nothing, or of a picture that is not shown any more,
        `OSError` where they cannot be kept (they count nevertheless), `TimeoutError`.
        """

        def command() -> None:
            if self.frame is None or self.frame.size != size:
                raise TableError("the camera sends another picture now: look again")
            self._take_place(Place.at(None if corners is None else bounded(corners, *size), size))
            self._look_anew(Aim.READ)
            self._areas.keep(self.camera.name, self.place)

        self._ask(command, timeout)

    def propose_area(self, timeout: float = 5.0) -> None:
        """Looks for the table's edges in the next picture at rest, whatever was known."""
        self._ask(lambda: self._look_anew(Aim.PROPOSE), timeout)

    def put_right(self, timeout: float = 5.0) -> None:
        """The camera was moved and stays where it is now."""
        self._ask(lambda: self._look_anew(Aim.PUT_RIGHT if self.place.moved else Aim.READ), timeout)

    def switch(self, camera: Camera, timeout: float = 10.0) -> Camera:
        """Looks through another camera from now on; the game goes on. The one before, which the caller closes.

        Raises `TimeoutError`: then everything stays as it was.
        """
        place, taken = self._areas.load(camera.name), Future[Camera]()

        def command() -> None:
            if taken.set_running_or_notify_cancel():
                taken.set_result(self._look_through(camera, place))

        try:
            self._ask(command, timeout)
        except TimeoutError:
            if taken.cancel():
                raise
        return taken.result()

    def _look_through(self, camera: Camera, place: Place) -> Camera:
        before, self.camera, self.place = self.camera, camera, place
        self._cameras += 1
        self._frames_before = self.frame.number if self.frame is not None else self._frames_before
        self._scenes_before = self._scene + 1
        self.frame, self._result = None, None
        self._health, self._rest = HealthWatch(), RestWatch()
        self._looks, self._blind = 0, False
        self._elsewhere = True
        self._look_anew(Aim.READ)
        self.umpire.leave_places()
        self._look()
        return before

    def read_rack(self, player: str, picture: Picture, timeout: float = 5.0) -> None:
        """A photo of a player's rack, to be read as soon as the reader has time; nobody waits for it here.

        Raises `PlayError` where it is not wanted now, `TimeoutError`.
        """

        def command() -> None:
            number = self.umpire.expect_photo(player)

            def done(result: Reading | Exception) -> None:
                jpeg = encode(picture)
                self.tell(lambda: self.umpire.take_photo(player, number, result, jpeg))

            self._room.ask(Photo(picture, done))

        self._ask(command, timeout)

    def _ask(self, act: Callable[[], None], timeout: float) -> None:
        """Lets the companion's thread do something, and waits for it. Raises what it raises, and `TimeoutError`."""
        done: Future[None] = Future()

        def command() -> None:
            try:
                act()
            except (PlayError, TableError, OSError) as error:
                done.set_exception(error)
            else:
                self.keeper.look(self.umpire)  # who asks next finds it in the record
                self._publish_table()
                self._publish()
                done.set_result(None)

        self.tell(command)
        done.result(timeout)

    def _run(self) -> None:
        while not self._stop.is_set():
            self.step(TICK_S)

    def step(self, timeout: float = 0.0) -> None:
        """One turn of the loop: a frame if there is a newer one, the commands that wait, then the state."""
        self._look(timeout)
        while True:
            try:
                command = self._commands.get_nowait()
            except queue.Empty:
                break
            command()
            self.keeper.look(self.umpire)
        self.umpire.tick()
        self.keeper.look(self.umpire)
        self._publish()

    def _look(self, timeout: float = 0.0) -> None:
        """Takes the newest picture, if there is one that is not known yet."""
        before = self.frame
        frame = self.camera.newest(before.at if before else float("-inf"), timeout)
        if frame is not None:
            if self._frames_before:
                frame = replace(frame, number=frame.number + self._frames_before)
            self.frame = frame
            self._take_frame(frame, before is None or frame.number != before.number)

    @property
    def _scene(self) -> int:
        """Counts how often the table came to rest: another number is another table, perhaps."""
        return self._scenes_before + self._rest.times_at_rest

    def _take_frame(self, frame: Frame, fresh: bool) -> None:
        self._health.observe(frame, self.camera.live)
        if fresh:
            motion = self._rest.observe(frame.picture, frame.at, still=self._blind or frame.path is not None)
        else:
            motion = self._rest.repeat(frame.at)
        self.camera.rest(motion is Motion.REST)
        scene = self._scene
        if motion is not Motion.REST or scene != self._read_scene:
            self.umpire.lose_sight()
        if motion is not Motion.REST or self._reading_now:
            return
        failed = isinstance(self._result, Exception)
        again = self.camera.live and fresh and (failed or not self.umpire.settled) and self._looks < MOST_LOOKS
        unknown = self.umpire.reading is None and isinstance(self._result, Reading) and self.place.moved is None
        if scene != self._read_scene or unknown or again:
            self._looks = self._looks + 1 if scene == self._read_scene else 1
            self._reading_now = True
            tiles = quads_of(self.umpire.tracker.reading.tiles)
            free = self.umpire.play.state.phase is MatchPhase.EMPTY
            self._room.ask(Task(frame, scene, self.place, tiles, self._aim, free))

    def _look_anew(self, aim: Aim) -> None:
        """The table is not known until it was looked at again."""
        self._aim, self._read_scene, self._anew = aim, 0, True
        self.umpire.lose_sight()

    def _hand_back(self, task: Task, seen: Seen) -> None:
        self.tell(lambda: self._take_seen(task, seen))

    def _take_seen(self, task: Task, seen: Seen) -> None:
        self._reading_now = False
        if self._rest.state is not Motion.REST or task.scene != self._scene:
            return  # it shows a table of the past
        if task.place is not self.place or task.aim is not self._aim:
            return  # somebody has set the place meanwhile
        self._aim = Aim.READ
        self._take_place(seen.place, seen.homography, followed=task.aim is Aim.READ and not task.place.undecided)
        self._read_scene, self._result, self._read_frame = task.scene, seen.reading, task.frame.number
        if isinstance(seen.reading, Reading):
            stirred, self._anew = Cover.everywhere() if self._anew else self._rest.stirred(), False
            more = self.camera.live and self._looks < MOST_LOOKS
            self.umpire.picture = task.frame.picture
            self.keeper.seen(task, seen.reading, self._clock() - task.frame.at)
            self.umpire.see(seen.reading, task.scene, stirred, more, still=not task.film)
            self._elsewhere = False
            self._publish_table()

    def _take_place(self, place: Place, homography: np.ndarray | None = None, followed: bool = False) -> None:
        """``followed``: the area is the same, as the camera sees it now; so no tile leaves it."""
        before, self.place = self.place, place
        if place.moved is not None:
            self.umpire.lose_sight()
            return
        if homography is not None:
            self.umpire.shift(homography)
        if not followed and place.view is not None and not self._elsewhere:
            self.umpire.leave(place.view)
        kept, now = ((p.corners, p.size, p.newest is None) for p in (before, place))
        if place.source is not Source.NONE and kept != now:
            with suppress(OSError):  # it counts as long as the program runs; whoever sets it by hand is told
                self._areas.keep(self.camera.name, place)

    def _publish_table(self) -> None:
        table = self.umpire.table(self._read_frame)
        if table is not None:
            self.hub.publish("table", table)

    def _phase(self, health: Health) -> Phase:
        if health.trouble is not None and health.trouble.stops:
            return Phase.STOPPED
        if self.camera.link is Link.NONE:
            return Phase.CHOOSING
        if self.frame is None:
            return Phase.WAITING
        if self._rest.state is not Motion.REST:
            return Phase(self._rest.state.value)
        reading = self.umpire.reading
        if self._read_scene != self._scene or (reading is None and isinstance(self._result, Reading)):
            return Phase.READING
        if reading is None:
            return Phase.FAILED
        return Phase.READ if reading.tiles else Phase.EMPTY

    def _publish(self) -> None:
        health = self._health.health(self.camera, self._clock())
        stops = health.trouble is not None and health.trouble.stops
        self._blind = stops
        if self.place.moved is not None and not stops:
            health = Health(Trouble.MOVED, health.age)
        phase = self._phase(health)
        if phase is Phase.STOPPED:
            self.umpire.lose_sight()
        message = SAID[phase]
        if phase is Phase.WAITING and self.camera.trouble:
            message = self.camera.trouble
        elif phase is Phase.STOPPED:
            message = health.message
        elif phase is Phase.FAILED:
            message = f"{SAID[phase]}: {self._result}"
        if self._published != self.umpire.version:
            self._published = self.umpire.version
            self.hub.publish("match", self.umpire.document())
        self.hub.publish("record", self.keeper.document())
        self.hub.publish(
            "live",
            {
                "phase": phase.value,
                "message": message,
                "scene": self._scene if self._rest.state is Motion.REST else 0,
                "camera": {
                    "name": self.camera.name,
                    "number": self._cameras,
                    "trouble": health.trouble.value if health.trouble else None,
                    "message": health.message,
                    "age": None if health.age is None else round(health.age / AGE_STEP_S) * AGE_STEP_S,
                    "asked": list(self.camera.tuning.asked or ()) or None,
                    "focus": self.camera.tuning.focus,
                },
                "place": {
                    "source": self.place.source.value,
                    "corners": [[round(x, 1), round(y, 1)] for x, y in self.place.corners or ()] or None,
                },
                "picture": _picture(self.frame),
            },
        )


def _picture(frame: Frame | None) -> dict[str, object] | None:
    if frame is None:
        return None
    width, height = frame.size
    name = frame.path.name if frame.path else None
    return {"number": frame.number, "width": width, "height": height, "name": name}
