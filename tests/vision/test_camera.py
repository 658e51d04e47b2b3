"""Cameras, their health, motion and rest: with sources that are scripted, and with real files."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.camera import CameraError, Feed, Frame, Link, Shot, Tuning
from vision.health import HealthWatch, Trouble, blur_of, picture_trouble
from vision.rest import Motion, RestWatch
from vision.sources import FolderSource, LensSource, VideoSource, open_source

Tables = Callable[..., Path]
GAMES = Path(__file__).parents[2] / "datasets" / "games"
NOISE = np.random.default_rng(1).normal(0, 3, (640, 1300, 3)).astype(np.int16)


class Clock:
    """A time source that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Script:
    """A source that delivers what it was given: a picture, or an exception to raise; then nothing more."""

    live = True

    def __init__(self, steps: Iterable[np.ndarray | Exception], name: str = "script") -> None:
        self.name, self.steps, self.opened = name, iter(steps), 0
        self.over = threading.Event()

    def open(self) -> None:
        self.opened += 1

    def read(self, wanted: bool) -> Shot | None:
        step = next(self.steps, None)
        if step is None:
            self.over.wait(0.02)
            return None
        if isinstance(step, Exception):
            raise step
        return Shot(step)

    def close(self) -> None:
        pass


def until(true: Callable[[], object], seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


def plain(value: int, size: tuple[int, int] = (120, 160)) -> np.ndarray:
    return np.full((*size, 3), value, np.uint8)


def table(seed: int = 0, size: tuple[int, int] = (480, 640)) -> np.ndarray:
    """A table with some tiles on it."""
    rng = np.random.default_rng(seed)
    picture = np.full((*size, 3), (80, 110, 130), np.uint8)
    picture = cv2.add(picture, rng.integers(0, 12, picture.shape, np.uint8))
    for n in range(18):
        x, y = 60 + (n % 9) * 45, 120 + (n // 9) * 120
        tile(picture, x, y, n)
    return picture


def tile(picture: np.ndarray, x: int, y: int, number: int = 5) -> None:
    cv2.rectangle(picture, (x, y), (x + 38, y + 54), (225, 240, 245), -1)
    cv2.putText(picture, str(number % 13 + 1), (x + 6, y + 28), 0, 0.8, (40, 30, 180), 2)


def noisy(picture: np.ndarray, seed: int) -> np.ndarray:
    """The picture as a sensor sees it at another moment."""
    height, width = picture.shape[:2]
    shifted = np.roll(NOISE, 31 * seed, axis=1)[:height, :width]
    return np.clip(picture + shifted, 0, 255).astype(np.uint8)


def filmed(picture: np.ndarray, n: int) -> np.ndarray:
    """The picture with the noise of a sensor, another at every `n`."""
    grain = cv2.resize(np.roll(NOISE, 31 * n, axis=1), (picture.shape[1], picture.shape[0]))
    return np.clip(picture + grain, 0, 255).astype(np.uint8)


def arm(picture: np.ndarray, reach: int) -> np.ndarray:
    """The picture with an arm reaching in from the bottom."""
    out = picture.copy()
    cv2.line(out, (400, 479), (380, 479 - reach), (60, 60, 150), 70)
    cv2.circle(out, (380, 479 - reach), 45, (140, 170, 220), -1)
    return out


class TestFeed:
    def test_keeps_the_newest_frame_only(self) -> None:
        source = Script([plain(n) for n in range(10)])
        with Feed(source) as camera:
            until(lambda: (seen := camera.newest()) and seen.number == 10)
            frame = camera.newest()
            assert frame is not None and frame.number == 10 and frame.picture[0, 0, 0] == 9

    def test_nothing_newer_is_none_and_the_wait_is_bounded(self) -> None:
        with Feed(Script([plain(1)])) as camera:
            first = camera.newest(timeout=30)
            assert first is not None
            assert camera.newest(after=first.at, timeout=0.05) is None

    def test_a_lost_source_is_opened_again(self) -> None:
        source = Script([plain(1), CameraError("cable out"), plain(2)])
        with Feed(source, retry=0.02) as camera:
            first = camera.newest(timeout=30)
            while first is None or first.picture[0, 0, 0] != 2:
                first = camera.newest(after=first.at if first else float("-inf"), timeout=30)
            assert source.opened == 2 and camera.link is Link.OPEN

    def test_while_it_is_lost_it_says_so(self) -> None:
        source = Script([plain(1), CameraError("cable out")])
        with Feed(source, retry=30) as camera:
            until(lambda: camera.link is Link.LOST)
            assert camera.trouble == "cable out"

    def test_a_driver_that_raises_anything_does_not_end_it(self) -> None:
        with Feed(Script([RuntimeError("driver"), plain(7)]), retry=0.01) as camera:
            frame = camera.newest(timeout=30)
            assert frame is not None and frame.picture[0, 0, 0] == 7

    def test_an_ended_source_stays_ended(self) -> None:
        with Feed(Script([plain(1), EOFError("over")])) as camera:
            until(lambda: camera.link is Link.ENDED)
            assert camera.newest() is not None

    def test_one_that_is_not_there_is_refused_at_once(self) -> None:
        with pytest.raises(CameraError, match="no camera at camera 99"):
            Feed(LensSource(99, "camera 99"))


class TestFolder:
    def shots(self, source: FolderSource, clock: Clock, seconds: float) -> list[str]:
        names = []
        for _ in range(int(seconds)):
            shot = source.read(True)
            if shot is not None and shot.fresh:
                assert shot.path is not None
                names.append(shot.path.name)
            clock.now += 1.0
        return names

    @pytest.fixture(autouse=True)
    def at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("vision.sources.FOLDER_BEAT_S", 0.0)

    def test_steps_through_its_pictures_and_round_again(self, tables: Tables) -> None:
        clock = Clock()
        source = FolderSource(tables("r1", "r2", "r3"), every=2.0, clock=clock)
        source.open()
        assert self.shots(source, clock, 8) == [f"frame-{n}.jpg" for n in (0, 1, 2, 0)]

    def test_ends_when_it_shall_not_go_round(self, tables: Tables) -> None:
        clock = Clock()
        source = FolderSource(tables("r1", "r2"), every=1.0, loop=False, clock=clock)
        assert self.shots(source, clock, 2) == ["frame-0.jpg", "frame-1.jpg"]
        with pytest.raises(EOFError):
            source.read(True)

    def test_passes_over_what_cannot_be_read_and_takes_what_is_added(self, tables: Tables) -> None:
        clock, folder = Clock(), tables("r1", "r2")
        (folder / "frame-0a.jpg").write_bytes(b"not a picture")
        (folder / "notes.txt").write_text("no picture")
        source = FolderSource(folder, every=1.0, clock=clock)
        assert self.shots(source, clock, 1) == ["frame-0.jpg"]
        (folder / "frame-10.jpg").write_bytes((folder / "frame-0.jpg").read_bytes())
        assert self.shots(source, clock, 3) == ["frame-1.jpg", "frame-10.jpg", "frame-0.jpg"]

    def test_a_single_picture_stays(self, tables: Tables) -> None:
        clock = Clock()
        source = FolderSource(tables("r1"), every=1.0, clock=clock)
        assert self.shots(source, clock, 5) == ["frame-0.jpg"]


class TestOpening:
    def test_a_folder_a_number_a_name_an_address(self, tmp_path: Path) -> None:
        assert isinstance(open_source(str(tmp_path)), FolderSource)
        assert isinstance(open_source("0"), LensSource)
        stream = open_source("rtsp://anna:secret@camera.local/live")
        assert isinstance(stream, LensSource) and stream.name == "rtsp://camera.local/live"

    @pytest.mark.parametrize("text", ["", "nowhere", "phone", "/dev/nothing", "ftp://x"])
    def test_what_names_no_source_is_refused_in_one_line(self, text: str) -> None:
        with pytest.raises(CameraError) as refused:
            open_source(text)
        assert "\n" not in str(refused.value)

    def test_a_picture_is_no_camera(self, tables: Tables) -> None:
        with pytest.raises(CameraError, match="give its folder"):
            open_source(str(tables("r1") / "frame-0.jpg"))

    def test_a_video_plays_to_its_end(self, tmp_path: Path) -> None:
        path = tmp_path / "game.avi"
        writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (160, 120))
        if not writer.isOpened():
            pytest.skip("this OpenCV writes no videos")
        for n in range(20):
            writer.write(plain(n * 10))
        writer.release()
        with Feed(VideoSource(path)) as camera:
            frame = camera.newest(timeout=30)
            assert frame is not None and frame.size == (160, 120)
            until(lambda: camera.link is Link.ENDED)
            last = camera.newest()
            assert last is not None and last.picture.mean() > 100


class Still:
    """A camera for the health watch, with a link that is set by hand."""

    name, live, link, trouble, tuning = "still", True, Link.OPEN, "", Tuning()

    def newest(self, after: float = float("-inf"), timeout: float = 0.0) -> Frame | None:
        return None

    def rest(self, resting: bool) -> None: ...

    def close(self) -> None: ...


class TestHealth:
    def run(self, pictures: Callable[[int], np.ndarray], live: bool = True) -> list[Trouble | None]:
        watch, camera, seen = HealthWatch(), Still(), []
        for n in range(30):
            at = n * 0.1
            watch.observe(Frame(pictures(n), n, at), live)
            seen.append(watch.health(camera, at).trouble)
        return seen

    def test_a_camera_that_is_well(self) -> None:
        assert set(self.run(lambda n: noisy(table(), n))) == {None}

    @pytest.mark.parametrize(
        ("trouble", "alter"),
        [
            (Trouble.BLACK, lambda p: p // 40),
            (Trouble.OVEREXPOSED, lambda p: np.clip(p.astype(int) * 4, 0, 255).astype(np.uint8)),
            (Trouble.BLURRED, lambda p: cv2.GaussianBlur(p, (0, 0), 4)),
        ],
    )
    def test_what_a_picture_shows_is_named_within_three_seconds(
        self, trouble: Trouble, alter: Callable[[np.ndarray], np.ndarray]
    ) -> None:
        seen = self.run(lambda n: alter(noisy(table(), n)))
        assert seen[0] is None and seen[-1] is trouble

    def test_a_blink_is_no_trouble(self) -> None:
        assert set(self.run(lambda n: plain(0) if n in (10, 11, 12) else noisy(table(), n))) == {None}

    def test_frozen(self) -> None:
        assert self.run(lambda n: table())[-1] is Trouble.FROZEN

    def test_a_folder_is_not_frozen(self) -> None:
        assert self.run(lambda n: table(), live=False)[-1] is None

    def test_no_picture_for_a_while_is_a_lost_camera_until_the_next(self) -> None:
        watch, camera = HealthWatch(), Still()
        watch.observe(Frame(table(), 1, 10.0), True)
        assert watch.health(camera, 11.0).trouble is None
        assert watch.health(camera, 13.0).trouble is Trouble.LOST
        watch.observe(Frame(table(1), 2, 13.1), True)
        assert watch.health(camera, 13.2).trouble is None

    def test_a_lost_link_is_said_at_once(self) -> None:
        watch, camera = HealthWatch(), Still()
        camera.link = Link.LOST
        assert watch.health(camera, 0.0).trouble is Trouble.LOST

    def test_blur_grows_with_blur(self) -> None:
        figures = [blur_of(cv2.GaussianBlur(table(), (0, 0), s) if s else table()) for s in (0, 1, 2, 4)]
        assert figures == sorted(figures)

    def test_real_photos_are_well_and_their_blurred_copies_are_not(self) -> None:
        folder = Path(__file__).resolve().parents[3] / "shared" / "photos" / "train"
        photos = sorted(folder.glob("*.jpg"))[::40]
        if not photos:
            pytest.skip("the photos of ../shared are not here")
        for path in photos:
            picture = cv2.imread(str(path))
            assert picture is not None
            assert picture_trouble(picture) is None, path.name
            blurred = cv2.GaussianBlur(picture, (0, 0), 4 * picture.shape[1] / 640)
            assert picture_trouble(blurred) is Trouble.BLURRED, path.name


class TestRest:
    def follow(self, pictures: Iterable[np.ndarray], step: float = 0.1) -> tuple[RestWatch, list[Motion]]:
        watch = RestWatch()
        return watch, [watch.observe(p, n * step) for n, p in enumerate(pictures)]

    def still(self, picture: np.ndarray, count: int, seed: int = 0) -> list[np.ndarray]:
        return [noisy(picture, seed + n) for n in range(count)]

    def test_a_table_nobody_touches_comes_to_rest_once(self) -> None:
        watch, seen = self.follow(self.still(table(), 40))
        assert seen[-1] is Motion.REST and watch.times_at_rest == 1
        assert Motion.MOVING not in seen and Motion.HAND not in seen

    def test_a_hand_that_lays_a_tile(self) -> None:
        before, after = table(), table()
        tile(after, 300, 360)
        pictures = self.still(before, 12)
        pictures += [noisy(arm(before, r), r) for r in range(20, 140, 30)]
        pictures += [noisy(arm(after, r), r) for r in range(140, 0, -30)]
        pictures += self.still(after, 14, seed=99)
        watch, seen = self.follow(pictures)
        assert Motion.HAND in seen[12:21]
        assert Motion.REST not in seen[12:22]
        assert seen[-1] is Motion.REST and watch.times_at_rest == 2

    def test_a_hand_that_waits_over_the_table_is_waited_for(self) -> None:
        pictures = self.still(table(), 12) + self.still(arm(table(), 150), 30, seed=50)
        _, seen = self.follow(pictures)
        assert set(seen[14:]) == {Motion.HAND}

    def test_a_hand_that_was_there_from_the_start_and_leaves(self) -> None:
        pictures = self.still(arm(table(), 150), 12) + self.still(table(), 12, seed=30)
        watch, seen = self.follow(pictures)
        assert seen[-1] is Motion.REST and watch.times_at_rest == 2

    def test_a_rendered_game_filmed(self) -> None:
        """Each frame of the bundled game for 1.2 s, with a sensor's noise: at rest where no hand is, only there."""
        folder = GAMES / "first"
        listing = [line.split(",")[:3] for line in (folder / "frames.csv").read_text("utf-8").splitlines()[1:]]
        watch, at = RestWatch(), 0.0
        for number, (name, _, state) in enumerate(listing):
            picture = cv2.imread(str(folder / "frames" / name))
            assert picture is not None
            seen = []
            for n in range(12):
                seen.append(watch.observe(filmed(picture, n), at))
                at += 0.1
            if state == "rest":
                assert seen[-1] is Motion.REST, name
            elif number:  # with nothing known before, a still hand is part of the table
                assert Motion.REST not in seen and seen[-1] is Motion.HAND, name

    def test_a_hand_on_a_single_picture_is_waited_for(self) -> None:
        watch = RestWatch()
        watch.observe(table(), 0.0, still=True)
        assert watch.repeat(1.0) is Motion.REST
        assert watch.observe(arm(table(), 150), 1.1, still=True) is Motion.HAND
        assert watch.repeat(2.5) is Motion.HAND
        assert watch.observe(table(), 2.6, still=True) is Motion.MOVING
        assert watch.repeat(3.5) is Motion.REST

    def test_one_tile_that_moves_is_motion(self) -> None:
        moved = table()
        tile(moved, 300, 360)
        _, seen = self.follow(self.still(table(), 12) + self.still(moved, 1, seed=70))
        assert seen[-1] is not Motion.REST

    @pytest.mark.parametrize("gain", [0.6, 0.8, 1.25, 1.5])
    def test_a_lamp_switched_on_is_no_motion(self, gain: float) -> None:
        lit = np.clip(table() * gain, 0, 250).astype(np.uint8)
        watch, seen = self.follow(self.still(table(), 12) + self.still(lit, 12, seed=40))
        assert set(seen[8:]) == {Motion.REST} and watch.times_at_rest == 1

    def test_a_warm_lamp_is_no_motion(self) -> None:
        warm = np.clip(table() * np.array([0.75, 0.95, 1.1]), 0, 250).astype(np.uint8)
        watch, _ = self.follow(self.still(table(), 12) + self.still(warm, 12, seed=40))
        assert watch.times_at_rest == 1

    def test_exposure_and_focus_hunting_are_no_motion(self) -> None:
        pictures = self.still(table(), 10)
        for n in range(30):
            hunted = cv2.GaussianBlur(table(), (0, 0), 0.1 + 1.2 * abs(np.sin(n / 4)))
            pictures.append(noisy(np.clip(hunted * (1 + 0.12 * np.sin(n / 3)), 0, 255).astype(np.uint8), n))
        watch, seen = self.follow(pictures)
        assert set(seen[8:]) == {Motion.REST} and watch.times_at_rest == 1

    def test_a_soft_shadow_is_no_motion(self) -> None:
        pictures = self.still(table(), 10)
        across = np.linspace(0, 1, 640)[None, :, None]
        for n in range(20):
            shade = 1 - 0.35 / (1 + np.exp(-(across - n / 20) * 8))
            pictures.append(noisy((table() * shade).astype(np.uint8), n))
        watch, _ = self.follow(pictures)
        assert watch.times_at_rest == 1

    def test_another_scene_is_another_table(self) -> None:
        watch, seen = self.follow(self.still(table(), 12) + self.still(255 - table()[::-1], 12, seed=9))
        assert seen[12] is not Motion.REST and seen[-1] is Motion.REST and watch.times_at_rest == 2

    def test_a_tile_that_creeps_is_noticed(self) -> None:
        pictures = self.still(table(), 10)
        for n in range(60):
            picture = table()
            cv2.rectangle(picture, (60, 120), (98, 174), (85, 115, 135), -1)
            tile(picture, 60 - n // 2, 120 + n, 0)
            pictures.append(noisy(picture, n))
        watch, _ = self.follow(pictures + self.still(pictures[-1], 15, seed=5))
        assert watch.times_at_rest >= 2

    def test_a_picture_that_changes_its_size(self) -> None:
        watch, seen = self.follow(self.still(table(), 10) + self.still(table(0, (600, 640)), 12))
        assert seen[-1] is Motion.REST and watch.times_at_rest == 2
