"""A reading beside the layout that lies there."""

from __future__ import annotations

import pytest

from referee.layout import Layout
from vision.reading import Reading, TileReading
from webui.truth import truth_of


def reading(text: str) -> Reading:
    """``r5? r6`` reads an unsure r5 and a sure r6; a row of one tile is loose."""
    tiles: list[TileReading] = []
    sets, loose = [], []
    for row in filter(None, (r.split() for r in text.split("|"))):
        ids = []
        for word in row:
            tile = Layout.parse(word.removesuffix("!")).sets[0][0]
            x = float(len(tiles))
            quad = ((x, 0.0), (x + 1, 0.0), (x + 1, 1.0), (x, 1.0))
            ids.append(len(tiles))
            tiles.append(TileReading(len(tiles), tile, 0.5, word.endswith("!"), quad))
        if len(ids) > 1:
            sets.append(tuple(ids))
        else:
            loose += ids
    return Reading(640, 480, None, tuple(tiles), tuple(sets), tuple(loose))


@pytest.mark.parametrize(
    ("read", "lies", "truth"),
    [
        ("r5 r6 r7", "r5 r6 r7", {}),
        ("r7 r6 r5", "r5 r6 r7", {}),
        ("r5! r6 r7", "r5 r6 r7", {0: "r5"}),
        ("o5! r6 r7", "r5 r6 r7", {0: "r5"}),
        ("r7 r6 o5!", "r5 r6 r7", {2: "r5"}),
        ("?! ?! ?!", "r5 r6 r7", {0: "r5", 1: "r6", 2: "r7"}),
        ("k1 k2 k3 | o9! b9 r9", "b9 k9 r9 | k1 k2 k3", None),
        ("k1 k2 k3 | k9! b9 r9", "k9 b9 r9 | k1 k2 k3", {3: "k9"}),
        ("r5 r6 r7 j!", "r5 r6 r7", {3: None}),
        ("j! r5 r6 r7", "r5 r6 r7", {0: None}),
        ("r5 r6 r7 | j!", "r5 r6 r7", {3: None}),
        ("r5 r6 r8", "r5 r6 r7", None),
        ("r5 r6", "r5 r6 r7", None),
        ("r5 r6 r7 | j", "r5 r6 r7", None),
        ("r5 r6 r7 k9 b9 r9", "r5 r6 r7 | k9 b9 r9", None),
        ("", "", {}),
        ("", "r5 r6 r7", None),
        ("j!", "", {0: None}),
        ("j", "", None),
    ],
)
def test_truth(read: str, lies: str, truth: dict[int, str | None] | None) -> None:
    found = truth_of(reading(read), Layout.parse(lies))
    assert (found is None) == (truth is None)
    if found is not None and truth is not None:
        assert {n: str(t) if t else None for n, t in found.items()} == truth
