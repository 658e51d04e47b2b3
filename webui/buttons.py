"""The buttons of the pages: every change of the match comes through here, by POST, one button at a time."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from webui.play import PlayError
from webui.table import companion

buttons = Blueprint("buttons", __name__)


@buttons.post("/press/<button>")
def press(button: str) -> tuple[Response, int]:
    """One button, with what it needs as a JSON object. 200 done, 409 does nothing now (and why), 400 no sense."""
    data = request.get_json(silent=True)
    if not isinstance(data, dict):
        return jsonify({"reason": "bad-request", "message": "a JSON object is needed"}), 400
    try:
        companion().press(button, data)
    except PlayError as error:
        status = 400 if error.reason in ("bad-request", "no-such-button") else 409
        return jsonify({"reason": error.reason, "message": str(error)}), status
    except TimeoutError:
        return jsonify({"reason": "no-answer", "message": "The companion does not answer."}), 503
    except OSError as error:
        message = f"It could not be kept: {(error.strerror or str(error)).lower()}. Nothing was changed."
        return jsonify({"reason": "not-kept", "message": message}), 507
    return jsonify({}), 200
