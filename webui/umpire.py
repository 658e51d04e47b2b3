"""The umpire: joins the table as it is read with the match that is played on it.

A button that needs the table waits until it lies still, is read, and nothing on it is in doubt; only then the referee
is asked. The umpire lives in the companion's thread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from referee.match import Phase, Stage
from referee.sheets import SheetError, chosen
from referee.snapshot import Placed, Snapshot
from vision.camera import Picture
from vision.cover import Cover
from vision.place import quads_of
from vision.reading import Reading, TileReading
from vision.table import TableView
from vision.tracked import Question, TrackingRules
from vision.tracking import Tracker
from webui.asked import drawn_in, names_in, rack_in, text_in, whole_in
from webui.lines import Lay, Line, Lines
from webui.match_view import match_document
from webui.play import Play, PlayError, Table
from webui.racks import Racks
from webui.restoring import Restoring, moved_lay
from webui.told import TOLD, question_json
from webui.verdicts import table_document

TIME_OVER = "time-over"
ANY_TURN = frozenset(
    ("start", "new", "deal", "seats", "opening-draw", "count", "recount", "rack", "opened", "undo", "redo")
)
"""Buttons that mean no turn of their own."""
NEAR = 0.3
"""How near two outlines are, in widths of a tile, to be of tiles in the same place."""


class Umpire:
    """`see` tells it what lies on the table, `press` what somebody wants, `tick` that time goes by."""

    def __init__(self, play: Play | None = None, new_play: Callable[[], Play] = Play) -> None:
        self.play = play or new_play()
        self._new_play = new_play
        self.scene = 0
        self.version = 0
        """Grows whenever `document` may say something else."""
        self._raw: Reading | None = None
        self._known = False
        self._more = False
        self._waiting = ""
        self._waits_in: tuple[int, int] | None = None
        """The game and the turn in which something is waited for: it means no other."""
        self._notice = self._why = ""
        self._unkept = False
        self._snapshot: tuple[int, Snapshot] | None = None
        self.picture: Picture | None = None
        """The one in which the table was read last."""
        self.restoring, self.racks = Restoring(), Racks()
        self._turn = 0
        self._elsewhere = False
        """Whether no table was seen yet through the camera that looks at it now."""
        self._look_anew()
        self._remember()
        self._go_on_waiting()

    @property
    def reading(self) -> Reading | None:
        """The table at rest, as it was followed and as people corrected it; None while it is not known."""
        lay = self.lay
        return lay.reading if lay is not None else None

    @property
    def lay(self) -> Lay | None:
        """The same with what is asked and was said of sets that touch, or have a gap in them."""
        if not self._known:
            return None
        known = self.tracker.reading
        return self.lines.lay(known, self.racks.aside(self.play.state, known))

    @property
    def questions(self) -> tuple[Question, ...]:
        """What somebody has to say before the referee can say anything; none as long as a better look may tell."""
        return self.tracker.questions if self._known and not self._more else ()

    @property
    def asked(self) -> tuple[Line, ...]:
        """The same of lines of tiles: is it one set or two?"""
        lay = self.lay
        return lay.asked if lay is not None and not self._more else ()

    @property
    def settled(self) -> bool:
        """Whether another look at the same table would tell nothing new."""
        return self.tracker.settled

    def see(
        self,
        reading: Reading,
        scene: int,
        stirred: Cover | None = None,
        more: bool = False,
        still: bool = False,
    ) -> None:
        """The table came to rest and was read.

        ``stirred`` is where something moved since the last reading; ``more`` says that another look will follow, and
        ``still`` that none can: the picture is a single one.
        """
        if still and self.play.state.phase is Phase.EMPTY:
            self._look_anew()  # nobody plays: one photo has nothing to do with the next
        self.tracker.cover(stirred if stirred is not None else Cover.everywhere())
        self._observe(reading)
        if still:
            self._look_again(reading)
        self._raw = reading
        self.scene, self._known, self._more = scene, True, more and not self.tracker.settled
        self.version += 1
        if self._elsewhere and not self._more:
            self._elsewhere = False
            self._remember()
        self._decide()
        self._follow()

    def _look_again(self, reading: Reading) -> None:
        """A tile surely read as another than the one that lay there takes two looks; a single picture gives but one.

        So those tiles, and no others, are shown to the tracker once more.
        """
        sure = [t for t in reading.tiles if not t.unsure]
        unsure = [t for t in self.tracker.reading.tiles if t.unsure]
        again = [look for look in sure if any(_lies_at(look, known) for known in unsure)]
        if again:
            others = [t for t in reading.tiles if t not in again]
            self.tracker.observe(_only(reading, again), still=quads_of(others))

    def _observe(self, reading: Reading) -> None:
        """What lay still and was read well is not read anew: a later misreading of it would only do harm."""
        wanted = self.tracker.to_read(quads_of(reading.tiles))
        fresh = [t for t, is_wanted in zip(reading.tiles, wanted, strict=True) if is_wanted]
        lying = [t for t, is_wanted in zip(reading.tiles, wanted, strict=True) if not is_wanted]
        self.tracker.observe(_only(reading, fresh), still=quads_of(lying))

    def shift(self, homography: np.ndarray) -> None:
        """The camera was nudged: all that is known moves by this (3, 3) homography, pixels before to pixels now."""
        self.tracker.shift(homography)
        if self._snapshot is not None:
            number, lay = self._snapshot
            self._snapshot = number, moved_lay(lay, homography)
        self.restoring.moved(lambda lay: moved_lay(lay, homography))
        self.version += 1

    def leave(self, area: TableView) -> None:
        """Tiles outside this playing area are no part of the table any more."""
        self.tracker.confine(area.inside)
        self.version += 1

    def leave_places(self) -> None:
        """Another camera looks at the table: the same tiles lie there, but nobody knows where in its picture."""
        self.tracker.uproot()
        self._snapshot, self._elsewhere = None, True
        self.restoring.moved(_placeless)
        self.lose_sight()
        self.version += 1

    def lose_sight(self) -> None:
        """Something moves, or the camera has stopped: the table is not known until it is read again."""
        if self._known:
            self._known = False
            self.version += 1

    def tick(self) -> None:
        """Calls out the end of the turn's time, once; the table is judged as soon as it is known.

        Who ended the turn in time and was asked a question loses no time by it.
        """
        self._forget_other_turns()
        if self._waiting == "end" and self._known and (self.questions or self.asked):
            return
        try:
            over = self.play.tick()
        except OSError as error:  # the time stays over, and is said as soon as that can be kept
            self._not_kept(error)
            return
        if over:
            self._await(TIME_OVER)
        if over or (self._unkept and self._waiting == TIME_OVER and self.play.may_try):
            self.version += 1
            self._decide()
            self._follow()
        if self.racks.tick():
            self.version += 1

    def press(self, button: str, data: Mapping[str, Any]) -> None:
        """One button. Raises `PlayError` with the reason where it does nothing now."""
        self._notice = ""
        self.version += 1
        if button in TOLD:
            self._tell(button, data)
            return
        act = self._buttons().get(button)
        if act is None:
            raise PlayError("no-such-button", f"there is no button {button!r:.40}")
        between = self.play.state.turn is None and button in ("blocked", "abandon")
        if button not in ANY_TURN and not button.startswith("rack") and not between:
            self.play.on_turn(whole_in(data, "turn"))
        act(data)
        self._remember()
        self._follow()

    def expect_photo(self, player: str) -> int:
        """A photo of a player's rack is going to be read; its number. Raises `PlayError`."""
        self.version += 1
        return self.racks.expect(self.play.state, player)

    def take_photo(self, player: str, number: int, result: Reading | Exception, jpeg: bytes) -> None:
        """What came of it."""
        self.version += 1
        self.racks.take_photo(self.play.state, player, number, result, jpeg)
        self.racks.follow(self.play.state, None)

    def document(self) -> dict[str, Any]:
        """The part of the state that is the match."""
        self._forget_other_turns()
        state, known = self.play.state, self.reading
        restore = None if self.racks.shown else self.restoring.view(state, known is not None)
        counting = self.racks.view(state, known)
        asks = bool(self._waiting) or self.restoring.guide is not None
        questions, lines = (self.questions, self.asked) if asks else ((), ())
        waits = (len(questions), len(lines)) if self._waiting else (0, 0)
        document = match_document(self.play, restore, counting, self._waiting, self._notice, *waits)
        return {
            **document,
            "noticed": {"reason": self._why, "message": self._notice} if self._notice else None,
            "questions": [question_json(q) for q in questions],
            "lines": [list(line.ids) for line in lines],
        }

    def table(self, picture: int) -> dict[str, Any] | None:
        """What the pages draw of the table as it was read in this picture; None while it is not known."""
        lay = self.lay
        if lay is None:
            return None
        return table_document(lay, self.scene, picture, self.racks.aside(self.play.state, self.tracker.reading))

    def _buttons(self) -> dict[str, Callable[[Mapping[str, Any]], None]]:
        play = self.play
        return {
            "start": self._start,
            "new": self._new,
            "deal": lambda data: play.deal(text_in(data, "first") if data.get("first") is not None else None),
            "seats": lambda data: play.seats(names_in(data)),
            "opening-draw": self._opening_draw,
            "end": lambda data: self._wait("end"),
            "draw": self._draw,
            "pass": self._draw,
            "wait-no-more": lambda data: self._wait_no_more(),
            "penalty": lambda data: play.penalty(),
            "out": lambda data: play.out(),
            "pause": lambda data: play.pause(),
            "resume": lambda data: play.resume(),
            "undo": self._undo,
            "redo": self._redo,
            "blocked": lambda data: play.blocked(self.racks.proved(play.state)),
            "how-it-was": lambda data: self.restoring.ask(play.state, data.get("show") is True),
            **self.racks.buttons(play, self.reading),
            "abandon": lambda data: play.abandon("the table cannot be rebuilt"),
            "count": lambda data: play.count(text_in(data, "player"), rack_in(data)),
            "recount": lambda data: play.correct_game(whole_in(data, "game"), text_in(data, "player"), rack_in(data)),
            "rack": lambda data: play.correct_rack(text_in(data, "player"), whole_in(data, "tiles")),
            "opened": lambda data: play.correct_opening(text_in(data, "player"), data.get("opened") is True),
        }

    def _start(self, data: Mapping[str, Any]) -> None:
        names = names_in(data)
        try:
            sheet = chosen(data.get("rules", "classic"), data.get("options", []))
        except SheetError as error:
            raise PlayError("rules", str(error)) from None
        first = data.get("first")
        self.play.start(names, sheet, " ".join(text_in(data, "first").split()) if first is not None else None)
        self._begin_anew()

    def _opening_draw(self, data: Mapping[str, Any]) -> None:
        player = text_in(data, "player")
        tile = drawn_in(data, self.play.state, self.play.draws_of(player))
        self.play.opening_draw(player, tile)

    def _new(self, data: Mapping[str, Any]) -> None:
        """Another match at this table; one that is not finished is left only if that is said."""
        if self.play.state.phase not in (Phase.EMPTY, Phase.FINISHED) and data.get("anyway") is not True:
            raise PlayError("match-running", "this match is not finished: really begin another?")
        self.play.close()
        self.play, self._waiting = self._new_play(), ""
        self._begin_anew()

    def _begin_anew(self) -> None:
        """Follows the table by the rules of the box that is played with, from what lies there now."""
        self._look_anew()
        self._snapshot, self._turn = None, 0
        self.restoring, self.racks = Restoring(), Racks()
        if self._known and self._raw is not None:
            self.tracker.observe(self._raw)

    def _look_anew(self) -> None:
        """Nothing is known of any tile."""
        sheet = self.play.state.sheet
        self.tracker = Tracker(TrackingRules(sheet.copies, sheet.jokers) if sheet is not None else None)
        self.lines = Lines()

    def _draw(self, data: Mapping[str, Any]) -> None:
        turn = self.play.state.turn
        if turn is not None and turn.time_over:
            if self._waiting == TIME_OVER:
                raise PlayError("stale-table", "the time is over: what lies on the table is judged first")
            self.play.draw()
        else:
            self._wait("draw")

    def _undo(self, data: Mapping[str, Any]) -> None:
        self._waiting = ""
        self.play.undo()

    def _redo(self, data: Mapping[str, Any]) -> None:
        self.play.redo()
        self._go_on_waiting()

    def _go_on_waiting(self) -> None:
        """The time was called out, but the program ended or was taken back before the table was judged."""
        turn = self.play.state.turn
        if turn is not None and turn.time_over and turn.stage is Stage.PLAYING:
            self._await(TIME_OVER)

    def _wait(self, button: str) -> None:
        self._await(button)
        self._decide()

    def _wait_no_more(self) -> None:
        """What was pressed may be taken back; that the time is over may not."""
        if self._waiting != TIME_OVER:
            self._waiting = ""

    def _await(self, button: str) -> None:
        self._waiting, self._waits_in = button, self._this_turn

    @property
    def _this_turn(self) -> tuple[int, int] | None:
        state = self.play.state
        return (state.game, state.turn.number) if state.turn is not None else None

    def _forget_other_turns(self) -> None:
        """What was waited for in a turn that has ended some other way is not done in another."""
        if self._waiting and self._waits_in != self._this_turn:
            self._waiting = ""

    def _decide(self) -> None:
        """Does what was waited for, once the table is known for sure: every tile, and which sets they are."""
        self._forget_other_turns()
        reading = self.reading
        if not self._waiting or reading is None or self._more or self.tracker.questions or self.asked:
            return
        waited, self._waiting = self._waiting, ""
        table = Table(reading.layout(), reading.loose_tiles())
        try:
            if waited == "end":
                self.play.end(table)
            elif waited == "draw":
                self.play.draw(table)
            else:
                self.play.time_over(table)
            self._unkept = False
        except PlayError as error:
            self._notice, self._why = str(error), error.reason
        except OSError as error:
            if waited == TIME_OVER:
                self._waiting = waited  # nobody presses that again
            self._not_kept(error)
        self._remember()

    def _not_kept(self, error: OSError) -> None:
        """Nothing has changed, and the page says why."""
        self._unkept = True
        self._notice, self._why = f"It could not be kept: {error}. Nothing was changed.", "not-kept"
        self.version += 1

    def _tell(self, button: str, data: Mapping[str, Any]) -> None:
        """What somebody says of the table as it lies now."""
        known = self.reading
        if known is None or whole_in(data, "scene") != self.scene:
            raise PlayError("stale-table", "the table has changed since: look again")
        TOLD[button](self.tracker, self.lines, known, data)
        self._decide()
        self._remember()
        self._follow()

    def _remember(self) -> None:
        """Keeps how the table lay when the turn began."""
        turn = self.play.state.turn
        if turn is None or self.racks.shown:
            if self._turn:
                # What lies there now may be from any rack.
                self._turn = 0
                self.tracker.start_turn(None)
            return
        if self._turn != turn.number:
            self._turn = turn.number
            self.tracker.start_turn(self.play.state.rack(turn.player))
        if self._snapshot is not None and self._snapshot[0] == turn.number:
            return
        reading = self.reading
        if reading is not None and reading.layout() == turn.before and not reading.loose:
            self._snapshot = (turn.number, Snapshot.of(reading.to_json()))
            self.restoring.keep(*self._snapshot, self.picture)

    def _follow(self) -> None:
        """The way back and the racks go on with the match and with the table as far as it is known for good."""
        known = self.reading if not self._more else None
        self.restoring.follow(self.play.state, known)
        self.racks.follow(self.play.state, known)


def _placeless(lay: Snapshot) -> Snapshot:
    """A snapshot of which only the sets are known."""

    def there(placed: Placed) -> Placed:
        return replace(placed, quad=None)

    return Snapshot(tuple(tuple(map(there, row)) for row in lay.sets), tuple(map(there, lay.loose)))


def _only(reading: Reading, tiles: Sequence[TileReading]) -> Reading:
    return replace(reading, tiles=tuple(tiles), sets=(), loose=tuple(t.id for t in tiles), warnings=())


def _lies_at(a: TileReading, b: TileReading) -> bool:
    return math.dist(a.centre, b.centre) < NEAR * math.dist(a.quad[0], a.quad[1])
