"""Hands by definition: every split is tried, every substitution of the joker is tried.

Nothing here is fast or clever; it is to be compared with the texts (58 Pa. Code 680a.11, 663a.7).
A card is an int: 13 * suit + rank, 53 the joker. A split is two tuples of cards.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

from pitledger.pb import rules_pb2 as rules

JOKER = 53
Cards = tuple[int, ...]
Split = tuple[Cards, Cards]


def rank_of(card: int) -> int:
    """1 (ace) to 13 (king)."""
    return (card - 1) % 13 + 1


def suit_of(card: int) -> int:
    """0 to 3."""
    return (card - 1) // 13


def all_splits(cards: Cards, first_size: int) -> Iterator[Split]:
    """Each way to put `first_size` of the cards in the first hand and the rest in the second."""
    places = range(len(cards))
    for chosen in combinations(places, first_size):
        rest = [place for place in places if place not in chosen]
        yield tuple(cards[i] for i in chosen), tuple(cards[i] for i in rest)


@lru_cache(maxsize=1 << 16)
def poker(cards: Cards) -> tuple[int, int]:
    """Category of the best poker hand of five cards, and the rank (2 to 14) of its pair, if one.

    A joker is an ace, or whatever card makes a straight, flush, straight flush or royal flush.
    """
    rest = tuple(card for card in cards if card != JOKER)
    jokers = len(cards) - len(rest)
    best = (0, 0)
    for stand_ins in combinations_with_replacement(range(1, 53), jokers):
        made = _natural(rest + stand_ins)
        if made[0] == rules.POKER_CATEGORY_FIVE_ACES and not jokers:
            made = rules.POKER_CATEGORY_FOUR_OF_A_KIND, 0  # a deal with a repeated ace, ruled
        new_cards = not set(stand_ins) & set(rest)
        aces = all(rank_of(card) == 1 for card in stand_ins)
        if aces or (made[0] in _COMPLETED and new_cards):
            best = max(best, made)
    return best


_COMPLETED = (
    rules.POKER_CATEGORY_STRAIGHT,
    rules.POKER_CATEGORY_FLUSH,
    rules.POKER_CATEGORY_STRAIGHT_FLUSH,
    rules.POKER_CATEGORY_ROYAL_FLUSH,
)


def _natural(cards: Cards) -> tuple[int, int]:
    ranks = sorted(rank_of(card) for card in cards)
    groups = Counter(ranks)
    counts = sorted(groups.values(), reverse=True)
    if counts == [5] and ranks[0] == 1:
        return rules.POKER_CATEGORY_FIVE_ACES, 0
    flush = len({suit_of(card) for card in cards}) == 1
    royal = ranks == [1, 10, 11, 12, 13]
    straight = royal or ranks == list(range(ranks[0], ranks[0] + 5))
    if flush and royal:
        return rules.POKER_CATEGORY_ROYAL_FLUSH, 0
    if flush and straight:
        return rules.POKER_CATEGORY_STRAIGHT_FLUSH, 0
    if counts[0] >= 4:
        return rules.POKER_CATEGORY_FOUR_OF_A_KIND, 0
    if counts == [3, 2]:
        return rules.POKER_CATEGORY_FULL_HOUSE, 0
    if flush:
        return rules.POKER_CATEGORY_FLUSH, 0
    if straight:
        return rules.POKER_CATEGORY_STRAIGHT, 0
    if counts == [3, 1, 1]:
        return rules.POKER_CATEGORY_THREE_OF_A_KIND, 0
    if counts == [2, 2, 1]:
        return rules.POKER_CATEGORY_TWO_PAIR, 0
    if counts == [2, 1, 1, 1]:
        pair = next(rank for rank, count in groups.items() if count == 2)
        return rules.POKER_CATEGORY_PAIR, 14 if pair == 1 else pair
    return rules.POKER_CATEGORY_HIGH_CARD, 0


# ---- Saigon 5 Card ------------------------------------------------------------------------------

Points = tuple[int, int, Cards]
"""What an ace, a face card and the joker (any of these values) count."""


def _values(card: int, points: Points) -> Cards:
    ace, face, joker = points
    if card == JOKER:
        return joker
    rank = rank_of(card)
    if rank == 1:
        return (ace,)
    return (face,) if rank > 10 else (rank,)


def possible_totals(cards: Cards, points: Points) -> set[int]:
    """Every total that the cards can have, one for each way to count the joker."""
    return {sum(way) for way in product(*(_values(card, points) for card in cards))}


def three_qualify(three: Cards, points: Points) -> bool:
    """Whether three cards can total 10, 20 or 30 (680a.11(b)(1))."""
    return bool(possible_totals(three, points) & {10, 20, 30})


def shown_count(two: Cards, points: Points) -> int:
    """Point Count of a two-card hand, 1 to 10, the best if it has the joker."""
    return max(total % 10 or 10 for total in possible_totals(two, points))


def hand_qualifies(cards: Cards, points: Points) -> bool:
    """Whether any three of the five cards qualify."""
    return any(three_qualify(three, points) for three, _ in all_splits(cards, 3))


def best_count(cards: Cards, points: Points) -> int:
    """Highest Point Count of the splits that qualify; of all splits where none does."""
    return _best_count(tuple(sorted(_value_class(card) for card in cards)), points)


def _value_class(card: int) -> int:
    return JOKER if card == JOKER else rank_of(card)


@lru_cache(maxsize=1 << 14)
def _best_count(cards: Cards, points: Points) -> int:
    splits = list(all_splits(cards, 3))
    good = [split for split in splits if three_qualify(split[0], points)]
    return max(shown_count(two, points) for _, two in good or splits)


# ---- Five Card Hi-Lo ----------------------------------------------------------------------------


def high_total(cards: Cards, terms: rules.FiveCardHiLoRules) -> int:
    """Total of a high hand; -1 if it is over the cap."""
    cap = terms.high_hand_cap
    total = _total_with_ace(cards, terms, cap or None)
    return -1 if cap and total > cap else total


def low_total(cards: Cards, terms: rules.FiveCardHiLoRules) -> int:
    """Total of a low hand."""
    if terms.low_hand_wins == rules.LOW_HAND_WINS_LOWER:
        return sum(_hilo_value(card, terms) for card in cards)
    return _total_with_ace(cards, terms, terms.low_hand_ace_cap)


def _hilo_value(card: int, terms: rules.FiveCardHiLoRules) -> int:
    rank = rank_of(card)
    if rank == 1:
        return terms.card_points.ace
    return terms.card_points.face if rank > 10 else rank


def _total_with_ace(cards: Cards, terms: rules.FiveCardHiLoRules, cap: int | None) -> int:
    total = sum(_hilo_value(card, terms) for card in cards)
    if any(rank_of(card) == 1 for card in cards):
        raised = total - terms.card_points.ace + terms.ace_high_points
        if cap is None or raised <= cap:
            return raised
    return total


def house_way(cards: Cards, terms: rules.FiveCardHiLoRules) -> tuple[int, int]:
    """(high total, low total) of the hand as the house sets it; a busted high total is -1."""
    choices = {
        (high_total(high, terms), low_total(low, terms))
        for high, low in all_splits(cards, terms.high_hand_cards)
    }
    valid = {choice for choice in choices if choice[0] >= 0}
    return max(valid or choices, key=lambda choice: _house_preference(choice, terms))


def any_valid_high(cards: Cards, terms: rules.FiveCardHiLoRules) -> bool:
    """Whether some split has a high hand within the cap."""
    splits = all_splits(cards, terms.high_hand_cards)
    return any(high_total(high, terms) >= 0 for high, _ in splits)


def low_merit(low: int, terms: rules.FiveCardHiLoRules) -> int:
    """A number that is greater for the better of two low totals."""
    return -low if terms.low_hand_wins == rules.LOW_HAND_WINS_LOWER else low


def _house_preference(choice: tuple[int, int], terms: rules.FiveCardHiLoRules) -> tuple[int, ...]:
    high, low = choice
    merit = low_merit(low, terms)
    if terms.house_way == rules.HOUSE_WAY_HIGH_FIRST:
        return high, merit
    if terms.house_way == rules.HOUSE_WAY_LOW_FIRST:
        return merit, high
    high_score = 0 if high < 0 else _score(high, list(terms.high_scores))
    return high_score + _score(low, list(terms.low_scores)), high, merit


def _score(total: int, steps: list[rules.ScoreStep]) -> int:
    for step in steps:
        if total <= step.up_to:
            return step.score
    return 0
