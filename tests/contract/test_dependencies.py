"""What is installed is pinned with hashes, and no address of an index is written down."""

import json
import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.contract.sources import ROOT

LOCKS = ("requirements.lock", "deploy/requirements.lock")
BUF_LOCK = json.loads((ROOT / "proto" / "package-lock.json").read_text())


def locked(name: str) -> dict[str, str]:
    """Version by package."""
    text = (ROOT / name).read_text()
    return dict(re.findall(r"^([a-z0-9.-]+)==(\S+) ", text, re.MULTILINE))


@pytest.mark.parametrize("name", [*LOCKS, "bench/requirements.lock"])
def test_every_line_of_a_lock_is_a_pin_with_hashes(name):
    entries = (ROOT / name).read_text().replace("\\\n", " ").splitlines()
    entries = [entry for entry in entries if entry and not entry.lstrip().startswith("#")]
    pin = re.compile(r"[a-z0-9.-]+==[^\s;]+(\s+--hash=sha256:[0-9a-f]{64})+")
    assert entries
    assert [entry[:60] for entry in entries if not pin.fullmatch(entry.strip())] == []


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_satisfies_what_the_project_requires(name):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wanted = [*project["build-system"]["requires"], *project["project"]["dependencies"]]
    if name == "requirements.lock":
        for extra in project["project"]["optional-dependencies"].values():
            wanted += extra
    pins = locked(name)
    for requirement in map(Requirement, wanted):
        version = pins.get(canonicalize_name(requirement.name))
        assert version, f"{requirement.name}: not in {name}, run `make lock`"
        assert requirement.specifier.contains(version), f"{requirement}: locked is {version}"


def test_the_image_holds_what_the_tests_ran_on():
    assert locked("deploy/requirements.lock").items() <= locked("requirements.lock").items()


def test_buf_is_pinned_and_its_lock_bears_no_address():
    wanted = json.loads((ROOT / "proto" / "package.json").read_text())["devDependencies"]
    packages = {path: entry for path, entry in BUF_LOCK["packages"].items() if path}
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(entry["integrity"].startswith("sha512-") for entry in packages.values())
    assert not any("resolved" in entry for entry in packages.values())
