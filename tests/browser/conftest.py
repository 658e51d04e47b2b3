"""A real Chromium, and the companion served to it by the real server from a folder of pictures."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vision.camera import Camera, CameraError, Feed, NoCamera
from vision.phone import PhoneCamera
from vision.reading import StoredReader
from vision.sources import FolderSource
from webui.app import create_app
from webui.choice import Choice, Kind, MemoryKept
from webui.chooser import Chooser
from webui.companion import Companion
from webui.demo import ShownFrames
from webui.invite import Door
from webui.network import Network
from webui.play import Play
from webui.server import listening
from webui.store import Store
from webui.umpire import Umpire

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}


def chromium() -> str | None:
    """Where Chromium is: as CHROMIUM says, or in the path."""
    named = os.environ.get("CHROMIUM")
    return named or next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    path = chromium()
    if path is None:
        pytest.skip("no Chromium found (set CHROMIUM to its path)")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=path, args=FLAGS)
        yield opened
        opened.close()


@pytest.fixture(params=[WIDE, PHONE], ids=["1280x800", "390x844"])
def page(browser: object, request: pytest.FixtureRequest) -> Iterator[object]:
    """A page of each size; anything it logs as an error fails the test."""
    touch = request.param["width"] < 500
    context = browser.new_context(viewport=request.param, has_touch=touch)  # type: ignore[attr-defined]
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda line: errors.append(line.text) if "Content Security Policy" in line.text else None)
    yield opened
    context.close()
    assert errors == []


class Served:
    """A companion that is being served; `address` is its page, `show` puts another picture before its camera."""

    def __init__(
        self,
        companion: Companion,
        show: Callable[[int], None] = lambda number: None,
        chooser: Chooser | None = None,
        door: Door | None = None,
    ) -> None:
        self.companion, self.chooser = companion, chooser
        self.show = show
        network = Network(look=lambda: ("192.168.1.7",), names=lambda: ("laptop.local",))
        app = create_app(companion, door=door, network=network, chooser=chooser)
        self.server = listening(app, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{self.server.bind_addr[1]}/"
        self._thread = threading.Thread(target=self.server.serve, daemon=True)
        self._thread.start()
        companion.start()
        if chooser is not None:
            chooser.begin()

    def stop(self) -> None:
        if self.chooser is not None:
            self.chooser.close()
        self.companion.close()
        self.server.stop()
        self._thread.join(timeout=10)


@pytest.fixture
def serve(tables: Callable[..., Path]) -> Iterator[Callable[..., Served]]:
    """Serves tables in the order given, each shown for ``every`` seconds; or a camera of one's own.

    With ``shown`` the demo's camera shows the first, and others as `Served.show` says; ``store`` holds a match.
    """
    running: list[Served] = []

    def start(
        *texts: object,
        every: float = 600,
        camera: Camera | None = None,
        shown: bool = False,
        store: Store | None = None,
    ) -> Served:
        folder = tables(*texts, folder=f"tables-{len(running)}")
        frames = ShownFrames("demo", folder / "frame-0.jpg")
        feed = camera or Feed(frames if shown else FolderSource(folder, every))
        umpire = Umpire(Play(store)) if store is not None else None
        companion = Companion(feed, StoredReader(folder), umpire)
        running.append(Served(companion, lambda number: frames.show(folder / f"frame-{number}.jpg")))
        return running[-1]

    yield start
    for served in running:
        served.stop()


@pytest.fixture
def choosing(tables: Callable[..., Path]) -> Iterator[Callable[..., Served]]:
    """Serves a companion without a camera; each table given can be chosen as one, "Camera 0" and so on.

    "Broken" is a camera too, and does not open. ``last`` is the camera of last time; a ``door`` lets phones in.
    """
    running: list[Served] = []

    def start(*texts: object, last: Choice | None = None, door: Door | None = None) -> Served:
        folder = tables(*texts)
        names = [*(f"Camera {n}" for n in range(len(texts))), "Broken"]
        there = tuple(Choice(Kind.DEVICE, str(n), name) for n, name in enumerate(names))

        def opens(choice: Choice) -> Camera:
            if choice.kind is Kind.PHONE:
                return PhoneCamera()
            if choice.name not in names[:-1]:
                raise CameraError("it does not open")
            return Feed(ShownFrames(choice.name, folder / f"frame-{choice.source}.jpg"))

        companion = Companion(NoCamera(), StoredReader(folder))
        kept = MemoryKept(last)
        chooser = Chooser(companion, kept, lan=door is not None, opens=opens, finds=lambda: there)
        running.append(Served(companion, chooser=chooser, door=door))
        return running[-1]

    yield start
    for served in running:
        served.stop()


@pytest.fixture
def opened(browser: object) -> Iterator[Callable[..., object]]:
    """Opens an address in a window of one's own."""
    contexts: list = []

    def visit(address: str, size: tuple[int, int] = (1280, 800), **how: object) -> object:
        viewport = {"width": size[0], "height": size[1]}
        contexts.append(browser.new_context(viewport=viewport, **how))  # type: ignore[attr-defined]
        page = contexts[-1].new_page()
        page.goto(address)
        playwright.expect(page.locator("#headline")).not_to_be_empty()
        return page

    yield visit
    for context in contexts:
        context.close()
