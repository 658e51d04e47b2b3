"""The way back as it is drawn: from where a tile lies to where it belongs, also when its set lies elsewhere now."""

from __future__ import annotations

from referee.snapshot import Snapshot
from webui.guide import restore_document


def table(*rows: tuple[str, float, float]) -> Snapshot:
    """Rows of tiles 10 wide and 14 high, each ``("r3 r4 r5", x, y)``; a row of one tile is loose."""
    tiles, sets, loose = [], [], []
    for text, x0, y in rows:
        ids = []
        for k, tile in enumerate(text.split()):
            x = x0 + 11 * k
            ids.append(len(tiles))
            quad = [[x, y], [x + 10, y], [x + 10, y + 14], [x, y + 14]]
            tiles.append({"id": len(tiles), "tile": tile, "quad": quad})
        if len(ids) == 1:
            loose += ids
        else:
            sets.append(ids)
    return Snapshot.of({"tiles": tiles, "sets": sets, "loose": loose})


def corner(quad: list[list[float]]) -> tuple[float, float]:
    return quad[0][0], quad[0][1]


def test_a_tile_goes_back_to_its_place() -> None:
    way = restore_document(table(("r3 r4 r5 r6", 0, 0)), table(("r3 r4 r5", 0, 0), ("r6", 200, 100)))
    (step,) = way["steps"]
    assert corner(step["lies"]) == (200, 100) and corner(step["belongs"]) == (33, 0)


def test_its_place_goes_with_its_set() -> None:
    way = restore_document(table(("r3 r4 r5 r6", 0, 0)), table(("r3 r4 r5", 50, 20), ("r6", 200, 100)))
    assert corner(way["steps"][0]["belongs"]) == (83, 20)


def test_what_goes_to_the_rack_and_what_is_missing() -> None:
    way = restore_document(table(("r3 r4 r5", 0, 0)), table(("r3 r4", 0, 0), ("k9", 70, 70)))
    assert corner(way["rack_lies"][0]) == (70, 70)
    assert corner(way["missing_belong"][0]) == (22, 0)


def test_without_places_there_is_nothing_to_draw() -> None:
    way = restore_document(Snapshot.of([["r3", "r4", "r5"]]), Snapshot.of([["r3", "r4"], ["r5", "k1"]]))
    assert way["steps"][0]["lies"] is None and way["steps"][0]["belongs"] is None


def test_a_restored_table() -> None:
    way = restore_document(table(("r3 r4 r5", 0, 0)), table(("r3 r4 r5", 80, 80)))
    assert way["restored"] and way["steps"] == [] and way["rack_lies"] == [] and way["missing_belong"] == []
