"""Archives signed by who holds the key, and wrong: the first wrong entry is named."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate
from pathlib import Path

import pytest
import zstandard

from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.log import leaf_data, manifests
from pitledger.journal.stored import messages_from
from pitledger.pb.archive_pb2 import ArchiveLeaf
from pitledger.pb.log_pb2 import StoredRecord
from services.storage.folder import Folder
from tests.verify.conftest import Golden, Outcome, write_archive

Change = Callable[[ArchiveLeaf], None]


class Book:
    """The leaves of the golden archive, to be falsified."""

    def __init__(self, golden: Golden) -> None:
        store = Folder(golden.home)
        size = int(golden.read("checkpoint").split(b"\n")[1])
        self.leaves = [
            Leaf(leaf.SerializeToString(deterministic=True), leaf.sha256,
                 leaf_data(store, leaf.sha256, leaf.length))
            for leaf in manifests(store, size)
        ]

    def find(self, kind: str, wanted: Callable[[ArchiveLeaf], bool] = lambda _: True) -> int:
        for number, leaf in enumerate(self.leaves):
            manifest = ArchiveLeaf.FromString(leaf.entry)
            if manifest.WhichOneof("kind") == kind and wanted(manifest):
                return number
        raise AssertionError(f"no such {kind}")

    def remainders(self) -> list[int]:
        """Those of the partition that has most of them."""
        found: dict[int, list[int]] = {}
        for number, leaf in enumerate(self.leaves):
            manifest = ArchiveLeaf.FromString(leaf.entry)
            if manifest.HasField("remainder"):
                found.setdefault(manifest.remainder.partition, []).append(number)
        return max(found.values(), key=len)

    def change(self, number: int, change: Change) -> None:
        leaf = self.leaves[number]
        manifest = ArchiveLeaf.FromString(leaf.entry)
        change(manifest)
        self.leaves[number] = Leaf(manifest.SerializeToString(), leaf.sha256, leaf.data)

    def rewrite(self, number: int, records: list[StoredRecord], change: Change) -> None:
        data = b"".join(map(framed, records))
        manifest = ArchiveLeaf.FromString(self.leaves[number].entry)
        manifest.sha256, manifest.length = sha256(data).digest(), len(data)
        change(manifest)
        self.leaves[number] = Leaf(manifest.SerializeToString(), manifest.sha256, data)

    def records(self, number: int) -> list[StoredRecord]:
        return list(messages_from(self.leaves[number].data))


@pytest.fixture
def book(golden: Golden) -> Book:
    return Book(golden)


@pytest.fixture
def judged(golden: Golden, tmp_path: Path, book: Book) -> Callable[[], Outcome]:
    return lambda: write_archive(tmp_path / "archive", golden.key, book.leaves).verify()


def framed(record: StoredRecord) -> bytes:
    data = record.SerializeToString(deterministic=True)
    length, out = len(data), bytearray()
    while length > 127:
        out.append(length & 127 | 128)
        length >>= 7
    return bytes([*out, length]) + data


def says(outcome: Outcome, number: int, problem: str) -> None:
    assert outcome.code == 1
    assert f"entry {number} (" in outcome.line
    assert problem in outcome.line


def test_the_leaves_written_as_they_were_are_good(judged: Callable[[], Outcome]) -> None:
    assert judged().code == 0


def test_a_round_that_is_left_out_is_missed_by_the_remainder(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    del book.leaves[book.find("round")]
    outcome = judged()
    assert outcome.code == 1
    assert "(remainder of partition " in outcome.line or "opens no round" in outcome.line


def test_a_round_that_is_there_twice_is_named(book: Book, judged: Callable[[], Outcome]) -> None:
    number = book.find("round")
    book.leaves.append(book.leaves[number])
    says(judged(), len(book.leaves) - 1, "lies in a leaf before it as well")


def test_a_remainder_that_is_left_out_is_missed_by_the_next(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    _first, second, third, *_ = book.remainders()
    del book.leaves[second]
    says(judged(), third - 1, "the remainder before it ends at")


def test_a_round_that_lies_before_all_that_is_accounted_for_is_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    first, second, *_ = book.remainders()
    del book.leaves[first]
    says(judged(), second - 1, "lies before the first remainder")


def test_a_remainder_that_is_there_twice_is_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.remainders()[0]
    book.leaves.insert(number, book.leaves[number])
    says(judged(), number + 1, "the remainder before it ends at")


def test_a_record_that_is_left_out_of_a_remainder_is_missed(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("remainder", lambda leaf: leaf.length > 0)
    first, *records = book.records(number)
    book.rewrite(number, records, lambda leaf: None)
    says(judged(), number, f"offset {first.offset} lies in no leaf")


def test_a_record_of_another_partition_in_a_remainder_is_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("remainder", lambda leaf: leaf.length > 0)
    records = book.records(number)
    records[0].partition += 1
    book.rewrite(number, records, lambda leaf: None)
    says(judged(), number, f"offset {records[0].offset} is of another partition")


def test_records_that_are_not_in_order_are_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round")
    records = book.records(number)
    book.rewrite(number, records[::-1], lambda leaf: None)
    says(judged(), number, "not at the offsets that it names")


def test_a_record_that_is_left_out_of_a_round_is_missed(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round")
    records = book.records(number)
    dropped = records.pop(1)

    def without_it(leaf: ArchiveLeaf) -> None:
        distances = list(leaf.round.offsets)
        distances[1:3] = [distances[1] + distances[2]]
        leaf.round.offsets[:] = distances

    book.rewrite(number, records, without_it)
    outcome = judged()
    assert outcome.code == 1
    assert f"offset {dropped.offset} lies in no leaf" in outcome.line


def has_copy(leaf: ArchiveLeaf) -> bool:
    return leaf.round.HasField("copied")


def test_a_copy_that_is_not_said_to_be_one_is_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round", has_copy)
    book.change(number, lambda leaf: leaf.round.ClearField("copied"))
    says(judged(), number, "not at the offsets that it names")


def test_a_copy_that_is_said_to_be_the_rounds_own_is_there_twice(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round", has_copy)
    offsets = [record.offset for record in book.records(number)]

    def own(leaf: ArchiveLeaf) -> None:
        pairs = zip([0, *offsets], offsets, strict=False)
        leaf.round.offsets[:] = [offset - before for before, offset in pairs]
        leaf.round.ClearField("copied")

    book.change(number, own)
    outcome = judged()
    assert outcome.code == 1
    assert "lies in a leaf before it as well" in outcome.line


def test_a_copy_that_is_not_the_record_itself_is_noticed(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round", has_copy)
    copied = ArchiveLeaf.FromString(book.leaves[number].entry).round.copied
    records = book.records(number)
    copy = next(record for record in records if record.offset == copied)
    copy.headers.add(name="more", value=b"more")
    book.rewrite(number, records, lambda leaf: None)
    outcome = judged()
    assert outcome.code == 1
    assert f"offset {copied}" in outcome.line
    assert "copy in" in outcome.line


def test_a_copy_behind_the_round_that_it_opened_is_compared_as_well(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round", has_copy)
    manifest = ArchiveLeaf.FromString(book.leaves[number].entry)
    partition, copied = manifest.round.partition, manifest.round.copied
    following = book.find("round", lambda leaf: leaf.round.partition == partition
                          and leaf.round.offsets[0] == copied)
    assert number < following
    book.leaves.insert(following, book.leaves.pop(number))
    records = book.records(following)
    next(record for record in records if record.offset == copied).broker_time_ms += 1
    book.rewrite(following, records, lambda leaf: None)
    says(judged(), following, f"the copy in it, of offset {copied}, is not the record")


@pytest.mark.parametrize("copied", [0, 1 << 62, None])
def test_a_copy_that_opens_no_other_round_is_named(
    book: Book, judged: Callable[[], Outcome], copied: int | None
) -> None:
    number = book.find("round")
    if copied is None:
        copied = book.records(number)[0].offset
    book.change(number, lambda leaf: setattr(leaf.round, "copied", copied))
    says(judged(), number, "opens no other round of its table")


@dataclass(frozen=True)
class Copied:
    """A round that has a copy of the next one's opening; entries of both, and the copied record."""

    number: int
    following: int
    partition: int
    table_id: str
    copy: StoredRecord

    @classmethod
    def of(cls, book: Book) -> "Copied":
        number = book.find("round", has_copy)
        own = ArchiveLeaf.FromString(book.leaves[number].entry).round
        following = book.find("round", lambda leaf: leaf.round.partition == own.partition
                              and leaf.round.offsets[0] == own.copied)
        copy = next(each for each in book.records(number) if each.offset == own.copied)
        return cls(number, following, own.partition, own.table_id, copy)


@pytest.mark.parametrize(("told", "same"), [(True, True), (True, False), (False, True)])
def test_a_copy_of_what_lies_in_a_remainder_is_good_where_a_document_tells_of_the_round(
    book: Book, judged: Callable[[], Outcome], told: bool, same: bool
) -> None:
    """There its opening lies where the round is too long for a leaf."""
    copied = Copied.of(book)
    moved, entry = book.records(copied.following), book.leaves[copied.following].entry
    cut = book.find("remainder", lambda leaf: leaf.remainder.partition == copied.partition
                    and leaf.remainder.end > moved[-1].offset)
    first, end = span_of(book, cut)
    kept = [*book.records(cut), *(each for each in moved if first <= each.offset < end)]
    kept.sort(key=lambda record: record.offset)
    kept[kept.index(copied.copy)].broker_time_ms += not same
    book.rewrite(cut, kept, lambda leaf: None)
    if told:
        book.leaves.insert(cut + 1, document_leaf("long-round", "application/protobuf", entry))
    del book.leaves[copied.following]
    number = copied.number - (copied.following < copied.number)
    if told and same:
        assert judged().code == 0
    elif told:
        says(judged(), number, "is not the record that lies there")
    else:
        says(judged(), number, f"the copy in it, of offset {copied.copy.offset}, opens no round")


@pytest.mark.parametrize("behind", [False, True])
def test_a_record_is_copied_by_no_two_rounds(
    book: Book, judged: Callable[[], Outcome], behind: bool
) -> None:
    """Whether the round that it opened lies behind both, or between them."""
    copied, offset = Copied.of(book), 0
    assert copied.number < copied.following
    other = book.find("round", lambda leaf: leaf.round.table_id == copied.table_id
                      and not has_copy(leaf) and sum(leaf.round.offsets) < copied.copy.offset)
    offset = copied.copy.offset
    assert other < copied.number
    book.rewrite(other, [*book.records(other), copied.copy],
                 lambda leaf: setattr(leaf.round, "copied", offset))
    number = copied.number
    if behind:
        book.leaves.insert(copied.following, book.leaves.pop(copied.number))
        number = copied.following
    says(judged(), number, f"the copy in it, of offset {offset}, is in a round before it as well")


def test_a_copy_of_a_record_that_another_round_has_and_did_not_open_with_is_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    """Beyond the last remainder, where nothing else would tell."""
    copied = Copied.of(book)
    rounds, rest = list[int](), list[int]()
    for number, leaf in enumerate(book.leaves):
        manifest = ArchiveLeaf.FromString(leaf.entry)
        if manifest.HasField("round") and manifest.round.partition == copied.partition:
            rounds += accumulate(manifest.round.offsets)
        if manifest.HasField("remainder") and manifest.remainder.partition == copied.partition:
            rest.append(number)
    free = next(at for at in range(copied.copy.offset - 1, -1, -1) if at not in rounds)
    before = StoredRecord()
    before.CopyFrom(copied.copy)
    before.offset = free

    def taken_in(leaf: ArchiveLeaf) -> None:
        leaf.round.offsets[:] = [free, copied.copy.offset - free, *leaf.round.offsets[1:]]

    book.rewrite(copied.following, [before, *book.records(copied.following)], taken_in)
    for number in reversed(rest):
        del book.leaves[number]
    number = copied.number - sum(each < copied.number for each in rest)
    says(judged(), number, f"the copy in it, of offset {copied.copy.offset}, opens no round")


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("table_id", "another", "another partition or table"),
        ("round_id", "another", "is not the round"),
        ("round_number", 77, "is not the round"),
        ("gaming_day", "1999-01-01", "is not the round"),
        ("opened_at_ms", 1, "at its times"),
        ("sealed_at_ms", 1, "at its times"),
        ("partition", 47, "another partition or table"),
        ("partition", 48, "log.json knows 48 partitions"),
    ],
)
def test_a_round_that_is_not_what_its_manifest_says_is_named(
    book: Book, judged: Callable[[], Outcome], field: str, value: object, problem: str
) -> None:
    number = book.find("round")
    book.change(number, lambda leaf: setattr(leaf.round, field, value))
    says(judged(), number, problem)


@pytest.mark.parametrize(
    ("offsets", "problem"),
    [([], "names no record"), ([0, 0], "do not ascend"), ([1 << 63, 1 << 63], "are not at")],
)
def test_offsets_that_cannot_be_are_named(
    book: Book, judged: Callable[[], Outcome], offsets: list[int], problem: str
) -> None:
    number = book.find("round")
    book.change(number, lambda leaf: leaf.round.offsets.__setitem__(slice(None), offsets))
    says(judged(), number, problem)


@pytest.mark.parametrize(
    ("first", "end", "problem"),
    [
        (5, 5, "accounts for no offset"),
        (-1, 5, "accounts for no offset"),
        (0, 1 << 62, "lies in no leaf"),
        (1 << 61, 1 << 62, ""),
    ],
)
def test_spans_that_cannot_be_are_named(
    book: Book, judged: Callable[[], Outcome], first: int, end: int, problem: str
) -> None:
    number = book.remainders()[0]

    def to_span(leaf: ArchiveLeaf) -> None:
        leaf.remainder.first, leaf.remainder.end = first, end

    book.change(number, to_span)
    says(judged(), number, problem)


def test_an_entry_of_a_kind_that_is_not_known_is_named(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = len(book.leaves) // 2
    book.change(number, lambda leaf: leaf.ClearField("kind"))
    outcome = judged()
    assert outcome.code == 1
    assert f"entry {number}: is of a kind that is not known here" in outcome.line


def test_an_entry_that_is_no_manifest_is_named(book: Book, judged: Callable[[], Outcome]) -> None:
    leaf = book.leaves[3]
    book.leaves[3] = Leaf(b"\xff\xff", leaf.sha256, leaf.data)
    outcome = judged()
    assert outcome.code == 1
    assert "entry 3: is no manifest" in outcome.line


def test_what_an_entry_says_cannot_write_to_the_terminal(
    book: Book, judged: Callable[[], Outcome]
) -> None:
    number = book.find("round")
    book.change(number, lambda leaf: setattr(leaf.round, "table_id", "a\n\x1b[2J"))
    outcome = judged()
    says(outcome, number, "a??[2J")


@pytest.mark.parametrize("length", [10, 64 << 20, 1 << 40])
def test_a_leaf_that_would_unpack_to_more_than_it_says_is_not_unpacked(
    golden: Golden, tmp_path: Path, book: Book, length: int
) -> None:
    number = book.find("round")
    bomb = zstandard.ZstdCompressor().compress(bytes(65 << 20))
    book.change(number, lambda leaf: setattr(leaf, "length", length))
    archive = write_archive(tmp_path / "archive", golden.key, book.leaves)
    name = book.leaves[number].sha256.hex()
    with archive.with_file(f"leaf/{name[:2]}/{name}.zst", bomb):
        outcome = archive.verify()
    says(outcome, number, "bytes")


@pytest.mark.parametrize("header", ["28b52ffd e0", "28b52ffd c000"])  # window: of all, 1 KiB
def test_a_frame_that_says_it_is_huge_is_not_believed(golden: Golden, header: str) -> None:
    key = golden.files("leaf/")[0]
    frame = bytes.fromhex(header) + (1 << 50).to_bytes(8, "little") + bytes.fromhex("010000")
    with golden.with_file(key, frame):
        outcome = golden.verify()
    assert outcome.code == 1
    assert f"{key}: is not of the " in outcome.line


@pytest.mark.parametrize("header", ["28b52ffd e0", "28b52ffd c000"])
def test_a_manifest_that_says_it_is_huge_is_not_believed_either(
    golden: Golden, tmp_path: Path, book: Book, header: str
) -> None:
    number, length = book.find("round"), 1 << 50
    book.change(number, lambda leaf: setattr(leaf, "length", length))
    archive = write_archive(tmp_path / "archive", golden.key, book.leaves)
    name = book.leaves[number].sha256.hex()
    frame = bytes.fromhex(header) + length.to_bytes(8, "little") + bytes.fromhex("010000")
    with archive.with_file(f"leaf/{name[:2]}/{name}.zst", frame):
        says(archive.verify(), number, "no leaf has more than")


def span_of(book: Book, number: int) -> tuple[int, int]:
    rest = ArchiveLeaf.FromString(book.leaves[number].entry).remainder
    return rest.first, rest.end
