"""`tilekeeper evaluate`: the table, the document, the report, and labels or photos that cannot be used."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import pytest
from click.testing import CliRunner, Result

from webui.commands import evaluate as command

TABLE = "r5 r6 r7 | k1 b1 o1 | j"


def call(*arguments: str) -> Result:
    return CliRunner().invoke(command.evaluate, arguments, catch_exceptions=False)


def label(folder: Path, name: str, lies: str, **more: Any) -> None:
    """Label a photo: the tiles ``lies`` at the places of its stored reading."""
    stored = json.loads((folder / f"{name}.json").read_text())
    at = [[sum(p[i] for p in t["quad"]) / 4 for i in (0, 1)] for t in stored["tiles"]]
    rows, k = [], 0
    for row in lies.split("|"):
        tiles = [{"tile": w, "at": at[k + n]} for n, w in enumerate(row.split())]
        k += len(tiles)
        rows.append(tiles)
    path = folder / "labels.json"
    labels = json.loads(path.read_text()) if path.exists() else {}
    loose = [t for row in rows if len(row) == 1 for t in row]
    sets = [row for row in rows if len(row) > 1]
    tiles = {"tiles": [t for row in sets for t in row] + loose} if loose else {}
    labels[f"{name}.jpg"] = {"scene": "table", "complete": True, "sets": sets, **tiles, **more}
    path.write_text(json.dumps(labels))


@pytest.fixture
def folder(tables: Callable[..., Path]) -> Path:
    """Two photos with stored readings: the second has a red 5 read as orange and an unsure 9."""
    where = tables(TABLE, ("o5 r6 r7 | k9 b9 o9", {"k9": "k6"}))
    label(where, "frame-0", TABLE)
    label(where, "frame-1", "r5 r6 r7 | k9 b9 o9", series="second")
    return where


def test_the_document(folder: Path) -> None:
    result = call(str(folder / "labels.json"), "--readings", str(folder), "--json")
    assert result.exit_code == 0 and result.stderr == ""
    document = json.loads(result.stdout)
    assert document["photos"]["frame-0.jpg"]["exact"] == 1
    total = document["sums"]["all"]
    expected = {"photos": 2, "tiles": 13, "found": 13, "right": 12, "number": 13, "extra": 0}
    expected |= {"sets": 4, "sets_right": 3, "exact": 1, "sure_wrong": 1, "unsure": 1}
    assert total == expected
    assert (document["red_as_orange"], document["orange_as_red"]) == (1, 0)


def test_the_table(folder: Path) -> None:
    lines = call(str(folder / "labels.json"), "--readings", str(folder)).stdout.splitlines()
    rows = [" ".join(line.split()) for line in lines]
    assert rows[0] == "photo tiles found extra right number sets exact sure-wrong unsure"
    assert rows[2] == "frame-1.jpg 6 100.0% 0 83.3% 100.0% 1/2 0/1 1 1"
    assert "tiles misread: r5 as o5 ×1" in lines


def test_one_series(folder: Path) -> None:
    stored = ("--readings", str(folder), "--json")
    result = call(str(folder / "labels.json"), *stored, "--series", "second")
    assert list(json.loads(result.stdout)["photos"]) == ["frame-1.jpg"]
    result = call(str(folder / "labels.json"), *stored, "--series", "third")
    assert result.exit_code == 2 and "no tiles in series third" in result.stderr


def test_the_report(folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "reports" / "first"
    result = call(str(folder / "labels.json"), "--readings", str(folder), "--report", str(target))
    assert result.exit_code == 0
    words = (target / "report.html").read_text(encoding="utf-8")
    assert "frame-1.jpg" in words and 'src="misread.png"' in words
    pictures = cv2.imread(str(target / "misread.png"))
    assert pictures is not None and pictures.shape[0] > 140 and pictures.shape[1] > 250  # two tiles


def test_a_photo_that_is_missing_counts_as_not_found(folder: Path) -> None:
    (folder / "frame-0.jpg").unlink()
    result = call(str(folder / "labels.json"), "--readings", str(folder), "--json")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1 and "frame-0.jpg" in result.stderr
    document = json.loads(result.stdout)
    assert document["photos"]["frame-0.jpg"]["found"] == 0 and document["sums"]["all"]["found"] == 6


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "object of photos"),
        ("{}", "labels no tiles"),
        ('{"a.jpg": {"tiles": [{"tile": "x"}]}}', "a.jpg"),
    ],
)
def test_labels_that_cannot_be_used(tmp_path: Path, words: str, says: str) -> None:
    path = tmp_path / "labels.json"
    path.write_text(words)
    result = call(str(path), "--readings", str(tmp_path))
    assert result.exit_code == 2 and says in result.stderr
    assert result.stderr.count("\n") == 1 and result.stdout == ""


def test_places_that_are_not_there(folder: Path, tmp_path: Path) -> None:
    assert "cannot read" in call(str(tmp_path / "none.json")).stderr
    result = call(str(folder / "labels.json"), "--readings", str(tmp_path / "none"))
    assert result.exit_code == 2 and "no folder" in result.stderr
    (tmp_path / "file").write_text("")
    result = call(str(folder / "labels.json"), "--readings", str(folder), "--report", str(tmp_path / "file"))
    assert result.exit_code == 2 and "cannot make the folder" in result.stderr
