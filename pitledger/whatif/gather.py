"""Rounds out of a journal as they end, each with its facts and what they came to."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pitledger.derive import Derived, TableFold
from pitledger.journal.record import JournalRecord, Stored
from pitledger.one_pass import OnePass
from pitledger.whatif.played import Facts, Outcome, Placed, Reached, unknown_version


@dataclass(frozen=True, slots=True)
class Played:
    """A round with the facts that had effect in it, and its outcome."""

    facts: Facts
    outcome: Outcome

    @property
    def opened(self) -> JournalRecord:
        return self.facts[0].fact.record


@dataclass(slots=True)
class _Open:
    facts: list[Placed]
    outcome: Outcome = field(default_factory=Outcome)


class Gather:
    """Folds a journal's facts; what it holds is the rounds that are open. `only_table`: its own."""

    def __init__(self, partitions: int, only_table: str | None = None) -> None:
        self._facts = OnePass(partitions, only_table)
        self._rounds: dict[str, _Open] = {}  # by table

    def take(self, stored: Stored) -> Played | None:
        """Take the next record of its partition; the round that ended with it."""
        folded = self._facts.take(stored)
        if folded is None or folded.derived.no_effect or folded.derived.not_a_fact:
            return None
        derived, table_id = folded.derived, folded.fact.record.table_id
        placed = Placed(stored.offset, stored.broker_time, folded.fact)
        ended = self._ended(table_id, placed, derived)
        if derived.opened:
            self._rounds[table_id] = _Open([placed])
        elif ended is None:
            self._rounds[table_id].facts.append(placed)
        if table_id in self._rounds:
            self._note(self._rounds[table_id], folded.table, placed, derived)
        return ended

    def left_open(self) -> Iterator[JournalRecord]:
        """The RoundOpened of each round that did not end."""
        for round_ in self._rounds.values():
            yield round_.facts[0].fact.record

    def _ended(self, table_id: str, placed: Placed, derived: Derived) -> Played | None:
        if not derived.ended:
            return None
        round_ = self._rounds.pop(table_id)
        round_.facts.append(placed)
        _add(round_, derived, placed.offset, derived.ended)
        round_.outcome.ended = True
        return Played(tuple(round_.facts), round_.outcome)

    def _note(self, round_: _Open, table: TableFold, placed: Placed, derived: Derived) -> None:
        _add(round_, derived, placed.offset, round_.facts[0].event_id)
        chain = table.chain
        round_.outcome.payable = chain is not None and chain.round.payout is not None


def _add(round_: _Open, derived: Derived, offset: int, round_id: str) -> None:
    for stuck, stack in derived.stuck:
        if stuck == round_id:
            reason = stack.strip().rpartition("\n")[2]
            round_.outcome.unjudged = reason or unknown_version(round_.facts)
    for decision in derived.decisions:
        if decision.round_id == round_id:
            round_.outcome.add(Reached(decision, offset))
