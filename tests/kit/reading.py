"""What the facts of a log derive, read for assertions."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from pitledger.derive import TableFold
from pitledger.journal.record import DECISION_TYPES, JournalRecord, Stored
from pitledger.journal.vocabulary import NotAFact, read_fact
from pitledger.pb import decisions_pb2 as pb
from pitledger.processors.chain import Decision
from tests.kit.log import Log
from tests.kit.table import Table


@dataclass(slots=True)
class Reading:
    """All that a log's facts derive, table by table."""

    decisions: list[Decision] = field(default_factory=list)
    no_effect: dict[str, list[str]] = field(default_factory=dict)  # event id -> reasons
    not_facts: list[str] = field(default_factory=list)
    stuck: list[tuple[str, str]] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)
    ended: list[str] = field(default_factory=list)

    def bodies(self, body: str, round_id: str = "") -> list:
        return [
            getattr(JournalRecord.FromString(d.value), body)
            for d in self.decisions
            if d.body == body and round_id in ("", d.round_id)
        ]

    def names(self, round_id: str = "") -> list[str]:
        """Bodies of all decisions but answers, in the order derived."""
        of_round = [d for d in self.decisions if round_id in ("", d.round_id)]
        return [d.body for d in of_round if d.body != "request_answered"]

    def answer(self, event_id: str) -> pb.RequestAnswered:
        records = [JournalRecord.FromString(d.value) for d in self.decisions]
        found = [
            r.request_answered
            for r in records
            if r.causation_id == event_id and r.HasField("request_answered")
        ]
        assert len(found) == 1, f"{len(found)} answers"
        return found[0]

    def refusals(self, event_id: str) -> list[str]:
        """Names of the refusals, "" for each item that was accepted."""
        names = [pb.Refusal.Name(item.refusal) for item in self.answer(event_id).answers]
        return [name.removeprefix("REFUSAL_").replace("UNSPECIFIED", "") for name in names]

    def outcomes(self, round_id: str = "") -> list[str]:
        return [n for n in self.names(round_id) if n in ("round_settled", "round_voided")]

    def breaches(self) -> list[str]:
        """Of the last DealIrregular."""
        last = self.bodies("deal_irregular")[-1]
        return [pb.BreachKind.Name(b.kind).removeprefix("BREACH_KIND_") for b in last.breaches]

    def refunds(self) -> Counter:
        """(position, kind) -> stake, of the RoundVoided; each line returns just its stake."""
        [voided] = self.bodies("round_voided")
        assert all(line.returned_minor == line.stake_minor for line in voided.lines)
        return Counter({(line.position, line.kind): line.stake_minor for line in voided.lines})


def read(source: Table | Log | Iterable[Stored]) -> Reading:
    """Fold every fact with the real `derive`."""
    if isinstance(source, Table):
        source = source.log
    partitions = source.partitions if isinstance(source, Log) else 4
    records = source.all() if isinstance(source, Log) else source
    reading = Reading()
    folds: dict[str, TableFold] = {}
    for stored in records:
        _take(reading, folds, partitions, stored)
    return reading


def _take(
    reading: Reading, folds: dict[str, TableFold], partitions: int, stored: Stored
) -> None:
    attributes = {name: value or b"" for name, value in stored.headers}
    if attributes.get("ce_type") in DECISION_TYPES:
        return
    try:
        fact = read_fact(
            stored.partition, partitions, stored.key or b"", attributes, stored.value or b"")
    except NotAFact as problem:
        reading.not_facts.append(str(problem))
        return
    record = fact.record
    fold = folds.setdefault(record.table_id, TableFold())
    derived = fold.fact(stored.offset, fact, stored.broker_time)
    reading.decisions += derived.decisions
    reading.stuck += derived.stuck
    if derived.not_a_fact:
        reading.not_facts.append(derived.not_a_fact)
    if derived.no_effect:
        reading.no_effect.setdefault(record.event_id, []).append(derived.no_effect)
    if derived.opened:
        reading.opened.append(derived.opened)
    if derived.ended:
        reading.ended.append(derived.ended)
