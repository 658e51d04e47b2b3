"""Scripts of games to be drawn: who plays, how table, lamp and camera are, and the turns; from TOML, checked.

A script's turns are one press of a button each, with the layout that lies on the table then. What is not said is
settled by ``seed``.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from referee.layout import Layout
from referee.tiles import TileError
from vision.render.tables import KINDS

BUTTONS = (
    "end", "draw", "pass", "time-over", "penalty", "out", "pause", "resume", "undo", "redo", "count", "rack", "deal",
    "blocked", "abandon",
)  # fmt: skip
"""What may be pressed; ``time-over`` is the clock's own."""
JOKERS = ("face", "oval", "sun", "star", "solid", "clown")


class ScriptError(ValueError):
    """A script that cannot be drawn; one line that names the place in it."""


@dataclass(frozen=True)
class Look:
    """How it looks: the surface, the box of tiles, where the camera stands, the lamp and the sensor."""

    surface: str = "cloth"
    table: int | None = None
    """Seed of the surface; None: of the script."""
    box: int | None = None
    """Seed of the box of tiles; None: of the script."""
    joker: str = "face"
    digits: float = 0.4
    """Height of the digits, of the tile's."""
    width: int = 1280
    height: int = 960
    columns: int = 2
    rows: int = 6
    tilt: float = 0.35
    """From straight down, radians."""
    turn: float = 0.0
    """Where the camera stands round the table, degrees."""
    kelvin: float = 5000.0
    exposure: float = 1.0
    gamma: float = 1.0
    shade: float = 0.0
    """Strength of a shadow that falls across the table, 0-1; ``edge`` its seed."""
    edge: int = 0
    glare: float = 0.0
    shadow: float = 0.45
    falloff: float = 0.15
    noise: float = 1.2
    blur: float = 0.0
    saturation: float = 1.0
    sharpen: float = 0.0


CHANGES = ("kelvin", "exposure", "gamma", "shade", "edge", "glare", "noise", "blur")
"""What of the look may change from a turn on."""


@dataclass(frozen=True)
class Turn:
    """One press of a button: who, which, the table then, what the referee has to say, and how long it took.

    ``verdict`` is ``legal``, the codes of the faults joined by ``+``, or empty where nothing is judged; ``clock`` the
    seconds since the press before; ``points`` what is counted on a rack, or the points of the game when it is over;
    ``left``, ``state`` and ``data`` as in ``turns.csv`` (webui.recorded).
    """

    player: str
    button: str
    table: Layout
    verdict: str
    clock: float
    points: str = ""
    left: float | None = None
    state: str = ""
    data: str = ""
    hands: int = 1
    """In how many pictures before it a hand reaches in, if the table changes."""
    early: bool = False
    """Whether the button is pressed while the hand is still there."""
    passing: bool = False
    """Whether somebody's shadow falls on the table before it."""
    nudge: float = 0.0
    """How far the camera was pushed before this turn, in pixels; and turned, in degrees."""
    twist: float = 0.0
    changes: tuple[tuple[str, float], ...] = ()
    """Of the look, from this turn on (`CHANGES`)."""


@dataclass(frozen=True)
class Script:
    """A game to be drawn; `seed` settles everything that is not said."""

    name: str
    players: tuple[str, ...]
    turns: tuple[Turn, ...]
    rules: Any = "classic"
    seed: int = 0
    first: str = ""
    options: tuple[str, ...] = ()
    look: Look = Look()


def parse_script(text: str, name: str) -> Script:
    """A script from its TOML text. Raises `ScriptError`.

    >>> parse_script('players = ["A"]\\n[[turns]]\\nplayer = "A"\\ntable = "r9 k9 o9"', "one").turns[0].button
    'end'
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"{name} is no TOML: {error}") from None
    entries, looks = document.pop("turns", []), {}
    players = document.pop("players", ())
    if not isinstance(players, list) or not players or not isinstance(entries, list) or not entries:
        raise ScriptError(f"{name}: a script needs players and at least one of [[turns]]")
    players = tuple(str(p) for p in players)
    for field in fields(Look):
        if field.name in document:
            looks[field.name] = _value(document.pop(field.name), field.type, f"{name}: {field.name}")
    look = Look(**looks)
    _check(look, name)
    seed, first = document.pop("seed", 0), str(document.pop("first", players[0]))
    hands = int(bool(document.pop("hands", True)))
    rules, options = document.pop("rules", "classic"), document.pop("options", [])
    if document:
        raise ScriptError(f"{name}: no such key {sorted(document)[0]!r}")
    if type(seed) is not int or seed < 0:
        raise ScriptError(f"{name}: seed: a whole number from 0 up, not {seed!r:.40}")
    turns = tuple(_turn({"hands": hands, **t}, players, f"{name}: turn {n}") for n, t in enumerate(entries, 1))
    return Script(name, players, turns, rules, seed, first, tuple(str(o) for o in options), look)


def _check(look: Look, name: str) -> None:
    if look.surface not in KINDS:
        raise ScriptError(f"{name}: surface {look.surface!r}; there are {', '.join(dict.fromkeys(KINDS))}")
    if look.joker not in JOKERS:
        raise ScriptError(f"{name}: joker {look.joker!r}; there are {', '.join(JOKERS)}")
    for key, least, most in (
        ("width", 320, 4096), ("height", 240, 4096), ("columns", 1, 6), ("rows", 1, 12), ("tilt", 0, 1.2),
        ("kelvin", 2000, 12000), ("exposure", 0.1, 3), ("digits", 0.2, 0.7), ("shade", 0, 1), ("glare", 0, 1),
    ):  # fmt: skip
        if not least <= getattr(look, key) <= most:
            raise ScriptError(f"{name}: {key}: {least:g} to {most:g}, not {getattr(look, key):g}")


def _value(value: Any, kind: Any, where: str) -> Any:
    whole = "int" in str(kind)
    if kind == "str":
        if not isinstance(value, str):
            raise ScriptError(f"{where}: a text, not {value!r:.40}")
        return value
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not number or (whole and type(value) is not int):
        raise ScriptError(f"{where}: a {'whole ' if whole else ''}number, not {value!r:.40}")
    return value if whole else float(value)


def _turn(entry: Mapping[str, Any], players: tuple[str, ...], where: str) -> Turn:
    known = {f.name: f.type for f in fields(Turn) if f.name != "changes"}
    changes = {f.name: f.type for f in fields(Look) if f.name in CHANGES}
    for key in entry:
        if key not in known and key not in changes:
            raise ScriptError(f"{where}: no such key {key!r}")
    if entry.get("player") not in players:
        raise ScriptError(f"{where}: {entry.get('player')!r} is none of the players")
    button = entry.get("button", "end")
    if button not in BUTTONS:
        raise ScriptError(f"{where}: no such button {button!r}; there are {', '.join(BUTTONS)}")
    try:
        table = Layout.parse(entry.get("table", ""))
    except (TileError, AttributeError) as error:
        raise ScriptError(f"{where}: {error}") from None
    left = entry.get("left")
    turn = Turn(
        player=str(entry["player"]),
        button=button,
        table=table,
        verdict=str(entry.get("verdict", "legal" if button == "end" else "")),
        clock=_value(entry.get("clock", 20.0), "float", f"{where}: clock"),
        points=str(entry.get("points", "")),
        left=None if left is None else _value(left, "float", f"{where}: left"),
        state=str(entry.get("state", "")),
        data=str(entry.get("data", "")),
        hands=_value(entry["hands"], "int", f"{where}: hands"),
        early=bool(entry.get("early", False)),
        passing=bool(entry.get("passing", False)),
        nudge=_value(entry.get("nudge", 0.0), "float", f"{where}: nudge"),
        twist=_value(entry.get("twist", 0.0), "float", f"{where}: twist"),
        changes=tuple((k, _value(entry[k], changes[k], f"{where}: {k}")) for k in CHANGES if k in entry),
    )
    if turn.clock < 0:
        raise ScriptError(f"{where}: clock: a number of seconds, not {turn.clock:g}")
    return turn
