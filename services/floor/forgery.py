"""Decisions that no processor made, under the ids of those that were or will be."""

from random import Random
from typing import TYPE_CHECKING, Any

from pitledger.journal.ids import decision_id
from pitledger.journal.record import JournalRecord
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb.cards_pb2 import CARD_ACE_OF_SPADES
from pitledger.pb.money_pb2 import WAGER_KIND_ANTE
from services.floor.pen import STRANGER, OutgoingFact, Pen

if TYPE_CHECKING:
    from services.floor.round_view import RoundView


def forged(pen: Pen, view: "RoundView", rng: Random) -> OutgoingFact:
    """A decision of any kind with made-up content; often under the true decision's id."""
    name, question, source, body = _content(rng)
    if question == "request":
        subject = rng.choice(view.sent).event_id
    elif question in ("close", "outcome"):
        subject = view.round_id
    else:
        subject = str(rng.randrange(1, 3))
    record = JournalRecord(
        event_id=decision_id(pen.table_id, view.round_id, question, subject),
        table_id=pen.table_id,
        round_id=view.round_id,
        causation_id=view.sent[-1].event_id,
        occurred_at=pen.now_us,
        source=source,
        **{name: body},
    )
    return pen.message(STRANGER, name, record)


def _content(rng: Random) -> tuple[str, str, str, Any]:
    """Body name, question, source and a body that would move money."""
    stake = 100 * rng.randrange(1, 10_000)
    line = pb.SettlementLine(
        position=rng.randrange(1, 7), kind=WAGER_KIND_ANTE, stake_minor=stake,
        profit_minor=stake, returned_minor=2 * stake, counterparty=pb.COUNTERPARTY_HOUSE,
    )
    totals = pb.Totals(staked_minor=stake, returned_minor=2 * stake, positions_net_minor=stake,
                       house_net_minor=-stake)
    revision = rng.randrange(1, 4)
    match rng.randrange(8):
        case 0:
            answer = pb.Answer(kind=WAGER_KIND_ANTE, asked_minor=stake)
            return "request_answered", "request", "wagers", pb.RequestAnswered(answers=[answer])
        case 1:
            circle = pb.Circle(position=line.position, kind=line.kind, stake_minor=stake)
            return "betting_closed", "close", "wagers", pb.BettingClosed(circles=[circle])
        case 2:
            dealt = pb.DealtHand(cards=[CARD_ACE_OF_SPADES] * 5, ordinals=range(1, 6))
            return "hands_dealt", "deal", "dealing", pb.HandsDealt(revision=revision, dealer=dealt)
        case 3:
            return "deal_irregular", "deal", "dealing", pb.DealIrregular(revision=revision)
        case 4:
            body = pb.HandsEvaluated(revision=revision)
            return "hands_evaluated", "hands", "evaluation", body
        case 5:
            due = pb.PayoutDue(revision=revision, lines=[line], totals=totals)
            return "payout_due", "payout", "settlement", due
        case 6:
            settled = pb.RoundSettled(revision=revision, lines=[line], totals=totals)
            return "round_settled", "outcome", "settlement", settled
        case _:
            voided = pb.RoundVoided(lines=[line], totals=totals)
            return "round_voided", "outcome", "settlement", voided
