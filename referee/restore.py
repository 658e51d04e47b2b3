"""Putting a table back: the shortest list of single-tile moves from what lies there to the snapshot.

**What counts as the same.** A set is the same wherever it lies on the table, and in whatever place of the
list. Within a set the order does not matter, nor from which side it is read, with one exception: where a
joker could stand for another tile if it lay elsewhere (``r3 r4 j`` is 3-4-5, ``j r3 r4`` is 2-3-4), the
tiles must lie in the snapshot's order, read from either end.

**What counts as a move.** One tile lifted and laid into a set, at any place in it, or as the first tile of
a set of its own. A row stays one row when a tile is lifted out of it, and rows are not pushed together as a
whole. Tiles that were not on the table before go to the rack; these are listed apart
(`Restoration.to_rack`) and are no moves.

**Why the number is the smallest.** A tile need not be lifted only if it lies at the end in the same row as
now. What is left of a row at the end is one set of the snapshot (or nothing), and a set of the snapshot
contains what is left of at most one row of now, as rows are not pushed together. So the tiles that stay
belong to a one-to-one matching of rows to sets, and in a matched pair no more can stay than the tiles they
have in common (where the order matters: the longest common subsequence with the snapshot's order from one
of its ends). Every other tile of the snapshot is lifted at least once. The matching that keeps most, found
exactly as an assignment problem, therefore gives a lower bound; and it is reached, as every other tile is
laid once, straight to its final place. `tests/referee/test_restore.py` compares with a search through all
move sequences.

Among the lists with fewest moves: first the matching in which the tiles that stay lie nearest to where they
lay, then for equal tiles the sources with the least distance to go (both in pixels of the readings; with
plain layouts there are no distances). Neither the number of moves nor `Restoration.restored` depends on a
distance, so a nudged table is still restored.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from referee.assignment import assign
from referee.layout import Layout
from referee.snapshot import Placed, Row, Snapshot
from referee.tiles import Tile


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """A place in a layout: which set, which tile in it, both from 0. Loose tiles count as sets of one after
    the sets.
    """

    set: int
    index: int


@dataclass(frozen=True, slots=True)
class Step:
    """Lift ``tile`` from ``source``, a spot of the table as it was given, and lay it at ``target``, a spot
    of the snapshot.

    ``onto`` is the row of the table as given on which that set is being rebuilt, None for a new place;
    ``beside`` is the snapshot's spot of a neighbour that lies there already, None for the first tile of a
    new row.
    """

    tile: Tile
    source: Spot
    target: Spot
    onto: int | None = None
    beside: Spot | None = None


@dataclass(frozen=True, slots=True)
class Restoration:
    """How to put a table back. ``restored`` only if nothing is left to do and nothing is missing or unread.

    ``to_rack`` holds the tiles that were not on the table, ``rack_spots`` where each lies, ``missing`` the
    tiles of the snapshot that are nowhere, ``unread`` the spots of tiles that could not be read; with
    missing tiles the steps rebuild the rest. ``stays`` pairs the spot of the snapshot of each tile that is not
    lifted with its spot now.
    """

    restored: bool
    to_rack: tuple[Tile, ...]
    rack_spots: tuple[Spot, ...]
    steps: tuple[Step, ...]
    missing: tuple[Tile, ...]
    unread: tuple[Spot, ...]
    stays: tuple[tuple[Spot, Spot], ...] = field(default=(), compare=False)

    def document(self) -> dict[str, Any]:
        """As JSON holds it."""
        document: dict[str, Any] = {
            "restored": self.restored,
            "to_rack": [str(t) for t in self.to_rack],
            "steps": [
                {
                    "tile": str(step.tile),
                    "from": _spot(step.source),
                    "to": _spot(step.target),
                    "onto": step.onto,
                    "beside": None if step.beside is None else _spot(step.beside),
                }
                for step in self.steps
            ],
            "missing": [str(t) for t in self.missing],
            "rack_from": [_spot(spot) for spot in self.rack_spots],
        }
        if self.unread:
            document["unread"] = [_spot(spot) for spot in self.unread]
        return document


def restore(before: Snapshot | Layout, now: Snapshot | Layout) -> Restoration:
    """The shortest way from the table ``now`` back to ``before``. Pure; any tables, legal or not.

    Source: the issue of the referee, "Snapshot and restore", and CONTRACT.md, ``restore``.

    >>> way = restore(Layout.parse("b6 b7 b8"), Layout.parse("b6 b8 | b7 r1"))
    >>> [(str(s.tile), s.source, s.target) for s in way.steps], way.to_rack
    ([('b7', Spot(set=1, index=0), Spot(set=0, index=1))], (Tile.parse('r1'),))
    """
    wanted = (before if isinstance(before, Snapshot) else Snapshot.of_layout(before)).rows
    lying = (now if isinstance(now, Snapshot) else Snapshot.of_layout(now)).rows
    kept, onto = _keep(wanted, lying)
    source_of = _sources(wanted, lying, kept)
    steps = tuple(_steps(wanted, kept, onto, source_of))

    used = set(kept.values()) | set(source_of.values())
    now_spots = [(Spot(i, j), p.tile) for i, row in enumerate(lying) for j, p in enumerate(row)]
    to_rack = [(spot, tile) for spot, tile in now_spots if spot not in used and tile.readable]
    missing = tuple(
        p.tile
        for i, row in enumerate(wanted)
        for j, p in enumerate(row)
        if Spot(i, j) not in kept and Spot(i, j) not in source_of
    )
    unread = tuple(spot for spot, tile in now_spots if not tile.readable)
    return Restoration(
        restored=not (steps or to_rack or missing or unread),
        to_rack=tuple(tile for _, tile in to_rack),
        rack_spots=tuple(spot for spot, _ in to_rack),
        steps=steps,
        missing=missing,
        unread=unread,
        stays=tuple(kept.items()),
    )


def order_matters(row: Sequence[Tile]) -> bool:
    """Whether a joker in this set could stand for another tile if it lay elsewhere in it.

    So in a set with jokers that can be a run (numbers of one colour, none twice) and whose numbers, with
    its jokers, fit into more than one stretch of 1-13 (RULES.md, "The tiles and the sets"). Of jokers alone
    every order is the same.
    """
    numbers = [t.number for t in row if not t.is_joker]
    if len(numbers) == len(row) or not numbers:
        return False
    if len({t.colour for t in row if not t.is_joker}) > 1 or len(set(numbers)) < len(numbers):
        return False
    first = max(1, max(numbers) - len(row) + 1)
    last = min(min(numbers), 13 - len(row) + 1)
    return last > first


def _keep(wanted: Sequence[Row], lying: Sequence[Row]) -> tuple[dict[Spot, Spot], list[int | None]]:
    """The tiles that stay (snapshot's spot to the table's), and for each wanted set the row it is rebuilt
    on.
    """
    holders: dict[Tile, set[int]] = defaultdict(set)
    for i, row in enumerate(lying):
        for placed in row:
            holders[placed.tile].add(i)
    stays: list[dict[int, list[tuple[int, int]]]] = []
    far: list[dict[int, int]] = []
    for row in wanted:
        candidates = sorted({i for p in row for i in holders.get(p.tile, ())})
        stays.append({i: _common(row, lying[i]) for i in candidates})
        far.append({i: sum(_distance(row[a], lying[i][b]) for a, b in stays[-1][i]) for i in candidates})
    # One tile more that stays outweighs every distance.
    unit = 1 + sum(max(line.values(), default=0) for line in far)
    weights = [
        [unit * len(pairs[i]) - apart[i] if i in pairs else 0 for i in range(len(lying))]
        for pairs, apart in zip(stays, far, strict=True)
    ]
    onto = assign(weights)
    kept = {
        Spot(w, a): Spot(i, b) for w, i in enumerate(onto) if i is not None for a, b in stays[w][i]
    }
    return kept, onto


def _common(wanted: Row, lying: Row) -> list[tuple[int, int]]:
    """The most tiles of a row that can stay in a wanted set, as pairs of places (in the set, in the row)."""
    if order_matters([p.tile for p in wanted]):
        ahead = _subsequence(wanted, lying)
        back = [(len(wanted) - 1 - a, b) for a, b in _subsequence(wanted[::-1], lying)]
        return ahead if len(ahead) >= len(back) else back
    places: dict[Tile, list[int]] = defaultdict(list)
    for b, placed in enumerate(lying):
        places[placed.tile].append(b)
    pairs = []
    for a, placed in enumerate(wanted):
        if places[placed.tile]:
            pairs.append((a, places[placed.tile].pop(0)))
    return pairs


def _subsequence(left: Row, right: Row) -> list[tuple[int, int]]:
    """The longest common subsequence of two rows, as pairs of places."""
    best = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for a in reversed(range(len(left))):
        for b in reversed(range(len(right))):
            best[a][b] = max(best[a + 1][b], best[a][b + 1])
            if left[a].tile == right[b].tile:
                best[a][b] = max(best[a][b], 1 + best[a + 1][b + 1])
    pairs, a, b = [], 0, 0
    while a < len(left) and b < len(right):
        if left[a].tile == right[b].tile and best[a][b] == 1 + best[a + 1][b + 1]:
            pairs.append((a, b))
            a, b = a + 1, b + 1
        elif best[a + 1][b] >= best[a][b + 1]:
            a += 1
        else:
            b += 1
    return pairs


def _sources(wanted: Sequence[Row], lying: Sequence[Row], kept: dict[Spot, Spot]) -> dict[Spot, Spot]:
    """For each spot of the snapshot that no tile stays in, the tile to lay there; equal tiles by least
    distance.
    """
    taken = set(kept.values())
    spare: dict[Tile, list[Spot]] = defaultdict(list)
    for i, row in enumerate(lying):
        for j, placed in enumerate(row):
            if Spot(i, j) not in taken:
                spare[placed.tile].append(Spot(i, j))
    open_spots: dict[Tile, list[Spot]] = defaultdict(list)
    for w, row in enumerate(wanted):
        for a, placed in enumerate(row):
            if Spot(w, a) not in kept and spare.get(placed.tile):
                open_spots[placed.tile].append(Spot(w, a))
    sources: dict[Spot, Spot] = {}
    for tile, targets in open_spots.items():
        apart = [
            [_distance(wanted[t.set][t.index], lying[s.set][s.index]) for s in spare[tile]] for t in targets
        ]
        unit = 1 + sum(map(max, apart))
        for target, choice in zip(targets, assign([[unit - d for d in line] for line in apart]), strict=True):
            if choice is not None:
                sources[target] = spare[tile][choice]
    return sources


def _steps(
    wanted: Sequence[Row], kept: dict[Spot, Spot], onto: list[int | None], source_of: dict[Spot, Spot]
) -> Iterator[Step]:
    """Set by set; in each outwards from the tiles that lie, so that no step waits for a tile of another."""
    for w, row in enumerate(wanted):
        there = {a for a in range(len(row)) if Spot(w, a) in kept}
        waiting = [a for a in range(len(row)) if Spot(w, a) in source_of]
        while waiting:
            place, beside = next(
                ((a, n) for a in waiting for n in (a - 1, a + 1) if n in there),
                # Where a missing tile keeps them apart, the nearest one that lies has to do.
                (waiting[0], min(there, key=lambda n: abs(n - waiting[0]), default=None)),
            )
            waiting.remove(place)
            there.add(place)
            yield Step(
                row[place].tile,
                source_of[Spot(w, place)],
                Spot(w, place),
                onto[w],
                None if beside is None else Spot(w, beside),
            )


def _distance(one: Placed, other: Placed) -> int:
    """Between two tiles' centres in whole pixels; 0 where either place is not known."""
    here, there = one.centre, other.centre
    return 0 if here is None or there is None else round(math.dist(here, there))


def _spot(spot: Spot) -> dict[str, int]:
    return {"set": spot.set, "index": spot.index}


