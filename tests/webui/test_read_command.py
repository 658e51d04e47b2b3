"""`tilekeeper read`: what is printed where, what is written, and how bad input is answered."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from click.testing import CliRunner, Result

from referee.tiles import Tile
from vision.reading import Reading, StoredReader, TileReading, table_warnings
from webui.commands import read as command
from webui.commands.inputs import Unusable

WORDS = ("b6", "j", "?8", "k1")


def reading(words: tuple[str, ...] = WORDS) -> Reading:
    """Tiles in a row, the last one loose; what is not readable is unsure."""
    tiles = tuple(
        TileReading(
            id=k,
            tile=Tile.parse(word),
            confidence=0.5 if "?" in word else 0.99,
            unsure="?" in word,
            quad=((40 * k, 10.0), (40 * k + 38, 10.0), (40 * k + 38, 64.0), (40 * k, 64.0)),
            alternatives=((Tile.parse("b8"), 0.4),) if "?" in word else (),
        )
        for k, word in enumerate(words)
    )
    sets, loose = (tuple(range(len(tiles) - 1)),), (len(tiles) - 1,)
    return Reading(320, 240, "table.jpg", tiles, sets, loose, table_warnings(tiles))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two photos and their stored readings; the third photo has none."""
    monkeypatch.chdir(tmp_path)
    stored = tmp_path / "stored"
    stored.mkdir()
    picture = np.full((240, 320, 3), 200, np.uint8)
    for name in ("one", "two", "three"):
        cv2.imwrite(str(tmp_path / f"{name}.png"), picture)
    (stored / "one.json").write_text(json.dumps(reading().to_json()))
    (stored / "two.json").write_text(json.dumps(reading(("r5", "r5", "r5", "o5")).to_json()))
    monkeypatch.setattr(command, "make_reader", lambda models: StoredReader(stored))
    return tmp_path


def call(*arguments: str, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(command.read, arguments, input=stdin, catch_exceptions=False)


def test_one_photo_is_one_document(folder: Path) -> None:
    result = call("one.png", "--json")
    assert result.exit_code == 0 and result.stderr == ""
    document = json.loads(result.stdout)
    assert document == {**reading().to_json(), "image": {"width": 320, "height": 240, "path": "one.png"}}


@pytest.mark.parametrize("arguments", [("one.png", "two.png", "three.png"), (".",)])
def test_several_photos_or_a_folder_are_a_list_in_order(folder: Path, arguments: tuple[str, ...]) -> None:
    result = call(*arguments, "--json")
    assert result.exit_code == 0
    names = [Path(d["image"]["path"]).name for d in json.loads(result.stdout)]
    assert names == (["one.png", "two.png", "three.png"] if len(arguments) > 1 else sorted(names))
    assert len(names) == 3


def test_a_folder_of_one_photo_is_a_list_too(folder: Path) -> None:
    (folder / "alone").mkdir()
    (folder / "one.png").rename(folder / "alone" / "one.png")
    assert len(json.loads(call("alone", "--json").stdout)) == 1


def test_in_words_sets_loose_doubts_and_warnings(folder: Path) -> None:
    lines = call("one.png").stdout.splitlines()
    assert lines[:2] == ["b6 j ?8", "loose: k1"]
    assert lines[2].startswith("unsure: ?8 at 99,37 (50%), perhaps b8 (40%)")


@pytest.mark.parametrize(("arguments", "warned"), [((), True), (("--copies", "3"), False)])
def test_more_copies_than_the_box_holds(folder: Path, arguments: tuple[str, ...], warned: bool) -> None:
    document = json.loads(call("two.png", "--json", *arguments).stdout)
    assert [w["code"] for w in document["warnings"]] == (["too-many-copies"] if warned else [])
    assert ("warning: 3 tiles r5 were read" in call("two.png", *arguments).stdout) == warned


def test_no_tiles_is_an_answer(folder: Path) -> None:
    result = call("three.png")
    assert result.exit_code == 0 and "no tiles found" in result.stdout
    document = json.loads(call("three.png", "--json").stdout)
    assert document["sets"] == [] and document["warnings"][0]["code"] == "no-tiles"


def test_standard_input(folder: Path) -> None:
    result = call("-", "--json", stdin=(folder / "one.png").read_bytes())
    assert result.exit_code == 0
    assert json.loads(result.stdout)["image"] == {"width": 320, "height": 240, "path": None}


BAD = {
    "text.jpg": b"not a picture at all",
    "empty.png": b"",
    "short.png": None,
}


@pytest.mark.parametrize("name", [*BAD, "missing.jpg", "stored"])
def test_a_bad_photo_is_one_line_and_two(folder: Path, name: str) -> None:
    if name in BAD:
        whole = (folder / "one.png").read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2] if BAD[name] is None else BAD[name])
    for arguments in ((name,), (name, "--json"), (name, "--draw", "drawn.png")):
        result = call(*arguments)
        assert result.exit_code == 2 and result.stderr.count("\n") == 1
        assert name in result.stderr and "Traceback" not in result.stderr
        assert result.stdout.strip() in ("", "[]")
    assert not (folder / "drawn.png").is_file()


def test_a_bad_photo_in_a_batch_leaves_the_others(folder: Path) -> None:
    (folder / "bad.png").write_bytes(b"nothing")
    result = call("one.png", "bad.png", "two.png", "--json")
    assert result.exit_code == 2 and "bad.png" in result.stderr
    assert [d["image"]["path"] for d in json.loads(result.stdout)] == ["one.png", "two.png"]


def test_other_files_of_a_folder_are_named(folder: Path) -> None:
    (folder / "notes.txt").write_text("hello")
    result = call(".", "--json")
    assert result.exit_code == 0 and "notes.txt" in result.stderr
    assert len(json.loads(result.stdout)) == 3


def test_drawing_one_photo(folder: Path) -> None:
    assert call("one.png", "--draw", "drawn.png").exit_code == 0
    drawn = cv2.imread("drawn.png")
    assert drawn is not None and (drawn != 200).any()
    assert sorted(p.name for p in folder.glob("drawn*")) == ["drawn.png"]


def test_drawing_several_photos_of_one_name(folder: Path) -> None:
    (folder / "other").mkdir()
    cv2.imwrite("other/one.png", np.full((240, 320, 3), 90, np.uint8))
    assert call("one.png", "two.png", "other/one.png", "--draw", "out").exit_code == 0
    assert sorted(p.name for p in Path("out").iterdir()) == ["one-read.png", "one-read2.png", "two-read.png"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("one.png", "--draw", "drawn.txt"), ".png"),
        (("one.png", "--draw", "nowhere/drawn.png"), "nowhere"),
        (("one.png", "two.png", "--draw", "three.png"), "three.png is a file"),
        (("one.png", "--draw", "one.png"), "over the photo"),
    ],
)
def test_a_drawing_that_cannot_be_written(folder: Path, arguments: tuple[str, ...], says: str) -> None:
    before = {p: p.read_bytes() for p in folder.glob("*.png")}
    result = call(*arguments)
    assert result.exit_code == 2 and says in result.stderr
    assert {p: p.read_bytes() for p in folder.glob("*.png")} == before


def test_weights_that_are_missing_are_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(models: str | None) -> StoredReader:
        raise Unusable("models/finder.onnx is missing: make it with `tilekeeper train finder`")

    monkeypatch.setattr(command, "make_reader", missing)
    result = call("one.png")
    assert result.exit_code == 2 and result.stderr.startswith("tilekeeper: models/finder.onnx is missing")


@pytest.mark.parametrize("names", [("a\nb.jpg",), ("one.png", "a\nb.jpg")])
def test_a_name_with_a_line_break_is_said_in_one_line(folder: Path, names: tuple[str, ...]) -> None:
    result = call(*names)
    assert result.exit_code == 2 and len(result.stderr.strip().splitlines()) == 1
