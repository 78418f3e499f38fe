"""What rules and dashboards ask for is what the processes export, under that very name."""

import re
from collections import Counter

import pytest

from services.archivist import metrics as archive
from services.auditor.metrics import Metrics, Standing, Tally
from services.cases import metrics as cases
from services.mirror import metrics as mirror
from services.runtime.settings import Settings
from services.runtime.shell import Shell
from tests.kit.dashboards import DASHBOARDS, expressions
from tests.unit.deploy.test_prometheus_rules import ALERTS, RULES

ASKED = re.compile(r"\b(?:pitledger|process)_[a-z_]+\b")
SUFFIXES = {
    "counter": ("_total",),
    "gauge": ("",),
    "histogram": ("_bucket", "_sum", "_count"),
    "summary": ("_sum", "_count"),
}


def series(text: str) -> set[str]:
    """Names of all samples that an exposition can hold, also of labels not seen yet."""
    types = re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE)
    return {
        name.removesuffix("_total") + suffix for name, kind in types for suffix in SUFFIXES[kind]
    }


@pytest.fixture(scope="module")
def exported():
    shell = Shell(Settings.from_environment("wagers"))
    shell.measures.watch(shell)
    nothing = Standing(Counter(), True, 0.0, 0, 0, 0.0, 0, False, {})
    auditor = Metrics(Tally(), lambda: nothing).text()
    archivist = archive.Metrics(lambda: archive.Standing(0, 0, 0, 0, 0, 0, {}, True, 0.0, 0.0, 0))
    answering = cases.Metrics(lambda: cases.Standing({}, {}, 0, 0, 0.0, True, 0.0, 0))
    others = archivist, answering, mirror.Metrics()
    texts = shell.measures.text(), auditor, *(each.text() for each in others)
    return {name for text in texts for name in series(text.decode())}


@pytest.mark.parametrize("name", ALERTS)
def test_what_an_alert_asks_for_is_exported(name, exported):
    assert set(ASKED.findall(ALERTS[name]["expr"])) <= exported


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
def test_what_a_file_of_rules_names_is_exported(path, exported):
    assert set(ASKED.findall(path.read_text())) <= exported


@pytest.mark.parametrize("name", DASHBOARDS)
def test_what_a_dashboard_asks_for_is_exported(name, exported):
    asked = {metric for _, expression in expressions(name) for metric in ASKED.findall(expression)}
    assert asked
    assert asked <= exported
