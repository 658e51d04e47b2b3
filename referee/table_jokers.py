"""The table's jokers under a sheet's rules, as columns of a turn's programme.

A joker on the table stays in place or is freed, and a freed one may have to lie in a new set or with so many
rack tiles (RULES.md, "Judging a turn"). So the sets that hold a table joker are listed one by one, each with
the fates of its jokers, and a set that no lawful fate fits is left out. The list asks for no more than the
judge does: where it matters which of two equal tiles lies where, only the counts are looked at. So no lawful
turn is lost, and what is found is judged.

Longer runs that can be cut into lawful parts are left out too: with freed jokers alone at six tiles (a part of
a new set is a new set), with jokers that stay at six and one more for each joker, as a joker must not be cut
from the tile it shares; where a freed joker needs rack tiles, none is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.formulation import KIND, LENGTH, RUNS, SAME, Entries, Laid, Plain, different
from referee.layout import TileSet
from referee.sets import LEAST, LONGEST_GROUP, Kind, SetReading, readings
from referee.sheets import FreedBy, JokerSets, Sheet
from referee.solver import Programme

CUT = 5
"""The longest run that cannot be cut into two."""

MOST_JOKERS = 4
"""No box holds more (the 160 tiles of 000)."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A set with jokers: what its places stand for, and which of them hold jokers."""

    kind: Kind
    places: tuple[int, ...]
    jokers: frozenset[int]
    plain: frozenset[int]

    @property
    def stands(self) -> Counter[int]:
        """What its jokers stand for, as `_stand` numbers it."""
        return Counter(_stand(self.kind, self.places[i]) for i in self.jokers)


@dataclass(frozen=True, slots=True)
class Fates:
    """What became of a pattern's jokers: how many stay from which set, are freed, come from the rack."""

    stay: tuple[tuple[int, int], ...]
    freed: int
    rack: int


@dataclass(frozen=True, slots=True)
class Situation:
    """What the columns are made from. Rows of the programme: ``table_row`` counts table jokers, which all lie
    somewhere; ``rack_row`` the jokers used from the rack; ``keep_rows`` each set of the table kept whole.

    ``laid`` are the columns of the rack tiles laid, ``spent`` rows that say how many of each free a joker.
    """

    sheet: Sheet
    before: tuple[TileSet, ...]
    table: Sequence[int]
    table_jokers: int
    rack_jokers: int
    table_row: int
    rack_row: int
    keep_rows: tuple[int, ...]
    laid: Mapping[int, int]
    spent: Mapping[int, int]

    @property
    def free(self) -> bool:
        """Whether the sheet asks nothing of the set in which a freed joker lies."""
        return not (self.sheet.freed_new_set or self.sheet.freed_rack_tiles)

    @property
    def complete(self) -> bool:
        """Whether every lawful turn is in the programme; not for some sheets of one's own."""
        grown = self.sheet.joker_sets is JokerSets.GROW and not self.free and not self.sheet.freed_new_set
        return not grown and self.table_jokers + self.rack_jokers <= MOST_JOKERS


class TableJokers:
    """The sets with table jokers of one turn, added to a programme as columns.

    Args:
        programme: what to add to.
        plain: the other sets of the turn; their jokers are the rack's (and the freed ones of a `Situation.free`).
        now: what is asked.
        kept_cost: the objective of a set kept whole.
    """

    def __init__(self, programme: Programme, plain: Plain, now: Situation, kept_cost: int) -> None:
        self.programme, self.plain, self.now, self.kept_cost = programme, plain, now, kept_cost
        self.counts = {i: n for i, row in enumerate(now.before) if (n := sum(t.is_joker for t in row))}
        self.contents = [frozenset(KIND[t] for t in row if not t.is_joker) for row in now.before]
        self.stands = {i: self._stands(i) for i in self.counts}
        self.sets: list[tuple[int, Laid]] = []
        # The rows in which the jokers that stay are counted, by the set they stay from.
        self.stay_rows = {i: self._freeing_rows(i, n) for i, n in self.counts.items()}
        for origin in self.counts:
            self._keep(origin)
        if now.free:
            # A freed joker lies wherever one from the rack may.
            programme.column(sum(self.counts.values()), [(now.table_row, 1), (now.rack_row, -1)])
        for pattern in self._patterns():
            for fates in self._fates(pattern):
                self._add(pattern, fates)

    def lay(self, columns: Sequence[int]) -> list[Laid]:
        """The sets with table jokers that a solution lays, but for those kept whole."""
        return [
            Laid(laid.kind, [*laid.places], {*laid.jokers}, laid.origins)
            for column, laid in self.sets
            for _ in range(columns[column])
        ]

    def _stands(self, origin: int) -> Counter[int]:
        """What the jokers of a set may stand for, in any reading, and how many of them at most."""
        found: Counter[int] = Counter()
        for reading in readings(self.now.before[origin]):
            found |= Counter(_stand(reading.kind, KIND[t]) for t in reading.jokers)
        return found

    def _freeing_rows(self, origin: int, count: int) -> list[int]:
        """Rows in which the jokers of a set that stay, and what frees the others, make up all of them."""
        programme, now = self.programme, self.now
        ways = readings(now.before[origin])
        both = now.sheet.freed_group_both and all(len(_missing(way)) > count for way in ways)
        missing = _missing(ways[0]) if both else ()
        if now.sheet.freed_by is not FreedBy.TILE_FROM_RACK:
            if not both:
                return [programme.row(0, count)]
            row = programme.row(count, None)
            full = SAME[ways[0].stands_for[0].number - 1]
            if all(self.plain.supply[k] for k in full):
                entries = [*((self.plain.balance[k], 1) for k in full), (row, count)]
                self.sets.append((programme.column(1, entries), Laid("group", [*full])))
            return [programme.row(0, count), row]
        rows = [programme.row(count, count)]
        stand_ins = {k for way in ways for k in (*(KIND[t] for t in way.jokers), *_missing(way))}
        for kind in sorted(stand_ins & now.spent.keys()):
            programme.column(count, [(rows[0], 1), (now.spent[kind], -1)])
        for kind in missing:
            rows.append(programme.row(count, None))
            if kind in now.laid:
                programme.entries[now.laid[kind]].append((rows[-1], count))
        return rows

    def _keep(self, origin: int) -> None:
        """The set whole, and, where it may only grow, with some of its jokers replaced."""
        now, row = self.now, self.now.before[origin]
        places = [i for i, t in enumerate(row) if t.is_joker]
        sizes = range(len(places) if now.sheet.joker_sets is JokerSets.GROW else 1)
        ways = readings(row)
        for reading in ways if sizes.stop > 1 else different(ways):
            for replaced in (chosen for size in sizes for chosen in combinations(places, size)):
                rows = self._fate_entries(Fates(((origin, len(places) - len(replaced)),), 0, 0))
                if not replaced:
                    self.plain.keep(origin, reading, [*rows, (now.keep_rows[origin], 1)], self.kept_cost)
                elif all(self.plain.supply[KIND[reading.stands_for[i]]] for i in replaced):
                    tiles = tuple(reading.stands_for[i] if i in replaced else t for i, t in enumerate(row))
                    self.plain.keep(
                        origin, SetReading(reading.kind, tiles, reading.stands_for, reading.value), rows, 0
                    )

    def _fate_entries(self, fates: Fates) -> Entries:
        """Where the jokers of a set are counted."""
        stay = sum(n for _, n in fates.stay)
        entries: Entries = [(row, n) for origin, n in fates.stay for row in self.stay_rows[origin]]
        if stay + fates.freed:
            entries.append((self.now.table_row, stay + fates.freed))
        if fates.rack:
            entries.append((self.now.rack_row, fates.rack))
        return entries

    def _patterns(self) -> Iterator[Pattern]:
        """Every set with jokers whose other tiles there are."""
        supply = self.plain.supply
        most = min(self.now.table_jokers + self.now.rack_jokers, MOST_JOKERS)
        for same in SAME:
            there = [k for k in same if supply[k]]
            for count in range(1, len(there) + 1):
                for plain in combinations(there, count):
                    lacking = [k for k in same if k not in plain]
                    for size in range(max(LEAST, count + 1), min(LONGEST_GROUP, count + most) + 1):
                        places = (*plain, *lacking[: size - count])
                        yield Pattern("group", places, frozenset(range(count, size)), frozenset(plain))
        if most >= LEAST:
            # Jokers alone are any set; as a group they stand for every number that the judge tries.
            yield Pattern("group", SAME[0][:LEAST], frozenset(range(LEAST)), frozenset())
        longest = LENGTH if self.now.sheet.freed_rack_tiles else CUT + most
        for run in RUNS:
            for first in run:
                for size in range(LEAST, min(longest, run.stop - first) + 1):
                    places = tuple(range(first, first + size))
                    gaps = [i for i, k in enumerate(places) if not supply[k]]
                    if len(gaps) > most:
                        break
                    others = [i for i, k in enumerate(places) if supply[k]]
                    for more in range(max(0, 1 - len(gaps)), min(most - len(gaps), len(others) - 1) + 1):
                        for chosen in combinations(others, more):
                            rest = frozenset(places[i] for i in others if i not in chosen)
                            yield Pattern("run", places, frozenset((*gaps, *chosen)), rest)

    def _fates(self, pattern: Pattern) -> Iterator[Fates]:
        """What a pattern's jokers may be: every number of each kind that the sheet may allow."""
        now, count = self.now, len(pattern.jokers)
        size = len(pattern.places)
        grow = now.sheet.joker_sets is JokerSets.GROW
        may_stay = [] if grow or size > CUT + count else self._may_stay(pattern)
        for stay in _numbers(may_stay, count):
            held = sum(n for _, n in stay)
            for freed in range(0 if held else 1, 1 if now.free else count - held + 1):
                fates = Fates(stay, freed, count - held - freed)
                if freed and not now.sheet.freed_rack_tiles and not held and size > CUT:
                    continue
                if fates.rack <= now.rack_jokers and held + freed <= now.table_jokers:
                    yield fates

    def _may_stay(self, pattern: Pattern) -> list[tuple[int, int]]:
        """From which sets jokers can stay in place in a pattern, and how many."""
        if not pattern.plain:
            return [(i, n) for i, n in self.counts.items() if not self.contents[i] or n > 1]
        found = []
        for origin, count in self.counts.items():
            number = (self.stands[origin] & pattern.stands).total()
            shared = self.contents[origin] & pattern.plain
            number = min(number, count)
            if number and (shared or number > 1):
                found.append((origin, number))
        return found

    def _add(self, pattern: Pattern, fates: Fates) -> None:
        """One column, unless a freed joker cannot lie there."""
        programme, now, plain = self.programme, self.now, pattern.plain
        if any(n == 1 and not self.contents[i] & plain and plain for i, n in fates.stay):
            return
        links: list[tuple[int, frozenset[int]]] = []
        if fates.freed and now.sheet.freed_new_set:
            for content in self.contents:
                if content and content <= plain and all(now.table[k] == 1 for k in content):
                    # It is new only with another copy of one of these tiles in it, and that is on the rack.
                    links.append((1, content))
        if fates.freed:
            needed = now.sheet.freed_rack_tiles - (len(pattern.jokers) - fates.freed)
            if needed > 0:
                links.append((needed, plain))
        chosen = [(needed, [k for k in kinds if k in now.laid]) for needed, kinds in links]
        if any(len(kinds) < needed for needed, kinds in chosen):
            return
        entries = [*((self.plain.balance[k], 1) for k in plain), *self._fate_entries(fates)]
        for needed, kinds in chosen:
            row = programme.row(0, None)
            entries.append((row, -needed))
            for kind in kinds:
                programme.entries[now.laid[kind]].append((row, 1))
        most = fates.freed + fates.rack + sum(n for _, n in fates.stay)
        limit = max(1, (now.table_jokers + now.rack_jokers) // most)
        laid = Laid(pattern.kind, [*pattern.places], {*pattern.jokers})
        self.sets.append((programme.column(limit, entries), laid))
        if not fates.freed:
            for origin, content in enumerate(self.contents):
                # The set may also hold one of the table's that has no joker; then that one is kept whole.
                if origin not in self.counts and content <= plain:
                    whole = [*entries, (now.keep_rows[origin], 1)]
                    kept = Laid(pattern.kind, [*pattern.places], {*pattern.jokers}, (origin,))
                    self.sets.append((programme.column(1, whole, self.kept_cost), kept))


def _stand(kind: Kind, place: int) -> int:
    """What a joker stands for: a kind in a run, below 0 the number in a group."""
    return place if kind == "run" else -1 - place % LENGTH


def _missing(reading: SetReading) -> tuple[int, ...]:
    """The kinds that a group's jokers may be; nothing for a run."""
    if reading.kind == "run":
        return ()
    plain = {KIND[t] for t in reading.tiles if not t.is_joker}
    return tuple(k for k in SAME[reading.stands_for[0].number - 1] if k not in plain)


def _numbers(limits: Sequence[tuple[int, int]], most: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every choice of a number up to its limit for some of the keys, ``most`` in all."""
    if not limits:
        yield ()
        return
    (key, limit), rest = limits[0], limits[1:]
    for number in range(min(limit, most) + 1):
        for others in _numbers(rest, most - number):
            yield ((key, number), *others) if number else others
