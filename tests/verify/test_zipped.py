"""Zips that are not in the one form of packets, and bombs: none is unpacked."""

import io
import shutil
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from services.verify.faults import Bad, BadInput
from services.verify.zipped import read_zip
from tests.verify.packets import info, zipped

FILES = {"a": b"first" * 100, "b": b"", "c": bytes(range(256))}
LINE, END = 46, 22


def known(name: str) -> bool:
    return name in FILES


def read(data: bytes) -> dict[str, bytes]:
    return read_zip(data, known)


def refused(data: bytes, *words: str) -> None:
    with pytest.raises(Bad) as found:
        read(data)
    for word in words:
        assert word in str(found.value)


def directory(data: bytes) -> int:
    """Where it begins."""
    return int(struct.unpack_from("<L", data, len(data) - 6)[0])


def with_line(data: bytes, at: int, form: str, value: int) -> bytes:
    """A field changed in the first file's line of the directory."""
    changed = bytearray(data)
    struct.pack_into(form, changed, directory(data) + at, value)
    return bytes(changed)


def written(write: Callable[[zipfile.ZipFile], object]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zip_:
        write(zip_)
    return out.getvalue()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_files_are_read_in_their_order(method: int) -> None:
    found = read(zipped(FILES, method))
    assert list(found.items()) == list(FILES.items())


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_each_bit_of_a_zip_counts_or_changes_nothing_that_is_read(method: int) -> None:
    """Deflate has several ways to say the same, and bits after its end."""
    data = zipped(FILES, method)
    same = 0
    for at in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[at] ^= 1 << bit
            try:
                assert read(bytes(flipped)) == FILES, (at, bit)
                same += 1
            except (Bad, BadInput):
                pass
    assert same <= (0 if method == zipfile.ZIP_STORED else 24)


def test_a_zip_that_is_cut_short_anywhere_is_refused() -> None:
    data = zipped(FILES)
    for length in range(len(data)):
        with pytest.raises((Bad, BadInput)):
            read(data[:length])


def test_what_is_no_zip_is_no_packet() -> None:
    for data in (b"", b"PK", b"%PDF", b"x" + zipped(FILES)):
        with pytest.raises(BadInput, match="is no packet"):
            read(data)


def test_more_behind_a_zip_is_refused() -> None:
    data = zipped(FILES)
    refused(data + b"\0", "more behind it")
    refused(data + data)
    comment = written(lambda zip_: (zip_.writestr(info("a"), b"x"),
                                    setattr(zip_, "comment", b"PK\5\6" + bytes(18))))
    refused(comment)


def test_bytes_between_the_files_are_refused() -> None:
    data = zipped(FILES)
    start = directory(data)
    moved = bytearray(data[:start] + b"hidden" + data[start:])
    struct.pack_into("<L", moved, len(moved) - 6, start + 6)
    refused(bytes(moved), "belong to none of its files")


def test_a_name_that_is_there_twice_is_refused() -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = written(lambda zip_: [zip_.writestr(info("a"), text) for text in ("one", "two")])
    refused(data, "a: is in the zip twice")


def test_a_header_that_says_else_than_the_directory_is_refused() -> None:
    data = zipped(FILES)
    for at in (4, 6, 8, 10, 14, 18, 22, 28, 30):
        changed = bytearray(data)
        changed[at] ^= 1
        refused(bytes(changed), "a: its header is not what")


@pytest.mark.parametrize(("at", "form", "value"), [
    (8, "<H", 8),  # sizes behind the bytes
    (12, "<H", 1),  # a time
    (30, "<H", 4),  # an extra field
    (32, "<H", 4),  # a comment
    (38, "<L", 0o120777 << 16),  # a link
])
def test_a_line_of_the_directory_as_other_programs_write_it_is_no_verdict(
    at: int, form: str, value: int
) -> None:
    with pytest.raises(BadInput, match="not as a packet has it: packed anew by another program"):
        read(with_line(zipped(FILES), at, form, value))


def test_a_packet_that_another_program_packed_anew_is_no_verdict(tmp_path: Path) -> None:
    home = tmp_path / "unpacked"
    with zipfile.ZipFile(io.BytesIO(zipped({"d/a": b"one", "d/b": b"two"}))) as zip_:
        zip_.extractall(home)
    made = shutil.make_archive(str(tmp_path / "again"), "zip", home)
    streamed = written(lambda zip_: zip_.writestr("d/a", b"one"))
    for data in (Path(made).read_bytes(), streamed):
        with pytest.raises(BadInput, match=r"d/.*packed anew by another program.*not judged"):
            read_zip(data, lambda name: name in ("d/a", "d/b"))


@pytest.mark.parametrize(("at", "form", "value", "words"), [
    (8, "<H", 1, "a: is encrypted"),
    (10, "<H", 12, "packed in a way"),
    (24, "<L", 1 << 31, "a: says that it unpacks to"),
    (42, "<L", 9, "a: its header is not what"),
])
def test_a_line_of_the_directory_that_no_packet_has_is_refused(
    at: int, form: str, value: int, words: str
) -> None:
    refused(with_line(zipped(FILES), at, form, value), words)


def test_too_many_files_are_refused() -> None:
    data = bytearray(zipped(FILES))
    struct.pack_into("<H", data, len(data) - 12, 60_000)
    refused(bytes(data), "60000 files")


def test_a_bomb_by_what_it_says_is_not_unpacked() -> None:
    data = zipped({"a": bytes(100 << 20)})
    assert len(data) < 200_000
    assert peak_of(lambda: refused(data, "a: says that it unpacks to 104857600")) < 1 << 20


@pytest.mark.parametrize("said", [10, 1 << 20])
def test_a_bomb_that_lies_is_not_unpacked_either(said: int) -> None:
    data = bomb(bytes(100 << 20), said)
    assert peak_of(lambda: refused(data, f"the {said} bytes that")) < 8 << 20


def test_files_that_are_too_much_together_are_not_unpacked() -> None:
    part = bytes(range(256)) * 200
    names = [f"n{number}" for number in range(300)]
    data = zipped(dict.fromkeys(names, part * 20), zipfile.ZIP_DEFLATED)
    with pytest.raises(Bad, match="the zip says that it unpacks to"):
        read_zip(data, lambda name: name in names)


def bomb(held: bytes, said: int) -> bytes:
    """One deflated file whose headers say another size."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(held) + packer.flush()
    data = bytearray(zipped({"a": packed}, zipfile.ZIP_STORED))
    at = directory(bytes(data))
    for method, sizes in ((8, 18), (at + 10, at + 20)):
        struct.pack_into("<H", data, method, 8)
        struct.pack_into("<LL", data, sizes, len(packed), said)
    return bytes(data)


def peak_of(action: Callable[[], object]) -> int:
    """Bytes of memory that it takes at most."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
