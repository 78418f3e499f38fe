"""Which tables hold partitions back in a case of the restart."""

from bench.prepared import partitions_of_tables
from bench.restart import TABLES, held_back


def test_one_open_round_lies_in_the_partition_whose_tables_play():
    players, idle = held_back(1, 48)
    places = partitions_of_tables(2 * TABLES, 48)
    assert len(idle) == 1
    assert {places[number] for number in players} == {places[idle[0]]}
    assert max(players) < TABLES <= idle[0]


def test_many_open_rounds_lie_at_tables_of_their_own():
    players, idle = held_back(1_000, 48)
    assert len(idle) == 1_000
    assert not set(players) & set(idle)
