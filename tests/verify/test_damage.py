"""A golden archive with one file changed, in every way: each is noticed, and the file is named."""

import os
from collections.abc import Iterator
from itertools import pairwise

import pytest
import zstandard

from pitledger.archive.log import manifests
from services.archivist.dictionary import built_in
from services.storage.folder import Folder
from services.verify.tiles import tile_key
from tests.verify.conftest import STEPS, Golden, Outcome

CLASSES = ["log.json", "checkpoint", "checkpoints/", "leaf/", "tile/0/", "tile/entries/"]
WIDE_CLASSES = ["tile/0/", "tile/1/", "tile/entries/"]


@pytest.fixture(params=[*CLASSES, *(f"wide {name}" for name in WIDE_CLASSES)])
def case(request: pytest.FixtureRequest, golden: Golden, wide: Golden) -> tuple[Golden, list[str]]:
    """An archive, and the files of one class."""
    name = request.param
    archive = wide if name.startswith("wide ") else golden
    name = name.removeprefix("wide ")
    files = [name] if name in ("log.json", "checkpoint") else archive.files(name)
    assert files
    return archive, files


def noticed(archive: Golden, key: str, outcome: Outcome) -> None:
    """Not good, and the file is named; where that holds an entry's bytes, the entry as well."""
    assert outcome.code in ((1, 2) if key in ("checkpoint", "log.json") else (1,)), (key, outcome)
    assert key in outcome.line, outcome
    if key.startswith("leaf/"):
        assert f"entry {first_entry(archive, key)} (" in outcome.line


def first_entry(archive: Golden, key: str) -> int:
    size = int(archive.read("checkpoint").split(b"\n")[1])
    for number, leaf in enumerate(manifests(Folder(archive.home), size)):
        if leaf.sha256.hex() in key:
            return number
    raise AssertionError(key)


def needed(archive: Golden, key: str) -> bool:
    """Not needed: what earlier, smaller trees have left."""
    size = int(archive.read("checkpoint").split(b"\n")[1])
    if key.startswith("checkpoints/"):
        return key == f"checkpoints/{size}"
    if not key.startswith("tile/"):
        return True
    counts = {"0": size, "entries": size, "1": size >> 8}
    level = key.split("/")[1]
    count = counts[level]
    whole = {tile_key(level, index) for index in range(count // 256)}
    return key in whole | {tile_key(level, count // 256, count % 256)}


def test_the_golden_archives_are_good(golden: Golden, wide: Golden) -> None:
    outcome = golden.verify()
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("good\norigin        casino.example/floor\n")
    assert f"checkpoints   {STEPS}\n" in outcome.out
    assert "verified      each of " in outcome.out
    assert "that this is the newest tree: keep its checkpoint" in outcome.out
    assert wide.verify().code == 0


def test_a_flipped_byte_is_noticed_wherever_it_is(case: tuple[Golden, list[str]]) -> None:
    archive, files = case
    for key in files:
        data = archive.read(key)
        for at in {0, 1, len(data) // 2, len(data) - 1} if data else ():
            flipped = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
            with archive.with_file(key, flipped):
                noticed(archive, key, archive.verify())


def test_each_byte_of_a_checkpoint_counts(golden: Golden) -> None:
    newest = golden.read("checkpoint").split(b"\n")[1].decode()
    for key in ("checkpoint", f"checkpoints/{newest}"):
        data = golden.read(key)
        for at in range(len(data)):
            for bit in (1, 0x20):
                flipped = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
                with golden.with_file(key, flipped):
                    outcome = golden.verify()
                assert outcome.code in (1, 2), (key, at, bit)
                assert "checkpoint" in outcome.line


def test_each_byte_of_a_tile_and_of_a_bundle_counts(golden: Golden) -> None:
    size = int(golden.read("checkpoint").split(b"\n")[1])
    for level in (0, "entries"):
        key = tile_key(level, 0, size)
        data = golden.read(key)
        for at in range(0, len(data), 7):
            flipped = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            with golden.with_file(key, flipped):
                noticed(golden, key, golden.verify())


def test_a_file_that_is_cut_short_is_noticed(case: tuple[Golden, list[str]]) -> None:
    archive, files = case
    for key in files:
        data = archive.read(key)
        for length in {0, len(data) // 2, len(data) - 1}:
            with archive.with_file(key, data[:length]):
                noticed(archive, key, archive.verify())


def test_a_file_with_more_behind_it_is_noticed(case: tuple[Golden, list[str]]) -> None:
    archive, files = case
    for key in files:
        for more in (b"\0", archive.read(key)):
            with archive.with_file(key, archive.read(key) + more):
                noticed(archive, key, archive.verify())


def test_a_file_that_is_missing_is_noticed(case: tuple[Golden, list[str]]) -> None:
    archive, files = case
    for key in files:
        expected = needed(archive, key)
        with archive.with_file(key, None):
            outcome = archive.verify()
        if expected:
            noticed(archive, key, outcome)
        else:
            assert outcome.code == 0  # nothing says that it was there


def test_two_files_that_change_places_are_noticed(case: tuple[Golden, list[str]]) -> None:
    archive, files = case
    for one, other in pairwise(files):
        first, second = archive.read(one), archive.read(other)
        if first == second:
            continue
        with archive.with_file(one, second), archive.with_file(other, first):
            outcome = archive.verify()
        assert outcome.code == 1
        assert one in outcome.line or other in outcome.line


def test_a_leaf_packed_anew_with_one_byte_changed_is_noticed(golden: Golden) -> None:
    dictionary = zstandard.ZstdCompressionDict(built_in())
    unpack = zstandard.ZstdDecompressor(dict_data=dictionary).decompress
    for key in golden.files("leaf/"):
        data = unpack(golden.read(key))
        for at in {len(data) * part // 6 for part in range(6)} if data else ():
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            with golden.with_file(key, zstandard.ZstdCompressor().compress(changed)):
                noticed(golden, key, golden.verify())


def test_an_entry_dropped_doubled_or_moved_in_its_bundle_is_noticed(golden: Golden) -> None:
    size = int(golden.read("checkpoint").split(b"\n")[1])
    key = tile_key("entries", 0, size)
    entries = list(split(golden.read(key)))
    for at in range(size):
        without = entries[:at] + entries[at + 1 :]
        twice = [*entries[:at], entries[at], *entries[at:]]
        moved = [*without, entries[at]]
        for wrong in (without, twice) if at == size - 1 else (without, twice, moved):
            with golden.with_file(key, b"".join(wrong)):
                outcome = golden.verify()
            noticed(golden, key, outcome)
            expected = at + 1 if wrong is twice else at
            if expected < size:
                assert f"entry {expected}" in outcome.line


def test_an_earlier_checkpoint_in_place_of_the_newest_is_noticed(golden: Golden) -> None:
    for key in golden.files("checkpoints/"):
        if not needed(golden, key):
            with golden.with_file("checkpoint", golden.read(key)):
                noticed(golden, "checkpoint", golden.verify())


def test_an_earlier_tile_in_place_of_a_later_one_is_noticed(wide: Golden) -> None:
    for level in (0, "entries"):
        late = tile_key(level, 0)
        with wide.with_file(late, first_hundred(level, wide.read(late))):
            noticed(wide, late, wide.verify())


def test_a_writer_stopped_between_two_signed_files_has_left_a_good_archive(golden: Golden) -> None:
    sizes = sorted(int(key.split("/")[1]) for key in golden.files("checkpoints/"))
    earlier = golden.read(f"checkpoints/{sizes[-2]}")
    newest = golden.read("checkpoint")
    pending = newest[: newest.index(b"\n\n") + 1]
    with golden.with_file("checkpoint", earlier), golden.with_file("pending", pending):
        outcome = golden.verify("--json")
    assert outcome.code == 0
    assert f'"size": {sizes[-1]}' in outcome.out


@pytest.mark.parametrize("level", ["0", "entries"])
def test_a_tile_that_a_stopped_writer_left_of_a_tree_never_signed_is_nobodys(
    wide: Golden, level: str
) -> None:
    """The append would have ended at 597 entries; what was sealed since are others."""
    data = wide.read(tile_key(level, 2, 600 - 512))
    with wide.with_file(tile_key(level, 2, 597 - 512), data[::-1]):
        assert wide.verify().code == 0


def test_a_pipe_in_a_files_place_is_not_waited_for(golden: Golden) -> None:
    for key in ("checkpoint", golden.files("leaf/")[0]):
        with golden.with_file(key, None):
            os.mkfifo(golden.home / key)
            try:
                assert golden.verify().code == 1
            finally:
                (golden.home / key).unlink()


def first_hundred(level: int | str, data: bytes) -> bytes:
    """A tile as it was when the tree had a hundred entries."""
    return data[: 32 * 100] if level == 0 else b"".join([*split(data)][:100])


def split(bundle: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(bundle):
        end = at + 2 + int.from_bytes(bundle[at : at + 2], "big")
        yield bundle[at:end]
        at = end
