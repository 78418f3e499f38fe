"""What a packet proves, and what it reads of an archive for that."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.merkle import Edge, inclusion_proof, leaf_hash, root_of_perfect, subtree_hash
from pitledger.archive.store import BadArchive
from services.cli.new_key import new_key
from services.packet.evidence import Sealed
from services.packet.proofs import root_by, tlog_proof
from services.storage.folder import Folder

SIZES = st.integers(1, 200)


def tree(size: int):
    """Entries, and the hash of any perfect subtree over them."""
    entries = [b"entry %d" % number for number in range(size)]
    hashes = [leaf_hash(entry) for entry in entries]

    def node(level: int, index: int) -> bytes:
        return root_of_perfect(hashes[index << level : index + 1 << level])

    return entries, node


@given(SIZES, st.data())
def test_a_proof_leads_to_the_root_and_a_changed_one_does_not(size, data):
    index = data.draw(st.integers(0, size - 1))
    entries, node = tree(size)
    path = inclusion_proof(index, size, node)
    root = subtree_hash(0, size, node)

    assert root_by(index, size, entries[index], path) == root
    assert root_by(index, size, entries[index] + b"x", path) != root
    assert root_by(index, size, entries[index], [*path, bytes(32)]) != root
    if path:
        assert root_by(index, size, entries[index], path[:-1]) != root
        assert root_by(index, size, entries[index], [bytes(32), *path[1:]]) != root


def test_a_proof_is_text_as_c2sp_has_it():
    note = "origin\n9\nroot\n\n\N{EM DASH} name sig\n"
    text = tlog_proof(7, [bytes(32), b"\xff" * 32], note.encode())

    assert text.decode().split("\n") == [
        "c2sp.org/tlog-proof@v1",
        "index 7",
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "/" * 42 + "8=",
        "",
        "origin",
        "9",
        "root",
        "",
        "\N{EM DASH} name sig",
        "",
    ]


class Counting(Folder):
    """Counts what is read, by the first part of its key."""

    def __init__(self, home):
        super().__init__(home)
        self.read_of = Counter()

    def read(self, key):
        self.read_of[key.partition("/")[0]] += 1
        return super().read(key)


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """70,000 entries would be three levels of tiles; 1,500 are two."""
    home = tmp_path_factory.mktemp("wide")
    key = new_key("casino.example/wide")
    writer = LogWriter(Folder(home), key, About(key.name, "test.journal", 48))
    writer.append([document_leaf("rules", "text/plain", b"%d" % n) for n in range(1_500)])
    return home


@pytest.mark.parametrize("index", [0, 1, 255, 256, 1_023, 1_279, 1_280, 1_499])
def test_an_entrys_proof_reads_the_tiles_on_its_path_and_no_other(wide, index):
    store = Counting(wide)

    piece = Sealed.open(store).piece("x", index)

    assert piece.proof.startswith(b"c2sp.org/tlog-proof@v1\nindex %d\n" % index)
    assert store.read_of["tile"] <= 4  # its bundle, its tile, the tile above, the last tile
    assert store.read_of["leaf"] == 1


def test_an_entry_whose_hashes_lead_elsewhere_is_not_handed_out(wide, tmp_path):
    class Lying(Folder):
        def read(self, key):
            data = super().read(key)
            return bytes(len(data)) if key.startswith("tile/1/") else data

    with pytest.raises(BadArchive, match="do not lead to the root"):
        Sealed.open(Lying(wide)).piece("x", 3)


def test_the_edge_and_the_proofs_agree_on_the_root():
    edge = Edge()
    entries, node = tree(100)
    for entry in entries:
        edge.append(leaf_hash(entry))

    assert edge.root() == subtree_hash(0, 100, node)
