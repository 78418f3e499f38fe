"""What lies in a circle, made another amount by the requests that made it up."""

from pitledger import words
from pitledger.pb import facts_pb2
from pitledger.whatif import changes as c
from pitledger.whatif.changes import CannotBe
from pitledger.whatif.making import Making, copied


def change_wager(making: Making, change: c.Wager) -> None:
    """The circle's accepted requests, the last of them asking for more or less."""
    asked = _contributions(making, change)
    was = sum(amount for _, _, amount in asked)
    if was == change.amount:
        return
    if not asked:
        _put_down(making, change)
        return
    offset, left = making.facts[asked[-1][0]].offset, change.amount
    for number, (index, stake, amount) in enumerate(asked, 1):
        share = left if number == len(asked) else min(left, amount)
        left -= share
        if share != amount:
            _restake(making, index, stake, share)
    _drop_empty_stakes(making)
    _note(making, change, was, offset)


def _contributions(making: Making, change: c.Wager) -> list[tuple[int, int, int]]:
    """Of what lies in the circle at the close: fact, stake in it, amount."""
    answers = making.outcome.answers()
    found: list[tuple[int, int, int]] = []
    for index, placed in enumerate(making.facts):
        answer = answers.get(placed.event_id)
        record = placed.fact.record
        if answer is None:
            continue
        if placed.fact.body == "wager_withdrawal_requested":
            back = {(chips.position, chips.kind) for chips in answer.returned}
            if (change.position, change.kind) in back:
                found = []
        if placed.fact.body != "wager_requested":
            continue
        if record.wager_requested.position != change.position:
            continue
        for stake, asked in enumerate(record.wager_requested.stakes):
            if asked.kind == change.kind and not answer.answers[stake].refusal:
                found.append((index, stake, asked.amount_minor))
    return found


def _restake(making: Making, index: int, stake: int, amount: int) -> None:
    record = copied(making.facts[index])
    record.wager_requested.stakes[stake].amount_minor = amount
    making.facts[index] = making.facts[index].saying(record)


def _drop_empty_stakes(making: Making) -> None:
    """A stake of nothing is not asked for, nor is a request without any made."""
    kept = []
    for placed in making.facts:
        stakes = placed.fact.record.wager_requested.stakes
        if placed.fact.body != "wager_requested" or all(s.amount_minor for s in stakes):
            kept.append(placed)
            continue
        record = copied(placed)
        del record.wager_requested.stakes[:]
        record.wager_requested.stakes.extend(s for s in stakes if s.amount_minor)
        if record.wager_requested.stakes:
            kept.append(placed.saying(record))
        else:
            making.requests.add(placed.event_id)
    making.facts = kept


def _put_down(making: Making, change: c.Wager) -> None:
    """A circle in which nothing lay: a request of its own, before the betting closes."""
    if change.position not in making.seats:
        raise CannotBe(f"{change.name}: nobody is seated at position {change.position}")
    request = facts_pb2.WagerRequested(
        position=change.position,
        patron_id=making.seats[change.position],
        instrument=making.rules.submission.accepted_instruments[0],
    )
    request.stakes.add(kind=change.kind, amount_minor=change.amount)
    index = making.index_of("no_more_bets")
    making.insert(index, "wager_requested", request, change.name)
    _note(making, change, 0, making.facts[index].offset)


def _note(making: Making, change: c.Wager, was: int, offset: int) -> None:
    currency = making.opened.currency_code
    would_be = words.money(change.amount, currency)
    making.note(change.name, words.money(was, currency), would_be, offset)
