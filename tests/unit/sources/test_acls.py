"""What deploy/kafka/acls.toml grants, without a broker."""

from pathlib import Path

import pytest

from pitledger.sources.acls import BadAcls, Right, read_acls
from pitledger.sources.connection import Connection

FILE = Path(__file__).parents[3] / "deploy" / "kafka" / "acls.toml"
CONNECTION = Connection(topic="j", quarantine_topic="q")
PROCESSORS = {"wagers", "dealing", "evaluation", "settlement"}


def listed(*profiles):
    return read_acls(FILE, CONNECTION, "g", profiles)


def rights(*profiles):
    return listed(*profiles).rights


def who(found, operation, resource, name):
    return {
        right.principal.removeprefix("User:")
        for right in found
        if (right.operation, right.resource, right.name) == (operation, resource, name)
    }


@pytest.mark.parametrize(
    ("profiles", "floor"), [((), set()), (("demo",), {"floor"}), (("load",), {"floor"})]
)
def test_on_the_journal_write_the_gateway_the_processors_cases_and_at_times_the_floor(
    profiles, floor
):
    assert who(rights(*profiles), "WRITE", "TOPIC", "j") == {
        "gateway", "cases", *PROCESSORS, *floor,
    }  # fmt: skip


def test_in_quarantine_writes_wagers_alone():
    assert who(rights("load"), "WRITE", "TOPIC", "q") == {"wagers"}


def test_a_group_is_read_by_its_owner_alone():
    for owner in PROCESSORS:
        assert who(rights("load"), "READ", "GROUP", f"g.{owner}") == {owner}


def test_nobody_but_the_operator_alters_anything():
    harmless = {"READ", "WRITE", "DESCRIBE", "DESCRIBE_CONFIGS"}
    others = {right for right in rights("load") if right.operation not in harmless}
    assert {right.principal for right in others} == {"User:operator"}
    for operation in ("CREATE", "ALTER", "ALTER_CONFIGS", "DELETE"):
        assert who(others, operation, "TOPIC", "j") == {"operator"}


def test_who_starts_only_on_a_journal_with_the_right_settings_may_see_them():
    assert who(rights("load"), "DESCRIBE_CONFIGS", "TOPIC", "j") == {
        "cases", "archivist", "auditor", "desk", "operator", *PROCESSORS,
    }  # fmt: skip


def test_nobody_has_all_rights_on_a_topic_for_that_would_include_to_write():
    assert who(rights("load"), "ALL", "TOPIC", "j") == set()
    assert who(rights("load"), "ALL", "TOPIC", "q") == set()


def test_the_operator_may_not_what_brokers_do_among_themselves():
    of_the_cluster = {right for right in rights("load") if right.resource == "CLUSTER"}
    assert {right.principal for right in of_the_cluster} == {"User:operator"}
    assert {right.operation for right in of_the_cluster} == {
        "CREATE", "ALTER", "DESCRIBE", "ALTER_CONFIGS", "DESCRIBE_CONFIGS",
    }  # fmt: skip


@pytest.mark.parametrize(
    "extra",
    [
        Right("User:stranger", "READ", "TOPIC", "j"),
        Right("User:stranger", "READ", "GROUP", "g.wagers"),
        Right("User:desk", "WRITE", "TOPIC", "q", permission="DENY"),
        Right("User:floor", "READ", "GROUP", "g.wagers"),  # of a profile that is not asked for
        Right("User:desk", "READ", "GROUP", "g.cases"),  # a group that an earlier file granted
        Right("User:dealing", "READ", "GROUP", "g.", "PREFIXED"),
    ],
)
def test_what_is_too_much_on_what_the_file_names_is_taken_back(extra):
    found = listed().differences(rights() | {extra})
    assert (found.missing, found.superfluous, found.wider) == ([], [extra], [])


@pytest.mark.parametrize(
    "others",
    [
        Right("User:wagers", "READ", "GROUP", "g.b.wagers"),  # an installation that is named g.b
        Right("User:operator", "ALL", "GROUP", "g.b.", "PREFIXED"),
        Right("User:operator", "ALL", "GROUP", "g.b", "PREFIXED"),
        Right("User:wagers", "READ", "GROUP", "g2.wagers"),
        Right("User:reports", "READ", "GROUP", "g.reports"),
    ],
)
def test_what_another_installation_grants_is_not_seen(others):
    assert not listed().differences(rights() | {others})


@pytest.mark.parametrize(
    "wide",
    [
        Right("User:stranger", "READ", "GROUP", "*"),
        Right("User:stranger", "READ", "GROUP", "g", "PREFIXED"),
        Right("User:wagers", "READ", "GROUP", "g.wag", "PREFIXED"),
        Right("User:stranger", "READ", "TOPIC", "", "PREFIXED"),
        Right("User:stranger", "ALTER", "CLUSTER", "kafka-cluster"),
    ],
)
def test_a_pattern_that_covers_ours_is_told_and_left_alone(wide):
    found = listed().differences(rights() | {wide})
    assert (found.missing, found.superfluous, found.wider) == ([], [], [wide])


def test_a_profile_that_the_file_has_not_is_said():
    with pytest.raises(BadAcls, match="has no profile holiday"):
        rights("holiday")


def test_a_right_reads_as_a_sentence():
    assert str(Right("User:a", "READ", "GROUP", "g.", "PREFIXED")) == "User:a may read group g.*"
    denied = Right("User:a", "WRITE", "TOPIC", "j", permission="DENY", host="1.2.3.4")
    assert str(denied) == "User:a must not write topic j from 1.2.3.4"
