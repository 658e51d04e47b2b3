"""The table's jokers under a sheet's rules, as columns of a turn's programme.

A joker on the table stays in place or is freed, and a freed one may have to lie in a new set or with so many
rack tiles (RULES.md, "Judging a turn"). So the sets that hold a table joker are listed one by one, each with
the fates of its jokers, and a set that no lawful fate fits is left out. The list asks for no more than the
judge does: where it matters which of two equal tiles lies where, only the counts are looked at. So no lawful
turn is lost, and what is found is judged. A rack joker in such a set is not listed: it is one of the jokers of
`referee.formulation.Plain` that stand in for a tile.

Longer runs that can be cut into lawful parts are left out too: with freed jokers alone at six tiles (a part of
a new set is a new set), with jokers that stay at six and one more for each joker, as a joker must not be cut
from the tile it shares; where a freed joker needs rack tiles, only if no such tile nor joker is in an end. A set
that may only grow is not cut, and listed at any length where a freed joker may join it or one of its own leave it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

from referee.formulation import KIND, KINDS, LENGTH, SAME, Entries, Laid, Plain, different
from referee.joker_sets import Pattern, patterns, stand
from referee.sets import LEAST, SetReading, readings
from referee.sheets import FreedBy, JokerSets
from referee.situation import MOST_JOKERS, Situation
from referee.solver import Programme

CUT = 5
"""The longest run that cannot be cut into two."""

Key = TypeVar("Key")
Stay = tuple[tuple[tuple[int, int], int], ...]
"""How many jokers stay, by the set they stay from and what they stand for."""


class TableJokers:
    """The sets with table jokers of one turn, added to a programme as columns.

    Args:
        programme: what to add to.
        plain: the other sets of the turn; the jokers that stand in there are the rack's (and the freed ones of
            a `Situation.free`).
        now: what is asked.
        kept_cost: the objective of a set kept whole.
        listed: list the sets that hold table jokers; if not, those jokers stay in their sets, kept whole.
    """

    def __init__(self, programme: Programme, plain: Plain, now: Situation, kept_cost: int, listed: bool = True) -> None:
        self.programme, self.plain, self.now, self.kept_cost = programme, plain, now, kept_cost
        self.counts = {i: n for i, row in enumerate(now.before) if (n := sum(t.is_joker for t in row))}
        self.contents = [frozenset(KIND[t] for t in row if not t.is_joker) for row in now.before]
        self._by_least: dict[int, list[int]] = {}
        for i, content in enumerate(self.contents):
            if content:
                self._by_least.setdefault(min(content), []).append(i)
        self.stands = {i: self._stands(i) for i in self.counts}
        # Jokers alone stand for everything: where runs of any length matter they stay whole or leave (`complete`).
        self._listed = [i for i in self.counts if self.contents[i] or not now.sheet.freed_rack_tiles]
        self.sets: list[tuple[int, Laid]] = []
        self.freeable = 0
        grow, rearranged = now.sheet.joker_sets is JokerSets.GROW, now.sheet.freed_by is FreedBy.REARRANGEMENT
        # From a set that may only grow one of several jokers may still leave, and nothing takes its place.
        self._may_leave = grow and rearranged and any(n > 1 for n in self.counts.values())
        # Where a set may only grow: no more jokers of it are freed than do not stay.
        self._freed_rows = {i: programme.row(0, n) for i, n in self.counts.items()}
        # The rows in which the jokers that stay are counted, by the set they stay from.
        self.stay_rows = {i: self._freeing_rows(i, n) for i, n in self.counts.items()}
        # No more jokers stay for one tile than stood for it, from a set that holds several.
        self._stand_rows = {
            (i, stand): programme.row(0, most)
            for i, n in self.counts.items()
            if n > 1
            for stand, most in self.stands[i].items()
        }
        for origin in self.counts:
            self._keep(origin)
        self.kept = [k.column for k in plain.kept if k.jokers]
        # A freed joker of which nothing is asked lies wherever one from the rack may.
        free = [(now.table_row, 1), (now.rack_row, -1)]
        self.released = [programme.column(self.freeable, free)] if now.free else []
        self._from_rack = self._rack_columns()
        # A second freed joker in the set of another is no set of its own: it stands in for one of its tiles.
        self.followers: list[tuple[int, int]] = []
        self._cover_rows: list[int] = []
        self._hosts: set[int] = set()
        if listed and self.freeable > 1 and not now.free:
            self._add_followers()
        for pattern in self._patterns() if listed else ():
            for stay, freed in self._fates(pattern):
                self._add(pattern, stay, freed)

    @property
    def columns(self) -> list[int]:
        """All columns that lay jokers of the table, but for sets kept whole."""
        return [*(column for column, _ in self.sets), *(column for _, column in self.followers)]

    def decisive(self, columns: Sequence[int]) -> list[int]:
        """The columns that say, for a solution, where every joker of the table lies.

        Those that lay none are left out where the others leave no joker for them.
        """
        holders = [*(c for c, laid in self.sets if laid.jokers), *self.kept, *(c for _, c in self.followers)]
        return [*(c for c in holders if columns[c]), *(c for c, laid in self.sets if not laid.jokers), *self.released]

    def lay(self, columns: Sequence[int]) -> list[Laid]:
        """The sets with table jokers that a solution lays, but for those kept whole."""
        sets: list[Laid] = []
        hosts: list[Laid] = []
        for column, laid in self.sets:
            for _ in range(columns[column]):
                sets.append(Laid(laid.kind, [*laid.places], {*laid.jokers}, laid.origins, laid.settled))
                hosts += sets[-1:] if column in self._hosts else []
        for kind in (kind for kind, column in self.followers for _ in range(columns[column])):
            host, place = next((s, place) for s in hosts if (place := s.open_place(kind)) is not None)
            host.jokers.add(place)
        return sets

    def _add_followers(self) -> None:
        """By kind: a joker for it in the set of another freed one."""
        programme = self.programme
        for kind in range(len(KINDS)):
            cover = programme.row(0, None)
            self._cover_rows.append(cover)
            entries = [(self.plain.balance[kind], -1), (cover, -1), (self.now.table_row, 1)]
            self.followers.append((kind, programme.column(self.freeable - 1, entries)))

    def _patterns(self) -> Iterator[Pattern]:
        grow = self.now.sheet.joker_sets is JokerSets.GROW
        most = min(self.now.table_jokers, MOST_JOKERS)
        bound = self.now.joined or self._may_leave
        if grow and not bound and (self.now.free or not self.freeable):
            return iter(())
        # A second freed joker follows the first; so for the sake of rack tiles a run is long with one, or with
        # one more that stays.
        longest = [CUT + count for count in range(1, (1 if grow and not bound else most) + 1)]
        anchors: set[int] = set()
        if self.now.sheet.freed_rack_tiles and self.freeable:
            longest[0] = LENGTH
            if not grow and most > 1:
                anchors = {kind for i in self._listed for kind in self.stands[i] if kind >= 0}
        if bound:
            longest = [LENGTH] * len(longest)
        lent = self.plain.jokers + (self.freeable - 1 if self.followers else 0)
        return patterns(self.plain.supply, lent, longest, anchors)

    def _stands(self, origin: int) -> Counter[int]:
        """What the jokers of a set may stand for, in any reading, and how many of them at most."""
        found: Counter[int] = Counter()
        for reading in readings(self.now.before[origin]):
            found |= Counter(stand(reading.kind, KIND[t]) for t in reading.jokers)
        return found

    def _rack_columns(self) -> list[int]:
        """By kind a column that is at most 1, and only if the rack gives one, or a joker for it; -1 for none."""
        programme, stand_in = self.programme, dict(self.plain.stand_in)
        found = []
        for kind in range(len(self.now.table)):
            sources = [c for c in (self.now.laid.get(kind), stand_in.get(kind)) if c is not None]
            if sources:
                row = programme.row(0, None)
                for column in sources:
                    programme.entries[column].append((row, 1))
                found.append(programme.column(1, [(row, -1)]))
            else:
                found.append(-1)
        return found

    def _freeing_rows(self, origin: int, count: int) -> list[int]:
        """Rows in which the jokers of a set that stay, and what frees the others, make up all of them."""
        programme, now = self.programme, self.now
        ways = readings(now.before[origin])
        both = now.sheet.freed_group_both and all(len(_missing(way)) > count for way in ways)
        missing = _missing(ways[0]) if both else ()
        if now.sheet.freed_by is not FreedBy.TILE_FROM_RACK:
            self.freeable += count
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
        held = stand_ins & now.spent.keys()
        self.freeable += min(count, sum(now.rack[k] for k in held))
        for kind in sorted(held):
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
                rows = self._fate_entries({origin: len(places) - len(replaced)}, 0)
                if not replaced:
                    self.plain.keep(origin, reading, [*rows, (now.keep_rows[origin], 1)], self.kept_cost)
                elif all(self.plain.supply[KIND[reading.stands_for[i]]] for i in replaced):
                    tiles = tuple(reading.stands_for[i] if i in replaced else t for i, t in enumerate(row))
                    changed = SetReading(reading.kind, tiles, reading.stands_for, reading.value)
                    self.plain.keep(None, changed, rows, 0)

    def _fate_entries(self, stay: Mapping[int, int], freed: int) -> Entries:
        """Where the jokers of a set are counted: those that stay, by the set they stay from, and freed ones."""
        rows = [(row, n) for origin, n in stay.items() for row in (self._freed_rows[origin], *self.stay_rows[origin])]
        return [*rows, (self.now.table_row, freed + sum(stay.values()))]

    def _fates(self, pattern: Pattern) -> Iterator[tuple[Stay, int]]:
        """What a pattern's jokers may be: those that stay, from which set and for what, and how many are freed."""
        now, count, size = self.now, len(pattern.jokers), len(pattern.places)
        grow = now.sheet.joker_sets is JokerSets.GROW
        long = size > CUT + count
        if grow:
            may_stay = self._bound(pattern) if now.joined or self._may_leave else []
        else:
            may_stay = [] if long and not now.sheet.freed_rack_tiles else self._may_stay(pattern)
        if not may_stay and not self._can_be_freed(pattern):
            return
        for stay in _numbers(may_stay, count):
            freed = count - sum(n for _, n in stay)
            if freed == 0:
                if self._some_leave(stay) if grow else not long:
                    yield stay, 0
            elif freed > (1 if pattern.plain else self.freeable) or not self._can_be_freed(pattern):
                continue
            elif (now.joined or not grow) if stay else self._needs_length(pattern):
                yield stay, freed

    def _can_be_freed(self, pattern: Pattern) -> bool:
        """Whether a freed joker may lie in a set as far as the rack tiles go that it needs."""
        if self.now.free or not self.freeable:
            return False
        needed = self.now.sheet.freed_rack_tiles - len(pattern.jokers) + 1
        return needed <= 0 or sum([self._from_rack[k] >= 0 for k in pattern.plain]) >= needed

    def _needs_length(self, pattern: Pattern) -> bool:
        """Whether a run in which all jokers are freed cannot be cut into a plain one and a lawful rest."""
        size = len(pattern.places)
        if size <= CUT:
            return True
        if not self.now.sheet.freed_rack_tiles:
            return False
        ends = range(LEAST), range(size - LEAST, size)
        needed = [any(i in pattern.jokers or self._from_rack[pattern.places[i]] >= 0 for i in end) for end in ends]
        return sum(needed) >= (1 if self.followers else 2)

    def _may_stay(self, pattern: Pattern) -> list[tuple[tuple[int, int], int]]:
        """From which sets, and standing for what, jokers can stay in place in a pattern, and how many."""
        stands = pattern.stands
        return [
            ((origin, stand), min(most, stands[stand] if pattern.plain else len(pattern.jokers)))
            for origin in self._listed
            for stand, most in self.stands[origin].items()
            if stands[stand] or not pattern.plain
        ]

    def _bound(self, pattern: Pattern) -> list[tuple[tuple[int, int], int]]:
        """Those that may stay where a set may only grow: all of its tiles lie in the pattern."""
        return [one for one in self._may_stay(pattern) if self.contents[one[0][0]] <= pattern.plain]

    def _some_leave(self, stay: Stay) -> bool:
        """Whether a set that only grows keeps some of its jokers and not all; with all of them it is one kept whole."""
        kept = Counter[int]()
        for (origin, _), number in stay:
            kept[origin] += number
        return self._may_leave and any(number < self.counts[origin] for origin, number in kept.items())

    def _add(self, pattern: Pattern, stay: Stay, freed: int) -> None:
        """Its columns, unless a joker cannot stay or a freed one cannot lie there."""
        plain = pattern.plain
        by_origin: Counter[int] = Counter()
        for (old, _), number in stay:
            by_origin[old] += number
        for old, number in by_origin.items():
            # A joker that stays shares a tile with its set, be it another joker.
            if number > self.counts[old] or (number == 1 and not self.contents[old] & plain):
                return
        for origin in self._freed_from(pattern, freed):
            links = self._links(pattern, freed, origin)
            chosen = [(least, [c for k in kinds for c in self._sources(k, new)]) for least, kinds, new in links]
            if all(len(columns) >= least for least, columns in chosen):
                self._add_column(pattern, stay, by_origin, freed, origin, chosen)

    def _contained(self, plain: frozenset[int]) -> list[int]:
        """The sets of the table of which all tiles but jokers are among some kinds."""
        return [i for kind in plain for i in self._by_least.get(kind, ()) if self.contents[i] <= plain]

    def _freed_from(self, pattern: Pattern, freed: int) -> Iterator[int | None]:
        """The set that the freed joker is from, if that matters: where one that stays binds its set, and this
        one stands for the same in a set with a tile of the old one, it would not be free.
        """
        grow = freed == 1 and self.now.sheet.joker_sets is JokerSets.GROW
        same = [i for i in self.counts if self.stands[i].keys() <= pattern.stands.keys()] if grow else []
        if any(self.contents[i] & pattern.plain for i in same):
            yield from self.counts
        else:
            yield None

    def _links(self, pattern: Pattern, freed: int, origin: int | None) -> list[tuple[int, frozenset[int], bool]]:
        """What a set with freed jokers takes that was not there: at least so many of some of its kinds.

        From the rack; where it says so, another freed joker for one is as good.
        """
        now, plain = self.now, pattern.plain
        links: list[tuple[int, frozenset[int], bool]] = []
        if not freed:
            return links
        if now.sheet.freed_new_set:
            for old in self._contained(plain):
                content = self.contents[old]
                if all(now.table[k] == 1 for k in content):
                    # It is new only with another copy of one of these tiles in it, or a joker for one.
                    links.append((1, content, True))
        needed = now.sheet.freed_rack_tiles - (len(pattern.jokers) - freed)
        if needed > 0:
            links.append((needed, plain, False))
        if origin is not None and self.stands[origin].keys() <= pattern.stands.keys():
            shared = [k for k in self.contents[origin] & plain if now.table[k] == 1]
            links += [(1, frozenset((k,)), True) for k in shared]
        return links

    def _sources(self, kind: int, new: bool) -> list[int]:
        """The columns that bring another copy of a kind, or a joker for it, into a set."""
        rack = [self._from_rack[kind]] if self._from_rack[kind] >= 0 else []
        return rack + [c for k, c in self.followers if k == kind] if new and self.followers else rack

    def _add_column(
        self,
        pattern: Pattern,
        stay: Stay,
        by_origin: Mapping[int, int],
        freed: int,
        origin: int | None,
        links: Sequence[tuple[int, list[int]]],
    ) -> None:
        programme, now, plain = self.programme, self.now, pattern.plain
        fates = Counter(dict(self._fate_entries(by_origin, freed)))
        if origin is not None:
            fates[self._freed_rows[origin]] += freed
        entries = [*((self.plain.balance[k], 1) for k in plain), *fates.items()]
        entries += [(self._stand_rows[key], number) for key, number in stay if key in self._stand_rows]
        if freed and self._cover_rows:
            self._hosts.add(len(programme.cost))
            entries += [(self._cover_rows[k], 1) for k in plain]
        for least, columns in links:
            row = programme.row(0, None)
            entries.append((row, -least))
            for column in columns:
                programme.entries[column].append((row, 1))
        most = now.table_jokers // len(pattern.jokers)
        laid = Laid(pattern.kind, [*pattern.places], {*pattern.jokers}, (), pattern.jokers)
        self.sets.append((programme.column(most, entries), laid))
        if not freed:
            for old in self._contained(plain):
                # The set may also hold one of the table's that has no joker; then that one is kept whole.
                if old not in self.counts:
                    content = self.contents[old]
                    whole = [*entries, (now.keep_rows[old], 1)]
                    settled = pattern.jokers | {i for i, k in enumerate(pattern.places) if k in content}
                    kept = Laid(pattern.kind, [*pattern.places], {*pattern.jokers}, (old,), settled)
                    self.sets.append((programme.column(1, whole, self.kept_cost), kept))


def _missing(reading: SetReading) -> tuple[int, ...]:
    """The kinds that a group's jokers may be; nothing for a run."""
    if reading.kind == "run":
        return ()
    plain = {KIND[t] for t in reading.tiles if not t.is_joker}
    return tuple(k for k in SAME[reading.stands_for[0].number - 1] if k not in plain)


def _numbers(limits: Sequence[tuple[Key, int]], most: int) -> Iterator[tuple[tuple[Key, int], ...]]:
    """Every choice of a number up to its limit for some of the keys, ``most`` in all."""
    if not limits:
        yield ()
        return
    (key, limit), rest = limits[0], limits[1:]
    for number in range(min(limit, most) + 1):
        for others in _numbers(rest, most - number):
            yield ((key, number), *others) if number else others
