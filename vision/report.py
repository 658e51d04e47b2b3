"""Reports on readings: confusion by tile, number and ink, calibration, misread tiles as a picture sheet.

Everything starts from samples — the tile that lies there, the tile that was read — so that the whole reader
and a single net report alike.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from referee.tiles import ALL_TILES, COLOUR_NAMES, COLOURS, NUMBERS, Tile
from vision.draw import write_line
from vision.reading import Quad

JOKER = "j"
UNREAD = "?"
BINS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0)
"""Edges of the reliability curve: narrow where a reader is nearly sure, since that is where it is used."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A tile as labelled (``?6``: any colour) and as read, with the reader's confidence (0-1).

    ``place`` says where it is from, for a person.
    """

    wanted: Tile
    got: Tile
    confidence: float
    unsure: bool = False
    place: str = ""

    @property
    def right(self) -> bool:
        if self.wanted.colour == "?":
            return self.got.readable and not self.got.is_joker and self.wanted.number == self.got.number
        return self.wanted == self.got


def number_of(tile: Tile) -> str:
    """A tile's number as the tables name it: 1-13, ``j``, or ``?``."""
    return JOKER if tile.is_joker else str(tile.number) if tile.number else UNREAD


def by_tile(samples: Sequence[Sample]) -> Counter[tuple[str, str]]:
    """How often each tile was read as which: (wanted, got) to a count, labels without a colour left out."""
    return Counter((str(s.wanted), str(s.got)) for s in samples if s.wanted.readable)


def by_number(samples: Sequence[Sample]) -> Counter[tuple[str, str]]:
    """How often each number (``j``: joker) was read as which."""
    return Counter((number_of(s.wanted), number_of(s.got)) for s in samples)


def by_ink(samples: Sequence[Sample]) -> Counter[tuple[str, str]]:
    """How often each ink was read as which, over numbered tiles on both sides."""
    inked = (s for s in samples if s.wanted.readable and not s.wanted.is_joker and not s.got.is_joker)
    return Counter((s.wanted.colour, s.got.colour) for s in inked)


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the reliability curve: samples whose confidence lies from ``low`` to ``high``."""

    low: float
    high: float
    count: int
    confidence: float
    right: float


def reliability(samples: Sequence[Sample], edges: Sequence[float] = BINS) -> tuple[Bin, ...]:
    """Mean confidence against the share that is right, by confidence; empty parts are left out."""
    if not samples:
        return ()
    confidence = np.array([s.confidence for s in samples])
    right = np.array([s.right for s in samples], dtype=float)
    part = np.clip(np.searchsorted(edges, confidence, side="right") - 1, 0, len(edges) - 2)
    bins = []
    for k in range(len(edges) - 1):
        chosen = part == k
        if chosen.any():
            mean, share = float(confidence[chosen].mean()), float(right[chosen].mean())
            bins.append(Bin(edges[k], edges[k + 1], int(chosen.sum()), mean, share))
    return tuple(bins)


def calibration_error(bins: Sequence[Bin]) -> float:
    """Expected calibration error: the mean distance of confidence and share right, over all samples."""
    total = sum(b.count for b in bins)
    return sum(b.count * abs(b.confidence - b.right) for b in bins) / total if total else 0.0


def summary(samples: Sequence[Sample]) -> dict[str, Any]:
    """All tables as JSON holds them."""
    numbers, inks = by_number(samples), by_ink(samples)
    bins = reliability(samples)
    return {
        "samples": len(samples),
        "right": sum(s.right for s in samples),
        "unsure": sum(s.unsure for s in samples),
        "sure_wrong": sum(not s.right and not s.unsure for s in samples),
        "numbers": {name: _row(numbers, name) for name in _numbers(numbers)},
        "inks": {c: {got: n for (w, got), n in sorted(inks.items()) if w == c} for c in COLOURS},
        "six_as_nine": numbers["6", "9"],
        "nine_as_six": numbers["9", "6"],
        "red_as_orange": inks["r", "o"],
        "orange_as_red": inks["o", "r"],
        "confusion": _nested(by_tile(samples)),
        "reliability": [
            {"from": b.low, "to": b.high, "count": b.count, "confidence": round(b.confidence, 4),
             "right": round(b.right, 4)}
            for b in bins
        ],
        "calibration_error": round(calibration_error(bins), 4),
    }


def _numbers(table: Counter[tuple[str, str]]) -> list[str]:
    wanted = {w for w, _ in table}
    return [n for n in (*map(str, NUMBERS), JOKER) if n in wanted]


def _row(table: Counter[tuple[str, str]], wanted: str) -> dict[str, Any]:
    read = {got: n for (w, got), n in sorted(table.items()) if w == wanted}
    return {"tiles": sum(read.values()), "right": read.get(wanted, 0), "read_as": read}


def _nested(table: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    rows: dict[str, dict[str, int]] = {}
    for (wanted, got), n in sorted(table.items()):
        rows.setdefault(wanted, {})[got] = n
    return rows


def text(samples: Sequence[Sample]) -> str:
    """The tables for a terminal."""
    if not samples:
        return "no samples"
    numbers, inks = by_number(samples), by_ink(samples)
    lines = ["number  tiles   right  read as"]
    for name in _numbers(numbers):
        row = _row(numbers, name)
        wrong = ", ".join(f"{got} ×{n}" for got, n in row["read_as"].items() if got != name)
        lines.append(f"{name:>6} {row['tiles']:6} {row['right'] / row['tiles']:7.1%}  {wrong}".rstrip())
    lines += ["", "ink     tiles   right  read as"]
    for c in COLOURS:
        total = sum(n for (w, _), n in inks.items() if w == c)
        if total:
            wrong = ", ".join(f"{COLOUR_NAMES.get(got, got)} ×{n}" for (w, got), n in sorted(inks.items())
                              if w == c and got != c)
            lines.append(f"{COLOUR_NAMES[c]:>6} {total:6} {inks[c, c] / total:7.1%}  {wrong}".rstrip())
    lines += ["", f"6 read as 9: {numbers['6', '9']}, 9 as 6: {numbers['9', '6']}; "
                  f"red read as orange: {inks['r', 'o']}, orange as red: {inks['o', 'r']}"]
    wrong_pairs = [(n, w, g) for (w, g), n in by_tile(samples).items() if w != g]
    if wrong_pairs:
        shown = ", ".join(f"{w} as {g} ×{n}" for n, w, g in sorted(wrong_pairs, key=lambda p: (-p[0], p[1:])))
        lines += ["", f"tiles misread: {shown}"]
    bins = reliability(samples)
    lines += ["", "confidence      tiles   says  right"]
    lines += [f"{b.low:.3f}-{b.high:.3f} {b.count:9} {b.confidence:6.1%} {b.right:6.1%}" for b in bins]
    lines += [f"expected calibration error {calibration_error(bins):.2%}"]
    return "\n".join(lines)


def cut_out(picture: np.ndarray, quad: Quad, margin: float = 0.15, height: int = 140) -> np.ndarray:
    """A tile set upright, with some of its surroundings: (height, height / 1.4, 3) BGR uint8."""
    size = (round(height / 1.4), height)
    corners = np.array(quad, dtype=np.float32)
    middle = corners.mean(axis=0)
    corners = middle + (corners - middle) * (1 + 2 * margin)
    flat = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], dtype=np.float32)
    warp = cv2.getPerspectiveTransform(corners.astype(np.float32), flat)
    return cv2.warpPerspective(picture, warp, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def sheet(pictures: Sequence[tuple[np.ndarray, str]], columns: int = 8) -> np.ndarray:
    """Pictures of one size with two lines below each, as one picture, BGR uint8."""
    if not pictures:
        return write_line(np.full((60, 320, 3), 235, np.uint8), "nothing was misread", 18)
    cells = []
    for picture, caption in pictures:
        h, w = picture.shape[:2]
        cell = np.full((h + 52, max(w, 130) + 10, 3), 250, np.uint8)
        left = (cell.shape[1] - w) // 2
        cell[4 : 4 + h, left : left + w] = picture
        for k, line in enumerate(caption.split("\n")[:2]):
            strip = cell[h + 6 + 22 * k : h + 28 + 22 * k]
            strip[:] = write_line(strip, line, 13)
        cells.append(cell)
    empty = np.full_like(cells[0], 250)
    rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
    full = [np.hstack(row + [empty] * (min(columns, len(cells)) - len(row))) for row in rows]
    return np.vstack(full)


_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body{{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:75rem;color:#222;background:#fff}}
table{{border-collapse:collapse;margin:1rem 0}}td,th{{border:1px solid #ddd;padding:.1rem
.35rem;text-align:right}}
.wide{{overflow-x:auto;font-size:11px}}.ok{{background:#dff3dd}}.bad{{background:#f7b7b0;font-weight:600}}
img{{max-width:100%}}pre{{background:#f5f5f5;padding:1rem;overflow-x:auto}}</style>
<h1>{title}</h1><pre>{text}</pre><h2>Reliability</h2>{curve}<h2>Misread and unsure tiles</h2>{image}
<h2>Every tile: as it lies (row), as it was read (column)</h2><div class="wide">{table}</div></html>
"""


def page(title: str, heading: str, samples: Sequence[Sample], image: str | None = None) -> str:
    """A self-contained page with all tables; ``image`` is the name of the sheet beside it."""
    shown = f'<img src="{html.escape(image)}" alt="Misread and unsure tiles">' if image else "<p>none</p>"
    words = f"{heading}\n\n{text(samples)}" if heading else text(samples)
    return _PAGE.format(title=html.escape(title), text=html.escape(words), curve=curve(reliability(samples)),
                        image=shown, table=_html_table(by_tile(samples)))


def _html_table(table: Counter[tuple[str, str]]) -> str:
    wanted = [str(t) for t in ALL_TILES if any(w == str(t) for w, _ in table)]
    known = {str(t) for t in ALL_TILES}
    read = [str(t) for t in ALL_TILES] + sorted({g for _, g in table} - known)
    head = "<tr><th></th>" + "".join(f"<th>{g}</th>" for g in read) + "</tr>"
    rows = []
    for w in wanted:
        counts = [(table[w, g], "ok" if w == g else "bad") for g in read]
        cells = "".join(f'<td class="{kind}">{n}</td>' if n else "<td></td>" for n, kind in counts)
        rows.append(f"<tr><th>{w}</th>{cells}</tr>")
    return f"<table>{head}{''.join(rows)}</table>"


def curve(bins: Sequence[Bin], side: int = 320) -> str:
    """The reliability curve as SVG: share right over confidence; the diagonal is perfect calibration."""
    largest = max((b.count for b in bins), default=1)
    points = [(30 + b.confidence * side, 10 + (1 - b.right) * side) for b in bins]
    dots = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + 7 * (b.count / largest) ** 0.5:.1f}" fill="#1769aa" '
        f'fill-opacity=".6"><title>{b.count} tiles: says {b.confidence:.1%}, right {b.right:.1%}</title>'
        "</circle>"
        for b, (x, y) in zip(bins, points, strict=True)
    ]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    size, foot = side + 50, side + 10
    return (
        f'<svg viewBox="0 0 {size} {size}" width="{size}" role="img" aria-label="Reliability curve">'
        f'<rect x="30" y="10" width="{side}" height="{side}" fill="none" stroke="#999"/>'
        f'<polyline points="30,{foot} {side + 30},10" stroke="#999" stroke-dasharray="4"/>'
        f'<polyline points="{line}" fill="none" stroke="#1769aa" stroke-width="2"/>{"".join(dots)}'
        f'<text x="30" y="{side + 30}" font-size="12">confidence 0 … 1</text>'
        f'<text x="20" y="{foot}" font-size="12" transform="rotate(-90 20 {foot})">share right 0 … 1</text>'
        "</svg>"
    )
