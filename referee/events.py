"""Events: what happened at the table, one frozen fact each, only ever appended and never changed.

An event carries its id and wall time from outside, so the same events always give the same match. Everything
else about a match is derived from them by `referee.match`. Undo and correction are events too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from referee import documents
from referee.documents import DocumentError, shown
from referee.faults import Fault
from referee.layout import Layout, TileSet
from referee.results import Rack
from referee.sheets import Direction, Sheet
from referee.tiles import Tile

LONGEST_ID = 100


class EventError(DocumentError):
    """A document that is no event; the text names the place in it."""


class Fact:
    """What an event says happened. ``kind`` is its name in JSON."""

    __slots__ = ()
    kind: ClassVar[str]

    def json(self) -> dict[str, Any]:
        """As JSON holds it: its kind and what it says; `Fact.parse` reads it back."""
        return {"kind": self.kind, **documents.write(self)}

    @staticmethod
    def parse(document: Any) -> Fact:
        """A fact from its JSON object. Raises `EventError`."""
        if not isinstance(document, Mapping):
            raise EventError("", f"an event is an object, not {shown(document)}")
        kind = document.get("kind")
        fact = FACTS.get(kind) if isinstance(kind, str) else None
        if fact is None:
            raise EventError("kind", f"no such event: {shown(kind)} (there are {', '.join(FACTS)})")
        if fact is Correction:
            inner = document.get("fact")
            if isinstance(inner, Mapping) and inner.get("kind") in _ABOUT_EVENTS:
                raise EventError("fact.kind", f"{inner['kind']} cannot be corrected: undo it")
        try:
            return documents.read(fact, {key: value for key, value in document.items() if key != "kind"})
        except DocumentError as error:
            raise EventError(error.place, error.text) from None


@dataclass(frozen=True, slots=True)
class Event:
    """One fact with its ``id`` and the wall time ``at`` (ms of the epoch), both given from outside.

    ``left`` is what the turn's clock showed then (ms), where the live clock was asked; without it the wall
    time has to do.
    """

    id: str
    at: int
    fact: Fact
    left: int | None = None

    def json(self) -> dict[str, Any]:
        """One flat object: id, at, kind and what the fact says; `Event.parse` reads it back."""
        left = {} if self.left is None else {"left": self.left}
        return {"id": self.id, "at": self.at, **left, **self.fact.json()}

    @staticmethod
    def parse(document: Any) -> Event:
        """An event from its JSON object. Raises `EventError` naming the place."""
        if not isinstance(document, Mapping):
            raise EventError("", f"an event is an object, not {shown(document)}")
        try:
            own = {key: value for key, value in document.items() if key in _OWN}
            stamp = documents.read(_Stamp, own)
        except DocumentError as error:
            raise EventError(error.place, error.text) from None
        if not 0 < len(stamp.id) <= LONGEST_ID:
            raise EventError("id", f"a text of 1 to {LONGEST_ID} characters")
        fact = Fact.parse({key: value for key, value in document.items() if key not in _OWN})
        return Event(stamp.id, stamp.at, fact, stamp.left)


@dataclass(frozen=True, slots=True)
class _Stamp:
    id: str
    at: int
    left: int | None = None


_OWN = ("id", "at", "left")


# Before the tiles are dealt


@dataclass(frozen=True, slots=True)
class Players(Fact):
    """Who plays, in the order of the score sheet, and by which rules with all their options."""

    kind = "players"
    names: tuple[str, ...]
    sheet: Sheet


@dataclass(frozen=True, slots=True)
class Seats(Fact):
    """Who sits where, clockwise as seen from above; the turns go the sheet's way round unless said here."""

    kind = "seats"
    names: tuple[str, ...]
    direction: Direction | None = None


@dataclass(frozen=True, slots=True)
class OpeningDraw(Fact):
    """One player's tile for the start (RULES.md, "who starts")."""

    kind = "opening-draw"
    player: str
    tile: Tile


@dataclass(frozen=True, slots=True)
class Deal(Fact):
    """The racks are filled and the game is on; ``first`` starts, where no opening draw has said who."""

    kind = "deal"
    first: str | None = None


# The turn. Each names its turn, so that a stale button or a second press is refused.


@dataclass(frozen=True, slots=True)
class TurnStarted(Fact):
    """The player's clock runs and the table is as the snapshot says."""

    kind = "turn-started"
    turn: int
    player: str


@dataclass(frozen=True, slots=True)
class ClockPaused(Fact):
    """The clock stands: a ruling, or dinner."""

    kind = "clock-paused"
    turn: int
    why: str = ""


@dataclass(frozen=True, slots=True)
class ClockResumed(Fact):
    """The clock goes on from where it stood."""

    kind = "clock-resumed"
    turn: int


@dataclass(frozen=True, slots=True)
class TimeOver(Fact):
    """The turn's time has run out; the table is judged as it lies."""

    kind = "time-over"
    turn: int


@dataclass(frozen=True, slots=True)
class TableJudged(Fact):
    """The referee's word on the table: without faults the turn is legal, with any the clock runs on."""

    kind = "table-judged"
    turn: int
    layout: Layout
    faults: tuple[Fault, ...] = ()
    loose: TileSet = ()


@dataclass(frozen=True, slots=True)
class Draw(Fact):
    """The player draws and the turn is over; ``tiles`` says how many, if somebody counted."""

    kind = "draw"
    turn: int
    tiles: int | None = None


@dataclass(frozen=True, slots=True)
class Penalty(Fact):
    """A broken table is restored, the player's own tiles are taken back, and these many are drawn."""

    kind = "penalty"
    turn: int
    tiles: int | None = None


@dataclass(frozen=True, slots=True)
class Pass(Fact):
    """Nothing to play and nothing to draw."""

    kind = "pass"
    turn: int


@dataclass(frozen=True, slots=True)
class Out(Fact):
    """The player's rack is empty: the game is won."""

    kind = "out"
    turn: int


# The end of a game


@dataclass(frozen=True, slots=True)
class Blocked(Fact):
    """The pool is empty and nobody can play; ``proved`` if that was looked at rather than passed round."""

    kind = "blocked"
    proved: bool = False


@dataclass(frozen=True, slots=True)
class Abandoned(Fact):
    """The game ends without wins or points and is played again: nobody can rebuild the table (001)."""

    kind = "abandoned"
    why: str = ""


@dataclass(frozen=True, slots=True)
class RacksCounted(Fact):
    """What is left on some or all of the racks; the game is on the sheet when all are in."""

    kind = "racks-counted"
    racks: tuple[tuple[str, Rack], ...]


# Putting right


@dataclass(frozen=True, slots=True)
class TableCorrected(Fact):
    """What really lies on the table. Where that is more or fewer tiles, ``player``'s rack makes up for it."""

    kind = "table-corrected"
    layout: Layout
    player: str | None = None


@dataclass(frozen=True, slots=True)
class RackCorrected(Fact):
    """How many tiles a player really holds; the pool makes up for it."""

    kind = "rack-corrected"
    player: str
    tiles: int


@dataclass(frozen=True, slots=True)
class OpeningCorrected(Fact):
    """Whether a player has really made the initial meld."""

    kind = "opening-corrected"
    player: str
    opened: bool


@dataclass(frozen=True, slots=True)
class Correction(Fact):
    """An earlier event said the wrong thing: all that follows is derived anew from what is right."""

    kind = "correction"
    event: str
    fact: Fact


@dataclass(frozen=True, slots=True)
class Undo(Fact):
    """Takes back the last event, or all from ``event`` on. The clock then stands at what it showed."""

    kind = "undo"
    event: str | None = None


@dataclass(frozen=True, slots=True)
class Redo(Fact):
    """Takes back the last undo."""

    kind = "redo"


_ABOUT_EVENTS = (Correction.kind, Undo.kind, Redo.kind)

FACTS: dict[str, type[Fact]] = {fact.kind: fact for fact in Fact.__subclasses__()}
"""Every kind of event by its name in JSON."""
