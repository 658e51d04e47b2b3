"""A desk at which files are written: one thread, so that neither the verdict nor the clock waits for a disk."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
MOST_WAITING = 8
"""Jobs that may wait; a picture of 1080 lines takes 6 MB as long as it does."""


class Desk:
    """Does jobs in order. Any thread may give it one; `trouble` is what went wrong last, in one line."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self._most = most
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()
        self.trouble = ""

    @property
    def busy(self) -> bool:
        """Whether so much waits that what can be done without should not come on top."""
        return self._jobs.qsize() >= self._most

    def put(self, job: Callable[[], None]) -> None:
        """A job that will be done; nobody waits for it. An `OSError` that it raises becomes the `trouble`."""
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="desk", daemon=True)
                self._thread.start()
        self._jobs.put(job)

    def ask(self, job: Callable[[], T]) -> Future[T]:
        """A job whose result, or error, somebody waits for."""
        done: Future[T] = Future()

        def command() -> None:
            try:
                done.set_result(job())
            except Exception as error:
                done.set_exception(error)

        self.put(command)
        return done

    def close(self, timeout: float = 5.0) -> None:
        """Ends the thread when what waits is done, or after `timeout` seconds."""
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is not None:
            self._jobs.put(None)
            thread.join(timeout)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            try:
                job()
            except OSError as error:
                self.trouble = (error.strerror or str(error)).lower().splitlines()[0]
            except Exception as error:  # a picture that cannot be encoded must not end the desk
                self.trouble = f"{type(error).__name__}: {error}".splitlines()[0]
