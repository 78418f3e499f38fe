"""A bucket is a store: bytes are kept, one writer at a time, and each failure is one line."""

import gc
import threading
import time

import pytest
from botocore.exceptions import EndpointConnectionError

from pitledger.archive.store import StoreError
from services.storage.bucket import Bucket
from services.storage.folder import Folder


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path, prefix):
    if request.param == "folder":
        return Folder(tmp_path / "archive")
    return request.getfixturevalue("service").bucket(prefix)


def test_what_was_written_is_read_again(store):
    store.lock()
    store.write("tile/0/000", b"a")
    store.write("tile/0/000", b"b")
    store.write("leaf/aa/x.zst", b"c" * 100_000)
    store.sync()
    assert store.read("tile/0/000") == b"b"
    assert len(store.read("leaf/aa/x.zst")) == 100_000
    assert store.read("tile/0/001") is None
    store.delete("tile/0/000")
    store.delete("tile/0/000")
    assert store.read("tile/0/000") is None


def test_names_are_those_right_below(store):
    store.lock()
    for key in ("keys/b", "keys/a", "keys/more/c", "keyss/d"):
        store.write(key, b"x")
    assert store.names("keys") == ["a", "b"]
    assert store.names("holds") == []


def test_what_is_created_once_is_not_replaced(store):
    assert store.create("holds/1.json", b"first")
    assert store.create("holds/1.json", b"first")
    assert not store.create("holds/1.json", b"second")
    assert store.read("holds/1.json") == b"first"


def test_a_second_writer_is_told_who_is_there(service, prefix):
    first = service.bucket(prefix, lease_s=1)
    first.lock()
    began = time.monotonic()
    with pytest.raises(StoreError, match=r"another process writes there: process \d+ on "):
        service.bucket(prefix, lease_s=1).lock()
    assert time.monotonic() - began < 60


def test_who_let_go_is_followed_at_once(service, prefix):
    first = service.bucket(prefix)
    first.lock()
    del first
    gc.collect()
    began = time.monotonic()
    service.bucket(prefix).lock()
    assert time.monotonic() - began < 30


def test_a_silent_writer_is_followed_when_its_time_is_over(service, prefix):
    dead, stop = _writer_that_dies(service, prefix)
    began = time.monotonic()
    second = service.bucket(prefix, lease_s=1)
    second.lock()
    assert time.monotonic() - began > 0.9
    stop.set()
    dead.write("tile/0/000", b"late")
    with pytest.raises(StoreError, match="nothing more is written"):
        dead.sync()
    assert second.read("tile/0/000") is None


def test_of_many_who_would_follow_one_does(service, prefix):
    _writer_that_dies(service, prefix)
    followers = [service.bucket(prefix, lease_s=1) for _ in range(4)]
    outcomes = []

    def follow(store):
        try:
            store.lock()
            outcomes.append("locked")
        except StoreError:
            outcomes.append("refused")

    threads = [threading.Thread(target=follow, args=(store,)) for store in followers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(outcomes) == ["locked", "refused", "refused", "refused"]


def test_a_writer_taken_for_dead_changes_nothing_that_is_there(service, prefix):
    # Given a writer whose lock was taken over without its knowledge
    late = service.bucket(prefix)
    late.lock()
    service.put(prefix, "lock", b'{"writer":"b","host":"h","process":1,"lease_s":9,"released":0}')
    service.put(prefix, "tile/0/000.p/3", b"theirs")
    # When it writes what it thinks comes next, then something is there, and it asks
    late.write("tile/0/000.p/3", b"ours")
    with pytest.raises(StoreError, match="another process has taken it over"):
        late.sync()
    assert service.bucket(prefix).read("tile/0/000.p/3") == b"theirs"


def test_what_a_killed_writer_left_is_replaced(service, prefix):
    service.put(prefix, "tile/0/000.p/3", b"of no account")
    store = service.bucket(prefix)
    store.lock()
    store.write("tile/0/000.p/3", b"ours")
    store.sync()
    assert store.read("tile/0/000.p/3") == b"ours"


def test_a_failed_write_is_told_at_sync_and_ends_all_writing(service, prefix):
    store = service.bucket(prefix)
    store.lock()

    def refuse(request):
        if request.path.endswith("tile/0/007"):
            raise OSError

    service.before = refuse
    for number in range(20):
        store.write(f"tile/0/{number:03}", b"x")
    with pytest.raises(StoreError, match="tile/0/007"):
        store.sync()
    service.before = lambda _: None
    with pytest.raises(StoreError, match="tile/0/007"):
        store.write("tile/0/030", b"x")
    store.lock()
    store.write("tile/0/030", b"x")
    store.sync()


def test_writes_go_on_side_by_side_and_sync_waits_for_all(service, prefix):
    store = service.bucket(prefix)
    store.lock()
    under_way, most = [], []

    def slow(request):
        under_way.append(request)
        most.append(len(under_way))
        time.sleep(0.02)
        under_way.remove(request)

    service.before = slow
    for number in range(100):
        store.write(f"leaf/{number}", b"x")
    store.sync()
    service.before = lambda _: None
    assert 4 < max(most) <= 17  # and the lock's renewal
    assert len([key for key in service.keys(prefix) if key.startswith("leaf/")]) == 100


def test_a_service_that_ignores_conditions_is_refused(service, prefix):
    service.heeds = False
    with pytest.raises(StoreError, match="does not heed If-None-Match"):
        service.bucket(prefix).lock()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("s3://", "names no bucket"),
        ("s3://nobody-has-this/x", "NoSuchBucket"),
        ("s3://B!/x", "bucket"),
    ],
)
def test_a_bad_bucket_is_one_line(service, url, words):
    with pytest.raises(StoreError, match=words) as failed:
        Bucket.open(url).lock()
    assert "\n" not in str(failed.value)


def test_a_service_that_is_not_there_is_one_line(service, monkeypatch):
    monkeypatch.setenv("PITLEDGER_S3_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(StoreError, match=r"Could not connect.*127\.0\.0\.1:1"):
        Bucket.open("s3://archives/x").read("log.json")


def _writer_that_dies(service, prefix):
    """It holds the lock, and no request of it comes through any more until the event is set."""
    dead = service.bucket(prefix, lease_s=1, who=prefix)
    dead.lock()
    alive = threading.Event()

    def cut_off(**_):
        if not alive.is_set():
            raise EndpointConnectionError(endpoint_url=service.endpoint)

    dead._objects.client.meta.events.register("before-send.s3", cut_off)
    return dead, alive


@pytest.mark.parametrize("at", [0, 1])
def test_of_two_who_sign_a_checkpoint_at_once_neither_loses_the_others_line(service, prefix, at):
    name, note, puts = "checkpoints/5", b"floor\n5\nroot\n\n- floor x\n", []
    service.put(prefix, name, note)
    first, second = service.bucket(prefix), service.bucket(prefix)

    def meanwhile(request):
        if request.method != "PUT":
            return
        puts.append(request.condition)
        if len(puts) == at + 1:
            second.write(name, note + b"- second y\n")
            second.sync()

    service.before = meanwhile
    first.write(name, note + b"- first z\n")
    first.sync()
    assert len(puts) >= at + 1
    there = first.read(name)
    assert there.startswith(note)
    assert sorted(there.removeprefix(note).splitlines()) == [b"- first z", b"- second y"]
