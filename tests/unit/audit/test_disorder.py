"""Two implementations, one journal: what the engines write, the auditor derives, no more."""

import random

import pytest

from pitledger.audit import audit, render
from tests.unit.audit.desk import PARTITIONS, Desk
from tests.unit.audit.disorder import Player, policies


@pytest.mark.parametrize("trouble", [0.0, 0.3, 0.8])
@pytest.mark.parametrize("game", ["saigon5", "five_card_hi_lo"])
@pytest.mark.parametrize("seed", range(8))
def test_engines_and_auditor_agree_on_every_decision(game, seed, trouble):
    dice = random.Random(f"{game} {seed} {trouble}")
    desk = Desk(game, **policies(game, dice))
    player = Player(desk, dice, trouble)
    for _ in range(4):
        player.round()
    report = audit(desk.records, PARTITIONS)
    assert report.sound, render(report)
    assert not report.foreign, render(report)
    assert report.counts["decisions_due"] == report.counts["decisions_seen"]
