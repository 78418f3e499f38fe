"""JSON that anybody may have laid into an archive is refused in one line, whatever it is."""

import json
from hashlib import sha256

import pytest

from pitledger.archive import holds
from pitledger.archive.deletions import Deletion
from pitledger.archive.log import About, LogWriter
from pitledger.archive.said import LONGEST
from pitledger.archive.saved_positions import POSITIONS, read_positions
from pitledger.archive.store import BadArchive
from services.archivist.sealing import Sealing
from services.cli.new_key import new_key
from services.storage.folder import Folder
from services.storage.lease import LEASE_S, _holder

ABOUT = About("casino.example/floor", "test.journal", 48)
DEEP = [b"[" * 200_000, b'{"id":' * 200_000]
DIGITS = b'{"format": 1, "partitions": %s, "size": %s}' % (b"1" * 5000, b"1" * 5000)
NEVER = [*DEEP, DIGITS, b"", b"\xff", b"null", b"[]", b"1e999", b'"' + b"x" * (17 << 20) + b'"']


def said(**more):
    """Infinity in the place of numbers."""
    return json.dumps({"format": 1, **more}).encode()


@pytest.mark.parametrize("data", [
    *NEVER, said(origin="a", topic="b", partitions=float("inf")),
    said(origin="x" * LONGEST, topic="b", partitions=1),
])  # fmt: skip
def test_what_is_no_log_json_is_refused(data):
    with pytest.raises(BadArchive):
        About.parse(data)


@pytest.mark.parametrize("data", [
    *NEVER, said(id="a", at="b", by="c", reason="x" * LONGEST, hold={"table": "t"})
])  # fmt: skip
def test_what_is_no_hold_is_refused(data):
    with pytest.raises(BadArchive):
        holds.Statement.parse(data)


@pytest.mark.parametrize("data", [
    *NEVER,
    said(at="a", by="b", reason="c", policy="d", entries=[[0, float("inf")]]),
    said(at="a", by="b", reason="c", policy="d", entries=[], years=float("inf")),
])  # fmt: skip
def test_what_is_no_deletion_is_refused(data):
    with pytest.raises(BadArchive):
        Deletion.parse(data)


@pytest.mark.parametrize("data", [*NEVER, said(size=float("inf"))])
def test_what_are_no_positions_of_a_writer_counts_for_nothing(tmp_path, data):
    store = Folder(tmp_path)
    store.write(POSITIONS, sha256(data).hexdigest().encode() + b"\n" + data)
    store.sync()
    assert not list(read_positions(store, 0).items())


@pytest.mark.parametrize("data", NEVER)
def test_what_names_no_holder_of_a_lock_is_waited_for_as_for_our_own_kind(data):
    assert _holder(data).lease_s == LEASE_S


@pytest.mark.parametrize("data", NEVER)
def test_a_file_among_the_holds_that_is_none_stops_no_sealing(tmp_path, data):
    store = Folder(tmp_path)
    store.write("holds/a.json", data)
    store.write("holds/b.json", said(id="b", at="", by="", reason="", hold={"table": "t"}))
    store.sync()
    writer = LogWriter(store, new_key(ABOUT.origin), ABOUT)
    for sealing in (Sealing(writer, ABOUT.partitions), Sealing(writer, ABOUT.partitions)):
        sealing.seal()
    [good] = holds.unsealed(store, ())
    assert good.data == store.read("holds/b.json")
