"""What a rival's process is told: OWNER BOOTSTRAP TOPIC GROUP PARTITIONS GATHER_MS."""

import gc
import sys
from dataclasses import dataclass

COMMIT_S = 0.5
SESSION_MS = 6_000
"""As in our own shell."""
GATHERED_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Place:
    """Whose decisions to write, and where."""

    owner: str
    bootstrap: str
    topic: str
    group: str
    partitions: int
    gather_ms: int

    @classmethod
    def from_arguments(cls) -> "Place":
        owner, bootstrap, topic, group, partitions, gather_ms = sys.argv[1:]
        return cls(owner, bootstrap, topic, group, int(partitions), int(gather_ms))

    def consumer(self) -> dict[str, str | int]:
        """librdkafka's settings; the broker gathers records as it does for our own shell."""
        settings: dict[str, str | int] = {"session.timeout.ms": SESSION_MS}
        if self.gather_ms:
            settings |= {
                "fetch.wait.max.ms": self.gather_ms,
                "fetch.min.bytes": GATHERED_BYTES,
            }
        return settings

    def producer(self) -> dict[str, str | bool]:
        """As our own shell's, uncompressed too; librdkafka's five milliseconds of linger stay."""
        return {"acks": "all", "enable.idempotence": True}


def settle_memory() -> None:
    """What is loaded stays: the same for all shells."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
