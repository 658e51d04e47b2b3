"""The start of a match: players, the rules in words, the opening draw, seats; remembered for the next evening."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PHONE
from tests.browser.steps import SLOW, expect, on_turn, start

Serve = Callable[..., Any]
pytestmark = pytest.mark.parametrize("page", [PHONE], ids=["390x844"], indirect=True)


def drew(page: Any, name: str, tile: str) -> None:
    """The player names the tile that was drawn."""
    line = page.locator("#next-game li").filter(has_text=name)
    line.get_by_role("button", name="I drew …").click()
    page.locator("#pick").get_by_role("button", name=f"It is {tile}", exact=True).click()


def test_the_second_evening_is_three_taps(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    start(page, "Anna", "Ben", "Cleo", clock="clock=90")
    served.companion.press("new", {"anyway": True})
    page.reload()
    page.get_by_role("button", name="Start a game").click()
    page.get_by_role("button", name="Start the first turn").click()
    on_turn(page, "Anna")
    expect(page.locator("#score")).to_contain_text("Cleo")
    assert served.companion.umpire.play.state.rules.clock_seconds == 90


def test_five_play_with_the_large_box_and_its_rules(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    page.get_by_role("button", name="Start a game").click()
    page.get_by_role("radio", name="5", exact=True).check()
    expect(page.get_by_text("with the large box")).to_be_visible()
    expect(page.get_by_role("radio", name="Five or six players")).to_be_checked()
    expect(page.get_by_role("radio", name="Classic")).to_be_disabled()
    page.get_by_role("button", name="Start the first turn").click()
    on_turn(page, "Player 1")
    assert served.companion.umpire.play.state.rules.tiles == 160


def test_the_rules_say_in_words_what_is_different(page: Any, serve: Serve) -> None:
    page.goto(serve("").address)
    page.get_by_role("button", name="Start a game").click()
    differs = page.locator("#differs")
    expect(differs).to_contain_text("30 points")
    page.get_by_role("radio", name="Sabra, 1985").check()
    expect(differs).to_contain_text("50 points")
    expect(differs).to_contain_text("Counterclockwise")
    expect(differs).to_contain_text("Grown only; no tile may leave it")


def test_a_house_rule_is_taken(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    page.get_by_role("button", name="Start a game").click()
    page.locator("#house summary").click()
    page.get_by_label("Initial meld of 20").check()
    page.get_by_label("Tiles drawn for a broken table").select_option("penalty=4")
    page.get_by_role("button", name="Start the first turn").click()
    on_turn(page, "Player 1")
    rules = served.companion.umpire.play.state.rules
    assert (rules.initial_meld, rules.broken_table_draw) == (20, 4)


def test_the_opening_draw_with_a_joker_and_a_tie(page: Any, serve: Serve) -> None:
    page.goto(serve("").address)
    page.get_by_role("button", name="Start a game").click()
    page.get_by_role("radio", name="3", exact=True).check()
    for number, name in enumerate(("Anna", "Ben", "Cleo"), 1):
        page.get_by_label(f"Name of player {number}").fill(name)
    page.get_by_role("radio", name="Draw for it").check()
    page.get_by_role("button", name="Draw for the start").click()
    expect(page.locator("#next-game")).to_be_visible(timeout=SLOW)
    drew(page, "Anna", "red 9")
    drew(page, "Ben", "black 4")
    drew(page, "Cleo", "joker")
    expect(page.locator("#next-game li").filter(has_text="Cleo").get_by_role("button", name="I drew …")).to_be_visible()
    drew(page, "Cleo", "blue 9")
    expect(page.locator("#next-game")).to_contain_text("Anna and Cleo draw again")
    expect(page.locator("#next-game li").filter(has_text="Ben").get_by_role("button")).to_have_count(0)
    drew(page, "Anna", "red 3")
    drew(page, "Cleo", "orange 7")
    expect(page.locator("#next-game")).to_contain_text("Cleo starts.")
    page.get_by_role("button", name="Tiles are dealt: begin").click()
    on_turn(page, "Cleo")


def test_the_page_draws_for_who_has_no_wish_to(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": None})
    begin, draw = (
        page.get_by_role("button", name="Tiles are dealt: begin"),
        page.get_by_role("button", name="Draw for me"),
    )
    expect(draw).to_have_count(2, timeout=SLOW)
    for _ in range(30):  # jokers and ties draw again
        if begin.count():
            break
        known = len(served.companion.umpire.play.events)
        draw.first.click()
        page.wait_for_timeout(200)
        assert len(served.companion.umpire.play.events) == known + 1
    begin.click()
    expect(page.locator("#player")).to_have_text(served.companion.umpire.play.state.first, timeout=SLOW)


def test_seats_change_before_the_tiles_are_dealt(page: Any, serve: Serve) -> None:
    served = serve("")
    page.goto(served.address)
    served.companion.press("start", {"players": ["Anna", "Ben", "Cleo"], "first": None})
    page.locator("#next-game summary").click(timeout=SLOW)
    page.get_by_role("button", name="Cleo sits before Ben").click()
    expect(page.locator("#next-game .choices").first).to_have_text("AnnaCleoBen")
    page.locator("#next-game .choices").first.get_by_role("button", name="Anna").click()
    on_turn(page, "Anna")
    page.locator("#buttons").get_by_role("button", name="Draw").click()
    on_turn(page, "Cleo")


def test_two_equal_names_are_refused_in_the_dialog(page: Any, serve: Serve) -> None:
    page.goto(serve("").address)
    page.get_by_role("button", name="Start a game").click()
    for number in (1, 2):
        page.get_by_label(f"Name of player {number}").fill("Anna")
    page.get_by_role("button", name="Start the first turn").click()
    expect(page.locator("#start-refused")).to_contain_text("a second 'Anna'")
    expect(page.locator("#start")).to_be_visible()


def test_a_name_of_ten_thousand_letters(page: Any, serve: Serve) -> None:
    """The field takes no more than fits; what comes past the page is refused and changes nothing."""
    served = serve("")
    page.goto(served.address)
    page.get_by_role("button", name="Start a game").click()
    page.get_by_label("Name of player 1").press_sequentially("x" * 60)
    assert page.get_by_label("Name of player 1").input_value() == "x" * 40
    status = page.evaluate(
        "fetch('/press/start', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        " body: JSON.stringify({players: ['x'.repeat(10000), 'Ben'], first: 'Ben'})}).then((answer) => answer.status)"
    )
    assert status == 409
    assert served.companion.hub.state()["match"] == {"phase": "empty"} or not served.companion.umpire.play.events
    page.get_by_role("button", name="Start the first turn").click()
    on_turn(page, "x" * 40)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
