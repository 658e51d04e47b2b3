"""The codes and what they open, how often one may guess, and the QR codes."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

import cv2
import numpy as np
import pytest

from webui.invite import ADDRESSES_MOST, ALPHABET, FILE, Codes, Door, Guesses, InviteError, Role, link, svg, terminal


class TestCodes:
    def test_they_are_random_and_easy_to_say(self) -> None:
        many = [Codes.new() for _ in range(200)]
        assert len({c.play for c in many} | {c.view for c in many}) == 400
        assert all(re.fullmatch(f"[{ALPHABET}]{{4}}-[{ALPHABET}]{{4}}", c.play) for c in many)
        assert not set("0O1IL") & set(ALPHABET)

    @pytest.mark.parametrize("written", ["ABCD-EFGH", "abcd-efgh", "abcdefgh", " ab cd ef gh ", "ABCD–EFGH"])
    def test_however_it_is_written(self, written: str) -> None:
        assert Codes("ABCD-EFGH", "JKMN-PQRS", "x").role(written) is Role.PLAY

    @pytest.mark.parametrize("wrong", ["", "ABCD-EFG", "ABCD-EFGHH", "ABCD-EFGJ", "ünï", "A" * 10_000, "\0"])
    def test_what_opens_nothing(self, wrong: str) -> None:
        assert Codes("ABCD-EFGH", "JKMN-PQRS", "x").role(wrong) is None

    def test_a_token_is_for_its_role_its_code_and_its_companion_only(self) -> None:
        codes = Codes("ABCD-EFGH", "JKMN-PQRS", "x" * 32)
        assert codes.bearer(codes.token(Role.PLAY)) is Role.PLAY
        assert codes.bearer(codes.token(Role.VIEW)) is Role.VIEW
        for other in (Codes("ABCD-EFGJ", "JKMN-PQRT", "x" * 32), Codes("ABCD-EFGH", "JKMN-PQRS", "y" * 32)):
            assert other.bearer(codes.token(Role.PLAY)) is None and other.bearer(codes.token(Role.VIEW)) is None
        for nothing in ("", "ABCD-EFGH", "ü"):
            assert codes.bearer(nothing) is None


class TestGuesses:
    def test_ten_in_a_minute_and_no_more(self) -> None:
        now = [0.0]
        guesses = Guesses(clock=lambda: now[0])
        for _ in range(10):
            assert guesses.wait("10.0.0.5") == 0
            guesses.wrong("10.0.0.5")
            now[0] += 1
        assert guesses.wait("10.0.0.5") == 50
        assert guesses.wait("10.0.0.6") == 0
        now[0] = 60.5
        assert guesses.wait("10.0.0.5") == 0
        guesses.wrong("10.0.0.5")
        assert guesses.wait("10.0.0.5") > 0

    def test_it_remembers_only_so_many_addresses(self) -> None:
        guesses = Guesses()
        for n in range(3 * ADDRESSES_MOST):
            guesses.wrong(f"10.0.{n // 256}.{n % 256}")
        assert len(guesses._wrong) == ADDRESSES_MOST


class TestKept:
    def test_over_a_restart(self, tmp_path: Path) -> None:
        assert Door(folder=tmp_path).codes == Door(folder=tmp_path).codes

    def test_new_ones_are_kept_too(self, tmp_path: Path) -> None:
        door = Door(folder=tmp_path)
        before = door.codes
        door.renew()
        assert door.codes.play != before.play and door.codes.secret != before.secret
        assert Door(folder=tmp_path).codes == door.codes

    @pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")
    def test_nobody_else_may_read_them(self, tmp_path: Path) -> None:
        Door(folder=tmp_path)
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600

    @pytest.mark.parametrize(
        "damaged",
        [
            "",
            "[]",
            "{}",
            '{"play": "", "view": "", "secret": ""}',
            json.dumps({"play": "ABCD-EFGH", "view": "ABCD-EFGH", "secret": "x" * 64}),
            json.dumps({"play": "ABCD-EFGH", "view": "JKMN-PQRS", "secret": "short"}),
            json.dumps({"play": 1, "view": 2, "secret": 3}),
        ],
    )
    def test_damaged_ones_are_made_anew(self, tmp_path: Path, damaged: str) -> None:
        (tmp_path / FILE).write_text(damaged)
        codes = Door(folder=tmp_path).codes
        assert codes.role(codes.play) is Role.PLAY and codes.role("") is None
        assert Door(folder=tmp_path).codes == codes

    def test_where_they_cannot_be_kept_the_old_ones_stay(self, tmp_path: Path) -> None:
        folder = tmp_path / "data"
        door = Door(folder=folder)
        before = door.codes
        (folder / FILE).unlink()
        folder.rmdir()
        folder.write_text("no folder any more")
        with pytest.raises(InviteError, match="cannot keep the codes in"):
            door.renew()
        assert door.codes == before


LINK = link("192.168.178.123", 8106, "/camera", code="ABCD-EFGH")


def read_code(picture: np.ndarray) -> str:
    return str(cv2.QRCodeDetector().detectAndDecode(picture)[0])


def test_a_link() -> None:
    assert LINK == "https://192.168.178.123:8106/camera?code=ABCD-EFGH"
    assert link("10.0.0.1", 1, "/") == "https://10.0.0.1:1/"


def test_the_code_in_the_terminal_can_be_scanned() -> None:
    """Each character is two squares, the lighter ones in the colour of the text."""
    rows = terminal(LINK).splitlines()
    halves = {"█": (255, 255), "▀": (255, 0), "▄": (0, 255), " ": (0, 0)}
    grid = np.array([[halves[c][half] for c in row] for row in rows for half in (0, 1)], np.uint8)
    assert max(map(len, rows)) <= 40
    assert read_code(np.kron(np.pad(grid, 2, constant_values=255), np.ones((8, 8), np.uint8))) == LINK


def test_the_picture_is_plain_svg() -> None:
    picture = svg(LINK).decode()
    assert picture.startswith("<?xml") and "<svg" in picture and 'fill="#fff"' in picture and "script" not in picture
