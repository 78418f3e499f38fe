"""`pitledger retention`: how long an archive's leaves are kept; deleting what is over."""

from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.output import Failed, fail, say, say_json, warn

if TYPE_CHECKING:
    from pitledger.archive.log import LogWriter
    from pitledger.archive.store import Store
    from services.retention.deleting import Swept
    from services.retention.plan import Survey
    from services.retention.policy import Policy

retention_app = typer.Typer(
    help="How long an archive's leaves are kept, and deleting what is over.", no_args_is_help=True
)

Archive = Annotated[
    str,
    typer.Argument(metavar="ARCHIVE", show_default=False,
                   help="The archive: a folder, or s3://BUCKET/PREFIX."),
]
Policies = Annotated[
    list[str] | None,
    typer.Option("--policy", metavar="NAME|FILE.toml", show_default=False,
                 help="pa-table-games (5 years), pa-interactive, nj-internet (10), or a file with"
                 " name, years, source. May be given several times: the longest counts, also of"
                 " those that PITLEDGER_RETENTION names (else pa-table-games)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
NAMED_MAX = 3
_REFUSED = 1


@retention_app.command("show")
def show(archive: Archive, policies: Policies = None, as_json: Json = False) -> None:
    """Say by day what is within its term, on hold, or may go. Nothing is changed.

    Exit 0: shown; 2: bad input.
    """
    from services.cli.archived import blamed_on
    from services.retention.plan import Survey

    policy = _policy(policies)
    store, size = _opened(archive)
    with blamed_on(archive):
        found = Survey(store, size, policy, _today())
        counts = Counter((k.day, k.until, k.state, k.holds) for k in found.leaves())
    if as_json:
        say_json(
            {
                "policy": policy.name,
                "years": policy.years,
                "leaves": [
                    {"day": str(day), "until": str(until), "state": state, "holds": holds,
                     "count": count}
                    for (day, until, state, holds), count in sorted(counts.items())
                ],
                "unknown_cases": found.unknown_cases,
            }
        )  # fmt: skip
        return
    say(f"{policy.name}: {policy.years} years ({policy.source})")
    for (day, until, state, holds), count in sorted(counts.items()):
        by = f" by {', '.join(holds)}" if holds else ""
        leaves = "leaf" if count == 1 else "leaves"
        say(f"{day}  until {until}  {count:>9,} {leaves} {state}{by}")
    for hold in found.unknown_cases:
        say(f"hold {hold}: is on a case of which nothing is sealed: as long as that is so, nothing"
            " may go")


@retention_app.command("delete")
def delete(
    archive: Archive,
    key_file: Annotated[Path, typer.Option(
        "--key", show_default=False, help="The archive's private key."
    )],
    by: Annotated[str, typer.Option(show_default=False, help="Who deletes.")],
    reason: Annotated[str, typer.Option(show_default=False, help="Why.")],
    policies: Policies = None,
    up_to: Annotated[str, typer.Option(
        metavar="DAY", show_default="all that is over",
        help="Delete what is of this gaming day or an earlier one; refused if any of it must be"
        " kept.",
    )] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else it is only shown.")] = False,
    as_json: Json = False,
) -> None:
    """Delete the bytes of leaves whose term is over and that no hold keeps.

    What goes is sealed in the log first; entries and tiles stay, so that the archive verifies as
    before. A deletion that was stopped is finished by the next one, and by this command alone.

    Exit 0: done, or shown; 1: refused, the line names what must be kept; 2: bad input.
    """
    from services.cli.archived import blamed_on
    from services.retention.deleting import Swept, seal_deletion, sweep
    from services.retention.plan import Survey

    policy, last = _policy(policies), _day(up_to)
    if not by.strip() or not reason.strip():
        fail("--by, --reason: say who deletes and why")
    store, size = _opened(archive)
    with blamed_on(archive):
        if not yes:
            chosen = _chosen(Survey(store, size, policy, _today()), last, archive)
            _say(chosen, Swept(), archive, done=False, as_json=as_json)
            return
        writer = _writer(store, key_file)
        chosen = _chosen(Survey(store, writer.size, policy, _today()), last, archive)
        if chosen:
            seal_deletion(writer, chosen, _now(), by, reason, policy)
        swept = sweep(store, writer.size)
    _say(chosen, swept, archive, done=True, as_json=as_json)


def _chosen(found: "Survey", last: date | None, archive: str) -> list[int]:
    """The entries that are to go; exit 1 where some of them must be kept."""
    from services.retention.plan import State

    if found.unknown_cases:
        warn(f"pitledger: {archive}: nothing may be deleted: hold {found.unknown_cases[0]} is on a"
             " case of which nothing is sealed yet")
        raise typer.Exit(_REFUSED)
    chosen, refused, more = list[int](), list[str](), 0
    for kept in found.leaves():
        if kept.state is State.OVER and (last is None or kept.day <= last):
            chosen.append(kept.entry)
        elif kept.state is not State.DELETED and last is not None and kept.day <= last:
            if len(refused) < NAMED_MAX:
                refused.append(str(kept))
            else:
                more += 1
    if refused:
        others = f"; and {more:,} more" if more else ""
        warn(f"pitledger: {archive}: nothing was deleted: {'; '.join(refused)}{others}")
        raise typer.Exit(_REFUSED)
    return chosen


def _say(
    entries: list[int], swept: "Swept", archive: str, *, done: bool, as_json: bool
) -> None:
    if as_json:
        say_json(
            {
                "deleted": done,
                "entries": entries,
                "files": swept.files,
                "bytes": swept.bytes,
                "kept": swept.kept,
            }
        )
    elif done:
        kept = f"; {swept.kept:,} files stay, shared or on hold" if swept.kept else ""
        what = f"the deletion of {len(entries):,} leaves is sealed" if entries else "no leaf may go"
        gone = f", {swept.files:,} files of {swept.bytes:,} bytes are gone" if swept.files else ""
        say(f"{archive}: {what}{gone}{kept}")
    elif entries:
        say(f"{archive}: {len(entries):,} leaves would be deleted; do it with --yes")
    else:
        say(f"{archive}: no leaf may go")


def _opened(archive: str) -> "tuple[Store, int]":
    """An archive's store and the number of its entries. Raises Failed."""
    from pitledger.archive.log import newest
    from services.cli import archived
    from services.storage.stores import open_store

    about = archived.about(archive)
    with archived.blamed_on(archive):
        store = open_store(archive)
        checkpoint = newest(store, about.origin)
    return store, checkpoint.size if checkpoint else 0


def _writer(store: "Store", key_file: Path) -> "LogWriter":
    """The archive's one writer. Raises Failed, BadArchive, StoreError."""
    from pitledger.archive import layout
    from pitledger.archive.log import About, LogWriter
    from services.cli.keys import secret_key

    return LogWriter(store, secret_key(key_file), About.parse(store.read(layout.LOG) or b""))


def _policy(names: list[str] | None) -> "Policy":
    from pitledger.sources.environment import Environment
    from services.retention.policy import BadPolicy, in_force, read_policy, strictest

    try:
        return strictest([*in_force(Environment()), *map(read_policy, names or ())])
    except BadPolicy as problem:
        raise Failed(str(problem)) from None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        fail(f"--up-to {text}: is no day as 2026-11-30")


def _today() -> date:
    return datetime.now(UTC).date()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
