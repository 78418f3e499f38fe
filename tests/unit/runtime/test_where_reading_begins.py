"""A group without commits begins a day back, and further where another group is behind that."""

import asyncio

import pytest
from aiokafka import TopicPartition

from pitledger.sources.environment import Environment
from services.runtime.history import History
from services.runtime.settings import Settings

TP = TopicPartition("pitledger.journal.v1", 0)
BEGIN, END = 10, 900


def watermark(committed, *, new, day_back):
    history = History(Settings.from_environment("wagers", Environment({})))

    async def offsets_at(times):
        return {tp: day_back for tp in times if day_back is not None}

    history._offsets_at = offsets_at
    found = asyncio.run(
        history._watermarks({0: committed}, [0] if new else [], {TP: BEGIN}, {TP: END})
    )
    return found[TP]


@pytest.mark.parametrize(
    ("committed", "new", "day_back", "begins"),
    [
        ({"a": 500}, False, 100, 500),  # its commit, however old
        ({"a": 500, "b": 300}, False, 100, 300),  # that of another, which waits
        ({}, True, 100, 100),  # nobody's: a day back
        ({}, True, None, END),  # nothing so young: the end
        ({"b": 50}, True, 100, 50),  # another waits for a round of before that
        ({"b": 500}, True, 100, 100),
        ({"b": 5}, True, 100, BEGIN),  # trimmed
    ],
)
def test_where_reading_begins(committed, new, day_back, begins):
    assert watermark(committed, new=new, day_back=day_back) == begins
