"""Leading the hands back: how the table lay when the last turns began, with its picture, and the guide to it.

The guide is there when time was over on a broken table; and while a turn is played for whoever wants to take a
rearrangement back ("Show how it was"), at no cost.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from referee.match import MatchState, Stage
from referee.snapshot import Placed, Snapshot
from referee.state import Turn
from vision.camera import Picture
from vision.reading import Reading
from vision.table import moved_quad
from webui.guide import Guide
from webui.play import PlayError

KEPT = 4
"""Turns whose beginning is kept: so many can be taken back one after the other with their pictures."""
WIDTH, QUALITY = 1280, 80


@dataclass(frozen=True, slots=True)
class Start:
    """How a turn began: the table as it lies in the camera's picture now, and as it lay in ``jpeg``."""

    lay: Snapshot
    was: Snapshot
    jpeg: bytes | None = None
    size: tuple[int, int] = (0, 0)
    """Width and height of the picture in which ``was`` has its outlines."""
    name: str = ""
    """Its own in every game and match, so that no browser shows an old one."""


class Restoring:
    """What is known of the way back. Lives in the companion's thread; only `jpeg` is asked from others."""

    def __init__(self) -> None:
        self._starts: dict[int, Start] = {}
        self._asked = 0
        self._moved_in = 0
        """The turn in which the table was seen to be another than when it began."""
        self._guide: tuple[int, Snapshot, Guide] | None = None

    @property
    def guide(self) -> Guide | None:
        return self._guide[2] if self._guide is not None else None

    def keep(self, turn: int, lay: Snapshot, picture: Picture | None) -> None:
        """The table as it lies when a turn begins, and the picture in which it was read."""
        jpeg, size = (None, (0, 0)) if picture is None else (encode(picture), (picture.shape[1], picture.shape[0]))
        self._starts[turn] = Start(lay, lay, jpeg, size, secrets.token_hex(4))
        for old in sorted(self._starts)[:-KEPT]:
            del self._starts[old]

    def moved(self, move: Callable[[Snapshot], Snapshot]) -> None:
        """The camera was nudged; ``move`` says how a snapshot lies in its picture now."""
        self._starts = {n: replace(s, lay=move(s.lay)) for n, s in self._starts.items()}
        if self._guide is not None:
            turn, lay, guide = self._guide
            guide.moved(move)
            self._guide = turn, move(lay), guide

    def ask(self, state: MatchState, wanted: bool) -> None:
        """Somebody wants to see how it was, or no longer. Raises `PlayError` where there is no way back."""
        if wanted and not may_ask(state):
            raise PlayError("wrong-phase", "there is nothing to take back now")
        self._asked = state.turn.number if wanted and state.turn is not None else 0

    def follow(self, state: MatchState, reading: Reading | None) -> None:
        """The match went on, or the table was read and is known well enough to say something (else None)."""
        turn = state.turn
        if turn is not None and reading is not None and reading.layout() != turn.before:
            self._moved_in = turn.number
        if turn is None or not (must(turn) or (turn.number == self._asked and may_ask(state))):
            self._guide = None
            self._asked = 0 if turn is None or turn.number != self._asked else self._asked
            return
        start = self._start(turn)
        lay = start.lay if start is not None else Snapshot.of_layout(turn.before)
        if self._guide is None or self._guide[:2] != (turn.number, lay):
            self._guide = turn.number, lay, Guide(lay, start.was if start is not None else None)
        if reading is not None:
            self._guide[2].see(reading)

    def _start(self, turn: Turn) -> Start | None:
        """How a turn began, unless the table was corrected since."""
        start = self._starts.get(turn.number)
        return start if start is not None and start.lay.layout == turn.before else None

    def jpeg(self, turn: int) -> bytes | None:
        """The picture of the table when that turn began."""
        start = self._starts.get(turn)
        return start.jpeg if start is not None else None

    def view(self, state: MatchState, known: bool) -> dict[str, Any] | None:
        """How to put the table back, as the page shows it; None where there is nothing to put back.

        Only ``offer``: something was moved in this turn, and somebody may want to see how it was.
        ``still``: whether the table lies still and is read. ``snapshot``: the picture of the turn's beginning,
        else None. ``penalty``: how many tiles are ``owed``, how many the rules ask for (``asked``), how many
        the ``pool`` holds; None where it costs nothing.
        """
        turn, guide = state.turn, self.guide
        if turn is None or guide is None:
            offered = turn is not None and turn.number == self._moved_in and may_ask(state)
            return {"offer": True} if offered else None
        start = self._start(turn)
        penalty = {"owed": state.owes, "asked": state.rules.broken_table_draw, "pool": state.pool}
        return {
            **guide.document(),
            "read": guide.way is not None,
            "still": known,
            "player": turn.player,
            "penalty": penalty if must(turn) else None,
            "snapshot": None
            if start is None or start.jpeg is None
            else {"turn": turn.number, "name": start.name, "width": start.size[0], "height": start.size[1]},
        }


def moved_lay(lay: Snapshot, homography: np.ndarray) -> Snapshot:
    """A snapshot's places after the camera was nudged."""

    def there(placed: Placed) -> Placed:
        return placed if placed.quad is None else replace(placed, quad=moved_quad(placed.quad, homography))

    return Snapshot(tuple(tuple(map(there, row)) for row in lay.sets), tuple(map(there, lay.loose)))


def must(turn: Turn) -> bool:
    """Whether the table has to be put back."""
    return turn.stage is Stage.BROKEN and turn.time_over


def may_ask(state: MatchState) -> bool:
    """Whether a player may want to take back what was done in this turn."""
    turn = state.turn
    return turn is not None and not turn.time_over and turn.stage in (Stage.PLAYING, Stage.BROKEN)


def encode(picture: Picture) -> bytes:
    """A picture as JPEG, no wider than `WIDTH`."""
    scale = WIDTH / picture.shape[1]
    shrunk = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    good, data = cv2.imencode(".jpg", shrunk, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("the picture cannot be encoded")
    return bytes(data)
