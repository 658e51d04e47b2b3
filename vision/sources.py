"""The sources of pictures: a folder, a video file, a camera device, a stream from the network.

`open_source` makes one from what a person writes after ``--camera`` and says in one line why it cannot.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from vision.camera import Camera, CameraError, Feed, Picture, Shot, Source, Tuning
from vision.phone import PhoneCamera
from vision.pictures import SUFFIXES, PictureError, find_photos, load

EVERY_S = 4.0
FOLDER_BEAT_S = 0.1
WAIT_MS = 3000
ASKED = (1920, 1080)
PHONE = "phone"
HARMLESS = re.compile(r"(channel|chan|ch|camera|cam|stream|subtype|profile)=\d{1,3}", re.IGNORECASE)
"""What an address asks for and no secret: two cameras behind one address differ in it."""


class FolderSource:
    """The pictures of a folder by name, each for `every` seconds, then from the beginning.

    The folder is looked at anew at every step, so pictures that are added join in; one that cannot be read is
    passed over.
    """

    live = False

    def __init__(
        self,
        folder: Path,
        every: float = EVERY_S,
        loop: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = folder.name or str(folder)
        self._folder, self._every, self._loop, self._clock = folder, every, loop, clock
        self._shown: Path | None = None
        self._picture: Picture | None = None
        self._until = 0.0

    def open(self) -> None:
        self._pictures()

    def read(self, wanted: bool) -> Shot | None:
        if self._picture is not None and self._clock() < self._until:
            time.sleep(FOLDER_BEAT_S)
            return Shot(self._picture, fresh=False, path=self._shown)
        trouble = ""
        for path in self._next():
            try:
                picture = load(path)
            except PictureError as error:
                trouble = str(error)
                continue
            fresh = path != self._shown
            self._picture, self._shown, self._until = picture, path, self._clock() + self._every
            return Shot(picture, fresh=fresh, path=path)
        if trouble:
            raise CameraError(trouble)
        raise EOFError(f"{self.name}: all pictures shown")

    def close(self) -> None:
        pass

    def _pictures(self) -> tuple[Path, ...]:
        try:
            return find_photos([self._folder]).photos
        except PictureError as error:
            raise CameraError(str(error)) from None

    def _next(self) -> tuple[Path, ...]:
        """The pictures to try, in order: those after the one shown, then (going round) from the first."""
        pictures = self._pictures()
        if self._shown not in pictures:
            return pictures
        at = pictures.index(self._shown) + 1
        return pictures[at:] + pictures[:at] if self._loop else pictures[at:]


class VideoSource:
    """A video file at its own pace; pictures that come too late are passed over."""

    live = False

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.name = path.name
        self._path, self._clock = path, clock
        self._capture: cv2.VideoCapture | None = None
        self._began, self._taken, self._rate = 0.0, 0, 25.0

    def open(self) -> None:
        self._capture = _capture(str(self._path), cv2.CAP_ANY)
        if self._capture is None:
            raise CameraError(f"{self._path} is no video that can be played here")
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        self._rate = rate if 1.0 <= rate <= 240.0 else 25.0
        self._began, self._taken = self._clock(), 0

    def read(self, wanted: bool) -> Shot | None:
        assert self._capture is not None
        early = self._began + self._taken / self._rate - self._clock()
        if early > 0:
            time.sleep(min(early, 0.5))
            if early > 0.5:
                return None
        if not self._capture.grab():
            raise EOFError(f"{self.name}: the video has ended")
        self._taken += 1
        return _retrieve(self._capture) if wanted and early > -1.0 / self._rate else None

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class LensSource:
    """A camera device or a network stream, asked for a large picture and its newest one."""

    live = True

    def __init__(self, address: int | str, name: str) -> None:
        self.name = name
        self._address = address
        self._capture: cv2.VideoCapture | None = None

    def open(self) -> Tuning | None:
        api = cv2.CAP_FFMPEG if isinstance(self._address, str) else cv2.CAP_ANY
        self._capture = _capture(self._address, api)
        if self._capture is None:
            raise CameraError(self._not_there())
        return _tuned(self._capture) if isinstance(self._address, int) else None

    def read(self, wanted: bool) -> Shot | None:
        if self._capture is None or not self._capture.grab():
            raise CameraError(f"{self.name} delivers no pictures any more")
        return _retrieve(self._capture) if wanted else None

    def close(self) -> None:
        if self._capture is not None:
            self._capture.release()
            self._capture = None

    def _not_there(self) -> str:
        if isinstance(self._address, str):
            return f"no picture from {self.name}: check the address, and that the camera is on"
        there = list_devices()
        have = ", ".join(f"{n} ({name})" for n, name in there) if there else "none is plugged in"
        return f"no camera at {self.name}; cameras here: {have}"


def list_devices(system: Path = Path("/sys/class/video4linux")) -> list[tuple[int, str]]:
    """Number and name of every video device this system names (Linux); elsewhere an empty list.

    Of the several that one webcam has, the first: the others deliver what is no picture.
    """
    found: dict[Path, tuple[int, int, str]] = {}
    for entry in system.glob("video*"):
        try:
            number, name = int(entry.name.removeprefix("video")), (entry / "name").read_text("utf-8").strip()
        except (OSError, ValueError):
            continue
        webcam = (entry / "device").resolve()
        place = _number(entry / "index")
        found[webcam] = min(found.get(webcam, (place, number, name)), (place, number, name))
    return sorted((number, name) for _, number, name in found.values())


def _number(path: Path) -> int:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return 0


def open_camera(text: str, every: float = EVERY_S) -> Camera:
    """The camera that `text` names, as `open_source` takes it, or ``phone``. Raises `CameraError`."""
    return PhoneCamera() if text.strip() == PHONE else Feed(open_source(text, every))


def open_source(text: str, every: float = EVERY_S) -> Source:
    """The source that `text` names: a folder, a video file, an address, a device number, path or name.

    Raises `CameraError` where it names none. Opening it is the feed's business.
    """
    text = text.strip()
    if not text:
        raise CameraError("no camera is named; give a number, a name, a path or an address")
    if text == PHONE:
        raise CameraError("a phone is no source that can be opened: it opens a page and sends pictures by itself")
    if re.fullmatch(r"\d{1,3}", text):
        return LensSource(int(text), f"camera {int(text)}")
    if re.match(r"(rtsp|rtsps|http|https|udp|tcp)://", text, re.IGNORECASE):
        return LensSource(text, without_secrets(text))
    if device := re.fullmatch(r"/dev/video(\d+)", text):
        return LensSource(int(device.group(1)), text)
    path = Path(text).expanduser()
    if path.is_dir():
        return FolderSource(path, every)
    if path.is_file():
        return _file_source(path)
    named = [(n, name) for n, name in list_devices() if text.casefold() in name.casefold()]
    if named:
        return LensSource(*named[0])
    raise CameraError(f"no camera, file or folder {text!r}; give a number, a name, a path or an address")


def device_number(text: str) -> int | None:
    """The number of the device that `text` names for `open_source`; None where it names something else, or nothing."""
    try:
        source = open_source(text)
    except CameraError:
        return None
    number = source._address if isinstance(source, LensSource) else None
    return number if isinstance(number, int) else None


def _file_source(path: Path) -> Source:
    if path.suffix.lower() in SUFFIXES:
        raise CameraError(f"{path} is a single picture: give its folder, or use `tilekeeper read`")
    return VideoSource(path)


def without_secrets(address: str) -> str:
    """An address as people may see it: no name and password, and of its query only which picture it asks for.

    >>> without_secrets("rtsp://anna:p@ss@192.168.1.9/live?channel=1&token=abc")
    'rtsp://192.168.1.9/live?channel=1&…'
    """
    # Up to the last @, wherever it stands: a password may hold any sign, also where it should not.
    plain, mark, query = re.sub(r"//.*@", "//", address).partition("#")[0].partition("?")
    parts = [part if HARMLESS.fullmatch(part) else "…" for part in query.split("&")] if query else []
    return plain + mark + "&".join(parts)


def _capture(address: int | str, api: int) -> cv2.VideoCapture | None:
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    limits = []
    if api == cv2.CAP_FFMPEG:
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, WAIT_MS, cv2.CAP_PROP_READ_TIMEOUT_MSEC, WAIT_MS]
    try:
        capture = cv2.VideoCapture(address, api, limits)
    except cv2.error:
        return None
    if capture.isOpened():
        return capture
    capture.release()
    return None


def _tuned(capture: cv2.VideoCapture) -> Tuning:
    """Asks a device for large, new pictures in focus, and says what was asked and how it focuses."""
    for key, value in (
        (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
        (cv2.CAP_PROP_FRAME_WIDTH, ASKED[0]),
        (cv2.CAP_PROP_FRAME_HEIGHT, ASKED[1]),
        (cv2.CAP_PROP_BUFFERSIZE, 1),
        (cv2.CAP_PROP_AUTOFOCUS, 1),
    ):
        capture.set(key, value)
    # Drivers that cannot focus answer -1, or 0 after they were asked for it.
    return Tuning(ASKED, "auto" if capture.get(cv2.CAP_PROP_AUTOFOCUS) > 0 else "fixed")


def _retrieve(capture: cv2.VideoCapture) -> Shot | None:
    """Decodes the picture grabbed last; None where it is damaged."""
    good, picture = capture.retrieve()
    if not good or picture is None or picture.size == 0:
        return None
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    return Shot(np.asarray(picture, np.uint8))
