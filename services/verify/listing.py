"""What a packet says that it is: `packet.json`, which lists its files, and `packet.sig` over it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from services.verify.faults import Bad, BadInput
from services.verify.keys import Keys
from services.verify.note import BadNote, Key, Note

LISTING, SIGNATURE = "packet.json", "packet.sig"
_FORMAT = 1
_HEAD = "pitledger.packet/v1"
_TEXTS = ("origin", "round_id", "table_id", "made_at", "made_by")


@dataclass(frozen=True, slots=True)
class Listing:
    """`files`: SHA-256 by name, of all but the two."""

    origin: str
    round_id: str
    table_id: str
    round_number: int
    made_at: str
    made_by: str
    files: Mapping[str, str]

    @classmethod
    def parse(cls, data: bytes) -> "Listing":
        """Raises Bad."""
        try:
            said = json.loads(data, object_pairs_hook=_object)
            format_ = said["format"]
            texts = [said[name] for name in _TEXTS]
            number, files = said["round_number"], said["files"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Bad(f"{LISTING}: does not list a packet") from None
        if type(format_) is int and format_ != _FORMAT:
            raise Bad(f"{LISTING}: format {format_} is not known here")
        plain = type(format_) is type(number) is int and all(type(text) is str for text in texts)
        if not plain or type(files) is not dict or not all(map(_is_digest, files.values())):
            raise Bad(f"{LISTING}: does not list a packet")
        origin, round_id, table_id, made_at, made_by = texts
        return cls(origin, round_id, table_id, number, made_at, made_by, files)

    def check_files(self, files: Mapping[str, bytes]) -> None:
        """That they are those that are listed, byte by byte. Raises Bad."""
        for name, data in files.items():
            if name in (LISTING, SIGNATURE):
                continue
            if name not in self.files:
                raise Bad(f"{name}: is not one of the files that {LISTING} lists")
            if sha256(data).hexdigest() != self.files[name]:
                raise Bad(f"{name}: is not the file that was signed")
        for name in self.files:
            if name not in files:
                raise Bad(f"{name}: is missing; {LISTING} lists it")


def signer_of(files: Mapping[str, bytes], keys: Keys) -> Key:
    """Whose signature `packet.json` is under. Raises Bad; BadInput: of nobody who was let sign."""
    try:
        note = Note.parse(files[SIGNATURE])
    except BadNote as problem:
        raise Bad(f"{SIGNATURE}: {problem}") from None
    signer = next((key for key in keys.packet_keys() if note.by(key)), None)
    if signer is None:
        by = ", ".join(sorted({each.handle for each in note.signatures}))
        raise BadInput(
            f"{SIGNATURE}: is not signed by this key of {keys.given.handle}, nor by one that it"
            f" lets sign packets, but by {by}"
        )
    if not note.is_signed_by(signer):
        raise Bad(f"{SIGNATURE}: the signature of {signer.handle} is not good")
    try:
        keys.check_packets_signer(signer)
    except Bad as problem:
        raise Bad(f"{SIGNATURE}: {problem}") from None
    return signer


def check_signed(files: Mapping[str, bytes], origin: str) -> None:
    """That the signature is over this very listing. Raises Bad."""
    text = Note.parse(files[SIGNATURE]).text
    if text != f"{_HEAD}\n{origin}\n{sha256(files[LISTING]).hexdigest()}\n":
        raise Bad(f"{LISTING}: is not what {SIGNATURE} signs")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def _is_digest(value: object) -> bool:
    return type(value) is str and re.fullmatch("[0-9a-f]{64}", value) is not None
