"""The manifests as kustomize renders them, judged by Kubernetes' own schemas and by their use."""

import copy
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from services.runtime.settings import OWNERS
from tests.kit.kubernetes import KINDS, problems

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "deploy" / "k8s" / "overlays" / "example"
PROCESSES = (*OWNERS, "auditor", "archivist", "cases")


@pytest.fixture(scope="module")
def objects():
    """All of the example, by kind and name."""
    if shutil.which("kubectl") is None:
        if os.environ.get("PITLEDGER_SKIP_NOTHING"):
            pytest.fail("kubectl: not on PATH", pytrace=False)
        pytest.skip("kubectl: not on PATH")
    done = subprocess.run(
        ["kubectl", "kustomize", EXAMPLE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found = list(yaml.safe_load_all(done.stdout))
    by_name = {(each["kind"], each["metadata"]["name"]): each for each in found}
    assert len(by_name) == len(found)
    return by_name


@pytest.fixture
def workloads(objects):
    """Pod templates by what they run."""
    return {
        name: each["spec"]["template"]
        for (kind, name), each in objects.items()
        if kind in {"StatefulSet", "Job"}
    }


def test_kubernetes_takes_every_object(objects):
    assert {kind for kind, _ in objects} == set(KINDS)
    assert {name: found for name, each in objects.items() if (found := problems(each))} == {}


def test_the_schemas_refuse_what_kubernetes_does_not_know(objects):
    wrong = copy.deepcopy(objects["StatefulSet", "pitledger-wagers"])
    container = wrong["spec"]["template"]["spec"]["containers"][0]
    container["readynessProbe"] = container.pop("readinessProbe")
    container["ports"][0]["containerPort"] = "9100"
    del wrong["spec"]["selector"]
    assert len(problems(wrong)) == 3


def test_each_process_has_its_workload_its_budget_and_one_selector(objects):
    for name in PROCESSES:
        workload = objects["StatefulSet", f"pitledger-{name}"]["spec"]
        labels = {"app.kubernetes.io/name": "pitledger", "app.kubernetes.io/component": name}
        selectors = [
            workload["selector"],
            objects["PodDisruptionBudget", f"pitledger-{name}"]["spec"]["selector"],
            *(
                each["labelSelector"]
                for each in workload["template"]["spec"]["topologySpreadConstraints"]
            ),
        ]
        assert selectors == [{"matchLabels": labels}] * 4
        assert labels.items() <= workload["template"]["metadata"]["labels"].items()


def test_a_kafka_that_is_away_holds_up_no_node_and_ends_no_pod(objects):
    for name in PROCESSES:
        budget = objects["PodDisruptionBudget", f"pitledger-{name}"]["spec"]
        assert budget["unhealthyPodEvictionPolicy"] == "AlwaysAllow"
    (settings,) = (each["data"] for (kind, _), each in objects.items() if kind == "ConfigMap")
    assert int(settings["PITLEDGER_CONNECT_S"]) >= 600


def test_only_the_archivist_has_a_disk_and_the_key(objects, workloads):
    disks = {
        name: [claim["metadata"]["name"] for claim in each["spec"].get("volumeClaimTemplates", ())]
        for (kind, name), each in objects.items()
        if kind == "StatefulSet"
    }
    assert disks == {
        f"pitledger-{name}": ["archive"] if name == "archivist" else [] for name in PROCESSES
    }
    (container,) = workloads["pitledger-archivist"]["spec"]["containers"]
    told = {each["name"]: each.get("value", "") for each in container["env"]}
    mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert told["PITLEDGER_ARCHIVE"].startswith(mounted["archive"] + "/")
    assert told["PITLEDGER_ARCHIVE_KEY"] == mounted["key"] + "/archive.key"


def test_no_pod_has_a_privilege(workloads):
    for template in workloads.values():
        pod = template["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert container["resources"]["requests"]
            assert "memory" in container["resources"]["limits"]


def test_pods_run_as_the_user_of_the_image(workloads):
    (user,) = re.findall(r"^USER (\d+)$", (ROOT / "deploy/Dockerfile").read_text(), re.MULTILINE)
    for template in workloads.values():
        assert template["spec"]["securityContext"]["runAsUser"] == int(user)


def test_no_object_holds_a_secret_and_each_process_has_a_login_of_its_own(objects, workloads):
    assert not [name for kind, name in objects if kind == "Secret"]
    secrets = {
        (name, volume["name"]): volume["secret"]["secretName"]
        for name, template in workloads.items()
        for volume in template["spec"]["volumes"]
        if "secret" in volume
    }
    assert secrets.pop(("pitledger-archivist", "key")) == "pitledger-archive-key"
    logins = {name: secret for (name, volume), secret in secrets.items() if volume == "login"}
    assert len(logins) == len(secrets)
    processes = {f"pitledger-{name}": f"pitledger-{name}" for name in PROCESSES}
    assert logins == {**processes, "pitledger-topics": "pitledger-operator"}


def test_each_probe_asks_a_page_that_the_process_serves(workloads):
    served = set(re.findall(r'b"(/\w+)"', (ROOT / "services/runtime/http.py").read_text()))
    for name in PROCESSES:
        (container,) = workloads[f"pitledger-{name}"]["spec"]["containers"]
        pages = {
            probe: container[probe]["httpGet"]["path"]
            for probe in ("startupProbe", "livenessProbe", "readinessProbe")
        }
        assert pages == {
            "startupProbe": "/livez",
            "livenessProbe": "/livez",
            "readinessProbe": "/healthz",
        }
        assert set(pages.values()) <= served


def test_what_compose_limits_is_limited_alike(workloads):
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    for name in (*PROCESSES, "topics"):
        (container,) = workloads[f"pitledger-{name}"]["spec"]["containers"]
        limit = container["resources"]["limits"]["memory"].lower().removesuffix("i")
        assert limit == compose[name]["mem_limit"]
        grace = workloads[f"pitledger-{name}"]["spec"].get("terminationGracePeriodSeconds", 0)
        assert f"{grace}s" == compose[name].get("stop_grace_period", "0s")


def test_a_process_is_told_what_it_runs_and_its_name_in_the_group(workloads):
    for name in PROCESSES:
        (container,) = workloads[f"pitledger-{name}"]["spec"]["containers"]
        assert container["command"] == ["python", "-m", "services.$(PROCESSOR)"]
        told = {each["name"]: each for each in container["env"]}
        fields = {
            variable: each["valueFrom"]["fieldRef"]["fieldPath"]
            for variable, each in told.items()
            if "valueFrom" in each
        }
        assert fields == {
            "PROCESSOR": "metadata.labels['app.kubernetes.io/component']",
            "PITLEDGER_INSTANCE": "metadata.name",
        }


def test_one_process_after_the_other_can_be_applied_by_its_label_and_the_rest_by_none(objects):
    """As docs/operations.md says: what pods refer to comes first, and starts none of them."""
    label = "app.kubernetes.io/component"
    by_component = {}
    for (kind, _), each in objects.items():
        component = each["metadata"].get("labels", {}).get(label)
        by_component.setdefault(component, set()).add(kind)
    first = by_component.pop(None)
    assert {"ConfigMap", "ServiceAccount"} <= first
    assert by_component == {
        **{name: {"StatefulSet", "PodDisruptionBudget"} for name in PROCESSES},
        "topics": {"Job"},
    }
    told = (ROOT / "docs" / "operations.md").read_text()
    assert f"-l '!{label}'" in told
    assert f"-l {label}=auditor" in told
