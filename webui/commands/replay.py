"""`tilekeeper replay`: a recorded game through the whole pipeline, compared row by row."""

from __future__ import annotations

from pathlib import Path

import click

from vision.pictures import PictureError
from vision.reading import StoredReader
from webui.commands.inputs import Unusable, print_json
from webui.commands.serve import load_reader
from webui.recorded import RecordedError, load_recorded
from webui.replay import replay_game


@click.command()
@click.argument("game", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
@click.option(
    "--readings",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Stored readings (NAME.json for NAME.jpg) in place of the reader.",
)
@click.pass_context
def replay(ctx: click.Context, game: Path, as_json: bool, readings: Path | None) -> None:
    """Run the recorded game in the folder GAME through reader and referee.

    Exit status 0 when table, verdict, clock and points are as recorded in every row, else 1.
    """
    try:
        recorded = load_recorded(game)
        reader = StoredReader(readings) if readings else load_reader()
        results = []
        for result in replay_game(recorded, reader):
            results.append(result)
            if not as_json:
                sign = "as recorded" if result.same else "DIFFERENT"
                click.echo(f"{result.number:3}  {result.row.player:12} {result.row.button:10} {result.said:24} {sign}")
                for line in result.differences:
                    click.echo(f"     {line}")
    except (RecordedError, PictureError) as error:
        raise Unusable(str(error)) from None
    different = sum(not r.same for r in results)
    if as_json:
        print_json({"game": game.name, "rows": [r.to_json() for r in results], "different": different})
    else:
        click.echo(f"{len(results)} rows, {different} different")
    ctx.exit(1 if different else 0)
