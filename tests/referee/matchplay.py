"""A match played by tests: events a second apart, each state checked, refusals by their reason."""

from __future__ import annotations

from typing import Any

import pytest

from referee.events import Deal, Draw, Event, Fact, Out, Players, RacksCounted, TableJudged, TurnStarted
from referee.faults import Fault
from referee.layout import Layout
from referee.match import START, MatchError, MatchState, apply, check
from referee.results import Rack
from referee.sheets import Sheet, from_mapping, load, with_options
from referee.tiles import Tile

NAMES = ("A", "B", "C")
SHORT = Fault("set-too-short", (), "two tiles")
NOTHING = Fault("nothing-played", (), "nothing laid")


class Match:
    """Appends events a second apart; each gets a fresh id. `refuses` sees that nothing has changed by a refusal."""

    def __init__(self, state: MatchState = START) -> None:
        self.state = state
        self.at = 1_000_000
        self.ids: list[str] = []
        self.record: list[Event] = []

    def __call__(self, *facts: Fact, wait: int = 1_000, left: int | None = None) -> Match:
        for fact in facts:
            self.at += wait
            event = Event(f"e{len(self.ids)}", self.at, fact, left)
            self.state = apply(self.state, event)
            self.ids.append(event.id)
            self.record.append(event)
            assert check(self.state) == []
        return self

    def refuses(self, reason: str, *facts: Fact, left: int | None = None) -> Match:
        for fact in facts:
            before = self.state
            with pytest.raises(MatchError) as caught:
                apply(self.state, Event("refused", self.at + 1_000, fact, left))
            assert caught.value.reason == reason and "\n" not in str(caught.value) and str(caught.value)
            assert self.state == before
        return self

    def start(self) -> Match:
        assert self.state.next is not None
        return self(TurnStarted(self.state.turns + 1, self.state.next))

    @property
    def t(self) -> int:
        return self.state.turns

    def judged(self, layout: str, *faults: Fault, loose: str = "") -> Match:
        return self(TableJudged(self.t, Layout.parse(layout), faults, tuple(map(Tile.parse, loose.split()))))

    def draws(self, tiles: int | None = None) -> Match:
        return self(Draw(self.t, tiles))


def seated(rules: str = "classic", *options: str, names: tuple[str, ...] = NAMES, **changes: Any) -> Match:
    sheet: Sheet = from_mapping({"base": rules, **changes}) if changes else load(rules)
    return Match()(Players(names, with_options(sheet, options)))


def dealt(rules: str = "classic", *options: str, names: tuple[str, ...] = NAMES, **changes: Any) -> Match:
    return seated(rules, *options, names=names, **changes)(Deal("A"))


def empty_pool(rules: str = "classic", **changes: Any) -> Match:
    """A game of two whose pool holds nothing: 26 tiles dealt to each, and a box of 52."""
    small = {"copies": 1, "jokers": 0, "tiles_dealt": 26, **changes}
    return dealt(rules, names=("A", "B"), **small)


def won(match: Match, **racks: Any) -> Match:
    """One short game (three tiles dealt) that its first player wins."""
    match(Deal("A")).start().judged("r10 r11 r12")(Out(match.t))
    return match(RacksCounted(tuple((n, Rack.parse(r)) for n, r in racks.items())))
