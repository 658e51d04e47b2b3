"""A match at the table without camera or page: every button, every way a turn can end, twice and too late."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from referee.clock import ClockPhase
from referee.layout import Layout
from referee.match import Phase, Stage, check
from referee.results import Rack
from referee.sheets import load
from tests.webui.games import lies
from webui.match_view import buttons, match_document
from webui.play import Play, PlayError
from webui.store import MemoryStore

OPENING = "r10 r11 r12"


class Time:
    """A monotonic clock and a wall clock that are set by hand, in seconds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def wall(self) -> int:
        return int(self.now * 1000) + 1_700_000_000_000


@pytest.fixture
def time() -> Time:
    return Time()


def new_play(time: Time, store: MemoryStore | None = None) -> Play:
    ids = (f"e{n}" for n in itertools.count(len(store.events()) if store else 0))
    return Play(store, time, time.wall, lambda: next(ids))


@pytest.fixture
def play(time: Time) -> Play:
    started = new_play(time)
    started.start(["Anna", "Ben", "Cleo"], load("classic"), "Anna")
    return started


def turn(play: Play) -> tuple[str, Stage]:
    assert play.state.turn is not None
    return play.state.turn.player, play.state.turn.stage


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(PlayError) as error:
        act()
    assert "\n" not in str(error.value)
    return error.value.reason


class TestTheTurn:
    def test_a_legal_turn_goes_on_to_the_next_player(self, play: Play) -> None:
        assert play.end(lies(OPENING)).legal
        assert turn(play) == ("Ben", Stage.PLAYING)
        assert play.state.rack("Anna") == 11 and play.state.opened == ("Anna",)

    def test_an_illegal_table_costs_nothing_and_the_clock_runs_on(self, play: Play, time: Time) -> None:
        time.now += 20
        assert not play.end(lies("r10 r11 r13")).legal
        assert turn(play) == ("Anna", Stage.BROKEN)
        assert play.clock.phase is ClockPhase.RUNNING and play.clock.left == 40_000
        assert play.end(lies(OPENING)).legal
        assert turn(play)[0] == "Ben"

    def test_drawing(self, play: Play) -> None:
        play.draw(lies(""))
        assert turn(play)[0] == "Ben" and play.state.rack("Anna") == 15

    def test_the_same_sets_read_in_another_order_are_the_same_table(self, play: Play) -> None:
        play.end(lies("r10 r11 r12 | k10 k11 k12"))
        before = len(play.events)
        play.draw(lies("k10 k11 k12 | r10 r11 r12"))
        assert "table-judged" not in [e.fact.kind for e in play.events[before:]]

    def test_nobody_draws_with_tiles_laid(self, play: Play) -> None:
        assert refused(lambda: play.draw(lies(OPENING))) == "tiles-laid"
        assert turn(play) == ("Anna", Stage.PLAYING)

    def test_nobody_draws_from_a_broken_table(self, play: Play) -> None:
        play.end(lies(OPENING))
        play.draw(lies("r10 r11", "r12"))
        assert turn(play) == ("Ben", Stage.BROKEN)
        play.end(lies(OPENING + " | k1 k2 k3"))
        assert "opening-too-low" in play.verdict.codes if play.verdict else False

    def test_a_table_that_was_refused_and_put_back_lets_one_draw(self, play: Play) -> None:
        play.end(lies(OPENING))
        play.end(lies("r10 r11 r12 | k1 k2"))
        assert turn(play) == ("Ben", Stage.BROKEN)
        assert refused(lambda: play.draw(lies("r10 r11 r12 | k1 k2"))) == "tiles-laid"
        play.draw(lies(OPENING))
        assert turn(play)[0] == "Cleo" and play.state.rack("Ben") == 15
        assert check(play.state) == []

    def test_a_refused_table_put_back_with_its_sets_moved(self, play: Play) -> None:
        play.end(lies("r10 r11 r12 r13 | k9 b9 o9"))
        play.end(lies("r10 r11 r12 | k9 b9 o9", "r13"))
        play.draw(lies("k9 b9 o9 | r10 r11 r12 r13"))
        assert turn(play)[0] == "Cleo" and play.state.rack("Ben") == 15

    def test_from_a_table_that_is_still_broken_nobody_draws(self, play: Play) -> None:
        play.end(lies(OPENING))
        play.end(lies("r10 r11", "r12"))
        play.draw(lies("r10 r11", "r12"))
        assert turn(play) == ("Ben", Stage.BROKEN) and play.state.rack("Ben") == 14

    def test_the_draw_button_is_there_after_a_refusal(self, play: Play, time: Time) -> None:
        play.end(lies("r10 r11 r13"))
        match = match_document(play, None, None, "", "", 0)
        assert match["buttons"][:2] == ["end", "draw"] and match["turn"]["draws"] == 1
        time.now += 61
        assert play.tick()
        play.time_over(lies("r10 r11 r13"))
        assert [b for b in buttons(play.state, "") if b in ("end", "draw", "penalty")] == ["penalty"]

    def test_a_stale_button_is_refused(self, play: Play) -> None:
        play.end(lies(OPENING))
        assert refused(lambda: play.on_turn(1)) == "stale-turn"
        play.on_turn(2)


class TestTheClock:
    def test_pause_and_resume(self, play: Play, time: Time) -> None:
        time.now += 10
        play.pause()
        time.now += 500
        assert play.clock.left == 50_000 and not play.tick()
        play.resume()
        time.now += 49
        assert not play.tick()
        time.now += 1
        assert play.tick() and not play.tick()

    def test_pausing_twice_is_refused(self, play: Play) -> None:
        play.pause()
        assert refused(play.pause) == "clock-stands"

    def test_time_over_on_a_legal_table(self, play: Play, time: Time) -> None:
        time.now += 60
        assert play.tick()
        assert play.time_over(lies(OPENING)).legal
        assert turn(play) == ("Anna", Stage.MUST_DRAW)
        play.draw()
        assert turn(play)[0] == "Ben" and play.state.rack("Anna") == 12

    def test_time_over_on_a_broken_table(self, play: Play, time: Time) -> None:
        time.now += 61
        assert play.tick()
        play.time_over(lies("r10 r11"))
        assert turn(play) == ("Anna", Stage.BROKEN)
        play.penalty()
        assert turn(play)[0] == "Ben" and play.state.rack("Anna") == 17

    def test_no_penalty_before_time_is_over(self, play: Play) -> None:
        play.end(lies("r10 r11"))
        assert refused(play.penalty) == "time-left"

    def test_every_turn_has_its_own_clock(self, play: Play, time: Time) -> None:
        time.now += 30
        play.end(lies(OPENING))
        assert play.clock.left == 60_000


class TestPuttingRight:
    def test_undo_opens_the_last_turn_again_with_the_clock_standing(self, play: Play, time: Time) -> None:
        time.now += 25
        play.end(lies(OPENING))
        time.now += 5
        play.undo()
        assert turn(play) == ("Anna", Stage.PLAYING) and play.state.table == Layout()
        assert play.clock.phase is ClockPhase.PAUSED and play.clock.left == 35_000
        play.redo()
        assert turn(play)[0] == "Ben"

    def test_nothing_to_undo(self, time: Time) -> None:
        assert refused(new_play(time).undo) == "nothing-to-undo"


class TestAMatch:
    def test_to_its_end(self, time: Time) -> None:
        play = new_play(time)
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        for game in range(2):
            play.end(lies("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13"))
            play.draw(lies("r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13"))
            play.end(lies("r1 r2 r3 r4 | r4 r5 r6 r7 r8 r9 r10 r11 r12 r13"))
            assert turn(play) == ("Anna", Stage.OUT)
            play.out()
            assert play.state.phase is Phase.COUNTING
            play.count("Ben", Rack(45))
            if game == 0:
                play.deal("Anna")
        assert play.state.phase is Phase.FINISHED
        assert play.state.scores.totals == (90, -90)
        assert check(play.state) == []

    def test_a_second_start_is_refused(self, play: Play) -> None:
        assert refused(lambda: play.start(["X", "Y"], load("classic"), "X")) == "wrong-phase"

    @pytest.mark.parametrize("names", [[], ["Anna"], ["Anna", "Anna"], ["A", "B", "C", "D", "E"], ["", "B"]])
    def test_players_that_cannot_be(self, time: Time, names: list[str]) -> None:
        play = new_play(time)
        refused(lambda: play.start(names, load("classic"), names[0] if names else ""))
        assert play.state.phase is Phase.EMPTY and play.events == ()

    def test_a_first_player_who_does_not_play_leaves_nothing_behind(self, time: Time) -> None:
        play = new_play(time)
        refused(lambda: play.start(["Anna", "Ben"], load("classic"), "Cleo"))
        assert play.events == ()


class TestKept:
    def test_after_a_restart_the_clock_stands_at_what_was_left(self, time: Time) -> None:
        store = MemoryStore()
        play = new_play(time, store)
        play.start(["Anna", "Ben"], load("classic"), "Anna")
        time.now += 10
        play.end(lies(OPENING))
        time.now += 12
        play.tick()
        time.now += 100
        again = new_play(time, store)
        assert again.state.turn is not None and again.state.turn.player == "Ben"
        assert again.clock.phase is ClockPhase.PAUSED and again.clock.left == 48_000
        again.resume()
        assert again.end(lies(OPENING + " | k11 b11 o11")).legal

    def test_an_event_that_cannot_be_kept_is_not_seen(self, time: Time) -> None:
        class Full(MemoryStore):
            def append(self, *events: object) -> None:
                raise OSError("disk full")

        play = new_play(time, Full())
        with pytest.raises(OSError, match="disk full"):
            play.start(["Anna", "Ben"], load("classic"), "Anna")
        assert play.state.phase is Phase.EMPTY


def test_undo_takes_back_what_was_put_right_and_no_more(play: Play) -> None:
    play.end(lies(OPENING))
    play.correct_rack("Anna", 12)
    play.undo()
    assert play.state.rack("Anna") == 11
    assert turn(play) == ("Ben", Stage.PLAYING)
    play.undo()
    assert turn(play) == ("Anna", Stage.PLAYING)


def test_undo_after_the_game_takes_back_one_rack_at_a_time(play: Play) -> None:
    play.correct_rack("Anna", 3)
    play.end(lies(OPENING))
    play.out()
    play.count("Ben", Rack(40))
    play.count("Cleo", Rack(50))
    play.undo()
    assert play.state.phase is Phase.COUNTING
    assert [name for name, _ in play.state.counted] == ["Ben"]
    play.undo()
    play.undo()
    assert turn(play) == ("Anna", Stage.OUT)
