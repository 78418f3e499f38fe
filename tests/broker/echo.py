"""A stand-in engine for the shell's contract tests: each fact derives one decision, its echo.

As with the real one, a decision is expected until it is read, the watermark is the first fact
whose echo was not, nothing below the watermark is folded, and nothing is emitted before live.
Facts are told apart from echoes by `ce_type`. The value of a fact may ask for more: "raise",
"quarantine", "refold".
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from pitledger.engine import Alarm, Effect, Emit, Hole, Quarantine, Refold

FACT, ECHO = b"test.Fact", b"test.Echo"


@dataclass(slots=True)
class _Part:
    next: int
    watermark: int
    end: int | None
    memory_since: int | None
    live: bool = False
    expected: dict[str, tuple[int, Emit]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Decision:
    event_id: str
    round_id: str
    owner: str = "wagers"
    question: str = "echo"


class EchoEngine:
    """The interface of `pitledger.engine.Engine`."""

    def __init__(self, owner: str, partitions: int) -> None:
        self.owner, self.partitions = owner, partitions
        self.counts: Counter[tuple[str, str]] = Counter()
        self._parts: dict[int, _Part] = {}

    def on_assigned(self, partition, *, watermark, end, memory=(), memory_since=None):
        part = self._parts[partition] = _Part(watermark, watermark, end, memory_since)
        return self._go_live(part)

    def on_record(self, partition, offset, broker_time, key, headers, value) -> list[Effect]:
        part = self._parts[partition]
        if offset < part.next:
            return []
        if offset > part.next:
            raise Hole(partition, part.next, offset)
        part.next += 1
        effects = self._fold(part, partition, offset, broker_time, key, headers, value)
        return effects + self._go_live(part)

    def _fold(self, part, partition, offset, broker_time, key, headers, value):
        attributes = dict(headers)
        event_id = attributes["ce_id"].decode()
        if attributes["ce_type"] == ECHO:
            self.counts["decision_seen", "echo"] += 1
            if part.expected.pop(event_id, None) is None:
                self.counts["duplicate", ""] += 1
            return []
        self.counts["fact", "fact"] += 1
        match value:
            case b"raise":
                raise ValueError("a bug of the shell's side")
            case b"quarantine":
                return [
                    Quarantine(partition, offset, "test", key, tuple(headers), value),
                    Alarm(partition, offset, "not_a_fact", key.decode(), "", event_id, "test"),
                ]
            case b"refold" if part.memory_since is not None and broker_time < (
                part.memory_since + 15 * 60 * 1000 + 1000
            ):
                part.next = offset
                return [Refold(partition, broker_time - 1000)]
        emit = _echo(partition, event_id, key, value)
        part.expected[emit.event_id] = (offset, emit)
        return [emit] if part.live else []

    def _go_live(self, part):
        if part.live or part.end is None or part.next < part.end:
            return []
        part.live = True
        return [emit for _, emit in part.expected.values()]

    def committable(self, partition):
        part = self._parts[partition]
        oldest = next(iter(part.expected.values()), (part.next, None))[0]
        return max(part.watermark, min(part.next, oldest))

    def next_offset(self, partition):
        return self._parts[partition].next

    def is_live(self, partition):
        return self._parts[partition].live

    def outstanding(self, partition) -> Sequence[Emit]:
        part = self._parts[partition]
        return [emit for _, emit in part.expected.values()] if part.live else []

    def open_rounds(self, partition):
        return len(self._parts[partition].expected)

    def oldest_unseen(self, partition):
        for _, emit in self._parts[partition].expected.values():
            return emit.table_id, _Decision(emit.event_id, emit.round_id)
        return None

    def shut_gates(self, partition):
        return 0


def headers_of(event_id: str, kind: bytes = FACT) -> tuple[tuple[str, bytes], ...]:
    return (
        ("ce_specversion", b"1.0"),
        ("ce_id", event_id.encode()),
        ("ce_type", kind),
        ("ce_subject", b"round"),
    )


def _echo(partition: int, event_id: str, key: bytes, value: bytes) -> Emit:
    caused_at_us = int(event_id.rsplit("-", 1)[1])
    return Emit(
        partition, event_id, "test.Echo", "round", key.decode(), caused_at_us, key,
        headers_of(event_id, ECHO), value,
    )
