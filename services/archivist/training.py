"""Trains the dictionary anew, from simulated rounds: `python -m services.archivist.training`.

It gives the same bytes each time, as long as neither the simulated floor nor zstd changes.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from zstandard import train_dictionary

from pitledger.archive.collect import Collector
from pitledger.archive.leaves import round_leaf
from pitledger.sources.file import read_file
from services.archivist.dictionary import NAME
from services.simulation import simulate
from services.simulation.driver import PARTITIONS

_SIZE = 64 << 10
"""Bytes. With twice as many a round takes as much; with half as many 1 % more."""
_SEEDS, _ROUNDS, _TABLES = range(1001, 1013), 200, 5
"""Many small floors: the names of one, of its patrons and dealers, are of no use to another."""
_SEGMENT, _DMER = 1024, 8
"""Of zstd's trainer. Given, so that it does not search: that gains nothing and takes longer."""


def trained() -> bytes:
    samples: list[bytes | bytearray | memoryview] = []
    with TemporaryDirectory() as home:
        for seed in _SEEDS:
            samples += _rounds(seed, Path(home) / "journal")
    return train_dictionary(_SIZE, samples, k=_SEGMENT, d=_DMER).as_bytes()


def _rounds(seed: int, path: Path) -> list[bytes]:
    simulate(("saigon5", "five_card_hi_lo"), _TABLES, _ROUNDS, seed, False, path)
    collector = Collector(PARTITIONS)
    for partition in range(PARTITIONS):
        collector.begin(partition, 0)
    transcripts = (each for stored in read_file(path) for each in collector.take(stored))
    return [round_leaf(transcript).data for transcript in transcripts]


if __name__ == "__main__":
    Path(__file__).with_name(NAME).write_bytes(trained())
