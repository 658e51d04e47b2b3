"""The demo: a recorded game played before the companion, its pictures shown and its buttons pressed, over and over.

Everything between is real: the pictures are read, the table has to come to rest, the referee judges.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from vision.camera import CameraError, Shot
from vision.pictures import PictureError, load
from webui.companion import Companion
from webui.play import PlayError
from webui.recorded import Pressed, RecordedGame

BEAT_S = 0.1
PATIENCE_S = 60.0


class ShownFrames:
    """A camera source that shows the picture it is told to."""

    live = False

    def __init__(self, name: str, first: Path) -> None:
        self.name = name
        self._next: Path | None = first
        self._shot: Shot | None = None

    def show(self, path: Path) -> None:
        self._next = path

    def open(self) -> None:
        pass

    def read(self, wanted: bool) -> Shot | None:
        path, self._next = self._next, None
        if path is None:
            time.sleep(BEAT_S)
            return None if self._shot is None else Shot(self._shot.picture, fresh=False, path=self._shot.path)
        try:
            self._shot = Shot(load(path), path=path)
        except PictureError as error:
            raise CameraError(str(error)) from None
        return self._shot

    def close(self) -> None:
        pass


class Autopilot:
    """Plays the game at `pace`: 1 gives people time to look, 0 goes as fast as the pictures are read."""

    def __init__(self, companion: Companion, source: ShownFrames, game: RecordedGame, pace: float = 1.0) -> None:
        self._companion, self._source, self._game, self._pace = companion, source, game, pace
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="autopilot", daemon=True)
        self.games_played = 0

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2.0)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._play()
            self.games_played += 1
            self._wait(8.0)

    def _play(self) -> None:
        game = self._game
        if self._state("match")["phase"] != "empty":
            self._press("new", {"anyway": True})
        start: dict[str, Any] = {"players": list(game.players), "first": game.first}
        self._press("start", {**start, "rules": game.rules, "options": list(game.options)})
        for frame in game.frames:
            self._source.show(game.path(frame.name))
            rows = [row for row in game.rows if row.frame == frame.name]
            if frame.hand:
                self._wait(1.5)
                for row in rows:  # it is judged when the hand has left
                    self._press_row(row)
                    self._wait(1.5)
                continue
            self._until(partial(self._is_read, frame.name))
            self._until(lambda: not self._state("match").get("waiting"))
            self._wait(1.5)
            for row in rows:
                self._press_row(row)
                self._until(lambda: not self._state("match").get("waiting"))
                self._wait(2.5)
            if self._stop.is_set():
                return

    def _press_row(self, row: Pressed) -> None:
        turn = self._state("match").get("turn") or {}
        data: dict[str, Any] = {"turn": turn.get("number", 0), **dict(row.data)}
        if row.button == "count" and "rack" not in data:
            data |= {"player": row.player, "rack": int(row.points)}
        self._press(row.button, data)

    def _press(self, button: str, data: dict[str, Any]) -> None:
        try:
            self._companion.press(button, data)
        except (PlayError, TimeoutError):
            return  # somebody else has pressed a button meanwhile; the demo goes on with the next picture

    def _is_read(self, frame: str) -> bool:
        live = self._state("live")
        return live["phase"] in ("read", "empty") and (live["picture"] or {}).get("name") == frame

    def _state(self, part: str) -> dict[str, Any]:
        found: dict[str, Any] = self._companion.hub.state().get(part, {"phase": "empty", "picture": None})
        return found

    def _until(self, true: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not self._stop.is_set() and not true() and time.monotonic() < end:
            self._stop.wait(0.05)

    def _wait(self, seconds: float) -> None:
        self._stop.wait(seconds * self._pace)
