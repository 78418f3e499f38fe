"""Rows as Parquet, through Arrow: typed columns, zstd, row groups of bounded size."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from services.export.event import Row
from services.export.schema import Table

SUFFIX = ".parquet"
BATCH_ROWS = 500
"""So many rows are held as Python has them, then as Arrow does, in a tenth of the space."""
GROUP_ROWS = 100_000
GROUP_BYTES = 8 << 20
"""A row group is written at so many rows, or so many bytes: what a table holds at a time."""
_LEVEL = 6

_TYPES: dict[str, pa.DataType] = {
    "text": pa.string(),
    "texts": pa.list_(pa.string()),
    "bytes": pa.binary(),
    "bool": pa.bool_(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "uint64": pa.uint64(),
    "instant_us": pa.timestamp("us", tz="UTC"),
    "instant_ms": pa.timestamp("ms", tz="UTC"),
    "json": pa.string(),
    "headers": pa.list_(pa.struct([("name", pa.string()), ("value", pa.binary())])),
    "comparisons": pa.list_(
        pa.struct([("measure", pa.string()), ("player", pa.int64()), ("other", pa.int64())])
    ),
}
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def schema(table: Table) -> pa.Schema:
    """A table's columns as Arrow has them."""
    return pa.schema([pa.field(column.name, _TYPES[column.type]) for column in table.columns])


class Writer:
    """Writes one file, a row group at a time."""

    def __init__(self, path: Path, table: Table) -> None:
        self.rows = 0
        self._columns = table.columns
        self._schema = schema(table)
        self._buffer: list[Row] = []
        self._batches: list[pa.RecordBatch] = []
        self._batched = self._bytes = 0  # rows and bytes of the batches
        self._out = pq.ParquetWriter(
            path, self._schema, compression="zstd", compression_level=_LEVEL
        )

    def add(self, row: Row) -> None:
        self._buffer.append(row)
        self.rows += 1
        if len(self._buffer) == BATCH_ROWS:
            self._batch()
            if self._batched >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
                self._flush()

    def close(self) -> None:
        self._batch()
        self._flush()
        self._out.close()

    def _batch(self) -> None:
        arrays = [
            pa.array(_values(self._buffer, column.name, column.type), _TYPES[column.type])
            for column in self._columns
        ]
        batch = pa.RecordBatch.from_arrays(arrays, schema=self._schema)
        self._batches.append(batch)
        self._batched += batch.num_rows
        self._bytes += batch.nbytes
        self._buffer.clear()

    def _flush(self) -> None:
        if self._batched:
            self._out.write_table(pa.Table.from_batches(self._batches))
        self._batches.clear()
        self._batched = self._bytes = 0


def _values(rows: list[Row], name: str, kind: str) -> list[Any]:
    values = [row.get(name) for row in rows]
    if kind == "json":
        return [_encode(value) if value is not None else None for value in values]
    return values
