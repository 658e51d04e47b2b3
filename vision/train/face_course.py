"""The whole course of the face net.

Crops, a first training on rendered tiles, real tiles turned upright by it, a second training on both, a report.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import cv2
import numpy as np

from referee.tiles import COLOURS, Tile
from vision import report
from vision.faces import CLASSES
from vision.train.face import FaceModel, FaceRecipe, accuracy, mixed, predictor, train
from vision.train.face_data import Crops, cut, load, save, settle_turns
from vision.train.pictures import Sample

SHOWN = 400
FIRST = 0.4
"""Share of the time that the first training takes where there are real photos."""


def _kept(path: Path, fresh: bool, make: Callable[[], Crops]) -> Crops:
    if fresh or not path.exists():
        save(make(), path)
    return load(path)


class FaceCourse:
    """Runs in a folder ``out``; what is done there already is not done again unless ``fresh``."""

    def __init__(
        self, out: Path, seconds: float, seed: int, held_out: Sequence[str], say: Callable[[str], None]
    ) -> None:
        self.out, self.seconds, self.seed, self.held_out, self.say = out, seconds, seed, tuple(held_out), say

    def run(
        self,
        rendered: Sequence[Sample],
        photos: Sequence[Sample],
        start: Path | None = None,
        resume: bool = False,
        fresh: bool = False,
        mix: float = 1.0,
    ) -> tuple[FaceModel, Path]:
        """Train; returns the net and the folder of the report. With ``mix`` below 1 the net is the mean of ``start``
        and what was trained, which counts for so much."""
        back = max(1, min(150, len(rendered) // 10))
        parts, tests = [], []
        if rendered:
            parts.append(_kept(self.out / "rendered.npz", fresh, lambda: cut(rendered[:-back], self.seed)))
            tests.append(_kept(self.out / "rendered-held-out.npz", fresh, lambda: cut(rendered[-back:], self.seed + 1)))
        first = self.out / "first"
        if photos and not (start or resume) and parts:
            self.say("first training, on rendered tiles")
            recipe = FaceRecipe(seconds=self.seconds * FIRST, seed=self.seed)
            train(Crops.join(parts), tests[0], first, recipe, self.say)
            start = first / "faces.pt"
        if photos:
            guide = self._guide(start or (self.out / "faces.pt" if resume else None))
            learn = [s for s in photos if s.series not in self.held_out]
            hold = [s for s in photos if s.series in self.held_out]
            for group, name, target in ((learn, "real", parts), (hold, "real-held-out", tests)):
                if group:
                    crops = _kept(self.out / f"{name}.npz", fresh, lambda g=group: cut(g, self.seed + 2, real=True))  # type: ignore[misc]
                    target.append(settle_turns(crops, guide))
        recipe = FaceRecipe(seconds=self.seconds * (1 - FIRST if photos and rendered else 1), seed=self.seed + 1)
        (self.out / "face.json").write_text(
            json.dumps(asdict(recipe) | {"held_out": self.held_out}, indent=1), encoding="utf-8"
        )
        model = train(Crops.join(parts), Crops.join(tests), self.out, recipe, self.say, start, resume)
        if start and mix < 1:
            model = mixed(start, model, mix)
        return model, self.report(model, tests)

    def _guide(self, weights: Path | None) -> Callable[[np.ndarray], np.ndarray]:
        import torch

        model = FaceModel()
        if weights and weights.exists():
            model.load_state_dict(torch.load(weights, weights_only=True)["model"])
        return predictor(model)

    def report(self, model: FaceModel, tests: Sequence[Crops]) -> Path:
        """For held-out crops, rendered and real apart: figures as JSON, tables as a page, misread tiles as a sheet."""
        folder = self.out / "report"
        folder.mkdir(parents=True, exist_ok=True)
        document = {}
        for crops in tests:
            name = "real" if crops.real.any() else "rendered"
            judged = judge(model, crops)
            figures = accuracy(model, crops)
            document[name] = {"accuracy": figures, **report.summary(judged)}
            faces = crops.only(crops.faces < CLASSES)
            misread = [k for k, s in enumerate(judged) if not s.right][:SHOWN]
            picture = report.sheet([(faces.pictures[k], f"{judged[k].wanted} as {judged[k].got}") for k in misread])
            if not cv2.imwrite(str(folder / f"{name}.png"), picture):
                raise OSError(f"cannot write {folder / name}.png")
            shares = "  ".join(f"{key} {value:.2%}" for key, value in figures.items())
            page = report.page(f"Faces, {name}", shares, judged, f"{name}.png")
            (folder / f"{name}.html").write_text(page, encoding="utf-8")
        (folder / "face.json").write_text(json.dumps(document, indent=1, ensure_ascii=False), encoding="utf-8")
        return folder


def judge(model: FaceModel, crops: Crops) -> list[report.Sample]:
    """Each crop with a face, as labelled and as the net reads it upright."""
    faces = crops.only(crops.faces < CLASSES)
    log = predictor(model)(faces.pictures)
    out = []
    for row, face, ink in zip(log, faces.faces, faces.inks, strict=True):
        wanted = Tile.JOKER if face == 13 else Tile(COLOURS[ink], int(face) + 1)
        best, colour = int(row[: CLASSES + 1].argmax()), int(row[CLASSES + 1 :].argmax())
        chance = float(np.exp(row[best]))
        if best == CLASSES:
            got = Tile.UNREAD
        elif best == 13:
            got = Tile.JOKER
        else:
            got, chance = Tile(COLOURS[colour], best + 1), chance * float(np.exp(row[CLASSES + 1 + colour]))
        out.append(report.Sample(wanted, got, chance))
    return out
