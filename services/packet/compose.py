"""The account of a round, put together from its record."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pitledger import words
from pitledger.pb import cards_pb2
from pitledger.replay import RoundReport
from services.packet.account import (
    Account,
    Block,
    Cell,
    Column,
    Facts,
    Glossary,
    Notice,
    Paragraph,
    Prose,
    Section,
    Table,
    Tone,
)
from services.packet.case_records import CaseFile
from services.packet.paragraphs import explained, in_order
from services.packet.record import Record
from services.packet.seen import cleaned
from services.packet.strays import Stray
from services.packet.tell_cases import cases, in_all
from services.packet.tell_money import revisions, settlement
from services.packet.tell_play import deal, hands, seats, step_by_step, wagers
from services.packet.tell_rules import rules_in_force
from services.packet.tell_trouble import trouble, without_effect


@dataclass(frozen=True, slots=True)
class Build:
    """A process that had started by then."""

    when_ms: int
    processor: str
    build: str
    instance: str


@dataclass(frozen=True, slots=True)
class Making:
    """How a packet is made. `made_at_us`: microseconds since 1970; `signers`: names of keys."""

    made_at_us: int
    made_by: str
    key_name: str
    origin: str
    entry: int
    leaf_sha256: bytes
    size: int
    root: bytes
    signers: tuple[str, ...]
    builds: tuple[Build, ...]
    strays: tuple[Stray, ...]
    cases: CaseFile
    gone: int
    """Entries that held records about the round, and whose bytes were deleted."""


def account_of(record: Record, making: Making) -> Account:
    """Raises NoPacket where the record's figures do not agree with each other."""
    game = words.game(record.submission.game) if record.submission else "an unknown game"
    opened = record.opened
    sections = (
        settlement(record),
        seats(record),
        wagers(record),
        deal(record),
        hands(record),
        revisions(record),
        trouble(record),
        step_by_step(record),
        cases(making.cases, record),
        without_effect(record, making.strays, making.gone),
        rules_in_force(record),
        _software(making),
        _proof(record, making),
    )
    account = Account(
        title="Account of a round",
        subtitle=f"{game}, table {record.table_id}, round number {opened.round_number}",
        head=_head(record, making, game),
        notices=(_verdict(record.report), *_more_notices(record, making.cases)),
        sections=sections,
        made_at_us=making.made_at_us,
    )
    paragraphs = tuple(Paragraph(name, explained(name)) for name in in_order(_cited(account)))
    if paragraphs:
        about = Prose(
            "What the record cites, in short. The regulation is authoritative: 58 Pa. Code,"
            " chapters 680a and 663a."
        )
        glossary = Section("Paragraphs cited", (about, Glossary(paragraphs)))
        account = replace(account, sections=(*account.sections, glossary))
    return cleaned(account)


def _head(record: Record, making: Making, game: str) -> Facts:
    opened, entries = record.opened, record.entries
    first, last = entries[0].stored.broker_time, entries[-1].stored.broker_time
    method = words.choice(cards_pb2.DealingMethod, opened.dealing_method)
    items = (
        ("Report", "Account of a round, for a dispute"),
        ("Software", f"pitledger {making.made_by}"),
        ("Made", words.instant(making.made_at_us)),
        ("Signed with the key", making.key_name),
        ("Period", f"{words.instant(first * 1000)} to {words.instant(last * 1000)}"),
        ("Gaming day", opened.gaming_day),
        ("Property", opened.property_id),
        ("Pit", opened.pit_id),
        ("Table", record.table_id),
        ("Game", game),
        ("Round number", str(opened.round_number)),
        ("Round", record.round_id),
        ("Outcome", record.report.state if not record.report.unjudged else _recorded(record)),
        ("Dealer", opened.dealer_id),
        ("Supervisor", opened.supervisor_id),
        ("Dealing", method),
        ("Shuffler", opened.shuffler_id),
        ("Shoe", opened.shoe_id),
        ("Decks", ", ".join(opened.deck_ids)),
    )
    return Facts(tuple((name, value or "not given") for name, value in items))


def _recorded(record: Record) -> str:
    outcome = record.outcome()
    return {None: "none on record", "RoundSettled": "settled", "RoundVoided": "voided"}[
        outcome.DESCRIPTOR.name if outcome is not None else None
    ]


def _verdict(report: RoundReport) -> Notice:
    if report.unjudged:
        return Notice(
            Tone.BAD,
            "Not judged by this software",
            f"The decisions below are those on record. This software could not derive them again:"
            f" {report.unjudged}.",
        )
    if report.difference is not None:
        return Notice(
            Tone.BAD,
            "This record is not what its facts derive",
            f"Its decisions were derived again and are different: {report.difference.text}. What"
            " follows is the record as it was sealed; do not pay or refuse by it before the"
            " difference is explained.",
        )
    return Notice(
        Tone.GOOD,
        "Derived again, and identical",
        f"All {report.derived} decisions of this round were derived again from its facts when this"
        " account was made; they are, byte for byte, those on record.",
    )


def _more_notices(record: Record, found: CaseFile) -> Iterator[Notice]:
    if found.records:
        where = "What was claimed, found and adjusted is in “Cases and adjustments”."
        text = " ".join((where, *in_all(found, record)))
        yield Notice(Tone.NOTE, "There is a case about this round", text)
    if record.last("round_voided") is not None:
        yield Notice(Tone.NOTE, "The round is void", "Every stake that stood goes back.")
    irregular = sum(1 for _ in record.all("deal_irregular"))
    if irregular:
        yield Notice(
            Tone.NOTE, "The deal was irregular", "See “Irregularities, corrections, voids”."
        )
    payouts = sum(1 for _ in record.all("payout_due"))
    if payouts > 1:
        yield Notice(
            Tone.NOTE, "The payout changed", f"There are {payouts} revisions; see “Revisions”."
        )


def _software(making: Making) -> Section:
    rows = tuple(
        (
            Cell((words.instant(build.when_ms * 1000),)),
            Cell((build.processor,)),
            Cell((build.build,)),
            Cell((build.instance,)),
        )
        for build in making.builds
    )
    if not rows:
        text = "No start of a processor is on record in the archive before this round's end."
        return Section("Software builds", (Prose(text),))
    columns = (Column("Started"), Column("Processor"), Column("Build"), Column("Instance"))
    table = Table("The last start of each processor before this round's end", columns, rows)
    return Section("Software builds", (table,))


def _proof(record: Record, making: Making) -> Section:
    facts = Facts(
        (
            ("Archive", making.origin),
            ("Entry of the log", str(making.entry)),
            ("SHA-256 of the transcript", making.leaf_sha256.hex()),
            ("Checkpoint", f"{making.size} entries"),
            ("Root of the tree", making.root.hex()),
            ("Checkpoint signed by", ", ".join(making.signers)),
            ("Partition of the journal", str(record.partition)),
            ("Records in the transcript", str(len(record.entries))),
        )
    )
    return Section(
        "How to verify this packet",
        (
            Prose(
                "The transcript of this round, its entry in the archive's log and the proof that"
                " the log has it lie beside this account, in the folder “evidence”. README.txt says"
                " how to verify them with pitledger-verify, or by hand with common tools. This"
                " account is listed with its SHA-256 in packet.json, which packet.sig signs."
            ),
            facts,
        ),
    )


def _cited(account: Account) -> Iterator[str]:
    for section in account.sections:
        for block in section.blocks:
            yield from _cited_in(block)


def _cited_in(block: Block) -> Iterator[str]:
    if isinstance(block, Table):
        for row in (*block.rows, *block.sums):
            for cell in row:
                yield from cell.cites
