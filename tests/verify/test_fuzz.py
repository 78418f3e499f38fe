"""Any bytes in any place: the answer is one line, no traceback, and takes little memory."""

import base64
import json
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256

import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitledger.archive.note import Checkpoint
from pitledger.pb.archive_pb2 import (
    ArchivedDocument,
    ArchivedRemainder,
    ArchivedRound,
    ArchiveLeaf,
)
from pitledger.pb.log_pb2 import StoredRecord
from services.cli.new_key import new_key
from services.verify.archive import verify
from services.verify.faults import Bad, BadInput
from services.verify.note import Key
from services.verify.packet import verify_packet
from services.verify.tree import leaf_hash, root_of
from tests.verify import golden
from tests.verify.golden import Files
from tests.verify.packets import zipped
from tests.verify.test_lies import framed

MANY = settings(
    max_examples=150, deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
MEMORY_MAX = 32 << 20
SECRET = new_key("casino.example/floor")
KEY = Key.parse(str(SECRET.public))
DOCUMENTS = ["", "log", "schema", "rules", "dictionary", "key-statement", "hold", "deletion", "x"]
LOG = json.dumps({"format": 1, "origin": SECRET.name, "topic": "t", "partitions": 4}, indent=2)
PIECES = [f"evidence/{name}.{part}" for name in ("round", "schema", "rules", "log", "case-1")
          for part in ("entry", "bytes", "proof")]
NAMES = ["README.txt", "account.html", "account.pdf", "evidence/cases.records",
         "evidence/builds.json", "evidence/keys/" + "0" * 64, *PIECES]


@contextmanager
def one_line_and_little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        with suppress(Bad, BadInput):
            yield
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < MEMORY_MAX


@st.composite
def changed(draw: st.DrawFn, data: bytes) -> bytes:
    """Some bytes of it replaced by others, or by more, or by less."""
    first = draw(st.integers(0, len(data)))
    end = draw(st.one_of(st.integers(first, len(data)), st.just(len(data)),
                         st.just(min(len(data), first + 1))))
    return data[:first] + draw(st.binary(max_size=40)) + data[end:]


@MANY
@given(st.sampled_from(sorted(golden.files().held)), st.data())
def test_an_archive_with_any_bytes_in_a_file(key: str, data: st.DataObject) -> None:
    held = golden.files().held[key]
    put = data.draw(st.one_of(changed(held), st.binary(max_size=300), st.none()))
    with golden.files().with_file(key, put), one_line_and_little_memory():
        golden.judge(data.draw(st.sampled_from(["first", "second"])))


NUMBERS = st.one_of(st.integers(0, 12), st.sampled_from([(1 << 31) - 1, (1 << 63) - 1]))
OFFSETS = st.lists(st.one_of(NUMBERS, st.just((1 << 64) - 1)), max_size=6)
RECORDS = st.builds(
    StoredRecord, partition=st.integers(0, 5), offset=NUMBERS, broker_time_ms=NUMBERS,
    key=st.sampled_from([b"", b"t"]), value=st.binary(max_size=20),
)
TEXTS = st.sampled_from(["", "t", "\x1b[2J\n", "a\u202eb"])
KINDS = st.one_of(
    st.builds(lambda **fields: {"round": ArchivedRound(**fields)}, partition=st.integers(0, 5),
              offsets=OFFSETS, copied=st.one_of(st.none(), NUMBERS), table_id=TEXTS,
              round_id=TEXTS, round_number=NUMBERS, gaming_day=TEXTS),
    st.builds(lambda **fields: {"remainder": ArchivedRemainder(**fields)},
              partition=st.integers(0, 5), first=NUMBERS, end=NUMBERS),
    st.builds(lambda name: {"document": ArchivedDocument(name=name)}, st.sampled_from(DOCUMENTS)),
    st.just({}),
)
HELD = st.one_of(
    st.binary(max_size=60),
    st.lists(RECORDS, max_size=5).map(lambda records: b"".join(map(framed, records))),
    st.just(LOG.encode() + b"\n"),
    st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(
            ["format", "at", "by", "reason", "policy", "entries", "id", "release"]), inner))
    ).map(lambda said: json.dumps(said).encode()),
)
LEAVES = st.tuples(KINDS, HELD, st.sampled_from(["there", "gone", "longer", "huge"]))


@MANY
@given(st.lists(LEAVES, max_size=12), st.lists(st.binary(max_size=30), max_size=2))
def test_an_archive_of_any_leaves_that_is_signed(
    leaves: list[tuple[dict[str, object], bytes, str]], junk: list[bytes]
) -> None:
    files, entries = Files({"log.json": f"{LOG}\n".encode()}), list(junk)
    for kind, data, how in leaves:
        length = {"longer": len(data) + 1, "huge": 1 << 60}.get(how, len(data))
        leaf = ArchiveLeaf(sha256=sha256(data).digest(), length=length, **kind)
        entries.append(leaf.SerializeToString())
        name = leaf.sha256.hex()
        if how != "gone":
            files.held[f"leaf/{name[:2]}/{name}.zst"] = zstandard.compress(data)
    seal(files, entries)
    with one_line_and_little_memory():
        verify(files, KEY, [])


def seal(files: Files, entries: list[bytes]) -> None:
    """Fewer entries than a tile has."""
    hashes = [leaf_hash(entry) for entry in entries]
    if entries:
        framed_entries = [len(entry).to_bytes(2, "big") + entry for entry in entries]
        files.held[f"tile/0/000.p/{len(entries)}"] = b"".join(hashes)
        files.held[f"tile/entries/000.p/{len(entries)}"] = b"".join(framed_entries)
    note = Checkpoint(SECRET.name, len(entries), root_of(hashes)).signed(SECRET)
    files.held["checkpoint"] = files.held[f"checkpoints/{len(entries)}"] = note


@MANY
@given(st.integers(0, 1 << 70), st.binary(min_size=32, max_size=32))
def test_a_signed_checkpoint_of_any_size(size: int, root: bytes) -> None:
    note = Checkpoint(SECRET.name, size, root).signed(SECRET)
    files = Files({"log.json": f"{LOG}\n".encode(), "checkpoint": note})
    files.held[f"checkpoints/{size}"] = note
    with one_line_and_little_memory():
        verify(files, KEY, [])


def listed(files: dict[str, bytes]) -> dict[str, bytes]:
    """With a good listing, signed."""
    listing = json.dumps({
        "format": 1, "origin": SECRET.name, "round_id": "r", "table_id": "t", "round_number": 1,
        "made_at": "2026", "made_by": "b",
        "files": {name: sha256(data).hexdigest() for name, data in files.items()},
    }).encode()
    text = f"pitledger.packet/v1\n{SECRET.name}\n{sha256(listing).hexdigest()}\n"
    return {**files, "packet.json": listing, "packet.sig": f"{text}\n{SECRET.sign(text)}".encode()}


@MANY
@given(st.fixed_dictionaries(dict.fromkeys(NAMES[:5], st.binary(max_size=20)),
                             optional=dict.fromkeys(NAMES[5:], st.binary(max_size=60))), st.data())
def test_a_packet_of_any_files_that_is_signed(
    files: dict[str, bytes], data: st.DataObject
) -> None:
    if data.draw(st.booleans()):  # all in one tree of one entry each, so that it goes further
        for name in ("round", "schema", "rules", "log"):
            files |= alone(name, data.draw(KINDS), data.draw(HELD))
    with one_line_and_little_memory():
        verify_packet(zipped(listed(files)), KEY, [])


def alone(name: str, kind: dict[str, object], data: bytes) -> dict[str, bytes]:
    leaf = ArchiveLeaf(sha256=sha256(data).digest(), length=len(data), **kind)
    entry = leaf.SerializeToString()
    note = Checkpoint(SECRET.name, 1, leaf_hash(entry)).signed(SECRET)
    proof = b"c2sp.org/tlog-proof@v1\nindex 0\n\n" + note
    return {f"evidence/{name}.entry": entry, f"evidence/{name}.bytes": data,
            f"evidence/{name}.proof": proof}


@MANY
@given(st.data())
def test_a_packet_with_any_bytes_in_it(data: st.DataObject) -> None:
    files = {name: base64.b64encode(name.encode()) for name in NAMES[:5]}
    put = data.draw(st.one_of(changed(zipped(listed(files))), st.binary(max_size=400)))
    with one_line_and_little_memory():
        verify_packet(put, KEY, [])


@MANY
@given(st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["format", "origin", "round_id", "table_id", "round_number", "made_at", "made_by", "files"]
    ), inner)), st.data())
def test_a_packet_of_any_listing_that_is_signed(said: object, data: st.DataObject) -> None:
    listing = data.draw(st.one_of(st.just(json.dumps(said).encode()), st.binary(max_size=50)))
    text = f"pitledger.packet/v1\n{SECRET.name}\n{sha256(listing).hexdigest()}\n"
    files = {"packet.json": listing, "packet.sig": f"{text}\n{SECRET.sign(text)}".encode()}
    with one_line_and_little_memory():
        verify_packet(zipped(files), KEY, [])
