"""The next build, asked from inside: what it brings is outside the rounds of version 1."""

import subprocess
import sys

from tests.upgrades.trees import environment, tree

ASKED = """
from pitledger.audit import audit
from pitledger.pb import facts_pb2
from tests.kit.house import House
from tests.kit.reading import read
from tests.kit.table import Table

def play(version):
    table = Table().to_dealt((1, 2), adjudication_version=version)
    table.fact("player_left", facts_pb2.PlayerLeft(positions=[1]))
    table.fact("deck_replaced", facts_pb2.DeckReplaced(deck_ids=["deck-7"]))
    table.set(1)
    table.set(2)
    table.expose()
    table.close_round()
    return table

for version in (1, 2):
    table = play(version)
    report = audit(House(table).run().log.all(), table.log.partitions)
    assert report.sound, report.findings
    print(read(table).not_facts, [one.text for one in report.listed])
"""

NOT_OF_ONE = (
    "['field positions is not of this version', 'deck_replaced is not of this version']"
    " ['it holds what version 1 does not know', 'it holds what version 1 does not know']"
)


def test_what_the_next_version_brings_is_no_fact_in_a_round_of_the_first(tmp_path):
    home = tree(tmp_path / "next", "1-a-field", "2-an-event")
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=home, env=environment(home), capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [NOT_OF_ONE, "[] []"]
