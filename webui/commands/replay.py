"""`tilekeeper replay`: a recorded game through the whole pipeline, compared row by row."""

from __future__ import annotations

from pathlib import Path

import click

from vision.pictures import PictureError
from vision.reading import StoredReader
from webui.bundled import game_folder
from webui.commands.inputs import Unusable, print_json
from webui.commands.serve import load_reader
from webui.recorded import RecordedError, load_recorded
from webui.replay import Replay


@click.command()
@click.argument("game", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--speed",
    default=0.0,
    type=click.FloatRange(0, 1000),
    help="1: in the time it took, 2: twice as fast; 0, the default: as fast as the pictures are read.",
)
@click.option(
    "--readings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Stored readings (NAME.json for NAME.jpg) in place of the reader.",
)
@click.pass_context
def replay(ctx: click.Context, game: Path, as_json: bool, speed: float, readings: Path | None) -> None:
    """Run the recorded game in the folder GAME (or a bundled one, by name) through camera, reader and referee.

    Exit status 0 when table, verdict, state, clock and points are as recorded in every row, else 1. A tile that the
    reader asks for is named as it is recorded, and counted.
    """
    try:
        folder = game_folder(game, lambda text: click.echo(text, err=True))
        recorded = load_recorded(folder)
        run = Replay(recorded, StoredReader(readings) if readings else load_reader(), speed)
        results = []
        for result in run.rows():
            results.append(result)
            if not as_json:
                sign = "as recorded" if result.same else "DIFFERENT"
                named = f" ({result.asked} asked)" if result.asked else ""
                said = f"{result.number:3}  {result.row.player:12} {result.row.button:10} {result.said:24}"
                click.echo(f"{said} {sign}{named}")
                for line in result.differences:
                    click.echo(f"     {line}")
    except (RecordedError, PictureError) as error:
        raise Unusable(str(error)) from None
    different, asked = sum(not r.same for r in results), sum(r.asked for r in results)
    looks = run.looks
    if as_json:
        counts = {"different": different, "asked": asked, "looks": looks.to_json()}
        print_json({"game": folder.name, "rows": [r.to_json() for r in results], **counts})
    else:
        click.echo(f"{len(results)} rows, {different} different; {asked} tiles asked for")
        seen = f"{looks.right} right, {looks.unsure} unsure, {looks.wrong} wrong, {looks.unread} gone before"
        click.echo(f"tables at rest: {seen}; read after {looks.longest:.1f} s at most")
        click.echo(f"hands seen: {looks.hands_seen} of {looks.hands}; the camera put right {looks.put_right} times")
    ctx.exit(1 if different else 0)
