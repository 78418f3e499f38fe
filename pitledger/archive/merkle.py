"""The Merkle tree of RFC 6962 (section 2.1), kept as the hashes of its right edge.

A tree is stored as tiles of up to 256 hashes (C2SP tlog-tiles): tile level t holds the hashes of
the perfect subtrees of 256**t entries. `Edge` holds of each level those hashes that do not fill a
tile yet; all that is full is written and forgotten.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

HASH_SIZE = 32
WIDTH = 256
"""Hashes of a full tile."""

EMPTY_ROOT = sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    return sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return sha256(b"\1" + left + right).digest()


def root_of_perfect(hashes: Sequence[bytes]) -> bytes:
    """The root over 2**k hashes of neighbours."""
    level = list(hashes)
    while len(level) > 1:
        level = [node_hash(level[i], level[i + 1]) for i in range(0, len(level), 2)]
    return level[0]


@dataclass(frozen=True, slots=True)
class Tile:
    """Full, or partial as long as it is the last of its level."""

    level: int
    index: int
    hashes: tuple[bytes, ...]

    @property
    def data(self) -> bytes:
        return b"".join(self.hashes)


@dataclass(slots=True)
class Edge:
    """`size` entries; `open`: by level, the hashes behind the last full tile."""

    size: int = 0
    open: list[list[bytes]] = field(default_factory=lambda: [[]])

    def append(self, hash_: bytes) -> list[Tile]:
        """Add an entry's leaf hash; the tiles that are full now."""
        full: list[Tile] = []
        self.size += 1
        level = 0
        while True:
            if level == len(self.open):
                self.open.append([])
            hashes = self.open[level]
            hashes.append(hash_)
            if len(hashes) < WIDTH:
                return full
            index = (self.size >> (8 * (level + 1))) - 1
            full.append(Tile(level, index, tuple(hashes)))
            hash_ = root_of_perfect(hashes)
            hashes.clear()
            level += 1

    def partial(self) -> list[Tile]:
        """The last tile of each level that is not full."""
        return [
            Tile(level, self.size >> (8 * (level + 1)), tuple(hashes))
            for level, hashes in enumerate(self.open)
            if hashes
        ]

    def root(self) -> bytes:
        """Of the tree as it is."""
        if self.size == 0:
            return EMPTY_ROOT
        root: bytes | None = None
        for hashes in self.open:  # from the smallest subtrees on the right to the largest
            for subtree in reversed(list(_perfect(hashes))):
                root = subtree if root is None else node_hash(subtree, root)
        assert root is not None
        return root


def _perfect(hashes: Sequence[bytes]) -> Iterator[bytes]:
    """Roots of the largest perfect subtrees, from the left."""
    at = 0
    while at < len(hashes):
        count = 1 << (len(hashes) - at).bit_length() - 1
        yield root_of_perfect(hashes[at : at + count])
        at += count


NodeHash = Callable[[int, int], bytes]
"""(level, index): the root over the 2**level entries from index * 2**level on."""


def subtree_hash(begin: int, end: int, node: NodeHash) -> bytes:
    """MTH of entries [begin, end) where begin is a multiple of the largest power of two below."""
    count = end - begin
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return node(level, begin >> level)
    split = _split(count)
    return node_hash(
        subtree_hash(begin, begin + split, node), subtree_hash(begin + split, end, node)
    )


def inclusion_proof(index: int, size: int, node: NodeHash) -> list[bytes]:
    """PATH(m, D[n]) of RFC 6962, section 2.1.1. Raises IndexError."""
    if not 0 <= index < size:
        raise IndexError(f"entry {index} of a tree of {size}")
    proof: list[bytes] = []
    begin, end = 0, size
    while end - begin > 1:
        middle = begin + _split(end - begin)
        if index < middle:
            proof.append(subtree_hash(middle, end, node))
            end = middle
        else:
            proof.append(subtree_hash(begin, middle, node))
            begin = middle
    return proof[::-1]


def consistency_proof(old: int, new: int, node: NodeHash) -> list[bytes]:
    """PROOF(m, D[n]) of RFC 6962, section 2.1.2. Raises IndexError."""
    if not 0 < old <= new:
        raise IndexError(f"a tree of {old} within one of {new}")
    proof: list[bytes] = []
    begin, end, complete = 0, new, True
    while old != end:
        middle = begin + _split(end - begin)
        if old <= middle:
            proof.append(subtree_hash(middle, end, node))
            end = middle
        else:
            proof.append(subtree_hash(begin, middle, node))
            begin, complete = middle, False
    if not complete:
        proof.append(subtree_hash(begin, end, node))
    return proof[::-1]


def _split(count: int) -> int:
    """The largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1
