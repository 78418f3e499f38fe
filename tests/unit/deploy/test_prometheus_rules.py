"""Prometheus' configuration and alert rules, judged by its own promtool."""

import re
from pathlib import Path

import pytest
import yaml

from tests.kit.prometheus import promtool

ROOT = Path(__file__).parents[3]
PROMETHEUS = ROOT / "deploy" / "prometheus"
RULES = sorted((PROMETHEUS / "rules").glob("*.yml"))
TESTS = sorted((Path(__file__).parent / "rules").glob("*.yml"))
ALL = [
    rule
    for path in RULES
    for group in yaml.safe_load(path.read_text())["groups"]
    for rule in group["rules"]
]
ALERTS = {rule["alert"]: rule for rule in ALL if "alert" in rule}


def anchors(markdown):
    """Anchors of a document's headings, as forges make them."""
    headings = re.findall(r"^#+ (.+)$", markdown, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_prometheus_takes_the_configuration():
    promtool("check", "config", PROMETHEUS / "prometheus.yml")


def test_prometheus_takes_the_configuration_for_a_cluster(tmp_path):
    # Debian's build cannot ask Kubernetes for targets: everything but that is judged.
    config = yaml.safe_load((PROMETHEUS / "kubernetes.yml").read_text())
    job, _ = config["scrape_configs"]
    (asked,) = job.pop("kubernetes_sd_configs")
    assert asked == {"role": "pod", "namespaces": {"names": ["pitledger"]}}
    config["rule_files"] = [str(PROMETHEUS / pattern) for pattern in config["rule_files"]]
    copy = tmp_path / "prometheus.yml"
    copy.write_text(yaml.safe_dump(config))
    promtool("check", "config", copy)


@pytest.mark.parametrize("name", ["prometheus.yml", "kubernetes.yml"])
def test_each_job_that_a_rule_asks_for_is_scraped(name):
    config = yaml.safe_load((PROMETHEUS / name).read_text())
    jobs = {job["job_name"] for job in config["scrape_configs"]}
    asked = {job for rule in ALL for job in re.findall(r'job="([^"]+)"', rule["expr"])}
    assert asked == {"pitledger", "pitledger-mirror"}
    assert asked <= jobs


def test_prometheus_takes_the_rules():
    assert all(f"{path.name}\n  SUCCESS" in promtool("check", "rules", path) for path in RULES)


def test_what_a_young_process_has_counted_before_it_is_first_asked_counts_as_a_rise():
    # PitledgerSendingAgain is no matter of one: what lasts rises on.
    rises = [rule for rule in ALL if re.search(r"increase\(.*\[15m\]\)", rule["expr"])]
    assert len(rises) == 4
    assert all("process_start_time_seconds" in rule["expr"] for rule in rises)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_alerts_fire_when_they_should_and_not_before(path):
    promtool("test", "rules", path)


def test_each_alert_is_seen_firing_in_a_test():
    tested = "".join(path.read_text() for path in TESTS)
    assert [name for name in ALERTS if f'"{name}"' not in tested] == []
    assert [path.name for path in RULES] == [path.name for path in TESTS]


@pytest.mark.parametrize("name", ALERTS)
def test_each_alert_says_what_it_means_and_where_it_is_explained(name):
    alert = ALERTS[name]
    assert alert["labels"]["severity"] in {"critical", "warning", "info", "none"}
    assert set(alert["annotations"]) == {"summary", "description", "runbook_url"}
    assert alert["annotations"]["runbook_url"] == f"docs/operations.md#{name.lower()}"


@pytest.mark.parametrize("name", ALERTS)
def test_the_handbook_has_a_section_for_each_alert(name):
    assert name.lower() in anchors((ROOT / "docs" / "operations.md").read_text())
