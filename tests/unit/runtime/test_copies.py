"""Copies for quarantine: whole where they fit, never too large for their topic."""

import pytest

from pitledger.engine import Quarantine
from services.runtime.producer import COPY_BYTES_MAX, copy_of


def bytes_of(copy) -> int:
    value, key, headers = copy
    parts = (len(name.encode()) + len(content) + 10 for name, content in headers)
    return len(value) + len(key) + sum(parts)


def test_a_copy_is_the_original_with_its_key_and_the_reason():
    kept = Quarantine(3, 14, "undecodable", b"T1", (("ce_id", b"x"), ("odd", None)), b"bytes")

    value, key, headers = copy_of(kept)

    assert (value, key) == (b"bytes", b"3:14")
    assert headers == [("ce_id", b"x"), ("odd", b""), ("pitledger_key", b"T1"),
                       ("pitledger_reason", b"undecodable")]


def test_a_copy_of_what_is_nearly_too_large_is_cut_and_says_so():
    for value, key, header in ((2**20, 2, 2), (2, 2**20, 2), (2, 2, 2**20)):
        kept = Quarantine(0, 1, "undecodable", b"k" * key, (("h", b"h" * header),), b"v" * value)

        copy = copy_of(kept)

        assert bytes_of(copy) < COPY_BYTES_MAX
        size = str(value + key + header + 11).encode()
        assert ("pitledger_cut_from_bytes", size) in copy[2]


@pytest.mark.parametrize(
    "headers",
    [(("h" * 50, b"h"),) * 30_000, (("", None),) * 500_000, (("\u20ac" * 340_000, b""),)],
    ids=["many", "as many empty ones as fit", "a long name of long characters"],
)
def test_a_copy_of_large_headers_is_cut_too(headers):
    kept = Quarantine(0, 1, "undecodable", b"k", headers, b"v")
    assert bytes_of(copy_of(kept)) < COPY_BYTES_MAX
