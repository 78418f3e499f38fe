"""`pitledger adjust propose|approve|decline|list`: corrections beside what was settled."""

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli import moments
from services.cli.amounts import minor_units
from services.cli.as_of import AsOf
from services.cli.case import CaseName, Reason, done, reference_to, settled
from services.cli.case_desk import CaseDesk
from services.cli.desk import By, Command, Id, Json, text
from services.cli.heading import heading, heading_lines
from services.cli.output import fail, printable, say, say_json, warn
from services.cli.source import From, Partitions, require_table
from services.cli.untrimmed import open_whole

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
Yes = Annotated[
    bool,
    typer.Option("--yes", help="Do it, though the same amount was posted or proposed there already;"
                 " else it is only told."),
]
_MONTH = re.compile("[0-9]{4}-(0[1-9]|1[0-2])")
_CIRCLE = re.compile(r"([0-9]{1,2})\.([a-z_]+)=([^@]+)(@pot)?")


@adjust_app.command("propose")
def propose(
    name: CaseName,
    reason: Reason,
    by: By,
    position: Annotated[int | None, typer.Option(
        min=1, max=99, show_default=False,
        help="Of a plain adjustment (no --roll-back, no --settle).",
    )] = None,
    wager: Annotated[str | None, typer.Option(
        show_default=False, help="Of a plain adjustment: ante, bonus, pot, ..."
    )] = None,
    amount: Annotated[str | None, typer.Option(
        show_default=False, help="Of a plain adjustment, in whole units: 15.00 or 15, fifteen"
        " dollars, from house to patron; -15.00 from patron to house.",
    )] = None,
    roll_back: Annotated[
        bool, typer.Option("--roll-back", help="Take back the settlement that stands.")
    ] = False,
    settle: Annotated[
        list[str] | None,
        typer.Option(metavar="POSITION.WAGER=AMOUNT[@pot]", show_default=False,
                     help="Settle anew what was rolled back: what each circle wins or loses, from"
                     " the house or the Pot. May be given several times."),
    ] = None,
    yes: Yes = False,
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Propose a correction in a case: a plain amount, a roll-back, or a new settlement.

    A plain amount that any case of the round has posted or proposed there already needs --yes.

    Exit 0: it is on the journal; 2: bad input, or it would have no effect, and the line says why.
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
    else:
        _plain(asked, position, wager, amount)
    record = command.record(case_id=case.case_id, adjustment_proposed=asked)

    def look() -> None:
        circle = desk.circle(case, asked)
        there = [*circle.posted, *circle.undecided]
        _require_meant([one for one in there if one.asked.amount_minor == asked.amount_minor])

    where, answer = desk.write(record, look if plain and not yes else None)
    _warn_of_nothing_staked(asked, settlement)
    void = "; the round was voided" if settlement.is_void else ""
    known = void + (_known(answer, settlement.currency) if plain else "")
    said = f"proposed in case {case.case_id}{known}; another person approves it"
    more = _there(desk, case, asked) if plain else []
    done(said, as_json, more, case=case.case_id, id=command.event_id, position=where,
         answer=answer)


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
    yes: Yes = False,
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Approve an adjustment that another person proposed; its lines are booked, once.

    A plain amount needs --yes where any case of the round has posted the same there already, or
    anything since it was proposed.

    Exit 0: it is on the journal; 1: it is, and another desk posted there meanwhile; 2: bad input
    (the same person, approved already), or another was quicker, and the line says what stands.
    """
    from pitledger.pb import facts_pb2

    desk, case, proposal = CaseDesk.of_proposal(name)
    command, _ = Command.of(desk.table_id, by, event_id), settled(case)
    day = desk.newest_day if gaming_day is None else gaming_day
    if not day:
        fail("give --gaming-day")
    moments.gaming_day("--gaming-day", day)
    approved = facts_pb2.AdjustmentApproved(
        proposal_event_id=proposal.proposal_id, gaming_day=day
    )
    seen: list[Proposal] | None = None

    def look() -> None:
        nonlocal seen
        seen = desk.circle(case, proposal.asked).posted
        if not yes:
            _require_meant([one for one in seen if _is_news(one, proposal)])

    record = command.record(case_id=case.case_id, adjustment_approved=approved)
    where, answer = desk.write(record, None if proposal.asked.form else look)
    posting = answer.posting_id if answer else ""
    said = f"approved for gaming day {day}: posting {posting}"
    more = [*_posted(case, proposal), *_there(desk, case, proposal.asked)]
    done(said, as_json, more, case=case.case_id, id=command.event_id, position=where,
         answer=answer)
    if seen is not None and _posted_meanwhile(desk, case, proposal, seen):
        warn("pitledger: another desk posted on the same circle meanwhile; if it is the same claim,"
             " one of both is to be taken back")
        raise typer.Exit(1)


@adjust_app.command("decline")
def decline(
    name: ProposalName, reason: Reason, by: By, event_id: Id = None, as_json: Json = False
) -> None:
    """Decline a proposal, or withdraw one's own: it can no longer be approved.

    Exit 0: it is on the journal; 2: bad input, or another was quicker, and the line says what
    stands.
    """
    from pitledger.pb import facts_pb2

    desk, case, proposal = CaseDesk.of_proposal(name)
    command, _ = Command.of(desk.table_id, by, event_id), settled(case)
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
    from pitledger.cases.circles import circles_of
    from services.cli import case_view

    if month is not None and not _MONTH.fullmatch(month):
        fail(f"--month {month}: is no month as 2026-11")
    minor_units("--above", above or "0.00", "USD")
    journal = open_whole(source, partitions)
    cases = case_view.read(journal, as_of)
    circles = circles_of(cases.tables.values())
    rows = [
        row
        for case in cases.cases()
        if table in (None, case.table_id)
        for one in case.proposals.values()
        if _is_asked(row := case_view.adjustment(case, one, cases, circles), month, above)
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
    month: str, above: str | None, table: str | None, as_of: int | None
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


def _plain(
    asked: "AdjustmentProposed", position: int | None, wager: str | None, amount: str | None
) -> None:
    if position is None or wager is None or amount is None:
        fail("a plain adjustment needs --position, --wager and --amount")
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


def _warn_of_nothing_staked(asked: "AdjustmentProposed", settlement: "Settlement") -> None:
    for circle in _not_settled(asked, settlement):
        warn(f"pitledger: {circle}: nothing was staked there in {settlement.table_id}/"
             f"{settlement.round_number}, as its settlement has it")


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


def _require_meant(there: "list[Proposal]") -> None:
    """Failed where a circle has what may be the same claim, paid or proposed already."""
    from services.cli.case_view import circle_name, on_circle

    if there:
        fail(
            f"nothing is written: {circle_name(there[0].asked)} has {on_circle(there)} already;"
            " if this comes beside it, add --yes"
        )


def _is_news(posted: "Proposal", proposal: "Proposal") -> bool:
    """Whether who approves must know of a posting: it is of the same amount, or who proposed could
    not know of it.
    """
    assert posted.decided is not None
    same = posted.asked.amount_minor == proposal.asked.amount_minor
    return same or posted.decided.fact.offset > proposal.entry.fact.offset


def _posted_meanwhile(
    desk: CaseDesk, case: "Case", proposal: "Proposal", seen: "list[Proposal]"
) -> bool:
    known = {proposal.proposal_id, *(one.proposal_id for one in seen)}
    now = {one.proposal_id for one in desk.circle(case, proposal.asked).posted}
    return not now <= known


def _posted(case: "Case", proposal: "Proposal") -> list[str]:
    """What a proposal moved, and what its case claims."""
    from pitledger.case_words import paid, posted_line
    from pitledger.words import money

    posting, claim = proposal.posting, case.opened.fact.record.dispute_opened
    if posting is None:
        return []
    currency = posting.currency_code
    return [
        *(posted_line(line, currency) for line in posting.lines),
        f"the case claims {money(claim.amount_minor, currency)}; moved in it:"
        f" {paid(case.moved_minor, currency)}",
    ]


def _there(desk: CaseDesk, case: "Case", asked: "AdjustmentProposed") -> list[str]:
    from services.cli.case_view import circle_lines

    return [] if asked.form else list(circle_lines(desk.circle(case, asked)))


def _known(answer: Any, currency: str) -> str:
    from pitledger.words import money

    if answer is None:
        return ""
    return (
        f"; the circle was settled at {money(answer.settled_minor, currency)} and adjusted by"
        f" {money(answer.adjusted_minor, currency)} before"
    )
