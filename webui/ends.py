"""Pictures of the way back and of the racks: the table as a turn began, a photo of a rack sent and shown."""

from __future__ import annotations

import threading
import warnings
from io import BytesIO

import cv2
import numpy as np
from flask import Blueprint, Response, abort, jsonify, request
from PIL import Image

from vision.pictures import FORMATS, PictureError, load
from webui.play import PlayError
from webui.table import companion

ends = Blueprint("ends", __name__)

MOST_BYTES = 8 * 1024 * 1024
MOST_PIXELS = 40_000_000
LONGEST_SIDE = 2560
"""Pixels: of a rack's photo there is nothing more to see in a larger picture, and it is read faster."""

_decoding = threading.BoundedSemaphore(1)
"""A picture of 40 megapixels takes 120 MB as long as it is being decoded: one at a time."""


@ends.get("/snapshot/<int:turn>.jpg")
def snapshot(turn: int) -> Response:
    """The table as it lay when that turn began."""
    return _jpeg(companion().umpire.restoring.jpeg(turn))


@ends.get("/racks/photo/<int:number>.jpg")
def rack_photo(number: int) -> Response:
    """A photo of a rack, as it was read."""
    return _jpeg(companion().umpire.racks.picture(number))


@ends.post("/racks/photo")
def send_photo() -> tuple[Response, int]:
    """A photo of one player's rack, the body being the file: 202 when it is going to be read.

    What came of it is in the state that is pushed to the pages.
    """
    request.max_content_length = MOST_BYTES
    if request.content_length is None:
        return _no("bad-request", "the photo's length is missing"), 411
    if request.content_length > MOST_BYTES:
        return _no("photo-too-large", "That photo is larger than 8 MB: take a smaller one."), 413
    if not _decoding.acquire(timeout=5):
        return _no("busy", "Other photos are being read: try again in a moment."), 429
    try:
        picture = decode(request.get_data(cache=False))
    except PictureError as error:
        return _no("no-photo", f"{str(error)[:1].upper()}{str(error)[1:]}."), 400
    finally:
        _decoding.release()
    try:
        companion().read_rack(request.args.get("player", ""), picture)
    except PlayError as error:
        return _no(error.reason, str(error)), 409
    except TimeoutError:
        return _no("no-answer", "The companion does not answer."), 503
    return jsonify({}), 202


def decode(data: bytes) -> np.ndarray:
    """A photo as the camera was held, BGR uint8, no side longer than `LONGEST_SIDE`. Raises `PictureError`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with Image.open(BytesIO(data), formats=FORMATS) as image:
                pixels = image.size[0] * image.size[1]
    except Exception:
        pixels = 0  # what it is, or is not, is said by `load`
    if pixels > MOST_PIXELS:
        raise PictureError(f"the photo is larger than {MOST_PIXELS // 1_000_000} megapixels: take a smaller one")
    picture = load(data, "the photo")
    scale = LONGEST_SIDE / max(picture.shape[:2])
    return cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture


def _jpeg(data: bytes | None) -> Response:
    if data is None:
        abort(404, "There is no such picture any more.")
    return Response(data, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=3600"})


def _no(reason: str, message: str) -> Response:
    return jsonify({"reason": reason, "message": message})
