"""Laws of cases: whatever persons write, in whatever order and how often, money moves once."""

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.cases.journal import Cases
from pitledger.cases.round_money import HOUSE
from pitledger.cases.settlement import settlement_of
from pitledger.journal.record import JournalRecord, Stored
from tests.cases.desk import Desk, totals
from tests.kit.table import ANTE, BONUS, Table

PERSONS = st.sampled_from(("ann", "bob", "Ann", ""))
AMOUNTS = st.sampled_from((1, 250, -250, 0, 1 << 61))
WHICH = st.integers(0, 5)
STEPS = st.one_of(
    st.tuples(st.just("open"), PERSONS, st.integers(0, 3)),
    st.tuples(st.just("propose"), PERSONS, AMOUNTS),
    st.tuples(st.just("roll_back"), PERSONS, WHICH),
    st.tuples(st.just("resettle"), PERSONS, AMOUNTS),
    st.tuples(st.just("approve"), PERSONS, WHICH),
    st.tuples(st.just("approve"), PERSONS, WHICH),
    st.tuples(st.just("decline"), PERSONS, WHICH),
    st.tuples(st.just("again"), PERSONS, st.integers(0, 30)),
    st.tuples(st.just("answers"), PERSONS, WHICH),
    st.tuples(st.just("forge"), PERSONS, WHICH),
    st.tuples(st.just("close"), PERSONS, WHICH),
)


class Story:
    """A round that may be over or not, and persons who write about it what they please."""

    def __init__(self, steps) -> None:
        self.table = Table()
        self.table.to_payout()
        self.desk = Desk(self.table)
        self.proposals, self.facts = [], []
        for name, person, number in [("open", "ann", 1), *steps]:
            getattr(self, name)(person, number)

    def open(self, person, position):
        self.facts.append(self.desk.open(by=person, position=position))

    def propose(self, person, amount):
        self._proposed(self.desk.propose(by=person, amount_minor=amount))

    def roll_back(self, person, which):
        targets = [*self._postings(), self._settled_by()]
        self._proposed(self.desk.roll_back(targets[which % len(targets)], by=person))

    def resettle(self, person, amount):
        self._proposed(self.desk.resettle((1, ANTE, amount), (2, BONUS, 7), by=person))

    def approve(self, person, which):
        if self.proposals:
            self.facts.append(self.desk.approve(self._which(which), by=person))

    def decline(self, person, which):
        if self.proposals:
            self.facts.append(self.desk.decline(self._which(which), by=person))

    def again(self, _, which):
        self.table.again(self.facts[which % len(self.facts)])

    def answers(self, _, __):
        self.desk.record_what_is_missing()

    def forge(self, _, which):
        """What is derived, with another amount, or for no reason."""
        derived = [one.concluded for one in self.desk.read().derived.values()]
        if derived:
            one = derived[which % len(derived)]
            record = JournalRecord.FromString(one.value)
            record.adjustment_posted.lines.add(position=1, kind=ANTE, amount_minor=9_999_99)
            self.desk.put(replace(one, value=record.SerializeToString(deterministic=True)))

    def close(self, _, __):
        if self.table.round_id and self.desk.settlement() is None:
            self.table.close_round()

    def _settled_by(self):
        settlement = self.desk.settlement()
        return settlement.event_id if settlement else "none yet"

    def _postings(self):
        derived = self.desk.read().derived.items()
        return [event_id for event_id, one in derived if one.concluded.body == "adjustment_posted"]

    def _proposed(self, proposal_id):
        self.proposals.append(proposal_id)
        self.facts.append(proposal_id)

    def _which(self, which):
        return self.proposals[-1 - which % len(self.proposals)]


@given(st.lists(STEPS, max_size=14))
@settings(max_examples=150, deadline=None)
def test_money_moves_once_and_sums_to_zero_and_two_persons_moved_it(steps):
    story = Story(steps)
    cases = story.desk.read()
    moved = totals(cases)
    assert sum(moved.values()) == 0
    postings = story.desk.posted()
    for posting in postings:
        nets = posting.positions_net_minor, posting.house_net_minor, posting.pot_net_minor
        assert sum(nets) == 0
        assert nets[0] == sum(line.amount_minor for line in posting.lines)
        assert nets[1] == -sum(x.amount_minor for x in posting.lines if x.counterparty == HOUSE)
        assert posting.proposed_by.casefold() != posting.approved_by.casefold()
        assert posting.proposed_by
        assert posting.approved_by
    for name in ("proposal_event_id", "approval_event_id"):
        assert not postings or max(Counter(getattr(p, name) for p in postings).values()) == 1
    rolled = Counter(p.rolls_back_id for p in postings if p.rolls_back_id)
    assert not rolled or max(rolled.values()) == 1


@given(st.lists(STEPS, max_size=14))
@settings(max_examples=100, deadline=None)
def test_what_stands_is_the_settlement_and_all_that_was_posted(steps):
    story = Story(steps)
    settlement = story.desk.settlement()
    standing = story.desk.read().tables["T1"].standings.get(story.table.round_id)
    if settlement is None or standing is None:
        return
    expected = Counter(settlement.profits)
    for posting in story.desk.posted():
        for line in posting.lines:
            circle = line.position, line.kind, line.counterparty
            assert line.before_minor == expected[circle]
            expected[circle] += line.amount_minor
    stands = {circle: -amount for circle, amount in standing.reversal()}
    assert {circle: amount for circle, amount in expected.items() if amount} == stands


@given(st.lists(STEPS, max_size=12), st.data())
@settings(max_examples=100, deadline=None)
def test_no_repeat_and_no_recorded_answer_true_or_forged_changes_what_is_derived(steps, data):
    story = Story(steps)
    records = story.table.log.records
    values = [one.concluded.value for one in story.desk.read().derived.values()]

    def derived(of):
        again = Cases(len(records))
        for stored in of:
            again.take(stored)
        return [one.concluded.value for one in again.derived.values()]

    facts = [s for s in story.table.log.all() if not is_answer(s)]
    assert derived(facts) == values
    at = data.draw(st.integers(0, len(facts)))
    assert derived(facts[:at]) == values[: len(derived(facts[:at]))]
    doubled = [s for stored in facts for s in (stored, stored)]
    assert derived(renumbered(doubled)) == values


def is_answer(stored: Stored) -> bool:
    return dict(stored.headers)["ce_type"].endswith((b"CaseAnswered", b"AdjustmentPosted"))


def renumbered(records):
    return [replace(stored, offset=offset) for offset, stored in enumerate(records)]


def test_a_settlement_knows_the_money_of_its_lines():
    table = Table()
    desk = Desk(table.play())
    settlement = desk.settlement()
    opened = desk.read().rounds.of("T1", table.round_id).opened
    assert settlement_of(opened, settlement.value, 3, 4).profits == settlement.profits
