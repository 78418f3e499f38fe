"""The dashboards of deploy/grafana, and what they ask Prometheus."""

import json
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "deploy" / "grafana" / "dashboards"
DASHBOARDS = {path.stem: json.loads(path.read_text()) for path in sorted(_FOLDER.glob("*.json"))}


def panels(name):
    """All of a dashboard, rows too: none lies inside another."""
    return DASHBOARDS[name]["panels"]


def expressions(name):
    """(title of the panel, expression), in the dashboard's order."""
    return [
        (panel["title"], target["expr"])
        for panel in panels(name)
        for target in panel.get("targets", ())
    ]
