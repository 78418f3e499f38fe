"""What each circle of a round comes to: the auditor's own adjudication, straight from the texts.

`settle` says for every circle whether it wins, loses or is returned, and what it earns. Amounts
are int minor units. A position's hand is five cards and the split its player set, if any.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pitledger.audit import hilo, saigon
from pitledger.audit.arithmetic import limited, priced
from pitledger.audit.circles import POT, Circle, Hand, Line, Played
from pitledger.pb import money_pb2
from pitledger.pb import rules_pb2 as rules

Verdict = tuple[int, money_pb2.Odds | None]
Judge = Callable[[Circle], Verdict]


@dataclass(frozen=True, slots=True)
class PotStory:
    """What stands in the Pot after what was given back, and who got how much of it."""

    amount: int
    shares: tuple[tuple[int, int], ...]


def settle(
    terms: rules.RulesSubmission,
    circles: Sequence[Circle],
    hands: dict[int, Played],
    dealer: Played,
    void: frozenset[int],
    abandoned: dict[int, int],
) -> tuple[tuple[Line, ...], PotStory | None]:
    """Lines in paying order: from the highest position down, the Pot's after all others."""
    side = [circle for circle in circles if circle.kind != POT]
    side.sort(key=lambda circle: (-circle.position, circle.kind))

    def judge(circle: Circle) -> Verdict:
        player = hands[circle.position]
        if terms.WhichOneof("rules") == "saigon5":
            return saigon.judge(terms.saigon5, circle.kind, player, dealer)
        return hilo.judge(terms.five_card_hi_lo, circle.kind, player, dealer)

    lines = [_line(terms, circle, judge, void, abandoned) for circle in side]
    profits = [max(line.profit, 0) for line in lines]
    paid = limited(profits, [line.position for line in lines], terms.payout_limit)
    lines = [
        replace(line, profit=amount) if line.profit > 0 else line
        for line, amount in zip(lines, paid, strict=True)
    ]
    in_pot = sorted(
        (circle for circle in circles if circle.kind == POT), key=lambda circle: -circle.position
    )
    if not in_pot:
        return tuple(lines), None
    pot_lines, story = _settle_pot(terms, in_pot, hands, void, abandoned)
    return (*lines, *pot_lines), story


def play(terms: rules.RulesSubmission, hand: Hand) -> Played:
    """A hand as it counts."""
    if terms.WhichOneof("rules") == "saigon5":
        return saigon.play(terms.saigon5, hand)
    return hilo.play(terms.five_card_hi_lo, hand)


def first_size(terms: rules.RulesSubmission) -> int:
    """Cards in the first of a player's two hands."""
    if terms.game == rules.GAME_SAIGON5:
        return 3
    return terms.five_card_hi_lo.high_hand_cards


def _line(
    terms: rules.RulesSubmission,
    circle: Circle,
    judge: Judge,
    void: frozenset[int],
    abandoned: dict[int, int],
) -> Line:
    position, kind, stake = circle.position, circle.kind, circle.stake
    reading = abandoned.get(position)
    if position in void or reading == rules.ABANDONMENT_READING_RETURNED:
        return Line(position, kind, stake, rules.OUTCOME_RETURN, 0)
    if reading == rules.ABANDONMENT_READING_LOSING:
        return Line(position, kind, stake, rules.OUTCOME_LOSE, -stake)
    outcome, odds = judge(circle)
    if outcome == rules.OUTCOME_LOSE:
        return Line(position, kind, stake, outcome, -stake)
    if outcome == rules.OUTCOME_RETURN or odds is None:
        return Line(position, kind, stake, outcome, 0)
    profit = priced(stake, odds, terms.payout_unit_minor, terms.payout_rounding)
    return Line(position, kind, stake, outcome, profit)


def _settle_pot(
    terms: rules.RulesSubmission,
    in_pot: Sequence[Circle],
    hands: dict[int, Played],
    void: frozenset[int],
    abandoned: dict[int, int],
) -> tuple[list[Line], PotStory]:
    """680a.11(f): the highest two-card hand takes all of it; equal ones split it evenly."""
    back = {
        circle.position
        for circle in in_pot
        if circle.position in void
        or abandoned.get(circle.position) == rules.ABANDONMENT_READING_RETURNED
    }
    standing = [circle for circle in in_pot if circle.position not in back]
    amount = sum(circle.stake for circle in standing)
    counts = {
        circle.position: saigon.pot_count(terms.saigon5, hands[circle.position])
        for circle in standing
        if abandoned.get(circle.position) != rules.ABANDONMENT_READING_LOSING
    }
    best = max(counts.values(), default=0)
    if best == 0:
        lines = [
            Line(circle.position, POT, circle.stake, rules.OUTCOME_RETURN, 0) for circle in in_pot
        ]
        own = tuple((circle.position, circle.stake) for circle in standing)
        return lines, PotStory(amount, own)
    winners = [circle.position for circle in standing if counts.get(circle.position) == best]
    shares = _split_pot(terms, [circle.stake for circle in standing], winners)
    lines = []
    for circle in in_pot:
        if circle.position in back:
            line = Line(circle.position, POT, circle.stake, rules.OUTCOME_RETURN, 0)
        elif circle.position in shares:
            gain = shares[circle.position] - circle.stake
            line = Line(circle.position, POT, circle.stake, rules.OUTCOME_WIN, gain)
        else:
            line = Line(circle.position, POT, circle.stake, rules.OUTCOME_LOSE, -circle.stake)
        lines.append(line)
    return lines, PotStory(amount, tuple((place, shares[place]) for place in winners))


def _split_pot(
    terms: rules.RulesSubmission, stakes: list[int], winners: list[int]
) -> dict[int, int]:
    """Even shares in payout units; in minor units where that would give one less than a stake."""
    shares = _split_by(terms, terms.payout_unit_minor, sum(stakes), winners)
    if any(share < max(stakes) for share in shares.values()):
        return _split_by(terms, 1, sum(stakes), winners)
    return shares


def _split_by(
    terms: rules.RulesSubmission, unit: int, amount: int, winners: list[int]
) -> dict[int, int]:
    """What is left of even shares goes out unit by unit in the filed order."""
    even = amount // len(winners)
    shares = dict.fromkeys(winners, even - even % unit)
    order = list(winners)
    if terms.saigon5.pot_remainder == rules.POT_REMAINDER_LAST_IN_SETTLEMENT_ORDER:
        order.reverse()
    left = amount - sum(shares.values())
    for place in order:
        extra = min(unit, left)
        shares[place] += extra
        left -= extra
    return shares
