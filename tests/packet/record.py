"""Record the golden packet: `python -m tests.packet.record`, for a new format alone.

What was recorded once is verified for ever.
"""

import base64
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitledger.archive.note import ED25519, PublicKey, SecretKey
from pitledger.sources.file import write_file
from services.packet.making import make_packet
from services.storage.folder import Folder
from services.storage.index import Index
from tests.golden.rounds import recorded
from tests.kit.log import PARTITIONS
from tests.packet.conftest import call

HOME = Path(__file__).parents[1] / "golden" / "packets"
ROUND = "saigon_card_corrected_after_the_exposure"
MADE_AT_US = 1_800_000_000_000_000
_NAME, _SEED = "casino.example/golden", bytes(range(32))


def golden_key() -> SecretKey:
    """The same each time: it keeps nothing secret."""
    raw = Ed25519PrivateKey.from_private_bytes(_SEED).public_key().public_bytes_raw()
    id_ = PublicKey(_NAME, ED25519, raw).id.hex()
    seed = base64.b64encode(ED25519 + _SEED).decode()
    return SecretKey.parse(f"PRIVATE+KEY+{_NAME}+{id_}+{seed}")


def main() -> None:
    with TemporaryDirectory() as folder:
        home = Path(folder)
        write_file(home / "journal", recorded(ROUND))
        key = golden_key()
        (home / "key").write_text(key.text())
        call("archive", "--from", home / "journal", "--partitions", PARTITIONS,
             "-o", home / "archive", "--key", home / "key")
        store = Folder(home / "archive")
        index = Index.open(store, home / "index")
        index.update()
        packet = make_packet(store, index, "T1/1", key, None, MADE_AT_US, "golden")
    (HOME / "1.zip").write_bytes(packet.data)
    (HOME / "1.pub").write_text(f"{key.public}\n")


if __name__ == "__main__":
    main()
