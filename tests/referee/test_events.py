"""Events and states as JSON, and what is refused of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee import events as e
from referee.documents import DocumentError
from referee.events import FACTS, Event, EventError, Fact
from referee.faults import Fault
from referee.layout import Layout
from referee.match import MatchState, check, replay
from referee.results import Rack
from referee.sheets import Direction, from_mapping, load, with_options
from referee.tiles import Tile

R5 = Tile.parse("r5")
LAYOUT = Layout.parse("b6 j b8 | r9 k9 o9")
OFF = {"phase": "off", "limit": 0, "left": 0, "since": 0}
FAULT = Fault("set-too-short", (R5,), "r5: one tile is no set", 1)
CLASSIC = load("classic")

EVERY_FACT: list[Fact] = [
    e.Players(("A", "B"), with_options(load("sabra-1985"), ["tournament-joker", "clock=90"])),
    e.Players(("A", "B"), from_mapping({"name": "ours", "base": "casino-sabra", "joker_on_rack": 25})),
    e.Seats(("B", "A")),
    e.Seats(("B", "A"), Direction.COUNTERCLOCKWISE),
    e.OpeningDraw("A", Tile.JOKER),
    e.Deal(),
    e.Deal("A"),
    e.TurnStarted(1, "A"),
    e.ClockPaused(1, "a ruling"),
    e.ClockResumed(1),
    e.TimeOver(1),
    e.TableJudged(1, LAYOUT),
    e.TableJudged(1, Layout.parse("r5 ?6 r?"), (FAULT, FAULT), (R5, Tile.UNREAD)),
    e.Draw(1),
    e.Draw(1, 0),
    e.Penalty(1, 3),
    e.Pass(1),
    e.Out(1),
    e.Blocked(),
    e.Blocked(True),
    e.Abandoned("nobody can rebuild it"),
    e.RacksCounted((("A", Rack.parse(12)), ("B", Rack.parse(["r5", "j"])))),
    e.RacksCounted((("A", Rack.parse({"points": 12, "tiles": 3})),)),
    e.TableCorrected(LAYOUT, "A"),
    e.RackCorrected("A", 3),
    e.OpeningCorrected("A", False),
    e.Correction("e1", e.TableJudged(1, LAYOUT, (FAULT,))),
    e.Undo(),
    e.Undo("e1"),
    e.Redo(),
]


def test_every_kind_is_among_them() -> None:
    assert {type(fact) for fact in EVERY_FACT} == set(FACTS.values()) and len(FACTS) == 22


@pytest.mark.parametrize("fact", EVERY_FACT, ids=lambda fact: fact.kind)
def test_events_survive_json(fact: Fact) -> None:
    for event in (Event("e7", 1_700_000_000_000, fact), Event("e7", 0, fact, 0)):
        text = json.dumps(event.json())
        assert Event.parse(json.loads(text)) == event
        assert hash(event.id) and json.dumps(Event.parse(json.loads(text)).json()) == text


def test_an_event_is_one_flat_object() -> None:
    event = Event("e7", 5, e.TableJudged(3, Layout.parse("r5"), (FAULT,)), 41_000)
    fault = {"code": "set-too-short", "tiles": ["r5"], "message": "r5: one tile is no set", "set": 1}
    assert event.json() == {
        "id": "e7",
        "at": 5,
        "left": 41_000,
        "kind": "table-judged",
        "turn": 3,
        "layout": [["r5"]],
        "faults": [fault],
    }


def test_events_are_frozen() -> None:
    with pytest.raises(AttributeError):
        Event("e", 0, e.Redo()).at = 5  # type: ignore[misc]


GOOD: dict[str, Any] = {"id": "x", "at": 1, "kind": "table-judged", "turn": 1, "layout": [["r5"]]}


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "an event is an object"),
        ({}, "id: missing"),
        ({"id": "x"}, "at: missing"),
        ({**GOOD, "id": ""}, "id: a text of 1 to 100"),
        ({**GOOD, "id": "x" * 101}, "id: a text of 1 to 100"),
        ({**GOOD, "id": 5}, "id: a text"),
        ({**GOOD, "at": -1}, "at: a whole number"),
        ({**GOOD, "at": float("nan")}, "at: a whole number"),
        ({**GOOD, "at": True}, "at: a whole number"),
        ({**GOOD, "at": 10**30}, "at: a whole number"),
        ({**GOOD, "left": "soon"}, "left: a whole number"),
        ({**GOOD, "kind": "cheat"}, "kind: no such event: 'cheat'"),
        ({**GOOD, "kind": ["x"]}, "kind: no such event"),
        ({**GOOD, "colour": 1}, "colour: no such key"),
        ({"id": "x", "at": 1, "kind": "draw"}, "turn: missing"),
        ({**GOOD, "layout": [["r5"], ["r14"]]}, "layout[1][0]: no such tile: 'r14'"),
        ({**GOOD, "layout": [["r0"]]}, "layout[0][0]: no such tile"),
        ({**GOOD, "layout": [[5]]}, "layout[0][0]: a tile is a text"),
        ({**GOOD, "layout": ["jj"]}, "layout[0]: a list"),
        ({**GOOD, "layout": "jj"}, "layout: a list"),
        ({**GOOD, "layout": {"j": 1}}, "layout: a list"),
        ({**GOOD, "layout": [["r5"]] * 1001}, "layout: a list of at most 1000"),
        ({**GOOD, "faults": [{"code": "x"}]}, "faults[0].tiles: missing"),
        ({**GOOD, "faults": ["x"]}, "faults[0]: an object"),
        ({**GOOD, "loose": ["r5", ""]}, "loose[1]: no such tile"),
        ({"id": "x", "at": 1, "kind": "blocked", "proved": 1}, "proved: true or false"),
        ({"id": "x", "at": 1, "kind": "opening-draw", "player": "A", "tile": 5}, "tile: a tile is a text"),
        ({"id": "x", "at": 1, "kind": "abandoned", "why": "x" * 2001}, "why: a text of at most"),
        ({"id": "x", "at": 1, "kind": "racks-counted", "racks": [1]}, "racks: an object by name"),
        ({"id": "x", "at": 1, "kind": "racks-counted", "racks": {"A": -1}}, "racks.A: a whole number"),
        ({"id": "x", "at": 1, "kind": "racks-counted", "racks": {"A": ["r14"]}}, "racks.A[0]: no such tile"),
        ({"id": "x", "at": 1, "kind": "racks-counted", "racks": {5: 1}}, "racks.5: a text"),
        ({"id": "x", "at": 1, "kind": "seats", "names": ["A"], "direction": "up"}, "direction: one of clock"),
        ({"id": "x", "at": 1, "kind": "players", "names": [], "sheet": {"tiles": 1}}, "sheet.tiles: no such"),
        ({"id": "x", "at": 1, "kind": "players", "names": [], "sheet": 5}, "sheet: a rule sheet is"),
        ({"id": "x", "at": 1, "kind": "correction", "event": "y", "fact": 1}, "fact: an event is an object"),
        (
            {"id": "x", "at": 1, "kind": "correction", "event": "y", "fact": {"kind": "draw", "turn": []}},
            "fact.turn: a whole number",
        ),
        (
            {"id": "x", "at": 1, "kind": "correction", "event": "y", "fact": {"kind": "undo"}},
            "fact.kind: undo cannot be corrected",
        ),
    ],
)
def test_events_that_cannot_be(document: Any, says: str) -> None:
    with pytest.raises(EventError) as caught:
        Event.parse(document)
    assert str(caught.value).startswith(says) and "\n" not in str(caught.value)


def test_corrections_nested_a_thousand_deep_are_refused() -> None:
    document: dict[str, Any] = {"kind": "draw", "turn": 1}
    for _ in range(1000):
        document = {"kind": "correction", "event": "x", "fact": document}
    with pytest.raises(EventError, match=r"^fact\.kind: correction cannot be corrected"):
        Event.parse({"id": "x", "at": 1, **document})


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"phase": "asleep"}, "phase: one of"),
        ({"sheet": None}, "nobody plays yet"),
        ({"players": ["A"]}, "too few or too many"),
        ({"seats": ["A", "A"]}, "seats are not"),
        ({"first": "Z"}, "a stranger plays"),
        ({"opened": ["Z"]}, "a stranger has opened"),
        ({"draws": {"rivals": ["Z"], "pending": []}}, "a stranger draws"),
        ({"turn": None}, "a turn and its phase"),
        ({"ended": "out"}, "an end and its phase"),
        ({"next": "A"}, "who is next and the phase"),
        ({"clock": {"phase": "running", "limit": 1, "left": 2, "since": 0}}, "more time left"),
        ({"clock": {"phase": "running"}}, "clock: no clock"),
        ({"racks": {"A": 14}}, "the racks are not the players'"),
        ({"pool": 77}, "pool 77, racks 28 and table 0 are not the 106"),
        ({"racks": {"A": 28, "B": 0}}, "an empty rack"),
        ({"table": [["r5"] * 3], "pool": 75}, "table: 3 of r5"),
        ({"turns": 2}, "the turn is nobody's"),
        ({"phase": "empty"}, "a match without players has facts"),
        ({"games": [{"end": "blocked"}]}, "games[0].racks.A: the rack is missing"),
        ({"games": [{"end": "out", "winner": "A", "racks": {"B": 3}}] * 2}, "finished, and not all games"),
        ({"phase": "seated", "turn": None}, "a clock without a turn"),
        (
            {"phase": "seated", "turn": None, "clock": OFF},
            "tiles in play",
        ),
    ],
)
def test_states_that_cannot_be(change: dict[str, Any], says: str) -> None:
    facts = [e.Players(("A", "B"), CLASSIC), e.Deal("A"), e.TurnStarted(1, "A")]
    state = replay(Event(f"e{i}", 0, fact) for i, fact in enumerate(facts))
    assert check(state) == [] and MatchState.parse(state.json()) == state
    with pytest.raises(DocumentError) as caught:
        MatchState.parse({**state.json(), **change})
    assert says in str(caught.value) and "\n" not in str(caught.value)
