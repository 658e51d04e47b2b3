"""The end of games and matches, racks, and putting right what was read or counted wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from referee.events import (
    Abandoned,
    Blocked,
    Correction,
    Deal,
    Draw,
    OpeningCorrected,
    Out,
    Pass,
    Players,
    RackCorrected,
    RacksCounted,
    Seats,
    TableCorrected,
    TableJudged,
    TimeOver,
    TurnStarted,
    Undo,
)
from referee.layout import Layout
from referee.match import Phase, Stage
from referee.results import Rack
from referee.sheets import load

sys.path.insert(0, str(Path(__file__).parent))
from matchplay import NAMES, SHORT, dealt, empty_pool, seated, won

# Racks and the end of a match


def test_a_match_has_as_many_games_as_players() -> None:
    match = seated(tiles_dealt=3)
    for game in (1, 2, 3):
        assert match.state.game == game
        won(match, B=10, C=20)
    assert match.state.phase is Phase.FINISHED and match.state.game == 3 and match.state.scores.finished
    assert match.state.scores.ranking == (("A",), ("B",), ("C",))
    match.refuses("wrong-phase", Deal("A"), Seats(NAMES), TurnStarted(4, "A"), Abandoned())


def test_a_session_goes_on() -> None:
    match = seated("sabra-1985", tiles_dealt=3)
    for _ in range(5):
        won(match, B=10, C=20)
    assert match.state.phase is Phase.SEATED and match.state.game == 6


def test_one_game() -> None:
    assert won(seated("classic", "one-game", tiles_dealt=3), B=10, C=20).state.phase is Phase.FINISHED


def test_an_abandoned_game_is_played_again() -> None:
    match = won(seated(tiles_dealt=3), B=10, C=20)(Deal("B"), Abandoned("dinner"))
    assert match.state.game == 2 and len(match.state.games) == 2
    match(Deal()).start()(Abandoned())
    assert match.state.scores.totals == (30, -10, -20)


@pytest.mark.parametrize(
    ("racks", "reason"),
    [
        ({"Z": 5}, "no-such-player"),
        ({"B": ["r1", "r2"]}, "rack-count"),
        ({"B": {"points": 5, "tiles": 2}}, "rack-count"),
        ({"B": 2}, "rack-value"),
        ({"B": 300}, "rack-value"),
        ({"A": 1}, "rack-value"),
        ({"A": ["r1"]}, "rack-count"),
        ({"B": ["r1", "r2", "?3"]}, "unread-tile"),
        ({"B": ["r10", "r10", "r1"]}, "too-many-copies"),
        ({"B": ["k1", "k1", "r1"], "C": ["k1", "r2", "r3"]}, "too-many-copies"),
    ],
)
def test_racks_that_cannot_be(racks: dict[str, Any], reason: str) -> None:
    match = dealt(tiles_dealt=3).start().judged("r10 r11 r12")(Out(1))
    match.refuses(reason, RacksCounted(tuple((n, Rack.parse(r)) for n, r in racks.items())))


def test_racks_of_a_blocked_game_with_few_tiles_that_win_at_the_casino() -> None:
    match = empty_pool("casino-sabra").start().judged("r1 r2 r3").start()(Pass(2)).start()(Pass(3), Blocked())
    match.refuses("wrong-phase", Draw(3))
    match(RacksCounted((("A", Rack.parse(170)), ("B", Rack.parse(188)))))
    assert match.state.games[-1].racks[0] == ("A", Rack(170, 23)) and match.state.scores.totals == (188, -188)


def test_racks_together_worth_more_than_the_box() -> None:
    match = empty_pool().start()(Pass(1)).start()(Pass(2), Blocked())
    match.refuses("racks", RacksCounted((("A", Rack.parse(220)), ("B", Rack.parse(220)))))


def test_counted_but_not_possible_is_abandoned() -> None:
    match = dealt(tiles_dealt=3).start().judged("r10 r11 r12")(Out(1), Abandoned("swept off the table"))
    assert match.state.phase is Phase.SEATED and match.state.scores.totals == (0, 0, 0)


# Putting right


def test_a_misread_tile_costs_one_correction() -> None:
    match = dealt().start().judged("r9 k9 r5").start()
    match(TableCorrected(Layout.parse("r9 k9 o9")))
    assert match.state.turn is not None and str(match.state.turn.before) == "r9 k9 o9"
    match.judged("r9 k9 o9 b9")
    assert match.state.rack("B") == 13


def test_a_corrected_table_forgets_the_faults() -> None:
    match = dealt().start().judged("r9 k9 r5").start().judged("r9 k9 o9", SHORT)
    match(TableCorrected(Layout.parse("r9 k9 o9"))).draws()
    assert str(match.state.table) == "r9 k9 o9"


def test_tiles_that_were_not_seen_are_somebodys() -> None:
    match = dealt().start().judged("r9 k9 o9")
    more = Layout.parse("r9 k9 o9 b9")
    match.refuses("whose-tiles", TableCorrected(more)).refuses("no-such-player", TableCorrected(more, "Z"))
    match(TableCorrected(more, "A"))
    assert match.state.rack("A") == 10
    match.refuses("whose-tiles", TableCorrected(Layout.parse("r9 k9 o9")))
    match(TableCorrected(Layout.parse("r9 k9 o9"), "A"))
    assert match.state.rack("A") == 11
    match.refuses("too-many-copies", TableCorrected(Layout.parse("r9 r9 r9"), "A"))
    match.refuses("unread-tile", TableCorrected(Layout.parse("r9 ?9 o9"), "A"))
    dealt(tiles_dealt=3).refuses("rack-too-small", TableCorrected(Layout.parse("r1 r2 r3"), "A"))


def test_corrected_racks_come_out_of_the_pool() -> None:
    match = dealt()(RackCorrected("B", 15))
    assert match.state.rack("B") == 15 and match.state.pool == 63
    match.refuses("rack-too-small", RackCorrected("B", 0)).refuses("pool-too-small", RackCorrected("B", 99))
    match.refuses("no-such-player", RackCorrected("Z", 3))
    seated().refuses("wrong-phase", RackCorrected("A", 3))


def test_thought_to_be_out_and_is_not() -> None:
    match = dealt(tiles_dealt=3).start().judged("r10 r11 r12")(RackCorrected("A", 1))
    assert match.state.phase is Phase.READY and match.state.rack("A") == 1 and match.state.next == "B"
    match = dealt(tiles_dealt=3).start()(TimeOver(1), wait=60_000).judged("r10 r11 r12")(RackCorrected("A", 1))
    assert match.state.turn is not None and match.state.turn.stage is Stage.MUST_DRAW
    assert match.draws(1).state.rack("A") == 2
    match = dealt(tiles_dealt=4).start().judged("r10 r11 r12 r13")
    match(TableCorrected(Layout.parse("r10 r11 r12"), "A"))
    assert match.state.phase is Phase.READY and match.state.rack("A") == 1
    assert match.state.last is not None and match.state.last.laid == 3


def test_a_correction_of_another_rack_leaves_the_winner_out() -> None:
    match = dealt(tiles_dealt=3).start().judged("r10 r11 r12")(RackCorrected("B", 5))
    match(Out(1)).refuses("counted-before", RackCorrected("A", 1))(RacksCounted((("B", Rack.parse(40)),)))
    match.refuses("counted-before", RackCorrected("B", 4))(RackCorrected("C", 2))
    match(RacksCounted((("C", Rack.parse(["j", "j"])),)))
    assert match.state.scores.totals == (100, -40, -60)


def test_who_has_opened() -> None:
    match = dealt().start().judged("r10 r11 r12")
    match.refuses("no-change", OpeningCorrected("A", True), OpeningCorrected("B", False))
    match(OpeningCorrected("A", False), OpeningCorrected("C", True))
    assert match.state.opened == ("C",)
    match.refuses("no-such-player", OpeningCorrected("Z", True))


def test_a_corrected_game_changes_every_total_after_it() -> None:
    match = won(seated(tiles_dealt=3), B=10, C=20)
    racks = match.ids[-1]
    won(match, B=5, C=5)
    assert match.state.scores.running == ((30, -10, -20), (40, -15, -25))
    match(Correction(racks, RacksCounted((("B", Rack.parse(["j", "r1", "r2"])), ("C", Rack.parse(20))))))
    assert match.state.scores.running == ((53, -33, -20), (63, -38, -25))
    assert match.ids[-1] not in [e.id for e in match.state.history()]
    match(Undo())
    assert match.state.scores.totals == (40, -15, -25)


def test_corrections_that_cannot_be() -> None:
    match = dealt().start().judged("r10 r11 r12").start()
    judged = match.ids[-2]
    match.refuses("no-such-event", Correction("nowhere", Draw(1)))
    match.refuses("other-kind", Correction(judged, Draw(1)))
    match.refuses("other-kind", Correction(judged, Undo()))
    match.refuses("unread-tile", Correction(judged, TableJudged(1, Layout.parse("r10 r11 ?12"))))
    match.judged("r10 r11 r12 r13")
    text = "r10 r11 o10"
    match.refuses("tile-left-table", Correction(judged, TableJudged(1, Layout.parse(text))))
    match(Correction(judged, TableJudged(1, Layout.parse("r12 r11 r10"))))
    match(Undo(judged)).refuses("no-such-event", Correction(judged, TableJudged(1, Layout())))


def test_many_corrections_of_early_events_stay_cheap_and_right() -> None:
    match = won(seated(tiles_dealt=3), B=10, C=20)
    racks = match.ids[-1]
    won(match, B=5, C=5)
    for points in range(30, 60):
        match(Correction(racks, RacksCounted((("B", Rack.parse(points)), ("C", Rack.parse(20))))))
    assert match.state.scores.totals == (59 + 20 + 10, -59 - 5, -25)
    assert len(match.state.history()) == 1 + 2 * 5


def test_the_rules_themselves_may_be_corrected() -> None:
    match = dealt().start().draws()
    assert match(Correction(match.ids[0], Players(NAMES, load("casino-sabra")))).state.rack("A") == 17
    match = dealt().start().draws(1)
    match.refuses("wrong-draw", Correction(match.ids[0], Players(NAMES, load("casino-sabra"))))
