"""The consumer groups of the processors: where each stands, and who is in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from services.cli.checks.finding import Finding

if TYPE_CHECKING:
    from pitledger.sources.connection import Connection


@dataclass(frozen=True, slots=True)
class Group:
    """A processor's group: committed offsets by partition, and its members by name and host.

    `members`: None where the broker's answer cannot be read (the embedded one's).
    """

    owner: str
    name: str
    committed: dict[int, int]
    members: tuple[str, ...] | None

    def behind(self, ends: dict[int, int]) -> int:
        """Records above the committed offsets, up to these ends: open rounds, or lag."""
        return sum(max(0, end - self.committed.get(p, 0)) for p, end in ends.items())


def read_groups(connection: "Connection", names: dict[str, str]) -> list[Group]:
    """The groups by their processors' names. Raises ConnectionFailed."""
    from kafka.errors import KafkaError

    from pitledger.sources.connection import ConnectionFailed

    admin = connection.admin()
    try:
        return [_group(admin, connection.topic, owner, name) for owner, name in names.items()]
    except KafkaError as error:
        raise ConnectionFailed(connection.explain(error)) from None
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
    """A processor that nobody runs: something waits if there are records for it."""
    for group in groups:
        behind = group.behind(ends)
        if group.members == ():
            text = f"no process of {group.owner} is in the group {group.name}"
            if behind:
                text += f"; {behind:,} records wait for it"
            yield Finding(
                "no_process", text, f"start it: python -m services.{group.owner}",
                waits=behind > 0, owner=group.owner,
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
