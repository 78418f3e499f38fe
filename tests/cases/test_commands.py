"""`pitledger case`, `adjust` and `report` on a journal in a file."""

import json
import time
from datetime import UTC, datetime

import pytest

from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from tests.cases.desk import DAY_MS, Desk
from tests.kit.house import House
from tests.kit.table import Table
from tests.unit.cli.conftest import pitledger as pitledger  # noqa: PLC0414

PARTITIONS = ("--partitions", 4)
DAY = "2026-11-30"


class Written:
    """Two rounds of a gaming day; a claim about the first, adjusted the day after."""

    def __init__(self, tmp_path):
        self.table = Table()
        self.desk = Desk(self.table.play(gaming_day=DAY, dealer_id="d1"))
        self.first = self.table.round_id
        self.table.play(gaming_day=DAY)
        self.about = self.desk.reference(self.first)
        self.desk.open(settlement=self.about)
        self.case_id = self.desk.case_id
        self.desk.hold()
        self.refused = self.desk.propose(settlement=self.about, position=5)
        self.small = self.desk.propose(settlement=self.about, amount_minor=1500)
        self.desk.approve(self.small)
        self.then_ms = self.table.log.clock
        self.table.log.clock += DAY_MS
        self.large = self.desk.propose(settlement=self.about, amount_minor=250_001)
        self.desk.approve(self.large, gaming_day="2026-12-01")
        House(self.table).run()
        self.desk.record_what_is_missing()
        self.path = tmp_path / "journal"

    def journal(self):
        write_file(self.path, self.table.log.all())
        return ("--from", self.path, *PARTITIONS)


@pytest.fixture
def written(tmp_path):
    return Written(tmp_path)


@pytest.fixture
def told(pitledger, written):
    """A command's JSON, and its exit code."""

    def call(*arguments, code=0):
        ended = pitledger(*arguments, *written.journal(), "--json")
        assert ended.code == code, ended.err
        return json.loads(ended.out)

    return call


def test_a_case_is_listed_with_claim_state_and_what_it_moved(pitledger, told, written):
    [case] = told("case", "list")["cases"]
    assert (case["case_id"], case["state"], case["number"]) == (written.case_id, "open", 1)
    assert (case["amount"], case["moved"], case["claim"]) == (1500, 251_501, "paid less")
    assert "has no table T2" in pitledger(
        "case", "list", "--table", "T2", *written.journal()).line
    assert told("case", "list", "--state", "resolved")["cases"] == []
    line = pitledger("case", "list", *written.journal()).out
    assert "T1/1 position 1  p1 claims 15.00 USD: paid less  adjusted: 2,515.01 USD to" in line


def test_a_case_that_nobody_answered_is_listed_as_such_and_the_doctor_says_since_when(
    pitledger, told, written
):
    assert [case["unanswered"] for case in told("case", "list")["cases"]] == [0]
    assert told("doctor")["waits"] == []
    written.table.log.clock += DAY_MS
    case = Desk(written.table)
    case.open(settlement=written.about)
    case.resolve()
    assert [each["unanswered"] for each in told("case", "list")["cases"]] == [0, 2]
    assert "  2 of its answers are derived, and not on the journal yet\n" in pitledger(
        "case", "list", *written.journal()).out
    [waits] = told("doctor", code=1)["waits"]
    assert (waits["kind"], waits["owner"], waits["detail"]) == ("unanswered", "cases", case.case_id)
    assert f"case {case.case_id} about T1/1: 2 records by cases missing since 2027-01-1" in (
        waits["text"])
    case.record_what_is_missing()
    assert told("doctor")["waits"] == []


def test_a_proposal_that_nobody_decided_is_told_of_with_its_case(pitledger, written):
    assert "undecided" not in pitledger("case", "list", *written.journal()).out
    declined = written.desk.propose(settlement=written.about, amount_minor=100)
    assert "  1 proposal undecided  " in pitledger("case", "list", *written.journal()).out
    written.desk.decline(declined)
    assert "undecided" not in pitledger("case", "list", *written.journal()).out


def test_a_case_is_shown_with_each_fact_and_its_answer(pitledger, told, written):
    case = told("case", "show", written.case_id[:34])
    assert [fact["type"] for fact in case["facts"]][:3] == [
        "dispute_opened", "dispute_held", "adjustment_proposed"]
    stages = [one["stage"] for one in case["adjustments"]]
    assert stages == ["refused", "posted", "posted"]
    assert all(one["on_record"] for one in case["adjustments"] if one["moved"])
    shown = pitledger("case", "show", written.case_id, *written.journal()).out
    assert "-> refused: the round had no such position" in shown
    assert "position 1 Ante: 15.00 USD from the house (net before -10.00 USD, after 5.00 USD)" in (
        shown)
    assert "heard until 2027-02-14" in shown
    assert "not on the journal yet" not in shown


def test_a_case_is_shown_with_the_release_of_the_hold_that_it_names(pitledger, told, written):
    desk, table = Desk(written.table), written.table
    desk.open(settlement=written.about)
    freezes = facts_pb2.TableHeld(reason="claim", about_id=desk.case_id)
    held, other = (table.fact("table_held", freezes, round_id="", actor="agent-1")
                   for _ in range(2))
    desk.hold(held_id=held)
    assert told("case", "show", desk.case_id)["released"] == []
    for by, hold in (("agent-2", held), ("agent-3", held), ("agent-4", other)):
        released = facts_pb2.TableReleased(reason=f"{by} is done", held_id=hold)
        table.fact("table_released", released, round_id="", actor=by)
    [release] = told("case", "show", desk.case_id)["released"]
    assert (release["hold"], release["by"], release["reason"]) == (
        held, "agent-2", "agent-2 is done")
    shown = pitledger("case", "show", desk.case_id, *written.journal()).out.splitlines()
    assert shown[-1].endswith(f": the hold {held} is released: agent-2 is done")
    assert "answers are derived, and not on the journal" in shown[0]


def test_the_months_list_names_what_moved_more_than_the_limit(told, written):
    rows = told("adjust", "list", "--month", "2026-12", "--above", "2000.00")["adjustments"]
    assert [row["proposal_id"] for row in rows] == [written.large]
    assert told("adjust", "list", "--month", "2026-11", "--above", "2000.00")["adjustments"] == []
    assert told("adjust", "list", "--above", "2500.01")["adjustments"] == []
    assert len(told("adjust", "list")["adjustments"]) == 3
    listed = told("adjust", "list", "--month", "2026-12")
    assert listed["period"] == "gaming days of 2026-12"
    assert {"title", "version", "as_known_at", "made_at"} <= set(listed)


def test_the_limit_of_a_list_holds_in_each_currency_that_was_proposed(told, written):
    """2000.00 is no amount of yen, and 2000 is; one proposal in them must not end the list."""
    written.desk.propose(settlement=written.about, currency_code="JPY", amount_minor=1 << 40)
    rows = told("adjust", "list", "--above", "2000.00")["adjustments"]
    assert [row["proposal_id"] for row in rows] == [written.large]


def test_a_report_says_what_a_day_settled_and_what_was_adjusted_since(pitledger, told, written):
    report = told("report", "--gaming-day", DAY)
    [row] = report["rows"]
    assert (row["rounds"], row["staked"], row["adjustments"]) == (2, 4000, 2)
    assert row["adjusted"] == -251_501
    assert row["net"] == row["house_net"] - 251_501
    assert report["title"]
    assert report["version"].startswith("pitledger ")
    assert report["made_at"] >= report["as_known_at"]
    assert told("report", "--gaming-day", "2026-12-01")["rows"] == []
    text = pitledger("report", "--gaming-day", DAY, *written.journal()).out
    assert "2 adjustments -2,515.01 USD" in text


@pytest.fixture
def later(monkeypatch, written):
    """All that the journal has lies in the past."""
    now_ns = 1_000_000 * (written.table.log.clock + DAY_MS)
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)


@pytest.mark.usefixtures("later")
def test_as_of_a_moment_only_what_was_on_the_journal_by_then_is_known(told, written):
    moment = "2027-01-15T08:01"
    assert written.then_ms < 1_800_000_060_000
    [row] = told("report", "--gaming-day", DAY, "--as-of", moment)["rows"]
    assert (row["adjustments"], row["adjusted"]) == (1, -1500)
    [case] = told("case", "list", "--as-of", moment)["cases"]
    assert case["moved"] == 1500
    assert told("case", "list", "--as-of", "2027-01-14")["cases"] == []


@pytest.mark.usefixtures("later")
def test_a_report_is_headed_by_the_moment_at_which_it_is_cut(told, written):
    """So long ago is counted once: from the broker's last record a day has gone by."""
    for ago, adjustments in (("86400s", 2), ("86401s", 1), ("1d", 2)):
        report = told("report", "--gaming-day", DAY, "--as-of", ago)
        [row] = report["rows"]
        assert (row["adjustments"], report["as_known_at"][:10]) == (adjustments, "2027-01-16")


@pytest.mark.parametrize("command", [
    ("case", "list"), ("case", "show", "01234567"), ("adjust", "list"),
    ("adjust", "list", "--month", "2026-11"), ("report", "--gaming-day", DAY),
])  # fmt: skip
@pytest.mark.parametrize("moment", ["9999-12-31", "later"])
def test_what_will_be_known_nobody_knows(pitledger, written, command, moment):
    if moment == "later":
        moment = datetime.fromtimestamp(time.time() + 60, UTC).isoformat()
    line = pitledger(*command, "--as-of", moment, *written.journal()).line
    assert line == f"--as-of {moment}: has not come yet; what will be known then nobody knows"


def test_a_claim_later_than_thirty_days_is_marked_so_though_its_case_hears_it(
    pitledger, told, written
):
    written.table.log.clock += 29 * DAY_MS
    late = written.desk.open(settlement=written.about, window_days=3650)
    assert written.desk.refusal(late) == ""
    assert [case["late_days"] for case in told("case", "list")["cases"]] == [0, 30]
    shown = pitledger("case", "show", written.desk.case_id, *written.journal()).out
    assert "  late: filed 30 days after the settlement" in shown.splitlines()[0]


def test_a_case_about_a_voided_round_says_that_it_was_voided(pitledger, told, tmp_path):
    table = Table()
    table.to_betting_closed(gaming_day=DAY).void()
    desk, path = Desk(table), tmp_path / "voided"
    desk.open()
    desk.approve(desk.propose())
    write_file(path, House(table).run().log.all())
    assert "T1/1 (voided) position 1" in pitledger("case", "list", "--from", path, *PARTITIONS).out
    shown = pitledger("case", "show", desk.case_id, "--from", path, *PARTITIONS).out
    assert "\nvoided 2027-01-15" in shown
    listed = pitledger("adjust", "list", "--from", path, *PARTITIONS).out
    assert "  T1/1 (voided) position 1 ante  adjustment 15.00 USD  " in listed


def test_what_all_cases_have_on_a_circle_stands_by_each_of_its_adjustments(
    pitledger, told, written
):
    """A second case about the same; of the first two postings, one was of another amount."""
    first = written.case_id
    written.desk.open(settlement=written.about)
    written.desk.propose(settlement=written.about)
    rows = told("adjust", "list")["adjustments"]
    assert [row["circle"]["posted"] for row in rows] == [
        0, 251_501, 251_501, 251_501]
    assert rows[-1]["circle"] == {"settled": -1000, "posted": 251_501, "postings": 2,
                                  "undecided": 1500, "proposals_undecided": 1}
    lines = pitledger("adjust", "list", *written.journal()).out.splitlines()
    assert ["its circle, all cases: 2,515.01 USD posted, 15.00 USD undecided" in line
            for line in lines] == [False, True, True, True]
    shown = pitledger("case", "show", written.desk.case_id, *written.journal()).out
    assert "\nposition 1 ante, all cases: settled at -10.00 USD; 2,515.01 USD posted (" in shown
    assert f"of case {first})" in shown
    target = written.about.settlement_event_id
    written.desk.approve(written.desk.roll_back(target, settlement=written.about))
    assert "all cases" not in pitledger("adjust", "list", *written.journal()).out


def test_a_forged_answer_is_named_changes_nothing_and_is_exit_1(pitledger, told, written):
    before = told("case", "show", written.case_id)
    [*_, posting] = written.desk.read().derived.values()
    another_day = posting.concluded.value.replace(b"2026-12-01", b"2026-11-01")
    written.desk.put(posting.concluded, another_day)
    after = told("case", "show", written.case_id, code=1)
    assert {**after, "forged": []} == before
    [forged] = after["forged"]
    assert forged["kind"].endswith("AdjustmentPosted")
    assert told("case", "list", code=1)["forged"] == [forged]
    ended = pitledger("adjust", "list", *written.journal())
    assert ended.code == 1
    assert "FORGED: AdjustmentPosted at " in ended.out
    assert "is recorded otherwise than its facts derive it; it changes nothing" in ended.out


def test_an_answer_that_is_not_written_yet_is_told_and_counts(told, tmp_path, pitledger):
    desk = Desk(Table().play(gaming_day=DAY))
    desk.open()
    desk.approve(desk.propose())
    path = tmp_path / "other"
    write_file(path, desk.log.all())
    shown = pitledger("case", "show", desk.case_id, "--from", path, *PARTITIONS)
    assert shown.code == 0
    assert "4 of its answers are derived, and not on the journal yet" in shown.out
    assert "not on the journal yet" in pitledger("adjust", "list", "--from", path, *PARTITIONS).out


@pytest.mark.parametrize(("arguments", "says"), [
    (("case", "show", "01234567"), "no such case"),
    (("case", "show", ""), "names 2"),
    (("adjust", "list", "--month", "2026-13"), "is no month"),
    (("adjust", "list", "--above", "much"), "is no definite amount"),
    (("adjust", "list", "--above", "5.0"), "is no definite amount"),
    (("report", "--gaming-day", "today"), "is no day"),
    (("report", "--gaming-day", "2026/11/30"), "is no day"),
    (("report", "--gaming-day", DAY, "--as-of", "soon"), "is neither a time"),
])  # fmt: skip
def test_bad_input_is_one_line(pitledger, written, arguments, says):
    written.desk.open(settlement=written.about)
    assert says in pitledger(*arguments, *written.journal()).line
