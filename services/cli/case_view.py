"""Cases as a journal has them, in JSON and in lines."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from google.protobuf.json_format import MessageToDict

from pitledger import case_words as said
from pitledger import words
from pitledger.cases.case import DAY_MS, Case, CaseFact, Entry, Proposal, Stage
from pitledger.cases.circles import Key, OnCircle, circles_of, key_of
from pitledger.cases.claim_window import WINDOW_DAYS
from pitledger.cases.journal import Cases, spoken_of
from pitledger.journal.memory import ONE_PASS_FORGET_MS
from pitledger.pb.facts_pb2 import AdjustmentProposed
from pitledger.story import told
from services.cli import moments
from services.cli.as_of import known_at
from services.cli.moments import utc
from services.cli.output import counted
from services.cli.sealed_cases import sealed_cases

if TYPE_CHECKING:
    from services.cli.source import Journal


def read(journal: "Journal", as_of: int | None, name: str = "") -> Cases:
    """All cases; or, by an archive's index, at least those whose id begins so.

    Without an index, and as of a moment, the journal is read twice, and of it only the tables that
    have a case folded.
    """
    sealed = sealed_cases(journal) if as_of is None else None
    if sealed is not None:
        return sealed.read(name)
    cases = to_be_read(journal, as_of)
    for stored in known_at(journal.records(), as_of):
        cases.take(stored)
    return cases


def to_be_read(journal: "Journal", as_of: int | None) -> Cases:
    """After the first reading: a fold that knows which tables have a case."""
    spoken = spoken_of(known_at(journal.records(), as_of), journal.partitions)
    return Cases(journal.partitions, spoken, forget_ms=ONE_PASS_FORGET_MS)


def forged(cases: Cases, case_id: str = "") -> list[dict[str, Any]]:
    """Records that claim to be decisions about cases, or about one, and are none."""
    return [
        asdict(one) | {"at": utc(1000 * one.at_ms)}
        for one in cases.forged
        if case_id in ("", one.case_id)
    ]


def forged_lines(found: list[dict[str, Any]]) -> Iterator[str]:
    for one in found:
        yield (
            f"FORGED: {one['kind']} at {one['partition']}:{one['offset']}, case"
            f" {one['case_id'] or '(none named)'}: {one['text']}; it changes nothing"
        )


def summary(case: Case, cases: Cases) -> dict[str, Any]:
    """A case in a row. Amounts are minor units; `moved`: to the positions. `unanswered`: records
    that its facts derive, and that are not on the journal.
    """
    opened, settlement = case.opened.fact.record.dispute_opened, case.settlement
    return {
        "case_id": case.case_id,
        "state": case.state.value,
        "table": case.table_id,
        "round_id": case.round_id,
        "number": settlement.round_number if settlement else None,
        "voided": settlement.is_void if settlement else None,
        "gaming_day": settlement.gaming_day if settlement else None,
        "property": settlement.property_id if settlement else None,
        "position": opened.position,
        "claimant": opened.claimant_id,
        "claim": opened.claim,
        "amount": opened.amount_minor,
        "currency": opened.currency_code,
        "opened_at": utc(1000 * case.opened.fact.at_ms),
        "late_days": late_days(case),
        "opened_by": case.opened.fact.record.actor,
        "refused": _refusal(case.opened),
        "finding": _finding(case),
        "proposals": len(case.proposals),
        "moved": case.moved_minor,
        "unanswered": sum(one.case_id == case.case_id for one in cases.missing()),
    }


def summary_line(case: Case, cases: Cases) -> str:
    row = summary(case, cases)
    amount = words.money(row["amount"], row["currency"])
    round_ = f"{row['table']}/{row['number']}" if row["number"] else f"{row['table']} (round open)"
    round_ += " (voided)" if row["voided"] else ""
    parts = [
        f"{case.case_id}  {row['state']}",
        f"{round_} position {row['position']}",
        f"{row['claimant'] or 'nobody named'} claims {amount}: {row['claim']}",
    ]
    if row["refused"]:
        parts.append(f"refused: {row['refused']}")
    if row["late_days"]:
        parts.append(f"late: filed {row['late_days']} days after the settlement")
    if row["finding"]:
        parts.append(f"finding: {row['finding']}")
    if any(one.posting for one in case.proposals.values()):
        parts.append(f"adjusted: {said.paid(row['moved'], row['currency'])}")
    undecided = sum(one.stage is Stage.PROPOSED for one in case.proposals.values())
    if undecided:
        parts.append(f"{counted(undecided, 'proposal')} undecided")
    if row["unanswered"]:
        parts.append(f"{row['unanswered']} of its answers are derived, and not on the journal yet")
    return "  ".join(parts)


def late_days(case: Case) -> int:
    """Whole days from the settlement to a claim that came later than WINDOW_DAYS; else 0."""
    if case.settlement is None:
        return 0
    after_ms = case.opened.fact.at_ms - case.settlement.at_ms
    return after_ms // DAY_MS if after_ms > WINDOW_DAYS * DAY_MS else 0


def case_object(case: Case, cases: Cases) -> dict[str, Any]:
    """A case as JSON has it, its facts in protobuf's JSON mapping."""
    circles = circles_of([cases.tables[case.table_id]])
    return summary(case, cases) | {
        "window_ends_at": _window(case),
        "frozen": [hold.event_id for hold in _holds(case, cases)],
        "released": [
            {
                "hold": fact.record.table_released.held_id,
                "id": fact.record.event_id,
                "at": utc(1000 * fact.at_ms),
                "by": fact.record.actor,
                "reason": fact.record.table_released.reason,
            }
            for fact in _releases(case, cases)
        ],
        "facts": [_entry_object(entry) for entry in case.entries],
        "adjustments": [
            adjustment(case, one, cases, circles) for one in case.proposals.values()
        ],
    }


def case_lines(case: Case, cases: Cases) -> Iterator[str]:
    """A case as people read it: what was said, by whom, and how it was answered."""
    yield summary_line(case, cases)
    yield f"round {case.round_id}"
    if case.settlement:
        one = case.settlement
        ended = "voided" if one.is_void else "settled"
        yield (
            f"{ended} {words.moment(one.caused_at)}; dealer {one.dealer_id or 'not given'},"
            f" supervisor {one.supervisor_id or 'not given'}; claims heard until"
            f" {words.moment(1000 * _window_ends_ms(case))}"
        )
    for hold in _holds(case, cases):
        yield f"the table is {words.hold(hold)}"
    currency = case.opened.fact.record.dispute_opened.currency_code
    entry_at = {entry.fact.offset: entry for entry in case.entries}
    facts = [*(entry.fact for entry in case.entries), *_releases(case, cases)]
    for fact in sorted(facts, key=lambda fact: fact.offset):
        first, *more = told(fact.record, currency)
        at = words.moment(1000 * fact.at_ms)
        yield f"{at}  {fact.record.actor or 'nobody'} ({fact.record.event_id}): {first}"
        yield from (f"    {line}" for line in more)
        if fact.offset in entry_at:
            yield from _answer_lines(entry_at[fact.offset], currency)
    circles = circles_of([cases.tables[case.table_id]])
    for key in dict.fromkeys(key_of(case.round_id, p.asked) for p in case.proposals.values()):
        yield from circle_lines(circles[key]) if key in circles else ()


def _answer_lines(entry: Entry, currency: str) -> Iterator[str]:
    yield f"    -> {_answer(entry)}"
    if entry.posting is not None:
        for line in entry.posting.lines:
            yield f"       {said.posted_line(line, entry.posting.currency_code or currency)}"


def adjustment(
    case: Case, one: Proposal, cases: Cases, circles: dict[Key, OnCircle]
) -> dict[str, Any]:
    """A proposal in a row. `moved`: minor units to the positions; None as long as none did."""
    record, asked, posting = one.entry.fact.record, one.asked, one.posting
    circle = circles.get(key_of(case.round_id, asked))
    recorded = cases.derived.get(one.posting_id)
    return {
        "proposal_id": one.proposal_id,
        "case_id": case.case_id,
        "table": case.table_id,
        "number": case.settlement.round_number if case.settlement else None,
        "voided": case.settlement.is_void if case.settlement else None,
        "round_gaming_day": case.settlement.gaming_day if case.settlement else None,
        "form": said.form(asked.form),
        "position": asked.position or None,
        "wager": words.kind_key(asked.kind) if asked.kind else None,
        "amount": asked.amount_minor if asked.amount_minor else None,
        "currency": asked.currency_code,
        "reason": asked.reason,
        "stage": one.stage.value,
        "refused": _refusal(one.entry),
        "proposed_by": record.actor,
        "decided_by": one.decided.fact.record.actor if one.decided else None,
        "gaming_day": posting.gaming_day if posting else None,
        "circle": circle_object(circle) if circle else None,
        "posting_id": one.posting_id or None,
        "posted_at": utc(1000 * one.decided.answered_at_ms) if posting and one.decided else None,
        "on_record": recorded.seen if recorded and posting else None,
        "moved": posting.positions_net_minor if posting else None,
        "lines": [
            MessageToDict(line, preserving_proto_field_name=True) for line in posting.lines
        ]
        if posting
        else [],
    }


def circle_object(circle: OnCircle) -> dict[str, int]:
    """What stands on a circle, in all cases: minor units to the position, and how many."""
    return {
        "settled": circle.settled_minor,
        "posted": circle.posted_minor,
        "postings": len(circle.posted),
        "undecided": circle.undecided_minor,
        "proposals_undecided": len(circle.undecided),
    }


def circle_name(asked: AdjustmentProposed) -> str:
    return f"position {asked.position} {words.kind_key(asked.kind)}"


def circle_lines(circle: OnCircle) -> Iterator[str]:
    """Of a circle that more than one adjustment is about."""
    there = [*circle.posted, *circle.undecided]
    if len(there) > 1:
        asked = there[0].asked
        settled = words.money(circle.settled_minor, asked.currency_code)
        yield f"{circle_name(asked)}, all cases: settled at {settled}; {on_circle(there)}"


def on_circle(there: list[Proposal]) -> str:
    """`30.00 USD posted (ID of case ID, ...), 15.00 USD undecided (ID of case ID)`."""
    parts = []
    for stage, name in ((Stage.POSTED, "posted"), (Stage.PROPOSED, "undecided")):
        found = [one for one in there if one.stage is stage]
        if found:
            amount = sum(one.asked.amount_minor for one in found)
            ids = (f"{one.proposal_id} of case {one.entry.fact.record.case_id}" for one in found)
            money = words.money(amount, found[0].asked.currency_code)
            parts.append(f"{money} {name} ({', '.join(ids)})")
    return ", ".join(parts)


def adjustment_line(row: dict[str, Any]) -> str:
    """An adjustment's row as people read it."""
    where = f"{row['table']}/{row['number']}" + (" (voided)" if row["voided"] else "")
    if row["position"]:
        where += f" position {row['position']} {row['wager']}"
    amount = row["moved"] if row["moved"] is not None else row["amount"]
    at = f" {moments.said(row['posted_at'][:19] + 'Z')}" if row["posted_at"] else ""
    parts = [
        f"{row['proposal_id']}  {row['stage']}{at}",
        where,
        row["form"] + (f" {words.money(amount, row['currency'])}" if amount is not None else ""),
        f"proposed by {row['proposed_by'] or 'nobody'}",
    ]
    if row["decided_by"]:
        verb = "approved" if row["moved"] is not None else "declined"
        parts.append(f"{verb} by {row['decided_by']}")
    if row["gaming_day"]:
        parts.append(f"gaming day {row['gaming_day']}")
    if row["refused"]:
        parts.append(f"refused: {row['refused']}")
    circle = row["circle"]
    if circle and circle["postings"] + circle["proposals_undecided"] > 1:
        posted, undecided = (words.money(circle[n], row["currency"]) for n in _ON_CIRCLE)
        parts.append(f"its circle, all cases: {posted} posted, {undecided} undecided")
    if row["on_record"] is False:
        parts.append("not on the journal yet")
    return "  ".join([*parts, row["reason"]])


_ON_CIRCLE = ("posted", "undecided")


def _holds(case: Case, cases: Cases) -> list[Any]:
    return [h for h in cases.holds.of(case.table_id) if h.about_id == case.case_id]


def _releases(case: Case, cases: Cases) -> list[CaseFact]:
    """Of the holds that the case names as its freezes of the table."""
    held = (entry.fact.record.dispute_held.held_id for entry in case.held)
    return [cases.releases[held_id] for held_id in held if held_id in cases.releases]


def _window(case: Case) -> str | None:
    ends_ms = _window_ends_ms(case)
    return utc(1000 * ends_ms) if ends_ms else None


def _window_ends_ms(case: Case) -> int:
    """0: there is none."""
    return case.opened.answer.window_ends_ms if case.opened.answer else 0


def _refusal(entry: Entry) -> str | None:
    if entry.answer is None or not entry.answer.refusal:
        return None
    return said.refusal(entry.answer.refusal)


def _finding(case: Case) -> str | None:
    if case.resolved is None:
        return None
    return said.finding(case.resolved.fact.record.dispute_resolved.finding)


def _answer(entry: Entry) -> str:
    if entry.answer is None:
        return "not answered: its settlement is not on record yet, or it is not to be answered"
    if entry.answer.refusal:
        return f"refused: {said.refusal(entry.answer.refusal)}"
    posted = f", posting {entry.answer.posting_id}" if entry.answer.posting_id else ""
    return f"accepted{posted}"


def _entry_object(entry: Entry) -> dict[str, Any]:
    fact = entry.fact
    answer = entry.answer
    return {
        "id": fact.record.event_id,
        "type": fact.body,
        "partition": fact.partition,
        "offset": fact.offset,
        "at": utc(1000 * fact.at_ms),
        "by": fact.record.actor,
        "told": list(told(fact.record, "")),
        "record": MessageToDict(
            getattr(fact.record, fact.body), preserving_proto_field_name=True
        ),
        "answer": MessageToDict(answer, preserving_proto_field_name=True) if answer else None,
    }
