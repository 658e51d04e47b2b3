"""What is touched is as large as a finger, and what is said is said in full, in windows of any size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PHONE
from tests.browser.steps import SLOW, expect, played
from tests.browser.turn import GAMES, NAMES, SIZES, TABLE, Serve, in_a_turn, narrow_enough

phone = pytest.mark.parametrize("page", [PHONE], ids=["390x844"], indirect=True)
SMALL = """() => [...document.querySelectorAll('button, a, summary, select, textarea, label.chip, label.check, input')]
  .filter((e) => {
    const box = e.getBoundingClientRect();
    if (!e.checkVisibility() || e.closest('.skip') || e.matches('label input') || !box.width) return false;
    const top = document.querySelector('dialog[open]');
    return (!top || top.contains(e)) && (box.height < 43.5 || box.width < 43.5);
  }).map((e) => e.outerHTML.slice(0, 120))"""


@phone
def test_everything_that_is_touched_is_large_enough(page: Any, serve: Serve) -> None:
    """44 by 44 pixels, whatever is on the page: a run of thirteen goes on below."""
    served = serve("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13", f"{TABLE} | b9 b10", shown=True)
    page.goto(served.address)
    expect(page.locator("li.set .choice")).to_have_count(13, timeout=SLOW)
    found = {"nobody plays": page.evaluate(SMALL)}
    page.get_by_role("button", name="Start a game").click()
    page.locator("#house summary").click()
    found["start"] = page.evaluate(SMALL)
    page.keyboard.press("Escape")
    served.companion.press("start", {"players": list(NAMES), "first": None}, timeout=30)
    expect(page.locator("#next-game button").first).to_be_visible(timeout=SLOW)
    found["who starts"] = page.evaluate(SMALL)
    page.locator("#next-game summary").click()
    found["seats"] = page.evaluate(SMALL)
    served.companion.press("new", {"anyway": True}, timeout=30)
    served.companion.press("start", {"players": list(NAMES), "first": "Ben"}, timeout=30)
    served.show(1)
    expect(page.locator("li.set")).to_have_count(5, timeout=SLOW)
    for opener in ("[data-player=Ben]", "#open-menu", "#open-sheet", ".set .choice"):
        page.locator(opener).first.click()
        found[opener] = page.evaluate(SMALL)
        page.keyboard.press("Escape")
    page.locator("#open-menu").click()
    page.locator("#open-back").click()
    expect(page.locator("#back")).to_be_visible()
    found["back"] = page.evaluate(SMALL)
    assert {where: small for where, small in found.items() if small} == {}


@phone
def test_the_buttons_of_a_turn_that_went_wrong_are_large_enough(page: Any, serve: Serve) -> None:
    served = in_a_turn(serve)
    page.goto(served.address)
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    found = {"faults": page.evaluate(SMALL)}
    page.get_by_role("button", name="Show how it was").click()
    expect(page.locator("#restore h3")).to_be_visible(timeout=SLOW)
    found["restore"] = page.evaluate(SMALL)
    page.locator("#open-sheet").click()
    found["sheet"] = page.evaluate(SMALL)
    assert {where: small for where, small in found.items() if small} == {}


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("code", ["en", "de", "he"])
def test_every_fault_is_said_in_full(
    serve: Serve, opened: Callable[..., Any], size: tuple[int, int], code: str
) -> None:
    served = serve("r10 r11 r12 | b1 b2 b3 b5 | k9 b9 | r7 b7 r7", store=played(NAMES, *GAMES))
    served.companion.press("deal", {"first": "Ben"}, timeout=30)
    served.companion.press("end", {"turn": 3}, timeout=30)
    page = opened(f"{served.address}?lang={code}", size)
    faults = page.locator("#faults li")
    expect(faults).to_have_count(4, timeout=SLOW)
    for fault in faults.all()[:3]:
        expect(fault).to_be_in_viewport(ratio=1)
    seen, high = page.locator(".word").evaluate("(word) => [word.clientHeight, word.scrollHeight]")
    assert high <= seen + 1
    assert narrow_enough(page)
