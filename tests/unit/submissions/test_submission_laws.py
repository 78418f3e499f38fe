"""Laws: no text and no message breaks the reader; what is accepted compiles and reads back."""

import tomllib

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st

from pitledger.games import compile_rules
from pitledger.games.submission import (
    BadSubmission,
    parse_submission,
    problems_of,
    serialize,
    to_settings,
    to_toml,
    with_policies,
)
from pitledger.pb.rules_pb2 import RulesSubmission
from pitledger.sources.submissions import load_submission, packaged_names, read_text

TEXTS = [read_text(name) for name in packaged_names()]
MESSAGES = [load_submission(name).message for name in packaged_names()]
SCRAPS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["0", "-1", "true", "{", "}", "[", "]", "\n", '"', "value", "authority",
                     "1e9", "99999999999999999999", '"code"', "[pot]", ".", "=", "nan"]),
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(0, 40) | st.floats() | st.text()
    | st.sampled_from(["all", "best", "lose", "2:1", "none", "round", "A", "B", "win"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.text(max_size=5) | st.sampled_from(["amount", "min", "max", "scope", "flush", "ace"]),
        inner, max_size=4),
    max_leaves=8,
)


@settings(deadline=None)  # compiling fills tables, and the machine may be busy
@given(st.text())
def test_any_text_is_read_or_refused_in_lines(text):
    assert_total(text)


@settings(deadline=None)
@given(st.sampled_from(TEXTS), st.data())
def test_any_slip_in_a_file_is_read_or_refused_in_lines(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))

    assert_total(text[:start] + data.draw(SCRAPS) + text[end:])


@settings(deadline=None)
@given(st.sampled_from(TEXTS), st.data())
def test_any_value_in_any_place_of_a_file_is_read_or_refused_in_lines(text, data):
    lines = text.splitlines()
    number = data.draw(st.sampled_from([i for i, line in enumerate(lines) if " = " in line]))
    key = lines[number].partition(" = ")[0]
    scrap = data.draw(st.sampled_from([
        "1", "[]", "{}", "true", '"x"', "0.5", "2020-01-01", "[[1, 2]]", "{ value = {} }",
        "{ value = [[]], authority = [] }", '{ choice = "A" }', "inf", "{ min = [] }"]))
    lines[number] = f"{key} = {scrap}"

    assert_total("\n".join(lines))


@settings(deadline=None)
@given(st.sampled_from([*TEXTS, *MESSAGES]), st.data())
def test_any_policies_are_taken_or_refused_in_lines(base, data):
    names = sorted({name for message in MESSAGES for name in to_settings(message)})
    policies = data.draw(
        st.dictionaries(st.sampled_from(names) | st.text(max_size=6), VALUES, max_size=3))
    try:
        message = with_policies(base, policies)
    except BadSubmission as error:
        assert_lines(error.problems)
    else:
        assert_accepted(message)


@settings(deadline=None)
@given(st.sampled_from(MESSAGES), st.data())
def test_any_bytes_that_are_a_message_are_judged(message, data):
    raw = bytearray(serialize(message))
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        changed = RulesSubmission.FromString(bytes(raw))
    except DecodeError:
        return
    problems = problems_of(changed)
    to_settings(changed)

    if problems:
        assert_lines(problems)
    else:
        assert_accepted(changed)


@pytest.mark.parametrize("text", TEXTS)
def test_every_key_of_a_file_is_needed(text):
    for section, body in tomllib.loads(text).items():
        for key in body:
            lines = text.splitlines()
            start = lines.index(f"[{section}]")
            number = next(i for i in range(start, len(lines)) if lines[i].startswith(f"{key} = ")
                          or lines[i] == f"[{section}.{key}]")
            if lines[number].startswith("["):
                continue
            assert_refused("\n".join(lines[:number] + lines[number + 1:]))


def assert_total(text):
    try:
        message = parse_submission(text)
    except BadSubmission as error:
        assert_lines(error.problems)
    else:
        assert_accepted(message)


def assert_accepted(message):
    assert problems_of(message) == ()
    assert serialize(parse_submission(to_toml(message))) == serialize(message)
    compile_rules(serialize(message))


def assert_lines(problems):
    assert problems
    for line in problems:
        assert line.isprintable(), line
        assert 0 < len(line) < 600


def assert_refused(text):
    with pytest.raises(BadSubmission):
        parse_submission(text)
