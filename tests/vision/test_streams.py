"""A stream that behaves badly, through the feed: 60 pictures a second, another size, garbage, a stall, its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision import sources
from vision.camera import CALMEST, LIVELIEST, CameraError, Feed, Link, Shot, Tuning
from vision.sources import ASKED, LensSource, list_devices, open_source, without_secrets


class Stream:
    """A capture as OpenCV's, that delivers 60 pictures a second; `fate` may answer for any of them."""

    def __init__(self, fate: Callable[[int], object] = lambda n: None) -> None:
        self.fate, self.grabbed, self.retrieved = fate, 0, 0
        self.set_to: dict[int, float] = {}
        self.focuses = True

    def isOpened(self) -> bool:  # noqa: N802
        return True

    def grab(self) -> bool:
        time.sleep(1 / 60)
        self.grabbed += 1
        return self.fate(self.grabbed) != "end"

    def retrieve(self) -> tuple[bool, np.ndarray | None]:
        self.retrieved += 1
        fate = self.fate(self.grabbed)
        if fate == "garbage":
            return False, None
        height, width = fate if isinstance(fate, tuple) else (60, 80)
        return True, np.full((height, width, 3), self.grabbed % 250, np.uint8)

    def set(self, key: int, value: float) -> bool:
        self.set_to[key] = value
        return True

    def get(self, key: int) -> float:
        return float(key == cv2.CAP_PROP_AUTOFOCUS and self.focuses)

    def release(self) -> None: ...


@pytest.fixture
def streams(monkeypatch: pytest.MonkeyPatch) -> Callable[..., LensSource]:
    """A source whose captures are these, one at every opening; the last one again and again."""

    def make(*captures: Stream | None, address: int | str = "rtsp://camera.local/live") -> LensSource:
        waiting = list(captures)
        monkeypatch.setattr(sources, "_capture", lambda a, api: waiting.pop(0) if len(waiting) > 1 else waiting[0])
        return LensSource(address, "the stream")

    return make


def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def test_of_sixty_pictures_a_second_a_few_are_unpacked_and_fewer_at_rest(streams: Callable[..., LensSource]) -> None:
    stream = Stream()
    with Feed(streams(stream)) as camera:
        began = time.monotonic()
        until(lambda: stream.grabbed >= 60)
        assert stream.retrieved <= LIVELIEST * (time.monotonic() - began) + 2
        camera.rest(True)
        time.sleep(0.2)
        grabbed, retrieved, began = stream.grabbed, stream.retrieved, time.monotonic()
        until(lambda: stream.grabbed >= grabbed + 60)
        assert stream.retrieved - retrieved <= CALMEST * (time.monotonic() - began) + 2
        grabbed, newest = stream.grabbed, camera.newest()
        # The newest one is kept: only those of a fifth of a second are newer (it may be newer than what was counted).
        assert newest is not None
        assert (grabbed - int(newest.picture[0, 0, 0]) + 125) % 250 - 125 <= 60 / CALMEST + 3


def test_another_size_in_mid_stream_is_taken_as_it_is(streams: Callable[..., LensSource]) -> None:
    with Feed(streams(Stream(lambda n: (90, 160) if n > 20 else None))) as camera:
        until(lambda: (frame := camera.newest()) and frame.size == (160, 90))
        assert camera.link is Link.OPEN


def test_damaged_pictures_are_passed_over(streams: Callable[..., LensSource]) -> None:
    stream = Stream(lambda n: "garbage" if n < 40 else None)
    with Feed(streams(stream)) as camera:
        assert camera.newest(timeout=30) is not None and stream.grabbed >= 40


def test_one_that_ends_is_lost_and_opened_again(streams: Callable[..., LensSource]) -> None:
    with Feed(streams(Stream(lambda n: "end" if n > 10 else None), Stream()), retry=0.3) as camera:
        until(lambda: camera.link is Link.LOST)
        assert camera.trouble == "the stream delivers no pictures any more"
        until(lambda: camera.link is Link.OPEN)


def test_one_that_is_not_there_for_a_while_is_tried_until_it_is(streams: Callable[..., LensSource]) -> None:
    source = streams(Stream(lambda n: "end" if n > 3 else None), None, None, Stream())
    with Feed(source, retry=0.02) as camera:
        until(lambda: camera.trouble.startswith("no picture from the stream"))
        until(lambda: camera.link is Link.OPEN and (frame := camera.newest()) is not None and frame.number > 3)


def test_a_stall_does_not_hold_up_who_asks(streams: Callable[..., LensSource]) -> None:
    stalled, goes_on = threading.Event(), threading.Event()

    class Stalls(Stream):
        def grab(self) -> bool:
            if self.grabbed >= 5:
                stalled.set()
                goes_on.wait(60)
            return super().grab()

    with Feed(streams(Stalls())) as camera:
        assert stalled.wait(30)
        assert camera.newest() is not None
        assert camera.newest(after=time.monotonic(), timeout=0.05) is None
        goes_on.set()
        assert camera.newest(after=time.monotonic(), timeout=30) is not None


def test_a_device_is_asked_for_large_pictures_and_focus_and_what_was_got_is_known(
    streams: Callable[..., LensSource],
) -> None:
    stream = Stream()
    with Feed(streams(stream, address=0)) as camera:
        assert camera.tuning == Tuning(ASKED, "auto")
        assert stream.set_to[cv2.CAP_PROP_FRAME_WIDTH] == 1920 and stream.set_to[cv2.CAP_PROP_AUTOFOCUS] == 1
        frame = camera.newest(timeout=30)
        assert frame is not None and frame.size == (80, 60), "what was got is what the frames are"
    stream.focuses = False
    with Feed(streams(stream, address=0)) as camera:
        assert camera.tuning.focus == "fixed"
    with Feed(streams(stream)) as camera:
        assert camera.tuning == Tuning(), "a network stream is taken as it comes"


def test_a_webcam_with_several_devices_is_listed_once(tmp_path: Path) -> None:
    nodes = ((0, "Lid", "a", 0), (1, "Lid", "a", 1), (3, "Desk", "b", 1), (2, "Desk", "b", 0))
    for number, name, webcam, index in nodes:
        entry = tmp_path / f"video{number}"
        entry.mkdir()
        (entry / "name").write_text(f"{name}\n")
        (entry / "index").write_text(f"{index}\n")
        (tmp_path / webcam).mkdir(exist_ok=True)
        (entry / "device").symlink_to(tmp_path / webcam)
    (tmp_path / "video4").mkdir()
    (tmp_path / "video5").mkdir()
    (tmp_path / "video5/name").write_text("Old driver")
    assert list_devices(tmp_path) == [(0, "Lid"), (2, "Desk"), (5, "Old driver")]
    assert list_devices(tmp_path / "nowhere") == []


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("rtsp://anna:p@ss@cam/live?channel=1&token=abc", "rtsp://cam/live?channel=1&…"),
        ("rtsp://u:p/w@cam/x", "rtsp://cam/x"),
        ("rtsp://u:p?w@cam/x#y", "rtsp://cam/x"),
        ("http://cam/?pwd=12&user=a", "http://cam/?…&…"),
        ("http://cam:8080/video", "http://cam:8080/video"),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    assert open_source(address).name == without_secrets(address) == shown


def test_no_camera_says_which_there_are(streams: Callable[..., LensSource], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "list_devices", lambda: [(0, "Desk camera"), (2, "Lid")])
    with pytest.raises(CameraError, match=r"0 \(Desk camera\), 2 \(Lid\)"):
        Feed(streams(None, address=7))


def test_a_shot_that_is_not_fresh_keeps_its_number_and_goes_on_in_time() -> None:
    class Slides:
        name, live = "slides", False

        def open(self) -> None: ...

        def read(self, wanted: bool) -> Shot:
            time.sleep(0.01)
            return Shot(np.zeros((8, 8, 3), np.uint8), fresh=False)

        def close(self) -> None: ...

    with Feed(Slides()) as camera:
        first = camera.newest(timeout=30)
        assert first is not None
        later = camera.newest(after=first.at, timeout=30)
        assert later is not None and later.number == first.number and later.at > first.at
