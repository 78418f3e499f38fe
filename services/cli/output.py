"""What a command says: results on standard output, one line on standard error when it fails."""

import json
import sys
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console

UNLIMITED_COLUMNS = 10_000
"""Width where no terminal sets one: nothing is wrapped or cut in a pipe."""


class Failed(Exception):
    """A command cannot go on; the text is the one line that says why. Exit code 2."""


class HungUp(Exception):
    """Whoever read standard output has gone."""


def write(text: str) -> None:
    """Write a result; raises HungUp."""
    try:
        sys.stdout.write(text)
    except BrokenPipeError:
        raise HungUp from None


def flush() -> None:
    """Hand on what was written; raises HungUp."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise HungUp from None


def say(text: str) -> None:
    """Write a line of a result."""
    write(text + "\n")


def say_json(value: Any) -> None:
    """Write a result as JSON: indented on a terminal, on one line elsewhere."""
    say(json.dumps(value, indent=2 if is_terminal() else None))


def printable(text: str) -> str:
    """Text from a journal, which anybody may have written, without control characters."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def counted(count: int, thing: str) -> str:
    """`1 round`, `2 rounds`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def warn(text: str) -> None:
    """Write a line on standard error, whatever the text holds; nobody may be there to read it."""
    if sys.stderr is not None:
        sys.stderr.write(printable(" ".join(text.split())) + "\n")


def progress(text: str) -> None:
    """Show on a terminal how far it has come, in the place of what was shown before; "": no more.

    On standard error, so that results stay what they are.
    """
    if sys.stderr is not None and sys.stderr.isatty():
        sys.stderr.write(f"\r{text}\x1b[K")
        sys.stderr.flush()


def fail(text: str) -> NoReturn:
    """End the command with exit code 2 and this line on standard error."""
    raise Failed(text)


def is_terminal() -> bool:
    return sys.stdout.isatty()


def columns() -> int:
    """How wide a line may be."""
    import shutil

    return shutil.get_terminal_size().columns if is_terminal() else UNLIMITED_COLUMNS


def console() -> "Console":
    """rich on standard output: plain in a pipe, without colours on a dumb terminal."""
    from rich.console import Console

    return Console(
        file=cast(TextIO, _Out()),
        width=columns(),
        height=25,  # both, or a dumb terminal is taken to be 80 wide
        highlight=False,
        markup=False,
        emoji=False,
    )


class _Out:
    """Standard output for rich, which would end the process itself on a broken pipe."""

    write = staticmethod(write)
    flush = staticmethod(flush)

    @property
    def encoding(self) -> str:
        return sys.stdout.encoding

    def isatty(self) -> bool:
        return is_terminal()

    def fileno(self) -> int:
        return sys.stdout.fileno()
