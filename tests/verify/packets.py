"""Packets put together by hand, so that each lie can be told in them."""

import base64
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from pitledger.archive.log import leaf_data, manifests
from pitledger.archive.note import SecretKey
from pitledger.archive.tiles import Tiles
from pitledger.journal.stored import messages_from
from pitledger.pb.archive_pb2 import ArchiveLeaf
from pitledger.pb.journal_pb2 import JournalRecord
from services.storage.folder import Folder
from tests.verify.conftest import Golden, Outcome, run

_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass
class Packet:
    """What goes into one; `made` lists, signs and packs it as it is then."""

    key: SecretKey
    public: str
    listing: dict[str, Any]
    files: dict[str, bytes] = field(default_factory=dict)
    signature: Callable[[str], str] | None = None
    method: int = zipfile.ZIP_DEFLATED

    def made(self) -> bytes:
        files = {name: sha256(data).hexdigest() for name, data in self.files.items()}
        listing = json.dumps({**self.listing, "files": files}).encode()
        origin = self.listing["origin"]
        text = f"pitledger.packet/v1\n{origin}\n{sha256(listing).hexdigest()}\n"
        sign = self.signature or self.key.sign
        signed = f"{text}\n{sign(text)}".encode()
        return zipped({**self.files, "packet.json": listing, "packet.sig": signed}, self.method)

    def verify(self, home: Path, *options: str) -> Outcome:
        return judged(home, self.made(), self.public, *options)


def judged(home: Path, data: bytes, public: str, *options: str) -> Outcome:
    path = home / "packet.zip"
    path.write_bytes(data)
    return run(str(path), "--key", public, *options)


def zipped(files: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zip_:
        for name, data in files.items():
            zip_.writestr(info(name), data, method)
    return out.getvalue()


def info(name: str) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name, _EPOCH)
    found.external_attr, found.create_system = 0o644 << 16, 3
    return found


def packet_of(archive: Golden, key: SecretKey | None = None) -> Packet:
    """A good packet of the first round, with the last remainder that holds anything as a case's."""
    store = Folder(archive.home)
    note = archive.read("checkpoint")
    size = int(note.split(b"\n")[1])
    leaves = list(manifests(store, size))
    number = next(n for n, leaf in enumerate(leaves) if leaf.HasField("round"))
    round_ = leaves[number].round
    listing = {
        "format": 1,
        "origin": archive.key.name,
        "round_id": round_.round_id,
        "table_id": round_.table_id,
        "round_number": round_.round_number,
        "made_at": "2026-11-30T12:00:00Z",
        "made_by": "test",
    }
    names = ("README.txt", "account.html", "account.pdf")
    packet = Packet(key or archive.key, archive.public, listing, {n: n.encode() for n in names})
    documents = {leaf.document.name: n for n, leaf in enumerate(leaves)}
    wanted = {"round": number, "schema": documents["schema"], "log": documents["log"]}
    rules = sha256(submission_of(store, leaves[number])).digest()
    wanted["rules"] = next(n for n, leaf in enumerate(leaves) if leaf.sha256 == rules)
    wanted["case-1"] = max(
        n for n, leaf in enumerate(leaves) if leaf.HasField("remainder") and leaf.length
    )
    for name, index in wanted.items():
        packet.files |= evidence(store, size, note, name, index, leaves[index])
    packet.files["evidence/cases.records"] = b""
    packet.files["evidence/builds.json"] = b"[]\n"
    return packet


def submission_of(store: Folder, round_: ArchiveLeaf) -> bytes:
    """The rules that a round opened with."""
    first = next(messages_from(leaf_data(store, round_.sha256, round_.length)))
    return JournalRecord.FromString(first.value).round_opened.submission


def evidence(
    store: Folder, size: int, note: bytes, name: str, index: int, leaf: ArchiveLeaf
) -> dict[str, bytes]:
    hashes = [base64.b64encode(each).decode() for each in Tiles(store, size).includes(index)]
    lines = ["c2sp.org/tlog-proof@v1", f"index {index}", *hashes, "", ""]
    return {
        f"evidence/{name}.entry": leaf.SerializeToString(deterministic=True),
        f"evidence/{name}.bytes": leaf_data(store, leaf.sha256, leaf.length),
        f"evidence/{name}.proof": "\n".join(lines).encode() + note,
    }
