"""`pitledger adjudicate`: rounds worked out by hand, golden output, lines of rounds."""

import json
from pathlib import Path

import pytest

from pitledger.sources.submissions import read_text

EXAMPLES = Path(__file__).parents[2] / "golden" / "adjudicate"
NAMES = sorted(path.stem for path in EXAMPLES.glob("*.json") if "." not in path.stem)

BY_HAND = {
    # Joker as 9, 5 and 6 are 20; 8 and 2 show 10. K K 4 3 9 has no three of 10, 20 or 30.
    "saigon5-regulation-example": (
        -2000,
        [
            (1, "ante", "win", 2500, ["680a.11(d)(1)(ii)(A)", "680a.12(a)"]),
            (1, "bonus", "lose", -500, ["680a.11(e)(1)"]),
            (1, "pot", "win", 0, ["680a.11(f)"]),
        ],
    ),
    # Dealer K Q J = 30, 4 2 show 6; players show 6, 5, 8, 8 and an unqualified 5. The Pot of 1,665
    # is split by positions 4 and 3, the odd unit to the first in settlement order.
    "saigon5-pot-split": (
        -201,
        [
            (5, "ante", "lose", -600, ["680a.11(d)(2)(i)"]),
            (4, "ante", "win", 500, ["680a.11(d)(2)(ii)(B)", "680a.12(a)"]),
            (3, "ante", "win", 1001, ["680a.11(d)(2)(ii)(B)", "680a.12(a)"]),
            (3, "bonus", "win", 2100, ["680a.11(e)(2)", "680a.6(c)", "680a.12(c)"]),
            (2, "ante", "lose", -2500, ["680a.11(d)(2)(ii)(A)"]),
            (1, "ante", "return", 0, ["680a.11(d)(2)(ii)(C)"]),
            (1, "bonus", "lose", -300, ["680a.11(e)(1)"]),
            (5, "pot", "lose", -333, ["680a.11(f)"]),
            (4, "pot", "win", 500, ["680a.11(f)"]),
            (3, "pot", "win", 499, ["680a.11(f)"]),
            (2, "pot", "lose", -333, ["680a.11(f)"]),
            (1, "pot", "lose", -333, ["680a.11(f)"]),
        ],
    ),
    # 8 and 7 show 5, above the dealer's 3 and A = 4: half of 2,501, rounded up by policy.
    "saigon5-point-count-five": (
        -1251,
        [(3, "ante", "win", 1251, ["680a.11(d)(2)(ii)(B)", "680a.12(b)"])],
    ),
    # No three cards of any hand make 10, 20 or 30; the Pot is for those who qualify.
    "saigon5-nobody-qualifies": (
        0,
        [
            (2, "ante", "return", 0, ["680a.11(d)(1)(i)"]),
            (1, "ante", "return", 0, ["680a.11(d)(1)(i)"]),
            (2, "pot", "return", 0, ["680a.11(f)"]),
            (1, "pot", "return", 0, ["680a.11(f)"]),
        ],
    ),
    # 5,000 + 25,000,000 of profit cut to 5,000,000 pro rata: 999 and 4,999,000, one unit left.
    "saigon5-payout-limit": (
        -5_000_000,
        [
            (6, "ante", "win", 1000, ["680a.11(d)(1)(ii)(A)", "680a.12(a)"]),
            (6, "bonus", "win", 4_999_000, ["680a.11(e)(2)", "680a.6(c)", "680a.12(c)"]),
        ],
    ),
    # Dealer's best by scores: K 9 2 = 21 over 8 7 = 15. Position 1: 21 and 16; position 2: 20, 14.
    "five_card_hi_lo-tie": (
        1200,
        [
            (2, "ante", "lose", -1500, ["663a.7(d)"]),
            (2, "tie", "lose", -300, ["663a.7(e)(1)"]),
            (2, "poker_bonus", "win", 200, ["663a.7(e)(2)"]),
            (1, "ante", "return", 0, ["663a.7(d)"]),
            (1, "tie", "win", 500, ["663a.7(e)(1)"]),
            (1, "poker_bonus", "lose", -100, ["663a.7(e)(2)"]),
        ],
    ),
    # K K 5 = 25 is over 21 though 5 3 2 was there: foul. The pair of kings still pays.
    "five_card_hi_lo-foul": (
        2000,
        [
            (4, "ante", "lose", -2500, ["663a.7(d)"]),
            (4, "tie", "lose", -500, ["663a.7(e)(1)"]),
            (4, "poker_bonus", "win", 1000, ["663a.7(e)(2)"]),
        ],
    ),
    # Not set: A J Q = 21 over K 9 = 19 by scores (33). Dealer: 2 3 4 = 9 over 6 8 = 14.
    "five_card_hi_lo-house-way": (
        -4500,
        [(1, "ante", "win", 5000, ["663a.7(d)"]), (1, "tie", "lose", -500, ["663a.7(e)(1)"])],
    ),
}


@pytest.mark.parametrize("name", NAMES)
def test_an_example_comes_out_as_worked_out_by_hand(pitledger, name):
    result = json.loads(pitledger("adjudicate", EXAMPLES / f"{name}.json").out)

    house_net, lines = BY_HAND[name]
    assert [
        (line["position"], line["wager"], line["outcome"], line["profit"], line["cites"])
        for line in result["lines"]
    ] == lines
    assert result["house_net"] == house_net
    assert all(line["profit"] == line["returned"] - line["stake"] for line in result["lines"])


@pytest.mark.parametrize("name", NAMES)
def test_an_example_comes_out_as_recorded(pitledger, name):
    ended = pitledger("adjudicate", EXAMPLES / f"{name}.json")

    assert ended.code == 0
    assert ended.err == ""
    assert json.loads(ended.out) == json.loads((EXAMPLES / f"{name}.result.json").read_text())


def test_a_hand_that_is_not_set_is_set_by_the_house_way(pitledger):
    result = json.loads(pitledger("adjudicate", EXAMPLES / "five_card_hi_lo-house-way.json").out)

    (hand,) = result["hands"]
    assert (hand["high_total"], hand["low_total"], hand["set_by"]) == (21, 19, "rule")


def test_standard_input_is_read_for_a_dash(pitledger):
    path = EXAMPLES / "saigon5-regulation-example.json"

    by_dash = pitledger("adjudicate", "-", "--json", stdin=path.read_bytes())

    assert by_dash == pitledger("adjudicate", path)


def test_lines_of_rounds_give_lines_of_results_in_their_order(pitledger):
    rounds = [json.loads((EXAMPLES / f"{name}.json").read_text()) for name in NAMES]
    lines = "\n\n".join(json.dumps(one) for one in rounds)

    ended = pitledger("adjudicate", "-", "--jsonl", stdin=lines)

    assert ended.code == 0
    results = [json.loads(line) for line in ended.out.splitlines()]
    assert [result["house_net"] for result in results] == [BY_HAND[name][0] for name in NAMES]


def test_a_bad_line_is_named_and_what_stands_before_it_is_printed(pitledger):
    good = json.dumps(json.loads((EXAMPLES / "saigon5-regulation-example.json").read_text()))

    ended = pitledger("adjudicate", "-", "--jsonl", stdin=f"{good}\n\n{{\n{good}\n")

    assert ended.line.startswith("standard input: line 3: not JSON")
    assert len(ended.out.splitlines()) == 1


def test_lines_without_a_round_are_bad_input(pitledger):
    ended = pitledger("adjudicate", "-", "--jsonl", stdin="\n \n")

    assert ended.line == "standard input: empty: one round a line is needed"


def test_a_byte_order_mark_is_no_fault(pitledger):
    text = (EXAMPLES / "saigon5-regulation-example.json").read_bytes()

    assert pitledger("adjudicate", "-", stdin=b"\xef\xbb\xbf" + text).code == 0


def test_a_submissions_path_is_relative_to_where_one_stands(pitledger, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = read_text("saigon5-default").replace('ante_odds = { value = "1:1"',
                                                'ante_odds = { value = "3:1"')
    (tmp_path / "mine.toml").write_text(text)
    round_ = json.loads((EXAMPLES / "saigon5-regulation-example.json").read_text())

    ended = pitledger("adjudicate", "-", stdin=json.dumps(round_ | {"submission": "mine.toml"}))

    assert json.loads(ended.out)["lines"][0]["profit"] == 7500


def test_two_rounds_of_one_run_keep_their_own_policies(pitledger):
    round_ = json.loads((EXAMPLES / "saigon5-point-count-five.json").read_text())
    rounds = [round_ | {"policies": {"payout_rounding": way}} for way in ("up", "down", "up")]

    ended = pitledger("adjudicate", "-", "--jsonl", stdin="\n".join(map(json.dumps, rounds)))

    profits = [json.loads(line)["lines"][0]["profit"] for line in ended.out.splitlines()]
    assert profits == [1251, 1250, 1251]
