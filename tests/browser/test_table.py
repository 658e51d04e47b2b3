"""The table page in a real Chromium: what a family sees while pictures come."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from vision.camera import CameraError, Feed, Shot

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect
SLOW = 30_000
"""Milliseconds that a state may take to appear: the machine may be busy with other work."""

Serve = Callable[..., Any]


class Cut:
    """A camera that delivers one picture over and over, and can be unplugged and plugged in again."""

    name, live = "test camera", True

    def __init__(self) -> None:
        self.plugged = True
        self._n = 0
        self._picture = np.random.default_rng(0).integers(60, 200, (240, 320, 3), np.uint8).repeat(2, 0).repeat(2, 1)

    def open(self) -> None:
        if not self.plugged:
            raise CameraError("test camera is not there")

    def read(self, wanted: bool) -> Shot | None:
        if not self.plugged:
            raise CameraError("test camera delivers no pictures any more")
        self._n += 1
        picture = self._picture.copy()
        picture[::16, ::16] ^= np.uint8(self._n & 1)
        return Shot(picture) if wanted else None

    def close(self) -> None: ...


def headline(page: Any, text: str) -> None:
    expect(page.locator("#headline")).to_have_text(text, timeout=SLOW)


def test_a_legal_table(page: Any, serve: Serve) -> None:
    page.goto(serve("r3 r4 r5 | k9 b9 o9 | o10 j o12 o13").address)
    headline(page, "All 3 sets are right")
    sets = page.locator("li.set")
    expect(sets).to_have_count(3)
    expect(sets.nth(0)).to_contain_text("Red run 3–5")
    expect(sets.nth(0)).to_contain_text("worth 12")
    expect(sets.nth(1)).to_contain_text("Group of 9s")
    expect(sets.nth(2)).to_contain_text("Joker as orange 11")
    expect(page.locator("#overlay polygon.around")).to_have_count(3)
    expect(page.locator("#overlay polygon.quad")).to_have_count(10)
    expect(page.get_by_role("button", name="red 4: correct it", exact=True)).to_be_visible()


def test_each_fault_is_said_in_words(page: Any, serve: Serve) -> None:
    page.goto(serve("r12 r13 r1 | k6 k6 b6 | r3 r4 r5 | b2 k7 | o1 o2 o4").address)
    headline(page, "4 sets are not right")
    sets = page.locator("li.set")
    expect(sets.nth(0)).to_contain_text("no run goes on from 13 to 1")
    expect(sets.nth(1)).to_contain_text("Black is in the group more than once")
    expect(sets.nth(2)).to_contain_text("Red run 3–5")
    expect(sets.nth(3)).to_contain_text("at least three tiles")
    expect(sets.nth(4)).to_contain_text("do not follow one another")
    expect(page.get_by_role("img", name="Set 1, not right")).to_be_visible()


def test_a_doubt_is_never_called_right(page: Any, serve: Serve) -> None:
    page.goto(serve(("k6 o6 r6 | b1 b2 ?", {"o6": "o9"})).address)
    headline(page, "2 sets are not sure")
    expect(page.locator("li.set").nth(0)).to_contain_text("Orange 6, or orange 9?")
    expect(page.locator("li.set").nth(1)).to_contain_text("One tile cannot be read")
    expect(page.get_by_role("button", name="orange 6, not sure: correct it")).to_be_visible()
    expect(page.locator("#overlay polygon.quad.unsure")).to_have_count(2)


def test_more_copies_than_the_box_holds(page: Any, serve: Serve) -> None:
    page.goto(serve("r5 b5 o5 | r3 r4 r5 | r5 r6 r7").address)
    headline(page, "3 sets are not sure")
    expect(page.locator("#warnings li")).to_contain_text("Red 5 was read 3 times, more often than the box holds it")


def test_a_picture_that_looks_nearly_the_same_is_read_anew(page: Any, serve: Serve) -> None:
    page.goto(serve("r3 r4 r5", "r3 r4 r6", every=3).address)
    headline(page, "The set is right")
    headline(page, "1 set is not right")


def test_no_tiles_is_said_and_the_next_picture_follows_by_itself(page: Any, serve: Serve) -> None:
    page.goto(serve("", "r3 r4 r5", every=3).address)
    headline(page, "No tiles found: is the table in the picture?")
    headline(page, "The set is right")
    expect(page.locator("li.set")).to_have_count(1)


def test_the_outlines_lie_on_the_tiles(page: Any, serve: Serve) -> None:
    """The first tile's quad begins at 70, 70 of 1280×960; the picture is fitted into the stage."""
    page.goto(serve("r3 r4 r5").address)
    headline(page, "The set is right")
    stage = page.locator("#stage").bounding_box()
    scale = min(stage["width"] / 1280, stage["height"] / 960)
    left = stage["x"] + (stage["width"] - 1280 * scale) / 2
    top = stage["y"] + (stage["height"] - 960 * scale) / 2
    quad = page.locator("#overlay polygon.quad").first.bounding_box()
    assert quad["x"] == pytest.approx(left + 70 * scale, abs=2.5)
    assert quad["y"] == pytest.approx(top + 70 * scale, abs=2.5)
    assert quad["width"] == pytest.approx(56 * scale, abs=4)
    shown = page.locator("#picture")
    assert shown.evaluate("image => image.naturalWidth > 0")
    assert shown.get_attribute("alt") == "Picture of the table: frame-0.jpg"


def test_nothing_is_cut_off_or_needs_scrolling_sideways(page: Any, serve: Serve) -> None:
    page.goto(serve(" | ".join(["r1 r2 r3 r4 r5 r6 r7 r8 r9", "k9 b9 o9"] * 2)).address)
    expect(page.locator("li.set")).to_have_count(4, timeout=SLOW)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator("#headline")).to_be_in_viewport()
    expect(page.locator("#stage")).to_be_in_viewport()


def test_an_unplugged_camera_is_said_and_comes_back(page: Any, serve: Serve) -> None:
    source = Cut()
    served = serve("", camera=Feed(source, retry=0.2))
    page.goto(served.address)
    headline(page, "No tiles found: is the table in the picture?")
    source.plugged = False
    headline(page, "The camera has stopped. Check its cable; it comes back by itself.")
    source.plugged = True
    headline(page, "No tiles found: is the table in the picture?")


def test_a_lost_companion_is_said_and_found_again(page: Any, serve: Serve) -> None:
    served = serve("r3 r4 r5")
    page.goto(served.address)
    headline(page, "The set is right")
    page.context.set_offline(True)
    served.companion.hub.close()
    expect(page.get_by_role("alert").filter(has_text="connection")).to_be_visible(timeout=SLOW)


def test_a_page_too_many_is_told_so_and_comes_in_when_there_is_room(page: Any, serve: Serve) -> None:
    served = serve("r3 r4 r5")
    places = served.server.wsgi_app.extensions["places"]
    while places.take():
        pass
    page.goto(served.address)
    expect(page.locator("#link")).to_contain_text("Too many pages are open", timeout=SLOW)
    places.give_back()
    expect(page.locator("#link")).to_be_hidden(timeout=60_000)
    expect(page.locator("li.set")).to_have_count(1, timeout=SLOW)


def test_every_page_gets_every_state(browser: Any, serve: Serve) -> None:
    served = serve("r3 r4 r5", "r12 r13 r1", every=4)
    context = browser.new_context()
    pages = [context.new_page() for _ in range(3)]
    for page in pages:
        page.goto(served.address, wait_until="commit")
    for page in pages:
        headline(page, "1 set is not right")
    for page in pages:
        headline(page, "The set is right")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(browser: Any, serve: Serve, scheme: str) -> None:
    """Every text against what lies behind it: 4.5 to 1, large text 3 to 1 (WCAG 2.2, 1.4.3)."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    page.goto(serve(("r12 r13 r1 | k6 o6 r6 | r3 r4 r5", {"o6": "o9"})).address)
    headline(page, "1 set is not right, 1 not sure")
    poor = page.evaluate(CONTRAST)
    context.close()
    assert poor == []


CONTRAST = """() => {
  const parse = (c) => c.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("h1, h2, p, li, span, a, button")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(parse(style.color)), light(behind(element))].sort((x, y) => y - x);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5)) poor.push(element.textContent.slice(0, 40));
  }
  return poor;
}"""
