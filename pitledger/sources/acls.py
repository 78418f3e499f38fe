"""Who may do what on the bus: read from a file, and what the broker has is made equal to it."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import kafka
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)
from kafka.errors import KafkaError, NoError, SecurityDisabledError

from pitledger.sources.connection import Connection, ConnectionFailed

CLUSTER = "kafka-cluster"
_OPERATIONS = {
    name: ACLOperation[name.upper()]
    for name in (
        "all",
        "read",
        "write",
        "create",
        "alter",
        "delete",
        "describe",
        "alter_configs",
        "describe_configs",
    )
}
_KEYS = {"profiles", "journal", "quarantine", "groups", "cluster"}
_ALTERS = {ACLOperation.ALL, ACLOperation.ALTER, ACLOperation.ALTER_CONFIGS, ACLOperation.DELETE}


class BadAcls(Exception):
    """One line: the file, and what is wrong with it."""


@dataclass(frozen=True, slots=True, order=True)
class Right:
    """One entry of an access list, in Kafka's own words."""

    principal: str
    operation: str
    resource: str
    """TOPIC, GROUP or CLUSTER."""
    name: str
    pattern: str = "LITERAL"
    permission: str = "ALLOW"
    host: str = "*"

    def __str__(self) -> str:
        what = f"{self.resource.lower()} {self.name}{'*' if self.pattern == 'PREFIXED' else ''}"
        may = "may" if self.permission == "ALLOW" else "must not"
        at = "" if self.host == "*" else f" from {self.host}"
        return f"{self.principal} {may} {self.operation.lower()} {what}{at}"


@dataclass(frozen=True, slots=True)
class AccessList:
    """What a file grants, and what it speaks for: nothing else is ever taken back."""

    topics: tuple[str, str]
    """Journal and quarantine."""
    group: str
    """What the groups' names begin with, without the dot."""
    users: frozenset[str]
    """Whom the file names, in whatever profile, as Kafka writes them."""
    rights: frozenset[Right]

    def differences(self, found: Iterable[Right]) -> "Differences":
        """`found`: what the broker has on topics like ours, on groups and on the cluster."""
        found = set(found)
        extra = found - self.rights
        ours = {right for right in extra if self._is_ours(right)}
        wider = {right for right in extra - ours if self._is_wider(right)}
        return Differences(sorted(self.rights - found), sorted(ours), sorted(wider))

    def _is_ours(self, right: Right) -> bool:
        """On our topics and the groups that the file names, whoever has it. On another group of our
        name, what a user of the file has: an earlier file may have granted it.
        """
        if right.resource == "TOPIC":
            return right.pattern == "LITERAL" and right.name in self.topics
        if right.resource == "GROUP":
            named = (right.name, right.pattern) in self._groups()
            return named or (right.principal in self.users and self._is_of_our_name(right))
        return False

    def _is_of_our_name(self, right: Right) -> bool:
        """Not `pitledger.b.wagers`: that is a group of another installation, `pitledger.b`."""
        prefix = f"{self.group}."
        if right.pattern == "PREFIXED":
            return right.name == prefix
        return right.name.startswith(prefix) and "." not in right.name[len(prefix) :]

    def _is_wider(self, right: Right) -> bool:
        if right.permission != "ALLOW":
            return False
        if right.resource == "CLUSTER":
            return ACLOperation[right.operation] in _ALTERS
        if right.resource == "GROUP" and right.pattern == "PREFIXED":
            return any(name.startswith(right.name) for name, _ in self._groups())
        return right.resource == "TOPIC" or right.name == "*"

    def _groups(self) -> set[tuple[str, str]]:
        return {(each.name, each.pattern) for each in self.rights if each.resource == "GROUP"}


@dataclass(frozen=True, slots=True)
class Differences:
    """What the broker has beside what it should have."""

    missing: list[Right]
    superfluous: list[Right]
    """Ours, by `AccessList`: `apply` takes them back."""
    wider: list[Right]
    """Of patterns that match ours, or on the cluster: others may need them; told only."""

    def __bool__(self) -> bool:
        return bool(self.missing or self.superfluous or self.wider)

    def lines(self) -> list[str]:
        return [
            *(f"missing: {right}" for right in self.missing),
            *(f"too much: {right}" for right in self.superfluous),
            *(f"too wide: {right} (not taken back by pitledger)" for right in self.wider),
        ]


def read_acls(
    path: Path, connection: Connection, group: str, profiles: Iterable[str]
) -> AccessList:
    """What a file grants under these profiles. Raises BadAcls."""
    try:
        principals = tomllib.loads(path.read_text())["principals"]
        known = {profile for each in principals.values() for profile in each.get("profiles", ())}
        if unknown := set(profiles) - known:
            raise BadAcls(f"{path}: has no profile {', '.join(sorted(unknown))}")
        rights = frozenset(
            right
            for name, granted in principals.items()
            if "profiles" not in granted or set(granted["profiles"]) & set(profiles)
            for right in _rights(name, granted, connection, group)
        )
    except (OSError, ValueError) as error:
        raise BadAcls(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    except KeyError as error:
        raise BadAcls(f"{path}: has no {error.args[0]}; see deploy/kafka/acls.toml") from None
    except (AttributeError, TypeError):
        raise BadAcls(f"{path}: is not as deploy/kafka/acls.toml is") from None
    topics = connection.topic, connection.quarantine_topic
    return AccessList(topics, group, frozenset(map(_user, principals)), rights)


def check_acls(connection: Connection, wanted: AccessList) -> Differences:
    """Raises ConnectionFailed."""
    admin = connection.admin()
    try:
        return wanted.differences(_found(admin, wanted.topics))
    except KafkaError as error:
        raise _failed(connection, error) from None
    finally:
        admin.close()


def apply_acls(connection: Connection, wanted: AccessList) -> Differences:
    """Grant what is missing, then take back what is too much; what was different before.

    Raises ConnectionFailed.
    """
    admin = connection.admin()
    try:
        before = wanted.differences(_found(admin, wanted.topics))
        if before.missing:
            acls = [_kafkas(right, ACL, ResourcePattern) for right in before.missing]
            refused = admin.create_acls(acls)["failed"]
            for _, error in refused:
                raise error
        if before.superfluous:
            filters = [
                _kafkas(right, ACLFilter, ResourcePatternFilter) for right in before.superfluous
            ]
            for _, _, error in admin.delete_acls(filters):
                _raise(error)
    except KafkaError as error:
        raise _failed(connection, error) from None
    finally:
        admin.close()
    return before


def _failed(connection: Connection, error: KafkaError) -> ConnectionFailed:
    told = connection.explain(error)
    if isinstance(error, SecurityDisabledError):
        told += " The brokers need authorizer.class.name, see deploy/kafka/acls.toml"
    return ConnectionFailed(told)


def _rights(
    name: str, granted: Mapping[str, Any], connection: Connection, group: str
) -> Iterator[Right]:
    if unknown := set(granted) - _KEYS:
        raise ValueError(f"principals.{name} has an unknown key {min(unknown)}")
    principal = _user(name)
    topics = {"journal": connection.topic, "quarantine": connection.quarantine_topic}
    for key, topic in topics.items():
        for operation in granted.get(key, ()):
            yield Right(principal, _operation(name, operation), "TOPIC", topic)
    for operation in granted.get("cluster", ()):
        yield Right(principal, _operation(name, operation), "CLUSTER", CLUSTER)
    for operation, groups in granted.get("groups", {}).items():
        for owner in groups:
            asked = _operation(name, operation)
            if owner == "*":
                yield Right(principal, asked, "GROUP", f"{group}.", "PREFIXED")
            else:
                yield Right(principal, asked, "GROUP", f"{group}.{owner}")


def _operation(name: str, operation: str) -> str:
    if operation not in _OPERATIONS:
        known = ", ".join(_OPERATIONS)
        raise ValueError(f"principals.{name}: {operation} is none of {known}")
    return operation.upper()


def _user(name: str) -> str:
    return f"User:{name}"


def _found(admin: kafka.KafkaAdminClient, topics: Iterable[str]) -> Iterator[Right]:
    yield from _described(admin, ResourceType.CLUSTER, None, ACLResourcePatternType.ANY)
    yield from _described(admin, ResourceType.GROUP, None, ACLResourcePatternType.ANY)
    for topic in topics:
        yield from _described(admin, ResourceType.TOPIC, topic, ACLResourcePatternType.MATCH)


def _described(
    admin: kafka.KafkaAdminClient, resource: ResourceType, name: str | None, pattern: Any
) -> Iterator[Right]:
    asked = ACLFilter(
        None, None, ACLOperation.ANY, ACLPermissionType.ANY,
        ResourcePatternFilter(resource, name, pattern),
    )  # fmt: skip
    acls, error = admin.describe_acls(asked)
    _raise(error)
    for acl in acls:
        where = acl.resource_pattern
        yield Right(
            acl.principal,
            acl.operation.name,
            where.resource_type.name,
            where.resource_name,
            where.pattern_type.name,
            acl.permission_type.name,
            acl.host,
        )


def _kafkas(right: Right, entry: type, pattern: type) -> Any:
    """A right as kafka-python has it: an ACL with its pattern, or a filter with a filter's."""
    return entry(
        right.principal,
        right.host,
        ACLOperation[right.operation],
        ACLPermissionType[right.permission],
        pattern(ResourceType[right.resource], right.name, ACLResourcePatternType[right.pattern]),
    )


def _raise(error: Any) -> None:
    """kafka-python answers errors as classes, NoError among them."""
    if error is not NoError:
        raise error() if isinstance(error, type) else error
