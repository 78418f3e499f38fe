"""Logs: one JSON object a line, with what was bound; libraries from warnings up."""

import json
import logging

import pytest

from services.runtime import logs


@pytest.fixture
def root():
    """The root logger as it was, afterwards."""
    logger = logging.getLogger()
    handlers, level = logger.handlers[:], logger.level
    yield logger
    logger.handlers[:] = handlers
    logger.setLevel(level)


def test_a_line_is_one_json_object_with_its_fields(root, capsys):
    logs.configure("json", "info", processor="wagers")
    logs.get("shell").warning("alarm", table_id="t", round_id="r", partition=3, offset=7)
    line = json.loads(capsys.readouterr().out)
    assert line["event"] == "alarm"
    assert (line["table_id"], line["round_id"]) == ("t", "r")
    assert (line["partition"], line["offset"]) == (3, 7)
    assert (line["processor"], line["level"]) == ("wagers", "warning")
    assert line["timestamp"].endswith("Z")


def test_what_lies_below_the_level_is_left_out(root, capsys):
    logs.configure("json", "warning", processor="wagers")
    logs.get("shell").info("ready")
    assert capsys.readouterr().out == ""


def test_libraries_are_heard_from_warnings_up_and_in_the_same_form(root, capsys):
    logs.configure("json", "info", processor="wagers")
    logging.getLogger("aiokafka.conn").info("hidden")
    logging.getLogger("aiokafka.conn").error("refused by %s", "broker 1")
    line = json.loads(capsys.readouterr().out)
    assert line["event"] == "refused by broker 1"
    assert line["logger"] == "aiokafka.conn"


def test_what_kafkas_client_says_again_and_again_is_one_line_in_ten_seconds(
    root, capsys, monkeypatch
):
    # given
    now = 100.0
    monkeypatch.setattr(logs.time, "monotonic", lambda: now)
    logs.configure("json", "info", processor="wagers")
    library = logging.getLogger("aiokafka.cluster")

    def a_second():
        for number in range(60):
            library.error("no connection: %s", number)
            library.warning("no metadata")

    # when
    for _ in range(10):
        a_second()
        now += 1
    a_second()
    # then
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert events == ["no connection: 0", "no metadata"] * 2


def test_our_own_lines_come_as_often_as_they_are_said(root, capsys):
    logs.configure("json", "info", processor="wagers")
    for _ in range(3):
        logs.get("silence").warning("no answer from Kafka")
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_a_terminal_gets_words_instead_of_json(root, capsys):
    logs.configure("console", "info", processor="wagers")
    logs.get("shell").info("ready", partitions=4)
    text = capsys.readouterr().out
    assert "ready" in text
    assert "partitions=4" in text
    assert not text.startswith("{")
