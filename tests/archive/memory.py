"""An archive's store in memory, and archives of a journal that was read in pieces."""

from pitledger.archive.log import About, LogWriter
from services.archivist.sealing import Sealing
from services.cli.new_key import new_key
from tests.archive.conftest import PARTITIONS

KEY = new_key("casino.example/floor")
ABOUT = About(KEY.name, "pitledger.journal.v1", PARTITIONS)


class Memory:
    """Nothing of it outlives the process."""

    def __init__(self):
        self.files = {}

    def lock(self):
        pass

    def read(self, key):
        return self.files.get(key)

    def names(self, folder):
        below = (key.removeprefix(f"{folder}/") for key in self.files if key.startswith(folder))
        return sorted(name for name in below if "/" not in name)

    def create(self, key, data):
        return self.files.setdefault(key, data) == data

    def write(self, key, data):
        self.files[key] = data

    def sync(self):
        pass

    def delete(self, key):
        self.files.pop(key, None)


def sealed(store, records, seal_at=(), then=lambda: None, about=ABOUT):
    """Seal a journal's records, also after each of these numbers of them; `then`: after each."""
    sealing = Sealing(LogWriter(store, KEY, about), about.partitions)
    begun = set()
    for count, stored in enumerate(records):
        if count in seal_at:
            sealing.seal()
            then()
        if stored.partition not in begun:
            begun.add(stored.partition)
            sealing.begin(stored.partition, stored.offset)
        sealing.take(stored)
    sealing.seal()
    then()
    return store
