"""Many rounds under other rules: what the house won, and would have won; on all cores.

A journal's partitions are dealt out to processes, an archive's rounds one by one.
"""

import re
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pitledger import words
from pitledger.journal.record import partition_of
from pitledger.journal.vocabulary import NotAFact
from pitledger.pb.archive_pb2 import ArchivedRound
from pitledger.pb.rules_pb2 import RulesSubmission
from pitledger.sources.submissions import packaged_names, read_text
from pitledger.whatif.changes import CannotBe, Setting
from pitledger.whatif.gather import Gather, Played
from pitledger.whatif.names import names_of_rules
from pitledger.whatif.played import facts_of, fold
from pitledger.whatif.rules import OtherRules, with_settings
from pitledger.whatif.tally import Changed, Sums, Tally
from services.cli import archived
from services.cli.output import Failed, columns, console, fail, printable, say, say_json
from services.cli.source import Journal
from services.cli.whatif import load, read_sets, rules_among
from services.cli.whatif_round import HYPOTHETICAL, signed
from services.cli.workers import workers
from services.cores import cores, processes_for
from services.export.chosen import Chosen

DELETED = "its bytes were deleted from the archive after their term"
_LIMIT = re.compile(r"posted\.\S+=[0-9_ ]+")
ROWS_MAX = 40
"""Of each table of sums that a person is shown; --json has all."""


def what_if_many(
    journal: Journal, chosen: Chosen, sets: list[str], rules: str | None, as_json: bool
) -> None:
    """Replay all chosen rounds twice, add up, print; raises Failed."""
    other = _rules(sets, rules)
    started = time.perf_counter()
    processes = _processes(journal, chosen)
    found = Tally()
    if processes == 1:
        found = _share(journal, chosen, other, 1, 0)
    else:
        with workers(processes) as pool:
            work = partial(_share, journal, chosen, other, processes)
            for part in pool.map(work, range(processes)):
                found.add(part)
    seconds = time.perf_counter() - started
    if not found.rounds and not found.left_open:
        fail(f"{journal.name}: {chosen}: no round was played")
    supposed = [*([f"--rules {rules}"] if rules else []), *sets]
    if as_json:
        say_json(_object(found, chosen, supposed, seconds, processes))
    else:
        _print(found, chosen, supposed, seconds, processes)


def _rules(sets: list[str], rules: str | None) -> OtherRules:
    """Names are those of any game; a value must be one that some game's default can have."""
    defaults = [load(name, None).message for name in packaged_names()]
    bases = [load(rules, None).message] if rules else defaults
    texts = [read_text(name) for name in (*([rules] if rules else []), *packaged_names())]
    changes = read_sets(sets, names_of_rules(defaults), texts)
    for change in changes:
        if isinstance(change, Setting):
            _check(change, bases)
    return rules_among(rules, None, changes)[0]


def _check(change: Setting, bases: list[RulesSubmission]) -> None:
    """A value that no submission takes is told at once, not once a round."""
    problem = None
    for base in bases:
        try:
            if with_settings(base, [change]) is not base:
                return
        except CannotBe as found:
            problem = found
    if problem is not None:
        raise Failed(str(problem)) from None


def _processes(journal: Journal, chosen: Chosen) -> int:
    if journal.archived or journal.live:
        return 1 if chosen.table and journal.live else cores()
    if chosen.table:
        return 1
    path = Path(journal.name)
    return processes_for(path.stat().st_size) if path.is_file() else 1


def _share(
    journal: Journal, chosen: Chosen, rules: OtherRules, shares: int, share: int
) -> Tally:
    """Every `shares`-th round of an archive, or all of every `shares`-th partition."""
    found = Tally()
    if journal.archived:
        for sealed in _sealed(journal, chosen, shares, share):
            if isinstance(sealed, Played):
                found.take(sealed, rules)
            else:
                found.lack(sealed.table_id, sealed.round_number, sealed.round_id, DELETED)
        return found
    gather = Gather(journal.partitions, chosen.table)
    wanted: range | list[int] = range(share, journal.partitions, shares)
    if chosen.table is not None:
        wanted = [partition_of(chosen.table, journal.partitions)]
    for stored in journal.records(wanted):
        ended = gather.take(stored)
        if ended is not None and chosen.takes_round(ended.opened):
            found.take(ended, rules)
    found.left_open = sum(map(chosen.takes_round, gather.left_open()))
    return found


def _sealed(
    journal: Journal, chosen: Chosen, shares: int, share: int
) -> "Iterator[Played | ArchivedRound]":
    """Rounds out of an archive's leaves: each holds its facts, and is sealed once it is over.

    Of a round whose bytes were deleted after their term there is the manifest.
    """
    from pitledger.archive.deletions import Deleted, read_deletions
    from pitledger.archive.in_order import records_in
    from pitledger.archive.log import manifests
    from pitledger.archive.long_rounds import Gone, is_long_round, manifest_of, round_of
    from pitledger.archive.store import BadArchive

    size = archived.size(journal.name)
    with archived.blamed_on(journal.name):
        store = archived.store_of(journal.name)
        deleted = Deleted(read_deletions(store, manifests(store, size)))
        number = 0
        for entry, leaf in enumerate(manifests(store, size)):
            if not leaf.HasField("round") and not is_long_round(leaf):
                continue
            own = manifest_of(store, entry, leaf).round
            if not chosen.takes(own.table_id, own.gaming_day):
                continue
            number += 1
            if number % shares != share:
                continue
            if entry in deleted:
                yield own
                continue
            try:
                records = records_in(entry, *round_of(store, size, entry, leaf))
                facts = facts_of(records, journal.partitions)
            except Gone:
                if not deleted:
                    raise
                yield own
                continue
            except NotAFact as problem:
                raise BadArchive(f"entry {entry}: {problem}") from None
            yield Played(facts, fold(facts))


# ---- what is printed ----------------------------------------------------------------------------


def _print(
    found: Tally, chosen: Chosen, supposed: list[str], seconds: float, processes: int
) -> None:
    say(HYPOTHETICAL)
    for one in supposed or ["nothing that was not so"]:
        say(printable(f"supposed  {one}{_unit(one)}"))
    say(printable(f"over      {chosen}"))
    say("")
    say(
        f"{found.rounds:,} rounds: {found.unlike:,} derived otherwise, {found.changed:,} with other"
        f" money, {found.reasons.total():,} not judged"
        + (f": the sums are over the other {found.judged:,}" if found.reasons else "")
    )
    if found.left_open:
        say(f"{found.left_open:,} rounds did not end yet and are in no sum")
    for title, rows in _groups(found):
        _print_sums(title, rows)
    _print_biggest(sorted(found.biggest, reverse=True))
    for reason, count in found.reasons.most_common(ROWS_MAX):
        say(printable(f"not judged, {count:,}: {reason}"))
        for lost in found.unjudged:
            if lost.reason == reason:
                say(printable(f"  {lost.table_id}/{lost.number} {lost.round_id}"))
    on = "1 process" if processes == 1 else f"{processes} processes"
    say(f"{found.rounds / seconds:,.0f} rounds/s ({seconds:.1f} s, {on})")


def _unit(supposed: str) -> str:
    """Of a limit: over many rounds, which may be of several currencies, amounts have no point."""
    return " (minor units)" if _LIMIT.fullmatch(supposed) else ""


_Rows = list[tuple[str, str, Sums]]
"""What it is, currency, sums."""


def _groups(found: Tally) -> Iterator[tuple[str, _Rows]]:
    yield "in all", [("all", currency, sums) for currency, sums in sorted(found.total.items())]
    yield "wager", [(words.kind(kind), c, s) for (c, kind), s in sorted(found.by_kind.items())]
    yield "table", [(table, c, sums) for (c, table), sums in sorted(found.by_table.items())]
    yield "gaming day", [(day, c, sums) for (c, day), sums in sorted(found.by_day.items())]


def _print_sums(title: str, rows: _Rows) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    shown = Table(box=SIMPLE_HEAD, pad_edge=False)
    shown.add_column(title)
    for name in ("rounds", "staked", "house won", "would have won", "difference"):
        shown.add_column(name, justify="right", overflow="fold")
    for name, currency, sums in rows[:ROWS_MAX]:
        staked = words.money(sums.staked_was, currency)
        if sums.staked_would_be != sums.staked_was:
            staked += f" -> {words.money(sums.staked_would_be, currency)}"
        house = [words.money(n, currency) for n in (sums.house_was, sums.house_would_be)]
        difference = signed(sums.difference, currency)
        shown.add_row(printable(name), f"{sums.rounds:,}", staked, *house, difference)
    if rows:
        console().print(shown)
    if len(rows) > ROWS_MAX:
        say(f"and {len(rows) - ROWS_MAX:,} more; --json has all")


def _print_biggest(biggest: list[Changed]) -> None:
    if biggest:
        say("biggest differences (over all lines, whoever gains)")
    for one in biggest:
        moved = words.money(one.moved, one.currency)
        house = signed(one.house_difference, one.currency)
        name = f"{one.table_id}/{one.number}"
        id_ = f"  {one.round_id}" if columns() > 100 else ""
        say(printable(f"  {name}, {one.gaming_day}: {moved}, the house {house}{id_}"))


def _object(
    found: Tally, chosen: Chosen, supposed: list[str], seconds: float, processes: int
) -> dict[str, Any]:
    return {
        "hypothetical": True,
        "supposed": supposed,
        "gaming_day": chosen.gaming_day,
        "table": chosen.table,
        "rounds": found.rounds,
        "derived_otherwise": found.unlike,
        "changed": found.changed,
        "not_judged": found.reasons.total(),
        "still_open": found.left_open,
        "totals": {
            title.replace(" ", "_"): [
                {"name": name, "currency": currency, **_sums_object(sums)}
                for name, currency, sums in rows
            ]
            for title, rows in _groups(found)
        },
        "biggest": [
            {
                "table": one.table_id,
                "number": one.number,
                "round_id": one.round_id,
                "gaming_day": one.gaming_day,
                "currency": one.currency,
                "moved_minor": one.moved,
                "house_difference_minor": one.house_difference,
            }
            for one in sorted(found.biggest, reverse=True)
        ],
        "reasons": dict(found.reasons.most_common()),
        "seconds": round(seconds, 3),
        "rounds_per_second": round(found.rounds / seconds, 1),
        "processes": processes,
    }


def _sums_object(sums: Sums) -> dict[str, int]:
    return {
        "rounds": sums.rounds,
        "staked_was_minor": sums.staked_was,
        "staked_would_be_minor": sums.staked_would_be,
        "house_was_minor": sums.house_was,
        "house_would_be_minor": sums.house_would_be,
        "difference_minor": sums.difference,
    }
