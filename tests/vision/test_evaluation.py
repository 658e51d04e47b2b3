"""The figures of `vision.evaluation`, and that they are those of the scorer kept with the photos."""

from __future__ import annotations

import importlib.util
import json
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from referee.tiles import ALL_TILES, Tile
from vision.evaluation import Figures, LabelsError, covers, parse_labels, same_tile, score, sums
from vision.reading import Reading, TileReading

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def quad(x: float, y: float, w: float = 40, h: float = 56) -> tuple[tuple[float, float], ...]:
    return ((x - w / 2, y - h / 2), (x + w / 2, y - h / 2), (x + w / 2, y + h / 2), (x - w / 2, y + h / 2))


def read(words: str, at: list[tuple[float, float]] | None = None, sets: str = "") -> Reading:
    """Tiles from a text (``r5!`` is unsure) at places 50 apart; ``sets`` are ids, as in ``0 1 2 | 3``."""
    names = words.split()
    tiles = tuple(
        TileReading(k, Tile.parse(w.rstrip("!")), 0.9, w.endswith("!"), quad(*(at[k] if at else (50 * k, 0))))
        for k, w in enumerate(names)
    )
    rows = tuple(tuple(int(n) for n in row.split()) for row in sets.split("|") if row.strip())
    loose = tuple(k for k in range(len(names)) if not any(k in row for row in rows))
    return Reading(400, 300, None, tiles, rows, loose)


def labels(words: str, **more: Any) -> dict[str, Any]:
    tiles = [{"tile": w, "at": [50 * k, 0]} for k, w in enumerate(words.split())]
    return {"width": 400, "height": 300, "scene": "loose", "complete": True, "tiles": tiles, **more}


@pytest.mark.parametrize(
    ("label", "got", "agrees"),
    [
        ("r5", "r5", True), ("r5", "o5", False), ("r5", "r6", False), ("j", "j", True), ("j", "?", False),
        ("r5", "j", False), ("?6", "k6", True), ("?6", "k9", False), ("?6", "?6", False), ("r5", "r?", False),
        ("r1", "r11", False), ("?1", "b11", False), ("?13", "b3", False),
    ],
)
def test_what_agrees(label: str, got: str, agrees: bool) -> None:
    assert same_tile(Tile.parse(label), Tile.parse(got)) == agrees


CASES = [
    ("all right", "r5 k6 j", "r5 k6 j", {"tiles": 3, "found": 3, "right": 3, "number": 3, "exact": 1}),
    ("a colour wrong and sure", "r5 k6", "o5 k6", {"right": 1, "number": 2, "exact": 0, "sure_wrong": 1}),
    ("a colour wrong, marked", "r5 k6", "o5! k6", {"right": 1, "number": 2, "sure_wrong": 0, "unsure": 1}),
    ("right though unsure", "r5", "r5!", {"right": 1, "exact": 1, "unsure": 1}),
    ("one missing", "r5 k6 b7", "r5 k6", {"found": 2, "right": 2, "exact": 0, "extra": 0}),
    ("one too many", "r5", "r5 k6", {"found": 1, "right": 1, "exact": 0, "extra": 1}),
    ("unread", "r5", "?!", {"found": 1, "right": 0, "number": 0, "sure_wrong": 0}),
]


@pytest.mark.parametrize(("wanted", "got", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_figures(wanted: str, got: str, expected: dict[str, int]) -> None:
    (photo,) = parse_labels({"a.jpg": labels(wanted)})
    figures = score(photo, read(got)).figures.to_json()
    assert {key: figures[key] for key in expected} == expected


def test_extra_counts_on_complete_photos_only() -> None:
    (photo,) = parse_labels({"a.jpg": labels("r5", complete=False)})
    assert score(photo, read("r5 k6")).figures.extra == 0


def test_one_label_takes_one_tile_the_nearest() -> None:
    (photo,) = parse_labels({"a.jpg": labels("r5")})
    scored = score(photo, read("k1 r5", at=[(9, 0), (3, 0)]))
    assert scored.figures.right == 1 and scored.figures.extra == 1


def test_sets_are_the_same_tiles_in_any_order() -> None:
    rows = [[{"tile": w} for w in row.split()] for row in ("r5 r6 r7", "k1 b1 o1", "r5 r6 r7")]
    (photo,) = parse_labels({"a.jpg": {"scene": "table", "complete": True, "sets": rows}})
    whole = read("r5 r6 r7 k1 b1 o1 r7 r6 r5", sets="0 1 2 | 5 4 3 | 6 7 8")
    assert score(photo, whole).figures.to_json() == Figures(1, 9, 9, 0, 9, 9, 3, 3, 1, 0, 0).to_json()
    merged = read("r5 r6 r7 k1 b1 o1 r7 r6 r5", sets="0 1 2 3 | 5 4 | 6 7 8")
    assert (score(photo, merged).figures.sets_right, score(photo, merged).figures.exact) == (1, 0)


def test_outlined_tiles_are_a_scene_of_their_own() -> None:
    polygon = [[10, 10], [20, 10], [30, 10], [50, 10], [50, 66], [10, 66]]
    entry = {"series": "s1", "tiles": [{"tile": "r5", "polygon": polygon}]}
    (photo,) = parse_labels({"a.jpg": entry, "b.jpg": {"tiles": []}})
    assert photo.scene == "tiles" and photo.series == "s1" and photo.sets == ()
    assert photo.tiles[0].at == pytest.approx((30, 38))
    total = sums([score(photo, read("r5", at=[(30, 38)]))])
    assert set(total) == {"tiles", "all"} and total["all"].right == 1


def test_a_quad_covers_a_little_more_than_itself() -> None:
    points = np.array([(0, 0), (22, 0), (24, 0), (0, 31), (0, 33)])
    for corners in (quad(0, 0), quad(0, 0)[::-1]):
        assert covers(np.array([corners]), points)[:, 0].tolist() == [True, True, False, True, False]


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ([], "object of photos"),
        ({"a.jpg": {"tiles": [{"at": [1, 2]}]}}, "labels of a.jpg cannot be used: 'tile' is missing"),
        ({"a.jpg": {"tiles": [{"tile": "q5"}]}}, "no such tile"),
        ({"a.jpg": {"tiles": [{"tile": "r5", "at": [1]}]}}, "a.jpg"),
        ({"a.jpg": 3}, "a.jpg"),
    ],
)
def test_labels_that_cannot_be_used(document: Any, says: str) -> None:
    with pytest.raises(LabelsError, match=says.replace("(", r"\(")):
        parse_labels(document)


def scorer() -> ModuleType:
    path = SHARED / "tools" / "score_reading.py"
    if not path.exists():
        pytest.skip("the scorer and the labelled photos are not beside this checkout")
    spec = importlib.util.spec_from_file_location("score_reading", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def noisy(entry: dict[str, Any], luck: random.Random) -> Reading:
    """A reading of a labelled photo with tiles missed, invented, misread, moved, and sets split or merged."""
    names = list(map(str, ALL_TILES))
    rows, tiles, loose = [], [], []
    for row in entry.get("sets") or [entry["tiles"]]:
        ids = []
        for label in row:
            if luck.random() < 0.05:
                continue
            true_name = label["tile"].replace("?", luck.choice("kbro"))
            wrong_names = [luck.choice(names), "?", f"?{luck.randint(1, 13)}"]
            tile = Tile.parse(true_name if luck.random() < 0.85 else luck.choice(wrong_names))
            x, y = label.get("at", (luck.uniform(0, 400), luck.uniform(0, 400)))
            place = (x + luck.gauss(0, 7), y + luck.gauss(0, 9))
            corners = quad(*place, luck.uniform(25, 60), luck.uniform(40, 80))
            ids.append(len(tiles))
            tiles.append(TileReading(len(tiles), tile, luck.random(), luck.random() < 0.3, corners))
            if luck.random() < 0.04:
                loose.append(len(tiles))
                tiles.append(TileReading(len(tiles), tile, luck.random(), False, corners))
        rows.append(tuple(ids))
    if luck.random() < 0.3 and len(rows) > 1:
        rows = [rows[0] + rows[1], *rows[2:]]
    return Reading(400, 400, None, tuple(tiles), tuple(row for row in rows if row), tuple(loose))


@pytest.mark.parametrize("seed", range(4))
def test_agrees_with_the_scorer(seed: int) -> None:
    theirs = scorer()
    entries = json.loads((SHARED / "photos" / "eval" / "labels.json").read_text())
    luck = random.Random(seed)
    shared = [key for key in Figures().to_json() if key != "unsure"]
    for photo in parse_labels(entries):
        reading = noisy(entries[photo.name], luck)
        expected = theirs.score(entries[photo.name], reading.to_json())
        ours = score(photo, reading).figures.to_json()
        assert {k: ours[k] for k in shared} == {k: expected[k] for k in shared}, photo.name
