"""Logs by structlog: JSON, one object a line, or coloured lines for a terminal.

Records of the libraries (Faust, aiokafka) come the same way, from warnings up: what they say
below is about their inner life. Of what Kafka's clients say at one place of their code, a line in
`REPEAT_S` is let through: while brokers are away they say it dozens of times a second.
"""

import logging
import sys
import time
from collections.abc import Sequence

import structlog
from structlog.typing import Processor

Log = structlog.stdlib.BoundLogger

_LIBRARIES = ("faust", "mode", "aiokafka", "kafka", "asyncio", "services")
"""`services`: Faust's services log under the module of their class, ours under short names."""

_KAFKA = ("aiokafka", "kafka")
REPEAT_S = 10.0


def configure(style: str, level: str, **bound: str) -> None:
    """Send all logs of this process to stdout; `bound` is on each of our own lines."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(**bound)
    before: Sequence[Processor] = (
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*before, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *_last(style),
            ],
        )
    )
    handler.addFilter(_Once())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _LIBRARIES:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))


def get(name: str) -> Log:
    """A logger whose calls take fields: `log.info("live", partition=3, offset=100)`."""
    logger: Log = structlog.stdlib.get_logger(name)
    return logger


def flush() -> None:
    for handler in logging.getLogger().handlers:
        handler.flush()


class _Once(logging.Filter):
    """Passes what Kafka's clients say at one place of their code once in `REPEAT_S`."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, int], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] not in _KAFKA:
            return True
        place, now = (record.pathname, record.lineno), time.monotonic()
        if now - self._said.get(place, -REPEAT_S) < REPEAT_S:
            return False
        self._said[place] = now
        return True


def _last(style: str) -> Sequence[Processor]:
    if style == "console":
        return (structlog.dev.ConsoleRenderer(colors=sys.stdout.isatty()),)
    return (structlog.processors.dict_tracebacks, structlog.processors.JSONRenderer())
