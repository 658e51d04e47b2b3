"""Who may see the pages and what the pages may do: host names, the code on a local network, the policy."""

from __future__ import annotations

import hmac
from collections.abc import Iterable

from flask import Flask, Response, abort, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

COOKIE = "tilekeeper-code"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), microphone=()",
}
LOCAL = ("127.0.0.1", "localhost", "[::1]")


def guard(app: Flask, hosts: Iterable[str] = LOCAL, code: str | None = None) -> None:
    """Refuses other host names (a foreign page naming this machine), and whoever lacks the `code`."""
    allowed = frozenset(hosts)

    @app.before_request
    def check() -> AnyResponse | None:
        if request.host.rsplit(":", 1)[0] not in allowed and request.host not in allowed:
            abort(400, "This address is not known here.")
        if request.method not in ("GET", "HEAD") and not _from_our_page():
            abort(403, "Only this companion's own page may do that.")
        if code is None:
            return None
        given = request.args.get("code")
        if given is not None and hmac.compare_digest(given.encode(), code.encode()):
            answer = redirect(request.path)
            answer.set_cookie(COOKIE, code, max_age=86400, httponly=True, samesite="Strict")
            return answer
        if not hmac.compare_digest(request.cookies.get(COOKIE, "").encode(), code.encode()):
            return make_response(
                (
                    "Open the whole address that the companion printed, with its code.\n",
                    403,
                    {"Content-Type": "text/plain; charset=utf-8"},
                )
            )
        return None

    def _from_our_page() -> bool:
        """A browser says where a request comes from; a page from elsewhere cannot send our kind of content."""
        site = request.headers.get("Sec-Fetch-Site", "same-origin")
        origin = request.headers.get("Origin")
        return site == "same-origin" and origin in (None, request.host_url.rstrip("/")) and request.is_json

    @app.after_request
    def secure(response: Response) -> Response:
        for key, value in HEADERS.items():
            response.headers.setdefault(key, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response
