"""The demo on the page: it says that it plays by itself, hands over to whoever presses, and takes over again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Served
from tests.browser.steps import SLOW, expect, on_turn, press
from tests.webui.games import SHORT, drawn_game
from vision.camera import Feed
from vision.reading import StoredReader
from webui.companion import Companion
from webui.demo import Autopilot, ShownFrames
from webui.server import listening


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """It shows the first turn, and presses nothing as long as the test lasts."""
    game = drawn_game(SHORT, tmp_path)
    source = ShownFrames("demo", game.path(game.frames[0].name))
    companion = Companion(Feed(source), StoredReader(game.folder / "frames"))
    autopilot = Autopilot(companion, source, game, pace=100_000.0)
    monkeypatch.setattr(
        "tests.browser.conftest.listening", lambda app, *where: listening(_with(app, autopilot), *where)
    )
    served = Served(companion)
    autopilot.start()
    yield served
    autopilot.close()
    served.stop()


def _with(app: Any, autopilot: Autopilot) -> Any:
    app.extensions["autopilot"] = autopilot
    return app


def test_who_presses_has_the_game_and_gives_it_back(page: Any, demo: Served) -> None:
    page.goto(demo.address)
    on_turn(page, "Anna")
    said = page.locator("#demo [role=status]")
    expect(said).to_have_text("This demo plays by itself. Press a button, and the game is yours.")
    expect(page.locator("#demo button:visible")).to_have_count(0)
    press(page, "Pause")
    expect(said).to_have_text("The game is yours: the demo presses nothing any more.", timeout=SLOW)
    page.get_by_role("button", name="Let it play on").click()
    expect(said).to_contain_text("plays by itself", timeout=SLOW)
    expect(page.locator("#turn")).to_have_attribute("data-clock", "running")
    expect(page.locator("li.set")).to_have_count(1, timeout=SLOW)
    press(page, "End turn")
    on_turn(page, "Ben")
    expect(said).to_have_text("The game is yours. The demo cannot go on from here.", timeout=SLOW)
    expect(page.get_by_role("button", name="Let it play on")).to_be_hidden()
    page.get_by_role("button", name="Start again").click()
    on_turn(page, "Anna")
    expect(said).to_contain_text("plays by itself", timeout=SLOW)
