"""One set or two? Sets that were pushed together are seen as one row, and one set with a gap in it as two.

Where a row is no set but may be several that touch, or rows that are none may be one with a gap, somebody is asked
before anything is said of it. Legality raises the question and never answers it: people do, and their answer holds
for those tiles, in that order, as long as they lie in that line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from referee.layout import TileSet
from referee.sets import is_set
from vision.reading import Reading
from vision.rows import facing
from webui.cuts import cuts, parts_of
from webui.words import Words, words

MOST_ROWS = 5
"""So many rows with gaps between them may be meant as one."""
MOST_ANSWERS = 64

Row = tuple[int, ...]
Parts = tuple[Row, ...]
"""The ids of the tiles of a line, in order, parted into sets."""
Seam = frozenset[int]
"""The ids of two tiles that lie beside each other."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is asked of some tiles that lie in one line: `ways` in which they may be sets, or is it `as_seen`?"""

    as_seen: Parts
    ways: tuple[Parts, ...]

    @property
    def ids(self) -> Row:
        """The tiles in the order in which they lie."""
        return _line(self.as_seen)

    @property
    def answers(self) -> tuple[Parts, ...]:
        """What may be said; the last is that they are the sets that they look like."""
        return (*self.ways, self.as_seen)

    @property
    def asks(self) -> Words:
        """The question."""
        most = max(map(len, self.answers))
        return words("lines.ask") if most == 2 else words("lines.ask-several")

    def to_json(self) -> dict[str, Any]:
        """For the pages; `said` is what was answered, and None where it is still asked."""
        return {"ids": list(self.ids), "asks": self.asks.to_json(), "answers": _lists(self.answers), "said": None}


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said of a line; ``as_seen``: that it is the sets that it looks like."""

    parts: Parts
    as_seen: bool

    @property
    def ids(self) -> Row:
        return _line(self.parts)

    def to_json(self) -> dict[str, Any]:
        return {"ids": list(self.ids), "asks": None, "answers": [], "said": _lists(self.parts)}


@dataclass(frozen=True, slots=True)
class Lay:
    """A reading in which the answers hold, what is still asked of it, and which answers those are."""

    reading: Reading
    asked: tuple[Line, ...] = ()
    said: tuple[Said, ...] = ()


class Lines:
    """The answers. Lives in the companion's thread."""

    def __init__(self) -> None:
        self._said: dict[frozenset[int], Said] = {}
        self._seen: tuple[Reading, frozenset[int]] | None = None
        self._lay = Lay(Reading(1, 1))

    def lay(self, reading: Reading, aside: frozenset[int] = frozenset()) -> Lay:
        """The table with its lines; of the tiles ``aside`` nothing is asked."""
        if self._seen is None or self._seen[0] is not reading or self._seen[1] != aside:
            self._seen, self._lay = (reading, aside), look(reading, tuple(self._said.values()), aside)
        return self._lay

    def say(self, ids: Sequence[int], parts: Parts | None) -> None:
        """One of the answers to what is asked of these tiles, or (None) that what was said of them counts no more.

        Raises `LookupError` where that is not asked, or nothing was said.
        """
        key = frozenset(ids)
        if parts is None:
            del self._said[key]
        else:
            line = next((line for line in self._lay.asked if key == set(line.ids)), None)
            if line is None or parts not in line.answers:
                raise LookupError("that is not asked")
            self._said.pop(key, None)
            self._said[key] = Said(parts, parts == line.as_seen)
        for oldest in list(self._said)[:-MOST_ANSWERS]:
            del self._said[oldest]
        self._seen = None


def look(reading: Reading, said: Sequence[Said] = (), aside: frozenset[int] = frozenset()) -> Lay:
    """A reading with the answers that hold in it, and what is to be asked. Nothing is asked of the tiles ``aside``."""
    rows = [*reading.sets, *((n,) for n in reading.loose)]
    near, parted, holding = _near(reading, rows), set[Seam](), []
    for answer in (a for a in said if not a.as_seen):
        changed = _applied(rows, set(near), answer)
        if changed is None:
            continue
        parted |= _cuts_in(answer.parts)
        if changed != rows:
            rows = changed
            holding.append(answer)
    lines = list(_questions(reading, rows, [seam for seam in near if seam not in parted], aside))
    left_so = {frozenset(a.ids): a for a in said if a.as_seen}
    holding += [left_so[frozenset(line.ids)] for line in lines if frozenset(line.ids) in left_so]
    asked = tuple(line for line in lines if frozenset(line.ids) not in left_so)
    return Lay(_regrouped(reading, rows), asked, tuple(holding))


def _near(reading: Reading, rows: Sequence[Row]) -> list[Seam]:
    """Where rows face each other with a small gap between them."""
    place = {t.id: k for k, t in enumerate(reading.tiles)}
    quads = np.array([t.quad for t in reading.tiles], float).reshape(-1, 4, 2)
    ups = np.array([t.tile.readable and not t.tile.is_joker for t in reading.tiles], bool)
    found = facing(quads, ups, [[place[n] for n in row] for row in rows])
    return [frozenset(reading.tiles[k].id for k in pair) for pair in found]


def _applied(rows: list[Row], near: set[Seam], answer: Said) -> list[Row] | None:
    """The rows as an answer has them; None where its tiles do not lie in one line any more."""
    seams, there, parted = _seams(answer.ids), {s for row in rows for s in _seams(row)}, _cuts_in(answer.parts)
    if not all(seam in there or seam in near for seam in seams):
        return None
    changed = [part for row in rows for part in _cut(row, parted)]
    for seam in seams:
        if seam not in parted and seam not in there:
            changed = _joined(changed, seam)
    return changed


def _cut(row: Row, parted: set[Seam]) -> Iterator[Row]:
    start = 0
    for k, seam in enumerate(_seams(row), 1):
        if seam in parted:
            yield row[start:k]
            start = k
    yield row[start:]


def _joined(rows: list[Row], seam: Seam) -> list[Row]:
    """Two rows as one, in the order in which the longer one is read."""
    one, other = (row for row in rows if row[0] in seam or row[-1] in seam)
    first = one if one[-1] in seam else one[::-1]
    then = other if other[0] in seam else other[::-1]
    whole = (*first, *then)
    kept = sum(len(now) for now, was in ((first, one), (then, other)) if now == was)
    whole = whole if kept * 2 >= len(whole) else whole[::-1]
    return [whole if row is one else row for row in rows if row is not other]


def _questions(reading: Reading, rows: Sequence[Row], near: Sequence[Seam], aside: frozenset[int]) -> Iterator[Line]:
    """A row in which a tile is in doubt is asked about when that tile is known."""
    sure = {t.id for t in reading.tiles if t.tile.readable and not t.unsure} - aside
    left = []
    for row in rows:
        if not sure.issuperset(row):
            continue
        ways = cuts(_faces(reading, row))
        if ways:
            yield Line((row,), tuple(parts_of(row, way) for way in ways))
        else:
            left.append(row)
    for chain in _chains(left, near, {t.id: t.centre[0] for t in reading.tiles}):
        yield from _gaps(reading, chain)


def _gaps(reading: Reading, chain: Sequence[Row]) -> Iterator[Line]:
    """Neighbouring rows that may be meant as one set, or else as other sets than they look like."""
    sizes = range(2, min(MOST_ROWS, len(chain)) + 1)
    groups = [chain[a : a + size] for size in sizes for a in range(len(chain) - size + 1)]
    ranked = [(rank, rows) for rows in groups if (rank := _rank(reading, rows)) is not None]
    taken: set[Row] = set()
    for (_, of_many, _), rows in sorted(ranked, key=lambda found: found[0]):
        if taken.isdisjoint(rows):
            taken.update(rows)
            line = _line(rows)
            ways = _other_ways(reading, rows) if of_many else ((line,),)
            yield Line(tuple(rows), ways)


def _other_ways(reading: Reading, rows: Sequence[Row]) -> tuple[Parts, ...]:
    """Into which sets the tiles of some rows may be parted where no row that is a set is taken apart."""
    line = _line(rows)
    whole = {s for row in rows if is_set(_faces(reading, row)) for s in _seams(row)}
    ways = (parts_of(line, way) for way in cuts(_faces(reading, line)))
    return tuple(way for way in ways if whole.isdisjoint(_cuts_in(way)))


def _rank(reading: Reading, rows: Sequence[Row]) -> tuple[bool, bool, int] | None:
    """How likely some rows are meant otherwise than they look, the likeliest least; None where they are not.

    A row that is a set may have got one more tile, and is not taken apart for its neighbour. What makes one set is
    that before it makes several: as many rows as there are then, or else as few.
    """
    legal = [is_set(_faces(reading, row)) for row in rows]
    if all(legal):
        return None
    if is_set(_faces(reading, _line(rows))):
        return any(legal), False, -len(rows)
    return (any(legal), True, len(rows)) if _other_ways(reading, rows) else None


def _chains(rows: Sequence[Row], near: Sequence[Seam], x: Mapping[int, float]) -> Iterator[list[Row]]:
    """Rows in line with small gaps between them, each turned so that it is read on from the one before it."""
    at = {end: row for row in rows for end in (row[0], row[-1])}
    beside: dict[Row, list[tuple[int, int]]] = {row: [] for row in rows}
    for one, other in (sorted(seam) for seam in near if all(n in at for n in seam)):
        beside[at[one]].append((one, other))
        beside[at[other]].append((other, one))
    seen: set[Row] = set()
    for row in rows:
        if row in seen or len(beside[row]) != 1:
            continue
        chain, now, entered = [], row, None
        while now not in seen:
            seen.add(now)
            onward = next(((own, to) for own, to in beside[now] if at[to] not in seen), None)
            backwards = entered == now[-1] if onward is None else onward[0] == now[0]
            chain.append(now[::-1] if backwards and len(now) > 1 else now)
            if onward is not None:
                entered, now = onward[1], at[onward[1]]
        yield _turned(chain, rows, x)


def _turned(chain: list[Row], rows: Sequence[Row], x: Mapping[int, float]) -> list[Row]:
    """A chain in the direction in which most of its rows are read."""
    votes = sum(len(row) if row in rows else -len(row) for row in chain if len(row) > 1)
    if votes > 0 or (votes == 0 and x[chain[0][0]] <= x[chain[-1][-1]]):
        return chain
    return [row[::-1] for row in reversed(chain)]


def _regrouped(reading: Reading, rows: Sequence[Row]) -> Reading:
    """The same tiles in these rows, from the top of the picture down."""
    place = {t.id: t.centre[::-1] for t in reading.tiles}
    placed = sorted(rows, key=lambda row: min(place[n] for n in row))
    if [*reading.sets, *((n,) for n in reading.loose)] == list(rows):
        return reading
    sets = tuple(row for row in placed if len(row) > 1)
    return replace(reading, sets=sets, loose=tuple(row[0] for row in placed if len(row) == 1))


def _faces(reading: Reading, row: Row) -> TileSet:
    return tuple(reading[n].tile for n in row)


def _line(parts: Sequence[Row]) -> Row:
    return tuple(n for part in parts for n in part)


def _seams(row: Row) -> list[Seam]:
    return [frozenset(pair) for pair in pairwise(row)]


def _cuts_in(parts: Parts) -> set[Seam]:
    return {frozenset((one[-1], other[0])) for one, other in pairwise(parts)}


def _lists(parts: Sequence[Any]) -> list[Any]:
    """As JSON has it."""
    return [_lists(part) if isinstance(part, tuple) else part for part in parts]
