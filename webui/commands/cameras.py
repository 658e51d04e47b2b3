"""`tilekeeper cameras`: what `--camera` can be given on this machine."""

from __future__ import annotations

import click

from vision.sources import list_devices
from webui.commands.inputs import print_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
def cameras(as_json: bool) -> None:
    """List the camera devices that this system names."""
    found = list_devices()
    if as_json:
        print_json([{"number": number, "name": name} for number, name in found])
        return
    for number, name in found:
        click.echo(f"{number}  {name}")
    if not found:
        click.echo("no camera device is named here; a number such as --camera 0 may still work", err=True)
