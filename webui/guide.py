"""The way back to the snapshot, as hands are led along it: a list that ticks itself off and does not jump about.

A `Guide` follows one restoring over many readings: what was done stays listed as done, in whatever order it was done.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from referee.restore import Restoration, Spot, Step, restore
from referee.snapshot import Placed, Quad, Row, Snapshot
from referee.tiles import Tile
from vision.reading import Reading, TileReading
from webui.ghosts import on_one_another, places, width

EVERYWHERE = (1 << 16, 1 << 16)
IN_PLACE = 0.35
"""A tile that is so near (in tile widths) to where it lay was not lifted."""


@dataclass(slots=True)
class Item:
    """One line of the list: a tile to be laid at ``target`` of the snapshot, or (None) to be taken to the rack.

    ``lies`` is where it lies now, None where it is in somebody's hand; ``belongs`` where it goes in the picture as
    it is now; ``onto`` the number of the set on the table that it goes to; ``tile_id`` the reading's.
    """

    id: int
    tile: Tile
    target: Spot | None
    done: bool = False
    lies: Quad | None = None
    belongs: Quad | None = None
    onto: int | None = None
    tile_id: int | None = None


class Guide:
    """Leads from whatever lies on the table back to ``before``.

    >>> guide = Guide(Snapshot.of([["b6", "b7", "b8"]]))
    >>> guide.look(Snapshot.of([["b6", "b8"], ["b7", "r1"]]))
    >>> [(str(item.tile), item.done) for item in guide.items]
    [('r1', False), ('b7', False)]
    >>> guide.look(Snapshot.of([["b6", "b7", "b8"], ["r1"]]))
    >>> [(str(item.tile), item.done) for item in guide.items]
    [('r1', False), ('b7', True)]
    """

    def __init__(self, before: Snapshot, was: Snapshot | None = None) -> None:
        """``was`` is how the same lay in the snapshot's own picture, where that is another (the camera was nudged)."""
        self.before, self.was = before, was or before
        self.items: list[Item] = []
        """In the order in which they are shown."""
        self.way: Restoration | None = None
        """From the last reading; None before there was one."""
        self.doubts: tuple[int, ...] = ()
        """Tiles of the last reading that somebody has to name before the table can be said to be restored."""
        self._places = before
        """The snapshot with each tile where it belongs now."""

    @property
    def restored(self) -> bool:
        """Whether the sets are the same, wherever they lie, and no tile is in doubt."""
        return self.way is not None and self.way.restored and not self.doubts

    @property
    def missing(self) -> tuple[Tile, ...]:
        """Tiles of the snapshot that are not on the table."""
        return self.way.missing if self.way is not None else ()

    @property
    def current(self) -> Item | None:
        """What is to be done now: the first that is not done, one that can be seen before one that cannot."""
        left = [item for item in self.items if not item.done]
        return next((item for item in left if item.lies is not None), left[0] if left else None)

    def see(self, reading: Reading) -> None:
        """The table at rest, as it is known now."""
        self.doubts = tuple(t.id for t in reading.tiles if t.unsure or not t.tile.readable)
        now = _as_it_lay(_most_likely(reading, self.before), self._places)
        self.look(now, (reading.width, reading.height))
        place = {n: k for k, row in enumerate([*reading.sets, *((n,) for n in reading.loose)]) for n in row}
        for item in self.items:
            if item.onto is not None:
                item.onto = next((place[p.id] for p in now.rows[item.onto] if p.id in place), None)

    def look(self, now: Snapshot, size: tuple[int, int] = EVERYWHERE) -> None:
        """The table as it lies, in a picture of ``size`` (width, height)."""
        first = self.way is None
        self.way = restore(self._places, now)
        self._places = places(self.before, self.way, now, size, None if first else self._places)
        self._list(now)

    def moved(self, move: Callable[[Snapshot], Snapshot]) -> None:
        """The camera was nudged; ``move`` says how a snapshot lies in its picture now. The list stays as it is."""
        self.before, self._places = move(self.before), move(self._places)

    def _list(self, now: Snapshot) -> None:
        assert self.way is not None
        steps = {step.target: step for step in self.way.steps}
        stays = {target for target, _ in self.way.stays}
        wanted = [Spot(i, j) for i, row in enumerate(self.before.rows) for j in range(len(row))]
        open_spots = [*self._order(now), *(s for s in wanted if s not in steps and s not in stays)]
        built_on = {target.set: source.set for target, source in self.way.stays}
        self._rename(open_spots)
        left = set(open_spots)
        for item in self.items:
            if item.target is not None:
                item.done = item.target not in left
                left.discard(item.target)
        self._list_rack(now)
        for spot in open_spots:
            if spot in left:
                self._add(self.before.rows[spot.set][spot.index].tile, spot)
        for item in self.items:
            if item.done:
                item.lies = item.belongs = item.onto = None
            if item.target is None or item.done:
                continue
            step = steps.get(item.target)
            source = None if step is None else _at(now, step.source)
            item.lies = None if source is None else source.quad
            item.tile_id = None if source is None else source.id
            item.belongs = _keep_still(item.belongs, _at(self._places, item.target).quad)
            item.onto = built_on.get(item.target.set)

    def _list_rack(self, now: Snapshot) -> None:
        """Tiles for the rack are found again by their ids, where a guess at their face changes; else by face."""
        assert self.way is not None
        lying = [_at(now, spot) for spot in self.way.rack_spots]
        mine = [item for item in self.items if item.target is None]
        for same in (_same_id, _same_open, _same_tile):
            for placed in tuple(lying):
                item = next((i for i in mine if same(i, placed)), None)
                if item is not None:
                    mine.remove(item)
                    lying.remove(placed)
                    item.done, item.tile, item.lies, item.tile_id = False, placed.tile, placed.quad, placed.id
        for item in mine:
            item.done, item.lies = True, None
        for placed in lying:
            self._add(placed.tile, None)
            self.items[-1].lies, self.items[-1].tile_id = placed.quad, placed.id

    def _rename(self, open_spots: Sequence[Spot]) -> None:
        """Where two sets of the snapshot are alike, a line of the one may stand for the other."""
        rows = [sorted(p.tile for p in row) for row in self.before.rows]
        known = {item.target: item for item in self.items if item.target is not None}
        spare = [item for spot, item in known.items() if spot not in open_spots and not item.done]
        for spot in open_spots:
            if spot in known:
                continue
            tile = self.before.rows[spot.set][spot.index].tile
            alike = (
                i for i in spare if i.tile == tile and i.target and rows[i.target.set] == rows[spot.set]
            )
            item = next(alike, None)
            if item is not None:
                spare.remove(item)
                item.target = spot

    def _add(self, tile: Tile, target: Spot | None) -> None:
        self.items.append(Item(len(self.items), tile, target))

    def _order(self, now: Snapshot) -> list[Spot]:
        """The steps so that each lays its tile beside one that lies there, and if it can be where no tile lies."""
        assert self.way is not None
        waiting = list(self.way.steps)
        there = {target for target, _ in self.way.stays}
        order: list[Spot] = []
        while waiting:
            ready = [s for s in waiting if s.beside is None or s.beside in there] or waiting
            step = next((s for s in ready if not self._blocked(s, waiting, now)), ready[0])
            waiting.remove(step)
            there.add(step.target)
            order.append(step.target)
        return order

    def _blocked(self, step: Step, waiting: Sequence[Step], now: Snapshot) -> bool:
        place = _at(self._places, step.target).quad
        others = [_at(now, s.source).quad for s in waiting if s is not step]
        return place is not None and on_one_another(_array(place), [_array(q) for q in others if q is not None])

    def document(self) -> dict[str, Any]:
        """The list as it is shown, and the tiles that are nowhere.

        Each of ``items`` has ``id``, ``tile``, ``done``, ``kind`` (``move`` or ``rack``), outlines in pixels or
        None: ``lies`` and ``belongs`` in the live picture, ``was`` in the snapshot's; ``index`` the tile's
        place in the snapshot's set, whose tiles are ``row``; ``onto`` the place in the list of the sets that lie
        now; ``now`` on the one to be done next.
        """
        current = self.current
        return {
            "restored": self.restored,
            "items": [self._item(item, item is current) for item in self.items],
            "missing": [str(t) for t in self.missing],
            "doubts": list(self.doubts),
        }

    def _item(self, item: Item, now: bool) -> dict[str, Any]:
        document: dict[str, Any] = {
            "id": item.id,
            "kind": "rack" if item.target is None else "move",
            "tile": str(item.tile),
            "done": item.done,
            "now": now,
            "lies": _rounded(item.lies),
        }
        if item.target is not None:
            document |= {
                "belongs": _rounded(item.belongs),
                "was": _rounded(_at(self.was, item.target).quad),
                "onto": item.onto,
                "row": [str(p.tile) for p in self.before.rows[item.target.set]],
                "index": item.target.index,
            }
        return document


def _at(snapshot: Snapshot, spot: Spot) -> Placed:
    return snapshot.rows[spot.set][spot.index]


def _most_likely(reading: Reading, before: Snapshot) -> Snapshot:
    """What lies there, a tile in doubt taken for one that is missed, if it may be that one.

    Tiles of the table stay on it, so that is the likeliest; and the list does not change with every guess.
    """
    snapshot = Snapshot.of(reading.to_json())
    doubted = {t.id: t for t in reading.tiles if t.unsure or not t.tile.readable}
    if not doubted:
        return snapshot
    missed = before.tiles - Counter(t.tile for t in reading.tiles if t.id not in doubted)
    taken: dict[int, Tile] = {}
    for t in sorted(doubted.values(), key=lambda t: -t.confidence):
        likely = [t.tile, *(tile for tile, _ in t.alternatives)]
        tile = next((a for a in likely if missed[a] > 0), None)
        if tile is None and not t.tile.readable:
            tile = _nearest(t, before, missed)
        if tile is not None:
            missed[tile] -= 1
            taken[t.id] = tile

    def named(row: Row) -> Row:
        return tuple(replace(p, tile=taken[p.id]) if p.id in taken else p for p in row)

    return Snapshot(tuple(map(named, snapshot.sets)), named(snapshot.loose))


def _nearest(unread: TileReading, before: Snapshot, missed: Counter[Tile]) -> Tile | None:
    """Of the tiles that are missed and that an unread one may be, the one that lay nearest to it."""
    known = unread.tile
    fits = [
        p
        for row in before.rows
        for p in row
        if missed[p.tile] > 0 and known.colour in ("?", p.tile.colour) and known.number in (0, p.tile.number)
    ]
    return min(fits, key=lambda p: math.dist(p.centre or (0, 0), unread.centre)).tile if fits else None


def _as_it_lay(now: Snapshot, before: Snapshot) -> Snapshot:
    """Rows in which no tile was moved are the sets that lay there, also where they are read as one row or as more."""
    lay = [(i, p) for i, row in enumerate(before.rows) for p in row if p.quad is not None]
    still: dict[int, list[Placed]] = {}
    rows: list[Row] = []
    for row in now.rows:
        found = [_set_of(p, lay) for p in row]
        if None in found:
            rows.append(row)
            continue
        for i, p in zip(found, row, strict=True):
            assert i is not None
            still.setdefault(i, []).append(p)
    return Snapshot((*rows, *(tuple(row) for row in still.values())))


def _set_of(tile: Placed, lay: Sequence[tuple[int, Placed]]) -> int | None:
    if tile.quad is None:
        return None
    here = _array(tile.quad)
    for i, other in lay:
        if other.tile == tile.tile and other.quad is not None:
            there = _array(other.quad)
            if np.hypot(*(here.mean(0) - there.mean(0))) < IN_PLACE * width(there):
                return i
    return None


def _same_id(item: Item, placed: Placed) -> bool:
    return placed.id is not None and item.tile_id == placed.id


def _same_open(item: Item, placed: Placed) -> bool:
    return item.tile == placed.tile and not item.done


def _same_tile(item: Item, placed: Placed) -> bool:
    return item.tile == placed.tile


def _keep_still(old: Quad | None, new: Quad | None) -> Quad | None:
    """A place does not tremble with the readings."""
    if old is None or new is None:
        return new
    here, there = _array(old), _array(new)
    return old if float(np.abs(here - there).max()) < IN_PLACE * width(there) else new


def _array(quad: Quad) -> np.ndarray:
    return np.array(quad, float)


def _rounded(quad: Quad | None) -> list[list[float]] | None:
    return None if quad is None else [[round(x, 1), round(y, 1)] for x, y in quad]
