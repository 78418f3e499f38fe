"""The index of an archive says what a scan of all its leaves says."""

import os
import signal
import sqlite3
from collections import defaultdict
from contextlib import closing

import pytest
from google.protobuf.message import DecodeError

from pitledger.archive.deletions import Deletion
from pitledger.archive.layout import leaf as leaf_key
from pitledger.archive.log import LogWriter, manifests, newest
from pitledger.archive.store import BadArchive, StoreError
from pitledger.journal.record import DECISION_TYPES, JournalRecord
from pitledger.replay import Replay
from pitledger.story import game_key
from services.storage import index as module
from services.storage import queries
from services.storage.folder import Folder
from services.storage.index import Index
from services.storage.queries import NotFound
from tests.archive.conftest import PARTITIONS
from tests.archive.memory import ABOUT, KEY, Memory, sealed


@pytest.fixture(scope="module")
def archive(records):
    return sealed(Memory(), records, {len(records) // 3, len(records) // 2})


@pytest.fixture(scope="module")
def index(archive, tmp_path_factory):
    return updated(archive, tmp_path_factory.mktemp("index") / "index")


@pytest.fixture(scope="module")
def reports(records):
    """Of all rounds, as a replay of the journal has them."""
    replay = Replay(PARTITIONS)
    for stored in records:
        replay.take(stored)
    return {report.round_id: report for report in replay.reports()}


def updated(store, path):
    index = Index.open(store, path)
    index.update()
    return index


def leaves_of(store):
    return list(manifests(store, newest(store, ABOUT.origin).size))


def contents(path):
    """All rows, table by table."""
    with sqlite3.connect(path) as database:
        names = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        found = {name: database.execute(f"SELECT * FROM {name}").fetchall() for (name,) in names}
    database.close()
    found["state"] = [row[:-1] for row in found["state"]]  # how it came about is its own
    return {name: sorted(rows, key=repr) for name, rows in found.items()}


def test_each_round_is_there_as_a_replay_of_the_journal_has_it(index, archive, reports):
    found = {round_.round_id: round_ for round_ in index.rounds()}

    assert set(found) == set(reports)
    leaves = leaves_of(archive)
    for round_id, report in reports.items():
        round_, opened = found[round_id], report.opened.round_opened
        totals = getattr(report.sums, report.sums.WhichOneof("body")).totals
        assert (round_.table_id, round_.partition) == (report.table_id, report.partition)
        assert (round_.number, round_.gaming_day) == (opened.round_number, opened.gaming_day)
        assert (round_.game, round_.currency) == (game_key(opened.submission), opened.currency_code)
        assert (round_.outcome, round_.first_offset) == (report.state, report.first_offset)
        assert round_.occurred_at_us == report.opened.occurred_at
        assert (round_.staked_minor, round_.returned_minor, round_.house_net_minor) == (
            totals.staked_minor, totals.returned_minor, totals.house_net_minor)
        assert leaves[round_.entry].sha256 == round_.sha256
        assert leaves[round_.entry].length == round_.length
        assert index.leaf(round_.entry) == leaves[round_.entry]
    assert {report.state for report in reports.values()} == {"settled", "voided"}


def test_a_round_is_found_by_its_id_by_the_beginning_of_it_and_by_table_and_number(index, reports):
    for report in reports.values():
        round_ = index.round(report.round_id)
        assert round_.round_id == report.round_id
        assert index.round(report.round_id[:18].upper()) == round_
        number = report.opened.round_opened.round_number
        assert index.round(f"{report.table_id}/{number}") == round_


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nonsense", "nonsense: is neither TABLE/NUMBER nor the first 8 characters"),
        ("01a22c5", "01a22c5: is neither TABLE/NUMBER nor the first 8 characters"),
        ("table/", "table/: found '' after the slash"),
        ("/7", "/7: found '7' after the slash"),
        ("no such table/7", "no such table/7: no such round is sealed here"),
        ("ffffffff-ffff", "ffffffff-ffff: no such round is sealed here"),
        ("%", "%: is neither"),
        ("table/99999999999999999999", "no such round is sealed here"),
    ],
)
def test_what_names_no_round_is_told_in_one_line(index, name, line):
    with pytest.raises(NotFound) as told:
        index.round(name)
    assert line in str(told.value)
    assert "\n" not in str(told.value)


def test_the_beginning_of_several_ids_names_them(index, reports):
    prefix = next(iter(reports))[:8]
    several = [round_id for round_id in reports if round_id.startswith(prefix)]
    with pytest.raises(NotFound) as told:
        index.round(prefix)
    assert len(several) > 1
    assert str(len(several)) in str(told.value)


def test_rounds_are_found_by_table_day_patron_and_position_the_newest_last(index, reports):
    def scan(fits):
        found = [r for r in reports.values() if fits(r.opened)]
        return {report.round_id for report in found}

    def ids(**wanted):
        rounds = list(index.rounds(**wanted))
        times = [round_.opened_at_ms for round_ in rounds]
        assert times == sorted(times)
        return [round_.round_id for round_ in rounds]

    table = next(iter(reports.values())).table_id
    seated = [(r.opened, seat) for r in reports.values() for seat in r.opened.round_opened.seats]
    opened, seat = seated[len(seated) // 2]
    patron, position = seat.patron_id, seat.position
    day = opened.round_opened.gaming_day

    assert set(ids(table=table)) == scan(lambda r: r.table_id == table)
    assert set(ids(gaming_day=day)) == scan(lambda r: r.round_opened.gaming_day == day)
    assert set(ids(patron=patron)) == scan(
        lambda r: patron in {s.patron_id for s in r.round_opened.seats})
    assert set(ids(table=table, position=position)) == scan(
        lambda r: r.table_id == table and position in {s.position for s in r.round_opened.seats})
    assert set(ids(patron=patron, position=position)) == scan(
        lambda r: (position, patron) in {(s.position, s.patron_id) for s in r.round_opened.seats})
    assert ids(table=table, last=3) == ids(table=table)[-3:]
    assert ids(last=10**6) == ids()
    assert ids(table="nowhere") == ids(patron="nobody", last=5) == []


def test_cases_holds_and_what_names_a_round_are_those_of_a_scan(index, archive, records):
    places = {}
    for entry, leaf in enumerate(leaves_of(archive)):
        if leaf.HasField("remainder"):
            rest = leaf.remainder
            places.update({(rest.partition, at): entry for at in range(rest.first, rest.end)})
    rounds = {round_.round_id for round_ in index.rounds()}
    loose = set(places) - {
        place for round_ in index.rounds() for place in own_places(index, round_)
    }
    cases, naming = defaultdict(set), defaultdict(set)
    for stored in records:
        place = stored.partition, stored.offset
        if place not in loose:
            continue
        attributes = dict(stored.headers)
        subject = (attributes.get("ce_subject") or b"").decode(errors="replace")
        if subject in rounds:
            naming[subject].add(places[place])
        if attributes.get("ce_type") in DECISION_TYPES:
            continue
        record = parsed(stored.value)
        if record is not None and record.case_id:
            cases[record.case_id].add((*place, places[place]))
    assert cases
    assert naming
    for round_id in rounds:
        assert index.strays(round_id) == sorted(naming[round_id])
    with_round = {c.case_id for r in rounds for c in index.cases(r) if c.round_id}
    for case_id in with_round:
        found = [c for r in rounds for c in index.cases(r) if c.case_id == case_id]
        assert {(c.partition, c.offset, c.entry) for c in found} == cases[case_id]
    assert with_round


def own_places(index, round_):
    offset = 0
    for distance in index.leaf(round_.entry).round.offsets:
        offset += distance
        yield round_.partition, offset


def parsed(value):
    try:
        return JournalRecord.FromString(value)
    except DecodeError:
        return None


def test_an_index_that_followed_the_archive_is_that_which_is_made_at_once(records, tmp_path):
    store, path = Memory(), tmp_path / "index"

    def follow():
        index = Index.open(store, path)
        assert index.update() > 0
        assert index.update() == 0
        index.close()

    quarter = len(records) // 4
    sealed(store, records, {quarter, 2 * quarter}, follow)
    updated(store, tmp_path / "again").close()
    assert contents(path) == contents(tmp_path / "again")


def test_an_index_of_another_archive_is_made_anew(archive, records, tmp_path):
    path = tmp_path / "index"
    other = sealed(Memory(), records[: len(records) // 2], {len(records) // 4})
    updated(other, path).close()
    updated(archive, path).close()
    updated(archive, tmp_path / "anew").close()
    assert contents(path) == contents(tmp_path / "anew")
    updated(other, path).close()
    updated(other, tmp_path / "other").close()
    assert contents(path) == contents(tmp_path / "other")


EDITS = (
    "DELETE FROM rounds WHERE entry = (SELECT max(entry) FROM rounds)",
    "UPDATE rounds SET house_net_minor = house_net_minor + 1",
    "DELETE FROM strays",
    "UPDATE patrons SET position = position + 100",
    "UPDATE state SET done = 1",
    "VACUUM",
)


@pytest.mark.parametrize("edit", EDITS)
def test_an_index_into_which_another_program_wrote_is_made_anew(edit, archive, tmp_path):
    path, anew = tmp_path / "index", tmp_path / "anew"
    index = updated(archive, path)
    updated(archive, anew).close()
    assert index.update() == 0
    for _again in range(2):  # by who has it open, and by who opens it
        before = contents(path)
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute(edit)
        assert edit == "VACUUM" or contents(path) != before
        Index.copy(path, tmp_path / "copy")
        assert index.update() > 0
        assert contents(path) == contents(anew)
        updated(archive, tmp_path / "copy").close()
        assert contents(tmp_path / "copy") == contents(anew)
        index.close()
        index = Index.open(archive, path)
        assert index.update() == 0


def test_an_index_that_was_killed_while_it_followed_goes_on(records, tmp_path):
    store, path = Memory(), tmp_path / "index"
    killed = []

    def follow():
        if path.exists():
            killed.append(killed_after(40, lambda: updated(store, path)))
        else:
            updated(store, path).close()

    sealed(store, records, {len(records) // 3}, follow)
    assert killed == [True]
    before = contents(path)
    updated(store, path).close()
    updated(store, tmp_path / "whole").close()
    assert 0 < len(before["rounds"]) < len(contents(path)["rounds"])
    assert contents(path) == contents(tmp_path / "whole")


def killed_after(entries, work):
    """Do it in a process that is killed in the midst of a transaction."""
    pid = os.fork()
    if pid == 0:
        made, count = module.rows_of, 0

        def counted(*arguments):
            nonlocal count
            count += 1
            if count == entries:
                os.kill(os.getpid(), signal.SIGKILL)
            return made(*arguments)

        module.rows_of = counted
        work()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


def test_one_reads_on_while_another_brings_it_up_to_date(records, tmp_path, monkeypatch):
    monkeypatch.setattr(queries, "_PAGE", 7)
    store, path = Memory(), tmp_path / "index"
    reading = []

    def follow():
        updated(store, path).close()
        rounds = Index.open(store, path).rounds()
        reading.append((rounds, [next(rounds)]))

    sealed(store, records, {len(records) // 4, len(records) // 2}, follow)
    all_of_it = {round_.round_id for round_ in Index.open(store, path).rounds()}
    for rounds, found in reading:
        ids = [round_.round_id for round_ in (*found, *rounds)]
        assert len(ids) == len(set(ids))
        assert set(ids) <= all_of_it


def test_a_round_whose_bytes_are_gone_is_there_by_its_manifest(records, tmp_path):
    store = sealed(Memory(), records)
    leaves = enumerate(leaves_of(store))
    entry, leaf = next((entry, leaf) for entry, leaf in leaves if leaf.HasField("round"))
    store.delete(leaf_key(leaf.sha256))
    round_ = updated(store, tmp_path / "index").round(leaf.round.round_id)
    assert (round_.entry, round_.number) == (entry, leaf.round.round_number)
    assert (round_.outcome, round_.staked_minor, round_.gone) == ("", None, True)


def test_what_was_deleted_is_not_kept_in_the_index_either(records, tmp_path):
    store, path = sealed(Memory(), records), tmp_path / "index"
    before = updated(store, path)
    leaves = leaves_of(store)
    held = [n for n, leaf in enumerate(leaves) if not leaf.HasField("document")]
    spans = ((held[3], held[60]), (held[-5], held[-1]))
    deletion = Deletion("2037-01-01T00:00:00Z", "j.doe", "its time is over", "10-years", spans)
    LogWriter(store, KEY, ABOUT).append([deletion.leaf()])
    for first, last in spans:
        for entry in range(first, last + 1):
            store.delete(leaf_key(leaves[entry].sha256))
    before.update()
    updated(store, tmp_path / "anew")
    assert contents(path) == contents(tmp_path / "anew")
    gone = [round_ for round_ in before.rounds() if round_.gone]
    assert len(gone) > 40
    assert not any(round_.gone for p in range(10) for round_ in before.rounds(position=p))


def test_an_index_that_may_not_be_written_is_copied(archive, tmp_path, monkeypatch):
    path, copy = tmp_path / "with ? and #", tmp_path / "copy"
    updated(archive, path).close()
    path.chmod(0o400)
    Index.copy(path, copy)
    assert contents(copy) == contents(path)
    monkeypatch.setattr(module, "rows_of", None)  # or it would be made anew
    assert Index.open(archive, copy).update() == 0


@pytest.mark.parametrize("there", ["nothing", "no database"])
def test_an_index_that_cannot_be_read_is_made_anew(there, archive, index, tmp_path):
    path, copy = tmp_path / "index", tmp_path / "copy"
    if there == "no database":
        path.write_text("no database " * 100)
    Index.copy(path, copy)
    assert list(updated(archive, copy).rounds()) == list(index.rounds())


@pytest.mark.parametrize("what", ["text", "another database", "a folder", "no folder"])
def test_what_is_no_index_is_left_alone(what, archive, tmp_path):
    path = tmp_path / "index"
    if what == "text":
        path.write_text("not a database, but longer than a header of one would have to be" * 99)
    elif what == "another database":
        with sqlite3.connect(path) as database:
            database.execute("CREATE TABLE theirs (a)")
        database.close()
    elif what == "a folder":
        path.mkdir()
    else:
        path = path / "below"
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError) as told:
        Index.open(archive, path)
    assert str(told.value).startswith(f"{path}: ")
    assert "\n" not in str(told.value)
    assert before is None or path.read_bytes() == before


def test_a_folder_that_is_no_archive_is_told(tmp_path):
    index = Index.open(Folder(tmp_path), tmp_path / "index")
    with pytest.raises(BadArchive, match="is no archive"):
        index.update()


def test_an_index_of_another_version_is_made_anew(archive, tmp_path):
    path = tmp_path / "index"
    updated(archive, path).close()
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
        database.execute("DELETE FROM rounds")
    database.close()
    assert list(updated(archive, path).rounds())
