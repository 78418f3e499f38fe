"""House rulings: which settings of a submission are the house's own, and how a line names them."""

from itertools import chain
from typing import TYPE_CHECKING, Protocol

from pitledger.pb import rules_pb2 as pb

if TYPE_CHECKING:
    from pitledger.pb.rules_pb2 import RulesSubmission


class EnumNames(Protocol):
    """A generated enum."""

    def Name(self, number: int) -> str:  # noqa: N802 (protobuf's name)
        """Name of a value."""


class HouseRulings:
    """Names a ruling only if the submission marks its setting as the house's.

    What the Code or the vendor says is no ruling. Each method returns a tuple of one or none, so
    that rulings are joined with `together`.
    """

    def __init__(self, submission: "RulesSubmission") -> None:
        self._settings = frozenset(
            entry.setting for entry in submission.authorities
            if entry.authority == pb.AUTHORITY_HOUSE
        )

    def value(self, setting: str, value: object) -> tuple[str, ...]:
        """`setting=value`."""
        return (f"{setting}={value}",) if setting in self._settings else ()

    def choice(self, setting: str, enum: EnumNames, number: int) -> tuple[str, ...]:
        """`setting=choice`, the choice in the words of a submission file."""
        return self.value(setting, choice_name(enum, number))

    def table(self, setting: str) -> tuple[str, ...]:
        """The name alone, of a setting that is a table."""
        return (setting,) if setting in self._settings else ()


def choice_name(enum: EnumNames, number: int) -> str:
    """An enum value as a submission file writes it: POT_ELIGIBILITY_ALL is `all`."""
    prefix = enum.Name(0).removesuffix("UNSPECIFIED")
    return enum.Name(number).removeprefix(prefix).lower()


def together(*rulings: tuple[str, ...]) -> tuple[str, ...]:
    """Each ruling once, in the order of first use."""
    return tuple(dict.fromkeys(chain.from_iterable(rulings)))
