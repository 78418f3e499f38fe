"""`pitledger verify`: an archive's signatures and tree, and every round of it derived again."""

import json
import sys
import time
from dataclasses import dataclass
from subprocess import PIPE, Popen
from typing import TYPE_CHECKING, Annotated, Any

import typer

from services.cli.output import Failed, counted, fail, printable, progress, say, say_json

if TYPE_CHECKING:
    from services.cli.verified import Derived

_FIGURES = ("origin", "size", "root", "rounds", "remainders", "documents", "records", "partitions",
            "checkpoints", "deleted")


def verify(
    source: Annotated[
        str, typer.Argument(metavar="DIR", show_default=False, help="The archive's folder.")
    ],
    key: Annotated[str, typer.Option(
        "--key", metavar="PUBLIC", show_default=False,
        help="The public key, NAME+HASH+KEY, or a file that holds it.",
    )],
    witness: Annotated[list[str] | None, typer.Option(
        "--witness", metavar="PUBLIC", show_default=False,
        help="A witness's public key: its cosignature must be there (also several times).",
    )] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Verify an archive whole: what was signed, and what its rounds derive.

    Hashes, signatures, tree and coverage are judged by the separate program pitledger-verify,
    which runs beside. Every round's decisions are derived again from the facts, on all cores, and
    each leaf must be the one that its own records derive: a signature shows who sealed a round,
    this shows that it was sealed as the rules have it.

    Exit 0: good; 1: not, the first bad entry is named; 2: nothing that can be verified.
    """
    from services.cli.verified import derive_again, task_of
    from services.storage.stores import is_bucket

    if is_bucket(source):
        fail(f"{source}: a folder is verified; pitledger mirror makes one of a bucket")
    if source.endswith(".zip"):
        fail(f"{source}: an archive's folder is verified; of packets, pitledger-verify does it")
    start = time.monotonic()
    signed = _Signed.begin(source, key, witness or [])
    try:
        task, rounds = task_of(source)
        whole = sum(rounds.values())
        derived = derive_again(
            task, rounds, lambda done: progress(f"{done:,} of {whole:,} rounds derived again")
        )
    except Failed:
        signed.judged()  # says what is missing or damaged, in its own words, if it finds it too
        if signed.problem:
            raise typer.Exit(_bad(signed.problem, (), as_json)) from None
        raise
    except BaseException:
        signed.stop()
        raise
    finally:
        progress("")
    signed.judged()
    if signed.problem:
        raise typer.Exit(_bad(signed.problem, (), as_json))
    if derived.wrong is not None:
        raise typer.Exit(_bad(derived.wrong.text, derived.wrong.lines, as_json))
    _good(signed.found, derived, time.monotonic() - start, as_json)


@dataclass(slots=True)
class _Signed:
    """`pitledger-verify`, at work. `problem`: what it found bad, ""; `found`: its figures."""

    process: Popen[str]
    problem: str = ""
    found: dict[str, Any] | None = None

    @classmethod
    def begin(cls, source: str, key: str, witnesses: list[str]) -> "_Signed":
        command = [sys.executable, "-m", "services.verify", source, "--key", key, "--json"]
        for witness in witnesses:
            command += ["--witness", witness]
        return cls(Popen(command, stdout=PIPE, stderr=PIPE, text=True))

    def judged(self) -> None:
        """Wait for its verdict. Raises Failed where it finds nothing to verify."""
        out, err = self.process.communicate()
        match self.process.returncode:
            case 0:
                self.found = json.loads(out)
            case 1 if out:
                self.problem = json.loads(out)["problem"]
            case 130 | -2:  # Ctrl-C ends both
                raise KeyboardInterrupt
            case code:
                last = err.rstrip().rpartition("\n")[2].removeprefix("pitledger-verify: ")
                fail(last or f"pitledger-verify ended with {code}")

    def stop(self) -> None:
        self.process.kill()
        self.process.communicate()


def _bad(text: str, lines: tuple[str, ...], as_json: bool) -> int:
    if as_json:
        say_json({"good": False, "problem": text, "more": list(lines)})
    else:
        say(printable(f"BAD: {text}"))
        for line in lines:
            say(printable(f"     {line}"))
    return 1


def _good(
    found: dict[str, Any] | None, derived: "Derived", seconds: float, as_json: bool
) -> None:
    assert found is not None
    figures = {name: found[name] for name in _FIGURES}
    figures["rounds_derived"] = derived.counts["rounds"]
    figures["rounds_deleted"] = derived.counts["deleted"]
    figures["seconds"] = round(seconds, 3)
    if as_json:
        say_json({"good": True, **figures})
        return
    say(
        f"good: {derived.counts['rounds']:,} rounds derived again, each is as it was sealed"
        f" ({derived.counts['rounds'] / max(seconds, 1e-9):,.0f}/s)"
    )
    if derived.counts["deleted"]:
        say(f"{derived.counts['deleted']:,} rounds were deleted, as the archive itself says")
    say(
        f"{figures['size']:,} entries of {printable(str(figures['origin']))}:"
        f" {figures['records']:,} records of {figures['partitions']:,} partitions,"
        f" {counted(figures['checkpoints'], 'signed checkpoint')}; root {figures['root']}"
    )
