"""What the process that answers cases says of a journal that is not the one it read before."""

import pytest
from kafka.errors import LogTruncationError, OffsetOutOfRangeError

from pitledger.sources.environment import Environment
from services.cases import process
from services.cases.answering import Answering, JournalUnreadable
from services.cases.settings import CasesSettings


@pytest.fixture
def answering():
    return Answering(CasesSettings.from_environment(Environment({})))


class Cut:
    """A reader of a journal that lost its end."""

    def __init__(self, error):
        self.error = error

    def poll(self):
        raise self.error({})


@pytest.mark.parametrize("error", [LogTruncationError, OffsetOutOfRangeError])
@pytest.mark.parametrize("caught_up", [False, True])
def test_a_journal_that_was_cut_ends_it(answering, error, caught_up):
    answering._caught_up = caught_up
    with pytest.raises(JournalUnreadable, match="lost its end, or was made anew"):
        answering._poll(Cut(error))


def test_a_journal_that_cannot_be_read_on_is_one_line(monkeypatch, capsys):
    class Ends:
        def __init__(self, _settings):
            pass

        async def run(self):
            raise JournalUnreadable("partition 3: offset 17 is not to be had")

    monkeypatch.setattr(process, "Process", Ends)
    monkeypatch.setattr(process.logs, "configure", lambda *_args, **_named: None)
    with pytest.raises(SystemExit) as ended:
        process.run()
    assert ended.value.code == 70
    assert capsys.readouterr().err == "cases: partition 3: offset 17 is not to be had\n"
