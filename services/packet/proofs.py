"""Inclusion in a signed tree, as text that any tlog library reads (C2SP tlog-proof), and checked.

    c2sp.org/tlog-proof@v1
    index INDEX
    HASH in base64, from the leaf's sibling up to the root's child
    ...

    the checkpoint, as it was signed
"""

import base64
from collections.abc import Sequence

from pitledger.archive.merkle import leaf_hash, node_hash

_HEAD = "c2sp.org/tlog-proof@v1"


def tlog_proof(index: int, path: Sequence[bytes], checkpoint: bytes) -> bytes:
    """`path`: of RFC 6962, section 2.1.1. `checkpoint`: the signed note."""
    lines = [_HEAD, f"index {index}", *(base64.b64encode(hash_).decode() for hash_ in path)]
    return "\n".join([*lines, "", ""]).encode() + checkpoint


def root_by(index: int, size: int, entry: bytes, path: Sequence[bytes]) -> bytes | None:
    """The root that an entry's proof leads to (RFC 9162, section 2.1.3.2); None: to none."""
    at, last, root = index, size - 1, leaf_hash(entry)
    for hash_ in path:
        if last == 0:
            return None
        if at & 1 or at == last:
            root = node_hash(hash_, root)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            root = node_hash(root, hash_)
        at, last = at >> 1, last >> 1
    return root if last == 0 else None
