"""The evaluation processor: answers the setting of hands, judges all hands of the round.

58 Pa. Code 680a.11(b), (c); 663a.7(f) for the order in which two hands of one patron are set.
"""

from typing import TYPE_CHECKING

from pitledger.games.game import DEALER, Split
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import money_pb2
from pitledger.processors.answers import refused
from pitledger.processors.dealing import HAND_CARDS, hands_of
from pitledger.processors.round import Deal, Hands, Round

if TYPE_CHECKING:
    from pitledger.games.game import EvaluatedHand, Rules
    from pitledger.pb.facts_pb2 import HandSet


def answer_set(round_: Round, hand_set: "HandSet") -> pb.Answer | None:
    """Refuse a setting (None: accepted); a refused one leaves the hand as it was."""
    rules = round_.terms.rules
    position = hand_set.position
    if rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if not 1 <= position <= rules.submission.positions:
        return refused(pb.REFUSAL_NO_SUCH_POSITION)
    if round_.terms.seats.get(position) != hand_set.patron_id:
        return refused(pb.REFUSAL_NOT_SEATED, rules.citations["set"])
    refusal = _refusal_by_state(round_, rules, position)
    if refusal is not None:
        return refusal
    if (len(hand_set.first), len(hand_set.second)) != rules.split_sizes:
        return refused(pb.REFUSAL_WRONG_SPLIT_SIZES, rules.citations["set"])
    if sorted((*hand_set.first, *hand_set.second)) != sorted(hands_of(round_)[position].cards):
        return refused(pb.REFUSAL_NOT_THE_HANDS_CARDS, rules.citations["set"])
    if rules.larger_ante_sets_first and _other_hand_is_first(round_, position):
        return refused(pb.REFUSAL_OUT_OF_SET_ORDER, rules.citations["set_order"])
    return None


def set_hand(round_: Round, hand_set: "HandSet") -> None:
    """Apply an accepted setting: placed face down, it does not change."""
    round_.splits[hand_set.position] = Split(tuple(hand_set.first), tuple(hand_set.second))


def judge_hands(round_: Round, deal: Deal | None) -> Hands | None:
    """All hands judged; None while anything that they need is missing.

    Once the dealer is exposed, regularly or by a ruling, a hand that nobody set is set by rule.
    """
    rules = round_.terms.rules
    if rules is None or deal is None or deal.breaches or round_.exposed is None:
        return None
    if any(_waits_for_ruling(round_, position) for position in round_.unruled_left):
        return None
    *dealt, dealer = deal.hands
    players = tuple(
        rules.evaluate(hand.position, hand.cards, round_.splits.get(hand.position))
        for hand in dealt
        if hand.position not in round_.void
    )
    split = _exposed_split(round_, rules, dealer.cards)
    return Hands(players, rules.evaluate(DEALER, dealer.cards, split))


def hands_evaluated(hands: Hands, revision: int) -> pb.HandsEvaluated:
    """The decision's body."""
    return pb.HandsEvaluated(
        revision=revision,
        hands=[_hand(hand) for hand in hands.players],
        dealer=_hand(hands.dealer),
    )


def _refusal_by_state(round_: Round, rules: "Rules", position: int) -> pb.Answer | None:
    if round_.close is None:
        return refused(pb.REFUSAL_BETTING_OPEN)
    if not round_.takes_part(position):
        return refused(pb.REFUSAL_NO_HAND_THERE)
    if position in round_.void:
        return refused(pb.REFUSAL_HAND_VOID)
    if position in round_.left:
        return refused(pb.REFUSAL_PLAYER_LEFT, rules.citations["abandoned"])
    if round_.exposed is not None:
        return refused(pb.REFUSAL_DEALER_EXPOSED, rules.citations["dealer_exposes"])
    if len(hands_of(round_)[position].cards) < HAND_CARDS:
        return refused(pb.REFUSAL_HAND_NOT_DEALT, rules.citations["set"])
    if position in round_.splits:
        return refused(pb.REFUSAL_ALREADY_SET, rules.citations["set"])
    return None


def _waits_for_ruling(round_: Round, position: int) -> bool:
    settled = position in round_.void or position in round_.abandoned
    return round_.takes_part(position) and not settled


def _other_hand_is_first(round_: Round, position: int) -> bool:
    """Of a patron's two hands the larger Ante is set first; equal: counterclockwise."""
    assert round_.close is not None
    seats = round_.terms.seats
    antes = {
        circle.position: circle.stake
        for circle in round_.close.circles
        if circle.kind == money_pb2.WAGER_KIND_ANTE
        and seats[circle.position] == seats[position]
        and circle.position not in round_.void
        and circle.position not in round_.left
    }
    own = (antes[position], position)
    return any(
        (ante, other) > own and other not in round_.splits for other, ante in antes.items()
    )


def _exposed_split(round_: Round, rules: "Rules", cards: tuple[int, ...]) -> Split | None:
    """The dealer's hands as exposed, if they were recorded and are these cards."""
    exposed = round_.exposed
    assert exposed is not None
    if (len(exposed.first), len(exposed.second)) != rules.split_sizes:
        return None
    if sorted((*exposed.first, *exposed.second)) != sorted(cards):
        return None
    return Split(tuple(exposed.first), tuple(exposed.second))


def _hand(hand: "EvaluatedHand") -> pb.EvaluatedHand:
    return pb.EvaluatedHand(
        position=hand.position,
        first=hand.split.first,
        second=hand.split.second,
        set_by=hand.set_by,
        first_total=hand.first_total,
        second_total=hand.second_total,
        joker_points=hand.joker_points,
        qualifies=hand.qualifies,
        point_count=hand.point_count,
        misset=hand.misset,
        busted=hand.busted,
        foul=hand.foul,
        poker=hand.poker,
        poker_rank=hand.poker_rank,
        joker_in_poker=hand.joker_in_poker,
        rulings=hand.rulings,
    )
