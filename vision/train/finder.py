"""Training the finder: a one-class oriented detector (Ultralytics OBB) from its configuration file to ONNX.

Pictures in, `finder.onnx` out; every step can be resumed. Ultralytics does the training; this module prepares its
folder, keeps the model in channels-last order (about twice as fast on a CPU) and exports.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from vision.train.pictures import Sample, Target, load_samples, open_picture, varied


@dataclass(frozen=True)
class FinderRecipe:
    """Everything that decides the outcome, written beside the weights."""

    model: str = str(Path(__file__).with_name("finder.yaml"))
    imgsz: int = 320
    batch: int = 16
    hours: float = 1.0
    epochs: int = 100
    variants: int = 6
    held_out: tuple[str, ...] = ("rummy",)
    seed: int = 0
    lr: float = 0.002


def _write_label(path: Path, sample: Sample | list[Target], width: int, height: int) -> None:
    targets = sample.targets if isinstance(sample, Sample) else sample
    lines = []
    for t in targets:
        if t.tile is not None:
            corners = np.clip(t.rectangle / [width, height], 0, 1)
            lines.append("0 " + " ".join(f"{v:.5f}" for v in corners.reshape(-1)))
    path.write_text("\n".join(lines) + ("\n" if lines else ""), encoding="utf-8")


def prepare(
    out: Path, rendered: Sequence[Path], photos: Sequence[Path], recipe: FinderRecipe, keep_back: int = 120
) -> Path:
    """Lay out Ultralytics' folder below ``out`` and return its data file. The last rendered pictures and the held-out
    series are for validation."""
    rng = np.random.default_rng(recipe.seed)
    for split in ("train", "val"):
        (out / "images" / split).mkdir(parents=True, exist_ok=True)
        (out / "labels" / split).mkdir(parents=True, exist_ok=True)
    for number, folder in enumerate(rendered):
        samples = load_samples(folder)
        back = min(keep_back, len(samples) // 10)
        for k, sample in enumerate(samples):
            split = "val" if k >= len(samples) - back else "train"
            name = f"r{number}_{sample.path.stem}"
            target = out / "images" / split / f"{name}.jpg"
            if not target.exists():
                try:
                    target.hardlink_to(sample.path)
                except OSError:
                    shutil.copyfile(sample.path, target)
            picture = open_picture(sample.path)
            _write_label(out / "labels" / split / f"{name}.txt", sample, picture.shape[1], picture.shape[0])
    for number, folder in enumerate(photos):
        for sample in load_samples(folder):
            picture = open_picture(sample.path)
            name = f"p{number}_{sample.path.stem}"
            if sample.series in recipe.held_out:
                cv2.imwrite(str(out / "images" / "val" / f"{name}.jpg"), picture)
                _write_label(out / "labels" / "val" / f"{name}.txt", sample, picture.shape[1], picture.shape[0])
                continue
            cv2.imwrite(str(out / "images" / "train" / f"{name}.jpg"), picture)
            _write_label(out / "labels" / "train" / f"{name}.txt", sample, picture.shape[1], picture.shape[0])
            for k in range(recipe.variants):
                changed, targets = varied(picture, sample.targets, rng, 576)
                cv2.imwrite(str(out / "images" / "train" / f"{name}_{k}.jpg"), changed)
                _write_label(out / "labels" / "train" / f"{name}_{k}.txt", targets, 576, 576)
    data = out / "data.yaml"
    data.write_text(
        f"path: {json.dumps(str(out.resolve()))}\ntrain: images/train\nval: images/val\nnames:\n  0: tile\n",
        encoding="utf-8",
    )
    return data


def train(data: Path, out: Path, recipe: FinderRecipe, resume: bool = False, start: Path | None = None) -> Path:
    """Train; returns the best checkpoint. ``start``: weights to begin from; ``resume``: go on with the schedule."""
    import torch
    from ultralytics import YOLO

    last = out / "finder" / "weights" / "last.pt"
    model = YOLO(str(last if resume else start or recipe.model), task="obb")
    model.add_callback("on_pretrain_routine_end", lambda trainer: trainer.model.to(memory_format=torch.channels_last))
    model.train(
        data=str(data),
        project=str(out.resolve()),
        name="finder",
        exist_ok=True,
        resume=resume,
        imgsz=recipe.imgsz,
        batch=recipe.batch,
        nbs=recipe.batch,
        epochs=recipe.epochs,
        time=recipe.hours or None,
        device="cpu",
        workers=1,
        amp=False,
        optimizer="AdamW",
        lr0=recipe.lr,
        lrf=0.02,
        cos_lr=True,
        warmup_epochs=0.5,
        weight_decay=0.0005,
        seed=recipe.seed,
        pretrained=start is not None,
        single_cls=True,
        plots=False,
        mosaic=0.25,
        close_mosaic=0,
        degrees=20,
        translate=0.1,
        scale=(0.7, 1.9),
        fliplr=0.5,
        flipud=0.5,
        hsv_h=0.02,
        hsv_s=0.5,
        hsv_v=0.35,
        deterministic=False,
        val=True,
        cache="ram",
    )
    best = out / "finder" / "weights" / "best.pt"
    return best if best.exists() else last


def export(checkpoint: Path, target: Path, imgsz: int = 640) -> Path:
    """ONNX of any input size (multiples of 32), without NMS: output (1, 6, n) of cx, cy, w, h, score, angle."""
    from ultralytics import YOLO

    made = Path(
        YOLO(str(checkpoint), task="obb").export(
            format="onnx", imgsz=imgsz, dynamic=True, simplify=True, opset=17, device="cpu"
        )
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(made, target)
    return target
