"""The picture that the pages show: the newest frame as JPEG, encoded once however many pages ask for it."""

from __future__ import annotations

import threading

import cv2

from vision.camera import Frame

WIDTHS = (640, 1280, 1920)
QUALITY = 82


class Shown:
    """Keeps the JPEG of one frame in each width that was asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._frame: Frame | None = None
        self._jpegs: dict[int, bytes] = {}

    def jpeg(self, frame: Frame, width: int) -> bytes:
        """The frame in the smallest of `WIDTHS` that is not below `width` pixels, never enlarged."""
        step = next((w for w in WIDTHS if w >= width), WIDTHS[-1])
        with self._lock:
            if self._frame is None or self._frame.picture is not frame.picture:
                self._frame, self._jpegs = frame, {}
            if step not in self._jpegs:
                self._jpegs[step] = _encode(frame, step)
            return self._jpegs[step]


def _encode(frame: Frame, width: int) -> bytes:
    picture, scale = frame.picture, width / frame.size[0]
    shrunk = cv2.resize(picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else picture
    good, data = cv2.imencode(".jpg", shrunk, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    if not good:
        raise ValueError("the picture cannot be encoded")
    return bytes(data)
