"""What the coordinators of the other groups answer, and what comes of it."""

import asyncio
from types import SimpleNamespace

import pytest
from aiokafka.errors import NodeNotReadyError

from pitledger.sources.environment import Environment
from services.runtime import commits as module
from services.runtime.commits import Commits
from services.runtime.settings import Settings

GROUP_LOADS, NOT_COORDINATOR, MAY_NOT = 14, 16, 30


class Admin:
    """Answers each group's requests in turn; the last again and again."""

    def __init__(self, answers):
        self.answers = answers
        self.dead = 0
        self.asked = []

    async def find_coordinator(self, _group):
        if self.dead:
            self.dead -= 1
            raise NodeNotReadyError
        return 1

    async def _send_request(self, request, _coordinator):
        group = request._consumer_group
        self.asked.append(_owner(group))
        waiting = self.answers.get(self.asked[-1], [answer()])
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


def _owner(group):
    return group.rpartition(".")[2]


def answer(offsets=(), error=0, of_partition=0):
    rows = [(partition, offset, "", of_partition) for partition, offset in dict(offsets).items()]
    return SimpleNamespace(topics=[("pitledger.journal.v1", rows)], error_code=error)


def of_all(own, dead=0, **answers):
    """The commits by partition, then by processor."""
    commits = Commits(Settings.from_environment("wagers", Environment({})))
    commits._admin = admin = Admin(answers)
    admin.dead = dead
    found = asyncio.run(commits.of_all(own))
    return {n: {_owner(group): at for group, at in of.items()} for n, of in found.items()}, admin


def test_the_commits_of_all_groups_are_found_by_partition():
    found, _ = of_all(
        {0: 9, 1: 9, 2: None},
        dealing=[answer({0: 7, 1: 3, 2: -1})],
        settlement=[answer({0: 8, 1: 20, 2: -1})],
    )
    assert found == {
        0: {"wagers": 9, "dealing": 7, "settlement": 8},
        1: {"wagers": 9, "dealing": 3, "settlement": 20},
        2: {},
    }


@pytest.mark.parametrize("code", [GROUP_LOADS, NOT_COORDINATOR])
def test_a_coordinator_that_has_just_changed_is_asked_again(code, monkeypatch):
    monkeypatch.setattr(module, "RETRY_S", 0)
    found, admin = of_all({0: 9}, dealing=[answer(error=code), answer({0: 4})])
    assert found == {0: {"wagers": 9, "dealing": 4}}
    assert admin.asked.count("dealing") == 2


def test_where_the_broker_that_was_asked_is_dead_another_is(monkeypatch):
    monkeypatch.setattr(module, "RETRY_S", 0)
    assert of_all({0: 9}, dead=3, dealing=[answer({0: 4})])[0][0]["dealing"] == 4


def test_an_error_of_a_partition_is_none_of_its_commits(monkeypatch):
    monkeypatch.setattr(module, "RETRY_S", 0)
    unstable = answer({0: 1}, of_partition=NOT_COORDINATOR)
    assert of_all({0: 9}, dealing=[unstable, answer({0: 4})])[0][0]["dealing"] == 4


def test_a_group_that_may_not_be_seen_is_said_and_does_not_count(monkeypatch):
    said = []
    commits = Commits(Settings.from_environment("wagers", Environment({})))
    commits._admin = Admin({"dealing": [answer(error=MAY_NOT)]})
    monkeypatch.setattr(commits, "_log", SimpleNamespace(warning=lambda *_, **f: said.append(f)))
    assert asyncio.run(commits.of_all({0: 9})) == {0: {"pitledger.wagers": 9}}
    assert [each["group"] for each in said] == ["pitledger.dealing"]
    assert "GroupAuthorizationFailed" in said[0]["error"]


def test_one_that_never_comes_is_said_and_does_not_count(monkeypatch):
    monkeypatch.setattr(module, "TIMEOUT_S", 0.05)
    monkeypatch.setattr(module, "RETRY_S", 0.01)
    assert of_all({0: 9}, dealing=[answer(error=GROUP_LOADS)])[0] == {0: {"wagers": 9}}
