"""Recorded games drawn from a script: frames of a table on which people play, as a camera on a stand would see it.

A script is a TOML file: who plays by which rules, how the table and the lamp look, and the turns, each with the
layout when its button is pressed (`Script`). Tiles stay where they lie from turn to turn; a hand reaches in before
each. The result is a recorded game: ``game.json``, ``turns.csv``, ``frames.csv`` and ``frames/``.
"""

from __future__ import annotations

import csv
import json
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.layout import Layout, TileSet
from referee.tiles import TileError
from vision.reading import Quad, Reading, TileReading, table_warnings
from vision.render.editions import Edition, random_edition
from vision.render.lens import Light, View
from vision.render.scene import Drawn, Hand, Piece, Scene, draw
from vision.render.tables import KINDS

BUTTONS = ("end", "draw", "pass", "time-over", "penalty", "out", "pause", "resume", "undo", "count")
"""What may be pressed; ``time-over`` is the clock's own."""
COLUMNS, ROWS = 2, 6
ROW_PITCH = 2.1
"""Tile widths from one row of sets to the next."""
SIZE = (1280, 960)
JPEG = 62
MOST_BYTES = 60_000


class ScriptError(ValueError):
    """A script that cannot be drawn; one line that names the place in it."""


@dataclass(frozen=True)
class Turn:
    """One press of a button: who, which, the table then, what the referee has to say, and how long it took.

    ``verdict`` is ``legal``, the codes of the faults joined by ``+``, or empty where nothing is judged; ``clock`` the
    seconds since the press before; ``points`` what is counted on a rack, or the points of the game when it is over.
    """

    player: str
    button: str
    table: Layout
    verdict: str
    clock: float
    points: str = ""
    kelvin: float | None = None
    """Another lamp from this turn on."""
    nudge: float = 0.0
    """How far the camera was pushed before this turn, in pixels."""


@dataclass(frozen=True)
class Script:
    """A short game; `seed` settles everything that is not said."""

    name: str
    players: tuple[str, ...]
    turns: tuple[Turn, ...]
    rules: str = "classic"
    seed: int = 0
    surface: str = "cloth"
    kelvin: float = 5000.0
    tilt: float = 0.35
    hands: bool = True
    options: tuple[str, ...] = ()


def parse_script(text: str, name: str) -> Script:
    """A script from its TOML text. Raises `ScriptError`.

    >>> parse_script('players = ["A"]\\n[[turns]]\\nplayer = "A"\\ntable = "r9 k9 o9"', "one").turns[0].button
    'end'
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(f"{name} is no TOML: {error}") from None
    players = tuple(str(p) for p in document.get("players", ()))
    turns = document.get("turns", [])
    if not players or not isinstance(turns, list) or not turns:
        raise ScriptError(f"{name}: a script needs players and at least one of [[turns]]")
    surface = str(document.get("surface", "cloth"))
    if surface not in KINDS:
        raise ScriptError(f"{name}: surface {surface!r}; there are {', '.join(dict.fromkeys(KINDS))}")
    return Script(
        name=name,
        players=players,
        turns=tuple(_turn(t, players, f"{name}: turn {n}") for n, t in enumerate(turns, 1)),
        rules=str(document.get("rules", "classic")),
        seed=int(document.get("seed", 0)),
        surface=surface,
        kelvin=float(document.get("kelvin", 5000)),
        tilt=float(document.get("tilt", 0.35)),
        hands=bool(document.get("hands", True)),
        options=tuple(str(o) for o in document.get("options", ())),
    )


def _turn(entry: Mapping[str, Any], players: tuple[str, ...], where: str) -> Turn:
    unknown = set(entry) - {"player", "button", "table", "verdict", "clock", "points", "kelvin", "nudge"}
    if unknown:
        raise ScriptError(f"{where}: no such key {sorted(unknown)[0]!r}")
    if entry.get("player") not in players:
        raise ScriptError(f"{where}: {entry.get('player')!r} is none of the players")
    button = entry.get("button", "end")
    if button not in BUTTONS:
        raise ScriptError(f"{where}: no such button {button!r}; there are {', '.join(BUTTONS)}")
    try:
        table = Layout.parse(entry.get("table", ""))
    except (TileError, AttributeError) as error:
        raise ScriptError(f"{where}: {error}") from None
    kelvin = entry.get("kelvin")
    return Turn(
        player=str(entry["player"]),
        button=str(button),
        table=table,
        verdict=str(entry.get("verdict", "legal" if button == "end" else "")),
        clock=float(entry.get("clock", 20.0)),
        points=str(entry.get("points", "")),
        kelvin=None if kelvin is None else float(kelvin),
        nudge=float(entry.get("nudge", 0.0)),
    )


def column_pitch(longest: int) -> float:
    """Tile widths from one column of sets to the next, for rows of so many tiles."""
    return max(longest, 5) * 1.06 + 1.3


class Places:
    """Where the sets of a game lie: a set keeps its place as long as it shares a tile with what lay there."""

    def __init__(self, seed: int, longest: int) -> None:
        rng = np.random.default_rng([seed, 1])
        self.pitch = column_pitch(longest)
        order = [(c, r) for r in range(ROWS) for c in range(COLUMNS)]
        middle = ((COLUMNS - 1) / 2, (ROWS - 1) / 2)
        order.sort(key=lambda s: (abs(s[1] - middle[1]) + 0.3 * abs(s[0] - middle[0]), s))
        self._free = [((c - middle[0]) * self.pitch, (middle[1] - r) * ROW_PITCH) for c, r in order]
        self._look = {
            at: (
                float(at[0] + rng.uniform(-0.5, 0.5)),
                float(at[1] + rng.uniform(-0.18, 0.18)),
                float(rng.normal(0, 0.035) + (np.pi if rng.random() < 0.4 else 0.0)),
                int(rng.integers(1 << 30)),
            )
            for at in self._free
        }
        self._lies: dict[tuple[float, float], TileSet] = {}

    def lay(self, table: Layout) -> list[Piece]:
        """The pieces of a table, laid with as little moved as can be. Raises `ScriptError` when it is full."""
        left = dict(self._lies)
        chosen: dict[int, tuple[float, float]] = {}
        pairs = sorted(
            ((-_shared(row, old), n, at) for n, row in enumerate(table.sets) for at, old in left.items()),
        )
        for shared, n, at in pairs:
            if shared and n not in chosen and at not in chosen.values():
                chosen[n] = at
        empty = [at for at in self._free if at not in chosen.values()]
        for n in range(len(table)):
            if n not in chosen:
                if not empty:
                    raise ScriptError(f"more than {COLUMNS * ROWS} sets do not fit on the table")
                chosen[n] = empty.pop(0)
        self._lies = {chosen[n]: row for n, row in enumerate(table.sets)}
        return [piece for n, row in enumerate(table.sets) for piece in self._row(row, chosen[n], n)]

    def _row(self, row: TileSet, at: tuple[float, float], number: int) -> Iterator[Piece]:
        x, y, angle, seed = self._look[at]
        c, s = np.cos(angle), np.sin(angle)
        rng = np.random.default_rng(seed)
        for k, tile in enumerate(row):
            along = (k - (len(row) - 1) / 2) * 1.045 + rng.uniform(-0.012, 0.012)
            across = rng.uniform(-0.05, 0.05)
            turn = rng.normal(0, 0.008)
            yield Piece.flat(tile, x + along * c - across * s, y + along * s + across * c, angle + turn, 0.0, number)


def _shared(a: TileSet, b: TileSet) -> int:
    return sum((Counter(a) & Counter(b)).values())


@dataclass(frozen=True)
class GameFrame:
    """One picture of a recorded game; `turn` is the turn (from 0) that it belongs to, `pressed` its last."""

    drawn: Drawn
    turn: int
    seconds: float
    state: str
    table: Layout

    @property
    def pressed(self) -> bool:
        return self.state == "rest"


def game_frames(script: Script) -> Iterator[GameFrame]:
    """The frames of a game in order. Deterministic in the script."""
    rng = np.random.default_rng([script.seed, 0])
    edition = _plain_edition(rng)
    longest = max((len(row) for turn in script.turns for row in turn.table.sets), default=1)
    span = column_pitch(longest) * COLUMNS + 1.5
    view = View(*SIZE, distance=1.1 * span, tilt=script.tilt, turn=0.0, roll=0.0, focal=1.0, distortion=0.02)
    light = Light(kelvin=script.kelvin, shadow=0.45, shadow_length=0.35, falloff=0.15, noise=1.2, jpeg=95)
    base = Scene(edition, view, light, (), script.surface, int(rng.integers(1 << 30)), 26.0)
    places, seconds, before = Places(script.seed, longest), 0.0, Layout()
    lying: list[Piece] = []
    for n, turn in enumerate(script.turns):
        if turn.kelvin is not None:
            base = replace(base, light=replace(base.light, kelvin=turn.kelvin))
        if turn.nudge:
            x, y = base.view.centre
            step = turn.nudge * span / SIZE[0]
            base = replace(base, view=replace(base.view, centre=(x + step * 0.8, y + step * 0.6)))
        pieces = places.lay(turn.table)
        if script.hands and turn.table != before:
            reach = _reach(base.view, lying, pieces, rng)
            scene = replace(base, pieces=tuple(lying), hands=(reach,), seed=int(rng.integers(1 << 30)))
            yield GameFrame(draw(scene), n, round(seconds + turn.clock / 2, 2), "hand", before)
        seconds += turn.clock
        scene = replace(base, pieces=tuple(pieces), seed=int(rng.integers(1 << 30)))
        yield GameFrame(draw(scene), n, round(seconds, 2), "rest", turn.table)
        lying, before = pieces, turn.table


def _plain_edition(rng: np.random.Generator) -> Edition:
    """A box as most people own it: clear digits in the upper half, a line face as joker."""
    edition = random_edition(rng)
    return replace(
        edition,
        joker="face",
        digit_height=0.4,
        digit_centre=0.32,
        aspect=1.38,
        thickness=0.2,
        frame=False,
    )


def _reach(view: View, before: list[Piece], after: list[Piece], rng: np.random.Generator) -> Hand:
    """A hand from the nearest side that lays the last of the tiles that were not there."""
    old = Counter((p.tile, round(p.centre[0], 1), round(p.centre[1], 1)) for p in before)
    new = [p for p in after if (p.tile, round(p.centre[0], 1), round(p.centre[1], 1)) not in old]
    target = np.array([(new or after or [Piece.flat(None, 0, 0, 0)])[-1].centre])
    x, y = (float(v) for v in view.project(target)[0])
    away = np.pi / 2 if y > SIZE[1] / 2 else -np.pi / 2
    return Hand((x, y), away + float(rng.normal(0, 0.25)), 210.0, int(rng.integers(1 << 30)))


def exact_reading(drawn: Drawn, path: str | None = None) -> Reading:
    """What a perfect reader says of a drawn picture: every tile whose print can be seen, in its set."""
    height, width = drawn.picture.shape[:2]
    tiles: list[TileReading] = []
    rows: dict[int, list[int]] = {}
    loose: list[int] = []
    for label in drawn.labels:
        if label.tile is None or label.legible < 0.5:
            continue
        number = len(tiles)
        a, b, c, d = ((float(x), float(y)) for x, y in label.quad)
        quad: Quad = (a, b, c, d)
        tiles.append(TileReading(number, label.tile, 1.0, False, quad))
        if label.set_index is None:
            loose.append(number)
        else:
            rows.setdefault(label.set_index, []).append(number)
    sets = tuple(tuple(row) for _, row in sorted(rows.items()))
    return Reading(width, height, path, tuple(tiles), sets, tuple(loose), table_warnings(tiles))


def render_game(script: Script, folder: Path, readings: bool = False) -> Iterator[Path]:
    """Writes the recorded game frame by frame, yielding each picture's path; the last files come at the end.

    `readings` also writes what a perfect reader says beside each frame. Raises `OSError`.
    """
    frames = folder / "frames"
    frames.mkdir(parents=True, exist_ok=True)
    shown: list[list[str]] = []
    rows: list[list[str]] = []
    for number, frame in enumerate(game_frames(script)):
        path = frames / f"{number:03d}.jpg"
        path.write_bytes(_jpeg(frame.drawn.picture))
        if readings:
            reading = json.dumps(exact_reading(frame.drawn, path.name).to_json())
            path.with_suffix(".json").write_text(reading + "\n", encoding="utf-8")
        shown.append([path.name, f"{frame.seconds:g}", frame.state, str(frame.table)])
        if frame.pressed:
            turn = script.turns[frame.turn]
            said = [turn.verdict, f"{turn.clock:g}", turn.points]
            rows.append([turn.player, turn.button, str(turn.table), *said, path.name])
        yield path
    _csv(folder / "frames.csv", ["frame", "seconds", "state", "table"], shown)
    _csv(folder / "turns.csv", ["player", "button", "table", "verdict", "clock", "points", "frame"], rows)
    width, height = SIZE
    game = {
        "name": script.name,
        "players": list(script.players),
        "rules": script.rules,
        "options": list(script.options),
        "first": script.turns[0].player,
        "camera": {"width": width, "height": height, "rendered": True, "seed": script.seed},
        "corners": [[0, 0], [width, 0], [width, height], [0, height]],
    }
    (folder / "game.json").write_text(json.dumps(game, indent=1) + "\n", encoding="utf-8")


def _jpeg(picture: np.ndarray) -> bytes:
    for quality in range(JPEG, 20, -6):
        data = bytes(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])[1])
        if len(data) <= MOST_BYTES:
            break
    return data


def _csv(path: Path, head: list[str], rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
