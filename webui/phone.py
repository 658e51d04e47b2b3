"""A phone as camera: its page, and where its pictures arrive."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import RequestEntityTooLarge

from vision.phone import MOST_BYTES, OTHER_PHONE, TOO_LARGE, PhoneCamera, PhoneError
from webui.companion import Companion
from webui.guard import refuse

phone = Blueprint("phone", __name__)
FASTEST = 15.0
"""Pictures a second that are taken from one address; the phone is asked for fewer."""
BURST = 8.0
ADDRESSES_MOST = 64


class Pace:
    """Lets each address send so many pictures a second, and a few at once after a pause."""

    def __init__(self, rate: float = FASTEST, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._lock = threading.Lock()
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, address: str) -> bool:
        """Whether a picture from this address is taken now."""
        with self._lock:
            now = self._clock()
            left, at = self._left.pop(address, (BURST, now))
            left = min(BURST, left + (now - at) * self._rate)
            self._left[address] = (left - 1 if left >= 1 else left, now)
            while len(self._left) > ADDRESSES_MOST:
                del self._left[next(iter(self._left))]
            return left >= 1


def _camera() -> PhoneCamera | None:
    companion: Companion = current_app.extensions["tilekeeper"]
    return companion.camera if isinstance(companion.camera, PhoneCamera) else None


@phone.get("/camera")
def page() -> str:
    """The page that a phone opens by the QR code."""
    companion: Companion = current_app.extensions["tilekeeper"]
    return render_template("camera.html", other=None if _camera() else companion.camera.name)


@phone.post("/camera/picture")
def picture() -> Response:
    """One JPEG. The answer says how many a second are wanted, and how large."""
    at = time.monotonic()
    camera = _camera()
    if camera is None:
        return refuse("other-camera", "This companion looks through another camera.", 409)
    who = request.headers.get("X-Phone", "")
    if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", who):
        return refuse("bad-request", "The phone has no name.", 400)
    pace: Pace = current_app.extensions["pace"]
    if not pace.take(request.remote_addr or ""):
        answer = refuse("too-fast", "That is too many pictures a second.", 429)
        answer.headers["Retry-After"] = "1"
        return answer
    request.max_content_length = MOST_BYTES
    try:
        wanted = camera.post(request.get_data(cache=False), at, who)
    except RequestEntityTooLarge:
        return refuse(TOO_LARGE, f"The picture is larger than {MOST_BYTES >> 20} MiB.", 413)
    except PhoneError as error:
        status = {OTHER_PHONE: 409, TOO_LARGE: 413}.get(error.reason, 422)
        return refuse(error.reason, str(error), status)
    return jsonify({"rate": wanted.rate, "longest": wanted.longest})
