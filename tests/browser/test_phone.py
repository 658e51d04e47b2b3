"""A phone as camera, and who may do what, in a real Chromium over https with the companion's own certificate."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.browser.conftest import FLAGS, chromium
from tests.conftest import draw_table
from tests.lan import OnLan
from vision.camera import Feed
from vision.phone import PhoneCamera
from vision.reading import Reading, StoredReader
from vision.sources import FolderSource

playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = playwright.expect
SLOW = 30_000


class Knows:
    """A reader that knows the one table that there is."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading
        self.seen: list[np.ndarray] = []

    def read(self, picture: np.ndarray, path: str | None = None) -> Reading:
        self.seen.append(picture)
        return self.reading


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Knows]:
    """A film of a table for Chromium's pretended camera, and the reader that knows it."""
    picture, reading = draw_table("r10 r11 r12 | k9 b9 o9")
    film = tmp_path_factory.mktemp("film") / "table.mjpeg"
    rng = np.random.default_rng(0)
    with film.open("wb") as out:
        for _ in range(4):  # a lens is never quite still
            noisy = cv2.add(picture, rng.integers(0, 4, picture.shape, np.uint8))
            out.write(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes())
    return film, Knows(reading)


@pytest.fixture(scope="module")
def phones(browser: Any, filmed: tuple[Path, Knows]) -> Iterator[Any]:
    """A Chromium with a camera that shows the film."""
    opened = browser.browser_type.launch(
        executable_path=chromium(),
        args=[
            *FLAGS,
            "--use-fake-ui-for-media-stream",
            "--use-fake-device-for-media-stream",
            f"--use-file-for-fake-video-capture={filmed[0]}",
        ],
    )
    yield opened
    opened.close()


@pytest.fixture
def phone(phones: Any) -> Iterator[Callable[[], Any]]:
    """Another phone, upright, that has accepted the certificate."""
    contexts = []

    def another() -> Any:
        contexts.append(phones.new_context(viewport={"width": 390, "height": 844}, ignore_https_errors=True))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda line: errors.append(line.text) if "Content Security" in line.text else None)
        return page

    errors: list[str] = []
    yield another
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def lan(filmed: tuple[Path, Knows], tmp_path: Path) -> Iterator[OnLan]:
    served = OnLan(PhoneCamera(), filmed[1], tmp_path / "keys")
    yield served
    served.stop()


def wait_until(page: Any, true: Callable[[], object], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about"
        page.wait_for_timeout(50)


def state(page: Any) -> Any:
    return page.locator("body")


def test_the_picture_of_a_phone_arrives_in_the_companion(phone: Callable[[], Any], lan: OnLan) -> None:
    page = phone()
    page.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    assert page.url == f"{lan.address}/camera"
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    wait_until(page, lambda: lan.companion.frame is not None)
    frame = lan.companion.frame
    assert frame is not None and frame.size == (1280, 960)
    drawn, _ = draw_table("r10 r11 r12 | k9 b9 o9")
    assert np.abs(frame.picture.astype(int) - drawn).mean() < 8
    wait_until(page, lambda: lan.companion.hub.state()["live"]["phase"] == "read")
    assert lan.companion.hub.state()["table"]["headline"]["state"] == "right"
    expect(page.locator("#state")).to_contain_text("pictures a second")
    expect(page.locator("#sharp-word")).to_have_text("sharp", timeout=SLOW)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_another_phone_takes_over_and_the_first_comes_back_by_its_button(phone: Callable[[], Any], lan: OnLan) -> None:
    first, second = phone(), phone()
    first.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(first)).to_have_attribute("data-state", "sending", timeout=SLOW)
    second.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(second)).to_have_attribute("data-state", "sending", timeout=SLOW)
    expect(state(first)).to_have_attribute("data-state", "replaced", timeout=SLOW)
    expect(first.locator("#state")).to_have_text("Another phone is the camera now")
    first.get_by_role("button", name="Start the camera").click()
    expect(state(first)).to_have_attribute("data-state", "sending", timeout=SLOW)
    expect(state(second)).to_have_attribute("data-state", "replaced", timeout=SLOW)


def test_it_pauses_and_goes_on_and_survives_a_companion_that_is_away(phone: Callable[[], Any], lan: OnLan) -> None:
    page = phone()
    page.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    page.get_by_role("button", name="Pause").click()
    expect(state(page)).to_have_attribute("data-state", "paused")
    sent = lan.companion.camera.newest()
    assert sent is not None
    page.wait_for_timeout(1000)
    assert lan.companion.camera.newest(after=sent.at) is None
    page.get_by_role("button", name="Start the camera").click()
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    page.context.set_offline(True)
    expect(state(page)).to_have_attribute("data-state", "lost", timeout=SLOW)
    expect(page.locator("#note")).to_contain_text("does not answer")
    page.context.set_offline(False)
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    expect(page.locator("#note")).to_be_hidden()


def test_a_camera_that_the_system_took_away_comes_back(phone: Callable[[], Any], lan: OnLan) -> None:
    page = phone()
    page.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    # As after sleep: the track is over when the page is looked at again.
    page.evaluate("document.getElementById('view').srcObject.getTracks()[0].stop()")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    wait_until(page, lambda: state(page).get_attribute("data-state") == "sending")
    before = lan.companion.camera.newest()
    assert before is not None
    wait_until(page, lambda: lan.companion.camera.newest(after=before.at) is not None)


def test_a_page_that_is_hidden_says_that_it_sleeps(phone: Callable[[], Any], lan: OnLan) -> None:
    page = phone()
    page.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    hide = "Object.defineProperty(document, 'hidden', {{configurable: true, get: () => {}}});"
    tell = "document.dispatchEvent(new Event('visibilitychange'))"
    page.evaluate(hide.format("true") + tell)
    expect(state(page)).to_have_attribute("data-state", "asleep")
    page.evaluate(hide.format("false") + tell)
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)


def test_a_phone_that_may_not_use_its_camera_says_so(browser: Any, lan: OnLan) -> None:
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(page)).to_have_attribute("data-state", "refused", timeout=SLOW)
    expect(page.locator("#note")).to_contain_text("camera")
    expect(page.get_by_role("button", name="Start the camera")).to_be_visible()
    context.close()


def test_new_codes_put_the_phone_outside(phone: Callable[[], Any], lan: OnLan) -> None:
    page = phone()
    page.goto(f"{lan.address}/camera?code={lan.door.codes.play}")
    expect(state(page)).to_have_attribute("data-state", "sending", timeout=SLOW)
    lan.door.renew()
    expect(state(page)).to_have_attribute("data-state", "refused", timeout=SLOW)
    expect(page.locator("#note")).to_have_text("The code has changed. Scan the QR code again.")


@pytest.fixture
def table(tables: Callable[..., Path], tmp_path: Path) -> Iterator[OnLan]:
    folder = tables("r10 r11 r12")
    served = OnLan(Feed(FolderSource(folder, 600)), StoredReader(folder), tmp_path / "keys")
    yield served
    served.stop()


def test_where_another_camera_is_used_the_phone_is_told(phone: Callable[[], Any], table: OnLan) -> None:
    page = phone()
    page.goto(f"{table.address}/camera?code={table.door.codes.play}")
    expect(state(page)).to_have_attribute("data-state", "refused", timeout=SLOW)
    expect(page.locator("#note")).to_contain_text("--camera phone")


def test_a_stranger_is_asked_for_the_code_and_comes_in_by_typing_it(phone: Callable[[], Any], table: OnLan) -> None:
    page = phone()
    page.goto(table.address)
    expect(page.get_by_role("heading", name="Tilekeeper")).to_be_visible()
    assert "Start a game" not in page.content() and page.locator("script").count() == 0
    page.get_by_role("textbox").fill("aaaa-aaaa")
    page.get_by_role("button", name="Come in").click()
    expect(page.get_by_role("alert")).to_have_text("That is not the code.")
    page.get_by_role("textbox").fill(table.door.codes.play.lower().replace("-", " "))
    page.get_by_role("button", name="Come in").click()
    expect(page.locator("#headline")).to_have_text("The set is right", timeout=SLOW)
    assert page.url == f"{table.address}/"


def test_who_watches_sees_the_table_and_joins_with_the_code(phone: Callable[[], Any], table: OnLan) -> None:
    page = phone()
    page.goto(f"{table.address}/?view={table.door.codes.view}")
    expect(page.locator("#headline")).to_have_text("The set is right", timeout=SLOW)
    press = (
        "fetch('/press/start', {method: 'POST', headers: {'Content-Type': 'application/json'}, "
        'body: \'{"players": ["A", "B"], "first": "A"}\'}).then((a) => a.status)'
    )
    assert page.evaluate(press) == 403
    assert page.evaluate("fetch('/invite.json').then((a) => a.status)") == 403
    expect(page.locator("#open-invite")).to_have_count(0)
    page.goto(f"{table.address}/join")
    page.get_by_role("textbox").fill(table.door.codes.play)
    page.get_by_role("button", name="Come in").click()
    expect(page.locator("#headline")).to_have_text("The set is right", timeout=SLOW)
    assert page.evaluate(press) == 200


def test_the_invitation_shows_its_codes_and_makes_new_ones(phone: Callable[[], Any], table: OnLan) -> None:
    page = phone()
    page.goto(f"{table.address}/?code={table.door.codes.play}")
    expect(page.locator("#headline")).to_have_text("The set is right", timeout=SLOW)
    old = table.door.codes.play
    page.evaluate("document.getElementById('open-invite').click()")
    dialog = page.get_by_role("dialog", name="Invite other devices")
    expect(dialog).to_contain_text(old)
    assert read_code(page, dialog) == f"{table.address}/?code={old}"
    dialog.get_by_role("button", name="A phone as camera").click()
    assert read_code(page, dialog) == f"{table.address}/camera?code={old}"
    dialog.get_by_role("button", name="To watch").click()
    assert read_code(page, dialog) == f"{table.address}/?view={table.door.codes.view}"
    dialog.get_by_role("button", name="To play").click()
    dialog.get_by_role("button", name="New codes").click()
    dialog.get_by_role("button", name="Everybody but this device").click()
    wait_until(page, lambda: table.door.codes.play != old)
    expect(dialog).to_contain_text(table.door.codes.play, timeout=SLOW)
    page.reload()
    expect(page.locator("#headline")).to_have_text("The set is right", timeout=SLOW)


def read_code(page: Any, dialog: Any) -> str:
    """What a camera reads from the QR code as it stands on the screen."""
    image = dialog.locator("img.qr")
    wait_until(page, lambda: image.evaluate("(e) => e.complete && e.naturalWidth > 0"))
    picture = cv2.imdecode(np.frombuffer(image.screenshot(), np.uint8), cv2.IMREAD_COLOR)
    picture = cv2.copyMakeBorder(picture, 20, 20, 20, 20, cv2.BORDER_CONSTANT, value=(255, 255, 255))
    return str(cv2.QRCodeDetector().detectAndDecode(picture)[0])
