"""Editions: how the tiles of one box look, and the drawn face of each tile.

Sizes are in tile widths unless said otherwise; colours are sRGB, blue-green-red order, 0-255.
"""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import cv2
import numpy as np

from referee.tiles import COLOURS, Tile
from vision.render.glyphs import Face, random_face, word

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Edition:
    """One box of tiles."""

    body: Colour
    inks: dict[str, Colour]
    joker_inks: tuple[Colour, ...]
    face: Face
    brand_face: Face | None
    brand: str
    joker: str
    joker_seed: int
    aspect: float
    thickness: float
    corner: float
    bevel: float
    digit_height: float
    """Of the tile's height."""
    digit_centre: float
    """Of the tile's height, from the top."""
    dish: float
    """Radius of the dish round the digit; 0 none."""
    dimple: float
    """Radius of the round dimple below the digit; 0 none."""
    frame: bool
    relief: float
    """Strength of everything pressed into the body."""
    engraved: float


def _hsv(h: float, s: float, v: float) -> Colour:
    r, g, b = colorsys.hsv_to_rgb((h % 360) / 360, s, v)
    return b * 255, g * 255, r * 255


def random_inks(rng: np.random.Generator) -> dict[str, Colour]:
    """Four inks of one box: hues wander between boxes but stay apart within one."""
    red = rng.choice([rng.uniform(352, 364), rng.uniform(335, 358), rng.uniform(356, 369)])
    gap = rng.uniform(15, 24) if red > 361 else rng.uniform(17, 36)
    orange = min(max(red % 360 + gap if red >= 360 else red - 360 + gap + 4, 16), 46)
    blue = rng.choice([rng.uniform(205, 226), rng.uniform(190, 212), rng.uniform(212, 236)])
    if rng.random() < 0.7:
        black = _hsv(rng.uniform(0, 360), rng.uniform(0, 0.25), rng.uniform(0.04, 0.2))
    else:  # navy and faded blacks
        black = _hsv(rng.uniform(205, 250), rng.uniform(0.15, 0.45), rng.uniform(0.08, 0.22))
    return {
        "k": black,
        "b": _hsv(blue, rng.uniform(0.62, 1.0), rng.uniform(0.5, 0.95)),
        "r": _hsv(red, rng.uniform(0.66, 0.98), rng.uniform(0.6, 0.95)),
        "o": _hsv(orange, rng.uniform(0.65, 1.0), rng.uniform(0.82, 1.0)),
    }


def random_edition(rng: np.random.Generator, files: tuple[str, ...] = ()) -> Edition:
    """A box of tiles; ``files`` are typefaces that may be used (`vision.render.glyphs.typefaces`)."""
    body = _hsv(
        rng.uniform(30, 56),
        rng.choice([rng.uniform(0.0, 0.08), rng.uniform(0.05, 0.26)]),
        rng.uniform(0.84, 1.0),
    )
    inks = random_inks(rng)
    below = rng.choice(["brand", "brand", "dimple", "dish", "dish", "plain", "frame"])
    big = rng.random() < 0.35
    height = rng.uniform(0.42, 0.64) if big else rng.uniform(0.24, 0.42)
    if below == "dimple":
        height = min(height, 0.5)
    centre = max(rng.uniform(0.27, 0.4), height / 2 + rng.uniform(0.04, 0.1))
    style = rng.choice(["red", "black", "ink", "two"])
    jokers: tuple[Colour, ...] = {
        "red": (inks["r"],),
        "black": (inks["k"],),
        "ink": (inks[str(rng.choice(list(COLOURS)))],),
        "two": (inks["r"], inks["k"]),
    }[str(style)]
    letters = "abcdefghiklmnorstuvwxyz"
    brand = "".join(rng.choice(list(letters)) for _ in range(int(rng.integers(4, 10)))).capitalize()
    return Edition(
        body=body,
        inks=inks,
        joker_inks=jokers,
        face=random_face(rng, files),
        brand_face=random_face(rng, files, 0.0) if files else None,
        brand=brand,
        joker=str(rng.choice(["face", "face", "face", "oval", "sun", "star", "solid", "clown"])),
        joker_seed=int(rng.integers(1 << 30)),
        aspect=float(rng.uniform(1.26, 1.52)),
        thickness=float(rng.uniform(0.12, 0.32)),
        corner=float(rng.uniform(0.04, 0.16)),
        bevel=float(rng.choice([0.0, rng.uniform(0.02, 0.09)])),
        digit_height=float(height),
        digit_centre=float(centre),
        dish=float(rng.uniform(0.3, 0.43)) if below == "dish" or (below == "brand" and rng.random() < 0.5) else 0.0,
        dimple=float(rng.uniform(0.13, 0.22)) if below == "dimple" else 0.0,
        frame=below == "frame",
        relief=float(rng.uniform(0.35, 1.3)),
        engraved=float(rng.choice([0.0, rng.uniform(0.2, 1.0)])),
    )


def _shift(mask: np.ndarray, dx: float, dy: float) -> np.ndarray:
    return cv2.warpAffine(mask, np.array([[1, 0, dx], [0, 1, dy]], np.float32), (mask.shape[1], mask.shape[0]))


def _paste(canvas: np.ndarray, mask: np.ndarray, cx: float, cy: float) -> None:
    h, w = mask.shape
    y, x = max(0, round(cy - h / 2)), max(0, round(cx - w / 2))
    part = mask[: canvas.shape[0] - y, : canvas.shape[1] - x]
    region = canvas[y : y + part.shape[0], x : x + part.shape[1]]
    np.maximum(region, part, out=region)


def joker_mask(kind: str, seed: int, size: int) -> np.ndarray:
    """The joker's print, float32 (size, size): a line face, an oval one, a sun, a star, a solid face or a clown."""
    rng = np.random.default_rng(seed)
    scale = 4
    n = size * scale
    image = np.zeros((n, n), np.uint8)
    u = n / 100
    line = max(2, round(rng.uniform(3, 6) * u))

    def at(x: float, y: float) -> tuple[int, int]:
        return round(x * u), round(y * u)

    def ellipse(
        x: float, y: float, rx: float, ry: float, a: float = 0, b: float = 360, w: int = line, c: float = 255.0
    ) -> None:
        cv2.ellipse(image, at(x, y), at(rx, ry), 0, a, b, c, w, cv2.LINE_AA)

    rx, ry = (rng.uniform(30, 38), rng.uniform(40, 46)) if kind == "oval" else (44, 44)
    if kind in {"sun", "star"}:
        rx = ry = rng.uniform(24, 31)
        rays = int(rng.integers(5, 8) if kind == "star" else rng.integers(8, 17))
        for ray in range(rays):
            a = 2 * np.pi * ray / rays - np.pi / 2
            half = np.pi / rays * (0.95 if kind == "star" else 0.5)
            tip = (50 + 47 * np.cos(a), 50 + 47 * np.sin(a))
            base = [(50 + (rx + 1) * np.cos(a + d), 50 + (rx + 1) * np.sin(a + d)) for d in (-half, half)]
            points = np.array([at(*base[0]), at(*tip), at(*base[1])], np.int32)
            if rng.random() < 0.5:
                cv2.fillPoly(image, [points], 255, cv2.LINE_AA)
            else:
                cv2.polylines(image, [points], False, 255, line, cv2.LINE_AA)
    ink: float = 255
    if kind == "solid":
        ellipse(50, 50, rx, ry, w=-1)
        ink = 0
    else:
        ellipse(50, 50, rx, ry)
    k = rx / 44
    for side in (-1, 1):
        x = 50 + side * rng.uniform(13, 18) * k
        y = 50 - rng.uniform(6, 13) * k
        if rng.random() < 0.5:
            ellipse(x, y, 4 * k, rng.uniform(3, 7) * k, w=-1, c=ink)
        else:
            ellipse(x, y, 7 * k, 4 * k, c=ink, w=max(2, line // 2))
            ellipse(x, y, 2 * k, 3 * k, w=-1, c=ink)
        if rng.random() < 0.7:
            ellipse(x, y - 9 * k, 9 * k, 5 * k, 190, 350, c=ink, w=max(2, line * 2 // 3))
        if rng.random() < 0.3:
            ellipse(50 + side * 24 * k, 60, 5 * k, 5 * k, c=ink, w=max(2, line // 2))
    if rng.random() < 0.75:
        cv2.polylines(
            image,
            [np.array([at(50, 44), at(50 - 5 * k, 57), at(50 + 4 * k, 57)], np.int32)],
            False,
            ink,
            max(2, line // 2),
            cv2.LINE_AA,
        )
    deep = rng.uniform(8, 16) * k
    ellipse(50, 50 + rng.uniform(8, 16) * k, rng.uniform(16, 24) * k, deep, 15, 165, c=ink)
    if rng.random() < 0.3:
        ellipse(50, 50 + 16 * k, 14 * k, deep * 0.5, 10, 170, c=ink)
    if kind == "clown":
        for side in (-1, 0, 1):
            cv2.fillPoly(
                image,
                [
                    np.array(
                        [at(50 + side * 22 - 10, 14), at(50 + side * 26, 1), at(50 + side * 22 + 10, 14)],
                        np.int32,
                    )
                ],
                255,
                cv2.LINE_AA,
            )
    return cv2.resize(image, (size, size), interpolation=cv2.INTER_AREA).astype(np.float32) / 255


def face_texture(
    edition: Edition, tile: Tile | None, width: int, light: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One tile seen from straight above; ``None`` is the blank back.

    Args:
        width: of the texture in pixels; its height follows the edition's aspect.
        light: direction the light comes from in the tile's own frame, radians (0 right, pi/2 below).

    Returns:
        colour float32 (h, w, 3), outline mask float32 (h, w), print mask float32 (h, w).
    """
    w, h = width, round(width * edition.aspect)
    lx, ly = np.cos(light), np.sin(light)
    shade = np.zeros((h, w), np.float32)
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    xs, ys = (xs + 0.5) / w, (ys + 0.5) / w
    # Signed distance to the rounded outline, in tile widths, inside positive.
    r = edition.corner
    qx, qy = np.abs(xs - 0.5) - (0.5 - r), np.abs(ys - edition.aspect / 2) - (edition.aspect / 2 - r)
    inside = r - np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) - np.minimum(np.maximum(qx, qy), 0)
    outline = np.clip(inside * w + 0.5, 0, 1)
    if edition.bevel:
        gy, gx = np.gradient(inside * w)
        shade -= (gx * lx + gy * ly) * np.clip(1 - inside / edition.bevel, 0, 1) * 0.16

    def pressed(cx: float, cy: float, radius: float, ring: bool) -> None:
        d = np.hypot(xs - cx, ys - cy) / radius
        slope = ((xs - cx) * lx + (ys - cy) * ly) / radius
        if ring:
            edge = np.exp(-(((d - 1) / 0.13) ** 2))
            shade[:] += edge * slope * -0.2 * edition.relief - edge * 0.05 * edition.relief
        else:
            shade[:] += np.where(d < 1, slope * -0.14, 0) * np.clip((1 - d) * 6, 0, 1) * edition.relief

    if tile is not None:
        if edition.dish:
            pressed(0.5, max(edition.digit_centre * edition.aspect, edition.dish + 0.07), edition.dish, False)
        if edition.dimple:
            bottom = (edition.digit_centre + edition.digit_height / 2) * edition.aspect
            pressed(
                0.5,
                min((bottom + edition.aspect) / 2 + 0.02, edition.aspect - edition.dimple - 0.06),
                edition.dimple,
                True,
            )
    relief = np.zeros((h, w), np.float32)
    if edition.brand_face is not None and not edition.dimple and tile is not None:
        mark = word(edition.brand, edition.brand_face, max(6, round(w * 0.13)))
        fit = min(1.0, w * 0.8 / mark.shape[1])
        mark = cv2.resize(
            mark,
            (max(2, round(mark.shape[1] * fit)), max(2, round(mark.shape[0] * fit))),
            interpolation=cv2.INTER_AREA,
        )
        _paste(relief, mark, w / 2, h * 0.86)
    if edition.frame:
        a, b = (round(w * 0.12), round(h * 0.1)), (round(w * 0.88), round(h * 0.9))
        cv2.rectangle(relief, a, b, 1.0, max(1, w // 50))
    if relief.any():
        step = max(0.6, w / 70)
        shade += (_shift(relief, -lx * step, -ly * step) - _shift(relief, lx * step, ly * step)) * 0.16 * edition.relief
    colour = np.array(edition.body, np.float32) * (1 + shade)[..., None]
    colour += cv2.resize(rng.normal(0, 2.0, (7, 5)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)[
        ..., None
    ]

    ink = np.zeros((h, w), np.float32)
    if tile is not None:
        if tile.is_joker:
            size = round(min(w * 0.8, max(h * edition.digit_height * 1.05, w * 0.5)))
            cy = max(h * edition.digit_centre, size / 2 + h * 0.04)
            _paste(ink, joker_mask(edition.joker, edition.joker_seed, size), w / 2, cy)
            paint = edition.joker_inks[int(rng.integers(len(edition.joker_inks)))]
        else:
            digits = word(str(tile.number), edition.face, round(h * edition.digit_height))
            most = w * (0.88 if edition.digit_height > 0.42 else 0.78)
            if digits.shape[1] > most:
                digits = cv2.resize(digits, (round(most), digits.shape[0]), interpolation=cv2.INTER_AREA)
            _paste(ink, digits, w / 2, h * edition.digit_centre)
            paint = edition.inks[tile.colour]
        if edition.engraved:
            step = max(0.7, w / 60)
            rim = (_shift(ink, lx * step, ly * step) - _shift(ink, -lx * step, -ly * step)) * edition.engraved
            colour *= 1 + 0.12 * rim[..., None]
        wear = 1 - 0.12 * rng.random()
        mix = (ink * wear)[..., None]
        tone = 1 + (0.25 * edition.engraved * (ink - _shift(ink, lx * w / 40, ly * w / 40)))[..., None]
        colour = colour * (1 - mix) + np.array(paint, np.float32) * tone * mix
    return np.clip(colour, 0, 255), outline.astype(np.float32), ink
