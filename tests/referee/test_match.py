"""The match up to the end of a turn: seats, opening draw, deal, every way a turn ends, what is refused."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from referee.clock import ClockPhase, ClockState
from referee.events import (
    Abandoned,
    Blocked,
    ClockPaused,
    ClockResumed,
    Deal,
    Draw,
    OpeningDraw,
    Out,
    Pass,
    Penalty,
    Players,
    RacksCounted,
    Seats,
    TableJudged,
    TimeOver,
    TurnStarted,
)
from referee.layout import Layout
from referee.match import MatchError, Phase, Stage, apply
from referee.results import GameEnd, Rack
from referee.sheets import Direction, load
from referee.state import TurnDone, TurnEnd
from referee.tiles import Tile

sys.path.insert(0, str(Path(__file__).parent))
from matchplay import NAMES, NOTHING, SHORT, Match, dealt, empty_pool, seated

# Before the tiles lie


def test_a_match_begins() -> None:
    match = Match().refuses("wrong-phase", Deal("A"), Seats(NAMES), TurnStarted(1, "A"), Blocked(), Abandoned())
    with pytest.raises(MatchError, match="nobody plays yet"):
        _ = match.state.rules
    match(Players(NAMES, load("classic")))
    assert match.state.phase is Phase.SEATED and match.state.seats == NAMES and match.state.game == 1
    match.refuses("wrong-phase", Players(NAMES, load("classic")))


@pytest.mark.parametrize("names", [("A",), ("A", "A"), ("A", ""), ("A", "B", "C", "D", "E"), ("A", "x" * 61)])
def test_players_that_cannot_be(names: tuple[str, ...]) -> None:
    Match().refuses("players", Players(names, load("classic")))


@pytest.mark.parametrize(
    ("rules", "seats", "direction", "order"),
    [
        ("classic", NAMES, None, "ABC"),
        ("classic", ("A", "C", "B"), None, "ACB"),
        ("sabra-1985", NAMES, None, "ACB"),
        ("sabra-1985", ("A", "C", "B"), None, "ABC"),
        ("sabra-1985", NAMES, Direction.CLOCKWISE, "ABC"),
        ("classic", NAMES, Direction.COUNTERCLOCKWISE, "ACB"),
    ],
)
def test_turns_go_round_the_seats(rules: str, seats: tuple[str, ...], direction: Direction | None, order: str) -> None:
    match = seated(rules)(Seats(seats, direction), Deal("A"))
    for name in order * 2:
        assert match.state.next == name
        match.start().draws()


def test_seats_that_cannot_be() -> None:
    seated().refuses("seats", Seats(("A", "B")), Seats(("A", "B", "D")), Seats(("A", "A", "B", "C")))
    dealt().refuses("wrong-phase", Seats(NAMES))


@pytest.mark.parametrize(
    ("rules", "options", "draws", "first"),
    [
        ("classic", (), "A:r5 B:k9 C:o2", "B"),
        ("classic", (), "C:r13 B:k9 A:o2", "C"),
        # a tie for highest: only those tied draw again
        ("classic", (), "A:r9 B:k9 C:o2 A:r1 B:b2", "B"),
        ("classic", (), "A:r9 B:k9 C:o9 A:r4 B:b4 C:k1 B:o3 A:o4", "A"),
        # a joker redraws, the others' tiles lie
        ("classic", (), "A:j B:k9 C:o2 A:r10", "A"),
        ("classic", (), "A:j B:j C:o2 A:j B:r1 A:r9", "A"),
        ("classic", (), "A:j B:k9 C:o2 A:r9 A:k1 B:b3", "B"),
        ("casino-sabra", ("draw-joker-30",), "A:j B:k13 C:o2", "A"),
        ("casino-sabra", ("draw-joker-30",), "A:j B:j C:o2 A:r1 B:r2", "B"),
        ("casino-sabra", (), "A:j B:k13 C:o2 A:o1", "B"),
    ],
)
def test_opening_draws(rules: str, options: tuple[str, ...], draws: str, first: str) -> None:
    match = seated(rules, *options)
    for draw in draws.split():
        assert match.state.first is None
        match.refuses("draw-unfinished", Deal("A")) if match.state.draws else None
        name, tile = draw.split(":")
        match(OpeningDraw(name, Tile.parse(tile)))
    assert match.state.first == first
    match.refuses("not-to-draw", OpeningDraw("A", Tile.parse("r1")))
    match.refuses("not-first", Deal(next(n for n in NAMES if n != first)))
    assert match(Deal()).state.next == first


def test_opening_draws_that_cannot_be() -> None:
    match = seated().refuses("no-such-player", OpeningDraw("Z", Tile.parse("r1")))
    match(OpeningDraw("A", Tile.parse("r1")), OpeningDraw("B", Tile.parse("r1")))
    match.refuses("not-to-draw", OpeningDraw("A", Tile.parse("r2")))
    match.refuses("too-many-copies", OpeningDraw("C", Tile.parse("r1")))
    match.refuses("unread-tile", OpeningDraw("C", Tile.parse("?6")))
    dealt().refuses("wrong-phase", OpeningDraw("A", Tile.parse("r1")))


def test_without_redraws_the_first_of_those_tied_starts() -> None:
    match = seated(draw_tie_redraws=False)
    match(
        OpeningDraw("C", Tile.parse("r9")),
        OpeningDraw("B", Tile.parse("k9")),
        OpeningDraw("A", Tile.parse("r1")),
    )
    assert match.state.first == "C"


def test_a_deal_fills_racks_and_pool() -> None:
    state = dealt().state
    assert state.racks == (("A", 14), ("B", 14), ("C", 14)) and state.pool == 106 - 42
    large = dealt("six-player", names=tuple("ABCDEF")).state
    assert large.pool == 160 - 84
    seated().refuses("no-first-player", Deal()).refuses("no-such-player", Deal("Z"))
    seated(tiles_dealt=50).refuses("box-too-small", Deal("A"))
    dealt().refuses("wrong-phase", Deal("A"))


# The turn


def test_played() -> None:
    match = dealt().start()
    assert match.state.turn is not None and match.state.turn.before == Layout()
    match.judged("r10 r11 r12")
    state = match.state
    assert (state.rack("A"), state.pool, state.next, state.opened) == (11, 64, "B", ("A",))
    assert state.last == TurnDone(1, "A", TurnEnd.PLAYED, laid=3, left=59_000)
    match.start()
    assert match.state.turn is not None and str(match.state.turn.before) == "r10 r11 r12"
    match.judged("r10 r11 r12 r13 | k10 b10 o10")
    assert match.state.rack("B") == 10 and match.state.opened == ("A", "B")


@pytest.mark.parametrize(
    ("rules", "tiles"), [("classic", 1), ("sabra-1985", 1), ("casino-sabra", 3), ("six-player", 1)]
)
def test_drew(rules: str, tiles: int) -> None:
    names = ("A", "B", "C", "D", "E") if rules == "six-player" else NAMES
    match = dealt(rules, names=names).start()
    pool = match.state.pool
    assert match.state.owes == tiles
    match.refuses("wrong-draw", Draw(1, tiles + 1), Draw(1, 0)).draws(tiles)
    assert match.state.rack("A") == 14 + tiles and match.state.pool == pool - tiles
    assert match.state.last is not None and match.state.last.how is TurnEnd.DREW


def test_an_illegal_table_costs_nothing_while_the_clock_runs() -> None:
    match = dealt().start()
    for _ in range(3):
        match.judged("r10 r11", SHORT)
        assert match.state.turn is not None
        assert (match.state.turn.stage, match.state.turn.faults) == (Stage.BROKEN, (SHORT,))
        assert match.state.clock.phase is ClockPhase.RUNNING and match.state.rack("A") == 14
    match.refuses("time-left", Penalty(1, 3)).refuses("table-broken", Draw(1), Pass(1))
    match.judged("r10 r11 r12")
    assert match.state.rack("A") == 11


def test_sets_moved_and_nothing_laid_the_table_stands_and_the_player_draws() -> None:
    match = dealt().start().judged("r1 r2 r3 | r4 r5 r6").start()
    match.judged("r1 r2 r3 r4 r5 r6", NOTHING)
    assert match.state.turn is not None and match.state.turn.stage is Stage.PLAYING
    match.draws(1)
    assert str(match.state.table) == "r1 r2 r3 r4 r5 r6" and match.state.rack("B") == 15


def test_a_table_that_nobody_touched_stands() -> None:
    match = dealt().start().judged("r1 r2 r3 r4").start().judged("r4 r3 r2 r1")
    assert match.state.turn is not None and match.state.turn.stage is Stage.PLAYING
    assert match.state.opened == ("A",) and match.draws(1).state.rack("B") == 15


def test_sets_moved_then_broken_go_back_to_the_snapshot() -> None:
    match = dealt(clock_seconds="off").start().judged("r1 r2 r3 | r4 r5 r6").start()
    match.judged("r1 r2 r3 r4 r5 r6", NOTHING).judged("r1 r2 | r3 r4 r5 r6", SHORT)
    match(Penalty(match.t))
    assert str(match.state.table) == "r1 r2 r3 | r4 r5 r6"


def test_moved_with_a_tile_missing_is_broken_whatever_it_is_called() -> None:
    match = dealt().start().judged("r1 r2 r3 r4").start().judged("r1 r2 r3", NOTHING)
    assert match.state.turn is not None and match.state.turn.stage is Stage.BROKEN
    match.judged("r1 r2 r3 r4", NOTHING, loose="k1")
    assert match.state.turn.stage is Stage.BROKEN


def test_time_over_on_a_legal_table_what_was_laid_stays_and_one_is_drawn() -> None:
    match = dealt().start()(TimeOver(1), wait=60_000).judged("r10 r11 r12")
    assert match.state.turn is not None and match.state.turn.stage is Stage.MUST_DRAW
    assert match.state.owes == 1
    match.refuses("already-judged", TableJudged(1, Layout())).refuses("must-draw", Pass(1))
    match.refuses("table-legal", Penalty(1)).draws(1)
    state = match.state
    assert (state.rack("A"), state.pool, str(state.table)) == (12, 63, "r10 r11 r12")
    assert state.last == TurnDone(1, "A", TurnEnd.TIME_OVER, laid=3, drawn=1)


def test_time_over_with_nothing_laid() -> None:
    match = dealt().start()(TimeOver(1), wait=60_000).judged("", NOTHING).draws(1)
    assert match.state.rack("A") == 15 and match.state.last is not None
    assert match.state.last.how is TurnEnd.TIME_OVER
    assert dealt().start()(TimeOver(1), wait=60_000).draws(1).state.rack("A") == 15


def test_time_over_on_a_broken_table_restore_take_back_draw_three() -> None:
    match = dealt().start().judged("r1 r2 r3").start()
    match(TimeOver(2), wait=60_000).refuses("table-legal", Penalty(2)).judged("r1 r2 | r3 k3", SHORT)
    match.refuses("table-broken", Draw(2)).refuses("wrong-draw", Penalty(2, 1))(Penalty(2, 3))
    state = match.state
    assert (state.rack("B"), state.pool, str(state.table)) == (17, 61, "r1 r2 r3")
    assert state.last is not None and (state.last.how, state.last.drawn) == (TurnEnd.PENALTY, 3)
    assert state.opened == ("A",)


def test_a_table_broken_before_time_was_over_and_not_judged_again() -> None:
    match = dealt().start().judged("r1 r2", SHORT)(TimeOver(1), wait=60_000)
    match.refuses("table-broken", Draw(1))(Penalty(1))
    assert match.state.rack("A") == 17


def test_a_misread_after_time_was_over_may_be_judged_again() -> None:
    match = dealt().start()(TimeOver(1), wait=60_000).judged("r1 r2 ?3", SHORT).judged("r1 r2 r3").draws(1)
    assert match.state.rack("A") == 12


def test_a_penalty_draws_what_the_pool_holds() -> None:
    match = dealt(names=("A", "B"), copies=1, jokers=2, tiles_dealt=26)
    assert match.state.pool == 2
    match.start()(TimeOver(1), wait=60_000).judged("r1 r2", SHORT)
    assert match.state.owes == 2
    match.refuses("wrong-draw", Penalty(1, 3))(Penalty(1, 2))
    assert match.state.pool == 0 and match.state.rack("A") == 28
    match.start()(TimeOver(2), wait=60_000).judged("r1 r2", SHORT)(Penalty(2, 0))
    assert match.state.rack("B") == 26


def test_a_sheet_where_a_short_pool_gives_nothing() -> None:
    match = dealt(names=("A", "B"), copies=1, jokers=2, tiles_dealt=26, short_pool="nothing")
    match.start()(TimeOver(1), wait=60_000).judged("r1 r2", SHORT)(Penalty(1, 0))
    assert match.state.pool == 2


def test_time_over_on_a_legal_table_with_an_empty_pool() -> None:
    match = empty_pool().start()(TimeOver(1), wait=60_000).judged("r1 r2 r3").draws(0)
    assert match.state.rack("A") == 23 and match.state.pool == 0


def test_without_a_clock_a_broken_table_still_costs_three() -> None:
    for match in (dealt("casino-sabra"), dealt("classic", "open-rack")):
        match.start().refuses("clock-stands", TimeOver(1), ClockPaused(1)).judged("r1 r2", SHORT)
        assert match(Penalty(1)).state.rack("A") == 17


def test_a_table_that_nobody_can_rebuild() -> None:
    match = dealt().start()(TimeOver(1), wait=60_000).judged("r1 r2", SHORT)
    match(Abandoned("nobody can rebuild it"))
    state = match.state
    assert state.phase is Phase.SEATED and state.game == 1 and state.racks == () and state.first == "A"
    assert state.scores.wins == state.scores.totals == (0, 0, 0)
    assert match(Deal()).state.next == "A"


def test_pass_only_with_an_empty_pool() -> None:
    dealt().start().refuses("pool-not-empty", Pass(1))
    match = empty_pool().start().refuses("pool-empty", Draw(1))(Pass(1))
    assert match.state.passes == 1 and match.state.last is not None and match.state.last.how is TurnEnd.PASSED
    match.start().judged("r1 r2 r3")
    assert match.state.passes == 0


def test_blocked_when_all_have_passed() -> None:
    match = empty_pool().start()(Pass(1)).refuses("not-blocked", Blocked()).start()(Pass(2))
    assert match.state.blocked
    match(Blocked()).refuses("wrong-phase", TurnStarted(3, "A"))
    assert match.state.phase is Phase.COUNTING and match.state.ended is GameEnd.BLOCKED


def test_blocked_by_proof_in_a_turn() -> None:
    dealt().start().refuses("pool-not-empty", Blocked(), Blocked(True))
    match = empty_pool().start().judged("r1 r2", SHORT).refuses("turn-unfinished", Blocked(True))
    match.judged("", NOTHING).refuses("not-blocked", Blocked())(Blocked(True))
    assert match.state.phase is Phase.COUNTING and match.state.turn is None


def test_sabra_ends_when_the_tiles_run_out() -> None:
    match = dealt("sabra-1985", names=("A", "B"), copies=1, jokers=1, tiles_dealt=26)
    match.start().draws(1)
    assert match.state.pool == 0 and match.state.blocked
    match.refuses("pool-empty", TurnStarted(2, "B"))(Blocked())
    assert match.state.ended is GameEnd.BLOCKED


def test_out() -> None:
    match = dealt(tiles_dealt=3).start().refuses("not-out", Out(1)).judged("r10 r11 r12")
    assert match.state.turn is not None and match.state.turn.stage is Stage.OUT
    match.refuses("is-out", Draw(1), Pass(1)).refuses("already-judged", TableJudged(1, Layout()))
    match(Out(1))
    assert (match.state.phase, match.state.winner, match.state.ended) == (Phase.COUNTING, "A", GameEnd.OUT)
    match(RacksCounted((("B", Rack.parse(["r1", "j", "k5"])),)))
    match.refuses("counted-before", RacksCounted((("B", Rack.parse(36)),)))
    match(RacksCounted((("C", Rack.parse(12)), ("A", Rack.parse([])))))
    assert match.state.phase is Phase.SEATED and match.state.game == 2
    assert match.state.scores.totals == (48, -36, -12) and match.state.scores.wins == (1, 0, 0)


def test_the_last_tile_laid_as_time_ran_out_wins() -> None:
    match = dealt(tiles_dealt=3).start()(TimeOver(1), wait=60_000).judged("r10 r11 r12")(Out(1))
    assert match.state.winner == "A"


@pytest.mark.parametrize(
    ("layout", "loose", "reason"),
    [
        ("r1 r2 r3 r4", "k5", "loose-tiles"),
        ("r1 r2 r3", "", "tile-left-table"),
        ("r1 r2 r3 k4 k5 k6", "", "tile-left-table"),
        ("r1 r2 r3 r4 | r4 r4 k4", "", "too-many-copies"),
        ("r1 r2 r3 r4 | j j j", "", "too-many-copies"),
        ("r1 r2 r3 r4 | ?5 k5 b5", "", "unread-tile"),
        ("r1 r2 r3 r4 | " + " ".join(f"k{n}" for n in range(1, 14)) + " | b1 b2 b3", "", "more-than-rack"),
    ],
)
def test_a_legal_table_that_cannot_be(layout: str, loose: str, reason: str) -> None:
    match = dealt().start().judged("r1 r2 r3 r4").start()
    tiles = tuple(map(Tile.parse, loose.split()))
    match.refuses(reason, TableJudged(2, Layout.parse(layout), (), tiles))


def test_questions_between_the_turns() -> None:
    state = dealt().state
    assert state.owes == 0 and not state.blocked and not seated().state.blocked
    with pytest.raises(MatchError, match="'Z' holds no rack"):
        state.rack("Z")


def test_stale_buttons() -> None:
    match = dealt().refuses("stale-turn", TurnStarted(2, "A"), TurnStarted(0, "A"))
    match.refuses("not-next", TurnStarted(1, "B")).refuses("wrong-phase", Draw(1), TableJudged(1, Layout()))
    match.start().refuses("wrong-phase", TurnStarted(2, "B")).draws().start()
    match.refuses("stale-turn", Draw(1), Pass(1), TimeOver(1), ClockPaused(1), Penalty(1), Out(3))


def test_the_same_event_twice() -> None:
    match = dealt().start()
    with pytest.raises(MatchError) as caught:
        apply(match.state, match.record[-1])
    assert caught.value.reason == "seen-before"


# The clock in the match


def test_a_ruling() -> None:
    match = dealt().start()(ClockPaused(1, "is this a run?"), wait=20_000)
    assert match.state.clock == ClockState(ClockPhase.PAUSED, 60_000, 40_000, match.at)
    match.refuses("clock-stands", ClockPaused(1), TimeOver(1))(ClockResumed(1), wait=500_000)
    match.refuses("clock-runs", ClockResumed(1))
    assert match.state.clock.left_at(match.at + 10_000) == 30_000
    match.refuses("time-left", TimeOver(1))(TimeOver(1), wait=40_000)
    match.refuses("clock-stands", TimeOver(1))


def test_the_live_clock_knows_better_than_the_wall() -> None:
    match = dealt().start()
    match.refuses("time-left", TimeOver(1), left=7)(TimeOver(1), left=0)
    match = dealt().start()(ClockPaused(1), left=31_234, wait=99_000)
    assert match.state.clock.left == 31_234
    assert dealt().start()(ClockPaused(1), left=99_000).state.clock.left == 60_000


def test_a_wall_clock_set_back_gives_no_time() -> None:
    match = dealt().start()(ClockPaused(1), wait=-5_000)
    assert match.state.clock.left == 60_000


def test_two_minutes_for_sabra_and_seconds_by_option() -> None:
    assert dealt("sabra-1985").start().state.clock.limit == 120_000
    assert dealt("classic", "clock=90").start().state.clock.limit == 90_000
