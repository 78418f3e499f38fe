"""Rounds as aggregates of the eventsourcing library, folded from SQLite. EVENTS A ROUND.

What a team that did not build its own would do: one aggregate a round, one event for each journal
record, folded into the same kind of state. Nothing is derived or compared.
"""

import os
import sys
import tempfile
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from bench.contestants.timing import report

ROUNDS = 300


class Round(Aggregate):
    """Stakes, cards, sets: one event each."""

    @event("Opened")
    def __init__(self, table_id: str, number: int) -> None:
        self.table_id = table_id
        self.number = number
        self.stakes: dict[str, int] = {}
        self.cards: list[int] = []
        self.sets: dict[int, list[int]] = {}
        self.answers: list[str] = []

    @event("Wagered")
    def wager(self, position: int, kind: str, amount: int) -> None:
        self.stakes[f"{position}/{kind}"] = amount

    @event("Drawn")
    def draw(self, card: int) -> None:
        self.cards.append(card)

    @event("HandSet")
    def set_hand(self, position: int, cards: list[int]) -> None:
        self.sets[position] = cards

    @event("Answered")
    def answer(self, request: str) -> None:
        self.answers.append(request)


def fill(application: Application[UUID], events: int) -> list[UUID]:
    ids = []
    for number in range(ROUNDS):
        one = Round(table_id="table-1", number=number)
        for index in range(events - 1):
            match index % 4:
                case 0:
                    one.wager(index % 6 + 1, "ante", 2500)
                case 1:
                    one.draw(index % 52 + 1)
                case 2:
                    one.answer(str(one.id))
                case _:
                    one.set_hand(index % 6 + 1, [1, 2, 3, 4, 5])
        application.save(one)
        ids.append(one.id)
    return ids


with tempfile.TemporaryDirectory() as home:
    os.environ["PERSISTENCE_MODULE"] = "eventsourcing.sqlite"
    os.environ["SQLITE_DBNAME"] = os.path.join(home, "rounds.db")
    application: Application[UUID] = Application()
    ids = fill(application, int(sys.argv[1]))

    def work() -> int:
        for each in ids:
            application.repository.get(each)
        return len(ids)

    report(work)
