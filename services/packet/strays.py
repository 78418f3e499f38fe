"""Records that name a round and are in no transcript: they lie in the archive's remainders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from pitledger.journal.record import JournalRecord, Stored
from pitledger.journal.stored import BadRecords, messages_from, stored_of
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


def strays_of(sealed: Sealed, entries: Iterable[int], round_id: str) -> Iterator[Stray]:
    """Those in these entries. Raises BadArchive, NoPacket, StoreError."""
    wanted = round_id.encode()
    for index in entries:
        leaf, data = sealed.leaf(index)
        if not leaf.HasField("remainder"):
            continue
        try:
            for message in messages_from(data):
                stored = stored_of(message)
                attributes = dict(stored.headers)
                if attributes.get("ce_subject") == wanted:
                    kind = (attributes.get("ce_type") or b"(no type)").decode(errors="replace")
                    yield Stray(index, stored, kind.rpartition(".")[2], parsed(stored.value))
        except BadRecords as problem:
            raise NoPacket(f"entry {index} is {problem}") from None


def parsed(value: bytes) -> JournalRecord | None:
    """As it may be shown; None: its bytes are none."""
    try:
        return displayed(JournalRecord.FromString(value))
    except DecodeError:
        return None
