"""Other splits of hands: as they are given, or as the rules set a hand."""

from collections.abc import Iterable, Sequence

from pitledger.cards import Card, notation
from pitledger.games.game import DEALER
from pitledger.pb import facts_pb2
from pitledger.whatif import changes as c
from pitledger.whatif.changes import CannotBe, Change
from pitledger.whatif.making import Making, copied, some, split_text


def change_splits(making: Making, changes: Iterable[Change]) -> None:
    """Of a split of which one half is given, what is left of the hand is the other."""
    by_rule = {change.position: change.name for change in some(changes, c.SetByRule)}
    halves: dict[int, dict[int, c.SplitHalf]] = {}
    for change in some(changes, c.SplitHalf):
        halves.setdefault(change.position, {})[change.half] = change
    for position, name in by_rule.items():
        if position in halves:
            raise CannotBe(f"{name}: its split is given too; give one of the two")
        split = making.rules.evaluate(position, _hand(making, name, position), None).split
        _set(making, name, position, split.first, split.second)
    for position, given in halves.items():
        name = next(iter(given.values())).name
        _set(making, name, position, *_whole(making, position, given))


def _whole(
    making: Making, position: int, given: dict[int, c.SplitHalf]
) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Both halves of a split of which one, or both, are given."""
    name = next(iter(given.values())).name
    hand = _hand(making, name, position)
    for half in given.values():
        size = making.rules.split_sizes[half.half]
        if len(half.cards) != size:
            raise CannotBe(f"{half.name}: found {len(half.cards)} cards; {size} are needed")
    left = list(hand)
    for half in given.values():
        for card in half.cards:
            if card not in left:
                cards = " ".join(map(notation, hand))
                raise CannotBe(f"{half.name}: {notation(card)} is none of the hand's: {cards}")
            left.remove(card)
    first, second = (given[half].cards if half in given else tuple(left) for half in (0, 1))
    return first, second


def _hand(making: Making, name: str, position: int) -> tuple[Card, ...]:
    hand = making.hands.get(position)
    if hand is None or len(hand) != 5:
        raise CannotBe(f"{name}: {_who(position)} was not dealt a hand")
    return tuple(hand)


def _set(
    making: Making, name: str, position: int, first: Sequence[Card], second: Sequence[Card]
) -> None:
    if position == DEALER:
        _expose(making, name, first, second)
        return
    answers = making.outcome.answers()
    for index, placed in reversed(list(enumerate(making.facts))):
        record = placed.fact.record
        if placed.fact.body != "hand_set" or record.hand_set.position != position:
            continue
        if not answers[placed.event_id].answers[0].refusal:
            _reset(making, name, index, "hand_set", first, second)
            return
    hand_set = facts_pb2.HandSet(
        position=position, patron_id=making.seats[position], first=first, second=second
    )
    index = making.index_of("dealer_exposed")
    making.insert(index, "hand_set", hand_set, name)
    making.note(name, "not set", split_text(hand_set), making.facts[index].offset)


def _expose(making: Making, name: str, first: Sequence[Card], second: Sequence[Card]) -> None:
    for index, placed in enumerate(making.facts):
        if placed.fact.body == "dealer_exposed":
            _reset(making, name, index, "dealer_exposed", first, second)
            return
    raise CannotBe(f"{name}: the dealer's cards were not turned up")


def _reset(
    making: Making, name: str, index: int, body: str, first: Sequence[Card], second: Sequence[Card]
) -> None:
    record = copied(making.facts[index])
    split = getattr(record, body)
    if sorted(split.first) == sorted(first) and sorted(split.second) == sorted(second):
        return
    was = split_text(split)
    split.first[:], split.second[:] = first, second
    making.facts[index] = making.facts[index].saying(record)
    making.note(name, was, split_text(split), making.facts[index].offset)


def _who(position: int) -> str:
    return f"position {position}" if position else "the dealer"
