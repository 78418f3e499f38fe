"""The life of a processor's process: settings, logs, topics, worker."""

import gc
import sys

import faust
from mode.loop import uvloop  # noqa: F401 (sets the loop's policy: before anything else)

from pitledger.engine import Engine
from pitledger.sources.connection import ConnectionFailed
from pitledger.sources.environment import SettingError
from pitledger.sources.topics import require_topics
from services.runtime import logs
from services.runtime.app import make_app
from services.runtime.settings import Settings
from services.runtime.shell import QUARANTINE_WRITER, EngineFactory, Shell

BAD_SETTINGS = 2


def run(owner: str, make_engine: EngineFactory = Engine) -> None:
    """Run the processor `owner` until it is told to stop.

    Exit 0: stopped by SIGTERM or SIGINT; 2: settings or broker, one line on stderr says what;
    70: an error of the shell, to be started again.
    """
    try:
        settings = Settings.from_environment(owner)
        settings.connection.security.ssl_context()
        logs.configure(settings.log_format, settings.log_level, processor=owner)
        require_topics(
            settings.connection, settings.connect_s, quarantine=owner == QUARANTINE_WRITER
        )
    except (SettingError, ConnectionFailed) as problem:
        print(f"{owner}: {problem}", file=sys.stderr)
        sys.exit(BAD_SETTINGS)
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
    work(settings, Shell(settings, make_engine))


def work(settings: Settings, shell: Shell) -> None:
    """Run Faust's worker; returns by SystemExit."""
    # What is loaded by now stays: the collector need not look at it again and again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)
    worker = _Worker(
        make_app(settings, shell), quiet=True, override_logging=False, redirect_stdouts=False
    )
    worker.spinner = None
    worker.execute_from_commandline()


class _Worker(faust.Worker):
    """Faust's, without the seconds that it waits for nothing when it ends."""

    def _shutdown_loop(self) -> None:
        logs.get("main").info("stopped")
        logs.flush()
