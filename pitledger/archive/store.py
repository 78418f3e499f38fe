"""Where an archive lies. A store keeps bytes under keys such as `tile/0/000`."""

from typing import Protocol

READ_MAX = 65 << 20
"""Bytes of the longest file that an archive has: of a leaf, packed."""


class StoreError(Exception):
    """One line: what cannot be read or written, and where."""


class BadArchive(ValueError):
    """One line: what is no archive, is damaged, or is another one's."""


class Store(Protocol):
    """What is written is durable once `sync` returns, and is whole or not there at all."""

    def lock(self) -> None:
        """Be the one writer, as long as this process lives. Raises StoreError."""

    def read(self, key: str) -> bytes | None:
        """None: nothing is there. Raises StoreError, also for more than READ_MAX bytes: archives
        are read that come from anybody.
        """

    def names(self, folder: str) -> list[str]:
        """What lies right below `folder`/, sorted; nothing: []. Raises StoreError."""

    def create(self, key: str, data: bytes) -> bool:
        """Put bytes where nothing is, durably, lock or no lock; False: other bytes are there.
        Raises StoreError.
        """

    def write(self, key: str, data: bytes) -> None:
        """Put bytes there, in the place of what was there before; of `checkpoints/`: beside the
        lines that others have put below that checkpoint by now, and never in the place of another.
        Raises StoreError.
        """

    def sync(self) -> None:
        """All that was written is durable when this returns. Raises StoreError."""

    def delete(self, key: str) -> None:
        """Also where there is nothing. Raises StoreError."""
