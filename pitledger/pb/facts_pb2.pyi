from pitledger.pb import cards_pb2 as _cards_pb2
from pitledger.pb import money_pb2 as _money_pb2
from pitledger.pb import options_pb2 as _options_pb2
from pitledger.pb import rules_pb2 as _rules_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class IrregularityKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    IRREGULARITY_KIND_UNSPECIFIED: _ClassVar[IrregularityKind]
    IRREGULARITY_KIND_EXPOSED_CARD: _ClassVar[IrregularityKind]
    IRREGULARITY_KIND_BOXED_CARD: _ClassVar[IrregularityKind]
    IRREGULARITY_KIND_FOUND_CARD: _ClassVar[IrregularityKind]
    IRREGULARITY_KIND_WRONG_COUNT: _ClassVar[IrregularityKind]
    IRREGULARITY_KIND_SHUFFLER_FAILURE: _ClassVar[IrregularityKind]
    IRREGULARITY_KIND_OTHER: _ClassVar[IrregularityKind]

class ConductKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONDUCT_KIND_UNSPECIFIED: _ClassVar[ConductKind]
    CONDUCT_KIND_TOUCHED_BY_ANOTHER: _ClassVar[ConductKind]
    CONDUCT_KIND_OUT_OF_VIEW: _ClassVar[ConductKind]
    CONDUCT_KIND_OTHER: _ClassVar[ConductKind]

class DisputeFinding(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DISPUTE_FINDING_UNSPECIFIED: _ClassVar[DisputeFinding]
    DISPUTE_FINDING_NO_ERROR: _ClassVar[DisputeFinding]
    DISPUTE_FINDING_PATRON_ERROR: _ClassVar[DisputeFinding]
    DISPUTE_FINDING_DEALER_ERROR: _ClassVar[DisputeFinding]

class AdjustmentForm(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADJUSTMENT_FORM_UNSPECIFIED: _ClassVar[AdjustmentForm]
    ADJUSTMENT_FORM_ROLL_BACK: _ClassVar[AdjustmentForm]
    ADJUSTMENT_FORM_RESETTLEMENT: _ClassVar[AdjustmentForm]
IRREGULARITY_KIND_UNSPECIFIED: IrregularityKind
IRREGULARITY_KIND_EXPOSED_CARD: IrregularityKind
IRREGULARITY_KIND_BOXED_CARD: IrregularityKind
IRREGULARITY_KIND_FOUND_CARD: IrregularityKind
IRREGULARITY_KIND_WRONG_COUNT: IrregularityKind
IRREGULARITY_KIND_SHUFFLER_FAILURE: IrregularityKind
IRREGULARITY_KIND_OTHER: IrregularityKind
CONDUCT_KIND_UNSPECIFIED: ConductKind
CONDUCT_KIND_TOUCHED_BY_ANOTHER: ConductKind
CONDUCT_KIND_OUT_OF_VIEW: ConductKind
CONDUCT_KIND_OTHER: ConductKind
DISPUTE_FINDING_UNSPECIFIED: DisputeFinding
DISPUTE_FINDING_NO_ERROR: DisputeFinding
DISPUTE_FINDING_PATRON_ERROR: DisputeFinding
DISPUTE_FINDING_DEALER_ERROR: DisputeFinding
ADJUSTMENT_FORM_UNSPECIFIED: AdjustmentForm
ADJUSTMENT_FORM_ROLL_BACK: AdjustmentForm
ADJUSTMENT_FORM_RESETTLEMENT: AdjustmentForm

class TableOpened(_message.Message):
    __slots__ = ("submission", "submission_digest", "posted_limits", "gaming_day", "property_id", "pit_id")
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_DIGEST_FIELD_NUMBER: _ClassVar[int]
    POSTED_LIMITS_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_ID_FIELD_NUMBER: _ClassVar[int]
    PIT_ID_FIELD_NUMBER: _ClassVar[int]
    submission: bytes
    submission_digest: bytes
    posted_limits: _rules_pb2.PostedLimits
    gaming_day: str
    property_id: str
    pit_id: str
    def __init__(self, submission: _Optional[bytes] = ..., submission_digest: _Optional[bytes] = ..., posted_limits: _Optional[_Union[_rules_pb2.PostedLimits, _Mapping]] = ..., gaming_day: _Optional[str] = ..., property_id: _Optional[str] = ..., pit_id: _Optional[str] = ...) -> None: ...

class TableClosed(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class PostedLimitsChanged(_message.Message):
    __slots__ = ("posted_limits",)
    POSTED_LIMITS_FIELD_NUMBER: _ClassVar[int]
    posted_limits: _rules_pb2.PostedLimits
    def __init__(self, posted_limits: _Optional[_Union[_rules_pb2.PostedLimits, _Mapping]] = ...) -> None: ...

class DealerChanged(_message.Message):
    __slots__ = ("dealer_id", "supervisor_id")
    DEALER_ID_FIELD_NUMBER: _ClassVar[int]
    SUPERVISOR_ID_FIELD_NUMBER: _ClassVar[int]
    dealer_id: str
    supervisor_id: str
    def __init__(self, dealer_id: _Optional[str] = ..., supervisor_id: _Optional[str] = ...) -> None: ...

class TableHeld(_message.Message):
    __slots__ = ("reason", "about_id")
    REASON_FIELD_NUMBER: _ClassVar[int]
    ABOUT_ID_FIELD_NUMBER: _ClassVar[int]
    reason: str
    about_id: str
    def __init__(self, reason: _Optional[str] = ..., about_id: _Optional[str] = ...) -> None: ...

class TableReleased(_message.Message):
    __slots__ = ("reason", "held_id")
    REASON_FIELD_NUMBER: _ClassVar[int]
    HELD_ID_FIELD_NUMBER: _ClassVar[int]
    reason: str
    held_id: str
    def __init__(self, reason: _Optional[str] = ..., held_id: _Optional[str] = ...) -> None: ...

class RoundOpened(_message.Message):
    __slots__ = ("round_number", "adjudication_version", "gaming_day", "property_id", "pit_id", "currency_code", "submission", "submission_digest", "posted_limits", "seats", "dealer_id", "supervisor_id", "shuffler_id", "shoe_id", "deck_ids", "dealing_method", "rounds_since_stub_count", "shuffler_confirms_count")
    ROUND_NUMBER_FIELD_NUMBER: _ClassVar[int]
    ADJUDICATION_VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    PROPERTY_ID_FIELD_NUMBER: _ClassVar[int]
    PIT_ID_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_CODE_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_FIELD_NUMBER: _ClassVar[int]
    SUBMISSION_DIGEST_FIELD_NUMBER: _ClassVar[int]
    POSTED_LIMITS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    DEALER_ID_FIELD_NUMBER: _ClassVar[int]
    SUPERVISOR_ID_FIELD_NUMBER: _ClassVar[int]
    SHUFFLER_ID_FIELD_NUMBER: _ClassVar[int]
    SHOE_ID_FIELD_NUMBER: _ClassVar[int]
    DECK_IDS_FIELD_NUMBER: _ClassVar[int]
    DEALING_METHOD_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_SINCE_STUB_COUNT_FIELD_NUMBER: _ClassVar[int]
    SHUFFLER_CONFIRMS_COUNT_FIELD_NUMBER: _ClassVar[int]
    round_number: int
    adjudication_version: int
    gaming_day: str
    property_id: str
    pit_id: str
    currency_code: str
    submission: bytes
    submission_digest: bytes
    posted_limits: _rules_pb2.PostedLimits
    seats: _containers.RepeatedCompositeFieldContainer[Seat]
    dealer_id: str
    supervisor_id: str
    shuffler_id: str
    shoe_id: str
    deck_ids: _containers.RepeatedScalarFieldContainer[str]
    dealing_method: _cards_pb2.DealingMethod
    rounds_since_stub_count: int
    shuffler_confirms_count: bool
    def __init__(self, round_number: _Optional[int] = ..., adjudication_version: _Optional[int] = ..., gaming_day: _Optional[str] = ..., property_id: _Optional[str] = ..., pit_id: _Optional[str] = ..., currency_code: _Optional[str] = ..., submission: _Optional[bytes] = ..., submission_digest: _Optional[bytes] = ..., posted_limits: _Optional[_Union[_rules_pb2.PostedLimits, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[Seat, _Mapping]]] = ..., dealer_id: _Optional[str] = ..., supervisor_id: _Optional[str] = ..., shuffler_id: _Optional[str] = ..., shoe_id: _Optional[str] = ..., deck_ids: _Optional[_Iterable[str]] = ..., dealing_method: _Optional[_Union[_cards_pb2.DealingMethod, str]] = ..., rounds_since_stub_count: _Optional[int] = ..., shuffler_confirms_count: _Optional[bool] = ...) -> None: ...

class Seat(_message.Message):
    __slots__ = ("position", "patron_id")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PATRON_ID_FIELD_NUMBER: _ClassVar[int]
    position: int
    patron_id: str
    def __init__(self, position: _Optional[int] = ..., patron_id: _Optional[str] = ...) -> None: ...

class RoundClosed(_message.Message):
    __slots__ = ("revision",)
    REVISION_FIELD_NUMBER: _ClassVar[int]
    revision: int
    def __init__(self, revision: _Optional[int] = ...) -> None: ...

class VoidOrdered(_message.Message):
    __slots__ = ("position", "reason", "authorised_by", "notified")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    AUTHORISED_BY_FIELD_NUMBER: _ClassVar[int]
    NOTIFIED_FIELD_NUMBER: _ClassVar[int]
    position: int
    reason: str
    authorised_by: str
    notified: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, position: _Optional[int] = ..., reason: _Optional[str] = ..., authorised_by: _Optional[str] = ..., notified: _Optional[_Iterable[str]] = ...) -> None: ...

class WagerRequested(_message.Message):
    __slots__ = ("position", "patron_id", "stakes", "instrument")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PATRON_ID_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    INSTRUMENT_FIELD_NUMBER: _ClassVar[int]
    position: int
    patron_id: str
    stakes: _containers.RepeatedCompositeFieldContainer[_money_pb2.Stake]
    instrument: str
    def __init__(self, position: _Optional[int] = ..., patron_id: _Optional[str] = ..., stakes: _Optional[_Iterable[_Union[_money_pb2.Stake, _Mapping]]] = ..., instrument: _Optional[str] = ...) -> None: ...

class WagerWithdrawalRequested(_message.Message):
    __slots__ = ("position", "patron_id", "kinds")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PATRON_ID_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    position: int
    patron_id: str
    kinds: _containers.RepeatedScalarFieldContainer[_money_pb2.WagerKind]
    def __init__(self, position: _Optional[int] = ..., patron_id: _Optional[str] = ..., kinds: _Optional[_Iterable[_Union[_money_pb2.WagerKind, str]]] = ...) -> None: ...

class NoMoreBets(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class CardDrawn(_message.Message):
    __slots__ = ("ordinal", "card")
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    ordinal: int
    card: _cards_pb2.Card
    def __init__(self, ordinal: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ...) -> None: ...

class PacketDrawn(_message.Message):
    __slots__ = ("packet", "cards")
    PACKET_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    packet: int
    cards: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, packet: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class StubCounted(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: int
    def __init__(self, cards: _Optional[int] = ...) -> None: ...

class DealerExposed(_message.Message):
    __slots__ = ("first", "second")
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    first: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    second: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, first: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., second: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class HandSet(_message.Message):
    __slots__ = ("position", "patron_id", "first", "second")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    PATRON_ID_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    SECOND_FIELD_NUMBER: _ClassVar[int]
    position: int
    patron_id: str
    first: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    second: _containers.RepeatedScalarFieldContainer[_cards_pb2.Card]
    def __init__(self, position: _Optional[int] = ..., patron_id: _Optional[str] = ..., first: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ..., second: _Optional[_Iterable[_Union[_cards_pb2.Card, str]]] = ...) -> None: ...

class CardCorrected(_message.Message):
    __slots__ = ("ordinal", "card", "reason")
    ORDINAL_FIELD_NUMBER: _ClassVar[int]
    CARD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ordinal: int
    card: _cards_pb2.Card
    reason: str
    def __init__(self, ordinal: _Optional[int] = ..., card: _Optional[_Union[_cards_pb2.Card, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class DealRuled(_message.Message):
    __slots__ = ("reason",)
    REASON_FIELD_NUMBER: _ClassVar[int]
    reason: str
    def __init__(self, reason: _Optional[str] = ...) -> None: ...

class PlayerLeft(_message.Message):
    __slots__ = ("position",)
    POSITION_FIELD_NUMBER: _ClassVar[int]
    position: int
    def __init__(self, position: _Optional[int] = ...) -> None: ...

class AbandonmentRuled(_message.Message):
    __slots__ = ("position", "reading", "reason")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    READING_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    position: int
    reading: _rules_pb2.AbandonmentReading
    reason: str
    def __init__(self, position: _Optional[int] = ..., reading: _Optional[_Union[_rules_pb2.AbandonmentReading, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class IrregularityReported(_message.Message):
    __slots__ = ("kind", "position", "note")
    KIND_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    kind: IrregularityKind
    position: int
    note: str
    def __init__(self, kind: _Optional[_Union[IrregularityKind, str]] = ..., position: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...

class ConductNoted(_message.Message):
    __slots__ = ("kind", "position", "note")
    KIND_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    kind: ConductKind
    position: int
    note: str
    def __init__(self, kind: _Optional[_Union[ConductKind, str]] = ..., position: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...

class PaymentRecorded(_message.Message):
    __slots__ = ("position", "kind", "amount_minor")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    position: int
    kind: _money_pb2.WagerKind
    amount_minor: int
    def __init__(self, position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class SettlementReference(_message.Message):
    __slots__ = ("settlement_event_id", "round_id", "record")
    SETTLEMENT_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    settlement_event_id: str
    round_id: str
    record: bytes
    def __init__(self, settlement_event_id: _Optional[str] = ..., round_id: _Optional[str] = ..., record: _Optional[bytes] = ...) -> None: ...

class DisputeOpened(_message.Message):
    __slots__ = ("settlement", "position", "claimant_id", "claim", "amount_minor", "currency_code", "window_days", "case_version")
    SETTLEMENT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    CLAIMANT_ID_FIELD_NUMBER: _ClassVar[int]
    CLAIM_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_CODE_FIELD_NUMBER: _ClassVar[int]
    WINDOW_DAYS_FIELD_NUMBER: _ClassVar[int]
    CASE_VERSION_FIELD_NUMBER: _ClassVar[int]
    settlement: SettlementReference
    position: int
    claimant_id: str
    claim: str
    amount_minor: int
    currency_code: str
    window_days: int
    case_version: int
    def __init__(self, settlement: _Optional[_Union[SettlementReference, _Mapping]] = ..., position: _Optional[int] = ..., claimant_id: _Optional[str] = ..., claim: _Optional[str] = ..., amount_minor: _Optional[int] = ..., currency_code: _Optional[str] = ..., window_days: _Optional[int] = ..., case_version: _Optional[int] = ...) -> None: ...

class DisputeHeld(_message.Message):
    __slots__ = ("reason", "preserve_from_us", "preserve_until_us", "held_id", "do_not_rack", "media_link")
    REASON_FIELD_NUMBER: _ClassVar[int]
    PRESERVE_FROM_US_FIELD_NUMBER: _ClassVar[int]
    PRESERVE_UNTIL_US_FIELD_NUMBER: _ClassVar[int]
    HELD_ID_FIELD_NUMBER: _ClassVar[int]
    DO_NOT_RACK_FIELD_NUMBER: _ClassVar[int]
    MEDIA_LINK_FIELD_NUMBER: _ClassVar[int]
    reason: str
    preserve_from_us: int
    preserve_until_us: int
    held_id: str
    do_not_rack: bool
    media_link: str
    def __init__(self, reason: _Optional[str] = ..., preserve_from_us: _Optional[int] = ..., preserve_until_us: _Optional[int] = ..., held_id: _Optional[str] = ..., do_not_rack: _Optional[bool] = ..., media_link: _Optional[str] = ...) -> None: ...

class DisputeResolved(_message.Message):
    __slots__ = ("finding", "resolution", "dealer_id", "supervisor_id", "saved_minor", "media_link")
    FINDING_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    DEALER_ID_FIELD_NUMBER: _ClassVar[int]
    SUPERVISOR_ID_FIELD_NUMBER: _ClassVar[int]
    SAVED_MINOR_FIELD_NUMBER: _ClassVar[int]
    MEDIA_LINK_FIELD_NUMBER: _ClassVar[int]
    finding: DisputeFinding
    resolution: str
    dealer_id: str
    supervisor_id: str
    saved_minor: int
    media_link: str
    def __init__(self, finding: _Optional[_Union[DisputeFinding, str]] = ..., resolution: _Optional[str] = ..., dealer_id: _Optional[str] = ..., supervisor_id: _Optional[str] = ..., saved_minor: _Optional[int] = ..., media_link: _Optional[str] = ...) -> None: ...

class AdjustmentProposed(_message.Message):
    __slots__ = ("settlement", "position", "kind", "amount_minor", "reason", "form", "currency_code", "rolls_back_id", "circles")
    SETTLEMENT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_CODE_FIELD_NUMBER: _ClassVar[int]
    ROLLS_BACK_ID_FIELD_NUMBER: _ClassVar[int]
    CIRCLES_FIELD_NUMBER: _ClassVar[int]
    settlement: SettlementReference
    position: int
    kind: _money_pb2.WagerKind
    amount_minor: int
    reason: str
    form: AdjustmentForm
    currency_code: str
    rolls_back_id: str
    circles: _containers.RepeatedCompositeFieldContainer[ResettledCircle]
    def __init__(self, settlement: _Optional[_Union[SettlementReference, _Mapping]] = ..., position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., amount_minor: _Optional[int] = ..., reason: _Optional[str] = ..., form: _Optional[_Union[AdjustmentForm, str]] = ..., currency_code: _Optional[str] = ..., rolls_back_id: _Optional[str] = ..., circles: _Optional[_Iterable[_Union[ResettledCircle, _Mapping]]] = ...) -> None: ...

class ResettledCircle(_message.Message):
    __slots__ = ("position", "kind", "profit_minor", "from_pot")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    PROFIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    FROM_POT_FIELD_NUMBER: _ClassVar[int]
    position: int
    kind: _money_pb2.WagerKind
    profit_minor: int
    from_pot: bool
    def __init__(self, position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., profit_minor: _Optional[int] = ..., from_pot: _Optional[bool] = ...) -> None: ...

class AdjustmentApproved(_message.Message):
    __slots__ = ("proposal_event_id", "gaming_day")
    PROPOSAL_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    proposal_event_id: str
    gaming_day: str
    def __init__(self, proposal_event_id: _Optional[str] = ..., gaming_day: _Optional[str] = ...) -> None: ...

class AdjustmentDeclined(_message.Message):
    __slots__ = ("proposal_event_id", "reason")
    PROPOSAL_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    proposal_event_id: str
    reason: str
    def __init__(self, proposal_event_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ProcessorStarted(_message.Message):
    __slots__ = ("processor", "build", "instance")
    PROCESSOR_FIELD_NUMBER: _ClassVar[int]
    BUILD_FIELD_NUMBER: _ClassVar[int]
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    processor: str
    build: str
    instance: str
    def __init__(self, processor: _Optional[str] = ..., build: _Optional[str] = ..., instance: _Optional[str] = ...) -> None: ...
