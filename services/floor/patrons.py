"""What patrons do: which wagers they put down and how they set their hands.

Everything returns bodies, `(name, message)`, of one position's terminal; the table sends them.
The ways of setting a hand are a patron's, not the house's: nothing is adjudicated here.
"""

from itertools import combinations
from random import Random
from typing import Any

from pitledger.cards import JOKER
from pitledger.pb import facts_pb2
from pitledger.pb.money_pb2 import (
    WAGER_KIND_ANTE,
    WAGER_KIND_BONUS,
    WAGER_KIND_POT,
    WAGER_KIND_TIE,
    Stake,
    WagerKind,
)
from services.floor.faults import Habits
from services.floor.terms import SAIGON5, TableTerms

Body = tuple[str, Any]
CHIP = "value_chip"
_HUGE = 9_000_000_000_000_000_000


def wagers(terms: TableTerms, habits: Habits, position: int, patron: str, rng: Random
           ) -> list[Body]:
    """The first wagers of a position; [] if it sits out."""
    if habits.sits_out and rng.random() < habits.sits_out:
        return []
    if habits.foolish and rng.random() < habits.foolish:
        return _foolish(terms, habits, position, patron, rng)
    return [_wager(position, patron, _stakes(terms, habits, rng))]


def second_thoughts(terms: TableTerms, habits: Habits, position: int, patron: str, rng: Random
                    ) -> list[Body]:
    """A raise or a withdrawal before the close; most have none."""
    bodies: list[Body] = []
    if habits.raises and rng.random() < habits.raises:
        bodies.append(_more(terms, habits, position, patron, rng))
    if habits.withdraws and rng.random() < habits.withdraws:
        bodies.append(_withdrawal(terms, position, patron, rng))
        if rng.random() < 0.5:
            bodies.append(_wager(position, patron, _stakes(terms, habits, rng)))
    return bodies


def late_wish(terms: TableTerms, habits: Habits, position: int, patron: str, rng: Random
              ) -> list[Body]:
    """A wager or a withdrawal at or after "no more bets"; most have none."""
    if not habits.late or rng.random() >= habits.late:
        return []
    if rng.random() < 0.6:
        return [_more(terms, habits, position, patron, rng)]
    return [_withdrawal(terms, position, patron, rng)]


def plain_wager(position: int, patron: str) -> Body:
    """An Ante such as a terminal sends for the wrong round."""
    return _wager(position, patron, [_ante(5000)])


def hand_set(position: int, patron: str, split: tuple[list[int], list[int]]) -> Body:
    """The terminal's message for a split."""
    return "hand_set", facts_pb2.HandSet(
        position=position, patron_id=patron, first=split[0], second=split[1]  # type: ignore[arg-type]
    )


def split_of(game: str, cards: list[int], habits: Habits, rng: Random
             ) -> tuple[list[int], list[int]]:
    """How a patron splits five cards: three and two."""
    if habits.careless and rng.random() < habits.careless:
        picked = _SPLITS[rng.randrange(len(_SPLITS))]
    elif game == SAIGON5:
        picked = _saigon_split(cards)
    else:
        picked = _hi_lo_split(cards)
    a, b, c, d, e = picked
    return [cards[a], cards[b], cards[c]], [cards[d], cards[e]]


def bad_set(position: int, patron: str, cards: list[int], rng: Random) -> Body:
    """A set that must be refused: another's card, another person, four and one, a card twice."""
    first, second = cards[:3], cards[3:]
    match rng.randrange(5):
        case 0:
            first = [cards[0] % 52 + 1, *first[1:]]
        case 1:
            patron = f"{patron}-friend"
        case 2:
            first, second = cards[:4], cards[4:]
        case 3:
            second = [first[0], first[0]]
        case _:
            first, second = [], []
    return hand_set(position, patron, (first, second))


def _stakes(terms: TableTerms, habits: Habits, rng: Random) -> list[Stake]:
    """An Ante, the Pot where it is offered, side wagers as the patron likes."""
    stakes = []
    for kind in terms.ranges:
        if kind == WAGER_KIND_POT:
            stakes.append(Stake(kind=kind, amount_minor=terms.pot_amount))
        elif kind == WAGER_KIND_ANTE or rng.random() < habits.side_wager:
            stakes.append(Stake(kind=kind, amount_minor=_amount(terms, kind, habits, rng)))
    return stakes


def _amount(terms: TableTerms, kind: WagerKind, habits: Habits, rng: Random) -> int:
    """Within the posted range, mostly near the minimum, now and then the maximum."""
    low, high = terms.ranges[kind]
    chance = rng.random()
    if chance > 0.99:
        return high
    amount = low + low * int(12 * chance * chance)
    if habits.odd_amount and rng.random() < habits.odd_amount:
        amount += rng.randrange(1, 100)
    return min(amount, high)


def _more(terms: TableTerms, habits: Habits, position: int, patron: str, rng: Random) -> Body:
    kind = rng.choice([kind for kind in terms.ranges if kind != WAGER_KIND_POT])
    stake = Stake(kind=kind, amount_minor=_amount(terms, kind, habits, rng))
    return _wager(position, patron, [stake])


def _withdrawal(terms: TableTerms, position: int, patron: str, rng: Random) -> Body:
    kinds = [rng.choice(list(terms.ranges))]
    if rng.random() < 0.1:
        kinds = rng.choice(([], [WAGER_KIND_ANTE, WAGER_KIND_ANTE], list(terms.ranges)))
    return "wager_withdrawal_requested", facts_pb2.WagerWithdrawalRequested(
        position=position, patron_id=patron, kinds=kinds
    )


def _wager(position: int, patron: str, stakes: list[Stake], instrument: str = CHIP) -> Body:
    return "wager_requested", facts_pb2.WagerRequested(
        position=position, patron_id=patron, stakes=stakes, instrument=instrument
    )


def _foolish(terms: TableTerms, habits: Habits, position: int, patron: str, rng: Random
             ) -> list[Body]:
    """One of the wagers that are refused, or given back at the close; often a good one after it."""
    good = _stakes(terms, habits, rng)
    low, high = terms.ranges[WAGER_KIND_ANTE]
    plain = _wager(position, patron, good)
    sides = [stake for stake in good if stake.kind != WAGER_KIND_ANTE]
    others = [stake for stake in good if stake.kind != WAGER_KIND_POT]
    match rng.randrange(16):
        case 0:
            return [_wager(position, patron, [_ante(high + 1)]), plain]
        case 1:  # each within the limit, the sum above it
            half = _ante(max(high // 2, low))
            return [plain, *(_wager(position, patron, [half]) for _ in range(2))]
        case 2:
            return [_wager(position, patron, [*sides, _ante(low - 1)])]
        case 3:
            return [_wager(position, patron, sides)]
        case 4:
            return [_wager(position, patron, others)]
        case 5:
            wrong_pot = Stake(kind=WAGER_KIND_POT, amount_minor=terms.pot_amount + 100)
            return [_wager(position, patron, [*others, wrong_pot])]
        case 6:
            return [_wager(position, patron, good, "match_play_coupon"), plain]
        case 7:
            return [_wager(position, patron, good, "verbal_with_cash")]
        case 8:  # the other game's
            kind = WAGER_KIND_TIE if terms.game == SAIGON5 else WAGER_KIND_BONUS
            return [_wager(position, patron, [*good, Stake(kind=kind, amount_minor=500)])]
        case 9:
            amount = rng.choice((0, -1, -low, _HUGE, -_HUGE))
            return [_wager(position, patron, [_ante(amount)]), plain]
        case 10:
            return [plain, _wager(position, patron, [_ante(_HUGE)])]
        case 11:
            return [_wager(position, patron, []), plain]
        case 12:
            return [_wager(position % terms.positions + 1, patron, good), plain]
        case 13:
            return [_wager(rng.choice((0, terms.positions + 1, 4_000_000_000)), patron, good)]
        case 14:
            return [_wager(position, f"{patron}-friend", good), plain]
        case _:  # a side wager under its minimum goes back alone
            small = [Stake(kind=s.kind, amount_minor=1) if s.kind not in _COMPULSORY else s
                     for s in good]
            return [_wager(position, patron, small)]


_COMPULSORY = (WAGER_KIND_ANTE, WAGER_KIND_POT)


def _ante(amount: int) -> Stake:
    return Stake(kind=WAGER_KIND_ANTE, amount_minor=amount)


_SPLITS = [
    (*three, *(index for index in range(5) if index not in three))
    for three in combinations(range(5), 3)
]
"""Indices of the three cards, then of the two."""
_POINTS = [0] + [min(rank, 10) for _ in range(4) for rank in range(1, 14)] + [0, 0]
_ACES = frozenset((1, 14, 27, 40))


def _saigon_split(cards: list[int]) -> tuple[int, ...]:
    """Three cards that make 10, 20 or 30, showing the most; else the two that show the most."""
    jokers = (3, 6, 9) if JOKER in cards else (0,)
    best, best_score = _SPLITS[0], -1
    for joker in jokers:
        points = [joker if card == JOKER else _POINTS[card] for card in cards]
        total = sum(points)
        for split in _SPLITS:
            three = points[split[0]] + points[split[1]] + points[split[2]]
            score = (total - three - 1) % 10
            if three % 10 == 0:
                score += 10
                if len(jokers) == 1:  # every other such split shows the same
                    return split
            if score > best_score:
                best, best_score = split, score
    return best


def _hi_lo_split(cards: list[int]) -> tuple[int, ...]:
    """A high hand within 21, both hands as good as they get together."""
    points = [_POINTS[card] for card in cards]
    aces = [card in _ACES for card in cards]
    total = sum(points)
    best, best_score = _SPLITS[0], -1
    for split in _SPLITS:
        a, b, c, d, e = split
        high = points[a] + points[b] + points[c]
        low = total - high
        if high <= 11 and (aces[a] or aces[b] or aces[c]):
            high += 10
        if low <= 11 and (aces[d] or aces[e]):
            low += 10
        score = high + low if high <= 21 else 0
        if score > best_score:
            best, best_score = split, score
    return best
