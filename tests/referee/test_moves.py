"""The best play: cases in the short notation, what every play keeps to, and the solver underneath."""

from __future__ import annotations

from collections import Counter

import highspy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.judge import Turn, judge
from referee.layout import Layout
from referee.moves import MovesError, Objective, Play, Position, any_play, best_play, who_can_play
from referee.sheets import from_mapping, load
from referee.solver import Programme, SolverError, maximise
from referee.tiles import ALL_TILES, Tile


def position(table: str, rack: str, sheet: str = "classic", opened: bool = True) -> Position:
    return Position(Layout.parse(table), tuple(map(Tile.parse, rack.split())), load(sheet), opened)


def written(tiles: tuple[Tile, ...]) -> str:
    return " ".join(sorted(map(str, tiles)))


@pytest.mark.parametrize(
    ("table", "rack", "played", "disturbed"),
    [
        # Growing a set, at either end, disturbs none.
        ("b4 b5 b6", "b7", "b7", 0),
        ("b4 b5 b6", "b2 b3 b8 k9", "b2 b3", 0),
        ("r9 k9 o9", "b9 b8", "b9", 0),
        # The run with a second 5 in two: 3-4-5 and 5-6-7 (RULES.md, checks of the issue).
        ("r3 r4 r5 r6 r7", "r5", "r5", 1),
        ("r3 r4 r5 r6", "r5", "", 0),
        # A fourth tile of a group and the end of a run make a new set.
        ("r5 b5 k5 o5 | r6 r7 r8 r9", "r4", "r4", 1),
        # 12-13-1 is no run.
        ("r11 r12 r13", "r1", "", 0),
        ("r10 r11 r12", "r13 r1 b1", "r13", 0),
        # b6-j-b8: the joker is freed by b7 and laid with r10 r11.
        ("b6 j b8", "b7 r10 r11", "b7 r10 r11", 1),
        # Growing at both sides of a joker.
        ("b6 j b8", "b5 b9", "b5 b9", 0),
        # A joker on the end is 9 or, from the other side, 5; it stays what it is.
        ("b6 b7 j", "b9", "b9", 0),
        ("j b7 b8", "b9", "b9", 0),
        # The joker of a group of three is any missing colour, and stays.
        ("r9 k9 j", "b9", "b9", 0),
        # A joker on the rack is a tile like any other, and is laid.
        ("r9 k9 o9", "j", "j", 0),
        ("", "j r5 r7", "j r5 r7", 0),
        ("", "r5 r7", "", 0),
        # Nothing to lay: an empty rack, tiles that fit nowhere.
        ("b4 b5 b6", "", "", 0),
        ("b4 b5 b6", "r1 k9", "", 0),
        # A joker that is not needed where it lies is not lost sight of.
        ("r3 r4 r5 j", "k1 k2", "k1 k2", 1),
        ("r9 j j", "r8 r7", "r7 r8", 0),
        # The freed joker must lie in a new set: o5 cannot free it, as it fits no set but the old ones.
        ("k5 b5 j | r9 k9 o9", "r5", "r5", 0),
    ],
)
def test_most_tiles(table: str, rack: str, played: str, disturbed: int) -> None:
    play = best_play(position(table, rack))
    assert written(play.played) == written(tuple(map(Tile.parse, played.split())))
    assert (len(play.disturbed), play.optimal, play.playable) == (disturbed, True, bool(played))
    assert any_play(position(table, rack)).playable is bool(played)


@pytest.mark.parametrize(
    ("sheet", "rack", "table", "played", "meld"),
    [
        # 30 is the least, 29 is not enough; sets, not tiles, are what counts.
        ("classic", "r9 r10 r11", "", "r9 r10 r11", 30),
        ("classic", "r8 r9 r10", "", "", None),
        ("classic", "b4 b5 b6 r5 k5 o5", "", "b4 b5 b6 k5 o5 r5", 30),
        ("classic", "r8 r9 r10 k1 k2 k3", "", "k1 k2 k3 r10 r8 r9", 33),
        # The joker is worth what it stands for; r9 j j is 30 as 9-10-11.
        ("classic", "r10 r12 j", "", "j r10 r12", 33),
        ("classic", "r12 r13 j", "", "j r12 r13", 36),
        ("classic", "r9 j j", "", "j j r9", 30),
        ("classic", "r8 j j", "", "", None),
        # The table is not to be touched, also after the 30.
        ("classic", "r9 r10 r11 b7", "b4 b5 b6", "r10 r11 r9", 30),
        ("classic", "r12 r13", "r9 r10 r11", "", None),
        # 50 in Sabra, and then the table may be used.
        ("sabra-1985", "r9 r10 r11", "b4 b5 b6", "", None),
        ("sabra-1985", "r9 r10 r11 k9 k10 k11 b7", "b4 b5 b6", "b7 k10 k11 k9 r10 r11 r9", 60),
        # A tile of the table never helps to reach the meld.
        ("sabra-1985", "r13 k13 b12 b11", "b13 o13 k13", "", None),
        ("casino-sabra", "r9 r10 r11 b7", "b4 b5 b6", "r10 r11 r9", 30),
    ],
)
def test_openings(sheet: str, rack: str, table: str, played: str, meld: int | None) -> None:
    play = best_play(position(table, rack, sheet, opened=False))
    assert (written(play.played), play.meld, play.optimal) == (
        written(tuple(map(Tile.parse, played.split()))),
        meld,
        True,
    )
    if sheet != "sabra-1985":
        assert play.table.sets[: len(Layout.parse(table))] == Layout.parse(table).sets


@pytest.mark.parametrize(
    ("sheet", "table", "rack", "played"),
    [
        # Freed by the tile it stands for, with two more rack tiles in its new set.
        ("sabra-1985", "b6 j b8", "b7 r10 r11", "b7 r10 r11"),
        ("sabra-1985", "b6 j b8", "b7 r10", ""),
        ("casino-sabra", "b6 j b8", "b7 r10 r11", "b7 r10 r11"),
        # No tile leaves a set with a joker in Sabra; elsewhere it may.
        ("sabra-1985", "r3 j r5 r6 | k1 k2 k3", "o6 b6", ""),
        ("classic", "r3 j r5 r6 | k1 k2 k3", "o6 b6", "b6 o6"),
        # One missing colour is enough but by the tournament option.
        ("sabra-1985", "r9 k9 j", "b9 r1 r2", "b9 r1 r2"),
        # It may grow.
        ("sabra-1985", "r9 k9 j", "b9", "b9"),
        # Jokers alone are a set in the large box.
        ("six-player", "j j j | r1 r2 r3", "r4 k9", "k9 r4"),
        ("six-player", "r9 k9 b9", "j j j", "j j j"),
        ("six-player", "j j j j", "k5", "k5"),
        ("sabra-1985", "b6 j b8", "b5 b9 b10", "b10 b5 b9"),
    ],
)
def test_jokers_by_the_sheet(sheet: str, table: str, rack: str, played: str) -> None:
    play = best_play(position(table, rack, sheet))
    assert (written(play.played), play.optimal) == (written(tuple(map(Tile.parse, played.split()))), True)


def test_points_before_tiles() -> None:
    now = position("", "r1 r2 r3 r4 k4 b4 o13 k13 b13 r13")
    tiles, points = best_play(now), best_play(now, Objective.POINTS)
    assert (tiles.points, points.points) == (70, 70)
    now = position("", "r1 r2 r3 r12 k12 b12 j")
    assert best_play(now, Objective.POINTS).points == 6 + 36 + 30
    # The joker closes a run of four small tiles, or a group of three high ones.
    now = position("", "r1 r2 r4 k13 b13 j")
    tiles, points = best_play(now), best_play(now, Objective.POINTS)
    assert (written(tiles.played), tiles.points) == ("j r1 r2 r4", 37)
    assert (written(points.played), points.points) == ("b13 j k13", 56)


def test_sets_that_stay_keep_their_place_and_order() -> None:
    play = best_play(position("o9 r9 k9 | b6 b5 b4 | k1 k2 k3 k4", "b7 b3 b9 k5"))
    assert str(play.table) == "o9 r9 k9 b9 | b7 b6 b5 b4 b3 | k1 k2 k3 k4 k5"
    assert play.disturbed == ()


def test_nothing_played_leaves_the_table_as_it_lies() -> None:
    table = "o9 r9 k9 | b6 b5 b4"
    play = best_play(position(table, "k1 k3"))
    assert play == Play((), Layout.parse(table), Objective.TILES, True, 0, (), None, play.programmes)


def test_gives_up_honestly() -> None:
    table = " | ".join(f"r{n} b{n} k{n}" for n in range(1, 14)) + " | o1 o2 o3 o4 | o9 o10 o11 o12 o13"
    now = position(table, "r2 r3 r5 b7 b8 k9 o5 o7 o8 r11 r12 b13")
    assert best_play(now).optimal
    few = best_play(now, most_nodes=1)
    assert few.optimal or not few.playable or judge(Turn(now.table, few.table, (), True, now.rack), now.sheet).legal


@pytest.mark.parametrize(
    ("table", "rack", "message"),
    [
        ("r5 b5 k5", "r5 r5", r"rack\[1\]: r5 number 3; the box holds 2"),
        ("r5 b5 k5 | r5 b5 o5 | r5 r6 r7", "", r"table\[2\]\[0\]: r5 number 3"),
        ("r5 j j", "j", r"rack\[0\]: j number 3"),
        ("r5 b5", "k5", r"table\[0\]: the table is not legal: r5 b5: two tiles are no set"),
        ("r5 b5 ?", "k5", r"table\[0\]\[2\]: \? is not read"),
        ("r5 b5 o5", "?5", r"rack\[0\]: \?5 is not read"),
    ],
)
def test_positions_that_cannot_be(table: str, rack: str, message: str) -> None:
    for ask in (best_play, any_play):
        with pytest.raises(MovesError, match=message):
            ask(position(table, rack))


def test_the_joker_in_an_opening_is_laid_for_what_it_must_be_worth() -> None:
    dear = from_mapping({"name": "dear", "initial_meld": 33})
    play = best_play(Position(Layout(), Layout.parse("r10 r11 j").sets[0], dear, opened=False))
    assert (str(play.table), play.meld) == ("r10 r11 j", 33)
    none = from_mapping({"name": "none", "initial_meld": 22, "joker_meld": "nothing"})
    assert not best_play(Position(Layout(), Layout.parse("r10 r11 j").sets[0], none, opened=False)).playable


def test_is_anybody_really_blocked() -> None:
    def racks(**held: str) -> dict[str, tuple[Tile, ...]]:
        return {name: tuple(map(Tile.parse, tiles.split())) for name, tiles in held.items()}

    table, sheet = Layout.parse("b6 b7 b8 | r9 k9 o9"), load("classic")
    held = racks(Ann="b9 k1", Ben="k1 o3", Cas="r11 r12 r13")
    plays = who_can_play(table, held, sheet, {"Ann", "Ben"})
    assert {name: written(play.played) for name, play in plays.items()} == {
        "Ann": "b9",
        "Ben": "",
        "Cas": "r11 r12 r13",
    }
    assert all(play.optimal for play in plays.values())
    # Who has not opened cannot lay on.
    assert not who_can_play(table, racks(Ann="b9"), sheet, ())["Ann"].playable
    with pytest.raises(MovesError, match=r"^Ben.rack\[0\]: b6 number 3; the box holds 2$"):
        who_can_play(table, racks(Ann="b6", Ben="b6"), sheet, ())
    with pytest.raises(MovesError, match=r"^Ben.rack\[1\]: \? is not read"):
        who_can_play(table, racks(Ann="b6", Ben="k1 ?"), sheet, ())
    with pytest.raises(MovesError, match=r"^table\[0\]: the table is not legal"):
        who_can_play(Layout.parse("b6 b7"), racks(Ann="b6"), sheet, ())


def test_more_jokers_than_any_box_holds_are_no_proof() -> None:
    own = from_mapping({"name": "own", "joker_sets": "grow", "jokers": 8, "freed_rack_tiles": 3})
    # Laid anywhere a joker would make a play: so the list is asked, and only up to four jokers it is whole.
    long = "r3 j r5 r6"
    for table, proof in ((long, True), (f"{long} | b1 j j", True), (f"{long} | b1 j j | k1 j j", False)):
        play = best_play(Position(Layout.parse(table), Layout.parse("k6 b6").sets[0], own))
        assert (play.playable, play.optimal) == (False, proof), table


def test_jokers_alone_are_no_proof_where_rack_tiles_have_to_come_along() -> None:
    """They stand for everything: that all their sets are not looked at is said, and it does not take minutes."""
    own = from_mapping({"name": "own", "base": "casino-sabra", "jokers": 4, "copies": 3})
    play = best_play(Position(Layout.parse("j j j | r3 j r5"), Layout.parse("k6 b6").sets[0], own))
    assert (written(play.played), play.optimal) == ("b6", False) and play.programmes < 2_000
    # what no table could better is proven all the same
    play = best_play(Position(Layout.parse("j j j j"), Layout.parse("k6 b6").sets[0], own))
    assert (written(play.played), play.optimal) == ("b6 k6", True)


SMALL = [t for t in ALL_TILES if t.is_joker or t.number < 6]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from(SMALL), max_size=12),
    st.lists(st.sampled_from(SMALL), max_size=10),
    st.sampled_from(["classic", "sabra-1985", "casino-sabra", "six-player"]),
    st.booleans(),
)
def test_every_play_is_lawful(first: list[Tile], rack: list[Tile], name: str, opened: bool) -> None:
    sheet = load(name)

    def within(tiles: list[Tile], there: Counter[Tile]) -> list[Tile]:
        kept = []
        for tile in tiles:
            if there[tile] < (sheet.jokers if tile.is_joker else sheet.copies):
                there[tile] += 1
                kept.append(tile)
        return kept

    # The table is what the best play makes of some tiles, so it is legal.
    table = best_play(Position(Layout(), tuple(within(first, Counter())), sheet)).table
    now = Position(table, tuple(within(rack, table.tiles.copy())), sheet, opened)
    play, some = best_play(now), any_play(now)
    assert play.optimal and some.optimal and play.playable == some.playable
    assert len(play.played) >= len(some.played)
    for found in (play, some):
        assert found.table.tiles == table.tiles + Counter(found.played)
        assert not Counter(found.played) - Counter(now.rack)
        if found.playable:
            verdict = judge(Turn(table, found.table, (), opened, now.rack), sheet)
            assert verdict.legal and sorted(verdict.played) == sorted(found.played)
        else:
            assert found.table == table
    assert best_play(now, Objective.POINTS).points >= play.points


# --- the solver


def knapsack() -> Programme:
    """Maximise 5a + 4b + 3c with 2a + 3b + c <= 5, 4a + b + 2c <= 11, 3a + 4b + 2c <= 8."""
    programme = Programme()
    rows = [programme.row(None, bound) for bound in (5, 11, 8)]
    for cost, weights in ((5, (2, 4, 3)), (4, (3, 1, 4)), (3, (1, 2, 2))):
        programme.column(4, zip(rows, weights, strict=True), cost)
    return programme


def by_hand(accept: object = None) -> list[tuple[int, tuple[int, int, int]]]:
    return sorted(
        (5 * a + 4 * b + 3 * c, (a, b, c))
        for a in range(5)
        for b in range(5)
        for c in range(5)
        if 2 * a + 3 * b + c <= 5 and 4 * a + b + 2 * c <= 11 and 3 * a + 4 * b + 2 * c <= 8
    )


def test_maximise() -> None:
    found = maximise(knapsack())
    assert (found.objective, found.columns, found.proven) == (*by_hand()[-1], True)


@pytest.mark.parametrize("refused", range(1, len(by_hand())))
def test_maximise_goes_on_past_what_is_refused(refused: int) -> None:
    order = by_hand()
    wrong = {columns for _, columns in order[-refused:]}
    found = maximise(knapsack(), accept=lambda columns: columns not in wrong)
    assert (found.objective, found.proven) == (order[-refused - 1][0], True)


def test_maximise_refused_by_decisive_columns() -> None:
    found = maximise(knapsack(), accept=lambda columns: columns[0] == 0, decisive=lambda columns: [0])
    assert found.objective == max(value for value, (a, _, _) in by_hand() if a == 0)
    nothing = maximise(knapsack(), accept=lambda columns: False, decisive=lambda columns: [0, 1, 2])
    assert (nothing.columns, nothing.proven) == (None, True)


def test_maximise_stops_when_told() -> None:
    assert maximise(knapsack(), enough=1).objective >= 1
    cut = maximise(knapsack(), accept=lambda columns: False, most_nodes=2)
    assert (cut.columns, cut.proven, cut.nodes) == (None, False, 2)


def test_maximise_without_a_solution() -> None:
    programme = Programme()
    row = programme.row(3, None)
    programme.column(2, [(row, 1)])
    assert maximise(programme).columns is None


def test_a_programme_that_cannot_be_is_refused() -> None:
    programme = Programme()
    programme.column(1, [(programme.row(float("nan"), None), 1)])
    with pytest.raises(SolverError):
        maximise(programme)


def test_a_stale_basis_is_dropped_and_a_failure_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    statuses: list[highspy.HighsModelStatus] = []
    asked = highspy.Highs.getModelStatus

    def status(highs: highspy.Highs) -> highspy.HighsModelStatus:
        return statuses.pop() if statuses else asked(highs)

    monkeypatch.setattr(highspy.Highs, "getModelStatus", status)
    statuses.append(highspy.HighsModelStatus.kUnknown)
    assert maximise(knapsack()).objective == by_hand()[-1][0]
    statuses += [highspy.HighsModelStatus.kUnknown] * 2
    with pytest.raises(SolverError, match="stopped"):
        maximise(knapsack())


def test_only_what_is_better_is_looked_for() -> None:
    best = by_hand()[-1][0]
    assert maximise(knapsack(), above=best - 1).objective == best
    assert maximise(knapsack(), above=best).columns is None


def test_a_programme_without_columns() -> None:
    programme = Programme()
    programme.row(0, 1)
    assert maximise(programme).columns == ()
    programme.row(1, None)
    assert maximise(programme).columns is None


def test_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    best_play(position("b4 b5 b6", "b7"))
    assert capfd.readouterr() == ("", "")
