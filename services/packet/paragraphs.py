"""What the paragraphs cited in a round's record say, in our words: the glossary of an account.

The regulation itself is authoritative. A paragraph that was not read has no words here.
"""

from collections.abc import Iterable

_SAIGON = {
    "680a.1": (
        "Names the wagers of Saigon 5 Card: the Ante, against the dealer; the Bonus, against a pay"
        " table; and the Pot, against the other players, which all stake where it is offered."
    ),
    "680a.6(c)": "Ranks the poker hands for the Bonus.",
    "680a.9": (
        "Dealing from the hand: one card at a time, clockwise from the player farthest to the"
        " dealer's left and to the dealer last, until all have five; and counting the stub."
    ),
    "680a.11(b)": (
        "A player sets five cards into a three-card hand and a two-card showdown hand. He qualifies"
        " if some three of the five total 10, 20 or 30."
    ),
    "680a.11(c)": (
        "The dealer turns up and sets his cards after every player has set; he qualifies as a"
        " player does."
    ),
    "680a.11(d)(1)(i)": "Neither the dealer nor the player qualifies: the Ante is returned.",
    "680a.11(d)(1)(ii)(A)": (
        "Only the player qualifies, with a Point Count other than 5: the Ante wins by 680a.12(a)."
    ),
    "680a.11(d)(1)(ii)(B)": (
        "Only the player qualifies, with a Point Count of 5: the Ante wins by 680a.12(b)."
    ),
    "680a.11(d)(2)(i)": "The dealer qualifies and the player does not: the Ante loses.",
    "680a.11(d)(2)(ii)(A)": "Both qualify, the dealer's Point Count is higher: the Ante loses.",
    "680a.11(d)(2)(ii)(B)": (
        "Both qualify, the player's Point Count is higher: the Ante wins, by 680a.12(b) with a"
        " Point Count of 5 and by 680a.12(a) otherwise."
    ),
    "680a.11(d)(2)(ii)(C)": "Both qualify with equal Point Counts: the Ante is returned.",
    "680a.11(e)(1)": "Less than two pair in the five cards: the Bonus loses.",
    "680a.11(e)(2)": "Two pair or better in the five cards: the Bonus wins by its pay table.",
    "680a.11(f)": (
        "The Pot goes to the highest two-card hand of the players; a tie splits it evenly. It is"
        " settled after all Antes and Bonuses."
    ),
    "680a.12(a)": "Odds of a winning Ante whose Point Count is not 5.",
    "680a.12(b)": "Odds of a winning Ante with a Point Count of 5.",
    "680a.12(c)": "Odds of a winning Bonus: the pay table that the house selected.",
}

_HI_LO = {
    "663a.7(a)": (
        "Wagers are chips, plaques or other approved instruments on the layout; words with cash are"
        " not accepted."
    ),
    "663a.7(b)": (
        "Who wagers is seated and stays until the round is over; the wagers of one who leaves may"
        " be treated as abandoned and as losing."
    ),
    "663a.7(c)": "Nothing is placed, raised or taken back after “no more bets”.",
    "663a.7(d)": "The Ante: what a player needs to compete with the dealer's high and low hands.",
    "663a.7(e)": "The Tie and the Poker Bonus may be offered to a player with an Ante.",
    "663a.7(e)(1)": "The Tie wins if the player's high or low total, or both, ties the dealer's.",
    "663a.7(e)(2)": (
        "The Poker Bonus wins with a pair of 6s or better, or of 7s or better, as the pay table has"
        " it."
    ),
    "663a.7(f)": (
        "Two adjacent positions of one patron, where they are permitted: each is played for itself,"
        " and the larger Ante's hand is set first. A hand that was set does not change."
    ),
    "663a.9": (
        "Dealing from the hand: one card at a time, clockwise from the dealer's far left and to the"
        " dealer last, until all have five; and counting the stub."
    ),
}

_SISTER = "680a.7 (not read; wording of 663a.7("
_UNKNOWN = "This program has no words for this paragraph; see 58 Pa. Code."


def explained(citation: str) -> str:
    """What a paragraph says; total, as a record may cite anything."""
    if citation.startswith(_SISTER):
        sister = citation.removeprefix("680a.7 (not read; wording of ").removesuffix(")")
        words = _HI_LO.get(sister)
        if words:
            return (
                f"The wagers of Saigon 5 Card are in 680a.7, which was not read for this program."
                f" {sister}, of a sister game, says: {words[0].lower()}{words[1:]}"
            )
    return _SAIGON.get(citation) or _HI_LO.get(citation) or _UNKNOWN


def in_order(citations: Iterable[str]) -> list[str]:
    """Each once, sorted."""
    return sorted(set(citations))
