"""Ctrl-C and its like: an exception at first, then, if people insist, the end at once."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Self

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_SAME_PRESS_S = 0.5
"""One Ctrl-C may reach us twice: by the terminal, and by whoever started us."""
_SHOW_CURSOR = b"\x1b[?25h"


class Interrupted(BaseException):
    """Somebody wants the demo to stop; `exit_code` as a shell reports the signal.

    No Exception, for the reason that KeyboardInterrupt is none: libraries catch those.
    """

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.exit_code = 128 + number


class Interrupts:
    """Raises Interrupted at the first signal, but not inside `held()`; ends all at the second."""

    def __init__(self) -> None:
        self.at_once: Callable[[], None] = lambda: None
        """What to do before the process ends at the second signal."""
        self._first: int | None = None
        self._first_at = 0.0
        self._holds = 0

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def check(self) -> None:
        """Raise again what a callback may have swallowed."""
        if self._first is not None:
            raise Interrupted(self._first)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """The first signal waits for the end of the block, so that nothing is half done."""
        before = self._first
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1
        if not self._holds and self._first is not None and before is None:
            raise Interrupted(self._first)

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first, self._first_at = number, now
            if not self._holds:
                raise Interrupted(number)
        elif now - self._first_at > _SAME_PRESS_S:
            self.at_once()
            if sys.stdout.isatty():
                os.write(sys.stdout.fileno(), _SHOW_CURSOR)
            os._exit(128 + number)
