"""What a reading means to the people at the table: each set's verdict in plain words, one headline for all.

Three states: ``right``, ``wrong``, and ``unsure`` where a verdict would rest on a tile that is not sure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from referee.faults import set_faults
from referee.layout import TileSet
from referee.sets import OUT_OF_ORDER, SetReading, best
from referee.tiles import COLOUR_NAMES, Tile
from vision.reading import Quad, Reading, TileReading

OUTLINE_GROWS = 0.16
"""How far a set's outline keeps off its tiles, in widths of a tile."""

WHY = {
    "set-too-short": "a set needs at least three tiles",
    "group-too-long": "a group has four tiles at most",
    "run-wraps": "1 is the lowest: no run goes on from 13 to 1",
    "run-off-end": "the run goes on beyond 1 or 13",
    "mixed-set": "neither one number in different colours nor one colour in sequence",
    "unread-tile": "one tile cannot be read",
}
"""The faults of one set, by the referee's codes; two more take the tile's name."""


@dataclass(frozen=True, slots=True)
class SetVerdict:
    """One set: its tiles' ids, ``right``, ``wrong`` or ``unsure``, and one sentence."""

    ids: tuple[int, ...]
    state: str
    title: str
    text: str
    reading: SetReading | None
    outline: tuple[tuple[int, int], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "ids": list(self.ids),
            "state": self.state,
            "title": self.title,
            "text": self.text,
            "kind": self.reading.kind if self.reading else None,
            "value": self.reading.value if self.reading else None,
            "stands_for": [str(t) for t in self.reading.stands_for] if self.reading else None,
            "outline": [list(p) for p in self.outline],
        }


def name(tile: Tile) -> str:
    """How a person says it: ``red 5``, ``joker``, ``a 6``, ``an unread tile``."""
    if tile.is_joker:
        return "joker"
    if tile.readable:
        return f"{COLOUR_NAMES[tile.colour]} {tile.number}"
    if tile.number:
        return f"{tile.number} of unknown colour"
    return f"{COLOUR_NAMES[tile.colour]} tile" if tile.colour in COLOUR_NAMES else "unread tile"


def listed(words: list[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}" if words else ""


def outline(quads: list[Quad]) -> tuple[tuple[int, int], ...]:
    """The hull around some tiles, a little off them, in pixels, clockwise."""
    grown = []
    for quad in quads:
        corners = np.asarray(quad, np.float64)
        centre = corners.mean(axis=0)
        grown.append(centre + (corners - centre) * (1 + 2 * OUTLINE_GROWS))
    hull = cv2.convexHull(np.concatenate(grown).astype(np.float32)).reshape(-1, 2)
    return tuple((round(float(x)), round(float(y))) for x, y in hull)


def describe(reading: SetReading) -> tuple[str, str]:
    """A legal set in words: a title (``Red run 3–5``) and what else is to be said."""
    numbers = [t.number for t in reading.stands_for]
    colour = reading.stands_for[0].colour
    if reading.kind == "run":
        title = f"{COLOUR_NAMES[colour].capitalize()} run {min(numbers)}–{max(numbers)}"
    else:
        title = f"Group of {numbers[0]}s"
    said = []
    if reading.jokers:
        said.append(f"joker as {listed([name(t) for t in reading.jokers])}")
    if OUT_OF_ORDER in reading.notes:
        said.append("not laid in order")
    text = ", ".join(said)
    return title, text[:1].upper() + text[1:]


def why_not(tiles: TileSet) -> str:
    """Why a row is no set, in plain words; the tiles themselves are shown beside them."""
    said = []
    for fault in set_faults(tiles):
        if fault.code == "run-gap":
            twice = [t for t in tiles if not t.is_joker and tiles.count(t) > 1]
            said.append(f"{name(twice[0])} is there twice" if twice else "the numbers do not follow one another")
        elif fault.code == "group-colour-twice":
            said.append(f"{COLOUR_NAMES[fault.tiles[0].colour]} is in the group more than once")
        else:
            said.append(WHY[fault.code])
    text = "; ".join(said)
    return text[0].upper() + text[1:]


def judge_set(reading: Reading, ids: tuple[int, ...], doubted: frozenset[int]) -> SetVerdict:
    """The verdict on one row of a reading; `doubted` are the tiles that a warning of the table concerns."""
    tiles = [reading[n] for n in ids]
    row = tuple(t.tile for t in tiles)
    found = best(row)
    around = outline([t.quad for t in tiles])
    doubts = [t for t in tiles if t.unsure or not t.tile.readable or t.id in doubted]
    if doubts:
        title = f"Looks like: {describe(found)[0].lower()}" if found else "Not sure"
        return SetVerdict(ids, "unsure", title, _doubt(doubts), found, around)
    if found:
        title, text = describe(found)
        return SetVerdict(ids, "right", title, text, found, around)
    title = "Tile on its own" if len(ids) == 1 else "Not a set"
    return SetVerdict(ids, "wrong", title, why_not(row), None, around)


def _doubt(doubts: list[TileReading]) -> str:
    said = []
    for t in doubts:
        others = [name(a) for a, _ in t.alternatives[:2] if a != t.tile]
        what = name(t.tile) if t.tile.readable else "one tile cannot be read"
        if others:
            said.append(f"{what}{', or' if t.tile.readable else ': is it'} {listed(others, 'or')}?")
        else:
            said.append(f"{what}: look again." if t.tile.readable else f"{what}.")
    return " ".join(line[0].upper() + line[1:] for line in said)


def judge_reading(reading: Reading) -> tuple[SetVerdict, ...]:
    """Every set of a reading, then every loose tile as a row of one."""
    doubted = frozenset(n for w in reading.warnings for n in w.tiles)
    rows = [*reading.sets, *((n,) for n in reading.loose)]
    return tuple(judge_set(reading, row, doubted) for row in rows)


def headline(verdicts: tuple[SetVerdict, ...]) -> tuple[str, str]:
    """State and sentence for the whole table."""
    if not verdicts:
        return "empty", "No tiles found"
    wrong = sum(v.state == "wrong" for v in verdicts)
    unsure = sum(v.state == "unsure" for v in verdicts)
    if wrong:
        text = "1 set is not right" if wrong == 1 else f"{wrong} sets are not right"
        return "wrong", text + (f", {unsure} not sure" if unsure else "")
    if unsure:
        return "unsure", "1 set is not sure" if unsure == 1 else f"{unsure} sets are not sure"
    return "right", "The set is right" if len(verdicts) == 1 else f"All {len(verdicts)} sets are right"


def table_document(reading: Reading, scene: int, picture: int) -> dict[str, Any]:
    """What the pages draw of a reading."""
    verdicts = judge_reading(reading)
    state, text = headline(verdicts)
    return {
        "scene": scene,
        "picture": picture,
        "headline": {"state": state, "text": text},
        "verdicts": [v.to_json() for v in verdicts],
        "reading": reading.to_json(),
    }
