"""What the process that answers cases says of a journal that is not the one it read before."""

from types import SimpleNamespace

import kafka
import pytest
from kafka.errors import KafkaTimeoutError, LogTruncationError, OffsetOutOfRangeError

from pitledger.journal.record import JournalRecord
from pitledger.pb.cases_pb2 import CaseAnswered
from pitledger.sources.connection import Connection
from pitledger.sources.environment import Environment
from services.cases import process
from services.cases.answering import Answering
from services.cases.index import BadIndex, CaseIndex
from services.cases.indexed_cases import IndexedCases
from services.cases.settings import CasesSettings
from services.runtime import following
from services.runtime.following import JournalUnreadable
from tests.kit.log import Log
from tests.kit.table import Table


@pytest.fixture
def answering():
    return Answering(CasesSettings.from_environment(Environment({})))


class Cut:
    """A reader of a journal that lost its end."""

    def __init__(self, error):
        self.error = error

    def poll(self):
        raise self.error({})


@pytest.mark.parametrize("error", [LogTruncationError, OffsetOutOfRangeError])
@pytest.mark.parametrize("caught_up", [False, True])
def test_a_journal_that_was_cut_ends_it(answering, error, caught_up):
    answering._caught_up = caught_up
    with pytest.raises(JournalUnreadable, match="lost its end, or was made anew"):
        answering._poll(Cut(error))


def test_what_is_not_written_since_nobody_says_the_topic_is_the_reason(answering, monkeypatch):
    monkeypatch.setattr(following, "RETRY_S", 0)
    answering._waits_for = ""
    cases = SimpleNamespace(unseen={"1": SimpleNamespace(event_id="1")})
    topic = SimpleNamespace(is_known=lambda: False, why="topics: not allowed")
    answering._answer(cases, topic, 0.0)
    assert answering.reason() == "topics: not allowed"


def test_a_journal_that_cannot_be_read_on_is_one_line(monkeypatch, capsys):
    class Ends:
        def __init__(self, _settings):
            pass

        async def run(self):
            raise JournalUnreadable("partition 3: offset 17 is not to be had")

    monkeypatch.setattr(process, "Process", Ends)
    monkeypatch.setattr(process.logs, "configure", lambda *_args, **_named: None)
    with pytest.raises(SystemExit) as ended:
        process.run()
    assert ended.value.code == 70
    assert capsys.readouterr().err == "cases: partition 3: offset 17 is not to be had\n"


def test_after_a_failure_another_producer_looks_for_the_brokers_anew(answering, monkeypatch):
    monkeypatch.setattr(following, "RETRY_S", 0)

    class Producer:
        closed = False

        def send(self, *_args, **_settings):
            raise KafkaTimeoutError("no metadata")

        def close(self, timeout):
            self.closed = True

    old = answering._producer = Producer()
    made = []
    monkeypatch.setattr(
        Connection, "producer", lambda _self, idempotent: made.append(1) or Producer())
    record = JournalRecord(event_id="1", case_id="c", case_answered=CaseAnswered())
    due = SimpleNamespace(event_id="1", value=record.SerializeToString(), table_id="T1",
                          partition=0, body="case_answered", case_id="c")
    cases, topic = SimpleNamespace(unseen={"1": due}), SimpleNamespace(is_known=lambda: True)
    answering._waits_for = ""
    answering._answer(cases, topic, 0.0)
    assert old.closed
    assert "no metadata" in answering.reason()
    answering._answer(cases, topic, 1e6)
    assert made == [1]


class Topic:
    """A consumer of the topic of a log that may have lost its beginning."""

    def __init__(self, log, first=0):
        self.log, self.first, self.at = log, first, {}

    def beginning_offsets(self, tps):
        return {tp: min(self.first, len(self.log.records[tp.partition])) for tp in tps}

    def end_offsets(self, tps):
        return {tp: len(self.log.records[tp.partition]) for tp in tps}

    def assign(self, tps):
        self.at = {tp: self.at.get(tp, 0) for tp in tps}

    def assignment(self):
        return set(self.at)

    def seek(self, tp, offset):
        self.at[tp] = offset

    def poll(self, timeout_ms):
        found = {}
        for tp, offset in self.at.items():
            one = self.log.records[tp.partition][offset]
            found[tp] = [SimpleNamespace(
                offset=offset, timestamp=one.broker_time, headers=list(one.headers))]
        return found


@pytest.fixture
def places(tmp_path):
    """Where a process reads on whose index knows one journal, and whose topic is another."""
    table = Table(log=Log(4))
    table.play()
    path = str(tmp_path / "cases.sqlite")
    answering = Answering(CasesSettings.from_environment(Environment({
        "PITLEDGER_CASES_INDEX": path, "PITLEDGER_BROKER": "apache", "PITLEDGER_PARTITIONS": "4"})))
    tps = [kafka.TopicPartition(answering._connection.topic, number) for number in range(4)]
    index = CaseIndex(path, answering._connection.topic, 4)
    indexed = IndexedCases(index)
    for stored in table.log.all():
        indexed.take(stored)
    indexed.save()

    def call(log, first=0):
        found = answering._places(index, Topic(log, first), tps)
        return {tp.partition: offset for tp, offset in found.items() if offset}

    yield table.log, call
    index.close()


def test_the_journal_that_was_read_is_read_on_and_so_is_one_that_was_trimmed(places):
    log, places = places
    [(partition, end)] = [(n, len(each)) for n, each in enumerate(log.records) if each]
    Table(log=log).play()
    assert places(log) == places(log, end) == {partition: end}


def test_a_topic_that_was_made_anew_and_is_longer_is_another_journal(places):
    _, places = places
    anew = Log(4)
    anew.clock += 5_000
    table = Table(log=anew)
    for _ in range(3):
        table.play()
    with pytest.raises(BadIndex, match=r"where another record lies.*delete the index") as problem:
        places(anew)
    assert "\n" not in str(problem.value)


def test_a_topic_that_ends_before_what_was_read_is_another_journal(places):
    _, places = places
    with pytest.raises(BadIndex, match=r"it ends at 0.*delete the index"):
        places(Log(4))
