"""`python -m services.floor`: the simulated floor as live load on a broker.

Prints one JSON object at the end. Brokers and topics by PITLEDGER_* as for the processors; each
option's default may be set by PITLEDGER_FLOOR_<OPTION>. Exit code: 0 played; 1 the brokers are away
or failed; 2 bad settings, login or topics; 130 interrupted before it played.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import re
import secrets
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvloop
from aiokafka.errors import KafkaError

from pitledger.pb import cards_pb2
from pitledger.sources.connection import (
    CONNECT_TIMEOUT_MS,
    BrokersAway,
    Connection,
    ConnectionFailed,
)
from pitledger.sources.environment import Environment, SettingError
from pitledger.sources.topics import require_topics
from services.floor.faults import CLEAN, FAULTY, ORDINARY
from services.floor.floor import Floor
from services.floor.live import LiveFloor
from services.floor.receipts import ReceiptFile
from services.floor.terms import GAMES
from services.runtime.settings import fetch_wait_ms, gather_ms, idempotence

_METHODS = {
    "manual": cards_pb2.DEALING_METHOD_MANUAL_SHOE,
    "hand": cards_pb2.DEALING_METHOD_HAND,
    "automated": cards_pb2.DEALING_METHOD_AUTOMATED_SHOE,
}
_RATE_LEAST, _MOST = 0.001, 1_000_000
"""Rounds a second, and seconds."""
_PAUSE_S = 0.5
_WHOLE = re.compile("-?[0-9]{1,100}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play; the exit code."""
    try:
        environment = Environment()
        options = _options(environment, arguments)
        connection = Connection.from_environment(environment)
        for line in connection.warnings:
            print(f"floor: {line}", file=sys.stderr)
        _wait_for_topics(connection)
        result = uvloop.run(_run(options, connection, environment))
    except (SettingError, ConnectionFailed) as error:
        print(f"floor: {error}", file=sys.stderr)
        return 1 if isinstance(error, BrokersAway) else 2
    except KafkaError as error:
        print(f"floor: {connection.explain(error)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("floor: stopped; nothing was played", file=sys.stderr)
        return 130
    print(json.dumps(result))
    return 0


def _options(environment: Environment, arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.floor", description=__doc__)

    def option(name: str, default: str, help_: str, choices: tuple[str, ...] = (),
               **more: Any) -> None:
        variable = f"FLOOR_{name.upper()}"
        if choices:
            more["choices"] = choices
            value = environment.choice(variable, choices, default)
        else:
            value = environment.text(variable, default)
        try:
            more.get("type", str)(value)
        except ValueError:
            raise SettingError(f"PITLEDGER_{variable}={value}: must be a number") from None
        parser.add_argument(f"--{name}", default=value, help=f"{help_} (default {value or 'none'})",
                            **more)

    option("profile", "ordinary", "bench: six positions a table, side wagers, automated shoe, no"
           " faults", choices=("ordinary", "bench"))
    option("rate", "2", "rounds a second over all tables", type=float)
    option("tables", "6", "tables", type=int)
    option("game", "both", "game of the tables", choices=("both", *GAMES))
    option("method", "mixed", "how cards are dealt", choices=("mixed", *_METHODS))
    option("positions", "0", "positions of a table, 1 to 9; 0: as the table has", type=int)
    option("seconds", "0", "stop opening rounds after so long; 0: no limit", type=float)
    option("rounds", "0", "stop after so many rounds; 0: no limit", type=int)
    option("warmup", "0", "seconds that are not measured", type=float)
    option("think", "0", "seconds that people take between two stages of a round", type=float)
    option("first", "0", "first round number; 0: above all of an earlier run", type=int)
    option("patience", "20", "seconds that a table waits for a decision", type=float)
    option("seed", "", "whole number; none: another one each time")
    option("receipts", "", "file to which a line is appended for each acknowledged fact")
    parser.add_argument("--faults", action="store_true",
                        default=environment.flag("FLOOR_FAULTS", False),
                        help="everything goes wrong now and then")
    options = parser.parse_args(arguments)
    if not _RATE_LEAST <= options.rate <= _MOST or options.tables < 1:
        parser.error(f"rate must be from {_RATE_LEAST} to {_MOST:,}, tables above 0")
    if not 0 <= options.positions <= 9:
        parser.error("positions must be from 0 to 9")
    if options.rounds < 0 or not 0 <= options.first < 1 << 63:
        parser.error("rounds and first must not be below 0, first is below 2 to the 63rd")
    for name in ("seconds", "warmup", "think", "patience"):
        if not 0 <= getattr(options, name) <= _MOST:  # no order holds of "nan"
            parser.error(f"{name} must be from 0 to {_MOST:,}")
    if options.seed and not _WHOLE.fullmatch(options.seed):
        parser.error(f"seed {options.seed}: must be a whole number")
    return options


async def _run(options: argparse.Namespace, connection: Connection, environment: Environment
               ) -> dict[str, Any]:
    seed = int(options.seed) if options.seed else secrets.randbits(32)
    floor = _floor(options, seed)
    with contextlib.ExitStack() as files:
        receipts = None
        if options.receipts:
            receipts = files.enter_context(_receipts(options.receipts))
        return await _play(options, connection, environment, seed, floor, receipts)


async def _play(
    options: argparse.Namespace, connection: Connection, environment: Environment, seed: int,
    floor: Floor, receipts: ReceiptFile | None,
) -> dict[str, Any]:
    live = LiveFloor(
        floor, connection,
        idempotent=idempotence(environment, connection),
        fetch_wait_ms=fetch_wait_ms(environment, connection),
        gather_ms=gather_ms(environment, connection),
        think_s=options.think,
        receipts=receipts,
    )
    await live.connect()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, live.finish)
    begun, cpu = time.monotonic(), time.process_time()
    live.measured.since = begun + options.warmup
    gc.collect()
    gc.freeze()  # the floor's own objects live as long as it does: nothing to look for there
    gc.set_threshold(20_000)
    await live.run(options.seconds or None)
    took, cpu = time.monotonic() - begun, time.process_time() - cpu
    measured = live.measured
    rounds = max(floor.rounds_opened, 1)
    return {
        "seed": seed,
        "tables": options.tables,
        "rate": options.rate,
        "seconds": round(took, 2),
        "rounds": floor.rounds_opened,
        "rounds_per_s": round(floor.rounds_opened / took, 2),
        **{name: measured.counts[name]
           for name in ("settled", "voided", "facts", "decisions", "resent", "holes",
                        "producers_renewed")},
        "exposed_to_payout_ms": _percentiles(measured.exposed_to_payout.from_send),
        "exposed_acked_to_payout_ms": _percentiles(measured.exposed_to_payout.from_ack),
        "closed_to_settled_ms": _percentiles(measured.closed_to_settled.from_send),
        "closed_acked_to_settled_ms": _percentiles(measured.closed_to_settled.from_ack),
        "cpu_ms_per_round": round(1000 * cpu / rounds, 3),
    }


def _wait_for_topics(connection: Connection) -> None:
    """One broker of several may have died: another attempt asks another."""
    deadline = time.monotonic() + CONNECT_TIMEOUT_MS / 1000
    while True:
        try:
            require_topics(connection, CONNECT_TIMEOUT_MS / 1000, quarantine=False)
            return
        except BrokersAway:
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)


def _receipts(path: str) -> ReceiptFile:
    """Raises SettingError."""
    try:
        return ReceiptFile(Path(path))
    except OSError as error:
        raise SettingError(f"receipts {path}: {error.strerror}") from None


def _floor(options: argparse.Namespace, seed: int) -> Floor:
    bench = options.profile == "bench"
    method = _METHODS["automated"] if bench else None
    rates = CLEAN if bench else ORDINARY
    return Floor(
        seed,
        options.tables,
        GAMES if options.game == "both" else (options.game,),
        FAULTY if options.faults else rates,
        rounds=options.rounds or None,
        positions=options.positions or None,
        method=_METHODS.get(options.method, method),
        plain=bench,
        # By default above all numbers of an earlier run on the same journal, whatever its rate.
        first_round_number=options.first or time.time_ns() // 1_000_000,
        pace_us=int(1_000_000 * options.tables / options.rate),
        patience_us=int(1_000_000 * options.patience),
    )


def _percentiles(seconds: list[float]) -> dict[str, Any]:
    """Milliseconds: nearest ranks."""
    ordered = sorted(seconds)
    if not ordered:
        return {"count": 0}
    percents = {"p50": 50, "p90": 90, "p99": 99, "max": 100}
    return {"count": len(ordered)} | {
        name: round(1000 * ordered[-(-percent * len(ordered) // 100) - 1], 2)
        for name, percent in percents.items()
    }


if __name__ == "__main__":
    sys.exit(main())
