"""A round that no leaf can hold: a document tells of it, and its records lie in remainders."""

from google.protobuf.message import DecodeError

from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.verify.entries import Entry
from services.verify.leaves import check_offsets

NAME = "long-round"
_LONGEST = 4 << 20
"""Bytes of its manifest: of a round of a million records and more."""


def told(entry: Entry, data: bytes) -> Entry:
    """The round that a document tells of, as if the entry were its own. Raises Bad."""
    try:
        manifest = ArchiveLeaf.FromString(data if len(data) <= _LONGEST else b"")
    except DecodeError:
        manifest = ArchiveLeaf()
    if entry.leaf.document.name != NAME or not manifest.HasField("round"):
        entry.bad("is no document that tells of a round")
    round_ = Entry(entry.number, manifest)
    check_offsets(round_)
    return round_
