"""The golden packets: good for ever with their keys; changed anywhere, a file is named."""

from contextlib import suppress
from pathlib import Path

import pytest

from services.verify.faults import Bad, BadInput
from services.verify.note import Key
from services.verify.packet import PacketReport, verify_packet
from services.verify.zipped import read_zip
from tests.verify.golden import flips
from tests.verify.packets import zipped

HOME = Path(__file__).parents[1] / "golden" / "packets"
PACKETS = sorted(HOME.glob("*.zip"))
assert PACKETS


@pytest.fixture(params=PACKETS, ids=lambda path: path.name)
def packet(request: pytest.FixtureRequest) -> Path:
    return request.param


def judge(packet: Path, data: bytes) -> PacketReport:
    return verify_packet(data, Key.parse(packet.with_suffix(".pub").read_text()), [])


def test_there_is_one_and_it_is_good(packet: Path) -> None:
    assert judge(packet, packet.read_bytes()).records > 0


def test_each_byte_of_the_zip_counts_or_says_nothing(packet: Path) -> None:
    """Of each header every byte, of what is packed one in many; what is unpacked then is the same.

    A file's own bytes are covered by its checksum and by the signed listing alike.
    """
    data = packet.read_bytes()
    files = read_zip(data, lambda name: True)
    places = [*range(0, len(data), 5), *range(data.rindex(b"PK\1\2"), len(data))]
    for name in files:
        start = data.index(b"PK\3\4", data.index(name.encode()) - 30)
        places += range(start, start + 30 + len(name))
    same = 0
    for at in places:
        [(_, flipped)] = flips(data, range(at, at + 1))
        with suppress(Bad, BadInput):
            judge(packet, flipped)
            assert read_zip(flipped, lambda name: True) == files, at
            same += 1
    assert same < len(places) / 100


def test_a_packet_cut_short_anywhere_is_not_good(packet: Path) -> None:
    data = packet.read_bytes()
    for length in range(0, len(data), 997):
        with pytest.raises((Bad, BadInput)):
            judge(packet, data[:length])


def test_a_file_that_was_edited_is_named_though_the_zip_is_made_anew(packet: Path) -> None:
    data = packet.read_bytes()
    for name, held in read_zip(data, lambda name: True).items():
        if name == "packet.sig":
            continue
        edited = held.replace(b"e", b"3", 1) if b"e" in held else held + b"x"
        with pytest.raises(Bad, match=name):
            judge(packet, zipped({**read_zip(data, lambda name: True), name: edited}))
