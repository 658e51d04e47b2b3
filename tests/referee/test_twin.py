"""The judge against a twin that knows nothing of it: RULES.md "Judging a turn", tried in every possible way.

The twin writes down every account of which equal tile came from where, with every reading of every set, and
counts faults in each. `TWIN_TURNS` sets how many random turns a bundled sheet are compared (20,000 for a full
run; a quarter of that for the others), `TWIN_SEED` where they start.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product

import pytest

from referee.judge import Turn, judge
from referee.layout import Layout
from referee.sheets import (
    NAMES,
    FreedBy,
    JokerMeld,
    JokerSets,
    OpeningTable,
    Sheet,
    from_mapping,
    load,
    with_options,
)
from referee.tiles import COLOURS, Tile

TURNS = int(os.environ.get("TWIN_TURNS", "250"))
SEED = int(os.environ.get("TWIN_SEED", "1"))
MOST_ACCOUNTS = 1_500
MOST_WAYS = 6_000
RACK, GONE = -1, -2
JOKER = Tile.JOKER

JOKER_CODES = {
    "joker-before-opening",
    "joker-not-replayed",
    "joker-needs-rack-tiles",
    "joker-set-disturbed",
    "joker-wrong-replacement",
}
OPENING_CODES = {"opening-too-low", "opening-touched-table"}


# ---------------------------------------------------------------------------------------- sets


@dataclass(frozen=True)
class Way:
    kind: str
    tiles: tuple[Tile, ...]

    @property
    def value(self) -> int:
        return sum(t.number for t in self.tiles)


def matches(row: tuple[Tile, ...], solid: tuple[Tile, ...]) -> bool:
    return all(t in (JOKER, s) for t, s in zip(row, solid, strict=True))


@cache
def groups(length: int) -> tuple[tuple[Tile, ...], ...]:
    return tuple(
        tuple(Tile(c, number) for c in colours) for number in range(1, 14) for colours in permutations(COLOURS, length)
    )


@cache
def runs(length: int) -> tuple[tuple[Tile, ...], ...]:
    up = [tuple(Tile(c, s + i) for i in range(length)) for c in COLOURS for s in range(1, 15 - length)]
    return (*up, *(run[::-1] for run in up))


@cache
def ways(row: tuple[Tile, ...]) -> tuple[Way, ...]:
    """Every set that a row can be, tile by tile."""
    n = len(row)
    if n < 3 or n > 13:
        return ()
    found = []
    if n <= 4 and len({t.number for t in row if t != JOKER}) <= 1:
        found = [Way("group", solid) for solid in groups(n) if matches(row, solid)]
    in_order: list[Way] = []
    if len({t.colour for t in row if t != JOKER}) <= 1:
        in_order = [Way("run", solid) for solid in runs(n) if matches(row, solid)]
    if in_order:
        return (*found, *in_order)
    plain = [t for t in row if t != JOKER]
    if len({t.colour for t in plain}) == 1 and len(set(plain)) == len(plain):
        for start in range(1, 15 - n):
            missing = [Tile(plain[0].colour, start + i) for i in range(n)]
            if all(t in missing for t in plain):
                rest = [t for t in missing if t not in plain]
                for order in permutations(rest):
                    fill = iter(order)
                    found.append(Way("run", tuple(next(fill) if t == JOKER else t for t in row)))
    return tuple(found)


def set_codes(row: tuple[Tile, ...]) -> set[str]:
    if len(row) < 3:
        return {"set-too-short"}
    if ways(row):
        return set()
    plain = [t for t in row if t != JOKER]
    if len({t.number for t in plain}) == 1:
        codes = set()
        if len({t.colour for t in plain}) < len(plain):
            codes.add("group-colour-twice")
        if len(row) > 4:
            codes.add("group-too-long")
        return codes
    if len({t.colour for t in plain}) > 1:
        return {"mixed-set"}
    numbers = [t.number for t in plain]
    if len(set(numbers)) == len(numbers):
        if len(row) > 13:
            return {"run-off-end"}
        # Laid on a round of thirteen, the numbers lie on a stretch as long as the row.
        for start in range(13):
            if {n % 13 for n in numbers} <= {(start + i) % 13 for i in range(len(row))}:
                return {"run-wraps"}
    return {"run-gap"}


def worth(row: tuple[Tile, ...], sheet: Sheet) -> int:
    if sheet.joker_meld is JokerMeld.NOTHING:
        return sum(t.number for t in row) if ways(row) else 0
    return max((w.value for w in ways(row)), default=0)


# ------------------------------------------------------------------------------------- accounts


@dataclass(frozen=True)
class Account:
    """For each row after, where each of its tiles came from: (row before, index in it) or (RACK, 0)."""

    rows: tuple[tuple[tuple[int, int], ...], ...]


def accounts(before: list[tuple[Tile, ...]], after: list[tuple[Tile, ...]]) -> list[Account] | None:
    places: dict[Tile, list[tuple[int, int]]] = {}
    sources: dict[Tile, list[tuple[int, int]]] = {}
    for i, row in enumerate(after):
        for j, tile in enumerate(row):
            places.setdefault(tile, []).append((i, j))
    for i, row in enumerate(before):
        for j, tile in enumerate(row):
            sources.setdefault(tile, []).append((i, j))
    options = []
    count = 1
    for tile, where in places.items():
        there = sources.get(tile, [])
        pool = there + [(RACK, 0)] * max(0, len(where) - len(there))
        ways_here = set(permutations(pool, len(where)))
        if tile != JOKER:  # of a set's equal tiles it does not matter which
            ways_here = {tuple((s, 0) for s, _ in w) for w in ways_here}
        count *= len(ways_here)
        if count > MOST_ACCOUNTS:
            return None
        options.append([dict(zip(where, w, strict=True)) for w in ways_here])
    found = []
    for chosen in product(*options):
        origin: dict[tuple[int, int], tuple[int, int]] = {}
        for part in chosen:
            origin.update(part)
        found.append(Account(tuple(tuple(origin[i, j] for j in range(len(row))) for i, row in enumerate(after))))
    return found


@dataclass
class Case:
    sheet: Sheet
    before: list[tuple[Tile, ...]]
    after: list[tuple[Tile, ...]]
    sets: int
    played: Counter[Tile]

    def from_row(self, account: Account, row: int, origin: int) -> Counter[Tile]:
        return Counter(t for t, (s, _) in zip(self.after[row], account.rows[row], strict=True) if s == origin)

    def plain(self, row: int) -> Counter[Tile]:
        return Counter(t for t in self.before[row] if t != JOKER)

    def is_new(self, account: Account, row: int) -> bool:
        if not self.sheet.freed_new_set:
            return True
        for origin in range(len(self.before)):
            plain = self.plain(origin)
            if plain and plain <= self.from_row(account, row, origin):
                return False
        return True


def joker_faults(case: Case, account: Account, may_free: bool) -> Iterator[tuple[str, ...]]:
    """The faults about jokers in an account, for every reading of the sets that hold jokers."""
    jokers = [(s, q) for s, row in enumerate(case.before) for q, t in enumerate(row) if t == JOKER]
    now: dict[tuple[int, int], tuple[int, int]] = {}
    for t, row in enumerate(case.after):
        for p, tile in enumerate(row):
            if tile == JOKER and account.rows[t][p][0] != RACK:
                now[account.rows[t][p]] = (t, p)
    old_rows = sorted({s for s, _ in jokers})
    new_rows = sorted({t for t, _ in now.values()})
    old_ways = [ways(case.before[s]) or (None,) for s in old_rows]
    new_ways = [ways(case.after[t]) or (None,) for t in new_rows]
    for old in product(*old_ways):
        was = dict(zip(old_rows, old, strict=True))
        for new in product(*new_ways):
            of = dict(zip(new_rows, new, strict=True))
            yield from readings_faults(case, account, may_free, jokers, now, was, of)


def readings_faults(case, account, may_free, jokers, now, was, of):
    freed, stays = [], []
    for s, q in jokers:
        if (s, q) not in now:
            freed.append((s, q))
            continue
        t, p = now[s, q]
        others = sum(o[0] == s for o in account.rows[t]) > 1
        same = True
        if was[s] is not None and of[t] is not None:
            a, b = was[s].tiles[q], of[t].tiles[p]
            same = a.number == b.number if was[s].kind == of[t].kind == "group" else a == b
        (stays if others and same else freed).append((s, q))
    faults = []
    for joker in freed:
        if not may_free:
            faults.append("joker-before-opening")
        if joker not in now:
            faults.append("joker-not-replayed")
    for t in {now[j][0] for j in freed if j in now}:
        rack = sum(s == RACK for s, _ in account.rows[t])
        if t >= case.sets or not case.is_new(account, t):
            faults.append("joker-not-replayed")
        elif rack < case.sheet.freed_rack_tiles:
            faults.append("joker-needs-rack-tiles")
    if case.sheet.freed_by is FreedBy.TILE_FROM_RACK:
        asked = {}
        for s in {s for s, _ in freed}:
            if was[s] is None:
                asked[s] = Counter()
                continue
            asked[s] = Counter(was[s].tiles[q] for r, q in freed if r == s)
            colours = set(COLOURS) - {t.colour for t in case.before[s] if t != JOKER}
            holds = sum(t == JOKER for t in case.before[s])
            if case.sheet.freed_group_both and was[s].kind == "group" and len(colours) > holds:
                asked[s] = Counter(Tile(c, was[s].tiles[0].number) for c in colours)
        for count in range(len(asked) + 1):
            for lawful in combinations(asked, count):
                taken = sum((asked[s] for s in lawful), Counter())
                if taken <= case.played:
                    wrong = ["joker-wrong-replacement"] * (len(asked) - count)
                    bound = bound_faults(case, account, stays, now, freed, {s: asked[s] for s in lawful})
                    yield tuple(sorted([*faults, *wrong, *bound]))
        return
    if case.sheet.freed_group_both:
        for s in {s for s, _ in freed}:
            if was[s] is None or was[s].kind != "group":
                continue
            colours = set(COLOURS) - {t.colour for t in case.before[s] if t != JOKER}
            if len(colours) > sum(t == JOKER for t in case.before[s]):
                full = Counter(Tile(c, was[s].tiles[0].number) for c in COLOURS)
                if not any(
                    Counter(row) == full and case.plain(s) <= case.from_row(account, t, s)
                    for t, row in enumerate(case.after)
                ):
                    faults.append("joker-wrong-replacement")
    all_lawful = {s: Counter() for s, _ in freed}
    yield tuple(sorted([*faults, *bound_faults(case, account, stays, now, freed, all_lawful)]))


def bound_faults(case, account, stays, now, freed, lawful):
    """A set with a joker may only grow: nothing leaves it while it holds one."""
    if case.sheet.joker_sets is not JokerSets.GROW:
        return
    for s in {s for s, row in enumerate(case.before) if JOKER in row}:
        rows = {now[j][0] for j in stays if j[0] == s}
        ok_freed = s in lawful or all(r != s for r, _ in freed)
        if not rows and ok_freed:
            continue
        where = rows or set(range(len(case.after)))
        asked = lawful.get(s, Counter())
        kept = [
            t
            for t in where
            if case.plain(s) <= case.from_row(account, t, s) and asked <= case.from_row(account, t, RACK)
        ]
        if len(rows) > 1 or not kept:
            yield "joker-set-disturbed"


def is_untouched(case: Case, account: Account) -> bool:
    """Whether every set of the table lies there with just its tiles, each joker the tile it was."""
    for s, row in enumerate(case.before):
        homes = [
            t for t in range(case.sets) if len(case.after[t]) == len(row) and all(o == s for o, _ in account.rows[t])
        ]
        if not homes:
            return False
        if JOKER in row and ways(row):
            t = homes[0]
            p = {account.rows[t][p][1]: p for p, x in enumerate(case.after[t]) if x == JOKER}
            if not any(
                all(
                    a.tiles[q].number == b.tiles[p[q]].number
                    if a.kind == b.kind == "group"
                    else a.tiles[q] == b.tiles[p[q]]
                    for q in p
                )
                for a in ways(row)
                for b in ways(case.after[t])
            ):
                return False
    return True


def meld_of(case: Case, account: Account) -> int:
    return sum(worth(case.after[t], case.sheet) for t in range(case.sets) if all(s == RACK for s, _ in account.rows[t]))


# ---------------------------------------------------------------------------------------- turns


@dataclass
class Expected:
    static: set[str]
    cheapest: set[tuple[str, ...]]
    meld: int | None
    left: int | None


def twin(turn: Turn, sheet: Sheet) -> Expected | None:
    """What the judge should say; None if there are too many accounts to write down."""
    before = list(turn.before.sets)
    after = [*turn.after.sets, *((t,) for t in turn.loose)]
    lay, lie = Counter(t for r in before for t in r), Counter(t for r in after for t in r)
    played, left = lie - lay, lay - lie
    static = {c for row in after for c in set_codes(row)}
    if left:
        static.add("tile-left-table")
    held = Counter(turn.rack) if isinstance(turn.rack, tuple) else Counter()
    for tile in {*lay, *lie, *held}:
        many = max(lay[tile], lie[tile] + max(0, held[tile] - played[tile]))
        if many > (sheet.jokers if tile == JOKER else sheet.copies):
            static.add("too-many-copies")
    moved = Counter(tuple(sorted(r)) for r in before) != Counter(tuple(sorted(r)) for r in after)
    if moved and not played:
        static.add("nothing-played")
    if isinstance(turn.rack, tuple) and played - held:
        static.add("more-than-rack")
    if isinstance(turn.rack, int) and played.total() > turn.rack:
        static.add("more-than-rack")
    count = len(turn.rack) if isinstance(turn.rack, tuple) else turn.rack
    rest = None if count is None else max(0, count - played.total())

    case = Case(sheet, before, after, len(turn.after), played)
    every = accounts(before, after)
    if every is None or effort(case, every) > MOST_WAYS:
        return None
    found, meld = [], None
    opening = not turn.opened and bool(played)
    if not opening:
        may_free = turn.opened or sheet.freed_before_meld
        found = [f for a in every for f in joker_faults(case, a, may_free)]
    elif sheet.opening_table is OpeningTable.UNTOUCHED:
        clean = [a for a in every if is_untouched(case, a)]
        meld = max(meld_of(case, a) for a in clean or every)
        low = ("opening-too-low",) if meld < sheet.initial_meld else ()
        if clean:
            found = [low]
        else:
            touched = (*low, "opening-touched-table")
            found = [
                tuple(sorted((*touched, *f))) for a in every for f in joker_faults(case, a, sheet.freed_before_meld)
            ]
    else:
        melds: dict[tuple[str, ...], int] = {}
        for account in every:
            value = meld_of(case, account)
            enough = value >= sheet.initial_meld
            low = () if enough else ("opening-too-low",)
            for faults in joker_faults(case, account, enough or sheet.freed_before_meld):
                codes = tuple(sorted((*low, *faults)))
                melds[codes] = max(melds.get(codes, 0), value)
        least = min(map(len, melds))
        meld = max(v for codes, v in melds.items() if len(codes) == least)
        found = list(melds)
    least = min(map(len, found))
    return Expected(static, {f for f in found if len(f) == least}, meld, rest)


def effort(case: Case, every: list[Account]) -> int:
    readings = 1
    for row in (*case.before, *case.after):
        if JOKER in row:
            readings *= max(1, len(ways(row)))
    return readings * len(every) if any(JOKER in row for row in case.before) else len(every)


# -------------------------------------------------------------------------------- random turns


def random_set(rng: random.Random, numbers: list[int]) -> list[Tile]:
    if rng.random() < 0.5:
        number = rng.choice(numbers)
        row = [Tile(c, number) for c in rng.sample(COLOURS, rng.choice((3, 3, 4)))]
    else:
        colour = rng.choice(COLOURS[:3])
        length = rng.choice((3, 3, 4, 5))
        low = max(1, min(rng.choice(numbers) - rng.randrange(length), 14 - length))
        row = [Tile(colour, low + i) for i in range(length)]
        if rng.random() < 0.3:
            row.reverse()
    return row


def random_table(rng: random.Random, sheet: Sheet, numbers: list[int]) -> list[list[Tile]]:
    """Sets that are legal, with jokers often, within the box."""
    table: list[list[Tile]] = []
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
        table.append(random_set(rng, numbers))
    jokers = sheet.jokers if rng.random() < 0.3 else 2
    for _ in range(rng.choice((0, 1, 1, 1, 2, jokers))):
        if table:
            row = rng.choice(table)
            row[rng.randrange(len(row))] = JOKER
    return [r for r in table if ways(tuple(r))]


def partition(rng: random.Random, tiles: list[Tile]) -> list[list[Tile]]:
    """Lay tiles out as sets, at random, as far as it goes; the rest anyhow."""
    pool = list(tiles)
    rows: list[list[Tile]] = []
    for _ in range(30):
        rng.shuffle(pool)
        row: list[Tile] = []
        for tile in pool:
            if len(row) < 3 or rng.random() < 0.5:
                longer = [*row, tile]
                likely = len({t.number for t in longer if t != JOKER}) <= 1 or (
                    len({t.colour for t in longer if t != JOKER}) <= 1
                    and len(set(longer) - {JOKER}) + longer.count(JOKER) == len(longer)
                    and max(t.number for t in longer) - min([t.number for t in longer if t != JOKER]) < 5
                )
                if likely:
                    row = longer
        row = sorted(row, key=lambda t: (t.number, t.colour)) if rng.random() < 0.5 else row
        if ways(tuple(row)):
            rows.append(row)
            for tile in row:
                pool.remove(tile)
    for tile in pool:
        if rows and rng.random() < 0.7:
            row = rng.choice(rows)
            row.insert(rng.choice((0, len(row), rng.randrange(len(row) + 1))), tile)
        else:
            rows.append([tile])
    return rows


def fit(rng: random.Random, rows: list[list[Tile]], rack: list[Tile]) -> None:
    """Lay rack tiles or swap them for jokers where a set stays legal; else leave them."""
    for tile in list(rack):
        for row in rng.sample(rows, len(rows)):
            places = [[*row[:i], tile, *row[i:]] for i in (0, len(row))]
            places += [[*row[:i], tile, *row[i + 1 :]] for i, t in enumerate(row) if t == JOKER]
            good = [p for p in places if ways(tuple(p))]
            if good:
                chosen = rng.choice(good)
                if JOKER in row and chosen.count(JOKER) < row.count(JOKER):
                    rack.append(JOKER)
                row[:] = chosen
                rack.remove(tile)
                break


def free(rng: random.Random, rows: list[list[Tile]], numbers: list[int], hand: list[Tile]) -> None:
    """Take a joker out by a tile it may stand for and lay it with rack tiles, or nearly so."""
    holders = [r for r in rows if JOKER in r and ways(tuple(r))]
    if not holders:
        return
    row = rng.choice(holders)
    place = row.index(JOKER)
    row[place] = rng.choice(ways(tuple(row))).tiles[place] if rng.random() < 0.8 else rng.choice(hand or [JOKER])
    if len(row) == 3 and len({t.number for t in row}) == 1 and rng.random() < 0.5:
        row += [Tile(c, row[0].number) for c in COLOURS if c not in {t.colour for t in row}][:1]
    if rng.random() < 0.3:
        row.pop(rng.choice((0, -1)))
    fresh = random_set(rng, numbers)
    fresh[rng.randrange(len(fresh))] = JOKER
    if rng.random() < 0.3:
        others = [r for r in rows if r is not row and len(r) > 3]
        if others:
            fresh.append(rng.choice(others).pop(rng.choice((0, -1))))
    rows.append(fresh)


def random_turn(rng: random.Random, sheet: Sheet) -> Turn:
    """A small turn; seldom one that the box cannot hold."""
    while True:
        turn = random_any(rng, sheet)
        lay = Counter(t for r in turn.before.sets for t in r)
        lie = Counter(t for r in (*turn.after.sets, turn.loose) for t in r)
        most = max(n - (sheet.jokers - sheet.copies) * (t == JOKER) for t, n in [*(lay | lie).items(), (JOKER, 0)])
        if most <= sheet.copies or rng.random() < 0.1:
            return turn


def random_any(rng: random.Random, sheet: Sheet) -> Turn:
    numbers = rng.choice(([2, 3, 4, 5], [1, 2, 3, 4], [10, 11, 12, 13], [5, 6, 7], [4], [12, 13]))
    before = random_table(rng, sheet, numbers)
    after = [list(r) for r in before]
    hand = [t for r in (random_set(rng, numbers) for _ in range(rng.choice((0, 1, 1, 2)))) for t in r]
    hand += [Tile(rng.choice(COLOURS[:3]), rng.choice(numbers)) for _ in range(rng.choice((0, 0, 1, 2)))]
    hand += [JOKER] * (rng.random() < 0.15)
    manner = rng.random()
    if manner < 0.3:
        for _ in range(rng.choice((1, 1, 2))):
            free(rng, after, numbers, hand)
        if rng.random() < 0.3:
            fit(rng, after, hand)
    elif manner < 0.5:
        fit(rng, after, hand)
        after += partition(rng, hand)
    elif manner < 0.7 and after:
        rows = rng.sample(range(len(after)), min(len(after), rng.choice((1, 2))))
        loose = [t for i in rows for t in after[i]]
        after = [r for i, r in enumerate(after) if i not in rows]
        after += partition(rng, loose + hand)
    elif manner < 0.9:
        after += partition(rng, hand)
    else:
        after = partition(rng, [t for r in after for t in r] + hand)
    if rng.random() < 0.1 and after:
        row = rng.choice(after)
        row.pop(rng.randrange(len(row)))
    if rng.random() < 0.1:
        rng.shuffle(rng.choice(after) if after else [])
    after = [r for r in after if r]
    loose = [r[0] for r in after if len(r) == 1] if rng.random() < 0.6 else []
    if loose:
        after = [r for r in after if len(r) > 1]
    lay = Counter(t for r in before for t in r)
    played = Counter(t for r in after for t in r) + Counter(loose) - lay
    rack: int | tuple[Tile, ...] | None = rng.choice((None, played.total(), played.total() + 2, 1))
    if rng.random() < 0.2:
        rack = (*list(played.elements())[rng.random() < 0.2 :], Tile("o", 9))
    rng.shuffle(after)
    opened = rng.random() < 0.75
    layouts = Layout(tuple(map(tuple, before))), Layout(tuple(map(tuple, after)))
    return Turn(*layouts, tuple(loose), opened, rack)


def own(**changes: object) -> Sheet:
    return from_mapping({"name": "own", **changes})


SHEETS = {
    "classic": load("classic"),
    "sabra-1985": load("sabra-1985"),
    "casino-sabra": load("casino-sabra"),
    "six-player": load("six-player"),
    "sabra-tournament": with_options(load("sabra-1985"), ["tournament-joker", "twenty-point-opening"]),
    "classic-tournament": with_options(load("classic"), ["tournament-joker"]),
    "grow-and-rearrange": own(joker_sets="grow", opening_table="after-meld", initial_meld=20, freed_rack_tiles=1),
    "any-set": own(freed_new_set=False, freed_rack_tiles=1, freed_before_meld=True, joker_meld="nothing"),
}


def compare(turn: Turn, sheet: Sheet) -> bool:
    """Whether the turn could be compared; asserts that judge and twin agree."""
    expected = twin(turn, sheet)
    if expected is None:
        return False
    verdict = judge(turn, sheet)
    told = f"{sheet.name}: {turn.before} -> {turn.after}, loose {turn.loose}, opened {turn.opened}, {turn.rack}"
    codes = [f.code for f in verdict.faults]
    mine = tuple(sorted(c for c in codes if c in JOKER_CODES))
    theirs = {tuple(c for c in f if c in JOKER_CODES) for f in expected.cheapest}
    opening = {frozenset(c for c in f if c in OPENING_CODES) for f in expected.cheapest}
    assert set(codes) - JOKER_CODES - OPENING_CODES == expected.static, told
    assert frozenset(set(codes) & OPENING_CODES) in opening, told
    assert mine in theirs, (mine, theirs, told)
    legal = not expected.static and () in expected.cheapest
    assert verdict.legal == legal, told
    if legal or sheet.opening_table is OpeningTable.UNTOUCHED:
        assert verdict.meld == expected.meld, told
    assert verdict.rack == expected.left, told
    assert verdict.out == (legal and expected.left == 0), told
    assert verdict.opened == (turn.opened or (legal and expected.meld is not None)), told
    for row, reading in zip(turn.after.sets, verdict.sets, strict=True):
        assert (reading is None) == (not ways(row)), told
        assert reading is None or reading.stands_for in [w.tiles for w in ways(row)], told
    return True


def freed_any(turn: Turn) -> bool:
    """Whether a set with a joker is there no more and no longer set has its tiles: it was freed, surely."""
    holders = [Counter(r) for r in turn.before.sets if JOKER in r]
    return any(not any(h <= Counter(r) for r in turn.after.sets) for h in holders)


@pytest.mark.parametrize("name", SHEETS)
def test_judge_agrees_with_the_twin(name: str) -> None:
    sheet = SHEETS[name]
    rng = random.Random(f"{SEED} {name}")
    seen: Counter[str] = Counter()
    turns = TURNS if name in NAMES else max(1, TURNS // 4)
    compared = 0
    while compared < turns:
        turn = random_turn(rng, sheet)
        if compare(turn, sheet):
            compared += 1
            verdict = judge(turn, sheet)
            seen.update(verdict.codes or {"legal"})
            seen["legal, freed"] += verdict.legal and freed_any(turn)
            seen["out of order"] += any(r is not None and "out-of-order" in r.notes for r in verdict.sets)
    if turns >= 250:  # the sheets with options get a quarter of the turns: too few to hold every kind
        assert seen["legal"] > turns / 10, seen
        assert seen["legal, freed"], seen
    print(name, compared, dict(seen))
