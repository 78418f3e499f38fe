"""The auditor's own small values: a circle, a hand, how it plays, a line."""

from dataclasses import dataclass

from pitledger.pb import money_pb2 as money

ANTE: int = money.WAGER_KIND_ANTE
POT: int = money.WAGER_KIND_POT


@dataclass(frozen=True, slots=True)
class Circle:
    """What stands at one position for one kind when betting closes."""

    position: int
    kind: int
    stake: int
    wager_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """Five cards, and the two hands made of them if the player set them."""

    cards: tuple[int, ...]
    split: tuple[tuple[int, ...], tuple[int, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """How a hand counts; fields of the other game are 0 or False."""

    category: int
    pair_rank: int
    qualifies: bool = False
    count: int = 0
    loses_ante: bool = False  # misset or foul, by the filed rule
    high: int = 0  # -1: busted
    low: int = 0
    as_set: bool = False  # the player's own split is the one that counts


@dataclass(frozen=True, slots=True)
class Line:
    """One circle's result; what comes back is the stake plus the profit."""

    position: int
    kind: int
    stake: int
    outcome: int
    profit: int

    @property
    def returned(self) -> int:
        return self.stake + self.profit
