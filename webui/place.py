"""Where the table is in the picture: what a page needs to show and change the corners of the playing area."""

from __future__ import annotations

from typing import Any

import numpy as np
from flask import Blueprint, Response, jsonify, request

from vision.place import confident, quads_of
from vision.table import TableError, whole
from webui.table import companion

place = Blueprint("place", __name__)


@place.get("/place")
def corners() -> Response:
    """The corners (pixels, null: the whole picture), where they are from, and what would be proposed now (or null)."""
    watched = companion()
    there, frame, reading = watched.place, watched.frame, watched.umpire.reading
    proposal = None
    if frame is not None:
        tiles = quads_of(reading.tiles) if reading is not None else np.zeros((0, 4, 2))
        proposal = confident(frame.picture, tiles)
    return jsonify(
        {
            "image": dict(zip(("width", "height"), frame.size, strict=True)) if frame else None,
            "corners": there.corners,
            "source": there.source.value,
            "moved": there.moved is not None,
            "proposal": proposal,
            "whole": whole(*frame.size) if frame else None,
        }
    )


@place.post("/place")
def change() -> tuple[Response, int]:
    """One change: ``{"corners": [[x, y] × 4] or null, "image": {"width", "height"}}``, ``{"propose": true}`` to look
    for the table's edges anew, or ``{"right": true}``: the camera was moved and stays as it is.

    200 done, 400 no sense, 409 not with this picture, 507 counts but could not be kept.
    """
    data = request.get_json(silent=True)
    if not isinstance(data, dict) or sum(key in data for key in ("corners", "propose", "right")) != 1:
        return _no("bad-request", "one of corners, propose or right is needed"), 400
    try:
        if "corners" in data:
            size = _size(data.get("image"))
            if size is None:
                return _no("bad-request", "the size of the picture is missing"), 400
            companion().set_area(data["corners"], size)
        elif data.get("propose") is True:
            companion().propose_area()
        elif data.get("right") is True:
            companion().put_right()
        else:
            return _no("bad-request", "propose and right can only be true"), 400
    except TableError as error:
        return _no("corners", f"{str(error)[:1].upper()}{str(error)[1:]}."), 409
    except TimeoutError:
        return _no("no-answer", "The companion does not answer."), 503
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return _no("not-kept", f"It counts until the companion ends, but could not be kept: {reason}."), 507
    return jsonify({}), 200


def _size(image: Any) -> tuple[int, int] | None:
    """Width and height of the picture in which a page has set its corners."""
    if not isinstance(image, dict):
        return None
    width, height = image.get("width"), image.get("height")
    return (width, height) if type(width) is int and type(height) is int else None


def _no(reason: str, message: str) -> Response:
    return jsonify({"reason": reason, "message": message})
