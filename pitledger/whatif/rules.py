"""A round's opening under other rules: another submission, other settings, other posted limits."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from google.protobuf.message import DecodeError

from pitledger.games.submission import (
    BadSubmission,
    problems_of_posted,
    serialize,
    to_settings,
    with_policies,
)
from pitledger.games.submission_schema import schema_of
from pitledger.journal.record import JournalRecord
from pitledger.pb import money_pb2
from pitledger.pb.facts_pb2 import RoundOpened
from pitledger.pb.rules_pb2 import PostedLimits, RulesSubmission, WagerOffer
from pitledger.processors.opening import terms_of
from pitledger.whatif.changes import Applied, CannotBe, Posted, Setting
from pitledger.whatif.played import Placed


class OtherRules:
    """What is changed of rounds' rules. `submission`: another as a whole, for rounds of its game.

    A round whose game has none of the settings and limits named here is not concerned.
    """

    def __init__(
        self, submission: RulesSubmission | None, changes: Iterable[Setting | Posted]
    ) -> None:
        self._submission = serialize(submission) if submission else b""
        self._game = submission.game if submission else 0
        self._settings: list[Setting] = []
        self._posted: list[Posted] = []
        for change in changes:
            if isinstance(change, Setting):
                self._settings.append(change)
            else:
                self._posted.append(change)
        self._changed: dict[bytes, bytes] = {}  # submissions seen, which are few

    def opening(self, placed: Placed) -> Placed:
        """The RoundOpened under these rules; itself where they change nothing of it.

        Raises CannotBe where its own content is invalid, or would be.
        """
        opened = placed.fact.record.round_opened
        if not self._concerns(_parsed(opened.submission)):
            return placed
        if terms_of(placed.fact).rules is None:
            raise CannotBe("its own rules are invalid: nothing was taken in this round")
        submission = self._changed.get(opened.submission)
        if submission is None:
            submission = self._submission_instead_of(opened.submission)
            self._changed[opened.submission] = submission
        posted = _posted(opened.posted_limits, _parsed(submission), self._posted)
        if submission == opened.submission and posted == opened.posted_limits:
            return placed
        record = JournalRecord()
        record.CopyFrom(placed.fact.record)
        record.round_opened.submission = submission
        record.round_opened.submission_digest = sha256(submission).digest()
        record.round_opened.posted_limits.CopyFrom(posted)
        changed = placed.saying(record)
        if terms_of(changed.fact).rules is None:
            raise CannotBe(_why_invalid(record.round_opened))
        return changed

    def applied(self, before: Placed, after: Placed) -> Iterator[Applied]:
        """Each setting and each limit that says otherwise now."""
        old, new = before.fact.record.round_opened, after.fact.record.round_opened
        was, would = (to_settings(_parsed(opened.submission)) for opened in (old, new))
        for name in would:
            values = was[name]["value"], would[name]["value"]
            for key, *texts in _differing(name, *values):
                yield Applied(key, texts[0], texts[1], before.offset)
        filed = {offer.kind: offer for offer in _parsed(new.submission).wagers}
        for change in self._posted:
            if change.kind in filed or change.kind is None:
                texts = [_said(opened.posted_limits, filed, change) for opened in (old, new)]
                if texts[0] != texts[1]:
                    yield Applied(change.name, texts[0], texts[1], before.offset)

    def _concerns(self, own: RulesSubmission) -> bool:
        schema = schema_of(own.game)
        if schema is None:
            return False
        kinds = {offer.kind for offer in own.wagers} | {None}
        return (
            own.game == self._game
            or any(schema.setting(change.setting) for change in self._settings)
            or any(change.kind in kinds for change in self._posted)
        )

    def _submission_instead_of(self, own: bytes) -> bytes:
        message = _parsed(own)
        base = _parsed(self._submission) if message.game == self._game else message
        changed = with_settings(base, self._settings)
        return own if changed == message else serialize(changed)


def with_settings(base: RulesSubmission, settings: Sequence[Setting]) -> RulesSubmission:
    """A submission with settings changed by the house; those of another game are passed over.

    Whoever said what a setting still says, says it still. Raises CannotBe.
    """
    schema = schema_of(base.game)
    assert schema is not None, "a valid submission has a known game"
    policies: dict[str, object] = {}
    for change in settings:
        if schema.setting(change.setting) is None:
            continue
        before = policies.get(change.setting)
        if not change.key:
            policies[change.setting] = change.value
        elif isinstance(before, dict):
            policies[change.setting] = before | {change.key: change.value}
        else:
            policies[change.setting] = {change.key: change.value}
    if not policies:
        return base
    try:
        changed = with_policies(base, policies)
    except BadSubmission as problem:
        raise CannotBe(problem.problems[0]) from None
    was, would = to_settings(base), to_settings(changed)
    said = {entry.setting: entry for entry in base.authorities}
    for entry in changed.authorities:
        if was[entry.setting]["value"] == would[entry.setting]["value"]:
            entry.CopyFrom(said[entry.setting])
    return changed


@lru_cache(maxsize=64)
def _parsed(submission: bytes) -> RulesSubmission:
    """Not to be changed; without a game where the bytes are none."""
    try:
        return RulesSubmission.FromString(submission)
    except DecodeError:
        return RulesSubmission()


def _why_invalid(opened: RoundOpened) -> str:
    submission = _parsed(opened.submission)
    for problem in problems_of_posted(opened.posted_limits, submission):
        return problem
    for seat in opened.seats:
        if seat.position > submission.positions:
            return f"position {seat.position} is seated; these rules have {submission.positions}"
    return "it could not be opened under these rules"


def _posted(
    own: PostedLimits, submission: RulesSubmission, changes: Sequence[Posted]
) -> PostedLimits:
    """A wager that is not posted has its filed range; it is posted where that changes."""
    if not changes:
        return own
    filed = {offer.kind: offer for offer in submission.wagers}
    limits = PostedLimits()
    limits.CopyFrom(own)
    for change in changes:
        if change.kind is None:
            if money_pb2.WAGER_KIND_POT in filed:
                limits.pot_amount_minor = change.value
        elif change.kind in filed:
            setattr(_offer(limits, filed[change.kind]), _FIELDS[change.field], change.value)
    return own if _effective(limits, filed) == _effective(own, filed) else limits


_FIELDS = {"min": "min_minor", "max": "max_minor", "offered": "offered"}
_Filed = dict["money_pb2.WagerKind", WagerOffer]


def _offer(limits: PostedLimits, filed: WagerOffer) -> WagerOffer:
    for offer in limits.wagers:
        if offer.kind == filed.kind:
            return offer
    offer = limits.wagers.add()
    offer.CopyFrom(filed)
    return offer


def _effective(limits: PostedLimits, filed: _Filed) -> object:
    """What a sign says, whether or not it repeats what was filed."""
    return limits.pot_amount_minor, filed | {offer.kind: offer for offer in limits.wagers}


def _said(limits: PostedLimits, filed: _Filed, change: Posted) -> str:
    if change.kind is None:
        return str(limits.pot_amount_minor)
    posted = {offer.kind: offer for offer in limits.wagers}
    offer = posted.get(change.kind, filed[change.kind])
    return _text(getattr(offer, _FIELDS[change.field]))


def _differing(name: str, was: object, would: object) -> Iterator[tuple[str, str, str]]:
    """Name and both texts; of tables the entries that differ."""
    if isinstance(was, dict) and isinstance(would, dict):
        for key in dict.fromkeys((*was, *would)):
            yield from _differing(f"{name}.{key}", was.get(key), would.get(key))
    elif was != would:
        yield name, _text(was), _text(would)


def _text(value: object) -> str:
    """A setting's value in one line."""
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
