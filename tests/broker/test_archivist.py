"""The archivist as a process: what is played is sealed while it is played, whatever ends it."""

import subprocess
import sys
from collections import Counter

import pytest

from pitledger.archive.log import leaf_data, manifests, newest
from pitledger.archive.note import SecretKey
from pitledger.journal.stored import messages_from
from pitledger.sources.topics import create_topics
from services.archivist.folder import Folder
from services.runtime.settings import OWNERS
from tests.broker.rig import ROOT, Rig, wait_until

PATIENCE_S = 120
PARTITIONS = 4


class House:
    """A journal, its four processors when wanted, and an archive that is to hold it."""

    def __init__(self, broker, kind, folder):
        self.rig = Rig(broker, kind, folder, partitions=PARTITIONS)
        create_topics(self.rig.connection)
        self.home = folder / "archive"
        self.secret = SecretKey.new("casino.example/floor")
        self.key, self.public = folder / "key", folder / "key.pub"
        self.key.write_text(self.secret.text())
        self.key.chmod(0o600)
        self.public.write_text(str(self.secret.public))

    def close(self):
        self.rig.close()

    def processors(self):
        processors = [self.rig.start(module=f"services.{owner}") for owner in OWNERS]
        for processor in processors:
            wait_until(processor.is_ready, "a processor ready", PATIENCE_S)
        return processors

    def start(self, **settings):
        chosen = {"ARCHIVE": self.home, "ARCHIVE_KEY": self.key, "ARCHIVE_EVERY_S": 1} | settings
        return self.rig.start(module="services.archivist", **chosen)

    def archivist(self, **settings):
        archivist = self.start(**settings)
        wait_until(archivist.is_ready, "the archivist ready", PATIENCE_S)
        return archivist

    def floor(self, seconds, seed=7):
        load = "--rate=4", "--tables=6", "--patience=60"
        return self.rig.floor(*load, f"--seconds={seconds}", f"--seed={seed}")

    def play(self, seconds, seed=7):
        return self.floor(seconds, seed).summary(seconds + PATIENCE_S)

    def manifests(self):
        store = Folder(self.home)
        checkpoint = newest(store, self.secret.name)
        return list(manifests(store, checkpoint.size if checkpoint else 0))

    def sealed_rounds(self):
        return [each.round for each in self.manifests() if each.HasField("round")]

    def sealed_places(self):
        """How often each place of the journal is in a leaf, copies left out."""
        found, store = Counter(), Folder(self.home)
        for manifest in self.manifests():
            if manifest.HasField("document"):
                continue
            copied = manifest.round.copied if manifest.round.HasField("copied") else None
            for message in messages_from(leaf_data(store, manifest.sha256, manifest.length)):
                if message.offset != copied:
                    found[message.partition, message.offset] += 1
        return found

    def wait_sealed(self):
        """Until each record of the journal is in a leaf; none may be in two."""
        places = Counter((s.partition, s.offset) for s in self.rig.journal())
        wait_until(lambda: len(self.sealed_places()) >= len(places), "all sealed", PATIENCE_S)
        assert self.sealed_places() == places

    def verify(self):
        code = "import sys; from services.verify import main; sys.exit(main())"
        return subprocess.run(
            [sys.executable, "-c", code, str(self.home), "--key", str(self.public)],
            capture_output=True, text=True, check=False, cwd=ROOT, timeout=PATIENCE_S,
        )  # fmt: skip


@pytest.fixture
def house(broker, kind, tmp_path):
    house = House(broker, kind, tmp_path)
    yield house
    house.close()


def test_what_the_floor_plays_is_sealed_while_it_plays_and_after_a_kill(house):
    house.processors()
    archivist = house.archivist()
    floor = house.floor(seconds=12)
    wait_until(lambda: len(house.sealed_rounds()) > 5, "some rounds sealed", PATIENCE_S)
    assert floor.process.poll() is None
    archivist.kill()
    before = house.verify()
    assert before.returncode == 0, before.stderr
    archivist = house.archivist()
    played = floor.summary(PATIENCE_S)
    house.wait_sealed()
    assert len(house.sealed_rounds()) >= played["rounds"]
    size = len(house.manifests())
    assert archivist.metric("pitledger_archive_entries") == size
    assert archivist.terminate() == 0
    assert archivist.events()[-1] == "stopped"
    after = house.verify()
    assert after.returncode == 0, after.stderr
    assert len(house.manifests()) == size
