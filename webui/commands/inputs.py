"""Reading what a command was given: bounded, and a clear line where it cannot be used (exit status 2)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

LARGEST = 64 * 1024 * 1024


class Unusable(click.ClickException):
    """Input that cannot be used: one line on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"tilekeeper: {self.format_message()}", file=file or sys.stderr)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number")


def read_json(path: str) -> Any:
    """The JSON document in a file, or on standard input for ``-``. Raises `Unusable`."""
    name = "standard input" if path == "-" else path
    try:
        if path == "-":
            raw = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(path).open("rb") as stream:
                raw = stream.read(LARGEST + 1)
    except OSError as error:
        raise Unusable(f"cannot read {name}: {(error.strerror or 'unreadable').lower()}") from None
    if len(raw) > LARGEST:
        raise Unusable(f"{name} is larger than {LARGEST >> 20} MiB")
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse)
    except UnicodeDecodeError:
        raise Unusable(f"{name} is not JSON: not a UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Unusable(f"{name} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise Unusable(f"{name} cannot be used: {reason}") from None


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))
