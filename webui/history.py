"""Looking back, for the pages: kept matches, the turns of a game, what could have been played, and saving a game."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, jsonify, request

from referee.documents import one_line
from referee.match import MatchError, MatchState, Phase, replay
from referee.tiles import Tile, TileError
from webui.keeper import Keeper
from webui.lookback import PastTurn, match_document, may_see_moves, past_turns
from webui.store import StoreError
from webui.table import companion

history = Blueprint("history", __name__)

NOW = "now"
"""The name under which pages ask for the match that is being played."""
MOST_LISTED = 100
MOST_TILES = 60
MOVES_S = 10.0
"""Seconds that may be spent on what could have been played; they are another process's, and the clock goes on."""
SAVE_S = 60.0

_thinking = threading.BoundedSemaphore(1)


@history.get("/history.json")
def matches() -> Response:
    """The kept matches, the last first; `now` is the one being played."""
    keeper, play = _keeper(), companion().umpire.play
    found: list[dict[str, Any]] = []
    if play.state.phase is not Phase.EMPTY:
        found.append({"key": NOW, "name": play.name, "players": list(play.state.players), "running": True})
    if keeper.matches is not None:
        try:
            names = [name for name in keeper.matches.names() if name != play.name][:MOST_LISTED]
        except StoreError as error:
            return _no("not-read", str(error), 500)
        found += [entry for name in names if (entry := _entry(keeper, name)) is not None]
    return jsonify({"matches": found})


def _entry(keeper: Keeper, name: str) -> dict[str, Any] | None:
    assert keeper.matches is not None
    try:
        players = keeper.matches.players(name)
    except StoreError as error:
        return {"key": name, "name": name, "players": [], "running": False, "trouble": str(error)}
    return {"key": name, "name": name, "players": list(players), "running": False} if players else None


@history.get("/history/<key>.json")
def match(key: str) -> Response:
    """A match with its games and turns."""
    keeper = _keeper()
    state, name = _state(key)
    document = match_document(state)
    pictures = keeper.album.there(keeper.matches.beside(name)) if keeper.matches is not None and name else frozenset()
    for turn in document["turns"]:
        turn["picture"] = turn["event"] in pictures
    recorded = keeper.recorder.document()["games"] if keeper.recorder is not None else []
    games = [{"id": game["id"], "game": game["game"]} for game in recorded if game["match"] == name]
    return jsonify({"key": key, "name": name, "recorded": games, **document})


@history.get("/history/<key>/<event>.jpg")
def picture(key: str, event: str) -> Response:
    """The table at the end of a turn."""
    keeper = _keeper()
    state, name = _state(key)
    turn = _turn(state, event)
    data = keeper.album.find(keeper.matches.beside(name), turn.event.id) if keeper.matches is not None else None
    if data is None:
        abort(404, "There is no picture of that turn.")
    return Response(data, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


@history.post("/history/<key>/<event>/moves")
def moves(key: str, event: str) -> Response:
    """What could have been played in a turn from a rack: a JSON object with its ``rack``, a list of tiles."""
    state, _ = _state(key)
    turn = _turn(state, event)
    if not may_see_moves(state, turn):
        return _no("game-running", "That can be seen when the game is over.", 409)
    data = request.get_json(silent=True)
    rack = data.get("rack") if isinstance(data, dict) else None
    if not isinstance(rack, list) or not rack or len(rack) > MOST_TILES or not all(isinstance(t, str) for t in rack):
        return _no("bad-request", "Which tiles were on the rack?", 400)
    try:
        tiles = [str(Tile.parse(tile)) for tile in rack]
    except TileError as error:
        return _no("no-such-tile", str(error), 400)
    rules = {k: v for k, v in state.rules.mapping().items() if k not in ("sources", "options")}
    position = {"rules": rules, "table": turn.before.lists(), "rack": tiles, "opened": turn.opened}
    if not _thinking.acquire(blocking=False):
        return _no("busy", "Another turn is being thought about: try again in a moment.", 429)
    try:
        return _best(position)
    finally:
        _thinking.release()


def _best(position: dict[str, Any]) -> Response:
    """The command `moves`, in a process that can be ended and takes nothing from the table."""
    command = [sys.executable, "-m", "webui.cli", "moves", "-", "--json"]
    folder = str(Path(__file__).resolve().parents[1])
    try:
        done = subprocess.run(
            command,
            input=json.dumps(position),
            capture_output=True,
            text=True,
            timeout=MOVES_S,
            cwd=folder,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _no("too-long", f"No answer was found within {MOVES_S:.0f} seconds.", 504)
    if done.returncode not in (0, 1):
        lines = done.stderr.strip().splitlines() or ["it cannot be found out"]
        return _no("bad-position", one_line(lines[-1].removeprefix("Error: "))[:300], 409)
    return Response(done.stdout, mimetype="application/json")


@history.post("/history/save")
def save() -> Response:
    """Saves a game as a recorded game: the newest, or the one whose ``id`` is given."""
    recorder = _keeper().recorder
    data = request.get_json(silent=True)
    name = data.get("id") if isinstance(data, dict) else None
    if recorder is None:
        return _no("not-recorded", "Games are not recorded here.", 409)
    try:
        folder = recorder.save(name if isinstance(name, str) else None).result(SAVE_S)
    except LookupError as error:
        return _no("not-recorded", f"{str(error)[:1].upper()}{str(error)[1:]}.", 409)
    except TimeoutError:
        return _no("no-answer", "The disk does not answer.", 503)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return _no("not-kept", f"The game could not be saved: {why}. The game itself goes on.", 507)
    return jsonify({"folder": str(folder), "name": folder.name})


def _keeper() -> Keeper:
    return companion().keeper


def _state(key: str) -> tuple[MatchState, str]:
    """A match by its key, and its name; ends the request where there is none."""
    play, matches = companion().umpire.play, _keeper().matches
    if key == NOW or (key and key == play.name):
        return play.state, play.name
    if matches is None:
        abort(404, "There is no such match.")
    try:
        if key not in matches.names():
            abort(404, "There is no such match.")
        return replay(matches.events(key)), key
    except (StoreError, MatchError) as error:
        abort(500, one_line(f"This match cannot be read: {error}"))


def _turn(state: MatchState, event: str) -> PastTurn:
    turn = next((t for t in past_turns(state) if t.event.id == event), None)
    if turn is None:
        abort(404, "There is no such turn.")
    return turn


def _no(reason: str, message: str, status: int) -> Response:
    answer = jsonify({"reason": reason, "message": message})
    answer.status_code = status
    return answer
