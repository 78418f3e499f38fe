"""What an account says of a round: all of it read from the record."""

from dataclasses import replace

import pytest

from pitledger.archive.leaves import round_leaf
from pitledger.journal.record import JournalRecord
from pitledger.pb.decisions_pb2 import Totals
from pitledger.processors import evaluation
from services.packet.account import Facts, Hands, Prose, Section, Steps, Table, Tone, texts
from services.packet.compose import account_of
from services.packet.faults import NoPacket
from services.packet.paragraphs import explained
from services.packet.record import read
from tests.golden.rounds import ROUNDS
from tests.kit.house import House
from tests.kit.log import PARTITIONS
from tests.kit.other_build import falsify
from tests.kit.table import SAIGON
from tests.kit.table import Table as Played
from tests.packet.rounds import MAKING, account, golden, played, sealed_of


def section(record, title: str) -> Section:
    return next(each for each in account(record).sections if each.title.startswith(title))


def said(record, title: str) -> list[str]:
    return list(texts(section(record, title)))


def table(record, title: str, caption: str) -> Table:
    blocks = [b for b in section(record, title).blocks if isinstance(b, Table)]
    return next(block for block in blocks if block.caption.startswith(caption))


def row(cells) -> list[str]:
    return [" / ".join(cell.lines) for cell in cells]


@pytest.mark.parametrize("name", ROUNDS)
def test_each_golden_round_has_an_account_that_says_it_is_identical(name):
    told = account(golden(name))

    assert told.notices[0].tone is Tone.GOOD
    assert "byte for byte" in told.notices[0].text


def test_its_head_has_what_every_report_prints():
    """13 Miss. Code R. 8-4-14."""
    head = dict(account(golden("saigon_example_of_the_regulation")).head.items)

    assert head["Report"] == "Account of a round, for a dispute"
    assert head["Software"] == "pitledger 0.1.0+abcd"
    assert head["Made"] == "2027-01-15 08:00:00.000000 UTC"
    assert head["Period"].startswith("2027-01-15 08:00:00.001000 UTC to 2027-01-15 08:00:00.0")


def test_the_example_of_the_regulation_is_paid_line_by_line_with_its_paragraphs():
    record = golden("saigon_example_of_the_regulation")
    lines = {
        tuple(cells[0].lines): cells for cells in table(record, "Settlement", "Settlement").rows
    }

    why, stake, profit, returned, cites = lines["Position 1", "Ante"][1:]
    assert why.lines[1:] == ("25.00 USD × 1 = 25.00 USD", "25.00 USD + 25.00 USD = 50.00 USD")
    assert (stake.lines, profit.lines, returned.lines) == (
        ("25.00 USD",), ("+25.00 USD",), ("50.00 USD",))
    assert "680a.12(a)" in cites.cites


def test_rounding_is_shown_with_what_was_rounded():
    record = golden("saigon_half_pay_on_an_odd_stake")

    arithmetic = [text for text in said(record, "Settlement") if "÷" in text]

    assert arithmetic == [
        "5.01 USD × 1 ÷ 2 = 2.505 USD, rounded down to a multiple of 0.01 USD: 2.50 USD"
    ]


def test_a_payout_limit_is_shown_with_what_it_takes():
    record = golden("saigon_five_aces_meet_the_payout_limit")

    assert any("payout limit takes" in text for text in said(record, "Settlement"))


def test_positions_house_and_pot_sum_to_zero():
    for name in ROUNDS:
        record = golden(name)
        sums = [text for text in said(record, "Settlement") if "together" in text]
        assert len(sums) == 1
        assert sums[0].endswith("together 0.00 USD.")


@pytest.mark.parametrize("field", ["uncut_profit_minor", "profit_minor", "returned_minor"])
def test_a_line_that_does_not_add_up_has_no_account(field):
    record = golden("saigon_example_of_the_regulation")
    changed = _with_line(record, field)

    with pytest.raises(NoPacket, match=r"does not add up|totals"):
        account(changed)


@pytest.mark.parametrize("field", [f.name for f in Totals.DESCRIPTOR.fields])
def test_totals_that_are_not_the_sums_of_their_lines_have_no_account(field):
    record = golden("saigon_pot_shared_by_three_with_a_remainder")
    changed = _with_booked(record, lambda settled: _raise(settled.totals, field))

    with pytest.raises(NoPacket, match="totals are not the sums"):
        account(changed)


def test_shares_that_are_not_the_pot_have_no_account():
    record = golden("saigon_pot_shared_by_three_with_a_remainder")
    changed = _with_booked(record, lambda settled: _raise(settled.pot.shares[0], "amount_minor"))

    with pytest.raises(NoPacket, match="do not sum to the Pot"):
        account(changed)


def _raise(message, field: str) -> None:
    setattr(message, field, getattr(message, field) + 1)


def _with_line(record, field: str):
    """The same record, with one figure of a booked line that won one unit higher."""
    return _with_booked(
        record,
        lambda settled: _raise(next(line for line in settled.lines if line.odds.win), field),
    )


def _with_booked(record, change):
    """The same record, with its RoundSettled changed."""
    booked = next(entry for entry in record.entries if entry.body == "round_settled")
    kept = JournalRecord.FromString(booked.record.SerializeToString())
    change(kept.round_settled)
    changed = replace(booked, record=kept)
    entries = [changed if entry is booked else entry for entry in record.entries]
    return replace(record, entries=tuple(entries))


def test_shares_of_the_pot_are_shown_and_sum_to_it():
    record = golden("saigon_pot_shared_by_three_with_a_remainder")
    pot = next(b for b in section(record, "Settlement").blocks if isinstance(b, Facts))

    assert pot.items[0] == ("The Pot", "40.12 USD")
    assert [value for name, value in pot.items if name.startswith("Share")] == [
        "13.38 USD", "13.37 USD", "13.37 USD"]


def test_payments_are_told_as_they_were_recorded():
    record = golden("saigon_card_corrected_after_the_exposure")

    rows = [row(cells) for cells in table(record, "Settlement", "Payments").rows]

    assert rows == [["23", "Position 1 / Ante", "+10.00 USD", "terminal"]]


def test_refusals_have_their_reason():
    record = golden("saigon_misset_foul_and_late_requests")
    answers = [
        cells[-1] for cells in table(record, "Wagers", "What was asked").rows
        if cells[-1].tone is Tone.REFUSED
    ]

    reasons = " ".join(line for answer in answers for line in answer.lines)
    assert "the circle would be above its maximum" in reasons
    assert "a verbal wager with cash is not accepted" in reasons
    assert any(answer.cites for answer in answers)
    for answer in answers:  # a paragraph is a link, and stands there once
        assert not any(cite in line for cite in answer.cites for line in answer.lines)


def test_cards_are_told_in_the_order_of_the_deal_with_their_owners():
    """58 Pa. Code 680a.11(g)."""
    record = golden("saigon_example_of_the_regulation")
    rows = [row(cells)[:3] for cells in table(record, "Cards in the order", "Each card").rows]

    assert rows[:3] == [
        ["1", "Joker", "position 1"], ["2", "K♣", "position 2"], ["3", "Q♣", "the dealer"]]
    assert len(rows) == 15


def test_a_packets_cards_have_the_ordinals_of_their_packet():
    record = golden("saigon_nobody_qualifies")
    rows = [row(cells)[:3] for cells in table(record, "Cards in the order", "Each card").rows]

    assert rows[4:6] == [["5", "3♥", "position 2"], ["6", "A♥", "position 6"]]


def test_a_corrected_card_is_told_as_read_and_as_it_was():
    record = golden("saigon_card_corrected_after_the_exposure")
    rows = {cells[0].lines[0]: cells for cells in
            table(record, "Cards in the order", "Each card").rows}

    assert rows["13"][1].lines == ("K♠",)
    assert rows["13"][4].lines[0] == "read as 5♣"
    assert "it was K♠" in rows["13"][4].lines[1]


def test_a_revision_is_told_with_its_cause_and_with_each_line_that_it_changed():
    record = golden("saigon_card_corrected_after_the_exposure")
    changed = table(record, "Revisions", "From revision 2 to 3")

    assert [row(cells)[0] for cells in changed.rows] == ["Position 1 / Ante"]
    assert row(changed.rows[0])[3:] == ["20.00 USD", "0.00 USD"]
    assert any("card 13 was K♠: camera" in text for text in said(record, "Revisions"))


def test_irregularities_rulings_and_voids_are_told_with_who():
    record = golden("saigon_dead_hand_and_abandoned_hand")
    rows = [row(cells) for cells in table(record, "Irregularities", "Out of").rows]

    what = [cells[1] for cells in rows]
    assert what[:3] == ["Irregularity reported", "Void ordered", "Player left"]
    assert "authorised by s1" in rows[1][2]
    assert rows[1][3] == "terminal"


def test_a_void_round_returns_every_stake_and_says_so_at_the_top():
    record = golden("saigon_void_after_the_payout")

    assert any(notice.title == "The round is void" for notice in account(record).notices)
    assert any("every stake that stood goes back" in text for text in said(record, "Settlement"))


def test_the_next_opening_that_ended_a_round_is_told_as_such():
    record = golden("saigon_console_forgot_the_close", 1)
    steps = next(b for b in section(record, "Step by step").blocks if isinstance(b, Steps))

    assert "the table's next round: it ended this one" in [step.remark for step in steps.steps]


def test_each_record_is_a_step_with_both_clocks():
    record = golden("hi_lo_two_adjacent_hands_of_one_patron")
    steps = next(b for b in section(record, "Step by step").blocks if isinstance(b, Steps)).steps

    assert [step.where for step in steps] == [str(e.stored.offset) for e in record.entries]
    assert all(step.when[1].startswith("broker 2027-01-15") for step in steps)
    assert all(step.lines for step in steps)


def test_house_rulings_are_marked_where_they_were_used_and_in_the_rules():
    record = golden("saigon_pot_shared_by_three_with_a_remainder")
    used = table(record, "Settlement", "Settlement").rows[-1][1]
    settings = table(record, "Rules in force", "The submission").rows

    assert used.house.startswith("House rulings: ")
    assert "pot remainder: first in settlement order" in used.house
    assert ("pot remainder", "first in settlement order", "house") in {
        tuple(row(cells)) for cells in settings}


def test_house_rulings_on_a_hand_are_marked_as_those_of_a_line():
    blocks = section(golden("saigon_misset_foul_and_late_requests"), "Hands").blocks
    hands = [hand for block in blocks if isinstance(block, Hands) for hand in block.hands]

    ruled = "House rulings: player split: as set; misset hand: cards speak"
    assert ruled in {hand.house for hand in hands}
    assert not any("rulings" in line for hand in hands for line in hand.words)


def test_what_is_cited_is_in_the_glossary_in_words():
    for name in ROUNDS:
        told = account(golden(name))
        cited = {
            cite for s in told.sections for b in s.blocks if isinstance(b, Table)
            for cells in (*b.rows, *b.sums) for cell in cells for cite in cell.cites
        }
        assert all("no words" not in explained(cite) for cite in cited), name
        glossary = "".join(texts(told.sections[-1]))
        assert all(cite in glossary for cite in cited), name


def test_a_round_that_was_sealed_by_a_build_that_judged_otherwise_says_so_first(monkeypatch):
    true = evaluation.hands_evaluated

    def otherwise(*arguments):
        judged = true(*arguments)
        falsify(judged)
        return judged

    table_ = Played(SAIGON).to_dealt()
    table_.set_all()
    table_.expose()
    table_.close_round()
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "hands_evaluated", otherwise)
        sealed = sealed_of(House(table_).run().log.all())
    record = read(round_leaf(sealed[0]).data, sealed[0].opened.event_id, PARTITIONS)

    notice = account(record).notices[0]

    assert notice.tone is Tone.BAD
    assert notice.title == "This record is not what its facts derive"
    assert "HandsEvaluated at offset" in notice.text


def test_a_round_without_any_wager_has_an_account():
    table_ = Played(SAIGON)
    table_.open(())
    table_.no_more_bets()
    table_.close_table()

    told = account(played(table_))

    assert any(isinstance(b, Prose) and b.text == "Nobody was seated."
               for s in told.sections for b in s.blocks)


def test_a_round_whose_rules_are_no_submission_has_an_account():
    table_ = Played(SAIGON)
    table_.open((1,), submission=b"\xff\xff", submission_digest=b"")
    table_.wager(1, ante=1000)
    table_.close_table()

    told = list(texts(account(played(table_))))

    assert "The round opened with bytes that are no submission." in told


def test_what_was_deleted_about_a_round_is_told():
    record = golden("saigon_example_of_the_regulation")

    told = list(texts(account_of(record, replace(MAKING, gone=2))))

    assert any("2 entries that held records about this round" in text for text in told)


def test_a_request_for_nothing_names_no_wager():
    table_ = Played(SAIGON)
    table_.open((1,))
    table_.wager(1)
    table_.wager(1, ante=1000)
    table_.void()

    rows = [row(cells) for cells in table(played(table_), "Wagers", "What was asked").rows]

    assert [cells[2] for cells in rows] == ["none named", "Ante"]
