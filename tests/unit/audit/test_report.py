"""The audit in words."""

from dataclasses import replace

from pitledger.audit import AuditReport, Finding, TableMoney, render
from pitledger.words import money

QUIET = AuditReport(
    counts={"facts": 12, "rounds_opened": 3, "rounds_settled": 1, "rounds_voided": 1},
    findings=(),
    foreign=(),
    listed=(),
    open_rounds=(("T1", "r3"),),
    tables=(
        TableMoney("T1", "USD", 1, 1, 1000, 1500, 500, -500, 0),
        TableMoney("T2", "USD", 0, 0, 10, 0, -10, 10, 0),
    ),
)


def test_a_sound_journal_says_so_first_and_shows_rounds_and_money():
    lines = render(QUIET, money=money).splitlines()
    assert lines[0] == "audit: sound"
    assert lines[1].startswith("rounds: 3 opened = 1 settled + 1 voided + ")
    assert "facts: 12" in lines
    assert "run: staked 10.10 USD, returned 15.00 USD, house -4.90 USD" in lines
    assert (
        "table T1: 1 settled, 1 voided, staked 10.00 USD, returned 15.00 USD, positions 5.00 USD,"
        " house -5.00 USD, pot 0.00 USD"
    ) in lines
    assert "open: table T1, round r3" in lines


def test_a_journal_without_a_round_is_said_to_have_none():
    empty = replace(QUIET, counts={"facts": 0}, tables=(), open_rounds=())
    assert render(empty).splitlines()[0] == "audit: sound, without a round"


def test_findings_name_record_table_and_round_and_the_rest_is_counted():
    found = Finding("missing", "T1", "r1", 2, 77, "round_settled is due")
    text = render(replace(QUIET, findings=(found,) * 5), shown=2)
    assert text.startswith("audit: NOT SOUND, 5 findings")
    assert text.count("missing at 2/77, table T1, round r1: round_settled is due") == 2
    assert "finding: and 3 more" in text
