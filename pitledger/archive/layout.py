"""Where things lie in an archive: keys of a store, the same in a folder and in a bucket.

log.json                    what this archive is; written once
checkpoint                  the newest signed checkpoint
checkpoints/SIZE            each signed checkpoint
tile/L/N[.p/W]              hashes of the tree     (C2SP tlog-tiles)
tile/entries/N[.p/W]        the log's entries      (C2SP tlog-tiles)
leaf/AA/SHA256.zst          the bytes of a leaf
keys/SHA256                 statements about keys
holds/ID.json               a legal hold is placed
holds/ID.release.json       and released
mirror                      this is a mirror: nobody seals anything here
forks/SHA256                in a mirror: signed checkpoints that contradict each other
"""

LOG = "log.json"
CHECKPOINT = "checkpoint"
PENDING = "pending"
ENTRIES = "entries"
KEYS = "keys"
SIGNED = "checkpoints"
HOLDS = "holds"
MIRROR = "mirror"
FORKS = "forks"


def signed_checkpoint(size: int) -> str:
    return f"{SIGNED}/{size}"


def leaf(sha256: bytes) -> str:
    name = sha256.hex()
    return f"leaf/{name[:2]}/{name}.zst"


def hash_tile(level: int, index: int, width: int) -> str:
    return f"tile/{level}/{_number(index)}{_partial(width)}"


def entry_bundle(index: int, width: int) -> str:
    return f"tile/{ENTRIES}/{_number(index)}{_partial(width)}"


def partial_tiles(size: int) -> set[str]:
    """Folders in which the partial tiles of a tree lie."""
    kinds = [(ENTRIES, size), *((str(level), size >> 8 * level) for level in range(8))]
    return {f"tile/{kind}/{_number(count // 256)}.p" for kind, count in kinds if count % 256}


def _number(index: int) -> str:
    """1234067 is x001/x234/067."""
    parts = [f"{index % 1000:03}"]
    while index >= 1000:
        index //= 1000
        parts.append(f"x{index % 1000:03}")
    return "/".join(reversed(parts))


def _partial(width: int) -> str:
    return "" if width == 256 else f".p/{width}"
