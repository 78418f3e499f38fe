"""A gaming day in an archive: how fast it is sealed and verified, and how much room it takes.

The journal is simulated once and kept under `.run/bench`, by build, rounds and seed. All commands
are run as a user types them, their start included. On Kafka lies a tenth of the rounds, and the
archivist is measured beside a kafka-python consumer that does nothing with what it reads.
"""

import json
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from os import environ
from pathlib import Path
from shutil import rmtree
from typing import Any

import kafka

from bench.environment import HOME, ROOT
from bench.figures import spread
from bench.prepared import Bulk
from bench.stage import Stage
from pitledger.sources.connection import Connection
from services.broker.apache import why_not
from services.simulation import simulate
from services.storage.folder import Folder
from services.storage.index import Index

_TABLES, _SEED = 100, 1
_KAFKA_TABLES = 48
_PACKETS = 20
_ORIGIN = "casino.example/floor"
_PARTS = ("leaf", "tile/entries", "tile", "checkpoints", "index.sqlite", "")


@dataclass(frozen=True, slots=True)
class Took:
    """`seconds` of time, `cpu` of all cores."""

    out: str
    seconds: float
    cpu: float


def run_archive(rounds: int, runs: int) -> None:
    """Measure and print."""
    HOME.mkdir(parents=True, exist_ok=True)
    journal = gaming_day(rounds)
    size = journal.stat().st_size
    print(f"\nArchive: {rounds:,} rounds of both games at {_TABLES} tables; {runs} runs")
    print(
        f"rounds per second: min / median / max; the journal has {size / rounds:,.0f} bytes a round"
    )
    archive, key = HOME / "archive", HOME / "archive.key"
    _new_key(key)
    _rate("seal from the file, all cores", rounds, runs, lambda: _seal(str(journal), archive, key))
    _told_index(archive, rounds)
    _told_size(archive, rounds)
    public = ("--key", key.with_name(key.name + ".pub"))
    _rate(
        "pitledger-verify, one core",
        rounds,
        runs,
        lambda: _run("pitledger-verify", archive, *public),
    )
    _rate(
        "pitledger verify, derived again, all cores",
        rounds,
        runs,
        lambda: _run("pitledger", "verify", archive, *public),
    )
    _told_packets(archive, key, rounds)
    _told_what_if(archive, rounds, runs)
    missing = why_not()
    if missing:
        print(f"  from Kafka: not measured: {missing}")
    else:
        _from_kafka(rounds // 10, runs, key)
    for each in (archive, *HOME.glob("archive-*")):
        rmtree(each)


def gaming_day(rounds: int) -> Path:
    """Its journal's file, made if there is none of this build."""
    build = sha256()
    for part in ("pitledger", "services/simulation", "services/floor"):
        for path in sorted((ROOT / part).rglob("*.py")):
            build.update(path.read_bytes())
    path = HOME / f"day-{rounds}-{_SEED}-{build.hexdigest()[:16]}.journal"
    if not path.exists():
        for old in HOME.glob(f"day-{rounds}-*"):
            old.unlink()
        print(f"simulating {rounds:,} rounds", flush=True)
        began, aside = time.monotonic(), path.with_suffix(".new")
        simulate(("saigon5", "five_card_hi_lo"), _TABLES, rounds, _SEED, False, aside)
        aside.rename(path)
        print(f"  {rounds / (time.monotonic() - began):,.0f} rounds/s", flush=True)
    return path


# ---- What is measured ----


def _seal(source: str, archive: Path, key: Path, environment: Mapping[str, str] = environ) -> Took:
    if archive.exists():  # ext4 is slow to make files where many were deleted minutes ago
        archive.rename(archive.with_name(f"archive-{time.monotonic_ns()}"))
    words = ("archive", "--from", source, "-o", archive, "--key", key, "--json")
    took = _run("pitledger", *words, environment=environment)
    told = json.loads(took.out)
    if told["open"] or told["waiting"]:
        sys.exit(f"bench: rounds are left: {took.out}")
    return took


def _told_index(archive: Path, rounds: int) -> None:
    began = time.perf_counter()
    Index.open(Folder(archive), archive / "index.sqlite").update()
    _line("index made", f"{rounds / (time.perf_counter() - began):,.0f}")


def _told_size(archive: Path, rounds: int) -> None:
    """Bytes a round by part, and as `du` counts them: whole blocks, folders too."""
    apparent, blocks = Counter[str](), Counter[str]()
    for path in [archive, *archive.rglob("*")]:
        found = path.lstat()
        name = path.relative_to(archive).as_posix()
        part = next(part for part in _PARTS if name == part or name.startswith(part))
        blocks[part] += found.st_blocks * 512
        if path.is_file():
            apparent[part] += found.st_size
    print("  bytes a round, and as du counts them")
    for part in _PARTS:
        each = f"{apparent[part] / rounds:8,.1f} {blocks[part] / rounds:8,.1f}"
        print(f"    {part or 'else':<14} {each}")
    total, on_disk = apparent.total() / rounds, blocks.total() / rounds
    print(f"    {'all':<14} {total:8,.1f} {on_disk:8,.1f}", flush=True)


def _told_packets(archive: Path, key: Path, rounds: int) -> None:
    index = Index.open(Folder(archive), archive / "index.sqlite")
    found = [
        each.round_id
        for number, each in enumerate(index.rounds())
        if number % -(-rounds // _PACKETS) == 0
    ]
    seconds = []
    packet = HOME / "packet.zip"
    for round_id in found:
        packet.unlink(missing_ok=True)
        words = ("packet", round_id, "--from", archive, "--key", key, "-o", packet)
        seconds.append(_run("pitledger", *words).seconds)
    packet.unlink(missing_ok=True)
    _line(f"packet, seconds each, of {len(seconds)}", spread(seconds, 2))


def _told_what_if(archive: Path, rounds: int, runs: int) -> None:
    words = ("whatif", "--from", archive, "--all", "--set", "posted.pot_amount=0", "--json")
    _rate("what-if over all rounds", rounds, runs, lambda: _run("pitledger", *words))


def _from_kafka(rounds: int, runs: int, key: Path) -> None:
    each = -(-rounds // _KAFKA_TABLES)
    archive = HOME / "archive"
    with Stage() as stage:
        with Bulk(stage.connection) as bulk:
            bulk.rounds(range(_KAFKA_TABLES), each)
        rounds, records = each * _KAFKA_TABLES, stage.records()
        print(f"  on Kafka: {rounds:,} rounds, {records:,} records; in turn")
        bare, sealed = [], []
        for _ in range(runs):
            bare.append(rounds / _read_bare(stage.connection, records))
            took = _seal("kafka", archive, key, stage.environment)
            sealed.append(rounds / took.seconds)
    _line("bare kafka-python consumer", spread(bare, 0))
    _line("seal from Kafka", spread(sealed, 0))
    shares = [100 * ours / theirs for ours, theirs in zip(sealed, bare, strict=True)]
    _line("of the bare consumer, %", spread(shares, 0))


def _read_bare(connection: Connection, records: int) -> float:
    """Seconds, with what it takes to begin."""
    began = time.perf_counter()
    consumer = kafka.KafkaConsumer(group_id=None, **connection.client_settings())
    try:
        tps = [kafka.TopicPartition(connection.topic, n) for n in range(connection.partitions)]
        consumer.assign(tps)
        consumer.seek_to_beginning(*tps)
        while records > 0:
            records -= sum(map(len, consumer.poll(timeout_ms=200).values()))
    finally:
        consumer.close()
    return time.perf_counter() - began


# ---- How ----


def _rate(name: str, rounds: int, runs: int, measure: Callable[[], Took]) -> None:
    took = [measure() for _ in range(runs)]
    rates = [rounds / each.seconds for each in took]
    cpu = 1000 * min(each.cpu for each in took) / rounds
    _line(name, f"{spread(rates, 0):>24}   {cpu:6.3f} ms CPU a round")


def _line(name: str, figures: str) -> None:
    print(f"  {name:<44} {figures}", flush=True)


def _new_key(path: Path) -> None:
    for old in (path, path.with_name(path.name + ".pub")):
        old.unlink(missing_ok=True)
    _run("pitledger", "keys", "new", _ORIGIN, "-o", path)


def _run(command: str, *words: Any, environment: Mapping[str, str] = environ) -> Took:
    program: Sequence[str] = [str(Path(sys.executable).with_name(command)), *map(str, words)]
    before, began = _cpu(), time.perf_counter()
    done = subprocess.run(
        program, cwd=ROOT, env=dict(environment), capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(f"bench: {' '.join(program)} failed: {done.stdout[-500:]}{done.stderr[-500:]}")
    return Took(done.stdout, seconds, _cpu() - before)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
