"""The journal judged as it grows says what a judgement of the whole journal says."""

from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pitledger.audit import Auditor, audit
from pitledger.journal.record import JournalRecord, Stored, headers_of, serialize
from pitledger.replay import Replay
from pitledger.sources.file import read_file
from services.auditor.judge import CURRENCIES_MAX, FORGET_MS, Judge
from services.auditor.rederive import Rederivation
from services.simulation import simulate
from tests.kit.house import House
from tests.kit.log import PARTITIONS as LOG_PARTITIONS
from tests.kit.table import Table
from tests.unit.audit.desk import PARTITIONS as DESK_PARTITIONS
from tests.unit.audit.desk import Desk

GAMES = ("saigon5", "five_card_hi_lo")
PARTITIONS, TABLES, ROUNDS = 48, 4, 60
SEEDS = (1, 2)
LATELY_OVER = 10
MINUTE_MS = 60 * 1000


@cache
def simulated(seed: int, faults: bool) -> tuple[Stored, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        simulate(GAMES, TABLES, ROUNDS, seed, faults, path)
        return tuple(read_file(path))


class Heard:
    """A witness and watcher that keeps everything."""

    def __init__(self):
        self.findings, self.differences, self.no_facts, self.breaches = [], [], [], []
        self.late, self.not_judged = [], []
        self.stories, self.decisions = [], []

    def opened(self, story):
        self.stories.append(story.round_id)

    def seen(self, story, due, record):
        self.decisions.append(record.event_id)

    def found(self, finding):
        self.findings.append(finding)

    def differs(self, difference):
        self.differences.append(difference)

    def lacks(self, difference):
        self.late.append(difference)

    def unjudged(self, difference):
        self.not_judged.append(difference)

    def is_no_fact(self, reason):
        self.no_facts.append(reason)

    def breach(self, stored, breach):
        self.breaches.append(breach)


def judged(records, **settings) -> Judge:
    judge = Judge(PARTITIONS, **settings)
    for stored in records:
        judge.take(stored)
    return judge


def renumbered(records):
    """The same records, each partition's offsets without a gap."""
    following: Counter[int] = Counter()
    for stored in records:
        yield replace(stored, offset=following[stored.partition])
        following[stored.partition] += 1


def kind_of(stored: Stored) -> str:
    return dict(stored.headers).get("ce_type", b"").decode().rpartition(".")[2]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_witness_hears_what_the_report_of_the_whole_journal_says(seed):
    journal = simulated(seed, True)
    report = audit(journal, PARTITIONS, complete=False)
    heard = Heard()
    auditor = Auditor(PARTITIONS, witness=heard)
    for stored in journal:
        auditor.read(stored)
    said = [*report.findings, *report.foreign, *report.listed]
    assert sorted(map(repr, heard.findings)) == sorted(map(repr, said))
    assert heard.findings, "the faults left nothing to hear of"
    own = auditor.report(complete=False)
    assert (own.counts, own.tables, own.open_rounds) == (
        report.counts,
        report.tables,
        report.open_rounds,
    )
    assert len(heard.stories) == report.counts["rounds_opened"]
    assert len(heard.decisions) == report.counts["decisions_seen"]


@pytest.mark.parametrize("faults", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_totals_are_those_of_the_whole_journal(seed, faults):
    journal = simulated(seed, faults)
    report = audit(journal, PARTITIONS)
    judge = judged(journal)
    counts, tally = report.counts, judge.tally
    for state in ("opened", "settled", "voided"):
        total = sum(count for (_, each), count in tally.rounds.items() if each == state)
        assert total == counts.get(f"rounds_{state}", 0)
    money = Counter()
    for (_, party, _), amount in tally.money.items():
        money[party] += amount
    assert money["players"] == sum(table.positions_net for table in report.tables)
    assert money["house"] == sum(table.house_net for table in report.tables)
    assert sum(tally.staked.values()) == sum(table.staked for table in report.tables)
    assert sum(tally.returned.values()) == sum(table.returned for table in report.tables)
    kinds = Counter(one.kind for one in (*report.findings, *report.foreign, *report.listed))
    assert tally.findings == kinds
    assert sum(judge.records.values()) == len(journal)
    assert judge.records["not_a_fact"] == counts.get("no_facts", 0)
    assert not judge.conservation_broken


@pytest.mark.parametrize("seed", SEEDS)
def test_the_rounds_that_differ_are_those_that_a_replay_finds(seed):
    journal = simulated(seed, True)
    replay, heard = Replay(PARTITIONS), Heard()
    rederived = Rederivation(PARTITIONS, heard)
    for stored in journal:
        replay.take(stored)
        rederived.take(stored)
    expected = {report.round_id for report in replay.reports() if not report.identical}
    said = {difference.round_id for difference in heard.differences}
    late = {
        one.round_id
        for one in audit(journal, PARTITIONS).foreign
        if "finished round" in one.text or "never opened" in one.text
    }
    # A replay of the whole journal also holds against a round what came when it was long over.
    assert said
    assert said <= expected <= said | late
    assert len(heard.differences) == len(said)


@pytest.mark.parametrize("seed", SEEDS)
def test_memory_is_what_is_open_and_what_is_lately_over(seed):
    judge = Judge(PARTITIONS, lately_over=LATELY_OVER)
    auditor, rederived = judge._auditor, judge._rederived
    for stored in simulated(seed, True):
        judge.take(stored)
        # A table has one round open; those before it wait for decisions that were lost or late.
        assert auditor.holds() <= 3 * TABLES
        assert len(rederived._rounds) <= 3 * TABLES
        assert len(auditor._finished) <= LATELY_OVER
    assert auditor.counts["rounds_opened"] == ROUNDS
    assert (auditor.holds(), len(rederived._rounds)) == (0, 0)
    assert not auditor._found


def test_a_foreign_decision_of_a_round_that_is_over_is_noted_as_such():
    journal = simulated(1, False)
    outcome = next(stored for stored in journal if kind_of(stored) == "RoundSettled")
    record = JournalRecord.FromString(outcome.value)
    record.round_settled.totals.house_net_minor += 1
    forged = replace(outcome, value=serialize(record))
    judge = judged(renumbered([*journal, forged]))
    assert judge.tally.after_the_end == 1
    assert judge.tally.findings == {"foreign": 1}
    assert not judge.conservation_broken


@pytest.mark.parametrize("round_id", ["no-such-round", "00000000-0000-7000-8000-000000000001"])
def test_a_forged_decision_of_a_round_that_was_never_opened_is_counted_whatever_its_id(round_id):
    journal = simulated(1, False)
    outcome = next(stored for stored in journal if kind_of(stored) == "RoundSettled")
    headers = tuple((dict(outcome.headers) | {"ce_subject": round_id.encode()}).items())
    judge = judged(renumbered([*journal, replace(outcome, headers=headers)]))
    assert judge.tally.findings == {"foreign": 1}


def test_other_bytes_under_the_id_of_a_decision_that_is_due_are_seen_by_both():
    journal = simulated(1, False)
    index = next(at for at, stored in enumerate(journal) if kind_of(stored) == "PayoutDue")
    record = JournalRecord.FromString(journal[index].value)
    record.payout_due.lines[0].returned_minor += 1
    forged = replace(journal[index], value=serialize(record))
    judge = judged(renumbered([*journal[:index], forged, *journal[index:]]))
    assert judge.tally.findings == {"foreign": 1}
    assert (judge.tally.different, judge.tally.after_the_end) == (1, 0)
    assert judge.open_rounds == 0


def test_a_decision_that_does_not_come_is_a_finding_once():
    journal = simulated(2, False)
    index = next(at for at, each in enumerate(journal) if kind_of(each) == "HandsEvaluated")
    lost = journal[index]
    judge = judged(renumbered([*journal[:index], *journal[index + 1 :]]))
    now = journal[-1].broker_time + 120_000
    for _ in range(3):
        judge.look(now, [], 60)
    assert judge.tally.findings["missing"] == 1
    assert judge.rounds_lacking == {"audit": 1, "replay": 1}
    assert judge.open_rounds == 1
    assert judge.oldest_unsettled_s(now) >= 120
    judge.take(replace(lost, offset=journal_end(journal, lost.partition) - 1))
    judge.look(now, [], 60)
    assert (judge.open_rounds, judge.tally.findings["missing"]) == (0, 1)
    assert judge.oldest_unsettled_s(now) == 0
    # It came late, and nothing is different for that.
    assert judge.rounds_lacking == {"audit": 0, "replay": 0}
    assert judge.tally.different == 0


def test_a_round_of_a_version_that_is_not_known_is_not_judged_and_not_different():
    desk = Desk()
    desk.open(adjudication_version=9)
    desk.fact("void_ordered")
    heard = Heard()
    rederived, judge = Rederivation(DESK_PARTITIONS, heard), Judge(DESK_PARTITIONS)
    for stored in desk.records:
        rederived.take(stored)
        judge.take(stored)
    assert [each.round_id for each in heard.not_judged] == [desk.round_id]
    assert "unknown adjudication version" in heard.not_judged[0].text
    judge.look(desk.clock + 3_600_000, [], 60)
    assert (judge.tally.unjudged, judge.tally.different) == (1, 0)
    assert judge.rounds_lacking == {"audit": 0, "replay": 0}


def test_numbers_of_rounds_that_do_not_add_up_are_not_money_that_does_not():
    # given
    journal = simulated(1, False)
    judge = judged(journal)
    # when: a round is counted once more than there are
    judge._auditor.counts["rounds_opened"] += 1
    for _ in range(2):
        judge.look(journal[-1].broker_time, [], 60)
    # then
    assert judge.tally.findings == {"count": 1}
    assert not judge.conservation_broken
    # and when: a unit of money is booked once more
    next(iter(judge._auditor._money.values()))["house_net"] += 1
    for _ in range(2):
        judge.look(journal[-1].broker_time, [], 60)
    # then
    assert judge.tally.findings == {"count": 1, "unsound": 1}
    assert judge.conservation_broken


def journal_end(journal, partition):
    return sum(stored.partition == partition for stored in journal)


def test_what_may_lie_ahead_is_not_missing():
    journal = simulated(2, False)
    index = max(at for at, each in enumerate(journal) if kind_of(each) == "RoundSettled")
    judge = judged(journal[:index])
    partition = journal[index].partition
    judge.look(journal[-1].broker_time + 3_600_000, [partition], 60)
    assert not judge.tally.findings


def judge_of_what_nobody_decided(*desks):
    """A round of each desk is over, and none of its decisions is on the journal."""
    judge = Judge(DESK_PARTITIONS)
    for desk in desks:
        desk.open()
        desk.fact("void_ordered")
        facts = [each for each in desk.records if kind_of(each) in ("RoundOpened", "VoidOrdered")]
        for stored in renumbered(facts):
            judge.take(stored)
    return judge


@pytest.mark.parametrize("silent", range(DESK_PARTITIONS))
def test_a_partition_that_is_silent_and_idle_hides_nothing_that_another_lacks(silent):
    # given: two tables on partitions of their own, whose decisions do not come
    one, other = Desk(table="T1"), Desk(table="T2")
    assert one.partition != other.partition
    judge = judge_of_what_nobody_decided(one, other)
    # when: of one partition nobody has ever said whether it was read to its end
    judge.look(one.clock + 3_600_000, [silent], 60)
    # then: what the others lack is counted
    lacking = len({one.partition, other.partition} - {silent})
    assert judge.rounds_lacking == {"audit": lacking, "replay": lacking}


def test_what_was_found_lacking_stays_so_when_its_partition_falls_silent():
    desk = Desk()
    judge = judge_of_what_nobody_decided(desk)
    for behind in ([], [desk.partition]):
        judge.look(desk.clock + 3_600_000, behind, 60)
        assert judge.rounds_lacking == {"audit": 1, "replay": 1}


def test_a_round_waits_from_its_first_payout_to_its_settlement():
    journal = simulated(3, False)
    payout = next(stored for stored in journal if kind_of(stored) == "PayoutDue")
    subject = dict(payout.headers)["ce_subject"]
    alone = list(renumbered(s for s in journal if dict(s.headers)["ce_subject"] == subject))
    kinds = [kind_of(stored) for stored in alone]
    exposed, due = kinds.index("DealerExposed"), kinds.index("PayoutDue")
    closed, settled = kinds.index("RoundClosed"), kinds.index("RoundSettled")
    assert exposed < due < closed < settled
    assert alone[closed].broker_time > alone[exposed].broker_time
    now = alone[exposed].broker_time + 3_600_000
    assert judged(alone[:exposed]).oldest_unsettled_s(now) == 0
    for read in (exposed + 1, due + 1, closed + 1, settled):
        assert judged(alone[:read]).oldest_unsettled_s(now) == 3600
    assert judged(alone).oldest_unsettled_s(now) == 0


@pytest.mark.parametrize("faults", [False, True])
def test_from_a_later_start_only_rounds_that_open_then_are_judged(faults):
    journal = simulated(4, faults)
    since = journal[len(journal) // 2].broker_time
    judge = judged(journal, since=since)
    judge.look(journal[-1].broker_time + 3_600_000, [], 60)
    opened = sum(count for (_, state), count in judge.tally.rounds.items() if state == "opened")
    assert opened == sum(time >= since for time in opening_times(journal))
    assert 0 < opened < ROUNDS
    assert judge.open_rounds == 0
    assert set(judge.tally.findings) <= {"foreign", "no_fact"}
    assert faults or not judge.tally.findings
    assert faults or not judge.tally.different


def opening_times(journal):
    """The broker times at which a judgement of the whole journal opens rounds."""
    heard = Heard()
    auditor = Auditor(PARTITIONS, witness=heard)
    for stored in journal:
        before = len(heard.stories)
        auditor.read(stored)
        if len(heard.stories) > before:
            yield stored.broker_time


def test_a_journal_whose_beginning_was_deleted_in_the_midst_of_rounds_has_no_findings():
    journal = simulated(1, False)
    left = journal[len(journal) // 3 :]
    assert judged(left).records["foreign"] > 0
    judge = Judge(PARTITIONS)
    judge.begin_at(left[0].broker_time + MINUTE_MS // 6)
    for stored in left:
        judge.take(stored)
    judge.look(left[-1].broker_time, (), 0)
    assert (judge.records["foreign"], judge.tally.findings) == (0, {})
    assert judge.records["decision"] > 50


def test_round_numbers_are_forgotten_and_ten_minutes_of_them_are_not(monkeypatch):
    monkeypatch.setattr("services.auditor.judge.FORGET_MS", 10 * MINUTE_MS)
    desk = Desk()
    for _ in range(30):
        desk.open()
        desk.fact("void_ordered")
        desk.clock += MINUTE_MS
    desk.number -= 2
    desk.open()  # of a number that was borne two minutes ago
    judge = Judge(DESK_PARTITIONS)
    for stored in desk.records:
        judge.take(stored)
    assert judge.tally.rounds["saigon5", "opened"] == 30
    assert not judge.tally.findings
    (openings,) = judge._auditor._openings.values()
    (fold,) = judge._rederived._folds.values()
    assert 10 <= len(openings._seen) <= 13
    assert 10 <= len(fold.table._numbers) <= 13


def test_what_other_partitions_have_come_to_makes_no_table_forget():
    behind, ahead = Desk(table="T1"), Desk(table="T2")
    assert behind.partition != ahead.partition
    behind.open()
    behind.number -= 1
    behind.clock += MINUTE_MS
    behind.open()  # the same number again, a minute later
    ahead.clock += 3 * FORGET_MS
    ahead.open()
    judge = Judge(DESK_PARTITIONS)
    first, *rest = behind.records
    for stored in (first, *ahead.records, *rest):
        judge.take(stored)
    assert judge.tally.rounds["saigon5", "opened"] == 2
    assert not judge.tally.findings
    assert not judge.tally.different


def held_from_the_first_round(journal):
    """The journal, with its first table held before anything else."""
    first = next(stored for stored in journal if kind_of(stored) == "RoundOpened")
    opened = JournalRecord.FromString(first.value)
    held = JournalRecord(
        event_id=opened.event_id[:-1] + ("0" if opened.event_id[-1] != "0" else "1"),
        table_id=opened.table_id,
        occurred_at=opened.occurred_at,
        source="supervisor",
        actor="p-1",
    )
    held.table_held.reason = "the tray is counted"
    hold = replace(first, headers=headers_of(held), value=serialize(held))
    return first.key, list(renumbered([hold, *journal]))


def test_a_round_opened_at_a_held_table_is_a_breach():
    key, journal = held_from_the_first_round(simulated(1, False))
    judge = judged(journal)
    assert judge.held_tables == 1
    breaches = sum(
        kind_of(stored) in ("RoundOpened", "RoundClosed") and stored.key == key
        for stored in journal
    )
    assert judge.tally.held_breaches == breaches > 0
    assert not judge.tally.findings


def test_what_breaches_a_hold_is_what_a_replay_says_a_close_that_was_refused_is_none():
    _, journal = held_from_the_first_round(simulated(2, True))
    replay = Replay(PARTITIONS)
    for stored in journal:
        replay.take(stored)
    breaches = sum(len(report.breaches) for report in replay.reports())
    assert judged(journal).tally.held_breaches == breaches > 0


def test_forged_currencies_are_no_endless_series_and_their_money_still_sums_to_zero():
    table = Table()
    for number in range(30):
        table.open(currency_code=f"X{chr(65 + number // 26)}{chr(65 + number % 26)}")
        table.wager(1, ante=1000)
        table.no_more_bets()
        table.void()
    judge = Judge(LOG_PARTITIONS)
    for stored in House(table).run().log.all():
        judge.take(stored)
    currencies = {currency for _, _, currency in judge.tally.staked}
    assert len(currencies) == CURRENCIES_MAX + 1
    assert "other" in currencies
    assert sum(judge.tally.staked.values()) == 30 * 1000
    assert sum(judge.tally.money.values()) == 0
