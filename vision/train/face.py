"""Training the face net: a small convolutional net on square crops, from cached crops to ONNX.

`train` goes through the crops for a given time with one cosine schedule, writes a checkpoint after every pass and can
be resumed; `export` writes `faces.onnx` (input ``crops`` (n, 3, 64, 64), output ``logits`` (n, 27)).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from vision.faces import CLASSES, CORNERS, INKS, MARGIN, SIZE, balance, square
from vision.train.face_data import INNER, KEPT, Crops


@dataclass(frozen=True)
class FaceRecipe:
    seconds: float = 1500
    batch: int = 192
    lr: float = 0.003
    weight_decay: float = 0.02
    seed: int = 0
    real_share: float = 0.25
    """Share of real crops in every batch, however few there are."""


def _block(a: int, b: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(a, b, 3, stride, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU(inplace=True))


class FaceModel(nn.Module):
    """About 0.6 million weights, 20 million multiplications a crop.

    Out of it come the logits of 14 faces, none, and four inks, and where the face's corners are, as offsets from
    `vision.faces.square` in crop sides.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            _block(3, 16, 2),
            _block(16, 24),
            _block(24, 48, 2),
            _block(48, 48),
            _block(48, 80, 2),
            _block(80, 80),
            _block(80, 128, 2),
            _block(128, 128),
        )
        self.face = nn.Sequential(
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(128 * 16, 96),
            nn.ReLU(inplace=True),
            nn.Linear(96, CLASSES + 1),
        )
        # Colour lives in the shallow maps; where the ink is, in the deep ones.
        self.ink_map = nn.Conv2d(48, 16, 1)
        self.ink = nn.Sequential(nn.Linear(16 + 128, 48), nn.ReLU(inplace=True), nn.Linear(48, 4))
        self.corners = nn.Sequential(nn.Flatten(), nn.Linear(128 * 16, 64), nn.ReLU(inplace=True), nn.Linear(64, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        shallow = self.trunk[:4](x)
        deep = self.trunk[4:](shallow)
        tint = torch.relu(self.ink_map(shallow)).amax((2, 3))
        ink = self.ink(torch.cat([tint, deep.mean((2, 3))], 1))
        return torch.cat([self.face(deep), ink, self.corners(deep)], 1)


def _jitter(
    picture: np.ndarray, corners: np.ndarray, turn: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """One net input cut from a kept crop as a finder would frame it: turned by ``turn`` quarter turns, and by some
    degrees, moved, stretched and sheared; and the face's corners in it."""
    half = INNER * (1 + 2 * MARGIN) / 2
    frame: np.ndarray = np.array([[-half, -half], [half, -half], [half, half]], np.float32)
    # A rectangle round a slanted tile may stand askew by a good deal.
    lean = rng.normal(0, 4.0) if rng.random() < 0.6 else rng.uniform(-30, 30)
    loose = 1.0 if rng.random() < 0.6 else 2.0
    a = np.radians(lean + 90 * turn)
    stretch = 1 + rng.normal(0, 0.05 * loose, 2)
    shear = np.array([[1, rng.normal(0, 0.08 * loose)], [0, 1]])
    rotation = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    source = (frame * stretch) @ shear.T @ rotation.T + KEPT / 2 - 0.5 + rng.normal(0, 0.03 * loose, 2) * INNER
    if rng.random() < 0.15:
        picture, source = _without_foot(picture, source, rng)
    goal = np.array([[-0.5, -0.5], [SIZE - 0.5, -0.5], [SIZE - 0.5, SIZE - 0.5]], np.float32)
    m = cv2.getAffineTransform(source.astype(np.float32), goal)
    if rng.random() < 0.2:  # seen from far away
        k = rng.uniform(0.25, 0.7)
        small = cv2.resize(picture, None, fx=k, fy=k, interpolation=cv2.INTER_AREA)
        picture = cv2.resize(small, (KEPT, KEPT), interpolation=cv2.INTER_LINEAR)
    crop = cv2.warpAffine(picture, m, (SIZE, SIZE), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return crop, corners @ m[:, :2].T + m[:, 2]


def _without_foot(
    picture: np.ndarray, source: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """The foot hidden by what stands before the tile, and the frame round what is left of it."""
    left = rng.uniform(0.66, 0.95)
    top = (KEPT - INNER) / 2
    below = round(top + left * INNER)
    if rng.random() < 0.7:
        picture = picture.copy()
        picture[below:] = rng.uniform(20, 235) * rng.uniform(0.85, 1.15, 3)
    framed = source.copy()
    framed[:, 1] = top - 0.5 + (source[:, 1] - top + 0.5) * left
    return picture, framed


def _light(batch: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Gain, tint, saturation, slight hue turn, shade over half the crop and noise on uint8 (n, s, s, 3)."""
    n, s = batch.shape[:2]
    x: np.ndarray = batch.astype(np.float32)
    grey = x.mean(3, keepdims=True)
    x = grey + (x - grey) * rng.uniform(0.7, 1.3, (n, 1, 1, 1)).astype(np.float32)
    x *= (rng.uniform(0.55, 1.25, (n, 1, 1, 1)) * (1 + rng.normal(0, 0.06, (n, 1, 1, 3)))).astype(np.float32)
    ys, xs = np.mgrid[0:s, 0:s].astype(np.float32) / s - 0.5
    angle, place = np.asarray(rng.uniform(0, 6.3, n)), np.asarray(rng.uniform(-0.5, 0.5, n))
    depth = np.where(rng.random(n) < 0.2, rng.uniform(0.2, 0.6, n), 0)
    side = xs[None] * np.cos(angle)[:, None, None] + ys[None] * np.sin(angle)[:, None, None] > place[:, None, None]
    x *= (1 - depth[:, None, None] * side).astype(np.float32)[..., None]
    x = 255 * np.clip(x / 255, 0, 1) ** rng.uniform(0.8, 1.25, (n, 1, 1, 1)).astype(np.float32)
    # A webcam in a dim room makes more noise than a phone, and more in colour than in light.
    noise = np.where(rng.random(n) < 0.15, rng.uniform(6, 18, n), rng.uniform(0, 6, n)).astype(np.float32)
    x += rng.standard_normal(x.shape, np.float32) * noise[:, None, None, None]
    return np.clip(x, 0, 255).astype(np.uint8)


Batch = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def make_batch(crops: Crops, chosen: np.ndarray, rng: np.random.Generator) -> Batch:
    """Inputs, faces, inks and corners (NaN: not known); half are not upright and must be called "none"."""
    # Upside down is the harder lie: 6 and 9.
    turns = rng.choice(4, len(chosen), p=[0.5, 0.13, 0.24, 0.13])
    cut = [_jitter(crops.pictures[i], crops.corners[i], int(t), rng) for i, t in zip(chosen, turns, strict=True)]
    pictures = np.stack([c[0] for c in cut])
    corners = np.stack([c[1] for c in cut])
    corners[turns != 0] = np.nan
    corners = (corners - square()) / SIZE
    faces = np.where(turns == 0, crops.faces[chosen], CLASSES)
    inks = crops.inks[chosen]
    return (
        torch.from_numpy(balance(_light(pictures, rng))),
        torch.from_numpy(faces),
        torch.from_numpy(inks),
        torch.from_numpy(corners.reshape(-1, 8).astype(np.float32)),
    )


def at_size(pictures: np.ndarray) -> np.ndarray:
    """Kept crops uint8 (n, 96, 96, 3) as the net sees them, (n, 64, 64, 3)."""
    a = round((KEPT - INNER * (1 + 2 * MARGIN)) / 2)
    part = pictures[:, a : KEPT - a, a : KEPT - a]
    return np.stack([cv2.resize(np.ascontiguousarray(p), (SIZE, SIZE), interpolation=cv2.INTER_AREA) for p in part])


def predictor(model: FaceModel) -> Callable[[np.ndarray], np.ndarray]:
    """Kept crops uint8 (n, 96, 96, 3) to log probabilities (n, 15) followed by ink log probabilities (n, 4)."""

    def predict(pictures: np.ndarray) -> np.ndarray:
        model.eval()
        rows = []
        with torch.no_grad():
            for k in range(0, len(pictures), 256):
                out = model(torch.from_numpy(balance(at_size(pictures[k : k + 256]))))
                rows.append(
                    torch.cat(
                        [
                            functional.log_softmax(out[:, : CLASSES + 1], 1),
                            functional.log_softmax(out[:, INKS], 1),
                        ],
                        1,
                    ).numpy()
                )
        return np.concatenate(rows)

    return predict


def accuracy(model: FaceModel, crops: Crops) -> dict[str, float]:
    """Shares right on settled crops shown upright, and told from none when upside down."""
    predict = predictor(model)
    faces = crops.faces < CLASSES
    up = predict(crops.pictures)
    down = predict(np.rot90(crops.pictures, 2, (1, 2)))
    coloured = crops.inks >= 0
    return {
        "face": float((up[faces, : CLASSES + 1].argmax(1) == crops.faces[faces]).mean()),
        "none": float((up[~faces, : CLASSES + 1].argmax(1) == CLASSES).mean()) if (~faces).any() else 1.0,
        "upside": float((down[faces, : CLASSES + 1].argmax(1) == CLASSES).mean()),
        "ink": float((up[coloured, CLASSES + 1 :].argmax(1) == crops.inks[coloured]).mean()),
    }


def train(
    crops: Crops,
    held_out: Crops,
    out: Path,
    recipe: FaceRecipe,
    say: Callable[[str], None] = print,
    start: Path | None = None,
    resume: bool = False,
) -> FaceModel:
    """Train for ``recipe.seconds``; the checkpoint ``faces.pt`` in ``out`` is written every 250 steps."""
    torch.manual_seed(recipe.seed)
    rng = np.random.default_rng(recipe.seed)
    model = FaceModel().to(memory_format=torch.channels_last)
    out.mkdir(parents=True, exist_ok=True)
    checkpoint = out / "faces.pt"
    spent = 0.0
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.lr, weight_decay=recipe.weight_decay)
    if resume and checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        spent = state["spent"]
    elif start:
        model.load_state_dict(torch.load(start, weights_only=True)["model"], strict=False)
    batches = ThreadPoolExecutor(1)
    real, drawn = np.flatnonzero(crops.real), np.flatnonzero(~crops.real)
    few = min(round(recipe.batch * recipe.real_share), recipe.batch) if len(real) else 0
    weights = torch.ones(CLASSES + 1)

    def next_batch() -> Batch:
        chosen = (
            np.concatenate([rng.choice(drawn, recipe.batch - few), rng.choice(real, few)])
            if few
            else rng.choice(drawn, recipe.batch)
        )
        return make_batch(crops, chosen, rng)

    waiting = batches.submit(next_batch)  # the next batch is cut while the net learns from this one
    began = time.monotonic() - spent
    step, losses = 0, []
    while True:
        spent = time.monotonic() - began
        done = min(1.0, spent / recipe.seconds)
        for group in optimizer.param_groups:
            warm = 1.0 if resume or start else min(1.0, step / 100)
            group["lr"] = recipe.lr * warm * float(0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * done)))
        x, faces, inks, corners = waiting.result()
        waiting = batches.submit(next_batch)
        model.train()
        logits = model(x.to(memory_format=torch.channels_last))
        loss = functional.cross_entropy(logits[:, : CLASSES + 1], faces, weights, label_smoothing=0.01)
        known = inks >= 0
        if known.any():
            loss = loss + functional.cross_entropy(logits[known, INKS], inks[known], label_smoothing=0.01)
        placed = ~torch.isnan(corners).any(1) & (corners.abs().amax(1) < 0.6)
        if placed.any():
            loss = loss + 20 * functional.smooth_l1_loss(logits[placed, CORNERS], corners[placed], beta=0.05)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        optimizer.step()
        losses.append(float(loss.detach()))
        step += 1
        if step % 250 == 0 or done >= 1:
            torch.save(
                {
                    "model": model.state_dict(),
                    "optimizer": optimizer.state_dict(),
                    "spent": spent,
                    "recipe": asdict(recipe),
                },
                checkpoint,
            )
            shares = "  ".join(f"{k} {v:.2%}" for k, v in accuracy(model, held_out).items())
            mean = np.mean(losses[-250:])
            say(f"step {step}  {spent:.0f}s of {recipe.seconds:.0f}s  loss {mean:.3f}  held out: {shares}")
        if done >= 1:
            batches.shutdown()
            return model


def mixed(start: Path, model: FaceModel, share: float) -> FaceModel:
    """The mean, weight by weight, of a checkpoint and the net trained on from it, which counts for ``share``.

    It keeps what the one knew and takes on what the other learned (Wortsman et al. 2022, "Robust fine-tuning of
    zero-shot models").
    """
    old, new = torch.load(start, weights_only=True)["model"], model.state_dict()
    both = {k: old[k] * (1 - share) + v * share if v.is_floating_point() else v for k, v in new.items()}
    model.load_state_dict(both)
    return model


def export(model: FaceModel, target: Path) -> Path:
    """Write ``faces.onnx``."""
    model.eval()
    target.parent.mkdir(parents=True, exist_ok=True)
    torch.onnx.export(
        model.to(memory_format=torch.contiguous_format),
        (torch.zeros(2, 3, SIZE, SIZE),),
        str(target),
        input_names=["crops"],
        output_names=["logits"],
        dynamic_axes={"crops": {0: "n"}, "logits": {0: "n"}},
        opset_version=17,
        dynamo=False,
    )
    return target
