"""Facts that make sense where the table stands, facts that are wrong, and facts that are absurd."""

from random import Random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from pitledger.journal.record import CONSOLE_BODIES, DECISION_BODIES, JournalRecord
from tests.kit.table import AUTOMATED, HI_LO, SAIGON, SHOE, Table

BODIES = {
    field.name: field.message_type
    for field in JournalRecord.DESCRIPTOR.oneofs_by_name["body"].fields
    if field.name not in DECISION_BODIES and field.message_type
}
_WORDS = ("", "p1", "p2", "p3", "value_chip", "verbal_with_cash", "x" * 300, "\0", "ж\U0001f0cf")
_SMALL = (0, 1, 2, 3, 4, 5, 6, 7, 10, 52, 53, 54, 500, 1000)
_HUGE = {
    FieldDescriptor.TYPE_UINT32: (2**31, 2**32 - 1),
    FieldDescriptor.TYPE_UINT64: (2**63, 2**64 - 1),
    FieldDescriptor.TYPE_INT64: (-1, -(2**63), 2**63 - 1, 2**62),
}


def absurd_message(rng: Random, descriptor: Any, depth: int = 0) -> Message:
    """Any content at all of a message."""
    message = descriptor._concrete_class()
    for field in descriptor.fields:
        if rng.random() < 0.3:
            continue
        if field.message_type is not None:
            if depth > 2:
                continue
            if field.is_repeated:
                for _ in range(rng.choice((0, 1, 2, 7))):
                    part = absurd_message(rng, field.message_type, depth + 1)
                    getattr(message, field.name).append(part)
            else:
                part = absurd_message(rng, field.message_type, depth + 1)
                getattr(message, field.name).CopyFrom(part)
        elif field.is_repeated:
            count = rng.choice((0, 1, 2, 3, 4, 5, 5, 6, 60))
            getattr(message, field.name).extend(_value(rng, field) for _ in range(count))
        else:
            setattr(message, field.name, _value(rng, field))
    return message


def _value(rng: Random, field: FieldDescriptor) -> Any:
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return rng.choice(_WORDS)
        case FieldDescriptor.TYPE_BYTES:
            return rng.randbytes(rng.choice((0, 1, 32)))
        case FieldDescriptor.TYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.TYPE_ENUM:
            if rng.random() < 0.05:
                return rng.choice((-1, 99, 2**31 - 1))
            return rng.choice([value.number for value in field.enum_type.values])
        case _:
            return rng.choice(_HUGE[field.type]) if rng.random() < 0.2 else rng.choice(_SMALL)


def wild_fact(rng: Random, table: Table, wildness: float = 1.0) -> str:
    """One fact of any kind and content; most bear the open round's id and the next number.

    `wildness`: from 0, what a table would write, to 1, nearly half of it absurd.
    """
    if not table.round_id or rng.random() < 0.02 + 0.02 * wildness:
        return open_somehow(rng, table)
    roll = rng.random()
    if roll < 0.06 * wildness:
        event_id = rng.choice(list(table.written))
        table.again(event_id)
        return event_id
    if roll > 0.46 * wildness:
        return likely_fact(rng, table, 0.15 * wildness)
    body = rng.choice(list(BODIES))
    message = absurd_message(rng, BODIES[body])
    envelope: dict[str, Any] = {}
    if rng.random() < 0.1:
        envelope["round_id"] = rng.choice(("", "no such round", table.new_id()))
    if rng.random() < 0.05:
        envelope["event_id"] = rng.choice(list(table.written))
    if rng.random() < 0.05:
        envelope["case_id"] = "case 7"
    if body == "round_opened":
        envelope["round_id"] = envelope["event_id"] = table.new_id()
    if body in CONSOLE_BODIES:
        if rng.random() < 0.15:
            envelope["table_seq"] = rng.choice((1, table.seq, table.seq + 2, 2**32 - 1))
        return table.console(body, message, **envelope)
    return table.fact(body, message, **envelope)


def open_somehow(rng: Random, table: Table, *, sound: bool = False) -> str:
    """Open the next round, of any size and dealing method; now and then with bad terms."""
    seats: Any = rng.sample(range(1, 7), rng.choice((1, 1, 2, 2, 3)))
    if rng.random() < 0.2:
        first = rng.randrange(1, 6)
        seats = {first: "ann", first + 1: "ann"}
    pot = rng.choice((0, 0, 500)) if table.game == SAIGON else 0
    changes: dict[str, Any] = {}
    if not sound and rng.random() < 0.2:
        changes = rng.choice((
            {"currency_code": "usd"},
            {"submission": b"\xff"},
            {"submission_digest": b""},
            {"adjudication_version": 99},
            {"round_number": 2**64 - 1},
            {"method": 0},
        ))
    return table.open(seats, **({"pot": pot, "method": rng.choice((SHOE, AUTOMATED))} | changes))


def likely_fact(rng: Random, table: Table, mistakes: float = 0.15) -> str:
    """What a table would write next where it stands, mistakes included."""
    positions = sorted(table.seats) or [1]
    position = rng.choice(positions)
    if rng.random() < mistakes:
        return _mistake(rng, table, position)
    if table.seq == 0:
        if rng.random() < 0.4:
            return table.no_more_bets()
        return _wager(rng, table, position)
    needed = 5 * (len(positions) + 1)
    if not table.hands:
        hands = table.some_hands(len(positions) + 1)
        table.hands = dict(zip((*positions, 0), hands, strict=True))
    by_packets = table.opened.dealing_method == AUTOMATED
    dealt = (table.seq - 1) * (5 if by_packets else 1)
    if dealt < needed:
        hands = list(table.hands.values())
        if by_packets:
            return table.packet(dealt // 5 + 1, hands[dealt // 5])
        return table.draw(dealt + 1, hands[dealt % len(hands)][dealt // len(hands)])
    unset = [p for p in positions if p not in table.has_set]
    if unset and rng.random() < 0.95:
        return table.set(rng.choice(unset))
    if not table.exposed:
        return table.expose() if rng.random() < 0.9 else table.stub(table.stub_left())
    roll = rng.random()
    if roll < 0.6:
        return table.close_round(rng.choice((1, 1, 1, 2, 3)))
    if roll < 0.8:
        return table.rule_deal()
    return _mistake(rng, table, position)


def _wager(rng: Random, table: Table, position: int) -> str:
    kinds = {"ante": rng.choice((500, 1000, 1001, 25_000, 600_000))}
    if table.opened.posted_limits.pot_amount_minor and rng.random() < 0.9:
        kinds["pot"] = rng.choice((500, 500, 500, 400))
    side = rng.choice(("bonus",) if table.game == SAIGON else ("tie", "poker_bonus"))
    if rng.random() < 0.4:
        kinds[side] = rng.choice((50, 100, 700))
    return table.wager(position, **kinds)


def _mistake(rng: Random, table: Table, position: int) -> str:
    card = rng.randrange(1, 55)
    ordinal = rng.randrange(1, 5 * len(table.seats) + 8)
    mistakes = (
        lambda: table.wager(position, ante=rng.choice((-5, 0, 10, 2**62))),
        lambda: table.wager(position, ante=500, patron="p9"),
        lambda: table.wager(6, tie=100),
        lambda: table.withdraw(position, rng.choice(("ante", "bonus", "tie", "pot"))),
        lambda: table.draw(ordinal, card),
        lambda: table.packet(rng.choice((0, 1, 2, 9)), [card] * rng.choice((0, 4, 5, 6))),
        lambda: table.set(position, [card, 1, 2], [3, 4]),
        table.expose,
        lambda: table.stub(rng.randrange(54)),
        lambda: table.correct(ordinal, rng.choice((0, card, card))),
        lambda: table.correct(ordinal, rng.choice((0, card, card))),
        table.rule_deal,
        table.rule_deal,
        lambda: table.report(rng.randrange(1, 7), rng.choice((0, position))),
        lambda: table.void(position),
        lambda: table.void() if rng.random() < 0.3 else table.void(9),
        lambda: table.left(position),
        lambda: table.abandon(position, rng.randrange(0, 4)),
        lambda: table.note_conduct(position),
        lambda: table.paid(position),
        table.no_more_bets,
        lambda: table.close_table() if rng.random() < 0.2 else table.close_table(round_id=""),
        lambda: table.console("card_drawn", absurd_message(rng, BODIES["card_drawn"]), table_seq=9),
    )
    return rng.choice(mistakes)()


GAMES = (SAIGON, HI_LO)
