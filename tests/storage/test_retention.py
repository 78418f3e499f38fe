"""What is within its term or on hold is not deleted; what goes is sealed before."""

import json
from datetime import UTC, date, datetime

import pytest

from pitledger.archive import layout
from pitledger.archive.collect import Remainder
from pitledger.archive.deletions import Deleted, Deletion, merged
from pitledger.archive.holds import Scope, Statement
from pitledger.archive.leaves import Leaf, document_leaf, remainder_leaves
from pitledger.archive.log import About, LogWriter, leaf_data, manifests
from pitledger.archive.note import SecretKey
from pitledger.archive.store import BadArchive, StoreError
from pitledger.journal.record import JournalRecord, Stored
from pitledger.journal.stored import messages_from
from pitledger.pb.cases_pb2 import AdjustmentPosted
from services.retention import deleting
from services.retention.deleting import seal_deletion, sweep
from services.retention.holding import Holding
from services.retention.plan import State, Survey
from services.retention.policy import BUILT_IN, BadPolicy, Policy, read_policy, strictest
from services.storage.folder import Folder
from tests.storage.house import pitledger

NO_ROUND = "018f0000-0000-7000-8000-000000000001"

PLAYED = date(2026, 11, 30)
AFTER = date(2031, 11, 30)
POLICY = BUILT_IN["pa-table-games"]


@pytest.fixture
def later(monkeypatch):
    """It is the day on which the term of all rounds is over."""
    monkeypatch.setattr("services.cli.retention._today", lambda: AFTER)


def _delete(house, *options, policy="pa-table-games"):
    return pitledger(
        "retention",
        "delete",
        house.archive,
        "--policy",
        policy,
        "--key",
        house.key,
        "--by",
        "records officer",
        "--reason",
        "its term is over",
        *options,
    )


def test_a_term_is_so_many_years_of_the_calendar():
    assert POLICY.ends(PLAYED) == AFTER
    assert Policy("a", 5, "b").ends(date(2024, 2, 29)) == date(2029, 3, 1)
    assert Policy("a", 4, "b").ends(date(2024, 2, 29)) == date(2028, 2, 29)
    assert strictest(list(BUILT_IN.values())).years == 10


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('name = "a"\nyears = 7', "has no source"),
        ('name = "a"\nyears = 7\nsource = "b"\nmore = 1', "does not know more"),
        ('name = "a"\nyears = "7"\nsource = "b"', "years is no number"),
        ('name = "a"\nyears = true\nsource = "b"', "years is no number"),
        ('name = "a"\nyears = 0\nsource = "b"', "years is from 1 to 1,000"),
        ('name = "a"\nyears = -1\nsource = "b"', "years is from 1"),
        ("name =", "is no TOML"),
        ('name = "pa-table-games"\nyears = 1\nsource = "b"', "pa-table-games is built in"),
        ('name = "PA-table-games "\nyears = 1\nsource = "b"', "is built in"),
    ],
)
def test_a_bad_policy_is_one_line(tmp_path, text, words):
    path = tmp_path / "policy.toml"
    path.write_text(text)
    with pytest.raises(BadPolicy, match=words):
        read_policy(str(path))


def test_a_policy_of_ones_own_counts(house, tmp_path, later):
    path = tmp_path / "long.toml"
    path.write_text('name = "long"\nyears = 30\nsource = "our own"\n')
    shown = pitledger(
        "retention", "show", house.archive, "--policy", "pa-table-games", "--policy", path, "--json"
    ).json
    assert (shown["policy"], shown["years"]) == ("long", 30)
    assert {leaf["state"] for leaf in shown["leaves"]} == {"within its term"}


def test_no_command_shortens_the_houses_own_term(house, tmp_path, later, monkeypatch):
    path = tmp_path / "short.toml"
    path.write_text('name = "short"\nyears = 1\nsource = "our own"\n')
    monkeypatch.setattr("services.cli.retention._today", lambda: date(2028, 1, 1))
    assert _delete(house, "--yes", "--json", policy=path).json["entries"] == []
    assert pitledger("retention", "show", house.archive, "--json").json["policy"] == POLICY.name
    monkeypatch.setenv("PITLEDGER_RETENTION", f"{path}")
    assert _delete(house, "--json", policy=path).json["entries"]
    monkeypatch.setenv("PITLEDGER_RETENTION", f"{path}, pa-interactive")
    assert pitledger("retention", "show", house.archive, "--json").json["years"] == 10
    monkeypatch.setenv("PITLEDGER_RETENTION", "pa-table-game")
    assert "pa-table-game: is no policy" in _delete(house, "--yes").line


def test_within_its_term_nothing_is_deleted_and_what_must_stay_is_named(house):
    before = house.files()
    told = _delete(house, "--up-to", "2026-12-31", "--yes")
    assert told.code == 1
    assert "/1 of 2026-11-30) is within its term until 2031-11-30" in told.line
    assert _delete(house, "--yes", "--json").json["entries"] == []
    assert house.files() == before


def test_a_day_before_its_end_a_term_is_not_over(house):
    store, size = Folder(house.archive), house.size()
    for today, state in ((date(2031, 11, 29), State.TERM), (AFTER, State.OVER)):
        assert {kept.state for kept in Survey(store, size, POLICY, today).leaves()} == {state}


def test_a_gaming_day_that_is_set_back_shortens_no_term(house):
    first = next(leaf for leaf in _leaves(house) if leaf.HasField("round"))
    first.round.gaming_day = "1990-01-01"
    data = leaf_data(Folder(house.archive), first.sha256, first.length)
    house.add(Leaf(first.SerializeToString(), first.sha256, data))
    *_, last = Survey(Folder(house.archive), house.size(), POLICY, PLAYED).leaves()
    assert (last.leaf.round.gaming_day, last.day, last.state) == ("1990-01-01", PLAYED, State.TERM)


@pytest.mark.parametrize("time_ms", [-1, 0, 1 << 62])
def test_what_has_no_time_of_a_calendar_is_kept(house, time_ms):
    """Kafka says -1 of a message that its producer gave none."""
    record = Stored(0, 10_000, time_ms, b"t", (), b"junk")
    house.add(*remainder_leaves(Remainder(0, 10_000, 10_001, (record,))))
    *_, last = Survey(Folder(house.archive), house.size(), POLICY, AFTER).leaves()
    assert (last.leaf.remainder.first, last.state) == (10_000, State.TERM)


def test_what_is_over_goes_and_the_archive_verifies_as_before(house, later):
    leaves = [key for key in house.files() if key.startswith("leaf/")]
    entries = _delete(house, "--json").json["entries"]
    assert len(entries) > 30
    assert house.files().keys() >= set(leaves)
    done = _delete(house, "--yes", "--json").json
    assert (done["entries"], done["kept"]) == (entries, 0)
    left = {key for key in house.files() if key.startswith("leaf/")}
    assert len(left) == len(leaves) - done["files"] + 1  # and the deletion
    verified = house.verified().json
    assert verified["deleted"] == len(entries)
    assert verified["size"] == house.size()
    said = _leaves(house)[-1]
    deletion = json.loads(leaf_data(Folder(house.archive), said.sha256, said.length))
    assert (said.document.name, deletion["by"]) == ("deletion", "records officer")
    asked = deletion["policy"], deletion["years"], deletion["source"]
    assert asked == ("pa-table-games", 5, "58 Pa. Code 465a.6")
    assert Deleted([Deletion.parse(json.dumps(deletion).encode())])
    assert pitledger("replay", "--all", "--from", house.archive).out.startswith("0 rounds")


def test_an_archive_whose_bytes_went_goes_on(house, later):
    entries = _delete(house, "--yes", "--json").json["entries"]
    assert house.sealed_more().code == 0
    assert house.verified().code == 0
    new = house.size() - len(entries) - 1
    assert 0 < len(_delete(house, "--yes", "--json").json["entries"]) < new


def test_a_mirror_deletes_only_when_it_is_told_to(house, later):
    house.mirrored()
    entries = _delete(house, "--yes", "--json").json["entries"]
    house.mirrored()
    assert house.verified(house.mirror).json["deleted"] == 0
    house.mirrored(None, None, "--with-deletions")
    assert house.verified(house.mirror).json["deleted"] == len(entries)
    assert house.mirrored(None, house.home / "late", "--json").json["deleted"] > 0
    assert house.verified(house.home / "late").json["deleted"] == len(entries)


def test_a_deletion_that_was_stopped_is_finished_by_the_next_one(house, later):
    store, key = Folder(house.archive), SecretKey.parse(house.key.read_text())
    writer = _writer(store, key)
    chosen = list(Survey(store, writer.size, POLICY, AFTER).leaves())
    seal_deletion(writer, [kept.entry for kept in chosen], "2031-11-30T00:00:00Z", "a", "b", POLICY)
    with pytest.raises(StoreError):
        sweep(_DeletesTwo(house.archive), writer.size)
    assert house.verified().code == 0
    store._lock.close()
    done = _delete(house, "--yes", "--json").json
    assert (done["entries"], done["files"]) == ([], len({k.leaf.sha256 for k in chosen}) - 2)
    assert house.verified().json["deleted"] == len(chosen)


@pytest.mark.parametrize("scope", ["--round", "--table", "--gaming-day", "--patron"])
def test_what_is_on_hold_stays_whatever_its_term(house, later, scope):
    rounds = [leaf.round for leaf in _leaves(house) if leaf.HasField("round")]
    value = {
        "--round": rounds[0].round_id,
        "--table": rounds[0].table_id,
        "--gaming-day": rounds[0].gaming_day,
        "--patron": _patron_of(house),
    }[scope]
    hold = pitledger(
        "legal-hold", "place", house.archive, "--by", "counsel", "--reason", "case 1", scope, value
    ).out.strip()
    told = _delete(house, "--up-to", "2026-12-31", "--yes")
    assert told.code == 1
    assert f"is on hold by {hold}" in told.line
    done = _delete(house, "--yes", "--json").json
    held = [leaf for leaf in pitledger("retention", "show", house.archive, "--policy",
                                       "pa-table-games", "--json").json["leaves"]
            if leaf["state"] == "on hold"]  # fmt: skip
    assert held
    assert all(leaf["holds"] == [hold] for leaf in held)
    assert (done["entries"] == []) == (scope == "--gaming-day")
    assert house.verified().code == 0
    assert rounds[0].round_id in pitledger("rounds", "--from", house.archive, "--json").out
    # When it is released, the rest goes
    released = pitledger(
        "legal-hold", "release", house.archive, hold, "--by", "counsel", "--reason", "settled"
    )
    assert released.code == 0
    assert len(_delete(house, "--yes", "--json").json["entries"]) == sum(
        leaf["count"] for leaf in held
    )
    assert house.verified().code == 0


def test_a_round_is_put_on_hold_by_its_table_and_number(house):
    round_ = next(leaf.round for leaf in _leaves(house) if leaf.HasField("round"))
    for name in (f"{round_.table_id}/{round_.round_number}", round_.round_id):
        pitledger("legal-hold", "place", house.archive, "--by", "a", "--reason", "b", "--round",
                  name)  # fmt: skip
    holds = pitledger("legal-hold", "list", house.archive, "--json").json["holds"]
    assert [each["value"] for each in holds] == [round_.round_id] * 2


@pytest.mark.parametrize(
    ("what", "told"),
    [
        (("--table", "saigon-001"), "table saigon-001: 10 sealed rounds; what comes is kept"),
        (("--table", "saigon-01"), "table saigon-01: no round is sealed yet: the hold is placed"),
        (("--gaming-day", "1999-01-01"), "gaming day 1999-01-01: no round is sealed yet"),
        (("--patron", "nobody"), "patron nobody: no round is sealed yet"),
        (("--case", "C-17"), "case C-17: no round is sealed yet"),
        (("--round", NO_ROUND), f"round {NO_ROUND}: no round is sealed yet"),
    ],
)
def test_how_much_a_new_hold_keeps_is_said_so_that_a_mistyped_name_is_seen(house, what, told):
    placed = pitledger("legal-hold", "place", house.archive, "--by", "a", "--reason", "b", *what)
    assert placed.code == 0
    assert placed.err.startswith(f"pitledger: {told}")
    assert placed.err.count("\n") == 1
    (hold,) = pitledger("legal-hold", "list", house.archive, "--json").json["holds"]
    assert hold["id"] == placed.out.strip()


def test_holds_are_listed_in_the_order_in_which_they_were_placed(house):
    for id_, at in (("b", "2026-01-01"), ("a", "2026-03-01"), ("c", "2026-02-01")):
        said = Statement(id_, f"{at}T00:00:00Z", "by", "why", Scope.TABLE, "saigon-001")
        assert Folder(house.archive).create(said.key, said.data())
    holds = pitledger("legal-hold", "list", house.archive, "--json").json["holds"]
    assert [each["id"] for each in holds] == ["b", "c", "a"]


def test_a_hold_placed_after_a_deletion_was_sealed_keeps_the_bytes(house, later):
    store, key = Folder(house.archive), SecretKey.parse(house.key.read_text())
    writer = _writer(store, key)
    chosen = list(Survey(store, writer.size, POLICY, AFTER).leaves())
    seal_deletion(writer, [kept.entry for kept in chosen], "2031-11-30T00:00:00Z", "a", "b", POLICY)
    pitledger(
        "legal-hold",
        "place",
        house.archive,
        "--by",
        "a",
        "--reason",
        "b",
        "--gaming-day",
        "2026-11-30",
    )
    swept = sweep(store, writer.size)
    assert (swept.files, swept.kept) == (0, len({kept.entry for kept in chosen}))


def test_a_hold_on_a_gaming_day_keeps_what_was_said_of_it_later(house, later):
    posted = AdjustmentPosted(gaming_day="2026-12-20", round_gaming_day="2026-11-30")
    facts = [JournalRecord(case_id="C-17", adjustment_posted=posted), JournalRecord(case_id="C-18")]
    weeks_later = int(datetime(2026, 12, 20, tzinfo=UTC).timestamp() * 1000)
    for offset, fact in enumerate(facts, 10_000):
        record = Stored(0, offset, weeks_later, b"t", (), fact.SerializeToString())
        house.add(*remainder_leaves(Remainder(0, offset, offset + 1, (record,))))
    place = ("legal-hold", "place", house.archive, "--by", "a", "--reason", "b")
    hold = pitledger(*place, "--gaming-day", "2026-11-30").out.strip()
    *_, about_it, other = Survey(Folder(house.archive), house.size(), POLICY, AFTER).leaves()
    assert (about_it.holds, other.holds) == ((hold,), ())


@pytest.mark.parametrize("hold", [("--gaming-day", "2026-11-30"), ("--case", "C-17")])
def test_a_hold_placed_while_a_deletion_runs_keeps_what_no_batch_has_begun(
    house, later, monkeypatch, hold
):
    store, key = Folder(house.archive), SecretKey.parse(house.key.read_text())
    writer = _writer(store, key)
    chosen = list(Survey(store, writer.size, POLICY, AFTER).leaves())
    seal_deletion(writer, [kept.entry for kept in chosen], "2031-11-30T00:00:00Z", "a", "b", POLICY)
    monkeypatch.setattr(deleting, "BATCH", 5)
    asked = []
    unknown_cases = Holding.unknown_cases
    monkeypatch.setattr(
        Holding, "unknown_cases", lambda self: asked.append(1) or unknown_cases(self)
    )
    place = ("legal-hold", "place", house.archive, "--by", "a", "--reason", "b", *hold)
    swept = sweep(_DeletesAndSees(house.archive, 7, lambda: pitledger(*place)), writer.size)
    assert (swept.files, swept.kept) == (10, len({k.leaf.sha256 for k in chosen}) - 10)
    assert len(asked) == 2
    assert house.verified().json["deleted"] == 10


def test_while_a_case_on_hold_is_not_known_nothing_goes(house, later):
    pitledger("legal-hold", "place", house.archive, "--by", "a", "--reason", "b", "--case", "C-17")
    told = _delete(house, "--yes")
    assert told.code == 1
    assert "is on a case of which nothing is sealed yet" in told.line


def test_a_hold_on_a_case_keeps_its_records_and_the_rounds_that_they_name(house, later):
    rounds = [leaf.round for leaf in _leaves(house) if leaf.HasField("round")]
    said = JournalRecord(case_id="C-17", table_id="t", round_id=rounds[3].round_id)
    time_ms = rounds[3].sealed_at_ms
    record = Stored(0, 10_000, time_ms, b"t", (), said.SerializeToString())
    junk = Stored(0, 10_001, time_ms, b"t", (), b"\xff\xffC-17")  # names it, and is no record
    house.add(*remainder_leaves(Remainder(0, 10_000, 10_002, (record, junk))))
    pitledger("legal-hold", "place", house.archive, "--by", "a", "--reason", "b", "--case", "C-17")
    found = Survey(Folder(house.archive), house.size(), POLICY, AFTER)
    assert found.unknown_cases == []
    held = [kept.leaf for kept in found.leaves() if kept.state is State.HELD]
    assert {leaf.round.round_id for leaf in held if leaf.HasField("round")} == {rounds[3].round_id}
    assert [leaf.remainder.first for leaf in held if leaf.HasField("remainder")] == [10_000]
    assert _delete(house, "--yes").code == 0
    assert leaf_data(Folder(house.archive), held[0].sha256, held[0].length)


def test_a_hold_on_a_case_keeps_what_lies_in_remainders_of_the_rounds_that_it_names(house, later):
    """As a round too long for a leaf does."""
    ids = [f"0190aaaa-0000-7000-8000-00000000000{digit}" for digit in range(3)]
    opened = JournalRecord(case_id="C-17")
    opened.dispute_opened.settlement.round_id = ids[1]
    said = [opened, *(JournalRecord(table_id="t", round_id=each) for each in ids)]
    for offset, record in enumerate(said, 10_000):
        data = record.SerializeToString()
        stored = Stored(0, offset, 1_700_000_000_000, b"t", (), data)
        house.add(*remainder_leaves(Remainder(0, offset, offset + 1, (stored,))))
    pitledger("legal-hold", "place", house.archive, "--by", "a", "--reason", "b", "--case", "C-17")
    assert _delete(house, "--yes").code == 0
    store = Folder(house.archive)
    left = [
        leaf.remainder.first
        for leaf in _leaves(house)
        if leaf.HasField("remainder") and leaf.remainder.first >= 10_000
        and store.read(layout.leaf(leaf.sha256))
    ]
    assert left == [10_000, 10_002]


def test_bytes_that_an_entry_that_stays_has_too_stay(house, later):
    store = Folder(house.archive)
    first = next(leaf for leaf in _leaves(house) if leaf.HasField("round"))
    house.add(document_leaf("rules", "text/plain", leaf_data(store, first.sha256, first.length)))
    done = _delete(house, "--yes", "--json").json
    assert done["kept"] == 1
    assert leaf_data(store, first.sha256, first.length)
    assert house.verified().code == 0


def test_holds_are_listed_and_sealed_by_the_next_append(house):
    hold = pitledger(
        "legal-hold",
        "place",
        house.archive,
        "--by",
        "counsel",
        "--reason",
        "case 1",
        "--table",
        "saigon-001",
        "--json",
    ).json["id"]
    listed = pitledger("legal-hold", "list", house.archive, "--json").json["holds"]
    assert [(each["id"], each["scope"], each["released"]) for each in listed] == [
        (hold, "table", None)
    ]
    assert "case 1" in pitledger("legal-hold", "list", house.archive).out
    pitledger("legal-hold", "release", house.archive, hold, "--by", "counsel", "--reason", "done")
    assert pitledger("legal-hold", "list", house.archive).out == "no hold is in force\n"
    assert "released" in pitledger("legal-hold", "list", house.archive, "--all").out
    assert house.sealed_more().code == 0
    sealed = [leaf for leaf in _leaves(house) if leaf.document.name == "hold"]
    assert len(sealed) == 2
    again = pitledger("legal-hold", "release", house.archive, hold, "--by", "x", "--reason", "y")
    assert again.code == 2
    assert "was released" in again.line


def test_a_hold_that_was_sealed_counts_without_its_file(house, later, tmp_path):
    hold = pitledger(
        "legal-hold", "place", house.archive, "--by", "a", "--reason", "b", "--table", "saigon-001"
    ).out.strip()
    assert _delete(house, "--yes").code == 0  # seals it, too
    (house.archive / "holds" / f"{hold}.json").unlink()
    told = _delete(house, "--up-to", "2026-12-31", "--yes")
    assert f"is on hold by {hold}" in told.line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("place", "archive", "--by", "a", "--reason", "b"), "name one of"),
        (
            ("place", "archive", "--by", "a", "--reason", "b", "--table", "t", "--round", "r"),
            "name one of",
        ),
        (("place", "archive", "--by", " ", "--reason", "b", "--table", "t"), "say who"),
        (("place", "archive", "--by", "a", "--reason", "b", "--gaming-day", "x"), "is no day"),
        (("place", "archive", "--by", "a", "--reason", "b", "--round", "t/1"), "t/1"),
        (("place", "archive", "--by", "a", "--reason", "b", "--table", "\udcff"), "is not UTF-8"),
        (("place", "nowhere", "--by", "a", "--reason", "b", "--table", "t"), "is no archive"),
        (("release", "archive", "x", "--by", "a", "--reason", "b"), "no such hold"),
        (("release", "archive", "../x", "--by", "a", "--reason", "b"), "no such hold"),
    ],
)
def test_a_bad_hold_is_one_line_and_nothing_is_written(house, monkeypatch, arguments, words):
    monkeypatch.chdir(house.home)
    before = house.files()
    told = pitledger("legal-hold", *arguments)
    assert told.code == 2
    assert words in told.line
    assert {key: data for key, data in house.files().items() if "index" not in key} == before


def test_a_damaged_hold_stops_everything(house, later):
    (house.archive / "holds").mkdir()
    (house.archive / "holds" / "x.json").write_text("{")
    told = _delete(house, "--yes")
    assert told.code == 2
    assert "holds/x.json: is no legal hold" in told.line


def test_spans_join_where_they_touch():
    assert merged([(3, 4), (1, 1), (2, 2), (7, 9), (8, 8)]) == [(1, 4), (7, 9)]
    deleted = Deleted([Deletion("", "", "", "", ((1, 4), (7, 9)))])
    assert [entry for entry in range(12) if entry in deleted] == [1, 2, 3, 4, 7, 8, 9]


@pytest.mark.parametrize("policy", [(7, "our own"), (None, "")])
def test_a_deletion_is_read_as_it_was_sealed_with_a_policys_years_or_without(policy):
    deletion = Deletion("2031-11-30T00:00:00Z", "a", "b", "c", ((1, 4),), *policy)
    said = json.loads(deletion.leaf().data)
    assert (said.get("years"), said.get("source", "")) == policy
    assert Deletion.parse(deletion.leaf().data) == deletion


@pytest.mark.parametrize("data", [b"", b"{}", b'{"format": 2}', b"[]", b'{"format": 1}'])
def test_what_is_no_deletion_is_none(data):
    with pytest.raises(BadArchive):
        Deletion.parse(data)


class _DeletesTwo(Folder):
    left = 2

    def delete(self, key):
        if not self.left:
            raise StoreError("stopped")
        self.left -= 1
        super().delete(key)


class _DeletesAndSees(Folder):
    """Before its n-th deletion something else happens."""

    def __init__(self, home, n, then):
        super().__init__(home)
        self.n, self.then = n, then

    def delete(self, key):
        self.n -= 1
        if not self.n:
            self.then()
        super().delete(key)


def _leaves(house):
    return list(manifests(Folder(house.archive), house.size()))


def _writer(store, key):
    return LogWriter(store, key, About.parse(store.read("log.json")))


def _patron_of(house):
    """Of the first round's first seat."""
    leaf = next(leaf for leaf in _leaves(house) if leaf.HasField("round"))
    data = leaf_data(Folder(house.archive), leaf.sha256, leaf.length)
    opened = JournalRecord.FromString(next(iter(messages_from(data))).value)
    return opened.round_opened.seats[0].patron_id
