"""Recording: the game being played as a recorded game (`webui.recorded`), kept in a folder of its own until saved.

What is recorded are the events that were kept and the pictures that were judged: each table at rest, once. All files
are written at a desk; the companion only says what it sees. A disk that is full ends the recording, never the game.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from referee import events as facts
from referee.events import Event, Fact
from referee.layout import Layout
from referee.match import START, MatchState, Phase, apply
from referee.sheets import NAMES, Sheet, SheetError, chosen
from vision.camera import Frame
from vision.reading import Reading
from webui.desk import Desk
from webui.journal import Game, frame_name
from webui.play import Play
from webui.recorded import state_line

MOST_BYTES = 200_000_000
"""What the pictures of one game may take; those that no row needs go first."""
KEPT = 3
"""Games that can still be saved: the newest ones."""
ONE_PRESS_MS = 20
"""A table judged and a tile drawn within this time are one press of "draw"."""
_PLAIN = re.compile(r"[0-9a-zA-Z_-]{1,100}")


@dataclass(frozen=True, slots=True, eq=False)
class Rest:
    """A table at rest as it was read: the picture, the reader's word, and when it was taken (wall time, ms)."""

    frame: Frame
    scene: int
    reading: Reading
    at: int
    corners: tuple[tuple[float, float], ...] | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """An event whose row depends on what comes next: time over on its verdict, a table on whether one draws."""

    event: Event
    before: MatchState
    after: MatchState


class Recorder:
    """Told by the companion's thread what was read (`seen`) and what has happened (`look`); any thread may `save`."""

    def __init__(
        self,
        folder: Path,
        desk: Desk,
        always: bool = False,
        most_bytes: int = MOST_BYTES,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """Records in ``folder/recordings`` and saves in ``folder/games``; ``always``: each game when it is over.

        One that was not over when the program ended is saved as far as it went when it starts again.
        """
        self.working, self.saved = folder / "recordings", folder / "games"
        self._desk, self._always, self._most, self._now = desk, always, most_bytes, now
        self._games: dict[str, Game] = {}
        self._game: Game | None = None
        self._play: Play | None = None
        self._state, self._count = START, 0
        self._held: Held | None = None
        self._rows: list[dict[str, Any]] = []
        self._rest: Rest | None = None
        self._written: Rest | None = None
        self._frame = ""
        self._table = ""
        self._start = self._last = self._frames = 0
        self._newest = 0.0
        self._find()

    # What the companion says

    def seen(self, rest: Rest) -> None:
        """The table came to rest and was read; what came of it is asked about at the next `look`."""
        if self._rest is not None and self._rest.scene != rest.scene and not self._desk.busy:
            self._write_frame()
        self._rest = rest

    def look(self, play: Play, reading: Reading | None) -> None:
        """What has happened since: everything that was kept, in the order in which it was."""
        if reading is not None:
            self._table = str(lying(reading))
        if play is not self._play:
            self._leave()
            self._play, self._state, self._count = play, START, 0
        if len(play.events) == self._count:
            return
        new = play.events[self._count :]
        self._count += len(new)
        for event in new:
            before, self._state = self._state, apply(self._state, event)
            self._take(before, event)
        if self._held is not None and not isinstance(self._held.event.fact, facts.TimeOver):
            self._let_go()
        self._send()

    def close(self) -> None:
        """The companion ends; a game that is not over goes on another time."""
        self._leave(for_good=False)

    # What any thread may ask

    def document(self) -> dict[str, Any]:
        """For the pages: whether it records, what is wrong if anything is, and which games can be saved."""
        game = self._game
        return {
            "recording": game is not None and not game.broken,
            "trouble": game.broken if game is not None else "",
            "games": [
                {"id": name, "match": g.about.get("match", ""), "game": g.about.get("game", 0)}
                for name, g in list(self._games.items())
                if g.rows
            ],
        }

    def save(self, name: str | None = None) -> Future[Path]:
        """A game, the newest unless it is named, as a recorded game. The result is its folder.

        Its errors: `LookupError` where there is no such game, `OSError` where it cannot be saved.
        """

        def job() -> Path:
            games = [g for n, g in list(self._games.items()) if g.rows and name in (None, n)]
            if not games:
                raise LookupError("that game was not recorded, or nothing has been played in it yet")
            return games[-1].save(self.saved)

        return self._desk.ask(job)

    # Events to rows

    def _take(self, before: MatchState, event: Event) -> None:
        fact, after = event.fact, self._state
        if isinstance(fact, facts.Deal):
            self._leave()
            self._begin(event)
            return
        game = self._game
        if game is None:
            return
        if isinstance(fact, facts.TurnStarted):
            self._let_go()
            if self._rows:
                self._rows[-1]["state"] = state_line(seated(after))  # the button before it has begun this turn
        if isinstance(fact, facts.TurnStarted | facts.Seats | facts.OpeningDraw):
            return
        if any(row["event"] == event.id for row in game.rows):  # known from before a restart
            self._held, self._last = None, event.at
            return
        held = self._held
        if held is not None:
            if isinstance(held.event.fact, facts.TimeOver) and isinstance(fact, facts.TableJudged):
                self._held = None
                self._row("time-over", held.before, event, after, fact, at=held.event.at)
                return
            if isinstance(fact, facts.Draw | facts.Pass) and event.at - held.event.at <= ONE_PRESS_MS:
                self._held = None
                self._row(fact.kind, held.before, event, after, held.event.fact, at=held.event.at)
                return
            self._let_go()
        if isinstance(fact, facts.TableJudged | facts.TimeOver):
            self._held = Held(event, before, after)
            return
        for button, player, data in pressed(fact):
            self._row(button, before, event, after, None, player=player, data=data)

    def _let_go(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            fact = held.event.fact
            over = isinstance(fact, facts.TimeOver)
            self._row("time-over" if over else "end", held.before, held.event, held.after, None if over else fact)

    def _row(
        self,
        button: str,
        before: MatchState,
        event: Event,
        after: MatchState,
        judged: Fact | None,
        at: int | None = None,
        player: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> None:
        self._write_frame()
        at = max(self._last, event.at if at is None else at)
        clock, self._last = (at - self._last) / 1000, at
        if player is None:
            player = before.turn.player if before.turn is not None else (before.next or before.winner or "")
        running = before.turn is not None and event.left is not None and button != "time-over"
        over = after.phase in (Phase.SEATED, Phase.FINISHED, Phase.EMPTY)
        points = len(after.games) > len(before.games)
        row = {
            "player": player,
            "button": button,
            "table": self._table,
            "verdict": verdict(judged),
            "clock": f"{clock:.3f}",
            "points": points_line(after) if points else "",
            "frame": self._frame,
            "left": f"{(event.left or 0) / 1000:.3f}" if running else "",
            # What follows the last game of a match, a replay of this one alone cannot tell.
            "state": "" if over else state_line(seated(after)),
            "data": json.dumps(data, ensure_ascii=False) if data else "",
            "event": event.id,
        }
        self._rows.append(row)

    def _send(self) -> None:
        """The rows that are complete."""
        game, rows, self._rows = self._game, self._rows, []
        if game is not None:
            for row in rows:
                self._write(game, partial(_note, game, row))

    # Folders and files

    def _begin(self, deal: Event) -> None:
        """Another game, or the same one after a restart."""
        state = self._state
        if not _PLAIN.fullmatch(deal.id) or state.sheet is None:
            return
        folder = self.working / deal.id
        game = Game.load(folder) if folder.exists() else None
        self._start = self._last = deal.at
        self._written, self._frame, self._frames, self._newest = None, "", 0, 0.0
        if game is not None:
            self._frames = 1 + max((int(f["frame"].partition(".")[0]) for f in game.frames), default=-1)
            self._newest = max((f["seconds"] for f in game.frames), default=0.0)
            if game.frames:
                self._frame = game.frames[-1]["frame"]
                self._table = self._table or game.frames[-1]["table"]
        else:
            game = Game(folder, self._about(state, deal))
        self._game = self._games[deal.id] = game
        self._games.pop(deal.id)
        self._games[deal.id] = game  # the newest stands last
        self._write(game, game.open)
        self._desk.put(self._prune)

    def _about(self, state: MatchState, deal: Event) -> dict[str, Any]:
        rules, options = sheet_document(replace(state.rules, direction=state.direction))
        begun = self._now().strftime("%Y-%m-%d %H-%M")
        return {
            "name": f"{begun} {' '.join(state.seats)}",
            "players": list(state.seats),
            "first": state.next or state.first or state.seats[0],
            "rules": rules,
            "options": options,
            "begun": begun,
            "match": self._play.name if self._play is not None else "",
            "game": state.game,
            "deal": deal.id,
        }

    def _write_frame(self) -> None:
        """The table at rest as it is known now, once."""
        rest, game = self._rest, self._game
        if rest is None or game is None or rest is self._written:
            return
        self._written = rest
        self._newest = max(self._newest, (rest.at - self._start) / 1000)
        name = frame_name(self._frames, rest.frame)
        entry = {"frame": name, "seconds": round(self._newest, 3), "state": "rest", "table": self._table}
        self._frame, self._frames = name, self._frames + 1
        if "corners" not in game.about:
            game.about |= camera_and_area(rest)
            self._write(game, game.open)
        self._write(game, lambda: game.add_frame(entry, rest.frame, rest.reading, self._most))

    def _write(self, game: Game, act: Callable[[], None]) -> None:
        def job() -> None:
            if game.broken:
                return
            try:
                act()
            except OSError as error:
                game.broken = (error.strerror or str(error)).lower()

        self._desk.put(job)

    def _leave(self, for_good: bool = True) -> None:
        """The game is over, or another begins."""
        self._let_go()
        self._send()
        game, self._game = self._game, None
        over = self._state.phase in (Phase.SEATED, Phase.FINISHED)
        if game is not None and self._always and (for_good or over):
            self._write(game, lambda: game.keep_saved(self.saved))

    def _find(self) -> None:
        """The games that were recorded before this program was started."""
        with suppress(OSError):
            for folder in sorted(self.working.iterdir(), key=lambda path: path.stat().st_mtime):
                game = Game.load(folder)
                if game is not None:
                    self._games[folder.name] = game
                    if self._always:  # the program was killed before the game was over
                        self._write(game, partial(game.keep_saved, self.saved))

    def _prune(self) -> None:
        folders = sorted((p for p in self.working.iterdir() if p.is_dir()), key=lambda path: path.stat().st_mtime)
        for old in folders[:-KEPT]:
            if self._game is None or old.name != self._game.name:
                self._games.pop(old.name, None)
                shutil.rmtree(old, ignore_errors=True)


def pressed(fact: Fact) -> list[tuple[str, str | None, dict[str, Any]]]:
    """The buttons that make such an event: button, whose it is (None: the player's on turn), and its data."""
    match fact:
        case facts.RacksCounted(racks=racks):
            return [("count", name, {"player": name, "rack": rack.json()}) for name, rack in racks]
        case facts.RackCorrected(player=player, tiles=tiles):
            return [("rack", None, {"player": player, "tiles": tiles})]
        case facts.OpeningCorrected(player=player, opened=opened):
            return [("opened", None, {"player": player, "opened": opened})]
        case facts.ClockPaused():
            return [("pause", None, {})]
        case facts.ClockResumed():
            return [("resume", None, {})]
        case facts.Abandoned():
            return [("abandon", None, {})]
        case (
            facts.Draw() | facts.Pass() | facts.Penalty() | facts.Out() | facts.Blocked() | facts.Undo() | facts.Redo()
        ):
            return [(fact.kind, None, {})]
    return []  # of the match, not of this game


def verdict(judged: Fact | None) -> str:
    """The referee's word as a row has it: ``legal``, the codes of the faults, or nothing."""
    if not isinstance(judged, facts.TableJudged):
        return ""
    return "+".join(sorted({fault.code for fault in judged.faults})) or "legal"


def lying(reading: Reading) -> Layout:
    """All that lies on the table, a loose tile as a row of its own."""
    return Layout((*reading.layout().sets, *((tile,) for tile in reading.loose_tiles())))


def seated(state: MatchState) -> MatchState:
    """The match as it would be if the score sheet had the players in the order in which they sit."""
    racks = dict(state.racks)
    return replace(state, players=state.seats, racks=tuple((n, racks[n]) for n in state.seats if n in racks))


def points_line(state: MatchState) -> str:
    """The points of the last game on the sheet, as a row has them: ``Anna:20 Ben:-20``."""
    row = dict(zip(state.players, state.scores.rows[-1].points, strict=True))
    return " ".join(f"{name}:{row[name]}" for name in state.seats)


def camera_and_area(rest: Rest) -> dict[str, Any]:
    """The picture's size, and where in it people played when the game began: its corners, or those of all of it."""
    wide, high = rest.frame.size
    corners = rest.corners or ((0, 0), (wide, 0), (wide, high), (0, high))
    return {"camera": {"width": wide, "height": high}, "corners": [list(corner) for corner in corners]}


def sheet_document(sheet: Sheet) -> tuple[Any, list[str]]:
    """A rule sheet as game.json has it: a bundled name with its options, or a profile object."""
    for name in NAMES:
        with suppress(SheetError):  # an option that this one does not know
            if chosen(name, sheet.options) == sheet:
                return name, list(sheet.options)
    return {key: value for key, value in sheet.mapping().items() if key != "sources"}, []


def _note(game: Game, row: dict[str, Any]) -> None:
    if not row["frame"]:
        raise OSError("there was no picture of the table")
    game.note("row", row)
