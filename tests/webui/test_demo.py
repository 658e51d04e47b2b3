"""The demo plays a recorded game by itself, hands over to whoever presses a button, and goes on where it can."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.waiting import until
from tests.webui.games import SHORT, drawn_game
from vision.camera import Feed
from vision.reading import StoredReader
from webui.app import create_app
from webui.companion import Companion
from webui.demo import Autopilot, ShownFrames, Wish
from webui.play import PlayError
from webui.recorded import RecordedGame, state_line
from webui.replay import Replay

BEGUN = ["players", "deal", "turn-started"]
LONG = 100_000.0
"""A pace at which the demo waits before its next button until the test is over."""


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> RecordedGame:
    """With the state of the match after each row, as the bundled games have it."""
    drawn = drawn_game(SHORT, tmp_path_factory.mktemp("game"))
    run = Replay(drawn, StoredReader(drawn.folder / "frames"))
    rows = [replace(result.row, state=state_line(run.umpire.play.state)) for result in run.rows()]
    return replace(drawn, rows=tuple(rows))


class Show:
    """A demo before a companion."""

    def __init__(self, game: RecordedGame, pace: float) -> None:
        source = ShownFrames("demo", game.path(game.frames[0].name))
        self.companion = Companion(Feed(source), StoredReader(game.folder / "frames"))
        self.autopilot = Autopilot(self.companion, source, game, pace)
        self.companion.start()
        self.autopilot.start()

    @property
    def demo(self) -> dict[str, Any]:
        return self.companion.hub.state()["demo"]

    @property
    def player(self) -> str:
        turn = self.companion.umpire.play.state.turn
        return turn.player if turn else ""

    def kinds(self) -> list[str]:
        return [event.fact.kind for event in self.companion.umpire.play.events]

    def first_turn(self) -> None:
        """The tiles of the first turn lie there, and nobody has pressed a button."""
        until(lambda: self.player == "Anna" and self.companion.umpire.questions == ())
        until(lambda: len(self.companion.hub.state().get("table", {"verdicts": ()})["verdicts"]) == 1)
        assert self.demo == {"plays": True, "in_step": True}

    def press(self, button: str) -> None:
        turn = self.companion.umpire.play.state.turn
        self.companion.press(button, {"turn": turn.number if turn else 0}, timeout=30)

    def hands_over(self, in_step: bool) -> None:
        until(lambda: self.demo == {"plays": False, "in_step": in_step}, said=lambda: self.demo)

    def close(self) -> None:
        self.autopilot.close()
        self.companion.close()


@pytest.fixture
def show(game: RecordedGame) -> Iterator[Callable[..., Show]]:
    shows: list[Show] = []

    def begin(pace: float = 0.0, played: RecordedGame = game) -> Show:
        shows.append(Show(played, pace))
        return shows[-1]

    yield begin
    for one in shows:
        one.close()


def test_it_plays_the_game_as_it_was_recorded(show: Callable[..., Show], game: RecordedGame) -> None:
    """The same rows, but through camera, rest and the companion's thread."""
    demo, seen = show(), ["empty"]

    def over() -> bool:
        line = state_line(demo.companion.umpire.play.state)
        if line != seen[-1]:
            seen.append(line)
        return bool(demo.autopilot.games_played)

    until(over, 120)
    assert (game.rows[-1].state, demo.demo["plays"]) == (seen[-1], True)
    assert game.rows[1].state in seen


def test_it_presses_nothing_more_when_somebody_has_and_goes_on_when_let(show: Callable[..., Show]) -> None:
    demo = show(LONG)
    demo.first_turn()
    demo.press("pause")
    demo.hands_over(in_step=True)
    demo.press("undo")  # the pause, or the whole turn: nothing that the demo has played
    demo.autopilot.ask(Wish.GO_ON)
    until(lambda: demo.demo["plays"])
    assert demo.kinds().count("table-judged") == 0


def test_who_presses_what_the_demo_would_press_stays_in_step(show: Callable[..., Show], game: RecordedGame) -> None:
    demo = show(LONG)
    demo.first_turn()
    demo.press("end")
    until(lambda: demo.player == "Ben")
    demo.hands_over(in_step=True)
    demo.autopilot.ask(Wish.GO_ON)
    until(lambda: demo.demo["plays"])
    demo.autopilot._pace = 0.0
    until(lambda: demo.autopilot.games_played)
    assert demo.kinds().count("table-judged") == sum(row.button == "end" for row in game.rows)


def test_where_the_game_went_another_way_it_can_only_start_again(show: Callable[..., Show]) -> None:
    demo = show(LONG)
    demo.first_turn()
    demo.press("end")
    until(lambda: demo.player == "Ben")
    demo.press("draw")
    until(lambda: demo.player == "Anna")
    demo.hands_over(in_step=False)
    demo.autopilot.ask(Wish.GO_ON)  # from a page that has not seen it yet
    demo.autopilot.ask(Wish.AGAIN)
    until(lambda: demo.demo["plays"] and demo.kinds() == BEGUN, said=demo.kinds)


def test_a_press_that_is_refused_hands_over_too(show: Callable[..., Show]) -> None:
    demo = show(LONG)
    demo.first_turn()
    with pytest.raises(PlayError):
        demo.press("resume")
    demo.hands_over(in_step=True)


def test_out_of_step_without_anybody_it_starts_again(show: Callable[..., Show], game: RecordedGame) -> None:
    rows = (replace(game.rows[0], state="turn Zoe playing"), *game.rows[1:])
    demo = show(played=replace(game, rows=rows))
    first = demo.companion.umpire.play
    until(lambda: demo.companion.umpire.play is not first)
    second = demo.companion.umpire.play
    until(lambda: demo.companion.umpire.play is not second)
    assert demo.autopilot.games_played == 0 and demo.demo["plays"]


def test_time_over_is_waited_for(show: Callable[..., Show], game: RecordedGame) -> None:
    over = replace(game.rows[1], button="time-over", state="")
    demo = show(played=replace(game, rows=(game.rows[0], over)))
    until(lambda: demo.player == "Ben")
    until(lambda: demo.autopilot._due is over)
    play = demo.companion.umpire.play
    assert play.state.turn is not None and not play.state.turn.time_over
    demo.companion.tell(lambda: setattr(play.clock, "_deadline", play.clock._deadline - 60_000))
    until(lambda: demo.autopilot.games_played)
    assert "time-over" in [event.fact.kind for event in play.events]


def test_pages_ask_and_only_of_a_demo(show: Callable[..., Show]) -> None:
    demo = show(LONG)
    demo.first_turn()
    plain = create_app(demo.companion).test_client()
    assert plain.post("/demo/again", json={}).status_code == 404
    client = create_app(demo.companion, autopilot=demo.autopilot).test_client()
    assert client.post("/demo/nonsense", json={}).status_code == 404
    assert client.post("/press/pause", json={"turn": 1}).status_code == 200
    demo.hands_over(in_step=True)
    assert client.post("/demo/again", json={}).status_code == 200
    until(lambda: demo.demo["plays"] and demo.kinds() == BEGUN, said=demo.kinds)


def test_the_readme_game_says_what_comes_after_each_press() -> None:
    """By that the demo knows whether it can go on."""
    from webui.bundled import game_folder
    from webui.commands.serve import DEMO
    from webui.recorded import load_recorded

    rows = load_recorded(game_folder(DEMO)).rows
    assert all(row.state for row in rows)
