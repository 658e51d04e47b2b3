"""The state of a match as its events leave it: one frozen value, and the questions one asks of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from referee import documents
from referee.clock import ClockState
from referee.documents import DocumentError, one_line
from referee.events import Event
from referee.faults import Fault
from referee.layout import Layout
from referee.results import GameEnd, GameResult, Rack
from referee.scores import ScoreSheet, games_in_match, score_match
from referee.sheets import Direction, PoolEmpty, Sheet, ShortPool
from referee.tiles import Tile


class MatchError(ValueError):
    """An event that cannot be: ``reason`` is its stable name, the text says why in one line."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(one_line(text))
        self.reason = reason


class Phase(StrEnum):
    """Where a match stands."""

    EMPTY = "empty"
    """Nobody plays yet."""
    SEATED = "seated"
    """Between games: opening draw, deal."""
    READY = "ready"
    """The next player's turn may start."""
    TURN = "turn"
    COUNTING = "counting"
    """The game is over and the racks are being counted."""
    FINISHED = "finished"


class Stage(StrEnum):
    """Where a turn stands."""

    PLAYING = "playing"
    BROKEN = "broken"
    """The table was judged and is not legal."""
    MUST_DRAW = "must-draw"
    """Time was over on a legal table: what was laid stays, and the player draws."""
    OUT = "out"
    """By count the rack is empty and the table legal."""


class TurnEnd(StrEnum):
    """How a turn came to its end."""

    PLAYED = "played"
    DREW = "drew"
    TIME_OVER = "time-over"
    PENALTY = "penalty"
    PASSED = "passed"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class Turn:
    """The turn being played. ``before`` is the snapshot at its start, to which a broken table returns."""

    number: int
    player: str
    before: Layout
    stage: Stage = Stage.PLAYING
    time_over: bool = False
    faults: tuple[Fault, ...] = ()
    laid: int = 0


@dataclass(frozen=True, slots=True)
class TurnDone:
    """The last finished turn: how it ended, tiles laid and drawn, and what its clock had left (ms)."""

    number: int
    player: str
    how: TurnEnd
    laid: int = 0
    drawn: int = 0
    left: int = 0


@dataclass(frozen=True, slots=True)
class Draws:
    """An opening draw: who may still start, who of them has to draw, and what lies open."""

    rivals: tuple[str, ...]
    pending: tuple[str, ...]
    drawn: tuple[tuple[str, Tile], ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """How a state came about: for undo ``event`` and ``before``, for corrections ``step`` and ``prior``.

    The two differ only after a correction, which is one event to undo but many steps derived anew.
    """

    event: Event | None = None
    before: MatchState | None = None
    step: Event | None = None
    prior: MatchState | None = None
    undone: MatchState | None = None
    undone_at: int = 0
    ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class MatchState:
    """All that is known of a match. Names are in the order of the score sheet, ``seats`` clockwise.

    ``table`` is what lies settled: in a turn the snapshot, until something legal is laid. Points, totals and
    places are questions (`scores`), never kept. Equality is of the facts; ``log`` is how they came about.
    """

    phase: Phase = Phase.EMPTY
    sheet: Sheet | None = None
    players: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    direction: Direction = Direction.CLOCKWISE
    draws: Draws | None = None
    first: str | None = None
    racks: tuple[tuple[str, int], ...] = ()
    opened: tuple[str, ...] = ()
    pool: int = 0
    table: Layout = field(default_factory=Layout)
    turns: int = 0
    turn: Turn | None = None
    next: str | None = None
    last: TurnDone | None = None
    passes: int = 0
    clock: ClockState = field(default_factory=ClockState)
    ended: GameEnd | None = None
    winner: str | None = None
    counted: tuple[tuple[str, Rack], ...] = ()
    games: tuple[GameResult, ...] = ()
    log: Log = field(default_factory=Log, compare=False, repr=False)

    @property
    def rules(self) -> Sheet:
        """The sheet that is played by. Raises `MatchError` before there are players."""
        if self.sheet is None:
            raise MatchError("no-players", "nobody plays yet: say who does first")
        return self.sheet

    def rack(self, player: str) -> int:
        """How many tiles a player holds by count. Raises `MatchError`."""
        for name, tiles in self.racks:
            if name == player:
                return tiles
        raise MatchError("no-such-player", f"{player!r:.60} holds no rack in this game")

    def with_rack(self, player: str, tiles: int) -> tuple[tuple[str, int], ...]:
        """The racks with one of them changed."""
        return tuple((name, tiles if name == player else held) for name, held in self.racks)

    def after(self, player: str) -> str:
        """Whose turn follows a player's."""
        step = 1 if self.direction is Direction.CLOCKWISE else -1
        return self.seats[(self.seats.index(player) + step) % len(self.seats)]

    @property
    def scores(self) -> ScoreSheet:
        """The score sheet so far, derived from the games."""
        return score_match(self.rules, self.players, self.games)

    @property
    def game(self) -> int:
        """The number of the game being played or to be played, from 1; an abandoned one keeps its number."""
        return sum(g.end is not GameEnd.ABANDONED for g in self.games) + (self.phase is not Phase.FINISHED)

    @property
    def owes(self) -> int:
        """How many tiles the player on turn would draw now: what the sheet asks, or what the pool holds."""
        if self.turn is None:
            return 0
        sheet = self.rules
        asked = {Stage.MUST_DRAW: sheet.time_over_draw, Stage.BROKEN: sheet.broken_table_draw}.get(
            self.turn.stage, sheet.no_play_draw
        )
        if asked <= self.pool:
            return asked
        return self.pool if sheet.short_pool is ShortPool.WHAT_IS_THERE else 0

    @property
    def blocked(self) -> bool:
        """Whether the game ends with nobody out: the pool is empty and all have passed, or that is enough."""
        if self.phase not in (Phase.READY, Phase.TURN) or self.pool:
            return False
        return self.rules.pool_empty is PoolEmpty.ENDS or self.passes >= len(self.players)

    def history(self) -> tuple[Event, ...]:
        """The events that count, in order: without what was undone, and corrected where they were."""
        return tuple(event for event, _ in self.line())

    def line(self) -> tuple[tuple[Event, MatchState], ...]:
        """The events that count with the state after each, oldest first: for looking back at a game."""
        return tuple(_steps(self))[::-1]

    def json(self) -> dict[str, Any]:
        """The facts as JSON holds them; `MatchState.parse` reads them back, without what undo needs."""
        return documents.write(self)

    @staticmethod
    def parse(document: Any) -> MatchState:
        """From `MatchState.json`. Raises `DocumentError`, also for facts that cannot be together."""
        try:
            state = documents.read(MatchState, document)
            problems = check(state)
        except (ArithmeticError, LookupError, MatchError) as error:
            raise DocumentError("", f"no state of a match: {error}") from None
        if problems:
            raise DocumentError("", f"no state of a match: {problems[0]}")
        return state


def _steps(state: MatchState) -> Iterator[tuple[Event, MatchState]]:
    at: MatchState | None = state
    while at is not None and at.log.step is not None:
        yield at.log.step, at
        at = at.log.prior


def check_copies(sheet: Sheet, tiles: Counter[Tile], where: str) -> None:
    """Refuses tiles that nobody has read, and more equal ones than the box holds. Raises `MatchError`."""
    for t, count in tiles.items():
        if not t.readable:
            raise MatchError("unread-tile", f"{where}: {t} is not read; say what it is")
        if count > (sheet.jokers if t.is_joker else sheet.copies):
            raise MatchError("too-many-copies", f"{where}: {count} of {t}, more than the box holds")


def check(state: MatchState) -> list[str]:
    """What is wrong with a state, one line each: nothing, for every state that events can lead to."""
    wrong: list[str] = []

    def need(holds: bool, text: str) -> None:
        if not holds:
            wrong.append(text)

    if state.phase is Phase.EMPTY:
        need(state == MatchState(), "a match without players has facts")
        return wrong
    sheet, names = state.rules, state.players
    playing = state.phase in (Phase.READY, Phase.TURN, Phase.COUNTING)
    need(sheet.players_least <= len(names) <= sheet.players_most, "too few or too many players")
    need(len(set(names)) == len(names) and sorted(names) == sorted(state.seats), "seats are not the players'")
    need(all(n in names for n in (state.first, state.next, state.winner) if n is not None), "a stranger plays")
    need(set(state.opened) <= set(names), "a stranger has opened")
    drawing = state.draws or Draws((), ())
    drawers = {*drawing.rivals, *drawing.pending, *(n for n, _ in drawing.drawn)}
    need(drawers <= set(names), "a stranger draws for the start")
    need((state.turn is not None) == (state.phase is Phase.TURN), "a turn and its phase do not go together")
    need(
        (state.ended is not None) == (state.phase is Phase.COUNTING),
        "an end and its phase do not go together",
    )
    need(
        (state.next is not None) == (state.phase is Phase.READY),
        "who is next and the phase do not go together",
    )
    need(state.phase is Phase.TURN or state.clock == ClockState(), "a clock without a turn")
    need(0 <= state.clock.left <= state.clock.limit, "more time left than the turn has")
    if playing:
        need(tuple(n for n, _ in state.racks) == names, "the racks are not the players'")
        held = sum(tiles for _, tiles in state.racks)
        laid = sum(state.table.tiles.values())
        need(state.pool >= 0, "a pool of less than nothing")
        need(
            state.pool + held + laid == sheet.tiles,
            f"pool {state.pool}, racks {held} and table {laid} are not the {sheet.tiles} tiles of the box",
        )
        empty = [n for n, tiles in state.racks if tiles < 1]
        out = state.winner if state.phase is Phase.COUNTING else None
        if state.turn is not None and state.turn.stage is Stage.OUT:
            out = state.turn.player
        need(empty == ([out] if out else []), "an empty rack of somebody who is not out")
        try:
            check_copies(sheet, state.table.tiles, "table")
        except MatchError as error:
            wrong.append(str(error))
    else:
        need(not state.racks and not state.pool and not state.table.sets, "tiles in play between the games")
    if state.turn is not None:
        need(state.turn.player in names and state.turn.number == state.turns, "the turn is nobody's")
    length = games_in_match(sheet, len(names))
    finished = length is not None and sum(g.end is not GameEnd.ABANDONED for g in state.games) >= length
    need(
        finished == (state.phase is Phase.FINISHED),
        "finished, and not all games are in, or the other way round",
    )
    try:
        need(all(sum(row.points) == 0 for row in state.scores.rows), "a row that does not add to zero")
    except DocumentError as error:
        wrong.append(str(error))
    return wrong
