"""Every round derived again, compared byte for byte as it is recorded, and then let go of.

What `pitledger replay --all` says of a whole journal, said as it grows: a round is held until it is
over and all its decisions are recorded as derived.
"""

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from pitledger.derive import Derived, TableFold
from pitledger.journal.holds import Breach, Holds
from pitledger.journal.record import DECISION_TYPES, TYPE_BYTES, TYPE_OF_BODY, Stored
from pitledger.journal.table import Table
from pitledger.journal.vocabulary import Fact, NotAFact, read_fact
from pitledger.processors.chain import Decision

_OF_HOLDS = frozenset(("table_held", "table_released"))
_OF_ROUNDS = frozenset(("round_opened", "round_closed"))
_ROUND_OPENED = TYPE_BYTES["round_opened"]
_Key = tuple[str, str]  # table, round


@dataclass(frozen=True, slots=True)
class Difference:
    """A place in a round's record, and what is said of it."""

    table_id: str
    round_id: str
    partition: int
    offset: int
    event_id: str
    text: str


class Watcher(Protocol):
    """Who is told what is found, as it is read."""

    def differs(self, difference: Difference) -> None:
        """What is recorded is not what is derived. Of a round, once."""

    def lacks(self, difference: Difference) -> None:
        """What is derived is not recorded yet, and late. Of a round, once."""

    def unjudged(self, difference: Difference) -> None:
        """This build derives nothing more of a round. Once."""

    def is_no_fact(self, reason: str) -> None:
        """A record is kept in quarantine; the reason is a code."""

    def breach(self, stored: Stored, breach: Breach) -> None:
        """A round of a held table was opened or closed."""


@dataclass(slots=True)
class _Round:
    partition: int
    derived: dict[str, Decision] = field(default_factory=dict)
    waits: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Not recorded yet, by id: broker time (ms) and offset of the fact that derived it."""
    over: bool = False
    stuck: bool = False
    different: bool = False
    late: bool = False


class Rederivation:
    """Takes records, each partition's in the order of their offsets.

    `forget_ms`: round numbers so much older than their table's newest are dropped; None: none.
    """

    def __init__(self, partitions: int, watcher: Watcher, forget_ms: int | None = None) -> None:
        self.holds = Holds()
        self._partitions = partitions
        self._watcher = watcher
        self._forget_ms = forget_ms
        self._folds: defaultdict[str, TableFold] = defaultdict(TableFold)
        self._rounds: dict[_Key, _Round] = {}

    def take(self, stored: Stored) -> None:
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") in DECISION_TYPES:
            self._decision(stored, attributes)
        else:
            self._fact(stored, attributes)

    def remember(self, stored: Stored) -> None:
        """Take a record of before the start: round numbers are noted, and holds."""
        attributes = {name: value or b"" for name, value in stored.headers}
        if attributes.get("ce_type") in DECISION_TYPES:
            return
        with suppress(NotAFact):
            fact = self._read(stored, attributes)
            if fact.body == "round_opened":
                table = self._folds[fact.record.table_id].table
                table.note_number(fact.record, stored.broker_time)
                self._forget(table, stored)
            elif fact.body in _OF_HOLDS:
                self.holds.take(fact.record)

    def overdue(self, before: Mapping[int, int]) -> int:
        """Tell of rounds that lack a decision derived before their partition's broker time (ms);
        how many do."""
        lacking = 0
        for (table_id, round_id), story in self._rounds.items():
            if not story.waits:
                continue
            event_id, (since, offset) = next(iter(story.waits.items()))
            if since >= before[story.partition]:
                continue
            lacking += 1
            if not story.late:
                story.late = True
                kind = _kind(story.derived[event_id])
                text = f"{kind} is derived at this fact, and not recorded"
                place = story.partition, offset
                self._watcher.lacks(Difference(table_id, round_id, *place, event_id, text))
        return lacking

    def _fact(self, stored: Stored, attributes: dict[str, bytes]) -> None:
        try:
            fact = self._read(stored, attributes)
        except NotAFact as problem:
            if not self._is_stuck(stored, attributes):  # perhaps a fact of that round's version
                self._watcher.is_no_fact(str(problem))
            return
        table_id = fact.record.table_id
        fold = self._folds[table_id]
        derived = fold.fact(stored.offset, fact, stored.broker_time)
        if fact.body == "round_opened":
            self._forget(fold.table, stored)
        if derived.not_a_fact:
            self._watcher.is_no_fact("outside_vocabulary")
            return
        self._hold(stored, fact, derived)
        if not derived.no_effect:
            self._derived(stored, table_id, derived)

    def _derived(self, stored: Stored, table_id: str, derived: Derived) -> None:
        if derived.opened:
            self._rounds[table_id, derived.opened] = _Round(stored.partition)
        for decision in derived.decisions:
            story = self._rounds[table_id, decision.round_id]
            story.derived[decision.event_id] = decision
            story.waits[decision.event_id] = stored.broker_time, stored.offset
        for round_id, failure in derived.stuck:
            story = self._rounds[table_id, round_id]
            story.stuck = True
            reason = failure.strip().rpartition("\n")[2] or "unknown adjudication version"
            text = f"is not judged by this build: {reason}"
            place = stored.partition, stored.offset
            self._watcher.unjudged(Difference(table_id, round_id, *place, "", text))
        if derived.ended:
            self._rounds[table_id, derived.ended].over = True
            self._drop_if_done((table_id, derived.ended))

    def _decision(self, stored: Stored, attributes: dict[str, bytes]) -> None:
        table_id, round_id = key = _place(stored, attributes)
        story = self._rounds.get(key)
        if story is None or story.partition != stored.partition:
            return
        event_id = attributes.get("ce_id", b"").decode(errors="replace")
        derived = story.derived.get(event_id)
        if (
            derived is not None
            and derived.value == stored.value
            and attributes["ce_type"] == TYPE_BYTES[derived.body]
        ):
            story.waits.pop(event_id, None)
            self._drop_if_done(key)
        elif not story.stuck:
            kind = attributes["ce_type"].decode().rpartition(".")[2]
            text = f"{kind} is recorded, but not derived so"
            self._differs(story, table_id, round_id, stored.offset, event_id, text)

    def _drop_if_done(self, key: _Key) -> None:
        story = self._rounds[key]
        if story.over and (story.stuck or not story.waits):
            del self._rounds[key]

    def _differs(
        self, story: _Round, table_id: str, round_id: str, offset: int, event_id: str, text: str
    ) -> None:
        if not story.different:
            story.different = True
            place = story.partition, offset
            self._watcher.differs(Difference(table_id, round_id, *place, event_id, text))

    def _hold(self, stored: Stored, fact: Fact, derived: Derived) -> None:
        """Holds and releases, and what opens or ends a round: a close that is refused does not."""
        did = (derived.opened, derived.ended)
        of_a_round = fact.body in _OF_ROUNDS and fact.record.round_id in did
        if fact.body in _OF_HOLDS or of_a_round:
            breach = self.holds.take(fact.record)
            if breach is not None:
                self._watcher.breach(stored, breach)

    def _forget(self, table: Table, opened: Stored) -> None:
        if self._forget_ms is not None:
            table.forget(opened.broker_time - self._forget_ms)

    def _is_stuck(self, stored: Stored, attributes: dict[str, bytes]) -> bool:
        story = self._rounds.get(_place(stored, attributes))
        return story is not None and story.stuck

    def _read(self, stored: Stored, attributes: dict[str, bytes]) -> Fact:
        return read_fact(stored.partition, self._partitions, stored.key, attributes, stored.value)


def _place(stored: Stored, attributes: dict[str, bytes]) -> _Key:
    round_id = attributes.get("ce_subject", b"").decode(errors="replace")
    return stored.key.decode(errors="replace"), round_id


def _kind(decision: Decision) -> str:
    return TYPE_OF_BODY[decision.body].rpartition(".")[2]
