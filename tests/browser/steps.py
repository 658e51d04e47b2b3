"""What people do on the page, step by step, and a match that was played before."""

from __future__ import annotations

import itertools
import socket
import threading
from contextlib import suppress
from typing import Any

import pytest

from referee import events
from referee.events import Event
from referee.layout import Layout
from referee.results import Rack
from referee.sheets import load, with_options
from webui.store import MemoryStore

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect
SLOW = 30_000
"""Milliseconds that a state may take to appear: the machine may be busy with other work."""
FOURTEEN = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 | k4 k5 k6"
"""A rack laid in one turn."""


def start(page: Any, *names: str, clock: str = "no-clock") -> None:
    page.get_by_role("button", name="Start a game").click()
    page.get_by_role("radio", name=str(len(names)), exact=True).check()
    for number, name in enumerate(names, 1):
        page.get_by_label(f"Name of player {number}").fill(name)
    page.locator("#house summary").click()
    page.locator("#clock").select_option(clock)
    page.get_by_role("button", name="Start the first turn").click()
    expect(page.locator("#player")).to_have_text(names[0], timeout=SLOW)


def press(page: Any, name: str) -> None:
    page.locator("#buttons").get_by_role("button", name=name).click()


def on_turn(page: Any, name: str) -> None:
    expect(page.locator("#player")).to_have_text(name, timeout=SLOW)


def played(
    names: tuple[str, ...], *games: tuple[str, dict[str, int]], rules: str = "sabra-1985", options: tuple[str, ...] = ()
) -> MemoryStore:
    """A match in which each game was won at its first turn: who went out, and the points on the other racks."""
    store, number = MemoryStore(), itertools.count(1)

    def add(*facts: events.Fact) -> None:
        for fact in facts:
            n = next(number)
            store.append(Event(f"e{n}", 1_700_000_000_000 + n * 60_000, fact))

    add(events.Players(names, with_options(load(rules), options)))
    for turn, (winner, racks) in enumerate(games, 1):
        add(events.Deal(winner), events.TurnStarted(turn, winner))
        add(events.TableJudged(turn, Layout.parse(FOURTEEN)), events.Out(turn))
        add(events.RacksCounted(tuple((name, Rack(points)) for name, points in racks.items())))
    return store


def type_on_the_pad(page: Any, text: str) -> None:
    """Taps the keys of the number pad that is open."""
    pad = page.locator(".pad:visible")
    for key in text:
        pad.get_by_role("button", name={"−": "Minus"}.get(key, key), exact=True).click()
    pad.get_by_role("button", name="Enter").click()


class Cable:
    """A line to a server that can be cut and mended: what goes over it goes on, or stops at once."""

    def __init__(self, port: int) -> None:
        self._target, self._cut, self._ends = port, False, set[socket.socket]()
        self._plug = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._plug.getsockname()[1]}/"
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._plug.accept()
                if self._cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self._target))
                self._ends |= {near, far}
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pump, args=(one, other), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            self._ends.discard(end)
            end.close()

    def cut(self) -> None:
        self._cut = True
        for end in tuple(self._ends):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        self._cut = False

    def close(self) -> None:
        self.cut()
        self._plug.close()
