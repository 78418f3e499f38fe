"""An archivist that runs for weeks, stops at any time and forgets seals what one that was there
from the beginning and forgets nothing would have sealed.
"""

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.archive.collect import ClockWentBack, Collector, Memory
from pitledger.archive.leaves import remainder_leaves, round_leaf
from pitledger.archive.positions import Positions
from pitledger.engine import LOOK_BACK_MS
from pitledger.journal.record import DECISION_TYPES, Stored
from pitledger.journal.stored import messages_from
from pitledger.pb.archive_pb2 import ArchiveLeaf
from tests.kit.house import House
from tests.kit.log import PARTITIONS, Log
from tests.kit.table import Table

MINUTE = 60_000


class Archivist:
    """An archivist's process without its I/O; what it has sealed outlives its end."""

    def __init__(self, log, forgets=True):
        self.log, self.forgets = log, forgets
        self.leaves = []
        self.before_ms = {}
        self.went_back = 0
        self.start()

    def start(self):
        """Begin at what is sealed, with what the journal has of the time before it."""
        self.collector = Collector(PARTITIONS)
        positions = Positions().take_all(ArchiveLeaf.FromString(leaf.entry) for leaf in self.leaves)
        for partition in range(PARTITIONS):
            at = positions.of(partition)
            first = at.cut or 0
            self.collector.begin(partition, first, self.memory(partition, first), at.taken)

    def memory(self, partition, first):
        forgets = self.forgets and partition not in self.before_ms
        if not first:
            return Memory(forgets=forgets)
        records = self.log.records[partition]
        last = self.before_ms.get(partition, records[first - 1].broker_time)
        since = last - LOOK_BACK_MS
        begin = min(self.log.first_since(partition, since), first)
        return Memory(records[begin:first], since if begin else None, forgets)

    def read(self, stop=None):
        """All that is there, or so many records; partition by partition."""
        while True:
            try:
                for _, stored in zip(range(stop or 1 << 60), list(self.unread()), strict=False):
                    self.leaves += map(round_leaf, self.collector.take(stored))
            except ClockWentBack as went:
                self.went_back += 1
                before = self.before_ms.get(went.partition, went.before_ms)
                self.before_ms[went.partition] = min(before, went.before_ms)
                self.start()
            else:
                return self

    def unread(self):
        for partition, records in enumerate(self.log.records):
            yield from records[self.collector.next_offset(partition) :]

    def seal(self):
        for partition in range(PARTITIONS):
            remainder = self.collector.cut(partition)
            if remainder is not None:
                self.leaves += remainder_leaves(remainder)
        return self

    def crash(self):
        self.before_ms = {}
        self.start()

    def rounds(self):
        return {
            manifest.round.round_id: leaf.data
            for leaf in self.leaves
            if (manifest := ArchiveLeaf.FromString(leaf.entry)).HasField("round")
        }

    def places(self):
        """How often each place of the journal is in a leaf, copies left out."""
        found = Counter()
        for leaf in self.leaves:
            manifest = ArchiveLeaf.FromString(leaf.entry)
            copied = manifest.round.copied if manifest.round.HasField("copied") else None
            places = [(m.partition, m.offset) for m in messages_from(leaf.data)]
            found.update(place for place in places if place[1] != copied)
        return found

    def cuts(self):
        """By partition, up to where all is sealed."""
        found = (ArchiveLeaf.FromString(leaf.entry) for leaf in self.leaves)
        remainders = [each.remainder for each in found if each.HasField("remainder")]
        return {remainder.partition: remainder.end for remainder in remainders}

    def numbers(self):
        return sum(len(fold.table._numbers) for fold in self.collector._folds.values())


def everything(log):
    return Counter((stored.partition, stored.offset) for stored in log.all())


def test_a_round_whose_decision_comes_after_a_restart_is_sealed_though_its_successor_was_before():
    table = Table()
    house = House(table)
    first = table.to_payout().round_id
    settlement = house["settlement"]
    settlement.lost = lambda emit: (emit.type[-7:], emit.round_id) == ("Settled", first)
    table.play()
    table.play()
    house.run()
    archivist = Archivist(house.log).read().seal()
    assert len(archivist.rounds()) == 2
    (waiting,) = archivist.collector.waiting()
    assert (waiting.round_id, waiting.over, waiting.lacks) == (first, True, ("RoundSettled",))
    archivist.crash()
    archivist.read().seal()
    assert [each.round_id for each in archivist.collector.waiting()] == [first]
    settlement.lost = lambda _emit: False
    house.run()
    archivist.read().seal()
    assert len(archivist.rounds()) == 3
    assert archivist.collector.waiting() == []
    assert archivist.places() == everything(house.log)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False), st.floats(0, 0.6))
def test_decisions_that_come_late_and_any_stops_change_no_round_and_lose_no_record(rng, late):
    log = delayed(played(rng, rounds=6), rng, late)
    whole = Archivist(log, forgets=False).read().seal()
    archivist = Archivist(log)
    for _ in range(rng.randrange(5)):
        archivist.read(stop=rng.randrange(1, 400))
        if rng.random() < 0.7:
            archivist.seal()
        archivist.crash()
    archivist.read().seal()
    check_alike(archivist, whole)


@settings(max_examples=60)
@given(st.randoms(use_true_random=False))
def test_whatever_the_brokers_clock_does_who_forgets_seals_what_who_forgets_nothing_does(rng):
    log = played(rng, rounds=25, clock=lambda: rng.choice(STEPS) * MINUTE)
    whole = Archivist(log, forgets=False).read().seal()
    archivist = Archivist(log)
    for _ in range(rng.randrange(4)):
        archivist.read(stop=rng.randrange(1, 1000)).seal()
        if rng.random() < 0.5:
            archivist.crash()
    archivist.read().seal()
    check_alike(archivist, whole)


def check_alike(archivist, whole):
    assert archivist.rounds() == whole.rounds()
    assert archivist.collector.waiting() == whole.collector.waiting()
    assert archivist.places() == whole.places()
    assert max(whole.places().values()) == 1
    for partition, end in whole.cuts().items():
        assert all((partition, offset) in whole.places() for offset in range(end))


STEPS = (0, 1, 2, 5, 9, 11, 30, 70, -1, -6, -12, -40, -90)
"""Minutes between two rounds, most of them forward."""


def played(rng, rounds, clock=lambda: 0):
    """What two tables of one house play; openings come again, and numbers that do not rise."""
    log = Log()
    tables = [Table(table_id=name, log=log) for name in ("T1", "T2")]
    house = House(log)
    opened: list[tuple[Table, str]] = []
    for _ in range(rounds):
        table = rng.choice(tables)
        match rng.randrange(6):
            case 0:
                table.to_payout((1,))
            case 1:
                table.open((1,), number=max(1, table.number - rng.randrange(3)))
            case _:
                table.play((1,))
        opened.append((table, table.round_id))
        if rng.random() < 0.4:
            again, event_id = rng.choice(opened)
            again.again(event_id)
        house.run()
        log.clock += clock()
    return log


def delayed(log, rng, share):
    """A journal of the same records, where some decisions come later than they did."""
    late = Log()
    for records in log.records:
        places = [
            (index + rng.randrange(200) * (is_decision(stored) and rng.random() < share), index)
            for index, stored in enumerate(records)
        ]
        for _, index in sorted(places):
            stored = records[index]
            late.append(stored.partition, stored.key, stored.headers, stored.value)
    return late


def is_decision(stored: Stored):
    return dict(stored.headers)["ce_type"] in DECISION_TYPES


def test_of_a_floor_that_plays_for_weeks_only_the_last_hour_of_round_numbers_is_kept():
    log, kept = Log(), set()
    table, house = Table(log=log), House(log)
    archivist = Archivist(log)
    for _ in range(120):
        table.play((1,))
        house.run()
        archivist.read().seal()
        log.clock += 15 * MINUTE
        kept.add(archivist.numbers())
    assert max(kept) <= 6
    assert archivist.collector.waiting() == []
    assert archivist.went_back == 0


def test_a_clock_that_goes_back_before_what_is_remembered_is_told_once():
    log = Log()
    table, house = Table(log=log), House(log)
    archivist = Archivist(log)
    for minutes in (0, 70, 70, -150, 5, -10, 5):
        log.clock += minutes * MINUTE
        table.play((1,))
        house.run()
        archivist.read().seal()
    assert archivist.went_back == 1
    assert len(archivist.rounds()) == 7


def test_a_round_that_this_build_cannot_judge_is_named_and_holds_back_its_partition_alone():
    log = Log()
    odd, other = Table(table_id="T1", log=log), Table(table_id="T2", log=log)
    house = House(log)
    odd.open((1,), adjudication_version=99)
    other.play()
    house.run()
    odd.play((1,))
    other.play()
    house.run()
    archivist = Archivist(log).read().seal()
    (waiting,) = archivist.collector.waiting()
    assert waiting.unjudged == "adjudication version 99 is not known"
    assert (waiting.table_id, waiting.round_number, waiting.over) == ("T1", 1, True)
    free = other.written[other.round_id].partition
    assert archivist.cuts() == {free: len(log.records[free])}
    assert len(archivist.rounds()) == 3


def test_a_round_whose_fold_fails_is_named_with_the_failure(monkeypatch):
    table = Table().to_payout()
    house = House(table).run()
    chain = "pitledger.processors.chain.Chain.fact"

    def fails(*_):
        raise ZeroDivisionError("nobody was eligible")

    monkeypatch.setattr(chain, fails)
    (waiting,) = Archivist(house.log).read().seal().collector.waiting()
    assert waiting.unjudged == "ZeroDivisionError: nobody was eligible"
