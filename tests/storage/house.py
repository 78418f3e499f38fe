"""A house: its journal, its keys, its archive; and the commands."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from io import StringIO
from itertools import accumulate
from pathlib import Path

from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter
from pitledger.archive.note import Checkpoint, Note, SecretKey
from pitledger.journal.stored import messages_from, stored_of, to_bytes
from pitledger.sources.file import read_file
from services.cli.run import run
from services.storage.folder import Folder

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def line(self):
        """The one line that is said where it is not good."""
        assert self.out == ""
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith(("pitledger: ", "pitledger-verify: ")), self.err
        return self.err

    @property
    def json(self):
        assert self.code == 0, self.err
        return json.loads(self.out)


@dataclass(frozen=True)
class House:
    home: Path

    @classmethod
    def made(cls, home, steps=4):
        house = cls(home)
        journal = home / "whole.pit"
        pitledger(
            "simulate",
            "--rounds",
            30,
            "--tables",
            3,
            "--faults",
            "--no-audit",
            "--seed",
            3,
            "-o",
            journal,
        )
        pitledger("keys", "new", "casino.example/floor", "-o", house.key)
        data = journal.read_bytes()
        ends = list(accumulate(len(to_bytes(stored_of(each))) for each in messages_from(data)))
        for step in range(1, steps + 1):
            (home / "journal.pit").write_bytes(data[: ends[len(ends) * step // steps - 1]])
            house.archive_journal()
        return house

    def copied(self, home):
        shutil.copytree(self.home, home)
        return House(home)

    @property
    def archive(self):
        return self.home / "archive"

    @property
    def key(self):
        return self.home / "floor.key"

    @property
    def public(self):
        return self.home / "floor.key.pub"

    @property
    def mirror(self):
        return self.home / "mirror"

    def sealed_more(self):
        """Once the journal has gone on."""
        more = self.home / "more.pit"
        with more.open("wb") as out:
            out.write((self.home / "whole.pit").read_bytes())
            out.writelines(map(to_bytes, _table_facts(more.parent / "whole.pit")))
        (self.home / "journal.pit").write_bytes(more.read_bytes())
        return self.archive_journal()

    def archive_journal(self, to=None):
        return pitledger(
            "archive",
            "--from",
            self.home / "journal.pit",
            "-o",
            to or self.archive,
            "--key",
            self.key,
        )

    def mirrored(self, source=None, dest=None, *options):
        return pitledger(
            "mirror", source or self.archive, dest or self.mirror, "--key", self.public, *options
        )

    def verified(self, archive=None):
        return verify(archive or self.archive, self.public)

    def add(self, *leaves, archive=None):
        """Seal leaves of one's own."""
        store = Folder(archive or self.archive)
        about = About.parse(store.read("log.json"))
        LogWriter(store, SecretKey.parse(self.key.read_text()), about).append(list(leaves))

    def made_otherwise(self):
        """An archive that was this one up to its last checkpoint but one, and went on otherwise."""
        other = self.home / "otherwise"
        shutil.copytree(self.archive, other)
        *_, before, last = sorted(int(path.name) for path in (other / "checkpoints").iterdir())
        shutil.copy(other / "checkpoints" / str(before), other / "checkpoint")
        (other / "checkpoints" / str(last)).unlink()
        words = [f"otherwise {number}".encode() for number in range(last - before)]
        self.add(*[document_leaf("rules", "text/plain", each) for each in words], archive=other)
        assert self.size(other) == last
        return other

    def size(self, archive=None):
        data = ((archive or self.archive) / "checkpoint").read_bytes()
        return Checkpoint.parse(Note.parse(data).text).size

    def files(self, archive=None):
        """What lies there, but for what only the writer needs."""
        home = archive or self.archive
        keys = (path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file())
        return {
            key: (home / key).read_bytes()
            for key in keys
            if key not in ("lock", "pending", "mirror")
        }


def pitledger(*arguments):
    """The command, in this process."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Outcome(code, out.getvalue(), err.getvalue())


def verify(archive, public):
    """pitledger-verify, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "services.verify", str(archive), "--key", str(public), "--json"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
        timeout=120,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def _table_facts(journal):
    """Records that follow those of a journal: of each partition's last one a repeat."""
    last = {stored.partition: stored for stored in read_file(journal)}
    return [replace(stored, offset=stored.offset + 1) for stored in last.values()]
