"""Something is broken on purpose in a journal of hundreds of rounds: the auditor names it."""

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from pitledger.audit import audit
from pitledger.journal.record import JournalRecord
from tests.chaos.break_journal import WAYS, NothingToBreak, break_journal, main
from tests.chaos.conftest import PARTITIONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("way", WAYS)
def test_the_auditor_names_the_round_and_the_record(journal, audited, way, seed):
    check(journal, audited, PARTITIONS, way, Random(seed))


def check(journal, before, partitions, way, rng):
    """Break a journal and find it named; also used on a journal of a real broker."""
    spoilt, said = break_journal(journal, before, way, rng)
    report = audit(spoilt, partitions)
    kinds = {one.kind: one for one in report.findings if one.event_id == said.event_id}
    if said.kind == "foreign":
        assert report.sound, "a second settlement counts for nothing"
        [kinds["foreign"]] = (one for one in report.foreign if _place(one) == _place(said))
        assert report.tables == before.tables
    else:
        assert not report.sound
    named = kinds[said.kind]
    assert (named.table_id, named.round_id) == (said.table_id, said.round_id)
    assert named.event_id == said.event_id
    if said.kind == "missing":
        assert said.body in named.text
        caused_by = next(one for one in spoilt if _place(one) == _place(named))
        lost = next(one for one in journal if _place(one) == _place(said))
        assert JournalRecord.FromString(lost.value).causation_id == JournalRecord.FromString(
            caused_by.value
        ).event_id
    else:
        assert _place(named) == _place(said)
    others = [one for one in report.findings if one.round_id not in (said.round_id, "")]
    assert others == [], "no other round is to blame"


def _place(one):
    return one.partition, one.offset


@pytest.mark.parametrize("way", WAYS)
def test_where_nothing_fits_it_says_so(journal, audited, way):
    with pytest.raises(NothingToBreak):
        break_journal(journal[:1], audited, way, Random(1))


@pytest.mark.parametrize(("way", "code"), [("--skip-refund", 1), ("--pay-twice", 0)])
def test_by_hand_the_two_commands_name_the_same_record(journal_path, tmp_path, capsys, way, code):
    broken = tmp_path / "broken"
    assert main([str(journal_path), way, "-o", str(broken)]) == 0
    told = capsys.readouterr().out
    pitledger = (sys.executable, "-c", "import services.cli; services.cli.main()")
    audited = subprocess.run(
        [*pitledger, "audit", "--from", str(broken)],
        capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | {"NO_COLOR": "1"},
    )
    assert audited.returncode == code, audited.stderr
    place = told.split(" at ")[1].split(",")[0]
    round_id = told.strip().split("round ")[1]
    assert [
        line for line in audited.stdout.splitlines() if f"at {place}," in line and round_id in line
    ]


def test_by_hand_without_anything_to_break_it_is_one_line(tmp_path, capsys):
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    assert main([str(empty), "--drop-circle", "-o", str(tmp_path / "x")]) == 2
    assert "no record for drop-circle" in capsys.readouterr().err
