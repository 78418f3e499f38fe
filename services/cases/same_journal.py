"""Whether the journal on Kafka is the one that an index was made from, before it is read on."""

from typing import Any

from services.archivist.cuts import must_read
from services.cases.index import BadIndex, CaseIndex


def require_same(index: CaseIndex, name: str, consumer: Any, tps: list[Any]) -> None:
    """Each partition reaches as far as the index knows it, and the newest opening that was read of
    it lies where it lay: a topic that was made anew may be longer than the old one.

    `name`: of the index, or of the archive that filled it. Assigns the consumer. Raises BadIndex,
    KafkaError.
    """
    begins, ends = consumer.beginning_offsets(tps), consumer.end_offsets(tps)
    resume, openings = index.resume(), index.newest_openings()
    looked_at = {}
    for tp in tps:
        known = resume.get(tp.partition, 0)
        if ends[tp] < known:
            raise _of_another(name, tp, f"up to offset {known}, and it ends at {ends[tp]}")
        offset, *_ = openings.get(tp.partition, (-1,))
        if offset >= begins[tp]:
            looked_at[tp] = offset
    for tp, message in must_read(consumer, looked_at).items():
        _, at_ms, round_id = openings[tp.partition]
        there = dict(message.headers).get("ce_id") or b"", message.timestamp
        if there != (round_id.encode(), at_ms):
            raise _of_another(
                name, tp, f"with the opening of round {round_id} at offset {message.offset},"
                " where another record lies",
            )  # fmt: skip


def _of_another(name: str, tp: Any, what: str) -> BadIndex:
    return BadIndex(
        f"{name}: knows {tp.topic} partition {tp.partition} {what}: it is of another journal, or"
        " the topic was made anew; delete the index"
    )
