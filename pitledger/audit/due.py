"""Decisions that the facts make due, as they are to lie on the journal."""

from collections.abc import Iterable
from dataclasses import dataclass

from pitledger.audit.shapes import Item, Shape, answer_shape
from pitledger.journal.ids import decision_id
from pitledger.pb.journal_pb2 import JournalRecord

CHAIN = ("close", "deal", "hands", "payout", "outcome")
WRITTEN_BY = {
    "close": "wagers",
    "deal": "dealing",
    "hands": "evaluation",
    "payout": "settlement",
    "outcome": "settlement",
    "wager_requested": "wagers",
    "wager_withdrawal_requested": "wagers",
    "card_corrected": "dealing",
    "deal_ruled": "dealing",
    "hand_set": "evaluation",
    "void_ordered": "settlement",
    "abandonment_ruled": "settlement",
    "round_closed": "settlement",
}
"""Which processor states a question of the chain, and which answers a request."""


@dataclass(frozen=True, slots=True)
class Due:
    """A decision that the facts derive: its id, body and what it says, and the fact behind it
    (`cause` is that fact's body).
    """

    event_id: str
    body: str
    source: str
    shape: Shape
    cause: str
    cause_id: str
    occurred_at: int
    offset: int
    after: tuple[str, ...]  # decisions that must be on the journal before it


class Docket:
    """What one round makes due, fact by fact."""

    def __init__(self, table_id: str, round_id: str) -> None:
        self._table_id = table_id
        self._round_id = round_id
        self._cause = JournalRecord()
        self._offset = 0
        self._due: list[Due] = []
        self._current: dict[str, str] = {}  # question of the chain -> id of its last decision

    def begin(self, offset: int, cause: JournalRecord) -> None:
        """What is written down from here on is due because of this fact."""
        self._cause, self._offset, self._due = cause, offset, []

    def taken(self) -> list[Due]:
        """What was written down since `begin`."""
        return self._due

    def answer(self, answers: list[Item], chips: Iterable[tuple[int, int, int]] = ()) -> None:
        """The answer to the request that the fact is."""
        source = WRITTEN_BY[self._cause.WhichOneof("body") or ""]
        shape = answer_shape(answers, chips)
        self._write("request", self._cause.event_id, source, "request_answered", shape, ())

    def state(self, question: str, body: str, shape: Shape, revision: int | None = None) -> None:
        """A decision of the chain; `revision` is None for those on the round as a whole."""
        before = CHAIN[: CHAIN.index(question)]
        after = tuple(self._current[part] for part in before if part in self._current)
        if body == "round_voided":  # builds on nothing but the stakes
            after = (self._current["close"],)
        subject = self._round_id if revision is None else str(revision)
        self._write(question, subject, WRITTEN_BY[question], body, shape, after)
        self._current[question] = self._due[-1].event_id

    def _write(
        self,
        question: str,
        subject: str,
        source: str,
        body: str,
        shape: Shape,
        after: tuple[str, ...],
    ) -> None:
        cause = self._cause
        due = Due(
            event_id=decision_id(self._table_id, self._round_id, question, subject),
            body=body,
            source=source,
            shape=shape,
            cause=cause.WhichOneof("body") or "",
            cause_id=cause.event_id,
            occurred_at=cause.occurred_at,
            offset=self._offset,
            after=after,
        )
        self._due.append(due)
