"""What a rule sheet is made of: one typed field a rule, no rule anywhere else (RULES.md, "Profiles")."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, get_type_hints


class DrawJoker(StrEnum):
    """A joker in the opening draw."""

    REDRAWS = "redraws"
    COUNTS = "counts-30"


class Direction(StrEnum):
    """Which way the turns go round the table."""

    CLOCKWISE = "clockwise"
    COUNTERCLOCKWISE = "counterclockwise"


class OpeningTable(StrEnum):
    """The sets on the table in the turn of the initial meld."""

    UNTOUCHED = "untouched"
    AFTER_MELD = "after-meld"


class ShortPool(StrEnum):
    """Drawing more tiles than the pool holds."""

    WHAT_IS_THERE = "what-is-there"
    NOTHING = "nothing"


class JokerMeld(StrEnum):
    """What a joker counts in the initial meld."""

    STANDS_FOR = "stands-for"
    NOTHING = "nothing"


class JokerSets(StrEnum):
    """What may happen to a set with a joker in it."""

    REARRANGED = "rearranged"
    GROW = "grow"


class FreedBy(StrEnum):
    """How a joker may be freed."""

    REARRANGEMENT = "rearrangement"
    TILE_FROM_RACK = "tile-from-rack"


class PoolEmpty(StrEnum):
    """The game when the pool is empty."""

    GOES_ON = "goes-on"
    ENDS = "ends"


class BlockedWinner(StrEnum):
    """Who wins a blocked game."""

    LOWEST_VALUE = "lowest-value"
    FEWEST_TILES = "fewest-tiles"


class BlockedTie(StrEnum):
    """A blocked game with several best racks."""

    WIN_EACH_NO_POINTS = "win-each-no-points"
    SHARED_RESULT = "shared-result"


class BlockedPoints(StrEnum):
    """The points of a blocked game."""

    DIFFERENCE = "difference"
    AS_WON = "as-won"


class MatchLength(StrEnum):
    """How many games a match has."""

    PLAYERS = "as-many-games-as-players"
    ONE_GAME = "one-game"
    OPEN = "open"


class Ranking(StrEnum):
    """What ranks the players of a match."""

    WINS_THEN_POINTS = "wins-then-points"
    POINTS = "points"


@dataclass(frozen=True, slots=True)
class Rule:
    """About one rule: its row title, the words its value is shown in, and the bounds of a number."""

    title: str
    text: str = "{}"
    least: int = 0
    most: int = 1000


@dataclass(frozen=True, slots=True)
class Sheet:
    """One rule sheet, checked by whoever builds it (`referee.sheets.from_mapping`); a field a rule.

    ``sources`` pairs a field's name with where its value comes from (000 ... 003, or whose own it is);
    ``options`` are the house options already applied, as given.
    """

    name: str
    players_least: Annotated[int, Rule("players, at least", "{}", 1, 12)]
    players_most: Annotated[int, Rule("players, at most", "{}", 1, 12)]
    copies: Annotated[int, Rule("copies of each tile", "{} of each", 1, 8)]
    jokers: Annotated[int, Rule("jokers in the box", "{}", 0, 8)]
    tiles_dealt: Annotated[int, Rule("tiles dealt", "{}", 1, 50)]
    draw_joker: Annotated[DrawJoker, Rule("who starts: a joker in the opening draw")]
    draw_tie_redraws: Annotated[bool, Rule("who starts: a tie for highest redraws")]
    direction: Annotated[Direction, Rule("direction")]
    initial_meld: Annotated[int, Rule("initial meld, from the own rack only", "{} points", 0, 500)]
    opening_table: Annotated[OpeningTable, Rule("table in the opening turn")]
    clock_seconds: Annotated[int | None, Rule("clock", "{} s", 1, 86_400)]
    no_play_draw: Annotated[int, Rule("no play: tiles drawn", "{}", 0, 20)]
    time_over_draw: Annotated[int, Rule("time over, table legal: tiles drawn", "{}", 0, 20)]
    broken_table_draw: Annotated[int, Rule("time over, table broken: restore, take back, tiles drawn", "{}", 0, 20)]
    short_pool: Annotated[ShortPool, Rule("pool holds fewer than are to be drawn")]
    joker_meld: Annotated[JokerMeld, Rule("joker in the initial meld counts")]
    joker_sets: Annotated[JokerSets, Rule("set with a joker in it may be")]
    freed_by: Annotated[FreedBy, Rule("freeing a joker")]
    freed_group_both: Annotated[bool, Rule("joker of a group of three needs both missing colours")]
    freed_new_set: Annotated[bool, Rule("the freed joker goes into a new set in the same turn")]
    freed_rack_tiles: Annotated[int, Rule("other rack tiles in the freed joker's set", "{}", 0, 12)]
    freed_before_meld: Annotated[bool, Rule("a joker may be freed before the initial meld")]
    joker_on_rack: Annotated[int, Rule("joker left on a rack", "{} points", 0, 500)]
    pool_empty: Annotated[PoolEmpty, Rule("pool empty: the game")]
    blocked_winner: Annotated[BlockedWinner, Rule("blocked game, winner")]
    blocked_tie: Annotated[BlockedTie, Rule("blocked game, tied best racks")]
    blocked_points: Annotated[BlockedPoints, Rule("blocked game, points")]
    scored: Annotated[bool, Rule("games are scored: losers lose their racks, the winner gets the sum")]
    racks_seen: Annotated[bool, Rule("racks are seen by all")]
    match_length: Annotated[MatchLength, Rule("a match")]
    ranking: Annotated[Ranking, Rule("a match is ranked by")]
    sources: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()

    @property
    def tiles(self) -> int:
        """How many tiles the box holds: 106, or 160 in the five-to-six-player set (000)."""
        return 52 * self.copies + self.jokers

    def source(self, rule_name: str) -> str:
        """Where the value of a field comes from; an empty text when nothing is said."""
        return dict(self.sources).get(rule_name, "")

    def words(self, rule_name: str) -> str:
        """The value of a field as a person reads it."""
        value = getattr(self, rule_name)
        if value is None:
            return "off"
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, StrEnum):
            return WORDS.get((type(value), value), value.value.replace("-", " "))
        return RULES[rule_name].text.format(value)

    def mapping(self) -> dict[str, Any]:
        """As JSON and TOML hold it; `referee.sheets.from_mapping` reads it back."""
        values = {name: getattr(self, name) for name in RULES}
        plain = {n: v.value if isinstance(v, StrEnum) else v for n, v in values.items()}
        return {"name": self.name, **plain, "sources": dict(self.sources), "options": list(self.options)}


RULES: dict[str, Rule] = {
    name: about
    for name, hint in get_type_hints(Sheet, include_extras=True).items()
    for about in getattr(hint, "__metadata__", ())
}
"""Every rule's field name with its title, wording and bounds, in the order they are shown."""

_SAID: tuple[tuple[StrEnum, str], ...] = (
    (DrawJoker.COUNTS, "counts 30"),
    (OpeningTable.UNTOUCHED, "not to be touched, also after the meld"),
    (OpeningTable.AFTER_MELD, "may be used once the meld is down"),
    (ShortPool.WHAT_IS_THERE, "draw what is there"),
    (ShortPool.NOTHING, "draw nothing"),
    (JokerMeld.STANDS_FOR, "the tile it stands for"),
    (JokerSets.GROW, "grown only; no tile may leave it"),
    (FreedBy.REARRANGEMENT, "by tiles from rack or table that keep every set legal"),
    (FreedBy.TILE_FROM_RACK, "by the tile it stands for, from the rack"),
    (PoolEmpty.GOES_ON, "goes on until nobody can play"),
    (PoolEmpty.ENDS, "ends"),
    (BlockedWinner.LOWEST_VALUE, "lowest rack value"),
    (BlockedWinner.FEWEST_TILES, "fewest tiles on the rack"),
    (BlockedTie.WIN_EACH_NO_POINTS, "one game win each, 0 points for all"),
    (BlockedTie.SHARED_RESULT, "they share the result"),
    (BlockedPoints.DIFFERENCE, "each other player loses own minus winner's; the winner gets the sum"),
    (BlockedPoints.AS_WON, "as for a game that somebody won"),
    (MatchLength.OPEN, "a session of any number of games"),
    (Ranking.WINS_THEN_POINTS, "most game wins, then points, then shared"),
    (Ranking.POINTS, "total of points"),
)

WORDS = {(type(value), value): text for value, text in _SAID}
"""The values that are not said as they are written; by their type too, for two rules may share a value's name."""
