"""The journal as it grows, for whoever watches."""

from typing import Any

import kafka

from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection
from pitledger.sources.kafka import stored_of


class Follower:
    """Reads all partitions from their start; each in the order of its offsets, without a gap."""

    def __init__(self, connection: Connection) -> None:
        self._consumer = kafka.KafkaConsumer(
            group_id=None,
            enable_auto_commit=False,
            fetch_max_wait_ms=200,
            max_poll_records=5_000,
            **connection.client_settings(),
        )
        tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
        self._consumer.assign(tps)
        self._next: dict[Any, int] = dict.fromkeys(tps, 0)
        for tp in tps:
            self._consumer.seek(tp, 0)

    def poll(self) -> list[Stored]:
        """What is there now; [] where nothing is."""
        batches = self._consumer.poll(timeout_ms=50)
        return [stored for tp, batch in batches.items() for stored in self._in_order(tp, batch)]

    def close(self) -> None:
        self._consumer.close()

    def _in_order(self, tp: Any, messages: list[Any]) -> list[Stored]:
        found = []
        for message in messages:
            if message.offset > self._next[tp]:
                # The embedded broker at times shows offset n + 1 before n: read it again.
                self._consumer.seek(tp, self._next[tp])
                break
            if message.offset == self._next[tp]:
                self._next[tp] += 1
                found.append(stored_of(message))
        return found
