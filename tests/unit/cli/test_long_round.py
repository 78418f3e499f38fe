"""A round that no leaf can hold: found, replayed, proved and handed out as any other."""

import json
from dataclasses import fields
from zipfile import ZipFile

import pytest

from pitledger.archive.log import manifests
from pitledger.archive.long_rounds import is_long_round
from pitledger.archive.note import SecretKey
from pitledger.sources.file import write_file
from services.packet.bundle import Subject, packed
from services.storage.folder import Folder
from services.verify import main
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

PARTITIONS = ("--partitions", 4)
DAY = "2026-11-30"
LEAF_MAX = 20_000
"""Bytes. A plain round takes 12,000 of them."""


@pytest.fixture(params=["voided", "ended by the next"])
def journal(request, tmp_path, monkeypatch):
    """Of three rounds at T1 the second is too long, and rounds at T2 lie beside it."""
    monkeypatch.setattr("pitledger.archive.leaves.DATA_MAX", LEAF_MAX)
    log = Log()
    table, other = Table(log=log), Table(table_id="T2", log=log)
    table.play(gaming_day=DAY)
    table.open(gaming_day=DAY)
    for amount in range(40):
        table.wager(1, ante=1000 + amount)
    other.play(gaming_day=DAY)
    if request.param == "voided":
        table.void()
    table.play(gaming_day=DAY)
    House(log).run()
    write_file(tmp_path / "journal", log.all())
    return tmp_path / "journal"


@pytest.fixture
def archive(pitledger, journal, tmp_path):
    assert pitledger("keys", "new", "casino/floor", "-o", tmp_path / "key").code == 0
    made = pitledger("archive", "--from", journal, "-o", tmp_path / "archive", "--key",
                     tmp_path / "key", *PARTITIONS, "--json")
    assert (made.code, json.loads(made.out)["rounds"]) == (0, 4), made.err
    leaves = list(manifests(Folder(tmp_path / "archive"), json.loads(made.out)["size"]))
    assert sum(map(is_long_round, leaves)) == 1
    assert sum(leaf.HasField("round") for leaf in leaves) == 3
    return tmp_path / "archive"


def verified(*arguments):
    with pytest.raises(SystemExit) as end:
        main([str(each) for each in arguments])
    return end.value.code == 0


def test_it_is_replayed_as_the_journal_has_it(pitledger, journal, archive):
    told = pitledger("replay", "T1/2", "--from", archive, "--json")
    whole = pitledger("replay", "T1/2", "--from", journal, "--json", *PARTITIONS)
    assert told.code == whole.code == 0
    assert json.loads(told.out) == json.loads(whole.out)


def test_the_index_has_it_among_the_others(pitledger, archive):
    assert pitledger("gaps", "--from", archive).code == 0
    listed = json.loads(pitledger("rounds", "--from", archive, "--table", "T1", "--json").out)
    assert [(row["number"], row["state"]) for row in listed["rounds"]] == [
        (1, "settled"), (2, "voided"), (3, "settled"),
    ]  # fmt: skip
    recalled = pitledger("recall", "--from", archive, "--patron", "p1", "--json")
    assert [round_["number"] for round_ in json.loads(recalled.out)["rounds"]] == [1, 2, 1, 3]


def test_a_packet_of_it_needs_nothing_but_the_key(pitledger, archive, tmp_path):
    key = tmp_path / "key"
    made = pitledger("packet", "T1/2", "--from", archive, "--key", key, "-o", tmp_path / "zip")
    assert made.code == 0, made.err
    assert verified(tmp_path / "zip", "--key", tmp_path / "key.pub")
    with ZipFile(tmp_path / "zip") as zip_:
        assert len(zip_.read("evidence/round.bytes")) > LEAF_MAX
        assert b"The archive has none up to its checkpoint" in zip_.read("account.html")


def test_a_packet_whose_manifest_was_changed_is_not_good(pitledger, archive, tmp_path):
    pitledger("packet", "T1/2", "--from", archive, "--key", tmp_path / "key", "-o",
              tmp_path / "zip")
    with ZipFile(tmp_path / "zip") as zip_:
        files = {name: zip_.read(name) for name in zip_.namelist()}
    said = json.loads(files.pop("packet.json"))
    subject = Subject(**{field.name: said[field.name] for field in fields(Subject)})
    del files["packet.sig"]
    key = SecretKey.parse((tmp_path / "key").read_text())
    changes = ("round.manifest", b""), ("round.manifest", b"\0"), ("round.bytes", b"\0")
    for name, tail in changes:
        changed = files | {f"evidence/{name}": files[f"evidence/{name}"] + tail}
        (tmp_path / "changed.zip").write_bytes(packed(subject, changed, key))
        assert verified(tmp_path / "changed.zip", "--key", tmp_path / "key.pub") == (not tail)


def test_it_is_supposed_otherwise_and_held_as_any_other(pitledger, archive):
    sums = pitledger("whatif", "--from", archive, "--table", "T1", "--json",
                     "--set", "pot_eligibility=qualifiers")
    assert (sums.code, json.loads(sums.out)["rounds"]) == (0, 3), sums.err
    placed = pitledger("legal-hold", "place", archive, "--round", "T1/2", "--by", "ann",
                       "--reason", "claim")
    assert placed.code == 0, placed.err


def test_it_is_derived_again(pitledger, archive, tmp_path):
    key = tmp_path / "key.pub"
    assert verified(archive, "--key", key)
    good = pitledger("verify", archive, "--key", key, "--json")
    assert (good.code, json.loads(good.out)["rounds_derived"]) == (0, 4)
