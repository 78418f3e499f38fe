"""A witness's signature goes from the archive into the packet."""

from tests.verify.conftest import run as verify


def test_a_witness_signs_an_archive_and_its_packets_show_it(pitledger, archive, tmp_path):
    witness = tmp_path / "witness.key"
    made = pitledger("keys", "new", "witness.example", "-o", witness, "--role", "witness")
    assert made.code == 0
    public = witness.with_name("witness.key.pub").read_text().strip()
    log = archive.public.read_text().strip()
    packet = tmp_path / "packet.zip"
    arguments = ("packet", archive.rounds[0], "--from", archive.home, "--key", archive.key, "-o")
    assert pitledger(*arguments, packet).code == 0
    assert verify(str(packet), "--key", log, "--witness", public).code == 1

    signed = pitledger("witness", archive.home, "--key", witness, "--log-key", archive.public,
                       "--state", tmp_path / "seen")
    assert signed.code == 0, signed.err
    packet.unlink()
    assert pitledger(*arguments, packet).code == 0
    found = verify(str(packet), "--key", log, "--witness", public)
    assert found.code == 0, found.out
