"""Record the golden rounds that are not there yet: `python -m tests.golden.record`.

A journal that is there is never written again: it is what the decisions of its adjudication
version were, byte for byte, and every later build must derive the same.
"""

from pathlib import Path

from pitledger.replay import replay_all
from pitledger.sources.file import write_file
from tests.golden.rounds import ROUNDS, recorded
from tests.kit.log import PARTITIONS

FOLDER = Path(__file__).parent


def record_missing(folder: Path = FOLDER) -> list[Path]:
    """Write each golden round that has no file; return the new ones."""
    written = []
    for name in ROUNDS:
        path = folder / f"{name}.journal"
        if path.exists():
            print(f"{path.name}: is there; golden journals are never written again")
            continue
        records = recorded(name)
        assert all(report.identical for report in replay_all(records, PARTITIONS)), name
        print(f"{path.name}: {write_file(path, records)} records")
        written.append(path)
    return written


if __name__ == "__main__":
    record_missing()
