"""What else lies on a table and is no tile: flat things as textures, hands and mugs as shapes in the picture."""

from __future__ import annotations

import cv2
import numpy as np

from vision.render.lens import soften
from vision.render.tables import any_colour, colour, fractal, put_text, table_texture

FLAT = ("card", "card", "keyboard", "phone", "paper", "box", "coaster", "domino")


def _rounded(h: int, w: int, r: float) -> np.ndarray:
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    qx, qy = np.abs(xs - w / 2) - (w / 2 - r), np.abs(ys - h / 2) - (h / 2 - r)
    d = r - np.hypot(np.maximum(qx, 0), np.maximum(qy, 0)) - np.minimum(np.maximum(qx, qy), 0)
    return np.clip(d, 0, 1)


def _text(
    picture: np.ndarray,
    text: str,
    x: float,
    y: float,
    height: float,
    paint: np.ndarray,
    rng: np.random.Generator,
) -> None:
    put_text(picture, text, x, y, height / 22, paint, int(rng.integers(0, 5)), max(1, int(height / 8)))


def flat_thing(rng: np.random.Generator, kind: str, detail: int = 120) -> tuple[np.ndarray, np.ndarray, float, float]:
    """A flat thing: colour float32 (h, w, 3), mask (h, w), and its width and height in tile widths."""
    n = detail
    if kind == "card":
        w, h = n, round(n * 1.4)
        picture = np.full((h, w, 3), rng.uniform(225, 252), np.float32)
        paint = colour(rng, (350, 370), (0.7, 1), (0.6, 0.9)) if rng.random() < 0.5 else np.full(3, 25.0)
        text = str(rng.integers(2, 11))
        if rng.random() < 0.15:
            picture[:] = any_colour(rng)
            picture *= 1 + 0.3 * np.sign(fractal(rng, h, w, 20, 1))[..., None]
        else:
            _text(picture, text, w * 0.06, h * 0.2, h * 0.13, paint, rng)
            flipped = picture[::-1, ::-1].copy()
            _text(flipped, text, w * 0.06, h * 0.2, h * 0.13, paint, rng)
            picture = np.ascontiguousarray(flipped)
            for _ in range(int(rng.integers(1, 9))):
                cv2.circle(
                    picture,
                    (int(rng.uniform(0.3, 0.7) * w), int(rng.uniform(0.2, 0.8) * h)),
                    w // 14,
                    tuple(float(v) for v in paint),
                    -1,
                    cv2.LINE_AA,
                )
        size = rng.uniform(2.0, 2.6)
        return picture, _rounded(h, w, n * 0.06), size, size * 1.4
    if kind == "keyboard":
        rows, cols = 5, int(rng.integers(8, 15))
        k = max(14, n // 4)
        base, key = any_colour(rng), any_colour(rng) * 0.5 if rng.random() < 0.7 else np.full(3, 235.0)
        picture = np.empty((rows * k, cols * k, 3), np.float32)
        picture[:] = base * 0.5
        ink = np.full(3, 235.0) if key.mean() < 120 else np.full(3, 30.0)
        for y in range(rows):
            for x in range(cols):
                cv2.rectangle(
                    picture,
                    (x * k + 1, y * k + 1),
                    (x * k + k - 2, y * k + k - 2),
                    tuple(float(v) for v in key),
                    -1,
                )
                text = str((x + 1) % 10) if y == 0 else chr(65 + int(rng.integers(26)))
                _text(picture, text, x * k + k * 0.25, y * k + k * 0.65, k * 0.4, ink, rng)
        size = rng.uniform(0.6, 0.95)
        return picture, np.ones(picture.shape[:2], np.float32), size * cols, size * rows
    if kind == "phone":
        w, h = n, n * 2
        picture = np.empty((h, w, 3), np.float32)
        picture[:] = rng.uniform(5, 40)
        if rng.random() < 0.6:
            screen = cv2.resize(table_texture(rng, "blobs", 96), (w - 12, h - 24))
            picture[12:-12, 6:-6] = screen
        size = rng.uniform(2.5, 3.2)
        return picture, _rounded(h, w, n * 0.12), size, size * 2
    if kind == "paper":
        w, h = n * 2, round(n * 2 * rng.uniform(0.6, 1.5))
        picture = np.full((h, w, 3), rng.uniform(200, 252), np.float32)
        paint = any_colour(rng) * 0.5
        step = max(8, n // 8)
        for y in range(step, h - 4, step):
            text = "".join(rng.choice(list("abcdefg hiklmnorst 0123456789"), int(rng.integers(3, 16))))
            _text(picture, text, 6, y, step * rng.uniform(0.4, 0.9), paint, rng)
        size = rng.uniform(3, 7)
        return picture, np.ones((h, w), np.float32), size, size * h / w
    if kind == "box":
        w, h = n, round(n * rng.uniform(0.5, 1.5))
        picture = np.empty((h, w, 3), np.float32)
        picture[:] = any_colour(rng)
        for _ in range(int(rng.integers(1, 6))):
            x, y = (int(v) for v in rng.integers(0, min(h, w), 2))
            cv2.rectangle(
                picture,
                (x, y),
                (x + int(rng.integers(5, w)), y + int(rng.integers(5, h))),
                tuple(float(v) for v in any_colour(rng)),
                -1,
            )
        size = rng.uniform(1.0, 9)
        return picture, np.ones((h, w), np.float32), size, size * h / w
    if kind == "coaster":
        picture = table_texture(rng, str(rng.choice(["marble", "cloth", "blobs", "plain"])), n)
        size = rng.uniform(2, 5)
        return picture, _rounded(n, n, n * rng.choice([0.1, 0.499])), size, size
    w, h = n, n * 2
    picture = (
        np.full((h, w, 3), rng.uniform(200, 250), np.float32)
        if rng.random() < 0.6
        else np.full((h, w, 3), 25.0, np.float32)
    )
    pip = (25.0,) * 3 if picture.mean() > 120 else (240.0,) * 3
    for half in (0, 1):
        for _ in range(int(rng.integers(0, 7))):
            cv2.circle(
                picture,
                (int(rng.choice([0.25, 0.5, 0.75]) * w), int((half + rng.choice([0.25, 0.5, 0.75])) * w)),
                w // 11,
                pip,
                -1,
                cv2.LINE_AA,
            )
    cv2.line(picture, (w // 10, w), (w - w // 10, w), pip, 2)
    return picture, _rounded(h, w, n * 0.1), 1.0, 2.0


def skin(rng: np.random.Generator) -> np.ndarray:
    return colour(rng, (10, 28), (0.25, 0.65), (0.25, 0.98))


def draw_hand(
    picture: np.ndarray, at: tuple[float, float], towards: float, size: float, rng: np.random.Generator
) -> np.ndarray:
    """Draw a hand with its sleeve into a uint8 picture; returns the mask (h, w) bool of what it covers.

    Args:
        at: where the finger tips are, pixels.
        towards: direction of the arm from there, radians.
        size: length of the hand in pixels.
    """
    h, w = picture.shape[:2]
    mask = np.zeros((h, w), np.uint8)
    sleeve = np.zeros((h, w), np.uint8)
    d = np.array([np.cos(towards), np.sin(towards)])
    side = np.array([-d[1], d[0]])
    tip = np.array(at)
    palm = tip + d * size * 0.65

    def point(p: np.ndarray) -> tuple[int, int]:
        return round(float(p[0])), round(float(p[1]))

    for k in range(4):
        spread = (k - 1.5) * size * 0.13
        end = tip + side * (spread * rng.uniform(0.9, 1.5)) + d * size * rng.uniform(0.0, 0.22)
        cv2.line(mask, point(palm + side * spread), point(end), 255, max(2, int(size * 0.115)), cv2.LINE_AA)
    hand = rng.choice([-1, 1])
    cv2.line(
        mask,
        point(palm + d * size * 0.1),
        point(palm + side * hand * size * 0.38 - d * size * 0.12),
        255,
        max(2, int(size * 0.13)),
        cv2.LINE_AA,
    )
    cv2.ellipse(
        mask,
        point(palm),
        (max(2, int(size * 0.3)), max(2, int(size * 0.27))),
        np.degrees(towards),
        0,
        360,
        255,
        -1,
        cv2.LINE_AA,
    )
    wrist = palm + d * size * 0.3
    cv2.line(mask, point(palm), point(wrist + d * size * 1.0), 255, max(2, int(size * 0.34)), cv2.LINE_AA)
    cv2.line(
        sleeve,
        point(wrist + d * size * rng.uniform(0.1, 0.8)),
        point(wrist + d * (h + w)),
        255,
        max(2, int(size * rng.uniform(0.45, 0.65))),
        cv2.LINE_AA,
    )
    round_ = soften(mask, max(0.8, size * 0.045)).astype(np.float32) / 255
    tone = skin(rng)
    flesh = tone * (0.55 + 0.5 * round_)[..., None]
    cloth = (
        any_colour(rng)
        * (0.85 + 0.15 * np.clip(soften(sleeve, max(0.8, size * 0.1)).astype(np.float32) / 255, 0, 1))[..., None]
    )
    a, b = mask.astype(np.float32)[..., None] / 255, sleeve.astype(np.float32)[..., None] / 255
    picture[:] = np.clip((picture * (1 - a) + flesh * a) * (1 - b) + cloth * b, 0, 255).astype(np.uint8)
    return (mask > 127) | (sleeve > 127)


def draw_mug(picture: np.ndarray, centre: tuple[float, float], radius: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a mug, plate or bowl from above; returns the mask (h, w) bool of what it covers."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    c = (int(centre[0]), int(centre[1]))
    squash = rng.uniform(0.75, 1.0)
    wall, inner = any_colour(rng), any_colour(rng) * rng.uniform(0.2, 1)
    if rng.random() < 0.5:
        a = rng.uniform(0, 2 * np.pi)
        end = (int(c[0] + radius * 1.4 * np.cos(a)), int(c[1] + radius * 1.4 * np.sin(a)))
        cv2.line(mask, c, end, 255, max(2, int(radius * 0.25)), cv2.LINE_AA)
        cv2.line(picture, c, end, tuple(float(v) for v in wall), max(2, int(radius * 0.25)), cv2.LINE_AA)
    for k, (r, paint) in enumerate(
        (
            (1.0, wall),
            (rng.uniform(0.75, 0.92), inner),
            (rng.uniform(0.1, 0.6), inner * rng.uniform(0.6, 1.3)),
        )
    ):
        axes = (max(1, int(radius * r)), max(1, int(radius * r * squash)))
        cv2.ellipse(picture, c, axes, 0, 0, 360, tuple(float(min(255, v)) for v in paint), -1, cv2.LINE_AA)
        if k == 0:
            cv2.ellipse(mask, c, axes, 0, 0, 360, 255, -1)
    return mask > 127
