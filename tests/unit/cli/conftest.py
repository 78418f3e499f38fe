"""The command line in this process, and journals to point it at."""

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from pitledger.journal.record import Stored
from pitledger.sources.file import read_file, write_file
from services.cli.run import run
from services.simulation import simulate


@dataclass(frozen=True)
class Ended:
    """How a run of the command line ended."""

    code: int
    out: str
    err: str

    @property
    def line(self) -> str:
        """The one line on standard error of a run that could not go on."""
        assert self.code == 2
        assert self.err.count("\n") == 1, self.err
        assert self.err.startswith("pitledger: ")
        return self.err.removeprefix("pitledger: ").rstrip("\n")


@pytest.fixture
def pitledger(monkeypatch):
    """Run `pitledger` with arguments and standard input."""

    def call(*arguments: object, stdin: bytes | str = b"") -> Ended:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = run([str(argument) for argument in arguments])
        for stream in (out, err):
            stream.flush()
        return Ended(code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode())

    return call


@pytest.fixture(scope="session")
def journal(tmp_path_factory) -> Path:
    """Twelve rounds at two tables, one of each game, without faults."""
    path = tmp_path_factory.mktemp("journals") / "plain.pit"
    simulate(("saigon5", "five_card_hi_lo"), 2, 12, 7, False, path)
    return path


@pytest.fixture(scope="session")
def records(journal) -> list[Stored]:
    return list(read_file(journal))


@pytest.fixture
def rewritten(tmp_path, records) -> Callable[..., Path]:
    """A copy of the journal, changed, its offsets without gaps again."""

    def rewrite(change: Callable[[list[Stored]], list[Stored]]) -> Path:
        following: dict[int, int] = {}
        changed = []
        for stored in change(list(records)):
            offset = following.get(stored.partition, 0)
            following[stored.partition] = offset + 1
            changed.append(replace(stored, offset=offset))
        path = tmp_path / "changed.pit"
        write_file(path, changed)
        return path

    return rewrite


def type_of(stored: Stored) -> str:
    """`RoundOpened` of a stored record."""
    return dict(stored.headers)["ce_type"].decode().rpartition(".")[2]
