"""A packet, from an archive to the bytes of a zip. What does not verify is not handed out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from pitledger import words
from pitledger.archive.deletions import NAME as DELETION
from pitledger.archive.deletions import Deleted, Deletion
from pitledger.archive.note import PublicKey, SecretKey
from pitledger.archive.store import BadArchive, Store
from pitledger.journal.record import JournalRecord
from pitledger.journal.stored import messages_from, to_bytes
from services.packet.bundle import Subject, packed
from services.packet.case_records import case_file
from services.packet.compose import Build, Making, account_of
from services.packet.evidence import Piece, Sealed
from services.packet.faults import NoPacket
from services.packet.page import page
from services.packet.paper import paper
from services.packet.readme import readme
from services.packet.record import Record, read
from services.packet.signing import check_signer, statement_files
from services.packet.strays import strays_of
from services.storage.index import Index
from services.storage.indexed import IndexedBuild, IndexedRound
from services.storage.queries import NotFound

_DOCUMENTS = ("schema", "rules", "log")


@dataclass(frozen=True, slots=True)
class Packet:
    """`identical`: whether the round's decisions were derived again as they are on record."""

    round_id: str
    table_id: str
    round_number: int
    data: bytes
    identical: bool


def make_packet(
    store: Store,
    index: Index,
    name: str,
    key: SecretKey,
    log_key: PublicKey | None,
    made_at_us: int,
    made_by: str,
) -> Packet:
    """`name`: of the round, as Index.round has it. `made_at_us`: microseconds since 1970.

    Raises NoPacket, BadArchive, StoreError.
    """
    sealed = Sealed.open(store)
    check_signer(sealed, key, log_key)
    try:
        found = index.round(name)
    except NotFound as problem:
        raise NoPacket(f"{problem}{_sealed_until(index)}") from None
    deleted = _deleted(sealed, index, found)
    round_ = _round(sealed, found)
    pieces = [round_, *_documents(sealed, index, round_)]
    record = read(round_.data, found.round_id, sealed.about.partitions)
    transcript = [entry.stored for entry in record.entries]
    about = index.cases(found.round_id)
    cases = case_file(
        sealed,
        [case for case in about if case.entry not in deleted],
        [hold for hold in index.holds(found.table_id) if hold.entry not in deleted],
        transcript,
        found.round_id,
    )
    strays = index.strays(found.round_id)
    kept = [entry for entry in strays if entry not in deleted]
    builds = index.builds(found.sealed_at_ms + 1)
    making = Making(
        made_at_us=made_at_us,
        made_by=made_by,
        key_name=key.name,
        origin=sealed.about.origin,
        entry=found.entry,
        leaf_sha256=found.sha256,
        size=sealed.checkpoint.size,
        root=sealed.checkpoint.root,
        signers=tuple(s.name for s in sealed.signed.note.signatures),
        builds=_last_starts(builds),
        strays=tuple(strays_of(sealed, kept, round_.leaf.round)),
        cases=cases,
        gone=len({entry for entry in (*strays, *(c.entry for c in about)) if entry in deleted}),
    )
    account = account_of(record, making)
    evidence = {n: data for piece in (*pieces, *cases.pieces) for n, data in piece.files()}
    if cases.records:
        of_cases = b"".join(to_bytes(case.stored) for case in cases.records)
        evidence["evidence/cases.records"] = of_cases
    subject = _subject(sealed, record, made_at_us, made_by)
    files = {
        "README.txt": readme(subject, making, is_long=bool(round_.told)),
        "account.html": page(account),
        "account.pdf": paper(account),
        **evidence,
        "evidence/builds.json": _builds_json(builds),
        **statement_files(store),
    }
    identical = record.report.identical
    return Packet(subject.round_id, subject.table_id, subject.round_number,
                  packed(subject, files, key), identical)


def _sealed_until(index: Index) -> str:
    last = next(iter(index.rounds(last=1)), None)
    if last is None:
        return ""
    until = words.moment(last.sealed_at_ms * 1000)
    return f" (the newest round here was sealed until {until}; pitledger doctor says what waits)"


def _deleted(sealed: Sealed, index: Index, found: IndexedRound) -> Deleted:
    """Entries whose bytes are gone for good. Raises NoPacket where the round's are."""
    deletions = []
    for entry, _, _ in index.documents(DELETION):
        if entry < sealed.checkpoint.size:
            deletion = Deletion.parse(sealed.leaf(entry)[1])
            if found.entry in Deleted([deletion]):
                said = f"at {deletion.at} by {deletion.by}: {deletion.reason}"
                raise NoPacket(f"round {found.round_id}: its transcript was deleted {said}")
            deletions.append(deletion)
    return Deleted(deletions)


def _round(sealed: Sealed, found: IndexedRound) -> Piece:
    """The index is no evidence: what it says is held against the entry."""
    piece = sealed.round(found.entry)
    own = piece.leaf.round
    if (own.round_id, own.table_id, own.round_number) != (
        found.round_id, found.table_id, found.number,
    ):
        raise BadArchive(f"entry {found.entry}: is not the round that the index says; delete it")
    return piece


def _documents(sealed: Sealed, index: Index, round_: Piece) -> list[Piece]:
    pieces = []
    for name in _DOCUMENTS:
        there = [each for each in index.documents(name) if each[0] < sealed.checkpoint.size]
        if name == "rules":
            digest = _rules_digest(round_)
            there = [each for each in there if each[1] == digest]
        if not there:
            raise BadArchive(f"it has no document “{name}” for this round")
        pieces.append(sealed.piece(name, there[-1][0]))
    return pieces


def _rules_digest(round_: Piece) -> bytes:
    first = next(messages_from(round_.data))
    return sha256(JournalRecord.FromString(first.value).round_opened.submission).digest()


def _last_starts(builds: Sequence[IndexedBuild]) -> tuple[Build, ...]:
    last = {build.processor: build for build in builds}
    return tuple(
        Build(b.broker_time_ms, b.processor, b.build, b.instance)
        for _, b in sorted(last.items())
    )


def _builds_json(builds: Sequence[IndexedBuild]) -> bytes:
    found = [
        {
            "entry": b.entry,
            "partition": b.partition,
            "offset": b.offset,
            "broker_time_ms": b.broker_time_ms,
            "processor": b.processor,
            "build": b.build,
            "instance": b.instance,
        }
        for b in builds
    ]
    return (json.dumps(found, indent=1) + "\n").encode()


def _subject(sealed: Sealed, record: Record, made_at_us: int, made_by: str) -> Subject:
    opened = record.report.opened
    made = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=made_at_us)
    return Subject(
        origin=sealed.about.origin,
        round_id=opened.event_id,
        table_id=opened.table_id,
        round_number=opened.round_opened.round_number,
        made_at=made.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        made_by=made_by,
    )
