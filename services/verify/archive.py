"""A whole archive, from its signature down to the records, entry by entry in their order."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.verify import tiles
from services.verify.about import About
from services.verify.coverage import Coverage
from services.verify.entries import Entry, named
from services.verify.faults import Bad
from services.verify.files import Folder
from services.verify.leaves import check_remainder, check_round, leaf_bytes, records_of
from services.verify.note import Key
from services.verify.signed import newest_of, read_signed
from services.verify.tiles import WIDTH
from services.verify.tree import Growing, leaf_hash, root_of


@dataclass(slots=True)
class Report:
    """What was verified. `root`: SHA-256; `records`: without the copies at the ends of rounds."""

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


def verify(files: Folder, key: Key, witnesses: Sequence[Key]) -> Report:
    """Raises Bad with the first thing that is wrong, BadInput where there is nothing to verify."""
    about = About.read(files)
    # In this order: a writer may go on meanwhile, and what is newest then is newer than these.
    sizes = files.numbers("checkpoints")
    newest = newest_of(files, about.origin, key, witnesses)
    if sizes and sizes[-1] > newest.size:
        raise Bad(f"checkpoint: is of {newest.size} entries, and checkpoints/{sizes[-1]} is newer")
    signed = _Signed(files, about.origin, key, {*sizes, newest.size})
    report = Report(newest.origin, newest.size, newest.root, checkpoints=len(signed.sizes))
    tree, coverage = Growing(), Coverage()
    signed.compare(tree)
    for entry, hash_ in _Tiles(files, newest.size).entries():
        tree.append(hash_)
        signed.compare(tree)
        _check(files, about, entry, coverage, report)
    report.offsets, report.partitions = coverage.offsets(), coverage.partitions()
    return report


@dataclass(slots=True)
class _Signed:
    """The signed checkpoints; the newest is one of them. The tree grows through all of them."""

    files: Folder
    origin: str
    key: Key
    sizes: set[int]
    agreed: int = 0

    def compare(self, tree: Growing) -> None:
        """Raises Bad where the tree has not the root that was signed at its size."""
        if tree.size not in self.sizes:
            return
        checkpoint = read_signed(self.files, tree.size, self.origin, self.key)
        if checkpoint.root != tree.root():
            raise Bad(
                f"checkpoints/{tree.size}: its root is not that of the {tree.size} entries;"
                f" the first {self.agreed} are as a checkpoint before says"
            )
        self.agreed = tree.size


def _check(files: Folder, about: About, entry: Entry, coverage: Coverage, report: Report) -> None:
    """The bytes of an entry."""
    leaf = entry.leaf
    kind = leaf.WhichOneof("kind")
    if kind is None:
        entry.bad("is of a kind that is not known here")
    data = leaf_bytes(files, entry)
    if kind == "document":
        if not leaf.document.name:
            entry.bad("has no name")
        report.documents += 1
        return
    records = list(records_of(entry, data))
    if kind == "round":
        about.check_partition(entry, leaf.round.partition)
        check_round(entry, records)
        coverage.take_round(entry, records)
        report.rounds += 1
        report.records += len(leaf.round.offsets)
    else:
        about.check_partition(entry, leaf.remainder.partition)
        check_remainder(entry, records)
        coverage.take_remainder(entry, records)
        report.remainders += 1
        report.records += len(records)


class _Tiles:
    """All tiles of a tree, each hash in them computed anew from the entries upwards."""

    def __init__(self, files: Folder, size: int) -> None:
        self._files, self._size = files, size
        self._open: list[list[bytes]] = []  # of each level, the hashes of the tile that is open

    def entries(self) -> Iterator[tuple[Entry, bytes]]:
        """Each entry with its hash, its bundle and level-0 tile being good. Raises Bad."""
        for index in range(-(-self._size // WIDTH)):
            width = min(WIDTH, self._size - index * WIDTH)
            found, whole = tiles.read_bundle(self._files, index, width)
            hashes = self._compare(index, width, found, whole)
            self._check_narrower_bundles(index, found)
            for at, (data, hash_) in enumerate(zip(found, hashes, strict=True)):
                yield Entry.parse(index * WIDTH + at, data), hash_
            self._push(1, index, hashes)
        for level, hashes in enumerate(self._open, 1):
            if hashes:
                self._check_tile(level, (self._size >> 8 * level) // WIDTH, hashes)

    def _compare(self, index: int, width: int, found: list[bytes], whole: bool) -> list[bytes]:
        """A bundle with the tile above it, entry by entry."""
        key = tiles.tile_key("entries", index, width)
        tile = tiles.tile_key(0, index, width)
        expected = tiles.read_tile(self._files, 0, index, width)
        hashes = [leaf_hash(data) for data in found]
        for at, (hash_, above) in enumerate(zip(hashes, expected, strict=False)):
            if hash_ != above:
                number = index * WIDTH + at
                raise Bad(f"{named(number, found[at])}: {key} and {tile} do not agree")
        if len(found) < width:
            raise Bad(f"entry {index * WIDTH + len(found)}: {key} is cut short")
        if len(found) > width or not whole:
            raise Bad(f"{key}: holds more than {width} entries")
        self._check_narrower(0, index, hashes)
        return hashes

    def _check_narrower_bundles(self, index: int, entries: list[bytes]) -> None:
        for width in tiles.widths(self._files, "entries", index, len(entries)):
            if tiles.read_bundle(self._files, index, width) != (entries[:width], True):
                key = tiles.tile_key("entries", index, width)
                raise Bad(f"{key}: its entries are not those of the wider bundle")

    def _push(self, level: int, index: int, hashes: list[bytes]) -> None:
        """A tile is complete: its root is a hash of the level above."""
        if len(hashes) < WIDTH:
            return
        if len(self._open) < level:
            self._open.append([])
        row = self._open[level - 1]
        row.append(root_of(hashes))
        if len(row) == WIDTH:
            self._open[level - 1] = []
            self._check_tile(level, index // WIDTH, row)
            self._push(level + 1, index // WIDTH, row)

    def _check_tile(self, level: int, index: int, hashes: list[bytes]) -> None:
        found = tiles.read_tile(self._files, level, index, len(hashes))
        for at, (hash_, computed) in enumerate(zip(found, hashes, strict=True)):
            if hash_ != computed:
                key = tiles.tile_key(level, index, len(hashes))
                raise Bad(f"{key}: hash {at} is not that of the tile below it")
        self._check_narrower(level, index, hashes)

    def _check_narrower(self, level: int, index: int, hashes: list[bytes]) -> None:
        for width in tiles.widths(self._files, level, index, len(hashes)):
            if tiles.read_tile(self._files, level, index, width) != hashes[:width]:
                raise Bad(f"{tiles.tile_key(level, index, width)}: is not what the tree grew from")
