"""`tilekeeper judge`, `restore`, `moves`, `score`, `rules`: lists in, lists out, and one line for what cannot be."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.sheets import NAMES, OPTIONS, RULES, load
from webui.cli import main

TURN = {
    "rules": "classic",
    "options": [],
    "before": [["b4", "b5", "b6"]],
    "after": [["b4", "b5", "b6"], ["r9", "k9", "o9"]],
    "loose": [],
    "opened": True,
    "rack": 9,
}
ILLEGAL = {**TURN, "after": [["b4", "b5", "b6"], ["r9", "k9"]]}
RESTORE = {"before": [["b4", "b5", "b6"]], "now": [["b4", "b5"], ["b6", "r1"]]}
MOVES = {"rules": "classic", "table": [["b4", "b5", "b6"]], "rack": ["b7", "k1"], "opened": True}
SCORE = {
    "rules": "classic",
    "options": [],
    "players": ["A", "B", "C"],
    "games": [
        {"end": "out", "winner": "A", "racks": {"B": 12, "C": ["k5", "j"]}},
        {"end": "blocked", "racks": {"A": 4, "B": 9, "C": 15}},
        {"end": "abandoned"},
    ],
}
DOCUMENTS = {"judge": TURN, "restore": RESTORE, "moves": MOVES, "score": SCORE}


def run(command: str, *args: str, stdin: Any = None) -> Result:
    given_text = None if stdin is None else (stdin if isinstance(stdin, bytes | str) else json.dumps(stdin))
    return CliRunner().invoke(main, [command, *args], input=given_text)


def asked(command: str, document: Any) -> Any:
    """The one JSON document on standard output, and nothing else there."""
    result = run(command, "--json", "-", stdin=document)
    assert result.stderr == ""
    assert result.stdout.count("\n") == 1
    return json.loads(result.stdout)


def refused(command: str, stdin: Any, *args: str) -> str:
    """The one line with which input is refused; nothing is printed."""
    result = run(command, *(args or ("--json", "-")), stdin=stdin)
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1 and len(result.stderr) < 600
    return result.stderr.strip().removeprefix("tilekeeper: ")


# -------------------------------------------------------------------------------- what is answered


def test_judge_answers_as_the_contract_says() -> None:
    answer = asked("judge", TURN)
    assert answer["sets"][0] == {
        "kind": "run",
        "tiles": ["b4", "b5", "b6"],
        "stands_for": ["b4", "b5", "b6"],
        "value": 15,
        "notes": [],
    }
    del answer["sets"]
    assert answer == {
        "legal": True,
        "violations": [],
        "played": ["r9", "k9", "o9"],
        "opened": True,
        "meld": None,
        "rack": 6,
        "out": False,
    }


def test_restore_answers_as_the_contract_says() -> None:
    answer = asked("restore", RESTORE)
    assert (answer["restored"], answer["to_rack"]) == (False, ["r1"])
    (step,) = answer["steps"]
    assert {k: step[k] for k in ("tile", "from", "to")} == {
        "tile": "b6",
        "from": {"set": 1, "index": 0},
        "to": {"set": 0, "index": 2},
    }
    assert asked("restore", {**RESTORE, "now": [["b6", "b5", "b4"]]})["restored"] is True


def test_moves_answers_as_the_contract_says() -> None:
    answer = asked("moves", MOVES)
    assert answer["playable"] is True and answer["optimal"] is True
    assert (answer["played"], answer["table"]) == (["b7"], [["b4", "b5", "b6", "b7"]])
    assert answer["objective"] == "tiles"
    none = asked("moves", {**MOVES, "rack": ["k1"]})
    assert (none["playable"], none["played"], none["table"]) == (False, [], [["b4", "b5", "b6"]])
    assert asked("moves", {**MOVES, "objective": "points"})["objective"] == "points"


def test_score_answers_as_the_contract_says() -> None:
    answer = asked("score", SCORE)
    assert answer["games"][0]["points"] == {"A": 47, "B": -12, "C": -35}
    assert answer["games"][1]["points"] == {"A": 16, "B": -5, "C": -11}
    assert answer["totals"] == {"A": 63, "B": -17, "C": -46}
    assert (answer["ranking"], answer["finished"]) == ([["A"], ["B"], ["C"]], False)


def test_score_of_card_rummy() -> None:
    games = [
        {"winner": "A", "cards": {"B": 12, "C": 30}},
        {"winner": "B", "cards": {"A": 50, "C": 25}, "in_one_turn": True},
    ]
    document = {"rules": "card-rummy", "players": ["A", "B", "C"], "games": games}
    answer = asked("score", document)
    assert answer["totals"] == {"A": 42, "B": 150, "C": 0} and answer["wins"] == {"A": 1, "B": 1, "C": 0}
    assert (answer["target"], answer["finished"], answer["ranking"]) == (150, True, [["B"], ["A"], ["C"]])
    assert asked("score", [document, SCORE]) == [answer, asked("score", SCORE)]
    assert run("score", "-", stdin=document).stdout.splitlines() == [
        " game     A      B   C",
        "    1  +42*     +0  +0",
        "    2    +0  +150*  +0",
        "total   +42   +150  +0",
        " wins     1      1   0",
        "finished, to 150: B, A, C",
    ]
    told = refused("score", [SCORE, {**document, "games": [{"winner": "A", "cards": {"B": 1}}]}])
    assert told == "standard input: [1].games[0].cards: the cards of B, C, each once"


@pytest.mark.parametrize(
    ("command", "document", "status"),
    [
        ("judge", TURN, 0),
        ("judge", ILLEGAL, 1),
        ("judge", [TURN, ILLEGAL], 1),
        ("judge", [TURN, TURN], 0),
        ("judge", [], 0),
        ("restore", RESTORE, 1),
        ("restore", {**RESTORE, "now": RESTORE["before"]}, 0),
        ("moves", MOVES, 0),
        ("moves", {**MOVES, "rack": []}, 1),
        ("score", SCORE, 0),
    ],
)
def test_exit_status(command: str, document: Any, status: int) -> None:
    assert run(command, "--json", "-", stdin=document).exit_code == status
    assert run(command, "-", stdin=document).exit_code == status


@pytest.mark.parametrize("command", DOCUMENTS)
def test_a_list_in_is_a_list_out_in_order(command: str) -> None:
    one = DOCUMENTS[command]
    assert asked(command, [one]) == [asked(command, one)]
    assert asked(command, []) == []
    many = asked(command, [one] * 3)
    assert many == [asked(command, one)] * 3


def test_the_order_of_a_list_is_kept() -> None:
    answers = asked("judge", [TURN, ILLEGAL, TURN])
    assert [a["legal"] for a in answers] == [True, False, True]


def test_several_files_are_one_list(tmp_path: Path) -> None:
    paths = []
    for i, document in enumerate((TURN, [ILLEGAL, TURN])):
        path = tmp_path / f"turn-{i}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        paths.append(str(path))
    result = run("judge", "--json", *paths)
    assert [a["legal"] for a in json.loads(result.stdout)] == [True, False, True]


def test_text_for_people() -> None:
    text = run("judge", "-", stdin=[TURN, ILLEGAL]).stdout
    assert text.splitlines() == [
        "1. legal",
        "   played r9 k9 o9, 6 left on the rack",
        "2. illegal",
        "   set 2: r9 k9: two tiles are no set; it takes three or more. (set-too-short)",
        "   played r9 k9, 7 left on the rack",
    ]
    opening = {**TURN, "opened": False, "after": [["r10", "k10", "o10"]], "before": [], "rack": 3}
    assert run("judge", "-", stdin=opening).stdout.splitlines() == [
        "legal",
        "   played r10 k10 o10, opening worth 30, out",
    ]
    assert run("restore", "-", stdin=RESTORE).stdout.splitlines() == [
        "not restored: 1 to move",
        "   back to the rack: r1",
        "   b6 from set 2 place 1 to set 1 place 3",
    ]
    lost = run("restore", "-", stdin={**RESTORE, "now": [["b4", "?"]]}).stdout
    assert "cannot be restored, missing: b5 b6" in lost and "not read: set 1 place 2" in lost
    assert run("moves", "-", stdin=MOVES).stdout.splitlines() == ["play b7", "   b4 b5 b6 b7"]
    assert run("moves", "-", stdin={**MOVES, "rack": []}).stdout == "no play\n"
    assert run("score", "-", stdin=SCORE).stdout.splitlines() == [
        " game     A    B    C",
        "    1  +47*  -12  -35",
        "    2  +16*   -5  -11",
        "    3    +0   +0   +0",
        "total   +63  -17  -46",
        " wins     2    0    0",
        "so far: A, B, C",
    ]


# ---------------------------------------------------------------------------------- rule sheets


def test_rules_side_by_side() -> None:
    text = run("rules").stdout
    for name in NAMES:
        assert name in text
    for about in RULES.values():
        assert about.title.split()[0] in text
    assert "50 points" in text and "counterclockwise" in text and "clock=NUMBER" in text
    assert "(000, 001)" in run("rules", "--sources").stdout


def test_rules_as_json() -> None:
    document = json.loads(run("rules", "--json").stdout)
    assert [s["name"] for s in document["sheets"]] == list(NAMES)
    assert [r["rule"] for r in document["rules"]] == list(RULES)
    assert [o["option"] for o in document["options"]] == list(OPTIONS)
    meld = next(r for r in document["rules"] if r["rule"] == "initial_meld")
    assert meld["values"]["sabra-1985"] == "50 points" and meld["sources"]["sabra-1985"] == "002"
    assert asked("judge", {**TURN, "rules": document["sheets"][1]})["legal"] is True


def test_own_sheet(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.toml"
    path.write_text("initial_meld = 27\n", encoding="utf-8")
    opening = {**TURN, "opened": False}
    assert asked("judge", opening)["legal"] is False
    result = run("judge", "--json", "--rules", str(path), "-", stdin=opening)
    assert (result.exit_code, json.loads(result.stdout)["meld"]) == (0, 27)
    assert "27 points" in run("rules", str(path), "classic").stdout
    assert run("judge", "--rules", "sabra-1985", "-", stdin=opening).exit_code == 1
    assert asked("judge", {**opening, "rules": {"initial_meld": 27}})["legal"] is True
    assert asked("judge", {**opening, "options": ["twenty-point-opening"]})["legal"] is True


def test_own_sheet_with_a_bad_key(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.toml"
    path.write_text("initial_melt = 27\n", encoding="utf-8")
    told = "initial_melt: no such rule (is it initial_meld?)"
    assert refused("rules", None, str(path)).endswith(told)
    assert refused("judge", TURN, "--rules", str(path), "-").endswith(told)
    assert "cannot read rule sheet" in refused("rules", None, str(tmp_path / "none.toml"))


# ------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("command", "change", "told"),
    [
        ("judge", {"after": [["b4", "x9", "b6"]]}, "after[0][1]: no such tile: 'x9'"),
        ("judge", {"after": [["b4", "b0", "b6"]]}, "after[0][1]: no such tile: 'b0'"),
        ("judge", {"before": [["b4", "b14", "b6"]]}, "before[0][1]: no such tile: 'b14'"),
        ("judge", {"before": [["b4", 5, "b6"]]}, "before[0][1]: a tile is a text such as r5 or j, not 5"),
        ("judge", {"before": [["b4", "b", "b6"]]}, "before[0][1]: no such tile: 'b' (the number is missing)"),
        ("judge", {"after": "b4 b5 b6"}, "after: a list, not 'b4 b5 b6'"),
        ("judge", {"after": ["b4", "b5"]}, "after[0]: a list, not 'b4'"),
        ("judge", {"after": [[]]}, "after[0]: a set of no tiles"),
        ("judge", {"after": {"sets": []}}, "after: a list, not an object"),
        ("judge", {"after": [["b4"] * 401]}, "after[0]: more than 400 tiles in all"),
        ("judge", {"after": [["b4"]] * 401}, "after: 401 sets; 400 is the most"),
        ("judge", {"loose": "b4"}, "loose: a list, not 'b4'"),
        ("judge", {"loose": ["b77"]}, "loose[0]: no such tile: 'b77'"),
        ("judge", {"loose": ["b7"] * 401}, "loose: 401 tiles; 400 is the most"),
        ("judge", {"opened": "yes"}, "opened: true or false, not 'yes'"),
        ("judge", {"opened": 1}, "opened: true or false, not 1"),
        ("judge", {"rack": -1}, "rack: a number of tiles from 0 to 400, a list of tiles or null, not -1"),
        ("judge", {"rack": 3.5}, "rack: a number of tiles from 0 to 400, a list of tiles or null, not 3.5"),
        ("judge", {"rack": True}, "rack: a number of tiles"),
        ("judge", {"rack": 10**30}, "rack: a number of tiles"),
        ("judge", {"rack": ["b7", "?"]}, "rack[1]: ? is not read"),
        ("judge", {"rack": ["b7"] * 401}, "rack: 401 tiles; 400 is the most"),
        ("judge", {"rack": {"b7": 1}}, "rack: a number of tiles"),
        ("judge", {"rules": "chess"}, "rules: no such rule sheet: 'chess' (there are classic,"),
        ("judge", {"rules": 3}, "rules: a rule sheet is a table of rules"),
        ("judge", {"rules": {"copies": 99}}, "rules.copies: a whole number from 1 to 8, not 99"),
        ("judge", {"options": ["nope"]}, "options: no such option: 'nope'"),
        ("judge", {"options": "one-game"}, "options: a list of texts, not 'one-game'"),
        ("judge", {"options": [[]]}, "options: a list of texts, not []"),
        ("restore", {"now": [["b4", "q5"]]}, "now[0][1]: no such tile: 'q5'"),
        ("restore", {"before": 7}, "before: must be a list of sets"),
        ("moves", {"table": [["b4", "b15"]]}, "table[0][1]: no such tile: 'b15'"),
        ("moves", {"rack": ["b0"]}, "rack[0]: no such tile: 'b0'"),
        ("moves", {"rack": 7}, "rack: a list of tiles, not 7"),
        ("moves", {"rack": ["b7", "b7", "b7"]}, "rack[2]: b7"),
        ("moves", {"table": [["b4", "b5"]]}, "table[0]: the table is not legal"),
        ("moves", {"objective": "fun"}, "objective: one of tiles, points, not 'fun'"),
        ("moves", {"objective": []}, "objective: one of tiles, points, not a list"),
        ("moves", {"opened": None}, "opened: true or false, not None"),
        ("score", {"players": ["A", "A"]}, "players[1]: a second 'A'"),
        ("score", {"games": [{"end": "out", "winner": "Z", "racks": {}}]}, "games[0].winner: 'Z' is no player"),
        ("score", {"games": [{"end": "out", "winner": "A", "racks": {"B": -3, "C": 1}}]}, "games[0].racks.B: "),
    ],
)
def test_bad_values_are_named_with_their_place(command: str, change: dict[str, Any], told: str) -> None:
    document = {**DOCUMENTS[command], **change}
    assert refused(command, document).startswith(f"standard input: {told}")
    dot = "" if told.startswith("[") else "."
    listed = refused(command, [DOCUMENTS[command], document])
    assert listed.startswith(f"standard input: [1]{dot}{told}")


@pytest.mark.parametrize(
    ("command", "key"),
    [
        *(("judge", key) for key in ("before", "after", "opened")),
        *(("restore", key) for key in ("before", "now")),
        *(("moves", key) for key in ("table", "rack", "opened")),
        *(("score", key) for key in ("players", "games")),
    ],
)
def test_a_missing_key_is_named(command: str, key: str) -> None:
    document = {k: v for k, v in DOCUMENTS[command].items() if k != key}
    assert refused(command, document) == f"standard input: {key}: missing"


def test_a_slip_of_a_key_is_named_and_a_foreign_key_is_not_minded() -> None:
    slip = {**{k: v for k, v in TURN.items() if k != "loose"}, "lose": ["b7"]}
    assert refused("judge", slip) == "standard input: lose: no such key (is it loose?)"
    assert asked("judge", {**TURN, "comment": "after dinner"}) == asked("judge", TURN)


@pytest.mark.parametrize("command", DOCUMENTS)
@pytest.mark.parametrize("document", [7, "b4", None, True, [7], [None], [[TURN]]])
def test_what_is_no_object_is_refused(command: str, document: Any) -> None:
    assert refused(command, json.dumps(document)).startswith("standard input: ")


@pytest.mark.parametrize("command", DOCUMENTS)
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "- is not JSON: "),
        (b"{", "- is not JSON: "),
        (b"\xff\xfe\x00", "not a UTF-8 text"),
        (b'{"rack": NaN}', "NaN is no number"),
        (b'{"rack": Infinity}', "Infinity is no number"),
        (b"[" * 1_000 + b"]" * 1_000, ""),
        (b"[" * 100_000, ""),
        (b'{"a":' * 100_000, ""),
        (b'{"before": ' + b"[" * 1000 + b"]" * 1000 + b', "after": [], "opened": true}', ""),
        (b'{"rack": 1' + b"0" * 5_000 + b"}", "a number of thousands of digits"),
        (b'{"rack": 1, "rack": 2}', "the key 'rack' is there twice in one object"),
        (b'[{"a\\nb": 1, "a\\nb": 2}]', "is there twice in one object"),
        (json.dumps(TURN).encode("utf-16"), "not a UTF-8 text"),
        (b'{"rules": {"a\\nb": 1}, "before": [], "now": 1, "table": [], "games": [1]}', ""),
        (b'"' + b"x" * 10_000_000 + b'"', ""),
        (json.dumps({"before": ["x" * 10_000_000]}).encode(), ""),
        (json.dumps({"y" * 10_000_000: 1}).encode(), ""),
        (json.dumps({"before": [["b4"] * 2_000_000], "after": [], "opened": True}).encode(), ""),
    ],
    ids=lambda value: f"{len(value)} bytes" if isinstance(value, bytes) else "",
)
def test_hostile_documents_are_one_line(command: str, text: bytes, told: str) -> None:
    assert told.replace("- is", "") in refused(command, text)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert "no such file" in refused("judge", None, str(tmp_path / "none.json"))
    assert "is a directory" in refused("judge", None, str(tmp_path))
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(TURN), encoding="utf-8")
    bad.write_text(json.dumps({**TURN, "rack": -1}), encoding="utf-8")
    assert refused("judge", None, "--json", str(good), str(bad)).startswith(f"{bad}: rack: ")


def test_a_byte_order_mark_is_no_matter() -> None:
    assert asked("judge", b"\xef\xbb\xbf" + json.dumps(TURN).encode()) == asked("judge", TURN)


@pytest.mark.parametrize("path", ["none\nsuch.json", "none\0such.json", "x" * 300])
def test_a_name_that_is_no_file_s_is_one_line(path: str) -> None:
    assert refused("judge", None, "--json", path).startswith("cannot read ")
    assert refused("rules", None, path).startswith("cannot read rule sheet ")


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (b"x ==", "is not TOML: "),
        (b"\xff", "is not TOML: not a UTF-8 text"),
        (b"x = " + b"[" * 5_000, "is not TOML: nested too deep"),
        (b"copies = " + b"9" * 5_000, "cannot be used: a number of thousands of digits"),
        (b"copies = true", "copies: a whole number from 1 to 8, not True"),
        (b"initial_meld = nan", "initial_meld: a whole number from 0 to 500, not nan"),
        (b"clock_seconds = inf", 'clock_seconds: a whole number from 1 to 86400 or "off", not inf'),
        (b'"a\\nb" = 1', "a\\nb: no such rule"),
        (b'name = "a\\nb"', "name: a text of 1 to 60 characters that can be printed"),
        (b'name = "\\u001b[31mred"', "name: a text of 1 to 60 characters that can be printed"),
        (b"#" * (2 << 20), "is larger than 1 MiB"),
    ],
)
def test_own_sheets_that_cannot_be_used(tmp_path: Path, written: bytes, told: str) -> None:
    path = tmp_path / "kitchen.toml"
    path.write_bytes(written)
    assert told in refused("rules", None, "--json", str(path))
    assert told in refused("judge", TURN, "--json", "--rules", str(path), "-")


def test_an_own_sheet_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.toml"
    path.write_bytes(b"\xef\xbb\xbfinitial_meld = 27\n")
    assert "27 points" in run("rules", str(path)).stdout


def test_an_odd_key_is_told_in_letters_that_can_be_printed() -> None:
    told = asked("score", {**SCORE, "\ud800\n": 1, "games": [{"end": "abandoned", "a\nb": 1}]})["notes"]
    assert told == ["\\ud800\\n: no such key, passed over", "games[0].a\\nb: no such key, passed over"]


def test_tiles_outside_any_picture_are_refused() -> None:
    """Distances between them are no numbers any more."""
    far = {"tiles": [{"id": 0, "tile": "r5", "quad": [[1e308, 1e308]] * 4}], "sets": [[0]]}
    assert refused("restore", {"before": far, "now": far}).startswith("standard input: before.tiles[0].quad: ")


# ------------------------------------------------------------------------- nearly right documents

READING = {
    "tiles": [
        {"id": 0, "tile": "b4", "quad": [[0, 0], [40, 0], [40, 60], [0, 60]]},
        {"id": 1, "tile": "j", "quad": [[50, 0], [90, 0], [90, 60], [50, 60]]},
        {"id": 2, "tile": "?6"},
    ],
    "sets": [[0, 1]],
    "loose": [2],
}
OWN = {
    "name": "kitchen",
    "base": "sabra-1985",
    "initial_meld": 27,
    "options": ["clock=90"],
    "sources": {"jokers": "us"},
}
NEARLY = {
    "judge": [TURN, {**TURN, "rules": OWN, "rack": ["r9", "k9", "o9", "j"], "loose": ["b1"], "opened": False}],
    "restore": [RESTORE, {"before": READING, "now": READING}],
    "moves": [MOVES, {**MOVES, "rules": OWN, "options": ["tournament-joker"], "table": [["b4", "j", "b6"]]}],
    "score": [
        {"rules": "card-rummy", "players": ["A", "B"], "games": [{"winner": "A", "cards": {"B": 60}}]},
        SCORE,
        {**SCORE, "rules": OWN, "games": [{**SCORE["games"][1], "racks": {"A": 4, "B": 9, "C": []}}]},
    ],
}
words = st.sampled_from(
    ["b4", "j", "?", "x9", "b0", "r14", "", "R5", "?6", "A", "\ud800", "a\nb", "rack", "classic", "out"]
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 500), st.just(10**30), st.floats(allow_nan=False), words),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=3)),
    max_leaves=8,
)


def changed(rng: random.Random, document: Any, value: Any) -> None:
    """One place at random is replaced, taken away, doubled, moved or given another name."""
    holder, outer = document, None
    while True:
        key = rng.choice(sorted(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
        if not isinstance(holder[key], dict | list) or not holder[key] or rng.random() < 0.3:
            break
        outer, holder = holder, holder[key]
    how = rng.randrange(5)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), holder[key])
    elif how == 2 and isinstance(holder, dict):
        holder[f"{key}{rng.choice('sx')}"] = holder.pop(key)
    elif how == 3 and outer is not None:
        at = rng.choice(sorted(outer)) if isinstance(outer, dict) else rng.randrange(len(outer))
        outer[at], holder[key] = holder[key], outer[at] if outer[at] is not holder else value
    else:
        holder[key] = value


@settings(max_examples=int(os.environ.get("NEARLY_DOCUMENTS", "80")), deadline=None)
@given(st.sampled_from(sorted(NEARLY)), st.integers(0, 10**6), st.lists(values, min_size=1, max_size=3))
def test_a_document_that_is_nearly_right_is_answered_or_refused_in_one_line(
    command: str, seed: int, changes: list[Any]
) -> None:
    """``NEARLY_DOCUMENTS`` says how many are tried."""
    rng = random.Random(seed)
    document = json.loads(json.dumps(rng.choice(NEARLY[command])))
    for value in changes:
        if document:
            changed(rng, document, value)
    listed = rng.random() < 0.3
    result = run(command, "--json", "-", stdin=[DOCUMENTS[command], document] if listed else document)
    assert result.exit_code in (0, 1, 2), result.exception
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if result.exit_code == 2:
        told = result.stderr.removesuffix("\n")
        assert result.stdout == "" and told.isprintable() and len(told) < 900
        assert told.startswith("tilekeeper: standard input")
        assert not listed or told.startswith("tilekeeper: standard input: [1]")
    else:
        assert result.stderr == ""
        assert isinstance(json.loads(result.stdout), list if listed else dict)
        if not listed:
            assert run(command, "-", stdin=document).exit_code == result.exit_code


def test_every_bundled_sheet_judges() -> None:
    for name in NAMES:
        assert asked("judge", {**TURN, "rules": name})["legal"] is True
        assert asked("judge", {**TURN, "rules": load(name).mapping()})["legal"] is True
