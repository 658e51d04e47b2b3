"""A tile added by a tap: where it lies, how long it stays, and that the referee counts it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conftest import HIGH, WIDE, draw_table
from vision.cover import Cover
from vision.reading import Reading
from webui.added import quad_at
from webui.play import PlayError
from webui.umpire import Umpire

NEXT = (70 + 3 * (WIDE + 3) + WIDE / 2, 70 + HIGH / 2)
"""The place after the third tile of the first row of `draw_table`."""


def seen(text: str) -> Umpire:
    umpire = Umpire()
    umpire.see(draw_table(text)[1], 1)
    return umpire


def add(umpire: Umpire, tile: str, at: tuple[float, float] = NEXT, scene: int = 1) -> None:
    umpire.press("add", {"scene": scene, "tile": tile, "at": list(at)})


def rows(umpire: Umpire) -> str:
    assert umpire.reading is not None
    return " | ".join(" ".join(str(umpire.reading[n].tile) for n in row) for row in umpire.reading.sets)


def test_it_joins_the_row_it_was_tapped_beside() -> None:
    umpire = seen("r3 r4 r5")
    add(umpire, "r6", (NEXT[0] + 4, NEXT[1] + 20))  # a finger is not exact
    assert rows(umpire) == "r3 r4 r5 r6"


def test_it_is_sure_and_asks_nothing() -> None:
    umpire = seen("r3 r4 r5")
    add(umpire, "r6")
    assert umpire.reading is not None
    assert not any(t.unsure for t in umpire.reading.tiles)
    assert umpire.questions == ()


def test_it_stays_while_nobody_touches_it_though_the_camera_does_not_see_it() -> None:
    umpire = seen("r3 r4 r5")
    add(umpire, "r6")
    for scene in (2, 3, 4):
        umpire.see(draw_table("r3 r4 r5")[1], scene, Cover.nothing())
    assert rows(umpire) == "r3 r4 r5 r6"
    assert umpire.questions == ()


def test_after_a_hand_it_is_asked_about_and_an_answer_keeps_it() -> None:
    umpire = seen("r3 r4 r5")
    add(umpire, "r6")
    umpire.see(draw_table("r3 r4 r5")[1], 2, Cover.everywhere())
    (question,) = umpire.questions
    assert question.missing
    umpire.press("answer", {"scene": 2, "id": question.id, "tile": "r6"})
    umpire.see(draw_table("r3 r4 r5")[1], 3, Cover.nothing())
    assert rows(umpire) == "r3 r4 r5 r6"
    assert umpire.questions == ()


def test_once_the_camera_sees_it_there_is_one_tile_and_it_can_go() -> None:
    umpire = seen("r3 r4 r5")
    add(umpire, "r6")
    umpire.see(draw_table("r3 r4 r5 r6")[1], 2, Cover.nothing())
    assert rows(umpire) == "r3 r4 r5 r6"
    umpire.see(draw_table("r3 r4 r5")[1], 3, Cover.everywhere())
    assert rows(umpire) == "r3 r4 r5"


def test_it_can_be_taken_away_again() -> None:
    umpire = seen("r3 r4 r5")
    add(umpire, "r6")
    assert umpire.reading is not None
    added = umpire.reading.tiles[-1].id
    umpire.press("answer", {"scene": 1, "id": added, "tile": None})
    assert rows(umpire) == "r3 r4 r5"


def test_the_referee_counts_it() -> None:
    umpire = seen("r10 r11")
    umpire.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
    add(umpire, "r12", (70 + 2 * (WIDE + 3) + WIDE / 2, NEXT[1]))
    umpire.press("end", {"turn": 1})
    assert umpire.play.state.turn is not None
    assert umpire.play.state.turn.player == "Ben"
    assert umpire.play.state.rack("Anna") == 11


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"scene": 7}, "stale-table"),
        ({"at": None}, "bad-request"),
        ({"at": ["1", "2"]}, "bad-request"),
        ({"at": [True, False]}, "bad-request"),
        ({"at": [-5, 10]}, "no-such-place"),
        ({"at": [1e9, 10]}, "no-such-place"),
        ({"at": [float("nan"), 10]}, "no-such-place"),
        ({"at": [70 + WIDE / 2, 70 + HIGH / 2]}, "no-such-tile"),
        ({"tile": "r14"}, "no-such-tile"),
        ({"tile": "?"}, "no-such-tile"),
        ({"tile": None}, "bad-request"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, object], reason: str) -> None:
    umpire = seen("r3 r4 r5")
    with pytest.raises(PlayError) as refused:
        umpire.press("add", {"scene": 1, "tile": "r6", "at": list(NEXT), **change})
    assert refused.value.reason == reason
    assert rows(umpire) == "r3 r4 r5"


def test_on_an_empty_table_it_has_the_size_of_a_tile() -> None:
    a, b, _, d = quad_at(Reading(1280, 960), 640, 480)
    assert b[0] - a[0] == pytest.approx(1280 / 22)
    assert d[1] - a[1] == pytest.approx(1280 / 22 * 1.4)


def test_beside_a_tile_laid_upside_down_it_is_upside_down_too() -> None:
    table = draw_table("r3 r4 r5")[1]
    turned = replace(table, tiles=tuple(replace(t, quad=(*t.quad[2:], *t.quad[:2])) for t in table.tiles))
    a, b, _, d = quad_at(turned, *NEXT)
    assert a[0] > b[0]
    assert a[1] > d[1]
