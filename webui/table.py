"""The table: its page, its picture and its event stream."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request

from referee.export import score_csv
from webui.companion import Companion
from webui.rules_view import option_choices, sheet_choices
from webui.shown import Shown

table = Blueprint("table", __name__)


def companion() -> Companion:
    """The companion that this application serves."""
    served: Companion = current_app.extensions["tilekeeper"]
    return served


@table.get("/")
def page() -> str:
    live = companion().hub.state()["live"]
    return render_template("table.html", live=live, sheets=sheet_choices(), options=option_choices())


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
