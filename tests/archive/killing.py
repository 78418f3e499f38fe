"""An archivist's sealing, killed at every system call: `python -m tests.archive.killing DIR`.

A process of its own, because it forks and traces its children. Prints at how many system calls it
killed; exits with a traceback where an archive was not as it must be. What it must be is judged by
pitledger-verify, which shares no code with the writer.
"""

import ctypes
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pitledger.archive import layout
from pitledger.archive.contract import contract
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.note import Checkpoint, Note
from pitledger.journal.record import Stored
from pitledger.sources.file import read_file
from services.archivist.by_partition import seal_records
from services.cli.new_key import new_key
from services.simulation import simulate
from services.storage.folder import Folder
from tests.verify.conftest import run as pitledger_verify

ABOUT = About("casino.example/floor", "pitledger.journal.v1", 48)
KEY = new_key("casino.example/floor")
BEFORE = 255
"""Entries before: the append fills a tile, whose partial ones go, and begins another, of two
levels."""
TRACEME, SYSCALL = 0, 24
_ptrace = ctypes.CDLL(None, use_errno=True).ptrace


@dataclass(frozen=True, slots=True)
class Found:
    """Of an archive that pitledger-verify found good."""

    size: int
    root: str
    rounds: int
    records: int


def main() -> None:
    home = Path(sys.argv[1])
    base, work = home / "base", home / "work"
    home.mkdir(parents=True, exist_ok=True)
    simulate(("saigon5",), 1, 6, 3, False, home / "journal")
    records = list(read_file(home / "journal"))
    first, all_ = records[: 2 * len(records) // 3], records
    contract()  # made once, and not in each process
    seal(base, records[: len(records) // 3])
    writer = LogWriter(Folder(base), KEY, ABOUT)
    fill = BEFORE - writer.size
    for count in (200, fill - 200):
        writer.append([document_leaf("note", "text/plain", b"before")] * count)
    del writer

    before = verified(base)
    after_first = sealed(base, work, first)
    after_all = sealed(base, work, all_)
    after_both = sealed(base, work, first, all_)
    assert before.size == BEFORE
    assert before.rounds < after_first.rounds < after_all.rounds == after_both.rounds
    assert after_all.records == after_both.records == len(records)
    stops = 0
    while True:
        copy(base, work)
        killed = killed_at(stops + 1, lambda: seal(work, first))
        roots = signed_roots(work)
        found = verified(work)
        assert found in (before, after_first)
        seal(work, all_)  # other records have come by now
        # Each leaf once, whether the first append counts or is made anew.
        assert verified(work) in (
            (after_both,) if found == after_first else (after_both, after_all)
        )
        assert not list(work.glob("tile/*/000.p/2*")), "partial tiles are left"
        for size, root in signed_roots(work).items():
            assert roots.setdefault(size, root) == root, f"two trees of {size} entries were signed"
        if not killed:
            assert found == after_first
            break
        stops += 1
    print(f"killed at {stops} stops, before and after each system call")


def copy(base: Path, work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(base, work)


def sealed(base: Path, work: Path, *journals: Sequence[Stored]) -> Found:
    """What comes of it where nobody is killed."""
    copy(base, work)
    for records in journals:
        seal(work, records)
    return verified(work)


def seal(home: Path, records: Sequence[Stored]) -> None:
    """As an archivist does that starts, and has the journal so far."""
    seal_records(LogWriter(Folder(home), KEY, ABOUT), ABOUT.partitions, records)


def verified(home: Path) -> Found:
    outcome = pitledger_verify(str(home), "--key", str(KEY.public), "--json")
    assert outcome.code == 0, outcome
    found = json.loads(outcome.out)
    return Found(*(found[name] for name in Found.__slots__))


def signed_roots(home: Path) -> dict[int, bytes]:
    """By size, the roots of all checkpoints that were ever written there."""
    found: dict[int, bytes] = {}
    for path in [home / layout.CHECKPOINT, *(home / "checkpoints").iterdir()]:
        if path.suffix != ".new":
            checkpoint = Checkpoint.parse(Note.parse(path.read_bytes()).text)
            assert found.setdefault(checkpoint.size, checkpoint.root) == checkpoint.root
    return found


def killed_at(stop: int, work: Callable[[], None]) -> bool:
    """Run `work` in a child and kill it at this stop; False: it ended before, and well."""
    pid = os.fork()
    if pid == 0:
        _ptrace(TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    os.waitpid(pid, 0)
    for _ in range(stop):
        if _ptrace(SYSCALL, pid, None, None):
            raise OSError(ctypes.get_errno(), "ptrace")
        _, status = os.waitpid(pid, 0)
        if os.WIFEXITED(status):
            assert os.WEXITSTATUS(status) == 0
            return False
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return True


if __name__ == "__main__":
    main()
