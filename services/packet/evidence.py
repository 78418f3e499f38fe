"""What proves a round: entries of the log, their bytes, their inclusion under one checkpoint."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from pitledger.archive import layout
from pitledger.archive.leaves import parse_manifest
from pitledger.archive.log import About, leaf_data
from pitledger.archive.long_rounds import is_long_round, round_of
from pitledger.archive.merkle import WIDTH
from pitledger.archive.note import Checkpoint
from pitledger.archive.signed import Signed, read_signed
from pitledger.archive.store import BadArchive, Store
from pitledger.archive.tiles import Tiles, bundle
from pitledger.pb.archive_pb2 import ArchiveLeaf
from services.packet.faults import NoPacket
from services.packet.proofs import root_by, tlog_proof


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry of the log. `data`: the bytes that it tells of, uncompressed.

    Of a round too long for a leaf the entry is of the document `told`, which has its `leaf`.
    """

    name: str
    index: int
    entry: bytes
    leaf: ArchiveLeaf
    data: bytes
    proof: bytes
    told: bytes = b""

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Name in the packet, and bytes."""
        yield f"evidence/{self.name}.entry", self.entry
        yield f"evidence/{self.name}.bytes", self.data
        yield f"evidence/{self.name}.proof", self.proof
        if self.told:
            yield f"evidence/{self.name}.manifest", self.told


@dataclass(frozen=True, slots=True)
class Sealed:
    """An archive under its newest checkpoint. Raises BadArchive, StoreError."""

    store: Store
    about: About
    signed: Signed
    _tiles: Tiles
    _bundles: dict[int, list[bytes]] = field(default_factory=dict)

    @property
    def checkpoint(self) -> Checkpoint:
        return self.signed.checkpoint

    @classmethod
    def open(cls, store: Store) -> "Sealed":
        """Raises NoPacket where nothing is sealed."""
        about = About.parse(_must_read(store, layout.LOG))
        signed = read_signed(store, layout.CHECKPOINT, about.origin)
        if signed is None:
            raise NoPacket("nothing is sealed there yet")
        # Witnesses add their lines there: `checkpoint` may be a newer one by then.
        with suppress(BadArchive):
            cosigned = read_signed(store, layout.signed_checkpoint(signed.size))
            if cosigned is not None and cosigned.note.text == signed.note.text:
                signed = cosigned
        return cls(store, about, signed, Tiles(store, signed.size))

    def piece(self, name: str, index: int) -> Piece:
        """An entry, checked: its bytes by their hash, its proof against the checkpoint."""
        entry = self._entry(index)
        path = self._tiles.includes(index)
        if root_by(index, self.checkpoint.size, entry, path) != self.checkpoint.root:
            raise BadArchive(f"entry {index}: its hashes do not lead to the root that was signed")
        leaf, data = self.leaf(index)
        return Piece(name, index, entry, leaf, data, tlog_proof(index, path, self.signed.data))

    def round(self, index: int) -> Piece:
        """A round's entry, checked; its bytes, wherever they lie."""
        piece = self.piece("round", index)
        if not is_long_round(piece.leaf):
            return piece
        leaf, data = round_of(self.store, self.checkpoint.size, index, piece.leaf)
        return replace(piece, leaf=leaf, data=data, told=piece.data)

    def leaf(self, index: int) -> tuple[ArchiveLeaf, bytes]:
        """An entry's manifest and its bytes, as their hash says."""
        leaf = parse_manifest(index, self._entry(index))
        return leaf, leaf_data(self.store, leaf.sha256, leaf.length)

    def _entry(self, index: int) -> bytes:
        size = self.checkpoint.size
        if not 0 <= index < size:
            raise NoPacket(f"entry {index} is not under the checkpoint of {size} entries")
        number = index // WIDTH
        if number not in self._bundles:
            width = min(WIDTH, size - number * WIDTH)
            self._bundles[number] = bundle(self.store, number, width)
        return self._bundles[number][index % WIDTH]


def _must_read(store: Store, key: str) -> bytes:
    data = store.read(key)
    if data is None:
        raise BadArchive(f"{key}: is missing")
    return data
