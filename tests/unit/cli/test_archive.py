"""`pitledger archive` and `pitledger keys`: sealed, continued, and refused in one line."""

import json
import stat
from dataclasses import replace

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from pitledger.archive.log import leaf_data, manifests, newest
from pitledger.sources.file import read_file, write_file
from services.simulation import simulate
from services.storage.folder import Folder


@pytest.fixture
def key(pitledger, tmp_path):
    """A private key's file."""
    path = tmp_path / "key"
    assert pitledger("keys", "new", "casino.example/floor", "-o", path).code == 0
    return path


@pytest.fixture
def archive(pitledger, key, tmp_path):
    """Run `pitledger archive` into a folder of this test."""

    def call(journal, *options, into=tmp_path / "archive", by=key):
        return pitledger("archive", "--from", journal, "-o", into, "--key", by, *options)

    return call


def test_a_new_key_is_its_owners_alone_and_is_never_written_over(pitledger, key):
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    public = key.with_name("key.pub").read_text()
    assert public.startswith("casino.example/floor+")
    again = pitledger("keys", "new", "casino.example/floor", "-o", key)
    assert again.line == f"{key}: is there already; no key is written over"
    assert key.with_name("key.pub").read_text() == public


def test_a_key_of_which_one_half_is_there_is_not_made(pitledger, key):
    key.with_name("key.pub").unlink()
    private = key.read_text()

    ended = pitledger("keys", "new", "casino.example/floor", "-o", key)

    assert ended.line == f"{key}: is there already; no key is written over"
    assert not key.with_name("key.pub").exists()
    assert key.read_text() == private


def test_a_new_key_says_which_file_is_secret_beside_the_public_key(pitledger, tmp_path):
    made = pitledger("keys", "new", "casino.example/floor", "-o", tmp_path / "new")

    assert made.out == (tmp_path / "new.pub").read_text()
    assert made.err.startswith(f"pitledger: {tmp_path / 'new'} signs: keep it secret")
    assert f"{tmp_path / 'new.pub'} verifies: give it" in made.err


def test_a_journal_is_sealed_and_what_is_sealed_is_not_read_again(archive, journal):
    first = json.loads(archive(journal, "--json").out)
    assert first["rounds"] == 12
    assert (first["open"], first["waiting"]) == (0, [])
    assert first["records"] == len(list(read_file(journal)))
    again = json.loads(archive(journal, "--json").out)
    assert again == {**again, "rounds": 0, "remainders": 0, "records": 0, "size": first["size"]}


@pytest.fixture(scope="module")
def foul_journal(tmp_path_factory):
    """With forgeries, repeats, junk, and rounds that the table's next one ended."""
    path = tmp_path_factory.mktemp("journals") / "foul.pit"
    simulate(("saigon5", "five_card_hi_lo"), 6, 150, 3, True, path)
    return path


@pytest.mark.parametrize("command", [("rounds",), ("replay", "--all"), ("audit",)])
def test_what_is_sealed_is_replayed_listed_and_audited_as_the_journal_is(
    pitledger, archive, foul_journal, tmp_path, command
):
    archive(foul_journal)
    sealed = pitledger(*command, "--from", tmp_path / "archive", "--json")
    of_file = pitledger(*command, "--from", foul_journal, "--json")
    assert sealed.code == of_file.code
    assert in_no_order(json.loads(sealed.out)) == in_no_order(json.loads(of_file.out))


def in_no_order(value):
    """An archive is read a partition after the other, a file as it was written."""
    match value:
        case dict():
            return {name: in_no_order(each) for name, each in value.items()}
        case list():
            return sorted(json.dumps(in_no_order(each), sort_keys=True) for each in value)
    return value


def test_a_folder_without_an_archive_is_none(pitledger, tmp_path):
    line = pitledger("rounds", "--from", tmp_path).line
    assert line.endswith("is no archive: it has no log.json")


def test_a_round_that_is_not_finished_waits_and_is_sealed_when_it_is(archive, journal, tmp_path):
    records = list(read_file(journal))
    part = tmp_path / "part"
    write_file(part, records[: len(records) // 2])
    first = json.loads(archive(part, "--json").out)
    assert first["open"] > 0
    rest = json.loads(archive(journal, "--json").out)
    assert first["rounds"] + rest["rounds"] == 12
    assert (rest["open"], rest["waiting"]) == (0, [])


def test_a_round_that_is_over_and_lacks_a_decision_is_named(archive, journal, tmp_path):
    records = list(read_file(journal))
    settled = next(s for s in records if dict(s.headers)["ce_type"].endswith(b".RoundSettled"))
    settled.value += b"no such decision"
    lacking = tmp_path / "lacking"
    write_file(lacking, records)
    told = json.loads(archive(lacking, "--json").out)
    assert told["rounds"] == 11
    (waits,) = told["waiting"]
    assert waits["round"] == dict(settled.headers)["ce_subject"].decode()
    assert waits["why"] == "is over, and lacks RoundSettled"
    line = archive(lacking).out.splitlines()[-1]
    assert line == "waits: {table}/{number} {round}: {why}".format(**waits)


def test_another_archive_is_not_continued(archive, journal):
    archive(journal)
    assert "this is the archive of casino.example/floor" in archive(journal, "--origin", "b").line


def test_another_journal_does_not_continue_an_archive(archive, journal, foul_journal, tmp_path):
    """Of the same partitions and longer, so that nothing else would be noticed."""
    archive(journal)
    before = newest(Folder(tmp_path / "archive"), "casino.example/floor")
    line = archive(foul_journal).line
    assert line.startswith(f"{foul_journal}: does not continue the archive: partition ")
    assert "it is another journal" in line
    assert newest(Folder(tmp_path / "archive"), "casino.example/floor") == before


def test_of_tables_of_the_same_names_the_last_records_tell(archive, tmp_path):
    """As when a floor begins anew: the same tables and partitions, other rounds, and more."""
    for seed, rounds in ((1, 12), (2, 40)):
        simulate(("saigon5", "five_card_hi_lo"), 2, rounds, seed, False, tmp_path / str(seed))
    archive(tmp_path / "1")
    assert "it is another journal" in archive(tmp_path / "2").line


@pytest.mark.parametrize("lies_in", ["a round", "a remainder"])
def test_a_journal_that_parted_behind_the_last_opening_does_not_continue_an_archive(
    archive, records, tmp_path, lies_in
):
    """The very last record of a partition is another one, and more follows."""
    last = records[-1]
    late = replace(last, offset=last.offset + 1, value=b"junk")
    first = [*records, late] if lies_in == "a remainder" else records
    write_file(tmp_path / "first", first)
    archive(tmp_path / "first")
    parted = replace(first[-1], broker_time=first[-1].broker_time + 1)
    more = replace(parted, offset=parted.offset + 1, value=b"more")
    write_file(tmp_path / "parted", [*first[:-1], parted, more])
    line = archive(tmp_path / "parted").line
    assert line.endswith(
        f": does not continue the archive: partition {last.partition} offset {parted.offset} is not"
        " the record that the archive has from there; it is another journal"
    )
    write_file(tmp_path / "same", [*first, more])
    assert archive(tmp_path / "same").code == 0


def test_a_journal_that_lost_its_end_does_not_continue_an_archive(
    archive, journal, records, tmp_path
):
    archive(journal)
    write_file(tmp_path / "shorter", records[:-1])
    last = records[-1]
    assert archive(tmp_path / "shorter").line == (
        f"{tmp_path}/shorter: does not continue the archive: partition {last.partition} ends at"
        f" offset {last.offset}, and the archive has records up to {last.offset}; it is another"
        " journal, or lost its end"
    )


@pytest.mark.parametrize("again", [1, 2])
def test_an_archive_is_copied_into_another_which_goes_on(archive, journal, tmp_path, again):
    archive(journal)
    for _ in range(again):
        copied = archive(tmp_path / "archive", into=tmp_path / "copy")
    assert copied.code == 0


def test_two_do_not_write_at_once(archive, journal, tmp_path):
    archive(journal)
    writer = Folder(tmp_path / "archive")
    writer.lock()
    assert archive(journal).line == f"{tmp_path / 'archive'}: another process writes there"


@pytest.mark.parametrize("text", ["", "\0", "PRIVATE+KEY+a+00000000+AAAA", "x+00000000+QUFB"])
def test_what_is_no_key_is_refused_and_not_shown(archive, journal, tmp_path, text):
    path = tmp_path / "no-key"
    path.write_text(text)
    line = archive(journal, by=path).line
    assert "private key" in line
    assert "AAAA" not in line
    assert not (tmp_path / "archive").exists()


def test_a_witness_key_founds_no_archive(pitledger, archive, journal, tmp_path):
    path = tmp_path / "witness"
    pitledger("keys", "new", "regulator", "--role", "witness", "-o", path)
    assert archive(journal, by=path).line == (
        f"{path}: is the key of a witness; make a log's with `pitledger keys new NAME`"
    )
    assert not (tmp_path / "archive").exists()


def test_a_missing_key_and_a_place_that_is_a_file_are_told_in_one_line(archive, journal, tmp_path):
    line = archive(journal, by=tmp_path / "none").line
    assert "none: No such file or directory; `pitledger keys new` makes a key" in line
    file = tmp_path / "file"
    file.write_text("")
    assert "File exists" in archive(journal, into=file).line


@pytest.mark.parametrize("name", ["tile/0/000.p/", "tile/entries/000.p/"])
def test_an_archive_with_a_damaged_edge_is_not_continued(archive, journal, tmp_path, name):
    size = json.loads(archive(journal, "--json").out)["size"]
    path = tmp_path / "archive" / f"{name}{size}"
    path.write_bytes(path.read_bytes()[:-1] + b"\0\0")
    assert "damaged" in archive(journal).line
    path.unlink()
    assert "missing" in archive(journal).line


def test_the_archive_holds_the_schema_and_each_rules_submission_once(archive, journal, tmp_path):
    """So that its records can be read by whoever has nothing else."""
    archive(journal)
    store = Folder(tmp_path / "archive")
    size = newest(store, "casino.example/floor").size
    documents = [
        (manifest.document.name, leaf_data(store, manifest.sha256, manifest.length))
        for manifest in manifests(store, size)
        if manifest.HasField("document")
    ]
    names = sorted(name for name, _ in documents)
    assert names == ["dictionary", "log", "rules", "rules", "schema"]
    assert documents[0] == ("log", (tmp_path / "archive" / "log.json").read_bytes())
    files = FileDescriptorSet.FromString(dict(documents)["schema"])
    pool = DescriptorPool()
    for file in files.file:
        pool.Add(file)
    record = GetMessageClass(pool.FindMessageTypeByName("pitledger.v1.JournalRecord"))
    opened = next(
        parsed
        for stored in read_file(journal)
        if (parsed := record.FromString(stored.value)).HasField("round_opened")
    )
    assert opened.round_opened.submission in [data for name, data in documents if name == "rules"]
