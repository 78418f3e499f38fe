"""A packet's files in one zip: the same files and key give the same bytes."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from pitledger.archive.note import SecretKey

FORMAT = 1
_HEAD = "pitledger.packet/v1"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can name: its files have none of their own."""
_RATIO_MAX, _RATIO_FROM = 100, 1 << 20
"""A larger file that would shrink by more is stored as it is: `pitledger-verify`, as other programs
that look out for bombs, takes no file that grows so much. Junk on the journal may be such."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What round a packet is of, and who made it when. `made_at`: ISO 8601, UTC."""

    origin: str
    round_id: str
    table_id: str
    round_number: int
    made_at: str
    made_by: str


def packed(subject: Subject, files: Mapping[str, bytes], key: SecretKey) -> bytes:
    """The zip: files in their order, then what lists them, then the signature over that."""
    listing = _listing(subject, files)
    text = f"{_HEAD}\n{subject.origin}\n{sha256(listing).hexdigest()}\n"
    signed = f"{text}\n{key.sign(text)}".encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zip_:
        for name, data in {**files, "packet.json": listing, "packet.sig": signed}.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            info.create_system = 3  # the same wherever it is made
            zip_.writestr(info, data, _method(data), 9)
    return out.getvalue()


def _method(data: bytes) -> int:
    if len(data) > _RATIO_FROM and len(data) > _RATIO_MAX * len(zlib.compress(data)):
        return zipfile.ZIP_STORED
    return zipfile.ZIP_DEFLATED


def _listing(subject: Subject, files: Mapping[str, bytes]) -> bytes:
    listing = {
        "format": FORMAT,
        "origin": subject.origin,
        "round_id": subject.round_id,
        "table_id": subject.table_id,
        "round_number": subject.round_number,
        "made_at": subject.made_at,
        "made_by": subject.made_by,
        "files": {name: sha256(data).hexdigest() for name, data in files.items()},
    }
    return (json.dumps(listing, indent=2, ensure_ascii=False) + "\n").encode()
