"""The score sheet: rows, totals, shared places; put right with a minus key; its picture; printed and saved."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tests.browser.conftest import WIDE
from tests.browser.steps import SLOW, expect, on_turn, played, press, start, type_on_the_pad

Serve = Callable[..., Any]
pytestmark = pytest.mark.parametrize("page", [WIDE], ids=["1280x800"], indirect=True)
THREE = ("Anna", "Ben", "Cleo")
FIRST = ("Anna", {"Ben": 80, "Cleo": 95})
SECOND = ("Cleo", {"Anna": 150, "Ben": 66})


def open_sheet(page: Any) -> Any:
    page.get_by_role("button", name="Score sheet").click(timeout=SLOW)
    return page.locator("#sheet")


def test_rows_running_totals_and_who_leads(page: Any, serve: Serve) -> None:
    page.goto(serve("", store=played(THREE, FIRST, SECOND)).address)
    sheet = open_sheet(page)
    rows = sheet.locator("tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("+175")
    expect(rows.nth(1).locator("td").nth(2).locator(".points")).to_have_text("+216")
    expect(rows.nth(1).locator("td").nth(2).locator(".running")).to_have_text("+121")
    expect(sheet.locator("tfoot tr.total td")).to_have_text(["+25", "−146", "+121"])
    expect(sheet).to_contain_text("Cleo leads")
    expect(page.locator("[data-player=Cleo] .star")).to_be_visible()
    expect(sheet.locator(".chart polyline")).to_have_count(3)


def test_a_shared_place_is_called_so(page: Any, serve: Serve) -> None:
    store = played(THREE, ("Anna", {"Ben": 50, "Cleo": 50}))
    page.goto(serve("", store=store).address)
    sheet = open_sheet(page)
    expect(sheet.locator("tfoot tr").last.locator("td")).to_have_text(["1", "2, shared", "2, shared"])


def test_before_anything_was_won_nobody_has_a_place(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    served.companion.press("start", {"players": list(THREE), "first": "Anna"}, timeout=30)
    titles = open_sheet(page).locator("tfoot th")
    expect(titles).to_have_text(["Total", "Games won"])
    served.companion.press("abandon", {"turn": 1}, timeout=30)
    expect(page.locator("#sheet tbody tr")).to_have_count(1)
    expect(titles).to_have_text(["Total", "Games won"])


def test_a_rack_is_corrected_with_a_minus_and_the_change_is_kept(page: Any, serve: Serve) -> None:
    page.goto(serve("", store=played(THREE, FIRST, SECOND)).address)
    sheet = open_sheet(page)
    sheet.get_by_role("button", name="Game 1, Cleo: −95, total −95. Correct it").click()
    type_on_the_pad(page, "−75")
    expect(sheet.locator("tbody tr").nth(0)).to_contain_text("+155")
    expect(sheet.locator("tfoot tr.total td")).to_have_text(["+5", "−146", "+141"])
    sheet.locator(".corrections summary").click()
    expect(sheet.locator(".corrections li")).to_contain_text("Game 1, Cleo's rack: 95 → 75 points")
    sheet.get_by_role("button", name="Close").click()
    press(page, "Undo")
    open_sheet(page)
    expect(sheet.locator("tfoot tr.total td")).to_have_text(["+25", "−146", "+121"])


def test_a_correction_that_cannot_be_is_said_in_the_dialog(page: Any, serve: Serve) -> None:
    page.goto(serve("", store=played(THREE, FIRST)).address)
    sheet = open_sheet(page)
    sheet.get_by_role("button", name="Game 1, Ben: −80, total −80. Correct it").click()
    type_on_the_pad(page, "999")
    expect(page.locator("#put-right-refused")).to_contain_text("cannot be worth 999")
    expect(page.locator("#put-right")).to_be_visible()


def test_a_miscounted_rack_and_a_forgotten_opening_are_put_right(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    start(page, "Anna", "Ben")
    page.locator("[data-player=Ben]").click()
    expect(page.locator("#put-right")).to_contain_text("Ben has not opened yet.")
    type_on_the_pad(page, "12")
    expect(page.locator("[data-player=Ben]")).to_contain_text("12 tiles")
    page.locator("[data-player=Ben]").click()
    page.get_by_role("button", name="Has opened after all").click()
    expect(page.locator("#put-right")).to_be_hidden()
    assert served.companion.umpire.play.state.opened == ("Ben",)
    on_turn(page, "Anna")


def test_only_the_sheet_is_printed(page: Any, serve: Serve) -> None:
    page.goto(serve("", store=played(THREE, FIRST)).address)
    expect(page.locator("#score")).to_be_visible(timeout=SLOW)
    page.emulate_media(media="print")
    expect(page.locator("#sheet table")).to_be_visible()
    expect(page.locator("main")).to_be_hidden()
    expect(page.get_by_role("button", name="Print")).to_be_hidden()


def test_the_sheet_is_saved_for_a_spreadsheet(page: Any, serve: Serve) -> None:
    page.goto(serve("", store=played(THREE, FIRST)).address)
    sheet = open_sheet(page)
    with page.expect_download() as saved:
        sheet.get_by_role("link", name="Save (CSV)").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert text.splitlines()[1].startswith("1,out,Anna,175,-80,-95")


def test_the_picture_tells_players_apart_without_colour(page: Any, serve: Serve) -> None:
    six = tuple("ABCDEF")
    games = [(name, {n: 40 + 10 * k for k, n in enumerate(six) if n != name}) for name in six[:4]]
    page.goto(serve("", store=played(six, *games, rules="six-player", options=())).address)
    sheet = open_sheet(page)
    dashes = [line.get_attribute("stroke-dasharray") for line in sheet.locator(".chart polyline").all()]
    assert len(set(dashes)) == 6
    for name in six:
        expect(sheet.locator(".chart").get_by_text(name, exact=True)).to_be_visible()
    boxes = [text.bounding_box() for text in sheet.locator(".chart g.line text").all()]
    tops = sorted(box["y"] for box in boxes if box)
    assert all(below - above >= 10 for above, below in pairwise(tops))
