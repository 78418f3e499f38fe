"""Whether the tree of one checkpoint is the beginning of another's, proved from the tiles."""

from services.verify.faults import Bad, BadInput
from services.verify.files import Folder
from services.verify.note import Checkpoint
from services.verify.tiles import Hashes
from services.verify.tree import consistency_proof, is_prefix


def check_consistency(files: Folder, old: Checkpoint, new: Checkpoint) -> None:
    """Raises Bad for a fork or bad tiles, BadInput for two that cannot be compared."""
    if old.origin != new.origin:
        raise BadInput(f"the checkpoints are of two logs: {old.origin}, {new.origin}")
    if old.size > new.size:
        raise BadInput(f"OLD has {old.size} entries, and NEW has {new.size}")
    if old.size == new.size and old.root != new.root:
        raise Bad(f"two trees of {old.size} entries are signed: the log has a fork")
    hashes = Hashes(files, new.size)
    if new.size and hashes.root(0, new.size) != new.root:
        raise Bad(f"the tiles have not the root of the {new.size} entries of NEW")
    proof = consistency_proof(old.size, new.size, hashes.root) if old.size else []
    if not is_prefix(old.size, old.root, new.size, new.root, proof):
        raise Bad(f"the {old.size} entries of OLD are not the first of the {new.size} of NEW")
