"""What `serve` and `demo` have in common: the server, who is let in, and what is printed for people."""

from __future__ import annotations

import os
import signal
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
import platformdirs

from webui.app import create_app
from webui.certificate import Certificate, CertificateError, own_certificate
from webui.chooser import Chooser
from webui.commands.inputs import Unusable
from webui.companion import Companion
from webui.demo import Autopilot
from webui.guard import is_local
from webui.invite import Door, InviteError, link, terminal
from webui.network import Network
from webui.server import ServingError, listening, taken_by

LOOK_EVERY_S = 15.0


def keys_folder() -> Path:
    """Where the certificate and the codes are kept."""
    return Path(platformdirs.user_data_dir("tilekeeper", appauthor=False))


def check_writable(folder: Path) -> None:
    """Raises `Unusable` where nothing can be kept in `folder`: better now than at the first turn."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise Unusable(f"cannot keep matches in {folder}: {reason}; choose another folder with --matches") from None


class Lan:
    """The local network: who is let in, and the certificate for the addresses as they are."""

    def __init__(self, folder: Path, new_codes: bool = False, network: Network | None = None) -> None:
        """Raises `Unusable` where the codes or the certificate cannot be kept."""
        self.network = network or Network()
        self._folder = folder
        try:
            self.door = Door(folder=folder)
            if new_codes:
                self.door.renew()
            self.certificate = self._own()
        except (InviteError, CertificateError) as error:
            raise Unusable(f"{error}; without that folder no other device can be let in") from None
        self.context: ssl.SSLContext = self.certificate.context()

    def _own(self) -> Certificate:
        return own_certificate(self._folder, (*self.network.addresses, *self.network.names))

    def renew(self) -> bool:
        """Whether the certificate was made anew, since the addresses have changed; new connections get it."""
        if set(self.network.addresses) <= self.certificate.names:
            return False
        try:
            self.certificate = self._own()
        except CertificateError:
            return False  # the old one still serves; browsers warn of the name
        self.context.load_cert_chain(self.certificate.path)
        return True

    @contextmanager
    def kept_up(self) -> Iterator[None]:
        """Looks now and then whether this machine has other addresses."""
        stop = threading.Event()

        def look() -> None:
            while not stop.wait(LOOK_EVERY_S):
                if self.renew():
                    click.echo(f"The address has changed: {', '.join(self.network.addresses)}", err=True)

        thread = threading.Thread(target=look, name="addresses", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join(timeout=2.0)


def run(
    companion: Companion,
    port: int,
    lan: bool = False,
    autopilot: Autopilot | None = None,
    new_codes: bool = False,
    phone: bool = False,
    chooser: Chooser | None = None,
) -> None:
    """Serves the companion until Ctrl-C. Raises `Unusable`."""
    try:
        net = Lan(keys_folder(), new_codes) if lan else None
        app = (
            create_app(companion, net.network.is_ours, net.door, net.network, autopilot, chooser)
            if net
            else create_app(companion, is_local, autopilot=autopilot, chooser=chooser)
        )
        server = listening(app, "0.0.0.0" if lan else "127.0.0.1", port, net.context if net else None)
    except ServingError as error:
        companion.close()
        raise Unusable(str(error)) from None
    except Unusable:
        companion.close()
        raise
    got = server.bind_addr[1]
    if port and got != port:
        who = taken_by(port)
        click.echo(f"Port {port} is taken{f' by {who}' if who else ''}; using {got}.", err=True)
    # Also where the shell that started us left Ctrl-C ignored, as it does for jobs in the background.
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        if net is not None:
            invite(greeting(companion, chooser), net, got, phone)
        else:
            click.echo(f"{greeting(companion, chooser)} Open http://127.0.0.1:{got}/", err=True)
        if autopilot is not None:
            click.echo("The demo plays by itself. Press a button on the page, and the game is yours.", err=True)
        click.echo("Stop it with Ctrl-C.", err=True)
        companion.start()
        if autopilot is not None:
            autopilot.start()
        if chooser is not None:
            chooser.begin()
        if net is not None:
            with net.kept_up():
                server.serve()
        else:
            server.serve()
    except KeyboardInterrupt:
        for stop in (signal.SIGINT, signal.SIGTERM):  # who cannot wait loses nothing: all that counts is kept
            signal.signal(stop, lambda *_: os._exit(0))
        click.echo("Stopped.", err=True)
    finally:
        if autopilot is not None:
            autopilot.close()
        if chooser is not None:
            chooser.close()
        companion.close()
        server.stop()


def greeting(companion: Companion, chooser: Chooser | None) -> str:
    """What is watched, or will be."""
    if companion.camera.name:
        return f"Tilekeeper watches {companion.camera.name}."
    if chooser is not None and chooser.awaited:
        return f"Tilekeeper looks for {chooser.awaited}, the camera of last time."
    return "Tilekeeper has no camera yet: choose one on the page."


def invite(said: str, net: Lan, port: int, phone: bool) -> None:
    """Prints how others come in: links, a QR code, and why their browsers will warn."""
    play, view = net.door.codes.play, net.door.codes.view
    here = f"http://127.0.0.1:{port}/?code={play}"
    if not net.network.addresses:
        click.echo(f"{said} Open {here}", err=True)
        click.echo("This machine is on no network: no other device can open the page.", err=True)
        return
    address, *others = net.network.addresses
    page = link(address, port, "/", code=play)
    click.echo(f"{said} Open {page}", err=True)
    camera = link(address, port, "/camera", code=play)
    if phone:
        show_code(camera, "The phone that is the camera opens this:")
    show_code(page, "Phones and tablets that play open this:")
    for what, where in (
        ("On this machine", here),
        ("To watch only", link(address, port, "/", view=view)),
        ("A phone as camera", camera),
        ("The code to type", play),
        *(("Also reached at", link(other, port, "/", code=play)) for other in others),
    ):
        click.echo(f"  {what + ':':20}{where}", err=True)
    click.echo(
        "The first time, each browser warns that it does not know this certificate: Tilekeeper made it itself, for\n"
        "your network. Choose “Advanced” (or “Details”) and go on to the page. To be sure that it is this one,\n"
        f"compare its SHA-256 fingerprint:\n  {net.certificate.fingerprint}",
        err=True,
    )


def show_code(page: str, what: str) -> None:
    """A QR code in characters, where this terminal has them."""
    try:
        click.echo(f"{what}\n{terminal(page)}", err=True)
    except UnicodeEncodeError:
        click.echo(f"{what} {page}", err=True)
