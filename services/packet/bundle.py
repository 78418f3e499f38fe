"""A packet's files in one zip: the same files and key give the same bytes."""

import io
import json
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from pitledger.archive.note import SecretKey
from services.packet.faults import NoPacket

FORMAT = 1
_HEAD = "pitledger.packet/v1"
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can name: its files have none of their own."""
_RATIO_MAX, _RATIO_FROM = 100, 1 << 20
"""A larger file that would shrink by more is stored as it is: `pitledger-verify`, as other programs
that look out for bombs, takes no file that grows so much. Junk on the journal may be such."""
FILES_MAX, UNPACKED_MAX, PACKED_MAX = 1_000, 256 << 20, 64 << 20
"""`pitledger-verify` takes no more: a thousand files are some 330 records of cases."""


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
    """The zip: files in their order, then what lists them, then the signature over that.

    Raises NoPacket where they are more than any verifier takes.
    """
    listing = _listing(subject, files)
    text = f"{_HEAD}\n{subject.origin}\n{sha256(listing).hexdigest()}\n"
    signed = f"{text}\n{key.sign(text)}".encode()
    everything = {**files, "packet.json": listing, "packet.sig": signed}
    _require("files", len(everything), FILES_MAX)
    _require("bytes", sum(map(len, everything.values())), UNPACKED_MAX)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zip_:
        for name, data in everything.items():
            info = zipfile.ZipInfo(name, _EPOCH)
            info.external_attr = 0o644 << 16
            info.create_system = 3  # the same wherever it is made
            zip_.writestr(info, data, _method(data), 9)
    _require("bytes as a zip", out.tell(), PACKED_MAX)
    return out.getvalue()


def _require(what: str, count: int, most: int) -> None:
    if count > most:
        raise NoPacket(
            f"it would have {count:,} {what}, and no packet has more than {most:,}: the round and"
            " all that was said of it are in the archive, which can be given out whole (mirror)"
        )


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
