"""Facts that come in between: of the past, of the future, of strangers, for the record.

None of them may change what the round's own facts decide. `noise` makes those of one fault.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from pitledger.journal.record import JournalRecord
from pitledger.pb import facts_pb2
from services.floor.faults import Fault
from services.floor.forgery import forged
from services.floor.patrons import plain_wager
from services.floor.pen import CONSOLE, STRANGER, SUPERVISOR, OutgoingFact, Pen
from services.floor.round_view import RoundView

_FAR_US = 11 * 60 * 1_000_000
"""Further from the broker's time than a RoundOpened may be."""


@dataclass(slots=True)
class Past:
    """What a table remembers of earlier rounds, to repeat it at the wrong time."""

    facts: deque[OutgoingFact] = field(default_factory=lambda: deque(maxlen=60))
    round_ids: deque[str] = field(default_factory=lambda: deque(maxlen=5))
    closings: deque[OutgoingFact] = field(default_factory=lambda: deque(maxlen=5))
    outcome: JournalRecord | None = None

    def remember(self, view: RoundView) -> None:
        """A round is over."""
        self.facts.extend(view.sent[-30:])
        self.round_ids.append(view.round_id)
        self.closings.extend(fact for fact in view.sent
                             if fact.record and fact.record.HasField("table_closed"))
        self.outcome = view.outcome or self.outcome


@dataclass(frozen=True, slots=True)
class Desk:
    """What the makers below work with."""

    pen: Pen
    view: RoundView
    past: Past
    rng: Random
    next_number: Callable[[], int]


def noise(fault: Fault, desk: Desk) -> list[OutgoingFact]:
    """The facts of one fault of this module; [] where the occasion is missing."""
    return _MAKERS[fault](desk)


def _repeated(desk: Desk) -> list[OutgoingFact]:
    return [desk.rng.choice(desk.view.sent) for _ in range(desk.rng.randrange(1, 4))]


def _old_repeated(desk: Desk) -> list[OutgoingFact]:
    return [desk.rng.choice(desk.past.facts)] if desk.past.facts else []


def _closed_again(desk: Desk) -> list[OutgoingFact]:
    return [desk.rng.choice(desk.past.closings)] if desk.past.closings else []


def _id_reused(desk: Desk) -> list[OutgoingFact]:
    """Some command's id on another wager, or on the same record a moment later."""
    fact = desk.rng.choice(desk.view.sent)
    assert fact.record is not None
    record = JournalRecord()
    record.CopyFrom(fact.record)
    if record.HasField("wager_requested") and record.wager_requested.stakes:
        record.wager_requested.stakes[0].amount_minor += 500
    else:
        record.occurred_at += 1
    return [desk.pen.message(fact.lane, record.WhichOneof("body") or "", record)]


def _wager_for(desk: Desk, round_id: str) -> list[OutgoingFact]:
    if not desk.view.seats:
        return []
    position = desk.rng.choice(list(desk.view.seats))
    patron = desk.view.seats[position]
    return [desk.pen.fact(patron, *plain_wager(position, patron), round_id)]


def _for_finished(desk: Desk) -> list[OutgoingFact]:
    return _wager_for(desk, desk.rng.choice(desk.past.round_ids)) if desk.past.round_ids else []


def _for_unknown(desk: Desk) -> list[OutgoingFact]:
    return _wager_for(desk, desk.pen.new_id())


def _opening(desk: Desk, number: int, event_id: str = "", occurred_at: int = 0) -> OutgoingFact:
    """Another RoundOpened made from this round's."""
    opened = desk.view.sent[0].record
    assert opened is not None
    body = facts_pb2.RoundOpened()
    body.CopyFrom(opened.round_opened)
    body.round_number = number
    event_id = event_id or desk.pen.new_id()
    return desk.pen.fact(CONSOLE, "round_opened", body, event_id, event_id=event_id,
                         occurred_at=occurred_at)


def _stale_opening(desk: Desk) -> list[OutgoingFact]:
    far = desk.pen.now_us + desk.rng.choice((-_FAR_US, _FAR_US))
    number = desk.view.number + desk.rng.randrange(1, 1000)
    if desk.rng.random() < 0.5:
        return [_opening(desk, number, occurred_at=far)]
    return [_opening(desk, number, event_id=desk.pen.new_id(far))]


def _second_opening(desk: Desk) -> list[OutgoingFact]:
    return [_opening(desk, desk.view.number - desk.rng.randrange(2))]


def _opening_with_old_id(desk: Desk) -> list[OutgoingFact]:
    ids = [*desk.past.round_ids, desk.view.round_id]
    return [_opening(desk, desk.next_number(), event_id=desk.rng.choice(ids))]


def _table_facts(desk: Desk) -> list[OutgoingFact]:
    pen = desk.pen
    held = pen.fact(SUPERVISOR, "table_held", facts_pb2.TableHeld(reason="count of the tray"))
    released = facts_pb2.TableReleased(reason="tray counted", held_id=held.event_id)
    opened = desk.view.sent[0].record
    assert opened is not None
    limits = facts_pb2.PostedLimitsChanged(posted_limits=opened.round_opened.posted_limits)
    dealer = facts_pb2.DealerChanged(dealer_id="dealer-relief", supervisor_id="supervisor-1")
    return [
        held,
        pen.fact(SUPERVISOR, "posted_limits_changed", limits),
        pen.fact(SUPERVISOR, "dealer_changed", dealer),
        pen.fact(SUPERVISOR, "table_released", released),
    ]


def _conduct(desk: Desk) -> list[OutgoingFact]:
    kind = desk.rng.choice((facts_pb2.CONDUCT_KIND_TOUCHED_BY_ANOTHER,
                            facts_pb2.CONDUCT_KIND_OUT_OF_VIEW, facts_pb2.CONDUCT_KIND_OTHER))
    body = facts_pb2.ConductNoted(kind=kind, position=desk.rng.randrange(1, 7), note="warned")
    return [desk.pen.fact(SUPERVISOR, "conduct_noted", body, desk.view.round_id)]


def _dispute(desk: Desk) -> list[OutgoingFact]:
    outcome = desk.past.outcome
    if outcome is None:
        return []
    case_id = desk.pen.new_id()
    reference = facts_pb2.SettlementReference(
        settlement_event_id=outcome.event_id, round_id=outcome.round_id,
        record=outcome.SerializeToString(deterministic=True),
    )
    body = facts_pb2.DisputeOpened(settlement=reference, position=desk.rng.randrange(1, 7),
                                   claimant_id="patron-x", claim="paid less", amount_minor=500)
    return [desk.pen.fact(SUPERVISOR, "dispute_opened", body, case_id=case_id)]


def _garbage(desk: Desk) -> list[OutgoingFact]:
    """Bytes that are no record, under honest headers; or no headers at all."""
    fact = desk.rng.choice(desk.view.sent)
    value = desk.rng.choice((b"", b"\xff" * 20, desk.rng.randbytes(40), fact.value[:-3]))
    headers = fact.headers if desk.rng.random() < 0.7 else ()
    return [OutgoingFact(desk.pen.table_id, STRANGER, None, fact.key, headers, value)]


def _unknown_type(desk: Desk) -> list[OutgoingFact]:
    """A body that this contract does not have: field 150, length-delimited."""
    record = JournalRecord(
        event_id=desk.pen.new_id(), table_id=desk.pen.table_id, round_id=desk.view.round_id,
        occurred_at=desk.pen.now_us, source=f"{desk.pen.table_id}/console",
    )
    value = record.SerializeToString(deterministic=True) + b"\xb2\x09\x02\x08\x01"
    headers = (
        ("ce_specversion", b"1.0"),
        ("ce_id", record.event_id.encode()),
        ("ce_source", record.source.encode()),
        ("ce_type", b"pitledger.v1.ChipsDropped"),
        ("ce_subject", record.round_id.encode()),
    )
    return [OutgoingFact(desk.pen.table_id, STRANGER, None, desk.pen.key, headers, value)]


def _lying_headers(desk: Desk) -> list[OutgoingFact]:
    """A wager whose id, type or subject is not what its headers say."""
    facts = _wager_for(desk, desk.view.round_id)
    name, lie = desk.rng.choice((
        ("ce_id", desk.pen.new_id().encode()),
        ("ce_type", b"pitledger.v1.NoMoreBets"),
        ("ce_type", b"pitledger.v1.PayoutDue"),
        ("ce_subject", b"elsewhere"),
    ))
    return [
        replace(fact, headers=tuple((n, lie if n == name else v) for n, v in fact.headers))
        for fact in facts
    ]


def _wrong_key(desk: Desk) -> list[OutgoingFact]:
    return [replace(fact, key=b"table-of-nobody") for fact in _wager_for(desk, desk.view.round_id)]


def _foreign_partition(desk: Desk) -> list[OutgoingFact]:
    return [replace(fact, astray=True) for fact in _wager_for(desk, desk.view.round_id)]


def _forged(desk: Desk) -> list[OutgoingFact]:
    return [forged(desk.pen, desk.view, desk.rng) for _ in range(desk.rng.randrange(1, 4))]


_MAKERS: dict[Fault, Callable[[Desk], list[OutgoingFact]]] = {
    Fault.COMMAND_REPEATED: _repeated,
    Fault.OLD_COMMAND_REPEATED: _old_repeated,
    Fault.ID_REUSED: _id_reused,
    Fault.FOR_FINISHED_ROUND: _for_finished,
    Fault.FOR_UNKNOWN_ROUND: _for_unknown,
    Fault.STALE_OPENING: _stale_opening,
    Fault.SECOND_OPENING: _second_opening,
    Fault.OPENING_WITH_OLD_ID: _opening_with_old_id,
    Fault.TABLE_CLOSED_AGAIN: _closed_again,
    Fault.TABLE_FACTS: _table_facts,
    Fault.CONDUCT: _conduct,
    Fault.DISPUTE: _dispute,
    Fault.GARBAGE: _garbage,
    Fault.UNKNOWN_TYPE: _unknown_type,
    Fault.LYING_HEADERS: _lying_headers,
    Fault.WRONG_KEY: _wrong_key,
    Fault.FOREIGN_PARTITION: _foreign_partition,
    Fault.FORGED_DECISION: _forged,
}
NOISE = frozenset(_MAKERS)
