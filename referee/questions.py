"""The documents of `tilekeeper judge`, `restore` and `moves` (CONTRACT.md, "JSON"), checked key by key."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from referee.documents import DocumentError
from referee.judge import Turn, judge
from referee.layout import Layout
from referee.sheets import Sheet, SheetError, chosen
from referee.tiles import ALL_TILES, Tile, TileError

_TILES = {str(t): t for t in ALL_TILES}

TURN_KEYS = ("rules", "options", "before", "after", "loose", "opened", "rack")
MOVES_KEYS = ("rules", "options", "table", "rack", "opened", "objective")
MOST_TILES = 400
"""More than any box holds (160), with room for a picture misread."""


def judge_document(document: Any, sheet: Sheet | None = None) -> dict[str, Any]:
    """A turn's document to its verdict's. Raises `DocumentError` that names the place.

    ``sheet`` is taken instead of the document's ``rules``; its ``options`` come on top either way.
    """
    turn, rules = read_turn(document, sheet)
    return judge(turn, rules).document()


def read_turn(document: Any, sheet: Sheet | None = None) -> tuple[Turn, Sheet]:
    """The turn and the rule sheet of a document. Raises `DocumentError`.

    ``before``, ``after`` and ``opened`` have to be there. An unknown key is passed over, unless it is so near
    to a known one that it must be a slip.
    """
    if not isinstance(document, Mapping):
        raise DocumentError("", f"a turn is an object with before and after, not {_shown(document)}")
    check_keys(document, TURN_KEYS, ("before", "after", "opened"))
    rules = read_sheet(document, sheet)
    loose = tuple(read_tile(t, f"loose[{i}]") for i, t in enumerate(_list(document.get("loose", []), "loose")))
    if len(loose) > MOST_TILES:
        raise DocumentError("loose", f"{len(loose)} tiles; {MOST_TILES} is the most")
    turn = Turn(
        before=read_layout(document["before"], "before"),
        after=read_layout(document["after"], "after"),
        loose=loose,
        opened=_boolean(document["opened"], "opened"),
        rack=_rack(document.get("rack")),
    )
    return turn, rules


def restore_document(document: Any) -> dict[str, Any]:
    """A table before and now to the way back. Raises `DocumentError`."""
    from referee.restore import restore
    from referee.snapshot import Snapshot

    if not isinstance(document, Mapping):
        raise DocumentError("", f"an object with before and now, not {_shown(document)}")
    check_keys(document, ("before", "now"), ("before", "now"))
    before = Snapshot.of(document["before"], "before")
    return restore(before, Snapshot.of(document["now"], "now")).document()


def moves_document(document: Any, sheet: Sheet | None = None) -> dict[str, Any]:
    """A position to its best play. Raises `DocumentError`; ``sheet`` as for `judge_document`."""
    from referee.moves import Objective, Position, best_play

    if not isinstance(document, Mapping):
        raise DocumentError("", f"a position is an object with table and rack, not {_shown(document)}")
    check_keys(document, MOVES_KEYS, ("table", "rack", "opened"))
    objective = document.get("objective", Objective.TILES)
    if not isinstance(objective, str) or objective not in list(Objective):
        raise DocumentError("objective", f"one of {', '.join(Objective)}, not {_shown(objective)}")
    rules = read_sheet(document, sheet)
    rack = _rack(document["rack"])
    if not isinstance(rack, tuple):
        raise DocumentError("rack", f"a list of tiles, not {_shown(document['rack'])}")
    table = read_layout(document["table"], "table")
    position = Position(table, rack, rules, _boolean(document["opened"], "opened"))
    play = best_play(position, Objective(objective))
    return {
        "playable": play.playable,
        "played": [str(t) for t in play.played],
        "table": play.table.lists(),
        "objective": play.objective.value,
        "optimal": play.optimal,
        "points": play.points,
        "disturbed": list(play.disturbed),
        "meld": play.meld,
    }


def check_keys(document: Mapping[str, Any], known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    """Refuse a document that lacks a key or has one that is nearly a known one. Raises `DocumentError`."""
    for key in document:
        near = [] if key in known else difflib.get_close_matches(str(key)[:40], known, n=1, cutoff=0.75)
        if near and near[0] not in document:
            raise DocumentError(str(key)[:40], f"no such key (is it {near[0]}?)")
    for key in needed:
        if key not in document:
            raise DocumentError(key, "missing")


def read_sheet(document: Mapping[str, Any], sheet: Sheet | None = None) -> Sheet:
    """The sheet that a document's ``rules`` and ``options`` say. Raises `DocumentError`."""
    rules = document.get("rules", "classic") if sheet is None else sheet
    try:
        return chosen(rules, document.get("options", []))
    except SheetError as error:
        raise DocumentError(error.key, error.text) from None


def read_layout(document: Any, place: str) -> Layout:
    """A layout of at most `MOST_TILES` tiles, from lists of tile texts. Raises `DocumentError`."""
    rows = _list(document, place)
    if len(rows) > MOST_TILES:
        raise DocumentError(place, f"{len(rows)} sets; {MOST_TILES} is the most")
    sets = []
    left = MOST_TILES
    for i, row in enumerate(rows):
        at = f"{place}[{i}]"
        tiles = _list(row, at)
        left -= len(tiles)
        if left < 0:
            raise DocumentError(at, f"more than {MOST_TILES} tiles in all")
        if not tiles:
            raise DocumentError(at, "a set of no tiles")
        sets.append(tuple(read_tile(t, f"{at}[{j}]") for j, t in enumerate(tiles)))
    return Layout(tuple(sets))


def read_tile(document: Any, place: str) -> Tile:
    """One tile. Raises `DocumentError`."""
    known = _TILES.get(document) if isinstance(document, str) else None
    if known is not None:
        return known
    try:
        return Tile.parse(document)
    except TileError as error:
        raise DocumentError(place, str(error)) from None


def _rack(document: Any) -> int | tuple[Tile, ...] | None:
    if document is None:
        return None
    if isinstance(document, list | tuple):
        if len(document) > MOST_TILES:
            raise DocumentError("rack", f"{len(document)} tiles; {MOST_TILES} is the most")
        tiles = tuple(read_tile(t, f"rack[{i}]") for i, t in enumerate(document))
        for i, tile in enumerate(tiles):
            if not tile.readable:
                raise DocumentError(f"rack[{i}]", f"{tile} is not read; say what it is, or how many tiles there are")
        return tiles
    if isinstance(document, bool) or not isinstance(document, int) or not 0 <= document <= MOST_TILES:
        what = f"a number of tiles from 0 to {MOST_TILES}, a list of tiles or null"
        raise DocumentError("rack", f"{what}, not {_shown(document)}")
    return document


def _boolean(document: Any, place: str) -> bool:
    if not isinstance(document, bool):
        raise DocumentError(place, f"true or false, not {_shown(document)}")
    return document


def _list(document: Any, place: str) -> list[Any] | tuple[Any, ...]:
    if not isinstance(document, list | tuple):
        raise DocumentError(place, f"a list, not {_shown(document)}")
    return document


def _shown(document: Any) -> str:
    """A value as a message shows it: short, whatever it is."""
    if isinstance(document, list | tuple):
        return "a list"
    return "an object" if isinstance(document, Mapping) else f"{document!r:.40}"
