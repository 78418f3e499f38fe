"""What can be said of a round's cards as it stands: the deal, the hands, the payout."""

from dataclasses import dataclass
from typing import Any

from pitledger.audit.circles import Circle, Hand, Line, Played
from pitledger.audit.deal import DEALER, Breach, Deal, DealtCards
from pitledger.audit.hands import high_total, low_total, shown_count, three_qualify
from pitledger.audit.saigon import points_of
from pitledger.audit.settling import PotStory, first_size, play, settle
from pitledger.audit.shapes import Shape, Whatever, breach_shapes, payout_shape
from pitledger.pb import rules_pb2 as rules

Split = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A position's hand (0: the dealer's) and how it counts."""

    place: int
    hand: Hand
    played: Played


@dataclass(frozen=True, slots=True)
class Payout:
    """All lines, and the rulings on players who left: a line names the ruling it rests on."""

    lines: tuple[Line, ...]
    pot: PotStory | None
    readings: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """Each part is None while it cannot be derived. A broken deal is the set of its breaches."""

    deal: frozenset[Breach] | dict[int, DealtCards] | None = None
    hands: tuple[PlayedHand, ...] | None = None
    payout: Payout | None = None


@dataclass(slots=True)
class Table:
    """What befell the positions after the close."""

    sets: dict[int, Split]
    void: frozenset[int]
    waiting: frozenset[int]  # left, and not to be settled without a ruling
    readings: dict[int, int]


def judge(terms: rules.RulesSubmission, circles: list[Circle], deal: Deal, table: Table) -> Judged:
    """Everything that can be derived now, worked out anew."""
    if not circles:
        return Judged()
    breaches = deal.open_breaches(table.void)
    if breaches:
        return Judged(breaches)
    if not deal.complete(table.void):
        return Judged()
    dealt = deal.hands()
    unruled = table.waiting.intersection(dealt) - table.void - set(table.readings)
    if not deal.exposed or unruled:
        return Judged(dealt)
    hands = []
    for place, cards in dealt.items():
        if place not in table.void:
            hand = Hand(cards.cards, table.sets.get(place))
            hands.append(PlayedHand(place, hand, play(terms, hand)))
    played = {one.place: one.played for one in hands}
    readings = {place: one for place, one in table.readings.items() if place not in table.void}
    lines, pot = settle(terms, circles, played, played[DEALER], table.void, readings)
    return Judged(dealt, tuple(hands), Payout(lines, pot, tuple(sorted(readings.items()))))


def deal_says(deal: frozenset[Breach] | dict[int, DealtCards], revision: int) -> tuple[str, Shape]:
    """Body and shape of the decision on the deal."""
    if isinstance(deal, frozenset):
        return "deal_irregular", (revision, breach_shapes(deal))
    hands = tuple((place, hand.cards, hand.ordinals) for place, hand in deal.items())
    return "hands_dealt", (revision, hands)


def hands_say(
    terms: rules.RulesSubmission, hands: tuple[PlayedHand, ...], revision: int
) -> tuple[str, Shape]:
    """Body and shape of the decision on the hands."""
    return "hands_evaluated", (revision, tuple(_hand_shape(terms, one) for one in hands))


def payout_says(payout: Payout, circles: list[Circle], revision: int) -> tuple[str, Shape]:
    """Body and shape of the decision on what is to be paid."""
    return "payout_due", payout_shape(revision, payout.lines, payout.pot, circles)


def _hand_shape(terms: rules.RulesSubmission, one: PlayedHand) -> Shape:
    played = one.played
    split: object = Whatever(lambda said: _plays_so(terms, one, said))
    if played.as_set and one.hand.split is not None:
        first, second = one.hand.split
        split = tuple(sorted(first)), tuple(sorted(second))
    hilo = terms.game == rules.GAME_FIVE_CARD_HI_LO
    any_total = Whatever(lambda said: isinstance(said, int))
    return (
        one.place,
        split,
        played.category,
        played.qualifies,
        played.count,
        played.high if hilo else any_total,
        played.low if hilo else any_total,
    )


def _plays_so(terms: rules.RulesSubmission, one: PlayedHand, said: Any) -> bool:
    """Whether a split that a rule chose is made of the hand's cards and counts as it should."""
    first, second = said
    if sorted(first + second) != sorted(one.hand.cards) or len(first) != first_size(terms):
        return False
    if terms.game == rules.GAME_FIVE_CARD_HI_LO:
        hilo = terms.five_card_hi_lo
        return (high_total(first, hilo), low_total(second, hilo)) == (
            one.played.high,
            one.played.low,
        )
    points = points_of(terms.saigon5)
    shown = three_qualify(first, points), shown_count(second, points)
    return shown == (one.played.qualifies, one.played.count)
