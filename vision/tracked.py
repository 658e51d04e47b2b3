"""Tracked tiles as values, and the reading, doubts and questions that follow from them.

`vision.tracking.Tracker` owns the tiles; everything here is a function of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from referee.tiles import ALL_TILES, COLOURS, Tile
from vision.beliefs import NUMBER, Belief, Chances, Joint, joint, limits
from vision.reading import Quad, Reading, ReadingWarning, TileReading, table_warnings
from vision.rows import group

TILE_MISSING = "tile-missing"
TILE_GONE = "tile-gone"
MORE_THAN_RACK = "more-than-rack"

LISTED, MOST_LISTED = 0.003, 5
"""Least probability and greatest number of a tile's alternatives."""
LIKELY, MOST_CHOICES = 0.02, 4


class Whereabouts(StrEnum):
    """Where a tile is, as far as is known."""

    SEEN = "seen"
    COVERED = "covered"
    """Under a hand: it lies where it lay."""
    MISSING = "missing"
    """Not seen at its place, though no hand was there: it must lie there, or was never a tile."""
    GONE = "gone"
    """A hand took it and it lies nowhere else yet."""


@dataclass(frozen=True, slots=True)
class TrackingRules:
    """What the box holds, and how much it takes to be sure."""

    copies: int = 2
    jokers: int = 2
    sure: float = 0.9
    """Least probability of a reading that is not marked unsure."""
    legible: float = 0.15
    """Below this a tile is ``?``."""
    looks: int = 2
    """Frames in which a tile that is sure is read, while it lies still."""
    looks_unsure: int = 6
    """The same for an unsure one; after that a person is asked and the tile left alone."""


@dataclass(frozen=True, slots=True, eq=False)
class Tracked:
    """One tile over time. ``quad`` float64 (4, 2) pixels, clockwise from its own top left as it was read best.

    ``belief`` is what it looked like; ``answer`` what a person said it is; ``contrary`` the looks since a hand
    was there that do not fit the belief: the tile may be another one; ``touched`` whether a hand was there since
    the last look; ``doubt`` that it may have been confused with another tile when both moved; ``told`` that a person
    laid it down here and the camera has not seen it yet.
    """

    id: int
    quad: np.ndarray
    belief: Belief
    sight: float
    """Confidence of the reading that the quad's first corner is from."""
    hits: int = 1
    misses: int = 0
    looks: int = 1
    whereabouts: Whereabouts = Whereabouts.SEEN
    answer: Tile | None = None
    contrary: Belief | None = None
    touched: bool = False
    doubt: bool = False
    told: bool = False

    @property
    def on_table(self) -> bool:
        return self.whereabouts is not Whereabouts.GONE

    @property
    def chances(self) -> Chances:
        """Probabilities (53,) of what it is."""
        if self.answer is not None:
            certain = np.zeros(len(ALL_TILES))
            certain[NUMBER[self.answer]] = 1.0
            return certain
        if self.contrary is not None:
            return (self.belief.chances + self.contrary.chances) / 2
        return self.belief.chances

    @property
    def read(self) -> bool:
        """Whether anything is known of its face."""
        return self.answer is not None or self.belief.read

    @property
    def best(self) -> Tile:
        """What it most probably is, ``?`` where nothing is known."""
        return ALL_TILES[int(self.chances.argmax())] if self.read else Tile.UNREAD

    def wants_reading(self, unsure: bool, rules: TrackingRules) -> bool:
        """Whether another look at its face would help."""
        if self.touched or self.contrary is not None:
            return True
        if self.answer is not None:
            return False
        return self.looks < (rules.looks_unsure if unsure else rules.looks)


@dataclass(frozen=True, slots=True)
class Question:
    """Something a person is asked: what tile ``id`` is, with the likely readings and their probabilities, best
    first; or, with ``missing``, whether it still lies there (answered with the tile, or with None for "no").
    """

    id: int
    text: str
    choices: tuple[tuple[Tile, float], ...]
    missing: bool = False


@dataclass(frozen=True, slots=True)
class Gone:
    """A tile that was taken from the table and not laid again, with the place where it lay last."""

    id: int
    tile: Tile
    quad: Quad


@dataclass(frozen=True, slots=True)
class Account:
    """What is known of the table: the reading with stable ids, the questions, and the tiles in somebody's hand."""

    reading: Reading
    questions: tuple[Question, ...] = ()
    gone: tuple[Gone, ...] = ()

    @property
    def unsure(self) -> frozenset[int]:
        return frozenset(t.id for t in self.reading.tiles if t.unsure)


@dataclass(frozen=True, slots=True)
class Turn:
    """The tiles on the table when the turn began, and how many the player holds (None: not known)."""

    before: frozenset[int]
    rack: int | None = None


def account(tiles: Iterable[Tracked], frame: Reading, rules: TrackingRules, turn: Turn | None = None) -> Account:
    """All that follows from the tracked tiles; ``frame`` gives picture size and path."""
    everything = sorted(tiles, key=lambda t: t.id)
    present = [t for t in everything if t.on_table]
    readings = tuple(_readings(present, rules))
    readings, too_many = _within_rack(readings, turn)
    gone = tuple(
        Gone(t.id, t.best, as_quad(t.quad))
        for t in everything
        if not t.on_table and (turn is None or t.id in turn.before)
    )
    warnings = (
        *table_warnings(readings, rules.copies, rules.jokers),
        *_missing(present, readings),
        *_taken(gone),
        *too_many,
    )
    # A joker's print does not tell its up for certain; an unread tile's quad may begin anywhere.
    ups = [t.tile.readable and not t.tile.is_joker for t in readings]
    sets, loose = group(np.array([t.quad for t in readings], float).reshape(-1, 4, 2), np.array(ups, bool))
    ids = [t.id for t in readings]
    reading = Reading(
        frame.width,
        frame.height,
        frame.path,
        readings,
        tuple(tuple(ids[k] for k in row) for row in sets),
        tuple(ids[k] for k in loose),
        warnings,
    )
    return Account(reading, tuple(_questions(present, readings, rules)), gone)


def as_quad(quad: np.ndarray) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in quad)
    return a, b, c, d


def _readings(present: Sequence[Tracked], rules: TrackingRules) -> Iterable[TileReading]:
    """Each tile's fused reading, the box's count used; unread tiles count for none."""
    known = [k for k, t in enumerate(present) if t.read]
    chances = np.array([present[k].chances for k in known]).reshape(-1, len(ALL_TILES))
    fixed = [present[k].answer is not None for k in known]
    table: Joint = joint(chances, fixed, limits(rules.copies, rules.jokers), rules.sure)
    place = {k: n for n, k in enumerate(known)}
    for k, t in enumerate(present):
        if k not in place:
            yield TileReading(t.id, Tile.UNREAD, 0.0, True, as_quad(t.quad), _others(t.chances, None))
            continue
        n = place[k]
        kind, chance = int(table.kinds[n]), min(1.0, float(table.chance[n]))
        unsure = bool(
            chance < rules.sure or table.doubted[n] or t.doubt or t.contrary is not None
            or t.whereabouts is Whereabouts.MISSING
        )  # fmt: skip
        tile = ALL_TILES[kind] if chances[n, kind] >= rules.legible or not unsure else half_read(t.chances)
        others = t.chances
        if t.answer is not None and t.contrary is not None:
            others = t.contrary.chances
        confidence = chance if tile.readable else 0.0
        yield TileReading(t.id, tile, confidence, unsure, as_quad(t.quad), _others(others, kind))


def _others(chances: Chances, kind: int | None) -> tuple[tuple[Tile, float], ...]:
    order = [int(k) for k in np.argsort(-chances, kind="stable")[: MOST_LISTED + 1] if k != kind]
    return tuple((ALL_TILES[k], float(chances[k])) for k in order[:MOST_LISTED] if chances[k] > LISTED)


def half_read(chances: Chances) -> Tile:
    """``r?`` or ``?6`` where colour or number alone is more probable than not by far, else ``?``."""
    cube = chances[:-1].reshape(len(COLOURS), 13)
    if cube.sum(1).max() >= 0.75:
        return Tile(COLOURS[int(cube.sum(1).argmax())], 0)
    if cube.sum(0).max() >= 0.75:
        return Tile("?", int(cube.sum(0).argmax()) + 1)
    return Tile.UNREAD


def _within_rack(
    readings: tuple[TileReading, ...], turn: Turn | None
) -> tuple[tuple[TileReading, ...], tuple[ReadingWarning, ...]]:
    """No more new tiles than the rack held: the least certain of too many are unsure."""
    if turn is None or turn.rack is None:
        return readings, ()
    new = [t for t in readings if t.id not in turn.before]
    excess = len(new) - turn.rack
    if excess <= 0:
        return readings, ()
    doubted = {t.id for t in sorted(new, key=lambda t: (not t.unsure, t.confidence))[:excess]}
    held = "tile" if turn.rack == 1 else "tiles"
    message = f"{len(new)} new tiles were read, the rack held {turn.rack} {held}: the least certain are marked"
    warning = ReadingWarning(MORE_THAN_RACK, message, tuple(sorted(doubted)))
    return tuple(replace(t, unsure=True) if t.id in doubted else t for t in readings), (warning,)


def _missing(present: Sequence[Tracked], readings: Sequence[TileReading]) -> Iterable[ReadingWarning]:
    for t, r in zip(present, readings, strict=True):
        if t.whereabouts is Whereabouts.MISSING:
            yield ReadingWarning(TILE_MISSING, f"{named(r.tile)} is not seen, though no hand was there", (t.id,))


def _taken(gone: Sequence[Gone]) -> Iterable[ReadingWarning]:
    if gone:
        listed = ", ".join(str(g.tile) for g in gone)
        verb = "was" if len(gone) == 1 else "were"
        # Their ids are not in the reading, so the warning concerns no tile of it.
        yield ReadingWarning(TILE_GONE, f"{listed} {verb} on the table and {verb} taken from it")


def named(tile: Tile) -> str:
    """A tile in a sentence."""
    return str(tile) if tile.readable else "a tile that could not be read"


def _questions(present: Sequence[Tracked], readings: Sequence[TileReading], rules: TrackingRules) -> Iterable[Question]:
    """One for each unsure tile, readings that the sure tiles leave no copy of left out."""
    most = limits(rules.copies, rules.jokers)
    sure = np.bincount([NUMBER[r.tile] for r in readings if not r.unsure], minlength=len(ALL_TILES))
    for t, r in zip(present, readings, strict=True):
        if not r.unsure:
            continue
        if t.whereabouts is Whereabouts.MISSING:
            choices = ((r.tile, r.confidence),) if r.tile.readable else ()
            yield Question(t.id, f"Does {named(r.tile)} still lie here?", choices, missing=True)
            continue
        entries = [(r.tile, r.confidence), *r.alternatives] if r.tile.readable else list(r.alternatives)
        likely = [(a, p) for a, p in entries if a == r.tile or (p >= LIKELY and sure[NUMBER[a]] < most[NUMBER[a]])]
        yield Question(t.id, "Which tile is this?", tuple(likely[:MOST_CHOICES]))
