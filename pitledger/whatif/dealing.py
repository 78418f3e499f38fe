"""Other cards in the places of those that were dealt, and the sets in which they lie."""

from collections.abc import Iterable

from pitledger.cards import Card, shown
from pitledger.whatif import changes as c
from pitledger.whatif.changes import CannotBe, Change
from pitledger.whatif.making import Making, copied, split_text
from pitledger.whatif.names import whose


def change_cards(making: Making, changes: Iterable[Change]) -> None:
    """Change the fact that last said which card lies at an ordinal, then the sets."""
    dealt = making.outcome.dealt
    hands = [*dealt.hands, dealt.dealer] if dealt else []
    ordinals = {hand.position: list(hand.ordinals) for hand in hands}
    making.hands = {hand.position: list(hand.cards) for hand in hands}
    wanted: dict[int, tuple[str, Card]] = {}
    for change in changes:
        match change:
            case c.HandCard(name, position, place, card):
                ordinal = _ordinal(name, ordinals.get(position), place, bool(dealt))
                wanted[ordinal] = name, card
            case c.DealtCard(name, ordinal, card):
                wanted[ordinal] = name, card
            case _:
                pass
    exchanged: dict[int, list[tuple[Card, Card]]] = {}
    for ordinal, (name, card) in wanted.items():
        old = _change_card(making, name, ordinal, card)
        for position, own in ordinals.items():
            if ordinal in own and old != card:
                making.hands[position][own.index(ordinal)] = card
                exchanged.setdefault(position, []).append((old, card))
    for position, new in exchanged.items():
        _follow(making, position, new)


def _change_card(making: Making, name: str, ordinal: int, card: Card) -> Card:
    """Return the card that lay there."""
    index, place = _says_card(making, ordinal)
    if index < 0:
        raise CannotBe(f"{name}: no card {ordinal} was dealt")
    record = copied(making.facts[index])
    old: Card
    match making.facts[index].fact.body:
        case "packet_drawn":
            old = record.packet_drawn.cards[place]
            record.packet_drawn.cards[place] = card
        case "card_drawn":
            old = record.card_drawn.card
            record.card_drawn.card = card
        case _:
            old = record.card_corrected.card
            record.card_corrected.card = card
    if old != card:
        making.facts[index] = making.facts[index].saying(record)
        making.note(name, shown(old), shown(card), making.facts[index].offset)
    return old


def _says_card(making: Making, ordinal: int) -> tuple[int, int]:
    """The fact that last said it, and the place within its packet; -1: none did."""
    answers = making.outcome.answers()
    first, corrected = (-1, 0), (-1, 0)
    for index, placed in enumerate(making.facts):
        record = placed.fact.record
        match placed.fact.body:
            case "card_drawn" if record.card_drawn.ordinal == ordinal and first[0] < 0:
                first = index, 0
            case "packet_drawn" if first[0] < 0:
                place = ordinal - 5 * (record.packet_drawn.packet - 1) - 1
                if 0 <= place < min(5, len(record.packet_drawn.cards)):
                    first = index, place
            case "card_corrected" if record.card_corrected.ordinal == ordinal:
                if not answers[placed.event_id].answers[0].refusal:
                    corrected = index, 0
    return corrected if corrected[0] >= 0 else first


def _follow(making: Making, position: int, new: list[tuple[Card, Card]]) -> None:
    """Sets in which the old cards lay keep their arrangement with the new ones.

    Of two cards alike in a set, the first is the one that was changed.
    """
    body = "hand_set" if position else "dealer_exposed"
    for index, placed in enumerate(making.facts):
        if placed.fact.body != body:
            continue
        record = copied(placed)
        split = getattr(record, body)
        if position and split.position != position:
            continue
        if not {old for old, _ in new} & {*split.first, *split.second}:
            continue
        was = split_text(split)
        left = list(new)
        for half in (split.first, split.second):
            half[:] = [_instead(left, card) for card in half]
        making.facts[index] = placed.saying(record)
        making.note("", f"{whose(position)}: {was}", split_text(split), placed.offset)


def _instead(left: list[tuple[Card, Card]], card: Card) -> Card:
    """What lies in a card's place; `left`: exchanges not made yet, of which each is made once."""
    for exchange in left:
        if exchange[0] == card:
            left.remove(exchange)
            return exchange[1]
    return card


def _ordinal(name: str, ordinals: list[int] | None, place: int, dealt: bool) -> int:
    if ordinals is None or place > len(ordinals):
        text = "no hand was dealt there" if dealt else (
            "the deal was never regular, so that nobody's cards are known; name a card of the"
            " whole deal, such as deal.7")
        raise CannotBe(f"{name}: {text}")
    return ordinals[place - 1]
