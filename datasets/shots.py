"""The README's pictures, made by the product: the page during the demo game, and a rendered table as it is read.

python datasets/shots.py        (needs Chromium)
"""

from __future__ import annotations

import io
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
from PIL import Image
from playwright.sync_api import sync_playwright

OUT = Path(__file__).parent / "shots"
SIZES = {"page": (1280, 800), "tablet": (820, 1180), "phone": (390, 844)}
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def pages(sets: int = 6, patience: float = 240) -> None:
    """Screenshots of the demo at each of `SIZES`, as soon as so many sets lie on the table and all are right."""
    run = [sys.executable, "-m", "webui.cli", "demo", "--port", "0", "--game", "first"]
    demo = subprocess.Popen(run, stderr=subprocess.PIPE, text=True)
    try:
        assert demo.stderr is not None
        address = next(m.group() for line in demo.stderr if (m := re.search(r"http://\S+", line)))
        with sync_playwright() as p:
            browser = p.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            views = {}
            for name, (width, height) in SIZES.items():
                views[name] = browser.new_page(viewport={"width": width, "height": height})
                views[name].goto(f"{address}?lang=en")
            for name, view in views.items():
                good = view.locator(f"#verdict[data-state=right] ~ #side li.set:nth-child({sets})")
                good.wait_for(timeout=1000 * patience)
                save(view.screenshot(), OUT / f"{name}.png")
            browser.close()
    finally:
        demo.terminate()
        demo.wait()


def save(png: bytes, path: Path) -> None:
    """With 256 colours: it looks the same at half its size or less."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture.quantize(256, Image.Quantize.MAXCOVERAGE, kmeans=8, dither=Image.Dither.NONE).save(path, optimize=True)


def reading() -> None:
    """A rendered table as `tilekeeper read --draw` shows it."""
    with tempfile.TemporaryDirectory() as folder:
        run = [sys.executable, "-m", "webui.cli"]
        tables = [*run, "render", "tables", folder, "--count", "8", "--seed", "12", "--kind", "rows", "--size", "1000"]
        subprocess.run(tables, check=True)
        target = Path(folder) / "seen.png"
        subprocess.run([*run, "read", f"{folder}/00001.jpg", "--draw", str(target)], check=True)
        picture = cv2.imread(str(target))
        assert picture is not None
        cv2.imwrite(str(OUT / "read.jpg"), picture, [cv2.IMWRITE_JPEG_QUALITY, 85])


if __name__ == "__main__":
    OUT.mkdir(exist_ok=True)
    reading()
    pages()
