"""House options on top of any sheet: those of 001, and redraw, joker, penalty and clock options."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from referee.sheets.load import SheetError, check_value, from_mapping, load
from referee.sheets.rules import BlockedTie, DrawJoker, MatchLength, Sheet


@dataclass(frozen=True, slots=True)
class Option:
    """One house option: in words, what it sets, its source; with ``takes_value`` written ``name=VALUE``."""

    name: str
    text: str
    source: str
    sets: Callable[[Any], dict[str, Any]]
    takes_value: bool = False


def _fixed(**changes: Any) -> Callable[[Any], dict[str, Any]]:
    return lambda _: changes


def _value_of(*rules: str) -> Callable[[Any], dict[str, Any]]:
    return lambda value: {rule: check_value(rule, value) for rule in rules}


_OPEN_RACK = {"clock_seconds": None, "racks_seen": True, "scored": False}

OPTIONS: dict[str, Option] = {
    option.name: option
    for option in (
        Option(
            "one-game",
            "no match total; tied lowest racks share the result",
            "001",
            _fixed(match_length=MatchLength.ONE_GAME, blocked_tie=BlockedTie.SHARED_RESULT),
        ),
        Option("twenty-point-opening", "initial meld of 20", "001", _fixed(initial_meld=20)),
        Option(
            "open-rack",
            "no clock, racks seen, nothing scored; draw 3",
            "001",
            _fixed(**_OPEN_RACK, broken_table_draw=3),
        ),
        Option(
            "draw-joker-redraws",
            "a joker in the opening draw redraws",
            "003",
            _fixed(draw_joker=DrawJoker.REDRAWS),
        ),
        Option(
            "draw-joker-30",
            "a joker in the opening draw counts 30",
            "003",
            _fixed(draw_joker=DrawJoker.COUNTS),
        ),
        Option(
            "tournament-joker",
            "the joker of a group of three is freed by both missing colours",
            "002",
            _fixed(freed_group_both=True),
        ),
        Option("no-clock", "no clock", "house", _fixed(clock_seconds=None)),
        Option("clock", "seconds on the clock", "house", _value_of("clock_seconds"), takes_value=True),
        Option(
            "penalty",
            "tiles drawn for a broken table",
            "house",
            _value_of("broken_table_draw"),
            takes_value=True,
        ),
        Option("draw", "tiles drawn when nothing is played", "house", _value_of("no_play_draw"), takes_value=True),
    )
}
"""Every house option by its name, in the order they are shown."""


def with_options(sheet: Sheet, options: Iterable[str]) -> Sheet:
    """The sheet with house options applied in order (``"one-game"``, ``"clock=90"``). Raises `SheetError`."""
    for text in options:
        if not isinstance(text, str):
            raise SheetError("options", f"a list of texts, not {text!r:.60}")
        if text in sheet.options:
            continue
        name, equals, value = text.partition("=")
        option = OPTIONS.get(name)
        if option is None:
            raise SheetError("options", f"no such option: {text!r:.60} (there are {', '.join(OPTIONS)})")
        if bool(equals) != option.takes_value:
            need = f"{name}=NUMBER" if option.takes_value else name
            raise SheetError("options", f"write {need}, not {text!r:.60}")
        changes = option.sets(_number(name, value) if option.takes_value else None)
        sources = {**dict(sheet.sources), **dict.fromkeys(changes, f"option {text} ({option.source})")}
        sheet = replace(sheet, **changes, sources=tuple(sources.items()), options=(*sheet.options, text))
    return sheet


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise SheetError("options", f"{name}= takes a whole number, not {text!r:.60}")
    return int(text)


def chosen(rules: Any, options: Any) -> Sheet:
    """The sheet a document asks for: a bundled name, a profile object or a `Sheet`, with options on top.

    Raises `SheetError` whose key is the place in the document.
    """
    if not isinstance(rules, Sheet):
        rules = _sheet(rules)
    if not isinstance(options, list | tuple):
        raise SheetError("options", f"a list of texts, not {options!r:.60}")
    return with_options(rules, options)


def _sheet(rules: Any) -> Sheet:
    try:
        return load(rules) if isinstance(rules, str) else from_mapping(rules)
    except SheetError as error:
        raise SheetError(f"rules.{error.key}" if error.key else "rules", error.text) from None
