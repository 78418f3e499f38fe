"""A round for docs/disputes.md, with a card misread: `python -m tests.disputes.play`.

Writes it to Kafka's journal as devices and the four processors do: three players at a Saigon table.
Position 2's last card was the nine of hearts; the shoe read a six. Another round follows.
"""

import time

import kafka

from pitledger.journal.record import Stored
from pitledger.sources.connection import Connection
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

READ = ("As 2d 9s Jh Td", "Jc Qh Kh Qd 6h", "Ah 5s 8h Jd Ks", "2s 5h Ts 8s 3c")
NEXT = ("Kd 7c 4s 9d 2h", "Ac 3h Td 6s 8c", "Qc 5d 2c 9h Jc", "7h 4d Ks 3d Th")
TERMS = {
    "gaming_day": "2026-11-30", "property_id": "casino-1", "pit_id": "pit-2",
    "dealer_id": "dealer-17", "supervisor_id": "floor-3",
}  # fmt: skip
SEATS = {1: "patron-204", 2: "patron-117", 3: "patron-388"}


def played(partitions: int, now_ms: int) -> list[Stored]:
    """Two rounds, facts and decisions, in the order of the journal."""
    log = Log(partitions)
    log.clock = now_ms
    table = Table(table_id="saigon-07", log=log)
    for hands in (READ, NEXT):
        table.to_payout(SEATS, *hands, ante=2500, **TERMS)
        for position, wager in ((1, -2500), (2, -2500), (3, -2500)):
            table.paid(position, amount=wager)
        table.close_round()
    return House(log).run().log.all()


def write(connection: Connection, records: list[Stored]) -> None:
    producer = kafka.KafkaProducer(
        acks="all", enable_idempotence=False, **connection.client_settings()
    )
    for stored in records:
        producer.send(
            connection.topic, stored.value, key=stored.key, partition=stored.partition,
            headers=list(stored.headers),
        ).get(30)  # fmt: skip
    producer.close()


if __name__ == "__main__":
    there = Connection.from_environment()
    records = played(there.partitions, time.time_ns() // 1_000_000)
    write(there, records)
    print(f"{len(records)} records")
