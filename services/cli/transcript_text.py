"""A round's transcript as lines for a person, wrapped to the terminal, coloured where it may be."""

import os
import textwrap
from collections.abc import Iterator

from google.protobuf.message import DecodeError

from pitledger.journal.record import JournalRecord
from pitledger.replay import Difference, Step
from pitledger.story import told
from pitledger.words import hold_broken
from services.cli.moments import utc
from services.cli.output import columns, is_terminal, printable
from services.cli.transcript import Transcript, kind_of, kind_of_step

_INDENT = " " * 8
_BOLD, _DIM, _RED, _GREEN, _CYAN = "1", "2", "31", "32", "36"

_NOTES = {
    "repeat": "a repeat, no effect",
    "foreign": "NOT DERIVED SO: changes nothing",
    "other_round": "no effect: another round is open",
    "no_open_round": "no effect: no round is open",
}


def heading(transcript: Transcript) -> Iterator[str]:
    """What round this is."""
    report = transcript.report
    yield _styled(_BOLD, f"Round {report.round_id}")
    yield from _wrapped(
        f"table {printable(report.table_id)}, round number {transcript.number},"
        f" partition {report.partition}, offsets {report.first_offset} to {report.last_offset}", ""
    )
    if transcript.until is not None:
        yield f"as known at offset {transcript.until}"
    yield ""


def step_lines(transcript: Transcript, step: Step) -> Iterator[str]:
    """One record: where it lies, when it happened, what it says, what it derives."""
    record = step.record
    time = utc(record.occurred_at)[11:] if record else "no time"
    kind = printable(kind_of_step(step))
    source = f"by {printable(record.source)}" if record and record.source else ""
    color = _RED if step.note not in ("", "repeat") else _CYAN if step.is_decision else _BOLD
    parts = [f"{step.stored.offset:>7}", f"{time:16}", kind, source, _note(transcript, step)]
    head = "  ".join(part for part in parts if part)
    lines = _told(record, transcript.currency) if record else ["its bytes do not parse"]
    beside = len(lines) == 1 and len(head) + len(lines[0]) + 2 < columns()
    yield head.replace(kind, _styled(color, kind), 1) + (f"  {lines[0]}" if beside else "")
    for line in () if beside else lines:
        yield from _wrapped(line, _INDENT)
    if step.derived:
        names = ", ".join(kind_of(decision.body) for decision in step.derived)
        for line in _wrapped(f"-> {names}", _INDENT):
            yield _styled(_DIM, line)


BESIDES = (
    "what the facts derive is all recorded as derived; what differs was written besides it, and"
    " moved nothing"
)


def verdict_lines(transcript: Transcript) -> Iterator[str]:
    """Whether the record is what the facts derive."""
    report = transcript.report
    yield ""
    for decision in report.missing:
        waits = "not yet recorded" if transcript.waits else "not recorded"
        yield f"derived, {waits}: {_styled(_CYAN, kind_of(decision.body))} by {decision.owner}"
        for line in _told(JournalRecord.FromString(decision.value), transcript.currency):
            yield from _wrapped(line, _INDENT)
    for breach in report.breaches:
        yield _styled(_RED, f"the round was {printable(hold_broken(breach))}")
    counts = f"{report.derived} decisions derived again, {report.recorded} recorded as derived"
    state = f"the round is {report.state}"
    if report.unjudged:
        yield _styled(_RED, f"verdict: NOT JUDGED: {printable(report.unjudged)}")
    elif report.difference is not None and transcript.live and report.lacks:
        text = f"{printable(report.difference.text)} (pitledger doctor says why)"
        yield _styled(_RED, f"verdict: NOT ALL RECORDED: {text}")
    elif report.difference is not None:
        yield _styled(_RED, f"verdict: DIFFERENT: {printable(report.difference.text)}")
        if report.difference.recorded is not None:
            yield from _compared(report.difference, transcript.currency)
            if not report.missing:
                yield BESIDES
    else:
        so_far = " so far" if report.missing or transcript.until is not None else ""
        yield _styled(_GREEN, f"verdict: identical{so_far}")
    yield f"{counts}; {state}"


def _compared(difference: Difference, currency: str) -> Iterator[str]:
    for name, value in (("derived", difference.derived), ("recorded", difference.recorded)):
        if value is None:
            yield f"{name}: nothing"
            continue
        yield f"{name}:"
        for line in _told_bytes(value, currency):
            yield from _wrapped(line, _INDENT)


def _told(record: JournalRecord, currency: str) -> list[str]:
    return [printable(line) for line in told(record, currency)]


def _told_bytes(value: bytes, currency: str) -> list[str]:
    try:
        return _told(JournalRecord.FromString(value), currency) or ["(nothing)"]
    except DecodeError:
        return [f"bytes that do not parse: {value.hex()}"]


def _note(transcript: Transcript, step: Step) -> str:
    if not step.note:
        cause = step.record.causation_id if step.record and step.is_decision else ""
        return f"(as derived at {transcript.offset_of(cause)})" if cause else ""
    known = _NOTES.get(step.note)
    return f"({known or 'no effect: ' + step.note.replace('_', ' ')})"


def _wrapped(line: str, indent: str) -> list[str]:
    """A line within the terminal's width, what follows indented a little more."""
    return textwrap.wrap(
        line,
        max(columns() - 1, 40),
        initial_indent=indent,
        subsequent_indent=indent + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]


def _styled(code: str, text: str) -> str:
    """Colour, where a terminal wants it (NO_COLOR and TERM=dumb do not)."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM", "dumb") in ("dumb", "unknown")
    return text if plain or not is_terminal() else f"\x1b[{code}m{text}\x1b[0m"
