"""What becomes of records that were fetched, when their partition is begun anew meanwhile."""

import asyncio
import subprocess
import sys
import time
from itertools import pairwise
from types import SimpleNamespace

import pytest

from pitledger.engine import Emit, Engine, Quarantine, Refold
from pitledger.sources.environment import Environment
from services.runtime.history import Start
from services.runtime.producer import Sent
from services.runtime.settings import Settings
from services.runtime.shell import CHUNK, Shell


class ClockWentBack(Engine):
    """Asks at record 3, once, that the partition be begun anew."""

    asked = False

    def on_record(self, partition, offset, *record):
        effects = super().on_record(partition, offset, *record)
        if offset == 3 and not self.asked:
            self.asked = True
            effects.append(Refold(partition, 0))
        return effects


class Histories:
    async def starts(self, committed, before_ms):
        return {partition: Start(0, 0, None, 0) for partition in committed}


@pytest.fixture
def shell():
    shell = Shell(Settings.from_environment("dealing", Environment({})), ClockWentBack)
    shell._history = Histories()
    shell.sought = []

    async def seek(partition, offset):
        shell.sought.append((partition, offset))

    shell.seek = seek
    shell.assign([0, 1])
    return shell


def records(count):
    return [
        SimpleNamespace(offset=n, timestamp=1000, key=b"t", headers=(), value=b"\xff")
        for n in range(count)
    ]


def test_what_is_left_of_a_fetch_is_let_go_of_where_its_partition_was_begun_anew(shell):
    async def handle():
        for partition in (0, 1):
            await shell._begin(partition, Start(0, 0, None, 0))
        await shell.handle({0: records(CHUNK + 200), 1: records(CHUNK + 200)})

    asyncio.run(handle())
    assert shell.sought == [(0, 0)]
    assert shell.measures.holes._value.get() == 0
    assert shell.engine.next_offset(0) == 0
    assert shell.engine.next_offset(1) == CHUNK + 200


def test_a_loop_that_waits_for_a_broker_decision_by_decision_does_not_stand_still(shell):
    # given: a producer that holds up each decision, as where a leader hangs
    heard = []

    async def hold_up(sent):
        heard.append(sent.emit.event_id)

    shell._producer.decision = hold_up
    shell.turn = lambda: heard.append("turn")
    emits = [Emit(0, name, "T", "r1", "t1", 0, b"t1", (), b"") for name in ("a", "b")]

    async def send():
        await shell._begin(0, Start(0, 0, None, 0))
        await shell._carry_out(emits)

    # when
    asyncio.run(send())
    # then: the watchdog hears of each
    assert heard == ["a", "turn", "b", "turn"]


class Slow(Engine):
    def on_record(self, partition, offset, *record):
        time.sleep(0.02)
        return super().on_record(partition, offset, *record)


def test_records_of_which_each_takes_long_are_folded_in_many_turns(monkeypatch):
    # given: fewer than a chunk has, which would take longer than the watchdog waits
    monkeypatch.setattr("services.runtime.shell.TURN_S", 0.1)
    shell = Shell(Settings.from_environment("dealing", Environment({})), Slow)
    turns = []
    shell.turn = lambda: turns.append(shell.engine.next_offset(0) if shell.standings else 0)
    shell.assign([0])

    async def handle():
        await shell._begin(0, Start(0, 0, None, 0))
        await shell.handle({0: records(30)})

    # when
    asyncio.run(handle())
    # then: nobody waits long, and all are folded
    assert shell.engine.next_offset(0) == 30
    assert len(turns) > 3
    assert all(after - before <= 6 for before, after in pairwise(turns))


@pytest.mark.parametrize(("end", "again"), [(700, []), (500, ["a"]), (None, ["a"])])
def test_a_decision_that_lies_ahead_is_not_sent_again_one_that_is_gone_is(shell, end, again):
    # given: acknowledged long ago at offset 500, and not read back
    emit = Emit(0, "a", "T", "r1", "t1", 0, b"t1", (), b"")
    heard = []

    async def decision(sent):
        heard.append(sent.emit.event_id)

    async def tick():
        await shell._begin(0, Start(0, 0, None, 0))
        shell._producer.decision = decision
        shell.engine.outstanding = lambda _partition: [emit]
        shell.standings[0].sent["a"] = Sent(emit, offset=500, acked_at=time.monotonic() - 60)
        shell.highwater = lambda _partition: end
        await shell.tick()

    # when
    asyncio.run(tick())
    # then
    assert heard == again


@pytest.fixture
def keeper():
    """The wagers process's shell: of all that is no fact it keeps a copy."""
    shell = Shell(Settings.from_environment("wagers", Environment({})), ClockWentBack)
    shell.asked_from = []

    class Noted(Histories):
        async def starts(self, committed, before_ms):
            shell.asked_from.append(committed[0][shell.settings.group])
            return await super().starts(committed, before_ms)

    async def seek(_partition, _offset):
        pass

    shell._history = Noted()
    shell.seek = seek
    shell.assign([0])
    return shell


def test_a_partition_that_is_begun_afresh_begins_before_the_copies_that_are_on_their_way(keeper):
    # given: quarantine acknowledges nothing
    keeper._producer.copy = lambda *_: None

    async def handle():
        await keeper._begin(0, Start(0, 0, None, 0))
        await keeper.handle({0: records(10)})

    # when: the broker's clock goes back at record 3
    asyncio.run(handle())
    # then: the records before it are read again, and copied again
    assert keeper.asked_from == [0]


def test_a_loop_that_waits_for_quarantine_does_not_stand_still(keeper, monkeypatch):
    # given: as many copies on their way as may be
    room = iter([False, False, True])
    heard = []

    async def has_room():
        return next(room, True)

    monkeypatch.setattr(keeper._producer, "has_room", has_room)
    monkeypatch.setattr(keeper._producer, "copy", lambda *_: heard.append("copy"))
    keeper.turn = lambda: heard.append("turn")

    async def handle():
        await keeper._begin(0, Start(0, 0, None, 0))
        await keeper._keep_copy(Quarantine(0, 1, "undecodable", b"t", (), b""))

    # when
    asyncio.run(handle())
    # then: the watchdog hears of each second of it
    assert heard == ["turn", "turn", "copy"]


def test_a_process_that_cannot_write_its_last_words_ends_all_the_same():
    # given: a log that takes nothing any more
    code = (
        "import os, sys; from services.runtime import logs, shell;"
        "from services.runtime.settings import Settings;"
        "from pitledger.sources.environment import Environment;"
        "shell.LAST_WORDS_S = 0.2; logs.flush = lambda: __import__('time').sleep(60);"
        "made = shell.Shell(Settings.from_environment('wagers', Environment({})));"
        "made.die('a test')"
    )
    # when
    ended = subprocess.run([sys.executable, "-c", code], timeout=30, check=False)
    # then
    assert ended.returncode == 70
