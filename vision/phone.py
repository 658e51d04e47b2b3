"""A phone as camera: its page posts pictures, and this is the `Camera` that they arrive in.

The phone sends one JPEG at a time and is answered how often, and how large, the next ones are wanted: fewer while
the table is at rest. What is too large, damaged or too early costs nothing but its bytes. `FolderPhone` is the
file-backed twin of the page.
"""

from __future__ import annotations

import io
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from vision.camera import LIVELIEST, Frame, Link, Picture, Tuning
from vision.pictures import PictureError, load

MOST_BYTES = 8 * 1024 * 1024
MOST_PIXELS = 40_000_000
ASLEEP_S = 2.5
"""A phone that was silent for so long sleeps, or is out of the network's reach."""
LIVELY, CALM = 6.0, 3.0
"""Pictures a second that are wanted while something moves, and at rest."""
LONGEST = 1920
"""Pixels of the longer side that are wanted."""
MOST_REMEMBERED = 64

TOO_LARGE, NO_PICTURE, OTHER_PHONE = "too-large", "no-picture", "other-phone"


class PhoneError(ValueError):
    """A picture that is not taken: `reason` is a stable name (`TOO_LARGE`, `NO_PICTURE` or `OTHER_PHONE`), the text
    one line for the person who holds the phone. After `OTHER_PHONE` the page should stop sending.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the phone is asked for: ``rate`` pictures a second, ``longest`` pixels of the longer side."""

    rate: float
    longest: int = LONGEST


class PhoneCamera:
    """A `vision.camera.Camera` that is fed by `post`; any thread may call anything.

    Two phones at once: the one that begins last takes over, since somebody has just set it up. The other is refused
    with `OTHER_PHONE` from then on, so that two pages never take turns; it may come back under another id (somebody
    pressed its button again) or once the phone that took over is asleep.

    >>> camera = PhoneCamera()
    >>> camera.link.value, camera.newest()
    ('opening', None)
    """

    live = True

    def __init__(self, clock: Callable[[], float] = time.monotonic, name: str = "phone") -> None:
        self.name = name
        self._clock = clock
        self._came = threading.Condition()
        self._decoding = threading.Lock()
        self._frame: Frame | None = None
        self._phone = ""
        self._heard = float("-inf")
        self._kept = float("-inf")
        self._replaced: deque[str] = deque(maxlen=MOST_REMEMBERED)
        self._resting = self._closed = False

    def post(self, jpeg: bytes, at: float | None = None, phone: str = "") -> Wanted:
        """One picture from a phone.

        Args:
            jpeg: a JPEG file, at most `MOST_BYTES` and `MOST_PIXELS`; turned upright as its EXIF data says.
            at: when it came in (the clock of this camera, monotonic seconds), before its bytes were read; now if
                not said. One older than the newest is left out.
            phone: what tells phones apart: an id that a page makes up when somebody presses its start button.

        Returns:
            What is wanted next. A picture that is not needed (too early, or another is being decoded) is left out
            and answered alike.

        Raises:
            PhoneError: it is too large, no picture, or another phone has taken over.
        """
        at = self._clock() if at is None else at
        if len(jpeg) > MOST_BYTES:
            raise PhoneError(TOO_LARGE, f"the picture is larger than {MOST_BYTES >> 20} MiB: send it smaller")
        with self._came:
            self._let_in(phone, at)
            # A little sooner than is asked for: a phone's timer is no metronome.
            early = at - self._kept < 0.8 / LIVELIEST
        if early or not self._decoding.acquire(blocking=False):
            return self.wanted
        try:
            picture = decoded(jpeg)
        finally:
            self._decoding.release()
        with self._came:
            newer = self._frame is None or at > self._frame.at
            if newer and phone == self._phone and not self._closed:
                number = self._frame.number + 1 if self._frame else 1
                self._frame, self._kept = Frame(picture, number, at), at
                self._came.notify_all()
        return self.wanted

    @property
    def wanted(self) -> Wanted:
        """What phones are asked for now."""
        return Wanted(CALM if self._resting else LIVELY)

    @property
    def link(self) -> Link:
        """OPENING before the first picture, OPEN, or ASLEEP."""
        frame = self._frame
        if frame is None:
            return Link.OPENING
        return Link.ASLEEP if self._clock() - frame.at > ASLEEP_S else Link.OPEN

    @property
    def trouble(self) -> str:
        if self._frame is None:
            return "No phone sends pictures yet: open the camera page on a phone"
        return ""

    @property
    def tuning(self) -> Tuning:
        return Tuning((LONGEST, LONGEST * 9 // 16))

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        with self._came:
            self._came.wait_for(lambda: self._closed or self._is_later(after), timeout)
            return self._frame if self._is_later(after) else None

    def rest(self, resting: bool) -> None:
        self._resting = resting

    def close(self) -> None:
        with self._came:
            self._closed = True
            self._came.notify_all()

    def _is_later(self, after: float) -> bool:
        return self._frame is not None and self._frame.at > after

    def _let_in(self, phone: str, at: float) -> None:
        """Whether this phone's pictures are taken now; a new one takes over. Raises `PhoneError`."""
        if phone != self._phone:
            sleeps = at - self._heard > ASLEEP_S
            if phone in self._replaced and not sleeps:
                raise PhoneError(OTHER_PHONE, "another phone has taken over: press start to use this one again")
            if self._heard > float("-inf"):
                self._replaced.append(self._phone)
            if phone in self._replaced:
                self._replaced.remove(phone)
            self._phone, self._kept = phone, float("-inf")
        self._heard = max(self._heard, at)


def decoded(jpeg: bytes) -> Picture:
    """The picture (h, w, 3) uint8 BGR of a JPEG file, its size checked before it is unpacked. Raises `PhoneError`."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; they are refused here
            with Image.open(io.BytesIO(jpeg), formats=("JPEG",)) as image:
                width, height = image.size
    except Image.DecompressionBombError:
        raise PhoneError(TOO_LARGE, "the picture has far more pixels than any table needs") from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        raise PhoneError(NO_PICTURE, "that is no JPEG picture") from None
    if width * height > MOST_PIXELS:
        most = MOST_PIXELS // 1_000_000
        raise PhoneError(TOO_LARGE, f"the picture has {width}×{height} pixels, more than {most} megapixels")
    try:
        return np.asarray(load(jpeg, "the picture"), np.uint8)
    except PictureError as error:
        raise PhoneError(NO_PICTURE, str(error)) from None


class FolderPhone:
    """A phone made of a folder's JPEG files, for tests and trials: each `send` posts the next one, round and round."""

    def __init__(self, camera: PhoneCamera, folder: Path, phone: str = "folder") -> None:
        self._camera, self._folder, self._phone = camera, folder, phone
        self._files = self._round()

    def send(self, at: float | None = None) -> Wanted:
        """Posts the next picture. Raises `PhoneError` as `PhoneCamera.post` does."""
        return self._camera.post(next(self._files).read_bytes(), at, self._phone)

    def _round(self) -> Iterator[Path]:
        while True:
            files = sorted(p for p in self._folder.iterdir() if p.suffix.lower() in (".jpg", ".jpeg"))
            if not files:
                raise FileNotFoundError(f"no JPEG files in {self._folder}")
            yield from files
