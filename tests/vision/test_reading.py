"""Readings: what they hold, how they are printed and parsed, and what they warn of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tiles import ALL_TILES, Tile
from vision.reading import (
    Reading,
    ReadingError,
    ReadingWarning,
    StoredReader,
    TileReading,
    table_warnings,
    too_many_copies,
)

QUAD = ((10.0, 10.0), (60.0, 12.0), (58.0, 80.0), (8.0, 78.0))


def tiles(words: str, **others: str) -> tuple[TileReading, ...]:
    """Tiles with the ids 0, 1, …; ``t3="r9 o9"`` gives tile 3 alternatives."""
    return tuple(
        TileReading(
            k, Tile.parse(w), 0.9, not Tile.parse(w).readable, QUAD,
            tuple((Tile.parse(a), 0.05) for a in others.get(f"t{k}", "").split()),
        )
        for k, w in enumerate(words.split())
    )


def test_as_the_contract_prints_it() -> None:
    five = TileReading(0, Tile.parse("r5"), 0.997, False, QUAD, ((Tile.parse("o5"), 0.002),))
    rest = (TileReading(1, Tile.parse("r6"), 1.0, False, QUAD), TileReading(7, Tile.UNREAD, 0.2, True, QUAD))
    warning = ReadingWarning("too-many-copies", "three of them", (0, 1))
    reading = Reading(1280, 960, "table.jpg", (five, *rest), ((0, 1),), (7,), (warning,))
    document = reading.to_json()
    assert document["image"] == {"width": 1280, "height": 960, "path": "table.jpg"}
    assert document["tiles"][0] == {
        "id": 0, "tile": "r5", "confidence": 0.997, "unsure": False,
        "quad": [[10, 10], [60, 12], [58, 80], [8, 78]],
        "alternatives": [{"tile": "o5", "confidence": 0.002}],
    }
    assert (document["sets"], document["loose"]) == ([[0, 1]], [7])
    assert document["warnings"] == [{"code": "too-many-copies", "message": "three of them", "tiles": [0, 1]}]
    assert Reading.from_json(json.loads(json.dumps(document))) == reading


def test_sets_as_a_layout_and_the_rest() -> None:
    reading = Reading(9, 9, None, tiles("b6 j ?8 k1"), ((2, 1, 0),), (3,))
    assert str(reading.layout()) == "?8 j b6"
    assert reading.loose_tiles() == (Tile.parse("k1"),)
    assert reading[2].tile == Tile.parse("?8")


@pytest.mark.parametrize(
    ("sets", "loose", "says"),
    [
        (((0, 1),), (), "in one set or is loose"),
        (((0, 1), (1, 2)), (), "in one set or is loose"),
        (((0, 1),), (2, 3), "in one set or is loose"),
    ],
)
def test_every_tile_lies_in_one_place(
    sets: tuple[tuple[int, ...], ...], loose: tuple[int, ...], says: str
) -> None:
    with pytest.raises(ReadingError, match=says):
        Reading(9, 9, None, tiles("r5 r6 r7"), sets, loose)


@pytest.mark.parametrize(
    ("words", "copies", "jokers", "warned"),
    [
        ("r5 r5", 2, 2, []),
        ("r5 r5 r5", 2, 2, [(0, 1, 2)]),
        ("r5 r5 r5", 3, 4, []),
        ("j j j", 2, 2, [(0, 1, 2)]),
        ("j j j j", 3, 4, []),
        ("j j j j j", 3, 4, [(0, 1, 2, 3, 4)]),
        ("r5 k1 r5 k1 r5 k1", 2, 2, [(1, 3, 5), (0, 2, 4)]),
        ("? ? ? ?5 ?5 ?5 r? r? r?", 2, 2, []),
    ],
)
def test_more_copies_than_the_box_holds(
    words: str, copies: int, jokers: int, warned: list[tuple[int, ...]]
) -> None:
    found = too_many_copies(tiles(words), copies, jokers)
    assert [w.tiles for w in found] == warned
    assert all(w.code == "too-many-copies" for w in found)


def test_the_warning_names_other_readings() -> None:
    (warning,) = too_many_copies(tiles("r5 r5 r5", t1="o5 r5", t2="o5 r6"))
    assert warning.message == (
        "3 tiles r5 were read, the box holds 2: one of them is another tile (perhaps o5 or r6)"
    )


def test_no_tiles_is_a_warning() -> None:
    assert [w.code for w in table_warnings(())] == ["no-tiles"]
    assert table_warnings(tiles("r5")) == ()


def test_for_another_box_other_warnings_stay() -> None:
    other = ReadingWarning("glare", "a lamp shines on two tiles", (0,))
    three = tiles("r5 r5 r5")
    reading = Reading(9, 9, None, three, (), (0, 1, 2), (*too_many_copies(three), other))
    assert reading.for_box(3, 4).warnings == (other,)
    assert reading.for_box(3, 4).for_box().warnings == (*too_many_copies(three), other)


SOME = {"id": 0, "tile": "r9", "confidence": 1, "unsure": False, "quad": QUAD}
BROKEN: dict[str, Any] = {
    "no object": [],
    "no image": {"tiles": []},
    "no tiles": {"image": {"width": 1, "height": 1}},
    "a tile that is none": {"tiles": [{**SOME, "tile": "x9"}]},
    "three corners": {"tiles": [{**SOME, "quad": QUAD[:3]}]},
    "a confidence of two": {"tiles": [{**SOME, "confidence": 2}], "loose": [0]},
    "a tile nowhere": {"tiles": [SOME]},
    "an endless corner": {"tiles": [{**SOME, "quad": [[1, float("inf")], *QUAD[1:]]}], "loose": [0]},
    "one tile twice": {"tiles": [SOME, SOME], "loose": [0]},
}


@pytest.mark.parametrize("document", BROKEN.values(), ids=BROKEN)
def test_what_is_no_reading(document: Any) -> None:
    if isinstance(document, dict) and "tiles" in document and document["tiles"]:
        document = {"image": {"width": 1, "height": 1}, **document}
    with pytest.raises(ReadingError, match="not a reading") as caught:
        Reading.from_json(document)
    assert "\n" not in str(caught.value)


numbers = st.floats(-5000, 5000, allow_nan=False)
quads = st.tuples(*[st.tuples(numbers, numbers)] * 4)
chances = st.floats(0, 1)
kinds = st.sampled_from([*ALL_TILES, Tile.UNREAD, Tile.parse("?6"), Tile.parse("r?")])


@st.composite
def readings(draw: st.DrawFn) -> Reading:
    ids = draw(st.lists(st.integers(0, 999), unique=True, max_size=8))
    found = tuple(
        TileReading(
            k, draw(kinds), draw(chances), draw(st.booleans()), draw(quads),
            tuple(draw(st.lists(st.tuples(kinds, chances), max_size=2))),
        )
        for k in ids
    )
    cut = draw(st.integers(0, len(ids)))
    sets = (tuple(ids[:cut]),) if cut else ()
    path = draw(st.none() | st.text(max_size=9))
    return Reading(draw(st.integers(1, 5000)), 960, path, found, sets, tuple(ids[cut:]))


@given(readings())
def test_round_trip(reading: Reading) -> None:
    once = Reading.from_json(json.loads(json.dumps(reading.to_json())))
    assert Reading.from_json(once.to_json()) == once
    assert (once.layout(), once.loose_tiles()) == (reading.layout(), reading.loose_tiles())
    for before, after in zip(reading.tiles, once.tiles, strict=True):
        assert (before.id, before.tile, before.unsure) == (after.id, after.tile, after.unsure)
        assert abs(before.confidence - after.confidence) <= 5.1e-5
        assert np.abs(np.array(before.quad) - np.array(after.quad)).max() <= 0.0051


def test_the_stored_twin(tmp_path: Path) -> None:
    reading = Reading(320, 240, "a.jpg", tiles("r5"), (), (0,))
    (tmp_path / "a.json").write_text(json.dumps(reading.to_json()))
    (tmp_path / "b.json").write_text("{")
    picture = np.zeros((240, 320, 3), np.uint8)
    reader = StoredReader(tmp_path)
    assert reader.read(picture, "a.jpg") == reading
    assert [w.code for w in reader.read(picture, "c.jpg").warnings] == ["no-tiles"]
    with pytest.raises(ReadingError, match=r"b\.json is not JSON"):
        reader.read(picture, "b.jpg")
