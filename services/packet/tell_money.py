"""What was paid and why: lines with their arithmetic, the Pot, sums, what revisions changed.

All of it is read from the record. Arithmetic is shown in full, and each result is compared with the
recorded one: where they differ there is no account.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from pitledger import words
from pitledger.money import Ratio, payout
from pitledger.pb import decisions_pb2 as pb
from pitledger.pb import rules_pb2
from pitledger.story import told
from services.packet.account import Block, Cell, Column, Facts, Prose, Section, Table, Tone
from services.packet.faults import NoPacket
from services.packet.record import Entry, Record
from services.packet.tell_rules import house_rulings, ruling_words

_ROUNDING = {
    rules_pb2.PAYOUT_ROUNDING_DOWN: "rounded down",
    rules_pb2.PAYOUT_ROUNDING_UP: "rounded up",
    rules_pb2.PAYOUT_ROUNDING_NEAREST: "rounded to the nearest",
}
_MINUS = "−"


def settlement(record: Record) -> Section:
    outcome = record.outcome() or record.last("payout_due")
    if outcome is None:
        return Section("Settlement", (Prose("Nothing was settled."),))
    return Section("Settlement", tuple(_settlement_blocks(record, outcome)))


def _settlement_blocks(record: Record, outcome: Any) -> Iterator[Block]:
    _check_totals(outcome)
    if isinstance(outcome, pb.RoundVoided):
        reason = words.choice(pb.VoidReason, outcome.reason)
        yield Prose(f"The round is void ({reason}): every stake that stood goes back.")
    else:
        yield Prose(f"The lines of revision {outcome.revision}, in the order of paying.")
    columns = (
        Column("Position, wager"), Column("Why, and the arithmetic"), Column("Stake", money=True),
        Column("Won or lost", money=True), Column("Returned", money=True), Column("Paragraphs"),
    )
    rows = tuple(_line(record, line) for line in outcome.lines)
    totals, currency = outcome.totals, record.currency
    sums = (
        Cell(("All positions",)), Cell(),
        Cell((words.money(totals.staked_minor, currency),)),
        Cell((signed(totals.positions_net_minor, currency),)),
        Cell((words.money(totals.returned_minor, currency),)), Cell(),
    )
    yield Table("Settlement, line by line", columns, rows, (sums,))
    if not isinstance(outcome, pb.RoundVoided) and outcome.HasField("pot"):
        yield from _pot(outcome.pot, currency)
    yield _sum_to_zero(totals, currency)
    yield _by_position(record, outcome)
    yield from _payments(record)


def _line(record: Record, line: pb.SettlementLine) -> tuple[Cell, ...]:
    currency = record.currency
    outcome = words.outcome(line.outcome)
    return (
        Cell((f"Position {line.position}", words.kind(line.kind))),
        Cell((f"{outcome.capitalize()}. {words.line(line, currency)}",
              *_arithmetic(record, line)),
             house=house_rulings(line.rulings)),
        Cell((words.money(line.stake_minor, currency),)),
        Cell((signed(line.profit_minor, currency),),
             tone=Tone.GOOD if line.profit_minor > 0 else Tone.PLAIN),
        Cell((words.money(line.returned_minor, currency),)),
        Cell(cites=tuple(line.citations)),
    )


def _arithmetic(record: Record, line: pb.SettlementLine) -> Iterator[str]:
    """Stake and odds to the amount, by the recorded numbers. Raises NoPacket where they differ."""
    currency = record.currency
    if line.returned_minor != line.stake_minor + line.profit_minor:
        _differs(line, "returned is not stake and profit")
    if line.odds.win and line.odds.stake:
        yield _won(record, line)
        if line.profit_minor > line.uncut_profit_minor:
            _differs(line, "its profit is above its odds")
        if line.profit_minor < line.uncut_profit_minor:
            cut = words.money(line.uncut_profit_minor - line.profit_minor, currency)
            yield (
                f"The aggregate payout limit takes {cut}:"
                f" {words.money(line.profit_minor, currency)} is paid."
            )
    yield (
        f"{words.money(line.stake_minor, currency)} {_plus(line.profit_minor, currency)} ="
        f" {words.money(line.returned_minor, currency)}"
    )


def _won(record: Record, line: pb.SettlementLine) -> str:
    currency, odds = record.currency, line.odds
    assert record.submission is not None  # nothing is paid without rules
    unit, rounding = record.submission.payout_unit_minor, record.submission.payout_rounding
    paid = payout(line.stake_minor, Ratio(odds.win, odds.stake), unit, rounding)
    if paid != line.uncut_profit_minor:
        _differs(line, f"stake and odds give {words.money(paid, currency)}")
    text = (
        f"{words.money(line.stake_minor, currency)} × {odds.win}"
        + (f" ÷ {odds.stake}" if odds.stake != 1 else "")
        + f" = {words.exact(line.stake_minor * odds.win, odds.stake, currency)}"
    )
    if line.stake_minor * odds.win == paid * odds.stake:
        return text
    return (
        f"{text}, {_ROUNDING.get(rounding, 'rounded')} to a multiple of"
        f" {words.money(unit, currency)}: {words.money(paid, currency)}"
    )


def _pot(pot: pb.PotResult, currency: str) -> Iterator[Block]:
    shares = tuple(
        (f"Share of position {share.position}", words.money(share.amount_minor, currency))
        for share in pot.shares
    )
    if sum(share.amount_minor for share in pot.shares) not in (0, pot.amount_minor):
        raise NoPacket("the record's shares of the Pot do not sum to the Pot")
    eligible = ", ".join(map(str, pot.eligible)) or "nobody"
    yield Facts(
        (
            ("The Pot", words.money(pot.amount_minor, currency)),
            ("Positions that could win it", eligible),
            ("Highest two-card Point Count", str(pot.best_point_count or "none")),
            *shares,
            *(("House ruling on the Pot", ruling_words(ruling)) for ruling in pot.rulings),
        )
    )


def _check_totals(outcome: Any) -> None:
    """That the recorded sums are those of the recorded lines. Raises NoPacket."""
    lines, totals = outcome.lines, outcome.totals
    pot = -sum(line.profit_minor for line in lines if line.counterparty == pb.COUNTERPARTY_POT)
    net = sum(line.profit_minor for line in lines)
    found = (
        sum(line.stake_minor for line in lines),
        sum(line.returned_minor for line in lines),
        net,
        -net - pot,
        pot,
    )
    said = (
        totals.staked_minor,
        totals.returned_minor,
        totals.positions_net_minor,
        totals.house_net_minor,
        totals.pot_net_minor,
    )
    if found != said:
        raise NoPacket("the record's totals are not the sums of its lines")


def _sum_to_zero(totals: pb.Totals, currency: str) -> Prose:
    return Prose(
        f"Positions {signed(totals.positions_net_minor, currency)}, house"
        f" {signed(totals.house_net_minor, currency)}, Pot"
        f" {signed(totals.pot_net_minor, currency)}: together {words.money(0, currency)}."
    )


def _by_position(record: Record, outcome: Any) -> Table:
    currency = record.currency
    patrons = {seat.position: seat.patron_id for seat in record.opened.seats}
    rows = []
    for position in sorted({line.position for line in outcome.lines}):
        own = [line for line in outcome.lines if line.position == position]
        rows.append(
            (
                Cell((str(position),)),
                Cell((patrons.get(position) or "nobody named",)),
                Cell((words.money(sum(line.stake_minor for line in own), currency),)),
                Cell((words.money(sum(line.returned_minor for line in own), currency),)),
                Cell((signed(sum(line.profit_minor for line in own), currency),)),
            )
        )
    columns = (
        Column("Position"), Column("Patron"), Column("Staked", money=True),
        Column("Returned", money=True), Column("Won or lost", money=True),
    )
    return Table("The same lines, added up for each position", columns, tuple(rows))


def _payments(record: Record) -> Iterator[Block]:
    """What was handed over, as it was written down: facts, and no settlement."""
    rows = tuple(
        (
            Cell((str(entry.stored.offset),)),
            Cell((f"Position {paid.position}", words.kind(paid.kind))),
            Cell((signed(paid.amount_minor, record.currency),)),
            Cell((entry.record.actor or entry.record.source or "nobody named",)),
        )
        for entry, paid in record.all("payment_recorded")
    )
    if not rows:
        yield Prose("No payment was recorded at the table.")
        return
    columns = (
        Column("Offset"), Column("Position, wager"), Column("Paid (+) or taken (−)", money=True),
        Column("Recorded by"),
    )
    yield Table("Payments as they were recorded at the table", columns, rows)


def _differs(line: pb.SettlementLine, how: str) -> None:
    where = f"position {line.position} {words.kind(line.kind)}"
    raise NoPacket(f"the record's line of {where} does not add up: {how}")


def signed(amount_minor: int, currency: str) -> str:
    text = words.money(abs(amount_minor), currency)
    return f"+{text}" if amount_minor > 0 else f"{_MINUS}{text}" if amount_minor < 0 else text


def _plus(amount_minor: int, currency: str) -> str:
    return f"{'+' if amount_minor >= 0 else _MINUS} {words.money(abs(amount_minor), currency)}"


# ---- Revisions ---------------------------------------------------------------------------------


def revisions(record: Record) -> Section:
    payouts = list(record.all("payout_due"))
    if len(payouts) < 2:
        text = "The round had one payout." if payouts else "The round had no payout."
        return Section("Revisions", (Prose(text),))
    return Section("Revisions", tuple(_revision_blocks(record, payouts)))


def _revision_blocks(record: Record, payouts: list[tuple[Entry, Any]]) -> Iterator[Block]:
    yield Prose(
        "What is decided is never edited: what changes it makes a new revision, which stands beside"
        " the one before. The last one is booked."
    )
    for (_, before), (entry, after) in pairwise(payouts):
        yield Prose(
            f"Revision {after.revision}, at offset {entry.stored.offset}: {_cause(record, entry)}"
        )
        rows = tuple(_changes(before, after, record.currency))
        if not rows:
            yield Prose("No line changed.")
            continue
        columns = (
            Column("Position, wager"), Column(f"Revision {before.revision}"),
            Column(f"Revision {after.revision}"), Column("Returned before", money=True),
            Column("Returned after", money=True),
        )
        yield Table(f"From revision {before.revision} to {after.revision}", columns, rows)


def _cause(record: Record, entry: Entry) -> str:
    wanted = entry.record.causation_id
    for each in record.entries:
        if each.record.event_id == wanted:
            by = f", by {each.record.actor}" if each.record.actor else ""
            return f"{'; '.join(told(each.record, record.currency))}{by}."
    return "its cause is not in the transcript."


def _changes(before: Any, after: Any, currency: str) -> Iterator[tuple[Cell, ...]]:
    old = {(line.position, line.kind): line for line in before.lines}
    for line in after.lines:
        was = old.get((line.position, line.kind))
        if was is None or was == line:
            continue
        yield (
            Cell((f"Position {line.position}", words.kind(line.kind))),
            Cell((f"{words.outcome(was.outcome).capitalize()}. {words.line(was, currency)}",)),
            Cell((f"{words.outcome(line.outcome).capitalize()}. {words.line(line, currency)}",)),
            Cell((words.money(was.returned_minor, currency),)),
            Cell((words.money(line.returned_minor, currency),)),
        )
