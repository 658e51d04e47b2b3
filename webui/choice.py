"""Cameras that can be chosen on a page, as values; the addresses that may be typed there; and the one that is kept."""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import sys
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import platformdirs

from vision.camera import Camera, Feed
from vision.phone import PhoneCamera
from vision.sources import EVERY_S, PHONE, LensSource, device_number, list_devices, open_camera, without_secrets
from webui.certificate import private

FILE = "camera.json"
SCHEMES = frozenset({"rtsp", "rtsps", "http", "https"})
LONGEST_ADDRESS = 1000
UNNAMED = 3
"""Devices that are offered by their number where the system names none."""


class ChoiceError(ValueError):
    """A camera that cannot be chosen: `reason` is a stable name, the text one line."""

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


class Kind(StrEnum):
    """What sort of camera it is."""

    GIVEN = "given"
    """A folder, a film or an address that was given with ``--camera``."""
    DEVICE = "device"
    STREAM = "stream"
    """An address that was typed on a page."""
    PHONE = "phone"


@dataclass(frozen=True, slots=True)
class Choice:
    """A camera that can be chosen. `source` is the number, the address, or what was given; no page ever sees it."""

    kind: Kind
    source: str = field(repr=False)
    name: str

    @property
    def id(self) -> str:
        """What pages call it."""
        return f"device-{self.source}" if self.kind is Kind.DEVICE else self.kind.value

    @property
    def host(self) -> str:
        """Where an address leads; empty for what is none."""
        return host_of(self.source) or ""

    def to_page(self) -> dict[str, str]:
        return {"id": self.id, "kind": self.kind.value, "name": self.name}

    def to_json(self) -> dict[str, str]:
        """What is kept of it: all, the password of an address too."""
        return {"kind": self.kind.value, "source": self.source, "name": self.name}

    @classmethod
    def from_json(cls, document: Any) -> Choice:
        """Reads what `to_json` writes. Raises `ValueError`."""
        try:
            kind, source, name = Kind(document["kind"]), document["source"], document["name"]
        except (KeyError, TypeError) as error:
            raise ValueError(f"no camera: {error}") from None
        if not isinstance(source, str) or not isinstance(name, str):
            raise ValueError("a camera has a source and a name")
        if kind is Kind.STREAM:
            return stream(source)
        if kind is Kind.DEVICE and not re.fullmatch(r"\d{1,3}", source):
            raise ValueError("a device has a number")
        return cls(kind, source, name)


A_PHONE = Choice(Kind.PHONE, PHONE, PHONE)


def given(text: str, camera: Camera) -> Choice:
    """What was given with ``--camera``, and the camera that it is."""
    if text.strip() == PHONE:
        return A_PHONE
    number = device_number(text)
    if number is not None:
        return Choice(Kind.DEVICE, str(number), camera.name)
    # The folder from which the program is started next time is another one.
    source = text.strip() if "://" in text else str(Path(text.strip()).expanduser().resolve())
    return Choice(Kind.GIVEN, source, camera.name)


def devices() -> tuple[Choice, ...]:
    """The devices of this machine. Equal ones have their number in their name, so that people can tell them apart."""
    found = list_devices()
    if not found and not sys.platform.startswith("linux"):
        found = [(number, f"camera {number}") for number in range(UNNAMED)]
    times = Counter(name for _, name in found)
    return tuple(
        Choice(Kind.DEVICE, str(number), f"{name} ({number})" if times[name] > 1 else name) for number, name in found
    )


def stream(address: str) -> Choice:
    """A network camera by what somebody typed. Raises `ChoiceError`.

    >>> stream("rtsp://anna:secret@192.168.1.9/live").name
    'rtsp://192.168.1.9/live'
    """
    address = address.strip()
    if len(address) > LONGEST_ADDRESS or not re.fullmatch(r"[!-\[\]-~]+", address) or host_of(address) is None:
        raise ChoiceError("camera-address", "An address begins with rtsp://, rtsps://, http:// or https://.")
    return Choice(Kind.STREAM, address, without_secrets(address))


def host_of(address: str) -> str | None:
    """The host of an address that may be typed; None where it may not."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
        if parts.scheme.lower() not in SCHEMES or not host or parts.port == 0:
            return None
    except ValueError:
        return None
    return host if re.fullmatch(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+", host) else None


def is_here(host: str) -> bool:
    """Whether a host's name may lead to this very machine, or to one that only it can reach. Looks the name up.

    What other devices may not ask of it: they would reach what listens here for this machine alone.
    """
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False  # a name that leads nowhere: opening it says so
    return any(_is_own(address) for address in found)


def _is_own(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_loopback or ip.is_unspecified or ip.is_link_local or ip.is_multicast


def open_choice(choice: Choice, every: float = EVERY_S) -> Camera:
    """The camera that was chosen. Raises `vision.camera.CameraError`."""
    if choice.kind is Kind.PHONE:
        return PhoneCamera()
    if choice.kind is Kind.DEVICE:
        return Feed(LensSource(int(choice.source), choice.name))
    if choice.kind is Kind.STREAM:
        return Feed(LensSource(choice.source, choice.name))
    return open_camera(choice.source, every)


class Kept(Protocol):
    """What keeps the choice for the next start."""

    def load(self) -> Choice | None:
        """None where nothing is kept, or it cannot be used."""

    def keep(self, choice: Choice) -> None:
        """Raises `OSError` where it cannot be kept."""


class MemoryKept:
    """Forgets it when the program ends."""

    def __init__(self, choice: Choice | None = None) -> None:
        self.choice = choice

    def load(self) -> Choice | None:
        return self.choice

    def keep(self, choice: Choice) -> None:
        self.choice = choice


class FileKept:
    """In a file of the user's data folder that only its owner may read, since an address may hold a password."""

    def __init__(self, folder: Path | None = None) -> None:
        self._path = (folder or platformdirs.user_data_path("tilekeeper", appauthor=False)) / FILE

    def load(self) -> Choice | None:
        try:
            return Choice.from_json(json.loads(self._path.read_text("utf-8")))
        except (OSError, ValueError):
            return None

    def keep(self, choice: Choice) -> None:
        private(self._path, json.dumps(choice.to_json(), ensure_ascii=False).encode())
