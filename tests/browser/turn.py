"""A turn that went wrong, in a match of which two games were played, and the windows in which it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.browser.steps import played

Serve = Callable[..., Any]
TABLE = "r3 r4 r5 | k9 b9 o9 | b1 b2 b3 b5 | o10 j o12 o13"
NAMES = ("Maximiliane-Antoinette", "Ben", "Cleo", "Dieter")
SIZES = {"phone": (390, 844), "tablet": (820, 1180), "laptop": (1280, 800), "television": (1920, 1080)}
GAMES = (
    (NAMES[0], {"Ben": 80, "Cleo": 95, "Dieter": 110}),
    ("Cleo", {NAMES[0]: 150, "Ben": 66, "Dieter": 60}),
)


def in_a_turn(serve: Serve) -> Any:
    """A turn with a fault on the table, in a match of which two games were played."""
    served = serve(TABLE, store=played(NAMES, *GAMES))
    served.companion.press("deal", {"first": NAMES[0]}, timeout=30)
    served.companion.press("end", {"turn": 3}, timeout=30)
    return served


def narrow_enough(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
