"""Leaves whose bytes were deleted and legal holds: what the log says of them, and what is there."""

import json
from pathlib import Path

import pytest

from pitledger.archive.deletions import Deletion
from pitledger.archive.holds import Scope, Statement
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.verify.deletions import Deletions
from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.files import Folder
from services.verify.tiles import entries_of
from services.verify.unpack import Unpacker
from tests.verify.conftest import Golden
from tests.verify.test_documents import Judged
from tests.verify.test_lies import says

AT = "2036-11-30T12:00:00Z"


@pytest.fixture
def judged(golden: Golden, tmp_path: Path) -> Judged:
    return Judged(golden, tmp_path / "archive")


def delete(judged: Judged, *spans: tuple[int, int]) -> Golden:
    """Say so in the log, and delete the files."""
    judged.book.leaves.append(Deletion(AT, "officer-1", "term over", "pa", spans).leaf())
    archive = judged.archive()
    for first, last in spans:
        for number in range(first, last + 1):
            path(archive, judged, number).unlink(missing_ok=True)
    return archive


def path(archive: Golden, judged: Judged, number: int) -> Path:
    name = judged.book.leaves[number].sha256.hex()
    return archive.home / f"leaf/{name[:2]}/{name}.zst"


def of_records(judged: Judged) -> list[tuple[int, int]]:
    """All entries that are no documents and share no bytes, as spans of one."""
    leaves = [ArchiveLeaf.FromString(leaf.entry) for leaf in judged.book.leaves]
    return [(n, n) for n, leaf in enumerate(leaves) if not leaf.HasField("document")]


def test_what_was_deleted_as_a_later_entry_says_is_counted(judged: Judged) -> None:
    spans = of_records(judged)
    archive = delete(judged, *spans)
    outcome = archive.verify("--json")
    assert outcome.code == 0, outcome
    found = json.loads(outcome.out)
    assert found["deleted"] == len(spans)
    assert found["records"] == 0
    assert found["offsets"] > 0
    assert f"deleted       {len(spans)}\n" in archive.verify().out


def test_a_deletion_may_tell_more_of_its_policy(judged: Judged) -> None:
    number = judged.book.find("round")
    spans = ((number, number),)
    judged.book.leaves.append(Deletion(AT, "a", "b", "c", spans, 10, "58 Pa. Code").leaf())
    archive = judged.archive()
    path(archive, judged, number).unlink()
    assert json.loads(archive.verify("--json").out)["deleted"] == 1


@pytest.mark.parametrize("kind", ["round", "remainder"])
def test_each_entry_may_be_deleted_alone(judged: Judged, kind: str) -> None:
    number = judged.book.find(kind, lambda leaf: leaf.length > 0)
    outcome = delete(judged, (number, number)).verify("--json")
    assert outcome.code == 0, outcome
    assert json.loads(outcome.out)["deleted"] == 1


def test_a_leaf_that_is_missing_and_not_listed_is_named(judged: Judged) -> None:
    first, second = judged.book.find("round"), judged.book.find("round") + 1
    archive = delete(judged, (first, first))
    path(archive, judged, second).unlink()
    says(archive.verify(), second, "is missing, and no later entry says why")


def test_what_is_listed_and_still_there_is_verified(judged: Judged) -> None:
    number = judged.book.find("round")
    archive = delete(judged, (number, number + 1))
    name = path(archive, judged, number).relative_to(archive.home).as_posix()
    with archive.with_file(name, b"x"):
        says(archive.verify(), number, "cannot be unpacked")


def test_an_entry_is_not_deleted_by_one_before_it(judged: Judged) -> None:
    number = len(judged.book.leaves)
    judged.book.leaves.append(Deletion(AT, "", "", "", ((0, 0), (number, number))).leaf())
    says(judged(), number, "do not lie before it")


def test_a_document_is_not_deleted(judged: Judged) -> None:
    number = judged.book.find("document")
    says(delete(judged, (number, number)).verify(), number, "documents are not deleted")


@pytest.mark.parametrize("said", [
    b"", b"[]", b"{}", b'{"format": 1, "at": "", "by": "", "reason": "", "policy": ""}',
    b'{"format": 1, "at": "", "by": "", "reason": "", "policy": "", "entries": [1]}',
    b'{"format": 1, "at": "", "by": "", "reason": "", "policy": "", "entries": [[0, 1, 2]]}',
    b'{"format": 1, "at": "", "by": "", "reason": "", "policy": "", "entries": [[3, 2]]}',
    b'{"format": 1, "at": "", "by": "", "reason": "", "policy": "", "entries": [[-1, 2]]}',
    b'{"format": 1, "at": "", "by": "", "reason": "", "policy": "", "entries": [[0.0, 2]]}',
    b'{"format": 1, "at": 5, "by": "", "reason": "", "policy": "", "entries": []}',
    b'{"format": 2, "at": "", "by": "", "reason": "", "policy": "", "entries": []}',
    b"[" * 100_000,
])
def test_what_is_no_deletion_is_named(judged: Judged, said: bytes) -> None:
    number = judged.add("deletion", said)
    says(judged(), number, "")


def test_a_deletion_in_a_damaged_bundle_allows_nothing(judged: Judged) -> None:
    number = judged.book.find("round")
    archive = delete(judged, (number, number))
    bundle = archive.files("tile/entries/")[-1]
    with archive.with_file(bundle, archive.read(bundle)[:-1]):
        outcome = archive.verify()
    assert outcome.code == 1


def test_a_log_that_says_it_is_huge_is_not_looked_through(golden: Golden) -> None:
    """Its key holder can sign any size; what is not there ends the search."""
    bundle = golden.files("tile/entries/")[-1]
    size = int(bundle.rpartition("/")[2])
    entries, _ = entries_of(golden.read(bundle))
    deletions = Deletions(Folder(golden.home), Unpacker(), (1 << 62) + size)
    with pytest.raises(Bad) as found:
        deletions.check(Entry.parse(0, entries[0]))
    assert "no later entry says why; tile/entries/000: is missing" in str(found.value)


HOLD = Statement("case-7", AT, "officer-1", "dispute", Scope.TABLE, "hilo-001")
RELEASE = Statement("case-7", AT, "officer-2", "settled", None)


def test_holds_in_force_are_counted(judged: Judged) -> None:
    judged.add("hold", HOLD.data())
    archive = judged.archive()
    with archive.with_file(HOLD.key, HOLD.data()):
        assert json.loads(archive.verify("--json").out)["holds"] == 1


def test_a_hold_that_is_not_beside_the_log_as_it_was_sealed_is_named(judged: Judged) -> None:
    number = judged.add("hold", HOLD.data())
    judged.add("hold", RELEASE.data())
    archive = judged.archive()
    says(archive.verify(), number, f"{HOLD.key}: is missing")
    with archive.with_file(HOLD.key, HOLD.data()):
        says(archive.verify(), number + 1, f"{RELEASE.key}: is missing")
        with archive.with_file(RELEASE.key, RELEASE.data()):
            assert json.loads(archive.verify("--json").out)["holds"] == 0
            with archive.with_file(HOLD.key, RELEASE.data()):
                says(archive.verify(), number, f"{HOLD.key}: is missing, or is not what was sealed")


@pytest.mark.parametrize("said", [
    b"", b"[]", b"{}", b'{"id": 7}', b'{"id": "../x"}', b"[" * 100_000,
])
def test_what_is_no_hold_is_named(judged: Judged, said: bytes) -> None:
    number = judged.add("hold", said)
    says(judged(), number, "is no legal hold, nor a release")
