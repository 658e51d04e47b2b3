"""The card-rummy sheet of 002."""

from __future__ import annotations

from typing import Any

import pytest

from referee.cards import CardGame, cards_document, score_cards
from referee.results import ScoreError

ABC = ("A", "B", "C")


def test_the_winner_takes_the_sum_doubled_for_one_turn() -> None:
    games = [CardGame("A", (("B", 12), ("C", 30))), CardGame("B", (("A", 20), ("C", 5)), in_one_turn=True)]
    sheet = score_cards(ABC, games)
    assert sheet.totals == (42, 50, 0) and sheet.ranking == (("B",), ("A",), ("C",))
    assert sheet.target == 150 and not sheet.finished


@pytest.mark.parametrize(("players", "target"), [("AB", 100), ("ABC", 150), ("ABCD", 200)])
def test_targets(players: str, target: int) -> None:
    rest = [(n, 0) for n in players[2:]]
    below = CardGame("A", (("B", target - 1), *rest))
    sheet = score_cards(tuple(players), [below])
    assert not sheet.finished
    sheet = score_cards(tuple(players), [below, CardGame("A", (("B", 1), *rest))])
    assert sheet.finished and sheet.totals[0] == sheet.target == target
    with pytest.raises(ScoreError, match=rf"^games\[1\]: A had reached {target}"):
        score_cards(tuple(players), [CardGame("A", (("B", target), *rest)), below])


def test_shared_places() -> None:
    games = [CardGame("A", (("B", 5), ("C", 5))), CardGame("C", (("A", 5), ("B", 5)))]
    assert score_cards(ABC, games).ranking == (("A", "C"), ("B",))


def test_document() -> None:
    games = [{"winner": "A", "cards": {"B": 60}, "in_one_turn": True}]
    assert cards_document({"players": ["A", "B"], "games": games}) == {
        "games": [{"points": {"A": 120, "B": 0}, "winners": ["A"]}],
        "totals": {"A": 120, "B": 0},
        "wins": {"A": 1, "B": 0},
        "ranking": [["A"], ["B"]],
        "target": 100,
        "finished": True,
    }


def test_a_slip_of_a_key_is_told() -> None:
    game = {"winner": "A", "cards": {"B": 60}, "in_one_turns": True}
    found = cards_document({"players": ["A", "B"], "games": [game], "target": 50})
    assert found["notes"] == [
        "target: no such key, passed over",
        "games[0].in_one_turns: no such key, passed over",
    ]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "a match is an object"),
        ({}, "games: missing"),
        ({"games": []}, "players: missing"),
        ({"games": 5, "players": ["A", "B"]}, "games: a list"),
        ({"games": [{}] * 10_001, "players": ["A", "B"]}, "games: a list of at most 10000"),
        ({"games": [], "players": ["A", "B"], "options": ["one-game"]}, "options: card rummy has none"),
        ({"games": [], "players": ["A"]}, "players: card rummy is for 2 to 4 players, not 1"),
        ({"games": [], "players": ["A"] * 13}, "players: a list of at most 12"),
        ({"games": [5], "players": ["A", "B"]}, "games[0]: a game is an object"),
        ({"games": [{}], "players": ["A", "B"]}, "games[0].winner: missing"),
        ({"games": [{"winner": "A"}], "players": ["A", "B"]}, "games[0].cards: missing"),
        ({"games": [{"winner": 5, "cards": {}}], "players": ["A", "B"]}, "games[0].winner: a player"),
        ({"games": [{"winner": "A", "cards": 5}], "players": ["A", "B"]}, "games[0].cards: an object"),
        (
            {"games": [{"winner": "A", "cards": {"B": -1}}], "players": ["A", "B"]},
            "games[0].cards.B: a whole",
        ),
        (
            {"games": [{"winner": "Z", "cards": {"B": 1}}], "players": ["A", "B"]},
            "games[0].winner: 'Z' is no",
        ),
        (
            {"games": [{"winner": "A", "cards": {"Z": 1}}], "players": ["A", "B"]},
            "games[0].cards: the cards of B",
        ),
        (
            {"games": [{"winner": "A", "cards": {"B": 1}, "in_one_turn": 2}], "players": ["A", "B"]},
            "games[0].in_one_turn: true or false",
        ),
    ],
)
def test_documents_that_cannot_be_used(document: Any, says: str) -> None:
    with pytest.raises(ScoreError) as caught:
        cards_document(document)
    assert str(caught.value).startswith(says) and "\n" not in str(caught.value)
