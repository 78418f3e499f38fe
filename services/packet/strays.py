"""Records that name a round and are in no transcript: they lie in the archive's remainders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from pitledger.archive.leaves import offsets_of
from pitledger.journal.record import JournalRecord, Stored
from pitledger.journal.stored import BadRecords, messages_from, stored_of
from pitledger.pb.archive_pb2 import ArchivedRound
from services.packet.evidence import Sealed
from services.packet.faults import NoPacket
from services.packet.seen import displayed


@dataclass(frozen=True, slots=True)
class Stray:
    """`index`: the entry that it is sealed in. `record`: None, its bytes are none."""

    index: int
    stored: Stored
    kind: str
    record: JournalRecord | None


def strays_of(sealed: Sealed, entries: Iterable[int], round_: ArchivedRound) -> Iterator[Stray]:
    """Those in these entries. Raises BadArchive, NoPacket, StoreError."""
    wanted, own = round_.round_id.encode(), set(offsets_of(round_))
    for index in entries:
        leaf, data = sealed.leaf(index)
        if not leaf.HasField("remainder"):
            continue
        try:
            for message in messages_from(data):
                stored = stored_of(message)
                attributes = dict(stored.headers)
                # Of a round too long for a leaf its own records lie there as well.
                if attributes.get("ce_subject") == wanted and not _is_own(stored, round_, own):
                    kind = (attributes.get("ce_type") or b"(no type)").decode(errors="replace")
                    yield Stray(index, stored, kind.rpartition(".")[2], parsed(stored.value))
        except BadRecords as problem:
            raise NoPacket(f"entry {index} is {problem}") from None


def _is_own(stored: Stored, round_: ArchivedRound, own: set[int]) -> bool:
    return stored.partition == round_.partition and stored.offset in own


def parsed(value: bytes) -> JournalRecord | None:
    """As it may be shown; None: its bytes are none."""
    try:
        return displayed(JournalRecord.FromString(value))
    except DecodeError:
        return None
