"""Who may see the pages and what the pages may do: host names, roles on a local network, the policy."""

from __future__ import annotations

import math
from collections.abc import Callable

from flask import Flask, Response, abort, current_app, g, jsonify, make_response, redirect, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as AnyResponse

from webui.invite import Door, Role
from webui.network import LOCAL
from webui.words import ENGLISH, RIGHT_TO_LEFT, language, languages, said_in

COOKIE = "tilekeeper"
COOKIE_S = 30 * 86400
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "media-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(self), geolocation=(), microphone=()",
}
OPEN = frozenset({"invite.join", "invite.form", "invite.style"})
"""What anybody may ask for: trying a code, and the looks of the page that asks for it."""
PLAYERS_ONLY = frozenset({"invite.invitation", "invite.picture", "phone.page"})
"""What somebody who only watches may not see: how one comes to play, and the camera."""
PICTURES = frozenset({"phone.picture"})
"""Where a JPEG is sent instead of JSON."""
PHOTOS = frozenset({"ends.send_photo"})
"""Where a picture file of any kind is: no form of a foreign page can send that as what it is."""


def is_local(host: str) -> bool:
    """Whether a host name means this machine from itself."""
    return host.lower() in LOCAL


def guard(app: Flask, is_ours: Callable[[str], bool] = is_local, door: Door | None = None) -> None:
    """Refuses other host names (a foreign page naming this machine) and, with a `door`, whoever lacks a code."""
    app.extensions["door"] = door

    @app.before_request
    def check() -> AnyResponse | None:
        if not is_ours(host_name(request.headers.get("Host", ""))):
            abort(400, "This address is not known here.")
        if request.method in ("GET", "HEAD"):
            if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site") and not _navigates():
                abort(403, "Only this companion's own page may ask for that.")
        elif not _from_our_page():
            abort(403, "Only this companion's own page may do that.")
        g.role = Role.PLAY if door is None else door.codes.bearer(request.cookies.get(COOKIE, ""))
        given = request.args.get("code", request.args.get("view"))
        if door is not None and given is not None and request.method == "GET":
            return _try(door, given)
        if g.role is None and request.endpoint not in OPEN:
            return ask_for_code()
        if g.role is Role.VIEW and request.endpoint not in OPEN:
            changes = request.method not in ("GET", "HEAD")
            if request.endpoint == "phone.page":
                return ask_for_code()
            if changes or request.endpoint in PLAYERS_ONLY:
                return refuse("viewer", "You are watching. Join with the code to play.", 403)
        return None

    @app.after_request
    def secure(response: Response) -> Response:
        for key, value in HEADERS.items():
            response.headers.setdefault(key, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    @app.errorhandler(HTTPException)
    def plain(error: HTTPException) -> AnyResponse:
        """Errors as a line of text: there is nothing of the request in them."""
        if error.response is not None:
            return error.get_response()
        text = f"{error.description or error.name}\n"
        return make_response((text, error.code or 500, {"Content-Type": "text/plain; charset=utf-8"}))

    @app.errorhandler(RecursionError)
    def too_deep(error: RecursionError) -> Response:
        """A document of thirty thousand brackets."""
        return refuse("bad-request", "That document is nested too deeply.", 400)

    @app.context_processor
    def who() -> dict[str, object]:
        return {"role": g.get("role") or "", "lan": door is not None}


def host_name(header: str) -> str:
    """The name in a ``Host`` header, without its port.

    >>> host_name("[::1]:8106"), host_name("laptop.local:8106"), host_name("127.0.0.1")
    ('[::1]', 'laptop.local', '127.0.0.1')
    """
    return header.partition("]")[0] + "]" if header.startswith("[") else header.partition(":")[0]


def refuse(reason: str, message: str, status: int) -> Response:
    """A refusal that the page shows."""
    answer = jsonify({"reason": reason, "message": message})
    answer.status_code = status
    return answer


def let_in(answer: AnyResponse, door: Door, role: Role) -> AnyResponse:
    """Has the browser carry what `role` needs: it goes along when a link is opened, not with what other pages send."""
    answer.set_cookie(
        COOKIE, door.codes.token(role), max_age=COOKIE_S, httponly=True, samesite="Lax", secure=request.is_secure
    )
    return answer


def try_code(door: Door, given: str) -> tuple[Role | None, int]:
    """The role that a code opens and 0, or None and the seconds to wait (0: it was simply wrong)."""
    address = request.remote_addr or ""
    wait = door.guesses.wait(address)
    if wait > 0:
        return None, math.ceil(wait)
    role = door.codes.role(given)
    if role is None:
        door.guesses.wrong(address)
    return role, 0


def ask_for_code(wrong: bool = False, wait: int = 0, status: int = 403) -> AnyResponse:
    """The page that a stranger sees, in the language of the browser: it tells nothing of the game."""
    status = 429 if wait else status
    code = _understood()
    texts = language(code)
    said = said_in(texts, "door.wait", wait) if wait else texts["refused.wrong-code"] if wrong else ""
    if request.method == "GET" and "text/html" in request.headers.get("Accept", ""):
        right_to_left = code in RIGHT_TO_LEFT
        page = render_template("door.html", lang=code, right_to_left=right_to_left, texts=texts, said=said)
        answer = make_response(page, status)
    else:
        line = said or texts["door.link"]
        answer = make_response((f"{line}\n", status, {"Content-Type": "text/plain; charset=utf-8"}))
    answer.headers["Content-Language"] = code
    answer.headers["Vary"] = "Accept-Language"
    if wait:
        answer.headers["Retry-After"] = str(wait)
    return answer


def _understood() -> str:
    """The first of the browser's languages that there is, as the page itself chooses: ``de`` for ``de-AT``."""
    wishes = (tag.partition("-")[0].lower() for tag, wanted in request.accept_languages if wanted > 0)
    return next((wish for wish in wishes if wish in languages()), ENGLISH)


def _try(door: Door, given: str) -> AnyResponse:
    """A link with a code: the code goes into the cookie and out of the address."""
    role, wait = try_code(door, given)
    if role is None:
        return ask_for_code(wrong=True, wait=wait)
    if role is Role.VIEW and g.role is Role.PLAY:
        role = Role.PLAY  # who plays goes on playing
    return let_in(redirect(request.path), door, role)


def _navigates() -> bool:
    """A link was followed, as opposed to a part of some other page."""
    return request.headers.get("Sec-Fetch-Mode") == "navigate" and request.headers.get("Sec-Fetch-Dest") == "document"


def _from_our_page() -> bool:
    """A browser says where a request comes from; a page from elsewhere cannot send our kind of content."""
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    origin = request.headers.get("Origin")
    ours = (
        request.is_json
        or (request.endpoint in PICTURES and request.mimetype == "image/jpeg")
        or (request.endpoint in PHOTOS and request.mimetype.startswith("image/"))
    )
    return site == "same-origin" and origin in (None, request.host_url.rstrip("/")) and ours


def the_door() -> Door | None:
    """The door of this application, if it is open to the local network."""
    door: Door | None = current_app.extensions["door"]
    return door
