"""What people may ask of a demo that they have taken over: to go on by itself, or to start again."""

from __future__ import annotations

from flask import Blueprint, Response, current_app, jsonify

from webui.demo import Autopilot, Wish
from webui.guard import refuse

demo = Blueprint("demo", __name__)


@demo.post("/demo/<any('go-on', again):wish>")
def ask(wish: str) -> Response:
    """Whether it can be done is what the page sees next: the demo plays, or it does not."""
    autopilot: Autopilot | None = current_app.extensions["autopilot"]
    if autopilot is None:
        return refuse("no-demo", "This is no demo.", 404)
    autopilot.ask(Wish(wish))
    return jsonify({})
