"""Random scenes for training and tests: sets in rows, scattered tiles, grids, racks, close-ups, empty tables."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from referee.tiles import ALL_TILES, COLOURS, Tile
from vision.render.clutter import FLAT
from vision.render.editions import random_edition
from vision.render.lens import View, random_light
from vision.render.scene import Hand, Panel, Piece, Scene
from vision.render.tables import KINDS, any_colour

SCENES = ("rows", "scatter", "grid", "rack", "empty")
SLANT, FAR = "slant", "far"
"""Kinds that are drawn only when asked for: seen from near and from the side, the far end out of focus; and such a far
end alone, rows close together and blurred."""


class _Room:
    """Places taken on the table, so that tiles do not lie in each other."""

    def __init__(self, aspect: float) -> None:
        self.aspect = aspect
        self.taken: list[tuple[float, float, float]] = []

    def free(self, x: float, y: float, angle: float, slack: float = 0.0) -> bool:
        for tx, ty, ta in self.taken:
            d = (tx - x) ** 2 + (ty - y) ** 2
            if d > (1 + self.aspect**2) * 1.02:
                continue
            if d < 0.9:
                return False
            a = ((x * 100, y * 100), ((1 - slack) * 100, (self.aspect - slack) * 100), np.degrees(angle))
            b = ((tx * 100, ty * 100), ((1 - slack) * 100, (self.aspect - slack) * 100), np.degrees(ta))
            if cv2.rotatedRectangleIntersection(a, b)[0] != cv2.INTERSECT_NONE:
                return False
        return True


def random_tile(rng: np.random.Generator) -> Tile:
    return Tile.JOKER if rng.random() < 0.05 else ALL_TILES[int(rng.integers(52))]


def random_set(rng: np.random.Generator) -> list[Tile]:
    """A row of tiles: mostly a run or a group, sometimes with a joker, sometimes anything."""
    kind = rng.random()
    if kind < 0.4:
        length = int(rng.integers(3, 8)) if rng.random() < 0.9 else int(rng.integers(8, 14))
        start, colour = int(rng.integers(1, 15 - length)), str(rng.choice(list(COLOURS)))
        row = [Tile(colour, start + k) for k in range(length)]
    elif kind < 0.7:
        number = int(rng.integers(1, 14))
        row = [Tile(str(c), number) for c in rng.permutation(list(COLOURS))[: int(rng.integers(3, 5))]]
    else:
        row = [random_tile(rng) for _ in range(int(rng.integers(1, 7)))]
    if rng.random() < 0.12:
        row[int(rng.integers(len(row)))] = Tile.JOKER
    return row


def _rows(rng: np.random.Generator, room: _Room, reach: tuple[float, float], most: int) -> list[Piece]:
    pieces: list[Piece] = []
    base = rng.uniform(0, 2 * np.pi)
    steady = rng.random()
    stacked = rng.random() < 0.3
    index = 0
    last: tuple[float, float, float] | None = None
    for _ in range(400):
        if len(pieces) >= most:
            break
        row = random_set(rng)
        n = len(row)
        jitter = 0.03 if steady < 0.4 else 0.3
        angle = (
            base + rng.normal(0, jitter) + (np.pi if rng.random() < 0.3 else 0)
            if steady < 0.8
            else rng.uniform(0, 2 * np.pi)
        )
        x, y = rng.uniform(-reach[0], reach[0]), rng.uniform(-reach[1], reach[1])
        if stacked and last is not None and rng.random() < 0.7:  # close beside the last row
            lx, ly, la = last
            d = room.aspect + rng.uniform(0.005, 0.25)
            angle = la + rng.normal(0, 0.01) + (np.pi if rng.random() < 0.15 else 0)
            x, y = lx - np.sin(la) * -d, ly + np.cos(la) * -d
        gap = float(
            rng.choice([rng.uniform(0.0, 0.03), rng.uniform(0.02, 0.12), rng.uniform(0.1, 0.35)], p=[0.6, 0.3, 0.1])
        )
        stagger = float(rng.choice([0.02, rng.uniform(0.05, 0.2), rng.uniform(0.15, 0.4)], p=[0.5, 0.3, 0.2]))
        curve = rng.normal(0, 0.015)
        flips = rng.random() < 0.12
        places = []
        px, py, a = (
            x - np.cos(angle) * (n - 1) / 2 * (1 + gap),
            y - np.sin(angle) * (n - 1) / 2 * (1 + gap),
            angle,
        )
        for k in range(n):
            off = rng.uniform(-stagger, stagger) * room.aspect if k else 0.0
            turn = rng.normal(0, 0.012 + 0.4 * gap * 0.3)
            places.append((px - np.sin(a) * off, py + np.cos(a) * off, a + turn))
            a += curve
            step = 1 + max(
                0.004, gap + rng.normal(0, 0.01) + abs(curve) * room.aspect / 2 + abs(turn) * room.aspect / 2
            )
            px, py = px + np.cos(a) * step, py + np.sin(a) * step
        if all(room.free(*p, 0.0) for p in places):
            for tile, (tx, ty, ta) in zip(row, places, strict=True):
                room.taken.append((tx, ty, ta))
                pieces.append(Piece.flat(tile, tx, ty, ta + (np.pi if flips and rng.random() < 0.4 else 0), 0.0, index))
            index += 1
            last = (x, y, angle)
    return pieces


def _scatter(rng: np.random.Generator, room: _Room, reach: tuple[float, float], most: int) -> list[Piece]:
    pieces: list[Piece] = []
    square = rng.random() < 0.4
    base = rng.uniform(0, 2 * np.pi)
    tight = rng.random() < 0.5
    for _ in range(most * 12):
        if len(pieces) >= most:
            break
        angle = base + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.15) if square else rng.uniform(0, 2 * np.pi)
        x, y = rng.uniform(-reach[0], reach[0]), rng.uniform(-reach[1], reach[1])
        if tight and room.taken and rng.random() < 0.8:  # lay it against another
            tx, ty, ta = room.taken[int(rng.integers(len(room.taken)))]
            d = rng.uniform(1.0, 1.25 * room.aspect)
            b = rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else ta + rng.integers(4) * np.pi / 2
            x, y = tx + np.cos(b) * d, ty + np.sin(b) * d
            if rng.random() < 0.5:
                angle = ta + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.05)
        if room.free(x, y, angle, 0.0):
            room.taken.append((x, y, angle))
            pieces.append(Piece.flat(random_tile(rng), x, y, angle))
    return pieces


def _grid(rng: np.random.Generator, room: _Room, reach: tuple[float, float], most: int) -> list[Piece]:
    pieces: list[Piece] = []
    angle = rng.uniform(0, 2 * np.pi) if rng.random() < 0.5 else rng.normal(0, 0.05) + rng.integers(4) * np.pi / 2
    gx, gy = (
        (rng.uniform(0.003, 0.04), rng.uniform(0.003, 0.06))
        if rng.random() < 0.6
        else (rng.uniform(0.02, 0.8), rng.uniform(0.02, 0.8))
    )
    dx, dy = 1 + gx, room.aspect + gy
    r = max(reach) * 1.4
    cols, rows = min(int(r / dx), 13), min(int(r / dy), 8)
    c, s = np.cos(angle), np.sin(angle)
    for j in range(-rows, rows + 1):
        for i in range(-cols, cols + 1):
            if len(pieces) < most and rng.random() < 0.96:
                x, y = i * dx + rng.normal(0, 0.002), j * dy + rng.normal(0, 0.002)
                wx, wy = x * c - y * s, x * s + y * c
                if abs(wx) < reach[0] * 1.1 and abs(wy) < reach[1] * 1.1:
                    tile = (
                        Tile(COLOURS[(j + rows) % 4], (i + cols) % 13 + 1) if rng.random() < 0.4 else random_tile(rng)
                    )
                    pieces.append(Piece.flat(tile, wx, wy, angle + rng.normal(0, 0.006), 0.0, j + rows))
    return pieces


def _point(v: np.ndarray) -> tuple[float, float, float]:
    return float(v[0]), float(v[1]), float(v[2])


def _rack(rng: np.random.Generator, aspect: float, thickness: float) -> tuple[list[Piece], list[Panel]]:
    """A rack of two to four steps, each tier's tiles hiding the foot of the tier behind."""
    tiers = int(rng.integers(2, 5))
    lean = rng.uniform(0.75, 1.35)
    up = np.array([0.0, np.cos(lean), np.sin(lean)])
    out = np.array([0.0, -np.sin(lean), np.cos(lean)])
    length = rng.uniform(6, 16)
    rise = aspect * rng.uniform(0.62, 1.05)
    paint = np.array([rng.uniform(10, 45)] * 3) if rng.random() < 0.7 else any_colour(rng)
    pieces: list[Piece] = []
    panels: list[Panel] = []
    for k in range(tiers):
        foot = up * (k * rise) + np.array([0, k * rng.uniform(0.02, 0.25), 0]) - out * (k * thickness * 0.9)
        a, b = foot + np.array([-length / 2, 0, 0]), foot + np.array([length / 2, 0, 0])
        tone = _point(np.clip(paint * rng.uniform(0.8, 1.25), 0, 255))
        panels.append(
            Panel((_point(a), _point(b), _point(b + up * aspect * 0.95), _point(a + up * aspect * 0.95)), tone)
        )
        if k == 0:
            c = out * thickness * 1.3
            panels.append(
                Panel(
                    (
                        _point(a + c - up * 0.5),
                        _point(b + c - up * 0.5),
                        _point(b + c + up * 0.05),
                        _point(a + c + up * 0.05),
                    ),
                    tone,
                )
            )
        x = -length / 2 + 0.6 + rng.uniform(0, 1)
        packed = rng.random() < 0.6
        while x < length / 2 - 0.5:
            if rng.random() < (0.95 if packed else 0.6):
                centre = foot + up * aspect / 2 + np.array([x, 0, 0]) + out * 0.02
                flip = -1 if rng.random() < 0.02 else 1
                pieces.append(
                    Piece(
                        random_tile(rng),
                        _point(centre),
                        (float(flip), 0.0, 0.0),
                        _point(up * flip),
                        k,
                    )
                )
            x += 1.0 + (rng.uniform(0.003, 0.05) if packed else rng.uniform(0.01, 0.6))
    if rng.random() < 0.4:  # tiles lying before the rack
        y = -rng.uniform(1.2, 2.5)
        for k in range(int(rng.integers(1, 6))):
            pieces.append(Piece.flat(random_tile(rng), -3 + 1.03 * k, y, rng.normal(0, 0.02), -0.3, tiers))
    return pieces, panels


def _slant(
    rng: np.random.Generator, aspect: float, thickness: float, width: int
) -> tuple[list[Piece], list[Panel], View, float, float]:
    """A rack from near and from the side with sets lying behind it, or a low look along a table; the far end is often
    out of focus. Returns also the view, the lens opening and the focus."""
    room = _Room(aspect)
    pieces: list[Piece] = []
    panels: list[Panel] = []
    racked = rng.random() < 0.75
    if racked:
        pieces, panels = _rack(rng, aspect, thickness)
    away = rng.uniform(1.0, 5.0)
    lying = _rows(rng, room, (9.0, 4.0), int(rng.integers(0, 40)))
    across = rng.uniform(-6, 8)
    for p in lying:
        x, y, _ = p.centre
        pieces.append(replace(p, centre=(x + across, y + away + 4.0 if racked else y + away, -0.3 if racked else 0.0)))
    side = float(rng.choice([-1, 1]))
    turn = side * float(rng.uniform(0.35, 1.15)) if racked else float(rng.uniform(-0.8, 0.8))
    tilt = float(rng.uniform(0.6, 1.25)) if racked else float(rng.uniform(0.75, 1.2))
    size = float(np.exp(rng.uniform(np.log(width / 17), np.log(width / 4.5))))
    focal = float(rng.uniform(0.55, 1.1))
    centre = (float(rng.uniform(-4, 4)), float(rng.uniform(-0.5, 3.0)))
    view = View(
        width,
        width,
        focal * width / size,
        tilt,
        turn,
        float(rng.normal(0, 0.15)),
        focal,
        centre,
        float(rng.choice([0, rng.uniform(-0.12, 0.12)])),
    )
    aperture = float(rng.uniform(1, 9)) * width / 576 if rng.random() < 0.6 else 0.0
    return pieces, panels, view, aperture, float(rng.uniform(0.75, 1.15))


def _far(rng: np.random.Generator, aspect: float, width: int) -> tuple[list[Piece], View, float, float]:
    """Rows far behind what is in focus, as if cut out of a larger picture; also the view, lens opening and focus."""
    pieces = _rows(rng, _Room(aspect), (4.5, 4.5), int(rng.integers(12, 46)))
    size = float(np.exp(rng.uniform(np.log(width / 15), np.log(width / 4.8))))
    focal, focus = float(rng.uniform(0.9, 2.0)), float(rng.uniform(0.45, 0.7))
    tilt, turn = float(rng.uniform(0.5, 1.15)), float(rng.uniform(0, 2 * np.pi))
    view = View(width, width, focal * width / size, tilt, turn, float(rng.normal(0, 0.3)), focal)
    blur = float(rng.uniform(0.02, 0.1)) * size if rng.random() < 0.8 else 0.0
    return pieces, view, blur / (1 - focus), focus


def random_scene(
    rng: np.random.Generator,
    width: int = 448,
    height: int = 448,
    kind: str | None = None,
    files: tuple[str, ...] = (),
    span: tuple[float, float] = (14, 170),
) -> Scene:
    """A random scene.

    Args:
        kind: one of `SCENES`, `SLANT` or `FAR`; None picks one of `SCENES`.
        files: typefaces that may be used.
        span: smallest and largest tile width in pixels at the middle of the picture.
    """
    kind = kind or str(rng.choice(SCENES, p=[0.4, 0.3, 0.11, 0.15, 0.04]))
    edition = random_edition(rng, files)
    light = random_light(rng)
    tilt = float(rng.choice([rng.uniform(0, 0.35), rng.uniform(0.2, 0.96)]))
    big = rng.random()
    size = (
        float(np.exp(rng.uniform(*np.log(span))))
        if big < 0.5
        else float(rng.uniform(max(span[0], 20), min(span[1], 70)))
    )
    focal = float(rng.uniform(0.65, 1.4))
    most = int(rng.choice([rng.integers(1, 8), rng.integers(6, 40), rng.integers(30, 107)], p=[0.15, 0.5, 0.35]))
    panels: list[Panel] = []
    turn = float(rng.uniform(0, 2 * np.pi))
    roll = float(rng.normal(0, 0.1)) + float(rng.choice([0, np.pi / 2, np.pi, -np.pi / 2], p=[0.6, 0.15, 0.1, 0.15]))
    if kind == "rack":
        pieces, panels = _rack(rng, edition.aspect, edition.thickness)
        turn = float(rng.normal(0, 0.35) if rng.random() < 0.6 else rng.uniform(-0.95, 0.95))
        tilt = float(rng.uniform(0.35, 1.2))
        size = min(size, width / 5)
        centre = (float(rng.uniform(-2, 2)), float(rng.uniform(-0.5, 1.5)))
    else:
        centre = (0.0, 0.0)
        half = width / size / 2, height / size / 2
        reach = (min(half[0], 22) * 1.05, min(half[1], 22) * (1.05 + 0.6 * np.sin(tilt)))
        reach = (max(reach), max(reach)) if rng.random() < 0.5 else (reach[0] * 0.7, reach[1] * 0.7)
        room = _Room(edition.aspect)
        maker = {"rows": _rows, "scatter": _scatter, "grid": _grid}.get(kind)
        pieces = maker(rng, room, reach, most) if maker else []
        # Backs among the faces: lying tiles that show nothing.
        if rng.random() < 0.25:
            pieces = [replace(p, tile=None) if rng.random() < 0.15 else p for p in pieces]
    view = View(
        width,
        height,
        focal * width / size,
        tilt,
        turn,
        roll,
        focal,
        centre,
        float(rng.choice([0, rng.uniform(-0.12, 0.12)])),
    )
    aperture, focus = 0.0, 1.0
    if kind == SLANT:
        pieces, panels, view, aperture, focus = _slant(rng, edition.aspect, edition.thickness, width)
        view = replace(view, height=height)
        size = view.focal * width / view.distance
    elif kind == FAR:
        pieces, view, aperture, focus = _far(rng, edition.aspect, width)
        view = replace(view, height=height)
        size = view.focal * width / view.distance
    many = int(rng.choice([0, 1, 2, 4], p=[0.45, 0.25, 0.2, 0.1])) + (3 if kind == "empty" else 0)
    spread = min(width / size, 24) / 2
    lying = tuple(
        (
            str(rng.choice(FLAT)),
            float(rng.uniform(-spread, spread)),
            float(rng.uniform(-spread, spread)),
            float(rng.uniform(0, 6.3)),
            int(rng.integers(1 << 30)),
        )
        for _ in range(many)
    )
    if kind in ("rack", SLANT):
        lying = ()
    mugs = tuple(
        (
            float(rng.uniform(-0.1, 1.1) * width),
            float(rng.choice([-0.05, 1.05, rng.uniform(0, 1)]) * height),
            float(rng.uniform(1.5, 4) * size),
            int(rng.integers(1 << 30)),
        )
        for _ in range(int(rng.random() < 0.18))
    )
    hands = tuple(
        Hand(
            (float(rng.uniform(0.1, 0.9) * width), float(rng.uniform(0.1, 0.9) * height)),
            float(rng.uniform(0, 6.3)),
            float(rng.uniform(2.5, 5) * size),
            int(rng.integers(1 << 30)),
        )
        for _ in range(int(rng.choice([0, 1, 2], p=[0.8, 0.15, 0.05])))
    )
    return Scene(
        edition,
        view,
        light,
        tuple(pieces),
        str(rng.choice(KINDS)),
        int(rng.integers(1 << 30)),
        float(rng.uniform(6, 40)),
        tuple(panels),
        lying,
        mugs,
        hands,
        int(rng.integers(1 << 30)),
        aperture,
        focus,
    )
