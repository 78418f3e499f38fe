"""The consumer groups of the processors: where each stands, and who is in it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from services.cli.checks.finding import Finding

if TYPE_CHECKING:
    from pitledger.sources.connection import Connection


COORDINATOR_S = 20
"""How long a broker may take to make its offsets topic, which it does when first asked."""


@dataclass(frozen=True, slots=True)
class Group:
    """A processor's group: committed offsets by partition, and its members by name and host.

    `members`: None where the broker's answer cannot be read (the embedded one's).
    """

    owner: str
    name: str
    committed: dict[int, int]
    members: tuple[str, ...] | None

    def may_run(self, instances: list[str]) -> set[str]:
        """Of the instances of its processor, the newest last, those that may be its members now.

        Members with a lasting name are known by it; the others are as many of the newest.
        """
        if self.members is None:
            return set(instances)
        names = {member.rpartition(" on ")[0] for member in self.members}
        named = names.intersection(instances)
        others = [instance for instance in instances if instance not in named]
        unnamed = len(self.members) - len(named)
        return named | set(others[-unnamed:] if unnamed else ())

    def behind(self, ends: dict[int, int]) -> int:
        """Records above the committed offsets, up to these ends: open rounds, or lag."""
        return sum(max(0, end - self.committed.get(p, 0)) for p, end in ends.items())


def read_groups(connection: "Connection", names: dict[str, str]) -> list[Group]:
    """The groups by their processors' names. Raises ConnectionFailed."""
    from kafka.errors import (
        CoordinatorLoadInProgressError,
        CoordinatorNotAvailableError,
        KafkaError,
    )


    admin = connection.admin()
    deadline = time.monotonic() + COORDINATOR_S
    try:
        while True:
            try:
                return [_group(admin, connection.topic, *each) for each in names.items()]
            except (CoordinatorNotAvailableError, CoordinatorLoadInProgressError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
    except KafkaError as error:
        raise connection.failure(error) from None
    finally:
        admin.close()


def lowest(groups: list[Group], partitions: int) -> dict[int, int] | None:
    """Of each partition the lowest committed offset; None where a group has none at all.

    A partition that a group never committed counts as its beginning.
    """
    if not all(group.committed for group in groups):
        return None
    return {
        partition: min(group.committed.get(partition, 0) for group in groups)
        for partition in range(partitions)
    }


def findings(groups: list[Group], ends: dict[int, int]) -> Iterator[Finding]:
    """A processor that nobody runs: what is played next waits for it, if nothing does yet."""
    for group in groups:
        behind = group.behind(ends)
        if group.members == ():
            text = f"no process of {group.owner} is in the group {group.name}"
            if behind:
                text += f"; {behind:,} records wait for it"
            yield Finding(
                "no_process", text, f"start it: python -m services.{group.owner}",
                owner=group.owner,
            )


def _group(admin: Any, topic: str, owner: str, name: str) -> Group:
    offsets = admin.list_group_offsets({name: None}).get(name, {})
    return Group(
        owner=owner,
        name=name,
        committed={
            tp.partition: at.offset
            for tp, at in offsets.items()
            if tp.topic == topic and at.offset >= 0
        },
        members=_members(admin, name),
    )


def _members(admin: Any, name: str) -> tuple[str, ...] | None:
    try:
        described = admin.describe_groups([name]).get(name, {})
    except ValueError:  # rights that kafka-python has no name for
        return None
    return tuple(
        sorted(
            f"{member['group_instance_id'] or member['member_id']}"
            f" on {member['client_host'].lstrip('/')}"
            for member in described.get("members", ())
        )
    )
