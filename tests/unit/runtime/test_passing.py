"""A coordinator that answers an error in passing is asked again, and it is said."""

import asyncio
import inspect
from types import SimpleNamespace

import pytest
from aiokafka import errors
from aiokafka.consumer.group_coordinator import CoordinatorGroupRebalance, GroupCoordinator
from aiokafka.consumer.subscription_state import SubscriptionState

from services.runtime import consumer as module
from services.runtime.consumer import JournalConsumer
from services.runtime.passing import may_pass

UNKNOWN = errors.KafkaError(repr(errors.UnknownError()))
FATAL = errors.GroupAuthorizationFailedError("a group")


@pytest.mark.parametrize("step", ["perform_group_join", "_send_sync_group_request"])
def test_aiokafka_tells_of_an_answer_it_has_no_branch_for_by_its_text(step):
    source = inspect.getsource(getattr(CoordinatorGroupRebalance, step))
    assert "raise Errors.KafkaError(repr(err))" in source


def test_what_may_pass_is_an_unknown_error_and_whatever_another_attempt_mends():
    for passing in (errors.UnknownError, errors.RequestTimedOutError, errors.KafkaStorageError):
        assert may_pass(errors.KafkaError(repr(passing())))
    for fatal in (
        FATAL,
        errors.KafkaError(),
        errors.KafkaError(repr(errors.InvalidGroupIdError())),
        errors.KafkaError("Unexpected exception in heartbeat task: UnknownError()"),
        ValueError("UnknownError()"),
    ):
        assert not may_pass(fatal)


class Consumer(JournalConsumer):
    """Only what is looked at here; the coordinator is aiokafka's own."""

    def __init__(self, coordinator):
        self._thread = SimpleNamespace(
            _consumer=SimpleNamespace(_coordinator=coordinator),
            thread_loop=asyncio.get_running_loop(),
        )
        self._refused_since = None
        self.shell = SimpleNamespace(settings=SimpleNamespace(group="g.wagers"))


@pytest.fixture
def said(monkeypatch):
    lines = []
    log = SimpleNamespace(warning=lambda line, **fields: lines.append((line, fields["error"])))
    monkeypatch.setattr(module.logs, "get", lambda _name: log)
    return lines


def coordinated(look):
    """Run `look` on a consumer and a coordinator to whom nothing was subscribed yet."""

    async def run():
        cluster = SimpleNamespace(
            request_update=lambda: None, add_listener=lambda _listener: None, topics=lambda: ()
        )
        client = SimpleNamespace(cluster=cluster, api_version=(2, 3))
        subscription = SubscriptionState()
        subscription.register_fetch_waiters(set())
        coordinator = GroupCoordinator(client, subscription, group_id="g.wagers")
        try:
            return await look(Consumer(coordinator), coordinator)
        finally:
            coordinator._coordination_task.cancel()

    return asyncio.run(run())


def test_an_error_that_may_pass_is_said_and_taken_so_that_the_group_is_joined_again(said):
    async def look(consumer, coordinator):
        told = coordinator._push_error_to_user(UNKNOWN)
        assert consumer._group_error() is None
        await asyncio.wait_for(told, 30)  # what joins the group waits for this
        assert consumer._group_error() is None

    coordinated(look)
    assert said == [
        ("the group's coordinator refuses, which may pass: tried again", "UnknownError()")
    ]


def test_one_that_does_not_pass_for_long_is_told(said, monkeypatch):
    async def look(consumer, coordinator):
        coordinator._push_error_to_user(UNKNOWN).close()
        assert consumer._group_error() is None
        monkeypatch.setattr(module, "PASSING_S", -1)
        return consumer._group_error()

    assert may_pass(coordinated(look))


def test_one_that_cannot_pass_is_told_at_once(said):
    async def look(consumer, coordinator):
        coordinator._push_error_to_user(FATAL).close()
        return consumer._group_error()

    assert isinstance(coordinated(look), errors.GroupAuthorizationFailedError)
    assert said == []


@pytest.mark.parametrize(("error", "ends"), [(UNKNOWN, False), (FATAL, True)])
def test_the_batch_loop_goes_on_after_an_error_that_may_pass(error, ends):
    async def wait_next_records(_timeout):
        raise error

    consumer = SimpleNamespace(_wait_next_records=wait_next_records)
    fetched = JournalConsumer._next_records(consumer)
    if ends:
        with pytest.raises(errors.GroupAuthorizationFailedError):
            asyncio.run(fetched)
    else:
        assert asyncio.run(fetched) == {}
