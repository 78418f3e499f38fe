"""The vocabulary of a released version is closed: nothing leaves it, nothing enters."""

from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from pitledger.derive import LATEST_VERSION
from pitledger.pb import journal_pb2, options_pb2, rules_pb2
from tests.contract.sources import ROOT

RELEASED = sorted((ROOT / "proto" / "released").glob("*.binpb"))
ROOTS = ("pitledger.v1.JournalRecord", "pitledger.v1.RulesSubmission")
ENUM, MESSAGE = 14, 11


def contract_of_image(path: Path) -> FileDescriptorSet:
    return FileDescriptorSet.FromString(path.read_bytes())


def contract_now() -> FileDescriptorSet:
    found: dict[str, FileDescriptorProto] = {}
    todo = [journal_pb2.DESCRIPTOR, rules_pb2.DESCRIPTOR]
    while todo:
        file = todo.pop()
        if file.name not in found:
            found[file.name] = FileDescriptorProto.FromString(file.serialized_pb)
            todo += file.dependencies
    return FileDescriptorSet(file=found.values())


def vocabulary(contract: FileDescriptorSet, version: int) -> set[tuple]:
    """All that a round of a version may hold: fields and enum values reachable from the roots."""
    messages, enums = {}, {}
    for file in contract.file:
        messages |= {f".{file.package}.{one.name}": one for one in file.message_type}
        enums |= {f".{file.package}.{one.name}": one for one in file.enum_type}
    reached, todo, words = set(), [f".{root}" for root in ROOTS], set()
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


def test_each_version_that_is_played_is_released_with_contract_and_golden_journals():
    wanted = [
        name
        for version in range(1, LATEST_VERSION + 1)
        for name in (f"proto/released/{version}.binpb", f"tests/golden/v{version}/manifest.json")
    ]
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
