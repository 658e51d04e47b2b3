"""Faults: what can be wrong with a turn, each with a stable code (RULES.md, "Judging a turn").

`set_faults` names everything that is wrong with one row; `referee.judge` finds the faults of a whole turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from referee.layout import TileSet
from referee.sets import LEAST, LONGEST_GROUP, LONGEST_RUN, readings
from referee.tiles import COLOUR_NAMES, Tile

CODES = (
    "set-too-short",
    "group-colour-twice",
    "group-too-long",
    "run-gap",
    "run-wraps",
    "run-off-end",
    "mixed-set",
    "tile-left-table",
    "too-many-copies",
    "nothing-played",
    "opening-too-low",
    "opening-touched-table",
    "joker-before-opening",
    "joker-not-replayed",
    "joker-needs-rack-tiles",
    "joker-set-disturbed",
    "joker-wrong-replacement",
    "more-than-rack",
    "unread-tile",
)
"""Every code a fault may have; the last is for a row with a tile that nobody has named yet."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its code, the tiles it concerns, one plain sentence.

    ``set`` is the place of the set in the layout after the turn, ``before`` in the one before it.
    """

    code: str
    tiles: TileSet
    message: str
    set: int | None = None
    before: int | None = None

    def document(self) -> dict[str, Any]:
        """As JSON holds it; ``before`` only where it says something."""
        document: dict[str, Any] = {"code": self.code, "set": self.set, "tiles": [str(t) for t in self.tiles]}
        if self.before is not None:
            document["before"] = self.before
        return {**document, "message": self.message}


def text(tiles: Iterable[Tile]) -> str:
    """Tiles as a sentence names them: ``r9 k9``."""
    return " ".join(map(str, tiles))


def set_faults(row: TileSet, place: int | None = None) -> tuple[Fault, ...]:
    """Everything that keeps a row from being a set; nothing for a legal one. ``place``: its index.

    >>> [f.code for f in set_faults(tuple(map(Tile.parse, ("r12", "r13", "r1"))))]
    ['run-wraps']
    """

    def fault(code: str, message: str, tiles: Iterable[Tile] = row) -> Fault:
        return Fault(code, tuple(tiles), message, place)

    unread = [t for t in row if not t.readable]
    if unread:
        return (fault("unread-tile", f"{text(row)}: {text(unread)} could not be read; say what it is.", unread),)
    if len(row) < LEAST:
        what = "one tile is" if len(row) == 1 else "two tiles are"
        return (fault("set-too-short", f"{text(row)}: {what} no set; it takes three or more."),)
    if readings(row):
        return ()
    plain = [t for t in row if not t.is_joker]
    colours, numbers = Counter(t.colour for t in plain), Counter(t.number for t in plain)
    if len(numbers) == 1:
        return tuple(_group_faults(row, plain, colours, fault))
    if len(colours) > 1:
        return (fault("mixed-set", f"{text(row)}: neither one number in several colours nor one colour."),)
    if len(row) > LONGEST_RUN and max(numbers.values(), default=1) == 1:
        return (fault("run-off-end", f"{text(row)}: the run goes on beyond 1 or 13."),)
    if _wraps(len(row), numbers):
        return (fault("run-wraps", f"{text(row)}: 1 is low, no run goes from 13 to 1."),)
    twice = [t for t in plain if numbers[t.number] > 1]
    if twice:
        return (fault("run-gap", f"{text(row)}: the run holds {twice[0]} more than once."),)
    return (fault("run-gap", f"{text(row)}: the numbers are not consecutive."),)


def _group_faults(row: TileSet, plain: list[Tile], colours: Counter[str], fault: Any) -> Iterable[Fault]:
    for colour, count in colours.items():
        if count > 1:
            name = COLOUR_NAMES[colour]
            tiles = [t for t in plain if t.colour == colour]
            yield fault("group-colour-twice", f"{text(row)}: {name} is in the group more than once.", tiles)
    if len(row) > LONGEST_GROUP:
        yield fault("group-too-long", f"{text(row)}: a group has four tiles at most.")


def _wraps(length: int, numbers: Counter[int]) -> bool:
    """Whether the numbers fit a stretch of that length only if 1 follows 13."""
    if max(numbers.values(), default=1) > 1 or length > LONGEST_RUN:
        return False
    for start in range(1, LONGEST_RUN + 1):
        stretch = {(start + i - 1) % LONGEST_RUN + 1 for i in range(length)}
        if numbers.keys() <= stretch:
            return True
    return False
