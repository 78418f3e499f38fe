"""A whole archive, from its signature down to the records, entry by entry in their order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.verify import long_rounds
from services.verify.about import About
from services.verify.coverage import Coverage
from services.verify.deletions import Deletions
from services.verify.documents import Documents
from services.verify.entries import Entry
from services.verify.faults import Bad, BadInput
from services.verify.files import Folder
from services.verify.keys import Keys, Statement
from services.verify.leaves import (
    check_offsets,
    check_round,
    check_span,
    of_remainder,
    records_of,
)
from services.verify.named import Named
from services.verify.note import LONGEST, Key
from services.verify.signed import newest_of, read_signed, turn_of
from services.verify.tree import Growing
from services.verify.unpack import Unpacker
from services.verify.walk import Walk


@dataclass(slots=True)
class Report:
    """What was verified. `root`: SHA-256; `records`: without the copies at the ends of rounds.

    `keys`: that signed, one after the other. `deleted`: leaves whose bytes are gone, as a later
    entry says; what they held is not in `records`. `holds`: in force. `unreadable_rules`: of rounds
    that opened with bytes that are no rules. `unnamed`: files beside the leaves, and one of them.
    """

    origin: str
    size: int
    root: bytes
    rounds: int = 0
    remainders: int = 0
    documents: int = 0
    records: int = 0
    offsets: int = 0
    partitions: int = 0
    checkpoints: int = 0
    keys: int = 1
    deleted: int = 0
    holds: int = 0
    unreadable_rules: int = 0
    unnamed: int = 0
    unnamed_file: str = ""


def verify(files: Folder, given: Key, witnesses: Sequence[Key]) -> Report:
    """Raises Bad with the first thing that is wrong, BadInput where there is nothing to verify."""
    about = About.read(files)
    keys = keys_of(files, given)
    # In this order: a writer may go on meanwhile, and what is newest then is newer than these.
    sizes = files.numbers("checkpoints")
    if not sizes and files.read("checkpoint", LONGEST) is None:
        raise BadInput("nothing is sealed there yet")
    newest = newest_of(files, about.origin, keys, witnesses)
    keys.check(about.origin)
    if sizes and sizes[-1] > newest.size:
        raise Bad(f"checkpoint: is of {newest.size} entries, and checkpoints/{sizes[-1]} is newer")
    signed = _Signed(files, about.origin, keys, {*sizes, newest.size})
    report = Report(newest.origin, newest.size, newest.root, checkpoints=len(signed.sizes))
    judge, tree = _Judge.of(files, about, newest.size, report), Growing()
    signed.compare(tree)
    for entry, hash_ in Walk(files, newest.size).entries():
        tree.append(hash_)
        signed.compare(tree)
        judge.take(entry)
    judge.end()
    report.keys = len(signed.turns)
    report.unnamed, report.unnamed_file = judge.named.others(files)
    return report


def keys_of(files: Folder, given: Key) -> Keys:
    """By the statements that lie in an archive. Raises Bad for one that is forged or damaged."""
    names = [f"keys/{name}" for name in files.names("keys") if Statement.is_named(name)]
    return Keys.of(given, {name: files.must_read(name, LONGEST) for name in names})


@dataclass(slots=True)
class _Signed:
    """The signed checkpoints; the newest is one of them. The tree grows through all of them."""

    files: Folder
    origin: str
    keys: Keys
    sizes: set[int]
    agreed: int = 0
    turns: list[int] = field(default_factory=list)
    """Of the keys that signed, in the order of the log's keys."""

    def compare(self, tree: Growing) -> None:
        """Raises Bad where the tree has not the root that was signed at its size."""
        if tree.size not in self.sizes:
            return
        checkpoint = read_signed(self.files, tree.size, self.origin, self.keys)
        if checkpoint.root != tree.root():
            raise Bad(
                f"checkpoints/{tree.size}: its root is not that of the {tree.size} entries;"
                f" the first {self.agreed} are as a checkpoint before says"
            )
        self._take_turn(tree.size, turn_of(checkpoint, self.keys))
        self.agreed = tree.size

    def _take_turn(self, size: int, turn: int) -> None:
        if self.turns[-1:] == [turn]:
            return
        if self.turns and turn < self.turns[-1]:
            raise Bad(
                f"checkpoints/{size}: is signed by a key whose place another had taken"
                f" in the one of {self.agreed} entries"
            )
        self.turns.append(turn)


@dataclass(slots=True)
class _Judge:
    """The bytes of each entry, in their order. Raises Bad."""

    files: Folder
    about: About
    unpacker: Unpacker
    documents: Documents
    deletions: Deletions
    coverage: Coverage
    named: Named
    report: Report

    @classmethod
    def of(cls, files: Folder, about: About, size: int, report: Report) -> "_Judge":
        unpacker = Unpacker()
        documents = Documents(files, unpacker, about.data)
        deletions = Deletions(files, unpacker, size)
        return cls(files, about, unpacker, documents, deletions, Coverage(), Named(), report)

    def take(self, entry: Entry) -> None:
        kind = entry.leaf.WhichOneof("kind")
        if kind is None:
            entry.bad("is of a kind that is not known here")
        data = self.unpacker.leaf(self.files, entry)
        self.named.add(entry.leaf.sha256)
        if data is None:
            self.deletions.check(entry)
            self.report.deleted += 1
        match kind:
            case "round":
                self._round(entry, data)
            case "remainder":
                self._remainder(entry, data)
            case "document":
                self._document(entry, data)

    def end(self) -> None:
        """After the last entry."""
        report, coverage = self.report, self.coverage
        coverage.end()
        if report.rounds or report.remainders:
            self.documents.check_explained()
        report.offsets, report.partitions = coverage.offsets(), coverage.partitions()
        report.unreadable_rules = self.documents.unreadable
        report.holds = self.documents.holds

    def _round(self, entry: Entry, data: bytes | None) -> None:
        self.about.check_partition(entry, entry.leaf.round.partition)
        check_offsets(entry)
        ends = None if data is None else check_round(entry, records_of(entry, data))
        if ends is not None:
            self.documents.check_rules(entry, ends.opened)
            self.report.records += len(entry.leaf.round.offsets)
        self.coverage.take_round(entry, ends)
        self.report.rounds += 1

    def _remainder(self, entry: Entry, data: bytes | None) -> None:
        self.about.check_partition(entry, entry.leaf.remainder.partition)
        check_span(entry)
        records = None if data is None else of_remainder(entry, records_of(entry, data))
        self.report.records += self.coverage.take_remainder(entry, records)
        self.report.remainders += 1

    def _document(self, entry: Entry, data: bytes | None) -> None:
        if data is None:
            entry.bad("documents are not deleted, and its bytes are gone")
        self.documents.take(entry, data)
        self.report.documents += 1
        if entry.leaf.document.name == long_rounds.NAME:
            round_ = long_rounds.told(entry, data)
            self.about.check_partition(round_, round_.leaf.round.partition)
            self.coverage.check_behind(round_)
