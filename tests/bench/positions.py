"""Mid-game positions for the benches and tests: tables from games played out move by move, seeded.

Four players take turns from one box; each lays the best play, now and then only part of what he could, until the
table holds as many tiles as asked. The rack is then dealt from the tiles that are left. ``python
tests/bench/positions.py`` writes the positions again to ``positions.json``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from referee.layout import Layout, TileSet
from referee.moves import Position, any_play, best_play
from referee.sets import LEAST, is_set
from referee.sheets import load
from referee.tiles import ALL_TILES, Tile

FILE = Path(__file__).with_name("positions.json")
PLAYERS = 4
HAND = 14


@dataclass(frozen=True)
class Family:
    """Positions of one kind: tiles on the table, tiles on the rack, jokers in the box or not."""

    name: str
    table: int
    rack: int
    jokers: bool
    count: int
    stuck: bool = False
    """Whether only positions are taken in which nothing can be played."""


FAMILIES = (
    Family("table 60, rack 14", 60, 14, False, 100),
    Family("table 60, rack 14, jokers", 60, 14, True, 100),
    Family("table 80, rack 20", 80, 20, False, 50),
    Family("table 80, rack 20, jokers", 80, 20, True, 50),
    Family("table 30, rack 6, no play", 30, 6, True, 30, True),
)


def position(rng: random.Random, family: Family) -> Position:
    """One position of a family."""
    while True:
        found = _played_out(rng, family)
        if found is not None and (not family.stuck or not any_play(found).playable):
            return found


def _played_out(rng: random.Random, family: Family) -> Position | None:
    sheet = load("classic")
    box = [t for t in ALL_TILES for _ in range(2) if family.jokers or not t.is_joker]
    rng.shuffle(box)
    racks = [[box.pop() for _ in range(HAND)] for _ in range(PLAYERS)]
    table = Layout()
    passed = 0
    for turn in range(400):
        rack = racks[turn % PLAYERS]
        held = rack if rng.random() < 0.8 else rng.sample(rack, (len(rack) + 1) // 2)
        play = best_play(Position(table, tuple(held), sheet))
        passed = 0 if play.playable else passed + 1
        if play.playable:
            table = play.table
            for tile in play.played:
                rack.remove(tile)
        elif box:
            rack.append(box.pop())
        elif passed > 2 * PLAYERS:
            return None
        if not rack:
            rack += [box.pop() for _ in range(min(HAND, len(box)))]
        if table.tiles.total() >= family.table:
            break
    trimmed = _trimmed(rng, table, family.table)
    if trimmed is None:
        return None
    rest = list((Counter([t for t in ALL_TILES for _ in range(2)]) - trimmed.tiles).elements())
    rest = [t for t in rest if family.jokers or not t.is_joker]
    return Position(trimmed, tuple(sorted(rng.sample(rest, family.rack))), sheet)


def _trimmed(rng: random.Random, table: Layout, size: int) -> Layout | None:
    """The table less single tiles that a set can spare, down to a number of tiles."""
    rows: list[TileSet] = list(table.sets)
    while sum(map(len, rows)) > size:
        spare = [
            (i, rest)
            for i, row in enumerate(rows)
            for rest in (row[1:], row[:-1])
            if len(row) > LEAST and is_set(rest)
        ]
        if not spare:
            return None
        i, rest = rng.choice(spare)
        rows[i] = rest
    rng.shuffle(rows)
    return Layout(tuple(rows)) if sum(map(len, rows)) == size else None


def stored() -> dict[str, list[Position]]:
    """The positions in `FILE`, by family."""
    sheet = load("classic")
    document = json.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: [Position(Layout.parse(p["table"]), _tiles(p["rack"]), sheet) for p in found]
        for name, found in document.items()
    }


def _tiles(text: str) -> TileSet:
    return tuple(map(Tile.parse, text.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=60)
    parser.add_argument("--only", help="write this family anew and leave the others as they are")
    asked = parser.parse_args()
    document = json.loads(FILE.read_text(encoding="utf-8")) if asked.only and FILE.exists() else {}
    for family in FAMILIES:
        if asked.only in (None, family.name):
            rng = random.Random(f"{asked.seed} {family.name}")
            found = [position(rng, family) for _ in range(family.count)]
            document[family.name] = [
                {"table": str(p.table), "rack": " ".join(map(str, p.rack))} for p in found
            ]
            print(family.name, len(found), flush=True)
            FILE.write_text(json.dumps(document, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
