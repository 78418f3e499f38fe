"""Who may sign a packet: the archive's key in force, or one that it authorised."""

from collections.abc import Sequence
from hashlib import sha256

from pitledger.archive import layout
from pitledger.archive.note import ED25519, BadNote, Note, PublicKey, SecretKey
from pitledger.archive.statements import (
    About,
    Statement,
    may_sign_packets,
    read_statements,
    successors,
)
from pitledger.archive.store import Store
from services.packet.evidence import Sealed
from services.packet.faults import NoPacket


def check_signer(sealed: Sealed, key: SecretKey, log_key: PublicKey | None) -> None:
    """Also that the checkpoint is signed by the archive's key, or by one that it follows.

    `log_key`: of the archive, where `key` is not its own. Raises NoPacket, StoreError.
    """
    if key.kind != ED25519:
        raise NoPacket(f"{key.name} is a witness's key, and signs no packets")
    try:
        statements = read_statements(sealed.store)
    except BadNote as problem:
        raise NoPacket(str(problem)) from None
    own = key.public
    keys = _archive_keys(statements, log_key or own)
    if not any(Note.parse(sealed.note).signed_by(each) for each in keys):
        raise NoPacket(_not_the_archives(sealed, own, log_key))
    if own in keys:
        if (after := successors(statements, own))[-1] != own:
            raise NoPacket(f"{own.handle} signs no more: {after[-1].handle} came after it")
    elif not may_sign_packets(statements, own, keys):
        raise NoPacket(
            f"{own.name} may not sign packets of {sealed.about.origin}: the archive's key has not"
            " authorised it, or has revoked it (pitledger keys authorise)"
        )


def statement_files(store: Store) -> dict[str, bytes]:
    """What is said of keys in the archive, by name in a packet. Raises StoreError."""
    found = {}
    for name in store.names(layout.KEYS):
        data = store.read(f"{layout.KEYS}/{name}") or b""
        found[f"evidence/keys/{sha256(data).hexdigest()}"] = data
    return found


def _archive_keys(statements: Sequence[Statement], known: PublicKey) -> list[PublicKey]:
    """The key, those that came after it and those before, each vouched for by both of a pair."""
    keys = [known]
    for key in keys:
        for said in statements:
            if said.about is not About.ROTATE or said.follows is None:
                continue
            pair = (said.subject, said.follows)
            if key in pair and all(said.signed_by(each) for each in pair):
                keys += [each for each in pair if each not in keys]
    return keys


def _not_the_archives(sealed: Sealed, own: PublicKey, log_key: PublicKey | None) -> str:
    names = ", ".join(signature.handle for signature in Note.parse(sealed.note).signatures)
    signed = f"the checkpoint of {sealed.about.origin} is signed by {names}"
    if log_key is None:
        return (
            f"{own.handle} is not the archive's key: {signed}; a key that was authorised needs"
            " the archive's public one beside it (--log-key)"
        )
    return f"{log_key.handle} is not the archive's key: {signed}"
