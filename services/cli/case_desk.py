"""The desk's side of a case: one table of Kafka's journal, folded; a fact tried, then written."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from services.cli.desk import append
from services.cli.output import fail
from services.cli.untrimmed import open_whole

if TYPE_CHECKING:
    from pitledger.cases.case import Case, Proposal
    from pitledger.cases.circles import OnCircle
    from pitledger.cases.fold import TableCases
    from pitledger.cases.journal import Cases
    from pitledger.cases.settlement import Known
    from pitledger.journal.record import JournalRecord, Stored
    from pitledger.pb.cases_pb2 import CaseAnswered
    from pitledger.pb.facts_pb2 import AdjustmentProposed
    from services.cli.sealed_cases import SealedCases
    from services.cli.source import Journal

PREFIX_MIN = 8


@dataclass(slots=True)
class CaseDesk:
    """A table's cases as Kafka's journal has them, read up to `next` of the table's partition.

    `sealed`: what an archive has of them; None: `journal` has all.
    """

    journal: "Journal"
    sealed: "SealedCases | None"
    table_id: str
    partition: int
    cases: "Cases"
    written: dict[str, "Stored"]
    """Case facts and holds of the table by event id."""
    newest_day: str = ""
    """The gaming day of the partition's newest RoundOpened."""
    newest_ms: int = 0
    next: int = 0

    @classmethod
    def of_round(cls, name: str) -> tuple["CaseDesk", str]:
        """The desk of a round's table, and the round's id. Failed where no such round opened."""
        from services.cli.transcript import candidates_of

        journal, sealed = _opened()
        found = candidates_of(journal, name)
        if sealed is not None:
            found = list(dict.fromkeys([*sealed.rounds_named(name), *found]))
        if not found:
            fail(f"{name}: no such round in {journal.name}")
        if len(found) > 1:
            fail(f"{name}: begins the ids of {len(found)} rounds; give more, or TABLE/NUMBER")
        [(round_id, key)] = found
        return cls._read(journal, sealed, key.decode(errors="replace")), round_id

    @classmethod
    def of_case(cls, name: str) -> tuple["CaseDesk", "Case"]:
        """The desk of a case's table, and the case. Failed where no such case was opened."""
        journal, sealed = _opened()
        found = _named(journal, sealed, name, "ce_subject")
        case_id, table_id = the_one(found, name, "case", journal.name)
        desk = cls._read(journal, sealed, table_id)
        return desk, desk.table.cases[case_id]

    @classmethod
    def of_proposal(cls, name: str) -> tuple["CaseDesk", "Case", "Proposal"]:
        """As `of_case`, by the id of an adjustment that was proposed in it."""
        journal, sealed = _opened()
        found = _named(journal, sealed, name, "ce_id")
        proposal_id, table_id = the_one(found, name, "proposal", journal.name)
        desk = cls._read(journal, sealed, table_id)
        cases = (one for one in desk.table.cases.values() if proposal_id in one.proposals)
        case = next(cases, None)
        if case is None:
            fail(f"{name}: is of a case that was never opened")
        return desk, case, case.proposals[proposal_id]

    @property
    def table(self) -> "TableCases":
        from pitledger.cases.fold import TableCases

        return self.cases.tables.get(self.table_id) or TableCases(self.table_id, self.cases.rounds)

    def round(self, round_id: str) -> "Known":
        """Failed where its RoundOpened had no effect."""
        known = self.cases.rounds.of(self.table_id, round_id)
        if known is None:
            fail(f"{round_id}: its RoundOpened had no effect, so that no round began")
        return known

    def write(
        self, record: "JournalRecord", look: Callable[[], None] | None = None
    ) -> tuple[str, "CaseAnswered | None"]:
        """Append a fact, unless it is there; where it lies, and its answer as the facts derive it.

        A fact of a case that would be refused as things stand is not written: Failed says why, as
        `look` may for what is to be written. So it does where another desk was quicker, and the
        fact lies there refused.
        """
        from pitledger.case_words import refusal
        from pitledger.journal.record import serialize

        if record.event_id not in self.written:
            self.try_(record)
            if look is not None:
                look()
            assert self.journal.connection is not None
            self._go_on(
                append(self.journal.connection, self.partition, record), record.event_id
            )
        first = self.written[record.event_id]
        if first.value != serialize(record):
            fail(f"--id {record.event_id}: is on the journal with another content")
        where, answer = f"{self.partition}:{first.offset}", self.answer(record.event_id)
        if answer is not None and answer.refusal:
            why = refusal(answer.refusal)
            fail(f"{where}: is written, and changes nothing: {why}{self._stands(record)}")
        return where, answer

    def answer(self, fact_id: str) -> "CaseAnswered | None":
        for case in self.table.cases.values():
            for entry in case.entries:
                if entry.fact.record.event_id == fact_id:
                    return entry.answer
        return None

    def circle(self, case: "Case", asked: "AdjustmentProposed") -> "OnCircle":
        """What all cases moved, or would move, on the circle of a plain adjustment."""
        from pitledger.cases.circles import OnCircle, circles_of, key_of

        return circles_of([self.table]).get(key_of(case.round_id, asked)) or OnCircle(0)

    def _stands(self, record: "JournalRecord") -> str:
        """What was decided before a fact that was refused."""
        from pitledger.case_words import finding, paid

        case = self.table.cases[record.case_id]
        if record.HasField("dispute_resolved") and case.resolved:
            before = case.resolved.fact.record
            found = finding(before.dispute_resolved.finding)
            return f", by {before.actor}, finding: {found}"
        decides = record.adjustment_approved.proposal_event_id
        decides = decides or record.adjustment_declined.proposal_event_id
        proposal = case.proposals.get(decides)
        if proposal is None or proposal.decided is None:
            return ""
        by, posting = proposal.decided.fact.record.actor, proposal.posting
        if posting is None:
            return f", by {by}"
        moved = paid(posting.positions_net_minor, posting.currency_code)
        return f", by {by}, and posted: {moved}"

    def try_(self, record: "JournalRecord") -> None:
        """Failed if the fact would be refused as things stand: by the same fold, on a copy."""
        import copy

        from pitledger.case_words import refusal
        from pitledger.cases.fold import is_case_fact
        from pitledger.cases.journal import case_fact
        from pitledger.journal.record import JournalRecord, Stored, headers_of, serialize
        from pitledger.journal.vocabulary import as_fact

        value = serialize(record)
        if not is_case_fact(record, record.WhichOneof("body") or ""):
            return
        at_ms = max(record.occurred_at // 1000, self.newest_ms)
        stored = Stored(self.partition, self.next, at_ms, b"", headers_of(record), value)
        fact = case_fact(stored, as_fact(record, value))
        shared = {id(self.cases.rounds): self.cases.rounds}
        for concluded in copy.deepcopy(self.table, shared).fact(fact):
            answer = JournalRecord.FromString(concluded.value).case_answered
            if answer.refusal:
                fail(f"nothing is written: {refusal(answer.refusal)}")

    def _go_on(self, offset: int, event_id: str) -> None:
        """Read on, past what was written."""
        from pitledger.sources.connection import ConnectionFailed
        from pitledger.sources.kafka import HoleInJournal, read_topic

        assert self.journal.connection is not None
        start, why = self.next, ""
        records = read_topic(
            self.journal.connection,
            [self.partition],
            lambda _consumer, tps: dict.fromkeys(tps, start),
        )
        try:
            for stored in records:
                self._take(stored)
        except (ConnectionFailed, HoleInJournal) as problem:
            why = f" ({problem})"
        if self.next <= offset:
            fail(
                f"{self.partition}:{offset}: is written, and could not be read back{why}; the same"
                f" again, with --id {event_id}, says what became of it"
            )

    @classmethod
    def _read(
        cls, journal: "Journal", sealed: "SealedCases | None", table_id: str
    ) -> "CaseDesk":
        from pitledger.cases.journal import Cases, Spoken
        from pitledger.cases.settlement import RoundsInMemory
        from pitledger.journal.record import partition_of

        partition = partition_of(table_id, journal.partitions)
        rounds = sealed.rounds if sealed else RoundsInMemory()
        cases = Cases(journal.partitions, Spoken(frozenset((table_id,)), None), rounds)
        desk = cls(journal, sealed, table_id, partition, cases, {})
        if sealed is not None:
            for stored in sealed.fold(cases, [table_id]):
                desk._note(stored)
            desk.next, desk.newest_day, desk.newest_ms = sealed.last_of(partition)
            records = sealed.records(cases, [partition])
        else:
            records = journal.records([partition])
        for stored in records:
            desk._take(stored)
        return desk

    def _take(self, stored: "Stored") -> None:
        from pitledger.journal.record import TYPE_BYTES
        from services.cli.sealed_cases import take

        take(self.cases, stored)
        self.next, self.newest_ms = stored.offset + 1, max(self.newest_ms, stored.broker_time)
        if dict(stored.headers).get("ce_type") == TYPE_BYTES["round_opened"]:
            self.newest_day = _gaming_day(stored) or self.newest_day
        self._note(stored)

    def _note(self, stored: "Stored") -> None:
        """What a person wrote."""
        from pitledger.cases.journal import FACT_TYPES
        from pitledger.journal.record import TYPE_BYTES

        attributes = dict(stored.headers)
        kind = attributes.get("ce_type")
        wanted = {*FACT_TYPES, TYPE_BYTES["table_held"], TYPE_BYTES["table_released"]}
        if kind in wanted and stored.key == self.table_id.encode():
            self.written.setdefault((attributes.get("ce_id") or b"").decode(), stored)


def _opened() -> tuple["Journal", "SealedCases | None"]:
    """Kafka's journal; or what lies behind an archive, and what that has of cases."""
    from services.cli.sealed_cases import sealed_cases

    journal = open_whole("kafka", None)
    sealed = sealed_cases(journal)
    return (sealed.behind if sealed else journal), sealed


def _named(
    journal: "Journal", sealed: "SealedCases | None", name: str, header: str
) -> Iterator[tuple[str, str]]:
    """Ids of cases (`ce_subject`) or of proposals (`ce_id`) that begin so, with their tables."""
    from pitledger.journal.record import TYPE_BYTES

    body = "dispute_opened" if header == "ce_subject" else "adjustment_proposed"
    start = name.lower().encode()
    if len(start) < PREFIX_MIN:
        fail(f"{name}: give the first {PREFIX_MIN} characters of the id or more")
    if sealed is not None:
        column = "case_id" if header == "ce_subject" else "event_id"
        yield from sealed.named(column, body, name.lower())
    for stored in journal.records():
        attributes = dict(stored.headers)
        found = attributes.get(header) or b""
        if attributes.get("ce_type") == TYPE_BYTES[body] and found.startswith(start):
            yield found.decode(errors="replace"), stored.key.decode(errors="replace")


def the_one(
    found: Iterator[tuple[str, str]], name: str, what: str, where: str
) -> tuple[str, str]:
    """The one id that a name begins, with its table; Failed where none or several are."""
    distinct = dict.fromkeys(found)
    if not distinct:
        fail(f"{name}: no such {what} in {where}")
    if len(distinct) > 1:
        fail(f"{name}: names {len(distinct)}: {', '.join(each for each, _ in distinct)}")
    return next(iter(distinct))


def _gaming_day(stored: "Stored") -> str:
    from google.protobuf.message import DecodeError

    from pitledger.journal.record import JournalRecord

    try:
        return JournalRecord.FromString(stored.value).round_opened.gaming_day
    except DecodeError:
        return ""


def as_json_of(answer: "CaseAnswered | None") -> dict[str, Any] | None:
    """An answer in protobuf's JSON mapping; None: its settlement is not on record yet."""
    from google.protobuf.json_format import MessageToDict

    return MessageToDict(answer, preserving_proto_field_name=True) if answer else None
