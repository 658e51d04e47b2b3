"""Frozen values to JSON and back by their type hints; what cannot be is refused with its place."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, Self, TypeVar, get_args, get_origin, get_type_hints

from referee.layout import Layout, TileSet
from referee.sheets import Sheet, SheetError, from_mapping
from referee.tiles import ALL_TILES, Tile

T = TypeVar("T")
Read = Callable[[Any], Any]
Write = Callable[[Any], Any]

LONGEST_TEXT = 2_000
LONGEST_LIST = 1_000
LARGEST_NUMBER = 10**15

_TILES = {str(t): t for t in ALL_TILES}


class DocumentError(ValueError):
    """A document that cannot be used; the text names the ``place`` in it and what is wrong there."""

    def __init__(self, place: str, text: str) -> None:
        super().__init__(one_line(f"{place}: {text}" if place else text))
        self.place = place
        self.text = text

    def within(self, outer: str) -> Self:
        """The same fault, seen from the document around it."""
        dot = "." if self.place and not self.place.startswith("[") else ""
        return type(self)(f"{outer}{dot}{self.place}", self.text)


def one_line(text: str) -> str:
    """The text with everything that cannot be printed written out, so that a message stays one line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shown(value: Any) -> str:
    """The beginning of a value as a message quotes it."""
    try:
        return repr(value)[:40]
    except RecursionError:
        return "something nested too deep"


def read(kind: type[T], document: Any) -> T:
    """A frozen dataclass from its JSON object; unknown and missing keys are named. Raises `DocumentError`."""
    codec: Any = kind
    value: T = _fields(codec)[0](document)
    return value


def write(value: Any) -> dict[str, Any]:
    """A frozen dataclass as a JSON object; what equals its default is left out, hidden fields always are."""
    codec: Any = type(value)
    document: dict[str, Any] = _fields(codec)[1](value)
    return document


@lru_cache(maxsize=256)
def _fields(kind: Any) -> tuple[Read, Write]:
    hints = get_type_hints(kind)
    parts = [(f, *_codec(hints[f.name])) for f in fields(kind) if f.compare]
    names = frozenset(f.name for f, _, _ in parts)

    def read_object(document: Any) -> Any:
        if not isinstance(document, Mapping):
            raise DocumentError("", f"an object, not {shown(document)}")
        for key in document:
            if key not in names:
                raise DocumentError(f"{key!s:.40}", f"no such key (there are {', '.join(sorted(names))})")
        values = {}
        for part, reader, _ in parts:
            if part.name not in document:
                if part.default is MISSING and part.default_factory is MISSING:
                    raise DocumentError(part.name, "missing")
                continue
            try:
                values[part.name] = reader(document[part.name])
            except DocumentError as error:
                raise error.within(part.name) from None
        return kind(**values)

    def write_object(value: Any) -> dict[str, Any]:
        shown = ((f, w, getattr(value, f.name)) for f, _, w in parts)
        return {f.name: w(v) for f, w, v in shown if f.default is MISSING or v != f.default}

    return read_object, write_object


@lru_cache(maxsize=256)
def _codec(hint: Any) -> tuple[Read, Write]:
    if isinstance(hint, types.UnionType):
        (inner,) = (h for h in get_args(hint) if h is not type(None))
        reader, writer = _codec(inner)
        return (lambda v: None if v is None else reader(v)), (lambda v: None if v is None else writer(v))
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        if get_origin(item) is tuple and get_args(item)[0] is str:
            return _mapping(*_codec(get_args(item)[1]))
        return _list(*_codec(item))
    plain: dict[Any, tuple[Read, Write]] = {
        bool: (_boolean, _same),
        int: (_number, _same),
        str: (_text, _same),
        Tile: (_tile, str),
        Layout: (_layout, Layout.lists),
        Sheet: (_sheet, Sheet.mapping),
    }
    if hint in plain:
        return plain[hint]
    if issubclass(hint, StrEnum):
        return _choice(hint), lambda v: v.value
    if hasattr(hint, "parse") and hasattr(hint, "json"):
        return _own(hint), lambda v: v.json()
    return _fields(hint)


def _list(reader: Read, writer: Write) -> tuple[Read, Write]:
    def read_list(value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) > LONGEST_LIST:
            raise DocumentError("", f"a list of at most {LONGEST_LIST}, not {shown(value)}")
        found = []
        for at, item in enumerate(value):
            try:
                found.append(reader(item))
            except DocumentError as error:
                raise error.within(f"[{at}]") from None
        return tuple(found)

    return read_list, lambda v: [writer(item) for item in v]


def _mapping(reader: Read, writer: Write) -> tuple[Read, Write]:
    """Pairs of a name and a value are an object in JSON; their order is kept."""

    def read_mapping(value: Any) -> Any:
        if not isinstance(value, Mapping) or len(value) > LONGEST_LIST:
            raise DocumentError("", f"an object by name, not {shown(value)}")
        found = []
        for name, item in value.items():
            try:
                found.append((_text(name), reader(item)))
            except DocumentError as error:
                raise error.within(f"{name!s:.40}") from None
        return tuple(found)

    return read_mapping, lambda v: {name: writer(item) for name, item in v}


def _own(kind: Any) -> Read:
    """A class that knows how to parse itself."""

    def read_own(value: Any) -> Any:
        try:
            return kind.parse(value)
        except DocumentError:
            raise
        except ValueError as error:
            raise DocumentError("", str(error)) from None

    return read_own


def _choice(kind: type[StrEnum]) -> Read:
    choices = {member.value: member for member in kind}

    def read_choice(value: Any) -> Any:
        if not isinstance(value, str) or value not in choices:
            raise DocumentError("", f"one of {', '.join(choices)}, not {shown(value)}")
        return choices[value]

    return read_choice


def _same(value: Any) -> Any:
    return value


def _boolean(value: Any) -> Any:
    if not isinstance(value, bool):
        raise DocumentError("", f"true or false, not {shown(value)}")
    return value


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
        raise DocumentError("", f"a whole number from 0 up, not {shown(value)}")
    return value


def _text(value: Any) -> Any:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT:
        raise DocumentError("", f"a text of at most {LONGEST_TEXT} characters, not {shown(value)}")
    return value


def _tile(value: Any) -> Any:
    found = _TILES.get(value) if isinstance(value, str) else None
    if found is not None:
        return found
    try:
        return Tile.parse(value)
    except ValueError as error:
        raise DocumentError("", str(error)) from None


def _layout(value: Any) -> Any:
    try:
        # The quick way is what we wrote ourselves; all else takes the slow one, which names its fault.
        return Layout(tuple([tuple([_TILES[t] for t in _row(row)]) for row in _row(value)]))
    except (KeyError, TypeError):
        return Layout(_codec(tuple[TileSet, ...])[0](value))


def _row(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) > LONGEST_LIST:
        raise TypeError
    return value


def _sheet(value: Any) -> Any:
    try:
        return from_mapping(value)
    except SheetError as error:
        raise DocumentError(error.key, error.text) from None
