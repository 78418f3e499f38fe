"""RFC 6962, section 2.1: the vectors of the reference tests, and the definition itself."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.verify.tree import (
    EMPTY,
    Growing,
    consistency_proof,
    is_included,
    is_prefix,
    leaf_hash,
    node_hash,
    root_of,
)

INPUTS = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)]
ROOTS = [bytes.fromhex(text) for text in (
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)]
HASHES = [leaf_hash(data) for data in INPUTS]
FIRST_OF_EIGHT = [bytes.fromhex(text) for text in (
    "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
    "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
    "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
)]
SIXTH_OF_EIGHT = [bytes.fromhex(text) for text in (
    "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
)]
SIX_IN_EIGHT = [bytes.fromhex(text) for text in (
    "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
    "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
)]


def naive_root(hashes: list[bytes]) -> bytes:
    """MTH of section 2.1, word for word."""
    if not hashes:
        return sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    half = 1
    while half * 2 < len(hashes):
        half *= 2
    return node_hash(naive_root(hashes[:half]), naive_root(hashes[half:]))


def naive_path(index: int, hashes: list[bytes]) -> list[bytes]:
    """PATH of section 2.1.1, word for word."""
    if len(hashes) == 1:
        return []
    half = 1
    while half * 2 < len(hashes):
        half *= 2
    left, right = hashes[:half], hashes[half:]
    if index < half:
        return [*naive_path(index, left), naive_root(right)]
    return [*naive_path(index - half, right), naive_root(left)]


def prove(old: int, hashes: list[bytes]) -> list[bytes]:
    return consistency_proof(old, len(hashes), lambda first, end: naive_root(hashes[first:end]))


def test_the_reference_trees_have_the_roots_of_the_reference() -> None:
    growing = Growing()
    assert growing.root() == ROOTS[0] == EMPTY
    for hash_, root in zip(HASHES, ROOTS[1:], strict=True):
        growing.append(hash_)
        assert growing.root() == root


@pytest.mark.parametrize(("index", "proof"), [(0, FIRST_OF_EIGHT), (5, SIXTH_OF_EIGHT)])
def test_the_reference_inclusion_proofs_are_accepted(index: int, proof: list[bytes]) -> None:
    assert is_included(HASHES[index], index, 8, ROOTS[8], proof)


@pytest.mark.parametrize(("old", "proof"), [(1, FIRST_OF_EIGHT), (6, SIX_IN_EIGHT)])
def test_the_reference_consistency_proofs_are_made_and_accepted(
    old: int, proof: list[bytes]
) -> None:
    assert prove(old, HASHES) == proof
    assert is_prefix(old, ROOTS[old], 8, ROOTS[8], proof)


def test_every_tree_up_to_forty_entries_is_proved_the_beginning_of_every_larger_one() -> None:
    hashes = [leaf_hash(b"%d" % number) for number in range(40)]
    for new in range(1, 41):
        root = naive_root(hashes[:new])
        assert root_of(hashes[:new]) == root
        for index in range(new):
            path = naive_path(index, hashes[:new])
            assert is_included(hashes[index], index, new, root, path)
        for old in range(1, new + 1):
            proof = prove(old, hashes[:new])
            assert is_prefix(old, naive_root(hashes[:old]), new, root, proof)


@given(st.integers(1, 70), st.data())
def test_a_proof_that_differs_anywhere_proves_nothing(new: int, data: st.DataObject) -> None:
    hashes = [leaf_hash(b"%d" % number) for number in range(new)]
    old, index = data.draw(st.integers(1, new)), data.draw(st.integers(0, new - 1))
    root, old_root = naive_root(hashes), naive_root(hashes[:old])
    other = sha256(b"other").digest()
    for proof, holds in (
        (naive_path(index, hashes), lambda p, r: is_included(hashes[index], index, new, r, p)),
        (prove(old, hashes), lambda p, r: is_prefix(old, old_root, new, r, p)),
    ):
        assert holds(proof, root)
        assert not holds(proof, other)
        assert not holds([*proof, other], root)
        for at in range(len(proof)):
            assert not holds([*proof[:at], other, *proof[at + 1 :]], root)
            assert not holds([*proof[:at], *proof[at + 1 :]], root)


def test_an_empty_tree_is_the_beginning_of_each() -> None:
    assert is_prefix(0, EMPTY, 8, ROOTS[8], [])
    assert not is_prefix(0, ROOTS[1], 8, ROOTS[8], [])
    assert not is_prefix(0, EMPTY, 8, ROOTS[8], [ROOTS[1]])


def test_no_entry_lies_outside_a_tree() -> None:
    assert not is_included(HASHES[0], 8, 8, ROOTS[8], FIRST_OF_EIGHT)
    assert not is_included(HASHES[0], -1, 8, ROOTS[8], FIRST_OF_EIGHT)
