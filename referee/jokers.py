"""Jokers in a turn: which stayed, which were freed, and what the sheet allows (RULES.md, "Judging a turn").

A joker stays in place if a set before and a set after both hold it, it stands for the same tile in both (in
a group: the same number), and they share another tile; else it was freed. Equal tiles cannot be told apart
and a set may have several readings, so this is a search for the account with the fewest faults: where each
joker went (`Fate`), what replaced it, and the claims on equal tiles that follow (`referee.conditions`). In a
row that is no set nobody knows what a joker stands for: it stays if it still lies with a tile of its set.

Where a joker is freed by the tile it stands for, from the rack, that tile may lie anywhere now: once it was in
the joker's place the set was like any other. A set that still holds a joker keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations

from referee.conditions import Condition, FullGroup, Replay, Share, Together, Unshared, solve
from referee.faults import Fault, text
from referee.layout import TileSet
from referee.sets import SetReading, readings
from referee.sheets import FreedBy, JokerSets, Sheet
from referee.sources import RACK, Claims, Tables
from referee.stands import Freeing, Replacement, Stand, common_stands, leftovers, missing_colours, replacements
from referee.tiles import Tile

GONE, LOOSE = -1, -2
"""Where a joker went that is on the table no more, or lies there in no set."""

PATIENCE = 2_000
"""How many accounts are weighed at most. Four jokers, the most a bundled box has, stay far under."""


TOO_MANY = 2
"""With more jokers than the box holds, by more than this, nobody asks which was freed: each may be a misread tile."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one joker: from row ``origin`` before to row ``row`` after (`GONE`, `LOOSE`)."""

    origin: int
    row: int
    stays: bool
    stand: Stand = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best account found: its faults, and by row after what the jokers that stayed stand for."""

    faults: tuple[Fault, ...]
    stands: Mapping[int, tuple[Stand, ...]]

    @property
    def cost(self) -> int:
        return len(self.faults)


@dataclass(frozen=True, slots=True)
class Account:
    """One account of the jokers: the faults it has whatever is claimed, and the conditions for no more."""

    faults: tuple[Fault, ...]
    conditions: tuple[Condition, ...]
    stands: Mapping[int, tuple[Stand, ...]]


class Jokers:
    """The jokers of one turn, asked about for one choice of rows from the rack after another.

    ``may_free`` says whether a joker may be freed at all (not before the initial meld).
    """

    def __init__(self, tables: Tables, sheet: Sheet, may_free: bool) -> None:
        self.tables, self.sheet, self.may_free = tables, sheet, may_free
        self._searches: dict[frozenset[int], _Search] = {}
        most = max(tables.count_before[Tile.JOKER], tables.count_after[Tile.JOKER])
        self._hopeless = most > sheet.jokers + TOO_MANY

    def cheapest(self, rack_rows: frozenset[int] = frozenset(), below: int = 1 << 30) -> Outcome | None:
        """The account with the fewest joker faults; None if every account has ``below`` or more.

        ``rack_rows`` are rows after whose tiles are all to be from the rack.
        """
        claims: Claims | None = Claims(self.tables)
        for row in sorted(rack_rows):
            claims = claims.need_all(self.tables.plain_after[row], row, RACK) if claims else None
        if self._hopeless:
            return Outcome((), {})
        laid = rack_rows.intersection(self.tables.jokers_after)
        if claims is None or sum(self.tables.jokers_after[row] for row in laid) > self.tables.played[Tile.JOKER]:
            return None
        if laid not in self._searches:
            self._searches[laid] = _Search(self.tables, self.sheet, self.may_free, laid)
        return self._searches[laid].run(claims, below)


class _Search:
    """Branch and bound over the fates of the jokers; ``rack_rows`` are those whose jokers are the rack's."""

    def __init__(self, tables: Tables, sheet: Sheet, may_free: bool, rack_rows: frozenset[int]) -> None:
        self.tables = tables
        self.may_free = may_free
        self.grow = sheet.joker_sets is JokerSets.GROW
        self.freeing = Freeing(sheet.freed_by is FreedBy.TILE_FROM_RACK, sheet.freed_group_both, self.grow)
        self.rack_tiles = sheet.freed_rack_tiles
        self.origins = [i for i, count in tables.jokers_before.items() for _ in range(count)]
        rows = tables.jokers_after
        self.room = {i: n for i, n in rows.items() if i not in rack_rows and i < tables.sets}
        loose = sum(n for i, n in rows.items() if i >= tables.sets)
        gone = max(0, len(self.origins) - sum(self.room.values()) - loose)
        self.off = {LOOSE: loose, GONE: gone}
        self.rank = {row: i for i, row in enumerate((*self.room, LOOSE, GONE))}
        self.options = {i: self._options(i) for i in tables.jokers_before}
        self.rivals = {row: tables.rivals(row) if sheet.freed_new_set else () for row in self.room}
        self.whole = {origin: tables.whole_in(origin) if self.grow else () for origin in self.options}
        self.fit = {row: tables.from_rack(row) for row in self.room}
        self.replay_least = {row: self._replay_least(row) for row in self.room}
        self.lawful_least = {origin: self._lawful_least(origin) for origin in self.options}
        self.wants = {origin: self._wants(origin) for origin in self.options}
        self.claims = Claims(tables)
        self.best: Outcome | None = None
        self.limit = 0
        self.accounts: list[Account] = []
        # The accounts are all that there are with fewer faults than this.
        self.known = -1
        self.patience = PATIENCE

    def run(self, claims: Claims, below: int) -> Outcome | None:
        """The cheapest account that goes with some claims, under ``below``."""
        self.claims, self.limit, self.best = claims, below, None
        if below <= self.known:
            for account in self.accounts:
                self._solve(account)
        else:
            self.accounts, self.patience = [], PATIENCE
            self._place((), {**self.room, **self.off})
            self.known = self.limit
        if self.best is None and self.patience <= 0:
            jokers = (Tile.JOKER,) * len(self.origins)
            message = f"{len(jokers)} jokers lie so that nobody can say which of them was freed."
            return Outcome((Fault("joker-not-replayed", jokers, message),), {})
        return self.best

    def _options(self, origin: int) -> tuple[Fate, ...]:
        """The fates of a joker of a row, the likely ones first."""
        plain = self.tables.plain_before[origin]
        near = sorted(self.room, key=lambda row: -len(self.tables.plain_after[row].keys() & plain.keys()))
        before, after = self.tables.before[origin], self.tables.after
        stays = [
            Fate(origin, row, True, stand)
            for row in near
            if self.tables.plain_after[row].keys() & plain.keys()
            or min(self.tables.jokers_before[origin], self.room[row]) > 1
            for stand in common_stands(before, after[row])
        ]
        return (*stays, *(Fate(origin, row, False) for row in (*near, LOOSE, GONE)))

    def _lawful_least(self, origin: int) -> int:
        """Whether a joker freed from a row is a fault whatever it stands for: the rack laid no such tile."""
        ways = readings(self.tables.before[origin])
        if not self.freeing.by_rack or not ways:
            return 0
        for reading in ways:
            missing = missing_colours(reading) if self.freeing.both else ()
            if any(self.tables.played[t] for t in reading.jokers) and all(self.tables.played[t] for t in missing):
                return 0
        return 1

    def _wants(self, origin: int) -> frozenset[Tile]:
        """The rack tiles that may free the jokers of a row."""
        if not self.freeing.by_rack:
            return frozenset()
        ways = readings(self.tables.before[origin])
        both = (t for way in ways for t in missing_colours(way)) if self.freeing.both else ()
        return frozenset(t for t in (*both, *(t for way in ways for t in way.jokers)) if self.tables.played[t])

    def _replay_least(self, row: int) -> int:
        """Whether a freed joker in a row after is a fault wherever its equal tiles came from."""
        if len(self.fit[row]) + self.tables.jokers_after[row] - 1 < self.rack_tiles:
            return 1
        plain = self.tables.plain_before
        return int(any(all(len(self.tables.supply(t)) == 1 for t in plain[b]) for b in self.rivals[row]))

    def _at_least(self, fates: tuple[Fate, ...]) -> int:
        """No account with these fates, and more, has fewer faults."""
        freed = [f for f in fates if not f.stays]
        cost = 0 if self.may_free else len(freed)
        cost += sum(self.replay_least.get(row, 0) for row in {f.row for f in freed})
        cost += sum(f.row in self.off for f in freed)
        for origin in {f.origin for f in fates}:
            unlawful = self.lawful_least[origin] if any(f.origin == origin for f in freed) else 0
            rows = {f.row for f in fates if f.stays and f.origin == origin}
            whole = self.whole[origin]
            cost += unlawful
            if self.grow:
                cost += len(rows) > 1 or not (rows <= set(whole)) or (unlawful and not rows and not whole)
        return cost

    def _exchanged(self, fates: tuple[Fate, ...], fate: Fate) -> bool:
        """Whether two freed jokers could change places for the same faults: then one order is enough."""
        if fate.stays or self.tables.jokers_before[fate.origin] > 1:
            return False
        rank = self.rank[fate.row]
        return any(
            not other.stays
            and self.rank[other.row] > rank
            and self.tables.jokers_before[other.origin] == 1
            and not any(self._near(o, r) for o in (fate.origin, other.origin) for r in (fate.row, other.row))
            for other in fates
        )

    def _near(self, origin: int, row: int) -> bool:
        """Whether it may matter to a freed joker of a row before which row after it lies in."""
        if not self.grow or row in self.off:
            return False
        return bool(self.tables.plain_before[origin].keys() & self.tables.plain_after[row].keys())

    def _place(self, fates: tuple[Fate, ...], room: dict[int, int]) -> None:
        """Give the next joker each of its fates; of one row's jokers only in one order."""
        if self._at_least(fates) >= self.limit or self.patience <= 0:
            return
        if len(fates) == len(self.origins):
            self._weigh(fates)
            return
        origin = self.origins[len(fates)]
        options = self.options[origin]
        first = options.index(fates[-1]) if fates and fates[-1].origin == origin else 0
        for fate in options[first:]:
            if self.limit == 0:
                return
            if room[fate.row] and not self._exchanged(fates, fate):
                self._place((*fates, fate), {**room, fate.row: room[fate.row] - 1})

    def _weigh(self, fates: tuple[Fate, ...]) -> None:
        """Find the cheapest reading of these fates and keep it if it beats the best."""
        stands: dict[int, tuple[Stand, ...]] = {}
        for fate in fates:
            if fate.stays:
                stands[fate.row] = (*stands.get(fate.row, ()), fate.stand)
        after = self.tables.after
        if any(readings(after[r]) and not any(leftovers(after[r], s)) for r, s in stands.items()):
            return
        origins = sorted({f.origin for f in fates})
        base = tuple(self._early_faults(fates))
        for chosen in self._choices(fates, origins, {}, (), len(base)):
            for same in self._same(fates, stands, chosen):
                account = self._account(fates, stands, chosen, same, base)
                self.patience -= 1
                if account is not None:
                    self.accounts.append(account)
                    self._solve(account)
                if self.limit == 0 or self.patience <= 0:
                    return

    def _early_faults(self, fates: tuple[Fate, ...]) -> Iterator[Fault]:
        for fate in fates:
            of = text(self.tables.before[fate.origin])
            if not fate.stays and not self.may_free:
                message = f"The joker of {of} was freed before the initial meld."
                yield self._fault("joker-before-opening", (Tile.JOKER,), message, fate.row, fate.origin)
            if fate.row in self.off:
                message = f"The joker of {of} was freed and is {'in no set' if fate.row == LOOSE else 'gone'}."
                yield self._fault("joker-not-replayed", (Tile.JOKER,), message, None, fate.origin)

    def _choices(
        self,
        fates: tuple[Fate, ...],
        origins: list[int],
        chosen: dict[int, Replacement],
        taken: tuple[Tile, ...],
        cost: int,
    ) -> Iterator[dict[int, Replacement]]:
        """What replaced the freed jokers, row by row; a rack tile frees one joker, and any of those it may free."""
        if cost >= self.limit:
            return
        if not origins:
            yield chosen
            return
        origin, rest = origins[0], origins[1:]
        mine = [f for f in fates if f.origin == origin]
        freed = sum(not f.stays for f in mine)
        stands = tuple(f.stand for f in mine if f.stays)
        later = {t for o in rest for t in self.wants[o]}
        seen = set()
        for lawful in replacements(self.tables.before[origin], stands, freed, self.freeing):
            takes = (*taken, *lawful.takes)
            unlawful = Replacement(lawful.stood_for, (), False, lawful.full_group)
            ways = [(unlawful, taken)]
            if all(takes.count(t) <= self.tables.played[t] for t in lawful.takes):
                # What another row's joker may take can be left to it.
                ways = [(lawful, takes), *(ways if later.intersection(lawful.takes) else ())]
            for replacement, gone in ways:
                if replacement not in seen:
                    seen.add(replacement)
                    dearer = cost + (not replacement.lawful)
                    yield from self._choices(fates, rest, {**chosen, origin: replacement}, gone, dearer)

    def _same(
        self, fates: tuple[Fate, ...], stands: dict[int, tuple[Stand, ...]], chosen: dict[int, Replacement]
    ) -> Iterator[tuple[Fate, ...]]:
        """Freed jokers that stand for the same tile as before, so that no other tile may have come along.

        Matters only where a joker that stays binds its set; elsewhere staying is never worse.
        """
        if not self.grow:
            yield ()
            return
        stood: list[tuple[Fate, Tile | None]] = []
        for origin, replacement in chosen.items():
            stood += zip((f for f in fates if f.origin == origin and not f.stays), replacement.stood_for, strict=True)
        by_row: dict[int, list[tuple[Fate, Tile | None]]] = {}
        for fate, tile in stood:
            several = sum(f.origin == fate.origin and f.row == fate.row for f in fates) > 1
            if fate.row not in self.off and (several or self._near(fate.origin, fate.row)):
                by_row.setdefault(fate.row, []).append((fate, tile))
        yield from self._same_by_row(list(by_row.items()), stands)

    def _same_by_row(
        self, rows: list[tuple[int, list[tuple[Fate, Tile | None]]]], stands: dict[int, tuple[Stand, ...]]
    ) -> Iterator[tuple[Fate, ...]]:
        if not rows:
            yield ()
            return
        row, freed = rows[0]
        tiles = self.tables.after[row]
        found: set[tuple[Fate, ...]] = set()
        for reading, rest in leftovers(tiles, stands.get(row, ())):
            for now in set(permutations(rest, len(freed))):
                found.add(
                    tuple(
                        f
                        for (f, was), tile in zip(freed, now, strict=True)
                        if was is None or self._equal(f, was, tile, reading)
                    )
                )
        if not readings(tiles):
            found = {tuple(f for f, _ in freed)}
        for same in sorted(found, key=len):
            for others in self._same_by_row(rows[1:], stands):
                yield (*same, *others)

    def _equal(self, fate: Fate, was: Tile, now: Tile, reading: SetReading) -> bool:
        before = [r for r in readings(self.tables.before[fate.origin]) if was in r.jokers]
        both_groups = reading.kind == "group" and all(r.kind == "group" for r in before)
        return was.number == now.number if both_groups else was == now

    def _account(
        self,
        fates: tuple[Fate, ...],
        stands: dict[int, tuple[Stand, ...]],
        chosen: dict[int, Replacement],
        same: tuple[Fate, ...],
        base: tuple[Fault, ...],
    ) -> Account | None:
        conditions: list[Condition] = []
        faults = list(base)
        for origin, replacement in chosen.items():
            mine = [f for f in fates if f.origin == origin]
            faults += self._bound(origin, mine, replacement, conditions)
        for fate in fates:
            others = sum(f.origin == fate.origin and f.row == fate.row for f in fates) > 1
            if fate.stays and not others:
                conditions.append(Share(self.tables, fate.origin, fate.row))
            if fate in same:
                if others:
                    return None
                conditions.append(Unshared(self.tables, fate.origin, fate.row))
        conditions += self._replays(fates)
        return Account(tuple(faults), tuple(conditions), stands)

    def _solve(self, account: Account) -> None:
        """Keep an account if it beats the best."""
        found = solve(account.conditions, self.claims, self.limit - len(account.faults))
        if found is not None:
            self.best = Outcome((*account.faults, *found), account.stands)
            self.limit = self.best.cost

    def _bound(
        self, origin: int, fates: list[Fate], replacement: Replacement, conditions: list[Condition]
    ) -> Iterator[Fault]:
        """What the row that held the jokers asks for: its replacement, and that no tile leaves it."""
        row = self.tables.before[origin]
        if not replacement.lawful:
            message = f"The joker of {text(row)} was not freed by the tile it stands for, from the rack."
            yield self._fault("joker-wrong-replacement", row, message, None, origin)
        if replacement.full_group is not None:
            message = f"The joker of {text(row)} is freed by both missing colours."
            wrong = self._fault("joker-wrong-replacement", row, message, None, origin)
            conditions.append(FullGroup(self.tables, origin, replacement.full_group, wrong))
        if not self.grow:
            return
        rows = sorted({f.row for f in fates if f.stays})
        if not rows and replacement.lawful:
            return
        message = f"A tile was taken out of {text(row)}, which holds a joker."
        disturbed = self._fault("joker-set-disturbed", row, message, rows[0] if rows else None, origin)
        if len(rows) > 1:
            yield disturbed
        else:
            whole = tuple(row for row in self.whole[origin] if not rows or row in rows)
            conditions.append(Together(self.tables, origin, whole, replacement.takes, disturbed))

    def _replays(self, fates: tuple[Fate, ...]) -> Iterator[Condition]:
        for row in sorted({f.row for f in fates if not f.stays and f.row not in self.off}):
            tiles = self.tables.after[row]
            origin = next(f.origin for f in fates if f.row == row and not f.stays)
            flown = sum(f.row == row for f in fates)
            old = self._fault(
                "joker-not-replayed",
                tiles,
                f"The freed joker of {text(tiles)} is not in a new set.",
                row,
                origin,
            )
            few = self._fault(
                "joker-needs-rack-tiles",
                tiles,
                f"{text(tiles)}: the freed joker's new set takes {self.rack_tiles} more rack tiles.",
                row,
                origin,
            )
            wanted = self.rack_tiles - (self.tables.jokers_after[row] - flown)
            yield Replay(self.tables, row, wanted, self.fit[row], self.rivals[row], old, few, self.replay_least[row])

    def _fault(self, code: str, tiles: TileSet, message: str, row: int | None, origin: int) -> Fault:
        place = row if row is not None and 0 <= row < self.tables.sets else None
        return Fault(code, tiles, message, place, origin)
