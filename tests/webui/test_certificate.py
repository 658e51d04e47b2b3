"""The own certificate: what it holds, who may read it, when it is made anew; and the addresses it is made for."""

from __future__ import annotations

import os
import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from webui.certificate import FILE, RENEW, VALID, CertificateError, own_certificate, private
from webui.network import Network, host_names, lan_addresses

NAMES = ("192.168.1.7", "10.0.0.3", "laptop", "laptop.local")
posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX")


def test_it_holds_every_name_and_this_machines_own(tmp_path: Path) -> None:
    made = own_certificate(tmp_path, NAMES)
    assert made.fresh and made.names == {*NAMES, "localhost", "127.0.0.1"}
    certificate = x509.load_pem_x509_certificate((tmp_path / FILE).read_bytes())
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert x509.oid.ExtendedKeyUsageOID.SERVER_AUTH in usage
    assert not certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert certificate.not_valid_after_utc - certificate.not_valid_before_utc <= timedelta(days=398)
    assert len(made.fingerprint.split(":")) == 32
    assert made.context().minimum_version is ssl.TLSVersion.TLSv1_2


def test_it_is_kept(tmp_path: Path) -> None:
    first = own_certificate(tmp_path, NAMES)
    second = own_certificate(tmp_path, NAMES[:2])
    assert second.fingerprint == first.fingerprint and not second.fresh


@pytest.mark.parametrize(
    ("names", "days"),
    [(("192.168.1.8",), 0), (NAMES, (VALID - RENEW).days + 1), (NAMES, 1000)],
    ids=["another address", "near its end", "past it"],
)
def test_it_is_renewed(tmp_path: Path, names: tuple[str, ...], days: int) -> None:
    now = datetime.now(UTC)
    first = own_certificate(tmp_path, NAMES, now)
    second = own_certificate(tmp_path, names, now + timedelta(days=days))
    assert second.fresh and second.fingerprint != first.fingerprint
    assert set(names) <= second.names and second.until - (now + timedelta(days=days)) > RENEW


@pytest.mark.parametrize("damage", ["", "nonsense", "half", "no key", "another key"])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: str) -> None:
    own_certificate(tmp_path, NAMES)
    path = tmp_path / FILE
    pem = path.read_bytes()
    cut = pem.index(b"-----BEGIN CERTIFICATE")
    if damage == "another key":
        own_certificate(tmp_path / "other", NAMES)
        other = (tmp_path / "other" / FILE).read_bytes()
        pem = other[: other.index(b"-----BEGIN CERTIFICATE")] + pem[cut:]
    else:
        pem = {"": b"", "nonsense": b"no certificate", "half": pem[: cut + 90], "no key": pem[cut:]}[damage]
    path.write_bytes(pem)
    assert own_certificate(tmp_path, NAMES).fresh


@posix
def test_nobody_else_may_read_the_key(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    own_certificate(folder, NAMES)
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    (folder / FILE).chmod(0o644)
    own_certificate(folder, NAMES)
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600


@posix
def test_a_private_file_is_never_readable_and_never_half(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    modes = []
    replace = Path.replace
    monkeypatch.setattr(Path, "replace", lambda self, to: (modes.append(self.stat().st_mode), replace(self, to))[1])
    private(tmp_path / "secret", b"one")
    assert [stat.S_IMODE(mode) for mode in modes] == [0o600]

    def fails(self: Path, to: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        private(tmp_path / "secret", b"two")
    assert [p.name for p in tmp_path.iterdir()] == ["secret"] and (tmp_path / "secret").read_bytes() == b"one"


def test_where_it_cannot_be_kept_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(CertificateError, match=r"cannot keep the certificate in .*file") as error:
        own_certificate(tmp_path / "file", NAMES)
    assert "\n" not in str(error.value)


def test_the_addresses_of_this_machine() -> None:
    assert "127.0.0.1" not in lan_addresses()
    assert all(name == name.lower() and " " not in name for name in host_names())


def test_a_host_header_names_this_machine_or_not() -> None:
    now, addresses = [0.0], ["192.168.1.7"]
    network = Network(lambda: tuple(addresses), lambda: ("laptop", "laptop.local"), lambda: now[0])
    for ours in ("127.0.0.1", "localhost", "[::1]", "LAPTOP.local", "laptop.", "192.168.1.7"):
        assert network.is_ours(ours), ours
    for theirs in ("evil.example", "", "192.168.1.8", "laptop.evil.example", "127.0.0.1.evil.example", "0.0.0.0"):
        assert not network.is_ours(theirs), theirs
    addresses[:] = ["10.0.0.9"]  # the laptop went to another network
    now[0] = 10.0
    assert network.is_ours("10.0.0.9") and not network.is_ours("192.168.1.7")
