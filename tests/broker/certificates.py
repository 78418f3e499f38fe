"""Certificates for a TLS listener, made anew by `openssl` for each run of the tests."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

KEY_PASSWORD = "k-password-of-the-key"


@dataclass(frozen=True)
class Pair:
    """PEM files: a certificate, its private key, and both in one as Kafka takes them."""

    certificate: Path
    key: Path
    both: Path


class Authority:
    """A certificate authority in a folder."""

    def __init__(self, folder: Path, name: str) -> None:
        if shutil.which("openssl") is None:
            how = pytest.fail if os.environ.get("PITLEDGER_SKIP_NOTHING") else pytest.skip
            how("certificates are made by openssl: it was not found")
        self.folder = folder / name
        self.folder.mkdir()
        self.certificate = self.folder / "ca.pem"
        self._key = self.folder / "ca.key"
        _openssl(
            "req", "-x509", *_NEW_KEY, "-keyout", self._key, "-out", self.certificate,
            "-days", 2, "-subj", f"/CN={name}",
        )

    def issue(self, name: str, *, host: str = "", days: int = 2) -> Pair:
        """A certificate for a user `name`, or for a server at `host`; -1 day: it has expired."""
        key, request = self.folder / f"{name}.key", self.folder / f"{name}.csr"
        certificate, both = self.folder / f"{name}.pem", self.folder / f"{name}.both.pem"
        more = self.folder / f"{name}.ext"
        more.write_text(f"subjectAltName=DNS:{host}\n" if host else "basicConstraints=CA:FALSE\n")
        _openssl("req", *_NEW_KEY, "-keyout", key, "-out", request, "-subj", f"/CN={name}")
        _openssl(
            "x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key,
            "-CAcreateserial", "-days", days, "-extfile", more, "-out", certificate,
        )
        both.write_text(key.read_text() + certificate.read_text())
        return Pair(certificate, key, both)


def locked(key: Path) -> Path:
    """The same private key, encrypted with KEY_PASSWORD."""
    path = key.with_suffix(".locked")
    _openssl("pkcs8", "-topk8", "-in", key, "-out", path, "-passout", f"pass:{KEY_PASSWORD}")
    path.chmod(0o600)
    return path


_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


def _openssl(*arguments: object) -> None:
    command = ["openssl", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
