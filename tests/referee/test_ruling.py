"""The judge and the match together: a short game refereed, and verdicts that the match never refuses."""

from __future__ import annotations

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee import events as e
from referee.events import Event, Fact
from referee.layout import Layout
from referee.match import START, MatchError, MatchState, Phase, Stage, apply, check
from referee.ruling import judge_table
from referee.sheets import NAMES, from_mapping, load
from referee.tiles import ALL_TILES, Tile


class Table:
    """A match with a referee: `end_turn` judges the table as it lies and appends what the judge says."""

    def __init__(self, rules: str = "classic", names: str = "AB") -> None:
        self.state: MatchState = START
        self.count = 0
        self(e.Players(tuple(names), load(rules)), e.Deal("A"))

    def __call__(self, *facts: Fact) -> Table:
        for fact in facts:
            self.count += 1
            self.state = apply(self.state, Event(f"e{self.count}", 1_000 * self.count, fact))
            assert check(self.state) == []
        return self

    def start(self) -> Table:
        assert self.state.next is not None
        return self(e.TurnStarted(self.state.turns + 1, self.state.next))

    def end_turn(self, layout: str, loose: str = "") -> tuple[str, ...]:
        fact, verdict = judge_table(self.state, Layout.parse(layout), tuple(map(Tile.parse, loose.split())))
        self(fact)
        return tuple(fault.code for fault in verdict.faults)


def test_a_short_game_by_the_classic_sheet() -> None:
    table = Table().start()
    assert table.end_turn("b4 b5 b6") == ("opening-too-low",)
    assert table.end_turn("b4 b5 b6 | r5 k5 o5") == ()
    assert table.state.opened == ("A",) and table.state.rack("A") == 8
    table.start()
    assert "opening-touched-table" in table.end_turn("b4 b5 b6 b7 | r5 k5 o5 | r11 r12 r13")
    assert table.end_turn("b4 b5 b6 | r5 k5 o5 | r11 j r13") == ()
    table.start()
    # the joker is freed by r12 and laid in a new set with two tiles from the rack
    assert table.end_turn("b4 b5 b6 | r5 k5 o5 | r11 r12 r13 | k9 j k11") == ()
    assert table.state.rack("A") == 5
    table.start()
    assert table.end_turn("b4 b5 b6 | r5 k5 o5 | r11 r12 r13 | k9 j k11 | b1", "o1") == ("set-too-short",) * 2
    assert table.end_turn("b6 b5 b4 | r5 k5 o5 | r13 r12 r11 | k9 j k11") == ()  # tidied, nothing laid
    table(e.Draw(4)).start()
    assert "tile-left-table" in table.end_turn("b4 b5 b6 | r5 k5 o5 | r11 r12 r13 | k9 j")
    assert table.end_turn("b4 b5 b6 | r5 k5 o5 b5 | r11 r12 r13 | k9 j k11 k12 | o9 o10 o11") == ()
    assert table.state.turn is not None and table.state.turn.stage is Stage.OUT
    assert table(e.Out(5)).state.winner == "A"


def test_time_over_with_too_low_an_opening() -> None:
    table = Table().start()
    table.count += 60
    table(e.TimeOver(1))
    assert table.end_turn("b4 b5 b6") == ("opening-too-low",)
    assert table(e.Penalty(1, 3)).state.rack("A") == 17


def test_outside_a_turn_there_is_nothing_to_judge() -> None:
    with pytest.raises(MatchError, match="no turn is being played"):
        judge_table(Table().state, Layout())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32), st.sampled_from(NAMES))
def test_the_match_never_refuses_a_verdict(seed: int, rules: str) -> None:
    rng = random.Random(seed)
    sheet = from_mapping({"base": rules, "players_least": 2, "players_most": 6, "initial_meld": 12})
    state = START
    facts: list[Fact] = [e.Players(("A", "B"), sheet), e.Deal("A")]
    for number in range(30):
        if state.phase is Phase.READY:
            facts.append(e.TurnStarted(state.turns + 1, state.next or ""))
        for fact in facts:
            state = apply(state, Event(f"{number}-{fact.kind}", number, fact))
        facts = []
        if state.turn is None or state.turn.stage is Stage.OUT:
            break
        fact, verdict = judge_table(state, *_moved(rng, state))
        before = state
        state = apply(state, Event(f"{number}", number, fact))
        assert check(state) == []
        if verdict.legal:
            assert before.rack(before.turn.player) - len(verdict.played) == state.rack(before.turn.player)  # type: ignore[union-attr]
            assert (state.turn is not None and state.turn.stage is Stage.OUT) == verdict.out
            assert verdict.opened and before.turn is not None and before.turn.player in state.opened
        else:
            assert state.racks == before.racks and state.pool == before.pool and state.opened == before.opened


def _moved(rng: random.Random, state: MatchState) -> tuple[Layout, tuple[Tile, ...]]:
    """The table with a set or two more, often a legal one, sometimes with a tile moved, lost, loose or unread."""
    rows = [list(row) for row in (state.turn.before.sets if state.turn else ())]
    for _ in range(rng.randrange(3)):
        n, c = rng.randrange(1, 12), rng.choice("kbro")
        run = [Tile(c, n), Tile(c, n + 1), Tile(c, n + 2)]
        group = [Tile(c, n) for c in rng.sample("kbro", rng.choice([3, 4]))]
        row = rng.choice([run, group])
        if rng.random() < 0.3:
            row[rng.randrange(3)] = Tile.JOKER
        rows.append(row)
    if rows and rng.random() < 0.2:
        rng.choice(rows).append(rng.choice([*ALL_TILES, Tile.UNREAD]))
    if rows and rng.random() < 0.2:
        row = rng.choice(rows)
        row.pop(rng.randrange(len(row)))
    rng.shuffle(rows)
    loose = (rng.choice(ALL_TILES),) if rng.random() < 0.1 else ()
    return Layout(tuple(tuple(row) for row in rows if row)), loose
