"""What the archivist says while it waits, and when it ends, without a broker."""

import threading
from dataclasses import replace

import pytest
from kafka.errors import KafkaTimeoutError, LogTruncationError, TopicAuthorizationFailedError

from pitledger.archive.collect import Waiting
from pitledger.archive.note import COSIGNATURE
from pitledger.sources.connection import BrokersAway, Connection, ConnectionFailed
from pitledger.sources.environment import Environment, SettingError
from pitledger.sources.topics import Identity
from services.archivist.archiving import Archiving
from services.archivist.settings import ArchiveSettings
from services.archivist.waiting import Watch, told
from services.cli.new_key import new_key
from services.runtime import following, same_topic
from services.runtime.following import JournalUnreadable

ONE = Identity("one", Connection().partitions)
ANOTHER = replace(ONE, id="another")


class Log:
    """Keeps what is logged."""

    def __init__(self):
        self.lines = []

    def warning(self, event, **fields):
        self.lines.append((event, fields))

    info = error = warning

    def told(self, event):
        return [fields for name, fields in self.lines if name == event]


class Follower:
    """A reader as a test wants it; it tells its reader to stop when nothing is left."""

    def __init__(self, stop, polls=()):
        self.polls, self.stop = list(polls), stop
        self.behind, self.silent, self.at_hole = 0, 0.0, None

    def poll(self):
        if not self.polls:
            self.stop.set()
            return []
        found = self.polls.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    def close(self):
        pass

    def lag(self):
        return self.behind

    def is_caught_up(self):
        return True

    def silent_s(self):
        return self.silent

    def hole(self):
        return self.at_hole


def test_the_archivist_takes_no_witness_key(tmp_path):
    key = tmp_path / "key"
    key.write_text(new_key("regulator", COSIGNATURE).text())
    variables = {"PITLEDGER_ARCHIVE": str(tmp_path), "PITLEDGER_ARCHIVE_KEY": str(key)}
    with pytest.raises(SettingError, match="is the key of a witness"):
        ArchiveSettings.from_environment(Environment(variables))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run an archiving whose follower a test has; what it logged."""
    key = tmp_path / "key"
    key.write_text(new_key("casino.example/floor").text())
    variables = {
        "PITLEDGER_ARCHIVE": str(tmp_path / "archive"),
        "PITLEDGER_ARCHIVE_KEY": str(key),
    }
    archiver = Archiving(ArchiveSettings.from_environment(Environment(variables)))
    archiver._log = Log()
    monkeypatch.setattr(following, "RETRY_S", 0)
    monkeypatch.setattr(same_topic, "identity", lambda *_: ONE)

    def run(follower):
        monkeypatch.setattr(following, "follow", lambda *_: follower)
        archiver.run(follower.stop)
        return archiver

    run.archiver = archiver
    return run


@pytest.fixture
def stop():
    return threading.Event()


def test_a_broker_that_is_away_is_told_once_and_waited_for(run, stop):
    away = KafkaTimeoutError("no answer")
    archiver = run(Follower(stop, [away, away, away, []]))
    (said,) = archiver._log.told("unreadable")
    assert "no answer" in said["error"]
    assert archiver.reason() == ""


def test_a_hole_that_does_not_heal_ends_it(run, stop):
    follower = Follower(stop, [[], []])
    follower.at_hole = 3, 17, 21.0
    with pytest.raises(JournalUnreadable, match="partition 3: offset 17 is not to be had"):
        run(follower)


def test_a_hole_that_may_heal_is_the_reason_why_it_is_not_ready(run, stop):
    follower = Follower(stop, [[]])
    follower.at_hole = 3, 17, 2.0
    assert run(follower).reason() == "partition 3: waits for offset 17, since 2 s"


def test_a_journal_that_was_cut_ends_it(run, stop):
    with pytest.raises(JournalUnreadable, match="lost its end, or was made anew"):
        run(Follower(stop, [LogTruncationError({})]))


def test_a_topic_that_was_made_anew_is_begun_with_again_and_nothing_of_it_is_signed(
    run, stop, monkeypatch
):
    there = iter([ONE, ANOTHER, ANOTHER, ANOTHER])
    monkeypatch.setattr(same_topic, "identity", lambda *_: next(there))
    log = run(Follower(stop, [[]]))._log
    assert log.told("topic made anew") == [{"topic": "pitledger.journal.v1"}]


def test_what_nobody_says_the_topic_of_is_signed_another_time(monkeypatch):
    answers = iter([ONE, ConnectionFailed("away"), ONE])

    def identity(*_):
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(same_topic, "identity", identity)
    topic = same_topic.SameTopic(Connection())
    assert not topic.is_known()
    assert not topic.is_known()  # and is not asked again at once
    topic._ask_from = 0
    assert topic.is_known()


def test_what_is_not_sealed_since_nobody_says_the_topic_is_told_once_and_keeps_it_unready(
    run, stop, monkeypatch
):
    """As where records may be read, and the topic may not be described."""
    away = ConnectionFailed("topics: TopicAuthorizationFailedError")
    answers = iter([ONE, away, away, away])

    def identity(*_):
        answer = next(answers, ONE)
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(same_topic, "identity", identity)
    monkeypatch.setattr(same_topic, "ASK_AGAIN_S", 0)
    follower = Follower(stop, [[], []])
    seen = []

    def poll():
        seen.append((archiver.reason(), archiver._all_sealed_at))
        if len(seen) == 6:
            stop.set()
        return []

    follower.poll = poll
    archiver = run.archiver
    archiver._settings = replace(archiver._settings, every_s=0)
    began = archiver._all_sealed_at
    run(follower)
    assert [reason for reason, _ in seen[1:5]] == [str(away), str(away), str(away), ""]
    assert archiver._log.told("unsealed") == [{"error": str(away)}]
    assert {at for _, at in seen[:4]} == {began} != {seen[4][1]}
    assert archiver.reason() == ""


def test_a_topic_that_was_given_more_partitions_ends_it(run, stop, monkeypatch):
    there = iter([ONE, replace(ONE, partitions=ONE.partitions + 2)])
    monkeypatch.setattr(same_topic, "identity", lambda *_: next(there))
    with pytest.raises(ConnectionFailed, match="partitions by now, must have"):
        run(Follower(stop, [[]]))


def test_silence_is_told_and_its_end_too(run, stop):
    follower = Follower(stop, [[], [], []])
    follower.silent = 11.0
    ends = iter((11.0, 11.0, 11.0, 11.0, 0.0))
    follower.silent_s = lambda: next(ends, 0.0)
    log = run(follower)._log
    assert len(log.told("no answer from Kafka")) == 1
    assert len(log.told("Kafka answers again")) == 1


def test_all_is_sealed_only_where_all_is_read(run, stop):
    follower = Follower(stop, [[]])
    follower.behind = 1_000_000
    archiver = run(follower)
    began = archiver._all_sealed_at
    assert archiver.standing().unsealed_s > 0
    assert archiver.standing().lag_records == 1_000_000
    assert archiver._all_sealed_at == began < archiver.turned_at


@pytest.mark.parametrize(
    ("error", "away"),
    [(KafkaTimeoutError(), True), (TopicAuthorizationFailedError(), False)],
)
def test_a_start_that_fails_says_whether_another_may_succeed(monkeypatch, error, away):
    def fails(*_):
        raise error

    monkeypatch.setattr(following, "Follower", fails)
    with pytest.raises(ConnectionFailed) as raised:
        following.follow(Connection(), None)
    assert isinstance(raised.value, BrokersAway) == away


def waits(number, over_at_ms=None, unjudged=""):
    return Waiting("T1", f"round-{number}", number, 3, 10, over_at_ms, ("RoundSettled",), unjudged)


def test_a_round_is_named_once_as_long_as_it_waits_too_long():
    log = Log()
    watch = Watch(log, wait_s=60)
    rounds = [waits(1), waits(2, over_at_ms=100_000), waits(3, unjudged="ValueError: odd")]
    watch.look(rounds, lambda partition: 160_000)
    assert [each.round_number for each in watch.named] == [3]
    for _ in range(2):
        watch.look(rounds, lambda partition: 160_001)
        assert [each.round_number for each in watch.named] == [2, 3]
    named = {fields["number"]: (fields["kind"], fields["why"]) for _, fields in log.lines}
    assert named == {
        2: ("lacking", "is over, and lacks RoundSettled"),
        3: ("unjudged", "is not judged by this build: ValueError: odd"),
    }
    assert len(log.lines) == 2
    watch.look([rounds[2]], lambda partition: 160_001)
    assert log.told("round waits no more") == [{"table": "T1", "round": "round-2"}]


def test_a_round_that_is_open_is_told_so():
    assert told(waits(1))["why"] == "is open"
