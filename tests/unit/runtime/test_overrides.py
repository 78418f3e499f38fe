"""What is overridden must be there to be overridden: an upgrade that renames it is seen at once.

That each override does what it must is tested on real brokers, in `tests/broker`.
"""

import asyncio
import importlib.metadata
import inspect
from types import SimpleNamespace

import pytest
from aiokafka.consumer.fetcher import Fetcher

from services.runtime import app, consumer, main

OVERRIDES = {
    consumer.JournalConsumer: {
        "_drain_messages",
        "_filter_tps_with_pending_acks",
        "_new_consumer_thread",
        "_new_offset",
        "crash",
        "on_partitions_assigned",
        "on_partitions_revoked",
        "perform_seek",
        "verify_event_path",
    },
    consumer.JournalConsumerThread: {
        "_create_worker_consumer",
        "crash",
        "on_start",
        "seek_to_committed",
    },
    app._Recovery: {"_wait", "crash"},
    main._Worker: {"_schedule_shutdown", "_shutdown_loop"},
    app.ProcessorApp: {"_new_transport", "crash", "on_first_start", "on_shutdown", "on_start"},
}


@pytest.mark.parametrize("package", [("faust-streaming", "0.15.3"), ("aiokafka", "0.14.0")])
def test_the_versions_are_those_whose_internals_were_read(package):
    name, version = package
    assert importlib.metadata.version(name) == version


@pytest.mark.parametrize(
    ("ours", "name"), [(ours, name) for ours, names in OVERRIDES.items() for name in sorted(names)]
)
def test_an_override_overrides_something_of_the_same_shape(ours, name):
    base = next(getattr(parent, name) for parent in ours.__mro__[1:] if name in vars(parent))
    mine = vars(ours)[name]
    assert inspect.iscoroutinefunction(mine) == inspect.iscoroutinefunction(
        inspect.unwrap(base)
    ) or inspect.isasyncgenfunction(base)
    shape = [p for p in inspect.signature(base).parameters.values() if p.name != "self"]
    own = [p for p in inspect.signature(mine).parameters.values() if p.name != "self"]
    assert len(own) == len(shape)


def test_fausts_own_judgement_of_progress_is_silent():
    """It goes by streams, which see nothing, and would raise a false alarm after five minutes."""
    assert consumer.JournalConsumer.verify_event_path(None, 1e9, None) is None


def test_a_transport_makes_our_consumer():
    assert consumer.JournalTransport.Consumer is consumer.JournalConsumer


def test_a_fetch_is_sent_by_what_is_spaced():
    """`space_fetches` puts its own in the place of this method of a fetcher that is at work."""
    assert list(inspect.signature(Fetcher._proc_fetch_request).parameters) == [
        "self",
        "assignment",
        "node_id",
        "request",
    ]
    assert "self._proc_fetch_request(assignment, node_id, request)" in inspect.getsource(
        Fetcher._fetch_requests_routine
    )


@pytest.mark.parametrize(("told_at", "dies"), [(None, True), (1.0, False)])
def test_a_worker_that_failed_ends_as_one_that_failed_unless_it_was_told_to_stop(told_at, dies):
    """Faust's fetcher, cancelled amid a rebalance by the end of the process, counts as failed."""
    died = []
    worker = object.__new__(main._Worker)
    shell = SimpleNamespace(die=lambda reason, **more: died.append(reason))
    worker.app = SimpleNamespace(shell=shell)
    worker.crash_reason, worker._signal_stop_time = asyncio.CancelledError(), told_at
    worker._shutdown_loop()
    assert died == (["the worker failed"] if dies else [])
