"""The demo's journal sealed in an archive, and the archive verified by the program for that."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from pitledger.archive.log import About, LogWriter
from pitledger.journal.record import TOPIC, Stored
from services.archivist.by_partition import seal_records
from services.cli.new_key import new_key
from services.storage.folder import Folder
from services.verify.archive import Report, verify
from services.verify.faults import Bad
from services.verify.files import Folder as Files
from services.verify.note import Key

_ORIGIN = "demo.example/floor"


def seal_all(records: Sequence[Stored], partitions: int, home: Path, console: Console) -> bool:
    """Seal a whole journal below a folder; whether that archive is good, and lacks no record."""
    archive, key, public = home / "archive", new_key(_ORIGIN), home / "archive.key.pub"
    shutil.rmtree(archive, ignore_errors=True)  # of the demo before, which had another journal
    public.write_text(f"{key.public}\n")
    writer = LogWriter(Folder(archive), key, About(_ORIGIN, TOPIC, partitions))
    sealing = seal_records(writer, partitions, records)
    try:
        report = verify(Files(archive), Key.parse(str(key.public)), ())
    except Bad as problem:
        _say(console, f"sealed  NOT GOOD: {problem}", "bold red")
        return False
    whole = report.records == len(records) and not sealing.waiting()
    _say(console, _told(report, len(records)), "green" if whole else "bold red")
    if whole:
        _say(console, f"        $ pitledger-verify {archive} --key {public}", "cyan")
    return whole


def _told(report: Report, records: int) -> str:
    return (
        f"sealed  {report.rounds} rounds and {report.records:,} of {records:,} records under a"
        f" signed tree of {report.size} entries, verified byte by byte"
    )


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, soft_wrap=True, markup=False)
