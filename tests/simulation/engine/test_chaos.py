"""150 histories: every round that opened has one outcome, and nothing is missing or twice."""

import pytest

from pitledger.audit import audit
from tests.kit.laws import check_complete, check_money, check_outcomes
from tests.simulation.engine.chaos import PARTITIONS, Chaos

SEEDS = 150
STEPS = 1500
BATCH = 10


@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_after_chaos_the_journal_holds_just_what_the_facts_derive(first):
    for seed in range(first, first + BATCH):
        check(seed)


def check(seed: int) -> Chaos:
    chaos = Chaos(seed).run(STEPS)
    reading = check_complete(chaos.log, chaos.forged)
    assert reading.stuck == []
    check_outcomes(reading)
    assert set(reading.opened) == set(reading.ended), f"seed {seed}"
    check_money(reading)
    assert chaos.finished(), f"seed {seed}"
    report = audit(chaos.log.all(), PARTITIONS)
    forged = {s.offset for s in chaos.log.all() if s.value in chaos.forged}
    assert [f for f in report.foreign if f.offset not in forged] == [], f"seed {seed}"
    assert [f for f in report.findings if f.offset not in forged] == [], f"seed {seed}"
    return chaos
