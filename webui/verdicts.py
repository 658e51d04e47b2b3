"""What a reading means to the people at the table: each set's verdict in plain words, one headline for all.

Three states: ``right``, ``wrong``, and ``unsure`` where a verdict would rest on a tile that is not sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from referee.faults import set_faults
from referee.layout import TileSet
from referee.sets import OUT_OF_ORDER, SetReading, best
from vision.reading import NO_TILES, TOO_MANY_COPIES, Quad, Reading, ReadingWarning, TileReading
from vision.tracked import MORE_THAN_RACK, TILE_GONE, TILE_MISSING
from webui.lines import Lay, Line
from webui.words import Listed, Words, words

OUTLINE_GROWS = 0.16
"""How far a set's outline keeps off its tiles, in widths of a tile."""


@dataclass(frozen=True, slots=True)
class SetVerdict:
    """One set: its tiles' ids, ``right``, ``wrong`` or ``unsure``, a title, and what else is to be said if anything."""

    ids: tuple[int, ...]
    state: str
    title: Words
    said: Words | None
    reading: SetReading | None
    outline: tuple[tuple[int, int], ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "ids": list(self.ids),
            "state": self.state,
            "title": self.title.text,
            "text": self.said.text if self.said else "",
            "says": {"title": self.title.to_json(), "text": self.said.to_json() if self.said else None},
            "kind": self.reading.kind if self.reading else None,
            "value": self.reading.value if self.reading else None,
            "stands_for": [str(t) for t in self.reading.stands_for] if self.reading else None,
            "outline": [list(p) for p in self.outline],
        }


def outline(quads: list[Quad]) -> tuple[tuple[int, int], ...]:
    """The hull around some tiles, a little off them, in pixels, clockwise."""
    grown = []
    for quad in quads:
        corners = np.asarray(quad, np.float64)
        centre = corners.mean(axis=0)
        grown.append(centre + (corners - centre) * (1 + 2 * OUTLINE_GROWS))
    hull = cv2.convexHull(np.concatenate(grown).astype(np.float32)).reshape(-1, 2)
    return tuple((round(float(x)), round(float(y))) for x, y in hull)


def describe(reading: SetReading) -> tuple[Words, Words | None]:
    """A legal set in words: a title (``Red run 3–5``) and what else is to be said."""
    numbers = [t.number for t in reading.stands_for]
    if reading.kind == "run":
        colour = words(f"colour.{reading.stands_for[0].colour}")
        title = words("set.run", colour=colour, first=min(numbers), last=max(numbers))
    else:
        title = words("set.group", number=numbers[0])
    said = []
    if reading.jokers:
        said.append(words("set.joker-as", tiles=Listed(tuple(reading.jokers))))
    if OUT_OF_ORDER in reading.notes:
        said.append(words("set.out-of-order"))
    return title, _together(said, ",")


def why_not(tiles: TileSet) -> Words | None:
    """Why a row is no set, in plain words; the tiles themselves are shown beside them."""
    said = []
    for fault in set_faults(tiles):
        twice = [t for t in tiles if not t.is_joker and tiles.count(t) > 1]
        if fault.code == "run-gap" and twice:
            said.append(words("why.twice", tile=twice[0]))
        elif fault.code == "group-colour-twice":
            said.append(words("why.group-colour-twice", colour=words(f"colour.{fault.tiles[0].colour}")))
        else:
            said.append(words(f"why.{fault.code}"))
    return _together(said, ";")


def _together(said: list[Words], how: str) -> Words | None:
    return words("set.said", text=Listed(tuple(said), how)) if said else None


def judge_set(
    reading: Reading, ids: tuple[int, ...], doubted: frozenset[int], asks: Words | None = None
) -> SetVerdict:
    """The verdict on one row of a reading; `doubted` are the tiles that a warning of the table concerns.

    Of a row of which something is asked nothing is said before the answer.
    """
    tiles = [reading[n] for n in ids]
    row = tuple(t.tile for t in tiles)
    found = best(row)
    around = outline([t.quad for t in tiles])
    doubts = [t for t in tiles if t.unsure or not t.tile.readable or t.id in doubted]
    if doubts:
        title = words("set.looks-like", set=describe(found)[0]) if found else words("set.not-sure")
        return SetVerdict(ids, "unsure", title, _together([_doubt(t) for t in doubts], "."), found, around)
    if asks is not None:
        return SetVerdict(ids, "unsure", asks, None, None, around)
    if found:
        title, said = describe(found)
        return SetVerdict(ids, "right", title, said, found, around)
    title = words("set.single") if len(ids) == 1 else words("set.none")
    return SetVerdict(ids, "wrong", title, why_not(row), None, around)


def _doubt(t: TileReading) -> Words:
    others = tuple(a for a, _ in t.alternatives[:2] if a != t.tile)
    if t.tile.readable:
        return (
            words("doubt.or", tile=t.tile, others=Listed(others, "or")) if others else words("doubt.look", tile=t.tile)
        )
    return words("doubt.which", others=Listed(others, "or")) if others else words("doubt.unread")


def judge_reading(
    reading: Reading, asked: Sequence[Line] = (), aside: frozenset[int] = frozenset()
) -> tuple[SetVerdict, ...]:
    """Every set of a reading, then every loose tile as a row of one, but for the tiles ``aside``.

    ``asked`` are the lines of which somebody has to say which sets they are.
    """
    doubted = frozenset(n for w in reading.warnings for n in w.tiles)
    rows = (tuple(n for n in row if n not in aside) for row in (*reading.sets, *((n,) for n in reading.loose)))
    asks = {n: line.asks for line in asked for n in line.ids}
    return tuple(judge_set(reading, row, doubted, asks.get(row[0])) for row in rows if row)


def headline(verdicts: tuple[SetVerdict, ...], aside: bool = False) -> tuple[str, Words]:
    """The whole table in a state and one line; ``aside``: tiles lie there that nobody judges."""
    if not verdicts and aside:
        return "aside", words("headline.aside")
    if not verdicts:
        return "empty", words("headline.empty")
    wrong = sum(v.state == "wrong" for v in verdicts)
    unsure = sum(v.state == "unsure" for v in verdicts)
    if wrong and unsure:
        return "wrong", words("headline.wrong-and-unsure", wrong=words("headline.wrong", count=wrong), unsure=unsure)
    if wrong:
        return "wrong", words("headline.wrong", count=wrong)
    if unsure:
        return "unsure", words("headline.unsure", count=unsure)
    return "right", words("headline.right", count=len(verdicts))


def table_document(lay: Lay, scene: int, picture: int, aside: frozenset[int] = frozenset()) -> dict[str, Any]:
    """What the pages draw of a reading. Tiles ``aside`` are of a rack that is counted, and not judged."""
    reading = lay.reading
    verdicts = judge_reading(reading, lay.asked, aside)
    state, said = headline(verdicts, bool(aside))
    return {
        "scene": scene,
        "picture": picture,
        "headline": {"state": state, **said.to_json()},
        "verdicts": [v.to_json() for v in verdicts],
        "warnings": [warning_json(reading, w) for w in reading.warnings if w.code != NO_TILES],
        "lines": [line.to_json() for line in lay.asked] + [line.to_json() for line in lay.said],
        "reading": reading.to_json(),
    }


def warning_json(reading: Reading, warning: ReadingWarning) -> dict[str, Any]:
    """A warning of the reading as a sentence; one that has no words of the page as the reader says it."""
    here = [t.tile for t in reading.tiles if t.id in warning.tiles]
    if warning.code == TOO_MANY_COPIES and here:
        return words("warning.too-many-copies", count=len(here), tile=here[0]).to_json()
    if warning.code == TILE_MISSING and here:
        return words("warning.tile-missing", tile=here[0]).to_json()
    if warning.code == MORE_THAN_RACK:
        return words("warning.more-than-rack", count=len(here)).to_json()
    if warning.code == TILE_GONE:
        return words("warning.tile-gone").to_json()
    return {"key": "", "args": {}, "text": warning.message}
