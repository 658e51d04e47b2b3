"""Pressing: nothing that was tapped is dropped, nothing happens twice, and nothing minutes later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import PHONE
from tests.browser.steps import expect, start

Serve = Callable[..., Any]
pytestmark = pytest.mark.parametrize("page", [PHONE], ids=["390x844"], indirect=True)

SLOWLY = """
() => {
  window.sent = [];
  const real = window.fetch;
  window.fetch = async (address, how) => {
    if (!String(address).startsWith("/press/")) return real(address, how);
    window.sent.push(String(address).slice(7));
    await new Promise((done) => setTimeout(done, 300));
    if (window.dead) throw new TypeError("no network");
    return real(address, how);
  };
}
"""
PRESS = """
(presses) => import("/static/js/press.js").then(({ press }) =>
  Promise.all(presses.map(([button, data]) => press(button, data, (text) => { if (text) window.told = text; }))))
"""


@pytest.fixture
def game(page: Any, serve: Serve) -> Any:
    served = serve("")
    page.goto(served.address)
    start(page, "Anna", "Ben", clock="clock=60")
    page.evaluate(SLOWLY)
    return served


def test_a_press_while_another_is_under_way_waits_for_it(page: Any, game: Any) -> None:
    assert page.evaluate(PRESS, [["pause", {"turn": 1}], ["resume", {"turn": 1}], ["draw", {"turn": 1}]]) == [True] * 3
    assert page.evaluate("window.sent") == ["pause", "resume", "draw"]
    expect(page.locator("#player")).to_have_text("Ben")


def test_the_same_press_twice_is_one(page: Any, game: Any) -> None:
    assert page.evaluate(PRESS, [["draw", {"turn": 1}], ["draw", {"turn": 1}]]) == [True, False]
    assert page.evaluate("window.sent") == ["draw"]
    assert page.evaluate(PRESS, [["pause", {"turn": 2}]]) == [True], "pressing goes on"


def test_without_an_answer_those_that_wait_are_let_go(page: Any, game: Any) -> None:
    page.evaluate("window.dead = true")
    assert page.evaluate(PRESS, [["pause", {"turn": 1}], ["draw", {"turn": 1}]]) == [False, False]
    assert page.evaluate("window.sent") == ["pause"]
    assert page.evaluate("window.told")
    page.evaluate("window.dead = false")
    assert page.evaluate(PRESS, [["draw", {"turn": 1}]]) == [True]
