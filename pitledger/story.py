"""A record of the journal in sentences: what happened, what was decided, on which grounds.

Total: any record of a round has its lines, whatever its values. The words of single codes are in
`pitledger.words`; here they are put together, one function for each body.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any

from google.protobuf.message import DecodeError

from pitledger import words
from pitledger.cards import NO_CARD, shown
from pitledger.case_words import TELLERS
from pitledger.journal.record import JournalRecord
from pitledger.pb import cards_pb2, facts_pb2, rules_pb2
from pitledger.pb import decisions_pb2 as d

_name = words.choice
_TELL: dict[str, Callable[[Any, str], Iterator[str]]] = dict(TELLERS)


def told(record: JournalRecord, currency: str) -> tuple[str, ...]:
    """The lines of a record; `currency` is the round's ISO 4217 code. () for other bodies."""
    body = record.WhichOneof("body") or ""
    tell = _TELL.get(body)
    return tuple(tell(getattr(record, body), currency)) if tell else ()


@lru_cache(maxsize=256)
def game_key(submission: bytes) -> str:
    """The game of a submission's bytes, "saigon5"; "unknown" where they name none."""
    game = rules_pb2.Game.DESCRIPTOR.values_by_number.get(_submission(submission).game)
    return game.name.removeprefix("GAME_").lower() if game and game.number else "unknown"


def _of(body: str) -> Callable[..., Any]:
    """Register a function as the teller of a body."""

    def register(tell: Callable[[Any, str], Iterator[str]]) -> Callable[[Any, str], Iterator[str]]:
        _TELL[body] = tell
        return tell

    return register


# ---- facts ------------------------------------------------------------------------------------


@_of("table_opened")
def _table_opened(fact: facts_pb2.TableOpened, currency: str) -> Iterator[str]:
    submission = _submission(fact.submission)
    yield f"the table opens for {words.game(submission.game)}, {_gaming_day(fact)}"
    yield _filed(submission, fact.submission_digest)
    yield from _posted(fact.posted_limits, currency)


@_of("table_closed")
def _table_closed(fact: facts_pb2.TableClosed, _: str) -> Iterator[str]:
    yield "the table closes" + _because(fact.reason)


@_of("posted_limits_changed")
def _limits_changed(fact: facts_pb2.PostedLimitsChanged, currency: str) -> Iterator[str]:
    yield "other limits are posted, for rounds that open from here on"
    yield from _posted(fact.posted_limits, currency)


@_of("dealer_changed")
def _dealer_changed(fact: facts_pb2.DealerChanged, _: str) -> Iterator[str]:
    supervisor = f", supervised by {fact.supervisor_id}" if fact.supervisor_id else ""
    yield f"dealer {fact.dealer_id or 'not given'} takes over{supervisor}"


@_of("table_held")
def _table_held(fact: facts_pb2.TableHeld, _: str) -> Iterator[str]:
    about = f", about {fact.about_id}" if fact.about_id else ""
    yield f"the table is held{about}{_because(fact.reason)}"
    yield "no round is opened or closed there until it is released; no decision changes"


@_of("table_released")
def _table_released(fact: facts_pb2.TableReleased, _: str) -> Iterator[str]:
    yield f"the hold {fact.held_id or '(none named)'} is released{_because(fact.reason)}"


@_of("round_opened")
def _round_opened(fact: facts_pb2.RoundOpened, _: str) -> Iterator[str]:
    currency = fact.currency_code
    submission = _submission(fact.submission)
    yield (
        f"{words.game(submission.game)}, round number {fact.round_number}, in {currency},"
        f" {_gaming_day(fact)}"
    )
    yield (
        f"{_filed(submission, fact.submission_digest)},"
        f" adjudication version {fact.adjudication_version}"
    )
    seats = ", ".join(f"{seat.position}: {seat.patron_id}" for seat in fact.seats)
    yield f"seats: {seats or 'nobody'}"
    method = _name(cards_pb2.DealingMethod, fact.dealing_method)
    yield f"dealt from: {method}, dealer {fact.dealer_id or 'not given'}"
    if fact.posted_limits.pot_amount_minor:
        yield f"Pot: {words.money(fact.posted_limits.pot_amount_minor, currency)} a position"


@_of("round_closed")
def _round_closed(fact: facts_pb2.RoundClosed, _: str) -> Iterator[str]:
    yield f"the payout of revision {fact.revision} was paid, the layout cleared"


@_of("void_ordered")
def _void_ordered(fact: facts_pb2.VoidOrdered, _: str) -> Iterator[str]:
    what = f"position {fact.position}" if fact.position else "the round"
    by = f", authorised by {fact.authorised_by}" if fact.authorised_by else ""
    yield f"void of {what}{by}{_because(fact.reason)}"
    if fact.notified:
        yield f"told of it: {', '.join(fact.notified)}"


@_of("wager_requested")
def _wager_requested(fact: facts_pb2.WagerRequested, currency: str) -> Iterator[str]:
    stakes = ", ".join(
        f"{words.kind(stake.kind)} {words.money(stake.amount_minor, currency)}"
        for stake in fact.stakes
    )
    by = fact.instrument.replace("_", " ")
    yield f"{_player(fact)} puts down {stakes or 'nothing'}, by {by or 'nothing named'}"


@_of("wager_withdrawal_requested")
def _withdrawal(fact: facts_pb2.WagerWithdrawalRequested, _: str) -> Iterator[str]:
    yield f"{_player(fact)} takes back {', '.join(map(words.kind, fact.kinds)) or 'nothing'}"


@_of("no_more_bets")
def _no_more_bets(_fact: facts_pb2.NoMoreBets, _: str) -> Iterator[str]:
    yield "“no more bets”"


@_of("card_drawn")
def _card_drawn(fact: facts_pb2.CardDrawn, _: str) -> Iterator[str]:
    yield f"card {fact.ordinal}: {shown(fact.card)}"


@_of("packet_drawn")
def _packet_drawn(fact: facts_pb2.PacketDrawn, _: str) -> Iterator[str]:
    yield f"packet {fact.packet}: {words.cards(fact.cards)}"


@_of("stub_counted")
def _stub_counted(fact: facts_pb2.StubCounted, _: str) -> Iterator[str]:
    yield f"the stub has {fact.cards} cards"


@_of("dealer_exposed")
def _dealer_exposed(fact: facts_pb2.DealerExposed, _: str) -> Iterator[str]:
    cards = f": {_split(fact.first, fact.second)}" if fact.first or fact.second else ""
    yield f"the dealer's cards are turned up{cards}"


@_of("hand_set")
def _hand_set(fact: facts_pb2.HandSet, _: str) -> Iterator[str]:
    yield f"{_player(fact)} sets {_split(fact.first, fact.second)}"


@_of("card_corrected")
def _card_corrected(fact: facts_pb2.CardCorrected, _: str) -> Iterator[str]:
    card = "no card" if fact.card == NO_CARD else shown(fact.card)
    yield f"card {fact.ordinal} was {card}{_because(fact.reason)}"


@_of("deal_ruled")
def _deal_ruled(fact: facts_pb2.DealRuled, _: str) -> Iterator[str]:
    yield f"the deal stands{_because(fact.reason)}"


@_of("player_left")
def _player_left(fact: facts_pb2.PlayerLeft, _: str) -> Iterator[str]:
    yield f"the player at position {fact.position} leaves"


@_of("abandonment_ruled")
def _abandonment_ruled(fact: facts_pb2.AbandonmentRuled, _: str) -> Iterator[str]:
    reading = _name(rules_pb2.AbandonmentReading, fact.reading)
    yield f"the wagers left at position {fact.position}: {reading}{_because(fact.reason)}"


@_of("irregularity_reported")
def _irregularity(fact: facts_pb2.IrregularityReported, _: str) -> Iterator[str]:
    yield _name(facts_pb2.IrregularityKind, fact.kind) + _at(fact.position) + _because(fact.note)


@_of("conduct_noted")
def _conduct(fact: facts_pb2.ConductNoted, _: str) -> Iterator[str]:
    yield _name(facts_pb2.ConductKind, fact.kind) + _at(fact.position) + _because(fact.note)


@_of("payment_recorded")
def _payment(fact: facts_pb2.PaymentRecorded, currency: str) -> Iterator[str]:
    verb = "paid" if fact.amount_minor >= 0 else "taken"
    amount = words.money(abs(fact.amount_minor), currency)
    yield f"position {fact.position} {words.kind(fact.kind)}: {amount} {verb}"


@_of("processor_started")
def _processor_started(fact: facts_pb2.ProcessorStarted, _: str) -> Iterator[str]:
    instance = f" as {fact.instance}" if fact.instance else ""
    processor = fact.processor or "an unnamed processor"
    yield f"{processor} starts{instance}, build {fact.build or 'not given'}"


# ---- decisions --------------------------------------------------------------------------------


@_of("request_answered")
def _answered(answered: d.RequestAnswered, currency: str) -> Iterator[str]:
    for answer in answered.answers:
        what = f"{words.kind(answer.kind)}: " if answer.kind else ""
        if answer.refusal:
            yield f"{what}refused: {words.refusal(answer, currency)}"
        elif answer.asked_minor:
            yield f"{what}accepted, {words.money(answer.asked_minor, currency)} lie there"
        else:
            yield f"{what}accepted"
    for chips in answered.returned:
        yield f"given back: {words.returned(chips, currency)}"


@_of("betting_closed")
def _betting_closed(close: d.BettingClosed, currency: str) -> Iterator[str]:
    for circle in close.circles:
        stake = words.money(circle.stake_minor, currency)
        yield f"position {circle.position} {words.kind(circle.kind)}: {stake} stands"
    for chips in close.returned:
        yield f"position {chips.position}, given back: {words.returned(chips, currency)}"
    if close.pot_minor:
        yield f"in the Pot: {words.money(close.pot_minor, currency)}"
    if not close.circles:
        yield "no wager stands"


@_of("hands_dealt")
def _hands_dealt(deal: d.HandsDealt, _: str) -> Iterator[str]:
    for hand in [*deal.hands, deal.dealer]:
        yield f"{_whose(hand.position)}: {words.cards(hand.cards)}"
    for breach in deal.ruled:
        yield f"ruled to stand: {words.breach(breach)}"


@_of("deal_irregular")
def _deal_irregular(deal: d.DealIrregular, _: str) -> Iterator[str]:
    for breach in deal.breaches:
        yield words.breach(breach)
    yield "nothing is paid until a supervisor corrects, rules or voids"


@_of("hands_evaluated")
def _hands_evaluated(judged: d.HandsEvaluated, _: str) -> Iterator[str]:
    for hand in [*judged.hands, judged.dealer]:
        yield f"{_whose(hand.position)}: {_split(hand.first, hand.second)}: {evaluated(hand)}"


@_of("payout_due")
def _payout_due(due: d.PayoutDue, currency: str) -> Iterator[str]:
    yield from _lines(due.lines, currency)
    yield from _pot_and_totals(due, currency)


@_of("round_settled")
def _round_settled(settled: d.RoundSettled, currency: str) -> Iterator[str]:
    yield f"booked: the lines of revision {settled.revision}"
    yield from _pot_and_totals(settled, currency)


@_of("round_voided")
def _round_voided(voided: d.RoundVoided, currency: str) -> Iterator[str]:
    yield f"the round is void: {_name(d.VoidReason, voided.reason)}"
    yield from _lines(voided.lines, currency)
    yield _totals(voided.totals, currency)


def _lines(lines: Iterable[d.SettlementLine], currency: str) -> Iterator[str]:
    for line in lines:
        yield (
            f"position {line.position} {words.kind(line.kind)}: {words.outcome(line.outcome)}."
            f" {words.line(line, currency)}{words.cited(line.citations)}{_rulings(line.rulings)}"
        )


def _pot_and_totals(due: d.PayoutDue | d.RoundSettled, currency: str) -> Iterator[str]:
    if due.HasField("pot"):
        shares = ", ".join(
            f"position {share.position} {words.money(share.amount_minor, currency)}"
            for share in due.pot.shares
        )
        amount = words.money(due.pot.amount_minor, currency)
        yield f"Pot of {amount}: {shares or 'nobody'}{_rulings(due.pot.rulings)}"
    yield _totals(due.totals, currency)


def _totals(totals: d.Totals, currency: str) -> str:
    return (
        f"staked {words.money(totals.staked_minor, currency)}, returned"
        f" {words.money(totals.returned_minor, currency)}, the house's net"
        f" {words.money(totals.house_net_minor, currency)}"
    )


def evaluated(hand: d.EvaluatedHand) -> str:
    """A hand's evaluation. Point Counts are Saigon's and at least 1; Hi-Lo's hands have totals."""
    parts = []
    if hand.point_count:
        parts.append("qualifies" if hand.qualifies else "does not qualify")
        parts.append(f"Point Count {hand.point_count}")
    else:
        parts.append("busted" if hand.busted else f"high {hand.first_total}")
        parts.append(f"low {hand.second_total}")
    if hand.joker_points:
        parts.append(f"the joker counts {hand.joker_points}")
    if hand.misset:
        parts.append("misset")
    if hand.foul:
        parts.append("foul")
    parts.append(words.poker(hand.poker))
    # The contract has one code for a hand that stands as whoever plays it has set it.
    by_dealer = not hand.position and hand.set_by == d.SET_BY_PLAYER
    parts.append(f"set by {'dealer' if by_dealer else _name(d.SetBy, hand.set_by)}")
    return ", ".join(parts) + _rulings(hand.rulings)


def _submission(data: bytes) -> rules_pb2.RulesSubmission:
    """What can be read of a submission's bytes; a round's are not always valid."""
    try:
        return rules_pb2.RulesSubmission.FromString(data)
    except DecodeError:
        return rules_pb2.RulesSubmission(name="(its bytes are none)")


def _filed(submission: rules_pb2.RulesSubmission, digest: bytes) -> str:
    return f"rules: submission “{submission.name}”, SHA-256 {digest.hex()[:16]}..."


def _gaming_day(fact: Any) -> str:
    return f"gaming day {fact.gaming_day or 'not given'}"


def _posted(posted: rules_pb2.PostedLimits, currency: str) -> Iterator[str]:
    """Posted limits; a table's facts name no currency, so its amounts may stand without one."""
    for offer in posted.wagers:
        if offer.offered:
            least, most = (words.money(m, currency) for m in (offer.min_minor, offer.max_minor))
            yield f"{words.kind(offer.kind)}: {least} to {most}"
        else:
            yield f"{words.kind(offer.kind)}: not offered"
    if posted.pot_amount_minor:
        yield f"Pot: {words.money(posted.pot_amount_minor, currency)} a position"


def _whose(position: int) -> str:
    return f"position {position}" if position else "the dealer"


def _player(fact: Any) -> str:
    return f"position {fact.position} ({fact.patron_id or 'nobody named'})"


def _at(position: int) -> str:
    return f" at position {position}" if position else ""


def _split(first: Iterable[Any], second: Iterable[Any]) -> str:
    return f"{words.cards(first)} | {words.cards(second)}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def _rulings(rulings: Iterable[str]) -> str:
    joined = ", ".join(rulings)
    return f" (house rulings: {joined})" if joined else ""
