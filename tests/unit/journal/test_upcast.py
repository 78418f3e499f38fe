"""Facts of an older shape are read in today's, after they were judged as they lie."""

import pytest

from pitledger.journal import upcast as module
from pitledger.journal.record import DECISION_TYPES, JournalRecord, body_name, serialize
from pitledger.journal.upcast import upcast
from pitledger.sources.file import read_file
from tests.golden.record import FOLDER
from tests.kit.house import House
from tests.kit.reading import read
from tests.kit.table import Table


def facts():
    for path in sorted(FOLDER.glob("*.journal")):
        for stored in read_file(path):
            if dict(stored.headers)["ce_type"] not in DECISION_TYPES:
                yield JournalRecord.FromString(stored.value)


def test_every_shape_is_todays():
    for record in facts():
        assert upcast(record, body_name(record)) is record


@pytest.fixture
def as_if_ordinals_once_began_at_nought(monkeypatch):
    """As if cards had been numbered from 0 in an older shape."""

    def fill(record):
        record.card_drawn.ordinal += 1

    monkeypatch.setitem(module._UPCASTERS, "card_drawn", fill)


@pytest.mark.usefixtures("as_if_ordinals_once_began_at_nought")
def test_an_upcaster_leaves_the_record_and_its_bytes_alone():
    record = next(record for record in facts() if body_name(record) == "card_drawn")
    before = serialize(record)
    today = upcast(record, "card_drawn")
    assert today.card_drawn.ordinal == record.card_drawn.ordinal + 1
    assert serialize(record) == before


@pytest.mark.usefixtures("as_if_ordinals_once_began_at_nought")
def test_what_judges_a_round_reads_through_it():
    table = Table().to_betting_closed((1,))
    for ordinal, card in enumerate(["Tc", "Jc", "Td", "Jd", "Th", "Jh", "4c", "4d", "5c", "5d"]):
        table.draw(ordinal, card)
    reading = read(table)
    assert reading.names()[-1] == "hands_dealt"
    [dealt] = reading.bodies("hands_dealt")
    assert min(dealt.hands[0].ordinals) == 1
    assert House(table).run().decisions()[-1].value == reading.decisions[-1].value
