"""Killed (`kill -9`) at random moments, many times over: nothing lost, nothing doubled, the clock as it was."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.events import Event
from referee.match import check, replay
from referee.sheets import load
from webui.matches import Matches
from webui.play import ALIVE_EVERY_S, Play

KILLS = {"file": 160, "sqlite": 40, "postgres": 40}
IDLE_EVERY = 10
"""How many of the kills come while the clock runs and nobody presses anything: one in so many."""
A_MATCH = 50
"""So many kills and another match is begun."""
MOST_AT_ONCE = 4
"""So many events one press makes at most, besides the clock that is stopped at a restart."""
SLACK_MS = 300
"""What a busy machine may add between a clock that is asked and the line that says what it showed."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and kill -9")


class Players:
    """The program that forks players; `life` is one of them, from its fork to its kill."""

    def __init__(self, address: str) -> None:
        self.address = address
        program = [sys.executable, str(Path(__file__).with_name("kills.py"))]
        self._running = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def life(
        self, folder: Path, seed: int, offset: int, delay: float, idle: bool, wait: bool
    ) -> tuple[list[dict[str, Any]], float]:
        """All that one player said, and when it was killed; `delay` counts from its fork, or from its first word."""
        assert self._running.stdin is not None
        self._running.stdin.write((json.dumps([self.address, str(folder), seed, offset, idle]) + "\n").encode())
        self._running.stdin.flush()
        said = [self._hear(), self._hear()] if wait else []
        pid = next((line["pid"] for line in said if line["said"] == "forked"), None)
        while pid is None:
            said.append(self._hear())
            pid = said[-1].get("pid")
        time.sleep(delay)
        killed = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        while not said or said[-1]["said"] != "dead":
            said.append(self._hear())
        return said, killed

    def _hear(self) -> dict[str, Any]:
        assert self._running.stdout is not None
        line = self._running.stdout.readline()
        heard: dict[str, Any] = json.loads(line)
        assert heard["said"] != "failed", heard
        return heard

    def close(self) -> None:
        assert self._running.stdin is not None and self._running.stdout is not None
        self._running.stdin.close()
        self._running.wait(timeout=10)
        self._running.stdout.close()


@pytest.fixture
def players(address: str) -> Iterator[Players]:
    running = Players(address)
    yield running
    running.close()


def test_killed_at_random_moments(
    request: pytest.FixtureRequest,
    players: Players,
    open_matches: Callable[[], Matches],
    tmp_path: Path,
) -> None:
    kills = KILLS[request.node.callspec.params["address"]]
    dice, offset, stood, ran = random.Random(8), 0, 0, 0
    kept: tuple[Event, ...] = ()
    before: list[dict[str, Any]] = []
    for kill in range(kills):
        if kill % A_MATCH == A_MATCH - 1:
            kept, before = another(open_matches()), []
        idle, after_idle = kill % IDLE_EVERY == IDLE_EVERY - 1, kill % IDLE_EVERY == 0
        delay = dice.uniform(0.8, 2.2) if idle else dice.uniform(0.0, 0.25)
        said, killed = players.life(
            tmp_path / "matches", kill, offset, delay, idle, wait=idle or after_idle or kill % 3 > 0
        )
        offset = max([offset, *(line["offset"] for line in said if line["said"] == "jump")])
        names = open_matches().names()
        now = open_matches().events(names[0]) if names else ()
        check_record(kept, now, said)
        seen = check_clock(before, said, len(kept))
        stood, ran = stood + (seen == "stood"), ran + (seen == "ran")
        kept, before = now, [*said[:-1], {"said": "killed", "at": killed}]
    print(f"{kills} kills: {len(kept)} events in the last match; the clock stood in {stood} and ran in {ran}")
    assert stood >= 3 and ran >= 3 and len(kept) > 20, "hardly a kill came when it tells something"


def another(matches: Matches) -> tuple[Event, ...]:
    """Leaves the match, and begins the next."""
    play = Play(matches.new())
    play.start(["Anna", "Ben"], load("classic"), "Anna")
    play.close()
    return play.events


def check_record(before: tuple[Event, ...], now: tuple[Event, ...], said: list[dict[str, Any]]) -> None:
    ids = [event.id for event in now]
    assert now[: len(before)] == before, "what was kept before has changed"
    assert len(set(ids)) == len(ids), "something is there twice"
    promised = [line for line in said if line["said"] == "kept"]
    for line in promised:
        assert ids[line["events"] - 1] == line["last"], "something that was shown is lost"
    last = promised[-1]["events"] if promised else len(before)
    assert last <= len(now) <= last + MOST_AT_ONCE
    if now:
        assert check(replay(now)) == []


def check_clock(before: list[dict[str, Any]], said: list[dict[str, Any]], kept: int) -> str:
    """The clock of the next life is that of the one before, standing: says how it was, where that is known."""
    words = [line for line in before if line["said"] in ("kept", "resumed", "jump", "beat")]
    now = next((line for line in said if line["said"] == "resumed"), None)
    if now is None or not words or words[-1]["said"] == "jump" or words[-1]["events"] != kept:
        return ""
    last, killed = words[-1], before[-1]["at"]
    assert now["clock"] == ("paused" if last["clock"] == "running" else last["clock"])
    if last["clock"] != "running":
        assert now["left"] == last["left"]
        return "stood"
    # It has used what it had used when it last spoke, and not more than when it was killed, however busy the machine.
    least = max(0, last["left"] - (killed - last["at"]) * 1000)
    assert least - SLACK_MS <= now["left"] <= last["left"] + ALIVE_EVERY_S * 1000 + SLACK_MS
    return "ran"
