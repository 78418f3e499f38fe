"""Drafts: what a text or a message says of a submission, right or wrong, before it is judged."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from pitledger.games.submission_schema import SCHEMAS, Schema, Setting, schema_of
from pitledger.games.submission_shapes import (
    PayTable,
    Table,
    choice_name,
    choices,
    found,
    listed,
    near,
    shown,
    unknown_keys,
)
from pitledger.pb import rules_pb2
from pitledger.pb.rules_pb2 import RulesSubmission

HEADER = ("game", "name", "title")
GAMES = rules_pb2.Game.DESCRIPTOR
AUTHORITIES = rules_pb2.Authority.DESCRIPTOR

Problem = tuple[str, str]
"""(where, line); `where` is "section.key" or begins with it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One setting. `named` has the pay tables that a text offers for it, by name."""

    where: str
    value: object
    authority: object = None
    source: object = ""
    named: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Draft:
    """`problems`: those that keep an entry out. `order`: where -> its place in the text."""

    schema: Schema | None
    header: Mapping[str, object]
    entries: Mapping[str, Entry]
    problems: tuple[Problem, ...] = ()
    order: Mapping[str, int] = field(default_factory=dict)


def read_text(text: str) -> Draft:
    """The draft of a TOML text; whatever the text, it is a draft."""
    try:
        text.encode()  # tomllib lets lone surrogates through; a message cannot hold them
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = " ".join(str(error).split())
        return Draft(None, {}, {}, (("", f"not TOML: {reason}"),))
    if not document:
        return Draft(None, {}, {}, (("", "empty: a submission begins with [submission]"),))
    header = document.get("submission", {})
    order = {where: place for place, where in enumerate(_places(document))}
    if not isinstance(header, dict):
        line = found("submission", header, f"a table with {', '.join(HEADER)}")
        return Draft(None, {}, {}, (("submission", line),), order)
    schema = schema_of(header["game"]) if isinstance(header.get("game"), str) else None
    if schema is None:  # without a game nothing says what the other sections may hold
        return Draft(None, header, {}, (), order)
    problems = list(_section_problems(schema, document))
    entries = {}
    for setting in schema.settings:
        entry = _entry(setting, document, problems)
        if entry is not None:
            entries[setting.name] = entry
    return Draft(schema, header, entries, tuple(problems), order)


def draft_of(message: RulesSubmission) -> Draft:
    """The draft that says what a message says."""
    header = {"game": choice_name(GAMES, message.game), "name": message.name,
              "title": message.title}
    schema = schema_of(header["game"])
    if schema is None:
        return Draft(None, header, {})
    said = {authority.setting: authority for authority in message.authorities}
    entries = {}
    for setting in schema.settings:
        holder = getattr(message, schema.field) if setting.of_game else message
        by = said.get(setting.name)
        entries[setting.name] = Entry(
            setting.where, setting.shape.get(holder, setting.field),
            choice_name(AUTHORITIES, by.authority) if by else None, by.source if by else "")
    return Draft(schema, header, entries)


def with_policy(draft: Draft, schema: Schema, name: str, value: object) -> Draft:
    """The draft with one setting changed by the house; a table's other entries stay."""
    setting = schema.setting(name)
    if setting is None:
        names = [setting.name for setting in schema.settings]
        line = f"policies: unknown setting {shown(name)}" + (
            near(name, names) or f"; allowed: {', '.join(names)}")
        return replace(draft, problems=(*draft.problems, ("policies", line)))
    old = draft.entries.get(name) or Entry(setting.where, None)
    where = setting.where
    match setting.shape:
        case PayTable() if isinstance(value, str):
            if value not in old.named:
                allowed = listed(tuple(old.named)) or "a table of pays; this submission names none"
                line = found(where, value, allowed)
                return replace(draft, problems=(*draft.problems, (where, line)))
            where, value = f"{where}.{value}", old.named[value]
        case Table(bare=bare):
            for kind, key in bare:
                if type(value) is kind:
                    value = {key: value}
        case _:
            pass
    if setting.shape.keys and isinstance(value, dict) and isinstance(old.value, dict):
        value = {**old.value, **value}
    entry = Entry(where, value, "house", "", old.named)
    return replace(draft, entries={**draft.entries, name: entry})


def problems_in(draft: Draft) -> tuple[Problem, ...]:
    """All that is wrong with a draft, in the order of its text, else of its schema."""
    problems = [*draft.problems]
    if draft.schema is not None or not problems:
        problems += _header_problems(draft.header)
    if draft.schema is not None:
        problems += _setting_problems(draft.schema, draft.entries)
    order = draft.order or _schema_order(draft.schema)
    return tuple(sorted(problems, key=lambda problem: _place(order, problem[0])))


def message_of(draft: Draft) -> RulesSubmission:
    """The message of a draft without problems."""
    schema = draft.schema
    assert schema is not None, "a draft without problems has a known game"
    message = RulesSubmission(
        game=cast("rules_pb2.Game", schema.game),
        name=cast(str, draft.header["name"]),
        title=cast(str, draft.header["title"]),
    )
    for setting in schema.settings:
        entry = draft.entries[setting.name]
        holder = getattr(message, schema.field) if setting.of_game else message
        setting.shape.put(holder, setting.field, entry.value)
        authority = choices(AUTHORITIES)[cast(str, entry.authority)]
        message.authorities.add(setting=setting.name, source=cast(str, entry.source),
                                authority=cast("rules_pb2.Authority", authority))
    return message


# ---- Reading a text ------------------------------------------------------------------------------


def _places(document: Mapping[str, Any]) -> Iterator[str]:
    for section, body in document.items():
        yield section
        if isinstance(body, dict):
            for key in body:
                yield f"{section}.{key}"


def _section_problems(schema: Schema, document: Mapping[str, Any]) -> Iterator[Problem]:
    """Sections and keys that should not be there, and sections that should."""
    sections = ("submission", *schema.sections)
    homes = {setting.name: setting.section for setting in schema.settings if setting.section}
    own = {setting.name for setting in schema.settings if not setting.section}
    for name, body in document.items():
        if name in homes:
            yield name, f"{shown(name)[1:-1]}: belongs into section [{homes[name]}]"
        elif name not in sections:
            yield name, f"unknown section [{shown(name)[1:-1]}]" + (
                near(name, sections) or f"; allowed: {', '.join(sections)}")
        elif name != "submission" and name not in own:
            yield from _key_problems(name, body, homes)
    for section in schema.sections:
        if section not in document:
            yield section, f"section [{section}] is missing"


def _key_problems(section: str, body: object, homes: Mapping[str, str]) -> Iterator[Problem]:
    names = [name for name, home in homes.items() if home == section]
    if not isinstance(body, dict):
        yield section, found(section, body, f"a section with {', '.join(names)}")
        return
    for key in body:
        if key in names:
            continue
        if key in homes:
            yield f"{section}.{key}", f"{section}.{key}: belongs into section [{homes[key]}]"
            continue
        for line in unknown_keys(section, {key: None}, names):
            yield f"{section}.{key}", line
    for name in names:
        if name not in body:
            yield section, f"{section}: {name} is missing"


def _entry(setting: Setting, document: Mapping[str, Any], problems: list[Problem]) -> Entry | None:
    """One setting as the text has it; None, or with its problem noted, where it has no value."""
    where = setting.where
    section = document.get(setting.section, {}) if setting.section else document
    if not isinstance(section, dict) or setting.name not in section:
        return None  # noted with its section
    node = section[setting.name]
    if not isinstance(node, dict):
        body = ", ".join(setting.shape.keys) if setting.shape.keys else "value"
        problems.append((where, found(where, node, f"a table with {body} and authority")))
        return None
    rest = {key: value for key, value in node.items() if key not in ("authority", "source")}
    by = (node.get("authority"), node.get("source", ""))
    if isinstance(setting.shape, PayTable) and "choice" in rest:
        return _chosen(setting, rest, by, problems)
    if setting.shape.keys:
        return Entry(where, rest, *by)
    problems += [(where, line)
                 for line in unknown_keys(where, node, ("value", "authority", "source"))]
    if "value" in rest:
        return Entry(where, rest["value"], *by)
    problems.append((where, f"{where}: value is missing"))
    return None


def _chosen(setting: Setting, node: Mapping[str, Any], by: tuple[object, object],
            problems: list[Problem]) -> Entry | None:
    """The pay table that `choice` names; those not chosen are judged all the same."""
    where, choice = setting.where, node["choice"]
    named = {name: body for name, body in node.items() if isinstance(body, dict)}
    others = {key: value for key, value in node.items() if key not in named}
    problems += [(where, line) for line in unknown_keys(where, others, ("choice",))]
    for name, body in named.items():
        if name != choice:
            problems += [(f"{where}.{name}", line)
                         for line in setting.shape.problems(f"{where}.{name}", body)]
    if not isinstance(choice, str) or choice not in named:
        allowed = listed(tuple(named)) or f"the name of a table [{where}.NAME]"
        problems.append((f"{where}.choice", found(f"{where}.choice", choice, allowed)))
        return None
    return Entry(f"{where}.{choice}", named[choice], *by, named)


# ---- Judging a draft -----------------------------------------------------------------------------


def _header_problems(header: Mapping[str, object]) -> Iterator[Problem]:
    games = [schema.name for schema in SCHEMAS]
    if not header:
        yield "submission", f"section [submission] is missing; it has {', '.join(HEADER)}"
        return
    for line in unknown_keys("submission", dict(header), HEADER):
        yield "submission", line
    for key in HEADER:
        where, value = f"submission.{key}", header.get(key)
        if value is None:
            yield "submission", f"submission: {key} is missing"
        elif key == "game" and value not in games:
            yield where, found(where, value, listed(games)) + near(value, games)
        elif key == "name" and not _matches("[a-z0-9][a-z0-9-]{0,39}", value):
            yield where, found(where, value, "small letters, digits and hyphens, 40 at most")
        elif key == "title" and not _is_line(value, 1, 80):
            yield where, found(where, value, "one line of 1 to 80 characters")


def _setting_problems(schema: Schema, entries: Mapping[str, Entry]) -> Iterator[Problem]:
    sound = {}
    for name, entry in entries.items():
        setting = schema.setting(name)
        assert setting is not None
        lines = list(setting.shape.problems(entry.where, entry.value))
        yield from ((entry.where, line) for line in lines)
        yield from ((setting.where, line) for line in _authority_problems(setting.where, entry))
        if not lines:
            sound[name] = entry.value
    for rule in schema.rules:
        if all(need in sound for need in rule.needs):
            yield from rule.problems(schema, sound)


def _authority_problems(where: str, entry: Entry) -> Iterator[str]:
    names = tuple(choices(AUTHORITIES))
    if entry.authority is None:
        yield f"{where}: authority is missing; allowed: {listed(names)}"
    elif entry.authority not in names:
        yield (found(f"{where}.authority", entry.authority, listed(names))
               + near(entry.authority, names))
    if not _is_line(entry.source, 0, 120):
        yield found(f"{where}.source", entry.source, "one line of at most 120 characters")
    elif entry.authority == "code" and not re.search("[0-9]+a?[.][0-9]+", str(entry.source)):
        yield f'{where}: authority "code" needs its section, such as source = "680a.11(f)"'


def _matches(pattern: str, value: object) -> bool:
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _is_line(value: object, shortest: int, longest: int) -> bool:
    return (isinstance(value, str) and shortest <= len(value) <= longest
            and value.isprintable() and value.strip() == value)


def _schema_order(schema: Schema | None) -> dict[str, int]:
    names = [setting.where for setting in schema.settings] if schema else []
    return {where: place for place, where in enumerate(["submission", *names])}


def _place(order: Mapping[str, int], where: str) -> int:
    """The place of the nearest thing around `where` that has one; the end where none has."""
    while where:
        if where in order:
            return order[where]
        where = where.rpartition(".")[0]
    return len(order)
