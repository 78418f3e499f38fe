"""The rules that a round was played under, each with who says so."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from pitledger import words
from pitledger.games.submission import problems_of_posted, to_settings
from pitledger.pb.rules_pb2 import RulesSubmission
from services.packet.account import Block, Cell, Column, Facts, Notice, Prose, Section, Table, Tone
from services.packet.record import Record

_ODDS = re.compile("([0-9]+):([0-9]+)")
_LIMITS = {"offered", "min", "max"}
_AMOUNTS = {"wager_unit", "payout_unit_minor", "amount"}


def rules_in_force(record: Record) -> Section:
    return Section("Rules in force", tuple(_blocks(record)))


def ruling_words(ruling: str) -> str:
    """`pot_eligibility=all` as "pot eligibility: all"."""
    name, _, value = ruling.partition("=")
    return f"{_plain(name)}: {_plain(value)}" if value else _plain(name)


def house_rulings(rulings: Iterable[str]) -> str:
    """All rulings of a line or a hand; "" if there are none."""
    told = "; ".join(map(ruling_words, rulings))
    return f"House rulings: {told}" if told else ""


def _blocks(record: Record) -> Iterator[Block]:
    submission, opened = record.submission, record.opened
    if submission is None:
        yield Notice(Tone.BAD, "No rules", "The round opened with bytes that are no submission.")
        return
    yield Facts(
        (
            ("Submission", f"{submission.title} “{submission.name}”"),
            ("SHA-256 of the submission", opened.submission_digest.hex() or "not given"),
            ("Adjudication version", str(opened.adjudication_version)),
            ("Currency", record.currency or "not given"),
        )
    )
    yield Prose(
        "A setting marked “house” is a ruling of the certificate holder on what the regulation"
        " leaves open; “code” is read in the Pennsylvania Code; “vendor” is published by the"
        " game's inventor."
    )
    yield _posted(record, submission)
    problems = problems_of_posted(opened.posted_limits, submission)
    if problems:
        yield Notice(Tone.BAD, "The posted limits are not valid", "; ".join(problems))
    yield _settings(record, submission)


def _posted(record: Record, submission: RulesSubmission) -> Table:
    posted = {offer.kind: offer for offer in record.opened.posted_limits.wagers}
    pot = record.opened.posted_limits.pot_amount_minor
    rows = []
    for filed in submission.wagers:
        offer = posted.pop(filed.kind, filed)
        rows.append(
            (
                Cell((words.kind(filed.kind),)),
                Cell(_range(filed, record.currency)),
                Cell(_range(offer, record.currency)),
            )
        )
    for offer in posted.values():
        rows.append((Cell((words.kind(offer.kind),)), Cell(("not filed",)),
                     Cell(_range(offer, record.currency))))
    if pot:
        rows.append((Cell(("Pot, from each position",)), Cell(),
                     Cell((words.money(pot, record.currency),))))
    columns = (Column("Wager"), Column("Filed", money=True), Column("Posted", money=True))
    return Table("Limits of a circle's sum, filed and posted at this table", columns, tuple(rows))


def _range(offer: Any, currency: str) -> tuple[str, ...]:
    if not offer.offered:
        return ("not offered",)
    return (f"{words.money(offer.min_minor, currency)} to"
            f" {words.money(offer.max_minor, currency)}",)


def _settings(record: Record, submission: RulesSubmission) -> Table:
    rows = []
    for name, said in to_settings(submission).items():
        by = " ".join(filter(None, (said["authority"] or "nobody", said["source"])))
        tone = Tone.HOUSE if said["authority"] == "house" else Tone.PLAIN
        value = tuple(_value(name, said["value"], record.currency))
        rows.append((Cell((_plain(name),)), Cell(value), Cell((by,), tone=tone)))
    columns = (Column("Setting"), Column("Value"), Column("Authority"))
    return Table("The submission, setting by setting", columns, tuple(rows))


def _value(name: str, value: Any, currency: str) -> Iterator[str]:
    """A setting's value in lines."""
    match value:
        case dict() if value.keys() == _LIMITS:
            low, high = words.money(value["min"], currency), words.money(value["max"], currency)
            yield f"{low} to {high}" if value["offered"] else "not offered"
        case dict():
            for key, item in value.items():
                yield f"{_plain(key)}: {', '.join(_value(key, item, currency))}"
        case [[_, _], *_]:
            for total, score in value:
                yield f"up to {total}: {score}"
        case list():
            yield ", ".join(_plain(str(item)) for item in value) or "none"
        case bool():
            yield "yes" if value else "no"
        case int() if name in _AMOUNTS:
            yield words.money(value, currency)
        case _:
            odds = _ODDS.fullmatch(str(value))
            yield f"{odds[1]} to {odds[2]}" if odds else _plain(str(value))


def _plain(code: str) -> str:
    return code.removesuffix("_minor").replace("_", " ")
