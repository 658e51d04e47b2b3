"""Replaying a recorded game through the whole pipeline: what is said now against what the record says.

The pictures go through the companion as a camera's would, each at the time at which it was taken, in recorded time;
buttons are pressed when they were. Where a tile is in doubt and somebody would be asked, the record answers.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from math import inf
from typing import Any

from referee.clock import ClockPhase
from referee.layout import Layout
from referee.match import Phase
from referee.tiles import Tile
from vision.camera import Frame, Link, Tuning
from vision.pictures import load
from vision.reading import Reading, TableReader
from webui.companion import Companion
from webui.companion import Phase as Live
from webui.play import Play, PlayError
from webui.recorded import Pressed, RecordedError, RecordedFrame, RecordedGame, state_line
from webui.truth import parts_in, sets_of, truth_of
from webui.umpire import Umpire

EPOCH_MS = 1_700_000_000_000
MOVED_S = 2.0
"""How long it takes somebody to see that the camera is said to have moved, and to put it right."""
BEAT_S = 0.2
"""Recorded seconds from one picture of the camera to the next, while something happens."""
HAND_S, PATIENCE_S = 1.4, 12.0
"""How long a picture with a hand is looked at, as a hand moves on; and one at rest, until it is read."""
CLOCK_WITHIN_S = 2.0
"""By how much the clock may differ from the record: what it takes a table to come to rest."""

_READ = (Live.READ, Live.EMPTY, Live.FAILED)


@dataclass(frozen=True, slots=True)
class RowResult:
    """One row: what is different from the record, one line each; nothing if all is as it was.

    ``asked`` is how often somebody had to name a tile, or to say which sets a line of tiles is, first.
    """

    number: int
    row: Pressed
    said: str
    differences: tuple[str, ...]
    asked: int = 0

    @property
    def same(self) -> bool:
        return not self.differences

    def to_json(self) -> dict[str, Any]:
        return {
            "row": self.number,
            "player": self.row.player,
            "button": self.row.button,
            "verdict": self.said,
            "asked": self.asked,
            "differences": list(self.differences),
        }


@dataclass(slots=True)
class Looks:
    """What became of the pictures: how many show a hand, and in how many of them it was seen; of those at rest, how
    many were read as they lie, with tiles in doubt, wrong without doubt, or not in time."""

    hands: int = 0
    hands_seen: int = 0
    right: int = 0
    unsure: int = 0
    wrong: int = 0
    unread: int = 0
    """Not read before the next one came."""
    put_right: int = 0
    """How often the camera was said to have moved, and somebody tapped."""
    longest: float = 0.0
    """Recorded seconds from a picture at rest until it was read, at most."""

    def to_json(self) -> dict[str, float]:
        return {**asdict(self), "longest": round(self.longest, 2)}


class RecordedTime:
    """The time of a recorded game: it goes on by what the rows say; with ``speed`` it takes real time too."""

    def __init__(self, speed: float = 0.0) -> None:
        self.now = 0.0
        self._speed = speed

    def __call__(self) -> float:
        return self.now

    def wall(self) -> int:
        return EPOCH_MS + int(self.now * 1000)

    def go_to(self, at: float) -> None:
        if self._speed and at > self.now:
            time.sleep((at - self.now) / self._speed)
        self.now = max(self.now, at)


class RecordedCamera:
    """A camera that shows the picture it is told to, as seen at the recorded time."""

    live = False
    trouble = ""

    def __init__(self, name: str, clock: RecordedTime) -> None:
        self.name, self._clock = name, clock
        self._frame: Frame | None = None

    @property
    def link(self) -> Link:
        return Link.OPEN

    @property
    def tuning(self) -> Tuning:
        return Tuning()

    def rest(self, resting: bool) -> None:
        pass

    def show(self, game: RecordedGame, frame: RecordedFrame) -> None:
        number = self._frame.number + 1 if self._frame else 1
        path = game.path(frame.name)
        self._frame = Frame(load(path), number, self._clock.now, path)

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        if self._frame is None or self._clock.now <= after:
            time.sleep(timeout)
            return None
        self._frame = Frame(self._frame.picture, self._frame.number, self._clock.now, self._frame.path)
        return self._frame

    def close(self) -> None:
        pass


class Replay:
    """One run of a recorded game; `rows` yields its results, `looks` counts what became of the pictures.

    Args:
        speed: 1 in real time, 2 twice as fast, 0 as fast as the pictures are read.
    """

    def __init__(self, game: RecordedGame, reader: TableReader, speed: float = 0.0) -> None:
        self.game, self.looks = game, Looks()
        self._time = RecordedTime(speed)
        self._camera = RecordedCamera(game.folder.name, self._time)
        self.umpire = Umpire(Play(source=self._time, wall=self._time.wall))
        self.companion = Companion(self._camera, reader, self.umpire, clock=self._time, place=game.place)

    def rows(self) -> Iterator[RowResult]:
        """Row by row. Raises `webui.recorded.RecordedError` and `vision.pictures.PictureError`."""
        try:
            yield from self._rows()
        finally:
            self.companion.close()

    def _rows(self) -> Iterator[RowResult]:
        game = self.game
        start = {"players": list(game.players), "first": game.first}
        try:
            self.umpire.press("start", {**start, "rules": game.rules, "options": list(game.options)})
        except PlayError as error:
            raise RecordedError(f"{game.folder}: game.json: {error}") from None
        left = list(enumerate(game.rows, 1))
        row: _Row | None = None
        trouble: list[str] = []
        at = 0.0
        for n, frame in enumerate(game.frames):
            until = game.frames[n + 1].seconds if n + 1 < len(game.frames) else inf
            self._leap(frame.seconds)
            trouble += self._look_at(frame, until)
            if row is not None and not frame.hand:
                row.answer_all()
            if row is not None and not self._waits():
                yield row.result(trouble)
                row, trouble = None, []
            while left and left[0][1].frame == frame.name:
                if row is not None:
                    yield row.result([*trouble, "doubts: the table could not be judged before the next button"])
                    row, trouble = None, []
                number, pressed = left.pop(0)
                at += pressed.clock
                self._leap(at)
                row = _Row(self, number, pressed, at)
                row.press()
                if not frame.hand:
                    self._wait(min(until, at + left[0][1].clock if left else inf))
                if not (frame.hand and self._waits()):
                    yield row.result(trouble)
                    row, trouble = None, []
        if row is not None:
            yield row.result([*trouble, "doubts: the table could not be judged"])

    def _wait(self, until: float) -> None:
        """Goes on looking at the same picture as long as a button waits for it."""
        until = min(until, self._time.now + PATIENCE_S)
        while self._waits() and not (self.umpire.questions or self.umpire.asked) and self._time.now < until:
            self.step(self._time.now + BEAT_S)

    @property
    def now(self) -> float:
        """Recorded seconds."""
        return self._time.now

    def _waits(self) -> bool:
        return bool(self.umpire.document().get("waiting"))

    def _look_at(self, frame: RecordedFrame, until: float) -> list[str]:
        """Shows a picture until it is known what it shows; what is wrong with what was made of it."""
        self._camera.show(self.game, frame)
        judged, began, seen = self._judged(), self._time.now, False
        until = min(until, began + (HAND_S if frame.hand else PATIENCE_S))
        while self._time.now < until:
            self.step(self._time.now + BEAT_S)
            seen = seen or self._phase() == Live.HAND
            if self._phase() in _READ:
                break
            if self.companion.place.moved is not None and not frame.hand and self._time.now > began + MOVED_S:
                self._put_right()
        self.looks.longest = max(self.looks.longest, 0.0 if frame.hand else self._time.now - began)
        if frame.hand:
            self.looks.hands += 1
            self.looks.hands_seen += seen
            return ["hand: judged while a hand was over the table"] if self._judged() > judged else []
        if frame.table is not None:
            self._compare(frame.table)
        return []

    def _compare(self, table: Layout) -> None:
        reading = self.umpire.reading
        if reading is None:
            self.looks.unread += 1
        elif sets_of(lying(reading)) == sets_of(table):
            self.looks.right += 1
        elif truth_of(reading, table) is not None or self.umpire.asked:
            self.looks.unsure += 1
        else:
            self.looks.wrong += 1

    def _put_right(self) -> None:
        """The tap of somebody who sees that the camera is said to have moved."""
        self.looks.put_right += 1
        tap = threading.Thread(target=self.companion.put_right, daemon=True)
        tap.start()
        while tap.is_alive():
            self.companion.step(0.002)

    def step(self, at: float) -> None:
        """Time goes on, and the companion does all that it has to do."""
        self._time.go_to(at)
        self.companion.step()
        while self.companion.busy:
            self.companion.step(0.002)

    def _leap(self, at: float) -> None:
        """To a later time, at which the clock may have run out in between."""
        play = self.umpire.play
        over = play.deadline / 1000 if play.clock.left else float("inf")
        if self._time.now < over < at:
            self.step(over + 0.001)
        self._time.go_to(at)

    def _judged(self) -> int:
        return sum(e.fact.kind == "table-judged" for e in self.umpire.play.events)

    def _phase(self) -> str:
        return str(self.companion.hub.state()["live"]["phase"])


class _Row:
    """A button being pressed, until it has done what it does."""

    def __init__(self, replay: Replay, number: int, row: Pressed, at: float) -> None:
        self._replay, self._number, self._row, self._at = replay, number, row, at
        self._umpire = replay.umpire
        self._since = len(self._umpire.play.events)
        self._early: list[str] = []
        self._refused = False
        self._named: set[int] = set()
        self._parted = 0

    def press(self) -> None:
        """Presses the button, at once, and lets the record answer what is asked."""
        row, umpire, step = self._row, self._umpire, self._replay.step
        turn, clock = umpire.play.state.turn, umpire.play.clock
        if turn is not None and turn.player != row.player and row.button != "count":
            self._early.append(f"turn: it is {turn.player}'s, {row.player}'s is recorded")
        if row.left is not None and row.button != "time-over":
            left = (clock.left or 0) / 1000
            if abs(left - row.left) > CLOCK_WITHIN_S:
                self._early.append(f"clock: {left:.1f} s left, {row.left:g} recorded")
        try:
            self._press()
        except PlayError as error:
            self._refused = True
            self._early.append(f"button: {row.button} was refused: {error}")
        step(self._replay.now + 0.001)
        self.answer_all()

    def answer_all(self) -> None:
        """Names the tiles that are asked for, and says which sets lie in a line, as the record has them."""
        while self._umpire.document().get("waiting") and (self._part() or self._answer()):
            self._replay.step(self._replay.now + BEAT_S)

    def _press(self) -> None:
        umpire, row = self._umpire, self._row
        turn = umpire.play.state.turn
        data: dict[str, Any] = {"turn": turn.number if turn else 0, **dict(row.data)}
        if row.button == "time-over":
            self._since = self._until_time_over()
        elif row.button == "count" and "rack" not in data:
            umpire.press("count", {"player": row.player, "rack": int(row.points)})
        else:
            umpire.press(row.button, data)

    def _until_time_over(self) -> int:
        """The clock's own button; where it began in the record of events."""
        umpire, replay = self._umpire, self._replay
        left = umpire.play.clock.left
        if left is not None and left <= CLOCK_WITHIN_S * 1000 and umpire.play.clock.phase is ClockPhase.RUNNING:
            replay.step(umpire.play.deadline / 1000 + 0.001)
        events = umpire.play.events
        if not (umpire.play.state.turn and umpire.play.state.turn.time_over):
            raise PlayError("time-left", f"{umpire.play.clock.left} ms are left")
        number, event = max((n, e) for n, e in enumerate(events) if e.fact.kind == "time-over")
        at = (event.at - EPOCH_MS) / 1000
        if abs(at - self._at) > CLOCK_WITHIN_S:
            self._early.append(f"clock: time was over {at - self._at:+.1f} s from when it is recorded")
        return number

    def _part(self) -> bool:
        """Says of one line which sets it is, as the record has them."""
        umpire, reading = self._umpire, self._umpire.reading
        for line in umpire.asked:
            parts = parts_in(line, reading, self._row.table) if reading is not None else None
            if parts is not None:
                data = {"scene": umpire.scene, "ids": list(line.ids), "parts": [list(part) for part in parts]}
                umpire.press("part", data)
                self._parted += 1
                return True
        return False

    def _answer(self) -> bool:
        """Names one tile that is asked for, as the record has it."""
        umpire = self._umpire
        reading = umpire.reading
        truth = truth_of(reading, self._row.table) if reading is not None else None
        truth = {n: tile for n, tile in (truth or {}).items() if n not in self._named}
        question = next((q for q in umpire.questions if q.id in truth), None)
        if question is None:
            return False
        tile = truth[question.id]
        self._named.add(question.id)
        data = {"id": question.id, "scene": umpire.scene, "tile": None if tile is None else str(tile)}
        umpire.press("answer", data)
        return True

    def result(self, trouble: list[str]) -> RowResult:
        """What came of it."""
        row, umpire = self._row, self._umpire
        differences = [*trouble, *self._early]
        reading = umpire.reading
        if reading is None:
            differences.append("table: not read")
        elif sets_of(lying(reading)) != sets_of(row.table) and truth_of(reading, row.table) is None:
            differences.append(f"table: {lying(reading)} read, {row.table} recorded")
        if umpire.document().get("waiting"):
            many = len(umpire.questions) + len(umpire.asked)
            differences.append(f"doubts: {many} tiles, or lines of tiles, are not read for sure")
        elif not self._refused:
            differences += self._said_otherwise()
        return RowResult(self._number, row, self._said(), tuple(differences), len(self._named) + self._parted)

    def _said_otherwise(self) -> Iterator[str]:
        row, umpire, said = self._row, self._umpire, self._said()
        if said != row.verdict:
            yield f"verdict: {said or 'none'}, recorded {row.verdict or 'none'}"
        if row.state and (now := state_line(umpire.play.state)) != row.state:
            yield f"state: {now}, recorded {row.state}"
        counted_here = row.button == "count" and "rack" not in dict(row.data)
        if row.points and not counted_here and row.points != (points := points_line(umpire.play)):
            yield f"points: {points or 'none'}, recorded {row.points}"

    def _said(self) -> str:
        return said_since(self._umpire.play, self._since)


def replay_game(game: RecordedGame, reader: TableReader, speed: float = 0.0) -> Iterator[RowResult]:
    """`Replay.rows` of a game."""
    return Replay(game, reader, speed).rows()


def said_since(play: Play, since: int) -> str:
    """The referee's word in the events since: ``legal``, the codes of its faults, or nothing."""
    for event in reversed(play.events[since:]):
        if event.fact.kind == "table-judged":
            codes = sorted({f.code for f in event.fact.faults})  # type: ignore[attr-defined]
            return "+".join(codes) or "legal"
    return ""


def points_line(play: Play) -> str:
    """The points of the last game on the sheet: ``Anna:20 Ben:-20``."""
    state = play.state
    if state.phase is Phase.EMPTY or not state.games:
        return ""
    row = state.scores.rows[-1]
    return " ".join(f"{n}:{p}" for n, p in zip(state.players, row.points, strict=True))


def lying(reading: Reading) -> Layout:
    """All that lies on the table, a loose tile as a row of its own."""
    loose: tuple[Tile, ...] = reading.loose_tiles()
    return Layout((*reading.layout().sets, *((t,) for t in loose)))
