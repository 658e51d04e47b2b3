"""The umpire: joins the table as it is read with the match that is played on it.

A button that needs the table waits until it lies still, is read, and nothing on it is in doubt; only then the referee
is asked. The umpire lives in the companion's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from referee.match import Phase
from referee.results import Rack, ScoreError
from referee.sheets import SheetError, chosen
from referee.snapshot import Snapshot
from referee.tiles import Tile, TileError
from vision.reading import Reading
from webui.answers import Answer, answer_for, with_answers
from webui.match_view import match_document
from webui.play import Play, PlayError, Table

WAITS = ("end", "draw")
"""Buttons that need the table at rest."""

TIME_OVER = "time-over"


class Umpire:
    """`see` tells it what lies on the table, `press` what somebody wants, `tick` that time goes by."""

    def __init__(self, play: Play | None = None, new_play: Callable[[], Play] = Play) -> None:
        self.play = play or new_play()
        self._new_play = new_play
        self.reading: Reading | None = None
        """The table at rest, corrected by what people answered; None while it is not known."""
        self.scene = 0
        self._raw: Reading | None = None
        self._answers: tuple[Answer, ...] = ()
        self._waiting = ""
        self._notice = ""
        self._snapshot: tuple[int, Snapshot] | None = None

    @property
    def doubts(self) -> tuple[int, ...]:
        """The tiles somebody has to name before the referee can say anything."""
        if self.reading is None:
            return ()
        return tuple(t.id for t in self.reading.tiles if t.unsure or not t.tile.readable)

    def see(self, reading: Reading | None, scene: int) -> None:
        """The table came to rest and was read, or (None) is not known any more."""
        self._raw, self.scene = reading, scene
        if reading is None:
            self.reading = None
            return
        self.reading, self._answers = with_answers(reading, self._answers)
        self._decide()

    def tick(self) -> None:
        """Calls out the end of the turn's time, once; the table is judged as soon as it is known."""
        if self.play.tick():
            self._waiting = TIME_OVER
            self._decide()

    def press(self, button: str, data: Mapping[str, Any]) -> None:
        """One button. Raises `PlayError` with the reason where it does nothing now."""
        self._notice = ""
        if button == "answer":
            self._answer(data)
            return
        act = self._buttons().get(button)
        if act is None:
            raise PlayError("no-such-button", f"there is no button {button!r:.40}")
        if button not in ("start", "new", "deal", "count", "rack", "undo", "redo"):
            self.play.on_turn(_whole(data, "turn"))
        act(data)
        self._remember()

    def document(self) -> dict[str, Any]:
        """The part of the state that is the match."""
        snapshot = self._snapshot
        turn = self.play.state.turn
        lay = snapshot[1] if snapshot and turn and snapshot[0] == turn.number else None
        doubts = self.doubts if self._waiting else ()
        document = match_document(self.play, self.reading, lay, self._waiting, self._notice, len(doubts))
        return {**document, "doubts": list(doubts)}

    def _buttons(self) -> dict[str, Callable[[Mapping[str, Any]], None]]:
        play = self.play
        return {
            "start": self._start,
            "new": self._new,
            "deal": lambda data: play.deal(_text(data, "first")),
            "end": lambda data: self._wait("end"),
            "draw": self._draw,
            "pass": self._draw,
            "wait-no-more": lambda data: self._wait(""),
            "penalty": lambda data: play.penalty(),
            "out": lambda data: play.out(),
            "pause": lambda data: play.pause(),
            "resume": lambda data: play.resume(),
            "undo": self._undo,
            "redo": lambda data: play.redo(),
            "blocked": lambda data: play.blocked(),
            "abandon": lambda data: play.abandon("the table cannot be rebuilt"),
            "count": self._count,
            "rack": lambda data: play.correct_rack(_text(data, "player"), _whole(data, "tiles")),
        }

    def _start(self, data: Mapping[str, Any]) -> None:
        names = data.get("players")
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise PlayError("players", "who plays? give at least two names")
        names = [" ".join(n.split()) for n in names]
        try:
            sheet = chosen(data.get("rules", "classic"), data.get("options", []))
        except SheetError as error:
            raise PlayError("rules", str(error)) from None
        self.play.start(names, sheet, " ".join(_text(data, "first").split()))

    def _new(self, data: Mapping[str, Any]) -> None:
        """Another match at this table; one that is not finished is left only if that is said."""
        if self.play.state.phase not in (Phase.EMPTY, Phase.FINISHED) and data.get("anyway") is not True:
            raise PlayError("match-running", "this match is not finished: really begin another?")
        self.play, self._snapshot, self._waiting = self._new_play(), None, ""

    def _draw(self, data: Mapping[str, Any]) -> None:
        turn = self.play.state.turn
        if turn is not None and turn.time_over:
            self.play.draw()
        else:
            self._wait("draw")

    def _undo(self, data: Mapping[str, Any]) -> None:
        self._waiting = ""
        self.play.undo()

    def _count(self, data: Mapping[str, Any]) -> None:
        try:
            rack = Rack.parse(data.get("rack"))
        except ScoreError as error:
            raise PlayError("racks", str(error)) from None
        self.play.count(_text(data, "player"), rack)

    def _wait(self, button: str) -> None:
        self._waiting = button
        self._decide()

    def _decide(self) -> None:
        """Does what was waited for, once the table is known for sure."""
        reading = self.reading
        if not self._waiting or reading is None or self.doubts:
            return
        waited, self._waiting = self._waiting, ""
        table = Table(reading.layout(), reading.loose_tiles())
        try:
            if waited == "end":
                self.play.end(table)
            elif waited == "draw":
                self.play.draw(table)
            else:
                self.play.time_over(table)
        except PlayError as error:
            self._notice = str(error)
        self._remember()

    def _answer(self, data: Mapping[str, Any]) -> None:
        """A tile is what somebody says it is."""
        if self._raw is None or self.reading is None or _whole(data, "scene") != self.scene:
            raise PlayError("stale-table", "the table has changed since: look again")
        number = _whole(data, "id")
        try:
            tile = Tile.parse(_text(data, "tile"))
            answer = answer_for(self._raw, number, tile)
        except TileError as error:
            raise PlayError("no-such-tile", str(error)) from None
        except KeyError:
            raise PlayError("no-such-tile", f"there is no tile {number} in this picture") from None
        if not tile.readable:
            raise PlayError("no-such-tile", f"{tile} names no tile")
        others = tuple(a for a in self._answers if not a.meant(self._raw[number]))
        self._answers = (*others, answer)
        self.see(self._raw, self.scene)

    def _remember(self) -> None:
        """Keeps how the table lay when the turn began."""
        turn = self.play.state.turn
        if turn is None or (self._snapshot is not None and self._snapshot[0] == turn.number):
            return
        if self.reading is not None and self.reading.layout() == turn.before and not self.reading.loose:
            self._snapshot = (turn.number, Snapshot.of(self.reading.to_json()))


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise PlayError("bad-request", f"{key} is missing")
    return value


def _whole(data: Mapping[str, Any], key: str) -> int:
    value = data.get(key)
    if type(value) is not int:
        raise PlayError("bad-request", f"{key} is missing")
    return value
