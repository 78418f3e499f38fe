"""`pitledger whatif`: one round, many rounds, from a file and from an archive; and bad input."""

import json
import re

import pytest

from pitledger.games.submission import to_toml
from pitledger.sources.file import write_file
from pitledger.sources.submissions import load_submission
from services.simulation import simulate
from tests.kit.log import Log
from tests.kit.table import SAIGON, Table


@pytest.fixture(scope="module")
def journal(tmp_path_factory):
    path = tmp_path_factory.mktemp("journals") / "plain.pit"
    simulate(("saigon5", "five_card_hi_lo"), 2, 30, 7, False, path)
    return path


@pytest.fixture
def archive(pitledger, journal, tmp_path):
    assert pitledger("keys", "new", "casino.example/floor", "-o", tmp_path / "key").code == 0
    sealed = pitledger(
        "archive", "--from", journal, "-o", tmp_path / "archive", "--key", tmp_path / "key"
    )
    assert sealed.code == 0, sealed.err
    return tmp_path / "archive"


@pytest.fixture
def what_if(pitledger, journal):
    """Run `pitledger whatif` and read its JSON."""

    def call(*arguments, source=journal):
        ended = pitledger("whatif", "--from", source, "--json", *arguments)
        assert ended.code == 0, ended.err
        return json.loads(ended.out)

    return call


def test_a_round_is_shown_line_by_line_with_what_changed_first(pitledger, journal, what_if):
    before = journal.read_bytes()
    name = some_round(what_if, "poker_bonus_table=B")
    ended = pitledger("whatif", name, "--from", journal, "--set", "poker_bonus_table=B")
    assert ended.code == 0
    assert ended.out.startswith("What if: HYPOTHETICAL.")
    assert "supposed  poker_bonus_table.lowest_pair: 6 -> 7" in ended.out
    assert "first to change: PayoutDue by settlement" in ended.out
    assert re.search(r"position \d .* Poker Bonus: [+-][\d.,]+ USD for the player", ended.out)
    assert "663a.7(e)(2)" in ended.out
    assert journal.read_bytes() == before


@pytest.mark.parametrize("sets", ["ante_odds=1:2", "ante_odds=2:1"])
def test_a_difference_has_its_sign_of_one_round_as_of_many(pitledger, journal, what_if, sets):
    """Given odds of which the house gains, or loses."""
    name = some_round(what_if, sets)
    one, many = (
        pitledger("whatif", *which, "--from", journal, "--set", sets).out.splitlines()
        for which in ((name,), ("--all",))
    )
    [of_one] = [line.rpartition(": ")[2] for line in one if line.startswith("house's net:")]
    [of_many] = [line for line in many if name in line]
    assert f"the house {of_one} " in of_many
    for line in many:
        if line.startswith(" all "):
            assert re.search(r" ([+-][\d,]+\.\d\d|0\.00) USD *$", line)


@pytest.mark.parametrize(("sets", "told"), [
    ("posted.ante.max=100000000", "posted.ante.max=100000000 (minor units)"),
    ("ante_odds=2:1", "ante_odds=2:1"),
])
def test_of_a_limit_over_many_rounds_the_unit_is_said(pitledger, journal, sets, told):
    ended = pitledger("whatif", "--all", "--from", journal, "--set", sets)
    assert f"supposed  {told}\n" in ended.out


def some_round(what_if, *sets):
    """A round whose money would be other."""
    options = [part for one in sets for part in ("--set", one)]
    return what_if("--all", *options)["biggest"][0]["round_id"]


def test_the_same_as_json_says_that_it_is_hypothetical_and_adds_up(what_if):
    name = some_round(what_if, "poker_bonus_table=B")
    told = what_if(name, "--set", "poker_bonus_table=B")
    assert told["hypothetical"] is True
    assert {one["name"] for one in told["supposed"]} > {"poker_bonus_table.lowest_pair"}
    moved = sum(line["difference_minor"] for line in told["lines"])
    assert moved == told["totals"]["positions_net_minor"]["difference"]
    assert moved == -told["totals"]["house_net_minor"]["difference"]
    assert told["first_changed"]["type"] == "PayoutDue"


def test_many_rounds_are_the_sum_of_each(pitledger, journal, what_if):
    many = what_if("--all", "--set", "poker_bonus_table=B", "--set", "pot_eligibility=qualifiers")
    listed = json.loads(pitledger("rounds", "--from", journal, "--json").out)["rounds"]
    assert many["rounds"] == len(listed)
    assert many["not_judged"] == 0
    (total,) = many["totals"]["in_all"]
    assert total["house_was_minor"] == sum(row["house_net"] for row in listed)
    each, differing = 0, 0
    for row in listed:
        own = "poker_bonus_table=B" if row["game"] != "saigon5" else "pot_eligibility=qualifiers"
        told = what_if(row["round_id"], "--set", own)
        each += told["totals"]["house_net_minor"]["difference"]
        differing += any(line["difference_minor"] for line in told["lines"])
    assert (total["difference_minor"], many["changed"]) == (each, differing)
    for group in ("wager", "table", "gaming_day"):
        assert sum(row["difference_minor"] for row in many["totals"][group]) == each


def test_an_archive_answers_as_the_journal_does(what_if, archive):
    options = ("--set", "poker_bonus_table=B", "--set", "pot_eligibility=qualifiers")
    for chosen in (("--all",), ("--table", "hilo-002"), ("--gaming-day", "2026-11")):
        ours = what_if(*chosen, *options, source=archive)
        assert without_rate(what_if(*chosen, *options)) == without_rate(ours)
    name = some_round(what_if, *options[1::2])
    of_file, of_archive = what_if(name), what_if(name, source=archive)
    assert of_file == of_archive


def without_rate(told):
    return {key: value for key, value in told.items()
            if key not in ("seconds", "rounds_per_second", "processes")}


def test_a_day_and_a_table_choose_rounds(what_if):
    all_rounds = what_if("--all")["rounds"]
    assert what_if("--gaming-day", "2026-11-30")["rounds"] == all_rounds
    tables = what_if("--all")["totals"]["table"]
    for row in tables:
        assert what_if("--table", row["name"])["rounds"] == row["rounds"]
    assert what_if("--table", tables[0]["name"], "--gaming-day", "2026-11-30")["rounds"] > 0


def test_nothing_supposed_over_all_rounds_changes_nothing(what_if):
    told = what_if("--all")
    assert (told["derived_otherwise"], told["changed"], told["biggest"]) == (0, 0, [])


def test_another_submission_as_a_whole(what_if, tmp_path):
    """Its own text names table B; a setting may be changed on top of it."""
    own = load_submission("high-first", "five_card_hi_lo").message
    own.positions = 9
    path = tmp_path / "b.toml"
    path.write_text(to_toml(own))
    told = what_if("--all", "--rules", path)
    assert told["derived_otherwise"] > 0
    on_top = what_if("--all", "--rules", path, "--set", "ante_odds=2:1")
    differences = [t["totals"]["in_all"][0]["difference_minor"] for t in (told, on_top)]
    assert differences[1] < differences[0]


def test_rounds_that_cannot_be_judged_are_counted_with_the_reason_and_in_no_sum(
    what_if, pitledger, journal
):
    """With another Pot posted nobody's chips in it are the right amount: nobody would play."""
    told = what_if("--all", "--set", "posted.pot_amount=333")
    assert told["reasons"] == {"no payout would be due when it was closed": told["not_judged"]}
    assert told["not_judged"] > 0
    judged = told["totals"]["in_all"][0]["rounds"]
    assert judged + told["not_judged"] == told["rounds"]
    assert f" not judged: the sums are over the other {judged}\n" in pitledger(
        "whatif", "--from", journal, "--all", "--set", "posted.pot_amount=333").out


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ([], "whatif: give one ROUND, or --gaming-day, --table or --all"),
        (["hilo-002/1", "--all"], "whatif: give one ROUND, or --gaming-day, --table or --all"),
        (["--all", "--table", "x"], "whatif: --all is all rounds"),
        (["nowhere/7"], "nowhere/7: no such round in"),
        (["--all", "--set", "3.card2=8c"], "3.card2: is of one ROUND; of many, rules and posted"),
        (["--all", "--set", "tie_pairs=maybe"], 'tie.tie_pairs: found "maybe"'),
        (["--all", "--set", "posted.ante.max=50.00"], "minor units: 5000, where the currency"),
        (["--all", "--set", "poker_bonus_table=Z"], 'poker_bonus_table: found "Z"; allowed: "A"'),
        (["--all", "--rules", "/nowhere.toml"], "/nowhere.toml: no such file"),
        (["--table", "nowhere"], "table nowhere: no round was played"),
        (["hilo-002/1", "--rules", "saigon5-default"], "saigon5-default: submission.game: found"),
        (["hilo-002/1", "--set", "1.crad2=8c"], "1.crad2: no such name; near it: 1.card2"),
    ],
)
def test_bad_input_is_told_in_one_line_and_nothing_is_printed(pitledger, journal, arguments, line):
    ended = pitledger("whatif", "--from", journal, *arguments)
    assert line in ended.line
    assert ended.out == ""


def test_a_round_that_is_still_open_is_compared_by_the_payout_that_is_due(what_if, tmp_path):
    table = Table(SAIGON, log=Log(48))
    table.to_payout((1, 2), "Tc Td Th 4c 5c", "7c 6d 7h 8s 9d", "Qc Qd Qh 2c 2d")
    write_file(tmp_path / "open.pit", table.log.all())
    told = what_if("T1/1", "--set", "1.wager.ante=20.00", source=tmp_path / "open.pit")
    assert told["state"] == {"was": "due", "would_be": "due"}
    # 4 and 5 show 9, the dealer's 2 and 2 show 4: the Ante wins even money.
    assert [line["difference_minor"] for line in told["lines"] if not line["same"]] == [1000]
    many = what_if("--all", source=tmp_path / "open.pit")
    assert (many["rounds"], many["still_open"]) == (0, 1)
