"""Scores: the examples of RULES.md and CONTRACT.md, every sheet, ties, options, and what cannot be."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.results import GameEnd, GameResult, Rack, ScoreError, rack_value, value_bounds
from referee.scores import games_in_match, read_document, score_document, score_game, score_match
from referee.sheets import NAMES, Sheet, from_mapping, load, with_options
from referee.tiles import ALL_TILES, Tile

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
ABC = ("A", "B", "C")
ABCD = ("A", "B", "C", "D")


def out(winner: str, **racks: Any) -> GameResult:
    return GameResult(GameEnd.OUT, winner, tuple((n, Rack.parse(r)) for n, r in racks.items()))


def blocked(**racks: Any) -> GameResult:
    return GameResult(GameEnd.BLOCKED, None, tuple((n, Rack.parse(r)) for n, r in racks.items()))


def sheet(name: str, *options: str) -> Sheet:
    return with_options(load(name), options)


CONTRACT = {
    "rules": "classic",
    "options": [],
    "players": ["A", "B", "C"],
    "games": [
        {"end": "out", "winner": "A", "racks": {"B": 12, "C": ["k5", "j"]}},
        {"end": "blocked", "racks": {"A": 4, "B": 9, "C": 15}},
        {"end": "abandoned"},
    ],
}


def test_the_example_of_the_contract() -> None:
    assert score_document(CONTRACT) == {
        "games": [
            {"end": "out", "points": {"A": 47, "B": -12, "C": -35}, "winners": ["A"]},
            {"end": "blocked", "points": {"A": 16, "B": -5, "C": -11}, "winners": ["A"]},
            {"end": "abandoned", "points": {"A": 0, "B": 0, "C": 0}, "winners": []},
        ],
        "totals": {"A": 63, "B": -17, "C": -46},
        "wins": {"A": 2, "B": 0, "C": 0},
        "ranking": [["A"], ["B"], ["C"]],
        "finished": False,
    }


@pytest.mark.parametrize(
    ("rules", "options", "result", "points", "winners"),
    [
        ("classic", (), out("D", A=12, B=17, C=25), (-12, -17, -25, 54), "D"),
        ("classic", (), blocked(A=4, B=9, C=15, D=4 + 20), (5 + 11 + 20, -5, -11, -20), "A"),
        ("classic", (), blocked(A=4, B=4, C=15, D=9), (0, 0, 0, 0), "AB"),
        ("classic", ("one-game",), blocked(A=4, B=4, C=15, D=9), (0, 0, 0, 0), "AB"),
        ("classic", (), blocked(A=7, B=7, C=7, D=7), (0, 0, 0, 0), "ABCD"),
        ("sabra-1985", (), blocked(A=4, B=9, C=15, D=24), (36, -5, -11, -20), "A"),
        ("sabra-1985", (), blocked(A=4, B=9, C=15, D=4), (0, 0, 0, 0), "AD"),
        # the fewest tiles win, though not the lowest value; points as for a game that somebody won
        (
            "casino-sabra",
            (),
            blocked(A=["j"], B=["k1", "b1"], C=["r5", "o5", "k2"], D={"points": 24, "tiles": 4}),
            (2 + 12 + 24, -2, -12, -24),
            "A",
        ),
        ("casino-sabra", (), blocked(A=["j"], B=["k1"], C=["r5", "o5"], D=["b2", "b3"]), (0, 0, 0, 0), "AB"),
        ("casino-sabra", (), out("A", B=3, C=4, D=5), (12, -3, -4, -5), "A"),
        ("classic", ("open-rack",), out("D", A=12, B=17, C=25), (0, 0, 0, 0), "D"),
        ("classic", ("twenty-point-opening",), out("D", A=12, B=17, C=25), (-12, -17, -25, 54), "D"),
        ("classic", (), out("D", A=["j"], B=["j", "r1"], C=["o13", "k13"], D=[]), (-30, -31, -26, 87), "D"),
    ],
)
def test_rows(rules: str, options: tuple[str, ...], result: GameResult, points: tuple[int, ...], winners: str) -> None:
    row = score_game(sheet(rules, *options), ABCD, result)
    assert (row.points, row.winners) == (points, tuple(winners))
    assert sum(row.points) == 0


def test_blocked_4_9_15() -> None:
    assert score_game(load("classic"), ABC, blocked(A=4, B=9, C=15)).points == (16, -5, -11)


def test_six_players() -> None:
    row = score_game(load("six-player"), (*ABCD, "E", "F"), out("F", A=1, B=2, C=3, D=4, E=["j", "j"]))
    assert row.points == (-1, -2, -3, -4, -60, 70)


def test_a_match_is_ranked_by_wins_then_points_then_shared() -> None:
    games = [out("A", B=1, C=1), out("B", A=50, C=50), out("A", B=1, C=1)]
    board = score_match(load("classic"), ABC, games)
    assert board.wins == (2, 1, 0)
    assert board.running == ((2, -1, -1), (-48, 99, -51), (-46, 98, -52))
    assert board.ranking == (("A",), ("B",), ("C",)) and board.finished
    shared = score_match(load("classic"), ABC, [out("A", B=5, C=5), out("B", A=5, C=5)])
    assert shared.ranking == (("A", "B"), ("C",)) and not shared.finished


def test_a_session_is_ranked_by_points_and_never_finished() -> None:
    for name in ("sabra-1985", "casino-sabra"):
        board = score_match(load(name), ABC, [out("A", B=1, C=1), out("B", A=50, C=50), out("A", B=1, C=1)] * 2)
        assert board.ranking == (("B",), ("A",), ("C",)) and not board.finished


def test_nothing_is_scored_with_open_racks() -> None:
    board = score_match(sheet("classic", "open-rack"), ABC, [out("A", B=5, C=5)] * 3)
    assert board.totals == board.wins == (0, 0, 0)
    assert board.ranking == (ABC,) and board.finished


def test_one_game_is_a_match_of_its_own() -> None:
    board = score_match(sheet("classic", "one-game"), ABC, [blocked(A=3, B=3, C=9)])
    assert board.finished and board.ranking == (("A", "B"), ("C",))
    # tied lowest racks share the result, also where a session is ranked by points: there are none
    for name, tied in (
        ("sabra-1985", blocked(A=3, B=3, C=9)),
        ("casino-sabra", blocked(A=["r3"], B=["k9"], C=["j", "j"])),
    ):
        board = score_match(sheet(name, "one-game"), ABC, [tied])
        assert board.finished and board.totals == (0, 0, 0) and board.ranking == (("A", "B"), ("C",))
        won = score_match(sheet(name, "one-game"), ABC, [out("C", A=3, B=4)])
        assert won.ranking == (("C",), ("A",), ("B",))
    games = [{"end": "out", "winner": "A", "racks": {"B": 1, "C": 1}}] * 2
    with pytest.raises(ScoreError, match=r"^games: the option one-game"):
        score_document({"options": ["one-game"], "players": ABC, "games": games})


def test_games_in_a_match() -> None:
    assert games_in_match(load("classic"), 3) == 3
    assert games_in_match(sheet("sabra-1985", "one-game"), 3) == 1
    assert games_in_match(load("sabra-1985"), 3) is None


def test_an_abandoned_game_is_played_again() -> None:
    games = [GameResult(GameEnd.ABANDONED), out("A", B=5, C=5)]
    board = score_match(load("classic"), ABC, games)
    assert board.played == 1 and board.totals == (10, -5, -5) and board.wins == (1, 0, 0)


def test_a_correction_recomputes_all_that_follows() -> None:
    games = [out("A", B=5, C=5), out("B", A=7, C=7), out("C", A=1, B=1)]
    before = score_match(load("classic"), ABC, games)
    after = score_match(load("classic"), ABC, [out("A", B=50, C=5), *games[1:]])
    assert [a[1] - b[1] for a, b in zip(after.running, before.running, strict=True)] == [-45] * 3
    assert [a[0] - b[0] for a, b in zip(after.running, before.running, strict=True)] == [45] * 3


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "a match is an object"),
        ({}, "players: missing"),
        ({"players": ["A", "B"]}, "games: missing"),
        ({"players": ["A", "B"], "games": {}}, "games: a list of"),
        ({"players": "AB", "games": []}, "players: a list of at most 12 names"),
        ({"players": ["A"], "games": []}, "players: classic is for 2 to 4 players, not 1"),
        ({"players": ["A", "A"], "games": []}, "players[1]: a second 'A'"),
        ({"players": ["A", ""], "games": []}, "players[1]: a name of 1 to 60"),
        ({"players": ["A", "x" * 10_000], "games": []}, "players[1]: a name of 1 to 60"),
        ({"players": ["A", 7], "games": []}, "players[1]: a name of 1 to 60"),
        ({"players": ["A", "B\nC"], "games": []}, "players[1]: a name that can be printed"),
        ({"rules": "chess", "players": ["A", "B"], "games": []}, "rules: no such rule sheet: 'chess'"),
        ({"rules": {"tiles": 3}, "players": ["A", "B"], "games": []}, "rules.tiles: no such rule"),
        ({"rules": 5, "players": ["A", "B"], "games": []}, "rules: "),
        ({"options": "x", "players": ["A", "B"], "games": []}, "options: a list of texts"),
        ({"options": ["x"], "players": ["A", "B"], "games": []}, "options: no such option"),
    ],
)
def test_documents_that_cannot_be_used(document: Any, says: str) -> None:
    with pytest.raises(ScoreError) as caught:
        score_document(document)
    assert str(caught.value).startswith(says) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("game", "says"),
    [
        (5, "games[0]: a game is an object"),
        ({}, "games[0].end: missing"),
        ({"end": "won"}, "games[0].end: one of out, blocked, abandoned, not 'won'"),
        ({"end": []}, "games[0].end: one of"),
        ({"end": "out"}, "games[0].winner: who went out is missing"),
        ({"end": "out", "winner": ["A"], "racks": {}}, "games[0].winner: a player's name"),
        (
            {"end": "out", "winner": "Z", "racks": {"A": 1, "B": 1, "C": 1}},
            "games[0].winner: 'Z' is no player",
        ),
        ({"end": "out", "winner": "A"}, "games[0].racks: missing"),
        ({"end": "out", "winner": "A", "racks": [1]}, "games[0].racks: an object"),
        ({"end": "out", "winner": "A", "racks": {"B": 1}}, "games[0].racks.C: the rack is missing"),
        (
            {"end": "out", "winner": "A", "racks": {"B": 1, "C": 2, "Z": 3}},
            "games[0].racks.Z: no such player",
        ),
        ({"end": "out", "winner": "A", "racks": {"A": 1, "B": 1, "C": 2}}, "games[0].racks.A: who went out"),
        ({"end": "out", "winner": "A", "racks": {"B": -1, "C": 2}}, "games[0].racks.B: a whole number"),
        ({"end": "out", "winner": "A", "racks": {"B": 1.0, "C": 2}}, "games[0].racks.B: a whole number"),
        ({"end": "out", "winner": "A", "racks": {"B": float("nan"), "C": 2}}, "games[0].racks.B: a whole"),
        ({"end": "out", "winner": "A", "racks": {"B": True, "C": 2}}, "games[0].racks.B: a whole number"),
        ({"end": "out", "winner": "A", "racks": {"B": None, "C": 2}}, "games[0].racks.B: a whole number"),
        ({"end": "out", "winner": "A", "racks": {"B": ["r14"], "C": 2}}, "games[0].racks.B[0]: no such tile"),
        ({"end": "out", "winner": "A", "racks": {"B": ["r5", 5], "C": 2}}, "games[0].racks.B[1]: a tile is"),
        ({"end": "out", "winner": "A", "racks": {"B": ["?6"], "C": 2}}, "games[0].racks.B: ?6 is not read"),
        ({"end": "out", "winner": "A", "racks": {"B": {"points": 3}, "C": 2}}, "games[0].racks.B: a rack is"),
        (
            {"end": "out", "winner": "A", "racks": {"B": {"points": 3, "tiles": -1}, "C": 2}},
            "games[0].racks.B.tiles: a whole number",
        ),
        (
            {"end": "out", "winner": "A", "racks": {"B": {"points": 44, "tiles": 1}, "C": 2}},
            "games[0].racks.B: 1 tiles cannot be worth 44",
        ),
        (
            {"end": "out", "winner": "A", "racks": {"B": {"points": 44, "tiles": 107}, "C": 2}},
            "games[0].racks.B: 107 tiles, where the box holds 106",
        ),
        (
            {"end": "out", "winner": "A", "racks": {"B": ["r5", "r5"], "C": ["r5"]}},
            "games[0].racks: 3 of r5, where the box holds 2",
        ),
        (
            {"end": "out", "winner": "A", "racks": {"B": ["j", "j", "j"], "C": 2}},
            "games[0].racks: 3 of j, where the box holds 2",
        ),
        ({"end": "out", "winner": "A", "racks": {"B": 700, "C": 700}}, "games[0].racks: worth 1400 together"),
        (
            {"end": "blocked", "winner": "A", "racks": {"A": 1, "B": 1, "C": 2}},
            "games[0].winner: in a blocked",
        ),
        (
            {"end": "out", "winner": "A", "racks": {"B": 1, "C": 2, "Z\nY\ud800": 3}},
            "games[0].racks.Z\\nY\\ud800: no such player",
        ),
        ({"end": "blocked", "racks": {"A": 1, "B": 1}}, "games[0].racks.C: the rack is missing"),
        ({"end": "abandoned", "winner": "A"}, "games[0].winner: an abandoned game has none"),
    ],
)
def test_games_that_cannot_be(game: Any, says: str) -> None:
    with pytest.raises(ScoreError) as caught:
        score_document({"rules": "classic", "players": list(ABC), "games": [game]})
    assert str(caught.value).startswith(says) and "\n" not in str(caught.value)


def test_nested_too_deep_to_be_quoted() -> None:
    name: Any = []
    for _ in range(100_000):
        name = [name]
    with pytest.raises(ScoreError, match=r"^players\[1\]: a name .* not something nested too deep"):
        score_document({"players": ["A", name], "games": []})


def test_the_casino_needs_the_number_of_tiles() -> None:
    games = [{"end": "blocked", "racks": {"A": 4, "B": 9}}]
    with pytest.raises(ScoreError, match=r"^games\[0\]\.racks\.A: the fewest tiles win here"):
        score_document({"rules": "casino-sabra", "players": ["A", "B"], "games": games})


def test_more_games_than_a_match_has() -> None:
    games = [{"end": "out", "winner": "A", "racks": {"B": 4}}] * 3
    found = score_document({"players": ["A", "B"], "games": games})
    assert found["finished"] and found["notes"] == ["games: 3 games, where a match of 2 players has 2"]
    with pytest.raises(ScoreError, match=r"^games: a list of at most"):
        score_document({"players": ["A", "B"], "games": games * 10_000})


def test_odd_things_are_noted_and_not_passed_over_in_silence() -> None:
    game = {"end": "out", "winner": "A", "racks": {"B": 0}, "winer": "B"}
    found = score_document({"players": ["A", "B"], "games": [game], "option": ["one-game"]})
    assert found["notes"] == [
        "option: no such key, passed over",
        "games[0].winer: no such key, passed over",
        "games[0].racks.B: an empty rack of somebody who did not go out",
    ]


def test_a_profile_object_with_options() -> None:
    rules = {"name": "ours", "base": "classic", "joker_on_rack": 25}
    games = [{"end": "out", "winner": "A", "racks": {"B": ["j"]}}]
    found = score_document({"rules": rules, "options": ["one-game"], "players": ["A", "B"], "games": games})
    assert found["totals"] == {"A": 25, "B": -25} and found["finished"]


def test_a_third_r5_is_there_in_the_large_box() -> None:
    racks = {"B": ["r5", "r5", "r5"], "C": 1, "D": 1, "E": 1}
    games = [{"end": "out", "winner": "A", "racks": racks}]
    found = score_document({"rules": "six-player", "players": list("ABCDE"), "games": games})
    assert found["totals"]["A"] == 18


def test_value_bounds_are_those_of_the_box() -> None:
    classic = load("classic")
    assert value_bounds(classic, 0) == (0, 0)
    assert value_bounds(classic, 1) == (1, 30)
    assert value_bounds(classic, 9) == (8 + 2, 60 + 7 * 13)
    assert value_bounds(classic, 106) == (788, 788)
    assert rack_value(classic, ALL_TILES) == 4 * 91 + 30


# Properties


@st.composite
def matches(draw: st.DrawFn) -> tuple[Sheet, tuple[str, ...], list[GameResult]]:
    """A sheet with options and games whose racks come out of one shuffled box."""
    options = draw(st.lists(st.sampled_from(["one-game", "open-rack", "twenty-point-opening"]), max_size=2))
    rules = sheet(draw(st.sampled_from(NAMES)), *options)
    players = tuple("ABCDEF"[: draw(st.integers(rules.players_least, rules.players_most))])
    games = []
    for _ in range(draw(st.integers(0, 4))):
        box = [t for t in ALL_TILES for _ in range(rules.jokers if t.is_joker else rules.copies)]
        taken = draw(st.randoms(use_true_random=False)).sample(range(len(box)), 15 * len(players))
        cuts = [draw(st.integers(1, 15)) for _ in players]
        racks = [(n, Rack.of(box[i] for i in taken[15 * p : 15 * p + cuts[p]])) for p, n in enumerate(players)]
        end = draw(st.sampled_from(GameEnd))
        winner = draw(st.sampled_from(players)) if end is GameEnd.OUT else None
        held = () if end is GameEnd.ABANDONED else tuple((n, r) for n, r in racks if n != winner)
        games.append(GameResult(end, winner, held))
    return rules, players, games


def twin(rules: Sheet, players: tuple[str, ...], game: GameResult) -> dict[str, int]:
    """RULES.md once more, from the tiles alone."""
    worth = {n: sum(30 if str(t) == "j" else int(str(t)[1:]) for t in r.faces or ()) for n, r in game.racks}
    none = dict.fromkeys(players, 0)
    if "open-rack" in rules.options or game.end.value == "abandoned":
        return none
    won = game.winner
    paid = dict(worth)
    if game.end.value == "blocked":
        casino = rules.name == "casino-sabra"
        order = sorted(worth, key=lambda n: len(dict(game.racks)[n].faces or ()) if casino else worth[n])
        keys = [len(dict(game.racks)[n].faces or ()) if casino else worth[n] for n in order[:2]]
        if keys[0] == keys[1]:
            return none
        won = order[0]
        paid = {n: worth[n] - (0 if casino else worth[won]) for n in worth if n != won}
    paid.pop(str(won), None)
    return {n: sum(paid.values()) if n == won else -paid[n] for n in players}


@patient
@given(matches())
def test_every_row_adds_to_zero_and_equals_the_twin(
    match: tuple[Sheet, tuple[str, ...], list[GameResult]],
) -> None:
    rules, players, games = match
    board = score_match(rules, players, games)
    for row, game in zip(board.rows, games, strict=True):
        assert sum(row.points) == 0
        assert dict(zip(players, row.points, strict=True)) == twin(rules, players, game)
    assert sum(board.totals) == 0
    assert board.totals == tuple(sum(column) for column in zip(*(r.points for r in board.rows), strict=True)) or (
        not games and board.totals == (0,) * len(players)
    )
    assert Counter(name for place in board.ranking for name in place) == Counter(players)


@patient
@given(matches())
def test_a_match_survives_its_own_json(match: tuple[Sheet, tuple[str, ...], list[GameResult]]) -> None:
    rules, players, games = match
    document = {"rules": rules.mapping(), "players": players, "games": [g.json() for g in games]}
    back = read_document(json.loads(json.dumps(document)))
    assert back[1:] == (players, tuple(games), ())
    assert back[0].mapping() == rules.mapping()


@patient
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda c: (
            st.lists(c)
            | st.dictionaries(st.sampled_from(["rules", "players", "games", "end", "racks", "winner", "A"]), c)
        ),
    )
)
def test_anything_else_is_refused_in_one_line(document: Any) -> None:
    try:
        score_document(document)
    except ScoreError as error:
        assert "\n" not in str(error) and len(str(error)) < 500


def test_an_own_sheet_where_the_fewest_tiles_win_by_difference() -> None:
    rules = from_mapping({"blocked_winner": "fewest-tiles"})
    row = score_game(rules, ABC, blocked(A=["j"], B=["k1", "b1"], C=["r5", "o5", "k2"]))
    assert row.points == (-28 - 18, 28, 18) and row.winners == ("A",)


def test_a_rack_prints_as_it_is_read() -> None:
    for rack in (["r5", "j"], 12, {"points": 12, "tiles": 3}, []):
        assert Rack.parse(rack).json() == rack
    assert Rack.of([Tile.parse("r5")]).count == 1
