"""What happened: who sat where, wagers, cards in the order of the deal, hands, step by step."""

from collections.abc import Iterator, Sequence
from typing import Any

from pitledger import words
from pitledger.cards import Card, shown
from pitledger.pb import decisions_pb2, rules_pb2
from pitledger.story import evaluated, told
from services.packet.account import (
    Block,
    Cell,
    Column,
    Hand,
    Hands,
    Prose,
    Section,
    Step,
    Steps,
    Table,
    Tone,
)
from services.packet.record import Entry, Record
from services.packet.tell_rules import house_rulings

_ASKED = (
    Column("Offset"), Column("Position, patron"), Column("Wager"), Column("Put down", money=True),
    Column("Instrument"), Column("Answer"),
)
_STANDS = (
    Column("Position"), Column("Wager"), Column("Stake", money=True), Column("Made at offset"),
)
_PACKET = 5
_NOTES = {
    "repeat": "a repeat, without effect",
    "foreign": "not derived so by this build",
    "other_round": "without effect: it names another round",
    "no_open_round": "without effect: no round was open",
}
_NAMES = {
    rules_pb2.GAME_SAIGON5: ("Three-card hand", "Two-card showdown hand"),
    rules_pb2.GAME_FIVE_CARD_HI_LO: ("High hand", "Low hand"),
}


def seats(record: Record) -> Section:
    rows = [
        (Cell((str(seat.position),)), Cell((seat.patron_id or "nobody named",)))
        for seat in record.opened.seats
    ]
    if not rows:
        return Section("Seats", (Prose("Nobody was seated."),))
    columns = (Column("Position"), Column("Patron (an opaque id)"))
    return Section("Seats", (Table("Who sat where when the round opened", columns, tuple(rows)),))


def step_by_step(record: Record) -> Section:
    about = (
        "Each record of the round, in the order of the journal, which alone decides what was early"
        f" and what was late; all lie in partition {record.partition}, at the offset shown first. A"
        " fact is what happened in the room; a decision is what follows from the facts before it."
        " Both clocks are shown: that of the device, and the broker's."
    )
    steps = tuple(_step(record, entry) for entry in record.entries)
    return Section("Step by step", (Prose(about), Steps(steps)))


def _step(record: Record, entry: Entry) -> Step:
    stored, kept = entry.stored, entry.record
    lines = told(kept, record.currency) if entry.body else ("Its bytes are no journal record.",)
    return Step(
        where=str(stored.offset),
        when=(
            words.instant(kept.occurred_at),
            f"broker {words.instant(stored.broker_time * 1000)}",
        ),
        kind=kind_of(entry.body),
        by=_by(kept.source, kept.actor),
        tone=_tone(entry),
        remark=_remark(record, entry),
        lines=lines,
        cards=cards_of(entry),
    )


def kind_of(body: str) -> str:
    """`card_drawn` as "Card drawn"."""
    return body.replace("_", " ").capitalize() or "Unknown"


def _by(source: str, actor: str) -> str:
    return ", ".join(filter(None, (source, f"actor {actor}" if actor else "")))


def _tone(entry: Entry) -> Tone:
    if entry.note:
        return Tone.IDLE
    if entry.body == "request_answered":
        answers = entry.record.request_answered.answers
        return Tone.REFUSED if any(answer.refusal for answer in answers) else Tone.DECISION
    if entry.body == "deal_irregular":
        return Tone.BAD
    return Tone.DECISION if entry.is_decision else Tone.FACT


def _remark(record: Record, entry: Entry) -> str:
    kept = entry.record
    if entry.note:
        return _NOTES.get(entry.note, "without effect: " + entry.note.replace("_", " "))
    if entry.body == "round_opened" and kept.event_id != record.round_id:
        return "the table's next round: it ended this one"
    cause = record.offset_of(kept.causation_id) if entry.is_decision else None
    return f"follows from the fact at offset {cause}" if cause is not None else ""


def cards_of(entry: Entry) -> tuple[Card, ...]:
    """The cards that a fact shows."""
    body: Any = getattr(entry.record, entry.body) if entry.body else None
    match entry.body:
        case "card_drawn" | "card_corrected":
            return (body.card,) if body.card else ()
        case "packet_drawn":
            return tuple(body.cards)
        case "hand_set" | "dealer_exposed":
            return (*body.first, *body.second)
        case _:
            return ()


# ---- Wagers ----------------------------------------------------------------------------------


def wagers(record: Record) -> Section:
    return Section("Wagers", tuple(_wager_blocks(record)))


def _wager_blocks(record: Record) -> Iterator[Block]:
    asked = tuple(_asked(record))
    if asked:
        yield Table("What was asked, and how it was answered", _ASKED, asked)
    close = record.last("betting_closed")
    if close is None:
        yield Prose("Betting was not closed.")
        return
    offsets = {e.record.event_id: e.stored.offset for e in record.entries}
    stands = tuple(_circle(circle, offsets, record.currency) for circle in close.circles)
    pot: tuple[tuple[Cell, ...], ...] = ()
    if close.pot_minor:
        amount = words.money(close.pot_minor, record.currency)
        pot = ((Cell(), Cell(("in the Pot together",)), Cell((amount,)), Cell()),)
    if stands:
        yield Table("What stood when betting closed", _STANDS, stands, pot)
    else:
        yield Prose("No wager stood when betting closed.")
    back = tuple(
        (Cell((str(chips.position),)), Cell((words.returned(chips, record.currency),),
                                            cites=tuple(chips.citations)))
        for chips in close.returned
    )
    if back:
        yield Table("Given back before the deal", (Column("Position"), Column("Chips")), back)


def _asked(record: Record) -> Iterator[tuple[Cell, ...]]:
    answers = {e.record.causation_id: body for e, body in record.all("request_answered")}
    for entry, fact in record.all("wager_requested", "wager_withdrawal_requested"):
        answered = answers.get(entry.record.event_id)
        items = list(answered.answers) if answered else []
        for index, (kind, amount) in enumerate(_parts(fact)):
            asks = "taken back" if amount is None else words.money(amount, record.currency)
            yield (
                Cell((str(entry.stored.offset),)),
                Cell((f"{fact.position}: {fact.patron_id or 'nobody named'}",)),
                Cell((words.kind(kind) if kind else "none named",)),
                Cell((asks,)),
                Cell((_instrument(fact),)),
                _answer(items[index] if index < len(items) else None, record.currency),
            )


def _parts(fact: Any) -> list[tuple[int, int | None]]:
    if hasattr(fact, "stakes"):
        return [(stake.kind, stake.amount_minor) for stake in fact.stakes] or [(0, 0)]
    return [(kind, None) for kind in fact.kinds] or [(0, None)]


def _instrument(fact: Any) -> str:
    if not hasattr(fact, "instrument"):
        return ""
    return fact.instrument.replace("_", " ") or "none named"


def _answer(answer: decisions_pb2.Answer | None, currency: str) -> Cell:
    if answer is None:
        return Cell(("not answered by item",), tone=Tone.IDLE)
    cites = tuple(answer.citations)
    if answer.refusal:
        why = words.refusal(answer, currency).removesuffix(words.cited(cites))
        return Cell((f"Refused: {why}",), cites=cites, tone=Tone.REFUSED)
    if answer.asked_minor:
        lies = words.money(answer.asked_minor, currency)
        return Cell((f"Accepted; {lies} lie there",), cites=cites)
    return Cell(("Accepted",), cites=cites)


def _circle(circle: Any, offsets: dict[str, int], currency: str) -> tuple[Cell, ...]:
    made = [str(offsets.get(wager, wager)) for wager in circle.wager_ids]
    return (
        Cell((str(circle.position),)),
        Cell((words.kind(circle.kind),)),
        Cell((words.money(circle.stake_minor, currency),)),
        Cell((", ".join(made),)),
    )


# ---- Cards and hands ---------------------------------------------------------------------------


def deal(record: Record) -> Section:
    """Order, position and owner of each card: 58 Pa. Code 680a.11(g)."""
    rows = tuple(_deal_rows(record))
    if not rows:
        return Section("Cards in the order of the deal", (Prose("No card was dealt."),))
    columns = (
        Column("Card no."), Column("Card"), Column("Dealt to"), Column("Read at offset"),
        Column("Corrected"),
    )
    about = Prose(
        "From these the hands can be rebuilt: the order in which the cards came, each card, and"
        " whose it was (58 Pa. Code 680a.11(g))."
    )
    table = Table("Each card with its place in the deal", columns, rows)
    return Section("Cards in the order of the deal", (about, table))


def _deal_rows(record: Record) -> Iterator[tuple[Cell, ...]]:
    owners, dealt = {}, {}
    regular = record.last("hands_dealt")
    for hand in [*regular.hands, regular.dealer] if regular else ():
        for ordinal, card in zip(hand.ordinals, hand.cards, strict=False):
            owners[ordinal], dealt[ordinal] = hand.position, card
    corrected = _corrections(record)
    for ordinal, card, offset in _drawn(record):
        said = tuple(corrected.pop(ordinal, ()))
        if said:
            said = (f"read as {shown(card)}", *said)
        owner = _whose(owners[ordinal]) if ordinal in owners else "no hand"
        stands = dealt.get(ordinal, card)
        yield (
            Cell((str(ordinal),)), Cell((shown(stands),), cards=(stands,)), Cell((owner,)),
            Cell((str(offset),)), Cell(said),
        )
    for ordinal, lines in corrected.items():  # a card that no device had read
        card = dealt.get(ordinal)
        owner = _whose(owners[ordinal]) if ordinal in owners else "no hand"
        name = shown(card) if card else "none"
        yield (
            Cell((str(ordinal),)), Cell((name,), cards=(card,) if card else ()), Cell((owner,)),
            Cell(("not read",)), Cell(tuple(lines)),
        )


def _drawn(record: Record) -> Iterator[tuple[int, Card, int]]:
    """Ordinal, card as read, offset."""
    for entry, fact in record.all("card_drawn", "packet_drawn"):
        if entry.body == "card_drawn":
            yield fact.ordinal, fact.card, entry.stored.offset
            continue
        first = _PACKET * (fact.packet - 1) + 1
        for ordinal, card in enumerate(fact.cards, first):
            yield ordinal, card, entry.stored.offset


def _corrections(record: Record) -> dict[int, list[str]]:
    """By ordinal, what supervisors' accepted corrections say."""
    answers = {e.record.causation_id: body for e, body in record.all("request_answered")}
    found: dict[int, list[str]] = {}
    for entry, fact in record.all("card_corrected"):
        answered = answers.get(entry.record.event_id)
        if answered is None or any(answer.refusal for answer in answered.answers):
            continue
        was = shown(fact.card) if fact.card else "no card"
        by = entry.record.actor or "nobody named"
        line = f"at offset {entry.stored.offset} by {by}: it was {was}"
        found.setdefault(fact.ordinal, []).append(line)
    return found


def hands(record: Record) -> Section:
    dealt, judged = record.last("hands_dealt"), record.last("hands_evaluated")
    if dealt is None:
        return Section("Hands", (Prose("No deal was complete and regular."),))
    game = record.submission.game if record.submission else rules_pb2.GAME_UNSPECIFIED
    names = _NAMES.get(game, ("First hand", "Second hand"))
    by_position = {hand.position: hand for hand in [*judged.hands, judged.dealer]} if judged else {}
    patrons = {seat.position: seat.patron_id for seat in record.opened.seats}
    shown_hands = []
    for hand in [*dealt.hands, dealt.dealer]:
        title = _whose(hand.position).capitalize()
        if patron := patrons.get(hand.position):
            title += f", {patron}"
        shown_hands.append(_hand(title, hand.cards, by_position.get(hand.position), names))
    ruled = tuple(Prose(f"Ruled to stand: {words.breach(each)}.") for each in dealt.ruled)
    return Section("Hands", (Hands(tuple(shown_hands)), *ruled))


def _hand(
    title: str, cards: Sequence[Card], judged: Any, names: tuple[str, str]
) -> Hand:
    groups: list[tuple[str, tuple[Card, ...]]] = [_group("As dealt", cards)]
    if judged is None:
        return Hand(title, tuple(groups), ("The hand was not judged.",))
    groups += [_group(names[0], judged.first), _group(names[1], judged.second)]
    plain = decisions_pb2.EvaluatedHand()
    plain.CopyFrom(judged)
    del plain.rulings[:]
    text = evaluated(plain)
    house = house_rulings(judged.rulings)
    return Hand(title, tuple(groups), (text[0].upper() + text[1:] + ".",), house)


def _group(name: str, cards: Sequence[Card]) -> tuple[str, tuple[Card, ...]]:
    return f"{name}: {words.cards(cards)}", tuple(cards)


def _whose(position: int) -> str:
    return f"position {position}" if position else "the dealer"
