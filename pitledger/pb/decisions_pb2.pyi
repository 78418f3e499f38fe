from pitledger.pb import cards_pb2 as _cards_pb2
from pitledger.pb import money_pb2 as _money_pb2
from pitledger.pb import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Refusal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REFUSAL_UNSPECIFIED: _ClassVar[Refusal]
    REFUSAL_RULES_INVALID: _ClassVar[Refusal]
    REFUSAL_NO_SUCH_POSITION: _ClassVar[Refusal]
    REFUSAL_NOT_SEATED: _ClassVar[Refusal]
    REFUSAL_BETTING_CLOSED: _ClassVar[Refusal]
    REFUSAL_BETTING_OPEN: _ClassVar[Refusal]
    REFUSAL_INSTRUMENT_NOT_ACCEPTED: _ClassVar[Refusal]
    REFUSAL_VERBAL_WITH_CASH: _ClassVar[Refusal]
    REFUSAL_WAGER_NOT_OFFERED: _ClassVar[Refusal]
    REFUSAL_AMOUNT_NOT_POSITIVE: _ClassVar[Refusal]
    REFUSAL_ABOVE_MAXIMUM: _ClassVar[Refusal]
    REFUSAL_SECOND_POSITION: _ClassVar[Refusal]
    REFUSAL_POSITIONS_NOT_ADJACENT: _ClassVar[Refusal]
    REFUSAL_NO_WAGER_THERE: _ClassVar[Refusal]
    REFUSAL_NOTHING_ASKED: _ClassVar[Refusal]
    REFUSAL_TOO_MANY_WAGERS: _ClassVar[Refusal]
    REFUSAL_TOO_MUCH_ASKED: _ClassVar[Refusal]
    REFUSAL_NO_HAND_THERE: _ClassVar[Refusal]
    REFUSAL_HAND_VOID: _ClassVar[Refusal]
    REFUSAL_HAND_NOT_DEALT: _ClassVar[Refusal]
    REFUSAL_NOT_THE_HANDS_CARDS: _ClassVar[Refusal]
    REFUSAL_WRONG_SPLIT_SIZES: _ClassVar[Refusal]
    REFUSAL_ALREADY_SET: _ClassVar[Refusal]
    REFUSAL_DEALER_EXPOSED: _ClassVar[Refusal]
    REFUSAL_OUT_OF_SET_ORDER: _ClassVar[Refusal]
    REFUSAL_PLAYER_LEFT: _ClassVar[Refusal]
    REFUSAL_ORDINAL_IMPOSSIBLE: _ClassVar[Refusal]
    REFUSAL_CARD_NOT_IN_DECK: _ClassVar[Refusal]
    REFUSAL_HAND_INCOMPLETE: _ClassVar[Refusal]
    REFUSAL_NOTHING_TO_RULE: _ClassVar[Refusal]
    REFUSAL_ALREADY_VOID: _ClassVar[Refusal]
    REFUSAL_PLAYER_HAS_NOT_LEFT: _ClassVar[Refusal]
    REFUSAL_READING_NOT_FILED: _ClassVar[Refusal]
    REFUSAL_NO_PAYOUT_DUE: _ClassVar[Refusal]
    REFUSAL_WRONG_REVISION: _ClassVar[Refusal]

class ReturnReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETURN_REASON_UNSPECIFIED: _ClassVar[ReturnReason]
    RETURN_REASON_WITHDRAWN: _ClassVar[ReturnReason]
    RETURN_REASON_ANTE_WITHDRAWN: _ClassVar[ReturnReason]
    RETURN_REASON_NO_ANTE: _ClassVar[ReturnReason]
    RETURN_REASON_BELOW_MINIMUM: _ClassVar[ReturnReason]
    RETURN_REASON_NOT_A_MULTIPLE: _ClassVar[ReturnReason]
    RETURN_REASON_ANTE_BELOW_MINIMUM: _ClassVar[ReturnReason]
    RETURN_REASON_ANTE_NOT_A_MULTIPLE: _ClassVar[ReturnReason]
    RETURN_REASON_POT_MISSING: _ClassVar[ReturnReason]
    RETURN_REASON_POT_AMOUNT: _ClassVar[ReturnReason]

class BreachKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BREACH_KIND_UNSPECIFIED: _ClassVar[BreachKind]
    BREACH_KIND_CARD_BEFORE_CLOSE: _ClassVar[BreachKind]
    BREACH_KIND_DUPLICATE_CARD: _ClassVar[BreachKind]
    BREACH_KIND_CARD_NOT_IN_DECK: _ClassVar[BreachKind]
    BREACH_KIND_ORDINAL_REPEATED: _ClassVar[BreachKind]
    BREACH_KIND_ORDINAL_MISSING: _ClassVar[BreachKind]
    BREACH_KIND_ORDINAL_IMPOSSIBLE: _ClassVar[BreachKind]
    BREACH_KIND_TOO_FEW_CARDS: _ClassVar[BreachKind]
    BREACH_KIND_TOO_MANY_CARDS: _ClassVar[BreachKind]
    BREACH_KIND_PACKET_SIZE: _ClassVar[BreachKind]
    BREACH_KIND_DEALING_METHOD: _ClassVar[BreachKind]
    BREACH_KIND_STUB_COUNT: _ClassVar[BreachKind]
    BREACH_KIND_EXPOSED_EARLY: _ClassVar[BreachKind]
    BREACH_KIND_EXPOSED_OTHER_CARDS: _ClassVar[BreachKind]
    BREACH_KIND_REPORTED: _ClassVar[BreachKind]

class SetBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SET_BY_UNSPECIFIED: _ClassVar[SetBy]
    SET_BY_PLAYER: _ClassVar[SetBy]
    SET_BY_RULE: _ClassVar[SetBy]
    SET_BY_CORRECTION: _ClassVar[SetBy]

class VoidReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VOID_REASON_UNSPECIFIED: _ClassVar[VoidReason]
    VOID_REASON_ORDERED: _ClassVar[VoidReason]
    VOID_REASON_NO_PAYOUT_DUE: _ClassVar[VoidReason]

class Counterparty(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COUNTERPARTY_UNSPECIFIED: _ClassVar[Counterparty]
    COUNTERPARTY_HOUSE: _ClassVar[Counterparty]
    COUNTERPARTY_POT: _ClassVar[Counterparty]

class Measure(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MEASURE_UNSPECIFIED: _ClassVar[Measure]
    MEASURE_POINT_COUNT: _ClassVar[Measure]
    MEASURE_HIGH_TOTAL: _ClassVar[Measure]
    MEASURE_LOW_TOTAL: _ClassVar[Measure]
    MEASURE_POKER_CATEGORY: _ClassVar[Measure]
    MEASURE_TWO_CARD_COUNT: _ClassVar[Measure]
    MEASURE_PAIR_RANK: _ClassVar[Measure]

class LineReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LINE_REASON_UNSPECIFIED: _ClassVar[LineReason]
    LINE_REASON_ROUND_VOID: _ClassVar[LineReason]
    LINE_REASON_HAND_VOID: _ClassVar[LineReason]
    LINE_REASON_ABANDONED_LOSING: _ClassVar[LineReason]
    LINE_REASON_ABANDONED_RETURNED: _ClassVar[LineReason]
    LINE_REASON_NEITHER_QUALIFIES: _ClassVar[LineReason]
    LINE_REASON_ONLY_PLAYER_QUALIFIES: _ClassVar[LineReason]
    LINE_REASON_ONLY_DEALER_QUALIFIES: _ClassVar[LineReason]
    LINE_REASON_DEALER_HIGHER: _ClassVar[LineReason]
    LINE_REASON_DEALER_LOWER: _ClassVar[LineReason]
    LINE_REASON_EQUAL: _ClassVar[LineReason]
    LINE_REASON_MISSET: _ClassVar[LineReason]
    LINE_REASON_POKER_MADE: _ClassVar[LineReason]
    LINE_REASON_POKER_NOT_MADE: _ClassVar[LineReason]
    LINE_REASON_POT_WON: _ClassVar[LineReason]
    LINE_REASON_POT_SHARED: _ClassVar[LineReason]
    LINE_REASON_POT_LOST: _ClassVar[LineReason]
    LINE_REASON_POT_WITHOUT_WINNER: _ClassVar[LineReason]
    LINE_REASON_POT_NOT_ELIGIBLE: _ClassVar[LineReason]
    LINE_REASON_WIN_WIN: _ClassVar[LineReason]
    LINE_REASON_WIN_TIE: _ClassVar[LineReason]
    LINE_REASON_WIN_LOSE: _ClassVar[LineReason]
    LINE_REASON_TIE_WIN: _ClassVar[LineReason]
    LINE_REASON_TIE_TIE: _ClassVar[LineReason]
    LINE_REASON_TIE_LOSE: _ClassVar[LineReason]
    LINE_REASON_LOSE_WIN: _ClassVar[LineReason]
    LINE_REASON_LOSE_TIE: _ClassVar[LineReason]
    LINE_REASON_LOSE_LOSE: _ClassVar[LineReason]
    LINE_REASON_FOUL: _ClassVar[LineReason]
    LINE_REASON_NO_TIE: _ClassVar[LineReason]
    LINE_REASON_ONE_TIE: _ClassVar[LineReason]
    LINE_REASON_BOTH_TIE: _ClassVar[LineReason]
REFUSAL_UNSPECIFIED: Refusal
REFUSAL_RULES_INVALID: Refusal
REFUSAL_NO_SUCH_POSITION: Refusal
REFUSAL_NOT_SEATED: Refusal
REFUSAL_BETTING_CLOSED: Refusal
REFUSAL_BETTING_OPEN: Refusal
REFUSAL_INSTRUMENT_NOT_ACCEPTED: Refusal
REFUSAL_VERBAL_WITH_CASH: Refusal
REFUSAL_WAGER_NOT_OFFERED: Refusal
REFUSAL_AMOUNT_NOT_POSITIVE: Refusal
REFUSAL_ABOVE_MAXIMUM: Refusal
REFUSAL_SECOND_POSITION: Refusal
REFUSAL_POSITIONS_NOT_ADJACENT: Refusal
REFUSAL_NO_WAGER_THERE: Refusal
REFUSAL_NOTHING_ASKED: Refusal
REFUSAL_TOO_MANY_WAGERS: Refusal
REFUSAL_TOO_MUCH_ASKED: Refusal
REFUSAL_NO_HAND_THERE: Refusal
REFUSAL_HAND_VOID: Refusal
REFUSAL_HAND_NOT_DEALT: Refusal
REFUSAL_NOT_THE_HANDS_CARDS: Refusal
REFUSAL_WRONG_SPLIT_SIZES: Refusal
REFUSAL_ALREADY_SET: Refusal
REFUSAL_DEALER_EXPOSED: Refusal
REFUSAL_OUT_OF_SET_ORDER: Refusal
REFUSAL_PLAYER_LEFT: Refusal
REFUSAL_ORDINAL_IMPOSSIBLE: Refusal
REFUSAL_CARD_NOT_IN_DECK: Refusal
REFUSAL_HAND_INCOMPLETE: Refusal
REFUSAL_NOTHING_TO_RULE: Refusal
REFUSAL_ALREADY_VOID: Refusal
REFUSAL_PLAYER_HAS_NOT_LEFT: Refusal
REFUSAL_READING_NOT_FILED: Refusal
REFUSAL_NO_PAYOUT_DUE: Refusal
REFUSAL_WRONG_REVISION: Refusal
RETURN_REASON_UNSPECIFIED: ReturnReason
RETURN_REASON_WITHDRAWN: ReturnReason
RETURN_REASON_ANTE_WITHDRAWN: ReturnReason
RETURN_REASON_NO_ANTE: ReturnReason
RETURN_REASON_BELOW_MINIMUM: ReturnReason
RETURN_REASON_NOT_A_MULTIPLE: ReturnReason
RETURN_REASON_ANTE_BELOW_MINIMUM: ReturnReason
RETURN_REASON_ANTE_NOT_A_MULTIPLE: ReturnReason
RETURN_REASON_POT_MISSING: ReturnReason
RETURN_REASON_POT_AMOUNT: ReturnReason
BREACH_KIND_UNSPECIFIED: BreachKind
BREACH_KIND_CARD_BEFORE_CLOSE: BreachKind
BREACH_KIND_DUPLICATE_CARD: BreachKind
BREACH_KIND_CARD_NOT_IN_DECK: BreachKind
BREACH_KIND_ORDINAL_REPEATED: BreachKind
BREACH_KIND_ORDINAL_MISSING: BreachKind
BREACH_KIND_ORDINAL_IMPOSSIBLE: BreachKind
BREACH_KIND_TOO_FEW_CARDS: BreachKind
BREACH_KIND_TOO_MANY_CARDS: BreachKind
BREACH_KIND_PACKET_SIZE: BreachKind
BREACH_KIND_DEALING_METHOD: BreachKind
BREACH_KIND_STUB_COUNT: BreachKind
BREACH_KIND_EXPOSED_EARLY: BreachKind
BREACH_KIND_EXPOSED_OTHER_CARDS: BreachKind
BREACH_KIND_REPORTED: BreachKind
SET_BY_UNSPECIFIED: SetBy
SET_BY_PLAYER: SetBy
SET_BY_RULE: SetBy
SET_BY_CORRECTION: SetBy
VOID_REASON_UNSPECIFIED: VoidReason
VOID_REASON_ORDERED: VoidReason
VOID_REASON_NO_PAYOUT_DUE: VoidReason
COUNTERPARTY_UNSPECIFIED: Counterparty
COUNTERPARTY_HOUSE: Counterparty
COUNTERPARTY_POT: Counterparty
MEASURE_UNSPECIFIED: Measure
MEASURE_POINT_COUNT: Measure
MEASURE_HIGH_TOTAL: Measure
MEASURE_LOW_TOTAL: Measure
MEASURE_POKER_CATEGORY: Measure
MEASURE_TWO_CARD_COUNT: Measure
MEASURE_PAIR_RANK: Measure
LINE_REASON_UNSPECIFIED: LineReason
LINE_REASON_ROUND_VOID: LineReason
LINE_REASON_HAND_VOID: LineReason
LINE_REASON_ABANDONED_LOSING: LineReason
LINE_REASON_ABANDONED_RETURNED: LineReason
LINE_REASON_NEITHER_QUALIFIES: LineReason
LINE_REASON_ONLY_PLAYER_QUALIFIES: LineReason
LINE_REASON_ONLY_DEALER_QUALIFIES: LineReason
LINE_REASON_DEALER_HIGHER: LineReason
LINE_REASON_DEALER_LOWER: LineReason
LINE_REASON_EQUAL: LineReason
LINE_REASON_MISSET: LineReason
LINE_REASON_POKER_MADE: LineReason
LINE_REASON_POKER_NOT_MADE: LineReason
LINE_REASON_POT_WON: LineReason
LINE_REASON_POT_SHARED: LineReason
LINE_REASON_POT_LOST: LineReason
LINE_REASON_POT_WITHOUT_WINNER: LineReason
LINE_REASON_POT_NOT_ELIGIBLE: LineReason
LINE_REASON_WIN_WIN: LineReason
LINE_REASON_WIN_TIE: LineReason
LINE_REASON_WIN_LOSE: LineReason
LINE_REASON_TIE_WIN: LineReason
LINE_REASON_TIE_TIE: LineReason
LINE_REASON_TIE_LOSE: LineReason
LINE_REASON_LOSE_WIN: LineReason
LINE_REASON_LOSE_TIE: LineReason
LINE_REASON_LOSE_LOSE: LineReason
LINE_REASON_FOUL: LineReason
LINE_REASON_NO_TIE: LineReason
LINE_REASON_ONE_TIE: LineReason
LINE_REASON_BOTH_TIE: LineReason

class RequestAnswered(_message.Message):
    __slots__ = ("answers", "returned")
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[Answer]
    returned: _containers.RepeatedCompositeFieldContainer[ReturnedStake]
    def __init__(self, answers: _Optional[_Iterable[_Union[Answer, _Mapping]]] = ..., returned: _Optional[_Iterable[_Union[ReturnedStake, _Mapping]]] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("kind", "refusal", "asked_minor", "limit_minor", "citations")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    ASKED_MINOR_FIELD_NUMBER: _ClassVar[int]
    LIMIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    kind: _money_pb2.WagerKind
    refusal: Refusal
    asked_minor: int
    limit_minor: int
    citations: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., refusal: _Optional[_Union[Refusal, str]] = ..., asked_minor: _Optional[int] = ..., limit_minor: _Optional[int] = ..., citations: _Optional[_Iterable[str]] = ...) -> None: ...

class BettingClosed(_message.Message):
    __slots__ = ("circles", "returned", "pot_minor")
    CIRCLES_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    POT_MINOR_FIELD_NUMBER: _ClassVar[int]
    circles: _containers.RepeatedCompositeFieldContainer[Circle]
    returned: _containers.RepeatedCompositeFieldContainer[ReturnedStake]
    pot_minor: int
    def __init__(self, circles: _Optional[_Iterable[_Union[Circle, _Mapping]]] = ..., returned: _Optional[_Iterable[_Union[ReturnedStake, _Mapping]]] = ..., pot_minor: _Optional[int] = ...) -> None: ...

class Circle(_message.Message):
    __slots__ = ("position", "kind", "stake_minor", "wager_ids")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    WAGER_IDS_FIELD_NUMBER: _ClassVar[int]
    position: int
    kind: _money_pb2.WagerKind
    stake_minor: int
    wager_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., stake_minor: _Optional[int] = ..., wager_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class ReturnedStake(_message.Message):
    __slots__ = ("position", "kind", "amount_minor", "reason", "limit_minor", "citations")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LIMIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    position: int
    kind: _money_pb2.WagerKind
    amount_minor: int
    reason: ReturnReason
    limit_minor: int
    citations: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., amount_minor: _Optional[int] = ..., reason: _Optional[_Union[ReturnReason, str]] = ..., limit_minor: _Optional[int] = ..., citations: _Optional[_Iterable[str]] = ...) -> None: ...

class HandsDealt(_message.Message):
    __slots__ = ("revision", "hands", "dealer", "ruled", "ruled_more")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    RULED_FIELD_NUMBER: _ClassVar[int]
    RULED_MORE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    hands: _containers.RepeatedCompositeFieldContainer[DealtHand]
    dealer: DealtHand
    ruled: _containers.RepeatedCompositeFieldContainer[DealBreach]
    ruled_more: int
    def __init__(self, revision: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[DealtHand, _Mapping]]] = ..., dealer: _Optional[_Union[DealtHand, _Mapping]] = ..., ruled: _Optional[_Iterable[_Union[DealBreach, _Mapping]]] = ..., ruled_more: _Optional[int] = ...) -> None: ...

class DealtHand(_message.Message):
    __slots__ = ("position", "cards", "ordinals")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    ORDINALS_FIELD_NUMBER: _ClassVar[int]
    position: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    ordinals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, position: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., ordinals: _Optional[_Iterable[int]] = ...) -> None: ...

class DealIrregular(_message.Message):
    __slots__ = ("revision", "breaches", "more")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    BREACHES_FIELD_NUMBER: _ClassVar[int]
    MORE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    breaches: _containers.RepeatedCompositeFieldContainer[DealBreach]
    more: int
    def __init__(self, revision: _Optional[int] = ..., breaches: _Optional[_Iterable[_Union[DealBreach, _Mapping]]] = ..., more: _Optional[int] = ...) -> None: ...

class DealBreach(_message.Message):
    __slots__ = ("kind", "ordinal", "position", "card", "found", "expected", "reported_by")
    KIND_FIELD_NUMBER: _ClassVar[int]
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    REPORTED_BY_FIELD_NUMBER: _ClassVar[int]
    kind: BreachKind
    ordinal: int
    position: int
    card: _cards_pb2.Card
    found: int
    expected: int
    reported_by: str
    def __init__(self, kind: _Optional[_Union[BreachKind, str]] = ..., ordinal: _Optional[int] = ..., position: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ..., found: _Optional[int] = ..., expected: _Optional[int] = ..., reported_by: _Optional[str] = ...) -> None: ...

class HandsEvaluated(_message.Message):
    __slots__ = ("revision", "hands", "dealer")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    revision: int
    hands: _containers.RepeatedCompositeFieldContainer[EvaluatedHand]
    dealer: EvaluatedHand
    def __init__(self, revision: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[EvaluatedHand, _Mapping]]] = ..., dealer: _Optional[_Union[EvaluatedHand, _Mapping]] = ...) -> None: ...

class EvaluatedHand(_message.Message):
    __slots__ = ("position", "first", "second", "set_by", "first_total", "second_total", "joker_points", "qualifies", "point_count", "misset", "busted", "foul", "poker", "poker_rank", "joker_in_poker", "rulings")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    SET_BY_FIELD_NUMBER: _ClassVar[int]
    FIRST_TOTAL_FIELD_NUMBER: _ClassVar[int]
    SECOND_TOTAL_FIELD_NUMBER: _ClassVar[int]
    JOKER_POINTS_FIELD_NUMBER: _ClassVar[int]
    QUALIFIES_FIELD_NUMBER: _ClassVar[int]
    POINT_COUNT_FIELD_NUMBER: _ClassVar[int]
    MISSET_FIELD_NUMBER: _ClassVar[int]
    BUSTED_FIELD_NUMBER: _ClassVar[int]
    FOUL_FIELD_NUMBER: _ClassVar[int]
    POKER_FIELD_NUMBER: _ClassVar[int]
    POKER_RANK_FIELD_NUMBER: _ClassVar[int]
    JOKER_IN_POKER_FIELD_NUMBER: _ClassVar[int]
    RULINGS_FIELD_NUMBER: _ClassVar[int]
    position: int
    first: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    second: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    set_by: SetBy
    first_total: int
    second_total: int
    joker_points: int
    qualifies: bool
    point_count: int
    misset: bool
    busted: bool
    foul: bool
    poker: _rules_pb2.PokerCategory
    poker_rank: int
    joker_in_poker: bool
    rulings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, position: _Optional[int] = ..., first: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., second: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., set_by: _Optional[_Union[SetBy, str]] = ..., first_total: _Optional[int] = ..., second_total: _Optional[int] = ..., joker_points: _Optional[int] = ..., qualifies: _Optional[bool] = ..., point_count: _Optional[int] = ..., misset: _Optional[bool] = ..., busted: _Optional[bool] = ..., foul: _Optional[bool] = ..., poker: _Optional[_Union[_rules_pb2.PokerCategory, str]] = ..., poker_rank: _Optional[int] = ..., joker_in_poker: _Optional[bool] = ..., rulings: _Optional[_Iterable[str]] = ...) -> None: ...

class PayoutDue(_message.Message):
    __slots__ = ("revision", "lines", "pot", "totals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    lines: _containers.RepeatedCompositeFieldContainer[SettlementLine]
    pot: PotResult
    totals: Totals
    def __init__(self, revision: _Optional[int] = ..., lines: _Optional[_Iterable[_Union[SettlementLine, _Mapping]]] = ..., pot: _Optional[_Union[PotResult, _Mapping]] = ..., totals: _Optional[_Union[Totals, _Mapping]] = ...) -> None: ...

class RoundSettled(_message.Message):
    __slots__ = ("revision", "lines", "pot", "totals")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    revision: int
    lines: _containers.RepeatedCompositeFieldContainer[SettlementLine]
    pot: PotResult
    totals: Totals
    def __init__(self, revision: _Optional[int] = ..., lines: _Optional[_Iterable[_Union[SettlementLine, _Mapping]]] = ..., pot: _Optional[_Union[PotResult, _Mapping]] = ..., totals: _Optional[_Union[Totals, _Mapping]] = ...) -> None: ...

class RoundVoided(_message.Message):
    __slots__ = ("lines", "totals", "reason")
    LINES_FIELD_NUMBER: _ClassVar[int]
    TOTALS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    lines: _containers.RepeatedCompositeFieldContainer[SettlementLine]
    totals: Totals
    reason: VoidReason
    def __init__(self, lines: _Optional[_Iterable[_Union[SettlementLine, _Mapping]]] = ..., totals: _Optional[_Union[Totals, _Mapping]] = ..., reason: _Optional[_Union[VoidReason, str]] = ...) -> None: ...

class SettlementLine(_message.Message):
    __slots__ = ("position", "kind", "wager_ids", "counterparty", "stake_minor", "outcome", "reason", "odds", "uncut_profit_minor", "profit_minor", "returned_minor", "comparisons", "citations", "rulings")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    WAGER_IDS_FIELD_NUMBER: _ClassVar[int]
    COUNTERPARTY_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ODDS_FIELD_NUMBER: _ClassVar[int]
    UNCUT_PROFIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    PROFIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    RETURNED_MINOR_FIELD_NUMBER: _ClassVar[int]
    COMPARISONS_FIELD_NUMBER: _ClassVar[int]
    CITATIONS_FIELD_NUMBER: _ClassVar[int]
    RULINGS_FIELD_NUMBER: _ClassVar[int]
    position: int
    kind: _money_pb2.WagerKind
    wager_ids: _containers.RepeatedScalarFieldContainer[str]
    counterparty: Counterparty
    stake_minor: int
    outcome: _rules_pb2.Outcome
    reason: LineReason
    odds: _money_pb2.Odds
    uncut_profit_minor: int
    profit_minor: int
    returned_minor: int
    comparisons: _containers.RepeatedCompositeFieldContainer[Comparison]
    citations: _containers.RepeatedScalarFieldContainer[str]
    rulings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., wager_ids: _Optional[_Iterable[str]] = ..., counterparty: _Optional[_Union[Counterparty, str]] = ..., stake_minor: _Optional[int] = ..., outcome: _Optional[_Union[_rules_pb2.Outcome, str]] = ..., reason: _Optional[_Union[LineReason, str]] = ..., odds: _Optional[_Union[_money_pb2.Odds, _Mapping]] = ..., uncut_profit_minor: _Optional[int] = ..., profit_minor: _Optional[int] = ..., returned_minor: _Optional[int] = ..., comparisons: _Optional[_Iterable[_Union[Comparison, _Mapping]]] = ..., citations: _Optional[_Iterable[str]] = ..., rulings: _Optional[_Iterable[str]] = ...) -> None: ...

class Comparison(_message.Message):
    __slots__ = ("measure", "player", "other")
    MEASURE_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    OTHER_FIELD_NUMBER: _ClassVar[int]
    measure: Measure
    player: int
    other: int
    def __init__(self, measure: _Optional[_Union[Measure, str]] = ..., player: _Optional[int] = ..., other: _Optional[int] = ...) -> None: ...

class PotResult(_message.Message):
    __slots__ = ("amount_minor", "best_point_count", "eligible", "shares", "rulings")
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    BEST_POINT_COUNT_FIELD_NUMBER: _ClassVar[int]
    ELIGIBLE_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    RULINGS_FIELD_NUMBER: _ClassVar[int]
    amount_minor: int
    best_point_count: int
    eligible: _containers.RepeatedScalarFieldContainer[int]
    shares: _containers.RepeatedCompositeFieldContainer[PotShare]
    rulings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, amount_minor: _Optional[int] = ..., best_point_count: _Optional[int] = ..., eligible: _Optional[_Iterable[int]] = ..., shares: _Optional[_Iterable[_Union[PotShare, _Mapping]]] = ..., rulings: _Optional[_Iterable[str]] = ...) -> None: ...

class PotShare(_message.Message):
    __slots__ = ("position", "amount_minor")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    position: int
    amount_minor: int
    def __init__(self, position: _Optional[int] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class Totals(_message.Message):
    __slots__ = ("staked_minor", "returned_minor", "positions_net_minor", "house_net_minor", "pot_net_minor")
    STAKED_MINOR_FIELD_NUMBER: _ClassVar[int]
    RETURNED_MINOR_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    HOUSE_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    POT_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    staked_minor: int
    returned_minor: int
    positions_net_minor: int
    house_net_minor: int
    pot_net_minor: int
    def __init__(self, staked_minor: _Optional[int] = ..., returned_minor: _Optional[int] = ..., positions_net_minor: _Optional[int] = ..., house_net_minor: _Optional[int] = ..., pot_net_minor: _Optional[int] = ...) -> None: ...
