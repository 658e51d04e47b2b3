"""The page for everybody: near and far, by touch, by keyboard, by ear, in the dark, in seven languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.conftest import WIDE
from tests.browser.steps import SLOW, expect, start
from tests.browser.turn import SIZES, Serve, in_a_turn, narrow_enough
from webui.words import FOLDER, language

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")

LANGUAGES = sorted(path.stem for path in FOLDER.glob("*.json"))
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
wide = pytest.mark.parametrize("page", [WIDE], ids=["1280x800"], indirect=True)


def faults_of(page: Any) -> list[str]:
    """What an accessibility scan finds, as rule and element."""
    found = axe.Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response
    assert len(found["passes"]) > 8
    return [f"{v['id']}: {node['target']} {node['html'][:120]}" for v in found["violations"] for node in v["nodes"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_scan_finds_nothing_wherever_one_goes(serve: Serve, opened: Callable[..., Any], scheme: str) -> None:
    page = opened(in_a_turn(serve).address, color_scheme=scheme, reduced_motion="reduce")
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    found = {"turn": faults_of(page)}
    for name in ("Score sheet", "Menu"):
        page.get_by_role("button", name=name).click()
        found[name] = faults_of(page)
        page.keyboard.press("Escape")
    page.locator("[data-player=Ben]").click()
    found["pad"] = faults_of(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="blue 5: correct it").click()
    found["pick"] = faults_of(page)
    assert {where: said for where, said in found.items() if said} == {}


def test_a_scan_of_the_start_and_of_the_opening_draw(serve: Serve, opened: Callable[..., Any]) -> None:
    served = serve("")
    page = opened(served.address, reduced_motion="reduce")
    page.get_by_role("button", name="Start a game").click()
    page.locator("#house summary").click()
    found = {"start": faults_of(page)}
    page.keyboard.press("Escape")
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": None})
    served.companion.press("opening-draw", {"player": "Anna", "tile": "r5"})
    expect(page.locator("#next-game .tile")).to_be_visible(timeout=SLOW)
    found["draw"] = faults_of(page)
    assert {where: said for where, said in found.items() if said} == {}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_scan_of_choosing_a_camera(choosing: Serve, opened: Callable[..., Any], scheme: str) -> None:
    page = opened(choosing("r3 r4 r5").address, color_scheme=scheme, reduced_motion="reduce")
    dialog = page.locator("#cameras")
    expect(dialog).to_be_visible(timeout=SLOW)
    found = {"asked": faults_of(page)}
    dialog.get_by_role("button", name="Broken").click()
    expect(dialog.get_by_role("alert").first).to_be_visible(timeout=SLOW)
    found["trouble"] = faults_of(page)
    dialog.get_by_role("button", name="Camera 0").click()
    expect(dialog.locator(".handle")).to_have_count(4, timeout=SLOW)
    found["chosen"] = faults_of(page)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Start a game").click()
    expect(page.locator("#start-camera")).to_be_visible()
    found["start"] = faults_of(page)
    assert {where: said for where, said in found.items() if said} == {}


def test_choosing_a_camera_fits_a_phone_in_every_language(choosing: Serve, opened: Callable[..., Any]) -> None:
    address = choosing("r3 r4 r5").address
    page = opened(address, SIZES["phone"])
    for code in LANGUAGES:
        page.goto(f"{address}?lang={code}")
        dialog = page.locator("#cameras")
        expect(dialog).to_be_visible(timeout=SLOW)
        expect(page.locator("#headline")).to_have_text(language(code)["phase.choosing"], timeout=SLOW)
        dialog.locator("[data-camera=device-1]").click()
        sentence = language(code)["cameras.trouble.device"].replace("{name}", "Broken")
        expect(dialog.get_by_role("alert").first).to_contain_text(sentence[-20:], timeout=SLOW)
        assert narrow_enough(page), code
        assert page.evaluate("document.querySelector('#cameras').scrollWidth <= innerWidth"), code
        for button in dialog.get_by_role("button").all():
            assert not button.is_visible() or button.bounding_box()["height"] >= 43.5, code
        assert not re.findall(r"\bcameras\.[a-z-]+\b|\{\w+\}", dialog.inner_text()), code


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_nothing_is_wider_than_the_window(serve: Serve, opened: Callable[..., Any], size: tuple[int, int]) -> None:
    page = opened(in_a_turn(serve).address, size)
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    assert narrow_enough(page)
    for name in ("Score sheet", "Menu"):
        page.get_by_role("button", name=name).click()
        assert narrow_enough(page)
        box = page.locator("dialog[open]").bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        page.keyboard.press("Escape")
    for part in ("#player", "#left", "#score"):
        expect(page.locator(part)).to_be_in_viewport()


@pytest.mark.parametrize("size", [(640, 400), (195, 422)], ids=["laptop", "phone"])
def test_at_two_hundred_percent_everything_is_still_there(
    serve: Serve, opened: Callable[..., Any], size: tuple[int, int]
) -> None:
    """A browser zoomed to 200 % shows half as many pixels (WCAG 2.2, 1.4.4)."""
    page = opened(in_a_turn(serve).address, size, device_scale_factor=2)
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    assert narrow_enough(page)
    for part in ("#left", "#player", "#faults", "#stage", "#score", "#list"):
        page.locator(part).scroll_into_view_if_needed()
        expect(page.locator(part)).to_be_in_viewport()
    for button in page.locator("#buttons button").all():
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)], ids=["laptop", "phone"])
def test_the_text_of_the_page_grows_to_twice_its_size(
    serve: Serve, opened: Callable[..., Any], size: tuple[int, int]
) -> None:
    page = opened(in_a_turn(serve).address, size)
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    before = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.set .what')).fontSize)")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("radio", name="200 %").check()
    page.keyboard.press("Escape")
    after = page.evaluate("parseFloat(getComputedStyle(document.querySelector('.set .what')).fontSize)")
    assert after == pytest.approx(2 * before)
    assert narrow_enough(page)
    page.reload()
    expect(page.locator("#buttons button").first).to_be_visible(timeout=SLOW)
    assert page.evaluate("document.documentElement.dataset.size") == "200"
    for part in ("#left", "#player", "#faults", "#list"):
        page.locator(part).scroll_into_view_if_needed()
        expect(page.locator(part)).to_be_in_viewport()


def test_a_television_is_read_from_two_metres(serve: Serve, opened: Callable[..., Any]) -> None:
    """A 40-inch screen of 1920 pixels has 0.46 mm a pixel: 24 of them are 11 mm, a third of a degree at two metres."""
    page = opened(in_a_turn(serve).address, SIZES["television"])
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    size = "(selector) => parseFloat(getComputedStyle(document.querySelector(selector)).fontSize)"
    assert page.evaluate(size, "#left") >= 64
    assert page.evaluate(size, "#player") >= 64
    for part in ("#say", "#headline", "#faults li", ".player-card .points", "#buttons button"):
        assert page.evaluate(size, part) >= 24, part


@wide
def test_by_keyboard_one_comes_everywhere_and_back(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r12").address)
    expect(page.locator("li.set")).to_have_count(1, timeout=SLOW)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Go to the sets")).to_be_focused()
    opener = page.get_by_role("button", name="Start a game")
    opener.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#start-go")).to_be_focused()
    inside = "document.body === document.activeElement || document.activeElement.closest('#start') !== null"
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate(inside)
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


@wide
def test_who_plays_by_keyboard_keeps_the_place(page: Any, serve: Serve) -> None:
    page.goto(serve("r10 r11 r12").address)
    start(page, "Anna", "Ben", clock="clock=120")
    button = page.locator("#buttons").get_by_role("button", name="Pause")
    button.focus()
    with page.expect_response("**/press/pause") as answer:
        page.keyboard.press("Enter")
    answer.value.finished()  # one press at a time: the next counts when this one is answered
    expect(page.locator("#buttons").get_by_role("button", name="Go on")).to_be_focused()
    page.wait_for_timeout(100)
    page.keyboard.press("Space")
    expect(page.locator("#turn")).to_have_attribute("data-clock", "running")


@wide
def test_what_changes_is_said_to_who_does_not_see_it(page: Any, serve: Serve) -> None:
    page.goto(serve("").address)
    for part in ("#headline", "#player", "#say", "#faults", "#ask", "#link", "#refused", "#trouble", "#next-game"):
        live = page.locator(part).evaluate(
            "e => e.getAttribute('aria-live') || {status: 'polite', alert: 'assertive'}[e.getAttribute('role')]"
        )
        assert live in ("polite", "assertive"), part
    expect(page.locator("#left")).to_have_attribute("role", "timer")


@wide
def test_dark_and_light_are_chosen_and_remembered(page: Any, serve: Serve) -> None:
    page.goto(serve("").address)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("radio", name="Dark").check()
    assert page.evaluate(ground) != light
    page.reload()
    expect(page.locator("#headline")).not_to_be_empty()
    assert page.evaluate(ground) != light
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("radio", name="Light").check()
    assert page.evaluate(ground) == light


def test_who_wants_no_motion_sees_none(serve: Serve, opened: Callable[..., Any]) -> None:
    served = serve("")
    served.companion.press("start", {"players": ["Anna", "Ben"], "first": "Anna"})
    page = opened(served.address, reduced_motion="reduce")
    expect(page.locator("#left")).to_be_visible(timeout=SLOW)
    moving = "[...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).animationName !== 'none').length"
    assert page.evaluate(moving) == 0


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_its_words_and_fits(serve: Serve, opened: Callable[..., Any], code: str) -> None:
    texts = language(code)
    page = opened(f"{in_a_turn(serve).address}?lang={code}", (390, 844))
    expect(page.locator("#faults li").first).to_be_visible(timeout=SLOW)
    assert page.evaluate("document.documentElement.lang") == code
    assert page.evaluate("document.documentElement.dir") == ("rtl" if code == "he" else "ltr")
    expect(page.locator("#buttons [data-button=end]")).to_have_text(texts["turn.end"])
    expect(page.locator("#faults h2")).to_have_text(texts["faults.title"])
    assert narrow_enough(page)
    for opener in ("#open-sheet", "#open-menu"):
        page.locator(opener).click()
        assert narrow_enough(page)
        shown = page.evaluate("document.querySelector('dialog[open]').innerText")
        page.keyboard.press("Escape")
        assert not re.findall(r"\b[a-z]+(?:\.[a-z-]+)+\b|\{\w+\}", shown)
    shown = page.evaluate("document.body.innerText")
    assert not re.findall(r"\b(?:app|turn|sets?|say|score|sheet|menu|fault|why|headline)\.[a-z-]+\b|\{\w+\}", shown)


def test_the_language_is_chosen_in_the_menu_and_remembered(serve: Serve, opened: Callable[..., Any]) -> None:
    address = serve("").address
    page = opened(address, locale="en-GB")
    assert page.evaluate("document.documentElement.lang") == "en"
    page.get_by_role("button", name="Menu").click()
    page.locator("#language").select_option("de")
    expect(page.locator("#open-menu")).to_have_text(language("de")["menu.title"], timeout=SLOW)
    page.goto(address)
    expect(page.locator("#open-menu")).to_have_text(language("de")["menu.title"], timeout=SLOW)


def test_the_language_of_the_device_is_taken(serve: Serve, opened: Callable[..., Any]) -> None:
    page = opened(serve("").address, locale="fr-CA")
    expect(page.locator("#open-start")).to_have_text(language("fr")["start.open"], timeout=SLOW)


def test_from_right_to_left_all_is_mirrored_but_the_tiles(serve: Serve, opened: Callable[..., Any]) -> None:
    page = opened(f"{in_a_turn(serve).address}?lang=he")
    expect(page.locator("li.set")).to_have_count(4, timeout=SLOW)
    assert page.locator("#stage").bounding_box()["x"] > page.locator("#side").bounding_box()["x"]
    assert page.locator("#left").bounding_box()["x"] > page.locator("#buttons").bounding_box()["x"]
    tiles = page.locator("li.set").first.locator(".tile")
    places = [tile.bounding_box()["x"] for tile in tiles.all()]
    assert places == sorted(places)
    names = [tile.get_attribute("aria-label") for tile in tiles.all()]
    assert [re.findall(r"\d+", name or "") for name in names] == [["3"], ["4"], ["5"]]
    # A range and a sign keep their order too: what is drawn first stands further left.
    order = """(text) => {
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node; (node = walk.nextNode());) {
        const at = node.data.indexOf(text);
        if (at < 0 || !node.parentElement.checkVisibility()) continue;
        const place = (k) => {
          const range = document.createRange();
          range.setStart(node, at + k);
          range.setEnd(node, at + k + 1);
          return range.getBoundingClientRect().x;
        };
        return [...text].map((_, k) => place(k));
      }
      return null;
    }"""
    for text in ("3–5", "−146", "+135"):
        places = page.evaluate(order, text)
        assert places is not None, text
        assert places == sorted(places), text


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_page_is_less_than_two_hundred_kilobytes(serve: Serve, browser: Any, code: str) -> None:
    """All that is fetched until it is drawn, but for the pictures."""
    context = browser.new_context()
    page = context.new_page()
    sizes: dict[str, int] = {}
    page.on(
        "requestfinished",
        lambda request: (
            sizes.__setitem__(request.url, request.sizes()["responseBodySize"])
            if request.resource_type not in ("image", "eventsource")
            else None
        ),
    )
    page.goto(f"{serve('').address}?lang={code}")
    expect(page.locator("#open-start")).to_be_visible(timeout=SLOW)
    page.wait_for_timeout(300)
    context.close()
    assert len(sizes) > 20
    assert sum(sizes.values()) < 200_000
