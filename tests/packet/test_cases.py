"""A packet of a round about which there is a case: the case is told, and its records are proved."""

import re
import zipfile

import pytest

from pitledger.journal.record import JournalRecord, serialize
from pitledger.journal.stored import messages_from
from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from services.cli.new_key import new_key
from tests.cases.desk import Desk
from tests.kit.house import House
from tests.kit.log import PARTITIONS
from tests.kit.table import SAIGON, Table
from tests.packet.conftest import call
from tests.packet.html_text import Page
from tests.verify.conftest import run as verify


@pytest.fixture
def packet(pitledger, tmp_path):
    """Of round 1, about which there is a case; of round 2 there is none."""
    table = Table(SAIGON)
    table.play((1, 2), "Tc Td Th 4c 5c", "Jc Jd Jh 2c 2d", "Kc Kd Qh 3c 6d")
    House(table).run()
    desk = Desk(table)
    desk.open(claim="paid too little <b>")
    held = facts_pb2.TableHeld(reason="claim", about_id=desk.case_id)
    held_id = table.fact("table_held", held, round_id="", actor="agent-1")
    desk.hold(held_id=held_id)
    desk.resolve()
    desk.approve(desk.propose(amount_minor=250))
    answer = desk.read().missing()[0]
    desk.record_what_is_missing()
    forged = JournalRecord.FromString(answer.value)
    forged.case_answered.refusal = 1
    desk.put(answer, serialize(forged))
    table.play()
    released = facts_pb2.TableReleased(reason="the patron was paid", held_id=held_id)
    table.fact("table_released", released, round_id="", actor="agent-2")
    another = facts_pb2.TableReleased(reason="another hold", held_id=table.new_id())
    table.fact("table_released", another, round_id="", actor="agent-2")
    House(table).run()
    key = new_key("casino.example/floor")
    (tmp_path / "key").write_text(key.text())
    write_file(tmp_path / "journal", table.log.all())
    call("archive", "--from", tmp_path / "journal", "--partitions", PARTITIONS,
         "-o", tmp_path / "archive", "--key", tmp_path / "key")

    def make(number: int) -> dict[str, bytes]:
        output = tmp_path / f"{number}.zip"
        made = pitledger("packet", f"T1/{number}", "--from", tmp_path / "archive",
                         "--key", tmp_path / "key", "-o", output)
        assert (made.code, made.err) == (0, "")
        found = verify(str(output), "--key", str(key.public))
        assert found.code == 0, found.err + found.out
        with zipfile.ZipFile(output) as packed:
            return {name: packed.read(name) for name in packed.namelist()}

    return make


def test_a_case_is_told_from_claim_to_posting_and_its_records_are_in_the_packet(packet):
    files = packet(1)
    shown = Page.of(files["account.html"]).shown

    for words in ("claims 15.00 USD", "video to preserve", "finding: dealer error", "approved",
                  "2.50 USD", "paid too little <b>", "There is a case about this round",
                  "the table is held, about", "is released: the patron was paid"):
        assert words.replace(" ", "") in shown, words
    assert {"evidence/case-1.entry", "evidence/case-1.bytes", "evidence/case-1.proof"} <= set(files)
    assert len(list(messages_from(files["evidence/cases.records"]))) == 14
    assert "anotherhold" not in shown
    assert shown.count("NOTwhatthecase'sfactsderive") == 1
    assert "resolved2.50USD" in shown
    assert "Position1:0.00USDassettled,adjustedby+2.50USD,inall+2.50USD." in shown
    assert "Wonorlostinall110.00USD0.00USD+2.50USD12.50USD+2.50USD" in shown
    claim = re.search(r"(\d+)2027\S{21}UTCDisputeopened", shown)[1]
    assert re.search(rf"[-0-9a-f]{{36}}\(offset{claim}\)isaccepted", shown)


def test_a_round_without_a_case_has_none_in_its_packet(packet):
    files = packet(2)

    assert "inall" not in Page.of(files["account.html"]).shown
    assert "Thearchivehasnocaseaboutthisround" in Page.of(files["account.html"]).shown
    assert not any("case" in name for name in files)
