"""The Merkle tree of RFC 6962, section 2.1: roots, and what its proofs prove."""

from collections.abc import Callable, Sequence
from hashlib import sha256

EMPTY = sha256(b"").digest()
"""The root of no entries."""


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def root_of(hashes: Sequence[bytes]) -> bytes:
    """The root above hashes of one level."""
    growing = Growing()
    for each in hashes:
        growing.append(each)
    return growing.root()


class Growing:
    """A tree that is read from left to right: of it all, only its whole subtrees are kept."""

    def __init__(self) -> None:
        self.size = 0
        self._whole: list[bytes] = []  # one for each bit of the size that is set, largest first

    def append(self, leaf: bytes) -> None:
        count = self.size
        while count & 1:
            leaf = node_hash(self._whole.pop(), leaf)
            count >>= 1
        self._whole.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        if not self._whole:
            return EMPTY
        *others, root = self._whole
        for left in reversed(others):
            root = node_hash(left, root)
        return root


RootOfRange = Callable[[int, int], bytes]
"""The root of the entries from `first` up to, and without, `end`."""


def consistency_proof(old: int, new: int, root_of_range: RootOfRange) -> list[bytes]:
    """PROOF(old, D[new]) of section 2.1.2; 0 < old <= new."""
    return _subproof(old, 0, new, True, root_of_range)


def _subproof(old: int, first: int, end: int, known: bool, root: RootOfRange) -> list[bytes]:
    size = end - first
    if old == size:
        return [] if known else [root(first, end)]
    half = largest_power_below(size)
    if old <= half:
        return [*_subproof(old, first, first + half, known, root), root(first + half, end)]
    proof = _subproof(old - half, first + half, end, False, root)
    return [*proof, root(first, first + half)]


def largest_power_below(size: int) -> int:
    """Where a tree of more than one entry is divided."""
    return 1 << (size - 1).bit_length() - 1


def is_prefix(
    old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether a proof shows that the first `old` of `new` entries are those of `old_root`."""
    if old == 0:
        return old_root == EMPTY and not proof
    if old == new:
        return old_root == new_root and not proof
    path = [old_root, *proof] if old & old - 1 == 0 else list(proof)
    if not 0 < old < new or not path:
        return False
    left, last = _up_while(old - 1, new - 1, odd=True)
    old_found = new_found = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if left & 1 or left == last:
            old_found = node_hash(sibling, old_found)
            new_found = node_hash(sibling, new_found)
            left, last = _up_while(left, last, odd=False)
        else:
            new_found = node_hash(new_found, sibling)
        left, last = left >> 1, last >> 1
    return last == 0 and (old_found, new_found) == (old_root, new_root)


def is_included(
    leaf: bytes, index: int, size: int, root: bytes, proof: Sequence[bytes]
) -> bool:
    """Whether a proof shows that the entry of this hash is the one numbered `index` (from 0)."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if at & 1 or at == last:
            found = node_hash(sibling, found)
            at, last = _up_while(at, last, odd=False)
        else:
            found = node_hash(found, sibling)
        at, last = at >> 1, last >> 1
    return last == 0 and found == root


def _up_while(at: int, last: int, *, odd: bool) -> tuple[int, int]:
    """Up through the levels where the node is a right one (`odd`), or has no right neighbour."""
    while at and bool(at & 1) == odd:
        at, last = at >> 1, last >> 1
    return at, last
