"""The console command `tilekeeper`. Subcommands are imported when they are called, so each starts fast."""

from __future__ import annotations

import atexit
import importlib
import os
import sys
import threading
from contextlib import suppress
from typing import Any

import click

COMMANDS = {
    "serve": ("webui.commands.serve", "serve", "The table companion: camera, referee and web page."),
    "demo": ("webui.commands.serve", "demo", "The same on a bundled recorded game, no camera needed."),
    "read": ("webui.commands.read", "read", "Photos to layouts."),
    "evaluate": ("webui.commands.evaluate", "evaluate", "Accuracy on labelled photos."),
    "judge": ("webui.commands.rules", "judge", "One turn, before and after, to a verdict."),
    "restore": ("webui.commands.rules", "restore", "How to put a table back."),
    "moves": ("webui.commands.rules", "moves", "The best play, and whether any play exists."),
    "score": ("webui.commands.rules", "score", "Racks and results to the score sheet."),
    "rules": ("webui.commands.rules", "rules", "The rule sheets side by side."),
    "cameras": ("webui.commands.cameras", "cameras", "The camera devices of this machine."),
    "replay": ("webui.commands.replay", "replay", "Run a recorded game through the whole pipeline."),
    "render": ("webui.commands.render", "render", "Draw labelled pictures of tables."),
    "train": ("webui.commands.train", "train", "Make the models from pictures (extra `train`)."),
}


class Misused(click.ClickException):
    """Arguments that make no sense, said in one line."""

    exit_code = 2

    def __init__(self, error: click.UsageError) -> None:
        command = error.ctx.command_path if error.ctx else "tilekeeper"
        super().__init__(f"{command}: {' '.join(error.format_message().split())} (see {command} --help)")

    def show(self, file: Any = None) -> None:
        click.echo(self.message, file=file or sys.stderr)


class LazyGroup(click.Group):
    """A group whose subcommands are imported on first use; unknown ones are named in one line."""

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except click.UsageError as error:
            raise Misused(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.UsageError as error:
            raise Misused(error) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute, _ = COMMANDS[name]
        return getattr(importlib.import_module(module), attribute)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, _, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tilekeeper")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Tilekeeper: a referee, clock and score sheet for Rummikub on a real table."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(ctx.command.get_command(ctx, "serve"))  # type: ignore[attr-defined]


def program() -> None:
    """The console command. Its status is its own even where a thread of ours hangs in native code at the end.

    Python cuts such threads off as it goes down, and C++ aborts the program for that.
    """
    status = 1  # of an error that nobody foresaw

    def leave() -> None:
        if any(thread.daemon for thread in threading.enumerate()):
            for out in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):
                    out.flush()
            os._exit(status)

    atexit.register(leave)
    try:
        main()
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        raise


if __name__ == "__main__":
    program()
