"""The match that is played at this table: its events, its clock, and what each button does.

One thread owns it (the companion's). Every button names its turn, so one that is pressed twice or on a stale page
is refused and changes nothing. Buttons that depend on the tiles take the table as it was read at rest.
"""

from __future__ import annotations

import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee import events
from referee.clock import Clock, ClockPhase, TimeSource
from referee.events import Event, Fact
from referee.judge import Turn, Verdict, judge
from referee.layout import Layout, TileSet
from referee.match import (
    START,
    MatchError,
    MatchState,
    Phase,
    Stage,
    apply,
    counting_events,
    last_turn,
    replay,
    stop_after_restart,
)
from referee.results import Rack
from referee.sheets import Sheet
from referee.tiles import Tile
from webui.store import MemoryStore, Store, StoreAheadError, StoreError

NOTHING_PLAYED = "nothing-played"
PUT_RIGHT = (events.Correction, events.RackCorrected, events.OpeningCorrected, events.TableCorrected)
RETRY_S = 1.0
"""How soon what happens by itself is tried again, where it could not be kept."""
ALIVE_EVERY_S = 1.0
"""How often the record learns that the clock still runs: what a power cut may cost a player."""


class PlayError(ValueError):
    """A button that does nothing now: `reason` is its stable name, the text one plain sentence."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Table:
    """The table as it lies at rest: what the judge is given."""

    layout: Layout
    loose: TileSet = ()


def wall_ms() -> int:
    """Wall time in milliseconds of the epoch, for the record only."""
    return time.time_ns() // 1_000_000


class Play:
    """The match, its clock and its record. `state` is the match as its events leave it."""

    def __init__(
        self,
        store: Store | None = None,
        source: TimeSource = time.monotonic,
        wall: Callable[[], int] = wall_ms,
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        """Goes on with what the store holds; a clock that ran when the machine went down stands where it stood.

        Raises `webui.store.StoreError` where that is no match, or cannot be kept any more.
        """
        self._store = store if store is not None else MemoryStore()
        self._wall, self._new_id = wall, new_id
        self.clock = Clock(source)
        self._source = source
        self._alive = self._try_again = float("-inf")
        self.deadline = 0
        """When the time of the turn runs out, in milliseconds of the time source; only while the clock runs."""
        self.verdict: Verdict | None = None
        """What the referee said last in this turn."""
        kept = self._store.events()
        try:
            self.state = replay(kept) if kept else START
        except MatchError as error:
            self._store.close()
            raise StoreError(f"the match {self._store.name} is damaged: {error}") from None
        if kept:
            self._go_on(self._store.alive() or kept[-1].at)

    def _go_on(self, alive: int) -> None:
        """After a restart: nobody lost time while the machine was off, and the clock waits for somebody to go on."""
        stop = stop_after_restart(self.state, self._new_id(), alive)
        self.clock.restore(self.state.clock, alive)
        if stop is not None:
            self._keep(stop)
        elif self.state.phase is Phase.READY and (turn := self._next_turn(self.state)) is not None:
            # It went down between two turns.
            self._keep(Event(self._new_id(), self._wall(), turn))
            if self.clock.phase is ClockPhase.RUNNING:
                self.pause("restart")

    def close(self) -> None:
        """Nothing more will be kept."""
        self._store.close()

    @property
    def events(self) -> tuple[Event, ...]:
        """The record so far."""
        return self._store.events()

    @property
    def name(self) -> str:
        """What the match is called among those that are kept."""
        return self._store.name

    def start(self, names: Sequence[str], sheet: Sheet, first: str | None) -> None:
        """A new match: who plays, clockwise as they sit, by which rules, who starts. Raises `PlayError`.

        Without ``first`` nothing is dealt yet: the opening draw will say who starts.
        """
        if self.state.phase is not Phase.EMPTY:
            raise PlayError("wrong-phase", "a match is being played already")
        players = events.Players(tuple(names), sheet)
        self._add(players, events.Deal(first)) if first is not None else self._add(players)

    def seats(self, names: Sequence[str]) -> None:
        """Between two games: who sits where, clockwise. Raises `PlayError`."""
        self._add(events.Seats(tuple(names)))

    def opening_draw(self, player: str, tile: Tile) -> None:
        """The tile that somebody drew for the start of a game. Raises `PlayError`."""
        self._add(events.OpeningDraw(player, tile))

    def draws_of(self, player: str) -> int:
        """How often the player has drawn for a start in this match, draws that were taken back among them."""
        facts = (event.fact for event in self.events)
        return sum(isinstance(fact, events.OpeningDraw) and fact.player == player for fact in facts)

    def deal(self, first: str | None) -> None:
        """The next game of the match; without ``first`` the opening draw has said who starts. Raises `PlayError`."""
        self._add(events.Deal(first))

    def on_turn(self, turn: int | None) -> None:
        """Refuses a button that means another turn than the one being played."""
        now = self.state.turn
        if now is None:
            raise PlayError("wrong-phase", "no turn is being played")
        if turn != now.number:
            raise PlayError("stale-turn", "that turn is over")

    def end(self, table: Table) -> Verdict:
        """ "End turn" with the table at rest: the verdict, and if it is legal the next turn. Raises `PlayError`."""
        return self._judged(table)

    def draw(self, table: Table | None = None) -> None:
        """ "Draw": the table has to be as it was, in legal sets; after time over there is no table to look at."""
        turn = self.state.turn
        moved: list[Fact] = []
        if turn is not None and turn.stage is not Stage.MUST_DRAW and table is not None:
            verdict = self._verdict(table)
            if verdict.played:
                many = "a tile was" if len(verdict.played) == 1 else f"{len(verdict.played)} tiles were"
                raise PlayError("tiles-laid", f"{many} laid: end the turn, or take them back first")
            if not verdict.codes <= {NOTHING_PLAYED}:
                self._add(events.TableJudged(turn.number, table.layout, verdict.faults, table.loose))
                self.verdict = verdict
                return
            other = Counter(table.layout.sets) != Counter(turn.before.sets)  # which set is read first says nothing
            if other or turn.stage is Stage.BROKEN:  # what was refused before is put right, and said to be
                moved.append(events.TableJudged(turn.number, table.layout, verdict.faults))
        number = turn.number if turn else 0
        pool = self.state.pool
        drawn = events.Draw(number) if pool or (turn and turn.stage is Stage.MUST_DRAW) else events.Pass(number)
        self._add(*moved, drawn)

    def penalty(self) -> None:
        """Time over on a broken table, which is restored now: the player has drawn. Raises `PlayError`."""
        self._add(events.Penalty(self._number()))

    def out(self) -> None:
        """The player on turn has shown an empty rack. Raises `PlayError`."""
        self._add(events.Out(self._number()))

    def pause(self, why: str = "ruling") -> None:
        """The clock stands. Raises `PlayError`."""
        if self.clock.left == 0:
            raise PlayError("time-over", "time is over")
        self._add(events.ClockPaused(self._number(), why))

    def resume(self) -> None:
        """The clock goes on. Raises `PlayError`."""
        self._add(events.ClockResumed(self._number()))

    def undo(self) -> None:
        """Takes back what was pressed last: in a turn the turn before it, else one event. Raises `PlayError`."""
        last = self.state.log.event
        alone = self.state.turn is None or (last is not None and isinstance(last.fact, PUT_RIGHT))
        self._add(events.Undo(None if alone else last_turn(self.state)))

    def redo(self) -> None:
        """Takes back the last undo. Raises `PlayError`."""
        self._add(events.Redo())

    def blocked(self, proved: bool = False) -> None:
        """Nobody can play any more. Raises `PlayError`."""
        self._add(events.Blocked(proved))

    def abandon(self, why: str) -> None:
        """The game ends without points and is played again (001). Raises `PlayError`."""
        self._add(events.Abandoned(why))

    def count(self, player: str, rack: Rack, as_it_lies: bool = False) -> None:
        """What is left on a rack at the end of the game. Raises `PlayError`.

        With ``as_it_lies`` a rack of another number of tiles than was kept count of is right, and the count was not.
        """
        counted = events.RacksCounted(((player, rack),))
        held = dict(self.state.racks).get(player)
        if not as_it_lies or rack.count is None or held is None or rack.count == held:
            self._add(counted)
            return
        try:
            self._add(events.RackCorrected(player, rack.count), counted)
        except PlayError as error:
            if error.reason != "pool-too-small":
                raise
            # Nobody knows where it came from; its points count all the same.
            self._add(events.RacksCounted(((player, Rack(rack.value(self.state.rules))),)))

    def correct_rack(self, player: str, tiles: int) -> None:
        """How many tiles somebody really holds. Raises `PlayError`."""
        self._add(events.RackCorrected(player, tiles))

    def correct_opening(self, player: str, opened: bool) -> None:
        """Whether somebody has really made the initial meld. Raises `PlayError`."""
        self._add(events.OpeningCorrected(player, opened))

    def correct(self, event: str, fact: Fact) -> None:
        """An earlier event said the wrong thing: all that followed is derived anew. Raises `PlayError`."""
        self._add(events.Correction(event, fact))

    def correct_game(self, game: int, player: str, rack: Rack) -> None:
        """A rack of a game that is on the sheet (`game` is its row, from 1) was really this. Raises `PlayError`."""
        counted = counting_events(self.state)
        if not 1 <= game <= len(counted):
            raise PlayError("no-such-game", f"there is no game {game} on the sheet")
        for event in counted[game - 1]:
            assert isinstance(event.fact, events.RacksCounted)
            racks = dict(event.fact.racks)
            if player in racks:
                self.correct(event.id, events.RacksCounted(tuple({**racks, player: rack}.items())))
                return
        raise PlayError("no-such-rack", f"no rack of {player:.60} was counted in game {game}")

    def tick(self) -> bool:
        """True once when the time of the turn has run out; the table has to be judged then.

        Raises `OSError` where that cannot be kept.
        """
        turn = self.state.turn
        if turn is None:
            return False
        self._sign_of_life()
        if self.clock.phase is not ClockPhase.RUNNING or self.clock.left or not self.may_try:
            return False  # where it could not be kept, the time stays over until it can
        self._keep(Event(self._new_id(), self._wall(), events.TimeOver(turn.number), 0))
        return True

    @property
    def may_try(self) -> bool:
        """Whether it is time to try again what could not be kept."""
        return self._source() >= self._try_again

    def _sign_of_life(self) -> None:
        now = self._source()
        if self.clock.phase is ClockPhase.RUNNING and now - self._alive >= ALIVE_EVERY_S:
            self._alive = now
            self._store.sign_of_life(self._wall())

    def time_over(self, table: Table) -> Verdict:
        """The word on the table as it lay when the time was over."""
        return self._judged(table)

    def _judged(self, table: Table) -> Verdict:
        verdict, number = self._verdict(table), self._number()
        self._add(events.TableJudged(number, table.layout, verdict.faults, table.loose))
        if self._number() == number:
            self.verdict = verdict
        return verdict

    def _verdict(self, table: Table) -> Verdict:
        turn = self.state.turn
        if turn is None:
            raise PlayError("wrong-phase", "no turn is being played")
        question = Turn(
            before=turn.before,
            after=table.layout,
            loose=table.loose,
            opened=turn.player in self.state.opened,
            rack=self.state.rack(turn.player),
        )
        return judge(question, self.state.rules)

    def _number(self) -> int:
        return self.state.turn.number if self.state.turn else 0

    @staticmethod
    def _next_turn(state: MatchState) -> Fact | None:
        """The turn that begins by itself when the one before it is over."""
        if state.phase is not Phase.READY or state.next is None or state.blocked:
            return None
        return events.TurnStarted(state.turns + 1, state.next)

    def _add(self, *facts: Fact) -> None:
        """What happened, and the turn that begins by it: all of it, or nothing. Raises `PlayError` and `OSError`."""
        new = [self._event(fact) for fact in facts]
        putting_back = isinstance(facts[-1], events.Undo | events.Redo)
        after = self._after(new)[-1]
        if not putting_back and (turn := self._next_turn(after)) is not None:
            new.append(Event(self._new_id(), self._wall(), turn))
        self._keep(*new)

    def _event(self, fact: Fact) -> Event:
        return Event(self._new_id(), self._wall(), fact, self.clock.left)

    def _after(self, new: Sequence[Event]) -> list[MatchState]:
        """The states after each of some events. Raises `PlayError`."""
        states, state = [], self.state
        try:
            for event in new:
                state = apply(state, event)
                states.append(state)
        except MatchError as error:
            raise PlayError(error.reason, str(error)) from None
        return states

    def _keep(self, *new: Event) -> None:
        """Lawful, kept, and only then seen. Raises `PlayError` or `OSError`; then nothing has changed."""
        states = self._after(new)
        try:
            self._store.append(*new)
        except StoreAheadError as ahead:
            self._take(ahead.events, self._after(ahead.events))
            raise PlayError("stale-turn", str(ahead)) from None
        except OSError:
            self._try_again = self._source() + RETRY_S
            raise
        self._take(new, states)

    def _take(self, new: Sequence[Event], states: Sequence[MatchState]) -> None:
        for event, after in zip(new, states, strict=True):
            before, self.state = self.state, after
            self._set_clock(before, after, event)
            if after.turn is None or before.turn is None or after.turn.number != before.turn.number:
                self.verdict = None

    def _set_clock(self, before: MatchState, after: MatchState, event: Event) -> None:
        match event.fact:
            case events.TurnStarted():
                self.clock.start(after.clock.limit if after.clock.phase is ClockPhase.RUNNING else None)
            case events.ClockPaused() | events.TimeOver():
                self.clock.restore(after.clock, event.at)  # what was kept, not what it shows a moment later
            case events.ClockResumed():
                self.clock.resume()
            case events.Undo() | events.Redo() | events.Correction():
                self.clock.restore(after.clock, event.at)
            case _ if after.turn is None and before.turn is not None:
                self.clock.stop()
        self.deadline = int(self._source() * 1000) + (self.clock.left or 0)
