"""Holds in a journal file: listed, and a round opened or closed all the same is shown."""

import json

import pytest

from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

PARTITIONS = ("--partitions", 4)


def hold(table, reason="a claim"):
    message = facts_pb2.TableHeld(reason=reason, about_id="case-1")
    return table.fact("table_held", message, round_id="", actor="s1")


def release(table, held_id):
    message = facts_pb2.TableReleased(reason="settled", held_id=held_id)
    return table.fact("table_released", message, round_id="", actor="s1")


@pytest.fixture
def journal(tmp_path):
    """T1: a round, a hold, a round that is opened and closed all the same. T2: held, released."""
    log = Log()
    first, second = Table(log=log), Table(table_id="T2", log=log)
    first.play()
    hold(first, "the count is off")
    first.play()
    release(second, hold(second))
    second.play()
    House(log).run()
    path = tmp_path / "journal"
    write_file(path, log.all())
    return path


def test_holds_in_force_are_listed_with_who_and_why(pitledger, journal):
    (held,) = json.loads(
        pitledger("hold", "list", "--from", journal, "--json", *PARTITIONS).out)["holds"]
    line = pitledger("hold", "list", "--from", journal, *PARTITIONS).out

    assert (held["table_id"], held["reason"], held["actor"]) == ("T1", "the count is off", "s1")
    assert line == (
        f"T1: held since 2027-01-15 08:00:00 UTC by s1, about case-1: the count is off"
        f" (hold {held['event_id']})\n")
    ended = pitledger("hold", "list", "--from", journal, "--table", "T2", *PARTITIONS)
    assert (ended.code, ended.out) == (0, "no table is held\n")


def test_a_round_played_at_a_held_table_is_marked_in_the_list(pitledger, journal):
    rows = json.loads(pitledger("rounds", "--from", journal, "--json", *PARTITIONS).out)["rounds"]
    shown = pitledger("rounds", "--from", journal, *PARTITIONS).out

    assert {(row["table"], row["number"]): row["while_held"] for row in rows} == {
        ("T1", 1): [], ("T1", 2): ["opened", "closed"], ("T2", 1): []}
    assert shown.count("settled*") == 1
    assert "* opened or closed while the table was held: 1\n" in shown


def test_a_round_played_at_a_held_table_says_so_beside_its_verdict(pitledger, journal):
    ended = pitledger("replay", "T1/2", "--from", journal, *PARTITIONS)
    told = json.loads(pitledger("replay", "T1/2", "--from", journal, "--json", *PARTITIONS).out)

    assert ended.code == 0
    assert "\nthe round was opened although the table was held since 2027-01-15 " in ended.out
    assert "\nthe round was closed although the table was held since " in ended.out
    assert [breach["what"] for breach in told["while_held"]] == ["opened", "closed"]
    plain = pitledger("replay", "T1/1", "--from", journal, *PARTITIONS)
    assert "although" not in plain.out
