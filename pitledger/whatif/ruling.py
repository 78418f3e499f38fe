"""Supervisors' rulings and orders, made otherwise, or made at all."""

from pitledger.pb import facts_pb2
from pitledger.whatif import changes as c
from pitledger.whatif.changes import CannotBe
from pitledger.whatif.making import Making, copied
from pitledger.whatif.names import reading_name


def change_abandonment(making: Making, change: c.Abandoned) -> None:
    for index, placed in reversed(list(enumerate(making.facts))):
        record = placed.fact.record
        if placed.fact.body != "abandonment_ruled":
            continue
        if record.abandonment_ruled.position != change.position:
            continue
        was = record.abandonment_ruled.reading
        if was != change.reading:
            record = copied(placed)
            record.abandonment_ruled.reading = change.reading
            making.facts[index] = placed.saying(record)
            texts = reading_name(was), reading_name(change.reading)
            making.note(change.name, *texts, placed.offset)
        return
    raise CannotBe(f"{change.name}: no supervisor ruled on position {change.position}")


def change_void(making: Making, change: c.Void) -> None:
    answers = making.outcome.answers()
    orders = [
        placed
        for placed in making.facts
        if placed.fact.body == "void_ordered"
        and placed.fact.record.void_ordered.position == change.position
        and not answers[placed.event_id].answers[0].refusal
    ]
    if change.ordered == bool(orders):
        return
    if not change.ordered:
        making.drop(orders)
        making.note(change.name, "ordered", "not ordered", orders[0].offset)
        return
    order = facts_pb2.VoidOrdered(position=change.position, reason="what if")
    index = making.index_of("dealer_exposed" if change.position else "round_closed")
    making.insert(index, "void_ordered", order, change.name)
    making.note(change.name, "not ordered", "ordered", making.facts[index].offset)


def change_deal_ruling(making: Making, change: c.DealStands) -> None:
    rulings = [placed for placed in making.facts if placed.fact.body == "deal_ruled"]
    if change.ruled == bool(rulings):
        return
    if not change.ruled:
        making.drop(rulings)
        making.note(change.name, "ruled to stand", "not ruled", rulings[0].offset)
        return
    index = making.index_of("dealer_exposed") + 1
    making.insert(index, "deal_ruled", facts_pb2.DealRuled(reason="what if"), change.name)
    making.note(change.name, "not ruled", "ruled to stand", making.facts[index].offset)
