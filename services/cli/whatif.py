"""`pitledger whatif`: a round, or many, replayed under changed facts or rules."""

from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.moments import gaming_days
from services.cli.output import Failed, fail
from services.cli.source import From, Partitions, open_journal, table_named

if TYPE_CHECKING:
    from pitledger.sources.submissions import Loaded
    from pitledger.whatif.changes import Change, Setting
    from pitledger.whatif.names import Names
    from pitledger.whatif.rules import OtherRules


def whatif(
    source: From,
    round_: Annotated[
        str | None,
        typer.Argument(metavar="ROUND", show_default=False,
                       help="TABLE/NUMBER, or a round's id, or its beginning."),
    ] = None,
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", show_default=False,
                     help="What is supposed; may be given many times."),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(metavar="NAME|FILE", show_default=False,
                     help="Another rules submission as a whole; --set changes settings of it."),
    ] = None,
    gaming_day: Annotated[
        str | None,
        typer.Option(metavar="DAY", show_default=False,
                     help="All rounds of this gaming day, as 2026-11-30; 2026-11 is a month."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="All rounds of this table.", show_default=False)
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="All rounds of the journal.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    partitions: Partitions = None,
) -> None:
    """Replay a round under changed facts or rules, and show what that changes, in money.

    Nothing is written: what is shown never happened. What can be set, of one ROUND:

    \b
    3.card2=8c  dealer.card1=Ks  deal.7=2d       the second card of position 3; the deal's seventh
    2.wager.ante=50.00  2.wager.ante=5000        with a point, or minor units (5000 cents); 0: none
    1.three=Kc,2h,7s  1.two=... (.high, .low)    one of the two hands; what is left is the other
    2.set=rule                                   set as the rules set a hand that nobody set
    3.abandoned=returned  3.void=true  round.void=false  deal.ruled=true     supervisors' rulings

    and of one or of many:

    \b
    pot_eligibility=qualifiers                   a setting, as the submission's TOML names it
    bonus_pay_table.flush=50                     one entry of it
    poker_bonus_table=B                          a pay table that the submission's text names
    posted.ante.max=500.00  posted.pot_amount=0  limits posted at the table; of many rounds, minor
                                                 units alone: posted.ante.max=50000

    A set in which a changed card lies keeps its arrangement, with the new card in the old one's
    place. Exit 0: replayed; 2: bad input, no such round, an unknown name, a value that cannot be.
    """
    chosen = every or gaming_day is not None or table is not None
    if chosen == (round_ is not None):
        fail("whatif: give one ROUND, or --gaming-day, --table or --all")
    if every and (gaming_day is not None or table is not None):
        fail("whatif: --all is all rounds; leave --gaming-day and --table out, or --all")
    journal = open_journal(source, partitions)
    if round_ is not None:
        from services.cli.whatif_round import what_if_round

        what_if_round(journal, round_, sets or [], rules, as_json)
        return
    from services.cli.whatif_many import what_if_many
    from services.export.chosen import Chosen

    day = None if gaming_day is None else gaming_days("--gaming-day", gaming_day)
    only = Chosen(None if table is None else table_named(table), day)
    what_if_many(journal, only, sets or [], rules, as_json)


def read_sets(sets: list[str], names: "Names", texts: list[str]) -> "list[Change]":
    """The changes asked for. `texts`: submissions in which a named pay table is looked for."""
    from pitledger.whatif.changes import CannotBe, Setting

    try:
        changes = [names.read(text) for text in sets]
    except CannotBe as problem:
        raise Failed(str(problem)) from None
    return [
        _with_named_table(change, texts) if isinstance(change, Setting) else change
        for change in changes
    ]


def rules_among(
    rules: str | None, game: str | None, changes: "list[Change]"
) -> "tuple[OtherRules, list[Change]]":
    """What of the changes is of the rules, on another submission or none; and the rest."""
    from pitledger.whatif.changes import Posted, Setting
    from pitledger.whatif.rules import OtherRules

    of_rules = [change for change in changes if isinstance(change, Setting | Posted)]
    rest: list[Change] = [c for c in changes if not isinstance(c, Setting | Posted)]
    return OtherRules(load(rules, game).message if rules else None, of_rules), rest


def load(rules: str, game: str | None) -> "Loaded":
    """Another submission; Failed where it is none, or another game's."""
    from pitledger.games.submission import BadSubmission
    from pitledger.sources.submissions import load_submission

    try:
        return load_submission(rules, game)
    except BadSubmission as problem:
        raise Failed(f"{rules}: {problem.problems[0]}") from None


def texts_of(rules: str | None, game: str, name: str) -> list[str]:
    """Texts that may name pay tables: of the other submission, of the round's own, the default."""
    from pitledger.games.submission import BadSubmission
    from pitledger.sources.submissions import read_text

    texts = []
    for candidate in (rules, name, "default"):
        try:
            texts += [read_text(candidate, game)] if candidate else []
        except BadSubmission:
            continue
    return texts


def _with_named_table(change: "Setting", texts: list[str]) -> "Change":
    """`poker_bonus_table=B` as the table that it names; anything else as it is."""
    from dataclasses import replace

    from pitledger.games.submission_draft import read_text
    from pitledger.games.submission_shapes import found, listed

    if not isinstance(change.value, str) or change.key:
        return change
    known: dict[str, object] = {}
    for text in texts:
        entry = read_text(text).entries.get(change.setting)
        known = {**(entry.named if entry else {}), **known}
    if not known:
        return change
    if change.value not in known:
        fail(found(change.name, change.value, listed(tuple(known))))
    return replace(change, value=known[change.value])
