"""Kubernetes' own schemas, strict: a field that it does not know is an error.

`python -m tests.kit.kubernetes FOLDER` takes them anew from a folder of kubernetes-validate
(PyPI; kubernetes_validate/kubernetes-json-schema/vX.Y.0-local-strict): the kinds that we use,
what they refer to, and no prose. That package is 100 MB, so what it needs of it is kept here.
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

FILE = Path(__file__).parent / "kubernetes-1.37.json"
KINDS = {
    "ConfigMap": "configmap-v1",
    "Job": "job-batch-v1",
    "Namespace": "namespace-v1",
    "NetworkPolicy": "networkpolicy-networking-v1",
    "PodDisruptionBudget": "poddisruptionbudget-policy-v1",
    "Service": "service-v1",
    "ServiceAccount": "serviceaccount-v1",
    "StatefulSet": "statefulset-apps-v1",
}
_REFERENCE = "/api/_definitions.json#/$defs/"


def problems(thing):
    """What Kubernetes would refuse of an object: a line for each."""
    schemas = json.loads(FILE.read_text())
    schema = schemas["kinds"].get(thing["kind"])
    if schema is None:
        return [f"kind {thing['kind']}: no schema is kept of it"]
    validator = Draft202012Validator(schema | {"$defs": schemas["definitions"]})
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"
        for error in validator.iter_errors(thing)
    ]


def _take(folder):
    everything = json.loads((folder / "_definitions.json").read_text())["$defs"]
    kinds = {
        kind: _plain(json.loads((folder / f"{name}.json").read_text()))
        for kind, name in KINDS.items()
    }
    definitions, wanted = {}, _referred(kinds)
    while wanted:
        name = wanted.pop()
        definitions[name] = _plain(everything[name])
        wanted |= _referred(definitions[name]) - set(definitions)
    kept = {"kinds": kinds, "definitions": definitions}
    FILE.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")


def _plain(schema):
    """Without prose and extensions, and with references into one document."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: each.replace(_REFERENCE, "#/$defs/") if name == "$ref" else _plain(each)
        for name, each in schema.items()
        if name not in {"$schema", "$id"}
        and not name.startswith("x-")
        and not (name == "description" and isinstance(each, str))
    }


def _referred(schema):
    text = json.dumps(schema)
    return {part.split('"', 1)[0] for part in text.split("#/$defs/")[1:]}


if __name__ == "__main__":
    _take(Path(sys.argv[1]))
