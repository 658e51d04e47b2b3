"""Reading what a command was given: bounded, and a clear line where it cannot be used (exit status 2)."""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import click

from referee.documents import one_line

LARGEST = 64 * 1024 * 1024


class Unusable(click.ClickException):
    """Input that cannot be used: one line on standard error, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"tilekeeper: {one_line(self.format_message())}", file=file or sys.stderr)


class RefusedError(ValueError):
    """JSON that says nothing that could be meant."""


def _refuse(constant: str) -> None:
    raise RefusedError(f"{constant} is no number")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; which of two values for one key was meant nobody can say."""
    document = dict(pairs)
    if len(document) < len(pairs):
        again = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise RefusedError(f"the key {again!r:.60} is there twice in one object")
    return document


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
    except ValueError as error:  # no name of a file
        raise Unusable(f"cannot read {name}: {error}") from None
    if len(raw) > LARGEST:
        raise Unusable(f"{name} is larger than {LARGEST >> 20} MiB")
    try:
        return json.loads(raw.decode("utf-8-sig"), parse_constant=_refuse, object_pairs_hook=_each_once)
    except UnicodeDecodeError:
        raise Unusable(f"{name} is not JSON: not a UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise Unusable(f"{name} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise Unusable(f"{name} cannot be used: nested too deep") from None
    except RefusedError as error:
        raise Unusable(f"{name} cannot be used: {error}") from None
    except ValueError:
        raise Unusable(f"{name} cannot be used: a number of thousands of digits") from None


def print_json(document: Any) -> None:
    """Exactly one JSON document on standard output."""
    click.echo(json.dumps(document, ensure_ascii=False, allow_nan=False))
