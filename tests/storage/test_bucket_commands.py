"""An archive in a bucket is one for every command, also where its writer was killed."""

import os
import signal
import subprocess
import sys
import time
from datetime import date

import pytest

from tests.storage.house import ROOT, pitledger


@pytest.fixture
def bucket(service, prefix):
    return f"s3://archives/{prefix}"


def test_a_journal_is_archived_in_a_bucket_and_read_from_there(house, bucket):
    assert house.archive_journal(bucket).code == 0
    mirror = house.home / "mirror"
    assert house.mirrored(bucket, mirror).code == 0
    assert house.verified(mirror).json["rounds"] == 30
    for command in (("rounds",), ("replay", "--all")):
        found = [pitledger(*command, "--from", source) for source in (bucket, mirror)]
        assert found[0].out == found[1].out != ""
    again = house.archive_journal(bucket)
    assert " 0 rounds and 0 remainders sealed" in again.out


def test_a_writer_that_was_killed_is_followed_by_the_next(house, bucket, service, prefix):
    # Given a writer that is killed in the midst of its puts
    puts = []

    def kill_at_the_twentieth(request):
        if request.method == "PUT":
            puts.append(request)
            if len(puts) == 20:
                os.kill(writer.pid, signal.SIGKILL)

    service.before = kill_at_the_twentieth
    writer = _archiving(house, bucket)
    assert writer.wait(120) == -signal.SIGKILL, (house.home / "errors").read_text()
    service.before = lambda _: None
    assert "checkpoint" not in service.keys(prefix)
    # When another one comes, it waits until the lock's time is over, and goes on
    began = time.monotonic()
    service.let_time_pass(prefix)
    assert house.archive_journal(bucket).code == 0
    assert time.monotonic() - began < 120
    assert house.mirrored(bucket, house.home / "mirror").code == 0
    assert house.verified(house.home / "mirror").json["rounds"] == 30


def test_while_one_writes_another_is_refused(house, bucket, service):
    store = service.bucket(bucket.rpartition("/")[2], lease_s=1.0)
    store.lock()
    told = house.archive_journal(bucket)
    assert told.code == 2
    assert "another process writes there" in told.line


def test_a_hold_is_placed_and_what_is_over_goes(house, bucket, monkeypatch):
    house.archive_journal(bucket)
    place = ("legal-hold", "place", bucket, "--by", "counsel", "--reason", "b", "--table")
    assert pitledger(*place, "saigon-001").code == 0
    monkeypatch.setattr("services.cli.retention._today", lambda: date.max)
    done = pitledger(
        "retention",
        "delete",
        bucket,
        "--policy",
        "pa-interactive",
        "--key",
        house.key,
        "--by",
        "a",
        "--reason",
        "b",
        "--yes",
        "--json",
    ).json
    assert done["files"] > 10
    assert house.mirrored(bucket, house.home / "mirror", "--json").json["deleted"] > 10
    assert house.verified(house.home / "mirror").json["deleted"] == len(done["entries"])


def test_without_boto_a_bucket_is_refused_in_one_line(house, bucket):
    code = "import sys; sys.modules['boto3'] = None\nfrom services.cli import main; main()"
    told = subprocess.run(
        [sys.executable, "-c", code, "rounds", "--from", bucket],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=120,
    )  # fmt: skip
    assert told.returncode == 2
    assert told.stderr == f"pitledger: {bucket}: needs boto3: pip install 'pitledger[s3]'\n"


def _archiving(house, bucket):
    command = "from services.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", command, "archive", "--from", house.home / "journal.pit", "-o",
         bucket, "--key", house.key],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=(house.home / "errors").open("wb"),
    )  # fmt: skip
