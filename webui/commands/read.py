"""`tilekeeper read`: photos to layouts."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click
import cv2
import numpy as np

from referee.documents import one_line
from vision.draw import draw
from vision.pictures import PictureError, find_photos, load
from vision.reading import Reading, ReadingError, TableReader
from webui.commands.inputs import LARGEST, Unusable, print_json

DRAWN_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp")


def make_reader(models: str | None) -> TableReader:
    """The reader by its nets, from ``models`` or the weights that were installed. Raises `Unusable`."""
    from vision.reader import Reader

    try:
        reader: TableReader = Reader.load(Path(models) if models else None)
        return reader
    except (OSError, ValueError, RuntimeError) as error:
        raise Unusable(str(error).splitlines()[0]) from None


def load_photo(path: str) -> np.ndarray:
    """A picture from a file, or from standard input for ``-``. Raises `PictureError`."""
    if path == "-":
        data = sys.stdin.buffer.read(LARGEST * 4 + 1)
        if len(data) > LARGEST * 4:
            raise PictureError(f"the picture on standard input is larger than {LARGEST * 4 >> 20} MiB")
        return load(data, "the picture on standard input")
    return load(path)


@contextmanager
def progress(photos: Sequence[str], what: str) -> Iterator[Iterator[str]]:
    """Go through photos with a bar on standard error, where that is a terminal and there are several."""
    if len(photos) < 2 or not sys.stderr.isatty():
        yield iter(photos)
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        yield iter(bar.track(photos, description=what))


@dataclass(slots=True)
class Drawings:
    """Where annotated pictures go: one file, or a folder with one a photo."""

    target: Path
    several: bool
    written: set[Path] = field(default_factory=set)

    @classmethod
    def at(cls, target: str, several: bool) -> Drawings:
        """Check the target before anything is read. Raises `Unusable`."""
        path = Path(target)
        if several or path.is_dir():
            if path.exists() and not path.is_dir():
                raise Unusable(f"{path} is a file: several photos are drawn into a folder")
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise Unusable(f"cannot make the folder {path}: {(error.strerror or '').lower()}") from None
            return cls(path, True)
        if path.suffix.lower() not in DRAWN_SUFFIXES:
            raise Unusable(f"--draw {path}: the name must end in {', '.join(DRAWN_SUFFIXES)}")
        if not path.parent.is_dir():
            raise Unusable(f"--draw {path}: there is no folder {path.parent}")
        return cls(path, False)

    def write(self, photo: str, picture: np.ndarray, reading: Reading) -> Path:
        """Draw and write one photo, wholly or not at all. Raises `Unusable`."""
        path = self._place(photo)
        done, data = cv2.imencode(path.suffix.lower(), draw(picture, reading))
        if not done:
            raise Unusable(f"{path} could not be drawn")
        try:
            handle, half = tempfile.mkstemp(dir=path.parent, suffix=path.suffix)
            with os.fdopen(handle, "wb") as stream:
                stream.write(data.tobytes())
            Path(half).chmod(0o644)
            Path(half).replace(path)
        except OSError as error:
            raise Unusable(f"cannot write {path}: {(error.strerror or 'unwritable').lower()}") from None
        self.written.add(path)
        return path

    def _place(self, photo: str) -> Path:
        source = Path("picture.jpg" if photo == "-" else photo)
        if not self.several:
            if self.target.exists() and source.exists() and self.target.samefile(source):
                raise Unusable(f"--draw {self.target} would write over the photo itself: give another name")
            return self.target
        suffix = source.suffix.lower() if source.suffix.lower() in DRAWN_SUFFIXES else ".jpg"
        names = (self.target / f"{source.stem}-read{n}{suffix}" for n in ("", *range(2, 100_000)))
        return next(path for path in names if path not in self.written)


def in_words(reading: Reading) -> str:
    """A reading for a person: the sets a line each, what is loose, and every doubt."""
    lines = [" ".join(reading[n].word for n in row) for row in reading.sets]
    if reading.loose:
        lines.append("loose: " + " ".join(reading[n].word for n in reading.loose))
    for tile in reading.tiles:
        if tile.unsure:
            x, y = tile.centre
            others = " or ".join(f"{a} ({c:.0%})" for a, c in tile.alternatives[:3])
            perhaps = f", perhaps {others}" if others else ""
            lines.append(f"unsure: {tile.tile} at {x:.0f},{y:.0f} ({tile.confidence:.0%}){perhaps}")
    lines += [f"warning: {w.message}" for w in reading.warnings]
    return "\n".join(lines)


@click.command()
@click.argument("photos", nargs=-1, required=True, metavar="PHOTO…")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document; a list for several photos.")
@click.option("--draw", "drawn", metavar="FILE", help="Write the annotated picture; a folder for several.")
@click.option("--copies", type=click.IntRange(1, 9), default=2, show_default=True,
              help="Tiles of each kind in the box; 3 for the five-to-six-player box.")
@click.option("--jokers", type=click.IntRange(0, 99), help="Jokers in the box. [2, or 4 with --copies 3]")
@click.option("--models", metavar="FOLDER", help="The weights to read with.")
def read(
    photos: tuple[str, ...], as_json: bool, drawn: str | None, copies: int, jokers: int | None, models: str
    | None
) -> None:
    """Read PHOTOs of a table (JPEG, PNG, WebP, HEIC; - for standard input) to layouts.

    A folder is read as all its pictures. One photo that cannot be used is named, the others are still read,
    and the exit status is 2.
    """
    paths, listed, failed = expand(photos)
    drawings = Drawings.at(drawn, listed) if drawn else None
    if not paths:
        if as_json and listed:
            print_json([])
        sys.exit(2)
    reader = make_reader(models)
    held = jokers if jokers is not None else 2 if copies == 2 else 4 if copies == 3 else 2 * copies - 2
    documents = []
    with progress(paths, "reading") as todo:
        for path in todo:
            try:
                picture = load_photo(path)
                reading = reader.read(picture, None if path == "-" else path).for_box(copies, held)
                if drawings:
                    drawings.write(path, picture, reading)
            except (PictureError, ReadingError, Unusable) as error:
                failed = True
                message = error.format_message() if isinstance(error, Unusable) else str(error)
                click.echo(f"tilekeeper: {one_line(str(message))}", err=True)
                continue
            if as_json:
                documents.append(reading.to_json())
            else:
                heading = f"{path}:\n" if listed else ""
                click.echo(f"{heading}{in_words(reading)}" + ("\n" if listed else ""))
    if as_json and (listed or documents):
        print_json(documents if listed else documents[0])
    if failed:
        sys.exit(2)


def expand(photos: Sequence[str]) -> tuple[list[str], bool, bool]:
    """Paths for the arguments, whether the answer is a list, and whether an argument was unusable (named)."""
    listed = len(photos) > 1
    paths: list[str] = []
    failed = False
    for photo in photos:
        if photo == "-":
            paths.append(photo)
            continue
        try:
            listed = listed or Path(photo).is_dir()
            found = find_photos([photo])
        except (PictureError, OSError, ValueError) as error:
            click.echo(f"tilekeeper: {one_line(str(error))}", err=True)
            failed = True
            continue
        paths += map(str, found.photos)
        if found.skipped:
            names = ", ".join(p.name for p in found.skipped[:3]) + (" …" if len(found.skipped) > 3 else "")
            click.echo(f"tilekeeper: passed over in {one_line(photo)}, no pictures by their names: {names}", err=True)
    return paths, listed, failed
