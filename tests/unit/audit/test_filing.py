"""Which filings the auditor plays by, and with which limits."""

from hashlib import sha256

import pytest

from pitledger.audit.filing import read_filing
from pitledger.pb import rules_pb2
from tests.unit.audit.desk import ANTE, BONUS, POT, Desk


def opening(game="saigon5", change=None, **content):
    """A RoundOpened whose submission was changed, with the digest of what it is now."""
    opened = Desk(game).opening([1, 2], 1, **content)
    terms = rules_pb2.RulesSubmission.FromString(opened.submission)
    if change is not None:
        change(terms)
    opened.submission = terms.SerializeToString(deterministic=True)
    opened.submission_digest = sha256(opened.submission).digest()
    return opened


def posted(*offers, pot=0):
    wagers = [
        rules_pb2.WagerOffer(kind=kind, offered=offered, min_minor=low, max_minor=high)
        for kind, offered, low, high in offers
    ]
    return rules_pb2.PostedLimits(wagers=wagers, pot_amount_minor=pot)


@pytest.mark.parametrize("game", ["saigon5", "five_card_hi_lo"])
def test_the_default_submissions_are_played_by(game):
    assert read_filing(opening(game)) is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda terms: setattr(terms.saigon5.ante_odds, "win", 0),
        lambda terms: setattr(terms.saigon5.ante_odds, "stake", -1),
        lambda terms: terms.saigon5.bonus_pay_table.pop(2),
        lambda terms: setattr(terms.saigon5.bonus_pay_table[3].odds, "win", 1),
        lambda terms: setattr(terms, "positions", 10),
        lambda terms: setattr(terms, "wager_unit_minor", 0),
        lambda terms: setattr(terms.wagers[0], "offered", False),
        lambda terms: setattr(terms.wagers[1], "max_minor", 1),
        lambda terms: setattr(terms, "game", 2),
        lambda terms: setattr(terms, "payout_rounding", 0),
        lambda terms: setattr(terms.saigon5, "misset_hand", 9),
        lambda terms: terms.accepted_instruments.append("verbal_with_cash"),
        lambda terms: terms.authorities.pop(),
        lambda terms: setattr(terms.authorities[0], "authority", rules_pb2.AUTHORITY_CODE),
        lambda terms: terms.MergeFromString(b"\xf8\x7f\x01"),
    ],
)
def test_a_submission_with_a_fault_is_not(change):
    assert read_filing(opening(change=change)) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda terms: [terms.high_scores.pop() for _ in range(2)],
        lambda terms: setattr(terms.high_scores[1], "up_to", 1),
        lambda terms: setattr(terms, "high_hand_cap", 2),
        lambda terms: setattr(terms.ante_outcome, "tie_tie", 0),
        lambda terms: setattr(terms, "poker_bonus_pair", 8),
        lambda terms: setattr(terms, "ace_high_points", 0),
    ],
)
def test_a_hi_lo_submission_with_a_fault_is_not(change):
    opened = opening("five_card_hi_lo", lambda terms: change(terms.five_card_hi_lo))
    assert read_filing(opened) is None


@pytest.mark.parametrize(
    "content",
    [
        {"currency_code": "usd"},
        {"currency_code": "USDX"},
        {"dealing_method": 0},
        {"dealing_method": 7},
        {"seats": [{"position": 1, "patron_id": "a"}, {"position": 1, "patron_id": "b"}]},
        {"seats": [{"position": 7, "patron_id": "a"}]},
        {"seats": [{"position": 1}]},
        {"posted_limits": posted((ANTE, True, 500, 2_000_000))},
        {"posted_limits": posted((ANTE, True, 500, 900), (ANTE, True, 500, 900))},
        {"posted_limits": posted((ANTE, False, 500, 900))},
        {"posted_limits": posted((4, True, 500, 900))},
        {"posted_limits": posted((ANTE, True, 500, 900), pot=99)},
        {"posted_limits": posted((POT, True, 500, 900), pot=499)},
        {"posted_limits": posted((POT, True, 500, 900), pot=901)},
    ],
)
def test_an_opening_with_a_fault_is_not(content):
    assert read_filing(opening(**content)) is None


def test_a_pot_that_is_no_multiple_of_the_unit_is_not():
    def change(terms):
        terms.wager_unit_minor = 300

    assert read_filing(opening(change=change, posted_limits=posted(pot=1000))) is None
    assert read_filing(opening(change=change, posted_limits=posted(pot=900))) is not None


def test_another_digest_is_not():
    opened = opening()
    opened.submission_digest = b"x" * 32
    assert read_filing(opened) is None


def test_what_is_posted_counts_and_what_is_not_has_its_filed_range():
    limits = read_filing(opening(posted_limits=posted((ANTE, True, 600, 900)))).limits
    assert limits == {ANTE: (600, 900), BONUS: (100, 10_000)}
    offers = (ANTE, True, 600, 900), (BONUS, False, 0, 0)
    limits = read_filing(opening(posted_limits=posted(*offers, pot=700))).limits
    assert limits == {ANTE: (600, 900), POT: (100, 100_000)}
