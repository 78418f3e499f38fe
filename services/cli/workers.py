"""Processes that share a command's work."""

import signal
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from services.cli.output import fail


class _Pool(ProcessPoolExecutor):
    """Makes its processes as work is submitted. Raises Failed where one cannot be made: it would
    wait for ever for those that were, which wait for work.
    """

    def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
        try:
            return super().submit(*args, **kwargs)
        except OSError as error:
            for process in list(self._processes.values()):
                process.kill()
            fail(f"no process can be made to share the work: {error.strerror}")


@contextmanager
def workers(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Processes for a part each; Ctrl-C ends them without a word, as it ends this one.

    Failed where one of them dies, or cannot be made.
    """
    quiet = (signal.SIGINT, signal.SIG_DFL)
    try:
        with _Pool(processes, initializer=signal.signal, initargs=quiet) as pool:
            yield pool
    except BrokenProcessPool:
        fail("one of the processes that shared the work was ended, perhaps for lack of memory")
