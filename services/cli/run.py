"""One run of the command line: what it was asked, its exit code, and never a traceback."""

import errno
import gc
import os
import sys
from collections.abc import Sequence

import typer
from typer._click.exceptions import ClickException, NoArgsIsHelpError, UsageError

from services.cli.app import app
from services.cli.output import Failed, HungUp, flush, warn

BAD_INPUT = 2
INTERRUPTED = 130
HUNG_UP = 141
"""As a shell reports a process that SIGPIPE ended."""


def run(arguments: Sequence[str]) -> int:
    """Run `pitledger` with these arguments; return its exit code."""
    if sys.stdout is None:
        warn("pitledger: standard output is closed")
        return BAD_INPUT
    _never_stumble_over_an_encoding()
    gc.set_threshold(50_000)  # many objects, no cycles: looking for them took a tenth of the time
    try:
        code = _call(list(arguments) or ["--help"])
        flush()
    except HungUp:
        code = HUNG_UP
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Failed as failure:
        warn(f"pitledger: {failure}")
        code = BAD_INPUT
    except OSError as error:
        warn(f"pitledger: {_in_words(error)}")
        code = BAD_INPUT
    except Exception as error:
        if not _is_of_brokers(error):
            raise
        warn(f"pitledger: {error}")
        code = BAD_INPUT
    return code if _flushed() else code or BAD_INPUT


def _is_of_brokers(error: Exception) -> bool:
    """Whether it says in one line what is wrong with them."""
    from pitledger.sources.connection import ConnectionFailed
    from pitledger.sources.kafka import HoleInJournal

    return isinstance(error, ConnectionFailed | HoleInJournal)


def _call(arguments: list[str]) -> int:
    try:
        code = app(arguments, prog_name="pitledger", standalone_mode=False)
    except NoArgsIsHelpError:
        return BAD_INPUT
    except UsageError as error:
        command = error.ctx.command_path if error.ctx else "pitledger"
        message = error.format_message().replace(": Value error, ", ": ", 1)
        raise Failed(f"{message} (see: {command} --help)") from None
    except ClickException as error:
        raise Failed(error.format_message()) from None
    except typer.Abort:
        return INTERRUPTED
    except SystemExit as left:  # typer's way out of a broken pipe
        if isinstance(left.__context__, OSError) and left.__context__.errno == errno.EPIPE:
            raise HungUp from None
        raise
    return code if isinstance(code, int) else 0


def _never_stumble_over_an_encoding() -> None:
    """A character that the terminal's encoding lacks is written as its escape."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def _in_words(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return where + (error.strerror or type(error).__name__)


def _flushed() -> bool:
    """Whether all output is out; if not, keep Python from trying again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return False
    return True
