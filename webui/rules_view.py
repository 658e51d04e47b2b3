"""The rule sheets and house options in the words of the page: the text of `tilekeeper rules`, in every language."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from referee.sheets import NAMES, OPTIONS, RULES, Sheet, load
from webui.words import Words, words

QUIET = frozenset({"players_least", "players_most", "copies", "jokers"})
"""Rules that the number of players says already."""


def rule_title(rule: str) -> Words:
    """What a rule is about."""
    return words(f"rule.{rule}")


def rule_value(sheet: Sheet, rule: str) -> Words:
    """What a sheet says about a rule."""
    value = getattr(sheet, rule)
    if value is None:
        return words("rule.off")
    if isinstance(value, bool):
        return words("rule.yes" if value else "rule.no")
    if isinstance(value, StrEnum):
        return words(f"rule.{rule}.{value.value}")
    units = {"{} points": "rule.points", "{} s": "rule.seconds", "{} of each": "rule.of-each"}
    return words(units.get(RULES[rule].text, "rule.number"), number=value)


def differences(sheet: Sheet, from_: Sheet) -> list[dict[str, Any]]:
    """What a sheet says otherwise than another: each rule's title and its value, as sentences."""
    return [
        {"rule": rule, "title": rule_title(rule).to_json(), "value": rule_value(sheet, rule).to_json()}
        for rule in RULES
        if rule not in QUIET and getattr(sheet, rule) != getattr(from_, rule)
    ]


def sheet_choices() -> list[dict[str, Any]]:
    """The bundled rule sheets as the start of a game offers them, each with what sets it apart from the first."""
    first = load(NAMES[0])
    return [
        {
            "name": name,
            "label": words(f"rules.{name}").text,
            "least": sheet.players_least,
            "most": sheet.players_most,
            "clock": sheet.clock_seconds,
            "basics": [
                {"rule": r, "title": rule_title(r).to_json(), "value": rule_value(sheet, r).to_json()}
                for r in ("initial_meld", "clock_seconds", "match_length")
            ],
            "differs": differences(sheet, first),
        }
        for name in NAMES
        for sheet in (load(name),)
    ]


def option_choices() -> list[dict[str, Any]]:
    """The house options: name, text, and whether a number goes with it."""
    return [
        {"name": option.name, "text": words(f"option.{option.name}").to_json(), "number": option.takes_value}
        for option in OPTIONS.values()
    ]
