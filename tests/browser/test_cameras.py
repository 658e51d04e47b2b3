"""Choosing the camera on the page: started without one, gone over to another in mid-game, a phone, an address."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import PHONE, WIDE
from tests.browser.steps import SLOW, expect, on_turn, start
from webui.choice import Choice, Kind
from webui.invite import Door

Choosing = Callable[..., Any]
wide = pytest.mark.parametrize("page", [WIDE], ids=["1280x800"], indirect=True)
phone = pytest.mark.parametrize("page", [PHONE], ids=["390x844"], indirect=True)
READ = "body[data-phase=read]"


def cameras(page: Any) -> Any:
    """The dialog."""
    return page.locator("#cameras")


def chosen(page: Any, name: str) -> Any:
    return cameras(page).get_by_role("button", name=name, pressed=True)


def trouble(page: Any) -> Any:
    return cameras(page).get_by_role("alert").first


def choose(page: Any, name: str) -> None:
    cameras(page).get_by_role("button", name=name).click()


def test_without_a_camera_it_asks_and_one_tap_shows_the_table(page: Any, choosing: Choosing) -> None:
    served = choosing("r10 r11 r12", "k9 b9 o9 r9")
    page.goto(served.address)
    expect(cameras(page)).to_be_visible(timeout=SLOW)
    expect(page.locator("#headline")).to_have_text("No camera is chosen yet")
    choose(page, "Camera 1")
    expect(chosen(page, "Camera 1")).to_be_visible(timeout=SLOW)
    expect(cameras(page).locator(".handle")).to_have_count(4, timeout=SLOW)
    expect(page.locator("#place-camera")).to_have_text("Picture 1280 × 960")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    box = cameras(page).bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]

    # Its corners are dragged right there.
    handle = cameras(page).locator(".handle .dot").first
    handle.scroll_into_view_if_needed()
    at = handle.bounding_box()
    x, y = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 12, y + 10)
    page.mouse.up()
    page.locator("#place-save").click()
    expect(cameras(page)).to_be_hidden(timeout=SLOW)
    expect(page.locator("#area .around")).to_be_attached(timeout=SLOW)
    page.wait_for_selector(READ, timeout=SLOW)
    expect(page.locator("li.set .tile")).to_have_count(4, timeout=SLOW)
    wide = 640 if page.viewport_size["width"] < 500 else 1280
    expect(page.locator("#picture")).to_have_js_property("naturalWidth", wide)
    assert served.companion.place.corners[0][0] > 10

    start(page, "Anna", "Ben")


@phone
def test_to_another_one_in_the_middle_of_a_turn(page: Any, choosing: Choosing) -> None:
    served = choosing("r10 r11 r12", "r10 r11 r12 | k9 b9 o9 r9")
    page.goto(served.address)
    choose(page, "Camera 0")
    expect(chosen(page, "Camera 0")).to_be_visible(timeout=SLOW)
    page.keyboard.press("Escape")
    page.wait_for_selector(READ, timeout=SLOW)
    page.get_by_role("button", name="Start a game").click()
    expect(page.locator("#start-camera")).to_contain_text("Camera 0")
    page.locator("#start-camera").get_by_role("button").click()
    expect(cameras(page)).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start the first turn").click()
    on_turn(page, "Player 1")
    page.locator("#open-menu").click()
    page.locator("#open-cameras").click()
    choose(page, "Camera 1")
    expect(chosen(page, "Camera 1")).to_be_visible(timeout=SLOW)
    page.keyboard.press("Escape")
    expect(page.locator("li.set")).to_have_count(2, timeout=SLOW)
    on_turn(page, "Player 1")
    page.locator("#buttons").get_by_role("button", name="End turn").click()
    on_turn(page, "Player 2")


@wide
def test_by_keyboard_and_what_does_not_open_is_said(page: Any, choosing: Choosing) -> None:
    served = choosing("r10 r11 r12")
    page.goto(served.address)
    expect(cameras(page)).to_be_visible(timeout=SLOW)
    cameras(page).get_by_role("button", name="Camera 0").focus()
    page.keyboard.press("Enter")
    expect(chosen(page, "Camera 0")).to_be_focused(timeout=SLOW)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(trouble(page)).to_contain_text("Broken gives no picture", timeout=SLOW)
    expect(chosen(page, "Camera 0")).to_be_visible()
    page.locator("#camera-address").fill("file:///etc/passwd")
    page.keyboard.press("Enter")
    expect(trouble(page)).to_contain_text("An address begins with", timeout=SLOW)
    page.locator("#camera-address").fill("rtsp://anna:Secret@cam.invalid/1")
    page.keyboard.press("Enter")
    expect(trouble(page)).to_contain_text("No picture from rtsp://cam.invalid/1", timeout=SLOW)
    expect(page.locator("#camera-address")).to_have_value("")
    assert "Secret" not in page.content()
    page.keyboard.press("Escape")
    expect(cameras(page)).to_be_hidden()


@wide
def test_the_camera_of_last_time_is_missing(page: Any, choosing: Choosing) -> None:
    served = choosing("r10 r11 r12", last=Choice(Kind.DEVICE, "7", "Attic camera"))
    page.goto(served.address)
    expect(trouble(page)).to_contain_text("Attic camera, the camera of last time, is not here", timeout=SLOW)
    page.keyboard.press("Escape")
    page.locator("#choose-camera").click()
    choose(page, "Camera 0")
    expect(chosen(page, "Camera 0")).to_be_visible(timeout=SLOW)
    expect(page.locator("#choose-camera")).to_be_hidden()


@phone
def test_the_camera_of_last_time_is_there_and_nothing_is_asked(page: Any, choosing: Choosing) -> None:
    served = choosing("r10 r11 r12", last=Choice(Kind.DEVICE, "0", "Camera 0"))
    page.goto(served.address)
    page.wait_for_selector(READ, timeout=SLOW)
    expect(cameras(page)).to_be_hidden()


@wide
def test_a_phone_is_one_tap_away_where_phones_may_come_in(page: Any, choosing: Choosing, tmp_path: Path) -> None:
    door = Door(folder=tmp_path / "keys")
    served = choosing("r10 r11 r12", door=door)
    page.goto(f"{served.address}?code={door.codes.play}")
    choose(page, "A phone")
    expect(page.locator("#invite img.qr")).to_be_visible(timeout=SLOW)
    expect(page.locator("#invite .link")).to_contain_text("/camera?code=")
    page.keyboard.press("Escape")
    expect(chosen(page, "A phone")).to_be_visible()


@wide
def test_without_lan_a_phone_is_told_why_not(page: Any, choosing: Choosing) -> None:
    served = choosing("r10 r11 r12")
    page.goto(served.address)
    choose(page, "A phone")
    expect(trouble(page)).to_contain_text("--lan", timeout=SLOW)


@wide
def test_who_only_watches_is_asked_nothing(page: Any, choosing: Choosing, tmp_path: Path) -> None:
    door = Door(folder=tmp_path / "keys")
    served = choosing("r10 r11 r12", door=door)
    page.goto(f"{served.address}?view={door.codes.view}")
    expect(page.locator("#headline")).to_have_text("No camera is chosen yet", timeout=SLOW)
    expect(cameras(page)).to_be_hidden()
    expect(page.locator("#choose-camera")).to_be_hidden()
    page.locator("#open-menu").click()
    expect(page.locator("#open-cameras")).to_be_hidden()
