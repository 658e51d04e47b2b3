"""Picture files: every kind upright and alike, and one clear line for what cannot be used."""

from __future__ import annotations

import io
import os
import struct
import warnings
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pillow_heif
import pytest
from PIL import Image

from vision.pictures import MOST_PIXELS, PictureError, find_photos, load


def scene(width: int = 96, height: int = 64) -> Image.Image:
    """Red top left, green top right, blue bottom left, white bottom right."""
    image = Image.new("RGB", (width, height), "white")
    image.paste("red", (0, 0, width // 2, height // 2))
    image.paste((0, 255, 0), (width // 2, 0, width, height // 2))
    image.paste("blue", (0, height // 2, width // 2, height))
    return image


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    pillow_heif.register_heif_opener()
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def corners(picture: np.ndarray) -> list[str]:
    """The colours near the four corners, from the top left clockwise."""
    height, width = picture.shape[:2]
    names = {(255, 0, 0): "blue", (0, 255, 0): "green", (0, 0, 255): "red", (255, 255, 255): "white"}
    y, x = height // 5, width // 5
    at = [(y, x), (y, -x), (-y, -x), (-y, x)]
    return [names[tuple(int(v) for v in (picture[y, x] > 127) * 255)] for y, x in at]


UPRIGHT = ["red", "green", "white", "blue"]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
def test_kinds(kind: str, tmp_path: Path) -> None:
    data = encoded(scene(), kind)
    (tmp_path / "a.bin").write_bytes(data)
    for picture in (load(data), load(tmp_path / "a.bin"), load(str(tmp_path / "a.bin"))):
        assert picture.shape == (64, 96, 3) and picture.dtype == np.uint8 and picture.flags["C_CONTIGUOUS"]
        assert corners(picture) == UPRIGHT


# How the sensor's picture must be stored so that it stands upright once the EXIF orientation is followed.
STORED = {
    1: None,
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "HEIF"])
@pytest.mark.parametrize("orientation", STORED)
def test_held_in_any_way(orientation: int, kind: str) -> None:
    move = STORED[orientation]
    stored = scene() if move is None else scene().transpose(move)
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = load(encoded(stored, kind, exif=exif.tobytes()))
    assert picture.shape == (64, 96, 3) and corners(picture) == UPRIGHT


@pytest.mark.parametrize("mode", ["L", "LA", "P", "RGBA", "1"])
def test_modes_of_png(mode: str) -> None:
    picture = load(encoded(scene().convert(mode), "PNG"))
    assert picture.shape == (64, 96, 3)
    assert (picture[-5, -5] == 255).all()


def test_print_colours_and_deep_greys() -> None:
    assert corners(load(encoded(scene().convert("CMYK"), "JPEG"))) == UPRIGHT
    deep = Image.fromarray(np.full((32, 32), 40_000, np.uint16))
    assert set(np.unique(load(encoded(deep, "PNG")))) == {155}


def test_transparent_becomes_white() -> None:
    assert (load(encoded(Image.new("RGBA", (32, 32), (255, 0, 0, 0)), "PNG")) == 255).all()


def large_png(width: int, height: int) -> bytes:
    """The head of a picture so large; its pixels are not there, so decoding it would say something else."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


BAD = {
    "empty": (b"", "is empty"),
    "a text": (b"hello, this is no picture", "is not a picture"),
    "another kind": (encoded(scene(), "GIF"), "is not a picture"),
    "one pixel": (encoded(Image.new("RGB", (1, 1)), "PNG"), "too small (1×1)"),
    "100 megapixels": (large_png(10_000, 10_000), "too large (10000×10000)"),
    "so large that the decoder balks": (large_png(60_000, 60_000), "too large"),
    "half a JPEG": (encoded(scene(), "JPEG")[:700], "cut short"),
    "half a PNG": (encoded(scene(640, 480), "PNG")[:900], "cut short"),
    "half a WebP": (encoded(scene(), "WEBP")[:120], "cut short"),
    "half a HEIC": (encoded(scene(), "HEIF")[:-200], "cut short"),
}


@pytest.mark.parametrize(("data", "says"), BAD.values(), ids=BAD)
def test_what_cannot_be_used(data: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / "photo.jpg"
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(PictureError) as caught:
            load(path)
    line = str(caught.value)
    assert line.startswith(str(path)) and says in line and "\n" not in line
    assert ": " in line.removeprefix(str(path))  # what to do follows


def test_the_largest_that_is_read_is_below_100_megapixels() -> None:
    assert 50_000_000 <= MOST_PIXELS < 100_000_000


def test_places_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="does not exist"):
        load(tmp_path / "none.jpg")
    with pytest.raises(PictureError, match="is a folder"):
        load(tmp_path)
    os.mkfifo(tmp_path / "pipe.jpg")
    with pytest.raises(PictureError, match="is no file"):
        load(tmp_path / "pipe.jpg")
    with pytest.raises(PictureError, match="cannot read"):
        load("a\0b.jpg")


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "photo.png"
    path.write_bytes(encoded(scene(), "PNG"))
    if os.geteuid() == 0:  # who may read everything has to be told

        def refuse(self: Path) -> bytes:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "read_bytes", refuse)
    else:
        path.chmod(0)
    with pytest.raises(PictureError, match="no permission to read"):
        load(path)


def test_photos_of_folders(tmp_path: Path) -> None:
    for name in ("a10.jpg", "a2.JPG", "b.heic", "c.webp", "d.png", "notes.txt", ".hidden.jpg"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "e.jpg").write_bytes(b"")
    found = find_photos([tmp_path / "d.png", tmp_path])
    assert [p.name for p in found.photos] == ["d.png", "a2.JPG", "a10.jpg", "b.heic", "c.webp", "d.png"]
    assert [p.name for p in found.skipped] == ["notes.txt"]


def test_a_folder_without_photos(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="no pictures in"):
        find_photos([tmp_path])


def profile(primaries: list[tuple[float, float, float]], gamma: float, name: str = "wide") -> bytes:
    """An ICC profile of a display (ICC.1:2001-04) with these primaries (XYZ under D50) and a plain gamma."""

    def fixed(value: float) -> bytes:
        return struct.pack(">i", round(value * 65536))

    def xyz(values: tuple[float, float, float]) -> bytes:
        return b"XYZ \0\0\0\0" + b"".join(fixed(v) for v in values)

    curve = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    text = name.encode() + b"\0"
    described = b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(78)
    tags = {
        b"desc": described,
        b"cprt": b"text\0\0\0\0none\0",
        b"wtpt": xyz((0.9642, 1.0, 0.8249)),
        **{tag: xyz(p) for tag, p in zip((b"rXYZ", b"gXYZ", b"bXYZ"), primaries, strict=True)},
        **dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), curve),
    }
    table, body = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for tag, data in tags.items():
        table += tag + struct.pack(">II", start + len(body), len(data))
        body += data + bytes(-len(data) % 4)
    size = start + len(body)
    head = struct.pack(">I4sI4s4s4s", size, bytes(4), 0x02100000, b"mntr", b"RGB ", b"XYZ ") + bytes(12) + b"acsp"
    head += bytes(28) + b"".join(fixed(v) for v in (0.9642, 1.0, 0.8249))
    return head + bytes(128 - len(head)) + table + body


# The primaries of Display P3 under D50, as SMPTE RP 431-2 gives them and Bradford adapts them.
WIDE = [(0.5151, 0.2412, -0.0011), (0.2920, 0.6922, 0.0419), (0.1571, 0.0666, 0.7841)]


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_colours_of_a_wide_screen_are_brought_to_srgb(kind: str) -> None:
    image = Image.new("RGB", (64, 64), (200, 60, 60))
    options = {"lossless": True} if kind == "WEBP" else {}
    plain = load(encoded(image, kind, **options))
    wide = load(encoded(image, kind, icc_profile=profile(WIDE, 2.2), **options))
    red, wide_red = plain[32, 32].astype(int), wide[32, 32].astype(int)
    assert wide_red[2] > red[2] + 8 and wide_red[1] < red[1], "the same numbers mean a stronger red there"
    grey = load(encoded(Image.new("RGB", (64, 64), (128, 128, 128)), kind, icc_profile=profile(WIDE, 2.2), **options))
    assert np.ptp(grey[32, 32].astype(int)) <= 2


@pytest.mark.parametrize("icc", [b"", b"no profile", profile(WIDE, 2.2)[:200], profile(WIDE, 2.2, "sRGB IEC61966-2.1")])
def test_a_profile_that_says_nothing_changes_nothing(icc: bytes) -> None:
    image = Image.new("RGB", (64, 64), (200, 60, 60))
    assert (load(encoded(image, "PNG", icc_profile=icc)) == load(encoded(image, "PNG"))).all()
