"""While racks are counted, the page says nothing of a rack's tiles: they are no sets and need be none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.webui.test_racks import LAID, RACK, RUN, Room

LOOSE = tuple((tile, 60.0 + 70 * k, 300.0 + 90 * (k % 3)) for k, tile in enumerate(RACK.split()))
"""Ben's tiles, scattered."""
IN_ROWS = (("b5 r13 j o1 o2", 50.0, 300.0), ("k9 b9 o9 r3 r4 r5", 50.0, 400.0))


def table(room: Room) -> dict[str, Any]:
    found = room.umpire.table(1)
    assert found is not None
    return found


def judged(room: Room) -> tuple[str, list[str]]:
    return table(room)["headline"]["text"], [v["state"] for v in table(room)["verdicts"]]


@pytest.fixture
def room() -> Room:
    """Anna has laid all of her tiles at once and is out."""
    room = Room()
    room.see(*LAID)
    room.press("end")
    room.press("out")
    return room


@pytest.mark.parametrize("rack", [LOOSE, IN_ROWS], ids=["scattered", "in rows"])
def test_a_racks_tiles_beside_the_table_are_not_judged(room: Room, rack: Any) -> None:
    assert judged(room) == ("All 2 sets are right", ["right", "right"])
    room.see(*LAID, *rack)
    assert judged(room) == ("All 2 sets are right", ["right", "right"])
    assert table(room)["lines"] == [] and len(table(room)["reading"]["tiles"]) > 20, "they are seen all the same"


def test_a_racks_tile_that_touches_a_set(room: Room) -> None:
    room.see((f"{RUN} b12", 50, 50), ("k4 k5 k6", 50, 120))
    assert judged(room)[1] == ["right", "right"]


def test_a_rack_where_the_table_is_not_in_the_picture(room: Room) -> None:
    room.see(*IN_ROWS)
    assert judged(room) == ("The racks are being counted", [])


def test_a_set_of_the_table_that_was_broken_is_still_named(room: Room) -> None:
    room.see((RUN, 50, 50), ("k4 k5", 50, 120), ("k6", 600, 300), *IN_ROWS[:1])
    assert "wrong" in judged(room)[1]


def test_before_the_end_everything_is_judged() -> None:
    room = Room()
    room.see(LAID[1], *LOOSE[:2])
    assert judged(room)[1] == ["right", "wrong", "wrong"]
