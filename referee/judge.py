"""The judge: a turn, before and after, to a verdict with every fault at once (RULES.md, "Judging a turn").

Equal tiles cannot be told apart: a turn is legal if some account of which equal tile came from the rack and
which from which set makes it legal. Of several accounts the one with the fewest faults is reported.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.faults import Fault, set_faults, text
from referee.jokers import Jokers, Outcome
from referee.layout import Layout, TileSet
from referee.near import joker_rows, still_there
from referee.opening import Untouched, packings, set_value, untouched
from referee.sets import SetReading, best_of, readings
from referee.sheets import OpeningTable, Sheet
from referee.sources import Tables, content
from referee.stands import Stand, leftovers
from referee.tiles import Tile

MOST_EQUAL = 8
"""More of one kind of tile, jokers included, are a fault in any box; who laid which is not asked then."""

MOST_MELDS = 64
"""How many choices of opening sets are tried against the jokers; the first one nearly always does."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What the judge is asked: the table before and after, loose tiles now, whether the player had opened.

    ``rack`` is what the player held before the turn: how many tiles, which, or None where nobody knows.
    """

    before: Layout
    after: Layout
    loose: tuple[Tile, ...] = ()
    opened: bool = True
    rack: int | tuple[Tile, ...] | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says. ``sets`` has a reading for each set after the turn, None where it is no set.

    ``opened`` is the state after the turn; ``meld`` the value of the opening where the turn was one;
    ``rack`` how many tiles are left, if known; ``out`` whether it is empty after a legal turn.
    """

    faults: tuple[Fault, ...]
    played: tuple[Tile, ...]
    opened: bool
    meld: int | None
    rack: int | None
    out: bool
    after: Layout
    sets: tuple[SetReading | None, ...]

    @property
    def legal(self) -> bool:
        return not self.faults

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the faults."""
        return frozenset(f.code for f in self.faults)

    def document(self) -> dict[str, Any]:
        """As CONTRACT.md's `judge` gives it; a set also has its ``notes``."""
        return {
            "legal": self.legal,
            "violations": [f.document() for f in self.faults],
            "played": [str(t) for t in self.played],
            "opened": self.opened,
            "meld": self.meld,
            "rack": self.rack,
            "out": self.out,
            "sets": [_set_document(row, reading) for row, reading in zip(self.after.sets, self.sets, strict=True)],
        }


def _set_document(row: TileSet, reading: SetReading | None) -> dict[str, Any]:
    return {
        "kind": reading.kind if reading else None,
        "tiles": [str(t) for t in row],
        "stands_for": [str(t) for t in reading.stands_for] if reading else None,
        "value": reading.value if reading else None,
        "notes": list(reading.notes) if reading else [],
    }


def judge(turn: Turn, sheet: Sheet) -> Verdict:
    """Judge a turn by a rule sheet.

    >>> from referee.sheets import load
    >>> before, after = Layout.parse("b6 j b8"), Layout.parse("b6 b7 b8 | r10 r11 j")
    >>> judge(Turn(before, after, rack=9), load("classic")).legal
    True
    """
    tables = Tables(turn.before.sets, (*turn.after.sets, *((t,) for t in turn.loose)), len(turn.after))
    found = [readings(row) for row in turn.after.sets]
    faults = [*_row_faults(tables, turn, found), *_count_faults(tables, turn, sheet)]
    account = _Account()
    if not any(f.code == "unread-tile" for f in faults) and _countable(tables):
        account = _account(tables, turn, sheet)
    faults += account.faults
    count = len(turn.rack) if isinstance(turn.rack, tuple) else turn.rack
    played = tuple(_played(tables))
    left = None if count is None else max(0, count - len(played))
    opened = turn.opened or (account.meld is not None and not faults)
    return Verdict(
        faults=tuple(faults),
        played=played,
        opened=opened,
        meld=account.meld,
        rack=left,
        out=left == 0 and not faults,
        after=turn.after,
        sets=tuple(_reading(turn.after.sets[i], ways, account.stands.get(i)) for i, ways in enumerate(found)),
    )


def _row_faults(tables: Tables, turn: Turn, found: list[tuple[SetReading, ...]]) -> Iterator[Fault]:
    for i, row in enumerate(turn.after.sets):
        if row and not found[i]:
            yield from set_faults(row, i)
    for tile in turn.loose:
        if tile.readable:
            yield Fault("set-too-short", (tile,), f"{tile} lies in no set.")
        else:
            yield from set_faults((tile,))
    if all(t.readable for t in tables.count_before):
        return
    for i, row in enumerate(turn.before.sets):
        if not all(t.readable for t in row):
            for fault in set_faults(row):
                yield Fault(fault.code, fault.tiles, f"Before the turn: {fault.message}", before=i)


def _count_faults(tables: Tables, turn: Turn, sheet: Sheet) -> Iterator[Fault]:
    played = _laid(tables)
    unread = sum(n for t, n in tables.played.items() if not t.readable)
    gone = sorted(t for t in tables.left.elements() if t.readable)[unread:]
    if gone:
        verb = "is" if len(gone) == 1 else "are"
        yield Fault("tile-left-table", tuple(gone), f"{text(gone)} lay on the table and {verb} not on it now.")
    held = Counter(turn.rack) if isinstance(turn.rack, tuple) else None
    for tile, count in sorted(_many(tables, held - played if held else Counter(), sheet).items()):
        copies = sheet.jokers if tile.is_joker else sheet.copies
        if tile.readable and count > copies:
            yield Fault("too-many-copies", (tile,) * count, f"There are {count} of {tile}; the box holds {copies}.")
    # A different set of rows, not a different order: tidying a set or the table is no move.
    if not tables.played and not unread and _contents(tables.before) != _contents(tables.after):
        yield Fault("nothing-played", (), "Sets were moved but no tile was laid from the rack: draw.")
    if held is not None:
        more = tuple(t for t in sorted((played - held).elements()) if t.readable)
        if more:
            yield Fault("more-than-rack", more, f"{text(more)}: laid, but not on the rack before the turn.")
    elif isinstance(turn.rack, int) and played.total() > turn.rack:
        message = f"{played.total()} tiles were laid, but the rack held {turn.rack}."
        yield Fault("more-than-rack", tuple(sorted(played.elements())), message)


def _many(tables: Tables, on_rack: Counter[Tile], sheet: Sheet) -> dict[Tile, int]:
    """The tiles of which there may be too many, before, now or with the rack, and how many."""
    most: dict[Tile, int] = {}
    few = min(sheet.copies, sheet.jokers)
    for counts in (tables.count_before, tables.count_after, on_rack):
        for tile, count in counts.items():
            more = count if counts is not on_rack else tables.count_after[tile] + count
            if more > most.get(tile, few):
                most[tile] = more
    return most


@dataclass(frozen=True, slots=True)
class _Account:
    """What depends on which equal tile came from where: faults, the meld, what jokers that stay stand for."""

    faults: tuple[Fault, ...] = ()
    meld: int | None = None
    stands: Mapping[int, tuple[Stand, ...]] = field(default_factory=dict)


def _countable(tables: Tables) -> bool:
    counts = (*tables.count_before.values(), *tables.count_after.values())
    return max(counts, default=0) <= MOST_EQUAL


def _account(tables: Tables, turn: Turn, sheet: Sheet) -> _Account:
    if turn.opened or not tables.played:
        outcome = _jokers(tables, sheet, turn.opened or sheet.freed_before_meld)
        return _Account(outcome.faults, None, outcome.stands)
    if sheet.opening_table is OpeningTable.UNTOUCHED:
        return _opening_apart(tables, sheet)
    return _opening_first(tables, sheet)


def _jokers(tables: Tables, sheet: Sheet, may_free: bool) -> Outcome:
    if still_there(tables):
        return Outcome((), {})
    outcome = Jokers(tables, sheet, may_free).cheapest()
    assert outcome is not None  # without rows to keep for the rack there is always an account
    return outcome


def _opening_apart(tables: Tables, sheet: Sheet) -> _Account:
    """An opening in which the table is not to be touched."""
    table = untouched(tables, sheet)
    if not table.changed:
        new = [i for i in range(tables.sets) if i not in table.rows.values()]
        meld = sum(set_value(tables.after[i], sheet) for i in new)
        tiles = tuple(t for i in new for t in tables.after[i])
        return _Account(tuple(_too_low(meld, tiles, sheet)), meld)
    meld, rows = next(packings(tables, sheet))
    tiles = tuple(t for i in sorted(rows) for t in tables.after[i])
    outcome = _jokers(tables, sheet, sheet.freed_before_meld)
    touched = tuple(_touched(tables, table))
    return _Account((*_too_low(meld, tiles, sheet), *touched, *outcome.faults), meld, outcome.stands)


def _opening_first(tables: Tables, sheet: Sheet) -> _Account:
    """An opening after which the table may be used in the same turn."""
    found: _Account | None = None
    near, jokers = joker_rows(tables), Jokers(tables, sheet, True)
    tried: set[Hashable] = set()
    least: int | None = None
    value, rows = 0, frozenset[int]()
    for value, rows in packings(tables, sheet, near.rows if tables.jokers_before else frozenset()):
        if value < sheet.initial_meld or len(tried) == MOST_MELDS:
            break
        if not tables.jokers_before:
            return _Account((), value)
        effect = near.effect(rows)
        if effect in tried:
            continue  # what differs has nothing to do with a joker
        tried.add(effect)
        least = _jokers(tables, sheet, True).cost if least is None else least
        outcome = jokers.cheapest(rows, len(found.faults) if found else 1 << 30)
        if outcome is not None:
            found = _Account(outcome.faults, value, outcome.stands)
            if outcome.cost == least:
                return found
    outcome = _jokers(tables, sheet, sheet.freed_before_meld)
    if found is not None and len(found.faults) <= outcome.cost + 1:
        return found
    value, rows = (value, rows) if value < sheet.initial_meld else (0, frozenset())
    tiles = tuple(t for i in sorted(rows) for t in tables.after[i])
    return _Account((*_too_low(value, tiles, sheet), *outcome.faults), value, outcome.stands)


def _too_low(meld: int, tiles: TileSet, sheet: Sheet) -> Iterator[Fault]:
    if meld < sheet.initial_meld:
        message = f"The opening sets are worth {meld}; the initial meld takes {sheet.initial_meld}."
        yield Fault("opening-too-low", tiles, message)


def _touched(tables: Tables, table: Untouched) -> Iterator[Fault]:
    for i in table.changed:
        shared = Counter(row for tile in tables.before[i] for row in tables.demand(tile) if row < tables.sets)
        place = max(shared, key=lambda row: (shared[row], -row), default=None)
        message = f"{text(tables.before[i])} lay on the table and was used or changed in the opening turn."
        yield Fault("opening-touched-table", tables.before[i], message, place, i)


def _laid(tables: Tables) -> Counter[Tile]:
    """The tiles from the rack; one that could not be read may be one of those that seem to be missing."""
    if all(t.readable for t in tables.played):
        return tables.played
    played = tables.played.copy()
    missing = tables.left.total()
    for tile in sorted(t for t in played if not t.readable):
        less = min(missing, played[tile])
        played[tile] -= less
        missing -= less
    return +played


def _contents(rows: tuple[TileSet, ...]) -> Counter[Hashable]:
    return Counter(content(row) for row in rows if row)


def _played(tables: Tables) -> Iterator[Tile]:
    """The tiles laid, in the order they lie, in changed rows first: there they were laid."""
    wanted = dict(_laid(tables))
    if not wanted:
        return
    old = _contents(tables.before)
    changed: list[TileSet] = []
    unchanged: list[TileSet] = []
    for row in tables.after:
        tiles = content(row)
        if old.get(tiles):
            old[tiles] -= 1
            unchanged.append(row)
        else:
            changed.append(row)
    for tile in (t for row in (*changed, *unchanged) for t in row):
        if wanted.get(tile):
            wanted[tile] -= 1
            yield tile


def _reading(row: TileSet, found: tuple[SetReading, ...], stands: tuple[Stand, ...] | None) -> SetReading | None:
    """The reading that is best for the player and in which jokers that stay stand for what they stood for."""
    if len(found) < 2 or not stands:
        return best_of(found)
    return best_of(reading for reading, _ in leftovers(row, stands)) or best_of(found)
