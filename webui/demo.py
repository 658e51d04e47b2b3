"""The demo: a recorded game played before the companion, its pictures shown and its buttons pressed, over and over.

Everything between is real: the pictures are read, the table has to come to rest, the referee judges. As soon as a
person presses a button the demo presses none any more, and says so; it goes on where the game still stands as it
would have it, or starts again.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from referee.clock import ClockPhase, ClockState
from referee.match import MatchState, Phase
from vision.camera import CameraError, Shot
from vision.pictures import PictureError, load
from webui.companion import Companion
from webui.play import PlayError
from webui.recorded import Pressed, RecordedGame, state_line

BEAT_S = 0.1
PATIENCE_S = 60.0
CLOCK_PATIENCE_S = 300.0
"""How long a turn's time is waited for where the record says that it ran out."""


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


class Wish(StrEnum):
    """What people may ask of a demo that they have taken over."""

    GO_ON = "go-on"
    AGAIN = "again"


class AgainError(Exception):
    """The game starts anew: somebody wants it, or it does not stand as it was recorded."""


class Autopilot:
    """Plays the game at `pace`: 1 gives people time to look, 0 goes as fast as the pictures are read."""

    def __init__(self, companion: Companion, source: ShownFrames, game: RecordedGame, pace: float = 1.0) -> None:
        self._companion, self._source, self._game, self._pace = companion, source, game, pace
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="autopilot", daemon=True)
        self._guests = 0
        """How many presses of people it knows of."""
        self._stands: MatchState = companion.umpire.play.state
        """The match as the demo left it."""
        self._due: Pressed | None = None
        """The row that is next, or being pressed."""
        self._done: Pressed | None = None
        """The row that somebody has pressed instead of the demo."""
        self._wish: Wish | None = None
        self.games_played = 0
        self._tell(True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(timeout=2.0)

    def ask(self, wish: Wish) -> None:
        """What somebody wants who has taken over; nothing while the demo plays."""
        self._wish = wish

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._play()
                self.games_played += 1
                self._wait(15.0)
            except AgainError:
                continue

    def _play(self) -> None:
        game = self._game
        self._due = None
        if self._companion.umpire.play.state.phase is not Phase.EMPTY:
            self._press("new", {"anyway": True})
        start: dict[str, Any] = {"players": list(game.players), "first": game.first}
        self._press("start", {**start, "rules": game.rules, "options": list(game.options)})
        for frame in game.frames:
            self._source.show(game.path(frame.name))
            rows = [row for row in game.rows if row.frame == frame.name]
            self._due = rows[0] if rows else None
            if not frame.hand:
                self._until(partial(self._is_read, frame.name))
                self._until(self._settled)
            self._wait(1.5)
            for row in rows:
                self._press_row(row)
                if frame.hand:  # it is judged when the hand has left
                    self._wait(1.5)
                    continue
                self._until(self._settled)
                self._wait(2.5)
                self._check(row)
            if self._stop.is_set():
                return

    def _press_row(self, row: Pressed) -> None:
        self._due = row
        turn = self._companion.umpire.play.state.turn
        if row is self._done:
            return
        if turn is not None and turn.player != row.player:
            raise AgainError
        if row.button == "time-over":
            self._until(self._time_is_over, CLOCK_PATIENCE_S)
            return
        data: dict[str, Any] = {"turn": turn.number if turn else 0, **dict(row.data)}
        if row.button == "count" and "rack" not in data:
            data |= {"player": row.player, "rack": int(row.points)}
        self._press(row.button, data)

    def _check(self, row: Pressed) -> None:
        self._look_up()
        if row.state and not self._stands_after(row) and not self._stop.is_set():
            raise AgainError

    def _press(self, button: str, data: dict[str, Any]) -> None:
        self._look_up()
        try:
            self._companion.press(button, data, guest=False)
        except (PlayError, TimeoutError):
            return  # whether all is as recorded is seen by what comes of it

    def _stands_after(self, row: Pressed) -> bool:
        return bool(row.state) and state_line(self._companion.umpire.play.state) == row.state

    def _look_up(self) -> None:
        """Nothing where nobody has pressed a button. Else the game is theirs, until they let the demo go on.

        Raises `AgainError` where they want it to start again.
        """
        stands = self._companion.umpire.play.state
        if self._companion.guests == self._guests:
            self._stands = stands
            return
        self._wish = None
        while not self._stop.is_set():
            in_step = self._in_step()
            self._tell(False, in_step)
            wish, self._wish = self._wish, None
            if wish is Wish.AGAIN or (wish is Wish.GO_ON and in_step):
                break
            self._stop.wait(0.05)
        self._guests = self._companion.guests
        self._tell(True)
        if wish is Wish.AGAIN:
            raise AgainError
        self._done = self._due if self._elsewhere() else None
        self._let_time_run()

    def _in_step(self) -> bool:
        """Whether the demo can go on: the match stands as it left it, or as its next press would leave it."""
        if not self._settled():
            return False
        return not self._elsewhere() or (self._due is not None and self._stands_after(self._due))

    def _elsewhere(self) -> bool:
        now, then = (replace(s, clock=ClockState()) for s in (self._companion.umpire.play.state, self._stands))
        return now != then

    def _let_time_run(self) -> None:
        """A clock that people have stopped, or an undo."""
        turn = self._companion.umpire.play.state.turn
        if turn is not None and self._companion.umpire.play.clock.phase is ClockPhase.PAUSED:
            self._press("resume", {"turn": turn.number})

    def _tell(self, plays: bool, in_step: bool = True) -> None:
        self._companion.hub.publish("demo", {"plays": plays, "in_step": in_step})

    def _settled(self) -> bool:
        return not self._state("match").get("waiting")

    def _time_is_over(self) -> bool:
        turn = self._companion.umpire.play.state.turn
        return turn is None or turn.time_over

    def _is_read(self, frame: str) -> bool:
        live = self._state("live")
        return live["phase"] in ("read", "empty") and (live["picture"] or {}).get("name") == frame

    def _state(self, part: str) -> dict[str, Any]:
        found: dict[str, Any] = self._companion.hub.state().get(part, {"phase": "empty", "picture": None})
        return found

    def _until(self, true: Callable[[], bool], patience: float = PATIENCE_S) -> None:
        end = time.monotonic() + patience
        while not self._stop.is_set() and not true() and time.monotonic() < end:
            self._look_up()
            self._stop.wait(0.05)

    def _wait(self, seconds: float) -> None:
        begun = time.monotonic()
        while not self._stop.is_set():
            self._look_up()
            if time.monotonic() >= begun + seconds * self._pace:
                return
            self._stop.wait(0.05)
