"""How far the clock of the page is off the server's, over a time of one's choice, in a real Chromium.

    python tests/bench/bench_clock.py [--seconds 20]

Three pages: one looked at, one hidden behind another, one whose device's clock is set wrong every few seconds.
The error is what remains after the time that asking the page itself takes (printed as the doubt).
"""

from __future__ import annotations

import argparse
import statistics
import threading
import time
from typing import Any

from bench_push import Blank, Lens, at, chromium
from machine import machine

from vision.camera import Feed
from webui.app import create_app
from webui.companion import Companion
from webui.server import listening

WITHIN_MS = 100
SHOWN = "import('/static/js/now.js').then((now) => now.serverNow())"
WRONG = "(() => { const real = Date.now.bind(Date); let off = 0; Date.now = () => real() + off;" + (
    "setInterval(() => { off = (Math.random() - 0.5) * 1e10; }, 3000); })()"
)


def look(page: Any) -> tuple[float, float]:
    """The error and the doubt, in milliseconds."""
    before = time.monotonic() * 1000
    shown = page.evaluate(SHOWN)
    after = time.monotonic() * 1000
    return max(0.0, before - shown, shown - after), after - before


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--seconds", type=float, default=20)
    seconds = asked.parse_args().seconds
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("Playwright is not installed: not measured")
        return 0
    path = chromium()
    if path is None:
        print("no Chromium found (set CHROMIUM to its path): not measured")
        return 0
    companion = Companion(Feed(Lens()), Blank())
    server = listening(create_app(companion), "127.0.0.1", 0)
    threading.Thread(target=server.serve, daemon=True).start()
    companion.start()
    address = f"http://127.0.0.1:{server.bind_addr[1]}/"
    print(f"the clock of the page over {seconds:g} s, {machine()}")
    try:
        with sync_playwright() as running:
            browser = running.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--headless", "--disable-gpu"]
            )
            pages = {name: browser.new_context().new_page() for name in ("hidden", "clock set wrong", "looked at")}
            pages["clock set wrong"].add_init_script(WRONG)
            for page in pages.values():
                page.goto(address)
            pages["hidden"].context.new_page().bring_to_front()
            pages["looked at"].wait_for_timeout(3000)
            found: dict[str, list[tuple[float, float]]] = {name: [] for name in pages}
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for name, page in pages.items():
                    found[name].append(look(page))
                pages["looked at"].wait_for_timeout(1000)
            browser.close()
        for name, pairs in found.items():
            errors = sorted(error for error, _ in pairs)
            doubt = statistics.median(doubt for _, doubt in pairs)
            print(
                f"  {name:16} median {statistics.median(errors):5.1f} ms  p95 {at(errors, 0.95):5.1f} ms  worst "
                f"{errors[-1]:5.1f} ms  (asked: {WITHIN_MS} ms; doubt {doubt:.1f} ms; {len(errors)} looks)"
            )
    finally:
        companion.close()
        server.stop()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
