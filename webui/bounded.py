"""Waiting no longer than one wants for something that may take forever: a driver, a name that is looked up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def within(seconds: float, job: Callable[[], T], late: Callable[[T], None] = lambda result: None) -> T:
    """What `job` returns or raises, done in a thread of its own.

    Raises `TimeoutError` where it takes longer than `seconds`; what it returns after that is given to `late`.

    >>> within(5, lambda: 6 * 7)
    42
    """
    done: Future[T] = Future()

    def run() -> None:
        try:
            result = job()
        except Exception as error:
            if done.set_running_or_notify_cancel():
                done.set_exception(error)
            return
        if done.set_running_or_notify_cancel():
            done.set_result(result)
        else:
            late(result)

    threading.Thread(target=run, name="bounded", daemon=True).start()
    try:
        return done.result(seconds)
    except TimeoutError:
        if done.cancel():
            raise
    return done.result()
