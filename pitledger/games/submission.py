"""Rules submissions (58 Pa. Code 601a.2): TOML text in, a valid `RulesSubmission` out, and back.

Nothing here reads a file. Whatever is wrong is said in lines, all of them at once and in the order
of the text: "section.key: found ...; allowed: ...".
"""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pitledger.games.submission_draft import (
    Draft,
    draft_of,
    message_of,
    problems_in,
    read_text,
    with_policy,
)
from pitledger.games.submission_schema import schema_of
from pitledger.games.submission_shapes import found
from pitledger.pb import money_pb2
from pitledger.pb.rules_pb2 import RulesSubmission

if TYPE_CHECKING:
    from pitledger.pb.rules_pb2 import PostedLimits


class BadSubmission(ValueError):
    """A submission that cannot be taken; `problems` has one line for each thing wrong."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def parse_submission(text: str) -> RulesSubmission:
    """Read the TOML text of a submission; raise BadSubmission with every problem in it."""
    return _accepted(read_text(text))


def with_policies(base: RulesSubmission | str, policies: Mapping[str, object]) -> RulesSubmission:
    """A submission, given as message or TOML text, with some settings changed by the house.

    `policies` maps setting names to values as TOML or JSON have them. A table changes only the
    entries that it names. A bare amount or scope may stand for `aggregate_payout_limit`'s, and a
    name for a pay table; only a text knows pay tables that it does not use. Raises BadSubmission:
    for an unknown setting, and for all that is wrong then.
    """
    draft = read_text(base) if isinstance(base, str) else draft_of(base)
    if draft.schema is not None:
        for name, value in policies.items():
            draft = with_policy(draft, draft.schema, name, value)
    return _accepted(draft)


def problems_of(message: RulesSubmission) -> tuple[str, ...]:
    """What is wrong with a message, () if nothing: the same lines as for a text.

    A message is also wrong that holds anything which no text would put there: a wager or a pay
    twice, another game's rules, fields of a later version.
    """
    draft = draft_of(message)
    problems = problems_in(draft)
    if not problems and serialize(message_of(draft)) != serialize(message):
        return ("submission: holds more than its settings, or holds them in another order",)
    return tuple(line for _, line in problems)


def problems_of_posted(posted: "PostedLimits", submission: RulesSubmission) -> tuple[str, ...]:
    """What is wrong with a table's posted limits under a valid submission, () if nothing.

    Each wager that is posted is one that was filed, once, within its filed range. One that is
    posted as not offered has no range; one not posted has its filed range. The Pot's amount lies
    within the Pot's range, posted or filed, and is a multiple of the wager unit: what is compulsory
    must be what a circle may hold.
    """
    filed = {offer.kind: offer for offer in submission.wagers}
    lines, seen = [], set()
    for offer in posted.wagers:
        where = f"posted.{_kind_name(offer.kind)}"
        if offer.kind not in filed:
            lines.append(f"{where}: is no wager of this game")
            continue
        if offer.kind in seen:
            lines.append(f"{where}: stands there twice")
        seen.add(offer.kind)
        if not offer.offered:
            continue
        if not filed[offer.kind].offered:
            lines.append(f"{where}: is not offered under the submission")
        low, high = filed[offer.kind].min_minor, filed[offer.kind].max_minor
        if not low <= offer.min_minor <= offer.max_minor <= high:
            lines.append(f"{where}: found {offer.min_minor} to {offer.max_minor};"
                         f" allowed: a range within {low} to {high}")
    pot = next((o for o in posted.wagers if o.kind == money_pb2.WAGER_KIND_POT and o.offered),
               filed.get(money_pb2.WAGER_KIND_POT))
    lines += _pot_problems(posted.pot_amount_minor, pot, submission.wager_unit_minor)
    return tuple(lines)


def serialize(message: RulesSubmission) -> bytes:
    """The bytes that a round carries and a digest covers."""
    return message.SerializeToString(deterministic=True)


def to_settings(message: RulesSubmission) -> dict[str, dict[str, Any]]:
    """Setting name -> {"value", "authority", "source"}, in the order of the file.

    Total for any message of a known game, valid or not; {} for any other.
    """
    return {
        name: {"value": entry.value, "authority": entry.authority, "source": entry.source}
        for name, entry in draft_of(message).entries.items()
    }


def to_toml(message: RulesSubmission) -> str:
    """The text of a valid message; parsing it gives the message again."""
    schema = schema_of(message.game)
    assert schema is not None, "a valid message has a known game"
    lines = ["[submission]", f'game = "{schema.name}"',
             f"name = {_toml(message.name)}", f"title = {_toml(message.title)}"]
    settings = to_settings(message)
    for section in schema.sections:
        lines += ["", f"[{section}]"]
        for setting in schema.settings:
            said = settings[setting.name]
            body = dict(said["value"]) if setting.shape.keys else {"value": said["value"]}
            body |= {key: said[key] for key in ("authority", "source") if said[key]}
            if setting.section == section:
                lines.append(f"{setting.name} = {_toml(body)}")
            elif setting.name == section:
                lines += [f"{key} = {_toml(value)}" for key, value in body.items()]
    return "\n".join(lines) + "\n"


def _accepted(draft: Draft) -> RulesSubmission:
    problems = problems_in(draft)
    if problems:
        raise BadSubmission(tuple(line for _, line in problems))
    return message_of(draft)


def _pot_problems(amount: int, offer: Any, unit: int) -> list[str]:
    """The Pot's posted amount; 0 says that this table has no Pot."""
    if amount == 0:
        return []
    low, high = (offer.min_minor, offer.max_minor) if offer and offer.offered else (0, 0)
    if high and low <= amount <= high:
        multiple = f"a multiple of the wager unit, {unit}"
        return [found("posted.pot_amount", amount, multiple)] if amount % unit else []
    allowed = f"0 or {low} to {high}" if high else "0: no Pot is offered under the submission"
    return [found("posted.pot_amount", amount, allowed)]


def _kind_name(kind: int) -> str:
    value = money_pb2.WagerKind.DESCRIPTOR.values_by_number.get(kind)
    return value.name.removeprefix("WAGER_KIND_").lower() if value else str(kind)


def _toml(value: object) -> str:
    """A setting's value in one line of TOML; JSON's strings and booleans are TOML's too."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)
