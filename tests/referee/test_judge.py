"""The judge: RULES.md "Judging a turn" as tables of cases, a line a turn, and properties of any turn."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.faults import CODES, set_faults
from referee.judge import Turn, Verdict, judge
from referee.layout import Layout
from referee.sheets import NAMES, Sheet, from_mapping, load, with_options
from referee.tiles import ALL_TILES, COLOURS, Tile


def tiles(text: str) -> tuple[Tile, ...]:
    return tuple(Tile.parse(t) for t in text.split())


def judged(
    before: str,
    after: str,
    rules: str | Sheet = "classic",
    *,
    options: tuple[str, ...] = (),
    loose: str = "",
    opened: bool = True,
    rack: int | str | None = None,
) -> Verdict:
    sheet = with_options(rules if isinstance(rules, Sheet) else load(rules), options)
    held = tiles(rack) if isinstance(rack, str) else rack
    return judge(Turn(Layout.parse(before), Layout.parse(after), tiles(loose), opened, held), sheet)


def codes(*args: Any, **named: Any) -> list[str]:
    return sorted(f.code for f in judged(*args, **named).faults)


# ---------------------------------------------------------------------------------------- rows


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r5", "set-too-short"),
        ("r5 b5", "set-too-short"),
        ("j j", "set-too-short"),
        ("r5 b5 r5", "group-colour-twice"),
        ("r5 r5 j", "group-colour-twice"),
        ("r5 b5 o5 r5", "group-colour-twice"),
        ("r5 r5 b5 b5", "group-colour-twice group-colour-twice"),
        ("r5 b5 o5 k5 j", "group-too-long"),
        ("r5 b5 j j j", "group-too-long"),
        ("r5 b5 o5 k5 r5", "group-colour-twice group-too-long"),
        ("r3 r4 r6", "run-gap"),
        ("r3 r6 j", "run-gap"),
        ("r3 r4 r4", "run-gap"),
        ("r3 r4 r4 r5", "run-gap"),
        ("r1 r13 r7", "run-gap"),
        ("r12 r13 r1", "run-wraps"),
        ("r1 r13 r12", "run-wraps"),
        ("r13 r1 r2", "run-wraps"),
        ("r12 j r1", "run-wraps"),
        ("j r13 r1", "run-wraps"),
        ("r13 j r2", "run-wraps"),
        ("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 j", "run-off-end"),
        ("j r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13", "run-off-end"),
        ("r1 r2 r3 r4 r5 r6 j r7 r8 r9 r10 r11 r12 r13", "run-off-end"),
        ("r3 r4 b5", "mixed-set"),
        ("r5 b5 k6", "mixed-set"),
        ("r5 b6 j", "mixed-set"),
        ("r3 ? r5", "unread-tile"),
        ("?6 r?", "unread-tile"),
        ("r3 r4 r5", ""),
        ("r12 r13 j", ""),
        ("j r1 r2", ""),
    ],
)
def test_rows(text: str, expected: str) -> None:
    row = tiles(text)
    faults = set_faults(row, 4)
    assert sorted(f.code for f in faults) == expected.split()
    for fault in faults:
        assert fault.set == 4
        assert fault.tiles and Counter(fault.tiles) <= Counter(row)
        assert fault.message.endswith(".") and text in fault.message
    assert codes("", text, "six-player") == expected.split()


def test_a_twice_held_colour_is_named_with_its_tiles() -> None:
    (fault,) = set_faults(tiles("r5 b5 r5"))
    assert fault.tiles == tiles("r5 r5")
    assert "red" in fault.message


# --------------------------------------------------------------------------- the sources' examples


def test_the_examples_of_the_sources() -> None:
    # b6-j-b8 freed by b7 and replayed with r10 r11
    assert judged("b6 j b8", "b6 b7 b8 | r10 r11 j").legal
    # r3…r7 with a second r5, split in two; 3-4 and 5-6-7 is none
    assert judged("r3 r4 r5 r6 r7", "r3 r4 r5 | r5 r6 r7").legal
    assert codes("r3 r4 r5 r6 r7", "r3 r4 | r5 r5 r6 r7") == ["run-gap", "set-too-short"]
    assert codes("r3 r4 r5 r6 r7", "r3 r4 | r5 r6 r7", loose="r5") == ["set-too-short"] * 2
    # 12-13-1 is no run
    assert codes("", "r12 r13 r1") == ["run-wraps"]
    # b4-5-6 and three 5s open with 30
    verdict = judged("", "b4 b5 b6 | r5 k5 o5", opened=False, rack=14)
    assert (verdict.legal, verdict.meld, verdict.opened, verdict.rack, verdict.out) == (True, 30, True, 8, False)


def test_the_example_of_the_contract() -> None:
    verdict = judged("b4 b5 b6", "b4 b5 b6 | r9 k9", rack=9)
    assert verdict.document() == {
        "legal": False,
        "violations": [
            {
                "code": "set-too-short",
                "set": 1,
                "tiles": ["r9", "k9"],
                "message": "r9 k9: two tiles are no set; it takes three or more.",
            }
        ],
        "played": ["r9", "k9"],
        "opened": True,
        "meld": None,
        "rack": 7,
        "out": False,
        "sets": [
            {
                "kind": "run",
                "tiles": ["b4", "b5", "b6"],
                "stands_for": ["b4", "b5", "b6"],
                "value": 15,
                "notes": [],
            },
            {"kind": None, "tiles": ["r9", "k9"], "stands_for": None, "value": None, "notes": []},
        ],
    }


# --------------------------------------------------------------------------- tiles that come and go


@pytest.mark.parametrize(
    ("before", "after", "named", "expected"),
    [
        ("b4 b5 b6", "b4 b5 b6 | r9 k9 o9", {}, ""),
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": "b7 r1"}, ""),
        # a loose tile
        ("b4 b5 b6", "b4 b5 b6", {"loose": "b7"}, "set-too-short"),
        ("b4 b5 b6 b7", "b4 b5 b6", {"loose": "b7"}, "nothing-played set-too-short"),
        ("b4 b5 b6", "b4 b5 b6", {"loose": "?"}, "unread-tile"),
        # a tile of the table is not there any more
        ("b4 b5 b6 b7", "b4 b5 b6", {}, "nothing-played tile-left-table"),
        ("b4 b5 b6 b7", "b4 b5 b6 | r9 k9 o9", {}, "tile-left-table"),
        ("b4 b5 b6 | r9 k9 o9", "b4 b5 b6", {}, "nothing-played tile-left-table"),
        # more than the box holds
        ("b4 b5 b6 | b4 b5 b6", "b4 b5 b6 | b4 b5 b6 | b4 k4 o4", {}, "too-many-copies"),
        ("b4 j b6 | r4 j r6", "b4 j b6 | r4 j r6 | o4 j o6", {}, "too-many-copies"),
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": "b7 b5 b5"}, "too-many-copies"),
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": "b7 b5"}, ""),
        # sets moved, nothing laid; tidying up is no move
        ("r3 r4 r5 r6 | r6 b6 o6 k6", "r3 r4 r5 | r6 b6 o6 k6 | r6", {}, "nothing-played set-too-short"),
        ("r3 r4 r5 r6 r7 r8", "r3 r4 r5 | r6 r7 r8", {}, "nothing-played"),
        ("r3 r4 r5 | k1 k2 k3", "k3 k2 k1 | r3 r5 r4", {}, ""),
        ("r3 r4 r5", "r3 r4 r5", {}, ""),
        ("", "", {}, ""),
        # more laid than the rack held
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": 0}, "more-than-rack"),
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": 1}, ""),
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": "b8"}, "more-than-rack"),
        ("b4 b5 b6", "b4 b5 b6 b7", {"rack": "j"}, "more-than-rack"),
        ("b4 b5 b6", "b4 b5 b6 j", {"rack": "j"}, ""),
        # a set before that nobody could read
        ("b4 ? b6", "b4 b5 b6 b7", {}, "unread-tile"),
        # what is unread may be the tile that is missing
        ("b4 b5 b6", "b4 ? b6", {}, "unread-tile"),
        ("b4 b5 b6", "b4 ? b6 | r9 k9 o9", {}, "unread-tile"),
        ("b4 b5 b6 b7", "b4 ? b6 | r9 k9 o9", {}, "tile-left-table unread-tile"),
    ],
)
def test_tiles_that_come_and_go(before: str, after: str, named: dict[str, Any], expected: str) -> None:
    assert codes(before, after, **named) == expected.split()


def test_every_fault_at_once() -> None:
    found = codes(
        "b4 b5 b6 | k1 k2 k3",
        "b4 b5 | r12 r13 r1 | o7 o7 k7 r7 b7 | r2 b3 r4 | k1 k2 k4 | r9 r9 r9",
        loose="k9",
        opened=False,
        rack=3,
    )
    assert set(found) == {
        *("set-too-short", "run-wraps", "group-colour-twice", "group-too-long", "mixed-set", "run-gap"),
        *("tile-left-table", "too-many-copies", "more-than-rack", "opening-too-low", "opening-touched-table"),
    }


@pytest.mark.parametrize(
    ("before", "after", "played", "left"),
    [
        ("b4 b5 b6", "b4 ? b6", "", 9),
        ("b4 b5 b6", "b4 ? b6 | r9 k9 o9", "r9 k9 o9", 6),
        ("b4 b5 b6", "b4 b5 b6 | r9 k9 ?9", "r9 k9 ?9", 6),
    ],
)
def test_what_is_unread_may_be_what_is_missing(before: str, after: str, played: str, left: int) -> None:
    verdict = judged(before, after, rack=9)
    assert verdict.codes == {"unread-tile"}
    assert (verdict.played, verdict.rack) == (tiles(played), left)


def test_played_tiles_are_named_where_they_were_laid() -> None:
    assert judged("r3 r4 r5", "r3 r4 r5 | k3 r3 o3").played == tiles("k3 r3 o3")
    assert judged("r3 r4 r5 | b3 k3 o3", "r3 r4 r5 | b3 k3 o3 r3").played == tiles("r3")
    assert judged("b4 b5 b6", "b4 b5 b6", loose="b7 b8").played == tiles("b7 b8")


@pytest.mark.parametrize(
    ("rack", "left", "out"), [(None, None, False), (1, 0, True), (2, 1, False), ("b7", 0, True), ("b7 j", 1, False)]
)
def test_the_rack_and_going_out(rack: int | str | None, left: int | None, out: bool) -> None:
    verdict = judged("b4 b5 b6", "b4 b5 b6 b7", rack=rack)
    assert (verdict.legal, verdict.rack, verdict.out) == (True, left, out)


def test_who_has_won_leaves_a_legal_table_like_any_other() -> None:
    verdict = judged("b4 b5 b6", "b4 b5 b6 b8", rack=1)
    assert (verdict.legal, verdict.rack, verdict.out) == (False, 0, False)


# ---------------------------------------------------------------------------------- initial meld

THIRTY = "r10 k10 o10"
FIFTY = "r13 k13 o13 b13"


@pytest.mark.parametrize(
    ("rules", "before", "after", "expected", "meld"),
    [
        ("classic", "", THIRTY, "", 30),
        ("classic", "", "r9 k9 o9", "opening-too-low", 27),
        ("classic", "", "r9 k9 o9 | b1 b2 b3", "", 33),
        ("classic", "", "j r10 r11", "", 30),
        ("classic", "", "r10 r11 j", "", 33),
        ("classic", "", "r9 j j", "", 30),
        ("classic", "", "r9 k9 j", "opening-too-low", 27),
        ("classic", "", "r10 k10 o10 | b1 b2 b4", "run-gap", 30),
        ("classic", "", "r9 k9 o9 | b1 b2 b4", "opening-too-low run-gap", 27),
        # nothing laid: no opening, no fault of one
        ("classic", "r3 r4 r5", "r3 r4 r5", "", None),
        ("classic", "r3 r4 r5 r6 r7 r8", "r3 r4 r5 | r6 r7 r8", "nothing-played", None),
        # tiles laid after the opening in the same turn, on other sets
        ("classic", "r3 r4 r5", f"r3 r4 r5 | {THIRTY}", "", 30),
        ("classic", "r3 r4 r5", f"r3 r4 r5 r6 | {THIRTY}", "opening-touched-table", 30),
        ("classic", "r3 r4 r5 r6", f"r3 r4 r5 | r6 k6 o6 | {THIRTY}", "opening-touched-table", 30),
        ("classic", "r3 r4 r5 r6", "r3 r4 r5 | r6 k6 o6", "opening-too-low opening-touched-table", 0),
        ("casino-sabra", "r3 r4 r5", f"r3 r4 r5 r6 | {THIRTY}", "opening-touched-table", 30),
        ("six-player", "r3 r4 r5", f"r3 r4 r5 r6 | {THIRTY}", "opening-touched-table", 30),
        ("sabra-1985", "r3 r4 r5", f"r3 r4 r5 | {THIRTY}", "opening-too-low", 30),
        ("sabra-1985", "r3 r4 r5", f"r3 r4 r5 | {FIFTY}", "", 52),
        ("sabra-1985", "r3 r4 r5", f"r3 r4 r5 r6 | {FIFTY}", "", 52),
        ("sabra-1985", "r3 r4 r5 r6", f"r3 r4 r5 | r6 k6 o6 | {FIFTY}", "", 52),
        ("sabra-1985", "r3 r4 r5 r6", f"r3 r4 r5 | r6 k6 o6 | {THIRTY}", "opening-too-low", 30),
        # the meld is what lies there from the rack alone
        ("sabra-1985", "r13 k13 o13 b13", "r13 k13 o13 | b10 b11 b12 b13 | r4 k4 o4", "opening-too-low", 12),
        # equal tiles: the set of the table may be either of two
        ("classic", "r10 r11 r12", "r10 r11 r12 | r10 r11 r12", "", 33),
        ("classic", "r9 j j", "j r9 j | r9 k9 o9 b9", "", 36),
        (
            "classic",
            "r3 r4 j",
            f"j r3 r4 | {THIRTY}",
            "joker-before-opening joker-not-replayed opening-touched-table",
            30,
        ),
        ("sabra-1985", "r10 r11 r12", "r10 r11 r12 | r10 r11 r12 r13", "opening-too-low", 46),
        (
            "sabra-1985",
            "r10 r11 r12 r13 | k1 k2 k3",
            "r10 r11 r12 r13 | r11 r12 r13 | k1 k2 k3 k4 | b4 k4 o4",
            "opening-too-low",
            48,
        ),
        (
            "sabra-1985",
            "r11 r12 r13 | b10 r10 k10 o10",
            "r11 r12 r13 | r10 r11 r12 r13 | b10 k10 o10 | r5 k5 o5",
            "",
            51,
        ),
    ],
)
def test_the_initial_meld(rules: str, before: str, after: str, expected: str, meld: int | None) -> None:
    verdict = judged(before, after, rules, opened=False)
    assert sorted(f.code for f in verdict.faults) == expected.split()
    assert verdict.meld == meld
    assert verdict.opened == (verdict.legal and meld is not None)


def test_after_the_opening_nothing_of_it_is_asked() -> None:
    verdict = judged("r3 r4 r5", "r3 r4 r5 r6", opened=True)
    assert (verdict.legal, verdict.meld, verdict.opened) == (True, None, True)


def test_options_of_the_opening() -> None:
    assert judged("", "r7 k7 o7", options=("twenty-point-opening",), opened=False).legal
    assert codes("", "r6 k6 o6", options=("twenty-point-opening",), opened=False) == ["opening-too-low"]
    worthless = from_mapping({"joker_meld": "nothing"})
    assert judged("", "r10 r11 j", worthless, opened=False).meld == 21


# ----------------------------------------------------------------------------------------- jokers

FREE = "joker-not-replayed"
RACK = "joker-needs-rack-tiles"
WRONG = "joker-wrong-replacement"
DISTURBED = "joker-set-disturbed"
EARLY = "joker-before-opening"
GONE = "tile-left-table"


@pytest.mark.parametrize(
    ("before", "after", "classic", "sabra", "casino"),
    [
        # the set of a joker grows
        ("b6 j b8", "b5 b6 j b8", "", "", ""),
        ("b6 j b8", "b6 j b8 b9", "", "", ""),
        ("r5 b5 j", "r5 b5 j k5", "", "", ""),
        ("b6 j b8", "j b8 b6 b5", "", "", ""),
        ("b6 j b8", "b9 b6 j b8", "", "", ""),
        ("r3 r4 j", "r4 r3 r5 j", FREE, FREE, FREE),
        # a tile leaves it, the joker stays
        ("b6 j b8 b9", "b6 j b8 | b9 k9 o9", "", DISTURBED, ""),
        ("b6 j b8 b9", "j b8 b9 | b6 k6 o6", "", DISTURBED, ""),
        ("r5 b5 j k5", "r5 b5 j | k5 k6 k7", "", DISTURBED, ""),
        # freed by its tile from the rack, in a new set with two rack tiles
        ("b6 j b8", "b6 b7 b8 | r10 r11 j", "", "", ""),
        ("b6 j b8", "b6 b7 b8 | r10 j o10", "", "", ""),
        ("r5 b5 j", "r5 b5 k5 | r10 r11 j", "", "", ""),
        ("r9 j j", "r9 r10 j | k1 k2 j", "", "", ""),
        ("r9 j j", "r9 k9 j | k1 k2 j", "", "", ""),
        # … with one rack tile only
        ("b6 j b8 | r10 k10 o10 b10", "b6 b7 b8 | k10 o10 b10 | r10 r11 j", "", RACK, RACK),
        # not replayed
        ("b6 j b8", "b6 b7 b8 j", FREE, FREE, FREE),
        ("b6 j b8", "j b6 b7 b8", FREE, FREE, FREE),
        ("b6 j b8", "b6 b7 b8", f"{FREE} {GONE}", f"{FREE} {GONE}", f"{FREE} {GONE}"),
        ("b6 j b8 | r3 r4 r5", "b6 b7 b8 | r3 r4 r5 j", FREE, FREE, FREE),
        ("b6 j b8 | r3 r4 r5", "b6 b7 b8 | j r3 r4 r5 r6 r7", FREE, FREE, FREE),
        # … but the 3-4-5 may be the rack's
        ("b6 j b8 | r3 r4 r5", "b6 b7 b8 | r3 r4 r5 j | r3 r4 r5", "", "", ""),
        # freed by rearranging: the tiles of its set go elsewhere
        ("b6 j b8 | b3 b4 b5", "b3 b4 b5 b6 | b8 k8 o8 | r10 r11 j", "", f"{DISTURBED} {WRONG}", WRONG),
        # freed by its tile, that comes from the table
        ("b6 j b8 | b7 k7 o7 r7", "b6 b7 b8 | k7 o7 r7 | r10 r11 j", "", WRONG, WRONG),
        # freed lawfully, then the set is like any other
        ("b6 j b8 b9", "b6 b7 b8 | b9 k9 o9 | r10 r11 j", "", "", ""),
        # one of two jokers leaves, the other binds its set
        ("j b6 j b8", "b5 b6 j b8 | r10 r11 j", "", "", ""),
        ("j b6 j b8", "b5 b6 j | b8 k8 o8 | r10 r11 j", "", DISTURBED, ""),
        # moved along: it stands for another tile
        ("r3 r4 j", "r2 r3 j | r4 k4 o4", "", f"{DISTURBED} {RACK} {WRONG}", f"{RACK} {WRONG}"),
        # a group for a run, the joker among its rack tiles
        ("r5 b5 j", "r5 b5 k5 | o7 j o9", "", "", ""),
    ],
)
def test_jokers(before: str, after: str, classic: str, sabra: str, casino: str) -> None:
    for rules, expected in (
        ("classic", classic),
        ("six-player", classic),
        ("sabra-1985", sabra),
        ("casino-sabra", casino),
    ):
        assert codes(before, after, rules) == sorted(expected.split()), rules


@pytest.mark.parametrize(
    ("rules", "before", "after", "expected"),
    [
        ("classic", "b6 j b8", f"b6 b7 b8 | r10 r11 j | {THIRTY}", f"{EARLY} opening-touched-table"),
        ("classic", "b6 j b8", f"b6 j b8 | {THIRTY}", ""),
        ("casino-sabra", "b6 j b8", f"b6 b7 b8 | r10 r11 j | {THIRTY}", f"{EARLY} opening-touched-table"),
        # once the meld is down, the table may be used
        ("sabra-1985", "b6 j b8", f"b6 b7 b8 | r10 r11 j | {FIFTY}", ""),
        ("sabra-1985", "b6 j b8", f"b6 b7 b8 | r10 r11 j | {THIRTY}", f"{EARLY} opening-too-low"),
        # nothing laid
        ("classic", "b6 j b8 b9 b10", "b6 j b8 | b9 b10", "nothing-played set-too-short"),
        ("classic", "b6 j b8 | b7 k7 o7 r7", "b6 b7 b8 | k7 o7 r7 j", f"{EARLY} nothing-played"),
    ],
)
def test_jokers_before_the_initial_meld(rules: str, before: str, after: str, expected: str) -> None:
    assert codes(before, after, rules, opened=False) == sorted(expected.split())


def test_the_tournament_joker() -> None:
    option = ("tournament-joker",)
    one, both = "r5 b5 k5 | r10 r11 j", "r5 b5 k5 o5 | r10 r11 j"
    for rules in NAMES:
        assert codes("r5 b5 j", one, rules) == []
        assert codes("r5 b5 j", one, rules, options=option) == [WRONG]
        assert codes("r5 b5 j", both, rules, options=option) == []
        # a group of four has one missing colour, a run none
        assert codes("r5 b5 o5 j", both, rules, options=option) == []
        assert codes("b6 j b8", "b6 b7 b8 | r10 r11 j", rules, options=option) == []
    from_table = "r5 b5 k5 o5 | r10 r11 j | o6 o7 o8"
    assert codes("r5 b5 j | o5 o6 o7 o8", from_table, options=option) == []
    assert codes("r5 b5 j | o5 o6 o7 o8", from_table, "casino-sabra", options=option) == [WRONG]


def test_a_rack_tile_frees_one_joker() -> None:
    before, after = "b6 j b8 | b6 j b8", "b6 b7 b8 | b6 b7 b8 | r10 r11 j | k1 k2 j"
    assert judged(before, after, "casino-sabra").legal
    one = "b7 r7 k7 o7 | b6 j b8 | b6 j b8", "r7 k7 o7 | b6 b7 b8 | b6 b7 b8 | r10 r11 j | k1 k2 j"
    assert codes(*one, "casino-sabra") == [WRONG]
    assert codes(*one, "classic") == []


def test_of_two_jokers_the_rack_tile_frees_the_one_for_which_that_is_best() -> None:
    """Both stand for k3 and only one was laid. The 3-4-5 lies there whole; the other set needs to be free to go."""
    after = "k3 k4 k5 | k1 b1 r1 o1 | k2 r2 o2 | b9 r9 j | b11 r11 j"
    for before in ("j k4 k5 | k1 k2 j", "k1 k2 j | j k4 k5"):
        assert codes(before, after, "sabra-1985") == [WRONG]


def test_equal_tiles_serve_the_meld_or_the_joker_but_not_both() -> None:
    before, after = "b6 j b8 | r11 r12 r13", "b6 b7 b8 | r11 r12 r13 | r11 r12 r13 j"
    # 30 and one of the two 11-12-13: as the meld it leaves the joker on the old one
    assert len(codes(before, f"{after} | {THIRTY}", "sabra-1985", opened=False)) == 1
    assert codes(before, f"{after} | k11 k12 k13 | o5 o6 o7", "sabra-1985", opened=False) == []
    assert codes(before, after, "sabra-1985") == []


def test_what_the_meld_takes_is_not_asked_for_again() -> None:
    """The 10s are the meld; the joker that is not gone has r11 and r13 from the rack beside it, not the rack's r10."""
    after = "o10 k10 b10 r10 | r11 r12 r13 r9 | j r10 r11 r12 r13"
    found = codes("r9 r10 j r12 j", after, "sabra-1985", options=("twenty-point-opening",), opened=False)
    assert found == ["joker-not-replayed", "run-gap", "tile-left-table"]


def test_a_row_with_equal_tiles_may_hold_all_of_an_old_set() -> None:
    found = codes("r12 b12 k12 | k13 b13 j r13", "b13 k13 o13 r13 | r12 k13 k12 b12 r12 b13 j", "sabra-1985")
    assert len(found) == 2 and "mixed-set" in found


def test_a_tile_of_two_old_sets_is_from_one_of_them() -> None:
    """The r4 is of the joker's set, so the run is not all of 3-4-5; then the r6 has to be the rack's."""
    assert codes("r4 j r6 | r5 r4 r3", "r6 r7 r8 | r4 k4 o4 | j r6 r3 r5 r4") == []
    # … which laid no r6 here
    assert codes("r4 j r6 | r5 r4 r3", "r4 k4 o4 | j r6 r3 r5 r4") == [FREE]


def test_jokers_alone_make_nothing_old() -> None:
    assert judged("j j j | b6 j b8", "j j j | b6 b7 b8 | r10 r11 j", "six-player").legal
    assert judged("j j j", "r4 j r6 | k4 j k6 | o4 j o6", "six-player").legal


def test_in_a_row_that_is_no_set_a_joker_stays_with_its_tiles() -> None:
    assert codes("b6 j b8", "b6 j | b8 k8 o8") == ["set-too-short"]
    assert codes("b6 j b9", "b6 j b9 | r9 k9 o9") == ["run-gap"]
    assert codes("b6 j b8", "b6 b8 | k8 o8 r8", loose="j") == sorted(["set-too-short", "set-too-short", FREE])


def test_the_reading_that_is_best_for_the_player_is_named() -> None:
    (reading,) = judged("", "r9 j j", opened=False).sets
    assert reading is not None
    assert (reading.kind, [str(t) for t in reading.stands_for]) == ("run", ["r9", "r10", "r11"])
    # … among those in which the joker stays what it was
    (reading,) = judged("r9 k9 j", "r9 k9 j b9").sets
    assert reading is not None and [str(t) for t in reading.stands_for] == ["r9", "k9", "o9", "b9"]
    reading = judged("r3 r4 j", "r4 r3 j r2").sets[0]
    assert reading is not None and reading.notes == ("out-of-order",)
    assert [str(t) for t in reading.stands_for] == ["r4", "r3", "r5", "r2"]


def test_own_sheets() -> None:
    anywhere = from_mapping({"freed_new_set": False})
    assert codes("b6 j b8", "b6 b7 b8 j", anywhere) == []
    early = from_mapping({"freed_before_meld": True, "opening_table": "after-meld"})
    assert codes("b6 j b8", f"b6 b7 b8 | r10 r11 j | {THIRTY}", early, opened=False) == []
    three = from_mapping({"freed_rack_tiles": 3})
    assert codes("b6 j b8", "b6 b7 b8 | r10 r11 j", three) == [RACK]
    assert codes("b6 j b8", "b6 b7 b8 | r10 r11 j r13", three) == []


@pytest.mark.parametrize("count", [4, 8])
def test_many_jokers_are_judged_all_the_same(count: int) -> None:
    sheet = from_mapping({"jokers": 8, "copies": 8, "base": "sabra-1985"})
    before = " | ".join(f"{c}{n} {c}{n + 1} j" for c in "kbro" for n in (2, 8))
    before = " | ".join(before.split(" | ")[:count])
    swapped = " | ".join(row.replace("j", row[0] + str(int(row.split()[1][1:]) + 1)) for row in before.split(" | "))
    fresh = " | ".join(f"{c}11 j {c}13" for c in ("kbro" * 2)[:count])
    assert judged(before, f"{swapped} | {fresh}", sheet).legal
    lost = codes(before, swapped, sheet)
    assert lost.count(FREE) == count and lost.count(GONE) == 1


def test_more_jokers_than_any_box_holds_are_a_fault_and_no_burden() -> None:
    """Where one of eight jokers went nobody can say; that two is all there are has to be said."""
    before = " | ".join(f"{c}{n} {c}{n + 1} j" for c in "kbro" for n in (2, 8))
    after = " | ".join(f"{c}{n} j {c}{n + 2}" for c in "kbro" for n in (3, 9))
    for rules in NAMES:
        found = codes(before, after, rules)
        assert "too-many-copies" in found and not any(code.startswith("joker-") for code in found)
    # what was laid to open is worth what it is worth
    verdict = judged("j k11 j k9 j | k11 k12 j", "b13 k13 r13 | k13 k12 k11 j | j k11 j k9 j | k11 k12 j", opened=False)
    assert (verdict.codes, verdict.meld) == ({"too-many-copies"}, 39 + 46)


def test_a_judge_who_has_to_give_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.jokers.PATIENCE", 0)
    (fault,) = judged("b6 j b8", "b6 b7 b8 | r10 r11 j").faults
    assert fault.code == FREE and "nobody can say" in fault.message


def test_hundreds_of_equal_tiles_are_a_fault_and_no_burden() -> None:
    assert "too-many-copies" in codes("r5 " * 100, "r5 " * 300)
    assert "too-many-copies" in codes("j " * 200, "j " * 200 + "| r4 r5 r6")


def test_every_code_is_found_by_a_case() -> None:
    """Together the tables above name every code that there is."""
    named = {code for mark in (test_rows, test_tiles_that_come_and_go) for code in _expected(mark)}
    named |= {
        c for mark in (test_the_initial_meld, test_jokers, test_jokers_before_the_initial_meld) for c in _expected(mark)
    }
    assert named == set(CODES)


def _expected(test: Any) -> set[str]:
    cells = [cell for case in test.pytestmark[0].args[1] for cell in case if isinstance(cell, str)]
    return {word for cell in cells for word in cell.split() if word in CODES}


# ------------------------------------------------------------------------------------- any turn

rows = st.lists(st.sampled_from([*ALL_TILES, *(Tile.JOKER,) * 10, Tile.UNREAD]), max_size=6).map(tuple)
layouts = st.lists(rows, max_size=6).map(lambda r: Layout(tuple(r)))
turns = st.builds(
    Turn,
    layouts,
    layouts,
    st.lists(st.sampled_from(ALL_TILES), max_size=3).map(tuple),
    st.booleans(),
    st.one_of(st.none(), st.integers(0, 20), st.lists(st.sampled_from(ALL_TILES), max_size=10).map(tuple)),
)


@settings(max_examples=150, deadline=None)
@given(turns, st.sampled_from(NAMES))
def test_any_turn_has_a_verdict(turn: Turn, name: str) -> None:
    verdict = judge(turn, load(name))
    after = turn.after.tiles + Counter(turn.loose)
    if Tile.UNREAD not in after:
        assert Counter(verdict.played) == after - turn.before.tiles
    assert verdict.legal == (not verdict.faults)
    assert verdict.codes <= set(CODES)
    assert len(verdict.sets) == len(turn.after)
    for fault in verdict.faults:
        assert fault.set is None or 0 <= fault.set < len(turn.after)
        assert fault.before is None or 0 <= fault.before < len(turn.before)
        assert fault.message.endswith(".") and "\n" not in fault.message
    assert judge(turn, load(name)) == verdict


@settings(max_examples=60, deadline=None)
@given(turns, st.sampled_from(NAMES), st.randoms(use_true_random=False))
def test_the_order_of_the_sets_is_nothing(turn: Turn, name: str, rng: random.Random) -> None:
    def shuffled(layout: Layout) -> Layout:
        return Layout(tuple(rng.sample(layout.sets, len(layout.sets))))

    other = Turn(shuffled(turn.before), shuffled(turn.after), turn.loose[::-1], turn.opened, turn.rack)
    one, two = judge(turn, load(name)), judge(other, load(name))
    assert one.legal == two.legal
    assert len(one.faults) == len(two.faults)
    assert (one.meld, one.rack, one.out, one.opened) == (two.meld, two.rack, two.out, two.opened)


def twice(rng: random.Random) -> tuple[list[list[Tile]], list[list[Tile]]]:
    """A full table of groups that lie there twice, and the same tiles as runs, jokers in some sets of both."""
    groups = [[Tile(c, n) for c in COLOURS] for _ in range(2) for n in range(1, 14)]
    cuts = ((1, 2, 3, 4), (5, 6, 7), (8, 9, 10), (11, 12, 13))
    runs = [[Tile(c, n) for n in cut] for _ in range(2) for c in COLOURS for cut in cuts]
    before, after = (groups, runs) if rng.random() < 0.5 else (runs, [list(row) for row in runs])
    rng.shuffle(before)
    before = before[rng.randrange(1, 8) :]
    for rows in (before, after):
        for row in rng.sample(rows, 2):
            if rng.random() < 0.5:
                row[rng.randrange(len(row))] = Tile.JOKER
            else:
                row.insert(rng.choice((0, len(row))), Tile.JOKER)
    return before, after


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(["sabra-1985", "classic"]))
def test_the_order_of_the_sets_of_a_full_table_is_nothing(seed: int, name: str) -> None:
    rng = random.Random(seed)
    before, after = twice(rng)
    told = set()
    for _ in range(3):
        rng.shuffle(before)
        rng.shuffle(after)
        layouts = (Layout(tuple(map(tuple, rows))) for rows in (before, after))
        verdict = judge(Turn(*layouts, opened=False), load(name))
        told.add((verdict.legal, len(verdict.faults), verdict.meld if verdict.legal else None))
    assert len(told) == 1


def test_an_opening_too_large_to_be_sorted_out_counts_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rack has one r11 for two rows: only the 13s are the meld before that is tried out."""
    before, after = "r8 r9 r10 r11", "r8 r9 r10 | r11 k11 o11 | r11 r12 r13 | b13 k13 o13"
    whole = judged(before, after, "sabra-1985", opened=False)
    assert (whole.legal, whole.meld) == (True, 36 + 39)
    monkeypatch.setattr("referee.opening.PATIENCE", 1)
    cut_short = judged(before, after, "sabra-1985", opened=False)
    assert (cut_short.codes, cut_short.meld) == ({"opening-too-low"}, 39)


def test_a_tile_not_read_before_the_turn_is_named_with_its_place() -> None:
    document = judged("b4 ? b6", "b4 b5 b6 b7").document()
    assert document["violations"] == [
        {
            "code": "unread-tile",
            "set": None,
            "tiles": ["?"],
            "before": 0,
            "message": "Before the turn: b4 ? b6: ? could not be read; say what it is.",
        }
    ]
