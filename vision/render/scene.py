"""Scenes: pieces placed on a table, drawn with exact labels.

Data flow: `Scene` (what lies where, edition, camera, lamp) -> `draw` -> `Drawn` (picture and labels).
Lengths are in tile widths, table coordinates have y away from a viewer at roll 0, z up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

from referee.tiles import Tile
from vision.render.clutter import draw_hand, draw_mug, flat_thing
from vision.render.editions import Edition, face_texture
from vision.render.lens import Light, View, defocus, develop, glare_field, illumination, soften
from vision.render.tables import table_texture


@dataclass(frozen=True)
class Piece:
    """One tile: centre of its underside, the direction to its right and to its top (unit vectors), its set."""

    tile: Tile | None
    centre: tuple[float, float, float]
    right: tuple[float, float, float]
    up: tuple[float, float, float]
    set_index: int | None = None

    @classmethod
    def flat(
        cls, tile: Tile | None, x: float, y: float, angle: float, z: float = 0.0, set_index: int | None = None
    ) -> Piece:
        """A tile lying on the table; ``angle`` counterclockwise from its own right to the x axis, radians."""
        c, s = float(np.cos(angle)), float(np.sin(angle))
        return cls(tile, (x, y, z), (c, s, 0.0), (-s, c, 0.0), set_index)


@dataclass(frozen=True)
class Panel:
    """A plain surface such as a rack's step: four corners (table coordinates) and a colour."""

    corners: tuple[tuple[float, float, float], ...]
    colour: tuple[float, float, float]


@dataclass(frozen=True)
class Hand:
    """A hand in the picture: finger tips (pixels), direction of the arm (radians), length (pixels)."""

    at: tuple[float, float]
    towards: float
    size: float
    seed: int = 0


@dataclass(frozen=True)
class Scene:
    edition: Edition
    view: View
    light: Light
    pieces: tuple[Piece, ...]
    table: str = "wood"
    table_seed: int = 0
    table_scale: float = 14.0
    """Tile widths that one repeat of the table's texture spans."""
    panels: tuple[Panel, ...] = ()
    flat: tuple[tuple[str, float, float, float, int], ...] = ()
    """Flat things: kind, x, y, angle, seed."""
    mugs: tuple[tuple[float, float, float, int], ...] = ()
    """x, y, radius in pixels, seed."""
    hands: tuple[Hand, ...] = ()
    seed: int = 0
    aperture: float = 0.0
    """How wide the lens is open: the blur (sigma, pixels) of what is infinitely far; 0 all in focus."""
    focus: float = 1.0
    """How far away all is sharp, in distances of the camera from the point that it looks at."""


@dataclass(frozen=True)
class Label:
    """One tile in the picture.

    ``quad`` float32 (4, 2): the top face in pixels, clockwise from its own top left, as if nothing covered it.
    ``visible`` is the share of the face that can be seen, ``legible`` the share of its print; ``seen`` float32 (m, 2)
    is the outline of what can be seen.
    """

    tile: Tile | None
    quad: np.ndarray
    seen: np.ndarray
    visible: float
    legible: float
    set_index: int | None


@dataclass(frozen=True)
class Drawn:
    picture: np.ndarray
    labels: tuple[Label, ...] = field(default_factory=tuple)


def _corners(piece: Piece, edition: Edition) -> tuple[np.ndarray, np.ndarray]:
    """Underside and top face, float (4, 3) each, clockwise from the tile's own top left."""
    c, u, v = (np.array(x, float) for x in (piece.centre, piece.right, piece.up))
    n = np.cross(u, v)
    half = edition.aspect / 2
    base = np.stack([c - u / 2 + v * half, c + u / 2 + v * half, c + u / 2 - v * half, c - u / 2 - v * half])
    return base, base + n * edition.thickness


def _shadow(scene: Scene, h: int, w: int) -> np.ndarray | None:
    light = scene.light
    if light.shadow <= 0:
        return None
    mask = np.zeros((h, w), np.uint8)
    reach = np.array([np.cos(light.direction), np.sin(light.direction), 0]) * light.shadow_length
    for piece in scene.pieces:
        if abs(piece.up[2]) > 0.05:
            continue
        base, top = _corners(piece, scene.edition)
        cast = top + reach * top[:, 2:]
        cast[:, 2] = base[:, 2].min()
        hull = cv2.convexHull(scene.view.project(np.vstack([base, cast])))
        cv2.fillConvexPoly(mask, np.round(hull * 8).astype(np.int32), 255, cv2.LINE_AA, 3)
    size = scene.view.focal * scene.view.width / scene.view.distance
    mask = soften(mask, max(0.5, light.softness * size))
    return 1 - mask.astype(np.float32) / 255 * light.shadow


def _warp_onto(picture: np.ndarray, texture: np.ndarray, quad: np.ndarray) -> None:
    """Blend a uint8 BGRA texture onto ``quad`` (4, 2) of the picture."""
    h, w = picture.shape[:2]
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + 2, [w, h])
    if x1 <= x0 or y1 <= y0:
        return
    th, tw = texture.shape[:2]
    source = np.array([[0, 0], [tw, 0], [tw, th], [0, th]], np.float32) - 0.5
    m = cv2.getPerspectiveTransform(source, (quad - [x0, y0]).astype(np.float32))
    part = cv2.warpPerspective(texture, m, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR)
    alpha = part[..., 3:].astype(np.float32) / 255
    region = picture[y0:y1, x0:x1]
    region[:] = (region * (1 - alpha) + part[..., :3] * alpha).astype(np.uint8)


def _bgra(colour: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return np.dstack([np.clip(colour, 0, 255), mask * 255]).astype(np.uint8)


def _draw_piece(
    picture: np.ndarray,
    ids: np.ndarray,
    piece: Piece,
    number: int,
    scene: Scene,
    textures: dict[object, np.ndarray],
    rng: np.random.Generator,
) -> None:
    edition, light = scene.edition, scene.light
    base, top = _corners(piece, edition)
    both = scene.view.project(np.vstack([base, top]))
    low, high = both[:4], both[4:]
    if not np.isfinite(both).all() or np.abs(both).max() > 20000:
        return
    body = np.array(edition.body)
    hull = cv2.convexHull(both)
    cv2.fillConvexPoly(picture, np.round(hull * 8).astype(np.int32), tuple(body * 0.55), cv2.LINE_AA, 3)
    cv2.fillConvexPoly(ids, np.round(hull).astype(np.int32), -1)
    for k in range(4):
        j = (k + 1) % 4
        side = np.stack([high[k], high[j], low[j], low[k]])
        area = cv2.contourArea(side.astype(np.float32), oriented=True)
        if area < 0:
            normal = np.cross(top[j] - top[k], [0, 0, 1.0])
            facing = float(normal[0] * np.cos(light.direction) + normal[1] * np.sin(light.direction)) / (
                np.linalg.norm(normal) + 1e-6
            )
            cv2.fillConvexPoly(
                picture,
                np.round(side * 8).astype(np.int32),
                tuple(body * (0.74 + 0.14 * facing)),
                cv2.LINE_AA,
                3,
            )
    key = (piece.tile, round(np.arctan2(piece.right[1], piece.right[0]) * 4)) if number % 3 else number
    if key not in textures:
        size = float(np.linalg.norm(high[1] - high[0]) + np.linalg.norm(high[2] - high[3])) / 2
        direction = light.direction - np.arctan2(piece.right[1], piece.right[0])
        colour, outline, _ = face_texture(edition, piece.tile, int(np.clip(size * 1.15, 20, 360)), -direction, rng)
        textures[key] = _bgra(colour, outline)
    _warp_onto(picture, textures[key], high)
    cv2.fillConvexPoly(ids, np.round(high).astype(np.int32), number)


def _depth(view: View, centre: np.ndarray) -> float:
    return float((view._axes() @ (centre - np.array([*view.centre, 0.0])))[2])


def draw(scene: Scene) -> Drawn:
    """The picture, uint8 (h, w, 3) BGR, and a label for every tile that is in it. Deterministic in the scene."""
    view, light = scene.view, scene.light
    rng = np.random.default_rng(scene.seed)
    h, w = view.height, view.width
    texture = table_texture(np.random.default_rng(scene.table_seed), scene.table, 512)
    n = texture.shape[0]
    scale = np.array(
        [
            [scene.table_scale / n, 0, -scene.table_scale / 2],
            [0, scene.table_scale / n, -scene.table_scale / 2],
            [0, 0, 1],
        ]
    )
    shift = np.array([[1, 0, view.centre[0]], [0, 1, view.centre[1]], [0, 0, 1.0]])
    ground = cv2.warpPerspective(
        texture, view.plane() @ shift @ scale, (w, h), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT
    )
    picture = np.clip(ground, 0, 255).astype(np.uint8)
    for kind, x, y, angle, seed in scene.flat:
        colour, mask, fw, fh = flat_thing(np.random.default_rng(seed), kind)
        c, s = np.cos(angle), np.sin(angle)
        u, v = np.array([c, s, 0]) * fw / 2, np.array([-s, c, 0]) * fh / 2
        at = np.array([x, y, 0.01])
        quad = view.project(np.stack([at - u + v, at + u + v, at + u - v, at - u - v]))
        if np.abs(quad).max() < 20000:
            _warp_onto(picture, _bgra(colour, mask), quad)
    shade = _shadow(scene, h, w)
    if shade is not None:
        picture = (picture * shade[..., None]).astype(np.uint8)

    ids = np.zeros((h, w), np.float32)
    things: list[tuple[float, int, Piece | Panel]] = [
        (_depth(view, np.array(p.centre)), k + 1, p) for k, p in enumerate(scene.pieces)
    ]
    things += [(_depth(view, np.mean(np.array(p.corners), 0)) + 0.4, 0, p) for p in scene.panels]
    textures: dict[object, np.ndarray] = {}
    for _, number, thing in sorted(things, key=lambda t: -t[0]):
        if isinstance(thing, Panel):
            corners = np.round(view.project(np.array(thing.corners, float)) * 8).astype(np.int32)
            cv2.fillConvexPoly(picture, corners, thing.colour, cv2.LINE_AA, 3)
            cv2.fillConvexPoly(ids, corners // 8, -1)
        else:
            _draw_piece(picture, ids, thing, number, scene, textures, rng)
    for x, y, radius, seed in scene.mugs:
        ids[draw_mug(picture, (x, y), radius, np.random.default_rng(seed))] = -1
    for hand in scene.hands:
        ids[draw_hand(picture, hand.at, hand.towards, hand.size, np.random.default_rng(hand.seed))] = -1

    lit = picture.astype(np.float32) * illumination(light, h, w, rng)[..., None]
    glare = glare_field(light, h, w)
    if glare is not None:
        lit += glare[..., None] * 230
    if scene.aperture:
        lit = defocus(lit, _blur(scene, ids))
    finished = develop(view.distort(lit), light, rng)
    return Drawn(finished, tuple(_labels(scene, ids)))


def _blur(scene: Scene, ids: np.ndarray) -> np.ndarray:
    """The blur (h, w) of a thin lens, sigma in pixels: grows with the distance from what is in focus."""
    view = scene.view
    depths = np.array([0.0, *(_depth(view, np.array(p.centre)) for p in scene.pieces)], np.float32)
    depth = np.where(ids > 0, depths[np.maximum(ids, 0).astype(np.int32)], view.depth_of_table())
    at = scene.focus * view.distance
    sigma = scene.aperture * np.abs(depth - at) / np.maximum(depth, 0.1)
    return soften(np.minimum(sigma, 8).astype(np.float32), 4)


def _labels(scene: Scene, ids: np.ndarray) -> list[Label]:
    view, edition = scene.view, scene.edition
    h, w = ids.shape
    out = []
    flat_ids = ids.astype(np.int32)
    present = np.unique(flat_ids[flat_ids > 0])
    top = edition.digit_centre - edition.digit_height / 2
    grid = np.stack(
        np.meshgrid(np.linspace(0.2, 0.8, 8), np.linspace(top, top + edition.digit_height, 10)), -1
    ).reshape(-1, 2)
    for number in present:
        piece = scene.pieces[number - 1]
        _, face = _corners(piece, edition)
        quad = view.project(face)
        area = max(1.0, abs(cv2.contourArea(quad)))
        x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - 1, 0)
        x1, y1 = np.ceil(quad.max(0)).astype(int) + 2
        mask = (flat_ids[y0:y1, x0:x1] == number).astype(np.uint8)
        count = int(mask.sum())
        contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
        seen = np.vstack(contours).reshape(-1, 2).astype(np.float32) + np.array([x0, y0], np.float32)
        right, down = face[1] - face[0], face[3] - face[0]
        prints = view.project(face[0] + grid[:, :1] * right + grid[:, 1:] * down).round().astype(int)
        ok = (prints >= 0).all(1) & (prints[:, 0] < w) & (prints[:, 1] < h)
        legible = float((flat_ids[prints[ok, 1], prints[ok, 0]] == number).sum()) / len(prints)
        out.append(
            Label(piece.tile, view.bend(quad), view.bend(seen), min(1.0, count / area), legible, piece.set_index)
        )
    return out
