"""Legal holds: what may not be deleted whatever its term, until somebody releases it.

A hold lies beside the log from the moment it is placed, and its release beside it; neither is ever
written over. The next append seals both in the log, as documents "hold". A hold counts when either
place has it.

    {"format": 1, "id": "...", "at": "2026-11-30T12:00:00Z", "by": "...", "reason": "...",
     "hold": {"round" | "table" | "gaming_day" | "patron" | "case": "..."}}
    {"format": 1, "id": "...", "at": "...", "by": "...", "reason": "...", "release": true}
"""

import json
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from pitledger.archive import layout
from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.log import leaf_data
from pitledger.archive.said import read_json
from pitledger.archive.store import BadArchive, Store
from pitledger.pb.archive_pb2 import ArchiveLeaf

NAME = "hold"
OF_MIRROR = "-mirror"
"""Ends the id of a hold that was placed in a mirror."""
_FORMAT = 1
_ID = re.compile("[a-z0-9][a-z0-9-]{0,63}")


class Scope(StrEnum):
    """What a hold is on: all that belongs to it."""

    ROUND = "round"
    TABLE = "table"
    GAMING_DAY = "gaming_day"
    PATRON = "patron"
    CASE = "case"


@dataclass(frozen=True, slots=True)
class Statement:
    """Somebody places a hold, or releases it. `at`: ISO 8601, UTC."""

    id: str
    at: str
    by: str
    reason: str
    scope: Scope | None
    """None: it is a release."""
    value: str = ""

    @property
    def key(self) -> str:
        return f"{layout.HOLDS}/{self.id}{'' if self.scope else '.release'}.json"

    def data(self) -> bytes:
        said: dict[str, object] = {
            "format": _FORMAT,
            "id": self.id,
            "at": self.at,
            "by": self.by,
            "reason": self.reason,
        }
        if self.scope is None:
            said["release"] = True
        else:
            said["hold"] = {str(self.scope): self.value}
        return (json.dumps(said, indent=1) + "\n").encode()

    @classmethod
    def parse(cls, data: bytes) -> "Statement":
        """Raises BadArchive."""
        try:
            said = read_json(data)
            id_, at, by, reason = (str(said[name]) for name in ("id", "at", "by", "reason"))
            if said["format"] != _FORMAT or not is_id(id_):
                raise ValueError
            if said.get("release") is True:
                return cls(id_, at, by, reason, None)
            [(scope, value)] = said["hold"].items()
            return cls(id_, at, by, reason, Scope(scope), str(value))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadArchive("is no legal hold, nor a release") from None


@dataclass(frozen=True, slots=True)
class Hold:
    placed: Statement
    released: Statement | None


def is_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def is_of_mirror(name: str) -> bool:
    """Of a hold's id, or of the file of one or of its release."""
    return name.partition(".")[0].endswith(OF_MIRROR)


def read_holds(store: Store, leaves: Iterable[ArchiveLeaf] = ()) -> list[Hold]:
    """Those that lie beside the log or among its entries, in the order of their ids.

    Raises BadArchive, StoreError.
    """
    said = [_read(store, name)[0] for name in store.names(layout.HOLDS)]
    said += [
        Statement.parse(leaf_data(store, leaf.sha256, leaf.length))
        for leaf in leaves
        if leaf.document.name == NAME
    ]
    placed = {each.id: each for each in said if each.scope is not None}
    released = {each.id: each for each in said if each.scope is None}
    return [Hold(placed[id_], released.get(id_)) for id_ in sorted(placed)]


def unsealed(store: Store, documents: Collection[bytes]) -> list[Leaf]:
    """What lies beside the log and not in it: documents to seal. `documents`: SHA-256 of those that
    the log has.

    What is no hold is left out, and told by `read_holds`: a file of somebody's stops no sealing.
    Raises StoreError.
    """
    found = []
    for name in store.names(layout.HOLDS):
        with suppress(BadArchive):
            _statement, data = _read(store, name)
            if sha256(data).digest() not in documents:
                found.append(document_leaf(NAME, "application/json", data))
    return found


def _read(store: Store, name: str) -> tuple[Statement, bytes]:
    key = f"{layout.HOLDS}/{name}"
    data = store.read(key)
    if data is None:
        raise BadArchive(f"{key}: is missing")
    try:
        statement = Statement.parse(data)
    except BadArchive as problem:
        raise BadArchive(f"{key}: {problem}") from None
    if statement.key != key:
        raise BadArchive(f"{key}: is that of {statement.id}")
    return statement, data
