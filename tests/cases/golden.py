"""A journal of cases under their version 1, kept for ever: `python -m tests.cases.golden`.

It holds answers and postings as they were derived when it was recorded; every later build must
derive the same bytes. A file that is there is never written again.
"""

from pathlib import Path

from pitledger.journal.ids import decision_id
from pitledger.journal.record import Stored
from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from tests.cases.desk import DAY_MS, Desk
from tests.kit.house import House
from tests.kit.table import ANTE, BONUS, POT, Table

FILE = Path(__file__).parent / "golden" / "cases-v1.journal"


def recorded() -> list[Stored]:
    """Every kind of fact, accepted and refused, with what was concluded."""
    table = Table()
    desk = Desk(table)
    table.play(gaming_day="2026-11-30", dealer_id="d1", supervisor_id="s1", property_id="casino-1")
    _adjusted(desk)
    _rolled_back(desk)
    _overtaking(desk)
    _of_a_void(desk)
    desk.log.clock += 31 * DAY_MS
    desk.open()
    House(table).run()
    desk.record_what_is_missing()
    return desk.log.all()


def _adjusted(desk: Desk) -> None:
    desk.open()
    desk.open(case_id=desk.case_id)
    desk.hold(do_not_rack=True, held_id="h", media_link="cam-1")
    desk.hold(preserve_until_us=0)
    desk.propose(position=5)
    desk.propose(kind=0)
    desk.propose(form=7)
    proposal = desk.propose(amount_minor=1500)
    desk.approve(proposal, by="agent-1")
    desk.approve(proposal)
    desk.approve(proposal, by="manager-2")
    desk.decline(desk.propose(amount_minor=-200))
    desk.resolve(dealer_id="d1", saved_minor=-1500)
    desk.resolve()


def _rolled_back(desk: Desk) -> None:
    desk.open(position=2, claimant_id="p2")
    desk.resettle((1, ANTE, 5))
    desk.approve(desk.roll_back())
    desk.roll_back()
    desk.propose()
    desk.resettle((1, POT, 5, True), (2, POT, -4, True))
    desk.approve(desk.resettle((1, ANTE, 1000), (2, BONUS, -40), (1, POT, 5, True),
                               (2, POT, -5, True)))
    desk.open(amount_minor=0)
    desk.open(currency_code="EUR")
    desk.open(claim="")
    desk.open(by="")


def _overtaking(desk: Desk) -> None:
    table = desk.table
    table.to_payout()
    settled_by = decision_id(table.table_id, table.round_id, "outcome", table.round_id)
    named = facts_pb2.SettlementReference(
        settlement_event_id=settled_by, round_id=table.round_id
    )
    desk.open(settlement=named)
    desk.approve(desk.propose(settlement=named, amount_minor=25))
    table.close_round()
    desk.open(settlement=named)
    desk.case_id = table.new_id()
    desk.propose()


def _of_a_void(desk: Desk) -> None:
    desk.table.to_dealt()
    desk.table.void()
    desk.open()
    desk.approve(desk.roll_back())


if __name__ == "__main__":
    if FILE.exists():
        print(f"{FILE.name}: is there, and is never written again")
    else:
        FILE.parent.mkdir(exist_ok=True)
        print(f"{FILE.name}: {write_file(FILE, recorded())} records")
