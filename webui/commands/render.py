"""`tilekeeper render`: labelled pictures of tables, drawn by our own code."""

from __future__ import annotations

from pathlib import Path

import click

from webui.commands.inputs import Unusable
from webui.commands.render_game import game

KINDS = ("rows", "scatter", "grid", "rack", "empty", "slant", "far")


@click.group()
def render() -> None:
    """Draw labelled pictures of tables, seeded: the same command gives the same bytes."""


@render.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--count", type=click.IntRange(1, 1_000_000), default=100, show_default=True, help="How many pictures.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--size", type=click.IntRange(96, 4096), default=576, show_default=True, help="Longest side in pixels.")
@click.option("--kind", type=click.Choice(KINDS), help="One kind of table only.")
@click.option(
    "--fonts",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    multiple=True,
    help="Folder of TrueType fonts to draw digits with as well; may be repeated. Without it all digits are our own.",
)
@click.option("--workers", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes to draw with.")
def tables(
    folder: Path, count: int, seed: int, size: int, kind: str | None, fonts: tuple[Path, ...], workers: int
) -> None:
    """Random tables into FOLDER: NNNNN.jpg and labels.json."""
    from rich.console import Console
    from rich.progress import track

    from vision.render.dataset import render_tables

    steps = render_tables(folder, count, seed, size, kind, tuple(str(f) for f in fonts), workers)
    try:
        for _ in track(
            steps,
            "drawing",
            total=count,
            console=Console(stderr=True),
            disable=not Console(stderr=True).is_terminal,
        ):
            pass
    except OSError as error:
        raise Unusable(f"cannot write to {folder}: {(error.strerror or str(error)).lower()}") from None
    click.echo(f"{count} pictures and labels.json in {folder}", err=True)


render.add_command(game)
