"""The playing area on the page, in real Chromium: shown, dragged by mouse, finger and keys, put right by one tap."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.waiting import until
from vision.shift import Shift, ShiftKind

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect
READ = "body[data-phase=read]"
SLOW = 60_000


def opened(page: Any, served: Any) -> None:
    page.goto(served.address)
    page.wait_for_selector(READ, timeout=SLOW)
    page.click("#open-menu")
    page.click("#open-place")
    page.wait_for_selector(".handle")


def corners(served: Any) -> Any:
    return served.companion.place.corners


def middle(page: Any, index: int) -> tuple[float, float]:
    box = page.locator(".handle .dot").nth(index).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def dragged(page: Any, index: int, right: float, down: float) -> None:
    x, y = middle(page, index)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    page.mouse.move(x + right, y + down)
    page.mouse.up()


def test_a_corner_is_dragged_kept_and_drawn(page: Any, serve: Any) -> None:
    served = serve("r3 r4 r5 | k9 b9 o9")
    opened(page, served)
    assert page.locator("#place-camera").inner_text() == "Picture 1280 × 960"
    dragged(page, 0, 40, 30)
    page.click("#place-save")
    page.wait_for_selector("#place", state="hidden")
    until(lambda: corners(served) is not None)
    (x, y), *others = corners(served)
    assert 20 < x < 300 and 15 < y < 300
    assert others == [(1280.0, 0.0), (1280.0, 960.0), (0.0, 960.0)]
    page.wait_for_selector("#area .around", state="attached")
    page.wait_for_selector(READ, timeout=SLOW)


def test_by_the_keys_alone(page: Any, serve: Any) -> None:
    served = serve("r3 r4 r5")
    opened(page, served)
    page.locator(".handle").nth(2).focus()
    for key in ("ArrowLeft", "ArrowLeft", "ArrowUp", "Shift+ArrowUp"):
        page.keyboard.press(key)
    page.locator("#place-save").focus()
    page.keyboard.press("Enter")
    until(lambda: corners(served) is not None)
    assert corners(served)[2] == pytest.approx((1280 - 25.6, 960 - 12.8 - 2.56), abs=0.2)


def test_tiles_outside_are_no_part_of_the_layout_until_the_whole_picture_counts(page: Any, serve: Any) -> None:
    served = serve("r3 r4 r5 | k9 b9 o9")
    opened(page, served)
    width = page.locator(".board image").bounding_box()["width"]
    dragged(page, 1, -0.52 * width, 0)
    dragged(page, 2, -0.52 * width, 0)
    page.click("#place-save")
    expect(page.locator("#list .set")).to_have_count(1, timeout=SLOW)
    page.click("#open-menu")
    page.click("#open-place")
    page.wait_for_selector(".handle")
    page.click("#place-whole")
    page.click("#place-save")
    expect(page.locator("#list .set")).to_have_count(2, timeout=SLOW)
    assert corners(served) is None


def test_an_area_does_not_fold(page: Any, serve: Any) -> None:
    served = serve("r3 r4 r5")
    opened(page, served)
    board = page.locator(".board image").bounding_box()
    dragged(page, 0, board["width"] * 0.95, board["height"] * 0.98)
    (x, y), (right, bottom) = middle(page, 0), middle(page, 2)
    assert x < right and y < bottom
    page.click("#place-save")
    page.wait_for_selector("#place", state="hidden")


def test_without_plain_edges_that_is_said(page: Any, serve: Any) -> None:
    served = serve("r3 r4 r5")
    opened(page, served)
    page.click("#place-edges")
    assert "No edges" in page.locator("#place .hint[role=status]").inner_text()


def test_a_moved_camera_is_put_right_by_one_tap(page: Any, serve: Any) -> None:
    served = serve("r3 r4 r5")
    page.goto(served.address)
    page.wait_for_selector(READ, timeout=SLOW)
    assert page.locator("#place-right").is_hidden()
    moved = Shift(ShiftKind.LARGE, None, support=0.0)
    companion = served.companion
    companion.tell(lambda: setattr(companion, "place", replace(companion.place, moved=moved)))
    page.wait_for_selector("#place-right")
    assert "The camera has moved" in page.locator("#headline").inner_text()
    page.click("#place-right")
    page.wait_for_selector(READ, timeout=SLOW)
    assert page.locator("#place-right").is_hidden() and companion.place.moved is None
