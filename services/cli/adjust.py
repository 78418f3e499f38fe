"""`pitledger adjust propose|approve|decline|list`: corrections beside what was settled."""

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.amounts import minor_units
from services.cli.as_of import AsOf
from services.cli.case import CaseName, Reason, done, reference_to, settled
from services.cli.case_desk import CaseDesk
from services.cli.desk import By, Command, Id, Json, text
from services.cli.heading import heading, heading_lines
from services.cli.output import fail, printable, say, say_json, warn
from services.cli.source import From, Partitions, require_table
from services.cli.whole import open_whole

if TYPE_CHECKING:
    from pitledger.cases.case import Case, Proposal
    from pitledger.cases.settlement import Settlement
    from pitledger.pb.facts_pb2 import AdjustmentProposed, ResettledCircle

adjust_app = typer.Typer(
    help="Corrections of settled rounds: one person proposes, another approves; then compensating"
    " lines are booked, once.",
    no_args_is_help=True,
)

ProposalName = Annotated[
    str, typer.Argument(metavar="PROPOSAL", show_default=False,
                        help="The proposal's id, or its first 8 characters or more."),
]
_MONTH = re.compile("[0-9]{4}-(0[1-9]|1[0-2])")
_DAY = re.compile("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])")
_CIRCLE = re.compile(r"([0-9]{1,2})\.([a-z_]+)=([^@]+)(@pot)?")


@adjust_app.command("propose")
def propose(
    name: CaseName,
    reason: Reason,
    by: By,
    position: Annotated[
        int | None, typer.Option(min=1, max=99, show_default=False, help="Of a plain one.")
    ] = None,
    wager: Annotated[
        str | None, typer.Option(show_default=False, help="Of a plain one: ante, bonus, pot, ...")
    ] = None,
    amount: Annotated[
        str | None,
        typer.Option(show_default=False,
                     help="Of a plain one, in whole units: 15.00 or 15, fifteen dollars, from house"
                     " to patron; -15.00 from patron to house."),
    ] = None,
    roll_back: Annotated[
        bool, typer.Option("--roll-back", help="Take back the settlement that stands.")
    ] = False,
    settle: Annotated[
        list[str] | None,
        typer.Option(metavar="POSITION.WAGER=AMOUNT[@pot]", show_default=False,
                     help="Settle anew what was rolled back: what each circle wins or loses, from"
                     " the house or the Pot. May be given several times."),
    ] = None,
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Propose a correction in a case: a plain amount, a roll-back, or a new settlement.

    Exit 0: it is on the journal; 2: bad input, and nothing is written.
    """
    from pitledger.pb import facts_pb2

    desk, case = CaseDesk.of_case(name)
    command, settlement = Command.of(desk.table_id, by, event_id), settled(case)
    asked = facts_pb2.AdjustmentProposed(
        settlement=reference_to(settlement),
        reason=text("--reason", reason),
        currency_code=settlement.currency,
    )
    plain = (position, wager, amount) != (None, None, None)
    if plain + roll_back + bool(settle) != 1:
        fail("give --position, --wager and --amount, or --roll-back, or --settle")
    if roll_back:
        asked.form = facts_pb2.ADJUSTMENT_FORM_ROLL_BACK
        asked.rolls_back_id = _standing(desk, settlement)
    elif settle:
        asked.form = facts_pb2.ADJUSTMENT_FORM_RESETTLEMENT
        asked.circles.extend(_circle(one, settlement.currency) for one in settle)
    elif position is None or wager is None or amount is None:
        fail("a plain adjustment needs --position, --wager and --amount")
    else:
        _plain(asked, position, wager, amount)
    where, answer = desk.write(command.record(case_id=case.case_id, adjustment_proposed=asked))
    for circle in _not_settled(asked, settlement):
        warn(f"pitledger: {circle}: nothing was staked there in {settlement.table_id}/"
             f"{settlement.round_number}, as its settlement has it")
    known = _known(answer, settlement.currency) if plain else ""
    said = f"proposed in case {case.case_id}{known}; another person approves it"
    done(said, as_json, case=case.case_id, id=command.event_id, position=where, answer=answer)


@adjust_app.command("approve")
def approve(
    name: ProposalName,
    by: By,
    gaming_day: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", show_default=False,
                     help="The day on which it is booked; that of the newest round beside it if not"
                     " given."),
    ] = None,
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Approve an adjustment that another person proposed; its lines are booked, once.

    Exit 0: it is on the journal; 2: bad input (the same person, approved already), and nothing is
    written.
    """
    from pitledger.pb import facts_pb2

    desk, case, proposal = CaseDesk.of_proposal(name)
    command = Command.of(desk.table_id, by, event_id)
    day = gaming_day if gaming_day is not None else desk.newest_day
    if not _DAY.fullmatch(day):
        fail(f"--gaming-day {day}: is no day as 2026-11-30" if day else "give --gaming-day")
    approved = facts_pb2.AdjustmentApproved(
        proposal_event_id=proposal.proposal_id, gaming_day=day
    )
    record = command.record(case_id=case.case_id, adjustment_approved=approved)
    if command.event_id not in desk.written:
        desk.try_(record)
        _require_not_moved(desk, case, proposal)
    where, answer = desk.write(record)
    posting = answer.posting_id if answer else ""
    said = f"approved for gaming day {day}: posting {posting}"
    done(said, as_json, case=case.case_id, id=command.event_id, position=where, answer=answer)


@adjust_app.command("decline")
def decline(
    name: ProposalName, reason: Reason, by: By, event_id: Id = None, as_json: Json = False
) -> None:
    """Decline a proposal, or withdraw one's own: it can no longer be approved.

    Exit 0: it is on the journal; 2: bad input, and nothing is written.
    """
    from pitledger.pb import facts_pb2

    desk, case, proposal = CaseDesk.of_proposal(name)
    command = Command.of(desk.table_id, by, event_id)
    declined = facts_pb2.AdjustmentDeclined(
        proposal_event_id=proposal.proposal_id, reason=text("--reason", reason)
    )
    where, answer = desk.write(command.record(case_id=case.case_id, adjustment_declined=declined))
    done(f"proposal {proposal.proposal_id} is declined", as_json, case=case.case_id,
         id=command.event_id, position=where, answer=answer)


@adjust_app.command("list")
def list_(
    source: From,
    table: Annotated[
        str | None, typer.Option(help="Only this table's.", show_default=False)
    ] = None,
    month: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM", show_default=False,
                     help="Only what was booked on this month's gaming days."),
    ] = None,
    above: Annotated[
        str | None,
        typer.Option(metavar="AMOUNT", show_default=False,
                     help="Only what moved more than this, as 2000.00, one way or the other."),
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
    partitions: Partitions = None,
) -> None:
    """List adjustments; with --month and --above, those that a month's list must name.

    Exit 0: listed; 1: a record about a case is not what its facts derive; 2: bad input, or no such
    table.
    """
    from services.cli import case_view

    if month is not None and not _MONTH.fullmatch(month):
        fail(f"--month {month}: is no month as 2026-11")
    minor_units("--above", above or "0.00", "USD")
    journal = open_whole(source, partitions)
    cases = case_view.read(journal, as_of)
    rows = [
        row
        for case in cases.cases()
        if table in (None, case.table_id)
        for one in case.proposals.values()
        if _is_asked(row := case_view.adjustment(case, one, cases), month, above)
    ]
    if table is not None and not rows:
        require_table(journal, table)
    forged = case_view.forged(cases)
    head = _heading(month, above, table, as_of) if month is not None else None
    if as_json:
        say_json((head or {}) | {"adjustments": rows, "forged": forged})
    else:
        lines = [case_view.adjustment_line(row) for row in rows] or ["no adjustment"]
        lines = [*(heading_lines(head) if head else ()), *lines]
        for line in [*lines, *case_view.forged_lines(forged)]:
            say(printable(line))
    raise typer.Exit(1 if forged else 0)


def _heading(
    month: str, above: str | None, table: str | None, as_of: str | None
) -> dict[str, Any]:
    """Of a month's list."""
    title = "Adjustments of settled rounds" + (f" above {above}" if above else "")
    only = f", table {table}" if table else ""
    return heading(title, f"gaming days of {month}{only}", as_of)


def _is_asked(row: dict[str, Any], month: str | None, above: str | None) -> bool:
    if month is not None and not (row["gaming_day"] or "").startswith(f"{month}-"):
        return False
    from pitledger.words import exponent

    if above is None:
        return True
    lines = [int(line["amount_minor"]) for line in row["lines"]]
    moved: int = max(map(abs, [0, row["moved"] or 0, *lines]))
    return moved > Decimal(above).scaleb(exponent(row["currency"]))


def _plain(asked: "AdjustmentProposed", position: int, wager: str, amount: str) -> None:
    asked.position, asked.kind = position, _kind("--wager", wager)
    asked.amount_minor = minor_units("--amount", amount, asked.currency_code)


def _kind(option: str, name: str) -> Any:
    from pitledger.pb import money_pb2
    from pitledger.words import kind_key

    kinds = {kind_key(value): value for value in money_pb2.WagerKind.values() if value}
    if name not in kinds:
        fail(f"{option} {name}: is none of {', '.join(kinds)}")
    return kinds[name]


def _circle(said: str, currency: str) -> "ResettledCircle":
    from pitledger.pb import facts_pb2

    found = _CIRCLE.fullmatch(said)
    if found is None:
        fail(f"--settle {said}: is not POSITION.WAGER=AMOUNT, as 3.ante=15.00")
    return facts_pb2.ResettledCircle(
        position=int(found[1]),
        kind=_kind("--settle", found[2]),
        profit_minor=minor_units("--settle", found[3], currency),
        from_pot=found[4] is not None,
    )


def _not_settled(asked: "AdjustmentProposed", settlement: "Settlement") -> list[str]:
    """The circles that it names and the settlement has no line of."""
    from pitledger.words import kind_key

    known = {(position, kind) for position, kind, _ in settlement.profits}
    plain = [(asked.position, asked.kind)] if asked.kind else []
    named = [*plain, *((one.position, one.kind) for one in asked.circles)]
    return [
        f"position {position} {kind_key(kind)}"
        for position, kind in named
        if (position, kind) not in known
    ]


def _standing(desk: CaseDesk, settlement: "Settlement") -> str:
    """What a roll-back takes back: the settlement that stands, or the last that stood."""
    standing = desk.table.standings.get(settlement.round_id)
    if standing is None:
        return settlement.event_id
    return standing.settled_by or list(standing.rolled_back)[-1]


def _require_not_moved(desk: CaseDesk, case: "Case", proposal: "Proposal") -> None:
    """Whoever proposed a plain amount knew what its circle was adjusted by. Failed where that is
    other by now: it may be the same claim, paid already.
    """
    from pitledger.words import kind_key, money

    asked, known = proposal.entry.fact.record.adjustment_proposed, proposal.entry.answer
    standing = desk.table.standings.get(case.round_id)
    if asked.form or known is None or standing is None:
        return
    _, adjusted = standing.at(asked.position, asked.kind)
    if adjusted != known.adjusted_minor:
        since = money(adjusted - known.adjusted_minor, asked.currency_code)
        fail(
            f"nothing is written: position {asked.position} {kind_key(asked.kind)} was adjusted by"
            f" {since} since this was proposed; decline it, and propose what is still to be moved"
        )


def _known(answer: Any, currency: str) -> str:
    from pitledger.words import money

    if answer is None:
        return ""
    return (
        f"; the circle was settled at {money(answer.settled_minor, currency)} and adjusted by"
        f" {money(answer.adjusted_minor, currency)} before"
    )
