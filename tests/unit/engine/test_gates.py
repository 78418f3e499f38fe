"""A decision is written when the whole chain before it is on the journal as it was derived."""

import pytest

from pitledger.journal.record import JournalRecord
from pitledger.processors.chain import OWNERS, Chain
from tests.kit.house import House
from tests.kit.laws import check_complete, check_replay
from tests.kit.reading import read
from tests.kit.table import HI_LO, SAIGON, Table


def bodies(house: House) -> list[str]:
    """Of all decision records but answers, in the journal's order."""
    names = [JournalRecord.FromString(s.value).WhichOneof("body") for s in house.decisions()]
    return [name for name in names if name != "request_answered"]


REGULAR = ["betting_closed", "hands_dealt", "hands_evaluated", "payout_due", "round_settled"]


@pytest.mark.parametrize("game", [SAIGON, HI_LO])
def test_a_regular_round_is_decided_in_the_order_of_the_chain(game):
    table = Table(game).play()
    assert bodies(House(table).run()) == REGULAR


@pytest.mark.parametrize("down", OWNERS)
def test_while_one_processor_is_down_nothing_that_builds_on_it_is_written(down):
    house = House(Table().play())
    house.down.add(down)
    house.run()
    before = REGULAR[: {"wagers": 0, "dealing": 1, "evaluation": 2, "settlement": 3}[down]]
    assert bodies(house) == before
    house.down.clear()
    house.run()
    assert bodies(house) == REGULAR
    check_complete(house.log)
    check_replay(house.log)


@pytest.mark.parametrize("down", OWNERS)
def test_answers_wait_for_no_other_processor(down):
    table = Table().to_dealt()
    wager, correction, hand = table.wager(1, ante=500), table.correct(1, ""), table.set(2)
    void = table.void(1)
    house = House(table)
    house.down.add(down)
    house.run()
    causes = {JournalRecord.FromString(s.value).causation_id for s in house.decisions()}
    owner = {wager: "wagers", correction: "dealing", hand: "evaluation", void: "settlement"}
    assert all((cause in causes) == (owner[cause] != down) for cause in owner)


def test_a_void_waits_for_the_close_alone():
    table = Table().to_dealt()
    table.void()
    house = House(table)
    house.down = {"wagers", "dealing", "evaluation"}
    house.run()
    assert bodies(house) == []
    house.down.remove("wagers")
    house.run()
    assert bodies(house) == ["betting_closed", "round_voided"]


def test_a_new_revision_builds_on_what_did_not_change():
    table = Table().to_payout()
    table.void(1)
    house = House(table).run()
    assert sorted(bodies(house)) == sorted([*REGULAR[:4], "hands_evaluated", "payout_due"])
    table.close_round(2)
    house.run()
    assert bodies(house)[-1] == "round_settled"
    assert house.finished()


class CountsOtherwise(Chain):
    """A build that derives other bytes for one kind of decision."""

    other = ""

    def _decide(self, fact, owner, question, subject, name, body, gates):
        if name == self.other:
            body.revision += 7
        return super()._decide(fact, owner, question, subject, name, body, gates)


class DealsOtherwise(CountsOtherwise):
    other = "hands_dealt"


class EvaluatesOtherwise(CountsOtherwise):
    other = "hands_evaluated"


class ClosesOtherwise(Chain):
    def _decide(self, fact, owner, question, subject, name, body, gates):
        if name == "betting_closed":
            body.pot_minor += 1
        return super()._decide(fact, owner, question, subject, name, body, gates)


@pytest.mark.parametrize(
    ("owner", "chain", "written"),
    [
        ("settlement", ClosesOtherwise, REGULAR[:3]),
        ("settlement", DealsOtherwise, REGULAR[:3]),
        ("settlement", EvaluatesOtherwise, REGULAR[:3]),
        ("evaluation", ClosesOtherwise, REGULAR[:2]),
        ("evaluation", DealsOtherwise, REGULAR[:2]),
        ("dealing", ClosesOtherwise, REGULAR[:1]),
    ],
)
def test_a_build_that_derives_another_link_of_the_chain_keeps_its_gates_shut(owner, chain, written):
    house = House(Table().play())
    house[owner].chains = {1: chain}
    house.run()
    assert bodies(house) == written
    assert "foreign_decision" in house[owner].kinds()
    assert not house.finished()
    house[owner].upgrade()
    house.run()
    assert bodies(house) == REGULAR
    assert house.finished()


def test_two_builds_that_disagree_move_no_money_until_one_remains():
    house = House(Table().play())
    house["wagers"].chains = {1: ClosesOtherwise}
    house.run()
    assert bodies(house) == ["betting_closed"]
    for owner in ("dealing", "evaluation", "settlement"):
        assert "foreign_decision" in house[owner].kinds()
    house["wagers"].upgrade()
    house.run()
    assert bodies(house) == ["betting_closed", *REGULAR]
    assert house.finished()


def test_an_old_builds_settlement_is_neither_swallowed_nor_booked_twice():
    class SettlesOtherwise(CountsOtherwise):
        other = "round_settled"

    house = House(Table().play())
    house["settlement"].chains = {1: SettlesOtherwise}
    house["settlement"].lost = lambda emit: emit.type.endswith("RoundSettled")
    house.run()
    [old] = [e for e in house["settlement"].emitted if e.type.endswith("RoundSettled")][:1]
    house["settlement"].upgrade()
    house.log.append(old.partition, old.key, old.headers, old.value)
    house["settlement"].lost = lambda _emit: False
    house.run()
    assert bodies(house) == [*REGULAR, "round_settled"]
    assert house.finished()
    [true] = [d.value for d in read(house.log).decisions if d.body == "round_settled"]
    assert [s.value for s in house.decisions()][-2:] == [old.value, true]
    for worker in house.workers.values():
        assert worker.kinds() == ["foreign_decision"]


def test_a_decision_that_waits_is_counted_as_a_shut_gate():
    house = House(Table().play())
    house.down.add("wagers")
    house.run()
    partition = house.decisions()[0].partition
    assert house["dealing"].engine.shut_gates(partition) == 4
    house.down.clear()
    house.run()
    assert house["dealing"].engine.shut_gates(partition) == 0
