"""Facts of an older shape, as today's code reads them: the one upcasting seam.

Bytes are never rewritten: a field of the contract does not go and does not change its meaning
(buf breaking, FILE), so a record of any age parses, and hashes, ids and comparisons take it as it
lies on the log. What may age is a *shape*: a later field says better what an earlier one said. An
upcaster then fills the later field from the earlier one, and all code above reads the later one
alone, in rounds of whatever version.

It comes after the round's vocabulary was judged on the record as it lies, so that what it fills in
is never taken for something that the device wrote.
"""

from collections.abc import Callable

from pitledger.journal.record import JournalRecord

_UPCASTERS: dict[str, Callable[[JournalRecord], None]] = {}
"""Body -> fills today's fields of a record that has the older ones. None yet: every shape is of
contract version 1."""


def upcast(record: JournalRecord, body: str) -> JournalRecord:
    """The fact in today's shape; the record itself where its shape never changed.

    Pure: `record` stays as it is, since others read it too.
    """
    fill = _UPCASTERS.get(body)
    if fill is None:
        return record
    today = JournalRecord()
    today.CopyFrom(record)
    fill(today)
    return today
