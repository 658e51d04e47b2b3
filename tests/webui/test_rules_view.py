"""The rules on the page say what `tilekeeper rules` says."""

from __future__ import annotations

import pytest

from referee.sheets import NAMES, OPTIONS, RULES, JokerMeld, from_mapping, load, with_options
from webui.rules_view import differences, option_choices, rule_title, rule_value, sheet_choices


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rule", RULES)
def test_a_value_is_said_as_the_sheet_says_it(name: str, rule: str) -> None:
    sheet = load(name)
    assert str(rule_value(sheet, rule)) == sheet.words(rule)
    assert str(rule_title(rule)) == RULES[rule].title


def test_also_the_values_that_no_bundled_sheet_has() -> None:
    """Two rules may share the name of a value: a joker that counts nothing is no pool that is not drawn from."""
    own = from_mapping({**load("classic").mapping(), "name": "own", "joker_meld": JokerMeld.NOTHING.value})
    assert own.words("joker_meld") == "nothing"
    assert str(rule_value(own, "joker_meld")) == "nothing"
    own = with_options(load("classic"), [o.name for o in OPTIONS.values() if not o.takes_value])
    assert [str(rule_value(own, rule)) for rule in RULES] == [own.words(rule) for rule in RULES]


def test_the_sheets_are_offered_with_what_sets_them_apart() -> None:
    classic, sabra, *_ = sheet_choices()
    assert classic["differs"] == []
    said = {entry["rule"]: entry["value"]["text"] for entry in sabra["differs"]}
    assert said["initial_meld"] == "50 points"
    assert said["direction"] == "Counterclockwise"
    assert said["joker_sets"] == "Grown only; no tile may leave it"
    assert "players_least" not in said


def test_every_difference_is_told() -> None:
    for name in NAMES:
        told = {entry["rule"] for entry in differences(load(name), load("classic"))}
        real = {rule for rule in RULES if getattr(load(name), rule) != getattr(load("classic"), rule)}
        assert told | {"players_least", "players_most", "copies", "jokers"} >= real


def test_every_house_option_is_offered_in_its_own_words() -> None:
    texts = {entry["name"]: entry["text"]["text"].lower() for entry in option_choices()}
    assert texts == {option.name: option.text.lower() for option in OPTIONS.values()}
