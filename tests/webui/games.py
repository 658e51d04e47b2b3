"""Recorded games of a few turns, drawn with the readings of a perfect reader; and tables as they lie."""

from __future__ import annotations

from pathlib import Path

from referee.layout import Layout
from referee.tiles import Tile
from vision.render.games import render_game
from vision.render.scripts import parse_script
from webui.play import Table
from webui.recorded import RecordedGame, load_recorded

_BEGIN = """
players = ["Anna", "Ben"]
seed = 14
surface = "planks"
hands = false
[[turns]]
player = "Anna"
table = "r10 r11 r12"
clock = 12
[[turns]]
player = "Ben"
table = "r10 r11 r12 | k5 b5"
verdict = "opening-too-low+set-too-short"
clock = 30
"""
SHORT = (
    _BEGIN
    + """
[[turns]]
player = "Ben"
table = "r10 r11 r12 | k11 b11 o11"
clock = 3
[[turns]]
player = "Anna"
button = "draw"
table = "r10 r11 r12 | k11 b11 o11"
[[turns]]
player = "Ben"
table = "r10 r11 r12 r13 | k11 b11 o11"
clock = 20
"""
)
"""Opened, an illegal turn put right, a tile drawn."""
TIMED = (
    _BEGIN
    + """
[[turns]]
player = "Ben"
button = "time-over"
table = "r10 r11 r12 | k5 b5"
verdict = "opening-too-low+set-too-short"
clock = 30
[[turns]]
player = "Ben"
button = "penalty"
table = "r10 r11 r12"
clock = 15
[[turns]]
player = "Anna"
button = "draw"
table = "r10 r11 r12"
[[turns]]
player = "Ben"
button = "time-over"
table = "r10 r11 r12 | k11 b11 o11"
verdict = "legal"
clock = 60
[[turns]]
player = "Ben"
button = "draw"
table = "r10 r11 r12 | k11 b11 o11"
clock = 3
[[turns]]
player = "Anna"
table = "r10 r11 r12 | k11 r11 o11"
verdict = "tile-left-table"
clock = 20
"""
)
"""Time over on a broken table and on a legal one, and a table that must not be."""


def drawn_game(script: str, folder: Path) -> RecordedGame:
    """The pictures of a script's game, and their readings beside them."""
    for _ in render_game(parse_script(script, "drawn"), folder, readings=True):
        pass
    return load_recorded(folder)


def lies(text: str, loose: str = "") -> Table:
    """A table of these sets and loose tiles."""
    return Table(Layout.parse(text), tuple(map(Tile.parse, loose.split())))
