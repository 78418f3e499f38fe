"""A round of a test's table, and what is supposed of it."""

from pathlib import Path

from pitledger.games import compile_rules
from pitledger.journal.record import Stored, headers_of, partition_of
from pitledger.sources.file import read_file
from pitledger.whatif.changes import Posted, Setting
from pitledger.whatif.difference import Difference, what_if
from pitledger.whatif.gather import Gather, Played
from pitledger.whatif.names import names_of_round
from pitledger.whatif.played import Facts, Outcome
from pitledger.whatif.rules import OtherRules
from tests.kit.table import Table

PARTITIONS = 48


def played_in(path: Path) -> list[Played]:
    gather = Gather(PARTITIONS)
    return [played for stored in read_file(path) if (played := gather.take(stored))]


def played_at(table: Table) -> Played:
    """The last round that ended at a table."""
    gather = Gather(table.log.partitions)
    return [played for stored in table.log.all() if (played := gather.take(stored))][-1]


def read(played: Played, *sets: str) -> tuple[OtherRules, list]:
    opened = played.opened.round_opened
    submission = compile_rules(opened.submission).submission
    names = names_of_round(submission, opened.currency_code)
    changes = [names.read(text) for text in sets]
    of_rules = [one for one in changes if isinstance(one, Setting | Posted)]
    return OtherRules(None, of_rules), [one for one in changes if one not in of_rules]


def supposing(played: Played, *sets: str) -> Difference:
    rules, changes = read(played, *sets)
    return what_if(played.facts, rules, changes)[0]


def money(difference: Difference) -> dict[tuple[int, int], tuple[int, int]]:
    """Position and kind -> the player's profit as it was, and as it would be."""
    return {
        (line.position, line.kind): (
            line.was.profit if line.was else 0,
            line.would_be.profit if line.would_be else 0,
        )
        for line in difference.lines
    }


def as_journal(facts: Facts, outcome: Outcome, partitions: int = PARTITIONS) -> list[Stored]:
    """Facts and what they decide, as they would lie on a journal."""
    records = [(placed.fact.record, placed.fact.value) for placed in facts]
    records += [(one.record, one.decision.value) for one in outcome.decisions]
    broker_time = facts[-1].broker_time
    return [
        Stored(
            partition_of(record.table_id, partitions),
            offset,
            facts[offset].broker_time if offset < len(facts) else broker_time,
            record.table_id.encode(),
            headers_of(record),
            value,
        )
        for offset, (record, value) in enumerate(records)
    ]
