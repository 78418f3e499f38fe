"""What can be set, by name; `3.card2=8c` read into a change.

    3.card2=8c  dealer.card1=Ks  deal.7=2d      a card of a hand, as dealt; of the whole deal
    2.wager.ante=5000  2.wager.ante=50.00       a circle's sum: minor units, or with a point
    2.high=Kc,2h,7s  2.low=...  1.three=...     one of the two hands; the rest is the other
    2.set=rule                                  set as a hand that nobody set
    3.abandoned=returned  3.void=true           a supervisor's rulings; round.void, deal.ruled
    posted.ante.max=50000  posted.pot_amount=0  what the table's sign says
    pot_eligibility=qualifiers                  a setting, as the submission's TOML names it
    bonus_pay_table.flush=50                    one entry of a setting that is a table
"""

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pitledger import words
from pitledger.cards import BadCard, Card, parse_card
from pitledger.games import compile_rules
from pitledger.games.game import DEALER
from pitledger.games.submission_schema import Schema, schema_of
from pitledger.games.submission_shapes import choice_name, choices, listed
from pitledger.money import INT64_MAX
from pitledger.pb import money_pb2, rules_pb2
from pitledger.whatif import changes as c
from pitledger.whatif.changes import CannotBe, Change

if TYPE_CHECKING:
    from pitledger.pb.money_pb2 import WagerKind
    from pitledger.pb.rules_pb2 import AbandonmentReading, RulesSubmission

Read = Callable[[str], Change]
"""The text behind a name's equals sign, read; raises CannotBe."""

NEAR_MAX = 3
HAND_CARDS = 5
_READINGS = rules_pb2.AbandonmentReading.DESCRIPTOR
_OF_ONE_ROUND = re.compile("[0-9]+[.]|(dealer|deal|round)[.]")
_AMOUNT = re.compile("([0-9]{1,19})(?:[.]([0-9]{1,3}))?")


@dataclass(frozen=True, slots=True)
class Names:
    """All names that can be set, each with what reads its value."""

    readers: dict[str, Read]
    of_many: bool = False  # rounds at once

    def read(self, text: str) -> Change:
        """A change of `NAME=VALUE`; raises CannotBe, of an unknown name with those near it."""
        name, equals, value = text.partition("=")
        if not equals:
            raise CannotBe(f"{text}: write it as NAME=VALUE, such as 3.card2=8c")
        reader = self.readers.get(name)
        if reader is None and self.of_many and _OF_ONE_ROUND.match(name):
            raise CannotBe(f"{name}: is of one ROUND; of many, rules and posted limits can be set")
        if reader is None:
            raise CannotBe(f"{name}: {self._near(name)}")
        return reader(value.strip())

    def _near(self, name: str) -> str:
        close = difflib.get_close_matches(name, self.readers, NEAR_MAX, 0.5)
        if close:
            return f"no such name; near it: {', '.join(close)}"
        some = dict.fromkeys(re.sub("[0-9]+", "1", known) for known in self.readers)
        shown = ", ".join(list(some)[:12])
        return f"no such name; there are {shown} and others (pitledger whatif --help)"


def names_of_round(submission: "RulesSubmission", currency: str) -> Names:
    """What can be set in one round of a valid submission."""
    schema = schema_of(submission.game)
    assert schema is not None, "a valid submission has a known game"
    rules = compile_rules(submission.SerializeToString(deterministic=True))
    readers: dict[str, Read] = {}
    for position in (*range(1, submission.positions + 1), DEALER):
        readers |= _of_hand(schema, position)
        if position != DEALER:
            readers |= _of_position(position, rules.kinds, currency)
    readers |= {
        f"deal.{ordinal}": partial(_dealt_card, f"deal.{ordinal}", ordinal)
        for ordinal in range(1, len(rules.deck) + 1)
    }
    readers["round.void"] = partial(_void, "round.void", DEALER)
    readers["deal.ruled"] = lambda text: c.DealStands("deal.ruled", _yes(text, "deal.ruled"))
    readers |= _of_rules(schema, rules.kinds, currency)
    return Names(readers)


def names_of_rules(submissions: Iterable["RulesSubmission"]) -> Names:
    """What can be set in many rounds at once: settings and posted limits of these games."""
    readers: dict[str, Read] = {}
    for submission in submissions:
        schema = schema_of(submission.game)
        assert schema is not None
        rules = compile_rules(submission.SerializeToString(deterministic=True))
        readers |= _of_rules(schema, rules.kinds, "")
    return Names(readers, of_many=True)


def whose(position: int) -> str:
    """A position as names have it."""
    return str(position) if position else "dealer"


def _of_hand(schema: Schema, position: int) -> Iterator[tuple[str, Read]]:
    who = whose(position)
    for place in range(1, HAND_CARDS + 1):
        name = f"{who}.card{place}"
        yield name, partial(_hand_card, name, position, place)
    for half, word in enumerate(words.SPLIT_NAMES[schema.name]):
        name = f"{who}.{word}"
        yield name, partial(_half, name, position, half)


def _of_position(
    position: int, kinds: Iterable["WagerKind"], currency: str
) -> Iterator[tuple[str, Read]]:
    for kind in kinds:
        name = f"{position}.wager.{words.kind_key(kind)}"
        yield name, partial(_wager, name, position, kind, currency)
    yield f"{position}.set", partial(_set_by_rule, f"{position}.set", position)
    yield f"{position}.abandoned", partial(_abandoned, f"{position}.abandoned", position)
    yield f"{position}.void", partial(_void, f"{position}.void", position)


def _of_rules(
    schema: Schema, kinds: Iterable["WagerKind"], currency: str
) -> Iterator[tuple[str, Read]]:
    for kind in kinds:
        stem = f"posted.{words.kind_key(kind)}"
        for field in ("min", "max"):
            name = f"{stem}.{field}"
            yield name, partial(_limit, name, kind, field, currency)
        yield f"{stem}.offered", partial(_offered, f"{stem}.offered", kind)
        if kind == money_pb2.WAGER_KIND_POT:
            name = "posted.pot_amount"
            yield name, partial(_limit, name, None, "pot_amount", currency)
    for setting in schema.settings:
        for stem in dict.fromkeys((setting.name, setting.where)):
            yield stem, partial(_setting, stem, setting.name, "")
            for key in setting.shape.keys:
                name = f"{stem}.{key}"
                yield name, partial(_setting, name, setting.name, key)


def _hand_card(name: str, position: int, place: int, text: str) -> Change:
    return c.HandCard(name, position, place, _card(text, name))


def _dealt_card(name: str, ordinal: int, text: str) -> Change:
    return c.DealtCard(name, ordinal, _card(text, name))


def _half(name: str, position: int, half: int, text: str) -> Change:
    cards = tuple(_card(part, name) for part in text.replace(",", " ").split())
    return c.SplitHalf(name, position, half, cards)


def _wager(name: str, position: int, kind: "WagerKind", currency: str, text: str) -> Change:
    return c.Wager(name, position, kind, amount_of(text, currency, name))


def _set_by_rule(name: str, position: int, text: str) -> Change:
    if text != "rule":
        raise CannotBe(f"{name}: found {text!r}; allowed: rule")
    return c.SetByRule(name, position)


def _abandoned(name: str, position: int, text: str) -> Change:
    known = choices(_READINGS)
    if text not in known:
        raise CannotBe(f"{name}: found {text!r}; allowed: {listed(tuple(known))}")
    reading: AbandonmentReading = known[text]  # type: ignore[assignment]
    return c.Abandoned(name, position, reading)


def _void(name: str, position: int, text: str) -> Change:
    return c.Void(name, position, _yes(text, name))


def _limit(name: str, kind: "WagerKind | None", field: str, currency: str, text: str) -> Change:
    return c.Posted(name, kind, field, amount_of(text, currency, name))


def _offered(name: str, kind: "WagerKind", text: str) -> Change:
    return c.Posted(name, kind, "offered", _yes(text, name))


def _setting(name: str, setting: str, key: str, text: str) -> Change:
    return c.Setting(name, setting, key, _toml(text))


def reading_name(reading: int) -> str:
    """An abandonment's reading as a submission names it."""
    return str(choice_name(_READINGS, reading))


def amount_of(text: str, currency: str, name: str) -> int:
    """An amount in minor units, from minor units or from a number with a decimal point.

    Without a currency there is no telling what a decimal point means. Raises CannotBe.
    """
    match = _AMOUNT.fullmatch(text.replace("_", ""))
    if match is None:
        raise CannotBe(f"{name}: {text!r} is no amount: write minor units, or as 50.00")
    whole, fraction = match.groups()
    if fraction is None:
        amount = int(whole)
    elif not currency:
        raise CannotBe(
            f"{name}: {text}: over many rounds amounts are whole minor units:"
            f" {int(whole + fraction)}, where the currency has {len(fraction)} decimals"
        )
    elif len(fraction) != words.exponent(currency):
        places = words.exponent(currency)
        raise CannotBe(f"{name}: {text}: {currency} has {places} decimal places")
    else:
        amount = int(whole + fraction)
    if amount > INT64_MAX:
        raise CannotBe(f"{name}: {text}: is more than an amount can be")
    return amount


def _card(text: str, name: str) -> Card:
    try:
        return parse_card(text)
    except BadCard as problem:
        raise CannotBe(f"{name}: {problem}") from None


def _yes(text: str, name: str) -> bool:
    if text not in ("true", "false"):
        raise CannotBe(f"{name}: found {text!r}; allowed: true, false")
    return text == "true"


def _toml(text: str) -> object:
    """A value as TOML has it; a word needs no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return text
