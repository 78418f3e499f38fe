"""Keys that nobody had before."""

import secrets

from pitledger.archive.note import ED25519, SecretKey


def new_key(name: str, kind: bytes = ED25519) -> SecretKey:
    """Raises BadNote for a name that no note can bear."""
    return SecretKey.of(name, secrets.token_bytes(32), kind)
