"""Golden archives, made once a session by the real writer, for the verifier to judge."""

import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import accumulate
from pathlib import Path

import pytest

from pitledger.archive.leaves import Leaf, document_leaf
from pitledger.archive.log import About, LogWriter, leaf_data, manifests
from pitledger.archive.note import SecretKey
from pitledger.journal.record import TOPIC
from pitledger.journal.stored import messages_from, stored_of, to_bytes
from services.cli.new_key import new_key
from services.storage.folder import Folder
from services.verify import main

STEPS = 4


@dataclass(frozen=True)
class Golden:
    home: Path
    key: SecretKey

    @property
    def public(self) -> str:
        return str(self.key.public)

    def files(self, *classes: str) -> list[str]:
        """The keys that begin with one of these."""
        paths = [path for path in self.home.rglob("*") if path.is_file()]
        keys = sorted(path.relative_to(self.home).as_posix() for path in paths)
        return [key for key in keys if key.startswith(classes)]

    @contextmanager
    def with_file(self, key: str, data: bytes | None) -> Iterator[None]:
        """For a while the file holds this; None: it is gone."""
        path = self.home / key
        before = path.read_bytes() if path.exists() else None
        _put(path, data)
        try:
            yield
        finally:
            _put(path, before)

    def read(self, key: str) -> bytes:
        return (self.home / key).read_bytes()

    def verify(self, *options: str) -> "Outcome":
        return run(str(self.home), "--key", self.public, *options)


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """What is wrong, in the one line that is said."""
        said = self.out + self.err
        assert said.count("\n") == 1, said
        return said


def run(*arguments: str) -> Outcome:
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as end:
        main(arguments)
    assert isinstance(end.value.code, int)
    return Outcome(end.value.code, out.getvalue(), err.getvalue())


def write_archive(
    home: Path, key: SecretKey, *appends: Iterable[Leaf], about: About | None = None
) -> Golden:
    """An archive of these leaves, whatever they are, signed."""
    writer = LogWriter(Folder(home), key, about or About(key.name, TOPIC, 48))
    for leaves in appends:
        writer.append(list(leaves))
    return Golden(home, key)


@pytest.fixture(scope="session")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Golden:
    """Thirty rounds with faults between them, sealed in several steps."""
    home = tmp_path_factory.mktemp("golden")
    pitledger(home, "simulate", "--rounds", "30", "--tables", "3", "--faults", "--no-audit",
               "--seed", "3", "-o", "journal")
    key = new_key("casino.example/floor")
    (home / "key").write_text(key.text())
    data = (home / "journal").read_bytes()
    ends = _ends(data)
    for step in range(1, STEPS + 1):
        (home / "part").write_bytes(data[: ends[len(ends) * step // STEPS - 1]])
        pitledger(home, "archive", "--from", "part", "-o", "archive", "--key", "key")
    return Golden(home / "archive", key)


@pytest.fixture(scope="session")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Golden:
    """Documents enough for whole tiles, two levels of them, and partial ones of earlier trees."""
    leaves = [document_leaf("rules", "text/plain", b"%d" % number) for number in range(600)]
    home = tmp_path_factory.mktemp("wide")
    key = new_key("casino.example/wide")
    return write_archive(home, key, leaves[:100], leaves[100:300], leaves[300:])


@pytest.fixture(scope="session")
def sealed(golden: Golden, tmp_path_factory: pytest.TempPathFactory) -> Golden:
    """The entries of the golden archive, under one checkpoint."""
    store = Folder(golden.home)
    size = int(golden.read("checkpoint").split(b"\n")[1])
    leaves = [
        Leaf(leaf.SerializeToString(deterministic=True), leaf.sha256,
             leaf_data(store, leaf.sha256, leaf.length))
        for leaf in manifests(store, size)
    ]
    about = About.parse(golden.read("log.json"))
    return write_archive(tmp_path_factory.mktemp("sealed"), golden.key, leaves, about=about)


def pitledger(home: Path, *arguments: str) -> None:
    command = [sys.executable, "-c", "from services.cli import main; main()", *arguments]
    root = Path(__file__).parents[2]
    subprocess.run(command, cwd=home, env={"PYTHONPATH": str(root)}, check=True,
                   capture_output=True, timeout=120)


def _ends(data: bytes) -> list[int]:
    """Where each record of a journal file ends."""
    return list(accumulate(len(to_bytes(stored_of(each))) for each in messages_from(data)))


def _put(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink()
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
