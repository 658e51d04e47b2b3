"""The racks at the end of a game: read by the camera or from a photo, put right by hand, and entered on the sheet.

Also before the end, where the pool is empty and all want to know whether anybody can play: then all racks are shown.
A rack is a draft until it is entered. What lay on the table is not counted.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.match import MatchState, Phase, Stage, possible
from referee.results import GameEnd, Rack, rack_value
from referee.tiles import Tile, TileError
from vision.reading import Quad, Reading, TileReading
from webui.blocked import BlockedCheck, Question
from webui.play import Play, PlayError

IN_PLACE = 0.5
"""A tile so near (in its widths) to where an equal one lay on the table is that one."""
MOST_TILES = 110
"""More lie on no rack."""
MOST_PHOTOS = 3
"""Photos that wait to be read."""


@dataclass(frozen=True, slots=True)
class RackTile:
    """One tile of a draft; ``quad`` is its outline (pixels) in the picture that it was read from."""

    id: int
    tile: Tile
    unsure: bool = False
    alternatives: tuple[Tile, ...] = ()
    quad: Quad | None = None

    def json(self, many: bool) -> dict[str, Any]:
        return {
            "id": self.id,
            "tile": str(self.tile),
            "unsure": self.unsure or not self.tile.readable or many,
            "many": many,
            "alternatives": [{"tile": str(t)} for t in self.alternatives],
            "quad": self.quad,
        }


@dataclass(frozen=True, slots=True)
class Draft:
    """A rack as far as it is known. ``source`` is ``camera``, ``photo`` or ``hand``; ``photo`` the number of its
    picture, ``size`` that picture's width and height; ``waits`` the number of a photo that is being read;
    ``trouble`` is ``failed`` where one could not be, ``no-tiles`` where it shows none.
    """

    tiles: tuple[RackTile, ...] = ()
    source: str = "hand"
    photo: int | None = None
    size: tuple[int, int] | None = None
    waits: int | None = None
    trouble: str = ""
    left_out: int = 0
    """Tiles in the picture that lay on the table."""

    @property
    def faces(self) -> tuple[Tile, ...]:
        return tuple(t.tile for t in self.tiles)

    @property
    def sure(self) -> bool:
        return self.waits is None and not any(t.unsure or not t.tile.readable for t in self.tiles)


class Racks:
    """The drafts of one game, and whether anybody could have played. Lives in the companion's thread."""

    def __init__(self, check: BlockedCheck | None = None) -> None:
        self.check = check or BlockedCheck()
        self.shown = False
        """Whether the racks are shown before the end of the game, to see if anybody can play."""
        self._drafts: dict[str, Draft] = {}
        self._pictures: dict[str, tuple[int, bytes]] = {}
        self._of: tuple[int, int] = (0, 0)
        self._table: Reading | None = None
        self._number = 0

    # What happens at the table

    def follow(self, state: MatchState, reading: Reading | None) -> None:
        """The match went on, or the table was read (None: it is not known now)."""
        playing = state.phase in (Phase.READY, Phase.TURN)
        of = (len(state.games), state.turns)
        if playing and of != self._of:
            self.shown = False
            self._clear()
            self.check.forget()
        if state.phase in (Phase.SEATED, Phase.FINISHED, Phase.EMPTY):
            self.shown = False
            self._clear()
        if playing or state.phase is Phase.COUNTING:
            self._of = of
        if reading is not None and state.table.tiles == Counter(t.tile for t in reading.tiles):
            self._table = reading
        self._drop_old_answer(state)

    def _clear(self) -> None:
        self._drafts, self._pictures, self._table = {}, {}, None

    def _drop_old_answer(self, state: MatchState) -> None:
        """An answer for other racks is none."""
        asked = self.check.question
        if asked is not None and state.phase in (Phase.READY, Phase.TURN, Phase.COUNTING):
            now = self._question(state)
            if now is None or now != asked:
                self.check.forget()

    def tick(self) -> bool:
        """Whether there is something new to show."""
        return self.check.tick()

    # Buttons

    def buttons(self, play: Play, reading: Reading | None) -> dict[str, Callable[[Mapping[str, Any]], None]]:
        """What each button does; ``reading`` is the table as it lies now. They raise `PlayError`."""
        return {
            "racks-show": lambda data: self._show(play),
            "racks-hide": lambda data: self._hide(),
            "racks-check": lambda data: self._check(play.state),
            "rack-look": lambda data: self._look(play.state, _player(play.state, data), reading),
            "rack-tile": lambda data: self._name(play.state, _player(play.state, data), data),
            "rack-drop": lambda data: self._drop(_player(play.state, data)),
            "rack-enter": lambda data: self._enter(play, _player(play.state, data), data),
        }

    def _show(self, play: Play) -> None:
        if not may_show(play.state):
            raise PlayError("wrong-phase", "racks are shown when the pool is empty, or when the game is over")
        if "clock-paused" in possible(play.state):
            play.pause("racks")
        self.shown = True

    def _hide(self) -> None:
        self.shown = False
        self._drafts, self._pictures = {}, {}
        self.check.forget()

    def _open(self, state: MatchState, player: str) -> None:
        if state.phase is not Phase.COUNTING and not self.shown:
            raise PlayError("wrong-phase", "racks are secret until the game is over")
        if player in dict(state.counted):
            raise PlayError("counted-before", f"{player}'s rack is on the sheet already")

    def _look(self, state: MatchState, player: str, reading: Reading | None) -> None:
        self._open(state, player)
        if reading is None:
            raise PlayError("not-at-rest", "wait until the table lies still")
        found = self.extra(state, reading)
        if not found:
            raise PlayError("no-tiles", "nothing lies before the camera besides the table")
        left_out = len(reading.tiles) - len(found)
        self._take(player, found, Draft(source="camera", size=(reading.width, reading.height), left_out=left_out))

    def _take(self, player: str, found: Sequence[TileReading], draft: Draft) -> None:
        tiles = tuple(
            RackTile(self._next(), t.tile, t.unsure, tuple(tile for tile, _ in t.alternatives), t.quad)
            for t in _as_people_read(found)
        )
        self._drafts[player] = replace(draft, tiles=tiles)

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _name(self, state: MatchState, player: str, data: Mapping[str, Any]) -> None:
        """A tile of the draft is what somebody says, is none (None), or is one more (no id)."""
        self._open(state, player)
        text, at = data.get("tile"), data.get("id")
        draft = self._drafts.get(player, Draft())
        try:
            tile = None if text is None else Tile.parse(text)
        except TileError as error:
            raise PlayError("no-such-tile", str(error)) from None
        if tile is not None and not tile.readable:
            raise PlayError("no-such-tile", f"a tile such as r5 or j, not {tile}")
        if at is None and tile is not None:
            if len(draft.tiles) >= MOST_TILES:
                raise PlayError("racks", "no rack holds so many tiles")
            self._drafts[player] = replace(draft, tiles=(*draft.tiles, RackTile(self._next(), tile)))
            return
        if not any(t.id == at for t in draft.tiles):
            raise PlayError("stale-rack", "that tile is not on the rack any more")
        changed = [replace(t, tile=tile or t.tile, unsure=False) if t.id == at else t for t in draft.tiles]
        self._drafts[player] = replace(draft, tiles=tuple(t for t in changed if t.id != at or tile is not None))

    def _drop(self, player: str) -> None:
        self._drafts.pop(player, None)
        self._pictures.pop(player, None)

    def _enter(self, play: Play, player: str, data: Mapping[str, Any]) -> None:
        """What somebody saw on the page and found right goes on the sheet."""
        self._open(play.state, player)
        draft = self._drafts.get(player, Draft())
        if data.get("tiles") != [str(t) for t in draft.faces]:
            raise PlayError("stale-rack", "the rack has changed meanwhile: look again")
        if not draft.sure:
            raise PlayError("racks", "a tile is not sure: tap on it and say what it is")
        play.count(player, Rack.of(draft.faces), as_it_lies=True)

    # Photos

    def expect(self, state: MatchState, player: str) -> int:
        """A photo of a rack was sent and is going to be read; its number. Raises `PlayError`."""
        _known(state, player)
        self._open(state, player)
        if sum(d.waits is not None for d in self._drafts.values()) >= MOST_PHOTOS:
            raise PlayError("busy", "other photos are being read: try again in a moment")
        number = self._next()
        self._drafts[player] = replace(self._drafts.get(player, Draft()), waits=number, trouble="")
        return number

    def take_photo(
        self, state: MatchState, player: str, number: int, result: Reading | Exception, jpeg: bytes
    ) -> None:
        """What came of it. A photo that nobody waits for any more is left."""
        draft = self._drafts.get(player)
        if draft is None or draft.waits != number:
            return
        if not isinstance(result, Reading):
            self._drafts[player] = replace(draft, waits=None, trouble="failed")
            return
        found = _besides_table(state, result, state.rack(player))
        if not found:
            self._drafts[player] = replace(draft, waits=None, trouble="no-tiles")
            return
        self._pictures[player] = (number, jpeg)
        size, left_out = (result.width, result.height), len(result.tiles) - len(found)
        self._take(player, found, Draft(source="photo", photo=number, size=size, left_out=left_out))

    def picture(self, number: int) -> bytes | None:
        """A photo of a rack, as JPEG."""
        return next((jpeg for n, jpeg in self._pictures.values() if n == number), None)

    # What lies there besides the table

    def extra(self, state: MatchState, reading: Reading) -> list[TileReading]:
        """The tiles before the camera that did not lie on the table when the game ended."""
        if self._table is None:
            return _besides_table(state, reading, None)
        lay = {t.id: t for t in self._table.tiles}
        if sum(t.id in lay for t in reading.tiles) * 2 < len(lay):
            # The table is not in the picture, or the tiles were not followed there.
            return _besides_table(state, reading, None)
        still = Counter(lay[t.id].tile for t in reading.tiles if t.id in lay)
        lacking = Counter(t.tile for t in lay.values()) - still
        found = []
        for t in reading.tiles:
            if t.id in lay:
                continue
            if lacking[t.tile] > 0 and any(t.tile == o.tile and _near(t, o) for o in lay.values()):
                lacking[t.tile] -= 1
                continue
            found.append(t)
        return found

    def aside(self, state: MatchState, reading: Reading) -> frozenset[int]:
        """While racks are counted or shown, the tiles that are no part of the table: nobody judges them, by id."""
        if state.phase is not Phase.COUNTING and not self.shown:
            return frozenset()
        return frozenset(t.id for t in self.extra(state, reading))

    # Whether anybody could play

    def _question(self, state: MatchState) -> Question | None:
        """All racks with the table, None as long as one is not known."""
        faces = {name: rack.faces for name, rack in state.counted}
        racks = []
        for name in state.players:
            draft = self._drafts.get(name)
            known = faces.get(name) or (draft.faces if draft is not None and draft.sure and draft.tiles else None)
            if known is None:
                return None
            racks.append((name, tuple(sorted(known))))
        return Question(state.table, tuple(racks), state.rules, state.opened)

    def _check(self, state: MatchState) -> None:
        blocked = state.phase is Phase.COUNTING and state.ended is GameEnd.BLOCKED
        if not self.shown and not blocked:
            raise PlayError("wrong-phase", "that is asked when the pool is empty and all racks are shown")
        question = self._question(state)
        if question is None:
            raise PlayError("racks", "first every rack has to be known, with no tile in doubt")
        self.check.ask(question)

    def proved(self, state: MatchState) -> bool:
        """Whether it is proved for these racks and this table that nobody can play."""
        return self.check.blocked is True and self.check.question == self._question(state)

    # What is shown

    def view(self, state: MatchState, reading: Reading | None) -> dict[str, Any] | None:
        """Whose racks are in, the drafts, and what lies before the camera besides the table; None: nothing to show.

        ``mode`` is ``end`` when a game is over, ``check`` when racks are shown before, ``offer`` when they may be,
        ``after`` when only the answer to "is anybody really blocked?" is left to show.
        """
        counting = state.phase is Phase.COUNTING
        if not counting and not self.shown:
            if self.check.state and state.phase in (Phase.SEATED, Phase.FINISHED):
                return {"mode": "after", "racks": [], "seen": None, "check": {"may": False, **self.check.document()}}
            return {"mode": "offer", "racks": [], "seen": None, "check": None} if may_show(state) else None
        counted = dict(state.counted)
        names = [n for n in state.players if n != state.winner]
        many = self._too_many(state)
        asks = self.shown or state.ended is GameEnd.BLOCKED
        check = {"may": self._question(state) is not None, **self.check.document()} if asks else None
        return {
            "mode": "end" if counting else "check",
            "racks": [self._rack(state, n, counted.get(n), many) for n in names],
            "seen": self._seen(state, reading),
            "check": check,
        }

    def _rack(self, state: MatchState, name: str, counted: Rack | None, many: Counter[Tile]) -> dict[str, Any]:
        held, draft = state.rack(name), self._drafts.get(name)
        document: dict[str, Any] = {
            "name": name,
            "tiles": held,
            "value": counted.value(state.rules) if counted is not None else None,
            "faces": [str(t) for t in counted.faces] if counted is not None and counted.faces is not None else None,
            "draft": None,
        }
        if draft is not None and counted is None:
            readable = all(t.tile.readable for t in draft.tiles)
            document["draft"] = {
                "tiles": [t.json(many[t.tile] > 0) for t in draft.tiles],
                "value": rack_value(state.rules, draft.faces) if readable else None,
                "sure": draft.sure and bool(draft.tiles),
                "differs": bool(draft.tiles) and len(draft.tiles) != held,
                "source": draft.source,
                "photo": draft.photo,
                "image": None if draft.size is None else {"width": draft.size[0], "height": draft.size[1]},
                "waits": draft.waits is not None,
                "trouble": draft.trouble,
                "left_out": draft.left_out,
            }
        return document

    def _too_many(self, state: MatchState) -> Counter[Tile]:
        """Kinds of which the racks and the table hold more than the box."""
        there: Counter[Tile] = Counter(state.table.tiles)
        for rack in dict(state.counted).values():
            there.update(rack.faces or ())
        for name, draft in self._drafts.items():
            if name not in dict(state.counted):
                there.update(draft.faces)
        sheet = state.rules
        return Counter(
            {t: n for t, n in there.items() if t.readable and n > (sheet.jokers if t.is_joker else sheet.copies)}
        )

    def _seen(self, state: MatchState, reading: Reading | None) -> dict[str, Any] | None:
        if reading is None:
            return None
        found = self.extra(state, reading)
        return {"count": len(found), "doubts": sum(t.unsure or not t.tile.readable for t in found)}


def may_show(state: MatchState) -> bool:
    """Whether the racks may be shown before the game is over: the pool is empty and no turn hangs in the air."""
    if state.phase not in (Phase.READY, Phase.TURN) or state.pool:
        return False
    return state.turn is None or state.turn.stage is Stage.PLAYING


def _besides_table(state: MatchState, reading: Reading, held: int | None) -> list[TileReading]:
    """What is no part of the table's sets, where most of them are in the picture; with ``held`` tiles, everything."""
    if held is not None and len(reading.tiles) == held:
        return list(reading.tiles)
    sets = Counter(tuple(sorted(row)) for row in state.table.sets)
    table: set[int] = set()
    for row in reading.sets:
        key = tuple(sorted(reading[n].tile for n in row))
        if sets[key] > 0:
            sets[key] -= 1
            table.update(row)
    whole = sum(len(row) for row in state.table.sets)
    if len(table) * 2 < whole:
        return list(reading.tiles)
    rest = [t for t in reading.tiles if t.id not in table]
    # The tiles of sets that were not read as they lie.
    lacking: Counter[Tile] = Counter(state.table.tiles) - Counter(reading[n].tile for n in table)
    found = []
    for t in rest:
        if lacking[t.tile] > 0 and not (held is not None and len(rest) <= held):
            lacking[t.tile] -= 1
        else:
            found.append(t)
    return found


def _as_people_read(tiles: Sequence[TileReading]) -> list[TileReading]:
    """Line by line as the picture shows them, so that they are easy to compare."""
    lines: list[list[TileReading]] = []
    for t in sorted(tiles, key=lambda t: t.centre[1]):
        high = math.dist(t.quad[0], t.quad[3])
        if lines and t.centre[1] - lines[-1][0].centre[1] < high / 2:
            lines[-1].append(t)
        else:
            lines.append([t])
    return [t for line in lines for t in sorted(line, key=lambda t: t.centre[0])]


def _near(one: TileReading, other: TileReading) -> bool:
    return math.dist(one.centre, other.centre) < IN_PLACE * math.dist(one.quad[0], one.quad[1])


def _player(state: MatchState, data: Mapping[str, Any]) -> str:
    name = data.get("player")
    if not isinstance(name, str):
        raise PlayError("bad-request", "player is missing")
    _known(state, name)
    return name


def _known(state: MatchState, name: str) -> None:
    if name not in state.players:
        raise PlayError("no-such-player", f"{name!r:.60} does not play")
    if name == state.winner:
        raise PlayError("no-such-player", f"{name} has no tile left")
