"""The invitation: links and QR codes for those who play, and the way in for those who type the code."""

from __future__ import annotations

from flask import Blueprint, Response, abort, current_app, g, jsonify, request
from werkzeug.wrappers import Response as AnyResponse

from webui.guard import ask_for_code, let_in, refuse, the_door, try_code
from webui.invite import InviteError, Role, link, svg
from webui.network import Network

invite = Blueprint("invite", __name__)
KINDS = {"play": "/", "view": "/", "camera": "/camera"}
NO_LAN = "Other devices are let in only when Tilekeeper is started with --lan."


def links(kind: str) -> list[str]:
    """The links of one kind, one for each address of this machine, the likeliest first."""
    door = the_door()
    if door is None or kind not in KINDS:
        abort(404, NO_LAN)
    network: Network = current_app.extensions["network"]
    port = int(request.environ.get("SERVER_PORT") or 0)
    codes = door.codes
    query = {"view": codes.view} if kind == "view" else {"code": codes.play}
    return [link(address, port, KINDS[kind], **query) for address in network.addresses]


@invite.get("/invite.json")
def invitation() -> Response:
    """All links, and the code for those who watch already."""
    door = the_door()
    if door is None:
        return refuse("no-lan", NO_LAN, 404)
    return jsonify({"code": door.codes.play, "links": {kind: links(kind) for kind in KINDS}})


@invite.get("/invite/<any(play, view, camera):kind>.svg")
def picture(kind: str) -> Response:
    """A link as a QR code; `at` counts this machine's addresses."""
    found = links(kind)
    at = request.args.get("at", 0, type=int)
    if not 0 <= at < len(found):
        abort(404, "This machine is not on a network.")
    return Response(svg(found[at]), mimetype="image/svg+xml")


@invite.post("/invite/renew")
def renew() -> AnyResponse:
    """New codes: everybody but this browser has to come in anew."""
    door = the_door()
    if door is None:
        return refuse("no-lan", NO_LAN, 404)
    try:
        door.renew()
    except InviteError as error:
        return refuse("not-kept", f"{error}. The old codes stay.", 507)
    return let_in(jsonify({}), door, Role.PLAY)


@invite.post("/join")
def join() -> AnyResponse:
    """Somebody typed the code."""
    door = the_door()
    data = request.get_json(silent=True)
    given = data.get("code") if isinstance(data, dict) else None
    if not isinstance(given, str):
        return refuse("bad-request", "The code is missing.", 400)
    if door is None:
        return jsonify({"role": Role.PLAY.value})
    role, wait = try_code(door, given)
    if wait:
        answer = refuse("too-many-guesses", f"Too many wrong codes. Wait {wait} seconds.", 429)
        answer.headers["Retry-After"] = str(wait)
        return answer
    if role is None:
        return refuse("wrong-code", "That is not the code.", 403)
    if g.role is Role.PLAY:
        role = Role.PLAY
    return let_in(jsonify({"role": role.value}), door, role)


@invite.get("/join")
def form() -> AnyResponse:
    """Where somebody who watches types the code."""
    return ask_for_code(status=200)


@invite.get("/door.css")
def style() -> Response:
    """The looks of the page that a stranger sees."""
    return current_app.send_static_file("door.css")
