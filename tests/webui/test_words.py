"""The texts of the page: every key that is used exists, every language says everything, placeholders are filled."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee.tiles import Tile
from webui.words import FOLDER, Listed, Words, language, listed, tile_name, words

WEBUI = FOLDER.parents[1]
LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.json"))
FORMS = {"zero", "one", "two", "few", "many", "other"}
PLACE = re.compile(r"\{(\w+)\}")
LITERAL = re.compile(r"""(?:\bt|\bwords|\bhas|\bknown)\(\s*f?["'`]([^"'`]+)["'`]""")
MARKED = re.compile(r'data-t(?:-label|-alt|-placeholder|-title)?="([^"]+)"')


def base(key: str) -> str:
    """The key without its plural form."""
    stem, _, form = key.rpartition(".")
    return stem if form in FORMS and stem else key


def used() -> dict[str, str]:
    """Every key in the page's scripts, templates and the server, and where; `*` for what is filled in."""
    found: dict[str, str] = {}
    sources = [*WEBUI.rglob("*.js"), *WEBUI.rglob("*.py"), *WEBUI.rglob("*.html")]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        keys = MARKED.findall(text) if path.suffix == ".html" else LITERAL.findall(text)
        for key in keys:
            found[re.sub(r"\$?\{[^}]*\}", "*", key)] = str(path.relative_to(WEBUI))
    return found


ENGLISH = {base(key) for key in language("en")}


def test_every_key_that_is_used_exists() -> None:
    missing = {}
    for key, where in used().items():
        pattern = re.compile(re.escape(key).replace(r"\*", r"[\w.-]+"))
        if not any(pattern.fullmatch(known) for known in ENGLISH):
            missing[key] = where
    assert missing == {}


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_says_everything_with_the_same_placeholders(code: str) -> None:
    theirs, english = language(code), language("en")
    assert {base(key) for key in theirs} == ENGLISH
    for key, text in theirs.items():
        assert text.strip() == text != "", key
        like = english.get(key) or english.get(f"{base(key)}.other") or english[base(key)]
        wanted = set(PLACE.findall(like))
        # "1 tile" may be "one tile": the count can stand in the word.
        if key.rpartition(".")[2] in FORMS - {"other"}:
            assert set(PLACE.findall(text)) | {"count"} == wanted | {"count"}, key
        else:
            assert set(PLACE.findall(text)) == wanted, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_plural_forms_come_with_their_rest(code: str) -> None:
    texts = language(code)
    for key in texts:
        stem, _, form = key.rpartition(".")
        if form in FORMS - {"other"}:
            assert f"{stem}.other" in texts, key


def test_files_keep_one_key_a_line_and_no_key_twice() -> None:
    for code in LANGUAGES:
        lines = re.findall(r'^\s*"([^"]+)":', (FOLDER / f"{code}.json").read_text(encoding="utf-8"), re.M)
        assert len(lines) == len(set(lines)), code


@pytest.mark.parametrize(
    ("tile", "name"),
    [("r5", "red 5"), ("j", "joker"), ("?6", "6 of unknown colour"), ("r?", "red tile"), ("?", "unread tile")],
)
def test_names_of_tiles(tile: str, name: str) -> None:
    assert tile_name(Tile.parse(tile)) == name


def test_a_sentence_travels_with_its_parts() -> None:
    said = words("last.laid", name="anna", tiles=words("tiles", count=1))
    assert said.text == "anna laid 1 tile"  # a name stays as it is written
    assert said.to_json() == {
        "key": "last.laid",
        "args": {"name": "anna", "tiles": {"key": "tiles", "args": {"count": 1}, "text": "1 tile"}},
        "text": "anna laid 1 tile",
    }


def test_a_list_and_a_tile_in_a_sentence() -> None:
    both = Listed((Tile.parse("r5"), Tile.parse("o5")), "or")
    assert str(both) == "red 5 or orange 5"
    assert both.to_json() == {"list": [{"tile": "r5"}, {"tile": "o5"}], "how": "or"}
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed([]) == ""


def test_an_unknown_key_or_a_lacking_argument_is_refused() -> None:
    with pytest.raises(KeyError):
        words("no.such.key")
    with pytest.raises(KeyError):
        words("last.laid", name="Anna")


def test_no_placeholder_is_filled_twice() -> None:
    """A player called {tiles} is no placeholder."""
    assert words("last.laid", name="{tiles}", tiles=Words("tiles", (("count", 2),))).text == "{tiles} laid 2 tiles"


def test_the_languages_of_the_page_are_those_that_have_a_file() -> None:
    script = (Path(WEBUI) / "static/js/words.js").read_text(encoding="utf-8")
    names = re.search(r"const LANGUAGES = \{([^}]*)\}", script)
    assert names is not None
    assert sorted(re.findall(r"(\w+):", names[1])) == LANGUAGES


def test_there_is_no_text_that_nobody_says() -> None:
    patterns = [re.compile(re.escape(key).replace(r"\*", r"[\w.-]+")) for key in used()]
    sources = [p for kind in ("*.js", "*.py") for p in WEBUI.rglob(kind)]
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    idle = [key for key in ENGLISH if not any(p.fullmatch(key) for p in patterns) and f'"{key}"' not in code]
    assert idle == []
