from pitledger.pb import money_pb2 as _money_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Game(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GAME_UNSPECIFIED: _ClassVar[Game]
    GAME_SAIGON5: _ClassVar[Game]
    GAME_FIVE_CARD_HI_LO: _ClassVar[Game]

class PayoutRounding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAYOUT_ROUNDING_UNSPECIFIED: _ClassVar[PayoutRounding]
    PAYOUT_ROUNDING_DOWN: _ClassVar[PayoutRounding]
    PAYOUT_ROUNDING_UP: _ClassVar[PayoutRounding]
    PAYOUT_ROUNDING_NEAREST: _ClassVar[PayoutRounding]

class PayoutLimitScope(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAYOUT_LIMIT_SCOPE_UNSPECIFIED: _ClassVar[PayoutLimitScope]
    PAYOUT_LIMIT_SCOPE_ROUND: _ClassVar[PayoutLimitScope]
    PAYOUT_LIMIT_SCOPE_HAND: _ClassVar[PayoutLimitScope]
    PAYOUT_LIMIT_SCOPE_NONE: _ClassVar[PayoutLimitScope]

class PayoutLimitAllocation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PAYOUT_LIMIT_ALLOCATION_UNSPECIFIED: _ClassVar[PayoutLimitAllocation]
    PAYOUT_LIMIT_ALLOCATION_PRO_RATA: _ClassVar[PayoutLimitAllocation]
    PAYOUT_LIMIT_ALLOCATION_SETTLEMENT_ORDER: _ClassVar[PayoutLimitAllocation]

class AbandonmentReading(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ABANDONMENT_READING_UNSPECIFIED: _ClassVar[AbandonmentReading]
    ABANDONMENT_READING_PLAYS: _ClassVar[AbandonmentReading]
    ABANDONMENT_READING_LOSING: _ClassVar[AbandonmentReading]
    ABANDONMENT_READING_RETURNED: _ClassVar[AbandonmentReading]

class Authority(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUTHORITY_UNSPECIFIED: _ClassVar[Authority]
    AUTHORITY_CODE: _ClassVar[Authority]
    AUTHORITY_VENDOR: _ClassVar[Authority]
    AUTHORITY_HOUSE: _ClassVar[Authority]

class PokerCategory(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POKER_CATEGORY_UNSPECIFIED: _ClassVar[PokerCategory]
    POKER_CATEGORY_HIGH_CARD: _ClassVar[PokerCategory]
    POKER_CATEGORY_PAIR: _ClassVar[PokerCategory]
    POKER_CATEGORY_TWO_PAIR: _ClassVar[PokerCategory]
    POKER_CATEGORY_THREE_OF_A_KIND: _ClassVar[PokerCategory]
    POKER_CATEGORY_STRAIGHT: _ClassVar[PokerCategory]
    POKER_CATEGORY_FLUSH: _ClassVar[PokerCategory]
    POKER_CATEGORY_FULL_HOUSE: _ClassVar[PokerCategory]
    POKER_CATEGORY_FOUR_OF_A_KIND: _ClassVar[PokerCategory]
    POKER_CATEGORY_STRAIGHT_FLUSH: _ClassVar[PokerCategory]
    POKER_CATEGORY_ROYAL_FLUSH: _ClassVar[PokerCategory]
    POKER_CATEGORY_FIVE_ACES: _ClassVar[PokerCategory]

class PlayerSplit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PLAYER_SPLIT_UNSPECIFIED: _ClassVar[PlayerSplit]
    PLAYER_SPLIT_AS_SET: _ClassVar[PlayerSplit]
    PLAYER_SPLIT_BEST: _ClassVar[PlayerSplit]

class MissetHand(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MISSET_HAND_UNSPECIFIED: _ClassVar[MissetHand]
    MISSET_HAND_CARDS_SPEAK: _ClassVar[MissetHand]
    MISSET_HAND_AS_SET: _ClassVar[MissetHand]
    MISSET_HAND_LOSE: _ClassVar[MissetHand]

class DealerSplit(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DEALER_SPLIT_UNSPECIFIED: _ClassVar[DealerSplit]
    DEALER_SPLIT_BEST: _ClassVar[DealerSplit]

class PotEligibility(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POT_ELIGIBILITY_UNSPECIFIED: _ClassVar[PotEligibility]
    POT_ELIGIBILITY_ALL: _ClassVar[PotEligibility]
    POT_ELIGIBILITY_QUALIFIERS: _ClassVar[PotEligibility]

class PotWithoutWinner(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POT_WITHOUT_WINNER_UNSPECIFIED: _ClassVar[PotWithoutWinner]
    POT_WITHOUT_WINNER_RETURN: _ClassVar[PotWithoutWinner]

class PotRemainder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    POT_REMAINDER_UNSPECIFIED: _ClassVar[PotRemainder]
    POT_REMAINDER_FIRST_IN_SETTLEMENT_ORDER: _ClassVar[PotRemainder]
    POT_REMAINDER_LAST_IN_SETTLEMENT_ORDER: _ClassVar[PotRemainder]

class LowHandWins(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LOW_HAND_WINS_UNSPECIFIED: _ClassVar[LowHandWins]
    LOW_HAND_WINS_HIGHER: _ClassVar[LowHandWins]
    LOW_HAND_WINS_LOWER: _ClassVar[LowHandWins]

class HouseWay(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    HOUSE_WAY_UNSPECIFIED: _ClassVar[HouseWay]
    HOUSE_WAY_SCORED: _ClassVar[HouseWay]
    HOUSE_WAY_HIGH_FIRST: _ClassVar[HouseWay]
    HOUSE_WAY_LOW_FIRST: _ClassVar[HouseWay]

class FoulHand(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FOUL_HAND_UNSPECIFIED: _ClassVar[FoulHand]
    FOUL_HAND_LOSE: _ClassVar[FoulHand]
    FOUL_HAND_HOUSE_WAY: _ClassVar[FoulHand]

class UnsetHand(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    UNSET_HAND_UNSPECIFIED: _ClassVar[UnsetHand]
    UNSET_HAND_HOUSE_WAY: _ClassVar[UnsetHand]

class TiePairs(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TIE_PAIRS_UNSPECIFIED: _ClassVar[TiePairs]
    TIE_PAIRS_SAME_HAND: _ClassVar[TiePairs]
    TIE_PAIRS_ANY: _ClassVar[TiePairs]

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_WIN: _ClassVar[Outcome]
    OUTCOME_LOSE: _ClassVar[Outcome]
    OUTCOME_RETURN: _ClassVar[Outcome]
GAME_UNSPECIFIED: Game
GAME_SAIGON5: Game
GAME_FIVE_CARD_HI_LO: Game
PAYOUT_ROUNDING_UNSPECIFIED: PayoutRounding
PAYOUT_ROUNDING_DOWN: PayoutRounding
PAYOUT_ROUNDING_UP: PayoutRounding
PAYOUT_ROUNDING_NEAREST: PayoutRounding
PAYOUT_LIMIT_SCOPE_UNSPECIFIED: PayoutLimitScope
PAYOUT_LIMIT_SCOPE_ROUND: PayoutLimitScope
PAYOUT_LIMIT_SCOPE_HAND: PayoutLimitScope
PAYOUT_LIMIT_SCOPE_NONE: PayoutLimitScope
PAYOUT_LIMIT_ALLOCATION_UNSPECIFIED: PayoutLimitAllocation
PAYOUT_LIMIT_ALLOCATION_PRO_RATA: PayoutLimitAllocation
PAYOUT_LIMIT_ALLOCATION_SETTLEMENT_ORDER: PayoutLimitAllocation
ABANDONMENT_READING_UNSPECIFIED: AbandonmentReading
ABANDONMENT_READING_PLAYS: AbandonmentReading
ABANDONMENT_READING_LOSING: AbandonmentReading
ABANDONMENT_READING_RETURNED: AbandonmentReading
AUTHORITY_UNSPECIFIED: Authority
AUTHORITY_CODE: Authority
AUTHORITY_VENDOR: Authority
AUTHORITY_HOUSE: Authority
POKER_CATEGORY_UNSPECIFIED: PokerCategory
POKER_CATEGORY_HIGH_CARD: PokerCategory
POKER_CATEGORY_PAIR: PokerCategory
POKER_CATEGORY_TWO_PAIR: PokerCategory
POKER_CATEGORY_THREE_OF_A_KIND: PokerCategory
POKER_CATEGORY_STRAIGHT: PokerCategory
POKER_CATEGORY_FLUSH: PokerCategory
POKER_CATEGORY_FULL_HOUSE: PokerCategory
POKER_CATEGORY_FOUR_OF_A_KIND: PokerCategory
POKER_CATEGORY_STRAIGHT_FLUSH: PokerCategory
POKER_CATEGORY_ROYAL_FLUSH: PokerCategory
POKER_CATEGORY_FIVE_ACES: PokerCategory
PLAYER_SPLIT_UNSPECIFIED: PlayerSplit
PLAYER_SPLIT_AS_SET: PlayerSplit
PLAYER_SPLIT_BEST: PlayerSplit
MISSET_HAND_UNSPECIFIED: MissetHand
MISSET_HAND_CARDS_SPEAK: MissetHand
MISSET_HAND_AS_SET: MissetHand
MISSET_HAND_LOSE: MissetHand
DEALER_SPLIT_UNSPECIFIED: DealerSplit
DEALER_SPLIT_BEST: DealerSplit
POT_ELIGIBILITY_UNSPECIFIED: PotEligibility
POT_ELIGIBILITY_ALL: PotEligibility
POT_ELIGIBILITY_QUALIFIERS: PotEligibility
POT_WITHOUT_WINNER_UNSPECIFIED: PotWithoutWinner
POT_WITHOUT_WINNER_RETURN: PotWithoutWinner
POT_REMAINDER_UNSPECIFIED: PotRemainder
POT_REMAINDER_FIRST_IN_SETTLEMENT_ORDER: PotRemainder
POT_REMAINDER_LAST_IN_SETTLEMENT_ORDER: PotRemainder
LOW_HAND_WINS_UNSPECIFIED: LowHandWins
LOW_HAND_WINS_HIGHER: LowHandWins
LOW_HAND_WINS_LOWER: LowHandWins
HOUSE_WAY_UNSPECIFIED: HouseWay
HOUSE_WAY_SCORED: HouseWay
HOUSE_WAY_HIGH_FIRST: HouseWay
HOUSE_WAY_LOW_FIRST: HouseWay
FOUL_HAND_UNSPECIFIED: FoulHand
FOUL_HAND_LOSE: FoulHand
FOUL_HAND_HOUSE_WAY: FoulHand
UNSET_HAND_UNSPECIFIED: UnsetHand
UNSET_HAND_HOUSE_WAY: UnsetHand
TIE_PAIRS_UNSPECIFIED: TiePairs
TIE_PAIRS_SAME_HAND: TiePairs
TIE_PAIRS_ANY: TiePairs
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_WIN: Outcome
OUTCOME_LOSE: Outcome
OUTCOME_RETURN: Outcome

class RulesSubmission(_message.Message):
    __slots__ = ("game", "name", "title", "positions", "wagers", "wager_unit_minor", "accepted_instruments", "adjacent_positions", "payout_unit_minor", "payout_rounding", "payout_limit", "abandoned_wagers", "saigon5", "five_card_hi_lo", "authorities")
    GAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    TITLE_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    WAGER_UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    ACCEPTED_INSTRUMENTS_FIELD_NUMBER: _ClassVar[int]
    ADJACENT_POSITIONS_FIELD_NUMBER: _ClassVar[int]
    PAYOUT_UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    PAYOUT_ROUNDING_FIELD_NUMBER: _ClassVar[int]
    PAYOUT_LIMIT_FIELD_NUMBER: _ClassVar[int]
    ABANDONED_WAGERS_FIELD_NUMBER: _ClassVar[int]
    SAIGON5_FIELD_NUMBER: _ClassVar[int]
    FIVE_CARD_HI_LO_FIELD_NUMBER: _ClassVar[int]
    AUTHORITIES_FIELD_NUMBER: _ClassVar[int]
    game: Game
    name: str
    title: str
    positions: int
    wagers: _containers.RepeatedCompositeFieldContainer[WagerOffer]
    wager_unit_minor: int
    accepted_instruments: _containers.RepeatedScalarFieldContainer[str]
    adjacent_positions: bool
    payout_unit_minor: int
    payout_rounding: PayoutRounding
    payout_limit: PayoutLimit
    abandoned_wagers: _containers.RepeatedScalarFieldContainer[AbandonmentReading]
    saigon5: Saigon5Rules
    five_card_hi_lo: FiveCardHiLoRules
    authorities: _containers.RepeatedCompositeFieldContainer[SettingAuthority]
    def __init__(self, game: _Optional[_Union[Game, str]] = ..., name: _Optional[str] = ..., title: _Optional[str] = ..., positions: _Optional[int] = ..., wagers: _Optional[_Iterable[_Union[WagerOffer, _Mapping]]] = ..., wager_unit_minor: _Optional[int] = ..., accepted_instruments: _Optional[_Iterable[str]] = ..., adjacent_positions: _Optional[bool] = ..., payout_unit_minor: _Optional[int] = ..., payout_rounding: _Optional[_Union[PayoutRounding, str]] = ..., payout_limit: _Optional[_Union[PayoutLimit, _Mapping]] = ..., abandoned_wagers: _Optional[_Iterable[_Union[AbandonmentReading, str]]] = ..., saigon5: _Optional[_Union[Saigon5Rules, _Mapping]] = ..., five_card_hi_lo: _Optional[_Union[FiveCardHiLoRules, _Mapping]] = ..., authorities: _Optional[_Iterable[_Union[SettingAuthority, _Mapping]]] = ...) -> None: ...

class WagerOffer(_message.Message):
    __slots__ = ("kind", "offered", "min_minor", "max_minor")
    KIND_FIELD_NUMBER: _ClassVar[int]
    OFFERED_FIELD_NUMBER: _ClassVar[int]
    MIN_MINOR_FIELD_NUMBER: _ClassVar[int]
    MAX_MINOR_FIELD_NUMBER: _ClassVar[int]
    kind: _money_pb2.WagerKind
    offered: bool
    min_minor: int
    max_minor: int
    def __init__(self, kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., offered: _Optional[bool] = ..., min_minor: _Optional[int] = ..., max_minor: _Optional[int] = ...) -> None: ...

class PayoutLimit(_message.Message):
    __slots__ = ("scope", "amount_minor", "allocation")
    SCOPE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    ALLOCATION_FIELD_NUMBER: _ClassVar[int]
    scope: PayoutLimitScope
    amount_minor: int
    allocation: PayoutLimitAllocation
    def __init__(self, scope: _Optional[_Union[PayoutLimitScope, str]] = ..., amount_minor: _Optional[int] = ..., allocation: _Optional[_Union[PayoutLimitAllocation, str]] = ...) -> None: ...

class SettingAuthority(_message.Message):
    __slots__ = ("setting", "authority", "source")
    SETTING_FIELD_NUMBER: _ClassVar[int]
    AUTHORITY_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    setting: str
    authority: Authority
    source: str
    def __init__(self, setting: _Optional[str] = ..., authority: _Optional[_Union[Authority, str]] = ..., source: _Optional[str] = ...) -> None: ...

class PokerPay(_message.Message):
    __slots__ = ("category", "odds")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    ODDS_FIELD_NUMBER: _ClassVar[int]
    category: PokerCategory
    odds: _money_pb2.Odds
    def __init__(self, category: _Optional[_Union[PokerCategory, str]] = ..., odds: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ...) -> None: ...

class Saigon5Rules(_message.Message):
    __slots__ = ("card_points", "joker_points", "player_split", "misset_hand", "dealer_split", "pot_eligibility", "pot_without_winner", "pot_remainder", "ante_odds", "ante_odds_five", "bonus_pay_table")
    CARD_POINTS_FIELD_NUMBER: _ClassVar[int]
    JOKER_POINTS_FIELD_NUMBER: _ClassVar[int]
    PLAYER_SPLIT_FIELD_NUMBER: _ClassVar[int]
    MISSET_HAND_FIELD_NUMBER: _ClassVar[int]
    DEALER_SPLIT_FIELD_NUMBER: _ClassVar[int]
    POT_ELIGIBILITY_FIELD_NUMBER: _ClassVar[int]
    POT_WITHOUT_WINNER_FIELD_NUMBER: _ClassVar[int]
    POT_REMAINDER_FIELD_NUMBER: _ClassVar[int]
    ANTE_ODDS_FIELD_NUMBER: _ClassVar[int]
    ANTE_ODDS_FIVE_FIELD_NUMBER: _ClassVar[int]
    BONUS_PAY_TABLE_FIELD_NUMBER: _ClassVar[int]
    card_points: CardPoints
    joker_points: _containers.RepeatedScalarFieldContainer[int]
    player_split: PlayerSplit
    misset_hand: MissetHand
    dealer_split: DealerSplit
    pot_eligibility: PotEligibility
    pot_without_winner: PotWithoutWinner
    pot_remainder: PotRemainder
    ante_odds: _money_pb2.Odds
    ante_odds_five: _money_pb2.Odds
    bonus_pay_table: _containers.RepeatedCompositeFieldContainer[PokerPay]
    def __init__(self, card_points: _Optional[_Union[CardPoints, _Mapping]] = ..., joker_points: _Optional[_Iterable[int]] = ..., player_split: _Optional[_Union[PlayerSplit, str]] = ..., misset_hand: _Optional[_Union[MissetHand, str]] = ..., dealer_split: _Optional[_Union[DealerSplit, str]] = ..., pot_eligibility: _Optional[_Union[PotEligibility, str]] = ..., pot_without_winner: _Optional[_Union[PotWithoutWinner, str]] = ..., pot_remainder: _Optional[_Union[PotRemainder, str]] = ..., ante_odds: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ..., ante_odds_five: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ..., bonus_pay_table: _Optional[_Iterable[_Union[PokerPay, _Mapping]]] = ...) -> None: ...

class CardPoints(_message.Message):
    __slots__ = ("ace", "face")
    ACE_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    ace: int
    face: int
    def __init__(self, ace: _Optional[int] = ..., face: _Optional[int] = ...) -> None: ...

class FiveCardHiLoRules(_message.Message):
    __slots__ = ("card_points", "ace_high_points", "high_hand_cards", "high_hand_cap", "low_hand_ace_cap", "low_hand_wins", "house_way", "high_scores", "low_scores", "foul_hand", "unset_hand", "ante_outcome", "ante_odds", "tie_one_odds", "tie_both_odds", "tie_pairs", "busted_ties", "poker_bonus_pair", "poker_bonus_pay_table")
    CARD_POINTS_FIELD_NUMBER: _ClassVar[int]
    ACE_HIGH_POINTS_FIELD_NUMBER: _ClassVar[int]
    HIGH_HAND_CARDS_FIELD_NUMBER: _ClassVar[int]
    HIGH_HAND_CAP_FIELD_NUMBER: _ClassVar[int]
    LOW_HAND_ACE_CAP_FIELD_NUMBER: _ClassVar[int]
    LOW_HAND_WINS_FIELD_NUMBER: _ClassVar[int]
    HOUSE_WAY_FIELD_NUMBER: _ClassVar[int]
    HIGH_SCORES_FIELD_NUMBER: _ClassVar[int]
    LOW_SCORES_FIELD_NUMBER: _ClassVar[int]
    FOUL_HAND_FIELD_NUMBER: _ClassVar[int]
    UNSET_HAND_FIELD_NUMBER: _ClassVar[int]
    ANTE_OUTCOME_FIELD_NUMBER: _ClassVar[int]
    ANTE_ODDS_FIELD_NUMBER: _ClassVar[int]
    TIE_ONE_ODDS_FIELD_NUMBER: _ClassVar[int]
    TIE_BOTH_ODDS_FIELD_NUMBER: _ClassVar[int]
    TIE_PAIRS_FIELD_NUMBER: _ClassVar[int]
    BUSTED_TIES_FIELD_NUMBER: _ClassVar[int]
    POKER_BONUS_PAIR_FIELD_NUMBER: _ClassVar[int]
    POKER_BONUS_PAY_TABLE_FIELD_NUMBER: _ClassVar[int]
    card_points: CardPoints
    ace_high_points: int
    high_hand_cards: int
    high_hand_cap: int
    low_hand_ace_cap: int
    low_hand_wins: LowHandWins
    house_way: HouseWay
    high_scores: _containers.RepeatedCompositeFieldContainer[ScoreStep]
    low_scores: _containers.RepeatedCompositeFieldContainer[ScoreStep]
    foul_hand: FoulHand
    unset_hand: UnsetHand
    ante_outcome: AnteOutcomes
    ante_odds: _money_pb2.Odds
    tie_one_odds: _money_pb2.Odds
    tie_both_odds: _money_pb2.Odds
    tie_pairs: TiePairs
    busted_ties: bool
    poker_bonus_pair: int
    poker_bonus_pay_table: _containers.RepeatedCompositeFieldContainer[PokerPay]
    def __init__(self, card_points: _Optional[_Union[CardPoints, _Mapping]] = ..., ace_high_points: _Optional[int] = ..., high_hand_cards: _Optional[int] = ..., high_hand_cap: _Optional[int] = ..., low_hand_ace_cap: _Optional[int] = ..., low_hand_wins: _Optional[_Union[LowHandWins, str]] = ..., house_way: _Optional[_Union[HouseWay, str]] = ..., high_scores: _Optional[_Iterable[_Union[ScoreStep, _Mapping]]] = ..., low_scores: _Optional[_Iterable[_Union[ScoreStep, _Mapping]]] = ..., foul_hand: _Optional[_Union[FoulHand, str]] = ..., unset_hand: _Optional[_Union[UnsetHand, str]] = ..., ante_outcome: _Optional[_Union[AnteOutcomes, _Mapping]] = ..., ante_odds: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ..., tie_one_odds: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ..., tie_both_odds: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ..., tie_pairs: _Optional[_Union[TiePairs, str]] = ..., busted_ties: _Optional[bool] = ..., poker_bonus_pair: _Optional[int] = ..., poker_bonus_pay_table: _Optional[_Iterable[_Union[PokerPay, _Mapping]]] = ...) -> None: ...

class ScoreStep(_message.Message):
    __slots__ = ("up_to", "score")
    UP_TO_FIELD_NUMBER: _ClassVar[int]
    SCORE_FIELD_NUMBER: _ClassVar[int]
    up_to: int
    score: int
    def __init__(self, up_to: _Optional[int] = ..., score: _Optional[int] = ...) -> None: ...

class AnteOutcomes(_message.Message):
    __slots__ = ("win_win", "win_tie", "win_lose", "tie_win", "tie_tie", "tie_lose", "lose_win", "lose_tie", "lose_lose")
    WIN_WIN_FIELD_NUMBER: _ClassVar[int]
    WIN_TIE_FIELD_NUMBER: _ClassVar[int]
    WIN_LOSE_FIELD_NUMBER: _ClassVar[int]
    TIE_WIN_FIELD_NUMBER: _ClassVar[int]
    TIE_TIE_FIELD_NUMBER: _ClassVar[int]
    TIE_LOSE_FIELD_NUMBER: _ClassVar[int]
    LOSE_WIN_FIELD_NUMBER: _ClassVar[int]
    LOSE_TIE_FIELD_NUMBER: _ClassVar[int]
    LOSE_LOSE_FIELD_NUMBER: _ClassVar[int]
    win_win: Outcome
    win_tie: Outcome
    win_lose: Outcome
    tie_win: Outcome
    tie_tie: Outcome
    tie_lose: Outcome
    lose_win: Outcome
    lose_tie: Outcome
    lose_lose: Outcome
    def __init__(self, win_win: _Optional[_Union[Outcome, str]] = ..., win_tie: _Optional[_Union[Outcome, str]] = ..., win_lose: _Optional[_Union[Outcome, str]] = ..., tie_win: _Optional[_Union[Outcome, str]] = ..., tie_tie: _Optional[_Union[Outcome, str]] = ..., tie_lose: _Optional[_Union[Outcome, str]] = ..., lose_win: _Optional[_Union[Outcome, str]] = ..., lose_tie: _Optional[_Union[Outcome, str]] = ..., lose_lose: _Optional[_Union[Outcome, str]] = ...) -> None: ...

class PostedLimits(_message.Message):
    __slots__ = ("wagers", "pot_amount_minor")
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    POT_AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    wagers: _containers.RepeatedCompositeFieldContainer[WagerOffer]
    pot_amount_minor: int
    def __init__(self, wagers: _Optional[_Iterable[_Union[WagerOffer, _Mapping]]] = ..., pot_amount_minor: _Optional[int] = ...) -> None: ...
