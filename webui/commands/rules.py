"""`tilekeeper judge`, `restore`, `moves`, `score` and `rules`: the referee from the command line.

Each takes files (``-`` for standard input) that hold one document or a list of them; a list in, or several
files, is a list out. Nothing is printed before every document could be used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import click

from referee.documents import DocumentError
from referee.sheets import NAMES, OPTIONS, RULES, Sheet, SheetError, load, load_file
from webui.commands.inputs import Unusable, print_json, read_json

WIDE = 170
"""Columns of a table that goes into a file or a pipe."""

Answer = Callable[[Any], dict[str, Any]]

files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE…")
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output.")
rules_option = click.option(
    "--rules", "own", metavar="SHEET", help="A rule sheet's name or a TOML file, instead of the document's."
)


def answers(files: Iterable[str], answer: Answer) -> tuple[list[dict[str, Any]], bool]:
    """The answers to all documents of some files, and whether they are a list. Raises `Unusable`."""
    found: list[dict[str, Any]] = []
    paths = list(files)
    several = len(paths) > 1
    for path in paths:
        document = read_json(path)
        several = several or isinstance(document, list)
        name = "standard input" if path == "-" else path
        for i, one in enumerate(document) if isinstance(document, list) else ((None, document),):
            place = "" if i is None else f"[{i}]"
            try:
                found.append(answer(one))
            except DocumentError as error:
                dot = "." if place and error.place and not error.place.startswith("[") else ""
                where = f"{place}{dot}{error.place}"
                raise Unusable(
                    f"{name}: {where}: {error.text}" if where else f"{name}: {error.text}"
                ) from None
    return found, several


def print_answers(
    found: list[dict[str, Any]], several: bool, as_json: bool, shown: Callable[[Any], str]
) -> None:
    """Print the answers, as one JSON document or as text with a blank line between them."""
    if as_json:
        print_json(found if several else found[0])
        return
    for i, one in enumerate(found):
        title = f"{i + 1}. " if several else ""
        click.echo(f"{title}{shown(one)}")


def own_sheet(own: str | None) -> Sheet | None:
    """The sheet of an option: a bundled name or a TOML file. Raises `Unusable`."""
    if own is None:
        return None
    try:
        return load(own) if own in NAMES else load_file(Path(own))
    except SheetError as error:
        raise Unusable(str(error)) from None


@click.command()
@files_argument
@rules_option
@json_option
def judge(files: tuple[str, ...], own: str | None, as_json: bool) -> None:
    """One turn, before and after, to a verdict. Exit status 1 if any turn is illegal."""
    from referee.judging import judge_document

    sheet = own_sheet(own)
    found, several = answers(files, lambda document: judge_document(document, sheet))
    print_answers(found, several, as_json, _verdict_text)
    if not all(verdict["legal"] for verdict in found):
        sys.exit(1)


def _verdict_text(verdict: dict[str, Any]) -> str:
    lines = ["legal" if verdict["legal"] else "illegal"]
    for fault in verdict["violations"]:
        place = "" if fault["set"] is None else f"set {fault['set'] + 1}: "
        lines.append(f"   {place}{fault['message']} ({fault['code']})")
    facts = [f"played {' '.join(verdict['played']) or 'nothing'}"]
    if verdict["meld"] is not None:
        facts.append(f"opening worth {verdict['meld']}")
    if verdict["rack"] is not None:
        facts.append("out" if verdict["out"] else f"{verdict['rack']} left on the rack")
    return "\n".join([*lines, "   " + ", ".join(facts)])


@click.command()
@click.argument("sheets", nargs=-1, metavar="[SHEET…]")
@click.option("--sources", is_flag=True, help="Also where each value comes from.")
@json_option
def rules(sheets: tuple[str, ...], sources: bool, as_json: bool) -> None:
    """The rule sheets side by side: all bundled ones, or those named; a TOML file is one's own sheet."""
    shown = [sheet for sheet in (own_sheet(name) for name in sheets or NAMES) if sheet is not None]
    if as_json:
        print_json(_rules_document(shown))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table("rule", *(sheet.name for sheet in shown), show_lines=True)
    for name, about in RULES.items():
        table.add_row(about.title, *(_cell(sheet, name, sources) for sheet in shown))
    # A fixed width keeps the table whole where it is not a terminal that says how wide it is.
    console = Console(width=None if sys.stdout.isatty() else WIDE, highlight=False, markup=False)
    console.print(table)
    options = Table("house option", "what it sets", "source", show_lines=True)
    for option in OPTIONS.values():
        options.add_row(option.name + ("=NUMBER" if option.takes_value else ""), option.text, option.source)
    console.print(options)


def _cell(sheet: Sheet, rule: str, sources: bool) -> str:
    return sheet.words(rule) + (f"\n({sheet.source(rule)})" if sources else "")


def _rules_document(sheets: list[Sheet]) -> dict[str, Any]:
    return {
        "sheets": [sheet.mapping() for sheet in sheets],
        "rules": [
            {
                "rule": name,
                "title": about.title,
                "values": {sheet.name: sheet.words(name) for sheet in sheets},
                "sources": {sheet.name: sheet.source(name) for sheet in sheets},
            }
            for name, about in RULES.items()
        ],
        "options": [
            {"option": o.name, "text": o.text, "source": o.source, "takes_value": o.takes_value}
            for o in OPTIONS.values()
        ],
    }
