"""The fold of a table's facts into all decisions: the one heart of engine, replay and adjudicate.

`TableFold.fact` is total: any fact at any time has an effect or none, and nothing raises. What
opens and ends a round is one code for all versions (`journal.table`); what a round's facts decide
is selected by the round's adjudication version.
"""

import traceback
from dataclasses import dataclass

from pitledger.journal.record import JournalRecord
from pitledger.journal.table import Table
from pitledger.journal.upcast import upcast
from pitledger.journal.vocabulary import Fact, outside
from pitledger.processors.chain import Chain, Decision

_CHAINS: dict[int, type[Chain]] = {1: Chain}
"""Adjudication version -> how a round under it is judged. An old one stays for ever.

docs/upgrades.md shows what a second one looks like.
"""

LATEST_VERSION = max(_CHAINS)


@dataclass(frozen=True, slots=True)
class Derived:
    """What one fact did. All is empty for a fact without effect but `no_effect`."""

    no_effect: str = ""  # the reason, where it had none
    not_a_fact: str = ""  # outside the round's vocabulary: the reason
    decisions: tuple[Decision, ...] = ()
    opened: str = ""  # id of the round it opened
    ended: str = ""  # id of the round it ended
    stuck: tuple[tuple[str, str], ...] = ()
    """Rounds that this build does not judge (any more): id, and the stack where judging raised."""


_NOTHING_DERIVED = Derived()
"""What most facts do: they are kept, and derive nothing yet."""


class TableFold:
    """One table: its facts in journal order, one at a time; mutable."""

    __slots__ = ("_chain", "table")

    def __init__(self) -> None:
        self.table = Table()
        self._chain: Chain | None = None  # None: no round, or one that this build does not judge

    @property
    def chain(self) -> Chain | None:
        """The open round, as far as this build judges it."""
        return self._chain

    def fact(self, offset: int, fact: Fact, broker_time: int) -> Derived:
        """Fold a fact (as `read_fact` returned it) of this broker timestamp (ms)."""
        if fact.body == "round_opened":
            return self._round_opened(offset, fact, broker_time)
        reason = self.table.without_effect(fact)
        if reason:
            return Derived(no_effect=reason)
        assert self.table.open is not None
        version = self.table.open.version
        problem = outside(fact, version) if version in _CHAINS else ""
        if problem:
            return Derived(not_a_fact=problem)
        if fact.body == "table_closed":
            return self._ends_round(fact.record)
        chain = self._chain
        if chain is None:
            return Derived(no_effect="not_judged")
        self.table.take(fact)
        try:
            decisions = chain.fact(upcast(fact.record, fact.body), fact.body)
        except Exception:
            return self._failed()
        if chain.over:
            return Derived(decisions=tuple(decisions), ended=self._forget_round())
        return Derived(decisions=tuple(decisions)) if decisions else _NOTHING_DERIVED

    def _round_opened(self, offset: int, fact: Fact, broker_time: int) -> Derived:
        reason = self.table.note_number(fact.record, broker_time)
        if reason:
            return Derived(no_effect=reason)
        before = self._ends_round(fact.record)
        opened = self.table.start(fact, offset)
        make_chain = _CHAINS.get(opened.version)
        stuck = before.stuck
        if make_chain is None:
            stuck += ((opened.round_id, ""),)
        else:
            try:
                self._chain = make_chain(fact)
            except Exception:
                stuck += ((opened.round_id, traceback.format_exc()),)
        return Derived(
            decisions=before.decisions,
            opened=opened.round_id,
            ended=before.ended,
            stuck=stuck,
        )

    def _ends_round(self, record: JournalRecord) -> Derived:
        """The open round, if there is one, ends here whatever its version."""
        if self.table.open is None:
            return Derived()
        chain, self._chain = self._chain, None
        ended = self._forget_round()
        if chain is None:
            return Derived(ended=ended)
        try:
            return Derived(decisions=tuple(chain.end(record)), ended=ended)
        except Exception:
            return Derived(ended=ended, stuck=((ended, traceback.format_exc()),))

    def _forget_round(self) -> str:
        assert self.table.open is not None
        ended = self.table.open.round_id
        self.table.open = None
        self._chain = None
        return ended

    def _failed(self) -> Derived:
        """A bug of this build: it derives nothing more of this round, and all else goes on."""
        assert self.table.open is not None
        self._chain = None
        return Derived(stuck=((self.table.open.round_id, traceback.format_exc()),))
