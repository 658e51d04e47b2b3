"""Waiting for what has to come about: never for seconds that should be enough."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 60.0, said: Callable[[], object] = lambda: "") -> None:
    """Fails after `seconds`, by what is `said` then: so long only a machine that is very busy needs."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"it did not come about {said()}"
        time.sleep(0.02)
