"""Whoever holds a key can seal what unpacks and parses to many times its bytes: it is refused by a
process that stays small.
"""

import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.pb.archive_pb2 import ArchivedRemainder, ArchivedRound, ArchiveLeaf
from tests.verify.conftest import Golden, write_archive
from tests.verify.packets import packet_of
from tests.verify.test_lies import Book

MOST = 400 << 20
"""Bytes; each of these took more. A leaf of the longest, packed and unpacked, takes 150 MB."""


MEASURE = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", "services.verify", *sys.argv[1:]]).returncode
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, file=sys.stderr)
"""
"""In a process of its own: one begins with the peak of whoever started it."""


def judged(path: Path, public: str) -> tuple[int, str, int]:
    """Exit code, what it said, bytes of memory at its peak."""
    command = [sys.executable, "-c", MEASURE, str(path), "--key", public]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    *more, figures = done.stderr.splitlines(keepends=True)
    code, peak = map(int, figures.split())
    return code, done.stdout + "".join(more), peak


def leaf(data: bytes, manifest: ArchiveLeaf) -> Leaf:
    manifest.sha256, manifest.length = sha256(data).digest(), len(data)
    return Leaf(manifest.SerializeToString(deterministic=True), manifest.sha256, data)


def of_remainder(data: bytes) -> Leaf:
    return leaf(data, ArchiveLeaf(remainder=ArchivedRemainder(first=0, end=len(data))))


def of_round(data: bytes) -> Leaf:
    return leaf(data, ArchiveLeaf(round=ArchivedRound(offsets=[1], table_id="t", round_id="r")))


def with_headers(count: int) -> bytes:
    """One record, of headers without name and value."""
    data, length = b"\x2a\0" * count, bytearray()
    size = len(data)
    while size > 127:
        length.append(size & 127 | 128)
        size >>= 7
    return bytes([*length, size]) + data


def long_round(count: int) -> bytes:
    """The manifest of one of so many records."""
    return ArchiveLeaf(round=ArchivedRound(offsets=[1] * count)).SerializeToString()


def deletion(count: int) -> bytes:
    head = b'{"format": 1, "at": "", "by": "", "reason": "", "policy": "", "entries": ['
    return head + b"[0,0]," * count + b"[0,0]]}"


ARCHIVES = {
    "empty records in a remainder": lambda: of_remainder(bytes(4 << 20)),
    "empty records in a round": lambda: of_round(bytes(4 << 20)),
    "a record of headers": lambda: of_remainder(with_headers(10 << 20)),
    "a deletion of spans": lambda: document_leaf("deletion", "", deletion(3 << 20)),
    "a schema of files": lambda: document_leaf("schema", "", b"\x0a\0" * (4 << 20)),
    "a hold of objects": lambda: document_leaf("hold", "", b"[" + b"{}," * (8 << 20) + b"{}]"),
    "a long round of offsets": lambda: document_leaf("long-round", "", long_round(12 << 20)),
}


@pytest.mark.parametrize("what", ARCHIVES)
def test_an_archive_that_would_grow_in_memory_is_refused_in_one_line(
    golden: Golden, tmp_path: Path, what: str
) -> None:
    leaves = Book(golden).leaves
    archive = write_archive(tmp_path / "archive", golden.key, [*leaves[:1], ARCHIVES[what]()])
    code, said, peak = judged(archive.home, archive.public)
    assert (code, said.count("\n")) == (1, 1), said
    assert said.startswith("BAD: entry 1 (")
    assert peak < MOST


PACKETS = {
    "evidence/cases.records": bytes(24 << 20),
    "evidence/round.proof": b"index\n" * (4 << 20),
}


@pytest.mark.parametrize("name", PACKETS)
def test_a_packet_that_would_grow_in_memory_is_refused_in_one_line(
    sealed: Golden, tmp_path: Path, name: str
) -> None:
    packet = packet_of(sealed)
    packet.method = zipfile.ZIP_STORED
    packet.files[name] = PACKETS[name]
    path = tmp_path / "packet.zip"
    path.write_bytes(packet.made())
    code, said, peak = judged(path, packet.public)
    assert (code, said.count("\n")) == (1, 1), said
    assert said.startswith(f"BAD: {name}: ")
    assert peak < MOST


def test_a_log_holds_dictionaries_up_to_a_sum(golden: Golden, tmp_path: Path) -> None:
    book = Book(golden)
    first = book.leaves[book.find("document", lambda leaf: leaf.document.name == "dictionary")].data
    many = [
        first[:4] + number.to_bytes(4, "little") + first[8:].ljust((1 << 20) - 8, b"\0")
        for number in range(1, 66)
    ]
    leaves = [document_leaf("dictionary", "", data) for data in many]
    archive = write_archive(tmp_path / "archive", golden.key, [book.leaves[0], *leaves])
    code, said, peak = judged(archive.home, archive.public)
    assert code == 1
    assert said == (
        "BAD: entry 65 (document 'dictionary'): the dictionaries up to here have more than"
        " 67108864 bytes\n"
    )
    assert peak < MOST
