"""`pitledger replay`: the round as a person reads it, and the verdict."""

import json
from dataclasses import replace

import pytest

from pitledger.journal.record import JournalRecord, serialize
from pitledger.sources.connection import Connection
from pitledger.sources.file import write_file
from services.cli import source
from services.cli.transcript_text import BESIDES
from tests.kit.house import House
from tests.kit.log import PARTITIONS
from tests.kit.table import Table
from tests.unit.cli.conftest import type_of


def rounds_of(records):
    """Round id, table and number of each opening."""
    for stored in records:
        if type_of(stored) == "RoundOpened":
            record = JournalRecord.FromString(stored.value)
            yield record.round_id, record.table_id, record.round_opened.round_number


@pytest.fixture
def round_(records):
    """The third round: its id, table and number."""
    return list(rounds_of(records))[2]


def of_round(stored, round_id):
    return dict(stored.headers)["ce_subject"] == round_id.encode()


def test_a_round_is_identical_and_the_exit_code_is_0(pitledger, journal, round_):
    ended = pitledger("replay", round_[0], "--from", journal)

    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.startswith(f"Round {round_[0]}\ntable {round_[1]}, round number {round_[2]}")
    assert "\nverdict: identical\n" in ended.out


def test_every_record_of_the_round_is_a_step_with_what_it_says(
    pitledger, journal, records, round_
):
    out = pitledger("replay", round_[0], "--from", journal).out

    for stored in records:
        if of_round(stored, round_[0]):
            assert f"{stored.offset:>7}  12:" in out
    assert "“no more bets”" in out
    assert "accepted, " in out
    assert " USD at 1 to 1 pays " in out or "The stake of " in out
    assert "[680a.11(" in out or "[663a.7(" in out
    assert any(suit in out for suit in "♣♦♥♠")


@pytest.mark.parametrize("name", ["id", "prefix", "upper case", "table and number"])
def test_a_round_has_four_names(pitledger, journal, round_, name):
    names = {
        "id": round_[0],
        "prefix": round_[0][:18],
        "upper case": round_[0].upper(),
        "table and number": f"{round_[1]}/{round_[2]}",
    }

    out = pitledger("replay", names[name], "--from", journal).out

    assert out.startswith(f"Round {round_[0]}\n")


def test_as_json_it_has_steps_and_verdict(pitledger, journal, records, round_):
    ended = pitledger("replay", round_[0], "--from", journal, "--json")

    told = json.loads(ended.out)
    own = [stored.offset for stored in records if of_round(stored, round_[0])]
    assert (told["round_id"], told["table"], told["number"]) == round_
    assert [step["offset"] for step in told["steps"]] == own
    assert told["verdict"]["identical"] is True
    assert told["verdict"]["derived"] == told["verdict"]["recorded"] > 5
    assert sum(len(step["derives"]) for step in told["steps"]) == told["verdict"]["derived"]


def test_until_an_offset_only_what_was_known_then_is_shown(pitledger, journal, records, round_):
    closes = [s for s in records if of_round(s, round_[0]) and type_of(s) == "NoMoreBets"]
    until = closes[0].offset

    ended = pitledger("replay", round_[0], "--from", journal, "--until", until)

    assert ended.code == 0
    assert f"as known at offset {until}" in ended.out
    assert "derived, not yet recorded: BettingClosed by wagers" in ended.out
    assert "verdict: identical so far" in ended.out
    assert "CardDrawn" not in ended.out
    assert ended.out.endswith("the round is open\n")


def test_before_the_round_opened_nothing_was_known(pitledger, journal, records, round_):
    opened = next(s for s in records if of_round(s, round_[0])).offset

    ended = pitledger("replay", round_[0], "--from", journal, "--until", opened - 1)

    assert ended.line == f"{round_[0]}: this round was not open yet at offset {opened - 1}"


def test_step_waits_for_a_line_before_each_record(pitledger, journal, round_):
    plain = pitledger("replay", round_[0], "--from", journal).out

    walked = pitledger("replay", round_[0], "--from", journal, "--step", stdin="\n" * 500)

    without_prompts = [line for line in walked.out.split("\n") if not line.startswith("[")]
    assert without_prompts == plain.split("\n")


def test_q_ends_the_walk_with_the_verdict(pitledger, journal, round_):
    ended = pitledger("replay", round_[0], "--from", journal, "--step", stdin="\nq\n")

    assert "RoundOpened" in ended.out
    assert "NoMoreBets" not in ended.out
    assert "verdict: identical" in ended.out
    assert ended.code == 0


def test_without_standard_input_step_does_not_wait(pitledger, journal, round_):
    ended = pitledger("replay", round_[0], "--from", journal, "--step")

    assert "RoundSettled" in ended.out


def test_a_decision_that_is_not_recorded_makes_the_round_different(
    pitledger, rewritten, round_
):
    path = rewritten(lambda records: [
        stored for stored in records
        if not (of_round(stored, round_[0]) and type_of(stored) == "PayoutDue")
    ])

    ended = pitledger("replay", round_[0], "--from", path)

    assert ended.code == 1
    assert "verdict: DIFFERENT: PayoutDue (payout) is derived, and not recorded" in ended.out
    assert "derived, not recorded: PayoutDue by settlement" in ended.out


def forged(stored):
    """The same settlement with one more cent for the house."""
    record = JournalRecord.FromString(stored.value)
    record.round_settled.totals.house_net_minor += 1
    return replace(stored, value=serialize(record))


def test_a_decision_that_is_recorded_otherwise_makes_the_round_different(
    pitledger, rewritten, round_
):
    path = rewritten(lambda records: [
        forged(stored)
        if of_round(stored, round_[0]) and type_of(stored) == "RoundSettled" else stored
        for stored in records
    ])

    ended = pitledger("replay", round_[0], "--from", path)

    assert ended.code == 1
    assert "is recorded, but not derived so" in ended.out
    assert "NOT DERIVED SO: changes nothing" in ended.out
    assert BESIDES not in ended.out  # the true one is not on the journal


def test_what_was_written_besides_the_true_decisions_is_told_to_have_moved_nothing(
    pitledger, rewritten, round_
):
    path = rewritten(lambda records: [
        each
        for stored in records
        for each in ((forged(stored), stored)
                     if of_round(stored, round_[0]) and type_of(stored) == "RoundSettled"
                     else (stored,))
    ])

    for what in (round_[0], "--all"):
        ended = pitledger("replay", what, "--from", path)
        assert ended.code == 1
        assert "verdict: DIFFERENT" in ended.out
        assert BESIDES in " ".join(ended.out.split())


def test_all_rounds_are_counted(pitledger, journal, records):
    ended = pitledger("replay", "--all", "--from", journal)

    assert ended.code == 0
    assert ended.out.startswith(f"12 rounds in {len(records):,} records: ")
    assert ended.out.endswith("verdict: identical: all 12 rounds\n")


def test_all_names_the_round_that_differs(pitledger, rewritten, round_):
    path = rewritten(lambda records: [
        forged(stored)
        if of_round(stored, round_[0]) and type_of(stored) == "RoundSettled" else stored
        for stored in records
    ])

    ended = pitledger("replay", "--all", "--from", path)
    as_json = json.loads(pitledger("replay", "--all", "--from", path, "--json").out)

    assert ended.code == 1
    assert f"{round_[1]}/{round_[2]} {round_[0]}: RoundSettled at offset" in ended.out
    assert ended.out.endswith("verdict: DIFFERENT: 1 of 12 rounds\n")
    assert (as_json["identical"], as_json["different"]) == (11, 1)
    assert [one["round_id"] for one in as_json["differences"]] == [round_[0]]


def test_an_open_round_of_a_file_says_so(pitledger, rewritten, records):
    last = list(rounds_of(records))[-1][0]
    path = rewritten(lambda records: [
        stored for stored in records
        if not of_round(stored, last) or type_of(stored) == "RoundOpened"
    ])

    ended = pitledger("replay", last, "--from", path)

    assert ended.code == 0
    assert ended.out.endswith("the round is open\n")


def test_a_name_that_is_none_is_bad_input(pitledger, journal):
    def line(*arguments):
        return pitledger("replay", *arguments, "--from", journal).line

    assert line("saigon").startswith("saigon: is neither TABLE/NUMBER nor the first 8 characters")
    assert line("saigon-001/x").startswith("saigon-001/x: found 'x' after the slash")
    assert line("/1").endswith("TABLE/NUMBER names a round")
    assert line("saigon-001/" + "9" * 5000).endswith("TABLE/NUMBER names a round")
    assert line("\udcff/1") == "\\udcff: is not UTF-8, as every table's id is"
    assert line("saigon-001/999") == f"saigon-001/999: no such round in {journal}"
    assert line("ffffffff") == f"ffffffff: no such round in {journal}"


def test_a_prefix_of_many_rounds_lists_them(pitledger, journal, records):
    ids = [round_id for round_id, _, _ in rounds_of(records)]

    line = pitledger("replay", ids[0][:8], "--from", journal).line

    assert line.startswith(f"{ids[0][:8]}: names ")
    assert ids[0] in line


@pytest.mark.parametrize(("arguments", "line"), [
    ([], "replay: give one ROUND, or --all"),
    (["aaaaaaaa", "--all"], "replay: give one ROUND, or --all"),
    (["--all", "--step"], "replay: --step and --until are for one ROUND"),
    (["--all", "--until", "5"], "replay: --step and --until are for one ROUND"),
    (["aaaaaaaa", "--step", "--json"], "replay: --step is for reading, --json is not"),
])
def test_options_that_do_not_go_together_are_said(pitledger, journal, arguments, line):
    assert pitledger("replay", *arguments, "--from", journal).line == line


@pytest.fixture
def live(monkeypatch, records):
    """Kafka as it is before the last settlement is recorded, so many ms after its cause."""

    def as_of(age_ms: int) -> str:
        last = max(index for index, s in enumerate(records) if type_of(s) == "RoundSettled")
        now_ns = (records[last].broker_time + age_ms) * 1_000_000
        monkeypatch.setattr(source.time, "time_ns", lambda: now_ns)
        monkeypatch.setattr(source, "_from_kafka", lambda _connection, partitions: (
            stored for stored in records[:last]
            if partitions is None or stored.partition in partitions))
        monkeypatch.setattr(
            "services.cli.replay.open_journal",
            lambda _source, _partitions: source.Journal("the topic", 48, Connection()))
        return dict(records[last].headers)["ce_subject"].decode()

    return as_of


def test_what_was_derived_just_now_on_kafka_may_still_come(pitledger, live):
    round_id = live(age_ms=2_000)

    one = pitledger("replay", round_id, "--from", "kafka")
    every = pitledger("replay", "--all", "--from", "kafka")

    assert (one.code, every.code) == (0, 0)
    assert "derived, not yet recorded: RoundSettled by settlement" in one.out
    assert "verdict: identical so far" in one.out


def test_what_has_not_come_for_long_on_kafka_is_not_called_different(pitledger, live):
    round_id = live(age_ms=60_000)

    one = pitledger("replay", round_id, "--from", "kafka")
    every = pitledger("replay", "--all", "--from", "kafka")

    assert (one.code, every.code) == (1, 1)
    assert "derived, not recorded: RoundSettled by settlement" in one.out
    assert "verdict: NOT ALL RECORDED: RoundSettled" in one.out
    assert every.out.endswith(
        "verdict: NOT ALL RECORDED: 11 of 12 rounds are identical, 1 lack decisions"
        " (pitledger doctor says whose they are)\n")


def with_escape(stored):
    """A wager's instrument that would turn a terminal red."""
    record = JournalRecord.FromString(stored.value)
    record.wager_requested.instrument = "chip\x1b[31m\nforged line"
    return replace(stored, value=serialize(record))


def test_control_characters_of_a_record_reach_no_terminal(pitledger, rewritten, round_):
    path = rewritten(lambda records: [
        with_escape(stored)
        if of_round(stored, round_[0]) and type_of(stored) == "WagerRequested" else stored
        for stored in records
    ])

    out = pitledger("replay", round_[0], "--from", path).out

    assert "\x1b" not in out
    assert "chip\\x1b[31m" in out
    assert "\nforged line" not in out


def test_rounds_of_a_version_that_this_build_does_not_know_are_not_called_different(
    pitledger, tmp_path
):
    table = Table()
    table.play()
    unknown = table.open(adjudication_version=7)
    table.close_table()
    path = tmp_path / "two.journal"
    write_file(path, House(table).run().log.all())
    where = ("--from", path, "--partitions", PARTITIONS)

    ended = pitledger("replay", "--all", *where)
    counts = json.loads(pitledger("replay", "--all", *where, "--json").out)
    one = pitledger("replay", unknown, *where)

    assert ended.code == one.code == 1
    said = "not judged: this build does not know adjudication version 7"
    assert f"{unknown}: {said}" in ended.out
    assert ended.out.endswith(
        "verdict: NOT ALL JUDGED: 1 of 2 rounds are identical, 1 are not judged by this build\n")
    assert (counts["identical"], counts["different"], counts["not_judged"]) == (1, 0, 1)
    assert "verdict: NOT JUDGED: this build does not know adjudication version 7" in one.out
