from pitledger.pb import cases_pb2 as _cases_pb2
from pitledger.pb import decisions_pb2 as _decisions_pb2
from pitledger.pb import facts_pb2 as _facts_pb2
from pitledger.pb import options_pb2 as _options_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class JournalRecord(_message.Message):
    __slots__ = ("event_id", "table_id", "round_id", "case_id", "causation_id", "occurred_at", "source", "actor", "table_seq", "table_opened", "table_closed", "posted_limits_changed", "dealer_changed", "table_held", "table_released", "round_opened", "round_closed", "void_ordered", "wager_requested", "wager_withdrawal_requested", "no_more_bets", "card_drawn", "packet_drawn", "stub_counted", "dealer_exposed", "hand_set", "card_corrected", "deal_ruled", "player_left", "abandonment_ruled", "irregularity_reported", "conduct_noted", "payment_recorded", "dispute_opened", "dispute_held", "dispute_resolved", "adjustment_proposed", "adjustment_approved", "adjustment_declined", "case_answered", "adjustment_posted", "processor_started", "request_answered", "betting_closed", "hands_dealt", "deal_irregular", "hands_evaluated", "payout_due", "round_settled", "round_voided")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    CASE_ID_FIELD_NUMBER: _ClassVar[int]
    CAUSATION_ID_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_AT_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    TABLE_SEQ_FIELD_NUMBER: _ClassVar[int]
    TABLE_OPENED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    POSTED_LIMITS_CHANGED_FIELD_NUMBER: _ClassVar[int]
    DEALER_CHANGED_FIELD_NUMBER: _ClassVar[int]
    TABLE_HELD_FIELD_NUMBER: _ClassVar[int]
    TABLE_RELEASED_FIELD_NUMBER: _ClassVar[int]
    ROUND_OPENED_FIELD_NUMBER: _ClassVar[int]
    ROUND_CLOSED_FIELD_NUMBER: _ClassVar[int]
    VOID_ORDERED_FIELD_NUMBER: _ClassVar[int]
    WAGER_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    WAGER_WITHDRAWAL_REQUESTED_FIELD_NUMBER: _ClassVar[int]
    NO_MORE_BETS_FIELD_NUMBER: _ClassVar[int]
    CARD_DRAWN_FIELD_NUMBER: _ClassVar[int]
    PACKET_DRAWN_FIELD_NUMBER: _ClassVar[int]
    STUB_COUNTED_FIELD_NUMBER: _ClassVar[int]
    DEALER_EXPOSED_FIELD_NUMBER: _ClassVar[int]
    HAND_SET_FIELD_NUMBER: _ClassVar[int]
    CARD_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    DEAL_RULED_FIELD_NUMBER: _ClassVar[int]
    PLAYER_LEFT_FIELD_NUMBER: _ClassVar[int]
    ABANDONMENT_RULED_FIELD_NUMBER: _ClassVar[int]
    IRREGULARITY_REPORTED_FIELD_NUMBER: _ClassVar[int]
    CONDUCT_NOTED_FIELD_NUMBER: _ClassVar[int]
    PAYMENT_RECORDED_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_OPENED_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_HELD_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    ADJUSTMENT_PROPOSED_FIELD_NUMBER: _ClassVar[int]
    ADJUSTMENT_APPROVED_FIELD_NUMBER: _ClassVar[int]
    ADJUSTMENT_DECLINED_FIELD_NUMBER: _ClassVar[int]
    CASE_ANSWERED_FIELD_NUMBER: _ClassVar[int]
    ADJUSTMENT_POSTED_FIELD_NUMBER: _ClassVar[int]
    PROCESSOR_STARTED_FIELD_NUMBER: _ClassVar[int]
    REQUEST_ANSWERED_FIELD_NUMBER: _ClassVar[int]
    BETTING_CLOSED_FIELD_NUMBER: _ClassVar[int]
    HANDS_DEALT_FIELD_NUMBER: _ClassVar[int]
    DEAL_IRREGULAR_FIELD_NUMBER: _ClassVar[int]
    HANDS_EVALUATED_FIELD_NUMBER: _ClassVar[int]
    PAYOUT_DUE_FIELD_NUMBER: _ClassVar[int]
    ROUND_SETTLED_FIELD_NUMBER: _ClassVar[int]
    ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    table_id: str
    round_id: str
    case_id: str
    causation_id: str
    occurred_at: int
    source: str
    actor: str
    table_seq: int
    table_opened: _facts_pb2.TableOpened
    table_closed: _facts_pb2.TableClosed
    posted_limits_changed: _facts_pb2.PostedLimitsChanged
    dealer_changed: _facts_pb2.DealerChanged
    table_held: _facts_pb2.TableHeld
    table_released: _facts_pb2.TableReleased
    round_opened: _facts_pb2.RoundOpened
    round_closed: _facts_pb2.RoundClosed
    void_ordered: _facts_pb2.VoidOrdered
    wager_requested: _facts_pb2.WagerRequested
    wager_withdrawal_requested: _facts_pb2.WagerWithdrawalRequested
    no_more_bets: _facts_pb2.NoMoreBets
    card_drawn: _facts_pb2.CardDrawn
    packet_drawn: _facts_pb2.PacketDrawn
    stub_counted: _facts_pb2.StubCounted
    dealer_exposed: _facts_pb2.DealerExposed
    hand_set: _facts_pb2.HandSet
    card_corrected: _facts_pb2.CardCorrected
    deal_ruled: _facts_pb2.DealRuled
    player_left: _facts_pb2.PlayerLeft
    abandonment_ruled: _facts_pb2.AbandonmentRuled
    irregularity_reported: _facts_pb2.IrregularityReported
    conduct_noted: _facts_pb2.ConductNoted
    payment_recorded: _facts_pb2.PaymentRecorded
    dispute_opened: _facts_pb2.DisputeOpened
    dispute_held: _facts_pb2.DisputeHeld
    dispute_resolved: _facts_pb2.DisputeResolved
    adjustment_proposed: _facts_pb2.AdjustmentProposed
    adjustment_approved: _facts_pb2.AdjustmentApproved
    adjustment_declined: _facts_pb2.AdjustmentDeclined
    case_answered: _cases_pb2.CaseAnswered
    adjustment_posted: _cases_pb2.AdjustmentPosted
    processor_started: _facts_pb2.ProcessorStarted
    request_answered: _decisions_pb2.RequestAnswered
    betting_closed: _decisions_pb2.BettingClosed
    hands_dealt: _decisions_pb2.HandsDealt
    deal_irregular: _decisions_pb2.DealIrregular
    hands_evaluated: _decisions_pb2.HandsEvaluated
    payout_due: _decisions_pb2.PayoutDue
    round_settled: _decisions_pb2.RoundSettled
    round_voided: _decisions_pb2.RoundVoided
    def __init__(self, event_id: _Optional[str] = ..., table_id: _Optional[str] = ..., round_id: _Optional[str] = ..., case_id: _Optional[str] = ..., causation_id: _Optional[str] = ..., occurred_at: _Optional[int] = ..., source: _Optional[str] = ..., actor: _Optional[str] = ..., table_seq: _Optional[int] = ..., table_opened: _Optional[_Union[_facts_pb2.TableOpened, _Mapping]] = ..., table_closed: _Optional[_Union[_facts_pb2.TableClosed, _Mapping]] = ..., posted_limits_changed: _Optional[_Union[_facts_pb2.PostedLimitsChanged, _Mapping]] = ..., dealer_changed: _Optional[_Union[_facts_pb2.DealerChanged, _Mapping]] = ..., table_held: _Optional[_Union[_facts_pb2.TableHeld, _Mapping]] = ..., table_released: _Optional[_Union[_facts_pb2.TableReleased, _Mapping]] = ..., round_opened: _Optional[_Union[_facts_pb2.RoundOpened, _Mapping]] = ..., round_closed: _Optional[_Union[_facts_pb2.RoundClosed, _Mapping]] = ..., void_ordered: _Optional[_Union[_facts_pb2.VoidOrdered, _Mapping]] = ..., wager_requested: _Optional[_Union[_facts_pb2.WagerRequested, _Mapping]] = ..., wager_withdrawal_requested: _Optional[_Union[_facts_pb2.WagerWithdrawalRequested, _Mapping]] = ..., no_more_bets: _Optional[_Union[_facts_pb2.NoMoreBets, _Mapping]] = ..., card_drawn: _Optional[_Union[_facts_pb2.CardDrawn, _Mapping]] = ..., packet_drawn: _Optional[_Union[_facts_pb2.PacketDrawn, _Mapping]] = ..., stub_counted: _Optional[_Union[_facts_pb2.StubCounted, _Mapping]] = ..., dealer_exposed: _Optional[_Union[_facts_pb2.DealerExposed, _Mapping]] = ..., hand_set: _Optional[_Union[_facts_pb2.HandSet, _Mapping]] = ..., card_corrected: _Optional[_Union[_facts_pb2.CardCorrected, _Mapping]] = ..., deal_ruled: _Optional[_Union[_facts_pb2.DealRuled, _Mapping]] = ..., player_left: _Optional[_Union[_facts_pb2.PlayerLeft, _Mapping]] = ..., abandonment_ruled: _Optional[_Union[_facts_pb2.AbandonmentRuled, _Mapping]] = ..., irregularity_reported: _Optional[_Union[_facts_pb2.IrregularityReported, _Mapping]] = ..., conduct_noted: _Optional[_Union[_facts_pb2.ConductNoted, _Mapping]] = ..., payment_recorded: _Optional[_Union[_facts_pb2.PaymentRecorded, _Mapping]] = ..., dispute_opened: _Optional[_Union[_facts_pb2.DisputeOpened, _Mapping]] = ..., dispute_held: _Optional[_Union[_facts_pb2.DisputeHeld, _Mapping]] = ..., dispute_resolved: _Optional[_Union[_facts_pb2.DisputeResolved, _Mapping]] = ..., adjustment_proposed: _Optional[_Union[_facts_pb2.AdjustmentProposed, _Mapping]] = ..., adjustment_approved: _Optional[_Union[_facts_pb2.AdjustmentApproved, _Mapping]] = ..., adjustment_declined: _Optional[_Union[_facts_pb2.AdjustmentDeclined, _Mapping]] = ..., case_answered: _Optional[_Union[_cases_pb2.CaseAnswered, _Mapping]] = ..., adjustment_posted: _Optional[_Union[_cases_pb2.AdjustmentPosted, _Mapping]] = ..., processor_started: _Optional[_Union[_facts_pb2.ProcessorStarted, _Mapping]] = ..., request_answered: _Optional[_Union[_decisions_pb2.RequestAnswered, _Mapping]] = ..., betting_closed: _Optional[_Union[_decisions_pb2.BettingClosed, _Mapping]] = ..., hands_dealt: _Optional[_Union[_decisions_pb2.HandsDealt, _Mapping]] = ..., deal_irregular: _Optional[_Union[_decisions_pb2.DealIrregular, _Mapping]] = ..., hands_evaluated: _Optional[_Union[_decisions_pb2.HandsEvaluated, _Mapping]] = ..., payout_due: _Optional[_Union[_decisions_pb2.PayoutDue, _Mapping]] = ..., round_settled: _Optional[_Union[_decisions_pb2.RoundSettled, _Mapping]] = ..., round_voided: _Optional[_Union[_decisions_pb2.RoundVoided, _Mapping]] = ...) -> None: ...
