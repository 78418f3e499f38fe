"""A partition begins at the earliest commit of the four groups."""

import asyncio

from pitledger.sources.environment import Environment
from services.runtime.commits import Commits
from services.runtime.settings import Settings


def earliest(rig, own):
    async def look():
        commits = Commits(Settings.from_environment("wagers", Environment(rig.environment())))
        await commits.start()
        try:
            return await commits.earliest(own)
        finally:
            await commits.stop()

    return asyncio.run(look())


def test_the_earliest_of_all_groups_counts_also_for_a_new_one(rig):
    rig.create().send(20)
    rig.commit({0: 7, 1: 3}, owner="dealing")
    rig.commit({0: 2}, owner="evaluation")

    assert earliest(rig, {0: 9, 1: 9}) == {0: 2, 1: 3}
    assert earliest(rig, {0: None, 1: 1}) == {0: 2, 1: 1}


def test_alone_its_own_commits_count(rig):
    rig.create()
    assert earliest(rig, {0: 5, 1: None}) == {0: 5, 1: None}
