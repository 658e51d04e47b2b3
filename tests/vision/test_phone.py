"""A phone as camera: what it posts, in what bounds, asleep and awake again, and two phones at once."""

from __future__ import annotations

import io
import struct
import threading
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vision import phone as module
from vision.camera import Link
from vision.health import HealthWatch, Trouble
from vision.phone import MOST_BYTES, NO_PICTURE, OTHER_PHONE, TOO_LARGE, FolderPhone, PhoneCamera, PhoneError
from vision.sources import open_camera


class Clock:
    """A time source that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def camera(clock: Clock) -> PhoneCamera:
    return PhoneCamera(clock)


def jpeg(value: int = 120, size: tuple[int, int] = (64, 48)) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size, (value, value, value)).save(stream, "JPEG")
    return stream.getvalue()


def claiming(width: int, height: int) -> bytes:
    """A JPEG of few bytes whose header says that it is so large."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = struct.pack(">HH", height, width)
    return bytes(data)


def shade(camera: PhoneCamera) -> int:
    frame = camera.newest()
    assert frame is not None
    return int(frame.picture[0, 0, 0])


class TestPosting:
    def test_before_the_first_picture(self, camera: PhoneCamera) -> None:
        assert camera.link is Link.OPENING and camera.newest() is None
        assert "open the camera page" in camera.trouble

    def test_the_newest_only_and_its_age(self, camera: PhoneCamera, clock: Clock) -> None:
        for n in range(4):
            clock.now += 0.2
            camera.post(jpeg(40 * n))
        frame = camera.newest()
        assert frame is not None and (frame.number, frame.at, frame.size) == (4, clock.now, (64, 48))
        assert abs(int(frame.picture[0, 0, 0]) - 120) < 3 and camera.link is Link.OPEN and camera.trouble == ""

    def test_one_that_comes_late_does_not_replace_a_newer(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(200), at=clock.now)
        camera.post(jpeg(10), at=clock.now - 1)
        assert abs(shade(camera) - 200) < 3

    def test_waiting_ends_with_the_next_picture(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(), at=clock.now)
        later = threading.Timer(0.05, lambda: camera.post(jpeg(9), at=clock.now + 1))
        later.start()
        frame = camera.newest(after=clock.now, timeout=10)
        later.join()
        assert frame is not None and frame.at == clock.now + 1

    def test_nothing_newer_is_none(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(), at=clock.now)
        assert camera.newest(after=clock.now, timeout=0.01) is None

    def test_another_size_is_taken_as_it_is(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(size=(64, 48)))
        clock.now += 1
        camera.post(jpeg(size=(48, 64)))
        frame = camera.newest()
        assert frame is not None and frame.size == (48, 64)

    def test_it_stands_upright_as_the_phone_was_held(self, camera: PhoneCamera) -> None:
        stream = io.BytesIO()
        exif = Image.Exif()
        exif[0x0112] = 6
        Image.new("RGB", (64, 48)).save(stream, "JPEG", exif=exif)
        camera.post(stream.getvalue())
        frame = camera.newest()
        assert frame is not None and frame.size == (48, 64)

    def test_sixty_a_second_are_not_all_unpacked(
        self, camera: PhoneCamera, clock: Clock, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        unpacked = []
        monkeypatch.setattr(module, "decoded", lambda data: unpacked.append(data) or np.zeros((48, 64, 3), np.uint8))
        for _ in range(120):
            clock.now += 1 / 60
            camera.post(jpeg())
        assert 20 <= len(unpacked) <= 32

    def test_fewer_are_wanted_at_rest(self, camera: PhoneCamera) -> None:
        lively = camera.post(jpeg())
        camera.rest(True)
        assert camera.wanted.rate < lively.rate and camera.wanted.longest == lively.longest == 1920

    def test_closed_it_takes_nothing_and_nobody_waits(self, camera: PhoneCamera) -> None:
        camera.close()
        camera.post(jpeg())
        assert camera.newest(timeout=5) is None


class TestBounds:
    @pytest.mark.parametrize(
        ("data", "reason"),
        [
            (b"\xff\xd8\xff" + bytes(MOST_BYTES), TOO_LARGE),
            (claiming(8000, 6000), TOO_LARGE),
            (claiming(65000, 65000), TOO_LARGE),
            (b"", NO_PICTURE),
            (b"GIF89a no JPEG", NO_PICTURE),
            (jpeg()[:200], NO_PICTURE),
            (jpeg(size=(640, 480))[:-600], NO_PICTURE),
            (jpeg(size=(4, 4)), NO_PICTURE),
        ],
        ids=["bytes", "48 megapixels", "bomb", "empty", "another kind", "header only", "cut short", "too small"],
    )
    def test_refused_in_one_line_and_the_picture_before_stays(
        self, camera: PhoneCamera, clock: Clock, data: bytes, reason: str
    ) -> None:
        camera.post(jpeg(200))
        clock.now += 1
        with pytest.raises(PhoneError) as refused:
            camera.post(data)
        assert refused.value.reason == reason and "\n" not in str(refused.value)
        assert abs(shade(camera) - 200) < 3
        clock.now += 1
        camera.post(jpeg(50))
        assert abs(shade(camera) - 50) < 3

    def test_a_png_is_no_jpeg_whatever_it_is_called(self, camera: PhoneCamera) -> None:
        stream = io.BytesIO()
        Image.new("RGB", (64, 48)).save(stream, "PNG")
        with pytest.raises(PhoneError):
            camera.post(stream.getvalue())

    @given(st.data())
    def test_damage_anywhere_is_refused_or_a_picture_never_another_error(self, data: st.DataObject) -> None:
        whole = bytearray(jpeg())
        for at in data.draw(st.lists(st.integers(0, len(whole) - 1), min_size=1, max_size=8)):
            whole[at] = data.draw(st.integers(0, 255))
        camera = PhoneCamera(lambda: 1.0)
        try:
            camera.post(bytes(whole))
        except PhoneError as error:
            assert error.reason in (TOO_LARGE, NO_PICTURE) and camera.newest() is None
        else:
            frame = camera.newest()
            assert frame is not None and frame.picture.ndim == 3


class TestSleep:
    def test_asleep_within_three_seconds_and_awake_with_the_next_picture(
        self, camera: PhoneCamera, clock: Clock
    ) -> None:
        health = HealthWatch()
        camera.post(jpeg())
        frame = camera.newest()
        assert frame is not None
        health.observe(frame, camera.live)
        assert health.health(camera, clock.now).trouble is None
        clock.now += 3.0
        assert camera.link is Link.ASLEEP
        told = health.health(camera, clock.now)
        assert told.trouble is Trouble.ASLEEP and told.trouble.stops and "Wake it" in told.message
        camera.post(jpeg(90))
        frame = camera.newest()
        assert frame is not None
        health.observe(frame, camera.live)
        assert camera.link is Link.OPEN and health.health(camera, clock.now).trouble is None


class TestTwoPhones:
    def test_the_newer_takes_over_and_the_older_is_told(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(200), phone="Anna's")
        clock.now += 0.01
        camera.post(jpeg(50), phone="Ben's")
        clock.now += 1
        with pytest.raises(PhoneError) as refused:
            camera.post(jpeg(200), phone="Anna's")
        assert refused.value.reason == OTHER_PHONE
        assert abs(shade(camera) - 50) < 3

    def test_they_never_take_turns(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(200), phone="a")
        taken = {"a": 0, "b": 0}
        for _ in range(40):
            for name in ("b", "a"):
                clock.now += 0.1
                try:
                    camera.post(jpeg(), phone=name)
                    taken[name] += 1
                except PhoneError:
                    pass
        assert taken == {"a": 0, "b": 40}

    def test_started_again_under_another_id_it_takes_over(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(200), phone="a")
        camera.post(jpeg(100), phone="b")
        clock.now += 1
        camera.post(jpeg(50), phone="a again")
        assert abs(shade(camera) - 50) < 3

    def test_the_replaced_one_comes_back_when_the_other_sleeps(self, camera: PhoneCamera, clock: Clock) -> None:
        camera.post(jpeg(200), phone="a")
        clock.now += 1
        camera.post(jpeg(100), phone="b")
        clock.now += 5
        camera.post(jpeg(50), phone="a")
        assert abs(shade(camera) - 50) < 3
        with pytest.raises(PhoneError):
            camera.post(jpeg(100), phone="b")

    def test_many_phones_are_not_remembered_for_ever(self, camera: PhoneCamera, clock: Clock) -> None:
        for n in range(1000):
            clock.now += 1
            camera.post(jpeg(), phone=f"phone {n}")
        assert len(camera._replaced) <= module.MOST_REMEMBERED


class TestTheTwin:
    def test_sends_a_folder_round_and_round(self, camera: PhoneCamera, clock: Clock, tmp_path: Path) -> None:
        for n in range(3):
            cv2.imwrite(str(tmp_path / f"{n}.jpg"), np.full((48, 64, 3), 60 * n + 20, np.uint8))
        sender, seen = FolderPhone(camera, tmp_path), []
        for _ in range(4):
            clock.now += 0.5
            sender.send()
            seen.append(round(shade(camera) / 10) * 10)
        assert seen == [20, 80, 140, 20]

    def test_an_empty_folder_is_no_phone(self, camera: PhoneCamera, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            FolderPhone(camera, tmp_path).send()


def test_it_is_the_camera_called_phone(tables: Callable[..., Path]) -> None:
    phone = open_camera(" phone ")
    assert isinstance(phone, PhoneCamera) and phone.tuning.asked == (1920, 1080)
    folder = open_camera(str(tables("r1 r2 r3")))
    folder.close()
    assert folder.name == "tables"
