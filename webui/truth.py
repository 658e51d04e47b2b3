"""A reading beside the layout that is known to lie there: is it right, and what are its doubtful tiles?"""

from __future__ import annotations

from collections import Counter

from referee.assignment import assign
from referee.layout import Layout, TileSet
from referee.tiles import Tile
from vision.reading import Reading, TileReading
from webui.lines import Line, Parts

Row = tuple[TileReading, ...]
Fit = tuple[int, dict[int, Tile | None]]
"""How well something fits, and what its unsure tiles are then."""
SURE, MAYBE, NEVER = 100, 1, -(10**6)


def sets_of(layout: Layout) -> list[list[str]]:
    """A layout without the order of its sets and of the tiles in them: what a game depends on."""
    return sorted(sorted(map(str, row)) for row in layout.sets)


def parts_in(line: Line, reading: Reading, table: Layout) -> Parts | None:
    """Which of the answers to what is asked of a line makes the sets that lie there; None where no answer does."""
    lie = Counter(tuple(sorted(row)) for row in table.sets)

    def there(parts: Parts) -> bool:
        return Counter(tuple(sorted(reading[n].tile for n in part)) for part in parts) <= lie

    return next(filter(there, line.answers), None)


def truth_of(reading: Reading, table: Layout) -> dict[int, Tile | None] | None:
    """What each unsure tile of a reading is, by id, given what lies there; None for one that is no tile.

    None instead of that where a sure tile is read as another, a tile is missing or too many without a doubt, or a set
    was taken apart or joined with another.
    """
    tiles = {t.id: t for t in reading.tiles}
    rows: list[Row] = [tuple(tiles[i] for i in ids) for ids in reading.sets]
    rows += [(tiles[i],) for i in reading.loose]
    wanted = list(table.sets)
    if not rows or not wanted:
        return {t.id: None for t in reading.tiles} if all(t.unsure for t in reading.tiles) and not wanted else None
    scores = [[max(_aligned(row, want)[0], 0) for want in wanted] for row in rows]
    found: dict[int, Tile | None] = {}
    taken = assign(scores)
    if {c for c in taken if c is not None} != set(range(len(wanted))):
        return None
    for row, column in zip(rows, taken, strict=True):
        if column is None:
            if not all(t.unsure for t in row):
                return None
            found |= {t.id: None for t in row}
        else:
            found |= _aligned(row, wanted[column])[1]
    return found


def _aligned(row: Row, wanted: TileSet) -> Fit:
    """How well a row fits a set, read from the better end."""
    return max((_one_way(row, wanted), _one_way(row, wanted[::-1])), key=lambda found: found[0])


def _one_way(row: Row, wanted: TileSet) -> Fit:
    # best[i][j]: the first i tiles read beside the first j wanted; all of the wanted have to be there.
    start: Fit = (0, {})
    best: list[list[Fit]] = [[start, *[(NEVER, start[1])] * len(wanted)]]
    for i, tile in enumerate(row):
        none: Fit = (best[i][0][0] if tile.unsure else NEVER, {**best[i][0][1], tile.id: None})
        line = [none]
        for j, want in enumerate(wanted):
            before, truth = best[i][j]
            fits = MAYBE if tile.unsure else SURE if tile.tile == want else NEVER
            named = {**truth, tile.id: want} if tile.unsure else truth
            options: list[Fit] = [(before + fits, named)]
            if tile.unsure:
                options.append((best[i][j + 1][0], {**best[i][j + 1][1], tile.id: None}))
            line.append(max(options, key=lambda found: found[0]))
        best.append(line)
    return best[-1][-1]
