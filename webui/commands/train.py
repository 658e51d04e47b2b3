"""`tilekeeper train finder|face`: from labelled pictures to the ONNX files that ship (extra `train`)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from webui.commands.inputs import Unusable

SHOWN_TO_THAW = 320
"""Pictures on which an ONNX file's scales are measured."""
Folder = click.Path(path_type=Path, exists=True, file_okay=False)


@click.group()
def train() -> None:
    """Make the weights from pictures (needs the extra `train`: torch and Ultralytics)."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in (
        click.option(
            "--rendered",
            type=Folder,
            multiple=True,
            help="Folder made by `tilekeeper render tables`; may be repeated.",
        ),
        click.option(
            "--photos",
            type=Folder,
            multiple=True,
            help="Folder of real photos with labels.json; may be repeated.",
        ),
        click.option(
            "--out",
            type=click.Path(path_type=Path, file_okay=False),
            default=Path("runs"),
            show_default=True,
            help="Checkpoints and reports.",
        ),
        click.option(
            "--export",
            "target",
            type=click.Path(path_type=Path, dir_okay=False),
            help="Where the ONNX file goes [default: OUT].",
        ),
        click.option("--minutes", type=click.FloatRange(0.01), help="How long to train."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True),
        click.option("--resume", is_flag=True, help="Go on with a training that was interrupted, from OUT."),
        click.option(
            "--start",
            type=click.Path(path_type=Path, exists=True, dir_okay=False),
            help="Begin from these weights (.pt, or an ONNX file of the same net) with a new schedule.",
        ),
        click.option(
            "--held-out",
            "held_out",
            multiple=True,
            default=("rummy",),
            show_default=True,
            help="Series of real photos kept for validation.",
        ),
    ):
        command = option(command)
    return command


def _extra() -> None:
    try:
        import torch  # noqa: F401
        import ultralytics  # noqa: F401
    except ImportError as error:
        raise Unusable(f"training needs the extra `train`: pip install 'tilekeeper[train]' ({error})") from None


def _thawed(make: Callable[[], Path]) -> Path:
    try:
        return make()
    except (KeyError, ValueError, RuntimeError) as error:
        raise Unusable(f"--start: these are not the weights of this net: {error}") from None


def _samples(folders: tuple[Path, ...]) -> list[Any]:
    from vision.train.pictures import load_samples

    try:
        return [s for folder in folders for s in load_samples(folder)]
    except (OSError, ValueError, KeyError) as error:
        raise Unusable(f"labels cannot be used: {error}") from None


def _needs_pictures(rendered: tuple[Path, ...], photos: tuple[Path, ...]) -> None:
    if not rendered and not photos:
        raise Unusable("nothing to learn from: give --rendered FOLDER or --photos FOLDER")


@train.command()
@_options
@click.option(
    "--imgsz",
    type=click.IntRange(64, 1280),
    default=448,
    show_default=True,
    help="Side of the training pictures.",
)
@click.option("--batch", type=click.IntRange(1, 512), default=16, show_default=True)
def finder(
    rendered: tuple[Path, ...],
    photos: tuple[Path, ...],
    out: Path,
    target: Path | None,
    minutes: float | None,
    seed: int,
    resume: bool,
    start: Path | None,
    held_out: tuple[str, ...],
    imgsz: int,
    batch: int,
) -> None:
    """The one-class oriented detector, from its configuration file, by Ultralytics."""
    _extra()
    _needs_pictures(rendered, photos)
    from vision.train.finder import FinderRecipe, export, prepare
    from vision.train.finder import train as learn

    recipe = FinderRecipe(hours=(minutes or 90) / 60, imgsz=imgsz, batch=batch, seed=seed, held_out=held_out)
    samples = _samples(rendered + photos)
    out.mkdir(parents=True, exist_ok=True)
    if start and start.suffix == ".onnx":
        from vision.train.pictures import open_picture
        from vision.train.thaw import thaw_finder

        pictures = [open_picture(s.path) for s in samples[:: -(-len(samples) // SHOWN_TO_THAW)]]
        start = _thawed(partial(thaw_finder, start, recipe.model, pictures, out / "start.pt", imgsz))
    (out / "finder.json").write_text(json.dumps(asdict(recipe), indent=1), encoding="utf-8")
    data = prepare(out / "finder-data", rendered, photos, recipe)
    best = learn(data, out, recipe, resume, start)
    made = export(best, target or out / "finder.onnx")
    click.echo(f"{made} made from {best}", err=True)


@train.command()
@_options
@click.option("--fresh", is_flag=True, help="Cut the crops anew instead of taking those kept in OUT.")
@click.option(
    "--mix",
    type=click.FloatRange(0.01, 1),
    default=1.0,
    show_default=True,
    help="With --start: the net is the mean of those weights and what was trained, which counts for so much.",
)
def face(
    rendered: tuple[Path, ...],
    photos: tuple[Path, ...],
    out: Path,
    target: Path | None,
    minutes: float | None,
    seed: int,
    resume: bool,
    start: Path | None,
    held_out: tuple[str, ...],
    fresh: bool,
    mix: float,
) -> None:
    """The net that reads number, ink and turn of one tile.

    With photos it is trained twice: first on rendered crops, then, when it can tell a real tile's top, on both.
    """
    _extra()
    _needs_pictures(rendered, photos)
    if mix < 1 and not start:
        raise Unusable("--mix needs --start: the weights to be mixed with")
    from vision.train.face_course import FaceCourse

    out.mkdir(parents=True, exist_ok=True)
    samples = _samples(rendered), _samples(photos)
    if start and start.suffix == ".onnx":
        from vision.faces import balance
        from vision.train.face import at_size
        from vision.train.face_data import cut
        from vision.train.thaw import thaw_faces

        both = [*samples[0], *samples[1]]
        crops = cut(both[:: -(-len(both) // SHOWN_TO_THAW)], seed)
        start = _thawed(partial(thaw_faces, start, balance(at_size(crops.pictures)), out / "start.pt"))
    course = FaceCourse(out, (minutes or 45) * 60, seed, held_out, lambda line: click.echo(line, err=True))
    model, report = course.run(*samples, start, resume, fresh, mix)
    from vision.train.face import export

    made = export(model, target or out / "faces.onnx")
    click.echo(f"{made} made; report in {report}", err=True)
