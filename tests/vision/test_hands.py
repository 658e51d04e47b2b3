"""A hand is told from a shadow, on drawn pictures: dark and fair hands and sleeves, dark and light tables."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.hands import hand_in, look
from vision.rest import Motion, RestWatch

SIZE = (480, 640)
DARK, LIGHT = (42, 62, 92), (130, 175, 205)
TABLES = {"dark": DARK, "light": LIGHT}
HANDS = {"dark": (36, 50, 74), "fair": (110, 140, 200)}
REACHES = {"bottom": ((330, 480), (300, 300)), "top": ((200, 0), (230, 150)), "left": ((0, 300), (180, 270))}
RNG = np.random.default_rng(5)
GRAIN = cv2.GaussianBlur(RNG.normal(0, 1, SIZE).astype(np.float32), (0, 0), 14, sigmaY=3)
GRAIN = GRAIN / GRAIN.std()
NOISE = RNG.normal(0, 2, (*SIZE, 3))


def table(tone: str = "dark", grain: float = 0.09, tiles: int = 12) -> np.ndarray:
    """A table with wood's grain, or plain, and tiles in its middle."""
    wood = np.full((*SIZE, 3), TABLES[tone], np.float32) * np.exp(grain * GRAIN)[..., None]
    picture = np.clip(wood, 0, 255).astype(np.uint8)
    for n in range(tiles):
        tile(picture, 120 + (n % 6) * 34, 150 + (n // 6) * 90, n)
    return picture


def tile(picture: np.ndarray, x: int, y: int, number: int = 5) -> None:
    cv2.rectangle(picture, (x, y), (x + 30, y + 42), (205, 220, 225), -1)
    cv2.putText(picture, str(number % 13 + 1), (x + 4, y + 22), 0, 0.6, (40, 30, 160), 2)


def arm(border: tuple[int, int], tip: tuple[int, int], soft: float = 1.0) -> np.ndarray:
    """The shape of an arm with a hand, reaching in: 0 to 1, its edge so many pixels wide."""
    shape = np.zeros(SIZE, np.float32)
    cv2.line(shape, border, tip, 1.0, 56, cv2.LINE_AA)
    cv2.circle(shape, tip, 38, 1.0, -1, cv2.LINE_AA)
    for spread in (-26, -9, 9, 26):
        along = (np.array(tip) - border) / np.hypot(*(np.array(tip) - border))
        end = np.array(tip) + 70 * along + spread * np.array([-along[1], along[0]])
        cv2.line(shape, tip, tuple(np.round(end).astype(int).tolist()), 1.0, 13, cv2.LINE_AA)
    return cv2.GaussianBlur(shape, (0, 0), soft)[..., None]


def with_hand(picture: np.ndarray, shape: np.ndarray, colour: tuple[float, ...]) -> np.ndarray:
    """What a hand covers is gone; it is a little darker where it curves away."""
    round_ = 0.85 + 0.15 * cv2.GaussianBlur(shape, (0, 0), 9)[..., None]
    return picture * (1 - shape) + np.array(colour) * round_ * shape


def seen(picture: np.ndarray, moment: int = 0) -> np.ndarray:
    """As a camera sees it, with noise of its own at every moment."""
    return np.clip(picture + np.roll(NOISE, 37 * moment, axis=1), 0, 255).astype(np.uint8)


def is_hand(before: np.ndarray, now: np.ndarray) -> bool:
    return hand_in(look(seen(now, 1)), look(seen(before)), ghosts=False) is not None


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("grain", [0.0, 0.09])
@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("tone", TABLES)
class TestAHandAndItsShadow:
    def test_a_hand_is_seen(self, tone: str, hand: str, grain: float, reach: str) -> None:
        before = table(tone, grain)
        assert is_hand(before, with_hand(before, arm(*REACHES[reach]), HANDS[hand]))

    def test_a_hand_in_a_sleeve_of_the_tables_colour_is_seen(
        self, tone: str, hand: str, grain: float, reach: str
    ) -> None:
        before, (border, tip) = table(tone, grain), REACHES[reach]
        sleeve = np.zeros(SIZE, np.float32)
        cv2.line(sleeve, border, tuple((0.6 * np.array(border) + 0.4 * np.array(tip)).astype(int).tolist()), 1.0, 60)
        now = with_hand(before, arm(border, tip), HANDS[hand])
        assert is_hand(before, with_hand(now, sleeve[..., None], tuple(0.8 * np.array(TABLES[tone]))))

    def test_a_shadow_as_dark_is_none(self, tone: str, hand: str, grain: float, reach: str) -> None:
        """Soft on a plain table, where nothing else tells; on wood as sharp as the hand itself."""
        before = table(tone, grain)
        dark = np.clip(float(np.mean(HANDS[hand])) / float(np.mean(TABLES[tone])), 0.6, 0.85)
        shape = arm(*REACHES[reach], soft=1.5 if grain else 16.0)
        assert not is_hand(before, before * (1 - (1 - dark) * shape))

    def test_it_is_seen_in_its_own_shadow(self, tone: str, hand: str, grain: float, reach: str) -> None:
        before, (border, tip) = table(tone, grain), REACHES[reach]
        beside = arm((border[0] + 24, border[1]), (tip[0] + 24, tip[1] + 12), soft=9.0)
        assert is_hand(before, with_hand(before * (1 - 0.35 * beside), arm(border, tip), HANDS[hand]))


@pytest.mark.parametrize("hand", HANDS)
def test_somebody_who_bends_over_the_table_is_seen(hand: str) -> None:
    before, body = table(), np.zeros(SIZE, np.float32)
    cv2.ellipse(body, (200, 0), (190, 330), 0, 0, 360, 1.0, -1, cv2.LINE_AA)
    assert 0.3 < body.mean() < 0.6
    assert is_hand(before, with_hand(before, body[..., None], HANDS[hand]))


@pytest.mark.parametrize("grain", [0.0, 0.09])
@pytest.mark.parametrize("tone", TABLES)
class TestOnlyLight:
    def test_half_of_the_table_in_the_shade(self, tone: str, grain: float) -> None:
        before = table(tone, grain)
        after = table(tone, grain)
        tile(after, 300, 330)
        across = np.arange(SIZE[1])[None, :, None]
        assert not is_hand(before, after * (1 - 0.5 / (1 + np.exp(-(across - 310) / 16))))

    def test_a_lamp(self, tone: str, grain: float) -> None:
        before = table(tone, grain)
        y, x = np.mgrid[: SIZE[0], : SIZE[1]]
        pool = 1 + 0.5 * np.exp(-((x - 420) ** 2 + (y - 380) ** 2) / 130.0**2)[..., None]
        assert not is_hand(before, before * pool * np.array([0.85, 0.97, 1.08]))

    def test_tiles_near_the_border_are_no_hand(self, tone: str, grain: float) -> None:
        before = table(tone, grain)
        for edge in range(3):
            after = table(tone, grain)
            for n in range(5):
                x, y = ((10, 60 + 44 * n), (100 + 34 * n, 10), (100 + 34 * n, SIZE[0] - 54))[edge]
                tile(after, x, y, n)
            assert not is_hand(before, after), edge
            assert not is_hand(after, before), edge


class TestWatching:
    def follow(self, pictures: list[np.ndarray], step: float = 0.2) -> tuple[RestWatch, list[Motion]]:
        watch = RestWatch()
        return watch, [watch.observe(seen(p, n), n * step) for n, p in enumerate(pictures)]

    @pytest.mark.parametrize("grain", [0.0, 0.09])
    def test_a_dark_hand_that_moves_about_is_waited_for_as_long_as_it_does(self, grain: float) -> None:
        before = table("dark", grain)
        pictures = [before] * 8
        for n in range(40):
            wander = arm((330, 480), (300 + round(40 * np.sin(n / 4)), 330))
            pictures.append(with_hand(before, wander, HANDS["dark"]))
        watch, phases = self.follow([*pictures, *[before] * 8])
        assert phases[7] is Motion.REST
        assert set(phases[8:48]) == {Motion.HAND}
        assert phases[-1] is Motion.REST and watch.times_at_rest == 2

    def test_where_a_dark_hand_was_counts_as_touched(self) -> None:
        before = table("dark")
        hand = [with_hand(before, arm((330, 480), (300, 330)), HANDS["dark"])] * 3
        watch = RestWatch()
        for n, p in enumerate([before] * 8):
            watch.observe(seen(p, n), n * 0.2)
        watch.stirred()
        for n, p in enumerate([*hand, *[before] * 8], 8):
            watch.observe(seen(p, n), n * 0.2)
        there = np.array([[[290, 320], [330, 320], [330, 370], [290, 370]], [[20, 20], [60, 20], [60, 60], [20, 60]]])
        share = watch.stirred().share(there)
        assert share[0] > 0.8 and share[1] == 0.0

    @pytest.mark.parametrize("hand", HANDS)
    def test_a_hand_that_lay_still_and_leaves_is_no_hand(self, hand: str) -> None:
        before = table("light")
        lying = with_hand(before, arm(*REACHES["bottom"]), HANDS[hand])
        watch, phases = self.follow([before] * 8 + [lying] * 30 + [before] * 8)
        assert phases[36] is Motion.REST and phases[-1] is Motion.REST and watch.times_at_rest == 3
