"""A round while it is read, and the one row that is given of it when it is over."""

from dataclasses import dataclass, field

from pitledger.journal.record import JournalRecord
from pitledger.pb import cards_pb2
from pitledger.pb import decisions_pb2 as d
from pitledger.processors.chain import Decision
from pitledger.story import game_key
from services.export.event import Row, Terms, envelope
from services.export.plain import word

OUTCOMES = {"round_settled": "settled", "round_voided": "voided"}


@dataclass(slots=True)
class Round:
    """`waiting`: decisions that are derived and not recorded; `hashes`: of all that are derived."""

    opened: JournalRecord
    partition: int
    offset: int
    broker_time: int
    terms: Terms
    waiting: dict[str, Decision] = field(default_factory=dict)
    hashes: set[int] = field(default_factory=set)
    derived: int = 0
    recorded: int = 0
    over: bool = False
    unjudged: str = ""
    ending: Row = field(default_factory=dict)
    outcome: Decision | None = None
    outcome_offset: int | None = None


def round_row(round_: Round) -> Row:
    """The money is that of the outcome; an open round has none yet."""
    record, opened = round_.opened, round_.opened.round_opened
    row = envelope(record, opened.gaming_day, round_.partition, round_.offset)
    row |= {
        "game": game_key(opened.submission),
        "submission_name": round_.terms.submission.name,
        "submission_sha256": opened.submission_digest.hex(),
        "currency": opened.currency_code,
        "deck_ids": list(opened.deck_ids),
        "dealing_method": word(cards_pb2.DealingMethod, opened.dealing_method),
        "opened_broker_time": round_.broker_time,
        "state": "open",
        "decisions_derived": round_.derived,
        "decisions_recorded": round_.recorded,
        "unjudged": round_.unjudged or None,
        **round_.ending,
    }
    for name in (
        "round_number", "adjudication_version", "property_id", "pit_id", "dealer_id",
        "supervisor_id", "shuffler_id", "shoe_id", "rounds_since_stub_count",
        "shuffler_confirms_count",
    ):
        row[name] = getattr(opened, name)
    if round_.outcome is not None:
        row |= _outcome(round_.outcome, round_.outcome_offset)
    return row


def _outcome(decision: Decision, offset: int | None) -> Row:
    record = JournalRecord.FromString(decision.value)
    booked = getattr(record, decision.body)
    row: Row = {
        "state": OUTCOMES[decision.body],
        "outcome_event_id": decision.event_id,
        "outcome_offset": offset,
        "staked_minor": booked.totals.staked_minor,
        "returned_minor": booked.totals.returned_minor,
        "positions_net_minor": booked.totals.positions_net_minor,
        "house_net_minor": booked.totals.house_net_minor,
        "pot_net_minor": booked.totals.pot_net_minor,
    }
    if decision.body == "round_voided":
        return row | {"void_reason": word(d.VoidReason, booked.reason)}
    row["revision"] = booked.revision
    if booked.HasField("pot"):
        row["pot_minor"] = booked.pot.amount_minor
        row["pot_best_point_count"] = booked.pot.best_point_count
    return row
