"""Persons at a desk: they write the facts of cases about a table's rounds, and read the answers."""

from pitledger.cases.journal import Cases
from pitledger.cases.round_money import HOUSE
from pitledger.journal.record import JournalRecord, headers_of, serialize
from pitledger.pb import cases_pb2, facts_pb2
from tests.kit.table import ANTE, Table

ROLL_BACK = facts_pb2.ADJUSTMENT_FORM_ROLL_BACK
RESETTLEMENT = facts_pb2.ADJUSTMENT_FORM_RESETTLEMENT
DAY = "2026-11-30"
DAY_MS = 24 * 60 * 60 * 1000
DEALER_ERROR = facts_pb2.DISPUTE_FINDING_DEALER_ERROR


class Desk:
    """Cases about one table. Each method writes one fact and returns its id."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.case_id = ""

    @property
    def log(self):
        return self.table.log

    def read(self, records=None) -> Cases:
        """What the journal derives about cases."""
        cases = Cases(self.log.partitions)
        for stored in self.log.all() if records is None else records:
            cases.take(stored)
        return cases

    def case(self, case_id=""):
        return self.read().tables[self.table.table_id].cases[case_id or self.case_id]

    def settlement(self, round_id=""):
        known = self.read().rounds.of(self.table.table_id, round_id or self.table.round_id)
        return known.settlement if known else None

    def reference(self, round_id=""):
        """The settlement on record; without its bytes while the round has none."""
        round_id = round_id or self.table.round_id
        settlement = self.settlement(round_id)
        if settlement is None:
            return facts_pb2.SettlementReference(round_id=round_id)
        return facts_pb2.SettlementReference(
            settlement_event_id=settlement.event_id, round_id=round_id, record=settlement.value
        )

    def open(self, *, by="agent-1", case_id="", **changes):
        content = {
            "settlement": self.reference(), "position": 1, "claimant_id": "p1",
            "claim": "paid less", "amount_minor": 1500, "currency_code": "USD",
            "window_days": 30, "case_version": 1,
        }  # fmt: skip
        self.case_id = case_id or self.table.new_id()
        return self.write("dispute_opened", facts_pb2.DisputeOpened(**(content | changes)), by)

    def hold(self, *, by="agent-1", **changes):
        content = {"reason": "claim", "preserve_from_us": 1_000_000, "preserve_until_us": 2_000_000}
        return self.write("dispute_held", facts_pb2.DisputeHeld(**(content | changes)), by)

    def resolve(self, *, by="agent-2", **changes):
        content = {"finding": DEALER_ERROR, "resolution": "the camera shows it"}
        return self.write("dispute_resolved", facts_pb2.DisputeResolved(**(content | changes)), by)

    def propose(self, *, by="agent-1", **changes):
        content = {"settlement": self.reference(), "position": 1, "kind": ANTE,
                   "amount_minor": 1500, "reason": "underpaid", "currency_code": "USD"}
        message = facts_pb2.AdjustmentProposed(**(content | changes))
        return self.write("adjustment_proposed", message, by)

    def roll_back(self, target="", *, by="agent-1", **changes):
        content = {"settlement": self.reference(), "reason": "wrong", "currency_code": "USD",
                   "form": ROLL_BACK, "rolls_back_id": target or self.settlement().event_id}
        message = facts_pb2.AdjustmentProposed(**(content | changes))
        return self.write("adjustment_proposed", message, by)

    def resettle(self, *circles, by="agent-1", **changes):
        """`circles`: (position, kind, profit) or (position, kind, profit, from the Pot)."""
        message = facts_pb2.AdjustmentProposed(**({
            "settlement": self.reference(), "reason": "as it was", "currency_code": "USD",
            "form": RESETTLEMENT, "circles": [
                facts_pb2.ResettledCircle(
                    position=one[0], kind=one[1], profit_minor=one[2], from_pot=len(one) > 3)
                for one in circles
            ]} | changes))
        return self.write("adjustment_proposed", message, by)

    def approve(self, proposal_id, *, by="manager-1", gaming_day=DAY):
        message = facts_pb2.AdjustmentApproved(proposal_event_id=proposal_id, gaming_day=gaming_day)
        return self.write("adjustment_approved", message, by)

    def decline(self, proposal_id, *, by="manager-1", reason="no"):
        message = facts_pb2.AdjustmentDeclined(proposal_event_id=proposal_id, reason=reason)
        return self.write("adjustment_declined", message, by)

    def write(self, body, message, by):
        return self.table.fact(
            body, message, round_id="", case_id=self.case_id, actor=by, source="desk")

    def posted(self):
        """Its proposals that were posted, as AdjustmentPosted."""
        found = self.read().derived.values()
        records = [JournalRecord.FromString(one.concluded.value) for one in found]
        return [r.adjustment_posted for r in records if r.WhichOneof("body") == "adjustment_posted"]

    def refusal(self, fact_id):
        """Why a fact was refused, as the enum's name without its prefix; "" if it was accepted,
        None where there is no answer."""
        for one in self.read().derived.values():
            answer = JournalRecord.FromString(one.concluded.value).case_answered
            if answer.fact_event_id == fact_id:
                if not answer.refusal:
                    return ""
                name = cases_pb2.CaseRefusal.Name(answer.refusal)
                return name.removeprefix("CASE_REFUSAL_")
        return None

    def answer(self, fact_id):
        for one in self.read().derived.values():
            answer = JournalRecord.FromString(one.concluded.value).case_answered
            if answer.fact_event_id == fact_id:
                return answer
        return None

    def record_what_is_missing(self):
        """What the process `cases` would write."""
        for concluded in self.read().missing():
            self.put(concluded)

    def put(self, concluded, value=None):
        record = JournalRecord.FromString(concluded.value)
        return self.log.append(
            concluded.partition, concluded.table_id.encode(), headers_of(record),
            value if value is not None else serialize(record))


def totals(cases: Cases):
    """What all postings moved, by party; each line once."""
    moved = {"positions": 0, "house": 0, "pot": 0}
    for one in cases.derived.values():
        record = JournalRecord.FromString(one.concluded.value)
        for line in record.adjustment_posted.lines:
            moved["positions"] += line.amount_minor
            moved["house" if line.counterparty == HOUSE else "pot"] -= line.amount_minor
    return moved
