"""Laws that hold for any cards, splits, wagers, standings and rulings, of both games."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pitledger.games.game import Circle, Split, Standing
from pitledger.money import payout
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import money_pb2 as m
from pitledger.pb import rules_pb2 as r
from tests.unit.games.submissions import hi_lo, saigon

COMMON = {
    "payout_rounding": st.sampled_from(["down", "up", "nearest"]),
    "payout_unit_minor": st.sampled_from([1, 5, 100]),
    "aggregate_payout_limit": st.fixed_dictionaries({
        "amount": st.sampled_from([1, 777, 5_000_000]),
        "scope": st.sampled_from(["round", "hand", "none"]),
        "allocation": st.sampled_from(["pro_rata", "settlement_order"]),
    }),
}
SAIGON = {
    "player_split": st.sampled_from(["as_set", "best"]),
    "misset_hand": st.sampled_from(["cards_speak", "as_set", "lose"]),
    "pot_eligibility": st.sampled_from(["all", "qualifiers"]),
    "pot_remainder": st.sampled_from(["first_in_settlement_order", "last_in_settlement_order"]),
}
HI_LO = {
    "low_hand_wins": st.sampled_from(["higher", "lower"]),
    "house_way": st.sampled_from(["scored", "high_first", "low_first"]),
    "foul_hand": st.sampled_from(["lose", "house_way"]),
    "high_hand_cap": st.sampled_from([0, 15, 21]),
    "tie_pairs": st.sampled_from(["same_hand", "any"]),
    "busted_ties": st.booleans(),
    "poker_bonus_table": st.sampled_from(["A", "B"]),
}
RULES = st.one_of(
    st.fixed_dictionaries({}, optional={**COMMON, **SAIGON}).map(lambda p: saigon(**p)),
    st.fixed_dictionaries({}, optional={**COMMON, **HI_LO}).map(lambda p: hi_lo(**p)),
)
FIVE = st.one_of(
    st.lists(st.integers(1, 53), min_size=5, max_size=5, unique=True),
    st.lists(st.sampled_from([1, 10, 13, 14, 26, 40, 52, 53, 54]), min_size=5, max_size=5),
).map(tuple)
STANDING = st.one_of(
    st.just(Standing()), st.just(Standing(void=True)),
    st.sampled_from([1, 2, 3]).map(lambda reading: Standing(abandoned=reading)),
)


@st.composite
def rounds(draw):
    """Rules, circles, hands, the dealer's hand, standing."""
    rules = draw(RULES)
    circles, hands = [], {}
    pot = draw(st.integers(1, 5000))
    for position in draw(st.sets(st.integers(1, 6), min_size=1)):
        kinds = draw(st.sets(st.sampled_from(rules.kinds), min_size=1))
        for kind in kinds:
            stake = pot if kind == m.WAGER_KIND_POT else draw(st.integers(1, 1_000_000))
            circles.append(Circle(position, kind, stake))
        hands[position] = judged(draw, rules, position)
    standing = draw(st.dictionaries(st.sampled_from(sorted(hands)), STANDING))
    return rules, circles, hands, judged(draw, rules, 0), standing


def judged(draw, rules, position):
    """Any five cards, set in any way or not at all."""
    cards = draw(FIVE)
    split = None
    if draw(st.booleans()):
        size = rules.split_sizes[0]
        split = Split(cards[:size], cards[size:])
    return rules.evaluate(position, cards, split)


@given(rounds())
def test_each_circle_has_one_line_in_paying_order(case):
    rules, circles, *rest = case
    lines = rules.settle(circles, *rest).lines
    assert Counter((x.position, x.kind, x.stake) for x in lines) == Counter(
        (c.position, c.kind, c.stake) for c in circles)
    order = [(x.kind == m.WAGER_KIND_POT, -x.position, rules.kinds.index(x.kind)) for x in lines]
    assert order == sorted(order)


@given(rounds())
def test_money_is_conserved(case):
    rules, *rest = case
    settlement = rules.settle(*rest)
    pot_lines = [x for x in settlement.lines if x.counterparty == d.COUNTERPARTY_POT]
    assert sum(x.profit for x in pot_lines) == 0
    assert (settlement.pot is None) == (not pot_lines)
    if settlement.pot:
        assert sum(share for _, share in settlement.pot.shares) == settlement.pot.amount
    for line in settlement.lines:
        assert line.profit >= -line.stake
        if line.outcome == r.OUTCOME_RETURN:
            assert (line.profit, line.uncut_profit) == (0, 0)
        elif line.outcome == r.OUTCOME_LOSE:
            assert line.profit == -line.stake
        else:
            assert line.outcome == r.OUTCOME_WIN
            assert line.uncut_profit >= line.profit >= 0
        won_from_house = line.outcome == r.OUTCOME_WIN and line not in pot_lines
        assert (line.odds is not None) == won_from_house


@given(rounds())
def test_profits_are_stake_times_odds_rounded_and_cut_only_to_the_limit(case):
    rules, *rest = case
    filed = rules.submission
    won = [x for x in rules.settle(*rest).lines if x.odds]
    for line in won:
        assert line.uncut_profit == payout(
            line.stake, line.odds, filed.payout_unit_minor, filed.payout_rounding)
    limit, scope = filed.payout_limit.amount_minor, filed.payout_limit.scope
    if scope == r.PAYOUT_LIMIT_SCOPE_NONE:
        assert all(x.profit == x.uncut_profit for x in won)
        return
    groups = {0: won}
    if scope == r.PAYOUT_LIMIT_SCOPE_HAND:
        groups = {x.position: [y for y in won if y.position == x.position] for x in won}
    for group in groups.values():
        assert sum(x.profit for x in group) == min(limit, sum(x.uncut_profit for x in group))


@given(rounds())
def test_what_is_out_of_play_gets_exactly_its_stakes_back(case):
    rules, circles, hands, dealer, standing = case
    lines = rules.settle(circles, hands, dealer, standing).lines
    for line in lines:
        stands = standing.get(line.position, Standing())
        if stands.void or stands.abandoned == r.ABANDONMENT_READING_RETURNED:
            assert (line.outcome, line.profit) == (r.OUTCOME_RETURN, 0)
        elif stands.abandoned == r.ABANDONMENT_READING_LOSING:
            assert line.profit <= 0


@given(rounds(), st.randoms(use_true_random=False))
def test_no_order_matters_but_that_of_positions(case, chance):
    rules, circles, hands, dealer, standing = case
    expected = rules.settle(circles, hands, dealer, standing)
    for mapping in (hands, standing):
        items = list(mapping.items())
        chance.shuffle(items)
        mapping.clear()
        mapping.update(items)
    chance.shuffle(circles)
    assert rules.settle(circles, hands, dealer, standing) == expected


@given(RULES, FIVE, st.integers(0, 6), st.randoms(use_true_random=False))
def test_a_hand_set_by_rule_does_not_depend_on_the_order_of_the_deal(rules, cards, seat, chance):
    shuffled = list(cards)
    chance.shuffle(shuffled)
    assert rules.evaluate(seat, tuple(shuffled), None) == rules.evaluate(seat, cards, None)


@given(RULES, FIVE, st.permutations(range(5)))
def test_a_split_is_made_of_the_hands_own_cards(rules, cards, order):
    size = rules.split_sizes[0]
    mixed = [cards[index] for index in order]
    for split in (None, Split(tuple(mixed[:size]), tuple(mixed[size:]))):
        for position in (0, 1):
            judged_split = rules.evaluate(position, cards, split).split
            assert len(judged_split.first) == size
            assert sorted(judged_split.first + judged_split.second) == sorted(cards)


@given(rounds())
def test_nobody_who_shares_the_pot_gets_less_than_he_put_in(case):
    rules, *rest = case
    settlement = rules.settle(*rest)
    for line in settlement.lines:
        if line.counterparty == d.COUNTERPARTY_POT and line.outcome == r.OUTCOME_WIN:
            assert line.profit >= 0
