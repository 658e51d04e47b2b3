"""Rule sheets: every value of RULES.md's table, options, and sheets of one's own with their mistakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from referee.sheets import (
    NAMES,
    OPTIONS,
    RULES,
    BlockedTie,
    DrawJoker,
    MatchLength,
    Sheet,
    SheetError,
    chosen,
    from_mapping,
    load,
    load_file,
    with_options,
)
from referee.sheets.load import _build

# RULES.md, "Profiles": a row a rule, the sheets in the order of the table's columns.
TABLE = {
    "players_least": (2, 2, 2, 5),
    "players_most": (4, 4, 4, 6),
    "tiles": (106, 106, 106, 160),
    "copies": (2, 2, 2, 3),
    "jokers": (2, 2, 2, 4),
    "tiles_dealt": (14, 14, 14, 14),
    "draw_joker": ("redraws", "redraws", "redraws", "redraws"),
    "draw_tie_redraws": (True, True, True, True),
    "direction": ("clockwise", "counterclockwise", "clockwise", "clockwise"),
    "initial_meld": (30, 50, 30, 30),
    "opening_table": ("untouched", "after-meld", "untouched", "untouched"),
    "clock_seconds": (60, 120, None, 60),
    "no_play_draw": (1, 1, 3, 1),
    "time_over_draw": (1, 1, 1, 1),
    "broken_table_draw": (3, 3, 3, 3),
    "short_pool": ("what-is-there",) * 4,
    "joker_meld": ("stands-for",) * 4,
    "joker_sets": ("rearranged", "grow", "rearranged", "rearranged"),
    "freed_by": ("rearrangement", "tile-from-rack", "tile-from-rack", "rearrangement"),
    "freed_group_both": (False, False, False, False),
    "freed_new_set": (True, True, True, True),
    "freed_rack_tiles": (0, 2, 2, 0),
    "freed_before_meld": (False, False, False, False),
    "joker_on_rack": (30, 30, 30, 30),
    "pool_empty": ("goes-on", "ends", "goes-on", "goes-on"),
    "blocked_winner": ("lowest-value", "lowest-value", "fewest-tiles", "lowest-value"),
    "blocked_tie": ("win-each-no-points",) * 4,
    "blocked_points": ("difference", "difference", "as-won", "difference"),
    "scored": (True,) * 4,
    "racks_seen": (False,) * 4,
    "match_length": ("as-many-games-as-players", "open", "open", "as-many-games-as-players"),
    "ranking": ("wins-then-points", "points", "points", "wins-then-points"),
}


@pytest.mark.parametrize("rule", TABLE)
def test_the_table(rule: str) -> None:
    assert tuple(getattr(load(name), rule) for name in NAMES) == TABLE[rule]


def test_no_rule_is_left_out_of_the_table() -> None:
    assert TABLE.keys() == RULES.keys() | {"tiles"}


@pytest.mark.parametrize("name", NAMES)
def test_every_value_has_its_source_and_words(name: str) -> None:
    sheet = load(name)
    for rule in RULES:
        assert any(number in sheet.source(rule) for number in ("000", "001", "002", "003")), rule
        assert sheet.words(rule) and "{}" not in sheet.words(rule)


def test_a_silent_sheet_says_that_the_classic_value_stands() -> None:
    assert load("sabra-1985").source("blocked_tie") == "sabra-1985 is silent: classic (001)"
    assert load("six-player").source("direction").startswith("six-player is silent: classic")


@pytest.mark.parametrize("name", NAMES)
def test_mapping_goes_round(name: str) -> None:
    sheet = load(name)
    assert from_mapping(sheet.mapping()) == sheet
    house = with_options(sheet, ["one-game", "clock=90"])
    assert from_mapping(house.mapping()) == house


def test_options() -> None:
    classic = load("classic")

    def changed(option: str) -> dict[str, Any]:
        sheet = with_options(classic, [option])
        assert sheet.options == (option,)
        new = {rule: getattr(sheet, rule) for rule in RULES if getattr(sheet, rule) != getattr(classic, rule)}
        assert all(option in sheet.source(rule) for rule in new)
        return new

    assert changed("one-game") == {
        "match_length": MatchLength.ONE_GAME,
        "blocked_tie": BlockedTie.SHARED_RESULT,
    }
    assert changed("twenty-point-opening") == {"initial_meld": 20}
    assert changed("open-rack") == {"clock_seconds": None, "racks_seen": True, "scored": False}
    assert changed("draw-joker-30") == {"draw_joker": DrawJoker.COUNTS}
    assert changed("draw-joker-redraws") == {}
    assert changed("tournament-joker") == {"freed_group_both": True}
    assert changed("no-clock") == {"clock_seconds": None}
    assert changed("clock=90") == {"clock_seconds": 90}
    assert changed("penalty=2") == {"broken_table_draw": 2}
    assert changed("draw=2") == {"no_play_draw": 2}
    assert {o.split("=")[0] for o in OPTIONS} == {
        *("one-game", "twenty-point-opening", "open-rack", "draw-joker-redraws", "draw-joker-30"),
        *("tournament-joker", "no-clock", "clock", "penalty", "draw"),
    }


def test_options_stack_and_count_once() -> None:
    sheet = with_options(load("sabra-1985"), ["twenty-point-opening", "clock=30", "twenty-point-opening"])
    assert (sheet.initial_meld, sheet.clock_seconds) == (20, 30)
    assert sheet.options == ("twenty-point-opening", "clock=30")


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["no-such"], "options: no such option: 'no-such' (there are one-game,"),
        (["clock"], "options: write clock=NUMBER, not 'clock'"),
        (["one-game=1"], "options: write one-game, not 'one-game=1'"),
        (["clock=fast"], "options: clock= takes a whole number, not 'fast'"),
        (["clock=٣"], "options: clock= takes a whole number"),
        (["clock=0"], 'clock_seconds: a whole number from 1 to 86400 or "off", not 0'),
        (["penalty=99999999999"], "options: penalty= takes a whole number"),
        ([7], "options: a list of texts, not 7"),
    ],
)
def test_bad_options(options: list[Any], part: str) -> None:
    with pytest.raises(SheetError) as error:
        with_options(load("classic"), options)
    assert part in str(error.value)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"initial_melt": 30}, "initial_melt: no such rule (is it initial_meld?)"),
        ({"xyzzy": 1}, "xyzzy: no such rule (there are players_least, "),
        ({"initial_meld": -1}, "initial_meld: a whole number from 0 to 500, not -1"),
        ({"initial_meld": 30.5}, "initial_meld: a whole number from 0 to 500, not 30.5"),
        ({"initial_meld": True}, "initial_meld: a whole number from 0 to 500, not True"),
        ({"initial_meld": "30"}, "initial_meld: a whole number from 0 to 500, not '30'"),
        ({"freed_new_set": 1}, "freed_new_set: true or false, not 1"),
        ({"direction": "left"}, "direction: one of clockwise, counterclockwise, not 'left'"),
        ({"direction": ["clockwise"]}, "direction: one of clockwise, counterclockwise"),
        ({"clock_seconds": 0}, 'clock_seconds: a whole number from 1 to 86400 or "off", not 0'),
        ({"players_least": 4, "players_most": 2}, "players_least: more than players_most"),
        ({"base": "own"}, "base: one of classic, sabra-1985, casino-sabra, six-player, not 'own'"),
        ({"base": 3}, "base: one of"),
        ({"name": ""}, "name: a text of 1 to 60 characters"),
        ({"name": "x" * 61}, "name: a text of 1 to 60 characters"),
        ({"sources": {"initial_melt": "x"}}, "sources.initial_melt: no such rule (is it initial_meld?)"),
        ({"sources": ["x"]}, "sources: a table of texts, a rule each"),
        ({"options": "one-game"}, "options: a list of texts"),
        ({"options": ["nope"]}, "options: no such option"),
        ([], "a rule sheet is a table of rules"),
        ({"x" * 5000: 1}, "no such rule"),
        ({"direction": "x" * 5000}, "direction: one of"),
    ],
)
def test_bad_sheets_name_the_key(document: Any, message: str) -> None:
    with pytest.raises(SheetError) as error:
        from_mapping(document)
    assert message in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 1000


def test_unknown_sheet() -> None:
    with pytest.raises(SheetError, match=r"no such rule sheet: 'chess' \(there are classic, "):
        load("chess")


def test_own_file(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.toml"
    path.write_text(
        'base = "casino-sabra"\ninitial_meld = 40\nclock_seconds = "off"\noptions = ["penalty=2"]\n'
        '[sources]\ninitial_meld = "grandmother"\n',
        encoding="utf-8",
    )
    sheet = load_file(path)
    assert (sheet.name, sheet.initial_meld, sheet.clock_seconds) == ("kitchen", 40, None)
    assert (sheet.freed_rack_tiles, sheet.broken_table_draw) == (2, 2)
    assert sheet.source("initial_meld") == "grandmother"
    assert sheet.source("clock_seconds") == "kitchen, its own"
    assert sheet.source("freed_by") == "kitchen is silent: casino-sabra (003)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"initial_melt = 3", "sheet.toml: initial_melt: no such rule (is it initial_meld?)"),
        (b"initial_meld = ", "sheet.toml is not TOML: "),
        (b"\xff\xfe", "sheet.toml is not TOML: "),
        (b"initial_meld = nan", "initial_meld: a whole number from 0 to 500, not nan"),
        (b"a = " + b"[" * 3000, "sheet.toml is not TOML: "),
        (b"#" * (1 << 21), "sheet.toml is larger than 1 MiB"),
    ],
)
def test_bad_files(tmp_path: Path, text: bytes, message: str) -> None:
    path = tmp_path / "sheet.toml"
    path.write_bytes(text)
    with pytest.raises(SheetError) as error:
        load_file(path)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match=r"cannot read rule sheet .*none.toml: no such file"):
        load_file(tmp_path / "none.toml")


def test_chosen() -> None:
    classic = load("classic")
    assert chosen("classic", []) is classic
    assert chosen(classic, ["no-clock"]).clock_seconds is None
    assert chosen({"base": "six-player"}, []).tiles == 160
    for rules, options, key in (
        ("chess", [], "rules"),
        (7, [], "rules"),
        ({"direction": 1}, [], "rules.direction"),
        ("classic", "one-game", "options"),
    ):
        with pytest.raises(SheetError) as error:
            chosen(rules, options)
        assert error.value.key == key


def test_sheets_are_values() -> None:
    sheet = load("classic")
    assert hash(sheet) == hash(from_mapping(sheet.mapping()))
    assert replace(sheet, initial_meld=31) != sheet
    assert isinstance(sheet, Sheet)


def test_a_bundled_sheet_leaves_no_rule_out() -> None:
    """Only the classic sheet has no other to fall back on."""
    whole = load("classic").mapping()
    rules = {k: v for k, v in whole.items() if k in RULES and k != "jokers"}
    with pytest.raises(SheetError, match="jokers: the rule is missing"):
        _build({"name": "classic", **rules}, bundled=True)
