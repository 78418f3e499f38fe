"""The life of a processor's process: settings, logs, topics, worker."""

import gc
import socket
import sys
import threading
from signal import Signals
from typing import cast

import faust
from mode.loop import uvloop  # noqa: F401 (sets the loop's policy: before anything else)

from pitledger.engine import Engine
from pitledger.sources.connection import BrokersAway, ConnectionFailed
from pitledger.sources.environment import SettingError
from services.runtime import http, logs, start
from services.runtime.app import ProcessorApp, make_app
from services.runtime.settings import Settings
from services.runtime.shell import BAD_SETTINGS, EXIT_CODE, EngineFactory, Shell

END_S = 10.0
"""So long at most a process that is told to stop takes to commit and to leave its group."""


def run(owner: str, make_engine: EngineFactory = Engine) -> None:
    """Run the processor `owner` until it is told to stop.

    Exit 0: stopped by SIGTERM or SIGINT; 2: settings, login or topics, one line on stderr says
    what; 70: to be started again: brokers that were away too long, or an error of the shell.
    """
    try:
        settings = Settings.from_environment(owner)
        settings.connection.security.ssl_context()
        logs.configure(settings.log_format, settings.log_level, processor=owner)
        for line in settings.connection.warnings:
            logs.get("main").warning("settings", reason=line)
        listener = _bound(settings)
        shell = Shell(settings, make_engine)
        start.wait_for_topics(shell, listener)
    except (SettingError, ConnectionFailed) as problem:
        print(f"{owner}: {problem}", file=sys.stderr)
        sys.exit(EXIT_CODE if isinstance(problem, BrokersAway) else BAD_SETTINGS)
    log = logs.get("main")
    connection = settings.connection
    log.info(
        "starting",
        brokers=",".join(connection.bootstrap),
        topic=connection.topic,
        partitions=connection.partitions,
        group=settings.group,
        instance=settings.instance,
    )
    work(settings, shell, listener)


def work(settings: Settings, shell: Shell, listener: socket.socket) -> None:
    """Run Faust's worker; returns by SystemExit."""
    # What is loaded by now stays: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    app = make_app(settings, shell, listener)
    worker = _Worker(app, quiet=True, override_logging=False, redirect_stdouts=False)
    worker.spinner = None
    worker.execute_from_commandline()


def _bound(settings: Settings) -> socket.socket:
    host, port = settings.http_host, settings.http_port
    try:
        return http.bind(host, port)
    except OSError as error:
        where = f"PITLEDGER_HTTP_HOST, PITLEDGER_HTTP_PORT={host}:{port}"
        raise SettingError(f"{where}: {error.strerror or error}") from None


class _Worker(faust.Worker):
    """Faust's, without the seconds that it waits for nothing when it ends."""

    def _schedule_shutdown(self, signal: Signals) -> None:
        """Where brokers do not answer, aiokafka's clients wait for them till they do."""
        end = threading.Timer(END_S, _end_now)
        end.daemon = True
        end.start()
        super()._schedule_shutdown(signal)

    def _shutdown_loop(self) -> None:
        told_to_stop = self._signal_stop_time is not None
        if self.crash_reason is not None and not told_to_stop:
            shell = cast(ProcessorApp, self.app).shell
            shell.die("the worker failed", error=repr(self.crash_reason))
        logs.get("main").info("stopped")
        logs.flush()


def _end_now() -> None:
    """Nothing is lost: the next start derives again what was not committed."""
    logs.get("main").warning("no last commit: Kafka does not answer")
    start.end_now()
