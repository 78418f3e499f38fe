"""A case on a real broker: the desk's commands, the process killed between, a forged answer."""

import json
import time
from operator import itemgetter

import kafka
import pytest

from pitledger.cases.journal import Cases
from pitledger.journal.ids import fact_id
from pitledger.journal.record import TYPE_BYTES, JournalRecord, headers_of, serialize
from pitledger.sources.file import write_file
from services.archivist import cuts
from services.cli import case_desk, doctor
from services.cli.output import fail
from services.cli.run import run
from services.cli.source import Journal
from services.cli.untrimmed import _Whole
from tests.broker.conftest import (  # noqa: F401
    apache_broker,
    broker,
    embedded_broker,
)
from tests.broker.rig import Rig, wait_until
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import Table

CASE_ANSWERED = TYPE_BYTES["case_answered"]
WAIT_S = 120
DAY = "2026-11-30"


class Room:
    """A rig on whose journal a table played, and the process that answers cases."""

    def __init__(self, rig):
        self.rig = rig
        self.log = Log(rig.connection.partitions)
        self.log.clock = time.time_ns() // 1_000_000
        self.producer = kafka.KafkaProducer(
            bootstrap_servers=list(rig.connection.bootstrap), acks="all", enable_idempotence=False)

    def play(self, table="T1"):
        table = Table(table_id=table, log=self.log)
        self.log.clock += 1_000
        table.play(gaming_day=DAY)
        self.send(self.log.all())
        for records in self.log.records:
            records.clear()

    def send(self, records):
        for stored in records:
            self.producer.send(
                self.rig.connection.topic, stored.value, key=stored.key,
                partition=stored.partition, headers=list(stored.headers)).get(30)

    def process(self, **settings):
        worker = self.rig.start(module="services.cases", **settings)
        wait_until(worker.is_ready, "the process ready", WAIT_S)
        return worker

    def answers(self):
        """Answers and postings on the journal, by event id, how often."""
        found = {}
        for stored in self.rig.journal():
            kind = dict(stored.headers)["ce_type"]
            if kind.endswith((b"CaseAnswered", b"AdjustmentPosted")):
                found[stored.value] = found.get(stored.value, 0) + 1
        return found

    def read(self):
        cases = Cases(self.rig.connection.partitions)
        for stored in self.rig.journal():
            cases.take(stored)
        return cases

    def all_answered(self):
        cases = self.read()
        return cases.derived and not cases.unseen


@pytest.fixture
def kind():
    return "embedded"


@pytest.fixture
def room(broker, kind, tmp_path, monkeypatch):  # noqa: F811
    rig = Rig(broker, kind, tmp_path, partitions=4).create()
    rig.lend_environment(monkeypatch)
    room = Room(rig)
    yield room
    room.producer.close()
    rig.close()


@pytest.fixture
def told(capsys):
    """What a command prints as JSON."""

    def call(*arguments, code=0):
        capsys.readouterr()
        ended = run([*map(str, arguments), "--json"])
        out = capsys.readouterr()
        assert ended == code, out.err
        return json.loads(out.out)

    return call


@pytest.fixture
def refused(capsys):
    """The one line of a command that cannot go on."""

    def call(*arguments):
        capsys.readouterr()
        assert run(list(map(str, arguments))) == 2
        [line] = capsys.readouterr().err.splitlines()
        return line

    return call


def opened(told, *more):
    return told("case", "open", "T1/1", "--position", 1, "--claim", "paid less", "--amount",
                "15.00", "--by", "agent-1", *more)["case"]


@pytest.fixture
def same(told, monkeypatch):
    """What a command says that reads an archive's index; reading the journal whole it says so."""

    def call(*command, code=0):
        with monkeypatch.context() as changed:
            changed.delenv("PITLEDGER_ARCHIVE", raising=False)
            whole = told(*command, "--from", "kafka", code=code)
        with monkeypatch.context() as changed:
            changed.setattr(_Whole, "raw", never)
            changed.setattr(Journal, "raw", never)
            by_index = told(*command, "--from", "kafka", code=code)
        for one in (whole, by_index):
            one["forged"] = sorted(one["forged"], key=itemgetter("partition"))
        assert by_index == whole
        return whole

    return call


def never(*_):
    raise AssertionError("the journal is read whole")


def proposed(told, case, *more):
    return told("adjust", "propose", case, "--position", 1, "--wager", "ante", "--amount", "15.00",
                "--reason", "underpaid", "--by", "agent-1", *more)["id"]


@pytest.mark.parametrize("kind", ["embedded", "apache"])
@pytest.mark.timeout(600)
def test_a_claim_is_held_proposed_approved_and_posted_once_though_the_process_is_killed(
    room, told, tmp_path
):
    room.play()
    index = {"CASES_INDEX": tmp_path / "cases.sqlite"}
    process = room.process(**index)
    case = opened(told)
    wait_until(room.all_answered, "the claim answered", WAIT_S)
    process.kill()

    told("case", "hold", case, "--reason", "claim", "--by", "agent-1")
    [held] = told("hold", "list", "--from", "kafka")["holds"]
    assert (held["table_id"], held["about_id"]) == ("T1", case)
    proposal = proposed(told, case)
    process = room.process(**index)
    wait_until(room.all_answered, "the proposal answered", WAIT_S)
    process.kill()
    approval = told("adjust", "approve", proposal, "--by", "manager-1")
    assert approval["answer"]["posting_id"]
    told("adjust", "approve", proposal, "--by", "manager-1", "--id", approval["id"])

    one, other = room.process(**index), room.process()
    wait_until(room.all_answered, "the posting written", WAIT_S)
    for worker in (one, other):
        wait_until(lambda worker=worker: worker.metric("pitledger_cases_unanswered") == 0,
                   "it knows", WAIT_S)
        assert worker.terminate() == 0
    cases = room.read()
    assert cases.forged == []
    assert set(room.answers()) == {one.concluded.value for one in cases.derived.values()}
    [found] = told("case", "list", "--from", "kafka")["cases"]
    assert (found["moved"], found["state"]) == (1500, "open")
    told("case", "resolve", case, "--finding", "dealer", "--resolution", "seen", "--by", "agent-2")
    told("case", "release", case, "--reason", "done", "--by", "agent-1")
    assert told("hold", "list", "--from", "kafka")["holds"] == []
    [row] = told("report", "--gaming-day", DAY, "--from", "kafka")["rows"]
    assert (row["adjusted"], row["net"]) == (-1500, row["house_net"] - 1500)


@pytest.mark.timeout(600)
def test_a_forged_posting_moves_nothing_and_is_named_by_process_and_command(room, told):
    room.play()
    process = room.process()
    case = opened(told)
    proposal = proposed(told, case)
    told("adjust", "approve", proposal, "--by", "manager-1")
    wait_until(room.all_answered, "all answered", WAIT_S)
    before = told("case", "show", case, "--from", "kafka")
    [*_, posting] = room.read().derived.values()
    record = JournalRecord.FromString(posting.concluded.value)
    record.adjustment_posted.lines[0].amount_minor = 1_000_000
    record.event_id = "00000000-0000-5000-8000-000000000000"
    room.producer.send(
        room.rig.connection.topic, serialize(record), key=b"T1",
        partition=posting.concluded.partition, headers=list(headers_of(record))).get(30)
    wait_until(lambda: process.metric("pitledger_cases_forged_total") == 1, "named", WAIT_S)
    assert process.line("forged")["case"] == case
    after = told("case", "show", case, "--from", "kafka", code=1)
    assert {**after, "forged": []} == before
    assert after["forged"][0]["text"] == "no fact derives it"


class Dispute:
    """A case about T1/1, and proposals in it, as a desk's commands have it."""

    def __init__(self, told):
        self.told = told
        self.case = opened(told)
        self.proposals = []

    def proposes(self, *how):
        self.proposals.append(self.told(*self.propose(*how))["id"])

    def approved(self, number):
        self.told(*self.approve(number))

    def propose(self, *how):
        return ("adjust", "propose", self.case, *how, "--reason", "underpaid", "--by", "agent-1")

    def approve(self, number, by="manager-1"):
        return ("adjust", "approve", self.proposals[number], "--by", by)

    def decline(self, number, by="manager-2"):
        return ("adjust", "decline", self.proposals[number], "--reason", "no", "--by", by)

    def resolve(self, finding, by):
        return ("case", "resolve", self.case, "--finding", finding, "--resolution", "seen",
                "--by", by)  # fmt: skip

    def hold(self, by):
        return ("case", "hold", self.case, "--no-freeze", "--reason", "claim", "--by", by)


PLAIN = ("--position", 1, "--wager", "ante", "--amount", "15.00")
OTHER = ("--position", 1, "--wager", "ante", "--amount", "5.00")
BACK, ANEW = ("--roll-back",), ("--settle", "1.ante=10.00")
PAID = "it is approved already, by manager-1, and posted: 15.00 USD to the patron"
GONE = "what it adjusts is rolled back; settle anew, then propose"
RACES = {
    "approve, approve": (
        (PLAIN,), lambda d: d.approve(0, "manager-2"), lambda d: d.approve(0), PAID),
    "decline, approve": ((PLAIN,), lambda d: d.decline(0), lambda d: d.approve(0), PAID),
    "approve, decline": (
        (PLAIN,), lambda d: d.approve(0), lambda d: d.decline(0), "it was declined, by manager-2"),
    "decline, decline": (
        (PLAIN,), lambda d: d.decline(0, "manager-3"), lambda d: d.decline(0),
        "it was declined, by manager-2"),
    "resolve, resolve": (
        (), lambda d: d.resolve("dealer", "agent-2"), lambda d: d.resolve("none", "agent-3"),
        "the case is resolved already, by agent-3, finding: no error"),
    "propose, roll back": ((BACK,), lambda d: d.propose(*PLAIN), lambda d: d.approve(0), GONE),
    "approve, roll back": ((PLAIN, BACK), lambda d: d.approve(0), lambda d: d.approve(1), GONE),
    "settle anew, settle anew": (
        (BACK, 0, ANEW, ANEW), lambda d: d.approve(2), lambda d: d.approve(1),
        "the settlement stands; roll it back first"),
    "propose anew, settle anew": (
        (BACK, 0, ANEW), lambda d: d.propose(*ANEW), lambda d: d.approve(1),
        "the settlement stands; roll it back first"),
    # Both may be said:
    "roll back, roll back": (
        (BACK,), lambda d: d.approve(0), lambda d: d.approve(0, "manager-2"), ""),
    "hold, hold": ((), lambda d: d.hold("agent-1"), lambda d: d.hold("agent-2"), ""),
    "approve, resolve": (
        (PLAIN,), lambda d: d.approve(0), lambda d: d.resolve("dealer", "agent-2"), ""),
    "resolve, approve": (
        (PLAIN,), lambda d: d.resolve("dealer", "agent-2"), lambda d: d.approve(0), ""),
    "propose, propose": ((), lambda d: d.propose(*PLAIN), lambda d: d.propose(*PLAIN), ""),
}  # fmt: skip
"""What came before (proposals; a number: approved), who is slower, who is quicker, and what the
slower is told."""


@pytest.fixture
def race(told, capsys, monkeypatch):
    """Both desks read, and find nothing wrong; then the quicker writes, and after it the slower.
    What the slower is told, and its exit code."""

    def call(slower, quicker):
        append = case_desk.append

        def after_the_quicker(*record):
            monkeypatch.setattr(case_desk, "append", append)
            told(*quicker)
            return append(*record)

        monkeypatch.setattr(case_desk, "append", after_the_quicker)
        code = run(list(map(str, slower)))
        return code, *capsys.readouterr()

    return call


@pytest.mark.timeout(600)
@pytest.mark.parametrize("pair", RACES)
def test_a_desk_that_another_was_quicker_than_is_told_what_stands(room, told, race, pair):
    before, slower, quicker, says = RACES[pair]
    room.play()
    dispute = Dispute(told)
    for one in before:
        dispute.approved(one) if isinstance(one, int) else dispute.proposes(*one)
    count = len(room.rig.journal())
    code, out, err = race(slower(dispute), quicker(dispute))
    assert len(room.rig.journal()) == count + 2
    if says:
        assert (code, out) == (2, "")
        [line] = err.splitlines()
        assert line.endswith(f": is written, and changes nothing: {says}")
    else:
        assert (code, err) == (0, "")


@pytest.mark.timeout(600)
def test_of_two_who_release_the_later_is_told_that_it_is_done(room, told, race):
    room.play()
    case = opened(told)
    held = ("case", "hold", case, "--reason", "claim", "--by")
    told(*held, "agent-1")
    release = ("case", "release", case, "--reason", "done", "--by")
    code, _, err = race((*release, "agent-2"), (*release, "agent-3"))
    assert code == 2
    assert err.endswith("changes nothing: it is released already, by agent-3\n")
    told(*held, "agent-1")
    places = ("hold", "place", "T1", "--reason", "x", "--by", "agent-3")
    code, out, _ = race((*release, "agent-2"), places)
    assert code == 0
    assert "T1 is still held, 1 time (" in out


@pytest.mark.timeout(600)
def test_a_release_of_two_holds_that_was_cut_short_is_done_by_asking_again(
    room, told, refused, monkeypatch
):
    room.play()
    case, own = opened(told), fact_id(room.log.clock, 8)
    for _ in range(2):
        told("case", "hold", case, "--reason", "claim", "--by", "agent-1")
    release = ("case", "release", case, "--reason", "done", "--by", "agent-1", "--id", own)
    write, written = case_desk.CaseDesk.write, []

    def write_one(desk, record, *more):
        if written:
            fail("cut short")
        written.append(record)
        return write(desk, record, *more)

    with monkeypatch.context() as patched:
        patched.setattr(case_desk.CaseDesk, "write", write_one)
        assert "cut short" in refused(*release)
    assert len(told("hold", "list", "--from", "kafka")["holds"]) == 1
    done = told(*release)
    assert told("hold", "list", "--from", "kafka")["holds"] == []
    count = len(room.rig.journal())
    assert told(*release)["position"] == done["position"] != ""
    assert len(room.rig.journal()) == count
    assert "holds nothing" in refused(*release[:-1], fact_id(room.log.clock, 9))


@pytest.mark.timeout(600)
def test_of_two_desks_with_one_id_the_slower_is_told_that_it_is_taken(room, told, race):
    room.play()
    dispute, own = Dispute(told), fact_id(room.log.clock, 7)
    dispute.proposes(*PLAIN)
    code, _, err = race((*dispute.decline(0), "--id", own), (*dispute.approve(0), "--id", own))
    assert (code, err) == (2, f"pitledger: --id {own}: is on the journal with another content\n")


@pytest.mark.timeout(600)
def test_what_a_circle_has_already_is_told_to_both_persons_who_move_it_again(
    room, told, refused, capsys
):
    """One claim, proposed three times, also in a second case; no fact of them would be refused."""
    room.play()
    first, second = Dispute(told), Dispute(told)
    first.proposes(*PLAIN)
    [one] = first.proposals
    line = refused(*second.propose(*PLAIN))
    assert line == (
        f"pitledger: nothing is written: position 1 ante has 15.00 USD undecided ({one} of case"
        f" {first.case}) already; if this comes beside it, add --yes")
    second.proposes(*PLAIN, "--yes")
    [other] = second.proposals
    approved = told(*first.approve(0))
    assert approved["text"].splitlines()[1:] == [
        "position 1 Ante: 15.00 USD from the house (net before -10.00 USD, after 5.00 USD)",
        "the case claims 15.00 USD; moved in it: 15.00 USD to the patron",
        f"position 1 ante, all cases: settled at -10.00 USD; 15.00 USD posted ({one} of case"
        f" {first.case}), 15.00 USD undecided ({other} of case {second.case})"]
    told(*first.approve(0), "--id", approved["id"])
    line = refused(*second.approve(0))
    assert f"has 15.00 USD posted ({one} of case {first.case}) already" in line
    assert f"has 15.00 USD posted ({one} of case {first.case}), 15.00 USD undecided" in refused(
        *second.propose(*PLAIN))
    told(*second.approve(0), "--yes")
    capsys.readouterr()
    assert run(list(map(str, first.propose(*OTHER)))) == 0
    out = capsys.readouterr().out
    assert "adjusted by 30.00 USD before" in out
    assert "settled at -10.00 USD; 30.00 USD posted (" in out


@pytest.mark.timeout(600)
def test_what_was_posted_since_it_was_proposed_is_told_to_who_approves(room, told, refused):
    room.play()
    dispute = Dispute(told)
    dispute.proposes(*OTHER)
    dispute.proposes(*PLAIN)
    dispute.approved(1)
    assert "has 15.00 USD posted" in refused(*dispute.approve(0))
    dispute.proposes(*BACK)
    dispute.approved(2)
    told("adjust", "propose", dispute.case, *ANEW, "--reason", "x", "--by", "agent-1")
    dispute.proposals.append(told("adjust", "list", "--from", "kafka")["adjustments"][-1]
                             ["proposal_id"])
    dispute.approved(3)
    dispute.proposes(*PLAIN)  # what was rolled back is no more


@pytest.mark.timeout(600)
def test_two_who_post_on_a_circle_at_once_are_told_of_it(room, told, race):
    """Neither could know of the other's; what is posted stays."""
    room.play()
    dispute = Dispute(told)
    dispute.proposes(*PLAIN)
    dispute.proposes(*PLAIN, "--yes")
    code, out, err = race(dispute.approve(1), dispute.approve(0))
    assert code == 1
    assert "settled at -10.00 USD; 30.00 USD posted (" in out
    assert "another desk posted on the same circle meanwhile" in err


@pytest.mark.timeout(600)
def test_who_opens_a_second_case_about_a_position_is_told_of_the_first(
    room, told, capsys, monkeypatch
):
    room.play()
    first = opened(told)
    assert capsys.readouterr().err == ""
    again = ("case", "open", "T1/1", "--claim", "paid less", "--amount", "15.00", "--by", "agent-2")
    assert run([*again, "--position", "1"]) == 0
    [warned] = capsys.readouterr().err.splitlines()
    assert f"case {first} is about this position, too: agent-1 opened it (paid less)" in warned
    assert run([*again, "--position", "2"]) == 0
    assert capsys.readouterr().err == ""
    assert told("doctor", "--from", "kafka")["waits"] == []  # they may be on their way
    monkeypatch.setattr(doctor, "PATIENCE_MS", 0)
    waits = told("doctor", "--from", "kafka", code=1)["waits"]
    assert [one["kind"] for one in waits if one["owner"] == "cases"] == ["unanswered"] * 3


@pytest.mark.timeout(600)
def test_a_voided_round_is_called_so_wherever_a_case_is_about_it(room, told, capsys):
    table = Table(log=room.log)
    table.to_betting_closed(gaming_day=DAY)
    table.void()
    room.send(room.log.all())
    dispute = Dispute(told)
    assert "is open about T1/1, which was voided, position 1" in (
        told("case", "open", "T1/1", "--position", 1, "--claim", "x", "--amount", "15.00",
             "--by", "agent-1")["text"])
    text = told(*dispute.propose(*PLAIN))["text"]
    assert "the round was voided; the circle was settled at 0.00 USD" in text
    assert told("case", "show", dispute.case, "--from", "kafka")["voided"] is True


@pytest.mark.timeout(600)
def test_a_day_that_no_calendar_has_is_no_gaming_day(room, told, refused):
    room.play()
    dispute = Dispute(told)
    dispute.proposes(*PLAIN)
    line = refused(*dispute.approve(0), "--gaming-day", "2026-02-30")
    assert line == "pitledger: --gaming-day 2026-02-30: is no day as 2026-11-30"


@pytest.mark.timeout(600)
def test_what_would_be_refused_is_one_line_and_nothing_is_written(room, told, refused, capsys):
    room.play()
    claim = ("--claim", "paid less", "--by", "agent-1")
    one = ("--position", 1, "--amount", "15.00")
    count = len(room.rig.journal())
    bad = {
        ("T1/9", *one, *claim): "no such round",
        ("T1/1", "--position", 7, "--amount", "15.00", *claim): "no such position",
        ("T1/1", "--position", 1, "--amount", "about 15", *claim): "no definite amount",
        ("T1/1", "--position", 1, "--amount", "0.00", *claim): "no definite amount",
        ("T1/1", *one, "--claim", " ", "--by", "agent-1"): "--claim: is empty",
        ("T1/1", *one, "--claim", "x", "--by", "J. Doe"): "has blanks",
    }
    for arguments, says in bad.items():
        assert says in refused("case", "open", *arguments)
    assert len(room.rig.journal()) == count

    case = opened(told)
    proposal = proposed(told, case)
    count = len(room.rig.journal())
    plain = ("--reason", "x", "--by", "agent-1")
    for says, arguments in {
        "who proposed it cannot approve it": ("approve", proposal, "--by", "agent-1"),
        "no such proposal": ("approve", "0123456789", "--by", "manager-1"),
        "is no day": ("approve", proposal, "--by", "manager-1", "--gaming-day", "x"),
        "is none of ante": ("propose", case, "--position", 1, "--wager", "anti", "--amount", "1.00",
                            *plain),
        "give --position": ("propose", case, *plain),
        "needs --position": ("propose", case, "--position", 1, *plain),
        "roll it back first": ("propose", case, "--settle", "1.ante=10.00", *plain),
        "is not POSITION.WAGER=AMOUNT": ("propose", case, "--settle", "ante", *plain),
    }.items():
        assert says in refused("adjust", *arguments)
    assert "holds nothing" in refused("case", "release", case, *plain)
    assert "no such case" in refused("case", "hold", "0123456789", *plain)
    assert len(room.rig.journal()) == count
    assert run(["adjust", "propose", case, "--position", "1", "--wager", "bonus",
                "--amount", "1.00", *plain]) == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line == (
        "pitledger: position 1 bonus: nothing was staked there in T1/1, as its settlement has it")
    told("adjust", "decline", proposal, "--reason", "no", "--by", "manager-1")
    assert "declined" in refused("adjust", "approve", proposal, "--by", "manager-1")


@pytest.mark.timeout(600)
def test_a_round_that_is_open_has_no_case_and_a_roll_back_is_settled_anew(room, told, refused):
    table = Table(log=room.log)
    table.to_payout(gaming_day=DAY)
    room.send(room.log.all())
    open_ = ("case", "open", "T1/1", "--position", 1, "--claim", "x", "--amount", "5.00", "--by",
             "agent-1")
    assert "is still open" in refused(*open_)
    for records in room.log.records:
        records.clear()
    table.close_round()
    room.send(room.log.all())

    own = fact_id(room.log.clock, 7)
    case = told(*open_, "--id", own)["case"]
    assert told(*open_, "--id", own)["case"] == case
    why = ("--reason", "wrong", "--by", "agent-1")
    back = told("adjust", "propose", case, "--roll-back", *why)["id"]
    first = told("adjust", "approve", back, "--by", "manager-1")["answer"]["posting_id"]
    again = told("adjust", "propose", case, "--roll-back", *why)
    assert again["answer"]["posting_id"] == first
    anew = told("adjust", "propose", case, "--settle", "1.ante=10.00", "--settle",
                "2.ante=-10.00", *why)["id"]
    told("adjust", "approve", anew, "--by", "manager-1")
    rows = told("adjust", "list", "--from", "kafka")["adjustments"]
    assert [row["stage"] for row in rows] == ["posted", "done before", "posted"]
    assert [len(row["lines"]) for row in rows] == [2, 0, 2]


@pytest.mark.parametrize("kind", ["embedded", "apache"])
@pytest.mark.timeout(600)
def test_with_an_archive_the_desk_reads_what_is_not_sealed_and_says_the_same(
    room, told, refused, same, tmp_path, monkeypatch
):
    """Sealed: a claim, a round of another table at whose cut a round is open. Then all goes on."""
    one, other = (Table(table_id=name, log=room.log) for name in ("T1", "T2"))
    one.play(gaming_day=DAY)
    round_of_other = other.play(gaming_day=DAY).round_id
    one.to_payout(gaming_day=DAY)
    room.send(House(one).run().log.all())
    sent = [len(records) for records in room.log.records]
    opened(told)
    first = opened(told)
    proposal = proposed(told, first)
    process = room.process()
    wait_until(room.all_answered, "all answered", WAIT_S)
    archive = tmp_path / "archive"
    assert run(["keys", "new", "casino.example/floor", "-o", str(tmp_path / "key")]) == 0
    told("archive", "--from", "kafka", "-o", archive, "--key", tmp_path / "key")
    room.log.clock = time.time_ns() // 1_000_000
    one.close_round()
    other.open(number=1)  # its number was there before: no round begins
    never_began = other.round_id
    other.play(gaming_day=DAY, number=2)
    House(one).run()
    for records, count in zip(room.log.records, sent, strict=True):
        room.send(records[count:])

    monkeypatch.setenv("PITLEDGER_ARCHIVE", str(archive))
    approval = told("adjust", "approve", proposal[:30], "--by", "manager-1")
    told("adjust", "approve", proposal, "--by", "manager-1", "--id", approval["id"])
    assert "it is approved already" in refused("adjust", "approve", proposal, "--by", "manager-2")
    claim = ("--position", 1, "--claim", "x", "--amount", "5.00", "--by", "agent-1")
    told("case", "open", "T1/2", *claim)
    sealed = told("case", "open", round_of_other[:30], *claim)["case"]
    told("case", "open", "T2/2", *claim)
    assert "no such round" in refused("case", "open", "T2/9", *claim)
    assert "its RoundOpened had no effect" in refused("case", "open", never_began, *claim)
    held = told("case", "hold", sealed[:30], "--reason", "claim", "--by", "agent-1")
    told("case", "hold", sealed, "--reason", "claim", "--by", "agent-1", "--id", held["id"])
    wait_until(room.all_answered, "all answered", WAIT_S)
    assert len(same("case", "list")["cases"]) == 5
    assert same("case", "show", first)["moved"] == 1500
    assert same("case", "show", sealed)["frozen"]
    assert all(row["on_record"] for row in same("adjust", "list")["adjustments"])
    assert process.terminate() == 0
    told("case", "resolve", sealed, "--finding", "none", "--resolution", "x", "--by", "agent-1")
    with monkeypatch.context() as changed:
        changed.setattr(Journal, "raw", never)
        changed.setattr(doctor, "PATIENCE_MS", 0)
        waits = told("doctor", "--from", "kafka", code=1)["waits"]
    assert [one["detail"] for one in waits if one["owner"] == "cases"] == [sealed]
    [answer, *_] = room.read().derived.values()
    for partition in range(4):
        room.producer.send(
            room.rig.connection.topic, answer.concluded.value + b"?", key=b"nowhere",
            partition=partition, headers=[("ce_type", CASE_ANSWERED)]).get(30)
    assert len(same("case", "list", code=1)["forged"]) == 4


@pytest.mark.timeout(600)
def test_an_archive_of_another_journal_is_not_taken_for_this_ones(
    room, told, refused, tmp_path, monkeypatch
):
    room.play()
    case = opened(told)
    key, sealed, file = (tmp_path / name for name in ("key", "archive", "journal"))
    assert run(["keys", "new", "casino.example/floor", "-o", str(key)]) == 0
    monkeypatch.setenv("PITLEDGER_ARCHIVE", str(sealed))
    assert told("case", "list", "--from", "kafka")["cases"]  # nothing lies there yet
    other = Table(table_id="T3", log=Log(4))
    write_file(file, House(other.play()).run().log.all())
    told("archive", "--from", file, "--partitions", 4, "-o", sealed, "--key", key)
    for command in (("case", "list", "--from", "kafka"),
                    ("case", "release", case, "--reason", "x", "--by", "agent-1")):
        assert "is the archive of pitledger.journal.v1" in refused(*command)
    # The embedded broker is asked for what is not there for so long.
    monkeypatch.setattr(cuts, "PATIENCE_S", 10.0)
    about = json.loads((sealed / "log.json").read_text())
    about["topic"] = room.rig.connection.topic
    (sealed / "log.json").write_text(json.dumps(about))
    for command in (("case", "list", "--from", "kafka"),
                    ("case", "release", case, "--reason", "x", "--by", "agent-1")):
        assert "does not continue the archive" in refused(*command)


@pytest.mark.parametrize("kind", ["apache"])
@pytest.mark.timeout(600)
def test_what_the_journal_was_trimmed_of_is_known_from_the_archive(
    room, told, refused, tmp_path, monkeypatch
):
    """A claim before, one after; the process, the desk and a report know both rounds."""
    log = Log(room.rig.connection.partitions)
    log.clock = time.time_ns() // 1_000_000
    room.send(House(Table(log=log).play(gaming_day=DAY)).run().log.all())
    first = opened(told)
    proposal = proposed(told, first)
    process = room.process()
    wait_until(room.all_answered, "all answered", WAIT_S)
    assert process.terminate() == 0
    archive = tmp_path / "archive"
    assert run(["keys", "new", "casino.example/floor", "-o", str(tmp_path / "key")]) == 0
    told("archive", "--from", "kafka", "-o", archive, "--key", tmp_path / "key")
    connection = room.rig.connection
    admin = connection.admin()
    ends = {kafka.TopicPartition(connection.topic, p): end for p, end in room.rig.ends().items()}
    admin.delete_records({tp: end for tp, end in ends.items() if end})
    admin.close()

    assert "let PITLEDGER_ARCHIVE name the archive" in refused("case", "list", "--from", "kafka")
    worker = room.rig.start(module="services.cases")
    assert worker.wait_exit(WAIT_S) == 2
    assert "let PITLEDGER_ARCHIVE name the archive" in worker.errors.read_text()
    monkeypatch.setenv("PITLEDGER_ARCHIVE", str(archive))
    told("adjust", "approve", proposal, "--by", "manager-1")
    second = opened(told)
    process = room.process(ARCHIVE=archive)
    assert "pitledger-verify" in process.line("archive")["not_checked"]
    wait_until(lambda: process.metric("pitledger_cases_written_total") == 3, "written", WAIT_S)
    wait_until(lambda: process.metric("pitledger_cases_unanswered") == 0, "read back", WAIT_S)
    found = told("case", "list", "--from", "kafka")["cases"]
    assert [(case["case_id"], case["moved"]) for case in found] == [(first, 1500), (second, 0)]
    [row] = told("report", "--gaming-day", DAY, "--from", "kafka")["rows"]
    assert (row["rounds"], row["adjusted"]) == (1, -1500)
    assert all(one["on_record"] for one in told("adjust", "list", "--from", "kafka")["adjustments"])
