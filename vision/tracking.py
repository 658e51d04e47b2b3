"""Tracking: what lies where, over time. One of the three places of the house where state lives.

The tracker takes the readings of frames at rest and keeps tiles with ids that stay: a tile that lies still is
found by its place, one that was moved by its face, and its probabilities are fused over the frames in which it
was seen. A covered tile is remembered. Physical facts are used and named where they do not hold: tiles do not
leave the table by themselves, the box holds so many copies, the rack so many tiles. Legality is never used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from referee.tiles import Tile
from vision.beliefs import Belief, chances_of
from vision.cover import Cover
from vision.matching import STILL, Side, distances, match
from vision.reading import Reading, TileReading
from vision.tracked import Account, Gone, Question, Tracked, TrackingRules, Turn, Whereabouts, account

HIDDEN = 0.15
"""Share of a tile under a hand from which on its face is not read, and its absence means nothing."""
REACH = 1.3
"""A hand that was this near to a tile (in tile sizes) may have touched it."""
OVERLAP = 0.4
"""Share of a tile's place that another tile lies on: it is not there any more."""
FLEETING = 2
"""A tile seen in so few frames, and then more often not, was none."""
CONTRARY_LOOKS = 2
"""Looks, since a hand was there, that must agree on another face before it is another tile."""
SURE_FACE, NO_FACE = 0.8, 0.05
MOST_GONE = 60
STEADY = 0.4
"""Weight of a new outline of a tile that lies still; the rest damps jitter."""


class TrackingError(ValueError):
    """An answer that cannot be taken: one line that says why."""


class Tracker:
    """Follows the tiles of one table.

    Between two rests `cover` must be told where hands were, or that something moved: what nobody touched is
    taken to be what it was, and is not read again.

    >>> tracker = Tracker()
    >>> tracker.observe(Reading(640, 480)).tiles
    ()
    """

    def __init__(self, rules: TrackingRules | None = None) -> None:
        self.rules = rules or TrackingRules()
        self._tiles: dict[int, Tracked] = {}
        self._next = 0
        self._hands = Cover.nothing()
        self._turn: Turn | None = None
        self._frame = Reading(1, 1)
        self._account: Account = account((), self._frame, self.rules)

    # What is known

    @property
    def reading(self) -> Reading:
        """The table as it is known now, with ids that stay."""
        return self._account.reading

    @property
    def questions(self) -> tuple[Question, ...]:
        """What a person should be asked, one question an unsure tile."""
        return self._account.questions

    @property
    def gone(self) -> tuple[Gone, ...]:
        """Tiles that were on the table (when the turn began, if it was said) and were taken from it."""
        return self._account.gone

    @property
    def whereabouts(self) -> dict[int, Whereabouts]:
        """Of every tile that is remembered, by id."""
        return {t.id: t.whereabouts for t in self._tiles.values()}

    @property
    def settled(self) -> bool:
        """Whether one more frame of the same table would tell nothing new."""
        return not any(t.whereabouts is Whereabouts.SEEN and self._wants(t) for t in self._tiles.values())

    # What is told

    def cover(self, where: Cover) -> None:
        """A hand was there, in a frame that is not read. To be told between the frames at rest.

        Where something moved and nobody knows where, `Cover.everywhere`.
        """
        self._hands = self._hands | where

    def start_turn(self, rack: int | None = None) -> None:
        """A turn starts with the table as it lies: tiles taken before are forgotten.

        Args:
            rack: how many tiles the player holds; None where that is not known.
        """
        if rack is not None and rack < 0:
            raise TrackingError(f"a rack holds 0 tiles or more, not {rack}")
        self._tiles = {n: t for n, t in self._tiles.items() if t.on_table}
        self._turn = Turn(frozenset(self._tiles), rack)
        self._take_stock()

    def to_read(self, quads: np.ndarray, covered: Cover | None = None) -> NDArray[np.bool_]:
        """Which of the tiles found in a frame at rest need their face read.

        Those that do not lie where a known tile lies still, and known ones of which another look would help.
        Tiles under a hand need not be read. The others go to `observe` as ``still``.

        Args:
            quads: (n, 4, 2) outlines in pixels.
            covered: where a hand is in this frame.
        """
        quads = np.asarray(quads, float).reshape(-1, 4, 2)
        hands = self._hands | (covered or Cover.nothing())
        wanted = np.ones(len(quads), bool)
        touched = hands.share(_grown(quads)) > 0
        for j, tile in self._lying_at(quads).items():
            wanted[j] = touched[j] or self._wants(tile)
        if covered is not None:
            wanted &= covered.share(quads) <= HIDDEN
        return wanted

    def observe(self, reading: Reading, covered: Cover | None = None, still: np.ndarray | None = None) -> Reading:
        """Takes one frame at rest.

        Args:
            reading: its tiles, or those that `to_read` asked for; its sets are not used.
            covered: where a hand is in this frame.
            still: (n, 4, 2) outlines of tiles that were found and not read.

        Returns:
            `self.reading`.
        """
        covered = covered or Cover.nothing()
        hands = self._hands | covered
        self._frame = reading
        self._touch(hands)
        quads = np.zeros((0, 4, 2)) if still is None else np.asarray(still, float).reshape(-1, 4, 2)
        lying = self._lying_at(quads)
        for j, tile in lying.items():
            self._tiles[tile.id] = _lies_on(tile, quads[j])
        unread = [_unread(quads[j]) for j in range(len(quads)) if j not in lying]
        self._match([*reading.tiles, *unread], covered, hands, {t.id for t in lying.values()})
        self._hands = covered  # a hand that is there now will have been there when the next frame comes
        self._take_stock()
        return self.reading

    def answer(self, tile_id: int, tile: Tile | None) -> Reading:
        """What a person says tile ``tile_id`` is; None says that no tile lies there.

        It holds while the tile lies there, whatever is read. Raises `TrackingError`.
        """
        known = self._tiles.get(tile_id)
        if known is None or not known.on_table:
            raise TrackingError(f"no tile {tile_id} lies on the table any more")
        if tile is None:
            del self._tiles[tile_id]
        elif not tile.readable:
            raise TrackingError(f"an answer names a tile such as r5 or j, not {tile}")
        else:
            belief = known.contrary or known.belief
            here = Whereabouts.SEEN if known.whereabouts is Whereabouts.MISSING else known.whereabouts
            touched = known.touched and not known.told
            self._tiles[tile_id] = replace(
                known,
                answer=tile,
                belief=belief,
                contrary=None,
                doubt=False,
                whereabouts=here,
                misses=0,
                touched=touched,
            )
        self._take_stock()
        return self.reading

    def add(self, quad: np.ndarray, tile: Tile) -> Reading:
        """A tile that the camera does not see lies here, a person says: ``quad`` (4, 2) pixels, from its own top left.

        It stays until it is seen, or a hand comes near it; then it is asked about. Raises `TrackingError`.
        """
        if not tile.readable:
            raise TrackingError(f"a tile that is added has a name such as r5 or j, not {tile}")
        place = np.asarray(quad, float).reshape(4, 2)
        present = [t.quad for t in self._tiles.values() if t.on_table]
        if present and (distances(np.array(present), place[None]) < STILL).any():
            raise TrackingError("a tile lies there already: correct that one")
        self._add(Tracked(self._next, place, Belief(), 0.0, hits=0, looks=0, answer=tile, told=True))
        self._take_stock()
        return self.reading

    def shift(self, homography: np.ndarray) -> Reading:
        """The camera was nudged: every place (pixels before) moves by this (3, 3) homography (to pixels now)."""
        if self._tiles:
            places = np.array([t.quad for t in self._tiles.values()], np.float64).reshape(-1, 1, 2)
            moved = cv2.perspectiveTransform(places, np.asarray(homography, np.float64)).reshape(-1, 4, 2)
            pairs = zip(self._tiles.items(), moved, strict=True)
            self._tiles = {n: replace(t, quad=quad) for (n, t), quad in pairs}
        self._take_stock()
        return self.reading

    def uproot(self) -> Reading:
        """Another camera looks at the table from now on: each tile is found again by its face, wherever it is seen."""
        self._tiles = {n: replace(t, whereabouts=Whereabouts.GONE) for n, t in self._tiles.items()}
        self._hands = Cover.everywhere()
        self._take_stock()
        return self.reading

    def confine(self, inside: Callable[[np.ndarray], NDArray[np.bool_]]) -> Reading:
        """The playing area was set anew: tiles outside it never lay on the table, as far as this tracker knows.

        Args:
            inside: which of the outlines (n, 4, 2) lie in the area.
        """
        tiles = list(self._tiles.values())
        stay = inside(np.array([t.quad for t in tiles]).reshape(-1, 4, 2))
        self._tiles = {t.id: t for t, is_in in zip(tiles, stay, strict=True) if is_in}
        self._take_stock()
        return self.reading

    # Steps

    def _take_stock(self) -> None:
        self._account = account(self._tiles.values(), self._frame, self.rules, self._turn)

    def _wants(self, tile: Tracked) -> bool:
        return tile.wants_reading(tile.id in self._account.unsure, self.rules)

    def _lying_at(self, quads: np.ndarray) -> dict[int, Tracked]:
        """For each quad the tile that lies there, if one does: the nearest, each once."""
        present = [t for t in self._tiles.values() if t.on_table]
        if not present or not len(quads):
            return {}
        d = distances(np.array([t.quad for t in present]), quads)
        lying: dict[int, Tracked] = {}
        for i, j in zip(*np.unravel_index(np.argsort(d, axis=None), d.shape), strict=True):
            if d[i, j] >= STILL:
                break
            if int(j) not in lying and present[i] not in lying.values():
                lying[int(j)] = present[i]
        return lying

    def _touch(self, hands: Cover) -> None:
        """Remembers of which tiles a hand came near."""
        present = [t for t in self._tiles.values() if t.on_table]
        near = hands.share(_grown(np.array([t.quad for t in present]))) > 0
        self._tiles |= {t.id: replace(t, touched=True) for t, hit in zip(present, near, strict=True) if hit}

    def _match(self, fresh: Sequence[TileReading], covered: Cover, hands: Cover, done: set[int]) -> None:
        """Joins what was read with the tiles known before, those in ``done`` apart."""
        hidden = covered.share(_quads(fresh)) > HIDDEN
        fresh = [r for r, under in zip(fresh, hidden, strict=True) if not under]
        old = [t for t in self._tiles.values() if t.id not in done]
        places, quads = np.array([t.quad for t in old]).reshape(-1, 4, 2), _quads(fresh)
        under_hand = covered.share(places) > HIDDEN
        before = Side(
            places,
            np.array([t.belief.chances for t in old]),
            np.array([t.touched for t in old], bool),
            under_hand,
            np.array([not t.on_table for t in old], bool),
        )
        none = np.zeros(len(fresh), bool)
        looks = np.array([chances_of(r) for r in fresh])
        now = Side(quads, looks, hands.share(_grown(quads)) > 0, none, none)
        pairs = match(before, now)
        d = distances(places, quads) if len(old) and len(fresh) else np.zeros((len(old), len(fresh)))
        stayed = [(i, j) for i, j in pairs if d[i, j] < STILL and old[i].on_table]
        moved = [pair for pair in pairs if pair not in stayed]
        arrived = set(range(len(fresh))) - {j for _, j in stayed}
        left = [t for i, t in enumerate(old) if i not in {i for i, _ in stayed}]
        mixed_up = _mixed_up(left, [fresh[j] for j in arrived])

        for i, j in stayed:
            self._stays(old[i], fresh[j])
        for i, j in moved:
            doubt = old[i].doubt or fresh[j].tile in mixed_up
            self._tiles[old[i].id] = _moves(old[i], fresh[j], doubt)
        for j in sorted(arrived - {j for _, j in moved}):
            self._comes(fresh[j], fresh[j].tile in mixed_up)
        matched = {i for i, _ in pairs}
        unseen = {t.id for i, t in enumerate(old) if i not in matched}
        taken = np.array([t.quad for t in self._tiles.values() if t.id not in unseen])
        for i, t in enumerate(old):
            if i not in matched and t.on_table:
                self._is_not_seen(t, bool(under_hand[i]), taken)
        self._reunite()
        self._forget()

    def _stays(self, tile: Tracked, look: TileReading) -> None:
        """A tile was read at the place where this one lay: it is the same, or another was laid there by a hand."""
        agreed = tile.answer is not None and look.tile == tile.answer and not look.unsure
        contrary = not agreed and _contradicts(look, tile.belief) and (tile.touched or tile.contrary is not None)
        tile = _lies_on(tile, np.array(look.quad), look.confidence)
        if not contrary:
            belief = tile.belief.joined(tile.contrary) if tile.contrary else tile.belief
            tile = replace(tile, belief=belief.seen(look), contrary=None)
        else:
            tile = replace(tile, contrary=(tile.contrary or Belief()).seen(look))
        tile = replace(tile, looks=tile.looks + 1, touched=False)
        self._tiles[tile.id] = tile
        other = tile.contrary
        if other and other.frames >= CONTRARY_LOOKS and other.chances.max() >= SURE_FACE and tile.answer is None:
            self._tiles[tile.id] = replace(tile, whereabouts=Whereabouts.GONE, contrary=None)
            self._add(Tracked(self._next, tile.quad, other, look.confidence, looks=CONTRARY_LOOKS))

    def _comes(self, look: TileReading, doubt: bool) -> None:
        belief = Belief().seen(look)
        self._add(Tracked(self._next, np.array(look.quad, float), belief, look.confidence, doubt=doubt))

    def _add(self, tile: Tracked) -> None:
        self._tiles[tile.id] = tile
        self._next = tile.id + 1

    def _is_not_seen(self, tile: Tracked, covered: bool, taken: np.ndarray) -> None:
        x, y = tile.quad.mean(0)
        if covered or not (0 <= x < self._frame.width and 0 <= y < self._frame.height):
            self._tiles[tile.id] = replace(tile, whereabouts=Whereabouts.COVERED)
        elif tile.told and not _lain_on(tile.quad, taken):
            if tile.touched:
                self._tiles[tile.id] = replace(tile, whereabouts=Whereabouts.MISSING)
        elif tile.touched or _lain_on(tile.quad, taken):
            self._tiles[tile.id] = replace(tile, whereabouts=Whereabouts.GONE, contrary=None)
        else:
            missing = replace(tile, whereabouts=Whereabouts.MISSING, misses=tile.misses + 1)
            known = tile.answer is not None or (self._turn is not None and tile.id in self._turn.before)
            if missing.hits <= FLEETING and missing.misses > missing.hits and not known:
                del self._tiles[tile.id]
            else:
                self._tiles[tile.id] = missing

    def _reunite(self) -> None:
        """A tile misread when it was laid again was taken for a new one: equal tiles cannot be told apart."""
        before = self._turn.before if self._turn else frozenset()
        # What a person named while it lay there is no new tile.
        new = [t for t in self._tiles.values() if t.on_table and t.id not in before and t.answer is None]
        for gone in [t for t in self._tiles.values() if not t.on_table]:
            for t in new:
                sure = min(t.chances.max(), gone.chances.max()) > self.rules.sure
                if sure and t.id > gone.id and t.best == gone.best:
                    del self._tiles[t.id]
                    self._tiles[gone.id] = replace(t, id=gone.id)
                    new.remove(t)
                    break

    def _forget(self) -> None:
        """Keeps memory flat over a day on which nobody says when a turn starts."""
        for tile_id in [n for n, t in self._tiles.items() if not t.on_table][:-MOST_GONE]:
            del self._tiles[tile_id]


def _quads(tiles: Sequence[TileReading]) -> np.ndarray:
    return np.array([t.quad for t in tiles], float).reshape(-1, 4, 2)


def _grown(quads: np.ndarray) -> np.ndarray:
    quads = np.asarray(quads, float).reshape(-1, 4, 2)
    middle = quads.mean(1, keepdims=True)
    return middle + REACH * (quads - middle)


def _unread(quad: np.ndarray) -> TileReading:
    a, b, c, d = ((float(x), float(y)) for x, y in quad)
    return TileReading(0, Tile.UNREAD, 0.0, True, (a, b, c, d))


def _aligned(quad: np.ndarray, like: np.ndarray) -> np.ndarray:
    """The same outline, begun at the corner that makes it most like another."""
    turns = [np.roll(quad, -k, axis=0) for k in range(4)]
    return min(turns, key=lambda q: float(np.abs(q - like).sum()))


def _lies_on(tile: Tracked, quad: np.ndarray, confidence: float = 0.0) -> Tracked:
    """Seen again at its place; the first corner is that of its surest look."""
    like = _aligned(np.asarray(quad, float), tile.quad)
    turned = confidence > tile.sight and not np.allclose(like, quad)
    if turned or tile.touched:
        place = np.asarray(quad, float) if turned else like
    else:
        place = (1 - STEADY) * tile.quad + STEADY * like
    sight = max(tile.sight, confidence)
    seen = Whereabouts.SEEN
    return replace(tile, quad=place, sight=sight, hits=tile.hits + 1, misses=0, whereabouts=seen, told=False)


def _moves(tile: Tracked, look: TileReading, doubt: bool) -> Tracked:
    belief = tile.belief.joined(tile.contrary) if tile.contrary else tile.belief
    return replace(
        tile,
        quad=np.array(look.quad, float),
        belief=belief.seen(look),
        sight=look.confidence,
        hits=tile.hits + 1,
        misses=0,
        looks=1,
        whereabouts=Whereabouts.SEEN,
        contrary=None,
        touched=False,
        doubt=doubt,
        told=False,
    )


def _contradicts(look: TileReading, belief: Belief) -> bool:
    """Whether both are sure, of different faces."""
    now, before = chances_of(look), belief.chances
    a, b = int(before.argmax()), int(now.argmax())
    return bool(a != b and before[a] >= SURE_FACE and now[b] >= SURE_FACE and now[a] <= NO_FACE)


def _mixed_up(left: Sequence[Tracked], arrived: Sequence[TileReading]) -> set[Tile]:
    """Faces by which moved tiles cannot be told apart, because a person said that one of them is another tile."""
    mixed = set()
    for tile in {look.tile for look in arrived if look.tile.readable}:
        old = [t for t in left if t.belief.read and _face(t) == tile]
        meant = {t.best for t in old}
        if meant - {tile} and (len(meant) > 1 or sum(look.tile == tile for look in arrived) > len(old)):
            mixed.add(tile)
    return mixed


def _face(tile: Tracked) -> Tile:
    """What it looks like, whatever a person said."""
    return replace(tile, answer=None, contrary=None).best


def _lain_on(place: np.ndarray, others: np.ndarray) -> bool:
    """Whether another tile lies where this one lay."""
    own = np.asarray(place, np.float32)
    area = max(1.0, abs(float(cv2.contourArea(own))))
    reach = np.hypot(*(own[0] - own[2]))
    for other in others:
        near = np.hypot(*(other.mean(0) - own.mean(0))) < reach
        if near and cv2.intersectConvexConvex(own, np.asarray(other, np.float32))[0] > OVERLAP * area:
            return True
    return False
