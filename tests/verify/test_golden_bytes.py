"""Each byte of the golden archive, changed: it is noticed, and named.

What runs for each byte is that part of the verifier which meets it; the whole program is run on
some bytes of each file, here and in test_golden_files.py.
"""

import re
from collections import Counter
from contextlib import suppress

import pytest

from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.signed import read_signed
from services.verify.unpack import Unpacker, leaf_key
from services.verify.walk import Walk
from tests.verify import golden
from tests.verify.golden import flips

ORIGIN = "casino.example/floor"
SIZE = golden.judge().size


def named(key: str) -> list[str]:
    found = [each for each in golden.files().held if re.fullmatch(key, each)]
    assert found
    return found


def walked() -> str:
    """What the tree's tiles and bundles, and no leaves, say of themselves."""
    try:
        for _ in Walk(golden.files(), SIZE).entries():
            pass
    except Bad as problem:
        return str(problem)
    return ""


def entries() -> list[Entry]:
    return [entry for entry, _ in Walk(golden.files(), SIZE).entries()]


@pytest.mark.parametrize("key", ["log.json", "checkpoint", *named("keys/.*")])
def test_each_byte_of_what_is_read_first_counts(key: str) -> None:
    for at, flipped in flips(golden.files().held[key]):
        with golden.files().with_file(key, flipped):
            said = golden.problem()
        assert key in said or (key == "checkpoint" and "checkpoint" in said), (at, said)


@pytest.mark.parametrize("key", named("checkpoints/.*"))
def test_each_byte_of_a_signed_checkpoint_counts(key: str) -> None:
    """The size in it must be that of its name; what is no signature of ours is a witness's."""
    data = golden.files().held[key]
    size = int(key.split("/")[1])
    signed = data.index("\n— witness".encode()) + 1 if b"witness" in data else len(data)
    for _, flipped in flips(data, range(signed)):
        with golden.files().with_file(key, flipped), pytest.raises(Bad, match=key):
            read_signed(golden.files(), size, ORIGIN, golden.keys())
    for at, flipped in flips(data, range(0, len(data), 41)):
        with golden.files().with_file(key, flipped):
            said = golden.problem()
        assert key in said or at >= signed, (at, said)


def test_each_byte_of_a_witness_that_is_asked_for_counts() -> None:
    key = f"checkpoints/{SIZE}"
    data = golden.files().held[key]
    signed = data.index("\n— witness".encode()) + 1
    for at, flipped in flips(data, range(signed, len(data))):
        with golden.files().with_file(key, flipped):
            assert golden.problem(), at


@pytest.mark.parametrize("key", named("tile/[0-9].*"))
def test_each_byte_of_a_hash_tile_counts(key: str) -> None:
    data = golden.files().held[key]
    needed = key in current("0") or key.startswith("tile/1/")
    for at, flipped in flips(data, range(0, len(data), 1 if needed else 7)):
        with golden.files().with_file(key, flipped):
            assert key in walked(), at


@pytest.mark.parametrize("key", named("tile/entries/.*"))
def test_each_byte_of_a_bundle_of_entries_counts(key: str) -> None:
    """The entry that holds it is named; of a bundle that a wider one has replaced the file."""
    data = golden.files().held[key]
    at_entry = owners(data)
    first = int(key[13:16]) * 256
    replaced = key not in current("entries")
    for at, flipped in flips(data, range(0, len(data), 7 if replaced else 1)):
        with golden.files().with_file(key, flipped):
            said = walked()
        assert key in said, at
        if not replaced:
            assert re.search(rf"entry {first + at_entry[at]}\b", said), (at, said)


def test_each_byte_of_a_leaf_counts_or_says_nothing() -> None:
    """Some bits of a zstd frame fill up a byte: whatever they are, what is unpacked is the same."""
    unpacker, idle, total = Unpacker(), Counter[str](), 0
    for entry in entries():
        key = leaf_key(entry.leaf)
        packed = golden.files().held.get(key)
        if packed is None:
            continue
        good = unpacker.leaf(golden.files(), entry)
        for at, flipped in flips(packed):
            total += 1
            with golden.files().with_file(key, flipped):
                data, said = unpacked(unpacker, entry)
            idle[key] += data is not None
            assert data in (None, good), (key, at)
            assert data or said.startswith(f"entry {entry.number} (")
            assert data or key in said
        if entry.leaf.document.name == "dictionary":
            with suppress(Bad):
                unpacker.add_dictionary(entry, good or b"")
    assert total > 100_000
    assert sum(idle.values()) < total / 1000, idle


def unpacked(unpacker: Unpacker, entry: Entry) -> tuple[bytes | None, str]:
    """The bytes of a leaf, or what is wrong with it."""
    try:
        return unpacker.leaf(golden.files(), entry), ""
    except Bad as problem:
        return None, str(problem)


def owners(bundle: bytes) -> list[int]:
    """Of each byte, which entry it belongs to, its length included."""
    found: list[int] = []
    number = 0
    while len(found) < len(bundle):
        length = 2 + int.from_bytes(bundle[len(found) : len(found) + 2], "big")
        found += [number] * length
        number += 1
    return found


def current(level: str) -> set[str]:
    """Bundles, or hashes of them, of the newest tree. Others are those of smaller trees."""
    return {f"tile/{level}/000", f"tile/{level}/001.p/{SIZE - 256}"}
