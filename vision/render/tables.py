"""Table tops: wood, planks, cloth, stripes, marble, plain and patterned surfaces, as float32 BGR textures."""

from __future__ import annotations

import colorsys

import cv2
import numpy as np

KINDS = ("wood", "wood", "planks", "cloth", "stripes", "marble", "plain", "plain", "plain", "blobs", "print")


def noise(rng: np.random.Generator, h: int, w: int, cells: float, stretch: float = 1.0) -> np.ndarray:
    """Smooth noise float32 (h, w) of about unit variance; ``cells`` across, ``stretch`` times longer in x."""
    rows, cols = max(2, round(cells)), max(2, round(cells / stretch))
    return cv2.resize(rng.normal(size=(rows, cols)).astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)


def fractal(rng: np.random.Generator, h: int, w: int, cells: float, octaves: int, stretch: float = 1.0) -> np.ndarray:
    total = np.zeros((h, w), np.float32)
    for k in range(octaves):
        total += noise(rng, h, w, min(cells * 2**k, h), stretch) / 2**k
    return total


def colour(
    rng: np.random.Generator, hue: tuple[float, float], sat: tuple[float, float], val: tuple[float, float]
) -> np.ndarray:
    r, g, b = colorsys.hsv_to_rgb(rng.uniform(*hue) % 360 / 360, rng.uniform(*sat), rng.uniform(*val))
    return np.array([b, g, r], np.float32) * 255


def put_text(
    picture: np.ndarray,
    text: str,
    x: float,
    y: float,
    size: float,
    paint: np.ndarray,
    font: int,
    thickness: int,
) -> None:
    """Plain lettering on a float picture; ``size`` is OpenCV's font scale."""
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.putText(mask, text, (int(x), int(y)), font, size, 255, thickness, cv2.LINE_AA)
    part = mask.astype(np.float32)[..., None] / 255
    picture[:] = picture * (1 - part) + np.asarray(paint, np.float32) * part


def any_colour(rng: np.random.Generator) -> np.ndarray:
    return colour(rng, (0, 360), (0, 0.9), (0.08, 1.0))


def _blend(a: np.ndarray, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    t = np.clip(t, 0, 1)[..., None]
    return a * (1 - t) + b * t


def _wood(rng: np.random.Generator, n: int) -> np.ndarray:
    base = colour(rng, (8, 42), (0.1, 0.75), (0.15, 0.9))
    dark = base * rng.uniform(0.4, 0.85)
    stretch = rng.uniform(6, 16)
    rings = np.sin(fractal(rng, n, n, rng.uniform(3, 8), 3, stretch) * rng.uniform(3, 9))
    grain = fractal(rng, n, n, rng.uniform(40, 150), 2, stretch * 2)
    return _blend(base, dark, 0.45 + 0.3 * rings * rng.uniform(0.2, 1) + 0.25 * grain)


def _planks(rng: np.random.Generator, n: int) -> np.ndarray:
    picture = _wood(rng, n)
    step = int(rng.integers(n // 8, n // 2))
    for y in range(int(rng.integers(0, step)), n, step):
        picture[y : y + step] *= rng.uniform(0.8, 1.15)
        picture[y : y + max(2, n // 200)] *= rng.uniform(0.2, 0.6)
    return picture


def _cloth(rng: np.random.Generator, n: int) -> np.ndarray:
    base = any_colour(rng)
    weave = fractal(rng, n, n, n / 3, 1) + 0.6 * fractal(rng, n, n, 60, 2)
    if rng.random() < 0.4:
        threads = fractal(rng, n, n, n / 4, 1, 12) * rng.uniform(0.5, 2)
        weave = weave + threads
    folds = fractal(rng, n, n, 3, 2)
    return base * (1 + rng.uniform(0.03, 0.2) * weave + rng.uniform(0, 0.12) * folds)[..., None]


def _stripes(rng: np.random.Generator, n: int) -> np.ndarray:
    picture = np.empty((n, n, 3), np.float32)
    palette = [any_colour(rng) for _ in range(int(rng.integers(2, 6)))]
    y, wide = 0, rng.uniform(0.03, 0.2) * n
    while y < n:
        w = max(3, int(wide * rng.uniform(0.3, 1.8)))
        picture[y : y + w] = palette[int(rng.integers(len(palette)))]
        y += w
    if rng.random() < 0.35:
        picture = picture * 0.6 + picture.transpose(1, 0, 2) * 0.4
    return picture * (1 + rng.uniform(0.02, 0.14) * fractal(rng, n, n, n / 3, 2))[..., None]


def _marble(rng: np.random.Generator, n: int) -> np.ndarray:
    base = colour(rng, (0, 360), (0, 0.12), (0.5, 1.0)) if rng.random() < 0.8 else any_colour(rng)
    veins = np.exp(-np.abs(fractal(rng, n, n, rng.uniform(2, 6), 5)) * rng.uniform(5, 25))
    return _blend(base, base * rng.uniform(0.3, 0.8), veins * rng.uniform(0.3, 1))


def _plain(rng: np.random.Generator, n: int) -> np.ndarray:
    # White and cream tables, on which tiles hardly stand out, are common in homes.
    base = colour(rng, (20, 60), (0, 0.25), (0.6, 1.0)) if rng.random() < 0.6 else any_colour(rng)
    return base * (1 + 0.02 * fractal(rng, n, n, 4, 2) + rng.uniform(0, 0.04) * fractal(rng, n, n, n / 2, 1))[..., None]


def _blobs(rng: np.random.Generator, n: int) -> np.ndarray:
    field = fractal(rng, n, n, rng.uniform(4, 30), 3)
    picture = _blend(any_colour(rng), any_colour(rng), field * rng.uniform(0.5, 4) + 0.5)
    return _blend(picture, any_colour(rng), fractal(rng, n, n, rng.uniform(4, 60), 2) * 3 - 2)


def _print(rng: np.random.Generator, n: int) -> np.ndarray:
    """A printed surface: figures, frames and words that are no tiles."""
    picture = _plain(rng, n)
    for _ in range(int(rng.integers(10, 60))):
        x, y = (int(v) for v in rng.integers(0, n, 2))
        colour_ = any_colour(rng)
        paint = tuple(float(v) for v in colour_)
        size = rng.uniform(0.3, 3)
        kind = rng.random()
        if kind < 0.5:
            text = (
                str(rng.integers(0, 100))
                if rng.random() < 0.6
                else "".join(rng.choice(list("ABCDEFGHKLMNRSTabcdefghkmnorst"), int(rng.integers(2, 8))))
            )
            put_text(
                picture,
                text,
                x,
                y,
                size,
                colour_,
                int(rng.integers(0, 8)),
                max(1, int(size * rng.uniform(1, 4))),
            )
        elif kind < 0.75:
            cv2.rectangle(picture, (x, y), (x + int(40 * size), y + int(55 * size)), paint, int(rng.choice([-1, 2, 4])))
        else:
            cv2.circle(picture, (x, y), int(25 * size), paint, int(rng.choice([-1, 2, 4])), cv2.LINE_AA)
    return picture


_MAKERS = {
    "wood": _wood,
    "planks": _planks,
    "cloth": _cloth,
    "stripes": _stripes,
    "marble": _marble,
    "plain": _plain,
    "blobs": _blobs,
    "print": _print,
}


def table_texture(rng: np.random.Generator, kind: str, size: int = 640) -> np.ndarray:
    """A square table top, float32 (size, size, 3), values about 0-255; kinds in `KINDS`."""
    return np.clip(_MAKERS[kind](rng, size), 4, 255).astype(np.float32)
