"""The table: its page, its picture and its event stream."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, jsonify, render_template, request

from webui.companion import Companion
from webui.push import stream
from webui.shown import Shown

table = Blueprint("table", __name__)


def companion() -> Companion:
    """The companion that this application serves."""
    served: Companion = current_app.extensions["tilekeeper"]
    return served


@table.get("/")
def page() -> str:
    return render_template("table.html", live=companion().hub.state()["live"])


@table.get("/events")
def events() -> Response:
    lines = (line.encode() for line in stream(companion().hub))
    return Response(lines, mimetype="text/event-stream", headers={"X-Accel-Buffering": "no"})


@table.get("/state.json")
def state() -> Response:
    return jsonify(companion().hub.state())


@table.get("/picture/<int:number>.jpg")
def picture(number: int) -> Response:
    """The newest picture; `number` only makes its address another, `w` is the width in which it is shown."""
    frame = companion().frame
    if frame is None:
        abort(404, "There is no picture yet.")
    shown: Shown = current_app.extensions["shown"]
    jpeg = shown.jpeg(frame, request.args.get("w", 1280, type=int))
    return Response(jpeg, mimetype="image/jpeg", headers={"X-Picture": str(frame.number)})
