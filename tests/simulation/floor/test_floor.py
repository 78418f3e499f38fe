"""The floor in a closed loop with the real engines."""

from collections import Counter, deque
from itertools import pairwise

import pytest

from pitledger.journal.ids import is_fact_id, time_of_fact_id
from pitledger.journal.record import JournalRecord, headers_of, serialize
from pitledger.pb import decisions_pb2
from pitledger.pb.cards_pb2 import DEALING_METHOD_AUTOMATED_SHOE
from services.floor.faults import CLEAN, FAULTY, ORDINARY, Fault, Rates
from services.floor.floor import Floor
from tests.simulation.floor.room import START_US, STEP_US, Room


def bodies(room: Room) -> Counter:
    return Counter(f.record.WhichOneof("body") for f in room.facts if f.record)


@pytest.fixture(scope="module")
def faulty() -> Room:
    return Room(Floor(3, 9, rates=FAULTY, rounds=900)).run()


def test_a_clean_floor_settles_every_round_and_is_never_refused():
    room = Room(Floor(1, 6, rates=CLEAN, rounds=60)).run()
    assert room.floor.done
    assert len(room.decisions("round_settled")) == 60
    assert not room.decisions("round_voided", "deal_irregular")
    answers = [a for r in room.decisions("request_answered") for a in r.request_answered.answers]
    assert answers
    assert not [a for a in answers if a.refusal]
    assert not room.alarms


def test_the_benchmark_has_six_hands_of_two_or_three_wagers_and_seven_packets_a_round():
    floor = Floor(1, 4, rates=CLEAN, rounds=40, plain=True, method=DEALING_METHOD_AUTOMATED_SHOE)
    room = Room(floor).run()
    found = bodies(room)
    assert found["wager_requested"] == found["hand_set"] == 6 * 40
    assert found["packet_drawn"] == 7 * 40
    wagers = [f.record.wager_requested for f in room.facts
              if f.record.HasField("wager_requested")]
    kinds = Counter(len(wager.stakes) for wager in wagers)
    assert kinds[2] + kinds[3] > 0.9 * len(wagers)


@pytest.mark.parametrize("seed", range(5))
def test_every_round_of_a_faulty_floor_has_one_outcome_and_nothing_stays_open(seed):
    room = Room(Floor(seed, 7, rates=FAULTY, rounds=150)).run()
    assert room.floor.done
    outcomes = Counter(record.round_id for record in room.true_outcomes())
    assert len(outcomes) == room.floor.rounds_opened
    assert set(outcomes.values()) == {1}
    assert all(room.engines[0].open_rounds(p) == 0 for p in range(4))
    assert not [kind for kind in room.alarms if "blocked" in kind or "unknown_version" in kind]


def test_devices_whose_clock_jumps_are_off_by_minutes_to_days_and_their_rounds_end_as_any():
    jumpy = Rates(faults={Fault.CLOCK_JUMPS: 0.5})
    room = Room(Floor(3, 4, rates=jumpy, rounds=80)).run()
    off = [abs(f.record.occurred_at - time_of_fact_id(f.event_id) * 1000) // 60_000_000
           for f in room.facts if f.record]
    assert {0} < set(off)
    assert min(minutes for minutes in off if minutes) >= 2
    assert 24 * 60 < max(off) < 30 * 60
    openings = [f.record for f in room.facts if f.record and f.record.HasField("round_opened")]
    assert all(abs(one.occurred_at - time_of_fact_id(one.event_id) * 1000) < 60_000_000
               for one in openings)
    assert len(room.decisions("round_settled")) == 80


def test_a_faulty_floor_meets_every_refusal(faulty):
    met = {key for engine in faulty.engines for (kind, key) in engine.counts if kind == "refusal"}
    every = set(decisions_pb2.Refusal.keys()) - {"REFUSAL_UNSPECIFIED"}
    no_person_does_that = {"REFUSAL_TOO_MANY_WAGERS", "REFUSAL_TOO_MUCH_ASKED"}
    assert every - met - no_person_does_that <= {"REFUSAL_HAND_INCOMPLETE"}


def test_a_faulty_floor_disturbs_the_journal_in_every_way(faulty):
    counts = faulty.engines[0].counts
    no_effect = {key for kind, key in counts if kind == "no_effect"}
    assert no_effect >= {"stale", "round_number_not_rising", "round_id_repeated", "repeat",
                         "repeat_with_other_bytes", "out_of_sequence", "other_round",
                         "no_open_round", "case_fact", "table_fact"}
    foreign = {key.removeprefix("pitledger.v1.") for kind, key in counts if kind == "foreign"}
    assert foreign == {"RequestAnswered", "BettingClosed", "HandsDealt", "DealIrregular",
                       "HandsEvaluated", "PayoutDue", "RoundSettled", "RoundVoided"}
    assert set(faulty.quarantined) >= {"undecodable", "unknown_type", "key_mismatch",
                                       "foreign_partition"}
    breaches = {b.kind for r in faulty.decisions("deal_irregular")
                for b in r.deal_irregular.breaches}
    every = set(decisions_pb2.BreachKind.values()) - {decisions_pb2.BREACH_KIND_UNSPECIFIED,
                                                      decisions_pb2.BREACH_KIND_ORDINAL_IMPOSSIBLE}
    assert every <= breaches


def test_headers_lie_about_id_type_and_subject():
    rates = Rates(faults={Fault.LYING_HEADERS: 1.0})
    room = Room(Floor(1, 3, rates=rates, rounds=60)).run()
    assert set(room.quarantined) == {"id_mismatch", "type_mismatch", "subject_mismatch",
                                     "foreign_decision"}


def test_all_dealing_methods_and_every_wager_kind_are_played(faulty):
    opened = [f.record.round_opened for f in faulty.facts
              if f.record and f.record.HasField("round_opened")]
    assert {o.dealing_method for o in opened} == {1, 2, 3}
    assert len({o.submission_digest for o in opened}) > 5
    assert 0 in {o.posted_limits.pot_amount_minor for o in opened if len(o.posted_limits.wagers)}
    circles = {c.kind for r in faulty.decisions("betting_closed")
               for c in r.betting_closed.circles}
    assert circles == {1, 2, 3, 4, 5}


def test_the_table_closes_with_the_revision_that_it_paid(faulty):
    due: dict[str, int] = {}
    for record in faulty.decisions("payout_due", "round_settled"):
        if record.HasField("payout_due"):
            due[record.round_id] = record.payout_due.revision
    corrected = [r for r in faulty.decisions("round_settled") if r.round_settled.revision > 1]
    assert corrected
    assert all(r.round_settled.revision <= due[r.round_id] for r in corrected
               if r.round_id in due)


@pytest.mark.parametrize("rates", [CLEAN, ORDINARY, FAULTY])
def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(rates):
    first, second, other = (
        [(f.lane, f.key, f.headers, f.value, f.astray)
         for f in Room(Floor(seed, 4, rates=rates, rounds=24)).run().facts]
        for seed in (5, 5, 6)
    )
    assert first == second
    assert first != other


def test_a_table_plays_alike_whatever_other_tables_do():
    def of_first(tables: int) -> list[bytes]:
        room = Room(Floor(5, tables, rates=FAULTY, rounds=10 * tables)).run()
        return [f.value for f in room.facts if f.table_id == "saigon-001"]

    assert of_first(1) == of_first(6)


def test_commands_have_ids_of_their_time_and_honest_headers():
    room = Room(Floor(2, 4, rates=CLEAN, rounds=20)).run()
    ids = [fact.event_id for fact in room.facts]
    assert len(set(ids)) == len(ids)
    for fact in room.facts:
        assert is_fact_id(fact.event_id)
        late = time_of_fact_id(fact.event_id) * 1000 - START_US
        assert late % STEP_US == 0
        assert fact.record.occurred_at == START_US + late
        assert fact.headers == headers_of(fact.record)
        assert fact.value == serialize(fact.record)


def test_retries_are_the_very_same_bytes():
    rates = Rates(faults={Fault.COMMAND_REPEATED: 1.0, Fault.CONSOLE_REPEATS: 1.0})
    room = Room(Floor(2, 3, rates=rates, rounds=30)).run()
    values: dict[str, set[bytes]] = {}
    for fact in room.facts:
        values.setdefault(fact.event_id, set()).add(fact.value)
    assert len(values) < len(room.facts)
    assert all(len(each) == 1 for each in values.values())
    assert len(room.decisions("round_settled")) == 30


def test_console_facts_are_numbered_in_the_round_from_one():
    room = Room(Floor(2, 3, rates=CLEAN, rounds=15)).run()
    numbers: dict[str, list[int]] = {}
    for fact in room.facts:
        if fact.record.table_seq:
            numbers.setdefault(fact.record.round_id, []).append(fact.record.table_seq)
    assert len(numbers) == 15
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())


@pytest.mark.parametrize("fault", list(Fault))
def test_a_floor_with_one_fault_in_every_round_still_ends_every_round(fault):
    room = Room(Floor(11, 3, rates=Rates(faults={fault: 1.0}), rounds=18)).run(4000)
    assert room.floor.done
    assert len(room.true_outcomes()) == 18


def test_a_console_without_answers_voids_after_its_patience_and_goes_on():
    # Given a floor that nobody answers
    floor = Floor(1, 1, rates=CLEAN, rounds=2, patience_us=5_000_000)
    facts, now = [], START_US
    # When time passes
    while not floor.done:
        facts += floor.step(now)
        now += 1_000_000
        assert now < START_US + 120_000_000
    # Then it does not stand still
    found = Counter(f.record.WhichOneof("body") for f in facts)
    assert found["round_opened"] == found["void_ordered"] == 2


def test_openings_keep_the_pace_and_tables_are_spread_over_it():
    floor = Floor(1, 4, rates=CLEAN, rounds=20, pace_us=10_000_000)
    room = Room(floor).run()
    opened: dict[str, list[int]] = {}
    for fact in room.facts:
        if fact.record.HasField("round_opened"):
            opened.setdefault(fact.table_id, []).append(fact.record.occurred_at)
    assert len({times[0] for times in opened.values()}) == 4
    for times in opened.values():
        steps = [later - sooner for sooner, later in pairwise(times)]
        assert all(abs(step - 10_000_000) <= 2 * STEP_US for step in steps)


def test_tables_close_and_open_with_the_gaming_day():
    floor = Floor(1, 1, rates=CLEAN, rounds=400, pace_us=300_000_000)
    room = Room(floor)
    while not floor.done:  # a step each half minute: more than a day for 400 rounds
        room.run(1)
        room.now_us += 29_500_000
    days = [f.record.table_opened.gaming_day for f in room.facts
            if f.record.HasField("table_opened")]
    assert len(days) >= 2
    assert days == sorted(set(days))
    assert bodies(room)["table_closed"] == len(days)


def test_what_the_floor_forges_does_not_fool_its_own_consoles():
    rates = Rates(faults={Fault.FORGED_DECISION: 1.0})
    room = Room(Floor(4, 3, rates=rates, rounds=60)).run()
    assert room.empty_steps <= 1
    assert sum(n for kind, n in room.alarms.items() if kind.startswith("foreign_decision")) > 30
    assert len(room.true_outcomes()) == 60
    assert all(record.HasField("round_settled") for record in room.true_outcomes())


@pytest.mark.parametrize("seed", range(3))
def test_forgeries_of_others_cost_time_but_every_round_ends(seed):
    # Given consoles that cannot tell the forged from the true
    rates = Rates(faults={Fault.FORGED_DECISION: 1.0})
    floor = Floor(seed, 3, rates=rates, rounds=60)
    for script in floor.scripts:
        script._devices.forged = deque(maxlen=0)
    # When they play
    room = Room(floor).run(20_000)
    # Then some are misled, and every round has its one outcome
    assert floor.done
    assert room.decisions("round_voided")
    assert len({record.round_id for record in room.true_outcomes()}) == 60


def test_a_record_on_the_journal_parses_unless_a_stranger_wrote_it(faulty):
    for fact in faulty.facts:
        if fact.record is not None:
            assert JournalRecord.FromString(fact.value) == fact.record
        else:
            assert fact.lane == "stranger"


def test_bytes_that_are_no_record_are_not_taken_for_a_decision():
    room = Room(Floor(1, 1, rates=CLEAN, rounds=1))
    room.run(2)
    headers = (("ce_type", b"pitledger.v1.PayoutDue"),)
    assert room.floor.observe(b"saigon-001", headers, b"\xff\xff") is None
    assert len(room.run().true_outcomes()) == 1
