"""Settle one round given as JSON, by the same fold as the processors.

The round's description becomes the facts that a table would have written; `derive` decides; the
decisions become JSON. What a table would have refused is an error that says what and where.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pitledger import words
from pitledger.cards import BadCard, Card, notation, parse_card
from pitledger.derive import LATEST_VERSION, TableFold
from pitledger.games import compile_rules
from pitledger.journal.ids import fact_id
from pitledger.journal.record import JournalRecord, serialize
from pitledger.journal.vocabulary import as_fact
from pitledger.money import INT64_MAX
from pitledger.pb import cards_pb2, facts_pb2, money_pb2, rules_pb2
from pitledger.pb import decisions_pb2 as d

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from pitledger.games.game import Rules
    from pitledger.pb.money_pb2 import WagerKind

GAMES = {"saigon5": rules_pb2.GAME_SAIGON5, "five_card_hi_lo": rules_pb2.GAME_FIVE_CARD_HI_LO}
_KINDS: "dict[str, dict[str, WagerKind]]" = {
    "saigon5": {
        "ante": money_pb2.WAGER_KIND_ANTE,
        "bonus": money_pb2.WAGER_KIND_BONUS,
        "pot": money_pb2.WAGER_KIND_POT,
    },
    "five_card_hi_lo": {
        "ante": money_pb2.WAGER_KIND_ANTE,
        "tie": money_pb2.WAGER_KIND_TIE,
        "poker_bonus": money_pb2.WAGER_KIND_POKER_BONUS,
    },
}
_TABLE = "adjudicate"
_CURRENCY = re.compile("[A-Z]{3}")
_FOUND_CHARACTERS_MAX = 60


class BadRound(ValueError):
    """The description is no round that a table would have taken; the text is one line."""


@dataclass(frozen=True, slots=True)
class _Position:
    number: int
    patron: str
    wagers: "dict[WagerKind, int]"
    cards: tuple[Card, ...]
    split: tuple[tuple[Card, ...], tuple[Card, ...]] | None  # None: nobody set the hand


@dataclass(frozen=True, slots=True)
class _Described:
    """A round as described, checked for its shape."""

    game: str
    currency: str
    positions: tuple[_Position, ...]  # ascending
    dealer: tuple[Card, ...]
    pot: int


def game_of(round_: object) -> str:
    """The game that a description names; raises BadRound."""
    if not isinstance(round_, Mapping):
        raise BadRound("a round is a JSON object")
    game = round_.get("game")
    if not isinstance(game, str) or game not in GAMES:
        raise BadRound(f"game: found {_cut(game)}; allowed: {', '.join(GAMES)}")
    return str(game)


def adjudicate(round_: Mapping[str, Any], submission: bytes, digest: bytes) -> dict[str, Any]:
    """Settle a round under a submission's bytes; raises BadRound.

    `round_` and the result have the shapes of `pitledger adjudicate`'s input and output.
    """
    described = _read(round_)
    rules = compile_rules(submission)
    _check_against(rules, described)
    instrument = rules.submission.accepted_instruments[0]
    facts = _facts(described, submission, digest, instrument)
    fold = TableFold()
    decisions: dict[str, JournalRecord] = {}
    for offset, (fact, where) in enumerate(facts):
        derived = fold.fact(offset, as_fact(fact, serialize(fact)), 0)
        if derived.stuck:
            raise RuntimeError(derived.stuck[0][1])
        for decision in derived.decisions:
            record = JournalRecord.FromString(decision.value)
            decisions[decision.question] = record
            _raise_if_refused(described, decision.question, record, where)
    return _result(described, decisions)


def _read(round_: Mapping[str, Any]) -> _Described:
    game = game_of(round_)
    known = ("game", "submission", "policies", "currency", "positions", "dealer")
    _only(round_, known, "round")
    currency = round_.get("currency", "USD")
    if not isinstance(currency, str) or not _CURRENCY.fullmatch(currency):
        raise BadRound(f"currency: found {_cut(currency)}; write an ISO 4217 code like USD")
    rows = round_.get("positions")
    if not isinstance(rows, list) or not rows:
        raise BadRound("positions: a list of at least one position is needed")
    positions = [_read_position(game, row, index) for index, row in enumerate(rows)]
    numbers = [position.number for position in positions]
    for number in numbers:
        if numbers.count(number) > 1:
            raise BadRound(f"positions: position {number} appears twice")
    dealer = round_.get("dealer")
    if not isinstance(dealer, Mapping):
        raise BadRound('dealer: an object with "cards" is needed')
    _only(dealer, ("cards",), "dealer")
    described = _Described(
        game,
        currency,
        tuple(sorted(positions, key=lambda position: position.number)),
        _read_cards(dealer.get("cards"), 5, "dealer.cards"),
        _pot_amount(positions),
    )
    _check_repeats(described)
    return described


def _read_position(game: str, row: object, index: int) -> _Position:
    where = f"positions[{index}]"
    if not isinstance(row, Mapping):
        raise BadRound(f"{where}: an object is needed")
    _only(row, ("position", "patron", "wagers", "cards", "set"), where)
    number = row.get("position")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise BadRound(f"{where}.position: found {_cut(number)}; a whole number from 1 is needed")
    where = f"position {number}"
    patron = row.get("patron", f"patron-{number}")
    if not isinstance(patron, str) or not patron or not _is_unicode(patron):
        raise BadRound(f"{where}.patron: found {_cut(patron)}; a text is needed")
    cards = _read_cards(row.get("cards"), 5, f"{where}.cards")
    split = _read_set(game, row["set"], where) if "set" in row else None
    wagers = _read_wagers(game, row.get("wagers"), where)
    return _Position(number, patron, wagers, cards, split)


def _read_wagers(game: str, wagers: object, where: str) -> "dict[WagerKind, int]":
    if not isinstance(wagers, Mapping) or not wagers:
        raise BadRound(f"{where}.wagers: an object with at least the ante is needed")
    read = {}
    for name, amount in wagers.items():
        if name not in _KINDS[game]:
            offered = ", ".join(_KINDS[game])
            raise BadRound(f"{where}.wagers: {_cut(name)} is no wager of this game: {offered}")
        if not isinstance(amount, int) or isinstance(amount, bool):
            found = f"{where}.wagers.{name}: found {_cut(amount)}"
            raise BadRound(f"{found}; a whole number of minor units is needed")
        if not 0 < amount <= INT64_MAX:
            found = f"{where}.wagers.{name}: found {_cut(amount)}"
            raise BadRound(f"{found}; allowed: 1 to {INT64_MAX}")
        read[_KINDS[game][name]] = amount
    return read


def _read_set(game: str, split: object, where: str) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    names = words.SPLIT_NAMES[game]
    if not isinstance(split, Mapping) or set(split) != set(names):
        raise BadRound(f'{where}.set: an object with "{names[0]}" and "{names[1]}" is needed')
    first, second = (_read_cards(split[name], None, f"{where}.set.{name}") for name in names)
    return first, second


def _read_cards(cards: object, count: int | None, where: str) -> tuple[Card, ...]:
    if not isinstance(cards, list):
        raise BadRound(f"{where}: a list of cards is needed")
    if count is not None and len(cards) != count:
        raise BadRound(f"{where}: found {len(cards)} cards; {count} are needed")
    try:
        return tuple(
            parse_card(c) if isinstance(c, str) and len(c) == 2 else _no_card(c) for c in cards
        )
    except BadCard as error:
        raise BadRound(f"{where}: {error}") from None


def _no_card(found: object) -> Card:
    raise BadCard(f"{_cut(found)} is no card: write As, Td, 2c, or Jk for the joker")


def _only(mapping: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for name in mapping:
        if name not in known:
            raise BadRound(f"{where}: unknown key {_cut(name)}; known: {', '.join(known)}")


def _cut(found: object) -> str:
    """What was found, on one line and not longer than a line should be."""
    text = json.dumps(found, ensure_ascii=False)
    return text if len(text) <= _FOUND_CHARACTERS_MAX else text[: _FOUND_CHARACTERS_MAX - 3] + "..."


def _is_unicode(text: str) -> bool:
    """JSON's escapes can also write halves of characters, which are none."""
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def _pot_amount(positions: list[_Position]) -> int:
    """The Pot is offered where all positions have it, and is the same for each."""
    pots = {p.number: p.wagers.get(money_pb2.WAGER_KIND_POT) for p in positions}
    amounts = set(pots.values())
    if amounts == {None}:
        return 0
    for number, amount in pots.items():
        if amount is None:
            raise BadRound(f"position {number}: no pot wager, though other positions have one")
    if len(amounts) > 1:
        listed = ", ".join(f"position {number}: {amount}" for number, amount in pots.items())
        raise BadRound(f"pot: the same amount is needed at every position; found {listed}")
    return next(iter(amounts)) or 0


def _check_repeats(described: _Described) -> None:
    seen: dict[Card, str] = {}
    hands = [(f"position {position.number}", position.cards) for position in described.positions]
    for where, cards in [*hands, ("the dealer", described.dealer)]:
        for card in cards:
            if card in seen:
                both = f"{seen[card]} and {where}" if seen[card] != where else where
                raise BadRound(f"cards: {notation(card)} appears twice ({both})")
            seen[card] = where


def _check_against(rules: "Rules", described: _Described) -> None:
    """What no table could even have opened or dealt under its submission."""
    last = rules.submission.positions
    for position in described.positions:
        if position.number > last:
            raise BadRound(f"position {position.number}: the table has positions 1 to {last}")
    hands = [(f"position {position.number}", position.cards) for position in described.positions]
    for where, cards in [*hands, ("dealer", described.dealer)]:
        for card in cards:
            if card not in rules.deck:
                raise BadRound(f"{where}.cards: {notation(card)} is not in the deck of this game")
    if described.pot:
        _check_pot(rules, described)


def _check_pot(rules: "Rules", described: _Described) -> None:
    """The Pot's amount is posted with the limits: it must be one that was filed."""
    where = f"position {described.positions[0].number} pot"
    filed = next(o for o in rules.submission.wagers if o.kind == money_pb2.WAGER_KIND_POT)
    if not filed.offered:
        raise BadRound(f"{where}: this wager is not offered under the submission")
    asked = words.money(described.pot, described.currency)
    for limit, broken, name in (
        (filed.min_minor, described.pot < filed.min_minor, "minimum"),
        (filed.max_minor, described.pot > filed.max_minor, "maximum"),
    ):
        if broken:
            raise BadRound(f"{where}: {asked}, {name} {words.money(limit, described.currency)}")
    unit = rules.submission.wager_unit_minor
    if described.pot % unit:
        multiple = f"a multiple of the wager unit ({words.money(unit, described.currency)})"
        raise BadRound(f"{where}: {asked} is not {multiple}")


def _facts(
    described: _Described, submission: bytes, digest: bytes, instrument: str
) -> Iterator[tuple[JournalRecord, str]]:
    """The facts of the round as a table would have written them, and where each comes from."""
    writer = _Writer()
    yield writer.open(described, submission, digest), "round"
    for position in described.positions:
        wager = facts_pb2.WagerRequested(
            position=position.number, patron_id=position.patron, instrument=instrument
        )
        for kind, amount in position.wagers.items():
            wager.stakes.add(kind=kind, amount_minor=amount)
        yield writer.fact("wager_requested", wager), f"position {position.number}"
    yield writer.console("no_more_bets", facts_pb2.NoMoreBets()), "round"
    hands = [position.cards for position in described.positions] + [described.dealer]
    for number, hand in enumerate(hands, 1):
        yield writer.console("packet_drawn", facts_pb2.PacketDrawn(packet=number, cards=hand)), ""
    for position in sorted(described.positions, key=_setting_order):
        if position.split is not None:
            first, second = position.split
            hand_set = facts_pb2.HandSet(
                position=position.number,
                patron_id=position.patron,
                first=first,
                second=second,
            )
            yield writer.fact("hand_set", hand_set), f"position {position.number}.set"
    yield writer.console("dealer_exposed", facts_pb2.DealerExposed()), "dealer"
    if any(position.split is None for position in described.positions):
        # At a table this is an early exposure; ruled to stand, those hands are set by rule.
        yield writer.fact("deal_ruled", facts_pb2.DealRuled()), "dealer"


def _setting_order(position: _Position) -> tuple[int, int]:
    """A patron's larger Ante is set first; equal: the higher position (663a.7(f))."""
    return -position.wagers.get(money_pb2.WAGER_KIND_ANTE, 0), -position.number


class _Writer:
    """Numbers the facts of one round; ids and times are made up, and the same each time."""

    def __init__(self) -> None:
        self._count = 0
        self._seq = 0
        self._round_id = ""

    def open(self, described: _Described, submission: bytes, digest: bytes) -> JournalRecord:
        opened = facts_pb2.RoundOpened(
            round_number=1,
            adjudication_version=LATEST_VERSION,
            currency_code=described.currency,
            submission=submission,
            submission_digest=digest,
            dealing_method=cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
        )
        opened.posted_limits.pot_amount_minor = described.pot
        for position in described.positions:
            opened.seats.add(position=position.number, patron_id=position.patron)
        self._round_id = fact_id(0, 0)
        return self.fact("round_opened", opened)

    def fact(self, body: str, message: "Message", table_seq: int = 0) -> JournalRecord:
        record = JournalRecord(
            event_id=fact_id(0, self._count),
            table_id=_TABLE,
            round_id=self._round_id,
            table_seq=table_seq,
        )
        self._count += 1
        getattr(record, body).CopyFrom(message)
        getattr(record, body).SetInParent()  # an empty body is there too
        return record

    def console(self, body: str, message: "Message") -> JournalRecord:
        self._seq += 1
        return self.fact(body, message, self._seq)


def _raise_if_refused(
    described: _Described, question: str, record: JournalRecord, where: str
) -> None:
    """What a table would have refused or given back is an error of the description."""
    if question == "request":
        for answer in record.request_answered.answers:
            if answer.refusal:
                wager = f" {words.kind_key(answer.kind)}" if answer.kind else ""
                text = words.refusal(answer, described.currency)
                raise BadRound(f"{where}{wager}: {text}")
    if question == "close":
        for chips in record.betting_closed.returned:
            text = words.returned(chips, described.currency)
            raise BadRound(f"position {chips.position} {words.kind_key(chips.kind)}: {text}")


def _result(described: _Described, decisions: dict[str, JournalRecord]) -> dict[str, Any]:
    due = decisions["payout"].payout_due
    judged = decisions["hands"].hands_evaluated
    first, second = words.SPLIT_NAMES[described.game]
    return {
        "lines": [_line(line, described.currency) for line in due.lines],
        "hands": [
            {"position": hand.position} | _hand(described.game, first, second, hand)
            for hand in judged.hands
        ],
        "dealer": _hand(described.game, first, second, judged.dealer),
        "house_net": due.totals.house_net_minor,
        "pot": _pot(due),
    }


def _line(line: d.SettlementLine, currency: str) -> dict[str, Any]:
    return {
        "position": line.position,
        "wager": words.kind_key(line.kind),
        "stake": line.stake_minor,
        "outcome": words.outcome(line.outcome),
        "odds": f"{line.odds.win}:{line.odds.stake}" if line.HasField("odds") else None,
        "profit": line.profit_minor,
        "returned": line.returned_minor,
        "cites": list(line.citations),
        "rulings": list(line.rulings),
        "explain": words.line(line, currency),
    }


def _hand(game: str, first: str, second: str, hand: d.EvaluatedHand) -> dict[str, Any]:
    shown: dict[str, Any] = {
        first: [notation(card) for card in hand.first],
        second: [notation(card) for card in hand.second],
        "poker": rules_pb2.PokerCategory.Name(hand.poker).removeprefix("POKER_CATEGORY_").lower(),
        "set_by": d.SetBy.Name(hand.set_by).removeprefix("SET_BY_").lower(),
        "rulings": list(hand.rulings),
    }
    if game == "saigon5":
        return {"qualifies": hand.qualifies, "point_count": hand.point_count} | shown
    return {
        "high_total": hand.first_total,
        "low_total": hand.second_total,
        "busted": hand.busted,
        "foul": hand.foul,
    } | shown


def _pot(due: d.PayoutDue) -> dict[str, Any] | None:
    if not due.HasField("pot"):
        return None
    pot = due.pot
    return {
        "amount": pot.amount_minor,
        "best_point_count": pot.best_point_count,
        "eligible": list(pot.eligible),
        "shares": [{"position": s.position, "amount": s.amount_minor} for s in pot.shares],
        "rulings": list(pot.rulings),
    }
