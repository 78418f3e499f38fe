"""The tree against RFC 6962's definition, and the roots that all its implementations test."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.archive.merkle import (
    EMPTY_ROOT,
    WIDTH,
    Edge,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
)

INPUTS = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def test_the_roots_of_the_eight_well_known_inputs():
    edge = Edge()
    assert edge.root() == EMPTY_ROOT == sha256(b"").digest()
    for entry, root in zip(INPUTS, ROOTS, strict=True):
        edge.append(leaf_hash(entry))
        assert edge.root().hex() == root


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 512, 513, 1000, 65_535, 65_536, 65_600])
def test_the_edge_has_the_root_that_the_definition_gives(size):
    hashes = [leaf_hash(n.to_bytes(4, "big")) for n in range(size)]
    edge, tiles = Edge(), {}
    for each in hashes:
        tiles |= {(tile.level, tile.index): tile.hashes for tile in edge.append(each)}
    assert edge.root() == naive_root(hashes)
    assert all(len(each) == WIDTH for each in tiles.values())
    tiles |= {(tile.level, tile.index): tile.hashes for tile in edge.partial()}
    assert [h for (level, _), each in sorted(tiles.items()) for h in each if not level] == hashes


@given(st.integers(1, 70), st.data())
def test_an_inclusion_proof_leads_from_an_entry_to_the_root(size, data):
    hashes = [leaf_hash(bytes([n])) for n in range(size)]
    index = data.draw(st.integers(0, size - 1))
    proof = inclusion_proof(index, size, node_of(hashes))
    assert proof == naive_path(index, hashes)


@given(st.integers(1, 70), st.data())
def test_a_consistency_proof_is_that_of_the_definition(new, data):
    hashes = [leaf_hash(bytes([n])) for n in range(new)]
    old = data.draw(st.integers(1, new))
    assert consistency_proof(old, new, node_of(hashes)) == naive_proof(old, hashes, True)


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_no_entry_lies_outside_a_tree(index, size):
    with pytest.raises(IndexError):
        inclusion_proof(index, size, node_of([]))


def node_of(hashes):
    return lambda level, index: naive_root(hashes[index << level : (index + 1) << level])


def split(count):
    power = 1
    while 2 * power < count:
        power *= 2
    return power


def naive_root(hashes):
    if len(hashes) == 1:
        return hashes[0]
    k = split(len(hashes))
    return sha256(b"\1" + naive_root(hashes[:k]) + naive_root(hashes[k:])).digest()


def naive_path(index, hashes):
    if len(hashes) == 1:
        return []
    k = split(len(hashes))
    if index < k:
        return [*naive_path(index, hashes[:k]), naive_root(hashes[k:])]
    return [*naive_path(index - k, hashes[k:]), naive_root(hashes[:k])]


def naive_proof(old, hashes, complete):
    if old == len(hashes):
        return [] if complete else [naive_root(hashes)]
    k = split(len(hashes))
    if old <= k:
        return [*naive_proof(old, hashes[:k], complete), naive_root(hashes[k:])]
    return [*naive_proof(old - k, hashes[k:], False), naive_root(hashes[:k])]
