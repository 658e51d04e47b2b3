"""Choosing the camera from a page: looking for devices again, and going over to one of them or to an address."""

from __future__ import annotations

import ipaddress

from flask import Blueprint, Response, current_app, jsonify, request

from webui.choice import ChoiceError
from webui.chooser import Chooser
from webui.guard import refuse
from webui.phone import Pace

cameras = Blueprint("cameras", __name__)
A_SECOND = 0.2
"""How often a device may look or choose; some at once after a pause."""


@cameras.post("/cameras/look")
def look() -> Response:
    """Looks for devices again; what is found is told like every state."""
    chooser = _chooser()
    if chooser is None:
        return _nothing_to_choose()
    if not _slowly():
        return _too_fast()
    chooser.look()
    return jsonify({})


@cameras.post("/cameras/choose")
def choose() -> Response:
    """``{"id": …}`` of a camera in the list, or ``{"address": "rtsp://…"}``. 200: it is being opened."""
    chooser, data = _chooser(), request.get_json(silent=True)
    if chooser is None:
        return _nothing_to_choose()
    wanted = data if isinstance(data, dict) and len(data) == 1 else {}
    name, address = wanted.get("id"), wanted.get("address")
    if not isinstance(name, str) and not isinstance(address, str):
        return refuse("bad-request", "An id or an address is needed.", 400)
    if not _slowly():
        return _too_fast()
    try:
        if isinstance(name, str):
            chooser.choose(name)
        elif isinstance(address, str):
            chooser.choose_address(address, near=_near())
    except ChoiceError as error:
        return refuse(error.reason, str(error), 409)
    return jsonify({})


def _chooser() -> Chooser | None:
    found: Chooser | None = current_app.extensions["chooser"]
    return found


def _near() -> bool:
    """Whether it is this machine itself that asks."""
    try:
        return ipaddress.ip_address(request.remote_addr or "").is_loopback
    except ValueError:
        return False


def _slowly() -> bool:
    pace: Pace = current_app.extensions["camera-pace"]
    return pace.take(request.remote_addr or "")


def _too_fast() -> Response:
    answer = refuse("too-fast", "That is too often: wait a little.", 429)
    answer.headers["Retry-After"] = "5"
    return answer


def _nothing_to_choose() -> Response:
    return refuse("no-choice", "This table has its pictures from a recorded game.", 409)
