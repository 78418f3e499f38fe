"""Who may write to a bucket: one at a time, until it says so no more.

The lock is an object. Its holder renews it; whoever finds one that was not renewed for the time
that its holder named takes it over, in one conditional request, so that only one does. A holder
that could not renew in time stops by itself. It may still be in the middle of a request: what that
can do is bounded by the bucket's other conditions (docs/decisions/0038).
"""

import atexit
import json
import os
import secrets
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

from pitledger.archive.said import read_json
from pitledger.archive.store import StoreError
from services.storage.objects import Objects

LEASE_S = 30.0
"""So long a killed writer's lock keeps others waiting."""
RELEASE_S = 10.0
"""So long the end of a process may wait for its lock to be given back."""


class Lease:
    """Held from `take` to `release`; a thread renews it meanwhile."""

    def __init__(self, objects: Objects, key: str, lease_s: float) -> None:
        self._objects, self._key, self._lease_s = objects, key, lease_s
        self._writer = secrets.token_hex(8)
        self._count = 0
        self._tag: str | None = None
        self._renewed_at = 0.0
        self._lost = ""
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def take(self) -> None:
        """Wait, if need be, until a holder that is silent has been so for its time; raise
        StoreError where it is not silent."""
        if not self._put(None) and not self._put(self._free()):
            raise StoreError(f"{self._objects.name}: another process began to write there just now")
        self._require_conditions()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)
        self._thread.start()
        atexit.register(self.release)

    def require(self) -> None:
        """Raise StoreError unless it is held, as far as this process knows."""
        if not self._lost and time.monotonic() - self._renewed_at > self._lease_s:
            self._lost = f"its lock could not be renewed for {self._lease_s:.0f} s"
        if self._lost:
            raise StoreError(f"{self._objects.name}: {self._lost}; nothing more is written")

    def confirm(self) -> None:
        """Raise StoreError unless it is held, as the bucket says."""
        self.require()
        there = self._objects.get(self._key)
        if there is None or _holder(there.data).writer != self._writer:
            self._lost = "another process has taken it over"
        self.require()

    def leave(self) -> None:
        """Soon let the next writer in. Asks nothing of the bucket in the caller's thread."""
        self._over.set()

    def release(self) -> None:
        """Let the next writer in, and wait until that is said."""
        self.leave()
        if self._thread is not None:
            self._thread.join(RELEASE_S)

    def _free(self) -> str | None:
        """The tag of a lock that may be taken."""
        there = self._objects.get(self._key)
        if there is None:
            return None
        holder = _holder(there.data)
        wait_s = 0.0 if holder.released else holder.lease_s
        until = time.monotonic() + wait_s
        while (left_s := until - time.monotonic()) > 0:
            time.sleep(min(left_s, wait_s / 6))
            now = self._objects.get(self._key)
            if now is None or _holder(now.data).released:
                return now.tag if now else None
            if now.tag != there.tag:
                raise StoreError(f"{self._objects.name}: another process writes there: {holder}")
        return there.tag

    def _put(self, tag: str | None) -> bool:
        asked_at = time.monotonic()
        self._count += 1
        text = self._text(released=False)
        put = self._objects.put_if(self._key, text, tag)
        if put is None:
            there = self._objects.get(self._key)
            if there is None or there.data != text:  # else an answer was lost, and asked for again
                return False
            put = there.tag
        self._tag, self._renewed_at = put, asked_at
        return True

    def _renew(self) -> None:
        while not self._over.wait(self._lease_s / 3):
            try:
                if self._put(self._tag):
                    continue
            except StoreError:
                continue  # tried again; `require` tells when it is too late
            self._lost = self._lost or "another process has taken it over"
            break
        atexit.unregister(self.release)
        if not self._lost:
            with suppress(StoreError):  # then it is waited for, as for one that was killed
                self._objects.put_if(self._key, self._text(released=True), self._tag)

    def _require_conditions(self) -> None:
        """Raise StoreError where the service takes conditions for decoration."""
        text = self._text(released=False)
        for tag in (None, '"00000000000000000000000000000000"'):
            if self._objects.put_if(self._key, text, tag) is not None:
                raise StoreError(
                    f"{self._objects.name}: this service does not heed If-None-Match and If-Match,"
                    " without which two writers could sign two trees"
                )

    def _text(self, *, released: bool) -> bytes:
        about = {
            "writer": self._writer,
            "count": self._count,
            "host": socket.gethostname(),
            "process": os.getpid(),
            "lease_s": self._lease_s,
            "released": released,
        }
        return (json.dumps(about) + "\n").encode()


@dataclass(frozen=True, slots=True)
class _Holder:
    writer: str
    lease_s: float
    released: bool
    where: str

    def __str__(self) -> str:
        return self.where


def _holder(data: bytes) -> _Holder:
    """What a lock says; one that says nothing is waited for as for our own kind."""
    try:
        about = read_json(data)
        where = f"process {about['process']} on {about['host']}"
        return _Holder(
            str(about["writer"]), float(about["lease_s"]), bool(about["released"]), where
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return _Holder("", LEASE_S, False, "it says not who")
