"""Scores: racks and results to points, wins and places. Totals are always derived, never kept.

RULES.md, "Profiles": the rows on blocked games, games won and the match, and the house options of 001. Every
row adds to zero: what the others lose, the winner gets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.documents import one_line, shown
from referee.results import GameEnd, GameResult, Rack, ScoreError, read_result, required, value_bounds
from referee.sheets import (
    BlockedPoints,
    BlockedWinner,
    MatchLength,
    Ranking,
    Sheet,
    SheetError,
    from_mapping,
    load,
    with_options,
)

LONGEST_NAME = 60
MOST_GAMES = 10_000
MOST_PLAYERS = 12


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the score sheet: points in the players' order (sum 0), the winners, whether they count.

    ``counted`` is false for an abandoned game and where nothing is scored.
    """

    end: GameEnd
    points: tuple[int, ...]
    winners: tuple[str, ...]
    counted: bool


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """A match so far. Rows are given, all else is a question asked of them."""

    sheet: Sheet
    players: tuple[str, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    @property
    def running(self) -> tuple[tuple[int, ...], ...]:
        """The totals after each row, in the players' order."""
        sums = [0] * len(self.players)
        after = []
        for row in self.rows:
            sums = [s + p for s, p in zip(sums, row.points, strict=True)]
            after.append(tuple(sums))
        return tuple(after)

    @property
    def totals(self) -> tuple[int, ...]:
        """Points of the match so far, in the players' order."""
        return self.running[-1] if self.rows else (0,) * len(self.players)

    @property
    def wins(self) -> tuple[int, ...]:
        """Games won, in the players' order; a tied blocked game is a win for each of those tied (001)."""
        won = Counter(name for row in self.rows if row.counted for name in row.winners)
        return tuple(won[name] for name in self.players)

    @property
    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """Places from the first down; a shared place holds several names, in the players' order.

        In a match of one game who won it is first, also with others tied for it, who get no points.
        """
        by_wins = self.sheet.ranking is Ranking.WINS_THEN_POINTS or self.sheet.match_length is MatchLength.ONE_GAME
        keys = [(w if by_wins else 0, t) for w, t in zip(self.wins, self.totals, strict=True)]
        return tuple(
            tuple(n for n, k in zip(self.players, keys, strict=True) if k == place)
            for place in sorted(set(keys), reverse=True)
        )

    @property
    def played(self) -> int:
        """Games that came to an end; an abandoned one is played again and is none."""
        return sum(row.end is not GameEnd.ABANDONED for row in self.rows)

    @property
    def finished(self) -> bool:
        """Whether the match has all its games; a session of any number of games never says so."""
        length = games_in_match(self.sheet, len(self.players))
        return length is not None and self.played >= length

    def json(self) -> dict[str, Any]:
        """As CONTRACT.md's `score` gives it; ``notes`` where something was odd but could be used."""

        def named(values: Sequence[int]) -> dict[str, int]:
            return dict(zip(self.players, values, strict=True))

        document: dict[str, Any] = {
            "games": [{"end": r.end.value, "points": named(r.points), "winners": list(r.winners)} for r in self.rows],
            "totals": named(self.totals),
            "wins": named(self.wins),
            "ranking": [list(place) for place in self.ranking],
            "finished": self.finished,
        }
        return {**document, "notes": list(self.notes)} if self.notes else document


def games_in_match(sheet: Sheet, players: int) -> int | None:
    """How many games a match has; None for a session of any number of them."""
    if sheet.match_length is MatchLength.PLAYERS:
        return players
    return 1 if sheet.match_length is MatchLength.ONE_GAME else None


def score_game(sheet: Sheet, players: Sequence[str], result: GameResult) -> Row:
    """The row of one game (RULES.md, rows "game won" and "blocked game"). Raises `ScoreError`.

    Tied best racks of a blocked game: each of those tied wins, and nobody gets points (001); by the option
    ``one-game`` they share the first place in the same way.
    """
    if result.end is GameEnd.ABANDONED:
        return Row(result.end, (0,) * len(players), (), False)
    racks = _checked_racks(sheet, players, result)
    values = {name: rack.value(sheet) for name, rack in racks.items()}
    if result.end is GameEnd.OUT:
        winners: tuple[str, ...] = (str(result.winner),)
    elif sheet.blocked_winner is BlockedWinner.LOWEST_VALUE:
        winners = _least(players, values)
    else:
        winners = _least(players, _counts(players, racks))
    if len(winners) > 1 or not sheet.scored:
        return Row(result.end, (0,) * len(players), winners, sheet.scored)
    difference = result.end is GameEnd.BLOCKED and sheet.blocked_points is BlockedPoints.DIFFERENCE
    base = values[winners[0]] if difference else 0
    losses = {name: values[name] - base for name in players if name not in winners}
    return Row(result.end, tuple(-losses[n] if n in losses else sum(losses.values()) for n in players), winners, True)


def score_match(sheet: Sheet, players: Sequence[str], results: Iterable[GameResult]) -> ScoreSheet:
    """The score sheet of a match: change one result and all that follows is new. Raises `ScoreError`."""
    rows: list[Row] = []
    for at, result in enumerate(results):
        try:
            rows.append(score_game(sheet, players, result))
        except ScoreError as error:
            raise error.within(f"games[{at}]") from None
    return ScoreSheet(sheet, tuple(players), tuple(rows))


def _checked_racks(sheet: Sheet, players: Sequence[str], result: GameResult) -> Mapping[str, Rack]:
    racks = dict(result.racks)
    for name in racks:
        if name not in players:
            raise ScoreError(f"racks.{name:.40}", "no such player")
    if result.end is GameEnd.OUT:
        if result.winner not in players:
            raise ScoreError("winner", f"{result.winner!r:.40} is no player")
        if str(result.winner) in racks and not racks[str(result.winner)].empty:
            raise ScoreError(f"racks.{result.winner}", "who went out holds no tiles")
    elif result.winner is not None:
        raise ScoreError("winner", "in a blocked game the racks say who wins")
    for name in players:
        if name not in racks and name != result.winner:
            raise ScoreError(f"racks.{name}", "the rack is missing")
    _check_box(sheet, racks)
    return racks


def _check_box(sheet: Sheet, racks: Mapping[str, Rack]) -> None:
    held = Counter(t for rack in racks.values() for t in rack.faces or ())
    for t, count in held.items():
        copies = sheet.jokers if t.is_joker else sheet.copies
        if count > copies:
            raise ScoreError("racks", f"{count} of {t}, where the box holds {copies}")
    total = 0
    for name, rack in racks.items():
        try:
            value = rack.value(sheet)
            least, most = value_bounds(sheet, rack.count) if rack.count is not None else (0, value)
        except ScoreError as error:
            raise error.within(f"racks.{name}") from None
        if not least <= value <= most:
            raise ScoreError(f"racks.{name}", f"{rack.count} tiles cannot be worth {value}")
        total += value
    box = value_bounds(sheet, sheet.tiles)[1]
    if total > box:
        raise ScoreError("racks", f"worth {total} together, more than all tiles of the box ({box})")


def _counts(players: Sequence[str], racks: Mapping[str, Rack]) -> dict[str, int]:
    counts = {}
    for name in players:
        count = racks[name].count
        if count is None:
            raise ScoreError(
                f"racks.{name}", 'the fewest tiles win here: give its tiles, or {"points": 12, "tiles": 3}'
            )
        counts[name] = count
    return counts


def _least(players: Sequence[str], worth: Mapping[str, int]) -> tuple[str, ...]:
    least = min(worth.values())
    return tuple(name for name in players if worth[name] == least)


# The document of `tilekeeper score`


def score_document(document: Any) -> dict[str, Any]:
    """CONTRACT.md's `score`: players and games in, the sheet out. Raises `ScoreError` naming the place."""
    sheet, players, results, notes = read_document(document)
    board = score_match(sheet, players, results)
    length = games_in_match(sheet, len(players))
    if length is not None and board.played > length:
        if length == 1:
            raise ScoreError("games", "the option one-game ends the match with its first game")
        notes = (*notes, f"games: {board.played} games, where a match of {len(players)} players has {length}")
    return replace(board, notes=notes).json()


def read_document(document: Any) -> tuple[Sheet, tuple[str, ...], tuple[GameResult, ...], tuple[str, ...]]:
    """Sheet, players, results and notes of a `score` document. Raises `ScoreError` naming the place."""
    if not isinstance(document, Mapping):
        raise ScoreError("", "a match is an object with players and games")
    # A score that comes along, as in an exported sheet, is derived anew and never believed.
    notes = list(unknown_keys(document, ("rules", "options", "players", "games", "score"), ""))
    sheet = read_rules(document.get("rules", "classic"), document.get("options", []))
    players = read_players(sheet, required(document, "players"))
    games = required(document, "games")
    if not isinstance(games, list | tuple) or len(games) > MOST_GAMES:
        raise ScoreError("games", f"a list of at most {MOST_GAMES} games")
    results = []
    for at, game in enumerate(games):
        try:
            results.append(read_result(game))
        except ScoreError as error:
            raise error.within(f"games[{at}]") from None
        notes += unknown_keys(game, ("end", "winner", "racks"), f"games[{at}].")
        notes.extend(
            f"games[{at}].racks.{name:.40}: an empty rack of somebody who did not go out"
            for name, rack in results[-1].racks
            if rack.empty and name != results[-1].winner
        )
    return sheet, players, tuple(results), tuple(notes)


def read_rules(rules: Any, options: Any) -> Sheet:
    """A bundled sheet by name, or a profile object, with options on top. Raises `ScoreError`."""
    try:
        sheet = load(rules) if isinstance(rules, str) else from_mapping(rules)
    except SheetError as error:
        raise ScoreError("rules" + (f".{error.key}" if error.key else ""), error.text) from None
    if not isinstance(options, list | tuple):
        raise ScoreError("options", f"a list of texts, not {shown(options)}")
    try:
        return with_options(sheet, options)
    except SheetError as error:
        raise ScoreError(error.key, error.text) from None


def read_players(sheet: Sheet, names: Any) -> tuple[str, ...]:
    """As many different names as the sheet plays with. Raises `ScoreError`."""
    if isinstance(names, list | tuple) and not sheet.players_least <= len(names) <= sheet.players_most:
        span = f"{sheet.players_least} to {sheet.players_most}"
        raise ScoreError("players", f"{sheet.name} is for {span} players, not {len(names)}")
    return check_names(names)


def check_names(names: Any) -> tuple[str, ...]:
    """Different names of 1 to 60 printable characters. Raises `ScoreError`."""
    if not isinstance(names, list | tuple) or len(names) > MOST_PLAYERS:
        raise ScoreError("players", f"a list of at most {MOST_PLAYERS} names, not {shown(names)}")
    for at, name in enumerate(names):
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
            raise ScoreError(f"players[{at}]", f"a name of 1 to {LONGEST_NAME} characters, not {shown(name)}")
        if not name.isprintable():
            raise ScoreError(f"players[{at}]", f"a name that can be printed, not {shown(name)}")
        if name in names[:at]:
            raise ScoreError(f"players[{at}]", f"a second {shown(name)}")
    return tuple(names)


def unknown_keys(document: Mapping[str, Any], known: tuple[str, ...], place: str) -> tuple[str, ...]:
    """A key that means nothing here is said, not dropped in silence: it may be a slip of the pen."""
    return tuple(one_line(f"{place}{key!s:.40}: no such key, passed over") for key in document if key not in known)
