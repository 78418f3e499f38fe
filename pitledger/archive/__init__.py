"""The sealed archive: leaves of the journal under a Merkle tree that is signed."""
