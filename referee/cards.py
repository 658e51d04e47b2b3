"""The score sheet of card rummy (002). It has no tiles for a camera to read: only points are written down.

`tilekeeper score` takes it where the document's ``rules`` say ``card-rummy``.

RULES.md, last paragraph of "Profiles": the winner takes the sum of the others' cards, doubled for going out
in one turn; the target is 100, 150 or 200 for two, three or four players.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from referee.documents import shown
from referee.results import ScoreError, required, whole
from referee.scores import MOST_GAMES, check_names, score_document, unknown_keys

NAME = "card-rummy"
"""What ``rules`` say in a document of it."""

TARGETS = {2: 100, 3: 150, 4: 200}
"""The points that end a match, by the number of players (002)."""


@dataclass(frozen=True, slots=True)
class CardGame:
    """One game: who went out, what the others' cards are worth, and whether it was in one turn."""

    winner: str
    cards: tuple[tuple[str, int], ...]
    in_one_turn: bool = False

    @property
    def points(self) -> int:
        """What the winner takes."""
        return sum(value for _, value in self.cards) * (2 if self.in_one_turn else 1)


@dataclass(frozen=True, slots=True)
class CardSheet:
    """A match of card rummy so far; totals and places are derived."""

    players: tuple[str, ...]
    games: tuple[CardGame, ...]
    notes: tuple[str, ...] = ()

    @property
    def target(self) -> int:
        return TARGETS[len(self.players)]

    @property
    def totals(self) -> tuple[int, ...]:
        """Points so far, in the players' order."""
        return tuple(sum(g.points for g in self.games if g.winner == name) for name in self.players)

    @property
    def ranking(self) -> tuple[tuple[str, ...], ...]:
        """Places from the first down; a shared place holds several names."""
        pairs = list(zip(self.players, self.totals, strict=True))
        return tuple(tuple(n for n, t in pairs if t == total) for total in sorted(set(self.totals), reverse=True))

    @property
    def finished(self) -> bool:
        """Whether somebody has reached the target."""
        return max(self.totals) >= self.target

    def json(self) -> dict[str, Any]:
        """In the manner of CONTRACT.md's `score`; with the target, and notes where something was odd."""
        games = [
            {"points": {n: g.points if n == g.winner else 0 for n in self.players}, "winners": [g.winner]}
            for g in self.games
        ]
        document: dict[str, Any] = {
            "games": games,
            "totals": dict(zip(self.players, self.totals, strict=True)),
            "wins": {name: sum(g.winner == name for g in self.games) for name in self.players},
            "ranking": [list(place) for place in self.ranking],
            "target": self.target,
            "finished": self.finished,
        }
        return {**document, "notes": list(self.notes)} if self.notes else document


def score_cards(players: Sequence[str], games: Iterable[CardGame]) -> CardSheet:
    """The sheet of a match of two to four. Raises `ScoreError`, also for a game after the target was reached."""
    names = check_names(players)
    if len(names) not in TARGETS:
        raise ScoreError("players", f"card rummy is for 2 to 4 players, not {len(names)}")
    sheet = CardSheet(names, tuple(games))
    for at, game in enumerate(sheet.games):
        place = f"games[{at}]"
        if game.winner not in names:
            raise ScoreError(f"{place}.winner", f"{game.winner!r:.40} is no player")
        others = [n for n in names if n != game.winner]
        if sorted(n for n, _ in game.cards) != sorted(others):
            raise ScoreError(f"{place}.cards", f"the cards of {', '.join(others)}, each once")
    for name in names:
        won = [at for at, game in enumerate(sheet.games) if game.winner == name]
        reached = accumulate(sheet.games[at].points for at in won)
        over = next((at for at, total in zip(won, reached, strict=True) if total >= sheet.target), None)
        if over is not None and over < len(sheet.games) - 1:
            raise ScoreError(f"games[{over + 1}]", f"{name} had reached {sheet.target}: the match was over")
    return sheet


def cards_document(document: Any) -> dict[str, Any]:
    """Players and games in, the sheet out. Raises `ScoreError` naming the place.

    A game is ``{"winner": "A", "cards": {"B": 12, "C": 30}, "in_one_turn": false}``.
    """
    if not isinstance(document, Mapping):
        raise ScoreError("", "a match is an object with players and games")
    if document.get("options"):
        raise ScoreError("options", "card rummy has none")
    notes = unknown_keys(document, ("rules", "options", "players", "games"), "")
    games = required(document, "games")
    if not isinstance(games, list | tuple):
        raise ScoreError("games", "a list of games")
    if len(games) > MOST_GAMES:
        raise ScoreError("games", f"a list of at most {MOST_GAMES} games")
    found = []
    for at, game in enumerate(games):
        try:
            found.append(_game(game))
        except ScoreError as error:
            raise error.within(f"games[{at}]") from None
        notes += unknown_keys(game, ("winner", "cards", "in_one_turn"), f"games[{at}].")
    return replace(score_cards(required(document, "players"), found), notes=notes).json()


def any_score_document(document: Any) -> dict[str, Any]:
    """The sheet of a `score` document, of tiles or of cards. Raises `ScoreError` naming the place."""
    cards = isinstance(document, Mapping) and document.get("rules") == NAME
    return cards_document(document) if cards else score_document(document)


def _game(game: Any) -> CardGame:
    if not isinstance(game, Mapping):
        raise ScoreError("", f"a game is an object, not {shown(game)}")
    winner, cards = required(game, "winner"), required(game, "cards")
    if not isinstance(winner, str):
        raise ScoreError("winner", f"a player's name, not {shown(winner)}")
    if not isinstance(cards, Mapping):
        raise ScoreError("cards", f"an object of points by player, not {shown(cards)}")
    in_one_turn = game.get("in_one_turn", False)
    if not isinstance(in_one_turn, bool):
        raise ScoreError("in_one_turn", f"true or false, not {shown(in_one_turn)}")
    return CardGame(winner, tuple((str(n), whole(v, f"cards.{n!s:.40}")) for n, v in cards.items()), in_one_turn)
