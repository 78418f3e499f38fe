"""Documents in the log: what explains the records, held against what the records name."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
import zstandard

from pitledger.archive.contract import contract
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About
from pitledger.pb.archive_pb2 import ArchiveLeaf
from tests.verify.conftest import Golden, Outcome, write_archive
from tests.verify.test_lies import Book, says


class Judged:
    """The golden archive's leaves, changed, under a new checkpoint."""

    def __init__(self, golden: Golden, home: Path) -> None:
        self.book, self.key, self.home = Book(golden), golden.key, home
        self.about = About.parse(golden.read("log.json"))

    def __call__(self) -> Outcome:
        return self.archive().verify()

    def archive(self) -> Golden:
        return write_archive(self.home, self.key, self.book.leaves, about=self.about)

    def add(self, name: str, data: bytes) -> int:
        self.book.leaves.append(document_leaf(name, "text/plain", data))
        return len(self.book.leaves) - 1


@pytest.fixture
def judged(golden: Golden, tmp_path: Path) -> Judged:
    return Judged(golden, tmp_path / "archive")


def is_document(name: str) -> Callable[[ArchiveLeaf], bool]:
    return lambda leaf: bool(leaf.document.name == name)


def test_a_log_that_is_another_one_than_was_sealed_is_named(judged: Judged) -> None:
    del judged.book.leaves[judged.book.find("document", is_document("log"))]
    other = About(judged.about.origin, "another.topic", judged.about.partitions)
    number = judged.add("log", other.data())
    says(judged(), number, "log.json: is not what was sealed")


def test_rules_that_a_round_names_are_missed(judged: Judged) -> None:
    """Also where they come only after it."""
    book = judged.book
    number = book.find("document", is_document("rules"))
    leaf = book.leaves.pop(number)
    outcome = judged()
    assert outcome.code == 1
    assert f"its rules, {leaf.sha256.hex()}, are no document before it" in outcome.line
    book.leaves.append(leaf)
    assert judged().code == 1


def test_a_schema_that_is_none_is_named(judged: Judged) -> None:
    for data in (b"\xff", b"", contract()[:100]):
        number = judged.add("schema", data)
        says(judged(), number, "is no schema of journal and archive")
        judged.book.leaves.pop()


@pytest.mark.parametrize("name", ["log", "schema"])
def test_an_archive_that_does_not_explain_itself_is_not_good(judged: Judged, name: str) -> None:
    del judged.book.leaves[judged.book.find("document", is_document(name))]
    outcome = judged()
    assert outcome.code == 1
    assert f"no document '{name}'" in outcome.line


@pytest.mark.parametrize("name", ["log", "dictionary", "schema", "rules"])
def test_a_document_that_is_there_twice_is_named(judged: Judged, name: str) -> None:
    leaves = judged.book.leaves
    leaves.append(leaves[judged.book.find("document", is_document(name))])
    says(judged(), len(leaves) - 1, "is there a second time")


def test_a_document_without_a_name_is_named(judged: Judged) -> None:
    number = judged.add("", b"x")
    says(judged(), number, "has no name")


def test_a_key_statement_that_is_none_is_named(judged: Judged) -> None:
    number = judged.add("key-statement", b"x")
    says(judged(), number, f"keys/{sha256(b'x').hexdigest()}: is no signed note")


def test_what_is_no_dictionary_is_named(judged: Judged) -> None:
    magic = bytes.fromhex("37a430ec")
    for data in (b"", b"x" * 100, magic + bytes(100), magic + b"\n\0\0\0" + bytes(100)):
        number = judged.add("dictionary", data)
        says(judged(), number, "is no dictionary of zstd")
        judged.book.leaves.pop()


def test_leaves_are_unpacked_by_dictionaries_that_lie_before_them(judged: Judged) -> None:
    book = judged.book
    rounds = [
        number for number, leaf in enumerate(book.leaves)
        if ArchiveLeaf.FromString(leaf.entry).HasField("round")
    ]
    samples = [book.leaves[number].data for number in rounds]
    trained = zstandard.train_dictionary(8192, samples * 4, dict_id=77)
    dictionary = document_leaf("dictionary", "application/zstd", trained.as_bytes())
    book.leaves.insert(0, dictionary)
    archive = judged.archive()
    packer = zstandard.ZstdCompressor(dict_data=trained, write_checksum=True)
    leaf = book.leaves[rounds[2] + 1]
    name = f"leaf/{leaf.sha256.hex()[:2]}/{leaf.sha256.hex()}.zst"
    with archive.with_file(name, packer.compress(leaf.data)):
        assert archive.verify().code == 0
    other = zstandard.train_dictionary(8192, samples[::-1] * 4, dict_id=78)
    packer = zstandard.ZstdCompressor(dict_data=other, write_checksum=True)
    with archive.with_file(name, packer.compress(leaf.data)):
        says(archive.verify(), rounds[2] + 1, f"{name}: no entry before it is its dictionary, 78")


def test_two_dictionaries_of_one_number_are_named(judged: Judged) -> None:
    samples = [leaf.data for leaf in judged.book.leaves] * 4
    for size in (4096, 8192):
        trained = zstandard.train_dictionary(size, samples, dict_id=10)
        number = judged.add("dictionary", trained.as_bytes())
    says(judged(), number, "a second dictionary of the number 10")


def test_a_note_of_another_kind_is_let_be(judged: Judged) -> None:
    judged.add("later", b"anything")
    assert judged().code == 0


def test_an_unreadable_submission_is_counted(judged: Judged) -> None:
    judged.add("rules", b"\xff")
    outcome = judged()
    assert outcome.code == 0
    assert "unreadable rules  1\n" in outcome.out
