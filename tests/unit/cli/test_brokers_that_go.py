"""Brokers that go away in the middle of a command: one line, never a traceback."""

from types import SimpleNamespace

import pytest

from pitledger.sources import kafka
from pitledger.sources.connection import BrokersAway
from pitledger.sources.kafka import HoleInJournal
from services.cli import run as cli
from services.cli.case_desk import CaseDesk
from services.cli.output import Failed


@pytest.mark.parametrize("trouble", [BrokersAway("Kafka at b1: gone"), HoleInJournal("a hole")])
def test_a_command_whose_brokers_go_says_so_in_one_line(monkeypatch, capsys, trouble):
    def call(_arguments):
        raise trouble

    monkeypatch.setattr(cli, "_call", call)
    assert cli.run(["rounds"]) == 2
    assert capsys.readouterr().err == f"pitledger: {trouble}\n"


def test_a_bug_is_not_hidden_as_if_the_brokers_were_away(monkeypatch):
    monkeypatch.setattr(cli, "_call", lambda _arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        cli.run(["rounds"])


@pytest.mark.parametrize("trouble", [BrokersAway("Kafka at b1: gone"), HoleInJournal("a hole")])
def test_a_fact_that_is_written_and_cannot_be_read_back_may_be_given_again(monkeypatch, trouble):
    def read_topic(*_arguments):
        raise trouble
        yield

    monkeypatch.setattr(kafka, "read_topic", read_topic)
    desk = CaseDesk(SimpleNamespace(connection=object()), None, "T1", 3, None, {})
    with pytest.raises(Failed) as failed:
        desk._go_on(17, "01a2")
    assert str(failed.value) == (
        f"3:17: is written, and could not be read back ({trouble}); the same again, with"
        " --id 01a2, says what became of it"
    )
