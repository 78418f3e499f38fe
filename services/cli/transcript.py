"""One round of a journal, found by its name and replayed."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from pitledger.journal.holds import Breach
from pitledger.journal.record import TYPE_OF_BODY, JournalRecord, Stored, partition_of
from pitledger.replay import Difference, Replay, RoundReport, Step
from pitledger.story import game_key, told
from pitledger.words import hold_broken
from services.cli import archived
from services.cli.moments import utc
from services.cli.output import fail
from services.cli.source import Journal, table_named

PREFIX_CHARACTERS_MIN = 8
CANDIDATES_MAX = 20
_OPENED = TYPE_OF_BODY["round_opened"].encode()
_ID_PREFIX = re.compile("[0-9a-f-]{8,36}")
_NUMBER = re.compile("[0-9]{1,20}")
"""A round's number has 64 bits."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """A round's records in order with what each derived, and the verdict."""

    report: RoundReport
    steps: tuple[Step, ...]
    until: int | None
    waits: bool  # what is missing may still come, or came after `until`
    live: bool  # of Kafka: what is missing is written once its processor runs

    @property
    def number(self) -> int:
        return self.report.opened.round_opened.round_number

    @property
    def currency(self) -> str:
        return self.report.opened.round_opened.currency_code

    @property
    def game(self) -> str:
        return game_key(self.report.opened.round_opened.submission)

    def offset_of(self, event_id: str) -> int | None:
        """Where the fact of this id had its effect."""
        for step in self.steps:
            if step.record and step.record.event_id == event_id and not step.note:
                return step.stored.offset
        return None


def find(journal: Journal, name: str, until: int | None, index: Path | None = None) -> Transcript:
    """Replay the round of this name; Failed where none opened, or several did.

    `until`: as of this offset of the round's partition. `index`: where an archive's index lies.
    """
    if journal.archived:
        return _find_archived(journal, name, until, index)
    archived.refuse_index(index)
    candidates = candidates_of(journal, name)
    if len(candidates) > CANDIDATES_MAX:
        fail(f"{name}: begins the ids of {len(candidates)} rounds; give more, or TABLE/NUMBER")
    found = []
    for round_id, key in candidates:
        transcript = _replay(journal, round_id, key, until)
        if transcript is not None:
            found.append(transcript)
    if len(found) > 1:
        names = ", ".join(transcript.report.round_id for transcript in found)
        fail(f"{name}: names {len(found)} rounds: {names}")
    if not found:
        fail(f"{name}: {_why_unknown(journal, candidates, until)}")
    return found[0]


def as_object(transcript: Transcript) -> dict[str, Any]:
    """The transcript as JSON has it; records in protobuf's JSON mapping."""
    report = transcript.report
    return {
        "round_id": report.round_id,
        "table": report.table_id,
        "number": transcript.number,
        "game": transcript.game,
        "state": report.state,
        "partition": report.partition,
        "first_offset": report.first_offset,
        "last_offset": report.last_offset,
        "until": transcript.until,
        "while_held": [_breach_object(breach) for breach in report.breaches],
        "steps": [_step_object(transcript, step) for step in transcript.steps],
        "verdict": {
            "identical": report.identical,
            "derived": report.derived,
            "recorded": report.recorded,
            "missing": [
                {"type": kind_of(decision.body), "question": decision.question}
                for decision in report.missing
            ],
            "unjudged": report.unjudged,
            "difference": _difference_object(report.difference),
        },
    }


def kind_of(body: str) -> str:
    """`HandsEvaluated` of `hands_evaluated`."""
    return TYPE_OF_BODY[body].rpartition(".")[2]


def kind_of_step(step: Step) -> str:
    """What its `ce_type` says, whatever the record holds."""
    said = dict(step.stored.headers).get("ce_type") or b"(no type)"
    return said.decode(errors="replace").rpartition(".")[2]


def candidates_of(journal: Journal, name: str) -> list[tuple[str, bytes]]:
    """Round ids with their tables' keys, of openings that the name fits, opened or not."""
    table, slash, number = name.rpartition("/")
    if slash:
        if not table or not _NUMBER.fullmatch(number):
            fail(f"{name}: found {number!r} after the slash; TABLE/NUMBER names a round")
        partition = partition_of(table_named(table), journal.partitions)
        wanted = (table.encode(), int(number))
        return list(
            dict.fromkeys(
                (_subject(stored), stored.key)
                for stored in journal.records([partition])
                if stored.key == wanted[0] and _is_opening(stored) and _number(stored) == wanted[1]
            )
        )
    prefix = name.lower()
    if not _ID_PREFIX.fullmatch(prefix):
        fail(f"{name}: is neither TABLE/NUMBER nor the first {PREFIX_CHARACTERS_MIN} characters"
             " or more of a round's id")
    start = prefix.encode()
    return list(
        dict.fromkeys(
            (_subject(stored), stored.key)
            for stored in journal.records()
            if _is_opening(stored) and _subject(stored).encode().startswith(start)
        )
    )


def _is_opening(stored: Stored) -> bool:
    return any(name == "ce_type" and value == _OPENED for name, value in stored.headers)


def _subject(stored: Stored) -> str:
    return (dict(stored.headers).get("ce_subject") or b"").decode(errors="replace")


def _number(stored: Stored) -> int:
    from google.protobuf.message import DecodeError

    try:
        return JournalRecord.FromString(stored.value).round_opened.round_number
    except DecodeError:
        return 0


def _find_archived(
    journal: Journal, name: str, until: int | None, path: Path | None
) -> Transcript:
    from services.storage.about_round import records_about
    from services.storage.queries import NotFound

    with archived.index_of(journal.name, path) as index:
        try:
            round_ = index.round(name)
        except NotFound as problem:
            fail(str(problem))
        if round_.gone:
            fail(f"{name}: its bytes are gone; pitledger-verify tells whether they may be")
        records = records_about(archived.store_of(journal.name), index, round_)
    table = round_.table_id
    transcript = replayed(journal, round_.round_id, table, records, until)
    if transcript is None:
        fail(f"{name}: this round was not open yet at offset {until}")
    return transcript


def _replay(journal: Journal, round_id: str, key: bytes, until: int | None) -> Transcript | None:
    """Fold the table's records; None if the round never opened there."""
    table = key.decode(errors="replace")
    records = journal.records([partition_of(table, journal.partitions)])
    return replayed(journal, round_id, table, records, until)


def replayed(
    journal: Journal, round_id: str, table: str, records: Iterable[Stored], until: int | None
) -> Transcript | None:
    replay = Replay(journal.partitions, only_table=table, steps_of=round_id)
    for stored in records:
        if until is not None and stored.offset > until:
            break
        replay.take(stored)
    so_far = _report(replay, round_id, so_far=True)
    whole = _report(replay, round_id, so_far=False)
    if so_far is None or whole is None:
        return None
    waits = until is not None or journal.may_come(whole.derived_at)
    return Transcript(so_far if waits else whole, tuple(replay.steps), until, waits, journal.live)


def _report(replay: Replay, round_id: str, so_far: bool) -> RoundReport | None:
    reports = replay.reports(so_far=so_far)
    return next((report for report in reports if report.round_id == round_id), None)


def _why_unknown(
    journal: Journal, candidates: list[tuple[str, bytes]], until: int | None
) -> str:
    if not candidates:
        return f"no such round in {journal.name}"
    if until is not None:
        return f"this round was not open yet at offset {until}"
    hint = "" if journal.live else f"; or the topic had not {journal.partitions} partitions"
    return f"its RoundOpened had no effect, so that no round began{hint}"


def _step_object(transcript: Transcript, step: Step) -> dict[str, Any]:
    record = step.record
    return {
        "offset": step.stored.offset,
        "broker_time_ms": step.stored.broker_time,
        "occurred_at": utc(record.occurred_at) if record else None,
        "type": kind_of_step(step),
        "decision": step.is_decision,
        "note": step.note,
        "told": list(told(record, transcript.currency)) if record else [],
        "derives": [
            {"type": kind_of(decision.body), "question": decision.question}
            for decision in step.derived
        ],
        "record": MessageToDict(record, preserving_proto_field_name=True) if record else None,
    }


def _breach_object(breach: Breach) -> dict[str, Any]:
    return {
        "what": breach.what,
        "event_id": breach.event_id,
        "holds": [hold.event_id for hold in breach.holds],
        "text": hold_broken(breach),
    }


def _difference_object(difference: Difference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    return {
        "text": difference.text,
        "offset": difference.offset,
        "derived": difference.derived.hex() if difference.derived is not None else None,
        "recorded": difference.recorded.hex() if difference.recorded is not None else None,
    }
