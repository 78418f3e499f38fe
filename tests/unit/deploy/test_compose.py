"""docker-compose.yml and the image, as far as they can be judged without a Docker engine."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
PROCESSORS = ("wagers", "dealing", "evaluation", "settlement")


def test_compose_has_kafka_the_topics_and_the_four_processors():
    assert set(SERVICES) == {"kafka", "topics", *PROCESSORS}


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_is_pinned_to_a_version(name):
    assert re.fullmatch(r"[a-z/]+:\d+\.\d+\.\d+", SERVICES[name]["image"])


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_a_health_check_and_a_memory_limit(name):
    assert re.fullmatch(r"\d+[mg]", SERVICES[name]["mem_limit"])
    check = SERVICES[name]["healthcheck"]
    assert check["test"][0] in {"CMD", "CMD-SHELL"}
    assert {"interval", "timeout", "retries"} <= set(check)


def test_the_broker_is_healthy_when_it_answers_metadata():
    assert "kafka-topics.sh" in SERVICES["kafka"]["healthcheck"]["test"][1]


def test_the_broker_is_the_release_that_the_tests_run_on():
    pom = (ROOT / "deploy/kafka/pom.xml").read_text()
    (version,) = re.findall(r"<artifactId>kafka_2.13</artifactId>\s*<version>(.+)</version>", pom)
    assert SERVICES["kafka"]["image"] == f"apache/kafka:{version}"


@pytest.mark.parametrize("name", PROCESSORS)
def test_processors_share_one_image_and_wait_for_the_topics(name):
    service = SERVICES[name]
    assert service["image"] == SERVICES["topics"]["image"]
    assert service["build"] == SERVICES["topics"]["build"]
    assert service["command"] == ["python", "-m", f"services.{name}"]
    assert service["depends_on"]["topics"]["condition"] == "service_completed_successfully"
    assert service["environment"]["PITLEDGER_BOOTSTRAP"].startswith("kafka:")


def test_no_two_processors_publish_the_same_port():
    ports = [SERVICES[name]["ports"][0].split(":")[1] for name in PROCESSORS]
    assert len(set(ports)) == len(ports)


def test_the_last_layer_of_the_image_has_no_root_and_no_compiler():
    stages = (ROOT / "deploy/Dockerfile").read_text().split("\nFROM ")
    assert len(stages) == 3
    assert "gcc" in stages[1]
    assert "gcc" not in stages[2]
    assert "apt-get" not in stages[2]
    assert re.search(r"^USER \d+$", stages[2], re.MULTILINE)
    for stage in stages[1:]:
        assert re.match(r"python:\d+\.\d+\.\d+-slim-\w+", stage)


def test_what_the_image_is_built_from_is_all_that_goes_into_it():
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (?!--from)(\S+)", dockerfile, re.MULTILINE))
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == copied
