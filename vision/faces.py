"""Faces: the rectified tile to number or joker, ink, which end is up, or no readable face, as probabilities.

The net looks at one square crop and says which face stands upright in it, if any; it is asked in all four turns of
the crop. A digit in the wrong half of the tile, or upside down, is "not upright" to it: that is how 6 and 9 are told
apart by the tile's own top and bottom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from referee.tiles import COLOURS

SIZE = 64
"""Side of the net's input in pixels."""
MARGIN = 0.1
"""Share of the tile's side that is shown beyond each edge."""
CLASSES = 14
"""Numbers 1-13, joker; the net's next output is "not upright, or no face"."""
INKS = slice(CLASSES + 1, CLASSES + 1 + len(COLOURS))
CORNERS = slice(INKS.stop, INKS.stop + 8)
OUTPUTS = CORNERS.stop
"""What the net says of a crop: 15 faces, 4 inks, 4 corners as offsets from `square` in crop sides."""


def square(size: int = SIZE, margin: float = MARGIN) -> np.ndarray:
    """Where a tile's corners lie in its crop: float32 (4, 2), clockwise from the top left."""
    inner = size / (1 + 2 * margin)
    a, b = (size - inner) / 2, (size + inner) / 2
    return np.array([[a, a], [b, a], [b, b], [a, b]], np.float32) - 0.5


def rectify(picture: np.ndarray, quads: np.ndarray, size: int = SIZE, margin: float = MARGIN) -> np.ndarray:
    """Cut tiles out as squares.

    Args:
        picture: uint8 (h, w, 3).
        quads: (n, 4, 2) pixels, clockwise; the first corner becomes the top left.

    Returns:
        uint8 (n, size, size, 3).
    """
    quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    inner = size / (1 + 2 * margin)
    goal = square(size, margin)
    out = np.empty((len(quads), size, size, 3), np.uint8)
    levels = [picture]
    for k, quad in enumerate(quads):
        longest = max(float(np.linalg.norm(quad[0] - quad[1])), float(np.linalg.norm(quad[1] - quad[2])))
        level = int(max(0, np.floor(np.log2(max(longest, 1) / inner))))
        while len(levels) <= level:
            levels.append(cv2.pyrDown(levels[-1]))
        scale = 2.0**level
        m = cv2.getPerspectiveTransform((quad + 0.5) / scale - 0.5, goal)
        out[k] = cv2.warpPerspective(
            levels[level],
            m.astype(np.float64),
            (size, size),
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
    return out


def balance(crops: np.ndarray) -> np.ndarray:
    """White balance by the tile's own body: uint8 (n, s, s, 3) to float32 (n, 3, s, s) in which a body is about 0.8.

    The body is taken to be the brighter half of the crop's middle, channel by channel.
    """
    s = crops.shape[1]
    a = round(s * 0.14)
    middle = crops[:, a : s - a, a : s - a].reshape(len(crops), -1, 3).astype(np.float32)
    light = middle.sum(2)
    bright = light >= np.quantile(light, 0.5, axis=1, keepdims=True)
    body = (middle * bright[..., None]).sum(1) / np.maximum(bright.sum(1, keepdims=True), 1)
    out = crops.astype(np.float32) * (0.8 / np.maximum(body, 12.0))[:, None, None, :]
    return np.ascontiguousarray(np.clip(out, 0, 1.3).transpose(0, 3, 1, 2), dtype=np.float32)


@dataclass(frozen=True)
class FaceReading:
    """What the net says of one tile.

    ``faces`` (4, 14): probability of turn and face together, ``turns`` quarter turns counterclockwise that the crop
    needs to stand upright; ``nothing`` the rest; ``inks`` (4,) in the order of `referee.tiles.COLOURS`; ``quad``
    float32 (4, 2): the face's corners in the picture, clockwise from its own top left.
    """

    faces: np.ndarray
    nothing: float
    inks: np.ndarray
    quad: np.ndarray

    @property
    def turn(self) -> int:
        return int(self.faces.max(1).argmax())

    @property
    def classes(self) -> np.ndarray:
        """(14,) probabilities of numbers 1-13 and joker, over all turns."""
        return self.faces.sum(0)


class FaceNet(Protocol):
    """The net behind `read_faces`: float32 (n, 3, 64, 64) to (n, `OUTPUTS`)."""

    def __call__(self, crops: np.ndarray) -> np.ndarray: ...


class OnnxFaceNet:
    """`faces.onnx` by ONNX Runtime."""

    def __init__(self, path: Path, threads: int = 2) -> None:
        from vision.onnx import session

        self._session = session(path, threads)

    def __call__(self, crops: np.ndarray) -> np.ndarray:
        parts = [self._session.run(None, {"crops": crops[k : k + 64]})[0] for k in range(0, len(crops), 64)]
        return np.concatenate(parts) if parts else np.zeros((0, OUTPUTS), np.float32)


def _log_softmax(x: np.ndarray) -> np.ndarray:
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def combine(
    logits: np.ndarray, temperature: float = 1.0, prior_nothing: float = 1.0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Four turns' outputs (n, 4, `OUTPUTS`) to probabilities: faces (n, 4, 14), nothing (n,), inks (n, 4).

    Each turn gives the odds of each face against "not upright"; with at most one turn upright these odds are the
    joint likelihood ratios, and a flat prior over turns makes them probabilities.
    """
    log = _log_softmax(logits[..., : CLASSES + 1] / temperature)
    odds = np.exp(np.clip(log[..., :CLASSES] - log[..., CLASSES:], -30, 30)).astype(np.float64)
    total = odds.sum((1, 2)) + prior_nothing
    joint = odds / total[:, None, None]
    weight = joint.sum(2) + 1e-6
    ink = _log_softmax(logits[..., INKS] / temperature)
    ink = (ink * weight[..., None]).sum(1) / weight.sum(1)[:, None]
    return joint, prior_nothing / total, np.exp(_log_softmax(ink))


def _ask(balanced: np.ndarray, turns: np.ndarray, net: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Outputs for crops (n, 3, s, s), each turned counterclockwise by its number of quarter turns."""
    return net(np.ascontiguousarray([np.rot90(c, int(t), (1, 2)) for c, t in zip(balanced, turns, strict=True)]))


def _unasked(n: int) -> np.ndarray:
    logits = np.zeros((n, 4, OUTPUTS), np.float32)
    logits[:, :, CLASSES] = 12.0
    return logits


def face_quad(quad: np.ndarray, turn: int, offsets: np.ndarray) -> np.ndarray:
    """The face's corners in the picture from the net's offsets (8,) for the crop of ``quad`` turned by ``turn``."""
    corners = square() + offsets.reshape(4, 2) * SIZE
    for _ in range(turn):
        corners = np.stack([SIZE - 1 - corners[:, 1], corners[:, 0]], 1)
    m = cv2.getPerspectiveTransform(square(), quad.astype(np.float32))
    moved = cv2.perspectiveTransform(corners.reshape(1, 4, 2).astype(np.float32), m)[0]
    plain = np.roll(quad, -turn, axis=0).astype(np.float32)
    area, old = cv2.contourArea(moved, oriented=True), abs(cv2.contourArea(plain))
    sane = cv2.isContourConvex(np.round(moved * 8).astype(np.int32)) and 0.45 * old < area < 2.5 * old
    return moved if sane and np.isfinite(moved).all() else plain


def read_faces(
    picture: np.ndarray, quads: np.ndarray, net: Callable[[np.ndarray], np.ndarray], temperature: float = 1.0
) -> list[FaceReading]:
    """Readings of tiles ``quads`` (n, 4, 2); turns are counted from each quad's first corner.

    Each tile is looked at twice: as the finder framed it, which tells its turn and where its corners are, and then
    squared up by those corners, upright and upside down. The two looks are averaged.
    """
    quads = np.asarray(quads, np.float32).reshape(-1, 4, 2)
    n = len(quads)
    if not n:
        return []
    crops = balance(rectify(picture, quads))
    first = np.stack([_ask(crops, np.full(n, turn), net) for turn in range(4)], 1)
    faces, nothing, inks = combine(first, temperature)
    turns = faces.max(2).argmax(1)
    squared = np.stack([face_quad(quads[k], turns[k], first[k, turns[k], CORNERS]) for k in range(n)])
    crops = balance(rectify(picture, squared))
    second = _unasked(n)
    for turn in (0, 2):
        second[np.arange(n), (turns + turn) % 4] = _ask(crops, np.full(n, turn), net)
    again, nothing_again, inks_again = combine(second, temperature)
    faces, nothing, inks = (faces + again) / 2, (nothing + nothing_again) / 2, (inks + inks_again) / 2
    # The second look may find that the first held the tile upside down.
    flipped = (faces.max(2).argmax(1) - turns) % 4
    return [
        FaceReading(faces[k], float(nothing[k]), inks[k], np.roll(squared[k], -int(flipped[k]), axis=0))
        for k in range(n)
    ]
