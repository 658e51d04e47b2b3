"""Writes the scripts of the bundled games: seeded deals, played by the referee's own moves, each end of a turn in them.

    python datasets/author.py [NAME…]        (then: tilekeeper render game datasets/games/NAME/script.toml)

The same program writes the same scripts. A game's plan names the moments it must have; a deal in which one of them
cannot happen is put back and dealt anew from the next seed.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

from referee.clock import ClockPhase
from referee.layout import Layout, TileSet
from referee.match import Phase, Stage
from referee.moves import MovesError, Objective, Position, any_play, best_play
from referee.results import Rack
from referee.sets import readings
from referee.sheets import chosen
from referee.tiles import ALL_TILES, Tile
from webui.play import Play, Table
from webui.recorded import state_line
from webui.replay import RecordedTime, points_line, said_since

HAND_STAYS = 2.3
"""Seconds from a button pressed with a hand over the table until it is judged."""
GAMES = Path(__file__).parent / "games"


class UnsuitedError(Exception):
    """This deal does not give the moments that are wanted."""


class Author:
    """One game being written: the match as the referee has it, and the tiles that nobody sees."""

    def __init__(self, plan: Plan, seed: int) -> None:
        self.plan, self.rng, self.seed = plan, random.Random(seed), seed
        self.time = RecordedTime()
        self.play = Play(source=self.time, wall=self.time.wall)
        self.sheet = chosen(plan.rules, plan.options)
        self.play.start(plan.players, self.sheet, plan.players[0])
        self.rows: list[dict[str, Any]] = []
        self.wanted = list(plan.moments)
        self.table = Layout()
        self.coming: dict[str, Any] = {}
        """What the next row with another table brings along: a hand more, another lamp."""
        self.waited = 0.0
        self.deal()

    def deal(self) -> None:
        box = [t for t in ALL_TILES for _ in range(self.sheet.jokers if t.is_joker else self.sheet.copies)]
        self.rng.shuffle(box)
        self.racks: dict[str, list[Tile]] = {n: [] for n in self.plan.players}
        for rack in self.racks.values():
            for _ in range(self.plan.lucky):
                meld = next(melds(self.rng.sample(box, len(box))[:40]))
                rack.extend(meld)
                for tile in meld:
                    box.remove(tile)
            while len(rack) < self.sheet.tiles_dealt:
                rack.append(box.pop())
        self.pool = box

    # What is known

    @property
    def state(self) -> Any:
        return self.play.state

    @property
    def who(self) -> str:
        assert self.state.turn is not None
        return str(self.state.turn.player)

    @property
    def rack(self) -> list[Tile]:
        return self.racks[self.who]

    @property
    def opened(self) -> bool:
        return self.who in self.state.opened

    def position(self) -> Position:
        """As the player on turn has it, whatever was tried in this turn."""
        return Position(self.table_before(), tuple(self.rack), self.sheet, self.opened)

    # Buttons

    def press(
        self,
        button: str,
        act: Callable[[], Any],
        table: Layout | None = None,
        clock: float | None = None,
        player: str = "",
        **more: Any,
    ) -> str:
        """One row: the seconds go by, the button is pressed; what the referee said."""
        player = player or (self.who if self.state.turn else self.plan.players[0])
        table = self.table if table is None else table
        left, running = self.play.clock.left, self.play.clock.phase is ClockPhase.RUNNING
        if clock is None:
            clock = self.rng.randrange(16, 68) / 2
            if left is not None:
                clock = min(clock, max(5.0, left / 1000 - self.rng.randrange(8, 20)))
        self.time.now += clock
        clock, self.waited = clock + self.waited, 0.0
        row: dict[str, Any] = {"player": player, "button": button, "table": str(table), "clock": clock}
        if self.play.clock.left is not None and button != "time-over":
            row["left"] = self.play.clock.left / 1000
        if running and button != "time-over" and self.play.clock.left == 0:
            raise UnsuitedError("the time ran out")
        since = len(self.play.events)
        changed = table != self.table
        if changed and self.coming.get("early"):
            if button != "end":
                self.coming.pop("early")
            else:
                self.time.now += HAND_STAYS
                self.waited = HAND_STAYS
        act()
        row["verdict"] = said_since(self.play, since)
        row["state"] = state_line(self.state)
        row |= more
        if changed and self.coming:
            row |= self.coming
            self.coming = {}
        self.rows.append(row)
        self.table = table
        return str(row["verdict"])

    def end(self, table: Layout, clock: float | None = None, **more: Any) -> str:
        laid = table.tiles - self.table_before().tiles
        who = self.who
        said = self.press("end", lambda: self.play.end(lying(table)), table, clock, **more)
        if said == "legal":
            self._lay(who, laid)
        return said

    def table_before(self) -> Layout:
        turn = self.state.turn
        return turn.before if turn else self.table

    def _lay(self, who: str, laid: Counter[Tile]) -> None:
        for tile in laid.elements():
            self.racks[who].remove(tile)

    def _take(self, who: str, many: int) -> None:
        for _ in range(min(many, len(self.pool))):
            self.racks[who].append(self.pool.pop())

    def draw(self, clock: float | None = None) -> None:
        who, table = self.who, self.table
        act = self.state.turn.stage is Stage.MUST_DRAW
        button = "draw" if self.pool or act else "pass"
        many = self.state.owes
        self.press(button, lambda: self.play.draw(None if act else lying(table)), clock=clock)
        if button == "draw":
            self._take(who, many)

    def time_over(self, table: Layout) -> str:
        left = self.play.clock.left
        assert left is not None

        def act() -> None:
            assert self.play.tick()
            self.play.time_over(lying(table))

        laid, who = table.tiles - self.table_before().tiles, self.who
        said = self.press("time-over", act, table, left / 1000)
        if said == "legal":
            self._lay(who, laid)
        return said

    # Turns

    def natural(self) -> None:
        """The best play, or none; players who think less lay what they see first, or nothing."""
        if self.rng.random() < self.plan.idle:
            self.draw()
            return
        if self.plan.idle and self.opened:
            meld = next(melds(self.rack), None)
            if meld is None:
                self.draw()
            elif self.end(Layout((*self.table.sets, meld))) != "legal":
                raise UnsuitedError("a meld is not legal")
            return
        play = best_play(self.position())
        if not play.playable:
            self.draw()
            return
        freed = frees_joker(self.table_before(), play.table)
        if self.end(play.table) != "legal":
            raise UnsuitedError("the judge does not take the best play")
        if freed:
            self.plan_done("joker")
        if self.state.turn is not None and self.state.turn.stage is Stage.OUT:
            self.press("out", self.play.out, clock=4.0)

    def plan_done(self, what: str) -> None:
        if what in self.wanted:
            self.wanted.remove(what)

    def low(self) -> bool:
        """An opening too low is refused, and the tiles are taken back."""
        if self.opened:
            return False
        meld = next((m for m in melds(self.rack) if sum(t.number for t in m) < self.sheet.initial_meld), None)
        if meld is None:
            return False
        before = self.table
        said = self.end(Layout((*before.sets, meld)), clock=17.0)
        if said != "opening-too-low":
            raise UnsuitedError(said)
        play = best_play(self.position())
        if play.playable:
            self.end(play.table, clock=21.5)
        else:
            self.take_back(before)
        return True

    def take_back(self, before: Layout) -> None:
        """The tiles go back to the rack, the referee sees that the table is as it was, and the player draws."""
        who = self.who
        self.end(before, clock=12.0)
        if self.who != who or self.state.turn.stage is not Stage.PLAYING:
            raise UnsuitedError("the table is not as it was")
        self.draw(clock=6.0)

    def wrong(self) -> bool:
        """ "End turn" on an illegal table, put right while the clock runs."""
        play = best_play(self.position())
        if not play.playable or not self.opened:
            return False
        left = Counter(self.rack) - Counter(play.played)
        for n, row in enumerate(play.table.sets):
            for tile in sorted(left, key=str):
                longer = (*row, tile)
                if len(longer) <= 6 and not readings(longer) and not tile.is_joker:
                    rows = (*play.table.sets[:n], longer, *play.table.sets[n + 1 :])
                    if self.end(Layout(rows), clock=22.0) == "legal":
                        raise UnsuitedError("it was legal")
                    self.end(play.table, clock=14.5)
                    return True
        return False

    def late(self) -> bool:
        """Time is over on a legal table: what was laid stays, and one is drawn."""
        play = any_play(self.position())
        if not play.playable or len(self.rack) - len(play.played) < 2:
            return False
        if self.time_over(play.table) != "legal":
            raise UnsuitedError("it is not legal")
        self.draw(clock=5.5)
        return True

    def broken(self, give_up: bool = False) -> bool:
        """Time is over on a broken table: restored, own tiles taken back, three drawn (or what is there)."""
        before = self.table
        rows = [list(row) for row in before.sets]
        long = [n for n, row in enumerate(rows) if len(row) == 3]
        if len(rows) < 3 or not long or len(self.rack) < 3:
            return False
        first = long[0]
        taken = rows[first].pop()
        if give_up and len(rows) > 3:
            rows[first], rows[first - 1] = rows[first][:1] + rows[first - 1][1:], rows[first - 1][:1] + rows[first][1:]
        own = [t for t in self.rack if not t.is_joker][:2]
        broken = Layout((*(tuple(r) for r in rows if r), (*own, taken)))
        if self.time_over(broken) == "legal":
            raise UnsuitedError("it was legal")
        who, many = self.who, self.state.owes
        if give_up:
            return True
        self.press("penalty", self.play.penalty, before, 24.0)
        self._take(who, many)
        return True

    def short(self) -> bool:
        """The same with fewer tiles in the pool than are to be drawn."""
        return 0 < len(self.pool) < self.sheet.broken_table_draw and self.broken()

    def back(self) -> bool:
        """Tiles that make no set are laid, refused, and taken back; one is drawn."""
        before, own = self.table, [t for t in self.rack if not t.is_joker][:2]
        if not before.sets:
            return False
        if self.end(Layout((*before.sets, tuple(own))), clock=25.0) == "legal":
            raise UnsuitedError("it was legal")
        self.take_back(before)
        return True

    def ruling(self) -> bool:
        """The clock stops while a ruling is discussed, for longer than the turn had left."""
        if not best_play(self.position()).playable:
            return False
        self.press("pause", self.play.pause, clock=19.0)
        self.press("resume", self.play.resume, clock=75.0)
        self.natural()
        return True

    def undo(self) -> bool:
        """The last turn is taken back: its player thought better of it, and plays otherwise."""
        play = any_play(self.position())
        better = best_play(self.position(), Objective.POINTS)
        if not play.playable or len(play.played) >= len(self.rack) or play.table.tiles == better.table.tiles:
            return False
        who = self.who
        racks = {n: list(r) for n, r in self.racks.items()}
        self.end(play.table, clock=15.0)
        if self.state.turn is None or self.state.turn.player == who:
            raise UnsuitedError("the turn did not end")
        self.press("undo", self.play.undo, clock=6.0)
        self.racks = racks
        self.press("resume", self.play.resume, clock=5.0, player=who)
        if self.end(better.table, clock=20.0) != "legal" or self.state.phase is not Phase.TURN:
            raise UnsuitedError("not legal")
        return True

    def miscounted(self) -> bool:
        """A rack that was counted wrong is put right by hand: a tile too many was drawn."""
        names = [n for n in self.plan.players if n != self.who]
        name = names[0]
        many = len(self.racks[name]) + 1
        data = json.dumps({"player": name, "tiles": many})
        self.press("rack", lambda: self.play.correct_rack(name, many), clock=8.0, data=data)
        self._take(name, 1)
        self.natural()
        return True

    def hopeless(self) -> bool:
        """A table that nobody can rebuild ends the game without points; it is played again."""
        if len(self.table) < 5 or not self.broken(give_up=True):
            return False
        self.press("abandon", lambda: self.play.abandon("the table cannot be rebuilt"), clock=90.0)
        first = self.state.first or self.plan.players[0]
        data = json.dumps({"first": first})
        self.deal()
        self.press("deal", lambda: self.play.deal(first), Layout(), 120.0, player=first, data=data)
        return True

    def passing(self) -> bool:
        """The pool is empty and nobody plays: all pass, the game is blocked."""
        if self.pool or any(not r for r in self.racks.values()):
            return False
        while not self.state.blocked:
            self.draw()
        self.press("blocked", self.play.blocked, clock=6.0, player=self.plan.players[0])
        return True

    # The end

    def count(self) -> None:
        """Each loser's tiles are laid face up beside the table and counted."""
        winner = self.state.winner
        losers = [n for n in self.plan.players if n != winner]
        for name in losers:
            rack = sorted(self.racks[name], key=lambda t: (t.colour, t.number))
            widest = max(len(row) for row in self.table.sets)
            shown = Layout((*self.base.sets, *chunks(rack, widest)))
            data = json.dumps({"player": name, "rack": [str(t) for t in rack]})
            self.press("count", lambda n=name, r=rack: self.play.count(n, Rack.of(r)), shown, 20.0, name, data=data)
        self.rows[-1]["points"] = points_line(self.play)

    def write(self) -> str:
        """Plays it by the plan. Raises `UnsuitedError`."""
        turns_since = 0
        try:
            for _ in range(self.plan.longest):
                if self.state.phase is not Phase.TURN:
                    break
                self._bring_along()
                if turns_since >= self.plan.apart and self._moment():
                    turns_since = 0
                    continue
                turns_since += 1
                if self.state.phase is Phase.TURN:
                    self.natural()
        except MovesError as error:
            raise UnsuitedError(str(error)) from None
        if self.state.phase is not Phase.COUNTING or self.wanted:
            raise UnsuitedError(f"not over after {len(self.rows)} rows; wanted {self.wanted}")
        self.base = self.table
        self.count()
        turns = self.state.turns
        long = len(self.rows) > self.plan.most_rows
        if turns < self.plan.shortest or long or max(len(r["table"].split("|")) for r in self.rows) > self.plan.sets:
            raise UnsuitedError("too short, too long, or too many sets")
        return "\n".join(self._lines())

    def _moment(self) -> bool:
        for what in [w for w in self.wanted if w != "joker"]:
            if getattr(self, what)():
                self.plan_done(what)
                return True
        return False

    def _bring_along(self) -> None:
        turn = self.state.turns
        if turn in self.plan.brings:
            self.coming |= self.plan.brings[turn]

    def _lines(self) -> Iterator[str]:
        plan = self.plan
        yield f"# {plan.about}"
        yield f"# Written by datasets/author.py from seed {self.seed}."
        yield f"players = {json.dumps(list(plan.players))}"
        yield f"rules = {toml(plan.rules)}"
        if plan.options:
            yield f"options = {json.dumps(list(plan.options))}"
        yield f"seed = {self.seed}"
        for key, value in plan.look.items():
            yield f"{key} = {toml(value)}"
        for row in self.rows:
            yield "\n[[turns]]"
            for key, value in row.items():
                yield f"{key} = {toml(value)}"
        yield ""


@dataclass(frozen=True)
class Plan:
    """What a game has to have: its moments (methods of `Author`), what is brought along at which turn, how it looks."""

    about: str
    players: tuple[str, ...]
    look: dict[str, Any]
    moments: tuple[str, ...]
    brings: dict[int, dict[str, Any]] = field(default_factory=dict)
    rules: Any = "classic"
    options: tuple[str, ...] = ("one-game",)
    seed: int = 0
    apart: int = 1
    shortest: int = 12
    longest: int = 26
    most_rows: int = 26
    sets: int = 15
    idle: float = 0.0
    """How often a player draws who could perhaps play."""
    lucky: int = 0
    """How many melds are in every rack that is dealt: a quicker game."""


LONG = {"name": "long rack", "base": "classic", "tiles_dealt": 24}
PLANS = {
    "evening": Plan(
        "A warm lamp, seen almost from above: an opening too low, a wrong turn put right, a freed joker; out.",
        ("Anna", "Ben", "Cleo"),
        {"surface": "wood", "table": 5, "box": 21, "columns": 3, "tilt": 0.12, "kelvin": 3000, "falloff": 0.3},
        ("low", "joker", "wrong"),
        {4: {"early": True}, 7: {"hands": 2}, 9: {"passing": True}, 11: {"early": True}},
        seed=100,
    ),
    "window": Plan(
        "Daylight from a window, seen at a slant: time over on a legal table, a ruling, tiles taken back; out.",
        ("Dana", "Emil"),
        {
            "surface": "marble", "table": 11, "box": 34, "joker": "sun", "digits": 0.45, "columns": 3, "rows": 5,
            "tilt": 0.8, "kelvin": 6600, "shade": 0.3, "edge": 4, "shadow": 0.6,
        },
        ("back", "late", "ruling"),
        {3: {"passing": True}, 6: {"exposure": 1.2}, 8: {"early": True}, 10: {"exposure": 0.85}, 13: {"hands": 2}},
        seed=200,
        lucky=2,
    ),
    "quarter": Plan(
        "The camera stands at the side, a quarter turned: time over on a broken table, restored; a nudge; out.",
        ("Fay", "Gus", "Hal", "Ida"),
        {
            "surface": "cloth", "table": 8, "box": 47, "joker": "star", "digits": 0.36, "columns": 2, "rows": 8,
            "turn": 90, "tilt": 0.3, "kelvin": 4600,
        },
        ("broken", "back"),
        {5: {"nudge": 14.0, "twist": 0.8}, 7: {"early": True}, 10: {"passing": True}, 12: {"nudge": -9.0}},
        seed=300,
        sets=16,
        lucky=1,
    ),
    "opposite": Plan(
        "Seen from the far side, half of the table in the shade, the lamp switched on: an undo, a wrong count; out.",
        ("Jo", "Kim", "Lou"),
        {
            "surface": "planks", "table": 3, "box": 58, "joker": "oval", "columns": 3, "turn": 180, "tilt": 0.45,
            "kelvin": 5800, "shade": 0.5, "edge": 12,
        },
        ("undo", "miscounted", "joker"),
        {4: {"hands": 2}, 6: {"kelvin": 3300, "exposure": 1.15}, 9: {"early": True}, 12: {"passing": True}},
        seed=400,
    ),
    "webcam": Plan(
        "A cheap webcam in poor light: a table that nobody can rebuild ends a game, which is played again; out.",
        ("Max", "Nina", "Ole"),
        {
            "surface": "plain", "table": 17, "box": 63, "joker": "solid", "width": 1280, "height": 720, "columns": 3,
            "rows": 5, "tilt": 0.35, "kelvin": 3800, "exposure": 0.8, "noise": 7.0, "blur": 0.8, "sharpen": 0.7,
            "saturation": 0.85,
        },
        ("hopeless",),
        {3: {"early": True}, 5: {"gamma": 1.2}, 9: {"kelvin": 4400}, 12: {"hands": 2}},
        seed=500,
        longest=30,
    ),
    "long": Plan(
        "Long racks and a small pool: time over with the pool nearly empty, all pass, the game is blocked; counted.",
        ("Pia", "Quin", "Rosa", "Sam"),
        {
            "surface": "stripes", "table": 29, "box": 72, "joker": "clown", "digits": 0.5, "columns": 3, "rows": 6,
            "turn": 10, "tilt": 0.4, "kelvin": 4200, "glare": 0.25, "edge": 3,
        },
        ("short", "passing"),
        {4: {"passing": True}, 7: {"early": True}, 10: {"hands": 2}, 12: {"glare": 0.0}},
        rules=LONG,
        seed=600,
        idle=0.5,
        longest=40,
        sets=18,
    ),
}  # fmt: skip
"""The bundled games."""


def lying(layout: Layout) -> Table:
    """A layout as it is read: single tiles lie loose."""
    loose = tuple(row[0] for row in layout.sets if len(row) == 1)
    return Table(Layout(tuple(row for row in layout.sets if len(row) > 1)), loose)


def chunks(rack: list[Tile], most: int) -> Iterator[TileSet]:
    """A rack in rows that are as wide as the widest set."""
    rows = -(-len(rack) // most)
    for n in range(rows):
        yield tuple(rack[len(rack) * n // rows : len(rack) * (n + 1) // rows])


def melds(rack: Iterable[Tile]) -> Iterator[TileSet]:
    """Sets of three in a rack, without jokers."""
    for three in combinations(sorted({t for t in rack if not t.is_joker}, key=lambda t: (t.number, t.colour)), 3):
        if readings(three):
            yield three


def frees_joker(before: Layout, after: Layout) -> bool:
    """Whether the joker of a set lies in another one now."""
    for row in before.sets:
        own = Counter(t for t in row if not t.is_joker)
        if len(own) < len(row) and not any(Tile.JOKER in now and own <= Counter(now) for now in after.sets):
            return True
    return False


def toml(value: Any) -> str:
    """A value as TOML has it."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml(v)}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def compose(name: str) -> str:
    """The script of a game, from the first seed that suits its plan."""
    plan = PLANS[name]
    for seed in range(plan.seed, plan.seed + 3000):
        try:
            return Author(plan, seed).write()
        except UnsuitedError:
            continue
    raise SystemExit(f"{name}: no deal suits this plan")


def main() -> None:
    for name in sys.argv[1:] or PLANS:
        folder = GAMES / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "script.toml").write_text(compose(name), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
