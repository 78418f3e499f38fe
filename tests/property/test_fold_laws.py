"""Laws of the fold: total on any facts, zero sum, one line a circle, one outcome a round."""

import os
import subprocess
import sys
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.processors.round import Round
from tests.kit.laws import check_money, check_outcomes
from tests.kit.reading import read
from tests.kit.table import AUTOMATED, HI_LO, SAIGON, Table
from tests.kit.wild import wild_fact

seeds = st.lists(st.integers(0, 2**32), min_size=1, max_size=60)
games = st.sampled_from((SAIGON, HI_LO))
wildness = st.sampled_from((0.02, 0.1, 0.3, 1.0))


def any_table(game: str, each: list[int], wild: float) -> Table:
    """A table whose facts follow from the numbers, one fact each."""
    table = Table(game, adjacent_positions=True)
    for seed in each:
        wild_fact(Random(seed), table, wild)
    return table


def numbers(seed: int, count: int) -> list[int]:
    rng = Random(seed)
    return [rng.getrandbits(32) for _ in range(count)]


@settings(max_examples=150, deadline=None)
@given(games, seeds, wildness)
def test_the_fold_never_raises_and_never_sticks_whatever_the_facts(game, each, wild):
    reading = read(any_table(game, each, wild))
    assert [failure for _, failure in reading.stuck if failure] == []


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
@pytest.mark.parametrize("wild", [0.0, 0.05, 0.2, 1.0])
def test_long_lives_of_tables_end_each_round_once_and_sum_to_zero(game, wild):
    bodies = set()
    for seed in range(25):
        reading = read(any_table(game, numbers(seed, 250), wild))
        assert [failure for _, failure in reading.stuck if failure] == []
        check_outcomes(reading)
        check_money(reading)
        bodies.update(reading.names())
    assert {"hands_dealt", "payout_due", "round_settled", "round_voided"} <= bodies or wild == 1.0


@settings(max_examples=100, deadline=None)
@given(games, seeds, st.sampled_from((0.0, 0.02, 0.1)))
def test_each_round_has_one_outcome_and_its_money_sums_to_zero(game, each, wild):
    reading = read(any_table(game, each * 3, wild))
    check_outcomes(reading)
    check_money(reading)


@settings(max_examples=60, deadline=None)
@given(games, seeds, wildness)
def test_gates_are_decisions_of_the_same_round_that_were_derived_before(game, each, wild):
    before: dict[str, str] = {}
    for decision in read(any_table(game, each, wild)).decisions:
        for gate in decision.gates:
            assert before[gate] == decision.round_id
        before[decision.event_id] = decision.round_id


@settings(max_examples=60, deadline=None)
@given(games, seeds, wildness, st.randoms(use_true_random=False))
def test_repeats_of_any_age_change_no_decision(game, each, wild, rng):
    table = any_table(game, each, wild)
    want = [d.value for d in read(table).decisions]
    records = list(table.log.all())
    table.log.records = [[] for _ in range(table.log.partitions)]
    for number, stored in enumerate(records):
        table.log.append(stored.partition, stored.key, stored.headers, stored.value)
        open_round = dict(stored.headers)["ce_subject"]
        if rng.random() < 0.5:
            old = records[rng.randrange(number + 1)]
            # A fact that came too early may come again; what had effect, or is over, may not.
            if dict(old.headers)["ce_subject"] != open_round or old is stored:
                table.log.again(old)
    got = [d.value for d in read(table).decisions]
    assert got == want


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_a_deal_looked_at_closely_at_every_card_is_judged_the_same(game, monkeypatch):
    """The shortcut of a deal that nothing is wrong with hides nothing."""
    def decided() -> list:
        readings = [read(any_table(game, numbers(seed, 120), 0.05)) for seed in range(60)]
        return [(d.body, d.value) for reading in readings for d in reading.decisions]

    quick = decided()
    monkeypatch.setattr(Round, "suspect", property(lambda _self: True, lambda _self, _value: None))
    assert decided() == quick


_DIGEST = """
from tests.property.test_fold_laws import digest
print(digest())
"""


def digest() -> str:
    """Over all decisions of some tables."""
    total = sha256()
    for seed in range(12):
        table = any_table((SAIGON, HI_LO)[seed % 2], numbers(seed, 150), 0.05)
        for decision in read(table).decisions:
            total.update(decision.value)
    return total.hexdigest()


def test_no_order_of_sets_shows_in_a_decision():
    found = set()
    for hash_seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        found.add(subprocess.run(
            [sys.executable, "-c", _DIGEST], env=environment, capture_output=True, text=True,
            check=True).stdout.strip())
    assert found == {digest()}


@settings(max_examples=80, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 54), max_size=8),
    st.integers(0, 2**32 - 1),
    st.sampled_from((1, AUTOMATED)),
)
def test_no_packet_and_no_ordinal_is_too_large(packet, drawn, ordinal, method):
    table = Table().to_betting_closed((1,), method=method)
    table.packet(packet, drawn)
    table.draw(ordinal, 5)
    table.correct(ordinal, 5)
    table.stub(ordinal)
    table.report(1, ordinal)
    table.left(ordinal)
    table.void(ordinal)
    table.close_round(ordinal)
    table.void()
    reading = read(table)
    assert reading.stuck == []
    assert len(reading.outcomes()) == 1


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5), st.integers(0, 2**32 - 1))
def test_no_amount_and_no_position_is_too_large(amounts, position):
    table = Table()
    table.open((1,))
    for amount in amounts:
        table.wager(1, ante=amount, bonus=amount)
        table.wager(position, ante=amount)
    table.no_more_bets()
    table.void()
    reading = read(table)
    assert reading.stuck == []
    check_money(reading)
