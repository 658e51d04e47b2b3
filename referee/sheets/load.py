"""Reading rule sheets: bundled by name, own ones from a mapping or a TOML file; a bad key is named."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, get_type_hints

from referee.sheets.rules import RULES, Sheet

NAMES = ("classic", "sabra-1985", "casino-sabra", "six-player")
"""The bundled sheets, in the order they are shown."""

LARGEST_FILE = 1 << 20
_TYPES = {name: kind for name, kind in get_type_hints(Sheet).items() if name in RULES}


class SheetError(ValueError):
    """A rule sheet that cannot be used; the text names the key and what it may hold. ``key`` is the place."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(f"{key}: {text}" if key else text)
        self.key = key
        self.text = text


@lru_cache(maxsize=len(NAMES))
def load(name: str) -> Sheet:
    """A bundled sheet by its name (one of `NAMES`). Raises `SheetError`."""
    if name not in NAMES:
        raise SheetError("", f"no such rule sheet: {name!r:.60} (there are {', '.join(NAMES)})")
    text = resources.files("referee.sheets").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return _build({"name": name, **tomllib.loads(text)}, bundled=True)


def load_file(path: Path) -> Sheet:
    """A sheet of one's own from a TOML file: what differs from its ``base``. Raises `SheetError`."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise SheetError("", f"cannot read rule sheet {path}: {reason}") from None
    except ValueError as error:  # no name of a file
        raise SheetError("", f"cannot read rule sheet {path}: {error}") from None
    if len(raw) > LARGEST_FILE:
        raise SheetError("", f"rule sheet {path} is larger than {LARGEST_FILE >> 20} MiB")
    try:
        # Some editors begin a text with a byte order mark.
        document = tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise SheetError("", f"rule sheet {path} is not TOML: not a UTF-8 text") from None
    except RecursionError:
        raise SheetError("", f"rule sheet {path} is not TOML: nested too deep") from None
    except tomllib.TOMLDecodeError as error:
        raise SheetError("", f"rule sheet {path} is not TOML: {error}") from None
    except ValueError:
        raise SheetError("", f"rule sheet {path} cannot be used: a number of thousands of digits") from None
    try:
        return from_mapping({"name": path.stem, **document})
    except SheetError as error:
        raise SheetError("", f"rule sheet {path}: {error}") from None


def from_mapping(document: Mapping[str, Any]) -> Sheet:
    """A sheet from a profile object: ``name``, ``base`` (default classic), rules, ``sources``, ``options``.

    Rules not given are those of the base. Raises `SheetError` that names the bad key.
    """
    return _build(document, bundled=False)


def _build(document: Mapping[str, Any], bundled: bool) -> Sheet:
    from referee.sheets.options import with_options

    if not isinstance(document, Mapping):
        raise SheetError("", "a rule sheet is a table of rules")
    name = document.get("name", "own")
    if not isinstance(name, str) or not 0 < len(name) <= 60 or not name.isprintable():
        raise SheetError("name", "a text of 1 to 60 characters that can be printed")
    base = _base(document, bundled and name == "classic")
    given = {k: v for k, v in document.items() if k not in ("name", "base", "sources", "options")}
    for key in given:
        if key not in RULES:
            raise SheetError(str(key)[:60], _unknown(str(key)))
    values = base.mapping() if base else {}
    values = {k: v for k, v in values.items() if k in RULES} | given
    missing = [key for key in RULES if key not in values]
    if missing:
        raise SheetError(missing[0], "the rule is missing")
    checked = {key: check_value(key, values[key]) for key in RULES}
    if checked["players_least"] > checked["players_most"]:
        raise SheetError("players_least", "more than players_most")
    sheet = Sheet(name=name, **checked, sources=_sources(document, base, given, name))
    options = document.get("options", [])
    if not isinstance(options, list | tuple) or not all(isinstance(o, str) for o in options):
        raise SheetError("options", "a list of texts")
    return with_options(sheet, options)


def _base(document: Mapping[str, Any], is_root: bool) -> Sheet | None:
    if is_root:
        return None
    base = document.get("base", "classic")
    if not isinstance(base, str) or base not in NAMES:
        raise SheetError("base", f"one of {', '.join(NAMES)}, not {base!r:.60}")
    return load(base)


def _sources(
    document: Mapping[str, Any], base: Sheet | None, given: Iterable[str], name: str
) -> tuple[tuple[str, str], ...]:
    stated = document.get("sources", {})
    if not isinstance(stated, Mapping) or not all(isinstance(v, str) for v in stated.values()):
        raise SheetError("sources", "a table of texts, a rule each")
    for key in stated:
        if key not in RULES:
            raise SheetError(f"sources.{str(key)[:60]}", _unknown(str(key)))
    given = set(given)

    def source(key: str) -> str:
        if key in stated:
            return str(stated[key])[:200]
        if base is None or key in given:
            return f"{name}, its own"
        return f"{name} is silent: {base.name} ({base.source(key)})"

    return tuple((key, source(key)) for key in RULES)


def check_value(key: str, value: Any) -> Any:
    """A rule's value in its type, from JSON or TOML. Raises `SheetError` that says what the rule may hold."""
    kind, about = _TYPES[key], RULES[key]
    if kind is bool:
        if not isinstance(value, bool):
            raise SheetError(key, f"true or false, not {value!r:.60}")
        return value
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        choices = [member.value for member in kind]
        if not isinstance(value, str) or value not in choices:
            raise SheetError(key, f"one of {', '.join(choices)}, not {value!r:.60}")
        return kind(value)
    if kind == int | None and (value is None or value == "off"):
        return None
    least, most = about.least, about.most
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        off = ' or "off"' if kind == int | None else ""
        raise SheetError(key, f"a whole number from {least} to {most}{off}, not {value!r:.60}")
    return value


def _unknown(key: str) -> str:
    import difflib

    near = difflib.get_close_matches(key, RULES, n=1)
    return "no such rule" + (f" (is it {near[0]}?)" if near else f" (there are {', '.join(RULES)})")
