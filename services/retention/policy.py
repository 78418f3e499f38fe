"""How long a jurisdiction wants records of play kept."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from pitledger.sources.environment import Environment

YEARS_MAX = 1_000


class BadPolicy(ValueError):
    """One line."""


@dataclass(frozen=True, slots=True)
class Policy:
    """`source`: the paragraph that asks for it."""

    name: str
    years: int
    source: str

    def ends(self, day: date) -> date:
        """The first day on which what is of this gaming day need not be kept any more."""
        try:
            return day.replace(year=day.year + self.years)
        except ValueError:
            if day.year + self.years > date.max.year:
                return date.max
            return date(day.year + self.years, 3, 1)  # of a 29 February


BUILT_IN = {
    policy.name: policy
    for policy in (
        Policy("pa-table-games", 5, "58 Pa. Code 465a.6"),
        Policy("pa-interactive", 10, "58 Pa. Code 811a.7"),
        Policy("nj-internet", 10, "N.J.A.C. 13:69O-1.8"),
    )
}


def read_policy(name: str) -> Policy:
    """One that is built in, or a TOML file with name, years and source. Raises BadPolicy."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    if not name.endswith(".toml"):
        known = ", ".join(BUILT_IN)
        raise BadPolicy(f"{name}: is no policy: there are {known}, and files (.toml)")
    try:
        said = tomllib.loads(Path(name).read_text())
    except OSError as error:
        raise BadPolicy(f"{name}: {error.strerror}") from None
    except ValueError as error:
        raise BadPolicy(f"{name}: is no TOML: {error}") from None
    wanted = {"name": str, "years": int, "source": str}
    for key in sorted(said.keys() ^ wanted.keys()):
        raise BadPolicy(f"{name}: {'has no' if key in wanted else 'does not know'} {key}")
    for key, kind in wanted.items():
        if type(said[key]) is not kind or said[key] == "":
            raise BadPolicy(f"{name}: {key} is no {'text' if kind is str else 'number of years'}")
    if not 1 <= said["years"] <= YEARS_MAX:
        raise BadPolicy(f"{name}: years is from 1 to {YEARS_MAX:,}")
    if said["name"].strip().lower() in BUILT_IN:
        raise BadPolicy(f"{name}: {said['name']} is built in: give your own another name")
    return Policy(**said)


def in_force(environment: Environment) -> list[Policy]:
    """The house's own, whatever a command names besides: no command shortens a term.

    Raises BadPolicy.
    """
    names = environment.text("RETENTION", "pa-table-games").split(",")
    return [read_policy(name.strip()) for name in names]


def strictest(policies: Sequence[Policy]) -> Policy:
    """Where several apply: the one that keeps longest."""
    return max(policies, key=lambda policy: policy.years)
