"""Many rounds under other rules, added up: what the house won, and would have won."""

from collections import Counter
from dataclasses import dataclass, field
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, TypeVar

from pitledger.pb import decisions_pb2 as pb
from pitledger.whatif.changes import CannotBe
from pitledger.whatif.difference import lines
from pitledger.whatif.gather import Played
from pitledger.whatif.played import Booked, Outcome, closings, fold
from pitledger.whatif.rules import OtherRules

if TYPE_CHECKING:
    from pitledger.pb.money_pb2 import WagerKind

_Key = TypeVar("_Key")

LISTED_MAX = 10
"""Rounds that are listed: of those with the biggest differences, of those not judged."""


@dataclass(slots=True)
class Sums:
    """Minor units: what was staked and what the house won, as it was and as it would be."""

    rounds: int = 0  # that have a line here
    staked_was: int = 0
    staked_would_be: int = 0
    house_was: int = 0
    house_would_be: int = 0

    @property
    def difference(self) -> int:
        """What the house would have won more."""
        return self.house_would_be - self.house_was

    def add(self, other: "Sums") -> None:
        self.rounds += other.rounds
        self.staked_was += other.staked_was
        self.staked_would_be += other.staked_would_be
        self.house_was += other.house_was
        self.house_would_be += other.house_would_be


@dataclass(frozen=True, slots=True, order=True)
class Changed:
    """A round whose money would be other. `moved`: over all its lines, whoever gains."""

    moved: int
    house_difference: int
    table_id: str
    number: int
    round_id: str
    gaming_day: str
    currency: str


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A round that cannot be compared, and why; it is in no sum."""

    table_id: str
    number: int
    round_id: str
    reason: str


@dataclass(slots=True)
class Tally:
    """Sums over rounds that ended; those by kind, table and day are by currency, too."""

    judged: int = 0
    unlike: int = 0  # something of it is derived otherwise
    changed: int = 0  # money of it
    left_open: int = 0
    total: dict[str, Sums] = field(default_factory=dict)
    by_kind: "dict[tuple[str, WagerKind], Sums]" = field(default_factory=dict)
    by_table: dict[tuple[str, str], Sums] = field(default_factory=dict)
    by_day: dict[tuple[str, str], Sums] = field(default_factory=dict)
    biggest: list[Changed] = field(default_factory=list)  # a heap
    reasons: Counter[str] = field(default_factory=Counter)
    unjudged: list[Unjudged] = field(default_factory=list)

    @property
    def rounds(self) -> int:
        return self.judged + self.reasons.total()

    def take(self, played: Played, rules: OtherRules) -> None:
        """Add a round that ended."""
        try:
            would_be = supposed(played, rules)
        except CannotBe as problem:
            self._give_up(played, str(problem))
            return
        reason = played.outcome.unjudged or _why_no_end(would_be)
        if reason:
            self._give_up(played, reason)
        else:
            self._add(played, played.outcome, would_be)

    def add(self, other: "Tally") -> None:
        """Add what another process found."""
        self.judged += other.judged
        self.unlike += other.unlike
        self.changed += other.changed
        self.left_open += other.left_open
        _merge(self.total, other.total)
        _merge(self.by_kind, other.by_kind)
        _merge(self.by_table, other.by_table)
        _merge(self.by_day, other.by_day)
        for changed in other.biggest:
            self._keep(changed)
        self.reasons.update(other.reasons)
        self.unjudged = [*self.unjudged, *other.unjudged][:LISTED_MAX]

    def _add(self, played: Played, was: Outcome, would_be: Outcome) -> None:
        before = was.booked
        after = before if would_be is was else would_be.booked
        assert before is not None
        assert after is not None
        opened = played.opened.round_opened
        self.judged += 1
        sums = _sums(before.totals, after.totals)
        currency = opened.currency_code
        self.total.setdefault(currency, Sums()).add(sums)
        self.by_table.setdefault((currency, played.opened.table_id), Sums()).add(sums)
        self.by_day.setdefault((currency, opened.gaming_day), Sums()).add(sums)
        self._add_kinds(currency, before, after)
        if after is before or after == before:
            return
        self.unlike += 1
        moved = sum(abs(line.difference) for line in lines(played.facts, was, would_be))
        if moved:
            self.changed += 1
            self._keep(
                Changed(
                    moved,
                    sums.difference,
                    played.opened.table_id,
                    opened.round_number,
                    played.opened.event_id,
                    opened.gaming_day,
                    currency,
                )
            )

    def _add_kinds(self, currency: str, before: Booked, after: Booked) -> None:
        kinds: dict[WagerKind, Sums] = {}
        for line in before.lines:
            sums = kinds.setdefault(line.kind, Sums(rounds=1))
            sums.staked_was += line.stake_minor
            sums.house_was += _house(line)
        for line in after.lines:
            sums = kinds.setdefault(line.kind, Sums(rounds=1))
            sums.staked_would_be += line.stake_minor
            sums.house_would_be += _house(line)
        for kind, sums in kinds.items():
            self.by_kind.setdefault((currency, kind), Sums()).add(sums)

    def _keep(self, changed: Changed) -> None:
        if len(self.biggest) < LISTED_MAX:
            heappush(self.biggest, changed)
        else:
            heappushpop(self.biggest, changed)

    def lack(self, table_id: str, number: int, round_id: str, reason: str) -> None:
        """Count a round that cannot be compared."""
        self.reasons[reason] += 1
        if len(self.unjudged) < LISTED_MAX:
            self.unjudged.append(Unjudged(table_id, number, round_id, reason))

    def _give_up(self, played: Played, reason: str) -> None:
        opened = played.opened
        number = opened.round_opened.round_number
        self.lack(opened.table_id, number, opened.event_id, reason)


def supposed(played: Played, rules: OtherRules) -> Outcome:
    """What a round would come to; its own outcome where nothing of it changes. Raises CannotBe."""
    opening = rules.opening(played.facts[0])
    if opening is played.facts[0]:
        return played.outcome
    return fold((opening, *played.facts[1:]), closings(played.facts, played.outcome))


def _why_no_end(would_be: Outcome) -> str:
    """A round whose lines would not be booked; "" if they would."""
    match would_be.state:
        case "settled" | "voided":
            return would_be.unjudged
        case "irregular":
            return would_be.unjudged or "its deal would be irregular, so that nothing is paid"
        case _:
            return would_be.unjudged or "no payout would be due when it was closed"


def _merge(own: "dict[_Key, Sums]", theirs: "dict[_Key, Sums]") -> None:
    for key, sums in theirs.items():
        own.setdefault(key, Sums()).add(sums)


def _sums(before: pb.Totals, after: pb.Totals) -> Sums:
    return Sums(
        1,
        before.staked_minor,
        after.staked_minor,
        before.house_net_minor,
        after.house_net_minor,
    )


def _house(line: pb.SettlementLine) -> int:
    return -line.profit_minor if line.counterparty == pb.COUNTERPARTY_HOUSE else 0
