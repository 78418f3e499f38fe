"""A packet: one round, and what proves it, in a zip."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pitledger.pb.facts_pb2 import RoundOpened
from services.verify import cases, long_rounds
from services.verify.about import About
from services.verify.cases import check_cases
from services.verify.documents import is_schema
from services.verify.entries import Entry
from services.verify.faults import Bad, BadInput
from services.verify.keys import Keys
from services.verify.leaves import (
    check_offsets,
    check_round,
    check_span,
    messages_of,
    of_remainder,
    records_of,
)
from services.verify.listing import LISTING, SIGNATURE, Listing, check_signed, signer_of
from services.verify.note import LONGEST, Checkpoint, Key
from services.verify.proofs import Proof
from services.verify.signed import check_witnesses, checked
from services.verify.tree import is_included, leaf_hash
from services.verify.zipped import read_zip

_PLAIN = {"README.txt", "account.html", "account.pdf", LISTING, SIGNATURE}
_LONG = (".bytes", "round.manifest", "cases.records", "builds.json")
_NAMES = re.compile(
    r"evidence/((round|schema|rules|log|case-[1-9][0-9]{0,3})\.(entry|bytes|proof)"
    r"|round\.manifest|cases\.records|builds\.json|keys/[0-9a-f]{64})"
)


@dataclass(frozen=True, slots=True)
class PacketReport:
    """What was verified. `entry`: the round's number in a log of `size`. `cases`: records."""

    listing: Listing
    signer: Key
    gaming_day: str
    entry: int
    checkpoint: Checkpoint
    records: int
    cases: int


def verify_packet(data: bytes, given: Key, witnesses: Sequence[Key]) -> PacketReport:
    """Raises Bad with the first thing that is wrong, BadInput where there is nothing to verify."""
    files = read_zip(data, _is_known)
    for name, held in files.items():
        if len(held) > LONGEST and not _is_long(name):
            raise Bad(f"{name}: is longer than {LONGEST} bytes")
    for name in (SIGNATURE, LISTING):
        if name not in files:
            raise Bad(f"{name}: is missing from the packet")
    keys = Keys.of(given, _statements(files))
    signer = signer_of(files, keys)
    listing = Listing.parse(files[LISTING])
    check_signed(files, listing.origin)
    listing.check_files(files)
    for name in sorted(_PLAIN - files.keys()):
        raise Bad(f"{name}: is missing from the packet")
    evidence = _Evidence.of(files, keys, listing.origin)
    keys.check(listing.origin)
    if signer != keys.in_force and not evidence.checkpoint.note.by(keys.in_force):
        raise Bad(
            f"evidence/round.proof: {keys.in_force.handle} signed neither this checkpoint nor the"
            " packet, and no other key can any more"
        )
    check_witnesses("evidence/round.proof", evidence.checkpoint.note, witnesses)
    entry, opened, records = _round(evidence, listing)
    _explained(evidence, entry, opened)
    return PacketReport(
        listing=listing,
        signer=signer,
        gaming_day=entry.leaf.round.gaming_day,
        entry=entry.number,
        checkpoint=evidence.checkpoint,
        records=records,
        cases=check_cases(files.get(cases.NAME, b""), _proved(evidence), listing.round_id),
    )


def _is_known(name: str) -> bool:
    return name in _PLAIN or _NAMES.fullmatch(name) is not None


def _is_long(name: str) -> bool:
    """Whether it may be: others are looked into whole, which takes many times as many bytes."""
    return name in _PLAIN - {LISTING, SIGNATURE} or name.endswith(_LONG)


def _statements(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {name: data for name, data in files.items() if name.startswith("evidence/keys/")}


@dataclass(frozen=True, slots=True)
class _Evidence:
    """Entries of the log, all under one checkpoint."""

    files: Mapping[str, bytes]
    checkpoint: Checkpoint
    note: bytes

    @classmethod
    def of(cls, files: Mapping[str, bytes], keys: Keys, origin: str) -> "_Evidence":
        """Under the checkpoint of the round's proof. Raises Bad, BadInput."""
        name = "evidence/round.proof"
        note = Proof.parse(name, _file(files, name)).checkpoint
        checkpoint = checked(name, note, keys)
        if checkpoint.origin != origin:
            raise BadInput(f"{name}: is of {checkpoint.origin}, and {LISTING} of {origin}")
        return cls(files, checkpoint, note)

    def round(self) -> tuple[Entry, bytes]:
        """The round's entry; of one too long for a leaf as the document has it. Raises Bad."""
        name = "evidence/round.manifest"
        if name not in self.files:
            return self.piece("round", "round")
        document, data = self.piece("round", "document", "manifest")
        return self._with_bytes("evidence/round.bytes", long_rounds.told(document, data))

    def piece(self, what: str, kind: str, bytes_: str = "bytes") -> tuple[Entry, bytes]:
        """One entry, proved to be in the log, with its bytes. Raises Bad."""
        name = f"evidence/{what}"
        proof = Proof.parse(f"{name}.proof", _file(self.files, f"{name}.proof"))
        if proof.checkpoint != self.note:
            raise Bad(f"{name}.proof: is under another checkpoint than evidence/round.proof")
        data, checkpoint = _file(self.files, f"{name}.entry"), self.checkpoint
        hash_ = leaf_hash(data)
        if not is_included(hash_, proof.index, checkpoint.size, checkpoint.root, proof.hashes):
            raise Bad(f"{name}.proof: does not prove that {name}.entry is in the log")
        entry, held = self._with_bytes(f"{name}.{bytes_}", Entry.parse(proof.index, data))
        if entry.leaf.WhichOneof("kind") != kind:
            entry.bad(f"{name}.entry: is no {kind}")
        return entry, held

    def _with_bytes(self, name: str, entry: Entry) -> tuple[Entry, bytes]:
        held = _file(self.files, name)
        if (sha256(held).digest(), len(held)) != (entry.leaf.sha256, entry.leaf.length):
            entry.bad(f"{name}: is not what the entry tells of")
        return entry, held

    def document(self, name: str) -> tuple[Entry, bytes]:
        """Raises Bad."""
        entry, data = self.piece(name, "document")
        if entry.leaf.document.name != name:
            entry.bad(f"evidence/{name}.entry: is another document")
        return entry, data

    def cases(self) -> list[str]:
        """What `evidence/` calls them."""
        names = [name.removeprefix("evidence/") for name in self.files]
        return [name.removesuffix(".entry") for name in names if _is_case(name)]


def _is_case(name: str) -> bool:
    return name.startswith("case-") and name.endswith(".entry")


def _round(evidence: _Evidence, listing: Listing) -> tuple[Entry, RoundOpened, int]:
    """The round's entry, what opened it, how many records it has. Raises Bad."""
    entry, data = evidence.round()
    check_offsets(entry)
    opened = check_round(entry, records_of(entry, data)).opened
    round_ = entry.leaf.round
    for name, said, is_ in (
        ("round_id", listing.round_id, round_.round_id),
        ("table_id", listing.table_id, round_.table_id),
        ("round_number", listing.round_number, round_.round_number),
    ):
        if said != is_:
            raise Bad(f"{LISTING}: says {name} {said}, and its evidence {is_}")
    return entry, opened, len(round_.offsets)


def _explained(evidence: _Evidence, entry: Entry, opened: RoundOpened) -> None:
    """That rules, schema and log are those of the round. Raises Bad."""
    rules, _ = evidence.document("rules")
    if sha256(opened.submission).digest() != rules.leaf.sha256:
        rules.bad("evidence/rules.bytes: are not the rules that the round opened with")
    schema, data = evidence.document("schema")
    if not is_schema(data):
        schema.bad("evidence/schema.bytes: is no schema of journal and archive")
    _, log = evidence.document("log")
    about = About.parse("evidence/log.bytes", log)
    if about.origin != evidence.checkpoint.origin:
        raise Bad(f"evidence/log.bytes: is of {about.origin}")
    about.check_partition(entry, entry.leaf.round.partition)


def _proved(evidence: _Evidence) -> Iterator[bytes]:
    """All records in entries that cases were found in. Raises Bad."""
    for what in evidence.cases():
        entry, data = evidence.piece(what, "remainder")
        check_span(entry)
        records = of_remainder(entry, records_of(entry, data))
        yield from (message for _, message in zip(records, messages_of(data), strict=True))


def _file(files: Mapping[str, bytes], name: str) -> bytes:
    if name not in files:
        raise Bad(f"{name}: is missing from the packet")
    return files[name]
