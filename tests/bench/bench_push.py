"""How fast a change is on every open page, how large the page is, and how soon it is painted.

    python tests/bench/bench_push.py [--pages 20] [--changes 60]

Twenty clients hold event streams over real sockets, with TLS as on a local network, in a process of their own; the
companion runs as it does at a table, with a camera of twelve pictures a second.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import multiprocessing
import os
import shutil
import ssl
import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from machine import machine

from vision.camera import Feed, Shot
from vision.reading import Reading
from webui.app import create_app
from webui.certificate import own_certificate
from webui.companion import Companion
from webui.guard import COOKIE
from webui.invite import Codes, Door, Role
from webui.network import Network
from webui.server import listening

WITHIN_MS, PAGE_KB, PAINT_MS = 150, 200, 1000
PAUSE_S = 0.15


class Lens:
    """A camera of twelve pictures a second of a table at rest."""

    name, live = "bench", True

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        table = np.full((1080, 1920, 3), (80, 110, 130), np.uint8)
        self._pictures = [table + rng.integers(0, 6, table.shape, np.uint8) for _ in range(3)]
        self._taken = 0

    def open(self) -> None: ...

    def close(self) -> None: ...

    def read(self, wanted: bool) -> Shot | None:
        time.sleep(1 / 12)
        self._taken += 1
        return Shot(self._pictures[self._taken % 3])


class Blank:
    """A reader that finds an empty table."""

    def read(self, picture: Any, path: str | None = None) -> Reading:
        return Reading(picture.shape[1], picture.shape[0], None, (), (), (), ())


def listen(port: int, token: str, heard: Any, ready: Any, pages: int) -> None:
    """The pages: each notes when a change arrived (the clock is the machine's, the same in every process)."""

    def page(number: int) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client = http.client.HTTPSConnection("127.0.0.1", port, context=context)
        client.request("GET", "/events", headers={"Cookie": f"{COOKIE}={token}"})
        answer, seen = client.getresponse(), False
        while line := answer.readline():
            at = time.monotonic()
            if not seen:
                seen = True
                ready.release()
            if line.startswith(b'data: {"bench":'):
                heard.put((number, json.loads(line[6:])["bench"], at))

    for number in range(pages):
        threading.Thread(target=page, args=(number,), daemon=True).start()
    threading.Event().wait()


def measure(companion: Companion, port: int, token: str, pages: int, changes: int) -> list[list[float]]:
    """For each change, the milliseconds until each page had it."""
    spawn = multiprocessing.get_context("spawn")
    heard, ready = spawn.Queue(), spawn.Semaphore(0)
    process = spawn.Process(target=listen, args=(port, token, heard, ready, pages), daemon=True)
    process.start()
    for _ in range(pages):
        if not ready.acquire(timeout=60):
            raise SystemExit("not every page could listen")
    time.sleep(1)
    began: dict[int, float] = {}
    for change in range(changes):
        # Through the companion's queue, as a button goes.
        companion.tell(lambda change=change: companion.hub.publish("bench", {"bench": change, "more": "x" * 4000}))
        began[change] = time.monotonic()
        time.sleep(PAUSE_S)
    time.sleep(1)
    delays: list[list[float]] = [[] for _ in range(changes)]
    for _ in range(pages * changes):
        try:
            _, change, at = heard.get(timeout=2)
        except Exception:
            break  # a page may skip what is past; that is counted below
        delays[change].append((at - began[change]) * 1000)
    process.terminate()
    process.join()
    return delays


def chromium() -> str | None:
    named = os.environ.get("CHROMIUM")
    return named or next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


SIZES = """
[...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
  .filter((entry) => !/picture|events/.test(entry.name))
  .reduce(([line, whole], entry) => [line + entry.transferSize, whole + entry.decodedBodySize], [0, 0])
"""


def painted(port: int, token: str) -> tuple[list[float], list[int]] | None:
    """First contentful paint in milliseconds of some openings; bytes over the line and unpacked, but for pictures."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    path = chromium()
    if path is None:
        return None
    paints, size = [], [0, 0]
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox", "--headless", "--disable-gpu"])
        for _ in range(5):
            context = browser.new_context(ignore_https_errors=True, viewport={"width": 390, "height": 844})
            context.add_cookies([{"name": COOKIE, "value": token, "url": f"https://127.0.0.1:{port}"}])
            page = context.new_page()
            page.goto(f"https://127.0.0.1:{port}/")
            page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            page.wait_for_timeout(500)
            size = page.evaluate(SIZES)
            context.close()
        browser.close()
    return paints, size


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--pages", type=int, default=20)
    asked.add_argument("--changes", type=int, default=60)
    options = asked.parse_args()
    print(f"pushing to {options.pages} pages, {machine()}")
    codes = Codes.new()
    network = Network(look=lambda: ("127.0.0.1",), names=lambda: ())
    companion = Companion(Feed(Lens()), Blank())
    with tempfile.TemporaryDirectory() as folder:
        tls = own_certificate(Path(folder), ("127.0.0.1",)).context()
    server = listening(create_app(companion, network.is_ours, Door(codes), network), "127.0.0.1", 0, tls)
    port = server.bind_addr[1]
    threading.Thread(target=server.serve, daemon=True).start()
    companion.start()
    try:
        delays = measure(companion, port, codes.token(Role.PLAY), options.pages, options.changes)
        every = sorted(d for change in delays for d in change)
        last = sorted(max(change) for change in delays if change)
        missing = options.pages * options.changes - len(every)
        print(f"  a change on one page    median {statistics.median(every):6.1f} ms  p95 {at(every, 0.95):6.1f} ms")
        print(
            f"  a change on every page  median {statistics.median(last):6.1f} ms  p95 {at(last, 0.95):6.1f} ms  "
            f"worst {last[-1]:6.1f} ms  (asked: {WITHIN_MS} ms; {missing} of {options.pages * options.changes} skipped)"
        )
        shown = painted(port, codes.token(Role.PLAY))
        if shown is None:
            print("  first paint: no Chromium found (set CHROMIUM to its path)")
            return 0
        paints, size = shown
        median = statistics.median(paints)
        print(f"  first paint             median {median:6.0f} ms  worst {max(paints):6.0f} ms  (asked: {PAINT_MS} ms)")
        print(
            f"  the page but pictures   {size[0] / 1000:6.1f} kB over the line, {size[1] / 1000:.1f} kB unpacked"
            f"  (asked: {PAGE_KB} kB)"
        )
    finally:
        companion.close()
        server.stop()
    return 0


def at(ordered: list[float], share: float) -> float:
    """The value below which so large a share of an ordered list lies."""
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


if __name__ == "__main__":
    raise SystemExit(main())
