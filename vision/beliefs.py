"""Beliefs: what one tile is, as probabilities fused over the frames in which it was seen, and over the whole table.

Facts that are used: the frames of one camera are not independent, so their number counts to a cap only; the box
holds so many copies of each tile and so many jokers. Legality is no fact: a set is never "completed".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from referee.tiles import ALL_TILES, Tile
from vision.matching import assign
from vision.reading import TileReading

Chances = NDArray[np.float64]
"""(53,) by the order of `referee.tiles.ALL_TILES`."""

KINDS = len(ALL_TILES)
NUMBER = {tile: k for k, tile in enumerate(ALL_TILES)}

DISTRUST = 0.003
"""Share of every reading that is spread over all tiles: a net can be sure and wrong."""
MOST_FRAMES = 3.0
"""So many frames' worth of evidence at most: a glare that misleads one frame misleads the next."""
LEFT_OVER = 0.0005
"""What is never certain, however often a tile was read alike."""
UNREAD_WEIGHT = 0.25
"""What a frame counts in which the tile could not be read and only guesses were made."""
MOST_WHEN_UNSURE = 0.85
"""The reader had a reason to mark a tile unsure, whatever its number says."""
PLAUSIBLE = 0.05
"""Least own probability of the tile that the box's count makes of a reading."""
LINKED = 0.01


def chances_of(reading: TileReading) -> Chances:
    """One frame's reading as probabilities (53,) that sum to 1: its word, its alternatives, the rest spread evenly."""
    chances = np.zeros(KINDS)
    entries = [(reading.tile, reading.confidence), *reading.alternatives]
    if reading.unsure and reading.confidence > MOST_WHEN_UNSURE:
        entries[0] = (reading.tile, MOST_WHEN_UNSURE)
    for tile, chance in entries:
        kinds = _kinds_of(tile)
        chances[kinds] += max(0.0, chance) / max(1, len(kinds))
    total = chances.sum()
    chances = chances / total if total > 1 else chances + (1 - total) / KINDS
    return (1 - DISTRUST) * chances + DISTRUST / KINDS


def _kinds_of(tile: Tile) -> list[int]:
    """The tiles that a reading may be: one where it is whole, several where half of it was read, none for ``?``."""
    if tile.readable:
        return [NUMBER[tile]]
    if tile == Tile.UNREAD:
        return []
    return [
        k
        for k, t in enumerate(ALL_TILES)
        if not t.is_joker and tile.colour in ("?", t.colour) and tile.number in (0, t.number)
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Belief:
    """Log probabilities summed over ``frames`` looks; ``read`` is whether any of them could read the tile."""

    logs: Chances = field(default_factory=lambda: np.zeros(KINDS))
    frames: float = 0.0
    read: bool = False

    def seen(self, reading: TileReading) -> Belief:
        """The belief after one more look."""
        weight = 1.0 if reading.tile != Tile.UNREAD else UNREAD_WEIGHT
        return Belief(
            self.logs + weight * np.log(chances_of(reading)),
            self.frames + weight,
            self.read or reading.tile != Tile.UNREAD,
        )

    def joined(self, other: Belief) -> Belief:
        """The belief from the looks of both."""
        return Belief(self.logs + other.logs, self.frames + other.frames, self.read or other.read)

    @property
    def chances(self) -> Chances:
        """The fused probabilities (53,): the looks multiplied, as if there were `MOST_FRAMES` of them at most."""
        logs = self.logs * (min(self.frames, MOST_FRAMES) / self.frames) if self.frames else self.logs
        raised = np.exp(logs - logs.max())
        return np.asarray((1 - LEFT_OVER) * raised / raised.sum() + LEFT_OVER / KINDS, np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """The whole table's reading: ``kinds`` (n,) as indices into `ALL_TILES`, each with its probability ``chance``;
    ``doubted`` where the box holds fewer than were read and it is not known which one is another tile.
    """

    kinds: NDArray[np.int64]
    chance: NDArray[np.float64]
    doubted: NDArray[np.bool_]


def limits(copies: int, jokers: int) -> NDArray[np.int64]:
    """How many the box holds of each tile, (53,)."""
    return np.array([jokers if tile.is_joker else copies for tile in ALL_TILES], np.int64)


def joint(chances: np.ndarray, fixed: Sequence[bool], most: np.ndarray, sure: float = 0.9) -> Joint:
    """The most probable tiles of a table, given how many of each the box holds.

    Each tile is what it most probably is. Where that is more of a kind than there are, the most probable
    assignment of all tiles concerned is taken, and a tile's probability is that of its choice against the best
    assignment without it. Where that is below ``sure``, or makes a tile something that its own looks hardly
    allow, nothing is changed and the copies are doubted.

    Args:
        chances: (n, 53), each row's sum 1.
        fixed: tiles that a person has named: never changed.
        most: (53,) how many there are of each.
        sure: least probability of a changed reading.
    """
    chances = np.asarray(chances, float).reshape(-1, KINDS)
    own = chances.argmax(1)
    kinds = own.copy()
    chance = chances[np.arange(len(own)), own]
    doubted = np.zeros(len(own), bool)
    held = np.asarray(fixed, bool)
    if (_count(own) > most).any():
        part = _concerned(chances, own, held, most)
        best, odds = _assigned(chances[part], most - _count(own[np.setdiff1d(np.arange(len(own)), part)]))
        for i, choice, p in zip(part, best, odds, strict=True):
            if p >= sure and chances[i, choice] >= PLAUSIBLE:
                kinds[i], chance[i] = choice, p
            else:
                doubted[i] = True
                chance[i] = min(chance[i], p)
    for kind in np.flatnonzero(_count(kinds[~doubted]) > most):
        doubted |= kinds == kind
    return Joint(kinds, chance, doubted)


def _count(kinds: np.ndarray) -> np.ndarray:
    return np.bincount(kinds, minlength=KINDS)


def _concerned(chances: np.ndarray, own: np.ndarray, fixed: np.ndarray, most: np.ndarray) -> np.ndarray:
    """The tiles whose reading may change: those of kinds there are too many of, and on along likely others."""
    over = _count(own) > most
    reached: set[int] = set()
    kinds = set(np.flatnonzero(over).tolist())
    while True:
        new = {int(i) for i in np.flatnonzero(np.isin(own, list(kinds)) & ~fixed)} - reached
        if not new:
            return np.array(sorted(reached), int)
        reached |= new
        # Also kinds of which there is room: several tiles may want the same room, and one of them has to go on.
        kinds |= {int(k) for i in new for k in np.flatnonzero(chances[i] > LINKED)}


def _assigned(chances: np.ndarray, free: np.ndarray) -> tuple[list[int], list[float]]:
    """The most probable tile for each row with ``free`` copies of each, and its probability against all else."""
    slots = np.repeat(np.arange(KINDS), np.clip(free, 0, len(chances)))
    logs = np.log(chances)[:, slots]

    def best(scores: np.ndarray) -> tuple[list[int], float]:
        taken = assign(-scores)
        return taken, float(scores[np.arange(len(scores)), taken].sum())

    if not len(chances) or len(slots) < len(chances):
        return [int(k) for k in chances.argmax(1)], [0.0] * len(chances)
    taken, total = best(logs)
    kinds = [int(slots[j]) for j in taken]
    odds = []
    for i, kind in enumerate(kinds):
        barred = logs.copy()
        barred[i, slots == kind] = -1e6
        odds.append(float(1 / (1 + np.exp(min(700.0, best(barred)[1] - total)))))
    return kinds, odds
