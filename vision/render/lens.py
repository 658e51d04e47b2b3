"""The camera: where points of the table fall in the picture, and what lens, lamp and sensor do to it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.render.tables import fractal


@dataclass(frozen=True)
class View:
    """A pinhole camera over the table plane z = 0; lengths in tile widths.

    ``distance`` to the point looked at (``centre``), ``tilt`` from straight down, ``roll`` about the view axis and
    ``turn`` about the table's normal in radians, ``focal`` in picture widths.
    """

    width: int
    height: int
    distance: float
    tilt: float
    turn: float
    roll: float
    focal: float
    centre: tuple[float, float] = (0.0, 0.0)
    distortion: float = 0.0

    def _axes(self) -> np.ndarray:
        ct, st, cu, su = np.cos(self.tilt), np.sin(self.tilt), np.cos(self.turn), np.sin(self.turn)
        cr, sr = np.cos(self.roll), np.sin(self.roll)
        right = np.array([cu, su, 0.0])
        forward = np.array([-su * st, cu * st, -ct])  # towards the table
        down = np.cross(forward, right)
        return np.stack([cr * right + sr * down, -sr * right + cr * down, forward])

    def project(self, points: np.ndarray) -> np.ndarray:
        """(n, 3) table points to (n, 2) pixels, without distortion."""
        axes = self._axes()
        centre = np.array([*self.centre, 0.0])
        local = (points - centre) @ axes.T
        depth = np.maximum(local[:, 2] + self.distance, 0.05)
        f = self.focal * self.width
        return np.stack(
            [local[:, 0] / depth * f + self.width / 2, local[:, 1] / depth * f + self.height / 2], 1
        ).astype(np.float32)

    def depth_of_table(self) -> np.ndarray:
        """How far away the table is at every pixel, along the view axis: float32 (height, width), tile widths."""
        axes = self._axes()
        up = axes[:, 2]
        f = self.focal * self.width
        ys, xs = np.mgrid[0 : self.height, 0 : self.width].astype(np.float32)
        across = up[0] * (xs - self.width / 2) / f + up[1] * (ys - self.height / 2) / f + up[2]
        # Above the horizon there is nothing; what is drawn there is as far as can be.
        return np.clip(self.distance * up[2] / np.minimum(across, -1e-3), 0, 50 * self.distance).astype(np.float32)

    def plane(self, z: float = 0.0) -> np.ndarray:
        """Homography (3, 3) from table coordinates at height ``z`` to pixels."""
        square = np.array([[-1, -1, z], [1, -1, z], [1, 1, z], [-1, 1, z]], float) * [1, 1, 1] + [
            *self.centre,
            0,
        ]
        return cv2.getPerspectiveTransform(square[:, :2].astype(np.float32), self.project(square))

    def bend(self, points: np.ndarray) -> np.ndarray:
        """Pixels without distortion (n, 2) to pixels of the finished picture (the lens model, inverted)."""
        if not self.distortion:
            return points.astype(np.float32)
        out = points.astype(np.float64)
        c, n = np.array([self.width, self.height]) / 2, self.width / 2
        u = (points - c) / n
        v = u.copy()
        for _ in range(6):
            v = u / (1 + self.distortion * (v**2).sum(1, keepdims=True))
        out = v * n + c
        return out.astype(np.float32)

    def distort(self, picture: np.ndarray) -> np.ndarray:
        if not self.distortion:
            return picture
        ys, xs = np.mgrid[0 : self.height, 0 : self.width].astype(np.float32)
        n = self.width / 2
        u, v = (xs - self.width / 2) / n, (ys - self.height / 2) / n
        k = 1 + self.distortion * (u * u + v * v)
        return cv2.remap(
            picture,
            u * k * n + self.width / 2,
            v * k * n + self.height / 2,
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REFLECT,
        )


@dataclass(frozen=True)
class Light:
    """Lamp, exposure and sensor. ``kelvin`` 2700-6500 as far as the white balance left it in; angles in radians."""

    kelvin: float = 5500.0
    tint: float = 0.0
    direction: float = 0.8
    shadow: float = 0.5
    shadow_length: float = 0.4
    softness: float = 0.15
    falloff: float = 0.2
    exposure: float = 1.0
    gamma: float = 1.0
    cast: tuple[float, int] = (0.0, 0)
    """Strength and seed of a large cast shadow; 0 none."""
    glare: tuple[float, int] = (0.0, 0)
    vignette: float = 0.1
    blur: float = 0.0
    motion: float = 0.0
    noise: float = 2.0
    saturation: float = 1.0
    sharpen: float = 0.0
    jpeg: int = 90


def lamp_gain(kelvin: float, tint: float) -> np.ndarray:
    """Channel gains (BGR) of a black body against 5500 K, green gain 1; after the approximation by Helland (2012)."""

    def rgb(k: float) -> np.ndarray:
        t = k / 100
        red = 255.0 if t <= 66 else 329.7 * (t - 60) ** -0.1332
        green = 99.47 * np.log(t) - 161.1 if t <= 66 else 288.1 * (t - 60) ** -0.0755
        blue = 255.0 if t >= 66 else 138.5 * np.log(max(t - 10, 1.01)) - 305.0
        return np.clip(np.array([blue, green, red]), 1, 255)

    gain = rgb(kelvin) / rgb(5500)
    gain = gain / gain[1]
    gain[1] *= 1 + tint
    return (gain / gain.mean()).astype(np.float32)


def soften(field: np.ndarray, sigma: float) -> np.ndarray:
    """Gaussian blur of a (h, w) mask; wide ones are made on a smaller copy, which looks the same and is far faster."""
    if sigma <= 5:
        return cv2.GaussianBlur(field, (0, 0), sigma)
    h, w = field.shape
    k = sigma / 3
    small = cv2.resize(field, (max(2, round(w / k)), max(2, round(h / k))), interpolation=cv2.INTER_AREA)
    return cv2.resize(cv2.GaussianBlur(small, (0, 0), 3), (w, h), interpolation=cv2.INTER_LINEAR)


def defocus(picture: np.ndarray, sigma: np.ndarray) -> np.ndarray:
    """Blur (h, w, 3) by a Gaussian of ``sigma`` (h, w) pixels, which may differ from place to place."""
    levels = [0.0, 1.0, 2.0, 4.0, 8.0]
    out = np.zeros_like(picture, np.float32)
    place = np.interp(sigma, levels, range(len(levels)))
    for k, level in enumerate(levels):
        weight = np.clip(1 - np.abs(place - k), 0, 1).astype(np.float32)
        if weight.any():
            out += weight[..., None] * (cv2.GaussianBlur(picture, (0, 0), level) if level else picture)
    return out


def random_light(rng: np.random.Generator) -> Light:
    soft = rng.random()
    return Light(
        kelvin=float(
            rng.choice(
                [rng.uniform(4600, 7200), rng.uniform(3000, 5200), rng.uniform(2600, 3600)],
                p=[0.68, 0.24, 0.08],
            )
        ),
        tint=float(rng.normal(0, 0.03)),
        direction=float(rng.uniform(0, 2 * np.pi)),
        shadow=float(rng.uniform(0.1, 0.75)),
        shadow_length=float(rng.choice([rng.uniform(0.1, 0.8), rng.uniform(0.6, 2.2)], p=[0.8, 0.2])),
        softness=float(rng.uniform(0.02, 0.35)),
        falloff=float(rng.uniform(0, 0.55)),
        exposure=float(
            rng.choice([rng.uniform(0.85, 1.12), rng.uniform(0.5, 0.9), rng.uniform(1.1, 1.35)], p=[0.66, 0.22, 0.12])
        ),
        gamma=float(rng.uniform(0.75, 1.35)),
        cast=(float(rng.uniform(0.25, 0.7)) if rng.random() < 0.4 else 0.0, int(rng.integers(1 << 30))),
        glare=(float(rng.uniform(0.2, 0.9)) if rng.random() < 0.3 else 0.0, int(rng.integers(1 << 30))),
        vignette=float(rng.uniform(0, 0.35)),
        blur=float(rng.choice([0, rng.uniform(0.3, 1.0), rng.uniform(0.8, 2.0)], p=[0.4, 0.45, 0.15]))
        if soft < 0.9
        else float(rng.uniform(1, 2.5)),
        motion=float(rng.uniform(1, 5)) if rng.random() < 0.08 else 0.0,
        noise=float(rng.choice([rng.uniform(0, 3), rng.uniform(2, 11)], p=[0.7, 0.3])),
        saturation=float(rng.uniform(0.75, 1.35)),
        sharpen=float(rng.choice([0, rng.uniform(0.2, 1.2)])),
        jpeg=int(rng.integers(45, 97)),
    )


def illumination(light: Light, h: int, w: int, rng: np.random.Generator) -> np.ndarray:
    """Brightness (h, w) over the picture: falloff of the lamp, a large cast shadow soft or hard, vignette."""
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    u, v = xs / w - 0.5, ys / h - 0.5
    along = u * np.cos(light.direction) + v * np.sin(light.direction)
    field = 1 - light.falloff * (along + 0.2) - light.vignette * (u * u + v * v) * 2
    strength, seed = light.cast
    if strength:
        own = np.random.default_rng(seed)
        if own.random() < 0.5:
            shape = fractal(own, h, w, 2.5, 2) + 0.5 * own.normal()
            edge = own.uniform(0.02, 0.4)
        else:  # a straight edge: a phone, a table lamp's rim, a window frame
            a = own.uniform(0, 2 * np.pi)
            shape = u * np.cos(a) + v * np.sin(a) + own.uniform(-0.3, 0.3) + 0.02 * fractal(own, h, w, 4, 2)
            edge = own.uniform(0.004, 0.15)
        field *= 1 - strength / (1 + np.exp(-np.clip(shape / edge, -30, 30)))
    return np.clip(field, 0.08, 1.6)


def glare_field(light: Light, h: int, w: int) -> np.ndarray | None:
    """Reflected light added to the picture (h, w), 0-1, or None."""
    strength, seed = light.glare
    if not strength:
        return None
    own = np.random.default_rng(seed)
    ys, xs = np.mgrid[0:h, 0:w].astype(np.float32)
    field = np.zeros((h, w), np.float32)
    for _ in range(int(own.integers(1, 4))):
        cx, cy, s = own.uniform(0, w), own.uniform(0, h), own.uniform(0.04, 0.3) * w
        field += np.exp(-(((xs - cx) / s) ** 2 + ((ys - cy) / (s * own.uniform(0.4, 1))) ** 2))
    return np.clip(field, 0, 1) * strength


def develop(picture: np.ndarray, light: Light, rng: np.random.Generator) -> np.ndarray:
    """Lamp colour, exposure, blur, noise, tone and JPEG: float32 scene to uint8 picture, both (h, w, 3) BGR."""
    out = picture * lamp_gain(light.kelvin, light.tint) * light.exposure
    if light.saturation != 1:
        grey = out.mean(2, keepdims=True)
        out = grey + (out - grey) * light.saturation
    if light.blur > 0.2:
        out = cv2.GaussianBlur(out, (0, 0), light.blur)
    if light.motion >= 1:
        n = int(light.motion) * 2 + 1
        kernel = np.zeros((n, n), np.float32)
        a = rng.uniform(0, np.pi)
        d = np.array([np.cos(a), np.sin(a)]) * light.motion
        cv2.line(kernel, tuple(round(n // 2 - x) for x in d), tuple(round(n // 2 + x) for x in d), 1.0)
        out = cv2.filter2D(out, -1, kernel / kernel.sum())
    h, w = out.shape[:2]
    if light.noise:
        grain = rng.normal(0, light.noise, (h, w, 1)).astype(np.float32)
        chroma = cv2.resize(rng.normal(0, light.noise * 0.8, (h // 2, w // 2, 3)).astype(np.float32), (w, h))
        out = out + grain + chroma
    if light.sharpen:
        out = out + light.sharpen * (out - cv2.GaussianBlur(out, (0, 0), 1.2))
    out = 255 * np.clip(out / 255, 0, 1) ** light.gamma
    ok, code = cv2.imencode(".jpg", out.astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, light.jpeg])
    if not ok:
        raise RuntimeError("the picture could not be encoded")
    decoded = cv2.imdecode(code, cv2.IMREAD_COLOR)
    assert decoded is not None
    return decoded
