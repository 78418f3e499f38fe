"""Leaves are packed with a dictionary that the archive holds: whoever has it reads them."""

import shutil
import subprocess
from hashlib import sha256

import pytest
from zstandard import ZstdCompressor, get_frame_parameters, train_dictionary

from pitledger.archive import layout
from pitledger.archive.leaves import Leaf
from pitledger.archive.log import About, LogWriter, leaf_data, manifests, newest
from pitledger.archive.packing import NotPacked, Packer, Unpacker, number_of, unpack
from pitledger.archive.store import BadArchive
from pitledger.sources.file import read_file, write_file
from services.archivist import at_once, sealing, share
from services.archivist.at_once import File
from services.archivist.dictionary import built_in
from services.cli.new_key import new_key
from services.simulation import simulate
from services.storage.folder import Folder
from tests.archive.conftest import PARTITIONS
from tests.verify.conftest import run as verify

KEY = new_key("casino.example/floor")
ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)
SHORT = Leaf(b"", sha256(b"a round " * 9).digest(), b"a round " * 9)

EMPTY = Leaf(b"", sha256(b"").digest(), b"")


def seal(home, journal):
    at_once.seal(LogWriter(Folder(home), KEY, ABOUT), File(journal, PARTITIONS), 1)
    store = Folder(home)
    return store, list(manifests(store, newest(store, KEY.name).size))


def rounds(found):
    return [each for each in found if each.HasField("round")]


def test_a_round_takes_mostly_one_block_of_a_disk(tmp_path, journal):
    store, found = seal(tmp_path, journal)
    sizes = [len(store.read(layout.leaf(each.sha256))) for each in rounds(found)]
    assert sum(sizes) / len(sizes) < 3_300
    assert sum(size <= 4_096 for size in sizes) / len(sizes) > 0.8


def test_documents_are_packed_without_the_dictionary_and_lie_before_all_that_needs_them(
    tmp_path, journal
):
    store, found = seal(tmp_path, journal)
    numbers = [
        get_frame_parameters(store.read(layout.leaf(each.sha256))).dict_id for each in found
    ]
    documents = [each.document.name for each in found if each.HasField("document")]
    assert documents == ["log", "dictionary", "schema", *["rules"] * (len(documents) - 3)]
    assert set(numbers[: len(documents)]) == {0}
    assert set(numbers[len(documents) :]) <= {number_of(built_in()), 0}
    assert number_of(built_in())


@pytest.mark.skipif(not shutil.which("zstd"), reason="there is no zstd")
def test_the_zstd_tool_alone_reads_a_leaf(tmp_path, journal):
    store, found = seal(tmp_path / "archive", journal)
    dictionary = next(each for each in found if each.document.name == "dictionary")
    leaf = rounds(found)[0]
    for manifest, options in ((dictionary, []), (leaf, ["-D", "dictionary"])):
        source = tmp_path / "archive" / layout.leaf(manifest.sha256)
        out = "dictionary" if manifest is dictionary else "leaf"
        subprocess.run(["zstd", "-q", "-d", *options, source, "-o", out], cwd=tmp_path, check=True)
    assert (tmp_path / "leaf").read_bytes() == leaf_data(store, leaf.sha256, leaf.length)


def test_what_was_sealed_with_another_dictionary_is_read_and_continued(tmp_path, monkeypatch):
    journal = tmp_path / "journal"
    simulate(("saigon5", "five_card_hi_lo"), 4, 60, 3, False, journal)
    records = list(read_file(journal))
    samples = [record.value for record in records]
    other = train_dictionary(8 << 10, samples, k=256, d=8).as_bytes()
    write_file(tmp_path / "part", records[: len(records) // 2])
    with monkeypatch.context() as patched:
        for module in (sealing, share):
            patched.setattr(module, "built_in", lambda: other)
        seal(tmp_path / "archive", tmp_path / "part")
    store, found = seal(tmp_path / "archive", journal)
    packed = [store.read(layout.leaf(each.sha256)) for each in rounds(found)]
    used = {get_frame_parameters(each).dict_id for each in packed}
    assert used == {number_of(other), number_of(built_in())}
    for each in found:
        assert len(leaf_data(store, each.sha256, each.length)) == each.length
    good = verify(str(tmp_path / "archive"), "--key", str(KEY.public))
    assert good.code == 0, good.out


def test_of_no_bytes_there_is_one_file_whatever_dictionary_a_build_has():
    """A later build writes it again: it must not name what lies behind the leaves of before."""
    packed = {Packer(each).pack(EMPTY) for each in (b"", built_in())}
    assert len(packed) == 1
    assert get_frame_parameters(packed.pop()).dict_id == 0


def test_a_leaf_of_other_bytes_than_its_name_says_is_told(tmp_path):
    store = Folder(tmp_path)
    other = bytes(len(SHORT.data))
    packed = ZstdCompressor().compress(other)
    store.write(layout.leaf(SHORT.sha256), packed)
    with pytest.raises(BadArchive, match="has not the SHA-256 that names it"):
        leaf_data(store, SHORT.sha256, len(SHORT.data))


def test_a_leaf_that_was_packed_without_a_dictionary_is_read(tmp_path):
    store = Folder(tmp_path)
    store.write(layout.leaf(SHORT.sha256), Packer().pack(SHORT))
    assert leaf_data(store, SHORT.sha256, len(SHORT.data)) == SHORT.data


@pytest.mark.parametrize("spoil", [lambda packed: packed[:-1], lambda packed: b"", bytes.upper])
def test_what_is_no_frame_is_told(spoil):
    packed = Packer().pack(SHORT)
    with pytest.raises(NotPacked):
        unpack(spoil(packed), len(SHORT.data), dict)
    with pytest.raises(NotPacked, match="length"):
        unpack(packed, len(SHORT.data) + 1, dict)


@pytest.mark.parametrize("leaf", [SHORT, EMPTY])
@pytest.mark.parametrize(
    "spoil",
    [
        lambda packed: packed + b"x",
        lambda packed: packed + ZstdCompressor().compress(b""),
        lambda packed: packed + packed,
        lambda packed: bytes.fromhex("502a4d1800000000") + packed,
        lambda packed: packed + bytes.fromhex("502a4d1800000000"),
        lambda packed: packed[:4] + bytes([packed[4] | 0x10]) + packed[5:],
        lambda packed: packed[:-1],
    ],
    ids=["a byte", "an empty frame", "twice", "skipped", "behind", "a bit", "cut"],
)
def test_a_file_is_one_frame_and_nothing_else(leaf, spoil):
    """What is let pass here is copied into mirrors, and pitledger-verify calls them bad."""
    packed = Packer().pack(leaf)
    assert unpack(packed, len(leaf.data), dict) == leaf.data
    with pytest.raises(NotPacked):
        unpack(spoil(packed), len(leaf.data), dict)
    with_dictionary = Packer(built_in()).pack(SHORT)
    with pytest.raises(NotPacked):
        unpack(spoil(with_dictionary), len(SHORT.data), lambda _: Unpacker(built_in()))


@pytest.mark.parametrize("length", [65 << 20, 1 << 40])
def test_a_leaf_that_would_be_longer_than_any_is_not_unpacked(length):
    """A frame of a few bytes says so of itself; no memory is taken for it."""
    frame = bytes.fromhex("28b52ffdc058") + length.to_bytes(8, "little") + b"\3\0\0\0"
    with pytest.raises(NotPacked, match=f"is of {length} bytes"):
        unpack(frame, length, lambda _: None)
