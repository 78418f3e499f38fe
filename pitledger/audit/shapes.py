"""What of a decision is compared: its numbers and codes as nested tuples.

Both sides are made here: the tuple that a recorded decision says (`said`), and the helpers with
which the auditor writes down what it should say. Citations, rulings and reasons are words for
people and are left out; money, cards, circles, outcomes and revisions are all in.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pitledger.audit.circles import POT, Circle, Line
from pitledger.audit.deal import Breach
from pitledger.audit.settling import PotStory
from pitledger.pb import decisions_pb2 as decisions
from pitledger.pb.journal_pb2 import JournalRecord

Shape = tuple[object, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Whatever:
    """Equals any value that passes a test: where the text leaves a choice."""

    test: Callable[[object], bool]

    def __eq__(self, other: object) -> bool:
        return self.test(other)

    __hash__ = None  # type: ignore[assignment]


def said(record: JournalRecord) -> Shape:
    """The shape of a recorded decision, its revision first where it has one."""
    body = record.WhichOneof("body")
    match body:
        case "request_answered":
            return _said_answer(record.request_answered)
        case "betting_closed":
            return _said_close(record.betting_closed)
        case "hands_dealt":
            return _said_deal(record.hands_dealt)
        case "deal_irregular":
            irregular = record.deal_irregular
            return irregular.revision, breach_shapes(irregular.breaches)
        case "hands_evaluated":
            hands = [*record.hands_evaluated.hands, record.hands_evaluated.dealer]
            return record.hands_evaluated.revision, tuple(_said_hand(hand) for hand in hands)
        case "payout_due":
            return _said_payout(record.payout_due)
        case "round_settled":
            return _said_payout(record.round_settled)
        case "round_voided":
            voided = record.round_voided
            lines = sorted(_said_line(line) for line in voided.lines)
            return tuple(lines), voided.reason, _said_totals(voided.totals)
    return ()


Item = tuple[int, bool, int]
"""Of an answer: kind, whether it is accepted, and what then stands in a wager's circle."""


def answer_shape(answers: Iterable[Item], chips: Iterable[tuple[int, int, int]]) -> Shape:
    """Each item; position, kind and amount of what goes back."""
    return tuple(answers), tuple(sorted(chips))


def close_shape(circles: Sequence[Circle], chips: Iterable[tuple[int, int, int]]) -> Shape:
    """Circles with their requests, what goes back, and the Pot."""
    pot = sum(circle.stake for circle in circles if circle.kind == POT)
    stands = tuple((one.position, one.kind, one.stake, one.wager_ids) for one in circles)
    return stands, tuple(sorted(chips)), pot


MOST_LISTED = 100
"""A decision lists no more breaches than this."""


def breach_shapes(breaches: Iterable[Breach | decisions.DealBreach]) -> Shape:
    """What is wrong with a deal and at which ordinal, in no order; the number if it is too many."""
    shapes = sorted((breach.kind, max(breach.ordinal, 0)) for breach in breaches)
    return tuple(shapes) if len(shapes) < MOST_LISTED else (MOST_LISTED,)


def payout_shape(
    revision: int, lines: Sequence[Line], pot: PotStory | None, circles: Sequence[Circle]
) -> Shape:
    """Lines in paying order, the Pot's story, the totals."""
    story = (pot.amount, pot.shares) if pot else (0, ())
    return revision, line_shapes(lines, circles), story, totals_shape(lines)


def line_shapes(lines: Sequence[Line], circles: Sequence[Circle]) -> Shape:
    """One tuple for each line, with the wagers behind it and who is on the other side."""
    ids = {(circle.position, circle.kind): circle.wager_ids for circle in circles}
    return tuple(
        (
            line.position,
            line.kind,
            ids[line.position, line.kind],
            _counterparty(line.kind),
            line.stake,
            line.outcome,
            line.profit,
            line.returned,
        )
        for line in lines
    )


def totals_shape(lines: Sequence[Line]) -> Shape:
    """Staked, returned, and what positions, house and Pot won; the three sum to zero."""
    house = -sum(line.profit for line in lines if line.kind != POT)
    pot = -sum(line.profit for line in lines if line.kind == POT)
    positions = sum(line.profit for line in lines)
    staked = sum(line.stake for line in lines)
    return staked, sum(line.returned for line in lines), positions, house, pot


def difference(should: object, says: object, path: str = "") -> str:
    """The first place where two shapes differ, in a few words; "" if nowhere."""
    if should == says:
        return ""
    if isinstance(should, tuple) and isinstance(says, tuple):
        if len(should) != len(says):
            return f"{path or 'content'}: {len(says)} items, should be {len(should)}"
        for index, (one, other) in enumerate(zip(should, says, strict=True)):
            if one != other:
                return difference(one, other, f"{path}/{index}")
    wanted = "another legal choice" if isinstance(should, Whatever) else repr(should)
    return f"{path or 'content'}: says {says!r}, should be {wanted}"


def _counterparty(kind: int) -> int:
    return decisions.COUNTERPARTY_POT if kind == POT else decisions.COUNTERPARTY_HOUSE


def _said_answer(body: decisions.RequestAnswered) -> Shape:
    answers = []
    for one in body.answers:
        accepted = one.refusal == decisions.REFUSAL_UNSPECIFIED
        answers.append((one.kind, accepted, one.asked_minor if accepted else 0))
    return answer_shape(answers, _said_chips(body.returned))


def _said_close(body: decisions.BettingClosed) -> Shape:
    stands = tuple(
        (one.position, one.kind, one.stake_minor, tuple(one.wager_ids)) for one in body.circles
    )
    return stands, tuple(sorted(_said_chips(body.returned))), body.pot_minor


def _said_chips(stakes: Iterable[decisions.ReturnedStake]) -> list[tuple[int, int, int]]:
    return [(stake.position, stake.kind, stake.amount_minor) for stake in stakes]


def _said_deal(body: decisions.HandsDealt) -> Shape:
    hands = [*body.hands, body.dealer]
    dealt = tuple((hand.position, tuple(hand.cards), tuple(hand.ordinals)) for hand in hands)
    return body.revision, dealt


def _said_hand(hand: decisions.EvaluatedHand) -> Shape:
    split = tuple(sorted(hand.first)), tuple(sorted(hand.second))
    high = -1 if hand.busted else hand.first_total
    return (
        hand.position,
        split,
        hand.poker,
        hand.qualifies,
        hand.point_count,
        high,
        hand.second_total,
    )


def _said_payout(body: decisions.PayoutDue | decisions.RoundSettled) -> Shape:
    lines = tuple(_said_line(line) for line in body.lines)
    shares = tuple((share.position, share.amount_minor) for share in body.pot.shares)
    story = (body.pot.amount_minor, shares)
    return body.revision, lines, story, _said_totals(body.totals)


def _said_line(line: decisions.SettlementLine) -> tuple[object, ...]:
    return (
        line.position,
        line.kind,
        tuple(line.wager_ids),
        line.counterparty,
        line.stake_minor,
        line.outcome,
        line.profit_minor,
        line.returned_minor,
    )


def _said_totals(totals: decisions.Totals) -> Shape:
    return (
        totals.staked_minor,
        totals.returned_minor,
        totals.positions_net_minor,
        totals.house_net_minor,
        totals.pot_net_minor,
    )
