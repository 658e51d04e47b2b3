"""Tiles: the smallest value of the game, and how it is written.

Notation (stable): a tile is ``<colour><number>`` with ``k`` black, ``b`` blue, ``r`` red, ``o`` orange and the
numbers 1-13; a joker is ``j``; ``?`` could not be read, ``?6`` and ``r?`` by half.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

COLOURS = "kbro"
COLOUR_NAMES = {"k": "black", "b": "blue", "r": "red", "o": "orange"}
NUMBERS = range(1, 14)

_FORM = re.compile(r"(?P<colour>[kbro?])(?P<number>[1-9]|1[0-3]|\?)?|j")


class TileError(ValueError):
    """A text that names no tile."""


@dataclass(frozen=True, slots=True, order=True, init=False)
class Tile:
    """One tile: ``colour`` in ``kbro`` (``""`` for a joker, ``"?"`` unread), ``number`` 1-13 (0 for a joker or unread).

    Ordered by colour, then number; prints as it is written. Read it with `Tile.parse`. There is one object of
    each kind, so that tiles are compared and hashed as quickly as Python can: the judge does little else.

    >>> Tile.parse("R5"), str(Tile.parse("j")), Tile.parse("?6").readable
    (Tile.parse('r5'), 'j', False)
    """

    colour: str
    number: int

    JOKER: ClassVar[Tile]
    UNREAD: ClassVar[Tile]

    def __new__(cls, colour: str, number: int) -> Tile:
        """The tile of that colour and number. Raises `TileError`."""
        try:
            return _KINDS[colour, number]
        except (KeyError, TypeError):
            raise TileError(f"no such tile: colour {colour!r:.40}, number {number!r:.40}") from None

    __hash__ = object.__hash__
    __eq__ = object.__eq__

    def __reduce__(self) -> tuple[type[Tile], tuple[str, int]]:
        # A copy, or one from another process, is the same object.
        return Tile, (self.colour, self.number)

    @classmethod
    def parse(cls, text: str) -> Tile:
        """Read one tile; upper case is accepted. Raises `TileError` naming the text."""
        if not isinstance(text, str):
            raise TileError(f"a tile is a text such as r5 or j, not {text!r:.40}")
        form = _FORM.fullmatch(text.strip().lower())
        if form is None:
            raise TileError(f"no such tile: {text!r:.40} (a colour of k b r o and a number 1-13, or j)")
        if form.group() == "j":
            return cls("", 0)
        colour, number = form.group("colour"), form.group("number")
        if number is None:
            if colour != "?":
                raise TileError(f"no such tile: {text!r:.40} (the number is missing)")
            return cls("?", 0)
        return cls(colour, 0 if number == "?" else int(number))

    @property
    def is_joker(self) -> bool:
        return self.colour == ""

    @property
    def readable(self) -> bool:
        """Whether number and colour are both known; a joker is."""
        return self.is_joker or (self.colour != "?" and self.number != 0)

    def __str__(self) -> str:
        return _TEXTS[self]

    def __repr__(self) -> str:
        return f"Tile.parse({str(self)!r})"


def _kind(colour: str, number: int) -> Tile:
    kind = object.__new__(Tile)
    object.__setattr__(kind, "colour", colour)
    object.__setattr__(kind, "number", number)
    return kind


_FORMS = [("", 0), *((colour, number) for colour in ("?", *COLOURS) for number in (0, *NUMBERS))]
_KINDS = {form: _kind(*form) for form in _FORMS}


def _written(tile: Tile) -> str:
    if tile.is_joker:
        return "j"
    return "?" if tile == Tile("?", 0) else f"{tile.colour}{tile.number or '?'}"


_TEXTS = {kind: _written(kind) for kind in _KINDS.values()}

Tile.JOKER = Tile("", 0)
Tile.UNREAD = Tile("?", 0)

ALL_TILES: tuple[Tile, ...] = (*(Tile(c, n) for c in COLOURS for n in NUMBERS), Tile.JOKER)
"""The 53 kinds of tile a box holds."""
