from pitledger.pb import decisions_pb2 as _decisions_pb2
from pitledger.pb import facts_pb2 as _facts_pb2
from pitledger.pb import money_pb2 as _money_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CaseRefusal(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CASE_REFUSAL_UNSPECIFIED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_OUTSIDE_VOCABULARY: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NO_ACTOR: _ClassVar[CaseRefusal]
    CASE_REFUSAL_TEXT_MISSING: _ClassVar[CaseRefusal]
    CASE_REFUSAL_CASE_UNKNOWN: _ClassVar[CaseRefusal]
    CASE_REFUSAL_CASE_EXISTS: _ClassVar[CaseRefusal]
    CASE_REFUSAL_CASE_REFUSED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_ROUND_UNKNOWN: _ClassVar[CaseRefusal]
    CASE_REFUSAL_SETTLEMENT_MISSING: _ClassVar[CaseRefusal]
    CASE_REFUSAL_SETTLEMENT_DIFFERS: _ClassVar[CaseRefusal]
    CASE_REFUSAL_OTHER_SETTLEMENT: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NO_SUCH_POSITION: _ClassVar[CaseRefusal]
    CASE_REFUSAL_AMOUNT_NOT_DEFINITE: _ClassVar[CaseRefusal]
    CASE_REFUSAL_OTHER_CURRENCY: _ClassVar[CaseRefusal]
    CASE_REFUSAL_WINDOW_OVER: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NO_SPAN: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NO_FINDING: _ClassVar[CaseRefusal]
    CASE_REFUSAL_ALREADY_RESOLVED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NO_SUCH_WAGER: _ClassVar[CaseRefusal]
    CASE_REFUSAL_AMOUNT_TOO_LARGE: _ClassVar[CaseRefusal]
    CASE_REFUSAL_SETTLEMENT_UNKNOWN: _ClassVar[CaseRefusal]
    CASE_REFUSAL_ROLLED_BACK: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NOT_ROLLED_BACK: _ClassVar[CaseRefusal]
    CASE_REFUSAL_CIRCLE_REPEATED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_POT_UNBALANCED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_PROPOSAL_UNKNOWN: _ClassVar[CaseRefusal]
    CASE_REFUSAL_PROPOSAL_REFUSED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_SAME_PERSON: _ClassVar[CaseRefusal]
    CASE_REFUSAL_ALREADY_APPROVED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_DECLINED: _ClassVar[CaseRefusal]
    CASE_REFUSAL_NO_GAMING_DAY: _ClassVar[CaseRefusal]
CASE_REFUSAL_UNSPECIFIED: CaseRefusal
CASE_REFUSAL_OUTSIDE_VOCABULARY: CaseRefusal
CASE_REFUSAL_NO_ACTOR: CaseRefusal
CASE_REFUSAL_TEXT_MISSING: CaseRefusal
CASE_REFUSAL_CASE_UNKNOWN: CaseRefusal
CASE_REFUSAL_CASE_EXISTS: CaseRefusal
CASE_REFUSAL_CASE_REFUSED: CaseRefusal
CASE_REFUSAL_ROUND_UNKNOWN: CaseRefusal
CASE_REFUSAL_SETTLEMENT_MISSING: CaseRefusal
CASE_REFUSAL_SETTLEMENT_DIFFERS: CaseRefusal
CASE_REFUSAL_OTHER_SETTLEMENT: CaseRefusal
CASE_REFUSAL_NO_SUCH_POSITION: CaseRefusal
CASE_REFUSAL_AMOUNT_NOT_DEFINITE: CaseRefusal
CASE_REFUSAL_OTHER_CURRENCY: CaseRefusal
CASE_REFUSAL_WINDOW_OVER: CaseRefusal
CASE_REFUSAL_NO_SPAN: CaseRefusal
CASE_REFUSAL_NO_FINDING: CaseRefusal
CASE_REFUSAL_ALREADY_RESOLVED: CaseRefusal
CASE_REFUSAL_NO_SUCH_WAGER: CaseRefusal
CASE_REFUSAL_AMOUNT_TOO_LARGE: CaseRefusal
CASE_REFUSAL_SETTLEMENT_UNKNOWN: CaseRefusal
CASE_REFUSAL_ROLLED_BACK: CaseRefusal
CASE_REFUSAL_NOT_ROLLED_BACK: CaseRefusal
CASE_REFUSAL_CIRCLE_REPEATED: CaseRefusal
CASE_REFUSAL_POT_UNBALANCED: CaseRefusal
CASE_REFUSAL_PROPOSAL_UNKNOWN: CaseRefusal
CASE_REFUSAL_PROPOSAL_REFUSED: CaseRefusal
CASE_REFUSAL_SAME_PERSON: CaseRefusal
CASE_REFUSAL_ALREADY_APPROVED: CaseRefusal
CASE_REFUSAL_DECLINED: CaseRefusal
CASE_REFUSAL_NO_GAMING_DAY: CaseRefusal

class CaseAnswered(_message.Message):
    __slots__ = ("fact_event_id", "refusal", "settlement_event_id", "settlement_sha256", "window_days", "window_ends_ms", "settled_minor", "adjusted_minor", "posting_id")
    FACT_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENT_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENT_SHA256_FIELD_NUMBER: _ClassVar[int]
    WINDOW_DAYS_FIELD_NUMBER: _ClassVar[int]
    WINDOW_ENDS_MS_FIELD_NUMBER: _ClassVar[int]
    SETTLED_MINOR_FIELD_NUMBER: _ClassVar[int]
    ADJUSTED_MINOR_FIELD_NUMBER: _ClassVar[int]
    POSTING_ID_FIELD_NUMBER: _ClassVar[int]
    fact_event_id: str
    refusal: CaseRefusal
    settlement_event_id: str
    settlement_sha256: bytes
    window_days: int
    window_ends_ms: int
    settled_minor: int
    adjusted_minor: int
    posting_id: str
    def __init__(self, fact_event_id: _Optional[str] = ..., refusal: _Optional[_Union[CaseRefusal, str]] = ..., settlement_event_id: _Optional[str] = ..., settlement_sha256: _Optional[bytes] = ..., window_days: _Optional[int] = ..., window_ends_ms: _Optional[int] = ..., settled_minor: _Optional[int] = ..., adjusted_minor: _Optional[int] = ..., posting_id: _Optional[str] = ...) -> None: ...

class AdjustmentPosted(_message.Message):
    __slots__ = ("proposal_event_id", "approval_event_id", "settlement_event_id", "round_id", "form", "rolls_back_id", "currency_code", "gaming_day", "round_gaming_day", "proposed_by", "approved_by", "lines", "positions_net_minor", "house_net_minor", "pot_net_minor")
    PROPOSAL_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    APPROVAL_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENT_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    FORM_FIELD_NUMBER: _ClassVar[int]
    ROLLS_BACK_ID_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_CODE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    ROUND_GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    HOUSE_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    POT_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    proposal_event_id: str
    approval_event_id: str
    settlement_event_id: str
    round_id: str
    form: _facts_pb2.AdjustmentForm
    rolls_back_id: str
    currency_code: str
    gaming_day: str
    round_gaming_day: str
    proposed_by: str
    approved_by: str
    lines: _containers.RepeatedCompositeFieldContainer[PostedLine]
    positions_net_minor: int
    house_net_minor: int
    pot_net_minor: int
    def __init__(self, proposal_event_id: _Optional[str] = ..., approval_event_id: _Optional[str] = ..., settlement_event_id: _Optional[str] = ..., round_id: _Optional[str] = ..., form: _Optional[_Union[_facts_pb2.AdjustmentForm, str]] = ..., rolls_back_id: _Optional[str] = ..., currency_code: _Optional[str] = ..., gaming_day: _Optional[str] = ..., round_gaming_day: _Optional[str] = ..., proposed_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., lines: _Optional[_Iterable[_Union[PostedLine, _Mapping]]] = ..., positions_net_minor: _Optional[int] = ..., house_net_minor: _Optional[int] = ..., pot_net_minor: _Optional[int] = ...) -> None: ...

class PostedLine(_message.Message):
    __slots__ = ("line_id", "position", "kind", "counterparty", "amount_minor", "before_minor")
    LINE_ID_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    COUNTERPARTY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    BEFORE_MINOR_FIELD_NUMBER: _ClassVar[int]
    line_id: str
    position: int
    kind: _money_pb2.WagerKind
    counterparty: _decisions_pb2.Counterparty
    amount_minor: int
    before_minor: int
    def __init__(self, line_id: _Optional[str] = ..., position: _Optional[int] = ..., kind: _Optional[_Union[_money_pb2.WagerKind, str]] = ..., counterparty: _Optional[_Union[_decisions_pb2.Counterparty, str]] = ..., amount_minor: _Optional[int] = ..., before_minor: _Optional[int] = ...) -> None: ...
