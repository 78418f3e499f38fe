"""Each file of the golden archive, and each record in it: flipped, dropped, swapped, doubled."""

from itertools import pairwise

import pytest
import zstandard

from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.leaves import messages_of
from services.verify.tiles import WIDTH, entries_of, tile_key
from services.verify.unpack import Unpacker, leaf_key
from services.verify.walk import Walk
from tests.verify import golden

SIZE = golden.judge().size
FILES = sorted(golden.files().held)


def bundle(index: int) -> str:
    return tile_key("entries", index, min(WIDTH, SIZE - index * WIDTH))


ROTATION = next(key for key in FILES if b"\nrotate\n" in golden.files().held[key])
NEEDED = {"log.json", "checkpoint", f"checkpoints/{SIZE}", bundle(0), bundle(1), "tile/0/000",
          tile_key(0, 1, SIZE - WIDTH), "tile/1/000.p/1"}


def is_needed(key: str) -> bool:
    return key in NEEDED or key.startswith(("leaf/", "keys/", "holds/"))


def test_it_is_good_with_either_key_and_its_figures_are_known() -> None:
    for given in ("first", "second"):
        report = golden.judge(given)
        assert (report.size, report.rounds, report.remainders) == (SIZE, 44, 288)
        assert (report.deleted, report.keys, report.partitions) == (3, 2, 48)
        assert report.offsets == report.records + 3


@pytest.mark.parametrize("part", range(8))
def test_each_file_with_a_byte_flipped_is_named(part: int) -> None:
    """By the whole program: the first byte, one in the middle, the last one."""
    for key in FILES[part::8]:
        data = golden.files().held[key]
        for at in {0, len(data) // 2, len(data) - 1}:
            flipped = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
            with golden.files().with_file(key, flipped):
                said = golden.problem()
            assert key in said or is_signature_of_an_early_witness(key, at), (key, at, said)


@pytest.mark.parametrize("part", range(4))
def test_each_file_that_is_dropped_is_named(part: int) -> None:
    for key in FILES[part::4]:
        with golden.files().with_file(key, None):
            said = golden.problem()
        if is_needed(key):
            assert key in said or key == ROTATION, (key, said)
            assert said, key
        else:  # of an earlier, smaller tree: nothing needs it, nothing says that it was there
            assert said == "", key


@pytest.mark.parametrize("part", range(4))
def test_two_files_that_are_swapped_are_named(part: int) -> None:
    """Each with the next one of its class."""
    for one, other in [*pairwise(FILES)][part::4]:
        if one.split("/")[0] == other.split("/")[0]:
            swap(one, other)


@pytest.mark.parametrize("part", range(4))
def test_a_file_doubled_over_another_is_named(part: int) -> None:
    for one, other in [*pairwise(FILES)][part::4]:
        if one.split("/")[0] == other.split("/")[0]:
            with golden.files().with_file(other, golden.files().held[one]):
                assert other in golden.problem(), (one, other)


def test_a_file_doubled_under_a_name_that_is_no_ones_changes_nothing() -> None:
    """An archive is what its entries name. What else lies there is no part of it."""
    for key in FILES[::10]:
        with golden.files().with_file(f"{key}.copy", golden.files().held[key]):
            assert golden.problem() == "", key


@pytest.mark.parametrize("index", [0, 1])
def test_each_entry_dropped_swapped_or_doubled_is_named(index: int) -> None:
    key, first = bundle(index), index * WIDTH
    held, _ = entries_of(golden.files().held[key])
    packed = [len(each).to_bytes(2, "big") + each for each in held]
    for at in range(0, len(packed), 3):
        changes = {"dropped": [*packed[:at], *packed[at + 1 :]],
                   "doubled": [*packed[:at], packed[at], *packed[at:]]}
        if at + 1 < len(packed):
            changes["swapped"] = [*packed[:at], packed[at + 1], packed[at], *packed[at + 2 :]]
        for how, changed in changes.items():
            with golden.files().with_file(key, b"".join(changed)):
                said = golden.problem()
            number = first + at + (how == "doubled")
            assert key in said, (how, at)
            assert f"entry {number}" in said or number == first + len(packed), (how, at, said)


def test_each_hash_dropped_swapped_or_doubled_is_named() -> None:
    for key in ("tile/0/000", tile_key(0, 1, SIZE - WIDTH)):
        data = golden.files().held[key]
        hashes = [data[at : at + 32] for at in range(0, len(data), 32)]
        for at in range(0, len(hashes) - 1, 16):
            one, other = hashes[at : at + 2]
            for changed in ([other, one], [one], [one, other, other]):
                whole = b"".join([*hashes[:at], *changed, *hashes[at + 2 :]])
                with golden.files().with_file(key, whole):
                    assert key in golden.problem(), (key, at)


def test_each_record_of_a_leaf_dropped_swapped_or_doubled_is_named() -> None:
    """Packed anew as the writer would, so that nothing but what it holds is wrong."""
    unpacker = Unpacker()
    for entry, _ in Walk(golden.files(), SIZE).entries():
        key = leaf_key(entry.leaf)
        if key not in golden.files().held:
            continue
        data = unpacker.leaf(golden.files(), entry) or b""
        if entry.leaf.document.name == "dictionary":
            unpacker.add_dictionary(entry, data)
        if entry.leaf.WhichOneof("kind") != "document":
            for changed in changed_records(data):
                refused(unpacker, entry, key, zstandard.compress(changed))


@pytest.mark.parametrize("kind", ["round", "remainder"])
def test_the_program_names_the_entry_of_a_record_that_was_changed(kind: str) -> None:
    unpacker = Unpacker()
    for entry, _ in Walk(golden.files(), SIZE).entries():
        data = unpacker.leaf(golden.files(), entry) or b""
        if entry.leaf.document.name == "dictionary":
            unpacker.add_dictionary(entry, data)
        if entry.leaf.WhichOneof("kind") == kind and len(list(messages_of(data))) > 1:
            key = leaf_key(entry.leaf)
            for changed in changed_records(data):
                with golden.files().with_file(key, zstandard.compress(changed)):
                    said = golden.problem()
                assert said.startswith(f"entry {entry.number} ({kind} "), said
            return


def test_each_line_of_a_note_dropped_swapped_or_doubled_is_named() -> None:
    notes = [key for key in FILES if key.startswith(("checkpoint", "keys/"))]
    for key in notes:
        lines = golden.files().held[key].splitlines(keepends=True)
        for at in range(len(lines)):
            dropped = [*lines[:at], *lines[at + 1 :]]
            doubled = [*lines[:at], lines[at], *lines[at:]]
            swapped = [*lines[:at], *lines[at : at + 2][::-1], *lines[at + 2 :]]
            for changed in (dropped, doubled, swapped):
                if changed == lines or b"witness" in lines[at] or at + 2 >= len(lines) > 5:
                    continue  # signatures below a note are a set, and witnesses come and go
                with golden.files().with_file(key, b"".join(changed)):
                    said = golden.problem()
                assert key in said, (key, at, changed, said)


def changed_records(data: bytes) -> list[bytes]:
    """A record dropped, swapped with the next, doubled: at the beginning, the middle, the end."""
    held = list(messages_of(data))
    at_last, found = len(data), []
    starts = [at_last]
    for message in reversed(held):
        at_last -= len(message) + (1 if len(message) < 128 else 2 if len(message) < 1 << 14 else 3)
        starts.append(at_last)
    starts.reverse()
    framed = [data[start:end] for start, end in pairwise(starts)]
    for at in {0, len(framed) // 2, len(framed) - 1} if framed else ():
        found.append(b"".join([*framed[:at], *framed[at + 1 :]]))
        found.append(b"".join([*framed[:at], framed[at], *framed[at:]]))
        if at + 1 < len(framed):
            found.append(b"".join([*framed[:at], framed[at + 1], framed[at], *framed[at + 2 :]]))
    assert all(each != data for each in found)
    return found


def refused(unpacker: Unpacker, entry: Entry, key: str, packed: bytes) -> None:
    with golden.files().with_file(key, packed), pytest.raises(Bad, match=key):
        unpacker.leaf(golden.files(), entry)


def swap(one: str, other: str) -> None:
    first, second = golden.files().held[one], golden.files().held[other]
    with golden.files().with_file(one, second), golden.files().with_file(other, first):
        said = golden.problem()
    assert one in said or other in said, (one, other, said)


def is_signature_of_an_early_witness(key: str, at: int) -> bool:
    """A cosignature is looked at if it is asked for, and below the newest checkpoint."""
    data = golden.files().held[key]
    return key.startswith("checkpoints/") and b"witness" in data and at > data.index(b"\n\n")
