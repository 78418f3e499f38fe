"""Auditor, archivist and cases, one process each, that read what is played while all goes wrong.

They are killed and stopped as the processors are. Once all is at rest each case must be answered,
the auditor must have counted what one counts that begins then, and the archive must hold the
journal, record by record.
"""

import http.client
import json
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from pitledger.archive.in_order import in_order
from pitledger.archive.log import manifests, newest
from pitledger.archive.store import BadArchive
from pitledger.journal.record import Stored
from services.cli.new_key import new_key
from services.runtime.settings import ARCHIVIST, AUDITOR, CASES
from services.storage.folder import Folder
from services.verify.archive import verify
from services.verify.faults import Bad
from services.verify.files import Folder as Files
from services.verify.note import Key
from tests.chaos.judge import Sentence
from tests.chaos.processes import Children
from tests.chaos.workers import Worker, Workers

READERS = (AUDITOR, ARCHIVIST, CASES)
ORIGIN = "chaos.example/floor"
PATIENCE_S = 120.0
_EVERY_S = 5
"""Of the archive's batches: many while the faults last."""
_LOOK_S = 0.5

_COUNTED = {
    f"pitledger_audit_{name}"
    for name in (
        "records", "rounds", "money_minor_units", "stakes_minor_units", "returned_minor_units",
        "wagers_refused", "quarantined", "findings", "replay_different", "replay_unjudged",
        "held_breaches", "after_the_end",
    )
}  # fmt: skip
_RECORDS, _ROUNDS = "pitledger_audit_records_total", "pitledger_audit_rounds_total"
_OF_ITS_TIME = ("missing",)
"""Findings about what was not on the journal when it should have been: of these a later one knows
nothing."""

Series = tuple[str, tuple[tuple[str, str], ...]]
"""A sample's name and its labels."""
Counts = Mapping[Series, float]


class Readers(Workers):
    """One of each; a context manager whose end kills them."""

    def __init__(self, children: Children, environment: dict[str, str], folder: Path) -> None:
        self.archive = folder / "archive"
        self.key = new_key(ORIGIN)
        secret = folder / "archive.key"
        secret.touch(mode=0o600)
        secret.write_text(self.key.text())
        settings = {
            "PITLEDGER_ARCHIVE": str(self.archive),
            "PITLEDGER_ARCHIVE_KEY": str(secret),
            "PITLEDGER_ARCHIVE_EVERY_S": str(_EVERY_S),
            "PITLEDGER_CASES_INDEX": str(folder / "cases.sqlite"),
        }
        super().__init__(children, environment | settings, folder, READERS, static=(True,))

    def wait_answered(self) -> bool:
        """Until all that was said of cases is answered; whether it was in time."""
        [cases] = self.of(CASES)
        return _wait_until(lambda: _has_read_all(cases, unanswered=0))

    def judge(self, journal: Sequence[Stored], counts: Mapping[str, int]) -> list[Sentence]:
        """What auditor and archivist made of a journal at rest. `counts`: the judge's own."""
        return [self._audited(len(journal), counts), self._archived(journal)]

    def _audited(self, records: int, counts: Mapping[str, int]) -> Sentence:
        """Counted by the one that ran, by one that begins now, and by the judge: alike."""
        [present] = self.of(AUDITOR)
        later = self.add(AUDITOR, static=False)
        found: list[str] = ["nobody answered"]

        def are_alike() -> bool:
            found[:] = differences(counted(present), counted(later), records, counts)
            return not found

        _wait_until(are_alike)
        return Sentence.of(
            f"the auditor that ran meanwhile (started {present.starts} times) counts as one that"
            " begins afterwards, and as this judge",
            found,
        )

    def _archived(self, journal: Sequence[Stored]) -> Sentence:
        [archivist] = self.of(ARCHIVIST)
        wrong = []
        if not _wait_until(lambda: _has_read_all(archivist)):
            wrong.append(f"not read to the journal's end within {PATIENCE_S:g} s")
        self.remove(archivist)
        code = _end_of(archivist)
        if code:
            wrong.append(f"told to end, it did so with {code}")
        entries = 0
        try:
            entries = verify(Files(self.archive), Key.parse(str(self.key.public)), ()).size
            wrong += unlike(journal, self._sealed())
        except (Bad, BadArchive) as problem:
            wrong.append(str(problem))
        return Sentence.of(
            f"the archive that grew meanwhile (archivist started {archivist.starts} times)"
            f" verifies, {entries:,} signed entries, and holds the journal's {len(journal):,}"
            " records, byte by byte",
            wrong,
        )

    def _sealed(self) -> Iterator[Stored]:
        store = Folder(self.archive)
        checkpoint = newest(store, self.key.name)
        return in_order(store, manifests(store, checkpoint.size if checkpoint else 0))


def counted(auditor: Worker) -> Counts:
    """What an auditor has counted since its start; empty: it does not answer."""
    try:
        return counted_in(_get(auditor, "metrics").decode())
    except OSError:
        return {}


def counted_in(text: str) -> Counts:
    """What /metrics says was counted."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        if family.name in _COUNTED
        for sample in family.samples
        if not sample.name.endswith("_created") and sample.labels.get("kind") not in _OF_ITS_TIME
    }


def differences(
    present: Counts, later: Counts, records: int, of_judge: Mapping[str, int]
) -> list[str]:
    """Where two auditors' counts are not alike, or not what the journal comes to."""
    wrong = [
        f"{_told(series)}: {present.get(series, 0):g} by the one that ran,"
        f" {later.get(series, 0):g} by one that began afterwards"
        for series in sorted(present.keys() | later.keys())
        if present.get(series, 0) != later.get(series, 0)
    ]
    read = sum(count for (name, _), count in present.items() if name == _RECORDS)
    if read != records:
        wrong.append(f"it has judged {read:g} of {records:,} records")
    for state in ("opened", "settled", "voided"):
        found = sum(
            count for (name, labels), count in present.items()
            if name == _ROUNDS and ("state", state) in labels
        )
        expected = of_judge.get(f"rounds_{state}", 0)
        if found != expected:
            wrong.append(f"{found:g} rounds {state}, on the journal {expected:,}")
    return wrong


def _told(series: Series) -> str:
    name, labels = series
    return f"{name}{{{', '.join(f'{label}={value}' for label, value in labels)}}}"


def unlike(journal: Sequence[Stored], sealed: Iterator[Stored]) -> list[str]:
    """Places at which an archive's records are not the journal's."""
    wrong = []
    by_place = sorted(journal, key=_place)
    for one, other in zip_longest(by_place, sorted(sealed, key=_place)):
        if one != other:
            where = _place(one or other)
            wrong.append(f"from {where[0]}/{where[1]} on they are not the same records")
            break
    return wrong


def _place(stored: Stored) -> tuple[int, int]:
    return stored.partition, stored.offset


def _has_read_all(reader: Worker, **expected: object) -> bool:
    try:
        state = json.loads(_get(reader, "healthz"))
    except (OSError, ValueError):
        return False
    expected |= {"ready": True, "lag": 0}
    return all(state[name] == value for name, value in expected.items())


def _get(reader: Worker, page: str) -> bytes:
    """Raises OSError."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{reader.port}/{page}", timeout=5) as answer:
            return answer.read()
    except http.client.HTTPException as broken:
        raise OSError(str(broken)) from None


def _wait_until(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(_LOOK_S)
    return True


def _end_of(reader: Worker) -> int | str:
    try:
        return reader.process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        return f"nothing within {PATIENCE_S:g} s"
