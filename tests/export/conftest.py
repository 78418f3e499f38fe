"""Journals to export, and what an export says of them."""

import json
from base64 import b64decode, b64encode
from datetime import datetime

import pyarrow.parquet as pq
import pytest

from services.export.schema import TABLES
from services.simulation import simulate
from tests.unit.cli.conftest import pitledger  # noqa: F401  (a fixture)


@pytest.fixture(scope="session")
def journal(tmp_path_factory):
    """Both games, with forgeries, repeats, voids, holds and rounds that nobody closed."""
    path = tmp_path_factory.mktemp("journals") / "foul.pit"
    simulate(("saigon5", "five_card_hi_lo"), 6, 150, 3, True, path)
    return path


@pytest.fixture
def export(pitledger, journal, tmp_path):  # noqa: F811
    """Export a journal into a folder of this test; the folder."""

    def call(*options, source=journal, to="out"):
        ended = pitledger("export", "--from", source, "-o", tmp_path / to, *options)
        assert ended.code == 0, ended.err
        return tmp_path / to

    return call


def rows_in(folder, table):
    """A table's rows, read back from whichever format, as the same plain values."""
    parts = sorted((folder / table).iterdir())
    if parts[0].suffix == ".jsonl":
        return [json.loads(line) for part in parts for line in part.read_text().splitlines()]
    return [_plain(row) for part in parts for row in pq.read_table(part).to_pylist()]


def _plain(row):
    return {name: _value(name, value) for name, value in row.items() if value is not None}


def _value(name, value):
    match value:
        case datetime():
            return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case bytes():
            return _base64(value)
        case str() if name == "body":
            return json.loads(value)
        case list() if name == "headers":
            return [{**header, "value": _base64(header["value"])} for header in value]
    return value


def _base64(data):
    return b64encode(data).decode()


def read_all(folder):
    return {table.name: rows_in(folder, table.name) for table in TABLES}


def unordered(rows):
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def bytes_of(text):
    return b64decode(text)
