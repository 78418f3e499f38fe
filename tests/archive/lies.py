"""An archivist who lies: leaves falsified consistently, and sealed with the right key."""

from hashlib import sha256

from pitledger.archive.leaves import Leaf, offsets_of
from pitledger.archive.log import LogWriter, leaf_data, manifests, newest
from pitledger.journal.stored import messages_from, stored_of, to_bytes
from pitledger.pb.archive_pb2 import ArchiveLeaf
from tests.archive.memory import ABOUT, KEY


class Book:
    """The entries of an archive, to be falsified; numbers are those of its entries."""

    def __init__(self, store):
        size = newest(store, ABOUT.origin).size
        self.manifests = list(manifests(store, size))
        self.records = {
            number: [stored_of(message) for message in messages_from(data)]
            for number, leaf in enumerate(self.manifests)
            if not leaf.HasField("document")
            for data in [leaf_data(store, leaf.sha256, leaf.length)]
        }
        self.documents = {
            number: leaf_data(store, leaf.sha256, leaf.length)
            for number, leaf in enumerate(self.manifests)
            if leaf.HasField("document")
        }

    def rounds(self):
        """Their numbers."""
        return [n for n, leaf in enumerate(self.manifests) if leaf.HasField("round")]

    def remainder_at(self, partition, offset):
        return next(
            number
            for number, leaf in enumerate(self.manifests)
            if leaf.HasField("remainder")
            and leaf.remainder.partition == partition
            and leaf.remainder.first <= offset < leaf.remainder.end
        )

    def find(self, kind):
        """A round's number and a record of this kind in it, no copy."""
        for number in self.rounds():
            copied = self.manifests[number].round.copied
            for stored in self.records[number][1:]:
                if kind_of(stored) == kind and stored.offset != copied:
                    return number, stored
        raise AssertionError(f"no {kind}")

    def hide(self, number, stored):
        """Move a record from a round into the remainder."""
        self.records[number].remove(stored)
        rest = self.records[self.remainder_at(stored.partition, stored.offset)]
        rest.append(stored)
        rest.sort(key=lambda each: each.offset)

    def claim(self, number, stored):
        """Move a record from the remainder into a round."""
        self.records[self.remainder_at(stored.partition, stored.offset)].remove(stored)
        self.records[number].append(stored)
        self.records[number].sort(key=lambda each: each.offset)

    def sealed(self, store, about=ABOUT):
        """An archive of what is in the book now."""
        leaves = []
        for number, manifest in enumerate(self.manifests):
            if manifest.HasField("document"):
                leaves.append(made(manifest, self.documents[number]))
                continue
            records = self.records[number]
            if manifest.HasField("round"):
                own = [r.offset for r in records if r.offset != copied_in(manifest)]
                if own != offsets_of(manifest.round):
                    gaps = zip(own, [0, *own], strict=False)
                    manifest.round.offsets[:] = [after - before for after, before in gaps]
            leaves.append(made(manifest, b"".join(map(to_bytes, records))))
        LogWriter(store, KEY, about).append(leaves)
        return store


def made(manifest, data):
    manifest = ArchiveLeaf.FromString(manifest.SerializeToString())
    manifest.sha256, manifest.length = sha256(data).digest(), len(data)
    return Leaf(manifest.SerializeToString(deterministic=True), manifest.sha256, data)


def copied_in(manifest):
    return manifest.round.copied if manifest.round.HasField("copied") else None


def kind_of(stored):
    return (dict(stored.headers).get("ce_type") or b"").decode(errors="replace").rpartition(".")[2]
