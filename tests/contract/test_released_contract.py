"""Nothing leaves a released contract, and nothing enters the vocabulary of a released version."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from pitledger.cases.fold import CASE_VERSION
from pitledger.cases.journal import VOCABULARY
from pitledger.derive import LATEST_VERSION
from pitledger.pb import archive_pb2, journal_pb2, log_pb2, options_pb2, rules_pb2
from tests.contract.sources import ROOT

IMAGES = sorted((ROOT / "proto" / "released").glob("*.binpb"))
RELEASED = [image for image in IMAGES if image.stem.isdecimal()]
CASES = ROOT / "proto" / "released" / f"cases-{CASE_VERSION}.binpb"
ROOTS = ("JournalRecord", "RulesSubmission")
OF_CASES = (
    "DisputeOpened", "DisputeHeld", "DisputeResolved", "AdjustmentProposed", "AdjustmentApproved",
    "AdjustmentDeclined", "CaseAnswered", "AdjustmentPosted",
)  # fmt: skip
ENUM, MESSAGE = 14, 11


def contract_of_image(path: Path) -> FileDescriptorSet:
    return FileDescriptorSet.FromString(path.read_bytes())


def contract_now() -> FileDescriptorSet:
    found: dict[str, FileDescriptorProto] = {}
    todo = [each.DESCRIPTOR for each in (journal_pb2, rules_pb2, archive_pb2, log_pb2)]
    while todo:
        file = todo.pop()
        if file.name not in found:
            found[file.name] = FileDescriptorProto.FromString(file.serialized_pb)
            todo += file.dependencies
    return FileDescriptorSet(file=found.values())


def words_of(contract: FileDescriptorSet) -> Iterator[tuple]:
    """Every field and every enum value, with all by which bytes are read and judged."""
    for file in contract.file:
        if file.package.startswith("pitledger."):
            for message in file.message_type:
                assert not message.nested_type, "would not be compared"
                assert not message.enum_type, "would not be compared"
                oneofs = [one.name for one in message.oneof_decl]
                for field in message.field:
                    yield (
                        file.name, message.name, field.name, field.number, field.type, field.label,
                        field.type_name, field.proto3_optional,
                        oneofs[field.oneof_index] if field.HasField("oneof_index") else "",
                        field.options.Extensions[options_pb2.field_since],
                    )  # fmt: skip
            for enum in file.enum_type:
                for value in enum.value:
                    since = value.options.Extensions[options_pb2.value_since]
                    yield (file.name, enum.name, value.name, value.number, since)


def vocabulary(
    contract: FileDescriptorSet, version: int, roots: Iterable[str] = ROOTS
) -> set[tuple]:
    """All that facts of a version may hold: fields and enum values reachable from the roots."""
    messages, enums = {}, {}
    for file in contract.file:
        messages |= {f".{file.package}.{one.name}": one for one in file.message_type}
        enums |= {f".{file.package}.{one.name}": one for one in file.enum_type}
    reached, todo, words = set(), [f".pitledger.v1.{root}" for root in roots], set()
    while todo:
        name = todo.pop()
        if name in reached:
            continue
        reached.add(name)
        if name in enums:
            words |= {
                (name, value.name, value.number)
                for value in enums[name].value
                if value.options.Extensions[options_pb2.value_since] <= version
            }
            continue
        for field in messages[name].field:
            if field.options.Extensions[options_pb2.field_since] <= version:
                words.add((name, field.name, field.number, field.type, field.label))
                if field.type in (ENUM, MESSAGE):
                    todo.append(field.type_name)
    return words


@pytest.mark.parametrize("image", RELEASED, ids=lambda path: path.stem)
def test_a_released_versions_vocabulary_is_what_it_was(image):
    version = int(image.stem)
    now, then = vocabulary(contract_now(), version), vocabulary(contract_of_image(image), version)
    assert len(then) > 200
    assert sorted(now - then) == [], "without `since` it would enter a version that is released"
    assert sorted(then - now) == [], "it left a version that is released"


def test_the_vocabulary_by_which_cases_are_answered_is_what_it_was():
    now = vocabulary(contract_now(), VOCABULARY, OF_CASES)
    then = vocabulary(contract_of_image(CASES), VOCABULARY, OF_CASES)
    assert len(then) > 100
    assert sorted(now ^ then) == [], f"it needs a case_version after {CASE_VERSION}"


def test_a_field_that_enters_the_vocabulary_of_cases_is_found_unless_it_is_since_3():
    contract = contract_now()
    [file] = [file for file in contract.file if file.name.endswith("cases.proto")]
    [answered] = [message for message in file.message_type if message.name == "CaseAnswered"]
    field = answered.field.add(name="another", number=99, type=13, label=3)
    then = vocabulary(contract_of_image(CASES), VOCABULARY, OF_CASES)
    for since, found in ((0, True), (VOCABULARY, True), (VOCABULARY + 1, False)):
        field.options.Extensions[options_pb2.field_since] = since
        assert (vocabulary(contract, VOCABULARY, OF_CASES) != then) == found


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_nothing_that_was_released_has_another_number_or_type_or_is_gone(image):
    then = set(words_of(contract_of_image(image)))
    assert len(then) > 300
    assert sorted(then - set(words_of(contract_now()))) == []


def test_each_field_of_cases_and_archive_that_is_renumbered_is_found():
    then = contract_of_image(CASES)
    released, tried = set(words_of(then)), 0
    for file in then.file:
        for message in file.message_type if file.package.startswith("pitledger.") else ():
            for field in message.field:
                contract = contract_now()
                [other] = [each for each in contract.file if each.name == file.name]
                [changed] = [each for each in other.message_type if each.name == message.name]
                [renumbered] = [each for each in changed.field if each.name == field.name]
                renumbered.number += 1000
                [found] = released - set(words_of(contract))
                assert found[:4] == (file.name, message.name, field.name, field.number)
                tried += 1
    assert tried > 300


def test_each_version_that_is_played_is_released_with_contract_and_golden_journals():
    wanted = [
        name
        for version in range(1, LATEST_VERSION + 1)
        for name in (f"proto/released/{version}.binpb", f"tests/golden/v{version}/manifest.json")
    ] + [f"proto/released/{CASES.name}"]
    missing = [name for name in wanted if not (ROOT / name).exists()]
    assert not missing, f"not released: {', '.join(missing)}"
    assert len(RELEASED) == LATEST_VERSION


def test_a_field_with_since_is_of_no_earlier_version():
    contract = contract_now()
    [file] = [file for file in contract.file if file.name.endswith("facts.proto")]
    [left] = [message for message in file.message_type if message.name == "PlayerLeft"]
    field = left.field.add(name="another", number=99, type=13, label=3)
    at_once = vocabulary(contract, 9)
    field.options.Extensions[options_pb2.field_since] = 9
    assert vocabulary(contract, 8) == vocabulary(contract_now(), 8)
    assert vocabulary(contract, 9) == at_once != vocabulary(contract_now(), 9)
