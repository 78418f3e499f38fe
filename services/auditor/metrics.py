"""What the auditor shows Prometheus.

No label has values without bound: rounds and tables are named in the log, never here. Amounts are
integers until the text format, which knows only floats, writes them: exact up to 2**53.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from services.runtime.exposition import Exposition
from services.runtime.settings import AUDITOR

GAMES = ("saigon5", "five_card_hi_lo")
STATES = ("opened", "settled", "voided")
FINDINGS = (
    "missing",
    "differs",
    "two_versions",
    "out_of_turn",
    "unsound",
    "count",
    "foreign",
    "no_fact",
    "unjudged",
)


@dataclass(slots=True)
class Tally:
    """What was counted since the start. Amounts are minor units."""

    rounds: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By game and state."""
    money: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Net, by game, party and currency."""
    staked: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By game, wager and currency."""
    returned: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """By game, wager and currency."""
    refused: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    findings: Counter[str] = field(default_factory=Counter)
    different: int = 0
    unjudged: int = 0
    held_breaches: int = 0
    after_the_end: int = 0


@dataclass(frozen=True, slots=True)
class Standing:
    """How things are at the moment of a scrape."""

    records: Mapping[str, int]
    """Judged, by kind: fact, decision, foreign, not_a_fact."""
    caught_up: bool
    silent_s: float
    lag_records: int
    open_rounds: int
    oldest_unsettled_s: float
    held_tables: int
    conservation_broken: bool
    rounds_lacking: Mapping[str, int]
    """That lack a decision overdue now, by who says so: audit, replay."""


class Metrics(Exposition):
    """`standing`: asked at each scrape."""

    def __init__(self, tally: Tally, standing: Callable[[], Standing]) -> None:
        super().__init__(AUDITOR, lambda: _families(tally, standing()))


def _families(tally: Tally, standing: Standing) -> Iterator[Metric]:
    yield from _counted(tally)
    yield _counter("records", "Records judged.", ["kind"], standing.records)
    yield from _gauges(standing)


def _counted(tally: Tally) -> Iterator[Metric]:
    by_wager = ["game", "wager", "currency"]
    rounds = {(game, state): 0 for game in GAMES for state in STATES} | tally.rounds
    yield _counter("rounds", "Rounds by state.", ["game", "state"], rounds)
    money = GaugeMetricFamily(
        "pitledger_audit_money_minor_units",
        "Net of all outcomes booked since the start; over the parties it is zero.",
        labels=["game", "party", "currency"],
    )
    for labels, amount in tally.money.items():
        money.add_metric(labels, amount)
    yield money
    yield _counter("stakes_minor_units", "Staked in outcomes.", by_wager, tally.staked)
    yield _counter("returned_minor_units", "Given back in outcomes.", by_wager, tally.returned)
    yield _counter("wagers_refused", "Wagers refused, by reason.", ["reason"], tally.refused)
    yield _counter(
        "quarantined", "What is no fact, or a foreign decision.", ["reason"], tally.quarantined
    )
    findings = dict.fromkeys(FINDINGS, 0) | tally.findings
    yield _counter("findings", "Findings of the independent audit.", ["kind"], findings)
    yield _counter(
        "replay_different", "Rounds recorded otherwise than derived.", [], {"": tally.different}
    )
    yield _counter(
        "replay_unjudged", "Rounds that this build does not derive.", [], {"": tally.unjudged}
    )
    yield _counter(
        "held_breaches", "Rounds opened or closed at a held table.", [], {"": tally.held_breaches}
    )
    yield _counter(
        "after_the_end",
        "Foreign decisions of rounds that were over and let go of.",
        [],
        {"": tally.after_the_end},
    )


def _gauges(standing: Standing) -> Iterator[Metric]:
    for name, text, value in (
        (
            "caught_up",
            "1: judged up to the end; 0: what follows is of the past.",
            standing.caught_up,
        ),
        ("silent_seconds", "Since a broker last answered for every partition.", standing.silent_s),
        ("lag_records", "Records on the journal and not judged yet.", standing.lag_records),
        ("open_rounds", "Rounds open, or over and lacking a decision.", standing.open_rounds),
        (
            "oldest_unsettled_seconds",
            "Since a payout came due, or a round ended, and no outcome.",
            standing.oldest_unsettled_s,
        ),
        ("held_tables", "Tables that a person holds.", standing.held_tables),
        (
            "conservation_broken",
            "1: money that does not sum to zero was booked.",
            standing.conservation_broken,
        ),
    ):
        yield GaugeMetricFamily(f"pitledger_audit_{name}", text, value=float(value))
    lacking = GaugeMetricFamily(
        "pitledger_audit_rounds_lacking",
        "Rounds that lack a decision overdue now, by who says so.",
        labels=["by"],
    )
    for by, count in standing.rounds_lacking.items():
        lacking.add_metric([by], count)
    yield lacking


def _counter(name: str, text: str, labels: list[str], counts: Mapping[Any, int]) -> Metric:
    """`counts` by the label's value, or by all of them in a tuple."""
    family = CounterMetricFamily(f"pitledger_audit_{name}", text, labels=labels)
    for key, count in counts.items():
        values = (key,) if isinstance(key, str) else key
        family.add_metric(values if labels else (), count)
    return family
