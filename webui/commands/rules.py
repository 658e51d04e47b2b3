"""`tilekeeper judge`, `restore`, `moves`, `score` and `rules`: the referee from the command line.

Each takes files (``-`` for standard input) that hold one document or a list of them; a list in, or several
files, is a list out. Nothing is printed before every document could be used.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from referee.documents import DocumentError
from referee.sheets import NAMES, OPTIONS, RULES, Sheet, SheetError, load, load_file
from webui.commands.inputs import Unusable, print_json, read_json

WIDE = 170
"""Columns of a table that goes into a file or a pipe."""


@contextmanager
def no_collector() -> Iterator[None]:
    """Let the cyclic collector rest: a long list of documents has no cycles, and it would look through all."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


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
                raise Unusable(f"{name}: {where}: {error.text}" if where else f"{name}: {error.text}") from None
    return found, several


def print_answers(found: list[dict[str, Any]], several: bool, as_json: bool, shown: Callable[[Any], str]) -> None:
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
    from referee.questions import judge_document

    sheet = own_sheet(own)
    with no_collector():
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
@files_argument
@json_option
def restore(files: tuple[str, ...], as_json: bool) -> None:
    """How to put a table back. Exit status 1 if any table is not restored yet."""
    from referee.questions import restore_document

    found, several = answers(files, restore_document)
    print_answers(found, several, as_json, _restore_text)
    if not all(way["restored"] for way in found):
        sys.exit(1)


def _restore_text(way: dict[str, Any]) -> str:
    lines = ["restored" if way["restored"] else f"not restored: {len(way['steps'])} to move"]
    if way["to_rack"]:
        lines.append(f"   back to the rack: {' '.join(way['to_rack'])}")
    lines += [f"   {step['tile']} from {_spot(step['from'])} to {_spot(step['to'])}" for step in way["steps"]]
    if way["missing"]:
        lines.append(f"   cannot be restored, missing: {' '.join(way['missing'])}")
    if way.get("unread"):
        lines.append(f"   not read: {', '.join(_spot(spot) for spot in way['unread'])}")
    return "\n".join(lines)


def _spot(spot: dict[str, int]) -> str:
    return f"set {spot['set'] + 1} place {spot['index'] + 1}"


@click.command()
@files_argument
@rules_option
@json_option
def moves(files: tuple[str, ...], own: str | None, as_json: bool) -> None:
    """The best play, and whether any play exists. Exit status 1 if there is none."""
    from referee.questions import moves_document

    sheet = own_sheet(own)
    found, several = answers(files, lambda document: moves_document(document, sheet))
    print_answers(found, several, as_json, _play_text)
    if not all(play["playable"] for play in found):
        sys.exit(1)


def _play_text(play: dict[str, Any]) -> str:
    proof = "" if play["optimal"] else " (not proven)"
    if not play["playable"]:
        return f"no play{proof}"
    table = " | ".join(" ".join(row) for row in play["table"])
    return f"play {' '.join(play['played'])}{proof}\n   {table}"


@click.command()
@files_argument
@json_option
def score(files: tuple[str, ...], as_json: bool) -> None:
    """Racks and results to the score sheet; with the rules card-rummy that of the cards."""
    from referee.cards import any_score_document

    found, several = answers(files, any_score_document)
    print_answers(found, several, as_json, _score_text)


def _score_text(sheet: dict[str, Any]) -> str:
    names = list(sheet["totals"])
    rows = [["game", *names]]
    for i, game in enumerate(sheet["games"]):
        marks = ["*" if name in game["winners"] else "" for name in names]
        rows.append([str(i + 1), *(f"{game['points'][n]:+d}{m}" for n, m in zip(names, marks, strict=True))])
    rows.append(["total", *(f"{sheet['totals'][n]:+d}" for n in names)])
    rows.append(["wins", *(str(sheet["wins"][n]) for n in names)])
    widths = [max(len(row[i]) for row in rows) for i in range(len(names) + 1)]
    lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows]
    places = ", ".join(" and ".join(place) for place in sheet["ranking"])
    state = "finished" if sheet["finished"] else "so far"
    state += f", to {sheet['target']}" if "target" in sheet else ""
    return "\n".join([*lines, f"{state}: {places}", *sheet.get("notes", ())])


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
