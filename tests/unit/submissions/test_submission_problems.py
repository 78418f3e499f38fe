"""Each thing that can be wrong with a submission has one line that says where, what and instead."""

from importlib import resources

import pytest

from pitledger.games.submission import BadSubmission, parse_submission

FOLDER = resources.files("pitledger.games") / "submissions"
SAIGON5 = (FOLDER / "saigon5-default.toml").read_text()
HI_LO = (FOLDER / "five_card_hi_lo-default.toml").read_text()

HOUSE = 'authority = "house" }'
AUTHORITIES = '"code", "vendor", "house"'
STEPS = "a list of [total up to, score], such as [[11, 3], [21, 22]]"
INSTRUMENTS = 'a list of names in small letters, such as "value_chip"'
AMOUNT = "an integer from 1 to 100000000000"

SAIGON5_CASES = {
    "unknown key, near one": (
        "player_split =", "plyer_split =",
        ["hands: player_split is missing",
         'hands: unknown key "plyer_split"; did you mean "player_split"?']),
    "unknown key, near none": (
        "[pot]", "[pot]\nzzz = 1",
        ['pot: unknown key "zzz"; allowed: pot_eligibility, pot_without_winner, pot_remainder']),
    "unknown key of a table": (
        "min = 500,", "minimum = 500,",
        ['limits.ante_limits: unknown key "minimum"; did you mean "min"?',
         "limits.ante_limits: min is missing"]),
    "unknown key beside a value": (
        "positions = { value = 6,", "positions = { value = 6, note = 1,",
        ['table.positions: unknown key "note"; allowed: value, authority, source']),
    "unknown section, near one": (
        "[payouts]", "[payout]",
        ['unknown section [payout]; did you mean "payouts"?', "section [payouts] is missing"]),
    "unknown section, near none": (
        "[pot]", "[zzz]\n[pot]",
        ["unknown section [zzz]; allowed: submission, table, limits, payouts, hands, pot,"
         " bonus_pay_table"]),
    "setting outside its section": (
        "[submission]", f'positions = {{ value = 6, {HOUSE}\n[submission]',
        ["positions: belongs into section [table]"]),
    "setting in another section": (
        "[pot]", f'[pot]\nwager_unit = {{ value = 1, {HOUSE}',
        ["pot.wager_unit: belongs into section [table]"]),
    "missing key": (
        f"positions = {{ value = 6, {HOUSE}", "", ["table: positions is missing"]),
    "missing value": (
        "positions = { value = 6,", "positions = {", ["table.positions: value is missing"]),
    "missing authority": (
        'value = "as_set", authority = "house"', 'value = "as_set"',
        [f"hands.player_split: authority is missing; allowed: {AUTHORITIES}"]),
    "unknown authority": (
        f'"as_set", {HOUSE}', '"as_set", authority = "hose" }',
        [f'hands.player_split.authority: found "hose"; allowed: {AUTHORITIES};'
         ' did you mean "house"?']),
    "authority that is no name": (
        f'"as_set", {HOUSE}', '"as_set", authority = 3 }',
        [f"hands.player_split.authority: found 3; allowed: {AUTHORITIES}"]),
    "code without a section": (
        f'"as_set", {HOUSE}', '"as_set", authority = "code" }',
        ['hands.player_split: authority "code" needs its section,'
         ' such as source = "680a.11(f)"']),
    "code with a source that is no section": (
        f'"as_set", {HOUSE}', '"as_set", authority = "code", source = "the law" }',
        ['hands.player_split: authority "code" needs its section,'
         ' such as source = "680a.11(f)"']),
    "source that is no line": (
        f'"as_set", {HOUSE}', '"as_set", authority = "house", source = "a\\nb" }',
        ['hands.player_split.source: found "a\\nb"; allowed: one line of at most'
         ' 120 characters']),
    "bare value": (
        f'player_split = {{ value = "as_set", {HOUSE}', 'player_split = "as_set"',
        ['hands.player_split: found "as_set"; allowed: a table with value and authority']),
    "bare table": (
        f"card_points = {{ ace = 1, face = 10, {HOUSE.replace('house', 'vendor')}",
        "card_points = 1",
        ["hands.card_points: found 1; allowed: a table with ace, face and authority"]),
    "text where an integer is meant": (
        "positions = { value = 6", 'positions = { value = "6"',
        ['table.positions: found "6"; allowed: an integer from 1 to 9']),
    "fraction where an integer is meant": (
        "positions = { value = 6", "positions = { value = 6.0",
        ["table.positions: found 6.0; allowed: an integer from 1 to 9"]),
    "boolean where an integer is meant": (
        "positions = { value = 6", "positions = { value = true",
        ["table.positions: found true; allowed: an integer from 1 to 9"]),
    "integer where a boolean is meant": (
        "adjacent_positions = { value = false", "adjacent_positions = { value = 0",
        ["table.adjacent_positions: found 0; allowed: true or false"]),
    "date where a choice is meant": (
        'payout_rounding = { value = "down"', "payout_rounding = { value = 2020-01-02",
        ['payouts.payout_rounding: found 2020-01-02; allowed: "down", "up", "nearest"']),
    "table where a choice is meant": (
        'payout_rounding = { value = "down"', "payout_rounding = { value = {}",
        ['payouts.payout_rounding: found a table; allowed: "down", "up", "nearest"']),
    "more hands than the deck has": (
        "positions = { value = 6", "positions = { value = 10",
        ["table.positions: found 10; allowed: an integer from 1 to 9"]),
    "no positions": (
        "positions = { value = 6", "positions = { value = 0",
        ["table.positions: found 0; allowed: an integer from 1 to 9"]),
    "unknown choice": (
        'value = "as_set"', 'value = "as_sett"',
        ['hands.player_split: found "as_sett"; allowed: "as_set", "best";'
         ' did you mean "as_set"?']),
    "unspecified choice": (
        'value = "as_set"', 'value = "unspecified"',
        ['hands.player_split: found "unspecified"; allowed: "as_set", "best"']),
    "odds of zero": (
        'ante_odds = { value = "1:1"', 'ante_odds = { value = "0:1"',
        ['payouts.ante_odds: found "0:1"; allowed: odds like "3:2",'
         ' each side from 1 to 1000000']),
    "odds to zero": (
        'ante_odds = { value = "1:1"', 'ante_odds = { value = "1:0"',
        ['payouts.ante_odds: found "1:0"; allowed: odds like "3:2",'
         ' each side from 1 to 1000000']),
    "negative odds": (
        'ante_odds = { value = "1:1"', "ante_odds = { value = -1",
        ['payouts.ante_odds: found -1; allowed: odds like "3:2", each side from 1 to 1000000']),
    "odds that are none": (
        'ante_odds = { value = "1:1"', 'ante_odds = { value = "evens"',
        ['payouts.ante_odds: found "evens"; allowed: odds like "3:2",'
         ' each side from 1 to 1000000']),
    "odds that are true": (
        'ante_odds = { value = "1:1"', "ante_odds = { value = true",
        ['payouts.ante_odds: found true; allowed: odds like "3:2",'
         ' each side from 1 to 1000000']),
    "pay table with a gap": (
        "flush = 40\n", "",
        ["bonus_pay_table: gap: flush is missing; two_pair to five_aces all win"]),
    "pay table without its highest": (
        "five_aces = 2_500\n", "",
        ["bonus_pay_table: gap: five_aces is missing; two_pair to five_aces all win"]),
    "pay for what does not win": (
        "[bonus_pay_table]", "[bonus_pay_table]\npair = 1",
        ['bonus_pay_table: unknown key "pair"; did you mean "two_pair"?']),
    "better hand that pays less": (
        "flush = 40\n", "flush = 19\n",
        ["bonus_pay_table.flush: found 19; allowed: no less than straight, which pays 20:1"]),
    "pay of zero": (
        "two_pair = 3\n", "two_pair = 0\n",
        ['bonus_pay_table.two_pair: found 0; allowed: odds like "3:2",'
         ' each side from 1 to 1000000']),
    "min above max": (
        "min = 500, max = 1_000_000", "min = 501, max = 500",
        ["limits.ante_limits.min: found 501; allowed: at most max, which is 500"]),
    "negative amount": (
        "min = 500", "min = -500",
        [f"limits.ante_limits.min: found -500; allowed: {AMOUNT}"]),
    "amount of zero": (
        "amount = 5_000_000", "amount = 0",
        ["payouts.aggregate_payout_limit.amount: found 0; allowed: an integer from 1 to"
         " 9223372036854775807"]),
    "amount that no round's sum could hold": (
        "max = 1_000_000", "max = 9223372036854775807",
        [f"limits.ante_limits.max: found 9223372036854775807; allowed: {AMOUNT}"]),
    "amount beyond 64 bits": (
        "max = 1_000_000", "max = 0x" + "f" * 5000,
        [f"limits.ante_limits.max: found an integer beyond 64 bits; allowed: {AMOUNT}"]),
    "no multiple of the unit within the limits": (
        "wager_unit = { value = 1,", "wager_unit = { value = 20_000,",
        ["limits.bonus_limits: no multiple of wager_unit, 20000, is within 100 to 10000"]),
    "Ante that is not offered": (
        "ante_limits = { offered = true", "ante_limits = { offered = false",
        ["limits.ante_limits.offered: found false; allowed: true: nobody plays without it"]),
    "instrument twice": (
        '["value_chip", "plaque"]', '["plaque", "plaque"]',
        ['table.accepted_instruments: "plaque" stands there twice']),
    "no instruments": (
        '["value_chip", "plaque"]', "[]",
        [f"table.accepted_instruments: found []; allowed: {INSTRUMENTS}"]),
    "instrument that is no name": (
        '["value_chip", "plaque"]', '["Value Chip", 7]',
        [f'table.accepted_instruments: found "Value Chip"; allowed: {INSTRUMENTS}',
         f"table.accepted_instruments: found 7; allowed: {INSTRUMENTS}"]),
    "words with cash": (
        '["value_chip", "plaque"]', '["value_chip", "verbal_with_cash"]',
        ['table.accepted_instruments: found "verbal_with_cash"; allowed: no words spoken'
         ' with cash (663a.7(a))']),
    "unknown reading of an abandoned wager": (
        '["plays", "losing", "returned"]', '["plays", "kept"]',
        ['table.abandoned_wagers: found "kept"; allowed: "plays", "losing", "returned"']),
    "joker values that fall": (
        "[3, 6, 9]", "[9, 6]",
        ["hands.joker_points: found [9, 6]; allowed: a list of integers from 1 to 10 in rising"
         " order"]),
    "joker value of nothing": (
        "[3, 6, 9]", "[0]", ["hands.joker_points: found 0; allowed: an integer from 1 to 10"]),
    "unknown game": (
        'game = "saigon5"', 'game = "saigon"',
        ['submission.game: found "saigon"; allowed: "saigon5", "five_card_hi_lo";'
         ' did you mean "saigon5"?']),
    "game that is no name": (
        'game = "saigon5"', "game = 1",
        ['submission.game: found 1; allowed: "saigon5", "five_card_hi_lo"']),
    "missing name": ('name = "default"\n', "", ["submission: name is missing"]),
    "name that is none": (
        'name = "default"', 'name = "The Default"',
        ['submission.name: found "The Default"; allowed: small letters, digits and hyphens,'
         " 40 at most"]),
    "title of two lines": (
        'title = "Saigon 5 Card"', 'title = "Saigon\\n5"',
        ['submission.title: found "Saigon\\n5"; allowed: one line of 1 to 80 characters']),
    "unknown key of the header": (
        'name = "default"', 'name = "default"\nnmae = "x"',
        ['submission: unknown key "nmae"; did you mean "name"?']),
    "section that is none": (
        "[pot]", "[zzz]",
        ["unknown section [zzz]; allowed: submission, table, limits, payouts, hands, pot,"
         " bonus_pay_table", "section [pot] is missing"]),
}

HI_LO_CASES = {
    "score table that falls": (
        "[13, 4], [14, 5], [16, 6], [17, 7], [18, 8], [19, 9], [20, 11]", "[10, 4]",
        ["splits.high_scores: found 10; allowed: a total above 11, the step before it"]),
    "score table that ends below the cap": (
        "[20, 11], [21, 22],\n    [31, 22],", "[20, 11],",
        ["splits.high_scores: ends at a total of 20; totals go up to 21"]),
    "score table that ends below the highest total without a cap": (
        ("high_hand_cap = { value = 21", "[31, 22],"), ("high_hand_cap = { value = 0", ""),
        ["splits.high_scores: ends at a total of 21; totals go up to 31"]),
    "low score table that ends below the highest total": (
        "[20, 14], [21, 30],", "[20, 14],",
        ["splits.low_scores: ends at a total of 20; totals go up to 21"]),
    "empty score table": (
        "[\n    [8, 2], [11, 3], [13, 4], [14, 5], [16, 6], [17, 7], [18, 8], [19, 9],"
        " [20, 11], [21, 22],\n    [31, 22],\n]", "[]",
        [f"splits.high_scores: found []; allowed: {STEPS}"]),
    "score step of three": (
        "[8, 2]", "[8, 2, 1]", [f"splits.high_scores: found [8, 2, 1]; allowed: {STEPS}"]),
    "negative score": (
        "[8, 2]", "[8, -2]",
        ["splits.high_scores: score: found -2; allowed: an integer from 0 to 1000000"]),
    "outcome table with a missing cell": (
        'tie_tie = "lose"\n', "", ["ante_outcome: tie_tie is missing"]),
    "unknown outcome": (
        'tie_tie = "lose"', 'tie_tie = "push"',
        ['ante_outcome.tie_tie: found "push"; allowed: "win", "lose", "return"']),
    "pair that the regulation does not name": (
        "lowest_pair = 6", "lowest_pair = 8",
        ["poker_bonus_table.A.lowest_pair: found 8; allowed: an integer from 6 to 7"]),
    "pay table without its pair": (
        "lowest_pair = 6\n", "", ["poker_bonus_table.A: lowest_pair is missing"]),
    "gap in a pay table that is not chosen": (
        "straight = 10\n", "",
        ["poker_bonus_table.B: gap: straight is missing; pair to royal_flush all win"]),
    "pay table that is not there": (
        'choice = "A"', 'choice = "C"',
        ['poker_bonus_table.choice: found "C"; allowed: "A", "B"']),
    "unknown key beside the choice": (
        'choice = "A"', 'choice = "A"\nchoise = "B"',
        ['poker_bonus_table: unknown key "choise"; did you mean "choice"?']),
    "pay table without authority": (
        'choice = "A"\nauthority = "house"', 'choice = "A"',
        [f"poker_bonus_table: authority is missing; allowed: {AUTHORITIES}"]),
    "five aces without a joker": (
        "royal_flush = 500\n", "royal_flush = 500\nfive_aces = 600\n",
        ['poker_bonus_table.A: unknown key "five_aces"; allowed: lowest_pair, pair, two_pair,'
         " three_of_a_kind, straight, flush, full_house, four_of_a_kind, straight_flush,"
         " royal_flush"]),
    "high ace below the low one": (
        "ace = 1, ace_high = 11", "ace = 5, ace_high = 4",
        ["hands.card_points.ace_high: found 4; allowed: at least ace, which is 5"]),
    "cap that busts every hand": (
        "high_hand_cap = { value = 21", "high_hand_cap = { value = 2",
        ["hands.high_hand_cap: found 2; allowed: 0 (no cap) or at least 3, the lowest total"]),
    "odds of a table": (
        'both_hands = "10:1"', 'both_hands = "10:0"',
        ['payouts.tie_pay_table.both_hands: found "10:0"; allowed: odds like "3:2",'
         " each side from 1 to 1000000"]),
}


def problems(text):
    with pytest.raises(BadSubmission) as caught:
        parse_submission(text)
    return list(caught.value.problems)


def changed(text, old, new):
    for before, after in zip(_many(old), _many(new), strict=True):
        assert before in text, before
        text = text.replace(before, after, 1)
    return text


def _many(value):
    return value if isinstance(value, tuple) else (value,)


@pytest.mark.parametrize(("old", "new", "lines"), SAIGON5_CASES.values(), ids=SAIGON5_CASES)
def test_a_saigon_submission_with(old, new, lines):
    assert problems(changed(SAIGON5, old, new)) == lines


@pytest.mark.parametrize(("old", "new", "lines"), HI_LO_CASES.values(), ids=HI_LO_CASES)
def test_a_hi_lo_submission_with(old, new, lines):
    assert problems(changed(HI_LO, old, new)) == lines


def test_a_missing_section_is_one_problem():
    start, end = SAIGON5.index("[pot]"), SAIGON5.index("[bonus_pay_table]")

    assert problems(SAIGON5[:start] + SAIGON5[end:]) == ["section [pot] is missing"]


def test_a_missing_pay_table_is_a_missing_section():
    start = SAIGON5.index("[bonus_pay_table]")

    assert problems(SAIGON5[:start]) == ["section [bonus_pay_table] is missing"]


def test_a_missing_header_is_one_problem():
    start = SAIGON5.index("[table]")

    assert problems(SAIGON5[start:]) == [
        "section [submission] is missing; it has game, name, title"]


def test_a_header_that_is_no_section():
    assert problems("submission = 3") == [
        "submission: found 3; allowed: a table with game, name, title"]


def test_a_section_that_is_no_table():
    start, end = SAIGON5.index("[pot]"), SAIGON5.index("[bonus_pay_table]")
    text = "pot = 3\n" + SAIGON5[:start] + SAIGON5[end:]

    assert problems(text) == [
        "pot: found 3; allowed: a section with pot_eligibility, pot_without_winner, pot_remainder"]


def test_a_text_that_is_not_toml():
    assert problems("[submission\n") == [
        "not TOML: Expected ']' at the end of a table declaration (at line 1, column 12)"]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n"])
def test_an_empty_text(text):
    assert problems(text) == ["empty: a submission begins with [submission]"]


@pytest.mark.parametrize("text", [
    "a = " + "[" * 100_000, "a = " + "9" * 10_000, 'a = "\ud800"', "\x00", "\ufeff[submission]",
])
def test_a_text_that_breaks_a_parser_is_not_toml(text):
    [line] = problems(text)

    assert line.startswith("not TOML: ")


def test_problems_come_all_at_once_in_the_order_of_the_file():
    text = SAIGON5
    for old, new in (
        ('pot_eligibility = { value = "all"', 'pot_eligibility = { value = "none"'),
        ("min = 500", "min = 0"),
        ("five_aces = 2_500\n", ""),
        ('name = "default"', "name = 3"),
    ):
        text = changed(text, old, new)

    assert [line.split(":")[0] for line in problems(text)] == [
        "submission.name", "limits.ante_limits.min", "pot.pot_eligibility", "bonus_pay_table"]
