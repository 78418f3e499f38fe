"""What holds whatever is supposed."""

import random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pitledger.audit import audit
from pitledger.cards import notation
from pitledger.games import BadSubmission, compile_rules
from pitledger.replay import Replay
from pitledger.sources.submissions import load_submission
from pitledger.whatif.changes import CannotBe
from pitledger.whatif.difference import compare, what_if
from pitledger.whatif.hypothesis import suppose
from pitledger.whatif.played import closings, fold
from pitledger.whatif.rules import OtherRules
from tests.whatif.rounds import PARTITIONS, as_journal, read

NOTHING = OtherRules(None, ())
CHANGES = {
    "saigon5": (
        ("pot_eligibility=qualifiers", "pot_eligibility=all"),
        ("misset_hand=lose", "misset_hand=cards_speak"),
        ("bonus_pay_table.flush=44", "bonus_pay_table.flush=40"),
        ("ante_odds=2:1", "ante_odds=1:1"),
    ),
    "five_card_hi_lo": (
        ("tie_pairs=any", "tie_pairs=same_hand"),
        ("foul_hand=house_way", "foul_hand=lose"),
        ("poker_bonus_table.pair=2", "poker_bonus_table.pair=1"),
        ("ante_outcome.tie_tie=return", "ante_outcome.tie_tie=lose"),
    ),
}


def test_nothing_supposed_changes_nothing_in_any_round(rounds):
    assert {played.outcome.state for played in rounds} == {"settled", "voided"}
    for played in rounds:
        difference, applied = what_if(played.facts, NOTHING)
        assert applied == ()
        assert difference.same
        assert all(line.same and line.difference == 0 for line in difference.lines)
        assert difference.answers == ()
        assert difference.was.decisions == difference.would_be.decisions == played.outcome.decisions


def test_what_is_so_already_is_no_change(rounds):
    for played in rounds[:80]:
        for before in _as_it_is(played):
            rules, changes = read(played, before)
            difference, applied = what_if(played.facts, rules, changes)
            assert applied == ()
            assert difference.same


def _as_it_is(played):
    """Every card, wager and split of a round as something to set."""
    dealt = played.outcome.dealt
    game = _game(played)
    if game is None or dealt is None:
        return
    for hand in [*dealt.hands, dealt.dealer]:
        for place, card in enumerate(hand.cards, 1):
            yield f"{hand.position or 'dealer'}.card{place}={_text(card)}"
    for circle in played.outcome.close.circles:
        kind = {1: "ante", 2: "bonus", 3: "pot", 4: "tie", 5: "poker_bonus"}[circle.kind]
        yield f"{circle.position}.wager.{kind}={circle.stake_minor}"


def _text(card: int) -> str:
    return notation(card)


def _game(played):
    try:
        rules = compile_rules(played.opened.round_opened.submission)
    except BadSubmission:
        return None
    return "saigon5" if rules.submission.game == 1 else "five_card_hi_lo"


def supposed(seed: int, rounds):
    """A round, things to suppose of it that can be, and what takes each back."""
    rng = random.Random(seed)
    while True:
        played = rng.choice(rounds)
        facts = list(_as_it_is(played))
        if facts:
            break
    sets, inverse = [], []
    for so in rng.sample(facts, min(3, len(facts))):
        name, value = so.split("=")
        sets.append(f"{name}={_another(rng, name, value)}")
        inverse.append(so)
    own = compile_rules(played.opened.round_opened.submission).submission
    if _is_default(own) and rng.random() < 0.7:
        change, back = rng.choice(CHANGES[_game(played)])
        sets.append(change)
        inverse.append(back)
    return played, sets, inverse


def _is_default(own) -> bool:
    return own == load_submission("default", own.game).message


def _another(rng, name: str, value: str) -> str:
    if ".card" in name:
        return rng.choice("A23456789TJQK") + rng.choice("cdhs")
    return str(max(0, int(value) + rng.choice((-100, 100, 700, -int(value)))))


def check(seed, rounds):
    played, sets, inverse = supposed(seed, rounds)
    rules, changes = read(played, *sets)
    try:
        made = suppose(played.facts, played.outcome, rules, changes)
    except CannotBe:
        return None
    return played, made, inverse


LAW = settings(
    max_examples=120, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@given(seed=st.integers(0, 1_000_000))
@LAW
def test_every_difference_sums_to_zero(rounds, seed):
    if (found := check(seed, rounds)) is None:
        return
    played, made, _ = found
    difference = compare(played.facts, played.outcome, made.facts, made.requests)
    if not difference.comparable:
        assert difference.lines == ()
        return
    was, would_be = difference.was.booked.totals, difference.would_be.booked.totals
    for totals in (was, would_be):
        nets = totals.positions_net_minor + totals.house_net_minor + totals.pot_net_minor
        assert nets == 0
    moved = sum(line.difference for line in difference.lines)
    assert moved == would_be.positions_net_minor - was.positions_net_minor
    assert moved + would_be.house_net_minor - was.house_net_minor == 0


@given(seed=st.integers(0, 1_000_000))
@LAW
def test_the_difference_is_that_of_two_replays_and_the_auditor_agrees(rounds, seed):
    """The supposed facts written down as a journal, replayed, and worked out by other code."""
    if (found := check(seed, rounds)) is None:
        return
    played, made, _ = found
    difference = compare(played.facts, played.outcome, made.facts, made.requests)
    follow = closings(played.facts, played.outcome)
    if any(placed.event_id in follow for placed in made.facts):
        made_facts = _closed_as_due(made.facts, difference)
    else:
        made_facts = made.facts
    for facts, outcome in ((played.facts, difference.was), (made_facts, difference.would_be)):
        journal = as_journal(facts, outcome)
        replay = Replay(PARTITIONS)
        for stored in journal:
            replay.take(stored)
        report = next(iter(replay.reports()))
        assert report.identical, report.difference
        if outcome.booked is not None:
            assert report.sums is not None
            assert getattr(report.sums, report.sums.WhichOneof("body")).totals == (
                outcome.booked.totals
            )
        audited = audit(journal, PARTITIONS)
        assert audited.sound, audited.findings
        if outcome.state in ("settled", "voided"):
            (table,) = audited.tables
            assert table.house_net == outcome.booked.totals.house_net_minor
            assert table.staked == outcome.booked.totals.staked_minor


def _closed_as_due(facts, difference):
    """The RoundClosed names the revision that is due, as a console would write it."""
    settled = [one for one in difference.would_be.decisions if one.decision.body == "payout_due"]
    last = facts[-1]
    if not settled or last.fact.body != "round_closed":
        return facts
    record = type(last.fact.record)()
    record.CopyFrom(last.fact.record)
    record.round_closed.revision = settled[-1].record.payout_due.revision
    return (*facts[:-1], last.saying(record))


@given(seed=st.integers(0, 1_000_000))
@LAW
def test_a_change_and_its_inverse_change_nothing(rounds, seed):
    if (found := check(seed, rounds)) is None:
        return
    played, made, inverse = found
    would_be = fold(made.facts, closings(played.facts, played.outcome))
    if would_be.dealt is None or would_be.close != played.outcome.close:
        return  # nobody was dealt a hand whose cards could be set back, or to other positions
    supposed_round = type(played)(made.facts, would_be)
    rules, changes = read(supposed_round, *inverse)
    back = suppose(made.facts, would_be, rules, changes)
    assert _sets(back.facts) == _sets(played.facts)
    if any(len(set(cards)) < len(cards) for cards in _sets(made.facts).values()):
        return  # of two cards alike nobody can say which half the one to set back lies in
    again = compare(played.facts, played.outcome, back.facts, back.requests)
    assert [line.difference for line in again.lines] == [0] * len(again.lines)
    assert again.was.booked == again.would_be.booked


def _sets(facts):
    """By fact, the cards of the hand that it sets."""
    splits = {
        placed.event_id: getattr(placed.fact.record, placed.fact.body)
        for placed in facts
        if placed.fact.body in ("hand_set", "dealer_exposed")
    }
    return {fact: sorted([*split.first, *split.second]) for fact, split in splits.items()}
