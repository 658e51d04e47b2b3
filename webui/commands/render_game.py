"""`tilekeeper render game`: a script of turns to a recorded game."""

from __future__ import annotations

from pathlib import Path

import click

from vision.render.games import render_game
from vision.render.scripts import ScriptError, parse_script
from webui.commands.inputs import Unusable


@click.command()
@click.argument("script", type=click.Path(path_type=Path))
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), required=False)
@click.option("--readings", is_flag=True, help="Also write what a perfect reader says beside each frame.")
def game(script: Path, folder: Path | None, readings: bool) -> None:
    """A game from SCRIPT (TOML: players, rules, turns) into FOLDER, or beside the script.

    Writes game.json, turns.csv, frames.csv and frames/. The same script gives the same bytes.
    """
    try:
        text = script.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text"
        raise Unusable(f"cannot read {script}: {reason.lower()}") from None
    folder = folder or script.parent
    try:
        count = 0
        for path in render_game(parse_script(text, folder.resolve().name), folder, readings):
            count += 1
            click.echo(f"\r{path.name}", nl=False, err=True)
    except ScriptError as error:
        raise Unusable(str(error)) from None
    except OSError as error:
        raise Unusable(f"cannot write to {folder}: {(error.strerror or str(error)).lower()}") from None
    click.echo(f"\r{count} frames in {folder}", err=True)
