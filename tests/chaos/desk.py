"""A dispute desk at work meanwhile: cases are opened, corrections proposed and approved.

By the commands that persons type. One that does not come through is given again under its id, as
its last line says; and each correction is approved by two persons at once. Of all that, each
correction must be paid once.
"""

import json
import random
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from pitledger.archive.log import manifests, newest
from pitledger.archive.store import BadArchive
from pitledger.cases.journal import Cases
from pitledger.journal.ids import fact_id
from pitledger.journal.record import CASE_DECISION_TYPES, TYPE_BYTES, JournalRecord, Stored
from pitledger.pb.archive_pb2 import ArchivedRound
from services.storage.folder import Folder
from tests.chaos.commands import pitledger
from tests.chaos.judge import Sentence

EVERY_S = 4.0
TRIES = 6
_AGAIN_S = 2.0
_REFUSED = ("nothing is written: ", " is written, and changes nothing: ")
"""So a command says that it was refused, or would be: there is no use in another try."""


@dataclass(slots=True)
class Told:
    """What the desk was told: it is for the journal to bear out."""

    opened: set[str] = field(default_factory=set)
    approved: dict[str, int] = field(default_factory=dict)
    """Minor units by the proposal's id."""
    stumbled: list[str] = field(default_factory=list)
    """Commands that ended with a traceback."""
    counts: Counter[str] = field(default_factory=Counter)


class Desk:
    """One case after the other, about rounds that are sealed; a context manager."""

    def __init__(
        self, environment: dict[str, str], folder: Path, archive: Path, origin: str, seed: int
    ) -> None:
        self.told = Told()
        self._environment = environment | {"PITLEDGER_ARCHIVE": str(archive)}
        self._log = folder / "desk.log"
        self._archive, self._origin = archive, origin
        self._random = random.Random(f"desk/{seed}")
        self._counting = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self) -> "Desk":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._over.wait(EVERY_S):
            rounds = self._rounds()
            if rounds:
                self._dispute(rounds[-self._random.randint(1, min(20, len(rounds)))])

    def _rounds(self) -> list[ArchivedRound]:
        """Of Saigon tables: each position has an Ante there."""
        store = Folder(self._archive)
        try:
            checkpoint = newest(store, self._origin)
            leaves = list(manifests(store, checkpoint.size)) if checkpoint else []
        except BadArchive:  # it is being made
            return []
        rounds = (leaf.round for leaf in leaves if leaf.HasField("round"))
        return [one for one in rounds if one.table_id.startswith("saigon")]

    def _dispute(self, about: ArchivedRound) -> None:
        amount = 100 * self._random.randint(1, 50)
        case = self._ask(
            "case", "open", f"{about.table_id}/{about.round_number}",
            "--position=1", "--claim=a pair was paid as nothing", f"--amount={amount // 100}.00",
            "--by=host-1",
        )  # fmt: skip
        if case is None:
            return
        self.told.opened.add(case["case"])
        proposal = self._ask(
            "adjust", "propose", case["case"], "--position=1", "--wager=ante", "--yes",
            f"--amount={amount // 100}.00", "--reason=as the recording shows", "--by=supervisor-1",
        )  # fmt: skip
        if proposal is None:
            return
        approve = "adjust", "approve", proposal["id"], "--yes"
        with ThreadPoolExecutor(2) as pool:
            both = [pool.submit(self._ask, *approve, f"--by=manager-{n}") for n in (1, 2)]
        if any(one.result() is not None for one in both):
            self.told.approved[proposal["id"]] = amount

    def _ask(self, *command: str) -> dict | None:
        """What a command says at last; None: it was refused, or never came through."""
        command_id = fact_id(time.time_ns() // 1_000_000, self._random.getrandbits(74))
        self._count("commands")
        for _ in range(TRIES):
            self._count("tries")
            code, out, error = self._try((*command, f"--id={command_id}", "--json"))
            if "Traceback" in error:
                self.told.stumbled.append(f"{' '.join(command)}: {error.splitlines()[-1]}")
            elif code in (0, 1):
                return json.loads(out)
            if any(words in error for words in _REFUSED):
                break
            time.sleep(_AGAIN_S)
        return None

    def _count(self, what: str) -> None:
        with self._counting:
            self.told.counts[what] += 1

    def _try(self, command: Sequence[str]) -> tuple[int, str, str]:
        code, out, error = pitledger(self._environment, command)
        with self._log.open("a") as log:
            log.write(f"{time.time():.1f} {' '.join(command)}: {code} {error or out}\n")
        return code, out, error


def judge_cases(journal: Sequence[Stored], partitions: int, told: Told) -> Sentence:
    """Every case fact answered as it is derived, every correction that was approved paid once."""
    cases, written, postings = Cases(partitions), Counter(), defaultdict(dict)
    for stored in journal:
        cases.take(stored)
        kind = dict(stored.headers).get("ce_type")
        if kind in CASE_DECISION_TYPES:
            written[stored.value] += 1
        if kind == TYPE_BYTES["adjustment_posted"]:
            record = JournalRecord.FromString(stored.value)
            posted = record.adjustment_posted
            of_proposal = postings[posted.proposal_event_id]
            of_proposal[record.event_id, stored.value] = posted.positions_net_minor
    wrong = [f"traceback: {one}" for one in told.stumbled]
    wrong += [f"not answered: {one.body} of case {one.case_id}" for one in cases.missing()]
    wrong += [f"{one.partition}/{one.offset}: {one.text}" for one in cases.forged]
    wrong += [f"case {case_id}: is not on the journal" for case_id in sorted(
        told.opened - {case.case_id for case in cases.cases()}
    )]  # fmt: skip
    wrong += [
        f"proposal {proposal}: {amount} approved, paid: {paid}"
        for proposal, amount in told.approved.items()
        if (paid := sorted(postings.get(proposal, {}).values())) != [amount]
    ]
    wrong += [
        f"proposal {proposal}: nobody was told that it is approved, and it is paid {len(of)} times"
        for proposal, of in postings.items()
        if proposal not in told.approved and len(of) > 1
    ]
    again = sum(count - 1 for count in written.values())
    in_all = sum(sum(of.values()) for of in postings.values())
    return Sentence.of(
        f"{len(told.opened):,} cases were opened, {told.counts['commands']:,} commands given"
        f" {told.counts['tries']:,} times: each fact has its answer, and {len(postings):,}"
        f" corrections, each approved by two at once, are paid once, {in_all / 100:,.2f} in all"
        f" ({again:,} decisions written more than once)",
        wrong,
    )
