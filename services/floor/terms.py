"""What one table is: its game, submission and posted limits, its shoe and shuffler."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from pitledger.pb import cards_pb2, rules_pb2
from pitledger.pb.cards_pb2 import DealingMethod
from pitledger.pb.money_pb2 import WAGER_KIND_POT, WagerKind
from pitledger.sources.submissions import Loaded, load_submission

SAIGON5 = "saigon5"
FIVE_CARD_HI_LO = "five_card_hi_lo"
GAMES = (SAIGON5, FIVE_CARD_HI_LO)

PROPERTY = "property-1"
CURRENCY = "USD"

METHODS = (
    cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
    cards_pb2.DEALING_METHOD_MANUAL_SHOE,
    cards_pb2.DEALING_METHOD_HAND,
)
_POSITIONS = (6, 6, 6, 6, 6, 6, 7, 5, 4, 2, 1, 9)
_ANY_GAME: Mapping[str, tuple[object, ...]] = {
    "adjacent_positions": (True,),
    "payout_unit_minor": (5, 25, 100),
    "payout_rounding": ("up", "nearest"),
    "aggregate_payout_limit": (
        {"amount": 50_000}, {"amount": 20_000, "scope": "hand"}, {"scope": "none"},
        {"amount": 30_000, "allocation": "settlement_order"},
    ),
    "abandoned_wagers": (["plays", "losing"], ["losing"]),
}
_OF_GAME: Mapping[str, Mapping[str, tuple[object, ...]]] = {
    SAIGON5: {
        "player_split": ("best",),
        "misset_hand": ("as_set", "lose"),
        "pot_eligibility": ("qualifiers",),
        "pot_remainder": ("last_in_settlement_order",),
    },
    FIVE_CARD_HI_LO: {
        "foul_hand": ("house_way",),
        "tie_pairs": ("any",),
        "busted_ties": (False,),
        "low_hand_wins": ("lower",),
    },
}


@dataclass(frozen=True)
class TableTerms:
    """One table's constants. `ranges`: posted minimum and maximum by kind offered."""

    table_id: str
    pit_id: str
    game: str
    filed: Loaded
    posted: rules_pb2.PostedLimits
    method: DealingMethod
    shuffler_confirms: bool
    records_payments: bool

    @cached_property
    def ranges(self) -> dict[WagerKind, tuple[int, int]]:
        return {o.kind: (o.min_minor, o.max_minor) for o in self.posted.wagers if o.offered}

    @cached_property
    def positions(self) -> int:
        return self.filed.message.positions

    @cached_property
    def pot_amount(self) -> int:
        return self.posted.pot_amount_minor

    @cached_property
    def deck_size(self) -> int:
        return 53 if self.game == SAIGON5 else 52

    @cached_property
    def adjacent_positions(self) -> bool:
        return self.filed.message.adjacent_positions


def plain_terms(table_id: str, game: str, positions: int, method: DealingMethod) -> TableTerms:
    """A table of the benchmark: the default submission, all wagers, no payment recorded."""
    filed = load_submission("default", game, {"positions": positions})
    return _terms(table_id, game, filed, _posted(filed.message, 1, pot=True), method,
                  confirms=True, payments=False)


def varied_terms(table_id: str, game: str, positions: int | None, method: DealingMethod,
                 rng: Random) -> TableTerms:
    """A table of a real floor: submissions, limits and habits of the house differ."""
    positions = positions or rng.choice(_POSITIONS)
    name = "high-first" if game == FIVE_CARD_HI_LO and rng.random() < 0.3 else "default"
    choices = {**_ANY_GAME, **_OF_GAME[game]}
    rulings = {key: rng.choice(values) for key, values in choices.items() if rng.random() < 0.3}
    filed = load_submission(name, game, {"positions": positions, **rulings})
    posted = _posted(filed.message, rng.choice((1, 1, 2, 5, 10)), pot=rng.random() < 0.7)
    return _terms(table_id, game, filed, posted, method,
                  confirms=rng.random() < 0.4, payments=rng.random() < 0.5)


def _posted(message: rules_pb2.RulesSubmission, steps: int, *, pot: bool
            ) -> rules_pb2.PostedLimits:
    """Limits within the filed range: minimum times `steps`, and a maximum a good way above it."""
    posted = rules_pb2.PostedLimits()
    for offer in message.wagers:
        minimum = min(offer.min_minor * steps, offer.max_minor)
        maximum = min(minimum * 200, offer.max_minor)
        offered = offer.offered and (pot or offer.kind != WAGER_KIND_POT)
        posted.wagers.add(kind=offer.kind, offered=offered, min_minor=minimum, max_minor=maximum)
        if offer.kind == WAGER_KIND_POT and offered:
            posted.pot_amount_minor = min(minimum * 5, maximum)
    return posted


def _terms(table_id: str, game: str, filed: Loaded, posted: rules_pb2.PostedLimits,
           method: DealingMethod, *, confirms: bool, payments: bool) -> TableTerms:
    return TableTerms(
        table_id=table_id,
        pit_id="pit-1" if game == SAIGON5 else "pit-2",
        game=game,
        filed=filed,
        posted=posted,
        method=method,
        shuffler_confirms=confirms,
        records_payments=payments,
    )
