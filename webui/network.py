"""This machine on the local network: the addresses and names by which other devices reach it."""

from __future__ import annotations

import ipaddress
import socket
import threading
import time
from collections.abc import Callable

import ifaddr

LOCAL = ("127.0.0.1", "localhost", "[::1]")
"""How this machine calls itself, as a ``Host`` header writes it."""
KEPT_S = 5.0


def own_address() -> str:
    """This machine's address on the local network, as others reach it; 127.0.0.1 without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # connecting a datagram socket sends nothing
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"


def lan_addresses() -> tuple[str, ...]:
    """Every IPv4 address that other devices may reach, the likeliest first; empty without a network."""
    first = own_address()
    found = [str(ip.ip) for adapter in ifaddr.get_adapters() for ip in adapter.ips if ip.is_IPv4]
    # A machine without a network gives itself a link-local address; two machines on one cable use those.
    usable = [a for a in dict.fromkeys([first, *found]) if not ipaddress.ip_address(a).is_loopback]
    return tuple(sorted(usable, key=lambda a: (a != first, ipaddress.ip_address(a).is_link_local)))


def host_names() -> tuple[str, ...]:
    """The names of this machine on the local network, in lower case: ``laptop``, ``laptop.local``."""
    name = socket.gethostname().strip().rstrip(".").lower()
    if not name or not name.isascii() or name == "localhost":
        return ()
    short = name.split(".")[0]
    return tuple(dict.fromkeys((name, short, f"{short}.local")))


class Network:
    """The addresses as they are now, looked up at most every few seconds: a laptop moves between networks."""

    def __init__(
        self,
        look: Callable[[], tuple[str, ...]] = lan_addresses,
        names: Callable[[], tuple[str, ...]] = host_names,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._look, self._clock = look, clock
        self._lock = threading.Lock()
        self._looked = float("-inf")
        self._addresses: tuple[str, ...] = ()
        self.names = names()

    @property
    def addresses(self) -> tuple[str, ...]:
        """As `lan_addresses`."""
        with self._lock:
            if self._clock() - self._looked > KEPT_S:
                self._addresses, self._looked = self._look(), self._clock()
            return self._addresses

    def is_ours(self, host: str) -> bool:
        """Whether a ``Host`` header (without its port) names this machine."""
        host = host.lower().rstrip(".")
        return host in LOCAL or host in self.names or host in self.addresses
