"""The companion's own certificate: made on the first start, renewed when it nears its end or the addresses change.

Browsers warn once of a certificate that nobody vouches for; its fingerprint lets a person compare.
"""

from __future__ import annotations

import ipaddress
import os
import ssl
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FILE = "certificate.pem"
VALID = timedelta(days=397)
"""Browsers refuse a certificate that lives longer than 398 days."""
RENEW = timedelta(days=30)
NAME = "Tilekeeper"


class CertificateError(OSError):
    """The certificate cannot be kept; one line that says why."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A certificate with its key in one file that only its owner may read."""

    path: Path
    fingerprint: str
    """SHA-256, as browsers show it: ``AB:CD:…``."""
    names: frozenset[str]
    until: datetime
    fresh: bool
    """Whether it was made just now, so that browsers will warn again."""

    def context(self) -> ssl.SSLContext:
        """For a server: TLS 1.2 or newer."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.path)
        return context


def own_certificate(folder: Path, names: Iterable[str], now: datetime | None = None) -> Certificate:
    """The certificate kept in `folder`, or a new one where there is none, it is damaged, old or lacks a name.

    Args:
        folder: made if need be, for its owner only.
        names: the addresses and host names that it has to hold; ``localhost`` and ``127.0.0.1`` it always does.

    Raises:
        CertificateError: it can neither be read nor written.
    """
    now = now or datetime.now(UTC)
    wanted = frozenset({"localhost", "127.0.0.1", *names})
    path = folder / FILE
    try:
        kept = _read(path)
        if kept is not None and kept.until - now > RENEW and wanted <= kept.names:
            return kept
        _write(path, wanted, now)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CertificateError(f"cannot keep the certificate in {folder}: {reason}") from None
    made = _read(path, fresh=True)
    assert made is not None
    return made


def private(path: Path, data: bytes) -> None:
    """Writes a file that only its owner may read, whole or not at all. Raises `OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    try:
        # The mode is there from the start: at no moment can others read it.
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as writing:
            writing.write(data)
            writing.flush()
            os.fsync(writing.fileno())
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _read(path: Path, fresh: bool = False) -> Certificate | None:
    """None where there is none or it is damaged. Raises `OSError` where it cannot be read."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)
    try:
        certificate = x509.load_pem_x509_certificate(data)
        key = serialization.load_pem_private_key(data, None)
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(path)
    except (ValueError, TypeError, x509.ExtensionNotFound, ssl.SSLError):
        return None
    if key.public_key() != certificate.public_key():
        return None
    return Certificate(
        path,
        certificate.fingerprint(hashes.SHA256()).hex(":").upper(),
        frozenset({*names.get_values_for_type(x509.DNSName), *map(str, names.get_values_for_type(x509.IPAddress))}),
        certificate.not_valid_after_utc,
        fresh,
    )


def _write(path: Path, names: frozenset[str], now: datetime) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    who = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, NAME)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))  # a phone's clock may be behind
        .not_valid_after(now + VALID - timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in sorted(names)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    private(path, pem + certificate.public_bytes(serialization.Encoding.PEM))


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
