"""What explains the records, and what is said about the archive: documents in its log."""

import json
import re
from hashlib import sha256

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError

from pitledger.pb.facts_pb2 import RoundOpened
from pitledger.pb.rules_pb2 import RulesSubmission
from services.verify import deletions, long_rounds
from services.verify.entries import Entry
from services.verify.faults import Bad
from services.verify.files import Folder
from services.verify.keys import Statement
from services.verify.note import LONGEST
from services.verify.unpack import Unpacker
from services.verify.wire import parsed

_ONCE = {"schema", "rules", "log", "dictionary", "key-statement", long_rounds.NAME}
_NEEDED = ("pitledger.v1.StoredRecord", "pitledger.v1.JournalRecord", "pitledger.v1.ArchiveLeaf")
_SCHEMA_MAX = _HOLD_MAX = 1 << 20
_HOLD = re.compile("[a-z0-9][a-z0-9-]{0,63}")


class Documents:
    """Takes a log's documents in their order. `log`: the bytes of log.json.

    `unreadable`: rules that are no RulesSubmission; a round may open with such, and be voided.
    """

    def __init__(self, files: Folder, unpacker: Unpacker, log: bytes) -> None:
        self.unreadable = 0
        self._files, self._unpacker, self._log = files, unpacker, log
        self._seen: set[tuple[str, bytes]] = set()
        self._held: set[str] = set()
        self._released: set[str] = set()

    @property
    def holds(self) -> int:
        """How many are placed and not released."""
        return len(self._held - self._released)

    def take(self, entry: Entry, data: bytes) -> None:
        """Raises Bad."""
        name = entry.leaf.document.name
        key = name, entry.leaf.sha256
        if name in _ONCE and key in self._seen:
            entry.bad("is there a second time")
        self._seen.add(key)
        match name:
            case "":
                entry.bad("has no name")
            case "log" if data != self._log:
                entry.bad("log.json: is not what was sealed")
            case "rules":
                self.unreadable += not is_rules(data)
            case "schema" if not is_schema(data):
                entry.bad("is no schema of journal and archive")
            case "dictionary":
                self._unpacker.add_dictionary(entry, data)
            case "key-statement":
                self._statement(entry, data)
            case "hold":
                self._hold(entry, data)
            case deletions.NAME:
                deletions.listed(entry, data)

    def check_rules(self, entry: Entry, opened: RoundOpened) -> None:
        """That the rules that a round carries lie in the log before it. Raises Bad."""
        digest = sha256(opened.submission).digest()
        if ("rules", digest) not in self._seen:
            entry.bad(f"its rules, {digest.hex()}, are no document before it")

    def check_explained(self) -> None:
        """At the end of a log that holds records, that it says what it is. Raises Bad."""
        names = {name for name, _digest in self._seen}
        for name in ("log", "schema"):
            if name not in names:
                raise Bad(f"the log holds records, and no document {name!r} that explains them")

    def _statement(self, entry: Entry, data: bytes) -> None:
        name = f"keys/{entry.leaf.sha256.hex()}"
        try:
            Statement.parse(name, data)
            self._files.must_read(name, LONGEST)
        except Bad as problem:
            entry.bad(str(problem))

    def _hold(self, entry: Entry, data: bytes) -> None:
        """A legal hold, or its release: it lies beside the log as well, as it was sealed."""
        try:
            said = json.loads(data if len(data) <= _HOLD_MAX else b"")
            id_, is_release = said["id"], said.get("release") is True
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            entry.bad("is no legal hold, nor a release")
        if type(id_) is not str or not _HOLD.fullmatch(id_):
            entry.bad("is no legal hold, nor a release")
        name = f"holds/{id_}{'.release' if is_release else ''}.json"
        if self._files.read(name, _HOLD_MAX) != data:
            entry.bad(f"{name}: is missing, or is not what was sealed")
        (self._released if is_release else self._held).add(id_)


def is_rules(data: bytes) -> bool:
    try:
        parsed(RulesSubmission, data)
    except DecodeError:
        return False
    return True


def is_schema(data: bytes) -> bool:
    """Whether what an archive consists of can be read with it alone."""
    if len(data) > _SCHEMA_MAX:
        return False
    try:
        pool = DescriptorPool()
        for file in parsed(FileDescriptorSet, data).file:
            pool.Add(file)
        for name in _NEEDED:
            pool.FindMessageTypeByName(name)
    except (DecodeError, TypeError, KeyError):
        return False
    return True
