"""That the topic that is read is still the one that was begun with, before what was read is signed.

A topic that was deleted and made anew under its name may be longer by the time it is read again:
then its records follow on those of the old one without a gap. It has another id.
"""

import time

from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.topics import topic_id

ASK_AGAIN_S = 5.0


class MadeAnew(Exception):
    """The topic is another one: what was read of it is not to be signed."""


class SameTopic:
    """Raises ConnectionFailed where nobody answers."""

    def __init__(self, connection: Connection) -> None:
        """Before the first record is read, and what is sealed is compared with the journal."""
        self._connection = connection
        self._id = topic_id(connection)
        self._ask_from = 0.0

    def require(self) -> None:
        """All that was read up to now is of that topic; else raises MadeAnew."""
        if topic_id(self._connection) != self._id:
            raise MadeAnew(self._connection.topic)

    def is_known(self) -> bool:
        """As `require`; False where nobody answers, who is not asked again at once."""
        if time.monotonic() < self._ask_from:
            return False
        try:
            self.require()
        except ConnectionFailed:
            self._ask_from = time.monotonic() + ASK_AGAIN_S
            return False
        return True
