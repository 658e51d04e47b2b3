"""The exported score sheet: read back as CSV and JSON, names that look like formulas."""

from __future__ import annotations

import csv
import io
import json

from referee.export import places, rules_json, score_csv, score_json
from referee.results import GameEnd, GameResult, Rack
from referee.scores import score_document, score_match
from referee.sheets import from_mapping, load, with_options

ABC = ("A", "B", "C")
GAMES = (
    GameResult(GameEnd.OUT, "A", (("B", Rack.parse(12)), ("C", Rack.parse(["k5", "j"])))),
    GameResult(GameEnd.ABANDONED),
    GameResult(GameEnd.BLOCKED, None, (("A", Rack.parse(4)), ("B", Rack.parse(9)), ("C", Rack.parse(4)))),
)


def test_csv() -> None:
    rows = list(csv.reader(io.StringIO(score_csv(load("classic"), ABC, GAMES))))
    assert rows == [
        ["game", "end", "winners", "A", "B", "C", "A total", "B total", "C total"],
        ["1", "out", "A", "47", "-12", "-35", "47", "-12", "-35"],
        ["", "abandoned", "", "0", "0", "0", "47", "-12", "-35"],
        ["2", "blocked", "A; C", "0", "0", "0", "47", "-12", "-35"],
        ["total", "", "", "47", "-12", "-35", "", "", ""],
        ["wins", "", "", "2", "0", "1", "", "", ""],
        ["place", "", "", "1", "3", "2", "", "", ""],
    ]


def test_names_are_text_in_a_spreadsheet() -> None:
    names = ('=HYPERLINK("x")', 'Ann, "A"', "-5")
    game = GameResult(GameEnd.OUT, "-5", ((names[0], Rack.parse(1)), (names[1], Rack.parse(2))))
    rows = list(csv.reader(io.StringIO(score_csv(load("classic"), names, [game]))))
    assert rows[0][3:6] == ['\'=HYPERLINK("x")', 'Ann, "A"', "'-5"]
    assert rows[1][2:6] == ["'-5", "-1", "-2", "3"]


def test_shared_places_leave_the_next_one_out() -> None:
    games = [GameResult(GameEnd.BLOCKED, None, (("A", Rack(3)), ("B", Rack(3)), ("C", Rack(9))))]
    assert places(score_match(load("classic"), ABC, games)) == (1, 1, 3)
    assert places(score_match(load("classic"), ABC, [])) == (1, 1, 1)


def test_json_is_read_again_by_score() -> None:
    for sheet in (
        load("classic"),
        with_options(load("sabra-1985"), ["one-game", "clock=90"]),
        with_options(from_mapping({"joker_on_rack": 25}), ["one-game"]),
    ):
        games = GAMES[:2] if "one-game" in sheet.options else GAMES
        document = json.loads(json.dumps(score_json(sheet, ABC, games)))
        assert score_document(document) == document["score"]


def test_rules_by_name_or_in_full() -> None:
    sheet = with_options(load("classic"), ["one-game"])
    assert rules_json(sheet) == {"rules": "classic", "options": ["one-game"]}
    own = from_mapping({"name": "classic", "joker_on_rack": 25})
    assert rules_json(own)["rules"]["joker_on_rack"] == 25
