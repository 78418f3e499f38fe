"""A journal that is deleted and made anew under the processors, or is given more partitions.

Records of the new topic may follow on the old one's without a gap: no offset tells.
"""

import signal

import pytest

from pitledger.sources.topics import create_topics
from services.runtime.settings import OWNERS
from tests.broker.rig import wait_until

RECORDS = 8
pytestmark = pytest.mark.parametrize("kind", ["apache"])


@pytest.fixture
def workers(rig):
    """One of each processor, with a journal that it has read."""
    create_topics(rig.connection)
    workers = [rig.start(module=f"services.{owner}") for owner in OWNERS]
    for worker in workers:
        worker.wait_ready()
    rig.send(RECORDS)
    wait_until(lambda: all(map(_knows_its_topic, workers)), "all know their topic")
    return workers


def test_a_topic_made_anew_while_nobody_looks_ends_every_processor(rig, workers):
    for worker in workers:
        worker.process.send_signal(signal.SIGSTOP)
    delete(rig)
    wait_until(lambda: is_created(rig), "the topic made anew")
    rig.send(3 * RECORDS)
    for worker in workers:
        worker.process.send_signal(signal.SIGCONT)
    assert [worker.wait_exit(60) for worker in workers] == [70] * len(OWNERS)
    for worker in workers:
        assert "was made anew" in worker.lines()[-1]["event"]


def test_a_journal_that_lost_its_end_ends_every_processor(rig, workers):
    wait_until(lambda: sum(rig.committed().values()) == sum(rig.ends().values()), "commits", 60)
    for worker in workers:
        worker.process.send_signal(signal.SIGSTOP)
    delete(rig)
    wait_until(lambda: is_created(rig), "the topic made anew")
    rig.send(2)
    for worker in workers:
        worker.process.send_signal(signal.SIGCONT)
    assert [worker.wait_exit(60) for worker in workers] == [70] * len(OWNERS)
    for worker in workers:
        assert "lost its end" in worker.lines()[-1]["event"]


def test_a_start_with_a_commit_past_the_end_ends_with_70_and_says_why(rig):
    create_topics(rig.connection)
    rig.send(4)
    rig.commit({0: 9, 1: 1})
    worker = rig.start(module="services.wagers")
    assert worker.wait_exit(90) == 70
    assert "partition 0: ends at offset 2, before the commit 9" in worker.lines()[-1]["error"]


def test_a_start_after_it_reads_the_new_topic_from_its_beginning(rig, workers):
    wait_until(lambda: len(rig.quarantined()) == RECORDS, "those of the old one are kept")
    for worker in workers:
        worker.kill()
    delete(rig)
    wait_until(lambda: is_created(rig), "the topic made anew")
    rig.send(3 * RECORDS)
    worker = rig.start(module="services.wagers")
    worker.wait_ready()
    wait_until(lambda: len(rig.quarantined()) == RECORDS + 3 * RECORDS, "all are kept")
    assert sum(rig.committed().values()) <= 3 * RECORDS


def test_a_topic_that_is_given_more_partitions_ends_every_processor(rig, workers):
    admin = rig.connection.admin()
    partitions = rig.connection.partitions
    admin.create_partitions({rig.connection.topic: partitions + 2})
    admin.close()
    assert [worker.wait_exit(60) for worker in workers] == [2] * len(OWNERS)
    line = f"has {partitions + 2} partitions by now, must have {partitions}"
    for worker in workers:
        assert line in worker.lines()[-1]["event"]


def _knows_its_topic(worker):
    return worker.line("the topic") is not None


def delete(rig):
    admin = rig.connection.admin()
    admin.delete_topics([rig.connection.topic])
    admin.close()


def is_created(rig):
    try:
        create_topics(rig.connection)
    except Exception:  # the old one is still on its way out
        return False
    return True
