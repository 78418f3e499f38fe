"""Words for the tests of games: cards, hands, circles and lines as a person writes them."""

from pitledger.cards import parse_card
from pitledger.games.game import Circle, Split
from pitledger.pb import money_pb2 as m

ANTE = m.WAGER_KIND_ANTE
BONUS = m.WAGER_KIND_BONUS
POT = m.WAGER_KIND_POT
TIE = m.WAGER_KIND_TIE
POKER_BONUS = m.WAGER_KIND_POKER_BONUS


def cards(text):
    return tuple(map(parse_card, text.split()))


def split(text):
    """`Jk 6d 5s | 8c 2h`."""
    first, second = text.split("|")
    return Split(cards(first), cards(second))


def hand(rules, position, text, set_as=None):
    """Evaluate five cards; with a bar in the text they are set so."""
    if "|" in text:
        return hand(rules, position, text.replace("|", " "), text)
    return rules.evaluate(position, cards(text), split(set_as) if set_as else None)


def settle(rules, dealer, hands, stakes, standing=None):
    """Settle; `hands` and `stakes` by position, stakes by kind. Returns the Settlement."""
    circles = [Circle(position, kind, stake)
               for position, wagers in stakes.items() for kind, stake in wagers.items()]
    judged = {position: hand(rules, position, text) for position, text in hands.items()}
    return rules.settle(circles, judged, hand(rules, 0, dealer), standing or {})


def line_of(settlement, position, kind):
    """The one line of a circle."""
    (line,) = [x for x in settlement.lines if (x.position, x.kind) == (position, kind)]
    return line


def one(rules, dealer, text, kind, stake=1000, standing=None):
    """The line of one wager of position 1 alone."""
    settlement = settle(rules, dealer, {1: text}, {1: {kind: stake}}, standing)
    return line_of(settlement, 1, kind)
