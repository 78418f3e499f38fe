"""`rounds`, `audit` and `simulate`, and journals that cannot be read."""

import json
from dataclasses import replace

import pytest

from pitledger.journal.record import partition_of
from pitledger.processors import settlement
from pitledger.sources.file import write_file
from tests.unit.cli.conftest import type_of


def listed(pitledger, journal, *arguments):
    return json.loads(pitledger("rounds", "--from", journal, "--json", *arguments).out)


def test_rounds_are_listed_with_their_money(pitledger, journal):
    told = listed(pitledger, journal)

    assert len(told["rounds"]) == 12
    assert {row["table"] for row in told["rounds"]} == {"saigon-001", "hilo-002"}
    (total,) = told["totals"]
    for name in ("staked", "returned", "house_net"):
        assert total[name] == sum(row[name] for row in told["rounds"])
    assert total["house_net"] == total["staked"] - total["returned"]


def test_rounds_come_in_the_order_in_which_they_opened(pitledger, tmp_path, records):
    path = tmp_path / "by partition"
    write_file(path, sorted(records, key=lambda stored: (stored.partition, stored.offset)))

    times = [row["opened_at"] for row in listed(pitledger, path)["rounds"]]

    assert times == sorted(times)


def test_rounds_can_be_chosen(pitledger, journal):
    def ids(*arguments):
        return [row["round_id"] for row in listed(pitledger, journal, *arguments)["rounds"]]

    everything = listed(pitledger, journal)["rounds"]
    saigon = [row["round_id"] for row in everything if row["game"] == "saigon5"]
    assert ids("--table", "saigon-001") == ids("--game", "saigon5") == saigon
    assert ids("--limit", "3") == [row["round_id"] for row in everything][-3:]
    assert ids("--state", "settled") == [
        row["round_id"] for row in everything if row["state"] == "settled"]
    assert ids("--state", "open") == ids("--table", "saigon-001", "--game", "five_card_hi_lo") == []


def test_a_table_that_no_record_could_name_is_bad_input(pitledger, journal):
    line = pitledger("rounds", "--from", journal, "--table", "\udcff").line

    assert line == "\\udcff: is not UTF-8, as every table's id is"


def test_a_listing_for_people_has_every_round_whole(pitledger, journal):
    ended = pitledger("rounds", "--from", journal)

    assert ended.code == 0
    for row in listed(pitledger, journal)["rounds"]:
        assert f"{row['table']}/{row['number']} " in ended.out
        assert row["round_id"] in ended.out
    assert "\n12 rounds\nfinished: 12, staked " in ended.out


def test_an_audit_of_a_sound_journal_exits_with_0(pitledger, journal):
    ended = pitledger("audit", "--from", journal)

    assert ended.code == 0
    assert ended.out.startswith("audit: sound\n")
    assert json.loads(pitledger("audit", "--from", journal, "--json").out)["sound"] is True


def test_an_audit_with_findings_exits_with_1(pitledger, rewritten):
    settled = []

    def without_one(records):
        settled.extend(s for s in records if type_of(s) == "RoundSettled")
        return [s for s in records if s is not settled[0]]

    path = rewritten(without_one)

    ended = pitledger("audit", "--from", path)
    as_json = pitledger("audit", "--from", path, "--json")

    assert ended.code == as_json.code == 1
    assert ended.out.startswith("audit: NOT SOUND, 1 findings\n")
    assert json.loads(as_json.out)["findings"][0]["kind"] == "missing"


def test_a_simulation_can_be_repeated_bit_for_bit(pitledger, tmp_path):
    first, second, other = (tmp_path / name for name in ("first", "second", "other"))
    arguments = ("--tables", 2, "--rounds", 6, "--faults")

    for path, seed in ((first, 3), (second, 3), (other, 4)):
        assert pitledger("simulate", *arguments, "--seed", seed, "-o", path).code == 0

    assert first.read_bytes() == second.read_bytes() != other.read_bytes()


@pytest.mark.parametrize(("game", "tables"), [
    ("saigon5", {"saigon-001", "saigon-002"}),
    ("five_card_hi_lo", {"hilo-001", "hilo-002"}),
    ("both", {"saigon-001", "hilo-002"}),
])
def test_a_simulation_plays_the_games_asked_for(pitledger, tmp_path, game, tables):
    path = tmp_path / "journal"

    ended = pitledger("simulate", "--game", game, "--tables", 2, "--rounds", 4, "--seed", 1,
                      "-o", path, "--json")

    report = json.loads(ended.out)
    assert report["rounds"] == 4
    assert report["records"] == report["facts"] + report["decisions"]
    assert {row["table"] for row in listed(pitledger, path)["rounds"]} == tables


def test_a_simulation_that_cannot_write_says_so(pitledger, tmp_path):
    path = tmp_path / "nowhere" / "journal"

    assert pitledger("simulate", "-o", path).line == f"{path}: No such file or directory"


def test_a_simulation_writes_over_no_file(pitledger, tmp_path):
    path = tmp_path / "precious.txt"
    path.write_text("mine")

    line = pitledger("simulate", "--rounds", 1, "-o", path).line

    assert line == f"{path}: is there already; a journal is written into a new file"
    assert path.read_text() == "mine"


COMMANDS = [["rounds"], ["audit"], ["replay", "--all"], ["replay", "saigon-001/1"]]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_journal_that_cannot_be_read_is_bad_input(pitledger, tmp_path, journal, command):
    def line(path):
        return pitledger(*command, "--from", path).line

    none = tmp_path / "none"
    assert line(none) == f"{none}: No such file or directory"
    assert line(tmp_path) == f"{tmp_path}: is no archive: it has no log.json"
    text = tmp_path / "text"
    text.write_text("this is a text and no journal\n" * 10)
    assert line(text).startswith(f"{text}: ")
    text.write_text("a note\n")
    assert line(text) == f"{text}: no journal, or cut short in the record at byte 0"
    cut = tmp_path / "cut"
    cut.write_bytes(journal.read_bytes()[:-3])
    assert line(cut).startswith(f"{cut}: cut short in the record at byte ")


@pytest.mark.parametrize("command", [["rounds"], ["replay", "--all"]])
def test_a_journal_that_lacks_a_record_is_not_replayed(pitledger, tmp_path, records, command):
    gap = records[100]
    path = tmp_path / "gap"
    write_file(path, [stored for stored in records if stored is not gap])

    line = pitledger(*command, "--from", path).line

    assert line == f"{path}: partition {gap.partition} lacks offset {gap.offset}"


def test_a_record_that_stands_twice_in_a_file_counts_once(pitledger, tmp_path, records):
    path = tmp_path / "twice"
    write_file(path, [*records, *records])

    ended = pitledger("replay", "--all", "--from", path)

    assert ended.code == 0
    assert ended.out.startswith(f"12 rounds in {len(records):,} records: ")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_number_of_partitions_is_said(pitledger, tmp_path, records, command):
    path = tmp_path / "elsewhere"
    write_file(path, [replace(stored, partition=stored.partition + 1) for stored in records])

    assert pitledger(*command, "--from", path).line == (
        f"{path}: is not of a topic with 48 partitions; give the number with --partitions")


def test_a_record_gone_astray_does_not_make_the_number_wrong(pitledger, tmp_path, records):
    """Given a journal whose tables all begin with a record in a foreign partition, when it is
    replayed, then the number of partitions is not doubted."""
    firsts = {stored.key: stored for stored in reversed(records)}.values()
    strays = [replace(stored, partition=stored.partition ^ 1, offset=0) for stored in firsts]
    taken = {(stored.partition) for stored in records}
    path = tmp_path / "astray"
    write_file(path, [s for s in strays if s.partition not in taken] + records)

    ended = pitledger("replay", "--all", "--from", path)

    assert "is not of a topic" not in ended.err


def test_a_table_whose_partition_holds_only_strays_has_no_round(pitledger, tmp_path, records):
    """Given a partition of strays alone, when rounds of a table are listed whose records would
    lie there, then there are none, and the number of partitions is not doubted."""
    taken = {stored.partition for stored in records}
    table = next(f"nope-{n}" for n in range(99) if partition_of(f"nope-{n}", 48) not in taken)
    stray = replace(records[0], partition=partition_of(table, 48), offset=0)
    path = tmp_path / "astray"
    write_file(path, [stray, *records])

    ended = pitledger("rounds", "--from", path, "--table", table)

    assert ended.line == f"{path}: has no round of table {table}"


def test_kafka_that_is_not_there_is_said(pitledger, monkeypatch):
    monkeypatch.setenv("PITLEDGER_BOOTSTRAP", "127.0.0.1:1")

    assert pitledger("rounds", "--from", "kafka").line.startswith("Kafka at 127.0.0.1:1: ")
    assert pitledger("topics", "check").line.startswith("Kafka at 127.0.0.1:1: ")


def test_settings_that_are_wrong_are_said(pitledger, monkeypatch):
    monkeypatch.setenv("PITLEDGER_BROKER", "x")

    for command in (["rounds", "--from", "kafka"], ["topics", "create"]):
        assert pitledger(*command).line == (
            "PITLEDGER_BROKER=x: must be one of apache, embedded")


def test_kafkas_partitions_are_a_setting(pitledger):
    line = pitledger("rounds", "--from", "kafka", "--partitions", 4).line

    assert line == "--partitions is for files; Kafka's are set by PITLEDGER_PARTITIONS"


def test_a_large_file_is_replayed_by_several_processes_with_the_same_verdict(
        pitledger, journal, monkeypatch):
    alone = pitledger("replay", "--all", "--from", journal, "--json")
    monkeypatch.setattr("services.cores.BYTES_A_PROCESS_MIN", 1)
    monkeypatch.setattr("services.cores.os.sched_getaffinity", lambda _pid: {0, 1, 2})
    shared = pitledger("replay", "--all", "--from", journal, "--json")

    assert json.loads(shared.out) == json.loads(alone.out)
    assert json.loads(shared.out)["rounds"] > 0


def test_a_simulation_with_faults_is_audited_and_keeps_no_journal_unless_asked(pitledger):
    ended = pitledger("simulate", "--rounds", "12", "--tables", "2", "--seed", "4", "--faults")

    assert ended.code == 0
    assert ended.out.splitlines()[-1] == "the auditor agrees on every round"
    assert "journal:" not in ended.out


def test_a_simulation_that_the_auditor_does_not_agree_with_ends_with_1(pitledger, monkeypatch):
    def cheat(round_, payout):
        body = honest(round_, payout)
        body.lines[0].returned_minor += 1
        return body

    honest = settlement.payout_due
    monkeypatch.setattr(settlement, "payout_due", cheat)

    ended = pitledger("simulate", "--rounds", "4", "--tables", "1", "--seed", "4", "--audit")

    assert ended.code == 1
    assert "findings" in ended.out.splitlines()[-1]
