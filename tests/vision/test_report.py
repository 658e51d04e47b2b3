"""Reports on readings: the tables, the reliability curve, the page and the sheet of misread tiles."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

from referee.tiles import ALL_TILES, Tile
from vision.report import (
    Bin,
    Sample,
    by_ink,
    by_number,
    by_tile,
    calibration_error,
    cut_out,
    page,
    reliability,
    sheet,
    summary,
    text,
)


def samples(pairs: str, confidence: float = 0.99) -> list[Sample]:
    """``r5>o5 k6`` is a red 5 read as an orange one and a black 6 read right; ``!`` marks it unsure."""
    found = []
    for pair in pairs.split():
        wanted, _, got = pair.rstrip("!").partition(">")
        found.append(Sample(Tile.parse(wanted), Tile.parse(got or wanted), confidence, pair.endswith("!")))
    return found


MIXED = "r5>o5 r5 o5>r5! k6>k9 b9>b6 b9 j j>k3 k3>j o1>? ?7>r7 ?7>r1"


def test_confusion_by_tile_number_and_ink() -> None:
    read = samples(MIXED)
    tiles, numbers, inks = by_tile(read), by_number(read), by_ink(read)
    assert (tiles["r5", "o5"], tiles["r5", "r5"], tiles["b9", "b6"], tiles["j", "k3"]) == (1, 1, 1, 1)
    assert not any(w.startswith("?") for w, _ in tiles)
    assert (numbers["6", "9"], numbers["9", "6"], numbers["j", "3"], numbers["3", "j"]) == (1, 1, 1, 1)
    assert (numbers["7", "7"], numbers["7", "1"], numbers["1", "?"]) == (1, 1, 1)
    assert (inks["r", "o"], inks["o", "r"], inks["r", "r"], inks["o", "?"]) == (1, 1, 1, 1)
    assert sum(inks.values()) == 7  # neither jokers nor labels without a colour


def test_the_summary_adds_up() -> None:
    found = summary(samples(MIXED))
    assert (found["samples"], found["right"], found["unsure"], found["sure_wrong"]) == (12, 4, 1, 7)
    assert (found["six_as_nine"], found["nine_as_six"]) == (1, 1)
    assert (found["red_as_orange"], found["orange_as_red"]) == (1, 1)
    assert found["numbers"]["9"] == {"tiles": 2, "right": 1, "read_as": {"6": 1, "9": 1}}
    assert found["confusion"]["r5"] == {"o5": 1, "r5": 1}
    assert sum(row["tiles"] for row in found["numbers"].values()) == 12


def test_in_words() -> None:
    words = text(samples(MIXED))
    assert "6 read as 9: 1, 9 as 6: 1; red read as orange: 1, orange as red: 1" in words
    assert "     9      2   50.0%  6 ×1" in words
    assert "   red      2   50.0%  orange ×1" in words
    assert "r5 as o5 ×1" in words
    assert text([]) == "no samples"


def test_reliability_of_a_reader_that_knows_itself() -> None:
    luck = np.random.default_rng(0)
    five, six = Tile.parse("r5"), Tile.parse("r6")
    sure = luck.uniform(0.3, 1, 20_000)
    read = [Sample(five, five if luck.random() < c else six, float(c)) for c in sure]
    bins = reliability(read)
    assert sum(b.count for b in bins) == len(read)
    assert all(b.low <= b.confidence <= b.high for b in bins)
    assert all(abs(b.confidence - b.right) < 0.05 for b in bins if b.count > 500)
    assert calibration_error(bins) < 0.02
    boastful = [Sample(s.wanted, s.got, 0.9 + s.confidence / 10) for s in read]
    assert calibration_error(reliability(boastful)) > 0.2


def test_reliability_at_the_edges() -> None:
    five = Tile.parse("r5")
    bins = reliability([Sample(five, five, c) for c in (0.0, 1.0, 1.0)])
    assert [(b.count, b.confidence, b.right) for b in bins] == [(1, 0.0, 1.0), (2, 1.0, 1.0)]
    assert reliability([]) == () and calibration_error(()) == 0
    assert calibration_error([Bin(0, 1, 3, 0.5, 1.0), Bin(0, 1, 1, 0.5, 0.5)]) == pytest.approx(0.375)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.cells += tag in ("td", "th")
        if tag not in ("meta", "img", "rect", "polyline"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_names_no_other_host() -> None:
    everything = [Sample(t, t, 0.99) for t in ALL_TILES]
    words = page("Readings <here>", "photo & all", everything + samples(MIXED), "misread.png")
    tags = Tags()
    tags.feed(words)
    assert tags.open == []
    assert tags.cells == (1 + 53 + 1) * (1 + 53)  # every kind by every kind and "?", with headings
    assert "Readings &lt;here&gt;" in words and "photo &amp; all" in words
    assert "http" not in words


def test_a_tile_is_cut_out_upright() -> None:
    picture = np.full((300, 300, 3), 90, np.uint8)
    picture[100:170, 100:200] = (255, 255, 255)
    picture[100:170, 170:200] = (0, 0, 255)  # the tile's top points to the right
    quad = ((200.0, 100.0), (200.0, 170.0), (100.0, 170.0), (100.0, 100.0))
    cut = cut_out(picture, quad, margin=0)
    assert cut.shape == (140, 100, 3)
    assert (cut[10, 50] == (0, 0, 255)).all() and (cut[100, 50] == 255).all()


@pytest.mark.parametrize("n", [0, 1, 8, 19])
def test_the_sheet_holds_every_picture(n: int) -> None:
    colours = [(k, 255 - k, 128) for k in range(n)]
    pictures = [(np.full((140, 100, 3), colour, np.uint8), "r5 as o5 99%\na photo") for colour in colours]
    made = sheet(pictures)
    assert made.ndim == 3 and made.dtype == np.uint8
    for colour in colours:
        assert int((made == colour).all(axis=-1).sum()) == 140 * 100
