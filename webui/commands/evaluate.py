"""`tilekeeper evaluate`: accuracy on labelled photos."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import cv2
import numpy as np

from vision import report
from vision.evaluation import Figures, LabelledPhoto, LabelsError, Scored, parse_labels, score, sums
from vision.pictures import PictureError, load
from vision.reading import Reading, ReadingError, StoredReader, TableReader
from webui.commands.inputs import Unusable, print_json, read_json
from webui.commands.read import make_reader, progress

MOST_CUT_OUTS = 400


def as_samples(scored: Sequence[Scored]) -> list[report.Sample]:
    """Every found tile as the report wants it."""
    return [
        report.Sample(pair.label.tile, pair.read.tile, pair.read.confidence, pair.read.unsure, pair.photo)
        for one in scored
        for pair in one.pairs
        if pair.read is not None
    ]


def cut_outs(one: Scored, picture: np.ndarray) -> list[tuple[np.ndarray, str]]:
    """Misread, unsure and extra tiles of one photo, each with what lies there and what was read."""
    shown = [
        (pair.read, str(pair.label.tile)) for pair in one.pairs
        if pair.read is not None and (pair.read.unsure or not pair.right)
    ]
    shown += [(tile, "no tile") for tile in one.extra]
    where = one.photo.name[:20]
    return [
        (report.cut_out(picture, t.quad), f"{wanted} as {t.word} {t.confidence:.0%}\n{where}")
        for t, wanted in shown
    ]


def table(scored: Sequence[Scored]) -> str:
    """A line a photo, then each scene, then all."""
    def line(name: str, f: Figures) -> str:
        n = max(f.tiles, 1)
        sets = f"{f.sets_right}/{f.sets}" if f.sets else "-"
        shares = f"{f.found / n:6.1%} {f.extra:6} {f.right / n:6.1%} {f.number / n:6.1%}"
        exact = f"{f.exact:3}/{f.photos:<3}"
        return f"{name[:34]:34} {f.tiles:5} {shares} {sets:>6} {exact} {f.sure_wrong:10} {f.unsure:6}"

    head = f"{'photo':34} tiles  found  extra  right number   sets  exact sure-wrong unsure"
    rows = [line(one.photo.name, one.figures) for one in scored]
    return "\n".join([head, *rows, *(line(name, f) for name, f in sorted(sums(scored).items()))])


def document(scored: Sequence[Scored]) -> dict[str, Any]:
    """The figures and tables as one JSON document."""
    return {
        "photos": {one.photo.name: one.figures.to_json() for one in scored},
        "sums": {name: figures.to_json() for name, figures in sorted(sums(scored).items())},
        **report.summary(as_samples(scored)),
    }


@click.command()
@click.argument("labels", metavar="LABELS.json")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--report", "report_to", metavar="FOLDER", help="Write report.html and the misread tiles.")
@click.option("--photos", metavar="FOLDER", help="Where the photos are. [beside the labels]")
@click.option("--series", multiple=True, metavar="NAME", help="Only photos of this series; may be repeated.")
@click.option("--readings", metavar="FOLDER", help="Score stored readings (NAME.json) instead of reading.")
@click.option("--models", metavar="FOLDER", help="The weights to read with.")
def evaluate(
    labels: str, as_json: bool, report_to: str | None, photos: str | None, series: tuple[str, ...],
    readings: str | None, models: str | None,
) -> None:
    """Read the labelled photos of LABELS.json and print how well that agrees with the labels."""
    folder = Path(photos) if photos else Path(labels).parent
    chosen = _chosen(labels, series)
    if readings and not Path(readings).is_dir():
        raise Unusable(f"there is no folder {readings} with readings")
    target = _report_folder(report_to)
    reader: TableReader = StoredReader(Path(readings)) if readings else make_reader(models)
    by_name = {photo.name: photo for photo in chosen}
    scored: list[Scored] = []
    pictures: list[tuple[np.ndarray, str]] = []
    failed = False
    with progress(list(by_name), "evaluating") as todo:
        for name in todo:
            try:
                picture = load(folder / name)
                one = score(by_name[name], reader.read(picture, str(folder / name)))
            except (PictureError, ReadingError) as error:
                # It counts as a photo on which nothing was found, so that figures stay comparable.
                failed = True
                click.echo(f"tilekeeper: {error}", err=True)
                scored.append(score(by_name[name], Reading(0, 0)))
                continue
            scored.append(one)
            if target and len(pictures) < MOST_CUT_OUTS:
                pictures += cut_outs(one, picture)
    if target:
        _write_report(target, scored, pictures[:MOST_CUT_OUTS])
    if as_json:
        print_json(document(scored))
    else:
        click.echo(f"{table(scored)}\n\n{report.text(as_samples(scored))}")
    if failed:
        sys.exit(2)


def _chosen(labels: str, series: tuple[str, ...]) -> tuple[LabelledPhoto, ...]:
    try:
        found = parse_labels(read_json(labels))
    except LabelsError as error:
        raise Unusable(f"{labels}: {error}") from None
    chosen = tuple(photo for photo in found if not series or photo.series in series)
    if not chosen:
        raise Unusable(f"{labels} labels no tiles" + (f" in series {', '.join(series)}" if series else ""))
    return chosen


def _report_folder(report_to: str | None) -> Path | None:
    if report_to is None:
        return None
    folder = Path(report_to)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "unwritable").lower()
        raise Unusable(f"cannot make the folder {folder}: {reason}") from None
    return folder


def _write_report(folder: Path, scored: Sequence[Scored], pictures: list[tuple[np.ndarray, str]]) -> None:
    try:
        done, data = cv2.imencode(".png", report.sheet(pictures))
        (folder / "misread.png").write_bytes(data.tobytes() if done else b"")
        words = report.page("How well the tiles are read", table(scored), as_samples(scored), "misread.png")
        (folder / "report.html").write_text(words, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"cannot write the report: {(error.strerror or 'unwritable').lower()}") from None
    click.echo(f"The report is {folder / 'report.html'}", err=True)
