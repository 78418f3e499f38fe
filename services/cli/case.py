"""`pitledger case open|hold|release|resolve|show|list`: disputes about settled rounds."""

import time
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pitledger.cases.claim_window import WINDOW_DAYS, WINDOW_DAYS_MAX
from services.cli.amounts import minor_units
from services.cli.as_of import AsOf
from services.cli.case_desk import CaseDesk, as_json_of
from services.cli.desk import By, Command, Id, Json, text, utf8
from services.cli.moments import since
from services.cli.output import counted, fail, printable, say, say_json, warn
from services.cli.source import From, Partitions, require_table
from services.cli.untrimmed import open_whole

if TYPE_CHECKING:
    from pitledger.cases.case import Case
    from pitledger.cases.settlement import Settlement
    from pitledger.pb.cases_pb2 import CaseAnswered
    from pitledger.pb.facts_pb2 import SettlementReference

MARGIN_US = 5 * 60 * 1_000_000
"""Surveillance keeps so much before a round opened and after it ended."""

case_app = typer.Typer(
    help="Disputes about settled rounds. What is written is a fact on Kafka's journal; it is"
    " answered there by the process `cases`, and changes no settlement.",
    no_args_is_help=True,
)

CaseName = Annotated[
    str, typer.Argument(metavar="CASE", show_default=False,
                        help="The case's id, or its first 8 characters or more."),
]
Reason = Annotated[str, typer.Option(help="Why; it stands on the journal.", show_default=False)]
Media = Annotated[
    str, typer.Option(metavar="LINK", help="Where the recording is.", show_default=False)
]


class Finding(StrEnum):
    """Whose error it was."""

    NONE = "none"
    PATRON = "patron"
    DEALER = "dealer"


class CaseState(StrEnum):
    """What became of a case."""

    WAITS = "waits"
    OPEN = "open"
    RESOLVED = "resolved"
    REFUSED = "refused"


@case_app.command("open")
def open_(
    round_: Annotated[
        str, typer.Argument(metavar="ROUND", show_default=False,
                            help="TABLE/NUMBER, or the first 8 characters or more of its id."),
    ],
    position: Annotated[int, typer.Option(min=1, max=99, help="The claimant's position.",
                                          show_default=False)],
    claim: Annotated[str, typer.Option(help="What is claimed.", show_default=False)],
    amount: Annotated[str, typer.Option(help="The definite amount claimed, as 15.00.",
                                        show_default=False)],
    by: By,
    claimant: Annotated[
        str, typer.Option(metavar="ID", show_default=False,
                          help="Who claims; the patron of the position if not given."),
    ] = "",
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Open a case about a round that is settled or voided; the case embeds that record.

    It is heard for PITLEDGER_CLAIM_WINDOW_DAYS from then (30), the property's setting.

    Exit 0: it is on the journal; 2: bad input (an unknown or open round, no such position, no
    definite amount, the window over), or it would have no effect, and the line says why.
    """
    from pitledger.pb import facts_pb2

    desk, round_id = CaseDesk.of_round(round_)
    settlement = desk.round(round_id).settlement
    if settlement is None:
        fail(f"{round_}: is still open; a case speaks of a settled round")
    command = Command.of(desk.table_id, by, event_id)
    case_id = command.beside("case").event_id
    opened = facts_pb2.DisputeOpened(
        settlement=reference_to(settlement),
        position=position,
        claimant_id=utf8("--claimant", claimant) or settlement.patrons.get(position, ""),
        claim=text("--claim", claim),
        amount_minor=minor_units("--amount", amount, settlement.currency),
        currency_code=settlement.currency,
        window_days=_window_days(),
        case_version=1,
    )
    where, answer = desk.write(command.record(case_id=case_id, dispute_opened=opened))
    for other in _heard_beside(desk, case_id):
        about = other.opened.fact.record
        warn(f"pitledger: case {other.case_id} is about this position, too: {about.actor} opened it"
             f" ({about.dispute_opened.claim}); if it is the same claim, resolve one of both")
    void = ", which was voided" if settlement.is_void else ""
    said = (
        f"case {case_id} is open about {desk.table_id}/{settlement.round_number}{void}, position"
        f" {position}{_until(answer)}"
    )
    done(said, as_json, case=case_id, id=command.event_id, position=where, answer=answer)


@case_app.command("hold")
def hold(
    name: CaseName,
    reason: Reason,
    by: By,
    preserve_from: Annotated[
        str, typer.Option("--from-time", metavar="TIME", show_default=False,
                          help="Video to preserve from; else 5 minutes before the round opened."),
    ] = "",
    preserve_until: Annotated[
        str, typer.Option("--until-time", metavar="TIME", show_default=False,
                          help="Video to preserve until; else 5 minutes after the round ended."),
    ] = "",
    freeze: Annotated[
        bool, typer.Option("--freeze/--no-freeze", help="Freeze the table.")
    ] = True,
    media: Media = "",
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Keep what a case needs: the table frozen, do not rack, the span of video to preserve.

    The freeze is a hold of the table (`pitledger hold list`) that names the case.

    Exit 0: it is on the journal; 2: bad input, and nothing is written.
    """
    from pitledger.pb import facts_pb2
    from pitledger.words import moment

    desk, case = CaseDesk.of_case(name)
    command = Command.of(desk.table_id, by, event_id)
    freezing = command.beside("hold")
    begin, end = _span(desk, case, preserve_from, preserve_until)
    held = facts_pb2.DisputeHeld(
        reason=text("--reason", reason),
        preserve_from_us=begin,
        preserve_until_us=end,
        held_id=freezing.event_id if freeze else "",
        do_not_rack=freeze,
        media_link=utf8("--media", media),
    )
    record = command.record(case_id=case.case_id, dispute_held=held)
    desk.try_(record)
    if freeze:
        table_held = facts_pb2.TableHeld(reason=held.reason, about_id=case.case_id)
        desk.write(freezing.record(table_held=table_held))
    where, answer = desk.write(record)
    frozen = f"{desk.table_id} is frozen, do not rack; " if freeze else ""
    said = f"{frozen}preserve the video of {desk.table_id} from {moment(begin)} to {moment(end)}"
    done(said, as_json, case=case.case_id, id=command.event_id, position=where, answer=answer)


@case_app.command("release")
def release(
    name: CaseName, reason: Reason, by: By, event_id: Id = None, as_json: Json = False
) -> None:
    """Release the holds of the table that name the case. What is preserved stays so.

    Exit 0: it is on the journal; 2: bad input, the case holds nothing, or another was quicker.
    """
    from pitledger.pb import facts_pb2

    desk, case = CaseDesk.of_case(name)
    command, why = Command.of(desk.table_id, by, event_id), text("--reason", reason)
    in_force = desk.cases.holds.of(desk.table_id)
    own = [hold.event_id for hold in in_force if hold.about_id == case.case_id]
    where = "" if own else _released_by(desk, command)
    if not own and not where:
        fail(f"{case.case_id}: holds nothing at {desk.table_id}")
    for held_id in own:
        each = command if len(own) == 1 else command.beside(f"release-{held_id}")
        released = facts_pb2.TableReleased(reason=why, held_id=held_id)
        where, _ = desk.write(each.record(table_released=released))
        first = desk.cases.releases[held_id].record
        if first.event_id != each.event_id:
            fail(f"{where}: is written, and changes nothing: it is released already, by"
                 f" {first.actor}")
    left = len(desk.cases.holds.of(desk.table_id))
    state = f"is still held, {counted(left, 'time')}" if left else "plays again"
    done(f"the hold of case {case.case_id} is released; {desk.table_id} {state}", as_json,
         case=case.case_id, id=command.event_id, position=where)


def _released_by(desk: CaseDesk, command: Command) -> str:
    """Where the same command, asked for before, wrote its last release; "": nowhere."""
    where = ""
    for held_id, release in desk.cases.releases.items():
        own_ids = command.event_id, command.beside(f"release-{held_id}").event_id
        if release.record.event_id in own_ids:
            stored = desk.written[release.record.event_id]
            where = f"{stored.partition}:{stored.offset}"
    return where


@case_app.command("resolve")
def resolve(
    name: CaseName,
    finding: Annotated[Finding, typer.Option(help="Whose error it was.", show_default=False)],
    resolution: Annotated[str, typer.Option(help="What was decided, and why.",
                                            show_default=False)],
    by: By,
    dealer: Annotated[
        str, typer.Option(metavar="ID", show_default=False,
                          help="The dealer; the round's if not given."),
    ] = "",
    supervisor: Annotated[
        str, typer.Option(metavar="ID", show_default=False,
                          help="The supervisor; the round's if not given."),
    ] = "",
    saved: Annotated[
        str, typer.Option(metavar="AMOUNT", show_default=False,
                          help="What the house saved by it; negative: what it lost."),
    ] = "0",
    media: Media = "",
    event_id: Id = None,
    as_json: Json = False,
) -> None:
    """Resolve a case: the finding, once. Money is moved by `pitledger adjust`.

    Exit 0: it is on the journal; 2: bad input, or another was quicker, and the line says what
    stands.
    """
    from pitledger.pb import facts_pb2

    desk, case = CaseDesk.of_case(name)
    command, settlement = Command.of(desk.table_id, by, event_id), settled(case)
    values = {
        Finding.NONE: facts_pb2.DISPUTE_FINDING_NO_ERROR,
        Finding.PATRON: facts_pb2.DISPUTE_FINDING_PATRON_ERROR,
        Finding.DEALER: facts_pb2.DISPUTE_FINDING_DEALER_ERROR,
    }
    resolved = facts_pb2.DisputeResolved(
        finding=values[finding],
        resolution=text("--resolution", resolution),
        dealer_id=utf8("--dealer", dealer) or settlement.dealer_id,
        supervisor_id=utf8("--supervisor", supervisor) or settlement.supervisor_id,
        saved_minor=0 if saved == "0" else minor_units("--saved", saved, settlement.currency),
        media_link=utf8("--media", media),
    )
    record = command.record(case_id=case.case_id, dispute_resolved=resolved)
    where, answer = desk.write(record)
    whose = "no error" if finding is Finding.NONE else f"{finding} error"
    done(f"case {case.case_id} is resolved: {whose}", as_json, case=case.case_id,
         id=command.event_id, position=where, answer=answer)


@case_app.command("show")
def show(
    name: CaseName,
    source: From,
    as_of: AsOf = None,
    as_json: Json = False,
    partitions: Partitions = None,
) -> None:
    """Show a case: its facts with their answers, its money, what is not on record as derived.

    Exit 0: shown; 1: a record about it is not what its facts derive; 2: bad input.
    """
    from services.cli import case_view
    from services.cli.case_desk import the_one

    journal = open_whole(source, partitions)
    cases = case_view.read(journal, as_of, name)
    found = (
        (case.case_id, case.table_id) for case in cases.cases() if case.case_id.startswith(name)
    )
    case_id, table_id = the_one(found, name, "case", journal.name)
    case, forged = cases.tables[table_id].cases[case_id], case_view.forged(cases, case_id)
    if as_json:
        say_json(case_view.case_object(case, cases) | {"forged": forged})
    else:
        for line in [*case_view.case_lines(case, cases), *case_view.forged_lines(forged)]:
            say(printable(line))
    raise typer.Exit(1 if forged else 0)


@case_app.command("list")
def list_(
    source: From,
    table: Annotated[
        str | None, typer.Option(help="Only this table's.", show_default=False)
    ] = None,
    state: Annotated[
        CaseState | None, typer.Option(help="Only cases in this state.", show_default=False)
    ] = None,
    as_of: AsOf = None,
    as_json: Json = False,
    partitions: Partitions = None,
) -> None:
    """List cases: the claim, the state, what was moved; as they are known, or were at a moment.

    Exit 0: listed; 1: a record about a case is not what its facts derive; 2: bad input, or no such
    table.
    """
    from services.cli import case_view

    journal = open_whole(source, partitions)
    cases = case_view.read(journal, as_of)
    found = [
        case
        for case in cases.cases()
        if table in (None, case.table_id) and state in (None, case.state.value)
    ]
    if table is not None and not found:
        require_table(journal, table)
    forged = case_view.forged(cases)
    if as_json:
        rows = [case_view.summary(case, cases) for case in found]
        say_json({"cases": rows, "forged": forged})
    else:
        lines = [case_view.summary_line(case, cases) for case in found] or ["no case"]
        for line in [*lines, *case_view.forged_lines(forged)]:
            say(printable(line))
    raise typer.Exit(1 if forged else 0)


# ---- shared with `pitledger adjust` ----


def reference_to(settlement: "Settlement") -> "SettlementReference":
    from pitledger.pb import facts_pb2

    return facts_pb2.SettlementReference(
        settlement_event_id=settlement.event_id,
        round_id=settlement.round_id,
        record=settlement.value,
    )


def settled(case: "Case") -> "Settlement":
    """The settlement that a case speaks of; Failed for a case that has none."""
    if case.settlement is None:
        fail(f"{case.case_id}: is {case.state.value}; nothing can be done in it")
    return case.settlement


def done(
    said: str,
    as_json: bool,
    more: Sequence[str] = (),
    *,
    answer: "CaseAnswered | None" = None,
    **names: str,
) -> None:
    """What a command says that wrote a fact; `more`: lines that say how money stands now."""
    if as_json:
        text = "\n".join([said, *more])
        say_json({**names, "answer": as_json_of(answer), "text": text})
        return
    say(printable(f"{said} (id {names['id']}, on the journal at {names['position']})"))
    for line in more:
        say(printable(line))


def _heard_beside(desk: CaseDesk, case_id: str) -> "Iterator[Case]":
    """Other cases about the same position of the same round that are not refused."""
    from pitledger.cases.case import State

    own = desk.table.cases[case_id]
    for other in desk.table.cases.values():
        heard = other is not own and other.state is not State.REFUSED
        if heard and (other.round_id, _position(other)) == (own.round_id, _position(own)):
            yield other


def _position(case: "Case") -> int:
    return case.opened.fact.record.dispute_opened.position


def _window_days() -> int:
    """The property's setting."""
    from pitledger.sources.environment import Environment, SettingError

    try:
        return Environment().whole("CLAIM_WINDOW_DAYS", WINDOW_DAYS, least=1, most=WINDOW_DAYS_MAX)
    except SettingError as problem:
        fail(str(problem))


def _until(answer: "CaseAnswered | None") -> str:
    from pitledger.words import moment

    return f"; heard until {moment(1000 * answer.window_ends_ms)}" if answer else ""


def _span(desk: CaseDesk, case: "Case", begin: str, end: str) -> tuple[int, int]:
    """What surveillance is to preserve, microseconds since 1970."""
    settlement = settled(case)
    opened = desk.round(case.round_id).opened
    first = 1000 * since("--from-time", begin) if begin else opened.occurred_at - MARGIN_US
    last = 1000 * since("--until-time", end) if end else settlement.caused_at + MARGIN_US
    if not 0 < first < last:
        fail("the span to preserve ends before it begins")
    if first > time.time_ns() // 1000:
        fail("the span to preserve has not begun yet")
    return first, last


