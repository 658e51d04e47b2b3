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
    open_rows = [(i, t) for i, t in rows if i not in fixed]
    open_rows.sort(key=lambda r: (-values[r[0]], sorted(r[1].elements()), r[0]))
    yield from _best_first(open_rows, values, rack, start) if open_rows else (start,)


def _best_first(
    rows: list[tuple[int, Counter[Tile]]],
    values: Mapping[int, int],
    rack: Counter[Tile],
    start: tuple[int, frozenset[int]],
) -> Iterator[tuple[int, frozenset[int]]]:
    """The choices of rows, tiles as places in lists: of rows alike only the first so many, whichever they are."""
    kinds = {tile: i for i, tile in enumerate({t: None for _, tiles in rows for t in tiles})}
    worth = [tile.number or HIGHEST for tile in kinds]
    needs = [[(kinds[t], n) for t, n in tiles.items()] for _, tiles in rows]
    useful: list[dict[int, int]] = [{}]
    for need in reversed(needs):
        useful.append({**useful[-1], **{k: useful[-1].get(k, 0) + n for k, n in need}})
    limits = [[(k, n, worth[k]) for k, n in known.items()] for known in reversed(useful)]
    follows = [i + 1 for i in range(len(rows))]
    for i in reversed(range(len(rows) - 1)):
        # A row without jokers is the same as another of its tiles: left out, so are those after it.
        if rows[i][1] == rows[i + 1][1] and Tile.JOKER not in rows[i][1]:
            follows[i] = follows[i + 1]

    def bound(value: int, at: int, left: list[int]) -> int:
        return value + sum([w * (n if n < left[k] else left[k]) for k, n, w in limits[at]])

    first = [rack[tile] for tile in kinds]
    ticket = count()
    # Of choices that may be worth the same the one decided furthest is looked at first.
    heap = [(-bound(start[0], 0, first), 0, next(ticket), start[0], first, start[1])]
    best_known = start
    for _ in range(PATIENCE):
        if not heap:
            return
        _, further, _, value, left, chosen = heapq.heappop(heap)
        best_known = max(best_known, (value, chosen), key=lambda known: known[0])
        at = -further
        if at == len(rows):
            yield value, chosen
            continue
        after = follows[at]
        heapq.heappush(heap, (-bound(value, after, left), -after, next(ticket), value, left, chosen))
        rest = left.copy()
        for k, n in needs[at]:
            rest[k] -= n
        if min(rest) >= 0:
            row = rows[at][0]
            more = value + values[row]
            heapq.heappush(heap, (-bound(more, at + 1, rest), -at - 1, next(ticket), more, rest, chosen | {row}))
    yield best_known
