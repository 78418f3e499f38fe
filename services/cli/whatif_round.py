"""One round under changed facts or rules: what would have been otherwise, as text and as JSON."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pitledger import words
from pitledger.games import BadSubmission, compile_rules
from pitledger.pb import decisions_pb2 as pb
from pitledger.story import game_key, told
from pitledger.whatif.changes import Applied, CannotBe
from pitledger.whatif.difference import Circle, Difference, LineDifference, what_if
from pitledger.whatif.names import names_of_round
from pitledger.whatif.played import Facts, Outcome, Reached, facts_of
from services.cli.output import Failed, columns, fail, printable, say, say_json
from services.cli.source import Journal
from services.cli.transcript import find, kind_of
from services.cli.whatif import load, read_sets, rules_among, texts_of

HYPOTHETICAL = "What if: HYPOTHETICAL. It did not happen, and nothing is written."
_LINES = ("payout_due", "round_settled", "round_voided")
"""Decisions of which the lines below tell all."""
_TOTALS = {
    "staked": "staked_minor",
    "returned": "returned_minor",
    "players' net": "positions_net_minor",
    "house's net": "house_net_minor",
    "Pot's net": "pot_net_minor",
}


@dataclass(frozen=True, slots=True)
class _Told:
    """What is to be told of one round."""

    facts: Facts
    applied: tuple[Applied, ...]
    difference: Difference

    @property
    def currency(self) -> str:
        return self.facts[0].fact.record.round_opened.currency_code


def what_if_round(
    journal: Journal, name: str, sets: list[str], rules: str | None, as_json: bool
) -> None:
    """Find the round, suppose, replay, print; raises Failed."""
    transcript = find(journal, name, None)
    steps = [step.stored for step in transcript.steps if not step.note]
    facts = facts_of(steps, journal.partitions)
    opened = facts[0].fact.record.round_opened
    game = game_key(opened.submission)
    try:
        own = compile_rules(opened.submission).submission
    except BadSubmission:
        fail(f"{name}: its own rules are invalid: nothing was taken in this round")
    submission = load(rules, game).message if rules else own
    names = names_of_round(submission, opened.currency_code)
    changes = read_sets(sets, names, texts_of(rules, game, own.name))
    other, rest = rules_among(rules, game, changes)
    try:
        difference, applied = what_if(facts, other, rest)
    except CannotBe as problem:
        raise Failed(str(problem)) from None
    reason = difference.was.unjudged or difference.would_be.unjudged
    if reason:
        fail(f"{name}: cannot be judged: {reason}")
    answer = _Told(facts, applied, difference)
    if as_json:
        say_json(_object(answer))
    else:
        for line in _lines(answer):
            say(printable(line))


# ---- as text ------------------------------------------------------------------------------------


def _lines(told_: _Told) -> Iterator[str]:
    record, difference = told_.facts[0].fact.record, told_.difference
    yield HYPOTHETICAL
    yield (
        f"Round {record.event_id}, table {record.table_id}, round number"
        f" {record.round_opened.round_number}, gaming day {record.round_opened.gaming_day}"
    )
    yield ""
    for one in told_.applied:
        label = f"supposed  {one.name}" if one.name else "  so also"
        yield from _wrapped(f"{label}: {one.was} -> {one.would_be} (offset {one.offset})")
    if not told_.applied:
        yield "supposed  nothing that was not so"
    yield ""
    yield from _first(told_)
    for other in difference.answers[:20]:
        yield from _answer(told_, other.was, other.would_be)
    if difference.was.state != difference.would_be.state:
        yield f"the round: {_state(difference.was)} -> {_state(difference.would_be)}"
    if not difference.comparable:
        yield from _no_money(told_)
        return
    for line in difference.lines:
        if not line.same:
            yield from _line(line, told_.currency)
    same = sum(line.same for line in difference.lines)
    yield f"{same} of {len(difference.lines)} lines as they were"
    yield ""
    yield from _totals(told_)


def _first(told_: _Told) -> Iterator[str]:
    first = told_.difference.first
    if first is None:
        yield "no decision changes: every line is as it was"
        return
    decision = first.of.decision
    what = kind_of(decision.body)
    yield f"first to change: {what} by {decision.owner}, at offset {first.of.offset}"
    if decision.body not in _LINES or not told_.difference.comparable:
        yield from _both(first.was, first.would_be, told_.currency)


def _both(was: Reached | None, would_be: Reached | None, currency: str) -> Iterator[str]:
    """What two decisions say that the other does not."""
    before, after = ([*told(r.record, currency)] if r else None for r in (was, would_be))
    for label, lines, others in (("was", before, after), ("would be", after, before)):
        if lines is None:
            yield f"  {label + ':':9} not derived"
            continue
        own = [line for line in lines if line not in (others or ())]
        for line in own or ["the same in words"]:
            yield from _wrapped(f"  {label + ':':9} {line}")


def _answer(told_: _Told, was: Reached | None, would_be: Reached | None) -> Iterator[str]:
    first = told_.difference.first
    if first is not None and (was, would_be) == (first.was, first.would_be):
        return
    reached = would_be or was
    assert reached is not None
    yield f"answered otherwise: the request at offset {reached.offset}"
    yield from _both(was, would_be, told_.currency)


def _no_money(told_: _Told) -> Iterator[str]:
    """Why there are no lines to compare."""
    for label, outcome in (("was", told_.difference.was), ("would be", told_.difference.would_be)):
        if outcome.booked is not None:
            continue
        yield f"{label}: no line; nothing is paid, so no money is compared"
        for breach in outcome.irregular.breaches if outcome.irregular else ():
            yield from _wrapped(f"  {words.breach(breach)}")


def _line(line: LineDifference, currency: str) -> Iterator[str]:
    patron = f" ({line.patron_id})" if line.patron_id else ""
    more = f"{signed(line.difference, currency)} for the player"
    yield (
        f"position {line.position}{patron} {words.kind(line.kind)}:"
        f" {more if line.difference else 'the same money'}"
    )
    for label, circle in (("was", line.was), ("would be", line.would_be)):
        yield from _wrapped(f"  {label + ':':9} {_circle(circle, currency)}")


def _circle(circle: Circle | None, currency: str) -> str:
    if circle is None:
        return "no wager"
    if circle.line is None:
        assert circle.chips is not None
        return f"given back before the deal: {words.returned(circle.chips, currency)}"
    line = circle.line
    rulings = f" (house rulings: {', '.join(line.rulings)})" if line.rulings else ""
    return (
        f"{words.outcome(line.outcome)}, {signed(line.profit_minor, currency)}."
        f" {words.line(line, currency)}{words.cited(line.citations)}{rulings}"
    )


def _totals(told_: _Told) -> Iterator[str]:
    was, would_be = (_sums(o) for o in (told_.difference.was, told_.difference.would_be))
    for label, field in _TOTALS.items():
        before, after = getattr(was, field), getattr(would_be, field)
        amounts = [words.money(amount, told_.currency) for amount in (before, after)]
        more = signed(after - before, told_.currency)
        yield f"{label + ':':13} was {amounts[0]}, would be {amounts[1]}: {more}"


def _sums(outcome: Outcome) -> pb.Totals:
    assert outcome.booked is not None
    return outcome.booked.totals


def _state(outcome: Outcome) -> str:
    texts = {"due": "its payout due, not closed", "irregular": "open, its deal irregular"}
    return texts.get(outcome.state, outcome.state)


def signed(amount: int, currency: str) -> str:
    """An amount by which something changes."""
    return ("+" if amount > 0 else "") + words.money(amount, currency)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        max(columns() - 1, 40),
        subsequent_indent=" " * 12,
        break_long_words=False,
        break_on_hyphens=False,
    )


# ---- as JSON ------------------------------------------------------------------------------------


def _object(told_: _Told) -> dict[str, Any]:
    record, difference = told_.facts[0].fact.record, told_.difference
    first = difference.first
    return {
        "hypothetical": True,
        "round_id": record.event_id,
        "table": record.table_id,
        "number": record.round_opened.round_number,
        "gaming_day": record.round_opened.gaming_day,
        "currency": told_.currency,
        "supposed": [
            {"name": one.name or None, "was": one.was, "would_be": one.would_be,
             "offset": one.offset}
            for one in told_.applied
        ],
        "state": {"was": difference.was.state, "would_be": difference.would_be.state},
        "same": difference.same,
        "first_changed": _changed_object(told_, first.was, first.would_be) if first else None,
        "answers": [_changed_object(told_, o.was, o.would_be) for o in difference.answers],
        "irregular": {
            "was": _breaches(difference.was), "would_be": _breaches(difference.would_be)
        },
        "lines": [_line_object(line, told_.currency) for line in difference.lines],
        "totals": _totals_object(difference),
    }


def _changed_object(
    told_: _Told, was: Reached | None, would_be: Reached | None
) -> dict[str, Any]:
    reached = would_be or was
    assert reached is not None
    return {
        "type": kind_of(reached.decision.body),
        "owner": reached.decision.owner,
        "question": reached.decision.question,
        "event_id": reached.decision.event_id,
        "offset": reached.offset,
        "was": list(told(was.record, told_.currency)) if was else None,
        "would_be": list(told(would_be.record, told_.currency)) if would_be else None,
    }


def _breaches(outcome: Outcome) -> list[str]:
    return [words.breach(one) for one in outcome.irregular.breaches] if outcome.irregular else []


def _line_object(line: LineDifference, currency: str) -> dict[str, Any]:
    return {
        "position": line.position,
        "patron": line.patron_id,
        "wager": words.kind_key(line.kind),
        "same": line.same,
        "was": _circle_object(line.was, currency),
        "would_be": _circle_object(line.would_be, currency),
        "difference_minor": line.difference,
    }


def _circle_object(circle: Circle | None, currency: str) -> dict[str, Any] | None:
    if circle is None:
        return None
    if circle.line is None:
        assert circle.chips is not None
        return {
            "stake_minor": circle.chips.amount_minor,
            "outcome": "given_back",
            "profit_minor": 0,
            "returned_minor": circle.chips.amount_minor,
            "cites": list(circle.chips.citations),
            "rulings": [],
            "explain": words.returned(circle.chips, currency),
        }
    line = circle.line
    return {
        "stake_minor": line.stake_minor,
        "outcome": words.outcome(line.outcome),
        "profit_minor": line.profit_minor,
        "returned_minor": line.returned_minor,
        "cites": list(line.citations),
        "rulings": list(line.rulings),
        "explain": words.line(line, currency),
    }


def _totals_object(difference: Difference) -> dict[str, Any] | None:
    if not difference.comparable:
        return None
    was, would_be = _sums(difference.was), _sums(difference.would_be)
    return {
        field: {
            "was": getattr(was, field),
            "would_be": getattr(would_be, field),
            "difference": getattr(would_be, field) - getattr(was, field),
        }
        for field in _TOTALS.values()
    }
