"""An append, killed at every system call: `python -m tests.archive.killing DIR`.

A process of its own, because it forks and traces its children. Prints at how many system calls it
killed; exits with a traceback where an archive was not as it must be.
"""

import ctypes
import os
import shutil
import signal
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from pitledger.archive import layout
from pitledger.archive.collect import Remainder
from pitledger.archive.contract import contract
from pitledger.archive.leaves import Leaf, document_leaf, remainder_leaves
from pitledger.archive.log import About, LogWriter, leaf_data, manifests, newest
from pitledger.archive.merkle import Edge, leaf_hash
from pitledger.archive.note import Checkpoint, Note, SecretKey
from pitledger.archive.packing import Packer
from pitledger.archive.tiles import bundle
from pitledger.journal.record import Stored
from services.archivist.dictionary import built_in
from services.archivist.folder import Folder
from services.archivist.sealing import Signing
from services.archivist.share import Part

ABOUT = About("casino.example/floor", "pitledger.journal.v1", 48)
KEY = SecretKey.new("casino.example/floor")
EARLIER, BEFORE, ADDED = 200, 255, 6
"""Entries before and added: the append fills a tile, whose partial ones go, and begins another, of
two levels. Three of those added are log.json, dictionary and schema."""
PACKER = Packer(built_in())
TRACEME, SYSCALL = 0, 24
_ptrace = ctypes.CDLL(None, use_errno=True).ptrace


def main() -> None:
    home = Path(sys.argv[1])
    base, work = home / "base", home / "work"
    contract()  # made once, and not in each process
    writer = LogWriter(Folder(base), KEY, ABOUT)
    writer.append([document_leaf("rules", "text/plain", b"before")] * EARLIER)
    writer.append([document_leaf("rules", "text/plain", b"before")] * (BEFORE - EARLIER))
    stops = 0
    while True:
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(base, work)
        killed = killed_at(stops + 1, lambda: append(work, "first"))
        roots = signed_roots(work)
        check(work)
        append(work, "second")  # as if other rounds had been complete by now
        check(work)
        assert not list(work.glob("tile/*/000.p/2*")), "partial tiles are left"
        for size, root in signed_roots(work).items():
            assert roots.setdefault(size, root) == root, f"two trees of {size} entries were signed"
        if not killed:
            break
        stops += 1
    print(f"killed at {stops} stops, before and after each system call")


def append(home: Path, name: str) -> None:
    writer = LogWriter(Folder(home), KEY, ABOUT)
    if writer.size > BEFORE:
        return
    part = Part()
    for number in range(ADDED - 3):
        leaf = leaf_of(name, number)
        writer.store.write(layout.leaf(leaf.sha256), PACKER.pack(leaf))
        part.entries[0].append(leaf.entry)
    writer.store.sync()
    Signing(writer).add([part])


def leaf_of(name: str, number: int) -> Leaf:
    record = Stored(0, number, 0, name.encode(), (), b"")
    (leaf,) = remainder_leaves(Remainder(0, number, number + 1, (record,)))
    return leaf


def check(home: Path) -> None:
    """What a reader finds is one whole, signed tree: that of before, or that with all added."""
    store = Folder(home)
    checkpoint = newest(store, ABOUT.origin)
    assert checkpoint is not None
    assert checkpoint.size in (BEFORE, BEFORE + ADDED)
    note = Note.parse((home / layout.CHECKPOINT).read_bytes())
    assert note.signed_by(KEY.public)
    edge = Edge()
    for index in range(-(-checkpoint.size // 256)):
        width = min(256, checkpoint.size - 256 * index)
        for entry in bundle(store, index, width):
            edge.append(leaf_hash(entry))
    assert edge.root() == checkpoint.root
    texts = []
    for manifest in manifests(store, checkpoint.size):
        data = leaf_data(store, manifest.sha256, manifest.length)
        assert sha256(data).digest() == manifest.sha256
        texts.append(data)
    added = texts[BEFORE:]
    assert len(texts) == checkpoint.size
    assert len(set(added)) == len(added)


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
