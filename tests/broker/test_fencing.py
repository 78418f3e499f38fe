"""A static member of a group tells its own old place there from another process that took it."""

import signal
import time
from contextlib import closing

import pytest

from pitledger.sources.environment import Environment
from services.runtime.fencing import holder_of_instance, is_replaced
from services.runtime.settings import Settings
from tests.broker.rig import Rig, wait_until


@pytest.fixture
def kind():
    return "apache"


def settings_of(rig):
    return Settings.from_environment("wagers", Environment(rig.environment(INSTANCE="a")))


def test_the_holder_of_an_instance_is_no_other_if_it_is_oneself(rig):
    rig.create().start(INSTANCE="a").wait_ready()
    settings = settings_of(rig)
    holder = holder_of_instance(settings, own=())
    assert holder.startswith("a-")
    assert holder_of_instance(settings, own=("before", holder)) == ""
    assert holder_of_instance(settings, own=("before",)) == holder


def test_a_member_of_our_name_that_is_not_known_is_another_if_it_outlives_a_session(rig):
    worker = rig.create().start(INSTANCE="a")
    worker.wait_ready()
    assert is_replaced(settings_of(rig), own=())
    worker.kill()
    assert holder_of_instance(settings_of(rig), own=()) != ""
    assert not is_replaced(settings_of(rig), own=())


def test_a_member_that_lost_its_own_id_before_it_knew_it_joins_again(rig):
    """As a commit of the old generation does, whose refusal comes after the new join."""
    worker = rig.create().start("forgetful", INSTANCE="a")
    worker.wait_ready()
    rig.wait_answered(rig.send(20))
    assert worker.process.poll() is None
    assert worker.events().count("assigned") >= 2
    assert [line for line in worker.lines() if line["level"] == "critical"] == []


def test_a_broker_whose_answer_cannot_be_read_names_nobody_else(embedded_broker, tmp_path):
    with closing(Rig(embedded_broker, "embedded", tmp_path)) as rig:
        rig.create().start(INSTANCE="a").wait_ready()
        assert holder_of_instance(settings_of(rig), own=()) == ""


@pytest.mark.timeout(400)
@pytest.mark.parametrize("stopped_s", [4.5, 12])
def test_a_static_member_that_was_suspended_while_others_joined_comes_back(rig, stopped_s):
    worker = rig.create().start(INSTANCE="a")
    rig.start().wait_ready()
    worker.wait_ready()
    other = rig.start()
    wait_until(lambda: other.line("http"), "the third worker's start", 120)
    # It joins in a moment; 3 s later the group goes on without us, and 3 s later still forgets us.
    worker.process.send_signal(signal.SIGSTOP)
    time.sleep(stopped_s)
    worker.process.send_signal(signal.SIGCONT)
    wait_until(lambda: other.line("assigned"), "the third worker", 120)
    worker.wait_ready()
    ids = rig.send(20)
    rig.wait_answered(ids)
    assert worker.process.poll() is None
    assert [line for line in worker.lines() if line["level"] == "critical"] == []
