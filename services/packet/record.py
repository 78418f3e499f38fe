"""A sealed round as it is on record: its transcript, replayed, and what it decided last."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError

from pitledger.journal.record import JournalRecord, Stored, body_name
from pitledger.journal.stored import BadRecords, messages_from, stored_of
from pitledger.pb import decisions_pb2, facts_pb2, rules_pb2
from pitledger.replay import Replay, RoundReport, Step
from services.packet.faults import NoPacket
from services.packet.seen import displayed


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of the round. `record`: as it may be shown; `note`: why it has no effect, or ""."""

    stored: Stored
    record: JournalRecord
    body: str
    is_decision: bool
    note: str


@dataclass(frozen=True, slots=True)
class Record:
    """A round's transcript. `entries`: in the order of the journal."""

    partition: int
    report: RoundReport
    entries: tuple[Entry, ...]
    opened: facts_pb2.RoundOpened
    submission: rules_pb2.RulesSubmission | None

    @property
    def currency(self) -> str:
        return self.opened.currency_code

    @property
    def table_id(self) -> str:
        return self.entries[0].record.table_id

    @property
    def round_id(self) -> str:
        return self.entries[0].record.event_id

    def all(self, *bodies: str) -> Iterator[tuple[Entry, Any]]:
        """Records of these bodies that count, each with its body."""
        for entry in self.entries:
            if entry.body in bodies and not entry.note:
                yield entry, getattr(entry.record, entry.body)

    def last(self, body: str) -> Any | None:
        """The body of the last record of its kind; of several revisions the highest."""
        found = None
        for _, each in self.all(body):
            if found is None or getattr(each, "revision", 0) >= getattr(found, "revision", 0):
                found = each
        return found

    def outcome(self) -> "decisions_pb2.RoundSettled | decisions_pb2.RoundVoided | None":
        return self.last("round_settled") or self.last("round_voided")

    def offset_of(self, event_id: str) -> int | None:
        """Where the record of this id is."""
        return next(
            (e.stored.offset for e in self.entries if e.record.event_id == event_id), None
        )


def read(data: bytes, round_id: str, partitions: int) -> Record:
    """A round's transcript, replayed; `partitions`: of its journal. Raises NoPacket."""
    try:
        stored = [stored_of(message) for message in messages_from(data)]
    except BadRecords as problem:
        raise NoPacket(f"the round's transcript is {problem}") from None
    replay = Replay(partitions, steps_of=round_id)
    for each in stored:
        replay.take(each)
    report = next((r for r in replay.reports() if r.round_id == round_id), None)
    if report is None:
        raise NoPacket("the round's transcript opens no round that this build can read")
    entries = tuple(_entries(replay.steps, report))
    opened = entries[0].record.round_opened
    return Record(report.partition, report, entries, opened, _submission(opened.submission))


def _entries(steps: list[Step], report: RoundReport) -> Iterator[Entry]:
    for step in steps:
        record = displayed(step.record) if step.record is not None else JournalRecord()
        # What this build does not judge is on record all the same: the round was sealed by another.
        note = "" if report.unjudged and step.is_decision else step.note
        yield Entry(step.stored, record, body_name(record), step.is_decision, note)


def _submission(data: bytes) -> rules_pb2.RulesSubmission | None:
    """None: a round may open with bytes that are none; it is voided then."""
    try:
        return displayed(rules_pb2.RulesSubmission.FromString(data))
    except DecodeError:
        return None
