"""Sentences that the server makes, as keys of ``static/lang/en.json`` with arguments, for every language.

The English text is made from the same file; in JSON a sentence is ``{"key", "args", "text"}``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from referee.tiles import COLOUR_NAMES, Tile

FOLDER = Path(__file__).parent / "static" / "lang"
ENGLISH = "en"
RIGHT_TO_LEFT = ("he",)
_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Listed:
    """Several things in a row: ``a, b and c``; ``how`` is ``and``, ``or``, ``;``, ``,`` or ``.`` (own sentences)."""

    items: tuple[Argument, ...]
    how: str = "and"

    def __str__(self) -> str:
        texts = [_text(item) for item in self.items]
        if self.how == ".":
            return " ".join(map(capital, texts))
        return f"{self.how} ".join(texts) if self.how in ";," else listed(texts, self.how)

    def to_json(self) -> dict[str, Any]:
        return {"list": [_json(item) for item in self.items], "how": self.how}


@dataclass(frozen=True, slots=True)
class Words:
    """One sentence, or a part of one: a key and what fills its placeholders."""

    key: str
    args: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        """In English, as it stands inside another sentence."""
        args = dict(self.args)
        return _PLACE.sub(lambda place: _text(args[place[1]]), _pattern(self.key, args))

    @property
    def text(self) -> str:
        """In English, with a capital letter unless somebody's name stands first."""
        text = str(self)
        first = _PLACE.match(_pattern(self.key, dict(self.args)))
        return text if first and isinstance(dict(self.args)[first[1]], str | int) else capital(text)

    def to_json(self) -> dict[str, Any]:
        args = {name: _json(value) for name, value in self.args}
        return {"key": self.key, "args": args, "text": self.text}


Argument = str | int | Tile | Words | Listed


def words(key: str, **args: Argument) -> Words:
    """The sentence of a key. Raises `KeyError` where ``en.json`` lacks the key, or the sentence an argument.

    >>> words("last.laid", name="Anna", tiles=words("tiles", count=3)).text
    'Anna laid 3 tiles'
    """
    sentence = Words(key, tuple(args.items()))
    str(sentence)
    return sentence


def known(key: str) -> bool:
    """Whether there is such a sentence."""
    return key in english() or f"{key}.other" in english()


def tile_name(tile: Tile) -> str:
    """How a person says it, in English: ``red 5``, ``joker``, ``6 of unknown colour``, ``unread tile``."""
    if tile.is_joker:
        return str(words("tile.joker"))
    if tile.colour in COLOUR_NAMES:
        colour = words(f"colour.{tile.colour}")
        if tile.number:
            return str(words("tile.named", colour=colour, number=tile.number))
        return str(words("tile.no-number", colour=colour))
    return str(words("tile.no-colour", number=tile.number) if tile.number else words("tile.unread"))


def capital(text: str) -> str:
    """With a capital letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def listed(texts: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


@cache
def english() -> dict[str, str]:
    """All English texts by their keys."""
    return language(ENGLISH)


@cache
def languages() -> tuple[str, ...]:
    """The codes of all languages, English first."""
    return tuple(sorted((path.stem for path in FOLDER.glob("*.json")), key=lambda code: (code != ENGLISH, code)))


def said_in(texts: dict[str, str], key: str, count: int) -> str:
    """A sentence with a number, one or many, in one language."""
    form = "one" if count == 1 and f"{key}.one" in texts else "other"
    return texts[f"{key}.{form}"].replace("{count}", str(count))


@cache
def language(code: str) -> dict[str, str]:
    """All texts of one language by their keys."""
    texts: dict[str, str] = json.loads((FOLDER / f"{code}.json").read_text(encoding="utf-8"))
    return texts


def _pattern(key: str, args: dict[str, Argument]) -> str:
    texts = english()
    if key in texts:
        return texts[key]
    form = "one" if args.get("count") == 1 else "other"
    return texts.get(f"{key}.{form}") or texts[f"{key}.other"]


def _text(value: Argument) -> str:
    return tile_name(value) if isinstance(value, Tile) else str(value)


def _json(value: Argument) -> Any:
    if isinstance(value, Tile):
        return {"tile": str(value)}
    return value.to_json() if isinstance(value, Words | Listed) else value
