"""What a run left on the journal: whether it is right, and how long each decision took.

Times are the broker's, of the moments at which it appended the records: no client's delays are in
them, and both records are acknowledged.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.environment import ROOT
from pitledger.journal.record import TYPE_BYTES, Stored
from pitledger.sources.connection import Connection
from pitledger.sources.file import write_file
from pitledger.sources.kafka import read_topic

_EXPOSED, _PAYOUT = TYPE_BYTES["dealer_exposed"], TYPE_BYTES["payout_due"]
_CLOSED, _SETTLED = TYPE_BYTES["round_closed"], TYPE_BYTES["round_settled"]


@dataclass(slots=True)
class Timeline:
    """Broker times (ms) of one round's records of a type, the first of each; all by round."""

    times: dict[bytes, dict[bytes, int]] = field(
        default_factory=lambda: {type_: {} for type_ in (_EXPOSED, _PAYOUT, _CLOSED, _SETTLED)}
    )

    def watch(self, records: Iterator[Stored]) -> Iterator[Stored]:
        """Hand on all records, with a look at their headers."""
        for stored in records:
            attributes = dict(stored.headers)
            of_type = self.times.get(attributes.get("ce_type", b""))
            if of_type is not None:
                of_type.setdefault(attributes.get("ce_subject", b""), stored.broker_time)
            yield stored

    def settled(self, since_ms: int, until_ms: int) -> int:
        """How many rounds were settled in between."""
        return sum(since_ms <= at < until_ms for at in self.times[_SETTLED].values())

    def payouts(self, since_ms: int, until_ms: int) -> list[int]:
        """DealerExposed to PayoutDue, ms, of the exposures in between."""
        return self._spans(_EXPOSED, _PAYOUT, since_ms, until_ms)

    def settlements(self, since_ms: int, until_ms: int) -> list[int]:
        """RoundClosed to RoundSettled."""
        return self._spans(_CLOSED, _SETTLED, since_ms, until_ms)

    def _spans(self, begin: bytes, end: bytes, since_ms: int, until_ms: int) -> list[int]:
        ends = self.times[end]
        return [
            ends[round_id] - at
            for round_id, at in self.times[begin].items()
            if since_ms <= at < until_ms and round_id in ends
        ]


def keep(connection: Connection, path: Path) -> Timeline:
    """Write the whole journal to a file."""
    timeline = Timeline()
    write_file(path, timeline.watch(read_topic(connection)))
    return timeline


def judge(path: Path, environment: Mapping[str, str]) -> str:
    """What is wrong with a journal whose rounds are over, by replay and by audit; "" if nothing."""
    with ThreadPoolExecutor(2) as pool:
        replay = pool.submit(_pitledger, environment, "replay", "--all", "--json", "--from", path)
        audit = pool.submit(_pitledger, environment, "audit", "--json", "--from", path)
    counts, found = replay.result(), audit.result()
    if counts["different"] or counts["open"]:
        return f"replay: {counts['different']} different, {counts['open']} open"
    if counts["decisions_derived"] != counts["decisions_recorded"]:
        derived, recorded = counts["decisions_derived"], counts["decisions_recorded"]
        return f"replay: {recorded} decisions recorded of {derived}"
    if not found["sound"]:
        return f"audit: {len(found['findings'])} findings, the first: {found['findings'][0]}"
    return ""


def _pitledger(environment: Mapping[str, str], *words: object) -> dict[str, Any]:
    run = "from services.cli import main; main()"
    command = [sys.executable, "-c", run, *map(str, words)]
    done = subprocess.run(
        command, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        sys.exit(f"bench: {' '.join(map(str, words))} failed: {done.stderr.strip()}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
