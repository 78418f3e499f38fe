"""The tables of an index, in an SQLite file: made, emptied, rid of what was deleted."""

import sqlite3

from pitledger.archive.deletions import Deletion
from pitledger.archive.long_rounds import NAME as LONG_ROUND

_APPLICATION, _VERSION = 0x50495458, 4

_SCHEMA = """
CREATE TABLE state (done INTEGER, size INTEGER, root BLOB, changes INTEGER);
INSERT INTO state VALUES (0, 0, x'', -1);
CREATE TABLE rounds (
    entry INTEGER PRIMARY KEY, sha256 BLOB, length INTEGER, partition INTEGER, table_id TEXT,
    round_id TEXT, number TEXT, gaming_day TEXT, game TEXT, opened_at_ms INTEGER,
    sealed_at_ms INTEGER, outcome TEXT, first_offset INTEGER, last_offset INTEGER,
    closed_at INTEGER, occurred_at_us INTEGER, currency TEXT, staked_minor INTEGER,
    returned_minor INTEGER, house_net_minor INTEGER, next_number TEXT);
CREATE INDEX rounds_by_id ON rounds (round_id);
CREATE INDEX rounds_by_number ON rounds (table_id, number);
CREATE INDEX rounds_by_place ON rounds (table_id, partition, first_offset);
CREATE INDEX rounds_by_day ON rounds (gaming_day, opened_at_ms);
CREATE INDEX rounds_by_time ON rounds (opened_at_ms);
CREATE TABLE patrons (patron_id TEXT, entry INTEGER, position INTEGER,
    PRIMARY KEY (patron_id, entry, position)) WITHOUT ROWID;
CREATE INDEX patrons_by_round ON patrons (entry, position);
CREATE TABLE cases (entry INTEGER, partition INTEGER, "offset" INTEGER, broker_time_ms INTEGER,
    case_id TEXT, round_id TEXT, table_id TEXT, event_id TEXT, body TEXT);
CREATE INDEX cases_by_id ON cases (case_id);
CREATE INDEX cases_by_round ON cases (round_id);
CREATE INDEX cases_by_table ON cases (table_id);
CREATE TABLE builds (entry INTEGER, partition INTEGER, "offset" INTEGER, broker_time_ms INTEGER,
    processor TEXT, build TEXT, instance TEXT);
CREATE TABLE holds (entry INTEGER, partition INTEGER, "offset" INTEGER, table_id TEXT,
    event_id TEXT, releases TEXT, holds INTEGER);
CREATE INDEX holds_by_table ON holds (table_id);
CREATE TABLE strays (subject TEXT, entry INTEGER, PRIMARY KEY (subject, entry)) WITHOUT ROWID;
CREATE TABLE documents (entry INTEGER PRIMARY KEY, name TEXT, sha256 BLOB, length INTEGER);
"""
_GONE = (
    "game = '', outcome = '', closed_at = NULL, occurred_at_us = NULL, currency = '',"
    " staked_minor = NULL, returned_minor = NULL, house_net_minor = NULL, next_number = NULL"
)
_LONG_IN = (
    "SELECT r.entry FROM documents d JOIN rounds r ON r.entry = d.entry WHERE d.name ="
    f" '{LONG_ROUND}' AND EXISTS (SELECT 1 FROM strays s WHERE s.subject = r.round_id"
    " AND s.entry BETWEEN ? AND ?)"
)
"""Rounds of documents with records in remainders between two entries."""
_TABLES = ("rounds", "patrons", "cases", "builds", "holds", "strays", "documents")


class ForeignFile(Exception):
    """It is another program's."""


def prepare(database: sqlite3.Connection) -> None:
    """Make the tables, where the file is new or of another version. Raises ForeignFile."""
    database.execute("BEGIN IMMEDIATE")
    (application,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    there = [name for (name,) in database.execute("SELECT name FROM sqlite_schema")]
    if application != _APPLICATION and there:
        raise ForeignFile
    if (application, version) != (_APPLICATION, _VERSION):
        for table in _TABLES if there else ():
            database.execute(f"DROP TABLE IF EXISTS {table}")
        database.execute("DROP TABLE IF EXISTS state")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute(f"PRAGMA application_id = {_APPLICATION}")
        database.execute(f"PRAGMA user_version = {_VERSION}")
    database.execute("COMMIT")


def empty(database: sqlite3.Connection) -> None:
    for table in _TABLES:
        database.execute(f"DELETE FROM {table}")
    database.execute("UPDATE state SET done = 0")


def forget(database: sqlite3.Connection, deletion: Deletion) -> None:
    """What lay in bytes that were deleted is not kept here either; manifests are."""
    for span in deletion.entries:
        database.execute(f"UPDATE rounds SET {_GONE} WHERE entry BETWEEN ? AND ?", span)
        long = [entry for (entry,) in database.execute(_LONG_IN, span)]
        for entry in long:
            database.execute(f"UPDATE rounds SET {_GONE} WHERE entry = ?", (entry,))
            database.execute("DELETE FROM patrons WHERE entry = ?", (entry,))
        for table in ("patrons", "cases", "builds", "holds", "strays"):
            database.execute(f"DELETE FROM {table} WHERE entry BETWEEN ? AND ?", span)
