"""Whatever was misread is put right by touch: on the picture and in the drawn layout; the referee goes on with it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PHONE, WIDE
from tests.browser.steps import SLOW, expect, on_turn, press, start
from tests.conftest import HIGH
from tests.conftest import WIDE as TILE

Serve = Callable[..., Any]
both = pytest.mark.parametrize("page", [WIDE, PHONE], ids=["1280x800", "390x844"], indirect=True)
STEP = TILE + 3
SHOTS = os.environ.get("SHOTS")


def headline(page: Any, text: str) -> None:
    expect(page.locator("#headline")).to_have_text(text, timeout=SLOW)


def tap(page: Any, x: float, y: float) -> None:
    """Taps a point of the picture, which is 1280×960 and fitted into its stage."""
    stage = page.locator("#stage").bounding_box()
    scale = min(stage["width"] / 1280, stage["height"] / 960)
    left = stage["x"] + (stage["width"] - 1280 * scale) / 2
    top = stage["y"] + (stage["height"] - 960 * scale) / 2
    page.mouse.click(left + x * scale, top + y * scale)


def choose(page: Any, tile: str) -> None:
    page.locator("#pick-all").get_by_role("button", name=f"It is {tile}", exact=True).click()


@both
def test_a_tile_on_the_picture_is_tapped_and_named(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r13").address)
    headline(page, "1 set is not right")
    tap(page, 70 + 2 * STEP + TILE / 2, 70 + HIGH / 2)
    expect(page.locator("#pick-title")).to_have_text("Which tile is this?")
    choose(page, "red 12")
    headline(page, "The set is right")


@both
def test_a_tile_that_was_not_seen_is_added_where_it_lies(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11").address)
    headline(page, "1 set is not right")
    tap(page, 70 + 2 * STEP + TILE / 2, 70 + HIGH / 2)
    expect(page.locator("#pick-title")).to_have_text("Which tile lies here?")
    expect(page.locator("#pick-none")).to_be_hidden()
    choose(page, "red 12")
    headline(page, "The set is right")
    expect(page.locator("#overlay polygon.quad")).to_have_count(3)


def test_a_tile_is_added_at_the_end_of_a_set_without_the_picture(page: Any, serve: Serve) -> None:
    page.goto(serve("r3 r4 r5 | k9 b9").address)
    headline(page, "1 set is not right")
    page.get_by_role("button", name="Add a tile to set 2").click()
    choose(page, "orange 9")
    headline(page, "All 2 sets are right")


def test_what_is_no_tile_is_taken_away(page: Any, serve: Serve) -> None:
    page.goto(serve("r3 r4 r5 | k9").address)
    headline(page, "1 set is not right")
    page.get_by_role("button", name="black 9: correct it").click()
    page.get_by_role("button", name="No tile there").click()
    headline(page, "The set is right")
    expect(page.locator("li.set")).to_have_count(1)


def test_an_added_tile_counts_for_the_referee(page: Any, serve: Serve) -> None:
    served = serve("r10 r11")
    page.goto(served.address)
    start(page, "Anna", "Ben")
    page.get_by_role("button", name="Add a tile to set 1").click()
    choose(page, "red 12")
    headline(page, "The set is right")
    press(page, "End turn")
    on_turn(page, "Ben")
    expect(page.locator("[data-player=Anna]")).to_contain_text("11 tiles")


def test_the_dialog_can_be_left_and_nothing_changes(page: Any, serve: Serve) -> None:
    served = serve("r10 r11 r12")
    page.goto(served.address)
    headline(page, "The set is right")
    button = page.get_by_role("button", name="red 11: correct it")
    button.click()
    page.keyboard.press("Escape")
    expect(page.locator("#pick")).to_be_hidden()
    expect(button).to_be_focused()
    button.click()
    page.get_by_role("button", name="Leave it").click()
    headline(page, "The set is right")


def test_a_tap_on_a_table_that_has_changed_changes_nothing(page: Any, serve: Serve) -> None:
    served = serve("r10 r11 r12", "b1 b2 b3", shown=True)
    page.goto(served.address)
    headline(page, "The set is right")
    page.get_by_role("button", name="red 11: correct it").click()
    served.show(1)
    expect(page.get_by_role("button", name="blue 2: correct it", include_hidden=True)).to_be_attached(timeout=SLOW)
    choose(page, "red 13")
    headline(page, "The set is right")
    expect(page.locator("li.set")).to_contain_text("Blue run 1–3")


def test_the_drawn_layout_is_in_the_order_of_the_table(page: Any, serve: Serve) -> None:
    page.goto(serve("r3 r4 r5 | k9 b9 o9 | o1 o2 o3 | b5 b6 b7 | j k2 k3").address)
    headline(page, "All 5 sets are right")
    titles = page.locator("li.set .what")
    for at, title in enumerate(("Red run 3–5", "Group of 9s", "Orange run 1–3", "Blue run 5–7", "Black run 1–3")):
        expect(titles.nth(at)).to_contain_text(title)


TOUCH = "r10 r11 r12 k10 k11 k12"
"""Two sets that were pushed together."""


@both
def test_two_sets_that_touch_are_asked_about_and_one_tap_parts_them(page: Any, serve: Serve) -> None:
    page.goto(serve(f"{TOUCH} | b1 b2 b3").address)
    headline(page, "1 set is not sure")
    item = page.locator("li.set[data-state=unsure]")
    expect(item).to_contain_text("One set or two?")
    expect(page.locator("#overlay .seam")).to_have_count(1)
    two = item.get_by_role("button", name="They are 2 sets: red 10, red 11, red 12; black 10, black 11, black 12")
    box = two.bounding_box()
    assert box["height"] >= 44 and box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    expect(two.locator(".part")).to_have_count(2)
    page.locator("#overlay .seam text").click()
    expect(two).to_be_focused()
    if SHOTS:
        page.screenshot(path=f"{SHOTS}/touch-{page.viewport_size['width']}.png", full_page=True)
    two.click()
    headline(page, "All 3 sets are right")
    expect(page.locator("#overlay .seam")).to_have_count(0)
    page.get_by_role("button", name="Change").click()
    headline(page, "1 set is not sure")
    page.get_by_role("button", name="It is one set").click()
    headline(page, "1 set is not right")


@both
def test_the_end_of_a_turn_waits_for_it(page: Any, serve: Serve) -> None:
    page.goto(serve(TOUCH).address)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    ask = page.locator("#ask")
    expect(ask.get_by_role("heading")).to_have_text("One set or two?", timeout=SLOW)
    expect(page.locator("#say")).to_have_text("One set or two? Say it first")
    expect(page.locator("#faults")).to_be_hidden()
    ask.get_by_role("button", name="They are 2 sets").focus()
    page.keyboard.press("Enter")
    on_turn(page, "Ben")
    expect(ask).to_be_hidden()
    expect(page.locator("[data-player=Anna]")).to_contain_text("8 tiles")

