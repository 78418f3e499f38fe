"""The demo: a small casino floor plays, settles and proves itself on a broker of its own."""

import argparse
import json
import logging
import os
import secrets
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from pitledger.sources.connection import Connection, ConnectionFailed
from pitledger.sources.environment import SettingError
from pitledger.sources.follow import Follower
from pitledger.sources.kafka import HoleInJournal, read_topic
from pitledger.sources.topics import create_topics
from services.broker.embedded import NOTICE
from services.broker.process import BrokerError
from services.demo import proof
from services.demo.display import display_for
from services.demo.house import Died, House, Occupied
from services.demo.interrupts import Interrupted, Interrupts
from services.demo.sealed import seal_all
from services.demo.tables import Tables
from services.demo.vitals import Ward

FAILED, CANNOT_START = 1, 2
_HOME = Path(".run/demo")
_BROKERS = ("embedded", "apache")
_READY_TIMEOUT_S = 60.0
_ROUND_TIMEOUT_S = 60.0
"""How long the open rounds may take when no more are opened."""
_QUIET_S = 1.0
_QUIET_TIMEOUT_S = 20.0
_TURN_S = 0.2
_THINK_S = 0.25
_RECORDS_A_ROUND = 50
_COMFORT_RECORDS_S = 475
"""Of the embedded broker: at twice as many, decisions take half a second."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit code: 0 all proved; 1 not, or a process died; 2 cannot start; 128 + signal."""
    options = _options(arguments)
    console = Console(highlight=False)
    try:
        with Interrupts() as interrupts:
            return _run(options, console, interrupts)
    except Interrupted as interrupted:
        _say(console, "stopped; nothing is left running")
        return interrupted.exit_code
    except (Died, ConnectionFailed, HoleInJournal) as error:
        _say(console, f"demo: {error}", "red")
        return FAILED
    except (BrokerError, Occupied, SettingError) as error:
        _say(console, f"demo: {error}", "red")
        return CANNOT_START


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m services.demo", description=__doc__)
    broker = os.environ.get("BROKER") or "embedded"

    def option(name: str, default: object, text: str, **more: object) -> None:
        parser.add_argument(f"--{name}", default=default, help=text, **more)  # type: ignore[arg-type]

    option("broker", broker, "embedded (default; no Java needed) or apache (JDK 17+, Maven)",
           choices=_BROKERS)
    option("seconds", None, "open rounds for so long (45, or without limit if --rounds is given)",
           type=float)
    option("rounds", 0, "stop after so many rounds; 0: no limit", type=int)
    option("tables", 6, "tables (6)", type=int)
    option("rate", 2.0, "rounds a second over all tables (2)", type=float)
    option("seed", None, "whole number; the same deals the same cards (none: another each time)",
           type=int)
    option("home", _HOME, f"folder of the logs ({_HOME})", type=Path)
    options = parser.parse_args(arguments)
    if broker not in _BROKERS:
        parser.error(f"BROKER={broker}: must be embedded or apache")
    if options.seconds is None:
        options.seconds = 0.0 if options.rounds else 45.0
    if options.tables < 1 or options.rate <= 0 or options.rounds < 0 or options.seconds < 0:
        parser.error("tables and rate must be above 0, rounds and seconds not below")
    if not options.rounds and not options.seconds:
        parser.error("either rounds or seconds must be above 0")
    if options.seed is None:
        options.seed = secrets.randbits(32)
    return options


def _run(options: argparse.Namespace, console: Console, interrupts: Interrupts) -> int:
    with House(options.home, options.broker, interrupts) as house:
        # Kafka's clients complain of their own; a dead broker is said once, by us.
        logging.basicConfig(filename=house.home / "demo.log", filemode="w", force=True)
        try:
            proved = _show(options, house, console)
        except Interrupted as interrupted:
            _say(console, f"{interrupted}: stopping")
            raise
    seconds = f"{time.monotonic() - house.since:.0f} s"
    verdict, style = ("all proved", "bold") if proved else ("NOT PROVED", "bold red")
    _say(console, f"{verdict}; everything stopped after {seconds}", style)
    return 0 if proved else FAILED


def _show(options: argparse.Namespace, house: House, console: Console) -> bool:
    """The whole demo; whether all of it is proved."""
    connection = _open_house(house, console)
    ward = _staff(house, console)
    tables = _play(options, house, connection, ward, console)
    return _prove(house, connection, tables, console)


def _open_house(house: House, console: Console) -> Connection:
    """Broker and topics."""
    if house.kind == "embedded":
        _say(console, NOTICE, "dim")
    else:
        _say(console, "Apache Kafka: the first start downloads its jars, some 43 MB", "dim")
    connection = house.start_broker()
    created = create_topics(connection)
    made = ", ".join(f"{topic.topic} ({topic.partitions})" for topic in created)
    _say(console, house.broker_name)
    _say(console, f"topics, with partitions: {made}")
    return connection


def _staff(house: House, console: Console) -> Ward:
    """The four processors, each a process, all live."""
    house.start_processors()
    ward = Ward(house.processors)
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while not ward.all_live:
        time.sleep(_TURN_S)
        house.check()
        ward.visit_all()
        if time.monotonic() > deadline:
            late = ", ".join(one.name for one in ward.latest.values() if not one.live)
            raise Died(f"not live within {_READY_TIMEOUT_S:.0f} s: {late}; logs in {house.home}")
    pids = ", ".join(f"{one.name} {one.pid}" for one in ward.latest.values())
    _say(console, f"live: {pids}")
    return ward


def _play(options: argparse.Namespace, house: House, connection: Connection, ward: Ward,
          console: Console) -> Tables:
    """Until the floor has played all its rounds, and all is decided."""
    tables, follower = Tables(), Follower(connection)
    _say_pace(options, house, console)
    house.start_floor(_floor_options(options))
    begun = time.monotonic()
    limit = begun + options.seconds + _ROUND_TIMEOUT_S if options.seconds else float("inf")
    with display_for(console, house.broker_name) as display:
        while not house.floor_is_over():
            _turn(house, ward, follower, tables)
            display.show(tables, ward.latest.values(), time.monotonic() - begun)
            if time.monotonic() > limit:
                raise Died(f"the floor does not come to an end; logs in {house.home}")
        _settle_down(house, ward, follower, tables)
        ward.visit_all()
        display.show(tables, ward.latest.values(), time.monotonic() - begun)
    follower.close()
    _say_latency(house, console)
    return tables


def _say_pace(options: argparse.Namespace, house: House, console: Console) -> None:
    records = options.rate * _RECORDS_A_ROUND
    _say(console, f"{options.tables} tables of two games, {options.rate:g} rounds (some "
         f"{records:.0f} records) a second, seed {options.seed}")
    if house.kind == "embedded" and records > _COMFORT_RECORDS_S:
        _say(console, f"above {_COMFORT_RECORDS_S} records a second the embedded broker falls "
             "behind: take --broker apache for that", "yellow")
    _say(console, f"logs in {house.home}")


def _floor_options(options: argparse.Namespace) -> list[str]:
    values = {
        "tables": options.tables,
        "rate": options.rate,
        "rounds": options.rounds,
        "seconds": options.seconds,
        "seed": options.seed,
        "think": _THINK_S,
        "first": 1,
    }
    return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def _turn(house: House, ward: Ward, follower: Follower, tables: Tables) -> int:
    """Look at everything once; returns how many records came."""
    time.sleep(_TURN_S)
    house.check()
    ward.visit()
    records = follower.poll()
    tables.take(records)
    return len(records)


def _settle_down(house: House, ward: Ward, follower: Follower, tables: Tables) -> None:
    """Until the journal is quiet: the last decisions may come after the floor's last fact."""
    begun = quiet_since = time.monotonic()
    while time.monotonic() - begun < _QUIET_TIMEOUT_S:
        if _turn(house, ward, follower, tables) or ward.lag:
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since > _QUIET_S:
            return


def _say_latency(house: House, console: Console) -> None:
    """What the floor measured, from its last line."""
    assert house.floor is not None
    lines = house.floor.log.read_text().splitlines()
    measured = json.loads(lines[-1])["exposed_to_payout_ms"] if lines else {}
    if measured.get("count"):
        _say(console, f"from the dealer's exposure to the payout: p50 {measured['p50']:.0f} ms, "
             f"p99 {measured['p99']:.0f} ms", "dim")


def _prove(house: House, connection: Connection, tables: Tables, console: Console) -> bool:
    chosen = tables.most_interesting()
    if chosen is None:
        _say(console, "no round came to its end", "bold red")
        return False
    identical = proof.replay_one(chosen, house, console)
    records = list(read_topic(connection))
    proved = proof.prove_all(records, connection.partitions, console)
    sealed = seal_all(records, connection.partitions, house.home, console)
    return identical and proved and sealed


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style, soft_wrap=True, markup=False)
