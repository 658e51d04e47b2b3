"""Who is let in from the local network: two codes, for playing and for watching, and what they open.

A code is short enough to be typed from across the table, so guesses are counted. A browser that has shown a code
carries a token made from it, which nobody can guess; with new codes the old tokens open nothing.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import secrets
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import segno

from webui.certificate import private

FILE = "invitation.json"
ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
"""Letters and figures that nobody takes for one another."""
LENGTH = 8
GUESSES, GUESSES_S = 10, 60.0
ADDRESSES_MOST = 1024


class InviteError(OSError):
    """The codes cannot be kept; one line that says why."""


class Role(StrEnum):
    """What somebody may do."""

    PLAY = "play"
    VIEW = "view"


@dataclass(frozen=True, slots=True)
class Codes:
    """The two codes, as people write them, and the secret that tokens are made with."""

    play: str
    view: str
    secret: str

    @classmethod
    def new(cls) -> Codes:
        return cls(_code(), _code(), secrets.token_hex(32))

    def role(self, given: str) -> Role | None:
        """What a code opens; upper or lower case, with or without its dash. Takes as long for a wrong one."""
        plain = _plain(given).encode()
        play = hmac.compare_digest(plain, _plain(self.play).encode())
        view = hmac.compare_digest(plain, _plain(self.view).encode())
        return Role.PLAY if play else Role.VIEW if view else None

    def token(self, role: Role) -> str:
        """What a browser carries that has shown the code of `role`."""
        code = self.play if role is Role.PLAY else self.view
        return hmac.new(self.secret.encode(), f"{role.value} {code}".encode(), hashlib.sha256).hexdigest()

    def bearer(self, token: str) -> Role | None:
        """What a token allows."""
        given = token.encode()
        play = hmac.compare_digest(given, self.token(Role.PLAY).encode())
        view = hmac.compare_digest(given, self.token(Role.VIEW).encode())
        return Role.PLAY if play else Role.VIEW if view else None


class Guesses:
    """Counts wrong codes: after some in a minute, an address may not try any more until the minute is over."""

    def __init__(
        self, most: int = GUESSES, within: float = GUESSES_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._within, self._clock = most, within, clock
        self._lock = threading.Lock()
        self._wrong: OrderedDict[str, deque[float]] = OrderedDict()

    def wait(self, address: str) -> float:
        """Seconds until this address may try again; 0 if it may now."""
        with self._lock:
            times = self._recent(address)
            return self._within - (self._clock() - times[0]) if len(times) >= self._most else 0.0

    def wrong(self, address: str) -> None:
        """It tried a code that opens nothing."""
        with self._lock:
            self._recent(address).append(self._clock())
            self._wrong.move_to_end(address)
            if len(self._wrong) > ADDRESSES_MOST:
                self._wrong.popitem(last=False)

    def _recent(self, address: str) -> deque[float]:
        times = self._wrong.setdefault(address, deque(maxlen=self._most))
        while times and self._clock() - times[0] >= self._within:
            times.popleft()
        return times


class Door:
    """The codes as they are now, and who has tried how often."""

    def __init__(
        self, codes: Codes | None = None, folder: Path | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """With a folder, the codes are kept there over restarts. Raises `InviteError`."""
        self.guesses = Guesses(clock=clock)
        self._folder = folder
        kept = _load(folder / FILE) if folder is not None and codes is None else None
        self.codes = kept or codes or Codes.new()
        if kept is None:
            self._keep()

    def renew(self) -> None:
        """New codes: whoever came in with the old ones is outside. Raises `InviteError`."""
        before, self.codes = self.codes, Codes.new()
        try:
            self._keep()
        except InviteError:
            self.codes = before
            raise

    def _keep(self) -> None:
        if self._folder is None:
            return
        codes = {"play": self.codes.play, "view": self.codes.view, "secret": self.codes.secret}
        try:
            private(self._folder / FILE, json.dumps(codes).encode())
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise InviteError(f"cannot keep the codes in {self._folder}: {reason}") from None


def svg(link: str) -> bytes:
    """The QR code of a link as a picture, black on white with its quiet zone."""
    out = io.BytesIO()
    segno.make(link, error="m", micro=False).save(out, kind="svg", scale=8, border=4, dark="#000", light="#fff")
    return out.getvalue()


def terminal(link: str) -> str:
    """The QR code of a link in characters, two squares a character; light on the terminal's dark."""
    out = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(out=out, border=2, compact=True)
    return out.getvalue()


def link(address: str, port: int, path: str, **query: str) -> str:
    """An address that a phone can open."""
    asked = "&".join(f"{key}={value}" for key, value in query.items())
    return f"https://{address}:{port}{path}" + (f"?{asked}" if asked else "")


def _code() -> str:
    letters = [secrets.choice(ALPHABET) for _ in range(LENGTH)]
    return f"{''.join(letters[:4])}-{''.join(letters[4:])}"


def _plain(code: str) -> str:
    return "".join(c for c in code.upper()[:64] if c in ALPHABET)


def _load(path: Path) -> Codes | None:
    """None where there are none, or what is there is damaged. Raises `InviteError`."""
    try:
        kept = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InviteError(f"cannot read the codes in {path}: {(error.strerror or str(error)).lower()}") from None
    except ValueError:
        return None
    codes = [kept.get(key) for key in ("play", "view", "secret")] if isinstance(kept, dict) else []
    texts = [code for code in codes if isinstance(code, str)]
    if len(texts) != 3:
        return None
    play, view, secret = texts
    if len(_plain(play)) != LENGTH or len(_plain(view)) != LENGTH or play == view or len(secret) < 32:
        return None
    return Codes(play, view, secret)
