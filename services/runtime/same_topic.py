"""That the topic that is read is still the one that was begun with, before anything is made of it.

A topic that was deleted and made anew under its name may be longer by the time it is read again:
then its records follow on those of the old one without a gap. It has another id. One that was given
more partitions has the same, and tables whose records lie in partitions that nobody reads.
"""

import time

from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.topics import Identity, identity
from services.runtime.following import JournalUnreadable

ASK_AGAIN_S = 5.0


class MadeAnew(JournalUnreadable):
    """The topic is another one: of what was read of it nothing is to be made. One line."""


class MorePartitions(ConnectionFailed):
    """Tables may have records where nobody reads. One line."""


class SameTopic:
    """Raises ConnectionFailed where nobody answers."""

    def __init__(self, connection: Connection, timeout_ms: int | None = None) -> None:
        """Before the first record is read, and what is kept is compared with the journal."""
        self._connection = connection
        self._timeout_ms = timeout_ms
        self.id = self._identity().id
        self._ask_from = 0.0
        self.why = ""
        """Why it is not known, in one line; "": it is."""

    def require(self) -> None:
        """All that was read up to now is of that topic, and it has the partitions that it had.

        Raises MadeAnew, MorePartitions, ConnectionFailed.
        """
        self._compare(self._identity())

    def is_known(self) -> bool:
        """As `require`; False where nobody answers, who is not asked again at once."""
        if time.monotonic() < self._ask_from:
            return False
        try:
            found = self._identity()
        except ConnectionFailed as problem:
            self.why = str(problem)
            self._ask_from = time.monotonic() + ASK_AGAIN_S
            return False
        self.why = ""
        self._compare(found)
        return True

    def _identity(self) -> Identity:
        return identity(self._connection, self._timeout_ms)

    def _compare(self, found: Identity) -> None:
        topic, partitions = self._connection.topic, self._connection.partitions
        if found.id != self.id:
            raise MadeAnew(
                f"{topic}: was made anew; a start says whether it is the one that was read"
            )
        if found.partitions != partitions:
            raise MorePartitions(
                f"{topic}: has {found.partitions} partitions by now, must have {partitions}"
                " (PITLEDGER_PARTITIONS)"
            )
