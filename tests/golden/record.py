"""Record the golden rounds that are not there yet: `python -m tests.golden.record`.

`v1/` holds the journals of rounds under adjudication version 1, `v2/` those under the next, for
every version that this build plays; `manifest.json` says what each was. A journal that is there is
never written again: it is what the decisions of its version were, byte for byte, and every later
build must derive the same.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from pitledger.derive import LATEST_VERSION
from pitledger.journal.record import Stored
from pitledger.replay import replay_all
from pitledger.sources.file import read_file, write_file
from tests.golden.rounds import ROUNDS, recorded
from tests.kit.log import PARTITIONS
from tests.kit.reading import read

FOLDER = Path(__file__).parent / "v1"


def record_missing(version: int, folder: Path) -> list[Path]:
    """Write each golden round that has no file, and note it; return the new ones."""
    folder.mkdir(exist_ok=True)
    written = []
    for name in ROUNDS:
        path = folder / f"{name}.journal"
        if path.exists():
            print(f"{folder.name}/{path.name}: is there, and is never written again")
            continue
        records = recorded(name, version)
        assert all(report.identical for report in replay_all(records, PARTITIONS)), name
        print(f"{folder.name}/{path.name}: {write_file(path, records)} records")
        written.append(path)
    noted = manifest(folder)
    noted |= {path.name: described(path) for path in written}
    (folder / "manifest.json").write_text(json.dumps(noted, indent=1, sort_keys=True) + "\n")
    return written


def manifest(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """What was noted of each journal when it was recorded."""
    path = folder / "manifest.json"
    return json.loads(path.read_text()) if path.exists() else {}


def described(path: Path) -> dict[str, Any]:
    """A journal's own digest, and that of the decisions which this build derives from it."""
    decisions = derived(read_file(path))
    digest = sha256(b"".join(sha256(value).digest() for value in decisions))
    return {
        "sha256": sha256(path.read_bytes()).hexdigest(),
        "decisions": len(decisions),
        "decisions_sha256": digest.hexdigest(),
    }


def derived(records: Iterable[Stored]) -> list[bytes]:
    """The bytes of every decision that the facts derive, in this order."""
    return [decision.value for decision in read(records).decisions]


if __name__ == "__main__":
    for version in range(1, LATEST_VERSION + 1):
        record_missing(version, FOLDER.parent / f"v{version}")
