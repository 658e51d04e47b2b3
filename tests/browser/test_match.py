"""A whole match before the demo's camera, by touch on a phone, seen on a second device, refreshed in every state."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PHONE
from tests.browser.steps import SLOW, Cable, expect, on_turn, press, type_on_the_pad

Serve = Callable[..., Any]
pytestmark = pytest.mark.parametrize("page", [PHONE], ids=["390x844"], indirect=True)

EMPTY, OPENED, BROKEN, MISREAD, MORE, HALF, LAST, NEXT, NEXT_LAST = range(9)
ANNA = "r10 r11 r12"
LATER = f"{ANNA} r13 | k10 b10 o10"
TABLES = (
    "",
    ANNA,
    f"{ANNA} | k5 b5",
    f"{ANNA} | k10 b10 o11",  # it is an orange 10
    LATER,
    f"{ANNA} r13 | k10 b10 | o10 k9",
    f"{LATER} | b1 b2 b3",
    "k11 k12 k13",
    "k11 k12 k13",
)
STATE = """() => ['#player', '#say', '#buttons', '#faults', '#score', '#next-game', '#counting']
  .map((part) => document.querySelector(part)).map((e) => (e.hidden ? '' : e.innerText))"""


class Table:
    """The match as one device plays it and another sees it."""

    def __init__(self, page: Any, other: Any, served: Any, cable: Cable) -> None:
        self.page, self.other, self.served, self.cable = page, other, served, cable

    def show(self, frame: int, headline: str) -> None:
        """Another table lies before the camera, and is read."""
        self.served.show(frame)
        expect(self.page.locator("#headline")).to_have_text(headline, timeout=SLOW)

    def time_is_over(self) -> None:
        clock = self.served.companion.umpire.play.clock
        clock._deadline -= 119_800

    def the_same_after_a_refresh_and_on_the_other_device(self) -> None:
        expect(self.page.locator("#headline")).not_to_be_empty()
        before = self.page.evaluate(STATE)
        self.page.reload()
        expect(self.page.locator("#player")).to_have_text(before[0], timeout=SLOW)
        self._shows(self.page, before)
        self._shows(self.other, before)

    @staticmethod
    def _shows(device: Any, wanted: list[str]) -> None:
        end = time.monotonic() + SLOW / 1000
        while (shown := device.evaluate(STATE)) != wanted and time.monotonic() < end:
            device.wait_for_timeout(100)
        assert shown == wanted


@pytest.fixture
def table(page: Any, browser: Any, serve: Serve) -> Any:
    served = serve(*TABLES, shown=True)
    context = browser.new_context(viewport=PHONE)
    other = context.new_page()
    cable = Cable(served.server.bind_addr[1])
    page.goto(cable.address)
    other.goto(served.address)
    yield Table(page, other, served, cable)
    context.close()
    cable.close()


def test_a_whole_match(table: Table) -> None:
    page, other = table.page, table.other
    same = table.the_same_after_a_refresh_and_on_the_other_device

    # Set-up and the opening draw.
    page.get_by_role("button", name="Start a game").tap()
    for number, name in enumerate(("Anna", "Ben"), 1):
        page.get_by_label(f"Name of player {number}").fill(name)
    page.get_by_role("radio", name="Draw for it").check()
    page.locator("#house summary").tap()
    page.locator("#clock").select_option("clock=120")
    page.get_by_role("button", name="Draw for the start").tap()
    for name, tile in (("Anna", "red 9"), ("Ben", "black 4")):
        page.locator("#next-game li").filter(has_text=name).get_by_role("button", name="I drew …").tap(timeout=SLOW)
        page.locator("#pick").get_by_role("button", name=f"It is {tile}", exact=True).tap()
        expect(page.locator("#next-game")).to_contain_text(tile.split()[1], timeout=SLOW)
        same()
    page.get_by_role("button", name="Tiles are dealt: begin").tap()
    on_turn(page, "Anna")

    # The opening; then an illegal turn that is put right in time.
    table.show(OPENED, "The set is right")
    same()
    press(page, "End turn")
    on_turn(page, "Ben")
    expect(page.locator("#say")).to_have_text("Anna laid 3 tiles")
    table.show(BROKEN, "1 set is not right")
    press(page, "End turn")
    expect(page.locator("#faults")).to_contain_text("at least three tiles", timeout=SLOW)
    same()

    # A misread tile costs one tap and a choice.
    table.show(MISREAD, "1 set is not right")
    page.get_by_role("button", name="orange 11: correct it").tap()
    page.locator("#pick-all").get_by_role("button", name="It is orange 10", exact=True).tap()
    expect(page.locator("#headline")).to_have_text("All 2 sets are right", timeout=SLOW)
    press(page, "End turn")
    on_turn(page, "Anna")

    # Time over on a legal table: draw. The second device presses.
    table.served.show(MORE)
    expect(page.get_by_role("button", name="red 13: correct it")).to_be_visible(timeout=SLOW)
    table.time_is_over()
    expect(page.locator("#say")).to_contain_text("Time is over. What was laid stays; Anna draws 1 tile.", timeout=SLOW)
    same()
    press(other, "Draw")
    on_turn(page, "Ben")

    # A pause stops the clock for everybody, and off the network the page says so and finds back.
    press(page, "Pause")
    expect(other.locator("#turn")).to_have_attribute("data-clock", "paused")
    same()
    table.cable.cut()
    expect(page.get_by_role("alert").filter(has_text="connection")).to_be_visible(timeout=SLOW)
    press(other, "Go on")
    table.cable.mend()
    expect(page.locator("#link")).to_be_hidden(timeout=SLOW)
    expect(page.locator("#turn")).to_have_attribute("data-clock", "running", timeout=SLOW)

    # Time over on a broken table: it is led back, and costs three tiles.
    table.show(HALF, "2 sets are not right")
    table.time_is_over()
    expect(page.locator("#restore")).to_contain_text("Put the table back", timeout=SLOW)
    same()
    table.show(MORE, "All 2 sets are right")
    expect(page.locator("#restore")).to_contain_text("The table is as it was", timeout=SLOW)
    press(page, "Put back, 3 drawn")
    on_turn(page, "Anna")
    expect(page.locator("[data-player=Ben]")).to_contain_text("14 tiles")
    press(page, "Undo")
    on_turn(page, "Ben")
    press(page, "Redo")
    on_turn(page, "Anna")
    same()

    # Anna holds but three tiles, as it turns out, and goes out with them.
    page.locator("[data-player=Anna]").tap()
    type_on_the_pad(page, "3")
    expect(page.locator("[data-player=Anna]")).to_contain_text("3 tiles")
    table.show(LAST, "All 3 sets are right")
    press(page, "End turn")
    expect(page.locator("#say")).to_contain_text("Anna has no tile left", timeout=SLOW)
    same()
    press(page, "Yes, out!")
    page.get_by_label("Points on Ben's rack").tap()
    type_on_the_pad(page, "−80")
    expect(page.locator("#player")).to_have_text("Anna wins game 1", timeout=SLOW)
    expect(page.locator("[data-player=Ben]")).to_contain_text("−80")
    same()

    # The second game, and the sheet.
    table.show(EMPTY, "No tiles on the table")
    page.locator("#next-game").get_by_role("button", name="Ben", exact=True).tap()
    on_turn(page, "Ben")
    page.locator("[data-player=Ben]").tap()
    type_on_the_pad(page, "3")
    table.show(NEXT, "The set is right")
    press(page, "End turn")
    expect(page.locator("#say")).to_contain_text("Ben has no tile left", timeout=SLOW)
    press(page, "Yes, out!")
    page.get_by_label("Points on Anna's rack").fill("95")
    page.get_by_label("Points on Anna's rack").press("Enter")
    expect(page.locator("#player")).to_have_text("The match is over", timeout=SLOW)
    expect(page.locator("#say")).to_contain_text("Ben wins")
    same()
    page.get_by_role("button", name="Score sheet").tap()
    expect(page.locator("#sheet tfoot tr.total td")).to_have_text(["−15", "+15"])
    page.get_by_role("button", name="Close").tap()
    press(page, "New match")
    expect(page.get_by_role("button", name="Start a game")).to_be_visible(timeout=SLOW)
    expect(other.get_by_role("button", name="Start a game")).to_be_visible(timeout=SLOW)


def test_a_button_of_a_stale_page_does_nothing(page: Any, serve: Serve) -> None:
    served = serve("", shown=True)
    page.goto(served.address)
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
    on_turn(page, "Anna")
    page.evaluate("() => { window.EventSource = class { addEventListener() {} close() {} }; }")
    old = (
        "fetch('/press/draw', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '{\"turn\": 1}'})"
        ".then((answer) => answer.status)"
    )
    expect(page.locator("#headline")).to_have_text("No tiles on the table", timeout=SLOW)
    assert page.evaluate(old) == 200
    on_turn(page, "Ben")
    assert page.evaluate(old) == 409
    on_turn(page, "Ben")
    assert served.companion.umpire.play.state.rack("Anna") == 15
    assert served.companion.umpire.play.state.rack("Ben") == 14
