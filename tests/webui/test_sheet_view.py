"""The score sheet that the pages draw: rows, running totals, who leads, and corrections with their history."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from referee import events
from referee.events import Event
from referee.match import START, MatchState, apply
from referee.results import Rack
from referee.sheets import load, with_options
from referee.tiles import Tile
from webui.match_view import match_document
from webui.play import Play
from webui.sheet_view import corrections, sheet_view

NAMES = ("Anna", "Ben", "Cleo")


class Game:
    """A match made of events."""

    def __init__(self, *options: str, names: tuple[str, ...] = NAMES) -> None:
        self.state: MatchState = START
        self.at = 1_000
        self.add(events.Players(names, with_options(load("sabra-1985"), options)))

    def add(self, fact: events.Fact) -> str:
        self.at += 1
        self.state = apply(self.state, Event(f"e{self.at}", self.at, fact))
        return f"e{self.at}"

    def blocked(self, **racks: int) -> str:
        """One game in which nobody can play any more, and the racks that are left."""
        self.add(events.Deal("Anna"))
        self.state = _nothing_in_the_pool(self.state)
        self.add(events.Blocked())
        return self.add(events.RacksCounted(tuple((n, Rack(v)) for n, v in racks.items())))


def _nothing_in_the_pool(state: MatchState) -> MatchState:
    shared = [(n, state.rules.tiles // len(state.players)) for n in state.players]
    more = state.rules.tiles - sum(k for _, k in shared)
    racks = ((shared[0][0], shared[0][1] + more), *shared[1:])
    return replace(state, pool=0, racks=racks)


def view(game: Game) -> dict[str, Any]:
    return sheet_view(game.state)


def test_before_the_first_game_nobody_leads() -> None:
    sheet = view(Game())
    assert sheet["rows"] == []
    assert sheet["leads"] == []
    assert sheet["totals"] == [0, 0, 0]
    assert sheet["corrections"] == []


def test_rows_run_up_to_the_totals() -> None:
    game = Game()
    game.blocked(Anna=200, Ben=210, Cleo=220)
    game.blocked(Anna=250, Ben=205, Cleo=210)
    sheet = view(game)
    assert [row["points"] for row in sheet["rows"]] == [[30, -10, -20], [-45, 50, -5]]
    assert [row["running"] for row in sheet["rows"]] == [[30, -10, -20], [-15, 40, -25]]
    assert [row["racks"] for row in sheet["rows"]] == [[200, 210, 220], [250, 205, 210]]
    assert sheet["totals"] == [-15, 40, -25]
    assert sheet["leads"] == ["Ben"]
    assert sheet["places"] == [2, 1, 3]


def test_a_shared_place_is_shared_and_two_leaders_lead() -> None:
    game = Game()
    game.blocked(Anna=210, Ben=210, Cleo=220)
    sheet = view(game)
    assert sheet["rows"][0]["winners"] == ["Anna", "Ben"]
    assert sheet["totals"] == [0, 0, 0]
    assert sheet["leads"] == []  # by points all share the first place
    assert sheet["places"] == [1, 1, 1]


def test_an_abandoned_game_has_no_number() -> None:
    game = Game()
    game.add(events.Deal("Anna"))
    game.add(events.Abandoned("nobody can rebuild the table"))
    game.blocked(Anna=200, Ben=210, Cleo=220)
    assert [row["number"] for row in view(game)["rows"]] == [None, 1]


def test_a_corrected_game_counts_anew_and_says_what_it_was() -> None:
    game = Game()
    game.blocked(Anna=200, Ben=210, Cleo=220)
    second = game.blocked(Anna=250, Ben=205, Cleo=210)
    right = events.RacksCounted((("Anna", Rack(250)), ("Ben", Rack(205)), ("Cleo", Rack(230))))
    game.add(events.Correction(second, right))
    sheet = view(game)
    assert sheet["rows"][1]["points"] == [-45, 70, -25]
    assert sheet["totals"] == [-15, 60, -45]
    (only,) = sheet["corrections"]
    assert only["text"] == "Game 2, Cleo's rack: 210 → 230 points"
    assert only["at"] == game.at


def test_an_undone_correction_is_no_correction() -> None:
    game = Game()
    first = game.blocked(Anna=200, Ben=210, Cleo=220)
    right = events.RacksCounted((("Anna", Rack(200)), ("Ben", Rack(215)), ("Cleo", Rack(220))))
    game.add(events.Correction(first, right))
    game.add(events.Undo())
    assert corrections(game.state) == ()


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (events.RackCorrected("Ben", 13), "Ben's rack: 14 → 13 tiles"),
        (events.OpeningCorrected("Ben", True), "Ben has opened"),
    ],
)
def test_what_is_put_right_during_a_game_is_on_the_list(fact: events.Fact, said: str) -> None:
    game = Game()
    game.add(events.Deal("Anna"))
    game.add(fact)
    assert [words.text for _, words in corrections(game.state)] == [said]


def document(play: Play) -> dict[str, Any]:
    return match_document(play, None, None, "", "", 0)


def test_between_the_games_the_page_knows_who_has_to_draw() -> None:
    play = Play()
    play.state = Game().state
    assert document(play)["draws"] == {
        "rivals": list(NAMES),
        "pending": list(NAMES),
        "drawn": [],
        "first": None,
        "begun": False,
        "times": {"Anna": 0, "Ben": 0, "Cleo": 0},
    }
    for name, tile in (("Anna", "r5"), ("Ben", "k9"), ("Cleo", "b9")):
        play.state = apply(play.state, Event(name, 1, events.OpeningDraw(name, Tile.parse(tile))))
    draws = document(play)["draws"]
    assert draws["rivals"] == draws["pending"] == ["Ben", "Cleo"]
    assert {"name": "Anna", "tile": "r5"} in draws["drawn"]
