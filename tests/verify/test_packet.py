"""Packets: a good one, and one with each thing in it changed, left out, added or made up."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pitledger.archive import statements
from pitledger.archive.collect import Remainder
from pitledger.archive.leaves import remainder_leaves
from pitledger.archive.log import About, manifests
from pitledger.archive.note import COSIGNATURE, Checkpoint
from pitledger.journal.stored import stored_of
from pitledger.pb import facts_pb2
from pitledger.pb.journal_pb2 import JournalRecord
from pitledger.pb.log_pb2 import StoredRecord
from services.cli.new_key import new_key
from services.storage.folder import Folder
from services.verify import program
from services.verify.packet import PacketReport, verify_packet
from tests.verify.conftest import Golden, Outcome, write_archive
from tests.verify.packets import Packet, evidence, judged, packet_of, zipped
from tests.verify.test_lies import Book

REQUIRED = ["README.txt", "account.html", "account.pdf", *(
    f"evidence/{name}.{part}"
    for name in ("round", "schema", "rules", "log") for part in ("entry", "bytes", "proof")
)]


@pytest.fixture
def archive(sealed: Golden) -> Golden:
    return sealed


@pytest.fixture
def packet(archive: Golden) -> Packet:
    return packet_of(archive)


def says(outcome: Outcome, *words: str, code: int = 1) -> None:
    assert outcome.code == code, outcome
    for word in words:
        assert word in outcome.line


def test_a_good_packet_is_told_in_figures_and_words(packet: Packet, tmp_path: Path) -> None:
    found = json.loads(packet.verify(tmp_path, "--json").out)
    assert found["good"] is True
    assert found["round_id"] == packet.listing["round_id"]
    assert found["records"] > 5
    assert found["signed_by"] == packet.public
    outcome = packet.verify(tmp_path)
    assert (outcome.code, outcome.err) == (0, "")
    assert packet.key.public.handle in outcome.out
    assert packet.public not in outcome.out
    assert "each file is as casino.example/floor signed it" in outcome.out
    assert "not verified  that the account tells what the records say" in outcome.out


def test_a_long_round_number_is_told_as_commands_take_it(
    packet: Packet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def long(*given: Any) -> PacketReport:
        found = verify_packet(*given)
        return replace(found, listing=replace(found.listing, round_number=1_796_073_799_768))

    monkeypatch.setattr(program, "verify_packet", long)
    assert re.search(r"^round number +1796073799768$", packet.verify(tmp_path).out, re.MULTILINE)
    assert json.loads(packet.verify(tmp_path, "--json").out)["round_number"] == 1_796_073_799_768


def test_a_packet_needs_no_more_than_itself_and_the_key(packet: Packet, tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    assert packet.verify(tmp_path / "alone").code == 0


def test_each_file_with_a_byte_changed_after_the_signing_is_named(
    packet: Packet, tmp_path: Path
) -> None:
    made = packet.made()
    for name, data in unzipped(made).items():
        for at in {0, len(data) // 2, len(data) - 1} if data else ():
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            outcome = judged(tmp_path, rezipped(made, name, changed), packet.public)
            assert outcome.code in ((1, 2) if name == "packet.sig" else (1,)), outcome
            assert name in outcome.line


def test_each_file_that_is_left_out_is_named(packet: Packet, tmp_path: Path) -> None:
    made = packet.made()
    for name in unzipped(made):
        says(judged(tmp_path, rezipped(made, name, None), packet.public), name, "is missing")


@pytest.mark.parametrize("name", ["evidence/case-2.entry", "evidence/keys/" + "0" * 64])
def test_a_file_that_is_added_is_named(packet: Packet, tmp_path: Path, name: str) -> None:
    says(judged(tmp_path, rezipped(packet.made(), name, b"x"), packet.public), name)


@pytest.mark.parametrize("name", [
    "evil.html", "/account.html", "../account.html", "evidence/../account.html", "account.html/",
    "evidence/case-0.entry", "evidence/inner.zip", "ACCOUNT.HTML", "account.htm\u00e9", "",
])
def test_a_name_that_no_packet_has_is_refused(packet: Packet, tmp_path: Path, name: str) -> None:
    packet.files[name] = b"x"
    says(packet.verify(tmp_path), "no packet has a file of this name")


@pytest.mark.parametrize("name", REQUIRED)
def test_a_packet_signed_without_a_part_that_it_needs_is_not_good(
    packet: Packet, tmp_path: Path, name: str
) -> None:
    del packet.files[name]
    says(packet.verify(tmp_path), f"{name}: is missing")


@pytest.mark.parametrize(("name", "value", "words"), [
    ("round_id", "another", "says round_id another"),
    ("table_id", "another", "says table_id another"),
    ("round_number", 77, "says round_number 77"),
    ("format", 2, "format 2 is not known"),
    ("format", True, "does not list a packet"),
    ("round_number", "7", "does not list a packet"),
    ("made_by", None, "does not list a packet"),
])
def test_a_listing_that_is_not_what_the_evidence_says_is_named(
    packet: Packet, tmp_path: Path, name: str, value: object, words: str
) -> None:
    packet.listing[name] = value
    says(packet.verify(tmp_path), "packet.json", words)


def test_a_packet_of_another_log_is_told_so(packet: Packet, tmp_path: Path) -> None:
    packet.listing["origin"] = "casino.example/strange"
    says(packet.verify(tmp_path), "casino.example/strange", code=2)


def test_another_key_is_told_so(packet: Packet, tmp_path: Path) -> None:
    for name in ("casino.example/other", "casino.example/floor"):
        other = new_key(name)
        outcome = judged(tmp_path, packet.made(), str(other.public))
        says(outcome, "packet.sig: is not signed by this key", code=2)
        packet.signature = other.sign
        says(packet.verify(tmp_path), "packet.sig: is not signed by this key", code=2)
        packet.signature = None


def test_a_signature_over_something_else_is_not_good(packet: Packet, tmp_path: Path) -> None:
    packet.signature = lambda text: packet.key.sign(text + "x")
    says(packet.verify(tmp_path), "packet.sig: the signature of casino.example/floor+")


@pytest.mark.parametrize(("before", "after"), [
    (b'"2026-11-30T12:00:00Z"', b'"2026-12-31T12:00:00Z"'), (b'"test"', b'"text"'),
    (b"{", b"{ "),
])
def test_a_listing_that_was_changed_after_the_signing_is_named_though_it_is_as_good(
    packet: Packet, tmp_path: Path, before: bytes, after: bytes
) -> None:
    made = packet.made()
    listing = unzipped(made)["packet.json"].replace(before, after, 1)
    changed = rezipped(made, "packet.json", listing)
    says(judged(tmp_path, changed, packet.public), "packet.json: is not what packet.sig signs")


def test_a_signature_of_another_packet_is_not_taken(packet: Packet, tmp_path: Path) -> None:
    made = packet.made()
    packet.listing["made_by"] = "another"
    changed = rezipped(made, "packet.sig", unzipped(packet.made())["packet.sig"])
    says(judged(tmp_path, changed, packet.public), "packet.json: is not what packet.sig signs")


def test_a_checkpoint_by_another_key_or_of_another_log_is_not_taken(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    good = Checkpoint.parse(archive.read("checkpoint").decode())
    strange = Checkpoint("casino.example/strange", good.size, good.root)
    other = new_key("casino.example/floor")
    for note in (good.signed(other), strange.signed(archive.key)):
        under(packet, note)
        says(packet.verify(tmp_path), "evidence/round.proof", code=2)


def test_proofs_are_all_under_one_checkpoint(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    fork = Checkpoint(archive.key.name, 5, bytes(32)).signed(archive.key)
    name = "evidence/rules.proof"
    packet.files[name] = packet.files[name].split(b"\n\n")[0] + b"\n\n" + fork
    says(packet.verify(tmp_path), name, "under another checkpoint")


@pytest.mark.parametrize("change", [
    lambda data: data.replace(b"index ", b"index 0"),
    lambda data: data.replace(b"index ", b"index 1"),
    lambda data: data.replace(b"index ", b"extra QQ==\nindex "),
    lambda data: data.replace(b"@v1", b"@v2"),
    lambda data: b"\n".join([*data.split(b"\n")[:2], *data.split(b"\n")[3:]]),
    lambda data: data.replace(b"index", b"index\xff"),
    lambda data: data.replace(b"\n\n", b"\n" + b"A" * 43 + b"=\n\n", 1),
    lambda data: data.replace(b"\n\n", b"\n" + b"short\n\n", 1),
    lambda data: b"",
])
@pytest.mark.parametrize("what", ["rules", "case-1"])
def test_a_proof_that_proves_nothing_is_named(
    packet: Packet, tmp_path: Path, what: str, change: Callable[[bytes], bytes]
) -> None:
    name = f"evidence/{what}.proof"
    packet.files[name] = change(packet.files[name])
    says(packet.verify(tmp_path), name)


@pytest.mark.parametrize("what", ["round", "schema", "rules", "log", "case-1"])
@pytest.mark.parametrize("part", ["entry", "bytes"])
def test_evidence_that_was_changed_before_the_signing_is_named(
    packet: Packet, tmp_path: Path, what: str, part: str
) -> None:
    name = f"evidence/{what}.{part}"
    data = packet.files[name]
    for changed in (data[:-1], data + b"\0", bytes([data[0] ^ 1]) + data[1:]):
        packet.files[name] = changed
        says(packet.verify(tmp_path), name)


def test_another_entry_in_the_place_of_one_is_named(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    for what, other, words in (
        ("round", "schema", "is no round"),
        ("rules", "round", "is no document"),
        ("rules", "schema", "is another document"),
        ("case-1", "round", "is no remainder"),
    ):
        changed = packet_of(archive)
        for part in ("entry", "bytes", "proof"):
            name = f"evidence/{what}.{part}"
            changed.files[name] = packet.files[f"evidence/{other}.{part}"]
        says(changed.verify(tmp_path), f"evidence/{what}.entry: {words}")


def test_rules_of_another_round_are_named(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    store, note = Folder(archive.home), archive.read("checkpoint")
    size = int(note.split(b"\n")[1])
    own = packet.files["evidence/rules.entry"]
    index, leaf = next(
        (number, leaf) for number, leaf in enumerate(manifests(store, size))
        if leaf.document.name == "rules" and leaf.SerializeToString(deterministic=True) != own
    )
    packet.files |= evidence(store, size, note, "rules", index, leaf)
    says(packet.verify(tmp_path), "evidence/rules.bytes: are not the rules that the round opened")


def said(case_id: str, round_id: str = "") -> StoredRecord:
    """A record of a case; it names a round, or the case alone."""
    record = JournalRecord(case_id=case_id)
    if round_id:
        record.dispute_opened.settlement.round_id = round_id
    else:
        record.dispute_held.reason = "hold"
    return StoredRecord(partition=47, value=record.SerializeToString())


def with_cases(archive: Golden, home: Path, *records: StoredRecord) -> Packet:
    """A packet of an archive that has these records, with them in it as those of cases."""
    for offset, record in enumerate(records):
        record.offset = offset
    stored = [stored_of(record) for record in records]
    [leaf] = remainder_leaves(Remainder(47, 0, len(records), tuple(stored)))
    about = About.parse(archive.read("log.json"))
    other = write_archive(home, archive.key, [*Book(archive).leaves, leaf], about=about)
    packet = packet_of(other)
    packet.files["evidence/cases.records"] = packet.files["evidence/case-1.bytes"]
    return packet


def test_cases_are_records_that_are_proved(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    round_id = packet.listing["round_id"]
    packet = with_cases(archive, tmp_path / "archive", said("c", round_id), said("c"))
    outcome = packet.verify(tmp_path, "--json")
    assert json.loads(outcome.out)["case_records"] == 2
    records = packet.files["evidence/cases.records"]
    for wrong, words in (
        (records[:-1], "is cut short"),
        (records + b"\x02ab", "its record 3 is in no entry that is proved here"),
    ):
        packet.files["evidence/cases.records"] = wrong
        says(packet.verify(tmp_path), "evidence/cases.records", words)


def froze(held_id: str) -> list[StoredRecord]:
    """A table held, and released; a case that names the one hold."""
    held = JournalRecord(event_id="h", table_held=facts_pb2.TableHeld(reason="claim"))
    released = JournalRecord(table_released=facts_pb2.TableReleased(held_id="h"))
    freeze = JournalRecord(case_id="c", dispute_held=facts_pb2.DisputeHeld(held_id=held_id))
    return [
        StoredRecord(partition=47, value=record.SerializeToString())
        for record in (held, released, freeze)
    ]


def test_the_hold_that_a_case_names_belongs_to_it_and_so_does_its_release(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    claim = said("c", packet.listing["round_id"])
    outcome = with_cases(archive, tmp_path / "archive", claim, *froze("h")).verify(
        tmp_path, "--json")
    assert json.loads(outcome.out)["case_records"] == 4


@pytest.mark.parametrize(("records", "words"), [
    (froze("another"), "its record 1 is of no case"),
    (froze("")[1:], "its record 1 is of no case"),
    ([said("c", "another")], "case c is about another round"),
    ([said("c")], "case c is about another round"),
    ([said("")], "its record 1 is of no case"),
    ([StoredRecord(partition=47, value=b"\xff")], "its record 1 is of no case"),
])
def test_cases_of_another_round_are_named(
    archive: Golden, tmp_path: Path, records: list[StoredRecord], words: str
) -> None:
    packet = with_cases(archive, tmp_path / "archive", *records)
    says(packet.verify(tmp_path), "evidence/cases.records", words)


def test_an_officers_key_signs_if_the_archives_key_lets_it_and_until_it_is_revoked(
    archive: Golden, tmp_path: Path
) -> None:
    officer = new_key("casino.example/officer")
    packet = packet_of(archive, officer)
    says(packet.verify(tmp_path), "packet.sig: is not signed by this key", code=2)
    origin = archive.key.name
    add(packet, statements.packets(origin, archive.key, officer.public))
    outcome = packet.verify(tmp_path, "--json")
    assert json.loads(outcome.out)["signed_by"] == str(officer.public)
    own = judged(tmp_path, packet.made(), str(officer.public))
    says(own, "evidence/round.proof: is not signed by this key of casino.example/officer", code=2)
    add(packet, statements.revoke_packets(origin, archive.key, officer.public))
    says(packet.verify(tmp_path), f"{officer.public.handle} may not sign packets: that was revoked")


def test_what_somebody_else_lets_or_says_of_another_log_is_not_believed(
    archive: Golden, tmp_path: Path
) -> None:
    officer = new_key("casino.example/officer")
    for origin, signer, code, words in (
        (archive.key.name, officer, 1, "may not sign packets"),
        (archive.key.name, new_key(archive.key.name), 1, "may not sign packets"),
        ("casino.example/strange", archive.key, 1, "is about a key of casino.example/strange"),
    ):
        packet = packet_of(archive, officer)
        add(packet, statements.packets(origin, signer, officer.public))
        says(packet.verify(tmp_path), words, code=code)


def test_a_packet_is_verified_with_an_earlier_or_a_later_key(
    archive: Golden, tmp_path: Path
) -> None:
    key, origin = archive.key, archive.key.name
    before, after = [new_key(origin) for _ in range(2)]
    for signer, said in (
        (key, [statements.rotate(origin, before, key)]),
        (after, [statements.rotate(origin, before, key), statements.rotate(origin, key, after)]),
    ):
        packet = packet_of(archive, signer)
        for statement in said:
            add(packet, statement)
        for given in {before, key, signer}:
            packet.public = str(given.public)
            assert packet.verify(tmp_path).code == 0


def test_a_key_whose_place_another_took_signs_no_packets(archive: Golden, tmp_path: Path) -> None:
    """Nor does whom it let sign; nor does its checkpoint count under the name of whom the new
    one let sign: a thief of the old key could have made all of that.
    """
    key, origin, name = archive.key, archive.key.name, archive.key.public.handle
    after, officer = new_key(origin), new_key("casino.example/officer")
    rotation = statements.rotate(origin, key, after)
    for signer, said, words in (
        (key, [], f"packet.sig: {name} signs no more: {after.public.handle} took its place"),
        (officer, [statements.packets(origin, key, officer.public)],
         f"packet.sig: {officer.public.handle} may not sign packets"),
        (officer, [statements.packets(origin, after, officer.public)],
         f"evidence/round.proof: {after.public.handle} signed neither this checkpoint"),
    ):
        packet = packet_of(archive, signer)
        for statement in (rotation, *said):
            add(packet, statement)
        for given in (key, after):
            packet.public = str(given.public)
            says(packet.verify(tmp_path), words)
    good = Checkpoint.parse(archive.read("checkpoint").decode())
    under(packet, good.signed(after))
    for given in (key, after):
        packet.public = str(given.public)
        assert packet.verify(tmp_path).code == 0


def test_a_packet_carries_a_witness_where_one_is_asked_for(
    archive: Golden, packet: Packet, tmp_path: Path
) -> None:
    witness = new_key("witness.example", COSIGNATURE)
    public = str(witness.public)
    says(packet.verify(tmp_path, "--witness", public), "evidence/round.proof", "witness.example")
    note = archive.read("checkpoint")
    text = note[: note.index(b"\n\n") + 1].decode()
    under(packet, note + witness.sign(text, at_s=1_800_000_000).encode())
    assert packet.verify(tmp_path, "--witness", public).code == 0


def test_a_stored_packet_is_as_good(packet: Packet, tmp_path: Path) -> None:
    packet.method = zipfile.ZIP_STORED
    assert packet.verify(tmp_path).code == 0


def test_what_a_listing_says_cannot_write_to_the_terminal(
    packet: Packet, tmp_path: Path
) -> None:
    packet.listing["made_by"] = "a\x1b[2J\ud800"
    outcome = packet.verify(tmp_path)
    assert outcome.code == 0
    assert "a?[2J?" in outcome.out


def add(packet: Packet, statement: bytes) -> None:
    packet.files[f"evidence/keys/{sha256(statement).hexdigest()}"] = statement


def under(packet: Packet, note: bytes) -> None:
    """All proofs under another checkpoint."""
    for name, data in packet.files.items():
        if name.endswith(".proof"):
            packet.files[name] = data.split(b"\n\n")[0] + b"\n\n" + note


def unzipped(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as zip_:
        return {name: zip_.read(name) for name in zip_.namelist()}


def rezipped(data: bytes, name: str, changed: bytes | None) -> bytes:
    """With one file put in, changed or left out."""
    files = {**unzipped(data), name: changed}
    return zipped({each: held for each, held in files.items() if held is not None})
