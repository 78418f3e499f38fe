"""`pitledger legal-hold`: what may not be deleted from an archive, whatever its term."""

import secrets
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from services.cli.moments import gaming_day as day_named
from services.cli.moments import said
from services.cli.output import Failed, counted, fail, printable, say, say_json, warn
from services.cli.source import id_named

if TYPE_CHECKING:
    from pitledger.archive.holds import Hold, Scope, Statement
    from services.storage.index import Index

legal_hold_app = typer.Typer(
    help="What may not be deleted from an archive, whatever its term.", no_args_is_help=True
)

Archive = Annotated[
    str,
    typer.Argument(metavar="ARCHIVE", show_default=False,
                   help="The archive: a folder, or s3://BUCKET/PREFIX."),
]
By = Annotated[str, typer.Option(show_default=False, help="Who says so.")]
Reason = Annotated[str, typer.Option(show_default=False, help="Why.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@legal_hold_app.command("place")
def place(
    archive: Archive,
    by: By,
    reason: Reason,
    round_: Annotated[str, typer.Option(
        "--round", metavar="ROUND", show_default=False,
        help="This round: its whole id, sealed or not; of one that is sealed, also the beginning of"
        " its id, or TABLE/NUMBER.",
    )] = "",
    table: Annotated[str, typer.Option(
        metavar="TABLE", show_default=False, help="All of this table."
    )] = "",
    gaming_day: Annotated[str, typer.Option(
        metavar="DAY", show_default=False, help="All of this gaming day."
    )] = "",
    patron: Annotated[str, typer.Option(
        metavar="PATRON", show_default=False, help="All that names this patron."
    )] = "",
    case: Annotated[str, typer.Option(
        metavar="CASE", show_default=False, help="This case, and the rounds that it is about."
    )] = "",
    as_json: Json = False,
) -> None:
    """Place a hold, at once, also while the archivist writes. Its id is printed.

    The next append seals it in the log; one that is placed in a mirror is the mirror's own, and
    keeps what lies there. It may be placed before anything that it is on is sealed:
    standard error says how many rounds are (of an archive in a bucket, pitledger retention show
    does).

    Exit 0: placed; 2: not.
    """
    from pitledger.archive.holds import OF_MIRROR, Scope, Statement
    from pitledger.journal.ids import is_fact_id
    from services.storage.stores import is_bucket

    named = {
        Scope.ROUND: round_,
        Scope.TABLE: table,
        Scope.GAMING_DAY: gaming_day,
        Scope.PATRON: patron,
        Scope.CASE: case,
    }
    given = {scope: value for scope, value in named.items() if value}
    if len(given) != 1:
        fail("name one of --round, --table, --gaming-day, --patron, --case")
    [(scope, value)] = given.items()
    match scope:
        case Scope.GAMING_DAY:
            value = day_named("--gaming-day", value)
        case Scope.ROUND if not is_fact_id(value):
            value = _sealed_round(archive, value)
        case _:
            id_named(value, str(scope))
    at = datetime.now(UTC)
    id_ = f"{at:%Y%m%d}-{secrets.token_hex(4)}{OF_MIRROR if _is_mirror(archive) else ''}"
    _write(archive, Statement(id_, f"{at:%Y-%m-%dT%H:%M:%SZ}", by, reason, scope, value))
    say_json({"id": id_}) if as_json else say(id_)
    if not is_bucket(archive):
        _say_kept(archive, scope, value)


@legal_hold_app.command("release")
def release(
    archive: Archive,
    hold: Annotated[str, typer.Argument(metavar="HOLD", show_default=False, help="Its id.")],
    by: By,
    reason: Reason,
    as_json: Json = False,
) -> None:
    """Release a hold. What was said stays; that it is released is said beside it.

    Exit 0: released; 2: there is no such hold in force.
    """
    from pitledger.archive.holds import Statement, is_of_mirror

    found = {each.placed.id: each for each in _holds(archive)}
    if hold not in found:
        fail(f"{hold}: there is no such hold")
    released = found[hold].released
    if released is not None:
        fail(f"{hold}: was released at {released.at} by {released.by}")
    if _is_mirror(archive) and not is_of_mirror(hold):
        fail(f"{hold}: was placed in the archive that this is a mirror of: release it there")
    at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
    _write(archive, Statement(hold, at, by, reason, None))
    say_json({"id": hold, "released": at}) if as_json else say(f"{hold}: released")


@legal_hold_app.command("list")
def list_(
    archive: Archive,
    everything: Annotated[
        bool, typer.Option("--all", help="Those that are released, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the holds in force, in the order in which they were placed.

    Exit 0: listed; 2: no archive, or a hold that is damaged.
    """
    found = [hold for hold in _holds(archive) if everything or hold.released is None]
    found.sort(key=lambda hold: hold.placed.at)
    if as_json:
        say_json({"holds": [_as_object(hold) for hold in found]})
        return
    for hold in found:
        placed, released = hold.placed, hold.released
        end = f"; released {released.at} by {released.by}: {released.reason}" if released else ""
        say(printable(f"{placed.id}  {placed.scope} {placed.value}  since {said(placed.at)} by"
                      f" {placed.by}: {placed.reason}{end}"))
    if not found:
        say("no hold is in force")


def _say_kept(archive: str, scope: "Scope", value: str) -> None:
    """How much of it is sealed by now: of a name that was mistyped, nothing."""
    from services.cli.archived import index_of

    name = printable(f"{scope.replace('_', ' ')} {value}")
    try:
        with index_of(archive, None) as index:
            rounds = _rounds(index, scope, value)
    except Failed as problem:  # it is placed
        warn(f"pitledger: {name}: how many rounds are sealed is not known: {problem}")
        return
    if rounds:
        warn(f"pitledger: {name}: {counted(rounds, 'sealed round')}; what comes is kept as well")
    else:
        warn(
            f"pitledger: {name}: no round is sealed yet: the hold is placed, and keeps what comes;"
            " if the name is wrong, release it"
        )


def _rounds(index: "Index", scope: "Scope", value: str) -> int:
    from pitledger.archive.holds import Scope

    match scope:
        case Scope.TABLE:
            return sum(1 for _ in index.rounds(table=value))
        case Scope.GAMING_DAY:
            return sum(1 for _ in index.rounds(gaming_day=value))
        case Scope.PATRON:
            return sum(1 for _ in index.rounds(patron=value))
        case Scope.ROUND:
            return len(index.rounds_named(value))
        case Scope.CASE:
            spoken = (c for c in index.case_records_named("case_id", value) if c.case_id == value)
            return len({case.round_id for case in spoken if case.round_id})
        case _:
            assert_never(scope)


def _sealed_round(archive: str, name: str) -> str:
    """The id of a round that is sealed. Raises Failed."""
    from services.cli.archived import index_of
    from services.storage.queries import NotFound

    try:
        with index_of(archive, None) as index:
            return index.round(name).round_id
    except NotFound as problem:
        fail(str(problem))


def _holds(archive: str) -> "list[Hold]":
    """Those beside the log and those in it. Raises Failed."""
    from pitledger.archive.holds import read_holds
    from pitledger.archive.log import manifests, newest
    from services.cli import archived
    from services.storage.stores import open_store

    about = archived.about(archive)
    with archived.blamed_on(archive):
        store = open_store(archive)
        checkpoint = newest(store, about.origin)
        return read_holds(store, manifests(store, checkpoint.size if checkpoint else 0))


def _write(archive: str, statement: "Statement") -> None:
    """Beside the log, where nothing is yet. Raises Failed."""
    from services.cli import archived
    from services.storage.stores import open_store

    archived.about(archive)
    if not statement.by.strip() or not statement.reason.strip():
        fail("--by, --reason: say who and why")
    with archived.blamed_on(archive):
        if not open_store(archive).create(statement.key, statement.data()):
            fail(f"{statement.key}: is there already")


def _is_mirror(archive: str) -> bool:
    """Raises Failed."""
    from pitledger.archive import layout
    from services.cli import archived

    with archived.blamed_on(archive):
        return archived.store_of(archive).read(layout.MIRROR) is not None


def _as_object(hold: "Hold") -> dict[str, object]:
    placed, released = hold.placed, hold.released
    return {
        "id": placed.id,
        "scope": placed.scope,
        "value": placed.value,
        "at": placed.at,
        "by": placed.by,
        "reason": placed.reason,
        "released": released
        and {"at": released.at, "by": released.by, "reason": released.reason},
    }
