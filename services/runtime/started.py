"""The fact that a processor started: for the record, nothing waits for it."""

import os
import secrets
import socket
import time

from pitledger.journal.ids import fact_id
from pitledger.journal.record import JournalRecord
from pitledger.pb import facts_pb2
from services.runtime.build import build
from services.runtime.settings import Settings


def name_of(settings: Settings) -> str:
    """This process among those of its processor: its static membership's name, else host:pid."""
    return settings.instance or f"{socket.gethostname()}:{os.getpid()}"


def started(settings: Settings) -> JournalRecord:
    """A ProcessorStarted of now; it is no table's, so it has a key of its own."""
    now_us = time.time_ns() // 1000
    return JournalRecord(
        event_id=fact_id(now_us // 1000, secrets.randbits(74)),
        table_id=f"processor/{settings.owner}",
        occurred_at=now_us,
        source=settings.owner,
        processor_started=facts_pb2.ProcessorStarted(
            processor=settings.owner, build=build(), instance=name_of(settings)
        ),
    )
