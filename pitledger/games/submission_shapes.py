"""The shapes that a setting's value can have: what is allowed, and where the message keeps it.

A value is what TOML and JSON share: integers, booleans, strings, lists, tables. `problems` is
total: it takes any object and yields one line for each thing wrong with it. `put` takes a value
that has no problem; `get` reads it back, in its canonical form, out of any message.
"""

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any, Protocol, TypeGuard

from google.protobuf.descriptor import EnumDescriptor

from pitledger.money import Ratio
from pitledger.pb import rules_pb2

AMOUNT_MAX = 10**11
ODDS_MAX = 10**6
"""Bounds of sanity, not of any rule: the sum of a round's lines fits into an int64."""

LONGEST = 100
"""Entries. Distinct choices and rising numbers of the ranges here are no more; a forged list is."""


class Shape(Protocol):
    """One kind of value. `keys` are a table's keys, () for every other shape."""

    @property
    def keys(self) -> tuple[str, ...]: ...

    def problems(self, where: str, value: object) -> Iterator[str]: ...

    def put(self, message: Any, field: str, value: Any) -> None: ...

    def get(self, message: Any, field: str) -> Any: ...


@dataclass(frozen=True, slots=True)
class Integer:
    low: int
    high: int
    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        if not is_integer(value) or not self.low <= value <= self.high:
            yield found(where, value, f"an integer from {self.low} to {self.high}")

    def put(self, message: Any, field: str, value: Any) -> None:
        setattr(message, field, value)

    def get(self, message: Any, field: str) -> Any:
        return getattr(message, field)


AMOUNT = Integer(1, AMOUNT_MAX)


@dataclass(frozen=True, slots=True)
class Boolean:
    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        if not isinstance(value, bool):
            yield found(where, value, "true or false")

    def put(self, message: Any, field: str, value: Any) -> None:
        setattr(message, field, value)

    def get(self, message: Any, field: str) -> Any:
        return getattr(message, field)


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an enum, by its name without the enum's prefix, in lower case."""

    enum: EnumDescriptor
    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        names = tuple(choices(self.enum))
        if value not in names:
            yield found(where, value, listed(names)) + near(value, names)

    def put(self, message: Any, field: str, value: Any) -> None:
        setattr(message, field, choices(self.enum)[value])

    def get(self, message: Any, field: str) -> Any:
        return choice_name(self.enum, getattr(message, field))


@dataclass(frozen=True, slots=True)
class Choices:
    """Some values of an enum, each once."""

    enum: EnumDescriptor
    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        names = tuple(choices(self.enum))
        yield from _list_problems(where, value, f"a list of some of {listed(names)}", LONGEST)
        for item in _entries(value):
            yield from Choice(self.enum).problems(where, item)

    def put(self, message: Any, field: str, value: Any) -> None:
        getattr(message, field).extend(choices(self.enum)[name] for name in value)

    def get(self, message: Any, field: str) -> Any:
        return [choice_name(self.enum, number) for number in getattr(message, field)]


@dataclass(frozen=True, slots=True)
class Instruments:
    """Names of wagering instruments; what is spoken with cash is none (663a.7(a))."""

    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        allowed = 'a list of names in small letters, such as "value_chip"'
        yield from _list_problems(where, value, allowed)
        for item in value if isinstance(value, list) else ():
            if not isinstance(item, str) or not re.fullmatch("[a-z][a-z0-9_]{0,39}", item):
                yield found(where, item, allowed)
            elif item == "verbal_with_cash":
                yield found(where, item, "no words spoken with cash (663a.7(a))")

    def put(self, message: Any, field: str, value: Any) -> None:
        getattr(message, field).extend(value)

    def get(self, message: Any, field: str) -> Any:
        return list(getattr(message, field))


@dataclass(frozen=True, slots=True)
class Rising:
    """Integers within a range, in rising order."""

    low: int
    high: int
    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        allowed = f"a list of integers from {self.low} to {self.high} in rising order"
        yield from _list_problems(where, value, allowed, LONGEST)
        entries = _entries(value)
        for item in entries:
            yield from Integer(self.low, self.high).problems(where, item)
        if all(map(is_integer, entries)) and entries != sorted(entries):
            yield found(where, value, allowed)

    def put(self, message: Any, field: str, value: Any) -> None:
        getattr(message, field).extend(value)

    def get(self, message: Any, field: str) -> Any:
        return list(getattr(message, field))


@dataclass(frozen=True, slots=True)
class OddsTo:
    """Odds: "win:stake", "win to stake", or a bare N for N to 1."""

    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        odds = odds_of(value)
        if odds is None or not (1 <= odds.win <= ODDS_MAX and 1 <= odds.stake <= ODDS_MAX):
            yield found(where, value, f'odds like "3:2", each side from 1 to {ODDS_MAX}')

    def put(self, message: Any, field: str, value: Any) -> None:
        put_odds(getattr(message, field), value)

    def get(self, message: Any, field: str) -> Any:
        odds = getattr(message, field)
        return f"{odds.win}:{odds.stake}"


@dataclass(frozen=True, slots=True)
class Steps:
    """A score table: [total up to, score], totals rising."""

    keys: tuple[str, ...] = ()

    def problems(self, where: str, value: object) -> Iterator[str]:
        allowed = "a list of [total up to, score], such as [[11, 3], [21, 22]]"
        yield from _list_problems(where, value, allowed, LONGEST)
        last = 0
        for step in _entries(value):
            if not (isinstance(step, list) and len(step) == 2 and all(map(is_integer, step))):
                yield found(where, step, allowed)
                continue
            yield from Integer(1, 100).problems(f"{where}: total", step[0])
            yield from Integer(0, 1_000_000).problems(f"{where}: score", step[1])
            if step[0] <= last:
                yield found(where, step[0], f"a total above {shown(last)}, the step before it")
            last = step[0]

    def put(self, message: Any, field: str, value: Any) -> None:
        for up_to, score in value:
            getattr(message, field).add(up_to=up_to, score=score)

    def get(self, message: Any, field: str) -> Any:
        return [[step.up_to, step.score] for step in getattr(message, field)]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a fixed set of keys: key, field of the message, shape.

    The fields are those of the message's `field`, or of the message itself where `field` is empty;
    "a.b" is the field b of its message a. `bare`: in a policy, a bare value of this type stands for
    the table with this key alone.
    """

    entries: tuple[tuple[str, str, Shape], ...]
    bare: tuple[tuple[type, str], ...] = ()

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key, _, _ in self.entries)

    def problems(self, where: str, value: object) -> Iterator[str]:
        if not isinstance(value, dict):
            yield found(where, value, f"a table with {', '.join(self.keys)}")
            return
        yield from unknown_keys(where, value, self.keys)
        for key, _, shape in self.entries:
            if key in value:
                yield from shape.problems(f"{where}.{key}", value[key])
            else:
                yield f"{where}: {key} is missing"

    def put(self, message: Any, field: str, value: Any) -> None:
        for key, path, shape in self.entries:
            shape.put(*_place(message, field, path), value[key])

    def get(self, message: Any, field: str) -> Any:
        return {key: shape.get(*_place(message, field, path)) for key, path, shape in self.entries}


@dataclass(frozen=True, slots=True)
class Limits:
    """The filed range of one wager; a wager that the game compels is always offered."""

    kind: int
    compulsory: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return _LIMITS.keys

    def problems(self, where: str, value: object) -> Iterator[str]:
        wrong = list(_LIMITS.problems(where, value))
        yield from wrong
        if wrong or not isinstance(value, dict):
            return
        if value["min"] > value["max"]:
            yield found(f"{where}.min", value["min"], f"at most max, which is {value['max']}")
        if self.compulsory and not value["offered"]:
            yield found(f"{where}.offered", value["offered"], "true: nobody plays without it")

    def put(self, message: Any, field: str, value: Any) -> None:
        _LIMITS.put(getattr(message, field).add(kind=self.kind), "", value)

    def get(self, message: Any, field: str) -> Any:
        for offer in getattr(message, field):
            if offer.kind == self.kind:
                return _LIMITS.get(offer, "")
        return {}


_LIMITS = Table((
    ("offered", "offered", Boolean()),
    ("min", "min_minor", AMOUNT),
    ("max", "max_minor", AMOUNT),
))


@dataclass(frozen=True, slots=True)
class PayTable:
    """Odds for each poker category that wins, from `lowest` to `highest`.

    A category left out is a gap: the wager wins with it, and nothing would say what it pays. A
    better hand that pays less is refused too: no house means it, and it is a slip of the pen.
    `pair_field`: where the message keeps the lowest pair that wins, "" if the table has none.
    """

    lowest: int
    highest: int
    pair_field: str = ""

    @property
    def keys(self) -> tuple[str, ...]:
        pair = ("lowest_pair",) if self.pair_field else ()
        return pair + self._categories

    @property
    def _categories(self) -> tuple[str, ...]:
        return tuple(name for name, number in choices(CATEGORIES).items()
                     if self.lowest <= number <= self.highest)

    def problems(self, where: str, value: object) -> Iterator[str]:
        if not isinstance(value, dict):
            yield found(where, value, f"a table with {', '.join(self.keys)}")
            return
        yield from unknown_keys(where, value, self.keys)
        if self.pair_field and "lowest_pair" in value:
            # A pair of 6s or better, or of 7s or better: 663a.7(e)(2).
            yield from Integer(6, 7).problems(f"{where}.lowest_pair", value["lowest_pair"])
        elif self.pair_field:
            yield f"{where}: lowest_pair is missing"
        names = self._categories
        below: tuple[str, Ratio] | None = None
        for name in names:
            if name not in value:
                yield f"{where}: gap: {name} is missing; {names[0]} to {names[-1]} all win"
                continue
            wrong = list(OddsTo().problems(f"{where}.{name}", value[name]))
            yield from wrong
            odds = odds_of(value[name])
            if wrong or odds is None:
                continue
            if below and odds.win * below[1].stake < below[1].win * odds.stake:
                yield found(f"{where}.{name}", value[name],
                            f"no less than {below[0]}, which pays {below[1]}")
            below = (name, odds)

    def put(self, message: Any, field: str, value: Any) -> None:
        if self.pair_field:
            setattr(message, self.pair_field, value["lowest_pair"])
        for name in self._categories:
            row = getattr(message, field).add(category=choices(CATEGORIES)[name])
            put_odds(row.odds, value[name])

    def get(self, message: Any, field: str) -> Any:
        pair = {"lowest_pair": getattr(message, self.pair_field)} if self.pair_field else {}
        rows = {str(choice_name(CATEGORIES, row.category)): f"{row.odds.win}:{row.odds.stake}"
                for row in getattr(message, field)}
        return pair | rows


CATEGORIES = rules_pb2.PokerCategory.DESCRIPTOR


def is_integer(value: object) -> TypeGuard[int]:
    """Whether it is an integer; TOML's and JSON's booleans are none."""
    return isinstance(value, int) and not isinstance(value, bool)


@cache
def choices(enum: EnumDescriptor) -> Mapping[str, int]:
    """An enum's values as a person writes them, in the proto's order, without the unspecified."""
    prefix = len(enum.values[0].name) - len("UNSPECIFIED")
    names = {value.name[prefix:].lower(): value.number for value in enum.values[1:]}
    return MappingProxyType(names)


def choice_name(enum: EnumDescriptor, number: int) -> str | int:
    """The name of an enum's number; a number that has none stays what it is."""
    return {value: name for name, value in choices(enum).items()}.get(number, number)


def odds_of(value: object) -> Ratio | None:
    """Read odds as people write them; None for what is none. Zero and negative come through."""
    if isinstance(value, int) and not isinstance(value, bool):
        return Ratio(value, 1)
    match = re.fullmatch("(-?[0-9]{1,19})(?: *: *| +to +)(-?[0-9]{1,19})", str(value))
    if match is None or not isinstance(value, str):
        return None
    return Ratio(int(match[1]), int(match[2]))


def put_odds(message: Any, value: object) -> None:
    """Write odds that have no problem."""
    odds = odds_of(value)
    assert odds is not None
    message.win, message.stake = odds.win, odds.stake


def found(where: str, value: object, allowed: str) -> str:
    """One line: where, what was found, what is allowed."""
    return f"{where}: found {shown(value)}; allowed: {allowed}"


def shown(value: object) -> str:
    """Any value in a few characters of one line."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() if value.bit_length() > 64:
            return "an integer beyond 64 bits"
        case list() if len(value) <= 4 and all(isinstance(item, int | str) for item in value):
            return f"[{', '.join(map(shown, value))}]"
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "a table"
        case str():
            return json.dumps(value if len(value) <= 60 else value[:57] + "...")
        case _:
            return str(value)


def listed(names: Sequence[str]) -> str:
    """`"a", "b", "c"`."""
    return ", ".join(f'"{name}"' for name in names)


def near(value: object, names: Sequence[str]) -> str:
    """`; did you mean "x"?` where a name is close to the value, else nothing."""
    close = difflib.get_close_matches(value[:60], names, 1) if isinstance(value, str) else []
    return f'; did you mean "{close[0]}"?' if close else ""


def unknown_keys(where: str, table: dict[str, object], known: Sequence[str]) -> Iterator[str]:
    """One line for each key that the table may not have."""
    for key in table:
        if key not in known:
            yield f"{where}: unknown key {shown(key)}" + (
                near(key, known) or f"; allowed: {', '.join(known)}")


def _list_problems(
    where: str, value: object, allowed: str, longest: float = math.inf
) -> Iterator[str]:
    if not isinstance(value, list) or not 0 < len(value) <= longest:
        yield found(where, value, allowed)
        return
    seen: set[str] = set()
    for item in value:
        if repr(item) in seen:
            yield f"{where}: {shown(item)} stands there twice"
        seen.add(repr(item))


def _entries(value: object) -> list[Any]:
    """What of a list is looked at: of one that is too long, or is none, nothing."""
    return value if isinstance(value, list) and len(value) <= LONGEST else []


def _place(message: Any, field: str, path: str) -> tuple[Any, str]:
    """The message that holds the last field of a path, and that field's name."""
    *outer, last = [name for name in (*field.split("."), *path.split(".")) if name]
    for name in outer:
        message = getattr(message, name)
    return message, last
