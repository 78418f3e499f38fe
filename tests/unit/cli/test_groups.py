"""What the doctor makes of the processors' consumer groups."""

import pytest

from services.cli.checks.groups import Group, findings


def test_a_processor_that_nobody_runs_waits_though_nothing_is_due_yet():
    (found,) = findings([Group("wagers", "p.wagers", {0: 5}, ())], {0: 5})

    assert (found.kind, found.waits) == ("no_process", True)
    assert found.text == "no process of wagers is in the group p.wagers"


@pytest.mark.parametrize(("members", "may_run"), [
    (None, {"a:1", "w-1", "b:2", "b:3"}),
    ((), set()),
    (("pitledger.wagers-77 on 10.0.0.1",), {"b:3"}),
    (("w-1 on 10.0.0.1",), {"w-1"}),
    (("pitledger.wagers-77 on 10.0.0.1", "w-1 on 10.0.0.1"), {"w-1", "b:3"}),
])
def test_of_all_that_ever_started_those_may_run_that_the_group_has_room_for(members, may_run):
    group = Group("wagers", "p.wagers", {}, members)

    assert group.may_run(["a:1", "w-1", "b:2", "b:3"]) == may_run
