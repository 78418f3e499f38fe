"""Rounds of the golden journals and others, as records of packets."""

from functools import cache

from pitledger.archive.collect import Collector, Transcript
from pitledger.archive.leaves import round_leaf
from pitledger.journal.record import Stored
from services.packet.account import Account
from services.packet.case_records import CaseFile
from services.packet.compose import Making, account_of
from services.packet.record import Record, read
from tests.golden.rounds import recorded
from tests.kit.house import House
from tests.kit.log import PARTITIONS
from tests.kit.table import Table

MAKING = Making(
    made_at_us=1_800_000_000_000_000,
    made_by="0.1.0+abcd",
    key_name="casino.example/floor",
    origin="casino.example/floor",
    entry=5,
    leaf_sha256=bytes(32),
    size=100,
    root=bytes(32),
    signers=("casino.example/floor", "witness.example"),
    builds=(),
    strays=(),
    cases=CaseFile(),
    gone=0,
)


def sealed_of(stored: list[Stored], partitions: int = PARTITIONS) -> list[Transcript]:
    """What is sealed of a journal."""
    collector = Collector(partitions)
    begun: set[int] = set()
    sealed = []
    for each in stored:
        if each.partition not in begun:
            begun.add(each.partition)
            collector.begin(each.partition, each.offset)
        sealed += collector.take(each)
    return sealed


def records_of(stored: list[Stored], partitions: int = PARTITIONS) -> list[Record]:
    """Each round that is sealed, as its record."""
    return [
        read(round_leaf(each).data, each.opened.event_id, partitions)
        for each in sealed_of(stored, partitions)
    ]


@cache
def golden(name: str, number: int = 0) -> Record:
    return records_of(recorded(name))[number]


def played(table: Table) -> Record:
    """The first round of a table, adjudicated."""
    return records_of(House(table).run().log.all())[0]


def account(record: Record) -> Account:
    return account_of(record, MAKING)
