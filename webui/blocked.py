"""Is anybody really blocked? Asked of `referee.moves` with all racks open, in its own thread, for a bounded time."""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from referee.layout import Layout, TileSet
from referee.moves import MovesError, Position, any_play, best_play
from referee.sheets import Sheet
from referee.tiles import Tile

LIMIT_S = 30.0
"""How long people wait for an answer."""
NODES = (200, 2_000, 20_000)
"""A player's position is searched with more and more effort; between two of these it can be given up."""
GENTLE_NODES = 300


@dataclass(frozen=True, slots=True)
class Question:
    """The table and every rack of a game, as they lie open."""

    table: Layout
    racks: tuple[tuple[str, TileSet], ...]
    sheet: Sheet
    opened: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What one player could have laid, in which sets of the table after it; ``playable`` None: not known."""

    name: str
    playable: bool | None
    played: TileSet = ()
    sets: tuple[TileSet, ...] = ()


def search(question: Question, give_up: Callable[[], bool]) -> tuple[Answer, ...]:
    """Every player's answer, those not come to in time with ``playable`` None.

    Raises:
        MovesError: where such racks and such a table cannot be together.
    """
    check_copies(question)
    return tuple(_answer(question, name, rack, give_up) for name, rack in question.racks)


def check_copies(question: Question) -> None:
    """Refuses more equal tiles than the box holds. Raises `MovesError`."""
    there: Counter[Tile] = Counter(question.table.tiles)
    for name, rack in question.racks:
        for tile in rack:
            there[tile] += 1
            most = question.sheet.jokers if tile.is_joker else question.sheet.copies
            if there[tile] > most:
                raise MovesError(name, f"{tile} number {there[tile]}; the box holds {most}")


def _answer(question: Question, name: str, rack: TileSet, give_up: Callable[[], bool]) -> Answer:
    position = Position(question.table, rack, question.sheet, name in question.opened)
    for nodes in NODES:
        if give_up():
            break
        play = any_play(position, nodes)
        if play.playable:
            # People are shown the one that moves least of the table, where it is soon found.
            gentle = best_play(position, most_nodes=GENTLE_NODES)
            play = gentle if gentle.playable else play
            new = Counter(play.table.sets) - Counter(question.table.sets)
            return Answer(name, True, play.played, tuple(new.elements()))
        if play.optimal:
            return Answer(name, False)
    return Answer(name, None)


Search = Callable[[Question, Callable[[], bool]], tuple[Answer, ...]]


class BlockedCheck:
    """One question at a time. `ask` starts, `tick` says whether there is news; both in one thread, the companion's."""

    def __init__(
        self, search: Search = search, limit_s: float = LIMIT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._search, self._limit, self._clock = search, limit_s, clock
        self._done: queue.SimpleQueue[tuple[int, tuple[Answer, ...] | MovesError]] = queue.SimpleQueue()
        self._number = 0
        self._deadline = 0.0
        self.question: Question | None = None
        self.answers: tuple[Answer, ...] = ()
        self.state = ""
        """Nothing, ``running``, ``done``, ``late`` (not known in time) or ``refused``."""
        self.message = ""

    def ask(self, question: Question) -> None:
        """Starts to search; an older question is forgotten."""
        self.forget()
        self.question, self.state = question, "running"
        self._deadline = deadline = self._clock() + self._limit
        number = self._number

        def work() -> None:
            try:
                answers: tuple[Answer, ...] | MovesError = self._search(
                    question, lambda: self._number != number or self._clock() > deadline
                )
            except MovesError as error:
                answers = error
            self._done.put((number, answers))

        threading.Thread(target=work, name="blocked", daemon=True).start()

    def forget(self) -> None:
        """There is no question any more; a search that still runs gives up by itself."""
        self._number += 1
        self.question, self.answers, self.state, self.message = None, (), "", ""

    def tick(self) -> bool:
        """Whether something has come of it."""
        if self.state != "running":
            return False
        while True:
            try:
                number, answers = self._done.get_nowait()
            except queue.Empty:
                break
            if number != self._number:
                continue
            if isinstance(answers, MovesError):
                self.state, self.message = "refused", str(answers)
            else:
                late = any(a.playable is None for a in answers) and self._clock() > self._deadline
                self.state, self.answers = "late" if late else "done", answers
            return True
        if self._clock() > self._deadline + 1:
            self.state = "late"
            self._number += 1
            return True
        return False

    @property
    def blocked(self) -> bool | None:
        """True: proved that nobody can play. False: somebody can. None: not known."""
        if any(a.playable for a in self.answers):
            return False
        return True if self.answers and all(a.playable is False for a in self.answers) else None

    def document(self) -> dict[str, Any]:
        """As the page shows it."""
        return {
            "state": self.state,
            "message": self.message,
            "blocked": self.blocked,
            "answers": [
                {
                    "name": a.name,
                    "playable": a.playable,
                    "played": [str(t) for t in a.played],
                    "sets": [[str(t) for t in row] for row in a.sets],
                }
                for a in self.answers
            ],
        }
