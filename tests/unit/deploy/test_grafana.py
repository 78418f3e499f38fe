"""Grafana's provisioning and dashboards, as far as they can be judged without Grafana."""

import json
from pathlib import Path

import pytest
import yaml

from tests.kit.dashboards import DASHBOARDS, panels

ROOT = Path(__file__).parents[3]
GRAFANA = ROOT / "deploy" / "grafana"
PROVISIONED = GRAFANA / "provisioning"
SOURCE = yaml.safe_load((PROVISIONED / "datasources" / "prometheus.yml").read_text())
PROVIDERS = yaml.safe_load((PROVISIONED / "dashboards" / "pitledger.yml").read_text())
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]


def test_there_is_a_dashboard_for_floor_processors_money_and_journal():
    assert set(DASHBOARDS) == {"floor", "processors", "money", "journal"}


def test_each_dashboard_has_an_id_and_a_title_of_its_own():
    for field in ("uid", "title"):
        assert len({board[field] for board in DASHBOARDS.values()}) == len(DASHBOARDS)


@pytest.mark.parametrize("name", DASHBOARDS)
def test_a_dashboard_is_written_as_it_is_read(name):
    text = (GRAFANA / "dashboards" / f"{name}.json").read_text()
    assert text == json.dumps(DASHBOARDS[name], indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", DASHBOARDS)
def test_each_panel_has_an_id_a_place_and_asks_the_provisioned_source(name):
    (source,) = SOURCE["datasources"]
    assert len({panel["id"] for panel in panels(name)}) == len(panels(name))
    taken = set()
    for panel in panels(name):
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert max(x for x, _ in cells) < 24
        assert not cells & taken
        taken |= cells
        if panel["type"] != "row":
            assert panel["targets"]
            for asked in (panel, *panel["targets"]):
                assert asked["datasource"] == {"type": source["type"], "uid": source["uid"]}


def test_compose_mounts_what_grafana_is_provisioned_with():
    (source,), (provider,) = SOURCE["datasources"], PROVIDERS["providers"]
    service, _, port = source["url"].removeprefix("http://").partition(":")
    assert COMPOSE[service]["ports"] == [f"127.0.0.1:{port}:{port}"]
    mounts = COMPOSE["grafana"]["volumes"]
    assert "./deploy/grafana/provisioning:/etc/grafana/provisioning:ro" in mounts
    assert f"./deploy/grafana/dashboards:{provider['options']['path']}:ro" in mounts
    home = COMPOSE["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
    assert Path(home).stem in DASHBOARDS
