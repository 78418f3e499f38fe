"""Who may sign a packet: the archive's key in force, or one that it authorised."""

from hashlib import sha256

from pitledger.archive import layout
from pitledger.archive.log_keys import read_keys
from pitledger.archive.note import ED25519, PublicKey, SecretKey
from pitledger.archive.store import Store
from services.packet.evidence import Sealed
from services.packet.faults import NoPacket


def check_signer(sealed: Sealed, key: SecretKey, log_key: PublicKey | None) -> None:
    """Also that the checkpoint is signed by the archive's key, or by one that it took the place of.

    The key in force vouches for each packet: it signs that itself, or the checkpoint under it.
    `log_key`: of the archive, where `key` is not its own. Raises NoPacket, BadArchive, StoreError.
    """
    if key.kind != ED25519:
        raise NoPacket(f"{key.public.handle} is a witness's key, and signs no packets")
    own, note, origin = key.public, sealed.signed.note, sealed.about.origin
    keys = read_keys(sealed.store, log_key or own)
    if not any(map(note.signed_by, keys.line)):
        raise NoPacket(_not_the_archives(sealed, own, log_key))
    keys.check(origin)
    in_force = keys.in_force
    if own == in_force:
        return
    if own in keys.line:
        raise NoPacket(f"{own.handle} signs no more: {in_force.handle} took its place")
    if not keys.let_sign_packets(own):
        raise NoPacket(
            f"{own.handle} may not sign packets of {origin}: the key in force, {in_force.handle},"
            " has not authorised it (pitledger keys authorise), or it was revoked, for good"
        )
    if not note.signed_by(in_force):
        raise NoPacket(
            f"{in_force.handle} has signed no checkpoint yet: let it seal first (pitledger archive)"
        )


def statement_files(store: Store) -> dict[str, bytes]:
    """What is said of keys in the archive, by name in a packet. Raises StoreError."""
    found = {}
    for name in store.names(layout.KEYS):
        data = store.read(f"{layout.KEYS}/{name}") or b""
        found[f"evidence/keys/{sha256(data).hexdigest()}"] = data
    return found


def _not_the_archives(sealed: Sealed, own: PublicKey, log_key: PublicKey | None) -> str:
    names = ", ".join(signature.handle for signature in sealed.signed.note.signatures)
    signed = f"the checkpoint of {sealed.about.origin} is signed by {names}"
    if log_key is None:
        return (
            f"{own.handle} is not the archive's key: {signed}; a key that was authorised needs"
            " the archive's public one beside it (--log-key)"
        )
    return f"{log_key.handle} is not the archive's key: {signed}"
