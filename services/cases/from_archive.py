"""What an archive holds for the index: sealed rounds, and the records of cases in its remainders.

A sealed round is derived again: an outcome on record is a decision, and no input.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from pitledger.archive import layout
from pitledger.archive.deletions import Deleted, read_deletions
from pitledger.archive.in_order import own_records, records_in, records_of
from pitledger.archive.leaves import offsets_of
from pitledger.archive.log import About, manifests, newest
from pitledger.archive.long_rounds import Gone, is_long_round, manifest_of, round_of
from pitledger.archive.store import BadArchive, Store
from pitledger.cases.sealed_round import derived
from pitledger.journal.record import Stored
from pitledger.pb.archive_pb2 import ArchivedRound
from services.cases.index import CaseIndex
from services.cases.indexed_records import is_kept, keep_opening

LEAVES_AT_ONCE = 4_096


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
            case "round" if _is_new(leaf.round, resume):
                _take_round(index, leaf.round, records_of(store, entry, leaf), partitions)
                rounds += 1
            case "document" if is_long_round(leaf):
                if _is_new(manifest_of(store, entry, leaf).round, resume):
                    with suppress(Gone):
                        manifest, data = round_of(store, size, entry, leaf)
                        records = records_in(entry, manifest, data)
                        _take_round(index, manifest.round, records, partitions)
                        rounds += 1
            case "remainder":
                part = leaf.remainder
                if part.end > resume.get(part.partition, 0):
                    _keep(index, own_records(store, entry, leaf))
                    cuts[part.partition] = part.end
            case _:
                pass
    index.save(cuts)
    return rounds


def _is_new(round_: ArchivedRound, resume: Mapping[int, int]) -> bool:
    return max(offsets_of(round_)) >= resume.get(round_.partition, 0)


def _take_round(
    index: CaseIndex, round_: ArchivedRound, transcript: Sequence[Stored], partitions: int
) -> None:
    known = derived(transcript, partitions, round_.table_id, round_.round_id)
    if known is None:
        raise BadArchive(f"round {round_.round_id}: no record of its leaf opens it")
    index.opened(known.opened, known.partition, known.offset)
    keep_opening(index, transcript[0])
    if known.settlement is not None:
        index.settled(known.settlement)


def _keep(index: CaseIndex, records: Iterable[Stored]) -> None:
    for stored in records:
        if is_kept(stored):
            index.keep(stored)
        else:
            keep_opening(index, stored)
