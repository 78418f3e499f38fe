"""The processes that share a command's work."""

import errno
import time
from multiprocessing.process import BaseProcess

import pytest

from services.cli.output import Failed
from services.cli.workers import workers


@pytest.mark.timeout(60)
@pytest.mark.parametrize("made", [0, 1, 2])
def test_a_process_that_cannot_be_made_ends_the_command_and_is_not_waited_for(monkeypatch, made):
    begins, left = BaseProcess.start, iter(range(made))

    def start(process):
        if next(left, None) is None:
            raise OSError(errno.EMFILE, "Too many open files")
        begins(process)

    monkeypatch.setattr(BaseProcess, "start", start)
    with (
        pytest.raises(Failed, match="no process can be made to share the work: Too many open"),
        workers(3) as pool,
    ):
        list(pool.map(time.sleep, [0.1] * 9))
