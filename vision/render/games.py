"""Recorded games drawn from a script: frames of a table on which people play, as a camera on a stand would see it.

Tiles stay where they lie from turn to turn; hands reach in before each, shadows pass, the camera is pushed and lamps
are switched on where the script says so. The result is a recorded game: ``game.json``, ``turns.csv``, ``frames.csv``
and ``frames/`` (webui.recorded).
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from referee.layout import Layout, TileSet
from vision.reading import Quad, Reading, TileReading, table_warnings
from vision.render.editions import Edition, random_edition
from vision.render.lens import Light, View
from vision.render.scene import Drawn, Hand, Piece, Scene, draw
from vision.render.scripts import Look, Script, ScriptError, Turn

ROW_PITCH = 2.1
"""Tile widths from one row of sets to the next."""
BEFORE_S = 3.0
"""How long before its button the table is at rest."""
HAND_SIZE = 210 / 1280
"""Of the picture's width."""
TURNS = ["player", "button", "table", "verdict", "clock", "points", "frame", "left", "state", "data"]
JPEG = 72
MOST_BYTES = 64_000


def column_pitch(longest: int) -> float:
    """Tile widths from one column of sets to the next, for rows of so many tiles."""
    return max(longest, 5) * 1.06 + 1.3


class Places:
    """Where the sets of a game lie: a set keeps its place as long as it shares a tile with what lay there."""

    def __init__(self, seed: int, longest: int, columns: int, rows: int) -> None:
        rng = np.random.default_rng([seed, 1])
        self.pitch = column_pitch(longest)
        order = [(c, r) for r in range(rows) for c in range(columns)]
        middle = ((columns - 1) / 2, (rows - 1) / 2)
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
                    raise ScriptError(f"more than {len(self._free)} sets do not fit on the table")
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
    """One picture of a recorded game; `turn` is the turn (from 0) that it belongs to.

    ``pressed``: it is the one on which the turn's button is pressed; a turn without such a one presses it on the
    picture before. ``table`` is what lies there, in a picture with a hand what lay there before it.
    """

    drawn: Drawn
    turn: int
    seconds: float
    state: str
    table: Layout
    pressed: bool = False


def game_frames(script: Script) -> Iterator[GameFrame]:
    """The frames of a game in order. Deterministic in the script. Raises `ScriptError`."""
    rng = np.random.default_rng([script.seed, 0])
    look = script.look
    longest = max((len(row) for turn in script.turns for row in turn.table.sets), default=1)
    places = Places(script.seed, longest, look.columns, look.rows)
    base = _scene(script, longest, rng)
    seconds, before, lying = 0.0, Layout(), list[Piece]()
    rendered = False
    if script.turns[0].hands:
        yield GameFrame(draw(replace(base, seed=int(rng.integers(1 << 30)))), 0, 0.0, "rest", before)
    for n, turn in enumerate(script.turns):
        base = _changed(base, turn)
        pieces = places.lay(turn.table)
        end, same = seconds + turn.clock, turn.table == before and not (turn.changes or turn.nudge or turn.twist)
        reach = turn.hands if turn.table != before else 0
        for k in range(reach):
            at = seconds + turn.clock * (0.35 + 0.4 * k / reach)
            done = [*lying] if k < reach - 1 or not k else _half_laid(lying, pieces)
            hand = _reach(base.view, lying, pieces, rng)
            scene = replace(base, pieces=tuple(done), hands=(hand,), seed=int(rng.integers(1 << 30)))
            pressed = turn.early and k == reach - 1
            yield GameFrame(draw(scene), n, round(end if pressed else at, 2), "hand", before, pressed)
        rest = end + 1.5 if turn.early and reach else end - min(BEFORE_S, turn.clock / 4)
        if turn.passing:
            passing = replace(base.light, cast=(0.5, int(rng.integers(1 << 30))))
            scene = replace(base, pieces=tuple(pieces), light=passing, seed=int(rng.integers(1 << 30)))
            yield GameFrame(draw(scene), n, round(max(seconds, rest - 2), 2), "shadow", turn.table)
        if not (rendered and same):
            scene = replace(base, pieces=tuple(pieces), seed=int(rng.integers(1 << 30)))
            drawn, rendered = draw(scene), True
            yield GameFrame(drawn, n, round(rest, 2), "rest", turn.table, not (turn.early and reach))
        lying, before, seconds = pieces, turn.table, end


def _scene(script: Script, longest: int, rng: np.random.Generator) -> Scene:
    """The empty table, seen from where everything fits into the picture."""
    look = script.look
    edition = _box(look, rng if look.box is None else np.random.default_rng(look.box))
    light = Light(
        kelvin=look.kelvin,
        shadow=look.shadow,
        shadow_length=0.35,
        falloff=look.falloff,
        exposure=look.exposure,
        gamma=look.gamma,
        cast=(look.shade, look.edge),
        glare=(look.glare, look.edge),
        blur=look.blur,
        noise=look.noise,
        saturation=look.saturation,
        sharpen=look.sharpen,
        jpeg=95,
    )
    wide = column_pitch(longest) * look.columns + 0.6
    high = ROW_PITCH * look.rows + 0.2
    view = _fitting(look, wide, high)
    seed = int(rng.integers(1 << 30)) if look.table is None else look.table
    return Scene(edition, view, light, (), look.surface, seed, 2.2 * max(wide, high))


def _fitting(look: Look, wide: float, high: float) -> View:
    """A camera so near that a part of the table, ``wide`` × ``high`` tile widths, just fits into the picture."""
    corners = np.array([[x * wide / 2, y * high / 2, 0.0] for x in (-1, 1) for y in (-1, 1)])
    view = View(look.width, look.height, 1.0, look.tilt, np.radians(look.turn), 0.0, 1.0, distortion=0.02)
    size = np.array([look.width, look.height])
    near, far = 1.0, 400.0
    for _ in range(40):
        distance = (near + far) / 2
        # Seen at a slant, the near half takes more room: the camera looks at a point nearer to itself.
        view = replace(view, distance=distance, centre=_looked_at(look, distance, high))
        points = view.project(corners)
        if (points > 0.02 * size).all() and (points < 0.98 * size).all():
            far = distance
        else:
            near = distance
    return replace(view, distance=far, centre=_looked_at(look, far, high))


def _looked_at(look: Look, distance: float, high: float) -> tuple[float, float]:
    back = -0.25 * high * high / distance * np.tan(look.tilt)
    angle = np.radians(look.turn)
    return float(-np.sin(angle) * back), float(np.cos(angle) * back)


def _changed(base: Scene, turn: Turn) -> Scene:
    """The scene from this turn on."""
    light = base.light
    for key, value in turn.changes:
        if key in ("shade", "edge"):
            strength, edge = light.cast
            light = replace(light, cast=(value, edge) if key == "shade" else (strength, int(value)))
        elif key == "glare":
            light = replace(light, glare=(value, light.glare[1]))
        else:
            own: dict[str, Any] = {key: value}
            light = replace(light, **own)
    view = base.view
    if turn.nudge or turn.twist:
        step = turn.nudge * view.distance / (view.focal * view.width)
        x, y = view.centre
        view = replace(view, centre=(x + step * 0.8, y + step * 0.6), roll=view.roll + np.radians(turn.twist))
    return replace(base, light=light, view=view)


def _box(look: Look, rng: np.random.Generator) -> Edition:
    """A box of clear digits in the upper half, as most people own; the rest is its own."""
    edition = random_edition(rng)
    centre = max(0.32, look.digits / 2 + 0.06)
    # One ink for both jokers: from picture to picture nobody could tell which of the two is which.
    return replace(
        edition,
        joker=look.joker,
        joker_inks=edition.joker_inks[:1],
        digit_height=look.digits,
        digit_centre=centre,
        aspect=1.38,
        thickness=0.2,
        frame=False,
    )


def _new(before: list[Piece], after: list[Piece]) -> list[Piece]:
    old = Counter((p.tile, round(p.centre[0], 1), round(p.centre[1], 1)) for p in before)
    return [p for p in after if (p.tile, round(p.centre[0], 1), round(p.centre[1], 1)) not in old]


def _half_laid(before: list[Piece], after: list[Piece]) -> list[Piece]:
    """All that stays, and the first half of what was laid or moved."""
    new = _new(before, after)
    stays = [p for p in after if p not in new]
    return [*stays, *new[: len(new) // 2]]


def _reach(view: View, before: list[Piece], after: list[Piece], rng: np.random.Generator) -> Hand:
    """A hand from the nearest side that lays the last of the tiles that were not there."""
    target = np.array([(_new(before, after) or after or [Piece.flat(None, 0, 0, 0)])[-1].centre])
    x, y = (float(v) for v in view.project(target)[0])
    sides = {np.pi / 2: view.height - y, -np.pi / 2: y, np.pi: x, 0.0: view.width - x}
    away = min(sides, key=lambda side: sides[side])
    return Hand((x, y), away + float(rng.normal(0, 0.25)), HAND_SIZE * view.width, int(rng.integers(1 << 30)))


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
    pressed: dict[int, str] = {}
    latest: dict[int, str] = {}
    for number, frame in enumerate(game_frames(script)):
        path = frames / f"{number:03d}.jpg"
        path.write_bytes(_jpeg(frame.drawn.picture))
        if readings:
            reading = json.dumps(exact_reading(frame.drawn, path.name).to_json())
            path.with_suffix(".json").write_text(reading + "\n", encoding="utf-8")
        shown.append([path.name, f"{frame.seconds:g}", frame.state, str(frame.table)])
        latest[frame.turn] = path.name
        if frame.pressed:
            pressed[frame.turn] = path.name
        yield path
    rows, last = [], ""
    for n, turn in enumerate(script.turns):
        own = pressed.get(n, last)
        last = latest.get(n, last)
        left = "" if turn.left is None else f"{turn.left:g}"
        said = [turn.verdict, f"{turn.clock:g}", turn.points]
        rows.append([turn.player, turn.button, str(turn.table), *said, own, left, turn.state, turn.data])
    _csv(folder / "frames.csv", ["frame", "seconds", "state", "table"], shown)
    _csv(folder / "turns.csv", TURNS, rows)
    width, height = script.look.width, script.look.height
    game = {
        "name": script.name,
        "players": list(script.players),
        "rules": script.rules,
        "options": list(script.options),
        "first": script.first,
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
