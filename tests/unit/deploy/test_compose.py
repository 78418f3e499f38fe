"""docker-compose.yml and the image, as far as they can be judged without a Docker engine."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
PROCESSORS = ("wagers", "dealing", "evaluation", "settlement")
OURS = (*PROCESSORS, "auditor", "archivist", "cases")
PROFILES = {
    None: {"kafka", "topics", "archive-key", *OURS},
    "observability": {"prometheus", "grafana"},
    "load": {"floor"},
}
# They end by themselves, or have nobody who asks them anything.
WITHOUT_HEALTH = {"topics", "archive-key", "floor"}


@pytest.mark.parametrize("profile", PROFILES)
def test_each_profile_has_its_services(profile):
    profiles = {name: service.get("profiles", [None]) for name, service in SERVICES.items()}
    assert {name for name, found in profiles.items() if found == [profile]} == PROFILES[profile]


@pytest.mark.parametrize("name", SERVICES)
def test_no_service_needs_one_that_only_another_profile_starts(name):
    own = SERVICES[name].get("profiles")
    for other in SERVICES[name].get("depends_on", {}):
        assert SERVICES[other].get("profiles") in (None, own)


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_is_pinned_to_a_version(name):
    assert re.fullmatch(r"[a-z/]+:v?\d+\.\d+\.\d+", SERVICES[name]["image"])


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_has_a_memory_limit(name):
    assert re.fullmatch(r"\d+[mg]", SERVICES[name]["mem_limit"])


@pytest.mark.parametrize("name", SERVICES)
def test_every_service_that_stays_has_a_health_check(name):
    assert ("healthcheck" in SERVICES[name]) == (name not in WITHOUT_HEALTH)
    if name not in WITHOUT_HEALTH:
        check = SERVICES[name]["healthcheck"]
        assert check["test"][0] in {"CMD", "CMD-SHELL"}
        assert {"interval", "timeout", "retries"} <= set(check)


@pytest.mark.parametrize("name", [name for name in SERVICES if SERVICES[name].get("build")])
def test_what_is_ours_has_no_privilege_and_writes_to_no_disk_but_the_archives(name):
    service = SERVICES[name]
    archives = name in {"archivist", "archive-key"}
    assert service.get("volumes", []) == (["archive-data:/archive"] if archives else [])
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_listens_beyond_this_machine(name):
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[name].get("ports", ()))


@pytest.mark.parametrize("name", SERVICES)
def test_what_is_mounted_from_the_project_is_there_and_read_only(name):
    for volume in SERVICES[name].get("volumes", ()):
        source, _, rest = volume.partition(":")
        if source.startswith("."):
            assert (ROOT / source).is_dir()
            assert rest.endswith(":ro")
        else:
            assert source in COMPOSE["volumes"]


def test_the_broker_is_healthy_when_it_answers_metadata():
    check = SERVICES["kafka"]["healthcheck"]
    assert "kafka-topics.sh" in check["test"][1]
    # Each starts a JVM: seldom, but while everybody waits for the start.
    assert (check["interval"], check["start_interval"]) == ("30s", "5s")


def test_the_broker_is_the_release_that_the_tests_run_on():
    pom = (ROOT / "deploy/kafka/pom.xml").read_text()
    (version,) = re.findall(r"<artifactId>kafka_2.13</artifactId>\s*<version>(.+)</version>", pom)
    assert SERVICES["kafka"]["image"] == f"apache/kafka:{version}"


@pytest.mark.parametrize("name", OURS)
def test_our_processes_share_one_image_and_wait_for_the_topics(name):
    service = SERVICES[name]
    assert service["image"] == SERVICES["topics"]["image"]
    assert service["build"] == SERVICES["topics"]["build"]
    assert service["command"] == ["python", "-m", f"services.{name}"]
    assert service["depends_on"]["topics"]["condition"] == "service_completed_successfully"
    assert service["environment"]["PITLEDGER_BOOTSTRAP"].startswith("kafka:")


def test_the_archive_lies_on_its_volume_under_a_key_that_is_made_once():
    settings = SERVICES["archivist"]["environment"]
    assert settings["PITLEDGER_ARCHIVE"].startswith("/archive/")
    (_, _, command) = SERVICES["archive-key"]["command"]
    assert command.startswith(f"test -e {settings['PITLEDGER_ARCHIVE_KEY']} || pitledger keys new")
    assert "--mode 0700 /archive" in (ROOT / "deploy/Dockerfile").read_text()


def test_no_two_services_publish_the_same_port():
    ports = [
        SERVICES[name]["ports"][0].split(":")[1] for name in SERVICES if "ports" in SERVICES[name]
    ]
    assert len(set(ports)) == len(ports)


def test_the_image_compiles_nothing_and_its_last_layer_has_no_root_and_no_installer():
    stages = (ROOT / "deploy/Dockerfile").read_text().split("\nFROM ")
    assert len(stages) == 3
    assert "--only-binary=:all:" in stages[1]
    assert not re.search(r"gcc|apt-get", stages[1] + stages[2])
    assert "pip" not in stages[2].split("COPY", 1)[1]
    assert re.search(r"^USER \d+$", stages[2], re.MULTILINE)
    for stage in stages[1:]:
        assert re.match(r"python:\d+\.\d+\.\d+-slim-\w+", stage)


def test_the_image_is_labelled_and_tagged_with_the_version_of_the_project():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f'image.version="{version}"' in (ROOT / "deploy/Dockerfile").read_text()
    assert SERVICES["wagers"]["image"] == f"pitledger:{version}"


def test_what_the_image_is_built_from_is_all_that_goes_into_it():
    dockerfile = (ROOT / "deploy/Dockerfile").read_text()
    copied = set(re.findall(r"^COPY (?!--from)(\S+)", dockerfile, re.MULTILINE))
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == copied
