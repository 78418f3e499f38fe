"""The cases in a packet: their records are in the log, and they are about its round."""

from collections.abc import Iterable, Iterator
from itertools import islice

from google.protobuf.message import DecodeError

from pitledger.pb.journal_pb2 import JournalRecord
from pitledger.pb.log_pb2 import StoredRecord
from services.verify.faults import Bad
from services.verify.leaves import messages_of
from services.verify.wire import parsed

NAME = "evidence/cases.records"
RECORDS_MAX = 100_000


def check_cases(data: bytes, proved: Iterable[bytes], round_id: str) -> int:
    """How many records there are. `proved`: those that lie in entries of the log. Raises Bad."""
    messages = list(islice(_messages(data), RECORDS_MAX + 1))
    if len(messages) > RECORDS_MAX:
        raise Bad(f"{NAME}: holds more than {RECORDS_MAX} records")
    there = set(messages).intersection(proved)
    held = {record.dispute_held.held_id for record in map(_record, messages) if record} - {""}
    all_, about = set[str](), set[str]()
    for number, message in enumerate(messages, 1):
        record = _record(message)
        if message not in there:
            raise Bad(f"{NAME}: its record {number} is in no entry that is proved here")
        if record is None or not (record.case_id or _hold_of(record) in held):
            raise Bad(f"{NAME}: its record {number} is of no case")
        all_.update({record.case_id} - {""})
        if _spoken_of(record) == round_id:
            about.add(record.case_id)
    for case_id in sorted(all_ - about):
        raise Bad(f"{NAME}: case {case_id} is about another round")
    return len(messages)


def _messages(data: bytes) -> Iterator[bytes]:
    try:
        yield from messages_of(data)
    except ValueError as problem:
        raise Bad(f"{NAME}: is {problem}") from None


def _record(message: bytes) -> JournalRecord | None:
    try:
        return parsed(JournalRecord, parsed(StoredRecord, message).value)
    except DecodeError:
        return None


def _hold_of(record: JournalRecord) -> str:
    """The hold of a table that a record is, or that it releases."""
    return record.event_id if record.HasField("table_held") else record.table_released.held_id


def _spoken_of(record: JournalRecord) -> str:
    """The round of the settlement that a record names; nothing where it names the case alone."""
    body = getattr(record, record.WhichOneof("body") or "", None)
    settlement = getattr(body, "settlement", None)
    return settlement.round_id if settlement is not None else ""
