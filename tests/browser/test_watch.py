"""A second screen: it shows everything, its buttons are hidden, and the code lets it play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import WIDE
from tests.browser.steps import SLOW, expect, on_turn
from tests.lan import OnLan
from vision.camera import Feed
from vision.reading import StoredReader
from vision.sources import FolderSource

pytestmark = pytest.mark.parametrize("page", [WIDE], ids=["1280x800"], indirect=True)


@pytest.fixture
def table(tables: Callable[..., Path], tmp_path: Path) -> Iterator[OnLan]:
    """A game on the local network, with codes (and without TLS, whose certificate is not what this is about)."""
    folder = tables("r10 r11 r12 | k9 b9")
    served = OnLan(Feed(FolderSource(folder, 600)), StoredReader(folder), tmp_path, tls=False)
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"}, timeout=30)
    yield served
    served.stop()


def watch(page: Any, table: OnLan) -> None:
    page.goto(f"{table.address}/?view={table.door.codes.view}")
    on_turn(page, "Anna")
    expect(page.locator("li.set")).to_have_count(2, timeout=SLOW)


def test_who_watches_sees_it_all_and_can_press_nothing(page: Any, table: OnLan) -> None:
    watch(page, table)
    expect(page.get_by_text("You are watching: nothing can be changed from here.")).to_be_visible()
    expect(page.locator("#buttons button:visible")).to_have_count(0)
    expect(page.locator("#score")).to_contain_text("14 tiles")
    expect(page.get_by_role("button", name="correct it")).to_have_count(0)
    page.locator("#stage").click()
    page.locator("[data-player=Anna]").click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    page.locator("body").press("Space")
    page.get_by_role("button", name="Score sheet").click()
    expect(page.locator("#sheet")).to_be_visible()
    assert len(table.companion.umpire.play.events) == 3


def test_the_code_lets_the_same_page_play(page: Any, table: OnLan) -> None:
    watch(page, table)
    page.get_by_label("Join with the code").fill("WRONG-CODE")
    page.get_by_role("button", name="Join").click()
    expect(page.locator("#join-refused")).to_contain_text("That is not the code.")
    page.get_by_label("Join with the code").fill(table.door.codes.view)
    page.get_by_role("button", name="Join").click()
    expect(page.locator("#join-refused")).to_contain_text("That code is for watching.")
    page.get_by_label("Join with the code").fill(table.door.codes.play)
    page.get_by_role("button", name="Join").click()
    expect(page.locator("#buttons").get_by_role("button", name="End turn")).to_be_visible(timeout=SLOW)
    expect(page.locator("#watching")).to_be_hidden()
    expect(page.get_by_role("button", name="red 10: correct it")).to_be_visible()
