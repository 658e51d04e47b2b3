"""What a button's data says, made from what a page sent. Each raises `PlayError` where it says nothing of use."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from typing import Any

from referee.match import MatchState
from referee.results import Rack, ScoreError
from referee.tiles import ALL_TILES, Tile, TileError
from webui.play import PlayError


def text_in(data: Mapping[str, Any], key: str) -> str:
    """A text that has to be there."""
    value = data.get(key)
    if not isinstance(value, str):
        raise PlayError("bad-request", f"{key} is missing")
    return value


def whole_in(data: Mapping[str, Any], key: str) -> int:
    """A whole number that has to be there."""
    value = data.get(key)
    if type(value) is not int:
        raise PlayError("bad-request", f"{key} is missing")
    return value


def names_in(data: Mapping[str, Any]) -> list[str]:
    """The players, their names without spaces that say nothing."""
    names = data.get("players")
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise PlayError("players", "who plays? give at least two names")
    return [" ".join(n.split()) for n in names]


def rack_in(data: Mapping[str, Any]) -> Rack:
    """What is left on a rack: its tiles, or its points."""
    try:
        return Rack.parse(data.get("rack"))
    except ScoreError as error:
        raise PlayError("racks", str(error)) from None


def drawn_in(data: Mapping[str, Any], state: MatchState, before: int) -> Tile:
    """The tile of an opening draw; where none is named, one is drawn from the bag.

    ``before`` is how often the player has drawn: a page that knows of fewer has not seen that the draw was made.
    """
    if data.get("drawn", before) != before:
        raise PlayError("stale-draw", "that player has drawn meanwhile: look again")
    drawn = [tile for _, tile in state.draws.drawn] if state.draws else []
    if data.get("tile") is None:
        bag = Counter({t: state.rules.jokers if t.is_joker else state.rules.copies for t in ALL_TILES})
        bag.subtract(drawn)
        return random.SystemRandom().choice(list(bag.elements()))
    try:
        return Tile.parse(data["tile"])
    except TileError as error:
        raise PlayError("no-such-tile", str(error)) from None
