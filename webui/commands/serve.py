"""`tilekeeper serve` and `tilekeeper demo`: the table companion in a browser."""

from __future__ import annotations

import secrets
import signal
from pathlib import Path

import click

from referee.match import Phase
from vision.camera import CameraError, Feed
from vision.reading import StoredReader, TableReader
from vision.sources import EVERY_S, open_source
from webui.app import create_app
from webui.commands.inputs import Unusable
from webui.companion import Companion
from webui.demo import Autopilot, ShownFrames
from webui.guard import LOCAL
from webui.play import Play
from webui.recorded import RecordedError, load_recorded
from webui.server import PORT, ServingError, listening, own_address
from webui.store import StoreError, latest_match, matches_folder, new_match
from webui.umpire import Umpire

DEMO = "first"


@click.command()
@click.option(
    "--camera",
    "source",
    default="0",
    metavar="SOURCE",
    show_default=True,
    help="A device number or name, a video file, a folder of pictures, an RTSP or HTTP address.",
)
@click.option(
    "--port",
    default=PORT,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="The port of the page; the next free one is taken where it is taken. 0: any.",
)
@click.option("--lan", is_flag=True, help="Let the local network in, with the code that is printed.")
@click.option(
    "--every",
    default=EVERY_S,
    show_default=True,
    type=click.FloatRange(0.2, 3600),
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
def serve(source: str, port: int, lan: bool, every: float, readings: Path | None, matches: Path | None) -> None:
    """The table companion: the picture with its tiles, each set with its verdict, in your browser."""
    reader = StoredReader(readings) if readings else load_reader()
    try:
        camera = Feed(open_source(source, every))
    except CameraError as error:
        raise Unusable(str(error)) from None
    try:
        umpire = kept_match(matches or matches_folder())
    except StoreError as error:
        camera.close()
        raise Unusable(str(error)) from None
    run(Companion(camera, reader, umpire), port, lan)


@click.command()
@click.option("--port", default=PORT, show_default=True, type=click.IntRange(0, 65535), help="The port of the page.")
@click.option("--lan", is_flag=True, help="Let the local network in, with the code that is printed.")
@click.option("--game", "name", default=DEMO, show_default=True, help="A bundled game, or a recorded game's folder.")
@click.option("--readings", type=click.Path(exists=True, file_okay=False, path_type=Path), hidden=True)
def demo(port: int, lan: bool, name: str, readings: Path | None) -> None:
    """The same on a bundled recorded game, no camera needed."""
    folder = games_folder() / name if (games_folder() / name).is_dir() else Path(name)
    try:
        game = load_recorded(folder)
    except RecordedError as error:
        raise Unusable(str(error)) from None
    reader = StoredReader(readings) if readings else load_reader()
    source = ShownFrames(f"demo: {folder.name}", game.path(game.frames[0]))
    companion = Companion(Feed(source), reader)
    run(companion, port, lan, Autopilot(companion, source, game))


def kept_match(folder: Path) -> Umpire:
    """Goes on with the match that was begun last, if it is not over. Raises `StoreError`."""

    def another() -> Play:
        return Play(new_match(folder))

    latest = latest_match(folder)
    play = Play(latest) if latest is not None else another()
    if play.state.phase is Phase.FINISHED:
        play.close()
        play = another()
    elif play.events:
        click.echo(f"Going on with the match of {', '.join(play.state.players)}.", err=True)
    return Umpire(play, another)


def games_folder() -> Path:
    """Where the bundled games lie: inside the installed package, or beside it in a checkout."""
    packed = Path(__file__).resolve().parents[1] / "games"
    return packed if packed.is_dir() else Path(__file__).resolve().parents[2] / "datasets" / "games"


def load_reader() -> TableReader:
    """The reader with its nets. Raises `Unusable` where the weights are missing or damaged."""
    from vision.onnx import WeightsError
    from vision.reader import Reader

    try:
        reader: TableReader = Reader.load()
        return reader
    except WeightsError as error:
        raise Unusable(str(error)) from None


def run(companion: Companion, port: int, lan: bool, autopilot: Autopilot | None = None) -> None:
    """Serves the companion until Ctrl-C."""
    address = own_address() if lan else "127.0.0.1"
    code = secrets.token_hex(4) if lan else None
    app = create_app(companion, (*LOCAL, address), code)
    try:
        server = listening(app, "0.0.0.0" if lan else "127.0.0.1", port)
    except ServingError as error:
        companion.close()
        raise Unusable(str(error)) from None
    got = server.bind_addr[1]
    if port and got != port:
        click.echo(f"Port {port} is taken; using {got}.", err=True)
    page = f"http://{address}:{got}/" + (f"?code={code}" if code else "")
    click.echo(f"Tilekeeper watches {companion.camera.name}. Open {page}", err=True)
    click.echo("Stop it with Ctrl-C.", err=True)
    companion.start()
    if autopilot is not None:
        autopilot.start()
    # Also where the shell that started us left Ctrl-C ignored, as it does for jobs in the background.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        server.serve()
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)
    finally:
        if autopilot is not None:
            autopilot.close()
        companion.close()
        server.stop()
