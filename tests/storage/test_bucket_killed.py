"""A writer of a bucket that is killed, or taken for dead and is not, at each of its requests."""

import threading
import uuid

import pytest

from pitledger.archive import layout
from pitledger.archive.leaves import document_leaf
from pitledger.archive.log import About, LogWriter, leaf_data, manifests, newest
from pitledger.archive.merkle import Edge, leaf_hash
from pitledger.archive.note import Checkpoint, Note
from pitledger.archive.store import BadArchive, StoreError
from pitledger.archive.tiles import bundle
from services.cli.new_key import new_key
from services.storage.folder import Folder

ABOUT = About("casino.example/floor", "pitledger.journal.v1", 48)
KEY = new_key("casino.example/floor")
BEFORE, ADDED = 255, 3


@pytest.fixture
def base(tmp_path):
    """An archive's files; what is added fills a tile and begins another, of two levels."""
    writer = LogWriter(Folder(tmp_path), KEY, ABOUT)
    writer.append([_leaf("before")] * (BEFORE - 9))
    while writer.size < BEFORE:
        writer.append([_leaf("before")])
    files = (path for path in tmp_path.rglob("*") if path.is_file())
    found = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in files}
    del found["lock"]
    return found


@pytest.mark.timeout(900)
@pytest.mark.parametrize("step", range(3))
def test_a_writer_may_be_killed_between_any_two_requests(service, base, step):
    requests, killed = step, True
    while killed:
        work = _put(service, base)
        service.before = _Cut(requests)
        killed = _append(service.bucket(work, who="first"), "first") is not None
        service.let_time_pass(work)
        assert _append(service.bucket(work, who="second"), "second") is None
        _check(service, work)
        requests += 3
    assert requests > 20


@pytest.mark.timeout(900)
@pytest.mark.parametrize("step", range(3))
def test_a_writer_taken_for_dead_may_wake_up_at_any_request(service, base, step):
    late, requests = True, step
    while late:
        work = _put(service, base)
        late = _taken_over_at(service, work, requests)
        _check(service, work)
        requests += 3
    assert requests > 20


def _taken_over_at(service, work, requests):
    """A writer is held up after so many requests, another one goes on, and the first wakes up.

    False: it had ended by then.
    """
    held, awake, seen = threading.Event(), threading.Event(), []

    def hold_up(request):
        if request.who == "first":
            seen.append(request)
            if len(seen) > requests:
                held.set()
                assert awake.wait(60)

    service.before = hold_up
    first = service.bucket(work, who="first")
    problems = []
    writer = threading.Thread(target=lambda: problems.append(_append(first, "first")))
    writer.start()
    while writer.is_alive() and not held.wait(0.01):
        pass
    late = held.is_set()
    if late:
        service.let_time_pass(work)
        assert _append(service.bucket(work, who="second"), "second", ADDED + 1) is None
    awake.set()
    writer.join(60)
    assert not writer.is_alive()
    service.before = lambda _: None
    return late


def test_two_writers_at_once_make_one_archive(service, prefix):
    problems = []

    def write(name):
        for number in range(5):
            problems.append(_append(service.bucket(prefix, 9.0), f"{name} {number}", 2))

    threads = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(200)
    added = len([problem for problem in problems if problem is None])
    assert added >= 1
    assert _size(service, prefix) in (2 * added, 2 * added + 1)  # a document may lie before them
    _check(service, prefix)


class _Cut:
    """After so many requests none of the first writer comes through any more."""

    def __init__(self, requests):
        self.left = requests

    def __call__(self, request):
        if request.who == "first":
            self.left -= 1
            if self.left < 0:
                raise OSError


def _put(service, base):
    """A prefix of its own with these files."""
    work = f"w{uuid.uuid4().hex[:8]}"
    for key, data in base.items():
        service.put(work, key, data)
    service.requests.clear()
    return work


def _append(store, name, count=ADDED):
    """None, or what went wrong."""
    try:
        writer = LogWriter(store, KEY, ABOUT)
        if name != "second" or writer.size == BEFORE:
            writer.append([_leaf(f"{name} {number}") for number in range(count)])
        return None
    except (BadArchive, StoreError) as problem:
        return problem


def _check(service, prefix):
    """What is there is one whole tree, and no two trees of one size, nor a fork, were signed."""
    store = service.bucket(prefix)
    checkpoint = newest(store, ABOUT.origin)
    assert checkpoint is not None
    edge, roots = Edge(), {}
    for index in range(-(-checkpoint.size // 256)):
        for entry in bundle(store, index, min(256, checkpoint.size - 256 * index)):
            edge.append(leaf_hash(entry))
            roots[edge.size] = edge.root()
    assert edge.root() == checkpoint.root
    for manifest in manifests(store, checkpoint.size):
        leaf_data(store, manifest.sha256, manifest.length)
    signed = [
        Checkpoint.parse(Note.parse(request.body).text)
        for request in service.requests
        if request.method == "PUT" and f"/{prefix}/checkpoint" in request.path
    ]
    assert signed
    assert all(roots[each.size] == each.root for each in signed)


def _size(service, prefix):
    data = service.bucket(prefix).read(layout.CHECKPOINT)
    return Checkpoint.parse(Note.parse(data).text).size


def _leaf(text):
    return document_leaf("rules", "text/plain", text.encode())
