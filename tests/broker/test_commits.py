"""A partition begins at the earliest commit of the four groups; none may lie past its end."""

import asyncio

import pytest

from pitledger.sources.environment import Environment
from services.runtime.commits import Commits
from services.runtime.history import History, LostJournal
from services.runtime.settings import Settings


def starts(rig, own):
    """Of a wagers that has these commits, by partition."""

    async def look():
        settings = Settings.from_environment("wagers", Environment(rig.environment()))
        commits, history = Commits(settings), History(settings)
        await commits.start()
        await history.start()
        try:
            return await history.starts(await commits.of_all(own))
        finally:
            await history.stop()
            await commits.stop()

    return asyncio.run(look())


def watermarks(rig, own):
    return {partition: start.watermark for partition, start in starts(rig, own).items()}


def test_the_earliest_of_all_groups_counts_also_for_a_new_one(rig):
    rig.create().send(20)
    rig.commit({0: 7, 1: 3}, owner="dealing")
    rig.commit({0: 2}, owner="evaluation")

    assert watermarks(rig, {0: 9, 1: 9}) == {0: 2, 1: 3}
    assert watermarks(rig, {0: None, 1: 1}) == {0: 2, 1: 1}


def test_alone_its_own_commits_count(rig):
    rig.create().send(20)
    assert watermarks(rig, {0: 5, 1: 10}) == {0: 5, 1: 10}


@pytest.mark.parametrize("lost", ["wagers", "settlement"])
def test_a_commit_past_the_end_is_a_lost_journal_whoever_is_behind_it(rig, lost):
    rig.create().send(20)
    commits = {"wagers": 9, "dealing": 3, "settlement": 8} | {lost: 11}
    for owner in ("dealing", "settlement"):
        rig.commit({0: commits[owner]}, owner=owner)

    with pytest.raises(LostJournal, match=rf"partition 0: ends at offset 10, .* 11 of .*\.{lost}$"):
        starts(rig, {0: commits["wagers"]})
