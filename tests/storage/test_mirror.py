"""A mirror is a verified copy that takes nothing from a source which is not what it was."""

import shutil
import threading
from urllib.request import urlopen

import pytest
from zstandard import ZstdCompressor

from pitledger.archive.leaves import document_leaf
from pitledger.archive.note import PublicKey
from pitledger.archive.store import StoreError
from services.broker.process import free_port
from services.mirror.copying import Mirror
from services.storage.folder import Folder
from tests.broker.rig import wait_until
from tests.storage.house import pitledger


def test_a_mirror_is_an_archive_of_its_own(house):
    done = house.mirrored(None, None, "--json").json
    assert done["entries"] == done["size"] == house.size()
    assert done["leaves"] > 30
    mirrored = house.files(house.mirror)
    assert {key: house.files()[key] for key in mirrored if key != "index.sqlite"} == mirrored
    assert house.verified(house.mirror).code == 0
    replayed = [
        pitledger("replay", "--all", "--from", home) for home in (house.archive, house.mirror)
    ]
    assert replayed[0].out == replayed[1].out != ""


def test_only_what_is_new_is_copied(house):
    house.mirrored()
    assert house.mirrored(None, None, "--json").json["entries"] == 0
    house.add(_note("a"), _note("b"))
    done = house.mirrored(None, None, "--json").json
    assert (done["entries"], done["leaves"]) == (2, 2)
    assert house.verified(house.mirror).json["size"] == house.size()


def test_a_tree_whose_partial_tiles_gave_way_to_full_ones_is_copied_still(house):
    # Given an old checkpoint that a mirror has just read, when the archivist fills its tile
    old = (house.archive / "checkpoint").read_bytes()
    house.add(*[_note(f"{number}") for number in range(300)])
    assert not list(house.archive.glob("tile/0/000.p/*"))
    new = (house.archive / "checkpoint").read_bytes()
    (house.archive / "checkpoint").write_bytes(old)
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).code == 0
    (house.archive / "checkpoint").write_bytes(new)
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).json["size"] == house.size()
    assert not list(house.mirror.glob("tile/0/000.p/*"))


def test_a_bucket_mirrors_a_folder_and_a_folder_a_bucket(house, service, prefix):
    bucket = f"s3://archives/{prefix}/deep"
    assert house.mirrored(None, bucket).code == 0
    house.add(_note("a"))
    assert house.mirrored(None, bucket).code == 0
    assert house.mirrored(bucket, house.home / "again").code == 0
    assert house.verified(house.home / "again").json["size"] == house.size()
    assert "lock" in service.keys(prefix + "/deep")


def test_a_fork_is_told_and_kept_and_nothing_of_it_is_taken(house):
    house.add(_note("the true one"))
    house.mirrored()
    before = house.files(house.mirror)
    # Given the same archive, told otherwise from the last entry but one on, and signed
    other = house.made_otherwise()
    for more in range(3):
        told = house.mirrored(other)
        assert told.code == 1
        assert "FORK" in told.line
        after = house.files(house.mirror)
        kept = {key for key in after if key.startswith("forks/")}
        assert {key: after[key] for key in after.keys() - kept} == before
        assert (other / "checkpoint").read_bytes() in after.values()
        house.add(_note(f"more {more}"), archive=other)
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).code == 0


def test_two_signatures_are_a_fork_whatever_the_tiles_are(house):
    house.mirrored()
    other = house.made_otherwise()
    for name in ("checkpoint", f"checkpoints/{house.size()}"):
        shutil.copy(other / name, house.archive / name)
    told = house.mirrored()
    assert told.code == 1
    assert "FORK" in told.line
    assert len(list((house.mirror / "forks").iterdir())) == 2


def test_a_log_that_was_set_back_is_told(house):
    old = house.home / "old"
    shutil.copytree(house.archive, old)
    house.add(_note("a"))
    house.mirrored()
    before = house.files(house.mirror)
    told = house.mirrored(old)
    assert told.code == 1
    assert "ROLLED BACK" in told.line
    after = house.files(house.mirror)
    assert {key: data for key, data in after.items() if "forks/" not in key} == before


def test_an_older_checkpoint_of_another_tree_is_a_fork(house):
    other = house.made_otherwise()
    shutil.copy(other / "checkpoint", house.archive / "checkpoints" / str(house.size(other)))
    house.add(_note("a"))
    told = house.mirrored()
    assert told.code == 1
    assert "FORK: two trees are signed" in told.line
    assert not (house.mirror / "checkpoint").exists()


def test_every_damage_of_the_source_is_one_line_and_the_mirror_stays_good(house):
    house.mirrored()
    house.add(*[_note(f"{number}") for number in range(300)])
    new = sorted(house.files().keys() - house.files(house.mirror).keys())
    tried = [key for key in new if "/tile/" in f"/{key}" or "checkpoint" in key] + new[:3]
    for key in tried:
        path = house.archive / key
        data = path.read_bytes()
        for damaged in (data[:-1], bytes([data[0] ^ 1]) + data[1:], None):
            if damaged is None:
                path.unlink()
            else:
                path.write_bytes(damaged)
            told = house.mirrored()
            if told.code != 0:  # tiles of trees between are not read
                assert told.code == 1
                assert told.line
            assert house.verified(house.mirror).code == 0 if key == tried[0] else True
            path.write_bytes(data)
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).json["size"] == house.size()


@pytest.mark.parametrize("behind", [b"x", ZstdCompressor().compress(b"")])
def test_a_leaf_with_something_behind_it_is_neither_copied_nor_replayed(house, behind):
    leaf = sorted(house.archive.glob("leaf/*/*.zst"))[7]
    leaf.write_bytes(leaf.read_bytes() + behind)
    told = house.mirrored()
    assert told.code == 1
    assert leaf.name in told.line
    assert house.verified().code == 1
    assert pitledger("replay", "--all", "--from", house.archive).code == 2


def test_leaves_that_were_damaged_in_the_mirror_are_replaced_where_that_is_asked_for(house):
    house.mirrored()
    good = house.files(house.mirror)
    behind, flipped, gone = sorted(house.mirror.glob("leaf/*/*.zst"))[7:10]
    behind.write_bytes(behind.read_bytes() + b"x")
    flipped.write_bytes(b"?" + flipped.read_bytes()[1:])
    gone.unlink()
    told = house.mirrored()
    assert "not read again" in told.out
    assert house.verified(house.mirror).code == 1
    done = house.mirrored(None, None, "--again", "--json").json
    assert (done["entries"], done["leaves"]) == (0, 3)
    assert house.files(house.mirror) == good
    assert house.verified(house.mirror).code == 0


def test_what_a_stopped_mirror_left_damaged_is_not_taken_for_a_leaf(house):
    leaf = sorted(house.archive.glob("leaf/*/*.zst"))[7]
    there = house.mirror / leaf.relative_to(house.archive)
    there.parent.mkdir(parents=True)
    there.write_bytes(leaf.read_bytes() + b"x")
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).code == 0


def test_a_mirror_that_was_stopped_at_any_change_goes_on(house):
    house.mirrored(house.archive, house.home / "whole")
    changes, stopped = -1, True
    while stopped:
        changes += 1
        mirror = house.home / f"stopped-{changes}"
        stopped = _stopped_at(changes, house, mirror)
        if (mirror / "checkpoint").exists():
            assert house.verified(mirror).code == 0
        assert house.mirrored(None, mirror).code == 0
        assert house.files(mirror) == house.files(house.home / "whole")
    assert changes > 40


def test_statements_and_holds_are_copied_and_may_neither_go_nor_change(house):
    (house.archive / "holds").mkdir(exist_ok=True)
    hold = house.archive / "holds" / "1.json"
    hold.write_text("{}")
    house.mirrored()
    hold.write_text("{ }")
    assert "CHANGED: holds/1.json" in house.mirrored().line
    hold.unlink()
    assert "GONE: holds/1.json" in house.mirrored().line


def test_nothing_is_sealed_in_a_mirror_and_no_archive_becomes_one(house):
    house.mirrored()
    before = house.files(house.mirror), house.files()
    sealed = house.archive_journal(house.mirror)
    assert sealed.code == 2
    assert "is a mirror" in sealed.line
    turned = house.mirrored(house.mirror, house.archive)
    assert turned.code == 2
    assert "an archive of its own already" in turned.line
    assert (house.files(house.mirror), house.files()) == before


def test_of_an_archive_in_which_nothing_is_sealed_there_is_no_mirror_yet(house):
    (house.archive / "checkpoint").unlink()
    told = house.mirrored()
    assert told.code == 2
    assert "has no checkpoint yet" in told.line


def test_a_key_that_was_rotated_is_followed(house):
    pitledger("keys", "new", "casino.example/floor", "-o", house.home / "next.key")
    done = pitledger(
        "keys", "rotate", house.archive, "--key", house.key, "--to", house.home / "next.key"
    )
    assert done.code == 0, done.err
    done = pitledger(
        "archive",
        "--from",
        house.home / "whole.pit",
        "-o",
        house.archive,
        "--key",
        house.home / "next.key",
    )
    assert done.code == 0, done.err
    assert house.mirrored().code == 0
    again = pitledger(
        "mirror", house.archive, house.home / "again", "--key", house.home / "next.key.pub"
    )
    assert again.code == 0, again.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere", "m"), "is no archive"),
        (("archive", "archive"), "archive: is the source"),
        (("archive", "there/../archive/"), "is the source"),
        (("archive", "archive/mirror"), "archive/mirror: lies in the source"),
        (("archive", "link/mirror"), "lies in the source"),
        (("archive", "."), ".: the source lies in it"),
        (("s3://archives/floor", "s3://archives/floor/"), "is the source"),
        (("s3://archives/floor", "s3://archives/floor/mirror"), "lies in the source"),
        (("s3://archives/floor", "s3://archives"), "the source lies in it"),
        (("s3://", "m"), "names no bucket"),
        (("archive", "m", "--metrics-port", "9"), "--follow"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(house, monkeypatch, arguments, words):
    monkeypatch.chdir(house.home)
    (house.home / "link").symlink_to("archive")
    before = sorted(house.home.rglob("*"))
    told = pitledger("mirror", *arguments, "--key", house.public)
    assert told.code == 2
    assert words in told.line
    assert sorted(house.home.rglob("*")) == before


def test_a_wrong_key_takes_nothing(house):
    pitledger("keys", "new", "casino.example/floor", "-o", house.home / "other.key")
    told = pitledger("mirror", house.archive, house.mirror, "--key", house.home / "other.key.pub")
    assert told.code == 1
    assert "is not signed by" in told.line
    assert not (house.mirror / "checkpoint").exists()


def test_another_archive_is_not_mirrored_over_this_one(house):
    house.mirrored()
    key = house.home / "b.key"
    pitledger("keys", "new", "casino.example/other", "-o", key)
    pitledger("archive", "--from", house.home / "whole.pit", "-o", house.home / "b", "--key", key)
    told = pitledger("mirror", house.home / "b", house.mirror, "--key", f"{key}.pub")
    assert told.code == 1
    assert "the mirror is of casino.example/floor" in told.line


def test_it_follows_a_source_that_grows_and_says_so_to_prometheus(house):
    port = free_port()
    options = "--follow", "0.1", "--metrics-port", str(port)
    follower = threading.Thread(target=house.mirrored, args=(None, None, *options), daemon=True)
    follower.start()
    wait_until((house.mirror / "checkpoint").exists, "mirrored", 60)
    house.add(_note("later"))
    wait_until(lambda: house.size(house.mirror) == house.size(), "followed", 60)

    def is_told():
        with urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
            return f"pitledger_mirror_entries {float(house.size())}\n" in answer.read().decode()

    wait_until(is_told, "told", 60)


def test_what_an_archive_says_it_is_must_be_what_was_sealed(house):
    log = house.archive / "log.json"
    said = log.read_text()
    log.write_text(said.replace('"topic": "', '"topic": "another.'))
    told = house.mirrored()
    assert told.code == 1
    assert "log.json: is not what was sealed" in told.line
    assert not (house.mirror / "log.json").exists()
    log.write_text(said)
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).code == 0


def test_a_first_mirror_that_is_refused_leaves_the_place_to_the_right_archive(house):
    key = house.home / "b.key"
    pitledger("keys", "new", "casino.example/other", "-o", key)
    pitledger("archive", "--from", house.home / "whole.pit", "-o", house.home / "b", "--key", key)
    told = house.mirrored(house.home / "b")
    assert told.code == 1
    assert "is not signed by" in told.line
    assert house.files(house.mirror) == {}
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).code == 0


def test_a_mirror_may_have_holds_of_its_own_and_releases_no_others(house):
    why = ("--by", "Regulator", "--reason", "inquiry 7")
    theirs = pitledger("legal-hold", "place", house.archive, *why, "--patron", "P1", "--json").json
    house.mirrored()
    placed = pitledger("legal-hold", "place", house.mirror, *why, "--patron", "P2", "--json").json
    assert placed["id"].endswith("-mirror")
    house.add(_note("a"))
    assert house.mirrored().code == 0
    listed = pitledger("legal-hold", "list", house.mirror, "--json").json
    assert {each["id"] for each in listed["holds"]} == {theirs["id"], placed["id"]}
    told = pitledger("legal-hold", "release", house.mirror, theirs["id"], *why)
    assert told.code == 2
    assert "release it there" in told.line
    assert pitledger("legal-hold", "release", house.mirror, placed["id"], *why).code == 0
    assert house.mirrored().code == 0
    assert house.verified(house.mirror).code == 0
    (house.archive / "holds" / f"{theirs['id']}.json").unlink()
    assert "GONE" in house.mirrored().line


def _stopped_at(changes, house, mirror):
    key = PublicKey.parse(house.public.read_text())
    stopping = _Stopping(mirror, changes)
    try:
        Mirror(Folder(house.archive), stopping, key).update()
    except StoreError:
        return True
    finally:
        stopping._lock.close()  # a thread may hold it a moment longer
    return False


class _Stopping(Folder):
    """After so many changes nothing more is changed."""

    def __init__(self, home, changes):
        super().__init__(home)
        self._left = changes

    def write(self, key, data):
        self._count()
        super().write(key, data)

    def delete(self, key):
        self._count()
        super().delete(key)

    def _count(self):
        self._left -= 1
        if self._left < 0:
            raise StoreError("stopped")


def _note(text):
    return document_leaf("rules", "text/plain", text.encode())
