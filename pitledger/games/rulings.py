"""House rulings: which settings of a submission are the house's own, and how a line names them."""

from itertools import chain
from typing import TYPE_CHECKING

from pitledger.games.submission_shapes import choice_name
from pitledger.pb import rules_pb2 as pb

if TYPE_CHECKING:
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

    from pitledger.pb.rules_pb2 import RulesSubmission


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

    def choice(self, setting: str, enum: "EnumTypeWrapper", number: int) -> tuple[str, ...]:
        """`setting=choice`, the choice in the words of a submission file."""
        return self.value(setting, choice_name(enum.DESCRIPTOR, number))

    def table(self, setting: str) -> tuple[str, ...]:
        """The name alone, of a setting that is a table."""
        return (setting,) if setting in self._settings else ()


def together(*rulings: tuple[str, ...]) -> tuple[str, ...]:
    """Each ruling once, in the order of first use."""
    return tuple(dict.fromkeys(chain.from_iterable(rulings)))
