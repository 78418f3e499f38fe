"""Changes made to a round's facts, one kind after the other, so that what follows fits them.

Rules first, then wagers, cards, splits, rulings. A card that is changed lies wherever the old one
lay: a set in which the old card was keeps its arrangement. No event id changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pitledger.whatif import changes as c
from pitledger.whatif.changes import Applied, Change
from pitledger.whatif.dealing import change_cards
from pitledger.whatif.making import Making, some
from pitledger.whatif.played import Facts, Outcome
from pitledger.whatif.rules import OtherRules
from pitledger.whatif.ruling import change_abandonment, change_deal_ruling, change_void
from pitledger.whatif.setting import change_splits
from pitledger.whatif.wagering import change_wager


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """The facts of a round as they would be, and what was changed to make them so.

    `requests`: ids of requests that are there in one of the two only.
    """

    facts: Facts
    applied: tuple[Applied, ...]
    requests: frozenset[str]


def suppose(
    facts: Facts, outcome: Outcome, rules: OtherRules, changes: Sequence[Change]
) -> Hypothesis:
    """Make the changes; `outcome` is that of the facts as they are. Raises CannotBe.

    Of two changes of one thing the later counts. What is so already is no change.
    """
    opening = rules.opening(facts[0])
    applied = tuple(rules.applied(facts[0], opening)) if opening is not facts[0] else ()
    if not changes:
        return Hypothesis((opening, *facts[1:]), applied, frozenset())
    making = Making([opening, *facts[1:]], outcome, list(applied))
    last = {change.name: change for change in changes}.values()
    for wager in some(last, c.Wager):
        change_wager(making, wager)
    change_cards(making, last)
    change_splits(making, last)
    for ruling in some(last, c.Abandoned):
        change_abandonment(making, ruling)
    for void in some(last, c.Void):
        change_void(making, void)
    for stands in some(last, c.DealStands):
        change_deal_ruling(making, stands)
    return Hypothesis(tuple(making.facts), tuple(making.applied), frozenset(making.requests))
