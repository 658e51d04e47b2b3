"""Replaying a recorded game through reader, umpire and referee: what is said now against what the record says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from referee.layout import Layout
from referee.match import Phase
from vision.pictures import load
from vision.reading import TableReader
from webui.play import Play, PlayError
from webui.recorded import Pressed, RecordedGame
from webui.umpire import Umpire

EPOCH_MS = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class RowResult:
    """One row: what is different from the record, one line each; nothing if all is as it was."""

    number: int
    row: Pressed
    said: str
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        return not self.differences

    def to_json(self) -> dict[str, Any]:
        return {
            "row": self.number,
            "player": self.row.player,
            "button": self.row.button,
            "verdict": self.said,
            "differences": list(self.differences),
        }


class RecordedTime:
    """The time of a recorded game: it goes on by what the rows say."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> int:
        return EPOCH_MS + int(self.now * 1000)


def replay_game(game: RecordedGame, reader: TableReader) -> Iterator[RowResult]:
    """Row by row. Raises `webui.recorded.RecordedError` and `vision.pictures.PictureError`."""
    time = RecordedTime()
    play = Play(source=time, wall=time.wall)
    umpire = Umpire(play)
    umpire.press(
        "start",
        {"players": list(game.players), "first": game.first, "rules": game.rules, "options": list(game.options)},
    )
    for number, row in enumerate(game.rows, 1):
        path = game.path(row.frame)
        # The hand was there between the rows, so nothing is known of the table until it is read again.
        umpire.lose_sight()
        time.now += row.clock
        umpire.see(reader.read(load(path), str(path)), number, still=True)
        yield RowResult(number, row, *_pressed(umpire, row))


def _pressed(umpire: Umpire, row: Pressed) -> tuple[str, tuple[str, ...]]:
    """Presses the button of a row: what was said, and what differs from the record."""
    differences = []
    reading, state = umpire.reading, umpire.play.state
    assert reading is not None
    seen = Layout((*reading.layout().sets, *((t,) for t in reading.loose_tiles())))
    if sets_of(seen) != sets_of(row.table):
        differences.append(f"table: {seen} read, {row.table} recorded")
    if state.turn is not None and state.turn.player != row.player:
        differences.append(f"turn: it is {state.turn.player}'s, {row.player}'s is recorded")
    events_before = len(umpire.play.events)
    try:
        _press(umpire, row)
    except PlayError as error:
        return "", (*differences, f"button: {row.button} was refused: {error}")
    if umpire.questions and umpire.document().get("waiting"):
        return "", (*differences, f"doubts: {len(umpire.questions)} tiles are not read for sure")
    said = _said(umpire, events_before)
    if said != row.verdict:
        differences.append(f"verdict: {said or 'none'}, recorded {row.verdict or 'none'}")
    if row.points and row.button != "count" and row.points != (points := _points(umpire)):
        differences.append(f"points: {points}, recorded {row.points}")
    return said, tuple(differences)


def _press(umpire: Umpire, row: Pressed) -> None:
    turn = umpire.play.state.turn
    data: dict[str, Any] = {"turn": turn.number if turn else 0}
    if row.button == "time-over":
        umpire.tick()
        if not (turn and umpire.play.state.turn and umpire.play.state.turn.time_over):
            raise PlayError("time-left", f"{umpire.play.clock.left} ms are left")
    elif row.button == "count":
        umpire.press("count", {"player": row.player, "rack": int(row.points)})
    else:
        umpire.press(row.button, data)


def _said(umpire: Umpire, since: int) -> str:
    """The referee's word in the events since: ``legal``, the codes of its faults, or nothing."""
    for event in reversed(umpire.play.events[since:]):
        if event.fact.kind == "table-judged":
            codes = sorted({f.code for f in event.fact.faults})  # type: ignore[attr-defined]
            return "+".join(codes) or "legal"
    return ""


def _points(umpire: Umpire) -> str:
    state = umpire.play.state
    if state.phase is Phase.EMPTY or not state.games:
        return ""
    row = state.scores.rows[-1]
    return " ".join(f"{n}:{p}" for n, p in zip(state.players, row.points, strict=True))


def sets_of(layout: Layout) -> list[list[str]]:
    """A layout without the order of its sets and of the tiles in them: what a game depends on."""
    return sorted(sorted(map(str, row)) for row in layout.sets)
