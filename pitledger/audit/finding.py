"""What the audit notes about a record or a round, and who is told of it at once."""

from dataclasses import dataclass
from typing import Protocol

from pitledger.audit.due import Due
from pitledger.audit.round import Round
from pitledger.pb.journal_pb2 import JournalRecord

LISTED = ("no_fact", "unjudged")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that the audit found, with the round and the record that it is about.

    Kinds that are wrong: missing, differs, two_versions, out_of_turn, unsound, hole, count.
    Kinds that are only listed: foreign, no_fact, unjudged. `event_id` is the record's, or the
    decision's that is missing.
    """

    kind: str
    table_id: str
    round_id: str
    partition: int
    offset: int
    text: str
    event_id: str = ""


class Witness(Protocol):
    """Who is told what the auditor notes, as it reads."""

    def opened(self, story: Round) -> None:
        """A round opened that is judged here."""

    def seen(self, story: Round, due: Due, record: JournalRecord) -> None:
        """A decision that is due was read, as it should be, for the first time."""

    def found(self, finding: Finding) -> None:
        """Anything of the kinds of `Finding`."""
