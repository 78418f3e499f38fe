"""What the journal says about the tables: the numbers that the demo shows, and what to look at."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError

from pitledger import words
from pitledger.journal.record import JournalRecord, Stored
from pitledger.pb import cards_pb2, rules_pb2

_STATES = {
    "table_opened": "open",
    "round_opened": "betting",
    "betting_closed": "dealing",
    "hands_dealt": "setting",
    "deal_irregular": "irregular",
    "dealer_exposed": "exposed",
    "payout_due": "paying",
    "round_settled": "settled",
    "round_voided": "voided",
    "table_closed": "closed",
}
_METHODS = {
    cards_pb2.DEALING_METHOD_MANUAL_SHOE: "manual shoe",
    cards_pb2.DEALING_METHOD_HAND: "by hand",
    cards_pb2.DEALING_METHOD_AUTOMATED_SHOE: "automated shoe",
}
_WORTH = {
    "a new payout": 8,
    "a corrected card": 6,
    "an irregular deal": 5,
    "a position void": 5,
    "a player who left": 4,
    "a refused wager": 4,
    "a refused request": 3,
    "chips returned": 2,
    "the round void": 1,
}
_POT_WORTH = 4
_RECORDS_TOO_MANY = 25
"""So many records more to read are worth one point less."""


@dataclass(slots=True)
class Table:
    """One table; money of the rounds that are over, in minor units."""

    table_id: str
    game: str = ""
    method: str = ""
    currency: str = ""
    round_number: int = 0
    state: str = "closed"
    seats: int = 0
    staked: int = 0
    returned: int = 0
    house_net: int = 0


@dataclass(slots=True)
class Round:
    """What makes a round worth a look."""

    round_id: str
    table_id: str
    number: int
    records: int = 0
    over: bool = False
    marks: set[str] = field(default_factory=set)
    pot: str = ""

    @property
    def worth(self) -> int:
        """More marks count more, and a long story less."""
        marks = sum(_WORTH[mark] for mark in self.marks) + _POT_WORTH * bool(self.pot)
        return marks - self.records // _RECORDS_TOO_MANY

    @property
    def reasons(self) -> str:
        marks = sorted(self.marks, key=lambda mark: -_WORTH[mark])
        return ", ".join([*marks, *filter(None, (self.pot,))]) or "nothing out of the ordinary"


class Tables:
    """Folds the journal's records; believes them, as a display does."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()  # records, and rounds by what became of them
        self._tables: dict[str, Table] = {}
        self._rounds: dict[str, Round] = {}
        self._seen: set[str] = set()  # event ids: what comes again says nothing new

    @property
    def rows(self) -> list[Table]:
        return sorted(self._tables.values(), key=lambda table: table.table_id.rpartition("-")[2])

    def total(self) -> Table:
        """The money of all tables."""
        rows = self._tables.values()
        return Table(
            table_id="all",
            currency=next((table.currency for table in rows if table.currency), ""),
            staked=sum(table.staked for table in rows),
            returned=sum(table.returned for table in rows),
            house_net=sum(table.house_net for table in rows),
        )

    def most_interesting(self) -> Round | None:
        """Of the rounds that are over the one with most to see."""
        over = [round_ for round_ in self._rounds.values() if round_.over]
        return max(over, key=lambda round_: round_.worth, default=None)

    def take(self, records: Iterable[Stored]) -> None:
        """The next records of the journal."""
        for stored in records:
            self.counts["records"] += 1
            try:
                self._record(JournalRecord.FromString(stored.value))
            except DecodeError:
                self.counts["unreadable"] += 1

    def _record(self, record: JournalRecord) -> None:
        if record.event_id in self._seen:
            return
        self._seen.add(record.event_id)
        body = record.WhichOneof("body") or ""
        if body == "processor_started":
            return  # it has the key of a table, and is none
        table = self._tables.setdefault(record.table_id, Table(record.table_id))
        if body == "round_opened":
            self._opened(table, record)
        table.state = _STATES.get(body, table.state)
        round_ = self._rounds.get(record.round_id)
        if round_ is None:
            return
        round_.records += 1
        round_.marks.update(_marks(body, record))
        if body in ("round_settled", "round_voided"):
            self._over(table, round_, body, record)

    def _opened(self, table: Table, record: JournalRecord) -> None:
        opened = record.round_opened
        self.counts["opened"] += 1
        submission = rules_pb2.RulesSubmission.FromString(opened.submission)
        table.game = words.game(submission.game)
        table.method = _METHODS.get(opened.dealing_method, "?")
        table.currency = opened.currency_code
        table.round_number = opened.round_number
        table.seats = len(opened.seats)
        self._rounds[record.round_id] = Round(record.round_id, table.table_id, table.round_number)

    def _over(self, table: Table, round_: Round, body: str, record: JournalRecord) -> None:
        self.counts[body.removeprefix("round_")] += 1
        totals = getattr(record, body).totals
        table.staked += totals.staked_minor
        table.returned += totals.returned_minor
        table.house_net += totals.house_net_minor
        round_.over = True
        if body == "round_settled" and record.round_settled.pot.shares:
            pot = record.round_settled.pot
            shared = f" shared by {len(pot.shares)}" if len(pot.shares) > 1 else ""
            round_.pot = f"a Pot of {words.money(pot.amount_minor, table.currency)}{shared}"


def _marks(body: str, record: JournalRecord) -> Iterator[str]:
    match body:
        case "request_answered":
            for answer in record.request_answered.answers:
                if answer.refusal:
                    yield "a refused wager" if answer.kind else "a refused request"
        case "betting_closed" if record.betting_closed.returned:
            yield "chips returned"
        case "deal_irregular":
            yield "an irregular deal"
        case "card_corrected":
            yield "a corrected card"
        case "void_ordered" if record.void_ordered.position:
            yield "a position void"
        case "player_left":
            yield "a player who left"
        case "payout_due" if record.payout_due.revision > 1:
            yield "a new payout"
        case "round_voided":
            yield "the round void"
        case _:
            pass
