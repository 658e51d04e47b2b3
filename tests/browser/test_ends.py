"""Restoring a table and counting racks in a real Chromium, on rendered pictures of tables."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from referee.layout import Layout
from referee.tiles import Tile
from vision.camera import Feed, Shot
from vision.reader import Reader
from vision.reading import Reading
from vision.render.editions import random_edition
from vision.render.games import exact_reading
from vision.render.lens import Light, View
from vision.render.scene import Piece, Scene, draw
from webui.companion import Companion

from .conftest import Served

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect
SLOW = 30_000
SHOTS = os.environ.get("SHOTS")

Row = tuple[str, float, float]


def drawn(*rows: Row, size: tuple[int, int] = (1280, 960), distance: float = 26.0, table: str = "wood") -> Any:
    """A table with rows of tiles, each ``("r3 r4 r5", x, y)`` with the middle of its first tile in tile widths."""
    edition = replace(random_edition(np.random.default_rng(11)), aspect=1.38, thickness=0.2, digit_height=0.42)
    view = View(size[0], size[1], distance, 0.3, 0.0, 0.0, 1.05)
    pieces = []
    for n, (text, x, y) in enumerate(rows):
        row = text.split()
        for k, tile in enumerate(row):
            pieces.append(Piece.flat(Tile.parse(tile), x + 1.06 * k, y, 0.0, 0.0, n if len(row) > 1 else None))
    return draw(Scene(edition, view, Light(noise=1.5, shadow_length=0.3), tuple(pieces), table, 3, 30.0))


@cache
def nets() -> Reader:
    return Reader.load(threads=1)


class Desk:
    """A camera over a table that the test lays; the reader knows what is on it. Photos are read by the nets."""

    name, live = "desk", False

    def __init__(self, *rows: Row) -> None:
        self._readings: dict[str, Reading] = {}
        self._shot: Shot | None = None
        self._beat = threading.Event()
        self.lay(*rows)

    def lay(self, *rows: Row, change: Callable[[Reading], Reading] = lambda reading: reading) -> None:
        picture = drawn(*rows)
        path = Path(f"table-{len(self._readings)}.png")
        self._readings[str(path)] = change(exact_reading(picture, str(path)))
        self._shot = Shot(picture.picture, True, path)

    def open(self) -> None:
        pass

    def read(self, wanted: bool) -> Shot | None:
        self._beat.wait(0.05)
        shot = self._shot
        assert shot is not None
        if shot.fresh:
            self._shot = replace(shot, fresh=False)
        return shot

    def close(self) -> None:
        pass

    def reader(self) -> Any:
        desk = self

        class Knows:
            def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
                return nets().read(picture) if path is None else desk._readings[path]

        return Knows()


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def served(desk: Desk) -> Any:
    running = Served(Companion(Feed(desk), desk.reader()))
    yield running
    running.stop()


def shot(page: Any, name: str) -> None:
    if SHOTS:
        size = page.viewport_size
        page.screenshot(path=f"{SHOTS}/{name}-{size['width']}.png", full_page=True)


def start(page: Any, served: Served, *names: str, options: tuple[str, ...] = ()) -> None:
    """A match that is started by the same button as the page's, without its dialog."""
    data = {"players": list(names), "rules": "classic", "options": list(options), "first": names[0]}
    page.goto(served.address)
    served.companion.press("start", data)
    on_turn(page, names[0])


def on_turn(page: Any, name: str) -> None:
    expect(page.locator("#player")).to_have_text(name, timeout=SLOW)


def press(page: Any, name: str) -> None:
    page.locator("#buttons").get_by_role("button", name=name).click()


def surely(page: Any, question: str, yes: str) -> None:
    """The page asks before it does what cannot be taken back."""
    dialog = page.get_by_role("alertdialog", name=question)
    expect(dialog.get_by_role("button", name="No")).to_be_focused()
    dialog.get_by_role("button", name=yes).click()


HOME: tuple[Row, ...] = (("r10 r11 r12 r13", -8, 5), ("k9 b9 o9", -8, 2))
BROKEN: tuple[Row, ...] = (("r10 r11 r12", -8, 5), ("k9 b9", -8, 2), ("r13", 4, 0), ("o9", 6, -4), ("k1", 2, -6))


def broken_turn(page: Any, desk: Desk, served: Served) -> None:
    """Ben has torn the sets apart."""
    start(page, served, "Anna", "Ben", options=("clock=60",))
    desk.lay(*HOME)
    expect(page.locator("#list li, #layout .set, .set")).not_to_have_count(0, timeout=SLOW)
    press(page, "End turn")
    on_turn(page, "Ben")
    desk.lay(*BROKEN)
    expect(page.get_by_role("button", name="Show how it was")).to_be_visible(timeout=SLOW)


def lines(page: Any) -> list[str]:
    """The list as it stands: ``r13 done`` …"""
    found = []
    for line in page.locator("#restore .todo li").all():
        tile, state = line.locator("svg.tile").get_attribute("aria-label"), line.get_attribute("class")
        found.append(f"{tile} {state or ''}".strip())
    return found


def test_the_list_ticks_itself_off_and_does_not_jump(page: Any, desk: Desk, served: Served) -> None:
    broken_turn(page, desk, served)
    served.companion.umpire.play.clock._deadline -= 60_000
    todo = page.locator("#restore .todo li")
    expect(todo).to_have_count(3, timeout=SLOW)
    names = [line.split(" now")[0].split(" done")[0] for line in lines(page)]
    assert sorted(names) == ["black 1", "orange 9", "red 13"] and names[0] == "black 1"
    expect(page.locator("#restore")).to_contain_text("Then Ben draws 3 tiles")
    expect(page.locator("#restore .back")).to_have_count(3)
    expect(page.locator("#overlay .guide .step")).to_have_count(3)
    expect(page.locator("#overlay .guide .step.next .to-rack")).to_have_count(1)
    expect(page.locator("#overlay .guide .ghost")).to_have_count(2)
    picture = page.locator("#restore .was img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280
    shot(page, "restore-1")

    # The last of the list is done first: it is ticked off where it stands.
    last = names[-1]
    at_home = {"orange 9": ("k9 b9 o9", -8, 2), "red 13": ("r10 r11 r12 r13", -8, 5)}[last]
    text = at_home[0].split()
    rows = [at_home if row[0] == " ".join(text[:-1]) else row for row in BROKEN if row[0] != text[-1]]
    desk.lay(*rows)
    expect(todo.nth(2)).to_have_class("done", timeout=SLOW)
    assert [line.removesuffix(" now").removesuffix(" done") for line in lines(page)] == names
    expect(page.locator("#overlay .guide .step")).to_have_count(2)
    shot(page, "restore-2")

    # A reading that flickers neither adds a line nor takes one away, and says nothing is restored.
    def flicker(reading: Reading) -> Reading:
        tiles = tuple(
            replace(t, confidence=0.5, unsure=True, alternatives=((t.tile, 0.4),), tile=Tile.parse("r5"))
            if str(t.tile) == "b9"
            else t
            for t in reading.tiles
        )
        return replace(reading, tiles=tiles)

    desk.lay(*HOME, change=flicker)
    expect(page.locator("#restore .progress")).to_contain_text("3 of 3 done", timeout=SLOW)
    assert [line.removesuffix(" now").removesuffix(" done") for line in lines(page)] == names

    desk.lay(*HOME)
    expect(page.locator("#restore h3")).to_have_text("The table is as it was ✓", timeout=SLOW)
    expect(page.locator("#restore .todo li.done")).to_have_count(3)
    shot(page, "restore-3")
    page.locator("#buttons button[data-button=penalty]").click()
    on_turn(page, "Anna")
    expect(page.locator("#restore")).to_be_hidden()


def test_what_is_missing_is_named_and_the_house_way_out_offered(page: Any, desk: Desk, served: Served) -> None:
    broken_turn(page, desk, served)
    served.companion.umpire.play.clock._deadline -= 60_000
    expect(page.locator("#restore .todo li")).to_have_count(3, timeout=SLOW)
    desk.lay(*[row for row in BROKEN if row[0] != "r13"])
    expect(page.locator("#restore .lost")).to_contain_text("One tile is not on the table", timeout=SLOW)
    assert page.locator("#restore .lost svg.tile").get_attribute("aria-label") == "red 13"
    shot(page, "restore-missing")
    end = page.locator("#restore").get_by_role("button", name="End this game and play it again")
    end.click()
    page.keyboard.press("Enter")  # what has the focus is No
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    expect(end).to_be_focused()
    assert served.companion.umpire.play.state.games == ()
    end.click()
    surely(page, "End this game without points and play it again?", "End this game and play it again")
    expect(page.locator("#restore")).to_be_hidden(timeout=SLOW)
    assert served.companion.umpire.play.state.games[-1].end == "abandoned"


def test_how_it_was_is_shown_while_the_clock_runs_at_no_cost(page: Any, desk: Desk, served: Served) -> None:
    broken_turn(page, desk, served)
    page.get_by_role("button", name="Show how it was").click(timeout=SLOW)
    expect(page.locator("#restore .todo li")).to_have_count(3, timeout=SLOW)
    expect(page.locator("#restore")).not_to_contain_text("draws")
    expect(page.locator("#turn")).to_have_attribute("data-clock", "running")
    shot(page, "restore-asked")
    # Other places, the same sets.
    desk.lay(("k9 b9 o9", 0, -4), ("r10 r11 r12 r13", -3, 3))
    expect(page.locator("#restore h3")).to_have_text("The table is as it was ✓", timeout=SLOW)
    page.locator("#restore").get_by_role("button", name="Hide").click()
    expect(page.locator("#restore .todo")).to_have_count(0)
    on_turn(page, "Ben")


LONG: tuple[Row, ...] = (("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11", -8, 6), ("k4 k5 k6", -8, 3))
RACK = "b5 r13 j o1 o2 b8 k10 o7 b12 k2 r9 b1 o11 k13"


def out(page: Any, desk: Desk, served: Served) -> None:
    """Anna lays all her tiles at once; Ben's fourteen are left."""
    start(page, served, "Anna", "Ben", options=("no-clock",))
    desk.lay(*LONG)
    expect(page.locator("#list li, #layout .set, .set")).not_to_have_count(0, timeout=SLOW)
    press(page, "End turn")
    page.locator("#buttons button[data-button=out]").click(timeout=SLOW)
    expect(page.locator("#counting .rack")).to_have_count(1, timeout=SLOW)


def photo(folder: Path, *rows: Row) -> Path:
    path = folder / "rack.jpg"
    cv2.imwrite(str(path), drawn(*rows, size=(1600, 1200), distance=14.0, table="plain").picture)
    return path


def total(tiles: str) -> int:
    return sum(30 if t == "j" else int(t[1:]) for t in tiles.split())


def correct(page: Any, wrong: Any, right: str) -> None:
    wrong.click()
    name = re.compile(rf"It is {right}$")
    page.locator("#pick").get_by_role("button", name=name).first.click()


NAMES = {"k": "black", "b": "blue", "r": "red", "o": "orange"}


def named(tile: str) -> str:
    return "joker" if tile == "j" else f"{NAMES[tile[0]]} {tile[1:]}"


def test_a_rack_by_photo_is_read_put_right_and_entered(page: Any, desk: Desk, served: Served, tmp_path: Path) -> None:
    out(page, desk, served)
    tiles = RACK.split()
    rows = ((" ".join(tiles[:7]), -3.2, 1.2), (" ".join(tiles[7:]), -3.2, -1.2))
    page.locator("#counting input[type=file]").set_input_files(photo(tmp_path, *rows))
    shown = page.locator("#counting .rack .choice svg.tile")
    expect(shown).to_have_count(14, timeout=60_000)
    shot(page, "racks-photo")
    # Whatever was misread, or is not sure, is put right by a tap on the tile.
    read = sorted((shown.nth(k).get_attribute("aria-label") or "").removesuffix(", not sure") for k in range(14))
    right = sorted(map(named, tiles))
    missed = [n for n in right if n not in read]
    assert len(missed) <= 2, f"read {read}"
    for name in missed:
        said = [(shown.nth(k).get_attribute("aria-label") or "").split(",")[0] for k in range(14)]
        wrong = next(k for k, word in enumerate(said) if word not in right)
        correct(page, page.locator("#counting .rack .choice").nth(wrong), name)
        expect(page.locator("#counting .rack .choice").nth(wrong)).to_have_attribute("aria-label", re.compile(name))
    while (unsure := page.locator("#counting .rack .choice.unsure")).count():
        name = (unsure.first.locator("svg").get_attribute("aria-label") or "").split(",")[0]
        before = unsure.count()
        correct(page, unsure.first, name)
        expect(unsure).not_to_have_count(before)
    page.get_by_role("button", name=f"Enter: {total(RACK)} points").click()
    expect(page.locator("#sheet")).to_contain_text(f"+{total(RACK)}", timeout=SLOW)


def test_a_rack_before_the_camera_without_the_table(page: Any, desk: Desk, served: Served) -> None:
    out(page, desk, served)
    desk.lay(*LONG, ("b5 r13 j o1 o2 b8", -8, -3), ("k10 o7 b12 k2 r9 b1 k4", -8, -6))
    page.get_by_role("button", name="Take the 13 tiles before the camera").click(timeout=SLOW)
    block = page.locator("#counting .rack")
    expect(block.locator(".choice")).to_have_count(13)
    expect(block).to_contain_text("Here are 13 tiles; by count Ben holds 14")
    expect(block).to_contain_text("14 tiles that lay on the table are not counted")
    shot(page, "racks-camera")
    block.get_by_role("button", name="Add a tile").click()
    page.locator("#pick").get_by_role("button", name="It is orange 11", exact=True).click()
    expect(block.locator(".choice")).to_have_count(14)
    expect(block).not_to_contain_text("by count Ben holds 14;")
    block.locator(".choice").first.click()
    page.locator("#pick-none").click()
    expect(block.locator(".choice")).to_have_count(13)
    expect(block).to_contain_text("Here are 13 tiles; by count Ben holds 14")
    block.get_by_role("button", name=re.compile("Enter: ")).click()
    expect(page.locator("#next-game")).to_be_visible(timeout=SLOW)
    assert served.companion.umpire.play.state.games[-1].racks[0][1].count == 13


def test_all_racks_shown_before_the_end_and_a_play_is_found(page: Any, desk: Desk, served: Served) -> None:
    start(page, served, "Anna", "Ben", options=("no-clock",))
    desk.lay(*LONG)
    expect(page.locator("#list li, #layout .set, .set")).not_to_have_count(0, timeout=SLOW)
    done = threading.Event()

    def late() -> None:
        """The end of a long game: the pool is empty and everybody has opened."""
        umpire = served.companion.umpire
        play = umpire.play
        table = Layout.parse("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 | k4 k5 k6")
        turn = play.state.turn
        assert turn is not None
        racks, opened = (("Anna", 2), ("Ben", 2)), ("Anna", "Ben")
        play.state = replace(
            play.state, pool=0, racks=racks, opened=opened, table=table, turn=replace(turn, before=table)
        )
        umpire.version += 1
        done.set()

    served.companion.tell(late)
    assert done.wait(10)
    page.get_by_role("button", name="Show all racks and check").click(timeout=SLOW)
    surely(page, "All racks are shown to everybody. Go on?", "Show all racks and check")
    expect(page.locator("#counting .rack")).to_have_count(2, timeout=SLOW)

    def add(player: str, *names: str) -> None:
        for name in names:
            block = page.locator(f"#counting .rack[data-player={player}]")
            count = block.locator(".choice").count()
            block.get_by_role("button", name="Add a tile").click()
            page.locator("#pick").get_by_role("button", name=f"It is {name}", exact=True).click()
            expect(block.locator(".choice")).to_have_count(count + 1)

    ask = page.locator("#counting .check").get_by_role("button", name="Check", exact=True)
    add("Anna", "blue 1", "orange 9")
    expect(ask).to_be_disabled()
    add("Ben", "red 12", "orange 5")
    ask.click()
    expect(page.locator("#counting .check")).to_contain_text("Ben could have played", timeout=SLOW)
    expect(page.locator("#counting .check .from-rack")).to_have_count(1)
    shot(page, "racks-could")
    # Another tile instead of it: now it is proved that nobody can.
    page.locator("#counting .rack[data-player=Ben] .choice").first.click()
    page.locator("#pick").get_by_role("button", name="It is black 1", exact=True).click()
    ask.click()
    expect(page.locator("#counting .check")).to_contain_text("Really blocked", timeout=SLOW)
    shot(page, "racks-blocked")
    page.get_by_role("button", name="Nobody can play: the game is over").click()
    expect(page.locator("#counting")).to_contain_text("What is left on the racks?", timeout=SLOW)
    for player in ("Anna", "Ben"):
        block = page.locator(f"#counting .rack[data-player={player}]")
        block.get_by_role("button", name="Enter: ").click()
        expect(block.get_by_role("button", name="Enter: ")).to_have_count(0)
    expect(page.locator("#next-game")).to_be_visible(timeout=SLOW)
    expect(page.locator("#counting")).to_contain_text("Really blocked")
