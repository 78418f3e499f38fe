"""Packets of released formats verify for ever."""

import pytest

from tests.packet.record import HOME
from tests.verify.conftest import run as verify


@pytest.mark.parametrize("path", sorted(HOME.glob("*.zip")), ids=lambda path: path.stem)
def test_a_golden_packet_verifies(path):
    public = path.with_suffix(".pub").read_text().strip()

    found = verify(str(path), "--key", public)

    assert found.code == 0, found.err + found.out
