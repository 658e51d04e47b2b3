"""The table: its page, its picture and its event stream."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request

from referee.export import score_csv
from referee.sheets import NAMES, load
from webui.companion import Companion
from webui.shown import Shown

table = Blueprint("table", __name__)


def companion() -> Companion:
    """The companion that this application serves."""
    served: Companion = current_app.extensions["tilekeeper"]
    return served


@table.get("/")
def page() -> str:
    return render_template("table.html", live=companion().hub.state()["live"], sheets=sheet_choices())


def sheet_choices() -> list[dict[str, object]]:
    """The bundled rule sheets as the start of a game offers them, each with what sets it apart."""
    choices = []
    for name in NAMES:
        sheet = load(name)
        clock = f"{sheet.clock_seconds} s" if sheet.clock_seconds else "no clock"
        title = name.replace("-", " ").capitalize()
        label = f"{title}: opening {sheet.initial_meld}, {clock}, {sheet.players_least}–{sheet.players_most} players"
        choices.append({"name": name, "label": label, "least": sheet.players_least, "most": sheet.players_most})
    return choices


@table.get("/state.json")
def state() -> Response:
    return jsonify(companion().hub.state())


@table.get("/score.csv")
def score() -> Response:
    """The score sheet, for a spreadsheet."""
    state = companion().umpire.play.state
    if state.sheet is None:
        abort(404, "Nobody plays yet.")
    text = score_csv(state.rules, state.players, state.games)
    return Response(text, mimetype="text/csv", headers={"Content-Disposition": 'attachment; filename="score.csv"'})


@table.get("/picture/<int:number>.jpg")
def picture(number: int) -> Response:
    """The newest picture; `number` only makes its address another, `w` is the width in which it is shown."""
    frame = companion().frame
    if frame is None:
        abort(404, "There is no picture yet.")
    shown: Shown = current_app.extensions["shown"]
    jpeg = shown.jpeg(frame, request.args.get("w", 1280, type=int))
    return Response(jpeg, mimetype="image/jpeg", headers={"X-Picture": str(frame.number)})
