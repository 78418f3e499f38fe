"""A sound journal, broken on purpose in one record, to see that the auditor names it.

    pitledger simulate --rounds 200 --seed 1 --faults -o good.journal
    python -m tests.chaos.break_journal good.journal --skip-refund -o broken.journal
    pitledger audit --from broken.journal       # exit code 1, the round and the record

Prints what it broke: table, round, record. The totals of what is changed still add up: that money
is wrong can only be seen by working the round out again.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from pitledger.audit import AuditReport, audit
from pitledger.journal.record import (
    DECISION_TYPES,
    JournalRecord,
    Stored,
    headers_of,
    serialize,
)
from pitledger.sources.file import read_file, write_file

Change = Callable[[JournalRecord, Random], None]


@dataclass(frozen=True, slots=True)
class Broken:
    """What was done to which record; its place is the one in the broken journal.

    `kind`: what the auditor is to call it.
    """

    way: str
    kind: str
    table_id: str
    round_id: str
    event_id: str
    body: str
    partition: int
    offset: int


class NothingToBreak(Exception):
    """The journal has no record that this way could break."""


def break_journal(
    journal: Sequence[Stored], audited: AuditReport, way: str, rng: Random
) -> tuple[list[Stored], Broken]:
    """Break one true decision of a journal, going by its audit. Raises NothingToBreak."""
    how = WAYS[way]
    true = _true_decisions(journal, audited)
    fitting = [(i, r) for i, r in true if r.WhichOneof("body") in how.bodies and how.fits(r)]
    if not fitting:
        raise NothingToBreak(f"no record for {way}")
    index, record = rng.choice(fitting)
    stored = journal[index]
    said = Broken(
        way, how.kind, record.table_id, record.round_id, record.event_id,
        record.WhichOneof("body") or "", stored.partition, stored.offset + (way == "pay-twice"),
    )
    if how.change is None:
        return _without(journal, index), said
    other = JournalRecord()
    other.CopyFrom(record)
    how.change(other, rng)
    spoilt = replace(stored, headers=headers_of(other), value=serialize(other))
    if way == "pay-twice":
        return _with_another(journal, index, spoilt), said
    return [*journal[:index], spoilt, *journal[index + 1 :]], said


# ---- ways ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Way:
    help: str
    kind: str
    bodies: tuple[str, ...]
    change: Change | None
    fits: Callable[[JournalRecord], bool] = lambda _record: True


def _one_more(record: JournalRecord, rng: Random) -> None:
    """Pay one line a unit of money more; the house bears it."""
    body = getattr(record, record.WhichOneof("body"))
    line = rng.choice(body.lines)
    line.profit_minor += 100
    line.returned_minor += 100
    _add_up(body)


def _pay_double(record: JournalRecord, _rng: Random) -> None:
    """Whatever was won is won again."""
    for line in record.round_settled.lines:
        if line.profit_minor > 0:
            line.returned_minor += line.profit_minor
            line.profit_minor *= 2
    _add_up(record.round_settled)


def _skip_refund(record: JournalRecord, rng: Random) -> None:
    lines = record.round_voided.lines
    del lines[rng.randrange(len(lines))]
    _add_up(record.round_voided)


def _double_refund(record: JournalRecord, rng: Random) -> None:
    line = rng.choice(record.round_voided.lines)
    line.profit_minor += line.stake_minor
    line.returned_minor += line.stake_minor
    _add_up(record.round_voided)


def _other_stake(record: JournalRecord, rng: Random) -> None:
    """Give back, whole, a stake that was another."""
    line = rng.choice(record.round_voided.lines)
    line.stake_minor += 100
    line.returned_minor += 100
    _add_up(record.round_voided)


def _drop_circle(record: JournalRecord, rng: Random) -> None:
    circles = record.betting_closed.circles
    del circles[rng.randrange(len(circles))]


def _add_up(body) -> None:
    """Totals that fit the lines: what players got more, the house got less."""
    totals = body.totals
    net = sum(line.profit_minor for line in body.lines)
    totals.staked_minor = sum(line.stake_minor for line in body.lines)
    totals.returned_minor = sum(line.returned_minor for line in body.lines)
    totals.house_net_minor -= net - totals.positions_net_minor
    totals.positions_net_minor = net


def _has_lines(record: JournalRecord) -> bool:
    return bool(getattr(record, record.WhichOneof("body")).lines)


def _has_won(record: JournalRecord) -> bool:
    return any(line.profit_minor > 0 for line in record.round_settled.lines)


_CHAIN = ("betting_closed", "hands_dealt", "hands_evaluated", "payout_due")
_SETTLED, _VOIDED = ("round_settled",), ("round_voided",)

WAYS = {
    "drop-decision": _Way(
        "take a decision out", "missing", (*_CHAIN, *_SETTLED, *_VOIDED), None
    ),
    "pay-twice": _Way(
        "write a second settlement with other lines after the true one",
        "foreign", _SETTLED, _one_more, _has_lines,
    ),
    "pay-double": _Way(
        "have a settlement pay twice what was won", "differs", _SETTLED, _pay_double, _has_won
    ),
    "change-line": _Way("change a settlement's line", "differs", _SETTLED, _one_more, _has_lines),
    "skip-refund": _Way("leave a refund out", "differs", _VOIDED, _skip_refund, _has_lines),
    "double-refund": _Way("refund a stake twice", "differs", _VOIDED, _double_refund, _has_lines),
    "other-stake": _Way("refund another stake", "differs", _VOIDED, _other_stake, _has_lines),
    "drop-circle": _Way(
        "leave a circle out of BettingClosed", "differs", ("betting_closed",), _drop_circle,
        lambda record: bool(record.betting_closed.circles),
    ),
}


# ---- journals --------------------------------------------------------------------------------


def _true_decisions(
    journal: Sequence[Stored], audited: AuditReport
) -> Iterator[tuple[int, JournalRecord]]:
    """Decisions that the auditor bears out, once each, with their index."""
    foreign = {(one.partition, one.offset) for one in audited.foreign}
    decisions: dict[bytes, list[int]] = {}
    for index, stored in enumerate(journal):
        is_foreign = (stored.partition, stored.offset) in foreign
        if dict(stored.headers).get("ce_type") in DECISION_TYPES and not is_foreign:
            decisions.setdefault(stored.value, []).append(index)
    for value, indexes in decisions.items():
        if len(indexes) == 1:  # of two copies one could go, and nothing would lack
            yield indexes[0], JournalRecord.FromString(value)


def _without(journal: Sequence[Stored], index: int) -> list[Stored]:
    """As if it had never been written: what follows in its partition moves up."""
    gone = journal[index]
    return [
        replace(one, offset=one.offset - 1)
        if one.partition == gone.partition and one.offset > gone.offset
        else one
        for one in journal
        if one is not gone
    ]


def _with_another(journal: Sequence[Stored], index: int, another: Stored) -> list[Stored]:
    """With another record right after one."""
    place = journal[index]
    moved = [
        replace(one, offset=one.offset + 1)
        if one.partition == place.partition and one.offset > place.offset
        else one
        for one in journal
    ]
    return [*moved[: index + 1], replace(another, offset=place.offset + 1), *moved[index + 1 :]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 broken, 2 there was nothing to break."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.break_journal")
    parser.description = __doc__
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("path", type=Path, metavar="JOURNAL")
    parser.add_argument("-o", type=Path, required=True, metavar="BROKEN", help="where to write")
    parser.add_argument("--partitions", type=int, default=48, help="of the topic (default 48)")
    parser.add_argument("--seed", type=int, default=1, help="another record (default 1)")
    ways = parser.add_mutually_exclusive_group(required=True)
    for name, way in WAYS.items():
        ways.add_argument(f"--{name}", action="store_const", dest="way", const=name, help=way.help)
    options = parser.parse_args(arguments)
    journal = list(read_file(options.path))
    try:
        audited = audit(journal, options.partitions)
        spoilt, said = break_journal(journal, audited, options.way, Random(options.seed))
    except NothingToBreak as problem:
        print(f"{options.path}: {problem}", file=sys.stderr)
        return 2
    write_file(options.o, spoilt)
    print(
        f"{WAYS[said.way].help}: {said.body} at {said.partition}/{said.offset}, id"
        f" {said.event_id}, table {said.table_id}, round {said.round_id}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
