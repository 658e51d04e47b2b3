"""A table that is filmed: drawn tiles on a drawn table, a camera that can be nudged, a lamp, a hand, a sensor's grain.

`Filmed` drives a `Companion` through it in steps of its own time; its reader knows the truth, but for what a test
makes it misread.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from referee.tiles import Tile
from vision.camera import Frame, Link, Tuning
from vision.place import Place
from vision.reading import Reading, TileReading, table_warnings
from webui.areas import Areas
from webui.companion import Companion
from webui.play import Play
from webui.umpire import Umpire

SIZE = (960, 720)
WIDE, HIGH = 34, 46
EDGES = ((110.0, 70.0), (850.0, 60.0), (900.0, 660.0), (60.0, 670.0))
"""The table's own corners in the picture of a camera that nobody has moved."""
STEP_S = 0.2
INKS = {"k": (30, 30, 30), "b": (190, 90, 20), "r": (40, 30, 200), "o": (20, 120, 235), "": (90, 30, 90)}


def nudge(x: float, y: float, turn: float = 0.0, size: tuple[int, int] = SIZE) -> np.ndarray:
    """A camera pushed by so many pixels and degrees (about the picture's middle), as a homography (3, 3)."""
    t = np.radians(turn)
    middle = np.array([[1, 0, -size[0] / 2], [0, 1, -size[1] / 2], [0, 0, 1.0]])
    motion = np.array([[np.cos(t), -np.sin(t), x], [np.sin(t), np.cos(t), y], [0, 0, 1.0]])
    return np.linalg.inv(middle) @ motion @ middle


@lru_cache
def ground(seed: int, edges: bool) -> np.ndarray:
    """A table with a faint grain, on a floor if its edges are seen; larger than any picture of it by a third."""
    luck = np.random.default_rng(seed)
    w, h = SIZE
    grain = cv2.resize(luck.normal(0, 9, (h // 7, w // 7)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)
    picture = np.clip(np.array([70, 110, 92.0]) + grain[..., None], 0, 255).astype(np.uint8)
    if edges:
        floor = np.clip(np.array([60, 75, 140.0]) + 1.6 * grain[::-1, ::-1, None], 0, 255).astype(np.uint8)
        on_table = cv2.fillConvexPoly(np.zeros((h, w), np.uint8), np.array(EDGES, np.int32), 255)
        picture = np.where(on_table[..., None] > 0, picture, floor)
    return picture


NOISE = cv2.merge([np.clip(np.random.default_rng(7).normal(4, 2, (960, 1536)), 0, 8).astype(np.uint8)] * 3)


@dataclass
class Lying:
    """A tile on the table: its top left corner in the picture of a camera that nobody has moved."""

    tile: Tile
    at: tuple[float, float]

    @property
    def quad(self) -> np.ndarray:
        x, y = self.at
        return np.array([[x, y], [x + WIDE, y], [x + WIDE, y + HIGH], [x, y + HIGH]], float)


@dataclass
class World:
    """What there is to be seen. `motion` is how the camera was moved, `alter` what the lens does to the picture."""

    edges: bool = False
    seed: int = 1
    tiles: list[Lying] = field(default_factory=list)
    motion: np.ndarray = field(default_factory=lambda: np.eye(3))
    gain: float = 1.0
    reach: float = 0.0
    """How far an arm reaches in from the bottom, in pixels."""
    size: tuple[int, int] = SIZE
    alter: Any = None
    _drawn: tuple[Any, Any] = (None, None)

    def lay(self, text: str, at: tuple[float, float]) -> list[Lying]:
        """Lays a row of tiles, side by side."""
        row = [Lying(Tile.parse(t), (at[0] + k * (WIDE + 2), at[1])) for k, t in enumerate(text.split())]
        self.tiles += row
        return row

    def take(self, *lying: Lying) -> None:
        """Takes tiles from the table."""
        self.tiles = [t for t in self.tiles if t not in lying]

    def quads(self) -> np.ndarray:
        """Where the tiles are in the picture now (n, 4, 2)."""
        if not self.tiles:
            return np.zeros((0, 4, 2))
        there = np.array([t.quad for t in self.tiles]).reshape(-1, 1, 2)
        scale = np.diag([self.size[0] / SIZE[0], self.size[1] / SIZE[1], 1.0])
        return cv2.perspectiveTransform(there, scale @ self.motion).reshape(-1, 4, 2)

    def picture(self, moment: int) -> np.ndarray:
        """What the camera delivers; `moment` settles the grain."""
        lies = tuple((str(t.tile), t.at) for t in self.tiles)
        key = (self.edges, self.seed, lies, self.motion.tobytes(), self.gain, self.reach, self.size)
        if key != self._drawn[0]:
            self._drawn = key, self._draw()
        at = 37 * moment % 256
        seen = cv2.add(self._drawn[1], np.ascontiguousarray(NOISE[: self.size[1], at : at + self.size[0]]))
        return seen if self.alter is None else np.ascontiguousarray(self.alter(seen), dtype=np.uint8)

    def _draw(self) -> np.ndarray:
        picture = ground(self.seed, self.edges).copy()
        for lying in self.tiles:
            x, y = (round(v) for v in lying.at)
            cv2.rectangle(picture, (x, y), (x + WIDE, y + HIGH), (225, 240, 246), -1)
            cv2.rectangle(picture, (x, y), (x + WIDE, y + HIGH), (120, 140, 150), 1)
            mark = "J" if lying.tile.is_joker else str(lying.tile.number)
            cv2.putText(picture, mark, (x + 3, y + 26), 0, 0.7, INKS[lying.tile.colour], 2, cv2.LINE_AA)
        picture = cv2.warpPerspective(picture, self.motion, SIZE, borderMode=cv2.BORDER_REFLECT)
        if self.reach:
            tip = (480, round(SIZE[1] - self.reach))
            cv2.line(picture, (520, SIZE[1]), tip, (150, 60, 40), 90)
            cv2.circle(picture, tip, 55, (140, 170, 220), -1)
        if self.size != SIZE:
            picture = cv2.resize(picture, self.size, interpolation=cv2.INTER_AREA)
        return np.clip(picture * self.gain, 0, 247).astype(np.uint8)


class Film:
    """A `Camera` whose every frame is taken from the world at the time that it is asked for."""

    name, live, trouble, tuning = "film", True, "", Tuning()

    def __init__(self, world: World, clock: Clock) -> None:
        self.world, self.clock, self.link = world, clock, Link.OPEN
        self.delivers, self.number, self.taken = True, 0, []  # type: ignore[var-annotated]
        self.resting = False
        self.still: np.ndarray | None = None
        """A picture that is delivered over and over."""

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        if not self.delivers or self.clock.now <= after:
            return None
        self.number += 1
        picture = self.world.picture(self.number) if self.still is None else self.still
        self.taken = [*self.taken[-3:], (picture, list(self.world.tiles), self.world.quads())]
        return Frame(picture, self.number, self.clock.now)

    def rest(self, resting: bool) -> None:
        self.resting = resting

    def close(self) -> None: ...


class Clock:
    """A time source that is set by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Truth:
    """A reader that knows what lies there; `misread` says which tiles (by place in the world) it reads as others."""

    def __init__(self, film: Film) -> None:
        self.film = film
        self.misread: dict[int, str] = {}
        self.unsure: set[int] = set()
        self.read_sizes: list[tuple[int, int]] = []

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        height, width = picture.shape[:2]
        self.read_sizes.append((width, height))
        patch = picture[height // 2 : height // 2 + 24, width // 2 : width // 2 + 24]
        for whole, tiles, quads in reversed(self.film.taken):
            found = cv2.matchTemplate(whole, patch, cv2.TM_SQDIFF)
            worst, _, (x, y), _ = cv2.minMaxLoc(found)
            if worst < 500:
                return self._reading(tiles, quads - [x - width // 2, y - height // 2], width, height)
        raise AssertionError("a picture is read that the camera has not delivered")

    def _reading(self, tiles: list[Lying], quads: np.ndarray, width: int, height: int) -> Reading:
        seen = []
        covered = self.film.world.reach
        for k, (lying, quad) in enumerate(zip(tiles, quads, strict=True)):
            if quad.min() < 0 or (quad.max(0) > [width, height]).any() or (covered and abs(lying.at[0] - 480) < 80):
                continue
            tile = Tile.parse(self.misread.get(k, str(lying.tile)))
            unsure = k in self.unsure
            others = ((lying.tile, 0.3),) if unsure and tile != lying.tile else ()
            a, b, c, d = ((float(px), float(py)) for px, py in quad)
            seen.append(TileReading(len(seen), tile, 0.6 if unsure else 0.99, unsure, (a, b, c, d), others))
        loose = tuple(t.id for t in seen)
        return Reading(width, height, None, tuple(seen), (), loose, table_warnings(seen))


class Filmed:
    """A companion that watches a world; `run` lets time go by."""

    def __init__(self, world: World, areas: Areas | None = None, place: Place | None = None) -> None:
        self.world, self.clock = world, Clock()
        self.film = Film(world, self.clock)
        self.reader = Truth(self.film)
        play = Play(source=self.clock, wall=lambda: int(self.clock.now * 1000))
        self.companion = Companion(self.film, self.reader, Umpire(play), self.clock, areas, place)
        self.phases: list[str] = []

    def run(self, seconds: float) -> list[str]:
        """Lets time go by; the phases that were published meanwhile."""
        since = len(self.phases)
        for _ in range(round(seconds / STEP_S)):
            self.clock.now += STEP_S
            self.companion.step()
            self.phases.append(self.live["phase"])
            while self.companion.busy:
                time.sleep(0.001)
                self.companion.step()
            if self.phases[-1] != self.live["phase"]:
                self.phases.append(self.live["phase"])
        return self.phases[since:]

    def press(self, button: str, **data: Any) -> None:
        """Presses a button on the turn that is on."""
        turn = (self.match.get("turn") or {}).get("number", 0)
        self.do(lambda: self.companion.umpire.press(button, {"turn": turn, **data}))

    def do(self, act: Any) -> None:
        """Does something in the companion's thread, which is this one."""
        failed: list[Exception] = []

        def command() -> None:
            try:
                act()
            except Exception as error:
                failed.append(error)

        self.companion.tell(command)
        self.companion.step()
        if failed:
            raise failed[0]

    def area(self, change: str, *args: Any) -> None:
        """`set_area`, `propose_area` or `put_right`, which wait for the companion's own thread."""
        import threading

        failed: list[Exception] = []

        def ask() -> None:
            try:
                getattr(self.companion, change)(*args, timeout=10)
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        while thread.is_alive():
            self.companion.step()
            time.sleep(0.001)
        if failed:
            raise failed[0]

    def start(self, players: tuple[str, ...] = ("Anna", "Ben")) -> None:
        """A match begins with the table as it lies."""
        self.press("start", players=list(players), first=players[0], rules="classic", options=["no-clock"])

    @property
    def live(self) -> dict[str, Any]:
        return self._part("live")

    @property
    def match(self) -> dict[str, Any]:
        return self._part("match")

    @property
    def trouble(self) -> str | None:
        trouble: str | None = self.live["camera"]["trouble"]
        return trouble

    def layout(self) -> list[list[str]]:
        """The tiles of each set as they are known, sorted; loose ones as sets of one."""
        reading = self.companion.umpire.tracker.reading
        rows = [*reading.sets, *((n,) for n in reading.loose)]
        return sorted(sorted(str(reading[n].tile) for n in row) for row in rows)

    def ids(self) -> Mapping[int, str]:
        """What is known to lie there, by the tracker's ids."""
        return {t.id: str(t.tile) for t in self.companion.umpire.tracker.reading.tiles}

    def places(self) -> np.ndarray:
        """The middles (n, 2) of the known tiles, sorted."""
        middles = [t.centre for t in self.companion.umpire.tracker.reading.tiles]
        return np.array(sorted(middles)).reshape(-1, 2)

    def close(self) -> None:
        self.companion.close()

    def _part(self, part: str) -> dict[str, Any]:
        document: dict[str, Any] = self.companion.hub.state()[part]
        return document


