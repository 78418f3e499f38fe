"""An archive in a bucket of an S3-compatible service: `s3://bucket/prefix`.

The keys are those of a folder. Nothing is put without a condition, so that of two writers, one of
which takes the other for dead, no more than one has its way: see docs/decisions/0038.
"""

import weakref
from concurrent.futures import Future, ThreadPoolExecutor

from pitledger.archive import layout
from pitledger.archive.note import BadNote
from pitledger.archive.signed import joined
from pitledger.archive.store import StoreError
from services.storage.lease import LEASE_S, Lease
from services.storage.objects import AT_ONCE, Object, Objects

_QUEUED_MAX = 4 * AT_ONCE
"""Writes that are under way or wait: their bytes are held in memory."""
_LOCK = "lock"
_REGISTERS = (layout.PENDING, layout.CHECKPOINT)
"""Changed only from what this writer saw there last: they tell which tree is to be signed next, and
which one is newest."""
_SIGNED = layout.SIGNED + "/"


class Bucket:
    """A store in a bucket. `write` goes on in threads; `sync` waits until all is acknowledged.

    After a write that failed nothing more is written, and the error comes again, until `lock`.
    """

    def __init__(self, objects: Objects, lease_s: float = LEASE_S) -> None:
        self.name = objects.name
        self._objects, self._lease_s = objects, lease_s
        self._lease: Lease | None = None
        self._seen: dict[str, Object | None] = {}
        self._pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="bucket")
        self._writes: dict[str, Future[None]] = {}
        self._failed: StoreError | None = None

    @classmethod
    def open(cls, url: str) -> "Bucket":
        """By the settings of AWS_* and PITLEDGER_S3_ENDPOINT. Raises StoreError."""
        return cls(Objects.open(url))

    def lock(self) -> None:
        if self._lease is not None:
            self._lease.release()
        self._seen.clear()
        self._writes.clear()
        self._failed = None
        lease = Lease(self._objects, _LOCK, self._lease_s)
        lease.take()
        self._lease = lease
        weakref.finalize(self, lease.leave)

    def read(self, key: str) -> bytes | None:
        self._settle(key)
        there = self._objects.get(key)
        if key in _REGISTERS:
            self._seen[key] = there
        if there is None or (key == layout.PENDING and self._is_signed(there.data)):
            return None
        return there.data

    def names(self, folder: str) -> list[str]:
        self.sync()
        return sorted(self._objects.names(folder))

    def create(self, key: str, data: bytes) -> bool:
        if self._objects.put_if(key, data, None) is not None:
            return True
        there = self._objects.get(key)
        return there is not None and there.data == data

    def write(self, key: str, data: bytes) -> None:
        self._settle(key)
        if len(self._writes) == _QUEUED_MAX:
            self._settle(next(iter(self._writes)))
        self._writes[key] = self._pool.submit(self._put, key, data)

    def sync(self) -> None:
        for key in list(self._writes):
            self._settle(key)

    def delete(self, key: str) -> None:
        """`pending` stays, as what the next tree follows; read after it was signed, it is not
        there."""
        self._settle(key)
        if key != layout.PENDING:
            self._objects.delete(key)

    def _settle(self, key: str) -> None:
        """Wait for what was written there; raise the first error there was."""
        write = self._writes.pop(key, None)
        if write is not None:
            try:
                write.result()
            except StoreError as problem:
                self._failed = self._failed or problem
        if self._failed is not None:
            raise StoreError(str(self._failed))

    def _put(self, key: str, data: bytes) -> None:
        if self._lease is not None:
            self._lease.require()
        if key in _REGISTERS:
            self._move(key, data)
        elif self._objects.put_if(key, data, None) is None:
            self._replace(key, data)

    def _move(self, key: str, data: bytes) -> None:
        """Change a register."""
        seen = self._seen.get(key)
        tag = self._objects.put_if(key, data, seen.tag if seen else None)
        if tag is None:
            there = self._objects.get(key)
            if there is None or there.data != data:  # else an answer was lost, and asked for again
                raise StoreError(f"{self.name}/{key}: another writer has been there meanwhile")
            tag = there.tag
        self._seen[key] = Object(data, tag)

    def _replace(self, key: str, data: bytes) -> None:
        """In the place of what a killed writer left there; of a checkpoint, the same one, with all
        lines that were ever put below it."""
        there = self._objects.get(key)
        while there is None or there.data != data:
            if there is not None and key.startswith(_SIGNED):
                try:
                    data = joined(there.data, data)
                except BadNote as problem:
                    raise StoreError(f"{self.name}/{key}: {problem}") from None
                if data == there.data:
                    return
            elif self._lease is None:
                raise StoreError(f"{self.name}/{key}: is there, and is another one")
            else:
                self._lease.confirm()
            if self._objects.put_if(key, data, there.tag if there else None) is not None:
                return
            there = self._objects.get(key)

    def _is_signed(self, pending: bytes) -> bool:
        newest = self._objects.get(layout.CHECKPOINT)
        return newest is not None and _text(newest.data) == pending


def _text(note: bytes) -> bytes:
    """A note's text, without the signatures below it."""
    return note.rpartition(b"\n\n")[0] + b"\n"
