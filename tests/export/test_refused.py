"""What is refused in one line, and leaves nothing behind."""

import sys

import pytest

from services.export import dataset
from services.export.parquet import _TYPES, schema
from services.export.schema import TABLES
from tests.export.document import DOCUMENT, reference, split


def test_the_document_describes_each_column_of_each_table():
    assert split(DOCUMENT.read_text())[1] == reference()


def test_parquet_has_the_documented_columns():
    for table in TABLES:
        arrow = schema(table)
        assert arrow.names == list(table.names)
        assert [arrow.field(c.name).type for c in table.columns] == [
            _TYPES[c.type] for c in table.columns
        ]
        assert len(set(table.names)) == len(table.names)
        for column in table.columns:
            if column.name.endswith("_minor"):
                assert column.type == "int64"


def test_what_is_there_already_is_not_written_over(pitledger, export, journal, tmp_path):
    folder = export()
    before = (folder / "manifest.json").read_bytes()
    again = pitledger("export", "--from", journal, "-o", folder)
    assert again.line == f"{folder}: is there already; an export is written into a new folder"
    (tmp_path / "empty").mkdir()
    assert "is there already" in pitledger(
        "export", "--from", journal, "-o", tmp_path / "empty").line
    assert (folder / "manifest.json").read_bytes() == before


def test_an_export_that_fails_leaves_nothing(pitledger, journal, tmp_path, monkeypatch):
    cut = tmp_path / "cut.pit"
    cut.write_bytes(journal.read_bytes()[:-7])
    ended = pitledger("export", "--from", cut, "-o", tmp_path / "new" / "out")
    assert "cut short" in ended.line
    assert list((tmp_path / "new").iterdir()) == []

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset, "_manifest", interrupted)
    assert pitledger("export", "--from", journal, "-o", tmp_path / "new" / "out").code == 130
    assert list((tmp_path / "new").iterdir()) == []


def test_without_pyarrow_one_line_names_the_extra(pitledger, journal, tmp_path, monkeypatch):
    monkeypatch.delitem(sys.modules, "services.export.parquet", raising=False)
    monkeypatch.delattr("services.export.parquet", raising=False)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    ended = pitledger(
        "export", "--from", journal, "-o", tmp_path / "out", "--format", "parquet"
    )
    assert ended.line == "--format parquet: needs pyarrow: install pitledger[parquet]"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--from", "/nowhere.pit"), "/nowhere.pit: No such file or directory"),
        (("--gaming-day", "yesterday"), "--gaming-day yesterday: is neither a day as 2026-11-30"),
        (("--format", "csv"), "Invalid value for '--format': 'csv' is not one of 'jsonl', 'par"),
    ],
)
def test_bad_input_is_told_in_one_line(pitledger, journal, tmp_path, options, line):
    source = () if "--from" in options else ("--from", journal)
    ended = pitledger("export", *source, *options, "-o", tmp_path / "out")
    assert line in ended.line
    assert not (tmp_path / "out").exists()
