"""`tilekeeper serve` and `tilekeeper demo`: the table companion in a browser."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click

from referee.match import Phase
from vision.camera import CameraError, Feed, NoCamera
from vision.reading import StoredReader, TableReader
from vision.sources import EVERY_S, open_camera
from webui.areas import FileAreas
from webui.bundled import game_folder
from webui.choice import FileKept, Kind, given
from webui.chooser import Chooser
from webui.commands.inputs import Unusable
from webui.commands.serving import check_writable, run
from webui.companion import Companion
from webui.demo import Autopilot, ShownFrames
from webui.keeper import Keeper
from webui.matches import DatabaseMatches, FileMatches, Matches, matches_folder
from webui.play import Play
from webui.recorded import RecordedError, load_recorded
from webui.server import PORT
from webui.store import StoreError
from webui.umpire import Umpire

DEMO = "evening"


class Seconds(click.FloatRange):
    """A length of time; what is no number is none, though comparisons let it through."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is no length of time.", param, ctx)
        return number


lan_option = click.option(
    "--lan",
    is_flag=True,
    help="Let other devices on the local network in, over https and with the code that is printed. The certificate "
    "is made on the first start; browsers warn of it once.",
)
codes_option = click.option(
    "--new-codes", is_flag=True, help="With --lan: new codes, so that whoever had the old ones is outside."
)


def named(database: str | None) -> str | None:
    """The address of a database. Raises `Unusable` where it is there and empty, as a script's variable may be."""
    if database is not None and not database.strip():
        raise Unusable("--database is empty: give an address as in postgresql://name:password@host/database")
    return database


@click.command()
@click.option(
    "--camera",
    "source",
    metavar="SOURCE",
    help="A device number or name, a video file, a folder of pictures, an RTSP or HTTP address; or `phone`: a phone "
    "opens the printed QR code and is the camera (this turns --lan on). If not said, the one that was chosen on the "
    "page last time; the page also asks for it.",
)
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port of the page; the next free one is taken where it is taken. 0: any.",
)
@lan_option
@codes_option
@click.option(
    "--every",
    default=EVERY_S,
    show_default=True,
    type=Seconds(0.2, 3600),
    help="Seconds that each picture of a folder is shown.",
)
@click.option(
    "--readings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Show stored readings (NAME.json for NAME.jpg, as `tilekeeper read --json` prints them).",
)
@click.option(
    "--matches",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where matches are kept; your user data folder if not said.",
)
@click.option(
    "--database",
    envvar="TILEKEEPER_DATABASE",
    callback=lambda ctx, param, value: named(value),
    metavar="URL",
    help="Keep matches in a database instead, by its SQLAlchemy address: postgresql://name:password@host/database",
)
@click.option("--record", is_flag=True, help="Save every game as a recorded game in the matches' folder: games/.")
def serve(
    source: str | None,
    port: int,
    lan: bool,
    new_codes: bool,
    every: float,
    readings: Path | None,
    matches: Path | None,
    database: str | None,
    record: bool,
) -> None:
    """The table companion: the picture with its tiles, each set with its verdict, in your browser."""
    folder = matches or matches_folder()
    if not database:
        check_writable(folder)
    reader = StoredReader(readings) if readings else load_reader()
    try:
        camera = open_camera(source, every) if source is not None else NoCamera()
    except CameraError as error:
        raise Unusable(str(error)) from None
    try:
        kept: Matches = DatabaseMatches(database, folder) if database else FileMatches(folder)
        umpire = kept_match(kept)
    except StoreError as error:
        camera.close()
        raise Unusable(str(error)) from None
    now = given(source, camera) if source is not None else None
    phone = now is not None and now.kind is Kind.PHONE
    keeper = Keeper(kept, folder, record)
    companion = Companion(camera, reader, umpire, areas=FileAreas(), keeper=keeper)
    chooser = Chooser(companion, FileKept(), now, lan or phone, every)
    run(companion, port, lan or phone, new_codes=new_codes, phone=phone, chooser=chooser)


@click.command()
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="The port of the page.")
@lan_option
@codes_option
@click.option("--game", "name", default=DEMO, show_default=True, help="A bundled game, or a recorded game's folder.")
@click.option("--readings", type=click.Path(exists=True, file_okay=False, path_type=Path), hidden=True)
def demo(port: int, lan: bool, new_codes: bool, name: str, readings: Path | None) -> None:
    """The same on a bundled recorded game, no camera needed."""
    try:
        folder = game_folder(name, lambda text: click.echo(text, err=True))
        game = load_recorded(folder)
    except RecordedError as error:
        raise Unusable(str(error)) from None
    reader = StoredReader(readings) if readings else load_reader()
    source = ShownFrames(f"demo: {folder.name}", game.path(game.frames[0].name))
    companion = Companion(Feed(source), reader, place=game.place)
    run(companion, port, lan, Autopilot(companion, source, game), new_codes)


def kept_match(matches: Matches) -> Umpire:
    """Goes on with the match that was begun last, if it is not over. Raises `StoreError`."""

    def another() -> Play:
        return Play(matches.new())

    latest = matches.latest()
    play = Play(latest) if latest is not None else another()
    if play.state.phase is Phase.FINISHED:
        play.close()
        play = another()
    elif play.events:
        click.echo(f"Going on with the match of {', '.join(play.state.players)}.", err=True)
    return Umpire(play, another)


def load_reader() -> TableReader:
    """The reader with its nets. Raises `Unusable` where the weights are missing or damaged."""
    from vision.onnx import WeightsError
    from vision.reader import Reader

    try:
        reader: TableReader = Reader.load()
        return reader
    except WeightsError as error:
        raise Unusable(str(error)) from None
