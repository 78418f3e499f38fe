"""`pitledger adjudicate` on bad input: exit code 2, one line that says what and where."""

import copy
import json

import pytest

SAIGON = {
    "game": "saigon5",
    "positions": [
        {
            "position": 1,
            "patron": "a",
            "wagers": {"ante": 2500, "bonus": 500, "pot": 1000},
            "cards": ["Jk", "8c", "6d", "5s", "2h"],
            "set": {"three": ["Jk", "5s", "6d"], "two": ["8c", "2h"]},
        },
        {
            "position": 2,
            "patron": "b",
            "wagers": {"ante": 2500, "pot": 1000},
            "cards": ["Qs", "Qd", "7c", "7h", "9c"],
        },
    ],
    "dealer": {"cards": ["Ks", "Kd", "4c", "3h", "9d"]},
}
HI_LO = {
    "game": "five_card_hi_lo",
    "positions": [
        {
            "position": 1,
            "wagers": {"ante": 2500, "tie": 500, "poker_bonus": 100},
            "cards": ["As", "8c", "6d", "5s", "2h"],
        }
    ],
    "dealer": {"cards": ["Ks", "Kd", "4c", "3h", "9d"]},
}
INT64 = "allowed: 1 to 9223372036854775807"
WHOLE = "a whole number of minor units is needed"
NO_CARD = "is no card: write As, Td, 2c, or Jk for the joker"
POSITIONS = "positions: a list of at least one position is needed"
SPLIT = 'position 1.set: an object with "three" and "two" is needed'
FIVE = "position 1.set: these are not the five cards of the hand [680a.11(b)]"
SIZES = "position 1.set: the two hands do not have the right number of cards [680a.11(b)]"
PACKAGED = "five_card_hi_lo-default, five_card_hi_lo-high-first, saigon5-default"
MISSING = f"no such file, nor a packaged submission; those are: {PACKAGED}"


def changed(base: dict, path: str, value: object) -> str:
    """JSON of a round with the value at a path ("positions.0.wagers.ante") put there."""
    round_ = copy.deepcopy(base)
    *steps, last = path.split(".")
    inner = round_
    for step in steps:
        inner = inner[int(step) if step.isdigit() else step]
    inner[int(last) if last.isdigit() else last] = value
    return json.dumps(round_)


NO_ROUND = [
    (b"", "empty: a round as a JSON object is needed"),
    (b" \n ", "empty: a round as a JSON object is needed"),
    (b"[]", "a round is a JSON object"),
    (b"null", "a round is a JSON object"),
    (b'"x"', "a round is a JSON object"),
    (b"{game", "not JSON: Expecting property name enclosed in double quotes at line 1, column 2"),
    (b"\0", "not JSON: Expecting value at line 1, column 1"),
    (b"{} {}", "not JSON: Extra data at line 1, column 4; one round a line is read with --jsonl"),
    (b'{"game": NaN}', "not JSON: NaN is no number"),
    (b'{"game": -Infinity}', "not JSON: -Infinity is no number"),
    (b'{"game": ' + b"9" * 5000 + b"}", "not JSON of a round: a number of thousands of digits"),
    (b"[" * 100_000, "nested too deeply to be a round"),
    (b'{"a":' * 100_000, "nested too deeply to be a round"),
    (b'{"game": "\xe9"}', "not UTF-8: the byte at 10 begins no character"),
    (b"\xff\xfe{\0}\0", "not UTF-8: the byte at 0 begins no character"),
    (b'{"game": 1, "game": 1}', "the key 'game' stands twice in one object"),
    (b"{}", "game: found null; allowed: saigon5, five_card_hi_lo"),
    (b'{"game": "poker"}', 'game: found "poker"; allowed: saigon5, five_card_hi_lo'),
    (b'{"game": ["saigon5"]}', 'game: found ["saigon5"]; allowed: saigon5, five_card_hi_lo'),
]

SHAPES = [
    ("foo", 1, 'round: unknown key "foo"; known: game, submission, policies, currency, positions,'
               " dealer"),
    ("positions.0.bet", 1,
     'positions[0]: unknown key "bet"; known: position, patron, wagers, cards, set'),
    ("dealer.set", 1, 'dealer: unknown key "set"; known: cards'),
    ("positions", [], POSITIONS),
    ("positions", {}, POSITIONS),
    ("positions", None, POSITIONS),
    ("positions.0", 1, "positions[0]: an object is needed"),
    ("dealer", None, 'dealer: an object with "cards" is needed'),
    ("dealer", {}, "dealer.cards: a list of cards is needed"),
    ("positions.0.position", 0,
     "positions[0].position: found 0; a whole number from 1 is needed"),
    ("positions.0.position", True,
     "positions[0].position: found true; a whole number from 1 is needed"),
    ("positions.0.position", 1.0,
     "positions[0].position: found 1.0; a whole number from 1 is needed"),
    ("positions.0.position", 7, "position 7: the table has positions 1 to 6"),
    ("positions.0.position", 2**70, f"position {2**70}: the table has positions 1 to 6"),
    ("positions.1.position", 1, "positions: position 1 appears twice"),
    ("positions.0.patron", 5, "position 1.patron: found 5; a text is needed"),
    ("positions.0.patron", "", 'position 1.patron: found ""; a text is needed'),
    ("positions.1.patron", "a", "position 2 ante: the patron already plays another position"),
    ("currency", "usd", 'currency: found "usd"; write an ISO 4217 code like USD'),
    ("currency", "US1", 'currency: found "US1"; write an ISO 4217 code like USD'),
    ("currency", None, "currency: found null; write an ISO 4217 code like USD"),
]

CARDS = [
    ("positions.0.cards", ["Jk", "8c", "6d", "5s"],
     "position 1.cards: found 4 cards; 5 are needed"),
    ("positions.0.cards", ["Jk", "8c", "6d", "5s", "2h", "Qc"],
     "position 1.cards: found 6 cards; 5 are needed"),
    ("dealer.cards", ["Ks", "Kd", "4c", "3h"], "dealer.cards: found 4 cards; 5 are needed"),
    ("dealer.cards", "Ks", "dealer.cards: a list of cards is needed"),
    ("dealer.cards.0", "4c", "cards: 4c appears twice (the dealer)"),
    ("dealer.cards.0", "8c", "cards: 8c appears twice (position 1 and the dealer)"),
    ("positions.1.cards.0", "Jk", "cards: Jk appears twice (position 1 and position 2)"),
    ("dealer.cards.0", "10c", f'dealer.cards: "10c" {NO_CARD}'),
    ("dealer.cards.0", 10, f"dealer.cards: 10 {NO_CARD}"),
    ("dealer.cards.0", None, f"dealer.cards: null {NO_CARD}"),
    ("dealer.cards.0", "??", f"dealer.cards: '??' {NO_CARD}"),
    ("positions.0.set.two", ["8c", "3c"], FIVE),
    ("positions.0.set.two", ["8c", "8c"], FIVE),
    ("positions.0.set", {"three": ["Jk", "5s"], "two": ["6d", "8c", "2h"]}, SIZES),
    ("positions.0.set", {"three": [], "two": []}, SIZES),
    ("positions.0.set", {"high": [], "low": []}, SPLIT),
    ("positions.0.set", "x", SPLIT),
    ("positions.0.set", None, SPLIT),
    ("positions.0.set.three", [["Jk"], "5s", "6d"], f'position 1.set.three: ["Jk"] {NO_CARD}'),
]

WAGERS = [
    ("positions.0.wagers", {}, "position 1.wagers: an object with at least the ante is needed"),
    ("positions.0.wagers", 5, "position 1.wagers: an object with at least the ante is needed"),
    ("positions.0.wagers.tie", 500,
     'position 1.wagers: "tie" is no wager of this game: ante, bonus, pot'),
    ("positions.0.wagers.ante", -5, f"position 1.wagers.ante: found -5; {INT64}"),
    ("positions.0.wagers.ante", 0, f"position 1.wagers.ante: found 0; {INT64}"),
    ("positions.0.wagers.ante", 2**63, f"position 1.wagers.ante: found {2**63}; {INT64}"),
    ("positions.0.wagers.ante", 25.0, f"position 1.wagers.ante: found 25.0; {WHOLE}"),
    ("positions.0.wagers.ante", True, f"position 1.wagers.ante: found true; {WHOLE}"),
    ("positions.0.wagers.ante", "2500", f'position 1.wagers.ante: found "2500"; {WHOLE}'),
    ("positions.0.wagers.ante", None, f"position 1.wagers.ante: found null; {WHOLE}"),
    ("positions.0.wagers.ante", 1_000_001, "position 1 ante: the circle would be above its"
     " maximum: 10,000.01 USD, maximum 10,000.00 USD"),
    ("positions.0.wagers.ante", 2**63 - 1, "position 1 ante: the circle would be above its"
     " maximum: 92,233,720,368,547,758.07 USD, maximum 10,000.00 USD"),
    ("positions.1.wagers.ante", 499,
     "position 2 ante: Ante 4.99 USD: the Ante is below its minimum (5.00 USD)"),
    ("positions.0.wagers.bonus", 10_001, "position 1 bonus: the circle would be above its"
     " maximum: 100.01 USD, maximum 100.00 USD"),
    ("positions.0.wagers.bonus", 99,
     "position 1 bonus: Bonus 0.99 USD: below the minimum (1.00 USD)"),
    ("positions.1.wagers.pot", 500, "pot: the same amount is needed at every position; found"
     " position 1: 1000, position 2: 500"),
    ("positions.1.wagers", {"ante": 2500},
     "position 2: no pot wager, though other positions have one"),
    ("policies", {"bonus_limits": {"offered": False}},
     "position 1 bonus: this wager is not offered at this table [680a.1]"),
    ("policies", {"pot_limits": {"offered": False}},
     "position 1 pot: this wager is not offered under the submission"),
    ("policies", {"pot_limits": {"min": 2000}},
     "position 1 pot: 10.00 USD, minimum 20.00 USD"),
    ("policies", {"pot_limits": {"max": 500}},
     "position 1 pot: 10.00 USD, maximum 5.00 USD"),
    ("policies", {"wager_unit": 1000},
     "position 1 ante: Ante 25.00 USD: the Ante is not a multiple of the wager unit (10.00 USD)"),
    ("policies", {"wager_unit": 7},
     "position 1 pot: 10.00 USD is not a multiple of the wager unit (0.07 USD)"),
]

SUBMISSIONS = [
    ("submission", 3, 'submission: "default", another name or a path is needed'),
    ("submission", "", 'submission: "default", another name or a path is needed'),
    ("submission", "/nowhere/x.toml", f"submission /nowhere/x.toml: {MISSING}"),
    ("submission", "high-first", f"submission high-first: {MISSING}"),
    ("submission", "/", "submission /: cannot be read: Is a directory"),
    ("submission", "a\0b", "submission a\\x00b: cannot be read: embedded null byte"),
    ("submission", "a\nb", f"submission a b: {MISSING}"),
    ("submission", "five_card_hi_lo-default", "submission five_card_hi_lo-default:"
     " submission.game: found five_card_hi_lo; allowed: saigon5"),
    ("policies", [1], "policies: an object of settings and their values is needed"),
    ("policies", None, "policies: an object of settings and their values is needed"),
    ("policies", {"pot_eligibility": "some"}, "submission default with policies:"
     ' pot.pot_eligibility: found "some"; allowed: "all", "qualifiers"'),
    ("policies", {"ante_odds": "0:1"}, "submission default with policies: payouts.ante_odds:"
     ' found "0:1"; allowed: odds like "3:2", each side from 1 to 1000000'),
    ("policies", {"wager_unit": 1.5}, "submission default with policies: table.wager_unit:"
     " found 1.5; allowed: an integer from 1 to 100000000000"),
]


def line_of(pitledger, given: str | bytes) -> str:
    ended = pitledger("adjudicate", "-", stdin=given)
    assert ended.out == ""
    return ended.line.removeprefix("standard input: ")


@pytest.mark.parametrize(("given", "line"), NO_ROUND)
def test_what_is_no_round_is_said(pitledger, given, line):
    assert line_of(pitledger, given) == line


@pytest.mark.parametrize(("path", "value", "line"), SHAPES + CARDS + WAGERS + SUBMISSIONS)
def test_what_a_table_would_not_have_taken_is_said(pitledger, path, value, line):
    assert line_of(pitledger, changed(SAIGON, path, value)) == line


@pytest.mark.parametrize("path", ["positions.0.cards.0", "dealer.cards.0"])
def test_a_joker_is_not_in_the_deck_of_hi_lo(pitledger, path):
    where = "position 1" if path.startswith("positions") else "dealer"
    given = changed(HI_LO, path, "Jk")

    assert line_of(pitledger, given) == f"{where}.cards: Jk is not in the deck of this game"


def test_a_tie_needs_an_ante(pitledger):
    given = changed(HI_LO, "positions.0.wagers", {"tie": 500})

    assert line_of(pitledger, given) == "position 1 tie: Tie 5.00 USD: there is no Ante [663a.7(d)]"


def test_two_positions_of_a_patron_are_adjacent_where_that_is_filed(pitledger):
    second = SAIGON["positions"][1] | {"patron": "a", "position": 3}
    round_ = SAIGON | {"positions": [SAIGON["positions"][0], second]}
    given = changed(round_, "policies", {"adjacent_positions": True})

    assert line_of(pitledger, given).startswith(
        "position 3 ante: a patron may play two adjacent positions, no others")


def test_an_unknown_setting_is_named_beside_those_there_are(pitledger):
    line = line_of(pitledger, changed(SAIGON, "policies", {"foo": 1}))

    assert line.startswith('submission default with policies: policies: unknown setting "foo"')
    assert "pot_eligibility" in line


def test_half_a_character_is_no_patron(pitledger):
    given = json.dumps(SAIGON).replace('"a"', '"\\ud800"')

    assert line_of(pitledger, given) == 'position 1.patron: found "\\ud800"; a text is needed'


def test_a_long_value_is_cut_in_the_line(pitledger):
    line = line_of(pitledger, changed(SAIGON, "dealer.cards.0", "x" * 10_000))

    assert len(line) < 150


@pytest.mark.parametrize("depth", [300, 900, 5000])
def test_a_nested_value_never_overflows(pitledger, depth):
    nested = "[" * depth + "]" * depth
    given = changed(SAIGON, "currency", "@").replace('"@"', nested)

    assert line_of(pitledger, given)
    given = changed(SAIGON, "policies", {"ante_odds": "@"}).replace('"@"', nested)
    assert line_of(pitledger, given)


def test_a_file_that_is_not_there_is_said(pitledger, tmp_path):
    missing = tmp_path / "none.json"

    assert pitledger("adjudicate", missing).line == f"{missing}: No such file or directory"
    assert pitledger("adjudicate", tmp_path).line == f"{tmp_path}: Is a directory"


def test_the_file_is_named_in_the_line(pitledger, tmp_path):
    file = tmp_path / "round.json"
    file.write_text("[]")

    assert pitledger("adjudicate", file).line == f"{file}: a round is a JSON object"


def test_the_rounds_above_are_good_unchanged(pitledger):
    for round_ in (SAIGON, HI_LO):
        assert pitledger("adjudicate", "-", stdin=json.dumps(round_)).code == 0
