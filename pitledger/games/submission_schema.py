"""The settings of each game's rules submission: name, section, shape, and what they ask together.

A setting's name is what rulings, policies and authorities call it. Its section is where a file has
it; a setting without a section is a section of its own.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pitledger.games.submission_shapes import (
    AMOUNT,
    Boolean,
    Choice,
    Choices,
    Instruments,
    Integer,
    Limits,
    OddsTo,
    PayTable,
    Rising,
    Shape,
    Steps,
    Table,
    found,
    shown,
)
from pitledger.money import INT64_MAX
from pitledger.pb import money_pb2, rules_pb2

Values = Mapping[str, Any]
"""Setting name -> value; in a rule only those that have the right shape."""

Found = Iterator[tuple[str, str]]
"""(where, line) of each problem."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `field` is its place in the message: in the game's own rules, or beside them."""

    name: str
    section: str
    shape: Shape
    field: str
    of_game: bool = False

    @property
    def where(self) -> str:
        return f"{self.section}.{self.name}" if self.section else self.name


@dataclass(frozen=True, slots=True)
class Rule:
    """What settings ask of each other; asked where all that it needs have the right shape."""

    needs: tuple[str, ...]
    problems: Callable[["Schema", Values], Found]


@dataclass(frozen=True, slots=True)
class Schema:
    """All settings of one game, in the order in which messages and files have them."""

    game: int
    name: str
    field: str
    settings: tuple[Setting, ...]
    rules: tuple[Rule, ...]

    def setting(self, name: str) -> Setting | None:
        return next((setting for setting in self.settings if setting.name == name), None)

    def where(self, name: str) -> str:
        setting = self.setting(name)
        return setting.where if setting else name

    @property
    def sections(self) -> tuple[str, ...]:
        """The sections of a file, in order, "submission" aside."""
        return tuple(dict.fromkeys(s.section or s.name for s in self.settings))


# ---- What settings ask of each other -------------------------------------------------------------


def _unit_within_limits(kind: str) -> Rule:
    limits = f"{kind}_limits"

    def problems(schema: Schema, values: Values) -> Found:
        unit, low, high = values["wager_unit"], values[limits]["min"], values[limits]["max"]
        if high // unit * unit < low:
            yield schema.where(limits), (
                f"{schema.where(limits)}: no multiple of wager_unit, {unit}, is within"
                f" {low} to {high}")

    return Rule((limits, "wager_unit"), problems)


def _ace_is_lower(schema: Schema, values: Values) -> Found:
    points = values["card_points"]
    if points["ace_high"] < points["ace"]:
        where = schema.where("card_points")
        yield where, found(f"{where}.ace_high", points["ace_high"],
                           f"at least ace, which is {points['ace']}")


def _cap_leaves_a_hand(schema: Schema, values: Values) -> Found:
    """Some high hand is within the cap."""
    points, cap = values["card_points"], values["high_hand_cap"]
    lowest = values["high_hand_cards"] * min(2, points["ace"], points["face"])
    if 0 < cap < lowest:
        where = schema.where("high_hand_cap")
        yield where, found(where, cap, f"0 (no cap) or at least {lowest}, the lowest total")


def _high_scores_reach(schema: Schema, values: Values) -> Found:
    """Every total that is not busted has a score."""
    cap = values["high_hand_cap"]
    highest = _highest_total(values["card_points"], values["high_hand_cards"], cap or None)
    yield from _reach(schema, values, "high_scores", highest)


def _low_scores_reach(schema: Schema, values: Values) -> Found:
    cards, points = 5 - values["high_hand_cards"], values["card_points"]
    cap = 0 if values["low_hand_wins"] == "lower" else values["low_hand_ace_cap"]
    hard = max(10, points["face"], points["ace"]) * cards
    highest = max(hard, _highest_total(points, cards, cap))
    yield from _reach(schema, values, "low_scores", highest)


def _highest_total(points: Mapping[str, int], cards: int, cap: int | None) -> int:
    """The highest total of some cards with one high ace; `cap` bounds it, None does not."""
    card = max(10, points["face"], points["ace"])
    total = (cards - 1) * card + max(card, points["ace_high"])
    return total if cap is None else min(total, cap)


def _reach(schema: Schema, values: Values, table: str, highest: int) -> Found:
    last = values[table][-1][0]
    if values["house_way"] == "scored" and last < highest:
        where = schema.where(table)
        yield where, f"{where}: ends at a total of {shown(last)}; totals go up to {highest}"


_SCORING = ("card_points", "high_hand_cards", "house_way")


# ---- The games' tables ---------------------------------------------------------------------------


def _table(deck: int) -> tuple[Setting, ...]:
    """What every game's table has; all hands and the dealer's fit into the deck."""
    return (
        Setting("positions", "table", Integer(1, deck // 5 - 1), "positions"),
        Setting("adjacent_positions", "table", Boolean(), "adjacent_positions"),
        Setting("accepted_instruments", "table", Instruments(), "accepted_instruments"),
        Setting("wager_unit", "table", AMOUNT, "wager_unit_minor"),
        Setting("abandoned_wagers", "table",
                Choices(rules_pb2.AbandonmentReading.DESCRIPTOR), "abandoned_wagers"),
    )


def _limits(name: str, kind: int, compulsory: bool = False) -> Setting:
    return Setting(f"{name}_limits", "limits", Limits(kind, compulsory), "wagers")


_PAYOUTS = (
    Setting("payout_unit_minor", "payouts", AMOUNT, "payout_unit_minor"),
    Setting("payout_rounding", "payouts",
            Choice(rules_pb2.PayoutRounding.DESCRIPTOR), "payout_rounding"),
    Setting("aggregate_payout_limit", "payouts", Table((
        ("amount", "amount_minor", Integer(1, INT64_MAX)),
        ("scope", "scope", Choice(rules_pb2.PayoutLimitScope.DESCRIPTOR)),
        ("allocation", "allocation", Choice(rules_pb2.PayoutLimitAllocation.DESCRIPTOR)),
    ), bare=((int, "amount"), (str, "scope"))), "payout_limit"),
)


def _own(name: str, section: str, shape: Shape, field: str | None = None) -> Setting:
    return Setting(name, section, shape, name if field is None else field, of_game=True)


SAIGON5 = Schema(
    game=rules_pb2.GAME_SAIGON5,
    name="saigon5",
    field="saigon5",
    settings=(
        *_table(deck=53),
        _limits("ante", money_pb2.WAGER_KIND_ANTE, compulsory=True),
        _limits("bonus", money_pb2.WAGER_KIND_BONUS),
        _limits("pot", money_pb2.WAGER_KIND_POT),
        _own("ante_odds", "payouts", OddsTo()),
        _own("ante_odds_five", "payouts", OddsTo()),
        *_PAYOUTS,
        _own("card_points", "hands", Table((
            ("ace", "ace", Integer(1, 10)),
            ("face", "face", Integer(1, 10)),
        ))),
        _own("joker_points", "hands", Rising(1, 10)),
        _own("player_split", "hands", Choice(rules_pb2.PlayerSplit.DESCRIPTOR)),
        _own("misset_hand", "hands", Choice(rules_pb2.MissetHand.DESCRIPTOR)),
        _own("dealer_split", "hands", Choice(rules_pb2.DealerSplit.DESCRIPTOR)),
        _own("pot_eligibility", "pot", Choice(rules_pb2.PotEligibility.DESCRIPTOR)),
        _own("pot_without_winner", "pot", Choice(rules_pb2.PotWithoutWinner.DESCRIPTOR)),
        _own("pot_remainder", "pot", Choice(rules_pb2.PotRemainder.DESCRIPTOR)),
        # Two pair or better wins: 680a.11(e)(2).
        _own("bonus_pay_table", "", PayTable(
            rules_pb2.POKER_CATEGORY_TWO_PAIR, rules_pb2.POKER_CATEGORY_FIVE_ACES)),
    ),
    rules=(
        _unit_within_limits("ante"),
        _unit_within_limits("bonus"),
        _unit_within_limits("pot"),
    ),
)

FIVE_CARD_HI_LO = Schema(
    game=rules_pb2.GAME_FIVE_CARD_HI_LO,
    name="five_card_hi_lo",
    field="five_card_hi_lo",
    settings=(
        *_table(deck=52),
        _limits("ante", money_pb2.WAGER_KIND_ANTE, compulsory=True),
        _limits("tie", money_pb2.WAGER_KIND_TIE),
        _limits("poker_bonus", money_pb2.WAGER_KIND_POKER_BONUS),
        _own("ante_odds", "payouts", OddsTo()),
        _own("tie_pay_table", "payouts", Table((
            ("one_hand", "tie_one_odds", OddsTo()),
            ("both_hands", "tie_both_odds", OddsTo()),
        )), field=""),
        *_PAYOUTS,
        _own("card_points", "hands", Table((
            ("ace", "card_points.ace", Integer(1, 11)),
            ("ace_high", "ace_high_points", Integer(1, 11)),
            ("face", "card_points.face", Integer(1, 11)),
        )), field=""),
        _own("low_hand_ace_cap", "hands", Integer(1, 55)),
        _own("high_hand_cards", "hands", Integer(1, 4)),
        _own("high_hand_cap", "hands", Integer(0, 55)),
        _own("low_hand_wins", "hands", Choice(rules_pb2.LowHandWins.DESCRIPTOR)),
        _own("foul_hand", "hands", Choice(rules_pb2.FoulHand.DESCRIPTOR)),
        _own("unset_hand", "hands", Choice(rules_pb2.UnsetHand.DESCRIPTOR)),
        _own("house_way", "splits", Choice(rules_pb2.HouseWay.DESCRIPTOR)),
        _own("high_scores", "splits", Steps()),
        _own("low_scores", "splits", Steps()),
        _own("ante_outcome", "", Table(tuple(
            (cell.name, cell.name, Choice(rules_pb2.Outcome.DESCRIPTOR))
            for cell in rules_pb2.AnteOutcomes.DESCRIPTOR.fields
        ))),
        _own("tie_pairs", "tie", Choice(rules_pb2.TiePairs.DESCRIPTOR)),
        _own("busted_ties", "tie", Boolean()),
        # A pair of 6s or 7s or better wins: 663a.7(e)(2).
        _own("poker_bonus_table", "", PayTable(
            rules_pb2.POKER_CATEGORY_PAIR, rules_pb2.POKER_CATEGORY_ROYAL_FLUSH,
            pair_field="poker_bonus_pair"), field="poker_bonus_pay_table"),
    ),
    rules=(
        _unit_within_limits("ante"),
        _unit_within_limits("tie"),
        _unit_within_limits("poker_bonus"),
        Rule(("card_points",), _ace_is_lower),
        Rule(("high_hand_cap", "card_points", "high_hand_cards"), _cap_leaves_a_hand),
        Rule(("high_scores", "high_hand_cap", *_SCORING), _high_scores_reach),
        Rule(("low_scores", "low_hand_wins", "low_hand_ace_cap", *_SCORING), _low_scores_reach),
    ),
)

SCHEMAS = (SAIGON5, FIVE_CARD_HI_LO)


def schema_of(game: object) -> Schema | None:
    """The schema of a game by its name in files, or by its number."""
    return next((s for s in SCHEMAS if game in (s.name, s.game)), None)
