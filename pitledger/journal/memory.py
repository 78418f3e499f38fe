"""How far back a partition's round numbers are known, and which of them may be forgotten.

One law for all that fold a journal for weeks: who has run for long and who has just started judge
alike.
"""

from dataclasses import dataclass

from pitledger.journal.record import JournalRecord
from pitledger.journal.table import MEMORY_MS, Table, is_stale

FORGET_MS = 60 * 60 * 1000
"""Round numbers older than this are forgotten; who then needs them must read them again."""

ONE_PASS_FORGET_MS = 24 * FORGET_MS
"""The same where a journal is read through once, months of it in bounded memory: a broker's clock
that goes back further is not followed.
"""


@dataclass(slots=True)
class Known:
    """Of one partition. `since`: broker time (ms); None: its beginning."""

    since: int | None
    forgets: bool = True

    def lacks(self, table: Table, opened: JournalRecord, broker_time: int) -> bool:
        """Whether a RoundOpened asks for numbers of before: the broker's clock went back.

        If not, those of its table that are too old by it are forgotten.
        """
        if is_stale(opened, broker_time):
            return False
        if self.since is not None and broker_time < self.since + MEMORY_MS:
            return True
        if self.forgets:
            horizon = broker_time - FORGET_MS
            if table.forget(horizon):
                self.since = max(self.since or 0, horizon)
        return False
