"""A settlement of another build: `python -m tests.kit.odd_settlement`.

It derives the same payouts, and outcomes that give a unit too much back on each first line.
"""

from pitledger.pb import decisions_pb2 as pb
from pitledger.processors import settlement
from services.runtime.main import run


def patch() -> None:
    """Have this process derive other RoundSettled than the true build."""
    true = settlement.round_settled

    def otherwise(payout: pb.PayoutDue) -> pb.RoundSettled:
        settled = true(payout)
        settled.lines[0].returned_minor += 1
        return settled

    settlement.round_settled = otherwise


if __name__ == "__main__":
    patch()
    run("settlement")
