"""What the doctor makes of a journal file: what waits, whose it is, and what to do."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pitledger.journal.record import TYPE_BYTES
from pitledger.pb import decisions_pb2, facts_pb2
from pitledger.sources.file import write_file
from services.simulation import simulate
from tests.kit.house import House
from tests.kit.house import build as other_build
from tests.kit.log import Log
from tests.kit.reading import read
from tests.kit.table import Table
from tests.unit.engine.test_failures_and_versions import raising_at

HOUR_MS = 3_600_000


@pytest.fixture
def examine(pitledger, tmp_path):
    """The doctor's answer as JSON, and as text, of a log."""

    def examined(log, *arguments, chains=None):
        path = tmp_path / "journal"
        write_file(path, log.all())
        with other_build(chains):
            command = ("doctor", "--from", path, "--partitions", log.partitions, *arguments)
            told = pitledger(*command, "--json")
            text = pitledger(*command)
        answer = json.loads(told.out)
        assert told.code == text.code == (1 if answer["waits"] else 0), told.err
        return answer, text.out

    return examined


def test_nothing_waits_on_a_journal_that_is_whole(examine):
    table = Table()
    table.play()
    House(table).run()

    answer, text = examine(table.log)

    assert (answer["waits"], answer["told"]) == ([], [])
    assert text.endswith("\nnothing waits\n")


def test_nothing_waits_after_a_simulation_with_faults_but_foul_play_is_told(pitledger, tmp_path):
    path = tmp_path / "journal"
    simulate(("saigon5", "five_card_hi_lo"), 4, 60, 5, True, path)

    ended = pitledger("doctor", "--from", path, "--json")

    answer = json.loads(ended.out)
    assert (ended.code, answer["waits"]) == (0, [])
    kinds = {finding["kind"] for finding in answer["told"]}
    assert {"foreign", "no_fact"} <= kinds
    assert answer["read"]["whole"] is True


def test_a_missing_decision_is_named_with_its_owner_and_who_waits_for_it(examine):
    table = Table().to_payout()
    house = House(table)
    house.down.add("dealing")
    house.run()

    answer, text = examine(table.log)

    (finding,) = answer["waits"]
    assert (finding["kind"], finding["owner"]) == ("missing", "dealing")
    assert (finding["table"], finding["round_id"]) == ("T1", table.round_id)
    assert finding["since"].startswith("2027-01-15T08:00:00")
    assert "HandsDealt by dealing missing since 2027-01-15 08:00:00 UTC" in text
    assert "; evaluation and settlement wait for it\n" in text
    assert "-> see whether dealing runs" in text


def test_of_several_processors_that_are_down_the_first_in_the_chain_is_named(examine):
    table = Table().to_payout()
    house = House(table)
    house.down |= {"evaluation", "settlement"}
    house.run()

    (finding,) = examine(table.log)[0]["waits"]

    assert (finding["owner"], finding["kind"]) == ("evaluation", "missing")
    assert "2 RequestAnswered and HandsEvaluated by evaluation missing since" in finding["text"]
    assert finding["text"].endswith("; settlement waits for it")


def test_another_answer_in_its_place_points_at_another_build(examine):
    table = Table().to_payout()
    house = House(table)
    house.down.add("dealing")
    house.run()
    [due] = [d for d in read(table).decisions if d.body == "hands_dealt"]
    forged = table.record("hands_dealt", decisions_pb2.HandsDealt(revision=7),
                          event_id=due.event_id, source="dealing")
    stored = table.log.put(forged)

    answer, text = examine(table.log)

    (finding,) = answer["waits"]
    assert (finding["owner"], finding["offset"]) == ("dealing", stored.offset)
    assert "two builds derive other bytes" in finding["do"]
    assert [told["kind"] for told in answer["told"]] == ["foreign"]
    assert "by dealing: 1 decision that the facts do not derive so\n" in text


def test_a_bug_of_this_build_is_told_with_its_position_and_the_exception(examine):
    table = Table()
    table.play()
    table.to_payout({1: "unlucky"})
    unlucky = table.round_id
    table.play((3,))
    House(table).run()

    answer, text = examine(table.log, chains={1: raising_at("no_more_bets")})

    (finding,) = answer["waits"]
    assert (finding["kind"], finding["round_id"]) == ("blocked", unlucky)
    at = table.log.all()[finding["offset"]]
    assert dict(at.headers)["ce_type"] == TYPE_BYTES["no_more_bets"]
    assert "ZeroDivisionError: a bug" in finding["text"]
    assert finding["detail"].startswith("Traceback")
    assert "-> nothing is lost" in text
    assert examine(table.log)[0]["waits"] == []


def test_a_round_of_an_unknown_version_waits_for_a_build_that_knows_it(examine):
    table = Table()
    table.open(adjudication_version=9)
    House(table).run()

    (finding,) = examine(table.log)[0]["waits"]

    assert (finding["kind"], finding["table"]) == ("unknown_version", "T1")
    assert "does not know adjudication version 9" in finding["text"]


def test_a_held_table_waits_and_what_was_played_there_is_told(examine):
    table = Table()
    held = table.fact("table_held", facts_pb2.TableHeld(reason="a claim"), round_id="", actor="s1")
    table.play()
    House(table).run()

    answer, text = examine(table.log)

    (finding,) = answer["waits"]
    assert (finding["kind"], finding["detail"]) == ("held", held)
    assert [told["kind"] for told in answer["told"]] == ["hold_broken", "hold_broken"]
    assert "-> find out what it is about; then: pitledger hold release" in text


def test_an_open_round_is_old_after_some_hours_or_with_the_next_gaming_day(examine):
    log = Log()
    late, early = Table(log=log), Table(table_id="T2", log=log)
    early.open(gaming_day="2027-01-14")
    log.clock += HOUR_MS // 2
    late.open(gaming_day="2027-01-14")
    House(log).run()
    assert examine(log)[0]["waits"] == []

    log.clock += HOUR_MS * 3 // 4
    late.play(gaming_day="2027-01-14")
    House(log).run()
    (finding,) = examine(log)[0]["waits"]
    assert (finding["kind"], finding["table"]) == ("old_round", "T2")
    assert examine(log, "--hours", 3)[0]["waits"] == []

    late.play(gaming_day="2027-01-15")
    House(log).run()
    (finding,) = examine(log, "--hours", 3)[0]["waits"]
    assert "of the gaming day 2027-01-14, and 2027-01-15 has begun" in finding["text"]


def test_builds_that_started_are_told(examine):
    table = Table()
    started = facts_pb2.ProcessorStarted(processor="wagers", build="0.1.0+abc", instance="w-1")
    table.fact("processor_started", started, round_id="")

    answer, text = examine(table.log)

    (build,) = answer["builds"]
    assert (build["processor"], build["build"], build["instance"]) == ("wagers", "0.1.0+abc", "w-1")
    assert "wagers started 2027-01-15 08:00:00 UTC as w-1, build 0.1.0+abc\n" in text


def test_of_many_alike_some_are_shown_and_all_are_counted(examine):
    log = Log()
    for number in range(25):
        Table(table_id=f"T{number}", log=log).to_payout()
    house = House(log)
    house.down.add("settlement")
    house.run()

    answer, text = examine(log)

    assert len(answer["waits"]) == 25
    assert text.count(" missing since ") == 10
    assert "... and 15 more alike (--json has all)\n" in text


def test_where_nobody_decides_all_that_has_no_gate_is_missing(examine):
    table = Table().to_payout()

    answer, _ = examine(table.log)

    assert {finding["owner"] for finding in answer["waits"]} == {"wagers", "evaluation"}


def test_bad_input_is_one_line(pitledger, tmp_path, journal):
    none = tmp_path / "none"
    assert pitledger("doctor", "--from", none).line == f"{none}: No such file or directory"
    assert pitledger("doctor", "--from", journal, "--processors", "x:1").line == (
        "--processors x:1: is no URL; give http://HOST:PORT")


def test_a_process_without_a_status_is_not_said_to_be_down(pitledger, journal):
    class Auditor(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_error(404)

        def log_message(self, *_arguments):
            pass

    with HTTPServer(("127.0.0.1", 0), Auditor) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        ended = pitledger("doctor", "--from", journal, "--processors", url)

    assert ended.code == 1
    assert f"{url} answers, but has no /status as the four processors have\n" in ended.out
    assert "see whether the process runs" not in ended.out


def test_of_a_file_nobody_is_sent_to_the_quarantine_of_kafka(pitledger, tmp_path):
    path = tmp_path / "journal"
    simulate(("saigon5", "five_card_hi_lo"), 4, 60, 5, True, path)

    ended = pitledger("doctor", "--from", path)

    assert "that changed nothing: " in ended.out
    assert "who may write to the journal?\n" in ended.out
    assert "quarantine" not in ended.out


def test_a_process_that_does_not_answer_is_said(pitledger, journal):
    url = "http://127.0.0.1:1"

    ended = pitledger("doctor", "--from", journal, "--processors", url)

    assert ended.code == 1
    assert f"{url} does not answer: " in ended.out
