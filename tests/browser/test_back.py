"""Looking back in a real Chromium: a kept match turn by turn, what could have been played, and saving the game."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.results import Rack
from referee.sheets import chosen
from referee.tiles import Tile
from tests.browser.conftest import Served
from tests.webui.games import lies
from vision.camera import Feed
from vision.reading import StoredReader
from vision.sources import FolderSource
from webui.companion import Companion
from webui.keeper import Keeper
from webui.matches import FileMatches
from webui.play import Play
from webui.umpire import Umpire

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect
LONG = 30_000
NASTY = "<script>alert(1)</script>"


@pytest.fixture
def served(tables: Callable[..., Path], tmp_path: Path) -> Iterator[Served]:
    """A finished match of the past, and a table at which nobody plays yet."""
    matches = FileMatches(tmp_path / "matches")
    play = Play(matches.new())
    play.start([NASTY, "Ben"], chosen("classic", ["one-game"]), NASTY)
    play.end(lies("r10 r11"))
    play.end(lies("r10 r11 r12"))
    play.correct_rack("Ben", 5)
    play.end(lies("r10 r11 r12 | k11 b11 o11"))
    play.correct_rack(NASTY, 1)
    play.end(lies("r10 r11 r12 r13 | k11 b11 o11"))
    play.out()
    play.count("Ben", Rack.of([Tile.parse("k1"), Tile.parse("j")]))
    play.close()
    folder = tables("r3 r4 r5")
    umpire = Umpire(Play(matches.new()), lambda: Play(matches.new()))
    keeper = Keeper(matches, matches.folder)
    companion = Companion(Feed(FolderSource(folder, every=600)), StoredReader(folder), umpire, keeper=keeper)
    running = Served(companion)
    yield running
    running.stop()


def look_back(page: Any, served: Served) -> Any:
    page.goto(served.address)
    page.locator("#open-menu").click(timeout=LONG)
    page.locator("#open-back").click()
    dialog = page.locator("#back")
    expect(dialog).to_be_visible()
    return dialog


def test_turn_by_turn(page: Any, served: Served) -> None:
    dialog = look_back(page, served)
    expect(dialog.locator(".place")).to_have_text("Turn 3 of 3", timeout=LONG)
    expect(dialog.locator(".how")).to_have_text(f"{NASTY} went out")
    expect(dialog.locator(".layouts section").nth(1).locator(".tile.laid")).to_have_count(1)
    page.keyboard.press("ArrowLeft")
    expect(dialog.locator(".how")).to_have_text("Ben laid 3 tiles")
    dialog.get_by_role("button", name="Earlier").click()
    expect(dialog.locator(".place")).to_have_text("Turn 1 of 3")
    expect(dialog.get_by_role("button", name="Earlier")).to_be_disabled()
    expect(dialog.locator(".tries summary")).to_have_count(1)
    expect(dialog.locator(".tries summary")).to_contain_text(re.compile("set|tiles", re.I))
    expect(dialog.locator(".layouts section").nth(0)).to_contain_text("No tiles on the table.")
    expect(dialog.locator(".time")).to_contain_text("of 60 s")
    box = dialog.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= page.viewport_size["width"]
    assert page.evaluate("document.querySelector('#back').scrollWidth <= document.querySelector('#back').clientWidth")


def test_what_could_have_been_played(page: Any, served: Served) -> None:
    dialog = look_back(page, served)
    expect(dialog.locator(".place")).to_have_text("Turn 3 of 3", timeout=LONG)
    dialog.get_by_role("button", name="Earlier").click()
    dialog.locator(".moves > summary").click()
    expect(dialog.locator(".rack .choice")).to_have_count(5)
    dialog.get_by_role("button", name="Show the best play").click()
    expect(dialog.locator(".best")).to_contain_text("The most that could be laid: 4 tiles", timeout=LONG)
    expect(dialog.locator(".best .tile.laid")).to_have_count(4)
    for _ in range(4):
        dialog.locator(".rack .choice").first.click()
    dialog.get_by_role("button", name="Show the best play").click()
    expect(dialog.locator(".best")).to_contain_text("Nothing could be played.", timeout=LONG)


def test_saving_the_game(page: Any, served: Served) -> None:
    page.goto(served.address)
    page.locator("#open-menu").click(timeout=LONG)
    page.locator("#save-game").click()
    expect(page.locator("#back .notice")).to_contain_text("not recorded", timeout=LONG)
    page.keyboard.press("Escape")
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
    expect(page.locator("body")).to_have_attribute("data-phase", "read", timeout=LONG)
    served.companion.press("pause", {"turn": 1})
    page.locator("#open-menu").click()
    page.locator("#save-game").click()
    expect(page.locator("#back .notice")).to_contain_text("Saved as a recorded game:", timeout=LONG)
    saved = Path(page.locator("#back .notice").inner_text().split(": ", 1)[1])
    assert (saved / "turns.csv").exists() and len(list((saved / "frames").glob("*.jpg"))) == 1


def test_who_only_watches_changes_nothing(page: Any, served: Served) -> None:
    dialog = look_back(page, served)
    page.evaluate("document.body.dataset.may = 'watch'")
    expect(dialog.locator(".place")).to_have_text("Turn 3 of 3", timeout=LONG)
    expect(dialog.locator("#back-save")).to_be_hidden()
    expect(dialog.locator(".moves")).to_be_hidden()


def test_a_full_disk_is_named_and_the_game_goes_on(page: Any, served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("webui.journal.write_whole", full)
    page.goto(served.address)
    expect(page.locator("body")).to_have_attribute("data-phase", "read", timeout=LONG)
    expect(page.locator("#record-trouble")).to_be_hidden()
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
    expect(page.locator("#record-trouble")).to_contain_text("no space left on device", timeout=LONG)
    served.companion.press("pause", {"turn": 1})
    expect(page.get_by_role("button", name="Go on")).to_be_visible(timeout=LONG)
