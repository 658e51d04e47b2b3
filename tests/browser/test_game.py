"""A game in a real Chromium: started, played, doubted, corrected, timed, undone, counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.steps import SLOW, expect, on_turn, press, start, type_on_the_pad

Serve = Callable[..., Any]


def test_a_legal_opening_and_undo(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r12").address)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    on_turn(page, "Ben")
    expect(page.locator("#say")).to_have_text("Anna laid 3 tiles")
    expect(page.locator("[data-player=Anna]")).to_contain_text("11 tiles")
    press(page, "Undo")
    on_turn(page, "Anna")
    press(page, "Redo")
    on_turn(page, "Ben")


def test_an_illegal_turn_names_its_faults_and_goes_on(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r13 | k9 b9", every=600).address)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    faults = page.locator("#faults li")
    expect(faults.first).to_be_visible(timeout=SLOW)
    expect(page.locator("#faults")).to_contain_text("do not follow one another")
    expect(page.locator("#faults")).to_contain_text("at least three tiles")
    on_turn(page, "Anna")


def test_a_doubt_is_asked_about_and_the_answer_goes_on(page: Any, serve: Serve) -> None:
    page.goto(serve(("r9 r10 r11 | k6 b6 o9", {"o9": "o6"})).address)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    question = page.get_by_role("group").filter(has_text="Which tile is this?")
    expect(question).to_be_visible(timeout=SLOW)
    on_turn(page, "Anna")
    question.get_by_role("button", name="It is orange 6").click()
    on_turn(page, "Ben")
    expect(question).to_be_hidden()


def test_a_misread_tile_costs_one_tap_and_a_choice(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r13").address)
    expect(page.locator("#headline")).to_have_text("1 set is not right", timeout=SLOW)
    page.get_by_role("button", name="red 13: correct it").click()
    page.locator("#pick-all").get_by_role("button", name="It is red 12", exact=True).click()
    expect(page.locator("#headline")).to_have_text("The set is right", timeout=SLOW)


def test_space_ends_the_turn_and_a_refresh_changes_nothing(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r12").address)
    start(page, "Anna", "Ben", clock="clock=180")
    press(page, "Pause")
    expect(page.locator("#turn")).to_have_attribute("data-clock", "paused")
    shown = page.locator("#left").text_content()
    page.reload()
    on_turn(page, "Anna")
    expect(page.locator("#left")).to_have_text(shown)
    press(page, "Go on")
    expect(page.locator("#turn")).to_have_attribute("data-clock", "running")
    page.locator("body").press("Space")
    on_turn(page, "Ben")


def test_two_presses_at_once_make_one_event(browser: Any, serve: Serve) -> None:
    served = serve("")
    context = browser.new_context()
    first, second = context.new_page(), context.new_page()
    for page in (first, second):
        page.goto(served.address)
    start(first, "Anna", "Ben", "Cleo")
    on_turn(second, "Anna")
    expect(first.locator("#headline")).to_have_text("No tiles on the table", timeout=SLOW)
    draw = (
        "fetch('/press/draw', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{\"turn\": 1}'})"
    )
    answers = first.evaluate(f"Promise.all([{draw}, {draw}, {draw}]).then((all) => all.map((a) => a.status).sort())")
    assert answers == [200, 409, 409]
    on_turn(first, "Ben")
    on_turn(second, "Ben")
    context.close()


def test_time_over_on_a_broken_table_is_led_back(page: Any, serve: Serve) -> None:
    served = serve("r10 r11", "", shown=True)
    page.goto(served.address)
    start(page, "Anna", "Ben", clock="clock=30")
    clock = served.companion.umpire.play.clock
    clock._deadline -= 29_500
    expect(page.locator("#restore")).to_contain_text("Put the table back", timeout=SLOW)
    expect(page.locator("#say")).to_contain_text("Anna draws 3 tiles")
    served.show(1)
    expect(page.locator("#restore")).to_contain_text("The table is as it was", timeout=SLOW)
    press(page, "Put back, 3 drawn")
    on_turn(page, "Ben")
    expect(page.locator("[data-player=Anna]")).to_contain_text("17 tiles")


def test_a_match_to_its_end_with_a_rack_before_the_camera(page: Any, serve: Serve) -> None:
    run = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11"
    first = "k4 k5 k6"
    served = serve(f"{run} | {first}", f"{run} | {first} | b5 r13 j | o1 o2", every=600)
    page.goto(served.address)
    expect(page.locator("#headline")).to_have_text("All 2 sets are right", timeout=SLOW)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    expect(page.locator("#say")).to_contain_text("Anna has no tile left", timeout=SLOW)
    press(page, "Yes, out!")
    expect(page.locator("#counting")).to_contain_text("What is left on the racks?", timeout=SLOW)
    page.get_by_label("Points on Ben's rack").fill("45")
    page.get_by_role("button", name="Enter").click()
    expect(page.locator("[data-player=Anna]")).to_contain_text("+45", timeout=SLOW)
    expect(page.locator("[data-player=Ben]")).to_contain_text("−45")
    page.locator("#next-game").get_by_role("button", name="Ben").click()
    on_turn(page, "Ben")


@pytest.mark.parametrize("left", [2, 1])
def test_who_is_out_by_count_only_says_no_and_how_many_are_left(page: Any, serve: Serve, left: int) -> None:
    page.goto(serve("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 | k4 k5 k6").address)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    expect(page.locator("#say")).to_contain_text("Anna has no tile left", timeout=SLOW)
    press(page, "No, tiles are left")
    page.keyboard.press("Escape")  # the question stays as long as it is not answered
    press(page, "No, tiles are left")
    expect(page.locator("#put-right")).to_contain_text("By count: 0 tiles on the rack.")
    type_on_the_pad(page, str(left))
    on_turn(page, "Ben")
    expect(page.locator("#say")).to_have_text("Anna laid 14 tiles")
    expect(page.locator("[data-player=Anna]")).to_contain_text(f"{left} tile")


def test_names_are_text(page: Any, serve: Serve) -> None:
    page.goto(serve("").address)
    start(page, "<script>alert(1)</script>", "<b>Ben</b>")
    on_turn(page, "<script>alert(1)</script>")
    assert page.locator("#score b, #start b").count() == 0


def test_the_clock_of_the_page_is_the_servers(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    start(page, "Anna", "Ben", clock="clock=180")
    page.evaluate("Date.now = () => 0")
    page.wait_for_timeout(2500)
    shown = page.evaluate("import('/static/js/now.js').then((now) => now.serverNow())")
    here = served.companion.umpire.play._source() * 1000
    assert abs(here - shown) < 1000


@pytest.mark.parametrize("size", [(1280, 800), (820, 1180), (390, 844)])
def test_everything_of_the_turn_is_in_view(browser: Any, serve: Serve, size: tuple[int, int]) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    page = context.new_page()
    page.goto(serve("r10 r11 r12 | k9 b9 o9").address)
    start(page, "Maximiliane-Antoinette", "Ben", clock="clock=60")
    for part in ("#player", "#left", "#stage"):
        expect(page.locator(part)).to_be_in_viewport()
    for button in page.locator("#buttons button").all():
        expect(button).to_be_in_viewport(ratio=1)
        box = button.bounding_box()
        assert box is not None and box["height"] >= 44
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_who_takes_everything_back_after_a_refusal_draws_at_once(page: Any, serve: Serve) -> None:
    served = serve("r10 r11 r12", "r10 r11 r12 | k9 b9", "r10 r11 r12", shown=True)
    page.goto(served.address)
    start(page, "Anna", "Ben")
    press(page, "End turn")
    on_turn(page, "Ben")
    served.show(1)
    expect(page.locator("li.set")).to_have_count(2, timeout=SLOW)
    press(page, "End turn")
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    served.show(2)
    expect(page.locator("li.set")).to_have_count(1, timeout=SLOW)
    page.locator("#buttons button[data-button=draw]").click()
    on_turn(page, "Anna")
    expect(page.locator("[data-player=Ben]")).to_contain_text("15 tiles")
