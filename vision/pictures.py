"""Picture files to arrays: JPEG, PNG, WebP and HEIC, upright as the camera was held, within bounds."""

from __future__ import annotations

import functools
import io
import re
import stat
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif"})
FORMATS = ("JPEG", "PNG", "WEBP", "HEIF")
MOST_PIXELS = 80_000_000
MOST_BYTES = 256 * 1024 * 1024
LEAST_SIDE = 16
KINDS = "JPEG, PNG, WebP or HEIC"


class PictureError(ValueError):
    """A picture that cannot be used; the text is one line that says why and what to do."""


@functools.cache
def _know_heic() -> None:
    """Teach Pillow HEIC, once; the plug-in is imported when the first picture is opened."""
    import pillow_heif

    pillow_heif.register_heif_opener()


def load(source: Path | str | bytes, name: str | None = None) -> np.ndarray:
    """A picture as the camera was held (EXIF orientation), BGR uint8 (h, w, 3), transparent parts in white.

    Args:
        source: a file's path, or the bytes of a file.
        name: what to call it in an error; the path where there is one.

    Raises:
        PictureError: no such file, no permission, empty, no picture, cut short, or too small or too large.
        A picture
            over 80 megapixels is refused before it is decoded.
    """
    name = name or ("the file" if isinstance(source, bytes) else str(source))
    data = source if isinstance(source, bytes) else _bytes_of(Path(source), name)
    if not data:
        raise PictureError(f"{name} is empty: take or copy the picture again")
    _know_heic()
    try:
        with warnings.catch_warnings():
            # Pillow warns of large pictures and odd EXIF blocks; both are judged here.
            warnings.simplefilter("ignore")
            with Image.open(io.BytesIO(data), formats=FORMATS) as image:
                _check_size(image.size, name)
                ImageOps.exif_transpose(image, in_place=True)
                return _to_bgr(_in_srgb(image))
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        if isinstance(error, Image.DecompressionBombError):
            raise PictureError(_too_large(name)) from None
        if not _begins_well(data):
            raise PictureError(f"{name} is not a picture: give a {KINDS} file") from None
        raise PictureError(_damaged(name)) from None
    except (OSError, SyntaxError, ValueError, EOFError, MemoryError, RuntimeError) as error:
        if isinstance(error, PictureError):
            raise
        raise PictureError(_damaged(name)) from None


def _begins_well(data: bytes) -> bool:
    """Whether a file begins as one of the kinds does, so that what is wrong with it comes later."""
    marks = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"RIFF")
    return data.startswith(marks) or (data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"mif1"))


def _damaged(name: str) -> str:
    return f"{name} is cut short or damaged: take or copy the picture again"


def _bytes_of(path: Path, name: str) -> bytes:
    try:
        state = path.stat()
        if stat.S_ISREG(state.st_mode) and state.st_size <= MOST_BYTES:
            return path.read_bytes()
    except PermissionError:
        raise PictureError(f"no permission to read {name}: change its rights or copy it") from None
    except (FileNotFoundError, NotADirectoryError):
        raise PictureError(f"{name} does not exist: check the name") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name cannot be used"
        raise PictureError(f"cannot read {name}: {reason.lower()}") from None
    if stat.S_ISREG(state.st_mode):
        raise PictureError(f"{name} is larger than {MOST_BYTES >> 20} MiB: give a smaller picture")
    kind = "a folder" if stat.S_ISDIR(state.st_mode) else "no file"
    raise PictureError(f"{name} is {kind}: give a {KINDS} file")


def _too_large(name: str, size: tuple[int, int] | None = None) -> str:
    shown = f" ({size[0]}×{size[1]})" if size else ""
    return f"{name} is too large{shown}: make it smaller than {MOST_PIXELS // 1_000_000} megapixels"


def _check_size(size: tuple[int, int], name: str) -> None:
    width, height = size
    if width * height > MOST_PIXELS:
        raise PictureError(_too_large(name, size))
    if min(size) < LEAST_SIDE:
        raise PictureError(f"{name} is too small ({width}×{height}) to read a tile: give a larger picture")


def _in_srgb(image: Image.Image) -> Image.Image:
    """The picture in sRGB where it says that its colours are others (phones write Display P3); else as it is."""
    profile = image.info.get("icc_profile")
    if not profile or image.mode not in ("RGB", "RGBA"):
        return image
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if "sRGB" in ImageCms.getProfileDescription(source):
            return image
        made = ImageCms.profileToProfile(image, source, ImageCms.createProfile("sRGB"), outputMode=image.mode)
    except (ImageCms.PyCMSError, OSError, ValueError, TypeError):
        return image  # a profile that nobody understands
    return made if made is not None else image


def _to_bgr(image: Image.Image) -> np.ndarray:
    if image.mode.startswith("I"):  # 16 bits a pixel, which Pillow would cut off, not scale
        grey = np.clip(np.asarray(image, dtype=np.int64) // 257, 0, 255).astype(np.uint8)
        return np.repeat(grey[..., None], 3, axis=2)
    if image.has_transparency_data:
        over = image.convert("RGBA")
        under = Image.new("RGBA", over.size, "white")
        image = Image.alpha_composite(under, over)
    return cv2.cvtColor(np.asarray(image.convert("RGB")), cv2.COLOR_RGB2BGR)


@dataclass(frozen=True, slots=True)
class Found:
    """Photos in the order given, and the files of a folder that are no pictures by their name."""

    photos: tuple[Path, ...]
    skipped: tuple[Path, ...] = ()


def _by_name(path: Path) -> list[tuple[int, int | str]]:
    """A key that sorts ``a2`` before ``a10``."""
    return [(0, int(part)) if part.isdigit() else (1, part.lower()) for part in re.split(r"(\d+)", path.name)]


def find_photos(paths: Iterable[Path | str]) -> Found:
    """Photos for these paths: a file as it is, a folder's pictures by name (not the folders in it).

    Hidden files are passed over in silence. Raises `PictureError` for a folder that cannot be looked into
    or holds no picture.
    """
    photos: list[Path] = []
    skipped: list[Path] = []
    for path in map(Path, paths):
        if not path.is_dir():
            photos.append(path)
            continue
        try:
            inside = sorted((p for p in path.iterdir() if not p.name.startswith(".")), key=_by_name)
        except OSError as error:
            reason = (error.strerror or "unreadable").lower()
            raise PictureError(f"cannot look into {path}: {reason}") from None
        pictures = [p for p in inside if p.suffix.lower() in SUFFIXES and not p.is_dir()]
        if not pictures:
            raise PictureError(f"no pictures in {path}: give a folder with {KINDS} files")
        photos += pictures
        skipped += [p for p in inside if p not in set(pictures) and not p.is_dir()]
    return Found(tuple(photos), tuple(skipped))
