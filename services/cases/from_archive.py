"""What an archive holds for the index: sealed rounds, and the records of cases in its remainders.

What is sealed was derived when it was sealed, so that nothing is folded here.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from pitledger.archive import layout
from pitledger.archive.deletions import Deleted, read_deletions
from pitledger.archive.in_order import own_records, records_in, records_of
from pitledger.archive.log import About, manifests, newest
from pitledger.archive.long_rounds import Gone, is_long_round, round_of
from pitledger.archive.store import BadArchive, Store
from pitledger.cases.journal import without_rules
from pitledger.cases.settlement import OUTCOMES, settlement_of
from pitledger.journal.record import TYPE_BYTES, JournalRecord, Stored
from services.cases.index import CaseIndex
from services.cases.indexed_records import is_kept, keep_opening

LEAVES_AT_ONCE = 4_096
_OUTCOMES = frozenset(TYPE_BYTES[body] for body in OUTCOMES)


def take_archive(index: CaseIndex, store: Store, topic: str, partitions: int) -> int:
    """Fill the index with what lies below the cuts, of partitions that stand before them; how many
    rounds. Raises BadArchive, StoreError.
    """
    about = About.parse(store.read(layout.LOG) or b"")
    if (about.topic, about.partitions) != (topic, partitions):
        raise BadArchive(
            f"this is the archive of {about.topic}, with {about.partitions} partitions"
        )
    checkpoint = newest(store, about.origin)
    size = checkpoint.size if checkpoint else 0
    deleted = Deleted(read_deletions(store, manifests(store, size)))
    resume, cuts, rounds = index.resume(), dict[int, int](), 0
    for entry, leaf in enumerate(manifests(store, size)):
        if entry % LEAVES_AT_ONCE == 0:
            index.save({})
        if entry in deleted:
            continue
        match leaf.WhichOneof("kind"):
            case "round":
                records = records_of(store, entry, leaf)
                rounds += _round(index, records, resume.get(leaf.round.partition, 0))
            case "document" if is_long_round(leaf):
                with suppress(Gone):
                    records = records_in(entry, *round_of(store, size, entry, leaf))
                    rounds += _round(index, records, resume.get(records[0].partition, 0))
            case "remainder":
                part = leaf.remainder
                if part.end > resume.get(part.partition, 0):
                    _keep(index, own_records(store, entry, leaf))
                    cuts[part.partition] = part.end
            case _:
                pass
    index.save(cuts)
    return rounds


def _round(index: CaseIndex, records: Sequence[Stored], known: int) -> int:
    """A sealed round and its settlement; 0 if it is known already."""
    if not records or records[-1].offset < known:
        return 0
    opened = JournalRecord.FromString(records[0].value)
    index.opened(without_rules(opened), records[0].partition, records[0].offset)
    keep_opening(index, records[0])
    facts = {dict(stored.headers).get("ce_id"): stored for stored in records}
    for stored in records:
        if dict(stored.headers).get("ce_type") in _OUTCOMES:
            cause = facts[JournalRecord.FromString(stored.value).causation_id.encode()]
            index.settled(settlement_of(opened, stored.value, cause.offset, cause.broker_time))
    return 1


def _keep(index: CaseIndex, records: Iterable[Stored]) -> None:
    for stored in records:
        if is_kept(stored):
            index.keep(stored)
        else:
            keep_opening(index, stored)
