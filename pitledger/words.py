"""Decisions in words. Decisions hold codes, integers and citations; sentences are made here.

Total: a forged decision may hold any code, and is shown all the same.

One place for all pages, packets and terminals, so that the same code always reads the same.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pitledger.cards import shown
from pitledger.pb import decisions_pb2 as d
from pitledger.pb import facts_pb2, money_pb2, rules_pb2

if TYPE_CHECKING:
    from pitledger.cards import Card
    from pitledger.journal.holds import Breach, Hold

_EXPONENTS = dict.fromkeys(("BIF", "CLP", "JPY", "KRW", "PYG", "UGX", "VND", "XAF", "XOF"), 0)
_EXPONENTS |= dict.fromkeys(("BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"), 3)

SPLIT_NAMES = {"saigon5": ("three", "two"), "five_card_hi_lo": ("high", "low")}
"""What the two hands of a split are called, by game."""

_KINDS = {
    money_pb2.WAGER_KIND_ANTE: "Ante",
    money_pb2.WAGER_KIND_BONUS: "Bonus",
    money_pb2.WAGER_KIND_POT: "Pot",
    money_pb2.WAGER_KIND_TIE: "Tie",
    money_pb2.WAGER_KIND_POKER_BONUS: "Poker Bonus",
}

_GAMES = {
    rules_pb2.GAME_SAIGON5: "Saigon 5 Card",
    rules_pb2.GAME_FIVE_CARD_HI_LO: "Five Card Hi-Lo",
}

_POKER = {
    rules_pb2.POKER_CATEGORY_HIGH_CARD: "high card",
    rules_pb2.POKER_CATEGORY_PAIR: "a pair",
    rules_pb2.POKER_CATEGORY_TWO_PAIR: "two pair",
    rules_pb2.POKER_CATEGORY_THREE_OF_A_KIND: "three of a kind",
    rules_pb2.POKER_CATEGORY_STRAIGHT: "a straight",
    rules_pb2.POKER_CATEGORY_FLUSH: "a flush",
    rules_pb2.POKER_CATEGORY_FULL_HOUSE: "a full house",
    rules_pb2.POKER_CATEGORY_FOUR_OF_A_KIND: "four of a kind",
    rules_pb2.POKER_CATEGORY_STRAIGHT_FLUSH: "a straight flush",
    rules_pb2.POKER_CATEGORY_ROYAL_FLUSH: "a royal flush",
    rules_pb2.POKER_CATEGORY_FIVE_ACES: "five aces",
}

_REFUSALS = {
    d.REFUSAL_RULES_INVALID: "the round's rules or limits are invalid, so nothing is taken",
    d.REFUSAL_NO_SUCH_POSITION: "the table has no such position",
    d.REFUSAL_NOT_SEATED: "this patron is not seated at that position",
    d.REFUSAL_BETTING_CLOSED: "it came after “no more bets”",
    d.REFUSAL_BETTING_OPEN: "it came before “no more bets”",
    d.REFUSAL_INSTRUMENT_NOT_ACCEPTED: "this instrument is not accepted at this table",
    d.REFUSAL_VERBAL_WITH_CASH: "a verbal wager with cash is not accepted",
    d.REFUSAL_WAGER_NOT_OFFERED: "this wager is not offered at this table",
    d.REFUSAL_AMOUNT_NOT_POSITIVE: "the amount is not positive",
    d.REFUSAL_ABOVE_MAXIMUM: "the circle would be above its maximum",
    d.REFUSAL_SECOND_POSITION: "the patron already plays another position",
    d.REFUSAL_POSITIONS_NOT_ADJACENT: "a patron may play two adjacent positions, no others",
    d.REFUSAL_NO_WAGER_THERE: "no such wager lies there",
    d.REFUSAL_NOTHING_ASKED: "it asks for nothing",
    d.REFUSAL_TOO_MANY_WAGERS: "the circle is made up of too many wagers already",
    d.REFUSAL_TOO_MUCH_ASKED: "it asks for too many things at once",
    d.REFUSAL_NO_HAND_THERE: "no hand is played at that position",
    d.REFUSAL_HAND_VOID: "the hand is void",
    d.REFUSAL_HAND_NOT_DEALT: "the hand does not have its five cards yet",
    d.REFUSAL_NOT_THE_HANDS_CARDS: "these are not the five cards of the hand",
    d.REFUSAL_WRONG_SPLIT_SIZES: "the two hands do not have the right number of cards",
    d.REFUSAL_ALREADY_SET: "the hand was set already and does not change",
    d.REFUSAL_DEALER_EXPOSED: "the dealer's cards were exposed already",
    d.REFUSAL_OUT_OF_SET_ORDER: "the patron's other hand is set first",
    d.REFUSAL_PLAYER_LEFT: "the player has left",
    d.REFUSAL_ORDINAL_IMPOSSIBLE: "the deck has no card of that ordinal",
    d.REFUSAL_CARD_NOT_IN_DECK: "that card is not in the deck",
    d.REFUSAL_HAND_INCOMPLETE: "a hand that is not void lacks five cards of the deck",
    d.REFUSAL_NOTHING_TO_RULE: "there is nothing to rule",
    d.REFUSAL_ALREADY_VOID: "the hand is void already",
    d.REFUSAL_PLAYER_HAS_NOT_LEFT: "the player has not left",
    d.REFUSAL_READING_NOT_FILED: "the submission does not file that reading",
    d.REFUSAL_NO_PAYOUT_DUE: "no payout is due",
    d.REFUSAL_WRONG_REVISION: "it names another revision than the last",
}

_RETURNS = {
    d.RETURN_REASON_WITHDRAWN: "withdrawn",
    d.RETURN_REASON_ANTE_WITHDRAWN: "the Ante was withdrawn",
    d.RETURN_REASON_NO_ANTE: "there is no Ante",
    d.RETURN_REASON_BELOW_MINIMUM: "below the minimum",
    d.RETURN_REASON_NOT_A_MULTIPLE: "not a multiple of the wager unit",
    d.RETURN_REASON_ANTE_BELOW_MINIMUM: "the Ante is below its minimum",
    d.RETURN_REASON_ANTE_NOT_A_MULTIPLE: "the Ante is not a multiple of the wager unit",
    d.RETURN_REASON_POT_MISSING: "the compulsory Pot wager is missing",
    d.RETURN_REASON_POT_AMOUNT: "the Pot wager is not the posted amount",
}

_BREACHES = {
    d.BREACH_KIND_CARD_BEFORE_CLOSE: "a card was drawn before “no more bets”",
    d.BREACH_KIND_DUPLICATE_CARD: "the same card appears twice",
    d.BREACH_KIND_CARD_NOT_IN_DECK: "the card is not in the deck",
    d.BREACH_KIND_ORDINAL_REPEATED: "two cards have the same ordinal",
    d.BREACH_KIND_ORDINAL_MISSING: "a card was not read",
    d.BREACH_KIND_ORDINAL_IMPOSSIBLE: "a card has an ordinal that cannot be",
    d.BREACH_KIND_TOO_FEW_CARDS: "cards are missing",
    d.BREACH_KIND_TOO_MANY_CARDS: "too many cards were drawn",
    d.BREACH_KIND_PACKET_SIZE: "a packet does not have five cards",
    d.BREACH_KIND_DEALING_METHOD: "the card did not come by the table's dealing method",
    d.BREACH_KIND_STUB_COUNT: "the count of the stub is wrong",
    d.BREACH_KIND_EXPOSED_EARLY: "the dealer's cards were exposed before every hand was set",
    d.BREACH_KIND_EXPOSED_OTHER_CARDS: "the dealer exposed other cards than were dealt",
    d.BREACH_KIND_REPORTED: "an irregularity was reported",
}

NO_FACTS = {
    "undecodable": "its bytes are no journal record",
    "unknown_type": "it holds nothing, or what this build does not know",
    "type_mismatch": "its ce_type is another than what it holds",
    "bad_event_id": "its event id is no UUIDv7",
    "no_table_id": "it names no table",
    "table_id_too_long": "its table's id has more than 256 characters",
    "fact_with_causation": "a fact that names a cause, as decisions alone do",
    "round_id_mismatch": "a RoundOpened whose event id is not its round's id",
    "bad_table_seq": "a console's number is missing, or stands where none belongs",
    "id_mismatch": "its ce_id is another than its event id",
    "subject_mismatch": "its ce_subject is another than its round, case or table",
    "key_mismatch": "its key is another than its table",
    "foreign_partition": "it lies in another partition than its table's",
    "unknown_field": "its envelope has a field that is not of this contract",
    "outside_vocabulary": "outside the vocabulary of its round's adjudication version",
    "foreign_decision": "a decision that the facts do not derive so",
}
"""Codes of quarantine: those of `journal.vocabulary`, and the engine's."""

_IRREGULARITIES = {
    facts_pb2.IRREGULARITY_KIND_EXPOSED_CARD: "an exposed card",
    facts_pb2.IRREGULARITY_KIND_BOXED_CARD: "a boxed card",
    facts_pb2.IRREGULARITY_KIND_FOUND_CARD: "a found card",
    facts_pb2.IRREGULARITY_KIND_WRONG_COUNT: "a wrong count",
    facts_pb2.IRREGULARITY_KIND_SHUFFLER_FAILURE: "a shuffler failure",
    facts_pb2.IRREGULARITY_KIND_OTHER: "another irregularity",
}

_REASONS = {
    d.LINE_REASON_ROUND_VOID: "the round is void",
    d.LINE_REASON_HAND_VOID: "the hand is void",
    d.LINE_REASON_ABANDONED_LOSING: "the player left; the wager was ruled losing",
    d.LINE_REASON_ABANDONED_RETURNED: "the player left; the wager was ruled returned",
    d.LINE_REASON_NEITHER_QUALIFIES: "neither the dealer nor the player qualifies",
    d.LINE_REASON_ONLY_PLAYER_QUALIFIES: "the player qualifies and the dealer does not",
    d.LINE_REASON_ONLY_DEALER_QUALIFIES: "the dealer qualifies and the player does not",
    d.LINE_REASON_DEALER_HIGHER: "the dealer's Point Count is higher",
    d.LINE_REASON_DEALER_LOWER: "the player's Point Count is higher",
    d.LINE_REASON_EQUAL: "the Point Counts are equal",
    d.LINE_REASON_MISSET: "a qualifying hand was misset, which loses here",
    d.LINE_REASON_POKER_MADE: "the five cards make",
    d.LINE_REASON_POKER_NOT_MADE: "the five cards make only",
    d.LINE_REASON_POT_WON: "the highest two-card hand of the players",
    d.LINE_REASON_POT_SHARED: "tied for the highest two-card hand of the players",
    d.LINE_REASON_POT_LOST: "another player's two-card hand is higher",
    d.LINE_REASON_POT_WITHOUT_WINNER: "no hand was eligible for the Pot",
    d.LINE_REASON_POT_NOT_ELIGIBLE: "the hand is not eligible for the Pot",
    d.LINE_REASON_WIN_WIN: "both hands win",
    d.LINE_REASON_WIN_TIE: "the high hand wins, the low hand ties",
    d.LINE_REASON_WIN_LOSE: "the high hand wins, the low hand loses",
    d.LINE_REASON_TIE_WIN: "the high hand ties, the low hand wins",
    d.LINE_REASON_TIE_TIE: "both hands tie",
    d.LINE_REASON_TIE_LOSE: "the high hand ties, the low hand loses",
    d.LINE_REASON_LOSE_WIN: "the high hand loses, the low hand wins",
    d.LINE_REASON_LOSE_TIE: "the high hand loses, the low hand ties",
    d.LINE_REASON_LOSE_LOSE: "both hands lose",
    d.LINE_REASON_FOUL: "the hand was set foul, which loses here",
    d.LINE_REASON_NO_TIE: "neither hand ties the dealer's",
    d.LINE_REASON_ONE_TIE: "one hand ties the dealer's",
    d.LINE_REASON_BOTH_TIE: "both hands tie the dealer's",
}

_MEASURES = {
    d.MEASURE_POINT_COUNT: "Point Count",
    d.MEASURE_HIGH_TOTAL: "high",
    d.MEASURE_LOW_TOTAL: "low",
    d.MEASURE_TWO_CARD_COUNT: "two-card Point Count",
}

_OUTCOMES = {
    rules_pb2.OUTCOME_WIN: "win",
    rules_pb2.OUTCOME_LOSE: "lose",
    rules_pb2.OUTCOME_RETURN: "return",
}


def exponent(currency: str) -> int:
    """Decimal places of a currency, by ISO 4217: 2 of USD, 0 of JPY."""
    return _EXPONENTS.get(currency, 2)


def money(amount_minor: int, currency: str) -> str:
    """`2500` in USD as `25.00 USD`, by the currency's ISO 4217 exponent."""
    places = exponent(currency)
    sign = "-" if amount_minor < 0 else ""
    whole, rest = divmod(abs(amount_minor), 10**places)
    fraction = f".{rest:0{places}d}" if places else ""
    return f"{sign}{whole:,}{fraction} {currency}".rstrip()


def exact(numerator: int, denominator: int, currency: str) -> str:
    """`numerator / denominator` minor units before any rounding: 1251 / 2 is `6.255 USD`."""
    exponent = _EXPONENTS.get(currency, 2)
    for more in range(7):
        scaled, rest = divmod(numerator * 10**more, denominator)
        if not rest:
            places = exponent + more
            whole, part = divmod(scaled, 10**places)
            fraction = f".{part:0{places}d}" if places else ""
            return f"{whole:,}{fraction} {currency}".rstrip()
    return f"{numerator:,}/{denominator:,} of a minor unit of {currency}".rstrip()


def moment(microseconds: int) -> str:
    """A time since 1970 as `2026-11-30 12:00:00 UTC`, by the proleptic Gregorian calendar."""
    days, second = divmod(microseconds // 1_000_000, 86_400)
    # Years that begin in March, in eras of 400: the leap day comes last.
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    date = (
        400 * era + year + (month > 9),
        month - 9 if month > 9 else month + 3,
        day - (153 * month + 2) // 5 + 1,
    )
    clock = (second // 3600, second // 60 % 60, second % 60)
    return "{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC".format(*date, *clock)


def instant(microseconds: int) -> str:
    """A time since 1970 to the microsecond: `2026-11-30 12:00:00.000250 UTC`."""
    return moment(microseconds).replace(" UTC", f".{microseconds % 1_000_000:06} UTC")


def hold(one: "Hold") -> str:
    """A hold: since when, by whom, about what, why, and its id."""
    about = f", about {one.about_id}" if one.about_id else ""
    by = one.actor or "nobody named"
    return (
        f"held since {moment(one.since_us)} by {by}{about}: {one.reason or 'no reason given'}"
        f" (hold {one.event_id})"
    )


def hold_broken(breach: "Breach") -> str:
    """A round opened or closed at a held table."""
    return f"{breach.what} although the table was {'; '.join(map(hold, breach.holds))}"


def no_fact(reason: str) -> str:
    """Why a record was put into quarantine, by the code that stands with its copy."""
    code, _, detail = reason.partition(": ")
    text = NO_FACTS.get(code, code.replace("_", " ") or "no reason given")
    return f"{text}: {detail}" if detail else text


def game(number: int) -> str:
    return _GAMES.get(number, "an unknown game")  # type: ignore[call-overload, no-any-return]


def kind(number: int) -> str:
    """A wager's kind as the layout names it."""
    return _KINDS.get(number, "unknown wager")  # type: ignore[call-overload, no-any-return]


def kind_key(number: int) -> str:
    """A wager's kind as JSON and settings name it: "poker_bonus"."""
    return kind(number).lower().replace(" ", "_")


def choice(enum: Any, number: int) -> str:
    """An enum value as words: SET_BY_RULE of SetBy is "rule"; a foreign number is itself."""
    value = enum.DESCRIPTOR.values_by_number.get(number)
    if value is None:
        return str(number)
    prefix = enum.DESCRIPTOR.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return str(value.name).removeprefix(prefix).lower().replace("_", " ")


def outcome(number: int) -> str:
    """`win`, `lose` or `return`."""
    return _OUTCOMES.get(number, "unknown outcome")  # type: ignore[call-overload, no-any-return]


def poker(category: int) -> str:
    """A poker rank with its article."""
    return _POKER.get(category, "no hand")  # type: ignore[call-overload, no-any-return]


def cards(some: "Iterable[Card]") -> str:
    """Cards as a person reads them."""
    return " ".join(shown(card) for card in some)


def refusal(answer: d.Answer, currency: str) -> str:
    """Why a request was refused, with its operands."""
    text = _REFUSALS.get(answer.refusal, "for an unknown reason")
    if answer.refusal == d.REFUSAL_ABOVE_MAXIMUM:
        asked = money(answer.asked_minor, currency)
        text += f": {asked}, maximum {money(answer.limit_minor, currency)}"
    elif answer.refusal == d.REFUSAL_AMOUNT_NOT_POSITIVE:
        text += f": {money(answer.asked_minor, currency)}"
    elif answer.refusal == d.REFUSAL_WRONG_REVISION:
        text += f": {answer.asked_minor}, last {answer.limit_minor}"
    return text + cited(answer.citations)


def returned(chips: d.ReturnedStake, currency: str) -> str:
    """Why chips went back before the deal."""
    reason = _RETURNS.get(chips.reason, "for an unknown reason")
    text = f"{kind(chips.kind)} {money(chips.amount_minor, currency)}: {reason}"
    if chips.limit_minor:
        text += f" ({money(chips.limit_minor, currency)})"
    return text + cited(chips.citations)


def breach(one: d.DealBreach) -> str:
    """What is irregular about a deal."""
    text = _BREACHES.get(one.kind, "an unknown irregularity")
    if one.kind == d.BREACH_KIND_REPORTED:
        text += f": {_IRREGULARITIES.get(one.found, 'unspecified')}"  # type: ignore[call-overload]
    if one.card:
        text += f": {shown(one.card)}"
    if one.ordinal:
        text += f" at ordinal {one.ordinal}"
    if one.position:
        text += f", position {one.position}"
    if one.kind in (d.BREACH_KIND_STUB_COUNT, d.BREACH_KIND_TOO_MANY_CARDS):
        text += f" ({one.found}, should be {one.expected})"
    return text


def line(one: d.SettlementLine, currency: str) -> str:
    """A settlement line as a sentence: what was compared, what follows, the arithmetic."""
    text = _REASONS.get(one.reason, "for an unknown reason")
    if one.reason in (d.LINE_REASON_POKER_MADE, d.LINE_REASON_POKER_NOT_MADE):
        text += f" {poker(one.comparisons[0].player)}" if one.comparisons else " less"
        text += _of_pair_rank(one)
    else:
        text += _compared(one)
    text = text[0].upper() + text[1:]
    return f"{text}. {_arithmetic(one, currency)}"


def cited(citations: Iterable[str]) -> str:
    """Citations in brackets, "" if there are none."""
    joined = ", ".join(citations)
    return f" [{joined}]" if joined else ""


def _compared(one: d.SettlementLine) -> str:
    parts = [
        f"{_MEASURES[made.measure]} {made.player} against {made.other}"
        for made in one.comparisons
        if made.measure in _MEASURES
    ]
    return f" ({'; '.join(parts)})" if parts else ""


def _of_pair_rank(one: d.SettlementLine) -> str:
    """" of 5s; 6s or better win": where a pair's rank decided."""
    ranks = [made for made in one.comparisons if made.measure == d.MEASURE_PAIR_RANK]
    return "".join(
        f" of {_pair_name(made.player)}; {_pair_name(made.other)} or better win" for made in ranks
    )


def _pair_name(rank: int) -> str:
    return {11: "jacks", 12: "queens", 13: "kings", 14: "aces"}.get(rank, f"{rank}s")


def _arithmetic(one: d.SettlementLine, currency: str) -> str:
    stake = money(one.stake_minor, currency)
    if one.outcome == rules_pb2.OUTCOME_RETURN:
        return f"The stake of {stake} is returned."
    if one.counterparty == d.COUNTERPARTY_POT and one.returned_minor:
        share = money(one.returned_minor, currency)
        return f"Of the Pot {share} is paid for a stake of {stake}."
    if one.outcome == rules_pb2.OUTCOME_LOSE:
        return f"The stake of {stake} is lost."
    text = f"{stake} at {one.odds.win} to {one.odds.stake} pays "
    text += money(one.uncut_profit_minor, currency)
    if one.profit_minor != one.uncut_profit_minor:
        text += f", cut by the payout limit to {money(one.profit_minor, currency)}"
    return f"{text}; {money(one.returned_minor, currency)} goes back with the stake."
