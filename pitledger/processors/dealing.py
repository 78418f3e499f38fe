"""The dealing processor: which card went to whom, and whether the deal can be judged.

58 Pa. Code 680a.9, 663a.9: one card at a time clockwise from the dealer's far left, the dealer
last; an automated shoe deals packets of five in the same order. Cards are kept by their ordinal;
an ordinal that a supervisor emptied is skipped, one that was never read keeps its place. What broke
the deal stays broken until a supervisor corrects, rules or voids: the console mends nothing.
"""

from dataclasses import replace
from itertools import islice
from operator import attrgetter
from typing import TYPE_CHECKING

from pitledger.cards import FOREIGN, NO_CARD
from pitledger.games.game import DEALER
from pitledger.pb import decisions_pb2 as pb
from pitledger.processors.answers import refused
from pitledger.processors.round import Breach, Close, Deal, Hand, Round

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.games.game import Rules
    from pitledger.pb.facts_pb2 import (
        CardCorrected,
        CardDrawn,
        DealerExposed,
        IrregularityReported,
        PacketDrawn,
        StubCounted,
    )

HAND_CARDS = 5
LISTED_MAX = 100
"""Breaches that a decision lists; it must not outgrow what a broker takes."""
MAX_ORDINAL = 2**32 - 1
"""The greatest that a record can bear."""


def take_card(round_: Round, drawn: "CardDrawn") -> None:
    """Keep a card of a manual shoe or of a deal from the hand."""
    if round_.terms.by_packets:
        _note(round_, Breach(pb.BREACH_KIND_DEALING_METHOD, drawn.ordinal, card=drawn.card))
    _keep(round_, drawn.ordinal, drawn.card)


def take_packet(round_: Round, drawn: "PacketDrawn") -> None:
    """Keep a packet of an automated shoe: its first five cards, at their ordinals."""
    first = HAND_CARDS * (drawn.packet - 1) + 1
    shown = first if 0 < first <= MAX_ORDINAL else 0
    if not round_.terms.by_packets:
        _note(round_, Breach(pb.BREACH_KIND_DEALING_METHOD, shown))
    if len(drawn.cards) != HAND_CARDS:
        size = len(drawn.cards)
        breach = Breach(pb.BREACH_KIND_PACKET_SIZE, shown, found=size, expected=HAND_CARDS)
        _note(round_, breach)
    for index, card in enumerate(islice(drawn.cards, HAND_CARDS)):
        _keep(round_, first + index, card)


def take_stub(round_: Round, counted: "StubCounted") -> None:
    """Note the stub's count; whether it is right is judged with the deal."""
    round_.stub = counted.cards
    rules, close = round_.terms.rules, round_.close
    as_expected = (
        rules is not None
        and close is not None
        and len(round_.cards) == HAND_CARDS * len(close.order)
        and counted.cards == len(rules.deck) - len(round_.cards)
    )
    round_.suspect |= not as_expected


def take_exposure(round_: Round, exposed: "DealerExposed") -> None:
    """Note the dealer's exposure; it is early while a hand that counts is not set."""
    round_.exposed = exposed
    if round_.close is None:
        _note(round_, Breach(pb.BREACH_KIND_EXPOSED_EARLY))
        return
    for position in round_.close.order[:-1]:
        gone = position in round_.void or position in round_.left
        if not gone and position not in round_.splits:
            _note(round_, Breach(pb.BREACH_KIND_EXPOSED_EARLY, position=position))
    shown = sorted((*exposed.first, *exposed.second))
    dealt = sorted(hands_of(round_)[DEALER].cards)
    round_.suspect |= len(dealt) < HAND_CARDS or (bool(shown) and shown != dealt)


def take_report(round_: Round, report: "IrregularityReported", event_id: str) -> None:
    """An irregularity that a person saw."""
    breach = Breach(
        pb.BREACH_KIND_REPORTED, position=report.position, found=report.kind, reported_by=event_id
    )
    _note(round_, breach)


def answer_correction(round_: Round, corrected: "CardCorrected") -> pb.Answer | None:
    """Refuse a correction (None: accepted) of an ordinal that cannot be, or to no card of ours."""
    rules = round_.terms.rules
    if rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if round_.close is None and not round_.cards:
        return refused(pb.REFUSAL_BETTING_OPEN)
    if not 1 <= corrected.ordinal <= len(rules.deck):
        return refused(pb.REFUSAL_ORDINAL_IMPOSSIBLE, limit=len(rules.deck))
    if corrected.card != NO_CARD and corrected.card not in rules.deck:
        return refused(pb.REFUSAL_CARD_NOT_IN_DECK)
    return None


def correct(round_: Round, corrected: "CardCorrected") -> None:
    """Apply an accepted correction; the sets of hands that it changes are taken back."""
    before = {p: hand.cards for p, hand in hands_of(round_).items()} if round_.close else {}
    round_.cards[corrected.ordinal] = corrected.card
    round_.noted = [b for b in round_.noted if not _mended(b, corrected.ordinal)]
    round_.hands_by_position = None
    reconsider(round_)
    for position, cards in before.items():
        if hands_of(round_)[position].cards != cards:
            round_.splits.pop(position, None)


def answer_ruling(round_: Round) -> pb.Answer | None:
    """Refuse a ruling that the deal stands (None: accepted)."""
    rules = round_.terms.rules
    if rules is None:
        return refused(pb.REFUSAL_RULES_INVALID)
    if round_.close is None:
        return refused(pb.REFUSAL_BETTING_OPEN)
    if not round_.takes_part(round_.close.order[0]) or not _unruled(round_, rules, round_.close):
        return refused(pb.REFUSAL_NOTHING_TO_RULE)
    for position, hand in hands_of(round_).items():
        whole = len(hand.cards) == HAND_CARDS and rules.deck.issuperset(hand.cards)
        if not whole and position not in round_.void:
            return refused(pb.REFUSAL_HAND_INCOMPLETE, rules.citations["deal"])
    return None


def rule(round_: Round) -> None:
    """Apply an accepted ruling: what is broken now no longer counts."""
    assert round_.terms.rules is not None
    assert round_.close is not None
    round_.ruled |= frozenset(_breaches(round_, round_.terms.rules, round_.close))
    reconsider(round_)


def reconsider(round_: Round) -> None:
    """A supervisor acted: what the cards do not show any more is over."""
    round_.suspect = True
    round_.standing.clear()


def judge_deal(round_: Round) -> Deal | None:
    """The deal as it stands; None while it is neither complete nor broken."""
    rules, close = round_.terms.rules, round_.close
    if rules is None or close is None or not close.circles:
        return None
    if not round_.suspect and round_.deal is not None:
        return round_.deal
    breaches = _breaches(round_, rules, close) if round_.suspect else ()
    ruled = round_.ruled
    unruled = tuple(b for b in breaches if b not in ruled) if ruled else breaches
    if unruled:
        return Deal(unruled, (), ())
    slots = len(_slots(round_)) if round_.suspect else len(round_.cards)
    if slots < HAND_CARDS * len(close.order):
        return None
    hands = hands_of(round_)
    if any(len(h.cards) < HAND_CARDS and p not in round_.void for p, h in hands.items()):
        return None
    return Deal((), tuple(hands[position] for position in close.order), breaches)


def deal_may_be_judged(round_: Round) -> bool:
    """Whether the last card could have completed or broken the deal: cheap, for each card."""
    close = round_.close
    if close is None:
        return False
    return round_.suspect or len(round_.cards) >= HAND_CARDS * len(close.order)


def hands_of(round_: Round) -> dict[int, Hand]:
    """The cards of each position in the deal's order, and the dealer's, as far as they are there.

    Only after the close: before it nobody knows who is dealt to.
    """
    if round_.hands_by_position is None:
        assert round_.close is not None
        order = round_.close.order
        slots = _slots(round_)[: HAND_CARDS * len(order)]
        cards = round_.cards
        taken: dict[int, list[int]] = {position: [] for position in order}
        for index, ordinal in enumerate(slots):
            if ordinal in cards:
                taken[_recipient(round_, order, index)].append(ordinal)
        round_.hands_by_position = {
            position: Hand(position, tuple([cards[o] for o in ordinals]), tuple(ordinals))
            for position, ordinals in taken.items()
        }
    return round_.hands_by_position


def hands_dealt(deal: Deal, revision: int) -> pb.HandsDealt:
    """The decision's body for a deal that is complete."""
    listed = [_breach(breach) for breach in deal.ruled[:LISTED_MAX]]
    more = len(deal.ruled) - len(listed)
    body = pb.HandsDealt(revision=revision, ruled=listed, ruled_more=more)
    *players, dealer = deal.hands
    for hand in players:
        body.hands.add(position=hand.position, cards=hand.cards, ordinals=hand.ordinals)
    body.dealer.cards.extend(dealer.cards)
    body.dealer.ordinals.extend(dealer.ordinals)
    return body


def deal_irregular(deal: Deal, revision: int) -> pb.DealIrregular:
    """The decision's body for a deal that is broken."""
    listed = [_breach(breach) for breach in deal.breaches[:LISTED_MAX]]
    more = len(deal.breaches) - len(listed)
    return pb.DealIrregular(revision=revision, breaches=listed, more=more)


def _keep(round_: Round, ordinal: int, card: "Card") -> None:
    rules = round_.terms.rules
    size = len(rules.deck) if rules else 0
    card = card or FOREIGN  # none was named: it is no card of ours, but something was drawn
    if not 1 <= ordinal <= size:
        found = min(max(ordinal, 0), 2**31)
        _note(round_, Breach(pb.BREACH_KIND_ORDINAL_IMPOSSIBLE, found=found, card=card))
        return
    if ordinal in round_.cards:
        _note(round_, Breach(pb.BREACH_KIND_ORDINAL_REPEATED, ordinal, card=card))
        return
    if round_.close is None:
        _note(round_, Breach(pb.BREACH_KIND_CARD_BEFORE_CLOSE, ordinal, card=card))
    regular = (
        rules is not None
        and ordinal == len(round_.cards) + 1
        and card in rules.deck
        and card not in round_.drawn
        and round_.close is not None
        and ordinal <= HAND_CARDS * len(round_.close.order)
    )
    round_.suspect |= not regular
    round_.cards[ordinal] = card
    round_.drawn.add(card)
    round_.hands_by_position = None


def _note(round_: Round, breach: Breach) -> None:
    """Keep a breach that a fact alone shows; the like of one that was ruled is another."""
    round_.notes += 1
    round_.noted.append(replace(breach, number=round_.notes))
    round_.suspect = True


def _mended(breach: Breach, ordinal: int) -> bool:
    """Whether a correction at this ordinal answers a breach that a fact alone showed."""
    if breach.kind == pb.BREACH_KIND_PACKET_SIZE:
        return 0 < breach.ordinal <= ordinal < breach.ordinal + HAND_CARDS
    kinds = (pb.BREACH_KIND_ORDINAL_REPEATED, pb.BREACH_KIND_CARD_BEFORE_CLOSE)
    return breach.kind in kinds and breach.ordinal == ordinal


def _slots(round_: Round) -> list[int]:
    """The ordinals that a card went through: all up to the highest, but for the emptied ones."""
    highest = max((o for o, card in round_.cards.items() if card != NO_CARD), default=0)
    return [o for o in range(1, highest + 1) if round_.cards.get(o) != NO_CARD]


def _recipient(round_: Round, order: tuple[int, ...], index: int) -> int:
    """Who gets the card of the slot with this index (from 0); the dealer's number for an extra."""
    if index >= HAND_CARDS * len(order):
        return DEALER
    return order[index // HAND_CARDS if round_.terms.by_packets else index % len(order)]


def _unruled(round_: Round, rules: "Rules", close: Close) -> bool:
    return any(b not in round_.ruled for b in _breaches(round_, rules, close))


def _breaches(round_: Round, rules: "Rules", close: Close) -> tuple[Breach, ...]:
    """All that is irregular, ruled or not; what belongs to a void hand does not count.

    In an order of their own: when each was found is no part of what is wrong.
    """
    slots = _slots(round_)
    owner = {ordinal: _recipient(round_, close.order, i) for i, ordinal in enumerate(slots)}
    noted = round_.noted
    if round_.void:
        noted = [
            b
            for b in noted
            if b.position not in round_.void and owner.get(b.ordinal, DEALER) not in round_.void
        ]
    found = _card_breaches(round_, rules, slots, owner)
    found += _count_breaches(round_, rules, close, slots)
    round_.standing |= {(b.kind, b.ordinal, b.position): b for b in found}
    return tuple(sorted((*noted, *round_.standing.values()), key=_BY_KIND))


_BY_KIND = attrgetter("kind", "ordinal", "position", "number")


def _card_breaches(
    round_: Round, rules: "Rules", slots: list[int], owner: dict[int, int]
) -> list[Breach]:
    breaches = []
    seen: set[Card] = set()
    for ordinal in slots:
        position = owner[ordinal]
        if position in round_.void:
            continue
        card = round_.cards.get(ordinal)
        if card is None:
            breaches.append(Breach(pb.BREACH_KIND_ORDINAL_MISSING, ordinal, position))
        elif card not in rules.deck:
            breaches.append(Breach(pb.BREACH_KIND_CARD_NOT_IN_DECK, ordinal, position, card))
        elif card in seen:
            breaches.append(Breach(pb.BREACH_KIND_DUPLICATE_CARD, ordinal, position, card))
        else:
            seen.add(card)
    return breaches


def _count_breaches(
    round_: Round, rules: "Rules", close: Close, slots: list[int]
) -> list[Breach]:
    """Too many, too few, a stub that does not add up, a dealer who exposed other cards."""
    needed = HAND_CARDS * len(close.order)
    dealt = sum(1 for ordinal in slots if ordinal in round_.cards)
    hands = hands_of(round_)
    breaches = []
    if len(slots) > needed:
        kind = pb.BREACH_KIND_TOO_MANY_CARDS
        breaches.append(Breach(kind, found=len(slots), expected=needed))
    done = round_.stub is not None or round_.exposed is not None
    if done and any(
        _recipient(round_, close.order, index) not in round_.void
        for index in range(len(slots), needed)
    ):
        breaches.append(Breach(pb.BREACH_KIND_TOO_FEW_CARDS, expected=needed))
    if round_.stub is not None and round_.stub != len(rules.deck) - dealt:
        whole = all(len(h.cards) == HAND_CARDS or p in round_.void for p, h in hands.items())
        if whole:
            expected = len(rules.deck) - dealt
            breaches.append(Breach(pb.BREACH_KIND_STUB_COUNT, found=round_.stub, expected=expected))
    if round_.exposed is not None and (round_.exposed.first or round_.exposed.second):
        shown = sorted((*round_.exposed.first, *round_.exposed.second))
        cards = hands[DEALER].cards
        if len(cards) == HAND_CARDS and shown != sorted(cards):
            breaches.append(Breach(pb.BREACH_KIND_EXPOSED_OTHER_CARDS))
    return breaches


def _breach(breach: Breach) -> pb.DealBreach:
    return pb.DealBreach(
        kind=breach.kind,
        ordinal=breach.ordinal,
        position=breach.position,
        card=breach.card,
        found=breach.found,
        expected=breach.expected,
        reported_by=breach.reported_by,
    )
