"""The companion: one thread owns what is known of the table, takes frames and commands, publishes states.

A page never waits for the camera and the camera never waits for a page. Reading a picture takes longer than a
page may wait, so a second thread reads and hands the reading back as a command like any other.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from vision.camera import Camera, Frame
from vision.health import Health, HealthWatch
from vision.reading import Reading, TableReader
from vision.rest import Motion, RestWatch
from webui.play import PlayError
from webui.push import Hub
from webui.umpire import Umpire
from webui.verdicts import table_document

TICK_S = 0.05
AGE_STEP_S = 0.5
MOST_LOOKS = 6
"""How often a table at rest is read, as long as another look may tell more."""


class Phase(StrEnum):
    """What the companion is doing."""

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


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """A picture to be read, and the rest of the table in which it was taken."""

    frame: Frame
    scene: int


class ReadingRoom:
    """The thread that reads. It has at most one picture before it; `done` is called in it."""

    def __init__(self, reader: TableReader, done: Callable[[Task, Reading | Exception], None]) -> None:
        self._reader, self._done = reader, done
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="reader", daemon=True)
        self._thread.start()

    def ask(self, task: Task) -> None:
        self._tasks.put(task)

    def close(self) -> None:
        self._tasks.put(None)
        self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while (task := self._tasks.get()) is not None:
            path = str(task.frame.path) if task.frame.path else None
            try:
                result: Reading | Exception = self._reader.read(task.frame.picture, path)
            except Exception as error:  # whatever it meets is shown on the page; the companion goes on
                result = error
            self._done(task, result)


class Companion:
    """Joins camera, reader and pages: `hub` holds the state, `frame` the newest picture."""

    def __init__(
        self,
        camera: Camera,
        reader: TableReader,
        umpire: Umpire | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.camera, self.hub, self.umpire = camera, Hub(), umpire or Umpire()
        self.frame: Frame | None = None
        self._clock = clock
        self._commands: queue.SimpleQueue[Command] = queue.SimpleQueue()
        self._room = ReadingRoom(reader, self._hand_back)
        self._health, self._rest = HealthWatch(), RestWatch()
        self._read_scene = self._read_frame = self._looks = 0
        self._reading_now = False
        self._published = -1
        self._result: Reading | Exception | None = None
        self._blind = False
        """Whether the camera does not show the table: what it shows next is another table, perhaps."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="companion", daemon=True)
        self._publish()

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """Ends its threads, the camera's and every page's stream."""
        self._stop.set()
        self.hub.close()
        if self._thread.is_alive():
            self._thread.join(timeout=2.0)
        self._room.close()
        self.camera.close()
        self.umpire.play.close()

    def tell(self, command: Command) -> None:
        """Puts a command in the queue; it runs in the companion's own thread, after those before it."""
        self._commands.put(command)

    def press(self, button: str, data: Mapping[str, Any], timeout: float = 5.0) -> None:
        """A button on a page: waits until the companion has taken it.

        Raises `PlayError` where it does nothing now, `TimeoutError` where the companion does not answer.
        """
        done: Future[None] = Future()

        def command() -> None:
            try:
                self.umpire.press(button, data)
            except (PlayError, OSError) as error:
                done.set_exception(error)
            else:
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
        before = self.frame
        frame = self.camera.newest(before.at if before else float("-inf"), timeout)
        if frame is not None:
            self.frame = frame
            self._take_frame(frame, before is None or frame.number != before.number)
        while True:
            try:
                command = self._commands.get_nowait()
            except queue.Empty:
                break
            command()
        self.umpire.tick()
        self._publish()

    def _take_frame(self, frame: Frame, fresh: bool) -> None:
        self._health.observe(frame, self.camera.live)
        if fresh:
            motion = self._rest.observe(frame.picture, frame.at, still=self._blind or frame.path is not None)
        else:
            motion = self._rest.repeat(frame.at)
        scene = self._rest.times_at_rest
        if motion is not Motion.REST or scene != self._read_scene:
            self.umpire.lose_sight()
        if motion is not Motion.REST or self._reading_now:
            return
        again = self.camera.live and fresh and not self.umpire.settled and self._looks < MOST_LOOKS
        unknown = self.umpire.reading is None and isinstance(self._result, Reading)
        if scene != self._read_scene or unknown or again:
            self._looks = self._looks + 1 if scene == self._read_scene else 1
            self._reading_now = True
            self._room.ask(Task(frame, scene))

    def _hand_back(self, task: Task, result: Reading | Exception) -> None:
        self.tell(lambda: self._take_reading(task, result))

    def _take_reading(self, task: Task, result: Reading | Exception) -> None:
        self._reading_now = False
        if self._rest.state is not Motion.REST or task.scene != self._rest.times_at_rest:
            return  # it shows a table of the past
        self._read_scene, self._result, self._read_frame = task.scene, result, task.frame.number
        if isinstance(result, Reading):
            more = self.camera.live and self._looks < MOST_LOOKS
            self.umpire.see(result, task.scene, self._rest.stirred(), more, still=task.frame.path is not None)
            self._publish_table()

    def _publish_table(self) -> None:
        if self.umpire.reading is not None:
            self.hub.publish("table", table_document(self.umpire.reading, self.umpire.scene, self._read_frame))

    def _phase(self, health: Health) -> Phase:
        if health.trouble is not None and health.trouble.stops:
            return Phase.STOPPED
        if self.frame is None:
            return Phase.WAITING
        if self._rest.state is not Motion.REST:
            return Phase(self._rest.state.value)
        reading = self.umpire.reading
        if self._read_scene != self._rest.times_at_rest or (reading is None and isinstance(self._result, Reading)):
            return Phase.READING
        if reading is None:
            return Phase.FAILED
        return Phase.READ if reading.tiles else Phase.EMPTY

    def _publish(self) -> None:
        health = self._health.health(self.camera, self._clock())
        phase = self._phase(health)
        self._blind = phase is Phase.STOPPED
        if self._blind:
            self.umpire.lose_sight()
        message = SAID[phase]
        if phase is Phase.STOPPED:
            message = health.message
        elif phase is Phase.FAILED:
            message = f"{SAID[phase]}: {self._result}"
        if self._published != self.umpire.version:
            self._published = self.umpire.version
            self.hub.publish("match", self.umpire.document())
        self.hub.publish(
            "live",
            {
                "phase": phase.value,
                "message": message,
                "scene": self._rest.times_at_rest if self._rest.state is Motion.REST else 0,
                "camera": {
                    "name": self.camera.name,
                    "trouble": health.trouble.value if health.trouble else None,
                    "message": health.message,
                    "age": None if health.age is None else round(health.age / AGE_STEP_S) * AGE_STEP_S,
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
