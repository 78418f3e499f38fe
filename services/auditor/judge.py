"""The journal judged as it grows: each round worked out by the audit, and derived again.

Knows no Kafka and no clock of its own: records and times are given to it. What is found is logged,
a line each, and counted.
"""

from collections.abc import Iterable, Mapping

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from pitledger.audit import Auditor, Finding
from pitledger.audit.due import Due
from pitledger.audit.finding import LISTED
from pitledger.audit.round import Round
from pitledger.journal.holds import Breach
from pitledger.journal.record import JournalRecord, Stored
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2
from services.auditor.metrics import Tally
from services.auditor.rederive import Difference, Rederivation
from services.runtime import logs

LATELY_OVER = 20_000
"""Rounds that are over whose decisions are known again, to tell a late copy from a forgery."""

FORGET_MS = (60 + 10) * 60 * 1000
"""Round numbers older than this before their table's newest, by broker time, are dropped: ten
minutes count, and the broker's clock may go back by an hour. One that goes back further is judged
anew only by a restart."""

CURRENCIES_MAX = 20
"""That are told apart in metrics; forged rounds may name thousands."""

_STATES = {"round_settled": "settled", "round_voided": "voided"}


class Judge:
    """Both judgements of the same records, and what they come to.

    `since`: rounds that opened before this broker time (ms) are not judged; what is read of before
    it serves only to know the tables' round numbers and holds.
    """

    def __init__(self, partitions: int, since: int = 0, lately_over: int = LATELY_OVER) -> None:
        self.tally = Tally()
        self.caught_up = False
        self._since = since
        self._begun: set[int] = set()
        self._auditor = Auditor(
            partitions, witness=self, lately_over=lately_over, forget_ms=FORGET_MS, since=since
        )
        self._rederived = Rederivation(partitions, self, FORGET_MS)
        self._known = dict.fromkeys(range(partitions), 0)
        """By partition, the broker time (ms) up to which it was judged: of its last record, or when
        it was last read to its end."""
        self._broken = False
        self._currencies: set[str] = set()
        self._unbalanced: set[str] = set()
        self._lacking = {"audit": 0, "replay": 0}
        self._log = logs.get("audit")

    def begin_at(self, since: int) -> None:
        """Before the first record: the journal's beginning was deleted up to about then."""
        self._since = self._auditor.since = since

    def take(self, stored: Stored) -> None:
        """The next record of its partition."""
        if stored.partition not in self._begun:
            if stored.broker_time < self._since:
                self._rederived.remember(stored)
                self._auditor.remember(stored)
                return
            self._begun.add(stored.partition)
        self._rederived.take(stored)
        self._auditor.read(stored)
        self._known[stored.partition] = stored.broker_time

    def look(self, now_ms: int, behind: Iterable[int], wait_s: int) -> None:
        """At intervals: what has been due for some seconds and has not come; the sums.

        `behind`: partitions that are not read to their end, or of which nobody can say; what is
        due there may lie ahead.
        """
        self._known.update(dict.fromkeys(self._known.keys() - behind, now_ms))
        due_before = {p: min(now_ms, known) - 1000 * wait_s for p, known in self._known.items()}
        self._lacking = {
            "audit": self._auditor.overdue(due_before),
            "replay": self._rederived.overdue(due_before),
        }
        for finding in self._auditor.unbalanced():
            if finding.kind not in self._unbalanced:
                self._unbalanced.add(finding.kind)
                self.found(finding)

    # ---- How things stand ----

    @property
    def records(self) -> Mapping[str, int]:
        """Records judged, by kind."""
        counts = self._auditor.counts
        return {
            "fact": counts["facts"],
            "decision": counts["decisions"] - counts["decisions_foreign"],
            "foreign": counts["decisions_foreign"],
            "not_a_fact": counts["no_facts"],
        }

    @property
    def open_rounds(self) -> int:
        return self._auditor.holds()

    @property
    def rounds_lacking(self) -> Mapping[str, int]:
        """Rounds that at the last look lacked a decision overdue, by who says so."""
        return self._lacking

    @property
    def held_tables(self) -> int:
        return len({hold.table_id for hold in self._rederived.holds.in_force()})

    @property
    def conservation_broken(self) -> bool:
        """Whether, since the start, money was booked that does not sum to zero."""
        return self._broken

    def oldest_unsettled_s(self, now_ms: int) -> float:
        """How long the oldest unsettled round waits."""
        since = self._auditor.unsettled_since()
        return max(0, now_ms - since) / 1000 if since else 0.0

    # ---- What the audit says ----

    def opened(self, story: Round) -> None:
        self.tally.rounds[story.game or "invalid", "opened"] += 1

    def seen(self, story: Round, due: Due, record: JournalRecord) -> None:
        if due.cause == "wager_requested" and due.body == "request_answered":
            for answer in record.request_answered.answers:
                if answer.refusal:
                    self.tally.refused[pb.Refusal.Name(answer.refusal)] += 1
        elif due.body in _STATES:
            self.tally.rounds[story.game or "invalid", _STATES[due.body]] += 1
            self._book(story, getattr(record, due.body))

    def found(self, finding: Finding) -> None:
        tally = self.tally
        tally.findings[finding.kind] += 1
        if finding.kind == "unsound":
            self._broken = True
        if finding.kind == "foreign":
            tally.quarantined["foreign_decision"] += 1
            if self._auditor.is_over(finding.table_id, finding.round_id):
                tally.after_the_end += 1
        tell = self._log.warning if finding.kind in ("foreign", *LISTED) else self._log.error
        tell(
            "finding",
            kind=finding.kind,
            table=finding.table_id,
            round=finding.round_id,
            partition=finding.partition,
            offset=finding.offset,
            record=finding.event_id,
            text=finding.text,
            live=self.caught_up,
        )

    def _book(self, story: Round, outcome: pb.RoundSettled | pb.RoundVoided) -> None:
        if not outcome.lines:
            return
        tally, totals = self.tally, outcome.totals
        game, currency = story.game, self._currency(story.currency)
        tally.money[game, "players", currency] += totals.positions_net_minor
        tally.money[game, "house", currency] += totals.house_net_minor
        tally.money[game, "pots", currency] += totals.pot_net_minor
        for line in outcome.lines:
            key = game, _wager(line.kind), currency
            tally.staked[key] += line.stake_minor
            tally.returned[key] += line.returned_minor

    def _currency(self, code: str) -> str:
        if len(self._currencies) < CURRENCIES_MAX:
            self._currencies.add(code)
        return code if code in self._currencies else "other"

    # ---- What the replay says ----

    def differs(self, difference: Difference) -> None:
        self.tally.different += 1
        self._tell("replay_differs", difference)

    def lacks(self, difference: Difference) -> None:
        self._tell("replay_lacks", difference)

    def unjudged(self, difference: Difference) -> None:
        self.tally.unjudged += 1
        self._tell("replay_unjudged", difference)

    def _tell(self, event: str, difference: Difference) -> None:
        self._log.error(
            event,
            table=difference.table_id,
            round=difference.round_id,
            partition=difference.partition,
            offset=difference.offset,
            record=difference.event_id,
            text=difference.text,
            live=self.caught_up,
        )

    def is_no_fact(self, reason: str) -> None:
        self.tally.quarantined[reason] += 1

    def breach(self, stored: Stored, breach: Breach) -> None:
        self.tally.held_breaches += 1
        first = breach.holds[0]
        self._log.error(
            "held_table",
            table=breach.table_id,
            round=breach.round_id,
            partition=stored.partition,
            offset=stored.offset,
            record=breach.event_id,
            text=f"a round was {breach.what} at a table that is held: {first.reason}",
            hold=first.event_id,
            live=self.caught_up,
        )


def _wager(kind: int) -> str:
    kinds: EnumTypeWrapper = money_pb2.WagerKind
    return kinds.Name(kind).removeprefix("WAGER_KIND_").lower()
