"""Rounds under a version, as this build plays them: `python -m tests.upgrades.play VERSION FILE`.

What the worked examples of docs/upgrades.md change happens in them: a patron of two positions
leaves, both Point Counts are 10, and under version 2 the decks are replaced.
"""

import sys
from pathlib import Path

from pitledger.pb import facts_pb2
from pitledger.sources.file import write_file
from tests.kit.house import House
from tests.kit.log import Log
from tests.kit.table import HI_LO, Table

TEN_EACH = ("Tc Td Th 4c 6c", "Qc Qd Qh 3c 3d", "Jc Jd Jh 4d 6d")
"""Position 1 and the dealer show Point Count 10; position 2 shows 6."""


def played(version: int, log: Log | None = None) -> Log:
    """Two rounds, facts and decisions, as the four processors write them."""
    log = log or Log()
    Table(table_id=f"tie-{version}", log=log).play((1, 2), *TEN_EACH, adjudication_version=version)
    _both_left(version, Table(HI_LO, f"left-{version}", log, adjacent_positions=True))
    return House(log).run().log


def _both_left(version: int, table: Table) -> None:
    table.open({1: "ann", 2: "ann", 3: "bob"}, adjudication_version=version)
    for position in (1, 2, 3):
        table.wager(position, ante=1000)
    table.no_more_bets()
    if version > 1:
        message = facts_pb2.DeckReplaced(deck_ids=["deck-7"], reason="a torn card")
        table.fact("deck_replaced", message)
    table.deal("Ac Kd 9h 4s 2d", "Qc 8d 7h 3s 5d", "Ts 6s Js As 4c", "9c 9d 4h 5s Ah")
    if version > 1:
        table.fact("player_left", facts_pb2.PlayerLeft(positions=[1, 2]))
    else:
        table.left(1)
        table.left(2)
    table.set(3)
    table.expose()
    table.abandon(1, 2)
    table.abandon(2, 2)
    table.close_round(1)


if __name__ == "__main__":
    log = played(int(sys.argv[1]))
    print(f"{write_file(Path(sys.argv[2]), log.all())} records")
