"""The initial meld: sets from the own rack only, and the table in that turn (RULES.md, "Profiles").

The meld is what lies there at the end of the turn as sets whose tiles are all from the rack.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count

from referee.assignment import assign
from referee.layout import TileSet
from referee.sets import best, readings
from referee.sheets import JokerMeld, Sheet
from referee.sources import Tables, content
from referee.tiles import Tile

HIGHEST = 13
PATIENCE = 4_000
"""How many packings are looked at before the best found is taken; no lawful table comes near."""

SAME_ROWS = 12
"""How many rows of the same tiles with jokers are told apart by their worth."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """Which sets of the table before lie there unchanged: row after by row before; ``changed`` do not."""

    rows: Mapping[int, int]
    changed: tuple[int, ...]


def set_value(row: TileSet, sheet: Sheet) -> int:
    """What a row counts in the initial meld, in its best reading; 0 if it is no set."""
    reading = best(row)
    if reading is None:
        return 0
    if sheet.joker_meld is JokerMeld.NOTHING:
        return sum(t.number for t in row if not t.is_joker)
    return reading.value


def untouched(tables: Tables, sheet: Sheet) -> Untouched:
    """Find the sets that nobody changed; of equal rows the ones that leave the most for the meld.

    A set with a joker is unchanged only if the joker can stand for the same tile as before.
    """
    before, after = _by_content(tables.before), _by_content(tables.after[: tables.sets])
    rows: dict[int, int] = {}
    changed: list[int] = []
    for tiles, old in before.items():
        new = after.get(tiles, [])
        if len(old) > SAME_ROWS or not any(t.is_joker for t in tables.before[old[0]]):
            pairs: list[int | None] = [*range(min(len(old), len(new)))]
            pairs += [None] * (len(old) - len(pairs))
        else:
            enough = 1 + max((set_value(tables.after[j], sheet) for j in new), default=0)
            pairs = assign(
                [
                    [
                        1000 + enough - set_value(tables.after[j], sheet)
                        if _same_reading(tables.before[i], tables.after[j])
                        else 0
                        for j in new
                    ]
                    for i in old
                ]
            )
        for i, taken in zip(old, pairs, strict=True):
            if taken is None:
                changed.append(i)
            else:
                rows[i] = new[taken]
    return Untouched(rows, tuple(sorted(changed)))


def _by_content(rows: tuple[TileSet, ...]) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = {}
    for i, row in enumerate(rows):
        if row:
            found.setdefault(content(row), []).append(i)
    return found


def _same_reading(before: TileSet, after: TileSet) -> bool:
    if before in (after, after[::-1]):
        return True
    return any(
        a.kind == b.kind and (a.kind == "group" or sorted(a.jokers) == sorted(b.jokers))
        for b in readings(before)
        for a in readings(after)
        if a.stands_for[0].number == b.stands_for[0].number or a.kind == "run"
    )


def packings(tables: Tables, sheet: Sheet, near: frozenset[int] = frozenset()) -> Iterator[tuple[int, frozenset[int]]]:
    """The choices of rows that can be from the rack together, the one worth most first.

    Rows that are in nobody's way are in every choice: those not ``near`` whose tiles the rack has for all rows
    that want them. Best first over the others, with the worth of the rack tiles that they can use as the bound.
    Ends after `PATIENCE` steps with the best that is then known.
    """
    played = tables.played
    rows = [(i, Counter(tables.after[i])) for i in range(tables.sets) if played.keys() >= set(tables.after[i])]
    rows = [(i, tiles) for i, tiles in rows if tiles <= played and readings(tables.after[i])]
    values = {i: set_value(tables.after[i], sheet) for i, _ in rows}
    wanted: Counter[Tile] = Counter()
    for _, tiles in rows:
        wanted.update(tiles)
    scarce = {t for t, n in wanted.items() if n > played[t]}
    fixed = frozenset(i for i, tiles in rows if i not in near and scarce.isdisjoint(tiles))
    rack = played.copy()
    for i, tiles in rows:
        if i in fixed:
            rack.subtract(tiles)
    start = sum(values[i] for i in fixed), fixed
    open_rows = sorted(((i, t) for i, t in rows if i not in fixed), key=lambda r: -values[r[0]])
    yield from _best_first(open_rows, values, rack, start) if open_rows else (start,)


def _best_first(
    rows: list[tuple[int, Counter[Tile]]],
    values: Mapping[int, int],
    rack: Counter[Tile],
    start: tuple[int, frozenset[int]],
) -> Iterator[tuple[int, frozenset[int]]]:
    useful = [Counter[Tile]()]
    for _, tiles in reversed(rows):
        useful.append(useful[-1] + tiles)
    useful.reverse()

    def bound(value: int, at: int, rack: Counter[Tile]) -> int:
        usable = ((t, min(n, rack[t])) for t, n in useful[at].items())
        return value + sum(n * (t.number or HIGHEST) for t, n in usable)

    ticket = count()
    heap = [(-bound(start[0], 0, rack), next(ticket), start[0], 0, rack, start[1])]
    best_known = start
    for _ in range(PATIENCE):
        if not heap:
            return
        _, _, value, at, rest, chosen = heapq.heappop(heap)
        best_known = max(best_known, (value, chosen), key=lambda known: known[0])
        if at == len(rows):
            yield value, chosen
            continue
        row, tiles = rows[at]
        ways = [(value, rest, chosen)]
        if tiles <= rest:
            ways.append((value + values[row], rest - tiles, chosen | {row}))
        for worth, left, taken in ways:
            heapq.heappush(heap, (-bound(worth, at + 1, left), next(ticket), worth, at + 1, left, taken))
    yield best_known
