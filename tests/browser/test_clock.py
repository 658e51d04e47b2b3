"""The clock of the page is the server's: also when the device's clock is changed, stands still, or the page sleeps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
Serve = Callable[..., Any]
WITHIN_MS = 100

CLOCKS = """
(() => {
  const [date, here] = [Date.now.bind(Date), performance.now.bind(performance)];
  window.moved = { date: 0, here: 0 };
  Date.now = () => date() + window.moved.date;
  performance.now = () => here() + window.moved.here;
  Object.defineProperty(document, "hidden", { configurable: true, get: () => Boolean(window.moved.hidden) });
})();
"""


@pytest.fixture
def page(browser: Any, serve: Serve) -> Iterator[Any]:
    """A page whose clocks the test can move."""
    context = browser.new_context()
    opened = context.new_page()
    opened.add_init_script(CLOCKS)
    opened.goto(serve("r10 r11 r12").address)
    settle(opened)
    yield opened
    context.close()


def error_ms(page: Any) -> float:
    """How far the page's idea of the server's time is off, less what asking for it may account for."""
    before = time.monotonic() * 1000
    shown = page.evaluate("import('/static/js/now.js').then((now) => now.serverNow())")
    after = time.monotonic() * 1000
    return max(0.0, before - shown, shown - after)


def settle(page: Any, seconds: float = 8.0) -> None:
    """Waits until the clock is right; how soon it is, is in the tests' hands."""
    end = time.monotonic() + seconds
    while error_ms(page) > WITHIN_MS:
        assert time.monotonic() < end, f"still {error_ms(page):.0f} ms off"
        page.wait_for_timeout(100)


def stays(page: Any, seconds: float = 5.0) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        assert error_ms(page) <= WITHIN_MS
        page.wait_for_timeout(200)


def move(page: Any, **clocks: Any) -> None:
    page.evaluate("(clocks) => Object.assign(window.moved, clocks)", clocks)


@pytest.mark.parametrize("hours", [-30, 1, 9000])
def test_the_devices_clock_plays_no_part(page: Any, hours: int) -> None:
    move(page, date=hours * 3_600_000)
    stays(page)


def test_a_device_whose_clocks_stood_still_in_its_sleep(page: Any) -> None:
    """A phone in a pocket for ten minutes: its monotonic clock stands, the server's goes on."""
    move(page, here=-600_000)
    settle(page)
    stays(page)


@pytest.mark.parametrize("jump", [-600_000, 600_000])
def test_a_clock_that_jumps_between_question_and_answer(page: Any, jump: int) -> None:
    """The phone fell asleep with a question on its way: that answer says nothing."""
    page.wait_for_timeout(2000)
    page.evaluate(
        "(jump) => { const real = window.fetch; window.fetch = async (address, how) => {"
        " const answer = await real(address, how);"
        " if (String(address).includes('now.json') && jump) { window.moved.here += jump; jump = 0; }"
        " return answer; }; return import('/static/js/now.js').then((now) => now.ask()); }",
        jump,
    )
    settle(page, seconds=3)
    stays(page, seconds=3)


def test_a_server_that_slept(page: Any) -> None:
    """The laptop's lid was closed for ten minutes, the phone's clock went on."""
    move(page, here=600_000)
    settle(page)
    stays(page)


def test_a_page_that_was_hidden(page: Any) -> None:
    move(page, hidden=True, here=-60_000, date=0)
    page.wait_for_timeout(1000)
    move(page, hidden=False)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    settle(page, seconds=3)
    stays(page)


def test_messages_that_come_late_all_at_once(page: Any) -> None:
    """What a frozen page is given when it wakes: the old messages, one after the other."""
    page.evaluate(
        "import('/static/js/now.js').then((now) => { const at = now.serverNow();"
        " for (let n = 30; n > 0; n--) now.heard(at - 2000 * n); })"
    )
    stays(page)


def test_a_page_that_only_has_late_messages_asks(browser: Any, serve: Serve) -> None:
    """Every message takes half a second, say on a poor network; an answer does not."""
    context = browser.new_context()
    page = context.new_page()
    page.add_init_script(
        "const Real = EventSource; window.EventSource = class extends Real { addEventListener(name, act) {"
        " super.addEventListener(name, (event) => setTimeout(() => act(event), name === 'now' ? 500 : 0)); } };"
    )
    page.goto(serve("r10 r11 r12").address)
    settle(page)
    stays(page)
    context.close()
